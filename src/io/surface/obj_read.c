#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/hash.h"
#include "io/surface/obj.h"
#include "io/surface/polygon.h"
#include "io/surface/surface.h"

/// The mesh under construction. All arrays lie in the arena except the two that grow.
typedef struct obj_builder {
    const lmbi_obj *obj;
    const lmbi_obj_read_opts *opts;
    lmbi_arena arena;
    lmbi_obj_corner
        *vertices; ///< [vertex_count]; v is the source position; vt and vn are -1 for none
    size_t vertex_count, vertex_capacity;
    bool *used;      ///< [position_count] whether a corner uses the position's first vertex
    uint32_t *slots; ///< hash table of the appended vertices: index; 0 is empty
    size_t slot_count;
    uint32_t *corner_vertices; ///< [corner_count]
    lmb_mesh mesh;
    lmb_error *error;
} obj_builder;

static size_t slot_of(const obj_builder *b, lmbi_obj_corner corner)
{
    size_t slot = (size_t)lmbi_hash(LMBI_HASH_SEED, &corner, sizeof corner) & (b->slot_count - 1);
    while (b->slots[slot] && memcmp(&b->vertices[b->slots[slot]], &corner, sizeof corner) != 0) {
        slot = (slot + 1) & (b->slot_count - 1);
    }
    return slot;
}

static bool rehash(obj_builder *b)
{
    const size_t count = b->slot_count ? b->slot_count * 2 : 1024;
    uint32_t *slots = lmbi_alloc_array(b->obj->alloc, count, sizeof *slots);
    if (slots == NULL) {
        return false;
    }
    lmbi_free(b->obj->alloc, b->slots);
    b->slots = slots;
    b->slot_count = count;
    for (size_t i = b->obj->position_count; i < b->vertex_count; ++i) {
        slots[slot_of(b, b->vertices[i])] = (uint32_t)i;
    }
    return true;
}

/// The vertex of a corner: the position's first one if it is free or equal, else an appended one.
static bool vertex_of(obj_builder *b, lmbi_obj_corner corner, uint32_t *vertex)
{
    if (!b->used[corner.v]) {
        b->used[corner.v] = true;
        b->vertices[corner.v] = corner;
    }
    *vertex = (uint32_t)corner.v;
    if (memcmp(&b->vertices[corner.v], &corner, sizeof corner) == 0) {
        return true;
    }
    if ((b->vertex_count - b->obj->position_count) * 2 >= b->slot_count && !rehash(b)) {
        return false;
    }
    const size_t slot = slot_of(b, corner);
    if (b->slots[slot] == 0) {
        void *vertices = b->vertices;
        if (!lmbi_grow(b->obj->alloc, &vertices, &b->vertex_capacity, b->vertex_count + 1,
                       sizeof *b->vertices)) {
            return false;
        }
        b->vertices = vertices;
        b->vertices[b->vertex_count] = corner;
        b->slots[slot] = (uint32_t)b->vertex_count++;
    }
    *vertex = b->slots[slot];
    return true;
}

static bool make_vertices(obj_builder *b)
{
    const lmbi_obj *obj = b->obj;
    void *vertices = NULL;
    b->used = lmbi_arena_array(&b->arena, obj->position_count, sizeof *b->used);
    b->corner_vertices = lmbi_arena_array(&b->arena, obj->corner_count, sizeof *b->corner_vertices);
    if (!b->used || !b->corner_vertices ||
        !lmbi_grow(obj->alloc, &vertices, &b->vertex_capacity, obj->position_count,
                   sizeof *b->vertices)) {
        return false;
    }
    b->vertices = vertices;
    b->vertex_count = obj->position_count;
    for (size_t i = 0; i < obj->position_count; ++i) {
        b->vertices[i] = (lmbi_obj_corner){(int32_t)i, -1, -1};
    }
    for (size_t i = 0; i < obj->corner_count; ++i) {
        if (!vertex_of(b, obj->corners[i], &b->corner_vertices[i])) {
            return false;
        }
    }
    return true;
}

/// Normalises normals that are not unit to 4 digits, the least that exporters write. Others keep
/// their bits.
static lmb_vec3 unit_normal(lmb_vec3 n)
{
    const lmb_vec3 up = {0, 1, 0};
    const float square = lmb_vec3_dot(n, n);
    return square > 0.999f && square < 1.001f ? n : lmb_vec3_normalize_or(n, up);
}

static lmb_vec4 linear_color(lmb_vec4 c, float scale)
{
    const lmb_vec4 linear = {lmbi_linear_from_srgb(c.x * scale), lmbi_linear_from_srgb(c.y * scale),
                             lmbi_linear_from_srgb(c.z * scale), c.w > 1 ? c.w * scale : c.w};
    return linear;
}

/// Factor of vertex colours: some writers give 0..255.
static float color_scale(const lmbi_obj *obj)
{
    float most = 0;
    for (size_t i = 0; obj->colors && i < obj->position_count; ++i) {
        const lmb_vec4 c = obj->colors[i];
        most = c.x > most ? c.x : most;
        most = c.y > most ? c.y : most;
        most = c.z > most ? c.z : most;
    }
    return most > 1.5f ? 1.0f / 255 : 1;
}

static bool fill_vertices(obj_builder *b)
{
    const lmbi_obj *obj = b->obj;
    const float unit = b->opts->unit_m > 0 ? b->opts->unit_m : 1;
    const float scale = color_scale(obj);
    const size_t n = b->vertex_count;
    lmb_mesh *mesh = &b->mesh;
    mesh->vertex_count = (uint32_t)n;
    mesh->positions = lmbi_arena_array(&b->arena, n, sizeof *mesh->positions);
    mesh->uvs[0] = obj->uv_count ? lmbi_arena_array(&b->arena, n, sizeof *mesh->uvs[0]) : NULL;
    mesh->normals =
        obj->normal_count ? lmbi_arena_array(&b->arena, n, sizeof *mesh->normals) : NULL;
    mesh->colors[0] = obj->colors ? lmbi_arena_array(&b->arena, n, sizeof *mesh->colors[0]) : NULL;
    mesh->source_position = n > obj->position_count
                                ? lmbi_arena_array(&b->arena, n, sizeof *mesh->source_position)
                                : NULL;
    if (!mesh->positions || (obj->uv_count && !mesh->uvs[0]) ||
        (obj->normal_count && !mesh->normals) || (obj->colors && !mesh->colors[0]) ||
        (n > obj->position_count && !mesh->source_position)) {
        return false;
    }
    for (size_t i = 0; i < n; ++i) {
        const lmbi_obj_corner c = b->vertices[i];
        mesh->positions[i] = lmb_vec3_scale(lmbi_axis_to_y(b->opts->up, obj->positions[c.v]), unit);
        if (mesh->uvs[0] && c.vt >= 0) {
            mesh->uvs[0][i] = (lmb_vec2){obj->uvs[c.vt].x, 1 - obj->uvs[c.vt].y};
        }
        if (mesh->normals) {
            const lmb_vec3 bare = {0, 1, 0};
            mesh->normals[i] =
                c.vn < 0 ? bare : unit_normal(lmbi_axis_to_y(b->opts->up, obj->normals[c.vn]));
        }
        if (mesh->colors[0]) {
            mesh->colors[0][i] = linear_color(obj->colors[c.v], scale);
        }
        if (mesh->source_position) {
            mesh->source_position[i] = (uint32_t)c.v;
        }
    }
    return true;
}

static size_t element_end(const lmbi_obj *obj, size_t e)
{
    return e + 1 < obj->element_count ? obj->elements[e + 1].first_corner : obj->corner_count;
}

static size_t element_indices(lmb_topology topology, size_t corners)
{
    return topology == LMB_TRIANGLES ? (corners - 2) * 3
           : topology == LMB_LINES   ? (corners - 1) * 2
                                     : corners;
}

/// Allocates the lists. Polygon lists are only made when some face is not a triangle.
static lmb_result make_lists(obj_builder *b)
{
    const lmbi_obj *obj = b->obj;
    lmb_mesh *mesh = &b->mesh;
    size_t indices = 0, faces = 0, face_corners = 0;
    for (size_t e = 0; e < obj->element_count; ++e) {
        const lmb_topology topology = obj->runs[obj->elements[e].run].topology;
        const size_t corners = element_end(obj, e) - obj->elements[e].first_corner;
        indices += element_indices(topology, corners);
        faces += topology == LMB_TRIANGLES;
        face_corners += topology == LMB_TRIANGLES ? corners : 0;
    }
    if (indices > UINT32_MAX) {
        return lmbi_fail(b->error, LMB_ERROR_UNSUPPORTED, "at most 2^32 - 1 indices", "%zu",
                         indices);
    }
    const bool polygons = face_corners > 3 * faces;
    mesh->index_count = (uint32_t)indices;
    mesh->indices = lmbi_arena_array(&b->arena, indices, sizeof *mesh->indices);
    mesh->primitives = lmbi_arena_array(&b->arena, obj->run_count, sizeof *mesh->primitives);
    mesh->polygon_count = polygons ? (uint32_t)faces : 0;
    mesh->polygon_first =
        polygons ? lmbi_arena_array(&b->arena, faces + 1, sizeof *mesh->polygon_first) : NULL;
    mesh->polygons =
        polygons ? lmbi_arena_array(&b->arena, face_corners, sizeof *mesh->polygons) : NULL;
    if (!mesh->indices || !mesh->primitives ||
        (polygons && (!mesh->polygon_first || !mesh->polygons))) {
        return lmbi_fail_memory(b->error);
    }
    return LMB_OK;
}

static void write_lines(const uint32_t *corners, size_t count, uint32_t *indices)
{
    for (size_t i = 1; i < count; ++i) {
        *indices++ = corners[i - 1];
        *indices++ = corners[i];
    }
}

static lmb_result fill_indices(obj_builder *b)
{
    const lmbi_obj *obj = b->obj;
    lmb_mesh *mesh = &b->mesh;
    lmbi_polygon work = {.alloc = obj->alloc};
    uint32_t at = 0, polygon = 0;
    bool ok = true;
    for (size_t e = 0; e < obj->element_count && ok; ++e) {
        const lmbi_obj_element *element = &obj->elements[e];
        const lmbi_obj_run *run = &obj->runs[element->run];
        const uint32_t *corners = b->corner_vertices + element->first_corner;
        const size_t count = element_end(obj, e) - element->first_corner;
        lmb_primitive *primitive = &mesh->primitives[element->run];
        if (primitive->index_count == 0) {
            primitive->first_index = at;
        }
        if (run->topology == LMB_TRIANGLES) {
            ok = lmbi_polygon_triangulate(&work, mesh->positions, corners, count,
                                          mesh->indices + at);
            if (mesh->polygons) {
                memcpy(mesh->polygons + mesh->polygon_first[polygon], corners,
                       count * sizeof *corners);
                mesh->polygon_first[polygon + 1] = mesh->polygon_first[polygon] + (uint32_t)count;
                ++polygon;
            }
        } else if (run->topology == LMB_LINES) {
            write_lines(corners, count, mesh->indices + at);
        } else {
            memcpy(mesh->indices + at, corners, count * sizeof *corners);
        }
        const uint32_t written = (uint32_t)element_indices(run->topology, count);
        primitive->index_count += written;
        at += written;
    }
    lmbi_polygon_free(&work);
    return ok ? LMB_OK : lmbi_fail_memory(b->error);
}

static void describe_primitives(obj_builder *b)
{
    const lmbi_obj *obj = b->obj;
    lmb_mesh *mesh = &b->mesh;
    mesh->primitive_count = (uint32_t)obj->run_count;
    for (size_t k = 0; k < obj->run_count; ++k) {
        const lmbi_obj_run *run = &obj->runs[k];
        lmb_primitive *p = &mesh->primitives[k];
        uint32_t low = UINT32_MAX, high = 0;
        for (uint32_t i = 0; i < p->index_count; ++i) {
            const uint32_t v = mesh->indices[p->first_index + i];
            low = v < low ? v : low;
            high = v > high ? v : high;
        }
        p->topology = run->topology;
        p->name = run->group >= 0 ? obj->groups.items[run->group] : NULL;
        p->material = run->material;
        p->first_vertex = low;
        p->vertex_count = high - low + 1;
        p->attributes = (run->has_normal ? LMB_HAS_NORMALS : 0u) |
                        (run->has_uv ? LMB_HAS_UV0 : 0u) | (obj->colors ? LMB_HAS_COLOR0 : 0u);
    }
}

static lmb_result build_character(obj_builder *b, const lmb_allocator *alloc, lmb_character **out)
{
    if (!make_vertices(b) || !fill_vertices(b)) {
        return lmbi_fail_memory(b->error);
    }
    lmb_result result = make_lists(b);
    if (result == LMB_OK) {
        result = fill_indices(b);
    }
    lmb_appearance appearance = {0};
    if (result == LMB_OK) {
        describe_primitives(b);
        result = lmbi_mtl_read(b->obj, b->opts->loader, &b->arena, &appearance, b->error);
    }
    if (result == LMB_OK) {
        result = lmbi_character_of_mesh(&b->mesh, appearance.material_count ? &appearance : NULL,
                                        alloc, out, b->error);
    }
    return result;
}

lmb_result lmbi_obj_build(const lmbi_obj *obj, const lmbi_obj_read_opts *opts,
                          const lmb_allocator *alloc, lmb_character **out, lmb_error *error)
{
    obj_builder b = {.obj = obj, .opts = opts, .error = error};
    lmbi_arena_init(&b.arena, alloc);
    const lmb_result result = build_character(&b, alloc, out);
    lmbi_free(alloc, b.vertices);
    lmbi_free(alloc, b.slots);
    lmbi_arena_free(&b.arena);
    return result;
}

lmb_result lmbi_obj_finish(lmbi_obj *obj, lmb_result result, const lmbi_mesh_read_opts *opts,
                           const lmb_allocator *alloc, lmb_character **out, lmb_error *error)
{
    if (result == LMB_OK) {
        const lmbi_obj_read_opts build = {.unit_m = opts ? opts->unit_m : 0,
                                          .up = opts ? opts->up : LMB_AXIS_AUTO};
        result = lmbi_obj_build(obj, &build, alloc, out, error);
    }
    lmbi_obj_free(obj);
    return result;
}

lmb_result lmbi_obj_read(const void *bytes, size_t size, const lmbi_obj_read_opts *opts,
                         const lmb_allocator *alloc, lmb_character **out, lmb_error *error)
{
    const lmbi_obj_read_opts defaults = {0};
    opts = opts ? opts : &defaults;
    lmbi_obj obj;
    lmbi_obj_init(&obj, alloc, opts->notes);
    lmb_result result = lmbi_obj_parse(&obj, bytes, size, error);
    if (result == LMB_OK) {
        result = lmbi_obj_build(&obj, opts, alloc, out, error);
    }
    lmbi_obj_free(&obj);
    return result;
}
