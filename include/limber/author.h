/// Rigs a static mesh in one call: embedding, rest pose, weights.
#ifndef LIMBER_AUTHOR_H
#define LIMBER_AUTHOR_H

#include "limber/asset.h"
#include "limber/base.h"
#include "limber/embed.h"
#include "limber/rig.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---------------------------------------------------------------------------------------- rigging

/// Naming scheme of a humanoid's joints.
typedef enum lmb_joint_names {
    LMB_NAMES_VRM = 0,
    LMB_NAMES_MIXAMO, ///< "mixamorig:LeftForeArm"
    LMB_NAMES_UNREAL, ///< "lowerarm_l"
    LMB_NAMES_RIGIFY, ///< of Rigify's metarig: "forearm.L"
} lmb_joint_names;

/// The rest pose that a humanoid is brought to.
typedef enum lmb_rest_pose {
    LMB_REST_AS_IS = 0,
    LMB_REST_T, ///< arms level and to the sides, straight; legs hanging
    LMB_REST_A, ///< arms 45 degrees below level
} lmb_rest_pose;

typedef struct lmb_rig_opts {
    lmb_embed_opts embed;
    lmb_joint_names names; ///< for humanoids; other kinds keep their names
    lmb_rig_weights weights;
    uint32_t influences; ///< most influences per vertex; 0 means 4
    bool soft;           ///< as in lmb_weights_opts
    /// deforms a human's mesh to this pose with its new skin; the new joints rest in it. Limbs
    /// become straight, except wrists bent by less than 30 degrees; thighs and shins within 12
    /// degrees of vertical stay
    lmb_rest_pose rest;
    /// rotate the character to face +Z; otherwise it is only rotated upright if its up axis is not
    /// +Y
    bool face_z;
    float height_m; ///< scale to this height; 0: keep the size
    /// receives the stages "skeleton", "skin", "bone heat" or "biharmonic", "character" as they
    /// begin
    lmb_progress *progress;
} lmb_rig_opts;

typedef struct lmb_rig_report {
    lmb_embedding embedding; ///< in the space of the input character, in its new rest pose
    /// bones rotated by more than a degree to reach the rest pose, and the largest rotation
    uint32_t rotated_count;
    float rotated_rad;
    /// triangles stretched to more than three times their length by that
    uint32_t stretched_count;
    uint32_t vertex_count, triangle_count;
    lmb_weights_report weights;
    /// transform from the input to the rigged character: identity unless rotated or scaled
    lmb_mat4 model_from_input;
} lmb_rig_report;

/// Rigs every mesh of the character as one body: replaces its scene tree by a skeleton (and a node
/// per mesh), its skins and weights by new ones, and drops its clips. Joints have no rotation at
/// rest: their frames are the model's. Knees and elbows are hinges, the other joints balls.
/// Vertices, seams, materials and morph targets stay; extensions that name nodes (VRM) are dropped
/// from the look. `character` is unchanged on failure.
/// Errors: those of lmb_embed; UNSUPPORTED for a rest pose of a kind other than human, for a
/// sitting figure, and where more than a fiftieth of the triangles would be stretched, as when arms
/// are merged with the body.
LMB_API lmb_result lmb_rig(lmb_character **character, const lmb_rig_opts *opts,
                           lmb_rig_report *out_report, const lmb_allocator *alloc,
                           lmb_error *error);

#ifdef __cplusplus
}
#endif
#endif
