// The deformers that turn, against known volumes and radii of a bent and a twisted cylinder, and
// against themselves.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cylinder.h"
#include "failing_allocator.h"
#include "limber/os.h"
#include "limber/skin.h"
#include "near.h"

typedef struct setting {
    lmb_mesh *mesh;
    lmb_binding *binding;
    lmb_centers *centers;
    lmb_mush *mush, *cheaper[LMB_MUSH_V5 + 1];
    lmb_vec3 out[CYLINDER_VERTICES], normals[CYLINDER_VERTICES];
    lmb_vec4 tangents[CYLINDER_VERTICES];
    lmb_mat4 rigid[2], stretch[2];
    lmb_quat rotations[2];
} setting;

static setting *setting_create(bool hard)
{
    setting *s = calloc(1, sizeof(*s));
    assert_non_null(s);
    s->mesh = cylinder_create(hard);
    assert_non_null(s->mesh);
    assert_int_equal(lmb_binding_create(s->mesh, 2, NULL, &s->binding, NULL), LMB_OK);
    assert_int_equal(lmb_centers_create(s->mesh, NULL, NULL, NULL, &s->centers, NULL), LMB_OK);
    assert_int_equal(lmb_mush_create(s->mesh, NULL, NULL, NULL, &s->mush, NULL), LMB_OK);
    for (int v = LMB_MUSH_V2; v <= LMB_MUSH_V5; v += v == LMB_MUSH_V2 ? 2 : 1) {
        const lmb_mush_opts opts = {.variant = (lmb_mush_variant)v, .least_weight = 1e-4f};
        assert_int_equal(lmb_mush_create(s->mesh, &opts, NULL, NULL, &s->cheaper[v], NULL), LMB_OK);
    }
    return s;
}

static void setting_destroy(setting *s)
{
    lmb_mush_destroy(s->mush);
    for (int v = 0; v <= LMB_MUSH_V5; ++v) {
        lmb_mush_destroy(s->cheaper[v]);
    }
    lmb_centers_destroy(s->centers);
    lmb_binding_destroy(s->binding);
    lmb_mesh_destroy(s->mesh);
    free(s);
}

static bool setting_pose(setting *s, const lmb_mat4 *palette)
{
    return lmb_skin_split(&(lmb_skin_split_job){.joint_count = 2,
                                                .model_from_bind = palette,
                                                .rigid = s->rigid,
                                                .rotations = s->rotations,
                                                .stretch = s->stretch});
}

static lmb_skin_job skin_job(setting *s)
{
    return (lmb_skin_job){.binding = s->binding,
                          .model_from_bind = s->rigid,
                          .positions = s->mesh->positions,
                          .normals = s->mesh->normals,
                          .tangents = s->mesh->tangents,
                          .out_positions = s->out,
                          .out_normals = s->normals,
                          .out_tangents = s->tangents};
}

static void by_centers(setting *s)
{
    lmb_skin_center(&(lmb_skin_center_job){
        .skin = skin_job(s), .rotations = s->rotations, .centers = s->centers->positions});
}

static void by_lines(setting *s)
{
    const lmb_skin_job job = skin_job(s);
    lmb_skin_linear(&job);
}

static void by_duals(setting *s)
{
    lmb_skin_dual(&(lmb_skin_dual_job){.skin = skin_job(s), .rotations = s->rotations});
}

static void by_mush(setting *s)
{
    lmb_skin_mush(&(lmb_skin_mush_job){.skin = skin_job(s), .mush = s->mush});
}

static void by_cheaper(setting *s, lmb_mush_variant variant)
{
    lmb_skin_mush(&(lmb_skin_mush_job){
        .skin = skin_job(s), .mush = s->cheaper[variant], .rotations = s->rotations});
}

static void by_mush_v2(setting *s)
{
    by_cheaper(s, LMB_MUSH_V2);
}

static void by_mush_v4(setting *s)
{
    by_cheaper(s, LMB_MUSH_V4);
}

static void by_mush_v5(setting *s)
{
    by_cheaper(s, LMB_MUSH_V5);
}

typedef void (*deform_fn)(setting *s);

static double volume_fraction(setting *s, deform_fn deform, lmb_vec3 axis, double degrees)
{
    lmb_mat4 palette[2];
    cylinder_pose(axis, degrees, palette);
    assert_false(setting_pose(s, palette));
    deform(s);
    return cylinder_volume(s->mesh, s->out) / cylinder_volume(s->mesh, s->mesh->positions);
}

/// Volumes bent by 45, 90 and 120 degrees about z and twisted by 90 and 179.82 about x, as fractions
/// of that at rest, and the least radii of the two twists.
typedef struct deformed_sizes {
    deform_fn deform;
    double bent[3], twisted[2];
    double radii[2], radius_tolerance;
} deformed_sizes;

static void deformed_volumes(void **state)
{
    (void)state;
    static const deformed_sizes expected[] = {
        {by_centers, {0.9997, 0.9970, 0.9914}, {0.9997, 0.9989}, {1, 1}, 1e-5},
        {by_lines, {0.9877, 0.9581, 0.9372}, {0.9167, 0.8333}, {0.7071, 0.0016}, 5e-5},
        {by_duals, {0.9999, 0.9996, 0.9993}, {0.9997, 0.9989}, {1, 1}, 1e-5},
        {by_mush, {0.9859, 0.9529, 0.9334}, {0.9158, 0.8291}, {0.7658, 0.2017}, 5e-5},
        // As mush_variants_test holds them against their formulas.
        {by_mush_v2, {0.9854, 0.9497, 0.9235}, {0.9143, 0.8114}, {0.7658, 0.2017}, 5e-5},
        {by_mush_v4, {0.9876, 0.9573, 0.9350}, {0.9142, 0.8113}, {0.7658, 0.2017}, 5e-5},
        {by_mush_v5, {0.9846, 0.9475, 0.9212}, {0.8953, 0.7906}, {0.7071, 0.0016}, 5e-5},
    };
    static const double bends[] = {45, 90, 120}, twists[] = {90, 179.82};
    const lmb_vec3 x = {1, 0, 0}, z = {0, 0, 1};
    setting *s = setting_create(false);
    lmb_mush_destroy(s->mush);
    const lmb_mush_opts exact = {.least_weight = 1e-4f}; // 0.001 moves the volumes by 1e-4
    assert_int_equal(lmb_mush_create(s->mesh, &exact, NULL, NULL, &s->mush, NULL), LMB_OK);
    for (size_t d = 0; d < sizeof expected / sizeof *expected; ++d) {
        const deformed_sizes *e = &expected[d];
        for (int k = 0; k < 3; ++k) {
            near(volume_fraction(s, e->deform, z, bends[k]), e->bent[k], 5e-5);
        }
        for (int k = 0; k < 2; ++k) {
            near(volume_fraction(s, e->deform, x, twists[k]), e->twisted[k], 5e-5);
            near(cylinder_least_radius(s->out), e->radii[k], e->radius_tolerance);
        }
    }
    setting_destroy(s);
}

// -------------------------------------------------------------------------------------- exactness

/// At rest nothing moves; all joints alike are one rigid motion.
static void rigid_motions_are_kept(void **state)
{
    (void)state;
    setting *s = setting_create(false);
    const deform_fn deformers[] = {by_centers, by_mush,    by_duals,
                                   by_mush_v2, by_mush_v4, by_mush_v5};
    lmb_transform motion = {
        {3, -2, 1}, lmb_quat_axis_angle((lmb_vec3){0, 0.6f, 0.8f}, 2), {1, 1, 1}};
    const lmb_mat4 still[] = {lmb_mat4_identity(), lmb_mat4_identity()};
    const lmb_mat4 moved[] = {lmb_mat4_from_transform(motion), lmb_mat4_from_transform(motion)};
    for (size_t d = 0; d < sizeof(deformers) / sizeof(deformers[0]); ++d) {
        setting_pose(s, still);
        deformers[d](s);
        for (uint32_t v = 0; v < CYLINDER_VERTICES; ++v) {
            near((double)lmb_vec3_distance(s->out[v], s->mesh->positions[v]), 0, 2e-6);
            near((double)lmb_vec3_distance(s->normals[v], s->mesh->normals[v]), 0, 2e-6);
        }
        setting_pose(s, moved);
        deformers[d](s);
        for (uint32_t v = 0; v < CYLINDER_VERTICES; ++v) {
            const lmb_vec3 want = lmb_transform_point(motion, s->mesh->positions[v]);
            near((double)lmb_vec3_distance(s->out[v], want), 0, 8e-6);
            const lmb_vec3 normal = lmb_quat_rotate(motion.rotation, s->mesh->normals[v]);
            near((double)lmb_vec3_distance(s->normals[v], normal), 0, 5e-6);
            const lmb_vec4 t = s->mesh->tangents[v], got = s->tangents[v];
            const lmb_vec3 tangent = lmb_quat_rotate(motion.rotation, lmb_vec3_make(t.x, t.y, t.z));
            near((double)lmb_vec3_distance(lmb_vec3_make(got.x, got.y, got.z), tangent), 0, 5e-6);
            near((double)got.w, (double)t.w, 0);
        }
    }
    setting_destroy(s);
}

/// One joint a vertex: centres change nothing, delta mush rounds the elbow.
static void hard_weights(void **state)
{
    (void)state;
    setting *s = setting_create(true);
    assert_int_equal(s->centers->found_count, 0);
    lmb_mat4 palette[2];
    cylinder_pose((lmb_vec3){0, 0, 1}, 90, palette);
    setting_pose(s, palette);
    by_centers(s);
    for (uint32_t v = 0; v < CYLINDER_VERTICES; ++v) {
        const lmb_mat4 *follows = &palette[s->mesh->positions[v].x > 0];
        const lmb_vec3 want = lmb_mat4_point(*follows, s->mesh->positions[v]);
        near((double)lmb_vec3_distance(s->out[v], want), 0, 1e-6 * 8);
    }
    by_mush(s);
    double sharpest =
        1; // the least cosine between the normals of two neighbours along the outside of the elbow
    for (uint32_t ring = 0; ring + 1 < CYLINDER_RINGS; ++ring) {
        const uint32_t a = ring * CYLINDER_SIDES + 3 * CYLINDER_SIDES / 4;
        sharpest =
            fmin(sharpest, (double)lmb_vec3_dot(s->normals[a], s->normals[a + CYLINDER_SIDES]));
    }
    assert_true(sharpest > cos(20 * 3.14159265358979 / 180));
    setting_destroy(s);
}

/// A uniform stretch of both joints is a larger cylinder; of one, the two phases give T where it
/// rules alone.
static void stretches_go_first(void **state)
{
    (void)state;
    setting *s = setting_create(false);
    lmb_transform t = {{0, 1, 0}, lmb_quat_axis_angle((lmb_vec3){0, 0, 1}, 1), {1.5f, 2, 0.5f}};
    const lmb_mat4 palette[] = {lmb_mat4_identity(), lmb_mat4_from_transform(t)};
    assert_true(setting_pose(s, palette));
    lmb_mat4 whole = lmb_mat4_mul(s->rigid[1], s->stretch[1]);
    for (int i = 0; i < 16; ++i) {
        near((double)whole.m[i], (double)palette[1].m[i], 1e-6);
    }
    near((double)lmb_quat_angle(s->rotations[1], t.rotation), 0, 2e-3);
    lmb_vec3 *centers = calloc(CYLINDER_VERTICES, sizeof(*centers));
    assert_non_null(centers);
    lmb_skin_job phase = skin_job(s);
    phase.model_from_bind = s->stretch;
    lmb_skin_linear(&phase);
    lmb_skin_linear(&(lmb_skin_job){.binding = s->binding,
                                    .model_from_bind = s->stretch,
                                    .positions = s->centers->positions,
                                    .out_positions = centers});
    lmb_skin_job second = skin_job(s);
    second.positions = s->out;
    second.normals = s->normals;
    second.tangents = s->tangents;
    lmb_skin_center(&(lmb_skin_center_job){second, s->rotations, centers});
    for (uint32_t v = 0; v < CYLINDER_VERTICES; ++v) {
        if (s->mesh->positions[v].x >= 1) {
            const lmb_vec3 want = lmb_mat4_point(palette[1], s->mesh->positions[v]);
            near((double)lmb_vec3_distance(s->out[v], want), 0, 8e-6);
        }
    }
    free(centers);
    setting_destroy(s);
}

/// A mirror is a stretch: the rotation stays one.
static void mirrors_are_stretches(void **state)
{
    (void)state;
    lmb_transform t = lmb_transform_identity();
    t.scale.x = -1;
    t.translation.y = 2;
    const lmb_mat4 palette = lmb_mat4_from_transform(t);
    const lmb_vec3 origin = {5, 0, 0};
    lmb_mat4 rigid, stretch;
    lmb_quat rotation;
    assert_true(
        lmb_skin_split(&(lmb_skin_split_job){1, &palette, &origin, &rigid, &rotation, &stretch}));
    const lmb_vec3 opposite = lmb_mat4_point(stretch, origin);
    near((double)lmb_vec3_distance(opposite, lmb_vec3_neg(origin)), 0, 1e-6);
    const lmb_vec3 p = {1, 2, 3}, whole = lmb_mat4_point(rigid, lmb_mat4_point(stretch, p));
    near((double)lmb_vec3_distance(whole, lmb_mat4_point(palette, p)), 0, 1e-5);
    const lmb_quat q = rotation;
    near((double)lmb_quat_dot(q, q), 1, 1e-6);
    const lmb_vec3 x = lmb_mat4_vector(rigid, (lmb_vec3){1, 0, 0}),
                   y = lmb_mat4_vector(rigid, (lmb_vec3){0, 1, 0}),
                   z = lmb_mat4_vector(rigid, (lmb_vec3){0, 0, 1});
    near((double)lmb_vec3_dot(lmb_vec3_cross(x, y), z), 1, 1e-6);
}

/// A character that is mirrored as a whole is the mirror image of the one that is not.
static void mirrored_poses_are_mirror_images(void **state)
{
    (void)state;
    setting *s = setting_create(false);
    lmb_mat4 palette[2];
    cylinder_pose((lmb_vec3){0, 0.6f, 0.8f}, 100, palette);
    assert_false(setting_pose(s, palette));
    by_centers(s);
    lmb_vec3 *want = calloc(CYLINDER_VERTICES, sizeof(*want));
    lmb_vec3 *centers = calloc(CYLINDER_VERTICES, sizeof(*centers));
    assert_true(want != NULL && centers != NULL);
    memcpy(want, s->out, sizeof(s->out));
    lmb_mat4 mirror = lmb_mat4_identity();
    mirror.m[0] = -1;
    const lmb_vec3 origins[] = {{-4, 0, 0}, {0, 0, 0}};
    for (int j = 0; j < 2; ++j) {
        palette[j] = lmb_mat4_mul(mirror, palette[j]);
    }
    assert_true(lmb_skin_split(
        &(lmb_skin_split_job){2, palette, origins, s->rigid, s->rotations, s->stretch}));
    lmb_skin_job phase = skin_job(s);
    phase.model_from_bind = s->stretch;
    lmb_skin_linear(&phase);
    phase.positions = s->centers->positions;
    phase.normals = NULL;
    phase.tangents = NULL;
    phase.out_positions = centers;
    lmb_skin_linear(&phase);
    lmb_skin_job second = skin_job(s);
    second.positions = s->out;
    lmb_skin_center(&(lmb_skin_center_job){second, s->rotations, centers});
    for (uint32_t v = 0; v < CYLINDER_VERTICES; ++v) {
        near((double)lmb_vec3_distance(s->out[v], lmb_mat4_point(mirror, want[v])), 0, 1e-5);
    }
    free(want);
    free(centers);
    setting_destroy(s);
}

// ------------------------------------------------------------------------------------ the centres

static void center_known_answers(void **state)
{
    (void)state;
    lmb_mesh *mesh = cylinder_create(false);
    lmb_centers *centers = NULL;
    assert_int_equal(lmb_centers_create(mesh, NULL, NULL, NULL, &centers, NULL), LMB_OK);
    const uint32_t middle = 40 * CYLINDER_SIDES;
    near((double)mesh->positions[middle].y, 1, 1e-6);
    near((double)centers->positions[middle].x, 0, 2e-6);
    near((double)centers->positions[middle].y, 0, 2e-6);
    near((double)centers->positions[middle].z, 0, 2e-6);
    const uint32_t quarter = 45 * CYLINDER_SIDES; // x = 1/2
    near((double)centers->positions[quarter].x, 0.4726, 5e-4);
    near((double)centers->positions[quarter].y, 0, 1e-5);
    assert_int_equal(lmb_vec3_distance(centers->positions[0], mesh->positions[0]) > 0, 0);
    lmb_centers_destroy(centers);
    lmb_mesh_destroy(mesh);
}

/// Le and Hodgins' sums over every triangle, in double.
static void center_by_definition(const lmb_mesh *mesh, const double (*weights)[6], uint32_t v,
                                 double out[3])
{
    double area_sum = 0, sums[3] = {0};
    for (uint32_t t = 0; t < mesh->index_count; t += 3) {
        const uint32_t *c = mesh->indices + t;
        const lmb_vec3 a = mesh->positions[c[0]], b = mesh->positions[c[1]],
                       d = mesh->positions[c[2]];
        const lmb_vec3 normal = lmb_vec3_cross(lmb_vec3_sub(b, a), lmb_vec3_sub(d, a));
        double like = 0, w[6];
        for (int j = 0; j < 6; ++j) {
            w[j] = (weights[c[0]][j] + weights[c[1]][j] + weights[c[2]][j]) / 3;
        }
        for (int j = 0; j < 6; ++j) {
            for (int k = 0; k < 6; ++k) {
                const double e = (weights[v][j] * w[k] - weights[v][k] * w[j]) / 0.1;
                like += j == k ? 0 : weights[v][j] * weights[v][k] * w[j] * w[k] * exp(-e * e);
            }
        }
        const double fraction = like * (double)lmb_vec3_length(normal);
        area_sum += fraction;
        sums[0] += fraction * ((double)a.x + (double)b.x + (double)d.x) / 3;
        sums[1] += fraction * ((double)a.y + (double)b.y + (double)d.y) / 3;
        sums[2] += fraction * ((double)a.z + (double)b.z + (double)d.z) / 3;
    }
    for (int i = 0; i < 3; ++i) {
        out[i] = sums[i] / area_sum;
    }
}

/// Six joints with smooth weights over the cylinder: cells against the definition, within a
/// thousandth of its size.
static void centers_equal_the_definition(void **state)
{
    (void)state;
    lmb_mesh *cylinder = cylinder_create(false);
    double(*weights)[6] = calloc(CYLINDER_VERTICES, sizeof(*weights));
    lmb_influence *items = calloc(6 * CYLINDER_VERTICES, sizeof(*items));
    uint32_t *first = calloc(CYLINDER_VERTICES + 1, sizeof(*first));
    assert_true(weights != NULL && items != NULL && first != NULL);
    for (uint32_t v = 0; v < CYLINDER_VERTICES; ++v) {
        const lmb_vec3 p = cylinder->positions[v];
        double sum = 0;
        for (int j = 0; j < 6; ++j) {
            const double dx = (double)p.x - (-2.5 + j), dy = (double)p.y - (j % 2 ? 0.5 : -0.5);
            weights[v][j] = exp(-0.25 * (dx * dx + dy * dy));
            sum += weights[v][j];
        }
        for (int j = 0; j < 6; ++j) {
            weights[v][j] /= sum;
            items[6 * v + (uint32_t)j] = (lmb_influence){(uint32_t)j, (float)weights[v][j]};
        }
        first[v + 1] = 6 * (v + 1);
    }
    lmb_mesh def = *cylinder, *mesh = NULL;
    def.influences = (lmb_influences){first, items};
    assert_int_equal(lmb_mesh_create(&def, NULL, &mesh, NULL), LMB_OK);
    lmb_centers *centers = NULL;
    assert_int_equal(lmb_centers_create(mesh, NULL, NULL, NULL, &centers, NULL), LMB_OK);
    assert_int_equal(centers->found_count, CYLINDER_VERTICES);
    for (uint32_t v = 7; v < CYLINDER_VERTICES; v += 307) {
        double want[3];
        center_by_definition(mesh, (const double(*)[6])weights, v, want);
        const lmb_vec3 got = centers->positions[v];
        near((double)got.x, want[0], 8e-3);
        near((double)got.y, want[1], 8e-3);
        near((double)got.z, want[2], 8e-3);
    }
    lmb_centers_destroy(centers);
    lmb_mesh_destroy(mesh);
    lmb_mesh_destroy(cylinder);
    free(weights);
    free(items);
    free(first);
}

// ---------------------------------------------------------------------------- threads, bad meshes

static void workers_do_not_change_bits(void **state)
{
    (void)state;
    lmb_pool *pool = NULL;
    assert_int_equal(lmb_pool_create(3, &pool, NULL), LMB_OK);
    const lmb_jobs *jobs = lmb_pool_jobs(pool);
    setting *s = setting_create(false);
    lmb_centers *centers = NULL;
    lmb_mush *mush = NULL;
    assert_int_equal(lmb_centers_create(s->mesh, NULL, jobs, NULL, &centers, NULL), LMB_OK);
    assert_int_equal(lmb_mush_create(s->mesh, NULL, jobs, NULL, &mush, NULL), LMB_OK);
    assert_memory_equal(centers->positions, s->centers->positions,
                        CYLINDER_VERTICES * sizeof(lmb_vec3));
    lmb_mat4 palette[2];
    cylinder_pose((lmb_vec3){0.6f, 0, 0.8f}, 100, palette);
    setting_pose(s, palette);
    lmb_vec3 *alone = calloc(CYLINDER_VERTICES, sizeof(*alone));
    assert_non_null(alone);
    by_mush(s);
    memcpy(alone, s->out, sizeof(s->out));
    lmb_skin_mush_job job = {skin_job(s), mush};
    job.skin.jobs = jobs;
    lmb_skin_mush(&job);
    assert_memory_equal(alone, s->out, sizeof(s->out));
    by_centers(s);
    memcpy(alone, s->out, sizeof(s->out));
    lmb_skin_center_job turning = {skin_job(s), s->rotations, centers->positions};
    turning.skin.jobs = jobs;
    lmb_skin_center(&turning);
    assert_memory_equal(alone, s->out, sizeof(s->out));
    free(alone);
    lmb_mush_destroy(mush);
    lmb_centers_destroy(centers);
    setting_destroy(s);
    lmb_pool_destroy(pool);
}

static void meshes_that_cannot(void **state)
{
    (void)state;
    uint32_t first[] = {0, 1};
    lmb_influence items[] = {{0, 1}};
    lmb_vec3 positions[] = {{0, 0, 0}};
    lmb_mesh mesh = {.vertex_count = 1, .positions = positions, .influences = {first, items}};
    lmb_centers *centers = NULL;
    lmb_mush *mush = NULL;
    assert_int_equal(lmb_centers_create(&mesh, NULL, NULL, NULL, &centers, NULL),
                     LMB_ERROR_UNSUPPORTED);
    assert_int_equal(lmb_mush_create(&mesh, NULL, NULL, NULL, &mush, NULL), LMB_ERROR_UNSUPPORTED);
    mesh.influences.first = NULL;
    assert_int_equal(lmb_centers_create(&mesh, NULL, NULL, NULL, &centers, NULL),
                     LMB_ERROR_INVALID);
    assert_int_equal(lmb_mush_create(&mesh, NULL, NULL, NULL, &mush, NULL), LMB_ERROR_INVALID);
    lmb_mesh *cylinder = cylinder_create(true);
    const lmb_mush_opts bad[] = {{.alpha = 1},
                                 {.lambda = 1, .kappa = 2},
                                 {.least_weight = 0.5f},
                                 {.passes = 1000, .lambda = 1000}};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); ++i) {
        assert_int_equal(lmb_mush_create(cylinder, &bad[i], NULL, NULL, &mush, NULL),
                         LMB_ERROR_INVALID);
    }
    assert_true(centers == NULL && mush == NULL);
    lmb_mesh_destroy(cylinder);
}

/// Two triangles that share an edge's places but not its vertices, a vertex alone, and a triangle
/// without area.
static lmb_mesh *scraps(void)
{
    lmb_vec3 positions[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 0, 0},
                            {1, 1, 0}, {0, 1, 0}, {9, 9, 9}, {4, 4, 4}};
    uint32_t indices[] = {0, 1, 2, 3, 4, 5, 7, 7, 7};
    uint32_t first[] = {0, 2, 4, 6, 8, 10, 12, 12, 13};
    lmb_influence items[] = {{0, 0.75f}, {1, 0.25f}, {0, 0.5f}, {1, 0.5f},  {0, 0.5f},
                             {1, 0.5f},  {0, 0.5f},  {1, 0.5f}, {1, 0.75f}, {2, 0.25f},
                             {0, 0.5f},  {1, 0.5f},  {2, 1}};
    lmb_primitive primitive = {.index_count = 9,
                               .vertex_count = 8,
                               .material = LMB_NONE,
                               .attributes = LMB_HAS_INFLUENCES};
    const lmb_mesh def = {.vertex_count = 8,
                          .positions = positions,
                          .index_count = 9,
                          .indices = indices,
                          .primitive_count = 1,
                          .primitives = &primitive,
                          .influences = {first, items}};
    lmb_mesh *mesh = NULL;
    assert_int_equal(lmb_mesh_create(&def, NULL, &mesh, NULL), LMB_OK);
    return mesh;
}

static void seams_do_not_open(void **state)
{
    (void)state;
    lmb_mesh *mesh = scraps();
    lmb_mush *mush = NULL;
    assert_int_equal(lmb_mush_create(mesh, NULL, NULL, NULL, &mush, NULL), LMB_OK);
    lmb_mat4 palette[3];
    cylinder_pose((lmb_vec3){1, 0, 0}, 60, palette);
    palette[2] = palette[1];
    lmb_vec3 out[8];
    lmb_skin_mush(&(lmb_skin_mush_job){
        {.model_from_bind = palette, .positions = mesh->positions, .out_positions = out}, mush});
    assert_memory_equal(&out[1], &out[3], sizeof(lmb_vec3));
    assert_memory_equal(&out[2], &out[5], sizeof(lmb_vec3));
    for (int v = 0; v < 8; ++v) {
        assert_true(lmb_vec3_is_finite(out[v]));
    }
    near((double)out[6].x, 9, 1e-6); // alone, without a row: it follows joint 0
    near((double)out[6].y, 9, 1e-6);
    lmb_mush_destroy(mush);
    lmb_mesh_destroy(mesh);
}

static void creations_survive_every_failing_allocation(void **state)
{
    (void)state;
    lmb_mesh *mesh = scraps();
    for (int which = 0; which < 2; ++which) {
        lmb_result result = LMB_ERROR_MEMORY;
        for (int allowed = 0; result == LMB_ERROR_MEMORY && allowed < 200; ++allowed) {
            failing_allocator memory = {.calls_left = allowed};
            const lmb_allocator alloc = {failing_allocator_resize, &memory};
            lmb_centers *centers = NULL;
            lmb_mush *mush = NULL;
            result = which == 0 ? lmb_centers_create(mesh, NULL, NULL, &alloc, &centers, NULL)
                                : lmb_mush_create(mesh, NULL, NULL, &alloc, &mush, NULL);
            assert_true((centers != NULL || mush != NULL) == (result == LMB_OK));
            lmb_centers_destroy(centers);
            lmb_mush_destroy(mush);
            assert_int_equal(memory.held, 0);
        }
        assert_int_equal(result, LMB_OK);
    }
    lmb_mesh_destroy(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(deformed_volumes),
        cmocka_unit_test(rigid_motions_are_kept),
        cmocka_unit_test(hard_weights),
        cmocka_unit_test(stretches_go_first),
        cmocka_unit_test(mirrors_are_stretches),
        cmocka_unit_test(mirrored_poses_are_mirror_images),
        cmocka_unit_test(center_known_answers),
        cmocka_unit_test(centers_equal_the_definition),
        cmocka_unit_test(workers_do_not_change_bits),
        cmocka_unit_test(meshes_that_cannot),
        cmocka_unit_test(seams_do_not_open),
        cmocka_unit_test(creations_survive_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
