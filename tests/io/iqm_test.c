// IQM: a file built here with numbers of many kinds, whole and broken.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "io/files.h"
#include "io/skinned/iqm.h"
#include "vec3_near.h"

typedef struct iqm_maker {
    uint8_t bytes[4096];
    size_t size;
} iqm_maker;

static void put_u32(iqm_maker *q, size_t at, uint32_t value)
{
    for (int k = 0; k < 4; ++k) {
        q->bytes[at + (size_t)k] = (uint8_t)(value >> 8 * k);
    }
}

static void add_u32(iqm_maker *q, uint32_t value)
{
    put_u32(q, q->size, value);
    q->size += 4;
}

static void add_float(iqm_maker *q, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    add_u32(q, bits);
}

static void add_floats(iqm_maker *q, const float *values, int count)
{
    for (int k = 0; k < count; ++k) {
        add_float(q, values[k]);
    }
}

static void add_u16(iqm_maker *q, unsigned value)
{
    q->bytes[q->size++] = (uint8_t)value;
    q->bytes[q->size++] = (uint8_t)(value >> 8);
}

/// Notes where a table begins, and how many it has.
static void begin_table(iqm_maker *q, size_t count_at, size_t offset_at, uint32_t count)
{
    put_u32(q, count_at, count);
    put_u32(q, offset_at, (uint32_t)q->size);
}

static const char texts[] = "\0root\0arm\0body\0red\0wave";
enum { TEXT_ROOT = 1, TEXT_ARM = 6, TEXT_BODY = 10, TEXT_RED = 15, TEXT_WAVE = 19 };
enum { HEAD = 124, VERTEX_ARRAYS_AT = HEAD + 24 + 24, NUMBERS = VERTEX_ARRAYS_AT + 5 * 20 };

static void add_joints(iqm_maker *q)
{
    begin_table(q, 68, 72, 2);
    const float one[3] = {1, 1, 1};
    add_u32(q, TEXT_ROOT);
    add_u32(q, (uint32_t)-1);
    add_floats(q, (const float[]){0, 0, 1, 0, 0, 0, 1}, 7);
    add_floats(q, one, 3);
    add_u32(q, TEXT_ARM);
    add_u32(q, 0);
    add_floats(q, (const float[]){0, 0, 2, 0, 0, 0, -2}, 7); // not unit, and on the far side
    add_floats(q, one, 3);
}

/// Channel 2 (z) of the root and 3 (quaternion x) and 6 (w) of the arm move.
static void add_motion(iqm_maker *q)
{
    begin_table(q, 76, 80, 2);
    const uint32_t masks[2] = {1u << 2, 1u << 3 | 1u << 6};
    const float offsets[2][10] = {{0, 0, 1, 0, 0, 0, 1, 1, 1, 1}, {0, 0, 2, 0, 0, 0, 0, 1, 1, 1}};
    const float scales[2][10] = {{0, 0, 0.5f}, {0, 0, 0, 1.0f / 65535, 0, 0, 1.0f / 65535}};
    for (int j = 0; j < 2; ++j) {
        add_u32(q, (uint32_t)(j - 1));
        add_u32(q, masks[j]);
        add_floats(q, offsets[j], 10);
        add_floats(q, scales[j], 10);
    }
    begin_table(q, 84, 88, 1);
    add_u32(q, TEXT_WAVE);
    add_u32(q, 0);
    add_u32(q, 2);
    add_float(q, 12);
    add_u32(q, 1);
    begin_table(q, 92, 100, 2);
    put_u32(q, 96, 3);
    add_u16(q, 0); // frame 0: z 1, no turn
    add_u16(q, 0);
    add_u16(q, 65535);
    add_u16(q, 8); // frame 1: z 5, a quarter turn about x
    add_u16(q, 65535);
    add_u16(q, 65535);
}

static void add_array(iqm_maker *q, uint32_t kind, uint32_t format, uint32_t width, uint32_t offset)
{
    const uint32_t values[5] = {kind, 0, format, width, offset};
    for (int k = 0; k < 5; ++k) {
        add_u32(q, values[k]);
    }
}

/// Positions as doubles, UVs as halves, weights and joints as bytes, colours as shorts.
static void add_arrays(iqm_maker *q)
{
    begin_table(q, 44, 52, 5);
    put_u32(q, 48, 3);
    add_array(q, 0, 8, 3, NUMBERS);
    add_array(q, 1, 6, 2, NUMBERS + 72);
    add_array(q, 4, 1, 4, NUMBERS + 84);
    add_array(q, 5, 1, 4, NUMBERS + 96);
    add_array(q, 6, 3, 4, NUMBERS + 108);
    assert_int_equal(q->size, NUMBERS);
    const double positions[9] = {0, 1, 3, 1, 0, 1, 0, 0, 2.5};
    memcpy(q->bytes + q->size, positions, sizeof positions);
    q->size += sizeof positions;
    const unsigned halves[6] = {0x3800, 0x3c00, 0, 0xbc00, 1, 0x3555}; // .5 1 0 -1 2^-24 1/3
    for (int k = 0; k < 6; ++k) {
        add_u16(q, halves[k]);
    }
    const uint8_t joints[12] = {1, 0, 0, 0, 0, 9, 0, 0, 0, 1, 0, 0};
    const uint8_t weights[12] = {255, 0, 0, 0, 255, 0, 0, 0, 51, 204, 0, 0};
    memcpy(q->bytes + q->size, joints, 12);
    memcpy(q->bytes + q->size + 12, weights, 12);
    q->size += 24;
    for (int k = 0; k < 12; ++k) {
        add_u16(q, k % 4 == 3 ? 32768 : 65535);
    }
}

static void make_model(iqm_maker *q)
{
    memset(q, 0, sizeof *q);
    memcpy(q->bytes, "INTERQUAKEMODEL", 16);
    put_u32(q, 16, 2);
    q->size = HEAD;
    begin_table(q, 28, 32, sizeof texts);
    memcpy(q->bytes + q->size, texts, sizeof texts);
    q->size += 24;
    begin_table(q, 36, 40, 1);
    const uint32_t mesh[6] = {TEXT_BODY, TEXT_RED, 0, 3, 0, 1};
    for (int k = 0; k < 6; ++k) {
        add_u32(q, mesh[k]);
    }
    add_arrays(q);
    begin_table(q, 56, 60, 1);
    for (uint32_t k = 0; k < 3; ++k) {
        add_u32(q, k);
    }
    add_joints(q);
    add_motion(q);
}

static lmb_result read_made(const iqm_maker *q, const lmb_allocator *alloc, lmb_character **out,
                            lmb_error *error)
{
    uint8_t *copy = malloc(q->size + 1);
    memcpy(copy, q->bytes, q->size);
    const lmb_result result = lmbi_iqm_read(copy, q->size, NULL, alloc, out, error);
    free(copy);
    return result;
}

static void near(lmb_vec3 p, float x, float y, float z)
{
    assert_vec3_near(p, x, y, z, 1e-5f);
}

static void every_table_is_read(void **state)
{
    (void)state;
    static iqm_maker q;
    make_model(&q);
    lmb_character *c = NULL;
    lmb_error error = {0};
    if (read_made(&q, NULL, &c, &error) != LMB_OK) {
        fail_msg("byte %zu: expected %s, found %s", error.offset, error.expected, error.found);
    }
    const lmb_mesh *mesh = c->meshes[0];
    near(mesh->positions[0], 0, 3, -1);
    near(mesh->positions[2], 0, 2.5f, 0);
    assert_true(mesh->uvs[0][0].x == 0.5f && mesh->uvs[0][1].y == -1);
    assert_true(mesh->uvs[0][2].x == 0x1p-24f && fabsf(mesh->uvs[0][2].y - 1 / 3.0f) < 1e-4f);
    assert_true(mesh->colors[0][1].x == 1 && fabsf(mesh->colors[0][1].w - 0.5f) < 1e-4f);
    assert_int_equal(mesh->influences.first[3], 4);
    assert_int_equal(mesh->influences.items[2].joint, 1);
    assert_true(fabsf(mesh->influences.items[2].weight - 0.8f) < 1e-6f);
    assert_int_equal(mesh->indices[0], 2);
    assert_string_equal(mesh->primitives[0].name, "body");
    assert_string_equal(c->appearance->materials[0].name, "red");
    assert_string_equal(c->skeleton->names[1], "arm");
    assert_string_equal(c->clips[0]->name, "wave");
    assert_true(c->clips[0]->frame_rate == 12);
    lmb_markers *markers = NULL;
    assert_int_equal(lmb_markers_of_clip(c, 0, 0, NULL, &markers, NULL), LMB_OK);
    near(markers->positions[1], 0, 3, 0);
    near(markers->positions[3], 0, 5, 0);
    near(markers->positions[4], 0, 7, 0);
    // The arm rotated by 90 degrees about x in its own frame: its y axis points up.
    const lmb_channel *rotation = NULL;
    for (uint32_t k = 0; k < c->clips[0]->channel_count; ++k) {
        const lmb_channel *channel = &c->clips[0]->channels[k];
        rotation = channel->path == LMB_PATH_ROTATION && channel->joint == 1 ? channel : rotation;
    }
    assert_non_null(rotation);
    const float half = 0.70710678f;
    assert_true(fabsf(rotation->values[4] - half) < 1e-5f &&
                fabsf(rotation->values[7] - half) < 1e-5f);
    lmb_markers_destroy(markers);
    lmb_character_destroy(c);
}

static void poses_alone_make_joints(void **state)
{
    (void)state;
    static iqm_maker q;
    make_model(&q);
    put_u32(&q, 36, 0); // no meshes
    put_u32(&q, 68, 0); // no joints
    lmb_character *c = NULL;
    assert_int_equal(read_made(&q, NULL, &c, NULL), LMB_OK);
    assert_int_equal(c->mesh_count, 0);
    assert_int_equal(c->skeleton->joint_count, 2);
    assert_string_equal(c->skeleton->names[1], "joint 1");
    near(c->skeleton->rest[1].translation, 0, 2, 0);
    lmb_character_destroy(c);
}

static void wrong_files_name_the_position(void **state)
{
    (void)state;
    static iqm_maker good, q;
    make_model(&good);
    const struct {
        size_t at;
        uint32_t value;
        lmb_result code;
        size_t offset;
    } wrong[] = {
        {0, 0, LMB_ERROR_MALFORMED, 0},
        {16, 1, LMB_ERROR_UNSUPPORTED, 16},
        {36, 0x10000000, LMB_ERROR_MALFORMED, 36},
        {72, 0xfffffff0u, LMB_ERROR_MALFORMED, 68},
        {92, 0x7fffffff, LMB_ERROR_MALFORMED, 92},
        {96, 2, LMB_ERROR_MALFORMED, 96},
        {48, 0x20000000, LMB_ERROR_MALFORMED, VERTEX_ARRAYS_AT + 16},
        {VERTEX_ARRAYS_AT + 8, 12, LMB_ERROR_MALFORMED, VERTEX_ARRAYS_AT + 8},
        {VERTEX_ARRAYS_AT, 7, LMB_ERROR_MALFORMED, 44}, // no positions are left
        {HEAD + 24 + 12, 4, LMB_ERROR_MALFORMED, HEAD + 24 + 8},
        {HEAD + 24 + 20, 2, LMB_ERROR_MALFORMED, HEAD + 24 + 16},
        {NUMBERS + 84, 7, LMB_ERROR_MALFORMED, NUMBERS + 84},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; ++k) {
        q = good;
        put_u32(&q, wrong[k].at, wrong[k].value);
        lmb_character *c = NULL;
        lmb_error error = {0};
        const lmb_result result = read_made(&q, NULL, &c, &error);
        if (result != wrong[k].code || error.offset != wrong[k].offset) {
            fail_msg("case %zu: %s at byte %zu: expected %s, found %s", k, lmb_result_name(result),
                     error.offset, error.expected, error.found);
        }
        assert_null(c);
    }
    for (size_t size = 0; size < good.size; ++size) {
        q = good;
        q.size = size;
        lmb_character *c = NULL;
        assert_int_not_equal(read_made(&q, NULL, &c, NULL), LMB_OK);
    }
}

static void every_allocation_can_fail(void **state)
{
    (void)state;
    static iqm_maker q;
    make_model(&q);
    for (failing_run f = {.least = 5}; failing_next(&f);) {
        lmb_character *c = NULL;
        f.result = read_made(&q, &f.alloc, &c, NULL);
        lmb_character_destroy(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_table_is_read),
        cmocka_unit_test(poses_alone_make_joints),
        cmocka_unit_test(wrong_files_name_the_position),
        cmocka_unit_test(every_allocation_can_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
