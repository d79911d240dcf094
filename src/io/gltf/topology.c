// glTF's seven primitive modes become lists of points, lines or triangles.
#include "io/gltf/mesh.h"

enum { POINTS, LINES, LINE_LOOP, LINE_STRIP, TRIANGLES, TRIANGLE_STRIP, TRIANGLE_FAN };

bool lmbi_gltf_topology_count(lmbi_gltf *g, const lmbi_json *primitive, uint32_t mode,
                              uint32_t corners, lmb_topology *topology, uint32_t *count)
{
    uint64_t n = 0;
    *topology = mode == POINTS ? LMB_POINTS : mode <= LINE_STRIP ? LMB_LINES : LMB_TRIANGLES;
    switch (mode) {
    case POINTS:
        n = corners;
        break;
    case LINES:
        n = corners / 2 * 2;
        break;
    case LINE_LOOP:
        n = corners < 2 ? 0 : 2 * (uint64_t)corners;
        break;
    case LINE_STRIP:
        n = corners < 2 ? 0 : 2 * (uint64_t)(corners - 1);
        break;
    case TRIANGLES:
        n = corners / 3 * 3;
        break;
    default:
        n = corners < 3 ? 0 : 3 * (uint64_t)(corners - 2);
        break;
    }
    if (n == 0 || n > UINT32_MAX) {
        return lmbi_gltf_fail_found(g, primitive, "enough corners for one line or triangle", "%u",
                                    corners);
    }
    *count = (uint32_t)n;
    return true;
}

uint32_t lmbi_gltf_topology_least(uint32_t mode)
{
    return mode == POINTS ? 1 : mode <= LINE_STRIP ? 2 : 3;
}

void lmbi_gltf_topology_unroll(uint32_t mode, const uint32_t *corners, uint32_t corner_count,
                               uint32_t *out, uint32_t count)
{
    switch (mode) {
    case LINE_LOOP:
    case LINE_STRIP:
        for (uint32_t k = 0; k < count / 2; ++k) {
            out[2 * k] = corners[k];
            out[2 * k + 1] = corners[k + 1 < corner_count ? k + 1 : 0];
        }
        break;
    case TRIANGLE_STRIP:
        // Every other triangle swaps two corners, so that all have the winding of the first.
        for (uint32_t k = 0; k < count / 3; ++k) {
            out[3 * k] = corners[k];
            out[3 * k + 1] = corners[k + 1 + (k & 1)];
            out[3 * k + 2] = corners[k + 2 - (k & 1)];
        }
        break;
    case TRIANGLE_FAN:
        for (uint32_t k = 0; k < count / 3; ++k) {
            out[3 * k] = corners[k + 1];
            out[3 * k + 1] = corners[k + 2];
            out[3 * k + 2] = corners[0];
        }
        break;
    default:
        for (uint32_t k = 0; k < count; ++k) {
            out[k] = corners[k];
        }
        break;
    }
}
