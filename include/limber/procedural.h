/// Motion and bodies from nothing: made characters with a known skeleton.
#ifndef LIMBER_PROCEDURAL_H
#define LIMBER_PROCEDURAL_H

#include "limber/asset.h"
#include "limber/jobs.h"

#ifdef __cplusplus
extern "C" {
#endif

// ----------------------------------------------------------------------------------------- bodies

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

/// What body to make. Zero-initialised: the humanoid of seed 0, 20 000 triangles, in metres, +Y up,
/// facing +Z.
typedef struct lmb_body_opts {
    lmb_body_kind kind;
    uint64_t seed; ///< proportions, pose, bulk, hands, clothes, hair, missing parts
    lmb_body_pose pose;
    float arm_angle_rad;     ///< for LMB_BODY_POSE_A; 0 counts as 45 degrees
    uint32_t triangle_count; ///< aimed at, 500 to 2 000 000; 0 counts as 20 000
    bool whole;              ///< no missing parts, five fingers, whatever the seed
    bool bare;               ///< the body alone: one shell without clothes, hair or eyes
    /// turned so that +Z is up and -Y is where it faces, as Blender has it
    bool z_up;
    float yaw_rad; ///< turned about the vertical, before z_up
    float scale;   ///< 0 counts as 1
    /// the character gets the true skeleton and a skin with the true weights
    bool rigged;
    const lmb_jobs *jobs;
} lmb_body_opts;

/// A made body and the truth about it. Positions are in the mesh's coordinates, scale, yaw and up
/// axis applied.
/// Joint names are the VRM 1.0 humanoid's where it has one. Absent parts have no joints; `missing`
/// names them.
typedef struct lmb_body {
    /// one mesh, a primitive for each material, closed shells, outward normals
    lmb_character *character;
    uint32_t joint_count;
    const char **names;
    int32_t *parents; ///< LMB_NONE for the root; parents come first
    lmb_vec3 *positions;
    uint32_t vertex_count;
    /// [vertex_count] rows over the joints: from the flesh that each vertex lies on
    lmb_influences weights;
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
LMB_API lmb_result lmb_body_create(const lmb_body_opts *opts, const lmb_allocator *alloc,
                                   lmb_body **out, lmb_error *error);
/// Frees the body and its character.
LMB_API void lmb_body_destroy(lmb_body *body);

// ---------------------------------------------------------------------------------------- motions

typedef enum lmb_motion_kind {
    LMB_MOTION_WALK = 0,
    LMB_MOTION_RUN,
    LMB_MOTION_IDLE,
    LMB_MOTION_WAVE,
    LMB_MOTION_JUMP,
    LMB_MOTION_COUNT,
} lmb_motion_kind;

/// "walk", "run", "idle", "wave", "jump". A static string.
LMB_API const char *lmb_motion_name(lmb_motion_kind kind);
/// LMB_MOTION_COUNT when there is none of that name.
LMB_API lmb_motion_kind lmb_motion_find(const char *name);

typedef struct lmb_motion_opts {
    lmb_motion_kind kind;
    /// of walk (0.6 to 2.1) and run (2 to 6) for a body of 1.75 m; 0: 1.35 and 3.2
    float speed_m_s;
    float frame_rate; ///< 0: 60
    bool in_place;    ///< walk and run stay where they are, as on a treadmill
} lmb_motion_opts;

/// Makes a motion on a humanoid of 1.75 m: a character without a mesh, 22 joints named as VRM names
/// them, in a T-pose facing +Z, with one clip that loops without a seam: its last frame is its
/// first, one stride further on for walk and run. Nothing is recorded: stride and duty follow the
/// speed (Alexander 1976: stride = k L Fr^0.3 with Fr = v^2 / gL), feet roll from heel to toe about
/// points that do not move, pelvis and arms swing against each other, legs are solved by IK. Put it
/// on a character with lmb_retarget.
/// Errors: INVALID for a speed or rate out of range; MEMORY.
LMB_API lmb_result lmb_motion_create(const lmb_motion_opts *opts, const lmb_allocator *alloc,
                                     lmb_character **out, lmb_error *error);

#ifdef __cplusplus
}
#endif
#endif
