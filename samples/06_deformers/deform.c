#include "deform.h"

#include <stdlib.h>

static const lmb_mush_variant variants[METHODS] = {
    [MUSH] = LMB_MUSH_V0, [MUSH_2] = LMB_MUSH_V2, [MUSH_4] = LMB_MUSH_V4, [MUSH_5] = LMB_MUSH_V5};

lmb_result deformers_prepare(deformers *d, const lmb_mesh *mesh, lmb_error *error)
{
    d->mesh = mesh;
    lmb_result result = lmb_binding_create(mesh, 2, NULL, &d->binding, error);
    if (result == LMB_OK) {
        result = lmb_centers_create(mesh, NULL, NULL, NULL, &d->centers, error);
    }
    for (int m = MUSH; m <= MUSH_5 && result == LMB_OK; ++m) {
        const lmb_mush_opts opts = {.variant = variants[m]};
        result = lmb_mush_create(mesh, &opts, NULL, NULL, &d->mush[m], error);
    }
    if (result == LMB_OK) {
        result = lmb_delta_mush_create(mesh, NULL, NULL, &d->delta, error);
    }
    // The bones are the tube's axis here; lmb_skin_pivots finds them on a character's.
    for (uint32_t v = 0; v < VERTICES; ++v) {
        d->pivots[v] = lmb_vec3_make(0, mesh->positions[v].y, 0);
    }
    d->scratch = d->delta != NULL ? malloc(lmb_delta_mush_scratch_size(d->delta)) : NULL;
    return result == LMB_OK && d->scratch == NULL ? LMB_ERROR_MEMORY : result;
}

void deformers_free(deformers *d)
{
    for (int m = 0; m < METHODS; ++m) {
        lmb_mush_destroy(d->mush[m]);
    }
    lmb_delta_mush_destroy(d->delta);
    lmb_centers_destroy(d->centers);
    lmb_binding_destroy(d->binding);
    free(d->scratch);
    free(d);
}

static void deform_by(const deformers *d, int method, const lmb_skin_job *job,
                      const lmb_quat rotations[2])
{
    switch (method) {
    case RIGID:
        lmb_skin_rigid(job);
        break;
    case DUAL:
        lmb_skin_dual(&(lmb_skin_dual_job){.skin = *job, .rotations = rotations});
        break;
    case FIXED:
        lmb_skin_dual(&(lmb_skin_dual_job){
            .skin = *job, .rotations = rotations, .pivots = d->pivots, .bulge_fix = 1});
        break;
    case CENTERS:
        lmb_skin_center(&(lmb_skin_center_job){
            .skin = *job, .rotations = rotations, .centers = d->centers->positions});
        break;
    case LINEAR:
    case DELTA:
        lmb_skin_linear(job);
        break;
    default:
        lmb_skin_mush(
            &(lmb_skin_mush_job){.skin = *job, .mush = d->mush[method], .rotations = rotations});
        break;
    }
    if (method == DELTA) {
        lmb_skin_delta_mush(&(lmb_skin_delta_job){.mush = d->delta,
                                                  .positions = job->out_positions,
                                                  .out_normals = job->out_normals,
                                                  .scratch = d->scratch});
    }
}

void deform(const deformers *d, int method, const lmb_mat4 palette[2], tube *out)
{
    lmb_mat4 rigid[2], stretch[2]; // a palette that stretches would be blended linearly first
    lmb_quat rotations[2];
    lmb_skin_split(&(lmb_skin_split_job){.joint_count = 2,
                                         .model_from_bind = palette,
                                         .rigid = rigid,
                                         .rotations = rotations,
                                         .stretch = stretch});
    const lmb_skin_job job = {.binding = d->binding,
                              .model_from_bind = rigid,
                              .positions = d->mesh->positions,
                              .normals = d->mesh->normals,
                              .out_positions = out->positions,
                              .out_normals = out->normals};
    deform_by(d, method, &job, rotations);
}
