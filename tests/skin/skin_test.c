// Skinning against known numbers, against a double-precision evaluation, and against itself on
// other threads.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "limber/os.h"
#include "limber/skin.h"
#include "near.h"
#include "one_mesh.h"

// ----------------------------------------------------------------------------------- the cylinder

enum { RINGS = 81, SIDES = 48, CYLINDER = RINGS * SIDES + 2 };

static double clamp01(double x)
{
    return x < 0 ? 0 : (x > 1 ? 1 : x);
}

/// A capped cylinder of radius 1 along x from -4 to 4; bone 1 takes over from bone 0 between x = -1
/// and 1.
static lmb_mesh *cylinder(void)
{
    lmb_vec3 *positions = calloc(CYLINDER, sizeof(*positions));
    uint32_t *first = calloc(CYLINDER + 1, sizeof(*first));
    lmb_influence *items = calloc(2 * CYLINDER, sizeof(*items));
    assert_true(positions != NULL && first != NULL && items != NULL);
    for (uint32_t v = 0; v < CYLINDER; ++v) {
        const uint32_t ring = v / SIDES;
        const double turn = 2 * 3.14159265358979 * (v % SIDES) / SIDES;
        double x = -4 + 8.0 * ring / (RINGS - 1), radius = 1;
        if (v >= RINGS * SIDES) {
            x = v == RINGS * SIDES ? -4 : 4;
            radius = 0;
        }
        positions[v] =
            lmb_vec3_make((float)x, (float)(radius * cos(turn)), (float)(radius * sin(turn)));
        const float second = (float)clamp01(x / 2 + 0.5);
        const uint32_t strong = second > 0.5f ? 1 : 0;
        uint32_t at = first[v];
        items[at++] = (lmb_influence){strong, strong ? second : 1 - second};
        if (second > 0 && second < 1) {
            items[at++] = (lmb_influence){1 - strong, strong ? 1 - second : second};
        }
        first[v + 1] = at;
    }
    const lmb_mesh def = {
        .vertex_count = CYLINDER, .positions = positions, .influences = {first, items}};
    lmb_mesh *mesh = NULL;
    assert_int_equal(lmb_mesh_create(&def, NULL, &mesh, NULL), LMB_OK);
    free(positions);
    free(first);
    free(items);
    return mesh;
}

static double corner_volume(const lmb_vec3 *p, uint32_t a, uint32_t b, uint32_t c)
{
    const double ax = (double)p[a].x, ay = (double)p[a].y, az = (double)p[a].z;
    const double bx = (double)p[b].x, by = (double)p[b].y, bz = (double)p[b].z;
    const double cx = (double)p[c].x, cy = (double)p[c].y, cz = (double)p[c].z;
    return (ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)) / 6;
}

static double volume(const lmb_vec3 *p)
{
    double sum = 0;
    for (uint32_t ring = 0; ring + 1 < RINGS; ++ring) {
        for (uint32_t s = 0; s < SIDES; ++s) {
            const uint32_t a = ring * SIDES + s, b = ring * SIDES + (s + 1) % SIDES;
            // A twisted quad is two different pairs of triangles; between them is the ruled
            // surface.
            sum +=
                (corner_volume(p, a, b, a + SIDES) + corner_volume(p, b, b + SIDES, a + SIDES)) / 2;
            sum +=
                (corner_volume(p, a, b, b + SIDES) + corner_volume(p, a, b + SIDES, a + SIDES)) / 2;
        }
    }
    for (uint32_t s = 0; s < SIDES; ++s) {
        const uint32_t next = (s + 1) % SIDES, last = (RINGS - 1) * SIDES;
        sum += corner_volume(p, RINGS * SIDES, next, s) +
               corner_volume(p, RINGS * SIDES + 1, last + s, last + next);
    }
    return fabs(sum);
}

/// Bends about z, or twists about x, by an angle; the volume over the rest volume.
static double cylinder_volume(const lmb_mesh *mesh, lmb_vec3 axis, double degrees, lmb_vec3 *out)
{
    lmb_binding *binding = NULL;
    assert_int_equal(lmb_binding_create(mesh, 2, NULL, &binding, NULL), LMB_OK);
    lmb_transform turn = lmb_transform_identity();
    turn.rotation = lmb_quat_axis_angle(axis, (float)(degrees * 3.14159265358979 / 180));
    const lmb_mat4 palette[] = {lmb_mat4_identity(), lmb_mat4_from_transform(turn)};
    lmb_skin_linear(&(lmb_skin_job){.binding = binding,
                                    .model_from_bind = palette,
                                    .positions = mesh->positions,
                                    .out_positions = out});
    lmb_binding_destroy(binding);
    return volume(out) / volume(mesh->positions);
}

static double least_radius(const lmb_vec3 *p)
{
    double least = 1e9;
    for (uint32_t v = 0; v < RINGS * SIDES; ++v) {
        least = fmin(least, hypot((double)p[v].y, (double)p[v].z));
    }
    return least;
}

static void cylinder_volumes(void **state)
{
    (void)state;
    lmb_mesh *mesh = cylinder();
    lmb_vec3 *out = calloc(CYLINDER, sizeof(*out));
    assert_non_null(out);
    const lmb_vec3 x = {1, 0, 0}, z = {0, 0, 1};
    near(cylinder_volume(mesh, z, 45, out), 0.9877, 5e-5);
    near(cylinder_volume(mesh, z, 90, out), 0.9581, 5e-5);
    near(cylinder_volume(mesh, z, 120, out), 0.9372, 5e-5);
    near(cylinder_volume(mesh, x, 90, out), 11.0 / 12, 5e-5);
    near(least_radius(out), sqrt(0.5), 1e-6);
    near(cylinder_volume(mesh, x, 120, out), 0.875, 5e-5); // 1 - (1 - cos 120) / 12
    near(least_radius(out), 0.5, 1e-6);
    near(cylinder_volume(mesh, x, 180, out), 5.0 / 6, 5e-5);
    near(least_radius(out), 0, 1e-6);
    free(out);
    lmb_mesh_destroy(mesh);
}

// ---------------------------------------------------------------------------- a random heavy skin

enum { VERTICES = 5000, JOINTS = 40 };

typedef struct heavy {
    lmb_mesh *mesh;
    lmb_binding *binding;
    lmb_mat4 palette[JOINTS];
    lmb_vec3 positions[VERTICES], normals[VERTICES];
    lmb_vec4 tangents[VERTICES];
} heavy;

static lmb_vec3 random_vec3(lmb_random *random)
{
    const float x = lmb_random_range(random, -1, 1), y = lmb_random_range(random, -1, 1);
    return lmb_vec3_make(x, y, lmb_random_range(random, -1, 1));
}

static void random_row(lmb_random *random, uint32_t count, lmb_influence *row)
{
    float sum = 0;
    const uint32_t start = lmb_random_u32(random) % JOINTS;
    for (uint32_t k = 0; k < count; ++k) {
        row[k] = (lmb_influence){(start + 3 * k) % JOINTS,
                                 1.0f / (float)(k + 1 + lmb_random_u32(random) % 2)};
        sum += row[k].weight;
    }
    for (uint32_t k = 0; k < count; ++k) {
        row[k].weight /= sum;
    }
}

/// 0 to 12 influences a vertex, joints that turn, shift and scale unevenly.
static heavy *heavy_create(void)
{
    heavy *h = calloc(1, sizeof(*h));
    uint32_t *first = calloc(VERTICES + 1, sizeof(*first));
    lmb_influence *items = calloc(13 * VERTICES, sizeof(*items));
    assert_true(h != NULL && first != NULL && items != NULL);
    lmb_random random = lmb_random_seed(42);
    for (uint32_t v = 0; v < VERTICES; ++v) {
        const lmb_vec3 fallback = {0, 1, 0};
        h->positions[v] = random_vec3(&random);
        h->normals[v] = lmb_vec3_normalize_or(random_vec3(&random), fallback);
        const lmb_vec3 t = lmb_vec3_any_perpendicular(h->normals[v]);
        h->tangents[v] = (lmb_vec4){t.x, t.y, t.z, v % 2 ? 1.0f : -1.0f};
        const uint32_t count = v < 640 ? v / 64 % 5 : lmb_random_u32(&random) % 13;
        random_row(&random, count, items + first[v]);
        first[v + 1] = first[v] + count;
    }
    for (int j = 0; j < JOINTS; ++j) {
        lmb_transform t = {random_vec3(&random), {0, 0, 0, 1}, {1, 1, 1}};
        t.rotation = lmb_quat_axis_angle(lmb_vec3_normalize_or(random_vec3(&random), t.scale),
                                         lmb_random_range(&random, -3, 3));
        t.scale.y = lmb_random_range(&random, 0.5f, 2.0f);
        h->palette[j] = lmb_mat4_from_transform(t);
    }
    const lmb_mesh def = {.vertex_count = VERTICES,
                          .positions = h->positions,
                          .normals = h->normals,
                          .tangents = h->tangents,
                          .influences = {first, items}};
    assert_int_equal(lmb_mesh_create(&def, NULL, &h->mesh, NULL), LMB_OK);
    assert_int_equal(lmb_binding_create(h->mesh, JOINTS, NULL, &h->binding, NULL), LMB_OK);
    free(first);
    free(items);
    return h;
}

static void heavy_destroy(heavy *h)
{
    lmb_binding_destroy(h->binding);
    lmb_mesh_destroy(h->mesh);
    free(h);
}

static void heavy_skin(const heavy *h, heavy *out, const lmb_jobs *jobs, bool rigid)
{
    const lmb_skin_job job = {h->binding,     h->palette,   h->positions,  h->normals, h->tangents,
                              out->positions, out->normals, out->tangents, jobs};
    if (rigid) {
        lmb_skin_rigid(&job);
    } else {
        lmb_skin_linear(&job);
    }
}

/// The blended matrix in double, rows by columns.
static void double_matrix(const heavy *h, uint32_t v, double m[3][4])
{
    memset(m, 0, 12 * sizeof(double));
    const uint32_t *first = h->mesh->influences.first;
    const lmb_influence alone = {0, 1};
    const bool empty = first[v] == first[v + 1];
    for (uint32_t i = first[v]; i < first[v + 1] + empty; ++i) {
        const lmb_influence *influence = empty ? &alone : &h->mesh->influences.items[i];
        for (int r = 0; r < 3; ++r) {
            for (int c = 0; c < 4; ++c) {
                m[r][c] +=
                    (double)influence->weight * (double)h->palette[influence->joint].m[4 * c + r];
            }
        }
    }
}

static void linear_equals_double(void **state)
{
    (void)state;
    heavy *h = heavy_create(), *out = calloc(1, sizeof(*out));
    assert_non_null(out);
    heavy_skin(h, out, NULL, false);
    double worst = 0, worst_normal = 0;
    for (uint32_t v = 0; v < VERTICES; ++v) {
        double m[3][4];
        double_matrix(h, v, m);
        const double p[4] = {(double)h->positions[v].x, (double)h->positions[v].y,
                             (double)h->positions[v].z, 1};
        const double got[3] = {(double)out->positions[v].x, (double)out->positions[v].y,
                               (double)out->positions[v].z};
        for (int r = 0; r < 3; ++r) {
            worst = fmax(worst,
                         fabs(m[r][0] * p[0] + m[r][1] * p[1] + m[r][2] * p[2] + m[r][3] - got[r]));
        }
        // F^T n' is parallel to n, and n' lies on the same side of the surface: F (n turned a
        // little) . n' > 0.
        const double n[3] = {(double)out->normals[v].x, (double)out->normals[v].y,
                             (double)out->normals[v].z};
        double back[3];
        for (int c = 0; c < 3; ++c) {
            back[c] = m[0][c] * n[0] + m[1][c] * n[1] + m[2][c] * n[2];
        }
        const double length = sqrt(back[0] * back[0] + back[1] * back[1] + back[2] * back[2]);
        const double dot = back[0] * (double)h->normals[v].x + back[1] * (double)h->normals[v].y +
                           back[2] * (double)h->normals[v].z;
        if (length > 0.02) { // nearly flattened matrices have no normal to speak of
            worst_normal = fmax(worst_normal, 1 - dot / length);
        }
        near((double)lmb_vec3_length(out->normals[v]), 1, 1e-6);
        const lmb_vec4 t = out->tangents[v];
        near((double)lmb_vec3_dot(out->normals[v], lmb_vec3_make(t.x, t.y, t.z)), 0, 2e-5);
        assert_true(fabsf(t.w) == 1.0f);
    }
    assert_true(worst < 2e-6);
    assert_true(worst_normal < 1e-4);
    free(out);
    heavy_destroy(h);
}

static void workers_do_not_change_bits(void **state)
{
    (void)state;
    heavy *h = heavy_create(), *one = calloc(1, sizeof(*one)), *many = calloc(1, sizeof(*many));
    assert_true(one != NULL && many != NULL);
    lmb_pool *pool = NULL;
    assert_int_equal(lmb_pool_create(3, &pool, NULL), LMB_OK);
    for (int rigid = 0; rigid < 2; ++rigid) {
        heavy_skin(h, one, NULL, rigid == 1);
        heavy_skin(h, many, lmb_pool_jobs(pool), rigid == 1);
        assert_memory_equal(one, many, sizeof(*one));
        memcpy(many->positions, h->positions, sizeof(h->positions)); // in place gives the same, too
        const lmb_skin_job job = {
            h->binding, h->palette, many->positions, NULL, NULL, many->positions, NULL, NULL, NULL};
        if (rigid == 1) {
            lmb_skin_rigid(&job);
        } else {
            lmb_skin_linear(&job);
        }
        assert_memory_equal(one->positions, many->positions, sizeof(one->positions));
    }
    lmb_pool_destroy(pool);
    free(one);
    free(many);
    heavy_destroy(h);
}

static void one_influence_is_rigid(void **state)
{
    (void)state;
    uint32_t first[] = {0, 1, 2};
    lmb_influence items[] = {{1, 1}, {0, 1}};
    lmb_vec3 positions[] = {{1, 2, 3}, {-1, 0.5f, 4}}, linear[2], rigid[2];
    const lmb_mesh mesh = {.vertex_count = 2, .positions = positions, .influences = {first, items}};
    lmb_binding *binding = NULL;
    assert_int_equal(lmb_binding_create(&mesh, 2, NULL, &binding, NULL), LMB_OK);
    lmb_transform t = {{1, 2, 3}, lmb_quat_axis_angle((lmb_vec3){0, 0, 1}, 1.0f), {1, 1, 1}};
    const lmb_mat4 palette[] = {lmb_mat4_from_transform(t), lmb_mat4_identity()};
    lmb_skin_linear(&(lmb_skin_job){.binding = binding,
                                    .model_from_bind = palette,
                                    .positions = positions,
                                    .out_positions = linear});
    lmb_skin_rigid(&(lmb_skin_job){.binding = binding,
                                   .model_from_bind = palette,
                                   .positions = positions,
                                   .out_positions = rigid});
    assert_memory_equal(linear, rigid, sizeof(rigid));
    assert_memory_equal(&linear[0], &positions[0], sizeof(lmb_vec3));
    lmb_binding_destroy(binding);
}

/// Scale by (2, 1, 1): the normal (1, 1, 0) / sqrt 2 becomes (1/2, 1, 0) made unit; a mirror keeps
/// it outside.
static void normals_under_scale(void **state)
{
    (void)state;
    uint32_t first[] = {0, 1};
    lmb_influence items[] = {{0, 1}};
    const float h = 0.70710678f;
    lmb_vec3 positions[] = {{1, 1, 0}}, normals[] = {{h, h, 0}}, out[1];
    const lmb_mesh mesh = {.vertex_count = 1,
                           .positions = positions,
                           .normals = normals,
                           .influences = {first, items}};
    lmb_binding *binding = NULL;
    assert_int_equal(lmb_binding_create(&mesh, 1, NULL, &binding, NULL), LMB_OK);
    const float scales[2][3] = {{2, 1, 1}, {-2, 1, 1}};
    for (int i = 0; i < 2; ++i) {
        lmb_transform t = lmb_transform_identity();
        t.scale = lmb_vec3_make(scales[i][0], scales[i][1], scales[i][2]);
        const lmb_mat4 palette = lmb_mat4_from_transform(t);
        lmb_skin_linear(&(lmb_skin_job){.binding = binding,
                                        .model_from_bind = &palette,
                                        .normals = normals,
                                        .out_normals = out});
        near((double)out[0].x, i == 0 ? 0.4472136 : -0.4472136, 1e-6);
        near((double)out[0].y, 0.8944272, 1e-6);
        near((double)out[0].z, 0, 1e-6);
    }
    lmb_binding_destroy(binding);
}

static void bad_bindings(void **state)
{
    (void)state;
    uint32_t first[] = {0, 1};
    lmb_influence items[] = {{5, 1}};
    lmb_vec3 positions[] = {{0, 0, 0}};
    lmb_mesh mesh = {.vertex_count = 1, .positions = positions, .influences = {first, items}};
    lmb_binding *binding = NULL;
    assert_int_equal(lmb_binding_create(&mesh, 5, NULL, &binding, NULL), LMB_ERROR_INVALID);
    assert_int_equal(lmb_binding_create(&mesh, 65537, NULL, &binding, NULL), LMB_ERROR_UNSUPPORTED);
    mesh.influences.first = NULL;
    assert_int_equal(lmb_binding_create(&mesh, 5, NULL, &binding, NULL), LMB_ERROR_INVALID);
    assert_null(binding);
}

// -------------------------------------------------------------------------- morphs and characters

static void morph_known_answer(void **state)
{
    (void)state;
    lmb_vec3 positions[] = {{0, 0, 0}}, normals[] = {{0, 1, 0}}, x[] = {{1, 0, 0}},
             y[] = {{0, 1, 0}}, tilt[] = {{2, 0, 0}};
    lmb_morph_target targets[] = {{"x", x, tilt, NULL}, {"y", y, NULL, NULL}};
    float own[] = {1, 1};
    lmb_mesh mesh = {.vertex_count = 1,
                     .positions = positions,
                     .normals = normals,
                     .target_count = 2,
                     .targets = targets};
    const float weights[] = {0.5f, 0.25f};
    lmb_vec3 out, normal;
    lmb_morph(&(lmb_morph_job){
        .mesh = &mesh, .weights = weights, .out_positions = &out, .out_normals = &normal});
    near((double)out.x, 0.5, 0);
    near((double)out.y, 0.25, 0);
    near((double)normal.x, sqrt(0.5), 1e-6);
    near((double)normal.y, sqrt(0.5), 1e-6);
    lmb_morph(&(lmb_morph_job){.mesh = &mesh, .out_positions = &out});
    near((double)out.x, 0, 0);
    mesh.target_weights = own;
    lmb_morph(&(lmb_morph_job){.mesh = &mesh, .out_positions = &out});
    near((double)out.x, 1, 0);
}

/// One vertex at (1, 0, 0), morphed to (1, 1, 0), on a joint that turns 90 degrees about z and
/// stands at x = 10; the node that carries the skinned mesh is elsewhere and must not matter, but
/// does for the unskinned twin.
static lmb_character *twins(void)
{
    int32_t parents[] = {LMB_NONE, LMB_NONE};
    const char *names[] = {"bone", "node"};
    lmb_transform rest[] = {lmb_transform_identity(), lmb_transform_identity()};
    rest[1].translation = lmb_vec3_make(0, 0, 5);
    const lmb_skeleton skeleton_def = {
        .joint_count = 2, .parents = parents, .rest = rest, .names = names};
    lmb_vec3 positions[] = {{1, 0, 0}}, up[] = {{0, 1, 0}};
    lmb_morph_target targets[] = {{"up", up, NULL, NULL}};
    uint32_t first[] = {0, 1}, joints[] = {0};
    lmb_influence items[] = {{0, 1}};
    const lmb_mesh mesh_def = {.vertex_count = 1,
                               .positions = positions,
                               .target_count = 1,
                               .targets = targets,
                               .influences = {first, items}};
    lmb_mat4 bind = lmb_mat4_identity();
    const lmb_skin skin_def = {
        .joint_count = 1, .joints = joints, .joint_from_bind = &bind, .root = LMB_NONE};
    lmb_skeleton *skeleton = NULL;
    lmb_mesh *mesh = NULL;
    lmb_skin *skin = NULL;
    assert_int_equal(lmb_skeleton_create(&skeleton_def, NULL, &skeleton, NULL), LMB_OK);
    assert_int_equal(lmb_mesh_create(&mesh_def, NULL, &mesh, NULL), LMB_OK);
    assert_int_equal(lmb_skin_create(&skin_def, NULL, &skin, NULL), LMB_OK);
    lmb_instance instances[] = {{1, 0, 0, NULL}, {1, 0, LMB_NONE, NULL}};
    lmb_character def = one_mesh(skeleton, &mesh, &skin, instances);
    def.instance_count = 2;
    lmb_character *character = NULL;
    assert_int_equal(lmb_character_create(&def, NULL, &character, NULL), LMB_OK);
    return character;
}

static void characters_morph_then_skin(void **state)
{
    (void)state;
    lmb_character *character = twins();
    const lmb_skeleton *skeleton = character->skeleton;
    lmb_transform pose[] = {skeleton->rest[0], skeleton->rest[1]};
    pose[0].rotation = lmb_quat_axis_angle((lmb_vec3){0, 0, 1}, LMB_PI / 2);
    pose[0].translation = lmb_vec3_make(10, 0, 0);
    lmb_mat4 model[2];
    lmb_pose_to_model(
        &(lmb_pose_to_model_job){.skeleton = skeleton, .local = pose, .model_from_joint = model});
    uint32_t weight_first[3];
    assert_int_equal(lmb_character_weights(character, weight_first, NULL), 1);
    const float weights[] = {1};
    lmb_deformer *deformer = NULL;
    assert_int_equal(lmb_deformer_create(character, NULL, &deformer, NULL), LMB_OK);
    lmb_deform(&(lmb_deform_job){.deformer = deformer,
                                 .model_from_joint = model,
                                 .weight_first = weight_first,
                                 .weights = weights});
    const lmb_vec3 skinned = lmb_deformer_instance(deformer, 0).positions[0];
    near((double)skinned.x, 9, 1e-6);
    near((double)skinned.y, 1, 1e-6);
    near((double)skinned.z, 0, 1e-6);
    const lmb_vec3 carried = lmb_deformer_instance(deformer, 1).positions[0];
    near((double)carried.x, 1, 0);
    near((double)carried.y, 1, 0);
    near((double)carried.z, 5, 0);
    near((double)lmb_deformer_box(deformer).high.x, 9, 1e-6);
    lmb_deformer_destroy(deformer);
    lmb_character_destroy(character);
}

static void deformers_survive_every_failing_allocation(void **state)
{
    (void)state;
    lmb_character *character = twins();
    lmb_result result = LMB_ERROR_MEMORY;
    for (int allowed = 0; result == LMB_ERROR_MEMORY && allowed < 100; ++allowed) {
        failing_allocator memory = {.calls_left = allowed};
        const lmb_allocator alloc = {failing_allocator_resize, &memory};
        lmb_deformer *deformer = NULL;
        result = lmb_deformer_create(character, &alloc, &deformer, NULL);
        assert_true((deformer != NULL) == (result == LMB_OK));
        lmb_deformer_destroy(deformer);
        assert_int_equal(memory.held, 0);
    }
    assert_int_equal(result, LMB_OK);
    lmb_character_destroy(character);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cylinder_volumes),
        cmocka_unit_test(linear_equals_double),
        cmocka_unit_test(workers_do_not_change_bits),
        cmocka_unit_test(one_influence_is_rigid),
        cmocka_unit_test(normals_under_scale),
        cmocka_unit_test(bad_bindings),
        cmocka_unit_test(morph_known_answer),
        cmocka_unit_test(characters_morph_then_skin),
        cmocka_unit_test(deformers_survive_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
