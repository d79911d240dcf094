// Where the joints beside the limbs of a posed character are: hips, the middle of the spine, neck and head by its rig; the
// ends of head, hands and feet by the vertices that their bones move. Included by labelled_bodies.h.
#ifndef BENCH_TRUNK_LABELS_H
#define BENCH_TRUNK_LABELS_H

#include "embed/human/human.h"
#include "posed_bodies.h"

/// A point that is not known is not a number.
static lmb_vec3 unknown_point(void)
{
    return lmb_vec3_make(NAN, NAN, NAN);
}

static lmb_vec3 joint_at(const source *s, lmb_human_bone bone)
{
    const int32_t j = s->map.bones[bone].joint;
    return j < 0 ? unknown_point() : lmb_mat4_translation(s->m[j]);
}

/// Whether the joint that has most of each vertex hangs under another.
static bool *vertices_under(const source *s, int32_t joint)
{
    const lmb_character *c = s->c;
    bool *under = calloc(s->g.position_count, sizeof *under);
    for (uint32_t i = 0; i < c->instance_count; ++i) {
        const lmb_instance *in = &c->instances[i];
        const lmb_mesh *mesh = c->meshes[in->mesh];
        const bool skinned = in->skin != LMB_NONE && mesh->influences.first;
        for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
            int32_t owner = skinned ? LMB_NONE : (int32_t)in->joint;
            float most = 0;
            for (uint32_t k = skinned ? mesh->influences.first[v] : 0;
                 k < (skinned ? mesh->influences.first[v + 1] : 0); ++k) {
                const lmb_influence *own = &mesh->influences.items[k];
                owner =
                    own->weight > most ? (int32_t)c->skins[in->skin]->joints[own->joint] : owner;
                most = fmaxf(most, own->weight);
            }
            under[s->g.first_position[i] + v] =
                owner >= 0 && lmbi_is_under(c->skeleton, owner, joint);
        }
    }
    return under;
}

/// The end of what a bone moves along a direction: the middle of its last tenth. Of a head `beside` is the axis along which
/// only the middle third counts, as ears are beside it.
static lmb_vec3 end_along(const source *s, const bool *under, lmb_vec3 from, lmb_vec3 along,
                          const lmb_vec3 *beside)
{
    const float last = 0.9f, third = 1.0f / 3;
    float far = 0, wide = 0, count = 0;
    lmb_vec3 sum = {0, 0, 0};
    for (int pass = 0; pass < 3; ++pass) {
        for (uint32_t v = 0; v < s->g.position_count; ++v) {
            const lmb_vec3 d = lmb_vec3_sub(s->pos[v], from);
            const float own = lmb_vec3_dot(d, along),
                        out = beside ? fabsf(lmb_vec3_dot(d, *beside)) : 0;
            if (!under[v])
                continue;
            if (pass == 0)
                wide = fmaxf(wide, out);
            else if (out <= third * wide && pass == 1)
                far = fmaxf(far, own);
            else if (out <= third * wide && own >= last * far) {
                sum = lmb_vec3_add(sum, d);
                count += 1;
            }
        }
    }
    if (!(count > 0 && far > 0))
        return unknown_point();
    const lmb_vec3 middle = lmb_vec3_scale(sum, 1 / count);
    return lmb_vec3_add(from, lmb_vec3_mad(middle, along, far - lmb_vec3_dot(middle, along)));
}

/// A direction at rest as the pose turns it with a joint.
static lmb_vec3 turned_with(const source *s, int32_t joint, lmb_vec3 direction)
{
    const lmb_vec3 zero = {0, 0, 0};
    lmb_mat4 joint_from_rest;
    if (!lmb_mat4_inverse_affine(s->m0[joint], &joint_from_rest))
        return direction;
    const lmb_mat4 moved = lmb_mat4_mul(s->m[joint], joint_from_rest);
    return lmb_vec3_normalize_or(
        lmb_vec3_sub(lmb_mat4_point(moved, direction), lmb_mat4_point(moved, zero)), direction);
}

static lmb_vec3 end_of_bone(const source *s, lmb_human_bone bone, lmb_vec3 rest_direction,
                            lmb_vec3 rest_beside)
{
    const int32_t j = s->map.bones[bone].joint;
    if (j < 0)
        return unknown_point();
    const bool head = bone == LMB_HUMAN_HEAD;
    const lmb_vec3 along = turned_with(s, j, rest_direction),
                   beside = turned_with(s, j, rest_beside);
    bool *under = vertices_under(s, j);
    const lmb_vec3 end =
        end_along(s, under, lmb_mat4_translation(s->m[j]), along, head ? &beside : NULL);
    free(under);
    return end;
}

/// The point half way along the bones from the hips to the neck.
static lmb_vec3 middle_of_spine(const source *s)
{
    const lmb_skeleton *k = s->c->skeleton;
    const int32_t neck = s->map.bones[LMB_HUMAN_NECK].joint,
                  hips = s->map.bones[LMB_HUMAN_HIPS].joint;
    float length = 0;
    if (neck < 0 || hips < 0 || neck == hips || !lmbi_is_under(k, neck, hips))
        return unknown_point();
    for (int32_t j = neck; j != hips; j = k->parents[j])
        length += lmb_vec3_length(bone_between(s->m, j, k->parents[j]));
    float left = 0.5f * length;
    for (int32_t j = neck; j != hips; j = k->parents[j]) {
        const lmb_vec3 bone = bone_between(s->m, j, k->parents[j]);
        const float own = lmb_vec3_length(bone);
        if (left <= own)
            return lmb_vec3_mad(lmb_mat4_translation(s->m[j]), bone, left / fmaxf(own, 1e-9f));
        left -= own;
    }
    return unknown_point();
}

/// The hand's direction at rest: from the elbow to the wrist.
static lmb_vec3 end_of_hand(const source *s, lmb_human_bone hand)
{
    const int32_t wrist = s->map.bones[hand].joint, elbow = s->map.bones[hand - 1].joint;
    if (wrist < 0 || elbow < 0)
        return unknown_point();
    const lmb_vec3 along = lmb_vec3_normalize_or(bone_between(s->m0, elbow, wrist), s->facing);
    return end_of_bone(s, hand, along, along);
}

/// The points of lmbi_seen_joint after the limbs.
static void label_trunk(const source *s, float height,
                        lmb_vec3 out[LMBI_SEEN_JOINTS - LMBI_LIMB_JOINTS])
{
    const float near = 0.15f;
    const lmb_vec3 up = {0, 1, 0}, left = lmb_vec3_cross(up, s->facing);
    const lmb_vec3 thighs = lmb_vec3_lerp(joint_at(s, LMB_HUMAN_LEFT_UPPER_LEG),
                                          joint_at(s, LMB_HUMAN_RIGHT_UPPER_LEG), 0.5f);
    lmb_vec3 *at = out - LMBI_LIMB_JOINTS;
    at[LMBI_SEEN_HIPS] = joint_at(s, LMB_HUMAN_HIPS);
    at[LMBI_SEEN_SPINE] = middle_of_spine(s);
    // Hips that are the root on the ground are no hips.
    if (!(lmb_vec3_distance(at[LMBI_SEEN_HIPS], thighs) < near * height))
        at[LMBI_SEEN_HIPS] = at[LMBI_SEEN_SPINE] = unknown_point();
    at[LMBI_SEEN_NECK] = joint_at(s, LMB_HUMAN_NECK);
    at[LMBI_SEEN_HEAD] = joint_at(s, LMB_HUMAN_HEAD);
    at[LMBI_SEEN_CROWN] = end_of_bone(s, LMB_HUMAN_HEAD, up, left);
    at[LMBI_SEEN_LEFT_HAND_END] = end_of_hand(s, LMB_HUMAN_LEFT_HAND);
    at[LMBI_SEEN_RIGHT_HAND_END] = end_of_hand(s, LMB_HUMAN_RIGHT_HAND);
    at[LMBI_SEEN_LEFT_TOE_END] = end_of_bone(s, LMB_HUMAN_LEFT_FOOT, s->facing, left);
    at[LMBI_SEEN_RIGHT_TOE_END] = end_of_bone(s, LMB_HUMAN_RIGHT_FOOT, s->facing, left);
}

#endif
