/// Skinning by direct delta mush (Le and Lewis 2019, section 4): a job cut into chunks, or handed
/// on to the deformer that a variant is.
#include "skin/mush_kernels.h"
#include "skin/skin.h"

typedef struct mush_call {
    lmbi_mush_pass pass; ///< of the whole mesh
    const lmbi_mush_kernels *kernels;
} mush_call;

static void skin_chunks(void *context, size_t begin, size_t end)
{
    const mush_call *call = context;
    const lmb_mush *mush = call->pass.mush;
    for (size_t c = begin; c < end; ++c) {
        const size_t vertex = c * LMBI_MUSH_CHUNK;
        lmbi_mush_pass pass = call->pass;
        pass.positions = lmbi_input_at(pass.positions, vertex, sizeof(lmb_vec3));
        pass.normals = lmbi_input_at(pass.normals, vertex, sizeof(lmb_vec3));
        pass.tangents = lmbi_input_at(pass.tangents, vertex, sizeof(lmb_vec4));
        pass.out_positions = lmbi_output_at(pass.out_positions, vertex, pass.position_stride);
        pass.out_normals = lmbi_output_at(pass.out_normals, vertex, pass.normal_stride);
        pass.out_tangents = lmbi_output_at(pass.out_tangents, vertex, pass.tangent_stride);
        call->kernels->run(&pass, mush->chunk_first[c], mush->chunk_first[c + 1]);
    }
}

static void skin_bound(const lmb_skin_mush_job *job)
{
    lmb_skin_job skin = job->skin;
    skin.binding = job->mush->binding;
    if (job->mush->variant == LMB_MUSH_V5) {
        lmb_skin_linear(&skin);
    } else {
        lmb_skin_center(&(lmb_skin_center_job){.skin = skin, .rotations = job->rotations});
    }
}

static void skin_blocks(const lmb_skin_mush_job *job)
{
    const lmb_skin_job *skin = &job->skin;
    const lmb_mush *mush = job->mush;
    mush_call call = {
        .pass = {.mush = mush,
                 .palette = skin->model_from_bind,
                 .rotations = job->rotations,
                 .positions = (const uint8_t *)skin->positions,
                 .normals = (const uint8_t *)skin->normals,
                 .tangents = (const uint8_t *)skin->tangents,
                 .out_positions = (uint8_t *)skin->out_positions,
                 .position_stride = lmbi_stride_or(skin->position_stride, sizeof(lmb_vec3)),
                 .normal_stride = lmbi_stride_or(skin->normal_stride, sizeof(lmb_vec3)),
                 .tangent_stride = lmbi_stride_or(skin->tangent_stride, sizeof(lmb_vec4))},
        .kernels = mush->variant == LMB_MUSH_V2 ? lmbi_mush_turn_pick(skin->simd)
                                                : lmbi_mush_pick(skin->simd),
    };
    if (skin->normals != NULL || mush->normals != NULL) {
        call.pass.out_normals = (uint8_t *)skin->out_normals;
    }
    if (skin->tangents != NULL || mush->tangents != NULL) {
        call.pass.out_tangents = (uint8_t *)skin->out_tangents;
    }
    lmb_parallel_for(skin->jobs, mush->chunk_count, 1, skin_chunks, &call);
}

void lmb_skin_mush(const lmb_skin_mush_job *job)
{
    if (job->mush->binding != NULL) {
        skin_bound(job);
    } else {
        skin_blocks(job);
    }
}
