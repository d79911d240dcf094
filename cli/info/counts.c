/// Counts that both the text and the JSON report of a character print.
#include "cli/info/report.h"

#include <stdlib.h>

uint32_t cli_info_roots(const lmb_skeleton *skeleton)
{
    uint32_t count = 0;
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        count += skeleton->parents[j] == LMB_NONE;
    }
    return count;
}

uint32_t cli_info_depth(const lmb_skeleton *skeleton)
{
    uint32_t *depths = cli_resize(NULL, skeleton->joint_count, sizeof(*depths)), deepest = 0;
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        depths[j] = skeleton->parents[j] == LMB_NONE ? 1 : depths[skeleton->parents[j]] + 1;
        deepest = depths[j] > deepest ? depths[j] : deepest;
    }
    free(depths);
    return deepest;
}

uint32_t cli_info_keys(const lmb_clip *clip)
{
    uint32_t most = 0;
    for (uint32_t c = 0; c < clip->channel_count; ++c) {
        most = clip->channels[c].key_count > most ? clip->channels[c].key_count : most;
    }
    return most;
}

bool cli_info_faces(const lmb_motion_guess *guess)
{
    return lmb_vec3_dot(guess->facing, guess->facing) > 0.5f;
}
