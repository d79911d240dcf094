#include "anim/machine_weights.h"

#include <math.h>
#include <string.h>

void lmbi_weights_mix(const lmb_machine *m, const float *const *from, const float *shares,
                      uint32_t count, float *out)
{
    float all = 0;
    for (uint32_t k = 0; k < count; ++k) {
        all += shares[k];
    }
    for (uint32_t i = 0; i < m->weight_count; ++i) {
        // From the first on, so that a mixture of a face with itself is that face.
        float mixed = from[0][i];
        for (uint32_t k = 1; k < count; ++k) {
            mixed += (from[k][i] - from[0][i]) * (shares[k] / all);
        }
        out[i] = mixed;
    }
}

void lmbi_weights_carry(const lmb_machine *m, lmbi_layer *layer, const float *before,
                        const float *after, float half_life_s, bool stands_still, double dt_s)
{
    const float *shown = layer->shown[0].weights, *shown_before = layer->shown[1].weights;
    const bool moves = !stands_still && layer->shown_count > 1 && layer->shown_dt_s > 0;
    for (uint32_t i = 0; i < m->weight_count; ++i) {
        const float target_speed = dt_s > 0 ? (after[i] - before[i]) / (float)dt_s : 0;
        const float speed = moves ? (shown[i] - shown_before[i]) / layer->shown_dt_s : 0;
        layer->weights_off[i] = shown[i] - before[i];
        layer->weights_speed[i] = speed - target_speed;
    }
    layer->weights_half_life_s = half_life_s;
    layer->weights_carry = m->weight_count > 0;
}

void lmbi_weights_settle(const lmb_machine *m, lmbi_layer *layer, double dt_s, float *weights)
{
    bool is_off = false;
    for (uint32_t i = 0; layer->weights_carry && i < m->weight_count; ++i) {
        double x = (double)layer->weights_off[i], v = (double)layer->weights_speed[i];
        lmb_spring_decay(&x, &v, (double)layer->weights_half_life_s, dt_s);
        layer->weights_off[i] = (float)x;
        layer->weights_speed[i] = (float)v;
        weights[i] += (float)x;
        is_off = is_off || fabs(x) > 1e-5 || fabs(v) > 1e-4;
    }
    layer->weights_carry = is_off;
}

void lmbi_weights_overlay(const lmb_machine *m, const lmbi_layer *layer, bool additive,
                          float weight, const float *over, float *weights)
{
    for (uint32_t j = 0; m->weight_count > 0 && j < m->skeleton->joint_count; ++j) {
        const float share = layer->mask != NULL ? weight * layer->mask[j] : weight;
        for (uint32_t i = m->weight_first[j]; i < m->weight_first[j + 1]; ++i) {
            const float from = additive ? layer->reference.weights[i] : weights[i];
            weights[i] += share * (over[i] - from);
        }
    }
}
