/// Correction of exchanged sides. A rig made as seen from the front may call the right hand left;
/// its feet then point backward.
#include "mapping/mapper.h"

#define BACK 0.5f ///< least cosine of both feet to backward
#define DOWN 0.5f ///< least cosine of the legs to down

static lmb_vec3 direction(const lmbi_mapper *m, int from, int to)
{
    const lmb_bone_match *bones = m->map->bones;
    const lmb_vec3 zero = {0, 0, 0};
    return lmb_vec3_normalize_or(
        lmb_vec3_sub(m->positions[bones[to].joint], m->positions[bones[from].joint]), zero);
}

static bool has_legs(const lmbi_mapper *m)
{
    bool all = m->map->bones[LMB_HUMAN_HEAD].joint >= 0;
    for (int bone = LMB_HUMAN_LEFT_UPPER_LEG; bone <= LMB_HUMAN_RIGHT_TOES; ++bone) {
        all = all && m->map->bones[bone].joint >= 0;
    }
    return all;
}

static bool is_mirrored(const lmbi_mapper *m)
{
    static const int thighs[2] = {LMB_HUMAN_LEFT_UPPER_LEG, LMB_HUMAN_RIGHT_UPPER_LEG};
    const lmb_vec3 up = direction(m, LMB_HUMAN_HIPS, LMB_HUMAN_HEAD),
                   left = direction(m, LMB_HUMAN_RIGHT_UPPER_LEG, LMB_HUMAN_LEFT_UPPER_LEG),
                   forward = lmb_vec3_cross(left, up);
    for (int k = 0; k < 2; ++k) {
        const lmb_vec3 leg = direction(m, thighs[k], thighs[k] + 2),
                       foot = direction(m, thighs[k] + 2, thighs[k] + 3);
        if (lmb_vec3_dot(leg, up) > -DOWN || lmb_vec3_dot(foot, forward) > -BACK) {
            return false;
        }
    }
    return true;
}

void lmbi_map_sides(lmbi_mapper *m)
{
    if (!has_legs(m) || !is_mirrored(m)) {
        return;
    }
    lmb_bone_match *bones = m->map->bones;
    for (int bone = 0; bone < LMB_HUMAN_BONE_COUNT; ++bone) {
        const int other = (int)lmb_human_bone_mirror((lmb_human_bone)bone);
        if (other > bone) {
            const lmb_bone_match kept = bones[bone];
            bones[bone] = bones[other];
            bones[other] = kept;
            bones[bone].reason = bones[bone].joint >= 0 ? LMB_MAP_PLACE : LMB_MAP_MISSING;
            bones[other].reason = kept.joint >= 0 ? LMB_MAP_PLACE : LMB_MAP_MISSING;
        }
    }
}
