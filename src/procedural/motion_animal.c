/// Plays an animal's motion on a character's own skeleton, through its chains.
///
/// Rotations are in the body's axes (left, up, front), carried along by what a joint hangs from, so
/// that they do not depend on the rig's own axes.
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "limber/anim.h"
#include "limber/ik.h"
#include "procedural/motion_animal.h"

// ------------------------------------------------------------------------------------- the body

static const lmb_body_chain *find_chain(const lmb_chain_map *map, lmb_body_chain_kind kind,
                                        int side)
{
    for (uint32_t k = 0; k < map->count; ++k) {
        if (map->chains[k].kind == kind && map->chains[k].side == side) {
            return &map->chains[k];
        }
    }
    return NULL;
}

static void measure_rest(lmbi_animal *a)
{
    const lmb_skeleton *sk = a->skeleton;
    a->facing = lmb_transform_identity();
    a->facing.rotation =
        lmb_quat_axis_angle(lmb_vec3_make(0, 1, 0), -lmb_atan2(a->map.front.x, a->map.front.z));
    for (uint32_t j = 0; j < sk->joint_count; ++j) {
        const int32_t parent = sk->parents[j];
        a->rest[j] = lmb_transform_mul(parent < 0 ? a->facing : a->rest[parent], sk->rest[j]);
    }
}

static float chain_length(const lmbi_animal *a, const lmb_body_chain *chain, uint32_t from,
                          uint32_t to)
{
    float length = 0;
    for (uint32_t k = from; k < to; ++k) {
        length += lmb_vec3_distance(a->rest[chain->joints[k]].translation,
                                    a->rest[chain->joints[k + 1]].translation);
    }
    return length;
}

/// Length of a hind leg; of a body without legs, that of its spine.
static float unit_length(const lmbi_animal *a)
{
    const lmb_body_chain *leg = find_chain(&a->map, LMB_CHAIN_LEG, 1),
                         *spine = find_chain(&a->map, LMB_CHAIN_SPINE, 0);
    if (leg != NULL) {
        return lmb_vec3_distance(a->rest[leg->joints[leg->upper]].translation,
                                 a->rest[leg->joints[leg->lower]].translation) +
               lmb_vec3_distance(a->rest[leg->joints[leg->lower]].translation,
                                 a->rest[leg->joints[leg->end]].translation);
    }
    return spine != NULL ? chain_length(a, spine, 0, spine->count - 1) : 1.0f;
}

static bool has_suffix(const char *name, const char *suffix)
{
    const size_t n = strlen(name), m = strlen(suffix);
    return n > m && strcmp(name + n - m, suffix) == 0;
}

/// The joint of that word in its name, or LMB_NONE.
static int32_t find_named(const lmb_skeleton *sk, const char *small, const char *capital)
{
    for (uint32_t j = 0; sk->names != NULL && j < sk->joint_count; ++j) {
        if (sk->names[j] != NULL &&
            (strstr(sk->names[j], small) != NULL || strstr(sk->names[j], capital) != NULL)) {
            return (int32_t)j;
        }
    }
    return LMB_NONE;
}

/// The chain's joints without the ends that Blender's exporters add to leaves.
static uint32_t live_count(const lmb_skeleton *sk, const lmb_body_chain *chain)
{
    uint32_t count = chain->count;
    while (sk->names != NULL && count > 1 &&
           has_suffix(sk->names[chain->joints[count - 1]], "_end")) {
        --count;
    }
    return count;
}

/// Whether the trunk stands up. Necks of birds do, their trunks hardly.
static bool is_upright(const lmb_chain_map *map, const lmb_skeleton *skeleton)
{
    const lmb_body_chain *spine = find_chain(map, LMB_CHAIN_SPINE, 0),
                         *neck = find_chain(map, LMB_CHAIN_NECK, 0);
    lmb_vec3 ends[2] = {{0, 0, 0}, {0, 0, 0}};
    const int32_t base = neck != NULL ? neck->joints[0] : map->root;
    const int32_t joints[2] = {spine != NULL ? spine->joints[0] : map->root,
                               spine != NULL && spine->count > 1 ? spine->joints[spine->count - 1]
                                                                 : base};
    for (int k = 0; k < 2; ++k) {
        for (int32_t j = joints[k]; j >= 0; j = skeleton->parents[j]) {
            ends[k] = lmb_transform_point(skeleton->rest[j], ends[k]);
        }
    }
    const lmb_vec3 trunk = lmb_vec3_sub(ends[1], ends[0]);
    return trunk.y * trunk.y > trunk.x * trunk.x + trunk.z * trunk.z;
}

static bool is_named(const lmb_joint_map *map, lmb_human_bone bone)
{
    return map->bones[bone].reason == LMB_MAP_NAME || map->bones[bone].reason == LMB_MAP_PLACE;
}

static lmb_result has_named_arms(const lmb_skeleton *skeleton, const lmb_allocator *alloc,
                                 bool *out, lmb_error *error)
{
    lmb_joint_map map;
    const lmb_result result = lmb_joint_map_make(skeleton, alloc, &map, error);
    *out = result == LMB_OK && is_named(&map, LMB_HUMAN_LEFT_LOWER_ARM) &&
           is_named(&map, LMB_HUMAN_RIGHT_LOWER_ARM);
    return result;
}

lmb_result lmb_motion_body_find(const lmb_skeleton *skeleton, const lmb_allocator *alloc,
                                lmb_motion_body *out, lmb_error *error)
{
    lmb_chain_map map;
    lmb_result result = lmb_chain_map_find(skeleton, alloc, &map, error);
    if (result != LMB_OK) {
        return result;
    }
    uint32_t legs = 0, arms = 0;
    for (uint32_t k = 0; k < map.count; ++k) {
        legs += map.chains[k].kind == LMB_CHAIN_LEG;
        arms += map.chains[k].kind == LMB_CHAIN_ARM;
    }
    if (legs == 2 || (legs == 0 && arms > 0)) {
        // Without legs to tell, wings are arms where joints are named so.
        bool is_human = arms >= 2 && is_upright(&map, skeleton);
        if (is_human && legs == 0) {
            result = has_named_arms(skeleton, alloc, &is_human, error);
        }
        *out = is_human ? LMB_MOTION_HUMAN : LMB_MOTION_BIRD;
    } else if (legs > 0) {
        *out = legs > 4 ? LMB_MOTION_SPIDER : LMB_MOTION_QUADRUPED;
    } else {
        *out = find_named(skeleton, "fin", "Fin") >= 0 ? LMB_MOTION_FISH : LMB_MOTION_SNAKE;
    }
    return result;
}

lmb_result lmbi_animal_start(const lmb_skeleton *skeleton, const lmb_motion *motion,
                             const lmb_allocator *alloc, lmbi_animal *a, lmb_error *error)
{
    const size_t n = skeleton->joint_count;
    lmb_motion_body body = LMB_MOTION_HUMAN;
    lmb_result result = lmb_motion_body_find(skeleton, alloc, &body, error);
    // A fish without a fin is a snake; they move alike.
    const bool is_legless = body == LMB_MOTION_FISH || body == LMB_MOTION_SNAKE,
               wants_legless = motion->body == LMB_MOTION_FISH || motion->body == LMB_MOTION_SNAKE;
    if (result == LMB_OK && body != motion->body && !(is_legless && wants_legless)) {
        result = lmbi_fail(error, LMB_ERROR_UNSUPPORTED, lmb_motion_body_name(motion->body), "a %s",
                           lmb_motion_body_name(body));
    }
    if (result == LMB_OK) {
        result = lmb_chain_map_find(skeleton, alloc, &a->map, error);
    }
    if (result != LMB_OK) {
        return result;
    }
    a->skeleton = skeleton;
    a->rest = lmbi_alloc_array(alloc, n, sizeof *a->rest);
    a->model = lmbi_alloc_array(alloc, n, sizeof *a->model);
    a->own = lmbi_alloc_array(alloc, n, sizeof *a->own);
    a->alloc = alloc;
    if (a->rest == NULL || a->model == NULL || a->own == NULL) {
        lmbi_animal_end(a);
        return lmbi_fail_memory(error);
    }
    measure_rest(a);
    a->unit = unit_length(a);
    for (uint32_t k = 0; k < a->map.count; ++k) {
        const lmb_body_chain *chain = &a->map.chains[k];
        if (chain->kind == LMB_CHAIN_LEG && chain->pair > a->last_pair) {
            a->last_pair = chain->pair;
        }
    }
    a->jaw = find_named(skeleton, "jaw", "Jaw");
    return LMB_OK;
}

void lmbi_animal_end(lmbi_animal *a)
{
    lmbi_free(a->alloc, a->rest);
    lmbi_free(a->alloc, a->model);
    lmbi_free(a->alloc, a->own);
    a->rest = a->model = NULL;
    a->own = NULL;
}

// ---------------------------------------------------------------------------------------- rotations

static void turn_joint(lmbi_animal *a, int32_t joint, lmb_quat by)
{
    if (joint >= 0) {
        a->own[joint] = lmb_quat_mul(a->own[joint], by);
    }
}

static lmb_quat bend_turn_side(const float degrees[3])
{
    return lmb_quat_mul(lmb_quat_mul(lmbi_rotation_y(degrees[1]), lmbi_rotation_z(-degrees[2])),
                        lmbi_rotation_x(degrees[0]));
}

/// Bend, turn and side at the position `along` a chain: keys grow evenly along it, expressions say
/// their own.
static void heading_at(const lmbi_animal_frame *f, lmbi_motion_row bend, bool grows, float along,
                       float out[3])
{
    for (int k = 0; k < 3; ++k) {
        const lmbi_motion_row row = (lmbi_motion_row)((int)bend + k);
        const float sign = f->mirror && k > 0 ? -1.0f : 1.0f;
        const float waves = sign * lmbi_motion_waves_at(f->motion, f->moment, row, along),
                    at_end = sign * lmbi_motion_waves_at(f->motion, f->moment, row, 1);
        // The values hold the expressions at the chain's end.
        out[k] = (grows ? along : 1.0f) * (f->values->at[row][0] - at_end) + waves;
    }
}

/// Joints from..to of a chain, each rotated by what the heading changes since the one before.
static void bend_chain(lmbi_animal *a, const lmbi_animal_frame *f, const lmb_body_chain *chain,
                       uint32_t from, uint32_t to, lmbi_motion_row bend)
{
    lmb_quat before = lmb_quat_identity();
    for (uint32_t k = from; k < to; ++k) {
        float degrees[3];
        heading_at(f, bend, true, (float)(k - from + 1) / (float)(to - from), degrees);
        const lmb_quat here = bend_turn_side(degrees);
        turn_joint(a, chain->joints[k], lmb_quat_mul(lmb_quat_conjugate(before), here));
        before = here;
    }
}

/// The nearest ancestor in the chain, as an index; -1 for the chain's topmost joint.
static int chain_parent(const lmb_skeleton *sk, const lmb_body_chain *chain, int32_t joint)
{
    for (int32_t j = sk->parents[joint]; j >= 0; j = sk->parents[j]) {
        for (uint32_t k = 0; k < chain->count; ++k) {
            if (chain->joints[k] == j) {
                return (int)k;
            }
        }
    }
    return -1;
}

/// Degrees to the left by which the bone below a joint is rotated at rest: a snake that lies in
/// curves is straightened before it is bent. `parent` as chain_parent gives it.
static float rest_turn(const lmbi_animal *a, const lmb_body_chain *spine, uint32_t k, int parent)
{
    const uint32_t last = spine->count - 1;
    const bool to_head = parent >= 0 && (uint32_t)parent < k,
               to_tail = parent >= 0 && (uint32_t)parent > k;
    const uint32_t from = to_head || k == 0 ? k : k - 1, to = to_tail || k == last ? k : k + 1;
    const lmb_vec3 bone = lmb_vec3_sub(a->rest[spine->joints[to]].translation,
                                       a->rest[spine->joints[from]].translation);
    return from == to ? 0.0f : lmb_atan2(bone.x, bone.z) * 180.0f / LMB_PI;
}

/// Rotation since rest of the bone below a joint of a body without legs: along is 0 at the head and
/// 1 at the tail.
static lmb_quat legless_rotation(const lmbi_animal *a, const lmbi_animal_frame *f,
                                 const lmb_body_chain *spine, uint32_t k, int parent)
{
    float degrees[3];
    heading_at(f, ROW_SPINE_BEND, false, 1.0f - (float)k / (float)(spine->count - 1), degrees);
    const float rest = f->motion->uses[ROW_SPINE_TURN][0] ? rest_turn(a, spine, k, parent) : 0.0f;
    return lmb_quat_mul(bend_turn_side(degrees), lmbi_rotation_y(-rest));
}

/// Headings of a body without legs, whichever way its joints hang from each other.
static void bend_legless(lmbi_animal *a, const lmbi_animal_frame *f, const lmb_body_chain *spine)
{
    for (uint32_t k = 0; k < spine->count; ++k) {
        const int parent = chain_parent(a->skeleton, spine, spine->joints[k]);
        lmb_quat above = lmb_quat_identity();
        if (parent >= 0) {
            const uint32_t p = (uint32_t)parent;
            above = legless_rotation(a, f, spine, p,
                                     chain_parent(a->skeleton, spine, spine->joints[p]));
        }
        turn_joint(
            a, spine->joints[k],
            lmb_quat_mul(lmb_quat_conjugate(above), legless_rotation(a, f, spine, k, parent)));
    }
}

/// The foremost pair of legs; all before it count as hind legs.
static bool is_fore(const lmbi_animal *a, const lmb_body_chain *leg)
{
    return leg->pair > 0 && leg->pair == a->last_pair;
}

static void turn_limb(lmbi_animal *a, const lmbi_motion_values *v, const lmb_body_chain *limb)
{
    const int side = limb->side < 0 ? 1 : 0;
    const float s = side == 0 ? 1.0f : -1.0f;
    const int32_t upper = limb->joints[limb->upper], lower = limb->joints[limb->lower];
    if (limb->kind == LMB_CHAIN_ARM) {
        turn_joint(a, upper,
                   lmb_quat_mul(lmb_quat_mul(lmbi_rotation_y(-s * v->at[ROW_WING_SWEEP][side]),
                                             lmbi_rotation_z(s * v->at[ROW_WING_RAISE][side])),
                                lmbi_rotation_x(v->at[ROW_WING_TWIST][side])));
        turn_joint(a, lower,
                   lmb_quat_mul(lmbi_rotation_y(-s * v->at[ROW_WINGTIP_SWEEP][side]),
                                lmbi_rotation_z(s * v->at[ROW_WINGTIP_RAISE][side])));
        return;
    }
    const bool fore = is_fore(a, limb);
    const float free = 1.0f - v->at[fore ? ROW_FOREFOOT_PLANT : ROW_FOOT_PLANT][side];
    const float swing = v->at[fore ? ROW_FORELEG_SWING : ROW_THIGH_SWING][side],
                bend = v->at[fore ? ROW_FORELEG_BEND : ROW_SHIN_BEND][side],
                toes = fore ? 0.0f : v->at[ROW_ANKLE_BEND][side];
    turn_joint(a, upper, lmbi_rotation_x(-free * swing));
    turn_joint(a, lower, lmbi_rotation_x(free * bend));
    turn_joint(a, limb->joints[limb->end], lmbi_rotation_x(-free * toes));
}

static void set_rotations(lmbi_animal *a, const lmbi_animal_frame *f)
{
    const lmbi_motion_values *v = f->values;
    const float pelvis[3] = {v->at[ROW_PELVIS_BEND][0], v->at[ROW_PELVIS_TURN][0],
                             v->at[ROW_PELVIS_SIDE][0]};
    const float head[3] = {v->at[ROW_HEAD_BEND][0], v->at[ROW_HEAD_TURN][0],
                           v->at[ROW_HEAD_SIDE][0]};
    for (uint32_t j = 0; j < a->skeleton->joint_count; ++j) {
        a->own[j] = lmb_quat_identity();
    }
    turn_joint(a, a->map.root, bend_turn_side(pelvis));
    turn_joint(a, a->jaw, lmbi_rotation_x(v->at[ROW_JAW_OPEN][0]));
    const bool is_legless = find_chain(&a->map, LMB_CHAIN_LEG, 1) == NULL &&
                            find_chain(&a->map, LMB_CHAIN_ARM, 1) == NULL;
    for (uint32_t k = 0; k < a->map.count; ++k) {
        const lmb_body_chain *chain = &a->map.chains[k];
        const uint32_t count = live_count(a->skeleton, chain);
        if (chain->kind == LMB_CHAIN_SPINE && is_legless) {
            bend_legless(a, f, chain);
        } else if (chain->kind == LMB_CHAIN_SPINE) {
            bend_chain(a, f, chain, 1, count, ROW_CHEST_BEND);
        } else if (chain->kind == LMB_CHAIN_NECK) {
            bend_chain(a, f, chain, 0, count > 1 ? count - 1 : 1, ROW_NECK_BEND);
            turn_joint(a, chain->joints[count - 1], bend_turn_side(head));
        } else if (chain->kind == LMB_CHAIN_TAIL) {
            bend_chain(a, f, chain, 0, count, ROW_TAIL_BEND);
        } else {
            turn_limb(a, v, chain);
        }
    }
}

// -------------------------------------------------------------------------------------------- pose

/// model_from_parent.
static lmb_transform parent_place(const lmbi_animal *a, uint32_t joint)
{
    const int32_t parent = a->skeleton->parents[joint];
    return parent < 0 ? a->facing : a->model[parent];
}

static void set_model_rotation(const lmbi_animal *a, uint32_t joint, lmb_quat rotation,
                               lmb_transform *local)
{
    const lmb_quat parent = parent_place(a, joint).rotation;
    local[joint].rotation = lmb_quat_normalize(lmb_quat_mul(lmb_quat_conjugate(parent), rotation));
}

/// Model positions of joints from `first` on; with `turns`, each is first rotated by its own.
static void place_joints(lmbi_animal *a, uint32_t first, bool turns, lmb_transform *local)
{
    for (uint32_t j = first; j < a->skeleton->joint_count; ++j) {
        const lmb_transform parent = parent_place(a, j);
        a->model[j] = lmb_transform_mul(parent, local[j]);
        if (turns && lmb_quat_angle(a->own[j], lmb_quat_identity()) > 0.0f) {
            const int32_t p = a->skeleton->parents[j];
            const lmb_quat rest = p < 0 ? a->facing.rotation : a->rest[p].rotation;
            const lmb_quat carried = lmb_quat_mul(parent.rotation, lmb_quat_conjugate(rest));
            const lmb_quat by =
                lmb_quat_mul(lmb_quat_mul(carried, a->own[j]), lmb_quat_conjugate(carried));
            set_model_rotation(a, j, lmb_quat_mul(by, a->model[j].rotation), local);
            a->model[j] = lmb_transform_mul(parent, local[j]);
        }
    }
}

/// Moves the joint that carries all chains, in body axes.
static void move_body(const lmbi_animal *a, lmb_vec3 by, lmb_transform *local)
{
    const uint32_t root = (uint32_t)a->map.root;
    const lmb_transform parent = parent_place(a, root);
    const float scale = parent.scale.x;
    const lmb_vec3 in_parent = lmb_quat_rotate(lmb_quat_conjugate(parent.rotation), by);
    local[root].translation =
        lmb_vec3_mad(local[root].translation, in_parent, fabsf(scale) > 0.0f ? 1.0f / scale : 1.0f);
}

/// Brings the foot to where it stands at rest, moved by its channels, its sole as at rest.
static void plant_foot(lmbi_animal *a, const lmbi_motion_values *v, const lmb_body_chain *leg,
                       lmb_transform *local)
{
    const int side = leg->side < 0 ? 1 : 0;
    const bool fore = is_fore(a, leg);
    const lmbi_motion_row first = fore ? ROW_FOREFOOT_X : ROW_FOOT_X;
    const float weight = v->at[fore ? ROW_FOREFOOT_PLANT : ROW_FOOT_PLANT][side];
    const uint32_t upper = (uint32_t)leg->joints[leg->upper],
                   lower = (uint32_t)leg->joints[leg->lower], end = (uint32_t)leg->joints[leg->end];
    const lmb_vec3 by = {v->at[first][side], v->at[first + 1][side], v->at[first + 2][side]},
                   zero = {0, 0, 0};
    const lmb_two_bone_points limb = {a->model[upper].translation, a->model[lower].translation,
                                      a->model[end].translation};
    const lmb_vec3 goal =
        lmb_vec3_lerp(limb.end, lmb_vec3_mad(a->rest[end].translation, by, a->unit), weight);
    const lmb_two_bone_rotation bent = lmb_two_bone_solve(limb, goal, zero, zero, 0.0f);
    const lmb_quat shin =
                       lmb_quat_mul(lmb_quat_mul(bent.start, bent.mid), a->model[lower].rotation),
                   foot = lmb_quat_slerp(a->model[end].rotation, a->rest[end].rotation, weight);
    set_model_rotation(a, upper, lmb_quat_mul(bent.start, a->model[upper].rotation), local);
    place_joints(a, upper, false, local);
    set_model_rotation(a, lower, shin, local);
    place_joints(a, lower, false, local);
    set_model_rotation(a, end, foot, local);
    place_joints(a, end, false, local);
}

/// A body without legs stays where it is on average while its headings wave; a snake also lies as
/// low as at rest.
static void center_legless(const lmbi_animal *a, bool lies, const lmb_body_chain *spine,
                           lmb_transform *local)
{
    lmb_vec3 off = {0, 0, 0};
    float rest_low = INFINITY, low = INFINITY;
    const float weight = 1.0f / (float)spine->count;
    for (uint32_t k = 0; k < spine->count; ++k) {
        const lmb_vec3 rest = a->rest[spine->joints[k]].translation,
                       now = a->model[spine->joints[k]].translation;
        off = lmb_vec3_mad(off, lmb_vec3_sub(rest, now), weight);
        rest_low = fminf(rest_low, rest.y);
        low = fminf(low, now.y);
    }
    off.y = lies ? rest_low - low : off.y;
    move_body(a, off, local);
}

void lmbi_animal_pose(lmbi_animal *a, const lmbi_animal_frame *f, lmb_transform *local)
{
    const lmbi_motion_values *v = f->values;
    const lmb_body_chain *spine = find_chain(&a->map, LMB_CHAIN_SPINE, 0);
    const lmb_vec3 by = {v->at[ROW_HIPS_X][0], v->at[ROW_HIPS_Y][0], v->at[ROW_HIPS_Z][0]};
    const bool is_gait = f->motion->base == BASE_GAIT,
               has_legs = find_chain(&a->map, LMB_CHAIN_LEG, 1) != NULL;
    set_rotations(a, f);
    place_joints(a, 0, true, local);
    if (!has_legs && spine != NULL) {
        center_legless(a, f->motion->body == LMB_MOTION_SNAKE, spine, local);
    }
    move_body(a, lmb_vec3_scale(by, a->unit), local);
    place_joints(a, 0, false, local);
    for (uint32_t k = 0; k < a->map.count && !is_gait; ++k) {
        const lmb_body_chain *leg = &a->map.chains[k];
        if (leg->kind == LMB_CHAIN_LEG &&
            v->at[is_fore(a, leg) ? ROW_FOREFOOT_PLANT : ROW_FOOT_PLANT][leg->side < 0] > 0) {
            plant_foot(a, v, leg, local);
        }
    }
    move_body(a, f->travel, local);
}
