/// Reader of spring fields in VRM files, and its growing lists.
#include <math.h>

#include "base/alloc.h"
#include "base/error.h"
#include "physics/spring_reader.h"

bool lmbi_springs_fail(lmbi_spring_reader *r, const lmbi_json *at, const char *expected)
{
    char path[120];
    lmbi_json_path(at, path, sizeof path);
    r->result = lmbi_fail(r->error, LMB_ERROR_MALFORMED, expected, "%.*s at %s",
                          (int)(at->size < 30 ? at->size : 30), at->at, path);
    return false;
}

bool lmbi_springs_fail_memory(lmbi_spring_reader *r)
{
    r->result = lmbi_fail_memory(r->error);
    return false;
}

/// Leaves *out unchanged if there is no such member.
static bool read_float(lmbi_spring_reader *r, const lmbi_json *object, const char *key, float *out)
{
    const lmbi_json *value = lmbi_json_find(object, key);
    double x;
    if (!value) {
        return true;
    }
    if (!lmbi_json_number(value, &x) || !(fabs(x) < 1e30)) {
        return lmbi_springs_fail(r, value, "a number");
    }
    *out = (float)x;
    return true;
}

bool lmbi_springs_size(lmbi_spring_reader *r, const lmbi_json *object, const char *key, float *out)
{
    if (!read_float(r, object, key, out)) {
        return false;
    }
    *out = fmaxf(*out, 0);
    return true;
}

bool lmbi_springs_vec3(lmbi_spring_reader *r, const lmbi_json *object, const char *key,
                       lmb_vec3 *out)
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
            return lmbi_springs_fail(r, item, "a number");
        }
        *into[k] = (float)x;
    }
    return (k == 3 && !item) || lmbi_springs_fail(r, value, "three numbers");
}

bool lmbi_springs_bool(const lmbi_json *object, const char *key)
{
    const lmbi_json *value = lmbi_json_find(object, key);
    return value && value->type == LMBI_JSON_TRUE;
}

bool lmbi_springs_node(lmbi_spring_reader *r, const lmbi_json *value, const lmbi_json *owner,
                       uint32_t *out)
{
    uint32_t node;
    if (!value) {
        return lmbi_springs_fail(r, owner, "a node");
    }
    if (!lmbi_json_u32(value, &node) || node >= r->node_count || r->joint_of_node[node] < 0) {
        return lmbi_springs_fail(r, value, "the index of a node");
    }
    *out = (uint32_t)r->joint_of_node[node];
    return true;
}

bool lmbi_springs_center(lmbi_spring_reader *r, const lmbi_json *spring, int32_t *out)
{
    const lmbi_json *value = lmbi_json_find(spring, "center");
    double x = 0;
    uint32_t joint;
    *out = LMB_NONE;
    if (!value || value->type == LMBI_JSON_NULL || (lmbi_json_number(value, &x) && x < 0)) {
        return true;
    }
    if (!lmbi_springs_node(r, value, spring, &joint)) {
        return false;
    }
    *out = (int32_t)joint;
    return true;
}

bool lmbi_springs_list(lmbi_spring_reader *r, const lmbi_json *object, const char *key,
                       const lmbi_json **first)
{
    const lmbi_json *value = lmbi_json_find(object, key);
    *first = NULL;
    if (!value) {
        return true;
    }
    if (value->type != LMBI_JSON_ARRAY) {
        return lmbi_springs_fail(r, value, "an array");
    }
    *first = value->child;
    return true;
}

uint32_t lmbi_springs_count(const lmbi_json *item)
{
    return item ? item->parent->count : 0;
}

bool lmbi_springs_add_collider(lmbi_spring_reader *r, lmb_spring_collider collider)
{
    if (!lmbi_grow(r->alloc, (void **)&r->colliders, &r->collider_room, r->collider_count + 1,
                   sizeof *r->colliders)) {
        return lmbi_springs_fail_memory(r);
    }
    r->colliders[r->collider_count++] = collider;
    return true;
}

static bool add_reference(lmbi_spring_reader *r, uint32_t collider)
{
    if (r->reference_count >= UINT32_MAX ||
        !lmbi_grow(r->alloc, (void **)&r->references, &r->reference_room, r->reference_count + 1,
                   sizeof *r->references)) {
        return lmbi_springs_fail_memory(r);
    }
    r->references[r->reference_count++] = collider;
    return true;
}

bool lmbi_springs_add_joint(lmbi_spring_reader *r, const lmb_spring_joint *spring)
{
    if (r->taken[spring->joint]) {
        return true;
    }
    r->taken[spring->joint] = 1;
    if (!lmbi_grow(r->alloc, (void **)&r->joints, &r->joint_room, r->joint_count + 1,
                   sizeof *r->joints)) {
        return lmbi_springs_fail_memory(r);
    }
    r->joints[r->joint_count++] = *spring;
    return true;
}

bool lmbi_springs_gather(lmbi_spring_reader *r, const lmbi_json *spring,
                         const lmbi_spring_range *groups, uint32_t group_count,
                         const uint32_t *members, lmb_spring_joint *out)
{
    const lmbi_json *item;
    out->first_reference = (uint32_t)r->reference_count;
    if (!lmbi_springs_list(r, spring, "colliderGroups", &item)) {
        return false;
    }
    for (; item; item = item->next) {
        uint32_t g;
        if (!lmbi_json_u32(item, &g) || g >= group_count) {
            return lmbi_springs_fail(r, item, "the index of a collider group");
        }
        // Far above any character; keeps a file of repeated groups from exhausting memory.
        if (r->reference_count + groups[g].count > 1000000) {
            return lmbi_springs_fail(r, item,
                                     "at most a million colliders in all springs together");
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

bool lmbi_springs_numbers(lmbi_spring_reader *r, const lmbi_json *from, const char *stiffness,
                          lmb_spring_joint *out)
{
    out->stiffness = 1.0f;
    out->drag = 0.5f;
    out->gravity = lmb_vec3_make(0, -1, 0);
    out->gravity_power = 0;
    out->hit_radius = 0;
    const bool fine = lmbi_springs_size(r, from, stiffness, &out->stiffness) &&
                      lmbi_springs_size(r, from, "dragForce", &out->drag) &&
                      read_float(r, from, "gravityPower", &out->gravity_power) &&
                      lmbi_springs_vec3(r, from, "gravityDir", &out->gravity) &&
                      lmbi_springs_size(r, from, "hitRadius", &out->hit_radius);
    out->drag = fminf(out->drag, 1);
    return fine;
}

bool lmbi_springs_is_below(const lmb_skeleton *skeleton, uint32_t joint, uint32_t above)
{
    int32_t j = skeleton->parents[joint];
    while (j > (int32_t)above) {
        j = skeleton->parents[j];
    }
    return j == (int32_t)above;
}
