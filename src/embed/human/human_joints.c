/// The skeleton of a human out of the joints that a network sees: limbs that bend the right way and are alike where their
/// poses are, joints between those that are seen, and what the user's landmarks say.
#include "embed/kinds.h"
#include "mapping/body_joint.h"

#include "base/alloc.h"

#include <math.h>
#include <string.h>

/// What joints are placed in: the frame of a figure.
typedef struct upright {
    lmbi_frame frame;
    lmbi_landmarks landmarks;
    lmb_vec3 seen[LMBI_SEEN_JOINTS], at[LMBI_BODY_JOINTS];
    bool met[LMBI_LIMB_JOINTS]; ///< joints that lie where rigid pieces meet
} upright;

// ---- the frame

/// The offset along the left axis of the mirror plane of the solid, or of the limbs if it is near none.
static float mirror_offset(const lmbi_seen_figure *f)
{
    const float near = 0.9995f;
    const lmbi_voxel_cache *c = f->body;
    lmb_vec3 normal = f->axes[0];
    const float own = lmbi_plane_of_figure(f).offset,
                origin = lmb_vec3_dot(c->frame.origin, f->axes[0]);
    float offset = (own - origin) / c->frame.size;
    const float guess = offset;
    lmbi_mirror_refine(&c->variant[LMBI_VOXELS_COARSE].body, f->axes[1], &normal, &offset);
    const bool found = lmb_vec3_dot(normal, f->axes[0]) > near && fabsf(offset - guess) < 0.02f;
    return found ? origin + c->frame.size * offset : own;
}

static lmbi_frame frame_of(const lmbi_seen_figure *f)
{
    const lmb_box box = lmbi_soup_bounds_along(f->body->mesh, f->axes);
    lmbi_frame frame = {.axes = {f->axes[0], f->axes[1], f->axes[2]}};
    frame.size = fmaxf(box.high.y - box.low.y, 1e-3f * f->body->frame.size);
    const float z = 0.5f * (box.low.z + box.high.z);
    frame.origin = lmb_vec3_mad(
        lmb_vec3_mad(lmb_vec3_scale(f->axes[0], mirror_offset(f)), f->axes[1], box.low.y),
        f->axes[2], z);
    return frame;
}

// ---- limbs

/// Bends a straight limb slightly, so that solvers know in which direction it folds: knees forward,
/// elbows backward.
static void pre_bend(lmb_vec3 *chain, float sign)
{
    const float least = 0.004f, straight = 0.02f;
    const lmb_vec3 axis = lmb_vec3_sub(chain[2], chain[0]);
    const float t = lmb_vec3_dot(lmb_vec3_sub(chain[1], chain[0]), axis) /
                    fmaxf(lmb_vec3_dot(axis, axis), 1e-9f);
    const lmb_vec3 off = lmb_vec3_sub(chain[1], lmb_vec3_mad(chain[0], axis, t));
    const float bend = sign * off.z;
    if (bend < least && lmb_vec3_length(off) < straight) {
        chain[1].z += sign * (least - bend);
    }
}

/// Limbs as they are seen or, where their pieces are rigid, as these meet. Errors: MEMORY.
static lmb_result find_limbs(upright *u, const lmbi_voxel_cache *cache, lmb_error *error)
{
    lmbi_triangle_soup soup;
    lmb_vec3 *positions;
    for (int k = 0; k < LMBI_LIMB_JOINTS; ++k) {
        u->at[lmbi_limb_joints[k]] = u->seen[k];
    }
    lmb_result result =
        lmbi_soup_in_frame(cache->mesh, &u->frame, cache->alloc, &soup, &positions, error);
    if (result == LMB_OK) {
        result = lmbi_joints_to_pieces(&soup, cache->alloc, u->at, u->met, error);
    }
    lmbi_free(cache->alloc, positions);
    return result;
}

/// Limbs, ends and the trunk alike on both sides, and limbs bent, where they are nearly.
static void settle(upright *u)
{
    enum { ARM = LMBI_LEFT_UPPER_ARM, LEG = LMBI_LEFT_UPPER_LEG };
    lmbi_symmetrise(u->at, ARM, ARM + LMBI_ARM_JOINTS, 3);
    lmbi_symmetrise(u->at, LEG, LEG + LMBI_LEG_JOINTS, 3);
    lmbi_symmetrise(u->seen, LMBI_SEEN_LEFT_HAND_END, LMBI_SEEN_RIGHT_HAND_END, 1);
    lmbi_symmetrise(u->seen, LMBI_SEEN_LEFT_TOE_END, LMBI_SEEN_RIGHT_TOE_END, 1);
    lmbi_symmetrise(u->seen, LMBI_SEEN_HIPS, LMBI_SEEN_HIPS, LMBI_SEEN_CROWN + 1 - LMBI_SEEN_HIPS);
    for (int side = 0; side < 2; ++side) {
        pre_bend(u->at + ARM + side * LMBI_ARM_JOINTS, -1);
        pre_bend(u->at + LEG + side * LMBI_LEG_JOINTS, 1);
    }
}

/// Moves what is seen by as much as a joint was moved, a part of the way.
static void move_along(const upright *u, const lmb_vec3 *before, int joint, float part,
                       lmb_vec3 *seen)
{
    *seen = lmb_vec3_mad(*seen, lmb_vec3_sub(u->at[joint], before[joint]), part);
}

/// Limbs at their landmarks, with the ends of hands and feet, and hips between the legs.
static void move_to_landmarks(upright *u)
{
    lmb_vec3 before[LMBI_BODY_JOINTS];
    memcpy(before, u->at, sizeof before);
    lmbi_landmarks_move(&u->landmarks, u->at);
    for (int side = 0; side < 2; ++side) {
        const int arm = side * LMBI_ARM_JOINTS, leg = side * LMBI_LEG_JOINTS;
        move_along(u, before, LMBI_LEFT_HAND + arm, 1, &u->seen[LMBI_SEEN_LEFT_HAND_END + side]);
        move_along(u, before, LMBI_LEFT_FOOT + leg, 1, &u->seen[LMBI_SEEN_LEFT_TOE_END + side]);
        move_along(u, before, LMBI_LEFT_UPPER_LEG + leg, 0.5f, &u->seen[LMBI_SEEN_HIPS]);
    }
}

// ---- trunk and toes

/// Joints lie at their landmarks, and at mirror images of those, whatever the rest says.
static void keep_landmarks(upright *u)
{
    for (int j = 0; j < LMBI_BODY_JOINTS; ++j) {
        u->at[j] = u->landmarks.joint[j].set ? u->landmarks.joint[j].at : u->at[j];
    }
}

/// Hips, neck and head as seen or where landmarks say they are, and toes before the end of the foot, low in it.
static void place_seen(upright *u)
{
    const float toes = 0.62f, low = 0.9f, below_chin = 0.046f;
    lmb_vec3 *at = u->at;
    at[LMBI_HIPS] = u->seen[LMBI_SEEN_HIPS];
    at[LMBI_NECK] = u->seen[LMBI_SEEN_NECK];
    at[LMBI_HEAD] = u->seen[LMBI_SEEN_HEAD];
    if (u->landmarks.chin.set) {
        at[LMBI_NECK].y = u->landmarks.chin.at.y - below_chin;
        at[LMBI_HEAD].y = u->landmarks.chin.at.y;
    }
    for (int side = 0; side < 2; ++side) {
        const int foot = LMBI_LEFT_FOOT + side * LMBI_LEG_JOINTS;
        const lmb_vec3 end = u->seen[LMBI_SEEN_LEFT_TOE_END + side];
        at[foot + 1] = lmb_vec3_lerp(at[foot], end, toes);
        at[foot + 1].y = lmb_vec3_lerp(at[foot], end, low).y;
    }
    keep_landmarks(u);
}

/// The joints of the spine on the parabola through hips, its middle, which moves along with its ends, and neck.
static void place_spine(upright *u)
{
    static const float fractions[3] = {0.21f, 0.45f, 0.69f};
    const lmb_vec3 hips = u->at[LMBI_HIPS], neck = u->at[LMBI_NECK],
                   bend = lmb_vec3_sub(
                       u->seen[LMBI_SEEN_SPINE],
                       lmb_vec3_lerp(u->seen[LMBI_SEEN_HIPS], u->seen[LMBI_SEEN_NECK], 0.5f));
    for (int k = 0; k < 3; ++k) {
        const float t = fractions[k];
        u->at[LMBI_SPINE + k] = lmb_vec3_mad(lmb_vec3_lerp(hips, neck, t), bend, 4 * t * (1 - t));
    }
}

/// Collar bones begin beside the neck's root.
static void place_shoulders(upright *u)
{
    const float risen = 0.6f, out = 0.22f;
    const lmb_vec3 root = lmb_vec3_lerp(u->at[LMBI_UPPER_CHEST], u->at[LMBI_NECK], risen);
    for (int side = 0; side < 2; ++side) {
        const int shoulder = LMBI_LEFT_SHOULDER + side * LMBI_ARM_JOINTS;
        u->at[shoulder] = lmb_vec3_lerp(root, u->at[shoulder + 1], out);
    }
}

// ---- the embedding

/// The joint that is seen on which each joint of the body rests.
static const uint8_t RESTS_ON[LMBI_BODY_JOINTS] = {
    LMBI_SEEN_HIPS,
    LMBI_SEEN_SPINE,
    LMBI_SEEN_SPINE,
    LMBI_SEEN_SPINE,
    LMBI_SEEN_NECK,
    LMBI_SEEN_HEAD,
    LMBI_SEEN_NECK,
    0,
    1,
    2,
    LMBI_SEEN_NECK,
    3,
    4,
    5,
    6,
    7,
    8,
    LMBI_SEEN_LEFT_TOE_END,
    9,
    10,
    11,
    LMBI_SEEN_RIGHT_TOE_END,
};

static void write_joints(const upright *u, const lmbi_seen_joints *seen, lmb_embedding *out)
{
    lmbi_embedding_writer writer;
    lmbi_embedding_begin(&writer, LMB_SKELETON_HUMAN, &u->frame, 1, out);
    for (uint32_t j = 0; j < LMBI_BODY_JOINTS; ++j) {
        const bool told = u->landmarks.joint[j].set;
        const int k = RESTS_ON[j];
        const char *reason = told ? "a marker, or the mirror image of one"
                             : k < LMBI_LIMB_JOINTS && u->met[k]
                                 ? lmbi_pieces_meet
                                 : "where a network that sees the whole body puts it";
        lmbi_embedding_add_joint(&writer, lmbi_body_joint_name(j), lmbi_body_joint_parent(j),
                                 u->at[j], told ? 1 : seen->chance[k], reason);
    }
    lmbi_embedding_set_tip(&writer, LMBI_HEAD, u->seen[LMBI_SEEN_CROWN]);
    for (int side = 0; side < 2; ++side) {
        lmbi_embedding_set_tip(&writer, LMBI_LEFT_HAND + side * LMBI_ARM_JOINTS,
                               u->seen[LMBI_SEEN_LEFT_HAND_END + side]);
        lmbi_embedding_set_tip(&writer, LMBI_LEFT_TOES + side * LMBI_LEG_JOINTS,
                               u->seen[LMBI_SEEN_LEFT_TOE_END + side]);
    }
}

lmb_result lmbi_place_human(const lmbi_seen_figure *figure, const lmbi_landmarks *landmarks,
                            lmb_embedding *out, lmb_error *error)
{
    const lmbi_body_shape *coarse;
    upright u = {.met = {false}};
    lmb_result result = lmbi_voxel_cache_get(figure->body, LMBI_VOXELS_COARSE, &coarse, error);
    if (result == LMB_OK) {
        u.frame = frame_of(figure);
        u.landmarks = lmbi_landmarks_in_frame(landmarks, &u.frame);
        for (int k = 0; k < LMBI_SEEN_JOINTS; ++k) {
            u.seen[k] = lmbi_frame_to(&u.frame, figure->seen.at[k]);
        }
        result = find_limbs(&u, figure->body, error);
    }
    if (result == LMB_OK) {
        settle(&u);
        move_to_landmarks(&u);
        place_seen(&u);
        place_spine(&u);
        place_shoulders(&u);
        keep_landmarks(&u);
        write_joints(&u, &figure->seen, out);
        lmbi_rate_seen_arms(figure->body, out);
    }
    return result;
}
