/// Attaches points to joints by their names.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "capture/fit.h"
#include "mapping/mapping.h"
#include "mapping/names.h"

/// The name after the last ':' or '|', which end the subject's name.
static const char *strip_prefix(const char *name)
{
    for (const char *at = name; *at != 0; ++at) {
        if ((*at == ':' || *at == '|') && at[1] != 0) {
            name = at + 1;
        }
    }
    return name;
}

static bool same_word(const char *a, const char *b)
{
    for (; *a != 0 && *b != 0; ++a, ++b) {
        const char x = *a >= 'A' && *a <= 'Z' ? (char)(*a + 32) : *a,
                   y = *b >= 'A' && *b <= 'Z' ? (char)(*b + 32) : *b;
        if (x != y) {
            return false;
        }
    }
    return *a == *b;
}

static int32_t find_joint(const lmb_skeleton *skeleton, const char *name)
{
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        if (same_word(strip_prefix(skeleton->names[j]), name)) {
            return (int32_t)j;
        }
    }
    return LMB_NONE;
}

/// Which names occur among all points, to resolve names that may mean two joints.
typedef struct name_context {
    bool arm[2], thigh[2], ankle[2]; ///< left, right
} name_context;

static name_context collect_names(const lmbi_fitting *fit)
{
    name_context c = {0};
    for (uint32_t m = 0; m < fit->point_count; ++m) {
        const lmbi_name n = lmbi_name_read(strip_prefix(fit->names[m]));
        const int side = n.side < 0;
        c.arm[side] |= n.part == PART_ARM || n.part == PART_UPPER_ARM;
        c.thigh[side] |= n.part == PART_SIDE_HIP || n.part == PART_THIGH;
        c.ankle[side] |= n.part == PART_ANKLE;
    }
    return c;
}

static int bone_of_sided(const lmbi_name *n, const name_context *context)
{
    const int s = n->side < 0;
    switch (n->part) {
    case PART_CLAVICLE:
        return LMB_HUMAN_LEFT_SHOULDER;
    case PART_SHOULDER:
        return context->arm[s] ? LMB_HUMAN_LEFT_SHOULDER : LMB_HUMAN_LEFT_UPPER_ARM;
    case PART_ARM:
    case PART_UPPER_ARM:
        return LMB_HUMAN_LEFT_UPPER_ARM;
    case PART_FOREARM:
        return LMB_HUMAN_LEFT_LOWER_ARM;
    case PART_WRIST:
    case PART_HAND:
        return LMB_HUMAN_LEFT_HAND;
    case PART_HIPS:
    case PART_SIDE_HIP:
    case PART_THIGH:
        return LMB_HUMAN_LEFT_UPPER_LEG;
    case PART_LEG:
        return context->thigh[s] ? LMB_HUMAN_LEFT_LOWER_LEG : LMB_HUMAN_LEFT_UPPER_LEG;
    case PART_SHIN:
        return LMB_HUMAN_LEFT_LOWER_LEG;
    case PART_ANKLE:
        return LMB_HUMAN_LEFT_FOOT;
    case PART_FOOT:
        return context->ankle[s] ? LMB_HUMAN_LEFT_TOES : LMB_HUMAN_LEFT_FOOT;
    case PART_TOE:
        return LMB_HUMAN_LEFT_TOES;
    default:
        return LMB_HUMAN_BONE_COUNT;
    }
}

static int bone_of(const char *name, const name_context *context)
{
    const lmbi_name n = lmbi_name_read(name);
    if (n.end || n.control || n.twist || n.helper) {
        return LMB_HUMAN_BONE_COUNT;
    }
    if (n.side != 0) {
        const int bone = bone_of_sided(&n, context);
        return n.side < 0 && bone < LMB_HUMAN_BONE_COUNT
                   ? (int)lmb_human_bone_mirror((lmb_human_bone)bone)
                   : bone;
    }
    switch (n.part) {
    case PART_ROOT:
    case PART_HIPS:
        return LMB_HUMAN_HIPS;
    case PART_SPINE:
        return n.numbers[0] >= 3   ? LMB_HUMAN_UPPER_CHEST
               : n.numbers[0] == 2 ? LMB_HUMAN_CHEST
                                   : LMB_HUMAN_SPINE;
    case PART_NECK:
        return LMB_HUMAN_NECK;
    case PART_HEAD:
        return LMB_HUMAN_HEAD;
    default:
        return LMB_HUMAN_BONE_COUNT;
    }
}

static bool is_taken(const lmbi_fitting *fit, uint32_t before, int32_t joint)
{
    for (uint32_t m = 0; m < before; ++m) {
        if (fit->attachments[m].joint == joint) {
            return true;
        }
    }
    return false;
}

/// The joint of a bone; along the spine, the next one up without an attached point.
static int32_t free_joint(const lmbi_fitting *fit, uint32_t m, int bone)
{
    const lmb_joint_map *map = &fit->subject.map;
    while (bone >= LMB_HUMAN_SPINE && bone < LMB_HUMAN_UPPER_CHEST &&
           (map->bones[bone].joint < 0 || is_taken(fit, m, map->bones[bone].joint))) {
        ++bone;
    }
    return bone < LMB_HUMAN_BONE_COUNT ? map->bones[bone].joint : LMB_NONE;
}

/// Rigs agree on where ankles, knees, hips, shoulders, elbows and wrists are, not on where the
/// spine, neck, head, collarbones or toes begin.
static bool is_loose(const lmb_joint_map *map, int32_t joint)
{
    static const uint8_t agreed[] = {
        LMB_HUMAN_LEFT_UPPER_LEG,  LMB_HUMAN_LEFT_LOWER_LEG,  LMB_HUMAN_LEFT_FOOT,
        LMB_HUMAN_RIGHT_UPPER_LEG, LMB_HUMAN_RIGHT_LOWER_LEG, LMB_HUMAN_RIGHT_FOOT,
        LMB_HUMAN_LEFT_UPPER_ARM,  LMB_HUMAN_LEFT_LOWER_ARM,  LMB_HUMAN_LEFT_HAND,
        LMB_HUMAN_RIGHT_UPPER_ARM, LMB_HUMAN_RIGHT_LOWER_ARM, LMB_HUMAN_RIGHT_HAND};
    for (size_t k = 0; k < sizeof agreed; ++k) {
        if (map->bones[agreed[k]].joint == joint) {
            return false;
        }
    }
    return true;
}

/// Finds joints by their own names, then by bone names, then by the words in them. One point per
/// joint.
static uint32_t attach_joints(lmbi_fitting *fit)
{
    const name_context context = collect_names(fit);
    const lmbi_fit_subject *s = &fit->subject;
    uint32_t found = 0;
    for (uint32_t m = 0; m < fit->point_count; ++m) {
        const char *name = strip_prefix(fit->names[m]);
        int32_t joint = find_joint(s->character->skeleton, name);
        const bool exactly = joint >= 0;
        if (joint < 0 && s->humanoid) {
            const int exact = (int)lmb_human_bone_find(name);
            const int bone = exact < LMB_HUMAN_BONE_COUNT ? exact : bone_of(name, &context);
            joint = free_joint(fit, m, bone);
        }
        const bool is_new = joint >= 0 && !is_taken(fit, m, joint);
        fit->attachments[m] =
            (lmbi_attachment){.joint = is_new ? joint : LMB_NONE,
                              .loose = is_new && !exactly && is_loose(&s->map, joint),
                              .exact = is_new && exactly};
        found += is_new;
    }
    return found;
}

/// The joint of the bone, or of its nearest ancestor that the character has.
static int32_t nearest_joint(const lmbi_fit_subject *s, int bone)
{
    while (bone < LMB_HUMAN_BONE_COUNT && s->map.bones[bone].joint < 0) {
        bone = (int)lmbi_human_bone_parent((lmb_human_bone)bone);
    }
    return bone < LMB_HUMAN_BONE_COUNT ? s->map.bones[bone].joint : LMB_NONE;
}

/// Transforms a point of the rest pose into a joint's frame.
static lmb_vec3 in_joint_frame(const lmb_mat4 *model, int32_t joint, lmb_vec3 point)
{
    lmb_mat4 joint_from_model;
    return lmb_mat4_inverse_affine(model[joint], &joint_from_model)
               ? lmb_mat4_point(joint_from_model, point)
               : lmb_vec3_make(0, 0, 0);
}

static uint32_t attach_markers(lmbi_fitting *fit, lmbi_attachment *attachments)
{
    const lmbi_fit_subject *s = &fit->subject;
    uint32_t found = 0;
    lmbi_subject_model(s, s->rest, fit->model);
    for (uint32_t m = 0; m < fit->point_count; ++m) {
        lmbi_marker_guess guess;
        attachments[m] = (lmbi_attachment){.joint = LMB_NONE};
        if (!s->humanoid || !lmbi_marker_name_read(strip_prefix(fit->names[m]), &guess)) {
            continue;
        }
        const int32_t joint = nearest_joint(s, guess.segment), near = nearest_joint(s, guess.near);
        if (joint >= 0 && near >= 0) {
            const lmb_vec3 at = lmb_vec3_mad(s->positions[near], guess.offset, s->height / 1.6f);
            attachments[m].joint = joint;
            attachments[m].loose = true;
            attachments[m].offset = in_joint_frame(fit->model, joint, at);
            ++found;
        }
    }
    return found;
}

static bool is_trunk(const lmbi_fitting *fit, int32_t joint)
{
    static const uint8_t bones[] = {
        LMB_HUMAN_HIPS,           LMB_HUMAN_LEFT_UPPER_LEG, LMB_HUMAN_RIGHT_UPPER_LEG,
        LMB_HUMAN_LEFT_SHOULDER,  LMB_HUMAN_RIGHT_SHOULDER, LMB_HUMAN_LEFT_UPPER_ARM,
        LMB_HUMAN_RIGHT_UPPER_ARM};
    const lmb_joint_map *map = &fit->subject.map;
    for (size_t k = 0; k < sizeof bones; ++k) {
        if (map->bones[bones[k]].joint == joint && (k == 0 || fit->kind == LMB_FIT_POSITIONS)) {
            return true;
        }
    }
    for (uint32_t k = 0; k < map->spine_count; ++k) {
        if (map->spine[k] == joint) {
            return true;
        }
    }
    return !fit->subject.humanoid;
}

static void mark_active(lmbi_fitting *fit)
{
    const int32_t *parents = fit->subject.skeleton.parents;
    for (uint32_t m = 0; m < fit->point_count; ++m) {
        for (int32_t j = fit->attachments[m].joint; j >= 0; j = parents[j]) {
            fit->active[j] = j >= (int32_t)fit->subject.root;
        }
    }
}

/// Detaches points of joints that are not below the root.
static void detach_outside_root(lmbi_fitting *fit)
{
    for (uint32_t m = 0; m < fit->point_count; ++m) {
        int32_t j = fit->attachments[m].joint;
        while (j > (int32_t)fit->subject.root) {
            j = fit->subject.skeleton.parents[j];
        }
        if (fit->attachments[m].joint >= 0 && j != (int32_t)fit->subject.root) {
            fit->attachments[m].joint = LMB_NONE;
        }
        fit->attachments[m].trunk =
            fit->attachments[m].joint >= 0 && is_trunk(fit, fit->attachments[m].joint);
    }
}

static void attach_given(lmbi_fitting *fit)
{
    for (uint32_t m = 0; m < fit->point_count; ++m) {
        const int32_t joint = fit->opts->joints[m];
        const bool valid = joint >= 0 && joint < (int32_t)fit->subject.count;
        fit->attachments[m].loose = fit->kind == LMB_FIT_MARKERS;
        fit->attachments[m].exact = fit->kind == LMB_FIT_POSITIONS;
        if (!valid || joint != fit->attachments[m].joint) {
            fit->attachments[m].offset = lmb_vec3_make(0, 0, 0);
        }
        fit->attachments[m].joint = valid ? joint : LMB_NONE;
    }
}

/// Number of joints with attached points.
static uint32_t count_joints(const lmbi_fitting *fit)
{
    uint32_t count = 0;
    for (uint32_t m = 0; m < fit->point_count; ++m) {
        count += fit->attachments[m].joint >= 0 && !is_taken(fit, m, fit->attachments[m].joint);
    }
    return count;
}

lmb_result lmbi_fit_attach(lmbi_fitting *fit, lmb_error *error)
{
    lmbi_attachment *markers = lmbi_arena_array(fit->arena, fit->point_count, sizeof *markers);
    if (markers == NULL) {
        return lmbi_fail_memory(error);
    }
    const uint32_t as_joints = attach_joints(fit), as_markers = attach_markers(fit, markers);
    fit->kind = fit->opts->kind;
    if (fit->kind == LMB_FIT_AUTO) {
        fit->kind = as_markers > as_joints ? LMB_FIT_MARKERS : LMB_FIT_POSITIONS;
    }
    if (fit->kind == LMB_FIT_MARKERS) {
        memcpy(fit->attachments, markers, fit->point_count * sizeof *markers);
        lmbi_subject_twist_forearms(&fit->subject);
    }
    if (fit->opts->joints != NULL) {
        attach_given(fit);
    }
    detach_outside_root(fit);
    uint32_t trunk = 0;
    for (uint32_t m = 0; m < fit->point_count; ++m) {
        trunk += fit->attachments[m].trunk;
    }
    mark_active(fit);
    if (trunk >= 3 && count_joints(fit) < 3) {
        return lmbi_fail(error, LMB_ERROR_UNSUPPORTED, "points on three joints or more",
                         "points on %u", (unsigned)count_joints(fit));
    }
    if (trunk < 3) {
        return lmbi_fail(error, LMB_ERROR_UNSUPPORTED,
                         "three points whose names say where on the trunk they are",
                         "a recording with %u such points of %u (three are needed)",
                         (unsigned)trunk, (unsigned)fit->point_count);
    }
    return LMB_OK;
}
