// Spring bones, as VRMC_springBone 1.0 has them, in sub-steps of one length: the specification's
// step is a Verlet step without a correction for its length, so that its numbers mean something at
// one rate only.
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "physics/collide.h"

typedef struct bob {
    const lmb_spring_joint *spring;
    lmb_vec3 axis;            ///< unit, to the tail, in the joint's frame
    lmb_vec3 tail;            ///< in the joint's frame
    lmb_vec3 current, before; ///< the tail in the centre's space, at the last two sub-steps
    lmb_quat rotation;        ///< of the joint in its parent
} bob;

/// A joint whose place changes in a sub-step: a spring's, or one between springs.
typedef struct mover {
    uint32_t joint;
    int32_t bob;
} mover;

struct lmb_springs {
    const lmb_spring_set *set;
    const lmb_skeleton *skeleton;
    bob *bobs;
    mover *movers;     ///< in the order in which they depend on each other
    uint32_t *anchors; ///< joints that carry springs, colliders and centres and are moved by none
    lmb_mat4 *were;    ///< [anchor_count] in the frame before
    uint32_t *below;   ///< every joint at or below a spring's, parents first
    lmb_mat4 *world;   ///< [joint_count] of anchors and movers in this sub-step
    uint32_t bob_count, mover_count, anchor_count, below_count;
    double left_s; ///< time that no sub-step has used yet
    bool started;
    lmb_allocator allocator;
};

// ----------------------------------------------------------------------------------------- making

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
        bob *b = &s->bobs[s->bob_count];
        *b = (bob){.spring = spring, .tail = rest_tail(s->skeleton, spring)};
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
            s->movers[s->mover_count++] = (mover){j, bob_of[j]};
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

// --------------------------------------------------------------------------------------- stepping

/// One moment of one step.
typedef struct moment {
    lmb_springs *s;
    lmb_transform *local;
    lmb_mat4 root;
} moment;

/// A joint under its parent as it stands before the spring turns it.
typedef struct stand {
    lmb_mat4 parent, unturned;
    lmb_transform local;
    lmb_vec3 head, axis; ///< in the world; the axis is where stiffness pulls to
    float length;
} stand;

static lmb_mat4 parent_of(const moment *m, uint32_t joint)
{
    const int32_t parent = m->s->skeleton->parents[joint];
    return parent == LMB_NONE ? m->root : m->s->world[parent];
}

static stand stand_of(const moment *m, const bob *b)
{
    const uint32_t j = b->spring->joint;
    stand st = {.parent = parent_of(m, j), .local = m->local[j]};
    if (!b->spring->follows_pose) {
        st.local.rotation = m->s->skeleton->rest[j].rotation;
    }
    st.unturned = lmb_mat4_mul(st.parent, lmb_mat4_from_transform(st.local));
    st.head = lmb_mat4_translation(st.unturned);
    const lmb_vec3 tail = lmb_mat4_vector(st.unturned, b->tail);
    st.length = lmb_vec3_length(tail);
    st.axis = lmb_vec3_normalize_or(tail, lmb_vec3_make(0, -1, 0));
    return st;
}

static lmb_vec3 at_length(const stand *st, lmb_vec3 tail)
{
    const lmb_vec3 way = lmb_vec3_normalize_or(lmb_vec3_sub(tail, st->head), st->axis);
    return lmb_vec3_mad(st->head, way, st->length);
}

static lmb_vec3 kept_out(const lmb_springs *s, const lmb_spring_joint *spring, const stand *st,
                         lmb_vec3 tail)
{
    for (uint32_t r = 0; r < spring->reference_count; ++r) {
        const lmb_spring_collider *collider =
            &s->set->colliders[s->set->references[spring->first_reference + r]];
        lmb_vec3 out = {0, 0, 0};
        const float distance = lmbi_spring_distance(collider, &s->world[collider->joint], tail,
                                                    spring->hit_radius, st->axis, &out);
        if (distance < 0) {
            tail = at_length(st, lmb_vec3_mad(tail, out, -distance));
        }
    }
    return tail;
}

/// Turns the joint so that its tail is in the direction of `tail`.
static void turn(const moment *m, bob *b, const stand *st, lmb_vec3 tail)
{
    lmb_mat4 joint_from_world;
    lmb_transform local = st->local;
    if (lmb_mat4_inverse_affine(st->unturned, &joint_from_world)) {
        const lmb_vec3 to = lmb_mat4_vector(joint_from_world, lmb_vec3_sub(tail, st->head));
        local.rotation = lmb_quat_mul(
            local.rotation, lmb_quat_between(b->axis, lmb_vec3_normalize_or(to, b->axis)));
    }
    b->rotation = local.rotation;
    m->s->world[b->spring->joint] = lmb_mat4_mul(st->parent, lmb_mat4_from_transform(local));
}

static lmb_mat4 world_from_center(const lmb_springs *s, const bob *b)
{
    return b->spring->center == LMB_NONE ? lmb_mat4_identity() : s->world[b->spring->center];
}

static lmb_vec3 into_center(const lmb_springs *s, const bob *b, lmb_vec3 p)
{
    lmb_mat4 center_from_world;
    if (b->spring->center == LMB_NONE ||
        !lmb_mat4_inverse_affine(s->world[b->spring->center], &center_from_world)) {
        return p;
    }
    return lmb_mat4_point(center_from_world, p);
}

typedef enum pass_kind { START, SUBSTEP, SHOW } pass_kind;

/// Where the tail goes, in the world.
static lmb_vec3 next_tail(const moment *m, bob *b, const stand *st, pass_kind kind, float ahead)
{
    const lmb_spring_joint *spring = b->spring;
    const float h = 1.0f / LMB_SPRINGS_HZ;
    const lmb_vec3 speed = lmb_vec3_sub(b->current, b->before);
    const float share = kind == SHOW ? ahead : 1.0f - spring->drag;
    lmb_vec3 tail = lmb_vec3_mad(b->current, speed, share);
    if (spring->center != LMB_NONE) {
        tail = lmb_mat4_point(world_from_center(m->s, b), tail);
    }
    if (kind == SUBSTEP) {
        tail = lmb_vec3_mad(tail, st->axis, spring->stiffness * h);
        tail = lmb_vec3_mad(tail, spring->gravity, spring->gravity_power * h);
    }
    return kept_out(m->s, spring, st, at_length(st, tail));
}

static void swing(const moment *m, bob *b, pass_kind kind, float ahead)
{
    const stand st = stand_of(m, b);
    const lmb_vec3 tail = kind == START ? lmb_vec3_mad(st.head, st.axis, st.length)
                                        : next_tail(m, b, &st, kind, ahead);
    if (kind != SHOW) {
        const lmb_vec3 kept = into_center(m->s, b, tail);
        b->before = kind == START ? kept : b->current;
        b->current = kept;
    }
    turn(m, b, &st, tail);
}

static void pass(const moment *m, pass_kind kind, float ahead)
{
    lmb_springs *s = m->s;
    for (uint32_t i = 0; i < s->mover_count; ++i) {
        const mover *one = &s->movers[i];
        if (one->bob >= 0) {
            swing(m, &s->bobs[one->bob], kind, ahead);
        } else {
            s->world[one->joint] = lmb_mat4_mul(parent_of(m, one->joint),
                                                lmb_mat4_from_transform(m->local[one->joint]));
        }
    }
}

/// Anchors as they are `share` of the way from the last frame to this one.
static void carry(const moment *m, const lmb_mat4 *model, float share)
{
    lmb_springs *s = m->s;
    for (uint32_t i = 0; i < s->anchor_count; ++i) {
        const lmb_mat4 now = model[s->anchors[i]];
        lmb_transform from, to;
        s->world[s->anchors[i]] = now;
        if (share >= 1.0f || memcmp(&now, &s->were[i], sizeof now) == 0) {
            continue;
        }
        lmb_mat4_decompose(s->were[i], &from);
        lmb_mat4_decompose(now, &to);
        s->world[s->anchors[i]] = lmb_mat4_from_transform(
            (lmb_transform){.translation = lmb_vec3_lerp(from.translation, to.translation, share),
                            .rotation = lmb_quat_slerp(from.rotation, to.rotation, share),
                            .scale = lmb_vec3_lerp(from.scale, to.scale, share)});
    }
}

static bool is_zero(const lmb_mat4 *m)
{
    for (int k = 0; k < 16; ++k) {
        if (m->m[k] != 0) {
            return false;
        }
    }
    return true;
}

/// Runs the sub-steps that fit. Returns the share of a sub-step that is left.
static float run_substeps(const moment *m, const lmb_mat4 *model, double dt_s)
{
    lmb_springs *s = m->s;
    const double h = 1.0 / LMB_SPRINGS_HZ, before_s = s->left_s;
    // A frame time such as 1/60 in float is a hair more or less than a sub-step: what is left may
    // go a hair below zero instead.
    const double slack = 1e-3 * h;
    s->left_s += fmin(dt_s, LMB_SPRINGS_MOST * h);
    for (int k = 1; s->left_s >= h - slack; ++k) {
        s->left_s -= h;
        const double share = (k * h - before_s) / dt_s;
        carry(m, model, s->left_s <= slack ? 1.0f : (float)fmin(share, 1.0));
        pass(m, SUBSTEP, 0);
    }
    return s->left_s <= slack ? 0.0f : (float)(s->left_s / h);
}

static void show(const moment *m, lmb_mat4 *model)
{
    const lmb_springs *s = m->s;
    for (uint32_t i = 0; i < s->bob_count; ++i) {
        m->local[s->bobs[i].spring->joint].rotation = s->bobs[i].rotation;
    }
    for (uint32_t i = 0; i < s->below_count; ++i) {
        const uint32_t j = s->below[i];
        const int32_t parent = s->skeleton->parents[j];
        model[j] = lmb_mat4_mul(parent == LMB_NONE ? m->root : model[parent],
                                lmb_mat4_from_transform(m->local[j]));
    }
}

void lmb_springs_step(const lmb_springs_step_job *job)
{
    assert(job && job->springs && job->local && job->model_from_joint);
    assert(job->dt_s >= 0 && isfinite(job->dt_s));
    lmb_springs *s = job->springs;
    const moment m = {
        .s = s, .local = job->local, .root = is_zero(&job->root) ? lmb_mat4_identity() : job->root};
    if (!s->started) {
        carry(&m, job->model_from_joint, 1);
        pass(&m, START, 0);
        for (uint32_t i = 0; i < s->anchor_count; ++i) {
            s->were[i] = job->model_from_joint[s->anchors[i]];
        }
        s->left_s = 0;
        s->started = true;
    }
    const float ahead = run_substeps(&m, job->model_from_joint, (double)job->dt_s);
    carry(&m, job->model_from_joint, 1);
    if (ahead > 0 || job->dt_s <= 0) {
        pass(&m, SHOW, ahead);
    }
    for (uint32_t i = 0; i < s->anchor_count; ++i) {
        s->were[i] = job->model_from_joint[s->anchors[i]];
    }
    show(&m, job->model_from_joint);
}

void lmb_springs_reset(lmb_springs *springs)
{
    assert(springs);
    springs->started = false;
}

void lmb_springs_move(lmb_springs *s, lmb_mat4 by)
{
    assert(s);
    for (uint32_t i = 0; i < s->bob_count; ++i) {
        bob *b = &s->bobs[i];
        if (b->spring->center == LMB_NONE) {
            b->current = lmb_mat4_point(by, b->current);
            b->before = lmb_mat4_point(by, b->before);
        }
    }
    for (uint32_t i = 0; i < s->anchor_count; ++i) {
        s->were[i] = lmb_mat4_mul(by, s->were[i]);
    }
}
