// Parts of the volume that only touch do not share weights, such as a hand of a scan that is fused
// with a hip.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "geometry/geometry.h"
#include "limber/author.h"
#include "rig/rig.h"

enum { HIPS, CHEST, UPPER_ARM, LOWER_ARM, HAND, JOINTS };

static const lmb_vec3 places[JOINTS] = {
    {0, 0, 0}, {0, 0.4f, 0}, {0.1f, 0.55f, 0}, {0.36f, 0.35f, 0}, {0.15f, 0.12f, 0}};
static const lmb_vec3 top = {0, 0.65f, 0}, finger = {0.13f, 0.04f, 0};
static const float TRUNK = 0.12f, ARM = 0.045f;

static float to_segment(lmb_vec3 p, lmb_vec3 a, lmb_vec3 b)
{
    const lmb_vec3 d = lmb_vec3_sub(b, a);
    const float t = lmb_vec3_dot(lmb_vec3_sub(p, a), d) / lmb_vec3_dot(d, d);
    return lmb_vec3_distance(p, lmb_vec3_lerp(a, b, fminf(fmaxf(t, 0), 1)));
}

static float to_trunk(lmb_vec3 p)
{
    return to_segment(p, places[HIPS], top) - TRUNK;
}

static float to_arm(lmb_vec3 p)
{
    return fminf(to_segment(p, places[CHEST], places[UPPER_ARM]),
                 fminf(to_segment(p, places[UPPER_ARM], places[LOWER_ARM]),
                       to_segment(p, places[LOWER_ARM], places[HAND]))) -
           ARM;
}

static float to_hand(lmb_vec3 p)
{
    return to_segment(p, places[HAND], finger) - ARM;
}

/// One surface around everything, as a scanner sees it.
static float value(const void *context, lmb_vec3 p)
{
    (void)context;
    return fminf(to_trunk(p), fminf(to_arm(p), to_hand(p)));
}

static lmb_surface *scan(void)
{
    const lmbi_iso_job job = {.value = value,
                              .box = {{-0.2f, -0.2f, -0.2f}, {0.5f, 0.9f, 0.2f}},
                              .step = 0.016f,
                              .rounds = 2};
    lmb_surface *s = NULL;
    assert_int_equal(lmbi_iso_surface(&job, NULL, &s, NULL), LMB_OK);
    return s;
}

static lmbi_bones *skeleton_bones(void)
{
    int32_t parents[JOINTS];
    lmb_transform rest[JOINTS];
    const char *names[JOINTS] = {"hips", "chest", "upper", "lower", "hand"};
    lmb_vec3 tips[JOINTS] = {{0, 0, 0}};
    for (int j = 0; j < JOINTS; ++j) {
        parents[j] = j == 0 ? LMB_NONE : j - 1;
        rest[j] = lmb_transform_identity();
        rest[j].translation = j == 0 ? places[0] : lmb_vec3_sub(places[j], places[j - 1]);
    }
    tips[HAND] = lmb_vec3_sub(finger, places[HAND]);
    const lmb_skeleton skeleton = {
        .joint_count = JOINTS, .parents = parents, .rest = rest, .names = names, .tips = tips};
    lmbi_bones *bones = NULL;
    assert_int_equal(
        lmbi_bones_create(&(lmbi_bones_def){.skeleton = &skeleton}, NULL, &bones, NULL), LMB_OK);
    return bones;
}

static float weight_of(const lmb_weights *w, uint32_t v, uint32_t joint)
{
    for (uint32_t k = w->influences.first[v]; k < w->influences.first[v + 1]; ++k) {
        if (w->influences.items[k].joint == joint) {
            return w->influences.items[k].weight;
        }
    }
    return 0;
}

/// The largest weight of the hand on the trunk, and of the trunk on the hand, at a distance from
/// their contact.
static float strays(const lmb_surface *s, const lmb_weights *w, float away)
{
    float most = 0;
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        const lmb_vec3 p = s->positions[v];
        if (fabsf(to_trunk(p)) < 0.008f && p.y < 0.3f && to_hand(p) > away && to_arm(p) > away) {
            most = fmaxf(most, weight_of(w, v, HAND) + weight_of(w, v, LOWER_ARM));
        }
        if (fabsf(to_hand(p)) < 0.008f && to_trunk(p) > away) {
            most = fmaxf(most, weight_of(w, v, HIPS) + weight_of(w, v, CHEST));
        }
    }
    return most;
}

static void a_hand_on_a_hip_keeps_its_weights(void **state)
{
    (void)state;
    lmb_surface *s = scan();
    lmbi_bones *bones = skeleton_bones();
    uint32_t pieces = 0;
    uint32_t *piece_of = calloc(s->vertex_count, sizeof *piece_of);
    assert_int_equal(lmb_surface_components(s, NULL, piece_of, &pieces, NULL), LMB_OK);
    assert_int_equal(pieces, 1); // the parts are fused
    free(piece_of);
    static const struct {
        lmb_rig_weights method;
        float most; ///< stray weight
    } cases[] = {{LMB_WEIGHTS_HEAT, 0.02f}, {LMB_WEIGHTS_VOXEL, 0.02f}, {LMB_WEIGHTS_BBW, 0.45f}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        const lmb_weights_opts opts = {.method = cases[k].method};
        lmb_weights *w = NULL;
        assert_int_equal(lmbi_weights_create(s, bones, &opts, NULL, &w, NULL, NULL), LMB_OK);
        assert_true(strays(s, w, 0.02f) <= cases[k].most);
        lmb_weights_destroy(w);
    }
    lmbi_bones blind = *bones; // without the skeleton's tree the parts cannot be told apart
    blind.parents = NULL;
    lmb_weights *w = NULL;
    assert_int_equal(lmbi_weights_create(s, &blind, NULL, NULL, &w, NULL, NULL), LMB_OK);
    assert_true(strays(s, w, 0.02f) > 0.3f);
    lmb_weights_destroy(w);
    lmbi_bones_destroy(bones);
    lmb_surface_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_hand_on_a_hip_keeps_its_weights)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
