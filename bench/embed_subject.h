// A subject of embed_bench.c in a pose. Included by embed_bench.c.
#ifndef BENCH_EMBED_SUBJECT_H
#define BENCH_EMBED_SUBJECT_H

#include <math.h>
#include <string.h>

#include "asset/tree.h"
#include "limber/limber.h"

enum { LIMBS = 12, PATH_SIZE = 1024 };

static const lmb_human_bone limbs[LIMBS] = {
    LMB_HUMAN_LEFT_UPPER_ARM,  LMB_HUMAN_LEFT_LOWER_ARM,  LMB_HUMAN_LEFT_HAND,
    LMB_HUMAN_RIGHT_UPPER_ARM, LMB_HUMAN_RIGHT_LOWER_ARM, LMB_HUMAN_RIGHT_HAND,
    LMB_HUMAN_LEFT_UPPER_LEG,  LMB_HUMAN_LEFT_LOWER_LEG,  LMB_HUMAN_LEFT_FOOT,
    LMB_HUMAN_RIGHT_UPPER_LEG, LMB_HUMAN_RIGHT_LOWER_LEG, LMB_HUMAN_RIGHT_FOOT,
};

// Directions of bones in the character's own axes: out to the bone's side, up, to the front. Zero: as at rest.
typedef struct pose {
    const char *name;
    lmb_vec3 upper_arm[2], lower_arm[2], upper_leg[2], lower_leg[2]; ///< left, right
} pose;

#define BOTH(x, y, z) \
    {                 \
        {x, y, z},    \
        {             \
            x, y, z   \
        }             \
    }
static const pose poses[] = {
    {.name = "rest"},
    {.name = "down", .upper_arm = BOTH(0.26f, -0.97f, 0), .lower_arm = BOTH(0.26f, -0.97f, 0.05f)},
    {.name = "raised", .upper_arm = BOTH(0.5f, 0.87f, 0), .lower_arm = BOTH(0.5f, 0.87f, 0)},
    {.name = "bent", .upper_arm = BOTH(0.9f, -0.4f, 0), .lower_arm = BOTH(0.4f, 0.9f, 0.2f)},
    {.name = "wave",
     .upper_arm = {{0.3f, -0.95f, 0}, {0.85f, 0.5f, 0}},
     .lower_arm = {{0.3f, -0.95f, 0}, {0.2f, 0.98f, 0}}},
    {.name = "stride",
     .upper_arm = {{0.3f, -0.85f, 0.42f}, {0.3f, -0.85f, -0.42f}},
     .lower_arm = {{0.25f, -0.7f, 0.66f}, {0.25f, -0.9f, -0.2f}},
     .upper_leg = {{0, -0.9f, -0.42f}, {0, -0.9f, 0.42f}},
     .lower_leg = {{0, -0.8f, -0.6f}, {0, -1, 0}}},
    {.name = "sitting",
     .upper_arm = BOTH(0.5f, -0.85f, 0.1f),
     .lower_arm = BOTH(0.3f, -0.7f, 0.6f),
     .upper_leg = BOTH(0.15f, -0.1f, 0.98f),
     .lower_leg = BOTH(0, -1, 0)},
    {.name = "crossed",
     .upper_arm = BOTH(0.4f, -0.8f, 0.4f),
     .lower_arm = {{-0.85f, 0.1f, 0.5f}, {-0.85f, 0.25f, 0.5f}}},
    {.name = "hips",
     .upper_arm = BOTH(0.65f, -0.7f, -0.25f),
     .lower_arm = BOTH(-0.7f, -0.6f, 0.4f)},
};
enum { POSES = sizeof poses / sizeof *poses };

typedef struct subject {
    char kind[32], path[PATH_SIZE], family[64];
    lmb_character *character;
    lmb_joint_map map;
    lmb_deformer *deformer;
    lmb_transform *local;
    lmb_mat4 *model;
    lmb_vec3 *positions;
    uint32_t *triangles, position_count, triangle_count;
    bool *deforms;
} subject;

static lmb_vec3 position_of(const subject *s, int32_t joint)
{
    return lmb_vec3_make(s->model[joint].m[12], s->model[joint].m[13], s->model[joint].m[14]);
}

static void update_model(const subject *s)
{
    lmb_pose_to_model(&(lmb_pose_to_model_job){
        .skeleton = s->character->skeleton, .local = s->local, .model_from_joint = s->model});
}

static lmb_quat model_rotation(const subject *s, int32_t joint)
{
    lmb_quat q = lmb_quat_identity();
    for (; joint != LMB_NONE; joint = s->character->skeleton->parents[joint]) {
        q = lmb_quat_mul(s->local[joint].rotation, q);
    }
    return q;
}

/// Turns hands and feet about a joint that hang on no forearm or shin, as in rigs where they are goals of inverse
/// kinematics, where that turns: one that stays behind would be torn off.
static void turn_loose_ends(subject *s, int32_t joint, lmb_quat turn)
{
    static const lmb_human_bone ends[] = {LMB_HUMAN_LEFT_HAND, LMB_HUMAN_RIGHT_HAND,
                                          LMB_HUMAN_LEFT_FOOT, LMB_HUMAN_RIGHT_FOOT};
    const lmb_skeleton *skeleton = s->character->skeleton;
    const lmb_vec3 at = position_of(s, joint);
    const lmb_transform about = {.rotation = turn,
                                 .translation = lmb_vec3_sub(at, lmb_quat_rotate(turn, at)),
                                 .scale = {1, 1, 1}};
    for (size_t k = 0; k < sizeof ends / sizeof *ends; ++k) {
        const int32_t end = s->map.bones[ends[k]].joint, before = s->map.bones[ends[k] - 1].joint;
        if (end == LMB_NONE || before == LMB_NONE || !lmbi_is_under(skeleton, before, joint) ||
            lmbi_is_under(skeleton, end, joint)) {
            continue;
        }
        lmb_mat4 from_model = lmb_mat4_identity();
        if (skeleton->parents[end] != LMB_NONE) {
            (void)lmb_mat4_inverse_affine(s->model[skeleton->parents[end]], &from_model);
        }
        const lmb_mat4 turned = lmb_mat4_mul(lmb_mat4_from_transform(about), s->model[end]);
        (void)lmb_mat4_decompose(lmb_mat4_mul(from_model, turned), &s->local[end]);
    }
}

/// Rotates a bone so that its child lies in the direction `wanted` of the scene.
static void aim(subject *s, lmb_human_bone bone, lmb_human_bone child, lmb_vec3 wanted)
{
    const int32_t j = s->map.bones[bone].joint, c = s->map.bones[child].joint;
    if (j == LMB_NONE || c == LMB_NONE || lmb_vec3_length(wanted) == 0) {
        return;
    }
    const lmb_vec3 now =
        lmb_vec3_normalize_or(lmb_vec3_sub(position_of(s, c), position_of(s, j)), wanted);
    const lmb_quat turn = lmb_quat_between(now, lmb_vec3_normalize_or(wanted, now));
    turn_loose_ends(s, j, turn);
    const int32_t parent = s->character->skeleton->parents[j];
    const lmb_quat above = parent == LMB_NONE ? lmb_quat_identity() : model_rotation(s, parent);
    s->local[j].rotation = lmb_quat_mul(
        lmb_quat_mul(lmb_quat_conjugate(above), lmb_quat_mul(turn, above)), s->local[j].rotation);
    update_model(s);
}

static void set_pose(subject *s, const pose *p)
{
    const lmb_vec3 up = {0, 1, 0}, front = lmb_joint_map_facing(&s->map, s->character->skeleton);
    const lmb_vec3 left = lmb_vec3_cross(up, front);
    memcpy(s->local, s->character->skeleton->rest,
           s->character->skeleton->joint_count * sizeof *s->local);
    update_model(s);
    for (int side = 0; side < 2; ++side) {
        const struct {
            lmb_human_bone bone, child;
            lmb_vec3 direction;
        } bones[] = {
            {side ? LMB_HUMAN_RIGHT_UPPER_ARM : LMB_HUMAN_LEFT_UPPER_ARM,
             side ? LMB_HUMAN_RIGHT_LOWER_ARM : LMB_HUMAN_LEFT_LOWER_ARM, p->upper_arm[side]},
            {side ? LMB_HUMAN_RIGHT_LOWER_ARM : LMB_HUMAN_LEFT_LOWER_ARM,
             side ? LMB_HUMAN_RIGHT_HAND : LMB_HUMAN_LEFT_HAND, p->lower_arm[side]},
            {side ? LMB_HUMAN_RIGHT_UPPER_LEG : LMB_HUMAN_LEFT_UPPER_LEG,
             side ? LMB_HUMAN_RIGHT_LOWER_LEG : LMB_HUMAN_LEFT_LOWER_LEG, p->upper_leg[side]},
            {side ? LMB_HUMAN_RIGHT_LOWER_LEG : LMB_HUMAN_LEFT_LOWER_LEG,
             side ? LMB_HUMAN_RIGHT_FOOT : LMB_HUMAN_LEFT_FOOT, p->lower_leg[side]},
        };
        for (size_t b = 0; b < sizeof bones / sizeof *bones; ++b) {
            const lmb_vec3 d = bones[b].direction;
            const lmb_vec3 out = lmb_vec3_scale(left, side ? -d.x : d.x);
            aim(s, bones[b].bone, bones[b].child,
                lmb_vec3_add(out,
                             lmb_vec3_add(lmb_vec3_scale(up, d.y), lmb_vec3_scale(front, d.z))));
        }
    }
}

/// The mesh at the pose: all instances in one list of triangles.
static void deform(subject *s)
{
    lmb_deform(&(lmb_deform_job){
        .deformer = s->deformer, .model_from_joint = s->model, .positions_only = true});
    uint32_t first = 0, corner = 0;
    for (uint32_t i = 0; i < s->character->instance_count; ++i) {
        const lmb_mesh *mesh = s->character->meshes[s->character->instances[i].mesh];
        const lmb_deformed d = lmb_deformer_instance(s->deformer, i);
        memcpy(s->positions + first, d.positions, mesh->vertex_count * sizeof *s->positions);
        for (uint32_t k = 0; k < mesh->index_count; ++k) {
            s->triangles[corner++] = first + mesh->indices[k];
        }
        first += mesh->vertex_count;
    }
}

#endif
