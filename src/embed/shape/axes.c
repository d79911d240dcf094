/// Axes along which a body is looked at: as files have them, and those of its mirror planes.
#include "embed/shape/shape.h"

#include <math.h>

static bool is_given(lmb_vec3 axis)
{
    return lmb_vec3_dot(axis, axis) > 0;
}

/// Left, up and forward, where left is a unit vector across up.
static void write_axes(lmb_vec3 left, lmb_vec3 up, lmb_vec3 out[3])
{
    out[0] = left;
    out[1] = up;
    out[2] = lmb_vec3_cross(left, up);
}

uint32_t lmbi_standing_axes(const lmb_embed_opts *opts, lmb_vec3 out[LMBI_MOST_AXES][3])
{
    const lmb_vec3 ups[2] = {is_given(opts->up) ? opts->up : lmb_vec3_make(0, 1, 0),
                             lmb_vec3_make(0, 0, 1)};
    const bool told = is_given(opts->forward);
    uint32_t count = 0;
    for (int k = 0; k < (is_given(opts->up) || opts->y_up ? 1 : 2); ++k) {
        const lmb_vec3 usual =
            fabsf(ups[k].z) < 0.9f ? lmb_vec3_make(0, 0, 1) : lmb_vec3_make(0, -1, 0);
        lmb_vec3 along = told ? opts->forward : usual;
        for (int quarter = 0; quarter < (told ? 1 : 4); ++quarter) {
            const lmb_vec3 left = lmb_vec3_normalize_or(lmb_vec3_cross(ups[k], along), along);
            write_axes(left, ups[k], out[count++]);
            along = left;
        }
    }
    return count;
}

/// The axis of the frame within 4.4 degrees of a unit vector, or the vector itself.
static lmb_vec3 snap_to_axis(lmb_vec3 v)
{
    const float near_one = 0.997f;
    const lmb_vec3 axes[6] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    for (int a = 0; a < 6; ++a) {
        if (lmb_vec3_dot(v, axes[a]) > near_one) {
            return axes[a];
        }
    }
    return v;
}

/// Mirror planes with an up axis each, and how badly they mirror.
typedef struct upright_planes {
    lmb_vec3 up[LMBI_MOST_AXES], left[LMBI_MOST_AXES];
    float miss[LMBI_MOST_AXES];
    uint32_t count;
} upright_planes;

/// The best planes of each up axis, the usual axes first.
static void scan_planes(const lmbi_voxel_body *body, const lmb_embed_opts *opts,
                        upright_planes *out)
{
    enum { PLANES = 2 };
    static const lmb_vec3 usual[] = {{0, 1, 0},  {0, 0, 1},  {1, 0, 0},
                                     {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}};
    const bool given = is_given(opts->up);
    out->count = 0;
    for (int k = 0; k < (given ? 1 : opts->y_up ? 2 : 6); ++k) {
        const lmb_vec3 up = given ? opts->up : usual[k];
        lmbi_mirror planes[LMBI_MIRRORS];
        const uint32_t found = lmbi_mirror_scan(body, up, opts->forward, planes);
        for (uint32_t p = 0; p < found && p < PLANES; ++p) {
            out->up[out->count] = up;
            out->left[out->count] = snap_to_axis(planes[p].normal);
            out->miss[out->count++] = planes[p].miss;
        }
    }
}

/// Whether fewer than so many planes mirror better than one of them.
static bool is_among_best(const upright_planes *p, uint32_t plane, uint32_t most)
{
    uint32_t better = 0;
    for (uint32_t k = 0; k < p->count; ++k) {
        better += p->miss[k] < p->miss[plane] || (k < plane && !(p->miss[k] > p->miss[plane]));
    }
    return better < most;
}

uint32_t lmbi_mirror_axes(const lmbi_voxel_body *body, const lmb_embed_opts *opts,
                          lmb_vec3 out[LMBI_MOST_AXES][3])
{
    enum { MOST = 4 };
    upright_planes planes;
    uint32_t count = 0;
    scan_planes(body, opts, &planes);
    for (uint32_t p = 0; p < planes.count; ++p) {
        const lmb_vec3 left = planes.left[p], up = planes.up[p], forward = lmb_vec3_cross(left, up);
        for (int back = 0; back < 2 && is_among_best(&planes, p, MOST); ++back) {
            const float sign = back ? -1.0f : 1.0f;
            if (!is_given(opts->forward) || sign * lmb_vec3_dot(forward, opts->forward) > 0) {
                write_axes(lmb_vec3_scale(left, sign), up, out[count++]);
            }
        }
    }
    return count;
}

/// The logarithm of how rare bodies are that do not lie along their files' axes as these usually have it.
static const float UNUSUAL = -2;

float lmbi_up_prior(const lmb_embed_opts *opts, lmb_vec3 up)
{
    const float along = 0.9f;
    const bool usual = is_given(opts->up) || up.y > along || (!opts->y_up && up.z > along);
    return usual ? 0 : UNUSUAL;
}

float lmbi_facing_prior(lmb_vec3 up, lmb_vec3 forward)
{
    const float along = 0.9f;
    const float usual = up.y > along ? forward.z : up.z > along ? -forward.y : 1;
    return usual > along ? 0 : UNUSUAL;
}
