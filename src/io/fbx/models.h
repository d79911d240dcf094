/// The models of an FBX scene as joints: their tree, and their local transforms from FBX's dozen
/// pivot, offset and rotation vectors.
#ifndef IO_FBX_MODELS_H
#define IO_FBX_MODELS_H

#include "io/fbx/scene.h"

/// How a model inherits its parent's scale: InheritType 1, 0 and 2.
typedef enum lmbi_fbx_inherit {
    LMBI_FBX_INHERIT_NORMAL = 0, ///< RSrs: the usual product of matrices
    LMBI_FBX_INHERIT_AXES,       ///< RrSs: axis by axis, never sheared
    /// Rrs: the parent's own scale is left out (Maya's segment scale compensation)
    LMBI_FBX_INHERIT_NONE
} lmbi_fbx_inherit;

/// What can be animated.
typedef struct lmbi_fbx_trs {
    double translation[3], rotation_deg[3], scale[3];
} lmbi_fbx_trs;

typedef struct lmbi_fbx_model {
    uint32_t object;
    int32_t parent; ///< in models, before this one, or LMB_NONE
    lmbi_fbx_trs rest;
    lmb_vec3 rotation_offset, rotation_pivot, scaling_offset, scaling_pivot;
    lmb_quat before, after; ///< PreRotation, and the inverse of PostRotation
    const char *order;      ///< as lmb_quat_from_euler wants it
    lmbi_fbx_inherit inherit;
    /// GeometricTranslation, -Rotation, -Scaling, in metres; applies to the model's own geometry
    lmb_mat4 mesh_from_geometry;
    bool scales;          ///< the scale is animated
    uint32_t joint;       ///< carries the translation and rotation, and the scale unless split
    uint32_t scale_joint; ///< when split: a child joint that carries the scale
    bool split;
} lmbi_fbx_model;

typedef struct lmbi_fbx_models {
    lmbi_fbx_model *items; ///< parents first
    uint32_t count;
    int32_t *of_object; ///< [objects] index in items, or LMB_NONE
    uint32_t joint_count;
    float unit_m;
    lmb_quat up; ///< from the file's axes to Limber's
    double frame_rate;
} lmbi_fbx_models;

/// Everything in the arena.
lmb_result lmbi_fbx_models_make(lmbi_fbx_scene *scene, float unit_m, lmbi_fbx_models *models);
/// Decides which models need a separate joint for their scale, and numbers all joints. Call it once
/// `scales` is known.
void lmbi_fbx_models_number(lmbi_fbx_models *models);

/// A model's scale: `inherited` axis by axis; `whole`, that times its own; `carried`, the part that
/// its joint's matrix passes to child joints.
typedef struct lmbi_fbx_scale {
    lmb_vec3 inherited, whole, carried;
} lmbi_fbx_scale;

/// The transform of the model's joint from its TRS. scales[] has the scales of earlier models and
/// gets this one's. *split is set to the scale joint's transform when the model is split.
lmb_transform lmbi_fbx_model_local(const lmbi_fbx_models *models, uint32_t index,
                                   const lmbi_fbx_trs *trs, lmbi_fbx_scale *scales,
                                   lmb_transform *split);

#endif
