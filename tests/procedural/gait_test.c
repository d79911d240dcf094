// Gaits on made bodies, two legs to eight: what a foot stands on does not move, the skin stays over
// the ground, the speed is the one that was asked for, the cycle closes.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bodies/bodies.h"
#include "failing_allocator.h"
#include "limber/limber.h"
#include "procedural/procedural.h"

typedef struct subject {
    lmb_made_body *made;
    const lmb_character *character;
    lmb_gait_body body;
    lmb_transform *local;
    lmb_mat4 *model, *before, *rest, *palette;
} subject;

static uint32_t joint(const subject *s, const char *name)
{
    const int32_t j = lmb_skeleton_find(s->character->skeleton, name);
    assert_true(j >= 0);
    return (uint32_t)j;
}

/// The joints of a made human, by their names.
static void name_human(subject *s)
{
    static const char *const legs[2][4] = {
        {"leftUpperLeg", "leftLowerLeg", "leftFoot", "leftToes"},
        {"rightUpperLeg", "rightLowerLeg", "rightFoot", "rightToes"}};
    memset(&s->body, 0, sizeof s->body);
    s->body.hips = joint(s, "hips");
    s->body.leg_count = 2;
    for (int k = 0; k < 2; ++k) {
        s->body.legs[k] = (lmb_gait_leg){.hip = joint(s, legs[k][0]),
                                         .knee = joint(s, legs[k][1]),
                                         .ankle = joint(s, legs[k][2]),
                                         .toes = (int32_t)joint(s, legs[k][3]),
                                         .blade = LMB_NONE};
        s->body.arms[k] = (lmb_gait_arm){LMB_NONE, LMB_NONE, LMB_NONE, LMB_NONE};
    }
    s->body.trunk_count = 2;
    s->body.trunk[0] = joint(s, "spine");
    s->body.trunk[1] = joint(s, "chest");
    assert_int_equal(lmbi_gait_body_fit(s->character, NULL, &s->body, NULL), LMB_OK);
}

static subject subject_make(lmb_made_body_kind kind, uint64_t seed)
{
    subject s = {0};
    lmb_error error = {0};
    lmb_made_body_opts opts = {
        .kind = kind, .seed = seed, .triangle_count = 2000, .whole = true, .rigged = true};
    // Animals stand square.
    opts.pose = kind != LMB_MADE_HUMANOID ? LMB_MADE_POSE_T : LMB_MADE_POSE_ANY;
    assert_int_equal(lmb_made_body_create(&opts, NULL, &s.made, NULL), LMB_OK);
    if (kind == LMB_MADE_HUMANOID) {
        // All of one height, so that speeds mean the same.
        opts.scale = 1.75f / s.made->height;
        lmb_made_body_destroy(s.made);
        assert_int_equal(lmb_made_body_create(&opts, NULL, &s.made, NULL), LMB_OK);
    }
    s.character = s.made->character;
    const uint32_t n = s.character->skeleton->joint_count;
    s.local = calloc(n, sizeof *s.local);
    s.model = calloc(n, sizeof *s.model);
    s.before = calloc(n, sizeof *s.before);
    s.rest = calloc(n, sizeof *s.rest);
    s.palette = calloc(n, sizeof *s.palette);
    lmb_pose_to_model(
        &(lmb_pose_to_model_job){.skeleton = s.character->skeleton, .model_from_joint = s.rest});
    if (kind == LMB_MADE_HUMANOID) {
        name_human(&s);
    } else if (lmb_gait_body_find(s.character, NULL, &s.body, &error) != LMB_OK) {
        fail_msg("expected %s, found %s", error.expected, error.found);
    }
    return s;
}

static void subject_drop(subject *s)
{
    lmb_made_body_destroy(s->made);
    free(s->local);
    free(s->model);
    free(s->before);
    free(s->rest);
    free(s->palette);
}

static void pose(subject *s, lmb_gait *gait, double time_s)
{
    lmb_gait_pose(gait, time_s, s->local);
    lmb_pose_to_model(&(lmb_pose_to_model_job){
        .skeleton = s->character->skeleton, .local = s->local, .model_from_joint = s->model});
}

typedef struct findings {
    float slide_m_s, depth_m, speed_error;
} findings;

/// How far a point of the rest that a joint carries has moved since `before`.
static float moved(const subject *s, uint32_t by, lmb_vec3 at_rest)
{
    lmb_mat4 back;
    lmb_mat4_inverse_affine(s->rest[by], &back);
    const lmb_vec3 own = lmb_mat4_point(back, at_rest);
    return lmb_vec3_distance(lmb_mat4_point(s->model[by], own), lmb_mat4_point(s->before[by], own));
}

/// The library's own measure against points carried by hand.
static void check_measure(subject *s, lmb_gait *gait, const lmb_gait_moment *moments, double dt,
                          int k)
{
    const uint32_t n = s->character->skeleton->joint_count;
    float slide = 0;
    pose(s, gait, (k - 1) * dt);
    memcpy(s->before, s->model, n * sizeof *s->before);
    pose(s, gait, k * dt);
    for (uint32_t l = 0; l < s->body.leg_count; ++l) {
        const lmb_gait_leg *leg = &s->body.legs[l];
        const uint32_t ball = leg->toes >= 0 ? (uint32_t)leg->toes : leg->ankle;
        const lmb_vec3 tip = leg->toes >= 0 ? lmb_mat4_translation(s->rest[ball]) : leg->tip;
        if (lmbi_gait_is_on_ground(gait, l, (k - 1) * dt) &&
            lmbi_gait_is_on_ground(gait, l, k * dt) &&
            lmbi_gait_is_on_ground(gait, l, (k - 0.5) * dt)) {
            slide = fmaxf(slide, fminf(moved(s, leg->ankle, leg->heel), moved(s, ball, tip)));
        }
    }
    assert_true(fabsf(slide / (float)dt - moments[k].slide_m_s) < 2e-4f);
}

static void look(subject *s, lmb_gait *gait, findings *f)
{
    enum { STEPS = 32 };
    const lmb_gait_info info = lmb_gait_describe(gait);
    const double dt = (double)info.period_s / STEPS;
    lmb_gait_moment moments[STEPS];
    assert_int_equal(lmb_gait_measure(gait, s->character, dt, STEPS, NULL, moments, NULL), LMB_OK);
    for (int k = 0; k < STEPS; ++k) {
        f->slide_m_s = fmaxf(f->slide_m_s, moments[k].slide_m_s);
        f->depth_m = fmaxf(f->depth_m, moments[k].depth_m);
    }
    check_measure(s, gait, moments, dt, STEPS / 3);
    pose(s, gait, 0);
    const lmb_vec3 begin = lmb_mat4_translation(s->model[s->body.hips]);
    pose(s, gait, (double)info.period_s);
    const float travel = lmb_vec3_distance(begin, lmb_mat4_translation(s->model[s->body.hips]));
    f->speed_error = fmaxf(f->speed_error, fabsf(travel / info.period_s / info.speed_m_s - 1));
}

static findings try_speeds(subject *s, lmb_gait_kind kind, int count, float slope)
{
    findings f = {0};
    float range[2], leg = 0;
    lmb_error error = {0};
    lmb_gait *gait = NULL;
    assert_int_equal(lmb_gait_create(s->character->skeleton, &s->body,
                                     &(lmb_gait_opts){.kind = kind}, NULL, &gait, &error),
                     LMB_OK);
    leg = lmb_gait_describe(gait).leg_m;
    lmb_gait_destroy(gait);
    assert_true(lmbi_gait_range(kind, s->body.leg_count, leg, range));
    for (int k = 0; k < count; ++k) {
        const lmb_gait_opts opts = {.kind = kind,
                                    .speed_m_s = range[0] + (range[1] - range[0]) * (float)k /
                                                                (float)(count - 1),
                                    .slope_rad = slope};
        if (lmb_gait_create(s->character->skeleton, &s->body, &opts, NULL, &gait, &error) !=
            LMB_OK) {
            fail_msg("expected %s, found %s", error.expected, error.found);
        }
        look(s, gait, &f);
        lmb_gait_destroy(gait);
    }
    return f;
}

/// A tenth of a millimetre a frame would be 6 mm/s; the bound is that of rounding.
static void check(const char *what, const findings *f)
{
    if (!(f->slide_m_s < 1e-3f) || !(f->depth_m < 5e-3f) || !(f->speed_error < 1e-3f)) {
        fail_msg("%s: slides %g m/s, %g m under the ground, speed off by %g", what,
                 (double)f->slide_m_s, (double)f->depth_m, (double)f->speed_error);
    }
}

static void try_all(subject *s, lmb_gait_kind first, int step, const char *what)
{
    static const float slopes[] = {-15, 0, 15};
    for (int kind = (int)first; kind < LMB_GAIT_COUNT; kind += step) {
        for (int k = 0; k < 3; ++k) {
            char name[80];
            const findings f = try_speeds(s, (lmb_gait_kind)kind, 3, slopes[k] * LMB_PI / 180);
            snprintf(name, sizeof name, "%s, %s on %g degrees", what,
                     lmb_gait_name((lmb_gait_kind)kind), (double)slopes[k]);
            check(name, &f);
        }
    }
}

/// Three speeds of a walk and three of a run.
static void humans_stand_where_they_step(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 2; ++seed) {
        char what[40];
        subject s = subject_make(LMB_MADE_HUMANOID, seed);
        snprintf(what, sizeof what, "human %d", (int)seed);
        try_all(&s, LMB_GAIT_WALK, 2, what);
        subject_drop(&s);
    }
}

static void quadrupeds_stand_where_they_step(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 2; ++seed) {
        char what[40];
        subject s = subject_make(LMB_MADE_QUADRUPED, seed);
        assert_int_equal(s.body.leg_count, 4);
        snprintf(what, sizeof what, "quadruped %d", (int)seed);
        try_all(&s, LMB_GAIT_WALK, 1, what);
        subject_drop(&s);
    }
}

/// Three pairs of legs and four, on small bodies: bounds in lengths of their legs against a metre.
static void bugs_stand_where_they_step(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 2; ++seed) {
        subject s = subject_make(LMB_MADE_SPIDER, seed);
        assert_true(s.body.leg_count == (seed == 0 ? 8 : 6));
        for (int kind = LMB_GAIT_WALK; kind <= LMB_GAIT_RUN; kind += 2) {
            const findings f = try_speeds(&s, (lmb_gait_kind)kind, 3, 0);
            if (!(f.slide_m_s < 1e-4f) || !(f.speed_error < 2e-3f)) {
                fail_msg("seed %d: slides %g m/s, speed off by %g", (int)seed, (double)f.slide_m_s,
                         (double)f.speed_error);
            }
        }
        lmb_gait *gait = NULL;
        assert_int_equal(lmb_gait_create(s.character->skeleton, &s.body,
                                         &(lmb_gait_opts){.kind = LMB_GAIT_TROT}, NULL, &gait,
                                         NULL),
                         LMB_ERROR_UNSUPPORTED);
        subject_drop(&s);
    }
}

/// In a turn too, and the path is the circle that it should be.
static void turns_are_circles(void **state)
{
    (void)state;
    for (int legs = 2; legs <= 4; legs += 2) {
        subject s = subject_make(legs == 2 ? LMB_MADE_HUMANOID : LMB_MADE_QUADRUPED, 4);
        lmb_gait *gait = NULL;
        const lmb_gait_opts opts = {.turn_rad_s = 0.6f};
        assert_int_equal(lmb_gait_create(s.character->skeleton, &s.body, &opts, NULL, &gait, NULL),
                         LMB_OK);
        findings f = {0};
        look(&s, gait, &f);
        const lmb_gait_info info = lmb_gait_describe(gait);
        f.speed_error = 0; // the chord of an arc
        check("in a turn", &f);
        // Half a circle of v / w turns round, and ends 2 v / w to the left.
        pose(&s, gait, 0);
        const lmb_vec3 begin = lmb_mat4_translation(s.model[s.body.legs[0].hip]);
        const lmb_vec3 other = lmb_mat4_translation(s.model[s.body.legs[1].hip]);
        pose(&s, gait, 10 * (double)info.period_s);
        const float angle = 0.6f * 10 * info.period_s, radius = info.speed_m_s / 0.6f;
        const lmb_vec3 middle = lmb_vec3_scale(
            lmb_vec3_sub(lmb_vec3_add(lmb_mat4_translation(s.model[s.body.legs[0].hip]),
                                      lmb_mat4_translation(s.model[s.body.legs[1].hip])),
                         lmb_vec3_add(begin, other)),
            0.5f);
        const float slack = legs == 2 ? 0.05f : 0.9f; // its hind hips swing about the middle
        assert_true(fabsf(middle.x - radius * (1 - lmb_cos(angle))) < slack);
        assert_true(fabsf(middle.z - radius * lmb_sin(angle)) < slack);
        lmb_gait_destroy(gait);
        subject_drop(&s);
    }
}

/// A manner changes how the body goes, not where its feet stand nor how fast it is.
static void manners_differ(void **state)
{
    (void)state;
    static const char *const names[] = {"sneak", "march", "tired", "proud", "stroll"};
    lmb_gait_opts none = {0};
    assert_false(lmb_gait_manner("waltz", &none));
    for (int legs = 2; legs <= 4; legs += 2) {
        subject s = subject_make(legs == 2 ? LMB_MADE_HUMANOID : LMB_MADE_QUADRUPED, 3);
        const uint32_t head = joint(&s, "head");
        if (legs == 2) {
            s.body.neck_count = 1;
            s.body.neck[0] = head;
        }
        float least = 10, most = 0;
        for (size_t k = 0; k < sizeof names / sizeof names[0]; ++k) {
            lmb_gait_opts opts = {.kind = LMB_GAIT_WALK};
            lmb_gait *gait = NULL;
            findings f = {0};
            assert_true(lmb_gait_manner(names[k], &opts));
            assert_int_equal(
                lmb_gait_create(s.character->skeleton, &s.body, &opts, NULL, &gait, NULL), LMB_OK);
            look(&s, gait, &f);
            check(names[k], &f);
            pose(&s, gait, 0.2);
            // How far its head looks up.
            lmb_mat4 back;
            lmb_mat4_inverse_affine(s.rest[head], &back);
            const lmb_vec3 ahead =
                lmb_mat4_vector(lmb_mat4_mul(s.model[head], back), lmb_vec3_make(0, 0, 1));
            least = fminf(least, ahead.y);
            most = fmaxf(most, ahead.y);
            lmb_gait_destroy(gait);
        }
        assert_true(most - least > 0.4f); // proud and tired
        subject_drop(&s);
    }
}

static void cycles_close(void **state)
{
    (void)state;
    for (int legs = 2; legs <= 4; legs += 2) {
        subject s = subject_make(legs == 2 ? LMB_MADE_HUMANOID : LMB_MADE_QUADRUPED, 2);
        const uint32_t n = s.character->skeleton->joint_count;
        for (int kind = 0; kind < LMB_GAIT_COUNT; ++kind) {
            lmb_gait *gait = NULL;
            const lmb_gait_opts opts = {.kind = (lmb_gait_kind)kind, .in_place = true};
            if (lmb_gait_create(s.character->skeleton, &s.body, &opts, NULL, &gait, NULL) !=
                LMB_OK) {
                assert_true(legs == 2 && kind == LMB_GAIT_TROT);
                continue;
            }
            const double period = (double)lmb_gait_describe(gait).period_s;
            pose(&s, gait, 0.31 * period);
            memcpy(s.before, s.model, n * sizeof *s.before);
            pose(&s, gait, 3.31 * period);
            for (uint32_t j = 0; j < n; ++j) {
                assert_true(lmb_vec3_distance(lmb_mat4_translation(s.model[j]),
                                              lmb_mat4_translation(s.before[j])) < 1e-4f);
            }
            lmb_gait_destroy(gait);
        }
        subject_drop(&s);
    }
}

static void legs_are_found(void **state)
{
    (void)state;
    lmb_gait_body found;
    lmb_error error = {0};
    subject s = subject_make(LMB_MADE_HUMANOID, 7);
    assert_int_equal(lmb_gait_body_find(s.character, NULL, &found, &error), LMB_OK);
    assert_int_equal(found.leg_count, 2);
    assert_int_equal(found.hips, s.body.hips);
    for (int k = 0; k < 2; ++k) {
        assert_int_equal(found.legs[k].hip, s.body.legs[k].hip);
        assert_int_equal(found.legs[k].ankle, s.body.legs[k].ankle);
        assert_int_equal(found.legs[k].toes, s.body.legs[k].toes);
    }
    subject_drop(&s);
    s = subject_make(LMB_MADE_QUADRUPED, 9);
    assert_int_equal(s.body.legs[0].hip, joint(&s, "leftBackUpperLeg"));
    assert_int_equal(s.body.legs[3].ankle, joint(&s, "rightFrontFoot"));
    assert_int_equal(s.body.trunk[s.body.trunk_count - 1], joint(&s, "chest"));
    assert_int_equal(s.body.neck[s.body.neck_count - 1], joint(&s, "head"));
    subject_drop(&s);
    lmb_made_body *hand = NULL;
    assert_int_equal(
        lmb_made_body_create(
            &(lmb_made_body_opts){.kind = LMB_MADE_HAND, .triangle_count = 2000, .rigged = true},
            NULL, &hand, NULL),
        LMB_OK);
    assert_int_equal(lmb_gait_body_find(hand->character, NULL, &found, &error),
                     LMB_ERROR_UNSUPPORTED);
    lmb_made_body_destroy(hand);
}

/// A skeleton that stands beside the origin, in mid-stride.
static void legs_are_found_in_mid_stride(void **state)
{
    (void)state;
    subject s = subject_make(LMB_MADE_QUADRUPED, 2);
    lmb_character *beside = NULL;
    lmb_skeleton *skeleton = NULL;
    assert_int_equal(lmb_skeleton_create(s.character->skeleton, NULL, &skeleton, NULL), LMB_OK);
    lmb_transform *rest = skeleton->rest;
    rest[s.body.hips].translation.x += 0.3f;
    for (int k = 0; k < 4; ++k) {
        const float rotation = k == 0 || k == 3 ? 0.15f : -0.1f;
        lmb_quat *hip = &rest[s.body.legs[k].hip].rotation;
        *hip = lmb_quat_mul(lmb_quat_axis_angle((lmb_vec3){1, 0, 0}, rotation), *hip);
    }
    const lmb_character def = {.skeleton = skeleton};
    assert_int_equal(lmb_character_create(&def, NULL, &beside, NULL), LMB_OK);
    lmb_gait_body found;
    lmb_error error = {0};
    if (lmb_gait_body_find(beside, NULL, &found, &error) != LMB_OK) {
        fail_msg("expected %s, found %s", error.expected, error.found);
    }
    assert_int_equal(found.leg_count, 4);
    for (int k = 0; k < 4; ++k) {
        assert_int_equal(found.legs[k].hip, s.body.legs[k].hip);
        assert_int_equal(found.legs[k].ankle, s.body.legs[k].ankle);
    }
    lmb_character_release(beside);
    lmb_skeleton_destroy(skeleton);
    subject_drop(&s);
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    static const lmb_gait_opts bad[] = {
        {.speed_m_s = 0.01f},   {.speed_m_s = 40}, {.slope_rad = 1}, {.turn_rad_s = 9},
        {.frame_rate = 3},      {.bounce = -1},    {.crouch = 0.9f}, {.slope_rad = NAN},
        {.lean_rad = 1},        {.nod_rad = -1},   {.hips = 9},      {.kind = LMB_GAIT_COUNT},
        {.kind = LMB_GAIT_TROT}};
    subject s = subject_make(LMB_MADE_HUMANOID, 3);
    lmb_error error = {0};
    lmb_gait *gait = NULL;
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; ++k) {
        const lmb_result result =
            lmb_gait_create(s.character->skeleton, &s.body, &bad[k], NULL, &gait, &error);
        assert_int_equal(result, bad[k].kind == 0 ? LMB_ERROR_INVALID : LMB_ERROR_UNSUPPORTED);
        assert_null(gait);
    }
    lmb_gait_body wrong = s.body;
    wrong.legs[0].knee = wrong.legs[1].knee;
    assert_int_equal(
        lmb_gait_create(s.character->skeleton, &wrong, &(lmb_gait_opts){0}, NULL, &gait, &error),
        LMB_ERROR_INVALID);
    assert_string_equal(lmb_gait_name(LMB_GAIT_TROT), "trot");
    assert_int_equal(lmb_gait_find("trot"), LMB_GAIT_TROT);
    assert_int_equal(lmb_gait_find("skip"), LMB_GAIT_COUNT);
    for (int calls = 0; calls < 20; ++calls) {
        failing_allocator failing = {.calls_left = calls};
        const lmb_allocator alloc = {failing_allocator_resize, &failing};
        lmb_gait_body found;
        lmb_result result = lmb_gait_body_find(s.character, &alloc, &found, NULL);
        if (result == LMB_OK) {
            result = lmb_gait_create(s.character->skeleton, &found, &(lmb_gait_opts){0}, &alloc,
                                     &gait, NULL);
        }
        if (result == LMB_OK) {
            lmb_gait_destroy(gait);
        }
        assert_true(result == LMB_OK || result == LMB_ERROR_MEMORY);
        assert_int_equal(failing.held, 0);
    }
    subject_drop(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(humans_stand_where_they_step),
        cmocka_unit_test(quadrupeds_stand_where_they_step),
        cmocka_unit_test(bugs_stand_where_they_step),
        cmocka_unit_test(turns_are_circles),
        cmocka_unit_test(manners_differ),
        cmocka_unit_test(cycles_close),
        cmocka_unit_test(legs_are_found),
        cmocka_unit_test(legs_are_found_in_mid_stride),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
