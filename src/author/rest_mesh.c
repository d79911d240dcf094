#include "author/rest.h"

/// A rigid motion: rotation, then translation.
typedef struct motion {
    lmb_quat rotation;
    lmb_vec3 shift;
} motion;

static lmb_quat scaled(lmb_quat q, float s)
{
    return lmb_quat_make(q.x * s, q.y * s, q.z * s, q.w * s);
}

static lmb_quat added(lmb_quat a, lmb_quat b)
{
    return lmb_quat_make(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

/// Kavan et al. 2008, algorithm 1: the blended dual quaternion, normalised.
static motion blend(const motion *joints, const lmb_quat *duals, const lmb_influence *row,
                    uint32_t count)
{
    lmb_quat real = lmb_quat_make(0, 0, 0, 0), dual = real;
    for (uint32_t k = 0; k < count; ++k) {
        const uint32_t j = row[k].joint;
        const float sign =
            lmb_quat_dot(joints[row[0].joint].rotation, joints[j].rotation) < 0 ? -1 : 1;
        real = added(real, scaled(joints[j].rotation, sign * row[k].weight));
        dual = added(dual, scaled(duals[j], sign * row[k].weight));
    }
    const float length = lmb_sqrt(lmb_quat_dot(real, real));
    if (!(length > 1e-6f)) {
        return (motion){lmb_quat_identity(), {0, 0, 0}};
    }
    real = scaled(real, 1 / length);
    const lmb_quat t = lmb_quat_mul(scaled(dual, 2 / length), lmb_quat_conjugate(real));
    return (motion){real, lmb_vec3_make(t.x, t.y, t.z)};
}

/// Matrices of directions from mesh to model and back; node scales may be non-uniform.
typedef struct frames {
    lmb_mat4 model_from_mesh, mesh_from_model;
} frames;

static lmb_vec3 rotate_vector(const frames *f, lmb_quat rotation, lmb_vec3 v)
{
    return lmb_mat4_vector(f->mesh_from_model,
                           lmb_quat_rotate(rotation, lmb_mat4_vector(f->model_from_mesh, v)));
}

/// v * a: transforms a normal by the inverse of a.
static lmb_vec3 transposed(lmb_mat4 a, lmb_vec3 v)
{
    return lmb_vec3_make(a.m[0] * v.x + a.m[1] * v.y + a.m[2] * v.z,
                         a.m[4] * v.x + a.m[5] * v.y + a.m[6] * v.z,
                         a.m[8] * v.x + a.m[9] * v.y + a.m[10] * v.z);
}

static lmb_vec3 rotate_normal(const frames *f, lmb_quat rotation, lmb_vec3 n)
{
    const lmb_vec3 rotated = lmb_quat_rotate(rotation, transposed(f->mesh_from_model, n));
    return transposed(f->model_from_mesh, rotated);
}

static void rotate_vertex(const frames *f, motion m, uint32_t v, lmb_mesh *mesh)
{
    const lmb_vec3 p = lmb_mat4_point(f->model_from_mesh, mesh->positions[v]);
    const lmb_vec3 moved = lmb_vec3_add(lmb_quat_rotate(m.rotation, p), m.shift);
    mesh->positions[v] = lmb_mat4_point(f->mesh_from_model, moved);
    if (mesh->normals) {
        mesh->normals[v] =
            lmb_vec3_normalize_or(rotate_normal(f, m.rotation, mesh->normals[v]), mesh->normals[v]);
    }
    if (mesh->tangents) {
        const lmb_vec4 t = mesh->tangents[v];
        const lmb_vec3 old = lmb_vec3_make(t.x, t.y, t.z);
        const lmb_vec3 made = lmb_vec3_normalize_or(rotate_vector(f, m.rotation, old), old);
        mesh->tangents[v] = (lmb_vec4){made.x, made.y, made.z, t.w};
    }
    for (uint32_t t = 0; t < mesh->target_count; ++t) {
        const lmb_morph_target *target = &mesh->targets[t];
        lmb_vec3 *arrays[3] = {target->positions, target->normals, target->tangents};
        for (int k = 0; k < 3; ++k) {
            if (arrays[k]) {
                arrays[k][v] = k == 1 ? rotate_normal(f, m.rotation, arrays[k][v])
                                      : rotate_vector(f, m.rotation, arrays[k][v]);
            }
        }
    }
}

void lmbi_rest_mesh(const lmbi_rest *rest, const lmb_embedding *before, lmb_mat4 model_from_mesh,
                    lmb_mesh *mesh)
{
    frames f = {.model_from_mesh = model_from_mesh};
    if (!lmb_mat4_inverse_affine(model_from_mesh, &f.mesh_from_model)) {
        return; // singular: the mesh is flat and not visible
    }
    motion joints[LMB_EMBEDDING_JOINTS];
    lmb_quat duals[LMB_EMBEDDING_JOINTS];
    for (uint32_t j = 0; j < before->joint_count; ++j) {
        const lmb_quat q = rest->rotation[j];
        const lmb_vec3 s = lmb_vec3_sub(rest->position[j], lmb_quat_rotate(q, before->joints[j]));
        joints[j] = (motion){q, s};
        duals[j] = scaled(lmb_quat_mul(lmb_quat_make(s.x, s.y, s.z, 0), q), 0.5f);
    }
    const lmb_influences *rows = &mesh->influences;
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        const uint32_t first = rows->first[v], count = rows->first[v + 1] - first;
        if (count > 0) {
            rotate_vertex(&f, blend(joints, duals, rows->items + first, count), v, mesh);
        }
    }
}

uint32_t lmbi_rest_stretched(const lmb_vec3 *before, lmb_mat4 model_from_mesh, const lmb_mesh *mesh,
                             float least)
{
    uint32_t count = 0;
    for (uint32_t p = 0; p < mesh->primitive_count; ++p) {
        const lmb_primitive *primitive = &mesh->primitives[p];
        const uint32_t corners =
            primitive->topology == LMB_TRIANGLES ? primitive->index_count / 3 * 3 : 0;
        for (uint32_t c = 0; c < corners; c += 3) {
            const uint32_t *corner = mesh->indices + primitive->first_index + c;
            bool stretched = false;
            for (uint32_t k = 0; k < 3; ++k) {
                const uint32_t a = corner[k], b = corner[(k + 1) % 3];
                const float was = lmb_vec3_distance(before[a], before[b]);
                const float is = lmb_vec3_length(lmb_mat4_vector(
                    model_from_mesh, lmb_vec3_sub(mesh->positions[a], mesh->positions[b])));
                stretched = stretched || (is > 3 * was && is > was + least);
            }
            count += stretched;
        }
    }
    return count;
}
