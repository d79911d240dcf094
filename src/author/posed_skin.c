#include "author/posed_skin.h"

#include <string.h>

#include "base/error.h"

static bool allocate_pose(lmbi_posed_skin *p)
{
    lmbi_arena *arena = &p->arena;
    const uint32_t joint_count = p->character->skeleton->joint_count;
    p->local = lmbi_arena_array(arena, joint_count, sizeof *p->local);
    p->model = lmbi_arena_array(arena, joint_count, sizeof *p->model);
    p->weight_first = lmbi_arena_array(arena, (size_t)joint_count + 1, sizeof *p->weight_first);
    if (arena->failed) {
        return false;
    }
    const uint32_t weight_count = lmb_character_weights(p->character, p->weight_first, NULL);
    p->rest_weights = lmbi_arena_array(arena, weight_count, sizeof *p->rest_weights);
    p->weights = lmbi_arena_array(arena, weight_count, sizeof *p->weights);
    if (!arena->failed) {
        lmb_character_weights(p->character, p->weight_first, p->rest_weights);
    }
    return !arena->failed;
}

lmb_result lmbi_posed_skin_create(const lmb_character *character, const lmb_allocator *alloc,
                                  lmbi_posed_skin *out, lmb_error *error)
{
    *out = (lmbi_posed_skin){.character = character};
    lmbi_arena_init(&out->arena, alloc);
    lmb_result result = lmb_deformer_create(character, alloc, &out->deformer, error);
    if (result == LMB_OK && !allocate_pose(out)) {
        result = lmbi_fail_memory(error);
    }
    if (result != LMB_OK) {
        lmbi_posed_skin_free(out);
    }
    return result;
}

void lmbi_posed_skin_free(lmbi_posed_skin *skin)
{
    lmb_deformer_destroy(skin->deformer);
    lmbi_arena_free(&skin->arena);
    *skin = (lmbi_posed_skin){0};
}

void lmbi_posed_skin_pose(const lmbi_posed_skin *p, const lmb_clip *clip, double time_s)
{
    const lmb_skeleton *skeleton = p->character->skeleton;
    memcpy(p->local, skeleton->rest, skeleton->joint_count * sizeof *p->local);
    memcpy(p->weights, p->rest_weights,
           p->weight_first[skeleton->joint_count] * sizeof *p->weights);
    if (clip) {
        lmb_sample(&(lmb_sample_job){.clip = clip,
                                     .time_s = time_s,
                                     .joint_count = skeleton->joint_count,
                                     .pose = p->local,
                                     .weight_first = p->weight_first,
                                     .weights = p->weights});
    }
    lmb_pose_to_model(&(lmb_pose_to_model_job){
        .skeleton = skeleton, .local = p->local, .model_from_joint = p->model});
}

void lmbi_posed_skin_deform(const lmbi_posed_skin *p, const lmb_jobs *jobs)
{
    lmb_deform(&(lmb_deform_job){.deformer = p->deformer,
                                 .model_from_joint = p->model,
                                 .weight_first = p->weight_first,
                                 .weights = p->weights,
                                 .positions_only = true,
                                 .jobs = jobs});
}
