/// The normal equations of Gauss-Newton, J' W J and J' W r, without forming J.
///
/// A goal on one joint has the same derivative for every joint above it: the residual changes by b
/// a + c v, whichever joint has the screw (a, v). So the goals below a joint sum to one 6 x 6
/// inertia in screw space, accumulated from the leaves to the root like the composite rigid bodies
/// of Walker and Orin (1982), and an entry of the matrix is s_i' G s_j with G of the deeper joint.
/// The cost hardly depends on the number of goals. Goals on several branches are added as rows of
/// J.
#include "ik/full_body.h"

#include <string.h>

static bool is_nonzero(const float r[3])
{
    return r[0] * r[0] + r[1] * r[1] + r[2] * r[2] > 0.0f;
}

static void add_inertia(lmbi_inertia *sum, const lmbi_linear *linear, float weight)
{
    const float *b = linear->jacobians[0].b, *c = linear->jacobians[0].c, *r = linear->r;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            sum->bb[3 * i + j] +=
                weight * (b[i] * b[j] + b[3 + i] * b[3 + j] + b[6 + i] * b[6 + j]);
            sum->bc[3 * i + j] +=
                weight * (b[i] * c[j] + b[3 + i] * c[3 + j] + b[6 + i] * c[6 + j]);
            sum->cc[3 * i + j] +=
                weight * (c[i] * c[j] + c[3 + i] * c[3 + j] + c[6 + i] * c[6 + j]);
        }
        sum->h[i] += weight * (b[i] * r[0] + b[3 + i] * r[1] + b[6 + i] * r[2]);
        sum->h[3 + i] += weight * (c[i] * r[0] + c[3 + i] * r[1] + c[6 + i] * r[2]);
    }
}

static void add_child_inertia(lmbi_inertia *parent, const lmbi_inertia *child)
{
    float *to = parent->bb;
    const float *from = child->bb;
    for (int k = 0; k < 36; ++k) {
        to[k] += from[k];
    }
}

static bool follows_tree(const lmb_goal *goal)
{
    return goal->kind != LMB_GOAL_POLE && goal->kind != LMB_GOAL_DISTANCE &&
           goal->kind != LMB_GOAL_CENTER_OF_MASS;
}

// ------------------------------------------------------------------------------------- soft pulls

static lmb_vec3 multiply(const float m[9], lmb_vec3 v)
{
    return lmb_vec3_make(m[0] * v.x + m[1] * v.y + m[2] * v.z, m[3] * v.x + m[4] * v.y + m[5] * v.z,
                         m[6] * v.x + m[7] * v.y + m[8] * v.z);
}

/// Rest or smoothness term of one joint: weight |log(reference^-1 q)|^2.
static void add_pose_term(lmbi_body_solver *body, uint32_t n, lmb_quat reference, float weight,
                          bool matrix)
{
    const lmbi_node *node = &body->nodes[n];
    lmb_vec3 r = lmbi_rotation_from(reference, body->now[n].local), rotated[3];
    float m[9];
    weight *= node->stiffness;
    lmbi_log_jacobian(r, m);
    r = lmb_vec3_add(r, multiply(m, node->committed));
    for (uint32_t k = 0; k < node->freedom_count; ++k) {
        const uint32_t i = node->freedom + k;
        rotated[k] = multiply(m, body->axes[i]);
        body->gradient[i] += weight * lmb_vec3_dot(rotated[k], r);
        for (uint32_t j = 0; matrix && j <= k; ++j) {
            body->row[i][node->freedom + j - body->begin[i]] +=
                weight * lmb_vec3_dot(rotated[k], rotated[j]);
        }
    }
}

static void add_pose_terms(lmbi_body_solver *body, bool matrix)
{
    const lmb_ik_full_body_job *job = body->job;
    const lmb_transform *rest = job->rest != NULL ? job->rest : job->skeleton->rest;
    for (uint32_t n = 0; job->rest_weight > 0.0f && n < body->node_count; ++n) {
        add_pose_term(body, n, rest[body->nodes[n].joint].rotation, job->rest_weight, matrix);
    }
    if (job->previous == NULL || !(job->smooth_weight > 0.0f)) {
        return;
    }
    for (uint32_t n = 0; n < body->node_count; ++n) {
        add_pose_term(body, n, job->previous[body->nodes[n].joint].rotation, job->smooth_weight,
                      matrix);
    }
    const lmb_vec3 offset = lmbi_root_offset(body, body->now);
    const float r[3] = {offset.x, offset.y, offset.z}, s = 1.0f / body->reach;
    for (uint32_t i = body->root_freedom; i < body->freedom_count; ++i) {
        body->gradient[i] += job->smooth_weight * s * r[i - body->root_freedom];
        if (matrix) {
            body->row[i][i - body->begin[i]] += job->smooth_weight * s * s;
        }
    }
}

// --------------------------------------------------------------------------------------- the tree

void lmbi_body_linearize(lmbi_body_solver *body)
{
    const lmb_ik_full_body_job *job = body->job;
    memset(body->inertias, 0, body->node_count * sizeof(*body->inertias));
    for (uint32_t g = 0; g < job->goal_count; ++g) {
        if (body->use[g]) {
            body->use[g] = 1;
            lmbi_goal_linearize(body, &job->goals[g], &body->linears[g]);
            if (follows_tree(&job->goals[g])) {
                add_inertia(&body->inertias[body->linears[g].jacobians[0].node], &body->linears[g],
                            lmbi_goal_weight(&job->goals[g]));
            }
        }
    }
    for (uint32_t n = body->node_count; n-- > 1;) {
        add_child_inertia(&body->inertias[body->nodes[n].parent], &body->inertias[n]);
    }
}

static float screw_dot(const float *h, lmbi_screw s)
{
    return h[0] * s.a.x + h[1] * s.a.y + h[2] * s.a.z + h[3] * s.v.x + h[4] * s.v.y + h[5] * s.v.z;
}

static void build_tree_gradient(lmbi_body_solver *body)
{
    for (uint32_t n = 0; n < body->node_count; ++n) {
        const lmbi_node *node = &body->nodes[n];
        for (uint32_t i = node->freedom; i < node->freedom + node->freedom_count; ++i) {
            body->gradient[i] = screw_dot(body->inertias[n].h, body->screws[i]);
        }
    }
    for (uint32_t i = body->root_freedom; i < body->freedom_count; ++i) {
        body->gradient[i] = screw_dot(body->inertias[0].h, body->screws[i]);
    }
}

/// G s
static void multiply_inertia(const lmbi_inertia *g, lmbi_screw s, float out[6])
{
    const float a[3] = {s.a.x, s.a.y, s.a.z}, v[3] = {s.v.x, s.v.y, s.v.z};
    for (int i = 0; i < 3; ++i) {
        out[i] = g->bb[3 * i] * a[0] + g->bb[3 * i + 1] * a[1] + g->bb[3 * i + 2] * a[2] +
                 g->bc[3 * i] * v[0] + g->bc[3 * i + 1] * v[1] + g->bc[3 * i + 2] * v[2];
        out[3 + i] = g->bc[i] * a[0] + g->bc[3 + i] * a[1] + g->bc[6 + i] * a[2] +
                     g->cc[3 * i] * v[0] + g->cc[3 * i + 1] * v[1] + g->cc[3 * i + 2] * v[2];
    }
}

/// Column j of the matrix, a freedom of node n: from its own joint up to the root.
static void build_tree_column(lmbi_body_solver *body, uint32_t n, uint32_t j)
{
    float *y = body->momenta + 6 * (size_t)j;
    multiply_inertia(&body->inertias[n], body->screws[j], y);
    for (int32_t up = (int32_t)n; up != LMB_NONE; up = body->nodes[up].parent) {
        const lmbi_node *above = &body->nodes[up];
        const uint32_t end = above->freedom + above->freedom_count;
        for (uint32_t i = above->freedom > j ? above->freedom : j; i < end; ++i) {
            body->row[i][j - body->begin[i]] = screw_dot(y, body->screws[i]);
        }
    }
    for (uint32_t i = body->root_freedom > j ? body->root_freedom : j; i < body->freedom_count;
         ++i) {
        body->row[i][j - body->begin[i]] = screw_dot(y, body->screws[i]);
    }
}

static void build_tree_matrix(lmbi_body_solver *body)
{
    for (uint32_t n = 0; n < body->node_count; ++n) {
        const lmbi_node *node = &body->nodes[n];
        for (uint32_t j = node->freedom; j < node->freedom + node->freedom_count; ++j) {
            build_tree_column(body, n, j);
        }
    }
    for (uint32_t j = body->root_freedom; j < body->freedom_count; ++j) {
        build_tree_column(body, 0, j);
    }
}

/// Updates the rows and columns of one node.
static void update_node(lmbi_body_solver *body, uint32_t n)
{
    const lmbi_node *node = &body->nodes[n];
    for (uint32_t i = node->freedom; i < node->freedom + node->freedom_count; ++i) {
        build_tree_column(body, n, i);
        for (uint32_t j = node->first; j < node->freedom; ++j) {
            body->row[i][j - body->begin[i]] =
                screw_dot(body->momenta + 6 * (size_t)j, body->screws[i]);
        }
    }
}

// --------------------------------------------------------------------------------------- the rows

/// Computes the Jacobian columns of one goal, three rows each. Returns the first nonzero column.
static uint32_t compute_columns(lmbi_body_solver *body, uint32_t g)
{
    const lmb_goal *goal = &body->job->goals[g];
    for (uint32_t n = 0; n < body->node_count; ++n) {
        const lmbi_node *node = &body->nodes[n];
        for (uint32_t i = node->freedom; i < node->freedom + node->freedom_count; ++i) {
            lmbi_goal_derivative(body, goal, &body->linears[g], n, body->screws[i],
                                 body->rows + 3 * (size_t)i);
        }
    }
    for (uint32_t i = body->root_freedom; i < body->freedom_count; ++i) {
        lmbi_goal_derivative(body, goal, &body->linears[g], 0, body->screws[i],
                             body->rows + 3 * (size_t)i);
    }
    uint32_t first = 0;
    while (first < body->freedom_count && !is_nonzero(body->rows + 3 * (size_t)first)) {
        ++first;
    }
    return first;
}

static void add_rows(lmbi_body_solver *body, uint32_t g, bool matrix)
{
    const float weight = lmbi_goal_weight(&body->job->goals[g]), *r = body->linears[g].r;
    const uint32_t first = compute_columns(body, g);
    for (uint32_t i = first; i < body->freedom_count; ++i) {
        const float *a = body->rows + 3 * (size_t)i;
        if (!is_nonzero(a)) {
            continue;
        }
        body->gradient[i] += weight * (a[0] * r[0] + a[1] * r[1] + a[2] * r[2]);
        for (uint32_t j = first; matrix && j <= i; ++j) {
            const float *b = body->rows + 3 * (size_t)j;
            // Columns outside the skyline are zero for this goal.
            if (j >= body->begin[i]) {
                body->row[i][j - body->begin[i]] +=
                    weight * (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
            }
        }
    }
}

static void add_all_rows(lmbi_body_solver *body, bool matrix)
{
    for (uint32_t g = 0; g < body->job->goal_count; ++g) {
        if (body->use[g] && !follows_tree(&body->job->goals[g])) {
            add_rows(body, g, matrix);
        }
    }
}

void lmbi_body_gradient(lmbi_body_solver *body)
{
    build_tree_gradient(body);
    add_all_rows(body, false);
    add_pose_terms(body, false);
}

void lmbi_body_build_normal(lmbi_body_solver *body)
{
    if (!body->is_tree) {
        memset(body->matrix, 0, body->entry_count * sizeof(float));
    }
    build_tree_gradient(body);
    build_tree_matrix(body);
    add_all_rows(body, true);
    add_pose_terms(body, true);
}

void lmbi_body_update_normal(lmbi_body_solver *body)
{
    if (!body->is_tree) {
        lmbi_body_build_normal(body);
        return;
    }
    for (uint32_t n = 0; n < body->node_count; ++n) {
        if (body->nodes[n].axes_changed) {
            update_node(body, n);
            body->nodes[n].axes_changed = false;
        }
    }
    build_tree_gradient(body);
}

// ------------------------------------------------------------------------------ settled rotations

static void commit_rows(lmbi_body_solver *body, uint32_t n, lmbi_screw screw)
{
    for (uint32_t g = 0; g < body->job->goal_count; ++g) {
        if (body->use[g] && !follows_tree(&body->job->goals[g])) {
            float *r = body->linears[g].r, d[3];
            lmbi_goal_derivative(body, &body->job->goals[g], &body->linears[g], n, screw, d);
            for (int k = 0; k < 3; ++k) {
                body->committed_saving -=
                    lmbi_goal_weight(&body->job->goals[g]) * d[k] * (2.0f * r[k] + d[k]);
                r[k] += d[k];
            }
        }
    }
}

void lmbi_body_commit(lmbi_body_solver *body, uint32_t n, lmb_vec3 rotation)
{
    const lmbi_node_pose *f = &body->now[n];
    lmbi_screw s = {.a = lmbi_quat_rotate(f->model, rotation)};
    s.v = lmb_vec3_cross(f->position, s.a);
    float own[6], y[6];
    multiply_inertia(&body->inertias[n], s, own);
    body->committed_saving -= 2.0f * screw_dot(body->inertias[n].h, s) + screw_dot(own, s);
    // Goals below the joint change for every node on their path: those of the subtree and those
    // above it.
    for (uint32_t m = n; m < body->node_count; ++m) {
        if (lmbi_node_is_under(body, m, n)) {
            multiply_inertia(&body->inertias[m], s, y);
            for (int k = 0; k < 6; ++k) {
                body->inertias[m].h[k] += y[k];
            }
        }
    }
    for (int32_t up = body->nodes[n].parent; up != LMB_NONE; up = body->nodes[up].parent) {
        for (int k = 0; k < 6; ++k) {
            body->inertias[up].h[k] += own[k];
        }
    }
    commit_rows(body, n, s);
    body->nodes[n].committed = lmb_vec3_add(body->nodes[n].committed, rotation);
}

// ----------------------------------------------------------------------------------------- ground

/// Activates a ground goal: its residual is the current signed height plus the change by committed
/// rotations.
static void activate_ground(lmbi_body_solver *body, uint32_t g)
{
    const lmb_goal *goal = &body->job->goals[g];
    lmbi_linear *linear = &body->linears[g];
    body->use[g] = 2;
    lmbi_goal_linearize(body, goal, linear);
    // The linear model now includes the squared height at step 0, which the real cost does not.
    body->committed_saving -= lmbi_goal_weight(goal) * linear->r[0] * linear->r[0];
    for (uint32_t n = 0; n <= linear->jacobians[0].node; ++n) { // later nodes do not move it
        if (lmb_vec3_dot(body->nodes[n].committed, body->nodes[n].committed) > 0.0f) {
            float d[3];
            lmbi_screw s = {.a = lmbi_quat_rotate(body->now[n].model, body->nodes[n].committed)};
            s.v = lmb_vec3_cross(body->now[n].position, s.a);
            lmbi_goal_derivative(body, goal, linear, n, s, d);
            linear->r[0] += d[0];
        }
    }
    for (int32_t n = (int32_t)linear->jacobians[0].node; n != LMB_NONE; n = body->nodes[n].parent) {
        add_inertia(&body->inertias[n], linear, lmbi_goal_weight(goal));
    }
}

uint32_t lmbi_body_activate_grounds(lmbi_body_solver *body)
{
    uint32_t count = 0;
    for (uint32_t g = 0; body->has_ground && g < body->job->goal_count; ++g) {
        const lmb_goal *goal = &body->job->goals[g];
        const bool inactive = goal->kind == LMB_GOAL_GROUND && body->use[g] == 1 &&
                              !(lmbi_goal_height(body, goal, body->now) < 0.0f);
        if (inactive && lmbi_goal_height(body, goal, body->trial) < -1e-5f) {
            activate_ground(body, g);
            ++count;
        }
    }
    return count;
}
