#include <string.h>

#include "base/alloc.h"
#include "io/common.h"
#include "io/surface/polygon.h"
#include "io/surface/surface.h"

/// Offsets of the next mesh's indices: OBJ counts positions, UVs and normals through the whole
/// file.
typedef struct obj_writer {
    lmbi_text text;
    const lmbi_obj_write_opts *opts;
    uint64_t position_base, uv_base, normal_base;
    const char *group;
    int32_t material;
} obj_writer;

static void add_floats(lmbi_text *text, const char *keyword, const float *values, int count)
{
    lmbi_text_add(text, keyword);
    for (int i = 0; i < count; ++i) {
        lmbi_text_add(text, " ");
        lmbi_text_float(text, values[i]);
    }
}

static uint32_t position_count(const lmb_mesh *mesh)
{
    uint32_t count = mesh->source_position ? 0 : mesh->vertex_count;
    for (uint32_t i = 0; mesh->source_position && i < mesh->vertex_count; ++i) {
        count = mesh->source_position[i] >= count ? mesh->source_position[i] + 1 : count;
    }
    return count;
}

/// Whether the first `count` vertices are the file's positions in order, as the reader makes them.
static bool sources_lead(const lmb_mesh *mesh, uint32_t count)
{
    if (count > mesh->vertex_count) {
        return false;
    }
    for (uint32_t i = 0; mesh->source_position && i < count; ++i) {
        if (mesh->source_position[i] != i) {
            return false;
        }
    }
    return true;
}

static float undo_srgb(float linear)
{
    return lmbi_srgb_from_linear(linear > 0 ? (linear < 1 ? linear : 1) : 0);
}

static void write_positions(obj_writer *w, const lmb_mesh *mesh, const lmb_mat4 *model_from_mesh,
                            uint32_t count)
{
    const float unit = w->opts->unit_m > 0 ? w->opts->unit_m : 1;
    for (uint32_t i = 0; i < count; ++i) {
        lmb_vec3 p = model_from_mesh ? lmb_mat4_point(*model_from_mesh, mesh->positions[i])
                                     : mesh->positions[i];
        p = lmbi_axis_from_y(w->opts->up, lmb_vec3_make(p.x / unit, p.y / unit, p.z / unit));
        add_floats(&w->text, "v", &p.x, 3);
        if (mesh->colors[0]) {
            const lmb_vec4 c = mesh->colors[0][i];
            const float rgba[4] = {undo_srgb(c.x), undo_srgb(c.y), undo_srgb(c.z), c.w};
            add_floats(&w->text, "", rgba, c.w < 1 ? 4 : 3);
        }
        lmbi_text_add(&w->text, "\n");
    }
}

static void write_attributes(obj_writer *w, const lmb_mesh *mesh, const lmb_mat4 *model_from_mesh)
{
    for (uint32_t i = 0; mesh->uvs[0] && i < mesh->vertex_count; ++i) {
        const float uv[2] = {mesh->uvs[0][i].x, 1 - mesh->uvs[0][i].y};
        add_floats(&w->text, "vt", uv, 2);
        lmbi_text_add(&w->text, "\n");
    }
    for (uint32_t i = 0; mesh->normals && i < mesh->vertex_count; ++i) {
        lmb_vec3 n = mesh->normals[i];
        if (model_from_mesh) {
            n = lmb_vec3_normalize_or(lmb_mat4_vector(*model_from_mesh, n), n);
        }
        n = lmbi_axis_from_y(w->opts->up, n);
        add_floats(&w->text, "vn", &n.x, 3);
        lmbi_text_add(&w->text, "\n");
    }
}

static void write_corner(obj_writer *w, const lmb_mesh *mesh, const lmb_primitive *p,
                         uint32_t vertex)
{
    const uint32_t position = mesh->source_position ? mesh->source_position[vertex] : vertex;
    const bool uv = (p->attributes & LMB_HAS_UV0) && mesh->uvs[0];
    const bool normal = (p->attributes & LMB_HAS_NORMALS) && mesh->normals;
    lmbi_text_add(&w->text, " ");
    lmbi_text_int(&w->text, (int64_t)(w->position_base + position + 1));
    if (uv || normal) {
        lmbi_text_add(&w->text, "/");
    }
    if (uv) {
        lmbi_text_int(&w->text, (int64_t)(w->uv_base + vertex + 1));
    }
    if (normal) {
        lmbi_text_add(&w->text, "/");
        lmbi_text_int(&w->text, (int64_t)(w->normal_base + vertex + 1));
    }
}

static void write_element(obj_writer *w, const lmb_mesh *mesh, const lmb_primitive *p,
                          const uint32_t *corners, size_t count)
{
    static const char *const keywords[] = {
        [LMB_TRIANGLES] = "f", [LMB_LINES] = "l", [LMB_POINTS] = "p"};
    lmbi_text_add(&w->text, keywords[p->topology]);
    for (size_t i = 0; i < count; ++i) {
        write_corner(w, mesh, p, corners[i]);
    }
    lmbi_text_add(&w->text, "\n");
}

static bool same_name(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static void write_state(obj_writer *w, const lmb_primitive *p, const lmb_appearance *appearance)
{
    const char *material =
        appearance && p->material >= 0 && (uint32_t)p->material < appearance->material_count
            ? appearance->materials[p->material].name
            : NULL;
    if (!same_name(p->name, w->group)) {
        lmbi_text_add(&w->text, "g ");
        lmbi_text_add(&w->text, p->name ? p->name : "");
        lmbi_text_add(&w->text, "\n");
        w->group = p->name;
    }
    if (p->material != w->material) {
        lmbi_text_add(&w->text, "usemtl ");
        if (material) {
            lmbi_text_add(&w->text, material);
        } else if (p->material >= 0) {
            lmbi_text_format(&w->text, "material%d", (int)p->material);
        }
        lmbi_text_add(&w->text, "\n");
        w->material = p->material;
    }
}

static void write_elements(obj_writer *w, const lmb_mesh *mesh, const lmb_appearance *appearance)
{
    const bool polygons = lmbi_polygons_fit(mesh);
    uint32_t polygon = 0;
    for (uint32_t k = 0; k < mesh->primitive_count; ++k) {
        const lmb_primitive *p = &mesh->primitives[k];
        const uint32_t *indices = mesh->indices + p->first_index;
        const uint32_t step = p->topology == LMB_TRIANGLES ? 3 : p->topology == LMB_LINES ? 2 : 1;
        write_state(w, p, appearance);
        if (!polygons || p->topology != LMB_TRIANGLES) {
            for (uint32_t i = 0; i + step <= p->index_count; i += step) {
                write_element(w, mesh, p, indices + i, step);
            }
            continue;
        }
        for (uint32_t done = 0; done < p->index_count / 3 && polygon < mesh->polygon_count;
             ++polygon) {
            const uint32_t first = mesh->polygon_first[polygon],
                           count = mesh->polygon_first[polygon + 1] - first;
            write_element(w, mesh, p, mesh->polygons + first, count);
            done += count - 2;
        }
    }
}

static void write_mesh(obj_writer *w, const lmb_mesh *mesh, const lmb_appearance *appearance,
                       const lmb_mat4 *model_from_mesh)
{
    lmb_mesh unsplit = *mesh;
    uint32_t positions = position_count(mesh);
    if (!sources_lead(mesh, positions)) {
        unsplit.source_position =
            NULL; // vertices were rearranged: write each with its own position
        positions = mesh->vertex_count;
    }
    write_positions(w, &unsplit, model_from_mesh, positions);
    write_attributes(w, &unsplit, model_from_mesh);
    write_elements(w, &unsplit, appearance);
    w->position_base += positions;
    w->uv_base += mesh->uvs[0] ? mesh->vertex_count : 0;
    w->normal_base += mesh->normals ? mesh->vertex_count : 0;
}

lmb_result lmbi_obj_write(const lmb_character *character, const lmbi_obj_write_opts *opts,
                          const lmb_allocator *alloc, lmb_buffer *out, lmb_error *error)
{
    const lmbi_obj_write_opts defaults = {0};
    obj_writer w = {.opts = opts ? opts : &defaults, .material = LMB_NONE};
    lmbi_text_init(&w.text, alloc);
    lmb_mat4 *model_from_joint = lmbi_rest_matrices(character->skeleton, alloc);
    if (model_from_joint == NULL) {
        return lmbi_fail_memory(error);
    }
    const lmb_mat4 identity = lmb_mat4_identity();
    if (w.opts->material_library) {
        lmbi_text_add(&w.text, "mtllib ");
        lmbi_text_add(&w.text, w.opts->material_library);
        lmbi_text_add(&w.text, "\n");
    }
    for (uint32_t i = 0; i < character->instance_count; ++i) {
        const lmb_instance *instance = &character->instances[i];
        const lmb_mesh *mesh = character->meshes[instance->mesh];
        // A skinned mesh ignores its node's transform; an identity transform is not applied, to
        // keep the positions' bits.
        const bool stays = instance->skin != LMB_NONE || memcmp(&model_from_joint[instance->joint],
                                                                &identity, sizeof identity) == 0;
        if (character->instance_count > 1) {
            lmbi_text_add(&w.text, "o ");
            lmbi_text_add(&w.text, mesh->name ? mesh->name : "mesh");
            lmbi_text_add(&w.text, "\n");
            w.group = NULL;
        }
        write_mesh(&w, mesh, character->appearance,
                   stays ? NULL : &model_from_joint[instance->joint]);
    }
    lmbi_free(alloc, model_from_joint);
    return lmbi_buffer_take(&w.text, out, error);
}
