#include <math.h>
#include <string.h>

#include "asset/asset.h"
#include "base/alloc.h"
#include "base/block.h"
#include "base/error.h"
#include "limber/asset.h"

static lmb_result check_positions(const lmb_mesh *def, lmb_error *error)
{
    if (def->vertex_count > 0 && def->positions == NULL) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "positions for every vertex",
                         "%u vertices without positions", def->vertex_count);
    }
    for (uint32_t v = 0; v < def->vertex_count; ++v) {
        if (!lmb_vec3_is_finite(def->positions[v])) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "finite positions",
                             "vertex %u at %g, %g, %g", v, (double)def->positions[v].x,
                             (double)def->positions[v].y, (double)def->positions[v].z);
        }
    }
    return LMB_OK;
}

static lmb_result check_primitive(const lmb_mesh *def, uint32_t p, lmb_error *error)
{
    const lmb_primitive *primitive = &def->primitives[p];
    const uint64_t last_index = (uint64_t)primitive->first_index + primitive->index_count;
    const uint64_t last_vertex = (uint64_t)primitive->first_vertex + primitive->vertex_count;
    if (last_index > def->index_count || last_vertex > def->vertex_count) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a primitive inside the mesh",
                         "primitive %u reaches index %llu, vertex %llu", p,
                         (unsigned long long)last_index, (unsigned long long)last_vertex);
    }
    for (uint32_t i = 0; i < primitive->index_count; ++i) {
        const uint32_t v = def->indices[primitive->first_index + i];
        if (v < primitive->first_vertex || v >= last_vertex) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "indices inside the primitive's vertices",
                             "index %u of primitive %u is %u", i, p, v);
        }
    }
    return LMB_OK;
}

static lmb_result check_influences(const lmb_mesh *def, lmb_error *error)
{
    const uint32_t *first = def->influences.first;
    if (first == NULL) {
        return LMB_OK;
    }
    for (uint32_t v = 0; v < def->vertex_count; ++v) {
        if (first[v + 1] < first[v] || first[0] != 0) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "rows of influences in order",
                             "row %u from entry %u to %u", v, first[v], first[v + 1]);
        }
    }
    for (uint32_t i = 0; i < first[def->vertex_count]; ++i) {
        const float weight = def->influences.items[i].weight;
        if (!(weight >= 0) || !isfinite(weight)) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "weights of 0 or more",
                             "influence %u weighs %g", i, (double)weight);
        }
    }
    return LMB_OK;
}

/// Joints are whole numbers that a file can hold; coefficients are finite.
static lmb_result check_envelope(const lmb_mesh *def, lmb_error *error)
{
    for (size_t k = 0; def->envelope && k < (size_t)LMB_ENVELOPE_SETS * def->vertex_count; ++k) {
        const float *x = &def->envelope[k].x;
        const bool is_joint = k < def->vertex_count;
        for (int e = 0; e < 4; ++e) {
            const bool fine =
                is_joint ? x[e] >= 0 && x[e] <= 65535 && floorf(x[e]) >= x[e] : isfinite(x[e]);
            if (!fine) {
                return lmbi_fail(error, LMB_ERROR_INVALID,
                                 is_joint ? "joints of an envelope from 0 to 65535"
                                          : "finite coefficients of an envelope",
                                 "%g at vertex %zu", (double)x[e], k % def->vertex_count);
            }
        }
    }
    return LMB_OK;
}

static lmb_result check_polygons(const lmb_mesh *def, lmb_error *error)
{
    for (uint32_t k = 0; k < def->polygon_count; ++k) {
        if (def->polygon_first[k + 1] < def->polygon_first[k] || def->polygon_first[0] != 0) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "polygons in order",
                             "polygon %u from corner %u to %u", k, def->polygon_first[k],
                             def->polygon_first[k + 1]);
        }
    }
    const uint32_t corner_count = def->polygon_count ? def->polygon_first[def->polygon_count] : 0;
    for (uint32_t i = 0; i < corner_count; ++i) {
        if (def->polygons[i] >= def->vertex_count) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "polygon corners inside the mesh",
                             "corner %u is vertex %u", i, def->polygons[i]);
        }
    }
    return LMB_OK;
}

static lmb_result check_mesh(const lmb_mesh *def, lmb_error *error)
{
    lmb_result result = check_positions(def, error);
    for (uint32_t p = 0; result == LMB_OK && p < def->primitive_count; ++p) {
        result = check_primitive(def, p, error);
    }
    if (result == LMB_OK) {
        result = check_influences(def, error);
    }
    if (result == LMB_OK) {
        result = check_envelope(def, error);
    }
    return result == LMB_OK ? check_polygons(def, error) : result;
}

static void copy_targets(lmbi_block *block, const lmb_mesh *def, lmb_mesh *mesh)
{
    lmb_morph_target *targets =
        lmbi_block_array(block, def->targets, def->target_count, sizeof *targets);
    for (uint32_t t = 0; t < def->target_count; ++t) {
        const lmb_morph_target *from = &def->targets[t];
        lmb_morph_target copy = {0};
        copy.name = lmbi_block_string(block, from->name);
        copy.positions =
            lmbi_block_array(block, from->positions, def->vertex_count, sizeof(lmb_vec3));
        copy.normals = lmbi_block_array(block, from->normals, def->vertex_count, sizeof(lmb_vec3));
        copy.tangents =
            lmbi_block_array(block, from->tangents, def->vertex_count, sizeof(lmb_vec3));
        if (targets) {
            targets[t] = copy;
        }
    }
    mesh->targets = targets;
    mesh->target_weights =
        lmbi_block_array(block, def->target_weights, def->target_count, sizeof(float));
}

static void copy_primitives(lmbi_block *block, const lmb_mesh *def, lmb_mesh *mesh)
{
    lmb_primitive *primitives =
        lmbi_block_array(block, def->primitives, def->primitive_count, sizeof *primitives);
    for (uint32_t p = 0; p < def->primitive_count; ++p) {
        const char *name = lmbi_block_string(block, def->primitives[p].name);
        const char *carried = lmbi_block_string(block, def->primitives[p].carried);
        if (primitives) {
            primitives[p].name = name;
            primitives[p].carried = carried;
        }
    }
    mesh->primitives = primitives;
}

static void copy_vertices(lmbi_block *block, const lmb_mesh *def, lmb_mesh *mesh)
{
    const size_t n = def->vertex_count;
    mesh->positions = lmbi_block_array(block, def->positions, n, sizeof(lmb_vec3));
    mesh->normals = lmbi_block_array(block, def->normals, n, sizeof(lmb_vec3));
    mesh->tangents = lmbi_block_array(block, def->tangents, n, sizeof(lmb_vec4));
    for (int k = 0; k < LMB_UV_SETS; ++k) {
        mesh->uvs[k] = lmbi_block_array(block, def->uvs[k], n, sizeof(lmb_vec2));
    }
    for (int k = 0; k < LMB_COLOR_SETS; ++k) {
        mesh->colors[k] = lmbi_block_array(block, def->colors[k], n, sizeof(lmb_vec4));
    }
    mesh->envelope =
        lmbi_block_array(block, def->envelope, LMB_ENVELOPE_SETS * n, sizeof(lmb_vec4));
    mesh->source_position = lmbi_block_array(block, def->source_position, n, sizeof(uint32_t));
    if (def->influences.first) {
        mesh->influences.first =
            lmbi_block_array(block, def->influences.first, n + 1, sizeof(uint32_t));
        mesh->influences.items = lmbi_block_array(block, def->influences.items,
                                                  def->influences.first[n], sizeof(lmb_influence));
    }
}

static void *copy_mesh(lmbi_block *block, const void *definition)
{
    const lmb_mesh *def = definition;
    lmb_mesh copy = *def;
    lmb_mesh *mesh = lmbi_block_array(block, def, 1, sizeof *def);
    copy.name = lmbi_block_string(block, def->name);
    copy.carried = lmbi_block_string(block, def->carried);
    copy_vertices(block, def, &copy);
    copy.indices = lmbi_block_array(block, def->indices, def->index_count, sizeof(uint32_t));
    copy_primitives(block, def, &copy);
    copy_targets(block, def, &copy);
    const size_t corner_count = def->polygon_count ? def->polygon_first[def->polygon_count] : 0;
    copy.polygon_first =
        lmbi_block_array(block, def->polygon_first,
                         def->polygon_count ? (size_t)def->polygon_count + 1 : 0, sizeof(uint32_t));
    copy.polygons = lmbi_block_array(block, def->polygons, corner_count, sizeof(uint32_t));
    if (mesh) {
        *mesh = copy;
    }
    return mesh;
}

lmb_result lmb_mesh_create(const lmb_mesh *def, const lmb_allocator *alloc, lmb_mesh **out,
                           lmb_error *error)
{
    const lmb_result result = check_mesh(def, error);
    if (result != LMB_OK) {
        return result;
    }
    lmb_mesh *mesh = lmbi_block_build(copy_mesh, def, alloc);
    if (mesh == NULL) {
        return lmbi_fail_memory(error);
    }
    mesh->allocator = alloc ? *alloc : (lmb_allocator){0};
    *out = mesh;
    return LMB_OK;
}

void lmb_mesh_destroy(lmb_mesh *mesh)
{
    if (mesh) {
        lmbi_free_own(&mesh->allocator, mesh);
    }
}

uint64_t lmbi_mesh_triangle_count(const lmb_mesh *mesh)
{
    uint64_t count = 0;
    for (uint32_t p = 0; p < mesh->primitive_count; ++p) {
        const lmb_primitive *primitive = &mesh->primitives[p];
        count += primitive->topology == LMB_TRIANGLES ? primitive->index_count / 3 : 0;
    }
    return count;
}

lmb_box lmbi_mesh_box(const lmb_mesh *mesh)
{
    return lmb_box_of(mesh->positions, mesh->vertex_count);
}
