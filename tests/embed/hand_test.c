/// Hands: the same joints in every orientation of the file.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bodies/bodies.h"
#include "embed/capsules.h"
#include "embed/hand/hand.h"
#include "limber/author.h"
#include "limber/procedural.h"

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

/// Four straight fingers of rings with 8 vertices, evenly spaced or with three rings close together
/// at fractions 0.5 and 0.2.
static uint32_t model_fingers(bool loops, lmb_vec3 *corners,
                              lmbi_finger_path ways[LMBI_BENDING_FINGERS])
{
    enum { RINGS = 21, SIDES = 9 };
    uint32_t count = 0;
    for (int f = 0; f < LMBI_BENDING_FINGERS; ++f) {
        const lmb_vec3 end = lmb_vec3_make(0.2f * (float)f, 1, 0);
        ways[f].length = 1;
        for (int k = 0; k < LMBI_FINGER_STEPS; ++k) {
            const float down = (float)k / (LMBI_FINGER_STEPS - 1);
            ways[f].at[k] = lmb_vec3_make(end.x, end.y - down, 0);
        }
        for (int ring = 0; ring < RINGS + 4; ++ring) {
            static const float more[4] = {0.475f, 0.525f, 0.175f, 0.225f};
            if (ring >= RINGS && !loops) {
                break;
            }
            const float down = ring < RINGS ? 0.05f * (float)ring : more[ring - RINGS];
            for (int k = 0; k < SIDES; ++k) {
                const float a = 2 * LMB_PI * (float)k / SIDES;
                corners[count++] =
                    lmb_vec3_make(end.x + 0.05f * lmb_cos(a), end.y - down, 0.05f * lmb_sin(a));
            }
        }
    }
    return count;
}

static void bends_are_drawn_to_loops(void **state)
{
    (void)state;
    enum { MOST = 4 * 25 * 9 };
    lmb_vec3 corners[MOST];
    uint32_t triangles[MOST];
    for (uint32_t c = 0; c < MOST; ++c) {
        triangles[c] = c;
    }
    lmbi_triangle_soup soup = {.positions = corners, .triangles = triangles};
    lmbi_finger_path ways[LMBI_BENDING_FINGERS];
    for (int loops = 0; loops < 2; ++loops) {
        lmbi_bends bends[LMBI_BENDING_FINGERS];
        for (int f = 0; f < LMBI_BENDING_FINGERS; ++f) {
            bends[f] = (lmbi_bends){0.54f, 0.25f};
        }
        soup.triangle_count = model_fingers(loops, corners, ways) / 3;
        lmbi_finger_bends(&soup, ways, bends);
        for (int f = 0; f < LMBI_BENDING_FINGERS; ++f) {
            const float middle = loops ? 0.5f : 0.54f, outer = loops ? 0.2f : 0.25f;
            assert_true(fabsf(bends[f].middle - middle) < 0.025f);
            assert_true(fabsf(bends[f].outer - outer) < 0.02f);
        }
    }
    // without density: the usual positions
    lmbi_bends bends[LMBI_BENDING_FINGERS] = {
        {0.54f, 0.25f}, {0.54f, 0.25f}, {0.54f, 0.25f}, {0.54f, 0.25f}};
    soup.triangle_count = 0;
    lmbi_finger_bends(&soup, ways, bends);
    assert_true(fabsf(bends[0].middle - 0.54f) < 0.005f && fabsf(bends[3].outer - 0.25f) < 0.005f);
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
        assert_true(read_model(s, mirrored, &e) != LMB_OK || e.overall < 0.5f);
        free(s);
    }
}

/// Tips in a row, the one at `thumb` farther back and to the side. Bases carry no information, as
/// where fingers touch.
static float order_row(int thumb, lmbi_tip tips[LMBI_FINGERS])
{
    for (int f = 0; f < LMBI_FINGERS; ++f) {
        const bool back = f == thumb;
        tips[f] =
            (lmbi_tip){.voxel = (uint32_t)f,
                       .position = lmb_vec3_make(0.12f * (float)f +
                                                     (back ? 0.15f : 0) * (f > 0 ? 1.0f : -1.0f),
                                                 back ? 0.5f : 0.9f, 0),
                       .base = lmb_vec3_make(0.12f * (float)f, f == 4 - thumb ? 0.1f : 0.5f, 0),
                       .geodesic = 1,
                       .length = 0.4f};
    }
    const lmbi_tip second = tips[1];
    tips[1] = tips[3];
    tips[3] = second;
    return lmbi_fingers_order(lmb_vec3_make(0, 1, 0), tips);
}

static void the_thumb_comes_first(void **state)
{
    (void)state;
    lmbi_tip tips[LMBI_FINGERS];
    for (int thumb = 0; thumb < 5; thumb += 4) {
        assert_true(order_row(thumb, tips) > 1);
        for (int f = 0; f < LMBI_FINGERS; ++f) {
            assert_int_equal(tips[f].voxel, thumb == 0 ? f : 4 - f);
        }
    }
    for (int f = 0; f < LMBI_FINGERS; ++f) { // all tips alike: no confidence
        tips[f] = (lmbi_tip){.position = lmb_vec3_make(0.1f * (float)f, 1, 0),
                             .base = lmb_vec3_make(0.1f * (float)f, 0, 0)};
    }
    assert_true(lmbi_fingers_order(lmb_vec3_make(0, 1, 0), tips) < 0.01f);
}

/// Where fingers go on past what is searched there are none, rather than short ones.
static void fingers_that_are_cut_are_none(void **state)
{
    (void)state;
    capsules *s = model_hand(0.2f, 0.13f);
    const lmbi_triangle_soup soup = {.positions = s->points,
                                     .position_count = s->point_count,
                                     .triangles = s->triangles,
                                     .triangle_count = s->triangle_count};
    for (int k = 0; k < 2; ++k) {
        const lmb_vec3 wrist = lmb_vec3_make(0, 0, 0), end = lmb_vec3_make(0, k ? 0.6f : 0.96f, 0);
        lmbi_hand hand;
        assert_int_equal(lmbi_find_fingers(&soup, wrist, end, NULL, &hand, NULL), LMB_OK);
        assert_int_equal(hand.found, k == 0);
        for (int f = LMBI_INDEX; f < LMBI_FINGERS && k == 0; ++f) {
            static const float ends[LMBI_FINGERS] = {0, 0.90f, 0.96f, 0.92f, 0.80f};
            assert_true(fabsf(hand.tip[f].y - ends[f]) < 0.03f);
        }
    }
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(made_hands_turn),          cmocka_unit_test(made_hands_are_found),
        cmocka_unit_test(bends_are_drawn_to_loops), cmocka_unit_test(sides_are_told_or_doubted),
        cmocka_unit_test(the_thumb_comes_first),    cmocka_unit_test(fingers_that_are_cut_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
