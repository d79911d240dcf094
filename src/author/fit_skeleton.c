/// Fits a given skeleton into a mesh. Its joints are matched with those of an embedding, of humans by
/// their meaning, of other bodies by the chains that they are in; the others move along.
#include "asset/tree.h"
#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "limber/author.h"
#include "mapping/body_joint.h"
#include "mapping/chains.h"
#include "mapping/mapper.h"

#include <math.h>

/// Rotation and scale of the children of a joint.
typedef struct joint_motion {
    lmb_quat rotation;
    float scale;
} joint_motion;

typedef struct fit_joint {
    bool placed; ///< whether the embedding determines `to`
    bool aimed;  ///< whether its bone is known: to the next placed one, or to the end of a limb
    lmb_vec3 to, from_end, to_end; ///< the ends are those of its bone before and after the fit
    int32_t above;                 ///< the nearest placed joint at or above it, or LMB_NONE
    int32_t below;                 ///< a placed joint below it if it is not placed, or LMB_NONE
    joint_motion motion;
} fit_joint;

typedef struct fit {
    const lmb_skeleton *from;
    const lmb_embedding *into;
    uint32_t count;
    lmb_transform *model; ///< [count] model_from_joint of the skeleton at rest
    fit_joint *joints;    ///< [count]
    joint_motion whole;   ///< from skeleton to mesh
    int32_t root;         ///< the topmost placed joint
} fit;

static lmb_vec3 at_rest(const fit *f, int32_t joint)
{
    return f->model[joint].translation;
}

static void set_position(fit *f, int32_t joint, lmb_vec3 to)
{
    f->joints[joint].placed = true;
    f->joints[joint].to = to;
}

static void set_bone(fit *f, int32_t joint, lmb_vec3 from_end, lmb_vec3 to_end)
{
    fit_joint *own = &f->joints[joint];
    own->aimed = true;
    own->from_end = from_end;
    own->to_end = to_end;
}

/// Where the bone of a joint ends at rest: at its tip, or in the joint itself.
static lmb_vec3 tip_of(const fit *f, int32_t joint)
{
    return f->from->tips ? lmb_transform_point(f->model[joint], f->from->tips[joint])
                         : at_rest(f, joint);
}

/// Places joints, or LMB_NONE, at points, and aims each bone at the next joint if that is below it.
static void place_each(fit *f, const int32_t *joints, uint32_t count, const lmb_vec3 *to)
{
    int32_t before = LMB_NONE;
    for (uint32_t k = 0; k < count; ++k) {
        const int32_t joint = joints[k];
        if (joint == LMB_NONE) {
            continue;
        }
        set_position(f, joint, to[k]);
        if (before != LMB_NONE && lmbi_is_under(f->from, joint, before)) {
            set_bone(f, before, at_rest(f, joint), to[k]);
        }
        before = joint;
    }
}

/// The point at a distance along a polyline of 2 points or more.
static lmb_vec3 point_on_line(const lmb_vec3 *line, uint32_t count, float rest)
{
    uint32_t p = 0;
    while (p + 2 < count && rest > lmb_vec3_distance(line[p], line[p + 1])) {
        rest -= lmb_vec3_distance(line[p], line[p + 1]);
        ++p;
    }
    const float step = lmb_vec3_distance(line[p], line[p + 1]);
    return lmb_vec3_lerp(line[p], line[p + 1], step > 0 ? fminf(1, rest / step) : 0);
}

/// Places joints, each a descendant of the one before, along a polyline of 2 points or more, at the
/// fractions of length that they have at rest, and aims each bone at the next joint. With `tip` the
/// last bone ends where the line does.
static void place_chain(fit *f, const int32_t *joints, uint32_t count, const lmb_vec3 *tip,
                        const lmb_vec3 *line, uint32_t line_count)
{
    float total = 0, length = 0, arc = 0;
    const int32_t last = joints[count - 1];
    for (uint32_t k = 1; k < count; ++k) {
        total += lmb_vec3_distance(at_rest(f, joints[k - 1]), at_rest(f, joints[k]));
    }
    total += tip ? lmb_vec3_distance(at_rest(f, last), *tip) : 0;
    for (uint32_t k = 1; k < line_count; ++k) {
        length += lmb_vec3_distance(line[k - 1], line[k]);
    }
    for (uint32_t k = 0; k < count; ++k) {
        const lmb_vec3 at = at_rest(f, joints[k]);
        arc += k ? lmb_vec3_distance(at_rest(f, joints[k - 1]), at) : 0;
        set_position(f, joints[k],
                     point_on_line(line, line_count, total > 0 ? length * arc / total : 0));
        if (k > 0) {
            set_bone(f, joints[k - 1], at, f->joints[joints[k]].to);
        }
    }
    if (tip) {
        set_bone(f, last, *tip, line[line_count - 1]);
    }
}

// ---- humans by the meaning of joints

typedef struct human {
    fit *f;
    int32_t joint[LMBI_HUMANOID_JOINTS];
    lmb_vec3 at[LMBI_HUMANOID_JOINTS]; ///< of those that exist
} human;

/// The rotation whose up and left axes come from the hips, the head and the limbs' roots.
static bool axes_of(const human *b, const lmb_vec3 *at, lmb_quat *out)
{
    const int top = b->joint[LMBI_NECK] != LMB_NONE ? LMBI_NECK : LMBI_HEAD;
    const lmb_vec3 up = lmb_vec3_sub(at[top], at[LMBI_HIPS]);
    lmb_vec3 left = {0, 0, 0};
    static const int pairs[2] = {LMBI_LEFT_UPPER_LEG, LMBI_LEFT_UPPER_ARM};
    for (int k = 0; k < 2; ++k) {
        if (b->joint[pairs[k]] != LMB_NONE && b->joint[pairs[k] + 4] != LMB_NONE) {
            left = lmb_vec3_add(left, lmb_vec3_sub(at[pairs[k]], at[pairs[k] + 4]));
        }
    }
    const lmb_vec3 forward = lmb_vec3_cross(left, up);
    if (!(lmb_vec3_length(forward) > 0)) {
        return false;
    }
    const lmb_vec3 y = lmb_vec3_normalize_or(up, up), z = lmb_vec3_normalize_or(forward, forward);
    *out = lmb_quat_from_axes(lmb_vec3_cross(y, z), y, z);
    return true;
}

/// Aims a bone at the point below its joint that is farthest from it, such as the top of a head or
/// the end of a finger. With a joint before it (or LMB_NONE) only if the point lies roughly in that
/// limb's direction.
static void aim_at_end(const human *b, int j, int before)
{
    fit *f = b->f;
    const int32_t joint = b->joint[j];
    float far = 0;
    lmb_vec3 end = {0, 0, 0};
    for (int32_t k = joint; joint != LMB_NONE && k < (int32_t)f->count; ++k) {
        const lmb_vec3 ends[2] = {at_rest(f, k), tip_of(f, k)};
        for (int n = 0; n < 2 && lmbi_is_under(f->from, k, joint); ++n) {
            const float d = lmb_vec3_distance(ends[n], b->at[j]);
            end = d > far ? ends[n] : end;
            far = fmaxf(far, d);
        }
    }
    bool ahead = far > 0;
    if (ahead && before != LMB_NONE) {
        const lmb_vec3 along = lmb_vec3_sub(b->at[j], b->at[before]),
                       on = lmb_vec3_sub(end, b->at[j]);
        ahead = b->joint[before] != LMB_NONE &&
                lmb_vec3_dot(along, on) > 0.3f * lmb_vec3_length(along) * far;
    }
    if (ahead) {
        set_bone(f, joint, end, f->into->tips[j]);
    }
}

/// Places the joints from one to another that need not be below it.
static void place_between(fit *f, int32_t high, int32_t low, const lmb_vec3 *line,
                          uint32_t line_count)
{
    int32_t chain[PATH_MAX + 1] = {high};
    const lmbi_path path = lmbi_path_down(f->from, lmbi_common_ancestor(f->from, high, low), low);
    for (int k = 0; k < path.count; ++k) {
        chain[k + 1] = path.joints[k];
    }
    place_chain(f, chain, (uint32_t)path.count + 1, NULL, line, line_count);
}

/// Places hips, spine, neck and head; joints in between keep their fractions of the length.
static void place_trunk(const human *b)
{
    fit *f = b->f;
    const lmb_vec3 *to = f->into->joints;
    const int32_t hips = b->joint[LMBI_HIPS], neck = b->joint[LMBI_NECK],
                  head = b->joint[LMBI_HEAD];
    const bool has_neck = neck != LMB_NONE;
    const lmb_vec3 back[6] = {to[LMBI_HIPS],        to[LMBI_SPINE], to[LMBI_CHEST],
                              to[LMBI_UPPER_CHEST], to[LMBI_NECK],  to[LMBI_HEAD]};
    place_between(f, hips, has_neck ? neck : head, back, has_neck ? 5 : 6);
    if (has_neck && lmbi_is_under(f->from, head, neck)) {
        place_between(f, neck, head, back + 4, 2);
    }
    aim_at_end(b, LMBI_HEAD, LMBI_NECK);
}

static void place_limb(const human *b, int first, int last)
{
    place_each(b->f, &b->joint[first], (uint32_t)(last - first + 1), &b->f->into->joints[first]);
}

/// Places fingers if the embedding has them, and aims the hand at the root of the middle one.
static void place_fingers(const human *b, int side)
{
    const int first = LMBI_BODY_JOINTS + side * LMBI_FINGER_JOINTS / 2, middle = first + 6;
    if (b->f->into->joint_count < LMBI_HUMANOID_JOINTS) {
        return;
    }
    for (int root = first; root < first + LMBI_FINGER_JOINTS / 2; root += 3) {
        place_limb(b, root, root + 2);
        aim_at_end(b, root + 2, LMB_NONE);
    }
    const int32_t hand = b->joint[LMBI_LEFT_HAND + 4 * side];
    if (hand != LMB_NONE && b->joint[middle] != LMB_NONE) {
        set_bone(b->f, hand, b->at[middle], b->f->joints[b->joint[middle]].to);
    }
}

static bool has_enough_joints(const int32_t *joint)
{
    uint32_t limbs = 0;
    for (int j = LMBI_LEFT_UPPER_ARM; j <= LMBI_RIGHT_FOOT; ++j) {
        limbs += j != LMBI_RIGHT_SHOULDER && j != LMBI_LEFT_TOES && joint[j] != LMB_NONE;
    }
    return limbs >= 8 && joint[LMBI_HIPS] != LMB_NONE &&
           (joint[LMBI_NECK] != LMB_NONE || joint[LMBI_HEAD] != LMB_NONE);
}

static bool fit_human(fit *f, const lmb_joint_map *map)
{
    human b = {.f = f};
    for (uint32_t j = 0; j < LMBI_HUMANOID_JOINTS; ++j) {
        b.joint[j] = map->bones[lmbi_body_joint_bone(j)].joint;
        b.at[j] = b.joint[j] == LMB_NONE ? b.at[j] : at_rest(f, b.joint[j]);
    }
    lmb_quat before, after;
    if (f->into->kind != LMB_SKELETON_HUMAN || !has_enough_joints(b.joint) ||
        !axes_of(&b, b.at, &before) || !axes_of(&b, f->into->joints, &after)) {
        return false;
    }
    f->whole.rotation = lmb_quat_normalize(lmb_quat_mul(after, lmb_quat_conjugate(before)));
    f->root = b.joint[LMBI_HIPS];
    place_trunk(&b);
    for (int side = 0; side < 2; ++side) {
        const int arm = LMBI_LEFT_SHOULDER + 4 * side, leg = LMBI_LEFT_UPPER_LEG + 4 * side;
        place_limb(&b, arm, arm + 3);
        place_limb(&b, leg, leg + 3);
        aim_at_end(&b, arm + 3, arm + 2);
        aim_at_end(&b, leg + 3, leg + 2);
        place_fingers(&b, side);
    }
    return true;
}

// ---- any body by its chains

static lmb_vec3 along_axes(const lmb_embedding *e, lmb_vec3 v)
{
    return lmb_vec3_make(lmb_vec3_dot(v, e->left), lmb_vec3_dot(v, e->up),
                         lmb_vec3_dot(v, e->forward));
}

/// The chains of an embedding, in its own axes.
static lmb_result find_chains(const lmb_embedding *e, const lmb_allocator *alloc,
                              lmb_chain_map *out, lmb_error *error)
{
    int32_t parents[LMB_EMBEDDING_JOINTS];
    lmb_transform rest[LMB_EMBEDDING_JOINTS];
    const char *names[LMB_EMBEDDING_JOINTS];
    lmb_vec3 tips[LMB_EMBEDDING_JOINTS];
    for (uint32_t j = 0; j < e->joint_count; ++j) {
        const lmb_vec3 above =
            e->parents[j] == LMB_NONE ? lmb_vec3_make(0, 0, 0) : e->joints[e->parents[j]];
        parents[j] = e->parents[j];
        rest[j] = lmb_transform_identity();
        rest[j].translation = along_axes(e, lmb_vec3_sub(e->joints[j], above));
        tips[j] = along_axes(e, lmb_vec3_sub(e->tips[j], e->joints[j]));
        names[j] = e->names[j];
    }
    const lmb_skeleton def = {.joint_count = e->joint_count,
                              .parents = parents,
                              .rest = rest,
                              .names = names,
                              .tips = tips};
    return lmb_chain_map_find(&def, alloc, out, error);
}

/// Places a chain joint by joint where both have as many, or else by fractions of the length. Of a
/// spine below a neck the tip does not count.
static void place_body_chain(fit *f, const lmb_body_chain *from, const lmb_body_chain *to,
                             bool has_tip)
{
    const lmb_embedding *e = f->into;
    lmb_vec3 line[LMB_CHAIN_JOINTS + 1];
    for (uint32_t k = 0; k < to->count; ++k) {
        line[k] = e->joints[to->joints[k]];
    }
    line[to->count] = e->tips[to->joints[to->count - 1]];
    const int32_t last = from->joints[from->count - 1];
    const lmb_vec3 tip = tip_of(f, last);
    const bool bone = has_tip && lmb_vec3_distance(tip, at_rest(f, last)) > 0;
    if (from->count == to->count) {
        place_each(f, from->joints, to->count, line);
        if (bone) {
            set_bone(f, last, tip, line[to->count]);
        }
        return;
    }
    // A last joint without a bone of its own is the tip of a chain that has no other for it.
    const uint32_t points = to->count + (bone || (has_tip && from->count > to->count) ? 1 : 0);
    if (points > 1) {
        place_chain(f, from->joints, from->count, bone ? &tip : NULL, line, points);
    } else {
        set_position(f, from->joints[0], line[0]);
    }
}

/// The rotation of a body that stands along +Y and faces a way.
static lmb_quat facing(lmb_vec3 front)
{
    const lmb_vec3 up = {0, 1, 0};
    return lmb_quat_from_axes(lmb_vec3_cross(up, front), up, front);
}

static lmb_result fit_chains(fit *f, const lmb_allocator *alloc, bool *out_found, lmb_error *error)
{
    const lmb_embedding *e = f->into;
    lmb_chain_map from, to;
    lmb_result result = lmb_chain_map_find(f->from, alloc, &from, error);
    if (result == LMB_OK) {
        result = find_chains(e, alloc, &to, error);
    }
    *out_found = false;
    if (result != LMB_OK || e->kind == LMB_SKELETON_HAND) { // a hand has none
        return result == LMB_ERROR_UNSUPPORTED ? LMB_OK : result;
    }
    uint32_t matched = 0;
    const bool has_neck = lmbi_chain_get(&to, LMB_CHAIN_NECK, 0, 0);
    for (uint32_t k = 0; k < to.count; ++k) {
        const lmb_body_chain *c = &to.chains[k],
                             *own = lmbi_chain_get(&from, c->kind, c->side, c->pair);
        matched += own != NULL;
        if (own) {
            place_body_chain(f, own, c, c->kind != LMB_CHAIN_SPINE || !has_neck);
        }
        f->root = own && c->kind == LMB_CHAIN_SPINE ? own->joints[0] : f->root;
    }
    f->whole.rotation = lmb_quat_normalize(
        lmb_quat_mul(lmb_quat_mul(lmb_quat_from_axes(e->left, e->up, e->forward), facing(to.front)),
                     lmb_quat_conjugate(facing(from.front))));
    *out_found = f->root != LMB_NONE && 4 * matched >= 3 * to.count;
    return LMB_OK;
}

// ---- moving

static joint_motion motion_of_bone(const fit *f, lmb_vec3 from, lmb_vec3 from_end, lmb_vec3 to,
                                   lmb_vec3 to_end)
{
    const lmb_vec3 before = lmb_quat_rotate(f->whole.rotation, lmb_vec3_sub(from_end, from)),
                   after = lmb_vec3_sub(to_end, to);
    const float a = lmb_vec3_length(before), b = lmb_vec3_length(after);
    if (!(a > 0) || !(b > 0)) {
        return f->whole;
    }
    const lmb_quat least =
        lmb_quat_between(lmb_vec3_scale(before, 1 / a), lmb_vec3_scale(after, 1 / b));
    return (joint_motion){lmb_quat_normalize(lmb_quat_mul(least, f->whole.rotation)), b / a};
}

static void find_placed_neighbours(fit *f)
{
    for (uint32_t j = 0; j < f->count; ++j) {
        const int32_t p = f->from->parents[j];
        fit_joint *own = &f->joints[j];
        own->above = own->placed ? (int32_t)j : p == LMB_NONE ? LMB_NONE : f->joints[p].above;
        own->below = LMB_NONE;
    }
    for (uint32_t j = f->count; j-- > 0;) {
        const int32_t p = f->from->parents[j];
        if (p != LMB_NONE && f->joints[p].below == LMB_NONE) {
            f->joints[p].below = f->joints[j].placed ? (int32_t)j : f->joints[j].below;
        }
    }
}

/// Rotation and scale of a joint: of its own bone, of the bone between the placed joints around it,
/// or of the joint above. Several limbs hang from the root, so no single bone determines it.
static joint_motion motion_of(const fit *f, int32_t joint)
{
    const fit_joint *own = &f->joints[joint];
    const int32_t p = f->from->parents[joint];
    if (own->above == LMB_NONE || joint == f->root) {
        return f->whole;
    }
    const fit_joint *above = &f->joints[own->above];
    if (!own->placed) {
        return own->below == LMB_NONE
                   ? above->motion
                   : motion_of_bone(f, at_rest(f, own->above), at_rest(f, own->below), above->to,
                                    f->joints[own->below].to);
    }
    if (own->aimed) {
        return motion_of_bone(f, at_rest(f, joint), own->from_end, own->to, own->to_end);
    }
    return p == LMB_NONE || f->joints[p].above == LMB_NONE ? f->whole : f->joints[p].motion;
}

/// The scale of the whole: by the distances of placed joints from the root.
static float scale_of(const fit *f)
{
    float before = 0, after = 0;
    for (uint32_t j = 0; j < f->count; ++j) {
        if (f->joints[j].placed) {
            before += lmb_vec3_distance(at_rest(f, (int32_t)j), at_rest(f, f->root));
            after += lmb_vec3_distance(f->joints[j].to, f->joints[f->root].to);
        }
    }
    return before > 0 ? after / before : 1;
}

/// From the root to a point of the skeleton, as the whole is rotated.
static lmb_vec3 from_root(const fit *f, lmb_vec3 at)
{
    return lmb_quat_rotate(f->whole.rotation, lmb_vec3_sub(at, at_rest(f, f->root)));
}

/// The position of a joint above the root or beside the body: scaled with the whole, vertically so
/// that the ground stays the ground.
static lmb_vec3 place_above_root(const fit *f, int32_t joint, float ground)
{
    const lmb_vec3 up = f->into->up, root = f->joints[f->root].to,
                   d = from_root(f, at_rest(f, joint));
    const float high = lmb_vec3_dot(d, up), stands = lmb_vec3_dot(root, up),
                floor = lmb_vec3_dot(f->into->ground, up);
    const lmb_vec3 flat = lmb_vec3_scale(lmb_vec3_mad(d, up, -high), f->whole.scale);
    const float per_height = ground < 0 ? (floor - stands) / ground : f->whole.scale;
    return lmb_vec3_mad(lmb_vec3_add(root, flat), up, high * per_height);
}

/// How far the ground is below the root: its lowest joint, or the scene's origin if that is within
/// a tenth of the same height.
static float ground_of(const fit *f)
{
    const lmb_vec3 origin = {0, 0, 0};
    float low = 0;
    for (uint32_t j = 0; j < f->count; ++j) {
        const float h = lmb_vec3_dot(from_root(f, at_rest(f, (int32_t)j)), f->into->up);
        low = f->joints[j].placed ? fminf(low, h) : low;
    }
    const float scene = lmb_vec3_dot(from_root(f, origin), f->into->up);
    return fabsf(scene - low) < -0.1f * low ? scene : low;
}

/// Moves the joints that are not placed. Returns the number of those that are.
static uint32_t move_all(fit *f)
{
    uint32_t placed = 0;
    f->whole.scale = scale_of(f);
    find_placed_neighbours(f);
    const float ground = ground_of(f);
    for (int32_t j = 0; j < (int32_t)f->count; ++j) {
        fit_joint *own = &f->joints[j];
        own->motion = motion_of(f, j);
        placed += own->placed;
        if (own->above == LMB_NONE) {
            own->to = place_above_root(f, j, ground);
        } else if (!own->placed) {
            const lmb_vec3 d = lmb_vec3_sub(at_rest(f, j), at_rest(f, own->above));
            own->to = lmb_vec3_mad(f->joints[own->above].to,
                                   lmb_quat_rotate(own->motion.rotation, d), own->motion.scale);
        }
    }
    return placed;
}

// ---- building

/// Creates the skeleton with rest transforms that put every joint in its new position; scales are
/// kept.
static lmb_result create_skeleton(const fit *f, lmbi_arena *arena, const lmb_allocator *alloc,
                                  lmb_skeleton **out, lmb_error *error)
{
    const lmb_vec3 one = {1, 1, 1};
    lmb_skeleton def = *f->from;
    lmb_transform *model = lmbi_arena_array(arena, f->count, sizeof *model);
    def.rest = lmbi_arena_array(arena, f->count, sizeof *def.rest);
    def.tips = lmbi_arena_array(arena, f->count, sizeof *def.tips);
    if (arena->failed) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t j = 0; j < f->count; ++j) {
        const fit_joint *own = &f->joints[j];
        const int32_t p = def.parents[j];
        const lmb_vec3 scale = f->from->rest[j].scale;
        model[j] =
            (lmb_transform){.translation = own->to,
                            .rotation = lmb_quat_normalize(
                                lmb_quat_mul(own->motion.rotation, f->model[j].rotation)),
                            .scale = p == LMB_NONE ? scale : lmb_vec3_mul(model[p].scale, scale)};
        def.rest[j] = p == LMB_NONE ? model[j] : lmbi_local_of(&model[p], &model[j], scale);
        if (own->placed && own->aimed && (int32_t)j != f->root) {
            const lmb_transform end = {own->to_end, lmb_quat_identity(), one};
            def.tips[j] = lmbi_local_of(&model[j], &end, one).translation;
        } else if (f->from->tips) {
            def.tips[j] = lmb_vec3_scale(f->from->tips[j], own->motion.scale);
        }
    }
    return lmb_skeleton_create(&def, alloc, out, error);
}

static lmb_result place_joints(fit *f, const lmb_joint_map *map, const lmb_allocator *alloc,
                               lmb_error *error)
{
    bool found = map && fit_human(f, map);
    const lmb_result result = map ? LMB_OK : fit_chains(f, alloc, &found, error);
    return result == LMB_OK && !found
               ? lmbi_fail(error, LMB_ERROR_UNSUPPORTED, "a skeleton with limbs like the mesh's",
                           "a skeleton with other limbs than this %s",
                           lmb_skeleton_kind_name(f->into->kind))
               : result;
}

lmb_result lmb_skeleton_fit(const lmb_skeleton *skeleton, const lmb_skeleton_fit_opts *opts,
                            const lmb_embedding *into, const lmb_allocator *alloc,
                            lmb_skeleton **out, lmb_skeleton_fit_report *report, lmb_error *error)
{
    static const lmb_skeleton_fit_opts defaults;
    opts = opts ? opts : &defaults;
    lmbi_arena arena;
    lmbi_arena_init(&arena, alloc);
    fit f = {.from = skeleton, .into = into, .count = skeleton->joint_count, .root = LMB_NONE};
    f.model = lmbi_arena_array(&arena, f.count, sizeof *f.model);
    f.joints = lmbi_arena_array(&arena, f.count, sizeof *f.joints);
    lmb_result result = arena.failed ? lmbi_fail_memory(error) : LMB_OK;
    if (result == LMB_OK) {
        lmbi_rest_model(skeleton, f.model);
        result = place_joints(&f, opts->map, alloc, error);
    }
    if (result == LMB_OK) {
        const uint32_t placed = move_all(&f);
        result = create_skeleton(&f, &arena, alloc, out, error);
        if (result == LMB_OK && report) {
            *report = (lmb_skeleton_fit_report){placed, f.count - placed};
        }
    }
    lmbi_arena_free(&arena);
    return result;
}
