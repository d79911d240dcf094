/// Rows of weights, descending, summing to 1.
#include <math.h>

#include "rig/heat.h"

void lmbi_row_insert(lmb_influence *row, uint32_t width, uint32_t joint, float weight)
{
    if (!(weight > row[width - 1].weight)) {
        return;
    }
    uint32_t at = width - 1;
    for (; at > 0 && weight > row[at - 1].weight; --at) {
        row[at] = row[at - 1];
    }
    row[at] = (lmb_influence){joint, weight};
}

/// Rounds weights to nonzero multiples of 2^-24, which floats hold exactly, so their sum is exact
/// in any order.
void lmbi_row_normalize(lmb_influence *row, uint32_t count)
{
    static const double ONE = 16777216.0;
    double sum = 0;
    for (uint32_t k = 0; k < count; ++k) {
        sum += (double)row[k].weight;
    }
    double rest = ONE;
    for (uint32_t k = count; k-- > 1;) {
        double units = floor((double)row[k].weight / sum * ONE + 0.5);
        units = units > 1 ? units : 1;
        row[k].weight = (float)(units / ONE);
        rest -= units;
    }
    row[0].weight = (float)(rest / ONE);
    for (uint32_t k = 0; k + 1 < count && row[k].weight < row[k + 1].weight;
         ++k) { // rounding may change the order
        lmb_influence moved = row[k];
        row[k] = row[k + 1];
        row[k + 1] = moved;
    }
}

void lmbi_row_to_one(lmb_influence *row, uint32_t width)
{
    float sum = 0;
    for (uint32_t k = 0; k < width; ++k) {
        sum += row[k].weight;
    }
    for (uint32_t k = 0; sum > 0 && k < width; ++k) {
        row[k].weight /= sum;
    }
}
