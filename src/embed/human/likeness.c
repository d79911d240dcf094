#include "embed/human/human.h"
#include "geometry/volume.h"

#include "base/error.h"

#include <math.h>

typedef struct tip_counts {
    uint32_t long_count; ///< tips at least a seventh as long as the farthest distance
    uint32_t
        ground_count; ///< of these, those on the ground, with one of the file's verticals as up
    float height;     ///< from the lowest to the highest tip
    /// length of the mean of their directions from the center: 1 if all point the same way
    float one_way;
} tip_counts;

static tip_counts count_ends(const lmbi_figure *f, lmb_vec3 up)
{
    tip_counts e = {0};
    float low = 1e30f, high = -1e30f, reach = 0;
    for (uint32_t t = 0; t < f->tip_count; ++t) {
        const float h = lmb_vec3_dot(lmbi_frame_from(&f->frame, f->tips[t].position), up);
        low = fminf(low, h);
        high = fmaxf(high, h);
        reach = fmaxf(reach, f->tips[t].geodesic);
    }
    e.height = high - low;
    const lmb_vec3 middle = lmbi_grid_center(&f->body.grid, f->body.center);
    lmb_vec3 sum = {0, 0, 0};
    for (uint32_t t = 0; t < f->tip_count; ++t) {
        if (f->tips[t].length < 0.14f * reach) {
            continue;
        }
        ++e.long_count;
        sum = lmb_vec3_add(sum, lmb_vec3_normalize_or(lmb_vec3_sub(f->tips[t].position, middle),
                                                      lmb_vec3_make(0, 0, 0)));
        e.ground_count += lmb_vec3_dot(lmbi_frame_from(&f->frame, f->tips[t].position), up) <
                          low + 0.12f * (high - low);
    }
    e.one_way = e.long_count ? lmb_vec3_length(sum) / (float)e.long_count : 0;
    return e;
}

lmb_result lmbi_refuse_figure(const lmbi_figure *f, lmb_error *error)
{
    const tip_counts y = count_ends(f, lmb_vec3_make(0, 1, 0)),
                     z = count_ends(f, lmb_vec3_make(0, 0, 1));
    const uint32_t legs =
        y.ground_count >= 3 || z.ground_count < 4 ? y.ground_count : z.ground_count;
    static const char *const wanted = "an upright figure with two arms, two legs and a head in a "
                                      "T- or A-pose; for other shapes, a skeleton of your own";
    if (y.long_count <= 1) {
        return lmbi_fail(error, LMB_ERROR_UNSUPPORTED, wanted,
                         "a body without limbs, such as a bust, a head or a prop");
    }
    if (legs >= 6) {
        return lmbi_fail(error, LMB_ERROR_UNSUPPORTED, wanted,
                         "a creature on %u legs, such as a spider", legs);
    }
    if (legs >= 3) {
        return lmbi_fail(error, LMB_ERROR_UNSUPPORTED, wanted,
                         "a creature or a thing on %u legs, such as a quadruped", legs);
    }
    if (y.long_count >= 4 && y.one_way > 0.45f) {
        return lmbi_fail(error, LMB_ERROR_UNSUPPORTED, wanted,
                         "%u ends that point one way, such as a hand", y.long_count);
    }
    if (y.long_count <= 3) {
        return lmbi_fail(error, LMB_ERROR_UNSUPPORTED, wanted,
                         "a body with %u ends, such as a fish, a bust or a robe without legs",
                         y.long_count);
    }
    return lmbi_fail(error, LMB_ERROR_UNSUPPORTED, wanted,
                     "%u limbs that do not pair up as arms and legs, or stand in another pose",
                     y.long_count);
}
