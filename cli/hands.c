/// Fingers that a motion says nothing of.
#include "hands.h"

#include <stdlib.h>

enum { FIRST_FINGER = LMB_HUMAN_LEFT_THUMB_METACARPAL, HAND_BONES = 15, FINGER_BONES = 30 };

static bool is_there(const lmb_joint_map *map, int bone)
{
    return map->bones[bone].joint != LMB_NONE;
}

/// Whether the motion has a hand of its own: three fingers or more. Older captures have a thumb and
/// one joint for the rest, which would make every hand point.
static bool has_hand(const lmb_joint_map *map, int bone)
{
    const int first = FIRST_FINGER + (bone - FIRST_FINGER) / HAND_BONES * HAND_BONES;
    int fingers = 0;
    for (int k = 0; k < HAND_BONES; k += 3) {
        fingers += is_there(map, first + k) || is_there(map, first + k + 1);
    }
    return fingers >= 3;
}

/// Whether the character has a joint there that the motion leaves alone.
static bool is_idle(const lmb_retarget_report *report, int bone)
{
    return is_there(&report->target_map, bone) &&
           !(is_there(&report->source_map, bone) && has_hand(&report->source_map, bone));
}

static bool is_idle_joint(const lmb_retarget_report *report, uint32_t joint)
{
    for (int bone = FIRST_FINGER; bone < FIRST_FINGER + FINGER_BONES; ++bone) {
        if (is_idle(report, bone) && report->target_map.bones[bone].joint == (int32_t)joint) {
            return true;
        }
    }
    return false;
}

static uint32_t count_idle(const lmb_retarget_report *report)
{
    uint32_t count = 0;
    for (int bone = FIRST_FINGER; bone < FIRST_FINGER + FINGER_BONES; ++bone) {
        count += is_idle(report, bone);
    }
    return count;
}

/// The idle motion on the character: its fingers hang half open.
static lmb_result make_idle(const lmb_character *character, const lmb_joint_map *map,
                            lmb_clip **out, lmb_error *error)
{
    lmb_character *idle = NULL;
    lmb_result result =
        lmb_motion_create(&(lmb_motion_opts){.kind = LMB_MOTION_IDLE}, NULL, &idle, error);
    if (result == LMB_OK) {
        const lmb_retarget_opts how = {.target_map = map, .no_lock_feet = true, .frame_rate = 12};
        result = lmb_retarget(character, idle, 0, &how, NULL, out, NULL, error);
    }
    lmb_character_destroy(idle);
    return result;
}

/// The clip with the first keys of the idle one's fingers, where the motion leaves them alone.
static lmb_result with_fingers(const lmb_clip *clip, const lmb_clip *idle,
                               const lmb_retarget_report *report, lmb_clip **out, lmb_error *error)
{
    lmb_clip def = *clip;
    def.channels =
        cli_resize(NULL, clip->channel_count + idle->channel_count, sizeof(*def.channels));
    def.channel_count = 0;
    for (uint32_t c = 0; c < clip->channel_count; ++c) {
        if (!is_idle_joint(report, clip->channels[c].joint)) {
            def.channels[def.channel_count++] = clip->channels[c];
        }
    }
    for (uint32_t c = 0; c < idle->channel_count; ++c) {
        const lmb_channel *channel = &idle->channels[c];
        if (channel->path == LMB_PATH_ROTATION && is_idle_joint(report, channel->joint)) {
            lmb_channel *own = &def.channels[def.channel_count++];
            *own = *channel;
            own->key_count = 1;
        }
    }
    const lmb_result result = lmb_clip_create(&def, NULL, out, error);
    free(def.channels);
    return result;
}

cli_exit cli_hands_ease(cli_run *cli, const lmb_character *character,
                        const lmb_retarget_report *report, lmb_clip **clip)
{
    lmb_clip *idle = NULL, *eased = NULL;
    lmb_error error = {0};
    const uint32_t count = count_idle(report);
    if (count == 0) {
        return CLI_DONE;
    }
    lmb_result result = make_idle(character, &report->target_map, &idle, &error);
    if (result == LMB_OK) {
        result = with_fingers(*clip, idle, report, &eased, &error);
    }
    lmb_clip_destroy(idle);
    if (result != LMB_OK) {
        return cli_fail_call(cli, "the fingers", result, &error);
    }
    lmb_clip_destroy(*clip);
    *clip = eased;
    cli_detail(cli, "fingers", "%u joints hang half open: the motion has no such hand",
               (unsigned)count);
    return CLI_DONE;
}
