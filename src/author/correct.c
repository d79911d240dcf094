/// Correctives from sculpts: their displacements before skinning, and the steps in order.
#include "author/correct.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "limber/anim.h"

/// Displacements below this fraction of the largest are the rounding of the sculpt's file.
static const float LEAST_DISPLACEMENT = 1e-5f;
/// A sculpt that displaces no vertex by more than this fraction of the size is the shape itself.
static const float LEAST_SCULPT = 1e-6f;

// ---- from sculpts to displacements

static lmb_result check(const lmbi_correction *c, const lmb_sculpt *sculpt, uint32_t number,
                        lmb_error *error)
{
    if (sculpt->clip >= c->character->clip_count) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a clip of the character",
                         "clip %u of %u for sculpt %u", sculpt->clip, c->character->clip_count,
                         number);
    }
    for (uint32_t v = 0; v < c->vertex_count; ++v) {
        if (!lmb_vec3_is_finite(sculpt->positions[v])) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "finite positions", "vertex %u of sculpt %u",
                             v, number);
        }
    }
    return LMB_OK;
}

void lmbi_correct_sample(const lmbi_correction *c, uint32_t clip, double time_s,
                         lmb_transform *local)
{
    const lmb_skeleton *s = c->character->skeleton;
    memcpy(local, s->rest, s->joint_count * sizeof *local);
    lmb_sample(&(lmb_sample_job){.clip = c->character->clips[clip],
                                 .time_s = time_s,
                                 .joint_count = s->joint_count,
                                 .rest = s->rest,
                                 .pose = local});
}

/// The mesh with its morph targets at their weights at rest.
static void morph_at_rest(const lmb_mesh *mesh, const lmb_instance *instance, lmb_vec3 *out)
{
    const float *weights =
        instance->target_weights ? instance->target_weights : mesh->target_weights;
    memcpy(out, mesh->positions, mesh->vertex_count * sizeof *out);
    for (uint32_t t = 0; weights && t < mesh->target_count; ++t) {
        for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
            out[v] = lmb_vec3_mad(out[v], mesh->targets[t].positions[v], weights[t]);
        }
    }
}

bool lmbi_correct_scratch_make(lmbi_correction *c, lmbi_correct_scratch *s)
{
    const size_t joints = c->character->skeleton->joint_count;
    s->model = lmbi_arena_array(&c->arena, joints, sizeof *s->model);
    s->palette = lmbi_arena_array(&c->arena, joints, sizeof *s->palette);
    s->base = lmbi_arena_array(&c->arena, c->vertex_count, sizeof *s->base);
    return s->model && s->palette && s->base;
}

void lmbi_correct_displace(const lmbi_correction *c, const lmb_transform *local,
                           const lmb_vec3 *sculpted, const lmbi_correct_scratch *s,
                           lmb_vec3 *displacements)
{
    lmb_pose_to_model(&(lmb_pose_to_model_job){
        .skeleton = c->character->skeleton, .local = local, .model_from_joint = s->model});
    for (uint32_t i = 0; i < c->character->instance_count; ++i) {
        if (!lmbi_correct_is_skinned(c, i)) {
            continue;
        }
        const lmb_instance *instance = &c->character->instances[i];
        morph_at_rest(lmbi_correct_mesh(c, i), instance, s->base);
        lmb_skin_palette(c->character->skins[instance->skin], s->model, s->palette);
        lmb_corrective(
            &(lmb_corrective_job){.mesh = lmbi_correct_mesh(c, i),
                                  .model_from_bind = s->palette,
                                  .positions = s->base,
                                  .sculpted = sculpted + c->first_vertex[i],
                                  .out_displacements = displacements + c->first_vertex[i]});
    }
}

/// Drops what is rounding; counts what is left.
static lmb_result clean(lmbi_correction *c, lmbi_corrective *k, lmb_error *error)
{
    float most = 0, size = 0;
    for (uint32_t v = 0; v < c->vertex_count; ++v) {
        most = fmaxf(most, lmb_vec3_length(k->displacements[v]));
    }
    for (uint32_t i = 0; i < c->character->instance_count; ++i) {
        const lmb_box box =
            lmb_box_of(lmbi_correct_mesh(c, i)->positions, lmbi_correct_mesh(c, i)->vertex_count);
        size = fmaxf(size, lmb_vec3_distance(box.low, box.high));
    }
    if (!(most > LEAST_SCULPT * size)) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a sculpt that differs from the posed shape",
                         "sculpt %u, which is that shape at %g s", (unsigned)(k - c->correctives),
                         k->sculpt->time_s);
    }
    for (uint32_t v = 0; v < c->vertex_count; ++v) {
        const bool moves = lmb_vec3_length(k->displacements[v]) > LEAST_DISPLACEMENT * most;
        k->displacements[v] = moves ? k->displacements[v] : (lmb_vec3){0, 0, 0};
        k->report.vertex_count += moves;
    }
    return LMB_OK;
}

static lmb_result take_back(lmbi_correction *c, const lmb_correct_opts *opts, lmb_error *error)
{
    const size_t joints = c->character->skeleton->joint_count;
    lmbi_correct_scratch scratch;
    if (!lmbi_correct_scratch_make(c, &scratch)) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t number = 0; number < c->count; ++number) {
        lmbi_corrective *k = &c->correctives[number];
        k->sculpt = &opts->sculpts[number];
        k->name = lmbi_correct_name(c, k->sculpt->name, NULL, number);
        k->local = lmbi_arena_array(&c->arena, joints, sizeof *k->local);
        k->drives = lmbi_arena_array(&c->arena, joints, sizeof *k->drives);
        k->displacements = lmbi_arena_array(&c->arena, c->vertex_count, sizeof *k->displacements);
        if (!k->name || !k->local || !k->drives || !k->displacements) {
            return lmbi_fail_memory(error);
        }
        c->keys[number] = (lmbi_correct_key){k->sculpt->clip, k->sculpt->time_s};
        lmb_result result = check(c, k->sculpt, number, error);
        if (result == LMB_OK) {
            lmbi_correct_sample(c, k->sculpt->clip, k->sculpt->time_s, k->local);
            lmbi_correct_displace(c, k->local, k->sculpt->positions, &scratch, k->displacements);
            result = clean(c, k, error);
        }
        if (result != LMB_OK) {
            return result;
        }
    }
    return LMB_OK;
}

// ---- the whole

/// Largest distance from each sculpt at its pose: what the other sculpts of its group and the
/// dropped rounding add.
static void measure(lmbi_correction *c, float *weights)
{
    for (uint32_t k = 0; k < c->count; ++k) {
        float most = 0;
        lmbi_correct_weights(c, c->correctives[k].local, weights);
        for (uint32_t v = 0; v < c->vertex_count; ++v) {
            lmb_vec3 off = lmb_vec3_neg(c->correctives[k].displacements[v]);
            for (uint32_t n = 0; n < c->count; ++n) {
                off = lmb_vec3_mad(off, c->correctives[n].displacements[v], weights[n]);
            }
            most = fmaxf(most, lmb_vec3_length(off));
        }
        c->correctives[k].report.error_m = most;
    }
}

lmb_result lmbi_correct_begin(lmbi_correction *c, const lmb_character *character,
                              const lmb_allocator *alloc, lmb_error *error)
{
    c->character = character;
    lmbi_arena_init(&c->arena, alloc);
    c->first_vertex =
        lmbi_arena_array(&c->arena, (size_t)character->instance_count + 1, sizeof *c->first_vertex);
    if (!c->first_vertex) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t i = 0; i < character->instance_count; ++i) {
        c->first_vertex[i + 1] = c->first_vertex[i] + lmbi_correct_mesh(c, i)->vertex_count;
    }
    c->vertex_count = c->first_vertex[character->instance_count];
    return LMB_OK;
}

void lmbi_correct_end(lmbi_correction *c)
{
    for (uint32_t g = 0; c->spaces && g < c->group_count; ++g) {
        lmb_pose_space_destroy(c->spaces[g]);
    }
    lmbi_arena_free(&c->arena);
}

static lmb_result prepare(lmbi_correction *c, const lmb_correct_opts *opts, lmb_error *error)
{
    c->count = c->key_count = opts->sculpt_count;
    c->frame_rate = opts->frame_rate;
    if (c->count == 0) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "sculpts", "none");
    }
    c->correctives = lmbi_arena_array(&c->arena, c->count, sizeof *c->correctives);
    c->keys = lmbi_arena_array(&c->arena, c->count, sizeof *c->keys);
    return c->correctives && c->keys ? take_back(c, opts, error) : lmbi_fail_memory(error);
}

lmb_result lmb_correct(lmb_character **character, const lmb_correct_opts *opts,
                       const lmb_allocator *alloc, lmb_corrective_report *reports, lmb_error *error)
{
    lmbi_correction c = {0};
    lmb_character *made = NULL;
    lmb_result result = lmbi_correct_begin(&c, *character, alloc, error);
    if (result == LMB_OK) {
        result = prepare(&c, opts, error);
    }
    if (result == LMB_OK) {
        result = lmbi_correct_drivers(&c, error);
    }
    if (result == LMB_OK) {
        result = lmbi_correct_spaces(&c, error);
    }
    float *weights = lmbi_arena_array(&c.arena, 2 * (size_t)c.count, sizeof *weights);
    if (result == LMB_OK && !weights) {
        result = lmbi_fail_memory(error);
    }
    if (result == LMB_OK) {
        measure(&c, weights);
        result = lmbi_correct_make(&c, alloc, &made, error);
    }
    if (result == LMB_OK) {
        lmbi_correct_drop(*character, made);
        *character = made;
    }
    for (uint32_t k = 0; result == LMB_OK && reports && k < c.count; ++k) {
        reports[k] = c.correctives[k].report;
    }
    lmbi_correct_end(&c);
    return result;
}
