/// Creation of a ragdoll from a character: joints with bodies, capsules, masses and limits.
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "physics/ragdoll.h"
#include "physics/world.h"

#define DEGREE (LMB_PI / 180.0f)
/// Density of a human body, kg/m^3.
#define DENSITY 985.0f

typedef struct maker {
    const lmb_character *character;
    const lmb_skeleton *skeleton;
    const lmb_ragdoll_opts *opts;
    lmb_mat4 *rest;    ///< [joint_count] model_from_joint
    uint8_t *marks;    ///< [joint_count] has a body
    int32_t *above;    ///< [joint_count] joint that one with a body hangs from, or LMB_NONE
    int32_t *bone_of;  ///< [joint_count] bone that the joint's skin belongs to
    lmb_box *boxes;    ///< [joint_count]
    lmb_vec3 *middles; ///< [joint_count] sum of the skin points of a tree's first joint
    uint32_t *shares;  ///< [joint_count] their number
    lmbi_skin_points points;
    lmb_box box;
    lmb_ragdoll_set *set;
    lmbi_arena arena; ///< of the arrays by joint
} maker;

// ----------------------------------------------------------------------------- joints with bodies

static lmb_result mark_given(maker *m, lmb_error *error)
{
    for (uint32_t i = 0; i < m->opts->joint_count; ++i) {
        const uint32_t j = m->opts->joints[i];
        if (j >= m->skeleton->joint_count || m->marks[j]) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "joints of the skeleton, each once",
                             "joint %u %s", (unsigned)j,
                             j < m->skeleton->joint_count ? "twice" : "beyond the last");
        }
        m->marks[j] = 1;
    }
    return LMB_OK;
}

/// Without a skin: marks joints with a child at least `least` metres away.
static uint32_t mark_by_length(maker *m, float least)
{
    uint32_t count = 0;
    memset(m->marks, 0, m->skeleton->joint_count);
    for (uint32_t j = 0; j < m->skeleton->joint_count; ++j) {
        const int32_t parent = m->skeleton->parents[j];
        if (parent != LMB_NONE && !m->marks[parent] &&
            lmb_vec3_distance(lmb_mat4_translation(m->rest[j]),
                              lmb_mat4_translation(m->rest[parent])) >= least) {
            m->marks[parent] = 1;
            ++count;
        }
    }
    return count;
}

static lmb_result mark_joints(maker *m, lmb_error *error)
{
    if (m->opts->joints) {
        return mark_given(m, error);
    }
    const uint32_t most = m->opts->most_bones ? m->opts->most_bones : 24;
    const float size = lmb_vec3_length(lmb_vec3_sub(m->box.high, m->box.low));
    uint32_t count = 0;
    for (float fraction = 0.06f; fraction < 2.0f; fraction *= 1.25f) {
        count = m->points.count > 0
                    ? lmbi_ragdoll_choose_joints(m->skeleton, m->rest, &m->points, fraction * size,
                                                 m->boxes, m->marks)
                    : mark_by_length(m, 0.5f * fraction * size);
        if (count <= most) {
            break;
        }
    }
    return count > 0 ? LMB_OK
                     : lmbi_fail(error, LMB_ERROR_INVALID,
                                 "joints that move skin or have a child some way off",
                                 "%u joints, none of them so", (unsigned)m->skeleton->joint_count);
}

static void find_parents(maker *m)
{
    for (uint32_t j = 0; j < m->skeleton->joint_count; ++j) {
        int32_t above = m->skeleton->parents[j];
        while (above != LMB_NONE && !m->marks[above]) {
            above = m->skeleton->parents[above];
        }
        m->above[j] = above;
    }
    for (uint32_t i = 0; m->opts->joints && m->opts->parents && i < m->opts->joint_count; ++i) {
        m->above[m->opts->joints[i]] = m->opts->parents[i];
    }
}

/// The joint with a body that a joint's skin goes to, or LMB_NONE.
static int32_t owner_of(const maker *m, int32_t joint)
{
    while (joint != LMB_NONE && !m->marks[joint]) {
        joint = m->skeleton->parents[joint];
    }
    return joint;
}

static int32_t top_of(const maker *m, int32_t joint)
{
    while (joint != LMB_NONE && m->above[joint] != LMB_NONE) {
        joint = m->above[joint];
    }
    return joint;
}

/// The joint of `top`'s tree whose skin is nearest.
static int32_t nearest_under(const maker *m, int32_t top, lmb_vec3 at)
{
    float least = INFINITY;
    int32_t best = top;
    for (uint32_t i = 0; i < m->points.count; ++i) {
        const int32_t owner = owner_of(m, (int32_t)m->points.items[i].joint);
        const float away = lmb_vec3_distance(m->points.items[i].at, at);
        if (away < least && top_of(m, owner) == top) {
            least = away;
            best = owner;
        }
    }
    return best;
}

/// Trees beside that with most skin, as eyes of an armature of their own, hang from the joint of it
/// whose skin is nearest.
static void hang_trees(maker *m)
{
    lmb_vec3 *middle = m->middles;
    uint32_t *share = m->shares;
    int32_t most = LMB_NONE;
    for (uint32_t i = 0; i < m->points.count; ++i) {
        const int32_t top = top_of(m, owner_of(m, (int32_t)m->points.items[i].joint));
        if (top != LMB_NONE) {
            middle[top] = lmb_vec3_add(middle[top], m->points.items[i].at);
            ++share[top];
            most = most == LMB_NONE || share[top] > share[most] ? top : most;
        }
    }
    for (uint32_t j = 0; j < m->skeleton->joint_count; ++j) {
        if (m->marks[j] && m->above[j] == LMB_NONE && share[j] > 0 && (int32_t)j != most) {
            m->above[j] = nearest_under(m, most, lmb_vec3_scale(middle[j], 1.0f / (float)share[j]));
        }
    }
}

/// Numbers the bones whose parents are numbered. A bone without a parent is the first or becomes a
/// child of it.
static uint32_t number_next(maker *m, uint32_t count)
{
    for (uint32_t j = 0; j < m->skeleton->joint_count; ++j) {
        const int32_t above = m->above[j];
        if (m->marks[j] && m->bone_of[j] == LMB_NONE &&
            (above == LMB_NONE || m->bone_of[above] != LMB_NONE)) {
            m->set->bones[count].joint = j;
            m->set->bones[count].parent = above != LMB_NONE ? m->bone_of[above]
                                          : count > 0       ? 0
                                                            : LMB_NONE;
            m->bone_of[j] = (int32_t)count++;
        }
    }
    return count;
}

static lmb_result number_bones(maker *m, uint32_t count, lmb_error *error)
{
    for (uint32_t j = 0; j < m->skeleton->joint_count; ++j) {
        const int32_t above = m->above[j];
        if (m->marks[j] && above != LMB_NONE &&
            ((uint32_t)above >= m->skeleton->joint_count || !m->marks[above])) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "parents that are among the joints",
                             "%d above joint %u", (int)above, (unsigned)j);
        }
        m->bone_of[j] = LMB_NONE;
    }
    uint32_t before = 0;
    while ((m->set->bone_count = number_next(m, before)) > before) {
        before = m->set->bone_count;
    }
    if (m->set->bone_count < count) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "parents that lead to a first bone",
                         "a circle of joints");
    }
    for (uint32_t j = 0; j < m->skeleton->joint_count; ++j) {
        const int32_t parent = m->skeleton->parents[j];
        if (!m->marks[j]) {
            m->bone_of[j] = parent == LMB_NONE ? 0 : m->bone_of[parent];
        }
    }
    return LMB_OK;
}

// ----------------------------------------------------------------------------------------- shapes

/// End of a bone: the mean of its child bones, else of its skin points, else its joint's tip. The
/// direction is free for the first bone and where there is not exactly one child.
static void find_ends(const maker *m, uint32_t bone, lmbi_capsule_job *job)
{
    const lmb_ragdoll_bone *b = &m->set->bones[bone];
    lmb_vec3 sum = {0, 0, 0};
    uint32_t count = 0;
    for (uint32_t k = bone + 1; k < m->set->bone_count; ++k) {
        if (m->set->bones[k].parent == (int32_t)bone) {
            sum = lmb_vec3_add(sum, lmb_mat4_translation(m->rest[m->set->bones[k].joint]));
            ++count;
        }
    }
    job->any_direction = count != 1 || bone == 0;
    job->from = job->to = lmb_mat4_translation(m->rest[b->joint]);
    uint32_t own = 0;
    for (uint32_t i = 0; count == 0 && i < m->points.count; ++i) {
        if (m->points.items[i].bone == (int32_t)bone) {
            sum = lmb_vec3_add(sum, m->points.items[i].at);
            ++own;
        }
    }
    if (count + own > 0) {
        job->to = lmb_vec3_scale(sum, 1.0f / (float)(count + own));
    } else if (m->skeleton->tips) {
        job->to = lmb_mat4_point(m->rest[b->joint], m->skeleton->tips[b->joint]);
    }
    const int32_t parent = m->skeleton->parents[b->joint];
    if (lmb_vec3_distance(job->from, job->to) < 1e-6f && parent != LMB_NONE) {
        const lmb_vec3 from_parent = lmb_vec3_sub(job->from, lmb_mat4_translation(m->rest[parent]));
        job->to = lmb_vec3_mad(job->from, from_parent, 0.5f);
    }
}

static void set_mass(lmb_ragdoll_bone *b, float density)
{
    const lmb_rigid_shape shape = {
        .kind = LMB_RIGID_CAPSULE, .radius = b->radius, .half = {0, b->half, 0}};
    lmb_rigid_shape_mass(&shape, density, &b->mass, &b->inertia);
    // A thin limb would spin about its axis at a touch. Muscles that do not rotate with the bone,
    // and the bodies beyond, add inertia.
    b->inertia.y = fmaxf(b->inertia.y, 0.3f * b->inertia.x);
}

static void raise_mass(lmb_ragdoll_bone *b, float least)
{
    if (b->mass < least) {
        b->inertia = lmb_vec3_scale(b->inertia, least / b->mass);
        b->mass = least;
    }
}

/// Bounds mass ratios of neighbours, and inertia from below by that of a rod between the joints:
/// light bodies between heavy ones converge slowly.
static void limit_mass_ratios(maker *m)
{
    lmb_ragdoll_bone *bones = m->set->bones;
    for (uint32_t i = m->set->bone_count; i-- > 1;) {
        raise_mass(&bones[bones[i].parent], 0.2f * bones[i].mass);
    }
    for (uint32_t i = 1; i < m->set->bone_count; ++i) {
        raise_mass(&bones[i], 0.1f * bones[bones[i].parent].mass);
    }
    for (uint32_t i = 0; i < m->set->bone_count; ++i) {
        const lmb_vec3 at = lmb_mat4_translation(m->rest[bones[i].joint]);
        for (int k = 0; k < (i > 0 ? 2 : 0); ++k) { // its own joint, about both bodies
            lmb_ragdoll_bone *b = k == 0 ? &bones[i] : &bones[bones[i].parent];
            const float d = lmb_vec3_distance(at, b->model_from_body.translation),
                        least = 0.3f * b->mass * d * d;
            b->inertia.x = fmaxf(b->inertia.x, least);
            b->inertia.z = fmaxf(b->inertia.z, least);
            b->inertia.y = fmaxf(b->inertia.y, 0.3f * b->inertia.x);
        }
    }
}

/// Lifts the capsule above the character's lowest point, so that a body stands where its skin does.
static void lift_above(lmb_ragdoll_bone *b, float floor)
{
    const lmb_vec3 along =
        lmb_quat_rotate(b->model_from_body.rotation, lmb_vec3_make(0, b->half, 0));
    const float low = b->model_from_body.translation.y - fabsf(along.y) - b->radius;
    b->model_from_body.translation.y += fminf(fmaxf(floor - low, 0.0f), b->radius);
}

/// Without a skin the capsules define the character's box.
static lmb_box box_with_capsule(lmb_box box, const lmb_ragdoll_bone *b)
{
    const lmb_vec3 along =
                       lmb_quat_rotate(b->model_from_body.rotation, lmb_vec3_make(0, b->half, 0)),
                   reach = {fabsf(along.x) + b->radius, fabsf(along.y) + b->radius,
                            fabsf(along.z) + b->radius};
    return lmb_box_add(lmb_box_add(box, lmb_vec3_sub(b->model_from_body.translation, reach)),
                       lmb_vec3_add(b->model_from_body.translation, reach));
}

static void fit_bones(maker *m)
{
    lmbi_skin_points_assign(&m->points, m->bone_of);
    float volume = 0.0f;
    for (uint32_t i = 0; i < m->set->bone_count; ++i) {
        lmbi_capsule_job job = {.points = &m->points, .bone = (int32_t)i};
        find_ends(m, i, &job);
        lmbi_capsule_fit(&job, &m->set->bones[i]);
        if (m->set->bones[i].coverage > 0.0f) {
            lift_above(&m->set->bones[i], m->box.low.y);
        } else {
            m->set->box = box_with_capsule(m->set->box, &m->set->bones[i]);
        }
        set_mass(&m->set->bones[i], 1.0f);
        volume += m->set->bones[i].mass;
    }
    const float density = m->opts->mass > 0.0f ? m->opts->mass / volume : DENSITY;
    for (uint32_t i = 0; i < m->set->bone_count; ++i) {
        set_mass(&m->set->bones[i], density);
    }
    limit_mass_ratios(m);
}

// ----------------------------------------------------------------------------------------- limits

static lmb_joint_limit limit_of(const maker *m, const lmb_ragdoll_bone *b)
{
    const lmb_joint_limit *limits = m->opts->limits ? m->opts->limits : m->skeleton->limits;
    if (limits && limits[b->joint].kind != LMB_JOINT_FREE) {
        return limits[b->joint];
    }
    lmb_transform rest;
    lmb_mat4_decompose(m->rest[b->joint], &rest);
    const lmb_vec3 along = lmb_quat_rotate(b->model_from_body.rotation, lmb_vec3_make(0, 1, 0));
    return (lmb_joint_limit){
        .kind = LMB_JOINT_BALL,
        .axis = lmb_vec3_normalize_or(lmb_quat_rotate(lmb_quat_conjugate(rest.rotation), along),
                                      lmb_vec3_make(0, 1, 0)),
        .swing_rad = 35.0f * DEGREE,
        .twist_min_rad = -20.0f * DEGREE,
        .twist_max_rad = 20.0f * DEGREE};
}

static void capsule_ends(const lmb_ragdoll_bone *b, lmbi_v3 out[2])
{
    const lmb_vec3 along =
        lmb_quat_rotate(b->model_from_body.rotation, lmb_vec3_make(0, b->half, 0));
    out[0] = lmbi_v3_of(lmb_vec3_sub(b->model_from_body.translation, along));
    out[1] = lmbi_v3_of(lmb_vec3_add(b->model_from_body.translation, along));
}

static bool capsules_touch(const lmb_ragdoll_bone *a, const lmb_ragdoll_bone *b)
{
    lmbi_v3 p[2], q[2];
    double s, t;
    capsule_ends(a, p);
    capsule_ends(b, q);
    lmbi_segments_closest(p[0], p[1], q[0], q[1], &s, &t);
    const double distance =
        lmbi_v3_length(lmbi_v3_sub(lmbi_v3_lerp(p[0], p[1], s), lmbi_v3_lerp(q[0], q[1], t)));
    return distance < (double)(a->radius + b->radius);
}

static void filter_touching(lmb_ragdoll_set *set)
{
    for (uint32_t i = 0; i < set->bone_count; ++i) {
        for (uint32_t k = i + 1; k < set->bone_count; ++k) {
            if (set->bones[k].parent != (int32_t)i &&
                capsules_touch(&set->bones[i], &set->bones[k])) {
                set->filtered[set->filtered_count][0] = i;
                set->filtered[set->filtered_count++][1] = k;
            }
        }
    }
}

// --------------------------------------------------------------------------------------- creation

static bool allocate_scratch(maker *m)
{
    const size_t n = m->skeleton->joint_count;
    m->rest = lmbi_arena_array(&m->arena, n, sizeof *m->rest);
    m->marks = lmbi_arena_array(&m->arena, n, sizeof *m->marks);
    m->above = lmbi_arena_array(&m->arena, n, sizeof *m->above);
    m->bone_of = lmbi_arena_array(&m->arena, n, sizeof *m->bone_of);
    m->boxes = lmbi_arena_array(&m->arena, n, sizeof *m->boxes);
    m->middles = lmbi_arena_array(&m->arena, n, sizeof *m->middles);
    m->shares = lmbi_arena_array(&m->arena, n, sizeof *m->shares);
    return !m->arena.failed;
}

static uint32_t count_marks(const maker *m)
{
    uint32_t count = 0;
    for (uint32_t j = 0; j < m->skeleton->joint_count; ++j) {
        count += m->marks[j];
    }
    return count;
}

static lmb_result allocate_set(maker *m, const lmb_allocator *alloc, lmb_error *error)
{
    const size_t count = count_marks(m);
    if (count == 0 || count > 1024) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "1 to 1024 bones", "%zu", count);
    }
    m->set = lmbi_alloc(alloc, sizeof *m->set);
    if (m->set) {
        m->set->allocator = alloc ? *alloc : (lmb_allocator){0};
        m->set->bones = lmbi_alloc_array(alloc, count, sizeof *m->set->bones);
        m->set->filtered =
            lmbi_alloc_array(alloc, count * (count - 1) / 2, sizeof *m->set->filtered);
    }
    return m->set && m->set->bones && m->set->filtered ? LMB_OK : lmbi_fail_memory(error);
}

static void measure_box(maker *m)
{
    m->box = lmb_box_empty();
    for (uint32_t i = 0; i < m->points.count; ++i) {
        m->box = lmb_box_add(m->box, m->points.items[i].at);
    }
    for (uint32_t j = 0; m->points.count == 0 && j < m->skeleton->joint_count; ++j) {
        m->box = lmb_box_add(m->box, lmb_mat4_translation(m->rest[j]));
    }
}

static lmb_result build_set(maker *m, const lmb_allocator *alloc, lmb_error *error)
{
    if (!allocate_scratch(m)) {
        return lmbi_fail_memory(error);
    }
    lmb_pose_to_model(
        &(lmb_pose_to_model_job){.skeleton = m->skeleton, .model_from_joint = m->rest});
    lmb_result result = lmbi_skin_points_gather(m->character, m->rest, alloc, &m->points, error);
    if (result != LMB_OK) {
        return result;
    }
    measure_box(m);
    result = mark_joints(m, error);
    if (result == LMB_OK) {
        result = allocate_set(m, alloc, error);
    }
    if (result != LMB_OK) {
        return result;
    }
    m->set->box = m->box;
    find_parents(m);
    if (m->opts->parents == NULL) {
        hang_trees(m);
    }
    result = number_bones(m, count_marks(m), error);
    if (result != LMB_OK) {
        return result;
    }
    fit_bones(m);
    for (uint32_t i = 0; i < m->set->bone_count; ++i) {
        m->set->bones[i].limit = limit_of(m, &m->set->bones[i]);
    }
    filter_touching(m->set);
    return LMB_OK;
}

lmb_result lmb_ragdoll_set_make(const lmb_character *character, const lmb_ragdoll_opts *opts,
                                const lmb_allocator *alloc, lmb_ragdoll_set **out, lmb_error *error)
{
    assert(character && out);
    static const lmb_ragdoll_opts none = {0};
    maker m = {
        .character = character, .skeleton = character->skeleton, .opts = opts ? opts : &none};
    lmbi_arena_init(&m.arena, alloc);
    const lmb_result result = build_set(&m, alloc, error);
    if (result == LMB_OK) {
        *out = m.set;
    } else {
        lmb_ragdoll_set_destroy(m.set);
    }
    lmbi_arena_free(&m.arena);
    lmbi_free(alloc, m.points.items);
    return result;
}

void lmb_ragdoll_set_destroy(lmb_ragdoll_set *set)
{
    if (set) {
        const lmb_allocator alloc = set->allocator;
        lmbi_free(&alloc, set->bones);
        lmbi_free(&alloc, set->filtered);
        lmbi_free(&alloc, set);
    }
}

int32_t lmb_ragdoll_set_find(const lmb_ragdoll_set *set, const lmb_skeleton *skeleton,
                             uint32_t joint)
{
    for (int32_t at = (int32_t)joint; at != LMB_NONE; at = skeleton->parents[at]) {
        for (uint32_t i = 0; i < set->bone_count; ++i) {
            if (set->bones[i].joint == (uint32_t)at) {
                return (int32_t)i;
            }
        }
    }
    return LMB_NONE;
}
