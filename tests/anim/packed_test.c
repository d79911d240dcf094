// Compressed clips: the bound, measured by a decoder of its own in double precision; equal bits
// whatever the instruction set and the order of playing; words that lie; memory that runs out.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "anim/anim.h"
#include "anim/double_decoder.h"
#include "failing_allocator.h"
#include "io/bvh/bvh.h"
#include "limber/limber.h"
#include "limber/os.h"
#include "one_mesh.h"

enum { JOINTS = 23, SAMPLES = 300, RATE = 60 };

typedef struct scene {
    lmb_skeleton *skeleton;
    lmb_clip *clip;
} scene;

typedef struct motion {
    float noise;     ///< radians, white
    float rotations; ///< whole turns of the first joint
    float far;       ///< where the root is
    bool translate, scale, step, cubic, uneven;
} motion;

static lmb_skeleton *make_skeleton(void)
{
    int32_t parents[JOINTS];
    lmb_transform rest[JOINTS];
    const char *names[JOINTS];
    lmb_random random = lmb_random_seed(3);
    for (int j = 0; j < JOINTS; ++j) {
        // Two arms and two legs on a trunk of three.
        parents[j] = j == 0             ? LMB_NONE
                     : j < 3            ? j - 1
                     : (j - 3) % 5 == 0 ? ((j - 3) / 5 < 2 ? 2 : 0)
                                        : j - 1;
        rest[j] = lmb_transform_identity();
        rest[j].translation = lmb_vec3_make(lmb_random_range(&random, -0.1f, 0.1f),
                                            lmb_random_range(&random, 0.05f, 0.3f),
                                            lmb_random_range(&random, -0.1f, 0.1f));
        names[j] = "joint";
    }
    const lmb_skeleton def = {
        .joint_count = JOINTS, .parents = parents, .rest = rest, .names = names};
    lmb_skeleton *skeleton = NULL;
    assert_int_equal(lmb_skeleton_create(&def, NULL, &skeleton, NULL), LMB_OK);
    return skeleton;
}

/// The channels of a clip while it is made; clips copy them.
typedef struct making {
    float ticks[SAMPLES], values[3 * JOINTS][SAMPLES * 4], few_ticks[SAMPLES / 20],
        few[SAMPLES / 20 * 9];
    lmb_channel channels[3 * JOINTS + 2];
    uint32_t count;
} making;

static void add_channel(making *m, uint32_t joint, lmb_path path, uint32_t width)
{
    m->channels[m->count] =
        (lmb_channel){joint, path, LMB_LINEAR, width, SAMPLES, m->ticks, m->values[m->count]};
    ++m->count;
}

static void add_rotations(making *into, motion m, lmb_random *random)
{
    for (uint32_t j = 0; j < JOINTS; ++j) {
        const lmb_vec3 axis = lmb_vec3_normalize_or(
            lmb_vec3_make(lmb_random_range(random, -1, 1), lmb_random_range(random, -1, 1), 1),
            lmb_vec3_make(0, 0, 1));
        const float speed = lmb_random_range(random, 1, 6),
                    size = j == 0 ? 0 : lmb_random_range(random, 0, 0.8f);
        for (int k = 0; k < SAMPLES; ++k) {
            const float t = (float)k / RATE;
            const float angle = size * lmb_sin(speed * t) +
                                m.noise * lmb_random_range(random, -1, 1) +
                                (j == 0 ? m.rotations * 2 * LMB_PI * (float)k / SAMPLES : 0);
            const lmb_quat q = lmb_quat_axis_angle(axis, angle);
            memcpy(&into->values[into->count][4 * k], &q, sizeof q);
        }
        add_channel(into, j, LMB_PATH_ROTATION, 4);
    }
}

static void add_moves(making *into, motion m)
{
    for (int k = 0; m.translate && k < SAMPLES; ++k) {
        const float t = (float)k / RATE;
        const lmb_vec3 v = {m.far + t, 1 + 0.05f * lmb_sin(9 * t), 0.1f * lmb_sin(3 * t)};
        memcpy(&into->values[into->count][3 * k], &v, sizeof v);
    }
    if (m.translate) {
        add_channel(into, 0, LMB_PATH_TRANSLATION, 3);
    }
    for (int k = 0; m.scale && k < SAMPLES; ++k) {
        const float v = 1 + 0.3f * lmb_sin((float)k / 20), all[3] = {v, 1 / v, 1};
        memcpy(&into->values[into->count][3 * k], all, sizeof all);
    }
    if (m.scale) {
        add_channel(into, 4, LMB_PATH_SCALE, 3);
    }
}

/// Few keys: steps, or cubics.
static void add_few(making *into, motion m, lmb_random *random)
{
    for (int k = 0; m.step && k < SAMPLES / 20; ++k) {
        into->few_ticks[k] = 20 * (float)k + 0.37f;
        into->few[3 * k] = (float)(k % 3) * 0.1f;
        into->few[3 * k + 1] = into->few[3 * k + 2] = 0.2f;
    }
    if (m.step) {
        into->channels[into->count++] = (lmb_channel){
            7, LMB_PATH_TRANSLATION, LMB_STEP, 3, SAMPLES / 20, into->few_ticks, into->few};
    }
    for (int k = 0; m.cubic && k < SAMPLES / 20; ++k) {
        into->few_ticks[k] = 20 * (float)k + 3.1f;
        for (int i = 0; i < 9; ++i) {
            into->few[9 * k + i] =
                lmb_random_range(random, -0.01f, 0.01f) * (i / 3 == 1 ? 9.0f : 1.0f);
        }
    }
    if (m.cubic) {
        into->channels[into->count++] = (lmb_channel){
            9, LMB_PATH_TRANSLATION, LMB_CUBIC, 3, SAMPLES / 20, into->few_ticks, into->few};
    }
}

static scene make_scene(motion m)
{
    static making into;
    scene s = {.skeleton = make_skeleton()};
    lmb_random random = lmb_random_seed(11);
    into.count = 0;
    for (int k = 0; k < SAMPLES; ++k) {
        into.ticks[k] =
            (float)k + (m.uneven && k > 0 && k < SAMPLES - 1 ? 0.4f * lmb_sin((float)k) : 0);
    }
    add_rotations(&into, m, &random);
    add_moves(&into, m);
    add_few(&into, m, &random);
    const lmb_clip def = {.ticks_per_s = RATE,
                          .frame_rate = RATE,
                          .duration = SAMPLES - 1,
                          .channel_count = into.count,
                          .channels = into.channels};
    assert_int_equal(lmb_clip_create(&def, NULL, &s.clip, NULL), LMB_OK);
    return s;
}

static void destroy(scene s)
{
    lmb_skeleton_destroy(s.skeleton);
    lmb_clip_destroy(s.clip);
}

/// The largest error of played poses at every sample and at four places between; and that the
/// second decoder agrees.
static double worst_error(const lmb_skeleton *skeleton, const lmb_clip *clip,
                          const lmb_packed_clip *packed, double reach)
{
    const uint32_t joints = skeleton->joint_count;
    lmb_transform *played = calloc(joints, sizeof *played), *truth = calloc(joints, sizeof *truth);
    double_joint *a = calloc(joints, sizeof *a), *b = calloc(joints, sizeof *b);
    double_affine *ma = calloc(joints, sizeof *ma), *mb = calloc(joints, sizeof *mb);
    uint32_t *cursors = calloc(clip->channel_count + 1, sizeof *cursors);
    static const double fractions[] = {0, 0.211, 0.4, 0.5, 0.789};
    double worst = 0;
    for (uint32_t s = 0; s < packed->sample_count; ++s) {
        for (int k = 0; k < 5; ++k) {
            const double at = fmin(s + fractions[k], (double)(packed->sample_count - 1)),
                         time = at / (double)packed->rate_hz;
            lmb_packed_sample(
                &(lmb_packed_sample_job){.clip = packed, .time_s = time, .pose = played});
            lmb_sample(&(lmb_sample_job){.clip = clip,
                                         .time_s = time,
                                         .joint_count = joints,
                                         .rest = skeleton->rest,
                                         .pose = truth,
                                         .cursors = cursors});
            for (uint32_t j = 0; j < joints; ++j) {
                a[j] = joint_of(&played[j]);
                b[j] = joint_of(&truth[j]);
            }
            to_model(skeleton, a, ma);
            to_model(skeleton, b, mb);
            for (uint32_t j = 0; j < joints; ++j) {
                worst = fmax(worst, shell_error(&ma[j], &mb[j], reach));
            }
            if (packed->exact == NULL && packed->words[12] == 0 && (s + (uint32_t)k) % 7 == 0) {
                double_decode(packed->words, skeleton, at, b);
                to_model(skeleton, b, mb);
                for (uint32_t j = 0; j < joints; ++j) {
                    // What the decoders differ by is rounding: of floats, of the far place, of the
                    // share at the time.
                    const double far = fabs(mb[j].t[0]) + 1;
                    const double apart = shell_error(&ma[j], &mb[j], reach);
                    if (!(apart < 1e-5 * far)) {
                        fail_msg("the decoders differ by %g m at joint %u, %g", apart, j, at);
                    }
                }
            }
        }
    }
    free(played), free(truth), free(a), free(b), free(ma), free(mb), free(cursors);
    return worst;
}

static lmb_packed_clip *pack(scene s, const lmb_pack_opts *opts)
{
    lmb_packed_clip *packed = NULL;
    lmb_error error = {0};
    if (lmb_packed_clip_create(s.skeleton, s.clip, opts, NULL, &packed, &error) != LMB_OK) {
        fail_msg("expected %s, found %s", error.expected, error.found);
    }
    return packed;
}

static void the_bound_holds(void **state)
{
    (void)state;
    static const motion motions[] = {{0},
                                     {.translate = true},
                                     {.noise = 0.002f, .translate = true},
                                     {.noise = 0.3f},
                                     {.rotations = 7, .translate = true},
                                     {.scale = true, .noise = 0.001f},
                                     {.translate = true, .far = 100},
                                     {.step = true},
                                     {.cubic = true},
                                     {.uneven = true, .translate = true}};
    static const float precisions[] = {1e-4f, 1e-3f, 1e-5f};
    for (size_t m = 0; m < sizeof motions / sizeof motions[0]; ++m) {
        const scene s = make_scene(motions[m]);
        for (size_t k = 0; k < (m == 2 ? 3 : 1); ++k) {
            lmb_packed_clip *packed = pack(s, &(lmb_pack_opts){.precision_m = precisions[k]});
            const double error = worst_error(s.skeleton, s.clip, packed, 0.03);
            // A float 100 m away is right to 4e-6 m.
            const double allowed =
                (double)precisions[k] * 1.001 + (motions[m].far > 0 ? 8e-6 : 1e-6);
            if (!(error <= allowed) || !(packed->error_m <= precisions[k])) {
                fail_msg("motion %zu, %g m: %g m, said %g m", m, (double)precisions[k], error,
                         (double)packed->error_m);
            }
            assert_true(error > (double)precisions[k] * 0.2); // no more bits than asked for
            lmb_packed_clip_destroy(packed);
        }
        destroy(s);
    }
}

/// Keys half a second and up to 150 degrees apart, rounded to three digits; and a step written as
/// two keys 33 microseconds apart. Samples alone hold neither.
static void wide_rotations_and_sudden_steps(void **state)
{
    (void)state;
    scene s = {.skeleton = make_skeleton()};
    float rotation_ticks[8], rotations[8 * 4], step_ticks[61], steps[61 * 3] = {0};
    for (int k = 0; k < 8; ++k) {
        const float angle = k % 2 == 0 ? 0.0f : 1.3f;
        const float q[4] = {0, 0, sinf(angle), cosf(angle)};
        rotation_ticks[k] = 0.5f * (float)k;
        for (int i = 0; i < 4; ++i) {
            rotations[4 * k + i] = roundf(q[i] * 1000) / 1000;
        }
    }
    for (int k = 0; k < 61; ++k) {
        step_ticks[k] = (float)(k > 30 ? k - 1 : k) / 30 + (k == 31 ? 3.3e-5f : 0.0f);
        steps[3 * k] = k > 30 ? 0.2f : 0.0f;
    }
    lmb_channel channels[2] = {
        {.joint = 1,
         .path = LMB_PATH_ROTATION,
         .width = 4,
         .key_count = 8,
         .ticks = rotation_ticks},
        {.joint = 4, .path = LMB_PATH_TRANSLATION, .width = 3, .key_count = 61}};
    channels[0].values = rotations;
    channels[1].ticks = step_ticks;
    channels[1].values = steps;
    const lmb_clip def = {
        .duration = 3.5f, .ticks_per_s = 1, .channel_count = 2, .channels = channels};
    assert_int_equal(lmb_clip_create(&def, NULL, &s.clip, NULL), LMB_OK);
    lmb_packed_clip *packed = pack(s, &(lmb_pack_opts){.precision_m = 1e-4f});
    assert_true(packed->error_m <= 1e-4f);
    lmb_transform played[JOINTS], truth[JOINTS];
    for (int k = 0; k <= 3500; ++k) {
        lmb_packed_sample(
            &(lmb_packed_sample_job){.clip = packed, .time_s = k / 1000.0, .pose = played});
        lmb_sample(&(lmb_sample_job){.clip = s.clip,
                                     .time_s = k / 1000.0,
                                     .joint_count = JOINTS,
                                     .rest = s.skeleton->rest,
                                     .pose = truth});
        const float dot =
            fabsf(lmb_quat_dot(played[1].rotation, lmb_quat_normalize(truth[1].rotation)));
        assert_true(dot > 1 - 1e-6f);
        assert_true(lmb_vec3_distance(played[4].translation, truth[4].translation) < 1e-4f);
    }
    lmb_packed_clip_destroy(packed);
    destroy(s);
}

/// One frame of a capture that is off by half a circle, nearly: all else stays compressed, and what
/// is between the two keys is as the keys have it.
static void one_glitch_costs_no_track(void **state)
{
    (void)state;
    const scene s = make_scene((motion){.noise = 0.002f});
    const scene smooth = make_scene((motion){.noise = 0.002f});
    const uint32_t glitch = 40;
    float *q = s.clip->channels[1].values + (size_t)glitch * 4;
    const lmb_quat off = lmb_quat_mul(lmb_quat_make(q[0], q[1], q[2], q[3]),
                                      lmb_quat_axis_angle(lmb_vec3_make(0, 0.6f, 0.8f), 2.4f));
    memcpy(q, &off, sizeof off);
    assert_int_equal(s.clip->channels[1].path, LMB_PATH_ROTATION);
    lmb_packed_clip *packed = pack(s, NULL), *without = pack(smooth, NULL);
    assert_null(packed->exact);
    assert_true(lmb_packed_clip_bytes(packed) < lmb_packed_clip_bytes(without) * 5 / 4);
    lmb_transform played[JOINTS], truth[JOINTS];
    const uint32_t joint = s.clip->channels[1].joint;
    for (int k = 0; k <= 64; ++k) {
        const double at = ((double)glitch - 1 + k / 32.0) / (double)s.clip->ticks_per_s;
        lmb_packed_sample(&(lmb_packed_sample_job){.clip = packed, .time_s = at, .pose = played});
        lmb_sample(&(lmb_sample_job){.clip = s.clip,
                                     .time_s = at,
                                     .joint_count = JOINTS,
                                     .rest = s.skeleton->rest,
                                     .pose = truth});
        assert_true(lmb_quat_angle(played[joint].rotation, truth[joint].rotation) < 3e-3f);
    }
    assert_true(worst_error(s.skeleton, s.clip, packed, 0.03) <= 1e-4 * 1.001 + 1e-6);
    lmb_packed_clip_destroy(packed);
    lmb_packed_clip_destroy(without);
    destroy(s);
    destroy(smooth);
}

static void what_stands_still_costs_nothing(void **state)
{
    (void)state;
    scene s = make_scene((motion){.translate = true});
    for (uint32_t c = 0; c < s.clip->channel_count; ++c) {
        lmb_channel *channel = &s.clip->channels[c];
        for (uint32_t k = 1; k < channel->key_count; ++k) {
            memcpy(channel->values + (size_t)k * channel->width, channel->values,
                   channel->width * sizeof(float));
        }
    }
    lmb_packed_clip *packed = pack(s, NULL);
    // A head and one value a track that is not as at rest; nothing a sample.
    assert_true(packed->word_count <= 13 + (JOINTS + 1) * 5);
    assert_true(worst_error(s.skeleton, s.clip, packed, 0.03) < 1e-6);
    lmb_packed_clip_destroy(packed);
    // At rest: the head alone.
    for (uint32_t c = 0; c < s.clip->channel_count; ++c) {
        lmb_channel *channel = &s.clip->channels[c];
        for (uint32_t k = 0; k < channel->key_count; ++k) {
            const lmb_transform *rest = &s.skeleton->rest[channel->joint];
            memcpy(channel->values + (size_t)k * channel->width,
                   channel->path == LMB_PATH_ROTATION ? (const void *)&rest->rotation
                                                      : &rest->translation,
                   channel->width * sizeof(float));
        }
    }
    packed = pack(s, NULL);
    assert_int_equal(packed->word_count, 13);
    lmb_packed_clip_destroy(packed);
    destroy(s);
}

static void equal_bits(void **state)
{
    (void)state;
    const scene s = make_scene((motion){.noise = 0.01f, .translate = true, .rotations = 2});
    lmb_packed_clip *packed = pack(s, NULL);
    static lmb_transform poses[3 * SAMPLES][JOINTS], pose[JOINTS];
    for (int i = 0; i < 3 * SAMPLES; ++i) {
        lmb_packed_sample(
            &(lmb_packed_sample_job){.clip = packed, .time_s = i / 173.0, .pose = poses[i]});
    }
    for (int set = LMB_SIMD_BEST; set < LMB_SIMD_COUNT; ++set) {
        lmb_random random = lmb_random_seed(5);
        for (int k = 0; lmb_simd_runs((lmb_simd)set) && k < 6 * SAMPLES; ++k) {
            const int i = k < 3 * SAMPLES ? 3 * SAMPLES - 1 - k
                                          : (int)(lmb_random_u32(&random) % (3 * SAMPLES));
            lmb_packed_sample(&(lmb_packed_sample_job){
                .clip = packed, .time_s = i / 173.0, .pose = pose, .simd = (lmb_simd)set});
            assert_memory_equal(pose, poses[i], sizeof pose);
        }
    }
    // Nor do the bytes depend on threads.
    lmb_pool *pool = NULL;
    lmb_packed_clip *other = NULL;
    assert_int_equal(lmb_pool_create(3, &pool, NULL), LMB_OK);
    assert_int_equal(lmb_packed_clip_create(s.skeleton, s.clip,
                                            &(lmb_pack_opts){.jobs = lmb_pool_jobs(pool)}, NULL,
                                            &other, NULL),
                     LMB_OK);
    assert_int_equal(other->word_count, packed->word_count);
    assert_memory_equal(other->words, packed->words, packed->word_count * sizeof(uint32_t));
    lmb_pool_destroy(pool);
    lmb_packed_clip_destroy(other);
    lmb_packed_clip_destroy(packed);
    destroy(s);
}

static void unpacking_gives_the_played_poses(void **state)
{
    (void)state;
    const scene s = make_scene((motion){.noise = 0.01f, .translate = true, .step = true});
    lmb_packed_clip *packed = pack(s, NULL);
    lmb_clip *clip = NULL;
    assert_int_equal(lmb_packed_clip_unpack(packed, s.skeleton, NULL, &clip, NULL), LMB_OK);
    lmb_transform a[JOINTS], b[JOINTS];
    for (int i = 0; i < SAMPLES; ++i) {
        const double time = (double)i / RATE;
        lmb_packed_sample(&(lmb_packed_sample_job){.clip = packed, .time_s = time, .pose = a});
        lmb_sample(&(lmb_sample_job){.clip = clip,
                                     .time_s = time,
                                     .joint_count = JOINTS,
                                     .rest = s.skeleton->rest,
                                     .pose = b});
        for (int j = 0; j < JOINTS; ++j) {
            assert_true(lmb_vec3_distance(a[j].translation, b[j].translation) < 1e-6f);
            assert_true(lmb_quat_angle(a[j].rotation, b[j].rotation) < 2e-3f);
        }
    }
    lmb_clip_destroy(clip);
    lmb_packed_clip_destroy(packed);
    destroy(s);
}

/// Opens the clip with one word replaced and expects an error at that word.
static void expect_refused_word(const lmb_skeleton *skeleton, const lmb_packed_clip *packed,
                                size_t index, uint32_t word, const char *expected)
{
    uint32_t *words = malloc(packed->word_count * sizeof *words);
    memcpy(words, packed->words, packed->word_count * sizeof *words);
    words[index] = word;
    lmb_packed_clip *opens = NULL;
    lmb_error error = {0};
    assert_int_equal(lmbi_packed_clip_open(skeleton, NULL, words, packed->word_count, NULL, NULL,
                                           &opens, &error),
                     LMB_ERROR_MALFORMED);
    assert_int_equal(error.offset, 4 * index);
    if (strstr(error.expected, expected) == NULL) {
        fail_msg("expected %s, found %s", error.expected, error.found);
    }
    free(words);
}

static void morph_weights_too(void **state)
{
    (void)state;
    float ticks[SAMPLES], values[SAMPLES * 30];
    for (int k = 0; k < SAMPLES; ++k) {
        ticks[k] = (float)k / RATE;
        for (int i = 0; i < 30; ++i) {
            values[30 * k + i] =
                i == 4 ? 0.25f : 0.5f + 0.5f * lmb_sin((float)(k * (i + 1)) * 0.01f);
        }
    }
    lmb_channel channel = {5, LMB_PATH_WEIGHTS, LMB_LINEAR, 30, SAMPLES, ticks, values};
    scene s = {.skeleton = make_skeleton()};
    const lmb_clip def = {.frame_rate = RATE,
                          .duration = ticks[SAMPLES - 1],
                          .channel_count = 1,
                          .channels = &channel};
    assert_int_equal(lmb_clip_create(&def, NULL, &s.clip, NULL), LMB_OK);
    lmb_packed_clip *packed = pack(s, &(lmb_pack_opts){.weight_m = 0.2f});
    uint32_t first[JOINTS + 1] = {0};
    for (int j = 6; j <= JOINTS; ++j) {
        first[j] = 30;
    }
    lmb_transform pose[JOINTS];
    float is[30], should[30];
    for (int i = 0; i < 3 * SAMPLES; ++i) {
        const double time = i / (3.0 * RATE);
        lmb_packed_sample(&(lmb_packed_sample_job){
            .clip = packed, .time_s = time, .pose = pose, .weight_first = first, .weights = is});
        lmb_sample(&(lmb_sample_job){.clip = s.clip,
                                     .time_s = time,
                                     .joint_count = JOINTS,
                                     .rest = s.skeleton->rest,
                                     .pose = pose,
                                     .weight_first = first,
                                     .weights = should});
        for (int k = 0; k < 30; ++k) {
            assert_true(fabsf(is[k] - should[k]) * 0.2f <= 1.01e-4f);
        }
    }
    assert_true(packed->word_count * 4 < sizeof values / 3);
    expect_refused_word(s.skeleton, packed, 1, JOINTS + 1, "joints as the skeleton");
    // The word after the head's 13 is the joint of the first run of weights.
    expect_refused_word(s.skeleton, packed, 13, JOINTS, "joint of the skeleton");
    lmb_packed_clip_destroy(packed);
    destroy(s);
}

static void words_that_lie(void **state)
{
    (void)state;
    const scene s = make_scene((motion){.noise = 0.01f, .translate = true});
    lmb_packed_clip *packed = pack(s, NULL);
    uint32_t *words = malloc(packed->word_count * sizeof *words);
    lmb_random random = lmb_random_seed(17);
    lmb_transform pose[JOINTS];
    unsigned opened = 0, refused = 0;
    for (int k = 0; k < 3000; ++k) {
        const uint32_t count =
            k % 3 == 0 ? lmb_random_u32(&random) % packed->word_count : packed->word_count;
        memcpy(words, packed->words, packed->word_count * sizeof *words);
        for (int flips = 0; k % 3 != 0 && flips <= k % 5; ++flips) {
            const uint32_t at = lmb_random_u32(&random) % (k % 2 ? 120 : packed->word_count);
            words[at] ^= 1u << lmb_random_u32(&random) % 32;
        }
        lmb_packed_clip *opens = NULL;
        lmb_error error;
        if (lmbi_packed_clip_open(s.skeleton, NULL, words, count, NULL, NULL, &opens, &error) !=
            LMB_OK) {
            ++refused;
            continue;
        }
        ++opened;
        for (int i = 0; i < 40; ++i) {
            lmb_packed_sample(&(lmb_packed_sample_job){
                .clip = opens, .time_s = i * 0.13, .mode = LMB_PLAY_LOOP, .pose = pose});
            for (int j = 0; j < JOINTS; ++j) {
                assert_true(isfinite(pose[j].rotation.x + pose[j].rotation.w +
                                     pose[j].translation.x + pose[j].scale.z));
            }
        }
        lmb_packed_clip_destroy(opens);
    }
    assert_true(opened > 100 && refused > 1000);
    free(words);
    lmb_packed_clip_destroy(packed);
    destroy(s);
}

static void survives_every_failing_allocation(void **state)
{
    (void)state;
    scene s = make_scene((motion){.translate = true, .step = true});
    lmb_clip *part = NULL;
    assert_int_equal(
        lmb_clip_apply(s.clip, &(lmb_clip_edit){.op = LMB_CLIP_TRIM, .begin_s = 0, .end_s = 0.5},
                       NULL, &part, NULL),
        LMB_OK);
    for (failing_run f = {0}; failing_next(&f);) {
        lmb_packed_clip *packed = NULL;
        lmb_clip *clip = NULL;
        f.result = lmb_packed_clip_create(s.skeleton, part, NULL, &f.alloc, &packed, NULL);
        if (f.result == LMB_OK) {
            f.result = lmb_packed_clip_unpack(packed, s.skeleton, &f.alloc, &clip, NULL);
        }
        lmb_clip_destroy(clip);
        lmb_packed_clip_destroy(packed);
    }
    lmb_clip_destroy(part);
    destroy(s);
}

/// Motion capture, where it is at hand: as small as it was measured to be elsewhere, and within the
/// bound.
static void motion_capture(void **state)
{
    (void)state;
    const char *shared = getenv("LIMBER_SHARED");
    static const char *const names[] = {"xia_normal_walk", "cmu_12_01_walk",
                                        "pybvh_xyz_60j_fingers"};
    if (shared == NULL) {
        skip();
    }
    for (size_t k = 0; k < sizeof names / sizeof names[0]; ++k) {
        char path[1024];
        lmb_file file;
        lmb_character *character = NULL;
        snprintf(path, sizeof path, "%s/data/mocap/bvh/%s.bvh", shared, names[k]);
        if (lmb_file_read(path, 0, &file, NULL) != LMB_OK) {
            continue;
        }
        assert_int_equal(lmbi_bvh_read(file.data, file.size, NULL, NULL, &character, NULL), LMB_OK);
        lmb_packed_clip *packed = pack((scene){character->skeleton, character->clips[0]}, NULL);
        const double error = worst_error(character->skeleton, character->clips[0], packed, 0.03);
        if (!(error <= 1.02e-4)) {
            fail_msg("%s: %g m, said %g m", names[k], error, (double)packed->error_m);
        }
        assert_true((size_t)packed->word_count * 4 * 9 <
                    (size_t)packed->joint_count * packed->sample_count * 40);
        lmb_packed_clip_destroy(packed);
        lmb_character_destroy(character);
        lmb_file_free(&file);
    }
}

static void reach_of_a_skin(void **state)
{
    (void)state;
    lmb_vec3 positions[] = {{0, 0, 0}, {0, 3, 0}, {0, 1, 4}};
    uint32_t indices[] = {0, 1, 2}, first[] = {0, 1, 2, 4};
    lmb_influence items[] = {{0, 1}, {1, 1}, {1, 0.75f}, {0, 0.25f}};
    lmb_primitive primitive = {.index_count = 3,
                               .vertex_count = 3,
                               .material = LMB_NONE,
                               .attributes = LMB_HAS_INFLUENCES};
    const lmb_mesh mesh_def = {.vertex_count = 3,
                               .positions = positions,
                               .index_count = 3,
                               .indices = indices,
                               .primitive_count = 1,
                               .primitives = &primitive,
                               .influences = {first, items}};
    int32_t parents[] = {LMB_NONE, 0};
    lmb_transform rest[] = {lmb_transform_identity(), lmb_transform_identity()};
    rest[1].translation.y = 1;
    const char *names[] = {"a", "b"};
    const lmb_skeleton skeleton_def = {
        .joint_count = 2, .parents = parents, .rest = rest, .names = names};
    lmb_mat4 binds[] = {lmb_mat4_identity(), lmb_mat4_identity()};
    binds[1].m[13] = -1;
    uint32_t joints[] = {0, 1};
    const lmb_skin skin_def = {
        .joint_count = 2, .joints = joints, .joint_from_bind = binds, .root = LMB_NONE};
    lmb_character *character =
        one_mesh_create(&skeleton_def, &mesh_def, &skin_def, (lmb_instance){.skin = 0});
    float reach[2];
    lmb_character_reach(character, reach);
    assert_true(fabsf(reach[0] - sqrtf(17)) < 1e-6f && fabsf(reach[1] - 4) < 1e-6f);
    lmb_character_destroy(character);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bound_holds),
        cmocka_unit_test(wide_rotations_and_sudden_steps),
        cmocka_unit_test(one_glitch_costs_no_track),
        cmocka_unit_test(what_stands_still_costs_nothing),
        cmocka_unit_test(equal_bits),
        cmocka_unit_test(unpacking_gives_the_played_poses),
        cmocka_unit_test(morph_weights_too),
        cmocka_unit_test(words_that_lie),
        cmocka_unit_test(survives_every_failing_allocation),
        cmocka_unit_test(motion_capture),
        cmocka_unit_test(reach_of_a_skin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
