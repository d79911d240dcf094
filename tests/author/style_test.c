#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "author/style.h"
#include "base/inflate.h"
#include "failing_allocator.h"
#include "rig/rows.h"

enum { SIDE = 24 };
static const sheet_joint joints[3] = {
    {"root", {0, 0, 0}}, {"near", {0.5f, 0, 0}}, {"far", {1.5f, 0, 0}}};

/// A sheet of 2 by 1. The maker's border between the second and the third joint lies at 1.5 where
/// heat has it at 1, a little to one side or the other for every seed.
static lmb_character *make(uint32_t seed, const lmb_allocator *alloc)
{
    sheet *s = sheet_begin(SIDE, SIDE, joints, 3);
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        const float x = 2 * (float)(v % SIDE) / (SIDE - 1),
                    y = (float)(v / SIDE) / (SIDE - 1) - 0.5f;
        s->positions[v] = lmb_vec3_make(x, y * (1 + 0.1f * (float)seed), 0.02f * x * y);
        const float fraction = x < 1.3f ? 0 : x > 1.7f ? 1 : (x - 1.3f) / 0.4f;
        s->weights[v][1] = 1 - fraction;
        s->weights[v][2] = fraction;
    }
    return sheet_character(s, alloc);
}

static lmb_style *train(const lmb_allocator *alloc, lmb_result *result)
{
    lmb_character *c[3];
    lmb_style *style = NULL;
    const lmb_style_opts opts = {.epochs = 20, .samples = 300, .seed = 5};
    for (uint32_t k = 0; k < 3; ++k) {
        c[k] = make(k, NULL);
    }
    *result = lmb_style_train((const lmb_character *const *)c, 3, &opts, alloc, &style, NULL);
    for (uint32_t k = 0; k < 3; ++k) {
        lmb_character_destroy(c[k]);
    }
    return style;
}

static float score(const lmb_character *c, lmb_rig_weights method, const lmb_weights_model *model)
{
    lmb_surface *surface;
    lmb_weights *weights;
    lmb_weights_score s;
    const lmb_weights_opts opts = {.method = method, .model = model};
    assert_int_equal(lmb_weights_again(c, &opts, NULL, &surface, &weights, NULL), LMB_OK);
    assert_int_equal(lmb_weights_compare(c, surface, weights, NULL, &s, NULL, NULL), LMB_OK);
    lmb_weights_destroy(weights);
    lmb_surface_destroy(surface);
    return s.l1_mean;
}

static void a_border_is_learned(void **state)
{
    (void)state;
    lmb_result result;
    lmb_style *style = train(NULL, &result);
    assert_int_equal(result, LMB_OK);
    const lmb_style_report report = lmb_style_describe(style), *r = &report;
    assert_int_equal(r->character_count, 3);
    assert_int_equal(r->better_count, 3);
    assert_int_equal(r->worse_count, 0);
    assert_float_equal(r->trust, 1, 0);
    assert_true(r->l1_before > 0.3f);
    assert_true(r->l1_after < 0.3f * r->l1_before);
    assert_int_equal(r->placed_count, 0); // no humanoid

    lmb_character *fresh = make(7, NULL);
    lmb_weights_model *model;
    assert_int_equal(lmb_style_model_create(style, fresh->skeleton, NULL, &model, NULL), LMB_OK);
    assert_true(score(fresh, LMB_WEIGHTS_LEARNED, model) <
                0.4f * score(fresh, LMB_WEIGHTS_HEAT, NULL));
    lmb_style_model_destroy(model);
    lmb_character_destroy(fresh);

    const uint8_t *deforms;
    const lmb_skeleton *skeleton = lmb_style_describe(style).skeleton;
    deforms = lmb_style_describe(style).deforms;
    assert_int_equal(skeleton->joint_count, 3); // without the mesh's node
    assert_string_equal(skeleton->names[2], "far");
    assert_int_equal(deforms[0], 0);
    assert_int_equal(deforms[2], 1);
    lmb_style_destroy(style);
}

/// Sets the size and the checksum of changed bytes right.
static void seal(uint8_t *bytes, size_t size)
{
    const uint32_t crc = lmbi_crc32(0, bytes + 16, size - 16);
    for (int k = 0; k < 4; ++k) {
        bytes[8 + k] = (uint8_t)(size >> (8 * k));
        bytes[12 + k] = (uint8_t)(crc >> (8 * k));
    }
}

static lmb_result read_code(const uint8_t *bytes, size_t size)
{
    lmb_style *style = NULL;
    const lmb_result result = lmb_style_read(bytes, size, NULL, &style, NULL);
    lmb_style_destroy(style);
    return result;
}

static void bytes_come_back_and_lies_are_refused(void **state)
{
    (void)state;
    lmb_result result;
    lmb_style *style = train(NULL, &result), *again;
    lmb_buffer bytes = {0}, second = {0};
    assert_int_equal(lmb_style_write(style, NULL, &bytes, NULL), LMB_OK);
    assert_true(bytes.size < LMBI_STYLE_BYTES);
    assert_int_equal(lmb_style_read(bytes.data, bytes.size, NULL, &again, NULL), LMB_OK);
    assert_int_equal(lmb_style_write(again, NULL, &second, NULL), LMB_OK);
    assert_int_equal(bytes.size, second.size);
    assert_memory_equal(bytes.data, second.data, bytes.size);
    assert_memory_equal(&style->report, &again->report, sizeof style->report);

    uint8_t *copy = malloc(bytes.size);
    for (size_t cut = 0; cut < bytes.size; cut += cut < 2000 ? 1 : 501) {
        memcpy(copy, bytes.data, cut);
        if (cut >= 16) {
            seal(copy, cut);
        }
        assert_int_equal(read_code(copy, cut), LMB_ERROR_MALFORMED);
    }
    memcpy(copy, bytes.data, bytes.size);
    copy[100] ^= 1; // the checksum tells
    assert_int_equal(read_code(copy, bytes.size), LMB_ERROR_MALFORMED);
    memcpy(copy, bytes.data, bytes.size);
    copy[4] = 9;
    assert_int_equal(read_code(copy, bytes.size), LMB_ERROR_UNSUPPORTED);
    memcpy(copy, bytes.data, bytes.size);
    memset(copy + bytes.size - 4, 0xff, 4); // no number
    seal(copy, bytes.size);
    assert_int_equal(read_code(copy, bytes.size), LMB_ERROR_MALFORMED);
    memcpy(copy, bytes.data, bytes.size);
    const size_t first_parent =
        16 + 36 + 4 * (size_t)LMB_OWNERSHIP_COEFFICIENTS + 12 * (size_t)LMB_HUMAN_BONE_COUNT + 4;
    assert_int_equal(copy[first_parent], 0xff); // LMB_NONE
    memset(copy + first_parent, 0, 4);          // its own parent
    seal(copy, bytes.size);
    assert_int_equal(read_code(copy, bytes.size), LMB_ERROR_MALFORMED);
    free(copy);
    lmb_buffer_free(&second);
    lmb_buffer_free(&bytes);
    lmb_style_destroy(again);
    lmb_style_destroy(style);
}

/// The style with as many quarters of heat as the fifth number of the report says, as read from bytes of a version.
static lmb_style *mixed(const lmb_buffer *bytes, uint8_t version, uint8_t heat)
{
    uint8_t *copy = malloc(bytes->size);
    lmb_style *style = NULL;
    memcpy(copy, bytes->data, bytes->size);
    copy[4] = version;
    copy[16 + 16] = heat;
    seal(copy, bytes->size);
    assert_int_equal(lmb_style_read(copy, bytes->size, NULL, &style, NULL), LMB_OK);
    free(copy);
    return style;
}

/// Weights of the joint "far" along the middle row of a new sheet.
static void weigh(const lmb_style *style, float out[SIDE])
{
    lmb_character *c = make(7, NULL);
    lmb_surface *surface;
    lmb_weights *w;
    lmb_weights_model *model;
    assert_int_equal(lmb_style_model_create(style, c->skeleton, NULL, &model, NULL), LMB_OK);
    const lmb_weights_opts opts = {.method = LMB_WEIGHTS_LEARNED, .model = model};
    assert_int_equal(lmb_weights_again(c, &opts, NULL, &surface, &w, NULL), LMB_OK);
    for (uint32_t k = 0; k < SIDE; ++k) {
        const uint32_t v = surface->vertex_of[SIDE / 2 * SIDE + k];
        out[k] = 0;
        for (uint32_t i = w->influences.first[v]; i < w->influences.first[v + 1]; ++i) {
            out[k] += w->influences.items[i].joint == 2 ? w->influences.items[i].weight : 0;
        }
    }
    lmb_style_model_destroy(model);
    lmb_weights_destroy(w);
    lmb_surface_destroy(surface);
    lmb_character_destroy(c);
}

static void a_model_is_trusted_in_part(void **state)
{
    (void)state;
    static const struct {
        uint8_t version, heat;
        float trust;
    } cases[] = {{2, 0, 1}, {2, 2, 0.5f}, {2, 4, 0}, {1, 0, 1}, {1, 1, 0}};
    float rows[5][SIDE], apart = 0;
    lmb_result result;
    lmb_style *style = train(NULL, &result);
    lmb_buffer bytes = {0};
    assert_int_equal(lmb_style_write(style, NULL, &bytes, NULL), LMB_OK);
    for (int k = 0; k < 5; ++k) {
        lmb_style *read = mixed(&bytes, cases[k].version, cases[k].heat);
        assert_float_equal(lmb_style_describe(read).trust, cases[k].trust, 0);
        weigh(read, rows[k]);
        lmb_style_destroy(read);
    }
    for (uint32_t v = 0; v < SIDE; ++v) {
        assert_float_equal(rows[1][v], 0.5f * (rows[0][v] + rows[2][v]),
                           0.05f); // small weights are dropped
        assert_float_equal(rows[3][v], rows[0][v], 0);
        assert_float_equal(rows[4][v], rows[2][v], 0);
        apart = fmaxf(apart, fabsf(rows[0][v] - rows[2][v]));
    }
    assert_true(apart > 0.5f);
    lmb_buffer_free(&bytes);
    lmb_style_destroy(style);
}

/// A humanoid embedding of arms to the sides and legs down.
static void stand(lmb_embedding *e)
{
    static const struct {
        lmb_human_bone bone;
        lmb_vec3 at;
    } positions[] = {
        {LMB_HUMAN_HIPS, {0, 1, 0}},
        {LMB_HUMAN_SPINE, {0, 1.2f, 0.1f}}, // the trunk's offsets are upright all the same
        {LMB_HUMAN_LEFT_UPPER_LEG, {0.1f, 0.9f, 0}},
        {LMB_HUMAN_LEFT_LOWER_LEG, {0.1f, 0.5f, 0}},
        {LMB_HUMAN_RIGHT_UPPER_LEG, {-0.1f, 0.9f, 0}},
        {LMB_HUMAN_RIGHT_LOWER_LEG, {-0.1f, 0.5f, 0}},
        {LMB_HUMAN_LEFT_UPPER_ARM, {0.2f, 1.4f, 0}},
        {LMB_HUMAN_LEFT_LOWER_ARM, {0.5f, 1.4f, 0}},
        {LMB_HUMAN_RIGHT_UPPER_ARM, {-0.2f, 1.4f, 0}},
        {LMB_HUMAN_RIGHT_LOWER_ARM, {-0.5f, 1.4f, 0}},
    };
    memset(e, 0, sizeof *e);
    e->kind = LMB_SKELETON_HUMAN;
    e->left = lmb_vec3_make(1, 0, 0);
    e->up = lmb_vec3_make(0, 1, 0);
    e->forward = lmb_vec3_make(0, 0, 1);
    e->height = 2;
    for (int b = 0; b < LMB_HUMAN_BONE_COUNT; ++b) {
        e->human[b] = LMB_NONE;
    }
    for (uint32_t k = 0; k < sizeof positions / sizeof *positions; ++k) {
        e->human[positions[k].bone] = (int32_t)k;
        e->joints[k] = e->tips[k] = positions[k].at;
        e->joint_count = k + 1;
    }
}

static void offsets_are_laid_along_forward_and_outward_on_both_sides(void **state)
{
    (void)state;
    static lmb_embedding e;
    lmb_style *style;
    assert_int_equal(lmbi_style_new(NULL, &style, NULL), LMB_OK);
    const lmb_vec3 off = {0.05f, 0.02f, 0.01f};
    style->offsets[LMB_HUMAN_LEFT_UPPER_LEG] = style->offsets[LMB_HUMAN_RIGHT_UPPER_LEG] = off;
    style->offsets[LMB_HUMAN_LEFT_UPPER_ARM] = style->offsets[LMB_HUMAN_RIGHT_UPPER_ARM] = off;
    style->offsets[LMB_HUMAN_HIPS] = off; // in the middle nothing is outward
    stand(&e);
    lmb_style_place(style, &e);
    const lmb_vec3 expected[5] = {{0, 1.1f, 0.04f},
                                  {0.12f, 0.8f, 0.04f},
                                  {-0.12f, 0.8f, 0.04f},
                                  {0.3f, 1.42f, 0.04f},
                                  {-0.3f, 1.42f, 0.04f}};
    const lmb_human_bone bones[5] = {LMB_HUMAN_HIPS, LMB_HUMAN_LEFT_UPPER_LEG,
                                     LMB_HUMAN_RIGHT_UPPER_LEG, LMB_HUMAN_LEFT_UPPER_ARM,
                                     LMB_HUMAN_RIGHT_UPPER_ARM};
    for (int k = 0; k < 5; ++k) {
        assert_true(lmb_vec3_distance(e.joints[e.human[bones[k]]], expected[k]) < 1e-5f);
    }
    lmb_style_destroy(style);
}

static void too_few_are_refused_and_every_allocation_of_a_reader_may_fail(void **state)
{
    (void)state;
    lmb_character *c = make(0, NULL);
    lmb_style *style = NULL;
    assert_int_equal(lmb_style_train((const lmb_character *const *)&c, 1, NULL, NULL, &style, NULL),
                     LMB_ERROR_INVALID);
    lmb_character_destroy(c);
    lmb_buffer bytes = {0};
    lmb_result result;
    style = train(NULL, &result);
    assert_int_equal(lmb_style_write(style, NULL, &bytes, NULL), LMB_OK);
    lmb_style_destroy(style);
    for (failing_run f = {0}; failing_next(&f);) {
        style = NULL;
        f.result = lmb_style_read(bytes.data, bytes.size, &f.alloc, &style, NULL);
        lmb_style_destroy(style);
    }
    lmb_buffer_free(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_border_is_learned),
        cmocka_unit_test(bytes_come_back_and_lies_are_refused),
        cmocka_unit_test(a_model_is_trusted_in_part),
        cmocka_unit_test(offsets_are_laid_along_forward_and_outward_on_both_sides),
        cmocka_unit_test(too_few_are_refused_and_every_allocation_of_a_reader_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
