/// Which joints of a human fall apart from each other.
#include "limber/author.h"

uint32_t lmb_ragdoll_human_joints(const lmb_joint_map *map, uint32_t *joints)
{
    static const lmb_human_bone bones[] = {
        LMB_HUMAN_HIPS,       LMB_HUMAN_SPINE,           LMB_HUMAN_CHEST,
        LMB_HUMAN_HEAD,       LMB_HUMAN_LEFT_UPPER_LEG,  LMB_HUMAN_LEFT_LOWER_LEG,
        LMB_HUMAN_LEFT_FOOT,  LMB_HUMAN_RIGHT_UPPER_LEG, LMB_HUMAN_RIGHT_LOWER_LEG,
        LMB_HUMAN_RIGHT_FOOT, LMB_HUMAN_LEFT_UPPER_ARM,  LMB_HUMAN_LEFT_LOWER_ARM,
        LMB_HUMAN_LEFT_HAND,  LMB_HUMAN_RIGHT_UPPER_ARM, LMB_HUMAN_RIGHT_LOWER_ARM,
        LMB_HUMAN_RIGHT_HAND,
    };
    uint32_t count = 0;
    for (size_t k = 0; k < sizeof bones / sizeof *bones; ++k) {
        if (map->bones[bones[k]].joint != LMB_NONE) {
            joints[count++] = (uint32_t)map->bones[bones[k]].joint;
        }
    }
    return count;
}
