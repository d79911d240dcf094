/// Fingers that a motion says nothing of.
#include "cli/animate/hands.h"

#include <stdlib.h>

enum { FIRST_FINGER = LMB_SLOT_LEFT_THUMB_METACARPAL, HAND_SLOTS = 15, FINGER_SLOTS = 30 };

static bool is_there(const lmb_joint_map *map, int slot)
{
    return map->slots[slot].joint != LMB_NONE;
}

/// Whether the motion has a hand of its own: three fingers or more. Older captures have a thumb and
/// one joint for the rest, which would make every hand point.
static bool has_hand(const lmb_joint_map *map, int slot)
{
    const int first = FIRST_FINGER + (slot - FIRST_FINGER) / HAND_SLOTS * HAND_SLOTS;
    int fingers = 0;
    for (int k = 0; k < HAND_SLOTS; k += 3) {
        fingers += is_there(map, first + k) || is_there(map, first + k + 1);
    }
    return fingers >= 3;
}

/// Whether the character has a joint there that the motion leaves alone.
static bool is_idle(const lmb_retarget_report *report, int slot)
{
    return is_there(&report->target_map, slot) &&
           !(is_there(&report->source_map, slot) && has_hand(&report->source_map, slot));
}

static bool is_idle_joint(const lmb_retarget_report *report, uint32_t joint)
{
    for (int slot = FIRST_FINGER; slot < FIRST_FINGER + FINGER_SLOTS; ++slot) {
        if (is_idle(report, slot) && report->target_map.slots[slot].joint == (int32_t)joint) {
            return true;
        }
    }
    return false;
}

static uint32_t count_idle(const lmb_retarget_report *report)
{
    uint32_t count = 0;
    for (int slot = FIRST_FINGER; slot < FIRST_FINGER + FINGER_SLOTS; ++slot) {
        count += is_idle(report, slot);
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
