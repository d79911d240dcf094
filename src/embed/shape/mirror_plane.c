#include "embed/shape/shape.h"
#include "geometry/volume.h"

#include <math.h>

/// Number of samples; every SOME-th is enough for the first round, whose candidates differ much.
enum { SAMPLES = 3000, SOME = 4 };

typedef struct sample {
    lmb_vec3 at;
    float depth;
} sample;

typedef struct mirror_search {
    const lmbi_voxel_body *body;
    lmb_vec3 side, front; ///< side: the normal of the initial guess
    sample samples[SAMPLES];
    uint32_t count;
    double weight[2]; ///< of all samples, and of some
} mirror_search;

static lmb_vec3 normal_at(const mirror_search *s, float angle_rad)
{
    return lmb_vec3_mad(lmb_vec3_scale(s->side, lmb_cos(angle_rad)), s->front, lmb_sin(angle_rad));
}

/// Samples the solid, except shallow voxels, whose depth says little.
static void begin_search(mirror_search *s, const lmbi_voxel_body *body, lmb_vec3 up, lmb_vec3 side)
{
    const float shallow = 1.5f;
    const uint32_t stride = 1 + body->solid_count / SAMPLES;
    s->body = body;
    s->side = side;
    s->front = lmb_vec3_cross(side, up);
    s->count = 0;
    s->weight[0] = s->weight[1] = 0;
    for (uint32_t k = 0; k < body->solid_count; k += stride) {
        const float depth = body->depth[body->solid[k]];
        if (!(depth < shallow)) {
            s->weight[0] += (double)depth;
            s->weight[1] += s->count % SOME == 0 ? (double)depth : 0;
            s->samples[s->count++] = (sample){body->at[k], depth};
        }
    }
}

/// Mean difference between depths at samples, or at some of them, and at their mirror images, weighted by
/// depth. Each difference is clamped, so that a bag or a raised arm does not bend the plane. Stops
/// early, with any larger value, once it exceeds `enough`.
static float disagreement(const mirror_search *s, float angle_rad, float offset, float enough,
                          bool some)
{
    const lmbi_voxel_body *body = s->body;
    const lmb_vec3 n = normal_at(s, angle_rad);
    const float limit = 3;
    const double weight = s->weight[some], most = (double)enough * weight * 1.0001;
    double sum = 0;
    for (uint32_t k = 0; k < s->count && !(sum > most); k += some ? SOME : 1) {
        const lmb_vec3 p = s->samples[k].at;
        const float depth = s->samples[k].depth;
        const lmb_vec3 image = lmb_vec3_mad(p, n, -2 * (lmb_vec3_dot(p, n) - offset));
        const float off = fabsf(depth - lmbi_field_sample(&body->grid, body->depth, image));
        sum += (double)(depth * (off < limit ? off : limit));
    }
    return weight > 0 ? (float)(sum / weight) : 0;
}

/// Offset of the minimum of a parabola through (-1, a), (0, b), (1, c), where b is the lowest.
static float parabola_minimum(float a, float b, float c)
{
    const float bend = a - 2 * b + c;
    return bend > 1e-9f ? fminf(0.5f, fmaxf(-0.5f, 0.5f * (a - c) / bend)) : 0;
}

/// A plane: its rotation about `up` from the guess, its offset, and its disagreement.
typedef struct candidate {
    float angle, at, miss;
} candidate;

/// More than the largest disagreement.
static const float ALL = 4;

/// The best of `best` and its neighbours up to so many turns and shifts away.
static candidate best_around(const mirror_search *s, candidate best, int turns, float turn,
                             int shifts, float shift, bool some)
{
    const candidate middle = best;
    best.miss = disagreement(s, middle.angle, middle.at, ALL, some);
    for (int a = -turns; a <= turns; ++a) {
        for (int o = -shifts; o <= shifts; ++o) {
            const float angle = middle.angle + (float)a * turn, at = middle.at + (float)o * shift;
            const float miss =
                a == 0 && o == 0 ? best.miss : disagreement(s, angle, at, best.miss, some);
            best = miss < best.miss ? (candidate){angle, at, miss} : best;
        }
    }
    return best;
}

float lmbi_mirror_refine(const lmbi_voxel_body *body, lmb_vec3 up, lmb_vec3 *normal, float *offset)
{
    mirror_search s;
    begin_search(&s, body, up, *normal);
    const float degree = LMB_PI / 180;
    float turn = 5 * degree, shift = 2 * body->grid.cell;
    // The first round is a coarse grid; each later one halves the steps around the best.
    candidate best = best_around(&s, (candidate){0, *offset, ALL}, 3, turn, 3, shift, true);
    for (int round = 1; round < 5; ++round) {
        turn *= 0.5f;
        shift *= 0.5f;
        best = best_around(&s, best, 1, turn, 1, shift, false);
    }
    turn = 2 * degree;
    shift = body->grid.cell;
    best.angle +=
        turn * parabola_minimum(disagreement(&s, best.angle - turn, best.at, ALL, false), best.miss,
                                disagreement(&s, best.angle + turn, best.at, ALL, false));
    best.at += shift * parabola_minimum(disagreement(&s, best.angle, best.at - shift, ALL, false),
                                        best.miss,
                                        disagreement(&s, best.angle, best.at + shift, ALL, false));
    *normal = normal_at(&s, best.angle);
    *offset = best.at;
    return best.miss;
}

/// Normals that are tried before the best are refined, over half a turn.
enum { SCANNED = 12 };
/// A plane whose disagreement is this many times that of the best, and SLIGHT voxels more, is none.
static const float NO_RIVAL = 1.6f, SLIGHT = 0.1f;

/// Mean of the samples weighted by squared depth: thin limbs and props count little.
static lmb_vec3 deep_middle_of(const mirror_search *s)
{
    double sum[3] = {0, 0, 0}, weights = 0;
    for (uint32_t k = 0; k < s->count; ++k) {
        const lmb_vec3 p = s->samples[k].at;
        const double weight = (double)s->samples[k].depth * (double)s->samples[k].depth;
        sum[0] += weight * (double)p.x;
        sum[1] += weight * (double)p.y;
        sum[2] += weight * (double)p.z;
        weights += weight;
    }
    return weights > 0 ? lmb_vec3_make((float)(sum[0] / weights), (float)(sum[1] / weights),
                                       (float)(sum[2] / weights))
                       : s->body->centroid;
}

/// Disagreements of planes through `middle`, at rising rotations from s->side.
static void scan_angles(const mirror_search *s, lmb_vec3 middle, float out[SCANNED])
{
    for (int a = 0; a < SCANNED; ++a) {
        const float angle = LMB_PI * (float)a / SCANNED;
        const float at = lmb_vec3_dot(middle, normal_at(s, angle));
        out[a] = disagreement(s, angle, at, ALL, true);
    }
}

/// The plane with the normal s->side, shifted to where it mirrors best.
static lmbi_mirror usual_mirror(const mirror_search *s, lmb_vec3 middle)
{
    candidate best = {0, lmb_vec3_dot(middle, s->side), ALL};
    float shift = 2 * s->body->grid.cell;
    for (int round = 0; round < 4; ++round, shift *= 0.5f) {
        best = best_around(s, best, 0, 0, 3, shift, false);
    }
    return (lmbi_mirror){s->side, best.at, best.miss};
}

static bool has_mirror_near(const lmbi_mirror *list, uint32_t count, lmb_vec3 normal)
{
    const float near_one = 0.9962f; // 5 degrees
    bool has = false;
    for (uint32_t m = 0; m < count; ++m) {
        has = has || fabsf(lmb_vec3_dot(list[m].normal, normal)) > near_one;
    }
    return has;
}

/// Inserts a plane by its disagreement; drops the worst if there are too many.
static uint32_t insert_mirror(lmbi_mirror *list, uint32_t count, lmbi_mirror m)
{
    enum { MOST = LMBI_MIRRORS - 1 };
    uint32_t at = count < MOST ? count++ : MOST;
    for (; at > 0 && list[at - 1].miss > m.miss; --at) {
        if (at < MOST) {
            list[at] = list[at - 1];
        }
    }
    if (at < MOST) {
        list[at] = m;
    }
    return count;
}

uint32_t lmbi_mirror_scan(const lmbi_voxel_body *body, lmb_vec3 up, lmb_vec3 forward,
                          lmbi_mirror out[LMBI_MIRRORS])
{
    if (lmb_vec3_dot(forward, forward) > 0) {
        const lmb_vec3 side =
            lmb_vec3_normalize_or(lmb_vec3_cross(up, forward), lmb_vec3_any_perpendicular(up));
        lmbi_mirror given = {side, lmb_vec3_dot(body->centroid, side), 0};
        given.miss = lmbi_mirror_refine(body, up, &given.normal, &given.offset);
        out[0] = (lmbi_mirror){side, given.offset, given.miss};
        return 1;
    }
    const lmb_vec3 usual = fabsf(up.x) > 0.9f ? lmb_vec3_make(0, 0, 1) : lmb_vec3_make(1, 0, 0);
    mirror_search s;
    begin_search(&s, body, up,
                 lmb_vec3_normalize_or(lmb_vec3_mad(usual, up, -lmb_vec3_dot(usual, up)),
                                       lmb_vec3_any_perpendicular(up)));
    float miss[SCANNED];
    const lmb_vec3 middle = deep_middle_of(&s);
    scan_angles(&s, middle, miss);
    uint32_t count = 0;
    for (int a = 0; a < SCANNED; ++a) {
        if (miss[a] <= miss[(a + 1) % SCANNED] && miss[a] <= miss[(a + SCANNED - 1) % SCANNED]) {
            const lmb_vec3 normal = normal_at(&s, LMB_PI * (float)a / SCANNED);
            const lmbi_mirror m = {normal, lmb_vec3_dot(middle, normal), miss[a]};
            count = insert_mirror(out, count, m);
        }
    }
    while (count > 1 && out[count - 1].miss > NO_RIVAL * out[0].miss + SLIGHT) {
        --count;
    }
    for (uint32_t m = 0; m < count; ++m) {
        out[m].miss = lmbi_mirror_refine(body, up, &out[m].normal, &out[m].offset);
    }
    if (!has_mirror_near(out, count, s.side)) {
        out[count++] = usual_mirror(&s, middle);
    }
    return count;
}
