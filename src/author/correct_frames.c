/// Correctives from frames: a basis of what linear blending misses, and its weights as a function of
/// pose.
#include "author/correct.h"

#include <math.h>
#include <string.h>

#include "author/pose_fit.h"
#include "base/error.h"
#include "limber/anim.h"
#include "linalg/linalg.h"

enum { TARGETS = 16 };
/// The basis shows this fraction of the squared displacements.
static const double SHOWN = 0.999;
typedef struct learning {
    lmbi_correction c;
    const lmb_corrected_frames *frames;
    lmb_correct_frames_opts opts;
    uint32_t count;        ///< examples: learned frames of different poses
    uint32_t *numbers;     ///< [count] of the frames
    lmb_transform **local; ///< [count][joint_count]
    lmb_vec3 **missed;     ///< [count][vertex_count] displacements
    lmbi_pose_examples examples;
    double *coefficients; ///< [count][targets]
    uint32_t target_count;
} learning;

static bool is_held_out(const learning *l, uint32_t frame)
{
    return l->opts.hold_out > 1 && frame % l->opts.hold_out == l->opts.hold_out - 1;
}

static lmb_result check(const learning *l, lmb_error *error)
{
    const lmb_corrected_frames *f = l->frames;
    if (f->clip >= l->c.character->clip_count) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a clip of the character", "clip %u of %u",
                         f->clip, l->c.character->clip_count);
    }
    for (uint32_t k = 0; k < f->frame_count; ++k) {
        for (uint32_t v = 0; v < l->c.vertex_count; ++v) {
            if (!lmb_vec3_is_finite(f->positions[k][v])) {
                return lmbi_fail(error, LMB_ERROR_INVALID, "finite positions",
                                 "vertex %u of frame %u", v, k);
            }
        }
    }
    return LMB_OK;
}

// ---- what is missed

static lmb_result gather(learning *l, lmb_error *error)
{
    const size_t frames = l->frames->frame_count, joints = l->c.character->skeleton->joint_count;
    lmbi_arena *arena = &l->c.arena;
    lmbi_correct_scratch scratch;
    l->numbers = lmbi_arena_array(arena, frames, sizeof *l->numbers);
    l->local = lmbi_arena_array(arena, frames, sizeof *l->local);
    l->missed = lmbi_arena_array(arena, frames, sizeof *l->missed);
    if (!l->numbers || !l->local || !l->missed || !lmbi_correct_scratch_make(&l->c, &scratch)) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t k = 0; k < frames; ++k) {
        if (is_held_out(l, k)) {
            continue;
        }
        const uint32_t at = l->count++;
        l->numbers[at] = k;
        l->local[at] = lmbi_arena_array(arena, joints, sizeof **l->local);
        l->missed[at] = lmbi_arena_array(arena, l->c.vertex_count, sizeof **l->missed);
        if (!l->local[at] || !l->missed[at]) {
            return lmbi_fail_memory(error);
        }
        lmbi_correct_sample(&l->c, l->frames->clip, l->frames->times_s[k], l->local[at]);
        lmbi_correct_displace(&l->c, l->local[at], l->frames->positions[k], &scratch,
                              l->missed[at]);
    }
    return l->count >= 2
               ? LMB_OK
               : lmbi_fail(error, LMB_ERROR_INVALID, "two frames to learn from", "%u", l->count);
}

static lmb_result find_drivers(learning *l, lmb_error *error)
{
    const lmb_skeleton *s = l->c.character->skeleton;
    double *moved = lmbi_arena_array(&l->c.arena, s->joint_count, sizeof *moved);
    double *bend = lmbi_arena_array(&l->c.arena, s->joint_count, sizeof *bend);
    l->examples = (lmbi_pose_examples){.skeleton = s, .count = l->count, .local = l->local};
    if (!moved || !bend) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t e = 0; e < l->count; ++e) {
        lmbi_correct_bending(&l->c, l->missed[e], moved, bend);
    }
    return lmbi_pose_drivers(&l->examples, bend, &l->c.arena, error);
}

/// Leaves out examples whose pose is that of rest or of one before.
static lmb_result drop_equal_poses(learning *l, lmb_error *error)
{
    uint32_t *kept = lmbi_arena_array(&l->c.arena, l->count, sizeof *kept);
    if (!kept) {
        return lmbi_fail_memory(error);
    }
    l->count = lmbi_pose_examples_differ(&l->examples, kept);
    for (uint32_t e = 0; e < l->count; ++e) {
        l->numbers[e] = l->numbers[kept[e]];
        l->local[e] = l->local[kept[e]];
        l->missed[e] = l->missed[kept[e]];
    }
    l->examples.count = l->count;
    return l->count >= 2 ? LMB_OK
                         : lmbi_fail(error, LMB_ERROR_INVALID, "poses that differ", "%u", l->count);
}

// ---- the basis: principal components of what is missed, about nothing, since rest misses nothing

static lmb_result decompose(learning *l, double **values, double **vectors, lmb_error *error)
{
    const size_t n = l->count;
    double *gram = lmbi_arena_array(&l->c.arena, n * n, sizeof *gram);
    *values = lmbi_arena_array(&l->c.arena, n, sizeof **values);
    *vectors = lmbi_arena_array(&l->c.arena, n * n, sizeof **vectors);
    if (!gram || !*values || !*vectors) {
        return lmbi_fail_memory(error);
    }
    for (size_t a = 0; a < n; ++a) {
        for (size_t b = 0; b <= a; ++b) {
            double sum = 0;
            for (uint32_t v = 0; v < l->c.vertex_count; ++v) {
                sum += (double)lmb_vec3_dot(l->missed[a][v], l->missed[b][v]);
            }
            gram[a * n + b] = gram[b * n + a] = sum;
        }
    }
    return lmbi_dense_eigen(gram, (uint32_t)n, *values, *vectors, l->c.arena.alloc, error);
}

/// Target k is the sum of the frames' displacements by its eigenvector, scaled so that the largest
/// of its weights over the frames is 1.
static lmb_result make_target(learning *l, uint32_t k, const double *vector, lmb_error *error)
{
    const size_t n = l->count;
    double most = 0;
    for (size_t e = 0; e < n; ++e) {
        most = fmax(most, fabs(vector[e]));
    }
    lmb_vec3 *out = lmbi_arena_array(&l->c.arena, l->c.vertex_count, sizeof *out);
    l->c.correctives[k].name = lmbi_correct_name(&l->c, NULL, l->opts.name, k);
    if (!out || !l->c.correctives[k].name) {
        return lmbi_fail_memory(error);
    }
    for (size_t e = 0; e < n; ++e) {
        // With eigenvalue s^2 the component is sum v_e d_e / s, and its weight in frame e v_e s.
        l->coefficients[e * l->target_count + k] = vector[e] / most;
        for (uint32_t v = 0; v < l->c.vertex_count; ++v) {
            out[v] = lmb_vec3_mad(out[v], l->missed[e][v], (float)(vector[e] * most));
        }
    }
    l->c.correctives[k].displacements = out;
    return LMB_OK;
}

static lmb_result make_basis(learning *l, lmb_error *error)
{
    double *values, *vectors, total = 0, shown = 0;
    lmb_result result = decompose(l, &values, &vectors, error);
    if (result != LMB_OK) {
        return result;
    }
    const uint32_t most = l->opts.target_count ? l->opts.target_count : TARGETS;
    for (uint32_t k = 0; k < l->count; ++k) {
        total += fmax(values[k], 0);
    }
    if (!(total > 0)) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "frames that differ from what is shown",
                         "%u that do not", l->count);
    }
    while (l->target_count < most && l->target_count < l->count && shown < SHOWN * total) {
        shown += fmax(values[l->target_count++], 0);
    }
    l->c.count = l->target_count;
    l->c.correctives = lmbi_arena_array(&l->c.arena, l->c.count, sizeof *l->c.correctives);
    l->coefficients =
        lmbi_arena_array(&l->c.arena, (size_t)l->count * l->target_count, sizeof *l->coefficients);
    if (!l->c.correctives || !l->coefficients) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t k = 0; result == LMB_OK && k < l->c.count; ++k) {
        result = make_target(l, k, vectors + (size_t)k * l->count, error);
    }
    return result;
}

// ---- the pose space

static lmb_result choose_space(learning *l, lmb_error *error)
{
    double *sizes = lmbi_arena_array(&l->c.arena, l->target_count, sizeof *sizes);
    l->c.spaces = lmbi_arena_array(&l->c.arena, 1, sizeof *l->c.spaces);
    l->c.defs = lmbi_arena_array(&l->c.arena, 1, sizeof *l->c.defs);
    if (!sizes || !l->c.spaces || !l->c.defs) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t k = 0; k < l->target_count; ++k) {
        for (uint32_t v = 0; v < l->c.vertex_count; ++v) {
            const lmb_vec3 d = l->c.correctives[k].displacements[v];
            sizes[k] += (double)lmb_vec3_dot(d, d);
        }
    }
    l->examples.width = l->target_count;
    l->examples.values = l->coefficients;
    l->examples.sizes = sizes;
    const lmb_result result =
        lmbi_pose_fit(&l->examples, &l->c.arena, &l->c.spaces[0], &l->c.defs[0], error);
    l->c.group_count = result == LMB_OK;
    return result;
}

// ---- how near it comes

/// Adds the squared distances of the frames from the character as its clip shows it: sums[0] and
/// counts[0] of learned frames, 1 of left-out ones.
static lmb_result measure(const learning *l, const lmb_character *c, const lmb_allocator *alloc,
                          double rms[2], lmb_error *error)
{
    const uint32_t joints = c->skeleton->joint_count;
    double sums[2] = {0, 0}, counts[2] = {0, 0};
    lmbi_arena arena;
    lmb_deformer *deformer = NULL;
    lmbi_arena_init(&arena, alloc);
    uint32_t *first = lmbi_arena_array(&arena, (size_t)joints + 1, sizeof *first);
    const size_t width = first ? lmb_character_weights(c, first, NULL) : 0;
    float *rest = lmbi_arena_array(&arena, width + 1, sizeof *rest);
    float *weights = lmbi_arena_array(&arena, width + 1, sizeof *weights);
    lmb_transform *local = lmbi_arena_array(&arena, joints, sizeof *local);
    lmb_mat4 *model = lmbi_arena_array(&arena, joints, sizeof *model);
    lmb_result result = first && rest && weights && local && model
                            ? lmb_deformer_create(c, alloc, &deformer, error)
                            : lmbi_fail_memory(error);
    if (result == LMB_OK) {
        lmb_character_weights(c, first, rest);
    }
    for (uint32_t k = 0; result == LMB_OK && k < l->frames->frame_count; ++k) {
        memcpy(weights, rest, width * sizeof *weights);
        lmb_sample(&(lmb_sample_job){.clip = c->clips[l->frames->clip],
                                     .time_s = l->frames->times_s[k],
                                     .joint_count = joints,
                                     .rest = c->skeleton->rest,
                                     .pose = local,
                                     .weight_first = first,
                                     .rest_weights = rest,
                                     .weights = weights});
        lmb_pose_to_model(&(lmb_pose_to_model_job){
            .skeleton = c->skeleton, .local = local, .model_from_joint = model});
        lmb_deform(&(lmb_deform_job){.deformer = deformer,
                                     .model_from_joint = model,
                                     .weight_first = first,
                                     .weights = weights,
                                     .positions_only = true});
        const int out = is_held_out(l, k);
        for (uint32_t i = 0; i < c->instance_count; ++i) {
            const lmb_deformed shown = lmb_deformer_instance(deformer, i);
            const lmb_vec3 *goal = l->frames->positions[k] + l->c.first_vertex[i];
            for (uint32_t v = 0; v < shown.vertex_count; ++v) {
                const lmb_vec3 d = lmb_vec3_sub(shown.positions[v], goal[v]);
                sums[out] += (double)lmb_vec3_dot(d, d);
                counts[out] += 1;
            }
        }
    }
    for (int out = 0; out < 2; ++out) {
        rms[out] = counts[out] > 0 ? sqrt(sums[out] / counts[out]) : 0;
    }
    lmb_deformer_destroy(deformer);
    lmbi_arena_free(&arena);
    return result;
}

// ---- the whole

static lmb_result learn(learning *l, lmb_error *error)
{
    lmb_result result = check(l, error);
    if (result == LMB_OK) {
        result = gather(l, error);
    }
    if (result == LMB_OK) {
        result = find_drivers(l, error);
    }
    if (result == LMB_OK) {
        result = drop_equal_poses(l, error);
    }
    if (result == LMB_OK) {
        result = make_basis(l, error);
    }
    if (result == LMB_OK) {
        result = choose_space(l, error);
    }
    if (result == LMB_OK) {
        l->c.key_count = l->count;
        l->c.keys = lmbi_arena_array(&l->c.arena, l->count, sizeof *l->c.keys);
        result = l->c.keys ? LMB_OK : lmbi_fail_memory(error);
    }
    for (uint32_t e = 0; result == LMB_OK && e < l->count; ++e) {
        l->c.keys[e] = (lmbi_correct_key){l->frames->clip, l->frames->times_s[l->numbers[e]]};
    }
    return result;
}

static void fill_report(const learning *l, const double before[2], const double after[2],
                        lmb_correct_frames_report *report)
{
    const lmb_box box = lmb_box_of(l->frames->positions[0], l->c.vertex_count);
    const double scale = 100 / (double)lmb_vec3_distance(box.low, box.high);
    uint32_t held_out = 0;
    for (uint32_t k = 0; k < l->frames->frame_count; ++k) {
        held_out += is_held_out(l, k);
    }
    *report = (lmb_correct_frames_report){.target_count = l->target_count,
                                          .driver_count = l->examples.driver_count,
                                          .frame_count = l->frames->frame_count - held_out,
                                          .held_out_count = held_out,
                                          .before_percent = (float)(scale * before[0]),
                                          .rms_percent = (float)(scale * after[0]),
                                          .before_held_out_percent = (float)(scale * before[1]),
                                          .held_out_percent = (float)(scale * after[1])};
}

lmb_result lmb_correct_frames(lmb_character **character, const lmb_corrected_frames *frames,
                              const lmb_correct_frames_opts *opts, const lmb_allocator *alloc,
                              lmb_correct_frames_report *report, lmb_error *error)
{
    learning l = {.frames = frames, .opts = *opts};
    double before[2] = {0, 0}, after[2] = {0, 0};
    lmb_character *made = NULL;
    lmb_result result = lmbi_correct_begin(&l.c, *character, alloc, error);
    l.c.frame_rate = opts->frame_rate;
    if (result == LMB_OK) {
        result = learn(&l, error);
    }
    if (result == LMB_OK) {
        result = measure(&l, *character, alloc, before, error);
    }
    if (result == LMB_OK) {
        result = lmbi_correct_make(&l.c, alloc, &made, error);
    }
    if (made) {
        result = measure(&l, made, alloc, after, error);
        lmbi_correct_drop(result == LMB_OK ? *character : made,
                          result == LMB_OK ? made : *character);
    }
    if (result == LMB_OK) {
        *character = made;
        if (report) {
            fill_report(&l, before, after, report);
        }
    }
    lmbi_correct_end(&l.c);
    return result;
}
