#include "embed/body_joint.h"
#include "embed/human/human.h"
#include "geometry/volume.h"

#include <math.h>
#include <string.h>

/// Distance from the armpit to the shoulder in radii of the arm: for a slim level arm, plus a term
/// for its slope, or for how stubby it is.
static const float SHOULDER_LEVEL = -0.4f, SHOULDER_STEEP = 1.2f, SHOULDER_STUBBY = 25.0f,
                   SLIM = 0.15f;
/// Distances of the root from the mirror plane, in half widths of the chest, between which the
/// slope takes effect: the section may open at the armpit beside the chest, or only inside the
/// chest.
static const float IN_CHEST = 0.85f, BESIDE_CHEST = 1.1f;

static float median_area(const lmbi_limb_profile *line, float from, float to)
{
    float sample[LMBI_LIMB_SAMPLES];
    uint32_t count = 0;
    for (uint32_t n = 0; n < line->count; ++n) {
        const float arc = (float)n * line->step;
        if (arc >= from && arc <= to) {
            sample[count++] = line->area[n];
        }
    }
    lmbi_sort_floats(sample, count);
    return count ? sample[count / 2] : 0;
}

/// Measures sections up to where the line reaches the mirror plane; returns that sample.
static uint32_t measure_sections(const lmbi_voxel_body *body, lmbi_limb_profile *line)
{
    const float reach = 0.3f, on_plane = 0.035f;
    uint8_t scratch[LMBI_SECTION_CELLS * LMBI_SECTION_CELLS];
    for (uint32_t n = 0; n < line->count; ++n) {
        line->area[n] = lmbi_section_area(body, line->at[n], lmbi_limb_direction(line, n), reach,
                                          scratch, NULL);
        if (fabsf(line->at[n].x) < on_plane) {
            return n;
        }
    }
    return line->count - 1;
}

/// Ratio of areas across a sample. Areas below `least` are tears in the solid, so they are clamped.
static float area_ratio_at(const lmbi_limb_profile *line, uint32_t n, float least)
{
    return line->area[n + 2] / fmaxf(line->area[n - 1], least);
}

/// The root of an arm that widens gradually: where its section is twice the usual one, at most
/// `root`.
static uint32_t gradual_root(const lmbi_limb_profile *line, uint32_t root, float least)
{
    const float usual = least / 0.35f;
    uint32_t n = root;
    while (n > root / 2 && line->area[n] > 2 * usual) {
        --n;
    }
    return n > root / 2 ? n : root;
}

/// The arm ends where its cross-section opens into the trunk: at the largest ratio of areas in the
/// inner part of the line.
void lmbi_find_arm_root(const lmbi_voxel_body *body, lmbi_arm *a)
{
    lmbi_limb_profile *line = &a->line;
    const uint32_t end = measure_sections(body, line), from = end / 3;
    const float opened = 1.8f;
    const float nearly = 0.65f;
    const float least = fmaxf(1e-6f, 0.35f * median_area(line, 0.2f * (float)end * line->step,
                                                         0.6f * (float)end * line->step));
    uint32_t root = end;
    float best = 0;
    for (uint32_t n = from < 2 ? 2 : from; n + 2 <= end; ++n) {
        best = fmaxf(best, area_ratio_at(line, n, least));
    }
    // Of ratios nearly as large, choose the local maximum nearest to the trunk.
    for (uint32_t n = from < 2 ? 2 : from; n + 2 <= end; ++n) {
        if (area_ratio_at(line, n, least) > nearly * best &&
            (root == end || area_ratio_at(line, n, least) > area_ratio_at(line, root, least) ||
             n > root + 4)) {
            root = n;
        }
    }
    a->clear = best > opened;
    if (!a->clear) {
        root = gradual_root(line, root, least);
    }
    // Interpolate where the squared area passes the product of both sides.
    const float low = line->area[root > 0 ? root - 1 : 0],
                high = line->area[root + 2 < line->count ? root + 2 : root];
    float arc = (float)root * line->step;
    for (uint32_t n = root > 0 ? root - 1 : 0; n < root + 2 && n + 1 < line->count; ++n) {
        const float x = line->area[n] * line->area[n], y = line->area[n + 1] * line->area[n + 1],
                    limit = low * high;
        if (x <= limit && y > limit) {
            arc = ((float)n + (limit - x) / (y - x)) * line->step;
            break;
        }
    }
    a->root_arc = arc;
    a->root = lmbi_limb_point(line, arc);
    a->radius = lmb_sqrt(median_area(line, arc - 0.06f, arc - 0.012f) / LMB_PI);
}

/// How far the solid extends from the mirror plane at a height and depth, toward +x or -x.
static float reach_sideways(const lmbi_voxel_body *body, float y, float z, float toward)
{
    const float step = 0.25f * body->grid.cell, far = 0.3f;
    float x = 0;
    while (x < far &&
           body->depth[lmbi_grid_voxel_at(&body->grid, lmb_vec3_make(toward * x, y, z))] > 0) {
        x += step;
    }
    return x;
}

/// Half the width of the chest below the root of an arm; 0 where there is air. The mean of the
/// shorter three quarters of many lines, since longer ones run into a touching arm.
static float chest_half_width(const lmbi_voxel_body *body, const lmbi_arm *a)
{
    enum { HEIGHTS = 8, DEPTHS = 3, LINES = HEIGHTS * DEPTHS };
    float reach[LINES], sum = 0;
    for (int n = 0; n < LINES; ++n) {
        const float y = a->root.y - 0.05f - 0.05f * (float)(n / DEPTHS) / (HEIGHTS - 1),
                    z = a->root.z + 0.008f * (float)(n % DEPTHS - 1);
        reach[n] = reach_sideways(body, y, z, a->root.x < 0 ? -1.0f : 1.0f);
    }
    lmbi_sort_floats(reach, LINES);
    for (int n = 0; n < LINES * 3 / 4; ++n) {
        sum += reach[n];
    }
    return sum / (LINES * 3 / 4);
}

/// The shoulder lies on the line of the upper arm, above the armpit: higher the steeper the arm
/// hangs, and farther inward if the armpit is beside the chest.
static lmb_vec3 shoulder_of(const lmbi_voxel_body *body, const lmbi_arm *a)
{
    const lmb_vec3 near = lmbi_limb_point(&a->line, a->root_arc - 0.03f),
                   below = lmbi_limb_point(&a->line, a->root_arc - 0.12f);
    const lmb_vec3 along = lmb_vec3_normalize_or(lmb_vec3_sub(near, below), lmb_vec3_make(0, 1, 0));
    const float flat = lmb_sqrt(along.x * along.x + along.z * along.z);
    const float steep = fminf(1.5f, fmaxf(0, along.y) / fmaxf(flat, 1e-3f));
    const float stubby = a->radius / fmaxf(a->root_arc, 0.05f) - SLIM;
    const float out = fabsf(a->root.x) / fmaxf(chest_half_width(body, a), 1e-3f);
    const float beside = fminf(1, fmaxf(0, (out - IN_CHEST) / (BESIDE_CHEST - IN_CHEST)));
    const float thick = fminf(1.6f, SHOULDER_STUBBY * stubby);
    const float upward = fmaxf(thick, SHOULDER_STEEP * steep),
                inward = fmaxf(thick, SHOULDER_STEEP * steep * beside);
    const lmb_vec3 high = lmb_vec3_mad(near, along, 0.03f + a->radius * (SHOULDER_LEVEL + upward));
    const lmb_vec3 in = lmb_vec3_mad(near, along, 0.03f + a->radius * (SHOULDER_LEVEL + inward));
    return lmb_vec3_make(in.x, high.y, in.z);
}

/// Arc of the wrist: the usual fraction of the arm, shifted to the narrowest place between hand and
/// forearm.
static float wrist_arc(const lmbi_arm *a, float total, bool *out_narrow)
{
    const lmbi_limb_profile *line = &a->line;
    const float usual = 0.312f * total;
    const float step = fmaxf(line->step, 1e-6f);
    const uint32_t from = (uint32_t)(0.08f * total / step), to = (uint32_t)(0.42f * total / step);
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
    // Use the middle of the narrow stretch, weighted by how clear the palm is, so that the result
    // is continuous over similar meshes.
    float sum = 0, arcs = 0;
    for (uint32_t n = from; n <= to && n < line->count; ++n) {
        const float weight = fmaxf(0, 1.25f * line->area[thin] - line->area[n]);
        sum += weight;
        arcs += weight * (float)n * line->step;
    }
    const float clear = fminf(1, fmaxf(0, (palm / fmaxf(line->area[thin], 1e-6f) - 1.05f) / 0.4f));
    *out_narrow = thin > from && clear > 0.4f;
    return sum > 0 ? usual + 0.5f * clear * (arcs / sum - usual) : usual;
}

/// Arc of the elbow between shoulder and wrist: the usual fraction, shifted to the bend if there is
/// one.
static float elbow_arc(const lmbi_arm *a, lmb_vec3 shoulder, float wrist, float *out_bend)
{
    const float usual = a->shoulder_arc - 0.52f * (a->shoulder_arc - wrist),
                length = a->shoulder_arc - wrist;
    const lmb_vec3 end = lmbi_limb_point(&a->line, wrist);
    const lmb_vec3 axis =
        lmb_vec3_normalize_or(lmb_vec3_sub(end, shoulder), lmb_vec3_make(1, 0, 0));
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

/// The arc of the shoulder: its projection on the line, clamped to the line.
static float arc_beyond_root(const lmbi_arm *a, lmb_vec3 shoulder)
{
    const uint32_t sample = (uint32_t)(a->root_arc / fmaxf(a->line.step, 1e-6f));
    const lmb_vec3 inward = lmbi_limb_direction(&a->line, sample);
    const float arc = a->root_arc + lmb_vec3_dot(lmb_vec3_sub(shoulder, a->root), inward);
    return fminf(fmaxf(arc, 2 * a->line.step), a->line.step * (float)(a->line.count - 1));
}

void lmbi_place_arm(lmbi_figure_parts *w, int side, lmbi_human_joints *out)
{
    lmbi_arm *a = &w->arms[side];
    const int first = LMBI_LEFT_SHOULDER + side * LMBI_ARM_JOINTS;
    lmb_vec3 *at = out->at + first;
    float *sure = out->confidence + first;
    const char **why = out->reason + first;
    const lmbi_landmark_point *landmarks = w->landmarks.joint + first;
    float bend;
    at[1] = landmarks[1].set ? landmarks[1].at : shoulder_of(&w->f->body, a);
    a->shoulder_arc = arc_beyond_root(a, at[1]);
    a->wrist_arc = landmarks[3].set ? lmbi_limb_arc(&a->line, landmarks[3].at)
                                    : wrist_arc(a, a->shoulder_arc, &a->narrow);
    a->elbow_arc = elbow_arc(a, at[1], a->wrist_arc, &bend);
    a->elbow_arc = landmarks[2].set ? lmbi_limb_arc(&a->line, landmarks[2].at) : a->elbow_arc;
    at[2] = landmarks[2].set ? landmarks[2].at : lmbi_limb_point(&a->line, a->elbow_arc);
    at[3] = landmarks[3].set ? landmarks[3].at : lmbi_limb_point(&a->line, a->wrist_arc);
    out->hand_tip[side] = a->line.at[0];
    sure[1] = a->clear ? 0.95f : 0.5f;
    why[1] = a->clear ? "above the armpit" : "no clear armpit; where the arm thickens most";
    sure[2] = bend > 0.3f ? 0.95f : 0.8f;
    why[2] = bend > 0.3f ? "the bend of the arm" : "a usual share of a straight arm";
    sure[3] = a->narrow ? 0.95f : 0.7f;
    why[3] = a->narrow ? "the narrowest place before the hand"
                       : "no wrist visible; a usual fraction of the arm";
    if (!a->clear) {
        sure[2] *= 0.6f;
        sure[3] *= 0.8f;
    }
}

// ---- an object in the hand

/// In heights of the shoulder (Drillis, Contini 1966: an arm has 0.51, an upper arm 0.23). A longer
/// arm holds an object; what is left must be clearly more than an upper arm.
static const float TOO_LONG = 0.8f, LEAST_LEFT = 0.3f;
/// In heights: longer than any fingers.
static const float LONGER_THAN_FINGERS = 0.1f;
/// Ratios of areas: a hand is STEP times the median before it, and MOSTLY of the sections before it
/// are within ALIKE of that median.
static const float STEP = 1.8f, ALIKE = 1.6f, MOSTLY = 0.7f;

static float median_before(const lmbi_limb_profile *line, uint32_t n)
{
    float sorted[LMBI_LIMB_SAMPLES];
    memcpy(sorted, line->area, n * sizeof *sorted);
    lmbi_sort_floats(sorted, n);
    return sorted[n / 2];
}

/// Whether the line is thin and even before a sample and thick from there on, as a stick or a blade
/// before a hand is.
static bool hand_begins(const lmbi_limb_profile *line, uint32_t n)
{
    enum { LASTS = 5 };
    const float median = median_before(line, n);
    uint32_t even = 0;
    for (uint32_t k = 0; k < n; ++k) {
        even += line->area[k] < ALIKE * median && ALIKE * line->area[k] > median;
    }
    bool thick = n + LASTS < line->count && (float)even > MOSTLY * (float)n;
    for (uint32_t k = n; thick && k < n + LASTS; ++k) {
        thick = line->area[k] > STEP * median;
    }
    return thick;
}

static void drop_samples(lmbi_arm *a, uint32_t by)
{
    lmbi_limb_profile *line = &a->line;
    const size_t left = line->count - by;
    memmove(line->at, line->at + by, left * sizeof *line->at);
    memmove(line->depth, line->depth + by, left * sizeof *line->depth);
    memmove(line->area, line->area + by, left * sizeof *line->area);
    line->count = (uint32_t)left;
    a->root_arc -= (float)by * line->step;
}

void lmbi_drop_held_object(lmbi_arm *a)
{
    const float shoulder = a->root.y, step = a->line.step;
    if (!(step > 0) || a->root_arc < TOO_LONG * shoulder) {
        return;
    }
    for (uint32_t n = 1 + (uint32_t)(LONGER_THAN_FINGERS / step);
         a->root_arc - (float)n * step > LEAST_LEFT * shoulder; ++n) {
        if (hand_begins(&a->line, n)) {
            drop_samples(a, n);
            return;
        }
    }
}
