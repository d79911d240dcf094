// Keys as text: what clip they make, that text and clip give each other back, and where errors point.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "limber/anim.h"

enum { JOINTS = 5 };

/// A chain whose joints have names that are plain, quoted, a word of the text, a number, taken.
static lmb_character *make_chain(void)
{
    static int32_t parents[JOINTS] = {LMB_NONE, 0, 1, 2, 3};
    static const char *names[JOINTS] = {"root", "upper \"arm\"", "key", "3", "root"};
    static lmb_transform rest[JOINTS];
    for (int j = 0; j < JOINTS; ++j) {
        rest[j] = lmb_transform_identity();
        rest[j].translation.y = (float)j;
    }
    const lmb_skeleton skeleton = {
        .joint_count = JOINTS, .parents = parents, .names = names, .rest = rest};
    lmb_character def = {0}, *out = NULL;
    assert_int_equal(lmb_skeleton_create(&skeleton, NULL, &def.skeleton, NULL), LMB_OK);
    assert_int_equal(lmb_character_create(&def, NULL, &out, NULL), LMB_OK);
    return out;
}

static lmb_result apply(lmb_character **c, const char *text, lmb_keys_report *report,
                        lmb_error *error)
{
    return lmb_keys_apply(c, text, strlen(text), NULL, report, error);
}

static const char wave[] = "limber-keys 1\n"
                           "# by hand\n"
                           "clip \"a wave\" smooth\n"
                           "key 0\n"
                           "  \"upper \\\"arm\\\"\" turned 90 0 0\n"
                           "key 0.5\r\n"
                           "  \"key\" rotation 0 0 3 4 translation 1 2 3 slope 10 -20 30\n"
                           "  3 scale 2 2 2\n"
                           "  4 slope 1 2 3 4 5 6\n"
                           "key 2\n";

static const lmb_channel *channel_of(const lmb_clip *clip, uint32_t joint, lmb_path path)
{
    for (uint32_t c = 0; c < clip->channel_count; ++c) {
        if (clip->channels[c].joint == joint && clip->channels[c].path == path) {
            return &clip->channels[c];
        }
    }
    return NULL;
}

static void text_makes_the_clip_that_it_says(void **state)
{
    (void)state;
    lmb_character *c = make_chain();
    lmb_keys_report report;
    assert_int_equal(apply(&c, wave, &report, NULL), LMB_OK);
    assert_int_equal(report.key_count, 3);
    assert_int_equal(report.joint_count, 4);
    assert_int_equal(report.slope_count, 2);
    assert_false(report.replaced);
    const lmb_clip *clip = c->clips[0];
    assert_string_equal(clip->name, "a wave");
    assert_float_equal(lmb_clip_duration_s(clip), 2, 0);
    // Every key is in the first joint's rotation, a slope's too; what stays at rest has no channel.
    assert_int_equal(clip->channel_count, 6);
    assert_int_equal(channel_of(clip, 0, LMB_PATH_ROTATION)->key_count, 3);
    assert_int_equal(channel_of(clip, 4, LMB_PATH_ROTATION)->key_count, 3);
    const float *arm = channel_of(clip, 1, LMB_PATH_ROTATION)->values + 4,
                *key = channel_of(clip, 2, LMB_PATH_ROTATION)->values + 12,
                *moved = channel_of(clip, 2, LMB_PATH_TRANSLATION)->values + 9;
    assert_float_equal(arm[0], 0.70710678, 1e-6);
    assert_float_equal(arm[3], 0.70710678, 1e-6);
    assert_float_equal(key[6], 0.6, 1e-6);
    assert_float_equal(key[7], 0.8, 1e-6);
    assert_float_equal(moved[3], 1, 0);
    assert_float_equal(moved[5], 3, 0);
    // q (10 -20 30) / 2 in radians, with q = (0 0 0.6 0.8): degrees 20, -10, 24, -18, halved.
    assert_float_equal(key[0], 0.17453293, 1e-6);
    assert_float_equal(key[1], -0.08726646, 1e-6);
    assert_float_equal(key[2], 0.20943951, 1e-6);
    assert_float_equal(key[3], -0.15707963, 1e-6);
    assert_memory_equal(key, key + 8, 4 * sizeof *key);
    lmb_character_destroy(c);
}

static char *text_of(const lmb_character *c, const lmb_keys *keys)
{
    lmb_buffer buffer = {0};
    assert_int_equal(lmb_keys_write(c, keys, NULL, &buffer, NULL), LMB_OK);
    char *out = malloc(buffer.size + 1);
    memcpy(out, buffer.data, buffer.size);
    out[buffer.size] = 0;
    lmb_buffer_free(&buffer);
    return out;
}

static void assert_same_clip(const lmb_clip *a, const lmb_clip *b)
{
    assert_int_equal(a->channel_count, b->channel_count);
    for (uint32_t c = 0; c < a->channel_count; ++c) {
        const lmb_channel *x = &a->channels[c], *y = &b->channels[c];
        const size_t floats =
            (size_t)x->key_count * x->width * (x->interpolation == LMB_CUBIC ? 3 : 1);
        assert_int_equal(x->joint, y->joint);
        assert_int_equal(x->interpolation, y->interpolation);
        assert_int_equal(x->key_count, y->key_count);
        assert_memory_equal(x->ticks, y->ticks, x->key_count * sizeof(float));
        assert_memory_equal(x->values, y->values, floats * sizeof(float));
    }
}

static void text_and_clip_give_each_other_back(void **state)
{
    (void)state;
    static const char *const words[] = {" smooth", " linear", " step"};
    for (int k = 0; k < 3; ++k) {
        char text[sizeof wave + 40];
        const char *end = strstr(wave, " smooth"), *slope = strstr(wave, " slope 10");
        const char *rest = strstr(wave, "  3 scale"), *last = strstr(wave, "  4 slope");
        // Slopes are of smooth clips alone.
        snprintf(text, sizeof text, "%.*s%s%.*s%s%.*s%s", (int)(end - wave), wave, words[k],
                 (int)((k == 0 ? rest : slope) - end - 7), end + 7, k == 0 ? "" : "\n",
                 (int)((k == 0 ? strstr(wave, "key 2") : last) - rest), rest, "key 2\n");
        lmb_character *c = make_chain();
        assert_int_equal(apply(&c, text, NULL, NULL), LMB_OK);
        char *first = text_of(c, &(lmb_keys){.from = c->clips[0], .replaces = true});
        lmb_character *again = make_chain();
        assert_int_equal(apply(&again, text, NULL, NULL), LMB_OK);
        lmb_keys_report report;
        assert_int_equal(apply(&again, first, &report, NULL), LMB_OK);
        assert_true(report.replaced);
        assert_int_equal(again->clip_count, 1);
        char *second = text_of(again, &(lmb_keys){.from = again->clips[0], .replaces = true});
        assert_string_equal(first, second);
        assert_int_equal(apply(&again, second, NULL, NULL), LMB_OK);
        assert_int_equal(apply(&c, second, NULL, NULL), LMB_OK);
        assert_same_clip(again->clips[0], c->clips[0]);
        free(first);
        free(second);
        lmb_character_destroy(c);
        lmb_character_destroy(again);
    }
}

static void slopes_stay_until_they_are_smoothed(void **state)
{
    (void)state;
    lmb_character *c = make_chain();
    assert_int_equal(apply(&c, wave, NULL, NULL), LMB_OK);
    lmb_key_slope slope = {.joint = 1, .time_s = 0.5f, .in = {1, 0, 0}, .out = {1, 0, 0}};
    const lmb_keys keys = {
        .from = c->clips[0], .replaces = true, .slope_count = 1, .slopes = &slope};
    char *text = text_of(c, &keys);
    assert_non_null(strstr(text, "clip \"a wave\" smooth\nreplaces \"a wave\"\nkey 0\n"));
    assert_non_null(strstr(text, "slope 57.296 0 0\n"));
    assert_non_null(
        strstr(text, " \"key\" rotation 0 0 0.6 0.8 translation 1 2 3 slope 10 -20 30\n"));
    assert_non_null(strstr(text, "  4 slope 1 2 3 4 5 6\n"));
    assert_int_equal(apply(&c, text, NULL, NULL), LMB_OK);
    free(text);
    slope.automatic = true;
    text = text_of(c, &(lmb_keys){.from = c->clips[0], .slope_count = 1, .slopes = &slope});
    assert_null(strstr(text, "57.296"));
    assert_null(strstr(text, "replaces"));
    free(text);
    lmb_error error = {0};
    lmb_buffer none = {0};
    slope.time_s = 0.75f;
    assert_int_equal(
        lmb_keys_write(c, &(lmb_keys){.from = c->clips[0], .slope_count = 1, .slopes = &slope},
                       NULL, &none, &error),
        LMB_ERROR_INVALID);
    assert_int_equal(lmb_keys_write(c, &(lmb_keys){0}, NULL, &none, &error), LMB_ERROR_INVALID);
    lmb_character_destroy(c);
}

static void text_that_is_written_is_this(void **state)
{
    (void)state;
    lmb_character *c = make_chain();
    assert_int_equal(apply(&c, wave, NULL, NULL), LMB_OK);
    char *text = text_of(c, &(lmb_keys){.name = "two\nlines", .from = c->clips[0]});
    assert_string_equal(text, "limber-keys 1\n"
                              "clip \"two\\nlines\" smooth\n"
                              "key 0\n"
                              "  \"upper \\\"arm\\\"\" rotation 0.7071068 0 0 0.7071068\n"
                              "key 0.5\n"
                              "  \"key\" rotation 0 0 0.6 0.8 translation 1 2 3 slope 10 -20 30\n"
                              "  \"3\" scale 2 2 2\n"
                              "  4 slope 1 2 3 4 5 6\n"
                              "key 2\n");
    free(text);
    lmb_character_destroy(c);
}

static void clips_are_replaced_by_name_and_by_number(void **state)
{
    (void)state;
    lmb_character *c = make_chain();
    lmb_keys_report report;
    // The newest is the first.
    assert_int_equal(apply(&c, "limber-keys 1\nclip 1 step\nkey 0\n", NULL, NULL), LMB_OK);
    assert_int_equal(apply(&c, "limber-keys 1\nclip b step\nkey 0\n", NULL, NULL), LMB_OK);
    assert_int_equal(apply(&c, "limber-keys 1\nclip b linear\nkey 1\n", NULL, NULL), LMB_OK);
    assert_int_equal(c->clip_count, 3);
    assert_float_equal(lmb_clip_duration_s(c->clips[0]), 1, 0);
    char *text = text_of(c, &(lmb_keys){.from = c->clips[1], .replaces = true});
    assert_string_equal(text, "limber-keys 1\nclip \"b\" step\nreplaces 1\nkey 0\n");
    assert_int_equal(apply(&c, text, &report, NULL), LMB_OK);
    free(text);
    assert_true(report.replaced);
    assert_int_equal(c->clip_count, 3);
    assert_string_equal(c->clips[2]->name, "1");
    text = text_of(c, &(lmb_keys){.from = c->clips[2], .replaces = true, .name = "d"});
    assert_string_equal(text, "limber-keys 1\nclip \"d\" step\nreplaces \"1\"\nkey 0\n");
    assert_int_equal(apply(&c, text, NULL, NULL), LMB_OK);
    free(text);
    assert_int_equal(c->clip_count, 3);
    assert_string_equal(c->clips[0]->name, "d");
    assert_string_equal(c->clips[1]->name, "b");
    assert_string_equal(c->clips[2]->name, "b");
    lmb_character_destroy(c);
}

/// The chain with a clip of morph weights from 1 s to 3 s, at 30 ticks a second.
static lmb_character *make_face(void)
{
    float ticks[2] = {30, 90}, values[6] = {1, 0.25f, 2, 3, 0.75f, 4}, bent[4] = {0, 0, 0, 1};
    lmb_channel channels[2] = {{.path = LMB_PATH_WEIGHTS,
                                .interpolation = LMB_CUBIC,
                                .width = 1,
                                .key_count = 2,
                                .ticks = ticks,
                                .values = values},
                               {.joint = 1,
                                .path = LMB_PATH_ROTATION,
                                .width = 4,
                                .key_count = 1,
                                .ticks = ticks,
                                .values = bent}};
    const lmb_clip face = {.name = "face",
                           .ticks_per_s = 30,
                           .duration = 90,
                           .channel_count = 2,
                           .channels = channels};
    lmb_clip *clips[1];
    lmb_character *c = make_chain(), def = *c, *out = NULL;
    assert_int_equal(lmb_clip_create(&face, NULL, &clips[0], NULL), LMB_OK);
    def.clips = clips;
    def.clip_count = 1;
    assert_int_equal(lmb_character_create(&def, NULL, &out, NULL), LMB_OK);
    lmb_character_release(c);
    return out;
}

static void morph_weights_stay(void **state)
{
    (void)state;
    lmb_character *out = make_face();
    // Poses are at the times of joints alone.
    char *text = text_of(out, &(lmb_keys){.from = out->clips[0], .replaces = true});
    assert_string_equal(text, "limber-keys 1\nclip \"face\" smooth\nreplaces face\nkey 1\n");
    assert_int_equal(apply(&out, text, NULL, NULL), LMB_OK);
    free(text);
    const lmb_clip *kept = out->clips[0];
    assert_int_equal(out->clip_count, 1);
    assert_int_equal(kept->channel_count, 2);
    assert_float_equal(lmb_clip_duration_s(kept), 3, 0);
    const lmb_channel *weights = channel_of(kept, 0, LMB_PATH_WEIGHTS);
    // In seconds: tangents are by the second too.
    const float seconds[2] = {1, 3}, by_second[6] = {30, 0.25f, 60, 90, 0.75f, 120};
    assert_memory_equal(weights->ticks, seconds, sizeof seconds);
    assert_memory_equal(weights->values, by_second, sizeof by_second);
    assert_int_equal(apply(&out, "limber-keys 1\nclip b step\nkey 0\n", NULL, NULL), LMB_OK);
    assert_int_equal(out->clips[0]->channel_count, 1);
    lmb_character_destroy(out);
}

static void keys_that_no_text_can_hold_are_refused(void **state)
{
    (void)state;
    lmb_character *c = make_chain();
    lmb_transform poses[2 * JOINTS];
    for (int k = 0; k < 2 * JOINTS; ++k) {
        poses[k] = c->skeleton->rest[k % JOINTS];
    }
    const float times[2] = {0, 1}, falling[2] = {1, 0.5f}, late[2] = {0, 2e5f}, early[2] = {-1, 0};
    lmb_key_slope slope = {.joint = 1, .time_s = 1};
    lmb_clip other = {0};
    lmb_keys good = {.key_count = 2, .times_s = times, .poses = poses}, bad[6];
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        bad[k] = good;
    }
    bad[0].times_s = falling;
    bad[1].times_s = late;
    bad[2].times_s = early;
    bad[3].slopes = &slope; // of a clip that is linear
    bad[3].slope_count = 1;
    bad[4].from = &other;
    bad[4].replaces = true;
    bad[5].key_count = 10001;
    char *text = text_of(c, &good);
    assert_string_equal(text, "limber-keys 1\nclip \"\" linear\nkey 0\nkey 1\n");
    free(text);
    lmb_buffer none = {0};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        assert_int_equal(lmb_keys_write(c, &bad[k], NULL, &none, NULL), LMB_ERROR_INVALID);
    }
    poses[JOINTS].rotation.w = 2;
    assert_int_equal(lmb_keys_write(c, &good, NULL, &none, NULL), LMB_ERROR_INVALID);
    poses[JOINTS].rotation.w = 1;
    poses[JOINTS].scale.z = 2e9f;
    assert_int_equal(lmb_keys_write(c, &good, NULL, &none, NULL), LMB_ERROR_INVALID);
    assert_null(none.data);
    lmb_character_destroy(c);
}

#define CLIP "limber-keys 1\nclip a smooth\n"

static void errors_point_into_the_text(void **state)
{
    (void)state;
    static const struct {
        const char *text, *expected;
        uint32_t line, column;
    } bad[] = {
        {"", "limber-keys 1", 1, 1},
        {"limber-keys 2\n", "limber-keys 1", 1, 1},
        {"limber-keys 1\n", "clip NAME", 2, 1},
        {"limber-keys 1\nkey 0\n", "clip NAME", 2, 1},
        {"limber-keys 1\nclip\n", "the clip's name", 2, 5},
        {"limber-keys 1\nclip \"a\n", "a quoted name", 2, 6},
        {"limber-keys 1\nclip \"\\x\" step\n", "a quoted name", 2, 6},
        {"limber-keys 1\nclip a\n", "smooth, linear", 2, 7},
        {"limber-keys 1\nclip a round\n", "smooth, linear", 2, 8},
        {"limber-keys 1\nclip \xff step\n", "the clip's name", 2, 6},
        {CLIP "clip b smooth\n", "one clip", 3, 1},
        {CLIP, "a key", 3, 1},
        {CLIP "replaces nothing\n", "a clip of this", 3, 10},
        {CLIP "replaces 0\n", "a clip of this", 3, 10},
        {CLIP "key\n", "a time in seconds from", 3, 4},
        {CLIP "key -1\n", "a time in seconds from", 3, 5},
        {CLIP "key nan\n", "a time in seconds from", 3, 5},
        {CLIP "key 1e9\n", "a time in seconds from", 3, 5},
        {CLIP "key 1\nkey 1.00005\n", "a time in seconds after", 4, 5},
        {CLIP "key 1 2\n", "the end of the line", 3, 7},
        {CLIP "root turned 0 0 0\n", "key SECONDS", 3, 1},
        {CLIP "key 0\nnobody turned 0 0 0\n", "a joint", 4, 1},
        {CLIP "key 0\nhead turned 0 0 0\n", "a joint", 4, 1},
        {CLIP "key 0\n5 turned 0 0 0\n", "a joint", 4, 1},
        {CLIP "key 0\nroot\n", "rotation, turned", 4, 5},
        {CLIP "key 0\nroot bent 1\n", "rotation, turned", 4, 6},
        {CLIP "key 0\nroot turned 0 0 0 rotation 0 0 0 1\n", "rotation, turned", 4, 19},
        {CLIP "key 0\nroot turned 0 0 0\nroot scale 1 1 1\n", "a joint that this key", 5, 1},
        {CLIP "key 0\nroot rotation 0 0 0 0\n", "a rotation that is not", 4, 15},
        {CLIP "key 0\nroot rotation 0 0 0\n", "a rotation x y z w", 4, 20},
        {CLIP "key 0\nroot translation 0 inf 0\n", "a translation", 4, 20},
        {CLIP "key 0\nroot slope 1 2 3 4\n", "degrees a second", 4, 19},
        {"limber-keys 1\nclip a step\nkey 0\nroot slope 1 2 3\n", "a slope in", 4, 6},
    };
    lmb_character *c = make_chain();
    for (size_t k = 0; k < sizeof bad / sizeof *bad; ++k) {
        lmb_error error = {0};
        assert_int_equal(apply(&c, bad[k].text, NULL, &error), LMB_ERROR_MALFORMED);
        if (error.line != bad[k].line || error.column != bad[k].column ||
            strncmp(error.expected, bad[k].expected, strlen(bad[k].expected)) != 0) {
            fail_msg("text %zu: %u:%u: expected %s", k, error.line, error.column, error.expected);
        }
    }
    assert_int_equal(c->clip_count, 0);
    lmb_character_destroy(c);
}

static void memory_may_fail_anywhere(void **state)
{
    (void)state;
    for (failing_run f = {.least = 3}; failing_next(&f);) {
        lmb_character *c = make_chain();
        f.result = lmb_keys_apply(&c, wave, sizeof wave - 1, &f.alloc, NULL, NULL);
        assert_int_equal(c->clip_count, f.result == LMB_OK);
        lmb_character_destroy(c);
    }
    static const char replacing[] = "limber-keys 1\nclip b smooth\nreplaces face\nkey 0\n";
    for (failing_run f = {.least = 3}; failing_next(&f);) {
        lmb_character *c = make_face();
        f.result = lmb_keys_apply(&c, replacing, sizeof replacing - 1, &f.alloc, NULL, NULL);
        assert_string_equal(c->clips[0]->name, f.result == LMB_OK ? "b" : "face");
        lmb_character_destroy(c);
    }
    lmb_character *c = make_chain();
    assert_int_equal(apply(&c, wave, NULL, NULL), LMB_OK);
    for (failing_run f = {.least = 3}; failing_next(&f);) {
        lmb_buffer text = {0};
        f.result = lmb_keys_write(c, &(lmb_keys){.from = c->clips[0]}, &f.alloc, &text, NULL);
        lmb_buffer_free(&text);
    }
    lmb_character_destroy(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_makes_the_clip_that_it_says),
        cmocka_unit_test(text_and_clip_give_each_other_back),
        cmocka_unit_test(text_that_is_written_is_this),
        cmocka_unit_test(clips_are_replaced_by_name_and_by_number),
        cmocka_unit_test(morph_weights_stay),
        cmocka_unit_test(keys_that_no_text_can_hold_are_refused),
        cmocka_unit_test(slopes_stay_until_they_are_smoothed),
        cmocka_unit_test(errors_point_into_the_text),
        cmocka_unit_test(memory_may_fail_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
