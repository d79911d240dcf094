// A body that was thrown gets up: the clip is chosen by the side that the body lies on, played
// where it lies, and what the pose is off by dies out by inertialisation.
//     build/samples/23_get_up
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bodies/bodies.h"
#include "limber/limber.h"

enum { PRONE, SUPINE, CLIPS };

static lmb_quat about_x(float degrees)
{
    return lmb_quat_axis_angle(lmb_vec3_make(1, 0, 0), degrees * LMB_PI / 180);
}

/// A stand-in for a clip of somebody getting up: from lying to standing, straight as a plank.
static void rise(const lmb_skeleton *skeleton, uint32_t hips, int clip, float share,
                 lmb_transform *pose)
{
    const lmb_transform *rest = skeleton->rest;
    memcpy(pose, rest, skeleton->joint_count * sizeof *pose);
    const lmb_quat lying = about_x(clip == PRONE ? 90.0f : -90.0f);
    pose[hips].rotation =
        lmb_quat_slerp(lmb_quat_mul(lying, rest[hips].rotation), rest[hips].rotation, share);
    pose[hips].translation.y = 0.12f + share * (rest[hips].translation.y - 0.12f);
}

/// The clip's pose where the body lies.
static void rise_there(const lmb_skeleton *skeleton, uint32_t hips, const lmb_get_up *up,
                       float share, lmb_transform *pose)
{
    rise(skeleton, hips, (int)up->chosen, share, pose);
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        if (skeleton->parents[j] == LMB_NONE) {
            pose[j] = lmb_transform_mul(up->there, pose[j]);
        }
    }
}

static bool get_up(const lmb_skeleton *skeleton, uint32_t hips, const lmb_transform *lies)
{
    const size_t n = skeleton->joint_count;
    lmb_transform *poses = calloc(4 * n, sizeof *poses), *shown = poses + 3 * n;
    const lmb_transform *begins[CLIPS] = {poses, poses + n};
    lmb_transition *transition = NULL;
    lmb_get_up up;
    bool fine = poses != NULL;
    for (int k = 0; fine && k < CLIPS; ++k) {
        rise(skeleton, hips, k, 0, poses + (size_t)k * n);
    }
    fine = fine &&
           lmb_get_up_choose(&(lmb_get_up_job){skeleton, hips, lies, CLIPS, begins}, NULL, &up,
                             NULL) == LMB_OK &&
           lmb_transition_create((uint32_t)n, NULL, &transition, NULL) == LMB_OK;
    if (fine) {
        printf("lies %s: clip %u, moved %.2f, %.2f m, joints %.2f m off\n", up.lying_name,
               (unsigned)up.chosen, (double)up.there.translation.x, (double)up.there.translation.z,
               (double)up.difference_m);
        rise_there(skeleton, hips, &up, 0, poses + 2 * n);
        lmb_transition_start(transition, &(lmb_transition_start_job){.kind = LMB_TRANSITION_QUINTIC,
                                                                     .duration_s = 0.8f,
                                                                     .from = lies,
                                                                     .to = poses + 2 * n,
                                                                     .dt_s = 1.0f / 60});
    }
    for (int frame = 1; fine && frame <= 90; ++frame) {
        rise_there(skeleton, hips, &up, (float)frame / 90, shown);
        lmb_transition_step(transition, 1.0f / 60, shown);
        if (frame % 30 == 0) {
            printf("  %.1f s: hips %.2f m up\n", frame / 60.0, (double)shown[hips].translation.y);
        }
    }
    lmb_transition_destroy(transition);
    free(poses);
    return fine;
}

int main(void)
{
    lmb_made_body *hero = NULL;
    const lmb_made_body_opts made = {.rigged = true, .whole = true, .triangle_count = 2000};
    if (lmb_made_body_create(&made, NULL, &hero, NULL) != LMB_OK) {
        return 1;
    }
    const lmb_skeleton *skeleton = hero->character->skeleton;
    const int32_t hips = lmb_skeleton_find(skeleton, "hips");
    lmb_transform *lies = calloc(skeleton->joint_count, sizeof *lies);
    bool fine = hips >= 0 && lies != NULL;
    for (int k = 0; fine && k < 4; ++k) { // as a ragdoll may have left it
        memcpy(lies, skeleton->rest, skeleton->joint_count * sizeof *lies);
        const lmb_quat yaw = lmb_quat_axis_angle(lmb_vec3_make(0, 1, 0), 0.9f * (float)k);
        lies[hips].rotation = lmb_quat_mul(
            yaw, lmb_quat_mul(about_x(k % 2 == 0 ? 80.0f : -75.0f), skeleton->rest[hips].rotation));
        lies[hips].translation = lmb_vec3_make(1 + (float)k, 0.14f, -2);
        fine = get_up(skeleton, (uint32_t)hips, lies);
    }
    free(lies);
    lmb_made_body_destroy(hero);
    return fine ? 0 : 1;
}
