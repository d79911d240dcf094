/// The medial line of a slender body from one end to the other.
#include "embed/shape/shape.h"

/// The voxel that is farthest from the center along the solid.
static uint32_t farthest(const lmbi_voxel_body *body)
{
    uint32_t best = body->center;
    for (uint32_t k = 0; k < body->solid_count; ++k) {
        best = body->geodesic[body->solid[k]] > body->geodesic[best] ? body->solid[k] : best;
    }
    return best;
}

lmb_result lmbi_body_line(lmbi_body_shape *shape, lmbi_limb_profile *out, lmb_error *error)
{
    // What is farthest from any place of a tree is one end of its longest path.
    shape->body.center = farthest(&shape->body);
    lmb_result result = lmbi_body_find_distances(&shape->body, error);
    if (result == LMB_OK) {
        result = lmbi_medial_paths(&shape->body, shape->paths, error);
    }
    if (result == LMB_OK) {
        lmbi_limb_trace(&shape->body, shape->paths, farthest(&shape->body), out);
    }
    return result;
}
