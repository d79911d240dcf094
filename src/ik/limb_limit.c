/// Limbs and aims inside joint limits. A goal at a distance fixes how far the mid joint bends, and
/// a direction fixes the start joint but for one angle, the roll about the line to the goal: a
/// search along that angle finds every answer there is.
#include "ik/limb_limit.h"

#define REACHED 4e-6f ///< between unit vectors
#define ROUNDS 4
#define SAMPLES 24 ///< a half turn of roll in steps of 7.5 degrees

typedef float miss_at(void *user, float angle);

/// The first angle of an interval that is good enough, from `bad` to `good`.
static float edge(miss_at *miss, void *user, float bad, float good)
{
    for (int i = 0; i < 14; ++i) {
        const float half = 0.5f * (bad + good);
        if (miss(user, half) <= REACHED) {
            good = half;
        } else {
            bad = half;
        }
    }
    return good;
}

/// Golden section around a sample.
static float lowest(miss_at *miss, void *user, float low, float high)
{
    const float golden = 0.618034f;
    float a = high - golden * (high - low), b = low + golden * (high - low);
    float at_a = miss(user, a), at_b = miss(user, b);
    for (int i = 0; i < 26; ++i) {
        if (at_a <= at_b) {
            high = b;
            b = a;
            at_b = at_a;
            a = high - golden * (high - low);
            at_a = miss(user, a);
        } else {
            low = a;
            a = b;
            at_a = at_b;
            b = low + golden * (high - low);
            at_b = miss(user, b);
        }
    }
    return at_a <= at_b ? a : b;
}

/// The angle nearest to 0 where nothing is missed, else the one where least is.
static float nearest_angle(miss_at *miss, void *user)
{
    const float step = LMB_PI / SAMPLES;
    float best = 0.0f, least = miss(user, 0.0f);
    if (least <= REACHED) {
        return 0.0f;
    }
    for (int k = 1; k <= SAMPLES; ++k) {
        for (int side = -1; side <= 1; side += 2) {
            const float angle = (float)(side * k) * step, left = miss(user, angle);
            if (left <= REACHED) {
                return edge(miss, user, angle - (float)side * step, angle);
            }
            best = left < least ? angle : best;
            least = left < least ? left : least;
        }
    }
    const float refined = lowest(miss, user, best - step, best + step);
    return miss(user, refined) < least ? refined : best;
}

// --------------------------------------------------------------------------------------- the roll

typedef struct roll {
    const lmb_joint_limit *limit;
    lmb_transform rest;
    lmb_vec3 tip, toward;
    lmb_quat from, held;
} roll;

static float roll_miss(void *user, float angle)
{
    roll *r = user;
    const lmb_quat wanted = lmbi_turn_mul(lmb_quat_axis_angle(r->toward, angle), r->from);
    r->held = lmbi_turn_within(r->limit, r->rest, lmbi_turn_unit(wanted));
    return lmb_vec3_distance(lmbi_turn_vector(r->held, r->tip), r->toward);
}

float lmbi_roll_within(const lmb_joint_limit *limit, lmb_transform rest, lmb_vec3 tip,
                       lmb_vec3 toward, lmb_quat *rotation)
{
    if (limit->kind == LMB_JOINT_FREE) {
        return 0.0f;
    }
    roll r = {limit, rest, tip, toward, *rotation, *rotation};
    const float miss = roll_miss(&r, nearest_angle(roll_miss, &r));
    *rotation = r.held;
    return miss;
}

// ---------------------------------------------------------------------------------- the mid joint

/// What bends the mid joint: the lower bone in the start joint's frame is frame * turn * lower.
typedef struct bend {
    const lmb_joint_limit *limit;
    lmb_transform rest;
    const lmbi_two_bone_limb *limb;
    lmb_vec3 upper; ///< in the frame of the mid joint's parent
    lmb_vec3 axis;  ///< of a ball that bends, there
    float length;
    lmb_quat held;
} bend;

static float length_with(const bend *b, lmb_quat mid)
{
    return lmb_vec3_length(lmb_vec3_add(b->upper, lmbi_turn_vector(mid, b->limb->lower)));
}

static float bend_miss(void *user, float angle)
{
    bend *b = user;
    const lmb_quat wanted = lmbi_turn_mul(lmb_quat_axis_angle(b->axis, angle), b->limb->mid);
    b->held = lmbi_turn_within(b->limit, b->rest, lmbi_turn_unit(wanted));
    return fabsf(length_with(b, b->held) - b->limb->distance) / b->length;
}

/// About a hinge at the angle x, d^2 = u^2 + l^2 + 2 (p + B cos x + C sin x): at most two angles
/// for a distance. Where the range has neither, an end of it comes nearest. Returns how many
/// rotations there are to try, the better ones first.
static uint32_t hinge_bends(const bend *b, lmb_quat out[2])
{
    const lmb_vec3 axis = b->limit->axis, lower = b->limb->lower;
    const lmb_vec3 upper = lmbi_turn_vector(lmb_quat_conjugate(b->rest.rotation), b->upper);
    const float p = lmb_vec3_dot(upper, axis) * lmb_vec3_dot(lower, axis);
    const float cosine = lmb_vec3_dot(upper, lower) - p,
                sine = lmb_vec3_dot(axis, lmb_vec3_cross(lower, upper));
    const float d = b->limb->distance, whole = sqrtf(cosine * cosine + sine * sine);
    const float rise = 0.5f * (d * d - lmb_vec3_dot(upper, upper) - lmb_vec3_dot(lower, lower)) - p;
    const float share = whole > 1e-30f ? rise / whole : 1.0f;
    const float open = lmb_acos(share < -1.0f ? -1.0f : (share > 1.0f ? 1.0f : share)),
                middle = lmb_atan2(sine, cosine);
    const float tries[4] = {middle + open, middle - open, b->limit->twist_min_rad,
                            b->limit->twist_max_rad};
    float miss[2] = {INFINITY, INFINITY};
    for (int i = 0; i < 4; ++i) {
        const lmb_quat turn = lmbi_turn_mul(b->rest.rotation, lmb_quat_axis_angle(axis, tries[i]));
        const lmb_quat held = lmbi_turn_within(b->limit, b->rest, lmbi_turn_unit(turn));
        // Of two that fit the one that turns the mid joint least goes first.
        const float off = fabsf(length_with(b, held) - d) / b->length,
                    far = lmb_quat_angle(held, b->limb->mid),
                    left = (off > 1e-5f ? off : 0.0f) + 1e-6f * far;
        const int at = left < miss[0] ? 0 : (left < miss[1] ? 1 : 2);
        if (at == 0) {
            miss[1] = miss[0];
            out[1] = out[0];
        }
        if (at < 2) {
            miss[at] = left;
            out[at] = held;
        }
    }
    return miss[1] < 1e-5f ? 2 : 1;
}

static uint32_t mid_bends(bend *b, lmb_quat out[2])
{
    if (b->limit->kind == LMB_JOINT_HINGE) {
        return hinge_bends(b, out);
    }
    const lmb_vec3 lower = lmbi_turn_vector(b->limb->mid, b->limb->lower);
    const lmb_vec3 normal = lmb_vec3_cross(b->upper, lower);
    b->axis = lmb_vec3_normalize_or(
        normal, lmbi_perpendicular(lmb_vec3_normalize_or(b->upper, lmb_vec3_make(0, 1, 0))));
    (void)bend_miss(b, b->limit->kind == LMB_JOINT_BALL ? nearest_angle(bend_miss, b) : 0.0f);
    out[0] = b->held;
    return 1;
}

// --------------------------------------------------------------------------------------- the limb

/// The start joint's rotation for a bend: the end on the line to the goal, the mid joint on the
/// side where it was.
static lmb_quat start_for(const lmbi_two_bone_limb *limb, lmb_vec3 tip)
{
    const lmb_vec3 way = lmbi_turn_vector(limb->start, tip);
    lmb_quat q = lmbi_turn_mul(lmbi_turn_between(way, limb->toward), limb->start);
    const lmb_vec3 side = lmbi_turn_vector(limb->start, limb->upper);
    const lmb_vec3 across = lmb_vec3_cross(side, limb->toward);
    if (lmb_vec3_dot(across, across) > 1e-8f * lmb_vec3_dot(side, side)) {
        q = lmbi_turn_mul(lmbi_turn_about(limb->toward, lmbi_turn_vector(q, limb->upper), side), q);
    }
    return lmbi_turn_unit(q);
}

/// Both joints for the limb's distance, from among the bends that have it; in `cosine` that of the
/// angle left at the start joint.
static void hold_at(const lmb_joint_limit *start, lmb_transform start_rest, bend *b,
                    lmbi_two_bone_limb *out, float *cosine)
{
    const lmbi_two_bone_limb *limb = b->limb;
    lmb_quat bends[2];
    const uint32_t count = mid_bends(b, bends);
    float least = INFINITY;
    for (uint32_t i = 0; i < count && !(least <= REACHED); ++i) {
        const lmb_vec3 tip = lmb_vec3_add(
            limb->upper, lmbi_turn_vector(limb->between, lmbi_turn_vector(bends[i], limb->lower)));
        const lmb_vec3 unit =
            lmb_vec3_normalize_or(tip, lmb_vec3_normalize_or(limb->upper, lmb_vec3_make(0, 1, 0)));
        lmb_quat turned = start_for(limb, unit);
        const float miss = lmbi_roll_within(start, start_rest, unit, limb->toward, &turned);
        if (i == 0 || miss < least) {
            least = miss;
            out->start = turned;
            out->mid = bends[i];
        }
    }
    *cosine = 1.0f - 0.5f * least * least;
}

static float end_miss(const lmbi_two_bone_limb *limb, const lmbi_two_bone_limb *held)
{
    const lmb_vec3 tip = lmb_vec3_add(
        limb->upper, lmbi_turn_vector(limb->between, lmbi_turn_vector(held->mid, limb->lower)));
    return lmb_vec3_distance(lmbi_turn_vector(held->start, tip),
                             lmb_vec3_scale(limb->toward, limb->distance));
}

/// Where the start joint cannot point to the goal, the point nearest to it on the line it can point
/// along is less far away.
void lmbi_limb_hold(const lmb_joint_limit *start, lmb_transform start_rest,
                    const lmb_joint_limit *mid, lmb_transform mid_rest, lmbi_two_bone_limb *limb)
{
    const lmbi_two_bone_limb goal = *limb;
    lmbi_two_bone_limb aimed = goal, held = goal;
    bend b = {.limit = mid, .rest = mid_rest, .limb = &aimed};
    b.upper = lmbi_turn_vector(lmb_quat_conjugate(limb->between), limb->upper);
    b.length = lmb_vec3_length(limb->upper) + lmb_vec3_length(limb->lower);
    float least = INFINITY, cosine = 1.0f;
    for (int round = 0; round < ROUNDS; ++round) {
        aimed.distance = goal.distance * (cosine > 0.0f ? cosine : 0.0f);
        hold_at(start, start_rest, &b, &held, &cosine);
        const float left = end_miss(&goal, &held);
        if (round == 0 || left < least) {
            least = left;
            limb->start = held.start;
            limb->mid = held.mid;
        }
        if (cosine > 0.999999f) {
            return;
        }
    }
}
