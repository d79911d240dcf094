#include "skin/binding.h"

/// The blended matrix of one row. Columns are 4 floats wide, so compilers keep each in one register.
static inline lmb_mat4 blend(const lmb_mat4 *palette, const uint16_t *joints, const float *weights,
                             uint32_t width)
{
    lmb_mat4 sum;
    const float *first = palette[joints[0]].m;
    for (int i = 0; i < 16; ++i) {
        sum.m[i] = weights[0] * first[i];
    }
    for (uint32_t k = 1; k < width; ++k) {
        const float *next = palette[joints[k]].m;
        for (int i = 0; i < 16; ++i) {
            sum.m[i] += weights[k] * next[i];
        }
    }
    return sum;
}

static inline void write_directions(const lmb_skin_job *job, const lmb_mat4 *matrix, size_t v)
{
    const lmbi_normal_matrix cofactors = lmbi_normal_matrix_of(matrix);
    lmb_vec3 normal = {0, 0, 0};
    if (job->normals != NULL) {
        normal = lmbi_normal(&cofactors, job->normals[v]);
    }
    if (job->tangents != NULL && job->out_tangents != NULL) {
        job->out_tangents[v] = lmbi_tangent(matrix, cofactors.sign, normal, job->tangents[v]);
    }
    if (job->normals != NULL && job->out_normals != NULL) {
        job->out_normals[v] = normal;
    }
}

static bool has_directions(const lmb_skin_job *job)
{
    return (job->normals != NULL && job->out_normals != NULL) ||
           (job->tangents != NULL && job->out_tangents != NULL);
}

/// The vertices [begin, end) of one block. Inlined with a constant width for the usual ones.
static inline void skin_rows(const lmb_skin_job *job, size_t begin, size_t end,
                             const lmbi_skin_block *block, uint32_t width, bool directions)
{
    const uint16_t *joints = job->binding->joints + block->first;
    const float *weights = job->binding->weights + block->first;
    for (size_t v = begin; v < end; ++v, joints += width, weights += width) {
        const lmb_mat4 matrix = blend(job->model_from_bind, joints, weights, width);
        if (directions) {
            write_directions(job, &matrix, v);
        }
        if (job->positions != NULL && job->out_positions != NULL) {
            job->out_positions[v] = lmbi_point(&matrix, job->positions[v]);
        }
    }
}

static void skin_block(const lmb_skin_job *job, size_t begin, size_t end, bool directions)
{
    const lmbi_skin_block *block = &job->binding->blocks[begin / LMBI_SKIN_BLOCK];
    switch (block->width) {
    case 1:
        skin_rows(job, begin, end, block, 1, directions);
        break;
    case 2:
        skin_rows(job, begin, end, block, 2, directions);
        break;
    case 3:
        skin_rows(job, begin, end, block, 3, directions);
        break;
    case 4:
        skin_rows(job, begin, end, block, 4, directions);
        break;
    default:
        skin_rows(job, begin, end, block, block->width, directions);
        break;
    }
}

static void linear_piece(void *context, size_t begin, size_t end)
{
    const lmb_skin_job *job = context;
    const bool directions = has_directions(job);
    for (size_t v = begin; v < end; v += LMBI_SKIN_BLOCK) {
        const size_t stop = end - v < LMBI_SKIN_BLOCK ? end : v + LMBI_SKIN_BLOCK;
        skin_block(job, v, stop, directions);
    }
}

static void rigid_piece(void *context, size_t begin, size_t end)
{
    const lmb_skin_job *job = context;
    const bool directions = has_directions(job);
    for (size_t v = begin; v < end; ++v) {
        const lmbi_skin_block *block = &job->binding->blocks[v / LMBI_SKIN_BLOCK];
        // Rows are sorted by falling weight: the first joint pulls most.
        const uint16_t joint =
            job->binding->joints[block->first + (v % LMBI_SKIN_BLOCK) * block->width];
        const lmb_mat4 *matrix = &job->model_from_bind[joint];
        if (directions) {
            write_directions(job, matrix, v);
        }
        if (job->positions != NULL && job->out_positions != NULL) {
            job->out_positions[v] = lmbi_point(matrix, job->positions[v]);
        }
    }
}

void lmb_skin_linear(const lmb_skin_job *job)
{
    lmb_skin_job copy = *job;
    lmb_parallel_for(job->jobs, job->binding->vertex_count, LMBI_SKIN_GRAIN, linear_piece, &copy);
}

void lmb_skin_rigid(const lmb_skin_job *job)
{
    lmb_skin_job copy = *job;
    lmb_parallel_for(job->jobs, job->binding->vertex_count, LMBI_SKIN_GRAIN, rigid_piece, &copy);
}
