#include <math.h>
#include <string.h>

#include "anim/frames.h"
#include "asset/joint_names.h"
#include "base/error.h"
#include "limber/anim.h"

// ------------------------------------------------------------------------------------------ names

enum { NAME = 128 };

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

/// Whether the letter at `at` stands for a side: apart from other letters (arm_L, L.arm), or small
/// before a capital (lThigh).
static bool is_side_letter(const char *name, size_t at)
{
    const char next = name[at + 1];
    const bool alone_before = at == 0 || !is_letter(name[at - 1]);
    return alone_before && (!is_letter(next) || (at == 0 && is_lower(name[0]) && !is_lower(next)));
}

static char other_letter(char c)
{
    switch (c) {
    case 'l':
        return 'r';
    case 'L':
        return 'R';
    case 'r':
        return 'l';
    case 'R':
        return 'L';
    default:
        return 0;
    }
}

/// The word at `at`, whichever way it is capitalised: its length when it is "left" or "right", else
/// 0.
static size_t side_word(const char *at, bool *is_left)
{
    static const char *const words[] = {"left", "right"};
    for (int w = 0; w < 2; ++w) {
        size_t k = 0;
        while (words[w][k] != 0 && (at[k] | 0x20) == words[w][k]) {
            ++k;
        }
        if (words[w][k] == 0) {
            *is_left = w == 0;
            return k;
        }
    }
    return 0;
}

/// The name with its side turned. False when it has none or is too long.
static bool other_side(const char *name, char out[NAME + 1])
{
    const size_t length = strlen(name);
    if (length >= NAME) {
        return false;
    }
    for (size_t at = 0; at < length; ++at) {
        bool is_left = false;
        const size_t word = side_word(name + at, &is_left);
        if (word > 0) {
            static const char *const spelt[2][3] = {{"left", "Left", "LEFT"},
                                                    {"right", "Right", "RIGHT"}};
            const int style = is_lower(name[at]) ? 0 : (is_lower(name[at + 1]) ? 1 : 2);
            const char *turned = spelt[is_left ? 1 : 0][style];
            memcpy(out, name, at);
            strcpy(out + at, turned);
            strcat(out, name + at + word);
            return true;
        }
    }
    for (size_t at = 0; at < length; ++at) {
        if (other_letter(name[at]) != 0 && is_side_letter(name, at)) {
            strcpy(out, name);
            out[at] = other_letter(name[at]);
            return true;
        }
    }
    return false;
}

void lmb_mirror_pairs(const lmb_skeleton *skeleton, uint32_t *pairs)
{
    lmbi_arena arena;
    lmbi_joint_names names;
    lmbi_arena_init(&arena, NULL);
    const bool quick = lmbi_joint_names_make(skeleton, &arena, &names);
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        pairs[j] = j;
    }
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        char name[NAME + 1];
        int32_t other = LMB_NONE;
        if (other_side(skeleton->names[j], name)) {
            other = quick ? lmbi_joint_names_find(&names, name) : lmb_skeleton_find(skeleton, name);
        }
        if (other != LMB_NONE && pairs[j] == j && pairs[other] == (uint32_t)other) {
            pairs[j] = (uint32_t)other;
            pairs[other] = j;
        }
    }
    lmbi_arena_free(&arena);
}

// ----------------------------------------------------------------------------------------- motion

/// model_from_joint of every joint, without shear.
static void to_model(const lmb_skeleton *skeleton, const lmb_transform *local, lmb_transform *model)
{
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        const int32_t parent = skeleton->parents[j];
        model[j] = parent == LMB_NONE ? local[j] : lmb_transform_mul(model[parent], local[j]);
    }
}

static lmb_vec3 across(lmb_vec3 v)
{
    return lmb_vec3_make(-v.x, v.y, v.z);
}

static lmb_vec3 divide(lmb_vec3 a, lmb_vec3 b)
{
    return lmb_vec3_make(a.x / b.x, a.y / b.y, a.z / b.z);
}

/// S R S with S = diag(-1, 1, 1).
static lmb_quat across_quat(lmb_quat q)
{
    return lmb_quat_make(q.x, -q.y, -q.z, q.w);
}

/// What joint k has moved from its place on its parent, as seen in model space.
static lmb_vec3 offset_of(const lmb_skeleton *skeleton, const lmb_transform *local,
                          const lmb_transform *model, uint32_t k)
{
    const lmb_vec3 moved = lmb_vec3_sub(local[k].translation, skeleton->rest[k].translation);
    const int32_t parent = skeleton->parents[k];
    return parent == LMB_NONE
               ? moved
               : lmb_quat_rotate(model[parent].rotation, lmb_vec3_mul(model[parent].scale, moved));
}

/// `model` is of the pose `local`, `rest_model` of the rest pose; both stay. `mirrored` is scratch
/// for model transforms.
static void mirror_pose(const lmb_skeleton *skeleton, const uint32_t *pairs,
                        const lmb_transform *rest_model, const lmb_transform *local,
                        const lmb_transform *model, lmb_transform *mirrored, lmb_transform *out)
{
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        const uint32_t k = pairs[j];
        const int32_t parent = skeleton->parents[j];
        const lmb_transform above =
            parent == LMB_NONE ? lmb_transform_identity() : mirrored[parent];
        const lmb_quat turn =
            lmb_quat_mul(model[k].rotation, lmb_quat_conjugate(rest_model[k].rotation));
        const lmb_quat rotation = lmb_quat_mul(across_quat(turn), rest_model[j].rotation);
        const lmb_vec3 offset = across(offset_of(skeleton, local, model, k));
        const lmb_vec3 moved =
            divide(lmb_quat_rotate(lmb_quat_conjugate(above.rotation), offset), above.scale);
        out[j].translation = lmb_vec3_add(skeleton->rest[j].translation, moved);
        out[j].rotation =
            lmb_quat_normalize(lmb_quat_mul(lmb_quat_conjugate(above.rotation), rotation));
        out[j].scale =
            lmb_vec3_mul(skeleton->rest[j].scale, divide(local[k].scale, skeleton->rest[k].scale));
        mirrored[j] = parent == LMB_NONE ? out[j] : lmb_transform_mul(above, out[j]);
    }
}

static lmb_result mirror(lmbi_arena *arena, const lmbi_frames *frames, const lmb_skeleton *skeleton,
                         const uint32_t *pairs, lmb_error *error)
{
    const uint32_t joints = skeleton->joint_count;
    lmb_transform *scratch = lmbi_arena_array(arena, 4 * (size_t)joints, sizeof(*scratch));
    if (scratch == NULL) {
        return lmbi_fail_memory(error);
    }
    lmb_transform *rest_model = scratch, *model = scratch + joints, *mirrored = model + joints,
                  *local = mirrored + joints;
    to_model(skeleton, skeleton->rest, rest_model);
    for (uint32_t f = 0; f < frames->frame_count; ++f) {
        memcpy(local, lmbi_frame(frames, f), joints * sizeof(*local));
        to_model(skeleton, local, model);
        mirror_pose(skeleton, pairs, rest_model, local, model, mirrored, lmbi_frame(frames, f));
    }
    return LMB_OK;
}

lmb_result lmb_clip_mirror(const lmb_clip *clip, const lmb_skeleton *skeleton,
                           const uint32_t *pairs, float rate_hz, const lmb_allocator *alloc,
                           lmb_clip **out, lmb_error *error)
{
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        if (pairs[j] >= skeleton->joint_count || pairs[pairs[j]] != j) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "pairs of joints that are each other's",
                             "joint %u's", j);
        }
    }
    lmbi_arena arena;
    lmbi_frames frames;
    lmbi_arena_init(&arena, alloc);
    lmb_result result = lmbi_frames_read(&arena, clip, skeleton, rate_hz, &frames, error);
    if (result == LMB_OK) {
        result = mirror(&arena, &frames, skeleton, pairs, error);
    }
    if (result == LMB_OK) {
        result = lmbi_frames_write(&frames, clip, skeleton, alloc, out, error);
    }
    lmbi_arena_free(&arena);
    return result;
}
