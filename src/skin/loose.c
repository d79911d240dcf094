#include "skin/loose.h"

/// A column of a matrix. Its lanes never meet, so the bits are those of floats one by one.
typedef float column __attribute__((vector_size(16)));

static inline column load(const float *from)
{
    column c;
    memcpy(&c, from, sizeof(c));
    return c;
}

static inline const float *matrix(const lmbi_linear_pass *pass, uint16_t joint, float *tidy)
{
    const float *m = pass->palette[joint].m;
    if (pass->has_tiny) {
        lmbi_drop_tiny(m, tidy);
        return tidy;
    }
    return m;
}

/// Inlined with a constant width for the usual ones.
static inline lmb_mat4 blend(const lmbi_linear_pass *pass, const uint16_t *joints,
                             const float *weights, uint32_t width)
{
    column sum[4] = {{0}, {0}, {0}, {0}};
    float tidy[16];
    for (uint32_t k = 0; k < width; ++k) {
        const float *m = matrix(pass, joints[k], tidy);
        for (int c = 0; c < 4; ++c) {
            sum[c] += load(m + 4 * c) * weights[k];
        }
    }
    lmb_mat4 out;
    memcpy(out.m, sum, sizeof(out.m));
    return out;
}

static inline void put_directions(const lmbi_linear_pass *pass, const lmb_mat4 *m, uint32_t i,
                                  size_t v)
{
    const lmb_binding *b = pass->binding;
    const lmbi_normal_matrix cofactors = lmbi_normal_matrix_of(m);
    lmb_vec3 normal = {0, 0, 0};
    if (pass->normals != NULL || b->loose_normals != NULL) {
        normal = lmbi_normal(&cofactors, lmbi_loose_vec3(pass->normals, b->loose_normals, i, v));
    }
    if (pass->out_tangents != NULL) {
        const lmb_vec4 out =
            lmbi_tangent(m, cofactors.sign, normal, lmbi_loose_tangent(pass, i, v));
        memcpy(pass->out_tangents + v * pass->tangent_stride, &out, sizeof(out));
    }
    if (pass->out_normals != NULL) {
        memcpy(pass->out_normals + v * pass->normal_stride, &normal, sizeof(normal));
    }
}

static inline void put(const lmbi_linear_pass *pass, const lmb_mat4 *m, uint32_t i)
{
    const lmb_binding *b = pass->binding;
    const size_t v = b->loose_index[i];
    if (pass->out_normals != NULL || pass->out_tangents != NULL) {
        put_directions(pass, m, i, v);
    }
    if (pass->out_positions != NULL) {
        const lmb_vec3 out =
            lmbi_point(m, lmbi_loose_vec3(pass->positions, b->loose_positions, i, v));
        memcpy(pass->out_positions + v * pass->position_stride, &out, sizeof(out));
    }
}

static inline void run_width(const lmbi_linear_pass *pass, const lmbi_loose_run *run,
                             uint32_t width)
{
    const uint16_t *joints = pass->binding->loose_joints + run->influence_first;
    const float *weights = pass->binding->loose_weights + run->influence_first;
    for (uint32_t i = 0; i < run->count; ++i, joints += width, weights += width) {
        const lmb_mat4 m = blend(pass, joints, weights, width);
        put(pass, &m, run->first + i);
    }
}

static void run_rigid(const lmbi_linear_pass *pass, const lmbi_loose_run *run)
{
    for (uint32_t i = run->first; i < run->first + run->count; ++i) {
        lmb_mat4 m;
        memcpy(m.m, matrix(pass, pass->binding->loose_strongest[i], m.m), sizeof(m.m));
        put(pass, &m, i);
    }
}

void lmbi_linear_loose(const lmbi_linear_pass *pass, const lmbi_loose_run *run)
{
    if (pass->rigid) {
        run_rigid(pass, run);
        return;
    }
    switch (run->width) {
    case 1:
        run_width(pass, run, 1);
        break;
    case 2:
        run_width(pass, run, 2);
        break;
    case 3:
        run_width(pass, run, 3);
        break;
    case 4:
        run_width(pass, run, 4);
        break;
    default:
        run_width(pass, run, run->width);
        break;
    }
}
