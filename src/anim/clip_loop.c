#include <math.h>
#include <string.h>

#include "anim/anim.h"
#include "anim/frames.h"
#include "anim/mix.h"
#include "base/error.h"
#include "limber/anim.h"

// -------------------------------------------------------------------------------------- measuring

/// Frames without root motion (`even`: without its mean motion, keeping the sway), and the joint
/// positions in model space.
typedef struct cycle {
    lmbi_frames frames;
    lmb_root_track *track; ///< of the clip, or NULL
    lmb_vec3 *positions;   ///< [frame_count][joint_count]
} cycle;

static lmb_root_placement root_at(const cycle *c, uint32_t frame)
{
    return lmbi_root_track_at(c->track, (double)frame / (double)c->frames.rate_hz);
}

static lmb_result compute_positions(lmbi_arena *arena, const lmb_skeleton *skeleton, cycle *c,
                                    lmb_error *error)
{
    const uint32_t joints = skeleton->joint_count;
    lmb_mat4 *model = lmbi_arena_array(arena, joints, sizeof(*model));
    c->positions =
        lmbi_arena_array(arena, (size_t)c->frames.frame_count * joints, sizeof(lmb_vec3));
    if (model == NULL || c->positions == NULL) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t f = 0; f < c->frames.frame_count; ++f) {
        lmb_pose_to_model(&(lmb_pose_to_model_job){.skeleton = skeleton,
                                                   .local = lmbi_frames_pose(&c->frames, f),
                                                   .model_from_joint = model});
        for (uint32_t j = 0; j < joints; ++j) {
            c->positions[(size_t)f * joints + j] = lmb_mat4_translation(model[j]);
        }
    }
    return LMB_OK;
}

/// What a cycle is read from.
typedef struct cycle_source {
    const lmb_clip *clip;
    const lmb_skeleton *skeleton;
    int32_t root;  ///< LMB_NONE: root motion stays in the poses
    bool even;     ///< root motion at constant velocity
    float rate_hz; ///< 0: the clip's own
} cycle_source;

static lmb_result read_cycle(lmbi_arena *arena, const cycle_source *from, cycle *c,
                             lmb_error *error)
{
    *c = (cycle){0};
    lmb_result result =
        lmbi_frames_read(arena, from->clip, from->skeleton, from->rate_hz, &c->frames, error);
    if (result == LMB_OK && from->root != LMB_NONE) {
        const lmb_root_opts opts = {
            .joint = (uint32_t)from->root, .even = from->even, .rate_hz = c->frames.rate_hz};
        result = lmb_root_track_create(from->clip, from->skeleton, &opts, arena->alloc, &c->track,
                                       error);
    }
    for (uint32_t f = 0; c->track != NULL && f < c->frames.frame_count; ++f) {
        lmbi_pose_extract_root(from->skeleton, (uint32_t)from->root, root_at(c, f),
                               lmbi_frames_pose(&c->frames, f));
    }
    return result == LMB_OK ? compute_positions(arena, from->skeleton, c, error) : result;
}

/// Velocity of joint j: forward difference, backward at the last frame.
static lmb_vec3 joint_velocity(const cycle *c, uint32_t frame, uint32_t j)
{
    const uint32_t joints = c->frames.joint_count,
                   from = frame + 1 < c->frames.frame_count ? frame : frame - 1;
    const lmb_vec3 moved = lmb_vec3_sub(c->positions[(size_t)(from + 1) * joints + j],
                                        c->positions[(size_t)from * joints + j]);
    return lmb_vec3_scale(moved, c->frames.rate_hz);
}

/// Squared differences of two frames in position and velocity, summed over the joints, and the
/// largest squared position difference. `farthest2` may be NULL.
static void measure_gap(const cycle *c, uint32_t a, uint32_t b, double *position2,
                        double *velocity2, double *farthest2)
{
    const uint32_t joints = c->frames.joint_count;
    *position2 = *velocity2 = 0;
    for (uint32_t j = 0; j < joints; ++j) {
        const lmb_vec3 p = lmb_vec3_sub(c->positions[(size_t)a * joints + j],
                                        c->positions[(size_t)b * joints + j]);
        const lmb_vec3 v = lmb_vec3_sub(joint_velocity(c, a, j), joint_velocity(c, b, j));
        *position2 += (double)lmb_vec3_dot(p, p);
        *velocity2 += (double)lmb_vec3_dot(v, v);
        if (farthest2 != NULL) {
            *farthest2 = fmax(*farthest2, (double)lmb_vec3_dot(p, p));
        }
    }
}

lmb_result lmbi_clip_seam(const lmb_clip *clip, const lmb_skeleton *skeleton, int32_t root,
                          const lmb_allocator *alloc, lmbi_seam *out, lmb_error *error)
{
    lmbi_arena arena;
    cycle c;
    lmbi_arena_init(&arena, alloc);
    const lmb_result result =
        read_cycle(&arena, &(cycle_source){clip, skeleton, root, true, 0}, &c, error);
    if (result == LMB_OK) {
        double position2, velocity2, farthest2 = 0;
        measure_gap(&c, 0, c.frames.frame_count - 1, &position2, &velocity2, &farthest2);
        const double joints = (double)skeleton->joint_count;
        *out = (lmbi_seam){(float)sqrt(position2 / joints), (float)sqrt(velocity2 / joints),
                           (float)sqrt(farthest2)};
    }
    lmb_root_track_destroy(c.track);
    lmbi_arena_free(&arena);
    return result;
}

#define VELOCITY_S 0.1       ///< weight of velocity against position, seconds
#define SEARCHED_FRAMES 1200 ///< the search is quadratic: longer clips use a lower rate

lmb_result lmb_clip_find_loop(const lmb_clip *clip, const lmb_skeleton *skeleton, int32_t root,
                              double least_s, const lmb_allocator *alloc, double *begin_s,
                              double *end_s, lmb_error *error)
{
    const float duration = lmb_clip_duration_s(clip);
    if (!(least_s > 0) || !((double)duration >= least_s)) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a clip longer than the loop", "%g s for %g s",
                         (double)duration, least_s);
    }
    lmbi_arena arena;
    cycle c;
    lmbi_arena_init(&arena, alloc);
    const float own = clip->frame_rate > 0 ? clip->frame_rate : 60;
    const cycle_source from = {clip, skeleton, root, false, fminf(own, SEARCHED_FRAMES / duration)};
    const lmb_result result = read_cycle(&arena, &from, &c, error);
    if (result == LMB_OK) {
        const uint32_t last = c.frames.frame_count - 1;
        const uint32_t least =
            (uint32_t)fmax(1, fmin(ceil(least_s * (double)c.frames.rate_hz - 1e-6), last));
        double best = (double)INFINITY;
        for (uint32_t a = 0; a + least <= last; ++a) {
            for (uint32_t b = a + least; b <= last; ++b) {
                double position2, velocity2;
                measure_gap(&c, a, b, &position2, &velocity2, NULL);
                const double cost = position2 + VELOCITY_S * VELOCITY_S * velocity2;
                if (cost < best) {
                    best = cost;
                    *begin_s = (double)a / (double)c.frames.rate_hz;
                    *end_s = (double)b / (double)c.frames.rate_hz;
                }
            }
        }
    }
    lmb_root_track_destroy(c.track);
    lmbi_arena_free(&arena);
    return result;
}

// ---------------------------------------------------------------------------------------- closing

/// Difference between the first and the last pose and its rate, rotations as rotation vectors.
typedef struct gap {
    lmb_vec3 translation, translation_v, rotation, rotation_v, scale, scale_v;
} gap;

static lmb_vec3 per_second(lmb_vec3 b, lmb_vec3 a, float rate)
{
    return lmb_vec3_scale(lmb_vec3_sub(b, a), rate);
}

static lmb_vec3 rotation_between(lmb_quat b, lmb_quat a)
{
    return lmbi_quat_log(lmb_quat_mul(b, lmb_quat_conjugate(a)));
}

static gap find_gap(const lmbi_frames *frames, uint32_t j)
{
    const uint32_t last = frames->frame_count - 1;
    const lmb_transform a0 = lmbi_frames_pose(frames, 0)[j], a1 = lmbi_frames_pose(frames, 1)[j];
    const lmb_transform b0 = lmbi_frames_pose(frames, last - 1)[j],
                        b1 = lmbi_frames_pose(frames, last)[j];
    const float rate = frames->rate_hz;
    gap g;
    g.translation = lmb_vec3_sub(a0.translation, b1.translation);
    g.scale = lmb_vec3_sub(a0.scale, b1.scale);
    g.rotation = rotation_between(a0.rotation, b1.rotation);
    g.translation_v = lmb_vec3_sub(per_second(a1.translation, a0.translation, rate),
                                   per_second(b1.translation, b0.translation, rate));
    g.scale_v =
        lmb_vec3_sub(per_second(a1.scale, a0.scale, rate), per_second(b1.scale, b0.scale, rate));
    g.rotation_v = lmb_vec3_scale(lmb_vec3_sub(rotation_between(a1.rotation, a0.rotation),
                                               rotation_between(b1.rotation, b0.rotation)),
                                  rate);
    return g;
}

/// Weights h of the gap and k of its rate, from s = 0 (the seam) to 1: h(0) = 1/2, h'(0) = 0,
/// k(0) = 0, k'(0) = 1/2, and all 0 at 1.
static void gap_weights(float s, float blend_s, float *at_x, float *at_v)
{
    const float s3 = s * s * s;
    *at_x = 0.5f * (1 + s3 * (-10 + s * (15 - 6 * s)));
    *at_v = 0.5f * blend_s * (s + s3 * (-6 + s * (8 - 3 * s)));
}

static void add_gap(lmb_transform *t, const gap *g, float at_x, float at_v)
{
    t->translation =
        lmb_vec3_mad(lmb_vec3_mad(t->translation, g->translation, at_x), g->translation_v, at_v);
    t->scale = lmb_vec3_mad(lmb_vec3_mad(t->scale, g->scale, at_x), g->scale_v, at_v);
    const lmb_vec3 r = lmb_vec3_mad(lmb_vec3_scale(g->rotation, at_x), g->rotation_v, at_v);
    t->rotation = lmb_quat_normalize(lmb_quat_mul(lmbi_quat_exp(r), t->rotation));
}

/// Moves each side by half the gap. At the end time
/// runs towards the seam, which negates the rate weight.
static void close_frames(const lmbi_frames *frames, float blend_s)
{
    const uint32_t last = frames->frame_count - 1;
    const uint32_t reach = (uint32_t)fminf(ceilf(blend_s * frames->rate_hz), (float)last / 2);
    const float span = fmaxf((float)reach, 1) / frames->rate_hz;
    for (uint32_t j = 0; j < frames->joint_count; ++j) {
        const gap g = find_gap(frames, j);
        for (uint32_t k = 0; k <= reach; ++k) {
            float at_x, at_v;
            gap_weights((float)k / fmaxf((float)reach, 1), span, &at_x, &at_v);
            add_gap(&lmbi_frames_pose(frames, last - k)[j], &g, at_x, -at_v);
            add_gap(&lmbi_frames_pose(frames, k)[j], &g, -at_x, -at_v);
        }
        lmbi_frames_pose(frames, last)[j] = lmbi_frames_pose(frames, 0)[j];
    }
}

lmb_result lmbi_clip_close(const lmb_clip *clip, const lmb_skeleton *skeleton, int32_t root,
                           double blend_s, float rate_hz, const lmb_allocator *alloc,
                           lmb_clip **out, lmb_error *error)
{
    lmbi_arena arena;
    cycle c;
    lmbi_arena_init(&arena, alloc);
    lmb_result result =
        read_cycle(&arena, &(cycle_source){clip, skeleton, root, true, rate_hz}, &c, error);
    if (result == LMB_OK && c.frames.frame_count < 4) {
        result = lmbi_fail(error, LMB_ERROR_INVALID, "a clip of at least 4 frames", "%u",
                           c.frames.frame_count);
    }
    if (result == LMB_OK) {
        close_frames(&c.frames, (float)fmax(blend_s, 0));
        for (uint32_t f = 0; c.track != NULL && f < c.frames.frame_count; ++f) {
            lmb_pose_apply_root(skeleton, (uint32_t)root, root_at(&c, f),
                                lmbi_frames_pose(&c.frames, f));
        }
        result = lmbi_frames_write(&c.frames, clip, skeleton, alloc, out, error);
    }
    lmb_root_track_destroy(c.track);
    lmbi_arena_free(&arena);
    return result;
}
