// .limb files: there and back, later versions, an early file, lies, memory.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "failing_allocator.h"
#include "limber/limber.h"
#include "limber/os.h"

enum { JOINTS = 3, KEYS = 90 };
#define EARLY_HASH 0xfb8e5a58125b4c96u

static lmb_skeleton *make_skeleton(void)
{
    int32_t parents[JOINTS] = {LMB_NONE, 0, 1};
    lmb_transform rest[JOINTS] = {lmb_transform_identity(), lmb_transform_identity(),
                                  lmb_transform_identity()};
    const char *names[JOINTS] = {"hips", "knee", ""};
    lmb_vec3 tips[JOINTS] = {{0, 0, 0}, {0, 0, 0}, {0, -0.2f, 0.1f}};
    lmb_joint_limit limits[JOINTS] = {
        {0},
        {.kind = LMB_JOINT_HINGE, .axis = {1, 0, 0}, .twist_min_rad = -2, .twist_max_rad = 0.1f},
        {.kind = LMB_JOINT_BALL, .axis = {0, 1, 0}, .swing_rad = 1, .twist_max_rad = 1}};
    rest[1].translation = lmb_vec3_make(0, -0.5f, 0);
    rest[2].translation = lmb_vec3_make(0, -0.4f, 0);
    const lmb_skeleton def = {.name = "leg",
                              .joint_count = JOINTS,
                              .parents = parents,
                              .rest = rest,
                              .names = names,
                              .tips = tips,
                              .limits = limits};
    lmb_skeleton *skeleton = NULL;
    assert_int_equal(lmb_skeleton_create(&def, NULL, &skeleton, NULL), LMB_OK);
    return skeleton;
}

static lmb_clip *make_clip(void)
{
    static float ticks[KEYS], rotations[KEYS * 4],
        steps[2 * 3] = {1, 1, 1, 2, 1, 1}, step_ticks[2] = {0, 0.7f}, cubic[2 * 9];
    for (int k = 0; k < KEYS; ++k) {
        const lmb_quat q =
            lmb_quat_axis_angle(lmb_vec3_make(1, 0, 0), 0.7f * lmb_sin((float)k * 0.2f));
        ticks[k] = (float)k / 30;
        memcpy(&rotations[4 * k], &q, sizeof q);
    }
    cubic[3] = 0.1f;
    lmb_channel channels[] = {{0, LMB_PATH_ROTATION, LMB_LINEAR, 4, KEYS, ticks, rotations},
                              {1, LMB_PATH_ROTATION, LMB_LINEAR, 4, KEYS, ticks, rotations},
                              {2, LMB_PATH_SCALE, LMB_STEP, 3, 2, step_ticks, steps},
                              {0, LMB_PATH_TRANSLATION, LMB_CUBIC, 3, 2, step_ticks, cubic}};
    const lmb_clip def = {.name = "kick",
                          .duration = ticks[KEYS - 1],
                          .frame_rate = 30,
                          .channel_count = 4,
                          .channels = channels};
    lmb_clip *clip = NULL;
    assert_int_equal(lmb_clip_create(&def, NULL, &clip, NULL), LMB_OK);
    return clip;
}

typedef struct made {
    lmb_limb_file limb;
    lmb_clip *clip;
    lmb_packed_clip *packed;
} made;

static made make(void)
{
    static made m;
    m = (made){.limb = {.skeleton = make_skeleton(), .clip_count = 1, .packed_count = 1}};
    m.clip = make_clip();
    assert_int_equal(lmb_packed_clip_create(m.limb.skeleton, m.clip, NULL, NULL, &m.packed, NULL),
                     LMB_OK);
    return m;
}

static lmb_buffer write_out(made *m)
{
    lmb_buffer buffer = {0};
    m->limb.clips = &m->clip;
    m->limb.packed = &m->packed;
    assert_int_equal(lmb_limb_file_write(&m->limb, NULL, &buffer, NULL), LMB_OK);
    return buffer;
}

static void unmake(made *m, lmb_buffer *buffer)
{
    lmb_skeleton_destroy(m->limb.skeleton);
    lmb_clip_destroy(m->clip);
    lmb_packed_clip_destroy(m->packed);
    lmb_buffer_free(buffer);
}

static void there_and_back(void **state)
{
    (void)state;
    made m = make();
    lmb_buffer buffer = write_out(&m), again = {0};
    lmb_limb_file *read = NULL;
    assert_int_equal(lmb_limb_file_read(buffer.data, buffer.size, NULL, &read, NULL), LMB_OK);
    assert_string_equal(read->skeleton->names[1], "knee");
    assert_string_equal(read->clips[0]->name, "kick");
    assert_memory_equal(read->skeleton->rest, m.limb.skeleton->rest,
                        JOINTS * sizeof(lmb_transform));
    assert_memory_equal(read->skeleton->tips, m.limb.skeleton->tips, JOINTS * sizeof(lmb_vec3));
    assert_true(read->skeleton->limits[1].kind == LMB_JOINT_HINGE &&
                read->skeleton->limits[1].twist_max_rad == 0.1f);
    for (uint32_t c = 0; c < 4; ++c) {
        const lmb_channel *a = &read->clips[0]->channels[c], *b = &m.clip->channels[c];
        assert_int_equal(a->interpolation, b->interpolation);
        assert_memory_equal(a->ticks, b->ticks, b->key_count * sizeof(float));
        assert_memory_equal(a->values, b->values, b->key_count * b->width * sizeof(float));
    }
    assert_memory_equal(read->packed[0]->words, m.packed->words, m.packed->word_count * 4);
    lmb_transform a[JOINTS], b[JOINTS];
    for (int i = 0; i < 100; ++i) {
        lmb_packed_sample(
            &(lmb_packed_sample_job){.clip = m.packed, .time_s = i * 0.03, .pose = a});
        lmb_packed_sample(
            &(lmb_packed_sample_job){.clip = read->packed[0], .time_s = i * 0.03, .pose = b});
        assert_memory_equal(a, b, sizeof a);
    }
    assert_int_equal(lmb_limb_file_write(read, NULL, &again, NULL), LMB_OK);
    assert_int_equal(again.size, buffer.size);
    assert_memory_equal(again.data, buffer.data, buffer.size);
    lmb_buffer_free(&again);
    lmb_limb_file_destroy(read);
    unmake(&m, &buffer);
}

static void put32(uint8_t *at, uint32_t word)
{
    for (int i = 0; i < 4; ++i) {
        at[i] = (uint8_t)(word >> 8 * i);
    }
}

/// A later version may add sections, and fields at the end of a section. What needs a later reader
/// says so.
static void later_versions(void **state)
{
    (void)state;
    made m = make();
    lmb_buffer buffer = write_out(&m);
    const size_t skeleton =
        24 + (buffer.data[16] | (size_t)buffer.data[17] << 8); // magic, version, tag, needed, size
    uint8_t *later = calloc(1, buffer.size + 64);
    memcpy(later, buffer.data, skeleton);
    put32(later + 4, 2);                            // the file's version
    put32(later + 16, (uint32_t)skeleton - 24 + 8); // eight bytes more in the skeleton
    put32(later + skeleton + 8, 0x21574f57);        // a section that nobody knows
    put32(later + skeleton + 12, 1);
    put32(later + skeleton + 16, 5);
    memcpy(later + skeleton + 8 + 16 + 8, buffer.data + skeleton, buffer.size - skeleton);
    lmb_limb_file *read = NULL;
    lmb_error error;
    if (lmb_limb_file_read(later, buffer.size + 32, NULL, &read, &error) != LMB_OK) {
        fail_msg("at %zu: expected %s, found %s", error.offset, error.expected, error.found);
    }
    assert_int_equal(read->packed_count, 1);
    lmb_limb_file_destroy(read);
    put32(later + skeleton + 12, 2);
    assert_int_equal(lmb_limb_file_read(later, buffer.size + 32, NULL, &read, &error),
                     LMB_ERROR_UNSUPPORTED);
    assert_int_equal(error.offset, skeleton + 8);
    free(later);
    unmake(&m, &buffer);
}

/// The first file that was ever written plays as it did then.
static void an_early_file(void **state)
{
    (void)state;
    char path[1024];
    lmb_file file;
    lmb_limb_file *read = NULL;
    snprintf(path, sizeof path, "%s/fuzz/seeds/limb/leg.limb",
             getenv("LIMBER_SOURCE") ? getenv("LIMBER_SOURCE") : ".");
    if (lmb_file_read(path, 0, &file, NULL) != LMB_OK) {
        fail_msg("%s is missing", path);
    }
    assert_int_equal(lmb_limb_file_read(file.data, file.size, NULL, &read, NULL), LMB_OK);
    uint64_t hash = LMBI_HASH_SEED;
    lmb_transform pose[JOINTS];
    for (int i = 0; i < 100; ++i) {
        lmb_packed_sample(
            &(lmb_packed_sample_job){.clip = read->packed[0], .time_s = i * 0.03, .pose = pose});
        hash = lmbi_hash(hash, pose, sizeof pose);
    }
    if (hash != EARLY_HASH) {
        fail_msg("played poses hash to 0x%llx", (unsigned long long)hash);
    }
    lmb_limb_file_destroy(read);
    lmb_file_free(&file);
}

static void expect_bad_flag(lmb_buffer *buffer, size_t at, const char *expected)
{
    const uint8_t before = buffer->data[at];
    lmb_limb_file *read = NULL;
    lmb_error error = {0};
    put32(buffer->data + at, 7);
    assert_int_equal(lmb_limb_file_read(buffer->data, buffer->size, NULL, &read, &error),
                     LMB_ERROR_MALFORMED);
    put32(buffer->data + at, before);
    assert_int_equal(error.offset, at);
    assert_string_equal(error.found, "0x00000007");
    if (strstr(error.expected, expected) == NULL) {
        fail_msg("expected %s, found %s", error.expected, error.found);
    }
}

/// A flag that is neither 0 nor 1 is refused by its name, not read as absent.
static void odd_flags_are_refused(void **state)
{
    (void)state;
    made m = make();
    lmb_buffer buffer = write_out(&m);
    expect_bad_flag(&buffer, 188, "bone tips");
    expect_bad_flag(&buffer, 228, "joint limits");
    expect_bad_flag(&buffer, 284, "has a box");
    size_t packed = 0;
    while (memcmp(buffer.data + packed, "PACK", 4) != 0) {
        packed += 4;
    }
    expect_bad_flag(&buffer, packed + 28 + 4 * (size_t)m.packed->word_count, "exact clip");
    unmake(&m, &buffer);
}

static void bytes_that_lie(void **state)
{
    (void)state;
    made m = make();
    lmb_buffer buffer = write_out(&m);
    lmb_random random = lmb_random_seed(3);
    lmb_limb_file *read = NULL;
    lmb_error error;
    for (size_t size = 0; size < buffer.size; size += size < 600 ? 1 : 7) {
        uint8_t *part = malloc(size + 1);
        memcpy(part, buffer.data, size);
        const lmb_result result = lmb_limb_file_read(part, size, NULL, &read, &error);
        if (result == LMB_OK) {
            lmb_limb_file_destroy(read); // cut between sections
        } else {
            assert_true(result == LMB_ERROR_MALFORMED && error.offset <= size);
        }
        free(part);
    }
    for (int k = 0; k < 4000; ++k) {
        uint8_t *copy = malloc(buffer.size);
        memcpy(copy, buffer.data, buffer.size);
        for (int flips = 0; flips <= k % 4; ++flips) {
            copy[lmb_random_u32(&random) % buffer.size] ^=
                (uint8_t)(1u << lmb_random_u32(&random) % 8);
        }
        if (lmb_limb_file_read(copy, buffer.size, NULL, &read, &error) == LMB_OK) {
            lmb_transform pose[JOINTS];
            for (uint32_t p = 0; p < read->packed_count; ++p) {
                for (int i = 0; i < 20 && read->skeleton->joint_count == JOINTS; ++i) {
                    lmb_packed_sample(&(lmb_packed_sample_job){.clip = read->packed[p],
                                                               .time_s = i * 0.2,
                                                               .mode = LMB_PLAY_LOOP,
                                                               .pose = pose});
                }
            }
            lmb_limb_file_destroy(read);
        }
        free(copy);
    }
    unmake(&m, &buffer);
}

static void survives_every_failing_allocation(void **state)
{
    (void)state;
    made m = make();
    lmb_buffer buffer = write_out(&m);
    for (failing_run f = {0}; failing_next(&f);) {
        lmb_limb_file *read = NULL;
        lmb_buffer again = {0};
        f.result = lmb_limb_file_read(buffer.data, buffer.size, &f.alloc, &read, NULL);
        if (f.result == LMB_OK) {
            f.result = lmb_limb_file_write(read, &f.alloc, &again, NULL);
        }
        lmb_buffer_free(&again);
        lmb_limb_file_destroy(read);
    }
    unmake(&m, &buffer);
}

int main(int argc, char **argv)
{
    if (argc > 1) { // writes the seed anew
        made m = make();
        lmb_buffer buffer = write_out(&m);
        return lmb_file_write(argv[1], buffer.data, buffer.size, NULL) != LMB_OK;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_and_back), cmocka_unit_test(later_versions),
        cmocka_unit_test(an_early_file),  cmocka_unit_test(odd_flags_are_refused),
        cmocka_unit_test(bytes_that_lie), cmocka_unit_test(survives_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
