// Meshes: every attribute of the pool is one buffer view, every primitive a range of it.
#include <string.h>

#include "io/gltf/write.h"

typedef struct mesh_views {
    uint32_t positions, normals, tangents;
    uint32_t uvs[LMB_UV_SETS];
    uint32_t colors[LMB_COLOR_SETS];
    uint32_t color_types[LMB_COLOR_SETS];
    lmbi_gltf_joint_views joints;
    uint32_t envelope[LMB_ENVELOPE_SETS];
} mesh_views;

/// The attributes and targets of a run of vertices, as JSON, for the primitives that share it.
typedef struct run_text {
    uint32_t first, count, attributes;
    const char *text;
    size_t size;
    struct run_text *next; ///< same bucket
} run_text;

enum { RUN_BUCKETS = 256 };

// ------------------------------------------------------------------------------------------- views

static uint32_t used_attributes(const lmb_mesh *mesh)
{
    uint32_t bits = 0;
    for (uint32_t p = 0; p < mesh->primitive_count; ++p) {
        bits |= mesh->primitives[p].attributes;
    }
    return bits;
}

static uint32_t float_view(lmbi_gltf_out *o, const float *values, uint32_t components, size_t count)
{
    const size_t begin = lmbi_gltf_out_begin(o);
    lmbi_gltf_out_floats(o, values, components * count);
    return lmbi_gltf_out_view(o, begin, components * 4, LMBI_GLTF_ARRAY_BUFFER);
}

/// Whether every component times `most` is a whole number, so that normalised integers lose nothing.
static bool is_quantized(const float *values, size_t count, float most)
{
    for (size_t k = 0; k < count; ++k) {
        const float v = values[k];
        if (!(v >= 0 && v <= 1) || (float)(uint32_t)(v * most + 0.5f) / most != v) {
            return false;
        }
    }
    return true;
}

static uint32_t color_view(lmbi_gltf_out *o, const lmb_vec4 *colors, size_t count, uint32_t *type)
{
    const float *values = &colors->x;
    const bool bytes = is_quantized(values, 4 * count, 255.0f);
    const bool shorts = !bytes && is_quantized(values, 4 * count, 65535.0f);
    *type = bytes ? LMBI_GLTF_U8 : shorts ? LMBI_GLTF_U16 : LMBI_GLTF_F32;
    if (!bytes && !shorts) {
        return float_view(o, values, 4, count);
    }
    const size_t begin = lmbi_gltf_out_begin(o);
    uint8_t *at = lmbi_text_room(&o->binary, count * (bytes ? 4 : 8));
    for (size_t k = 0; at && k < 4 * count; ++k) {
        const uint32_t value = (uint32_t)(values[k] * (bytes ? 255.0f : 65535.0f) + 0.5f);
        *at++ = (uint8_t)value;
        if (shorts) {
            *at++ = (uint8_t)(value >> 8);
        }
    }
    return lmbi_gltf_out_view(o, begin, bytes ? 4 : 8, LMBI_GLTF_ARRAY_BUFFER);
}

static bool make_views(lmbi_gltf_out *o, const lmb_mesh *mesh, mesh_views *views)
{
    const uint32_t bits = used_attributes(mesh);
    const size_t n = mesh->vertex_count;
    memset(views, 0, sizeof *views);
    views->positions = float_view(o, &mesh->positions->x, 3, n);
    if (mesh->normals && bits & LMB_HAS_NORMALS) {
        views->normals = float_view(o, &mesh->normals->x, 3, n);
    }
    if (mesh->tangents && bits & LMB_HAS_TANGENTS) {
        views->tangents = float_view(o, &mesh->tangents->x, 4, n);
    }
    for (uint32_t k = 0; k < LMB_UV_SETS; ++k) {
        if (mesh->uvs[k] && bits & (uint32_t)LMB_HAS_UV0 << k) {
            views->uvs[k] = float_view(o, &mesh->uvs[k]->x, 2, n);
        }
    }
    for (uint32_t k = 0; k < LMB_COLOR_SETS; ++k) {
        if (mesh->colors[k] && bits & (uint32_t)LMB_HAS_COLOR0 << k) {
            views->colors[k] = color_view(o, mesh->colors[k], n, &views->color_types[k]);
        }
    }
    for (size_t k = 0; mesh->envelope && bits & LMB_HAS_ENVELOPE && k < LMB_ENVELOPE_SETS; ++k) {
        views->envelope[k] = float_view(o, &mesh->envelope[k * n].x, 4, n);
    }
    return lmbi_gltf_out_joint_views(o, mesh, &views->joints);
}

// --------------------------------------------------------------------------------------- accessors

static lmbi_gltf_accessor_def run_of(uint32_t view, const lmb_primitive *p, size_t stride,
                                     uint32_t type, const char *shape)
{
    lmbi_gltf_accessor_def def = {0};
    def.view = (int32_t)view;
    def.offset = p->first_vertex * stride;
    def.component_type = type;
    def.count = p->vertex_count;
    def.type = shape;
    return def;
}

static void write_attribute(lmbi_gltf_out *o, lmbi_json_out *json, const char *name, int set,
                            const lmbi_gltf_accessor_def *def)
{
    char key[24];
    size_t length = strlen(name);
    memcpy(key, name, length + 1);
    if (set >= 0) {
        key[length++] = '_';
        if (set >= 10) {
            key[length++] = (char)('0' + set / 10);
        }
        key[length++] = (char)('0' + set % 10);
        key[length] = '\0';
    }
    lmbi_json_put_int(json, key, lmbi_gltf_out_accessor(o, def));
}

static void write_joints(lmbi_gltf_out *o, lmbi_json_out *json, const lmb_mesh *mesh,
                         const lmb_primitive *p, const lmbi_gltf_joint_views *views)
{
    const uint32_t sets = lmbi_gltf_out_joint_sets(o, mesh, p);
    const bool shorts = o->opts->weights_u16;
    for (uint32_t k = 0; k < sets; ++k) {
        const lmbi_gltf_accessor_def joints =
            run_of(views->joints[k], p, (size_t)4 * views->joint_size, views->joint_type, "VEC4");
        lmbi_gltf_accessor_def weights = run_of(views->weights[k], p, shorts ? 8 : 16,
                                                shorts ? LMBI_GLTF_U16 : LMBI_GLTF_F32, "VEC4");
        weights.normalized = shorts;
        write_attribute(o, json, "JOINTS", (int)k, &joints);
        write_attribute(o, json, "WEIGHTS", (int)k, &weights);
    }
}

static void write_attributes(lmbi_gltf_out *o, lmbi_json_out *json, const lmb_mesh *mesh,
                             const lmb_primitive *p, const mesh_views *views)
{
    lmbi_gltf_accessor_def def = run_of(views->positions, p, 12, LMBI_GLTF_F32, "VEC3");
    lmbi_json_open(json, "attributes", '{');
    lmbi_gltf_out_bounds(&def, &mesh->positions[p->first_vertex].x, 3, p->vertex_count);
    write_attribute(o, json, "POSITION", -1, &def);
    if (mesh->normals && p->attributes & LMB_HAS_NORMALS) {
        def = run_of(views->normals, p, 12, LMBI_GLTF_F32, "VEC3");
        write_attribute(o, json, "NORMAL", -1, &def);
    }
    if (mesh->tangents && p->attributes & LMB_HAS_TANGENTS) {
        def = run_of(views->tangents, p, 16, LMBI_GLTF_F32, "VEC4");
        write_attribute(o, json, "TANGENT", -1, &def);
    }
    for (uint32_t k = 0; k < LMB_UV_SETS; ++k) {
        if (mesh->uvs[k] && p->attributes & (uint32_t)LMB_HAS_UV0 << k) {
            def = run_of(views->uvs[k], p, 8, LMBI_GLTF_F32, "VEC2");
            write_attribute(o, json, "TEXCOORD", (int)k, &def);
        }
    }
    for (uint32_t k = 0; k < LMB_COLOR_SETS; ++k) {
        if (mesh->colors[k] && p->attributes & (uint32_t)LMB_HAS_COLOR0 << k) {
            const uint32_t type = views->color_types[k];
            def = run_of(views->colors[k], p,
                         type == LMBI_GLTF_U8    ? 4
                         : type == LMBI_GLTF_U16 ? 8
                                                 : 16,
                         type, "VEC4");
            def.normalized = type != LMBI_GLTF_F32;
            write_attribute(o, json, "COLOR", (int)k, &def);
        }
    }
    write_joints(o, json, mesh, p, &views->joints);
    for (uint32_t k = 0;
         mesh->envelope && p->attributes & LMB_HAS_ENVELOPE && k < LMB_ENVELOPE_SETS; ++k) {
        def = run_of(views->envelope[k], p, 16, LMBI_GLTF_F32, "VEC4");
        write_attribute(o, json, "_LIMBER_ENVELOPE", (int)k, &def);
    }
    lmbi_json_close(json, '}');
}

// -------------------------------------------------------------------------------------- primitives

/// Writes the attributes and targets of the primitive's run, which are made on its first use.
static bool write_run(lmbi_gltf_out *o, const lmb_mesh *mesh, const lmb_primitive *p,
                      const mesh_views *views, run_text **buckets)
{
    run_text **bucket =
        &buckets[(p->first_vertex * 31u + p->vertex_count * 7u + p->attributes) % RUN_BUCKETS];
    run_text *run = *bucket;
    while (run && (run->first != p->first_vertex || run->count != p->vertex_count ||
                   run->attributes != p->attributes)) {
        run = run->next;
    }
    if (run == NULL) {
        lmbi_text text;
        lmbi_text_init(&text, o->alloc);
        lmbi_json_out json = {.text = &text, .first = true};
        write_attributes(o, &json, mesh, p, views);
        lmbi_gltf_out_targets(o, &json, mesh, p);
        run = lmbi_gltf_out_array(o, 1, sizeof *run);
        char *copy = text.failed ? NULL : lmbi_arena_string(&o->arena, text.data, text.size);
        const size_t size = text.size;
        lmbi_text_free(&text);
        if (run == NULL || copy == NULL) {
            o->result = lmbi_fail_memory(o->error);
            return false;
        }
        *run = (run_text){p->first_vertex, p->vertex_count, p->attributes, copy, size, *bucket};
        *bucket = run;
    }
    lmbi_json_put_raw(&o->json, NULL, run->text, run->size);
    return true;
}

/// Whether the indices are 0, 1, 2…: then none are written.
static bool is_in_order(const lmb_mesh *mesh, const lmb_primitive *p)
{
    const uint32_t corners = p->topology == LMB_TRIANGLES ? 3 : p->topology == LMB_LINES ? 2 : 1;
    if (p->index_count != p->vertex_count || p->index_count % corners != 0) {
        return false;
    }
    for (uint32_t k = 0; k < p->index_count; ++k) {
        if (mesh->indices[p->first_index + k] != p->first_vertex + k) {
            return false;
        }
    }
    return true;
}

static bool write_indices(lmbi_gltf_out *o, const lmb_mesh *mesh, const lmb_primitive *p)
{
    if (is_in_order(mesh, p)) {
        return true;
    }
    uint32_t *local = lmbi_alloc_array(o->alloc, p->index_count, sizeof *local);
    if (local == NULL) {
        o->result = lmbi_fail_memory(o->error);
        return false;
    }
    for (uint32_t k = 0; k < p->index_count; ++k) {
        local[k] = mesh->indices[p->first_index + k] - p->first_vertex;
    }
    const bool shorts = p->vertex_count <= 65535; // 65535 itself is the restart value
    const size_t begin = lmbi_gltf_out_begin(o);
    (shorts ? lmbi_gltf_out_u16 : lmbi_gltf_out_u32)(o, local, p->index_count);
    lmbi_free(o->alloc, local);
    lmbi_gltf_accessor_def def = {0};
    def.view = (int32_t)lmbi_gltf_out_view(o, begin, 0, LMBI_GLTF_ELEMENT_ARRAY_BUFFER);
    def.component_type = shorts ? LMBI_GLTF_U16 : LMBI_GLTF_U32;
    def.count = p->index_count;
    def.type = "SCALAR";
    lmbi_json_put_int(&o->json, "indices", lmbi_gltf_out_accessor(o, &def));
    return true;
}

/// glTF has no primitive without corners and no mesh without primitives: both are left out.
static bool is_drawn(const lmb_primitive *p)
{
    return p->index_count > 0 && p->vertex_count > 0;
}

bool lmbi_gltf_out_number_meshes(lmbi_gltf_out *o)
{
    const lmb_character *c = o->character;
    o->mesh_number = lmbi_gltf_out_array(o, c->mesh_count, sizeof *o->mesh_number);
    if (o->mesh_number == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < c->mesh_count; ++k) {
        bool drawn = false;
        for (uint32_t p = 0; p < c->meshes[k]->primitive_count; ++p) {
            drawn = drawn || is_drawn(&c->meshes[k]->primitives[p]);
        }
        o->mesh_number[k] = drawn ? (int32_t)o->mesh_count++ : LMB_NONE;
    }
    return true;
}

static bool write_primitive(lmbi_gltf_out *o, const lmb_mesh *mesh, const lmb_primitive *p,
                            const mesh_views *views, run_text **buckets)
{
    lmbi_json_open(&o->json, NULL, '{');
    if (!write_run(o, mesh, p, views, buckets) || !write_indices(o, mesh, p)) {
        return false;
    }
    if (p->topology != LMB_TRIANGLES) {
        lmbi_json_put_int(&o->json, "mode", p->topology == LMB_LINES ? 1 : 0);
    }
    if (p->material != LMB_NONE) {
        lmbi_json_put_int(&o->json, "material", p->material);
    }
    lmbi_json_put_members(&o->json, p->carried);
    lmbi_json_close(&o->json, '}');
    return true;
}

// ------------------------------------------------------------------------------------------ meshes

static void write_target_names(lmbi_gltf_out *o, const lmb_mesh *mesh)
{
    lmbi_json_open(&o->json, "targetNames", '[');
    for (uint32_t t = 0; t < mesh->target_count; ++t) {
        lmbi_json_put_string(&o->json, NULL, mesh->targets[t].name ? mesh->targets[t].name : "");
    }
    lmbi_json_close(&o->json, ']');
}

/// Writes carried members, with the target names among the extras.
static bool write_carried(lmbi_gltf_out *o, const lmb_mesh *mesh)
{
    lmbi_json *carried = NULL;
    bool named = false, written = false;
    for (uint32_t t = 0; t < mesh->target_count; ++t) {
        named = named || mesh->targets[t].name;
    }
    if (mesh->carried) {
        o->result =
            lmbi_json_read(&o->arena, mesh->carried, strlen(mesh->carried), &carried, o->error);
        if (o->result != LMB_OK) {
            return false;
        }
    }
    for (const lmbi_json *member = carried ? carried->child : NULL; member; member = member->next) {
        if (named && lmbi_json_key_is(member, "extras") && member->type == LMBI_JSON_OBJECT) {
            lmbi_json_open(&o->json, "extras", '{');
            if (member->child) {
                lmbi_json_put_raw(&o->json, NULL, member->at + 1, member->size - 2);
            }
            write_target_names(o, mesh);
            lmbi_json_close(&o->json, '}');
            written = true;
        } else if (!(named && lmbi_json_key_is(member, "extras"))) {
            lmbi_json_put_member(&o->json, member);
        }
    }
    if (named && !written) {
        lmbi_json_open(&o->json, "extras", '{');
        write_target_names(o, mesh);
        lmbi_json_close(&o->json, '}');
    }
    return true;
}

static bool write_mesh(lmbi_gltf_out *o, const lmb_mesh *mesh)
{
    mesh_views views;
    run_text **buckets = lmbi_gltf_out_array(o, RUN_BUCKETS, sizeof *buckets);
    if (buckets == NULL || !make_views(o, mesh, &views)) {
        return false;
    }
    lmbi_json_open(&o->json, NULL, '{');
    if (mesh->name) {
        lmbi_json_put_string(&o->json, "name", mesh->name);
    }
    lmbi_json_open(&o->json, "primitives", '[');
    for (uint32_t p = 0; p < mesh->primitive_count; ++p) {
        if (is_drawn(&mesh->primitives[p]) &&
            !write_primitive(o, mesh, &mesh->primitives[p], &views, buckets)) {
            return false;
        }
    }
    lmbi_json_close(&o->json, ']');
    if (mesh->target_weights && mesh->target_count) {
        lmbi_json_put_floats(&o->json, "weights", mesh->target_weights, mesh->target_count);
    }
    if (!write_carried(o, mesh)) {
        return false;
    }
    lmbi_json_close(&o->json, '}');
    return true;
}

bool lmbi_gltf_out_meshes(lmbi_gltf_out *o)
{
    const lmb_character *c = o->character;
    if (o->mesh_count == 0) {
        return true;
    }
    lmbi_json_open(&o->json, "meshes", '[');
    for (uint32_t k = 0; k < c->mesh_count; ++k) {
        if (o->mesh_number[k] != LMB_NONE && !write_mesh(o, c->meshes[k])) {
            return false;
        }
    }
    lmbi_json_close(&o->json, ']');
    return true;
}
