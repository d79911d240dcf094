#include "author/author.h"

#include "base/alloc.h"
#include "base/error.h"
#include "limber/procedural.h"

enum { FIRST_FINGER = LMB_HUMAN_LEFT_THUMB_METACARPAL, HAND_BONES = 15, FINGER_BONES = 30 };

static bool is_mapped(const lmb_joint_map *map, int bone)
{
    return map->bones[bone].joint != LMB_NONE;
}

/// Whether the motion moves three fingers or more of the hand. Older captures have a thumb and one
/// joint for the other fingers, which would make every hand point.
static bool has_hand(const lmb_joint_map *map, int bone)
{
    const int first = FIRST_FINGER + (bone - FIRST_FINGER) / HAND_BONES * HAND_BONES;
    int fingers = 0;
    for (int k = 0; k < HAND_BONES; k += 3) {
        fingers += is_mapped(map, first + k) || is_mapped(map, first + k + 1);
    }
    return fingers >= 3;
}

/// Whether the character has a joint for the bone, which the motion does not move.
static bool is_unmoved(const lmb_retarget_report *report, int bone)
{
    return is_mapped(&report->target_map, bone) &&
           !(is_mapped(&report->source_map, bone) && has_hand(&report->source_map, bone));
}

static bool is_unmoved_joint(const lmb_retarget_report *report, uint32_t joint)
{
    for (int bone = FIRST_FINGER; bone < FIRST_FINGER + FINGER_BONES; ++bone) {
        if (is_unmoved(report, bone) && report->target_map.bones[bone].joint == (int32_t)joint) {
            return true;
        }
    }
    return false;
}

static uint32_t count_unmoved(const lmb_retarget_report *report)
{
    uint32_t count = 0;
    for (int bone = FIRST_FINGER; bone < FIRST_FINGER + FINGER_BONES; ++bone) {
        count += is_unmoved(report, bone);
    }
    return count;
}

/// The made idle motion on the character, whose fingers are half open.
static lmb_result make_idle_clip(const lmb_character *character, const lmb_joint_map *map,
                                 const lmb_allocator *alloc, lmb_clip **out, lmb_error *error)
{
    lmb_character *idle = NULL;
    lmb_result result =
        lmb_motion_create(&(lmb_motion_opts){.kind = LMB_MOTION_IDLE}, alloc, &idle, error);
    if (result == LMB_OK) {
        const lmb_retarget_opts opts = {.target_map = map, .no_lock_feet = true, .frame_rate = 12};
        result = lmb_retarget(character, idle, 0, &opts, alloc, out, NULL, error);
    }
    lmb_character_destroy(idle);
    return result;
}

/// The clip with the first keys of the idle clip's fingers in place of those that the motion lacks.
static lmb_result create_relaxed_clip(const lmb_clip *clip, const lmb_clip *idle,
                                      const lmb_retarget_report *report, const lmb_allocator *alloc,
                                      lmb_clip **out, lmb_error *error)
{
    lmb_clip def = *clip;
    def.channels = lmbi_alloc_array(alloc, (size_t)clip->channel_count + idle->channel_count,
                                    sizeof *def.channels);
    if (!def.channels) {
        return lmbi_fail_memory(error);
    }
    def.channel_count = 0;
    for (uint32_t c = 0; c < clip->channel_count; ++c) {
        if (!is_unmoved_joint(report, clip->channels[c].joint)) {
            def.channels[def.channel_count++] = clip->channels[c];
        }
    }
    for (uint32_t c = 0; c < idle->channel_count; ++c) {
        const lmb_channel *channel = &idle->channels[c];
        if (channel->path == LMB_PATH_ROTATION && is_unmoved_joint(report, channel->joint)) {
            lmb_channel *own = &def.channels[def.channel_count++];
            *own = *channel;
            own->key_count = 1;
        }
    }
    const lmb_result result = lmb_clip_create(&def, alloc, out, error);
    lmbi_free(alloc, def.channels);
    return result;
}

lmb_result lmbi_relax_fingers(const lmb_character *character, const lmb_retarget_report *report,
                              const lmb_allocator *alloc, lmb_clip **clip, uint32_t *out_count,
                              lmb_error *error)
{
    lmb_clip *idle = NULL, *relaxed = NULL;
    *out_count = count_unmoved(report);
    if (*out_count == 0) {
        return LMB_OK;
    }
    lmb_result result = make_idle_clip(character, &report->target_map, alloc, &idle, error);
    if (result == LMB_OK) {
        result = create_relaxed_clip(*clip, idle, report, alloc, &relaxed, error);
    }
    lmb_clip_destroy(idle);
    if (result == LMB_OK) {
        lmb_clip_destroy(*clip);
        *clip = relaxed;
    }
    return result;
}
