#include "cli/animate/legs.h"

static lmb_transform rest_of(const lmb_skeleton *skeleton, int32_t joint)
{
    lmb_transform t = skeleton->rest[joint];
    for (int32_t j = skeleton->parents[joint]; j >= 0; j = skeleton->parents[j]) {
        t = lmb_transform_mul(skeleton->rest[j], t);
    }
    return t;
}

lmb_plant_foot cli_plant_foot(const lmb_skeleton *skeleton, const lmb_joint_map *map, int bone,
                              float flat)
{
    const int32_t upper = map->bones[bone].joint, lower = map->bones[bone + 1].joint,
                  ankle = map->bones[bone + 2].joint, toes = map->bones[bone + 3].joint;
    const lmb_transform at = rest_of(skeleton, ankle);
    const float height = at.translation.y - flat;
    const lmb_vec3 up = {0, 1, 0}, ahead = lmb_joint_map_facing(map, skeleton);
    const lmb_vec3 sole = lmb_vec3_mad(at.translation, up, -0.7f * height);
    const lmb_vec3 ball =
        toes >= 0 ? rest_of(skeleton, toes).translation : lmb_vec3_mad(sole, ahead, 1.5f * height);
    const lmb_vec3 in_foot =
        lmb_quat_rotate(lmb_quat_conjugate(at.rotation), lmb_vec3_sub(ball, at.translation));
    const lmb_vec3 hinge = lmb_quat_rotate(lmb_quat_conjugate(rest_of(skeleton, lower).rotation),
                                           lmb_vec3_cross(up, ahead));
    return (lmb_plant_foot){.upper = (uint32_t)upper,
                            .lower = (uint32_t)lower,
                            .foot = (uint32_t)ankle,
                            .hinge = hinge,
                            .ankle_height = height,
                            .toe_height = ball.y - flat,
                            .toe = lmb_vec3_make(in_foot.x / at.scale.x, in_foot.y / at.scale.y,
                                                 in_foot.z / at.scale.z)};
}
