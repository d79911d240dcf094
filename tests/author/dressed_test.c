/// What characters hold, wear and grow, put on a figure one at a time: its joints stay where they
/// are. And toys of blocks, whose limbs only their pieces tell apart.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "embed/capsules.h"
#include "embed/stickman.h"
#include "mapping/body_joint.h"

static const lmb_vec3 LEFT_FIST = {0.6f, 0.96f, 0.015f}, RIGHT_FIST = {-0.6f, 0.96f, 0.015f};

/// A box whose middle line runs from a to b; half as wide as told along `wide` and across it.
static void add_bar(capsules *s, lmb_vec3 a, lmb_vec3 b, lmb_vec3 wide, float half_wide,
                    float half_thick)
{
    static const uint32_t faces[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                       2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
    const lmb_vec3 along = lmb_vec3_normalize_or(lmb_vec3_sub(b, a), lmb_vec3_make(0, 1, 0));
    const lmb_vec3 thick = lmb_vec3_normalize_or(lmb_vec3_cross(along, wide), along);
    for (uint32_t k = 0; k < 36; ++k) {
        s->triangles[3 * (size_t)s->triangle_count + k] = s->point_count + faces[k];
    }
    s->triangle_count += 12;
    for (uint32_t k = 0; k < 8; ++k) {
        lmb_vec3 p = lmb_vec3_mad(k & 2 ? b : a, wide, k & 1 ? half_wide : -half_wide);
        s->points[s->point_count++] = lmb_vec3_mad(p, thick, k & 4 ? half_thick : -half_thick);
    }
}

static void add_sword(capsules *s, lmb_vec3 fist, lmb_vec3 along, float length)
{
    const lmb_vec3 wide = lmb_vec3_any_perpendicular(along),
                   guard = lmb_vec3_mad(fist, along, 0.1f);
    add_bar(s, lmb_vec3_mad(fist, along, -0.12f), lmb_vec3_mad(fist, along, length), wide, 0.035f,
            0.016f);
    add_bar(s, lmb_vec3_mad(guard, wide, -0.1f), lmb_vec3_mad(guard, wide, 0.1f), along, 0.02f,
            0.02f);
}

static void hold_a_sword(capsules *s)
{
    add_sword(s, RIGHT_FIST, lmb_vec3_make(0, 0.196116f, 0.980581f), 0.8f);
}

static void hold_a_staff(capsules *s)
{
    add_capsule(s, lmb_vec3_make(-0.6f, 0, 0.015f), lmb_vec3_make(-0.6f, 2, 0.015f), 0.025f,
                0.025f);
}

static void hold_sword_and_shield(capsules *s)
{
    hold_a_sword(s);
    add_bar(s, lmb_vec3_make(0.56f, 0.92f, 0.02f), lmb_vec3_make(0.56f, 1.26f, 0.02f),
            lmb_vec3_make(0, 0, 1), 0.17f, 0.025f);
}

static void hold_two_swords(capsules *s)
{
    add_sword(s, LEFT_FIST, lmb_vec3_make(0, 0, 1), 0.7f);
    add_sword(s, RIGHT_FIST, lmb_vec3_make(0, 0, 1), 0.7f);
}

static void wear_a_cape(capsules *s)
{
    add_bar(s, lmb_vec3_make(0, 1.47f, -0.13f), lmb_vec3_make(0, 0.3f, -0.3f),
            lmb_vec3_make(1, 0, 0), 0.28f, 0.015f);
    add_bar(s, lmb_vec3_make(0, 1.46f, -0.14f), lmb_vec3_make(0, 1.44f, 0), lmb_vec3_make(1, 0, 0),
            0.15f, 0.03f);
    hold_a_sword(s);
}

static void wear_a_skirt(capsules *s)
{
    add_capsule(s, lmb_vec3_make(0, 0.75f, 0), lmb_vec3_make(0, 1.1f, 0), 0.26f, 0.14f);
}

/// Down to the ground, with the feet in it.
static void wear_a_robe(capsules *s)
{
    add_capsule(s, lmb_vec3_make(0, 0.2f, 0.02f), lmb_vec3_make(0, 1.1f, 0), 0.2f, 0.14f);
}

static void grow_wings(capsules *s)
{
    for (int side = -1; side <= 1; side += 2) {
        const float x = (float)side;
        const lmb_vec3 root = {0.06f * x, 1.35f, -0.1f}, bend = {0.5f * x, 1.6f, -0.35f},
                       tip = {1.0f * x, 1.5f, -0.45f};
        add_capsule(s, root, bend, 0.04f, 0.035f);
        add_capsule(s, bend, tip, 0.035f, 0.02f);
        add_bar(s, lmb_vec3_make(0.1f * x, 1.25f, -0.14f), lmb_vec3_make(0.9f * x, 1.3f, -0.44f),
                lmb_vec3_make(0, 1, 0), 0.22f, 0.015f);
    }
}

static void grow_a_tail(capsules *s)
{
    add_capsule(s, lmb_vec3_make(0, 0.98f, -0.05f), lmb_vec3_make(0, 0.5f, -0.4f), 0.08f, 0.06f);
    add_capsule(s, lmb_vec3_make(0, 0.5f, -0.4f), lmb_vec3_make(0, 0.3f, -0.9f), 0.06f, 0.02f);
}

static void grow_antlers(capsules *s)
{
    for (int side = -1; side <= 1; side += 2) {
        const float x = (float)side;
        const lmb_vec3 bend = {0.25f * x, 2.0f, 0};
        add_capsule(s, lmb_vec3_make(0.05f * x, 1.75f, 0), bend, 0.025f, 0.025f);
        add_capsule(s, bend, lmb_vec3_make(0.5f * x, 2.2f, 0), 0.025f, 0.015f);
        add_capsule(s, bend, lmb_vec3_make(0.2f * x, 2.3f, 0), 0.025f, 0.015f);
    }
}

static void clothes_and_things_leave_the_joints(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        void (*put_on)(capsules *s);
        float mean, worst; ///< distance of a joint, in metres
    } cases[] = {{"sword", hold_a_sword, 0.04f, 0.11f},
                 {"staff", hold_a_staff, 0.05f, 0.11f},
                 {"sword and shield", hold_sword_and_shield, 0.05f, 0.14f},
                 {"two swords", hold_two_swords, 0.05f, 0.14f},
                 {"cape and sword", wear_a_cape, 0.05f, 0.11f},
                 {"skirt", wear_a_skirt, 0.05f, 0.11f},
                 {"robe", wear_a_robe, 0.06f, 0.14f},
                 {"wings", grow_wings, 0.07f, 0.11f},
                 {"tail", grow_a_tail, 0.04f, 0.11f},
                 {"antlers", grow_antlers, 0.05f, 0.11f}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; ++c) {
        capsules *s = make_stickman();
        cases[c].put_on(s);
        const lmb_embedding e = embedded(s);
        if (e.kind == LMB_SKELETON_BIRD && cases[c].put_on == grow_wings) {
            // A figure with wings as wide as it is tall may be a bird, in doubt.
            assert_true(e.overall < 0.6f);
            free(s);
            continue;
        }
        if (e.kind != LMB_SKELETON_HUMAN) {
            fail_msg("%s: %s", cases[c].name, lmb_skeleton_kind_name(e.kind));
        }
        float sum = 0, worst = 0;
        for (uint32_t k = 0; k < 2 * TRUE_JOINTS; ++k) {
            const true_joint *t = &stickman_joints[k / 2];
            const float off = lmb_vec3_distance(e.joints[t->joint + 4 * (k % 2)],
                                                k % 2 == 0 ? t->at : other_side(t->at));
            sum += off;
            worst = fmaxf(worst, off);
        }
        if (!(sum < cases[c].mean * 2 * TRUE_JOINTS) || !(worst < cases[c].worst)) {
            fail_msg("%s: joints off by %g, the worst by %g", cases[c].name,
                     (double)(sum / (2 * TRUE_JOINTS)), (double)worst);
        }
        free(s);
    }
}

static void add_block(capsules *s, float x, float low, float high, float half_wide,
                      float half_thick)
{
    add_bar(s, lmb_vec3_make(x, low, 0), lmb_vec3_make(x, high, 0), lmb_vec3_make(1, 0, 0),
            half_wide, half_thick);
}

/// Six boxes, `gap` apart: arms flush with the trunk, legs with each other.
static capsules *make_toy(float gap)
{
    capsules *s = capsules_create();
    add_block(s, 0, 0.75f + gap, 1.5f, 0.25f, 0.125f);
    add_block(s, 0, 1.5f + gap, 2, 0.25f, 0.25f);
    for (int side = -1; side <= 1; side += 2) {
        const float x = (float)side;
        add_block(s, 0.375f * x, 0.75f, 1.5f, 0.125f - gap, 0.125f);
        add_block(s, 0.125f * x, 0, 0.75f, 0.125f - gap, 0.125f);
    }
    return s;
}

static void toys_of_blocks(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k) {
        capsules *s = make_toy(0.02f * (float)k);
        const lmb_embedding e = embedded(s);
        assert_int_equal(e.kind, LMB_SKELETON_HUMAN);
        assert_true(e.left.x > 0.99f);
        const lmb_vec3 *at = e.joints;
        assert_true(at[LMBI_LEFT_UPPER_ARM].x > 0.25f && at[LMBI_LEFT_UPPER_ARM].y > 1.3f);
        assert_true(at[LMBI_LEFT_HAND].x > 0.25f && at[LMBI_LEFT_HAND].y < 1);
        assert_true(at[LMBI_RIGHT_LOWER_ARM].x < -0.25f);
        assert_true(fabsf(at[LMBI_RIGHT_UPPER_LEG].x + 0.125f) < 0.055f);
        // Nothing shows where legs begin that lie flush.
        assert_true(fabsf(at[LMBI_RIGHT_UPPER_LEG].y - 0.75f) < 0.15f);
        assert_true(at[LMBI_HEAD].y > 1.4f && at[LMBI_HEAD].y < 1.65f);
        free(s);
    }
}

/// What walks on two legs is no fish, whatever its tail looks like.
static void a_lizard_on_two_legs_is_no_fish(void **state)
{
    (void)state;
    capsules *s = capsules_create();
    add_capsule(s, lmb_vec3_make(0, 0.6f, -0.05f), lmb_vec3_make(0, 0.66f, 0.2f), 0.14f, 0.12f);
    add_capsule(s, lmb_vec3_make(0, 0.66f, 0.2f), lmb_vec3_make(0, 0.88f, 0.36f), 0.09f, 0.1f);
    add_capsule(s, lmb_vec3_make(0, 0.88f, 0.36f), lmb_vec3_make(0, 0.82f, 0.58f), 0.1f, 0.06f);
    add_capsule(s, lmb_vec3_make(0, 0.58f, -0.1f), lmb_vec3_make(0, 0.5f, -0.8f), 0.11f, 0.02f);
    for (int side = -1; side <= 1; side += 2) {
        const float x = 0.13f * (float)side;
        add_capsule(s, lmb_vec3_make(x, 0.55f, -0.05f), lmb_vec3_make(x, 0.3f, 0.05f), 0.09f,
                    0.06f);
        add_capsule(s, lmb_vec3_make(x, 0.3f, 0.05f), lmb_vec3_make(x, 0.05f, -0.05f), 0.055f,
                    0.035f);
        add_capsule(s, lmb_vec3_make(x, 0.03f, -0.05f), lmb_vec3_make(x, 0.03f, 0.1f), 0.03f,
                    0.03f);
    }
    const lmb_embedding e = embedded(s);
    assert_int_not_equal(e.kind, LMB_SKELETON_FISH);
    assert_int_not_equal(e.kind, LMB_SKELETON_HAND);
    assert_true(e.kind == LMB_SKELETON_BIPED || e.overall < 0.5f);
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clothes_and_things_leave_the_joints),
        cmocka_unit_test(toys_of_blocks),
        cmocka_unit_test(a_lizard_on_two_legs_is_no_fish),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
