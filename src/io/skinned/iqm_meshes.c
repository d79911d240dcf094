#include <math.h>
#include <string.h>

#include "io/skinned/iqm.h"

enum { POSITION, TEXCOORD, NORMAL, TANGENT, BLEND_INDICES, BLEND_WEIGHTS, COLOR, ARRAY_KINDS };
enum { BYTE, UBYTE, SHORT, USHORT, INT, UINT, HALF, FLOAT, DOUBLE, NUMBER_KINDS };

/// A vertex array of the file; count 0 where there is none.
typedef struct array {
    uint32_t format, width; ///< format and count of the numbers of a vertex
    const uint8_t *at;
} array;

static const size_t number_sizes[NUMBER_KINDS] = {1, 1, 2, 2, 4, 4, 2, 4, 8};

static double half_of(uint32_t bits)
{
    const int exponent = (int)(bits >> 10 & 31);
    const double fraction = bits & 1023;
    const double size = exponent == 0    ? ldexp(fraction, -24)
                        : exponent == 31 ? (double)NAN
                                         : ldexp(1024 + fraction, exponent - 25);
    return bits & 0x8000 ? -size : size;
}

static double double_of(const uint8_t *at)
{
    const uint64_t bits = (uint64_t)lmbi_load_u32(at + 4) << 32 | lmbi_load_u32(at);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/// Number k of a vertex, unscaled; `*full` is the number that stands for 1 in a normalised array.
static double number_of(const array *a, uint32_t vertex, uint32_t k, double *full)
{
    static const double ones[NUMBER_KINDS] = {127,          255, 32767, 65535, 2147483647.0,
                                              4294967295.0, 1,   1,     1};
    const uint8_t *at = a->at + ((size_t)vertex * a->width + k) * number_sizes[a->format];
    *full = ones[a->format];
    switch (a->format) {
    case BYTE:
        return (int8_t)at[0];
    case UBYTE:
        return at[0];
    case SHORT:
        return (int16_t)lmbi_load_u16(at);
    case USHORT:
        return lmbi_load_u16(at);
    case INT:
        return (int32_t)lmbi_load_u32(at);
    case UINT:
        return lmbi_load_u32(at);
    case HALF:
        return half_of(lmbi_load_u16(at));
    case DOUBLE:
        return double_of(at);
    default:
        return (double)lmbi_load_f32(at);
    }
}

static float scaled(const array *a, uint32_t vertex, uint32_t k)
{
    double full;
    const double value = number_of(a, vertex, k, &full);
    return (float)(value / full);
}

/// Lists the arrays that Limber reads; the first of each kind.
static lmb_result find_arrays(lmbi_iqm *q, array arrays[ARRAY_KINDS])
{
    static const uint32_t least[ARRAY_KINDS] = {3, 2, 3, 4, 1, 1, 3};
    for (uint32_t k = 0; k < q->arrays.count; ++k) {
        const uint8_t *at = q->arrays.at + 20 * (size_t)k;
        const uint32_t kind = lmbi_load_u32(at), format = lmbi_load_u32(at + 8);
        const uint32_t width = lmbi_load_u32(at + 12), offset = lmbi_load_u32(at + 16);
        if (kind >= ARRAY_KINDS || arrays[kind].width > 0) {
            continue;
        }
        if (format >= NUMBER_KINDS || width < least[kind] || width > 16) {
            return lmbi_iqm_fail(q, at + 8, "a vertex array of known numbers", format);
        }
        const uint64_t size = (uint64_t)q->vertex_count * width * number_sizes[format];
        if (offset > q->size || size > q->size - offset) {
            return lmbi_iqm_fail(q, at + 16, "a vertex array inside the file", offset);
        }
        arrays[kind] = (array){format, width, q->bytes + offset};
    }
    if (arrays[POSITION].width == 0) {
        return lmbi_iqm_fail(q, q->bytes + 44, "a vertex array of positions", q->arrays.count);
    }
    return LMB_OK;
}

// ----------------------------------------------------------------------------------------- arrays

static bool make_room(lmbi_iqm *q, const array arrays[ARRAY_KINDS])
{
    lmb_mesh *mesh = &q->model.mesh;
    lmbi_arena *arena = &q->model.arena;
    const size_t n = q->vertex_count;
    const bool skinned = arrays[BLEND_INDICES].width > 0 && arrays[BLEND_WEIGHTS].width > 0 &&
                         q->model.joint_count > 0;
    const uint32_t width = arrays[BLEND_INDICES].width < arrays[BLEND_WEIGHTS].width
                               ? arrays[BLEND_INDICES].width
                               : arrays[BLEND_WEIGHTS].width;
    bool done = (mesh->positions = lmbi_arena_array(arena, n, sizeof(lmb_vec3))) != NULL;
    if (done && arrays[NORMAL].width > 0) {
        done = (mesh->normals = lmbi_arena_array(arena, n, sizeof(lmb_vec3))) != NULL;
    }
    if (done && arrays[TANGENT].width > 0) {
        done = (mesh->tangents = lmbi_arena_array(arena, n, sizeof(lmb_vec4))) != NULL;
    }
    if (done && arrays[TEXCOORD].width > 0) {
        done = (mesh->uvs[0] = lmbi_arena_array(arena, n, sizeof(lmb_vec2))) != NULL;
    }
    if (done && arrays[COLOR].width > 0) {
        done = (mesh->colors[0] = lmbi_arena_array(arena, n, sizeof(lmb_vec4))) != NULL;
    }
    if (done && skinned) {
        mesh->influences.first = lmbi_arena_array(arena, n + 1, sizeof(uint32_t));
        mesh->influences.items = lmbi_arena_array(arena, n, width * sizeof(lmb_influence));
        done = mesh->influences.first != NULL && mesh->influences.items != NULL;
    }
    return done;
}

static lmb_vec3 unit_or_up(lmb_vec3 v)
{
    const float length = lmb_vec3_length(v);
    return length > 1e-12f && isfinite(length) ? lmb_vec3_scale(v, 1 / length)
                                               : lmb_vec3_make(0, 0, 1);
}

static void fill_vertex(lmb_mesh *mesh, const array a[ARRAY_KINDS], uint32_t v)
{
    mesh->positions[v] = lmb_vec3_make(scaled(&a[POSITION], v, 0), scaled(&a[POSITION], v, 1),
                                       scaled(&a[POSITION], v, 2));
    if (mesh->normals != NULL) {
        mesh->normals[v] = unit_or_up(lmb_vec3_make(
            scaled(&a[NORMAL], v, 0), scaled(&a[NORMAL], v, 1), scaled(&a[NORMAL], v, 2)));
    }
    if (mesh->tangents != NULL) {
        const lmb_vec3 t = unit_or_up(lmb_vec3_make(
            scaled(&a[TANGENT], v, 0), scaled(&a[TANGENT], v, 1), scaled(&a[TANGENT], v, 2)));
        mesh->tangents[v] = (lmb_vec4){t.x, t.y, t.z, scaled(&a[TANGENT], v, 3) < 0 ? -1.0f : 1.0f};
    }
    if (mesh->uvs[0] != NULL) {
        mesh->uvs[0][v] = (lmb_vec2){scaled(&a[TEXCOORD], v, 0), scaled(&a[TEXCOORD], v, 1)};
    }
    if (mesh->colors[0] != NULL) {
        mesh->colors[0][v] = (lmb_vec4){
            lmbi_linear_from_srgb(scaled(&a[COLOR], v, 0)),
            lmbi_linear_from_srgb(scaled(&a[COLOR], v, 1)),
            lmbi_linear_from_srgb(scaled(&a[COLOR], v, 2)),
            a[COLOR].width > 3 ? scaled(&a[COLOR], v, 3) : 1,
        };
    }
}

static lmb_result fill_row(lmbi_iqm *q, const array a[ARRAY_KINDS], uint32_t v)
{
    lmb_influences *rows = &q->model.mesh.influences;
    const array *indices = &a[BLEND_INDICES], *weights = &a[BLEND_WEIGHTS];
    const uint32_t width = indices->width < weights->width ? indices->width : weights->width;
    uint32_t at = rows->first[v];
    for (uint32_t k = 0; k < width; ++k) {
        double full;
        const double joint = number_of(indices, v, k, &full);
        const float weight = scaled(weights, v, k);
        if (!(weight > 0)) {
            continue;
        }
        if (!(joint >= 0 && joint < q->model.joint_count) || !isfinite(weight)) {
            const size_t offset = ((size_t)v * indices->width + k) * number_sizes[indices->format];
            return lmbi_iqm_fail(q, indices->at + offset, "a joint that there is and its weight",
                                 joint >= -1e9 && joint <= 1e9 ? (long long)joint : -1);
        }
        rows->items[at++] = (lmb_influence){(uint32_t)joint, weight};
    }
    rows->first[v + 1] = at;
    return LMB_OK;
}

static lmb_result fill_arrays(lmbi_iqm *q, const array arrays[ARRAY_KINDS])
{
    lmb_mesh *mesh = &q->model.mesh;
    mesh->vertex_count = q->vertex_count;
    lmb_result result = LMB_OK;
    for (uint32_t v = 0; v < q->vertex_count && result == LMB_OK; ++v) {
        fill_vertex(mesh, arrays, v);
        if (!lmb_vec3_is_finite(mesh->positions[v])) {
            return lmbi_iqm_fail(q, arrays[POSITION].at, "finite positions", v);
        }
        result = mesh->influences.first != NULL ? fill_row(q, arrays, v) : LMB_OK;
    }
    return result;
}

// ------------------------------------------------------------------------------------- primitives

static uint32_t attributes_of(const lmb_mesh *mesh)
{
    return (mesh->normals != NULL ? LMB_HAS_NORMALS : 0u) |
           (mesh->tangents != NULL ? LMB_HAS_TANGENTS : 0u) |
           (mesh->uvs[0] != NULL ? LMB_HAS_UV0 : 0u) |
           (mesh->colors[0] != NULL ? LMB_HAS_COLOR0 : 0u) |
           (mesh->influences.first != NULL ? LMB_HAS_INFLUENCES : 0u);
}

/// Adds the triangles of one mesh of the file, which are clockwise there.
static lmb_result add_primitive(lmbi_iqm *q, const uint8_t *at)
{
    lmb_mesh *mesh = &q->model.mesh;
    const uint32_t first_vertex = lmbi_load_u32(at + 8), vertices = lmbi_load_u32(at + 12);
    const uint32_t first = lmbi_load_u32(at + 16), count = lmbi_load_u32(at + 20);
    if (first_vertex > q->vertex_count || vertices > q->vertex_count - first_vertex) {
        return lmbi_iqm_fail(q, at + 8, "vertices that there are", first_vertex);
    }
    if (first > q->triangles.count || count > q->triangles.count - first ||
        count > q->triangles.count - mesh->index_count / 3) {
        return lmbi_iqm_fail(q, at + 16, "triangles that there are, each in one mesh", first);
    }
    if (count == 0) {
        lmbi_note(q->notes, 0, "a mesh without triangles was left out");
        return LMB_OK;
    }
    lmb_primitive *primitive = &mesh->primitives[mesh->primitive_count];
    *primitive = (lmb_primitive){.name = lmbi_iqm_text(q, lmbi_load_u32(at)),
                                 .first_index = mesh->index_count,
                                 .index_count = 3 * count,
                                 .first_vertex = first_vertex,
                                 .vertex_count = vertices,
                                 .attributes = attributes_of(mesh)};
    q->model.materials[mesh->primitive_count] = lmbi_iqm_text(q, lmbi_load_u32(at + 4));
    if (primitive->name == NULL || q->model.materials[mesh->primitive_count] == NULL) {
        return lmbi_fail_memory(q->error);
    }
    ++mesh->primitive_count;
    for (uint32_t k = 0; k < 3 * count; ++k) {
        const uint8_t *corner = q->triangles.at + 12 * (size_t)(first + k / 3) + 4 * (2 - k % 3);
        const uint32_t index = lmbi_load_u32(corner);
        if (index < first_vertex || index - first_vertex >= vertices) {
            return lmbi_iqm_fail(q, corner, "a vertex of the mesh", index);
        }
        mesh->indices[mesh->index_count++] = index;
    }
    return LMB_OK;
}

static lmb_result add_primitives(lmbi_iqm *q)
{
    lmb_mesh *mesh = &q->model.mesh;
    lmbi_arena *arena = &q->model.arena;
    mesh->primitives = lmbi_arena_array(arena, q->meshes.count, sizeof *mesh->primitives);
    mesh->indices = lmbi_arena_array(arena, q->triangles.count, 3 * sizeof *mesh->indices);
    q->model.materials = lmbi_arena_array(arena, q->meshes.count, sizeof(char *));
    if (mesh->primitives == NULL || mesh->indices == NULL || q->model.materials == NULL) {
        return lmbi_fail_memory(q->error);
    }
    lmb_result result = LMB_OK;
    for (uint32_t k = 0; k < q->meshes.count && result == LMB_OK; ++k) {
        result = add_primitive(q, q->meshes.at + 24 * (size_t)k);
    }
    return result;
}

lmb_result lmbi_iqm_read_meshes(lmbi_iqm *q)
{
    if (q->vertex_count == 0 || q->meshes.count == 0) {
        return LMB_OK;
    }
    array arrays[ARRAY_KINDS] = {0};
    lmb_result result = find_arrays(q, arrays);
    if (result == LMB_OK && !make_room(q, arrays)) {
        result = lmbi_fail_memory(q->error);
    }
    if (result == LMB_OK) {
        result = fill_arrays(q, arrays);
    }
    return result == LMB_OK ? add_primitives(q) : result;
}
