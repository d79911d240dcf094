/// Rotations of chains: R_t = D R_t,ref with D = R_s R_s,ref^-1 of the source joint at the same
/// parameter along the chain, interpolated between two joints if their counts differ. Parameters
/// are arc lengths of bone midpoints; limbs are measured between landmarks, so that knees match
/// knees.
#include "retarget/chains.h"
#include "retarget/feet.h"

#include <math.h>
#include <string.h>

#include "asset/asset.h"
#include "base/error.h"
#include "limber/anim.h"
#include "math/scalar.h"

// ---------------------------------------------------------------------------------- the parameters

/// The parameter of each joint along the chain, in [0, 1]. For limbs: 0 at the first long bone, 1
/// at the second, 2 at its end, 3 at the last joint, and negative down to -1 before the first.
static void find_parameters(const lmb_body_chain *c, const lmb_transform *pose, float *at)
{
    float length = 0.0f;
    at[0] = 0.0f;
    for (uint32_t k = 1; k < c->count; ++k) {
        length +=
            lmb_vec3_distance(pose[c->joints[k - 1]].translation, pose[c->joints[k]].translation);
        at[k] = length;
    }
    if (c->kind < LMB_CHAIN_LEG) {
        for (uint32_t k = 0; k < c->count; ++k) {
            at[k] = length > 0.0f ? at[k] / length : (float)k / (float)c->count;
        }
        return;
    }
    const float marks[5] = {0.0f, at[c->upper], at[c->lower], at[c->end], length};
    for (uint32_t k = 0; k < c->count; ++k) {
        const int part = k < c->upper ? 0 : (k < c->lower ? 1 : (k < c->end ? 2 : 3));
        const float span = marks[part + 1] - marks[part];
        at[k] = (float)(part - 1) + (span > 0.0f ? (at[k] - marks[part]) / span : 0.0f);
    }
}

/// The joint that carries the bone between joints k and k + 1 of the chain.
static uint32_t carrying_joint(const lmbi_chain_body *body, const lmb_body_chain *c, uint32_t k)
{
    int32_t j = c->joints[k + 1];
    while (j > c->joints[k]) {
        j = body->skeleton->parents[j];
    }
    return j == c->joints[k] ? k : k + 1;
}

/// Parameter of the middle of the bones that a joint carries; its own if it carries none.
static float middle_parameter(const lmbi_chain_body *body, const lmb_body_chain *c, const float *at,
                              uint32_t k)
{
    float sum = 0.0f, count = 0.0f;
    if (k > 0 && carrying_joint(body, c, k - 1) == k) {
        sum += 0.5f * (at[k - 1] + at[k]);
        count += 1.0f;
    }
    if (k + 1 < c->count && carrying_joint(body, c, k) == k) {
        sum += 0.5f * (at[k] + at[k + 1]);
        count += 1.0f;
    }
    return count > 0.0f ? sum / count : at[k];
}

// ---------------------------------------------------------------------------------------- the plan

static void add_follower(lmbi_chain_transfer *t, int32_t joint, int32_t a, int32_t b, float weight)
{
    if (t->follower_of[joint] < 0) {
        t->follower_of[joint] = (int32_t)t->follower_count;
        t->followers[t->follower_count++] =
            (lmbi_follower){(uint32_t)joint, a, b, weight, t->target->reference[joint].rotation};
    }
}

static void follow_chain(lmbi_chain_transfer *t, const lmb_body_chain *from,
                         const lmb_body_chain *to)
{
    float from_at[LMB_CHAIN_JOINTS], to_at[LMB_CHAIN_JOINTS], parameters[LMB_CHAIN_JOINTS];
    const bool limb = to->kind >= LMB_CHAIN_LEG;
    const bool alike = from->count == to->count && (!limb || from->upper == to->upper);
    find_parameters(from, t->source->reference, from_at);
    find_parameters(to, t->target->reference, to_at);
    for (uint32_t i = 0; i < from->count; ++i) {
        parameters[i] = middle_parameter(t->source, from, from_at, i);
    }
    for (uint32_t k = 0; k < to->count; ++k) {
        if (alike) {
            add_follower(t, to->joints[k], from->joints[k], from->joints[k], 0.0f);
            continue;
        }
        if (limb && k < to->upper && from->upper == 0) {
            continue; // a shoulder blade that the source lacks stays with the trunk
        }
        const float at = middle_parameter(t->target, to, to_at, k);
        uint32_t i = 0;
        while (i + 1 < from->count && parameters[i + 1] < at) {
            ++i;
        }
        const uint32_t next = i + 1 < from->count ? i + 1 : i;
        const float span = parameters[next] - parameters[i];
        const float weight =
            span > 0.0f ? fminf(fmaxf((at - parameters[i]) / span, 0.0f), 1.0f) : 0.0f;
        add_follower(t, to->joints[k], from->joints[i], from->joints[next], weight);
    }
}

/// Index of the source's pair of limbs that matches a pair of the target: first to first, last to
/// last.
static uint32_t pair_for(uint32_t pair, uint32_t to_pairs, uint32_t from_pairs)
{
    return to_pairs < 2 || from_pairs < 2
               ? 0
               : (pair * (from_pairs - 1) + (to_pairs - 1) / 2) / (to_pairs - 1);
}

static void plan_chains(lmbi_chain_transfer *t)
{
    const lmb_chain_map *to = &t->target->map, *from = &t->source->map;
    for (uint32_t i = 0; i < to->count; ++i) {
        const lmb_body_chain *c = &to->chains[i];
        uint32_t pair = c->pair;
        if (c->kind >= LMB_CHAIN_LEG) {
            const uint32_t pairs = lmbi_chain_pairs(to, c->kind);
            pair = pair_for(pair, pairs, lmbi_chain_pairs(from, c->kind));
            // A single source pair drives only the rear pair: the others would move in unison.
            if (lmbi_chain_pairs(from, c->kind) == 1 && c->pair > 0) {
                continue;
            }
        }
        const lmb_body_chain *other = lmbi_chain_get(from, c->kind, c->side, pair);
        if (other == NULL) {
            continue;
        }
        follow_chain(t, other, c);
        ++t->chain_count;
        if (c->kind == LMB_CHAIN_LEG) {
            t->legs[t->leg_count++] = (lmbi_leg_match){c, other};
        }
    }
}

/// Marks the subtree of a root; all joints if it is LMB_NONE.
static void mark_below(const lmb_skeleton *skeleton, int32_t root, bool *below)
{
    for (uint32_t j = root < 0 ? 0 : (uint32_t)root; j < skeleton->joint_count; ++j) {
        const int32_t parent = skeleton->parents[j];
        below[j] = root < 0 || (int32_t)j == root || (parent >= root && below[parent]);
    }
}

/// Joints outside the chains (ears, jaws, fingers) follow the source joint of the same name. False
/// when out of memory.
static bool plan_namesakes(lmbi_chain_transfer *t, lmbi_arena *arena)
{
    const lmb_skeleton *to = t->target->skeleton, *from = t->source->skeleton;
    bool *mine = lmbi_arena_array(arena, t->target->count, sizeof *mine),
         *theirs = lmbi_arena_array(arena, t->source->count, sizeof *theirs);
    lmbi_joint_names names;
    if (mine == NULL || theirs == NULL || !lmbi_joint_names_make(from, arena, &names)) {
        return false;
    }
    mark_below(to, t->target->map.root, mine);
    mark_below(from, t->source->map.root, theirs);
    for (uint32_t i = 0; i < t->source->map.count; ++i) {
        const lmb_body_chain *c = &t->source->map.chains[i];
        for (uint32_t k = 0; k < c->count; ++k) {
            theirs[c->joints[k]] = false; // joints of chains are driven by their chain
        }
    }
    for (uint32_t j = 0; j < t->target->count; ++j) {
        const int32_t same = lmbi_joint_names_find(&names, to->names[j]);
        if (same >= 0 && mine[j] && theirs[same]) {
            add_follower(t, (int32_t)j, same, same, 0.0f);
        }
    }
    return true;
}

// -------------------------------------------------------------------------------------- the frames

static lmb_quat rotation_since_reference(const lmbi_chain_transfer *t, const lmb_transform *pose,
                                         int32_t joint)
{
    return lmb_quat_mul(pose[joint].rotation,
                        lmb_quat_conjugate(t->source->reference[joint].rotation));
}

/// Position of the source's trunk at the parameter that the target's root has along its own.
static lmb_vec3 root_point(const lmbi_chain_transfer *t, const lmb_transform *pose)
{
    const lmb_body_chain *to = lmbi_chain_get(&t->target->map, LMB_CHAIN_SPINE, 0, 0),
                         *from = lmbi_chain_get(&t->source->map, LMB_CHAIN_SPINE, 0, 0);
    float to_at[LMB_CHAIN_JOINTS], from_at[LMB_CHAIN_JOINTS], at = 0.0f;
    if (t->target->has_legs || to == NULL || from == NULL) {
        return pose[t->source->map.root].translation;
    }
    find_parameters(to, t->target->reference, to_at);
    find_parameters(from, t->source->reference, from_at);
    for (uint32_t k = 0; k < to->count; ++k) {
        at = to->joints[k] == t->target->map.root ? to_at[k] : at;
    }
    uint32_t i = 0;
    while (i + 2 < from->count && from_at[i + 1] < at) {
        ++i;
    }
    const uint32_t next = i + 1 < from->count ? i + 1 : i;
    const float span = from_at[next] - from_at[i];
    return lmb_vec3_lerp(pose[from->joints[i]].translation, pose[from->joints[next]].translation,
                         span > 0.0f ? fminf(fmaxf((at - from_at[i]) / span, 0.0f), 1.0f) : 0.0f);
}

lmb_vec3 lmbi_chain_map_point(const lmbi_chain_transfer *t, uint32_t frame, lmb_vec3 p,
                              lmb_vec3 rest, lmb_vec3 goal)
{
    if (t->same) {
        return p;
    }
    const lmb_vec3 front = t->headings[frame], left = {front.z, 0.0f, -front.x};
    const lmb_vec3 from = lmb_vec3_sub(rest, t->source->centre),
                   to = lmb_vec3_sub(goal, t->target->centre);
    const lmb_vec3 more = lmb_vec3_mad(to, from, -t->scale);
    lmb_vec3 out = lmb_vec3_scale(p, t->scale);
    out = lmb_vec3_mad(lmb_vec3_mad(out, left, more.x), front, more.z);
    out.y = t->target_floor + t->scale * (p.y - t->source_floor) + more.y;
    return out;
}

/// Forward direction of the source's root, on the ground.
static lmb_vec3 forward_of(const lmbi_chain_transfer *t, uint32_t frame)
{
    const lmb_transform *pose = t->motion->model + (size_t)frame * t->source->count;
    lmb_vec3 front = lmb_quat_rotate(rotation_since_reference(t, pose, t->source->map.root),
                                     lmb_vec3_make(0, 0, 1));
    front.y = 0.0f;
    return front;
}

void lmbi_chain_face(lmbi_chain_transfer *t, uint32_t frame)
{
    t->headings[frame] = lmb_vec3_normalize_or(forward_of(t, frame), t->headings[frame]);
}

/// The heading of each frame: the forward direction of the source's root on the ground, averaged
/// over a stride.
static bool find_headings(lmbi_chain_transfer *t, lmbi_arena *arena)
{
    const uint32_t n = t->motion->frame_count;
    t->headings = lmbi_arena_array(arena, n, sizeof *t->headings);
    for (uint32_t f = 0; t->headings != NULL && f < n; ++f) {
        t->headings[f] = forward_of(t, f);
    }
    return t->headings != NULL && lmbi_headings_average(t->headings, n, t->motion->rate, arena);
}

/// The floor: a low quantile of the lowest paw's height; without legs that of the reference pose.
static bool find_floors(lmbi_chain_transfer *t, lmbi_arena *arena)
{
    const uint32_t n = t->motion->frame_count;
    float *low = lmbi_arena_array(arena, n, sizeof *low);
    t->source_floor = t->source->centre.y;
    t->target_floor = t->target->centre.y;
    if (low == NULL) {
        return false;
    }
    for (uint32_t f = 0; f < n && t->leg_count > 0; ++f) {
        low[f] = INFINITY;
        for (uint32_t k = 0; k < t->leg_count; ++k) {
            const lmb_vec3 paw = lmbi_paw(t->source, t->legs[k].from,
                                          t->motion->model + (size_t)f * t->source->count);
            low[f] = fminf(low[f], paw.y);
        }
    }
    t->source_floor = t->leg_count > 0 ? lmbi_quantile(low, n, 0.04f) : t->source_floor;
    return true;
}

void lmbi_chain_pose(const lmbi_chain_transfer *t, uint32_t frame, lmb_transform *model)
{
    const lmb_transform *local = t->local + (size_t)frame * t->target->count;
    for (uint32_t j = 0; j < t->target->count; ++j) {
        const int32_t parent = t->target->skeleton->parents[j];
        model[j] = parent < 0 ? local[j] : lmb_transform_mul(model[parent], local[j]);
    }
}

void lmbi_chain_set_root(const lmbi_chain_transfer *t, uint32_t frame, lmb_vec3 position)
{
    lmb_transform *local = t->local + (size_t)frame * t->target->count;
    const int32_t root = t->target->map.root;
    lmb_transform above = lmb_transform_identity();
    for (int32_t j = t->target->skeleton->parents[root]; j >= 0;
         j = t->target->skeleton->parents[j]) {
        above = lmb_transform_mul(local[j], above);
    }
    local[root].translation = lmbi_local_point(&above, position);
}

void lmbi_chain_carry(lmbi_chain_transfer *t, uint32_t frame, lmb_transform *model)
{
    const lmb_skeleton *skeleton = t->target->skeleton;
    const lmb_transform *pose = t->motion->model + (size_t)frame * t->source->count;
    lmb_transform *local = t->local + (size_t)frame * t->target->count;
    for (uint32_t j = 0; j < t->target->count; ++j) {
        const int32_t parent = skeleton->parents[j], i = t->follower_of[j];
        local[j] = skeleton->rest[j];
        if (i >= 0) {
            const lmbi_follower *f = &t->followers[i];
            const lmb_quat rotation =
                f->a == f->b ? rotation_since_reference(t, pose, f->a)
                             : lmb_quat_slerp(rotation_since_reference(t, pose, f->a),
                                              rotation_since_reference(t, pose, f->b), f->weight);
            const lmb_quat goal = lmb_quat_mul(rotation, f->reference);
            local[j].rotation = lmb_quat_normalize(
                parent < 0 ? goal : lmb_quat_mul(lmb_quat_conjugate(model[parent].rotation), goal));
        }
        model[j] = parent < 0 ? local[j] : lmb_transform_mul(model[parent], local[j]);
    }
    lmbi_chain_set_root(
        t, frame,
        lmbi_chain_map_point(t, frame, root_point(t, pose), root_point(t, t->source->reference),
                             t->target->reference[t->target->map.root].translation));
}

/// One skeleton on both sides: copies the clip's local pose, with the motion's root position.
static void copy_frame(lmbi_chain_transfer *t, const lmb_clip *clip, uint32_t frame,
                       lmb_transform *model)
{
    const lmbi_motion *motion = t->motion;
    const uint32_t n = t->target->count, cycle = motion->kept > 1 ? motion->kept - 1 : 1;
    const uint32_t padded = frame + (motion->lead / cycle + 1) * cycle - motion->lead;
    const bool kept = frame >= motion->lead && frame < motion->lead + motion->kept;
    const uint32_t at = (kept ? frame - motion->lead : padded % cycle) + motion->dropped;
    const lmb_vec3 position =
        motion->model[(size_t)frame * n + (size_t)t->target->map.root].translation;
    lmb_sample(&(lmb_sample_job){.clip = clip,
                                 .time_s = (double)at / (double)motion->rate,
                                 .joint_count = n,
                                 .rest = t->target->skeleton->rest,
                                 .pose = t->local + (size_t)frame * n});
    lmbi_chain_pose(t, frame, model);
    if (lmb_vec3_distance(model[t->target->map.root].translation, position) >
        1e-6f * t->target->size) {
        lmbi_chain_set_root(t, frame, position);
    }
}

lmb_result lmbi_chain_transfer_make(const lmbi_chain_body *source, const lmbi_chain_body *target,
                                    const lmbi_motion *motion, const lmb_clip *clip, bool same,
                                    lmbi_arena *arena, lmbi_chain_transfer *out, lmb_error *error)
{
    lmbi_chain_transfer t = {.source = source, .target = target, .motion = motion, .same = same};
    t.follower_of = lmbi_arena_array(arena, target->count, sizeof *t.follower_of);
    t.followers = lmbi_arena_array(arena, target->count, sizeof *t.followers);
    t.local = lmbi_arena_array(arena, (size_t)motion->frame_count * target->count, sizeof *t.local);
    lmb_transform *model = lmbi_arena_array(arena, target->count, sizeof *model);
    if (t.follower_of == NULL || t.followers == NULL || t.local == NULL || model == NULL) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t j = 0; j < target->count; ++j) {
        t.follower_of[j] = LMB_NONE;
    }
    plan_chains(&t);
    if (t.chain_count == 0) {
        return lmbi_fail(error, LMB_ERROR_UNSUPPORTED, "chains that both bodies have",
                         "%u of the motion and %u of the character, none in common",
                         (unsigned)source->map.count, (unsigned)target->map.count);
    }
    if (!plan_namesakes(&t, arena)) {
        return lmbi_fail_memory(error);
    }
    const bool by_trunk = source->has_legs != target->has_legs && source->trunk > 0.0f;
    t.scale =
        same ? 1.0f : (by_trunk ? target->trunk / source->trunk : target->size / source->size);
    if (!find_headings(&t, arena) || !find_floors(&t, arena)) {
        return lmbi_fail_memory(error);
    }
    if (same) {
        t.target_floor = t.source_floor;
    }
    for (uint32_t f = 0; f < motion->frame_count; ++f) {
        if (same) {
            copy_frame(&t, clip, f, model);
        } else {
            lmbi_chain_carry(&t, f, model);
        }
    }
    *out = t;
    return LMB_OK;
}
