// Places the joints of a chain along a polyline.
#include <math.h>

#include "embed/fit/fit.h"

void lmbi_fit_place_chain(lmbi_fit *f, const lmbi_fit_chain *chain, const lmb_vec3 *line,
                          uint32_t line_count)
{
    float total = 0, length = 0, arc = 0;
    for (uint32_t k = 1; k < chain->count; ++k) {
        total += lmb_vec3_distance(f->at[chain->joints[k - 1]], f->at[chain->joints[k]]);
    }
    total += chain->ends
                 ? lmb_vec3_distance(f->at[chain->joints[chain->count - 1]], chain->from_end)
                 : 0;
    for (uint32_t k = 1; k < line_count; ++k) {
        length += lmb_vec3_distance(line[k - 1], line[k]);
    }
    for (uint32_t k = 0; k < chain->count; ++k) {
        arc += k ? lmb_vec3_distance(f->at[chain->joints[k - 1]], f->at[chain->joints[k]]) : 0;
        float rest = total > 0 ? length * arc / total : 0;
        uint32_t p = 0;
        while (p + 2 < line_count && rest > lmb_vec3_distance(line[p], line[p + 1])) {
            rest -= lmb_vec3_distance(line[p], line[p + 1]);
            ++p;
        }
        const float step = lmb_vec3_distance(line[p], line[p + 1]);
        lmbi_fit_set_position(
            f, chain->joints[k],
            lmb_vec3_lerp(line[p], line[p + 1], step > 0 ? fminf(1, rest / step) : 0));
        if (k > 0) {
            lmbi_fit_set_bone(f, chain->joints[k - 1], f->at[chain->joints[k]],
                              f->to[chain->joints[k]]);
        }
    }
    if (chain->ends) {
        lmbi_fit_set_bone(f, chain->joints[chain->count - 1], chain->from_end,
                          line[line_count - 1]);
    }
}
