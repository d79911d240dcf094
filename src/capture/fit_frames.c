/// Poses of all frames: forward, each from the one before; then again, each between its neighbours.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "capture/fit.h"

#define FILL_WEIGHT 0.02f ///< of a point that was not seen, against those that were
#define SMOOTH 1e-4f
#define SWEEPS 2

static lmb_transform *pose_of(const lmbi_fitting *fit, uint32_t frame)
{
    return fit->poses + (size_t)frame * fit->subject.count;
}

static bool told(const lmbi_fitting *fit, const char *stage, float share)
{
    const lmb_progress *progress = fit->opts->progress;
    return progress == NULL || progress->report(progress->user, stage, share);
}

static float pull_of(const lmbi_fitting *fit)
{
    return fit->opts->smooth > 0 ? fit->opts->smooth : SMOOTH;
}

static bool is_seen(const lmbi_fitting *fit, uint32_t frame, uint32_t m)
{
    return fit->seen[(size_t)frame * fit->point_count + m] != 0;
}

/// The frame from which the search begins: the one that shows most points.
static uint32_t best_frame(const lmbi_fitting *fit)
{
    uint32_t best = 0, most = 0;
    for (uint32_t f = 0; f < fit->frame_count; ++f) {
        uint32_t seen = 0;
        for (uint32_t m = 0; m < fit->point_count; ++m) {
            seen += fit->places[m].joint >= 0 && is_seen(fit, f, m);
        }
        best = seen > most ? f : best;
        most = seen > most ? seen : most;
    }
    return best;
}

static void begin(lmbi_fitting *fit, uint32_t frame)
{
    lmb_transform *local = pose_of(fit, frame);
    memcpy(local, fit->subject.rest, fit->subject.count * sizeof *local);
    (void)lmbi_fit_stand(fit, frame, local);
    (void)lmbi_fit_solve(fit, frame, local, NULL, 0, 80, 0);
}

static void follow(lmbi_fitting *fit, uint32_t frame, uint32_t from)
{
    const lmb_transform *near = pose_of(fit, from);
    memcpy(pose_of(fit, frame), near, fit->subject.count * sizeof *near);
    (void)lmbi_fit_solve(fit, frame, pose_of(fit, frame), near, pull_of(fit), 12, 0);
}

// ------------------------------------------------------------------------------------ what hides

/// The next frame in a direction that shows the point; the frame itself where none does.
static uint32_t sighting(const lmbi_fitting *fit, uint32_t frame, uint32_t m, int step)
{
    for (int64_t f = (int64_t)frame + step; f >= 0 && f < (int64_t)fit->frame_count; f += step) {
        if (is_seen(fit, (uint32_t)f, m)) {
            return (uint32_t)f;
        }
    }
    return frame;
}

static lmb_vec3 by_hips(const lmbi_fitting *fit, uint32_t frame, uint32_t m)
{
    const lmb_transform hips = pose_of(fit, frame)[fit->subject.root];
    const lmb_vec3 p = fit->points[(size_t)frame * fit->point_count + m];
    return lmb_quat_rotate(lmb_quat_conjugate(hips.rotation), lmb_vec3_sub(p, hips.translation));
}

/// Weak goals for the points that a frame lacks: a straight line, as the hips see it, from where
/// they were to where they will be.
static uint32_t add_hidden(lmbi_fitting *fit, uint32_t frame)
{
    const lmb_transform hips = pose_of(fit, frame)[fit->subject.root];
    uint32_t count = 0;
    for (uint32_t m = 0; m < fit->point_count; ++m) {
        if (fit->places[m].joint < 0 || is_seen(fit, frame, m)) {
            continue;
        }
        uint32_t a = sighting(fit, frame, m, -1), b = sighting(fit, frame, m, 1);
        if (a == frame && b == frame) {
            continue;
        }
        a = a == frame ? b : a;
        b = b == frame ? a : b;
        const float s = b > a ? (float)(frame - a) / (float)(b - a) : 0;
        const lmb_vec3 local = lmb_vec3_lerp(by_hips(fit, a, m), by_hips(fit, b, m), s);
        fit->goals[count++] = (lmb_goal){.kind = LMB_GOAL_POSITION,
                                         .joint = (uint32_t)fit->places[m].joint,
                                         .offset = fit->places[m].offset,
                                         .target = lmb_transform_point(hips, local),
                                         .weight = FILL_WEIGHT};
    }
    return count;
}

// ------------------------------------------------------------------------------------- the sweeps

/// Halfway between the neighbours' poses.
static void middle(const lmbi_fitting *fit, uint32_t frame, lmb_transform *out)
{
    const uint32_t before = frame > 0 ? frame - 1 : frame,
                   after = frame + 1 < fit->frame_count ? frame + 1 : frame;
    const lmb_transform *a = pose_of(fit, before), *b = pose_of(fit, after);
    for (uint32_t j = 0; j < fit->subject.count; ++j) {
        out[j] = a[j];
        out[j].translation = lmb_vec3_lerp(a[j].translation, b[j].translation, 0.5f);
        out[j].rotation = lmb_quat_nlerp(a[j].rotation, b[j].rotation, 0.5f);
    }
}

/// Odd frames first, then even ones: each sees neighbours that do not change meanwhile.
static bool sweep(lmbi_fitting *fit, int number, bool last, lmb_transform *between)
{
    for (uint32_t half = 0; half < 2; ++half) {
        for (uint32_t f = 1 - half; f < fit->frame_count; f += 2) {
            middle(fit, f, between);
            const uint32_t hidden = add_hidden(fit, f);
            const lmb_ik_full_body_report report =
                lmbi_fit_solve(fit, f, pose_of(fit, f), between, pull_of(fit), 6, hidden);
            fit->limited_frames += last && report.limits_hit > 0;
            if (f % 256 < 2 && !told(fit, "smoothing",
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
    const uint32_t first = best_frame(fit);
    bool going = true;
    begin(fit, first);
    for (uint32_t k = 1; k < fit->frame_count && going; ++k) {
        const bool forward = k < fit->frame_count - first;
        const uint32_t f = forward ? first + k : fit->frame_count - 1 - k;
        follow(fit, f, forward ? f - 1 : f + 1);
        going = k % 256 != 0 || told(fit, "posing", (float)k / (float)fit->frame_count);
    }
    for (int s = 0; s < SWEEPS && going; ++s) {
        going = sweep(fit, s, s + 1 == SWEEPS, between);
    }
    return going ? LMB_OK : lmbi_fail(error, LMB_ERROR_CANCELLED, "to go on", "a stop");
}
