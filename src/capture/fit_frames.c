/// Poses of all frames: forward and backward from the best frame, then smoothed between their
/// neighbours.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "capture/fit.h"
#include "math/math.h"

#define HIDDEN_WEIGHT 0.02f ///< weight of a hidden point's goal; a visible one has 1
#define SMOOTH 1e-4f
#define SWEEPS 2

static lmb_transform *pose_of(const lmbi_fitting *fit, uint32_t frame)
{
    return fit->poses + (size_t)frame * fit->subject.count;
}

static bool report_progress(const lmbi_fitting *fit, const char *stage, float fraction)
{
    const lmb_progress *progress = fit->opts->progress;
    return progress == NULL || progress->report(progress->user, stage, fraction);
}

static float smooth_weight(const lmbi_fitting *fit)
{
    return fit->opts->smooth > 0 ? fit->opts->smooth : SMOOTH;
}

static bool is_seen(const lmbi_fitting *fit, uint32_t frame, uint32_t m)
{
    return fit->seen[(size_t)frame * fit->point_count + m] != 0;
}

/// The frame that shows most points, from which the solves start.
static uint32_t choose_first_frame(const lmbi_fitting *fit)
{
    uint32_t best = 0, most_seen = 0;
    for (uint32_t f = 0; f < fit->frame_count; ++f) {
        uint32_t seen = 0;
        for (uint32_t m = 0; m < fit->point_count; ++m) {
            seen += fit->attachments[m].joint >= 0 && is_seen(fit, f, m);
        }
        best = seen > most_seen ? f : best;
        most_seen = seen > most_seen ? seen : most_seen;
    }
    return best;
}

static void solve_first_frame(lmbi_fitting *fit, uint32_t frame)
{
    lmb_transform *local = pose_of(fit, frame);
    memcpy(local, fit->subject.rest, fit->subject.count * sizeof *local);
    (void)lmbi_fit_align_root(fit, frame, local);
    (void)lmbi_fit_solve(fit, frame, local, NULL, 0, 80, 0);
}

static void solve_from_neighbour(lmbi_fitting *fit, uint32_t frame, uint32_t from)
{
    const lmb_transform *near = pose_of(fit, from);
    memcpy(pose_of(fit, frame), near, fit->subject.count * sizeof *near);
    (void)lmbi_fit_solve(fit, frame, pose_of(fit, frame), near, smooth_weight(fit), 12, 0);
}

// -------------------------------------------------------------------------------- hidden points

/// The next frame in a direction that shows the point; `frame` itself where none does.
static uint32_t find_visible_frame(const lmbi_fitting *fit, uint32_t frame, uint32_t m, int step)
{
    for (int64_t f = (int64_t)frame + step; f >= 0 && f < (int64_t)fit->frame_count; f += step) {
        if (is_seen(fit, (uint32_t)f, m)) {
            return (uint32_t)f;
        }
    }
    return frame;
}

static lmb_vec3 in_hips_frame(const lmbi_fitting *fit, uint32_t frame, uint32_t m)
{
    const lmb_transform hips = pose_of(fit, frame)[fit->subject.root];
    const lmb_vec3 p = fit->points[(size_t)frame * fit->point_count + m];
    return lmb_quat_rotate(lmb_quat_conjugate(hips.rotation), lmb_vec3_sub(p, hips.translation));
}

/// Adds weak goals for hidden points, interpolated in the hips' frame between the frames that show
/// them.
static uint32_t add_hidden_goals(lmbi_fitting *fit, uint32_t frame)
{
    const lmb_transform hips = pose_of(fit, frame)[fit->subject.root];
    uint32_t count = 0;
    for (uint32_t m = 0; m < fit->point_count; ++m) {
        if (fit->attachments[m].joint < 0 || is_seen(fit, frame, m)) {
            continue;
        }
        uint32_t a = find_visible_frame(fit, frame, m, -1),
                 b = find_visible_frame(fit, frame, m, 1);
        if (a == frame && b == frame) {
            continue;
        }
        a = a == frame ? b : a;
        b = b == frame ? a : b;
        const float s = b > a ? (float)(frame - a) / (float)(b - a) : 0;
        const lmb_vec3 local = lmb_vec3_lerp(in_hips_frame(fit, a, m), in_hips_frame(fit, b, m), s);
        fit->goals[count++] = (lmb_goal){.kind = LMB_GOAL_POSITION,
                                         .joint = (uint32_t)fit->attachments[m].joint,
                                         .offset = fit->attachments[m].offset,
                                         .target = lmb_transform_point(hips, local),
                                         .weight = HIDDEN_WEIGHT};
    }
    return count;
}

// ------------------------------------------------------------------------------------- the sweeps

/// Mean of the neighbours' poses.
static void average_neighbours(const lmbi_fitting *fit, uint32_t frame, lmb_transform *out)
{
    const uint32_t before = frame > 0 ? frame - 1 : frame,
                   after = frame + 1 < fit->frame_count ? frame + 1 : frame;
    const lmb_transform *a = pose_of(fit, before), *b = pose_of(fit, after);
    for (uint32_t j = 0; j < fit->subject.count; ++j) {
        out[j] = a[j];
        out[j].translation = lmb_vec3_lerp(a[j].translation, b[j].translation, 0.5f);
        out[j].rotation = lmbi_quat_nlerp(a[j].rotation, b[j].rotation, 0.5f);
    }
}

/// Solves odd frames, then even ones, so that neighbours do not change meanwhile.
static bool smooth_frames(lmbi_fitting *fit, int number, bool last, lmb_transform *between)
{
    for (uint32_t half = 0; half < 2; ++half) {
        for (uint32_t f = 1 - half; f < fit->frame_count; f += 2) {
            average_neighbours(fit, f, between);
            const uint32_t hidden_count = add_hidden_goals(fit, f);
            const lmb_ik_full_body_report report = lmbi_fit_solve(
                fit, f, pose_of(fit, f), between, smooth_weight(fit), 6, hidden_count);
            fit->limited_frames += last && report.limits_hit > 0;
            if (f % 256 < 2 &&
                !report_progress(fit, "smoothing",
                                 ((float)number + 0.5f * (float)half) / SWEEPS +
                                     0.5f * (float)f / (float)fit->frame_count / SWEEPS)) {
                return false;
            }
        }
    }
    return true;
}

lmb_result lmbi_fit_frames(lmbi_fitting *fit, lmb_error *error)
{
    lmb_transform *between = lmbi_arena_array(fit->arena, fit->subject.count, sizeof *between);
    if (between == NULL) {
        return lmbi_fail_memory(error);
    }
    const uint32_t first = choose_first_frame(fit);
    bool running = true;
    solve_first_frame(fit, first);
    for (uint32_t k = 1; k < fit->frame_count && running; ++k) {
        const bool forward = k < fit->frame_count - first;
        const uint32_t f = forward ? first + k : fit->frame_count - 1 - k;
        solve_from_neighbour(fit, f, forward ? f - 1 : f + 1);
        running =
            k % 256 != 0 || report_progress(fit, "posing", (float)k / (float)fit->frame_count);
    }
    for (int s = 0; s < SWEEPS && running; ++s) {
        running = smooth_frames(fit, s, s + 1 == SWEEPS, between);
    }
    return running ? LMB_OK : lmbi_fail(error, LMB_ERROR_CANCELLED, "to go on", "a stop");
}
