// A mesh: its primitives share one pool of vertices.
#include <string.h>

#include "base/hash.h"
#include "io/gltf/mesh.h"

typedef struct primitive_plan {
    const lmbi_json *json;
    lmbi_gltf_vertices *vertices;
    const lmbi_gltf_accessor *indices; ///< NULL: the vertices in their order
    uint32_t mode;
} primitive_plan;

typedef struct mesh_plan {
    const lmbi_json *json;
    lmb_mesh mesh;
    primitive_plan *primitives;
    lmbi_gltf_vertices **runs; ///< distinct vertex data, in order of appearance
    uint32_t run_count;
    lmbi_gltf_vertices **table; ///< the same by hash, open addressing
    uint32_t table_mask;
    uint32_t bits;       ///< of all primitives together
    bool lacks_envelope; ///< some primitive does: then none is read
    bool target_normals, target_tangents;
    uint64_t vertex_count, index_count, influence_room;
} mesh_plan;

// ------------------------------------------------------------------------------ shared vertex data

static bool same_text(const lmbi_json *a, const lmbi_json *b)
{
    if (a == NULL || b == NULL) {
        return a == b;
    }
    return a->size == b->size && memcmp(a->at, b->at, a->size) == 0;
}

static uint64_t hash_text(uint64_t seed, const lmbi_json *value)
{
    return value ? lmbi_hash(seed, value->at, value->size) : seed;
}

/// The run with these attributes and targets: an earlier one, or a new one.
static bool find_run(lmbi_gltf *g, mesh_plan *plan, const lmbi_json *attributes,
                     const lmbi_json *targets, lmbi_gltf_vertices **out)
{
    const uint64_t hash = hash_text(hash_text(LMBI_HASH_SEED, attributes), targets);
    uint32_t at = (uint32_t)(hash ^ hash >> 32) & plan->table_mask;
    for (; plan->table[at]; at = (at + 1) & plan->table_mask) {
        if (same_text(plan->table[at]->attributes, attributes) &&
            same_text(plan->table[at]->targets, targets)) {
            *out = plan->table[at];
            return true;
        }
    }
    lmbi_gltf_vertices *run = lmbi_gltf_array(g, 1, sizeof *run);
    if (run == NULL) {
        return false;
    }
    run->targets = targets;
    if (!lmbi_gltf_attributes_read(g, attributes, run)) {
        return false;
    }
    run->first = (uint32_t)plan->vertex_count;
    plan->vertex_count += run->count;
    plan->bits |= run->bits;
    plan->lacks_envelope = plan->lacks_envelope || !(run->bits & LMB_HAS_ENVELOPE);
    plan->influence_room += (uint64_t)run->count * 4 * run->joint_sets;
    if (plan->vertex_count >= UINT32_MAX || plan->influence_room >= UINT32_MAX) {
        return lmbi_gltf_fail(g, attributes, "fewer than 2^32 vertices in a mesh", "more");
    }
    plan->table[at] = plan->runs[plan->run_count++] = run;
    *out = run;
    return true;
}

// -------------------------------------------------------------------------------------- first pass

static bool plan_targets(lmbi_gltf *g, mesh_plan *plan, const lmbi_json *primitive, bool first,
                         const lmbi_json **targets)
{
    if (!lmbi_gltf_member(g, primitive, "targets", LMBI_JSON_ARRAY, targets)) {
        return false;
    }
    const uint32_t count = *targets ? (*targets)->count : 0;
    if (first) {
        plan->mesh.target_count = count;
    } else if (count != plan->mesh.target_count) {
        return lmbi_gltf_fail_found(g, primitive, "as many morph targets in every primitive",
                                    "%u, %u in the first", count, plan->mesh.target_count);
    }
    for (const lmbi_json *target = *targets ? (*targets)->child : NULL; target;
         target = target->next) {
        if (target->type != LMBI_JSON_OBJECT) {
            return lmbi_gltf_fail(g, target, "an object", NULL);
        }
        plan->target_normals = plan->target_normals || lmbi_json_find(target, "NORMAL");
        plan->target_tangents = plan->target_tangents || lmbi_json_find(target, "TANGENT");
    }
    return true;
}

static bool plan_indices(lmbi_gltf *g, mesh_plan *plan, primitive_plan *p, lmb_primitive *out)
{
    int32_t index = 0;
    uint32_t corners = p->vertices->count;
    if (!lmbi_gltf_index(g, p->json, "indices", g->accessors.count, &index)) {
        return false;
    }
    if (index != LMB_NONE) {
        p->indices = &g->accessor_items[index];
        const uint32_t type = p->indices->component_type;
        if (p->indices->components != 1 ||
            (type != LMBI_GLTF_U8 && type != LMBI_GLTF_U16 && type != LMBI_GLTF_U32)) {
            return lmbi_gltf_fail_accessor(g, p->json, "indices as unsigned integers", p->indices);
        }
        corners = p->indices->count;
    }
    if (!lmbi_gltf_topology_count(g, p->json, p->mode, corners, &out->topology,
                                  &out->index_count)) {
        return false;
    }
    out->first_index = (uint32_t)plan->index_count;
    plan->index_count += out->index_count;
    return plan->index_count < UINT32_MAX ||
           lmbi_gltf_fail(g, p->json, "fewer than 2^32 indices in a mesh", "more");
}

static bool plan_primitive(lmbi_gltf *g, mesh_plan *plan, const lmbi_json *json, uint32_t k)
{
    static const char *const known[] = {"attributes", "indices", "material",
                                        "mode",       "targets", NULL};
    primitive_plan *p = &plan->primitives[k];
    lmb_primitive *out = &plan->mesh.primitives[k];
    const lmbi_json *attributes = NULL, *targets = NULL;
    p->json = json;
    if (json->type != LMBI_JSON_OBJECT) {
        return lmbi_gltf_fail(g, json, "an object", NULL);
    }
    if (!lmbi_gltf_member(g, json, "attributes", LMBI_JSON_OBJECT, &attributes) ||
        !plan_targets(g, plan, json, k == 0, &targets) ||
        !lmbi_gltf_u32(g, json, "mode", 4, &p->mode) ||
        !lmbi_gltf_index(g, json, "material", g->materials.count, &out->material)) {
        return false;
    }
    if (attributes == NULL || p->mode > 6) {
        return lmbi_gltf_fail_found(g, json, "attributes and a mode from 0 to 6", "%smode %u",
                                    attributes == NULL ? "no attributes, " : "", p->mode);
    }
    if (!find_run(g, plan, attributes, targets, &p->vertices) || !plan_indices(g, plan, p, out) ||
        !lmbi_gltf_carry(g, json, known, &out->carried)) {
        return false;
    }
    out->vertex_count = p->vertices->count;
    out->attributes = p->vertices->bits;
    return true;
}

static const lmbi_gltf_accessor *accessor_of(const lmbi_gltf *g, const lmbi_json *object,
                                             const char *key)
{
    double index = -1;
    const lmbi_json *value = lmbi_json_find(object, key);
    return value != NULL && lmbi_json_number(value, &index) && index >= 0 &&
                   index < (double)g->accessors.count
               ? &g->accessor_items[(uint32_t)index]
               : NULL;
}

/// Whether the primitive has too few corners to draw anything, as exporters write for an empty part
/// of a mesh. Other faults of a primitive are found later.
static bool draws_nothing(const lmbi_gltf *g, const lmbi_json *json)
{
    const bool indexed = lmbi_json_find(json, "indices") != NULL;
    const lmbi_gltf_accessor *corners =
        indexed ? accessor_of(g, json, "indices")
                : accessor_of(g, lmbi_json_find(json, "attributes"), "POSITION");
    double mode = 4;
    const lmbi_json *said = lmbi_json_find(json, "mode");
    if (said != NULL && !lmbi_json_number(said, &mode)) {
        return false;
    }
    return corners != NULL && mode >= 0 && mode <= 6 &&
           corners->count < lmbi_gltf_topology_least((uint32_t)mode);
}

static bool plan_mesh(lmbi_gltf *g, const lmbi_json *json, mesh_plan *plan)
{
    const lmbi_json *primitives = NULL;
    plan->json = json;
    if (!lmbi_gltf_member(g, json, "primitives", LMBI_JSON_ARRAY, &primitives)) {
        return false;
    }
    const uint32_t count = primitives ? primitives->count : 0;
    if (count == 0 || count > UINT32_MAX / 8) {
        return lmbi_gltf_fail(g, json, "at least one primitive", "none");
    }
    uint32_t room = 4;
    while (room < 2 * count) {
        room *= 2;
    }
    plan->table_mask = room - 1;
    plan->primitives = lmbi_gltf_array(g, count, sizeof *plan->primitives);
    plan->mesh.primitives = lmbi_gltf_array(g, count, sizeof *plan->mesh.primitives);
    plan->runs = lmbi_gltf_array(g, count, sizeof *plan->runs);
    plan->table = lmbi_gltf_array(g, room, sizeof *plan->table);
    if (!plan->primitives || !plan->mesh.primitives || !plan->runs || !plan->table) {
        return false;
    }
    uint32_t k = 0;
    for (const lmbi_json *item = primitives->child; item; item = item->next) {
        if (draws_nothing(g, item)) {
            lmbi_gltf_note(g, item, "a part of a mesh with nothing to draw was left out");
            continue;
        }
        if (!plan_primitive(g, plan, item, k++)) {
            return false;
        }
    }
    plan->mesh.primitive_count = k;
    if (!lmbi_gltf_runs_layout(g, plan->runs, plan->run_count, &plan->vertex_count)) {
        return false;
    }
    for (k = 0; k < plan->mesh.primitive_count; ++k) {
        plan->mesh.primitives[k].first_vertex = plan->primitives[k].vertices->first;
    }
    return true;
}

// ------------------------------------------------------------------------------------- second pass

/// An array of one element a vertex, when `wanted`.
static bool vertex_array(lmbi_gltf *g, const mesh_plan *plan, bool wanted, size_t size, void **out)
{
    *out = NULL;
    if (!wanted) {
        return true;
    }
    if (!lmbi_gltf_spend(g, plan->json, (size_t)plan->vertex_count, size)) {
        return false;
    }
    *out = lmbi_gltf_array(g, (size_t)plan->vertex_count, size);
    return *out != NULL;
}

static bool make_vertex_arrays(lmbi_gltf *g, mesh_plan *plan)
{
    lmb_mesh *mesh = &plan->mesh;
    void *positions = NULL, *normals = NULL, *tangents = NULL;
    mesh->vertex_count = (uint32_t)plan->vertex_count;
    if (!vertex_array(g, plan, true, sizeof(lmb_vec3), &positions) ||
        !vertex_array(g, plan, plan->bits & LMB_HAS_NORMALS, sizeof(lmb_vec3), &normals) ||
        !vertex_array(g, plan, plan->bits & LMB_HAS_TANGENTS, sizeof(lmb_vec4), &tangents)) {
        return false;
    }
    mesh->positions = positions;
    mesh->normals = normals;
    mesh->tangents = tangents;
    for (uint32_t k = 0; k < LMB_UV_SETS; ++k) {
        void *uvs = NULL;
        if (!vertex_array(g, plan, plan->bits & (uint32_t)LMB_HAS_UV0 << k, sizeof(lmb_vec2),
                          &uvs)) {
            return false;
        }
        mesh->uvs[k] = uvs;
    }
    for (uint32_t k = 0; k < LMB_COLOR_SETS; ++k) {
        void *colors = NULL;
        if (!vertex_array(g, plan, plan->bits & (uint32_t)LMB_HAS_COLOR0 << k, sizeof(lmb_vec4),
                          &colors)) {
            return false;
        }
        mesh->colors[k] = colors;
    }
    void *envelope = NULL;
    const bool fine = vertex_array(g, plan, plan->run_count > 0 && !plan->lacks_envelope,
                                   LMB_ENVELOPE_SETS * sizeof(lmb_vec4), &envelope);
    mesh->envelope = envelope;
    return fine;
}

static bool make_targets(lmbi_gltf *g, mesh_plan *plan)
{
    lmb_mesh *mesh = &plan->mesh;
    mesh->targets = lmbi_gltf_array(g, mesh->target_count, sizeof *mesh->targets);
    for (uint32_t t = 0; mesh->targets && t < mesh->target_count; ++t) {
        void *positions = NULL, *normals = NULL, *tangents = NULL;
        if (!vertex_array(g, plan, true, sizeof(lmb_vec3), &positions) ||
            !vertex_array(g, plan, plan->target_normals, sizeof(lmb_vec3), &normals) ||
            !vertex_array(g, plan, plan->target_tangents, sizeof(lmb_vec3), &tangents)) {
            return false;
        }
        mesh->targets[t].positions = positions;
        mesh->targets[t].normals = normals;
        mesh->targets[t].tangents = tangents;
    }
    return mesh->targets != NULL;
}

static bool make_influences(lmbi_gltf *g, mesh_plan *plan)
{
    lmb_influences *out = &plan->mesh.influences;
    uint32_t used = 0;
    if (!(plan->bits & LMB_HAS_INFLUENCES)) {
        return true;
    }
    if (!lmbi_gltf_spend(g, plan->json, (size_t)plan->influence_room, sizeof *out->items)) {
        return false;
    }
    out->first = lmbi_gltf_array(g, (size_t)plan->vertex_count + 1, sizeof *out->first);
    out->items = lmbi_gltf_array(g, (size_t)plan->influence_room, sizeof *out->items);
    bool fine = out->first && out->items;
    uint32_t covered = 0; // rows decoded so far: overlapping runs share theirs
    lmbi_gltf_runs_sort(plan->runs, plan->run_count);
    for (uint32_t r = 0; fine && r < plan->run_count; ++r) {
        const lmbi_gltf_vertices *run = plan->runs[r];
        const uint32_t skip = covered - run->first;
        if (skip < run->count) {
            fine = lmbi_gltf_influences_decode(g, run, skip, out, &used);
            covered = run->first + run->count;
        }
    }
    return fine;
}

/// The corners of a primitive, relative to its vertices.
static bool read_corners(lmbi_gltf *g, const primitive_plan *p, uint32_t **out, uint32_t *count)
{
    *count = p->indices ? p->indices->count : p->vertices->count;
    uint32_t *corners = NULL;
    if (!lmbi_gltf_spend(g, p->json, *count, sizeof *corners)) {
        return false;
    }
    corners = lmbi_gltf_array(g, *count, sizeof *corners);
    if (corners == NULL || (p->indices && !lmbi_gltf_decode_u32(g, p->indices, corners, 1))) {
        return false;
    }
    // The type's largest value means primitive restart, which glTF forbids.
    const uint32_t size = p->indices ? p->indices->component_size : 4;
    const uint32_t restart = size == 4 ? UINT32_MAX : (1u << 8 * size) - 1;
    for (uint32_t k = 0; k < *count; ++k) {
        corners[k] = p->indices ? corners[k] : k;
        if (corners[k] >= p->vertices->count || corners[k] == restart) {
            return lmbi_gltf_fail_found(g, lmbi_json_find(p->json, "indices"),
                                        "indices below the number of vertices",
                                        "index %u of %u vertices", corners[k], p->vertices->count);
        }
        corners[k] += p->vertices->first;
    }
    *out = corners;
    return true;
}

static bool make_indices(lmbi_gltf *g, mesh_plan *plan)
{
    lmb_mesh *mesh = &plan->mesh;
    mesh->index_count = (uint32_t)plan->index_count;
    if (!lmbi_gltf_spend(g, plan->json, mesh->index_count, sizeof *mesh->indices)) {
        return false;
    }
    mesh->indices = lmbi_gltf_array(g, mesh->index_count, sizeof *mesh->indices);
    for (uint32_t k = 0; mesh->indices && k < mesh->primitive_count; ++k) {
        const lmb_primitive *primitive = &mesh->primitives[k];
        uint32_t *corners = NULL, corner_count = 0;
        if (!read_corners(g, &plan->primitives[k], &corners, &corner_count)) {
            return false;
        }
        lmbi_gltf_topology_unroll(plan->primitives[k].mode, corners, corner_count,
                                  mesh->indices + primitive->first_index, primitive->index_count);
    }
    return mesh->indices != NULL;
}

// ---------------------------------------------------------------------------------- names and rest

static bool read_target_names(lmbi_gltf *g, const mesh_plan *plan)
{
    const lmbi_json *names = lmbi_json_find(lmbi_json_find(plan->json, "extras"), "targetNames");
    if (names == NULL) { // older VRM exporters write them on the primitives
        names = lmbi_json_find(lmbi_json_find(plan->primitives[0].json, "extras"), "targetNames");
    }
    const lmbi_json *name = names && names->type == LMBI_JSON_ARRAY ? names->child : NULL;
    for (uint32_t t = 0; t < plan->mesh.target_count && name; ++t, name = name->next) {
        if (name->type == LMBI_JSON_STRING) {
            plan->mesh.targets[t].name = lmbi_json_string(&g->arena, name);
            if (plan->mesh.targets[t].name == NULL) {
                return lmbi_gltf_fail_memory(g);
            }
        }
    }
    return true;
}

static bool read_rest_weights(lmbi_gltf *g, mesh_plan *plan)
{
    bool present = false;
    float *weights = lmbi_gltf_array(g, plan->mesh.target_count, sizeof *weights);
    if (weights == NULL ||
        !lmbi_gltf_floats(g, plan->json, "weights", plan->mesh.target_count, weights, &present)) {
        return false;
    }
    plan->mesh.target_weights = present ? weights : NULL;
    return true;
}

/// Carries extras without the target names, which are read into the targets and written from there.
static bool carry_mesh(lmbi_gltf *g, mesh_plan *plan)
{
    static const char *const known[] = {"name", "primitives", "weights", "extras", NULL};
    static const char *const known_extras[] = {"targetNames", NULL};
    const lmbi_json *extras = lmbi_json_find(plan->json, "extras");
    const char *kept = NULL, *rest = NULL;
    if (!lmbi_gltf_carry(g, plan->json, known, &rest)) {
        return false;
    }
    const bool is_object = extras && extras->type == LMBI_JSON_OBJECT;
    if (extras && !(is_object ? lmbi_gltf_carry(g, extras, known_extras, &kept)
                              : lmbi_gltf_carry_whole(g, extras, &kept))) {
        return false;
    }
    plan->mesh.carried = rest;
    if (kept == NULL) {
        return true;
    }
    lmbi_text text;
    lmbi_text_init(&text, g->alloc);
    lmbi_json_out json = {.text = &text, .first = true};
    lmbi_json_open(&json, NULL, '{');
    lmbi_json_put_members(&json, rest);
    lmbi_json_put_raw(&json, "extras", kept, strlen(kept));
    lmbi_json_close(&json, '}');
    plan->mesh.carried = text.failed ? NULL : lmbi_arena_string(&g->arena, text.data, text.size);
    lmbi_text_free(&text);
    return plan->mesh.carried || lmbi_gltf_fail_memory(g);
}

static bool read_mesh(lmbi_gltf *g, const lmbi_json *json, lmb_mesh **out)
{
    mesh_plan plan;
    memset(&plan, 0, sizeof plan);
    if (!plan_mesh(g, json, &plan) || !make_vertex_arrays(g, &plan) || !make_targets(g, &plan)) {
        return false;
    }
    for (uint32_t r = 0; r < plan.run_count; ++r) {
        if (!lmbi_gltf_vertices_decode(g, plan.runs[r], &plan.mesh) ||
            !lmbi_gltf_targets_decode(g, plan.runs[r], &plan.mesh)) {
            return false;
        }
    }
    if (!make_influences(g, &plan) || !make_indices(g, &plan) || !read_target_names(g, &plan) ||
        !read_rest_weights(g, &plan) || !lmbi_gltf_string(g, json, "name", &plan.mesh.name) ||
        !carry_mesh(g, &plan)) {
        return false;
    }
    g->result = lmb_mesh_create(&plan.mesh, g->alloc, out, g->error);
    return g->result == LMB_OK;
}

bool lmbi_gltf_meshes_read(lmbi_gltf *g)
{
    if (!lmbi_gltf_table_read(g, g->root, "meshes", LMBI_JSON_OBJECT, &g->meshes)) {
        return false;
    }
    g->def.meshes = lmbi_gltf_array(g, g->meshes.count, sizeof *g->def.meshes);
    for (uint32_t k = 0; g->def.meshes && k < g->meshes.count; ++k) {
        if (!read_mesh(g, g->meshes.items[k], &g->def.meshes[k])) {
            return false;
        }
        ++g->def.mesh_count;
    }
    return g->def.meshes != NULL;
}
