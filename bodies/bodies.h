/// Characters generated from a seed, with their true skeleton and skin weights: for samples, tests and fitting. A library
/// beside the runtime, which a program that only plays clips does not link.
#ifndef BODIES_BODIES_H
#define BODIES_BODIES_H

#include "limber/asset.h"
#include "limber/jobs.h"

typedef enum lmb_made_body_kind {
    LMB_MADE_HUMANOID = 0,
    LMB_MADE_QUADRUPED,
    LMB_MADE_BIRD,
    LMB_MADE_HAND,
    LMB_MADE_FISH,
    LMB_MADE_SNAKE,
    LMB_MADE_SPIDER, ///< eight legs or six
    LMB_MADE_BIPED,  ///< reptiles on two legs, with a tail
} lmb_made_body_kind;

typedef enum lmb_made_body_pose {
    /// the seed chooses: T, or A with arms 20 to 60 degrees below level, slightly uneven
    LMB_MADE_POSE_ANY = 0,
    LMB_MADE_POSE_T,      ///< exactly: arms level, legs straight
    LMB_MADE_POSE_A,      ///< arms `arm_angle_rad` below level
    LMB_MADE_POSE_DOWN,   ///< arms hang at the sides and touch them
    LMB_MADE_POSE_HIPS,   ///< hands on the hips, elbows out
    LMB_MADE_POSE_THIGHS, ///< hands on the front of the thighs
} lmb_made_body_pose;

/// What body to make. Zero-initialised: the humanoid of seed 0, 20 000 triangles, in metres, +Y up,
/// facing +Z.
typedef struct lmb_made_body_opts {
    lmb_made_body_kind kind;
    uint64_t seed; ///< proportions, pose, bulk, hands, clothes, hair, missing parts
    lmb_made_body_pose pose;
    float arm_angle_rad;     ///< for LMB_MADE_POSE_A; 0 counts as 45 degrees
    uint32_t triangle_count; ///< target, 500 to 2 000 000; 0 counts as 20 000
    bool whole;              ///< no missing parts, five fingers, whatever the seed
    bool together;           ///< a humanoid's thighs touch
    bool bare;               ///< the body alone: one shell without clothes, hair or eyes
    /// other builds and postures than the usual ones too: animals as crocodiles, frogs and such of cartoons,
    /// birds as penguins, bats and with folded wings, insects with wings, crabs, snakes that coil or rise
    bool varied;
    /// rotated so that +Z is up and the body faces -Y, as in Blender
    bool z_up;
    float yaw_rad; ///< rotation about the vertical, applied before z_up
    float scale;   ///< 0 counts as 1
    /// gives the character the true skeleton, and a skin with the true weights
    bool rigged;
    const lmb_jobs *jobs;
} lmb_made_body_opts;

/// A generated body and its ground truth. Positions are in the mesh's coordinates, with scale, yaw
/// and up axis applied. Joint names are those of the VRM 1.0 humanoid where it has one. Absent
/// parts have no joints; `missing` names them.
typedef struct lmb_made_body {
    /// one mesh, a primitive for each material, closed shells, outward normals
    lmb_character *character;
    uint32_t joint_count;
    const char **names;
    int32_t *parents; ///< LMB_NONE for the root; parents come first
    lmb_vec3 *positions;
    uint32_t vertex_count;
    /// [vertex_count] rows over the joints, from the primitives that each vertex lies on
    lmb_influences weights;
    uint32_t missing_count;
    const char **missing;
    const char *pose; ///< of a humanoid "t", "a", "down", "hips" or "thighs"
    float arm_angle_rad;
    lmb_vec3 up, facing; ///< unit
    float unit_m;        ///< metres per unit: 1 / scale
    float height;        ///< along `up`, in the mesh's units
    lmb_allocator allocator;
} lmb_made_body;

/// The same options give the same bytes. Errors: INVALID for options out of range; MEMORY.
lmb_result lmb_made_body_create(const lmb_made_body_opts *opts, const lmb_allocator *alloc,
                                lmb_made_body **out, lmb_error *error);
/// Frees the body and its character.
void lmb_made_body_destroy(lmb_made_body *body);

#endif
