// Joints become nodes. Node indices are planned first, since skins, clips and scenes refer to them.
#include <math.h>
#include <string.h>

#include "io/gltf/write.h"

// -------------------------------------------------------------------------------------------- plan

static bool is_permutation(const uint32_t *values, uint32_t count, bool *seen)
{
    for (uint32_t k = 0; k < count; ++k) {
        if (values[k] >= count || seen[values[k]]) {
            return false;
        }
        seen[values[k]] = true;
    }
    return true;
}

static bool plan_order(lmbi_gltf_out *o)
{
    const lmb_skeleton *skeleton = o->character->skeleton;
    const uint32_t n = skeleton->joint_count;
    bool *seen = lmbi_gltf_out_array(o, n, sizeof *seen);
    o->node_of_joint = lmbi_gltf_out_array(o, n, sizeof *o->node_of_joint);
    o->root_of_joint = lmbi_gltf_out_array(o, n, sizeof *o->root_of_joint);
    if (!seen || !o->node_of_joint || !o->root_of_joint) {
        return false;
    }
    o->keeps_order = skeleton->source_index && is_permutation(skeleton->source_index, n, seen);
    for (uint32_t j = 0; j < n; ++j) {
        const int32_t parent = skeleton->parents[j];
        o->node_of_joint[j] = o->keeps_order ? skeleton->source_index[j] : j;
        o->root_of_joint[j] = parent == LMB_NONE ? j : o->root_of_joint[parent];
    }
    o->node_count = n;
    return true;
}

static bool plan_instances(lmbi_gltf_out *o)
{
    const lmb_character *c = o->character;
    o->instance_of_joint =
        lmbi_gltf_out_array(o, c->skeleton->joint_count, sizeof *o->instance_of_joint);
    o->extra_instances = lmbi_gltf_out_array(o, c->instance_count, sizeof *o->extra_instances);
    if (!o->instance_of_joint || !o->extra_instances) {
        return false;
    }
    for (uint32_t j = 0; j < c->skeleton->joint_count; ++j) {
        o->instance_of_joint[j] = LMB_NONE;
    }
    for (uint32_t i = 0; i < c->instance_count; ++i) {
        if (o->mesh_number[c->instances[i].mesh] == LMB_NONE) {
            continue;
        }
        int32_t *slot = &o->instance_of_joint[c->instances[i].joint];
        if (*slot == LMB_NONE) {
            *slot = (int32_t)i;
        } else {
            o->extra_instances[o->extra_count++] = i; // a glTF node has one mesh at most
            ++o->node_count;
        }
    }
    return true;
}

/// A skin's joints must have a common root (glTF 2.0, 3.7.3.1): trees that one skin spans become
/// children of an extra node.
static bool plan_common_root(lmbi_gltf_out *o)
{
    const lmb_character *c = o->character;
    o->common_root = LMB_NONE;
    o->needs_root = lmbi_gltf_out_array(o, c->skeleton->joint_count, sizeof *o->needs_root);
    if (!o->needs_root) {
        return false;
    }
    for (uint32_t s = 0; s < c->skin_count; ++s) {
        const lmb_skin *skin = c->skins[s];
        bool several = false;
        for (uint32_t k = 1; k < skin->joint_count; ++k) {
            several =
                several || o->root_of_joint[skin->joints[k]] != o->root_of_joint[skin->joints[0]];
        }
        for (uint32_t k = 0; several && k < skin->joint_count; ++k) {
            o->needs_root[o->root_of_joint[skin->joints[k]]] = true;
        }
        if (several && o->common_root == LMB_NONE) {
            o->common_root = (int32_t)o->node_count++;
        }
    }
    return true;
}

bool lmbi_gltf_out_plan(lmbi_gltf_out *o)
{
    return plan_order(o) && lmbi_gltf_out_number_meshes(o) && plan_instances(o) &&
           plan_common_root(o);
}

// ------------------------------------------------------------------------------------------- nodes

static void write_transform(lmbi_json_out *json, const lmb_transform *t)
{
    const lmb_quat q = fabsf(lmb_quat_dot(t->rotation, t->rotation) - 1.0f) <= 1e-3f
                           ? t->rotation
                           : lmb_quat_normalize(t->rotation);
    const float translation[3] = {t->translation.x, t->translation.y, t->translation.z};
    float rotation[4] = {q.x, q.y, q.z, q.w};
    const float scale[3] = {t->scale.x, t->scale.y, t->scale.z};
    for (int k = 0; k < 4; ++k) {
        rotation[k] = fminf(fmaxf(rotation[k], -1.0f),
                            1.0f); // rounding may leave 1.0000001, which the format forbids
    }
    if (translation[0] != 0 || translation[1] != 0 || translation[2] != 0) {
        lmbi_json_put_floats(json, "translation", translation, 3);
    }
    if (rotation[0] != 0 || rotation[1] != 0 || rotation[2] != 0 || rotation[3] != 1) {
        lmbi_json_put_floats(json, "rotation", rotation, 4);
    }
    if (scale[0] != 1 || scale[1] != 1 || scale[2] != 1) {
        lmbi_json_put_floats(json, "scale", scale, 3);
    }
}

static void write_instance(lmbi_gltf_out *o, const lmb_instance *instance)
{
    lmbi_json_put_int(&o->json, "mesh", o->mesh_number[instance->mesh]);
    if (instance->skin != LMB_NONE) {
        lmbi_json_put_int(&o->json, "skin", instance->skin);
    }
    const uint32_t target_count = o->character->meshes[instance->mesh]->target_count;
    if (instance->target_weights && target_count) {
        lmbi_json_put_floats(&o->json, "weights", instance->target_weights, target_count);
    }
}

/// Prepends a node to its parent's list of children.
static void link_child(uint32_t node, int64_t parent, uint32_t *first, uint32_t *next)
{
    if (parent >= 0) {
        next[node] = first[parent];
        first[parent] = node;
    }
}

/// Children of each node as linked lists in the order of the joints: first[node], next[child];
/// UINT32_MAX ends a list.
static bool link_children(lmbi_gltf_out *o, uint32_t **first, uint32_t **next)
{
    const lmb_character *c = o->character;
    const uint32_t n = c->skeleton->joint_count;
    *first = lmbi_gltf_out_array(o, o->node_count, sizeof **first);
    *next = lmbi_gltf_out_array(o, o->node_count, sizeof **next);
    if (!*first || !*next) {
        return false;
    }
    memset(*first, 0xFF, o->node_count * sizeof **first);
    memset(*next, 0xFF, o->node_count * sizeof **next);
    for (uint32_t k = o->extra_count; k-- > 0;) {
        link_child(n + k, o->node_of_joint[c->instances[o->extra_instances[k]].joint], *first,
                   *next);
    }
    for (uint32_t joint = n; joint-- > 0;) {
        const int32_t above = c->skeleton->parents[joint];
        const int64_t parent = above != LMB_NONE      ? (int64_t)o->node_of_joint[above]
                               : o->needs_root[joint] ? o->common_root
                                                      : LMB_NONE;
        link_child(o->node_of_joint[joint], parent, *first, *next);
    }
    return true;
}

static void write_children(lmbi_gltf_out *o, uint32_t node, const uint32_t *first,
                           const uint32_t *next)
{
    if (first[node] == UINT32_MAX) {
        return;
    }
    lmbi_json_open(&o->json, "children", '[');
    for (uint32_t child = first[node]; child != UINT32_MAX; child = next[child]) {
        lmbi_json_put_int(&o->json, NULL, child);
    }
    lmbi_json_close(&o->json, ']');
}

static void write_joint(lmbi_gltf_out *o, uint32_t joint)
{
    const lmb_skeleton *skeleton = o->character->skeleton;
    if (skeleton->names[joint][0]) {
        lmbi_json_put_string(&o->json, "name", skeleton->names[joint]);
    }
    write_transform(&o->json, &skeleton->rest[joint]);
    if (o->instance_of_joint[joint] != LMB_NONE) {
        write_instance(o, &o->character->instances[o->instance_of_joint[joint]]);
    }
    if (skeleton->carried) {
        lmbi_json_put_members(&o->json, skeleton->carried[joint]);
    }
}

void lmbi_gltf_out_nodes(lmbi_gltf_out *o)
{
    const lmb_character *c = o->character;
    const uint32_t n = c->skeleton->joint_count;
    uint32_t *joint_of_node = lmbi_gltf_out_array(o, n, sizeof *joint_of_node);
    uint32_t *first = NULL, *next = NULL;
    for (uint32_t j = 0; joint_of_node && j < n; ++j) {
        joint_of_node[o->node_of_joint[j]] = j;
    }
    if (o->node_count == 0 || joint_of_node == NULL || !link_children(o, &first, &next)) {
        return;
    }
    lmbi_json_open(&o->json, "nodes", '[');
    for (uint32_t node = 0; node < o->node_count; ++node) {
        lmbi_json_open(&o->json, NULL, '{');
        if (node < n) {
            write_joint(o, joint_of_node[node]);
        } else if (node < n + o->extra_count) {
            write_instance(o, &c->instances[o->extra_instances[node - n]]);
        } else {
            lmbi_json_put_string(&o->json, "name", "root");
        }
        write_children(o, node, first, next);
        lmbi_json_close(&o->json, '}');
    }
    lmbi_json_close(&o->json, ']');
}
