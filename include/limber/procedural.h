/// Motion and bodies from nothing: made characters with a known skeleton.
#ifndef LIMBER_PROCEDURAL_H
#define LIMBER_PROCEDURAL_H

#include "limber/asset.h"
#include "limber/jobs.h"

#ifdef __cplusplus
extern "C" {
#endif

// -------------------------------------------------------------------------------------------------- bodies

typedef enum lmb_body_kind {
    LMB_BODY_HUMANOID = 0,
    LMB_BODY_QUADRUPED,
    LMB_BODY_BIRD,
    LMB_BODY_HAND,
} lmb_body_kind;

typedef enum lmb_body_pose {
    LMB_BODY_POSE_ANY = 0, ///< the seed chooses: T, or A between 20 and 60 degrees, slightly uneven
    LMB_BODY_POSE_T,       ///< exactly: arms level, legs straight
    LMB_BODY_POSE_A,       ///< arms `arm_angle_rad` below level
} lmb_body_pose;

/// What body to make. Zero-initialised: the humanoid of seed 0, 20 000 triangles, in metres, +Y up, facing +Z.
typedef struct lmb_body_opts {
    lmb_body_kind kind;
    uint64_t seed; ///< proportions, pose, bulk, hands, clothes, hair, missing parts
    lmb_body_pose pose;
    float arm_angle_rad;     ///< for LMB_BODY_POSE_A; 0 counts as 45 degrees
    uint32_t triangle_count; ///< aimed at, 500 to 2 000 000; 0 counts as 20 000
    bool whole;              ///< no missing parts, five fingers, whatever the seed
    bool bare;               ///< the body alone: one shell without clothes, hair or eyes
    bool z_up;               ///< turned so that +Z is up and -Y is where it faces, as Blender has it
    float yaw_rad;           ///< turned about the vertical, before z_up
    float scale;             ///< 0 counts as 1
    bool rigged;             ///< the character gets the true skeleton and a skin with the true weights
    const lmb_jobs *jobs;
} lmb_body_opts;

/// A made body and the truth about it. Positions are in the mesh's coordinates, scale, yaw and up axis applied.
/// Joint names are the VRM 1.0 humanoid's where it has one. Absent parts have no joints; `missing` names them.
typedef struct lmb_body {
    lmb_character *character; ///< one mesh, a primitive for each material, closed shells, outward normals
    uint32_t joint_count;
    const char **names;
    int32_t *parents; ///< LMB_NONE for the root; parents come first
    lmb_vec3 *positions;
    uint32_t vertex_count;
    lmb_influences weights; ///< [vertex_count] rows over the joints: from the flesh that each vertex lies on
    uint32_t missing_count;
    const char **missing;
    const char *pose; ///< "t" or "a"
    float arm_angle_rad;
    lmb_vec3 up, facing; ///< unit
    float unit_m;        ///< metres a unit: 1 / scale
    float height;        ///< along `up`, in the mesh's units
    lmb_allocator allocator;
} lmb_body;

/// The same options give the same bytes. Errors: INVALID for options out of range; MEMORY.
LMB_API lmb_result lmb_body_create(const lmb_body_opts *opts, const lmb_allocator *alloc, lmb_body **out, lmb_error *error);
/// Frees the body and its character.
LMB_API void lmb_body_destroy(lmb_body *body);

#ifdef __cplusplus
}
#endif
#endif
