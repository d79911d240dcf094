/// Distribution of twist. Helpers along a forearm or shin rotate with hand or foot, in proportion
/// to their position along the bone; those of an upper arm or thigh undo the bone's own twist, in
/// proportion to their distance from its end. Joints in line with the limb cut the bone into
/// segments: a segment of a forearm takes the twist at its beginning, one of an upper arm that at
/// its end, so that the elbow needs none.
#include "retarget/transfer.h"

#include "asset/tree.h"
#include "mapping/mapper.h"

#define BESIDE 0.15f  ///< greatest distance of a helper from the bone, in bone lengths
#define IN_LINE 0.02f ///< and of a joint that continues the limb

typedef struct bone {
    int upper;   ///< human bone at the beginning; the next one is at its end
    bool undoes; ///< helpers undo the bone's own twist; else they distribute the next bone's
} bone;

static const bone bones[] = {
    {LMB_HUMAN_LEFT_UPPER_ARM, true},  {LMB_HUMAN_RIGHT_UPPER_ARM, true},
    {LMB_HUMAN_LEFT_LOWER_ARM, false}, {LMB_HUMAN_RIGHT_LOWER_ARM, false},
    {LMB_HUMAN_LEFT_UPPER_LEG, true},  {LMB_HUMAN_RIGHT_UPPER_LEG, true},
    {LMB_HUMAN_LEFT_LOWER_LEG, false}, {LMB_HUMAN_RIGHT_LOWER_LEG, false},
};

/// The driven joint that moves a joint: itself or the nearest ancestor.
static int32_t driven_above(const lmbi_transfer *t, int32_t joint)
{
    const int32_t *parents = t->target->skeleton->parents;
    while (joint >= 0 && t->driven_of[joint] < 0) {
        joint = parents[joint];
    }
    return joint >= 0 ? t->driven_of[joint] : LMB_NONE;
}

/// Parameter of a joint along the bone, 0 to 1; negative if it does not lie on it.
static float parameter_on(lmb_vec3 from, lmb_vec3 to, lmb_vec3 p, float beside)
{
    const lmb_vec3 line = lmb_vec3_sub(to, from), d = lmb_vec3_sub(p, from);
    const float length2 = lmb_vec3_dot(line, line);
    const float along = length2 > 0.0f ? lmb_vec3_dot(d, line) / length2 : -1.0f;
    const float aside = lmb_vec3_length(lmb_vec3_mad(d, line, -along));
    return aside <= beside * lmb_sqrt(length2) && along <= 1.0f ? along : -1.0f;
}

/// Gives a joint a fraction of the bone's twist.
static void add_twist(lmbi_transfer *t, const bone *b, uint32_t joint, float fraction)
{
    const lmbi_humanoid *body = t->target;
    const int32_t first = lmbi_driven_slot(t, b->upper), last = lmbi_driven_slot(t, b->upper + 1);
    const lmb_vec3 from = lmbi_reference_at(body, b->upper),
                   to = lmbi_reference_at(body, b->upper + 1);
    const int32_t above = driven_above(t, body->skeleton->parents[t->driven[first].joint]);
    if (b->undoes && above < 0) {
        return;
    }
    const lmb_quat back = lmb_quat_conjugate(body->reference[t->driven[first].joint].rotation);
    t->twist_of[joint] = (int32_t)t->twist_count;
    t->twists[t->twist_count++] = (lmbi_twist){
        .joint = joint,
        .bone = first,
        .from = b->undoes ? above : first,
        .to = b->undoes ? first : last,
        .undoes = b->undoes,
        .fraction = b->undoes ? fraction - 1.0f : fraction,
        .axis = lmb_quat_rotate(
            back, lmb_vec3_normalize_or(lmb_vec3_sub(to, from), lmb_vec3_make(1, 0, 0))),
        .rest = lmb_quat_mul(back, body->reference[joint].rotation),
    };
}

static float along_bone(const lmbi_transfer *t, const bone *b, uint32_t joint, float beside)
{
    const lmbi_humanoid *body = t->target;
    return parameter_on(lmbi_reference_at(body, b->upper), lmbi_reference_at(body, b->upper + 1),
                        body->reference[joint].translation, beside);
}

/// Whether a driven joint descends from this one.
static bool carries_driven(const lmbi_transfer *t, int32_t joint)
{
    for (uint32_t i = 0; i < t->driven_count; ++i) {
        if (lmbi_is_under(t->target->skeleton, (int32_t)t->driven[i].joint, joint)) {
            return true;
        }
    }
    return false;
}

/// Finds joints in line between a bone's two, from its end up. On the source's own skeleton they
/// keep their motion.
static void plan_in_line(lmbi_transfer *t, const bone *b)
{
    const int32_t first = lmbi_driven_slot(t, b->upper), last = lmbi_driven_slot(t, b->upper + 1);
    if (first < 0 || last < 0 || lmbi_same_skeleton(t->source->skeleton, t->target->skeleton)) {
        return;
    }
    const int32_t *parents = t->target->skeleton->parents;
    const int32_t upper = (int32_t)t->driven[first].joint;
    float end = 1.0f;
    for (int32_t j = parents[t->driven[last].joint]; j > upper; j = parents[j]) {
        const float along = along_bone(t, b, (uint32_t)j, IN_LINE);
        if (t->driven_of[j] >= 0 || along <= 0.0f || t->twist_of[j] >= 0) {
            return;
        }
        add_twist(t, b, (uint32_t)j, b->undoes ? end : along);
        end = along;
    }
    if (b->undoes && end < 1.0f) {
        add_twist(t, b, (uint32_t)upper, end);
    }
}

bool lmbi_twists_plan(lmbi_transfer *t, lmbi_arena *arena)
{
    const lmb_skeleton *skeleton = t->target->skeleton;
    t->twists = lmbi_arena_array(arena, t->target->count, sizeof(*t->twists));
    t->twist_of = lmbi_arena_array(arena, t->target->count, sizeof(*t->twist_of));
    if (t->twists == NULL || t->twist_of == NULL) {
        return false;
    }
    for (uint32_t j = 0; j < t->target->count; ++j) {
        t->twist_of[j] = LMB_NONE;
    }
    for (size_t k = 0; k < sizeof(bones) / sizeof(bones[0]); ++k) {
        plan_in_line(t, &bones[k]);
    }
    for (uint32_t j = 0; j < t->target->count; ++j) {
        const int32_t first = t->driven_of[j] < 0 ? driven_above(t, (int32_t)j) : LMB_NONE;
        if (first < 0 || t->twist_of[j] >= 0 || !lmbi_name_read(skeleton->names[j]).twist) {
            continue;
        }
        for (size_t k = 0; k < sizeof(bones) / sizeof(bones[0]); ++k) {
            // Helpers move the skin only: no driven joint descends from them.
            if (lmbi_driven_slot(t, bones[k].upper) == first &&
                lmbi_driven_slot(t, bones[k].upper + 1) >= 0 && !carries_driven(t, (int32_t)j)) {
                const float along = along_bone(t, &bones[k], j, BESIDE);
                if (along >= 0.0f) {
                    add_twist(t, &bones[k], j, along);
                }
            }
        }
    }
    return true;
}

/// Angle of a joint's rotation about the bone's axis since the reference pose, relative to the
/// joint above: the twist of a swing-twist decomposition.
static float twist_angle(const lmbi_transfer *t, const lmbi_twist *w, const lmb_quat *rotations)
{
    const lmb_transform *reference = t->target->reference;
    const lmb_quat rest =
        lmb_quat_mul(lmb_quat_conjugate(reference[t->driven[w->from].joint].rotation),
                     reference[t->driven[w->to].joint].rotation);
    const lmb_quat now = lmb_quat_mul(lmb_quat_conjugate(rotations[w->from]), rotations[w->to]);
    // In the bone's local space: the bone is `to` for joints that undo its twist, else `from`.
    const lmb_quat rotation = w->undoes ? lmb_quat_mul(lmb_quat_conjugate(rest), now)
                                        : lmb_quat_mul(now, lmb_quat_conjugate(rest));
    const float along = rotation.x * w->axis.x + rotation.y * w->axis.y + rotation.z * w->axis.z;
    const float sign = rotation.w < 0.0f ? -1.0f : 1.0f;
    return 2.0f * lmb_atan2(sign * along, sign * rotation.w);
}

lmb_quat lmbi_twist_rotation(const lmbi_transfer *t, const lmbi_twist *w, const lmb_quat *rotations)
{
    const float angle = w->fraction * twist_angle(t, w, rotations);
    const lmb_quat twisted = lmb_quat_mul(rotations[w->bone], lmb_quat_axis_angle(w->axis, angle));
    return lmb_quat_normalize(lmb_quat_mul(twisted, w->rest));
}
