/// Detects when a foot of a clip is planted, by the bounds of mapping/contact.h.
#include <math.h>
#include <string.h>

#include "anim/anim.h"
#include "base/alloc.h"
#include "base/error.h"
#include "limber/anim.h"
#include "mapping/contact.h"

#define SAMPLE_RATE_HZ 120.0f

typedef struct trajectory {
    lmb_vec3 *points; ///< [count] in model space, with root motion
    uint32_t count;
    float step_s, leg_length, floor;
} trajectory;

static void sample_trajectory(const lmb_clip *clip, const lmb_skeleton *skeleton, uint32_t joint,
                              lmb_vec3 point, lmb_transform *pose, lmb_mat4 *model, trajectory *out)
{
    for (uint32_t f = 0; f < out->count; ++f) {
        lmb_clip_to_model(clip, skeleton, (double)out->step_s * (double)f, pose, model);
        out->points[f] = lmb_mat4_point(model[joint], point);
        out->floor = f == 0 ? out->points[0].y : fminf(out->floor, out->points[f].y);
    }
}

static bool is_planted(const trajectory *w, uint32_t f, bool was_planted)
{
    const float rate = w->count > 1 ? 1.0f / w->step_s : SAMPLE_RATE_HZ;
    return lmbi_contact_holds(
        &lmbi_contact_of_clips, was_planted, w->points[f].y - w->floor,
        lmbi_contact_speed(&lmbi_contact_of_clips, w->points, w->count, f, rate, 1.0f),
        w->leg_length);
}

static void find_planted_frames(const trajectory *w, bool loops, lmbi_clip_contacts *out)
{
    bool planted = false;
    for (uint32_t f = 0; loops && f < w->count; ++f) { // state at the end, for the start
        planted = is_planted(w, f, planted);
    }
    for (uint32_t f = 0; f < w->count; ++f) {
        planted = is_planted(w, f, planted);
        out->planted[f] = planted ? 1.0f : 0.0f;
    }
}

/// Legs are about half of the height above the foot at rest.
static float leg_length(const lmb_mat4 *rest, uint32_t joint_count, uint32_t joint)
{
    float top = lmb_mat4_translation(rest[joint]).y;
    const float foot = top;
    for (uint32_t j = 0; j < joint_count; ++j) {
        top = fmaxf(top, lmb_mat4_translation(rest[j]).y);
    }
    return 0.5f * (top - foot);
}

lmb_result lmbi_clip_contacts_create(const lmb_clip *clip, const lmb_skeleton *skeleton,
                                     uint32_t joint, lmb_vec3 point, bool loops,
                                     const lmb_allocator *alloc, lmbi_clip_contacts **out,
                                     lmb_error *error)
{
    const uint32_t joints = skeleton->joint_count;
    const float duration_s = lmb_clip_duration_s(clip);
    const double frames = ceil((double)duration_s * (double)SAMPLE_RATE_HZ);
    if (joint >= joints || !(frames < 1e7)) {
        return lmbi_fail(error, LMB_ERROR_INVALID,
                         "a joint of the skeleton and at most 10 million frames",
                         "joint %u of %u, %g frames", joint, joints, frames);
    }
    trajectory w = {.count = (uint32_t)frames + 1};
    w.step_s = w.count > 1 ? duration_s / (float)(w.count - 1) : 0;
    lmb_transform *pose = lmbi_alloc_array(alloc, joints, sizeof(*pose));
    lmb_mat4 *model = lmbi_alloc_array(alloc, joints, sizeof(*model));
    w.points = lmbi_alloc_array(alloc, w.count, sizeof(*w.points));
    lmbi_clip_contacts *contacts = lmbi_alloc(alloc, sizeof(*contacts) + w.count * sizeof(float));
    const bool allocated = pose != NULL && model != NULL && w.points != NULL && contacts != NULL;
    if (allocated) {
        lmb_pose_to_model(
            &(lmb_pose_to_model_job){.skeleton = skeleton, .model_from_joint = model});
        w.leg_length = leg_length(model, joints, joint);
        sample_trajectory(clip, skeleton, joint, point, pose, model, &w);
        *contacts = (lmbi_clip_contacts){.frame_count = w.count,
                                         .step_s = w.step_s,
                                         .duration_s = duration_s,
                                         .floor = w.floor,
                                         .planted = (float *)(contacts + 1)};
        if (alloc != NULL) {
            contacts->allocator = *alloc;
        }
        find_planted_frames(&w, loops, contacts);
        *out = contacts;
    }
    lmbi_free(alloc, pose);
    lmbi_free(alloc, model);
    lmbi_free(alloc, w.points);
    return allocated ? LMB_OK : (lmbi_free(alloc, contacts), lmbi_fail_memory(error));
}

void lmbi_clip_contacts_destroy(lmbi_clip_contacts *contacts)
{
    if (contacts != NULL) {
        lmbi_free_own(&contacts->allocator, contacts);
    }
}

float lmbi_clip_contacts_at(const lmbi_clip_contacts *contacts, double time_s)
{
    const double last = (double)(contacts->frame_count - 1);
    double at = contacts->step_s > 0 ? time_s / (double)contacts->step_s : 0;
    at = at > 0 ? (at < last ? at : last) : 0;
    const uint32_t f = (uint32_t)at;
    const uint32_t next = f + 1 < contacts->frame_count ? f + 1 : f;
    const float u = (float)(at - (double)f);
    return contacts->planted[f] + (contacts->planted[next] - contacts->planted[f]) * u;
}
