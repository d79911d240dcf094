#include "math/scalar.h"

/// Hoare's selection.
float lmbi_quantile(float *values, uint32_t count, float fraction)
{
    const uint32_t wanted = (uint32_t)(fraction * (float)(count - 1));
    uint32_t low = 0, high = count - 1;
    while (low < high) {
        const float pivot = values[low + (high - low) / 2];
        uint32_t i = low, k = high;
        while (i <= k) {
            while (values[i] < pivot) {
                ++i;
            }
            while (values[k] > pivot) {
                --k;
            }
            if (i <= k) {
                const float swap = values[i];
                values[i++] = values[k];
                values[k] = swap;
                if (k == 0) {
                    break;
                }
                --k;
            }
        }
        if (wanted <= k) {
            high = k;
        } else if (wanted >= i) {
            low = i;
        } else {
            break;
        }
    }
    return values[wanted];
}
