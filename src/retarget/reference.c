/// Chooses the reference pose.
///
/// A rest pose need not stand upright: in LAFAN1's BVH files every bone points along one axis, some
/// exporters write the first frame, some skeletons lie on their back. Each candidate is scored in
/// the body's own axes (up from hips to neck, left across hips and shoulders): legs straight and
/// down, arms straight and in the body's plane, feet forward. The first that stands is chosen.
#include "math/math.h"
#include "retarget/body.h"
#include "retarget/hands_figure.h"

#include <math.h>
#include <string.h>

#include "math/scalar.h"

#define STANDS 0.45f      ///< greatest mean cost of a standing pose, radians
#define LEANS 0.6f        ///< greatest lean of a standing trunk, radians
#define FRAMES_TRIED 400u ///< frames of a clip that are scored, evenly spaced
#define LIFTED 0.25f      ///< height of feet that stand on no ground, in heights of the hips
#define SNAP_COSINE 0.90f ///< directions within 26 degrees of an axis are snapped to it

typedef struct frame_axes {
    lmb_vec3 left, up, forward;
    bool valid;
} frame_axes;

static lmb_vec3 position(const lmbi_humanoid *body, const lmb_transform *pose, int bone)
{
    return pose[lmbi_joint(body, bone)].translation;
}

static float angle(lmb_vec3 a, lmb_vec3 b)
{
    return lmbi_acos(lmb_vec3_dot(a, b));
}

/// Up from hips to shoulders, left across hips and shoulders.
static frame_axes body_axes(const lmbi_humanoid *body, const lmb_transform *pose)
{
    frame_axes axes = {.valid = false};
    lmb_vec3 left = lmb_vec3_sub(position(body, pose, LMB_HUMAN_LEFT_UPPER_LEG),
                                 position(body, pose, LMB_HUMAN_RIGHT_UPPER_LEG));
    const lmb_vec3 pelvis = lmb_vec3_lerp(position(body, pose, LMB_HUMAN_LEFT_UPPER_LEG),
                                          position(body, pose, LMB_HUMAN_RIGHT_UPPER_LEG), 0.5f);
    lmb_vec3 top;
    if (lmbi_has_bone(body, LMB_HUMAN_LEFT_UPPER_ARM) &&
        lmbi_has_bone(body, LMB_HUMAN_RIGHT_UPPER_ARM)) {
        const lmb_vec3 a = position(body, pose, LMB_HUMAN_LEFT_UPPER_ARM),
                       b = position(body, pose, LMB_HUMAN_RIGHT_UPPER_ARM);
        left = lmb_vec3_add(lmb_vec3_normalize_or(left, left),
                            lmb_vec3_normalize_or(lmb_vec3_sub(a, b), left));
        top = lmb_vec3_lerp(a, b, 0.5f);
    } else if (lmbi_has_bone(body, LMB_HUMAN_HEAD)) {
        top = position(body, pose, LMB_HUMAN_HEAD);
    } else if (!lmbi_has_bone(body, LMB_HUMAN_LEFT_LOWER_LEG)) {
        return axes;
    } else {
        top = lmb_vec3_sub(lmb_vec3_scale(pelvis, 2.0f),
                           lmb_vec3_lerp(position(body, pose, LMB_HUMAN_LEFT_LOWER_LEG),
                                         position(body, pose, LMB_HUMAN_RIGHT_LOWER_LEG), 0.5f));
    }
    const lmb_vec3 zero = {0, 0, 0};
    axes.up = lmb_vec3_normalize_or(lmb_vec3_sub(top, pelvis), zero);
    axes.left =
        lmb_vec3_normalize_or(lmb_vec3_mad(left, axes.up, -lmb_vec3_dot(left, axes.up)), zero);
    axes.forward = lmb_vec3_cross(axes.left, axes.up);
    axes.valid = lmb_vec3_dot(axes.forward, axes.forward) > 0.5f;
    return axes;
}

/// Deviation of a leg from a straight line along `down`, with a tolerance for splayed legs.
static float leg_cost(const lmbi_humanoid *body, const lmb_transform *pose, int first,
                      lmb_vec3 down)
{
    if (!lmbi_has_bone(body, first + 1)) {
        return 0.0f;
    }
    const lmb_vec3 hip = position(body, pose, first), knee = position(body, pose, first + 1);
    const lmb_vec3 thigh = lmb_vec3_normalize_or(lmb_vec3_sub(knee, hip), lmb_vec3_neg(down));
    float cost = 1.5f * lmbi_excessf(angle(thigh, down), 0.4f);
    if (lmbi_has_bone(body, first + 2)) {
        const lmb_vec3 shin = lmb_vec3_normalize_or(
            lmb_vec3_sub(position(body, pose, first + 2), knee), lmb_vec3_neg(down));
        cost += 1.5f * lmbi_excessf(angle(shin, thigh), 0.12f);
    }
    return cost;
}

static float arm_cost(const lmbi_humanoid *body, const lmb_transform *pose, int first,
                      const frame_axes *axes, float side)
{
    if (!lmbi_has_bone(body, first) || !lmbi_has_bone(body, first + 1)) {
        return 0.0f;
    }
    const lmb_vec3 elbow = position(body, pose, first + 1), zero = {0, 0, 0};
    const lmb_vec3 upper =
        lmb_vec3_normalize_or(lmb_vec3_sub(elbow, position(body, pose, first)), zero);
    // Free between hanging and level: sideways or down, not forward, backward or raised.
    float cost = lmbi_excessf(fabsf(lmbi_asin(lmb_vec3_dot(upper, axes->forward))), 0.2f);
    cost += lmbi_excessf(-side * lmb_vec3_dot(upper, axes->left), 0.15f) +
            lmbi_excessf(lmb_vec3_dot(upper, axes->up), 0.25f);
    if (lmbi_has_bone(body, first + 2)) {
        const lmb_vec3 fore =
            lmb_vec3_normalize_or(lmb_vec3_sub(position(body, pose, first + 2), elbow), zero);
        cost += lmbi_excessf(angle(fore, upper), 0.25f);
    }
    return cost;
}

static float foot_cost(const lmbi_humanoid *body, const lmb_transform *pose, int foot,
                       const frame_axes *axes)
{
    if (!lmbi_has_bone(body, foot) || !lmbi_has_bone(body, foot + 1)) {
        return 0.0f;
    }
    const lmb_vec3 segment =
                       lmb_vec3_sub(position(body, pose, foot + 1), position(body, pose, foot)),
                   zero = {0, 0, 0};
    const lmb_vec3 flat = lmb_vec3_normalize_or(
        lmb_vec3_mad(segment, axes->up, -lmb_vec3_dot(segment, axes->up)), zero);
    const lmb_vec3 direction = lmb_vec3_normalize_or(segment, zero);
    return lmbi_excessf(angle(flat, axes->forward), 0.6f) +
           lmbi_excessf(fabsf(lmbi_asin(lmb_vec3_dot(direction, axes->up))), 1.0f);
}

/// Mean deviation from standing, about in radians; 100 for poses without body axes.
static float pose_cost(const lmbi_humanoid *body, const lmb_transform *pose)
{
    const frame_axes axes = body_axes(body, pose);
    if (!axes.valid) {
        return 100.0f;
    }
    const lmb_vec3 down = lmb_vec3_neg(axes.up);
    float cost = leg_cost(body, pose, LMB_HUMAN_LEFT_UPPER_LEG, down) +
                 leg_cost(body, pose, LMB_HUMAN_RIGHT_UPPER_LEG, down);
    cost += arm_cost(body, pose, LMB_HUMAN_LEFT_UPPER_ARM, &axes, 1.0f) +
            arm_cost(body, pose, LMB_HUMAN_RIGHT_UPPER_ARM, &axes, -1.0f);
    cost += foot_cost(body, pose, LMB_HUMAN_LEFT_FOOT, &axes) +
            foot_cost(body, pose, LMB_HUMAN_RIGHT_FOOT, &axes);
    return cost / 4.0f;
}

static void rest_pose(const lmbi_humanoid *body, lmb_transform *pose)
{
    for (uint32_t j = 0; j < body->count; ++j) {
        const int32_t parent = body->skeleton->parents[j];
        pose[j] = parent < 0 ? body->skeleton->rest[j]
                             : lmb_transform_mul(pose[parent], body->skeleton->rest[j]);
    }
}

/// The pose that skins were bound in: its rotations with the rest pose's bone lengths. False
/// without skins.
static bool bind_pose(const lmbi_humanoid *body, lmb_transform *pose, lmb_quat *bound,
                      bool *is_bound)
{
    bool any = false;
    memset(is_bound, 0, body->count * sizeof(*is_bound));
    for (uint32_t s = 0; s < body->character->skin_count; ++s) {
        const lmb_skin *skin = body->character->skins[s];
        for (uint32_t k = 0; k < skin->joint_count && !skin->bind_was_missing; ++k) {
            lmb_mat4 model_from_joint;
            lmb_transform t;
            if (lmb_mat4_inverse_affine(skin->joint_from_bind[k], &model_from_joint) &&
                lmb_mat4_decompose(model_from_joint, &t) < 0.05f && !is_bound[skin->joints[k]]) {
                bound[skin->joints[k]] = t.rotation;
                is_bound[skin->joints[k]] = true;
                any = true;
            }
        }
    }
    for (uint32_t j = 0; j < body->count; ++j) {
        const int32_t parent = body->skeleton->parents[j];
        lmb_transform local = body->skeleton->rest[j];
        if (is_bound[j]) {
            const lmb_quat above = parent < 0 ? lmb_quat_identity() : pose[parent].rotation;
            local.rotation = lmb_quat_normalize(lmb_quat_mul(lmb_quat_conjugate(above), bound[j]));
        }
        pose[j] = parent < 0 ? local : lmb_transform_mul(pose[parent], local);
    }
    return any;
}

static lmb_vec3 snap(lmb_vec3 v)
{
    const lmb_vec3 a = {fabsf(v.x), fabsf(v.y), fabsf(v.z)};
    if (a.x >= SNAP_COSINE) {
        return lmb_vec3_make(v.x > 0 ? 1.0f : -1.0f, 0, 0);
    }
    if (a.y >= SNAP_COSINE) {
        return lmb_vec3_make(0, v.y > 0 ? 1.0f : -1.0f, 0);
    }
    return a.z >= SNAP_COSINE ? lmb_vec3_make(0, 0, v.z > 0 ? 1.0f : -1.0f) : v;
}

/// Rotation of a pose to stand along +Y facing +Z. `upright`: its space has +Y up already, as
/// frames of a motion have.
static lmb_quat upright_rotation(const frame_axes *axes, bool upright)
{
    const lmb_vec3 y = {0, 1, 0}, z = {0, 0, 1};
    const lmb_vec3 up = upright ? y : snap(axes->up);
    lmb_vec3 forward = lmb_vec3_mad(axes->forward, up, -lmb_vec3_dot(axes->forward, up));
    forward = snap(lmb_vec3_normalize_or(forward, z));
    forward = lmb_vec3_normalize_or(lmb_vec3_mad(forward, up, -lmb_vec3_dot(forward, up)), z);
    const lmb_quat upright_frame = lmb_quat_from_axes(lmb_vec3_cross(up, forward), up, forward);
    return lmb_quat_conjugate(upright_frame);
}

static void set_reference(lmbi_humanoid *body, const lmb_transform *pose, bool upright)
{
    const frame_axes axes = body_axes(body, pose);
    const lmb_quat rotation = axes.valid ? upright_rotation(&axes, upright) : lmb_quat_identity();
    const lmb_transform upright_from_pose = {{0, 0, 0}, rotation, {1, 1, 1}};
    // Multiplying by the identity would round: it is skipped.
    const bool same = fabsf(rotation.w) > 0.9999999f;
    for (uint32_t j = 0; j < body->count; ++j) {
        body->reference[j] = same ? pose[j] : lmb_transform_mul(upright_from_pose, pose[j]);
    }
}

/// Lowers `low` to the lowest of the skin in the reference pose. False when out of memory.
static bool lower_to_skin(const lmbi_humanoid *body, lmbi_arena *arena, float *low)
{
    lmb_vec3 *points;
    int32_t *joints;
    uint32_t count;
    if (!lmbi_girth_skin(body, arena, &points, &joints, &count)) {
        return false;
    }
    for (uint32_t v = 0; v < count; ++v) {
        *low = fminf(*low, points[v].y);
    }
    return true;
}

/// Finds whether heights of the reference pose are unusable: what is lowest, the skin or else a
/// joint, is not near y = 0, measured against the hips' height. False when out of memory.
static bool find_lifted(lmbi_humanoid *body, lmbi_arena *arena)
{
    float low = body->reference[lmbi_joint(body, LMB_HUMAN_HIPS)].translation.y;
    const float hips = low;
    for (int bone = LMB_HUMAN_LEFT_UPPER_LEG; bone <= LMB_HUMAN_RIGHT_TOES; ++bone) {
        if (lmbi_has_bone(body, bone)) {
            low = fminf(low, lmbi_reference_at(body, bone).y);
        }
    }
    body->lifted = fabsf(low) > LIFTED * (hips - low);
    if (!body->lifted) {
        return true;
    }
    // Joints of feet as thick as the legs are long lie high above a sole on the ground.
    const bool measured = lower_to_skin(body, arena, &low);
    body->lifted = fabsf(low) > LIFTED * (hips - low);
    return measured;
}

static uint32_t best_frame(const lmbi_humanoid *body, const lmbi_motion *motion, float *cost)
{
    const uint32_t step = (motion->frame_count + FRAMES_TRIED - 1) / FRAMES_TRIED;
    uint32_t best = 0;
    *cost = 1e30f;
    for (uint32_t f = 0; f<motion->frame_count; f += step> 0 ? step : 1) {
        const lmb_transform *pose = motion->model + (size_t)f * body->count;
        const frame_axes axes = body_axes(body, pose);
        const lmb_vec3 y = {0, 1, 0};
        // Lying or bent trunks make no rest pose.
        if (!axes.valid || angle(axes.up, y) > LEANS) {
            continue;
        }
        // Prefer the first frame: it often is the calibration pose.
        const float c = pose_cost(body, pose) + angle(axes.up, y) + (f == 0 ? -0.1f : 0.0f);
        if (c < *cost) {
            *cost = c;
            best = f;
        }
    }
    return best;
}

bool lmbi_reference_choose(lmbi_humanoid *body, const lmbi_motion *motion, lmbi_arena *arena)
{
    lmb_transform *rest = lmbi_arena_array(arena, body->count, sizeof(*rest));
    lmb_transform *bind = lmbi_arena_array(arena, body->count, sizeof(*bind));
    lmb_quat *bound = lmbi_arena_array(arena, body->count, sizeof(*bound));
    bool *is_bound = lmbi_arena_array(arena, body->count, sizeof(*is_bound));
    if (rest == NULL || bind == NULL || bound == NULL || is_bound == NULL) {
        return false;
    }
    rest_pose(body, rest);
    const float rest_cost = pose_cost(body, rest);
    const bool has_bind = bind_pose(body, bind, bound, is_bound);
    const float bind_cost = has_bind ? pose_cost(body, bind) : 100.0f;
    float frame_cost = 100.0f;
    const uint32_t frame = motion != NULL && rest_cost > STANDS && bind_cost > STANDS
                               ? best_frame(body, motion, &frame_cost)
                               : 0;
    if (frame_cost < rest_cost && frame_cost < bind_cost) {
        body->reference_kind = LMB_REFERENCE_FRAME;
        body->reference_frame = frame;
        set_reference(body, motion->model + (size_t)frame * body->count, true);
        body->lifted = true;
        return true;
    }
    // The bind pose must be clearly better, because clips are keyed against the rest pose.
    const bool use_bind = bind_cost + 0.1f < rest_cost;
    body->reference_kind = use_bind ? LMB_REFERENCE_BIND : LMB_REFERENCE_REST;
    set_reference(body, use_bind ? bind : rest, false);
    return find_lifted(body, arena);
}
