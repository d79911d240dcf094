#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "geometry/shapes.h"
#include "geometry/tree.h"
#include "limber/rig.h"
#include "rig/rig.h"

enum { MOST = 12 };

typedef struct tree_of_joints {
    uint32_t count;
    int32_t parents[MOST];
    lmb_transform rest[MOST];
    const char *names[MOST];
    lmb_vec3 tips[MOST];
} tree_of_joints;

static void add_joint(tree_of_joints *t, int32_t parent, float x, float y, float z)
{
    t->parents[t->count] = parent;
    t->rest[t->count] = lmb_transform_identity();
    t->rest[t->count].translation = lmb_vec3_make(x, y, z);
    t->names[t->count++] = "joint";
}

static lmbi_bones *bones_of(tree_of_joints *t, const uint8_t *deforms, const lmb_surface *surface)
{
    lmb_skeleton s = {.joint_count = t->count,
                      .parents = t->parents,
                      .rest = t->rest,
                      .names = t->names,
                      .tips = t->tips};
    lmbi_tree *tree = NULL;
    lmbi_bones *bones = NULL;
    if (surface) {
        assert_int_equal(lmbi_tree_create(surface, NULL, &tree, NULL), LMB_OK);
    }
    assert_int_equal(
        lmbi_bones_create(
            &(lmbi_bones_def){.skeleton = &s, .deforms = deforms, .surface = surface, .tree = tree},
            NULL, &bones, NULL),
        LMB_OK);
    lmbi_tree_destroy(tree);
    return bones;
}

static void assert_bone(const lmbi_bones *b, uint32_t i, uint32_t joint, lmb_vec3 head,
                        lmb_vec3 tail)
{
    assert_true(i < b->count);
    assert_int_equal(b->items[i].joint, joint);
    assert_true(lmb_vec3_distance(b->items[i].head, head) < 1e-5f);
    assert_true(lmb_vec3_distance(b->items[i].tail, tail) < 1e-5f);
}

static void bones_run_from_joint_to_child(void **state)
{
    (void)state;
    tree_of_joints t = {0};
    add_joint(&t, LMB_NONE, 0, 1, 0); // two children: two bones
    add_joint(&t, 0, 1, 0, 0);
    add_joint(&t, 0, -1, 0, 0);
    add_joint(&t, 1, 1, 0, 0);
    t.tips[3] = lmb_vec3_make(0, 0.5f, 0);
    lmbi_bones *b = bones_of(&t, NULL, NULL);
    assert_int_equal(b->count, 5);
    assert_bone(b, 0, 0, lmb_vec3_make(0, 1, 0), lmb_vec3_make(1, 1, 0));
    // fewer joints lie in that direction
    assert_bone(b, 1, 0, lmb_vec3_make(0, 1, 0), lmb_vec3_make(-0.75f, 1, 0));
    assert_bone(b, 2, 1, lmb_vec3_make(1, 1, 0), lmb_vec3_make(2, 1, 0));
    assert_bone(b, 3, 2, lmb_vec3_make(-1, 1, 0),
                lmb_vec3_make(-1, 1, 0)); // a leaf without tip or mesh is a point
    assert_bone(b, 4, 3, lmb_vec3_make(2, 1, 0), lmb_vec3_make(2, 1.5f, 0));
    lmbi_bones_destroy(b);
}

static void what_does_not_deform_is_passed_over(void **state)
{
    (void)state;
    tree_of_joints t = {0};
    const uint8_t deforms[5] = {0, 1, 0, 1, 0};
    add_joint(&t, LMB_NONE, 0, 0, 0);
    add_joint(&t, 0, 1, 0, 0);
    add_joint(&t, 1, 1, 0, 0);
    add_joint(&t, 2, 1, 0, 0);
    add_joint(&t, 3, 1, 0, 0);
    lmbi_bones *b = bones_of(&t, deforms, NULL);
    assert_int_equal(b->count, 2);
    assert_bone(b, 0, 1, lmb_vec3_make(1, 0, 0), lmb_vec3_make(3, 0, 0));
    assert_bone(b, 1, 3, lmb_vec3_make(3, 0, 0), lmb_vec3_make(4, 0, 0)); // to its end joint
    lmbi_bones_destroy(b);
}

static lmb_transform rotated(float x, float y, float z, lmb_vec3 axis, float angle)
{
    lmb_transform t = lmb_transform_identity();
    t.translation = lmb_vec3_make(x, y, z);
    t.rotation = lmb_quat_axis_angle(axis, angle);
    return t;
}

/// A leg whose foot hangs on the root, as where inverse kinematics moves it: all bones lie along +y, so the shin's ends
/// at the foot, and the foot's goes forward to an end joint.
static void bones_follow_the_axis_that_joints_share(void **state)
{
    (void)state;
    const lmb_vec3 x = {1, 0, 0};
    tree_of_joints t = {0};
    const uint8_t deforms[6] = {0, 1, 1, 1, 1, 0};
    add_joint(&t, LMB_NONE, 0, 0, 0);
    add_joint(&t, 0, 0, 0, 0);
    t.rest[1] = rotated(0, 3, 0, x, LMB_PI); // down
    add_joint(&t, 1, 0, 1, 0);
    add_joint(&t, 2, 0, 1, 0); // the shin, at a height of 1
    add_joint(&t, 0, 0, 0, 0);
    t.rest[4] = rotated(0, 0.1f, 0, x, LMB_PI / 2); // forward
    add_joint(&t, 4, 0, 0.7f, 0);
    lmbi_bones *b = bones_of(&t, deforms, NULL);
    assert_int_equal(b->count, 4);
    assert_bone(b, 2, 3, lmb_vec3_make(0, 1, 0), lmb_vec3_make(0, 0.1f, 0));
    assert_bone(b, 3, 4, lmb_vec3_make(0, 0.1f, 0), lmb_vec3_make(0, 0.1f, 0.7f));
    lmbi_bones_destroy(b);
}

/// A spine along +y that goes on in a neck: bones to the arms beside it end halfway. Without the neck the same arms are
/// what the spine leads to.
static void a_bone_that_goes_on_leaves_the_sides_half(void **state)
{
    (void)state;
    for (int with_neck = 0; with_neck < 2; ++with_neck) {
        tree_of_joints t = {0};
        add_joint(&t, LMB_NONE, 0, 0, 0);
        add_joint(&t, 0, 0, 1, 0);
        add_joint(&t, 1, 0, 1, 0);
        add_joint(&t, 2, 0, 1, 0);
        for (int side = -1; side <= 1; side += 2) { // upper arms and forearms
            add_joint(&t, 3, 0, 0, 0);
            t.rest[t.count - 1] =
                rotated((float)side, 0, 0, (lmb_vec3){0, 0, 1}, -(float)side * LMB_PI / 2);
            add_joint(&t, (int32_t)t.count - 1, 0, 1, 0);
        }
        if (with_neck) {
            add_joint(&t, 3, 0, 0.5f, 0);
        }
        lmbi_bones *b = bones_of(&t, NULL, NULL);
        const float fraction = with_neck ? 0.5f : 0.75f;
        assert_bone(b, 3, 3, lmb_vec3_make(0, 3, 0), lmb_vec3_make(-fraction, 3, 0));
        assert_bone(b, 4, 3, lmb_vec3_make(0, 3, 0), lmb_vec3_make(fraction, 3, 0));
        lmbi_bones_destroy(b);
    }
}

/// Joints that are not turned share no axis, though most of their bones go down: the end of a tail is where it was.
static void joints_that_are_not_rotated_share_no_axis(void **state)
{
    (void)state;
    tree_of_joints t = {0};
    const uint8_t deforms[9] = {1, 1, 1, 1, 1, 1, 1, 1, 0};
    add_joint(&t, LMB_NONE, 0, 9, 0);
    for (int k = 0; k < 7; ++k) {
        add_joint(&t, k, 0, -1, k == 6 ? -1.0f : 0);
    }
    add_joint(&t, 0, 0, -9, -1); // below the last one
    lmbi_bones *b = bones_of(&t, deforms, NULL);
    assert_bone(b, b->count - 1, 7, lmb_vec3_make(0, 2, -1), lmb_vec3_make(0, 2, -1));
    lmbi_bones_destroy(b);
}

/// Short distances from a wrist to the metacarpals are mostly theirs; long ones, to where fingers begin,
/// are the palm's.
static void a_wrist_leaves_the_metacarpals_their_volume(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k) {
        const float length = k ? 1 : 0.5f, fraction = k ? 0.75f : 0.25f;
        tree_of_joints t = {0};
        add_joint(&t, LMB_NONE, 0, 0, 0);
        for (int finger = -1; finger <= 1; ++finger) {
            add_joint(&t, 0, length, 0.1f * (float)finger, 0);
            add_joint(&t, (int32_t)t.count - 1, 1, 0, 0);
        }
        lmbi_bones *b = bones_of(&t, NULL, NULL);
        for (int finger = -1; finger <= 1; ++finger) {
            assert_bone(b, (uint32_t)(finger + 1), 0, lmb_vec3_make(0, 0, 0),
                        lmb_vec3_make(fraction * length, fraction * 0.1f * (float)finger, 0));
        }
        lmbi_bones_destroy(b);
    }
}

/// A socket stands across the bone and is no end; an end joint goes on.
static void a_socket_is_no_end(void **state)
{
    (void)state;
    tree_of_joints t = {0};
    const uint8_t deforms[4] = {1, 1, 0, 0};
    add_joint(&t, LMB_NONE, 0, 0, 0);
    add_joint(&t, 0, 1, 0, 0);
    add_joint(&t, 1, 0, 0.5f, 0);
    add_joint(&t, 1, 0.25f, 0.1f, 0);
    lmbi_bones *b = bones_of(&t, deforms, NULL);
    assert_int_equal(b->count, 2);
    assert_bone(b, 1, 1, lmb_vec3_make(1, 0, 0), lmb_vec3_make(1.25f, 0.1f, 0));
    lmbi_bones_destroy(b);
}

/// A foot that hangs on its goal, and not on the shin, ends the shin all the same.
static void a_chain_ahead_ends_a_leaf(void **state)
{
    (void)state;
    tree_of_joints t = {0};
    const uint8_t deforms[5] = {0, 1, 1, 1, 1};
    add_joint(&t, LMB_NONE, 0, 0, 0);
    add_joint(&t, 0, 0, 2, 0);       // thigh
    add_joint(&t, 1, 0, -1, 0);      // shin
    add_joint(&t, 0, 0.1f, 0.1f, 0); // foot, ahead of the shin
    add_joint(&t, 0, 1, 1, 0);       // nearer, but aside
    lmbi_bones *b = bones_of(&t, deforms, NULL);
    assert_bone(b, 0, 1, lmb_vec3_make(0, 2, 0), lmb_vec3_make(0, 1, 0));
    assert_bone(b, 1, 2, lmb_vec3_make(0, 1, 0), lmb_vec3_make(0.1f, 0.1f, 0));
    lmbi_bones_destroy(b);
}

/// Joints without hierarchy, each with its y axis along the finger: a hand of WebXR.
static void siblings_along_their_axes_are_chains(void **state)
{
    (void)state;
    tree_of_joints t = {0};
    const uint8_t deforms[7] = {0, 1, 1, 0, 1, 1, 0};
    const lmb_quat quarter = lmb_quat_axis_angle(lmb_vec3_make(0, 0, 1), -LMB_PI / 2);
    add_joint(&t, LMB_NONE, 0, 0, 0);
    for (uint32_t k = 0; k < 6; ++k) { // y rotated to +x
        add_joint(&t, 0, (float)(k % 3), k < 3 ? 0 : 0.5f, 0);
        t.rest[k + 1].rotation = quarter;
    }
    lmbi_bones *b = bones_of(&t, deforms, NULL);
    assert_int_equal(b->count, 4);
    assert_bone(b, 0, 1, lmb_vec3_make(0, 0, 0), lmb_vec3_make(1, 0, 0));
    assert_bone(b, 1, 2, lmb_vec3_make(1, 0, 0), lmb_vec3_make(2, 0, 0));
    assert_bone(b, 2, 4, lmb_vec3_make(0, 0.5f, 0), lmb_vec3_make(1, 0.5f, 0));
    assert_bone(b, 3, 5, lmb_vec3_make(1, 0.5f, 0), lmb_vec3_make(2, 0.5f, 0));
    lmbi_bones_destroy(b);
}

/// A root on the floor, hips above it inside the sphere, a twin of the hips at the same position, and
/// a leaf.
static void a_root_on_the_floor_gets_no_bone_and_leaves_reach_into_the_volume(void **state)
{
    (void)state;
    shape made = shape_sphere(24, 12);
    lmb_surface *s = shape_surface(&made);
    tree_of_joints t = {0};
    add_joint(&t, LMB_NONE, 0, 0, -3);
    add_joint(&t, 0, 0, 0, 2.5f);
    add_joint(&t, 1, 0, 0, 0);
    add_joint(&t, 2, 0, 0, 0.5f);
    lmbi_bones *b = bones_of(&t, NULL, s);
    assert_int_equal(b->count, 2);
    assert_bone(b, 0, 2, lmb_vec3_make(0, 0, -0.5f), lmb_vec3_make(0, 0, 0));
    assert_int_equal(b->items[1].joint, 3);
    assert_true(b->items[1].tail.z > 0.5f && b->items[1].tail.z < 1 &&
                fabsf(b->items[1].tail.x) < 0.05f);
    lmbi_bones_destroy(b);
    lmb_surface_destroy(s);
    shape_free(&made);
}

static void joints_all_at_one_position_leave_a_point(void **state)
{
    (void)state;
    tree_of_joints t = {0};
    add_joint(&t, LMB_NONE, 1, 2, 3);
    add_joint(&t, 0, 0, 0, 0);
    add_joint(&t, 1, 0, 0, 0);
    lmbi_bones *b = bones_of(&t, NULL, NULL);
    assert_int_equal(b->count, 1);
    assert_bone(b, 0, 2, lmb_vec3_make(1, 2, 3), lmb_vec3_make(1, 2, 3));
    lmbi_bones_destroy(b);
}

static void no_deforming_joint_is_refused(void **state)
{
    (void)state;
    tree_of_joints t = {0};
    const uint8_t deforms[1] = {0};
    add_joint(&t, LMB_NONE, 0, 0, 0);
    lmb_skeleton s = {.joint_count = 1, .parents = t.parents, .rest = t.rest, .names = t.names};
    lmbi_bones *bones = NULL;
    assert_int_equal(lmbi_bones_create(&(lmbi_bones_def){.skeleton = &s, .deforms = deforms}, NULL,
                                       &bones, NULL),
                     LMB_ERROR_INVALID);
    assert_null(bones);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bones_run_from_joint_to_child),
        cmocka_unit_test(what_does_not_deform_is_passed_over),
        cmocka_unit_test(bones_follow_the_axis_that_joints_share),
        cmocka_unit_test(a_bone_that_goes_on_leaves_the_sides_half),
        cmocka_unit_test(joints_that_are_not_rotated_share_no_axis),
        cmocka_unit_test(a_wrist_leaves_the_metacarpals_their_volume),
        cmocka_unit_test(a_socket_is_no_end),
        cmocka_unit_test(a_chain_ahead_ends_a_leaf),
        cmocka_unit_test(siblings_along_their_axes_are_chains),
        cmocka_unit_test(a_root_on_the_floor_gets_no_bone_and_leaves_reach_into_the_volume),
        cmocka_unit_test(joints_all_at_one_position_leave_a_point),
        cmocka_unit_test(no_deforming_joint_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
