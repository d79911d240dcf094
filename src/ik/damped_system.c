/// J J^T without forming J: a ball joint at p above an end at e, r = e - p, adds |r|^2 I - r r^T
/// for its three axes, and its step is r x y.
#include "ik/damped_system.h"

#include <string.h>

size_t lmbi_damped_work(uint32_t link_count, uint32_t end_count)
{
    const size_t rows = 6 * (size_t)end_count;
    return link_count * (sizeof(lmbi_damped_freedom) + sizeof(lmb_vec3)) +
           2 * end_count * (sizeof(lmbi_damped_rows) + sizeof(lmb_vec3)) +
           (rows * rows + 3 * rows) * sizeof(double) + 128;
}

static void *allocate(uint8_t **at, size_t bytes)
{
    void *block = *at;
    *at += (bytes + 15) & ~(size_t)15;
    return block;
}

lmbi_damped lmbi_damped_set_up(lmbi_ik_chain *chain)
{
    lmbi_damped d = {.chain = chain};
    uint8_t *at = chain->work;
    const size_t rows = 6 * (size_t)chain->end_count;
    d.matrix = allocate(&at, rows * rows * sizeof(double));
    d.error = allocate(&at, rows * sizeof(double));
    d.solution = allocate(&at, rows * sizeof(double));
    d.pivots = allocate(&at, rows * sizeof(double));
    d.freedoms = allocate(&at, chain->link_count * sizeof(lmbi_damped_freedom));
    d.pull = allocate(&at, chain->link_count * sizeof(lmb_vec3));
    d.blocks = allocate(&at, 2 * chain->end_count * sizeof(lmbi_damped_rows));
    d.arms = allocate(&at, 2 * chain->end_count * sizeof(lmb_vec3));
    for (uint32_t e = 0; e < chain->end_count; ++e) {
        if (chain->ends[e].weight > 0.0f) {
            d.blocks[d.block_count++] = (lmbi_damped_rows){e, false, chain->ends[e].weight};
        }
        if (chain->ends[e].turn_weight > 0.0f) {
            d.blocks[d.block_count++] = (lmbi_damped_rows){e, true, chain->ends[e].turn_weight};
        }
    }
    d.rows = 3 * d.block_count;
    return d;
}

// --------------------------------------------------------------------------------------- assembly

static double *cell(const lmbi_damped *d, uint32_t row_block, uint32_t column_block)
{
    return d->matrix + (size_t)3 * row_block * d->rows + 3 * column_block;
}

static void add_outer(const lmbi_damped *d, uint32_t b, uint32_t c, lmb_vec3 u, lmb_vec3 v)
{
    double *m = cell(d, b, c);
    const float x[3] = {u.x, u.y, u.z}, y[3] = {v.x, v.y, v.z};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            m[(size_t)i * d->rows + (size_t)j] += (double)(x[i] * y[j]);
        }
    }
}

/// The three rotations of a ball joint: [r_b]x [r_c]x^T between positions, I between orientations,
/// [r]x^T for the mixed blocks.
static void add_free(const lmbi_damped *d, uint32_t b, uint32_t c)
{
    const lmbi_damped_rows *p = &d->blocks[b], *q = &d->blocks[c];
    const float w = p->weight * q->weight;
    const lmb_vec3 r = d->arms[b], s = d->arms[c];
    double *m = cell(d, b, c);
    const size_t n = d->rows;
    if (p->is_rotation != q->is_rotation) {
        // Orientation rows by position columns: [s]x. Position rows by orientation columns: its
        // transpose, -[r]x.
        const lmb_vec3 v = lmb_vec3_scale(p->is_rotation ? s : lmb_vec3_neg(r), w);
        m[1] -= (double)v.z, m[2] += (double)v.y, m[n] += (double)v.z;
        m[n + 2] -= (double)v.x, m[2 * n] -= (double)v.y, m[2 * n + 1] += (double)v.x;
        return;
    }
    const double on = (double)(p->is_rotation ? w : w * lmb_vec3_dot(r, s));
    m[0] += on, m[n + 1] += on, m[2 * n + 2] += on;
    if (!p->is_rotation) {
        add_outer(d, b, c, lmb_vec3_scale(s, -w), r);
    }
}

/// Jacobian column of a rotation about `axis` in one block of rows.
static lmb_vec3 column_of(const lmbi_damped *d, uint32_t b, lmb_vec3 axis)
{
    return lmb_vec3_scale(d->blocks[b].is_rotation ? axis : lmb_vec3_cross(axis, d->arms[b]),
                          d->blocks[b].weight);
}

static void add_axis(const lmbi_damped *d, uint32_t b, uint32_t c, lmb_vec3 axis, float sign)
{
    add_outer(d, b, c, lmb_vec3_scale(column_of(d, b, axis), sign), column_of(d, c, axis));
}

/// Model-space axis `i` of the frame of a link's box.
static lmb_vec3 slide_axis(const lmbi_ik_chain *chain, uint32_t k, int i)
{
    const lmb_vec3 axis =
        lmb_vec3_make(i == 0 ? 1.0f : 0.0f, i == 1 ? 1.0f : 0.0f, i == 2 ? 1.0f : 0.0f);
    const lmb_quat frame = lmbi_parent_rotation(chain, chain->now, k);
    return lmbi_quat_rotate(frame, lmbi_quat_rotate(chain->links[k].rest.rotation, axis));
}

static void add_slides(const lmbi_damped *d, uint32_t k, uint32_t b, uint32_t c)
{
    for (int i = 0; i < 3; ++i) {
        if (d->freedoms[k].slides >> i & 1 && !d->blocks[b].is_rotation &&
            !d->blocks[c].is_rotation) {
            const lmb_vec3 axis = slide_axis(d->chain, k, i);
            add_outer(d, b, c, lmb_vec3_scale(axis, d->blocks[b].weight * d->blocks[c].weight),
                      axis);
        }
    }
}

static bool is_below(const lmbi_damped *d, uint32_t k, uint32_t b)
{
    return d->chain->links[k].ends >> d->blocks[b].end & 1;
}

static void set_arms(const lmbi_damped *d, uint32_t k)
{
    for (uint32_t b = 0; b < d->block_count; ++b) {
        d->arms[b] =
            lmb_vec3_sub(d->chain->errors[d->blocks[b].end].position, d->chain->now[k].position);
    }
}

static void add_link(const lmbi_damped *d, uint32_t k)
{
    const lmbi_damped_freedom *f = &d->freedoms[k];
    set_arms(d, k);
    for (uint32_t b = 0; b < d->block_count; ++b) {
        for (uint32_t c = 0; c <= b && is_below(d, k, b); ++c) {
            if (!is_below(d, k, c)) {
                continue;
            }
            if (f->kind == LMBI_FREEDOM_ALL || f->kind == LMBI_FREEDOM_ACROSS_AXIS) {
                add_free(d, b, c);
            }
            if (f->kind == LMBI_FREEDOM_ACROSS_AXIS || f->kind == LMBI_FREEDOM_ABOUT_AXIS) {
                add_axis(d, b, c, f->axis, f->kind == LMBI_FREEDOM_ABOUT_AXIS ? 1.0f : -1.0f);
            }
            if (f->slides) {
                add_slides(d, k, b, c);
            }
        }
    }
}

/// One position goal without sliding joints: six sums in registers.
static void assemble_single(lmbi_damped *d)
{
    const lmbi_ik_chain *chain = d->chain;
    const float w = d->blocks[0].weight * d->blocks[0].weight;
    float xx = 0, yx = 0, yy = 0, zx = 0, zy = 0, zz = 0;
    for (uint32_t k = 0; k < chain->link_count; ++k) {
        const lmbi_damped_freedom *f = &d->freedoms[k];
        const lmb_vec3 r = lmb_vec3_sub(chain->errors[0].position, chain->now[k].position);
        if (f->kind == LMBI_FREEDOM_ALL || f->kind == LMBI_FREEDOM_ACROSS_AXIS) {
            xx += r.y * r.y + r.z * r.z, yy += r.x * r.x + r.z * r.z, zz += r.x * r.x + r.y * r.y;
            yx -= r.y * r.x, zx -= r.z * r.x, zy -= r.z * r.y;
        }
        if (f->kind == LMBI_FREEDOM_ACROSS_AXIS || f->kind == LMBI_FREEDOM_ABOUT_AXIS) {
            const lmb_vec3 c = lmb_vec3_cross(f->axis, r);
            const lmb_vec3 s = f->kind == LMBI_FREEDOM_ABOUT_AXIS ? c : lmb_vec3_neg(c);
            xx += s.x * c.x, yx += s.y * c.x, yy += s.y * c.y, zx += s.z * c.x, zy += s.z * c.y,
                zz += s.z * c.z;
        }
    }
    const float sums[9] = {xx, 0, 0, yx, yy, 0, zx, zy, zz};
    for (int i = 0; i < 9; ++i) {
        d->matrix[i] = (double)(w * sums[i]);
    }
}

void lmbi_damped_assemble(lmbi_damped *d)
{
    if (d->block_count == 1 && !d->blocks[0].is_rotation && !d->chain->slides) {
        assemble_single(d);
    } else {
        memset(d->matrix, 0, (size_t)d->rows * d->rows * sizeof(double));
        for (uint32_t k = 0; k < d->chain->link_count; ++k) {
            add_link(d, k);
        }
    }
    d->trace = 0;
    for (uint32_t i = 0; i < d->rows; ++i) {
        d->trace += d->matrix[(size_t)i * d->rows + i];
    }
}

// ------------------------------------------------------------------------------------------ solve

/// Cholesky solve of (A + damping I) solution = error. The lower triangle of A is kept and its
/// factor written to the upper one: a[j][i] is L[i][j] for i > j; `pivots` has the diagonal's
/// inverses. False when it is not positive definite.
bool lmbi_damped_solve(const lmbi_damped *d, double damping)
{
    const size_t n = d->rows;
    double *a = d->matrix, *x = d->solution;
    for (size_t j = 0; j < n; ++j) {
        double pivot = a[j * n + j] + damping, sum = d->error[j];
        for (size_t k = 0; k < j; ++k) {
            pivot -= a[k * n + j] * a[k * n + j];
            sum -= a[k * n + j] * x[k];
        }
        if (!(pivot > 0)) {
            return false;
        }
        d->pivots[j] = 1.0 / sqrt(pivot);
        x[j] = sum * d->pivots[j];
        for (size_t i = j + 1; i < n; ++i) {
            double v = a[i * n + j];
            for (size_t k = 0; k < j; ++k) {
                v -= a[k * n + j] * a[k * n + i];
            }
            a[j * n + i] = v * d->pivots[j];
        }
    }
    for (size_t j = n; j-- > 0;) {
        for (size_t i = j + 1; i < n; ++i) {
            x[j] -= a[j * n + i] * x[i];
        }
        x[j] *= d->pivots[j];
    }
    return true;
}

lmb_vec3 lmbi_damped_project(const lmbi_damped_freedom *f, lmb_vec3 v)
{
    const float along = lmb_vec3_dot(v, f->axis);
    switch (f->kind) {
    case LMBI_FREEDOM_ALL:
        return v;
    case LMBI_FREEDOM_ACROSS_AXIS:
        return lmb_vec3_mad(v, f->axis, -along);
    case LMBI_FREEDOM_ABOUT_AXIS:
        return lmb_vec3_scale(f->axis, along);
    default:
        return lmb_vec3_make(0, 0, 0);
    }
}

static lmb_vec3 project_sum(const lmbi_damped_freedom *f, const double v[3])
{
    const double along =
        v[0] * (double)f->axis.x + v[1] * (double)f->axis.y + v[2] * (double)f->axis.z;
    const double off = f->kind == LMBI_FREEDOM_ACROSS_AXIS ? along : 0;
    if (f->kind == LMBI_FREEDOM_ABOUT_AXIS || f->kind == LMBI_FREEDOM_NONE) {
        return lmb_vec3_scale(f->axis, f->kind == LMBI_FREEDOM_ABOUT_AXIS ? (float)along : 0.0f);
    }
    return lmb_vec3_make((float)(v[0] - off * (double)f->axis.x),
                         (float)(v[1] - off * (double)f->axis.y),
                         (float)(v[2] - off * (double)f->axis.z));
}

static void add_cross(double sum[3], lmb_vec3 a, const double *b, double weight)
{
    const double x = (double)a.x, y = (double)a.y, z = (double)a.z;
    sum[0] += weight * (y * b[2] - z * b[1]);
    sum[1] += weight * (z * b[0] - x * b[2]);
    sum[2] += weight * (x * b[1] - y * b[0]);
}

/// J^T y of one joint, in double: where limits reduce the rank of J, y has large parts in its null
/// space that have to cancel.
void lmbi_damped_gather(const lmbi_damped *d, uint32_t k)
{
    double rotation[3] = {0, 0, 0}, move[3] = {0, 0, 0};
    for (uint32_t b = 0; b < d->block_count; ++b) {
        const double *y = d->solution + 3 * (size_t)b, weight = (double)d->blocks[b].weight;
        if (!is_below(d, k, b)) {
            continue;
        }
        const bool is_rotation = d->blocks[b].is_rotation;
        for (int i = 0; i < 3; ++i) {
            rotation[i] += is_rotation ? weight * y[i] : 0;
            move[i] += is_rotation ? 0 : weight * y[i];
        }
        if (!is_rotation) {
            const lmb_vec3 position = d->chain->errors[d->blocks[b].end].position;
            add_cross(rotation, lmb_vec3_sub(position, d->chain->now[k].position), y, weight);
        }
    }
    d->chain->rotations[k] = project_sum(&d->freedoms[k], rotation);
    d->chain->moves[k] = lmb_vec3_make(0, 0, 0);
    for (int i = 0; d->freedoms[k].slides && i < 3; ++i) {
        if (d->freedoms[k].slides >> i & 1) {
            const lmb_vec3 axis = slide_axis(d->chain, k, i);
            const double along =
                (double)axis.x * move[0] + (double)axis.y * move[1] + (double)axis.z * move[2];
            d->chain->moves[k] = lmb_vec3_mad(d->chain->moves[k], axis, (float)along);
        }
    }
}

/// The weighted errors, less what the null-space step z adds to them: e - J z.
void lmbi_damped_set_error(const lmbi_damped *d, bool pulls)
{
    for (uint32_t b = 0; b < d->block_count; ++b) {
        const lmbi_damped_rows *p = &d->blocks[b];
        const lmbi_end_error *error = &d->chain->errors[p->end];
        lmb_vec3 e = p->is_rotation ? error->rotation : error->to_target;
        for (uint32_t k = 0; pulls && k < d->chain->link_count; ++k) {
            if (is_below(d, k, b)) {
                const lmb_vec3 z = lmbi_damped_project(&d->freedoms[k], d->pull[k]);
                const lmb_vec3 r = lmb_vec3_sub(error->position, d->chain->now[k].position);
                e = lmb_vec3_sub(e, p->is_rotation ? z : lmb_vec3_cross(z, r));
            }
        }
        d->error[3 * b] = (double)(p->weight * e.x);
        d->error[3 * b + 1] = (double)(p->weight * e.y);
        d->error[3 * b + 2] = (double)(p->weight * e.z);
    }
}
