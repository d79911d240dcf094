/// A body measured in slices along z, as fish and birds are embedded from.
#ifndef EMBED_CREATURE_SLICE_PROFILE_H
#define EMBED_CREATURE_SLICE_PROFILE_H

#include "embed/creature/stand.h"

enum { LMBI_SLICES = 512 };

typedef struct lmbi_slice_profile {
    uint32_t count;
    float low, step;              ///< z of slice k is low + step * (k + 1/2)
    lmb_vec3 middle[LMBI_SLICES]; ///< centroids weighted by squared depth
    float wide[LMBI_SLICES];      ///< extents along x and y
    float tall[LMBI_SLICES];
    float deep[LMBI_SLICES]; ///< largest depth, in units
    lmb_box box;             ///< of all slices
} lmbi_slice_profile;

/// Measures the part of the solid nearer to the plane x = 0 than `reach`.
void lmbi_slice_profile_measure(const lmbi_body_shape *shape, float reach, lmbi_slice_profile *out);
lmb_vec3 lmbi_slice_profile_at(const lmbi_slice_profile *profile, float z);

#endif
