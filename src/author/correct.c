/// Correctives from sculpts: morph targets, and weights in every clip that turn them on.
#include "author/correct.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/format.h"
#include "limber/anim.h"

/// Displacements below this fraction of the largest are the rounding of the sculpt's file.
static const float LEAST_DISPLACEMENT = 1e-5f;
/// A sculpt that displaces no vertex by more than this fraction of the size is the shape itself.
static const float LEAST_SCULPT = 1e-6f;

static const lmb_mesh *mesh_of(const lmbi_correction *c, uint32_t instance)
{
    return c->character->meshes[c->character->instances[instance].mesh];
}

static bool is_skinned(const lmbi_correction *c, uint32_t instance)
{
    return c->character->instances[instance].skin != LMB_NONE &&
           mesh_of(c, instance)->influences.first;
}

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

static void sample(const lmbi_correction *c, uint32_t clip, double time_s, lmb_transform *local)
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

static lmb_result displace(lmbi_correction *c, lmbi_corrective *k, lmb_mat4 *model,
                           lmb_mat4 *palette, lmb_vec3 *base)
{
    lmb_pose_to_model(&(lmb_pose_to_model_job){
        .skeleton = c->character->skeleton, .local = k->local, .model_from_joint = model});
    for (uint32_t i = 0; i < c->character->instance_count; ++i) {
        if (!is_skinned(c, i)) {
            continue;
        }
        const lmb_instance *instance = &c->character->instances[i];
        morph_at_rest(mesh_of(c, i), instance, base);
        lmb_skin_palette(c->character->skins[instance->skin], model, palette);
        lmb_corrective(
            &(lmb_corrective_job){.mesh = mesh_of(c, i),
                                  .model_from_bind = palette,
                                  .positions = base,
                                  .sculpted = k->sculpt->positions + c->first_vertex[i],
                                  .out_displacements = k->displacements + c->first_vertex[i]});
    }
    return LMB_OK;
}

/// Drops what is rounding; counts what is left.
static lmb_result clean(lmbi_correction *c, lmbi_corrective *k, lmb_error *error)
{
    float most = 0, size = 0;
    for (uint32_t v = 0; v < c->vertex_count; ++v) {
        most = fmaxf(most, lmb_vec3_length(k->displacements[v]));
    }
    for (uint32_t i = 0; i < c->character->instance_count; ++i) {
        const lmb_box box = lmb_box_of(mesh_of(c, i)->positions, mesh_of(c, i)->vertex_count);
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

static lmb_result take_back(lmbi_correction *c, lmb_error *error)
{
    const size_t joints = c->character->skeleton->joint_count, n = c->vertex_count;
    lmb_mat4 *model = lmbi_arena_array(&c->arena, joints, sizeof *model);
    lmb_mat4 *palette = lmbi_arena_array(&c->arena, joints, sizeof *palette);
    lmb_vec3 *base = lmbi_arena_array(&c->arena, n, sizeof *base);
    if (!model || !palette || !base) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t number = 0; number < c->count; ++number) {
        lmbi_corrective *k = &c->correctives[number];
        k->sculpt = &c->opts->sculpts[number];
        k->local = lmbi_arena_array(&c->arena, joints, sizeof *k->local);
        k->drives = lmbi_arena_array(&c->arena, joints, sizeof *k->drives);
        k->displacements = lmbi_arena_array(&c->arena, n, sizeof *k->displacements);
        if (!k->local || !k->drives || !k->displacements) {
            return lmbi_fail_memory(error);
        }
        lmb_result result = check(c, k->sculpt, number, error);
        if (result == LMB_OK) {
            sample(c, k->sculpt->clip, k->sculpt->time_s, k->local);
            result = displace(c, k, model, palette, base);
        }
        if (result == LMB_OK) {
            result = clean(c, k, error);
        }
        if (result != LMB_OK) {
            return result;
        }
    }
    return LMB_OK;
}

// ---- morph targets

static bool moves_instance(const lmbi_correction *c, const lmbi_corrective *k, uint32_t instance)
{
    for (uint32_t v = c->first_vertex[instance]; v < c->first_vertex[instance + 1]; ++v) {
        if (lmb_vec3_dot(k->displacements[v], k->displacements[v]) > 0) {
            return true;
        }
    }
    return false;
}

/// A copy of an instance's mesh with a target for every sculpt.
static lmb_result copy_mesh(lmbi_correction *c, uint32_t instance, const lmb_allocator *alloc,
                            lmb_mesh **out, lmb_error *error)
{
    lmb_mesh def = *mesh_of(c, instance);
    const uint32_t old = def.target_count;
    lmb_morph_target *targets = lmbi_arena_array(&c->arena, old + c->count, sizeof *targets);
    float *weights = lmbi_arena_array(&c->arena, old + c->count, sizeof *weights);
    if (!targets || !weights) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t t = 0; t < old; ++t) {
        targets[t] = def.targets[t];
        weights[t] = def.target_weights ? def.target_weights[t] : 0;
    }
    for (uint32_t k = 0; k < c->count; ++k) {
        const lmb_sculpt *sculpt = c->correctives[k].sculpt;
        char name[32];
        lmbi_format(name, sizeof name, "corrective %u", k);
        targets[old + k] = (lmb_morph_target){
            .name = sculpt->name ? sculpt->name : lmbi_arena_string(&c->arena, name, strlen(name)),
            .positions = c->correctives[k].displacements + c->first_vertex[instance]};
        if (!targets[old + k].name) {
            return lmbi_fail_memory(error);
        }
    }
    def.targets = targets;
    def.target_weights = weights;
    def.target_count = old + c->count;
    return lmb_mesh_create(&def, alloc, out, error);
}

// ---- clips

/// Keys of the weights: the clip's frames, and its sculpts. Sorted, none twice.
static uint32_t find_times(const lmbi_correction *c, uint32_t clip, float *times, uint32_t room)
{
    const lmb_clip *from = c->character->clips[clip];
    const float rate = c->opts->frame_rate > 0 ? c->opts->frame_rate
                       : from->frame_rate > 0  ? from->frame_rate
                                               : 30;
    const float end = lmb_clip_duration_s(from);
    uint32_t count = 0;
    for (uint32_t f = 0; (float)f / rate < end && count + c->count + 1 < room; ++f) {
        times[count++] = (float)f / rate;
    }
    times[count++] = end;
    for (uint32_t k = 0; k < c->count; ++k) {
        const float at = (float)c->correctives[k].sculpt->time_s;
        if (c->correctives[k].sculpt->clip != clip || at < 0 || at > end) {
            continue;
        }
        uint32_t to = count++;
        for (; to > 0 && times[to - 1] > at; --to) {
            times[to] = times[to - 1];
        }
        times[to] = at;
    }
    uint32_t kept = 0;
    for (uint32_t k = 0; k < count; ++k) {
        if (kept == 0 || times[k] > times[kept - 1]) {
            times[kept++] = times[k];
        }
    }
    return kept;
}

typedef struct baking {
    lmbi_correction *c;
    const bool *corrected; ///< [instance_count]
    uint32_t *first;       ///< of lmb_character_weights of the character as it was
    float *rest, *now;     ///< weights of the same layout
    float *weights;        ///< [2 count] of the correctives
    lmb_transform *local;
    float *times;
    uint32_t room;
} baking;

static bool allocate_baking(lmbi_correction *c, baking *b)
{
    const lmb_character *ch = c->character;
    const uint32_t joints = ch->skeleton->joint_count;
    float longest = 0;
    for (uint32_t k = 0; k < ch->clip_count; ++k) {
        const float rate = c->opts->frame_rate > 0        ? c->opts->frame_rate
                           : ch->clips[k]->frame_rate > 0 ? ch->clips[k]->frame_rate
                                                          : 30;
        longest = fmaxf(longest, lmb_clip_duration_s(ch->clips[k]) * rate);
    }
    b->room = (uint32_t)fminf(longest, 1e7f) + c->count + 3;
    b->first = lmbi_arena_array(&c->arena, (size_t)joints + 1, sizeof *b->first);
    const size_t count = b->first ? lmb_character_weights(ch, b->first, NULL) : 0;
    b->rest = lmbi_arena_array(&c->arena, count + 1, sizeof *b->rest);
    b->now = lmbi_arena_array(&c->arena, count + 1, sizeof *b->now);
    b->weights = lmbi_arena_array(&c->arena, 2 * (size_t)c->count, sizeof *b->weights);
    b->local = lmbi_arena_array(&c->arena, joints, sizeof *b->local);
    b->times = lmbi_arena_array(&c->arena, b->room, sizeof *b->times);
    if (!b->first || !b->rest || !b->now || !b->weights || !b->local || !b->times) {
        return false;
    }
    lmb_character_weights(ch, b->first, b->rest);
    return true;
}

/// Fills the values of the new channels of one key: the weights that were, then the correctives'.
static void fill_key(const baking *b, uint32_t clip, uint32_t key, lmb_channel *channels,
                     const uint32_t *instances, uint32_t count)
{
    const lmbi_correction *c = b->c;
    const lmb_skeleton *s = c->character->skeleton;
    memcpy(b->now, b->rest, b->first[s->joint_count] * sizeof *b->now);
    lmb_sample(&(lmb_sample_job){.clip = c->character->clips[clip],
                                 .time_s = (double)b->times[key],
                                 .joint_count = s->joint_count,
                                 .rest = s->rest,
                                 .pose = b->local,
                                 .weight_first = b->first,
                                 .rest_weights = b->rest,
                                 .weights = b->now});
    lmbi_correct_weights(c, b->local, b->weights);
    for (uint32_t n = 0; n < count; ++n) {
        const uint32_t joint = channels[n].joint, old = mesh_of(c, instances[n])->target_count;
        float *to = channels[n].values + (size_t)key * channels[n].width;
        memcpy(to, b->now + b->first[joint], old * sizeof *to);
        memcpy(to + old, b->weights, c->count * sizeof *to);
    }
}

/// A copy of a clip in which channels of morph weights of corrected instances are replaced.
static lmb_result copy_clip(baking *b, uint32_t clip, const lmb_allocator *alloc, lmb_clip **out,
                            lmb_error *error)
{
    lmbi_correction *c = b->c;
    const lmb_character *ch = c->character;
    lmb_clip def = *ch->clips[clip];
    const uint32_t keys = find_times(c, clip, b->times, b->room);
    lmb_channel *channels =
        lmbi_arena_array(&c->arena, def.channel_count + ch->instance_count, sizeof *channels);
    uint32_t *instances = lmbi_arena_array(&c->arena, ch->instance_count, sizeof *instances);
    float *ticks = lmbi_arena_array(&c->arena, keys, sizeof *ticks);
    if (!channels || !instances || !ticks) {
        return lmbi_fail_memory(error);
    }
    const float per_second = def.ticks_per_s > 0 ? def.ticks_per_s : 1;
    for (uint32_t k = 0; k < keys; ++k) {
        ticks[k] = b->times[k] * per_second;
    }
    uint32_t kept = 0, added = 0;
    for (uint32_t n = 0; n < def.channel_count; ++n) {
        bool replaced = false;
        for (uint32_t i = 0; i < ch->instance_count; ++i) {
            replaced = replaced || (b->corrected[i] && def.channels[n].path == LMB_PATH_WEIGHTS &&
                                    def.channels[n].joint == ch->instances[i].joint);
        }
        if (!replaced) {
            channels[kept++] = def.channels[n];
        }
    }
    for (uint32_t i = 0; i < ch->instance_count; ++i) {
        if (!b->corrected[i]) {
            continue;
        }
        const uint32_t width = mesh_of(c, i)->target_count + c->count;
        float *values = lmbi_arena_array(&c->arena, (size_t)keys * width, sizeof *values);
        if (!values) {
            return lmbi_fail_memory(error);
        }
        instances[added] = i;
        channels[kept + added++] = (lmb_channel){.joint = ch->instances[i].joint,
                                                 .path = LMB_PATH_WEIGHTS,
                                                 .width = width,
                                                 .key_count = keys,
                                                 .ticks = ticks,
                                                 .values = values};
    }
    for (uint32_t k = 0; k < keys; ++k) {
        fill_key(b, clip, k, channels + kept, instances, added);
    }
    def.channels = channels;
    def.channel_count = kept + added;
    return lmb_clip_create(&def, alloc, out, error);
}

// ---- the character

/// The weights at rest of an instance that had its own, with zeros for the correctives.
static lmb_result widen_weights(lmbi_correction *c, lmb_instance *instance, lmb_error *error)
{
    const uint32_t old = c->character->meshes[instance->mesh]->target_count;
    if (!instance->target_weights) {
        return LMB_OK;
    }
    float *weights = lmbi_arena_array(&c->arena, old + c->count, sizeof *weights);
    if (!weights) {
        return lmbi_fail_memory(error);
    }
    memcpy(weights, instance->target_weights, old * sizeof *weights);
    instance->target_weights = weights;
    return LMB_OK;
}

static lmb_result make_parts(lmbi_correction *c, const bool *corrected, const lmb_allocator *alloc,
                             lmb_character *def, lmb_error *error)
{
    const lmb_character *ch = c->character;
    lmb_result result = LMB_OK;
    baking b = {.c = c, .corrected = corrected};
    for (uint32_t i = 0; result == LMB_OK && i < ch->instance_count; ++i) {
        const uint32_t m = ch->instances[i].mesh;
        if (corrected[i] && def->meshes[m] == ch->meshes[m]) {
            result = copy_mesh(c, i, alloc, &def->meshes[m], error);
        }
        if (result == LMB_OK && corrected[i]) {
            result = widen_weights(c, &def->instances[i], error);
        }
    }
    if (result == LMB_OK && !allocate_baking(c, &b)) {
        result = lmbi_fail_memory(error);
    }
    for (uint32_t k = 0; result == LMB_OK && k < ch->clip_count; ++k) {
        result = copy_clip(&b, k, alloc, &def->clips[k], error);
    }
    return result;
}

/// Frees the parts of `made` that `other` does not have.
static void destroy_parts(const lmb_character *made, const lmb_character *other)
{
    for (uint32_t m = 0; m < made->mesh_count; ++m) {
        if (made->meshes[m] != other->meshes[m]) {
            lmb_mesh_destroy(made->meshes[m]);
        }
    }
    for (uint32_t k = 0; k < made->clip_count; ++k) {
        if (made->clips[k] != other->clips[k]) {
            lmb_clip_destroy(made->clips[k]);
        }
    }
}

static lmb_result replace(lmbi_correction *c, const lmb_allocator *alloc, lmb_character **character,
                          lmb_error *error)
{
    lmb_character *old = *character, *made = NULL, def = *old;
    bool *corrected = lmbi_arena_array(&c->arena, old->instance_count, sizeof *corrected);
    def.meshes = lmbi_arena_array(&c->arena, old->mesh_count, sizeof(lmb_mesh *));
    def.clips = lmbi_arena_array(&c->arena, old->clip_count, sizeof(lmb_clip *));
    def.instances = lmbi_arena_array(&c->arena, old->instance_count, sizeof(lmb_instance));
    if (!corrected || !def.meshes || !def.clips || !def.instances) {
        return lmbi_fail_memory(error);
    }
    memcpy(def.meshes, old->meshes, old->mesh_count * sizeof(lmb_mesh *));
    memcpy(def.clips, old->clips, old->clip_count * sizeof(lmb_clip *));
    memcpy(def.instances, old->instances, old->instance_count * sizeof(lmb_instance));
    for (uint32_t i = 0; i < old->instance_count; ++i) {
        for (uint32_t k = 0; k < c->count; ++k) {
            corrected[i] = corrected[i] || moves_instance(c, &c->correctives[k], i);
        }
    }
    lmb_result result = make_parts(c, corrected, alloc, &def, error);
    if (result == LMB_OK) {
        result = lmb_character_create(&def, alloc, &made, error);
    }
    if (result != LMB_OK) {
        destroy_parts(&def, old);
        return result;
    }
    destroy_parts(old, &def);
    lmb_character_release(old);
    *character = made;
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

static lmb_result prepare(lmbi_correction *c, lmb_error *error)
{
    const lmb_character *ch = c->character;
    if (c->count == 0) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "sculpts", "none");
    }
    c->first_vertex =
        lmbi_arena_array(&c->arena, (size_t)ch->instance_count + 1, sizeof *c->first_vertex);
    c->correctives = lmbi_arena_array(&c->arena, c->count, sizeof *c->correctives);
    if (!c->first_vertex || !c->correctives) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t i = 0; i < ch->instance_count; ++i) {
        c->first_vertex[i + 1] = c->first_vertex[i] + mesh_of(c, i)->vertex_count;
    }
    c->vertex_count = c->first_vertex[ch->instance_count];
    return take_back(c, error);
}

lmb_result lmb_correct(lmb_character **character, const lmb_correct_opts *opts,
                       const lmb_allocator *alloc, lmb_corrective_report *reports, lmb_error *error)
{
    lmbi_correction c = {.character = *character, .opts = opts, .count = opts->sculpt_count};
    lmbi_arena_init(&c.arena, alloc);
    lmb_result result = prepare(&c, error);
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
        result = replace(&c, alloc, character, error);
    }
    for (uint32_t k = 0; result == LMB_OK && reports && k < c.count; ++k) {
        reports[k] = c.correctives[k].report;
    }
    for (uint32_t g = 0; c.spaces && g < c.group_count; ++g) {
        lmb_pose_space_destroy(c.spaces[g]);
    }
    lmbi_arena_free(&c.arena);
    return result;
}
