#include "anim/machine_weights.h"
#include "anim/anim.h"

#include <math.h>
#include <string.h>

void lmbi_weights_mix(const lmb_machine *m, const float *const *from, const float *mix_weights,
                      uint32_t count, float *out)
{
    float sum = 0;
    for (uint32_t k = 0; k < count; ++k) {
        sum += mix_weights[k];
    }
    for (uint32_t i = 0; i < m->weight_count; ++i) {
        // Incremental, so that mixing equal weights returns them to the bit.
        float mixed = from[0][i];
        for (uint32_t k = 1; k < count; ++k) {
            mixed += (from[k][i] - from[0][i]) * (mix_weights[k] / sum);
        }
        out[i] = mixed;
    }
}

void lmbi_weights_start_transition(const lmb_machine *m, lmbi_layer *layer, const float *before,
                                   const float *after, float half_life_s, bool is_frozen,
                                   double dt_s)
{
    const float *recent = layer->recent[0].weights, *recent_before = layer->recent[1].weights;
    const bool has_velocity = !is_frozen && layer->recent_count > 1 && layer->recent_dt_s > 0;
    for (uint32_t i = 0; i < m->weight_count; ++i) {
        const float target_speed = dt_s > 0 ? (after[i] - before[i]) / (float)dt_s : 0;
        const float speed = has_velocity ? (recent[i] - recent_before[i]) / layer->recent_dt_s : 0;
        layer->weight_offsets[i] = recent[i] - before[i];
        layer->weight_velocities[i] = speed - target_speed;
    }
    layer->weight_half_life_s = half_life_s;
    layer->weights_in_transition = m->weight_count > 0;
}

void lmbi_weights_step_transition(const lmb_machine *m, lmbi_layer *layer, double dt_s,
                                  float *weights)
{
    bool is_off = false;
    for (uint32_t i = 0; layer->weights_in_transition && i < m->weight_count; ++i) {
        double x = (double)layer->weight_offsets[i], v = (double)layer->weight_velocities[i];
        lmbi_spring_step(&x, &v, (double)layer->weight_half_life_s, dt_s);
        layer->weight_offsets[i] = (float)x;
        layer->weight_velocities[i] = (float)v;
        weights[i] += (float)x;
        is_off = is_off || fabs(x) > 1e-5 || fabs(v) > 1e-4;
    }
    layer->weights_in_transition = is_off;
}

void lmbi_weights_overlay(const lmb_machine *m, const lmbi_layer *layer, bool additive,
                          float weight, const float *over, float *weights)
{
    for (uint32_t j = 0; m->weight_count > 0 && j < m->skeleton->joint_count; ++j) {
        const float joint_weight = layer->mask != NULL ? weight * layer->mask[j] : weight;
        for (uint32_t i = m->weight_first[j]; i < m->weight_first[j + 1]; ++i) {
            const float from = additive ? layer->reference.weights[i] : weights[i];
            weights[i] += joint_weight * (over[i] - from);
        }
    }
}
