/// Implicit smoothing as a polynomial in the random walk.
#include <math.h>

#include "skin/mush.h"

enum { NODES = 512 };

/// x^-n for x >= 1, by squaring.
static double power(double x, uint32_t n)
{
    double result = 1, square = 1 / x;
    for (; n > 0; n >>= 1) {
        result *= (n & 1) ? square : 1;
        square *= square;
    }
    return result;
}

/// cos(pi / (2 NODES)), by half-angle steps from cos(pi) = -1.
static double first_node(void)
{
    double c = -1;
    for (int n = 1; n < 2 * NODES; n *= 2) {
        c = sqrt((1 + c) / 2);
    }
    return c;
}

/// c_k = (2 - [k = 0]) / N * sum over j of f(cos t_j) cos(k t_j), t_j = (j + 1/2) pi / N: the
/// Chebyshev series from values at the Chebyshev nodes (Trefethen 2013, ch. 3). Successive cosines
/// follow by rotation.
uint32_t lmbi_smoother_series(double strength, uint32_t passes, double *coefficients, uint32_t most)
{
    const double c1 = first_node(), s1 = sqrt((1 - c1) * (1 + c1));
    const double step_c = c1 * c1 - s1 * s1, step_s = 2 * c1 * s1;
    for (uint32_t k = 0; k < most; ++k) {
        coefficients[k] = 0;
    }
    double c = c1, s = s1;
    for (int j = 0; j < NODES; ++j) {
        const double value = power(1 + strength * (1 - c), passes) / NODES;
        double now = 1, last = c; // cos(0), cos(-t)
        for (uint32_t k = 0; k < most; ++k) {
            coefficients[k] += (k == 0 ? 1 : 2) * value * now;
            const double next = 2 * c * now - last;
            last = now;
            now = next;
        }
        const double next_c = c * step_c - s * step_s;
        s = c * step_s + s * step_c;
        c = next_c;
    }
    uint32_t count = most;
    while (count > 1 && fabs(coefficients[count - 1]) < 1e-8) {
        --count;
    }
    return count;
}
