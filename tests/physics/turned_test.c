// Whatever way a character faces, its ragdoll has the same bodies and falls the same but for the
// turn.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "bodies/bodies.h"
#include "turned.h"

static const float frame_s = 1.0f / 60;

typedef struct doll {
    const lmb_character *character;
    lmb_joint_limit *limits;
    lmb_ragdoll_set *set;
    lmb_ragdoll *ragdoll;
    lmb_transform *pose;
    lmb_mat4 *model;
} doll;

static doll doll_make(const lmb_character *character)
{
    static const lmb_human_bone bones[] = {
        LMB_HUMAN_HIPS,           LMB_HUMAN_SPINE,           LMB_HUMAN_CHEST,
        LMB_HUMAN_HEAD,           LMB_HUMAN_LEFT_UPPER_LEG,  LMB_HUMAN_LEFT_LOWER_LEG,
        LMB_HUMAN_LEFT_FOOT,      LMB_HUMAN_RIGHT_UPPER_LEG, LMB_HUMAN_RIGHT_LOWER_LEG,
        LMB_HUMAN_RIGHT_FOOT,     LMB_HUMAN_LEFT_UPPER_ARM,  LMB_HUMAN_LEFT_LOWER_ARM,
        LMB_HUMAN_RIGHT_UPPER_ARM};
    enum { COUNT = sizeof bones / sizeof *bones };
    doll d = {.character = character};
    const lmb_skeleton *skeleton = character->skeleton;
    uint32_t joints[COUNT];
    lmb_joint_map map;
    d.limits = calloc(skeleton->joint_count, sizeof *d.limits);
    d.pose = calloc(skeleton->joint_count, sizeof *d.pose);
    d.model = calloc(skeleton->joint_count, sizeof *d.model);
    assert_int_equal(lmb_joint_map_make(skeleton, NULL, &map, NULL), LMB_OK);
    assert_int_equal(lmb_joint_map_limits(&map, skeleton, NULL, d.limits, NULL), LMB_OK);
    for (int k = 0; k < COUNT; ++k) {
        joints[k] = (uint32_t)map.bones[bones[k]].joint;
    }
    const lmb_ragdoll_opts opts = {
        .joints = joints, .joint_count = COUNT, .limits = d.limits, .mass = 70};
    assert_int_equal(lmb_ragdoll_set_make(character, &opts, NULL, &d.set, NULL), LMB_OK);
    const lmb_rigid_shape floor = {.kind = LMB_RIGID_PLANE,
                                   .body = LMB_NONE,
                                   .offset = {0, d.set->box.low.y, 0},
                                   .static_friction = 0.8f,
                                   .dynamic_friction = 0.65f};
    const lmb_ragdoll_scene scene = {.gravity = {0, -9.81f, 0},
                                     .shapes = &floor,
                                     .shape_count = 1,
                                     .friction = 0.8f,
                                     .joint_friction = 0.1f};
    assert_int_equal(lmb_ragdoll_create(d.set, skeleton, &scene, NULL, &d.ragdoll, NULL), LMB_OK);
    return d;
}

static void doll_drop(doll *d)
{
    lmb_ragdoll_destroy(d->ragdoll);
    lmb_ragdoll_set_destroy(d->set);
    free(d->limits);
    free(d->pose);
    free(d->model);
}

/// Capsules are fitted by histograms about the axes of the model: a round head has several that fit.
static void check_bodies(test_yaw turn, const doll *a, const doll *b)
{
    assert_int_equal(a->set->bone_count, b->set->bone_count);
    assert_int_equal(a->set->apart_count, b->set->apart_count);
    for (uint32_t i = 0; i < a->set->bone_count; ++i) {
        const lmb_ragdoll_bone *p = &a->set->bones[i], *q = &b->set->bones[i];
        assert_true(fabsf(p->mass - q->mass) < 0.15f * p->mass);
        assert_true(fabsf(p->radius - q->radius) < 0.02f && fabsf(p->half - q->half) < 0.04f);
        assert_true(lmb_vec3_distance(test_turned_vec3(turn, p->model_from_body.translation),
                                      q->model_from_body.translation) < 0.04f);
        if (i == 0) { // carried by none
            continue;
        }
        const lmb_joint_limit want = test_turned_limit(turn, p->limit);
        assert_true(lmb_vec3_distance(want.axis, q->limit.axis) < 1e-3f);
        assert_true(fabsf(want.twist_max_rad - q->limit.twist_max_rad) < 1e-3f);
    }
}

/// How far a knee bends from straight, forward above 0: about the made body's left.
static float knee_of(const doll *d)
{
    const int32_t knee = lmb_skeleton_find(d->character->skeleton, "leftLowerLeg");
    const lmb_quat turn = lmb_quat_mul(
        lmb_quat_conjugate(d->character->skeleton->rest[knee].rotation), d->pose[knee].rotation);
    const lmb_vec3 v = {turn.x, turn.y, turn.z};
    const float sign = turn.w < 0 ? -1.0f : 1.0f;
    return 2 * lmb_atan2(sign * lmb_vec3_dot(v, d->limits[knee].axis), sign * turn.w);
}

static void step(doll *d)
{
    const lmb_skeleton *skeleton = d->character->skeleton;
    memcpy(d->pose, skeleton->rest, skeleton->joint_count * sizeof *d->pose);
    lmb_ragdoll_step(&(lmb_ragdoll_step_job){.ragdoll = d->ragdoll,
                                             .local = d->pose,
                                             .model_from_joint = d->model,
                                             .dt_s = frame_s,
                                             .weight = 1});
}

/// How far the joints of bodies are from where the turn takes those of the others.
static float apart_of(test_yaw turn, const doll *a, const doll *b)
{
    float worst = 0;
    for (uint32_t i = 0; i < a->set->bone_count; ++i) {
        const uint32_t joint = a->set->bones[i].joint;
        const float off =
            lmb_vec3_distance(test_turned_vec3(turn, lmb_mat4_translation(a->model[joint])),
                              lmb_mat4_translation(b->model[joint]));
        worst = off <= worst ? worst : off; // what is not a number shows
    }
    return worst;
}

static void ragdolls_fall_alike(void **state)
{
    (void)state;
    lmb_made_body *body = NULL;
    const lmb_made_body_opts opts = {
        .seed = 2, .whole = true, .rigged = true, .triangle_count = 2500};
    assert_int_equal(lmb_made_body_create(&opts, NULL, &body, NULL), LMB_OK);
    const lmb_character *made = body->character;
    for (int k = 0; k < TEST_TURNS; ++k) {
        const test_yaw turn = test_yaw_at(k);
        lmb_character *turned = test_turned_character(turn, made);
        doll a = doll_make(made), b = doll_make(turned);
        check_bodies(turn, &a, &b);
        float most[2] = {0, 0};
        for (int f = 0; f < 60; ++f) {
            step(&a);
            step(&b);
            // A fall tells small differences of the capsules apart more and more.
            const float apart = apart_of(turn, &a, &b);
            if (f < 20 && !(apart < 0.1f)) {
                fail_msg("turned in way %d, frame %d: %g m apart", (int)turn.how, f, (double)apart);
            }
            most[0] = fmaxf(most[0], knee_of(&a));
            most[1] = fmaxf(most[1], knee_of(&b));
            assert_true(knee_of(&a) > -0.2f && knee_of(&b) > -0.2f);
        }
        assert_true(most[0] > 0.5f && most[1] > 0.5f);
        doll_drop(&a);
        doll_drop(&b);
        lmb_character_destroy(turned);
    }
    lmb_made_body_destroy(body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ragdolls_fall_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
