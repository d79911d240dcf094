/// Spring sets: validation, copy, and chains added by joint.
#include <assert.h>
#include <math.h>
#include <string.h>

#include "asset/tree.h"
#include "base/alloc.h"
#include "base/block.h"
#include "base/error.h"
#include "limber/physics.h"

static bool is_finite_nonnegative(float x)
{
    return isfinite(x) && x >= 0;
}

static const char *check_joint(const lmb_spring_set *def, const lmb_skeleton *skeleton,
                               const lmb_spring_joint *s)
{
    const int64_t n = skeleton->joint_count;
    if (s->joint >= n || s->tail < LMB_NONE || s->tail >= n || s->center < LMB_NONE ||
        s->center >= n) {
        return "joints of the skeleton";
    }
    if (s->tail != LMB_NONE && !lmbi_is_under(skeleton, s->tail, (int32_t)s->joint)) {
        return "a tail below its joint";
    }
    if (!lmb_vec3_is_finite(s->tail_offset) || !lmb_vec3_is_finite(s->gravity) ||
        !isfinite(s->gravity_power)) {
        return "finite numbers";
    }
    if (!is_finite_nonnegative(s->stiffness) || !is_finite_nonnegative(s->hit_radius) ||
        !is_finite_nonnegative(s->drag) || s->drag > 1) {
        return "stiffness and radius of 0 or more, drag of 0 to 1";
    }
    if (s->first_reference > def->reference_count ||
        s->reference_count > def->reference_count - s->first_reference) {
        return "references of the set";
    }
    return NULL;
}

static const char *check_collider(const lmb_skeleton *skeleton, const lmb_spring_collider *c)
{
    if (c->joint >= skeleton->joint_count || (unsigned)c->shape > LMB_SPRING_PLANE) {
        return "a joint of the skeleton and a shape";
    }
    if (!lmb_vec3_is_finite(c->offset) || !lmb_vec3_is_finite(c->tail) ||
        !lmb_vec3_is_finite(c->normal) || !is_finite_nonnegative(c->radius)) {
        return "finite numbers and a radius of 0 or more";
    }
    return NULL;
}

static lmb_result check(const lmb_spring_set *def, const lmb_skeleton *skeleton, uint8_t *seen,
                        lmb_error *error)
{
    for (uint32_t i = 0; i < def->joint_count; ++i) {
        const char *fault = check_joint(def, skeleton, &def->joints[i]);
        if (!fault && seen[def->joints[i].joint]) {
            fault = "every joint once";
        }
        if (fault) {
            const lmb_spring_joint *s = &def->joints[i];
            return lmbi_fail(error, LMB_ERROR_INVALID, fault,
                             "spring %u of joint %u, tail %d, stiffness %g, drag %g, radius %g",
                             (unsigned)i, (unsigned)s->joint, (int)s->tail, (double)s->stiffness,
                             (double)s->drag, (double)s->hit_radius);
        }
        seen[def->joints[i].joint] = 1;
    }
    for (uint32_t i = 0; i < def->collider_count; ++i) {
        const char *fault = check_collider(skeleton, &def->colliders[i]);
        if (fault) {
            const lmb_spring_collider *c = &def->colliders[i];
            return lmbi_fail(error, LMB_ERROR_INVALID, fault,
                             "collider %u of joint %u, shape %d, radius %g", (unsigned)i,
                             (unsigned)c->joint, (int)c->shape, (double)c->radius);
        }
    }
    for (uint32_t i = 0; i < def->reference_count; ++i) {
        if (def->references[i] >= def->collider_count) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "a collider of the set",
                             "reference %u to collider %u of %u", (unsigned)i,
                             (unsigned)def->references[i], (unsigned)def->collider_count);
        }
    }
    return LMB_OK;
}

static void *copy_set(lmbi_block *block, const void *from)
{
    const lmb_spring_set *def = from;
    lmb_spring_set *set = lmbi_block_array(block, def, 1, sizeof *def);
    lmb_spring_set copy = *def;
    copy.joints = lmbi_block_array(block, def->joints, def->joint_count, sizeof *def->joints);
    copy.colliders =
        lmbi_block_array(block, def->colliders, def->collider_count, sizeof *def->colliders);
    copy.references =
        lmbi_block_array(block, def->references, def->reference_count, sizeof *def->references);
    if (set) {
        *set = copy;
    }
    return set;
}

lmb_result lmb_spring_set_create(const lmb_spring_set *def, const lmb_skeleton *skeleton,
                                 const lmb_allocator *alloc, lmb_spring_set **out, lmb_error *error)
{
    assert(def && skeleton && out);
    uint8_t *seen = lmbi_alloc_array(alloc, skeleton->joint_count, 1);
    if (!seen) {
        return lmbi_fail_memory(error);
    }
    const lmb_result result = check(def, skeleton, seen, error);
    lmbi_free(alloc, seen);
    if (result != LMB_OK) {
        return result;
    }
    lmb_spring_set *set = lmbi_block_build(copy_set, def, alloc);
    if (!set) {
        return lmbi_fail_memory(error);
    }
    set->allocator = alloc ? *alloc : (lmb_allocator){0};
    *out = set;
    return LMB_OK;
}

void lmb_spring_set_destroy(lmb_spring_set *set)
{
    if (set) {
        lmbi_free_own(&set->allocator, set);
    }
}

// ----------------------------------------------------------------------------------------- chains

lmb_spring_joint lmb_spring_soft(void)
{
    return (lmb_spring_joint){.tail = LMB_NONE,
                              .center = LMB_NONE,
                              .stiffness = 1.0f,
                              .drag = 0.4f,
                              .gravity = {0, -1, 0},
                              .gravity_power = 0.1f,
                              .follows_pose = true};
}

/// Tail of a leaf joint.
static lmb_vec3 leaf_tail(const lmb_skeleton *skeleton, uint32_t joint)
{
    if (skeleton->tips && lmb_vec3_length(skeleton->tips[joint]) > 0) {
        return skeleton->tips[joint];
    }
    const lmb_vec3 offset = skeleton->rest[joint].translation;
    const float length = lmb_vec3_length(offset);
    return length > 0.07f ? lmb_vec3_scale(offset, 0.07f / length) : offset;
}

static int32_t first_child(const lmb_skeleton *skeleton, uint32_t joint)
{
    for (uint32_t j = joint + 1; j < skeleton->joint_count; ++j) {
        if (skeleton->parents[j] == (int32_t)joint) {
            return (int32_t)j;
        }
    }
    return LMB_NONE;
}

/// taken: [joint_count] joints that the set already has.
static void add_subtree(lmb_spring_set *def, const lmb_skeleton *skeleton, uint32_t root,
                        const lmb_spring_joint *like, const uint8_t *taken)
{
    for (uint32_t j = root; j < skeleton->joint_count; ++j) {
        if (taken[j] || !lmbi_is_under(skeleton, (int32_t)j, (int32_t)root)) {
            continue;
        }
        lmb_spring_joint spring = *like;
        spring.joint = j;
        spring.tail = first_child(skeleton, j);
        spring.tail_offset =
            spring.tail == LMB_NONE ? leaf_tail(skeleton, j) : lmb_vec3_make(0, 0, 0);
        def->joints[def->joint_count++] = spring;
    }
}

lmb_result lmb_spring_set_add_chain(const lmb_spring_set *set, const lmb_skeleton *skeleton,
                                    uint32_t joint, const lmb_spring_joint *like,
                                    const lmb_allocator *alloc, lmb_spring_set **out,
                                    lmb_error *error)
{
    assert(skeleton && like && out && joint < skeleton->joint_count);
    lmb_spring_set def = set ? *set : (lmb_spring_set){0};
    uint8_t *taken = lmbi_alloc_array(alloc, skeleton->joint_count, 1);
    def.joints = lmbi_alloc_array(alloc, (size_t)def.joint_count + skeleton->joint_count,
                                  sizeof *def.joints);
    lmb_result result;
    if (taken && def.joints) {
        for (uint32_t i = 0; i < def.joint_count; ++i) {
            def.joints[i] = set->joints[i];
            taken[set->joints[i].joint] = 1;
        }
        add_subtree(&def, skeleton, joint, like, taken);
        result = lmb_spring_set_create(&def, skeleton, alloc, out, error);
    } else {
        result = lmbi_fail_memory(error);
    }
    lmbi_free(alloc, taken);
    lmbi_free(alloc, def.joints);
    return result;
}
