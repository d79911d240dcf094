/// Joints of figures of rigid pieces lie where the pieces meet, wherever along a limb that is.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "embed/human/human.h"
#include "embed/stickman.h"

/// Adds the trunk and head of a figure without limbs, 1.8 tall.
static capsules *make_trunk(void)
{
    capsules *s = capsules_create();
    add_capsule(s, lmb_vec3_make(-0.06f, 0.98f, 0), lmb_vec3_make(0.06f, 0.98f, 0), 0.1f, 0.1f);
    add_capsule(s, lmb_vec3_make(0, 1, 0), lmb_vec3_make(0, 1.36f, 0), 0.12f, 0.13f);
    add_capsule(s, lmb_vec3_make(0, 1.35f, 0), lmb_vec3_make(0, 1.5f, 0), 0.1f, 0.055f);
    add_capsule(s, lmb_vec3_make(0, 1.5f, 0), lmb_vec3_make(0, 1.68f, 0.01f), 0.05f, 0.11f);
    return s;
}

/// A piece whose round ends lie at two joints, but for a gap.
static void add_piece(capsules *s, lmb_vec3 from, lmb_vec3 to, float thick)
{
    const float gap = 0.002f, part = (thick + gap) / lmb_vec3_distance(from, to);
    add_capsule(s, lmb_vec3_lerp(from, to, part), lmb_vec3_lerp(to, from, part), thick, thick);
}

/// A limb of one piece a bone, but for hand or foot. Returns where elbow or knee are: a share of the way.
static lmb_vec3 add_limb_of_pieces(capsules *s, lmb_vec3 root, lmb_vec3 last, float share,
                                   float thick)
{
    const lmb_vec3 middle = lmb_vec3_lerp(root, last, share);
    add_piece(s, root, middle, thick);
    add_piece(s, middle, last, 0.8f * thick);
    return middle;
}

static void assert_near(const lmb_embedding *e, uint32_t joint, lmb_vec3 at)
{
    const float off = lmb_vec3_distance(e->joints[joint], at) / e->height;
    if (!(off < 0.012f) || e->reason[joint] != lmbi_pieces_meet) {
        fail_msg("%s is %.3f of the height off: %s", e->names[joint], (double)off,
                 e->reason[joint]);
    }
}

static void joints_where_pieces_meet(void **state)
{
    (void)state;
    static const float shares[] = {0.44f, 0.5f, 0.56f};
    for (size_t n = 0; n < sizeof shares / sizeof *shares; ++n) {
        capsules *s = make_trunk();
        lmb_vec3 elbow[2], knee[2], wrist[2];
        for (int side = 0; side < 2; ++side) {
            const float x = side ? -1.0f : 1.0f;
            const lmb_vec3 hip = {0.1f * x, 0.9f, 0}, ankle = {0.12f * x, 0.09f, -0.02f};
            wrist[side] = lmb_vec3_make(0.62f * x, 1.05f, 0);
            elbow[side] = add_limb_of_pieces(s, lmb_vec3_make(0.18f * x, 1.42f, 0), wrist[side],
                                             shares[n], 0.06f);
            add_piece(s, wrist[side], lmb_vec3_make(0.74f * x, 0.94f, 0), 0.042f);
            knee[side] = add_limb_of_pieces(s, hip, ankle, shares[n], 0.08f);
            add_capsule(s, lmb_vec3_make(0.12f * x, 0.04f, -0.07f),
                        lmb_vec3_make(0.13f * x, 0.04f, 0.16f), 0.045f, 0.035f);
        }
        const lmb_embedding e = embedded(s);
        for (uint32_t side = 0; side < 2; ++side) {
            assert_near(&e, LMBI_LEFT_LOWER_ARM + side * LMBI_ARM_JOINTS, elbow[side]);
            assert_near(&e, LMBI_LEFT_HAND + side * LMBI_ARM_JOINTS, wrist[side]);
            assert_near(&e, LMBI_LEFT_LOWER_LEG + side * LMBI_LEG_JOINTS, knee[side]);
        }
        free(s);
    }
}

/// Boots end in the middle of shins, sleeves on upper arms: nothing bends there.
static void joints_are_not_where_clothes_end(void **state)
{
    (void)state;
    capsules *s = make_trunk();
    for (int side = -1; side <= 1; side += 2) {
        const float x = (float)side;
        const lmb_vec3 shoulder = {0.18f * x, 1.42f, 0}, tip = {0.72f * x, 0.94f, 0},
                       hip = {0.1f * x, 0.9f, 0}, ankle = {0.12f * x, 0.09f, -0.02f};
        add_capsule(s, shoulder, tip, 0.05f, 0.035f);
        add_capsule(s, shoulder, lmb_vec3_lerp(shoulder, tip, 0.3f), 0.07f, 0.065f);
        add_capsule(s, hip, ankle, 0.08f, 0.05f);
        add_capsule(s, lmb_vec3_lerp(hip, ankle, 0.65f), ankle, 0.075f, 0.06f);
        add_capsule(s, ankle, lmb_vec3_make(0.13f * x, 0.04f, 0.16f), 0.05f, 0.04f);
    }
    const lmb_embedding e = embedded(s);
    for (uint32_t j = 0; j < e.joint_count; ++j) {
        if (e.reason[j] == lmbi_pieces_meet) {
            fail_msg("%s lies where clothes end", e.names[j]);
        }
    }
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joints_where_pieces_meet),
        cmocka_unit_test(joints_are_not_where_clothes_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
