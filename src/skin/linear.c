#include "skin/dual_palette.h"
#include "skin/linear_kernels.h"
#include "skin/skin.h"

/// A job, prepared for its chunks.
typedef struct linear_call {
    lmbi_linear_pass pass; ///< of the whole mesh
    const lmbi_linear_kernels *full, *half;
    void (*loose)(const lmbi_linear_pass *pass, const lmbi_loose_run *run);
} linear_call;

static lmbi_linear_pass chunk_pass(const lmbi_linear_pass *whole, size_t vertex)
{
    lmbi_linear_pass pass = *whole;
    pass.positions = lmbi_input_at(whole->positions, vertex, sizeof(lmb_vec3));
    pass.normals = lmbi_input_at(whole->normals, vertex, sizeof(lmb_vec3));
    pass.tangents = lmbi_input_at(whole->tangents, vertex, sizeof(lmb_vec4));
    pass.out_positions = lmbi_output_at(whole->out_positions, vertex, whole->position_stride);
    pass.out_normals = lmbi_output_at(whole->out_normals, vertex, whole->normal_stride);
    pass.out_tangents = lmbi_output_at(whole->out_tangents, vertex, whole->tangent_stride);
    return pass;
}

static void skin_chunks(void *context, size_t begin, size_t end)
{
    const linear_call *call = context;
    const lmb_binding *binding = call->pass.binding;
    for (size_t c = begin; c < end; ++c) {
        const lmbi_skin_chunk *chunk = &binding->chunks[c];
        const lmbi_linear_pass pass = chunk_pass(&call->pass, c * LMBI_SKIN_CHUNK);
        const uint32_t run_end = chunk->run_first + chunk->run_count;
        for (uint32_t r = chunk->run_first, alike; r < run_end; r += alike) {
            const lmbi_skin_run *runs = &binding->runs[r];
            alike = lmbi_runs_alike(runs, run_end - r);
            const bool is_half = lmbi_run_block(runs) < LMBI_SKIN_BLOCK;
            (is_half ? call->half : call->full)->run(&pass, runs, alike);
        }
        for (uint32_t r = chunk->loose_first; r < chunk->loose_first + chunk->loose_count; ++r) {
            call->loose(&pass, &binding->loose_runs[r]);
        }
    }
}

static linear_call call_of(const lmb_skin_job *job)
{
    const lmb_binding *b = job->binding;
    linear_call call = {
        .pass = {.binding = b,
                 .palette = job->model_from_bind,
                 .positions = (const uint8_t *)job->positions,
                 .normals = (const uint8_t *)job->normals,
                 .tangents = (const uint8_t *)job->tangents,
                 .position_stride = lmbi_stride_or(job->position_stride, sizeof(lmb_vec3)),
                 .normal_stride = lmbi_stride_or(job->normal_stride, sizeof(lmb_vec3)),
                 .tangent_stride = lmbi_stride_or(job->tangent_stride, sizeof(lmb_vec4)),
                 .has_tiny =
                     lmbi_linear_pick(job->simd)->has_tiny(job->model_from_bind, b->joint_count)},
        .full = lmbi_linear_pick(job->simd),
        .half = lmbi_linear_half_pick(job->simd),
        .loose = lmbi_linear_loose_pick(job->simd)->run,
    };
    if (job->positions != NULL || b->positions != NULL) {
        call.pass.out_positions = (uint8_t *)job->out_positions;
    }
    if (job->normals != NULL || b->normals != NULL) {
        call.pass.out_normals = (uint8_t *)job->out_normals;
    }
    if (job->tangents != NULL || b->tangents != NULL) {
        call.pass.out_tangents = (uint8_t *)job->out_tangents;
    }
    call.pass.is_plain = job->positions == NULL && job->normals == NULL && job->tangents == NULL &&
                         call.pass.position_stride == sizeof(lmb_vec3) &&
                         call.pass.normal_stride == sizeof(lmb_vec3) &&
                         call.pass.tangent_stride == sizeof(lmb_vec4);
    return call;
}

void lmb_skin_linear(const lmb_skin_job *job)
{
    linear_call call = call_of(job);
    lmb_parallel_for(job->jobs, job->binding->chunk_count, 1, skin_chunks, &call);
}

void lmb_skin_rigid(const lmb_skin_job *job)
{
    linear_call call = call_of(job);
    call.pass.rigid = true;
    lmb_parallel_for(job->jobs, job->binding->chunk_count, 1, skin_chunks, &call);
}

/// Up to this many joints a job converts to dual quaternions once, on its stack, instead of once
/// per run.
enum { MOST_DUALS = 256 };

void lmb_skin_dual(const lmb_skin_dual_job *job)
{
    if (job->dual_weights != NULL || job->pivots != NULL) {
        lmbi_dual_options(job);
        return;
    }
    linear_call call = call_of(&job->skin);
    const uint32_t joint_count = job->skin.binding->joint_count;
    float duals[MOST_DUALS][8];
    for (uint32_t j = 0; j < joint_count && joint_count <= MOST_DUALS; ++j) {
        lmbi_dual_of(&job->rotations[j], &job->skin.model_from_bind[j], duals[j]);
    }
    call.pass.rotations = job->rotations;
    call.pass.duals = joint_count <= MOST_DUALS ? duals[0] : NULL;
    call.full = lmbi_dual_pick(job->skin.simd);
    call.half = lmbi_dual_half_pick(job->skin.simd);
    call.loose = lmbi_dual_loose_pick(job->skin.simd)->run;
    lmb_parallel_for(job->skin.jobs, job->skin.binding->chunk_count, 1, skin_chunks, &call);
}
