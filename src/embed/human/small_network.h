/// A network with one hidden layer, as tools/small-net.mjs fits it: out = W2 tanh(W1 x + b1) + b2,
/// where x is how many scales an input is from its mean.
#ifndef EMBED_HUMAN_SMALL_NETWORK_H
#define EMBED_HUMAN_SMALL_NETWORK_H

#include "limber/math.h"

enum { LMBI_NETWORK_HIDDEN = 16, LMBI_NETWORK_MOST_INPUTS = 128 };

typedef struct lmbi_small_network {
    int inputs, outputs;       ///< at most LMBI_NETWORK_MOST_INPUTS inputs
    const float *mean, *scale; ///< [inputs]
    const float *hidden;       ///< [LMBI_NETWORK_HIDDEN][inputs]
    const float *hidden_bias;  ///< [LMBI_NETWORK_HIDDEN]
    const float *out;          ///< [outputs][LMBI_NETWORK_HIDDEN]
    const float *out_bias;     ///< [outputs]
} lmbi_small_network;

/// Fills out [outputs]. Returns how strange the inputs are: the root of the mean square of x.
float lmbi_small_network_run(const lmbi_small_network *network, const float *inputs, float *out);

/// Writes the coordinates of a point, of which x is mirrored by `sign`, and steps on.
static inline void lmbi_put_point(lmb_vec3 p, float sign, float **out)
{
    *(*out)++ = sign * p.x;
    *(*out)++ = p.y;
    *(*out)++ = p.z;
}

#endif
