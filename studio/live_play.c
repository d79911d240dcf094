/// A character that is steered by keys: it stands, walks, runs, jumps, over a course with its feet
/// on the ground; falls and gets up (live_fall.c).
#include "live_play.h"
#include "live_exports.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARAMETER_SPEED, PARAMETER_JUMP };

static void destroy_play(live_play *play)
{
    for (uint32_t k = 0; k < play->held_count; ++k) {
        lmb_clip_destroy(play->held[k]);
    }
    live_loose_free(&play->loose);
    live_fall_end(&play->fall);
    live_course_end(&play->course);
    lmb_machine_destroy(play->machine);
    lmb_graph_destroy(play->graph);
    lmb_transition_destroy(play->transition);
    free(play->clips);
    free(play->shown);
    free(play->before);
    free(play->target);
    free(play->model);
    free(play);
}

void live_play_free(live_character *live)
{
    if (live->play != NULL) {
        destroy_play(live->play);
        live->play = NULL;
    }
}

static const lmb_clip *clip_named(const lmb_character *character, const char *name)
{
    for (uint32_t k = 0; k < character->clip_count && name != NULL && name[0] != 0; ++k) {
        const char *other = character->clips[k]->name;
        if (other != NULL && strcmp(other, name) == 0) {
            return character->clips[k];
        }
    }
    return NULL;
}

// ------------------------------------------------------------------------------------ the machine

/// Metres a second that the clip carries the hips; 0 when it is not known.
static float speed_of(const lmb_character *character, const lmb_clip *clip, uint32_t hips)
{
    lmb_root_track *track = NULL;
    const lmb_root_opts opts = {.joint = hips};
    const float duration = clip != NULL ? lmb_clip_duration_s(clip) : 0;
    if (!(duration > 0) ||
        lmb_root_track_create(clip, character->skeleton, &opts, NULL, &track, NULL) != LMB_OK) {
        return 0;
    }
    lmb_vec3 displacement = track->cycle.position;
    displacement.y = 0;
    lmb_root_track_destroy(track);
    return lmb_vec3_length(displacement) / duration;
}

/// Quotes and backslashes of names are not JSON's.
static bool is_plain(const char *name)
{
    return strlen(name) < 64 && strpbrk(name, "\"\\") == NULL;
}

/// States as docs/blending.md has them: standing, going along the speed, jumping.
static bool write_graph(const live_play *play, const char *stand, const char *walk, const char *run,
                        bool jumps, char text[2048])
{
    char still[96] = "", go[256];
    if (!is_plain(stand) || !is_plain(walk) || !is_plain(run)) {
        return live_fail("clips to steer have short names without quotes");
    }
    if (stand[0] != 0) {
        snprintf(still, sizeof still, "\"clip\": \"%s\"", stand);
    }
    if (play->run_speed > 0) {
        snprintf(go, sizeof go, "\"along\": \"speed\", \"clips\": {\"%s\": %.4f, \"%s\": %.4f}",
                 walk, (double)play->walk_speed, run, (double)play->run_speed);
    } else {
        snprintf(go, sizeof go, "\"clip\": \"%s\"", walk);
    }
    const double least = 0.3 * (double)play->walk_speed;
    snprintf(
        text, 2048,
        "{\"limber\": \"state machine\","
        " \"parameters\": {\"speed\": {\"start\": 0, \"smooth\": 0.18}, \"jump\": \"trigger\"},"
        " \"states\": {\"stand\": {%s}, \"go\": {%s}%s},"
        " \"transitions\": ["
        "{\"from\": \"stand\", \"to\": \"go\", \"when\": \"speed > %.4f\", \"seconds\": 0.3},"
        "{\"from\": \"go\", \"to\": \"stand\", \"when\": \"speed < %.4f\", \"seconds\": 0.35,"
        " \"interrupt\": \"target\"}%s]}",
        still, go, jumps ? ", \"jump\": {\"clip\": \"jump\", \"play\": \"once\"}" : "", least,
        least,
        jumps ? ", {\"from\": \"*\", \"to\": \"jump\", \"when\": \"jump\", \"seconds\": 0.15},"
                " {\"from\": \"jump\", \"to\": \"stand\", \"at\": 0.92, \"seconds\": 0.25}"
              : "");
    return true;
}

static bool make_machine(live_character *live, const lmb_gait_body *body, const char *text)
{
    live_play *play = live->play;
    lmb_error error = {0};
    const lmb_machine_def def = {
        .skeleton = live->character->skeleton,
        .clips = play->clips,
        .clip_count = live->character->clip_count,
        .root = (int32_t)body->hips,
        .left_foot = (int32_t)body->legs[0].ankle,
        .right_foot = (int32_t)body->legs[1].ankle,
    };
    lmb_result result = lmb_graph_read(text, strlen(text), NULL, &play->graph, &error);
    if (result == LMB_OK) {
        lmb_machine_def whole = def;
        whole.graph = play->graph;
        result = lmb_machine_create(&whole, NULL, &play->machine, &error);
    }
    return result == LMB_OK || live_fail_call("the machine", &error);
}

// -------------------------------------------------------------------------------------- beginning

static const int thighs[2] = {LMB_HUMAN_LEFT_UPPER_LEG, LMB_HUMAN_RIGHT_UPPER_LEG};

/// A human whose feet do not hang from the shins, which no gait takes: its clips alone move them.
static bool body_of_loose_feet(const live_character *live, lmb_gait_body *out)
{
    const lmb_skeleton *skeleton = live->character->skeleton;
    const lmb_joint_map *map = &live->drag.figure.map;
    const int32_t hips = map->bones[LMB_HUMAN_HIPS].joint,
                  feet[2] = {map->bones[LMB_HUMAN_LEFT_FOOT].joint,
                             map->bones[LMB_HUMAN_RIGHT_FOOT].joint};
    if (!live_is_human(live) || hips < 0 || feet[0] < 0 || feet[1] < 0) {
        return false;
    }
    const lmb_vec3 ahead = lmb_joint_map_facing(map, skeleton);
    *out = (lmb_gait_body){
        .hips = (uint32_t)hips, .leg_count = 2, .facing_rad = lmb_atan2(ahead.x, ahead.z)};
    out->legs[0].ankle = (uint32_t)feet[0];
    out->legs[1].ankle = (uint32_t)feet[1];
    return true;
}

static bool find_body(const live_character *live, lmb_gait_body *out)
{
    lmb_error error = {0};
    return lmb_gait_body_of_character(live->character, NULL, out, &error) == LMB_OK ||
           body_of_loose_feet(live, out) || live_fail_call("the legs", &error);
}

/// Clips that move joints beside the hips are played with those held.
static bool hold_loose(live_character *live, const lmb_clip *const clips[4], uint32_t hips)
{
    live_play *play = live->play;
    const lmb_character *character = live->character;
    if (!live_loose_find(character->skeleton, clips[0], hips, &play->loose)) {
        return false;
    }
    for (uint32_t k = 0; k < character->clip_count && play->loose.count > 0; ++k) {
        bool plays = false;
        for (int c = 0; c < 4; ++c) {
            plays = plays || clips[c] == play->clips[k];
        }
        if (!plays || !(lmb_clip_duration_s(play->clips[k]) > 0)) {
            continue;
        }
        lmb_clip *held;
        if (!live_loose_hold(&play->loose, character->skeleton, hips, play->clips[k], &held)) {
            return false;
        }
        play->held[play->held_count++] = held;
        play->clips[k] = held;
    }
    return true;
}

/// Legs of a human are put on the ground where shins and feet hang from them; those of others go as
/// their clips have them.
static void find_feet(live_character *live)
{
    const lmb_skeleton *skeleton = live->character->skeleton;
    const lmb_joint_map *map = &live->drag.figure.map;
    bool there = live_is_human(live);
    for (int k = 0; k < 6 && there; ++k) {
        const int bone = thighs[k / 3] + k % 3;
        const int32_t joint = map->bones[bone].joint;
        there = joint != LMB_NONE &&
                (k % 3 == 0 || live_is_above(skeleton, map->bones[bone - 1].joint, joint));
    }
    for (int k = 0; k < 2 && there; ++k) {
        live->play->feet[live->play->foot_count++] = lmb_plant_foot_of_leg(
            skeleton, map, (lmb_human_bone)thighs[k], live->play->course.floor);
    }
}

static bool make_room(live_character *live)
{
    live_play *play = live->play;
    const uint32_t n = live->character->skeleton->joint_count;
    lmb_error error = {0};
    play->shown = live_room(n, sizeof *play->shown);
    play->before = live_room(n, sizeof *play->before);
    play->target = live_room(2 * (size_t)n, sizeof *play->target);
    play->model = live_room(n, sizeof *play->model);
    play->clips = live_room(live->character->clip_count, sizeof *play->clips);
    for (uint32_t k = 0; play->clips != NULL && k < live->character->clip_count; ++k) {
        play->clips[k] = live->character->clips[k];
    }
    return play->clips && play->shown && play->before && play->target && play->model &&
           (lmb_transition_create(n, NULL, &play->transition, &error) == LMB_OK ||
            live_fail_call("the transition", &error));
}

static bool start(live_character *live, const char *stand, const char *walk, const char *run)
{
    live_play *play = live->play;
    lmb_gait_body body;
    char text[2048];
    if (!find_body(live, &body)) {
        return false;
    }
    const lmb_character *character = live->character;
    const lmb_clip *const clips[4] = {clip_named(character, walk), clip_named(character, run),
                                      clip_named(character, stand), clip_named(character, "jump")};
    if (clips[0] == NULL || (stand[0] != 0 && clips[2] == NULL)) {
        return live_fail("there is no clip \"%s\"", clips[0] == NULL ? walk : stand);
    }
    play->hips = body.hips;
    play->facing_rad = body.facing_rad;
    play->walk_speed = speed_of(character, clips[0], body.hips);
    play->run_speed = speed_of(character, clips[1], body.hips);
    play->run_speed = play->run_speed > play->walk_speed ? play->run_speed : 0;
    play->get_up = clip_named(character, "get-up");
    lmb_mat4 hips_from_model;
    (void)lmb_mat4_inverse_affine(live->model[body.hips], &hips_from_model);
    play->ahead = lmb_mat4_vector(hips_from_model, lmb_vec3_make(0, 0, 1));
    const lmb_vec3 hips = lmb_mat4_translation(live->model[body.hips]);
    // Hips of a body of 1.75 m are 0.95 m high.
    const float scale = (hips.y - body.ground) / 0.95f;
    play->course.floor = body.ground;
    find_feet(live);
    // Feet that are not put on the ground would go through it.
    if (!make_room(live) || !hold_loose(live, clips, body.hips) ||
        (play->foot_count > 0 && !live_course_start(&play->course, scale > 0 ? scale : 1)) ||
        !write_graph(play, stand, walk, run, clips[3] != NULL, text) ||
        !make_machine(live, &body, text)) {
        return false;
    }
    lmb_machine_step(play->machine, 0, play->shown, NULL);
    play->root = lmb_machine_describe(play->machine).root;
    memcpy(play->before, play->shown, character->skeleton->joint_count * sizeof *play->before);
    return true;
}

EXPORT(limber_play_begin)
int limber_play_begin(int handle, const char *stand, const char *walk, const char *run)
{
    live_character *live = live_find(handle);
    if (live == NULL || !live_know_body(live) || !limber_pose_rest(handle)) {
        return 0;
    }
    live_play_free(live);
    live->play = live_room(1, sizeof *live->play);
    if (live->play == NULL) {
        return 0;
    }
    *live->play = (live_play){0};
    if (!start(live, stand != NULL ? stand : "", walk != NULL ? walk : "",
               run != NULL ? run : "")) {
        live_play_free(live);
        return 0;
    }
    return 1;
}

// --------------------------------------------------------------------------------------- stepping

void live_move_roots(const lmb_skeleton *skeleton, lmb_transform by, lmb_transform *pose)
{
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        if (skeleton->parents[j] == LMB_NONE) {
            pose[j] = lmb_transform_mul(by, pose[j]);
        }
    }
}

/// From 0, standing, over 1, the walk's own speed, to 2, the run's.
static float metres_a_second(const live_play *play, float speed)
{
    const float walk = play->walk_speed, run = play->run_speed > 0 ? play->run_speed : walk;
    return speed <= 1 ? speed * walk : walk + (speed - 1) * (run - walk);
}

static void walk_on(live_character *live, float dt_s, float speed, float turn_rad)
{
    live_play *play = live->play;
    const lmb_skeleton *skeleton = live->character->skeleton;
    lmb_root_placement moved;
    lmb_machine_set(play->machine, PARAMETER_SPEED, metres_a_second(play, speed));
    lmb_machine_step(play->machine, (double)dt_s, play->shown, &moved);
    play->root = lmb_root_placement_mul(play->root, moved);
    // A clip that is left amid its sway would have the character walk askew from then on.
    const float askew =
        play->heading_rad + lmb_machine_describe(play->machine).root.yaw_rad - play->root.yaw_rad;
    play->heading_rad += turn_rad;
    play->root.yaw_rad += turn_rad + askew * fminf(1, 4 * dt_s);
    live_move_roots(skeleton, lmb_root_placement_transform(play->root), play->shown);
    lmb_pose_to_model(&(lmb_pose_to_model_job){
        .skeleton = skeleton, .local = play->shown, .model_from_joint = play->model});
    if (play->foot_count > 0) {
        lmb_ik_plant(&(lmb_ik_plant_job){.skeleton = skeleton,
                                         .local = play->shown,
                                         .model_from_joint = play->model,
                                         .hips = play->hips,
                                         .foot_count = play->foot_count,
                                         .feet = play->feet,
                                         .ground = {live_course_at, &play->course},
                                         .flat = play->course.floor,
                                         .dt_s = dt_s,
                                         .state = &play->planting});
    }
    if (play->in_transition) {
        play->in_transition = lmb_transition_step(play->transition, dt_s, play->shown);
    }
}

/// Position and heading of the hips, as a placement to walk on from.
static lmb_root_placement root_at_hips(const live_play *play)
{
    const lmb_mat4 now = play->model[play->hips];
    const lmb_vec3 ahead = lmb_mat4_vector(now, play->ahead), at = lmb_mat4_translation(now);
    return (lmb_root_placement){{at.x, 0, at.z}, lmb_atan2(ahead.x, ahead.z)};
}

/// From getting up to standing: what is left of the difference dies out.
static void stand_again(live_character *live, float dt_s)
{
    live_play *play = live->play;
    const uint32_t n = live->character->skeleton->joint_count;
    lmb_transform *from = play->target;
    memcpy(from, play->shown, n * sizeof *from);
    play->root = root_at_hips(play);
    play->heading_rad = play->root.yaw_rad - lmb_machine_describe(play->machine).root.yaw_rad;
    play->planting = (lmb_plant_state){0};
    play->phase = LIMBER_PLAY_MOVES;
    play->in_transition = false;
    walk_on(live, 0, 0, 0);
    lmb_transition_start(play->transition,
                         &(lmb_transition_start_job){.kind = LMB_TRANSITION_QUINTIC,
                                                     .duration_s = 0.5f,
                                                     .from = from,
                                                     .to = play->shown,
                                                     .dt_s = dt_s});
    play->in_transition = true;
    walk_on(live, dt_s, 0, 0);
}

EXPORT(limber_play_step)
const float *limber_play_step(int handle, float seconds, float speed, float rotation)
{
    live_character *live = live_find(handle);
    if (live == NULL || live->play == NULL) {
        (void)(live != NULL && live_fail("nobody is steered"));
        return NULL;
    }
    live_play *play = live->play;
    if (!(seconds >= 0 && seconds <= 1 && speed >= 0 && speed <= 2 && isfinite(rotation))) {
        (void)live_fail("expected up to one second, a speed from 0 to 2 and a finite turn");
        return NULL;
    }
    const uint32_t n = live->character->skeleton->joint_count;
    memcpy(play->before, play->shown, n * sizeof *play->before);
    if (play->phase == LIMBER_PLAY_MOVES) {
        walk_on(live, seconds, speed, rotation * seconds);
    } else if (play->phase == LIMBER_PLAY_RISES) {
        if (!live_rise_step(live, seconds)) {
            stand_again(live, seconds);
        }
    } else {
        live_fall_step(live, seconds);
    }
    live_drive(live, play->shown, NULL);
    return (const float *)play->shown;
}

EXPORT(limber_play_jump) int limber_play_jump(int handle)
{
    live_character *live = live_find(handle);
    if (live == NULL || live->play == NULL) {
        return live != NULL ? live_fail("nobody is steered") : 0;
    }
    lmb_machine_set(live->play->machine, PARAMETER_JUMP, 1);
    return 1;
}

EXPORT(limber_play_fall) int limber_play_fall(int handle)
{
    live_character *live = live_find(handle);
    if (live == NULL || live->play == NULL) {
        return live != NULL ? live_fail("nobody is steered") : 0;
    }
    if (live->play->phase == LIMBER_PLAY_FALLS || live->play->phase == LIMBER_PLAY_LIES) {
        return live_rise_start(live);
    }
    return live_fall_start(live);
}

EXPORT(limber_play_phase) int limber_play_phase(int handle)
{
    const live_character *live = live_find(handle);
    if (live == NULL || live->play == NULL) {
        (void)(live != NULL && live_fail("nobody is steered"));
        return -1;
    }
    return live->play->phase;
}

EXPORT(limber_play_course) const float *limber_play_course(int handle)
{
    static float numbers[2 + 2 * COURSE_POINTS];
    const live_character *live = live_find(handle);
    if (live == NULL || live->play == NULL) {
        (void)(live != NULL && live_fail("nobody is steered"));
        return NULL;
    }
    numbers[0] = live->play->course.half_width;
    numbers[1] = live->play->course.floor;
    memcpy(numbers + 2, live->play->course.profile, sizeof live->play->course.profile);
    return numbers;
}

EXPORT(limber_play_end) int limber_play_end(int handle)
{
    live_character *live = live_find(handle);
    if (live == NULL) {
        return 0;
    }
    live_play_free(live);
    return 1;
}
