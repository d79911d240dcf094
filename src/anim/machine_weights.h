/// Morph weights of a machine, blended like poses, one number at a time. Without morph targets
/// these functions do nothing.
#ifndef ANIM_MACHINE_WEIGHTS_H
#define ANIM_MACHINE_WEIGHTS_H

#include "anim/machine.h"

/// Weighted mean of `count` sets. The mix weights need not sum to 1; `out` may be one of the sets.
void lmbi_weights_mix(const lmb_machine *m, const float *const *from, const float *mix_weights,
                      uint32_t count, float *out);
/// Starts inertialising: the offset from the last output decays as a critically damped spring.
/// `before` and `after` are the target's weights at the previous step and now.
void lmbi_weights_start_transition(const lmb_machine *m, lmbi_layer *layer, const float *before,
                                   const float *after, float half_life_s, bool is_frozen,
                                   double dt_s);
/// Advances the decay by dt_s and adds the remaining offset.
void lmbi_weights_step_transition(const lmb_machine *m, lmbi_layer *layer, double dt_s,
                                  float *weights);
/// Blends a layer's weights over `weights`, using the mask of the joints that own them.
void lmbi_weights_overlay(const lmb_machine *m, const lmbi_layer *layer, bool additive,
                          float weight, const float *over, float *weights);

#endif
