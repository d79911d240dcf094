#include <string.h>

#include "skin/binding.h"

/// out = base + sum of weights * deltas, for the vertices [begin, end). Targets are added in their order.
static void add_deltas(const lmb_morph_job *job, lmb_vec3 *out, size_t begin, size_t end,
                       size_t which)
{
    for (uint32_t t = 0; t < job->mesh->target_count; ++t) {
        const lmb_morph_target *target = &job->mesh->targets[t];
        const lmb_vec3 *const deltas[] = {target->positions, target->normals, target->tangents};
        const float weight = job->weights[t];
        if (deltas[which] == NULL || !(weight < 0 || weight > 0)) {
            continue;
        }
        for (size_t v = begin; v < end; ++v) {
            out[v] = lmb_vec3_mad(out[v], deltas[which][v], weight);
        }
    }
}

static void morph_tangents(const lmb_morph_job *job, size_t begin, size_t end)
{
    enum { CHUNK = 64 };
    lmb_vec3 sums[CHUNK];
    for (size_t at = begin; at < end; at += CHUNK) {
        const size_t stop = end - at < CHUNK ? end : at + CHUNK;
        for (size_t v = at; v < stop; ++v) {
            const lmb_vec4 t = job->mesh->tangents[v];
            sums[v - at] = lmb_vec3_make(t.x, t.y, t.z);
        }
        for (uint32_t k = 0; k < job->mesh->target_count; ++k) {
            const lmb_vec3 *deltas = job->mesh->targets[k].tangents;
            for (size_t v = at; deltas != NULL && v < stop; ++v) {
                sums[v - at] = lmb_vec3_mad(sums[v - at], deltas[v], job->weights[k]);
            }
        }
        for (size_t v = at; v < stop; ++v) {
            const lmb_vec3 t = lmbi_unit(sums[v - at]);
            job->out_tangents[v] = (lmb_vec4){t.x, t.y, t.z, job->mesh->tangents[v].w};
        }
    }
}

static void morph_piece(void *context, size_t begin, size_t end)
{
    const lmb_morph_job *job = context;
    const lmb_mesh *mesh = job->mesh;
    memmove(job->out_positions + begin, mesh->positions + begin, (end - begin) * sizeof(lmb_vec3));
    add_deltas(job, job->out_positions, begin, end, 0);
    if (job->out_normals != NULL && mesh->normals != NULL) {
        memmove(job->out_normals + begin, mesh->normals + begin, (end - begin) * sizeof(lmb_vec3));
        add_deltas(job, job->out_normals, begin, end, 1);
        for (size_t v = begin; v < end; ++v) {
            job->out_normals[v] = lmbi_unit(job->out_normals[v]);
        }
    }
    if (job->out_tangents != NULL && mesh->tangents != NULL) {
        morph_tangents(job, begin, end);
    }
}

void lmb_morph(const lmb_morph_job *job)
{
    lmb_morph_job copy = *job;
    if (copy.weights == NULL) {
        copy.weights = job->mesh->target_weights;
    }
    lmb_mesh still;
    if (copy.weights == NULL) {
        still = *job->mesh;
        still.target_count = 0;
        copy.mesh = &still;
    }
    lmb_parallel_for(job->jobs, job->mesh->vertex_count, LMBI_SKIN_GRAIN, morph_piece, &copy);
}
