/// Gives a mesh normals per corner: a vertex whose corners have different normals is split.
#include <string.h>

#include "asset/asset.h"
#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "limber/asset.h"

static const uint32_t none = UINT32_MAX;

typedef struct splitting {
    const lmb_mesh *mesh;
    lmbi_arena arena;
    uint32_t count;    ///< vertices of the result
    uint32_t *from;    ///< [corners + vertices] original vertex of each new one
    lmb_vec3 *normals; ///< of each new vertex
    uint32_t *next;    ///< next copy of the same original vertex
    uint32_t *number;  ///< index of each new vertex in the result
    uint32_t *indices; ///< [index_count] first new vertices, at last vertices of the result
    bool appends;      ///< copies come after all vertices, else each after its original
} splitting;

static bool is_same(lmb_vec3 a, lmb_vec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

/// Finds the copy of a vertex with that normal, or adds one. The first normal goes to the original
/// vertex.
static uint32_t find_or_add_copy(splitting *s, uint32_t vertex, lmb_vec3 normal)
{
    uint32_t at = vertex;
    if (is_same(s->normals[at], lmb_vec3_make(0, 0, 0))) {
        s->normals[at] = normal;
        return at;
    }
    while (!is_same(s->normals[at], normal)) {
        if (s->next[at] == none) {
            s->next[at] = s->count;
            s->from[s->count] = vertex;
            s->normals[s->count] = normal;
            s->next[s->count++] = none;
        }
        at = s->next[at];
    }
    return at;
}

static void split_corners(splitting *s, const lmb_vec3 *corners)
{
    const lmb_mesh *mesh = s->mesh;
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        s->from[v] = v;
        s->next[v] = none;
    }
    s->count = mesh->vertex_count;
    memcpy(s->indices, mesh->indices, mesh->index_count * sizeof *s->indices);
    s->appends = true;
    for (uint32_t p = 0; p < mesh->primitive_count; ++p) {
        const lmb_primitive *primitive = &mesh->primitives[p];
        const uint32_t end = primitive->first_index + primitive->index_count;
        s->appends = s->appends && primitive->first_vertex == 0 &&
                     primitive->vertex_count == mesh->vertex_count;
        for (uint32_t i = primitive->first_index; i < end; ++i) {
            if (primitive->topology == LMB_TRIANGLES) {
                s->indices[i] = find_or_add_copy(s, mesh->indices[i], corners[i]);
            }
        }
    }
}

/// Numbers the vertices of the result, and sorts `from` and `normals` by number.
static bool number_vertices(splitting *s)
{
    uint32_t *from = lmbi_arena_array(&s->arena, s->count, sizeof *from), at = 0;
    lmb_vec3 *normals = lmbi_arena_array(&s->arena, s->count, sizeof *normals);
    s->number = lmbi_arena_array(&s->arena, s->count, sizeof *s->number);
    if (!from || !normals || !s->number) {
        return false;
    }
    for (uint32_t k = 0; s->appends && k < s->count; ++k) {
        s->number[k] = k;
    }
    for (uint32_t v = 0; !s->appends && v < s->mesh->vertex_count; ++v) {
        for (uint32_t k = v; k != none; k = s->next[k]) {
            s->number[k] = at++;
        }
    }
    for (uint32_t k = 0; k < s->count; ++k) {
        const bool is_zero = is_same(s->normals[k], lmb_vec3_make(0, 0, 0));
        from[s->number[k]] = s->from[k];
        // No triangle uses this vertex.
        normals[s->number[k]] = is_zero ? lmb_vec3_make(0, 1, 0) : s->normals[k];
    }
    s->from = from;
    s->normals = normals;
    return true;
}

/// A copy of a per-vertex array in the result's order; NULL for NULL. Sets `failed` when out of
/// memory.
static void *reorder_array(splitting *s, const void *array, size_t size, bool *failed)
{
    if (array == NULL) {
        return NULL;
    }
    uint8_t *out = lmbi_arena_array(&s->arena, s->count, size);
    *failed = *failed || out == NULL;
    for (uint32_t k = 0; out != NULL && k < s->count; ++k) {
        memcpy(out + k * size, (const uint8_t *)array + s->from[k] * size, size);
    }
    return out;
}

static bool split_influences(splitting *s, lmb_mesh *def)
{
    const lmb_influences *from = &s->mesh->influences;
    uint32_t all = 0;
    if (from->first == NULL) {
        return true;
    }
    for (uint32_t k = 0; k < s->count; ++k) {
        all += from->first[s->from[k] + 1] - from->first[s->from[k]];
    }
    def->influences.first =
        lmbi_arena_array(&s->arena, (size_t)s->count + 1, sizeof *def->influences.first);
    def->influences.items = lmbi_arena_array(&s->arena, all, sizeof *def->influences.items);
    if (!def->influences.first || !def->influences.items) {
        return false;
    }
    uint32_t at = 0;
    for (uint32_t k = 0; k < s->count; ++k) {
        for (uint32_t i = from->first[s->from[k]]; i < from->first[s->from[k] + 1]; ++i) {
            def->influences.items[at++] = from->items[i];
        }
        def->influences.first[k + 1] = at;
    }
    return true;
}

static bool split_targets(splitting *s, lmb_mesh *def)
{
    bool failed = false;
    def->targets = lmbi_arena_array(&s->arena, def->target_count, sizeof *def->targets);
    for (uint32_t t = 0; def->targets != NULL && t < def->target_count; ++t) {
        const lmb_morph_target *from = &s->mesh->targets[t];
        def->targets[t] = *from;
        def->targets[t].positions = reorder_array(s, from->positions, sizeof(lmb_vec3), &failed);
        def->targets[t].normals = reorder_array(s, from->normals, sizeof(lmb_vec3), &failed);
        def->targets[t].tangents = reorder_array(s, from->tangents, sizeof(lmb_vec3), &failed);
    }
    return def->targets != NULL && !failed;
}

static bool split_primitives(splitting *s, lmb_mesh *def)
{
    def->primitives = lmbi_arena_array(&s->arena, def->primitive_count, sizeof *def->primitives);
    for (uint32_t p = 0; def->primitives != NULL && p < def->primitive_count; ++p) {
        lmb_primitive *primitive = &def->primitives[p];
        *primitive = s->mesh->primitives[p];
        const uint32_t end = primitive->first_vertex + primitive->vertex_count;
        const uint32_t first =
            s->appends || primitive->vertex_count == 0 ? 0 : s->number[primitive->first_vertex];
        // Copies follow their original, so a primitive's range ends where the next vertex begins.
        const uint32_t last =
            s->appends || end == s->mesh->vertex_count ? s->count : s->number[end];
        primitive->vertex_count = primitive->vertex_count > 0 ? last - first : 0;
        primitive->first_vertex = first;
        primitive->attributes |= LMB_HAS_NORMALS;
    }
    return def->primitives != NULL;
}

/// A polygon's corners refer to the original vertices: those keep the first normal.
static bool split_polygons(splitting *s, lmb_mesh *def)
{
    const uint32_t corners = def->polygon_count ? def->polygon_first[def->polygon_count] : 0;
    def->polygons = lmbi_arena_array(&s->arena, corners, sizeof *def->polygons);
    for (uint32_t i = 0; def->polygons != NULL && i < corners; ++i) {
        def->polygons[i] = s->number[s->mesh->polygons[i]];
    }
    return def->polygons != NULL;
}

static bool split_envelope(splitting *s, lmb_mesh *def)
{
    if (!s->mesh->envelope) {
        return true;
    }
    def->envelope =
        lmbi_arena_array(&s->arena, s->count, LMB_ENVELOPE_SETS * sizeof *def->envelope);
    for (size_t set = 0; def->envelope && set < LMB_ENVELOPE_SETS; ++set) {
        for (size_t k = 0; k < s->count; ++k) {
            def->envelope[set * s->count + k] =
                s->mesh->envelope[set * s->mesh->vertex_count + s->from[k]];
        }
    }
    return def->envelope != NULL;
}

static lmb_result create_split_mesh(splitting *s, const lmb_allocator *alloc, lmb_mesh **out,
                                    lmb_error *error)
{
    lmb_mesh def = *s->mesh;
    bool failed = !number_vertices(s);
    if (failed) {
        return lmbi_fail_memory(error);
    }
    def.vertex_count = s->count;
    def.positions = reorder_array(s, def.positions, sizeof(lmb_vec3), &failed);
    def.tangents = reorder_array(s, def.tangents, sizeof(lmb_vec4), &failed);
    def.source_position = reorder_array(s, def.source_position, sizeof(uint32_t), &failed);
    if (def.source_position == NULL && s->count > s->mesh->vertex_count) {
        def.source_position = s->from;
    }
    for (int set = 0; set < LMB_UV_SETS; ++set) {
        def.uvs[set] = reorder_array(s, def.uvs[set], sizeof(lmb_vec2), &failed);
    }
    for (int set = 0; set < LMB_COLOR_SETS; ++set) {
        def.colors[set] = reorder_array(s, def.colors[set], sizeof(lmb_vec4), &failed);
    }
    for (uint32_t i = 0; i < def.index_count; ++i) {
        s->indices[i] = s->number[s->indices[i]];
    }
    def.normals = s->normals;
    def.indices = s->indices;
    failed = failed || !split_influences(s, &def) || !split_envelope(s, &def) ||
             !split_targets(s, &def) || !split_primitives(s, &def) || !split_polygons(s, &def);
    return failed ? lmbi_fail_memory(error) : lmb_mesh_create(&def, alloc, out, error);
}

lmb_result lmbi_mesh_with_normals(const lmb_mesh *mesh, const lmb_vec3 *corners,
                                  const lmb_allocator *alloc, lmb_mesh **out, lmb_error *error)
{
    splitting s = {.mesh = mesh};
    lmbi_arena_init(&s.arena, alloc);
    const size_t most = (size_t)mesh->vertex_count + mesh->index_count;
    s.from = lmbi_arena_array(&s.arena, most, sizeof *s.from);
    s.normals = lmbi_arena_array(&s.arena, most, sizeof *s.normals);
    s.next = lmbi_arena_array(&s.arena, most, sizeof *s.next);
    s.indices = lmbi_arena_array(&s.arena, mesh->index_count, sizeof *s.indices);
    lmb_result result = LMB_OK;
    if (most > UINT32_MAX || !s.from || !s.normals || !s.next || !s.indices) {
        result = lmbi_fail_memory(error);
    } else {
        split_corners(&s, corners);
        result = create_split_mesh(&s, alloc, out, error);
    }
    lmbi_arena_free(&s.arena);
    return result;
}
