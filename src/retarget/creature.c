/// A skeleton as chains in its reference pose: lengths, centre and floor.
#include "retarget/chains.h"

#include <math.h>

#include "base/error.h"

static void rest_pose(const lmb_skeleton *skeleton, lmb_transform *pose)
{
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        const int32_t parent = skeleton->parents[j];
        pose[j] =
            parent < 0 ? skeleton->rest[j] : lmb_transform_mul(pose[parent], skeleton->rest[j]);
    }
}

static float length_along(const lmb_body_chain *chain, uint32_t from, const lmb_transform *pose)
{
    float length = 0.0f;
    for (uint32_t k = from; k + 1 < chain->count; ++k) {
        length += lmb_vec3_distance(pose[chain->joints[k]].translation,
                                    pose[chain->joints[k + 1]].translation);
    }
    return length;
}

lmb_vec3 lmbi_paw(const lmbi_chain_body *c, const lmb_body_chain *leg, const lmb_transform *pose)
{
    const int32_t last = leg->joints[leg->count - 1];
    if (c->skeleton->tips == NULL) {
        return pose[last].translation;
    }
    // Tips of last bones point anywhere in some files: a tip below its joint is the sole.
    const lmb_vec3 tip = lmb_transform_point(c->reference[last], c->skeleton->tips[last]);
    return tip.y < c->reference[last].translation.y
               ? lmb_transform_point(pose[last], c->skeleton->tips[last])
               : pose[last].translation;
}

static void measure_body(lmbi_chain_body *c)
{
    lmb_vec3 feet = {0, 0, 0}, trunk = {0, 0, 0};
    float legs = 0.0f, leg_length = 0.0f, joints = 0.0f, trunk_length = 0.0f;
    float floor_height = INFINITY, low = INFINITY;
    for (uint32_t i = 0; i < c->map.count; ++i) {
        const lmb_body_chain *chain = &c->map.chains[i];
        if (chain->kind == LMB_CHAIN_LEG) {
            const lmb_vec3 paw = lmbi_paw(c, chain, c->reference);
            const lmb_vec3 last = c->reference[chain->joints[chain->count - 1]].translation;
            feet = lmb_vec3_add(feet, paw);
            leg_length +=
                length_along(chain, chain->upper, c->reference) + lmb_vec3_distance(last, paw);
            floor_height = fminf(floor_height, paw.y);
            legs += 1.0f;
        }
        for (uint32_t k = 0; k < chain->count && chain->kind < LMB_CHAIN_LEG; ++k) {
            const lmb_vec3 p = c->reference[chain->joints[k]].translation;
            trunk = lmb_vec3_add(trunk, p);
            low = fminf(low, p.y);
            joints += 1.0f;
        }
        trunk_length += chain->kind < LMB_CHAIN_LEG ? length_along(chain, 0, c->reference) : 0.0f;
    }
    c->has_legs = legs > 0.0f && leg_length > 0.0f;
    c->size = c->has_legs ? leg_length / legs : trunk_length;
    c->trunk = trunk_length;
    c->metre = c->has_legs ? c->size / 0.85f : c->size;
    c->centre = c->has_legs ? lmb_vec3_scale(feet, 1.0f / legs)
                            : lmb_vec3_scale(trunk, 1.0f / fmaxf(joints, 1.0f));
    c->centre.y = c->has_legs ? floor_height : (joints > 0.0f ? low : 0.0f);
}

lmb_result lmbi_creature_make(const lmb_skeleton *skeleton, const lmb_chain_map *map,
                              const char *what, const lmb_allocator *alloc, lmbi_arena *arena,
                              lmbi_chain_body *out, lmb_error *error)
{
    lmbi_chain_body c = {.skeleton = skeleton, .count = skeleton->joint_count};
    if (map != NULL) {
        c.map = *map;
    } else {
        const lmb_result result = lmb_chain_map_find(skeleton, alloc, &c.map, error);
        if (result != LMB_OK) {
            return result;
        }
    }
    c.reference = lmbi_arena_array(arena, c.count, sizeof *c.reference);
    if (c.reference == NULL) {
        return lmbi_fail_memory(error);
    }
    if (c.map.count == 0 || c.map.root < 0) {
        return lmbi_fail(error, LMB_ERROR_UNSUPPORTED, "chains of joints", "%s without any", what);
    }
    rest_pose(skeleton, c.reference);
    const lmb_vec3 z = {0, 0, 1};
    const lmb_transform to_front = {{0, 0, 0}, lmb_quat_between(c.map.front, z), {1, 1, 1}};
    const lmb_transform back = {
        {0, 0, 0}, lmb_quat_axis_angle(lmb_vec3_make(0, 1, 0), LMB_PI), {1, 1, 1}};
    for (uint32_t j = 0; j < c.count && c.map.front.z < 0.5f; ++j) {
        c.reference[j] = lmb_transform_mul(c.map.front.z < -0.5f ? back : to_front, c.reference[j]);
    }
    measure_body(&c);
    if (!(c.size > 0.0f)) {
        return lmbi_fail(error, LMB_ERROR_UNSUPPORTED, "bones of some length", "%s without any",
                         what);
    }
    *out = c;
    return LMB_OK;
}
