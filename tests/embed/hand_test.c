/// Hands: the same joints in every orientation of the file.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bodies/bodies.h"
#include "embed/capsules.h"
#include "embed/hand/hand.h"
#include "failing_allocator.h"
#include "limber/author.h"
#include "limber/procedural.h"
#include "mapping/body_joint.h"

typedef struct shape {
    const char *name;
    lmb_vec3 *positions;
    uint32_t vertex_count;
    const uint32_t *triangles;
    uint32_t triangle_count;
} shape;

/// The 24 rotations of a cube, and 2 rotations along no axis.
enum { CUBE_TURNS = 24, TURNS = 26 };

static lmb_quat turn(int n)
{
    const float right = 0.5f * LMB_PI;
    if (n < CUBE_TURNS) {
        static const struct {
            lmb_vec3 axis;
            float quarters;
        } faces[6] = {{{1, 0, 0}, 0}, {{1, 0, 0}, 1}, {{1, 0, 0}, 2},
                      {{1, 0, 0}, 3}, {{0, 0, 1}, 1}, {{0, 0, 1}, 3}};
        return lmb_quat_mul(lmb_quat_axis_angle(faces[n / 4].axis, faces[n / 4].quarters * right),
                            lmb_quat_axis_angle(lmb_vec3_make(0, 1, 0), (float)(n % 4) * right));
    }
    lmb_random r = lmb_random_seed((uint64_t)n);
    const lmb_vec3 axis =
        lmb_vec3_make(lmb_random_range(&r, -1, 1), lmb_random_range(&r, -1, 1), 1);
    return lmb_quat_axis_angle(lmb_vec3_normalize_or(axis, lmb_vec3_make(0, 0, 1)),
                               lmb_random_range(&r, 0.3f, 2.8f));
}

static void embed_turned(const shape *s, lmb_quat q, lmb_embedding *out)
{
    const lmb_embed_opts opts = {.kind = LMB_SKELETON_HAND};
    lmb_vec3 *turned = malloc(s->vertex_count * sizeof *turned);
    assert_non_null(turned);
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        turned[v] = lmb_quat_rotate(q, s->positions[v]);
    }
    assert_int_equal(
        lmb_embed(turned, s->vertex_count, s->triangles, s->triangle_count, &opts, NULL, out, NULL),
        LMB_OK);
    free(turned);
    for (uint32_t j = 0; j < out->joint_count; ++j) {
        out->joints[j] = lmb_quat_rotate(lmb_quat_conjugate(q), out->joints[j]);
    }
}

static uint32_t joint_of(const lmb_embedding *e, const char *name)
{
    for (uint32_t j = 0; j < e->joint_count; ++j) {
        if (strcmp(e->names[j], name) == 0) {
            return j;
        }
    }
    fail_msg("no joint %s", name);
    return 0;
}

/// From the wrist to the end of the middle finger, about.
static float length_of(const lmb_embedding *e)
{
    uint32_t wrist = 0;
    while (strcmp(e->names[wrist] + strlen(e->names[wrist]) - 4, "Hand") != 0) {
        ++wrist;
    }
    float far = 0;
    for (uint32_t j = 0; j < e->joint_count; ++j) {
        far = e->parents[j] == LMB_NONE && j != wrist
                  ? far
                  : fmaxf(far, lmb_vec3_distance(e->joints[j], e->joints[wrist]));
    }
    return 1.2f * far;
}

/// A hand is voxelised at a 96th of its length. Joints move by less than one voxel in the mean, and
/// none, the wrist included, by more than three. Tries every `step`-th rotation.
static void check_turns(const shape *s, int step)
{
    const float cell = 1.0f / 96;
    lmb_embedding still;
    embed_turned(s, turn(0), &still);
    const float length = length_of(&still);
    double sum = 0, worst = 0;
    uint32_t count = 0;
    for (int n = 1; n < TURNS; n += step) {
        lmb_embedding e;
        embed_turned(s, turn(n), &e);
        assert_int_equal(e.joint_count, still.joint_count);
        for (uint32_t j = 0; j < e.joint_count; ++j) {
            const uint32_t same = joint_of(&still, e.names[j]);
            const double off =
                (double)(lmb_vec3_distance(e.joints[j], still.joints[same]) / length);
            sum += off;
            worst = off > worst ? off : worst;
            ++count;
        }
    }
    if (sum / count > (double)cell || worst > 3 * (double)cell) {
        fail_msg("%s: joints move by %.2f voxels in the mean, %.2f at most", s->name,
                 sum / count / (double)cell, worst / (double)cell);
    }
}

static void made_hands_turn(void **state)
{
    (void)state;
    for (uint64_t seed = 40; seed < 42; ++seed) {
        const lmb_made_body_opts opts = {
            .kind = LMB_MADE_HAND, .seed = seed, .triangle_count = 3000, .whole = true};
        lmb_made_body *body = NULL;
        assert_int_equal(lmb_made_body_create(&opts, NULL, &body, NULL), LMB_OK);
        const lmb_mesh *mesh = body->character->meshes[0];
        const shape s = {"a made hand", mesh->positions, body->vertex_count, mesh->indices,
                         mesh->index_count / 3};
        check_turns(
            &s, seed == 40 ? 1 : 6); // all rotations for one hand only, since each takes a while
        lmb_made_body_destroy(body);
    }
}

/// Joints of generated hands lie where they were generated: in fractions of the hand's length, a
/// wrist within 4% (a rule that uses only the narrowest place is 7% off), all joints within 2.5% in
/// the mean.
static void made_hands_are_found(void **state)
{
    (void)state;
    double wrists = 0, joints = 0;
    uint32_t hands = 0, count = 0;
    for (uint64_t seed = 300; seed < 304; ++seed, ++hands) {
        const lmb_made_body_opts opts = {
            .kind = LMB_MADE_HAND, .seed = seed, .triangle_count = 4000, .whole = true};
        const lmb_embed_opts hand = {.kind = LMB_SKELETON_HAND};
        lmb_made_body *body = NULL;
        lmb_embedding e;
        assert_int_equal(lmb_made_body_create(&opts, NULL, &body, NULL), LMB_OK);
        const lmb_mesh *mesh = body->character->meshes[0];
        assert_int_equal(lmb_embed(mesh->positions, mesh->vertex_count, mesh->indices,
                                   mesh->index_count / 3, &hand, NULL, &e, NULL),
                         LMB_OK);
        const double length = (double)length_of(&e);
        for (uint32_t k = 0; k < body->joint_count; ++k) {
            const char *name = body->names[k];
            const double off =
                (double)lmb_vec3_distance(body->positions[k], e.joints[joint_of(&e, name)]);
            wrists += strcmp(name + strlen(name) - 4, "Hand") == 0 ? off / length : 0;
            joints += off / length;
            ++count;
        }
        lmb_made_body_destroy(body);
    }
    if (wrists / hands > 0.04 || joints / count > 0.025) {
        fail_msg("wrists are off by %.1f%%, joints by %.1f%%", 100 * wrists / hands,
                 100 * joints / count);
    }
}

/// A right hand of capsules, fingers up, palm to the front. `deep` is how far the thumb lies before
/// the palm, `apart` the distance between the middles of neighbouring fingers. Hands are 1 long,
/// fingers 0.1 thick.
static capsules *model_hand(float deep, float apart)
{
    static const float ends[4] = {0.90f, 0.96f, 0.92f, 0.80f};
    capsules *s = capsules_create();
    for (int f = 0; f < 4; ++f) {
        const float x = (1.5f - (float)f) * apart;
        add_capsule(s, lmb_vec3_make(0.5f * x, 0.05f, 0), lmb_vec3_make(x, 0.5f, 0), 0.08f, 0.065f);
        add_capsule(s, lmb_vec3_make(x, 0.5f, 0), lmb_vec3_make(x, ends[f] - 0.05f, 0), 0.05f,
                    0.05f);
    }
    add_capsule(s, lmb_vec3_make(0.1f, 0.15f, 0), lmb_vec3_make(0.38f, 0.45f, deep), 0.06f, 0.05f);
    add_capsule(s, lmb_vec3_make(0, -0.5f, 0), lmb_vec3_make(0, 0.05f, 0), 0.1f, 0.085f);
    return s;
}

static lmb_result read_model(capsules *s, bool mirrored, lmb_embedding *out)
{
    const lmb_embed_opts opts = {.kind = LMB_SKELETON_HAND};
    for (uint32_t k = 0; mirrored && k < s->point_count; ++k) {
        s->points[k].x = -s->points[k].x;
    }
    for (uint32_t t = 0; mirrored && t < s->triangle_count; ++t) {
        uint32_t *c = s->triangles + 3 * (size_t)t;
        const uint32_t second = c[1];
        c[1] = c[2];
        c[2] = second;
    }
    return lmb_embed(s->points, s->point_count, s->triangles, s->triangle_count, &opts, NULL, out,
                     NULL);
}

static void sides_are_told_or_doubted(void **state)
{
    (void)state;
    for (int mirrored = 0; mirrored < 2; ++mirrored) {
        const char *wrist = mirrored ? "leftHand" : "rightHand",
                   *thumb = mirrored ? "leftThumbDistal" : "rightThumbDistal",
                   *little = mirrored ? "leftLittleDistal" : "rightLittleDistal";
        lmb_embedding e;
        capsules *s = model_hand(0.2f, 0.13f);
        assert_int_equal(read_model(s, mirrored, &e), LMB_OK);
        assert_true(e.overall >= 0.5f);
        joint_of(&e, wrist);
        const float toward_thumb = mirrored ? -1.0f : 1.0f;
        assert_true(toward_thumb * e.joints[joint_of(&e, thumb)].x > 0.2f);
        assert_true(toward_thumb * e.joints[joint_of(&e, little)].x < -0.1f);
        free(s);
        s = model_hand(0, 0.13f); // its two ends are alike
        assert_int_equal(read_model(s, mirrored, &e), LMB_OK);
        assert_true(e.overall < 0.5f);
        free(s);
        s = model_hand(0.2f, 0.098f); // fingers fused except for their ends
        assert_int_equal(read_model(s, mirrored, &e), LMB_OK);
        assert_true(toward_thumb * e.joints[joint_of(&e, thumb)].x > 0.2f);
        assert_true(toward_thumb * e.joints[joint_of(&e, little)].x < -0.1f);
        free(s);
    }
}

static lmbi_triangle_soup soup_of(const capsules *s)
{
    return (lmbi_triangle_soup){.positions = s->points,
                                .position_count = s->point_count,
                                .triangles = s->triangles,
                                .triangle_count = s->triangle_count};
}

static lmb_result see(const lmbi_triangle_soup *soup, const lmbi_hand_view *view,
                      const lmb_allocator *alloc, lmbi_hand *out)
{
    lmbi_volume_network *network;
    lmb_result result = lmbi_volume_network_create(LMBI_VOLUME_HAND, alloc, &network, NULL);
    if (result == LMB_OK) {
        result = lmbi_see_hand(network, soup, view, LMBI_HAND_LOOKS, alloc, out, NULL);
    }
    lmbi_volume_network_destroy(network);
    return result;
}

/// The true frame of a made hand, whose side is told by its names.
static lmbi_hand_view true_view(const lmb_made_body *body, lmbi_hand *truth)
{
    lmbi_hand_view view;
    const bool right = strncmp(body->names[body->joint_count - 1], "right", 5) == 0;
    for (uint32_t k = 0; k < 1 + 3 * LMBI_FINGERS; ++k) {
        const char *name =
            k == 0
                ? (right ? "rightHand" : "leftHand")
                : lmbi_body_joint_name(LMBI_BODY_JOINTS + k - 1 + (right ? 3 * LMBI_FINGERS : 0));
        uint32_t j = 0;
        while (strcmp(body->names[j], name) != 0) {
            assert_true(++j < body->joint_count);
        }
        truth->at[k] = body->positions[j];
    }
    assert_true(lmbi_view_of_hand(truth, right, &view));
    return view;
}

static lmb_made_body *make_hand(uint64_t seed)
{
    const lmb_made_body_opts opts = {
        .kind = LMB_MADE_HAND, .seed = seed, .triangle_count = 3000, .whole = true};
    lmb_made_body *body = NULL;
    assert_int_equal(lmb_made_body_create(&opts, NULL, &body, NULL), LMB_OK);
    return body;
}

static lmbi_triangle_soup soup_of_made(const lmb_made_body *body)
{
    const lmb_mesh *mesh = body->character->meshes[0];
    return (lmbi_triangle_soup){mesh->positions, mesh->vertex_count, mesh->indices,
                                mesh->index_count / 3, false};
}

static const lmbi_volume *volume_of_known(uint64_t k)
{
    static lmbi_volume volume;
    lmb_made_body *body = make_hand(7 + k);
    const lmbi_triangle_soup soup = soup_of_made(body);
    lmbi_hand truth;
    const lmbi_hand_view view = true_view(body, &truth);
    assert_int_equal(lmbi_hand_volume(&soup, &view, NULL, &volume, NULL), LMB_OK);
    lmb_made_body_destroy(body);
    return &volume;
}

/// Writes the volumes for tools/volume-in-double.py where LIMBER_VOLUMES names a file.
static void write_volumes(void)
{
    const char *path = getenv("LIMBER_VOLUMES");
    FILE *file = path ? fopen(path, "wb") : NULL;
    for (uint64_t k = 0; file && k < 2; ++k) {
        assert_int_equal(fwrite(volume_of_known(k)->solid, 1, LMBI_VOLUME_VOXELS, file),
                         LMBI_VOLUME_VOXELS);
    }
    if (file) {
        fclose(file);
    }
}

/// Made hands 7 and 8 in their own frames: what is told in one look, in voxels, in double precision by PyTorch's own layers.
static void as_pytorch_has_it(void **state)
{
    (void)state;
    static const struct {
        lmb_vec3 at[LMBI_HAND_JOINTS];
        float sure;
    } known[2] = {
#include "embed/hand_known.inl"
    };
    static lmbi_told told;
    lmbi_volume_network *network;
    write_volumes();
    assert_int_equal(lmbi_volume_network_create(LMBI_VOLUME_HAND, NULL, &network, NULL), LMB_OK);
    for (uint64_t k = 0; k < 2; ++k) {
        memset(&told, 0, sizeof told);
        lmbi_volume_network_add(network, volume_of_known(k), NULL, &told);
        float sure = 0;
        for (int j = 0; j < LMBI_HAND_JOINTS; ++j) {
            lmb_vec3 p;
            sure += lmbi_told_joint(told.odds[j], &p) / LMBI_HAND_JOINTS;
            p = lmb_vec3_scale(p, 1.0f * LMBI_VOLUME_SIDE / LMBI_TOLD_SIDE);
            assert_true(lmb_vec3_distance(p, known[k].at[j]) < 5e-3f);
        }
        assert_true(fabsf(sure - known[k].sure) < 2e-4f);
    }
    lmbi_volume_network_destroy(network);
}

/// From frames that are tilted, too large and too small, or off along the arm, joints are seen where they are seen from the
/// true one: within 2 % of the hand in the mean.
static void frames_may_be_off(void **state)
{
    (void)state;
    for (uint64_t seed = 60; seed < 63; ++seed) {
        lmb_made_body *body = make_hand(seed);
        const lmbi_triangle_soup soup = soup_of_made(body);
        lmbi_hand truth, straight, seen;
        const lmbi_hand_view view = true_view(body, &truth);
        assert_int_equal(see(&soup, &view, NULL, &straight), LMB_OK);
        assert_true(straight.sure > 0.5f);
        for (int k = 0; k < 8; ++k) {
            lmbi_hand_view off = view;
            const lmb_quat q = lmb_quat_axis_angle(view.axes[k % 3], k & 1 ? 0.25f : -0.25f);
            for (int a = 0; a < 3; ++a) {
                off.axes[a] = lmb_quat_rotate(q, view.axes[a]);
            }
            off.length *= k & 2 ? 0.8f : 1.3f;
            off.wrist =
                lmb_vec3_mad(view.wrist, view.axes[1], (k & 4 ? 0.15f : -0.15f) * view.length);
            assert_int_equal(see(&soup, &off, NULL, &seen), LMB_OK);
            float apart = 0;
            for (int j = 0; j < LMBI_HAND_JOINTS; ++j) {
                apart += lmb_vec3_distance(seen.at[j], straight.at[j]) / LMBI_HAND_JOINTS;
            }
            assert_true(apart < 0.02f * view.length);
        }
        lmb_made_body_destroy(body);
    }
}

/// A mitten with a thumb, a hand with two fingers and a thumb, air, and a frame without an extent have no five fingers.
static void other_hands_have_no_fingers(void **state)
{
    (void)state;
    const lmbi_hand_view view = {
        .axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .wrist = {0, 0, 0}, .length = 1};
    for (int fingers = 0; fingers < 3; ++fingers) {
        capsules *s = capsules_create();
        for (int f = 0; f < fingers; ++f) {
            const float x = 0.11f - 0.22f * (float)f;
            add_capsule(s, lmb_vec3_make(0.5f * x, 0.05f, 0), lmb_vec3_make(x, 0.5f, 0), 0.1f,
                        0.1f);
            add_capsule(s, lmb_vec3_make(x, 0.5f, 0), lmb_vec3_make(x, 0.9f, 0), 0.08f, 0.08f);
        }
        if (fingers < 2) {
            add_capsule(s, lmb_vec3_make(0, 0.1f, 0), lmb_vec3_make(0, 0.8f, 0), 0.15f, 0.15f);
        }
        add_capsule(s, lmb_vec3_make(0.1f, 0.15f, 0), lmb_vec3_make(0.38f, 0.45f, -0.1f), 0.06f,
                    0.05f);
        add_capsule(s, lmb_vec3_make(0, -0.8f, 0), lmb_vec3_make(0, 0.05f, 0), 0.1f, 0.085f);
        const lmbi_triangle_soup soup = soup_of(s);
        lmbi_hand hand;
        assert_int_equal(see(&soup, &view, NULL, &hand), LMB_OK);
        assert_true(lmbi_hand_chance(hand.sure) < 0.5f);
        lmbi_hand_view none = view;
        none.length = 0;
        assert_int_equal(see(&soup, &none, NULL, &hand), LMB_OK);
        assert_true(hand.sure == 0);
        lmbi_hand_view air = view;
        air.wrist.x = 5;
        assert_int_equal(see(&soup, &air, NULL, &hand), LMB_OK);
        assert_true(lmbi_hand_chance(hand.sure) < 0.1f);
        free(s);
    }
}

static lmb_vec3 mirrored(lmb_vec3 p)
{
    return lmb_vec3_make(-p.x, p.y, p.z);
}

/// The frames of two arms in one pose are mirror images, so that a right hand is seen as a left one: held out its thumb is in
/// front and its back up, let down its thumb stays in front.
static void arms_are_mirror_images(void **state)
{
    (void)state;
    static const lmb_vec3 arms[3][3] = {
        {{0.4f, 1.4f, 0}, {0.7f, 1.4f, 0}, {0.9f, 1.4f, 0}},
        {{0.3f, 1.2f, 0}, {0.3f, 0.9f, 0}, {0.3f, 0.7f, 0}},
        {{0.3f, 1.1f, 0.1f}, {0.2f, 1.2f, 0.4f}, {0.1f, 1.2f, 0.6f}}};
    const lmb_vec3 left = {1, 0, 0}, forward = {0, 0, 1};
    for (int k = 0; k < 3; ++k) {
        const lmb_vec3 *arm = arms[k];
        const lmbi_hand_view own = lmbi_view_of_arm(arm[0], arm[1], arm[2], left, forward, false),
                             other = lmbi_view_of_arm(mirrored(arm[0]), mirrored(arm[1]),
                                                      mirrored(arm[2]), left, forward, true);
        for (int a = 0; a < 3; ++a) {
            assert_true(lmb_vec3_distance(mirrored(own.axes[a]), other.axes[a]) < 1e-5f);
        }
        assert_true(k == 2 || own.axes[0].z > 0.99f);
        assert_true(k == 2 || (k == 0 ? own.axes[2].y : own.axes[2].x) > 0.99f);
    }
}

static void memory_may_run_out(void **state)
{
    (void)state;
    lmb_made_body *body = make_hand(7);
    const lmbi_triangle_soup soup = soup_of_made(body);
    for (failing_run f = {.least = 3}; failing_next(&f);) {
        lmbi_lone_hand hand;
        f.result = lmbi_see_lone_hand(&soup, &f.alloc, &hand, NULL);
    }
    lmb_made_body_destroy(body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_pytorch_has_it),      cmocka_unit_test(made_hands_turn),
        cmocka_unit_test(made_hands_are_found),   cmocka_unit_test(sides_are_told_or_doubted),
        cmocka_unit_test(frames_may_be_off),      cmocka_unit_test(other_hands_have_no_fingers),
        cmocka_unit_test(arms_are_mirror_images), cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
