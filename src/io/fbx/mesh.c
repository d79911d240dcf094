/// Corners of polygons become vertices: one for every control point, in file order, then one for
/// every further combination of normal, colour and UVs that the point's corners have.
#include "io/fbx/mesh.h"

#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "io/surface/polygon.h"

/// A vertex's key: normal, colour and UVs as bits of floats. Corners of a point with equal keys are
/// one vertex.
#define KEY_WORDS_MAX (3 + 4 + 2 * LMB_UV_SETS)

typedef struct builder {
    lmbi_fbx_scene *scene;
    lmbi_fbx *fbx;
    lmbi_fbx_mesh *mesh;
    lmbi_fbx_corners c;
    int uv_sets, key_words;
    bool normals, colors;
    lmb_mat4 mesh_from_geometry;
    lmb_mat4 cofactor;  ///< for normals
    uint32_t *vertices; ///< [corner_count] of the corners
    uint32_t *keys;     ///< [vertex_count][key_words]
    size_t key_capacity;
    uint32_t *points; ///< [vertex_count] control points
    size_t point_capacity, vertex_count;
    bool *used; ///< [point_count] the point's own vertex has its key
    uint32_t *slots;
    size_t slot_count;
} builder;

// ------------------------------------------------------------------------------------------- keys

static uint32_t bits_of(float value)
{
    uint32_t bits;
    value += 0; // -0 is 0
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/// A value that is absent or not finite becomes zero.
static void append_bits(const double *value, int width, uint32_t *key)
{
    for (int i = 0; i < width; ++i) {
        const double v = value ? value[i] : 0;
        key[i] = bits_of(v - v >= 0 ? (float)v : 0);
    }
}

static void key_of(const builder *b, uint32_t corner, uint32_t polygon, uint32_t *key)
{
    if (b->normals) {
        append_bits(lmbi_fbx_element_at(&b->c, &b->c.normals, corner, polygon), 3, key);
        key += 3;
    }
    if (b->colors) {
        append_bits(lmbi_fbx_element_at(&b->c, &b->c.colors, corner, polygon), 4, key);
        key += 4;
    }
    for (int i = 0; i < b->uv_sets; ++i) {
        append_bits(lmbi_fbx_element_at(&b->c, &b->c.uvs[i], corner, polygon), 2, key);
        key += 2;
    }
}

static size_t slot_of(const builder *b, uint32_t point, const uint32_t *key)
{
    const size_t size = (size_t)b->key_words * sizeof *key;
    const uint64_t seed = lmbi_hash(LMBI_HASH_SEED, &point, sizeof point);
    size_t slot = (size_t)lmbi_hash(seed, key, size) & (b->slot_count - 1);
    while (b->slots[slot]) {
        const uint32_t v = b->slots[slot];
        if (b->points[v] == point &&
            memcmp(b->keys + (size_t)v * (size_t)b->key_words, key, size) == 0) {
            break;
        }
        slot = (slot + 1) & (b->slot_count - 1);
    }
    return slot;
}

static bool rehash(builder *b)
{
    const size_t count = b->slot_count ? b->slot_count * 2 : 1024;
    uint32_t *slots = lmbi_alloc_array(b->fbx->alloc, count, sizeof *slots);
    if (slots == NULL) {
        return false;
    }
    lmbi_free(b->fbx->alloc, b->slots);
    b->slots = slots;
    b->slot_count = count;
    for (size_t v = b->c.point_count; v < b->vertex_count; ++v) {
        slots[slot_of(b, b->points[v], b->keys + v * (size_t)b->key_words)] = (uint32_t)v;
    }
    return true;
}

static bool reserve(builder *b, size_t count)
{
    void *keys = b->keys, *points = b->points;
    const size_t key_size = (size_t)b->key_words * sizeof *b->keys;
    const bool ok =
        lmbi_grow(b->fbx->alloc, &keys, &b->key_capacity, count, key_size ? key_size : 1) &&
        lmbi_grow(b->fbx->alloc, &points, &b->point_capacity, count, sizeof *b->points);
    b->keys = keys;
    b->points = points;
    return ok;
}

/// The vertex of a corner: the point's own vertex for its first key, an appended one for others.
static bool vertex_of(builder *b, uint32_t point, const uint32_t *key, uint32_t *vertex)
{
    const size_t words = (size_t)b->key_words, size = words * sizeof *key;
    if (!b->used[point]) {
        b->used[point] = true;
        memcpy(b->keys + point * words, key, size);
    }
    *vertex = point;
    if (memcmp(b->keys + point * words, key, size) == 0) {
        return true;
    }
    if ((b->vertex_count - b->c.point_count) * 2 >= b->slot_count && !rehash(b)) {
        return false;
    }
    const size_t slot = slot_of(b, point, key);
    if (b->slots[slot] == 0) {
        if (!reserve(b, b->vertex_count + 1)) {
            return false;
        }
        memcpy(b->keys + b->vertex_count * words, key, size);
        b->points[b->vertex_count] = point;
        b->slots[slot] = (uint32_t)b->vertex_count++;
    }
    *vertex = b->slots[slot];
    return true;
}

static bool make_vertices(builder *b)
{
    const uint32_t n = b->c.point_count;
    b->vertices = lmbi_arena_array(&b->fbx->arena, b->c.corner_count, sizeof *b->vertices);
    b->used = lmbi_arena_array(&b->fbx->arena, n, sizeof *b->used);
    if (!b->vertices || !b->used || !reserve(b, (size_t)n + 1)) {
        return false;
    }
    memset(b->keys, 0, (size_t)n * (size_t)b->key_words * sizeof *b->keys);
    for (uint32_t i = 0; i < n; ++i) {
        b->points[i] = i;
    }
    b->vertex_count = n;
    for (uint32_t p = 0; p < b->c.polygon_count; ++p) {
        for (uint32_t i = b->c.polygon_first[p]; i < b->c.polygon_first[p + 1]; ++i) {
            uint32_t key[KEY_WORDS_MAX + 1];
            key_of(b, i, p, key);
            if (!vertex_of(b, b->c.corners[i], key, &b->vertices[i])) {
                return false;
            }
        }
    }
    return true;
}

// ----------------------------------------------------------------------------------------- arrays

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static lmb_vec3 vec3_at(const uint32_t *key)
{
    return lmb_vec3_make(float_of(key[0]), float_of(key[1]), float_of(key[2]));
}

static lmb_result allocate_arrays(builder *b)
{
    lmbi_arena *arena = &b->fbx->arena;
    lmb_mesh *mesh = &b->mesh->def;
    const size_t n = b->vertex_count;
    mesh->vertex_count = (uint32_t)n;
    mesh->positions = lmbi_arena_array(arena, n, sizeof *mesh->positions);
    bool ok = n <= UINT32_MAX && mesh->positions != NULL;
    if (b->normals) {
        mesh->normals = lmbi_arena_array(arena, n, sizeof *mesh->normals);
        ok = ok && mesh->normals;
    }
    if (b->colors) {
        mesh->colors[0] = lmbi_arena_array(arena, n, sizeof *mesh->colors[0]);
        ok = ok && mesh->colors[0];
    }
    for (int i = 0; i < b->uv_sets; ++i) {
        mesh->uvs[i] = lmbi_arena_array(arena, n, sizeof *mesh->uvs[i]);
        ok = ok && mesh->uvs[i];
    }
    if (n > b->c.point_count) {
        mesh->source_position = lmbi_arena_array(arena, n, sizeof *mesh->source_position);
        ok = ok && mesh->source_position;
    }
    return ok ? LMB_OK : lmbi_fail_memory(b->fbx->error);
}

/// Normalises; lengths near 1, as nearly all are, need no scaling against overflow.
static lmb_vec3 unit_normal(lmb_vec3 n)
{
    const float square = lmb_vec3_dot(n, n);
    return square > 1e-6f && square < 1e6f ? lmb_vec3_scale(n, 1.0f / lmb_sqrt(square))
                                           : lmb_vec3_normalize_or(n, lmb_vec3_make(0, 1, 0));
}

static void fill_vertex(builder *b, float unit_m, size_t v)
{
    lmb_mesh *mesh = &b->mesh->def;
    const double *p = b->c.points + 3 * (size_t)b->points[v];
    const uint32_t *key = b->keys + v * (size_t)b->key_words;
    const lmb_vec3 point = {(float)p[0], (float)p[1], (float)p[2]};
    mesh->positions[v] = lmb_mat4_point(b->mesh_from_geometry, lmb_vec3_scale(point, unit_m));
    if (b->normals) {
        mesh->normals[v] = unit_normal(lmb_mat4_vector(b->cofactor, vec3_at(key)));
        key += 3;
    }
    if (b->colors) {
        mesh->colors[0][v] = (lmb_vec4){lmbi_linear_from_srgb(float_of(key[0])),
                                        lmbi_linear_from_srgb(float_of(key[1])),
                                        lmbi_linear_from_srgb(float_of(key[2])), float_of(key[3])};
        key += 4;
    }
    for (int i = 0; i < b->uv_sets; ++i) {
        mesh->uvs[i][v] = (lmb_vec2){float_of(key[0]), 1 - float_of(key[1])};
        key += 2;
    }
    if (mesh->source_position) {
        mesh->source_position[v] = b->points[v];
    }
}

/// The cofactor matrix, which transforms normals, also with mirrored or zero axes. Its columns are
/// cross products of the matrix's columns.
static lmb_mat4 cofactor_of(lmb_mat4 m)
{
    const lmb_vec3 x = {m.m[0], m.m[1], m.m[2]}, y = {m.m[4], m.m[5], m.m[6]},
                   z = {m.m[8], m.m[9], m.m[10]};
    const lmb_vec3 columns[3] = {lmb_vec3_cross(y, z), lmb_vec3_cross(z, x), lmb_vec3_cross(x, y)};
    lmb_mat4 c = lmb_mat4_identity();
    for (int i = 0; i < 3; ++i) {
        c.m[4 * i] = columns[i].x;
        c.m[4 * i + 1] = columns[i].y;
        c.m[4 * i + 2] = columns[i].z;
    }
    return c;
}

// ------------------------------------------------------------------------------------- primitives

/// Index of a polygon's material among the model's; `count` for none.
static uint32_t material_of(const builder *b, uint32_t polygon, uint32_t count)
{
    const double *value =
        lmbi_fbx_element_at(&b->c, &b->c.materials, b->c.polygon_first[polygon], polygon);
    const double index = value ? *value : 0;
    return index >= 0 && index < count ? (uint32_t)index : count;
}

/// Polygons by material, in file order within each.
static lmb_result order_polygons(builder *b, uint32_t material_count, uint32_t *first,
                                 uint32_t *order)
{
    uint32_t *materials = lmbi_arena_array(&b->fbx->arena, b->c.polygon_count, sizeof *materials);
    if (materials == NULL) {
        return lmbi_fail_memory(b->fbx->error);
    }
    for (uint32_t p = 0; p < b->c.polygon_count; ++p) {
        materials[p] = material_of(b, p, material_count);
        ++first[materials[p] + 2];
    }
    for (uint32_t m = 2; m < material_count + 3; ++m) {
        first[m] += first[m - 1];
    }
    for (uint32_t p = 0; p < b->c.polygon_count; ++p) {
        order[first[materials[p] + 1]++] = p;
    }
    return LMB_OK;
}

static lmb_result allocate_faces(builder *b, uint32_t material_count)
{
    lmbi_arena *arena = &b->fbx->arena;
    lmb_mesh *mesh = &b->mesh->def;
    const uint64_t indices = 3 * ((uint64_t)b->c.corner_count - 2 * (uint64_t)b->c.polygon_count);
    const bool polygons = b->c.corner_count > 3 * b->c.polygon_count;
    mesh->index_count = (uint32_t)indices;
    mesh->indices = lmbi_arena_array(arena, (size_t)indices, sizeof *mesh->indices);
    mesh->primitives =
        lmbi_arena_array(arena, (size_t)material_count + 1, sizeof *mesh->primitives);
    if (polygons) {
        mesh->polygon_count = b->c.polygon_count;
        mesh->polygon_first =
            lmbi_arena_array(arena, (size_t)mesh->polygon_count + 1, sizeof *mesh->polygon_first);
        mesh->polygons = lmbi_arena_array(arena, b->c.corner_count, sizeof *mesh->polygons);
    }
    const bool ok = indices <= UINT32_MAX && mesh->indices && mesh->primitives &&
                    (!polygons || (mesh->polygon_first && mesh->polygons));
    return ok ? LMB_OK : lmbi_fail_memory(b->fbx->error);
}

static void add_primitive(builder *b, uint32_t first_index, uint32_t end, int32_t material)
{
    lmb_mesh *mesh = &b->mesh->def;
    uint32_t low = UINT32_MAX, high = 0;
    for (uint32_t i = first_index; i < end; ++i) {
        low = mesh->indices[i] < low ? mesh->indices[i] : low;
        high = mesh->indices[i] > high ? mesh->indices[i] : high;
    }
    uint32_t attributes = (b->normals ? LMB_HAS_NORMALS : 0u) | (b->colors ? LMB_HAS_COLOR0 : 0u);
    for (int i = 0; i < b->uv_sets; ++i) {
        attributes |= (uint32_t)LMB_HAS_UV0 << i;
    }
    mesh->primitives[mesh->primitive_count++] = (lmb_primitive){.first_index = first_index,
                                                                .index_count = end - first_index,
                                                                .first_vertex = low,
                                                                .vertex_count = high - low + 1,
                                                                .attributes = attributes,
                                                                .material = material};
}

static lmb_result fill_faces(builder *b, const uint32_t *first, const uint32_t *order,
                             const int32_t *materials, uint32_t material_count)
{
    lmb_mesh *mesh = &b->mesh->def;
    lmbi_polygon work = {.alloc = b->fbx->alloc};
    uint32_t at = 0, polygon = 0;
    bool ok = true;
    for (uint32_t m = 0; m <= material_count && ok; ++m) {
        const uint32_t begin = at;
        for (uint32_t k = first[m]; k < first[m + 1] && ok; ++k) {
            const uint32_t p = order[k], from = b->c.polygon_first[p],
                           count = b->c.polygon_first[p + 1] - from;
            ok = lmbi_polygon_triangulate(&work, mesh->positions, b->vertices + from, count,
                                          mesh->indices + at);
            at += 3 * (count - 2);
            if (mesh->polygons) {
                memcpy(mesh->polygons + mesh->polygon_first[polygon], b->vertices + from,
                       count * sizeof *b->vertices);
                mesh->polygon_first[polygon + 1] = mesh->polygon_first[polygon] + count;
                ++polygon;
            }
        }
        if (at > begin) {
            add_primitive(b, begin, at, m < material_count ? materials[m] : LMB_NONE);
        }
    }
    lmbi_polygon_free(&work);
    return ok ? LMB_OK : lmbi_fail_memory(b->fbx->error);
}

static lmb_result make_faces(builder *b, const lmbi_fbx_models *models, const int32_t *look_of)
{
    const lmbi_fbx_scene *scene = b->scene;
    const uint32_t model = models->items[b->mesh->model].object;
    uint32_t material_count = 0;
    const uint32_t links = scene->link_first[model + 1] - scene->link_first[model];
    int32_t *materials = lmbi_arena_array(&b->fbx->arena, links, sizeof *materials);
    for (uint32_t i = scene->link_first[model]; materials && i < scene->link_first[model + 1];
         ++i) {
        if (scene->objects[scene->links[i].from].kind == LMBI_FBX_MATERIAL) {
            materials[material_count++] = look_of[scene->links[i].from];
        }
    }
    uint32_t *first = lmbi_arena_array(&b->fbx->arena, (size_t)material_count + 3, sizeof *first);
    uint32_t *order = lmbi_arena_array(&b->fbx->arena, b->c.polygon_count, sizeof *order);
    if (!materials || !first || !order) {
        return lmbi_fail_memory(b->fbx->error);
    }
    lmb_result result = order_polygons(b, material_count, first, order);
    if (result == LMB_OK) {
        result = allocate_faces(b, material_count);
    }
    return result == LMB_OK ? fill_faces(b, first, order, materials, material_count) : result;
}

// -------------------------------------------------------------------------------------------- all

static lmb_result build_mesh(builder *b, const lmbi_fbx_models *models, const int32_t *look_of)
{
    lmb_result result =
        lmbi_fbx_corners_read(b->fbx, b->scene->objects[b->mesh->geometry].node, &b->c);
    if (result != LMB_OK) {
        return result;
    }
    b->normals = b->c.normals.value_count > 0;
    b->colors = b->c.colors.value_count > 0;
    while (b->uv_sets < LMB_UV_SETS && b->c.uvs[b->uv_sets].value_count > 0) {
        ++b->uv_sets;
    }
    b->key_words = (b->normals ? 3 : 0) + (b->colors ? 4 : 0) + 2 * b->uv_sets;
    b->mesh_from_geometry = models->items[b->mesh->model].mesh_from_geometry;
    b->cofactor = cofactor_of(b->mesh_from_geometry);
    b->mesh->position_count = b->c.point_count;
    if (!make_vertices(b)) {
        return lmbi_fail_memory(b->fbx->error);
    }
    result = allocate_arrays(b);
    for (size_t v = 0; v < b->vertex_count && result == LMB_OK; ++v) {
        fill_vertex(b, models->unit_m, v);
    }
    return result == LMB_OK ? make_faces(b, models, look_of) : result;
}

lmb_result lmbi_fbx_mesh_build(lmbi_fbx_scene *scene, const lmbi_fbx_models *models,
                               const int32_t *look_of, lmbi_fbx_mesh *mesh)
{
    builder b = {.scene = scene, .fbx = scene->fbx, .mesh = mesh};
    const char *name = scene->objects[mesh->geometry].name;
    mesh->def.name = name[0] ? name : scene->objects[models->items[mesh->model].object].name;
    const lmb_result result = build_mesh(&b, models, look_of);
    lmbi_free(scene->fbx->alloc, b.keys);
    lmbi_free(scene->fbx->alloc, b.points);
    lmbi_free(scene->fbx->alloc, b.slots);
    return result;
}

uint32_t lmbi_fbx_mesh_point(const lmbi_fbx_mesh *mesh, uint32_t vertex)
{
    return mesh->def.source_position ? mesh->def.source_position[vertex] : vertex;
}
