/// Morph weights of a machine: mixed as poses are, each number for itself. All of these do nothing
/// for a character without morph targets.
#ifndef ANIM_MACHINE_WEIGHTS_H
#define ANIM_MACHINE_WEIGHTS_H

#include "anim/machine.h"

/// out = the mean of `count` of them by their shares, which need not sum to 1; out may be one.
void lmbi_weights_mix(const lmb_machine *m, const float *const *from, const float *mix_weights,
                      uint32_t count, float *out);
/// A transition begins after which the target plays alone: `before` and `after` are its weights a
/// step ago and now. What was shown gives way like a critically damped spring.
void lmbi_weights_start_transition(const lmb_machine *m, lmbi_layer *layer, const float *before,
                                   const float *after, float half_life_s, bool is_frozen,
                                   double dt_s);
/// Goes on by dt_s and adds what is still off.
void lmbi_weights_step_transition(const lmb_machine *m, lmbi_layer *layer, double dt_s,
                                  float *weights);
/// Lays a layer's weights over others, by the mask of the joints that they belong to.
void lmbi_weights_overlay(const lmb_machine *m, const lmbi_layer *layer, bool additive,
                          float weight, const float *over, float *weights);

#endif
