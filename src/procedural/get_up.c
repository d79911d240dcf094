/// Chooses the clip that gets a body up from how it lies, and where to play it.
#include <assert.h>
#include <math.h>

#include "base/alloc.h"
#include "base/error.h"
#include "limber/procedural.h"
#include "procedural/procedural.h"

/// Horizontal unit direction; zero where `v` is too steep.
static lmb_vec3 horizontal(lmb_vec3 v)
{
    v.y = 0;
    return lmb_vec3_length(v) > 0.3f ? lmb_vec3_normalize_or(v, lmb_vec3_make(0, 0, 1))
                                     : lmb_vec3_make(0, 0, 0);
}

lmb_lying lmbi_lying_of(lmb_quat rotation, lmb_vec3 *heading)
{
    const lmb_vec3 ahead = lmb_quat_rotate(rotation, lmb_vec3_make(0, 0, 1)),
                   up = lmb_quat_rotate(rotation, lmb_vec3_make(0, 1, 0));
    const bool upright = up.y > 0.7f, on_side = fabsf(ahead.y) < 0.5f;
    if (upright || on_side) {
        *heading = horizontal(ahead);
        return upright ? LMB_LYING_NOT : LMB_LYING_SIDE;
    }
    const lmb_vec3 lying = horizontal(up);
    *heading = ahead.y > 0 ? lmb_vec3_neg(lying) : lying;
    return ahead.y > 0 ? LMB_LYING_SUPINE : LMB_LYING_PRONE;
}

static const char *const lying_names[] = {"upright", "side", "prone", "supine"};

/// Model transforms of a pose, and how the hips lie.
typedef struct posture {
    lmb_mat4 *model;
    lmb_lying lying;
    lmb_vec3 heading;
} posture;

static void measure_posture(const lmb_get_up_job *job, const lmb_transform *local, posture *p)
{
    lmb_transform rest, now;
    lmb_pose_to_model_job to_model = {.skeleton = job->skeleton, .model_from_joint = p->model};
    lmb_pose_to_model(&to_model);
    lmb_mat4_decompose(p->model[job->hips], &rest);
    to_model.local = local;
    lmb_pose_to_model(&to_model);
    lmb_mat4_decompose(p->model[job->hips], &now);
    const lmb_quat rotation = lmb_quat_mul(now.rotation, lmb_quat_conjugate(rest.rotation)),
                   rest_facing = lmb_quat_axis_angle(lmb_vec3_make(0, 1, 0),
                                                     lmb_atan2(job->facing.x, job->facing.z));
    p->lying = lmbi_lying_of(lmb_quat_mul(rotation, rest_facing), &p->heading);
}

static lmb_vec3 from_hips(const lmb_get_up_job *job, const posture *p, uint32_t joint)
{
    return lmb_vec3_sub(lmb_mat4_translation(p->model[joint]),
                        lmb_mat4_translation(p->model[job->hips]));
}

/// Whether a joint is the hips or below them. What carries the hips does not move with the body.
static bool is_in_body(const lmb_get_up_job *job, uint32_t joint)
{
    int32_t j = (int32_t)joint;
    while (j > (int32_t)job->hips) {
        j = job->skeleton->parents[j];
    }
    return j == (int32_t)job->hips;
}

/// Rotation about the vertical that brings the joints of `b` closest to those of `a`, relative to
/// the hips (least squares).
static float best_yaw(const lmb_get_up_job *job, const posture *a, const posture *b)
{
    double dot = 0, cross = 0;
    for (uint32_t j = job->hips; j < job->skeleton->joint_count; ++j) {
        if (!is_in_body(job, j)) {
            continue;
        }
        const lmb_vec3 p = from_hips(job, a, j), q = from_hips(job, b, j);
        dot += (double)(p.x * q.x + p.z * q.z);
        cross += (double)(p.x * q.z - p.z * q.x);
    }
    return lmb_atan2((float)cross, (float)dot);
}

/// Root mean square distance of the joints after that rotation.
static float difference(const lmb_get_up_job *job, const posture *a, const posture *b, float yaw)
{
    const lmb_quat rotation = lmb_quat_axis_angle(lmb_vec3_make(0, 1, 0), yaw);
    double sum = 0;
    uint32_t count = 0;
    for (uint32_t j = job->hips; j < job->skeleton->joint_count; ++j) {
        if (!is_in_body(job, j)) {
            continue;
        }
        ++count;
        const lmb_vec3 d =
            lmb_vec3_sub(from_hips(job, a, j), lmb_quat_rotate(rotation, from_hips(job, b, j)));
        sum += (double)lmb_vec3_dot(d, d);
    }
    return lmb_sqrt((float)(sum / count));
}

static lmb_transform find_placement(const lmb_get_up_job *job, const posture *a, const posture *b,
                                    float yaw)
{
    lmb_transform placement = lmb_transform_identity();
    placement.rotation = lmb_quat_axis_angle(lmb_vec3_make(0, 1, 0), yaw);
    const lmb_vec3 hips_position = lmb_mat4_translation(a->model[job->hips]),
                   rotated = lmb_quat_rotate(placement.rotation,
                                             lmb_mat4_translation(b->model[job->hips]));
    placement.translation =
        lmb_vec3_make(hips_position.x - rotated.x, 0, hips_position.z - rotated.z);
    return placement;
}

/// An upright body keeps its heading; lying ones are aligned by their joints.
static float choose_yaw(const lmb_get_up_job *job, const posture *a, const posture *b)
{
    const bool rest_facing = lmb_vec3_length(a->heading) > 0 && lmb_vec3_length(b->heading) > 0;
    if ((a->lying == LMB_LYING_NOT || b->lying != a->lying) && rest_facing) {
        return lmb_atan2(a->heading.x, a->heading.z) - lmb_atan2(b->heading.x, b->heading.z);
    }
    return best_yaw(job, a, b);
}

lmb_result lmb_get_up_choose(const lmb_get_up_job *job, const lmb_allocator *alloc, lmb_get_up *out,
                             lmb_error *error)
{
    assert(job->begin_count > 0 && job->hips < job->skeleton->joint_count);
    posture lying_posture = {.model = lmbi_alloc_array(alloc, job->skeleton->joint_count,
                                                       sizeof(lmb_mat4))},
            clip_posture = {
                .model = lmbi_alloc_array(alloc, job->skeleton->joint_count, sizeof(lmb_mat4))};
    if (!lying_posture.model || !clip_posture.model) {
        lmbi_free(alloc, lying_posture.model);
        lmbi_free(alloc, clip_posture.model);
        return lmbi_fail_memory(error);
    }
    measure_posture(job, job->local, &lying_posture);
    lmb_get_up best = {.lying = lying_posture.lying,
                       .lying_name = lying_names[lying_posture.lying]};
    bool best_fits = false;
    for (uint32_t i = 0; i < job->begin_count; ++i) {
        measure_posture(job, job->begins[i], &clip_posture);
        const float yaw = choose_yaw(job, &lying_posture, &clip_posture),
                    distance = difference(job, &lying_posture, &clip_posture, yaw);
        const bool fits = clip_posture.lying == lying_posture.lying;
        if (i == 0 || (fits && !best_fits) || (fits == best_fits && distance < best.difference_m)) {
            best.chosen = i;
            best.there = find_placement(job, &lying_posture, &clip_posture, yaw);
            best.difference_m = distance;
            best_fits = fits;
        }
    }
    *out = best;
    lmbi_free(alloc, lying_posture.model);
    lmbi_free(alloc, clip_posture.model);
    return LMB_OK;
}
