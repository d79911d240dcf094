/// Morph weights of a character, and weights as whole numbers.
#include "asset/asset.h"
#include "limber/asset.h"

/// Sets first[joint] to the largest number of morph targets of the meshes on that joint.
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

void lmbi_weights_quantize(const float *weights, uint32_t count, uint32_t one, uint32_t *out)
{
    uint32_t sum = 0;
    for (uint32_t k = 0; k < count; ++k) {
        const double scaled = (double)weights[k] * one;
        out[k] = scaled > 0 ? (uint32_t)(scaled < one ? scaled : one) : 0;
        sum += out[k];
    }
    while (count > 0 && sum < one) {
        uint32_t best = 0;
        double most = -1e9;
        for (uint32_t k = 0; k < count; ++k) {
            const double lost = (double)weights[k] * one - (double)out[k];
            if (lost > most) {
                most = lost;
                best = k;
            }
        }
        ++out[best];
        ++sum;
    }
    for (uint32_t k = count; sum > one && k-- > 0;) {
        const uint32_t less = sum - one < out[k] ? sum - one : out[k];
        out[k] -= less;
        sum -= less;
    }
}
