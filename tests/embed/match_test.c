/// The search of readings by a template: densities, mirror images, bounds, and files whose format says which
/// way is up. Bodies of capsules: proportions that no human has, and a reptile on two legs.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bodies/bodies.h"
#include "capsules.h"
#include "embed/kinds.h"
#include "embed/shape/shape.h"
#include "embed/template/template.h"

static void density_is_students(void **state)
{
    (void)state;
    const lmbi_spread row = {1, 2};
    // -5/2 log(1 + d^2 / 4) - log(spread), at d = 0 and d = 2
    assert_true(fabsf(lmbi_spread_log(&row, 1) + logf(2)) < 1e-5f);
    assert_true(fabsf(lmbi_spread_log(&row, 5) + 3.5f * logf(2)) < 1e-5f);
}

/// Two legs, two arms and a head, as figures of capsules have them.
static const char FIGURE[] = "limber-template 2\n"
                             "body\n  tall 0.8\n  wide 0.4\n  long 0.3\n"
                             "chain legs pair needed\n"
                             "  height 0.03\n  length 1\n  side 0.3\n  points-forward 0.4\n"
                             "  unlike 0\n  unequal 0\n"
                             "chain arms pair\n"
                             "  height 0.6\n  length 0.8\n  side 1.3\n  unlike 0\n"
                             "chain head single\n"
                             "  height 0.95\n  side 0\n"
                             "joint body between center 1\n";
/// The same on all fours.
static const char BEAST[] = "limber-template 2\n"
                            "chain hind pair\n  height 0\n  forward -0.8\n  unlike 0\n"
                            "chain fore pair\n  height 0\n  forward 0.8\n  unlike 0\n"
                            "chain head single\n  height 0.8\n  forward 1.5\n"
                            "chain tail single\n  height 0.5\n  forward -1.5\n"
                            "joint body between center 1\n";

static lmb_body_template *read_text(const char *text)
{
    lmb_body_template *t = NULL;
    assert_int_equal(lmb_body_template_read(text, strlen(text), NULL, &t, NULL), LMB_OK);
    return t;
}

/// The readings of a soup by a template; returns their number.
static uint32_t read_soup(const lmbi_triangle_soup *soup, const char *text, bool y_up,
                          lmbi_reading out[LMBI_READINGS], lmbi_tip tips[LMBI_MAX_TIPS])
{
    lmbi_voxel_cache cache;
    const lmbi_body_shape *x;
    lmb_body_template *t = read_text(text);
    assert_int_equal(lmbi_voxel_cache_create(soup, NULL, &cache, NULL), LMB_OK);
    assert_int_equal(lmbi_voxel_cache_get(&cache, LMBI_VOXELS_COARSE, &x, NULL), LMB_OK);
    const lmbi_search_opts opts = {.y_up = y_up};
    const uint32_t count = lmbi_search_readings(&x->body, x->tips, x->tip_count, t, &opts, out);
    memcpy(tips, x->tips, sizeof x->tips);
    lmbi_voxel_cache_destroy(&cache);
    lmb_body_template_destroy(t);
    return count;
}

/// A figure of capsules, one unit tall without its ears.
static void make_figure(capsules *s, float head, float ears, float leg)
{
    s->point_count = s->triangle_count = 0;
    const float neck = leg + 0.3f;
    add_capsule(s, (lmb_vec3){0, leg, 0}, (lmb_vec3){0, neck, 0}, 0.09f, 0.1f);
    add_capsule(s, (lmb_vec3){0, neck + head, 0}, (lmb_vec3){0, neck + 1.2f * head, 0}, head, head);
    for (int side = 0; side < 2; ++side) {
        const float x = side == 0 ? 1.0f : -1.0f;
        add_capsule(s, (lmb_vec3){0.06f * x, leg, 0}, (lmb_vec3){0.08f * x, 0.03f, 0}, 0.055f,
                    0.04f);
        add_capsule(s, (lmb_vec3){0.08f * x, 0.03f, -0.02f}, (lmb_vec3){0.08f * x, 0.03f, 0.1f},
                    0.035f, 0.03f);
        add_capsule(s, (lmb_vec3){0.1f * x, leg + 0.26f, 0},
                    (lmb_vec3){0.42f * x, leg + 0.12f, 0.01f}, 0.04f, 0.03f);
        if (ears > 0) {
            const float top = neck + 2 * head;
            add_capsule(s, (lmb_vec3){0.4f * head * x, top, 0},
                        (lmb_vec3){0.8f * head * x, top + ears, 0}, 0.04f, 0.03f);
        }
    }
}

static lmb_vec3 joint(const lmb_embedding *e, const char *name)
{
    for (uint32_t j = 0; j < e->joint_count; ++j) {
        if (strcmp(e->names[j], name) == 0) {
            return e->joints[j];
        }
    }
    fail_msg("no joint %s", name);
    return (lmb_vec3){0};
}

/// A figure of capsules that is taken for something else is doubted.
static void ears_and_large_heads_stay_on_top(void **state)
{
    (void)state;
    static const struct {
        float head, ears, leg;
    } shapes[] = {{0.1f, 0, 0.5f}, {0.24f, 0, 0.25f}, {0.2f, 0.35f, 0.3f}, {0.24f, 0.5f, 0.25f}};
    capsules *s = malloc(sizeof *s);
    int humans = 0;
    for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; ++k) {
        make_figure(s, shapes[k].head, shapes[k].ears, shapes[k].leg);
        const lmb_embedding e = embedded(s);
        if (e.kind != LMB_SKELETON_HUMAN) {
            assert_true(e.overall < 0.3f);
            continue;
        }
        ++humans;
        assert_true(e.up.y > 0.95f);
        assert_true(e.forward.z > 0.95f);
        assert_true(joint(&e, "leftFoot").y < 0.15f);
        assert_true(joint(&e, "head").y > joint(&e, "leftUpperArm").y - 0.02f);
        assert_true(joint(&e, "leftUpperArm").x > 0 && joint(&e, "rightUpperArm").x < 0);
        assert_true(fabsf(joint(&e, "leftUpperLeg").y - shapes[k].leg) < 0.12f);
    }
    assert_true(humans >= 2);
    free(s);
}

static void clear_humans_are_sure(void **state)
{
    (void)state;
    for (uint64_t seed = 300; seed < 304; ++seed) {
        const lmb_made_body_opts opts = {.seed = seed, .triangle_count = 4000, .whole = true};
        lmb_made_body *body = NULL;
        assert_int_equal(lmb_made_body_create(&opts, NULL, &body, NULL), LMB_OK);
        const lmb_mesh *m = body->character->meshes[0];
        lmb_embedding e;
        assert_int_equal(lmb_embed(m->positions, m->vertex_count, m->indices, m->index_count / 3,
                                   NULL, NULL, &e, NULL),
                         LMB_OK);
        assert_int_equal(e.kind, LMB_SKELETON_HUMAN);
        assert_true(e.overall > 0.9f);
        lmb_made_body_destroy(body);
    }
}

static void mirrored_input_mirrors_readings(void **state)
{
    (void)state;
    capsules *s = malloc(sizeof *s);
    make_figure(s, 0.15f, 0.2f, 0.4f);
    add_capsule(s, (lmb_vec3){0.42f, 0.5f, 0}, (lmb_vec3){0.42f, 0.9f, 0.3f}, 0.015f, 0.015f);
    lmbi_reading r[2][LMBI_READINGS];
    lmbi_tip tips[2][LMBI_MAX_TIPS];
    for (int way = 0; way < 2; ++way) {
        const lmbi_triangle_soup soup = {s->points, s->point_count, s->triangles, s->triangle_count,
                                         false};
        assert_true(read_soup(&soup, FIGURE, false, r[way], tips[way]) > 0);
        for (uint32_t p = 0; p < s->point_count; ++p) {
            s->points[p].x = -s->points[p].x;
        }
    }
    assert_true(fabsf(r[0][0].score - r[1][0].score) < 0.5f);
    for (int c = 0; c < 2; ++c) {
        for (int side = 0; side < 2; ++side) {
            const int32_t a = r[0][0].tips[c][side], b = r[1][0].tips[c][1 - side];
            assert_true((a < 0) == (b < 0));
            if (a >= 0) {
                const lmb_vec3 p = tips[0][a].position, q = tips[1][b].position;
                assert_true(lmb_vec3_distance((lmb_vec3){-p.x, p.y, p.z}, q) < 0.03f);
            }
        }
    }
    free(s);
}

static void bounds_lose_nothing(void **state)
{
    (void)state;
    capsules *s = malloc(sizeof *s);
    make_figure(s, 0.15f, 0.2f, 0.4f);
    add_capsule(s, (lmb_vec3){0.42f, 0.5f, 0}, (lmb_vec3){0.42f, 0.9f, 0.3f}, 0.015f, 0.015f);
    add_capsule(s, (lmb_vec3){0, 0.42f, -0.05f}, (lmb_vec3){0.05f, 0.5f, -0.4f}, 0.03f, 0.02f);
    const lmbi_triangle_soup soup = {s->points, s->point_count, s->triangles, s->triangle_count,
                                     false};
    lmbi_voxel_cache cache;
    const lmbi_body_shape *x;
    assert_int_equal(lmbi_voxel_cache_create(&soup, NULL, &cache, NULL), LMB_OK);
    assert_int_equal(lmbi_voxel_cache_get(&cache, LMBI_VOXELS_COARSE, &x, NULL), LMB_OK);
    assert_true(x->tip_count >= 6);
    static const char *const texts[] = {FIGURE, BEAST};
    for (size_t p = 0; p < sizeof texts / sizeof *texts; ++p) {
        lmb_body_template *t = read_text(texts[p]);
        lmbi_reading r[2][LMBI_READINGS];
        uint32_t count[2];
        for (int way = 0; way < 2; ++way) {
            const lmbi_search_opts opts = {.up = {0, 1, 0}, .exhaustive = way == 1};
            count[way] = lmbi_search_readings(&x->body, x->tips, x->tip_count, t, &opts, r[way]);
        }
        assert_int_equal(count[0], count[1]);
        for (uint32_t k = 0; k < count[0]; ++k) {
            assert_true(fabsf(r[0][k].score - r[1][k].score) < 1e-4f);
            assert_memory_equal(r[0][k].tips, r[1][k].tips, sizeof r[0][k].tips);
        }
        assert_true(count[0] > 0);
        lmb_body_template_destroy(t);
    }
    lmbi_voxel_cache_destroy(&cache);
    free(s);
}

static void reptile_on_two_legs(void **state)
{
    (void)state;
    capsules *s = malloc(sizeof *s);
    s->point_count = s->triangle_count = 0;
    add_capsule(s, (lmb_vec3){0, 1, -0.2f}, (lmb_vec3){0, 1.05f, 0.5f}, 0.22f, 0.2f);
    add_capsule(s, (lmb_vec3){0, 1.05f, 0.5f}, (lmb_vec3){0, 1.45f, 0.85f}, 0.13f, 0.1f);
    add_capsule(s, (lmb_vec3){0, 1.5f, 0.8f}, (lmb_vec3){0, 1.42f, 1.25f}, 0.15f, 0.09f);
    add_capsule(s, (lmb_vec3){0, 1, -0.2f}, (lmb_vec3){0, 1.0f, -1.5f}, 0.18f, 0.02f);
    for (int side = 0; side < 2; ++side) {
        const float x = side == 0 ? 1.0f : -1.0f;
        add_capsule(s, (lmb_vec3){0.15f * x, 0.95f, 0}, (lmb_vec3){0.2f * x, 0.55f, 0.15f}, 0.13f,
                    0.09f);
        add_capsule(s, (lmb_vec3){0.2f * x, 0.55f, 0.15f}, (lmb_vec3){0.2f * x, 0.25f, -0.1f},
                    0.08f, 0.05f);
        add_capsule(s, (lmb_vec3){0.2f * x, 0.25f, -0.1f}, (lmb_vec3){0.2f * x, 0.05f, 0}, 0.05f,
                    0.05f);
        add_capsule(s, (lmb_vec3){0.2f * x, 0.05f, 0}, (lmb_vec3){0.2f * x, 0.05f, 0.22f}, 0.05f,
                    0.04f);
        add_capsule(s, (lmb_vec3){0.17f * x, 0.95f, 0.5f}, (lmb_vec3){0.22f * x, 0.75f, 0.65f},
                    0.04f, 0.03f);
    }
    const lmb_embedding e = embedded(s);
    assert_int_equal(e.kind, LMB_SKELETON_BIPED);
    assert_true(e.up.y > 0.95f && e.forward.z > 0.95f);
    assert_true(joint(&e, "head").z > 0.6f && joint(&e, "tail3").z < -0.6f);
    assert_true(joint(&e, "leftFoot").y < 0.5f && joint(&e, "leftFoot").x > 0);
    assert_true(lmb_vec3_distance(joint(&e, "leftUpperLeg"), (lmb_vec3){0.15f, 0.95f, 0}) < 0.3f);
    free(s);
}

/// The best reading along +Z, or NULL.
static const lmbi_reading *lying(const lmbi_reading *r, uint32_t count)
{
    for (uint32_t k = 0; k < count; ++k) {
        if (r[k].up.z > 0.95f) {
            return &r[k];
        }
    }
    return NULL;
}

/// What a format says of the up axis counts, and a body that lies in spite of it is still found.
static void formats_say_which_way_is_up(void **state)
{
    (void)state;
    const float rarer = 2 * (4.1f - 1.5f); // logarithms of the search, which count twice
    uint32_t compared = 0;
    for (uint64_t seed = 300; seed < 304; ++seed) {
        const lmb_made_body_opts opts = {
            .kind = LMB_MADE_HUMANOID, .seed = seed, .triangle_count = 4000};
        lmb_made_body *body = NULL;
        assert_int_equal(lmb_made_body_create(&opts, NULL, &body, NULL), LMB_OK);
        lmb_mesh *m = body->character->meshes[0];
        const lmbi_triangle_soup soup = {m->positions, m->vertex_count, m->indices,
                                         m->index_count / 3, false};
        lmbi_reading any[LMBI_READINGS], said[LMBI_READINGS];
        lmbi_tip tips[LMBI_MAX_TIPS];
        const uint32_t any_count = read_soup(&soup, FIGURE, false, any, tips),
                       said_count = read_soup(&soup, FIGURE, true, said, tips);
        assert_true(any[0].score == said[0].score && said[0].up.y > 0.95f);
        const lmbi_reading *a = lying(any, any_count), *b = lying(said, said_count);
        if (a && b) {
            assert_true(fabsf(a->score - b->score - rarer) < 1e-3f);
            ++compared;
        }
        for (uint32_t v = 0; v < m->vertex_count; ++v) {
            m->positions[v] =
                lmb_vec3_make(m->positions[v].x, -m->positions[v].z, m->positions[v].y);
        }
        lmb_embedding e;
        assert_int_equal(lmb_embed(m->positions, m->vertex_count, m->indices, m->index_count / 3,
                                   &(lmb_embed_opts){.y_up = true}, NULL, &e, NULL),
                         LMB_OK);
        assert_int_equal(e.kind, LMB_SKELETON_HUMAN);
        assert_true(e.up.z > 0.95f && e.overall > 0.5f);
        lmb_made_body_destroy(body);
    }
    assert_true(compared > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(density_is_students),
        cmocka_unit_test(ears_and_large_heads_stay_on_top),
        cmocka_unit_test(clear_humans_are_sure),
        cmocka_unit_test(mirrored_input_mirrors_readings),
        cmocka_unit_test(bounds_lose_nothing),
        cmocka_unit_test(reptile_on_two_legs),
        cmocka_unit_test(formats_say_which_way_is_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
