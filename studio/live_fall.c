/// A steered character that falls: its bodies take over the pose and its speed, until it is to get
/// up again.
#include "live_exports.h"
#include "live_play.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// A body that still trembles after so long lies all the same.
#define LONGEST_FALL_S 6.0f

void live_fall_end(live_fall *fall)
{
    lmb_ragdoll_destroy(fall->ragdoll);
    lmb_ragdoll_set_destroy(fall->set);
    *fall = (live_fall){0};
}

static bool make_ragdoll(live_character *live, live_fall *fall)
{
    const live_course *course = &live->play->course;
    lmb_error error = {0};
    lmb_ragdoll_plan plan;
    if (lmb_ragdoll_plan_make(live->character, 0, NULL, &plan, &error) != LMB_OK) {
        return live_fail_call("the bodies", &error);
    }
    fall->set = plan.set;
    fall->shapes[0] = (lmb_rigid_shape){.kind = LMB_RIGID_PLANE,
                                        .body = LMB_NONE,
                                        .offset = {0, course->floor, 0},
                                        .static_friction = 0.8f,
                                        .dynamic_friction = 0.65f};
    fall->shapes[1] = (lmb_rigid_shape){.kind = LMB_RIGID_GROUND,
                                        .body = LMB_NONE,
                                        .static_friction = 0.8f,
                                        .dynamic_friction = 0.65f,
                                        .ground = course->ground};
    plan.scene.shapes = fall->shapes;
    plan.scene.shape_count = course->ground != NULL ? 2 : 1;
    fall->bone_count = fall->set->bone_count;
    return lmb_ragdoll_create(fall->set, live->character->skeleton, &plan.scene, NULL,
                              &fall->ragdoll, &error) == LMB_OK ||
           live_fail_call("the bodies", &error);
}

bool live_fall_start(live_character *live)
{
    live_play *play = live->play;
    live_fall *fall = &play->fall;
    live_fall_end(fall);
    if (!make_ragdoll(live, fall)) {
        live_fall_end(fall);
        return false;
    }
    lmb_ragdoll_set_pose(&(lmb_ragdoll_set_pose_job){
        .ragdoll = fall->ragdoll, .local = play->shown, .before = play->before, .dt_s = 1.0f / 60});
    play->phase = LIMBER_PLAY_FALLS;
    play->in_transition = false;
    return true;
}

void live_fall_step(live_character *live, float dt_s)
{
    live_play *play = live->play;
    live_fall *fall = &play->fall;
    lmb_world_report report;
    lmb_ragdoll_step(&(lmb_ragdoll_step_job){.ragdoll = fall->ragdoll,
                                             .local = play->shown,
                                             .model_from_joint = play->model,
                                             .dt_s = dt_s,
                                             .weight = 1});
    fall->time_s += dt_s;
    lmb_world_measure(lmb_ragdoll_world(fall->ragdoll), &report);
    if (report.asleep_count == fall->bone_count || fall->time_s > LONGEST_FALL_S) {
        play->phase = LIMBER_PLAY_LIES;
    }
}

// ------------------------------------------------------------------------------------- getting up

/// The clip at a time, where the body lies.
static void sample_there(const live_character *live, float time_s, lmb_transform *pose)
{
    const lmb_skeleton *skeleton = live->character->skeleton;
    memcpy(pose, skeleton->rest, skeleton->joint_count * sizeof *pose);
    if (live->play->get_up != NULL) {
        lmb_sample(&(lmb_sample_job){.clip = live->play->get_up,
                                     .time_s = (double)time_s,
                                     .joint_count = skeleton->joint_count,
                                     .pose = pose});
    }
    live_move_roots(skeleton, live->play->fall.choice.there, pose);
}

/// The ground under the hips, as far as the clip's own is from it.
static void stand_on_ground(live_play *play)
{
    float height;
    lmb_vec3 normal;
    (void)live_course_at(&play->course, lmb_mat4_translation(play->model[play->hips]), &height,
                         &normal);
    play->fall.choice.there.translation.y = height - play->course.floor;
}

bool live_rise_start(live_character *live)
{
    live_play *play = live->play;
    const lmb_skeleton *skeleton = live->character->skeleton;
    const uint32_t n = skeleton->joint_count;
    lmb_error error = {0};
    lmb_transform *begin = play->target;
    play->fall.choice.there = (lmb_transform){{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};
    sample_there(live, 0, begin);
    const lmb_transform *const begins[1] = {begin};
    const lmb_get_up_job job = {
        .skeleton = skeleton,
        .hips = play->hips,
        .local = play->shown,
        .begin_count = 1,
        .begins = begins,
        .facing = {lmb_sin(play->facing_rad), 0, lmb_cos(play->facing_rad)}};
    if (lmb_get_up_choose(&job, NULL, &play->fall.choice, &error) != LMB_OK) {
        return live_fail_call("getting up", &error);
    }
    stand_on_ground(play);
    sample_there(live, 0, begin);
    memcpy(begin + n, begin, n * sizeof *begin);
    lmb_transition_start(play->transition,
                         &(lmb_transition_start_job){.kind = LMB_TRANSITION_QUINTIC,
                                                     .duration_s = 0.8f,
                                                     .from = play->shown,
                                                     .from_before = play->before,
                                                     .to = begin,
                                                     .to_before = begin + n,
                                                     .dt_s = 1.0f / 60});
    play->in_transition = true;
    play->fall.time_s = 0;
    play->phase = LIMBER_PLAY_RISES;
    return true;
}

bool live_rise_step(live_character *live, float dt_s)
{
    live_play *play = live->play;
    const float least = 0.8f;
    const float end = play->get_up != NULL ? lmb_clip_duration_s(play->get_up) : least;
    play->fall.time_s += dt_s;
    sample_there(live, play->fall.time_s, play->shown);
    if (play->in_transition) {
        play->in_transition = lmb_transition_step(play->transition, dt_s, play->shown);
    }
    lmb_pose_to_model(&(lmb_pose_to_model_job){.skeleton = live->character->skeleton,
                                               .local = play->shown,
                                               .model_from_joint = play->model});
    return play->fall.time_s < (end > least ? end : least);
}
