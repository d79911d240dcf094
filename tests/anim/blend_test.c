// Blending against double precision and known answers; blend spaces; inertialisation.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "anim/anim.h"
#include "failing_allocator.h"
#include "limber/anim.h"
#include "near.h"

enum { JOINTS = 67 };

static lmb_quat random_quat(lmb_random *random)
{
    return lmb_quat_normalize(
        lmb_quat_make(lmb_random_range(random, -1, 1), lmb_random_range(random, -1, 1),
                      lmb_random_range(random, -1, 1), lmb_random_range(random, -1, 1)));
}

static lmb_vec3 random_vec3(lmb_random *random, float low, float high)
{
    return lmb_vec3_make(lmb_random_range(random, low, high), lmb_random_range(random, low, high),
                         lmb_random_range(random, low, high));
}

static void random_pose(uint64_t seed, lmb_transform *pose)
{
    lmb_random random = lmb_random_seed(seed);
    for (int j = 0; j < JOINTS; ++j) {
        pose[j].translation = random_vec3(&random, -2, 2);
        pose[j].rotation = random_quat(&random);
        pose[j].scale = random_vec3(&random, 0.5f, 2);
    }
}

// ------------------------------------------------------------------------------------------ blend

static void pose_with_itself_is_itself(void **state)
{
    (void)state;
    static lmb_transform pose[JOINTS], rest[JOINTS], out[JOINTS];
    static float mask[JOINTS], other[JOINTS];
    random_pose(1, pose);
    random_pose(2, rest);
    lmb_random random = lmb_random_seed(3);
    for (int j = 0; j < JOINTS; ++j) {
        mask[j] = lmb_random_unit(&random);
        other[j] = 0.5f + lmb_random_unit(&random);
    }
    for (uint32_t count = 1; count <= 5; ++count) {
        lmb_blend_layer layers[5];
        for (uint32_t i = 0; i < count; ++i) {
            layers[i] = (lmb_blend_layer){pose, 0.3f + 0.17f * (float)i,
                                          i == 1 ? mask : (i == 2 ? other : NULL)};
        }
        lmb_blend(&(lmb_blend_job){.joint_count = JOINTS,
                                   .layers = layers,
                                   .layer_count = count,
                                   .rest = rest,
                                   .out = out});
        assert_memory_equal(out, pose, sizeof(pose));
        lmb_blend(&(lmb_blend_job){
            .joint_count = JOINTS, .layers = layers, .layer_count = count, .out = out});
        assert_memory_equal(out, pose, sizeof(pose));
    }
}

/// The weighted mean in double, rotations to the hemisphere of the first layer, as the header
/// defines it.
static void expect_mean(const lmb_blend_layer *layers, uint32_t count, const lmb_transform *got,
                        int j)
{
    double sum = 0, m[10] = {0};
    const float *first = (const float *)&layers[0].pose[j];
    for (uint32_t i = 0; i < count; ++i) {
        const float *p = (const float *)&layers[i].pose[j];
        const double w =
            (double)layers[i].weight * (layers[i].mask != NULL ? (double)layers[i].mask[j] : 1);
        double dot = 0;
        for (int k = 3; k < 7; ++k) {
            dot += (double)first[k] * (double)p[k];
        }
        for (int k = 0; k < 10; ++k) {
            m[k] += w * (double)p[k] * (k >= 3 && k < 7 && dot < 0 ? -1 : 1);
        }
        sum += w;
    }
    const double length = sqrt(m[3] * m[3] + m[4] * m[4] + m[5] * m[5] + m[6] * m[6]) / sum;
    for (int k = 0; k < 10; ++k) {
        const double want = m[k] / sum / (k >= 3 && k < 7 ? length : 1);
        near((double)((const float *)&got[j])[k], want,
             2e-6 / (length < 0.2 ? length * length : 1));
    }
}

static void blends_like_double(void **state)
{
    (void)state;
    static lmb_transform pose[4][JOINTS], out[JOINTS];
    static float mask[JOINTS];
    lmb_random random = lmb_random_seed(9);
    for (int j = 0; j < JOINTS; ++j) {
        mask[j] = j % 5 == 0 ? 0 : lmb_random_unit(&random);
    }
    for (uint32_t count = 1; count <= 4; ++count) {
        lmb_blend_layer layers[4];
        for (uint32_t i = 0; i < count; ++i) {
            random_pose(10 + i, pose[i]);
            layers[i] = (lmb_blend_layer){pose[i], 0.2f + 0.3f * (float)i, i % 2 ? mask : NULL};
        }
        lmb_blend(&(lmb_blend_job){
            .joint_count = JOINTS, .layers = layers, .layer_count = count, .out = out});
        for (int j = 0; j < JOINTS; ++j) {
            expect_mean(layers, count, out, j);
        }
    }
}

static void rest_fills_and_alias(void **state)
{
    (void)state;
    static lmb_transform pose[JOINTS], rest[JOINTS], out[JOINTS];
    static float mask[JOINTS];
    random_pose(1, pose);
    random_pose(2, rest);
    for (int j = 0; j < JOINTS; ++j) {
        mask[j] = j % 2 ? 1.0f : 0.0f;
    }
    const lmb_blend_layer layer = {pose, 1, mask};
    const lmb_blend_job job = {
        .joint_count = JOINTS, .layers = &layer, .layer_count = 1, .rest = rest, .out = out};
    lmb_blend(&job);
    for (int j = 0; j < JOINTS; ++j) {
        const lmb_transform *want = j % 2 ? &pose[j] : &rest[j];
        near((double)out[j].translation.x, (double)want->translation.x, 1e-6);
        near(fabs((double)lmb_quat_dot(out[j].rotation, want->rotation)), 1, 1e-6);
    }
    lmb_blend_job same = job;
    same.out = pose;
    lmb_blend(&same);
    assert_memory_equal(out, pose, sizeof(out));
    lmb_blend(&(lmb_blend_job){.joint_count = JOINTS, .rest = rest, .out = out});
    assert_memory_equal(out, rest, sizeof(out));
}

/// base + 1 (pose - base) is pose, base + 0 is base, pose - 1 (pose - base) is base; half way is
/// slerp.
static void additive_round_trip(void **state)
{
    (void)state;
    static lmb_transform base[JOINTS], pose[JOINTS], d[JOINTS], out[JOINTS];
    random_pose(1, base);
    random_pose(2, pose);
    lmb_pose_difference(
        &(lmb_pose_difference_job){.joint_count = JOINTS, .base = base, .pose = pose, .out = d});
    const float weights[] = {1, 0, -1, 0.5f, 0.21f, -0.7f};
    for (int w = 0; w < 6; ++w) {
        const lmb_blend_layer on = {weights[w] < 0 ? pose : base, 1, NULL},
                              add = {d, weights[w], NULL};
        lmb_blend(&(lmb_blend_job){.joint_count = JOINTS,
                                   .layers = &on,
                                   .layer_count = 1,
                                   .additives = &add,
                                   .additive_count = 1,
                                   .out = out});
        for (int j = 0; j < JOINTS; ++j) {
            const lmb_quat part =
                lmb_quat_slerp(lmb_quat_identity(), d[j].rotation, fabsf(weights[w]));
            const lmb_quat q =
                lmb_quat_mul(on.pose[j].rotation, weights[w] < 0 ? lmb_quat_conjugate(part) : part);
            near(fabs((double)lmb_quat_dot(out[j].rotation, q)), 1, 1e-6);
            near((double)out[j].translation.y,
                 (double)(on.pose[j].translation.y + weights[w] * d[j].translation.y), 1e-6);
            if (fabsf(weights[w]) == 1) {
                near((double)out[j].scale.z, (double)(weights[w] > 0 ? pose : base)[j].scale.z,
                     1e-6);
                near((double)out[j].translation.z,
                     (double)(weights[w] > 0 ? pose : base)[j].translation.z, 1e-6);
            }
            if (weights[w] == 0) {
                assert_memory_equal(&out[j], &base[j], sizeof(out[j]));
            }
        }
    }
}

/// Additive layers that weigh as much everywhere go a shorter way; a mask of ones goes the long
/// one.
static void even_additives_have_the_bits_of_masked_ones(void **state)
{
    (void)state;
    static lmb_transform poses[5][JOINTS], out[JOINTS], should[JOINTS];
    static float ones[JOINTS];
    for (int p = 0; p < 5; ++p) {
        random_pose((uint64_t)p + 3, poses[p]);
    }
    lmb_pose_difference(&(lmb_pose_difference_job){
        .joint_count = JOINTS, .base = poses[0], .pose = poses[3], .out = poses[3]});
    lmb_pose_difference(&(lmb_pose_difference_job){
        .joint_count = JOINTS, .base = poses[1], .pose = poses[4], .out = poses[4]});
    for (int j = 0; j < JOINTS; ++j) {
        ones[j] = 1;
    }
    for (int set = LMB_SIMD_BEST; set < LMB_SIMD_COUNT; ++set) {
        for (uint32_t layers = lmb_simd_runs((lmb_simd)set) ? 1 : 4; layers <= 3; ++layers) {
            const lmb_blend_layer list[3] = {
                {poses[0], 0.6f, NULL}, {poses[1], 0.3f, NULL}, {poses[2], 0.8f, NULL}};
            lmb_blend_layer adds[2] = {{poses[3], 0.37f, NULL}, {poses[4], 1.5f, NULL}};
            lmb_blend_job job = {.joint_count = JOINTS,
                                 .layers = list,
                                 .layer_count = layers,
                                 .additives = adds,
                                 .additive_count = 2,
                                 .out = out,
                                 .simd = (lmb_simd)set};
            lmb_blend(&job);
            adds[0].mask = adds[1].mask = ones;
            job.out = should;
            lmb_blend(&job);
            assert_memory_equal(out, should, sizeof(out));
        }
    }
}

// ---------------------------------------------------------------------------------------- overlay

static lmb_skeleton *make_chain(uint32_t count)
{
    int32_t parents[16];
    lmb_transform rest[16];
    const char *names[16];
    for (uint32_t j = 0; j < count; ++j) {
        parents[j] = (int32_t)j - 1;
        rest[j] = lmb_transform_identity();
        rest[j].translation = lmb_vec3_make(0, 1, 0);
        names[j] = "j";
    }
    lmb_skeleton *out = NULL;
    const lmb_skeleton def = {
        .joint_count = count, .parents = parents, .rest = rest, .names = names};
    assert_int_equal(lmb_skeleton_create(&def, NULL, &out, NULL), LMB_OK);
    return out;
}

/// Legs rotate by 40 degrees about y; the chest of the pose laid over, masked above joint 2, must
/// face where it faces alone.
static void model_space_keeps_the_aim(void **state)
{
    (void)state;
    lmb_skeleton *chain = make_chain(6);
    lmb_transform under[6], over[6];
    lmb_quat scratch[18];
    float mask[6] = {0};
    for (int j = 0; j < 6; ++j) {
        under[j] = over[j] = chain->rest[j];
    }
    under[0].rotation = lmb_quat_axis_angle(lmb_vec3_make(0, 1, 0), 0.7f);
    over[3].rotation = lmb_quat_axis_angle(lmb_vec3_make(1, 0, 0), 0.5f);
    lmb_mask_branch(chain, 3, 1, 0, mask);
    const lmb_overlay_job job = {.skeleton = chain,
                                 .over = over,
                                 .weight = 1,
                                 .mask = mask,
                                 .model_space = true,
                                 .scratch = scratch,
                                 .pose = under};
    lmb_overlay(&job);
    lmb_quat model = lmb_quat_identity();
    for (int j = 0; j < 6; ++j) {
        model = lmb_quat_mul(model, under[j].rotation);
        if (j == 2) {
            near((double)lmb_quat_angle(model, under[0].rotation), 0, 1e-3);
        }
    }
    near(fabs((double)lmb_quat_dot(model, over[3].rotation)), 1, 1e-6);
    // An additive of nothing changes nothing.
    lmb_transform before[6], none[6];
    memcpy(before, under, sizeof(before));
    lmb_pose_difference(&(lmb_pose_difference_job){.joint_count = chain->joint_count,
                                                   .base = over,
                                                   .pose = over,
                                                   .out = none,
                                                   .skeleton = chain,
                                                   .scratch = scratch});
    lmb_overlay_job add = job;
    add.over = none;
    add.additive = true;
    lmb_overlay(&add);
    for (int j = 0; j < 6; ++j) {
        near(fabs((double)lmb_quat_dot(before[j].rotation, under[j].rotation)), 1, 1e-6);
    }
    lmb_skeleton_destroy(chain);
}

static void mask_feathers(void **state)
{
    (void)state;
    lmb_skeleton *chain = make_chain(6);
    float mask[6] = {0.25f, 0.25f, 0, 0, 0, 0};
    lmb_mask_branch(chain, 2, 0.9f, 2, mask);
    const double want[6] = {0.25, 0.25, 0.3, 0.6, 0.9, 0.9};
    for (int j = 0; j < 6; ++j) {
        near((double)mask[j], want[j], 1e-6);
    }
    lmb_skeleton_destroy(chain);
}

// ----------------------------------------------------------------------------------- blend spaces

static void line_space(void **state)
{
    (void)state;
    const lmb_vec2 points[] = {{3, 0}, {0, 0}, {1, 0}};
    lmbi_blend_space *space = NULL;
    float w[3];
    assert_int_equal(lmbi_blend_space_create(points, 3, NULL, &space, NULL), LMB_OK);
    const double at[] = {-5, 0, 0.25, 1, 2, 9},
                 want[][3] = {{0, 1, 0}, {0, 1, 0},     {0, 0.75, 0.25},
                              {0, 0, 1}, {0.5, 0, 0.5}, {1, 0, 0}};
    for (int k = 0; k < 6; ++k) {
        lmbi_blend_space_weights(space, (lmb_vec2){(float)at[k], 0}, w);
        for (int i = 0; i < 3; ++i) {
            near((double)w[i], want[k][i], 1e-7);
        }
    }
    lmbi_blend_space_destroy(space);
}

static double orient(lmb_vec2 a, lmb_vec2 b, lmb_vec2 c)
{
    return ((double)b.x - (double)a.x) * ((double)c.y - (double)a.y) -
           ((double)b.y - (double)a.y) * ((double)c.x - (double)a.x);
}

/// No point lies inside the circle of any triangle; triangles fill the hull exactly; Euler's count
/// holds.
static void expect_delaunay(const lmbi_blend_space *s)
{
    double area = 0, hull = 0;
    for (uint32_t t = 0; t < s->triangle_count; ++t) {
        const lmb_vec2 a = s->points[s->triangles[t][0]], b = s->points[s->triangles[t][1]],
                       c = s->points[s->triangles[t][2]];
        const double twice = orient(a, b, c);
        assert_true(twice > 0);
        area += twice;
        const double bx = (double)b.x - (double)a.x, by = (double)b.y - (double)a.y,
                     cx = (double)c.x - (double)a.x, cy = (double)c.y - (double)a.y;
        const double ux = (cy * (bx * bx + by * by) - by * (cx * cx + cy * cy)) / (2 * twice);
        const double uy = (bx * (cx * cx + cy * cy) - cx * (bx * bx + by * by)) / (2 * twice);
        const double r2 = ux * ux + uy * uy;
        for (uint32_t i = 0; i < s->point_count; ++i) {
            const double dx = (double)s->points[i].x - (double)a.x - ux,
                         dy = (double)s->points[i].y - (double)a.y - uy;
            assert_true(dx * dx + dy * dy >= r2 * (1 - 1e-6));
        }
    }
    const lmb_vec2 origin = {0, 0};
    for (uint32_t e = 0; e < s->edge_count; ++e) {
        hull += orient(origin, s->points[s->edges[e][0]], s->points[s->edges[e][1]]);
        for (uint32_t i = 0; i < s->point_count; ++i) {
            assert_true(
                orient(s->points[s->edges[e][0]], s->points[s->edges[e][1]], s->points[i]) >= 0);
        }
    }
    near(area, hull, 1e-6 * hull);
    assert_int_equal(s->triangle_count, 2 * s->point_count - 2 - s->edge_count);
}

/// How far the weights of two places are apart, summed.
static double weights_apart(const lmbi_blend_space *s, lmb_vec2 a, lmb_vec2 b)
{
    float w0[256], w1[256];
    double sum = 0, apart = 0;
    lmbi_blend_space_weights(s, a, w0);
    lmbi_blend_space_weights(s, b, w1);
    for (uint32_t i = 0; i < s->point_count; ++i) {
        assert_true(w1[i] >= 0 && w1[i] <= 1);
        sum += (double)w1[i];
        apart += fabs((double)w1[i] - (double)w0[i]);
    }
    near(sum, 1, 1e-6);
    return apart;
}

static lmb_vec2 between(lmb_vec2 a, lmb_vec2 b, float u)
{
    return (lmb_vec2){a.x + (b.x - a.x) * u, a.y + (b.y - a.y) * u};
}

/// Along a straight walk the steepest place, looked at closer and closer, shows no jump.
static void expect_continuous(const lmbi_blend_space *s, lmb_random *random)
{
    for (int walk = 0; walk < 20; ++walk) {
        lmb_vec2 a = {lmb_random_range(random, -4, 4), lmb_random_range(random, -4, 4)};
        lmb_vec2 b = {lmb_random_range(random, -4, 4), lmb_random_range(random, -4, 4)};
        double most = 0;
        for (int zoom = 0; zoom < 3; ++zoom) {
            uint32_t steepest = 0;
            most = 0;
            for (uint32_t k = 0; k < 200; ++k) {
                const double apart = weights_apart(s, between(a, b, (float)k / 200),
                                                   between(a, b, (float)(k + 1) / 200));
                steepest = apart > most ? k : steepest;
                most = fmax(most, apart);
            }
            const lmb_vec2 low = between(a, b, (float)steepest / 200);
            b = between(a, b, (float)(steepest + 1) / 200);
            a = low;
        }
        assert_true(most < 0.01);
    }
}

static void plane_spaces_are_delaunay(void **state)
{
    (void)state;
    lmb_random random = lmb_random_seed(5);
    for (uint32_t count = 3; count <= 40; ++count) {
        lmb_vec2 points[64];
        for (uint32_t i = 0; i < count; ++i) {
            points[i] =
                (lmb_vec2){lmb_random_range(&random, -2, 2), lmb_random_range(&random, -2, 2)};
        }
        lmbi_blend_space *space = NULL;
        assert_int_equal(lmbi_blend_space_create(points, count, NULL, &space, NULL), LMB_OK);
        expect_delaunay(space);
        if (count % 6 == 3) {
            expect_continuous(space, &random);
        }
        float w[64];
        for (uint32_t i = 0; i < count; ++i) {
            lmbi_blend_space_weights(space, points[i], w);
            near((double)w[i], 1, 1e-6);
        }
        lmbi_blend_space_destroy(space);
    }
}

/// Grids have four points on every circle, and hulls with points on their edges.
static void grids_and_rings(void **state)
{
    (void)state;
    lmb_vec2 points[32];
    lmbi_blend_space *space = NULL;
    lmb_random random = lmb_random_seed(6);
    for (uint32_t i = 0; i < 25; ++i) {
        points[i] = (lmb_vec2){(float)(i * 7 % 25 / 5) - 2, (float)(i * 7 % 25 % 5) - 2};
    }
    assert_int_equal(lmbi_blend_space_create(points, 25, NULL, &space, NULL), LMB_OK);
    assert_int_equal(space->edge_count, 16);
    expect_delaunay(space);
    expect_continuous(space, &random);
    lmbi_blend_space_destroy(space);
    for (uint32_t i = 0; i < 8; ++i) {
        points[i] = (lmb_vec2){lmb_cos((float)i * LMB_PI / 4), lmb_sin((float)i * LMB_PI / 4)};
    }
    points[8] = (lmb_vec2){0, 0};
    assert_int_equal(lmbi_blend_space_create(points, 9, NULL, &space, NULL), LMB_OK);
    expect_delaunay(space);
    expect_continuous(space, &random);
    lmbi_blend_space_destroy(space);
}

static void bad_spaces(void **state)
{
    (void)state;
    lmbi_blend_space *space = NULL;
    const lmb_vec2 twice[] = {{0, 0}, {1, 1}, {0, 0}}, slope[] = {{2, 2}, {0, 0}, {1, 1}};
    assert_int_equal(lmbi_blend_space_create(twice, 0, NULL, &space, NULL), LMB_ERROR_INVALID);
    assert_int_equal(lmbi_blend_space_create(twice, 3, NULL, &space, NULL), LMB_ERROR_INVALID);
    assert_int_equal(lmbi_blend_space_create(slope, 3, NULL, &space, NULL), LMB_OK);
    assert_true(space->is_line);
    float w[3];
    lmbi_blend_space_weights(space, (lmb_vec2){0, 1}, w); // nearest on the line is (0.5, 0.5)
    near((double)w[1], 0.5, 1e-7);
    near((double)w[2], 0.5, 1e-7);
    lmbi_blend_space_destroy(space);
}

// ------------------------------------------------------------------------------------ transitions

static void bollo_known_answers(void **state)
{
    (void)state;
    lmbi_quintic q = lmbi_quintic_make(1, -1, 0.5);
    near(q.a, -144, 1e-10);
    near(q.b, 176, 1e-10);
    near(q.c, -56, 1e-10);
    near(q.a0, 0, 1e-10);
    near(lmbi_quintic_at(&q, 0.25), 0.421875, 1e-12);
    near(lmbi_quintic_at(&q, 0.5), 0, 1e-12);
    q = lmbi_quintic_make(1, -12, 0.5);
    near(q.end_s, 0.416667, 1e-6);
    near(q.a, -79.62624, 1e-6);
    near(q.b, 165.888, 1e-6);
    near(q.c, -138.24, 1e-6);
    near(q.a0, 115.2, 1e-6);
    near(lmbi_quintic_at(&q, q.end_s / 2), 0.03125, 1e-9);
    for (int k = 0; k <= 1000; ++k) {
        assert_true(lmbi_quintic_at(&q, k / 1000.0) >= -1e-12);
    }
    q = lmbi_quintic_make(-1, 1, 0.5);
    near(lmbi_quintic_at(&q, 0.25), -0.421875, 1e-12);
    q = lmbi_quintic_make(0, 0, 0.5);
    near(lmbi_quintic_at(&q, 0.1), 0, 0);
}

static void spring_known_answer(void **state)
{
    (void)state;
    double x = 1, v = 0, y = 1, u = 0;
    lmbi_spring_step(&x, &v, 0.1, 0.1);
    near(x, 0.596574, 1e-6);
    for (int k = 0; k < 10; ++k) {
        lmbi_spring_step(&y, &u, 0.1, 0.01);
    }
    near(y, x, 1e-6); // steps of any size give the same path
    near(u, v, 1e-5);
}

/// Two smooth motions, far apart and of different velocities.
static void motion_at(int which, double t, lmb_transform *pose)
{
    for (int j = 0; j < JOINTS; ++j) {
        const double a = which ? 0.4 + 0.3 * sin(3 * t + j) : -0.3 + 0.5 * sin(2 * t + 2 * j);
        const lmb_vec3 axis = lmb_vec3_normalize_or(
            lmb_vec3_make((float)j - 30, 4, which ? 2.0f : -5.0f), lmb_vec3_make(0, 1, 0));
        pose[j].rotation = lmb_quat_axis_angle(axis, (float)a);
        pose[j].translation =
            lmb_vec3_make((float)(which ? sin(t + j) : 0.2 * cos(2 * t)), (float)a, 0);
        pose[j].scale = lmb_vec3_make(1, 1, 1);
    }
}

/// The largest change of any joint's position or rotation between two poses.
static double farthest(const lmb_transform *a, const lmb_transform *b)
{
    double most = 0;
    for (int j = 0; j < JOINTS; ++j) {
        most = fmax(most, (double)lmb_vec3_distance(a[j].translation, b[j].translation));
        most = fmax(most, (double)lmb_quat_angle(a[j].rotation, b[j].rotation));
    }
    return most;
}

/// Position and velocity go on over the change, and the target is reached.
static void transitions_do_not_pop(void **state)
{
    (void)state;
    static lmb_transform pose[3][JOINTS], to[JOINTS], before[JOINTS];
    const float dt = 1 / 1000.0f;
    for (int kind = LMB_TRANSITION_SPRING; kind <= LMB_TRANSITION_DEAD; ++kind) {
        lmb_transition *t = NULL;
        assert_int_equal(lmb_transition_create(JOINTS, NULL, &t, NULL), LMB_OK);
        motion_at(0, -(double)dt, pose[0]);
        motion_at(0, 0, pose[1]);
        motion_at(1, 0, to);
        motion_at(1, -(double)dt, before);
        const double own = farthest(pose[0], pose[1]);
        lmb_transition_start(t, &(lmb_transition_start_job){.kind = (lmb_transition_kind)kind,
                                                            .from = pose[1],
                                                            .from_before = pose[0],
                                                            .to = to,
                                                            .to_before = before,
                                                            .dt_s = dt});
        double worst = 0;
        bool on = true;
        for (int k = 1; k < 3000; ++k) {
            motion_at(1, k * (double)dt, pose[2]);
            memcpy(to, pose[2], sizeof(to));
            const bool still = lmb_transition_step(t, dt, pose[2]);
            assert_true(on || !still);
            on = still;
            for (int j = 0; j < JOINTS; ++j) {
                const lmb_vec3 v0 = lmb_vec3_sub(pose[1][j].translation, pose[0][j].translation);
                const lmb_vec3 v1 = lmb_vec3_sub(pose[2][j].translation, pose[1][j].translation);
                const lmb_quat r0 =
                    lmb_quat_mul(pose[1][j].rotation, lmb_quat_conjugate(pose[0][j].rotation));
                const lmb_quat r1 =
                    lmb_quat_mul(pose[2][j].rotation, lmb_quat_conjugate(pose[1][j].rotation));
                worst = fmax(worst, (double)lmb_vec3_distance(v0, v1));
                worst = fmax(worst, (double)lmb_quat_angle(r0, r1));
            }
            memcpy(pose[0], pose[1], sizeof(to));
            memcpy(pose[1], pose[2], sizeof(to));
        }
        assert_false(on);
        assert_true(worst <
                    own); // no frame's velocity differs from the last by as much as one frame moves
        assert_memory_equal(to, pose[1], sizeof(to));
        lmb_transition_destroy(t);
    }
}

static void out_of_memory(void **state)
{
    (void)state;
    const lmb_vec2 points[] = {{0, 0}, {1, 0}, {0, 1}};
    for (failing_run f = {.least = 2}; failing_next(&f);) {
        lmbi_blend_space *space = NULL;
        lmb_transition *transition = NULL;
        f.result = lmbi_blend_space_create(points, 3, &f.alloc, &space, NULL);
        if (f.result == LMB_OK) {
            f.result = lmb_transition_create(9, &f.alloc, &transition, NULL);
        }
        lmbi_blend_space_destroy(space);
        lmb_transition_destroy(transition);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pose_with_itself_is_itself),
        cmocka_unit_test(blends_like_double),
        cmocka_unit_test(rest_fills_and_alias),
        cmocka_unit_test(additive_round_trip),
        cmocka_unit_test(even_additives_have_the_bits_of_masked_ones),
        cmocka_unit_test(model_space_keeps_the_aim),
        cmocka_unit_test(mask_feathers),
        cmocka_unit_test(line_space),
        cmocka_unit_test(plane_spaces_are_delaunay),
        cmocka_unit_test(grids_and_rings),
        cmocka_unit_test(bad_spaces),
        cmocka_unit_test(bollo_known_answers),
        cmocka_unit_test(spring_known_answer),
        cmocka_unit_test(transitions_do_not_pop),
        cmocka_unit_test(out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
