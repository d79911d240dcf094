/// A joint in a person's hand: limbs follow by two bones, bodies as a whole, pins hold.
#include "live.h"
#include "live_exports.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// From here on a map is taken for a human's, as `limber ik` does.
static const float SURE = 0.7f;
/// Pull towards the pose that the drag began from: enough to decide what no goal does.
static const float REST_WEIGHT = 1e-6f;
/// Weights of goals; the point that the dragged joint is pulled to has 1.
static const struct {
    float pin_position; ///< high, so that pinned feet stay and the dragged joint lags out of reach
    float pin_rotation; ///< as for the feet that `limber ik` keeps
    /// Nothing else determines the rotation of dragged hips: without it they tip over when an ankle
    /// reaches its limit.
    float root_rotation;
    float root_rotation_other; ///< low, so that the trunk leans towards another dragged joint
} weights = {
    .pin_position = 30, .pin_rotation = 0.1f, .root_rotation = 0.1f, .root_rotation_other = 1e-2f};
enum { MOST_ITERATIONS = 30 };
/// The scratch of a solver grows with the square of the joints: its size, of so many, still fits 32
/// bits.
enum { MOST_JOINTS = 7000 };

// ------------------------------------------------------------------------------------------- body

bool live_is_human(const live_character *live)
{
    return live->drag.figure.map.confidence > SURE;
}

/// The three joints of a limb, each above the next.
typedef struct live_limb {
    uint32_t joints[3];
    bool is_leg;
} live_limb;

bool live_is_above(const lmb_skeleton *skeleton, int32_t above, int32_t joint)
{
    while (joint > above) {
        joint = skeleton->parents[joint];
    }
    return joint == above && above >= 0;
}

static bool limb_of_joints(const lmb_skeleton *skeleton, const int32_t joints[3], live_limb *out)
{
    if (joints[0] < 0 || joints[1] <= joints[0] || joints[2] <= joints[1] ||
        !live_is_above(skeleton, joints[0], joints[1]) ||
        !live_is_above(skeleton, joints[1], joints[2])) {
        return false;
    }
    for (int k = 0; k < 3; ++k) {
        out->joints[k] = (uint32_t)joints[k];
    }
    return true;
}

/// The limb that ends in this joint, of a human or of another body.
static bool find_limb(const live_character *live, uint32_t joint, live_limb *out)
{
    static const lmb_human_bone ends[4] = {LMB_HUMAN_LEFT_FOOT, LMB_HUMAN_RIGHT_FOOT,
                                           LMB_HUMAN_LEFT_HAND, LMB_HUMAN_RIGHT_HAND};
    const live_drag *drag = &live->drag;
    const lmb_skeleton *skeleton = live->character->skeleton;
    for (int k = 0; live_is_human(live) && k < 4; ++k) {
        const lmb_bone_match *end = &drag->figure.map.bones[ends[k]];
        const int32_t joints[3] = {end[-2].joint, end[-1].joint, end[0].joint};
        if (end->joint == (int32_t)joint && limb_of_joints(skeleton, joints, out)) {
            out->is_leg = k < 2;
            return true;
        }
    }
    for (uint32_t c = 0; !live_is_human(live) && c < drag->chains.count; ++c) {
        const lmb_body_chain *chain = &drag->chains.chains[c];
        const bool is_limb = chain->kind == LMB_CHAIN_LEG || chain->kind == LMB_CHAIN_ARM;
        if (is_limb && chain->joints[chain->end] == (int32_t)joint) {
            const int32_t joints[3] = {chain->joints[chain->upper], chain->joints[chain->lower],
                                       chain->joints[chain->end]};
            out->is_leg = chain->kind == LMB_CHAIN_LEG;
            return limb_of_joints(skeleton, joints, out);
        }
    }
    return false;
}

static void pin_feet(live_character *live)
{
    live_limb limb;
    uint32_t left = LIVE_PINS;
    for (uint32_t j = 0; j < live->character->skeleton->joint_count && left > 0; ++j) {
        if (find_limb(live, j, &limb) && limb.is_leg) {
            live->drag.pinned[j] = 1;
            --left;
        }
    }
}

/// Finds out, once, what the body is. False, with an error, when memory ends.
bool live_know_body(live_character *live)
{
    live_drag *drag = &live->drag;
    const lmb_skeleton *skeleton = live->character->skeleton;
    const cli_run run = {0};
    lmb_error error = {0};
    if (drag->knows_body) {
        return true;
    }
    if (skeleton->joint_count > MOST_JOINTS) {
        return live_fail("a body of at most %d joints can be dragged, this has %u",
                         (int)MOST_JOINTS, (unsigned)skeleton->joint_count);
    }
    live_drag_free(live);
    drag->scratch_size = lmb_ik_full_body_scratch(skeleton->joint_count, LIVE_GOALS);
    drag->scratch = live_room(drag->scratch_size, 1);
    drag->start = live_room(skeleton->joint_count, sizeof *drag->start);
    drag->pinned = live_room(skeleton->joint_count, 1);
    if (!drag->scratch || !drag->start || !drag->pinned ||
        ik_figure_start(&run, live->character, false, &drag->figure) != CLI_DONE) {
        return live_fail("out of memory");
    }
    memset(drag->pinned, 0, skeleton->joint_count);
    if (!live_is_human(live) &&
        lmb_chain_map_find(skeleton, NULL, &drag->chains, &error) == LMB_ERROR_MEMORY) {
        return live_fail_call("the body", &error);
    }
    drag->knows_body = true;
    pin_feet(live);
    return true;
}

void live_drag_free(live_character *live)
{
    ik_figure_end(&live->drag.figure);
    free(live->drag.pinned);
    free(live->drag.start);
    free(live->drag.scratch);
    live->drag = (live_drag){.joint = LMB_NONE};
}

EXPORT(limber_body) int limber_body(int handle)
{
    live_character *live = live_find(handle);
    if (live == NULL || !live_know_body(live)) {
        return -1;
    }
    uint32_t legs = 0;
    for (uint32_t c = 0; !live_is_human(live) && c < live->drag.chains.count; ++c) {
        legs += live->drag.chains.chains[c].kind == LMB_CHAIN_LEG;
    }
    return live_is_human(live) ? LIMBER_BODY_HUMAN | LIMBER_BODY_WALKS
                               : (legs >= 2 ? LIMBER_BODY_WALKS : 0);
}

EXPORT(limber_motion_body) int limber_motion_body(int handle)
{
    live_character *live = live_find(handle);
    lmb_motion_body body = LMB_MOTION_HUMAN;
    if (live == NULL || !live_know_body(live)) {
        return -1;
    }
    if (live_is_human(live)) {
        return LMB_MOTION_HUMAN;
    }
    return lmb_motion_body_find(live->character->skeleton, NULL, &body, NULL) == LMB_OK
               ? (int)body
               : LMB_MOTION_BODIES;
}

// ------------------------------------------------------------------------------------------- pins

/// NULL, with an error, when there is no such joint or memory ends.
static live_character *find_body(int handle, uint32_t joint)
{
    live_character *live = live_find_joint(handle, joint);
    return live != NULL && live_know_body(live) ? live : NULL;
}

EXPORT(limber_pin) int limber_pin(int handle, uint32_t joint, int on)
{
    live_character *live = find_body(handle, joint);
    if (live == NULL) {
        return 0;
    }
    uint32_t count = 0;
    for (uint32_t j = 0; j < live->character->skeleton->joint_count; ++j) {
        count += j != joint && live->drag.pinned[j] != 0;
    }
    if (on != 0 && count >= LIVE_PINS) {
        return live_fail("at most %d joints can be pinned", (int)LIVE_PINS);
    }
    live->drag.pinned[joint] = on != 0;
    live_drag_end(live);
    return 1;
}

EXPORT(limber_pinned) int limber_pinned(int handle, uint32_t joint)
{
    const live_character *live = find_body(handle, joint);
    return live != NULL && live->drag.pinned[joint] != 0;
}

// --------------------------------------------------------------------------------- one whole drag

void live_drag_end(live_character *live)
{
    live->drag.joint = LMB_NONE;
}

EXPORT(limber_drag_end) int limber_drag_end(int handle)
{
    live_character *live = live_find(handle);
    if (live == NULL) {
        return 0;
    }
    live_drag_end(live);
    return 1;
}

static void update_model_transforms(const live_character *live)
{
    lmb_pose_to_model(&(lmb_pose_to_model_job){.skeleton = live->character->skeleton,
                                               .local = live->pose,
                                               .model_from_joint = live->model});
}

/// Two joints up, or as far as it goes.
static uint32_t two_above(const lmb_skeleton *skeleton, uint32_t joint)
{
    for (int k = 0; k < 2 && skeleton->parents[joint] >= 0; ++k) {
        joint = (uint32_t)skeleton->parents[joint];
    }
    return joint;
}

/// The joint that everything moves with: the hips, or what a body's chains hang from, if the dragged
/// joint is under it; else two bones above that. One with nothing above it can only be moved.
static uint32_t root_of(const live_character *live, uint32_t joint, bool *pinned)
{
    const live_drag *drag = &live->drag;
    const lmb_skeleton *skeleton = live->character->skeleton;
    const int32_t middle = live_is_human(live)      ? drag->figure.map.bones[LMB_HUMAN_HIPS].joint
                           : drag->chains.count > 0 ? drag->chains.root
                                                    : LMB_NONE;
    *pinned = middle < 0 || !live_is_above(skeleton, middle, (int32_t)joint);
    if (!*pinned) {
        return (uint32_t)middle;
    }
    *pinned = skeleton->parents[joint] >= 0;
    return two_above(skeleton, joint);
}

static lmb_quat rotation_of_root(const live_character *live, uint32_t joint)
{
    bool pinned;
    lmb_transform root;
    lmb_mat4_decompose(live->model[root_of(live, joint, &pinned)], &root);
    return root.rotation;
}

/// Remembers the pose, and where the pins are in it.
static void begin(live_character *live, uint32_t joint)
{
    live_drag *drag = &live->drag;
    const uint32_t joints = live->character->skeleton->joint_count;
    drag->joint = (int32_t)joint;
    drag->pin_count = 0;
    memcpy(drag->start, live->pose, joints * sizeof *drag->start);
    update_model_transforms(live);
    drag->root_rotation = rotation_of_root(live, joint);
    for (uint32_t j = 0; j < joints; ++j) {
        if (drag->pinned[j] != 0 && j != joint && drag->pin_count < LIVE_PINS) {
            lmb_transform t;
            lmb_mat4_decompose(live->model[j], &t);
            drag->pin_positions[drag->pin_count] = t.translation;
            drag->pin_rotations[drag->pin_count] = t.rotation;
            drag->pins[drag->pin_count++] = j;
        }
    }
}

/// Always from the pose that the drag began with, so that a hand that comes back brings it back.
static void drag_limb(live_character *live, const live_limb *limb, lmb_vec3 target)
{
    const lmb_skeleton *skeleton = live->character->skeleton;
    const lmb_joint_limit *limits = live->drag.figure.limits;
    const uint32_t mid = limb->joints[1];
    const bool is_hinge = limits != NULL && limits[mid].kind == LMB_JOINT_HINGE;
    memcpy(live->pose, live->drag.start, skeleton->joint_count * sizeof *live->pose);
    update_model_transforms(live);
    lmb_ik_two_bone(
        &(lmb_ik_two_bone_job){.skeleton = skeleton,
                               .local = live->pose,
                               .model_from_joint = live->model,
                               .chain = {limb->joints[0], mid, limb->joints[2]},
                               .target = target,
                               .hinge = is_hinge ? limits[mid].axis : lmb_vec3_make(0, 0, 0),
                               .weight = 1,
                               .keep_end = limb->is_leg,
                               .limits = limits,
                               .free = limits == NULL});
}

static void drag_body(live_character *live, uint32_t joint, lmb_vec3 target)
{
    live_drag *drag = &live->drag;
    const lmb_skeleton *skeleton = live->character->skeleton;
    lmb_goal goals[LIVE_GOALS] = {{.joint = joint, .target = target}};
    uint32_t count = 1;
    bool pinned;
    const uint32_t root = root_of(live, joint, &pinned);
    for (uint32_t k = 0; k < drag->pin_count; ++k) {
        if (live_is_above(skeleton, (int32_t)root, (int32_t)drag->pins[k])) {
            goals[count++] = (lmb_goal){.joint = drag->pins[k],
                                        .target = drag->pin_positions[k],
                                        .weight = weights.pin_position};
            goals[count++] = (lmb_goal){.kind = LMB_GOAL_ORIENTATION,
                                        .joint = drag->pins[k],
                                        .rotation = drag->pin_rotations[k],
                                        .weight = weights.pin_rotation};
        }
    }
    if (!pinned) {
        goals[count++] = (lmb_goal){.kind = LMB_GOAL_ORIENTATION,
                                    .joint = root,
                                    .rotation = drag->root_rotation,
                                    .weight = joint == root ? weights.root_rotation
                                                            : weights.root_rotation_other};
    }
    lmb_ik_full_body(&(lmb_ik_full_body_job){.skeleton = skeleton,
                                             .local = live->pose,
                                             .root = root,
                                             .pinned = pinned,
                                             .limits = drag->figure.limits,
                                             .free = drag->figure.limits == NULL,
                                             .goal_count = count,
                                             .goals = goals,
                                             .rest_weight = REST_WEIGHT,
                                             .rest = drag->start,
                                             .max_iterations = MOST_ITERATIONS,
                                             .scratch = drag->scratch,
                                             .scratch_size = drag->scratch_size});
}

/// The limb that bends at this joint: a known one, or the bones above and below.
static bool find_bend(const live_character *live, uint32_t joint, live_limb *out)
{
    const lmb_skeleton *skeleton = live->character->skeleton;
    int32_t child = LMB_NONE;
    for (uint32_t j = joint + 1; j < skeleton->joint_count; ++j) {
        if (find_limb(live, j, out) && out->joints[1] == joint) {
            return true;
        }
        child = child < 0 && skeleton->parents[j] == (int32_t)joint ? (int32_t)j : child;
    }
    const int32_t joints[3] = {skeleton->parents[joint], (int32_t)joint, child};
    return limb_of_joints(skeleton, joints, out);
}

static lmb_vec3 across(lmb_vec3 axis, lmb_vec3 v)
{
    return lmb_vec3_sub(v, lmb_vec3_scale(axis, lmb_vec3_dot(axis, v)));
}

/// Rotates a joint and all below it in model space.
static void rotate_in_model(live_character *live, uint32_t joint, lmb_quat rotation)
{
    const int32_t parent = live->character->skeleton->parents[joint];
    lmb_transform above = lmb_transform_identity();
    if (parent >= 0) {
        lmb_mat4_decompose(live->model[parent], &above);
    }
    const lmb_quat local =
        lmb_quat_mul(lmb_quat_mul(lmb_quat_conjugate(above.rotation), rotation), above.rotation);
    live->pose[joint].rotation =
        lmb_quat_normalize(lmb_quat_mul(local, live->pose[joint].rotation));
}

/// The end of the limb stays where it is, as it is rotated.
static void drag_pole(live_character *live, const live_limb *limb, lmb_vec3 target)
{
    memcpy(live->pose, live->drag.start,
           live->character->skeleton->joint_count * sizeof *live->pose);
    update_model_transforms(live);
    const lmb_vec3 start = lmb_mat4_translation(live->model[limb->joints[0]]);
    const lmb_vec3 along = lmb_vec3_sub(lmb_mat4_translation(live->model[limb->joints[2]]), start);
    const float length = lmb_vec3_length(along);
    if (!(length > 0)) {
        return;
    }
    const lmb_vec3 axis = lmb_vec3_scale(along, 1 / length);
    const lmb_vec3 bend =
        across(axis, lmb_vec3_sub(lmb_mat4_translation(live->model[limb->joints[1]]), start));
    const lmb_vec3 wanted = across(axis, lmb_vec3_sub(target, start));
    const float angle_rad =
        atan2f(lmb_vec3_dot(axis, lmb_vec3_cross(bend, wanted)), lmb_vec3_dot(bend, wanted));
    const lmb_quat swing = lmb_quat_axis_angle(axis, angle_rad);
    // Both by the matrices of before: what is between them rotates with the first.
    rotate_in_model(live, limb->joints[2], lmb_quat_conjugate(swing));
    rotate_in_model(live, limb->joints[0], swing);
    update_model_transforms(live);
}

/// A joint with two above it counts as the end of a limb when it is asked for.
static bool choose_limb(const live_character *live, uint32_t joint, int mode, live_limb *out)
{
    const lmb_skeleton *skeleton = live->character->skeleton;
    if (mode == LIMBER_DRAG_BODY) {
        return false;
    }
    if (find_limb(live, joint, out)) {
        return true;
    }
    const int32_t mid = skeleton->parents[joint], start = mid >= 0 ? skeleton->parents[mid] : -1;
    const int32_t joints[3] = {start, mid, (int32_t)joint};
    out->is_leg = false;
    return mode == LIMBER_DRAG_LIMB && limb_of_joints(skeleton, joints, out);
}

static bool solve(live_character *live, uint32_t joint, lmb_vec3 target, int mode)
{
    live_limb limb;
    if (mode == LIMBER_DRAG_POLE) {
        if (!find_bend(live, joint, &limb)) {
            return live_fail("joint %u has not one above and one below it", (unsigned)joint);
        }
        drag_pole(live, &limb, target);
    } else if (choose_limb(live, joint, mode, &limb)) {
        drag_limb(live, &limb, target);
    } else if (mode == LIMBER_DRAG_LIMB) {
        return live_fail("joint %u has not two above it", (unsigned)joint);
    } else {
        drag_body(live, joint, target);
    }
    return true;
}

/// Points that are finite can be too far to reckon with.
static bool is_finite(const live_character *live)
{
    const size_t numbers = (size_t)10 * live->character->skeleton->joint_count;
    const float *pose = (const float *)live->pose;
    for (size_t k = 0; k < numbers; ++k) {
        if (!isfinite(pose[k])) {
            return false;
        }
    }
    return true;
}

EXPORT(limber_drag)
float limber_drag(int handle, uint32_t joint, float x, float y, float z, int mode)
{
    live_character *live = find_body(handle, joint);
    const lmb_vec3 target = {x, y, z};
    if (live == NULL) {
        return -1;
    }
    if (!lmb_vec3_is_finite(target) || mode < LIMBER_DRAG_AUTO || mode > LIMBER_DRAG_POLE) {
        (void)live_fail("expected a finite point, and a mode from 0 to 3");
        return -1;
    }
    if (live->drag.joint != (int32_t)joint) {
        begin(live, joint);
    }
    if (!solve(live, joint, target, mode)) {
        return -1;
    }
    live_show_driven(live, NULL);
    const float left = lmb_vec3_distance(lmb_mat4_translation(live->model[joint]), target);
    if (is_finite(live) && isfinite(left)) {
        return left;
    }
    memcpy(live->pose, live->drag.start,
           live->character->skeleton->joint_count * sizeof *live->pose);
    live_show_driven(live, NULL);
    (void)live_fail("the point is too far away");
    return -1;
}
