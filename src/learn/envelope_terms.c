/// What an envelope's coefficients are multiplied with.
#include <string.h>

#include "base/error.h"
#include "learn/envelope.h"

// ---- affine transforms, three rows of four

static void from_matrix(lmb_mat4 m, double out[12])
{
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 4; ++c) {
            out[4 * r + c] = (double)m.m[4 * c + r];
        }
    }
}

static void multiply(const double a[12], const double b[12], double out[12])
{
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 4; ++c) {
            out[4 * r + c] = a[4 * r] * b[c] + a[4 * r + 1] * b[4 + c] + a[4 * r + 2] * b[8 + c] +
                             (c == 3 ? a[4 * r + 3] : 0);
        }
    }
}

static bool invert(const double a[12], double out[12])
{
    for (int r = 0; r < 3; ++r) {
        const int p = (r + 1) % 3, q = (r + 2) % 3;
        for (int c = 0; c < 3; ++c) {
            const int s = (c + 1) % 3, t = (c + 2) % 3;
            out[4 * c + r] = a[4 * p + s] * a[4 * q + t] - a[4 * p + t] * a[4 * q + s];
        }
    }
    const double determinant = a[0] * out[0] + a[1] * out[4] + a[2] * out[8];
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            out[4 * r + c] /= determinant;
        }
        out[4 * r + 3] = -(out[4 * r] * a[3] + out[4 * r + 1] * a[7] + out[4 * r + 2] * a[11]);
    }
    return determinant > 0 || determinant < 0;
}

static void transform(const double a[12], const double x[3], double out[3])
{
    for (int r = 0; r < 3; ++r) {
        out[r] = a[4 * r] * x[0] + a[4 * r + 1] * x[1] + a[4 * r + 2] * x[2] + a[4 * r + 3];
    }
}

// ---- the problem

static lmb_result find_transforms(lmbi_enveloping *e, lmb_error *error)
{
    const lmbi_bound *b = &e->g.bound;
    const uint32_t bones = b->bone_count, frames = b->frames->frame_count;
    bool fine = true;
    for (uint32_t j = 0; j < bones; ++j) {
        double joint_from_bind[12];
        from_matrix(b->joint_from_bind[j], joint_from_bind);
        fine = fine && invert(joint_from_bind, e->binds + 12 * (size_t)j);
    }
    for (uint32_t k = 0; k < frames; ++k) {
        for (uint32_t j = 0; j < bones; ++j) {
            const size_t at = 12 * ((size_t)k * bones + j);
            double model[12];
            from_matrix(b->frames->model_from_joint[k][b->joints[j]], model);
            from_matrix(lmbi_bound_motion(b, k, j), e->motions + at);
            fine = fine && invert(model, e->inverses + at);
        }
    }
    return fine ? LMB_OK
                : lmbi_fail(error, LMB_ERROR_INVALID, "joints whose transforms can be inverted",
                            "one that cannot be");
}

/// Adds a joint to a vertex' row unless it is there or the row is full.
static void add_bone(lmbi_enveloping *e, uint32_t vertex, uint32_t bone)
{
    uint32_t *row = e->bones + (size_t)vertex * LMB_ENVELOPE_INFLUENCES;
    for (uint32_t k = 0; k < e->counts[vertex]; ++k) {
        if (row[k] == bone) {
            return;
        }
    }
    if (e->counts[vertex] < LMB_ENVELOPE_INFLUENCES) {
        row[e->counts[vertex]++] = bone;
    }
}

/// The joints that a vertex follows, then those of its neighbours; linear weights sum to 1.
static void find_joints(lmbi_enveloping *e, uint32_t vertex)
{
    const lmbi_learn *p = &e->g.p;
    const uint32_t point = p->point_of[vertex];
    const size_t row = (size_t)point * p->influences;
    double *linear = e->linear + (size_t)vertex * LMB_ENVELOPE_INFLUENCES, sum = 0;
    for (uint32_t k = 0; k < p->influences && p->row_weights[row + k] > 0; ++k) {
        add_bone(e, vertex, p->row_bones[row + k]);
        if (k < LMB_ENVELOPE_INFLUENCES) {
            linear[k] = p->row_weights[row + k];
            sum += linear[k];
        }
    }
    for (uint32_t k = 0; k < LMB_ENVELOPE_INFLUENCES; ++k) {
        linear[k] /= sum;
    }
    for (uint32_t n = p->neighbour_first[point]; n < p->neighbour_first[point + 1]; ++n) {
        const size_t other = (size_t)p->neighbours[n] * p->influences;
        for (uint32_t k = 0; k < p->influences && p->row_weights[other + k] > 0; ++k) {
            add_bone(e, vertex, p->row_bones[other + k]);
        }
    }
}

lmb_result lmbi_envelope_prepare(lmbi_enveloping *e, lmb_error *error)
{
    const lmbi_bound *b = &e->g.bound;
    lmbi_arena *arena = &e->g.bound.arena;
    const size_t n = b->vertex_count, bones = b->bone_count, frames = b->frames->frame_count;
    e->motions = lmbi_arena_array(arena, frames * bones, 12 * sizeof(double));
    e->inverses = lmbi_arena_array(arena, frames * bones, 12 * sizeof(double));
    e->binds = lmbi_arena_array(arena, bones, 12 * sizeof(double));
    e->bones = lmbi_arena_array(arena, n, LMB_ENVELOPE_INFLUENCES * sizeof *e->bones);
    e->counts = lmbi_arena_array(arena, n, sizeof *e->counts);
    e->linear = lmbi_arena_array(arena, n, LMB_ENVELOPE_INFLUENCES * sizeof *e->linear);
    e->left_out = lmbi_arena_array(arena, n, LMBI_RIDGES * sizeof *e->left_out);
    e->coefficients = lmbi_arena_array(arena, n, 3 * LMBI_ENVELOPE_TERMS * sizeof(float));
    if (!e->motions || !e->inverses || !e->binds || !e->bones || !e->counts || !e->linear ||
        !e->left_out || !e->coefficients) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t v = 0; v < n; ++v) {
        find_joints(e, v);
    }
    return find_transforms(e, error);
}

void lmbi_envelope_terms(const lmbi_enveloping *e, uint32_t vertex, uint32_t frame,
                         double terms[3][LMBI_ENVELOPE_TERMS], double goal[3])
{
    const lmbi_bound *b = &e->g.bound;
    const uint32_t *row = e->bones + (size_t)vertex * LMB_ENVELOPE_INFLUENCES;
    const double *back = e->inverses + 12 * ((size_t)frame * b->bone_count + row[0]);
    const double *bind_from_joint = e->binds + 12 * (size_t)row[0];
    const lmb_vec3 u = b->rest[vertex], v = b->frames->frames[frame][b->frame_vertex[vertex]];
    const double at[3] = {(double)u.x, (double)u.y, (double)u.z};
    const double shown[3] = {(double)v.x, (double)v.y, (double)v.z};
    double joint_from_bind[12], x[4] = {0, 0, 0, 1};
    from_matrix(b->joint_from_bind[row[0]], joint_from_bind);
    transform(joint_from_bind, at, x);
    transform(back, shown, goal);
    memset(terms, 0, 3 * sizeof *terms);
    for (uint32_t k = 0; k < e->counts[vertex]; ++k) {
        double from_bind[12], relative[12];
        multiply(back, e->motions + 12 * ((size_t)frame * b->bone_count + row[k]), from_bind);
        multiply(from_bind, bind_from_joint, relative);
        for (uint32_t r = 0; r < 3; ++r) {
            for (uint32_t c = 0; c < 4; ++c) {
                terms[r][4 * k + c] = relative[4 * r + c] * x[c];
            }
        }
    }
}
