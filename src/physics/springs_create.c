/// Making springs: what carries them, and who waits for whom.
#include <assert.h>

#include "base/alloc.h"
#include "base/error.h"
#include "physics/springs_machine.h"

/// What create needs to know of each joint.
enum { AT_SPRING = 1, BELOW = 2, NEEDED = 4, PLACED = 8 };

/// The tail in the joint's frame, at rest.
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

static void add_bobs(lmb_springs *s, uint8_t *marks, int32_t *bob_of)
{
    for (uint32_t i = 0; i < s->set->joint_count; ++i) {
        const lmb_spring_joint *spring = &s->set->joints[i];
        lmbi_bob *b = &s->bobs[s->bob_count];
        *b = (lmbi_bob){.spring = spring, .tail = rest_tail(s->skeleton, spring)};
        b->axis = lmb_vec3_normalize_or(b->tail, lmb_vec3_make(0, 0, 0));
        if (lmb_vec3_length(b->tail) > 1e-6f) {
            marks[spring->joint] |= AT_SPRING | NEEDED;
            bob_of[spring->joint] = (int32_t)s->bob_count++;
        }
    }
}

static void mark_needed(lmb_springs *s, uint8_t *marks)
{
    for (uint32_t i = 0; i < s->bob_count; ++i) {
        const lmb_spring_joint *spring = s->bobs[i].spring;
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
        if ((marks[j] & AT_SPRING) || (parents[j] != LMB_NONE && (marks[parents[j]] & BELOW))) {
            marks[j] |= BELOW;
            s->below[s->below_count++] = j;
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
    const lmb_spring_joint *spring = b < 0 ? NULL : s->bobs[b].spring;
    for (uint32_t r = 0; spring && r < spring->reference_count; ++r) {
        const uint32_t c = s->set->references[spring->first_reference + r];
        if (waits_for(marks, (int32_t)s->set->colliders[c].joint, j)) {
            return false;
        }
    }
    return !spring || !waits_for(marks, spring->center, j);
}

static bool place(lmb_springs *s, uint8_t *marks, const int32_t *bob_of, bool all)
{
    const uint32_t before = s->mover_count;
    for (uint32_t i = 0; i < s->below_count; ++i) {
        const uint32_t j = s->below[i];
        if ((marks[j] & NEEDED) && !(marks[j] & PLACED) &&
            (all || is_ready(s, marks, j, bob_of[j]))) {
            marks[j] |= PLACED;
            s->movers[s->mover_count++] = (lmbi_mover){j, bob_of[j]};
        }
    }
    return s->mover_count > before;
}

/// Parents before children, and a collider or centre that swings before what meets it. What is left
/// after a few passes depends on itself: it takes the colliders where the last sub-step left them.
static void order_movers(lmb_springs *s, uint8_t *marks, const int32_t *bob_of)
{
    enum { PASSES = 16 };
    for (int k = 0; k < PASSES && place(s, marks, bob_of, false); ++k) {
    }
    place(s, marks, bob_of, true);
}

static bool allocate(lmb_springs *s, const lmb_allocator *alloc)
{
    const size_t n = s->skeleton->joint_count;
    s->bobs = lmbi_alloc_array(alloc, s->set->joint_count, sizeof *s->bobs);
    s->movers = lmbi_alloc_array(alloc, n, sizeof *s->movers);
    s->anchors = lmbi_alloc_array(alloc, n, sizeof *s->anchors);
    s->were = lmbi_alloc_array(alloc, n, sizeof *s->were);
    s->below = lmbi_alloc_array(alloc, n, sizeof *s->below);
    s->world = lmbi_alloc_array(alloc, n, sizeof *s->world);
    return s->bobs && s->movers && s->anchors && s->were && s->below && s->world;
}

static void plan(lmb_springs *s, uint8_t *marks, int32_t *bob_of)
{
    const uint32_t n = s->skeleton->joint_count;
    for (uint32_t j = 0; j < n; ++j) {
        bob_of[j] = -1;
        s->world[j] = lmb_mat4_identity();
    }
    add_bobs(s, marks, bob_of);
    mark_needed(s, marks);
    order_movers(s, marks, bob_of);
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
    lmb_springs *s = lmbi_alloc(alloc, sizeof *s);
    uint8_t *marks = lmbi_alloc_array(alloc, skeleton->joint_count, 1);
    int32_t *bob_of = lmbi_alloc_array(alloc, skeleton->joint_count, sizeof *bob_of);
    bool fine = s && marks && bob_of;
    if (s) {
        s->set = set;
        s->skeleton = skeleton;
        s->allocator = alloc ? *alloc : (lmb_allocator){0};
        fine = allocate(s, alloc) && fine;
    }
    if (fine) {
        plan(s, marks, bob_of);
        *out = s;
    } else {
        lmb_springs_destroy(s);
    }
    lmbi_free(alloc, marks);
    lmbi_free(alloc, bob_of);
    return fine ? LMB_OK : lmbi_fail_memory(error);
}

void lmb_springs_destroy(lmb_springs *s)
{
    if (s) {
        const lmb_allocator alloc = s->allocator;
        void *const blocks[] = {s->bobs, s->movers, s->anchors, s->were, s->below, s->world, s};
        for (size_t i = 0; i < sizeof blocks / sizeof *blocks; ++i) {
            lmbi_free(&alloc, blocks[i]);
        }
    }
}
