/// The sign in depth of each bone. A bone of known length from a known joint ends on its keypoint's
/// ray at one of two points (Taylor, "Reconstruction of articulated objects from point
/// correspondences in a single uncalibrated image", 2000, in perspective). Second-order dynamic
/// programming over time selects the signs whose points accelerate least: a limb that swings
/// through the picture plane goes straight on, while its mirror image would reverse with a kink.
#include <math.h>
#include <string.h>

#include "capture/lift_trail.h"

enum { STATES = 4 };

#define ELBOW_ACCELERATION 4.0f ///< standard deviation of acceleration, m/s²
#define WRIST_ACCELERATION 8.0f
#define KNEE_ACCELERATION 7.0f
#define ANKLE_ACCELERATION 14.0f
#define TRUNK_ACCELERATION 1.5f ///< of the vectors between the hips and between the shoulders, m/s²
#define SWING_SPREAD 0.35f      ///< standard deviation of arm swing minus leg swing, radians
#define PLANTED_SPEED 0.35f     ///< m/s, standard deviation of the speed of a planted ankle

/// The two points that differ between the states of one sample.
typedef struct pair {
    lmb_vec3 at[2];
} pair;

typedef struct candidates {
    pair points[STATES];
    float cost[STATES];
} candidates;

// ---------------------------------------------------------------------------- candidate positions

void lmbi_trail_intersect(lmb_vec3 ray, lmb_vec3 center, float length, lmb_vec3 out[2])
{
    const float a = lmb_vec3_dot(ray, ray), b = lmb_vec3_dot(ray, center),
                c = lmb_vec3_dot(center, center) - length * length;
    const float discriminant = b * b - a * c, root = discriminant > 0 ? lmb_sqrt(discriminant) : 0;
    for (int k = 0; k < 2; ++k) {
        const lmb_vec3 p = lmb_vec3_scale(ray, (b + (k == 0 ? -root : root)) / a);
        const lmb_vec3 direction = lmb_vec3_normalize_or(lmb_vec3_sub(p, center), ray);
        out[k] = lmb_vec3_mad(center, direction, length);
    }
}

/// The points on two rays that are `width` apart and whose mean has the given depth. `nearer`
/// selects which of them is nearer to the camera.
static void place_pair(const lmb_vec3 *rays, float depth, float width, int nearer, lmb_vec3 out[2])
{
    const lmb_vec3 sum = lmb_vec3_add(rays[0], rays[1]),
                   difference = lmb_vec3_sub(rays[0], rays[1]);
    const float a = lmb_vec3_dot(sum, sum), b = depth * lmb_vec3_dot(difference, sum),
                c = depth * depth * lmb_vec3_dot(difference, difference) - width * width;
    const float discriminant = b * b - a * c, root = discriminant > 0 ? lmb_sqrt(discriminant) : 0;
    const float half_depth = (-b + (nearer == 0 ? -root : root)) / a;
    out[0] = lmb_vec3_scale(rays[0], depth + half_depth);
    out[1] = lmb_vec3_scale(rays[1], depth - half_depth);
}

// --------------------------------------------------------------------------------- pose prior

typedef struct frame {
    lmb_vec3 left, up, front;
} frame;

static frame body_frame(const lmbi_trail *t, const lmb_vec3 *points)
{
    static const lmb_vec3 x = {1, 0, 0};
    const lmb_vec3 hips = lmb_vec3_sub(points[LMBI_HIP], points[LMBI_HIP + 1]),
                   shoulders = lmb_vec3_sub(points[0], points[1]);
    frame f = {.up = t->up};
    f.left = lmb_vec3_add(lmb_vec3_normalize_or(hips, x), lmb_vec3_normalize_or(shoulders, x));
    f.left = lmb_vec3_mad(f.left, f.up, -lmb_vec3_dot(f.left, f.up));
    f.left = lmb_vec3_normalize_or(f.left, x);
    f.front = lmb_vec3_cross(f.left, f.up);
    return f;
}

static float square(float x)
{
    return x * x;
}

static float outside(float x, float low, float high)
{
    return x < low ? low - x : x > high ? x - high : 0;
}

/// Knees bend backward only; thighs swing forward and back more than sideways.
static float leg_cost(const frame *f, float side, lmb_vec3 thigh, lmb_vec3 shin)
{
    const lmb_vec3 bend = lmb_vec3_cross(thigh, shin);
    const float flexion = lmb_atan2(lmb_vec3_dot(bend, f->left), lmb_vec3_dot(thigh, shin));
    const lmb_vec3 axis = lmb_vec3_normalize_or(lmb_vec3_cross(thigh, f->front), f->left);
    const float swing = lmb_atan2(lmb_vec3_dot(thigh, f->front), -lmb_vec3_dot(thigh, f->up));
    return square(outside(flexion, -0.1f, 2.5f) / 0.15f) +
           square(lmb_vec3_dot(shin, axis) / 0.35f) +
           square((lmb_vec3_dot(thigh, f->left) * side - 0.05f) / 0.3f) +
           square(outside(swing, -0.6f, 1.6f) / 0.2f) + fminf(square((swing - 0.25f) / 0.5f), 4);
}

/// Forearms bend forward, up and inward; upper arms hang and swing forward and back.
static float arm_cost(const frame *f, float side, lmb_vec3 upper, lmb_vec3 fore)
{
    const lmb_vec3 preferred = lmb_vec3_normalize_or(
        lmb_vec3_add(f->front, lmb_vec3_add(lmb_vec3_scale(f->up, 0.4f),
                                            lmb_vec3_scale(f->left, -0.15f * side))),
        f->front);
    const lmb_vec3 bend = lmb_vec3_mad(fore, upper, -lmb_vec3_dot(fore, upper));
    const float bend_forward = lmb_vec3_dot(bend, preferred);
    const float swing = lmb_atan2(lmb_vec3_dot(upper, f->front), -lmb_vec3_dot(upper, f->up));
    return square(fminf(bend_forward - 0.02f, 0) / 0.12f) +
           square((lmb_vec3_dot(upper, f->left) * side - 0.15f) / 0.5f) +
           square(outside(swing, -0.9f, 2.8f) / 0.2f) + square(swing / 0.8f);
}

/// The four states of a limb from its root: middle joint nearer or farther, then the same for the
/// end.
static void limb_states(const lmbi_trail *t, uint32_t m, int limb, const lmb_vec3 *body,
                        candidates *out)
{
    const int root = lmbi_limb_root(limb);
    const frame f = body_frame(t, body);
    const float side = (limb & 1) == 0 ? 1.0f : -1.0f;
    lmb_vec3 mid[2];
    lmbi_trail_intersect(t->rays[m][root + 2], body[root], t->length[root + 2], mid);
    for (int k = 0; k < 2; ++k) {
        lmb_vec3 end[2];
        lmbi_trail_intersect(t->rays[m][root + 4], mid[k], t->length[root + 4], end);
        const lmb_vec3 upper =
            lmb_vec3_normalize_or(lmb_vec3_sub(mid[k], body[root]), lmb_vec3_scale(f.up, -1));
        for (int e = 0; e < 2; ++e) {
            const lmb_vec3 lower = lmb_vec3_normalize_or(lmb_vec3_sub(end[e], mid[k]), upper);
            out->points[2 * k + e] = (pair){{mid[k], end[e]}};
            out->cost[2 * k + e] =
                limb < 2 ? arm_cost(&f, side, upper, lower) : leg_cost(&f, side, upper, lower);
        }
    }
}

// ------------------------------------------------------------------------- dynamic programming

/// Candidates that are chosen jointly over time: of the trunk, of one arm, or of both legs.
typedef struct chain {
    const candidates *parts[2]; ///< [count] each
    const uint8_t *cuts;        ///< [count] nonzero where the body jumps before this sample
    uint32_t part_count, count;
    float step_s;
    float acceleration[2]; ///< standard deviation of each point's acceleration, m/s²
    /// [count] hips that the legs hang from; NULL where no foot is planted
    const lmb_vec3 *roots[2];
} chain;

enum { MAX_STATES = STATES * STATES };

static float second_difference(const chain *c, const candidates *list, int i, int j, int k)
{
    float sum = 0;
    for (int p = 0; p < 2; ++p) {
        const lmb_vec3 middle = lmb_vec3_scale(list[-1].points[j].at[p], 2),
                       ends = lmb_vec3_add(list[-2].points[i].at[p], list[0].points[k].at[p]);
        const float difference = lmb_vec3_distance(ends, middle);
        sum += square(difference / (c->acceleration[p] * c->step_s * c->step_s));
    }
    return sum;
}

/// Second differences of a part over samples m - 2, m - 1, m for all triples of states.
static void tabulate_second_differences(const chain *c, uint32_t part, uint32_t m,
                                        float table[STATES][STATES][STATES])
{
    for (int i = 0; i < STATES; ++i) {
        for (int j = 0; j < STATES; ++j) {
            for (int k = 0; k < STATES; ++k) {
                table[i][j][k] = second_difference(c, c->parts[part] + m, i, j, k);
            }
        }
    }
}

/// Cost of the slower ankle's speed: usually one foot is planted.
static float planted_cost(const chain *c, uint32_t m, int before, int now)
{
    float least = INFINITY;
    if (c->roots[0] == NULL) {
        return 0;
    }
    for (uint32_t part = 0; part < c->part_count; ++part) {
        const int shift = part == 0 ? 1 : STATES;
        const candidates *list = c->parts[part] + m;
        const lmb_vec3 a = lmb_vec3_add(list[-1].points[before / shift % STATES].at[1],
                                        c->roots[part][m - 1]),
                       b = lmb_vec3_add(list[0].points[now / shift % STATES].at[1],
                                        c->roots[part][m]);
        const float speed = lmb_vec3_distance(a, b) / c->step_s;
        least = fminf(least, speed * speed);
    }
    return fminf(least / square(PLANTED_SPEED), 6);
}

/// Cheapest sequence of states. `path` [count] gets one state for each sample: the first part's
/// plus STATES times the second's.
static bool find_cheapest_path(const chain *c, lmbi_arena *arena, uint8_t *path)
{
    const int n = c->part_count == 2 ? MAX_STATES : STATES;
    uint8_t(*from)[MAX_STATES][MAX_STATES] = lmbi_arena_array(arena, c->count, sizeof *from);
    double(*best)[MAX_STATES] = lmbi_arena_array(arena, (size_t)2 * MAX_STATES, sizeof *best);
    double(*next)[MAX_STATES] = best + MAX_STATES;
    float tables[2][STATES][STATES][STATES] = {{{{0}}}};
    if (from == NULL || best == NULL) {
        return false;
    }
    for (uint32_t m = 0; m < c->count; ++m) {
        const bool cut_now = m > 0 && c->cuts[m], cut_before = m > 1 && c->cuts[m - 1];
        for (uint32_t part = 0; m > 1 && part < c->part_count; ++part) {
            memset(tables[part], 0, sizeof tables[part]);
            if (!cut_now && !cut_before) {
                tabulate_second_differences(c, part, m, tables[part]);
            }
        }
        for (int k = 0; k < n; ++k) {
            const int a = k % STATES, b = k / STATES;
            const double own = (double)c->parts[0][m].cost[a] +
                               (c->part_count == 2 ? (double)c->parts[1][m].cost[b] : 0);
            for (int j = 0; j < n; ++j) {
                next[j][k] = m > 0 ? (double)INFINITY : 0;
                for (int i = 0; m > 0 && i < n; ++i) {
                    const double cost = best[i][j] + (double)(tables[0][i % STATES][j % STATES][a] +
                                                              tables[1][i / STATES][j / STATES][b]);
                    if (cost < next[j][k]) {
                        next[j][k] = cost;
                        from[m][j][k] = (uint8_t)i;
                    }
                }
                next[j][k] += own + (m > 0 && !cut_now ? (double)planted_cost(c, m, j, k) : 0);
            }
        }
        double(*swap)[MAX_STATES] = best;
        best = next;
        next = swap;
    }
    int j = 0, k = 0;
    for (int s = 1; s < n * n; ++s) {
        if (best[s / n][s % n] < best[j][k]) {
            j = s / n;
            k = s % n;
        }
    }
    for (uint32_t m = c->count; m-- > 0;) {
        path[m] = (uint8_t)k;
        const int before = from[m][j][k];
        k = j;
        j = before;
    }
    return true;
}

// ------------------------------------------------------------------------------ trunk, then limbs

/// Velocity of the hips in the horizontal plane, m/s, over half a second.
static lmb_vec3 hips_velocity(const lmbi_trail *t, uint32_t m)
{
    const float step_s = (float)t->step / t->lift->rate;
    const uint32_t half = (uint32_t)(0.25f / step_s) + 1;
    const uint32_t a = m > half ? m - half : 0, b = m + half < t->count ? m + half : t->count - 1;
    const lmb_vec3 from = lmb_vec3_scale(
                       lmb_vec3_lerp(t->rays[a][LMBI_HIP], t->rays[a][LMBI_HIP + 1], 0.5f),
                       t->depth[a]),
                   to = lmb_vec3_scale(
                       lmb_vec3_lerp(t->rays[b][LMBI_HIP], t->rays[b][LMBI_HIP + 1], 0.5f),
                       t->depth[b]);
    lmb_vec3 offset = lmb_vec3_sub(to, from);
    offset.y = 0;
    return b > a ? lmb_vec3_scale(offset, 1 / ((float)(b - a) * step_s)) : (lmb_vec3){0, 0, 0};
}

/// Cost of twist between hips and shoulders, and of walking in another direction than the body
/// faces.
static float heading_cost(const lmbi_trail *t, uint32_t m, const lmb_vec3 *body)
{
    const lmb_vec3 hips = lmb_vec3_sub(body[LMBI_HIP], body[LMBI_HIP + 1]),
                   shoulders = lmb_vec3_sub(body[0], body[1]), velocity = hips_velocity(t, m);
    const float twist = lmb_atan2(hips.x * shoulders.z - hips.z * shoulders.x,
                                  hips.x * shoulders.x + hips.z * shoulders.z);
    const frame f = body_frame(t, body);
    const float speed = lmb_vec3_length(velocity);
    float cost = square(twist / 0.3f);
    if (speed > 0.3f) {
        cost += 1.5f * fminf(speed, 1) * (1 - lmb_vec3_dot(velocity, f.front) / speed);
    }
    return cost;
}

/// Forward swing of a bone from hanging straight down, radians.
static float swing_angle(const frame *f, lmb_vec3 bone)
{
    return lmb_atan2(lmb_vec3_dot(bone, f->front), -lmb_vec3_dot(bone, f->up));
}

float lmbi_trail_prior(const lmbi_trail *t, uint32_t sample, const lmb_vec3 *points)
{
    static const lmb_vec3 down = {0, -1, 0};
    const frame f = body_frame(t, points);
    float cost = heading_cost(t, sample, points), swings[LMBI_LIMBS] = {0};
    bool whole = true;
    for (int limb = 0; limb < LMBI_LIMBS; ++limb) {
        const int root = lmbi_limb_root(limb);
        const float side = (limb & 1) == 0 ? 1.0f : -1.0f;
        const lmb_vec3 upper =
            lmb_vec3_normalize_or(lmb_vec3_sub(points[root + 2], points[root]), down);
        const lmb_vec3 lower =
            lmb_vec3_normalize_or(lmb_vec3_sub(points[root + 4], points[root + 2]), upper);
        swings[limb] = swing_angle(&f, upper);
        if (t->seen[root + 2] && t->seen[root + 4]) {
            cost += limb < 2 ? arm_cost(&f, side, upper, lower) : leg_cost(&f, side, upper, lower);
        } else {
            whole = false;
        }
    }
    // Arms swing opposite to the legs, which balances angular momentum about the vertical.
    const float imbalance = swings[0] - swings[1] + 0.6f * (swings[2] - swings[3]);
    return cost + (whole ? fminf(square(imbalance / SWING_SPREAD), 6) : 0);
}

/// Each limb contributes the cost of its best state.
static float trunk_cost(const lmbi_trail *t, uint32_t m, const lmb_vec3 *body)
{
    float cost = heading_cost(t, m, body);
    for (int limb = 0; limb < LMBI_LIMBS; ++limb) {
        const int root = lmbi_limb_root(limb);
        if (t->seen[root + 2] && t->seen[root + 4]) {
            candidates c;
            limb_states(t, m, limb, body, &c);
            cost += fminf(fminf(fminf(c.cost[0], c.cost[1]), fminf(c.cost[2], c.cost[3])), 12);
        }
    }
    return cost;
}

static void place_trunk(const lmbi_trail *t, uint32_t m, int state, lmb_vec3 *body)
{
    place_pair(t->rays[m] + LMBI_HIP, t->depth[m], t->length[LMBI_HIP], state & 1, body + LMBI_HIP);
    place_pair(t->rays[m], t->depth[m], t->length[0], state >> 1, body);
}

bool lmbi_trail_choose_trunk(lmbi_trail *t)
{
    lmbi_arena *arena = t->lift->arena;
    candidates *list = lmbi_arena_array(arena, t->count, sizeof *list);
    uint8_t *path = lmbi_arena_array(arena, t->count, 1);
    if (list == NULL || path == NULL) {
        return false;
    }
    for (uint32_t m = 0; m < t->count; ++m) {
        for (int s = 0; s < STATES; ++s) {
            lmb_vec3 body[LMBI_TRAIL_POINTS] = {{0, 0, 0}};
            place_trunk(t, m, s, body);
            list[m].cost[s] = trunk_cost(t, m, body);
            list[m].points[s] = (pair){
                {lmb_vec3_sub(body[LMBI_HIP], body[LMBI_HIP + 1]), lmb_vec3_sub(body[0], body[1])}};
        }
    }
    const chain search = {.parts = {list},
                          .part_count = 1,
                          .cuts = t->cuts,
                          .count = t->count,
                          .step_s = (float)t->step / t->lift->rate,
                          .acceleration = {TRUNK_ACCELERATION, TRUNK_ACCELERATION}};
    if (!find_cheapest_path(&search, arena, path)) {
        return false;
    }
    for (uint32_t m = 0; m < t->count; ++m) {
        place_trunk(t, m, path[m], t->points[m]);
    }
    return true;
}

/// Candidates of a limb at all samples, relative to its root.
static void list_limb_states(const lmbi_trail *t, int limb, candidates *list, lmb_vec3 *roots)
{
    for (uint32_t m = 0; m < t->count; ++m) {
        limb_states(t, m, limb, t->points[m], &list[m]);
        roots[m] = t->points[m][lmbi_limb_root(limb)];
        for (int s = 0; s < STATES; ++s) {
            for (int p = 0; p < 2; ++p) {
                list[m].points[s].at[p] = lmb_vec3_sub(list[m].points[s].at[p], roots[m]);
            }
        }
    }
}

bool lmbi_trail_choose_limbs(lmbi_trail *t, int limb)
{
    lmbi_arena *arena = t->lift->arena;
    candidates *lists[2] = {lmbi_arena_array(arena, t->count, sizeof(candidates)),
                            lmbi_arena_array(arena, t->count, sizeof(candidates))};
    lmb_vec3 *roots[2] = {lmbi_arena_array(arena, t->count, sizeof(lmb_vec3)),
                          lmbi_arena_array(arena, t->count, sizeof(lmb_vec3))};
    uint8_t *path = lmbi_arena_array(arena, t->count, 1);
    if (lists[0] == NULL || lists[1] == NULL || roots[0] == NULL || roots[1] == NULL ||
        path == NULL) {
        return false;
    }
    chain search = {.parts = {lists[0], lists[1]},
                    .part_count = limb < 2 ? 1 : 2,
                    .cuts = t->cuts,
                    .count = t->count,
                    .step_s = (float)t->step / t->lift->rate,
                    .acceleration = {limb < 2 ? ELBOW_ACCELERATION : KNEE_ACCELERATION,
                                     limb < 2 ? WRIST_ACCELERATION : ANKLE_ACCELERATION}};
    for (uint32_t part = 0; part < search.part_count; ++part) {
        list_limb_states(t, limb + (int)part, lists[part], roots[part]);
        search.roots[part] = limb < 2 ? NULL : roots[part];
    }
    if (!find_cheapest_path(&search, arena, path)) {
        return false;
    }
    for (uint32_t m = 0; m < t->count; ++m) {
        for (uint32_t part = 0; part < search.part_count; ++part) {
            const int root = lmbi_limb_root(limb + (int)part);
            const pair *p = &lists[part][m].points[path[m] / (part == 0 ? 1 : STATES) % STATES];
            t->points[m][root + 2] = lmb_vec3_add(roots[part][m], p->at[0]);
            t->points[m][root + 4] = lmb_vec3_add(roots[part][m], p->at[1]);
        }
    }
    return true;
}
