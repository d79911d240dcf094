#include "rig/place.h"

#include "base/alloc.h"
#include "base/error.h"

#include <math.h>
#include <stdlib.h>

static const float PI_F = 3.14159265f;

typedef struct arm {
    lmbi_limb line;
    float root_arc;  ///< where the limb leaves the trunk, measured from the tip
    float radius;    ///< of a typical cross-section
    bool clear;      ///< the cross-section jumps there
} arm;

typedef struct leg {
    lmbi_limb line;
    float splay; ///< largest distance from the mirror plane
} leg;

typedef struct trunk {
    float crotch;    ///< height where the legs meet
    bool clear;      ///< they are apart below it
} trunk;

typedef struct work {
    const lmbi_figure *f;
    arm arms[2];
    leg legs[2];
    trunk trunk;
} work;

static int compare_floats(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return x < y ? -1 : x > y;
}

// ---- arms

/// The arm ends where its cross-section, seen from the trunk, stops being several times an arm's.
static void find_arm_root(const lmbi_body *body, arm *a)
{
    static const float reach = 0.3f, trunk_like = 2.2f, on_plane = 0.035f;
    uint8_t scratch[LMBI_SECTION * LMBI_SECTION];
    lmbi_limb *line = &a->line;
    uint32_t end = line->count - 1;
    float sample[LMBI_LIMB_SAMPLES];
    uint32_t samples = 0;
    for (uint32_t n = 0; n < line->count; ++n) {
        line->area[n] = lmbi_section_area(body, line->at[n], lmbi_limb_direction(line, n), reach, scratch, NULL);
        const float share = (float)n / (float)line->count;
        if (share > 0.15f && share < 0.5f) {
            sample[samples++] = line->area[n];
        }
        if (fabsf(line->at[n].x) < on_plane) {
            end = n;
            break;
        }
    }
    qsort(sample, samples, sizeof(float), compare_floats);
    const float typical = samples ? sample[samples * 2 / 5] : line->area[end / 2];
    uint32_t root = end;
    while (root > 0 && line->area[root] > trunk_like * typical) {
        --root;
    }
    a->clear = root > line->count / 5 && root < end;
    a->radius = lmb_sqrt(typical / PI_F);
    a->root_arc = (float)root * line->step;
}

/// The shoulder lies on the line of the upper arm, above the armpit.
static lmb_vec3 shoulder_of(const arm *a)
{
    const lmb_vec3 root = lmbi_limb_point(&a->line, a->root_arc), below = lmbi_limb_point(&a->line, a->root_arc - 0.1f);
    const lmb_vec3 along = lmb_vec3_normalize_or(lmb_vec3_sub(root, below), lmb_vec3_make(0, 1, 0));
    const float flat = lmb_sqrt(along.x * along.x + along.z * along.z);
    const float steep = fminf(1.2f, fmaxf(0, along.y) / fmaxf(flat, 1e-3f));
    return lmb_vec3_mad(root, along, a->radius * (0.2f + steep));
}

/// Arc of the wrist: the narrowest place between the hand's widest and the forearm's, or a usual share.
static float wrist_arc(const arm *a, float total)
{
    const lmbi_limb *line = &a->line;
    const uint32_t from = (uint32_t)(0.1f * total / line->step), to = (uint32_t)(0.45f * total / line->step);
    uint32_t thin = from;
    for (uint32_t n = from; n <= to && n < line->count; ++n) {
        if (line->area[n] < line->area[thin]) {
            thin = n;
        }
    }
    float palm = 0;
    for (uint32_t n = 0; n < thin; ++n) {
        palm = fmaxf(palm, line->area[n]);
    }
    const float usual = 0.26f * total;
    if (thin <= from || palm < 1.2f * line->area[thin]) {
        return usual;
    }
    while (thin > from && line->area[thin - 1] < 1.12f * line->area[thin] && (float)thin * line->step > usual) {
        --thin;
    }
    const float found = (float)thin * line->step;
    return found;
}

/// Arc of the elbow between shoulder and wrist: a usual share, drawn to the bend where there is one.
static float elbow_arc(const arm *a, lmb_vec3 shoulder, float shoulder_arc, float wrist)
{
    const float usual = shoulder_arc - 0.52f * (shoulder_arc - wrist);
    const lmb_vec3 end = lmbi_limb_point(&a->line, wrist);
    const lmb_vec3 axis = lmb_vec3_normalize_or(lmb_vec3_sub(end, shoulder), lmb_vec3_make(1, 0, 0));
    float far = 0, far_arc = usual;
    for (int k = 0; k <= 20; ++k) {
        const float arc = wrist + (shoulder_arc - wrist) * (0.3f + 0.4f * (float)k / 20);
        const lmb_vec3 d = lmb_vec3_sub(lmbi_limb_point(&a->line, arc), shoulder);
        const float away = lmb_vec3_length(lmb_vec3_mad(d, axis, -lmb_vec3_dot(d, axis)));
        if (away > far) {
            far = away;
            far_arc = arc;
        }
    }
    const float bend = fminf(1, fmaxf(0, far / fmaxf(shoulder_arc - wrist, 1e-3f) - 0.06f) / 0.1f);
    return usual + bend * (far_arc - usual);
}

static void place_arm(const work *w, int side, lmbi_placed *out)
{
    const arm *a = &w->arms[side];
    lmb_vec3 *at = out->at + LMB_LEFT_SHOULDER + side * LMBI_ARM_JOINTS;
    const lmb_vec3 shoulder = shoulder_of(a);
    const float shoulder_arc = a->root_arc + lmb_vec3_distance(shoulder, lmbi_limb_point(&a->line, a->root_arc));
    const float wrist = wrist_arc(a, shoulder_arc);
    at[1] = shoulder;
    at[2] = lmbi_limb_point(&a->line, elbow_arc(a, shoulder, shoulder_arc, wrist));
    at[3] = lmbi_limb_point(&a->line, wrist);
    out->hand_tip[side] = a->line.at[0];
}

// ---- legs

static float ridge(const lmbi_body *body, int32_t i, int32_t j, float *out_z)
{
    const lmb_grid *g = &body->grid;
    float deepest = 0;
    for (int32_t k = 0; k < g->nz; ++k) {
        const float d = body->depth[lmb_grid_index(g, i, j, k)];
        if (d > deepest) {
            deepest = d;
            if (out_z) {
                *out_z = g->low.z + g->cell * ((float)k + 0.5f);
            }
        }
    }
    return deepest;
}

static int32_t column_at(const lmb_grid *g, float x)
{
    const int32_t i = (int32_t)((x - g->low.x) / g->cell);
    return i < 0 ? 0 : i >= g->nx ? g->nx - 1 : i;
}

/// How much of the legs' depth there is between them at one height: 0 when apart, 1 in the trunk.
static float joined(const work *w, int32_t j)
{
    const lmbi_body *body = &w->f->body;
    const lmb_grid *g = &body->grid;
    float peak[2] = {0, 0};
    int32_t at[2] = {0, 0};
    for (int side = 0; side < 2; ++side) {
        const float sign = side == 0 ? 1.0f : -1.0f, splay = fmaxf(w->legs[side].splay, 0.02f);
        for (float x = 0.4f * splay; x < 1.6f * splay; x += g->cell) {
            const int32_t i = column_at(g, sign * x);
            const float d = ridge(body, i, j, NULL);
            if (d > peak[side]) {
                peak[side] = d;
                at[side] = i;
            }
        }
    }
    float valley = 1e9f;
    for (int32_t i = at[1]; i <= at[0]; ++i) {
        valley = fminf(valley, ridge(body, i, j, NULL));
    }
    const float low = fminf(peak[0], peak[1]);
    return low > 0 ? valley / low : 0;
}

static void find_crotch(work *w, float highest)
{
    const lmb_grid *g = &w->f->body.grid;
    const int32_t need = (int32_t)(0.05f / g->cell);
    int32_t run = 0;
    for (int32_t j = 0; j < g->ny; ++j) {
        const float y = g->low.y + g->cell * ((float)j + 0.5f);
        if (y < 0.03f) {
            continue;
        }
        if (y > highest) {
            break;
        }
        run = joined(w, j) > 0.6f ? run + 1 : 0;
        if (run > need) {
            w->trunk.crotch = y - (float)(run - 1) * g->cell;
            w->trunk.clear = w->trunk.crotch > 0.06f;
            return;
        }
    }
    w->trunk.crotch = 0.6f * highest;
    w->trunk.clear = false;
}

/// The middle of a leg at one height: the deepest place of its slice near the traced line.
static lmb_vec3 leg_center(const work *w, int side, float y)
{
    const lmbi_body *body = &w->f->body;
    const lmb_grid *g = &body->grid;
    const int32_t j = (int32_t)((y - g->low.y) / g->cell);
    const float sign = side == 0 ? 1.0f : -1.0f, splay = fmaxf(w->legs[side].splay, 0.02f);
    // Depth-weighted, so that the answer moves smoothly with the shape.
    double sum = 0, sx = 0, sz = 0;
    for (float x = 0.25f * splay; x < 1.6f * splay; x += g->cell) {
        const int32_t i = column_at(g, sign * x);
        for (int32_t k = 0; k < g->nz; ++k) {
            const float d = body->depth[lmb_grid_index(g, i, j, k)];
            const double weight = (double)(d * d * d);
            sum += weight;
            sx += weight * (double)(g->low.x + g->cell * ((float)i + 0.5f));
            sz += weight * (double)(g->low.z + g->cell * ((float)k + 0.5f));
        }
    }
    if (sum <= 0) {
        return lmb_vec3_make(sign * splay, y, 0);
    }
    return lmb_vec3_make((float)(sx / sum), y, (float)(sz / sum));
}

static void place_leg(const work *w, int side, lmbi_placed *out)
{
    lmb_vec3 *at = out->at + LMB_LEFT_UPPER_LEG + side * LMBI_LEG_JOINTS;
    const float hip = w->trunk.crotch + 0.03f;
    const float ankle = fminf(0.05f, 0.3f * hip);
    const float knee = ankle + 0.513f * (hip - ankle);
    const lmb_vec3 thigh = leg_center(w, side, w->trunk.crotch - 0.15f * w->trunk.crotch);
    at[1] = leg_center(w, side, knee);
    const float rise = (hip - knee) / fmaxf(thigh.y - knee, 0.01f);
    at[0] = lmb_vec3_lerp(at[1], thigh, fminf(rise, 2));
    at[0].x = thigh.x + 0.6f * (at[0].x - thigh.x);
    at[0].z = thigh.z;
    at[0].y = hip;
    at[2] = leg_center(w, side, ankle + 0.035f);
    at[2].y = ankle;
    const lmb_vec3 tip = w->legs[side].line.at[0];
    out->toe_tip[side] = tip;
    at[3] = lmb_vec3_lerp(at[2], tip, 0.62f);
    at[3].y = fminf(0.016f, 0.4f * ankle);
}

// ---- trunk

/// The deepest line of the trunk: z at one height on the mirror plane.
static float trunk_z(const work *w, float y)
{
    const lmbi_body *body = &w->f->body;
    const lmb_grid *g = &body->grid;
    const int32_t j = (int32_t)((y - g->low.y) / g->cell);
    double sum = 0, sz = 0;
    for (float x = -0.03f; x <= 0.03f; x += g->cell) {
        const int32_t i = column_at(g, x);
        for (int32_t k = 0; k < g->nz; ++k) {
            const float d = body->depth[lmb_grid_index(g, i, j < 0 ? 0 : j >= g->ny ? g->ny - 1 : j, k)];
            const double weight = (double)(d * d * d);
            sum += weight;
            sz += weight * (double)(g->low.z + g->cell * ((float)k + 0.5f));
        }
    }
    return sum > 0 ? (float)(sz / sum) : 0;
}

static lmb_vec3 on_trunk(const work *w, float y)
{
    return lmb_vec3_make(0, y, trunk_z(w, y));
}

static void place_trunk(const work *w, lmbi_placed *out)
{
    lmb_vec3 *at = out->at;
    const float shoulder = 0.5f * (at[LMB_LEFT_UPPER_ARM].y + at[LMB_LEFT_UPPER_ARM + LMBI_ARM_JOINTS].y);
    const float hip = 0.5f * (at[LMB_LEFT_UPPER_LEG].y + at[LMB_RIGHT_UPPER_LEG].y);
    const float neck = fminf(shoulder + 0.038f, 0.96f), head = fminf(shoulder + 0.088f, 0.975f), hips = hip + 0.02f;
    at[LMB_HIPS] = on_trunk(w, hips);
    at[LMB_SPINE] = on_trunk(w, hips + 0.18f * (neck - hips));
    at[LMB_CHEST] = on_trunk(w, hips + 0.40f * (neck - hips));
    at[LMB_UPPER_CHEST] = on_trunk(w, hips + 0.66f * (neck - hips));
    at[LMB_NECK] = on_trunk(w, neck);
    at[LMB_HEAD] = on_trunk(w, head);
    out->head_top = lmb_vec3_make(0, 1, at[LMB_HEAD].z);
    for (int side = 0; side < 2; ++side) {
        lmb_vec3 *chain = at + LMB_LEFT_SHOULDER + side * LMBI_ARM_JOINTS;
        chain[0] = lmb_vec3_make(0.22f * chain[1].x, shoulder + 0.005f, 0.5f * (at[LMB_UPPER_CHEST].z + chain[1].z));
    }
}

lmb_result lmbi_place(const lmbi_figure *figure, lmbi_placed *out, lmb_error *error)
{
    const lmb_allocator *alloc = figure->alloc;
    work *w = lmbi_alloc(alloc, sizeof *w);
    uint32_t *ways = lmbi_alloc_array(alloc, lmb_grid_count(&figure->body.grid), sizeof *ways);
    lmb_result result = w && ways ? lmbi_limb_ways(&figure->body, ways, error) : lmbi_fail_memory(error);
    if (result == LMB_OK) {
        w->f = figure;
        for (int side = 0; side < 2; ++side) {
            lmbi_limb_trace(&figure->body, ways, figure->tips[figure->stance.hand[side]].voxel, &w->arms[side].line);
            lmbi_limb_trace(&figure->body, ways, figure->tips[figure->stance.foot[side]].voxel, &w->legs[side].line);
            find_arm_root(&figure->body, &w->arms[side]);
            for (uint32_t n = 0; n < w->legs[side].line.count; ++n) {
                w->legs[side].splay = fmaxf(w->legs[side].splay, fabsf(w->legs[side].line.at[n].x));
            }
            place_arm(w, side, out);
        }
        const float shoulder = 0.5f * (out->at[LMB_LEFT_UPPER_ARM].y + out->at[LMB_LEFT_UPPER_ARM + LMBI_ARM_JOINTS].y);
        find_crotch(w, shoulder);
        for (int side = 0; side < 2; ++side) {
            place_leg(w, side, out);
        }
        place_trunk(w, out);
    }
    lmbi_free(alloc, w);
    lmbi_free(alloc, ways);
    return result;
}
