/// Learns a style from rigged characters.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "author/style.h"
#include "author/style_samples.h"
#include "base/alloc.h"
#include "base/error.h"
#include "rig/rig.h"

/// Parts that characters are left out in, and the epochs of a training without one.
enum { PARTS = 5, QUARTERS = 4, SAMPLES = 1200, EPOCHS = 30 };
/// A bare mesh whose joints are farther off than this fraction of the height was not understood.
static const float MOST_OFF = 0.08f;
/// A character is worse when its L1 rises by more.
static const float WORSE = 0.05f;

typedef struct training {
    const lmb_character *const *characters;
    uint32_t count;
    lmb_style_opts opts;
    const lmb_allocator *alloc;
    lmb_style *style;
    lmbi_style_samples *samples; ///< [count]
    lmb_vec3 (*offsets)[LMB_HUMAN_BONE_COUNT];
    bool (*known)[LMB_HUMAN_BONE_COUNT];
    float *off; ///< [count] mean of the joints before, -1 where not measured
} training;

static lmb_result report(const training *t, const char *stage, float done, lmb_error *error)
{
    const lmb_progress *p = t->opts.progress;
    return !p || !p->report || p->report(p->user, stage, done)
               ? LMB_OK
               : lmbi_fail(error, LMB_ERROR_CANCELLED, "to go on", "cancelled by the caller");
}

// ---------------------------------------------------------------------------------- the skeleton

/// In how many characters a joint of that name deforms.
static uint32_t count_name(const training *t, const char *name)
{
    uint32_t count = 0;
    for (uint32_t c = 0; c < t->count; ++c) {
        count += lmb_skeleton_find(t->characters[c]->skeleton, name) != LMB_NONE ? 1 : 0;
    }
    return count;
}

/// The character whose joints most others have too.
static uint32_t most_typical(const training *t)
{
    uint32_t best = 0;
    double most = -1;
    for (uint32_t c = 0; c < t->count; ++c) {
        const lmb_skeleton *s = t->characters[c]->skeleton;
        double shared = 0;
        for (uint32_t j = 0; j < s->joint_count; ++j) {
            shared += 2 * count_name(t, s->names[j]) > t->count ? 1 : -0.5;
        }
        if (shared > most) {
            most = shared;
            best = c;
        }
    }
    return best;
}

/// Which joints the style's skeleton has: those that deform and all above them, and what hangs
/// below without a mesh.
static void mark_joints(const lmb_character *c, uint8_t *kept)
{
    const lmb_skeleton *s = c->skeleton;
    memset(kept, 1, s->joint_count);
    for (uint32_t i = 0; i < c->instance_count; ++i) {
        kept[c->instances[i].joint] = 0;
    }
    for (uint32_t j = s->joint_count; j-- > 0;) { // a mesh's node stays if joints hang on it
        if (kept[j] && s->parents[j] != LMB_NONE) {
            kept[s->parents[j]] = 1;
        }
    }
}

static lmb_result take_skeleton(training *t, lmb_error *error)
{
    const lmb_character *from = t->characters[most_typical(t)];
    const lmb_skeleton *s = from->skeleton;
    const uint32_t n = s->joint_count;
    lmbi_arena *arena = &t->style->arena;
    uint8_t *kept = lmbi_arena_array(arena, n, 1), *deforms = lmbi_arena_array(arena, n, 1);
    uint32_t *index = lmbi_arena_array(arena, n, sizeof *index);
    lmb_skeleton def = {.name = s->name,
                        .parents = lmbi_arena_array(arena, n, sizeof(int32_t)),
                        .rest = lmbi_arena_array(arena, n, sizeof(lmb_transform)),
                        .names = lmbi_arena_array(arena, n, sizeof(char *))};
    if (!kept || !deforms || !index || !def.parents || !def.rest || !def.names) {
        return lmbi_fail_memory(error);
    }
    mark_joints(from, kept);
    lmbi_character_deforming(from, deforms);
    for (uint32_t j = 0; j < n; ++j) {
        if (kept[j]) {
            const int32_t up = s->parents[j];
            index[j] = def.joint_count;
            def.parents[def.joint_count] = up == LMB_NONE ? LMB_NONE : (int32_t)index[up];
            def.rest[def.joint_count] = s->rest[j];
            def.names[def.joint_count] = s->names[j];
            deforms[def.joint_count++] = deforms[j];
        }
    }
    if (def.joint_count > LMBI_STYLE_JOINTS) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "at most 256 joints", "%u", def.joint_count);
    }
    t->style->deforms = deforms;
    t->style->report.joint_count = def.joint_count;
    return lmb_skeleton_create(&def, t->alloc, &t->style->skeleton, error);
}

/// A row of the table for every name of a joint that deforms in any character.
static lmb_result list_kinds(training *t, lmb_error *error)
{
    lmb_style *style = t->style;
    style->kinds = lmbi_arena_array(&style->arena, LMBI_STYLE_JOINTS, sizeof *style->kinds);
    style->bones = lmbi_arena_array(&style->arena, LMBI_STYLE_JOINTS, sizeof *style->bones);
    if (!style->kinds || !style->bones) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t c = 0; c < t->count; ++c) {
        const lmb_skeleton *s = t->characters[c]->skeleton;
        uint8_t *deforms = lmbi_arena_array(&style->arena, s->joint_count, 1);
        lmb_joint_map map;
        lmb_result result =
            deforms ? lmb_joint_map_of_character(t->characters[c], t->alloc, &map, error)
                    : lmbi_fail_memory(error);
        if (result != LMB_OK) {
            return result;
        }
        lmbi_character_deforming(t->characters[c], deforms);
        for (uint32_t j = 0; j < s->joint_count; ++j) {
            bool known = !deforms[j] || strlen(s->names[j]) >= LMBI_STYLE_NAME;
            for (uint32_t k = 0; k < style->shape.kinds && !known; ++k) {
                known = strcmp(style->kinds[k], s->names[j]) == 0;
            }
            if (known || style->shape.kinds == LMBI_STYLE_JOINTS) {
                continue;
            }
            const uint32_t k = style->shape.kinds++;
            memcpy(style->kinds[k], s->names[j], strlen(s->names[j]) + 1);
            style->bones[k] = LMB_NONE;
            for (int b = 0; b < LMB_HUMAN_BONE_COUNT && map.confidence >= 0.5f; ++b) {
                style->bones[k] = map.bones[b].joint == (int32_t)j ? b : style->bones[k];
            }
        }
    }
    return LMB_OK;
}

// ------------------------------------------------------------------------------------ the offsets

static int by_value(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/// Middle of a coordinate of a bone and its mirror image over the characters but one.
static float median_of(const training *t, int bone, int axis, uint32_t without, float *values)
{
    const int mirror = (int)lmb_human_bone_mirror((lmb_human_bone)bone);
    uint32_t count = 0;
    for (uint32_t c = 0; c < t->count; ++c) {
        for (int side = 0; side < (mirror == bone ? 1 : 2) && c != without; ++side) {
            const int b = side ? mirror : bone;
            const lmb_vec3 off = t->offsets[c][b];
            if (t->off[c] >= 0 && t->known[c][b]) {
                values[count++] = axis == 0 ? off.x : axis == 1 ? off.y : off.z;
            }
        }
    }
    qsort(values, count, sizeof *values, by_value);
    return count == 0 ? 0 : (values[count / 2] + values[(count - 1) / 2]) / 2;
}

static void find_offsets(const training *t, uint32_t without, float *values, lmb_vec3 *out)
{
    for (int b = 0; b < LMB_HUMAN_BONE_COUNT; ++b) {
        out[b] =
            lmb_vec3_make(median_of(t, b, 0, without, values), median_of(t, b, 1, without, values),
                          median_of(t, b, 2, without, values));
    }
}

static lmb_result measure_offsets(training *t, uint32_t c, lmb_error *error)
{
    lmb_joint_map map;
    lmb_surface *surface = NULL;
    lmb_embedding *e = lmbi_alloc_array(t->alloc, 1, sizeof *e);
    lmb_result result = e ? lmb_joint_map_of_character(t->characters[c], t->alloc, &map, error)
                          : lmbi_fail_memory(error);
    t->off[c] = -1;
    if (result == LMB_OK && map.confidence >= 0.5f) {
        result = lmb_character_surface(t->characters[c], t->alloc, &surface, error);
        if (result == LMB_OK) {
            const lmb_embed_opts opts = {.kind = LMB_SKELETON_HUMAN, .jobs = t->opts.jobs};
            result = lmb_embed(surface->positions, surface->vertex_count, surface->triangles,
                               surface->triangle_count, &opts, t->alloc, e, error);
            if (result == LMB_OK) {
                t->off[c] =
                    lmbi_style_measure(t->characters[c], e, &map, t->offsets[c], t->known[c]);
                t->off[c] = t->off[c] > MOST_OFF ? -1 : t->off[c];
            } else if (result == LMB_ERROR_UNSUPPORTED || result == LMB_ERROR_INVALID) {
                result = LMB_OK; // no figure that is understood teaches nothing of joints
            }
        }
    }
    lmb_surface_destroy(surface);
    lmbi_free(t->alloc, e);
    return result;
}

/// Mean distance of the joints of characters by the offsets of the others.
static void measure_left_out(training *t, float *values)
{
    double before = 0, after = 0;
    uint32_t count = 0;
    for (uint32_t c = 0; c < t->count; ++c) {
        lmb_vec3 by_others[LMB_HUMAN_BONE_COUNT];
        double sum = 0;
        uint32_t known = 0;
        if (t->off[c] < 0) {
            continue;
        }
        find_offsets(t, c, values, by_others);
        for (int b = 0; b < LMB_HUMAN_BONE_COUNT; ++b) {
            sum += t->known[c][b] ? (double)lmb_vec3_distance(t->offsets[c][b], by_others[b]) : 0;
            known += t->known[c][b] ? 1 : 0;
        }
        before += (double)t->off[c];
        after += sum / known;
        ++count;
    }
    t->style->report.placed_count = count;
    if (count > 0) {
        t->style->report.joints_before = (float)(before / count);
        t->style->report.joints_after = (float)(after / count);
    }
}

static lmb_result learn_offsets(training *t, lmb_error *error)
{
    float *values = lmbi_alloc_array(t->alloc, 2 * (size_t)t->count, sizeof *values);
    lmb_result result = values ? LMB_OK : lmbi_fail_memory(error);
    for (uint32_t c = 0; c < t->count && result == LMB_OK; ++c) {
        result = report(t, "reading", 0.5f * (float)c / (float)t->count, error);
        if (result == LMB_OK) {
            result = measure_offsets(t, c, error);
        }
    }
    if (result == LMB_OK) {
        find_offsets(t, UINT32_MAX, values, t->style->offsets);
        measure_left_out(t, values);
        if (t->style->report.joints_after > t->style->report.joints_before) {
            memset(t->style->offsets, 0, sizeof t->style->offsets); // no habit in common
        }
    }
    lmbi_free(t->alloc, values);
    return result;
}

// -------------------------------------------------------------------------------------- the model

/// Trains on all characters but those of one part.
static lmb_result train(training *t, uint32_t without, float begin, float end, lmb_error *error)
{
    lmbi_ranker_data data;
    lmb_style *style = t->style;
    const float step = (end - begin) / (float)style->member_count;
    lmbi_arena arena;
    lmbi_arena_init(&arena, t->alloc);
    lmb_result result = lmbi_style_join(t->samples, t->count, PARTS, without, &arena, &data, error);
    for (uint32_t n = 0; n < style->member_count && result == LMB_OK; ++n) {
        const lmbi_ranker_opts opts = {.epochs = t->opts.epochs,
                                       .seed = t->opts.seed * LMBI_STYLE_MEMBERS + n,
                                       .progress = t->opts.progress,
                                       .begin = begin + step * (float)n,
                                       .end = begin + step * (float)(n + 1)};
        result = lmbi_ranker_train(&style->shape, &data, &opts, t->alloc,
                                   style->network + (size_t)n * style->network_size, error);
    }
    lmbi_arena_free(&arena);
    return result;
}

/// L1 of a character bound anew, with that much of the model.
static lmb_result score(const training *t, uint32_t c, float trust, float *out, lmb_error *error)
{
    const lmb_character *character = t->characters[c];
    lmb_weights_model *model = NULL;
    lmb_surface *surface = NULL;
    lmb_weights *weights = NULL;
    lmb_weights_score s;
    lmb_result result =
        lmb_style_model_create(t->style, character->skeleton, t->alloc, &model, error);
    t->style->report.trust = trust;
    if (result == LMB_OK) {
        const lmb_weights_opts opts = {.method = trust > 0 ? LMB_WEIGHTS_LEARNED : LMB_WEIGHTS_HEAT,
                                       .model = model,
                                       .ownership = t->style->ownership,
                                       .jobs = t->opts.jobs};
        result = lmb_weights_again(character, &opts, t->alloc, &surface, &weights, error);
    }
    if (result == LMB_OK) {
        result = lmb_weights_compare(character, surface, weights, t->alloc, &s, NULL, error);
    }
    *out = result == LMB_OK ? s.l1_mean : 0;
    lmb_weights_destroy(weights);
    lmb_surface_destroy(surface);
    lmb_style_model_destroy(model);
    return result;
}

/// What characters that were left out have with none, a quarter, … and all of the model.
typedef struct tally {
    double l1[QUARTERS + 1]; ///< mean
    uint32_t better[QUARTERS + 1], worse[QUARTERS + 1];
} tally;

static lmb_result add_scores(const training *t, uint32_t c, tally *sums, lmb_error *error)
{
    float heat = 0;
    for (int q = 0; q <= QUARTERS; ++q) {
        float l1;
        const lmb_result result = score(t, c, (float)q / QUARTERS, &l1, error);
        if (result != LMB_OK) {
            return result;
        }
        heat = q == 0 ? l1 : heat;
        sums->l1[q] += (double)l1 / t->count;
        sums->better[q] += l1 < heat ? 1 : 0;
        sums->worse[q] += l1 > heat + WORSE ? 1 : 0;
    }
    return LMB_OK;
}

static void choose_trust(const tally *sums, lmb_style_report *r)
{
    int best = 0;
    for (int q = 1; q <= QUARTERS; ++q) {
        best = sums->l1[q] < sums->l1[best] ? q : best;
    }
    r->trust = (float)best / QUARTERS;
    r->l1_before = (float)sums->l1[0];
    r->l1_after = (float)sums->l1[best];
    r->better_count = sums->better[best];
    r->worse_count = sums->worse[best];
}

/// Trains without each part once, and measures on it.
static lmb_result measure_parts(training *t, lmb_error *error)
{
    const uint32_t parts = t->count < PARTS ? t->count : PARTS;
    tally sums = {{0}, {0}, {0}};
    lmb_result result = LMB_OK;
    for (uint32_t p = 0; p < parts && result == LMB_OK; ++p) {
        const float begin = (float)p / (float)(parts + 1),
                    end = (float)(p + 1) / (float)(parts + 1);
        result = train(t, p, begin, end, error);
        for (uint32_t c = p; c < t->count && result == LMB_OK; c += PARTS) {
            result = add_scores(t, c, &sums, error);
        }
    }
    if (result == LMB_OK) {
        choose_trust(&sums, &t->style->report);
    }
    return result;
}

static lmb_result learn_weights(training *t, lmb_error *error)
{
    lmb_style *style = t->style;
    style->shape.features = LMB_WEIGHT_FEATURES;
    style->network_size = lmbi_ranker_size(&style->shape);
    style->member_count = style->shape.kinds <= LMBI_STYLE_FEW ? LMBI_STYLE_MEMBERS : 1;
    style->network = lmbi_arena_array(
        &style->arena, (size_t)style->member_count * style->network_size, sizeof(float));
    lmb_result result = style->network ? LMB_OK : lmbi_fail_memory(error);
    for (uint32_t c = 0; c < t->count && result == LMB_OK; ++c) {
        result = report(t, "reading", 0.5f + 0.5f * (float)c / (float)t->count, error);
        if (result == LMB_OK) {
            result = lmbi_style_sample(style, t->characters[c], t->opts.samples, t->alloc,
                                       &t->samples[c], error);
        }
    }
    if (result == LMB_OK && !t->opts.no_report) {
        result = measure_parts(t, error);
    }
    return result == LMB_OK ? train(t, UINT32_MAX, t->opts.no_report ? 0 : 0.83f, 1, error)
                            : result;
}

static lmb_result learn(training *t, lmb_error *error)
{
    const uint32_t n = t->count;
    lmbi_arena *arena = &t->style->arena;
    t->samples = lmbi_arena_array(arena, n, sizeof *t->samples);
    t->offsets = lmbi_arena_array(arena, n, sizeof *t->offsets);
    t->known = lmbi_arena_array(arena, n, sizeof *t->known);
    t->off = lmbi_arena_array(arena, n, sizeof *t->off);
    lmb_result result =
        t->samples && t->offsets && t->known && t->off ? LMB_OK : lmbi_fail_memory(error);
    if (result == LMB_OK) {
        result = take_skeleton(t, error);
    }
    if (result == LMB_OK) {
        result = list_kinds(t, error);
    }
    if (result == LMB_OK) {
        result = learn_offsets(t, error);
    }
    if (result == LMB_OK) {
        result = learn_weights(t, error);
    }
    for (uint32_t c = 0; t->samples && c < n; ++c) {
        lmbi_style_samples_free(&t->samples[c]);
    }
    return result;
}

lmb_result lmb_style_train(const lmb_character *const *characters, uint32_t count,
                           const lmb_style_opts *opts, const lmb_allocator *alloc, lmb_style **out,
                           lmb_error *error)
{
    training t = {.characters = characters, .count = count, .alloc = alloc};
    if (opts) {
        t.opts = *opts;
    }
    t.opts.epochs = t.opts.epochs ? t.opts.epochs : EPOCHS;
    t.opts.samples = t.opts.samples ? t.opts.samples : SAMPLES;
    if (count < 2) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "two characters or more of one maker", "%u",
                         count);
    }
    lmb_result result = lmbi_style_new(alloc, &t.style, error);
    if (result == LMB_OK) {
        t.style->report.character_count = count;
        lmbi_ownership_default(t.style->ownership);
        result = learn(&t, error);
    }
    if (result == LMB_OK) {
        *out = t.style;
    } else {
        lmb_style_destroy(t.style);
    }
    return result;
}
