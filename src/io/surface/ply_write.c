#include <string.h>

#include "asset/asset.h"
#include "base/alloc.h"
#include "io/bytes.h"
#include "io/common.h"
#include "io/surface/polygon.h"
#include "io/surface/surface.h"

typedef struct ply_writer {
    lmbi_text text;
    const lmb_character *character;
    const lmbi_mesh_write_opts *opts;
    lmb_mat4 *model_from_joint;
    bool has_normal, has_uv, has_color, long_faces;
    uint64_t vertex_count, face_count;
} ply_writer;

static const lmb_mesh *mesh_of(const ply_writer *w, uint32_t instance)
{
    return w->character->meshes[w->character->instances[instance].mesh];
}

static void count_elements(ply_writer *w)
{
    w->has_normal = w->has_uv = w->has_color = w->character->instance_count > 0;
    for (uint32_t i = 0; i < w->character->instance_count; ++i) {
        const lmb_mesh *mesh = mesh_of(w, i);
        w->has_normal = w->has_normal && mesh->normals;
        w->has_uv = w->has_uv && mesh->uvs[0];
        w->has_color = w->has_color && mesh->colors[0];
        w->vertex_count += mesh->vertex_count;
        w->face_count +=
            lmbi_polygons_fit(mesh) ? mesh->polygon_count : lmbi_mesh_triangle_count(mesh);
        for (uint32_t k = 0; lmbi_polygons_fit(mesh) && k < mesh->polygon_count; ++k) {
            w->long_faces =
                w->long_faces || mesh->polygon_first[k + 1] - mesh->polygon_first[k] > 255;
        }
    }
}

static void write_header(ply_writer *w)
{
    lmbi_text_format(&w->text, "ply\nformat %s 1.0\nelement vertex %llu\n",
                     w->opts->ascii ? "ascii" : "binary_little_endian",
                     (unsigned long long)w->vertex_count);
    lmbi_text_add(&w->text, "property float x\nproperty float y\nproperty float z\n");
    if (w->has_normal) {
        lmbi_text_add(&w->text, "property float nx\nproperty float ny\nproperty float nz\n");
    }
    if (w->has_uv) {
        lmbi_text_add(&w->text, "property float s\nproperty float t\n");
    }
    if (w->has_color) {
        lmbi_text_add(&w->text, "property uchar red\nproperty uchar green\nproperty uchar "
                                "blue\nproperty uchar alpha\n");
    }
    if (w->face_count) {
        lmbi_text_format(&w->text, "element face %llu\nproperty list %s int vertex_indices\n",
                         (unsigned long long)w->face_count, w->long_faces ? "uint" : "uchar");
    }
    lmbi_text_add(&w->text, "end_header\n");
}

static void put_integer(ply_writer *w, uint32_t value, size_t size)
{
    if (w->opts->ascii) {
        lmbi_text_int(&w->text, value);
        lmbi_text_add(&w->text, " ");
        return;
    }
    uint8_t bytes[4];
    lmbi_store_bytes(bytes, value, size);
    lmbi_text_bytes(&w->text, bytes, size);
}

static void put_float(ply_writer *w, float value)
{
    if (w->opts->ascii) {
        lmbi_text_float(&w->text, value);
        lmbi_text_add(&w->text, " ");
        return;
    }
    put_integer(w, lmbi_bits_of_float(value), 4);
}

static void end_row(ply_writer *w)
{
    if (w->opts->ascii) {
        lmbi_text_add(&w->text, "\n");
    }
}

static void put_vec3(ply_writer *w, lmb_vec3 v)
{
    v = lmbi_axis_from_y(w->opts->up, v);
    put_float(w, v.x);
    put_float(w, v.y);
    put_float(w, v.z);
}

static uint32_t to_byte(float value)
{
    return value > 0 ? (value < 1 ? (uint32_t)(value * 255 + 0.5f) : 255) : 0;
}

static void put_color(ply_writer *w, lmb_vec4 c)
{
    put_integer(w, to_byte(lmbi_srgb_from_linear(c.x)), 1);
    put_integer(w, to_byte(lmbi_srgb_from_linear(c.y)), 1);
    put_integer(w, to_byte(lmbi_srgb_from_linear(c.z)), 1);
    put_integer(w, to_byte(c.w), 1);
}

static void write_vertices(ply_writer *w, const lmb_mesh *mesh, const lmb_mat4 *model_from_mesh)
{
    const float unit = w->opts->unit_m > 0 ? w->opts->unit_m : 1;
    for (uint32_t i = 0; i < mesh->vertex_count; ++i) {
        const lmb_vec3 p = model_from_mesh ? lmb_mat4_point(*model_from_mesh, mesh->positions[i])
                                           : mesh->positions[i];
        put_vec3(w, lmb_vec3_make(p.x / unit, p.y / unit, p.z / unit));
        if (w->has_normal) {
            const lmb_vec3 n = mesh->normals[i];
            put_vec3(w, model_from_mesh
                            ? lmb_vec3_normalize_or(lmb_mat4_vector(*model_from_mesh, n), n)
                            : n);
        }
        if (w->has_uv) {
            put_float(w, mesh->uvs[0][i].x);
            put_float(w, 1 - mesh->uvs[0][i].y);
        }
        if (w->has_color) {
            put_color(w, mesh->colors[0][i]);
        }
        end_row(w);
    }
}

static void write_face(ply_writer *w, const uint32_t *corners, uint32_t count, uint32_t base)
{
    put_integer(w, count, w->long_faces ? 4 : 1);
    for (uint32_t i = 0; i < count; ++i) {
        put_integer(w, base + corners[i], 4);
    }
    end_row(w);
}

static void write_faces(ply_writer *w, const lmb_mesh *mesh, uint32_t base)
{
    if (lmbi_polygons_fit(mesh)) {
        for (uint32_t k = 0; k < mesh->polygon_count; ++k) {
            const uint32_t first = mesh->polygon_first[k];
            write_face(w, mesh->polygons + first, mesh->polygon_first[k + 1] - first, base);
        }
        return;
    }
    for (uint32_t k = 0; k < mesh->primitive_count; ++k) {
        const lmb_primitive *p = &mesh->primitives[k];
        for (uint32_t i = 0; p->topology == LMB_TRIANGLES && i + 3 <= p->index_count; i += 3) {
            write_face(w, mesh->indices + p->first_index + i, 3, base);
        }
    }
}

static void write_body(ply_writer *w)
{
    const lmb_mat4 identity = lmb_mat4_identity();
    for (uint32_t i = 0; i < w->character->instance_count; ++i) {
        const lmb_instance *instance = &w->character->instances[i];
        const lmb_mat4 *model_from_mesh = &w->model_from_joint[instance->joint];
        const bool stays =
            instance->skin != LMB_NONE || memcmp(model_from_mesh, &identity, sizeof identity) == 0;
        write_vertices(w, mesh_of(w, i), stays ? NULL : model_from_mesh);
    }
    uint32_t base = 0;
    for (uint32_t i = 0; i < w->character->instance_count; ++i) {
        write_faces(w, mesh_of(w, i), base);
        base += mesh_of(w, i)->vertex_count;
    }
}

lmb_result lmbi_ply_write(const lmb_character *character, const lmbi_mesh_write_opts *opts,
                          const lmb_allocator *alloc, lmb_buffer *out, lmb_error *error)
{
    const lmbi_mesh_write_opts defaults = {0};
    ply_writer w = {.character = character, .opts = opts ? opts : &defaults};
    count_elements(&w);
    if (w.vertex_count > INT32_MAX) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "at most 2^31 - 1 vertices", "%llu",
                         (unsigned long long)w.vertex_count);
    }
    lmbi_text_init(&w.text, alloc);
    w.model_from_joint = lmbi_rest_matrices(character->skeleton, alloc);
    if (w.model_from_joint == NULL) {
        return lmbi_fail_memory(error);
    }
    write_header(&w);
    write_body(&w);
    lmbi_free(alloc, w.model_from_joint);
    return lmbi_buffer_take(&w.text, out, error);
}
