/// Limbs and aims inside joint limits. The goal's distance determines the bend of the mid joint;
/// its direction determines the start joint but for the roll about the line to the goal. A search
/// over that angle covers all solutions.
#include "ik/limb_limit.h"
#include "math/math.h"

#define REACHED 4e-6f ///< distance of unit vectors
#define ROUNDS 4
#define SAMPLES 24 ///< of 180 degrees: steps of 7.5

typedef float error_function(void *user, float angle);

/// Bisects for the first acceptable angle between `bad` and `good`.
static float bisect_edge(error_function *error, void *user, float bad, float good)
{
    for (int i = 0; i < 14; ++i) {
        const float half = 0.5f * (bad + good);
        if (error(user, half) <= REACHED) {
            good = half;
        } else {
            bad = half;
        }
    }
    return good;
}

/// Golden-section minimum of an interval.
static float golden_section(error_function *error, void *user, float low, float high)
{
    const float golden = 0.618034f;
    float a = high - golden * (high - low), b = low + golden * (high - low);
    float at_a = error(user, a), at_b = error(user, b);
    for (int i = 0; i < 26; ++i) {
        if (at_a <= at_b) {
            high = b;
            b = a;
            at_b = at_a;
            a = high - golden * (high - low);
            at_a = error(user, a);
        } else {
            low = a;
            a = b;
            at_a = at_b;
            b = low + golden * (high - low);
            at_b = error(user, b);
        }
    }
    return at_a <= at_b ? a : b;
}

/// The acceptable angle nearest to 0, or the one with the least error.
static float nearest_angle(error_function *error, void *user)
{
    const float step = LMB_PI / SAMPLES;
    float best = 0.0f, least = error(user, 0.0f);
    if (least <= REACHED) {
        return 0.0f;
    }
    for (int k = 1; k <= SAMPLES; ++k) {
        for (int side = -1; side <= 1; side += 2) {
            const float angle = (float)(side * k) * step, left = error(user, angle);
            if (left <= REACHED) {
                return bisect_edge(error, user, angle - (float)side * step, angle);
            }
            best = left < least ? angle : best;
            least = left < least ? left : least;
        }
    }
    const float refined = golden_section(error, user, best - step, best + step);
    return error(user, refined) < least ? refined : best;
}

// --------------------------------------------------------------------------------------- the roll

typedef struct roll {
    const lmb_joint_limit *limit;
    lmb_transform rest;
    lmb_vec3 tip, toward;
    lmb_quat from, clamped;
} roll;

static float roll_error(void *user, float angle)
{
    roll *r = user;
    const lmb_quat wanted = lmbi_quat_mul(lmb_quat_axis_angle(r->toward, angle), r->from);
    r->clamped = lmbi_clamp_rotation(r->limit, r->rest, lmbi_quat_unit_or_identity(wanted));
    return lmb_vec3_distance(lmbi_quat_rotate(r->clamped, r->tip), r->toward);
}

float lmbi_roll_within(const lmb_joint_limit *limit, lmb_transform rest, lmb_vec3 tip,
                       lmb_vec3 toward, lmb_quat *rotation)
{
    if (limit->kind == LMB_JOINT_FREE) {
        return 0.0f;
    }
    roll r = {limit, rest, tip, toward, *rotation, *rotation};
    const float error = roll_error(&r, nearest_angle(roll_error, &r));
    *rotation = r.clamped;
    return error;
}

// ---------------------------------------------------------------------------------- the mid joint

/// State of the mid joint's bend: the lower bone in the frame of the mid joint's parent is mid *
/// lower.
typedef struct bend {
    const lmb_joint_limit *limit;
    lmb_transform rest;
    const lmbi_two_bone_limb *limb;
    lmb_vec3 upper; ///< in the frame of the mid joint's parent
    lmb_vec3 axis;  ///< bend axis of a ball joint, in the same frame
    float length;
    lmb_quat clamped;
} bend;

static float length_with(const bend *b, lmb_quat mid)
{
    return lmb_vec3_length(lmb_vec3_add(b->upper, lmbi_quat_rotate(mid, b->limb->lower)));
}

static float bend_error(void *user, float angle)
{
    bend *b = user;
    const lmb_quat wanted = lmbi_quat_mul(lmb_quat_axis_angle(b->axis, angle), b->limb->mid);
    b->clamped = lmbi_clamp_rotation(b->limit, b->rest, lmbi_quat_unit_or_identity(wanted));
    return fabsf(length_with(b, b->clamped) - b->limb->distance) / b->length;
}

/// Candidate rotations of a hinge. At the angle x, d^2 = u^2 + l^2 + 2 (p + B cos x + C sin x), so
/// at most two angles give a distance; where the range contains neither, one of its ends is
/// nearest. Returns how many candidates there are, best first.
static uint32_t hinge_bends(const bend *b, lmb_quat out[2])
{
    const lmb_vec3 axis = b->limit->axis, lower = b->limb->lower;
    const lmb_vec3 upper = lmbi_quat_rotate(lmb_quat_conjugate(b->rest.rotation), b->upper);
    const float p = lmb_vec3_dot(upper, axis) * lmb_vec3_dot(lower, axis);
    const float cosine = lmb_vec3_dot(upper, lower) - p,
                sine = lmb_vec3_dot(axis, lmb_vec3_cross(lower, upper));
    const float d = b->limb->distance, whole = sqrtf(cosine * cosine + sine * sine);
    const float rise = 0.5f * (d * d - lmb_vec3_dot(upper, upper) - lmb_vec3_dot(lower, lower)) - p;
    const float cosine_open = whole > 1e-30f ? rise / whole : 1.0f;
    const float open = lmbi_acos(cosine_open < -1.0f ? -1.0f
                                                     : (cosine_open > 1.0f ? 1.0f : cosine_open)),
                middle = lmb_atan2(sine, cosine);
    const float tries[4] = {middle + open, middle - open, b->limit->twist_min_rad,
                            b->limit->twist_max_rad};
    float error[2] = {INFINITY, INFINITY};
    for (int i = 0; i < 4; ++i) {
        const lmb_quat rotation =
            lmbi_quat_mul(b->rest.rotation, lmb_quat_axis_angle(axis, tries[i]));
        const lmb_quat clamped =
            lmbi_clamp_rotation(b->limit, b->rest, lmbi_quat_unit_or_identity(rotation));
        // Of two solutions, the one nearer to the unlimited rotation of the mid joint is first.
        const float off = fabsf(length_with(b, clamped) - d) / b->length,
                    far = lmb_quat_angle(clamped, b->limb->mid),
                    left = (off > 1e-5f ? off : 0.0f) + 1e-6f * far;
        const int at = left < error[0] ? 0 : (left < error[1] ? 1 : 2);
        if (at == 0) {
            error[1] = error[0];
            out[1] = out[0];
        }
        if (at < 2) {
            error[at] = left;
            out[at] = clamped;
        }
    }
    return error[1] < 1e-5f ? 2 : 1;
}

static uint32_t mid_bends(bend *b, lmb_quat out[2])
{
    if (b->limit->kind == LMB_JOINT_HINGE) {
        return hinge_bends(b, out);
    }
    const lmb_vec3 lower = lmbi_quat_rotate(b->limb->mid, b->limb->lower);
    const lmb_vec3 normal = lmb_vec3_cross(b->upper, lower);
    b->axis = lmb_vec3_normalize_or(
        normal, lmbi_perpendicular(lmb_vec3_normalize_or(b->upper, lmb_vec3_make(0, 1, 0))));
    (void)bend_error(b, b->limit->kind == LMB_JOINT_BALL ? nearest_angle(bend_error, b) : 0.0f);
    out[0] = b->clamped;
    return 1;
}

// --------------------------------------------------------------------------------------- the limb

/// Start joint rotation for a bend: puts the end on the line to the goal and keeps the side of the
/// mid joint.
static lmb_quat start_for(const lmbi_two_bone_limb *limb, lmb_vec3 tip)
{
    const lmb_vec3 direction = lmbi_quat_rotate(limb->start, tip);
    lmb_quat q = lmbi_quat_mul(lmbi_quat_between(direction, limb->toward), limb->start);
    const lmb_vec3 side = lmbi_quat_rotate(limb->start, limb->upper);
    const lmb_vec3 across = lmb_vec3_cross(side, limb->toward);
    if (lmb_vec3_dot(across, across) > 1e-8f * lmb_vec3_dot(side, side)) {
        q = lmbi_quat_mul(lmbi_quat_about(limb->toward, lmbi_quat_rotate(q, limb->upper), side), q);
    }
    return lmbi_quat_unit_or_identity(q);
}

/// Solves both joints for the limb's distance, choosing among its bends. `cosine` receives the
/// cosine of the start joint's remaining angle.
static void solve_at_distance(const lmb_joint_limit *start, lmb_transform start_rest, bend *b,
                              lmbi_two_bone_limb *out, float *cosine)
{
    const lmbi_two_bone_limb *limb = b->limb;
    lmb_quat bends[2];
    const uint32_t count = mid_bends(b, bends);
    float least = INFINITY;
    for (uint32_t i = 0; i < count && !(least <= REACHED); ++i) {
        const lmb_vec3 tip = lmb_vec3_add(
            limb->upper, lmbi_quat_rotate(limb->between, lmbi_quat_rotate(bends[i], limb->lower)));
        const lmb_vec3 unit =
            lmb_vec3_normalize_or(tip, lmb_vec3_normalize_or(limb->upper, lmb_vec3_make(0, 1, 0)));
        lmb_quat rotated = start_for(limb, unit);
        const float error = lmbi_roll_within(start, start_rest, unit, limb->toward, &rotated);
        if (i == 0 || error < least) {
            least = error;
            out->start = rotated;
            out->mid = bends[i];
        }
    }
    *cosine = 1.0f - 0.5f * least * least;
}

static float end_error(const lmbi_two_bone_limb *limb, const lmbi_two_bone_limb *clamped)
{
    const lmb_vec3 tip = lmb_vec3_add(
        limb->upper, lmbi_quat_rotate(limb->between, lmbi_quat_rotate(clamped->mid, limb->lower)));
    return lmb_vec3_distance(lmbi_quat_rotate(clamped->start, tip),
                             lmb_vec3_scale(limb->toward, limb->distance));
}

/// Where the start joint cannot point at the goal, the point of its line nearest to the goal is
/// closer by the cosine of the missing angle, so the distance is solved for again.
void lmbi_limb_clamp(const lmb_joint_limit *start, lmb_transform start_rest,
                     const lmb_joint_limit *mid, lmb_transform mid_rest, lmbi_two_bone_limb *limb)
{
    const lmbi_two_bone_limb goal = *limb;
    lmbi_two_bone_limb aimed = goal, clamped = goal;
    bend b = {.limit = mid, .rest = mid_rest, .limb = &aimed};
    b.upper = lmbi_quat_rotate(lmb_quat_conjugate(limb->between), limb->upper);
    b.length = lmb_vec3_length(limb->upper) + lmb_vec3_length(limb->lower);
    float least = INFINITY, cosine = 1.0f;
    for (int round = 0; round < ROUNDS; ++round) {
        aimed.distance = goal.distance * (cosine > 0.0f ? cosine : 0.0f);
        solve_at_distance(start, start_rest, &b, &clamped, &cosine);
        const float left = end_error(&goal, &clamped);
        if (round == 0 || left < least) {
            least = left;
            limb->start = clamped.start;
            limb->mid = clamped.mid;
        }
        if (cosine > 0.999999f) {
            return;
        }
    }
}
