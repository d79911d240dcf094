/// Bodies with a tail fin: fish, sharks, whales.
#include "embed/creature/chain.h"
#include "embed/creature/slice_profile.h"
#include "geometry/volume.h"

#include <math.h>

enum { SPINE_JOINTS = 5 };

typedef struct tail_fin {
    uint32_t stalk; ///< index of the slice where the body is narrowest before the fin
    float flare;    ///< width of the fin over that of the stalk
} tail_fin;

static float extent(const lmbi_slice_profile *p, uint32_t k)
{
    return fmaxf(p->wide[k], p->tall[k]);
}

static void find_used_slices(const lmbi_slice_profile *p, uint32_t *first, uint32_t *last)
{
    *first = 0;
    *last = p->count - 1;
    while (*first + 1 < p->count && !(p->deep[*first] > 0)) {
        ++*first;
    }
    while (*last > *first && !(p->deep[*last] > 0)) {
        --*last;
    }
}

/// Finds the tail fin at the low end along z.
static tail_fin find_fin(const lmbi_slice_profile *p)
{
    uint32_t first, last;
    find_used_slices(p, &first, &last);
    const uint32_t count = last - first + 1;
    float least = 1e30f, behind = 0, before = 0;
    tail_fin fin = {.stalk = first};
    for (uint32_t n = 0; n < count; ++n) {
        const uint32_t k = first + n;
        const float fraction = (float)n / (float)count, e = extent(p, k);
        behind = fmaxf(behind, fraction < 0.5f ? e : 0);
        // A flare is measured behind the narrowest slice so far.
        if (fraction > 0.06f && fraction < 0.48f && e < least && behind > 1.25f * e) {
            least = e;
            before = behind;
            fin.stalk = k;
        }
    }
    fin.flare = least < 1e29f ? before / fmaxf(least, 1e-4f) : 0;
    return fin;
}

/// The z of the middle of a fin: of its cross-section perpendicular to `out`, a fifth of the way
/// from its root at the body to its tip.
static float fin_middle(const lmbi_body_shape *v, lmb_vec3 root, lmb_vec3 tip, lmb_vec3 out)
{
    const float reach = 0.2f, thin = 0.06f;
    const float level = lmb_vec3_dot(lmb_vec3_lerp(root, tip, 0.2f), out);
    float sum = 0, count = 0;
    for (uint32_t s = 0; s < v->body.solid_count; ++s) {
        const lmb_vec3 p = v->body.at[s];
        const lmb_vec3 d = lmb_vec3_sub(p, root);
        const float aside = lmb_vec3_length(lmb_vec3_mad(d, out, -lmb_vec3_dot(d, out)));
        const bool near = fabsf(lmb_vec3_dot(p, out) - level) < v->body.grid.cell && aside < reach;
        if (near && (out.y > 0 ? fabsf(d.x) : fabsf(d.y)) < thin) {
            sum += p.z;
            count += 1;
        }
    }
    return count > 0 ? sum / count : root.z;
}

/// The root of a fin: where its line reaches half the depth of the body, with z from the middle of
/// the fin.
static lmb_vec3 fin_root(const lmbi_body_shape *v, const lmbi_slice_profile *p,
                         const lmbi_limb_profile *line, float from)
{
    uint32_t k = (uint32_t)(from / fmaxf(line->step, 1e-6f));
    const float z = line->at[k].z;
    uint32_t slice = (uint32_t)fmaxf((z - p->low) / p->step, 0);
    slice = slice < p->count ? slice : p->count - 1;
    uint32_t surface = k;
    while (k + 1 < line->count && line->depth[k] < 0.5f * p->deep[slice]) {
        surface = line->depth[k] < 0.25f * p->deep[slice] ? k : surface;
        ++k;
    }
    const lmb_vec3 tip = line->at[0], leaves = line->at[surface];
    const float x = tip.x - leaves.x, up = tip.y - leaves.y;
    const lmb_vec3 out =
        up > fabsf(x) ? lmb_vec3_make(0, 1, 0) : lmb_vec3_make(x < 0 ? -1.0f : 1.0f, 0, 0);
    return lmb_vec3_make(line->at[k].x, line->at[k].y, fin_middle(v, leaves, tip, out));
}

static void write_fins(const lmbi_body_shape *v, const lmbi_slice_profile *p,
                       lmbi_embedding_writer *c, const int32_t *spine, float snout, float stalk)
{
    bool dorsal = false, pair[2] = {false, false};
    for (uint32_t t = 0; t < v->tip_count; ++t) {
        const lmbi_tip *tip = &v->tips[t];
        const float fraction = (snout - tip->position.z) / (snout - stalk);
        if (fraction < 0.15f || fraction > 0.85f || tip->length < 0.03f) {
            continue;
        }
        lmbi_limb_profile line;
        lmbi_body_shape_trace_limb(v, tip->voxel, &line);
        const lmb_vec3 root = fin_root(v, p, &line, lmbi_limb_root(v, &line, tip));
        const bool side = fabsf(tip->position.x - root.x) > 0.025f;
        const int left = tip->position.x > root.x ? 0 : 1;
        if (!side && tip->position.y > root.y + 0.02f && !dorsal) {
            dorsal = true;
            const int32_t j = lmbi_embedding_add_joint(c, "dorsalFin", spine[1], root, 0.7f,
                                                       "where the fin leaves the back");
            lmbi_embedding_set_tip(c, j, tip->position);
        } else if (side && !pair[left]) {
            pair[left] = true;
            const int32_t j =
                lmbi_embedding_add_joint(c, left == 0 ? "leftFin" : "rightFin", spine[0], root,
                                         0.7f, "where the fin leaves the body");
            lmbi_embedding_set_tip(c, j, tip->position);
        }
    }
}

lmb_result lmbi_fish_place(const lmbi_body_shape *shape, lmb_embedding *out)
{
    lmbi_slice_profile p;
    lmbi_slice_profile_measure(shape, 1, &p);
    uint32_t first, last;
    find_used_slices(&p, &first, &last);
    const tail_fin fin = find_fin(&p);
    const float snout = p.low + p.step * (float)(last + 1);
    const bool clear = fin.flare > 1.4f;
    uint32_t base = fin.stalk;
    const float narrow = extent(&p, fin.stalk);
    while (base > first && extent(&p, base) < narrow * (1 + 0.1f * (fin.flare - 1))) {
        --base;
    }
    const float stalk =
        clear ? p.low + p.step * ((float)base + 0.5f) : snout - 0.85f * (snout - shape->box.low.z);
    const float length = snout - stalk, start = 0.28f;
    lmbi_embedding_writer c;
    lmbi_embedding_begin(&c, LMB_SKELETON_FISH, &shape->frame, shape->box.high.y, out);
    int32_t spine[SPINE_JOINTS], parent = LMB_NONE;
    for (uint32_t k = 0; k < SPINE_JOINTS; ++k) {
        const float fraction = start + (0.92f - start) * (float)k / (SPINE_JOINTS - 1);
        parent = lmbi_embedding_add_numbered(&c, "spine", k + 1, parent,
                                             lmbi_slice_profile_at(&p, snout - fraction * length),
                                             0.8f, "at equal steps between gills and tail fin");
        spine[k] = parent;
    }
    const int32_t head = lmbi_embedding_add_joint(&c, "head", spine[0],
                                                  lmbi_slice_profile_at(&p, snout - 0.19f * length),
                                                  0.8f, "a fraction of the body");
    lmbi_embedding_set_tip(&c, head, lmbi_slice_profile_at(&p, snout));
    const int32_t tail = lmbi_embedding_add_joint(
        &c, "tailFin", parent, lmbi_slice_profile_at(&p, stalk), clear ? 0.85f : 0.5f,
        clear ? "where the body is narrowest before the fin" : "no fin visible; a usual fraction");
    lmbi_embedding_set_tip(&c, tail, lmbi_slice_profile_at(&p, shape->box.low.z));
    write_fins(shape, &p, &c, spine, snout, stalk);
    return LMB_OK;
}
