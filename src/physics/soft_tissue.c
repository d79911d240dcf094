/// Step of the soft tissue: each sub-step predicts, pulls particles to the skin, solves edges, then
/// volumes (XPBD, Macklin et al. 2016, one iteration per sub-step). Masses are 1: only frequencies
/// matter.
#include "physics/soft_tissue.h"

#include <math.h>
#include <string.h>

enum { SUB_STEPS_A_SECOND = 120, MOST_SUB_STEPS = 12 };

static const float tau = 6.28318530717958647693f;

// ----------------------------------------------------------------------------------------- volume

/// Returns six times the volume of the tetrahedron of `origin` and a triangle. On a closed surface
/// the gradient is the same for all three corners: twice the triangle's area along its normal.
static inline double add_tetrahedron(lmb_vec3 origin, lmb_vec3 a, lmb_vec3 b, lmb_vec3 c,
                                     lmb_vec3 *by_a, lmb_vec3 *by_b, lmb_vec3 *by_c)
{
    const lmb_vec3 n = lmb_vec3_cross(lmb_vec3_sub(b, a), lmb_vec3_sub(c, a));
    *by_a = lmb_vec3_add(*by_a, n);
    *by_b = lmb_vec3_add(*by_b, n);
    *by_c = lmb_vec3_add(*by_c, n);
    return (double)lmb_vec3_dot(lmb_vec3_sub(a, origin), n);
}

static void find_loop_centers(lmb_soft_tissue *f, const lmbi_soft_tissue_region *r, lmb_vec3 origin)
{
    if (r->loop_count == 0) {
        return; // the arrays may be NULL
    }
    memset(f->loop_center + r->first_loop, 0, r->loop_count * sizeof *f->loop_center);
    memset(f->loop_gradient + r->first_loop, 0, r->loop_count * sizeof *f->loop_gradient);
    for (uint32_t k = r->first_boundary_edge; k < r->first_boundary_edge + r->boundary_edge_count;
         ++k) {
        const lmbi_soft_tissue_boundary_edge *edge = &f->boundary_edges[k];
        f->loop_center[edge->loop] =
            lmb_vec3_mad(f->loop_center[edge->loop], lmb_vec3_sub(f->position[edge->a], origin),
                         1.0f / (float)f->loop_sides[edge->loop]);
    }
}

/// Six times the volume of the fans that close the region's holes.
static double add_boundary_fans(lmb_soft_tissue *f, const lmbi_soft_tissue_region *r,
                                lmb_vec3 origin)
{
    double sum = 0;
    find_loop_centers(f, r, origin);
    for (uint32_t k = r->first_boundary_edge; k < r->first_boundary_edge + r->boundary_edge_count;
         ++k) {
        const lmbi_soft_tissue_boundary_edge *edge = &f->boundary_edges[k];
        sum +=
            add_tetrahedron(origin, f->position[edge->b], f->position[edge->a],
                            lmb_vec3_add(origin, f->loop_center[edge->loop]), &f->gradient[edge->b],
                            &f->gradient[edge->a], &f->loop_gradient[edge->loop]);
    }
    for (uint32_t k = r->first_boundary_edge; k < r->first_boundary_edge + r->boundary_edge_count;
         ++k) {
        const lmbi_soft_tissue_boundary_edge *edge = &f->boundary_edges[k];
        f->gradient[edge->a] = lmb_vec3_mad(f->gradient[edge->a], f->loop_gradient[edge->loop],
                                            1.0f / (float)f->loop_sides[edge->loop]);
    }
    return sum;
}

double lmbi_soft_tissue_volume(lmb_soft_tissue *f, const lmbi_soft_tissue_region *r)
{
    const uint32_t *members = f->members + r->first_member;
    const lmb_vec3 origin = f->position[members[0]];
    double sum = 0;
    for (uint32_t k = 0; k < r->member_count; ++k) {
        f->gradient[members[k]] = lmb_vec3_make(0, 0, 0);
    }
    const uint32_t *t = f->triangles + 3 * (size_t)r->first_triangle;
    for (uint32_t k = 0; k < r->triangle_count; ++k, t += 3) {
        sum += add_tetrahedron(origin, f->position[t[0]], f->position[t[1]], f->position[t[2]],
                               &f->gradient[t[0]], &f->gradient[t[1]], &f->gradient[t[2]]);
    }
    return (sum + add_boundary_fans(f, r, origin)) / 6;
}

static void solve_volume(lmb_soft_tissue *f, const lmbi_soft_tissue_region *r)
{
    const double error = lmbi_soft_tissue_volume(f, r) - r->volume;
    if (!(fabs(error) > 0)) {
        return;
    }
    const uint32_t *members = f->members + r->first_member;
    double sum = 0;
    float longest = 0.0f;
    for (uint32_t k = 0; k < r->member_count; ++k) {
        const lmb_vec3 g = f->gradient[members[k]];
        const float length2 = f->volume_weight[members[k]] * lmb_vec3_dot(g, g);
        longest = fmaxf(longest, f->volume_weight[members[k]] * length2);
        sum += (double)length2;
    }
    if (!(sum > 0)) {
        return;
    }
    // Gradients are scaled by 6, hence 6 error / sum. A collapsed region recovers in clamped steps
    // that add no velocity, since it may be unable to recover at all.
    const float max_scale = r->size / lmb_sqrt(longest), full = (float)(-6 * error / sum);
    const float scale = fminf(fmaxf(full, -max_scale), max_scale);
    const float velocity_free_scale = fabsf(full) > 0.25f * max_scale ? scale : 0.0f;
    for (uint32_t k = 0; k < r->member_count; ++k) {
        const uint32_t p = members[k];
        f->position[p] = lmb_vec3_mad(f->position[p], f->gradient[p], scale * f->volume_weight[p]);
        f->previous[p] =
            lmb_vec3_mad(f->previous[p], f->gradient[p], velocity_free_scale * f->volume_weight[p]);
    }
}

// -------------------------------------------------------------------------------------- sub-steps

/// XPBD spring of a given frequency and damping over a sub-step: fractions of the distance to the
/// target, and of the travel relative to it in this sub-step, that are removed.
static void find_spring_weights(lmb_soft_tissue *f, float h)
{
    for (uint32_t p = 0; p < f->particle_count; ++p) {
        const float w = tau * f->hz[p], alpha = 1.0f / (w * w * h * h);
        const float gamma = 2.0f * f->damping / (w * h);
        f->spring_weight[p] = 1.0f / (1.0f + gamma + alpha);
        f->damping_weight[p] = gamma * f->spring_weight[p];
    }
}

/// Predicts, then pulls to the target. The target moves from fraction `from` to `to` of the frame's
/// motion.
static void predict_and_spring(lmb_soft_tissue *f, float h, float from, float to)
{
    for (uint32_t p = 0; p < f->particle_count; ++p) {
        const lmb_vec3 travel = lmb_vec3_sub(f->target[p], f->target_before[p]);
        const lmb_vec3 target = lmb_vec3_mad(f->target_before[p], travel, to),
                       target_last = lmb_vec3_mad(f->target_before[p], travel, from);
        const lmb_vec3 at = lmb_vec3_mad(f->position[p], f->velocity[p], h);
        const lmb_vec3 error = lmb_vec3_sub(at, target);
        const lmb_vec3 drift =
            lmb_vec3_sub(lmb_vec3_sub(at, f->position[p]), lmb_vec3_sub(target, target_last));
        f->previous[p] = f->position[p];
        f->position[p] = lmb_vec3_sub(lmb_vec3_mad(at, error, -f->spring_weight[p]),
                                      lmb_vec3_scale(drift, f->damping_weight[p]));
    }
}

/// Rest lengths are those of the skinned mesh in this frame.
static void measure_edges(lmb_soft_tissue *f)
{
    for (uint32_t k = 0; k < f->edge_count; ++k) {
        const lmbi_soft_tissue_edge e = f->edges[k];
        const lmb_vec3 d = lmb_vec3_sub(f->target[e.a], f->target[e.b]);
        f->edges[k].length = sqrtf(lmb_vec3_dot(d, d));
    }
}

/// One compliant edge: its multiplier accumulates over the sub-step.
static inline void solve_edge(lmb_soft_tissue *f, lmbi_soft_tissue_edge *e, float alpha,
                              float weight)
{
    const lmb_vec3 d = lmb_vec3_sub(f->position[e->a], f->position[e->b]);
    const float length = sqrtf(lmb_vec3_dot(d, d));
    const float lambda = (e->length - length - alpha * e->lambda) * weight;
    const float scale = length > 0.0f ? lambda / length : 0.0f;
    e->lambda += lambda;
    f->position[e->a] = lmb_vec3_mad(f->position[e->a], d, scale);
    f->position[e->b] = lmb_vec3_mad(f->position[e->b], d, -scale);
}

/// Forward and backward Gauss-Seidel sweep. One direction alone is not a symmetric operator: its
/// residual rotates and grows with every sub-step.
static void solve_edges(lmb_soft_tissue *f, float h)
{
    const float w = tau * f->stretch_hz, alpha = 1.0f / (w * w * h * h);
    const float weight = 1.0f / (2.0f + alpha);
    for (uint32_t k = 0; k < f->edge_count; ++k) {
        f->edges[k].lambda = 0.0f;
        solve_edge(f, &f->edges[k], alpha, weight);
    }
    for (uint32_t k = f->edge_count; k-- > 0;) {
        solve_edge(f, &f->edges[k], alpha, weight);
    }
}

static void run_sub_step(lmb_soft_tissue *f, float h, float from, float to)
{
    predict_and_spring(f, h, from, to);
    solve_edges(f, h);
    for (uint32_t r = 0; r < f->region_count; ++r) {
        solve_volume(f, &f->regions[r]);
    }
    const float rate = 1.0f / h;
    for (uint32_t p = 0; p < f->particle_count; ++p) {
        f->velocity[p] = lmb_vec3_scale(lmb_vec3_sub(f->position[p], f->previous[p]), rate);
    }
}

static void start_at_targets(lmb_soft_tissue *f)
{
    const size_t bytes = f->particle_count * sizeof *f->position;
    memcpy(f->position, f->target, bytes);
    memcpy(f->target_before, f->target, bytes);
    memset(f->velocity, 0, bytes);
    f->started = true;
    f->fresh = true;
}

/// Starts with the targets' velocity, as the first frame may be in mid-motion.
static void start_with_target_velocity(lmb_soft_tissue *f, float dt)
{
    for (uint32_t p = 0; p < f->particle_count; ++p) {
        f->velocity[p] = lmb_vec3_scale(lmb_vec3_sub(f->target[p], f->target_before[p]), 1.0f / dt);
    }
    f->fresh = false;
}

void lmb_soft_tissue_step(const lmb_soft_tissue_step_job *job)
{
    lmb_soft_tissue *f = job->tissue;
    for (uint32_t p = 0; p < f->particle_count; ++p) {
        f->target[p] = job->targets[f->vertex_of[p]];
    }
    if (!f->started || job->restart) {
        start_at_targets(f);
    }
    // Long pauses are clamped: velocities from short sub-steps do not extrapolate over long ones.
    const float longest = (float)MOST_SUB_STEPS / (float)SUB_STEPS_A_SECOND;
    const float dt = fminf(job->dt_s, longest);
    const int count = (int)ceilf(dt * (float)SUB_STEPS_A_SECOND - 1e-3f);
    if (count > 0) {
        const float h = dt / (float)count;
        if (f->fresh) {
            start_with_target_velocity(f, dt);
        }
        find_spring_weights(f, h);
        measure_edges(f);
        for (int k = 0; k < count; ++k) {
            run_sub_step(f, h, (float)k / (float)count, (float)(k + 1) / (float)count);
        }
        memcpy(f->target_before, f->target, f->particle_count * sizeof *f->target);
    }
    for (uint32_t v = 0; v < f->vertex_count; ++v) {
        job->positions[v] = f->position[f->particle_of[v]];
    }
}

void lmb_soft_tissue_measure(lmb_soft_tissue *f, lmb_soft_tissue_report *out)
{
    double kinetic = 0, volume_error = 0, volume = 0, stretch = 0;
    float offset = 0;
    for (uint32_t p = 0; p < f->particle_count; ++p) {
        kinetic += 0.5 * (double)lmb_vec3_dot(f->velocity[p], f->velocity[p]);
        offset = fmaxf(offset, lmb_vec3_distance(f->position[p], f->target[p]));
    }
    for (uint32_t r = 0; r < f->region_count; ++r) {
        const lmbi_soft_tissue_region *region = &f->regions[r];
        if (region->member_count > 0) {
            volume_error += fabs(lmbi_soft_tissue_volume(f, region) - region->volume);
            volume += fabs(region->volume);
        }
    }
    for (uint32_t e = 0; e < f->edge_count; ++e) {
        const lmbi_soft_tissue_edge *edge = &f->edges[e];
        const float length = lmb_vec3_distance(f->position[edge->a], f->position[edge->b]),
                    skin = lmb_vec3_distance(f->target[edge->a], f->target[edge->b]),
                    relative = skin > 0 ? length / skin - 1 : 0;
        stretch += (double)(relative * relative);
    }
    *out = (lmb_soft_tissue_report){
        .particle_count = f->particle_count,
        .edge_count = f->edge_count,
        .region_count = f->region_count,
        .kinetic = f->particle_count > 0 ? (float)(kinetic / f->particle_count) : 0,
        .offset_m = offset,
        .volume = volume > 0 ? (float)(volume_error / volume) : 0,
        .stretch = f->edge_count > 0 ? (float)sqrt(stretch / f->edge_count) : 0};
}

// ----------------------------------------------------------------------------------------- normals
// The skin's normals, rotated as the surface is.

/// Area-weighted particle normals, not normalised.
static void sum_faces(const lmb_soft_tissue *f, const lmb_vec3 *positions, lmb_vec3 *normals)
{
    memset(normals, 0, f->particle_count * sizeof *normals);
    for (uint32_t t = 0; t < f->surface_triangle_count; ++t) {
        const uint32_t *c = f->surface_triangles + 3 * (size_t)t;
        const lmb_vec3 a = positions[f->vertex_of[c[0]]], b = positions[f->vertex_of[c[1]]],
                       d = positions[f->vertex_of[c[2]]];
        const lmb_vec3 n = lmb_vec3_cross(lmb_vec3_sub(b, a), lmb_vec3_sub(d, a));
        for (int k = 0; k < 3; ++k) {
            normals[c[k]] = lmb_vec3_add(normals[c[k]], n);
        }
    }
}

static bool is_zero(lmb_vec3 v)
{
    return !(lmb_vec3_dot(v, v) > 0);
}

void lmb_soft_tissue_normals(const lmb_soft_tissue_normals_job *job)
{
    lmb_soft_tissue *f = job->tissue;
    sum_faces(f, job->targets, f->normals[0]);
    sum_faces(f, job->positions, f->normals[1]);
    for (uint32_t v = 0; v < f->vertex_count; ++v) {
        const lmb_vec3 from = f->normals[0][f->particle_of[v]],
                       to = f->normals[1][f->particle_of[v]];
        const lmb_vec3 difference = lmb_vec3_sub(from, to);
        if (is_zero(from) || is_zero(to) || is_zero(difference)) {
            job->out[v] = job->normals[v];
            continue;
        }
        const lmb_quat rotation =
            lmb_quat_between(lmb_vec3_normalize_or(from, lmb_vec3_make(0, 1, 0)),
                             lmb_vec3_normalize_or(to, lmb_vec3_make(0, 1, 0)));
        job->out[v] =
            lmb_vec3_normalize_or(lmb_quat_rotate(rotation, job->normals[v]), job->normals[v]);
    }
}

// -------------------------------------------------------------------------------------------- drag
// Stateless soft tissue: each joint's contribution to a vertex lags along the arc on which the
// joint moves (after Rohmer et al., Velocity Skinning for Real-time Stylized Skeletal Animation,
// 2021).

/// Angular and linear velocity that take `before` to `now` in dt.
static lmb_soft_tissue_motion velocity_between(const lmb_mat4 *now, const lmb_mat4 *before,
                                               float dt)
{
    lmb_transform a, b;
    lmb_mat4_decompose(*now, &a);
    lmb_mat4_decompose(*before, &b);
    lmb_quat q = lmb_quat_mul(a.rotation, lmb_quat_conjugate(b.rotation));
    if (q.w < 0.0f) {
        q = lmb_quat_make(-q.x, -q.y, -q.z, -q.w);
    }
    const lmb_vec3 vector = {q.x, q.y, q.z};
    const float sine = lmb_vec3_length(vector);
    const float rate = sine > 0.0f ? 2.0f * lmb_atan2(sine, q.w) / (sine * dt) : 0.0f;
    const lmb_soft_tissue_motion m = {
        lmb_vec3_scale(vector, rate), a.translation,
        lmb_vec3_scale(lmb_vec3_sub(a.translation, b.translation), 1.0f / dt)};
    return m;
}

/// Position `lag` ago of a point that moves with the joint, at constant velocity. The rotation
/// angle is 2 atan(angle / 2), about the angle itself for visible lags.
static lmb_vec3 position_before(const lmb_soft_tissue_motion *m, lmb_vec3 p, float lag)
{
    const lmb_vec3 half = lmb_vec3_scale(m->axis, -0.5f * lag);
    const float inverse = 1.0f / lmb_sqrt(1.0f + lmb_vec3_dot(half, half));
    const lmb_quat back =
        lmb_quat_make(half.x * inverse, half.y * inverse, half.z * inverse, inverse);
    const lmb_vec3 rotated = lmb_quat_rotate(back, lmb_vec3_sub(p, m->at));
    return lmb_vec3_mad(lmb_vec3_add(m->at, rotated), m->speed, -lag);
}

static bool is_moving(const lmb_soft_tissue_motion *m)
{
    return lmb_vec3_dot(m->axis, m->axis) > 0.0f || lmb_vec3_dot(m->speed, m->speed) > 0.0f;
}

void lmb_soft_tissue_drag(const lmb_soft_tissue_drag_job *job)
{
    for (uint32_t j = 0; j < job->joint_count; ++j) {
        job->motions[j] = velocity_between(&job->palette[j], &job->before[j], job->dt_s);
    }
    for (uint32_t v = 0; v < job->vertex_count; ++v) {
        const float lag = job->lag_s * (job->soft != NULL ? job->soft[v] : 1.0f);
        lmb_vec3 sum = {0, 0, 0};
        for (uint32_t i = job->influences->first[v]; i < job->influences->first[v + 1]; ++i) {
            const lmb_influence in = job->influences->items[i];
            const lmb_soft_tissue_motion m = job->motions[in.joint];
            lmb_vec3 at = lmb_mat4_point(job->palette[in.joint], job->bind[v]);
            if (lag > 0.0f && is_moving(&m)) {
                at = position_before(&m, at, lag);
            }
            sum = lmb_vec3_mad(sum, at, in.weight);
        }
        job->positions[v] = sum;
    }
}
