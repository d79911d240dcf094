#include "io/fbx/mesh.h"

typedef struct element_name {
    const char *layer, *values, *indices;
    int width;
} element_name;

static const element_name normal_names = {"LayerElementNormal", "Normals", "NormalsIndex", 3};
static const element_name color_names = {"LayerElementColor", "Colors", "ColorIndex", 4};
static const element_name uv_names = {"LayerElementUV", "UV", "UVIndex", 2};
static const element_name old_uv_names = {"GeometryUVInfo", "TextureUV", "TextureUVVerticeIndex",
                                          2};

static int mapping_of(lmbi_word word)
{
    if (lmbi_word_is_exact(word, "ByPolygonVertex")) {
        return LMBI_FBX_BY_CORNER;
    }
    if (lmbi_word_is_exact(word, "ByVertice") || lmbi_word_is_exact(word, "ByVertex")) {
        return LMBI_FBX_BY_POINT;
    }
    if (lmbi_word_is_exact(word, "ByPolygon")) {
        return LMBI_FBX_BY_POLYGON;
    }
    return lmbi_word_is_exact(word, "AllSame") ? LMBI_FBX_ALL_SAME : -1;
}

/// Elements of other mappings (ByEdge) stay empty.
static lmb_result read_element(lmbi_fbx *fbx, const lmbi_fbx_node *node, const element_name *names,
                               lmbi_fbx_element *element)
{
    const int mapping =
        node ? mapping_of(lmbi_fbx_text(lmbi_fbx_child(node, "MappingInformationType"), 0)) : -1;
    if (mapping < 0) {
        return LMB_OK;
    }
    size_t count;
    lmb_result result =
        lmbi_fbx_reals(fbx, lmbi_fbx_child(node, names->values), &element->values, &count);
    const lmbi_word reference = lmbi_fbx_text(lmbi_fbx_child(node, "ReferenceInformationType"), 0);
    if (result == LMB_OK && !lmbi_word_is_exact(reference, "Direct")) {
        result = lmbi_fbx_integers(fbx, lmbi_fbx_child(node, names->indices), &element->indices,
                                   &element->index_count);
    }
    element->mapping = (lmbi_fbx_mapping)mapping;
    element->width = names->width;
    element->value_count = count / (size_t)names->width;
    return result;
}

static lmb_result read_materials(lmbi_fbx *fbx, const lmbi_fbx_node *geometry,
                                 lmbi_fbx_element *element)
{
    const lmbi_fbx_node *node = lmbi_fbx_child(geometry, "LayerElementMaterial");
    const lmbi_fbx_node *old = lmbi_fbx_child(geometry, "MaterialAssignation"); // before 6000
    const lmbi_word word = node ? lmbi_fbx_text(lmbi_fbx_child(node, "MappingInformationType"), 0)
                                : lmbi_fbx_text(old, 0);
    const int mapping = mapping_of(word);
    if (mapping != LMBI_FBX_BY_POLYGON && mapping != LMBI_FBX_ALL_SAME) {
        return LMB_OK;
    }
    size_t count;
    const lmb_result result = lmbi_fbx_reals(
        fbx, lmbi_fbx_child(node ? node : geometry, "Materials"), &element->values, &count);
    element->mapping = (lmbi_fbx_mapping)mapping;
    element->width = 1;
    element->value_count = count;
    return result;
}

static lmb_result read_uvs(lmbi_fbx *fbx, const lmbi_fbx_node *geometry, lmbi_fbx_corners *c)
{
    int set = 0;
    for (const lmbi_fbx_node *node = geometry->child; node && set < LMB_UV_SETS;
         node = node->next) {
        const bool modern = lmbi_fbx_is(node, uv_names.layer);
        if (!modern && !lmbi_fbx_is(node, old_uv_names.layer)) {
            continue;
        }
        const lmb_result result =
            read_element(fbx, node, modern ? &uv_names : &old_uv_names, &c->uvs[set]);
        if (result != LMB_OK) {
            return result;
        }
        set += c->uvs[set].value_count > 0;
    }
    return LMB_OK;
}

/// Version 5000 does not state the mapping of normals; their number decides whether they belong to
/// corners or points.
static lmb_result read_old_normals(lmbi_fbx *fbx, const lmbi_fbx_node *geometry,
                                   size_t corner_count, lmbi_fbx_corners *c)
{
    const lmbi_fbx_node *node = lmbi_fbx_child(geometry, "Normals");
    size_t count;
    const lmb_result result = lmbi_fbx_reals(fbx, node, &c->normals.values, &count);
    const size_t normals = count / 3;
    if (result == LMB_OK && (normals == c->point_count || normals == corner_count) && normals > 0) {
        c->normals.mapping = normals == c->point_count ? LMBI_FBX_BY_POINT : LMBI_FBX_BY_CORNER;
        c->normals.width = 3;
        c->normals.value_count = normals;
    }
    return result;
}

/// Splits the list of points into polygons: the last corner of each is written as -1 - point.
static lmb_result read_polygons(lmbi_fbx *fbx, const lmbi_fbx_node *geometry, const int64_t *list,
                                size_t count, lmbi_fbx_corners *c)
{
    uint32_t from = 0, file_polygon = 0, dropped = 0;
    for (size_t i = 0; i < count; ++i) {
        const int64_t point = list[i] < 0 ? -1 - list[i] : list[i];
        if (point >= c->point_count) {
            return lmbi_fbx_fail(fbx, geometry, "PolygonVertexIndex within the vertices",
                                 "%lld of %u vertices", (long long)point, c->point_count);
        }
        c->corners[c->corner_count] = (uint32_t)point;
        c->corner_source[c->corner_count++] = (uint32_t)i;
        if (list[i] >= 0 && i + 1 < count) {
            continue;
        }
        if (c->corner_count - from < 3) {
            c->corner_count = from;
            ++dropped;
        } else {
            c->polygon_source[c->polygon_count] = file_polygon;
            c->polygon_first[++c->polygon_count] = c->corner_count;
            from = c->corner_count;
        }
        ++file_polygon;
    }
    if (dropped > 0) {
        lmbi_note(fbx->notes, 0, "%u polygons of fewer than three corners are left out", dropped);
    }
    return LMB_OK;
}

static lmb_result read_topology(lmbi_fbx *fbx, const lmbi_fbx_node *geometry, size_t *count,
                                lmbi_fbx_corners *c)
{
    size_t numbers;
    const int64_t *list;
    lmb_result result =
        lmbi_fbx_reals(fbx, lmbi_fbx_child(geometry, "Vertices"), &c->points, &numbers);
    if (result == LMB_OK) {
        result =
            lmbi_fbx_integers(fbx, lmbi_fbx_child(geometry, "PolygonVertexIndex"), &list, count);
    }
    if (result != LMB_OK) {
        return result;
    }
    if (numbers / 3 > UINT32_MAX - 1 || *count > UINT32_MAX / 3) {
        return lmbi_fbx_fail(fbx, geometry, "at most 2^32 - 2 vertices and 2^32 / 3 corners",
                             "%zu vertices and %zu corners", numbers / 3, *count);
    }
    c->point_count = (uint32_t)(numbers / 3);
    c->corners = lmbi_arena_array(&fbx->arena, *count, sizeof *c->corners);
    c->corner_source = lmbi_arena_array(&fbx->arena, *count, sizeof *c->corner_source);
    c->polygon_first = lmbi_arena_array(&fbx->arena, *count + 1, sizeof *c->polygon_first);
    c->polygon_source = lmbi_arena_array(&fbx->arena, *count, sizeof *c->polygon_source);
    if (!c->corners || !c->corner_source || !c->polygon_first || !c->polygon_source) {
        return lmbi_fail_memory(fbx->error);
    }
    return read_polygons(fbx, geometry, list, *count, c);
}

lmb_result lmbi_fbx_corners_read(lmbi_fbx *fbx, const lmbi_fbx_node *geometry, lmbi_fbx_corners *c)
{
    *c = (lmbi_fbx_corners){0};
    size_t corner_count;
    lmb_result result = read_topology(fbx, geometry, &corner_count, c);
    const lmbi_fbx_node *normals = lmbi_fbx_child(geometry, normal_names.layer);
    if (result == LMB_OK) {
        result = normals ? read_element(fbx, normals, &normal_names, &c->normals)
                         : read_old_normals(fbx, geometry, corner_count, c);
    }
    if (result == LMB_OK) {
        result = read_element(fbx, lmbi_fbx_child(geometry, color_names.layer), &color_names,
                              &c->colors);
    }
    if (result == LMB_OK) {
        result = read_uvs(fbx, geometry, c);
    }
    return result == LMB_OK ? read_materials(fbx, geometry, &c->materials) : result;
}

const double *lmbi_fbx_element_at(const lmbi_fbx_corners *c, const lmbi_fbx_element *element,
                                  uint32_t corner, uint32_t polygon)
{
    uint64_t at = element->mapping == LMBI_FBX_BY_CORNER    ? c->corner_source[corner]
                  : element->mapping == LMBI_FBX_BY_POINT   ? c->corners[corner]
                  : element->mapping == LMBI_FBX_BY_POLYGON ? c->polygon_source[polygon]
                                                            : 0;
    if (element->indices) {
        if (at >= element->index_count || element->indices[at] < 0) {
            return NULL;
        }
        at = (uint64_t)element->indices[at];
    }
    return at < element->value_count ? element->values + at * (size_t)element->width : NULL;
}
