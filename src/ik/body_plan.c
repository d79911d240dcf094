/// Solver set-up: which joints move, the elimination order of their degrees of freedom, the scratch
/// layout.
///
/// Children come before parents (postorder). Eliminating a leaf then causes no fill-in, so the
/// matrix keeps the shape of the tree (Featherstone 2005) and the entries of a row are one run of
/// columns, those of its subtree.
#include "asset/asset.h"
#include "ik/full_body.h"

#include <assert.h>
#include <string.h>

typedef struct arena {
    uint8_t *at, *end;
} arena;

static void *allocate(arena *a, size_t count, size_t size)
{
    const size_t bytes = (count * size + 15) / 16 * 16;
    assert((size_t)(a->end - a->at) >= bytes && "scratch is too small");
    void *out = a->at;
    a->at += bytes;
    return out;
}

/// Bytes for a skeleton of `joints`, of which `moving` are in the system, with a full matrix. Keep
/// in step with lmbi_body_set_up. SIZE_MAX on overflow.
static size_t scratch_size(uint64_t joints, uint64_t moving, uint64_t goals)
{
    const uint64_t freedoms = 3 * moving + 3, entries = freedoms * (freedoms + 1) / 2;
    const uint64_t a_joint = sizeof(lmbi_node) + 2 * sizeof(int32_t) + sizeof(uint32_t) +
                             2 * sizeof(lmbi_node_pose) + 2 * sizeof(lmbi_mass) +
                             sizeof(lmbi_inertia) + sizeof(lmbi_screw_jacobian);
    const uint64_t a_freedom = sizeof(lmb_vec3) + sizeof(lmbi_screw) + 12 * sizeof(float) +
                               sizeof(uint32_t) + 2 * sizeof(float *);
    const uint64_t linear = joints * a_joint + freedoms * a_freedom +
                            goals * (sizeof(lmbi_linear) + 1) + (uint64_t)32 * 16;
    const bool fits = moving < (uint64_t)1 << 28 && 2 * sizeof(float) * entries <= SIZE_MAX / 2 &&
                      linear <= SIZE_MAX / 2;
    return fits ? (size_t)(linear + 2 * sizeof(float) * entries) : SIZE_MAX;
}

size_t lmb_ik_full_body_scratch(uint32_t joint_count, uint32_t goal_count)
{
    return scratch_size(joint_count, joint_count, goal_count);
}

/// Number of joints on the path from `joint` up to the root, without the root.
static uint64_t count_path(const lmb_ik_full_body_job *job, uint32_t joint)
{
    uint64_t count = 0;
    for (int32_t j = (int32_t)joint; j > (int32_t)job->root; j = job->skeleton->parents[j]) {
        ++count;
    }
    return count;
}

size_t lmb_ik_full_body_job_scratch(const lmb_ik_full_body_job *job)
{
    const uint64_t joints = job->skeleton->joint_count;
    uint64_t moving = 1; // the root; joints on several paths are counted for each
    for (uint32_t g = 0; g < job->goal_count && moving < joints; ++g) {
        const lmb_goal *goal = &job->goals[g];
        const bool two = goal->kind == LMB_GOAL_DISTANCE || goal->kind == LMB_GOAL_POLE;
        moving += goal->kind == LMB_GOAL_CENTER_OF_MASS ? joints : count_path(job, goal->joint);
        moving += two ? count_path(job, goal->base) : 0;
        moving += goal->kind == LMB_GOAL_POLE ? count_path(job, goal->tip) : 0;
    }
    return scratch_size(joints, moving < joints ? moving : joints, job->goal_count);
}

// ------------------------------------------------------------------------------------- what moves

/// Marks the path from a joint up to the root. False when the joint is not under the root.
static bool mark_path(const lmbi_body_solver *body, uint32_t joint)
{
    const int32_t *parents = body->job->skeleton->parents;
    // A marked joint is known to be under the root.
    for (uint32_t j = joint; j != body->job->root && body->node_of[j] == LMB_NONE;
         j = (uint32_t)parents[j]) {
        if (parents[j] == LMB_NONE) {
            return false;
        }
    }
    for (uint32_t j = joint; body->node_of[j] == LMB_NONE; j = (uint32_t)parents[j]) {
        body->node_of[j] = 0;
        if (j == body->job->root) {
            break;
        }
    }
    return true;
}

static void mark_goals(lmbi_body_solver *body)
{
    const lmb_ik_full_body_job *job = body->job;
    body->is_tree =
        !(job->rest_weight > 0.0f) && (job->previous == NULL || !(job->smooth_weight > 0.0f));
    for (uint32_t g = 0; g < job->goal_count; ++g) {
        const lmb_goal *goal = &job->goals[g];
        body->use[g] = lmbi_goal_is_finite(goal);
        body->has_ground = body->has_ground || goal->kind == LMB_GOAL_GROUND;
        if (goal->kind == LMB_GOAL_CENTER_OF_MASS) {
            body->has_mass = body->has_mass || body->use[g];
            body->is_tree = body->is_tree && !body->use[g];
            continue;
        }
        const bool two = goal->kind == LMB_GOAL_DISTANCE || goal->kind == LMB_GOAL_POLE;
        body->is_tree = body->is_tree && !two;
        bool under = mark_path(body, goal->joint);
        under = (!two || mark_path(body, goal->base)) && under;
        under = (goal->kind != LMB_GOAL_POLE || mark_path(body, goal->tip)) && under;
        assert(under && "a goal on a joint that is not under the root");
        (void)under;
    }
}

/// Every joint under the root moves the centre of mass.
static void mark_all_joints(lmbi_body_solver *body)
{
    for (uint32_t j = body->job->root; j < body->job->skeleton->joint_count; ++j) {
        (void)mark_path(body, j);
    }
}

static const lmb_joint_limit *limit_of(const lmb_ik_full_body_job *job, uint32_t joint)
{
    const lmb_joint_limit *limits = job->limits != NULL ? job->limits : job->skeleton->limits;
    return job->free || limits == NULL ||
                   (limits[joint].kind == LMB_JOINT_FREE && !limits[joint].has_box)
               ? NULL
               : &limits[joint];
}

static void make_nodes(lmbi_body_solver *body)
{
    const lmb_ik_full_body_job *job = body->job;
    for (uint32_t j = job->root; j < job->skeleton->joint_count; ++j) {
        if (body->node_of[j] == LMB_NONE) {
            continue;
        }
        lmbi_node *node = &body->nodes[body->node_count];
        *node = (lmbi_node){.joint = j,
                            .parent = LMB_NONE,
                            .limit = limit_of(job, j),
                            .stiffness = 1.0f,
                            .freedom_count = 3};
        if (body->node_count > 0) {
            node->parent = body->node_of[job->skeleton->parents[j]];
        }
        if (node->limit != NULL &&
            (node->limit->kind == LMB_JOINT_HINGE || node->limit->kind == LMB_JOINT_FIXED)) {
            node->freedom_count = node->limit->kind == LMB_JOINT_HINGE ? 1 : 0;
        }
        if (job->stiffness != NULL && job->stiffness[j] > 0.0f) {
            node->stiffness = job->stiffness[j];
        }
        body->node_of[j] = (int32_t)body->node_count++;
    }
}

/// Numbers the freedoms in postorder: subtree sizes from the leaves up, then offsets from the root
/// down.
static void number_freedoms(lmbi_body_solver *body)
{
    uint32_t *size = body->cursor;
    for (uint32_t n = 0; n < body->node_count; ++n) {
        size[n] = body->nodes[n].freedom_count;
    }
    for (uint32_t n = body->node_count; n-- > 1;) {
        size[body->nodes[n].parent] += size[n];
    }
    body->root_freedom = size[0];
    body->freedom_count = size[0] + (body->job->pinned ? 0 : 3);
    // `size` and `cursor` share memory: a node's size is read before its offset overwrites it.
    for (uint32_t n = 0; n < body->node_count; ++n) {
        lmbi_node *node = &body->nodes[n];
        const uint32_t own = size[n];
        if (n > 0) {
            node->first = body->cursor[node->parent];
            body->cursor[node->parent] += own;
        }
        node->freedom = node->first + own - node->freedom_count;
        body->cursor[n] = node->first;
    }
}

// ------------------------------------------------------------------------------------- its matrix

static uint32_t lowest_freedom(const lmbi_body_solver *body, uint32_t joint, uint32_t low)
{
    // The deepest joint on the path with freedoms has the lowest ones.
    for (int32_t n = body->node_of[joint]; n != LMB_NONE; n = body->nodes[n].parent) {
        if (body->nodes[n].freedom_count > 0) {
            return body->nodes[n].freedom < low ? body->nodes[n].freedom : low;
        }
    }
    return low;
}

static void extend_rows(lmbi_body_solver *body, uint32_t joint, uint32_t low)
{
    for (int32_t n = body->node_of[joint]; n != LMB_NONE; n = body->nodes[n].parent) {
        const lmbi_node *node = &body->nodes[n];
        for (uint32_t i = node->freedom; i < node->freedom + node->freedom_count; ++i) {
            body->begin[i] = low < body->begin[i] ? low : body->begin[i];
        }
    }
}

/// First column of each row: that of the subtree, or an earlier one where a goal couples branches.
static void find_profile(lmbi_body_solver *body)
{
    const lmb_ik_full_body_job *job = body->job;
    for (uint32_t n = 0; n < body->node_count; ++n) {
        const lmbi_node *node = &body->nodes[n];
        for (uint32_t i = node->freedom; i < node->freedom + node->freedom_count; ++i) {
            body->begin[i] = body->has_mass ? 0 : node->first;
        }
    }
    for (uint32_t i = body->root_freedom; i < body->freedom_count; ++i) {
        body->begin[i] = 0;
    }
    for (uint32_t g = 0; g < job->goal_count; ++g) {
        const lmb_goal *goal = &job->goals[g];
        if (goal->kind == LMB_GOAL_DISTANCE || goal->kind == LMB_GOAL_POLE) {
            const uint32_t third = goal->kind == LMB_GOAL_POLE ? goal->tip : goal->base;
            const uint32_t low = lowest_freedom(
                body, third,
                lowest_freedom(body, goal->base,
                               lowest_freedom(body, goal->joint, body->freedom_count)));
            extend_rows(body, goal->joint, low);
            extend_rows(body, goal->base, low);
            extend_rows(body, third, low);
        }
    }
}

static void allocate_rows(lmbi_body_solver *body, arena *a)
{
    body->entry_count = 0;
    for (uint32_t i = 0; i < body->freedom_count; ++i) {
        body->entry_count += i - body->begin[i] + 1;
    }
    body->matrix = allocate(a, body->entry_count, sizeof(float));
    body->factor = allocate(a, body->entry_count, sizeof(float));
    size_t at = 0;
    for (uint32_t i = 0; i < body->freedom_count; ++i) {
        body->row[i] = body->matrix + at;
        body->factor_row[i] = body->factor + at;
        at += i - body->begin[i] + 1;
    }
}

// ------------------------------------------------------------------------------------- its masses

static void add_mass(lmbi_body_solver *body, uint32_t joint, lmb_vec3 offset, float mass)
{
    if (mass > 0.0f) {
        body->masses[body->mass_count++] =
            (lmbi_mass){(uint32_t)body->node_of[joint], offset, mass};
    }
}

/// The given masses, or by default one at the middle of each bone in proportion to its length.
static void find_masses(lmbi_body_solver *body)
{
    const lmb_ik_full_body_job *job = body->job;
    for (uint32_t n = 0; n < body->node_count; ++n) {
        const uint32_t j = body->nodes[n].joint;
        if (job->masses != NULL) {
            add_mass(body, j,
                     job->mass_centers != NULL ? job->mass_centers[j] : lmb_vec3_make(0, 0, 0),
                     job->masses[j]);
        } else if (n > 0) {
            const lmb_vec3 bone = job->local[j].translation;
            add_mass(body, (uint32_t)job->skeleton->parents[j], lmb_vec3_scale(bone, 0.5f),
                     lmb_vec3_length(bone));
        }
    }
    float total = 0.0f;
    for (uint32_t m = 0; m < body->mass_count; ++m) {
        total += body->masses[m].fraction;
    }
    for (uint32_t m = 0; m < body->mass_count; ++m) {
        body->masses[m].fraction /= total;
    }
}

// ------------------------------------------------------------------------------------- its frames

static lmb_transform model_from_parent(const lmb_ik_full_body_job *job)
{
    lmb_transform above = lmb_transform_identity();
    for (int32_t j = job->skeleton->parents[job->root]; j != LMB_NONE;
         j = job->skeleton->parents[j]) {
        above = lmb_transform_mul(job->local[j], above);
    }
    return above;
}

/// Longest path from the root along the bones, the unit of length.
static float find_reach(lmbi_body_solver *body)
{
    float reach = 0.0f;
    for (uint32_t n = 1; n < body->node_count; ++n) {
        lmbi_node *node = &body->nodes[n];
        node->path_length =
            body->nodes[node->parent].path_length +
            lmb_vec3_distance(body->now[n].position, body->now[node->parent].position);
        reach = node->path_length > reach ? node->path_length : reach;
    }
    return reach > 0.0f ? reach : 1.0f;
}

void lmbi_body_read_pose(lmbi_body_solver *body)
{
    const lmb_ik_full_body_job *job = body->job;
    for (uint32_t n = 0; n < body->node_count; ++n) {
        lmbi_node *node = &body->nodes[n];
        lmb_transform *local = &job->local[node->joint];
        if (node->limit != NULL) {
            local->translation =
                lmbi_joint_limit_apply(node->limit, job->skeleton->rest[node->joint], *local)
                    .translation;
        }
        body->now[n].local = lmbi_node_clamp(body, node, lmb_quat_normalize(local->rotation));
    }
    body->now[0].position = lmb_vec3_sub(
        lmb_transform_point(body->model_from_parent, job->local[job->root].translation),
        body->origin);
    lmbi_body_frames(body, body->now);
}

static void read_frames(lmbi_body_solver *body)
{
    const lmb_ik_full_body_job *job = body->job;
    body->model_from_parent = model_from_parent(job);
    body->origin = lmb_transform_point(body->model_from_parent, job->local[job->root].translation);
    lmbi_body_read_pose(body);
    body->reach = find_reach(body);
}

void lmbi_body_set_up(lmbi_body_solver *body, const lmb_ik_full_body_job *job)
{
    const size_t joints = job->skeleton->joint_count;
    assert(job->root < joints && (job->goal_count == 0 || job->goals != NULL));
    memset(body, 0, sizeof(*body));
    body->job = job;
    arena a = {job->scratch, (uint8_t *)job->scratch + job->scratch_size};
    body->node_of = allocate(&a, joints, sizeof(*body->node_of));
    body->use = allocate(&a, job->goal_count, 1);
    for (size_t j = 0; j < joints; ++j) {
        body->node_of[j] = LMB_NONE;
    }
    (void)mark_path(body, job->root);
    mark_goals(body);
    if (body->has_mass) {
        mark_all_joints(body);
    }
    body->nodes = allocate(&a, joints, sizeof(*body->nodes));
    body->cursor = allocate(&a, joints, sizeof(*body->cursor));
    make_nodes(body);
    number_freedoms(body);
    const size_t nodes = body->node_count, freedoms = body->freedom_count;
    body->now = allocate(&a, nodes, sizeof(*body->now));
    body->trial = allocate(&a, nodes, sizeof(*body->trial));
    body->masses = allocate(&a, body->has_mass ? nodes : 0, sizeof(*body->masses));
    body->center = allocate(&a, body->has_mass ? nodes : 0, sizeof(*body->center));
    body->seeds = allocate(&a, nodes, sizeof(*body->seeds));
    body->inertias = allocate(&a, nodes, sizeof(*body->inertias));
    body->linears = allocate(&a, job->goal_count, sizeof(*body->linears));
    body->axes = allocate(&a, freedoms, sizeof(*body->axes));
    body->screws = allocate(&a, freedoms, sizeof(*body->screws));
    body->momenta = allocate(&a, freedoms, 6 * sizeof(float));
    body->rows = allocate(&a, freedoms, 3 * sizeof(float));
    body->gradient = allocate(&a, freedoms, sizeof(float));
    body->step = allocate(&a, freedoms, sizeof(float));
    body->damping = allocate(&a, freedoms, sizeof(float));
    body->begin = allocate(&a, freedoms, sizeof(uint32_t));
    body->row = allocate(&a, freedoms, sizeof(float *));
    body->factor_row = allocate(&a, freedoms, sizeof(float *));
    find_profile(body);
    allocate_rows(body, &a);
    read_frames(body);
    if (body->has_mass) {
        find_masses(body);
    }
}
