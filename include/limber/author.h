/// Whole tasks in one call: lmb_rig gives a static mesh a skeleton, a rest pose and weights;
/// lmb_animate puts a motion on a character, which it rigs where needed.
#ifndef LIMBER_AUTHOR_H
#define LIMBER_AUTHOR_H

#include "limber/asset.h"
#include "limber/base.h"
#include "limber/embed.h"
#include "limber/procedural.h"
#include "limber/retarget.h"
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

/// The same for a character that a motion is to move: rotated to face +Z, and with
/// opts->embed.kind AUTO a humanoid or, unless `human_only`, the likeliest other kind where no
/// humanoid fits. Errors: as lmb_rig; where no kind fits, `error` is that of the humanoid.
LMB_API lmb_result lmb_rig_for_motion(lmb_character **character, const lmb_rig_opts *opts,
                                      bool human_only, lmb_rig_report *report,
                                      const lmb_allocator *alloc, lmb_error *error);

/// Whether a humanoid skeleton moves the character already: it has a skin or six joints that carry
/// meshes, and `map`, of lmb_joint_map_make, has a confidence of 0.8 or more.
LMB_API bool lmb_character_is_rigged(const lmb_character *character, const lmb_joint_map *map);
/// Whether the mapped body lies at rest, with its hands about as low as its feet: an animal whose
/// joints have a human's names. False where the hips, head, a hand or a foot are not mapped.
LMB_API bool lmb_joint_map_is_on_all_fours(const lmb_joint_map *map, const lmb_skeleton *skeleton);
/// The legs, trunk and neck that a gait moves: a humanoid's by its joint map, where its confidence
/// is 0.8 or more, its legs descend from the hips and its hands are off the ground; any other
/// body's by shape. Errors: as lmb_gait_body_find.
LMB_API lmb_result lmb_gait_body_of_character(const lmb_character *character,
                                              const lmb_allocator *alloc, lmb_gait_body *out,
                                              lmb_error *error);

// ------------------------------------------------------------------------- feet and ground of clips

enum { LMB_FEET_MOST = 16 };

/// A clip, and the character that it moves.
typedef struct lmb_feet_source {
    const lmb_character *character;
    const lmb_clip *clip;
    const lmb_joint_map *map;    ///< of the feet; NULL: those of `chains`
    const lmb_chain_map *chains; ///< of the feet; both NULL: found, by joint map or chains
    double begin_s;              ///< earlier times are left out
} lmb_feet_source;

/// Paths of the feet (toes of humans, ends of legs of others) and the hips, sampled at 60 Hz, in
/// metres of a human of 1.75 m, or of another body on legs of 0.85 m.
typedef struct lmb_feet_track {
    uint32_t frame_count;
    uint32_t foot_count;                   ///< 0 for bodies without feet: nothing else is set
    bool is_right[LMB_FEET_MOST];          ///< on the body's right
    float floor_m[LMB_FEET_MOST];          ///< height that a foot is below in one frame of 50
    lmb_vec3 *paths[LMB_FEET_MOST], *hips; ///< [frame_count]
    lmb_allocator allocator;
} lmb_feet_track;

/// In the track's metres.
typedef struct lmb_feet_measure {
    uint32_t foot_count; ///< 0: nothing was measured
    /// mean horizontal speed of the feet while they are within 2.5 cm of their floor
    float slide_m_s;
    /// fraction of all feet and frames that stand: low, and moving vertically by less than 5 cm/s
    float planted_fraction;
    float sliding_fraction; ///< fraction of these that move horizontally faster than 2.5 cm/s
    float dip_m;            ///< greatest depth of a foot under its floor
    float hips_path_m;      ///< horizontal path length of the hips
} lmb_feet_measure;

/// `out` is the caller's to free, and empty on failure. Errors: MEMORY.
LMB_API lmb_result lmb_feet_track_make(const lmb_feet_source *source, const lmb_allocator *alloc,
                                       lmb_feet_track *out, lmb_error *error);
/// Frees the paths; `track` is empty afterwards.
LMB_API void lmb_feet_track_free(lmb_feet_track *track);
/// Horizontal speed between the frame before and `frame`, which is at least 1; metres a second.
LMB_API float lmb_feet_track_speed(const lmb_vec3 *path, uint32_t frame);
LMB_API lmb_feet_measure lmb_feet_track_measure(const lmb_feet_track *track);

/// Height of the lowest vertex above that of the rest pose, over a clip; negative: in the ground.
typedef struct lmb_clearance {
    bool is_measured; ///< false for characters without meshes
    float min_m, max_m;
} lmb_clearance;

// --------------------------------------------------------------------------------------- animating

/// When lmb_animate gives a character a new skeleton.
typedef enum lmb_animate_rigging {
    LMB_ANIMATE_RIG_IF_NEEDED = 0, ///< unless lmb_character_is_rigged
    LMB_ANIMATE_RIG_ANEW,          ///< always
    LMB_ANIMATE_KEEP_RIG,          ///< never: the motion goes on the joints that are there
} lmb_animate_rigging;

typedef struct lmb_animate_opts {
    lmb_animate_rigging rigging;
    lmb_rig_opts rig; ///< of lmb_rig_for_motion; its embed.jobs also run the measuring
    lmb_retarget_opts retarget;
    bool keep_fingers; ///< do not relax fingers that the motion does not move
} lmb_animate_opts;

typedef struct lmb_animate_report {
    bool is_rigged;     ///< a new skeleton was made, and `rig` tells of it
    lmb_rig_report rig; ///< confidence: rig.embedding.overall
    lmb_retarget_report retarget;
    uint32_t relaxed_finger_count; ///< joints of fingers held half open
    float duration_s;              ///< of the new clip
    lmb_feet_measure feet_before;  ///< of the motion on its own skeleton
    lmb_feet_measure feet_after;   ///< of the new clip; sliding: slide_m_s
    lmb_clearance clearance;       ///< of the new clip over the ground
} lmb_animate_report;

/// A mesh, or a rigged character, and a motion make a character that plays it: rigs it where
/// needed, retargets clip `clip` of `motion`, relaxes fingers that the motion does not move, and
/// puts the new clip in front of the character's own. The motion stays the caller's. `opts` and
/// `report` may be NULL.
/// Errors: those of lmb_rig_for_motion, lmb_retarget and lmb_deformer_create; UNSUPPORTED for a
/// human's motion on another kind of body that had to be rigged. On failure `character` is as it
/// was, except that it keeps a new rig; report->is_rigged tells whether it was to get one.
LMB_API lmb_result lmb_animate(lmb_character **character, const lmb_character *motion,
                               uint32_t clip, const lmb_animate_opts *opts,
                               lmb_animate_report *report, const lmb_allocator *alloc,
                               lmb_error *error);

#ifdef __cplusplus
}
#endif
#endif
