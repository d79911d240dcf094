/// A recording of the Virtual Motion Capture protocol as a character with a clip.
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "io/stream/osc.h"
#include "io/stream/vmc.h"
#include "mapping/mapping.h"

/// Positions of bones in their parents on a body of 1.75 m in T-pose, for senders that give
/// rotations only.
static const struct {
    uint8_t bone;
    float x, y, z;
} usual[] = {
    {LMB_HUMAN_HIPS, 0, 0.98f, 0},
    {LMB_HUMAN_SPINE, 0, 0.08f, 0},
    {LMB_HUMAN_CHEST, 0, 0.12f, 0},
    {LMB_HUMAN_UPPER_CHEST, 0, 0.12f, 0},
    {LMB_HUMAN_NECK, 0, 0.16f, 0},
    {LMB_HUMAN_HEAD, 0, 0.10f, 0.01f},
    {LMB_HUMAN_LEFT_EYE, 0.03f, 0.08f, 0.08f},
    {LMB_HUMAN_JAW, 0, 0.02f, 0.04f},
    {LMB_HUMAN_LEFT_UPPER_LEG, 0.09f, -0.06f, 0},
    {LMB_HUMAN_LEFT_LOWER_LEG, 0, -0.42f, 0},
    {LMB_HUMAN_LEFT_FOOT, 0, -0.42f, 0},
    {LMB_HUMAN_LEFT_TOES, 0, -0.06f, 0.13f},
    {LMB_HUMAN_LEFT_SHOULDER, 0.04f, 0.10f, 0},
    {LMB_HUMAN_LEFT_UPPER_ARM, 0.13f, 0, 0},
    {LMB_HUMAN_LEFT_LOWER_ARM, 0.27f, 0, 0},
    {LMB_HUMAN_LEFT_HAND, 0.25f, 0, 0},
    {LMB_HUMAN_LEFT_THUMB_METACARPAL, 0.03f, -0.01f, 0.03f},
    {LMB_HUMAN_LEFT_THUMB_METACARPAL + 3, 0.09f, 0, 0.03f},
    {LMB_HUMAN_LEFT_THUMB_METACARPAL + 6, 0.09f, 0, 0.01f},
    {LMB_HUMAN_LEFT_THUMB_METACARPAL + 9, 0.08f, 0, -0.01f},
    {LMB_HUMAN_LEFT_THUMB_METACARPAL + 12, 0.07f, 0, -0.03f},
};

static lmb_vec3 standard_offset(int bone)
{
    const int mirror = (int)lmb_human_bone_mirror((lmb_human_bone)bone),
              left = bone < mirror ? bone : mirror;
    const float side = bone > mirror ? -1.0f : 1.0f;
    for (size_t k = 0; k < sizeof usual / sizeof *usual; ++k) {
        if (usual[k].bone == left) {
            return lmb_vec3_make(side * usual[k].x, usual[k].y, usual[k].z);
        }
    }
    return lmb_vec3_make(side * 0.03f, 0, 0); // the next bone of a finger, 3 cm on
}

typedef struct recording {
    const lmb_vmc_frame *frames;
    uint32_t frame_count;
    uint32_t *kept, kept_count; ///< frames whose time rises
    uint64_t bones;             ///< bones that any frame has
    int32_t joint_of[LMB_HUMAN_BONE_COUNT];
    uint32_t joint_count;
    int bone_of[LMB_HUMAN_BONE_COUNT + 1];
    float *ticks;
    lmbi_arena *arena;
} recording;

static bool keep_frames(recording *r)
{
    r->kept = lmbi_arena_array(r->arena, r->frame_count, sizeof *r->kept);
    r->ticks = lmbi_arena_array(r->arena, r->frame_count, sizeof *r->ticks);
    if (r->kept == NULL || r->ticks == NULL) {
        return false;
    }
    for (uint32_t f = 0; f < r->frame_count; ++f) {
        const float tick = (float)(r->frames[f].time_s - r->frames[0].time_s);
        if (f == 0 || tick > r->ticks[r->kept_count - 1]) {
            r->ticks[r->kept_count] = tick;
            r->kept[r->kept_count++] = f;
            r->bones |= r->frames[f].bones;
        }
    }
    return true;
}

/// Numbers the joints: 0 is the root, and bones follow in an order in which parents come first.
static void order_joints(recording *r)
{
    r->joint_count = 1;
    for (int bone = 0; bone < LMB_HUMAN_BONE_COUNT; ++bone) {
        r->joint_of[bone] = LMB_NONE;
        if (r->bones >> bone & 1) {
            r->bone_of[r->joint_count] = bone;
            r->joint_of[bone] = (int32_t)r->joint_count++;
        }
    }
}

static int32_t parent_of(const recording *r, int bone)
{
    lmb_human_bone above = lmbi_human_bone_parent((lmb_human_bone)bone);
    while (above < LMB_HUMAN_BONE_COUNT && r->joint_of[above] < 0) {
        above = lmbi_human_bone_parent(above);
    }
    return above < LMB_HUMAN_BONE_COUNT ? r->joint_of[above] : 0;
}

/// The bone's position as first received; the standard one where the sender leaves all positions 0.
static lmb_vec3 rest_offset(const recording *r, int bone)
{
    for (uint32_t k = 0; k < r->kept_count; ++k) {
        const lmb_vmc_frame *frame = &r->frames[r->kept[k]];
        if (frame->bones >> bone & 1) {
            const lmb_vec3 p = frame->local[bone].translation;
            return lmb_vec3_dot(p, p) > 1e-10f ? p : standard_offset(bone);
        }
    }
    return standard_offset(bone);
}

static lmb_result make_skeleton(const recording *r, const lmb_allocator *alloc, lmb_skeleton **out,
                                lmb_error *error)
{
    int32_t parents[LMB_HUMAN_BONE_COUNT + 1];
    lmb_transform rest[LMB_HUMAN_BONE_COUNT + 1];
    const char *names[LMB_HUMAN_BONE_COUNT + 1];
    parents[0] = LMB_NONE;
    rest[0] = lmb_transform_identity();
    names[0] = "root";
    for (uint32_t j = 1; j < r->joint_count; ++j) {
        parents[j] = parent_of(r, r->bone_of[j]);
        rest[j] = lmb_transform_identity();
        rest[j].translation = rest_offset(r, r->bone_of[j]);
        names[j] = lmb_human_bone_name((lmb_human_bone)r->bone_of[j]);
    }
    const lmb_skeleton def = {
        .joint_count = r->joint_count, .parents = parents, .rest = rest, .names = names};
    return lmb_skeleton_create(&def, alloc, out, error);
}

/// A joint's transform in a frame; false where the frame does not have it.
static bool received_transform(const recording *r, uint32_t k, uint32_t joint, lmb_transform *out)
{
    const lmb_vmc_frame *frame = &r->frames[r->kept[k]];
    if (joint == 0) {
        *out = frame->root;
        return true;
    }
    const int bone = r->bone_of[joint];
    *out = frame->local[bone];
    return frame->bones >> bone & 1;
}

/// Makes the keys of one joint; a frame without the bone repeats the previous value.
static bool add_channel(const recording *r, lmb_channel *channel, uint32_t joint, lmb_path path,
                        lmb_transform rest)
{
    const uint32_t width = path == LMB_PATH_ROTATION ? 4 : 3;
    float *values = lmbi_arena_array(r->arena, (size_t)r->kept_count * width, sizeof *values);
    if (values == NULL) {
        return false;
    }
    lmb_transform last = rest, now;
    for (uint32_t k = 0; k < r->kept_count; ++k) {
        if (received_transform(r, k, joint, &now)) {
            if (lmb_quat_dot(last.rotation, now.rotation) < 0) {
                const lmb_quat q = now.rotation;
                now.rotation = lmb_quat_make(-q.x, -q.y, -q.z, -q.w);
            }
            last = now;
        }
        memcpy(values + (size_t)k * width,
               path == LMB_PATH_ROTATION ? (const void *)&last.rotation
                                         : (const void *)&last.translation,
               width * sizeof *values);
    }
    *channel = (lmb_channel){.joint = joint,
                             .path = path,
                             .width = width,
                             .key_count = r->kept_count,
                             .ticks = r->ticks,
                             .values = values};
    return true;
}

static lmb_result make_clip(const recording *r, const lmb_skeleton *skeleton,
                            const lmb_allocator *alloc, lmb_clip **out, lmb_error *error)
{
    lmb_channel *channels =
        lmbi_arena_array(r->arena, (size_t)r->joint_count + 2, sizeof *channels);
    uint32_t count = 0;
    bool made = channels != NULL;
    for (uint32_t j = 0; j < r->joint_count && made; ++j) {
        made = add_channel(r, &channels[count++], j, LMB_PATH_ROTATION, skeleton->rest[j]);
        if (made && (j == 0 || r->bone_of[j] == LMB_HUMAN_HIPS)) {
            made = add_channel(r, &channels[count++], j, LMB_PATH_TRANSLATION, skeleton->rest[j]);
        }
    }
    if (!made) {
        return lmbi_fail_memory(error);
    }
    const float length = r->ticks[r->kept_count - 1];
    const lmb_clip def = {.name = "live",
                          .duration = length,
                          .frame_rate = length > 0 ? (float)(r->kept_count - 1) / length : 0,
                          .channel_count = count,
                          .channels = channels};
    return lmb_clip_create(&def, alloc, out, error);
}

lmb_result lmb_vmc_character(const lmb_vmc_frame *frames, uint32_t count,
                             const lmb_allocator *alloc, lmb_character **out, lmb_error *error)
{
    lmbi_arena arena;
    lmbi_arena_init(&arena, alloc);
    recording r = {.frames = frames, .frame_count = count, .arena = &arena};
    lmb_character def = {.name = "live"};
    lmb_clip *clips[1] = {NULL};
    lmb_result result = keep_frames(&r) ? LMB_OK : lmbi_fail_memory(error);
    if (result == LMB_OK && (r.bones >> LMB_HUMAN_HIPS & 1) == 0) {
        result = lmbi_fail(error, LMB_ERROR_INVALID, "frames with hips", "%u frames without",
                           (unsigned)count);
    }
    if (result == LMB_OK) {
        order_joints(&r);
        result = make_skeleton(&r, alloc, &def.skeleton, error);
    }
    if (result == LMB_OK) {
        result = make_clip(&r, def.skeleton, alloc, &clips[0], error);
    }
    if (result == LMB_OK) {
        def.clip_count = 1;
        def.clips = clips;
        result = lmb_character_create(&def, alloc, out, error);
    }
    if (result != LMB_OK) {
        lmb_clip_destroy(clips[0]);
        lmb_skeleton_destroy(def.skeleton);
    }
    lmbi_arena_free(&arena);
    return result;
}

void lmbi_vmc_pose(const lmb_vmc_frame *frame, const lmb_skeleton *skeleton, lmb_transform *local)
{
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        const int bone = (int)lmb_human_bone_find(skeleton->names[j]);
        if (bone == LMB_HUMAN_BONE_COUNT && strcmp(skeleton->names[j], "root") == 0) {
            local[j].translation = frame->root.translation;
            local[j].rotation = frame->root.rotation;
        } else if (bone < LMB_HUMAN_BONE_COUNT && (frame->bones >> bone & 1)) {
            local[j].rotation = frame->local[bone].rotation;
            if (bone == LMB_HUMAN_HIPS) {
                local[j].translation = frame->local[bone].translation;
            }
        }
    }
}
