/// Whole tasks in one call: lmb_rig gives a static mesh a skeleton, a rest pose and weights;
/// lmb_animate puts a motion on a character, which it rigs where needed; lmb_blend_bake plays clips
/// over each other; lmb_check says what is wrong.
#ifndef LIMBER_AUTHOR_H
#define LIMBER_AUTHOR_H

#include "limber/anim.h"
#include "limber/asset.h"
#include "limber/base.h"
#include "limber/embed.h"
#include "limber/ik.h"
#include "limber/io.h"
#include "limber/learn.h"
#include "limber/physics.h"
#include "limber/procedural.h"
#include "limber/retarget.h"
#include "limber/rig.h"
#include "limber/skin.h"

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
    /// Joints of the skeleton by their names, or by how they begin: "left*". Of a joint that goes
    /// the vertices follow, and the children hang on, the nearest joint above it that stays. Those
    /// that are dropped go; where any are to be kept, all others go too. The first joint stays.
    const char *const *keep, *const *drop;
    uint32_t keep_count, drop_count;
    /// rotate the character to face +Z; otherwise it is only rotated upright if its up axis is not
    /// +Y
    bool face_z;
    float height_m; ///< scale to this height; 0: keep the size
    /// if not NULL gets the template of the body, as lmb_body_template_of_body makes it; then humans and hands are
    /// UNSUPPORTED
    lmb_body_template **out_template;
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
/// Errors: those of lmb_embed; INVALID for a joint to keep or drop that there is not; UNSUPPORTED for a rest pose of a kind other than human, for a
/// sitting figure, and where more than a fiftieth of the triangles would be stretched, as when arms
/// are merged with the body.
LMB_API lmb_result lmb_rig(lmb_character **character, const lmb_rig_opts *opts,
                           lmb_rig_report *out_report, const lmb_allocator *alloc,
                           lmb_error *error);

/// The same for a character that a motion is to move: rotated to face +Z. With opts->embed.kind AUTO, `moved` is the kind of
/// body that the motion moves: HUMAN for a humanoid or nothing; AUTO for a humanoid, or the likeliest other kind where no
/// humanoid fits or a doubtful one is less sure than it; an animal's for the likeliest kind and, where that is doubtful, the
/// animal's. Errors: as lmb_rig; where no kind fits, `error` is that of the humanoid or of the likeliest kind.
LMB_API lmb_result lmb_rig_for_motion(lmb_character **character, const lmb_rig_opts *opts,
                                      lmb_skeleton_kind moved, lmb_rig_report *report,
                                      const lmb_allocator *alloc, lmb_error *error);

/// Whether a humanoid skeleton moves the character already: it has a skin or six joints that carry
/// meshes, and `map`, of lmb_joint_map_make, has a confidence of 0.8 or more.
LMB_API bool lmb_character_is_rigged(const lmb_character *character, const lmb_joint_map *map);
/// Whether the mapped body lies at rest, with its hands about as low as its feet: an animal whose
/// joints have a human's names. False where the hips, head, a hand or a foot are not mapped.
LMB_API bool lmb_joint_map_is_on_all_fours(const lmb_joint_map *map, const lmb_skeleton *skeleton);
enum { LMB_BODY_JOINTS = LMB_HUMAN_BONE_COUNT + LMB_CHAIN_MAX * LMB_CHAIN_JOINTS };
/// The joints of a humanoid's map and of chains; either may be NULL. Returns their number.
LMB_API uint32_t lmb_body_joints(const lmb_joint_map *map, const lmb_chain_map *chains,
                                 int32_t out[LMB_BODY_JOINTS]);
/// Joints that move skin but hang neither from the body's `joints` nor above them (controls of feet,
/// the armature of a hat) keep their place beside the body in a clip that moves it: each gets
/// translations and rotations, frame by frame at the clip's rate, from the joint of the body in the
/// same place (within 3 % of the height) or, failing that, the one whose skin is nearest. Skin
/// farther than 6 % of the height from the body's stays. Carried too are joints that coincide
/// (within 0.3 %) with one of `joints` far along the body from the one that they hang from, as goals
/// of hands that hang from a spine do, by that one; and meshes without a skin that the character's
/// own clips move beside its skeleton, at one place by a joint of the body (within 0.3 %), by that
/// joint. Replaces `clip` where there are any, of `out_count`; it stays on failure. Errors: MEMORY.
LMB_API lmb_result lmb_clip_carry(const lmb_character *character, const int32_t *joints,
                                  uint32_t joint_count, const lmb_allocator *alloc, lmb_clip **clip,
                                  uint32_t *out_count, lmb_error *error);
/// The legs, trunk and neck that a gait moves: a humanoid's by its joint map, where its confidence
/// is 0.8 or more, its legs descend from the hips and its hands are off the ground; any other
/// body's by shape. Errors: as lmb_gait_body_find.
LMB_API lmb_result lmb_gait_body_of_character(const lmb_character *character,
                                              const lmb_allocator *alloc, lmb_gait_body *out,
                                              lmb_error *error);

/// Gives normals to the meshes, and primitives of meshes, of triangles that have none: the mean of
/// the faces at a corner that are within the crease of its own face, weighted by their angles there.
/// With `splits` vertices whose corners differ become several; without, each vertex keeps one normal,
/// the mean of its corners. *filled counts the meshes. Meshes before the one that fails keep their
/// new normals. Errors: INVALID for a position that is not finite; MEMORY.
LMB_API lmb_result lmb_character_fill_normals(lmb_character *character, bool splits,
                                              float crease_rad, const lmb_allocator *alloc,
                                              uint32_t *filled, lmb_error *error);

// ---------------------------------------------------------------------------- a skeleton of one's own

/// Whether a skeleton already stands in a mesh, as one that was made for it does: 97% of its bones
/// are inside (or within a fiftieth of the mesh's longest side), and the box of its joints has a
/// diagonal of at least 0.42 of the mesh's and its middle within a quarter of it.
/// `deforms` as in lmb_bind_opts. Errors: INVALID for a mesh without triangles or extent; MEMORY.
LMB_API lmb_result lmb_skeleton_fits_mesh(const lmb_skeleton *skeleton, const uint8_t *deforms,
                                          const lmb_surface *surface, const lmb_allocator *alloc,
                                          bool *out, lmb_error *error);

typedef struct lmb_skeleton_fit_opts {
    /// which joint is which human bone; NULL: limbs are matched by lmb_chain_map_find
    const lmb_joint_map *map;
} lmb_skeleton_fit_opts;

typedef struct lmb_skeleton_fit_report {
    uint32_t placed_count;  ///< joints whose position the embedding determines
    uint32_t carried_count; ///< joints that moved along with those
} lmb_skeleton_fit_report;

/// Fits a given skeleton into a mesh of other size, proportions and pose: the same joints with the
/// same names, parents and order, moved to where an embedding found them.
/// A human's joints go to the joints of the same meaning; spines and necks with other numbers of
/// joints keep their fractions of the length. Of other bodies the chains are matched (spine, neck, tail, pairs of legs
/// and arms), and joints along them by their order or, if the numbers differ, by their fraction of the length.
/// Each bone is rotated by the smallest rotation (its axes and hinges rotate with it). Other
/// joints, such as twist joints, fingers, ends and props, are rotated and scaled with the bone they
/// belong to. Joints above the hips are scaled with the whole; what was on the ground stays there.
/// Errors: UNSUPPORTED for a skeleton of another body than the mesh, or a hand; MEMORY.
LMB_API lmb_result lmb_skeleton_fit(const lmb_skeleton *skeleton, const lmb_skeleton_fit_opts *opts,
                                    const lmb_embedding *into, const lmb_allocator *alloc,
                                    lmb_skeleton **out, lmb_skeleton_fit_report *report,
                                    lmb_error *error);

// ---------------------------------------------------------------------------- blends as clips

/// What carries a character and what it stands on.
typedef struct lmb_stance {
    int32_t root;                           ///< the joint with the root motion; LMB_NONE: not known
    int32_t left_foot, right_foot;          ///< by which clips keep step; LMB_NONE: not known
    uint32_t hips;                          ///< where there are legs
    uint32_t leg_count;                     ///< 0: not known
    lmb_foot_lock_leg legs[LMB_PLANT_FEET]; ///< left, right, from behind to the front
    lmb_machine_foot feet[LMB_MACHINE_FEET]; ///< of those
} lmb_stance;

/// For lmb_machine_def, lmb_ik_foot_lock and lmb_blend_bake. A body without legs has none, and the
/// first joint that its clips move as root. Errors: MEMORY.
LMB_API lmb_result lmb_stance_find(const lmb_character *character, const lmb_allocator *alloc,
                                   lmb_stance *out, lmb_error *error);

/// A leg of a human for lmb_ik_plant: the one whose thigh is `bone`, of which the joints below must be
/// in the map. Ankle and ball heights are those of the rest pose over a ground at height `flat`;
/// without a toe joint the ball is assumed ahead of and below the ankle.
LMB_API lmb_plant_foot lmb_plant_foot_of_leg(const lmb_skeleton *skeleton, const lmb_joint_map *map,
                                             lmb_human_bone bone, float flat);

typedef enum lmb_blend_kind {
    LMB_BLEND_MIX = 0, ///< weights are relative, up to 1e6
    LMB_BLEND_OVER,    ///< laid over what is below it, weights 0 to 1
    LMB_BLEND_ADD,     ///< its change against its first frame is added, weights -1 to 1
} lmb_blend_kind;

/// A weight at a time.
typedef struct lmb_blend_key {
    double time_s, weight;
} lmb_blend_key;

/// A clip of a blend.
typedef struct lmb_blend_clip {
    lmb_blend_kind kind;
    const lmb_clip *clip; ///< of the character's skeleton; repeated after its end
    /// [key_count] by time; the weight is smooth between them, constant outside. None: 1
    const lmb_blend_key *keys;
    uint32_t key_count;
    const float *mask; ///< [joint_count] factors of the weight; NULL: 1 everywhere
} lmb_blend_clip;

/// A parameter of a machine that is set at a time.
typedef struct lmb_machine_setting {
    uint32_t parameter;
    float value;
    double time_s;
} lmb_machine_setting;

/// A state machine that is played.
typedef struct lmb_blend_machine {
    const lmb_graph *graph;
    const lmb_clip *const *clips; ///< these four as lmb_machine_def has them
    uint32_t clip_count;
    const lmb_packed_clip *const *packed;
    uint32_t packed_count;
    const lmb_machine_setting *settings;
    uint32_t setting_count;
    /// called after each step, with what was played between the two times; or NULL
    void (*on_step)(void *user, const lmb_machine_info *info, double from_s, double time_s);
    void *user;
} lmb_blend_machine;

typedef struct lmb_blend_bake_opts {
    const lmb_blend_clip *layers; ///< mixed ones first, then those over them, then those added
    uint32_t layer_count;
    const lmb_blend_machine *machine; ///< instead of layers
    double seconds;                   ///< 0: the longest clip; of a machine 10
    double rate_hz;                   ///< frames a second; 0: 60
    const char *name;                 ///< of the clip; NULL: "blend"
    bool in_place;                    ///< the character stays above one spot
    bool no_root;                     ///< blends root positions of the clips, not root motion
    bool no_sync;                     ///< layers do not keep step with each other
    bool no_lock;                     ///< feet are not pinned where they stand
    bool model_space;                 ///< what lies over the mixture rotates joints in model space
} lmb_blend_bake_opts;

typedef struct lmb_blend_bake_report {
    uint32_t frame_count;
    bool holds_feet;     ///< false for one clip alone, which stays as it is
    uint32_t held_count; ///< frames in which a foot is pinned
} lmb_blend_bake_report;

/// Plays clips over each other, or a state machine, and makes a clip of it: clips of a stride keep
/// step, their root motion is blended, and planted feet stay in place. Morph weights are blended
/// too. `report` may be NULL. Errors: INVALID for both or neither of layers and machine, no layer
/// that is mixed, weights out of range, times that do not rise, more than 480 frames a second or
/// 3600 s; those of lmb_machine_create; MEMORY.
LMB_API lmb_result lmb_blend_bake(const lmb_character *character, const lmb_blend_bake_opts *opts,
                                  const lmb_allocator *alloc, lmb_clip **out,
                                  lmb_blend_bake_report *report, lmb_error *error);

// ---------------------------------------------------------------------------------------- checking

typedef enum lmb_severity {
    LMB_SEVERITY_NOTE = 0,
    LMB_SEVERITY_WARNING,
    LMB_SEVERITY_ERROR,
    LMB_SEVERITIES,
} lmb_severity;

/// What one rule found at one location. docs/command-line.md lists the rules.
typedef struct lmb_finding {
    const char *code; ///< "LMB-SKIN-001": stable, a static string
    lmb_severity severity;
    const char *text;   ///< static: "vertices without any weight"; NULL for LMB-FILE-001
    const char *repair; ///< static: what lmb_rig does about it; or NULL
    char location[96];  ///< `mesh 0 "body"`; for LMB-FILE-001 what the reader said
    uint32_t count;     ///< of vertices, keys, …
    uint32_t first;     ///< the lowest of them; for LMB-FILE-001 the line, or 0
} lmb_finding;

typedef struct lmb_findings {
    uint32_t count;
    lmb_finding *items;
    uint32_t severity_counts[LMB_SEVERITIES]; ///< how many of each
    lmb_allocator allocator;
} lmb_findings;

/// What is to be checked; each may be NULL.
typedef struct lmb_check_def {
    const lmb_character *character;
    bool meshes_only; ///< not its skins, skeleton and clips: for a mesh that is to be rigged
    const lmb_markers *markers;
    const lmb_notes *notes; ///< of the reader
} lmb_check_def;

/// Looks for what is wrong: flat triangles, weights that do not sum to 1, keys out of order, gaps of
/// markers. Free with lmb_findings_destroy. Errors: INVALID for positions that are not finite;
/// MEMORY.
LMB_API lmb_result lmb_check(const lmb_check_def *def, const lmb_allocator *alloc,
                             lmb_findings **out, lmb_error *error);
LMB_API void lmb_findings_destroy(lmb_findings *findings);

typedef struct lmb_mesh_survey {
    uint32_t triangle_count, line_count, point_count;
    uint32_t influences_max, unweighted_count; ///< most of a vertex; vertices without any
    double influences_mean;                    ///< per vertex
    /// Of the triangles, welded by position; 0 without triangles. Vertices of no triangle are left
    /// out.
    bool has_surface;
    uint32_t position_count, component_count;
    uint32_t border_edges, crowded_edges;        ///< of one triangle; of more than two
    uint32_t degenerate_count, first_degenerate; ///< triangles without area, as the mesh has them
} lmb_mesh_survey;

/// Counts what a mesh consists of. Errors: as lmb_check.
LMB_API lmb_result lmb_mesh_survey_make(const lmb_mesh *mesh, const lmb_allocator *alloc,
                                        lmb_mesh_survey *out, lmb_error *error);

// --------------------------------------------------------------------------------------- ragdolls

/// How a body that is struck while a clip moves it keeps to that clip, so that it staggers and goes
/// on: motors of its joints, a force that holds it up, and the seconds after the last blow at which
/// it is back.
typedef struct lmb_ragdoll_stagger {
    float strength_hz; ///< of lmb_ragdoll_drive
    float balance_hz;  ///< of lmb_ragdoll_set_balance
    double recover_s;
} lmb_ragdoll_stagger;

/// What a ragdoll of a character is made of. Free with lmb_ragdoll_set_destroy(plan.set).
typedef struct lmb_ragdoll_plan {
    /// a standing human's: 16 joints at most, with a human's limits unless the skeleton has its own.
    /// Others: the joints that much of the skin is weighted to; one bone for what is one rigid body
    lmb_ragdoll_set *set;
    lmb_ragdoll_scene scene; ///< gravity and friction; the caller adds shapes to fall on
    lmb_joint_map map;       ///< of a human's joints; undefined for others
    bool is_human;
    lmb_ragdoll_stagger stagger; ///< what suits most bodies
} lmb_ragdoll_plan;

/// `mass` in kilograms; 0: of a human 70 kg at 1.75 m, by the cube of the height, of others by their
/// volume. Errors: as lmb_joint_map_make and lmb_ragdoll_set_make; *out is zero then.
LMB_API lmb_result lmb_ragdoll_plan_make(const lmb_character *character, float mass,
                                         const lmb_allocator *alloc, lmb_ragdoll_plan *out,
                                         lmb_error *error);

// ------------------------------------------------------------------------------- baked soft tissue

/// How soft the skin of each joint is, 0 to 1: a human's head, hands and feet are rigid. out
/// [joint_count]. Errors: as lmb_joint_map_make.
LMB_API lmb_result lmb_soft_tissue_joint_softness(const lmb_skeleton *skeleton,
                                                  const lmb_allocator *alloc, float *out,
                                                  lmb_error *error);

typedef struct lmb_soft_tissue_bake_opts {
    const lmb_clip *clip;        ///< of the character, repeated after its end; NULL: the rest pose
    uint32_t frame_count;        ///< at least 1: one morph target each
    double rate_hz;              ///< frames a second
    const char *name;            ///< of the new clip; may be NULL
    float frequency_hz, damping; ///< as in lmb_soft_tissue_def
    /// [joint_count] scales the softness of what is weighted to a joint; NULL: as
    /// lmb_soft_tissue_joint_softness has it, or 1 with vertex_softness
    const float *joint_softness;
    /// of the vertices of all instances with a skin, one after another, 0 to 1; NULL: grows with the
    /// distance from the bone
    const float *vertex_softness;
    lmb_soft_tissue_report *frames; ///< [frame_count] out: maxima of all meshes; may be NULL
} lmb_soft_tissue_bake_opts;

typedef struct lmb_soft_tissue_bake_report {
    lmb_soft_tissue_report tissue; ///< of all meshes, at the last frame
    float farthest_m;              ///< maximum distance of a vertex from the skin, over all frames
} lmb_soft_tissue_bake_report;

/// Simulates the skinned meshes as soft tissue over a clip: each frame becomes a morph target, and a
/// new clip that plays them replaces all others, which refer to the targets from before. `report`
/// may be NULL; `character` is unchanged on failure. Errors: INVALID without a skin, UNSUPPORTED for
/// a mesh with several instances and for more than 20 million vertices of targets; those of
/// lmb_soft_tissue_create.
LMB_API lmb_result lmb_soft_tissue_bake(lmb_character **character,
                                        const lmb_soft_tissue_bake_opts *opts,
                                        lmb_soft_tissue_bake_report *report,
                                        const lmb_allocator *alloc, lmb_error *error);

// ------------------------------------------------------------------------------------ body models

/// Where the joints of a body model are about to be in a scan, by lmb_embed: joints[joint_count of the
/// model], has_joint[joint_count] which are known, and how many are; none where no human is found or
/// it is doubtful. What lmb_fit_body starts from. Errors: those of lmb_embed but UNSUPPORTED.
LMB_API lmb_result lmb_body_scan_joints(const lmb_body_model *model, const lmb_body_scan *scan,
                                        const lmb_jobs *jobs, const lmb_allocator *alloc,
                                        lmb_vec3 *joints, uint8_t *has_joint, uint32_t *count,
                                        lmb_error *error);

// ------------------------------------------------------------------------------ the style of a maker

/// What a maker's own rigs teach: where joints sit, how strongly each claims skin, and the skeleton
/// itself. Opaque; made by lmb_style_train or lmb_style_read, freed by lmb_style_destroy.
typedef struct lmb_style lmb_style;

typedef struct lmb_style_opts {
    uint32_t epochs;  ///< over the samples; 0 means 30
    uint32_t samples; ///< vertices of each character; 0 means 1200
    uint64_t seed;    ///< the same seed gives the same bytes
    bool no_report;   ///< does not train on parts of the characters to measure what is left out
    const lmb_jobs *jobs;
    const lmb_progress *progress; ///< stages "reading", "learning", "measuring"
} lmb_style_opts;

/// Measured while training: each character bound, or its joints placed, by what the others taught.
typedef struct lmb_style_report {
    uint32_t character_count;
    uint32_t joint_count; ///< of the style's skeleton
    /// mean L1 to the painted weights by heat, and by the style that the others taught; -1 where
    /// it was not measured
    float l1_before, l1_after;
    uint32_t better_count, worse_count; ///< characters nearer by that, and farther by over 0.05
    /// mean distance of the joints of a humanoid that was found in the bare mesh to the maker's, as
    /// a fraction of the height, before and after the others' offsets
    float joints_before, joints_after;
    uint32_t placed_count; ///< characters that this was measured on
    /// how much of LEARNED weights is the model's, in quarters; the rest is heat's. What was nearest
    /// on the characters left out: 0 where the model was no gain there, 1 where it was not measured
    float trust;
    /// of the character that is most like the others, and which of its joints deform ([joint_count])
    const lmb_skeleton *skeleton;
    const uint8_t *deforms;
} lmb_style_report;

/// Learns a style from rigged characters: 2 at least, of one maker. Errors: INVALID for fewer, for
/// a character without weights, and for more than 256 joints in all; those of lmb_weights_again;
/// MEMORY; CANCELLED.
LMB_API lmb_result lmb_style_train(const lmb_character *const *characters, uint32_t count,
                                   const lmb_style_opts *opts, const lmb_allocator *alloc,
                                   lmb_style **out, lmb_error *error);
LMB_API void lmb_style_destroy(lmb_style *style);
LMB_API lmb_style_report lmb_style_describe(const lmb_style *style);

/// A style as bytes (.lmbs): at most 64 KiB. Errors: MALFORMED with the byte; UNSUPPORTED for
/// another version; MEMORY.
LMB_API lmb_result lmb_style_read(const void *bytes, size_t size, const lmb_allocator *alloc,
                                  lmb_style **out, lmb_error *error);
LMB_API lmb_result lmb_style_write(const lmb_style *style, const lmb_allocator *alloc,
                                   lmb_buffer *out, lmb_error *error);

/// The style's model of weights for a skeleton, whose joints are known by their names or, in
/// humanoids, by their positions. Keep style and model until the weights are made; free with
/// lmb_style_model_destroy. Errors: MEMORY.
LMB_API lmb_result lmb_style_model_create(const lmb_style *style, const lmb_skeleton *skeleton,
                                          const lmb_allocator *alloc, lmb_weights_model **out,
                                          lmb_error *error);
LMB_API void lmb_style_model_destroy(lmb_weights_model *model);

/// Moves the joints of a humanoid to where the maker puts them.
LMB_API void lmb_style_place(const lmb_style *style, lmb_embedding *embedding);

// ------------------------------------------------------------------------- feet and ground of clips

enum { LMB_FEET_MOST = 16 };

/// A clip, and the character that it moves.
typedef struct lmb_feet_source {
    const lmb_character *character;
    const lmb_clip *clip;
    const lmb_joint_map *map;    ///< of the feet; NULL: those of `chains`
    const lmb_chain_map *chains; ///< of the feet; both NULL: found, by joint map or chains
    double begin_s;              ///< earlier times are left out
    /// of a body on the spot, the speed at which its ground goes by, model units a second: feet
    /// slide where they move against it. 0: none
    float belt_speed;
} lmb_feet_source;

/// In the track's metres.
typedef struct lmb_feet_measure {
    uint32_t foot_count; ///< 0: nothing was measured
    /// mean horizontal speed of the feet over their ground while within 2.5 cm of their floor
    float slide_m_s;
    /// fraction of all feet and frames that stand: low, and moving vertically by less than 5 cm/s
    float planted_fraction;
    float sliding_fraction; ///< fraction of these that move horizontally faster than 2.5 cm/s
    float dip_m;            ///< greatest depth of a foot under its floor
    float hips_path_m;      ///< horizontal path length of the hips
} lmb_feet_measure;

/// Paths of the feet (toes of humans, ends of legs of others) and the hips, sampled at 60 Hz, in
/// metres of a human of 1.75 m, or of another body on legs of 0.85 m.
typedef struct lmb_feet_track {
    uint32_t frame_count;
    uint32_t foot_count;                   ///< 0 for bodies without feet: nothing else is set
    bool is_right[LMB_FEET_MOST];          ///< on the body's right
    float floor_m[LMB_FEET_MOST];          ///< height that a foot is below in one frame of 50
    lmb_vec3 *paths[LMB_FEET_MOST], *hips; ///< [frame_count]
    lmb_feet_measure measure;
    lmb_allocator allocator;
} lmb_feet_track;

/// `out` is the caller's to free, and empty on failure. Errors: MEMORY.
LMB_API lmb_result lmb_feet_track_make(const lmb_feet_source *source, const lmb_allocator *alloc,
                                       lmb_feet_track *out, lmb_error *error);
/// Frees the paths; `track` is empty afterwards.
LMB_API void lmb_feet_track_free(lmb_feet_track *track);

/// Height of the lowest vertex above the ground, over a clip; negative: in the ground. The ground is
/// at height 0 or that of the rest pose's lowest vertex, whichever the clip comes nearer to.
typedef struct lmb_clearance {
    bool is_measured; ///< false for characters without meshes
    float min_m, max_m;
    float height_m; ///< of the skin at rest
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
    bool is_rigged;     ///< a new skeleton was made, and `rig` describes it
    lmb_rig_report rig; ///< confidence: rig.embedding.overall
    lmb_retarget_report retarget;
    uint32_t relaxed_finger_count; ///< joints of fingers posed half open
    uint32_t carried_count;        ///< joints beside the body, as lmb_clip_carry has them
    float lift_m;  ///< most that a lying or kneeling body was lifted, to rest on its skin
    float lower_m; ///< most that a lying body was lowered, to touch the ground as the motion's does
    float duration_s;             ///< of the new clip
    lmb_feet_measure feet_before; ///< of the motion on its own skeleton
    lmb_feet_measure feet_after;  ///< of the new clip; sliding: slide_m_s
    lmb_clearance clearance;      ///< of the new clip over the ground
} lmb_animate_report;

/// A mesh, or a rigged character, and a motion make a character that plays it: rigs it where
/// needed, retargets clip `clip` of `motion`, relaxes fingers that the motion does not move, lifts a
/// human who lies or kneels onto the character's own skin or lowers one who lies in the air, and puts
/// the new clip in front of the character's own. The motion stays the caller's. `opts` and `report`
/// may be NULL.
/// Errors: those of lmb_rig_for_motion, lmb_retarget and lmb_deformer_create; UNSUPPORTED for a
/// human's motion on another kind of body that had to be rigged. On failure `character` is as it
/// was, except that it keeps a new rig; report->is_rigged is true if it was to get one.
LMB_API lmb_result lmb_animate(lmb_character **character, const lmb_character *motion,
                               uint32_t clip, const lmb_animate_opts *opts,
                               lmb_animate_report *report, const lmb_allocator *alloc,
                               lmb_error *error);

// ------------------------------------------------------------------------------------- correctives

/// A shape sculpted on the character in a pose of one of its clips.
typedef struct lmb_sculpt {
    const char *name; ///< of the morph target; NULL: by number
    uint32_t clip;
    double time_s;
    /// [vertices of all instances, in order] in scene space
    const lmb_vec3 *positions;
} lmb_sculpt;

typedef struct lmb_correct_opts {
    uint32_t sculpt_count;
    const lmb_sculpt *sculpts;
    float frame_rate; ///< Hz at which clips get weights; 0: each clip's own, or 30
} lmb_correct_opts;

enum { LMB_CORRECT_DRIVERS = 16 };

/// What turns a corrective on.
typedef struct lmb_corrective_report {
    uint32_t vertex_count; ///< that it moves
    uint32_t driver_count;
    uint32_t drivers[LMB_CORRECT_DRIVERS]; ///< joints of the skeleton whose rotation drives
    lmb_kernel kernel;
    float radius_rad; ///< of the kernel; 0: its default
    /// Mean relative error with which the other sculpts of the same joints predict this one, for
    /// the kernel that was chosen; 0 where there are none
    float left_out_error;
    float error_m; ///< largest distance from the sculpt at its pose, as played
} lmb_corrective_report;

/// Pose-space deformation (Lewis, Cordner, Fong 2000): each sculpt becomes a morph target, taken
/// back to before linear blend skinning, and every clip gets weights that turn it on as the joints
/// that bend the sculpted region come near its pose. Sculpts of the same joints share a radial basis
/// interpolation that is 0 at rest and 1 for one sculpt at its pose; kernel and radius are chosen by
/// leaving one sculpt out in turn. A clip has a key at the time of each of its sculpts, so that it
/// is reproduced there. Morph targets that were there keep their weights.
/// `reports` is NULL or has room for one per sculpt. `character` is unchanged on failure.
/// Errors: INVALID for no sculpt, a clip that does not exist, positions that are not finite, a
/// sculpt like the shape that is there, a pose whose joints do not bend what was sculpted, two
/// sculpts at one pose; MEMORY.
LMB_API lmb_result lmb_correct(lmb_character **character, const lmb_correct_opts *opts,
                               const lmb_allocator *alloc, lmb_corrective_report *reports,
                               lmb_error *error);

/// Frames of a character's vertices, each at a time of one of its clips.
typedef struct lmb_corrected_frames {
    uint32_t frame_count;
    /// [frame_count][vertices of all instances, in order] in scene space
    const lmb_vec3 *const *positions;
    uint32_t clip;
    const double *times_s; ///< [frame_count]
} lmb_corrected_frames;

typedef struct lmb_correct_frames_opts {
    uint32_t target_count; ///< most morph targets; 0: 16
    float frame_rate;      ///< Hz at which clips get weights; 0: each clip's own, or 30
    /// Every frame whose number is hold_out - 1, 2 hold_out - 1, … is measured and not learned
    /// from; 0 and 1: none
    uint32_t hold_out;
    const char *name; ///< of the targets, before their number; NULL: "corrective"
} lmb_correct_frames_opts;

/// Distances of vertices from the frames as root mean squares, in percent of the diagonal of the
/// first frame's bounds, played from the clip: without the correctives and with them.
typedef struct lmb_correct_frames_report {
    uint32_t target_count, driver_count, frame_count, held_out_count;
    float before_percent, rms_percent;
    float before_held_out_percent, held_out_percent; ///< 0 where no frame is held out
} lmb_correct_frames_report;

/// Correctives learned from frames: what linear blending misses in each, taken back to before
/// skinning, as a basis of few morph targets (principal components) whose weights a pose space
/// predicts from the joints that bend what moves (after Kry, James, Pai 2002, EigenSkin, with the
/// interpolation of Lewis et al. 2000). Kernel, radius and ridge are chosen on poses that are left
/// out. `character` is unchanged on failure. `report`, `alloc` and `error` may be NULL.
/// Errors: INVALID for fewer than two frames, a clip that does not exist, positions that are not
/// finite, frames that the character shows as it is, and poses that do not differ; MEMORY.
LMB_API lmb_result lmb_correct_frames(lmb_character **character, const lmb_corrected_frames *frames,
                                      const lmb_correct_frames_opts *opts,
                                      const lmb_allocator *alloc, lmb_correct_frames_report *report,
                                      lmb_error *error);

/// What turns a character's correctives on, and moves its helpers, as functions of pose: kept in the
/// look's extras (docs/gltf.md), so that files have it. One evaluates one pose at a time.
typedef struct lmb_pose_drivers lmb_pose_drivers;

/// *out is NULL for a character that has none. Drivers of joints or targets that the character has
/// no more are left out. Errors: INVALID for extras of another form; MEMORY.
LMB_API lmb_result lmb_pose_drivers_create(const lmb_character *character,
                                           const lmb_allocator *alloc, lmb_pose_drivers **out,
                                           lmb_error *error);
LMB_API void lmb_pose_drivers_destroy(lmb_pose_drivers *drivers);

typedef struct lmb_pose_drivers_job {
    lmb_pose_drivers *drivers;
    lmb_transform *local; ///< [joint_count] the pose; helpers are set
    /// Morph weights as lmb_character_weights lays them out; those of correctives are set. Or NULL
    float *weights;
    /// Of which the pose is, or NULL: helpers, and weights of instances, that it has keys of stay
    const lmb_clip *clip;
} lmb_pose_drivers_job;
LMB_API void lmb_pose_drivers_evaluate(const lmb_pose_drivers_job *job);
/// A copy of one of the character's clips with keys of what is driven, at the clip's frame rate (30
/// Hz where unknown). A clip that has keys of a driven joint or of an instance's driven weights keeps
/// those. Errors: MEMORY.
LMB_API lmb_result lmb_pose_drivers_clip(lmb_pose_drivers *drivers, const lmb_clip *clip,
                                         const lmb_allocator *alloc, lmb_clip **out,
                                         lmb_error *error);

/// What of an envelope programs without it see: morph targets "envelope N", with weights in every
/// clip, learned by lmb_correct_frames from up to 64 moments of a clip. `percent`, which may be
/// NULL, gets the distance of the two, as lmb_correct_frames_report has it. `character` is unchanged
/// on failure. Errors: INVALID for no envelope; those of lmb_correct_frames.
LMB_API lmb_result lmb_envelope_bake(lmb_character **character, uint32_t clip,
                                     const lmb_allocator *alloc, float *percent, lmb_error *error);

typedef struct lmb_help_opts {
    uint32_t helper_count; ///< joints that are added; 0: as many as pay, up to 32
    uint32_t influences;   ///< most joints per vertex, up to 16; 0: 4
    float smooth;          ///< of weights, as in lmb_learn_opts
    float frame_rate;      ///< Hz at which clips get keys of the helpers; 0: each clip's own, or 30
    uint32_t hold_out;     ///< as in lmb_correct_frames_opts
    const lmb_jobs *jobs;
    const lmb_progress *progress;
} lmb_help_opts;

/// Errors as in lmb_correct_frames_report, with the helpers where their drivers put them.
typedef struct lmb_help_report {
    uint32_t helper_count, driver_count, frame_count, held_out_count;
    float solved_percent; ///< learned frames, with the helpers where they show them best
    float rms_percent, held_out_percent;
} lmb_help_report;

/// Helper joints learned from frames (Mukai 2015; Mukai and Kuriyama 2016): rigid bones where the
/// rig's own cannot show the frames (lmb_learn_helpers), whose motion in their parent a pose space
/// predicts from the joints that bend their skin. Every clip gets keys of the helpers, so that any
/// program that plays skins shows them. Weights are solved once more with the helpers where they are
/// predicted. The rig's joints keep their numbers and their keys. `character` is unchanged on
/// failure. `report`, `alloc` and `error` may be NULL.
/// Errors: those of lmb_learn_helpers and lmb_correct_frames.
LMB_API lmb_result lmb_help_frames(lmb_character **character, const lmb_corrected_frames *frames,
                                   const lmb_help_opts *opts, const lmb_allocator *alloc,
                                   lmb_help_report *report, lmb_error *error);

#ifdef __cplusplus
}
#endif
#endif
