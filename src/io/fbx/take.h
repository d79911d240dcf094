/// Animation of all versions in one form: stacks of layers of tracks, a track for every animated
/// property of an object.
#ifndef IO_FBX_TAKE_H
#define IO_FBX_TAKE_H

#include "io/fbx/curve.h"

typedef enum lmbi_fbx_path {
    LMBI_FBX_TRANSLATION = 0,
    LMBI_FBX_ROTATION,
    LMBI_FBX_SCALE,
    LMBI_FBX_PERCENT, ///< of a blend shape's channel
    LMBI_FBX_LAYER_WEIGHT,
} lmbi_fbx_path;

/// Up to three curves for one property of one object.
typedef struct lmbi_fbx_track {
    uint32_t object;
    lmbi_fbx_path path;
    uint32_t layer;            ///< in layers
    double constant[3];        ///< where there is no curve
    lmbi_fbx_curve *curves[3]; ///< entries may be NULL
    int32_t below;             ///< the same property in an earlier layer, or LMB_NONE
} lmbi_fbx_track;

typedef struct lmbi_fbx_layer {
    uint32_t stack;
    uint32_t object;
    bool lowest; ///< of its stack: its values are used without a weight
    double weight;
    bool additive;           ///< adds to what is below
    bool blended;            ///< additive, or interpolated with the layers below by weight
    bool rotations_multiply; ///< rotations multiply instead of their angles adding
    bool scales_multiply;
    int32_t weight_track; ///< or LMB_NONE
} lmbi_fbx_layer;

typedef struct lmbi_fbx_stack {
    const char *name;
    double start_s, stop_s;
    uint32_t first_track, track_count; ///< by object and path, those of later layers later
} lmbi_fbx_stack;

typedef struct lmbi_fbx_takes {
    lmbi_fbx_stack *stacks;
    size_t stack_count, stack_capacity;
    lmbi_fbx_layer *layers;
    size_t layer_count, layer_capacity;
    lmbi_fbx_track *tracks; ///< by stack
    size_t track_count, track_capacity;
} lmbi_fbx_takes;

lmb_result lmbi_fbx_takes_read(lmbi_fbx_scene *scene, lmbi_fbx_takes *takes);
void lmbi_fbx_takes_free(lmbi_fbx_scene *scene, lmbi_fbx_takes *takes);

/// The value of a track with all layers below it, at a time. `rest` is the property without
/// animation.
void lmbi_fbx_track_at(const lmbi_fbx_takes *takes, const lmbi_fbx_track *track,
                       const double rest[3], double time_s, double out[3]);

/// These append; they fail only when memory runs out.
lmb_result lmbi_fbx_takes_add_stack(lmbi_fbx_scene *scene, lmbi_fbx_takes *takes,
                                    lmbi_fbx_stack stack);
lmb_result lmbi_fbx_takes_add_layer(lmbi_fbx_scene *scene, lmbi_fbx_takes *takes,
                                    lmbi_fbx_layer layer);
lmb_result lmbi_fbx_takes_add_track(lmbi_fbx_scene *scene, lmbi_fbx_takes *takes,
                                    lmbi_fbx_track track);
/// Before 7000: the Takes section, and in version 5000 the models' own channels.
lmb_result lmbi_fbx_takes_read_old(lmbi_fbx_scene *scene, lmbi_fbx_takes *takes);

#endif
