/// Rigging: a skeleton inside a mesh, and the weights that bind the mesh to it.
#ifndef LIMBER_RIG_H
#define LIMBER_RIG_H

#include "limber/asset.h"
#include "limber/base.h"
#include "limber/geometry.h"
#include "limber/jobs.h"
#include "limber/math.h"

#ifdef __cplusplus
extern "C" {
#endif

// ----------------------------------------------------------------------------------------------- embedding

/// Body joints of a humanoid, in the order of the skeleton: VRM's names, spelt as VRM spells them ("hips", "leftUpperArm", …).
typedef enum lmb_humanoid_joint {
    LMB_HIPS = 0,
    LMB_SPINE,
    LMB_CHEST,
    LMB_UPPER_CHEST,
    LMB_NECK,
    LMB_HEAD,
    LMB_LEFT_SHOULDER,
    LMB_LEFT_UPPER_ARM,
    LMB_LEFT_LOWER_ARM,
    LMB_LEFT_HAND,
    LMB_RIGHT_SHOULDER,
    LMB_RIGHT_UPPER_ARM,
    LMB_RIGHT_LOWER_ARM,
    LMB_RIGHT_HAND,
    LMB_LEFT_UPPER_LEG,
    LMB_LEFT_LOWER_LEG,
    LMB_LEFT_FOOT,
    LMB_LEFT_TOES,
    LMB_RIGHT_UPPER_LEG,
    LMB_RIGHT_LOWER_LEG,
    LMB_RIGHT_FOOT,
    LMB_RIGHT_TOES,
    LMB_BODY_JOINTS,
    LMB_FINGER_JOINTS = 30, ///< thumb, index, middle, ring, little; three each; left hand first
    LMB_HUMANOID_JOINTS = LMB_BODY_JOINTS + LMB_FINGER_JOINTS,
} lmb_humanoid_joint;

/// VRM's name of the joint, a static string.
LMB_API const char *lmb_humanoid_name(uint32_t joint);
/// The joint above it, LMB_NONE for the hips.
LMB_API int32_t lmb_humanoid_parent(uint32_t joint);

typedef struct lmb_embed_opts {
    lmb_vec3 up;      ///< unit, or zero: find out
    lmb_vec3 forward; ///< unit, where the character faces; or zero: find out
    const lmb_jobs *jobs;
} lmb_embed_opts;

/// A humanoid inside a mesh.
typedef struct lmb_embedding {
    lmb_vec3 left, up, forward;               ///< unit axes of the character in the mesh's space
    lmb_vec3 ground;                          ///< between the feet, on the ground
    float height;                             ///< from the ground to the top of the mesh, in the mesh's unit
    uint32_t joint_count;                     ///< LMB_BODY_JOINTS, or LMB_HUMANOID_JOINTS when the mesh has fingers
    lmb_vec3 joints[LMB_HUMANOID_JOINTS];     ///< in the mesh's space
    lmb_vec3 tips[LMB_HUMANOID_JOINTS];       ///< where a leaf bone ends (head, toes, hand or last finger joint); elsewhere the joint itself
    float confidence[LMB_HUMANOID_JOINTS];    ///< 0 to 1
    const char *reason[LMB_HUMANOID_JOINTS];  ///< what the place of the joint rests on, a static phrase
    float overall;                            ///< 0 to 1
    char summary[160];                        ///< why `overall` is what it is
} lmb_embedding;

/// Finds which way the mesh stands and faces, its limbs, and 22 body joints inside them. The mesh need not be closed, connected, oriented or
/// manifold. Turning, scaling and remeshing the mesh turn and scale the result.
/// Limb ends are maxima of the geodesic distance inside the solid; shoulders and hips lie where the cross-sections of limbs open into the
/// trunk (after ideas of Baran, Popovic 2007 and of Tierny, Vandeborre, Daoudi 2006); proportions follow Drillis, Contini 1966.
/// Errors: INVALID for a mesh without triangles or extent, an index out of bounds; UNSUPPORTED when the mesh does not read as a humanoid
/// (`found` says what it looks like, `expected` what it takes); MEMORY.
LMB_API lmb_result lmb_embed(const lmb_vec3 *positions, uint32_t position_count, const uint32_t *triangles, uint32_t triangle_count,
                             const lmb_embed_opts *opts, const lmb_allocator *alloc, lmb_embedding *out, lmb_error *error);

// ------------------------------------------------------------------------------------------------- rigging

typedef enum lmb_rig_weights {
    LMB_WEIGHTS_HEAT = 0,
    LMB_WEIGHTS_NEAREST, ///< by distance to the bones alone
} lmb_rig_weights;

typedef struct lmb_rig_opts {
    lmb_embed_opts embed;
    lmb_rig_weights weights;
    uint32_t influences; ///< most influences a vertex; 0: 4
    bool turn;           ///< turn the character to face +Z; otherwise only a mesh that does not stand along +Y is set upright
    float height_m;      ///< scale to this height; 0: keep the size
    lmb_progress *progress;
} lmb_rig_opts;

typedef struct lmb_rig_report {
    lmb_embedding embedding; ///< in the space of the character as it was
    uint32_t vertex_count, triangle_count;
    lmb_mat4 model_from_input; ///< how the rigged character lies to the input: identity unless turned or scaled
} lmb_rig_report;

/// Rigs every mesh of the character as one body: replaces its scene tree by a humanoid skeleton (and a node a mesh), its skins and weights
/// by new ones, and drops its clips. Joints have no rotation at rest: their frames are the model's. Knees and elbows are hinges, the other joints balls.
/// Vertices, seams, materials and morph targets stay as they are. `character` is untouched on failure. Errors: those of lmb_embed.
LMB_API lmb_result lmb_rig(lmb_character **character, const lmb_rig_opts *opts, lmb_rig_report *out_report, const lmb_allocator *alloc,
                           lmb_error *error);

#ifdef __cplusplus
}
#endif
#endif
