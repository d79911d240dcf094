#include <string.h>

#include "skin/binding.h"

/// A column of a matrix. Lanes never meet, so the bits are those of four floats one by one.
typedef float column __attribute__((vector_size(16)));

typedef struct columns {
    column x, y, z, w;
} columns;

static inline column load(const float *from)
{
    column c;
    memcpy(&c, from, sizeof(c));
    return c;
}

/// The blended matrix of one row.
static inline columns blend(const lmb_mat4 *palette, const uint16_t *joints, const float *weights,
                            uint32_t width)
{
    const float *m = palette[joints[0]].m;
    columns sum = {load(m) * weights[0], load(m + 4) * weights[0], load(m + 8) * weights[0],
                   load(m + 12) * weights[0]};
    for (uint32_t k = 1; k < width; ++k) {
        m = palette[joints[k]].m;
        sum.x += load(m) * weights[k];
        sum.y += load(m + 4) * weights[k];
        sum.z += load(m + 8) * weights[k];
        sum.w += load(m + 12) * weights[k];
    }
    return sum;
}

static inline lmb_vec3 point(const columns *m, lmb_vec3 p)
{
    const column moved = m->x * p.x + m->y * p.y + m->z * p.z + m->w;
    return lmb_vec3_make(moved[0], moved[1], moved[2]);
}

static inline column cross(column a, column b)
{
    return __builtin_shufflevector(a, a, 1, 2, 0, 3) * __builtin_shufflevector(b, b, 2, 0, 1, 3) -
           __builtin_shufflevector(a, a, 2, 0, 1, 3) * __builtin_shufflevector(b, b, 1, 2, 0, 3);
}

static inline lmb_vec3 unit_of(column v)
{
    return lmbi_unit(lmb_vec3_make(v[0], v[1], v[2]));
}

/// As lmbi_normal_matrix_of, lmbi_normal and lmbi_tangent do it.
static inline void blend_directions(const lmb_skin_job *job, const columns *m, size_t v)
{
    const column x = cross(m->y, m->z), y = cross(m->z, m->x), z = cross(m->x, m->y);
    const column products = m->x * x;
    const float sign = products[0] + products[1] + products[2] < 0 ? -1.0f : 1.0f;
    lmb_vec3 normal = {0, 0, 0};
    if (job->normals != NULL) {
        const lmb_vec3 n = job->normals[v];
        normal = unit_of((x * n.x + y * n.y + z * n.z) * sign);
    }
    if (job->tangents != NULL && job->out_tangents != NULL) {
        const lmb_vec4 t = job->tangents[v];
        const column moved = m->x * t.x + m->y * t.y + m->z * t.z;
        const column n = {normal.x, normal.y, normal.z, 0};
        const column along = moved * n;
        const lmb_vec3 flat = unit_of(moved + n * -(along[0] + along[1] + along[2]));
        job->out_tangents[v] = (lmb_vec4){flat.x, flat.y, flat.z, t.w * sign};
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
    const bool positions = job->positions != NULL && job->out_positions != NULL;
    for (size_t v = begin; v < end; ++v, joints += width, weights += width) {
        const columns sum = blend(job->model_from_bind, joints, weights, width);
        if (directions) {
            blend_directions(job, &sum, v);
        }
        if (positions) {
            job->out_positions[v] = point(&sum, job->positions[v]);
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
