/// Fits a human's skeleton: matches its joints by their meaning.
#include "embed/body_joint.h"
#include "embed/fit/fit.h"

#include <math.h>

enum { LONGEST = 48 };

typedef struct body {
    lmbi_fit *f;
    const int32_t *joint; ///< [LMBI_HUMANOID_JOINTS]
} body;

static bool is_below(const lmb_skeleton *s, int32_t joint, int32_t ancestor)
{
    while (joint != LMB_NONE && joint != ancestor) {
        joint = s->parents[joint];
    }
    return joint != LMB_NONE;
}

// ---- the whole

static lmb_vec3 offset_between(const lmb_vec3 *at, const int32_t *of, int from, int to)
{
    const lmb_vec3 zero = {0, 0, 0};
    const int32_t a = of ? of[from] : from, b = of ? of[to] : to;
    return a == LMB_NONE || b == LMB_NONE ? zero : lmb_vec3_sub(at[b], at[a]);
}

/// The rotation whose up and left axes come from the hips, the head and the limbs' roots. `of` maps
/// humanoid joints to indices of `at`; NULL is the identity.
static bool axes_of(const lmb_vec3 *at, const int32_t *of, const int32_t *have, lmb_quat *out)
{
    const int top = have[LMBI_NECK] != LMB_NONE ? LMBI_NECK : LMBI_HEAD;
    const lmb_vec3 up = offset_between(at, of, LMBI_HIPS, top);
    lmb_vec3 left = {0, 0, 0};
    static const int pairs[2] = {LMBI_LEFT_UPPER_LEG, LMBI_LEFT_UPPER_ARM};
    for (int k = 0; k < 2; ++k) {
        if (have[pairs[k]] != LMB_NONE && have[pairs[k] + 4] != LMB_NONE) {
            left = lmb_vec3_add(left, offset_between(at, of, pairs[k] + 4, pairs[k]));
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

static float mean_distance(const lmb_vec3 *at, const int32_t *of, const int32_t *have)
{
    float sum = 0;
    for (int j = 0; j < LMBI_BODY_JOINTS; ++j) {
        sum += have[j] != LMB_NONE && have[LMBI_HIPS] != LMB_NONE
                   ? lmb_vec3_length(offset_between(at, of, LMBI_HIPS, j))
                   : 0;
    }
    return sum;
}

static bool align_whole(body *b)
{
    lmbi_fit *f = b->f;
    lmb_quat before, after;
    const float was = mean_distance(f->at, b->joint, b->joint),
                is = mean_distance(f->into->joints, NULL, b->joint);
    if (!(was > 0) || !axes_of(f->at, b->joint, b->joint, &before) ||
        !axes_of(f->into->joints, NULL, b->joint, &after)) {
        return false;
    }
    f->rotation = lmb_quat_normalize(lmb_quat_mul(after, lmb_quat_conjugate(before)));
    f->scale = is / was;
    return true;
}

// ---- ends

/// The point of the subtree at a joint that is farthest from it; returns the distance. Used for the
/// ends of heads, hands and toes.
static float farthest_below(const lmbi_fit *f, int32_t joint, lmb_vec3 *out)
{
    float far = 0;
    for (uint32_t j = (uint32_t)joint; j < f->count; ++j) {
        if (!is_below(f->from, (int32_t)j, joint)) {
            continue;
        }
        const lmb_vec3 ends[2] = {f->at[j], lmbi_fit_tip(f, j)};
        for (int k = 0; k < 2; ++k) {
            const float d = lmb_vec3_distance(ends[k], f->at[joint]);
            if (d > far) {
                far = d;
                *out = ends[k];
            }
        }
    }
    return far;
}

/// Aims the bone of a head, a hand or the toes at the end of its subtree, if that lies roughly in
/// the direction of the limb.
static void aim_at_end(body *b, int j, int before)
{
    lmbi_fit *f = b->f;
    const int32_t joint = b->joint[j];
    lmb_vec3 end;
    if (joint == LMB_NONE || b->joint[before] == LMB_NONE ||
        !(farthest_below(f, joint, &end) > 0)) {
        return;
    }
    const lmb_vec3 along = lmb_vec3_sub(f->at[joint], f->at[b->joint[before]]),
                   on = lmb_vec3_sub(end, f->at[joint]);
    if (lmb_vec3_dot(along, on) > 0.3f * lmb_vec3_length(along) * lmb_vec3_length(on)) {
        lmbi_fit_set_bone(f, joint, end, f->into->tips[j]);
    }
}

// ---- parts

/// Lists the joints strictly above `low` and below `high` in the tree, from the top down. If `high`
/// is no ancestor the list starts below the first common ancestor.
static void list_between(const lmb_skeleton *s, int32_t high, int32_t low, int32_t out[LONGEST],
                         uint32_t *out_count)
{
    int32_t up[LONGEST];
    uint32_t count = 0;
    for (int32_t j = s->parents[low]; j != LMB_NONE && count < LONGEST; j = s->parents[j]) {
        if (is_below(s, high, j)) {
            break;
        }
        up[count++] = j;
    }
    for (uint32_t k = 0; k < count; ++k) {
        out[k] = up[count - 1 - k];
    }
    *out_count = count;
}

/// Places hips, spine, neck and head; joints in between keep their fractions of the length.
static void place_trunk(body *b)
{
    lmbi_fit *f = b->f;
    const lmb_vec3 *to = f->into->joints;
    const int32_t hips = b->joint[LMBI_HIPS], head = b->joint[LMBI_HEAD];
    const int32_t neck = b->joint[LMBI_NECK] != LMB_NONE ? b->joint[LMBI_NECK] : head;
    int32_t chain[LONGEST + 2] = {hips};
    uint32_t count;
    list_between(f->from, hips, neck, chain + 1, &count);
    chain[count + 1] = neck;
    const lmb_vec3 back[6] = {to[LMBI_HIPS],        to[LMBI_SPINE], to[LMBI_CHEST],
                              to[LMBI_UPPER_CHEST], to[LMBI_NECK],  to[LMBI_HEAD]};
    const bool to_neck = b->joint[LMBI_NECK] != LMB_NONE;
    lmbi_fit_place_chain(f, &(lmbi_fit_chain){chain, count + 2, false, {0, 0, 0}}, back,
                         to_neck ? 5 : 6);
    // Several limbs hang from the hips, so no single bone determines their rotation.
    f->bones[hips].known = false;
    if (to_neck && head != LMB_NONE && is_below(f->from, head, neck)) {
        chain[0] = neck;
        list_between(f->from, neck, head, chain + 1, &count);
        chain[count + 1] = head;
        lmbi_fit_place_chain(f, &(lmbi_fit_chain){chain, count + 2, false, {0, 0, 0}}, back + 4, 2);
    }
}

static void place_limb(body *b, int first, int last)
{
    lmbi_fit *f = b->f;
    int32_t before = LMB_NONE;
    for (int j = first; j <= last; ++j) {
        const int32_t joint = b->joint[j];
        if (joint == LMB_NONE) {
            continue;
        }
        lmbi_fit_set_position(f, joint, f->into->joints[j]);
        if (before != LMB_NONE && is_below(f->from, joint, before)) {
            lmbi_fit_set_bone(f, before, f->at[joint], f->to[joint]);
        }
        before = joint;
    }
}

/// Places fingers if the embedding has them, and aims the hand at the root of the middle one.
static void place_fingers(body *b, int side)
{
    lmbi_fit *f = b->f;
    if (f->into->joint_count < LMBI_HUMANOID_JOINTS) {
        return;
    }
    const int first = LMBI_BODY_JOINTS + side * LMBI_FINGER_JOINTS / 2;
    for (int finger = 0; finger < 5; ++finger) {
        const int root = first + 3 * finger;
        place_limb(b, root, root + 2);
        lmb_vec3 end;
        if (b->joint[root + 2] != LMB_NONE && farthest_below(f, b->joint[root + 2], &end) > 0) {
            lmbi_fit_set_bone(f, b->joint[root + 2], end, f->into->tips[root + 2]);
        }
    }
    const int32_t hand = b->joint[LMBI_LEFT_HAND + 4 * side], middle = b->joint[first + 6];
    if (hand != LMB_NONE && middle != LMB_NONE) {
        lmbi_fit_set_bone(f, hand, f->at[middle], f->to[middle]);
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

bool lmbi_fit_human(lmbi_fit *f, const int32_t *humanoid)
{
    body b = {f, humanoid};
    if (f->into->kind != LMB_SKELETON_HUMAN || !has_enough_joints(humanoid) || !align_whole(&b)) {
        return false;
    }
    f->root = humanoid[LMBI_HIPS];
    place_trunk(&b);
    aim_at_end(&b, LMBI_HEAD, LMBI_NECK);
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

/// Shares the joints of a chain out along a polyline.
void lmbi_fit_place_chain(lmbi_fit *f, const lmbi_fit_chain *chain, const lmb_vec3 *line,
                          uint32_t line_count)
{
    float total = 0, length = 0, arc = 0;
    for (uint32_t k = 1; k < chain->count; ++k) {
        total += lmb_vec3_distance(f->at[chain->joints[k - 1]], f->at[chain->joints[k]]);
    }
    total += chain->ends
                 ? lmb_vec3_distance(f->at[chain->joints[chain->count - 1]], chain->from_end)
                 : 0;
    for (uint32_t k = 1; k < line_count; ++k) {
        length += lmb_vec3_distance(line[k - 1], line[k]);
    }
    for (uint32_t k = 0; k < chain->count; ++k) {
        arc += k ? lmb_vec3_distance(f->at[chain->joints[k - 1]], f->at[chain->joints[k]]) : 0;
        float rest = total > 0 ? length * arc / total : 0;
        uint32_t p = 0;
        while (p + 2 < line_count && rest > lmb_vec3_distance(line[p], line[p + 1])) {
            rest -= lmb_vec3_distance(line[p], line[p + 1]);
            ++p;
        }
        const float step = lmb_vec3_distance(line[p], line[p + 1]);
        lmbi_fit_set_position(
            f, chain->joints[k],
            lmb_vec3_lerp(line[p], line[p + 1], step > 0 ? fminf(1, rest / step) : 0));
        if (k > 0) {
            lmbi_fit_set_bone(f, chain->joints[k - 1], f->at[chain->joints[k]],
                              f->to[chain->joints[k]]);
        }
    }
    if (chain->ends) {
        lmbi_fit_set_bone(f, chain->joints[chain->count - 1], chain->from_end,
                          line[line_count - 1]);
    }
}
