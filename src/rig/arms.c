#include "rig/place.h"

#include <math.h>
#include <stdlib.h>

static int compare_floats(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return x < y ? -1 : x > y;
}

/// The arm ends where its cross-section, seen from the trunk, stops being several times an arm's.
void lmbi_find_arm_root(const lmbi_body *body, lmbi_arm *a)
{
    const float reach = 0.3f, trunk_like = 2.2f, on_plane = 0.035f;
    uint8_t scratch[LMBI_SECTION * LMBI_SECTION];
    lmbi_limb *line = &a->line;
    uint32_t end = line->count - 1, samples = 0;
    float sample[LMBI_LIMB_SAMPLES];
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
    a->radius = lmb_sqrt(typical / LMB_PI);
    // Between two samples, where the area crosses the limit.
    float part = 0;
    if (root < end && line->area[root + 1] > line->area[root]) {
        part = (trunk_like * typical - line->area[root]) / (line->area[root + 1] - line->area[root]);
    }
    a->root_arc = ((float)root + fminf(fmaxf(part, 0), 1)) * line->step;
    a->root = lmbi_limb_point(line, a->root_arc);
}

/// The shoulder lies on the line of the upper arm, above the armpit.
static lmb_vec3 shoulder_of(const lmbi_arm *a)
{
    const lmb_vec3 below = lmbi_limb_point(&a->line, a->root_arc - 0.1f);
    const lmb_vec3 along = lmb_vec3_normalize_or(lmb_vec3_sub(a->root, below), lmb_vec3_make(0, 1, 0));
    const float flat = lmb_sqrt(along.x * along.x + along.z * along.z);
    const float steep = fminf(1.2f, fmaxf(0, along.y) / fmaxf(flat, 1e-3f));
    return lmb_vec3_mad(a->root, along, a->radius * (0.2f + steep));
}

/// Arc of the wrist: the narrowest place between the hand's widest and the forearm's, or a usual share.
static float wrist_arc(const lmbi_arm *a, float total, bool *out_narrow)
{
    const lmbi_limb *line = &a->line;
    const float usual = 0.26f * total;
    const uint32_t from = (uint32_t)(0.08f * total / line->step), to = (uint32_t)(0.42f * total / line->step);
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
    *out_narrow = thin > from && palm > 1.2f * line->area[thin];
    if (!*out_narrow) {
        return usual;
    }
    while (thin > from && line->area[thin - 1] < 1.12f * line->area[thin] && (float)thin * line->step > usual) {
        --thin;
    }
    return (float)thin * line->step;
}

/// Arc of the elbow between shoulder and wrist: a usual share, drawn to the bend where there is one.
static float elbow_arc(const lmbi_arm *a, lmb_vec3 shoulder, float wrist, float *out_bend)
{
    const float usual = a->shoulder_arc - 0.52f * (a->shoulder_arc - wrist), length = a->shoulder_arc - wrist;
    const lmb_vec3 end = lmbi_limb_point(&a->line, wrist);
    const lmb_vec3 axis = lmb_vec3_normalize_or(lmb_vec3_sub(end, shoulder), lmb_vec3_make(1, 0, 0));
    float far = 0, far_arc = usual;
    for (int k = 0; k <= 20; ++k) {
        const float arc = wrist + length * (0.3f + 0.4f * (float)k / 20);
        const lmb_vec3 d = lmb_vec3_sub(lmbi_limb_point(&a->line, arc), shoulder);
        const float away = lmb_vec3_length(lmb_vec3_mad(d, axis, -lmb_vec3_dot(d, axis)));
        if (away > far) {
            far = away;
            far_arc = arc;
        }
    }
    *out_bend = fminf(1, fmaxf(0, far / fmaxf(length, 1e-3f) - 0.06f) / 0.1f);
    return usual + *out_bend * (far_arc - usual);
}

void lmbi_place_arm(const lmbi_work *w, int side, lmbi_placed *out)
{
    const lmbi_arm *a = &w->arms[side];
    const int first = LMB_LEFT_SHOULDER + side * LMBI_ARM_JOINTS;
    lmb_vec3 *at = out->at + first;
    float *sure = out->confidence + first;
    const char **why = out->reason + first;
    lmbi_arm measured = *a;
    at[1] = shoulder_of(a);
    measured.shoulder_arc = a->root_arc + lmb_vec3_distance(at[1], a->root);
    bool narrow;
    float bend;
    const float wrist = wrist_arc(a, measured.shoulder_arc, &narrow);
    at[2] = lmbi_limb_point(&a->line, elbow_arc(&measured, at[1], wrist, &bend));
    at[3] = lmbi_limb_point(&a->line, wrist);
    out->hand_tip[side] = a->line.at[0];
    sure[1] = a->clear ? 0.95f : 0.4f;
    why[1] = a->clear ? "above the armpit" : "no armpit found; a usual place";
    sure[2] = bend > 0.3f ? 0.95f : 0.8f;
    why[2] = bend > 0.3f ? "the bend of the arm" : "a usual share of a straight arm";
    sure[3] = narrow ? 0.95f : 0.7f;
    why[3] = narrow ? "the narrowest place before the hand" : "no wrist to be seen; a usual share of the arm";
    if (!a->clear) {
        sure[2] *= 0.6f;
        sure[3] *= 0.8f;
    }
}
