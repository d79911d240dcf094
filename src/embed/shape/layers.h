/// The solid in layers along an axis: what is cut off below.
#ifndef EMBED_SHAPE_LAYERS_H
#define EMBED_SHAPE_LAYERS_H

#include "embed/shape/voxel_body.h"

enum { LMBI_LAYERS = 256 };

typedef struct lmbi_layers {
    float low, step; ///< along the axis; layer k lies between low + k * step and the next
    uint32_t count;
    float area[LMBI_LAYERS];
    lmb_vec3 middle[LMBI_LAYERS]; ///< of the solid in the layer
} lmbi_layers;

/// Layers of one voxel along +Y (axis 1) or +Z (axis 2), from the lowest that is not empty to the
/// highest; at most LMBI_LAYERS of them.
lmbi_layers lmbi_layers_measure(const lmbi_voxel_body *body, int axis);
/// A head on a neck on shoulders that are cut off.
typedef struct lmbi_bust {
    uint32_t chest, neck, head,
        top; ///< layers: amid the shoulders, narrowest, amid the head, crown
} lmbi_bust;
bool lmbi_layers_bust(const lmbi_layers *layers, lmbi_bust *out);

#endif
