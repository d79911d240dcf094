#include "limber/asset.h"

/// first[j] = the largest count of morph targets of the meshes on joint j.
static void count_targets(const lmb_character *character, uint32_t *first)
{
    for (uint32_t j = 0; j <= character->skeleton->joint_count; ++j) {
        first[j] = 0;
    }
    for (uint32_t i = 0; i < character->instance_count; ++i) {
        const lmb_instance *instance = &character->instances[i];
        const uint32_t count = character->meshes[instance->mesh]->target_count;
        uint32_t *widest = &first[instance->joint];
        *widest = count > *widest ? count : *widest;
    }
}

static void fill_rest(const lmb_character *character, const uint32_t *first, float *rest)
{
    for (uint32_t i = 0; i < character->instance_count; ++i) {
        const lmb_instance *instance = &character->instances[i];
        const lmb_mesh *mesh = character->meshes[instance->mesh];
        const float *weights =
            instance->target_weights ? instance->target_weights : mesh->target_weights;
        for (uint32_t t = 0; t < mesh->target_count; ++t) {
            rest[first[instance->joint] + t] = weights ? weights[t] : 0.0f;
        }
    }
}

uint32_t lmb_character_weights(const lmb_character *character, uint32_t *first, float *rest)
{
    const uint32_t joint_count = character->skeleton->joint_count;
    count_targets(character, first);
    uint32_t total = 0;
    for (uint32_t j = 0; j <= joint_count; ++j) {
        const uint32_t count = first[j];
        first[j] = total;
        total += count;
    }
    if (rest) {
        fill_rest(character, first, rest);
    }
    return total;
}
