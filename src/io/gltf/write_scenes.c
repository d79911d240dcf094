// Scenes: those of the file that was read if its roots still are roots, else one with every root.
#include <string.h>

#include "io/gltf/write.h"
#include "mapping/vrm.h"

/// Every scene has a flag a node; a file with more scenes than this gets one, to bound memory.
enum { SCENES_MAX = 1024 };

/// The scene's node for a root joint: its own, or the common root above it.
static uint32_t top_node(const lmbi_gltf_out *o, uint32_t root)
{
    return o->needs_root[root] ? (uint32_t)o->common_root : o->node_of_joint[root];
}

typedef struct scene_nodes {
    bool *listed; ///< [node_count]
    uint32_t *nodes;
    uint32_t count;
} scene_nodes;

static void list_node(scene_nodes *scene, uint32_t node)
{
    if (!scene->listed[node]) {
        scene->listed[node] = true;
        scene->nodes[scene->count++] = node;
    }
}

/// Adds the roots of skins whose meshes the scene shows: a scene must contain the skin's joints.
static void list_skin_roots(const lmbi_gltf_out *o, scene_nodes *scene)
{
    const lmb_character *c = o->character;
    uint32_t before = 0;
    do {
        before = scene->count;
        for (uint32_t i = 0; i < c->instance_count; ++i) {
            const lmb_instance *instance = &c->instances[i];
            if (instance->skin != LMB_NONE &&
                scene->listed[top_node(o, o->root_of_joint[instance->joint])]) {
                list_node(scene,
                          top_node(o, o->root_of_joint[c->skins[instance->skin]->joints[0]]));
            }
        }
    } while (scene->count != before);
}

static void list_all_roots(const lmbi_gltf_out *o, scene_nodes *scene)
{
    const lmb_skeleton *skeleton = o->character->skeleton;
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        if (skeleton->parents[j] == LMB_NONE) {
            list_node(scene, top_node(o, j));
        }
    }
}

/// The nodes that the file's scene names. False when one is no longer a root.
static bool list_carried(const lmbi_gltf_out *o, const lmbi_json *scene,
                         const uint32_t *joint_of_node, scene_nodes *out)
{
    const lmb_skeleton *skeleton = o->character->skeleton;
    const lmbi_json *nodes = lmbi_json_find(scene, "nodes");
    for (const lmbi_json *item = nodes ? nodes->child : NULL; item; item = item->next) {
        uint32_t node = 0;
        if (!lmbi_json_u32(item, &node) || node >= skeleton->joint_count ||
            skeleton->parents[joint_of_node[node]] != LMB_NONE) {
            return false;
        }
        list_node(out, top_node(o, joint_of_node[node]));
    }
    return true;
}

static void write_scene(lmbi_gltf_out *o, const lmbi_json *carried, const scene_nodes *scene)
{
    bool done = scene->count == 0;
    lmbi_json_open(&o->json, NULL, '{');
    const lmbi_json *member = carried && carried->type == LMBI_JSON_OBJECT ? carried->child : NULL;
    if (carried == NULL && o->character->name) {
        lmbi_json_put_string(&o->json, "name", o->character->name);
    }
    for (; member || !done; member = member ? member->next : NULL) {
        if (member && !lmbi_json_key_is(member, "nodes")) {
            lmbi_json_put_member(&o->json, member);
        } else if (!done) {
            done = true;
            lmbi_json_open(&o->json, "nodes", '[');
            for (uint32_t k = 0; k < scene->count; ++k) {
                lmbi_json_put_int(&o->json, NULL, scene->nodes[k]);
            }
            lmbi_json_close(&o->json, ']');
        }
    }
    lmbi_json_close(&o->json, '}');
}

static bool make_lists(lmbi_gltf_out *o, scene_nodes *scene)
{
    memset(scene, 0, sizeof *scene);
    scene->listed = lmbi_gltf_out_array(o, o->node_count, sizeof *scene->listed);
    scene->nodes = lmbi_gltf_out_array(o, o->node_count, sizeof *scene->nodes);
    return scene->listed && scene->nodes;
}

/// Writes the extensions except those that refer to nodes, whose indices have changed.
static void write_nodeless_extensions(lmbi_gltf_out *o, const lmbi_json *extensions)
{
    bool any = false;
    for (const lmbi_json *item = extensions->child; item; item = item->next) {
        if (item->key == NULL || lmbi_vrm_names_nodes(item->key, item->key_size)) {
            continue;
        }
        if (!any) {
            lmbi_json_open(&o->json, "extensions", '{');
            any = true;
        }
        lmbi_json_put_member(&o->json, item);
    }
    if (any) {
        lmbi_json_close(&o->json, '}');
    }
}

/// The nodes of all of the file's scenes; NULL when they no longer fit the nodes.
static scene_nodes *plan_carried(lmbi_gltf_out *o, const lmbi_json *scenes)
{
    const uint32_t n = o->character->skeleton->joint_count;
    uint32_t *joint_of_node = lmbi_gltf_out_array(o, n, sizeof *joint_of_node);
    scene_nodes *lists = lmbi_gltf_out_array(o, scenes->count, sizeof *lists);
    if (joint_of_node == NULL || lists == NULL) {
        return NULL;
    }
    for (uint32_t j = 0; j < n; ++j) {
        joint_of_node[o->node_of_joint[j]] = j;
    }
    uint32_t k = 0;
    for (const lmbi_json *scene = scenes->child; scene; scene = scene->next, ++k) {
        if (!make_lists(o, &lists[k]) || !list_carried(o, scene, joint_of_node, &lists[k])) {
            return NULL;
        }
        list_skin_roots(o, &lists[k]);
    }
    return lists;
}

/// Writes one scene with every root, with the name of the file's default scene.
static bool write_new_scene(lmbi_gltf_out *o, const lmbi_json *scenes, uint32_t shown)
{
    scene_nodes all;
    if (!make_lists(o, &all)) {
        return false;
    }
    list_all_roots(o, &all);
    const lmbi_json *model = scenes ? scenes->child : NULL;
    for (uint32_t k = 0; model && k < shown && model->next; ++k) {
        model = model->next;
    }
    lmbi_json_put_int(&o->json, "scene", 0);
    lmbi_json_open(&o->json, "scenes", '[');
    write_scene(o, model, &all);
    lmbi_json_close(&o->json, ']');
    return true;
}

static void write_carried_scenes(lmbi_gltf_out *o, const lmbi_json *scenes,
                                 const scene_nodes *lists)
{
    lmbi_json_open(&o->json, "scenes", '[');
    for (const lmbi_json *scene = scenes->child; scene; scene = scene->next) {
        write_scene(o, scene, lists++);
    }
    lmbi_json_close(&o->json, ']');
}

bool lmbi_gltf_out_carried(lmbi_gltf_out *o)
{
    const lmbi_json *scene = lmbi_json_find(o->carried, "scene");
    const lmbi_json *scenes = lmbi_json_find(o->carried, "scenes");
    uint32_t shown = 0;
    if (scenes && (scenes->type != LMBI_JSON_ARRAY || scenes->count == 0)) {
        scenes = NULL;
    }
    if (!lmbi_json_u32(scene, &shown)) {
        shown = 0;
    }
    const bool may_fit =
        scenes && o->keeps_order && shown < scenes->count && scenes->count <= SCENES_MAX;
    const scene_nodes *lists = may_fit ? plan_carried(o, scenes) : NULL;
    if (o->result != LMB_OK) {
        return false;
    }
    for (const lmbi_json *member = o->carried ? o->carried->child : NULL; member;
         member = member->next) {
        if (member == scenes && lists) {
            write_carried_scenes(o, scenes, lists);
        } else if (member == scene && lists) {
            lmbi_json_put_int(&o->json, "scene", shown);
        } else if (lmbi_json_key_is(member, "extensions") && !o->keeps_order) {
            write_nodeless_extensions(o, member);
        } else if (!lmbi_json_key_is(member, "asset") && !lmbi_json_key_is(member, "scene") &&
                   !lmbi_json_key_is(member, "scenes")) {
            lmbi_json_put_member(&o->json, member);
        }
    }
    return lists || write_new_scene(o, scenes, shown);
}
