/// The layers of `limber blend --layer`, --over and --add.
#ifndef LIMBER_CLI_BLEND_LAYER_H
#define LIMBER_CLI_BLEND_LAYER_H

#include "cli/blend/blend.h"

enum { BLEND_RAMP = 16 };

/// A weight over time: smooth between keys, constant before the first and after the last.
typedef struct blend_ramp {
    int count;
    double times_s[BLEND_RAMP], values[BLEND_RAMP];
} blend_ramp;

typedef enum blend_kind { BLEND_MIX = 0, BLEND_OVER, BLEND_ADD } blend_kind;

typedef struct blend_layer {
    blend_kind kind;
    const lmb_clip *clip;
    blend_ramp weight;
    float *mask; ///< NULL: every joint
    lmb_root_track *track;
    lmb_stride *stride;
    blend_steps steps; ///< of layers that are mixed
    double time_s;     ///< unfolded
    lmb_transform *pose, *reference;
    float *weights, *reference_weights; ///< morph weights of those
} blend_layer;

/// Reads CLIP, CLIP:WEIGHT or CLIP:WEIGHT:MASK, and measures the clip as its kind of layer
/// needs. Free it after a failure too.
cli_exit blend_layer_read(blend_stage *stage, const blend_options *opts, blend_kind kind,
                          const char *text, blend_layer *out);
void blend_layer_end(blend_layer *layer);

#endif
