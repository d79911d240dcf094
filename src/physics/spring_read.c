/// Reader of VRM springs, from the JSON of the file's extensions that the character carries.
#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "physics/spring_reader.h"

static const lmbi_json *extended_shape(const lmbi_json *collider)
{
    return lmbi_json_find(
        lmbi_json_find(lmbi_json_find(collider, "extensions"), "VRMC_springBone_extended_collider"),
        "shape");
}

static bool read_shape(lmbi_spring_reader *r, const lmbi_json *item, lmb_spring_collider *c)
{
    static const char *const names[] = {"sphere", "capsule", "plane"};
    const lmbi_json *extended = extended_shape(item);
    const lmbi_json *shape = extended ? extended : lmbi_json_find(item, "shape"), *one = NULL;
    for (int k = 0; k < (extended ? 3 : 2) && !one; ++k) {
        one = lmbi_json_find(shape, names[k]);
        c->shape = (lmb_spring_shape)k;
    }
    if (!one) {
        return lmbi_springs_fail(r, item, "a sphere, a capsule or a plane");
    }
    c->inside = extended && c->shape != LMB_SPRING_PLANE && lmbi_springs_bool(one, "inside");
    c->normal = lmb_vec3_make(0, 0, 1);
    return lmbi_springs_vec3(r, one, "offset", &c->offset) &&
           lmbi_springs_vec3(r, one, "tail", &c->tail) &&
           lmbi_springs_vec3(r, one, "normal", &c->normal) &&
           lmbi_springs_size(r, one, "radius", &c->radius);
}

static bool read_colliders(lmbi_spring_reader *r, const lmbi_json *extension)
{
    const lmbi_json *item;
    if (!lmbi_springs_list(r, extension, "colliders", &item)) {
        return false;
    }
    for (; item; item = item->next) {
        lmb_spring_collider c = {0};
        if (!lmbi_springs_node(r, lmbi_json_find(item, "node"), item, &c.joint) ||
            !read_shape(r, item, &c) || !lmbi_springs_add_collider(r, c)) {
            return false;
        }
    }
    return true;
}

/// Collider groups as ranges of `members`, both in the arena.
static bool read_groups(lmbi_spring_reader *r, const lmbi_json *extension,
                        lmbi_spring_range **groups, uint32_t *count, uint32_t **members)
{
    const lmbi_json *first, *list;
    size_t total = 0;
    if (!lmbi_springs_list(r, extension, "colliderGroups", &first)) {
        return false;
    }
    *count = lmbi_springs_count(first);
    for (const lmbi_json *g = first; g; g = g->next) {
        if (!lmbi_springs_list(r, g, "colliders", &list)) {
            return false;
        }
        total += lmbi_springs_count(list);
    }
    *groups = lmbi_arena_array(&r->arena, *count, sizeof **groups);
    *members = lmbi_arena_array(&r->arena, total, sizeof **members);
    if ((*count && !*groups) || (total && !*members)) {
        return lmbi_springs_fail_memory(r);
    }
    uint32_t at = 0, k = 0;
    for (const lmbi_json *g = first; g; g = g->next, ++k) {
        lmbi_springs_list(r, g, "colliders", &list);
        (*groups)[k] = (lmbi_spring_range){at, lmbi_springs_count(list)};
        for (; list; list = list->next, ++at) {
            if (!lmbi_json_u32(list, &(*members)[at]) || (*members)[at] >= r->collider_count) {
                return lmbi_springs_fail(r, list, "the index of a collider");
            }
        }
    }
    return true;
}

/// Each joint is the tail of the one before; the last is a tail only.
static bool read_spring(lmbi_spring_reader *r, const lmbi_json *item, lmb_spring_joint common)
{
    const lmbi_json *joint;
    lmb_spring_joint before = common;
    if (!lmbi_springs_list(r, item, "joints", &joint)) {
        return false;
    }
    for (bool first = true; joint; joint = joint->next, first = false) {
        lmb_spring_joint spring = common;
        if (!lmbi_springs_node(r, lmbi_json_find(joint, "node"), joint, &spring.joint) ||
            !lmbi_springs_numbers(r, joint, "stiffness", &spring)) {
            return false;
        }
        if (!first) {
            if (!lmbi_springs_is_below(r->skeleton, spring.joint, before.joint)) {
                return lmbi_springs_fail(r, joint, "a node below that of the joint before");
            }
            before.tail = (int32_t)spring.joint;
            if (!lmbi_springs_add_joint(r, &before)) {
                return false;
            }
        }
        before = spring;
    }
    return true;
}

static bool read_vrm1(lmbi_spring_reader *r, const lmbi_json *extension)
{
    lmbi_spring_range *groups;
    uint32_t group_count, *members;
    const lmbi_json *item;
    if (!read_colliders(r, extension) ||
        !read_groups(r, extension, &groups, &group_count, &members) ||
        !lmbi_springs_list(r, extension, "springs", &item)) {
        return false;
    }
    for (; item; item = item->next) {
        lmb_spring_joint common = {.tail = LMB_NONE};
        if (!lmbi_springs_center(r, item, &common.center) ||
            !lmbi_springs_gather(r, item, groups, group_count, members, &common) ||
            !read_spring(r, item, common)) {
            return false;
        }
    }
    return true;
}

// ------------------------------------------------------------------------------------------ entry

/// Maps the file's node indices to joints.
static bool map_nodes(lmbi_spring_reader *r)
{
    const lmb_skeleton *s = r->skeleton;
    uint32_t most = s->joint_count;
    for (uint32_t j = 0; s->source_index && j < s->joint_count; ++j) {
        // Editing may have left arbitrary node indices: ignore those out of any sensible range.
        if (s->source_index[j] >= most && s->source_index[j] < 1u << 20) {
            most = s->source_index[j] + 1;
        }
    }
    r->node_count = most;
    r->joint_of_node = lmbi_arena_array(&r->arena, most, sizeof *r->joint_of_node);
    r->taken = lmbi_arena_array(&r->arena, s->joint_count, 1);
    if (!r->joint_of_node || !r->taken) {
        return lmbi_springs_fail_memory(r);
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

static bool read_carried(lmbi_spring_reader *r, const char *text)
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
    return !vrm0 || lmbi_springs_read_vrm0(r, vrm0);
}

lmb_result lmb_spring_set_read(const lmb_character *character, const lmb_allocator *alloc,
                               lmb_spring_set **out, lmb_error *error)
{
    assert(character && out);
    lmbi_spring_reader r = {.skeleton = character->skeleton, .alloc = alloc, .error = error};
    const char *text = character->appearance ? character->appearance->carried : NULL;
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
