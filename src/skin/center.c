/// Skinning about centres of rotation (Le and Hodgins 2016, section 3): a job cut into chunks and
/// runs.
#include <string.h>

#include "skin/center_kernels.h"
#include "skin/pass.h"

typedef struct center_call {
    lmbi_center_pass pass; ///< of the whole mesh
    const lmbi_center_kernels *full, *half;
    const lmbi_linear_kernels *rigid, *rigid_half;
} center_call;

// --------------------------------------------------------------------------------- loose vertices

/// q and -q are one rotation: each goes to the hemisphere of the one that pulls most.
static lmb_quat blend_rotations(const lmbi_center_pass *pass, const uint16_t *joints,
                                const float *weights, uint32_t width, uint16_t strongest)
{
    const lmb_quat pivot = pass->rotations[strongest];
    lmb_quat sum = {0, 0, 0, 0};
    for (uint32_t k = 0; k < width; ++k) {
        const lmb_quat q = pass->rotations[joints[k]];
        const float weight = lmb_quat_dot(q, pivot) < 0 ? -weights[k] : weights[k];
        sum.x += q.x * weight;
        sum.y += q.y * weight;
        sum.z += q.z * weight;
        sum.w += q.w * weight;
    }
    return lmb_quat_normalize(sum);
}

static lmb_vec3 blend_point(const lmbi_center_pass *pass, const uint16_t *joints,
                            const float *weights, uint32_t width, lmb_vec3 p)
{
    lmb_vec3 sum = {0, 0, 0};
    for (uint32_t k = 0; k < width; ++k) {
        sum = lmb_vec3_mad(sum, lmbi_point(&pass->linear.palette[joints[k]], p), weights[k]);
    }
    return sum;
}

static lmb_vec3 vec3_at(const uint8_t *given, const lmb_vec3 *rest, uint32_t i, size_t v)
{
    lmb_vec3 value;
    memcpy(&value, given != NULL ? given + v * sizeof(value) : (const uint8_t *)&rest[i],
           sizeof(value));
    return value;
}

static void turn_loose(const lmbi_linear_pass *p, lmb_quat q, uint32_t i, size_t v)
{
    const lmb_binding *b = p->binding;
    if (p->out_normals != NULL) {
        const lmb_vec3 n =
            lmbi_unit(lmb_quat_rotate(q, vec3_at(p->normals, b->loose_normals, i, v)));
        memcpy(p->out_normals + v * p->normal_stride, &n, sizeof(n));
    }
    if (p->out_tangents != NULL) {
        lmb_vec4 t;
        memcpy(&t,
               p->tangents != NULL ? p->tangents + v * sizeof(t)
                                   : (const uint8_t *)&b->loose_tangents[i],
               sizeof(t));
        const lmb_vec3 turned = lmbi_unit(lmb_quat_rotate(q, lmb_vec3_make(t.x, t.y, t.z)));
        const lmb_vec4 out = {turned.x, turned.y, turned.z, t.w};
        memcpy(p->out_tangents + v * p->tangent_stride, &out, sizeof(out));
    }
}

static void center_loose(const lmbi_center_pass *pass, const lmbi_loose_run *run)
{
    const lmbi_linear_pass *p = &pass->linear;
    const lmb_binding *b = p->binding;
    for (uint32_t i = run->first; i < run->first + run->count; ++i) {
        const size_t at = run->influence_first + (size_t)(i - run->first) * run->width;
        const uint16_t *joints = b->loose_joints + at;
        const float *weights = b->loose_weights + at;
        const size_t v = b->loose_index[i];
        const lmb_quat q =
            blend_rotations(pass, joints, weights, run->width, b->loose_strongest[i]);
        if (p->out_positions != NULL) {
            const lmb_vec3 center = vec3_at(pass->centers, b->loose_centers, i, v);
            const lmb_vec3 arm =
                lmb_vec3_sub(vec3_at(p->positions, b->loose_positions, i, v), center);
            const lmb_vec3 out = lmb_vec3_add(
                lmb_quat_rotate(q, arm), blend_point(pass, joints, weights, run->width, center));
            memcpy(p->out_positions + v * p->position_stride, &out, sizeof(out));
        }
        turn_loose(p, q, i, v);
    }
}

// ----------------------------------------------------------------------------------------- chunks

static lmbi_center_pass chunk_pass(const lmbi_center_pass *whole, size_t vertex)
{
    lmbi_center_pass pass = *whole;
    lmbi_linear_pass *p = &pass.linear;
    p->positions = lmbi_input_at(p->positions, vertex, sizeof(lmb_vec3));
    p->normals = lmbi_input_at(p->normals, vertex, sizeof(lmb_vec3));
    p->tangents = lmbi_input_at(p->tangents, vertex, sizeof(lmb_vec4));
    p->out_positions = lmbi_output_at(p->out_positions, vertex, p->position_stride);
    p->out_normals = lmbi_output_at(p->out_normals, vertex, p->normal_stride);
    p->out_tangents = lmbi_output_at(p->out_tangents, vertex, p->tangent_stride);
    pass.centers = lmbi_input_at(pass.centers, vertex, sizeof(lmb_vec3));
    return pass;
}

static void run_center(const center_call *call, const lmbi_center_pass *pass,
                       const lmbi_skin_run *run)
{
    const bool rigid = run->width == 1; // one joint alone: its motion, whatever the centre
    if (lmbi_run_has_blocks(run) && rigid) {
        call->rigid->run(&pass->linear, run);
    } else if (lmbi_run_has_blocks(run)) {
        call->full->run(pass, run);
    }
    if (lmbi_run_has_half(run) && rigid) {
        call->rigid_half->run(&pass->linear, run);
    } else if (lmbi_run_has_half(run)) {
        call->half->run(pass, run);
    }
}

static void center_piece(void *context, size_t begin, size_t end)
{
    const center_call *call = context;
    const lmb_binding *binding = call->pass.linear.binding;
    for (size_t c = begin; c < end; ++c) {
        const lmbi_skin_chunk *chunk = &binding->chunks[c];
        const lmbi_center_pass pass = chunk_pass(&call->pass, c * LMBI_SKIN_CHUNK);
        for (uint32_t r = chunk->run_first; r < chunk->run_first + chunk->run_count; ++r) {
            const lmbi_skin_run *run = &binding->runs[r];
            run_center(call, &pass, run);
        }
        for (uint32_t r = chunk->loose_first; r < chunk->loose_first + chunk->loose_count; ++r) {
            center_loose(&pass, &binding->loose_runs[r]);
        }
    }
}

void lmb_skin_center(const lmb_skin_center_job *job)
{
    const lmb_skin_job *skin = &job->skin;
    const lmb_binding *b = skin->binding;
    center_call call = {
        .pass = {.linear = {.binding = b,
                            .palette = skin->model_from_bind,
                            .positions = (const uint8_t *)skin->positions,
                            .normals = (const uint8_t *)skin->normals,
                            .tangents = (const uint8_t *)skin->tangents,
                            .position_stride =
                                lmbi_stride_or(skin->position_stride, sizeof(lmb_vec3)),
                            .normal_stride = lmbi_stride_or(skin->normal_stride, sizeof(lmb_vec3)),
                            .tangent_stride =
                                lmbi_stride_or(skin->tangent_stride, sizeof(lmb_vec4))},
                 .rotations = job->rotations,
                 .centers = (const uint8_t *)job->centers},
        .full = lmbi_center_pick(skin->simd),
        .half = lmbi_center_half_pick(skin->simd),
        .rigid = lmbi_linear_pick(skin->simd),
        .rigid_half = lmbi_linear_half_pick(skin->simd),
    };
    if (skin->positions != NULL || b->positions != NULL) {
        call.pass.linear.out_positions = (uint8_t *)skin->out_positions;
    }
    if (skin->normals != NULL || b->normals != NULL) {
        call.pass.linear.out_normals = (uint8_t *)skin->out_normals;
    }
    if (skin->tangents != NULL || b->tangents != NULL) {
        call.pass.linear.out_tangents = (uint8_t *)skin->out_tangents;
    }
    lmb_parallel_for(skin->jobs, b->chunk_count, 1, center_piece, &call);
}
