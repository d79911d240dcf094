// The decoder of compressed clips, and crowds of them: the same bits with every instruction set, in
// any order of playing, for any number of threads.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "limber/limber.h"
#include "limber/os.h"

enum { JOINTS = 90, SAMPLES = 200, CROWD = 37, LAYERS = 3 };

typedef struct scene {
    lmb_skeleton *skeleton;
    lmb_packed_clip *clips[LAYERS];
} scene;

static lmb_packed_clip *make_clip(const lmb_skeleton *skeleton, float noise, float size)
{
    static float ticks[SAMPLES], values[JOINTS + 1][SAMPLES * 4];
    lmb_channel channels[JOINTS + 1];
    lmb_random random = lmb_random_seed(11);
    for (int k = 0; k < SAMPLES; ++k) {
        ticks[k] = (float)k;
    }
    for (uint32_t j = 0; j < JOINTS; ++j) {
        const float speed = lmb_random_range(&random, 1, 6);
        for (int k = 0; k < SAMPLES; ++k) {
            const float angle =
                size * lmb_sin(speed * (float)k / 30) + noise * lmb_random_range(&random, -1, 1);
            const lmb_quat q =
                lmb_quat_axis_angle(lmb_vec3_make(0.6f, j % 2 ? 0.8f : 0, j % 2 ? 0 : 0.8f), angle);
            memcpy(&values[j][4 * k], &q, sizeof q);
        }
        channels[j] = (lmb_channel){j, LMB_PATH_ROTATION, LMB_LINEAR, 4, SAMPLES, ticks, values[j]};
    }
    for (int k = 0; k < SAMPLES; ++k) {
        const float v[3] = {0.02f * (float)k, 1 + 0.1f * lmb_sin((float)k), 0};
        memcpy(&values[JOINTS][3 * k], v, sizeof v);
    }
    channels[JOINTS] =
        (lmb_channel){0, LMB_PATH_TRANSLATION, LMB_LINEAR, 3, SAMPLES, ticks, values[JOINTS]};
    const lmb_clip def = {.ticks_per_s = 30,
                          .frame_rate = 30,
                          .duration = SAMPLES - 1,
                          .channel_count = JOINTS + 1,
                          .channels = channels};
    lmb_clip *clip = NULL;
    lmb_packed_clip *packed = NULL;
    assert_int_equal(lmb_clip_create(&def, NULL, &clip, NULL), LMB_OK);
    assert_int_equal(lmb_packed_clip_create(skeleton, clip, &(lmb_pack_opts){.precision_m = 1e-3f},
                                            NULL, &packed, NULL),
                     LMB_OK);
    lmb_clip_destroy(clip);
    return packed;
}

static scene make_scene(void)
{
    int32_t parents[JOINTS];
    lmb_transform rest[JOINTS];
    const char *names[JOINTS];
    for (int j = 0; j < JOINTS; ++j) {
        parents[j] = j == 0 ? LMB_NONE : (j % 6 == 0 ? 0 : j - 1);
        rest[j] = lmb_transform_identity();
        rest[j].translation.y = 0.1f;
        names[j] = "joint";
    }
    const lmb_skeleton def = {
        .joint_count = JOINTS, .parents = parents, .rest = rest, .names = names};
    scene s = {0};
    assert_int_equal(lmb_skeleton_create(&def, NULL, &s.skeleton, NULL), LMB_OK);
    s.clips[0] = make_clip(s.skeleton, 0.01f, 0.5f);
    s.clips[1] = make_clip(s.skeleton, 0.002f, 0.9f);
    s.clips[2] = make_clip(s.skeleton, 0, 0.1f);
    return s;
}

static void destroy(scene s)
{
    for (int k = 0; k < LAYERS; ++k) {
        lmb_packed_clip_destroy(s.clips[k]);
    }
    lmb_skeleton_destroy(s.skeleton);
}

static void poses_have_equal_bits(void **state)
{
    (void)state;
    const scene s = make_scene();
    static lmb_transform poses[3 * SAMPLES][JOINTS], pose[JOINTS];
    for (int c = 0; c < LAYERS; ++c) {
        for (int i = 0; i < 3 * SAMPLES; ++i) {
            lmb_packed_sample(
                &(lmb_packed_sample_job){.clip = s.clips[c], .time_s = i / 83.0, .pose = poses[i]});
        }
        for (int set = LMB_SIMD_BEST; set < LMB_SIMD_COUNT; ++set) {
            lmb_random random = lmb_random_seed(5);
            for (int k = 0; lmb_simd_runs((lmb_simd)set) && k < 4 * SAMPLES; ++k) {
                const int i = k < 3 * SAMPLES ? 3 * SAMPLES - 1 - k
                                              : (int)(lmb_random_u32(&random) % (3 * SAMPLES));
                lmb_packed_sample(&(lmb_packed_sample_job){
                    .clip = s.clips[c], .time_s = i / 83.0, .pose = pose, .simd = (lmb_simd)set});
                assert_memory_equal(pose, poses[i], sizeof pose);
            }
        }
    }
    destroy(s);
}

/// What a crowd is made of. Number 3 weighs nothing, number 5 plays one clip three times.
typedef struct crowd {
    const lmb_packed_clip *clips[CROWD][LAYERS];
    double times[CROWD][LAYERS];
    float weights[CROWD][LAYERS];
    lmb_mat4 roots[CROWD];
} crowd;

static crowd make_crowd(const scene *s)
{
    crowd out;
    lmb_random random = lmb_random_seed(9);
    for (int c = 0; c < CROWD; ++c) {
        out.roots[c] = lmb_mat4_identity();
        out.roots[c].m[12] = (float)c;
        for (int k = 0; k < LAYERS; ++k) {
            out.clips[c][k] = s->clips[c == 5 ? 0 : k];
            out.times[c][k] = c == 5 ? 1.7 : (double)lmb_random_range(&random, 0, 9);
            out.weights[c][k] = c == 3 ? 0 : lmb_random_range(&random, 0, 2);
        }
    }
    return out;
}

/// The mean of one joint, in double precision.
static void expect_mean(lmb_transform layers[LAYERS][JOINTS], const float *weights, int joint,
                        lmb_transform got)
{
    double q[4] = {0}, y = 0, size = 0, sum = 0;
    for (int k = 0; k < LAYERS; ++k) {
        sum += (double)weights[k];
    }
    for (int k = 0; k < LAYERS; ++k) {
        const lmb_transform *t = &layers[k][joint];
        const bool flips = lmb_quat_dot(t->rotation, layers[0][joint].rotation) < 0;
        const double w = (double)weights[k] / sum * (flips ? -1 : 1);
        q[0] += w * (double)t->rotation.x;
        q[1] += w * (double)t->rotation.y;
        q[2] += w * (double)t->rotation.z;
        q[3] += w * (double)t->rotation.w;
        y += fabs(w) * (double)t->translation.y;
    }
    for (int i = 0; i < 4; ++i) {
        size += q[i] * q[i];
    }
    size = sqrt(size);
    const lmb_quat should = {(float)(q[0] / size), (float)(q[1] / size), (float)(q[2] / size),
                             (float)(q[3] / size)};
    assert_true(fabsf(fabsf(lmb_quat_dot(should, got.rotation)) - 1) < 1e-5f);
    assert_true(fabs(y - (double)got.translation.y) < 1e-5);
}

/// One member against its clips sampled by themselves.
static void expect_member(const scene *s, const crowd *all, int c, const lmb_transform *local,
                          const lmb_mat4 *model)
{
    static lmb_transform layers[LAYERS][JOINTS];
    static lmb_mat4 alone[JOINTS];
    for (int k = 0; k < LAYERS; ++k) {
        lmb_packed_sample(&(lmb_packed_sample_job){.clip = all->clips[c][k],
                                                   .time_s = all->times[c][k],
                                                   .mode = LMB_PLAY_LOOP,
                                                   .pose = layers[k]});
    }
    for (int j = 0; j < JOINTS; ++j) {
        if (c == 3) { // nothing weighs: at rest
            assert_memory_equal(&local[j], &s->skeleton->rest[j], sizeof(lmb_transform));
            continue;
        }
        expect_mean(layers, all->weights[c], j, local[j]);
        if (c == 5) {
            assert_true(lmb_quat_angle(layers[0][j].rotation, local[j].rotation) < 2e-3f);
        }
    }
    lmb_pose_to_model(&(lmb_pose_to_model_job){
        .skeleton = s->skeleton, .local = local, .root = all->roots[c], .model_from_joint = alone});
    assert_memory_equal(alone, model, sizeof alone);
}

static lmb_crowd_job job_of(const scene *s, const crowd *all)
{
    return (lmb_crowd_job){.skeleton = s->skeleton,
                           .count = CROWD,
                           .layer_count = LAYERS,
                           .clips = &all->clips[0][0],
                           .times_s = &all->times[0][0],
                           .mode = LMB_PLAY_LOOP,
                           .weights = &all->weights[0][0],
                           .roots = all->roots};
}

/// A crowd is what its members are alone; blending a pose with itself is that pose.
static void a_crowd_is_its_members(void **state)
{
    (void)state;
    const scene s = make_scene();
    static lmb_transform local[2][CROWD][JOINTS];
    static lmb_mat4 model[2][CROWD][JOINTS];
    const crowd all = make_crowd(&s);
    lmb_pool *pool = NULL;
    assert_int_equal(lmb_pool_create(3, &pool, NULL), LMB_OK);
    lmb_crowd_job job = job_of(&s, &all);
    job.local = local[0][0];
    job.model_from_joint = model[0][0];
    lmb_crowd(&job);
    for (int set = LMB_SIMD_BEST; set < LMB_SIMD_COUNT; ++set) {
        job.local = local[1][0];
        job.model_from_joint = model[1][0];
        job.jobs = lmb_pool_jobs(pool);
        job.simd = (lmb_simd)set;
        if (lmb_simd_runs(job.simd)) {
            lmb_crowd(&job);
            assert_memory_equal(local[0], local[1], sizeof local[0]);
            assert_memory_equal(model[0], model[1], sizeof model[0]);
            memset(model[1], 0, sizeof model[1]);
            job.local = NULL;
            lmb_crowd(&job);
            assert_memory_equal(model[0], model[1], sizeof model[0]);
        }
    }
    lmb_pool_destroy(pool);
    for (int c = 0; c < CROWD; ++c) {
        expect_member(&s, &all, c, local[0][c], model[0][c]);
    }
    destroy(s);
}

/// What pieces of a crowd hold, put where it belongs.
typedef struct gathered {
    lmb_transform local[CROWD][JOINTS];
    lmb_mat4 model[CROWD][JOINTS], bind[CROWD][JOINTS];
} gathered;

static void gather(void *context, const lmb_crowd_piece *piece)
{
    gathered *into = context;
    const size_t joints = (size_t)piece->count * JOINTS;
    memcpy(into->local[piece->first], piece->local, joints * sizeof(lmb_transform));
    memcpy(into->model[piece->first], piece->model_from_joint, joints * sizeof(lmb_mat4));
    memcpy(into->bind[piece->first], piece->model_from_bind, joints * sizeof(lmb_mat4));
}

/// Pieces hold what arrays get, whatever arrays are asked for; palettes are products of matrices.
static void pieces_of_a_crowd(void **state)
{
    (void)state;
    const scene s = make_scene();
    static gathered kept, seen;
    static lmb_mat4 joint_from_bind[JOINTS];
    const crowd all = make_crowd(&s);
    lmb_pool *pool = NULL;
    assert_int_equal(lmb_pool_create(3, &pool, NULL), LMB_OK);
    for (int j = 0; j < JOINTS; ++j) {
        lmb_transform t = lmb_transform_identity();
        t.translation = lmb_vec3_make(0.1f * (float)j, 1, -2);
        t.rotation = lmb_quat_axis_angle(lmb_vec3_make(0, 1, 0), 0.3f * (float)j);
        joint_from_bind[j] = lmb_mat4_from_transform(t);
    }
    lmb_crowd_job job = job_of(&s, &all);
    job.joint_from_bind = joint_from_bind;
    job.local = kept.local[0];
    job.model_from_joint = kept.model[0];
    job.model_from_bind = kept.bind[0];
    lmb_crowd(&job);
    for (int c = 0; c < CROWD; ++c) {
        for (int j = 0; j < JOINTS; ++j) {
            const lmb_mat4 product = lmb_mat4_mul(kept.model[c][j], joint_from_bind[j]);
            assert_memory_equal(&product, &kept.bind[c][j], sizeof product);
        }
    }
    job.local = NULL;
    job.model_from_joint = job.model_from_bind = NULL;
    job.each = gather;
    job.context = &seen;
    job.jobs = lmb_pool_jobs(pool);
    for (int set = LMB_SIMD_BEST; set < LMB_SIMD_COUNT; ++set) {
        job.simd = (lmb_simd)set;
        if (lmb_simd_runs(job.simd)) {
            memset(&seen, 0, sizeof seen);
            lmb_crowd(&job);
            assert_memory_equal(&kept, &seen, sizeof kept);
        }
    }
    lmb_pool_destroy(pool);
    destroy(s);
}

/// Layers that have no room side by side go one after the other, and come out where they should.
static void many_layers_come_to_the_same(void **state)
{
    (void)state;
    enum { MANY = 14 }; // times JOINTS is more than the crowd keeps at once
    const scene s = make_scene();
    static lmb_transform local[JOINTS], layers[MANY][JOINTS], should[JOINTS];
    static lmb_mat4 model[JOINTS];
    const lmb_packed_clip *clips[MANY];
    double times[MANY];
    float weights[MANY];
    lmb_blend_layer list[MANY];
    for (int k = 0; k < MANY; ++k) {
        clips[k] = s.clips[k % LAYERS];
        times[k] = 0.1 * k;
        weights[k] = 0.3f + 0.1f * (float)k;
        lmb_packed_sample(
            &(lmb_packed_sample_job){.clip = clips[k], .time_s = times[k], .pose = layers[k]});
        list[k] = (lmb_blend_layer){layers[k], weights[k], NULL};
    }
    lmb_crowd(&(lmb_crowd_job){.skeleton = s.skeleton,
                               .count = 1,
                               .layer_count = MANY,
                               .clips = clips,
                               .times_s = times,
                               .weights = weights,
                               .local = local,
                               .model_from_joint = model});
    lmb_blend(&(lmb_blend_job){
        .joint_count = JOINTS, .layers = list, .layer_count = MANY, .out = should});
    for (int j = 0; j < JOINTS; ++j) {
        // Making the length one after each layer instead of at the end moves the mean a little.
        assert_true(lmb_quat_angle(should[j].rotation, local[j].rotation) < 0.05f);
        assert_true(lmb_vec3_distance(should[j].translation, local[j].translation) < 1e-4f);
    }
    destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_layers_come_to_the_same),
        cmocka_unit_test(poses_have_equal_bits),
        cmocka_unit_test(a_crowd_is_its_members),
        cmocka_unit_test(pieces_of_a_crowd),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
