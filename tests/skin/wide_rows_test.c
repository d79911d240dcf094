// Rows of up to forty joints, by every deformer. The joints of the cylinder's two ends are each
// split into twenty that move alike: what comes out must be what two joints give.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cylinder.h"
#include "limber/skin.h"

enum { SPLIT = 20, JOINTS = 2 * SPLIT };

/// A skin and all that its deformers need.
typedef struct side {
    lmb_mesh *mesh;
    lmb_binding *binding;
    lmb_gradients *gradients;
    lmb_mush *mush[LMB_MUSH_V5 + 1];
    uint32_t joint_count;
    lmb_mat4 palette[JOINTS];
    lmb_quat rotations[JOINTS];
    lmb_vec3 positions[CYLINDER_VERTICES], normals[CYLINDER_VERTICES];
} side;

static const lmb_mush_variant variants[] = {LMB_MUSH_V0, LMB_MUSH_V2, LMB_MUSH_V4, LMB_MUSH_V5};

/// The influence in uneven parts, to joints from joint * SPLIT on. Two vertices of three have the
/// same joints as their neighbours, the third leaves some out, as no other does.
static uint32_t split(lmb_random *random, uint32_t v, lmb_influence whole, lmb_influence *out)
{
    float parts[SPLIT], sum = 0;
    uint32_t count = 0;
    for (uint32_t k = 0; k < SPLIT; ++k) {
        const bool is_left_out = v % 3 == 2 && k > 0 && lmb_random_unit(random) < 0.1f;
        parts[k] = is_left_out ? 0 : lmb_random_range(random, 0.2f, 1);
        sum += parts[k];
    }
    for (uint32_t k = 0; k < SPLIT; ++k) {
        if (parts[k] > 0) {
            out[count++] =
                (lmb_influence){whole.joint * SPLIT + k, whole.weight * (parts[k] / sum)};
        }
    }
    return count;
}

static int by_falling_weight(const void *a, const void *b)
{
    const lmb_influence *x = a, *y = b;
    if (x->weight > y->weight || x->weight < y->weight) {
        return x->weight > y->weight ? -1 : 1;
    }
    return x->joint < y->joint ? -1 : 1;
}

static lmb_mesh *split_mesh(const lmb_mesh *mesh)
{
    const uint32_t count = mesh->vertex_count;
    uint32_t *first = calloc((size_t)count + 1, sizeof(*first));
    lmb_influence *items = calloc((size_t)count * JOINTS, sizeof(*items));
    assert_true(first != NULL && items != NULL);
    lmb_random random = lmb_random_seed(7);
    for (uint32_t v = 0; v < count; ++v) {
        uint32_t at = first[v];
        for (uint32_t i = mesh->influences.first[v]; i < mesh->influences.first[v + 1]; ++i) {
            at += split(&random, v, mesh->influences.items[i], items + at);
        }
        qsort(items + first[v], at - first[v], sizeof(*items), by_falling_weight);
        first[v + 1] = at;
    }
    lmb_mesh def = *mesh, *out = NULL;
    def.influences = (lmb_influences){first, items};
    assert_int_equal(lmb_mesh_create(&def, NULL, &out, NULL), LMB_OK);
    free(first);
    free(items);
    return out;
}

static side *side_create(lmb_mesh *mesh, uint32_t joint_count)
{
    side *s = calloc(1, sizeof(*s));
    assert_non_null(s);
    s->mesh = mesh;
    s->joint_count = joint_count;
    assert_int_equal(lmb_binding_create(mesh, joint_count, NULL, &s->binding, NULL), LMB_OK);
    assert_int_equal(lmb_gradients_create(mesh, NULL, &s->gradients, NULL), LMB_OK);
    for (size_t k = 0; k < sizeof(variants) / sizeof(variants[0]); ++k) {
        const lmb_mush_opts opts = {.variant = variants[k], .least_weight = 1e-9f};
        assert_int_equal(lmb_mush_create(mesh, &opts, NULL, NULL, &s->mush[variants[k]], NULL),
                         LMB_OK);
    }
    lmb_mat4 two[2];
    cylinder_pose(lmb_vec3_normalize_or(lmb_vec3_make(1, 0.3f, 2), lmb_vec3_make(1, 0, 0)), 75,
                  two);
    for (uint32_t j = 0; j < joint_count; ++j) {
        s->palette[j] = two[j / (joint_count / 2)];
        lmb_transform t;
        lmb_mat4_decompose(s->palette[j], &t);
        s->rotations[j] = t.rotation;
    }
    return s;
}

static void side_destroy(side *s)
{
    for (int v = 0; v <= LMB_MUSH_V5; ++v) {
        lmb_mush_destroy(s->mush[v]);
    }
    lmb_gradients_destroy(s->gradients);
    lmb_binding_destroy(s->binding);
    lmb_mesh_destroy(s->mesh);
    free(s);
}

typedef struct both {
    side *few, *many;
    lmb_centers *centers; ///< of the few
    float fractions[CYLINDER_VERTICES];
} both;

static int set_up(void **state)
{
    both *b = calloc(1, sizeof(*b));
    assert_non_null(b);
    lmb_mesh *mesh = cylinder_create(false);
    assert_non_null(mesh);
    b->few = side_create(mesh, 2);
    b->many = side_create(split_mesh(mesh), JOINTS);
    assert_int_equal(lmb_centers_create(mesh, NULL, NULL, NULL, &b->centers, NULL), LMB_OK);
    for (uint32_t v = 0; v < CYLINDER_VERTICES; ++v) {
        b->fractions[v] = (float)(v % 11) / 10;
    }
    *state = b;
    return 0;
}

static int tear_down(void **state)
{
    both *b = *state;
    lmb_centers_destroy(b->centers);
    side_destroy(b->few);
    side_destroy(b->many);
    free(b);
    return 0;
}

static lmb_skin_job job_of(side *s, lmb_simd simd)
{
    return (lmb_skin_job){.binding = s->binding,
                          .model_from_bind = s->palette,
                          .positions = s->mesh->positions,
                          .normals = s->mesh->normals,
                          .out_positions = s->positions,
                          .out_normals = s->normals,
                          .simd = simd};
}

static void compare(const both *b, const char *what)
{
    for (uint32_t v = 0; v < CYLINDER_VERTICES; ++v) {
        const lmb_vec3 p = lmb_vec3_sub(b->many->positions[v], b->few->positions[v]),
                       n = lmb_vec3_sub(b->many->normals[v], b->few->normals[v]);
        if (!(lmb_vec3_length(p) < 3e-5f) || !(lmb_vec3_length(n) < 2e-4f)) {
            fail_msg("%s: vertex %u is off by %g, its normal by %g", what, v,
                     (double)lmb_vec3_length(p), (double)lmb_vec3_length(n));
        }
    }
}

static void by_linear(both *b, side *s, lmb_simd simd)
{
    (void)b;
    const lmb_skin_job job = job_of(s, simd);
    lmb_skin_linear(&job);
}

static void by_gradient(both *b, side *s, lmb_simd simd)
{
    (void)b;
    lmb_skin_gradient(&(lmb_skin_gradient_job){.skin = job_of(s, simd), .gradients = s->gradients});
}

static void by_dual(both *b, side *s, lmb_simd simd)
{
    (void)b;
    lmb_skin_dual(&(lmb_skin_dual_job){.skin = job_of(s, simd), .rotations = s->rotations});
}

static void by_mixed_dual(both *b, side *s, lmb_simd simd)
{
    lmb_skin_dual(&(lmb_skin_dual_job){
        .skin = job_of(s, simd), .rotations = s->rotations, .dual_weights = b->fractions});
}

static void by_centers(both *b, side *s, lmb_simd simd)
{
    lmb_skin_center(&(lmb_skin_center_job){
        .skin = job_of(s, simd), .rotations = s->rotations, .centers = b->centers->positions});
}

static void many_joints_are_the_sum_of_their_parts(void **state)
{
    both *b = *state;
    static const struct {
        const char *name;
        void (*run)(both *b, side *s, lmb_simd simd);
    } deformers[] = {{"linear", by_linear},
                     {"gradient", by_gradient},
                     {"dual", by_dual},
                     {"dual, mixed", by_mixed_dual},
                     {"centers", by_centers}};
    for (size_t k = 0; k < sizeof(deformers) / sizeof(deformers[0]); ++k) {
        for (lmb_simd simd = LMB_SIMD_SCALAR; simd <= LMB_SIMD_FAST; ++simd) {
            if (lmb_simd_runs(simd)) {
                deformers[k].run(b, b->few, simd);
                deformers[k].run(b, b->many, simd);
                compare(b, deformers[k].name);
            }
        }
    }
}

static void mush_of_many_joints(void **state)
{
    both *b = *state;
    static const char *const names[] = {"ddm", "ddm2", "ddm4", "ddm5"};
    for (size_t k = 0; k < sizeof(variants) / sizeof(variants[0]); ++k) {
        for (int i = 0; i < 2; ++i) {
            side *s = i == 0 ? b->few : b->many;
            lmb_skin_mush(&(lmb_skin_mush_job){.skin = job_of(s, LMB_SIMD_BEST),
                                               .mush = s->mush[variants[k]],
                                               .rotations = s->rotations});
        }
        compare(b, names[k]);
    }
}

/// Rigid skinning follows one joint, so it goes by which of the forty pulls most.
static void the_strongest_of_many(void **state)
{
    both *b = *state;
    side *s = b->many;
    const lmb_skin_job job = job_of(s, LMB_SIMD_BEST);
    lmb_skin_rigid(&job);
    for (uint32_t v = 0; v < CYLINDER_VERTICES; ++v) {
        const uint32_t joint = s->mesh->influences.items[s->mesh->influences.first[v]].joint;
        const lmb_vec3 want = lmb_mat4_point(s->palette[joint], s->mesh->positions[v]);
        assert_true(lmb_vec3_length(lmb_vec3_sub(s->positions[v], want)) < 1e-5f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_joints_are_the_sum_of_their_parts),
        cmocka_unit_test(mush_of_many_joints),
        cmocka_unit_test(the_strongest_of_many),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
