/// Joints that move skin but hang beside the body or from its wrong joint, carried by it through a clip.
#include <math.h>
#include <string.h>

#include "asset/tree.h"
#include "author/carry.h"
#include "base/arena.h"
#include "base/error.h"
#include "limber/anim.h"
#include "limber/author.h"
#include "rig/bind.h"

/// Fractions of the body's height: skin that is farther from the body's is no part of it, and joints
/// as near as this are in one place; goals of constraints are snapped to what they move, so a joint
/// that hangs from the body already must coincide.
static const float NEAR = 0.06f, SAME_PLACE = 0.03f, COINCIDE = 0.003f;
/// Most vertices of a loose joint that are compared with the body's.
enum { SAMPLES = 64 };
/// Keys a second of a clip that says none.
static const float USUAL_RATE_HZ = 30;

/// A vertex of the skin at rest, and the joint that pulls it most.
typedef struct skin_point {
    lmb_vec3 at;
    int32_t owner;
} skin_point;

typedef struct carrying {
    const lmb_character *character;
    const lmb_skeleton *skeleton;
    /// [joint_count] 1: of the body, which is what its joints are and carry; 2: above it
    uint8_t *part;
    bool *listed; ///< [joint_count] one of the body's joints that the caller names
    lmbi_arena *arena;
    skin_point *points;
    uint32_t point_count;
    lmb_mat4 *model; ///< [joint_count] at rest
    float height;
    int32_t *carrier;             ///< [joint_count] of loose joints; LMB_NONE: not carried
    lmb_mat4 *carrier_from_joint; ///< [joint_count] of carried joints, constant
    uint32_t carried_count;
} carrying;

static int32_t strongest(const lmb_mesh *mesh, const lmb_skin *skin, uint32_t vertex)
{
    int32_t owner = LMB_NONE;
    float most = 0;
    for (uint32_t k = mesh->influences.first[vertex]; k < mesh->influences.first[vertex + 1]; ++k) {
        const lmb_influence in = mesh->influences.items[k];
        owner = in.weight > most ? (int32_t)skin->joints[in.joint] : owner;
        most = fmaxf(most, in.weight);
    }
    return owner;
}

static lmb_result list_points(carrying *c, lmb_error *error)
{
    const lmb_character *in = c->character;
    lmbi_rest_matrices *rest;
    const lmb_result result = lmbi_find_rest_matrices(in, c->arena, &rest, error);
    size_t count = 0;
    float low = INFINITY, high = -INFINITY;
    for (uint32_t i = 0; i < in->instance_count; ++i) {
        count += in->meshes[in->instances[i].mesh]->vertex_count;
    }
    c->points = lmbi_arena_array(c->arena, count, sizeof *c->points);
    if (result != LMB_OK || !c->points) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t i = 0; i < in->instance_count; ++i) {
        const lmb_instance *instance = &in->instances[i];
        const lmb_mesh *mesh = in->meshes[instance->mesh];
        for (uint32_t v = 0;
             instance->skin != LMB_NONE && mesh->influences.first && v < mesh->vertex_count; ++v) {
            const lmb_mat4 *m = rest[i].blended ? &rest[i].blended[v] : &rest[i].model_from_mesh;
            const skin_point p = {lmb_mat4_point(*m, mesh->positions[v]),
                                  strongest(mesh, in->skins[instance->skin], v)};
            c->points[c->point_count++] = p;
            low = fminf(low, p.at.y);
            high = fmaxf(high, p.at.y);
        }
    }
    c->height = high > low ? high - low : 0;
    return LMB_OK;
}

static bool is_of_body(const carrying *c, int32_t joint)
{
    return joint >= 0 && c->part[joint] == 1;
}

/// Whether a joint is neither of the body nor above it.
static bool is_loose(const carrying *c, int32_t joint)
{
    return c->part[joint] == 0;
}

static bool mark_body(carrying *c, const int32_t *joints, uint32_t count)
{
    const uint32_t n = c->skeleton->joint_count;
    c->part = lmbi_arena_array(c->arena, n, sizeof *c->part);
    c->listed = lmbi_arena_array(c->arena, n, sizeof *c->listed);
    if (!c->part || !c->listed) {
        return false;
    }
    memset(c->part, 0, n);
    memset(c->listed, 0, n * sizeof *c->listed);
    for (uint32_t k = 0; k < count; ++k) {
        c->listed[joints[k]] = true;
        for (int32_t j = joints[k]; j >= 0; j = c->skeleton->parents[j]) {
            c->part[j] = j == joints[k] ? 1 : c->part[j] == 1 ? 1 : 2;
        }
    }
    for (uint32_t j = 0; j < n; ++j) {
        const int32_t parent = c->skeleton->parents[j];
        c->part[j] = is_of_body(c, parent) ? 1 : c->part[j];
    }
    return true;
}

/// The topmost loose joint above one that moves skin: what hangs from it comes along.
static int32_t top_of(const carrying *c, const bool *moves, int32_t joint)
{
    int32_t top = joint;
    for (int32_t j = joint; j >= 0 && is_loose(c, j); j = c->skeleton->parents[j]) {
        top = moves[j] ? j : top;
    }
    return top;
}

/// The body's joint in the same place, the last of several.
static int32_t joint_in_place(const carrying *c, lmb_vec3 at)
{
    int32_t found = LMB_NONE;
    for (uint32_t j = 0; j < c->skeleton->joint_count; ++j) {
        const bool here =
            lmb_vec3_distance(lmb_mat4_translation(c->model[j]), at) < SAME_PLACE * c->height;
        found = here && is_of_body(c, (int32_t)j) ? (int32_t)j : found;
    }
    return found;
}

/// The body's joint whose skin is nearest to the skin below `top`, by the votes of its vertices.
static int32_t nearest_owner(const carrying *c, int32_t top, uint32_t *votes)
{
    const uint32_t n = c->skeleton->joint_count;
    uint32_t own = 0, seen = 0;
    memset(votes, 0, n * sizeof *votes);
    for (uint32_t p = 0; p < c->point_count; ++p) {
        own += lmbi_is_under(c->skeleton, c->points[p].owner, top);
    }
    for (uint32_t p = 0; p < c->point_count; ++p) {
        if (!lmbi_is_under(c->skeleton, c->points[p].owner, top) ||
            seen++ % (1 + own / SAMPLES) != 0) {
            continue;
        }
        float nearest = NEAR * c->height;
        int32_t owner = LMB_NONE;
        for (uint32_t q = 0; q < c->point_count; ++q) {
            const float d = lmb_vec3_distance(c->points[p].at, c->points[q].at);
            if (d < nearest && c->points[q].owner >= 0 && is_of_body(c, c->points[q].owner)) {
                nearest = d;
                owner = c->points[q].owner;
            }
        }
        if (owner >= 0) {
            ++votes[owner];
        }
    }
    int32_t best = LMB_NONE;
    for (uint32_t j = 0; j < n; ++j) {
        best = votes[j] > (best >= 0 ? votes[best] : 0) ? (int32_t)j : best;
    }
    return best;
}

/// The nearest of the caller's joints above a joint.
static int32_t listed_above(const carrying *c, int32_t joint)
{
    int32_t j = c->skeleton->parents[joint];
    while (j >= 0 && !c->listed[j]) {
        j = c->skeleton->parents[j];
    }
    return j;
}

/// Whether a joint or one below it has `of`.
static bool has_below(const carrying *c, int32_t joint, const bool *of)
{
    for (uint32_t j = (uint32_t)joint; j < c->skeleton->joint_count; ++j) {
        if (of[j] && lmbi_is_under(c->skeleton, (int32_t)j, joint)) {
            return true;
        }
    }
    return false;
}

/// The listed joint whose goal this is: it coincides with it at rest, and hangs from a listed joint
/// that is neither that one nor next above it, as a hand's goal from a spine.
static int32_t goal_of(const carrying *c, const bool *moves, int32_t joint)
{
    const int32_t above = listed_above(c, joint), parent = c->skeleton->parents[joint];
    if (above < 0 || parent != above || !has_below(c, joint, moves) ||
        has_below(c, joint, c->listed)) {
        return LMB_NONE;
    }
    const lmb_vec3 at = lmb_mat4_translation(c->model[joint]);
    for (uint32_t j = 0; j < c->skeleton->joint_count; ++j) {
        if (c->listed[j] && !lmbi_is_under(c->skeleton, above, (int32_t)j) &&
            listed_above(c, (int32_t)j) != above &&
            lmb_vec3_distance(lmb_mat4_translation(c->model[j]), at) < COINCIDE * c->height) {
            return (int32_t)j;
        }
    }
    return LMB_NONE;
}

/// The joint of the body that carries a joint; LMB_NONE: it stays.
static int32_t carrier_of(const carrying *c, const bool *moves, int32_t joint, uint32_t *votes)
{
    if (is_of_body(c, joint)) {
        return goal_of(c, moves, joint);
    }
    if (!moves[joint] || !is_loose(c, joint) || top_of(c, moves, joint) != joint) {
        return LMB_NONE;
    }
    const int32_t here = joint_in_place(c, lmb_mat4_translation(c->model[joint]));
    return here >= 0 ? here : nearest_owner(c, joint, votes);
}

static lmb_result find_carriers(carrying *c, lmb_error *error)
{
    const uint32_t n = c->skeleton->joint_count;
    bool *moves = lmbi_arena_array(c->arena, n, sizeof *moves);
    uint32_t *votes = lmbi_arena_array(c->arena, n, sizeof *votes);
    c->model = lmbi_arena_array(c->arena, n, sizeof *c->model);
    c->carrier = lmbi_arena_array(c->arena, n, sizeof *c->carrier);
    c->carrier_from_joint = lmbi_arena_array(c->arena, n, sizeof *c->carrier_from_joint);
    if (!moves || !votes || !c->model || !c->carrier || !c->carrier_from_joint) {
        return lmbi_fail_memory(error);
    }
    lmb_pose_to_model(
        &(lmb_pose_to_model_job){.skeleton = c->skeleton, .model_from_joint = c->model});
    for (uint32_t j = 0; j < n; ++j) {
        c->carrier[j] = LMB_NONE;
        moves[j] = false;
    }
    for (uint32_t p = 0; p < c->point_count; ++p) {
        if (c->points[p].owner >= 0) {
            moves[c->points[p].owner] = true;
        }
    }
    for (uint32_t j = 0; j < n; ++j) {
        lmb_mat4 inverse;
        const int32_t carrier = carrier_of(c, moves, (int32_t)j, votes);
        if (carrier >= 0 && lmb_mat4_inverse_affine(c->model[carrier], &inverse)) {
            c->carrier[j] = carrier;
            c->carrier_from_joint[j] = lmb_mat4_mul(inverse, c->model[j]);
            ++c->carried_count;
        }
    }
    return lmbi_find_holders(c->character, c->part, c->height, c->arena, c->carrier,
                             c->carrier_from_joint, &c->carried_count, error);
}

/// Where the loose joints are in a frame's pose, relative to their parents.
static void carry_pose(const carrying *c, lmb_transform *local, lmb_mat4 *model)
{
    lmb_pose_to_model(&(lmb_pose_to_model_job){
        .skeleton = c->skeleton, .local = local, .model_from_joint = model});
    for (uint32_t j = 0; j < c->skeleton->joint_count; ++j) {
        const int32_t carrier = c->carrier[j], parent = c->skeleton->parents[j];
        lmb_mat4 above;
        if (carrier < 0) {
            continue;
        }
        const lmb_mat4 moved = lmb_mat4_mul(model[carrier], c->carrier_from_joint[j]);
        if (parent < 0) {
            above = lmb_mat4_identity();
        } else if (!lmb_mat4_inverse_affine(model[parent], &above)) {
            continue;
        }
        lmb_transform own;
        (void)lmb_mat4_decompose(lmb_mat4_mul(above, moved), &own);
        local[j].translation = own.translation;
        local[j].rotation = own.rotation;
    }
}

static bool is_carried_channel(const carrying *c, const lmb_channel *channel)
{
    return channel->joint < c->skeleton->joint_count && c->carrier[channel->joint] >= 0 &&
           (channel->path == LMB_PATH_TRANSLATION || channel->path == LMB_PATH_ROTATION);
}

/// Channels of the carried joints, translation and rotation, to be keyed frame by frame.
static void add_channels(const carrying *c, float *ticks, uint32_t frames, float *values,
                         lmb_channel *out)
{
    for (uint32_t j = 0; j < c->skeleton->joint_count; ++j) {
        if (c->carrier[j] < 0) {
            continue;
        }
        out[0] = (lmb_channel){.joint = j,
                               .path = LMB_PATH_TRANSLATION,
                               .width = 3,
                               .key_count = frames,
                               .ticks = ticks,
                               .values = values};
        out[1] = out[0];
        out[1].path = LMB_PATH_ROTATION;
        out[1].width = 4;
        out[1].values = values + 3 * (size_t)frames;
        values += 7 * (size_t)frames;
        out += 2;
    }
}

/// Keys all frames of the channels that add_channels made.
static void key_frames(const carrying *c, const lmb_clip *clip, float ticks_per_s,
                       lmb_transform *pose, lmb_mat4 *model, const lmb_channel *channels)
{
    const uint32_t frames = channels->key_count;
    const double length_s = (double)lmb_clip_duration_s(clip);
    for (uint32_t f = 0; f < frames; ++f) {
        const double time_s = frames > 1 ? length_s * f / (frames - 1) : 0;
        lmb_sample(&(lmb_sample_job){.clip = clip,
                                     .time_s = time_s,
                                     .joint_count = c->skeleton->joint_count,
                                     .rest = c->skeleton->rest,
                                     .pose = pose});
        carry_pose(c, pose, model);
        channels->ticks[f] = (float)(time_s * (double)ticks_per_s);
        for (uint32_t k = 0; k < c->carried_count; ++k) {
            const lmb_channel *moved = &channels[2 * k];
            const lmb_transform *own = &pose[moved->joint];
            memcpy(moved[0].values + 3 * (size_t)f, &own->translation, 3 * sizeof(float));
            memcpy(moved[1].values + 4 * (size_t)f, &own->rotation, 4 * sizeof(float));
        }
    }
}

/// The clip with channels of the carried joints in place of those that they had.
static lmb_result rebuild_clip(const carrying *c, const lmb_allocator *alloc, lmb_clip **clip,
                               lmb_error *error)
{
    const lmb_clip *old = *clip;
    const uint32_t n = c->skeleton->joint_count;
    const float rate = old->frame_rate > 0 ? old->frame_rate : USUAL_RATE_HZ;
    const uint32_t frames = 1 + (uint32_t)(lmb_clip_duration_s(old) * rate + 0.5f);
    lmb_transform *pose = lmbi_arena_array(c->arena, n, sizeof *pose);
    lmb_mat4 *model = lmbi_arena_array(c->arena, n, sizeof *model);
    float *ticks = lmbi_arena_array(c->arena, frames, sizeof *ticks);
    float *values =
        lmbi_arena_array(c->arena, (size_t)frames * c->carried_count, 7 * sizeof *values);
    lmb_channel *channels = lmbi_arena_array(
        c->arena, old->channel_count + 2 * (size_t)c->carried_count, sizeof *channels);
    lmb_clip def = *old, *made = NULL;
    if (!pose || !model || !ticks || !values || !channels) {
        return lmbi_fail_memory(error);
    }
    def.channels = channels;
    def.channel_count = 0;
    for (uint32_t k = 0; k < old->channel_count; ++k) {
        if (!is_carried_channel(c, &old->channels[k])) {
            channels[def.channel_count++] = old->channels[k];
        }
    }
    add_channels(c, ticks, frames, values, channels + def.channel_count);
    key_frames(c, old, old->ticks_per_s > 0 ? old->ticks_per_s : 1, pose, model,
               channels + def.channel_count);
    def.channel_count += 2 * c->carried_count;
    const lmb_result result = lmb_clip_create(&def, alloc, &made, error);
    if (result == LMB_OK) {
        lmb_clip_destroy(*clip);
        *clip = made;
    }
    return result;
}

lmb_result lmb_clip_carry(const lmb_character *character, const int32_t *joints,
                          uint32_t joint_count, const lmb_allocator *alloc, lmb_clip **clip,
                          uint32_t *out_count, lmb_error *error)
{
    lmbi_arena arena;
    lmbi_arena_init(&arena, alloc);
    carrying c = {.character = character, .skeleton = character->skeleton, .arena = &arena};
    lmb_result result =
        mark_body(&c, joints, joint_count) ? list_points(&c, error) : lmbi_fail_memory(error);
    if (result == LMB_OK) {
        result = find_carriers(&c, error);
    }
    if (result == LMB_OK && c.carried_count > 0) {
        result = rebuild_clip(&c, alloc, clip, error);
    }
    *out_count = result == LMB_OK ? c.carried_count : 0;
    lmbi_arena_free(&arena);
    return result;
}

uint32_t lmb_body_joints(const lmb_joint_map *map, const lmb_chain_map *chains,
                         int32_t out[LMB_BODY_JOINTS])
{
    uint32_t count = 0;
    for (uint32_t k = 0; map && k < LMB_HUMAN_BONE_COUNT; ++k) {
        out[count] = map->bones[k].joint;
        count += out[count] >= 0;
    }
    for (uint32_t k = 0; chains && k < chains->count; ++k) {
        for (uint32_t i = 0; i < chains->chains[k].count; ++i) {
            out[count++] = chains->chains[k].joints[i];
        }
    }
    return count;
}
