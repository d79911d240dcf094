#include "embed/creature/chain.h"

#include <math.h>

float lmbi_limb_root(const lmbi_body_shape *shape, const lmbi_limb_profile *line,
                     const lmbi_tip *tip)
{
    const bool own = tip->length < 0.8f * tip->geodesic;
    const float most = own ? 1.25f * tip->length : 0.9f * tip->geodesic;
    const uint32_t last = (uint32_t)fminf(most / fmaxf(line->step, 1e-6f), (float)line->count - 1);
    float thick = 0;
    for (uint32_t k = 1; k <= last / 2; ++k) {
        thick += line->depth[k] / (float)(last / 2);
    }
    uint32_t root = last / 2;
    while (root < last && line->depth[root] < 1.7f * thick + 0.5f * shape->body.grid.cell) {
        ++root;
    }
    return (float)root * line->step;
}

float lmbi_limb_bend(const lmbi_limb_profile *line, float low, float high, float *out_arc)
{
    const lmb_vec3 a = lmbi_limb_point(line, low), b = lmbi_limb_point(line, high);
    const lmb_vec3 along = lmb_vec3_normalize_or(lmb_vec3_sub(b, a), lmb_vec3_make(0, 1, 0));
    float best = 0;
    *out_arc = 0.5f * (low + high);
    const float edge = 0.08f * (high - low);
    for (float arc = low + edge; arc < high - edge; arc += 0.5f * fmaxf(line->step, 1e-5f)) {
        const lmb_vec3 d = lmb_vec3_sub(lmbi_limb_point(line, arc), a);
        const float off = lmb_vec3_length(lmb_vec3_mad(d, along, -lmb_vec3_dot(d, along)));
        if (off > best) {
            best = off;
            *out_arc = arc;
        }
    }
    return best;
}

static void insert_arc(float *arcs, uint32_t count, float arc)
{
    uint32_t at = count;
    while (at > 0 && arcs[at - 1] < arc) {
        arcs[at] = arcs[at - 1];
        --at;
    }
    arcs[at] = arc;
}

void lmbi_limb_bends(const lmbi_limb_profile *line, float low, float high, uint32_t count,
                     float *out_arcs)
{
    const float straight = 0.035f * (high - low);
    for (uint32_t n = 0; n < count; ++n) {
        float most = straight, at = 0;
        for (uint32_t part = 0; part <= n; ++part) {
            const float top = part == 0 ? high : out_arcs[part - 1],
                        end = part == n ? low : out_arcs[part];
            float arc;
            const float off = lmbi_limb_bend(line, end, top, &arc);
            if (off > most) {
                most = off;
                at = arc;
            }
        }
        if (at > 0) {
            insert_arc(out_arcs, n, at);
            continue;
        }
        // Without a bend, halve the longest part.
        float longest = 0;
        for (uint32_t part = 0; part <= n; ++part) {
            const float top = part == 0 ? high : out_arcs[part - 1],
                        end = part == n ? low : out_arcs[part];
            if (top - end > longest) {
                longest = top - end;
                at = 0.5f * (top + end);
            }
        }
        insert_arc(out_arcs, n, at);
    }
}
