/// Skinning with centres of rotation (Le and Hodgins 2016, section 3): splits a job into chunks and
/// runs.
#include "skin/center_kernels.h"
#include "skin/skin.h"

typedef struct center_call {
    lmbi_center_pass pass; ///< of the whole mesh
    const lmbi_center_kernels *full, *half;
    const lmbi_linear_kernels *rigid, *rigid_half;
    const lmbi_center_loose_kernels *loose;
} center_call;

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

static void run_alike(const center_call *call, const lmbi_center_pass *pass,
                      const lmbi_skin_run *runs, uint32_t count)
{
    const bool is_half = lmbi_run_block(runs) < LMBI_SKIN_BLOCK;
    if (runs->width == 1) { // a single joint: rigid, whatever the centre
        (is_half ? call->rigid_half : call->rigid)->run(&pass->linear, runs, count);
    } else {
        (is_half ? call->half : call->full)->run(pass, runs, count);
    }
}

static void skin_chunks(void *context, size_t begin, size_t end)
{
    const center_call *call = context;
    const lmb_binding *binding = call->pass.linear.binding;
    for (size_t c = begin; c < end; ++c) {
        const lmbi_skin_chunk *chunk = &binding->chunks[c];
        const lmbi_center_pass pass = chunk_pass(&call->pass, c * LMBI_SKIN_CHUNK);
        const uint32_t run_end = chunk->run_first + chunk->run_count;
        for (uint32_t r = chunk->run_first, alike; r < run_end; r += alike) {
            alike = lmbi_runs_alike(&binding->runs[r], run_end - r);
            run_alike(call, &pass, &binding->runs[r], alike);
        }
        for (uint32_t r = chunk->loose_first; r < chunk->loose_first + chunk->loose_count; ++r) {
            call->loose->run(&pass, &binding->loose_runs[r]);
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
        .loose = lmbi_center_loose_pick(skin->simd),
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
    lmb_parallel_for(skin->jobs, b->chunk_count, 1, skin_chunks, &call);
}
