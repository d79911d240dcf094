/// From a still mesh to a rigged character, in one call: embedding, rest pose, weights.
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

/// Whose names a humanoid's joints get.
typedef enum lmb_joint_names {
    LMB_NAMES_VRM = 0,
    LMB_NAMES_MIXAMO, ///< "mixamorig:LeftForeArm"
    LMB_NAMES_UNREAL, ///< "lowerarm_l"
    LMB_NAMES_RIGIFY, ///< of Rigify's metarig: "forearm.L"
} lmb_joint_names;

/// The pose that a figure is brought to.
typedef enum lmb_rest_pose {
    LMB_REST_AS_IS = 0,
    LMB_REST_T, ///< arms level and to the sides, straight; legs hanging
    LMB_REST_A, ///< arms 45 degrees below level
} lmb_rest_pose;

typedef struct lmb_rig_opts {
    lmb_embed_opts embed;
    lmb_joint_names names; ///< of a humanoid; other kinds keep theirs
    lmb_rig_weights weights;
    uint32_t influences; ///< most influences a vertex; 0: 4
    bool soft;           ///< as in lmb_weights_opts
    /// the mesh of a human is brought to this pose by its new skin and joints, which are at rest in
    /// it then. Limbs are laid straight, but for wrists bent by less than 30 degrees, and for thighs
    /// and shins that hang within 12
    lmb_rest_pose rest;
    /// turn the character to face +Z; otherwise only a mesh that does not stand along +Y is set
    /// upright
    bool turn;
    float height_m; ///< scale to this height; 0: keep the size
    /// told "skeleton", "skin", "bone heat" or "biharmonic", "character" as they begin
    lmb_progress *progress;
} lmb_rig_opts;

typedef struct lmb_rig_report {
    lmb_embedding embedding; ///< in the space of the character as it was, in the pose it rests in
    /// of bones that were brought to the rest pose: how many turned by more than a degree, and the
    /// largest turn
    uint32_t turned_count;
    float turned_rad;
    /// triangles that the turns drew out to more than three times their length
    uint32_t stretched_count;
    uint32_t vertex_count, triangle_count;
    lmb_weights_report weights;
    /// how the rigged character lies to the input: identity unless turned or scaled
    lmb_mat4 model_from_input;
} lmb_rig_report;

/// Rigs every mesh of the character as one body: replaces its scene tree by a skeleton
/// (and a node a mesh), its skins and weights by new ones, and drops its clips. Joints have no
/// rotation at rest: their frames are the model's. Knees and elbows are hinges, the other joints
/// balls.
/// Vertices, seams, materials and morph targets stay as they are; extensions that name nodes (VRM)
/// are dropped from the look. `character` is untouched on failure. Errors: those of lmb_embed; UNSUPPORTED for a rest pose of another kind than a human, of
/// one that sits, and where more than a fiftieth of the triangles would be stretched, as of arms
/// that are one with the body.
LMB_API lmb_result lmb_rig(lmb_character **character, const lmb_rig_opts *opts,
                           lmb_rig_report *out_report, const lmb_allocator *alloc,
                           lmb_error *error);

#ifdef __cplusplus
}
#endif
#endif
