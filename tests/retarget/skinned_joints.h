/// Skin for a made skeleton, whose joints rest unrotated: as many vertices a joint, each following it alone.
#ifndef TESTS_RETARGET_SKINNED_JOINTS_H
#define TESTS_RETARGET_SKINNED_JOINTS_H

#include <math.h>

#include "made_bodies.h"
#include "one_mesh.h"

enum { SKINNED_JOINTS = 4, SKINNED_POINTS = 20 };

/// Vertices `each * j` to `each * (j + 1)` follow joints[j].
typedef struct skinned {
    uint32_t joint_count, each;
    uint32_t joints[SKINNED_JOINTS];
    lmb_vec3 at[SKINNED_JOINTS];     ///< where the joints rest
    lmb_vec3 points[SKINNED_POINTS]; ///< at rest; for the caller to set
} skinned;

static inline skinned skinned_begin(const lmb_skeleton *skeleton, uint32_t joint_count,
                                    const char *const *names, uint32_t each)
{
    skinned out = {.joint_count = joint_count, .each = each};
    for (uint32_t j = 0; j < joint_count; ++j) {
        out.joints[j] = (uint32_t)lmb_skeleton_find(skeleton, names[j]);
        for (int32_t k = (int32_t)out.joints[j]; k >= 0; k = skeleton->parents[k]) {
            out.at[j] = lmb_transform_point(skeleton->rest[k], out.at[j]);
        }
    }
    return out;
}

static inline lmb_character *skinned_create(const lmb_skeleton *skeleton, skinned *made)
{
    const uint32_t count = made->joint_count * made->each;
    uint32_t triangles[3 * SKINNED_POINTS], first[SKINNED_POINTS + 1] = {0};
    lmb_influence items[SKINNED_POINTS];
    lmb_mat4 joint_from_bind[SKINNED_JOINTS];
    for (uint32_t v = 0; v < count; ++v) {
        first[v + 1] = v + 1;
        items[v] = (lmb_influence){.joint = (uint16_t)(v / made->each), .weight = 1};
        for (uint32_t k = 0; k < 3; ++k) {
            triangles[3 * v + k] = (v + k) % count;
        }
    }
    for (uint32_t j = 0; j < made->joint_count; ++j) {
        joint_from_bind[j] = lmb_mat4_identity();
        joint_from_bind[j].m[12] = -made->at[j].x;
        joint_from_bind[j].m[13] = -made->at[j].y;
        joint_from_bind[j].m[14] = -made->at[j].z;
    }
    const lmb_mesh mesh = {.vertex_count = count,
                           .positions = made->points,
                           .index_count = 3 * count,
                           .indices = triangles,
                           .influences = {first, items}};
    const lmb_skin skin = {.joint_count = made->joint_count,
                           .joints = made->joints,
                           .joint_from_bind = joint_from_bind,
                           .root = LMB_NONE};
    return one_mesh_create(skeleton, &mesh, &skin, (lmb_instance){0});
}

/// The character with one mesh more, of those points, hanging from a joint; it takes `character`.
static inline lmb_character *with_hanging(lmb_character *character, uint32_t joint,
                                          lmb_vec3 *points, uint32_t count)
{
    uint32_t triangles[3 * SKINNED_POINTS];
    lmb_mesh *meshes[SKINNED_JOINTS + 2];
    lmb_instance instances[SKINNED_JOINTS + 2];
    lmb_character def = *character, *out = NULL;
    for (uint32_t i = 0; i < 3 * count; ++i) {
        triangles[i] = (i / 3 + i % 3) % count;
    }
    const lmb_mesh mesh = {
        .vertex_count = count, .positions = points, .index_count = 3 * count, .indices = triangles};
    for (uint32_t i = 0; i < def.mesh_count; ++i) {
        meshes[i] = def.meshes[i];
    }
    for (uint32_t i = 0; i < def.instance_count; ++i) {
        instances[i] = def.instances[i];
    }
    assert_int_equal(lmb_mesh_create(&mesh, NULL, &meshes[def.mesh_count], NULL), LMB_OK);
    instances[def.instance_count++] =
        (lmb_instance){.joint = joint, .mesh = def.mesh_count++, .skin = LMB_NONE};
    def.meshes = meshes;
    def.instances = instances;
    assert_int_equal(lmb_character_create(&def, NULL, &out, NULL), LMB_OK);
    lmb_character_release(character);
    return out;
}

/// The lowest vertex of joints[from] and those after it, in a pose in model space.
static inline float skinned_lowest_of(const skinned *made, uint32_t from, const lmb_transform *pose)
{
    float low = INFINITY;
    for (uint32_t v = from * made->each; v < made->joint_count * made->each; ++v) {
        const uint32_t j = v / made->each;
        const lmb_vec3 local = lmb_vec3_sub(made->points[v], made->at[j]);
        low = fminf(low, lmb_transform_point(pose[made->joints[j]], local).y);
    }
    return low;
}

/// The same over the clip.
static inline float skinned_lowest(const lmb_character *c, const lmb_clip *clip,
                                   const skinned *made, uint32_t from)
{
    float low = INFINITY;
    for (double t = 0; t < (double)lmb_clip_duration_s(clip); t += 0.01) {
        lmb_transform *pose = test_pose(c, clip, t);
        low = fminf(low, skinned_lowest_of(made, from, pose));
        free(pose);
    }
    return low;
}

#endif
