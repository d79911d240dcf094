// Whichever direction a character faces, its ragdoll, its springs and its soft tissue move the same
// but for the yaw.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "bodies/bodies.h"
#include "rotated.h"

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
static void check_bodies(test_yaw yaw, const doll *a, const doll *b)
{
    assert_int_equal(a->set->bone_count, b->set->bone_count);
    assert_int_equal(a->set->filtered_count, b->set->filtered_count);
    for (uint32_t i = 0; i < a->set->bone_count; ++i) {
        const lmb_ragdoll_bone *p = &a->set->bones[i], *q = &b->set->bones[i];
        assert_true(fabsf(p->mass - q->mass) < 0.15f * p->mass);
        assert_true(fabsf(p->radius - q->radius) < 0.02f && fabsf(p->half - q->half) < 0.04f);
        assert_true(lmb_vec3_distance(test_rotated_vec3(yaw, p->model_from_body.translation),
                                      q->model_from_body.translation) < 0.04f);
        if (i == 0) { // carried by none
            continue;
        }
        const lmb_joint_limit want = test_rotated_limit(yaw, p->limit);
        assert_true(lmb_vec3_distance(want.axis, q->limit.axis) < 1e-3f);
        assert_true(fabsf(want.twist_max_rad - q->limit.twist_max_rad) < 1e-3f);
    }
}

/// How far a knee bends from straight, forward above 0: about the made body's left.
static float knee_of(const doll *d)
{
    const int32_t knee = lmb_skeleton_find(d->character->skeleton, "leftLowerLeg");
    const lmb_quat yaw = lmb_quat_mul(
        lmb_quat_conjugate(d->character->skeleton->rest[knee].rotation), d->pose[knee].rotation);
    const lmb_vec3 v = {yaw.x, yaw.y, yaw.z};
    const float sign = yaw.w < 0 ? -1.0f : 1.0f;
    return 2 * lmb_atan2(sign * lmb_vec3_dot(v, d->limits[knee].axis), sign * yaw.w);
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

/// How far the joints of bodies are from where the yaw takes those of the others.
static float apart_of(test_yaw yaw, const doll *a, const doll *b)
{
    float worst = 0;
    for (uint32_t i = 0; i < a->set->bone_count; ++i) {
        const uint32_t joint = a->set->bones[i].joint;
        const float off =
            lmb_vec3_distance(test_rotated_vec3(yaw, lmb_mat4_translation(a->model[joint])),
                              lmb_mat4_translation(b->model[joint]));
        worst = off <= worst ? worst : off; // what is not a number shows
    }
    return worst;
}

static lmb_made_body *make_humanoid(void)
{
    lmb_made_body *body = NULL;
    const lmb_made_body_opts opts = {
        .seed = 2, .whole = true, .rigged = true, .triangle_count = 2500};
    assert_int_equal(lmb_made_body_create(&opts, NULL, &body, NULL), LMB_OK);
    return body;
}

static void ragdolls_fall_alike(void **state)
{
    (void)state;
    lmb_made_body *body = make_humanoid();
    const lmb_character *made = body->character;
    for (int k = 0; k < TEST_TURNS; ++k) {
        const test_yaw yaw = test_yaw_at(k);
        lmb_character *rotated = test_rotated_character(yaw, made);
        doll a = doll_make(made), b = doll_make(rotated);
        check_bodies(yaw, &a, &b);
        float most[2] = {0, 0};
        for (int f = 0; f < 60; ++f) {
            step(&a);
            step(&b);
            // A fall tells small differences of the capsules apart more and more.
            const float apart = apart_of(yaw, &a, &b);
            if (f < 20 && !(apart < 0.1f)) {
                fail_msg("rotated in way %d, frame %d: %g m apart", (int)yaw.how, f, (double)apart);
            }
            most[0] = fmaxf(most[0], knee_of(&a));
            most[1] = fmaxf(most[1], knee_of(&b));
            assert_true(knee_of(&a) > -0.2f && knee_of(&b) > -0.2f);
        }
        assert_true(most[0] > 0.5f && most[1] > 0.5f);
        doll_drop(&a);
        doll_drop(&b);
        lmb_character_destroy(rotated);
    }
    lmb_made_body_destroy(body);
}

/// Frame f of a motion with sway, rotation and bending, the same for all but for the yaw.
static void moving_pose(test_yaw yaw, const lmb_skeleton *made, int f, lmb_transform *out)
{
    const float phase = 0.2f * (float)f;
    memcpy(out, made->rest, made->joint_count * sizeof *out);
    for (uint32_t j = 0; j < made->joint_count; ++j) {
        const lmb_vec3 axis = {j % 3 == 0, j % 3 == 1, j % 3 == 2};
        out[j].rotation = lmb_quat_mul(
            out[j].rotation, lmb_quat_axis_angle(axis, 0.15f * lmb_sin(phase + (float)j)));
        if (made->parents[j] == LMB_NONE) {
            out[j].translation.x += 0.2f * lmb_sin(phase);
            out[j].translation.z += 0.05f * (float)f;
        }
    }
    test_rotated_pose(yaw, made, out, out);
}

// ---------------------------------------------------------------------------------------- springs

/// The left arm and the head, which swings against a capsule at the hips and keeps its inertia
/// relative to them; the wind blows aslant.
typedef struct spring_run {
    const lmb_skeleton *skeleton;
    lmb_spring_set *set;
    lmb_springs *springs;
    lmb_transform *pose;
    lmb_mat4 *model;
} spring_run;

static spring_run springs_start(test_yaw yaw, const lmb_skeleton *skeleton)
{
    spring_run s = {.skeleton = skeleton};
    const uint32_t hips = (uint32_t)lmb_skeleton_find(skeleton, "hips"),
                   arm = (uint32_t)lmb_skeleton_find(skeleton, "leftUpperArm"),
                   head = (uint32_t)lmb_skeleton_find(skeleton, "head");
    lmb_spring_joint like = lmb_spring_soft();
    like.gravity = test_rotated_vec3(yaw, lmb_vec3_make(0.6f, -0.7f, 0.387f));
    like.hit_radius = 0.05f;
    lmb_spring_set *first = NULL, *both = NULL;
    assert_int_equal(lmb_spring_set_add_chain(NULL, skeleton, arm, &like, NULL, &first, NULL),
                     LMB_OK);
    like.center = (int32_t)hips;
    assert_int_equal(lmb_spring_set_add_chain(first, skeleton, head, &like, NULL, &both, NULL),
                     LMB_OK);
    lmb_spring_collider beside = {.joint = hips,
                                  .shape = LMB_SPRING_CAPSULE,
                                  .radius = 0.25f,
                                  .offset = test_rotated_axis(yaw, lmb_vec3_make(0.1f, 0, 0.15f)),
                                  .tail = test_rotated_axis(yaw, lmb_vec3_make(0.1f, 0.9f, 0.15f))};
    uint32_t reference = 0;
    lmb_spring_set def = *both;
    def.colliders = &beside;
    def.collider_count = 1;
    def.references = &reference;
    def.reference_count = 1;
    for (uint32_t k = 0; k < def.joint_count; ++k) {
        def.joints[k].first_reference = 0;
        def.joints[k].reference_count = 1;
    }
    assert_int_equal(lmb_spring_set_create(&def, skeleton, NULL, &s.set, NULL), LMB_OK);
    assert_int_equal(lmb_springs_create(s.set, skeleton, NULL, &s.springs, NULL), LMB_OK);
    lmb_spring_set_destroy(first);
    lmb_spring_set_destroy(both);
    s.pose = calloc(skeleton->joint_count, sizeof *s.pose);
    s.model = calloc(skeleton->joint_count, sizeof *s.model);
    return s;
}

static void springs_step(spring_run *s, test_yaw yaw, const lmb_skeleton *made, int f)
{
    moving_pose(yaw, made, f, s->pose);
    lmb_pose_to_model(&(lmb_pose_to_model_job){
        .skeleton = s->skeleton, .local = s->pose, .model_from_joint = s->model});
    lmb_springs_step(&(lmb_springs_step_job){
        .springs = s->springs, .local = s->pose, .model_from_joint = s->model, .dt_s = frame_s});
}

static void springs_end(spring_run *s)
{
    lmb_springs_destroy(s->springs);
    lmb_spring_set_destroy(s->set);
    free(s->pose);
    free(s->model);
}

static void springs_swing_alike(void **state)
{
    (void)state;
    lmb_made_body *body = make_humanoid();
    const lmb_skeleton *made = body->character->skeleton;
    const test_yaw none = {TEST_YAW_NODE, lmb_quat_identity()};
    const int32_t elbow = lmb_skeleton_find(made, "leftLowerArm");
    for (int k = 0; k < TEST_TURNS; ++k) {
        const test_yaw yaw = test_yaw_at(k);
        lmb_skeleton *rotated = test_rotated_skeleton(yaw, made);
        spring_run a = springs_start(none, made), b = springs_start(yaw, rotated);
        assert_true(a.set->joint_count > 3 && a.set->joint_count == b.set->joint_count);
        float swing = 0;
        for (int f = 0; f < 90; ++f) {
            springs_step(&a, none, made, f);
            springs_step(&b, yaw, made, f);
            const float apart = test_rotated_apart(yaw, made, a.pose, rotated, b.pose);
            if (!(apart < 2e-3f)) {
                fail_msg("rotated in way %d, frame %d: %g apart", (int)yaw.how, f, (double)apart);
            }
            swing =
                fmaxf(swing, lmb_quat_angle(a.pose[elbow].rotation, made->rest[elbow].rotation));
        }
        assert_true(swing > 0.2f);
        springs_end(&a);
        springs_end(&b);
        lmb_skeleton_destroy(rotated);
    }
    lmb_made_body_destroy(body);
}

// ------------------------------------------------------------------------------------ soft tissue

/// The first mesh of a character, skinned, with tissue over it.
typedef struct tissue_run {
    const lmb_character *character;
    lmb_deformer *deformer;
    lmb_soft_tissue *tissue;
    lmb_transform *pose;
    lmb_mat4 *model;
    lmb_vec3 *positions, *normals;
    uint32_t vertex_count;
} tissue_run;

static lmb_deformed skin_at(tissue_run *t, const lmb_transform *pose)
{
    lmb_pose_to_model(&(lmb_pose_to_model_job){
        .skeleton = t->character->skeleton, .local = pose, .model_from_joint = t->model});
    lmb_deform(&(lmb_deform_job){.deformer = t->deformer, .model_from_joint = t->model});
    return lmb_deformer_instance(t->deformer, 0);
}

static tissue_run tissue_start(const lmb_character *character)
{
    tissue_run t = {.character = character};
    const lmb_mesh *mesh = character->meshes[0];
    t.pose = calloc(character->skeleton->joint_count, sizeof *t.pose);
    t.model = calloc(character->skeleton->joint_count, sizeof *t.model);
    t.vertex_count = mesh->vertex_count;
    t.positions = calloc(mesh->vertex_count, sizeof *t.positions);
    t.normals = calloc(mesh->vertex_count, sizeof *t.normals);
    assert_int_equal(lmb_deformer_create(character, NULL, &t.deformer, NULL), LMB_OK);
    const lmb_deformed rest = skin_at(&t, character->skeleton->rest);
    const lmb_soft_tissue_def def = {.vertex_count = mesh->vertex_count,
                                     .index_count = mesh->index_count,
                                     .rest = rest.positions,
                                     .indices = mesh->indices,
                                     .region_count = 1};
    assert_int_equal(lmb_soft_tissue_create(&def, NULL, &t.tissue, NULL), LMB_OK);
    return t;
}

/// Returns how far tissue is from the skin at most.
static float tissue_step(tissue_run *t, test_yaw yaw, const lmb_skeleton *made, int f)
{
    lmb_soft_tissue_report report;
    moving_pose(yaw, made, f, t->pose);
    const lmb_deformed skin = skin_at(t, t->pose);
    lmb_soft_tissue_step(&(lmb_soft_tissue_step_job){.tissue = t->tissue,
                                                     .targets = skin.positions,
                                                     .dt_s = f > 0 ? frame_s : 0,
                                                     .positions = t->positions});
    lmb_soft_tissue_normals(&(lmb_soft_tissue_normals_job){.tissue = t->tissue,
                                                           .targets = skin.positions,
                                                           .positions = t->positions,
                                                           .normals = skin.normals,
                                                           .out = t->normals});
    lmb_soft_tissue_measure(t->tissue, &report);
    return report.offset_m;
}

static void tissue_end(tissue_run *t)
{
    lmb_soft_tissue_destroy(t->tissue);
    lmb_deformer_destroy(t->deformer);
    free(t->pose);
    free(t->model);
    free(t->positions);
    free(t->normals);
}

static void soft_tissue_swings_alike(void **state)
{
    (void)state;
    lmb_made_body *body = make_humanoid();
    const lmb_character *made = body->character;
    const test_yaw none = {TEST_YAW_NODE, lmb_quat_identity()};
    for (int k = 0; k < TEST_TURNS; ++k) {
        const test_yaw yaw = test_yaw_at(k);
        lmb_character *rotated = test_rotated_character(yaw, made);
        tissue_run a = tissue_start(made), b = tissue_start(rotated);
        float offset = 0;
        for (int f = 0; f < 30; ++f) {
            const float x = tissue_step(&a, none, made->skeleton, f),
                        y = tissue_step(&b, yaw, made->skeleton, f);
            assert_true(fabsf(x - y) < 1e-3f);
            offset = fmaxf(offset, x);
            for (uint32_t v = 0; v < a.vertex_count; ++v) {
                const float off = lmb_vec3_distance(test_rotated_vec3(yaw, a.positions[v]),
                                                    b.positions[v]),
                            tilt = lmb_vec3_distance(test_rotated_vec3(yaw, a.normals[v]),
                                                     b.normals[v]);
                if (!(off < 1e-3f && tilt < 0.05f)) {
                    fail_msg("rotated in way %d, frame %d, vertex %u: %g m apart, normals %g",
                             (int)yaw.how, f, (unsigned)v, (double)off, (double)tilt);
                }
            }
        }
        assert_true(offset > 0.01f);
        tissue_end(&a);
        tissue_end(&b);
        lmb_character_destroy(rotated);
    }
    lmb_made_body_destroy(body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ragdolls_fall_alike),
        cmocka_unit_test(springs_swing_alike),
        cmocka_unit_test(soft_tissue_swings_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
