// Delta mush: against an evaluation of its own in double precision, and what must hold of any:
// nothing moves at rest, rigid motions pass, hard weights bend smoothly, seams stay closed.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cylinder.h"
#include "failing_allocator.h"
#include "limber/skin.h"

enum { N = CYLINDER_VERTICES, PASSES = 20 };

typedef struct fixture {
    lmb_mesh *mesh; ///< one joint a vertex
    lmb_binding *binding;
    lmb_delta_mush *mush;
    void *scratch;
    lmb_vec3 *rest, *posed, *normals;
} fixture;

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof(*f));
    assert_non_null(f);
    f->mesh = cylinder_create(true);
    f->rest = calloc(N, sizeof(lmb_vec3));
    f->posed = calloc(N, sizeof(lmb_vec3));
    f->normals = calloc(N, sizeof(lmb_vec3));
    assert_true(f->mesh && f->rest && f->posed && f->normals);
    assert_int_equal(lmb_binding_create(f->mesh, 2, NULL, &f->binding, NULL), LMB_OK);
    assert_int_equal(lmb_delta_mush_create(f->mesh, NULL, NULL, &f->mush, NULL), LMB_OK);
    f->scratch = malloc(lmb_delta_mush_scratch_size(f->mush));
    assert_non_null(f->scratch);
    // A coat of bumps, which is what delta mush has to keep.
    lmb_random random = lmb_random_seed(4);
    for (uint32_t v = 0; v < N; ++v) {
        const float bump = lmb_random_range(&random, 0.9f, 1.1f);
        const lmb_vec3 p = f->mesh->positions[v];
        f->rest[v] = lmb_vec3_make(p.x, p.y * bump, p.z * bump);
    }
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    lmb_delta_mush_destroy(f->mush);
    lmb_binding_destroy(f->binding);
    lmb_mesh_destroy(f->mesh);
    free(f->scratch);
    free(f->rest);
    free(f->posed);
    free(f->normals);
    free(f);
    return 0;
}

/// Skins `rest` (NULL: the mesh) by the palette and mushes it.
static void pose(const fixture *f, const lmb_vec3 *rest, const lmb_mat4 *palette)
{
    lmb_skin_linear(&(lmb_skin_job){.binding = f->binding,
                                    .model_from_bind = palette,
                                    .positions = rest,
                                    .out_positions = f->posed});
    lmb_skin_delta_mush(&(lmb_skin_delta_job){.mush = f->mush,
                                              .positions = f->posed,
                                              .out_normals = f->normals,
                                              .rest = rest,
                                              .scratch = f->scratch});
}

static double distance(lmb_vec3 a, lmb_vec3 b)
{
    return (double)lmb_vec3_length(lmb_vec3_sub(a, b));
}

// ------------------------------------------------------------------------------- the reference

typedef struct reference {
    double now[N][3], next[N][3], rest_smooth[N][3];
    double frames[N][3][3];
    uint32_t neighbors[N][64];
    uint32_t neighbor_count[N];
} reference;

static void join(reference *r, uint32_t a, uint32_t b)
{
    for (uint32_t k = 0; k < r->neighbor_count[a]; ++k) {
        if (r->neighbors[a][k] == b) {
            return;
        }
    }
    assert_true(r->neighbor_count[a] < 64);
    r->neighbors[a][r->neighbor_count[a]++] = b;
}

static void subtract(const double *a, const double *b, double *out)
{
    for (int c = 0; c < 3; ++c) {
        out[c] = a[c] - b[c];
    }
}

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double *a, const double *b, double *out)
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static void unit(double *v)
{
    const double size = sqrt(dot(v, v));
    for (int c = 0; c < 3; ++c) {
        v[c] /= size;
    }
}

static void reference_smooth(reference *r, const lmb_vec3 *p)
{
    for (uint32_t v = 0; v < N; ++v) {
        r->now[v][0] = (double)p[v].x;
        r->now[v][1] = (double)p[v].y;
        r->now[v][2] = (double)p[v].z;
    }
    for (int pass = 0; pass < PASSES; ++pass) {
        for (uint32_t v = 0; v < N; ++v) {
            for (int c = 0; c < 3; ++c) {
                double mean = 0;
                for (uint32_t k = 0; k < r->neighbor_count[v]; ++k) {
                    mean += r->now[r->neighbors[v][k]][c] / r->neighbor_count[v];
                }
                r->next[v][c] = 0.5 * r->now[v][c] + 0.5 * mean;
            }
        }
        memcpy(r->now, r->next, sizeof(r->now));
    }
}

/// Area normals of all vertices of r->now, triangle by triangle.
static void reference_normals(reference *r, const lmb_mesh *mesh, double (*normals)[3])
{
    memset(normals, 0, N * sizeof(*normals));
    for (uint32_t t = 0; t < mesh->index_count; t += 3) {
        const uint32_t *i = mesh->indices + t;
        double a[3], b[3], n[3];
        subtract(r->now[i[1]], r->now[i[0]], a);
        subtract(r->now[i[2]], r->now[i[0]], b);
        cross(a, b, n);
        for (int k = 0; k < 3; ++k) {
            for (int c = 0; c < 3; ++c) {
                normals[i[k]][c] += n[c];
            }
        }
    }
}

/// The neighbour that stands farthest off the normal's line in the mesh as compiled.
static uint32_t farthest(const reference *r, const double *normal, uint32_t v)
{
    uint32_t best = v;
    double most = -1;
    for (uint32_t k = 0; k < r->neighbor_count[v]; ++k) {
        double edge[3], across[3];
        subtract(r->now[r->neighbors[v][k]], r->now[v], edge);
        cross(normal, edge, across);
        if (dot(across, across) > most) {
            most = dot(across, across);
            best = r->neighbors[v][k];
        }
    }
    return best;
}

static void reference_frame(const reference *r, const double *normal, uint32_t toward, uint32_t v,
                            double f[3][3])
{
    memcpy(f[2], normal, sizeof(f[2]));
    unit(f[2]);
    subtract(r->now[toward], r->now[v], f[0]);
    const double along = dot(f[0], f[2]);
    for (int c = 0; c < 3; ++c) {
        f[0][c] -= along * f[2][c];
    }
    unit(f[0]);
    cross(f[2], f[0], f[1]);
}

/// The tangents' neighbours are only a choice; where two are equally far, any frame that follows
/// the surface will do, so only vertices whose choice is clear are compared.
static bool is_clear(const reference *r, const double *normal, uint32_t v)
{
    double most = 0, second = 0;
    for (uint32_t k = 0; k < r->neighbor_count[v]; ++k) {
        double edge[3], across[3];
        subtract(r->now[r->neighbors[v][k]], r->now[v], edge);
        cross(normal, edge, across);
        const double size = dot(across, across);
        second = size > most ? most : (size > second ? size : second);
        most = size > most ? size : most;
    }
    return most > second * 1.0001;
}

/// A fixture whose mesh is the bumpy one.
static fixture bumpy(const fixture *f)
{
    fixture own = *f;
    lmb_mesh def = *f->mesh;
    def.positions = f->rest;
    assert_int_equal(lmb_mesh_create(&def, NULL, &own.mesh, NULL), LMB_OK);
    assert_int_equal(lmb_delta_mush_create(own.mesh, NULL, NULL, &own.mush, NULL), LMB_OK);
    return own;
}

/// v' = s' + F' F^T (v - s), from the smoothed places and the normals of the pose.
static lmb_vec3 reference_posed(const reference *r, const double *normal, uint32_t toward,
                                uint32_t v, lmb_vec3 rest)
{
    const double p[3] = {(double)rest.x, (double)rest.y, (double)rest.z};
    double delta[3], now[3][3], want[3];
    subtract(p, r->rest_smooth[v], delta);
    reference_frame(r, normal, toward, v, now);
    memcpy(want, r->now[v], sizeof(want));
    for (int axis = 0; axis < 3; ++axis) {
        const double along = dot(delta, r->frames[v][axis]);
        for (int c = 0; c < 3; ++c) {
            want[c] += along * now[axis][c];
        }
    }
    return lmb_vec3_make((float)want[0], (float)want[1], (float)want[2]);
}

static void it_is_what_the_paper_says(void **state)
{
    const fixture own = bumpy(*state), *f = &own;
    reference *r = calloc(1, sizeof(*r));
    double(*normals)[3] = calloc(N, sizeof(*normals));
    uint32_t *toward = calloc(N, sizeof(*toward));
    uint8_t *clear = calloc(N, 1);
    lmb_vec3 *skinned = calloc(N, sizeof(*skinned));
    assert_true(r && normals && toward && clear && skinned);
    for (uint32_t t = 0; t < f->mesh->index_count; t += 3) {
        for (uint32_t k = 0; k < 3; ++k) {
            const uint32_t a = f->mesh->indices[t + k], b = f->mesh->indices[t + (k + 1) % 3];
            join(r, a, b);
            join(r, b, a);
        }
    }
    reference_smooth(r, f->mesh->positions);
    reference_normals(r, f->mesh, normals);
    for (uint32_t v = 0; v < N; ++v) {
        toward[v] = farthest(r, normals[v], v);
        clear[v] = is_clear(r, normals[v], v);
    }
    reference_smooth(r, f->rest);
    reference_normals(r, f->mesh, normals);
    memcpy(r->rest_smooth, r->now, sizeof(r->now));
    for (uint32_t v = 0; v < N; ++v) {
        reference_frame(r, normals[v], toward[v], v, r->frames[v]);
    }
    lmb_mat4 palette[2];
    cylinder_pose(lmb_vec3_make(0, 0, 1), 80, palette);
    lmb_skin_linear(&(lmb_skin_job){.binding = f->binding,
                                    .model_from_bind = palette,
                                    .positions = f->rest,
                                    .out_positions = skinned});
    reference_smooth(r, skinned);
    reference_normals(r, f->mesh, normals);
    pose(f, f->rest, palette);
    uint32_t compared = 0;
    for (uint32_t v = 0; v < N; ++v) {
        if (clear[v]) {
            const lmb_vec3 expected = reference_posed(r, normals[v], toward[v], v, f->rest[v]);
            assert_true(distance(f->posed[v], expected) < 2e-5);
            ++compared;
        }
    }
    assert_true(compared > N * 9 / 10);
    lmb_delta_mush_destroy(own.mush);
    lmb_mesh_destroy(own.mesh);
    free(r);
    free(normals);
    free(toward);
    free(clear);
    free(skinned);
}

// ------------------------------------------------------------------------------ what must hold

static void nothing_moves_at_rest(void **state)
{
    const fixture *f = *state;
    const lmb_mat4 palette[2] = {lmb_mat4_identity(), lmb_mat4_identity()};
    pose(f, NULL, palette);
    for (uint32_t v = 0; v < N; ++v) {
        assert_true(distance(f->posed[v], f->mesh->positions[v]) < 2e-6);
        assert_true(distance(f->normals[v], f->mesh->normals[v]) < 2e-6);
    }
    pose(f, f->rest, palette);
    for (uint32_t v = 0; v < N; ++v) {
        assert_true(distance(f->posed[v], f->rest[v]) < 2e-6);
    }
}

static void rigid_motions_pass(void **state)
{
    const fixture *f = *state;
    lmb_transform t = lmb_transform_identity();
    t.rotation = lmb_quat_axis_angle(lmb_vec3_normalize_or(lmb_vec3_make(1, 2, 3), t.scale), 2);
    t.translation = lmb_vec3_make(3, -1, 2);
    const lmb_mat4 palette[2] = {lmb_mat4_from_transform(t), lmb_mat4_from_transform(t)};
    pose(f, f->rest, palette);
    for (uint32_t v = 0; v < N; ++v) {
        assert_true(distance(f->posed[v], lmb_mat4_point(palette[0], f->rest[v])) < 1e-5);
        const lmb_vec3 n = lmb_quat_rotate(t.rotation, f->mesh->normals[v]);
        assert_true(distance(f->normals[v], n) < 1e-5);
    }
}

/// The sharpest fold between neighbouring rings along the outside of the bend, in degrees: inside
/// it, one half of the arm stands in the other.
static double sharpest_fold(const lmb_mesh *mesh, const lmb_vec3 *p)
{
    double sharpest = 0;
    for (uint32_t ring = 2; ring + 2 < CYLINDER_RINGS; ++ring) {
        for (uint32_t k = 0; k < CYLINDER_SIDES; ++k) {
            const uint32_t v = ring * CYLINDER_SIDES + k;
            if (mesh->positions[v].y > -0.5f) {
                continue;
            }
            const lmb_vec3 a = lmb_vec3_sub(p[v], p[v - 2 * CYLINDER_SIDES]),
                           b = lmb_vec3_sub(p[v + 2 * CYLINDER_SIDES], p[v]);
            const double cosine = (double)lmb_vec3_dot(a, b) /
                                  ((double)lmb_vec3_length(a) * (double)lmb_vec3_length(b));
            sharpest = fmax(sharpest, acos(fmin(1, cosine)) * 180 / 3.14159265358979);
        }
    }
    return sharpest;
}

static void hard_weights_bend_smoothly(void **state)
{
    const fixture *f = *state;
    lmb_mat4 palette[2];
    cylinder_pose(lmb_vec3_make(0, 0, 1), 90, palette);
    lmb_skin_linear(&(lmb_skin_job){
        .binding = f->binding, .model_from_bind = palette, .out_positions = f->posed});
    const double before = sharpest_fold(f->mesh, f->posed);
    pose(f, NULL, palette);
    const double after = sharpest_fold(f->mesh, f->posed);
    assert_true(before > 50);
    assert_true(after < 20);
}

static void the_mesh_as_given_and_as_compiled_are_one(void **state)
{
    const fixture *f = *state;
    lmb_mat4 palette[2];
    cylinder_pose(lmb_vec3_make(0, 1, 0), 70, palette);
    lmb_vec3 *kept = calloc(N, sizeof(*kept));
    assert_non_null(kept);
    pose(f, NULL, palette);
    memcpy(kept, f->posed, N * sizeof(*kept));
    pose(f, f->mesh->positions, palette);
    assert_memory_equal(kept, f->posed, N * sizeof(*kept));
    free(kept);
}

static void what_cannot_be_is_refused(void **state)
{
    const fixture *f = *state;
    lmb_delta_mush *mush = NULL;
    lmb_error error;
    assert_int_equal(lmb_delta_mush_create(f->mesh, &(lmb_delta_mush_opts){.fraction = 1.5f}, NULL,
                                           &mush, &error),
                     LMB_ERROR_INVALID);
    assert_int_equal(
        lmb_delta_mush_create(f->mesh, &(lmb_delta_mush_opts){.passes = 1001}, NULL, &mush, &error),
        LMB_ERROR_INVALID);
    assert_null(mush);
}

static void creation_survives_every_failing_allocation(void **state)
{
    const fixture *f = *state;
    lmb_result result = LMB_ERROR_MEMORY;
    for (int allowed = 0; result == LMB_ERROR_MEMORY && allowed < 200; ++allowed) {
        failing_allocator memory = {.calls_left = allowed};
        const lmb_allocator alloc = {failing_allocator_resize, &memory};
        lmb_delta_mush *mush = NULL;
        result = lmb_delta_mush_create(f->mesh, NULL, &alloc, &mush, NULL);
        assert_true((mush != NULL) == (result == LMB_OK));
        lmb_delta_mush_destroy(mush);
        assert_int_equal(memory.held, 0);
    }
    assert_int_equal(result, LMB_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_what_the_paper_says),
        cmocka_unit_test(nothing_moves_at_rest),
        cmocka_unit_test(rigid_motions_pass),
        cmocka_unit_test(hard_weights_bend_smoothly),
        cmocka_unit_test(the_mesh_as_given_and_as_compiled_are_one),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(creation_survives_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
