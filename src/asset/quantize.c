/// Weights as whole numbers.
#include "asset/order.h"
#include "limber/asset.h"

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
