#include "skin/points.h"
#include "geometry/laplacian.h"

#include "base/alloc.h"
#include "base/error.h"
#include "geometry/adjacency.h"

lmb_result lmbi_check_deformable(const lmb_mesh *mesh, lmb_error *error)
{
    if (mesh->influences.first == NULL) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a mesh with skin weights", "none");
    }
    uint32_t triangles = 0;
    for (uint32_t p = 0; p < mesh->primitive_count; ++p) {
        const lmb_primitive *primitive = &mesh->primitives[p];
        triangles |= primitive->topology == LMB_TRIANGLES ? primitive->index_count / 3 : 0;
    }
    if (triangles == 0) {
        return lmbi_fail(error, LMB_ERROR_UNSUPPORTED, "a mesh of triangles", "none in \"%s\"",
                         mesh->name != NULL ? mesh->name : "");
    }
    for (uint32_t i = 0; i < mesh->influences.first[mesh->vertex_count]; ++i) {
        if (mesh->influences.items[i].joint > 65535) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "joints below 65536", "joint %u",
                             mesh->influences.items[i].joint);
        }
    }
    return LMB_OK;
}

// ---------------------------------------------------------------------------------------- welding

static lmb_result weld(const lmb_mesh *mesh, const lmb_allocator *alloc, lmb_surface **out,
                       lmb_error *error)
{
    uint32_t *indices = lmbi_alloc_array(alloc, mesh->index_count, sizeof(*indices));
    if (indices == NULL) {
        return lmbi_fail_memory(error);
    }
    uint32_t count = 0;
    for (uint32_t p = 0; p < mesh->primitive_count; ++p) {
        const lmb_primitive *primitive = &mesh->primitives[p];
        const uint32_t used =
            primitive->topology == LMB_TRIANGLES ? primitive->index_count / 3 * 3 : 0;
        for (uint32_t i = 0; i < used && count < mesh->index_count; ++i) {
            indices[count++] = mesh->indices[primitive->first_index + i];
        }
    }
    const lmb_surface_part part = {.positions = mesh->positions,
                                   .vertex_count = mesh->vertex_count,
                                   .indices = indices,
                                   .index_count = count};
    const lmb_result result = lmb_surface_create(&part, 1, NULL, alloc, out, error);
    lmbi_free(alloc, indices);
    return result;
}

// ------------------------------------------------------------------------------------------- rows

typedef struct row_builder {
    const lmb_mesh *mesh;
    const lmb_surface *surface;
    uint32_t *vertex_first, *vertices; ///< vertices of each point, ascending
} row_builder;

static bool group_vertices(row_builder *b, const lmb_allocator *alloc)
{
    const uint32_t points = b->surface->vertex_count, count = b->mesh->vertex_count;
    b->vertex_first = lmbi_alloc_array(alloc, (size_t)points + 1, sizeof(*b->vertex_first));
    b->vertices = lmbi_alloc_array(alloc, count, sizeof(*b->vertices));
    if (b->vertex_first == NULL || b->vertices == NULL) {
        return false;
    }
    for (uint32_t v = 0; v < count; ++v) {
        ++b->vertex_first[b->surface->vertex_of[v]];
    }
    for (uint32_t p = 0, total = 0; p <= points; ++p) {
        const uint32_t size = p < points ? b->vertex_first[p] : 0;
        b->vertex_first[p] = total;
        total += size;
    }
    for (uint32_t v = 0; v < count; ++v) { // advances each first to the end of its row
        b->vertices[b->vertex_first[b->surface->vertex_of[v]]++] = v;
    }
    for (uint32_t p = points; p > 0; --p) {
        b->vertex_first[p] = b->vertex_first[p - 1];
    }
    b->vertex_first[0] = 0;
    return true;
}

/// Adds `item` to a row of `size` entries, sorted by joint; returns the new size.
static uint32_t add_to_row(lmb_influence *row, uint32_t size, lmb_influence item)
{
    uint32_t at = 0;
    while (at < size && row[at].joint < item.joint) {
        ++at;
    }
    if (at < size && row[at].joint == item.joint) {
        row[at].weight += item.weight;
        return size;
    }
    for (uint32_t k = size; k > at; --k) {
        row[k] = row[k - 1];
    }
    row[at] = item;
    return size + 1;
}

static uint32_t mean_row(const row_builder *b, uint32_t point, lmb_influence *row)
{
    const uint32_t begin = b->vertex_first[point], end = b->vertex_first[point + 1];
    const float weight = 1.0f / (float)(end - begin);
    uint32_t size = 0;
    for (uint32_t i = begin; i < end; ++i) {
        const uint32_t first = b->mesh->influences.first[b->vertices[i]],
                       last = b->mesh->influences.first[b->vertices[i] + 1];
        for (uint32_t k = first; k < last; ++k) {
            const lmb_influence item = b->mesh->influences.items[k];
            size = add_to_row(row, size, (lmb_influence){item.joint, item.weight * weight});
        }
        if (first == last) { // empty rows follow joint 0
            size = add_to_row(row, size, (lmb_influence){0, weight});
        }
    }
    return size;
}

static bool build_rows(const row_builder *b, const lmb_allocator *alloc, lmbi_points *out)
{
    const uint32_t points = b->surface->vertex_count;
    // A mean row is at most as long as its vertices' rows together; empty rows get one entry.
    const size_t most =
        (size_t)b->mesh->influences.first[b->mesh->vertex_count] + b->mesh->vertex_count;
    out->first = lmbi_alloc_array(alloc, (size_t)points + 1, sizeof(*out->first));
    out->rows = lmbi_alloc_array(alloc, most, sizeof(*out->rows));
    if (out->first == NULL || out->rows == NULL || most > UINT32_MAX) {
        return false;
    }
    for (uint32_t p = 0; p < points; ++p) {
        const uint32_t size = mean_row(b, p, out->rows + out->first[p]);
        out->first[p + 1] = out->first[p] + size;
        const uint32_t highest = out->rows[out->first[p + 1] - 1].joint;
        out->joint_count = highest >= out->joint_count ? highest + 1 : out->joint_count;
    }
    return true;
}

lmb_result lmbi_points_create(const lmb_mesh *mesh, const lmb_allocator *alloc, lmbi_points *out,
                              lmb_error *error)
{
    *out = (lmbi_points){0};
    const lmb_result result = weld(mesh, alloc, &out->surface, error);
    if (result != LMB_OK) {
        return result;
    }
    row_builder b = {.mesh = mesh, .surface = out->surface};
    const bool built = group_vertices(&b, alloc) && build_rows(&b, alloc, out);
    lmbi_free(alloc, b.vertex_first);
    lmbi_free(alloc, b.vertices);
    return built ? LMB_OK : lmbi_fail_memory(error);
}

void lmbi_points_free(lmbi_points *points, const lmb_allocator *alloc)
{
    lmb_surface_destroy(points->surface);
    lmbi_free(alloc, points->first);
    lmbi_free(alloc, points->rows);
    *points = (lmbi_points){0};
}

// ------------------------------------------------------------------------------------------- walk

static void fill_walk(const lmbi_sparse *laplacian, lmbi_walk *walk)
{
    for (uint32_t j = 0; j < walk->count; ++j) {
        for (uint32_t i = laplacian->first[j] + 1; i < laplacian->first[j + 1]; ++i) {
            ++walk->first[j + 1];
            ++walk->first[laplacian->rows[i] + 1];
        }
    }
    for (uint32_t j = 0; j < walk->count; ++j) {
        walk->first[j + 1] += walk->first[j];
    }
    // Ascending columns give ascending neighbours. Each first is advanced to its row's end, then
    // restored.
    for (uint32_t j = 0; j < walk->count; ++j) {
        for (uint32_t i = laplacian->first[j] + 1; i < laplacian->first[j + 1]; ++i) {
            const uint32_t k = laplacian->rows[i];
            const double weight = -laplacian->values[i];
            walk->weights[walk->first[j]] = weight / laplacian->values[laplacian->first[j]];
            walk->neighbors[walk->first[j]++] = k;
            walk->weights[walk->first[k]] = weight / laplacian->values[laplacian->first[k]];
            walk->neighbors[walk->first[k]++] = j;
        }
    }
    for (uint32_t j = walk->count; j > 0; --j) {
        walk->first[j] = walk->first[j - 1];
    }
    walk->first[0] = 0;
}

static bool build_walk(const lmbi_sparse *laplacian, const lmb_allocator *alloc, lmbi_walk *walk)
{
    const uint32_t count = laplacian->size;
    const size_t entries = 2 * ((size_t)laplacian->first[count] - count);
    walk->count = count;
    walk->first = lmbi_alloc_array(alloc, (size_t)count + 1, sizeof(*walk->first));
    walk->neighbors = lmbi_alloc_array(alloc, entries, sizeof(*walk->neighbors));
    walk->weights = lmbi_alloc_array(alloc, entries, sizeof(*walk->weights));
    if (!walk->first || !walk->neighbors || !walk->weights || entries > UINT32_MAX) {
        return false;
    }
    fill_walk(laplacian, walk);
    return true;
}

lmb_result lmbi_walk_create(const lmb_surface *surface, const lmb_allocator *alloc, lmbi_walk *out,
                            lmb_error *error)
{
    *out = (lmbi_walk){0};
    lmbi_adjacency *adjacency = NULL;
    lmbi_laplacian *laplacian = NULL;
    lmb_result result = lmbi_adjacency_create(surface, alloc, &adjacency, error);
    if (result == LMB_OK) {
        result = lmbi_laplacian_create(surface, adjacency, alloc, &laplacian, error);
    }
    if (result == LMB_OK && !build_walk(&laplacian->matrix, alloc, out)) {
        result = lmbi_fail_memory(error);
    }
    lmbi_laplacian_destroy(laplacian);
    lmbi_adjacency_destroy(adjacency);
    return result;
}

void lmbi_walk_free(lmbi_walk *walk, const lmb_allocator *alloc)
{
    lmbi_free(alloc, walk->first);
    lmbi_free(alloc, walk->neighbors);
    lmbi_free(alloc, walk->weights);
    *walk = (lmbi_walk){0};
}
