/// An envelope as correctives, for programs that only play linear blend skinning.
#include <math.h>
#include <string.h>

#include "author/correct.h"
#include "base/error.h"
#include "limber/anim.h"

enum { MOMENTS = 64 };

typedef struct enveloped {
    lmbi_correction c;
    uint32_t clip, count;
    lmb_deformer *deformer;
    const lmb_vec3 **shapes; ///< [count][vertex_count]
    double *times;           ///< [count]
} enveloped;

static lmb_result check(const lmb_character *c, uint32_t clip, lmb_error *error)
{
    bool has = false;
    for (uint32_t m = 0; m < c->mesh_count; ++m) {
        has = has || c->meshes[m]->envelope;
    }
    if (!has || clip >= c->clip_count) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "an envelope and a clip",
                         has ? "clip %u of %u" : "no envelope", clip, c->clip_count);
    }
    return LMB_OK;
}

static lmb_result prepare(enveloped *e, const lmb_allocator *alloc, lmb_error *error)
{
    const lmb_character *c = e->c.character;
    const float duration = lmb_clip_duration_s(c->clips[e->clip]);
    const float keys = duration * lmbi_correct_rate(&e->c, e->clip);
    e->count = keys < MOMENTS - 1 ? (uint32_t)keys + 1 : MOMENTS;
    e->shapes = lmbi_arena_array(&e->c.arena, e->count, sizeof *e->shapes);
    e->times = lmbi_arena_array(&e->c.arena, e->count, sizeof *e->times);
    if (!e->shapes || !e->times) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t k = 0; e->count > 1 && k < e->count; ++k) {
        e->times[k] = (double)duration * k / (e->count - 1);
    }
    lmb_result result = lmb_deformer_create(c, alloc, &e->deformer, error);
    return result == LMB_OK ? lmb_deformer_prepare(e->deformer, LMB_SKIN_ENVELOPE, NULL, error)
                            : result;
}

static lmb_result shape_frames(enveloped *e, lmb_error *error)
{
    const lmb_character *c = e->c.character;
    const uint32_t joints = c->skeleton->joint_count;
    lmb_transform *local = lmbi_arena_array(&e->c.arena, joints, sizeof *local);
    lmb_mat4 *model = lmbi_arena_array(&e->c.arena, joints, sizeof *model);
    if (!local || !model) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t k = 0; k < e->count; ++k) {
        lmb_vec3 *shape = lmbi_arena_array(&e->c.arena, e->c.vertex_count, sizeof *shape);
        if (!shape) {
            return lmbi_fail_memory(error);
        }
        lmbi_correct_sample(&e->c, e->clip, e->times[k], local);
        lmb_pose_to_model(&(lmb_pose_to_model_job){
            .skeleton = c->skeleton, .local = local, .model_from_joint = model});
        lmb_deform(&(lmb_deform_job){.deformer = e->deformer,
                                     .model_from_joint = model,
                                     .method = LMB_SKIN_ENVELOPE,
                                     .positions_only = true});
        for (uint32_t i = 0; i < c->instance_count; ++i) {
            const lmb_deformed shown = lmb_deformer_instance(e->deformer, i);
            memcpy(shape + e->c.first_vertex[i], shown.positions,
                   shown.vertex_count * sizeof *shape);
        }
        e->shapes[k] = shape;
    }
    return LMB_OK;
}

lmb_result lmb_envelope_bake(lmb_character **character, uint32_t clip, const lmb_allocator *alloc,
                             float *percent, lmb_error *error)
{
    enveloped e = {.clip = clip};
    lmb_correct_frames_report report;
    lmb_result result = lmbi_correct_begin(&e.c, *character, alloc, error);
    if (result == LMB_OK) {
        result = check(*character, clip, error);
    }
    if (result == LMB_OK) {
        result = prepare(&e, alloc, error);
    }
    if (result == LMB_OK) {
        result = shape_frames(&e, error);
    }
    lmb_deformer_destroy(e.deformer);
    if (result == LMB_OK) {
        const lmb_corrected_frames frames = {e.count, e.shapes, clip, e.times};
        const lmb_correct_frames_opts how = {.name = "envelope"};
        result = lmb_correct_frames(character, &frames, &how, alloc, &report, error);
    }
    if (result == LMB_OK && percent) {
        *percent = report.rms_percent;
    }
    lmbi_correct_end(&e.c);
    return result;
}
