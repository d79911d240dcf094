/// Creation of the spring simulation: anchors, and the update order by dependency.
#include <assert.h>

#include "base/alloc.h"
#include "base/block.h"
#include "base/error.h"
#include "physics/springs_machine.h"

/// Flags per joint.
enum { HAS_SPRING = 1, BELOW = 2, NEEDED = 4, PLACED = 8 };

/// Tail in the joint's frame, at rest.
static lmb_vec3 rest_tail(const lmb_skeleton *skeleton, const lmb_spring_joint *spring)
{
    if (spring->tail == LMB_NONE) {
        return spring->tail_offset;
    }
    lmb_vec3 p = {0, 0, 0};
    for (uint32_t j = (uint32_t)spring->tail; j != spring->joint;
         j = (uint32_t)skeleton->parents[j]) {
        p = lmb_transform_point(skeleton->rest[j], p);
    }
    return p;
}

static void add_bones(lmb_springs *s, uint8_t *marks, int32_t *bone_of)
{
    for (uint32_t i = 0; i < s->set->joint_count; ++i) {
        const lmb_spring_joint *spring = &s->set->joints[i];
        lmbi_spring_bone *b = &s->bones[s->bone_count];
        *b = (lmbi_spring_bone){.spring = spring, .tail = rest_tail(s->skeleton, spring)};
        b->axis = lmb_vec3_normalize_or(b->tail, lmb_vec3_make(0, 0, 0));
        if (lmb_vec3_length(b->tail) > 1e-6f) {
            marks[spring->joint] |= HAS_SPRING | NEEDED;
            bone_of[spring->joint] = (int32_t)s->bone_count++;
        }
    }
}

static void mark_needed_joints(lmb_springs *s, uint8_t *marks)
{
    for (uint32_t i = 0; i < s->bone_count; ++i) {
        const lmb_spring_joint *spring = s->bones[i].spring;
        for (uint32_t r = 0; r < spring->reference_count; ++r) {
            marks[s->set->colliders[s->set->references[spring->first_reference + r]].joint] |=
                NEEDED;
        }
        if (spring->center != LMB_NONE) {
            marks[spring->center] |= NEEDED;
        }
    }
    const int32_t *parents = s->skeleton->parents;
    for (uint32_t j = 0; j < s->skeleton->joint_count; ++j) {
        if ((marks[j] & HAS_SPRING) || (parents[j] != LMB_NONE && (marks[parents[j]] & BELOW))) {
            marks[j] |= BELOW;
            s->affected[s->affected_count++] = j;
        }
    }
    for (uint32_t j = s->skeleton->joint_count; j-- > 0;) {
        if ((marks[j] & NEEDED) && (marks[j] & BELOW) && parents[j] != LMB_NONE) {
            marks[parents[j]] |= NEEDED;
        }
    }
}

static bool waits_for(const uint8_t *marks, int32_t joint, uint32_t self)
{
    return joint != LMB_NONE && (uint32_t)joint != self && (marks[joint] & BELOW) &&
           !(marks[joint] & PLACED);
}

static bool is_ready(const lmb_springs *s, const uint8_t *marks, uint32_t j, int32_t b)
{
    if (waits_for(marks, s->skeleton->parents[j], j)) {
        return false;
    }
    const lmb_spring_joint *spring = b < 0 ? NULL : s->bones[b].spring;
    for (uint32_t r = 0; spring && r < spring->reference_count; ++r) {
        const uint32_t c = s->set->references[spring->first_reference + r];
        if (waits_for(marks, (int32_t)s->set->colliders[c].joint, j)) {
            return false;
        }
    }
    return !spring || !waits_for(marks, spring->center, j);
}

static bool place_movers(lmb_springs *s, uint8_t *marks, const int32_t *bone_of, bool all)
{
    const uint32_t before = s->mover_count;
    for (uint32_t i = 0; i < s->affected_count; ++i) {
        const uint32_t j = s->affected[i];
        if ((marks[j] & NEEDED) && !(marks[j] & PLACED) &&
            (all || is_ready(s, marks, j, bone_of[j]))) {
            marks[j] |= PLACED;
            s->movers[s->mover_count++] = (lmbi_mover){j, bone_of[j]};
        }
    }
    return s->mover_count > before;
}

/// Orders parents before children, and swinging colliders and centres before the springs that use
/// them. What is left after a few passes has cyclic dependencies, and uses colliders from the last
/// sub-step.
static void order_movers(lmb_springs *s, uint8_t *marks, const int32_t *bone_of)
{
    enum { PASSES = 16 };
    for (int k = 0; k < PASSES && place_movers(s, marks, bone_of, false); ++k) {
    }
    place_movers(s, marks, bone_of, true);
}

/// A machine and its arrays in one block.
static void *lay_out(lmbi_block *block, const void *def)
{
    const lmb_springs *from = def;
    const size_t n = from->skeleton->joint_count;
    lmb_springs *made = lmbi_block_array(block, from, 1, sizeof *from), measured;
    lmb_springs *s = made ? made : &measured;
    s->bones = lmbi_block_zeros(block, from->set->joint_count, sizeof *s->bones);
    s->movers = lmbi_block_zeros(block, n, sizeof *s->movers);
    s->anchors = lmbi_block_zeros(block, n, sizeof *s->anchors);
    s->anchors_before = lmbi_block_zeros(block, n, sizeof *s->anchors_before);
    s->affected = lmbi_block_zeros(block, n, sizeof *s->affected);
    s->world = lmbi_block_zeros(block, n, sizeof *s->world);
    return made;
}

static void plan_updates(lmb_springs *s, uint8_t *marks, int32_t *bone_of)
{
    const uint32_t n = s->skeleton->joint_count;
    for (uint32_t j = 0; j < n; ++j) {
        bone_of[j] = -1;
        s->world[j] = lmb_mat4_identity();
    }
    add_bones(s, marks, bone_of);
    mark_needed_joints(s, marks);
    order_movers(s, marks, bone_of);
    for (uint32_t j = 0; j < n; ++j) {
        if ((marks[j] & (NEEDED | BELOW)) == NEEDED) {
            s->anchors[s->anchor_count++] = j;
        }
    }
}

lmb_result lmb_springs_create(const lmb_spring_set *set, const lmb_skeleton *skeleton,
                              const lmb_allocator *alloc, lmb_springs **out, lmb_error *error)
{
    assert(set && skeleton && out);
    const lmb_springs def = {
        .set = set, .skeleton = skeleton, .allocator = alloc ? *alloc : (lmb_allocator){0}};
    lmb_springs *s = lmbi_block_build(lay_out, &def, alloc);
    uint8_t *marks = lmbi_alloc_array(alloc, skeleton->joint_count, 1);
    int32_t *bone_of = lmbi_alloc_array(alloc, skeleton->joint_count, sizeof *bone_of);
    const bool fine = s && marks && bone_of;
    if (fine) {
        plan_updates(s, marks, bone_of);
        *out = s;
    } else {
        lmb_springs_destroy(s);
    }
    lmbi_free(alloc, marks);
    lmbi_free(alloc, bone_of);
    return fine ? LMB_OK : lmbi_fail_memory(error);
}

void lmb_springs_destroy(lmb_springs *s)
{
    if (s) {
        lmbi_free_own(&s->allocator, s);
    }
}
