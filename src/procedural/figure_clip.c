/// Makes a clip of the generated humanoid, with its skeleton.
#include "base/arena.h"
#include "base/error.h"
#include "procedural/figure.h"

#include <stdio.h>
#include <string.h>

enum { NAME_SIZE = 32 };

static lmb_result make_skeleton(const lmb_allocator *alloc, lmb_skeleton **out, lmb_error *error)
{
    int32_t parents[FIGURE_JOINTS];
    lmb_transform rest[FIGURE_JOINTS];
    char texts[FIGURE_JOINTS][NAME_SIZE];
    const char *names[FIGURE_JOINTS];
    lmb_vec3 tips[FIGURE_JOINTS];
    for (int j = 0; j < FIGURE_JOINTS; ++j) {
        const lmbi_figure_bone bone = lmbi_figure_bone_of(j);
        parents[j] = lmbi_figure_parent(j);
        rest[j] = lmb_transform_identity();
        rest[j].translation =
            parents[j] < 0 ? bone.at : lmb_vec3_sub(bone.at, lmbi_figure_bone_of(parents[j]).at);
        snprintf(texts[j], NAME_SIZE, "%s%s", bone.side, bone.name);
        names[j] = texts[j];
        tips[j] = bone.tip;
    }
    const lmb_skeleton def = {.name = "humanoid",
                              .joint_count = FIGURE_JOINTS,
                              .parents = parents,
                              .rest = rest,
                              .names = names,
                              .tips = tips};
    return lmb_skeleton_create(&def, alloc, out, error);
}

typedef struct keys {
    float *ticks;
    float *rotations[FIGURE_JOINTS];
    float *hips;
} keys;

static bool keys_allocate(keys *k, uint32_t count, lmbi_arena *arena)
{
    k->ticks = lmbi_arena_array(arena, count, sizeof(float));
    k->hips = lmbi_arena_array(arena, count, 3 * sizeof(float));
    bool ok = k->ticks != NULL && k->hips != NULL;
    for (int j = 0; j < FIGURE_JOINTS; ++j) {
        k->rotations[j] = lmbi_arena_array(arena, count, 4 * sizeof(float));
        ok = ok && k->rotations[j] != NULL;
    }
    return ok;
}

static void keys_set_frame(keys *k, uint32_t f, const lmb_transform *local)
{
    k->ticks[f] = (float)f;
    memcpy(k->hips + 3 * (size_t)f, &local[FIGURE_HIPS].translation, 3 * sizeof(float));
    for (int j = 0; j < FIGURE_JOINTS; ++j) {
        lmb_quat q = local[j].rotation;
        const float *before = k->rotations[j] + 4 * (size_t)(f > 0 ? f - 1 : 0);
        if (f > 0 && before[0] * q.x + before[1] * q.y + before[2] * q.z + before[3] * q.w < 0.0f) {
            q = lmb_quat_make(-q.x, -q.y, -q.z, -q.w);
        }
        memcpy(k->rotations[j] + 4 * (size_t)f, &q, sizeof(q));
    }
}

static lmb_result make_clip(const char *name, const keys *k, uint32_t count, float rate,
                            const lmb_allocator *alloc, lmb_clip **out, lmb_error *error)
{
    lmb_channel channels[FIGURE_JOINTS + 1];
    for (uint32_t j = 0; j < FIGURE_JOINTS; ++j) {
        channels[j] = (lmb_channel){.joint = j,
                                    .path = LMB_PATH_ROTATION,
                                    .width = 4,
                                    .key_count = count,
                                    .ticks = k->ticks,
                                    .values = k->rotations[j]};
    }
    channels[FIGURE_JOINTS] = (lmb_channel){.joint = FIGURE_HIPS,
                                            .path = LMB_PATH_TRANSLATION,
                                            .width = 3,
                                            .key_count = count,
                                            .ticks = k->ticks,
                                            .values = k->hips};
    const lmb_clip def = {.name = name,
                          .ticks_per_s = rate,
                          .duration = (float)(count - 1),
                          .frame_rate = rate,
                          .channel_count = FIGURE_JOINTS + 1,
                          .channels = channels};
    return lmb_clip_create(&def, alloc, out, error);
}

static lmb_result make_character(const char *name, lmb_skeleton *skeleton, lmb_clip *clip,
                                 const lmb_allocator *alloc, lmb_character **out, lmb_error *error)
{
    lmb_clip *clips[1] = {clip};
    const lmb_character def = {.name = name, .skeleton = skeleton, .clip_count = 1, .clips = clips};
    return lmb_character_create(&def, alloc, out, error);
}

lmb_result lmbi_figure_character(const char *name, lmbi_figure_fn make, const void *context,
                                 uint32_t frame_count, float rate, const lmb_allocator *alloc,
                                 lmb_character **out, lmb_error *error)
{
    lmbi_arena arena;
    lmbi_arena_init(&arena, alloc);
    keys k;
    if (!keys_allocate(&k, frame_count + 1, &arena)) {
        lmbi_arena_free(&arena);
        return lmbi_fail_memory(error);
    }
    for (uint32_t f = 0; f <= frame_count; ++f) {
        lmb_transform local[FIGURE_JOINTS];
        const lmbi_figure_state figure = make(context, f);
        lmbi_figure_pose(&figure, local);
        keys_set_frame(&k, f, local);
    }
    lmb_skeleton *skeleton = NULL;
    lmb_clip *clip = NULL;
    lmb_result result = make_skeleton(alloc, &skeleton, error);
    if (result == LMB_OK) {
        result = make_clip(name, &k, frame_count + 1, rate, alloc, &clip, error);
    }
    if (result == LMB_OK) {
        result = make_character(name, skeleton, clip, alloc, out, error);
    }
    if (result != LMB_OK) {
        lmb_skeleton_destroy(skeleton);
        lmb_clip_destroy(clip);
    }
    lmbi_arena_free(&arena);
    return result;
}
