#include "retarget/hands_reach.h"
#include "math/math.h"

#include "limber/ik.h"
#include "retarget/feet.h"

#define SPINE_STIFF 3.0f  ///< the spine bends only once the arms are straight
#define HELPER_STIFF 1e3f ///< joints that the motion does not drive stay as they are
#define REST_WEIGHT 1e-5f ///< pull towards the input pose
#define BEND_S 0.2f       ///< time over which a trunk bends

static void free_arm_chain(lmbi_hands_reach *r, int32_t hand)
{
    const lmbi_transfer *t = r->t;
    for (int32_t j = t->target->skeleton->parents[hand]; j >= r->root;
         j = t->target->skeleton->parents[j]) {
        r->stiffness[j] = t->driven_of[j] >= 0 ? 1.0f : HELPER_STIFF;
    }
}

static void find_bend_joints(lmbi_hands_reach *r)
{
    static const int shoulders[2] = {LMB_HUMAN_LEFT_SHOULDER, LMB_HUMAN_RIGHT_SHOULDER};
    const lmbi_transfer *t = r->t;
    const lmb_joint_map *map = &t->target->map;
    for (uint32_t k = 0; k < map->spine_count; ++k) {
        r->stiffness[map->spine[k]] *= SPINE_STIFF;
        if (t->driven_of[map->spine[k]] >= 0) {
            r->bend_joints[r->bend_joint_count++] = t->driven_of[map->spine[k]];
        }
    }
    for (int k = 0; k < 2; ++k) {
        if (lmbi_driven_slot(t, shoulders[k]) >= 0) {
            r->bend_joints[r->bend_joint_count++] = lmbi_driven_slot(t, shoulders[k]);
        }
    }
}

bool lmbi_hands_reach_begin(lmbi_transfer *t, lmbi_arena *arena, lmbi_hands_reach *out)
{
    const lmb_joint_map *map = &t->target->map;
    const uint32_t n = t->target->count, frames = t->motion->frame_count;
    lmbi_hands_reach r = {.t = t, .root = map->spine_count > 0 ? map->spine[0] : LMB_NONE};
    r.stiffness = lmbi_arena_array(arena, n, sizeof *r.stiffness);
    r.local = lmbi_arena_array(arena, n, sizeof *r.local);
    r.rest = lmbi_arena_array(arena, n, sizeof *r.rest);
    r.model = lmbi_arena_array(arena, n, sizeof *r.model);
    r.scratch_size = lmb_ik_full_body_scratch(n, 2);
    r.scratch = lmbi_arena_array(arena, r.scratch_size, 1);
    if (r.stiffness == NULL || r.local == NULL || r.rest == NULL || r.model == NULL ||
        r.scratch == NULL) {
        return false;
    }
    for (uint32_t j = 0; j < n; ++j) {
        r.stiffness[j] = HELPER_STIFF;
    }
    for (int bone = LMB_HUMAN_LEFT_HAND; r.root >= 0 && bone <= LMB_HUMAN_RIGHT_HAND;
         bone += LMB_HUMAN_RIGHT_HAND - LMB_HUMAN_LEFT_HAND) {
        free_arm_chain(&r, lmbi_joint(t->target, bone));
    }
    find_bend_joints(&r);
    r.bends = lmbi_arena_array(arena, (size_t)frames * r.bend_joint_count, sizeof *r.bends);
    r.bend_sizes = lmbi_arena_array(arena, frames, sizeof *r.bend_sizes);
    r.scratch_frames = lmbi_arena_array(arena, frames, sizeof *r.scratch_frames);
    *out = r;
    return r.bends != NULL && r.bend_sizes != NULL && r.scratch_frames != NULL;
}

static void store_local_pose(lmbi_hands_reach *r, const lmb_transform *model)
{
    const lmb_skeleton *skeleton = r->t->target->skeleton;
    for (uint32_t j = 0; j < r->t->target->count; ++j) {
        const int32_t parent = skeleton->parents[j];
        r->local[j] = skeleton->rest[j];
        if (parent < 0) {
            r->local[j] = model[j];
            continue;
        }
        r->local[j].rotation = lmb_quat_normalize(
            lmb_quat_mul(lmb_quat_conjugate(model[parent].rotation), model[j].rotation));
        r->local[j].translation = lmbi_local_point(&model[parent], model[j].translation);
    }
    for (uint32_t j = 0; j < r->t->target->count; ++j) {
        r->rest[j] = r->local[j];
    }
}

void lmbi_hands_reach_request(lmbi_hands_reach *r, uint32_t frame, const lmb_transform *model,
                              const lmbi_hand_goal goals[2])
{
    lmb_goal requested[2];
    uint32_t count = 0;
    for (int k = 0; k < 2; ++k) {
        if (goals[k].joint >= 0) {
            requested[count++] = (lmb_goal){.kind = LMB_GOAL_POSITION,
                                            .joint = (uint32_t)goals[k].joint,
                                            .target = goals[k].position};
        }
    }
    if (r->root < 0 || count == 0) {
        return;
    }
    store_local_pose(r, model);
    (void)lmb_ik_full_body(&(lmb_ik_full_body_job){.skeleton = r->t->target->skeleton,
                                                   .local = r->local,
                                                   .root = (uint32_t)r->root,
                                                   .pinned = true,
                                                   .free = true,
                                                   .goal_count = count,
                                                   .goals = requested,
                                                   .rest_weight = REST_WEIGHT,
                                                   .rest = r->rest,
                                                   .stiffness = r->stiffness,
                                                   .scratch = r->scratch,
                                                   .scratch_size = r->scratch_size});
    lmb_pose_to_model(&(lmb_pose_to_model_job){
        .skeleton = r->t->target->skeleton, .local = r->local, .model_from_joint = r->model});
    for (uint32_t k = 0; k < r->bend_joint_count; ++k) {
        const uint32_t joint = r->t->driven[r->bend_joints[k]].joint;
        lmb_transform now;
        (void)lmb_mat4_decompose(r->model[joint], &now);
        const lmb_vec3 bend = lmbi_rotation_vector_of(
            lmb_quat_mul(now.rotation, lmb_quat_conjugate(model[joint].rotation)));
        r->bends[(size_t)frame * r->bend_joint_count + k] = bend;
        r->bend_sizes[frame] += lmb_vec3_length(bend);
    }
    r->any = true;
}

/// Weighted mean direction of the bends around a frame, scaled to the greatest bend near it.
static lmb_vec3 bend_at(const lmbi_hands_reach *r, uint32_t frame, uint32_t k, uint32_t reach,
                        float bend_sizes)
{
    const uint32_t count = r->t->motion->frame_count, begin = frame > reach ? frame - reach : 0;
    lmb_vec3 sum = {0, 0, 0};
    float total = 0.0f;
    for (uint32_t f = begin; f <= frame + reach && f < count; ++f) {
        const float x = ((float)f - (float)frame) / (float)(reach + 1),
                    w = (1.0f - x * x) * (1.0f - x * x);
        sum = lmb_vec3_mad(sum, r->bends[(size_t)f * r->bend_joint_count + k], w);
        total += w * r->scratch_frames[f];
    }
    return total > 0.0f ? lmb_vec3_scale(sum, bend_sizes / total) : sum;
}

void lmbi_hands_reach_apply(lmbi_hands_reach *r)
{
    const uint32_t count = r->t->motion->frame_count,
                   reach = (uint32_t)(BEND_S * r->t->motion->rate + 1.0f);
    if (!r->any) {
        return;
    }
    lmbi_feet_spread(r->bend_sizes, r->scratch_frames, count, reach);
    // Lengths of the requests themselves, beside the spread ones.
    for (uint32_t f = 0; f < count; ++f) {
        r->scratch_frames[f] = 0.0f;
        for (uint32_t k = 0; k < r->bend_joint_count; ++k) {
            r->scratch_frames[f] += lmb_vec3_length(r->bends[(size_t)f * r->bend_joint_count + k]);
        }
    }
    for (uint32_t f = 0; f < count; ++f) {
        lmb_quat *rotations = r->t->rotations + (size_t)f * r->t->driven_count;
        for (uint32_t k = 0; k < r->bend_joint_count && r->bend_sizes[f] > 0.0f; ++k) {
            lmb_quat *q = &rotations[r->bend_joints[k]];
            const lmb_vec3 bend = bend_at(r, f, k, 2 * reach, r->bend_sizes[f]);
            *q = lmb_quat_normalize(lmb_quat_mul(lmbi_rotation_vector(bend), *q));
        }
    }
}
