// Nodes become the joints of the one skeleton; nodes with meshes become instances.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "asset/asset.h"
#include "io/gltf/gltf.h"

// -------------------------------------------------------------------------------------------- tree

static bool read_children(lmbi_gltf *g, uint32_t node, int32_t *parents)
{
    const lmbi_json *children = NULL;
    if (!lmbi_gltf_member(g, g->nodes.items[node], "children", LMBI_JSON_ARRAY, &children)) {
        return false;
    }
    for (const lmbi_json *item = children ? children->child : NULL; item; item = item->next) {
        uint32_t child = 0;
        if (!lmbi_gltf_index_value(g, item, g->nodes.count, &child)) {
            return false;
        }
        if (parents[child] != LMB_NONE) {
            return lmbi_gltf_fail(g, item, "a node with one parent", NULL);
        }
        parents[child] = (int32_t)node;
    }
    return true;
}

/// Fills parents[node] and refuses cycles. `scratch` has as many entries.
static bool read_tree(lmbi_gltf *g, int32_t *parents, uint32_t *scratch)
{
    for (uint32_t k = 0; k < g->nodes.count; ++k) {
        parents[k] = LMB_NONE;
    }
    for (uint32_t k = 0; k < g->nodes.count; ++k) {
        if (!read_children(g, k, parents)) {
            return false;
        }
    }
    if (g->nodes.count == 0) {
        return true;
    }
    const lmb_result result = lmbi_joints_sort(parents, g->nodes.count, scratch, g->alloc, NULL);
    if (result == LMB_ERROR_MEMORY) {
        return lmbi_gltf_fail_memory(g);
    }
    return result == LMB_OK || lmbi_gltf_fail(g, g->nodes.array, "a tree of nodes", "a cycle");
}

static bool check_scene(lmbi_gltf *g, const lmbi_json *scene, const int32_t *parents)
{
    const lmbi_json *nodes = NULL;
    if (!lmbi_gltf_member(g, scene, "nodes", LMBI_JSON_ARRAY, &nodes)) {
        return false;
    }
    const lmbi_json *child = NULL;
    for (const lmbi_json *item = nodes ? nodes->child : NULL; item; item = item->next) {
        uint32_t node = 0;
        if (!lmbi_gltf_index_value(g, item, g->nodes.count, &node)) {
            return false;
        }
        child = child == NULL && parents[node] != LMB_NONE ? item : child;
    }
    if (child) {
        lmbi_gltf_note(g, child, "a node that a scene lists is a child: its whole tree is shown");
    }
    return true;
}

/// *shown_nodes: the roots of the default scene, or NULL.
static bool check_scenes(lmbi_gltf *g, const int32_t *parents, const lmbi_json **shown_nodes)
{
    int32_t scene = 0;
    if (!lmbi_gltf_table_read(g, g->root, "scenes", LMBI_JSON_OBJECT, &g->scenes) ||
        !lmbi_gltf_index(g, g->root, "scene", g->scenes.count, &scene)) {
        return false;
    }
    for (uint32_t k = 0; k < g->scenes.count; ++k) {
        if (!check_scene(g, g->scenes.items[k], parents)) {
            return false;
        }
    }
    const lmbi_json *shown =
        g->scenes.count ? g->scenes.items[scene == LMB_NONE ? 0 : scene] : NULL;
    *shown_nodes = shown ? lmbi_json_find(shown, "nodes") : NULL;
    return shown == NULL || lmbi_gltf_string(g, shown, "name", &g->def.name);
}

/// A depth-first walk. Scenes and nodes are checked before: indices are valid, there are no cycles.
typedef struct walk {
    const lmbi_gltf *g;
    uint32_t *order, count; ///< nodes visited so far
    uint32_t *stack;
    bool *visited;
} walk;

static uint32_t index_of(const lmbi_json *item)
{
    uint32_t index = 0;
    lmbi_json_u32(item, &index);
    return index;
}

static uint32_t root_of(const int32_t *parents, uint32_t node)
{
    while (parents[node] != LMB_NONE) {
        node = (uint32_t)parents[node];
    }
    return node;
}

/// Visits the node and its descendants, children in the order of the file.
static void walk_from(walk *w, uint32_t root)
{
    uint32_t depth = 0;
    if (!w->visited[root]) {
        w->stack[depth++] = root;
        w->visited[root] = true;
    }
    while (depth > 0) {
        const uint32_t node = w->stack[--depth];
        const lmbi_json *children = lmbi_json_find(w->g->nodes.items[node], "children");
        const uint32_t first = depth;
        w->order[w->count++] = node;
        for (const lmbi_json *item = children ? children->child : NULL; item; item = item->next) {
            const uint32_t child = index_of(item);
            w->stack[depth++] = child;
            w->visited[child] = true;
        }
        // Reversed, so that the first child is popped first.
        for (uint32_t low = first, high = depth; low + 1 < high; ++low) {
            const uint32_t swapped = w->stack[low];
            w->stack[low] = w->stack[--high];
            w->stack[high] = swapped;
        }
    }
}

/// Joints have the depth-first order of the default scene; nodes outside it come last.
static bool order_nodes(lmbi_gltf *g, const int32_t *parents, const lmbi_json *shown_nodes,
                        uint32_t *order)
{
    walk w = {.g = g, .order = order};
    w.stack = lmbi_gltf_array(g, g->nodes.count, sizeof *w.stack);
    w.visited = lmbi_gltf_array(g, g->nodes.count, sizeof *w.visited);
    if (w.stack == NULL || w.visited == NULL) {
        return false;
    }
    for (const lmbi_json *item = shown_nodes ? shown_nodes->child : NULL; item; item = item->next) {
        walk_from(&w, root_of(parents, index_of(item)));
    }
    g->shown_count = shown_nodes ? w.count : g->nodes.count;
    for (uint32_t k = 0; k < g->nodes.count; ++k) {
        if (parents[k] == LMB_NONE) {
            walk_from(&w, k);
        }
    }
    return true;
}

// -------------------------------------------------------------------------------------- transforms

static bool from_matrix(lmbi_gltf *g, const lmbi_json *node, const lmb_mat4 *m, lmb_transform *out)
{
    const float off = fabsf(m->m[3]) + fabsf(m->m[7]) + fabsf(m->m[11]) + fabsf(m->m[15] - 1.0f);
    if (!(off < 1e-4f)) {
        return lmbi_gltf_fail_found(
            g, lmbi_json_find(node, "matrix"), "a matrix whose last row is 0 0 0 1", "%g %g %g %g",
            (double)m->m[3], (double)m->m[7], (double)m->m[11], (double)m->m[15]);
    }
    if (lmb_mat4_decompose(*m, out) > 1e-3f) {
        lmbi_gltf_note(g, node, "a sheared matrix lost its shear");
    }
    return true;
}

static bool read_transform(lmbi_gltf *g, const lmbi_json *node, lmb_transform *out)
{
    lmb_mat4 matrix;
    float t[3], r[4], s[3];
    bool has_matrix = false, has_t = false, has_r = false, has_s = false;
    *out = lmb_transform_identity();
    if (!lmbi_gltf_floats(g, node, "matrix", 16, matrix.m, &has_matrix) ||
        !lmbi_gltf_floats(g, node, "translation", 3, t, &has_t) ||
        !lmbi_gltf_floats(g, node, "rotation", 4, r, &has_r) ||
        !lmbi_gltf_floats(g, node, "scale", 3, s, &has_s)) {
        return false;
    }
    if (has_matrix) {
        return from_matrix(g, node, &matrix, out);
    }
    if (has_t) {
        out->translation = lmb_vec3_make(t[0], t[1], t[2]);
    }
    if (has_s) {
        out->scale = lmb_vec3_make(s[0], s[1], s[2]);
    }
    for (int k = 0; k < 4; ++k) {
        r[k] = has_r ? r[k] : 0;
        r[k] = fabsf(r[k]) <= 1.000001f ? fminf(fmaxf(r[k], -1.0f), 1.0f)
                                        : r[k]; // glTF's schema forbids 1.0000001
    }
    if (has_r) {
        const lmb_quat q = lmb_quat_make(r[0], r[1], r[2], r[3]);
        const bool unit = fabsf(lmb_quat_dot(q, q) - 1.0f) <= 1e-3f;
        out->rotation = unit ? q : lmb_quat_normalize(q);
        if (!unit) {
            lmbi_gltf_note(g, node, "a rotation was scaled to unit length");
        }
    }
    return true;
}

static bool read_joint(lmbi_gltf *g, uint32_t node_index, uint32_t joint, const lmb_skeleton *def)
{
    static const char *const known[] = {"name",   "children", "translation", "rotation", "scale",
                                        "matrix", "mesh",     "skin",        "weights",  NULL};
    const lmbi_json *node = g->nodes.items[node_index];
    const char *name = NULL;
    if (!read_transform(g, node, &def->rest[joint]) || !lmbi_gltf_string(g, node, "name", &name) ||
        !lmbi_gltf_carry(g, node, known, &def->carried[joint])) {
        return false;
    }
    if (name == NULL || *name == 0) {
        char *made = lmbi_gltf_array(g, 24, 1);
        if (made == NULL) {
            return false;
        }
        snprintf(made, 24, "node_%lu", (unsigned long)node_index);
        name = made;
    }
    def->names[joint] = name;
    return true;
}

static bool make_skeleton(lmbi_gltf *g, const int32_t *parents, const uint32_t *order)
{
    const uint32_t n = g->nodes.count;
    lmb_skeleton def = {.joint_count = n};
    def.parents = lmbi_gltf_array(g, n, sizeof *def.parents);
    def.rest = lmbi_gltf_array(g, n, sizeof *def.rest);
    def.names = lmbi_gltf_array(g, n, sizeof *def.names);
    def.source_index = lmbi_gltf_array(g, n, sizeof *def.source_index);
    def.carried = lmbi_gltf_array(g, n, sizeof *def.carried);
    if (!def.parents || !def.rest || !def.names || !def.source_index || !def.carried) {
        return false;
    }
    for (uint32_t j = 0; j < n; ++j) {
        g->joint_of_node[order[j]] = j;
    }
    bool any_carried = false;
    for (uint32_t j = 0; j < n; ++j) {
        const int32_t parent = parents[order[j]];
        def.parents[j] = parent == LMB_NONE ? LMB_NONE : (int32_t)g->joint_of_node[parent];
        def.source_index[j] = order[j];
        if (!read_joint(g, order[j], j, &def)) {
            return false;
        }
        any_carried = any_carried || def.carried[j];
    }
    if (!any_carried) {
        def.carried = NULL;
    }
    g->result = lmb_skeleton_create(&def, g->alloc, &g->def.skeleton, g->error);
    return g->result == LMB_OK;
}

bool lmbi_gltf_nodes_read(lmbi_gltf *g)
{
    if (!lmbi_gltf_table_read(g, g->root, "nodes", LMBI_JSON_OBJECT, &g->nodes)) {
        return false;
    }
    if (g->nodes.count > INT32_MAX / 2) {
        return lmbi_gltf_fail_found(g, g->nodes.array, "fewer than 2^30 nodes", "%u",
                                    g->nodes.count);
    }
    int32_t *parents = lmbi_gltf_array(g, g->nodes.count, sizeof *parents);
    uint32_t *order = lmbi_gltf_array(g, g->nodes.count, sizeof *order);
    g->joint_of_node = lmbi_gltf_array(g, g->nodes.count, sizeof *g->joint_of_node);
    const lmbi_json *shown_nodes = NULL;
    return parents && order && g->joint_of_node && read_tree(g, parents, order) &&
           check_scenes(g, parents, &shown_nodes) && order_nodes(g, parents, shown_nodes, order) &&
           make_skeleton(g, parents, order);
}

// --------------------------------------------------------------------------------------- instances

static bool read_weights(lmbi_gltf *g, const lmbi_json *node, uint32_t target_count, float **out)
{
    const lmbi_json *array = lmbi_json_find(node, "weights");
    *out = NULL;
    if (array == NULL) {
        return true;
    }
    bool present = false;
    float *weights = lmbi_gltf_array(g, target_count, sizeof *weights);
    if (weights == NULL || !lmbi_gltf_floats(g, node, "weights", target_count, weights, &present)) {
        return false;
    }
    *out = weights;
    return true;
}

/// Checks that influences index joints of the skin, which only the node connects with the mesh.
static bool check_influences(lmbi_gltf *g, const lmbi_json *node, const lmb_mesh *mesh,
                             const lmb_skin *skin)
{
    const uint32_t count = mesh->influences.first ? mesh->influences.first[mesh->vertex_count] : 0;
    for (uint32_t i = 0; i < count; ++i) {
        if (mesh->influences.items[i].joint >= skin->joint_count) {
            return lmbi_gltf_fail(g, node, "a skin with all joints that the mesh names",
                                  "a joint index beyond it");
        }
    }
    return true;
}

static bool read_instance(lmbi_gltf *g, uint32_t node_index)
{
    const lmbi_json *node = g->nodes.items[node_index];
    int32_t mesh = 0, skin = 0, camera = 0;
    uint32_t camera_count = 0;
    const lmbi_json *cameras = lmbi_json_find(g->root, "cameras");
    if (cameras && cameras->type == LMBI_JSON_ARRAY) {
        camera_count = cameras->count;
    }
    if (!lmbi_gltf_index(g, node, "mesh", g->meshes.count, &mesh) ||
        !lmbi_gltf_index(g, node, "skin", g->skins.count, &skin) ||
        !lmbi_gltf_index(g, node, "camera", camera_count, &camera)) {
        return false;
    }
    if (mesh == LMB_NONE) {
        if (lmbi_json_find(node, "weights")) {
            lmbi_gltf_note(g, node, "morph weights without a mesh were dropped");
        }
        return true;
    }
    lmb_instance *instance = &g->def.instances[g->def.instance_count++];
    instance->joint = g->joint_of_node[node_index];
    instance->mesh = (uint32_t)mesh;
    instance->skin = skin;
    return read_weights(g, node, g->def.meshes[mesh]->target_count, &instance->target_weights) &&
           (skin == LMB_NONE || check_influences(g, node, g->def.meshes[mesh], g->def.skins[skin]));
}

bool lmbi_gltf_instances_read(lmbi_gltf *g)
{
    g->def.instances = lmbi_gltf_array(g, g->nodes.count, sizeof *g->def.instances);
    for (uint32_t j = 0; g->def.instances && j < g->nodes.count; ++j) {
        if (!read_instance(g, g->def.skeleton->source_index[j])) {
            return false;
        }
    }
    return g->def.instances != NULL;
}
