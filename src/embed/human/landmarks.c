#include "embed/body_joint.h"
#include "embed/human/human.h"
#include "geometry/volume.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

/// Common names of limb joints.
static const struct {
    const char *name;
    uint32_t joint;
} words[] = {{"leftHip", LMBI_LEFT_UPPER_LEG},   {"rightHip", LMBI_RIGHT_UPPER_LEG},
             {"leftKnee", LMBI_LEFT_LOWER_LEG},  {"rightKnee", LMBI_RIGHT_LOWER_LEG},
             {"leftAnkle", LMBI_LEFT_FOOT},      {"rightAnkle", LMBI_RIGHT_FOOT},
             {"leftElbow", LMBI_LEFT_LOWER_ARM}, {"rightElbow", LMBI_RIGHT_LOWER_ARM},
             {"leftWrist", LMBI_LEFT_HAND},      {"rightWrist", LMBI_RIGHT_HAND}};

static const char *joint_name_of(const char *name)
{
    for (size_t w = 0; w < sizeof words / sizeof words[0]; ++w) {
        if (strcmp(name, words[w].name) == 0) {
            return lmbi_body_joint_name(words[w].joint);
        }
    }
    return name;
}

static bool is_landmark(const char *name)
{
    return strcmp(name, "chin") == 0 || strcmp(name, "groin") == 0;
}

bool lmbi_landmarks_are_human(const lmb_joint_marker *markers, uint32_t count)
{
    for (uint32_t k = 0; k < count; ++k) {
        if (is_landmark(markers[k].name) || joint_name_of(markers[k].name) != markers[k].name) {
            return true;
        }
    }
    return false;
}

static lmbi_landmark_point *mark_named(lmbi_landmarks *landmarks, const char *name)
{
    if (is_landmark(name)) {
        return name[0] == 'c' ? &landmarks->chin : &landmarks->groin;
    }
    const char *joint = joint_name_of(name);
    for (uint32_t j = 0; j < LMBI_BODY_JOINTS; ++j) {
        if (strcmp(joint, lmbi_body_joint_name(j)) == 0) {
            return &landmarks->joint[j];
        }
    }
    return NULL;
}

lmbi_landmarks lmbi_landmarks_read(const lmb_joint_marker *markers, uint32_t count)
{
    lmbi_landmarks landmarks = {0};
    for (uint32_t k = 0; k < count; ++k) {
        lmbi_landmark_point *landmark = mark_named(&landmarks, markers[k].name);
        if (landmark) {
            landmarks.count += !landmark->set;
            *landmark = (lmbi_landmark_point){true, markers[k].at};
        }
    }
    return landmarks;
}

static void move_to_frame(lmbi_landmark_point *landmark, const lmbi_frame *frame)
{
    landmark->at = landmark->set ? lmbi_frame_to(frame, landmark->at) : landmark->at;
}

lmbi_landmarks lmbi_landmarks_in_frame(const lmbi_landmarks *landmarks, const lmbi_frame *frame)
{
    lmbi_landmarks moved = *landmarks;
    for (uint32_t j = 0; j < LMBI_BODY_JOINTS; ++j) {
        move_to_frame(&moved.joint[j], frame);
    }
    move_to_frame(&moved.chin, frame);
    move_to_frame(&moved.groin, frame);
    return moved;
}

// ---- axes

static void add_landmark(lmb_vec3 *sum, uint32_t *count, const lmbi_landmark_point *landmark)
{
    if (landmark->set) {
        *sum = lmb_vec3_add(*sum, landmark->at);
        ++*count;
    }
}

static lmb_vec3 nearest_axis(lmb_vec3 v)
{
    const float x = fabsf(v.x), y = fabsf(v.y), z = fabsf(v.z);
    return y >= x && y >= z ? lmb_vec3_make(0, v.y < 0 ? -1.0f : 1.0f, 0)
           : x >= z         ? lmb_vec3_make(v.x < 0 ? -1.0f : 1.0f, 0, 0)
                            : lmb_vec3_make(0, 0, v.z < 0 ? -1.0f : 1.0f);
}

/// The direction from the middle of the low landmarks to the middle of the high ones. The groin
/// counts as whichever of the two is missing.
static bool find_upward(const lmbi_landmarks *m, lmb_vec3 *out)
{
    lmb_vec3 high = {0, 0, 0}, low = {0, 0, 0};
    uint32_t highs = 0, lows = 0;
    add_landmark(&high, &highs, &m->chin);
    for (uint32_t j = LMBI_SPINE; j <= LMBI_HEAD; ++j) {
        add_landmark(&high, &highs, &m->joint[j]);
    }
    for (int side = 0; side < 2; ++side) {
        add_landmark(&high, &highs, &m->joint[LMBI_LEFT_UPPER_ARM + 4 * side]);
        for (uint32_t j = LMBI_LEFT_LOWER_LEG; j <= LMBI_LEFT_TOES; ++j) {
            add_landmark(&low, &lows, &m->joint[j + 4 * (uint32_t)side]);
        }
    }
    if (highs == 0) {
        add_landmark(&high, &highs, &m->groin);
    } else if (lows == 0) {
        add_landmark(&low, &lows, &m->groin);
    }
    if (highs == 0 || lows == 0) {
        return false;
    }
    *out =
        lmb_vec3_sub(lmb_vec3_scale(high, 1 / (float)highs), lmb_vec3_scale(low, 1 / (float)lows));
    return lmb_vec3_dot(*out, *out) > 0;
}

void lmbi_landmarks_axes(const lmbi_landmarks *m, lmb_vec3 *up, lmb_vec3 *forward)
{
    lmb_vec3 rise, left = {0, 0, 0};
    if (!(lmb_vec3_dot(*up, *up) > 0) && find_upward(m, &rise)) {
        *up = nearest_axis(rise);
    }
    for (uint32_t j = LMBI_LEFT_SHOULDER; j <= LMBI_LEFT_TOES; ++j) {
        const bool of_left = j < LMBI_RIGHT_SHOULDER || j >= LMBI_LEFT_UPPER_LEG;
        if (of_left && m->joint[j].set && m->joint[j + 4].set) {
            left = lmb_vec3_add(left, lmb_vec3_sub(m->joint[j].at, m->joint[j + 4].at));
        }
    }
    const lmb_vec3 ahead = lmb_vec3_cross(left, *up);
    if (!(lmb_vec3_dot(*forward, *forward) > 0) && lmb_vec3_dot(ahead, ahead) > 0) {
        *forward = lmb_vec3_normalize_or(ahead, *forward);
    }
}

// ---- tips

/// The outermost landmark of a limb, the one before it, and how far beyond it the limb may end, as
/// a fraction of the figure's size.
typedef struct limb_end {
    const lmbi_landmark_point *last, *before;
    float beyond;
} limb_end;

static limb_end end_of(const lmbi_landmarks *m, uint32_t first, const float beyond[3])
{
    const lmbi_landmark_point *at = m->joint + first;
    for (int k = 2; k >= 0; --k) {
        if (at[k].set) {
            return (limb_end){&at[k], k > 0 && at[k - 1].set ? &at[k - 1] : NULL, beyond[k]};
        }
    }
    return (limb_end){0};
}

static limb_end arm_end(const lmbi_landmarks *m, int side)
{
    // An elbow or a wrist is needed: a shoulder alone does not tell where the arm ends.
    limb_end end =
        end_of(m, (uint32_t)(LMBI_LEFT_UPPER_ARM + 4 * side), (const float[3]){0, 0.26f, 0.11f});
    return end.beyond > 0 ? end : (limb_end){0};
}

static limb_end leg_end(const lmbi_landmarks *m, int side)
{
    limb_end end =
        end_of(m, (uint32_t)(LMBI_LEFT_UPPER_LEG + 4 * side), (const float[3]){0, 0.28f, 0.06f});
    return end.beyond > 0 ? end : (limb_end){0};
}

bool lmbi_landmarks_on_all_limbs(const lmbi_landmarks *m)
{
    bool whole = true;
    for (int side = 0; side < 2; ++side) {
        whole = whole && arm_end(m, side).last && leg_end(m, side).last;
    }
    return whole;
}

static bool is_among(const int32_t used[4], int32_t tip)
{
    return used[0] == tip || used[1] == tip || used[2] == tip || used[3] == tip;
}

/// Adds a tip where a marked limb must end but the solid has none.
static int32_t create_tip(const lmbi_voxel_body *body, lmb_vec3 at, const int32_t used[4],
                          lmbi_tip *tips, uint32_t *tip_count)
{
    uint32_t index = *tip_count < LMBI_MAX_TIPS ? (*tip_count)++ : LMBI_MAX_TIPS - 1;
    while (is_among(used, (int32_t)index)) {
        --index; // cannot run out: there are ten times as many tips as limbs
    }
    tips[index] = lmbi_tip_at(body, at);
    return (int32_t)index;
}

/// The unused tip nearest to where the limb should end, or a new one.
static int32_t match_tip(const lmbi_voxel_body *body, limb_end end, lmb_vec3 along, float size,
                         const int32_t used[4], lmbi_tip *tips, uint32_t *tip_count)
{
    if (end.before) {
        along = lmb_vec3_normalize_or(lmb_vec3_sub(end.last->at, end.before->at), along);
    }
    const lmb_vec3 wanted = lmb_vec3_mad(end.last->at, along, size * end.beyond);
    float least = size * fmaxf(1.3f * end.beyond, 0.16f);
    int32_t best = LMB_NONE;
    for (uint32_t t = 0; t < *tip_count; ++t) {
        const lmb_vec3 from = lmb_vec3_sub(tips[t].position, end.last->at);
        const float d = lmb_vec3_distance(tips[t].position, wanted);
        if (!is_among(used, (int32_t)t) && d < least && lmb_vec3_dot(from, along) > -0.02f * size) {
            least = d;
            best = (int32_t)t;
        }
    }
    return best != LMB_NONE ? best : create_tip(body, wanted, used, tips, tip_count);
}

static float size_of(const lmbi_voxel_body *body, lmb_vec3 up)
{
    float low = 1e30f, high = -1e30f;
    for (uint32_t s = 0; s < body->solid_count; ++s) {
        const float h = lmb_vec3_dot(body->at[s], up);
        low = fminf(low, h);
        high = fmaxf(high, h);
    }
    return high > low ? high - low : 1;
}

lmbi_landmark_tips lmbi_landmarks_match_tips(const lmbi_landmarks *m, const lmbi_voxel_body *body,
                                             lmb_vec3 up, lmbi_tip *tips, uint32_t *tip_count)
{
    const float size = size_of(body, up);
    int32_t found[4] = {LMB_NONE, LMB_NONE, LMB_NONE, LMB_NONE};
    // Arms come first, so that a hand beside a knee is not matched as a foot.
    for (int limb = 0; limb < 4; ++limb) {
        const limb_end end = limb < 2 ? arm_end(m, limb) : leg_end(m, limb - 2);
        if (end.last) {
            const lmb_vec3 along = limb < 2 ? lmb_vec3_make(0, 0, 0) : lmb_vec3_neg(up);
            found[limb] = match_tip(body, end, along, size, found, tips, tip_count);
        }
    }
    // Move the tips to the front, because searches consider only the first ones.
    for (int limb = 0; limb < 4; ++limb) {
        if (found[limb] != LMB_NONE) {
            const lmbi_tip swapped = tips[limb];
            tips[limb] = tips[found[limb]];
            tips[found[limb]] = swapped;
            for (int k = limb + 1; k < 4; ++k) {
                found[k] = found[k] == limb ? found[limb] : found[k];
            }
            found[limb] = limb;
        }
    }
    return (lmbi_landmark_tips){{found[0], found[1]}, {found[2], found[3]}};
}

// ---- joints

static void mirror_limb(lmbi_landmarks *landmarks, uint32_t first)
{
    for (uint32_t j = first; j < first + 4; ++j) {
        lmbi_landmark_point *left = &landmarks->joint[j], *right = &landmarks->joint[j + 4];
        if (left->set != right->set) {
            const lmb_vec3 p = left->set ? left->at : right->at;
            *(left->set ? right : left) = (lmbi_landmark_point){true, lmbi_mirrored(p)};
        }
    }
}

void lmbi_landmarks_mirror(lmbi_landmarks *landmarks, const bool alike[2])
{
    if (alike[0]) {
        mirror_limb(landmarks, LMBI_LEFT_SHOULDER);
    }
    if (alike[1]) {
        mirror_limb(landmarks, LMBI_LEFT_UPPER_LEG);
    }
}

lmb_result lmbi_markers_apply(const lmb_joint_marker *markers, uint32_t count, lmb_embedding *e,
                              lmb_error *error)
{
    for (uint32_t k = 0; k < count; ++k) {
        const bool human = e->kind == LMB_SKELETON_HUMAN;
        const char *name = human ? joint_name_of(markers[k].name) : markers[k].name;
        bool found = human && is_landmark(name);
        for (uint32_t j = 0; j < e->joint_count && !found; ++j) {
            if (strcmp(e->names[j], name) == 0) {
                const bool leaf = lmb_vec3_distance(e->tips[j], e->joints[j]) > 0;
                found = true;
                e->joints[j] = markers[k].at;
                e->tips[j] = leaf ? e->tips[j] : e->joints[j];
                e->confidence[j] = 1;
                e->reason[j] = "a marker";
            }
        }
        if (!found) {
            return lmbi_fail(error, LMB_ERROR_INVALID,
                             human ? "markers called chin, groin, leftWrist, leftElbow, leftKnee, "
                                     "rightWrist … or as a joint of the skeleton"
                                   : "markers called as joints of the skeleton",
                             "\"%.40s\", which this %s does not have", markers[k].name,
                             lmb_skeleton_kind_name(e->kind));
        }
    }
    return LMB_OK;
}
