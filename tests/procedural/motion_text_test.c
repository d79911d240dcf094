// Motions as text: known angles on bodies of any rest pose, errors with their place, every motion of
// the library without a seam or a sliding foot.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "bodies/bodies.h"
#include "failing_allocator.h"
#include "made_bodies.h"
#include "math/math.h"

#define DEGREE (LMB_PI / 180)

static lmb_motion *read_text(const char *text)
{
    lmb_motion *motion = NULL;
    lmb_error error = {0};
    if (lmb_motion_read(text, strlen(text), NULL, &motion, &error) != LMB_OK) {
        fail_msg("%u:%u: expected %s, found %s", error.line, error.column, error.expected,
                 error.found);
    }
    return motion;
}

static lmb_character *perform(const char *text, const lmb_motion_sliders *sliders)
{
    lmb_motion *motion = read_text(text);
    lmb_character *out = NULL;
    assert_int_equal(lmb_motion_perform(motion, sliders, NULL, &out, NULL), LMB_OK);
    lmb_motion_destroy(motion);
    return out;
}

static lmb_vec3 direction(const lmb_character *character, const lmb_transform *pose,
                          const char *from, const char *to)
{
    const int32_t a = lmb_skeleton_find(character->skeleton, from),
                  b = lmb_skeleton_find(character->skeleton, to);
    assert_true(a >= 0 && b >= 0);
    return lmb_vec3_normalize_or(lmb_vec3_sub(pose[b].translation, pose[a].translation),
                                 lmb_vec3_make(0, 0, 0));
}

static void assert_direction(lmb_vec3 found, lmb_vec3 wanted, float degrees)
{
    const float angle =
        acosf(fminf(lmb_vec3_dot(found, lmb_vec3_normalize_or(wanted, wanted)), 1.0f)) / DEGREE;
    if (!(angle < degrees)) {
        fail_msg("off by %g degrees: %g %g %g", (double)angle, (double)found.x, (double)found.y,
                 (double)found.z);
    }
}

// ------------------------------------------------------------------------------------ known answers

static const char known_pose[] =
    "motion known\ntitle Known angles\nbody human\nonce 1\n"
    "pose upper_arm.l swing=90 spread=0 twist=0, forearm.l bend=60\n"
    "pose upper_arm.r swing=0 spread=70 twist=0, forearm.r bend=0\n"
    "pose thigh.r swing=45 spread=0 twist=0, shin.r bend=30, foot.r plant=0\n"
    "pose hips y=-0.1, head turn=40\n";

/// Rotation of +Z to where the hips face.
static lmb_quat heading(const lmb_character *body, const lmb_transform *pose)
{
    const lmb_vec3 left = direction(body, pose, "rightUpperLeg", "leftUpperLeg");
    return lmb_quat_axis_angle(lmb_vec3_make(0, 1, 0), atan2f(-left.z, left.x));
}

static void check_known_pose(const lmb_character *body, const lmb_clip *clip, float degrees)
{
    lmb_transform *pose = test_pose(body, clip, 0.5);
    const struct {
        const char *from, *to;
        lmb_vec3 wanted;
    } rows[] = {{"leftUpperArm", "leftLowerArm", {0, 0, 1}},
                {"leftLowerArm", "leftHand", {0, -cosf(150 * DEGREE), sinf(150 * DEGREE)}},
                {"rightUpperArm", "rightLowerArm", {-sinf(70 * DEGREE), -cosf(70 * DEGREE), 0}},
                {"rightUpperLeg", "rightLowerLeg", {0, -cosf(45 * DEGREE), sinf(45 * DEGREE)}},
                {"rightLowerLeg", "rightFoot", {0, -cosf(15 * DEGREE), sinf(15 * DEGREE)}}};
    const lmb_quat rotation = heading(body, pose);
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; ++k) {
        assert_direction(direction(body, pose, rows[k].from, rows[k].to),
                         lmb_quat_rotate(rotation, rows[k].wanted), degrees);
    }
    free(pose);
}

static void keys_are_anatomical_angles(void **state)
{
    (void)state;
    lmb_character *source = perform(known_pose, NULL);
    check_known_pose(source, source->clips[0], 1.5f); // the elbow is a little behind
    static const struct {
        lmb_made_body_pose pose;
        float yaw, scale;
    } bodies[] = {{LMB_MADE_POSE_T, 0, 1},
                  {LMB_MADE_POSE_A, 0, 1},
                  {LMB_MADE_POSE_T, LMB_PI, 1},
                  {LMB_MADE_POSE_A, LMB_PI, 0.01f}};
    for (size_t k = 0; k < sizeof bodies / sizeof bodies[0]; ++k) {
        const lmb_made_body_opts opts = {.seed = 3 + k,
                                         .pose = bodies[k].pose,
                                         .yaw_rad = bodies[k].yaw,
                                         .scale = bodies[k].scale,
                                         .triangle_count = 800,
                                         .whole = true,
                                         .rigged = true};
        lmb_made_body *body = NULL;
        lmb_clip *clip = NULL;
        lmb_retarget_report report;
        assert_int_equal(lmb_made_body_create(&opts, NULL, &body, NULL), LMB_OK);
        assert_int_equal(lmb_retarget(body->character, source, 0, NULL, NULL, &clip, &report, NULL),
                         LMB_OK);
        check_known_pose(body->character, clip, 4);
        lmb_clip_destroy(clip);
        lmb_made_body_destroy(body);
    }
    lmb_character_destroy(source);
}

static lmb_vec3 joint_at(const lmb_character *character, const char *name, double time_s)
{
    lmb_transform *pose = test_pose(character, character->clips[0], time_s);
    const lmb_vec3 at = pose[lmb_skeleton_find(character->skeleton, name)].translation;
    free(pose);
    return at;
}

/// Fractions of the leg and of the arm, and a hand that reaches its goal.
static void lengths_are_relative(void **state)
{
    (void)state;
    lmb_character *figure = perform("motion a\ntitle A\nbody human\nonce 1\nanchor reach ground\n"
                                    "pose hips y=-0.25 x=0.1, foot.l z=0.2\n"
                                    "pose reach x=0.5 y=2 z=0.4\n",
                                    NULL);
    const float leg = 0.84f, arm = 0.53f;
    const lmb_vec3 hand = joint_at(figure, "leftHand", 0.5), hips = joint_at(figure, "hips", 0.5),
                   toes = joint_at(figure, "leftToes", 0.5);
    assert_true(lmb_vec3_distance(hand, lmb_vec3_make(0.5f * arm, 2 * arm, 0.4f * arm)) < 2e-3f);
    assert_true(lmb_vec3_distance(joint_at(figure, "rightHand", 0.5),
                                  lmb_vec3_make(-0.5f * arm, 2 * arm, 0.4f * arm)) < 2e-3f);
    assert_true(fabsf(hips.x - 0.1f * leg) < 1e-4f);
    assert_true(fabsf(hips.y - (0.9625f - 0.25f * leg)) < 1e-3f);
    assert_true(fabsf(toes.z - (0.135f + 0.2f * leg)) < 1e-3f);
    lmb_character_destroy(figure);
}

/// Between keys the curve is monotone; a motion that plays once starts and ends at rest by itself.
static void keys_are_interpolated(void **state)
{
    (void)state;
    static const char once[] = "motion a\ntitle A\nbody human\nonce 2\n1.0 hips y=-0.2\n";
    static const char linear[] = "motion a\ntitle A\nbody human\nonce 2\n0 hips y=0\n"
                                 "2 linear hips y=-0.4\n";
    static const char wave[] = "motion a\ntitle A\nbody human\nloop 2\nlet half = u / 2\n"
                               "wave hips y = -0.1 - 0.1 * sin(2 * tau * half)\n";
    const float rest = 0.9625f, leg = 0.84f;
    lmb_character *a = perform(once, NULL), *b = perform(linear, NULL), *c = perform(wave, NULL);
    assert_true(fabsf(joint_at(a, "hips", 0).y - rest) < 1e-3f);
    assert_true(fabsf(joint_at(a, "hips", 1).y - (rest - 0.2f * leg)) < 1e-3f);
    assert_true(fabsf(joint_at(a, "hips", 2).y - rest) < 1e-3f);
    assert_true(fabsf(joint_at(a, "hips", 0.5).y - (rest - 0.1f * leg)) < 1e-3f);
    assert_true(fabsf(joint_at(b, "hips", 0.5).y - (rest - 0.1f * leg)) < 1e-3f);
    assert_true(fabsf(joint_at(c, "hips", 0.5).y - (rest - 0.2f * leg)) < 1e-3f);
    assert_true(fabsf(joint_at(c, "hips", 1.5).y - rest) < 1e-3f);
    lmb_character_destroy(a);
    lmb_character_destroy(b);
    lmb_character_destroy(c);
}

/// Every joint of the mirrored motion is where its counterpart is in the mirror.
static void mirrored_is_in_the_mirror(void **state)
{
    (void)state;
    static const char text[] =
        "motion a\ntitle A\nbody human\nonce 2\nanchor reach.r chest\n"
        "pose hips x=0.1 y=-0.1, pelvis turn=10 side=5, chest side=8, head turn=20\n"
        "pose shoulder.l raise=20, upper_arm.l swing=60 spread=30 twist=20, forearm.l bend=50\n"
        "pose hand.l bend=30 curl=1, hand.r side=10, reach.r x=0.3 y=0 z=0.5\n"
        "pose foot.l z=0.2 pitch=-20 turn=30, foot.r plant=0, thigh.r swing=40 spread=12, "
        "shin.r bend=60\n";
    lmb_character *plain = perform(text, NULL),
                  *mirrored = perform(text, &(lmb_motion_sliders){.mirror = true});
    lmb_transform *a = test_pose(plain, plain->clips[0], 1),
                  *b = test_pose(mirrored, mirrored->clips[0], 1);
    for (uint32_t j = 0; j < plain->skeleton->joint_count; ++j) {
        const char *name = plain->skeleton->names[j];
        char other[64];
        const bool left = strncmp(name, "left", 4) == 0, right = strncmp(name, "right", 5) == 0;
        snprintf(other, sizeof other, "%s%s",
                 left    ? "right"
                 : right ? "left"
                         : "",
                 name + (left    ? 4
                         : right ? 5
                                 : 0));
        const lmb_vec3 p = a[j].translation,
                       q = b[lmb_skeleton_find(mirrored->skeleton, other)].translation;
        if (!(lmb_vec3_distance(p, lmb_vec3_make(-q.x, q.y, q.z)) < 1e-4f)) {
            fail_msg("%s", name);
        }
    }
    free(a);
    free(b);
    lmb_character_destroy(plain);
    lmb_character_destroy(mirrored);
}

static void sliders_do_what_they_say(void **state)
{
    (void)state;
    static const char bow[] = "motion a\ntitle A\nbody human\nonce 2\n1.0 chest bend=40\n"
                              "1.0 upper_arm.l swing=90 spread=0, hips z=0.5, foot z=0.5\n";
    lmb_character *plain = perform(bow, NULL),
                  *mirrored = perform(bow, &(lmb_motion_sliders){.mirror = true}),
                  *fast = perform(bow, &(lmb_motion_sliders){.speed = 2}),
                  *weak = perform(bow, &(lmb_motion_sliders){.energy = 0.5f}),
                  *wide = perform(bow, &(lmb_motion_sliders){.arm_space_rad = 20 * DEGREE}),
                  *in_place = perform(bow, &(lmb_motion_sliders){.in_place = true}),
                  *long_steps = perform(bow, &(lmb_motion_sliders){.stride = 1.5f});
    const lmb_vec3 left = joint_at(plain, "leftHand", 1),
                   right = joint_at(mirrored, "rightHand", 1);
    assert_true(lmb_vec3_distance(left, lmb_vec3_make(-right.x, right.y, right.z)) < 1e-4f);
    assert_true(fabsf(lmb_clip_duration_s(fast->clips[0]) - 1) < 1e-3f);
    const float lean = joint_at(plain, "head", 1).z - joint_at(plain, "hips", 1).z,
                half = joint_at(weak, "head", 1).z - joint_at(weak, "hips", 1).z;
    assert_true(half > 0.4f * lean && half < 0.7f * lean);
    assert_true(joint_at(wide, "rightHand", 0).x < joint_at(plain, "rightHand", 0).x - 0.1f);
    assert_true(fabsf(joint_at(in_place, "leftToes", 1).z - joint_at(plain, "leftToes", 0).z) <
                1e-3f);
    assert_true(fabsf(joint_at(plain, "hips", 1).z - 0.42f) < 5e-3f);
    assert_true(fabsf(joint_at(long_steps, "hips", 1).z - 0.63f) < 5e-3f);
    lmb_character *const all[] = {plain, mirrored, fast, weak, wide, in_place, long_steps};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; ++k) {
        lmb_character_destroy(all[k]);
    }
    lmb_motion *motion = read_text(bow);
    const lmb_motion_sliders bad[] = {
        {.speed = 9}, {.energy = 3}, {.stride = -1}, {.arm_space_rad = 2}, {.frame_rate = 2}};
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; ++k) {
        lmb_character *none = NULL;
        assert_int_equal(lmb_motion_perform(motion, &bad[k], NULL, &none, NULL), LMB_ERROR_INVALID);
        assert_null(none);
    }
    lmb_motion_destroy(motion);
}

// ------------------------------------------------------------------------------------------ errors

static void errors_have_their_position(void **state)
{
    (void)state;
#define HEAD "motion a\ntitle A\nbody human\n"
    static const struct {
        const char *text;
        unsigned line, column;
        const char *expected, *found;
    } rows[] = {
        {"", 1, 1, "motion, title, body", "the end of the file"},
        {"motion A\n", 1, 8, "small letters", "\"A\""},
        {"motion a\nmotion b\n", 2, 8, "one name", "\"b\""},
        {"motion a\ntitle A\nbody lion\n", 3, 6, "human", "\"lion\""},
        {HEAD "loop 0\n", 4, 6, "0.1 to 120", "\"0\""},
        {HEAD "loop 1\nonce 1\n", 5, 6, "one time", "\"1\""},
        {HEAD "0.5 chest bend=3\n", 4, 1, "before this line", "\"0.5\""},
        {HEAD "once 1\n2 chest bend=3\n", 5, 1, "a time from 0", "\"2\""},
        {HEAD "loop 1\n1 chest bend=3\n", 5, 1, "before the loop's end", "\"1\""},
        {HEAD "once 1\n0.5 chst bend=3\n", 5, 5, "a bone", "\"chst\""},
        {HEAD "once 1\n0.5 chest.l bend=3\n", 5, 5, "a bone", "\"chest.l\""},
        {HEAD "once 1\n0.5 wing raise=3\n", 5, 5, "a bone", "\"wing\""},
        {HEAD "once 1\n0.5 chest bnd=3\n", 5, 11, "a field", "\"bnd=3\""},
        {HEAD "once 1\n0.5 chest bend=x\n", 5, 11, "field=number", "\"bend=x\""},
        {HEAD "once 1\n0.5 chest bend=300\n", 5, 11, "in its range", "\"bend=300\""},
        {HEAD "once 1\n0.5 chest\n", 5, 10, "field=number", "the end of the line"},
        {HEAD "once 1\n0.5 chest bend=1\n0.4 chest bend=1\n", 6, 11, "ascend", "\"bend=1\""},
        {HEAD "once 1\npose chest bend=1\n0.4 chest bend=1\n", 6, 11, "posed once", "\"bend=1\""},
        {HEAD "once 1\nwave chest bend 3\n", 5, 17, "= and an expression", "\"3\""},
        {HEAD "once 1\nwave chest bend = sine(u)\n", 5, 19, "a function", "\"sine\""},
        {HEAD "once 1\nwave chest bend = 2 +\n", 6, 1, "a value", NULL},
        {HEAD "loop 1\ngait hop\n", 5, 6, "walk, trot and run", "\"hop\""},
        {HEAD "loop 1\ngait walk sped=1\n", 5, 11, "a setting of gaits", "\"sped=1\""},
        {HEAD "loop 1\nbase sleep\n", 5, 6, "stand, breathe", "\"sleep\""},
        {HEAD "loop 1\nanchor foot ground\n", 5, 8, "reach", "\"foot\""},
        {HEAD "loop 1\nanchor reach sky\n", 5, 14, "ground, hips", "\"sky\""},
        {HEAD "loop 1\ntravel q=1\n", 5, 8, "x=, y= or z=", "\"q=1\""},
        {HEAD "loop 1\ndance\n", 5, 1, "a time, or one of", "\"dance\""},
    };
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; ++k) {
        lmb_motion *motion = NULL;
        lmb_error error = {0};
        assert_int_equal(lmb_motion_read(rows[k].text, strlen(rows[k].text), NULL, &motion, &error),
                         LMB_ERROR_MALFORMED);
        assert_null(motion);
        if (error.line != rows[k].line || error.column != rows[k].column ||
            strstr(error.expected, rows[k].expected) == NULL ||
            (rows[k].found != NULL && strstr(error.found, rows[k].found) == NULL)) {
            fail_msg("row %zu: %u:%u: expected %s, found %s", k, error.line, error.column,
                     error.expected, error.found);
        }
    }
    static const char gait_feet[] = HEAD "loop 1\ngait walk\n0.5 foot.l z=1\n";
    lmb_motion *motion = NULL;
    assert_int_equal(lmb_motion_read(gait_feet, sizeof gait_feet - 1, NULL, &motion, NULL),
                     LMB_ERROR_MALFORMED);
}

static void every_allocation_can_fail(void **state)
{
    (void)state;
    static const char text[] = HEAD "loop 1\ntags a b\nanchor reach chest\npose reach x=0.1\n"
                                    "0.2 chest bend=4\nwave head turn = 3 * sin(tau * u)\n";
    for (failing_run f = {.least = 10}; failing_next(&f);) {
        lmb_motion *motion = NULL;
        lmb_character *out = NULL;
        f.result = lmb_motion_read(text, sizeof text - 1, &f.alloc, &motion, NULL);
        if (f.result == LMB_OK) {
            f.result = lmb_motion_perform(motion, NULL, &f.alloc, &out, NULL);
        }
        lmb_character_destroy(out);
        lmb_motion_destroy(motion);
    }
}

// ------------------------------------------------------------------------------------- the library

static void the_library_is_whole(void **state)
{
    (void)state;
    size_t count = 0, humans = 0;
    const lmb_motion_file *files = lmb_motion_files(&count);
    bool bodies[LMB_MOTION_BODIES] = {false};
    for (size_t k = 0; k < count; ++k) {
        lmb_motion *motion = NULL;
        lmb_error error = {0};
        if (lmb_motion_read(files[k].text, files[k].size, NULL, &motion, &error) != LMB_OK) {
            fail_msg("%s:%u:%u: expected %s, found %s", files[k].name, error.line, error.column,
                     error.expected, error.found);
        }
        const lmb_motion_info info = lmb_motion_describe(motion);
        assert_string_equal(info.name, files[k].name);
        assert_true(strlen(info.title) > 2 && strlen(info.tags) > 3);
        assert_true(k == 0 || strcmp(files[k - 1].name, files[k].name) != 0);
        assert_int_equal(files[k].text[files[k].size], 0);
        bodies[info.body] = true;
        humans += info.body == LMB_MOTION_HUMAN;
        lmb_motion_destroy(motion);
    }
    assert_true(humans >= 60 && count >= humans + 18);
    for (int body = 0; body < LMB_MOTION_BODIES; ++body) {
        assert_true(bodies[body]);
    }
}

/// Walk and run of the library are those of lmb_motion_create.
static void walk_and_run_are_the_generated_ones(void **state)
{
    (void)state;
    static const char *const names[] = {"walk", "run", "idle", "wave", "jump"};
    size_t count = 0;
    const lmb_motion_file *files = lmb_motion_files(&count);
    for (size_t k = 0; k < count; ++k) {
        for (int kind = 0; kind < LMB_MOTION_COUNT; ++kind) {
            if (strcmp(files[k].name, names[kind]) != 0) {
                continue;
            }
            lmb_character *a = perform(files[k].text, NULL),
                          *b = test_whole_motion((lmb_motion_kind)kind);
            for (uint32_t c = 0; c < a->clips[0]->channel_count; ++c) {
                const lmb_channel *x = &a->clips[0]->channels[c], *y = &b->clips[0]->channels[c];
                assert_int_equal(x->key_count, y->key_count);
                for (size_t i = 0; i < (size_t)x->key_count * x->width; ++i) {
                    assert_true(fabsf(x->values[i] - y->values[i]) < 2e-4f);
                }
            }
            lmb_character_destroy(a);
            lmb_character_destroy(b);
        }
    }
}

/// A loop's last frame is its first, but for where it travelled, and arrives with its speed.
static void check_seam(const char *name, const lmb_character *character, const lmb_clip *clip,
                       bool legless)
{
    const double end = (double)lmb_clip_duration_s(clip), step = 1.0 / 60;
    lmb_transform *first = test_pose(character, clip, 0),
                  *second = test_pose(character, clip, step),
                  *before = test_pose(character, clip, end - step),
                  *last = test_pose(character, clip, end);
    lmb_vec3 travel = {0, 0, 0};
    for (uint32_t j = 0; j < character->skeleton->joint_count; ++j) {
        const lmb_vec3 moved = lmb_vec3_sub(last[j].translation, first[j].translation);
        travel = lmb_vec3_length(moved) > lmb_vec3_length(travel) ? moved : travel;
    }
    const float size = legless ? 3.0f : 1.0f;
    for (uint32_t j = 0; j < character->skeleton->joint_count; ++j) {
        // Nodes above the body, such as a mesh's, stay.
        const bool travels =
            lmb_vec3_length(lmb_vec3_sub(last[j].translation, first[j].translation)) > 1e-4f;
        const float off = lmb_vec3_distance(travels ? lmb_vec3_add(first[j].translation, travel)
                                                    : first[j].translation,
                                            last[j].translation),
                    rotation = lmb_quat_angle(first[j].rotation, last[j].rotation);
        const lmb_vec3 v0 = lmb_vec3_sub(second[j].translation, first[j].translation),
                       v1 = lmb_vec3_sub(last[j].translation, before[j].translation);
        if (!(off < 1e-4f && rotation < 2e-3f && lmb_vec3_distance(v0, v1) < 0.04f * size)) {
            fail_msg("%s: %s: seam of %g m, %g rad, %g m a frame", name,
                     character->skeleton->names[j], (double)off, (double)rotation,
                     (double)lmb_vec3_distance(v0, v1));
        }
    }
    free(first);
    free(second);
    free(before);
    free(last);
}

/// Points of a foot that can stand: below the ankle behind it, the ball, the end of the toes.
static void sole_points(const lmb_character *figure, const lmb_transform *pose, int side,
                        lmb_vec3 out[3])
{
    const int32_t foot = lmb_skeleton_find(figure->skeleton, side == 0 ? "leftFoot" : "rightFoot"),
                  toes = lmb_skeleton_find(figure->skeleton, side == 0 ? "leftToes" : "rightToes");
    out[0] = lmb_transform_point(pose[foot], lmb_vec3_make(0, -0.085f, -0.045f));
    out[1] = lmb_transform_point(pose[toes], lmb_vec3_make(0, -0.020f, 0));
    out[2] = lmb_transform_point(pose[toes], lmb_vec3_make(0, -0.020f, 0.065f));
}

static float setting_of(const char *text, const char *name)
{
    const char *at = strstr(text, name);
    return at != NULL ? strtof(at + strlen(name), NULL) : 0.0f;
}

/// Whether a gait has the foot on the ground at a fraction of the motion, and a little before and
/// after: its duty factor is 0.61, of a run 0.355.
static bool gait_stands(const char *text, int side, double u)
{
    const double cycles = (double)setting_of(text, "\nloop"),
                 phase = (setting_of(text, "reverse=") > 0 ? 1 - u : u) * cycles -
                         (side == 0 ? 0 : 0.5 + (double)setting_of(text, "limp="));
    return phase - floor(phase) > 0.03 &&
           phase - floor(phase) < (strstr(text, "gait   run") != NULL ? 0.325 : 0.57);
}

/// The slowest point of a standing foot is what it stands on: it keeps still. The ground holds all
/// that lies on it, so only feet count whose motion stands on feet.
static void check_feet(const char *name, const char *text, bool is_gait,
                       const lmb_character *figure, const lmb_clip *clip)
{
    const double end = (double)lmb_clip_duration_s(clip), step = 1.0 / 60;
    for (double t = 0; t + 1.5 * step < end; t += step) {
        lmb_transform *now = test_pose(figure, clip, t), *next = test_pose(figure, clip, t + step);
        for (int side = 0; side < 2; ++side) {
            lmb_vec3 a[3], b[3];
            if (is_gait && !gait_stands(text, side, t / end)) {
                continue;
            }
            sole_points(figure, now, side, a);
            sole_points(figure, next, side, b);
            float slowest = INFINITY;
            for (int k = 0; k < 3; ++k) {
                const lmb_vec3 travel = {b[k].x - a[k].x, 0, b[k].z - a[k].z};
                // 2 mm: a point on the ground, in both frames
                if (a[k].y < 2e-3f && b[k].y < 2e-3f) {
                    slowest = fminf(slowest, lmb_vec3_length(travel) / (float)step);
                }
                assert_true(a[k].y > -0.012f);
            }
            if (slowest < INFINITY && slowest > 0.01f) {
                fail_msg("%s: %s foot slides at %g m/s at %g s", name, side == 0 ? "left" : "right",
                         (double)slowest, t);
            }
        }
        free(now);
        free(next);
    }
}

static bool stands_on_feet(const char *tags)
{
    static const char *const others[] = {"swim", "crawl", "sleep", "die", "rise", "sixties"};
    bool stands = true;
    for (size_t k = 0; k < sizeof others / sizeof others[0]; ++k) {
        stands = stands && strstr(tags, others[k]) == NULL;
    }
    return stands;
}

static void humans_neither_jerk_nor_slide(void **state)
{
    (void)state;
    size_t count = 0, checked = 0;
    const lmb_motion_file *files = lmb_motion_files(&count);
    for (size_t k = 0; k < count; ++k) {
        lmb_motion *motion = read_text(files[k].text);
        const lmb_motion_info info = lmb_motion_describe(motion);
        lmb_character *figure = NULL;
        if (info.body == LMB_MOTION_HUMAN) {
            assert_int_equal(lmb_motion_perform(motion, NULL, NULL, &figure, NULL), LMB_OK);
            if (info.is_loop) {
                check_seam(info.name, figure, figure->clips[0], false);
            }
            if (stands_on_feet(info.tags)) {
                check_feet(info.name, files[k].text, info.is_gait, figure, figure->clips[0]);
                ++checked;
            }
            assert_true(fabsf(lmb_clip_duration_s(figure->clips[0]) - info.length_s) < 0.02f);
        }
        lmb_character_destroy(figure);
        lmb_motion_destroy(motion);
    }
    assert_true(checked >= 60);
}

// ----------------------------------------------------------------------------------------- animals

static lmb_made_body *make_animal(lmb_motion_body body, uint64_t seed)
{
    static const lmb_made_body_kind kinds[LMB_MOTION_BODIES] = {
        LMB_MADE_HUMANOID, LMB_MADE_QUADRUPED, LMB_MADE_BIRD,
        LMB_MADE_FISH,     LMB_MADE_SPIDER,    LMB_MADE_SNAKE};
    const lmb_made_body_opts opts = {
        .kind = kinds[body], .seed = seed, .triangle_count = 2000, .whole = true, .rigged = true};
    lmb_made_body *out = NULL;
    assert_int_equal(lmb_made_body_create(&opts, NULL, &out, NULL), LMB_OK);
    return out;
}

static void bodies_are_distinguished(void **state)
{
    (void)state;
    enum { MORE_BIRDS = 6 }; // which hold their necks as they like
    for (uint32_t k = 0; k < LMB_MOTION_BODIES + MORE_BIRDS; ++k) {
        const int body = k < LMB_MOTION_BODIES ? (int)k : LMB_MOTION_BIRD;
        lmb_made_body *animal = make_animal((lmb_motion_body)body, k < LMB_MOTION_BODIES ? 3 : k);
        lmb_motion_body found = LMB_MOTION_BODIES;
        assert_int_equal(lmb_motion_body_find(animal->character->skeleton, NULL, &found, NULL),
                         LMB_OK);
        assert_int_equal(found, body);
        lmb_made_body_destroy(animal);
    }
}

/// The joints of a person with hanging arms that are not a leg's.
static lmb_skeleton *without_legs(const lmb_skeleton *whole, bool has_names)
{
    enum { MOST = 128 };
    int32_t parents[MOST], kept[MOST];
    lmb_transform rest[MOST];
    const char *names[MOST];
    uint32_t count = 0;
    assert_true(whole->joint_count <= MOST);
    for (uint32_t j = 0; j < whole->joint_count; ++j) {
        const char *name = whole->names[j];
        kept[j] = strstr(name, "Leg") || strstr(name, "Foot") || strstr(name, "Toes")
                      ? LMB_NONE
                      : (int32_t)count;
        if (kept[j] >= 0) {
            parents[count] = whole->parents[j] < 0 ? LMB_NONE : kept[whole->parents[j]];
            rest[count] = whole->rest[j];
            names[count++] = has_names ? name : "Bone";
        }
    }
    const lmb_skeleton def = {
        .joint_count = count, .parents = parents, .rest = rest, .names = names};
    lmb_skeleton *made = NULL;
    assert_int_equal(lmb_skeleton_create(&def, NULL, &made, NULL), LMB_OK);
    return made;
}

/// Hands that hang to the lowest joints of a rig without legs are no feet, unless nothing names them.
static void a_person_without_legs_is_no_bird(void **state)
{
    (void)state;
    const lmb_made_body_opts opts = {.kind = LMB_MADE_HUMANOID,
                                     .seed = 3,
                                     .triangle_count = 2000,
                                     .whole = true,
                                     .rigged = true,
                                     .pose = LMB_MADE_POSE_A};
    lmb_made_body *body = NULL;
    assert_int_equal(lmb_made_body_create(&opts, NULL, &body, NULL), LMB_OK);
    for (int named = 0; named < 2; ++named) {
        lmb_skeleton *bust = without_legs(body->character->skeleton, named);
        lmb_motion_body found = LMB_MOTION_BODIES;
        assert_int_equal(lmb_motion_body_find(bust, NULL, &found, NULL), LMB_OK);
        assert_int_equal(found, named ? LMB_MOTION_HUMAN : LMB_MOTION_BIRD);
        lmb_skeleton_destroy(bust);
    }
    lmb_made_body_destroy(body);
}

static void animals_play_theirs_and_no_others(void **state)
{
    (void)state;
    size_t count = 0;
    const lmb_motion_file *files = lmb_motion_files(&count);
    for (int body = LMB_MOTION_QUADRUPED; body < LMB_MOTION_BODIES; ++body) {
        lmb_made_body *animal = make_animal((lmb_motion_body)body, 3);
        for (size_t k = 0; k < count; ++k) {
            lmb_motion *motion = read_text(files[k].text);
            const lmb_motion_info info = lmb_motion_describe(motion);
            lmb_clip *clip = NULL;
            lmb_error error = {0};
            const lmb_result result =
                lmb_motion_perform_on(motion, NULL, animal->character, NULL, &clip, &error);
            const bool legless = body == LMB_MOTION_FISH || body == LMB_MOTION_SNAKE,
                       fits = info.body == (lmb_motion_body)body ||
                              (legless &&
                               (info.body == LMB_MOTION_FISH || info.body == LMB_MOTION_SNAKE));
            assert_int_equal(result, fits ? LMB_OK : LMB_ERROR_UNSUPPORTED);
            if (fits && info.is_loop) {
                check_seam(info.name, animal->character, clip, legless);
            }
            assert_true(fits || strstr(error.found, lmb_motion_body_name((lmb_motion_body)body)));
            lmb_clip_destroy(clip);
            lmb_motion_destroy(motion);
        }
        lmb_made_body_destroy(animal);
    }
}

/// Known answers: a neck of two joints bends by its key, a planted paw stays, a free one is where
/// its channels say, a snake of a straight heading is straight.
static void animals_have_known_answers(void **state)
{
    (void)state;
    lmb_made_body *deer = make_animal(LMB_MOTION_QUADRUPED, 3),
                  *snake = make_animal(LMB_MOTION_SNAKE, 3);
    lmb_motion *motion = read_text("motion a\ntitle A\nbody quadruped\nonce 1\n"
                                   "pose head turn=30, hips y=-0.1, forefoot.l y=0.2\n"),
               *straight = read_text("motion a\ntitle A\nbody snake\nonce 1\n"
                                     "wave spine turn = 0\n"
                                     "wave spine bend = -40 * step(along, 0.2)\n");
    lmb_clip *clip = NULL;
    assert_int_equal(lmb_motion_perform_on(motion, NULL, deer->character, NULL, &clip, NULL),
                     LMB_OK);
    const lmb_skeleton *sk = deer->character->skeleton;
    const int32_t head = lmb_skeleton_find(sk, "head"),
                  hind = lmb_skeleton_find(sk, "leftBackFoot"),
                  fore = lmb_skeleton_find(sk, "leftFrontFoot");
    lmb_clip still = {.ticks_per_s = 1};
    lmb_transform *rest = test_pose(deer->character, &still, 0),
                  *pose = test_pose(deer->character, clip, 0.5);
    const lmb_quat rotated =
        lmb_quat_mul(pose[head].rotation, lmb_quat_conjugate(rest[head].rotation));
    assert_true(fabsf(lmb_quat_angle(rotated, lmb_quat_identity()) - 30 * DEGREE) < 0.01f);
    assert_true(lmb_vec3_distance(rest[hind].translation, pose[hind].translation) < 1e-3f);
    assert_true(pose[fore].translation.y > rest[fore].translation.y + 0.1f);
    free(rest);
    free(pose);
    lmb_clip_destroy(clip);
    assert_int_equal(lmb_motion_perform_on(straight, NULL, snake->character, NULL, &clip, NULL),
                     LMB_OK);
    pose = test_pose(snake->character, clip, 0.5);
    float left = 0, low = INFINITY, high = -INFINITY, rest_low = INFINITY;
    rest = test_pose(snake->character, &still, 0);
    for (uint32_t j = 1; j < snake->character->skeleton->joint_count; ++j) {
        if (strstr(snake->character->skeleton->names[j], "spine") != NULL) {
            left = fmaxf(left, fabsf(pose[j].translation.x - pose[0].translation.x));
            low = fminf(low, pose[j].translation.y);
            high = fmaxf(high, pose[j].translation.y);
            rest_low = fminf(rest_low, rest[j].translation.y);
        }
    }
    free(rest);
    // Its head is raised, the rest of it lies as low as before.
    assert_true(left < 0.02f && fabsf(low - rest_low) < 1e-3f && high > rest_low + 0.1f);
    free(pose);
    lmb_clip_destroy(clip);
    lmb_motion_destroy(motion);
    lmb_motion_destroy(straight);
    lmb_made_body_destroy(deer);
    lmb_made_body_destroy(snake);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_anatomical_angles),
        cmocka_unit_test(lengths_are_relative),
        cmocka_unit_test(keys_are_interpolated),
        cmocka_unit_test(mirrored_is_in_the_mirror),
        cmocka_unit_test(sliders_do_what_they_say),
        cmocka_unit_test(errors_have_their_position),
        cmocka_unit_test(every_allocation_can_fail),
        cmocka_unit_test(the_library_is_whole),
        cmocka_unit_test(walk_and_run_are_the_generated_ones),
        cmocka_unit_test(humans_neither_jerk_nor_slide),
        cmocka_unit_test(bodies_are_distinguished),
        cmocka_unit_test(a_person_without_legs_is_no_bird),
        cmocka_unit_test(animals_play_theirs_and_no_others),
        cmocka_unit_test(animals_have_known_answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
