#include <math.h>
#include <string.h>

#include "anim/anim.h"
#include "base/alloc.h"
#include "base/error.h"
#include "limber/anim.h"

#define HEADING_TOLERANCE_RAD (LMB_PI / 6)

/// Heading at rest, from +Z: perpendicular to the line between the feet. Within
/// HEADING_TOLERANCE_RAD it counts as +Z, since one foot may stand in front at rest.
static float rest_heading(const lmb_mat4 *rest, uint32_t left, uint32_t right)
{
    const lmb_vec3 across =
        lmb_vec3_sub(lmb_mat4_translation(rest[left]), lmb_mat4_translation(rest[right]));
    const float yaw = lmb_atan2(-across.z, across.x);
    return fabsf(yaw) < HEADING_TOLERANCE_RAD ? 0 : yaw;
}

/// Two feet of a walk.
typedef struct walk {
    const lmb_clip *clip;
    const lmb_skeleton *skeleton;
    const lmb_root_track *track; ///< NULL for a walk in place
    uint32_t left, right;
    float rest_yaw;
    lmb_transform *pose; ///< [joint_count] scratch
    lmb_mat4 *model;     ///< [joint_count] scratch
} walk;

/// Distance of the left foot in front of the right, along the heading, at each of `count` frames of
/// a cycle.
static void measure_separations(const walk *w, uint32_t count, float *out)
{
    for (uint32_t f = 0; f < count; ++f) {
        const double time_s = (double)lmb_clip_duration_s(w->clip) * (double)f / (double)count;
        lmb_clip_to_model(w->clip, w->skeleton, time_s, w->pose, w->model);
        const float root_yaw = w->track != NULL ? lmbi_root_track_at(w->track, time_s).yaw_rad : 0;
        const float yaw = w->rest_yaw + root_yaw;
        const lmb_vec3 offset = lmb_vec3_sub(lmb_mat4_translation(w->model[w->left]),
                                             lmb_mat4_translation(w->model[w->right]));
        out[f] = offset.x * lmb_sin(yaw) + offset.z * lmb_cos(yaw);
    }
}

/// Minimum step length, as a fraction of leg length, for feet to count as stepping.
#define MIN_STRIDE 0.15f
/// Minimum prominence of an extreme, as a fraction of the range.
#define PROMINENCE 0.4f

/// Finds the alternating maxima and minima of the cycle, starting at its maximum `first`.
static uint32_t find_extremes(const float *values, uint32_t count, float range, uint32_t first,
                              uint32_t *frames, uint32_t capacity)
{
    const float needed = PROMINENCE * range;
    uint32_t found = 0, best = first;
    float sign = 1;
    for (uint32_t k = 1; k <= count && found + 1 < capacity; ++k) {
        const uint32_t f = (first + k) % count;
        if (sign * values[f] > sign * values[best]) {
            best = f;
        } else if (sign * (values[best] - values[f]) > needed) {
            frames[found++] = best;
            best = f;
            sign = -sign;
        }
    }
    // Drop an unpaired last extreme: it is the first one again.
    return found & ~1u;
}

static lmb_result create_stride(const lmb_clip *clip, const float *values, uint32_t count,
                                float threshold, const lmb_allocator *alloc, lmbi_stride **out,
                                lmb_error *error)
{
    enum { MAX_MARKS = LMBI_STRIDE_MARKS };
    uint32_t frames[MAX_MARKS + 2], highest = 0, lowest = 0, found = 0;
    for (uint32_t f = 1; f < count; ++f) {
        highest = values[f] > values[highest] ? f : highest;
        lowest = values[f] < values[lowest] ? f : lowest;
    }
    if (values[highest] > threshold && values[lowest] < -threshold) {
        found = find_extremes(values, count, values[highest] - values[lowest], highest, frames,
                              MAX_MARKS + 2);
    }
    lmbi_stride *stride = lmbi_alloc(alloc, sizeof(*stride));
    if (stride == NULL) {
        return lmbi_fail_memory(error);
    }
    stride->mark_count = found;
    stride->duration_s = (double)lmb_clip_duration_s(clip);
    for (uint32_t m = 0; m < found; ++m) {
        stride->marks_s[m] = stride->duration_s * (double)frames[m] / (double)count;
    }
    if (alloc != NULL) {
        stride->allocator = *alloc;
    }
    *out = stride;
    return LMB_OK;
}

lmb_result lmbi_stride_create(const lmb_clip *clip, const lmb_skeleton *skeleton,
                              const lmb_root_track *track, uint32_t left_foot, uint32_t right_foot,
                              const lmb_allocator *alloc, lmbi_stride **out, lmb_error *error)
{
    const uint32_t joints = skeleton->joint_count;
    const double frames = ceil((double)lmb_clip_duration_s(clip) * 120);
    if (left_foot >= joints || right_foot >= joints || !(frames < 1e7)) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "two joints of the skeleton", "joints %u and %u",
                         left_foot, right_foot);
    }
    const uint32_t count = (uint32_t)frames + 1;
    lmb_transform *pose = lmbi_alloc_array(alloc, joints, sizeof(*pose));
    lmb_mat4 *model = lmbi_alloc_array(alloc, joints, sizeof(*model));
    float *values = lmbi_alloc_array(alloc, count, sizeof(*values));
    lmb_result result =
        pose != NULL && model != NULL && values != NULL ? LMB_OK : lmbi_fail_memory(error);
    if (result == LMB_OK) {
        lmb_pose_to_model(
            &(lmb_pose_to_model_job){.skeleton = skeleton, .model_from_joint = model});
        lmb_vec3 low = lmb_mat4_translation(model[left_foot]), high = low;
        for (uint32_t j = 0; j < joints; ++j) {
            high.y = fmaxf(high.y, lmb_mat4_translation(model[j]).y);
        }
        // Legs are about half of the height above the ankles.
        const float threshold = MIN_STRIDE * 0.25f * (high.y - low.y);
        const walk w = {.clip = clip,
                        .skeleton = skeleton,
                        .track = track,
                        .left = left_foot,
                        .right = right_foot,
                        .rest_yaw = rest_heading(model, left_foot, right_foot),
                        .pose = pose,
                        .model = model};
        measure_separations(&w, count, values);
        result = create_stride(clip, values, count, threshold, alloc, out, error);
    }
    lmbi_free(alloc, pose);
    lmbi_free(alloc, model);
    lmbi_free(alloc, values);
    return result;
}

void lmbi_stride_destroy(lmbi_stride *stride)
{
    if (stride != NULL) {
        lmbi_free_own(&stride->allocator, stride);
    }
}

static double mark_interval(const lmbi_stride *s, uint32_t mark)
{
    const uint32_t next = (mark + 1) % s->mark_count;
    const double d = s->marks_s[next] - s->marks_s[mark];
    return d > 0 ? d : d + s->duration_s;
}

double lmbi_stride_interval(const lmbi_stride *stride, double phase)
{
    const double k = lmb_time_in(floor(phase), (double)stride->mark_count, LMB_PLAY_LOOP);
    return mark_interval(stride, (uint32_t)k);
}

double lmbi_stride_time(const lmbi_stride *stride, double phase)
{
    const double whole = floor(phase), cycles = floor(whole / (double)stride->mark_count);
    const uint32_t mark =
        (uint32_t)(whole - cycles * (double)stride->mark_count) % stride->mark_count;
    double time_s = stride->marks_s[0] + cycles * stride->duration_s;
    for (uint32_t m = 0; m < mark; ++m) {
        time_s += mark_interval(stride, m);
    }
    return time_s + (phase - whole) * mark_interval(stride, mark);
}

double lmbi_stride_phase(const lmbi_stride *stride, double time_s)
{
    double left = lmb_time_in(time_s - stride->marks_s[0], stride->duration_s, LMB_PLAY_LOOP);
    uint32_t mark = 0;
    while (mark + 1 < stride->mark_count && left >= mark_interval(stride, mark)) {
        left -= mark_interval(stride, mark++);
    }
    return (double)mark + fmin(left / mark_interval(stride, mark), 1);
}
