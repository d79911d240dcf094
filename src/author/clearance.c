/// How a clip keeps a character's skin on its ground.
#include "author/author.h"
#include "limber/author.h"

#include "base/arena.h"
#include "base/error.h"
#include "limber/anim.h"
#include "limber/skin.h"

#include <math.h>
#include <string.h>

enum { MOST_FRAMES = 120 };

typedef struct posed_skin {
    const lmb_character *character;
    lmb_deformer *deformer;
    lmb_transform *local;   ///< [joint_count]
    lmb_mat4 *model;        ///< [joint_count]
    uint32_t *weight_first; ///< [joint_count + 1]
    float *rest_weights, *weights;
    lmbi_arena arena; ///< of these arrays
} posed_skin;

static bool allocate_pose(posed_skin *p)
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

/// Bounds of the skin; at rest with `clip` NULL.
static lmb_box skin_bounds(const posed_skin *p, const lmb_clip *clip, double time_s,
                           const lmb_jobs *jobs)
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
    lmb_deform(&(lmb_deform_job){.deformer = p->deformer,
                                 .model_from_joint = p->model,
                                 .weight_first = p->weight_first,
                                 .weights = p->weights,
                                 .positions_only = true,
                                 .jobs = jobs});
    return lmb_deformer_box(p->deformer);
}

static void measure_frames(const posed_skin *p, const lmb_clip *clip, const lmb_jobs *jobs,
                           lmb_clearance *out)
{
    const double duration_s = (double)lmb_clip_duration_s(clip);
    const int frames = (int)fmin(ceil(duration_s * 30) + 1, (double)MOST_FRAMES);
    const lmb_box at_rest = skin_bounds(p, NULL, 0, jobs);
    const float rest = at_rest.low.y;
    *out = (lmb_clearance){true, 1e30f, -1e30f, at_rest.high.y - rest};
    for (int f = 0; f < frames; ++f) {
        const double time_s = frames > 1 ? duration_s * f / (frames - 1) : 0;
        const float height = skin_bounds(p, clip, time_s, jobs).low.y;
        out->min_m = fminf(out->min_m, height);
        out->max_m = fmaxf(out->max_m, height);
    }
    // Motions stand on height 0, also those on a body whose origin is in its middle.
    const float ground = fabsf(out->min_m) < fabsf(out->min_m - rest) ? 0 : rest;
    out->min_m -= ground;
    out->max_m -= ground;
}

lmb_result lmbi_clearance_measure(const lmb_character *character, const lmb_clip *clip,
                                  const lmb_jobs *jobs, const lmb_allocator *alloc,
                                  lmb_clearance *out, lmb_error *error)
{
    *out = (lmb_clearance){0};
    if (character->instance_count == 0) {
        return LMB_OK;
    }
    posed_skin p = {.character = character};
    lmbi_arena_init(&p.arena, alloc);
    lmb_result result = lmb_deformer_create(character, alloc, &p.deformer, error);
    if (result == LMB_OK) {
        result = allocate_pose(&p) ? LMB_OK : lmbi_fail_memory(error);
    }
    if (result == LMB_OK) {
        measure_frames(&p, clip, jobs, out);
    }
    lmb_deformer_destroy(p.deformer);
    lmbi_arena_free(&p.arena);
    return result;
}
