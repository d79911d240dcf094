// Skinning against what libigl made of the same meshes, weights and poses, recorded beside this
// file. The cylinder makes its own mesh; the arm and the elephant want the shared data.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "asset/asset.h"
#include "cylinder.h"
#include "io/surface/surface.h"
#include "limber/io.h"
#include "limber/skin.h"

enum { POSES = 3, MOST_HANDLES = 32, MOST_KEPT = 256 };

typedef struct kept {
    unsigned vertex;
    lmb_vec3 linear, dual;
} kept;

typedef struct fixture {
    unsigned vertex_count, handle_count, kept_count;
    lmb_mat4 palettes[POSES][MOST_HANDLES];
    lmb_quat rotations[POSES][MOST_HANDLES];
    kept vertices[POSES][MOST_KEPT];
} fixture;

// ---------------------------------------------------------------------------------------- reading

static FILE *open_in(const char *variable, const char *folder, const char *name)
{
    const char *root = getenv(variable);
    char path[1024];
    if (root == NULL || snprintf(path, sizeof(path), "%s/%s/%s", root, folder, name) <= 0) {
        return NULL;
    }
    return fopen(path, "rb");
}

static void read_numbers(FILE *file, double *out, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        assert_int_equal(fscanf(file, "%lf", &out[i]), 1);
    }
}

static void read_pose(FILE *file, fixture *f, int pose)
{
    for (unsigned h = 0; h < f->handle_count; ++h) {
        double n[7];
        read_numbers(file, n, 7);
        lmb_transform t = lmb_transform_identity();
        t.rotation =
            lmb_quat_normalize(lmb_quat_make((float)n[0], (float)n[1], (float)n[2], (float)n[3]));
        t.translation = lmb_vec3_make((float)n[4], (float)n[5], (float)n[6]);
        f->palettes[pose][h] = lmb_mat4_from_transform(t);
        f->rotations[pose][h] = t.rotation;
    }
    for (unsigned k = 0; k < f->kept_count; ++k) {
        double n[7];
        read_numbers(file, n, 7);
        f->vertices[pose][k] =
            (kept){(unsigned)n[0], lmb_vec3_make((float)n[1], (float)n[2], (float)n[3]),
                   lmb_vec3_make((float)n[4], (float)n[5], (float)n[6])};
        assert_true(f->vertices[pose][k].vertex < f->vertex_count);
    }
}

static fixture *read_fixture(const char *name)
{
    FILE *file = open_in("LIMBER_SOURCE", "tests/skin", name);
    fixture *f = calloc(1, sizeof(*f));
    assert_true(file != NULL && f != NULL);
    char line[256];
    do {
        assert_non_null(fgets(line, sizeof(line), file));
    } while (line[0] == '#');
    unsigned poses = 0;
    assert_int_equal(
        sscanf(line, "%u %u %u %u", &f->vertex_count, &f->handle_count, &poses, &f->kept_count), 4);
    assert_true(poses == POSES && f->handle_count <= MOST_HANDLES && f->kept_count <= MOST_KEPT);
    for (int p = 0; p < POSES; ++p) {
        read_pose(file, f, p);
    }
    fclose(file);
    return f;
}

/// Column after column, as text, or after a first line of zeros as doubles.
static double *read_dmat(FILE *file, unsigned columns, unsigned rows)
{
    unsigned c = 0, r = 0;
    const size_t count = (size_t)columns * rows;
    double *values = calloc(count, sizeof(*values));
    assert_non_null(values);
    assert_int_equal(fscanf(file, "%u %u", &c, &r), 2);
    if (c == 0 && r == 0) {
        assert_int_equal(fscanf(file, "%u %u", &c, &r), 2);
        fgetc(file);
        assert_int_equal(fread(values, sizeof(*values), count, file), count);
    } else {
        read_numbers(file, values, count);
    }
    assert_true(c == columns && r == rows);
    return values;
}

static lmb_mesh *weighted(const lmb_mesh *shape, unsigned vertex_count, const double *weights,
                          unsigned handles)
{
    uint32_t *first = calloc((size_t)vertex_count + 1, sizeof(*first));
    lmb_influence *items = calloc((size_t)vertex_count * handles, sizeof(*items));
    assert_true(first != NULL && items != NULL);
    for (uint32_t v = 0; v < vertex_count; ++v) {
        uint32_t at = first[v];
        for (uint32_t h = 0; h < handles; ++h) {
            const float weight = (float)fmax(0, weights[(size_t)h * vertex_count + v]);
            uint32_t k = at;
            for (; weight > 0 && k > first[v] && items[k - 1].weight < weight; --k) {
                items[k] = items[k - 1];
            }
            if (weight > 0) {
                items[k] = (lmb_influence){h, weight};
                ++at;
            }
        }
        first[v + 1] = at;
    }
    const lmb_mesh def = {
        .vertex_count = vertex_count, .positions = shape->positions, .influences = {first, items}};
    lmb_mesh *mesh = NULL;
    assert_int_equal(lmb_mesh_create(&def, NULL, &mesh, NULL), LMB_OK);
    free(first);
    free(items);
    return mesh;
}

/// NULL without the shared data.
static lmb_mesh *read_shared(const char *name, const fixture *f)
{
    char file_name[64];
    snprintf(file_name, sizeof(file_name), "%s-weights.dmat", name);
    FILE *file = open_in("LIMBER_SHARED", "data/skinning/libigl", file_name);
    if (file == NULL) {
        return NULL;
    }
    double *weights = read_dmat(file, f->handle_count, f->vertex_count);
    fclose(file);
    snprintf(file_name, sizeof(file_name), "%s.obj", name);
    file = open_in("LIMBER_SHARED", "data/skinning/libigl", file_name);
    enum { MOST = 1 << 20 };
    char *bytes = malloc(MOST);
    assert_true(file != NULL && bytes != NULL);
    const size_t size = fread(bytes, 1, MOST, file);
    fclose(file);
    lmb_character *character = NULL;
    assert_int_equal(lmbi_obj_read(bytes, size, NULL, NULL, &character, NULL), LMB_OK);
    lmb_mesh *mesh = weighted(character->meshes[0], f->vertex_count, weights, f->handle_count);
    lmb_character_destroy(character);
    free(bytes);
    free(weights);
    return mesh;
}

// -------------------------------------------------------------------------------------- comparing

static void compare(const char *what, const fixture *f, int pose, const lmb_vec3 *out, bool dual,
                    double tolerance)
{
    double worst = 0;
    for (unsigned k = 0; k < f->kept_count; ++k) {
        const kept *want = &f->vertices[pose][k];
        const lmb_vec3 position = dual ? want->dual : want->linear;
        worst = fmax(worst, (double)lmb_vec3_distance(out[want->vertex], position));
    }
    if (!(worst <= tolerance)) {
        fail_msg("%s, pose %d: %g apart, more than %g", what, pose, worst, tolerance);
    }
}

static void compare_all(const lmb_mesh *mesh, const fixture *f)
{
    lmb_binding *binding = NULL;
    lmb_vec3 *out = calloc(mesh->vertex_count, sizeof(*out));
    assert_non_null(out);
    assert_int_equal(lmb_binding_create(mesh, f->handle_count, NULL, &binding, NULL), LMB_OK);
    const lmb_box box = lmbi_mesh_box(mesh);
    const double tolerance = 1e-5 * (double)lmb_vec3_distance(box.low, box.high);
    for (int p = 0; p < POSES; ++p) {
        const lmb_skin_job job = {.binding = binding,
                                  .model_from_bind = f->palettes[p],
                                  .positions = mesh->positions,
                                  .out_positions = out};
        lmb_skin_linear(&job);
        compare("linear", f, p, out, false, tolerance);
        lmb_skin_dual(&(lmb_skin_dual_job){.skin = job, .rotations = f->rotations[p]});
        compare("dual", f, p, out, true, tolerance);
    }
    lmb_binding_destroy(binding);
    free(out);
}

static void the_cylinder(void **state)
{
    (void)state;
    fixture *f = read_fixture("libigl_cylinder.txt");
    lmb_mesh *mesh = cylinder_create(false);
    assert_int_equal(mesh->vertex_count, f->vertex_count);
    compare_all(mesh, f);
    lmb_mesh_destroy(mesh);
    free(f);
}

static void shared_mesh(const char *name)
{
    char file_name[64];
    snprintf(file_name, sizeof(file_name), "libigl_%s.txt", name);
    fixture *f = read_fixture(file_name);
    lmb_mesh *mesh = read_shared(name, f);
    if (mesh == NULL) {
        free(f);
        skip();
    }
    compare_all(mesh, f);
    lmb_mesh_destroy(mesh);
    free(f);
}

static void the_arm(void **state)
{
    (void)state;
    shared_mesh("arm");
}

static void the_elephant(void **state)
{
    (void)state;
    shared_mesh("elephant");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cylinder),
        cmocka_unit_test(the_arm),
        cmocka_unit_test(the_elephant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
