/// Where the joints of a body model are about to be in a scan: as a skeleton is found in any mesh.
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "limber/author.h"

/// Below this confidence a skeleton in a scan is no help.
static const float LEAST_CONFIDENCE = 0.4f;

/// The model's joints as those of a humanoid, at the mean shape: out[LMB_HUMAN_BONE_COUNT], LMB_NONE for none.
static lmb_result map_model(const lmb_body_model *model, const lmb_allocator *alloc, int32_t *out,
                            lmb_error *error)
{
    lmb_character *character = NULL;
    lmb_joint_map map;
    lmb_result result = lmb_body_character_create(model, NULL, alloc, &character, NULL, error);
    if (result == LMB_OK) {
        result = lmb_joint_map_make(character->skeleton, alloc, &map, error);
    }
    for (int bone = 0; result == LMB_OK && bone < LMB_HUMAN_BONE_COUNT; ++bone) {
        out[bone] = LMB_NONE;
        // The character's skeleton has a root of its own above the model's joints.
        for (uint32_t j = 0; map.bones[bone].joint != LMB_NONE && j < model->joint_count; ++j) {
            if (strcmp(model->names[j], character->skeleton->names[map.bones[bone].joint]) == 0) {
                out[bone] = (int32_t)j;
            }
        }
    }
    lmb_character_destroy(character);
    return result;
}

static uint32_t fill_joints(const int32_t *map, const lmb_embedding *found, lmb_vec3 *joints,
                            uint8_t *has)
{
    uint32_t count = 0;
    for (int bone = 0; bone < LMB_HUMAN_BONE_COUNT; ++bone) {
        const int32_t joint = map[bone], at = found->human[bone];
        if (joint != LMB_NONE && at != LMB_NONE && !has[joint]) {
            joints[joint] = found->joints[at];
            has[joint] = 1;
            ++count;
        }
    }
    return count;
}

lmb_result lmb_body_scan_joints(const lmb_body_model *model, const lmb_body_scan *scan,
                                const lmb_jobs *jobs, const lmb_allocator *alloc, lmb_vec3 *joints,
                                uint8_t *has_joint, uint32_t *count, lmb_error *error)
{
    const lmb_embed_opts opts = {.kind = LMB_SKELETON_HUMAN, .up = {0, 1, 0}, .jobs = jobs};
    int32_t map[LMB_HUMAN_BONE_COUNT];
    *count = 0;
    memset(has_joint, 0, model->joint_count);
    memset(joints, 0, model->joint_count * sizeof *joints);
    lmb_result result = map_model(model, alloc, map, error);
    lmb_embedding *found = result == LMB_OK ? lmbi_alloc(alloc, sizeof *found) : NULL;
    if (found == NULL) {
        return result == LMB_OK ? lmbi_fail_memory(error) : result;
    }
    result = lmb_embed(scan->positions, scan->vertex_count, scan->indices, scan->index_count / 3,
                       &opts, alloc, found, error);
    if (result == LMB_OK && found->overall > LEAST_CONFIDENCE) {
        *count = fill_joints(map, found, joints, has_joint);
    }
    lmbi_free(alloc, found);
    return result == LMB_ERROR_UNSUPPORTED ? LMB_OK : result; // no human: nothing is known
}
