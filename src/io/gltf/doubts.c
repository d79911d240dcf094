// Notes about data that glTF forbids and Limber reads all the same, but other viewers may show
// wrongly. Checked only when the caller asks for notes.
#include <math.h>

#include "io/gltf/gltf.h"

/// The accessor's "min" or "max" of a component; false when absent or not one number a component.
static bool read_declared_bound(const lmbi_gltf_accessor *a, const char *key, uint32_t component,
                                double *out)
{
    const lmbi_json *item = lmbi_json_find(a->json, key);
    if (item == NULL || item->type != LMBI_JSON_ARRAY || item->count != a->components) {
        return false;
    }
    item = item->child;
    for (uint32_t k = 0; k < component; ++k) {
        item = item->next;
    }
    return lmbi_json_number(item, out);
}

void lmbi_gltf_doubt_bounds(lmbi_gltf *g, const lmbi_gltf_accessor *a, const float *values,
                            const char *missing, const char *wrong)
{
    // Integer bounds have no rounding and are right in practice.
    if (g->opts->notes == NULL || a->component_type != LMBI_GLTF_F32 || a->is_lossy) {
        return;
    }
    for (uint32_t c = 0; c < a->components; ++c) {
        float low = values[c], high = values[c];
        for (size_t k = 1; k < a->count; ++k) {
            low = fminf(low, values[k * a->components + c]);
            high = fmaxf(high, values[k * a->components + c]);
        }
        double min = 0, max = 0;
        if (!read_declared_bound(a, "min", c, &min) || !read_declared_bound(a, "max", c, &max)) {
            lmbi_gltf_note(g, a->json, missing);
            return;
        }
        // Tolerance of a thousandth of the range: decimal text rounds, which no viewer shows.
        const double near =
            1e-3 * ((double)high - (double)low) + 1e-6 * (fabs((double)low) + fabs((double)high));
        if (fabs(min - (double)low) > near || fabs(max - (double)high) > near) {
            lmbi_gltf_note(g, a->json, wrong);
            return;
        }
    }
}

/// One past the last descendant of `root`; in depth-first order descendants are contiguous.
static uint32_t end_below(const lmb_skeleton *skeleton, uint32_t root)
{
    uint32_t end = root + 1;
    while (end < skeleton->joint_count && skeleton->parents[end] >= (int32_t)root) {
        ++end;
    }
    return end;
}

void lmbi_gltf_doubt_skin(lmbi_gltf *g, const lmbi_json *json, const lmb_skin *def)
{
    if (g->opts->notes == NULL) {
        return;
    }
    const uint32_t root = def->root == LMB_NONE ? 0 : (uint32_t)def->root;
    const uint32_t end = def->root == LMB_NONE ? UINT32_MAX : end_below(g->def.skeleton, root);
    bool is_stray = false, is_elsewhere = false;
    for (uint32_t k = 0; k < def->joint_count; ++k) {
        is_stray = is_stray || def->joints[k] >= g->shown_count;
        is_elsewhere = is_elsewhere || def->joints[k] < root || def->joints[k] >= end;
    }
    if (is_stray) {
        lmbi_gltf_note(g, json, "joints outside the scene, which viewers leave where they rest");
    }
    if (is_elsewhere) {
        lmbi_gltf_note(g, json, "a skin's skeleton that is not above its joints");
    }
}
