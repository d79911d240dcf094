/// Compiled morph targets: one stream for each vertex attribute.
#ifndef SKIN_MORPH_SET_H
#define SKIN_MORPH_SET_H

#include "skin/morph_stream.h"
#include "skin/morph_surface.h"

struct lmb_morph_set {
    uint32_t vertex_count, target_count;
    lmbi_morph_stream positions, normals, tangents;
    bool has_surface;
    lmbi_morph_surface surface;
    lmb_allocator allocator;
};

#endif
