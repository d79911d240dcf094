/// Multi-weight enveloping (Wang and Phillips 2002), each vertex in the frame of its first joint.
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "skin/binding.h"

enum { INFLUENCES = LMB_ENVELOPE_INFLUENCES, GRAIN = 256 };

/// A joint as seen from another: distinct over all vertices, so that its matrix is made once.
typedef struct pair {
    uint32_t reference, joint;
} pair;

struct lmb_envelope_skin {
    const lmb_mesh *mesh;
    const lmb_skin *skin;
    uint32_t pair_count;
    pair *pairs;
    uint32_t *vertex_pairs;                        ///< [vertex_count][INFLUENCES]
    lmb_mat4 *bind_from_joint;                     ///< [joint_count of the skin]
    lmb_mat4 *relative;                            ///< [pair_count] of the pose
    lmb_mat4 *model_from_joint, *joint_from_model; ///< [joint_count] of the pose
    lmb_allocator allocator;
};

static uint32_t joint_of(const lmb_mesh *mesh, size_t vertex, int k)
{
    return (uint32_t)(&mesh->envelope[vertex].x)[k];
}

/// Numbers the pairs; table[joint_count][joint_count] is 0 for a pair not met, else its number + 1.
static void find_pairs(lmb_envelope_skin *e, uint32_t *table)
{
    const lmb_mesh *mesh = e->mesh;
    for (size_t v = 0; v < mesh->vertex_count; ++v) {
        const uint32_t reference = joint_of(mesh, v, 0);
        for (int k = 0; k < INFLUENCES; ++k) {
            const uint32_t joint = joint_of(mesh, v, k);
            uint32_t *number = &table[(size_t)reference * e->skin->joint_count + joint];
            if (*number == 0) {
                e->pairs[e->pair_count] = (pair){reference, joint};
                *number = ++e->pair_count;
            }
            e->vertex_pairs[v * INFLUENCES + (size_t)k] = *number - 1;
        }
    }
}

static lmb_result fill(lmb_envelope_skin *e, lmb_error *error)
{
    const size_t joints = e->skin->joint_count, n = e->mesh->vertex_count;
    const lmb_allocator *alloc = &e->allocator;
    const size_t most = n * INFLUENCES < joints * joints ? n * INFLUENCES : joints * joints;
    uint32_t *table = lmbi_alloc_array(alloc, joints * joints, sizeof *table);
    e->pairs = lmbi_alloc_array(alloc, most, sizeof *e->pairs);
    e->vertex_pairs = lmbi_alloc_array(alloc, n, INFLUENCES * sizeof *e->vertex_pairs);
    e->bind_from_joint = lmbi_alloc_array(alloc, joints, sizeof(lmb_mat4));
    e->model_from_joint = lmbi_alloc_array(alloc, joints, sizeof(lmb_mat4));
    e->joint_from_model = lmbi_alloc_array(alloc, joints, sizeof(lmb_mat4));
    lmb_result result = LMB_OK;
    if (!table || !e->pairs || !e->vertex_pairs || !e->bind_from_joint || !e->model_from_joint ||
        !e->joint_from_model) {
        result = lmbi_fail_memory(error);
    }
    for (uint32_t j = 0; result == LMB_OK && j < joints; ++j) {
        if (!lmb_mat4_inverse_affine(e->skin->joint_from_bind[j], &e->bind_from_joint[j])) {
            result = lmbi_fail(error, LMB_ERROR_INVALID, "bind transforms that can be inverted",
                               "joint %u of the skin", j);
        }
    }
    if (result == LMB_OK) {
        memset(table, 0, joints * joints * sizeof *table);
        find_pairs(e, table);
        e->relative = lmbi_alloc_array(alloc, e->pair_count, sizeof(lmb_mat4));
        result = e->relative ? LMB_OK : lmbi_fail_memory(error);
    }
    lmbi_free(alloc, table);
    return result;
}

lmb_result lmb_envelope_skin_create(const lmb_mesh *mesh, const lmb_skin *skin,
                                    const lmb_allocator *alloc, lmb_envelope_skin **out,
                                    lmb_error *error)
{
    lmb_envelope_skin *e = lmbi_alloc(alloc, sizeof *e);
    if (e == NULL) {
        return lmbi_fail_memory(error);
    }
    *e = (lmb_envelope_skin){
        .mesh = mesh, .skin = skin, .allocator = alloc ? *alloc : (lmb_allocator){0}};
    const lmb_result result = fill(e, error);
    if (result != LMB_OK) {
        lmb_envelope_skin_destroy(e);
        return result;
    }
    *out = e;
    return LMB_OK;
}

void lmb_envelope_skin_destroy(lmb_envelope_skin *e)
{
    if (e == NULL) {
        return;
    }
    const lmb_allocator alloc = e->allocator;
    lmbi_free(&alloc, e->pairs);
    lmbi_free(&alloc, e->vertex_pairs);
    lmbi_free(&alloc, e->bind_from_joint);
    lmbi_free(&alloc, e->model_from_joint);
    lmbi_free(&alloc, e->joint_from_model);
    lmbi_free(&alloc, e->relative);
    lmbi_free(&alloc, e);
}

/// The joints of the pose. One that has no inverse, as of a limb scaled to nothing, keeps its
/// vertices at its position.
static void place_joints(const lmb_skin_envelope_job *job)
{
    lmb_envelope_skin *e = job->envelope;
    for (uint32_t j = 0; j < e->skin->joint_count; ++j) {
        e->model_from_joint[j] = lmb_mat4_mul(job->model_from_bind[j], e->bind_from_joint[j]);
        if (!lmb_mat4_inverse_affine(e->model_from_joint[j], &e->joint_from_model[j])) {
            memset(&e->joint_from_model[j], 0, sizeof(lmb_mat4));
        }
    }
    for (uint32_t p = 0; p < e->pair_count; ++p) {
        const uint32_t reference = e->pairs[p].reference;
        e->relative[p] = lmb_mat4_mul(
            e->joint_from_model[reference],
            lmb_mat4_mul(job->model_from_bind[e->pairs[p].joint], e->bind_from_joint[reference]));
    }
}

static lmb_vec3 envelop_point(const lmb_envelope_skin *e, size_t v, uint32_t reference, lmb_vec3 p)
{
    const size_t n = e->mesh->vertex_count;
    const lmb_vec3 x = lmb_mat4_point(e->skin->joint_from_bind[reference], p);
    float y[3] = {0, 0, 0};
    for (size_t k = 0; k < INFLUENCES; ++k) {
        const float *m = e->relative[e->vertex_pairs[v * INFLUENCES + k]].m;
        for (size_t r = 0; r < 3; ++r) {
            const lmb_vec4 w = e->mesh->envelope[(1 + 3 * k + r) * n + v];
            y[r] +=
                w.x * m[r] * x.x + w.y * m[4 + r] * x.y + w.z * m[8 + r] * x.z + w.w * m[12 + r];
        }
    }
    return lmb_mat4_point(e->model_from_joint[reference], lmb_vec3_make(y[0], y[1], y[2]));
}

/// The affine transform that envelop_point applies: its derivative but for how coefficients change
/// over the surface.
static lmb_mat4 envelop_matrix(const lmb_envelope_skin *e, size_t v, uint32_t reference)
{
    const size_t n = e->mesh->vertex_count;
    lmb_mat4 blend = {{0}};
    for (size_t k = 0; k < INFLUENCES; ++k) {
        const float *m = e->relative[e->vertex_pairs[v * INFLUENCES + k]].m;
        for (size_t r = 0; r < 3; ++r) {
            const lmb_vec4 w = e->mesh->envelope[(1 + 3 * k + r) * n + v];
            blend.m[r] += w.x * m[r];
            blend.m[4 + r] += w.y * m[4 + r];
            blend.m[8 + r] += w.z * m[8 + r];
            blend.m[12 + r] += w.w * m[12 + r];
        }
    }
    blend.m[15] = 1;
    return lmb_mat4_mul(e->model_from_joint[reference],
                        lmb_mat4_mul(blend, e->skin->joint_from_bind[reference]));
}

static void envelop_directions(const lmb_skin_envelope_job *job, size_t v, uint32_t reference)
{
    const lmb_mesh *mesh = job->envelope->mesh;
    const lmb_vec3 *normals = job->normals ? job->normals : mesh->normals;
    const lmb_vec4 *tangents = job->tangents ? job->tangents : mesh->tangents;
    const lmb_mat4 matrix = envelop_matrix(job->envelope, v, reference);
    const lmbi_normal_matrix cofactors = lmbi_normal_matrix_of(&matrix);
    const lmb_vec3 normal = normals ? lmbi_normal(&cofactors, normals[v]) : lmb_vec3_make(0, 0, 0);
    if (job->out_tangents && tangents) {
        job->out_tangents[v] = lmbi_tangent(&matrix, cofactors.sign, normal, tangents[v]);
    }
    if (job->out_normals && normals) {
        job->out_normals[v] = normal;
    }
}

static void envelop(void *context, size_t begin, size_t end)
{
    const lmb_skin_envelope_job *job = context;
    const lmb_envelope_skin *e = job->envelope;
    const lmb_vec3 *from = job->positions ? job->positions : e->mesh->positions;
    for (size_t v = begin; v < end; ++v) {
        const uint32_t reference = e->pairs[e->vertex_pairs[v * INFLUENCES]].reference;
        if (job->out_normals || job->out_tangents) {
            envelop_directions(job, v, reference);
        }
        job->out_positions[v] = envelop_point(e, v, reference, from[v]);
    }
}

void lmb_skin_envelope(const lmb_skin_envelope_job *job)
{
    lmb_skin_envelope_job copy = *job;
    place_joints(job);
    lmb_parallel_for(job->jobs, job->envelope->mesh->vertex_count, GRAIN, envelop, &copy);
}
