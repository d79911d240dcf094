// Defects of scans and generated meshes, applied to a figure one after the other. Each is rigged as
// a whole, with weights for every vertex, and with joints near those of the original figure.
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

enum { POINTS = 40000, TRIANGLES = 80000 };

static uint32_t below(lmb_random *random, uint32_t most)
{
    return (uint32_t)(lmb_random_unit(random) * (float)most) % most;
}

/// Removes about every twentieth triangle.
static void tear_holes(capsules *s, lmb_random *random)
{
    uint32_t kept = 0;
    for (uint32_t t = 0; t < s->triangle_count; ++t) {
        if (below(random, 20) > 0) {
            memmove(s->triangles + 3 * (size_t)kept++, s->triangles + 3 * (size_t)t,
                    3 * sizeof *s->triangles);
        }
    }
    s->triangle_count = kept;
}

/// Displaces vertices by up to 5 mm.
static void shake(capsules *s, lmb_random *random)
{
    for (uint32_t v = 0; v < s->point_count; ++v) {
        const lmb_vec3 off = {lmb_random_range(random, -0.005f, 0.005f),
                              lmb_random_range(random, -0.005f, 0.005f),
                              lmb_random_range(random, -0.005f, 0.005f)};
        s->points[v] = lmb_vec3_add(s->points[v], off);
    }
}

/// Flips a fifth of the triangles and doubles a tenth.
static void turn_and_double(capsules *s, lmb_random *random)
{
    const uint32_t count = s->triangle_count;
    for (uint32_t t = 0; t < count; ++t) {
        uint32_t *corner = s->triangles + 3 * (size_t)t;
        if (below(random, 5) == 0) {
            const uint32_t held = corner[0];
            corner[0] = corner[1];
            corner[1] = held;
        }
        if (below(random, 10) == 0 && s->triangle_count < TRIANGLES) {
            memcpy(s->triangles + 3 * (size_t)s->triangle_count++, corner, 3 * sizeof *corner);
        }
    }
}

/// Makes every triangle a shell of its own, slightly displaced: thousands of them.
static void shatter(capsules *s, lmb_random *random)
{
    lmb_vec3 *points = malloc(3 * (size_t)s->triangle_count * sizeof *points);
    assert_true(points && 3 * s->triangle_count <= POINTS);
    for (uint32_t k = 0; k < 3 * s->triangle_count; ++k) {
        points[k] = s->points[s->triangles[k]];
        points[k].x += lmb_random_range(random, -0.001f, 0.001f);
        s->triangles[k] = k;
    }
    s->point_count = 3 * s->triangle_count;
    memcpy(s->points, points, s->point_count * sizeof *points);
    free(points);
}

/// A disc of 60 cm and 8 cm thick that the soles touch.
static void put_on_a_base(capsules *s, lmb_random *random)
{
    enum { SIDES = 24 };
    (void)random;
    const uint32_t first = s->point_count;
    for (int level = 0; level < 2; ++level) {
        const float y = level == 0 ? -0.079f : 0.001f;
        for (int k = 0; k < SIDES; ++k) {
            const float turn = 2 * LMB_PI * (float)k / SIDES;
            s->points[s->point_count++] =
                lmb_vec3_make(0.3f * lmb_cos(turn), y, 0.3f * lmb_sin(turn));
        }
        s->points[s->point_count++] = lmb_vec3_make(0, y, 0);
    }
    for (uint32_t k = 0; k < SIDES; ++k) {
        const uint32_t a = first + k, b = first + (k + 1) % SIDES, up = SIDES + 1;
        const uint32_t made[12] = {
            a,     a + up, b + up, a, b + up, b, a, b, first + SIDES, a + up, first + SIDES + up,
            b + up};
        memcpy(s->triangles + 3 * (size_t)s->triangle_count, made, sizeof made);
        s->triangle_count += 4;
    }
}

static lmb_character *character_of(const capsules *s)
{
    lmb_primitive primitive = {
        .index_count = 3 * s->triangle_count, .vertex_count = s->point_count, .material = LMB_NONE};
    uint32_t *indices = malloc(3 * (size_t)s->triangle_count * sizeof *indices);
    lmb_vec3 *points = malloc(s->point_count * sizeof *points);
    memcpy(indices, s->triangles, 3 * (size_t)s->triangle_count * sizeof *indices);
    memcpy(points, s->points, s->point_count * sizeof *points);
    lmb_mesh def = {.vertex_count = s->point_count,
                    .positions = points,
                    .index_count = 3 * s->triangle_count,
                    .indices = indices,
                    .primitive_count = 1,
                    .primitives = &primitive};
    int32_t parent = LMB_NONE;
    lmb_transform rest = lmb_transform_identity();
    const char *name = "scan";
    const lmb_skeleton tree = {.joint_count = 1, .parents = &parent, .rest = &rest, .names = &name};
    lmb_mesh *mesh;
    lmb_skeleton *skeleton;
    assert_int_equal(lmb_mesh_create(&def, NULL, &mesh, NULL), LMB_OK);
    assert_int_equal(lmb_skeleton_create(&tree, NULL, &skeleton, NULL), LMB_OK);
    lmb_instance instance = {.joint = 0, .mesh = 0, .skin = LMB_NONE};
    const lmb_character all = {.skeleton = skeleton,
                               .mesh_count = 1,
                               .instance_count = 1,
                               .meshes = &mesh,
                               .instances = &instance};
    lmb_character *character;
    assert_int_equal(lmb_character_create(&all, NULL, &character, NULL), LMB_OK);
    free(indices);
    free(points);
    return character;
}

/// Rigs it, checks that every vertex has weights and its position, and returns the report.
static lmb_rig_report rig(const capsules *s)
{
    lmb_character *c = character_of(s);
    lmb_rig_report report;
    lmb_error error = {0};
    const lmb_result result = lmb_rig(&c, NULL, &report, NULL, &error);
    if (result != LMB_OK) {
        fail_msg("expected %s, found %s", error.expected, error.found);
    }
    lmb_weights_audit audit;
    assert_int_equal(lmb_weights_check(c, NULL, &audit, NULL), LMB_OK);
    assert_int_equal(audit.vertex_count, s->point_count);
    assert_int_equal(audit.empty_count, 0);
    assert_int_equal(audit.uneven_count, 0);
    assert_true(audit.most <= 4);
    assert_memory_equal(c->meshes[0]->positions, s->points, s->point_count * sizeof *s->points);
    lmb_character_destroy(c);
    return report;
}

static void every_damage_is_lived_with(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        void (*hurt)(capsules *s, lmb_random *random);
        float most; ///< largest movement of a joint, in heights
    } cases[] = {{"holes", tear_holes, 0.03f},
                 {"noise", shake, 0.03f},
                 {"winding", turn_and_double, 0.01f},
                 {"shells", shatter, 0.03f},
                 {"base", put_on_a_base, 0.02f}};
    capsules *whole = make_stickman();
    const lmb_rig_report truth = rig(whole);
    assert_int_equal(truth.embedding.kind, LMB_SKELETON_HUMAN);
    assert_int_equal(truth.weights.base_count, 0);
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        capsules *s = make_stickman();
        lmb_random random = lmb_random_seed(k + 1);
        cases[k].hurt(s, &random);
        const lmb_rig_report made = rig(s);
        assert_int_equal(made.embedding.kind, LMB_SKELETON_HUMAN);
        float most = 0;
        for (uint32_t j = 0; j < LMBI_BODY_JOINTS; ++j) {
            most =
                fmaxf(most, lmb_vec3_distance(made.embedding.joints[j], truth.embedding.joints[j]));
        }
        if (!(most < cases[k].most * truth.embedding.height)) {
            fail_msg("%s: a joint moved by %g", cases[k].name, (double)most);
        }
        assert_int_equal(made.weights.base_count > 0, cases[k].hurt == put_on_a_base);
        free(s);
    }
    free(whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_damage_is_lived_with)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
