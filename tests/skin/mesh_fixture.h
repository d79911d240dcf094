/// What the tests of kernels start from: the mesh of skinned_mesh.h bound, its palette split into
/// turns and stretches, and two outputs to compare.
#ifndef SKIN_MESH_FIXTURE_H
#define SKIN_MESH_FIXTURE_H

#include "skinned_mesh.h"

typedef struct shape {
    lmb_vec3 positions[MESH_VERTICES], normals[MESH_VERTICES];
    lmb_vec4 tangents[MESH_VERTICES];
} shape;

/// A vertex as a vertex buffer has it, its attributes not in the order of the job's.
typedef struct strided_vertex {
    float before;
    lmb_vec3 position;
    lmb_vec4 tangent;
    lmb_vec3 normal;
} strided_vertex;

typedef struct fixture {
    skinned_mesh *skinned;
    lmb_binding *binding;
    lmb_mat4 rigid[MESH_JOINTS], stretch[MESH_JOINTS];
    lmb_quat rotations[MESH_JOINTS];
    shape *want, *got;
} fixture;

static int set_up(void **state)
{
    fixture *f = calloc(1, sizeof(*f));
    assert_non_null(f);
    f->skinned = skinned_mesh_create();
    f->want = calloc(1, sizeof(shape));
    f->got = calloc(1, sizeof(shape));
    assert_true(f->want != NULL && f->got != NULL);
    assert_int_equal(lmb_binding_create(f->skinned->mesh, MESH_JOINTS, NULL, &f->binding, NULL),
                     LMB_OK);
    assert_true(lmb_skin_split(&(lmb_skin_split_job){.joint_count = MESH_JOINTS,
                                                     .model_from_bind = f->skinned->palette,
                                                     .rigid = f->rigid,
                                                     .rotations = f->rotations,
                                                     .stretch = f->stretch}));
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    lmb_binding_destroy(f->binding);
    skinned_mesh_destroy(f->skinned);
    free(f->want);
    free(f->got);
    free(f);
    return 0;
}

/// The product of two quaternions, x y z w, in double precision.
static inline void multiply(const double a[4], const double b[4], double out[4])
{
    out[0] = a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1];
    out[1] = a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0];
    out[2] = a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3];
    out[3] = a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2];
}

/// The outputs that `outputs` names are equal to the bit: 1 positions, 2 normals, 4 tangents.
static inline void assert_same_outputs(const shape *got, const shape *want, unsigned outputs)
{
    if (outputs & 1) {
        assert_memory_equal(got->positions, want->positions, sizeof(want->positions));
    }
    if (outputs & 2) {
        assert_memory_equal(got->normals, want->normals, sizeof(want->normals));
    }
    if (outputs & 4) {
        assert_memory_equal(got->tangents, want->tangents, sizeof(want->tangents));
    }
}

/// A strided buffer has the same bits, and what lies between is as it was: nought.
static inline void assert_same_strided(const strided_vertex *got, const shape *want)
{
    for (uint32_t v = 0; v < MESH_VERTICES; ++v) {
        assert_false(got[v].before > 0 || got[v].before < 0);
        assert_memory_equal(&got[v].position, &want->positions[v], sizeof(lmb_vec3));
        assert_memory_equal(&got[v].normal, &want->normals[v], sizeof(lmb_vec3));
        assert_memory_equal(&got[v].tangent, &want->tangents[v], sizeof(lmb_vec4));
    }
}

#endif
