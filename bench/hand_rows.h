// Rows for tools/fit-hand.py: the ends of arms as the volumes that the network of hands sees, in frames that are off by as
// much as those of arms are, with the true joints of hands with five fingers. Included by embed_fit.c.
#ifndef BENCH_HAND_ROWS_H
#define BENCH_HAND_ROWS_H

#include "embed/hand/hand.h"
#include "volume_rows.h"

/// Writes what is taken for a hand in whole bodies instead of their hands.
static bool bodies_as_hands;

/// A number near 0 with a deviation.
static float random_near(lmb_random *r, float deviation)
{
    float sum = 0;
    for (int k = 0; k < 12; ++k)
        sum += lmb_random_unit(r) - 0.5f;
    return sum * deviation;
}

/// A row: family [32] and name [64] as text, 21 joints as float32 in voxels, NaN where there is none, and how much of each
/// voxel is solid.
static void write_hand_row(const labelled *b, const lmbi_volume *volume, const lmb_vec3 axes[3],
                           const lmb_vec3 joints[LMBI_HAND_JOINTS])
{
    char name[64] = {0}, family[32] = {0};
    float at[3 * LMBI_HAND_JOINTS];
    snprintf(name, sizeof name, "%s", b->name);
    snprintf(family, sizeof family, "%s", b->family);
    for (int k = 0; k < LMBI_HAND_JOINTS; ++k) {
        const lmb_vec3 p = lmb_vec3_scale(
            lmb_vec3_sub(lmbi_along_axes(joints[k], axes), volume->low), 1 / volume->cell);
        at[3 * k] = p.x;
        at[3 * k + 1] = p.y;
        at[3 * k + 2] = p.z;
    }
    fwrite(family, sizeof family, 1, volume_rows);
    fwrite(name, sizeof name, 1, volume_rows);
    fwrite(at, sizeof at, 1, volume_rows);
    fwrite(volume->solid, sizeof volume->solid, 1, volume_rows);
}

/// Turns, moves and scales a frame, less in half of all.
static void jitter_view(lmb_random *r, lmbi_hand_view *v)
{
    const bool tight = lmb_random_unit(r) < 0.5f;
    const float by = tight ? 0.3f : 1;
    const lmb_quat q =
        lmb_quat_mul(turned_about(v->axes[0], random_near(r, 0.2f * by)),
                     lmb_quat_mul(turned_about(v->axes[2], random_near(r, 0.2f * by)),
                                  turned_about(v->axes[1], random_near(r, 0.25f * by))));
    const float length = v->length * lmb_exp(random_near(r, 0.3f * by));
    for (int k = 0; k < 3; ++k) {
        v->wrist = lmb_vec3_mad(v->wrist, v->axes[k],
                                length * random_near(r, (k == 1 ? 0.2f : 0.08f) * by));
        v->axes[k] = lmb_quat_rotate(q, v->axes[k]);
    }
    v->length = length;
}

static void forget_joints(lmbi_hand *hand)
{
    for (int k = 0; k < LMBI_HAND_JOINTS; ++k)
        hand->at[k] = lmb_vec3_make(NAN, NAN, NAN);
}

/// The true joints of a hand, NaN where there are none; whether all fingers have some.
static bool joints_of_hand(const source *s, int side, lmb_vec3 out[LMBI_HAND_JOINTS])
{
    const lmb_bone_match *bones = s->map.bones;
    const int hand = side ? LMB_HUMAN_RIGHT_HAND : LMB_HUMAN_LEFT_HAND,
              thumb = side ? LMB_HUMAN_RIGHT_THUMB_METACARPAL : LMB_HUMAN_LEFT_THUMB_METACARPAL;
    int fingers = 0;
    for (int k = 0; k < LMBI_HAND_JOINTS; ++k) {
        const int32_t j = k == 0   ? bones[hand].joint
                          : k < 16 ? bones[thumb + k - 1].joint
                                   : LMB_NONE;
        fingers += k < 16 && k % 3 == 2 && j >= 0;
        out[k] = j >= 0 ? lmb_mat4_translation(s->m[j]) : lmb_vec3_make(NAN, NAN, NAN);
    }
    return fingers == 5;
}

/// A frame that is off, and what is seen in it.
static void write_hand(const labelled *b, lmbi_hand_view view, const lmbi_hand *truth,
                       lmb_random *random)
{
    static lmbi_volume volume;
    jitter_view(random, &view);
    if (lmbi_hand_volume(&b->soup, &view, NULL, &volume, NULL) == LMB_OK)
        write_hand_row(b, &volume, view.axes, truth->at);
}

/// Both hands of a human; what has not five fingers has no joints, and a frame as long as hands may be.
static void write_hands_of_human(const labelled *b, lmb_random *random)
{
    for (int side = 0; side < 2; ++side) {
        const int first = 3 * side;
        const lmb_vec3 elbow = b->limbs[first + 1], wrist = b->limbs[first + 2];
        lmbi_hand truth;
        lmbi_hand_view view;
        const bool five = joints_of_hand(body_source, side, truth.at);
        if (!b->has_limb[first + 1] || !b->has_limb[first + 2])
            continue;
        if (!five || !lmbi_view_of_hand(&truth, side, &view)) {
            forget_joints(&truth);
            view = lmbi_view_of_arm(elbow, wrist, wrist, lmb_vec3_cross(b->up, b->forward),
                                    b->forward, side);
            view.length = lmb_vec3_distance(elbow, wrist) * lmb_random_range(random, 0.5f, 1.2f);
        }
        if (view.length > 0)
            write_hand(b, view, &truth, random);
    }
}

/// What the network takes for a hand in a body that is none, on either side.
static void write_no_hand(const labelled *b)
{
    static lmbi_volume volume;
    lmbi_lone_hand seen;
    lmbi_hand none;
    lmbi_hand_view view;
    labelled own = *b;
    forget_joints(&none);
    snprintf(own.family, sizeof own.family, "%s",
             strncmp(b->family, "made", 4) ? "no hand" : "made, no hand");
    if (lmbi_see_lone_hand(&b->soup, NULL, &seen, NULL) != LMB_OK)
        return;
    for (int side = 0; side < 2; ++side)
        if (lmbi_view_of_hand(&seen.hand, side, &view) &&
            lmbi_hand_volume(&b->soup, &view, NULL, &volume, NULL) == LMB_OK)
            write_hand_row(&own, &volume, view.axes, none.at);
}

/// The hands of a human, or for every other body but a hand what is none in it.
static void write_hands(labelled *b)
{
    static lmb_random random;
    static bool seeded;
    if (!seeded)
        random = lmb_random_seed(78);
    seeded = true;
    if (bodies_as_hands && strcmp(b->family, "made hand") != 0)
        write_no_hand(b);
    else if (!bodies_as_hands && b->is_human)
        write_hands_of_human(b, &random);
}

/// The joints of a made hand by their names; whether it is a right one.
static bool joints_of_made(const lmb_made_body *made, lmbi_hand *out)
{
    bool right = false;
    forget_joints(out);
    for (int k = 0; k < 2 * (LMBI_HAND_JOINTS - LMBI_FINGERS); ++k) {
        const bool other = k & 1;
        const int first =
                      other ? LMB_HUMAN_RIGHT_THUMB_METACARPAL : LMB_HUMAN_LEFT_THUMB_METACARPAL,
                  bone = k > 1   ? first + k / 2 - 1
                         : other ? LMB_HUMAN_RIGHT_HAND
                                 : LMB_HUMAN_LEFT_HAND;
        for (uint32_t j = 0; j < made->joint_count; ++j)
            if (!strcmp(made->names[j], lmb_human_bone_name((lmb_human_bone)bone)))
                out->at[k / 2] = made->positions[j], right = other;
    }
    return right;
}

/// Made hands, each in two frames.
static void write_made_hands(uint32_t count, uint32_t first)
{
    lmb_random random = lmb_random_seed(first);
    for (uint32_t n = 0; n < count; ++n) {
        const lmb_made_body_opts opts = {
            .kind = LMB_MADE_HAND, .seed = first + n, .triangle_count = 3000, .whole = true};
        lmb_made_body *made = NULL;
        if (lmb_made_body_create(&opts, NULL, &made, NULL) != LMB_OK)
            continue;
        const labelled b = label_made(made, "made hand", opts.seed);
        lmbi_hand truth;
        lmbi_hand_view view;
        const bool right = joints_of_made(made, &truth);
        for (int k = 0; k < 2 && lmbi_view_of_hand(&truth, right, &view); ++k)
            write_hand(&b, view, &truth, &random);
        lmb_made_body_destroy(made);
    }
}

#endif
