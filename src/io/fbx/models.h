/// The models of an FBX scene as joints: their tree, and a local transform from the dozen vectors
/// that FBX makes it of.
#ifndef IO_FBX_MODELS_H
#define IO_FBX_MODELS_H

#include "io/fbx/scene.h"

/// How a model takes its parent's scale: InheritType 1, 0 and 2.
typedef enum lmbi_fbx_inherit {
    LMBI_FBX_INHERIT_NORMAL = 0, ///< RSrs: by the product of the matrices
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
    /// GeometricTranslation, -Rotation, -Scaling, in metres; for what hangs on the model itself
    lmb_mat4 mesh_from_geometry;
    bool scales;          ///< the scale is animated
    uint32_t joint;       ///< carries the translation and rotation, and the scale unless split
    uint32_t scale_joint; ///< carries the whole: a joint of its own below, when split
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
/// After the animated scales are known: which models need a joint for their scale alone, and the
/// numbers of all joints.
void lmbi_fbx_models_number(lmbi_fbx_models *models);

/// Where a model's scale goes: `base` is what it inherits axis by axis, `whole` that times its own,
/// `carried` what its joint hands down to joints below by its matrix.
typedef struct lmbi_fbx_scale {
    lmb_vec3 base, whole, carried;
} lmbi_fbx_scale;

/// The transforms of the model's joints from its TRS. scales[] holds those of the models before and
/// gets this one's.
/// `split` gets the transform of the scale joint when the model is split.
lmb_transform lmbi_fbx_model_local(const lmbi_fbx_models *models, uint32_t index,
                                   const lmbi_fbx_trs *trs, lmbi_fbx_scale *scales,
                                   lmb_transform *split);

#endif
