/// Paths through the skeleton, and setting a human bone of the map.
#include "mapping/mapper.h"

int32_t lmbi_common_ancestor(const lmb_skeleton *skeleton, int32_t a, int32_t b)
{
    // Parents come before children: the larger index can never be the ancestor.
    while (a != b && a >= 0 && b >= 0) {
        if (a > b) {
            a = skeleton->parents[a];
        } else {
            b = skeleton->parents[b];
        }
    }
    return a == b ? a : LMB_NONE;
}

bool lmbi_is_under(const lmb_skeleton *skeleton, int32_t joint, int32_t ancestor)
{
    while (joint > ancestor && joint >= 0) {
        joint = skeleton->parents[joint];
    }
    return joint == ancestor && joint >= 0;
}

lmbi_path lmbi_path_down(const lmb_skeleton *skeleton, int32_t above, int32_t joint)
{
    lmbi_path path = {.count = 0};
    for (int32_t j = joint; j >= 0 && j != above && path.count < PATH_MAX;
         j = skeleton->parents[j]) {
        path.joints[path.count++] = j;
    }
    for (int i = 0; i < path.count / 2; ++i) {
        const int32_t other = path.joints[i];
        path.joints[i] = path.joints[path.count - 1 - i];
        path.joints[path.count - 1 - i] = other;
    }
    return path;
}

void lmbi_map_set(lmbi_mapper *m, int bone, int32_t joint, lmb_map_reason reason, float confidence)
{
    m->map->bones[bone].joint = joint;
    m->map->bones[bone].reason = joint >= 0 ? reason : LMB_MAP_MISSING;
    m->map->bones[bone].confidence = joint >= 0 ? confidence : 0.0f;
}
