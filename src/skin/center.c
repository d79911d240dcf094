/// Skinning about centres of rotation (Le and Hodgins 2016, section 3).
#include "skin/each.h"

/// Sums over the row of one vertex.
typedef struct blended {
    lmb_mat4 matrix;
    lmb_quat rotation; ///< unit
} blended;

static void add_scaled(blended *sum, const lmb_mat4 *matrix, lmb_quat q, float weight, float turn)
{
    for (int i = 0; i < 16; ++i) {
        sum->matrix.m[i] += matrix->m[i] * weight;
    }
    sum->rotation.x += q.x * turn;
    sum->rotation.y += q.y * turn;
    sum->rotation.z += q.z * turn;
    sum->rotation.w += q.w * turn;
}

/// q and -q are one rotation: each goes to the hemisphere of the one that pulls most.
static blended blend(const lmb_skin_center_job *job, const lmbi_each_row *row)
{
    const lmb_quat pivot = job->rotations[row->strongest];
    blended sum = {0};
    for (uint32_t k = 0; k < row->width; ++k) {
        const uint16_t joint = row->joints[k];
        const lmb_quat q = job->rotations[joint];
        const float weight = lmbi_each_weight(row, k);
        add_scaled(&sum, &job->skin.model_from_bind[joint], q, weight,
                   lmb_quat_dot(q, pivot) < 0 ? -weight : weight);
    }
    sum.rotation = lmb_quat_normalize(sum.rotation);
    return sum;
}

static void turn_directions(const lmb_skin_job *skin, lmb_quat q, size_t v)
{
    if (skin->normals != NULL && skin->out_normals != NULL) {
        skin->out_normals[v] = lmbi_unit(lmb_quat_rotate(q, skin->normals[v]));
    }
    if (skin->tangents != NULL && skin->out_tangents != NULL) {
        const lmb_vec4 t = skin->tangents[v];
        const lmb_vec3 turned = lmbi_unit(lmb_quat_rotate(q, lmb_vec3_make(t.x, t.y, t.z)));
        skin->out_tangents[v] = (lmb_vec4){turned.x, turned.y, turned.z, t.w};
    }
}

static void center_vertex(void *context, size_t v, const lmbi_each_row *row)
{
    const lmb_skin_center_job *job = context;
    const lmb_skin_job *skin = &job->skin;
    const blended sum = blend(job, row);
    if (skin->positions != NULL && skin->out_positions != NULL) {
        const lmb_vec3 center = job->centers[v];
        const lmb_vec3 arm = lmb_vec3_sub(skin->positions[v], center);
        skin->out_positions[v] =
            lmb_vec3_add(lmb_quat_rotate(sum.rotation, arm), lmbi_point(&sum.matrix, center));
    }
    turn_directions(skin, sum.rotation, v);
}

static void center_piece(void *context, size_t begin, size_t end)
{
    const lmb_skin_center_job *job = context;
    for (size_t chunk = begin; chunk < end; ++chunk) {
        lmbi_binding_each(job->skin.binding, chunk, center_vertex, context);
    }
}

void lmb_skin_center(const lmb_skin_center_job *job)
{
    lmb_skin_center_job copy = *job;
    lmb_parallel_for(job->skin.jobs, job->skin.binding->chunk_count, 1, center_piece, &copy);
}
