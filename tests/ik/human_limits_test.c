// The limits of a human body on made skeletons: what an arm and a leg can do and cannot, however
// the arms rest.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "asset/asset.h"
#include "ik/parent_from_joint.h"
#include "limber/ik.h"
#include "near.h"

#define DEGREE (LMB_PI / 180.0f)

enum {
    HIPS,
    SPINE,
    CHEST,
    NECK,
    HEAD,
    L_ARM,
    L_ELBOW,
    L_HAND,
    L_THUMB,
    L_FINGER,
    L_FINGER_2,
    R_ARM,
    R_ELBOW,
    R_HAND,
    L_LEG,
    L_KNEE,
    L_FOOT,
    L_TOES,
    R_LEG,
    R_KNEE,
    R_FOOT,
    R_TOES,
    JOINTS
};

static const lmb_body_part parts[JOINTS] = {
    LMB_PART_HIPS,      LMB_PART_SPINE,     LMB_PART_SPINE,     LMB_PART_NECK,
    LMB_PART_NECK,      LMB_PART_UPPER_ARM, LMB_PART_LOWER_ARM, LMB_PART_HAND,
    LMB_PART_THUMB,     LMB_PART_FINGER,    LMB_PART_FINGER,    LMB_PART_UPPER_ARM,
    LMB_PART_LOWER_ARM, LMB_PART_HAND,      LMB_PART_UPPER_LEG, LMB_PART_LOWER_LEG,
    LMB_PART_FOOT,      LMB_PART_TOES,      LMB_PART_UPPER_LEG, LMB_PART_LOWER_LEG,
    LMB_PART_FOOT,      LMB_PART_TOES,
};
static int32_t parents[JOINTS] = {-1,     HIPS,   SPINE,    CHEST, NECK,   CHEST,   L_ARM, L_ELBOW,
                                  L_HAND, L_HAND, L_FINGER, CHEST, R_ARM,  R_ELBOW, HIPS,  L_LEG,
                                  L_KNEE, L_FOOT, HIPS,     R_LEG, R_KNEE, R_FOOT};
static lmb_transform rest[JOINTS];
static const char *names[JOINTS];
static lmb_joint_limit limits[JOINTS];
static const lmb_skeleton skeleton = {
    .joint_count = JOINTS, .parents = parents, .rest = rest, .names = names};

static lmb_vec3 v3(float x, float y, float z)
{
    return lmb_vec3_make(x, y, z);
}

static lmb_quat about(float x, float y, float z, float degrees)
{
    return lmb_quat_axis_angle(v3(x, y, z), degrees * DEGREE);
}

/// Where the joints of a body rest whose arms are `down` degrees below level.
static void find_positions(float down, lmb_vec3 *out)
{
    const float s = lmb_sin(down * DEGREE), c = lmb_cos(down * DEGREE);
    const lmb_vec3 positions[JOINTS] = {
        [HIPS] = {0, 1, 0},
        [SPINE] = {0, 1.1f, 0},
        [CHEST] = {0, 1.3f, 0},
        [NECK] = {0, 1.5f, 0},
        [HEAD] = {0, 1.6f, 0},
        [L_ARM] = {0.2f, 1.45f, 0},
        [L_ELBOW] = {0.2f + 0.3f * c, 1.45f - 0.3f * s, 0},
        [L_HAND] = {0.2f + 0.55f * c, 1.45f - 0.55f * s, 0},
        [L_THUMB] = {0.2f + 0.58f * c, 1.45f - 0.58f * s, 0.03f},
        [L_FINGER] = {0.2f + 0.63f * c, 1.45f - 0.63f * s, 0},
        [L_FINGER_2] = {0.2f + 0.67f * c, 1.45f - 0.67f * s, 0},
        [R_ARM] = {-0.2f, 1.45f, 0},
        [R_ELBOW] = {-0.2f - 0.3f * c, 1.45f - 0.3f * s, 0},
        [R_HAND] = {-0.2f - 0.55f * c, 1.45f - 0.55f * s, 0},
        [L_LEG] = {0.1f, 0.95f, 0},
        [L_KNEE] = {0.1f, 0.5f, 0.01f},
        [L_FOOT] = {0.1f, 0.08f, 0},
        [L_TOES] = {0.1f, 0.02f, 0.13f},
        [R_LEG] = {-0.1f, 0.95f, 0},
        [R_KNEE] = {-0.1f, 0.5f, 0.01f},
        [R_FOOT] = {-0.1f, 0.08f, 0},
        [R_TOES] = {-0.1f, 0.02f, 0.13f},
    };
    for (int j = 0; j < JOINTS; ++j) {
        out[j] = positions[j];
    }
}

/// The body with its joints there, every joint's axes rolled by its own amount.
static void place_body(const lmb_vec3 *positions, float rolled)
{
    lmb_transform model[JOINTS];
    for (int j = 0; j < JOINTS; ++j) {
        model[j] = (lmb_transform){
            positions[j],
            lmb_quat_axis_angle(lmb_vec3_normalize_or(v3(1, 2, (float)(j % 3)), v3(1, 0, 0)),
                                rolled * (float)j),
            {1, 1, 1}};
        names[j] = "joint";
        rest[j] = parent_from_joint(model, parents, j);
    }
    lmb_human_limits(&skeleton, parts, lmb_vec3_make(0, 0, 1), limits);
}

static void make_body(float down, float rolled)
{
    lmb_vec3 positions[JOINTS];
    find_positions(down, positions);
    place_body(positions, rolled);
}

/// How far, in degrees, a rotation given in the model exceeds the joint's limit while everything
/// else rests.
static float out_by(uint32_t joint, lmb_quat rotation)
{
    lmb_transform above = lmb_transform_identity();
    for (int32_t p = parents[joint]; p >= 0; p = parents[p]) {
        above = lmb_transform_mul(rest[p], above);
    }
    lmb_transform local = rest[joint];
    const lmb_quat model = lmb_quat_mul(rotation, lmb_quat_mul(above.rotation, local.rotation));
    local.rotation = lmb_quat_mul(lmb_quat_conjugate(above.rotation), model);
    return lmbi_joint_limit_excess(&limits[joint], rest[joint], local, NULL) / DEGREE;
}

static void elbows_and_knees(void **state)
{
    (void)state;
    for (int k = 0; k < 4; ++k) {
        make_body(k % 2 ? 45 : 0, k < 2 ? 0 : 0.7f);
        const lmb_vec3 left =
            lmb_vec3_normalize_or(k % 2 ? v3(-1, -1, 0) : v3(0, -1, 0), v3(1, 0, 0));
        // The seeds' elbow: not past 150 degrees, and not the other way.
        nearf(out_by(L_ELBOW, about(left.x, left.y, 0, 149)), 0, 0.01f);
        nearf(out_by(L_ELBOW, about(left.x, left.y, 0, 170)), 20, 0.01f);
        nearf(out_by(L_ELBOW, about(left.x, left.y, 0, -20)), 20, 0.01f);
        nearf(out_by(R_ELBOW, about(-left.x, left.y, 0, -100)), 0, 0.01f);
        nearf(out_by(R_ELBOW, about(-left.x, left.y, 0, 30)), 30, 0.01f);
        for (uint32_t j = L_KNEE; j <= R_KNEE; j += R_KNEE - L_KNEE) {
            assert_true(out_by(j, about(1, 0, 0, 140)) < 0.01f &&
                        out_by(j, about(1, 0, 0, -30)) > 25 && out_by(j, about(0, 0, 1, 30)) > 25);
        }
    }
}

/// Forearms that hang from level arms are bent by 90 degrees, to the side of where elbows bend
/// forward; knees that are bent forward bend so.
static void joints_bend_as_they_are_bent_at_rest(void **state)
{
    (void)state;
    lmb_vec3 positions[JOINTS];
    find_positions(0, positions);
    positions[L_HAND] = lmb_vec3_add(positions[L_ELBOW], v3(0, -0.25f, -0.01f));
    positions[R_HAND] = lmb_vec3_add(positions[R_ELBOW], v3(0, -0.25f, 0.01f));
    positions[L_FOOT] = lmb_vec3_add(positions[L_KNEE], v3(0, -0.3f, 0.3f));
    place_body(positions, 0.7f);
    for (uint32_t j = L_ELBOW; j <= R_ELBOW; j += R_ELBOW - L_ELBOW) {
        const float out = j == L_ELBOW ? 1.0f : -1.0f;
        nearf(out_by(j, about(0, 0, out, 85)), 0, 5);
        nearf(out_by(j, about(0, 0, out, 120)), 30, 5);
        nearf(out_by(j, about(0, 0, -out, 55)), 0, 5);
        nearf(out_by(j, about(0, 0, -out, 90)), 30, 5);
    }
    nearf(out_by(L_KNEE, about(1, 0, 0, 40)), 0, 5);
    nearf(out_by(L_KNEE, about(1, 0, 0, 75)), 30, 5);
    nearf(out_by(L_KNEE, about(1, 0, 0, -100)), 0, 5);
}

/// Feet that are controls hang from the root; the knees are those of a body whose feet do not.
static void knees_end_at_feet_that_hang_elsewhere(void **state)
{
    (void)state;
    lmb_vec3 positions[JOINTS];
    find_positions(0, positions);
    positions[L_FOOT] = lmb_vec3_add(positions[L_KNEE], v3(0, -0.3f, -0.3f));
    place_body(positions, 0.7f);
    const lmb_joint_limit whole = limits[L_KNEE];
    parents[L_FOOT] = parents[R_FOOT] = HIPS;
    place_body(positions, 0.7f);
    nearf(limits[L_KNEE].twist_min_rad, whole.twist_min_rad, 1e-5f);
    nearf(limits[L_KNEE].twist_max_rad, whole.twist_max_rad, 1e-5f);
    nearf(lmb_vec3_distance(limits[L_KNEE].axis, whole.axis), 0, 1e-5f);
    parents[L_FOOT] = L_KNEE;
    parents[R_FOOT] = R_KNEE;
}

static void arms_reach_the_same_positions_however_they_rest(void **state)
{
    (void)state;
    for (int k = 0; k < 4; ++k) {
        const float down = 20.0f * (float)k;
        make_body(down, 0.4f);
        // From level: 90 up and 90 down are in reach, 120 either way is not.
        nearf(out_by(L_ARM, about(0, 0, 1, down + 90)), 0, 0.01f);
        nearf(out_by(L_ARM, about(0, 0, 1, down - 95)), 0, 0.01f);
        assert_true(out_by(L_ARM, about(0, 0, 1, down + 125)) > 20 &&
                    out_by(L_ARM, about(0, 0, 1, down - 125)) > 20);
        nearf(out_by(R_ARM, about(0, 0, -1, down + 90)), 0, 0.01f);
        if (k == 0) {
            assert_true(out_by(L_ARM, about(0, 1, 0, -120)) < 0.01f &&
                        out_by(L_ARM, about(0, 1, 0, 80)) > 25);
            assert_true(out_by(R_ARM, about(0, 1, 0, 120)) < 0.01f &&
                        out_by(R_ARM, about(0, 1, 0, -80)) > 25);
        }
    }
}

static void legs_feet_and_fingers(void **state)
{
    (void)state;
    make_body(0, 0.5f);
    assert_true(out_by(L_LEG, about(1, 0, 0, -110)) < 0.01f &&
                out_by(L_LEG, about(1, 0, 0, 60)) > 20);
    assert_true(out_by(L_LEG, about(0, 0, 1, 43)) < 0.01f &&
                out_by(L_LEG, about(0, 0, 1, -43)) > 10);
    assert_true(out_by(R_LEG, about(0, 0, 1, -43)) < 0.01f &&
                out_by(R_LEG, about(0, 0, 1, 43)) > 10);
    assert_true(out_by(L_FOOT, about(1, 0, 0, 45)) < 0.01f &&
                out_by(L_FOOT, about(1, 0, 0, -45)) > 10);
    // The palm faces down: fingers close downward.
    assert_true(out_by(L_FINGER, about(0, 0, 1, -80)) < 0.01f &&
                out_by(L_FINGER, about(0, 0, 1, 80)) > 30);
    assert_true(out_by(L_FINGER_2, about(0, 0, 1, -100)) < 0.01f &&
                out_by(L_FINGER_2, about(0, 0, 1, 20)) > 10);
    nearf(out_by(HIPS, about(0, 1, 0, 179)), 0, 0.01f);
    assert_true(out_by(SPINE, about(1, 0, 0, 50)) < 0.01f &&
                out_by(SPINE, about(1, 0, 0, -50)) > 20);
}

static void the_rest_pose_is_inside(void **state)
{
    (void)state;
    for (int k = 0; k < 10; ++k) {
        make_body(9.0f * (float)k, 0.3f * (float)k);
        for (uint32_t j = 0; j < JOINTS; ++j) {
            nearf(lmbi_joint_limit_excess(&limits[j], rest[j], rest[j], NULL), 0, 1e-6f);
        }
        lmb_skeleton *made = NULL;
        lmb_skeleton def = skeleton;
        def.limits = limits;
        assert_int_equal(lmb_skeleton_create(&def, NULL, &made, NULL), LMB_OK);
        lmb_skeleton_destroy(made);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elbows_and_knees),
        cmocka_unit_test(joints_bend_as_they_are_bent_at_rest),
        cmocka_unit_test(knees_end_at_feet_that_hang_elsewhere),
        cmocka_unit_test(arms_reach_the_same_positions_however_they_rest),
        cmocka_unit_test(legs_feet_and_fingers),
        cmocka_unit_test(the_rest_pose_is_inside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
