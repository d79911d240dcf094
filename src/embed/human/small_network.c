#include "embed/human/small_network.h"

#include <assert.h>
#include <math.h>

/// Inputs are at most this many scales from their mean.
static const float MOST = 4;

static float tanh_of(float x)
{
    const float e = lmb_exp(2 * fminf(fmaxf(x, -10), 10));
    return (e - 1) / (e + 1);
}

float lmbi_small_network_run(const lmbi_small_network *n, const float *inputs, float *out)
{
    float x[LMBI_NETWORK_MOST_INPUTS], hidden[LMBI_NETWORK_HIDDEN], square = 0;
    assert(n->inputs <= LMBI_NETWORK_MOST_INPUTS);
    for (int k = 0; k < n->inputs; ++k) {
        x[k] = fminf(fmaxf((inputs[k] - n->mean[k]) / n->scale[k], -MOST), MOST);
        square += x[k] * x[k];
    }
    for (int h = 0; h < LMBI_NETWORK_HIDDEN; ++h) {
        float sum = n->hidden_bias[h];
        for (int k = 0; k < n->inputs; ++k) {
            sum += n->hidden[h * n->inputs + k] * x[k];
        }
        hidden[h] = tanh_of(sum);
    }
    for (int m = 0; m < n->outputs; ++m) {
        out[m] = n->out_bias[m];
        for (int h = 0; h < LMBI_NETWORK_HIDDEN; ++h) {
            out[m] += n->out[m * LMBI_NETWORK_HIDDEN + h] * hidden[h];
        }
    }
    return lmb_sqrt(square / (float)n->inputs);
}
