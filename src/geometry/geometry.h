/// Measures of surfaces.
#ifndef GEOMETRY_GEOMETRY_H
#define GEOMETRY_GEOMETRY_H

#include "limber/geometry.h"

/// Sum of the signed volumes of the tetrahedra from the centre of the bounds: the volume when
/// closed, positive when faces look outward.
double lmbi_surface_volume(const lmb_surface *surface);

#endif
