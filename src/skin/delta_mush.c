/// Delta mush (Mancewicz et al. 2014): precomputation on the rest mesh.
#include "skin/delta_mush.h"

#include "base/alloc.h"
#include "base/error.h"
#include "geometry/adjacency.h"
#include "skin/points.h"

typedef struct compiler {
    lmb_delta_mush *mush;
    lmbi_points points;
    lmbi_adjacency *adjacency;
    bool loose_borders;
} compiler;

static uint32_t *alloc_indices(const compiler *c, size_t count)
{
    return lmbi_alloc_array(&c->mush->allocator, count, sizeof(uint32_t));
}

/// Sums counts, stored at counts[1 + i], to the offsets of the rows.
static void prefix_sum(uint32_t *first, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) {
        first[i + 1] += first[i];
    }
}

// ------------------------------------------------------------------------------------ topology

static bool list_members(compiler *c)
{
    lmb_delta_mush *m = c->mush;
    const uint32_t *point_of = c->points.surface->vertex_of;
    m->member_first = alloc_indices(c, (size_t)m->point_count + 1);
    m->members = alloc_indices(c, m->vertex_count);
    uint32_t *at = alloc_indices(c, m->point_count);
    const bool has_room = m->member_first && m->members && at;
    if (has_room) {
        for (uint32_t v = 0; v < m->vertex_count; ++v) {
            ++m->member_first[point_of[v] + 1];
        }
        prefix_sum(m->member_first, m->point_count);
        for (uint32_t v = 0; v < m->vertex_count; ++v) {
            const uint32_t i = point_of[v];
            m->members[m->member_first[i] + at[i]++] = v;
        }
    }
    lmbi_free(&m->allocator, at);
    return has_room;
}

/// Pins points on border edges, which have one triangle: smoothing would shrink open borders.
static void pin_borders(const compiler *c, uint8_t *pinned)
{
    const lmbi_adjacency *a = c->adjacency;
    for (uint32_t e = 0; !c->loose_borders && e < a->edge_count; ++e) {
        if (a->edge_first[e + 1] - a->edge_first[e] == 1) {
            pinned[a->edges[2 * e]] = pinned[a->edges[2 * e + 1]] = 1;
        }
    }
}

static void fill_neighbors(const compiler *c, const uint8_t *pinned, uint32_t *at)
{
    const lmbi_adjacency *a = c->adjacency;
    lmb_delta_mush *m = c->mush;
    for (uint32_t e = 0; e < a->edge_count; ++e) {
        for (uint32_t side = 0; side < 2; ++side) {
            const uint32_t i = a->edges[2 * e + side], other = a->edges[2 * e + 1 - side];
            if (!pinned[i]) {
                m->neighbors[m->first[i] + at[i]++] = other;
            }
        }
    }
}

static bool list_neighbors(compiler *c)
{
    const lmbi_adjacency *a = c->adjacency;
    lmb_delta_mush *m = c->mush;
    uint8_t *pinned = lmbi_alloc_array(&m->allocator, m->point_count, 1);
    uint32_t *at = alloc_indices(c, m->point_count);
    m->first = alloc_indices(c, (size_t)m->point_count + 1);
    bool has_room = pinned && at && m->first;
    if (has_room) {
        pin_borders(c, pinned);
        for (uint32_t k = 0; k < 2 * a->edge_count; ++k) {
            m->first[a->edges[k] + 1] += !pinned[a->edges[k]];
        }
        prefix_sum(m->first, m->point_count);
        m->neighbors = alloc_indices(c, m->first[m->point_count]);
        has_room = m->neighbors != NULL;
    }
    if (has_room) {
        fill_neighbors(c, pinned, at);
    }
    lmbi_free(&m->allocator, pinned);
    lmbi_free(&m->allocator, at);
    return has_room;
}

static bool list_corners(compiler *c)
{
    const lmb_surface *s = c->points.surface;
    const lmbi_adjacency *a = c->adjacency;
    lmb_delta_mush *m = c->mush;
    m->corner_first = alloc_indices(c, (size_t)m->point_count + 1);
    m->corners =
        lmbi_alloc_array(&m->allocator, 3 * (size_t)s->triangle_count, sizeof(*m->corners));
    if (m->corner_first == NULL || m->corners == NULL) {
        return false;
    }
    memcpy(m->corner_first, a->vertex_first, ((size_t)m->point_count + 1) * sizeof(uint32_t));
    for (uint32_t i = 0; i < m->point_count; ++i) {
        for (uint32_t k = a->vertex_first[i]; k < a->vertex_first[i + 1]; ++k) {
            const uint32_t *t = s->triangles + 3 * (size_t)a->vertex_triangles[k];
            const uint32_t corner = t[0] == i ? 0 : (t[1] == i ? 1 : 2);
            m->corners[k] = (lmbi_delta_corner){t[(corner + 1) % 3], t[(corner + 2) % 3]};
        }
    }
    return true;
}

/// The tangent points to the neighbour farthest from the normal's line, which defines the direction
/// best.
static void choose_tangent(lmb_delta_mush *m, const lmbi_four *smoothed, uint32_t i)
{
    lmbi_four normal = {0};
    for (uint32_t k = m->corner_first[i]; k < m->corner_first[i + 1]; ++k) {
        normal += lmbi_four_cross(smoothed[m->corners[k].next] - smoothed[i],
                                  smoothed[m->corners[k].last] - smoothed[i]);
    }
    float best = -1;
    m->tangent_neighbor[i] = i;
    for (uint32_t k = m->corner_first[i]; k < m->corner_first[i + 1]; ++k) {
        const uint32_t next = m->corners[k].next;
        const lmbi_four across = lmbi_four_cross(normal, smoothed[next] - smoothed[i]);
        const float size = lmbi_four_dot3(across, across);
        if (size > best) {
            best = size;
            m->tangent_neighbor[i] = next;
        }
    }
}

// -------------------------------------------------------------------------------- the details

static void *copy_array(const lmb_allocator *alloc, const void *from, size_t count, size_t size)
{
    void *to = lmbi_alloc_array(alloc, count, size);
    if (to != NULL) {
        memcpy(to, from, count * size);
    }
    return to;
}

static bool copy_rest(lmb_delta_mush *m, const lmb_mesh *mesh)
{
    if (mesh->normals != NULL) {
        m->normals = copy_array(&m->allocator, mesh->normals, m->vertex_count, sizeof(lmb_vec3));
    }
    if (mesh->tangents != NULL) {
        m->tangents = copy_array(&m->allocator, mesh->tangents, m->vertex_count, sizeof(lmb_vec4));
    }
    return (!mesh->normals || m->normals) && (!mesh->tangents || m->tangents);
}

static bool compute_details(compiler *c, const lmb_mesh *mesh)
{
    lmb_delta_mush *m = c->mush;
    m->tangent_neighbor = alloc_indices(c, m->point_count);
    m->details = lmbi_alloc_array(&m->allocator, m->point_count, sizeof(*m->details));
    lmbi_four *buffers =
        lmbi_alloc_array(&m->allocator, 2 * (size_t)m->point_count, sizeof(*buffers));
    const bool has_room = m->tangent_neighbor && m->details && buffers && copy_rest(m, mesh);
    if (has_room) {
        const lmbi_four *smoothed =
            lmbi_delta_smooth(m, mesh->positions, buffers, buffers + m->point_count, NULL);
        for (uint32_t i = 0; i < m->point_count; ++i) {
            choose_tangent(m, smoothed, i);
        }
        lmbi_delta_details(m, mesh->positions, smoothed, m->details, NULL);
    }
    lmbi_free(&m->allocator, buffers);
    return has_room;
}

static lmb_result compile_surface(compiler *c, const lmb_mesh *mesh, lmb_error *error)
{
    lmb_delta_mush *m = c->mush;
    lmb_result result = lmbi_points_create(mesh, &m->allocator, &c->points, error);
    if (result != LMB_OK) {
        return result;
    }
    result = lmbi_adjacency_create(c->points.surface, &m->allocator, &c->adjacency, error);
    if (result != LMB_OK) {
        return result;
    }
    m->point_count = c->points.surface->vertex_count;
    const bool has_room =
        list_members(c) && list_neighbors(c) && list_corners(c) && compute_details(c, mesh);
    return has_room ? LMB_OK : lmbi_fail_memory(error);
}

lmb_result lmb_delta_mush_create(const lmb_mesh *mesh, const lmb_delta_mush_opts *opts,
                                 const lmb_allocator *alloc, lmb_delta_mush **out, lmb_error *error)
{
    const lmb_delta_mush_opts given = opts != NULL ? *opts : (lmb_delta_mush_opts){0};
    lmb_result result = lmbi_check_deformable(mesh, error);
    if (result != LMB_OK) {
        return result;
    }
    if (!(given.fraction >= 0 && given.fraction <= 1) || given.passes > 1000) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a fraction of 0 to 1 and up to 1000 passes",
                         "a fraction of %g and %u passes", (double)given.fraction, given.passes);
    }
    lmb_delta_mush *mush = lmbi_alloc(alloc, sizeof(*mush));
    if (mush == NULL) {
        return lmbi_fail_memory(error);
    }
    mush->allocator = alloc != NULL ? *alloc : (lmb_allocator){0};
    mush->vertex_count = mesh->vertex_count;
    mush->passes = given.passes > 0 ? given.passes : 20;
    mush->fraction = given.fraction > 0 ? given.fraction : 0.5f;
    compiler c = {.mush = mush, .loose_borders = given.loose_borders};
    result = compile_surface(&c, mesh, error);
    lmbi_adjacency_destroy(c.adjacency);
    lmbi_points_free(&c.points, &mush->allocator);
    if (result != LMB_OK) {
        lmb_delta_mush_destroy(mush);
        return result;
    }
    *out = mush;
    return LMB_OK;
}

void lmb_delta_mush_destroy(lmb_delta_mush *mush)
{
    if (mush == NULL) {
        return;
    }
    const lmb_allocator alloc = mush->allocator;
    void *const blocks[] = {
        mush->member_first, mush->members,          mush->first,   mush->neighbors, mush->corners,
        mush->corner_first, mush->tangent_neighbor, mush->details, mush->normals,   mush->tangents};
    for (size_t k = 0; k < sizeof(blocks) / sizeof(blocks[0]); ++k) {
        lmbi_free(&alloc, blocks[k]);
    }
    lmbi_free(&alloc, mush);
}
