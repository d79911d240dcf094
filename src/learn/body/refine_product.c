/// Products with the derivatives of a population's residuals, scan by scan: how a change of the unknowns moves the
/// vertices, and back.
#include <string.h>

#include "learn/body/matrix.h"
#include "learn/body/refine.h"
#include "learn/cholesky.h"

enum { TURN, ORIGIN, AT_REST }; ///< of `moves`

typedef struct product {
    const lmbi_refinement *r;
    const double *u;
    double *out;
} product;

static void add_cross(const double *a, const double *b, double weight, double *out)
{
    out[0] += weight * (a[1] * b[2] - a[2] * b[1]);
    out[1] += weight * (a[2] * b[0] - a[0] * b[2]);
    out[2] += weight * (a[0] * b[1] - a[1] * b[0]);
}

static const double *joints_of(const lmbi_refinement *r, size_t scan)
{
    return lmbi_population_joints(r->p, r->p->person_of[scan]);
}

/// From the joint to the vertex at rest, as the joint of the pose rotates it.
static void arm_of(const lmbi_refinement *r, size_t scan, size_t vertex, size_t joint,
                   double out[3])
{
    const double *rest = r->rests + 3 * (scan * r->p->body.vertex_count + vertex);
    const double *at = joints_of(r, scan) + 3 * joint;
    const double from[3] = {rest[0] - at[0], rest[1] - at[1], rest[2] - at[2]};
    lmbi_m3_point(r->p->poses[scan].global + 9 * joint, from, out);
}

/// From the parent to a joint, as the pose has it.
static void bone_of(const lmbi_refinement *r, size_t scan, size_t joint, double out[3])
{
    const size_t parent = (size_t)r->p->body.parents[joint];
    const double *at = joints_of(r, scan);
    const double bone[3] = {at[3 * joint] - at[3 * parent], at[3 * joint + 1] - at[3 * parent + 1],
                            at[3 * joint + 2] - at[3 * parent + 2]};
    lmbi_m3_point(r->p->poses[scan].global + 9 * parent, bone, out);
}

void lmbi_refinement_candidate(const lmbi_refinement *r, size_t scan, size_t vertex, size_t k,
                               double out[3])
{
    const size_t j = r->p->row_joints[vertex * r->room + k];
    arm_of(r, scan, vertex, j, out);
    lmbi_row_add(out, 1, r->p->poses[scan].origins + 3 * j, 3);
}

void lmbi_refinement_balance(const lmbi_refinement *r, size_t vertex, double *change)
{
    const double *row = r->p->row_weights + vertex * r->room;
    double sum = 0;
    uint32_t count = 0;
    for (size_t k = 0; k < r->room; ++k) {
        change[k] = row[k] > 0 ? change[k] : 0;
        sum += change[k];
        count += row[k] > 0;
    }
    for (size_t k = 0; k < r->room; ++k) {
        change[k] -= row[k] > 0 ? sum / count : 0;
    }
}

// ---- features

static size_t features_per_joint(const lmbi_refinement *r)
{
    return r->p->body.features == LMB_FEATURES_MATRIX ? 9 : 4;
}

/// Rows of derivatives by w, of features of a joint whose rotation R becomes exp(w) R, or its quaternion q half of w q
/// more.
static void local_derivatives(const lmbi_refinement *r, size_t scan, size_t joint, double out[9][3])
{
    memset(out, 0, 9 * sizeof *out);
    if (r->p->body.features == LMB_FEATURES_MATRIX) {
        const double *m = r->p->poses[scan].rotations + 9 * joint;
        for (size_t c = 0; c < 3; ++c) {
            const double x = m[c], y = m[3 + c], z = m[6 + c];
            out[c][1] = z;
            out[c][2] = -y;
            out[3 + c][0] = -z;
            out[3 + c][2] = x;
            out[6 + c][0] = y;
            out[6 + c][1] = -x;
        }
        return;
    }
    const double *q = r->p->poses[scan].features + 4 * (joint - 1); // the scalar less 1
    const double x = q[0] / 2, y = q[1] / 2, z = q[2] / 2, w = (q[3] + 1) / 2;
    const double rows[4][3] = {{w, z, -y}, {-z, w, x}, {y, -x, w}, {-x, -y, -z}};
    memcpy(out, rows, sizeof rows);
}

/// The same by a rotation about axes of the model, as the unknowns are.
static void feature_derivatives(const lmbi_refinement *r, size_t scan, size_t joint,
                                double out[9][3])
{
    const double *above = r->p->poses[scan].global + 9 * (size_t)r->p->body.parents[joint];
    double local[9][3];
    local_derivatives(r, scan, joint, local);
    for (size_t k = 0; k < features_per_joint(r); ++k) {
        lmbi_m3_point(above, local[k], out[k]);
    }
}

static void push_features(const lmbi_refinement *r, size_t scan, const double *u)
{
    const size_t per = features_per_joint(r);
    for (size_t j = 1; r->feature_count > 0 && j < r->p->body.joint_count; ++j) {
        double rows[9][3];
        feature_derivatives(r, scan, j, rows);
        for (size_t k = 0; k < per; ++k) {
            r->turns[scan * r->feature_count + per * (j - 1) + k] =
                lmbi_row_dot(rows[k], u + scan * r->pose_size + 3 * j, 3);
        }
    }
}

static void pull_features(const lmbi_refinement *r, size_t scan, double *out)
{
    const size_t per = features_per_joint(r);
    for (size_t j = 1; r->feature_count > 0 && j < r->p->body.joint_count; ++j) {
        double rows[9][3];
        feature_derivatives(r, scan, j, rows);
        for (size_t k = 0; k < per; ++k) {
            lmbi_row_add(out + scan * r->pose_size + 3 * j,
                         r->turns[scan * r->feature_count + per * (j - 1) + k], rows[k], 3);
        }
    }
}

// ---- changes of vertices by changes of the unknowns

static void push_joint_at_rest(const lmbi_refinement *r, size_t scan, size_t joint, const double *u,
                               double out[3])
{
    const size_t joints = r->p->body.joint_count;
    const double *by = u + r->coefficients + r->p->person_of[scan] * r->shape_count;
    memset(out, 0, 3 * sizeof *out);
    for (size_t i = 0; i < r->space; ++i) {
        lmbi_row_add(out, r->rows[scan * r->basis + i], u + r->joints + 3 * (i * joints + joint),
                     3);
    }
    for (size_t k = 0; k < r->shape_count; ++k) {
        lmbi_row_add(out, by[k], r->p->joint_directions + 3 * (k * joints + joint), 3);
    }
}

/// Fills `moves`: an origin moves with its parent, by the parent's rotation about it, and as both move at rest.
static void push_joints(const lmbi_refinement *r, size_t scan, const double *u)
{
    const lmbi_scan_pose *pose = &r->p->poses[scan];
    const size_t joints = r->p->body.joint_count;
    const double *step = u + scan * r->pose_size;
    double(*moves)[3][3] = r->moves + scan * joints;
    for (size_t j = 0; j < joints; ++j) {
        double(*m)[3] = moves[j];
        const int32_t parent = r->p->body.parents[j];
        memcpy(m[TURN], step + 3 * j, sizeof m[TURN]);
        push_joint_at_rest(r, scan, j, u, m[AT_REST]);
        if (parent == LMB_NONE) {
            memcpy(m[ORIGIN], m[AT_REST], sizeof m[ORIGIN]);
            lmbi_row_add(m[ORIGIN], 1, step + 3 * joints, 3);
            continue;
        }
        double(*above)[3] = moves[parent], bone[3], apart[3];
        memcpy(apart, m[AT_REST], sizeof apart);
        lmbi_row_add(apart, -1, above[AT_REST], 3);
        lmbi_m3_point(pose->global + 9 * (size_t)parent, apart, m[ORIGIN]);
        lmbi_row_add(m[ORIGIN], 1, above[ORIGIN], 3);
        bone_of(r, scan, j, bone);
        add_cross(above[TURN], bone, 1, m[ORIGIN]);
        lmbi_row_add(m[TURN], 1, above[TURN], 3);
    }
}

static void push_rest(const lmbi_refinement *r, size_t scan, size_t vertex, const double *u,
                      double out[3])
{
    const lmbi_population *p = r->p;
    const size_t n = p->body.vertex_count;
    const double *by = u + r->coefficients + p->person_of[scan] * r->shape_count;
    for (size_t c = 0; c < 3; ++c) {
        const double *columns = u + r->vertices + (3 * vertex + c) * r->basis;
        out[c] = lmbi_row_dot(r->rows + scan * r->basis, columns, r->basis) +
                 lmbi_row_dot(p->correctives + (3 * vertex + c) * r->feature_count,
                              r->turns + scan * r->feature_count, r->feature_count);
    }
    for (size_t k = 0; k < r->shape_count; ++k) {
        lmbi_row_add(out, by[k], p->directions + 3 * (k * n + vertex), 3);
    }
}

static void push_vertex(const lmbi_refinement *r, size_t scan, size_t vertex, const double *u)
{
    const lmbi_scan_body *body = &r->p->body;
    const lmbi_scan_pose *pose = &r->p->poses[scan];
    double rest[3], *out = r->fields + 3 * (scan * body->vertex_count + vertex);
    push_rest(r, scan, vertex, u, rest);
    memset(out, 0, 3 * sizeof *out);
    for (uint32_t k = body->row_first[vertex]; k < body->row_first[vertex + 1]; ++k) {
        const double w = body->row_weights[k];
        const size_t j = body->row_joints[k];
        double(*m)[3] = r->moves[scan * body->joint_count + j], arm[3], change[3], moved[3];
        if (!(w > 0)) {
            continue;
        }
        memcpy(change, rest, sizeof change);
        lmbi_row_add(change, -1, m[AT_REST], 3);
        lmbi_m3_point(pose->global + 9 * j, change, moved);
        lmbi_row_add(moved, 1, m[ORIGIN], 3);
        lmbi_row_add(out, w, moved, 3);
        arm_of(r, scan, vertex, j, arm);
        add_cross(m[TURN], arm, w, out);
        if (r->room > 0) {
            lmbi_row_add(out, u[r->weights + k], arm, 3);
            lmbi_row_add(out, u[r->weights + k], pose->origins + 3 * j, 3);
        }
    }
}

static void push_scans(void *context, size_t begin, size_t end)
{
    const product *q = context;
    for (size_t f = begin; f < end; ++f) {
        push_joints(q->r, f, q->u);
        push_features(q->r, f, q->u);
        for (size_t v = 0; v < q->r->p->body.vertex_count; ++v) {
            push_vertex(q->r, f, v, q->u);
        }
    }
}

// ---- and back: pulls at the unknowns by pulls at the vertices

static void pull_vertex(const lmbi_refinement *r, size_t scan, size_t vertex)
{
    const lmbi_population *p = r->p;
    const lmbi_scan_body *body = &p->body;
    const size_t at = 3 * (scan * body->vertex_count + vertex);
    const double *y = r->fields + at;
    double *force = r->forces + at;
    memset(force, 0, 3 * sizeof *force);
    for (uint32_t k = body->row_first[vertex]; k < body->row_first[vertex + 1]; ++k) {
        const double w = body->row_weights[k];
        const size_t j = body->row_joints[k];
        double(*m)[3] = r->moves[scan * body->joint_count + j], arm[3], back[3];
        if (!(w > 0)) {
            continue;
        }
        arm_of(r, scan, vertex, j, arm);
        lmbi_m3_transpose_point(p->poses[scan].global + 9 * j, y, back);
        add_cross(arm, y, w, m[TURN]);
        lmbi_row_add(m[ORIGIN], w, y, 3);
        lmbi_row_add(m[AT_REST], -w, back, 3);
        lmbi_row_add(force, w, back, 3);
    }
    for (size_t c = 0; c < 3; ++c) {
        lmbi_row_add(r->turns + scan * r->feature_count, force[c],
                     p->correctives + (3 * vertex + c) * r->feature_count, r->feature_count);
    }
    for (size_t k = 0; k < r->shape_count; ++k) {
        r->coefficient_pulls[scan * r->shape_count + k] +=
            lmbi_row_dot(force, p->directions + 3 * (k * body->vertex_count + vertex), 3);
    }
}

/// The reverse of push_joints, from the last joint to the root.
static void pull_joints(const lmbi_refinement *r, size_t scan, double *out)
{
    const lmbi_scan_pose *pose = &r->p->poses[scan];
    const size_t joints = r->p->body.joint_count;
    double(*moves)[3][3] = r->moves + scan * joints, *step = out + scan * r->pose_size;
    for (size_t j = joints; j-- > 0;) {
        double(*m)[3] = moves[j];
        const int32_t parent = r->p->body.parents[j];
        memcpy(step + 3 * j, m[TURN], sizeof m[TURN]);
        if (parent == LMB_NONE) {
            memcpy(step + 3 * joints, m[ORIGIN], sizeof m[ORIGIN]);
            lmbi_row_add(m[AT_REST], 1, m[ORIGIN], 3);
            continue;
        }
        double(*above)[3] = moves[parent], bone[3], back[3];
        bone_of(r, scan, j, bone);
        lmbi_m3_transpose_point(pose->global + 9 * (size_t)parent, m[ORIGIN], back);
        lmbi_row_add(above[TURN], 1, m[TURN], 3);
        add_cross(bone, m[ORIGIN], 1, above[TURN]);
        lmbi_row_add(above[ORIGIN], 1, m[ORIGIN], 3);
        lmbi_row_add(m[AT_REST], 1, back, 3);
        lmbi_row_add(above[AT_REST], -1, back, 3);
    }
}

/// Poses, and what is summed over the scans later.
static void pull_scans(void *context, size_t begin, size_t end)
{
    const product *q = context;
    const lmbi_refinement *r = q->r;
    const size_t joints = r->p->body.joint_count;
    for (size_t f = begin; f < end; ++f) {
        memset(r->moves + f * joints, 0, joints * sizeof *r->moves);
        memset(r->turns + f * r->feature_count, 0, r->feature_count * sizeof(double));
        memset(r->coefficient_pulls + f * r->shape_count, 0, r->shape_count * sizeof(double));
        for (size_t v = 0; v < r->p->body.vertex_count; ++v) {
            pull_vertex(r, f, v);
        }
        pull_joints(r, f, q->out);
        pull_features(r, f, q->out);
    }
}

static void pull_columns(void *context, size_t begin, size_t end)
{
    const product *q = context;
    const lmbi_refinement *r = q->r;
    const size_t n = r->p->body.vertex_count;
    for (size_t v = begin; v < end; ++v) {
        double *out = q->out + r->vertices + 3 * v * r->basis;
        double *weights = q->out + r->weights + v * r->room;
        memset(out, 0, 3 * r->basis * sizeof *out);
        memset(weights, 0, r->room * sizeof *weights);
        for (size_t f = 0; f < r->p->scan_count; ++f) {
            const size_t at = 3 * (f * n + v);
            for (size_t c = 0; c < 3; ++c) {
                lmbi_row_add(out + c * r->basis, r->forces[at + c], r->rows + f * r->basis,
                             r->basis);
            }
            for (size_t k = 0; k < r->room; ++k) {
                double point[3];
                lmbi_refinement_candidate(r, f, v, k, point);
                weights[k] += lmbi_row_dot(point, r->fields + at, 3);
            }
        }
        lmbi_refinement_balance(r, v, weights);
    }
}

static void pull_shapes(const lmbi_refinement *r, double *out)
{
    const lmbi_population *p = r->p;
    const size_t joints = p->body.joint_count;
    memset(out + r->coefficients, 0, (r->vertices - r->coefficients) * sizeof *out);
    for (size_t f = 0; f < p->scan_count; ++f) {
        double *by = out + r->coefficients + p->person_of[f] * r->shape_count;
        lmbi_row_add(by, 1, r->coefficient_pulls + f * r->shape_count, r->shape_count);
        for (size_t j = 0; j < joints; ++j) {
            const double *at_rest = r->moves[f * joints + j][AT_REST];
            for (size_t i = 0; i < r->space; ++i) {
                lmbi_row_add(out + r->joints + 3 * (i * joints + j), r->rows[f * r->basis + i],
                             at_rest, 3);
            }
            for (size_t k = 0; k < r->shape_count; ++k) {
                by[k] += lmbi_row_dot(at_rest, p->joint_directions + 3 * (k * joints + j), 3);
            }
        }
    }
}

/// out = J^T fields
static void pull(const lmbi_refinement *r, double *out)
{
    product q = {r, NULL, out};
    lmb_parallel_for(r->p->opts.jobs, r->p->scan_count, 1, pull_scans, &q);
    lmb_parallel_for(r->p->opts.jobs, r->p->body.vertex_count, 16, pull_columns, &q);
    pull_shapes(r, out);
}

// ---- with the priors

/// Adds the second derivatives of the priors, times u.
static void add_vertex_priors(const lmbi_refinement *r, size_t v, const double *u, double *out)
{
    const double *costs = r->costs + r->groups.of[v] * r->basis;
    for (size_t k = 3 * v * r->basis, i = 0; i < 3 * r->basis; ++i) {
        out[r->vertices + k + i] += costs[i % r->basis] * u[r->vertices + k + i];
    }
    lmbi_row_add(out + r->weights + v * r->room, r->weight_cost, u + r->weights + v * r->room,
                 r->room);
}

void lmbi_refinement_multiply(lmbi_refinement *r, const double *u, double *out)
{
    product q = {r, u, NULL};
    lmb_parallel_for(r->p->opts.jobs, r->p->scan_count, 1, push_scans, &q);
    pull(r, out);
    for (size_t f = 0; f < r->p->scan_count; ++f) {
        const size_t first = f * r->pose_size + 3; // the root is free
        lmbi_row_add(out + first, 0.25 * r->pose_cost, u + first, r->pose_size - 6);
    }
    for (size_t v = 0; v < r->p->body.vertex_count; ++v) {
        add_vertex_priors(r, v, u, out);
    }
}

/// The priors' pull at a vertex' correctives and weights.
static void subtract_vertex_priors(const lmbi_refinement *r, size_t v, double *out)
{
    const double *costs = r->costs + r->groups.of[v] * r->basis + r->space;
    double *weights = out + r->weights + v * r->room;
    for (size_t c = 0; c < 3; ++c) {
        const double *row = r->p->correctives + (3 * v + c) * r->feature_count;
        double *to = out + r->vertices + (3 * v + c) * r->basis + r->space;
        for (size_t a = 0; a < r->feature_count; ++a) {
            to[a] -= costs[a] * row[a];
        }
    }
    lmbi_row_add(weights, -r->weight_cost, r->p->row_weights + v * r->room, r->room);
    lmbi_row_add(weights, r->weight_cost, r->first_weights + v * r->room, r->room);
    lmbi_refinement_balance(r, v, weights);
}

void lmbi_refinement_descent(lmbi_refinement *r, double *out)
{
    const lmbi_population *p = r->p;
    pull(r, out);
    for (size_t f = 0; f < p->scan_count; ++f) {
        for (size_t j = 1; j < p->body.joint_count; ++j) {
            double half[3], back[3];
            lmbi_scan_half_angle(p->poses[f].rotations + 9 * j, half);
            lmbi_m3_point(p->poses[f].global + 9 * (size_t)p->body.parents[j], half, back);
            lmbi_row_add(out + f * r->pose_size + 3 * j, -0.5 * r->pose_cost, back, 3);
        }
    }
    for (size_t v = 0; v < p->body.vertex_count; ++v) {
        subtract_vertex_priors(r, v, out);
    }
}
