/// Marker labels: restores swapped ones, and attaches points whose labels are unknown.
#include <math.h>

#include "capture/fit.h"

#define SWAP_JUMP 0.02f ///< metres on a body of 1.6 m: least jump of a swapped label
/// most movement left after swapping back, as a fraction of the movement before
#define SWAP_GAIN 0.4f
#define ATTACH_RMS 0.025f ///< metres that a marker may move relative to its joint
#define ATTACH_CONTRAST 4 ///< least ratio of its movement relative to the worst joint

/// Last position of a point in the quarter second before a frame.
static bool find_last_position(const lmbi_fitting *fit, uint32_t frame, uint32_t m, lmb_vec3 *out)
{
    const uint32_t reach = (uint32_t)(0.25f * fit->rate) + 1;
    for (uint32_t k = 1; k <= reach && k <= frame; ++k) {
        const size_t at = (size_t)(frame - k) * fit->point_count + m;
        if (fit->seen[at]) {
            *out = fit->points[at];
            return true;
        }
    }
    return false;
}

static void swap_points(lmbi_fitting *fit, uint32_t frame, uint32_t a, uint32_t b)
{
    const size_t row = (size_t)frame * fit->point_count;
    const lmb_vec3 p = fit->points[row + a];
    const uint8_t s = fit->seen[row + a];
    fit->points[row + a] = fit->points[row + b];
    fit->seen[row + a] = fit->seen[row + b];
    fit->points[row + b] = p;
    fit->seen[row + b] = s;
}

/// Whether points a and b move less with their labels swapped.
static bool are_swapped(const lmbi_fitting *fit, uint32_t frame, uint32_t a, uint32_t b,
                        const lmb_vec3 *last, const uint8_t *known)
{
    const size_t row = (size_t)frame * fit->point_count;
    if (!known[a] || !known[b] || !fit->seen[row + a] || !fit->seen[row + b]) {
        return false;
    }
    const float min_jump = SWAP_JUMP * fit->subject.height * fit->scale / 1.6f;
    const float as_a = lmb_vec3_distance(fit->points[row + a], last[a]),
                as_b = lmb_vec3_distance(fit->points[row + b], last[b]),
                a_as_b = lmb_vec3_distance(fit->points[row + a], last[b]),
                b_as_a = lmb_vec3_distance(fit->points[row + b], last[a]);
    return as_a > min_jump && as_b > min_jump && a_as_b + b_as_a < SWAP_GAIN * (as_a + as_b);
}

static void count_swaps(lmbi_fitting *fit, const uint32_t *label_of)
{
    for (uint32_t m = 0; m < fit->point_count; ++m) {
        fit->swapped[m] += label_of[m] != m;
    }
}

bool lmbi_fit_unswap_labels(lmbi_fitting *fit)
{
    const uint32_t n = fit->point_count;
    lmb_vec3 *last = lmbi_arena_array(fit->arena, n, sizeof *last);
    uint8_t *known = lmbi_arena_array(fit->arena, n, sizeof *known);
    // label_of[m]: the recorded label of point m at present.
    uint32_t *label_of = lmbi_arena_array(fit->arena, n, sizeof *label_of);
    lmb_vec3 *points = lmbi_arena_array(fit->arena, n, sizeof *points);
    uint8_t *seen = lmbi_arena_array(fit->arena, n, sizeof *seen);
    if (!last || !known || !label_of || !points || !seen) {
        return false;
    }
    for (uint32_t m = 0; m < n; ++m) {
        label_of[m] = m;
    }
    for (uint32_t f = 0; f < fit->frame_count; ++f) {
        const size_t row = (size_t)f * n;
        for (uint32_t m = 0; m < n; ++m) {
            points[m] = fit->points[row + label_of[m]];
            seen[m] = fit->seen[row + label_of[m]];
            known[m] = find_last_position(fit, f, m, &last[m]);
        }
        for (uint32_t m = 0; m < n; ++m) {
            fit->points[row + m] = points[m];
            fit->seen[row + m] = seen[m];
        }
        for (uint32_t a = 0; a < n; ++a) {
            for (uint32_t b = a + 1; b < n; ++b) {
                if (are_swapped(fit, f, a, b, last, known)) {
                    swap_points(fit, f, a, b);
                    const uint32_t h = label_of[a];
                    label_of[a] = label_of[b];
                    label_of[b] = h;
                    fit->swap_count += 1;
                }
            }
        }
        count_swaps(fit, label_of);
    }
    return true;
}

/// Mean and root mean square deviation of a point in a joint's frame.
static float measure_spread(const lmbi_fitting *fit, const uint32_t *frames, uint32_t count,
                            const lmb_mat4 *joint_from_model, uint32_t m, lmb_vec3 *mean)
{
    lmb_vec3 sum = {0, 0, 0};
    float squares = 0, seen = 0;
    for (uint32_t k = 0; k < count; ++k) {
        const size_t at = (size_t)frames[k] * fit->point_count + m;
        if (fit->seen[at]) {
            const lmb_vec3 p = lmb_mat4_point(joint_from_model[k], fit->points[at]);
            sum = lmb_vec3_add(sum, p);
            squares += lmb_vec3_dot(p, p);
            seen += 1;
        }
    }
    if (seen < 5) {
        return INFINITY;
    }
    *mean = lmb_vec3_scale(sum, 1 / seen);
    return sqrtf(fmaxf(squares / seen - lmb_vec3_dot(*mean, *mean), 0));
}

static bool attach_point(lmbi_fitting *fit, const uint32_t *frames, uint32_t count,
                         const lmb_mat4 *joint_from_models, uint32_t m, float *best)
{
    bool attached = false;
    float worst = 0;
    for (uint32_t j = 0; j < fit->subject.count; ++j) {
        lmb_vec3 mean = {0, 0, 0};
        if (!fit->active[j]) {
            continue;
        }
        const float rms =
            measure_spread(fit, frames, count, joint_from_models + (size_t)j * count, m, &mean);
        worst = rms < INFINITY ? fmaxf(worst, rms) : worst;
        const bool near = lmb_vec3_length(mean) < 0.35f * fit->subject.height;
        if (rms < best[m] && near) {
            best[m] = rms;
            fit->attachments[m] = (lmbi_attachment){
                .joint = (int32_t)j, .offset = mean, .by_motion = true, .loose = true};
            attached = true;
        }
    }
    // A recording in which nothing moves cannot tell joints apart.
    if (attached && worst < ATTACH_CONTRAST * fmaxf(best[m], 0.005f)) {
        fit->attachments[m] = (lmbi_attachment){.joint = LMB_NONE};
        attached = false;
    }
    return attached;
}

bool lmbi_fit_attach_unnamed(lmbi_fitting *fit, const uint32_t *frames, uint32_t frame_count,
                             const lmb_transform *poses)
{
    const uint32_t n = fit->subject.count;
    lmb_mat4 *joint_from_models =
        lmbi_arena_array(fit->arena, (size_t)n * frame_count, sizeof *joint_from_models);
    float *best = lmbi_arena_array(fit->arena, fit->point_count, sizeof *best);
    if (joint_from_models == NULL || best == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < frame_count; ++k) {
        lmbi_subject_model(&fit->subject, poses + (size_t)k * n, fit->model);
        for (uint32_t j = 0; j < n; ++j) {
            (void)lmb_mat4_inverse_affine(fit->model[j],
                                          &joint_from_models[(size_t)j * frame_count + k]);
        }
    }
    bool any = false;
    for (uint32_t m = 0; m < fit->point_count; ++m) {
        best[m] = ATTACH_RMS * fit->subject.height * fit->scale / 1.6f;
        if (fit->attachments[m].joint < 0) {
            any |= attach_point(fit, frames, frame_count, joint_from_models, m, best);
        }
    }
    return any;
}
