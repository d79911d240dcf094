/// Set-up of a chain or tree of joints for the solvers; its forward kinematics, limits and errors.
#include "ik/chain.h"
#include "asset/asset.h"

#include <string.h>

// ----------------------------------------------------------------------------------------- memory

typedef struct arena {
    uint8_t *at;
    size_t left;
} arena;

static void *allocate(arena *a, size_t count, size_t size)
{
    const size_t bytes = (count * size + 15) & ~(size_t)15;
    if (a->at == NULL || bytes > a->left) {
        a->at = NULL;
        return NULL;
    }
    void *block = a->at;
    a->at += bytes;
    a->left -= bytes;
    return block;
}

static size_t padded(size_t count, size_t size)
{
    return (count * size + 15) & ~(size_t)15;
}

/// Upper bound of the number of links: joints on the paths from the ends to the root, shared ones
/// counted repeatedly. 0 when an end is not below the root.
static uint32_t max_links(const lmb_ik_chain_job *job)
{
    uint32_t count = 0;
    for (uint32_t e = 0; e < job->end_count; ++e) {
        int32_t at = (int32_t)job->ends[e].joint;
        for (++count; at > (int32_t)job->root; ++count) {
            at = job->skeleton->parents[at];
        }
        if (at != (int32_t)job->root) {
            return 0;
        }
    }
    return count < job->skeleton->joint_count ? count : job->skeleton->joint_count;
}

size_t lmbi_chain_size(const lmb_ik_chain_job *job, uint32_t *link_count)
{
    const size_t links = max_links(job), ends = job->end_count;
    *link_count = (uint32_t)links;
    return padded(links, sizeof(lmbi_link)) + padded(ends, sizeof(lmbi_end)) +
           3 * padded(links, sizeof(lmbi_link_state)) + padded(ends, sizeof(lmbi_end_error)) +
           2 * padded(links, sizeof(lmb_vec3));
}

// ----------------------------------------------------------------------------------------- set-up

/// Merges the path from `joint` to the root into the links, sorted by joint, up to the first joint
/// that is present. Two passes: count the new joints, then write them from the back.
static void add_path(lmbi_ik_chain *chain, uint32_t joint)
{
    const int32_t *parents = chain->job->skeleton->parents;
    uint32_t k = chain->link_count, fresh = 0;
    for (int32_t at = (int32_t)joint; at >= (int32_t)chain->job->root; at = parents[at]) {
        while (k > 0 && chain->links[k - 1].joint > (uint32_t)at) {
            --k;
        }
        if (k > 0 && chain->links[k - 1].joint == (uint32_t)at) {
            break;
        }
        ++fresh;
    }
    uint32_t from = chain->link_count;
    chain->link_count += fresh;
    for (uint32_t to = chain->link_count; fresh > 0;) {
        if (from > 0 && chain->links[from - 1].joint > joint) {
            chain->links[--to] = chain->links[--from];
        } else {
            chain->links[--to] = (lmbi_link){.joint = joint};
            joint = (uint32_t)parents[joint]; // unread after the root, which is the last one added
            --fresh;
        }
    }
}

/// A single path needs no merging.
static void add_single_path(lmbi_ik_chain *chain, uint32_t joint, uint32_t count)
{
    int32_t at = (int32_t)joint;
    for (uint32_t k = count; k-- > 0;) {
        chain->links[k] = (lmbi_link){.joint = (uint32_t)at, .parent = (int32_t)k - 1};
        at = chain->job->skeleton->parents[at];
    }
    chain->link_count = count;
}

static void find_parents(lmbi_ik_chain *chain)
{
    for (uint32_t k = 0; k < chain->link_count; ++k) {
        lmbi_link *link = &chain->links[k];
        int32_t parent = (int32_t)k - 1;
        while (parent >= 0 &&
               (int32_t)chain->links[parent].joint != chain->job->skeleton->parents[link->joint]) {
            --parent;
        }
        link->parent = parent;
    }
}

/// Model units per unit of the frame of `joint`; 1 for the model itself.
static float scale_of(const lmb_ik_chain_job *job, int32_t joint)
{
    if (joint < 0) {
        return 1.0f;
    }
    const float *m = job->model_from_joint[joint].m;
    const float scale = lmbi_vec3_length(lmb_vec3_make(m[0], m[1], m[2]));
    return scale > 0.0f ? scale : 1.0f;
}

static void set_limit(lmbi_ik_chain *chain, lmbi_link *link, const lmb_joint_limit *limits)
{
    const int32_t joint = (int32_t)link->joint;
    const lmb_joint_limit *limit = limits ? &limits[joint] : NULL;
    link->rotates = true;
    link->scale = 1.0f;
    if (limit == NULL || (limit->kind == LMB_JOINT_FREE && !limit->has_box)) {
        return;
    }
    link->limit = limit;
    link->rotates = limit->kind != LMB_JOINT_FIXED;
    link->rest = chain->job->skeleton->rest[joint];
    chain->has_limits = true;
    link->scale = scale_of(chain->job, chain->job->skeleton->parents[joint]);
    if (limit->has_box && limit->kind != LMB_JOINT_FIXED) {
        const lmb_vec3 wide = lmb_vec3_sub(limit->box.high, limit->box.low);
        link->slides = (uint8_t)((wide.x > 0.0f) | (wide.y > 0.0f) << 1 | (wide.z > 0.0f) << 2);
        chain->slides |= link->slides != 0;
    }
}

/// Model rotations are accumulated from the root's parent; positions come from model_from_joint.
static void read_pose(lmbi_ik_chain *chain)
{
    const lmb_ik_chain_job *job = chain->job;
    const int32_t above = job->skeleton->parents[job->root];
    lmb_transform parent = lmb_transform_identity();
    if (above != LMB_NONE) {
        lmb_mat4_decompose(job->model_from_joint[above], &parent);
    }
    chain->base_rotation = parent.rotation;
    chain->base_position = parent.translation;
    for (uint32_t k = 0; k < chain->link_count; ++k) {
        const lmbi_link *link = &chain->links[k];
        lmbi_link_state *s = &chain->now[k];
        const lmb_quat frame = lmbi_parent_rotation(chain, chain->now, k);
        const lmb_vec3 from =
            link->parent < 0 ? chain->base_position : chain->now[link->parent].position;
        s->local = job->local[link->joint].rotation;
        s->rotation = lmbi_quat_renormalize(lmbi_quat_mul(frame, s->local));
        s->position = lmb_mat4_translation(job->model_from_joint[link->joint]);
        s->offset = lmbi_quat_rotate(lmb_quat_conjugate(frame), lmb_vec3_sub(s->position, from));
        s->clamped = false;
    }
}

/// Bone length from the root to an end. `min_reach` receives the radius that the chain cannot fold into:
/// by how much the longest bone exceeds the sum of the others.
static float path_length(const lmbi_ik_chain *chain, const lmbi_end *end, float *min_reach)
{
    float sum = lmbi_vec3_length(end->offset), longest = sum;
    for (int32_t k = (int32_t)end->link; k > 0; k = chain->links[k].parent) {
        const float bone = lmbi_vec3_length(chain->now[k].offset);
        sum += bone;
        longest = bone > longest ? bone : longest;
    }
    *min_reach = 2.0f * longest - sum > 0.0f ? 2.0f * longest - sum : 0.0f;
    return sum;
}

/// Moves an unreachable target to just short of full extension, or of full folding, where the
/// Jacobian still has rank.
static void bring_into_reach(const lmbi_ik_chain *chain, lmbi_end *end, float length,
                             float min_reach)
{
    const lmb_vec3 root = chain->now[0].position, to_target = lmb_vec3_sub(end->target, root);
    const float distance = lmbi_vec3_length(to_target);
    if (chain->slides || (distance <= length && distance >= min_reach)) {
        return;
    }
    end->is_out_of_reach = true;
    const lmb_vec3 toward = lmb_vec3_normalize_or(to_target, lmb_vec3_make(0, -1, 0));
    const float to = distance > length ? length * (1.0f - 1e-4f) : min_reach + 1e-4f * length;
    end->target = lmb_vec3_mad(root, toward, to);
}

static bool quat_is_finite(lmb_quat q)
{
    return isfinite(q.x) && isfinite(q.y) && isfinite(q.z) && isfinite(q.w);
}

static void set_end(lmbi_ik_chain *chain, const lmb_ik_end *goal, uint32_t e)
{
    lmbi_end *end = &chain->ends[e];
    uint32_t k = chain->link_count;
    while (chain->links[--k].joint != goal->joint) {
    }
    *end = (lmbi_end){.link = k, .weight = goal->weight > 0.0f ? goal->weight : 1.0f};
    if (lmb_vec3_dot(goal->offset, goal->offset) > 0.0f && lmb_vec3_is_finite(goal->offset)) {
        end->offset = lmb_vec3_scale(goal->offset, scale_of(chain->job, (int32_t)goal->joint));
    }
    ++chain->links[k].child_count;
    for (int32_t at = (int32_t)k; at >= 0; at = chain->links[at].parent) {
        chain->links[at].ends |= (uint64_t)1 << e;
    }
    float min_reach;
    const float length = path_length(chain, end, &min_reach);
    chain->reach = length > chain->reach ? length : chain->reach;
    end->target = goal->target;
    if (!lmb_vec3_is_finite(goal->target)) {
        end->weight = 0.0f;
        end->target = lmb_vec3_add(chain->now[k].position,
                                   lmbi_quat_rotate(chain->now[k].rotation, end->offset));
    }
    bring_into_reach(chain, end, length, min_reach);
    if (goal->orient && quat_is_finite(goal->rotation)) {
        end->rotation = lmb_quat_normalize(goal->rotation);
        end->turn_weight = goal->rotation_weight > 0.0f ? goal->rotation_weight : 0.25f * length;
    }
}

bool lmbi_chain_set_up(lmbi_ik_chain *chain, const lmb_ik_chain_job *job)
{
    uint32_t max_link_count;
    if (job->end_count == 0 || job->end_count > LMBI_ENDS ||
        job->scratch_size < lmbi_chain_size(job, &max_link_count) || max_link_count == 0) {
        return false;
    }
    arena a = {job->scratch, job->scratch_size};
    *chain = (lmbi_ik_chain){.job = job, .end_count = job->end_count, .best_cost = INFINITY};
    chain->links = allocate(&a, max_link_count, sizeof(lmbi_link));
    chain->ends = allocate(&a, job->end_count, sizeof(lmbi_end));
    chain->now = allocate(&a, max_link_count, sizeof(lmbi_link_state));
    chain->trial = allocate(&a, max_link_count, sizeof(lmbi_link_state));
    chain->best = allocate(&a, max_link_count, sizeof(lmbi_link_state));
    chain->errors = allocate(&a, job->end_count, sizeof(lmbi_end_error));
    chain->rotations = allocate(&a, max_link_count, sizeof(lmb_vec3));
    chain->moves = allocate(&a, max_link_count, sizeof(lmb_vec3));
    chain->work = a.at;
    if (job->end_count == 1) {
        add_single_path(chain, job->ends[0].joint, max_link_count);
    } else {
        for (uint32_t e = 0; e < job->end_count; ++e) {
            add_path(chain, job->ends[e].joint);
        }
        find_parents(chain);
    }
    const lmb_joint_limit *limits =
        job->free ? NULL : (job->limits ? job->limits : job->skeleton->limits);
    for (uint32_t k = 0; k < chain->link_count; ++k) {
        set_limit(chain, &chain->links[k], limits);
        chain->moves[k] = lmb_vec3_make(0, 0, 0);
        if (k > 0) {
            ++chain->links[chain->links[k].parent].child_count;
        }
    }
    read_pose(chain);
    for (uint32_t e = 0; e < job->end_count; ++e) {
        set_end(chain, &job->ends[e], e);
    }
    chain->tolerance = job->tolerance > 0.0f ? job->tolerance : 1e-4f * chain->reach;
    chain->tolerance_rad = job->tolerance_rad > 0.0f ? job->tolerance_rad : 1e-3f;
    return true;
}

// ------------------------------------------------------------------------------------- kinematics

static void update_link(const lmbi_ik_chain *chain, lmbi_link_state *state, uint32_t k)
{
    const int32_t parent = chain->links[k].parent;
    const lmb_quat frame = parent < 0 ? chain->base_rotation : state[parent].rotation;
    const lmb_vec3 from = parent < 0 ? chain->base_position : state[parent].position;
    state[k].position = lmb_vec3_add(from, lmbi_quat_rotate(frame, state[k].offset));
    state[k].rotation = lmbi_quat_renormalize(lmbi_quat_mul(frame, state[k].local));
}

void lmbi_chain_forward(const lmbi_ik_chain *chain, lmbi_link_state *state)
{
    for (uint32_t k = 0; k < chain->link_count; ++k) {
        update_link(chain, state, k);
    }
}

static bool differs(lmb_quat a, lmb_quat b)
{
    const float sign = lmb_quat_dot(a, b) < 0.0f ? -1.0f : 1.0f;
    const lmb_quat d =
        lmb_quat_make(a.x - sign * b.x, a.y - sign * b.y, a.z - sign * b.z, a.w - sign * b.w);
    return lmb_quat_dot(d, d) > 1e-11f;
}

static void clamp_link(const lmbi_link *link, lmbi_link_state *s)
{
    const lmb_joint_limit *limit = link->limit;
    s->clamped = false;
    if (limit == NULL) {
        return;
    }
    if (limit->kind != LMB_JOINT_FREE) {
        const lmb_quat rotation = lmbi_quat_mul(lmb_quat_conjugate(link->rest.rotation), s->local);
        const lmb_quat inside = lmbi_joint_limit_clamp(limit, rotation);
        s->clamped = differs(rotation, inside);
        s->local = lmbi_quat_renormalize(lmbi_quat_mul(link->rest.rotation, inside));
    }
    if (limit->has_box || limit->kind == LMB_JOINT_FIXED) {
        lmb_transform local = {lmb_vec3_scale(s->offset, 1.0f / link->scale), s->local, {1, 1, 1}};
        local = lmbi_joint_limit_apply(limit, link->rest, local);
        const lmb_vec3 inside = lmb_vec3_scale(local.translation, link->scale);
        s->clamped |= lmb_vec3_distance(inside, s->offset) > 1e-5f * link->scale;
        s->offset = inside;
    }
}

void lmbi_chain_clamp_link(const lmbi_ik_chain *chain, lmbi_link_state *state, uint32_t k)
{
    clamp_link(&chain->links[k], &state[k]);
    update_link(chain, state, k);
}

void lmbi_chain_clamp(const lmbi_ik_chain *chain, lmbi_link_state *state)
{
    for (uint32_t k = 0; k < chain->link_count; ++k) {
        lmbi_chain_clamp_link(chain, state, k);
    }
}

void lmbi_chain_step(const lmbi_ik_chain *chain, const lmbi_link_state *from, lmbi_link_state *to)
{
    for (uint32_t k = 0; k < chain->link_count; ++k) {
        const lmb_quat back = lmb_quat_conjugate(lmbi_parent_rotation(chain, from, k));
        const lmb_quat rotated =
            lmbi_quat_mul(lmbi_quat_from_step(chain->rotations[k]), from[k].rotation);
        to[k].local = lmbi_quat_renormalize(lmbi_quat_mul(back, rotated));
        to[k].offset = from[k].offset;
        if (chain->links[k].slides) {
            to[k].offset = lmb_vec3_add(to[k].offset, lmbi_quat_rotate(back, chain->moves[k]));
        }
        lmbi_chain_clamp_link(chain, to, k);
    }
}

// ----------------------------------------------------------------------------------------- errors

float lmbi_chain_measure_errors(lmbi_ik_chain *chain, const lmbi_link_state *state)
{
    float cost = 0.0f;
    for (uint32_t e = 0; e < chain->end_count; ++e) {
        const lmbi_end *end = &chain->ends[e];
        const lmbi_link_state *s = &state[end->link];
        lmbi_end_error *error = &chain->errors[e];
        error->position = lmb_vec3_add(s->position, lmbi_quat_rotate(s->rotation, end->offset));
        error->to_target = end->weight > 0.0f ? lmb_vec3_sub(end->target, error->position)
                                              : lmb_vec3_make(0, 0, 0);
        cost += end->weight * end->weight * lmb_vec3_dot(error->to_target, error->to_target);
        error->rotation = lmb_vec3_make(0, 0, 0);
        if (end->turn_weight > 0.0f) {
            error->rotation = lmbi_quat_rotation_vector(
                lmbi_quat_mul(end->rotation, lmb_quat_conjugate(s->rotation)));
            cost += end->turn_weight * end->turn_weight *
                    lmb_vec3_dot(error->rotation, error->rotation);
        }
    }
    return cost;
}

bool lmbi_chain_is_met(const lmbi_ik_chain *chain)
{
    // Half the tolerance, because the caller's forward kinematics rounds differently.
    const float most = 0.5f * chain->tolerance, most_rad = 0.5f * chain->tolerance_rad;
    for (uint32_t e = 0; e < chain->end_count; ++e) {
        const lmbi_end_error *error = &chain->errors[e];
        if (lmb_vec3_dot(error->to_target, error->to_target) > most * most ||
            lmb_vec3_dot(error->rotation, error->rotation) > most_rad * most_rad) {
            return false;
        }
    }
    return true;
}

float lmbi_chain_worst(const lmbi_ik_chain *chain)
{
    float worst = 0.0f;
    for (uint32_t e = 0; e < chain->end_count; ++e) {
        const float distance = lmbi_vec3_length(chain->errors[e].to_target);
        worst = distance > worst ? distance : worst;
    }
    return worst;
}

bool lmbi_chain_count_iteration(lmbi_ik_chain *chain, float cost)
{
    if (cost < chain->best_cost) {
        chain->best_cost = cost;
        memcpy(chain->best, chain->now, chain->link_count * sizeof(*chain->now));
    }
    if (chain->iterations < chain->max_iterations && chain->job->trace &&
        chain->iterations < chain->job->max_iterations) {
        chain->job->trace[chain->iterations] = lmbi_chain_worst(chain);
    }
    ++chain->iterations;
    return chain->iterations >= chain->max_iterations || lmbi_chain_is_met(chain);
}
