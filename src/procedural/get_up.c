/// Which clip gets a body up from how it lies, and where to play it.
#include <assert.h>
#include <math.h>

#include "base/alloc.h"
#include "base/error.h"
#include "limber/procedural.h"

/// A direction on the ground; zero for one that is too steep to have any.
static lmb_vec3 level(lmb_vec3 v)
{
    v.y = 0;
    return lmb_vec3_length(v) > 0.3f ? lmb_vec3_normalize_or(v, lmb_vec3_make(0, 0, 1))
                                     : lmb_vec3_make(0, 0, 0);
}

lmb_lying lmb_lying_of(lmb_quat turn, lmb_vec3 *heading)
{
    const lmb_vec3 ahead = lmb_quat_rotate(turn, lmb_vec3_make(0, 0, 1)),
                   up = lmb_quat_rotate(turn, lmb_vec3_make(0, 1, 0));
    const bool upright = up.y > 0.7f, on_side = fabsf(ahead.y) < 0.5f;
    if (upright || on_side) {
        *heading = level(ahead);
        return upright ? LMB_LYING_NOT : LMB_LYING_SIDE;
    }
    const lmb_vec3 lying = level(up);
    *heading = ahead.y > 0 ? lmb_vec3_neg(lying) : lying;
    return ahead.y > 0 ? LMB_LYING_SUPINE : LMB_LYING_PRONE;
}

const char *lmb_lying_name(lmb_lying lying)
{
    static const char *const names[] = {"upright", "side", "prone", "supine"};
    return lying <= LMB_LYING_SUPINE ? names[lying] : NULL;
}

/// Joints of a pose in the model, and how the hips are turned against the rest.
typedef struct posture {
    lmb_mat4 *model;
    lmb_lying lying;
    lmb_vec3 heading;
} posture;

static void take(const lmb_get_up_job *job, const lmb_transform *local, posture *p)
{
    lmb_transform rest, now;
    lmb_pose_to_model_job to_model = {.skeleton = job->skeleton, .model_from_joint = p->model};
    lmb_pose_to_model(&to_model);
    lmb_mat4_decompose(p->model[job->hips], &rest);
    to_model.local = local;
    lmb_pose_to_model(&to_model);
    lmb_mat4_decompose(p->model[job->hips], &now);
    const lmb_quat turn = lmb_quat_mul(now.rotation, lmb_quat_conjugate(rest.rotation)),
                   faces = lmb_quat_axis_angle(lmb_vec3_make(0, 1, 0),
                                               lmb_atan2(job->facing.x, job->facing.z));
    p->lying = lmb_lying_of(lmb_quat_mul(turn, faces), &p->heading);
}

static lmb_vec3 from_hips(const lmb_get_up_job *job, const posture *p, uint32_t joint)
{
    return lmb_vec3_sub(lmb_mat4_translation(p->model[joint]),
                        lmb_mat4_translation(p->model[job->hips]));
}

/// What carries the hips stays where it is while they move: it tells nothing.
static bool counts(const lmb_get_up_job *job, uint32_t joint)
{
    int32_t j = (int32_t)joint;
    while (j > (int32_t)job->hips) {
        j = job->skeleton->parents[j];
    }
    return j == (int32_t)job->hips;
}

/// The turn about the vertical by which the joints of `b`, seen from its hips, come nearest to
/// those of `a` (least squares).
static float best_yaw(const lmb_get_up_job *job, const posture *a, const posture *b)
{
    double same = 0, across = 0;
    for (uint32_t j = job->hips; j < job->skeleton->joint_count; ++j) {
        if (!counts(job, j)) {
            continue;
        }
        const lmb_vec3 p = from_hips(job, a, j), q = from_hips(job, b, j);
        same += (double)(p.x * q.x + p.z * q.z);
        across += (double)(p.x * q.z - p.z * q.x);
    }
    return lmb_atan2((float)across, (float)same);
}

/// Root mean square distance of the joints after that turn.
static float difference(const lmb_get_up_job *job, const posture *a, const posture *b, float yaw)
{
    const lmb_quat turn = lmb_quat_axis_angle(lmb_vec3_make(0, 1, 0), yaw);
    double sum = 0;
    uint32_t count = 0;
    for (uint32_t j = job->hips; j < job->skeleton->joint_count; ++j) {
        if (!counts(job, j)) {
            continue;
        }
        ++count;
        const lmb_vec3 d =
            lmb_vec3_sub(from_hips(job, a, j), lmb_quat_rotate(turn, from_hips(job, b, j)));
        sum += (double)lmb_vec3_dot(d, d);
    }
    return lmb_sqrt((float)(sum / count));
}

static lmb_transform way_there(const lmb_get_up_job *job, const posture *a, const posture *b,
                               float yaw)
{
    lmb_transform there = lmb_transform_identity();
    there.rotation = lmb_quat_axis_angle(lmb_vec3_make(0, 1, 0), yaw);
    const lmb_vec3 here = lmb_mat4_translation(a->model[job->hips]),
                   moved =
                       lmb_quat_rotate(there.rotation, lmb_mat4_translation(b->model[job->hips]));
    there.translation = lmb_vec3_make(here.x - moved.x, 0, here.z - moved.z);
    return there;
}

/// Standing bodies face as they did; others lie on their joints.
static float yaw_of(const lmb_get_up_job *job, const posture *a, const posture *b)
{
    const bool faces = lmb_vec3_length(a->heading) > 0 && lmb_vec3_length(b->heading) > 0;
    if ((a->lying == LMB_LYING_NOT || b->lying != a->lying) && faces) {
        return lmb_atan2(a->heading.x, a->heading.z) - lmb_atan2(b->heading.x, b->heading.z);
    }
    return best_yaw(job, a, b);
}

lmb_result lmb_get_up_choose(const lmb_get_up_job *job, const lmb_allocator *alloc, lmb_get_up *out,
                             lmb_error *error)
{
    assert(job->begin_count > 0 && job->hips < job->skeleton->joint_count);
    posture lies = {.model = lmbi_alloc_array(alloc, job->skeleton->joint_count, sizeof(lmb_mat4))},
            begin = {.model =
                         lmbi_alloc_array(alloc, job->skeleton->joint_count, sizeof(lmb_mat4))};
    if (!lies.model || !begin.model) {
        lmbi_free(alloc, lies.model);
        lmbi_free(alloc, begin.model);
        return lmbi_fail_memory(error);
    }
    take(job, job->local, &lies);
    lmb_get_up best = {.lying = lies.lying};
    bool best_fits = false;
    for (uint32_t i = 0; i < job->begin_count; ++i) {
        take(job, job->begins[i], &begin);
        const float yaw = yaw_of(job, &lies, &begin), off = difference(job, &lies, &begin, yaw);
        const bool fits = begin.lying == lies.lying;
        if (i == 0 || (fits && !best_fits) || (fits == best_fits && off < best.difference_m)) {
            best = (lmb_get_up){i, lies.lying, way_there(job, &lies, &begin, yaw), off};
            best_fits = fits;
        }
    }
    *out = best;
    lmbi_free(alloc, lies.model);
    lmbi_free(alloc, begin.model);
    return LMB_OK;
}
