/// Multi-weight enveloping (Wang and Phillips 2002), each vertex in the frame of its first joint: a
/// job's pose, split into chunks.
#include <string.h>

#include "skin/envelope_kernels.h"
#include "skin/skin.h"

typedef struct envelope_call {
    lmbi_envelope_pass pass; ///< of the whole mesh
    const lmb_mat4 *model_from_bind;
    const lmbi_envelope_kernels *kernels;
} envelope_call;

static void copy_rows(const lmb_mat4 *matrix, float rows[3][4])
{
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 4; ++c) {
            rows[r][c] = matrix->m[4 * c + r];
        }
    }
}

lmbi_envelope_frame lmbi_envelope_frame_of(const lmb_mat4 *matrix)
{
    lmbi_envelope_frame frame;
    copy_rows(matrix, frame.rows);
    const float(*m)[4] = (const float(*)[4])frame.rows;
    for (int r = 0; r < 3; ++r) {
        const float *a = m[(r + 1) % 3], *b = m[(r + 2) % 3];
        frame.cofactors[r][0] = a[1] * b[2] - a[2] * b[1];
        frame.cofactors[r][1] = a[2] * b[0] - a[0] * b[2];
        frame.cofactors[r][2] = a[0] * b[1] - a[1] * b[0];
    }
    const float *first = frame.cofactors[0];
    const float determinant = m[0][0] * first[0] + m[0][1] * first[1] + m[0][2] * first[2];
    for (int r = 0; r < 3; ++r) {
        frame.cofactors[r][3] = determinant;
    }
    return frame;
}

/// The joints of the pose. One that has no inverse, as of a limb scaled to nothing, keeps its
/// vertices at its position.
static void place_joints(const lmb_skin_envelope_job *job)
{
    const lmb_envelope_skin *e = job->envelope;
    for (uint32_t j = 0; j < e->skin->joint_count; ++j) {
        lmb_mat4 model_from_joint = lmb_mat4_mul(job->model_from_bind[j], e->bind_from_joint[j]);
        if (!lmb_mat4_inverse_affine(model_from_joint, &e->joint_from_model[j])) {
            memset(&e->joint_from_model[j], 0, sizeof(lmb_mat4));
            memset(model_from_joint.m, 0, 12 * sizeof(float));
        }
        e->model_from_joint[j] = lmbi_envelope_frame_of(&model_from_joint);
    }
}

static void place_pairs(const envelope_call *call, size_t chunk)
{
    const lmb_envelope_skin *e = call->pass.skin;
    for (uint32_t p = e->pair_first[chunk]; p < e->pair_first[chunk + 1]; ++p) {
        const uint32_t reference = e->pairs[p].reference;
        const lmb_mat4 model_from_reference =
            lmb_mat4_mul(call->model_from_bind[e->pairs[p].joint], e->bind_from_joint[reference]);
        const lmb_mat4 relative =
            lmb_mat4_mul(e->joint_from_model[reference], model_from_reference);
        copy_rows(&relative, e->relative[p]);
    }
}

static void envelop_chunks(void *context, size_t begin, size_t end)
{
    const envelope_call *call = context;
    const lmb_envelope_skin *e = call->pass.skin;
    for (size_t c = begin; c < end; ++c) {
        const size_t vertex = c * LMBI_ENVELOPE_CHUNK;
        lmbi_envelope_pass pass = call->pass;
        pass.relative = (const float(*)[3][4])(e->relative + e->pair_first[c]);
        pass.positions = lmbi_input_at(pass.positions, vertex, sizeof(lmb_vec3));
        pass.normals = lmbi_input_at(pass.normals, vertex, sizeof(lmb_vec3));
        pass.tangents = lmbi_input_at(pass.tangents, vertex, sizeof(lmb_vec4));
        pass.out_positions = lmbi_output_at(pass.out_positions, vertex, sizeof(lmb_vec3));
        pass.out_normals = lmbi_output_at(pass.out_normals, vertex, sizeof(lmb_vec3));
        pass.out_tangents = lmbi_output_at(pass.out_tangents, vertex, sizeof(lmb_vec4));
        place_pairs(call, c);
        call->kernels->run(&pass, e->chunk_first[c], e->chunk_first[c + 1]);
    }
}

void lmb_skin_envelope(const lmb_skin_envelope_job *job)
{
    const lmb_envelope_skin *e = job->envelope;
    const lmb_mesh *mesh = e->mesh;
    envelope_call call = {
        .pass = {.skin = e,
                 .positions = (const uint8_t *)(job->positions ? job->positions : mesh->positions),
                 .normals = (const uint8_t *)(job->normals ? job->normals : mesh->normals),
                 .tangents = (const uint8_t *)(job->tangents ? job->tangents : mesh->tangents),
                 .out_positions = (uint8_t *)job->out_positions},
        .model_from_bind = job->model_from_bind,
        .kernels = lmbi_envelope_pick(job->simd),
    };
    call.pass.out_normals = call.pass.normals != NULL ? (uint8_t *)job->out_normals : NULL;
    call.pass.out_tangents = call.pass.tangents != NULL ? (uint8_t *)job->out_tangents : NULL;
    place_joints(job);
    lmb_parallel_for(job->jobs, e->chunk_count, 1, envelop_chunks, &call);
}
