/// Dual quaternion skinning with per-vertex linear blend weights and bulge correction.
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "skin/binding.h"
#include "skin/linear_kernels.h"
#include "skin/skin.h"

// -------------------------------------------------------------------------------------------- rows
// The weight rows of a binding, vertex by vertex.

typedef struct weight_row {
    uint32_t width;
    uint16_t strongest; ///< joint with the largest weight
    const uint16_t *joints;
    /// Weight k is weights[k * step], or shorts[k * step] in units of 2^-16.
    const float *weights;
    const uint16_t *shorts;
    size_t step;
    /// the weight of the last joint, if is_short: the row stores one weight fewer than joints
    float last;
    bool is_short;
} weight_row;

static float row_weight(const weight_row *row, uint32_t k)
{
    if (row->is_short && k + 1 == row->width) {
        return row->last;
    }
    return row->shorts != NULL ? (float)row->shorts[k * row->step] * 0x1p-16f
                               : row->weights[k * row->step];
}

typedef void (*row_visit)(void *context, size_t vertex, const weight_row *row);

static void each_of_run(const lmb_binding *b, const lmbi_skin_run *run, size_t vertex_first,
                        row_visit call, void *context)
{
    const uint32_t step = lmbi_run_block(run);
    for (uint32_t i = 0; i < run->count; ++i) {
        const uint32_t block = i / LMBI_SKIN_BLOCK * LMBI_SKIN_BLOCK;
        const size_t lane = run->lane_first + i,
                     at =
                         run->weight_first + (size_t)block * (run->width - 1) + i % LMBI_SKIN_BLOCK;
        const bool has_shorts = lmbi_run_has_shorts(b, run);
        weight_row row = {.width = run->width,
                          .strongest = b->joints[run->joint_first + b->strongest[lane]],
                          .joints = b->joints + run->joint_first,
                          .weights = has_shorts ? NULL : b->weights + at,
                          .shorts = has_shorts ? b->shorts + at : NULL,
                          .step = step,
                          .last = 1,
                          .is_short = true};
        for (uint32_t k = 0; k + 1 < row.width; ++k) {
            row.last -= row_weight(&row, k);
        }
        call(context, vertex_first + b->index[lane], &row);
    }
}

static void each_of_loose(const lmb_binding *b, const lmbi_loose_run *run, size_t vertex_first,
                          row_visit call, void *context)
{
    for (uint32_t i = 0; i < run->count; ++i) {
        const size_t first = run->influence_first + (size_t)i * run->width;
        const weight_row row = {.width = run->width,
                                .strongest = b->loose_strongest[run->first + i],
                                .joints = b->loose_joints + first,
                                .weights = b->loose_weights + first,
                                .step = 1};
        call(context, vertex_first + b->loose_index[run->first + i], &row);
    }
}

/// Calls `call` for every vertex of a chunk, in the binding's storage order.
static void visit_rows(const lmb_binding *binding, size_t chunk, row_visit call, void *context)
{
    const lmbi_skin_chunk *c = &binding->chunks[chunk];
    const size_t vertex_first = chunk * LMBI_SKIN_CHUNK;
    for (uint32_t r = c->run_first; r < c->run_first + c->run_count; ++r) {
        each_of_run(binding, &binding->runs[r], vertex_first, call, context);
    }
    for (uint32_t r = c->loose_first; r < c->loose_first + c->loose_count; ++r) {
        each_of_loose(binding, &binding->loose_runs[r], vertex_first, call, context);
    }
}

/// A blended, normalised dual quaternion.
typedef struct dual {
    lmb_quat real, dual;
} dual;

// ------------------------------------------------------------------------------------ per vertex

/// Half the translation times the rotation.
static lmb_quat dual_part(const lmb_mat4 *rigid, lmb_quat q)
{
    const float *t = rigid->m + 12;
    return (lmb_quat){0.5f * (t[0] * q.w + t[1] * q.z - t[2] * q.y),
                      0.5f * (t[1] * q.w + t[2] * q.x - t[0] * q.z),
                      0.5f * (t[2] * q.w + t[0] * q.y - t[1] * q.x),
                      -0.5f * (t[0] * q.x + t[1] * q.y + t[2] * q.z)};
}

static lmb_quat add_scaled(lmb_quat sum, lmb_quat q, float s)
{
    return (lmb_quat){sum.x + q.x * s, sum.y + q.y * s, sum.z + q.z * s, sum.w + q.w * s};
}

/// q and -q are the same rotation: flips each into the hemisphere of the strongest joint's.
static dual blend(const lmbi_linear_pass *pass, const weight_row *row)
{
    const lmb_quat pivot = pass->rotations[row->strongest];
    dual sum = {{0, 0, 0, 0}, {0, 0, 0, 0}};
    for (uint32_t k = 0; k < row->width; ++k) {
        const lmb_quat q = pass->rotations[row->joints[k]];
        const float weight = row_weight(row, k) * (lmb_quat_dot(q, pivot) < 0 ? -1.0f : 1.0f);
        sum.real = add_scaled(sum.real, q, weight);
        sum.dual = add_scaled(sum.dual, dual_part(&pass->palette[row->joints[k]], q), weight);
    }
    const float square = lmb_quat_dot(sum.real, sum.real);
    if (!(square > 1e-20f)) {
        return (dual){lmb_quat_identity(), {0, 0, 0, 0}};
    }
    const float inverse = 1 / lmb_sqrt(square);
    const lmb_quat none = {0, 0, 0, 0};
    return (dual){add_scaled(none, sum.real, inverse), add_scaled(none, sum.dual, inverse)};
}

static lmb_vec3 dual_point(const dual *d, lmb_vec3 v)
{
    const lmb_vec3 u = {d->real.x, d->real.y, d->real.z}, s = {d->dual.x, d->dual.y, d->dual.z};
    const lmb_vec3 across = lmb_vec3_cross(u, s);
    const lmb_vec3 shift = {d->real.w * s.x - d->dual.w * u.x + across.x,
                            d->real.w * s.y - d->dual.w * u.y + across.y,
                            d->real.w * s.z - d->dual.w * u.z + across.z};
    return lmb_vec3_mad(lmb_quat_rotate(d->real, v), shift, 2);
}

static lmb_vec3 vec3_at(const uint8_t *given, size_t v)
{
    lmb_vec3 value;
    memcpy(&value, given + v * sizeof(value), sizeof(value));
    return value;
}

static void store_directions(const lmbi_linear_pass *p, lmb_quat q, size_t v)
{
    if (p->out_normals != NULL) {
        const lmb_vec3 n = lmbi_unit(lmb_quat_rotate(q, vec3_at(p->normals, v)));
        memcpy(p->out_normals + v * p->normal_stride, &n, sizeof(n));
    }
    if (p->out_tangents != NULL) {
        lmb_vec4 t;
        memcpy(&t, p->tangents + v * sizeof(t), sizeof(t));
        const lmb_vec3 rotated = lmbi_unit(lmb_quat_rotate(q, lmb_vec3_make(t.x, t.y, t.z)));
        const lmb_vec4 out = {rotated.x, rotated.y, rotated.z, t.w};
        memcpy(p->out_tangents + v * p->tangent_stride, &out, sizeof(out));
    }
}

typedef struct option_call {
    const lmb_skin_dual_job *job;
    lmbi_linear_pass pass; ///< of the whole mesh
} option_call;

static lmb_vec3 linear_point(const lmbi_linear_pass *pass, const weight_row *row, lmb_vec3 v)
{
    lmb_vec3 sum = {0, 0, 0};
    for (uint32_t k = 0; k < row->width; ++k) {
        sum = lmb_vec3_mad(sum, lmbi_point(&pass->palette[row->joints[k]], v), row_weight(row, k));
    }
    return sum;
}

/// Pulls a vertex that is farther from its pivot than at rest back along the line to the pivot
/// (after Kim and Han 2014).
static lmb_vec3 fix_bulge(const option_call *call, const weight_row *row, size_t v, lmb_vec3 rest,
                          lmb_vec3 moved)
{
    const lmb_vec3 pivot = call->job->pivots[v];
    const lmb_vec3 now = lmbi_point(&call->pass.palette[row->strongest], pivot);
    const float want = lmb_vec3_distance(rest, pivot), have = lmb_vec3_distance(moved, now);
    if (!(have > want)) {
        return moved;
    }
    const float factor = 1 + (want / have - 1) * call->job->bulge_fix;
    return lmb_vec3_mad(now, lmb_vec3_sub(moved, now), factor);
}

static void skin_vertex(void *context, size_t v, const weight_row *row)
{
    const option_call *call = context;
    const lmb_skin_dual_job *job = call->job;
    const lmbi_linear_pass *p = &call->pass;
    const dual d = blend(&call->pass, row);
    if (p->out_positions != NULL) {
        const lmb_vec3 rest = vec3_at(p->positions, v);
        lmb_vec3 out = dual_point(&d, rest);
        if (job->pivots != NULL) {
            out = fix_bulge(call, row, v, rest, out);
        }
        if (job->dual_weights != NULL) {
            out = lmb_vec3_lerp(linear_point(&call->pass, row, rest), out, job->dual_weights[v]);
        }
        memcpy(p->out_positions + v * p->position_stride, &out, sizeof(out));
    }
    store_directions(p, d.real, v);
}

static void skin_chunks(void *context, size_t begin, size_t end)
{
    const option_call *call = context;
    for (size_t c = begin; c < end; ++c) {
        visit_rows(call->pass.binding, c, skin_vertex, context);
    }
}

void lmbi_dual_options(const lmb_skin_dual_job *job)
{
    const lmb_skin_job *skin = &job->skin;
    option_call call = {
        .job = job,
        .pass = {.binding = skin->binding,
                 .palette = skin->model_from_bind,
                 .rotations = job->rotations,
                 .positions = (const uint8_t *)skin->positions,
                 .normals = (const uint8_t *)skin->normals,
                 .tangents = (const uint8_t *)skin->tangents,
                 .position_stride = lmbi_stride_or(skin->position_stride, sizeof(lmb_vec3)),
                 .normal_stride = lmbi_stride_or(skin->normal_stride, sizeof(lmb_vec3)),
                 .tangent_stride = lmbi_stride_or(skin->tangent_stride, sizeof(lmb_vec4))}};
    call.pass.out_positions = skin->positions != NULL ? (uint8_t *)skin->out_positions : NULL;
    call.pass.out_normals = skin->normals != NULL ? (uint8_t *)skin->out_normals : NULL;
    call.pass.out_tangents = skin->tangents != NULL ? (uint8_t *)skin->out_tangents : NULL;
    lmb_parallel_for(skin->jobs, skin->binding->chunk_count, 1, skin_chunks, &call);
}

// ----------------------------------------------------------------------------------------- pivots

/// Index in the skin of the closest ancestor of its joint k, or UINT32_MAX.
static uint32_t joint_above(const lmb_skin *skin, const lmb_skeleton *skeleton, uint32_t k)
{
    for (int32_t j = skeleton->parents[skin->joints[k]]; j != LMB_NONE; j = skeleton->parents[j]) {
        for (uint32_t i = 0; i < skin->joint_count; ++i) {
            if (skin->joints[i] == (uint32_t)j) {
                return i;
            }
        }
    }
    return UINT32_MAX;
}

static lmb_vec3 nearest_on_segment(lmb_vec3 a, lmb_vec3 b, lmb_vec3 p)
{
    const lmb_vec3 edge = lmb_vec3_sub(b, a);
    const float square = lmb_vec3_dot(edge, edge);
    const float t = square > 0 ? lmb_vec3_dot(lmb_vec3_sub(p, a), edge) / square : 0;
    return lmb_vec3_mad(a, edge, t < 0 ? 0 : (t > 1 ? 1 : t));
}

lmb_result lmb_skin_pivots(const lmb_skin *skin, const lmb_skeleton *skeleton, const lmb_mesh *mesh,
                           const lmb_allocator *alloc, lmb_vec3 *out, lmb_error *error)
{
    if (mesh->influences.first == NULL) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a mesh with skin weights", "none");
    }
    lmb_vec3 *origins = lmbi_alloc_array(alloc, skin->joint_count, sizeof(*origins));
    uint32_t *above = lmbi_alloc_array(alloc, skin->joint_count, sizeof(*above));
    if (origins != NULL && above != NULL) {
        lmb_skin_origins(skin, origins);
        for (uint32_t k = 0; k < skin->joint_count; ++k) {
            above[k] = joint_above(skin, skeleton, k);
        }
    }
    for (uint32_t v = 0; origins != NULL && above != NULL && v < mesh->vertex_count; ++v) {
        const uint32_t first = mesh->influences.first[v];
        const uint32_t joint =
            first < mesh->influences.first[v + 1] ? mesh->influences.items[first].joint : 0;
        const lmb_vec3 p = mesh->positions[v];
        out[v] = origins[joint];
        for (uint32_t k = 0; k < skin->joint_count; ++k) {
            if (above[k] == joint) {
                const lmb_vec3 on = nearest_on_segment(origins[joint], origins[k], p);
                out[v] = lmb_vec3_distance(on, p) < lmb_vec3_distance(out[v], p) ? on : out[v];
            }
        }
    }
    const bool ok = origins != NULL && above != NULL;
    lmbi_free(alloc, origins);
    lmbi_free(alloc, above);
    return ok ? LMB_OK : lmbi_fail_memory(error);
}
