// Springs as VRM files have them, from the text that the character carries of its file's
// extensions.
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "base/json.h"
#include "limber/physics.h"

/// Like the colliders of one node or group: a range of `items`.
typedef struct range {
    uint32_t first, count;
} range;

typedef struct reader {
    const lmb_skeleton *skeleton;
    const lmb_allocator *alloc;
    lmbi_arena arena;
    int32_t *joint_of_node;
    uint32_t node_count;
    uint8_t *taken; ///< [joint_count] a spring has the joint
    lmb_spring_joint *joints;
    lmb_spring_collider *colliders;
    uint32_t *references;
    size_t joint_count, collider_count, reference_count;
    size_t joint_room, collider_room, reference_room;
    lmb_error *error;
    lmb_result result;
} reader;

static bool fail(reader *r, const lmbi_json *at, const char *expected)
{
    char path[120];
    lmbi_json_path(at, path, sizeof path);
    r->result = lmbi_fail(r->error, LMB_ERROR_MALFORMED, expected, "%.*s at %s",
                          (int)(at->size < 30 ? at->size : 30), at->at, path);
    return false;
}

static bool fail_memory(reader *r)
{
    r->result = lmbi_fail_memory(r->error);
    return false;
}

// ----------------------------------------------------------------------------------------- fields

/// Leaves *out alone where there is no such member.
static bool read_float(reader *r, const lmbi_json *object, const char *key, float *out)
{
    const lmbi_json *value = lmbi_json_find(object, key);
    double x;
    if (!value) {
        return true;
    }
    if (!lmbi_json_number(value, &x) || !(fabs(x) < 1e30)) {
        return fail(r, value, "a number");
    }
    *out = (float)x;
    return true;
}

static bool read_size(reader *r, const lmbi_json *object, const char *key, float *out)
{
    if (!read_float(r, object, key, out)) {
        return false;
    }
    *out = fmaxf(*out, 0);
    return true;
}

/// [x, y, z], or {"x": , "y": , "z": } as VRM 0.x has it.
static bool read_vec3(reader *r, const lmbi_json *object, const char *key, lmb_vec3 *out)
{
    const lmbi_json *value = lmbi_json_find(object, key);
    if (!value) {
        return true;
    }
    if (value->type == LMBI_JSON_OBJECT) {
        *out = lmb_vec3_make(0, 0, 0);
        return read_float(r, value, "x", &out->x) && read_float(r, value, "y", &out->y) &&
               read_float(r, value, "z", &out->z);
    }
    float *const into[3] = {&out->x, &out->y, &out->z};
    int k = 0;
    const lmbi_json *item = value->type == LMBI_JSON_ARRAY ? value->child : NULL;
    for (; item && k < 3; item = item->next, ++k) {
        double x;
        if (!lmbi_json_number(item, &x) || !(fabs(x) < 1e30)) {
            return fail(r, item, "a number");
        }
        *into[k] = (float)x;
    }
    return (k == 3 && !item) || fail(r, value, "three numbers");
}

static bool read_bool(const lmbi_json *object, const char *key)
{
    const lmbi_json *value = lmbi_json_find(object, key);
    return value && value->type == LMBI_JSON_TRUE;
}

static bool node_joint(reader *r, const lmbi_json *value, const lmbi_json *owner, uint32_t *out)
{
    uint32_t node;
    if (!value) {
        return fail(r, owner, "a node");
    }
    if (!lmbi_json_u32(value, &node) || node >= r->node_count || r->joint_of_node[node] < 0) {
        return fail(r, value, "the index of a node");
    }
    *out = (uint32_t)r->joint_of_node[node];
    return true;
}

/// VRM 0.x writes -1 where there is none.
static bool read_center(reader *r, const lmbi_json *spring, int32_t *out)
{
    const lmbi_json *value = lmbi_json_find(spring, "center");
    double x = 0;
    uint32_t joint;
    *out = LMB_NONE;
    if (!value || value->type == LMBI_JSON_NULL || (lmbi_json_number(value, &x) && x < 0)) {
        return true;
    }
    if (!node_joint(r, value, spring, &joint)) {
        return false;
    }
    *out = (int32_t)joint;
    return true;
}

/// The children of an array; NULL where there is none. Anything else is an error.
static bool list_of(reader *r, const lmbi_json *object, const char *key, const lmbi_json **first)
{
    const lmbi_json *value = lmbi_json_find(object, key);
    *first = NULL;
    if (!value) {
        return true;
    }
    if (value->type != LMBI_JSON_ARRAY) {
        return fail(r, value, "an array");
    }
    *first = value->child;
    return true;
}

static uint32_t count_of(const lmbi_json *item)
{
    return item ? item->parent->count : 0;
}

// ---------------------------------------------------------------------------------------- storing

static bool add_collider(reader *r, lmb_spring_collider collider)
{
    if (!lmbi_grow(r->alloc, (void **)&r->colliders, &r->collider_room, r->collider_count + 1,
                   sizeof *r->colliders)) {
        return fail_memory(r);
    }
    r->colliders[r->collider_count++] = collider;
    return true;
}

static bool add_reference(reader *r, uint32_t collider)
{
    if (r->reference_count >= UINT32_MAX ||
        !lmbi_grow(r->alloc, (void **)&r->references, &r->reference_room, r->reference_count + 1,
                   sizeof *r->references)) {
        return fail_memory(r);
    }
    r->references[r->reference_count++] = collider;
    return true;
}

static bool add_joint(reader *r, const lmb_spring_joint *spring)
{
    if (r->taken[spring->joint]) {
        return true;
    }
    r->taken[spring->joint] = 1;
    if (!lmbi_grow(r->alloc, (void **)&r->joints, &r->joint_room, r->joint_count + 1,
                   sizeof *r->joints)) {
        return fail_memory(r);
    }
    r->joints[r->joint_count++] = *spring;
    return true;
}

/// The colliders of groups, one group after another: what every joint of the spring meets. `groups`
/// are ranges of `members`.
static bool gather(reader *r, const lmbi_json *spring, const range *groups, uint32_t group_count,
                   const uint32_t *members, lmb_spring_joint *out)
{
    const lmbi_json *item;
    out->first_reference = (uint32_t)r->reference_count;
    if (!list_of(r, spring, "colliderGroups", &item)) {
        return false;
    }
    for (; item; item = item->next) {
        uint32_t g;
        if (!lmbi_json_u32(item, &g) || g >= group_count) {
            return fail(r, item, "the index of a collider group");
        }
        // A million are far beyond any character and keep a file of repeated groups from filling
        // the memory.
        if (r->reference_count + groups[g].count > 1000000) {
            return fail(r, item, "at most a million colliders in all springs together");
        }
        for (uint32_t k = 0; k < groups[g].count; ++k) {
            if (!add_reference(r, members[groups[g].first + k])) {
                return false;
            }
        }
    }
    out->reference_count = (uint32_t)r->reference_count - out->first_reference;
    return true;
}

// ---------------------------------------------------------------------------------------- VRM 1.0

static const lmbi_json *extended_shape(const lmbi_json *collider)
{
    return lmbi_json_find(
        lmbi_json_find(lmbi_json_find(collider, "extensions"), "VRMC_springBone_extended_collider"),
        "shape");
}

static bool read_shape(reader *r, const lmbi_json *item, lmb_spring_collider *c)
{
    static const char *const names[] = {"sphere", "capsule", "plane"};
    const lmbi_json *extended = extended_shape(item);
    const lmbi_json *shape = extended ? extended : lmbi_json_find(item, "shape"), *one = NULL;
    for (int k = 0; k < (extended ? 3 : 2) && !one; ++k) {
        one = lmbi_json_find(shape, names[k]);
        c->shape = (lmb_spring_shape)k;
    }
    if (!one) {
        return fail(r, item, "a sphere, a capsule or a plane");
    }
    c->inside = extended && c->shape != LMB_SPRING_PLANE && read_bool(one, "inside");
    c->normal = lmb_vec3_make(0, 0, 1);
    return read_vec3(r, one, "offset", &c->offset) && read_vec3(r, one, "tail", &c->tail) &&
           read_vec3(r, one, "normal", &c->normal) && read_size(r, one, "radius", &c->radius);
}

static bool read_colliders(reader *r, const lmbi_json *extension)
{
    const lmbi_json *item;
    if (!list_of(r, extension, "colliders", &item)) {
        return false;
    }
    for (; item; item = item->next) {
        lmb_spring_collider c = {0};
        if (!node_joint(r, lmbi_json_find(item, "node"), item, &c.joint) ||
            !read_shape(r, item, &c) || !add_collider(r, c)) {
            return false;
        }
    }
    return true;
}

/// Ranges of `members` for every group, both from the arena.
static bool read_groups(reader *r, const lmbi_json *extension, range **groups, uint32_t *count,
                        uint32_t **members)
{
    const lmbi_json *first, *list;
    size_t total = 0;
    if (!list_of(r, extension, "colliderGroups", &first)) {
        return false;
    }
    *count = count_of(first);
    for (const lmbi_json *g = first; g; g = g->next) {
        if (!list_of(r, g, "colliders", &list)) {
            return false;
        }
        total += count_of(list);
    }
    *groups = lmbi_arena_array(&r->arena, *count, sizeof **groups);
    *members = lmbi_arena_array(&r->arena, total, sizeof **members);
    if ((*count && !*groups) || (total && !*members)) {
        return fail_memory(r);
    }
    uint32_t at = 0, k = 0;
    for (const lmbi_json *g = first; g; g = g->next, ++k) {
        list_of(r, g, "colliders", &list);
        (*groups)[k] = (range){at, count_of(list)};
        for (; list; list = list->next, ++at) {
            if (!lmbi_json_u32(list, &(*members)[at]) || (*members)[at] >= r->collider_count) {
                return fail(r, list, "the index of a collider");
            }
        }
    }
    return true;
}

static bool read_numbers(reader *r, const lmbi_json *from, const char *stiffness,
                         lmb_spring_joint *out)
{
    out->stiffness = 1.0f;
    out->drag = 0.5f;
    out->gravity = lmb_vec3_make(0, -1, 0);
    out->gravity_power = 0;
    out->hit_radius = 0;
    const bool fine = read_size(r, from, stiffness, &out->stiffness) &&
                      read_size(r, from, "dragForce", &out->drag) &&
                      read_float(r, from, "gravityPower", &out->gravity_power) &&
                      read_vec3(r, from, "gravityDir", &out->gravity) &&
                      read_size(r, from, "hitRadius", &out->hit_radius);
    out->drag = fminf(out->drag, 1);
    return fine;
}

static bool is_below(const lmb_skeleton *skeleton, uint32_t joint, uint32_t above)
{
    int32_t j = skeleton->parents[joint];
    while (j > (int32_t)above) {
        j = skeleton->parents[j];
    }
    return j == (int32_t)above;
}

/// Joints in pairs of head and tail: the last is a tail only.
static bool read_spring(reader *r, const lmbi_json *item, lmb_spring_joint common)
{
    const lmbi_json *joint;
    lmb_spring_joint before = common;
    if (!list_of(r, item, "joints", &joint)) {
        return false;
    }
    for (bool first = true; joint; joint = joint->next, first = false) {
        lmb_spring_joint spring = common;
        if (!node_joint(r, lmbi_json_find(joint, "node"), joint, &spring.joint) ||
            !read_numbers(r, joint, "stiffness", &spring)) {
            return false;
        }
        if (!first) {
            if (!is_below(r->skeleton, spring.joint, before.joint)) {
                return fail(r, joint, "a node below that of the joint before");
            }
            before.tail = (int32_t)spring.joint;
            if (!add_joint(r, &before)) {
                return false;
            }
        }
        before = spring;
    }
    return true;
}

static bool read_vrm1(reader *r, const lmbi_json *extension)
{
    range *groups;
    uint32_t group_count, *members;
    const lmbi_json *item;
    if (!read_colliders(r, extension) ||
        !read_groups(r, extension, &groups, &group_count, &members) ||
        !list_of(r, extension, "springs", &item)) {
        return false;
    }
    for (; item; item = item->next) {
        lmb_spring_joint common = {.tail = LMB_NONE};
        if (!read_center(r, item, &common.center) ||
            !gather(r, item, groups, group_count, members, &common) ||
            !read_spring(r, item, common)) {
            return false;
        }
    }
    return true;
}

// ---------------------------------------------------------------------------------------- VRM 0.x

/// A group is a joint with its spheres; their offsets are left-handed, as Unity has them.
static bool read_spheres(reader *r, const lmbi_json *secondary, range **groups, uint32_t *count)
{
    const lmbi_json *group, *item;
    if (!list_of(r, secondary, "colliderGroups", &group)) {
        return false;
    }
    *count = count_of(group);
    *groups = lmbi_arena_array(&r->arena, *count, sizeof **groups);
    if (*count && !*groups) {
        return fail_memory(r);
    }
    for (uint32_t k = 0; group; group = group->next, ++k) {
        lmb_spring_collider c = {.shape = LMB_SPRING_SPHERE};
        (*groups)[k].first = (uint32_t)r->collider_count;
        if (!list_of(r, group, "colliders", &item) ||
            (item && !node_joint(r, lmbi_json_find(group, "node"), group, &c.joint))) {
            return false;
        }
        for (; item; item = item->next) {
            c.offset = lmb_vec3_make(0, 0, 0);
            c.radius = 0;
            if (!read_vec3(r, item, "offset", &c.offset) ||
                !read_size(r, item, "radius", &c.radius)) {
                return false;
            }
            c.offset.z = -c.offset.z;
            if (!add_collider(r, c)) {
                return false;
            }
        }
        (*groups)[k].count = (uint32_t)r->collider_count - (*groups)[k].first;
    }
    return true;
}

/// A root and everything below it; a joint without children has a tail of 7 cm on in the direction
/// from its parent.
static bool add_tree(reader *r, uint32_t root, lmb_spring_joint spring)
{
    const lmb_skeleton *skeleton = r->skeleton;
    for (uint32_t j = root; j < skeleton->joint_count; ++j) {
        if (j != root && !is_below(skeleton, j, root)) {
            continue;
        }
        spring.joint = j;
        spring.tail = LMB_NONE;
        for (uint32_t k = j + 1; k < skeleton->joint_count && spring.tail == LMB_NONE; ++k) {
            spring.tail = skeleton->parents[k] == (int32_t)j ? (int32_t)k : LMB_NONE;
        }
        spring.tail_offset = lmb_vec3_scale(
            lmb_vec3_normalize_or(skeleton->rest[j].translation, lmb_vec3_make(0, 0, 0)), 0.07f);
        if (!add_joint(r, &spring)) {
            return false;
        }
    }
    return true;
}

static bool read_vrm0(reader *r, const lmbi_json *secondary)
{
    range *groups;
    uint32_t group_count;
    const lmbi_json *item, *root;
    if (!read_spheres(r, secondary, &groups, &group_count) ||
        !list_of(r, secondary, "boneGroups", &item)) {
        return false;
    }
    uint32_t *all = lmbi_arena_array(&r->arena, r->collider_count, sizeof *all);
    if (r->collider_count && !all) {
        return fail_memory(r);
    }
    for (uint32_t k = 0; k < r->collider_count; ++k) {
        all[k] = k;
    }
    for (; item; item = item->next) {
        lmb_spring_joint common = {.tail = LMB_NONE};
        if (!read_numbers(r, item, "stiffiness", &common) || // spelt so by the format
            !read_center(r, item, &common.center) ||
            !gather(r, item, groups, group_count, all, &common) ||
            !list_of(r, item, "bones", &root)) {
            return false;
        }
        for (; root; root = root->next) {
            uint32_t joint;
            if (!node_joint(r, root, item, &joint)) {
                return false;
            }
            if (!r->taken[joint] && !add_tree(r, joint, common)) {
                return false;
            }
        }
    }
    return true;
}

// ------------------------------------------------------------------------------------------ doors

/// Files count nodes in their own order.
static bool map_nodes(reader *r)
{
    const lmb_skeleton *s = r->skeleton;
    uint32_t most = s->joint_count;
    for (uint32_t j = 0; s->source_index && j < s->joint_count; ++j) {
        // A character that was edited may have kept any numbers: those beyond sense are no nodes.
        if (s->source_index[j] >= most && s->source_index[j] < 1u << 20) {
            most = s->source_index[j] + 1;
        }
    }
    r->node_count = most;
    r->joint_of_node = lmbi_arena_array(&r->arena, most, sizeof *r->joint_of_node);
    r->taken = lmbi_arena_array(&r->arena, s->joint_count, 1);
    if (!r->joint_of_node || !r->taken) {
        return fail_memory(r);
    }
    for (uint32_t n = 0; n < most; ++n) {
        r->joint_of_node[n] = s->source_index ? -1 : (int32_t)n;
    }
    for (uint32_t j = s->source_index ? s->joint_count : 0; j-- > 0;) {
        if (s->source_index[j] < most) {
            r->joint_of_node[s->source_index[j]] = (int32_t)j;
        }
    }
    return true;
}

static bool read_carried(reader *r, const char *text)
{
    lmbi_json *root;
    r->result = lmbi_json_read(&r->arena, text, strlen(text), &root, r->error);
    if (r->result != LMB_OK || !map_nodes(r)) {
        return false;
    }
    const lmbi_json *extensions = lmbi_json_find(root, "extensions");
    const lmbi_json *vrm1 = lmbi_json_find(extensions, "VRMC_springBone");
    if (vrm1) {
        return read_vrm1(r, vrm1);
    }
    const lmbi_json *vrm0 = lmbi_json_find(lmbi_json_find(extensions, "VRM"), "secondaryAnimation");
    return !vrm0 || read_vrm0(r, vrm0);
}

lmb_result lmb_spring_set_read(const lmb_character *character, const lmb_allocator *alloc,
                               lmb_spring_set **out, lmb_error *error)
{
    assert(character && out);
    reader r = {.skeleton = character->skeleton, .alloc = alloc, .error = error};
    const char *text = character->look ? character->look->carried : NULL;
    lmbi_arena_init(&r.arena, alloc);
    if (!text || character->skeleton->joint_count == 0 || read_carried(&r, text)) {
        const lmb_spring_set def = {.joint_count = (uint32_t)r.joint_count,
                                    .collider_count = (uint32_t)r.collider_count,
                                    .reference_count = (uint32_t)r.reference_count,
                                    .joints = r.joints,
                                    .colliders = r.colliders,
                                    .references = r.references};
        r.result = lmb_spring_set_create(&def, character->skeleton, alloc, out, error);
    }
    lmbi_free(alloc, r.joints);
    lmbi_free(alloc, r.colliders);
    lmbi_free(alloc, r.references);
    lmbi_arena_free(&r.arena);
    return r.result;
}
