/// The joints of a human beside those of its limbs, which a network sees: trunk, neck and head, hands and toes by the
/// slices of the upright solid; with what the user's landmarks say.
#include "embed/body_joint.h"
#include "embed/human/human.h"
#include "geometry/volume.h"

#include "base/alloc.h"
#include "base/error.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/// What joints are placed in: the mesh in the frame of a figure, as voxels.
typedef struct upright {
    lmbi_frame frame;
    lmbi_voxel_body body;
    lmbi_landmarks landmarks; ///< in the frame
    lmb_vec3 at[LMBI_BODY_JOINTS], head_top, hand_tip[2], toe_tip[2];
    float crown; ///< height of the top of the head: below 1 under a raised hand
    float neck;  ///< height of the narrowest place between shoulders and head
    bool neck_clear;
    bool met[LMBI_LIMB_JOINTS]; ///< joints that lie where rigid pieces meet
} upright;

// ---- the frame

/// The offset along the left axis of the mirror plane of the solid, or of the limbs if it is near none.
static float mirror_offset(const lmbi_seen_figure *f)
{
    const float near = 0.9995f;
    const lmbi_voxel_cache *c = f->body;
    lmb_vec3 normal = f->axes[0];
    const float own = lmbi_plane_of_figure(f).offset,
                origin = lmb_vec3_dot(c->frame.origin, f->axes[0]);
    float offset = (own - origin) / c->frame.size;
    const float guess = offset;
    lmbi_mirror_refine(&c->variant[LMBI_VOXELS_COARSE].body, f->axes[1], &normal, &offset);
    const bool found = lmb_vec3_dot(normal, f->axes[0]) > near && fabsf(offset - guess) < 0.02f;
    return found ? origin + c->frame.size * offset : own;
}

static lmbi_frame frame_of(const lmbi_seen_figure *f, lmb_vec3 *out_extent)
{
    const lmb_box box = lmbi_soup_bounds_along(f->body->mesh, f->axes);
    lmbi_frame frame = {.axes = {f->axes[0], f->axes[1], f->axes[2]}};
    *out_extent = lmb_vec3_sub(box.high, box.low);
    frame.size = fmaxf(out_extent->y, 1e-3f * f->body->frame.size);
    const float z = 0.5f * (box.low.z + box.high.z);
    frame.origin = lmb_vec3_mad(
        lmb_vec3_mad(lmb_vec3_scale(f->axes[0], mirror_offset(f)), f->axes[1], box.low.y),
        f->axes[2], z);
    return frame;
}

/// The voxels of the mesh, which is in the frame, without a center. Errors: MEMORY.
static lmb_result voxelise(upright *u, const lmbi_voxel_cache *cache,
                           const lmbi_triangle_soup *soup, lmb_vec3 extent, lmb_error *error)
{
    const float grown = cache->frame.size / u->frame.size, wanted = 1.0f / 128;
    const float cell = lmbi_choose_cell_size(lmb_vec3_scale(extent, 1 / u->frame.size),
                                             cache->volume * grown * grown * grown, wanted, 2e6f);
    return lmbi_body_create_in(soup, lmbi_soup_bounds(soup), cell, -2, cache->alloc, &u->body,
                               error);
}

// ---- limbs

/// If both limbs are in the same pose, makes their joints mirror images.
static void symmetrise(lmb_vec3 *at, int left, int right)
{
    const float alike = 0.05f;
    float worst = 0;
    for (int k = 0; k < 3; ++k) {
        worst = fmaxf(worst, lmb_vec3_distance(at[left + k], lmbi_mirrored(at[right + k])));
    }
    // If they are in different poses nothing changes; in between, joints move part of the way.
    const float fraction = 0.5f * lmbi_saturatef(2 - worst / alike);
    for (int k = 0; k < 3; ++k) {
        const lmb_vec3 l = at[left + k], r = at[right + k];
        at[left + k] = lmb_vec3_lerp(l, lmbi_mirrored(r), fraction);
        at[right + k] = lmb_vec3_lerp(r, lmbi_mirrored(l), fraction);
    }
}

/// Bends a straight limb slightly, so that solvers know in which direction it folds: knees forward,
/// elbows backward.
static void pre_bend(lmb_vec3 *chain, float sign)
{
    const float least = 0.004f, straight = 0.02f;
    const lmb_vec3 axis = lmb_vec3_sub(chain[2], chain[0]);
    const float t = lmb_vec3_dot(lmb_vec3_sub(chain[1], chain[0]), axis) /
                    fmaxf(lmb_vec3_dot(axis, axis), 1e-9f);
    const lmb_vec3 off = lmb_vec3_sub(chain[1], lmb_vec3_mad(chain[0], axis, t));
    const float bend = sign * off.z;
    if (bend < least && lmb_vec3_length(off) < straight) {
        chain[1].z += sign * (least - bend);
    }
}

/// Moves a joint in the air, as beside a thin limb, to the nearest deep voxel, if there is one near.
static void move_inside(const lmbi_voxel_body *body, lmb_vec3 *joint)
{
    const float deep = 1.5f, near = 0.05f;
    const lmb_vec3 from = *joint;
    float best = near;
    if (body->depth[lmbi_grid_voxel_at(&body->grid, from)] >= deep) {
        return;
    }
    for (uint32_t s = 0; s < body->solid_count; ++s) {
        const float d = lmb_vec3_distance(body->at[s], from);
        if (d < best && body->depth[body->solid[s]] >= deep) {
            best = d;
            *joint = body->at[s];
        }
    }
}

/// Limbs as they are seen or, where their pieces are rigid, as these meet.
static lmb_result see_limbs(upright *u, const lmbi_triangle_soup *soup,
                            const lmbi_seen_limbs *limbs, lmb_error *error)
{
    for (int k = 0; k < LMBI_LIMB_JOINTS; ++k) {
        lmb_vec3 *at = &u->at[lmbi_limb_joints[k]];
        *at = lmbi_frame_to(&u->frame, limbs->at[k]);
        move_inside(&u->body, at);
    }
    return lmbi_joints_to_pieces(soup, u->body.alloc, u->at, u->met, error);
}

static lmb_result find_limbs(upright *u, const lmbi_seen_figure *figure, lmb_vec3 extent,
                             lmb_error *error)
{
    const lmbi_voxel_cache *cache = figure->body;
    lmbi_triangle_soup soup;
    lmb_vec3 *positions;
    lmb_result result =
        lmbi_soup_in_frame(cache->mesh, &u->frame, cache->alloc, &soup, &positions, error);
    if (result == LMB_OK) {
        result = voxelise(u, cache, &soup, extent, error);
    }
    if (result == LMB_OK) {
        result = see_limbs(u, &soup, &figure->limbs, error);
    }
    lmbi_free(cache->alloc, positions);
    return result;
}

static void settle_limbs(upright *u)
{
    symmetrise(u->at, LMBI_LEFT_UPPER_ARM, LMBI_RIGHT_UPPER_ARM);
    symmetrise(u->at, LMBI_LEFT_UPPER_LEG, LMBI_RIGHT_UPPER_LEG);
    for (int side = 0; side < 2; ++side) {
        pre_bend(u->at + LMBI_LEFT_UPPER_ARM + side * LMBI_ARM_JOINTS, -1);
        pre_bend(u->at + LMBI_LEFT_UPPER_LEG + side * LMBI_LEG_JOINTS, 1);
    }
    lmbi_landmarks_move(&u->landmarks, u->at);
}

// ---- hands and toes

/// The end of a hand: the middle of what is farthest of the solid that goes on from the forearm, within the reach of a
/// hand (Drillis, Contini 1966: 0.108 of the stature, a forearm 0.146).
static lmb_vec3 find_hand_tip(const lmbi_voxel_body *body, lmb_vec3 elbow, lmb_vec3 wrist)
{
    const float usual = 0.108f / 0.146f, longest = 1.6f, straight = 0.64f, last = 0.93f;
    const lmb_vec3 fore = lmb_vec3_sub(wrist, elbow);
    const float length = fmaxf(lmb_vec3_length(fore), 1e-6f), reach = longest * usual * length;
    float far = 0;
    for (int pass = 0; pass < 2; ++pass) {
        lmb_vec3 sum = {0, 0, 0};
        float count = 0;
        for (uint32_t s = 0; s < body->solid_count; ++s) {
            const lmb_vec3 d = lmb_vec3_sub(body->at[s], wrist);
            const float own = lmb_vec3_length(d);
            if (own > reach || lmb_vec3_dot(d, fore) < straight * own * length) {
                continue;
            }
            if (pass == 0) {
                far = fmaxf(far, own);
            } else if (own >= last * far) {
                sum = lmb_vec3_add(sum, d);
                count += 1;
            }
        }
        if (pass == 1 && count > 0 && far > 0.3f * usual * length) {
            const lmb_vec3 along = lmb_vec3_normalize_or(sum, fore);
            return lmb_vec3_mad(wrist, along, far + 0.5f * body->grid.cell);
        }
    }
    return lmb_vec3_mad(wrist, fore, usual);
}

/// The front end of the foot under an ankle: its largest z, at the middle of its front half.
static lmb_vec3 find_toe_tip(const lmbi_voxel_body *body, lmb_vec3 ankle)
{
    const float wide = fmaxf(0.09f, 0.8f * fabsf(ankle.x)), long_foot = 0.25f;
    float front = ankle.z;
    for (int pass = 0; pass < 2; ++pass) {
        float sum = 0, x = 0, y = 0;
        for (uint32_t s = 0; s < body->solid_count; ++s) {
            const lmb_vec3 p = body->at[s];
            if (p.y > ankle.y || fabsf(p.x - ankle.x) > wide || p.x * ankle.x < 0 ||
                fabsf(p.z - ankle.z) > long_foot) {
                continue;
            }
            if (pass == 0) {
                front = fmaxf(front, p.z + 0.5f * body->grid.cell);
            } else if (p.z > 0.5f * (ankle.z + front)) {
                sum += 1;
                x += p.x - ankle.x;
                y += p.y;
            }
        }
        if (pass == 1 && sum > 0) {
            return lmb_vec3_make(ankle.x + x / sum, y / sum, front);
        }
    }
    return lmb_vec3_make(ankle.x, 0.4f * ankle.y, ankle.z + 0.02f);
}

static void place_ends(upright *u)
{
    for (int side = 0; side < 2; ++side) {
        const lmb_vec3 *arm = u->at + LMBI_LEFT_UPPER_ARM + side * LMBI_ARM_JOINTS;
        lmb_vec3 *leg = u->at + LMBI_LEFT_UPPER_LEG + side * LMBI_LEG_JOINTS;
        u->hand_tip[side] = find_hand_tip(&u->body, arm[1], arm[2]);
        u->toe_tip[side] = find_toe_tip(&u->body, leg[2]);
        leg[3] = lmb_vec3_lerp(leg[2], u->toe_tip[side], 0.62f);
        leg[3].y = fminf(0.016f, 0.4f * leg[2].y);
    }
}

// ---- neck and trunk

/// The top of the solid on the mirror plane. It is the top of everything unless a hand is higher.
static float find_crown(const upright *u)
{
    const float raised = 0.85f;
    float y = 1;
    const bool under_hand = fmaxf(u->hand_tip[0].y, u->hand_tip[1].y) > raised;
    while (under_hand && y > 0.5f && !(lmbi_column_depth(&u->body, 0, y) > 0)) {
        y -= u->body.grid.cell;
    }
    return y;
}

/// The greatest depth of the column between two heights, and where.
static float thickest(const lmbi_voxel_body *body, float low, float high, float *out_at)
{
    float most = 0;
    for (float y = low; y < high; y += body->grid.cell) {
        const float d = lmbi_column_depth(body, 0, y);
        *out_at = d > most ? y : *out_at;
        most = fmaxf(most, d);
    }
    return most;
}

/// The neck is the narrowest place of the column between the shoulders and the middle of the head.
static void find_neck(upright *u, float shoulder)
{
    const lmbi_voxel_body *body = &u->body;
    const float cell = body->grid.cell, low = shoulder - 0.04f, clear = 0.85f;
    float thin = 1, at = shoulder, chest_at = 0, head_at = 0;
    u->crown = find_crown(u);
    for (float y = low; y < 0.92f * u->crown; y += cell) {
        const float d = lmbi_column_depth(body, 0, y);
        at = d < thin ? y : at;
        thin = fminf(thin, d);
    }
    const float below = thickest(body, low - 0.15f, at, &chest_at),
                above = thickest(body, at, u->crown, &head_at);
    u->neck_clear = thin < clear * below && thin < clear * above && head_at > at;
    // The middle of the narrow stretch varies less than its narrowest voxel.
    double sum = 0, sy = 0;
    for (float y = at - 0.05f; y < at + 0.05f; y += cell) {
        const float d = lmbi_column_depth(body, 0, y);
        const double weight = fmax(0, (double)(1.15f * thin - d));
        sum += weight;
        sy += weight * (double)y;
    }
    u->neck = sum > 0 ? (float)(sy / sum) : at;
    if (u->landmarks.chin.set) {
        const float below_chin = 0.012f;
        u->neck = u->landmarks.chin.at.y - below_chin;
        u->neck_clear = true;
    }
}

static float height_of(const lmbi_landmark_point *landmark, float otherwise)
{
    return landmark->set ? landmark->at.y : otherwise;
}

static lmb_vec3 on_trunk(const upright *u, float y)
{
    lmb_vec3 p = lmb_vec3_make(0, y, 0);
    lmbi_slice_center(&u->body, y, -0.03f, 0.03f, &p);
    p.x = 0;
    return p;
}

static void place_trunk(upright *u)
{
    lmb_vec3 *at = u->at;
    const float shoulder = 0.5f * (at[LMBI_LEFT_UPPER_ARM].y + at[LMBI_RIGHT_UPPER_ARM].y),
                hip = 0.5f * (at[LMBI_LEFT_UPPER_LEG].y + at[LMBI_RIGHT_UPPER_LEG].y);
    find_neck(u, shoulder);
    const lmbi_landmark_point *landmarks = u->landmarks.joint;
    const float hips = height_of(&landmarks[LMBI_HIPS], hip + 0.025f),
                neck =
                    height_of(&landmarks[LMBI_NECK],
                              fminf(u->neck_clear ? u->neck - 0.034f : shoulder + 0.038f, 0.96f)),
                head =
                    height_of(&landmarks[LMBI_HEAD],
                              fminf(u->neck_clear ? u->neck + 0.012f : shoulder + 0.082f, 0.975f));
    at[LMBI_HIPS] = on_trunk(u, hips);
    const float fractions[3] = {0.21f, 0.45f, 0.69f};
    for (int k = 0; k < 3; ++k) {
        const float y = hips + fractions[k] * (neck - hips);
        at[LMBI_SPINE + k] = on_trunk(u, y);
        // The spine runs behind the middle of the trunk, most of all at the chest.
        at[LMBI_SPINE + k].z -= (k == 1 ? 0.2f : 0.12f) * lmbi_column_depth(&u->body, 0, y);
    }
    at[LMBI_NECK] = on_trunk(u, neck);
    at[LMBI_HEAD] = on_trunk(u, head);
    // The head joint is above the neck; the face in front of it shifts the center of the slice.
    at[LMBI_HEAD].z = at[LMBI_NECK].z + 0.35f * (at[LMBI_HEAD].z - at[LMBI_NECK].z);
    u->head_top = lmb_vec3_make(0, u->crown, at[LMBI_HEAD].z);
    for (int side = 0; side < 2; ++side) {
        const int first = LMBI_LEFT_SHOULDER + side * LMBI_ARM_JOINTS;
        at[first] = lmb_vec3_make(0.22f * at[first + 1].x, shoulder + 0.005f,
                                  0.5f * (at[LMBI_UPPER_CHEST].z + at[first + 1].z));
    }
}

// ---- the embedding

/// Joints lie at their landmarks, and at mirror images of those, whatever the rest says.
static void keep_landmarks(upright *u)
{
    for (int j = 0; j < LMBI_BODY_JOINTS; ++j) {
        u->at[j] = u->landmarks.joint[j].set ? u->landmarks.joint[j].at : u->at[j];
    }
}

static void rate_joints(const upright *u, const lmbi_seen_limbs *limbs, lmb_embedding *e)
{
    float hips = 0, shoulders = 0;
    for (int k = 0; k < LMBI_LIMB_JOINTS; ++k) {
        const int j = lmbi_limb_joints[k];
        e->confidence[j] = limbs->chance[k];
        e->reason[j] =
            u->met[k] ? lmbi_pieces_meet : "where a network that sees the whole body puts it";
        *(k < 6 ? &shoulders : &hips) += k % 3 == 0 ? 0.5f * limbs->chance[k] : 0;
    }
    for (int j = LMBI_HIPS; j <= LMBI_UPPER_CHEST; ++j) {
        e->confidence[j] = j < LMBI_CHEST ? hips : shoulders;
        e->reason[j] = "a usual fraction of the trunk";
    }
    for (int j = LMBI_NECK; j <= LMBI_HEAD; ++j) {
        e->confidence[j] = u->neck_clear ? 0.95f : 0.7f;
        e->reason[j] = u->neck_clear ? "the narrowest place under the head"
                                     : "no neck visible; a usual distance above the shoulders";
    }
    for (int side = 0; side < 2; ++side) {
        const int shoulder = LMBI_LEFT_SHOULDER + side * LMBI_ARM_JOINTS,
                  toes = LMBI_LEFT_TOES + side * LMBI_LEG_JOINTS;
        e->confidence[shoulder] = e->confidence[shoulder + 1];
        e->reason[shoulder] = "between the breastbone and the shoulder";
        e->confidence[toes] = e->confidence[toes - 1];
        e->reason[toes] = "before the end of the foot";
    }
    for (int j = 0; j < LMBI_BODY_JOINTS; ++j) {
        if (u->landmarks.joint[j].set) {
            e->confidence[j] = 1;
            e->reason[j] = "a marker, or the mirror image of one";
        }
    }
}

static void write_joints(const upright *u, lmb_embedding *out)
{
    memset(out, 0, sizeof *out);
    out->kind = LMB_SKELETON_HUMAN;
    const lmb_vec3 zero = {0, 0, 0}; // -0 + 0 is 0, so no negative zeros are written
    out->left = lmb_vec3_add(u->frame.axes[0], zero);
    out->up = lmb_vec3_add(u->frame.axes[1], zero);
    out->forward = lmb_vec3_add(u->frame.axes[2], zero);
    out->ground = u->frame.origin;
    out->height = u->frame.size;
    out->joint_count = LMBI_BODY_JOINTS;
    for (uint32_t j = 0; j < LMBI_BODY_JOINTS; ++j) {
        out->joints[j] = lmbi_frame_from(&u->frame, u->at[j]);
        out->tips[j] = out->joints[j];
        out->parents[j] = lmbi_body_joint_parent(j);
        snprintf(out->names[j], sizeof out->names[j], "%s", lmbi_body_joint_name(j));
    }
    out->tips[LMBI_HEAD] = lmbi_frame_from(&u->frame, u->head_top);
    for (int side = 0; side < 2; ++side) {
        out->tips[LMBI_LEFT_HAND + side * LMBI_ARM_JOINTS] =
            lmbi_frame_from(&u->frame, u->hand_tip[side]);
        out->tips[LMBI_LEFT_TOES + side * LMBI_LEG_JOINTS] =
            lmbi_frame_from(&u->frame, u->toe_tip[side]);
    }
}

lmb_result lmbi_place_human(const lmbi_seen_figure *figure, const lmbi_landmarks *landmarks,
                            lmb_embedding *out, lmb_error *error)
{
    const lmbi_body_shape *coarse;
    lmb_vec3 extent;
    upright *u = lmbi_alloc(figure->body->alloc, sizeof *u);
    lmb_result result = u ? lmbi_voxel_cache_get(figure->body, LMBI_VOXELS_COARSE, &coarse, error)
                          : lmbi_fail_memory(error);
    if (result == LMB_OK) {
        *u = (upright){.frame = frame_of(figure, &extent), .body.alloc = figure->body->alloc};
        u->landmarks = lmbi_landmarks_in_frame(landmarks, &u->frame);
        result = find_limbs(u, figure, extent, error);
    }
    if (result == LMB_OK) {
        settle_limbs(u);
        place_ends(u);
        place_trunk(u);
        keep_landmarks(u);
        write_joints(u, out);
        rate_joints(u, &figure->limbs, out);
        lmbi_rate_seen_arms(figure->body, out);
    }
    if (u) {
        lmbi_body_destroy(&u->body);
    }
    lmbi_free(figure->body->alloc, u);
    return result;
}
