#include "skin/binding.h"
#include "skin/skin.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "skin/binding_plan.h"

static lmb_result check_influences(const lmb_mesh *mesh, uint32_t joint_count, lmb_error *error)
{
    if (mesh->influences.first == NULL) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a mesh with skin weights", "none");
    }
    if (joint_count > 65536) {
        return lmbi_fail(error, LMB_ERROR_UNSUPPORTED, "up to 65536 joints", "a skin of %u joints",
                         joint_count);
    }
    const uint32_t count = mesh->influences.first[mesh->vertex_count];
    for (uint32_t i = 0; i < count; ++i) {
        if (mesh->influences.items[i].joint >= joint_count) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "influences of joints in the skin",
                             "joint %u of %u", mesh->influences.items[i].joint, joint_count);
        }
    }
    return LMB_OK;
}

// --------------------------------------------------------------------------------------- filling

static bool allocate_arrays(lmbi_binding_planner *p, bool keep_rest)
{
    lmb_binding *b = p->binding;
    const lmb_allocator *alloc = p->clusters.alloc;
    // Padding: a block of 8 is read with 16 lanes on 16-lane machines.
    const size_t lanes = p->lane_count + LMBI_SKIN_BLOCK;
    b->has_normals = keep_rest && p->mesh->normals != NULL;
    b->has_tangents = keep_rest && p->mesh->tangents != NULL;
    b->joints = lmbi_alloc_array(alloc, p->run_joint_count, sizeof(*b->joints));
    b->index = lmbi_alloc_array(alloc, lanes, sizeof(*b->index));
    b->strongest = lmbi_alloc_array(alloc, lanes, sizeof(*b->strongest));
    b->weights = lmbi_alloc_array(alloc, p->weight_count + LMBI_SKIN_BLOCK, sizeof(*b->weights));
    if (p->has_shorts) {
        b->shorts = lmbi_alloc_array(alloc, p->short_count + LMBI_SKIN_BLOCK, sizeof(*b->shorts));
    }
    b->loose_index = lmbi_alloc_array(alloc, p->loose_count, sizeof(*b->loose_index));
    b->loose_strongest = lmbi_alloc_array(alloc, p->loose_count, sizeof(*b->loose_strongest));
    b->loose_joints = lmbi_alloc_array(alloc, p->loose_influence_count, sizeof(*b->loose_joints));
    b->loose_weights = lmbi_alloc_array(alloc, p->loose_influence_count, sizeof(*b->loose_weights));
    bool ok = b->joints && b->index && b->strongest && b->weights && b->loose_index &&
              b->loose_strongest && b->loose_joints && b->loose_weights &&
              (b->shorts || !p->has_shorts);
    if (keep_rest) {
        b->positions = lmbi_alloc_array(alloc, lanes, 3 * sizeof(float));
        b->loose_positions = lmbi_alloc_array(alloc, p->loose_count, sizeof(*b->loose_positions));
        ok = ok && b->positions && b->loose_positions;
    }
    if (b->has_normals) {
        b->normals = lmbi_alloc_array(alloc, lanes, 3 * sizeof(float));
        b->loose_normals = lmbi_alloc_array(alloc, p->loose_count, sizeof(*b->loose_normals));
        ok = ok && b->normals && b->loose_normals;
    }
    if (b->has_tangents) {
        b->tangents = lmbi_alloc_array(alloc, lanes, 4 * sizeof(float));
        b->loose_tangents = lmbi_alloc_array(alloc, p->loose_count, sizeof(*b->loose_tangents));
        ok = ok && b->tangents && b->loose_tangents;
    }
    return ok;
}

/// First element of lane i of a run in an array of `parts` floats per lane, and the stride between
/// its parts.
typedef struct lane_offset {
    size_t at;
    uint32_t step;
} lane_offset;

static lane_offset lane_offset_of(const lmbi_skin_run *run, size_t first, uint32_t i,
                                  uint32_t parts)
{
    const uint32_t block = i / LMBI_SKIN_BLOCK * LMBI_SKIN_BLOCK, step = lmbi_run_block(run);
    return (lane_offset){first + (size_t)block * parts + i % LMBI_SKIN_BLOCK, step};
}

static void store_row(float *to, lane_offset where, const float *values, uint32_t count)
{
    for (uint32_t k = 0; k < count; ++k) {
        to[where.at + (size_t)k * where.step] = values[k];
    }
}

static void store_rest(lmb_binding *b, const lmb_mesh *mesh, const lmbi_skin_run *run, uint32_t i,
                       uint32_t v)
{
    const lane_offset three = lane_offset_of(run, (size_t)run->lane_first * 3, i, 3);
    if (b->positions != NULL) {
        const lmb_vec3 p = mesh->positions[v];
        store_row(b->positions, three, (float[3]){p.x, p.y, p.z}, 3);
    }
    if (b->normals != NULL) {
        const lmb_vec3 n = lmb_vec3_scale(mesh->normals[v], LMBI_NORMAL_SCALE);
        store_row(b->normals, three, (float[3]){n.x, n.y, n.z}, 3);
    }
    if (b->tangents != NULL) {
        const lmb_vec4 t = mesh->tangents[v];
        store_row(b->tangents, lane_offset_of(run, (size_t)run->lane_first * 4, i, 4),
                  (float[4]){t.x, t.y, t.z, t.w}, 4);
    }
}

/// Rounds to the nearest step of 2^-16; weights near 1 saturate at 65535.
static uint16_t quantize_weight(float weight)
{
    const float steps = weight * 65536.0f + 0.5f;
    return steps < 65535.0f ? (uint16_t)steps : 65535;
}

static void store_weights(lmb_binding *b, const lmbi_skin_run *run, uint32_t i,
                          const lmbi_skin_row *row)
{
    const lane_offset where = lane_offset_of(run, run->weight_first, i, run->width - 1);
    if (!lmbi_run_has_shorts(b, run)) {
        store_row(b->weights, where, row->weights, run->width - 1);
        return;
    }
    for (uint32_t k = 0; k + 1 < run->width; ++k) {
        b->shorts[where.at + (size_t)k * where.step] = quantize_weight(row->weights[k]);
    }
}

/// Stores vertex v, whose row was just read, in lane i.
static void store_lane(lmb_binding *b, const lmb_mesh *mesh, const lmbi_skin_run *run, uint32_t i,
                       uint32_t v, const lmbi_skin_row *row)
{
    b->index[run->lane_first + i] = (uint16_t)(v % LMBI_SKIN_CHUNK);
    b->strongest[run->lane_first + i] = (uint8_t)row->strongest;
    store_weights(b, run, i, row);
    store_rest(b, mesh, run, i, v);
}

/// Weights that sum to 1 are rounded as in a run.
static void store_loose_weights(const lmb_binding *b, const lmbi_loose_run *run,
                                const lmbi_skin_row *row, float *to)
{
    const bool is_short = run->is_whole && b->shorts != NULL && row->width <= LMBI_SKIN_SHORT_WIDTH;
    float left = 1;
    for (uint32_t k = 0; k < row->width; ++k) {
        to[k] = is_short ? (float)quantize_weight(row->weights[k]) * 0x1p-16f : row->weights[k];
        if (k + 1 < row->width) {
            left -= to[k];
        } else if (run->is_whole) {
            to[k] = left;
        }
    }
}

static void store_loose_vertex(lmb_binding *b, const lmb_mesh *mesh, lmbi_loose_run *run,
                               uint32_t v, const lmbi_skin_row *row)
{
    const uint32_t at = run->first + run->count;
    const size_t first = run->influence_first + (size_t)run->count * row->width;
    b->loose_index[at] = (uint16_t)(v % LMBI_SKIN_CHUNK);
    b->loose_strongest[at] = row->joints[row->strongest];
    memcpy(b->loose_joints + first, row->joints, row->width * sizeof(*row->joints));
    store_loose_weights(b, run, row, b->loose_weights + first);
    if (b->loose_positions != NULL) {
        b->loose_positions[at] = mesh->positions[v];
    }
    if (b->loose_normals != NULL) {
        b->loose_normals[at] = mesh->normals[v];
    }
    if (b->loose_tangents != NULL) {
        b->loose_tangents[at] = mesh->tangents[v];
    }
    ++run->count;
}

/// Stores one vertex. `filled` counts the vertices stored so far in each run; loose runs count
/// their own.
static void store_vertex(lmbi_binding_planner *p, const lmbi_skin_chunk *chunk, uint32_t *filled,
                         uint32_t v)
{
    lmb_binding *b = p->binding;
    lmbi_skin_row *row = &p->clusters.row;
    lmbi_skin_row_read(p->mesh, v, row);
    if (!lmbi_plan_is_loose(p, v)) {
        const uint32_t r = p->clusters.groups[p->clusters.group_of[v]].run;
        const lmbi_skin_run *run = &b->runs[r];
        const uint32_t lanes = lmbi_run_lanes(run->count), i = filled[r]++;
        // The last vertex also fills the padding.
        const uint32_t end = i + 1 == run->count ? lanes : i + 1;
        for (uint32_t lane = i; lane < end; ++lane) {
            store_lane(b, p->mesh, run, lane, v, row);
        }
        return;
    }
    for (uint32_t r = chunk->loose_first; r < chunk->loose_first + chunk->loose_count; ++r) {
        if (b->loose_runs[r].width == row->width && b->loose_runs[r].is_whole == row->is_whole) {
            store_loose_vertex(b, p->mesh, &b->loose_runs[r], v, row);
        }
    }
}

static bool store_vertices(lmbi_binding_planner *p)
{
    lmb_binding *b = p->binding;
    uint32_t *filled = lmbi_alloc_array(p->clusters.alloc, b->run_count, sizeof(*filled));
    if (filled == NULL) {
        return false;
    }
    for (size_t i = 0; i < p->clusters.group_count; ++i) {
        const lmbi_skin_group *group = &p->clusters.groups[i];
        if (group->run != LMBI_SKIN_LOOSE) {
            memcpy(b->joints + b->runs[group->run].joint_first,
                   p->clusters.joints + group->joint_first, group->width * sizeof(*b->joints));
        }
    }
    for (uint32_t r = 0; r < b->loose_run_count; ++r) {
        b->loose_runs[r].count = 0;
    }
    for (uint32_t v = 0; v < p->mesh->vertex_count; ++v) {
        store_vertex(p, &b->chunks[v / LMBI_SKIN_CHUNK], filled, v);
    }
    lmbi_free(p->clusters.alloc, filled);
    return true;
}

// --------------------------------------------------------------------------------------- creating

static bool compile_binding(lmbi_binding_planner *p, bool keep_rest, const lmb_allocator *alloc)
{
    lmb_binding *b = p->binding;
    const lmb_mesh *mesh = p->mesh;
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        const uint32_t size = mesh->influences.first[v + 1] - mesh->influences.first[v];
        b->influences = size > b->influences ? size : b->influences;
    }
    b->chunk_count =
        mesh->vertex_count / LMBI_SKIN_CHUNK + (mesh->vertex_count % LMBI_SKIN_CHUNK > 0);
    b->chunks = lmbi_alloc_array(alloc, b->chunk_count, sizeof(*b->chunks));
    p->kinds = lmbi_alloc_array(alloc, LMBI_SKIN_CHUNK, sizeof(*p->kinds));
    const bool ok = lmbi_skin_clusters_start(&p->clusters, mesh, alloc) && b->chunks != NULL &&
                    p->kinds != NULL && lmbi_binding_plan(p) && allocate_arrays(p, keep_rest) &&
                    store_vertices(p);
    lmbi_free(alloc, p->kinds);
    lmbi_skin_clusters_end(&p->clusters);
    return ok;
}

lmb_result lmbi_binding_create(const lmb_mesh *mesh, uint32_t joint_count, bool keep_rest,
                               const lmb_allocator *alloc, lmb_binding **out, lmb_error *error)
{
    const lmb_result result = check_influences(mesh, joint_count, error);
    if (result != LMB_OK) {
        return result;
    }
    lmb_binding *binding = lmbi_alloc(alloc, sizeof(*binding));
    if (binding == NULL) {
        return lmbi_fail_memory(error);
    }
    binding->allocator = alloc ? *alloc : (lmb_allocator){0};
    binding->vertex_count = mesh->vertex_count;
    binding->joint_count = joint_count;
    binding->influences = 1;
    lmbi_binding_planner p = {.binding = binding,
                              .mesh = mesh,
                              .has_shorts = keep_rest && mesh->vertex_count >= LMBI_SKIN_LARGE};
    if (!compile_binding(&p, keep_rest, alloc)) {
        lmb_binding_destroy(binding);
        return lmbi_fail_memory(error);
    }
    *out = binding;
    return LMB_OK;
}

lmb_result lmb_binding_create(const lmb_mesh *mesh, uint32_t joint_count,
                              const lmb_allocator *alloc, lmb_binding **out, lmb_error *error)
{
    return lmbi_binding_create(mesh, joint_count, true, alloc, out, error);
}

// ---------------------------------------------------------------------------------------- centres

static void store_centers(lmb_binding *b, const lmbi_skin_chunk *chunk, const lmb_vec3 *centers)
{
    for (uint32_t r = chunk->run_first; r < chunk->run_first + chunk->run_count; ++r) {
        const lmbi_skin_run *run = &b->runs[r];
        for (uint32_t i = 0; i < lmbi_run_lanes(run->count); ++i) {
            const lmb_vec3 c = centers[b->index[run->lane_first + i]];
            store_row(b->centers, lane_offset_of(run, (size_t)run->lane_first * 3, i, 3),
                      (float[3]){c.x, c.y, c.z}, 3);
        }
    }
    for (uint32_t r = chunk->loose_first; r < chunk->loose_first + chunk->loose_count; ++r) {
        const lmbi_loose_run *run = &b->loose_runs[r];
        for (uint32_t i = run->first; i < run->first + run->count; ++i) {
            b->loose_centers[i] = centers[b->loose_index[i]];
        }
    }
}

lmb_result lmb_binding_keep_centers(lmb_binding *binding, const lmb_centers *centers,
                                    lmb_error *error)
{
    const lmb_allocator *alloc = &binding->allocator;
    if (centers->vertex_count != binding->vertex_count) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "the centres of the mesh that was bound",
                         "%u centres, %u vertices", centers->vertex_count, binding->vertex_count);
    }
    if (binding->centers == NULL) {
        const size_t lanes = (size_t)binding->lane_count + LMBI_SKIN_BLOCK;
        float *wide = lmbi_alloc_array(alloc, lanes, 3 * sizeof(float));
        lmb_vec3 *loose = lmbi_alloc_array(alloc, binding->loose_count, sizeof(*loose));
        if (wide == NULL || loose == NULL) {
            lmbi_free(alloc, wide);
            lmbi_free(alloc, loose);
            return lmbi_fail_memory(error);
        }
        binding->centers = wide;
        binding->loose_centers = loose;
    }
    for (uint32_t c = 0; c < binding->chunk_count; ++c) {
        store_centers(binding, &binding->chunks[c],
                      centers->positions + (size_t)c * LMBI_SKIN_CHUNK);
    }
    return LMB_OK;
}

void lmb_binding_destroy(lmb_binding *binding)
{
    if (binding == NULL) {
        return;
    }
    const lmb_allocator alloc = binding->allocator;
    void *const blocks[] = {binding->chunks,        binding->runs,
                            binding->joints,        binding->index,
                            binding->strongest,     binding->weights,
                            binding->shorts,        binding->positions,
                            binding->normals,       binding->tangents,
                            binding->loose_runs,    binding->loose_index,
                            binding->loose_joints,  binding->loose_strongest,
                            binding->loose_weights, binding->loose_positions,
                            binding->loose_normals, binding->loose_tangents,
                            binding->centers,       binding->loose_centers};
    for (size_t k = 0; k < sizeof(blocks) / sizeof(blocks[0]); ++k) {
        lmbi_free(&alloc, blocks[k]);
    }
    lmbi_free(&alloc, binding);
}

uint32_t lmbi_binding_vertex_count(const lmb_binding *binding)
{
    return binding->vertex_count;
}
