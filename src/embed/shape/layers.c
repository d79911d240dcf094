#include "embed/shape/layers.h"
#include "geometry/volume.h"

#include <math.h>

static float along(lmb_vec3 p, int axis)
{
    return axis == 1 ? p.y : p.z;
}

lmbi_layers lmbi_layers_measure(const lmbi_voxel_body *body, int axis)
{
    const lmb_grid *g = &body->grid;
    lmbi_layers l = {.step = g->cell, .low = 1e30f};
    for (uint32_t s = 0; s < body->solid_count; ++s) {
        l.low = fminf(l.low, along(body->at[s], axis));
    }
    l.low -= 0.5f * g->cell;
    for (uint32_t s = 0; s < body->solid_count; ++s) {
        const lmb_vec3 p = body->at[s];
        const uint32_t k = (uint32_t)((along(p, axis) - l.low) / l.step);
        if (k < LMBI_LAYERS) {
            l.count = k >= l.count ? k + 1 : l.count;
            l.area[k] += 1;
            l.middle[k] = lmb_vec3_add(l.middle[k], p);
        }
    }
    for (uint32_t k = 0; k < l.count; ++k) {
        l.middle[k] = lmb_vec3_scale(l.middle[k], 1 / fmaxf(l.area[k], 1));
        l.area[k] *= g->cell * g->cell;
    }
    return l;
}

static float largest(const lmbi_layers *l, uint32_t from, uint32_t to)
{
    float most = 0;
    for (uint32_t k = from; k < to; ++k) {
        most = fmaxf(most, l->area[k]);
    }
    return most;
}

bool lmbi_layers_bust(const lmbi_layers *l, lmbi_bust *out)
{
    const float much = 1.3f, cut_off = 0.3f;
    if (l->count < 20) {
        return false;
    }
    uint32_t neck = 0;
    float clearest = 0;
    for (uint32_t k = l->count * 3 / 10; k < l->count * 3 / 4; ++k) {
        const float clear =
            fminf(largest(l, 0, k), largest(l, k, l->count)) / fmaxf(l->area[k], 1e-6f);
        neck = clear > clearest ? k : neck;
        clearest = fmaxf(clearest, clear);
    }
    const float bottom = largest(l, 0, l->count / 25 + 1);
    if (clearest < much || bottom < cut_off * largest(l, 0, neck)) {
        return false;
    }
    *out = (lmbi_bust){neck / 2, neck, neck + (l->count - neck) / 3, l->count - 1};
    return true;
}
