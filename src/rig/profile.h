/// A body seen slice by slice along z: what fish and birds are read from.
#ifndef RIG_PROFILE_H
#define RIG_PROFILE_H

#include "rig/survey.h"

enum { LMBI_SLICES = 512 };

typedef struct lmbi_profile {
    uint32_t count;
    float low, step;              ///< z of slice k is low + step * (k + 1/2)
    lmb_vec3 middle[LMBI_SLICES]; ///< weighted by depth; z of the slice
    float wide[LMBI_SLICES];      ///< extents along x and y
    float tall[LMBI_SLICES];
    float deep[LMBI_SLICES]; ///< largest depth, in units
} lmbi_profile;

/// Only what is nearer to the plane x = 0 than `reach`.
void lmbi_profile_take(const lmbi_survey *survey, float reach, lmbi_profile *out);
lmb_vec3 lmbi_profile_at(const lmbi_profile *profile, float z);

#endif
