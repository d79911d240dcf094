/// Landmarks: points of a human that the user gives by name.
#include "embed/human/human.h"
#include "geometry/volume.h"
#include "mapping/body_joint.h"

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

// ---- joints

bool lmbi_landmarks_on_all_limbs(const lmbi_landmarks *m)
{
    // An elbow or a wrist is needed: a shoulder alone does not tell where the arm ends.
    bool whole = true;
    for (uint32_t side = 0; side < 2; ++side) {
        const lmbi_landmark_point *arm = m->joint + LMBI_LEFT_UPPER_ARM + 4 * side,
                                  *leg = m->joint + LMBI_LEFT_UPPER_LEG + 4 * side;
        whole = whole && (arm[1].set || arm[2].set) && (leg[1].set || leg[2].set);
    }
    return whole;
}

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

/// Whether the joints of a limb are mirror images of those of the other side.
static bool are_alike(const lmb_vec3 *left, const lmb_vec3 *right)
{
    const float near = 0.05f;
    bool alike = true;
    for (int k = 0; k < 3; ++k) {
        alike = alike && lmb_vec3_distance(left[k], lmbi_mirrored(right[k])) < near;
    }
    return alike;
}

/// Moves the three joints of a limb to their landmarks. The middle one moves half as far as the ends where it has none; if
/// it was seen FAR from its landmark, in heights, a last one without goes on straight: its length is `last` times that
/// before (Drillis, Contini 1966).
static void move_limb(const lmbi_landmark_point *landmarks, float last, lmb_vec3 *at)
{
    static const float FAR = 0.1f;
    const lmb_vec3 seen[3] = {at[0], at[1], at[2]};
    for (int k = 0; k < 3; ++k) {
        at[k] = landmarks[k].set ? landmarks[k].at : at[k];
    }
    if (!landmarks[1].set) {
        const lmb_vec3 by =
            lmb_vec3_add(lmb_vec3_sub(at[0], seen[0]), lmb_vec3_sub(at[2], seen[2]));
        at[1] = lmb_vec3_mad(at[1], by, 0.5f);
    } else if (!landmarks[2].set && lmb_vec3_distance(at[1], seen[1]) > FAR) {
        at[2] = lmb_vec3_mad(at[1], lmb_vec3_sub(at[1], at[0]), last);
    }
}

/// A landmark between the legs tells the height and the depth of the hips.
static void move_hip(const lmbi_landmark_point *groin, lmb_vec3 *at)
{
    const float above = 0.004f;
    if (groin->set) {
        *at = lmb_vec3_make(at->x, groin->at.y + above, groin->at.z);
    }
}

void lmbi_landmarks_move(lmbi_landmarks *landmarks, lmb_vec3 joints[LMBI_BODY_JOINTS])
{
    static const uint32_t shoulders = LMBI_LEFT_SHOULDER, arms = LMBI_LEFT_UPPER_ARM,
                          legs = LMBI_LEFT_UPPER_LEG;
    if (are_alike(joints + arms, joints + arms + 4)) {
        mirror_limb(landmarks, shoulders);
    }
    if (are_alike(joints + legs, joints + legs + 4)) {
        mirror_limb(landmarks, legs);
    }
    for (uint32_t side = 0; side < 2; ++side) {
        move_limb(landmarks->joint + arms + 4 * side, 0.146f / 0.186f, joints + arms + 4 * side);
        move_hip(&landmarks->groin, &joints[legs + 4 * side]);
        move_limb(landmarks->joint + legs + 4 * side, 0.246f / 0.245f, joints + legs + 4 * side);
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
