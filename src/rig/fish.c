/// Bodies with a tail fin: fish, sharks, whales.
#include "rig/chain.h"
#include "rig/profile.h"

#include <math.h>

enum { SPINE_JOINTS = 5 };

static float over(float x, float limit)
{
    return x > limit ? x - limit : 0;
}

typedef struct tail_fin {
    uint32_t stalk; ///< the slice where the body is narrowest before the fin
    float flare;    ///< how much the fin is wider
    float narrow;   ///< the stalk's extent as a share of the body's
} tail_fin;

static float extent(const lmbi_profile *p, uint32_t k)
{
    return fmaxf(p->wide[k], p->tall[k]);
}

static void used_slices(const lmbi_profile *p, uint32_t *first, uint32_t *last)
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

/// The fin at the low end (`forward` true) or the high one.
static tail_fin find_fin(const lmbi_profile *p, bool forward)
{
    uint32_t first, last;
    used_slices(p, &first, &last);
    const uint32_t count = last - first + 1;
    float least = 1e30f, most = 0, behind = 0, before = 0;
    tail_fin fin = {.stalk = first};
    for (uint32_t n = 0; n < count; ++n) {
        const uint32_t k = forward ? first + n : last - n;
        const float share = (float)n / (float)count, e = extent(p, k);
        most = fmaxf(most, share > 0.35f ? e : 0);
        behind = fmaxf(behind, share < 0.5f ? e : 0);
        // flares are measured behind the narrowest place so far
        if (share > 0.06f && share < 0.48f && e < least && behind > 1.25f * e) {
            least = e;
            before = behind;
            fin.stalk = k;
        }
    }
    fin.flare = least < 1e29f ? before / fmaxf(least, 1e-4f) : 0;
    fin.narrow = least < 1e29f ? least / fmaxf(most, 1e-4f) : 1;
    return fin;
}

static float fin_cost(tail_fin f)
{
    return 1.5f * over(1.6f, f.flare) + 2 * over(f.narrow, 0.55f);
}

float lmbi_fish_cost(const lmbi_survey *turned, bool *out_forward)
{
    lmbi_profile p;
    lmbi_profile_take(turned, 1, &p);
    const tail_fin ahead = find_fin(&p, true), back = find_fin(&p, false);
    const float a = fin_cost(ahead), b = fin_cost(back);
    *out_forward = a <= b;
    const lmb_vec3 size = lmb_vec3_sub(turned->box.high, turned->box.low);
    float cost =
        fminf(a, b) + 1.5f * over(1.4f * size.x, size.z) + 1.2f * over(1.1f * size.y, size.z);
    // the trunk: a spindle that is thickest before its middle
    float limbs = 0;
    for (uint32_t t = 0; t < turned->tip_count; ++t) {
        limbs = fmaxf(
            limbs, fabsf(turned->tips[t].position.z) < 0.35f * size.z ? turned->tips[t].length : 0);
    }
    return cost + 3 * over(limbs, 0.45f * size.z);
}

/// From where a fin thickens on, to where the body is deep.
static lmb_vec3 fin_root(const lmbi_profile *p, const lmbi_limb *line, float from)
{
    uint32_t k = (uint32_t)(from / fmaxf(line->step, 1e-6f));
    const float z = line->at[k].z;
    uint32_t slice = (uint32_t)fmaxf((z - p->low) / p->step, 0);
    slice = slice < p->count ? slice : p->count - 1;
    while (k + 1 < line->count && line->depth[k] < 0.35f * p->deep[slice]) {
        ++k;
    }
    return line->at[k];
}

static void write_fins(const lmbi_survey *v, const lmbi_profile *p, lmbi_creature *c,
                       const int32_t *spine, float snout, float stalk)
{
    bool dorsal = false, pair[2] = {false, false};
    for (uint32_t t = 0; t < v->tip_count; ++t) {
        const lmbi_tip *tip = &v->tips[t];
        const float share = (snout - tip->position.z) / (snout - stalk);
        if (share < 0.15f || share > 0.85f || tip->length < 0.03f) {
            continue;
        }
        lmbi_limb line;
        lmbi_survey_trace(v, tip->voxel, &line);
        const lmb_vec3 root = fin_root(p, &line, lmbi_limb_root(v, &line, tip));
        const bool side = fabsf(tip->position.x - root.x) > 0.025f;
        const int left = tip->position.x > root.x ? 0 : 1;
        if (!side && tip->position.y > root.y + 0.02f && !dorsal) {
            dorsal = true;
            const int32_t j = lmbi_creature_joint(c, "dorsalFin", spine[1], root, 0.7f,
                                                  "where the fin leaves the back");
            lmbi_creature_tip(c, j, tip->position);
        } else if (side && !pair[left]) {
            pair[left] = true;
            const int32_t j = lmbi_creature_joint(c, left == 0 ? "leftFin" : "rightFin", spine[0],
                                                  root, 0.7f, "where the fin leaves the body");
            lmbi_creature_tip(c, j, tip->position);
        }
    }
}

lmb_result lmbi_fish_place(const lmbi_survey *survey, float height, lmb_embedding *out)
{
    lmbi_profile p;
    lmbi_profile_take(survey, 1, &p);
    uint32_t first, last;
    used_slices(&p, &first, &last);
    const tail_fin fin = find_fin(&p, true);
    const float snout = p.low + p.step * (float)(last + 1);
    const bool clear = fin.flare > 1.4f;
    uint32_t base = fin.stalk;
    while (base > first && extent(&p, base) < 1.2f * extent(&p, fin.stalk)) {
        --base;
    }
    const float stalk =
        clear ? p.low + p.step * ((float)base + 0.5f) : snout - 0.85f * (snout - survey->box.low.z);
    const float length = snout - stalk, start = 0.28f;
    lmbi_creature c;
    lmbi_creature_begin(&c, LMB_SKELETON_FISH, &survey->frame, height, out);
    int32_t spine[SPINE_JOINTS], parent = LMB_NONE;
    for (uint32_t k = 0; k < SPINE_JOINTS; ++k) {
        const float share = start + (0.92f - start) * (float)k / (SPINE_JOINTS - 1);
        parent = lmbi_creature_numbered(&c, "spine", k + 1, parent,
                                        lmbi_profile_at(&p, snout - share * length), 0.8f,
                                        "at equal steps between gills and tail fin");
        spine[k] = parent;
    }
    const int32_t head =
        lmbi_creature_joint(&c, "head", spine[0], lmbi_profile_at(&p, snout - 0.19f * length), 0.8f,
                            "a share of the body");
    lmbi_creature_tip(&c, head, lmbi_profile_at(&p, snout));
    const int32_t tail = lmbi_creature_joint(
        &c, "tailFin", parent, lmbi_profile_at(&p, stalk), clear ? 0.85f : 0.5f,
        clear ? "where the body is narrowest before the fin" : "no fin to be seen; a usual share");
    lmbi_creature_tip(&c, tail, lmbi_profile_at(&p, survey->box.low.z));
    write_fins(survey, &p, &c, spine, snout, stalk);
    return LMB_OK;
}
