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

// --------------------------------------------------------------------------------- weights: bones

/// A straight piece of bone: what is near it follows `joint`. head == tail is a point.
typedef struct lmb_bone {
    lmb_vec3 head, tail;
    uint32_t joint; ///< in the skeleton
} lmb_bone;

typedef struct lmb_bones {
    uint32_t count;
    lmb_bone *items;
    /// [joint_count] of the skeleton, LMB_NONE at the top, and where its joints are. With them
    /// weights tell flesh that touches from flesh that is joined; NULL: they do not
    uint32_t joint_count;
    int32_t *parents;
    lmb_vec3 *places;
    lmb_allocator allocator;
} lmb_bones;

typedef struct lmb_bones_def {
    const lmb_skeleton *skeleton;
    /// [joint_count] where the joints are when the mesh is bound; NULL: the rest pose
    const lmb_mat4 *model_from_joint;
    const uint8_t *deforms;     ///< [joint_count] 1 where a joint moves flesh; NULL: all do
    const lmb_surface *surface; ///< the mesh, or NULL
    const lmb_tree *tree;       ///< of the mesh, or NULL
} lmb_bones_def;

/// Bones from each deforming joint to each deforming joint below it, joints that do not deform
/// being passed over; a joint with several children has several bones, of which all but one that
/// goes on straightest end three quarters of the way, where artists let the child take over. A
/// joint without any ends at its tip; else at a joint straight below it that moves nothing; else at
/// the top of another chain straight ahead (a foot that hangs on its goal); else it runs toward the
/// middle of the flesh that is nearest to it, and half as far again, if there is a mesh; else it is
/// a point. In a skeleton without hierarchy bones run along the local axis on which most joints
/// find a next one. Bones of no length are left out where the joint has others, or a child in the
/// same place. Joints at the top of the skeleton whose one bone runs outside the mesh (a root on
/// the floor) get none; that takes the tree.
/// Errors: INVALID when no joint deforms; MEMORY.
LMB_API lmb_result lmb_bones_create(const lmb_bones_def *def, const lmb_allocator *alloc,
                                    lmb_bones **out, lmb_error *error);
LMB_API void lmb_bones_destroy(lmb_bones *bones);

// -------------------------------------------------------------------------- weights: of a surface

typedef enum lmb_rig_weights {
    LMB_WEIGHTS_HEAT = 0, ///< heat that flows from the bones over the surface (Baran, Popovic 2007)
    LMB_WEIGHTS_NEAREST,  ///< by distance to the bones alone: d^-4
    /// by distance to the bones through the volume (geodesic voxel binding, Dionne, de Lasa 2013)
    LMB_WEIGHTS_VOXEL,
    /// bounded biharmonic: for every joint the smoothest function in the volume that is 1 on its
    /// bones, 0 on the others' and in between elsewhere (Jacobson et al. 2011)
    LMB_WEIGHTS_BBW,
} lmb_rig_weights;

typedef struct lmb_weights_opts {
    lmb_rig_weights method;
    /// c of the paper's H = c / d^2; 0 counts as 2.5, nearest to painted weights. Higher: sharper
    /// borders between bones
    float heat;
    /// alpha of Dionne and de Lasa's (1 / ((1 - alpha) d + alpha d^2))^2 for VOXEL, up to 1: from
    /// d^-2 to d^-4; 0 counts as 1, nearest to painted weights
    float falloff;
    uint32_t influences; ///< the most joints kept a vertex; 0 counts as 4
    /// taken off every weight, so that weights fade out before they end; 0 counts as 0.04
    float least;
    /// pieces of the surface that follow one joint for the most part are not made to follow it
    /// alone
    bool soft;
    const lmb_jobs *jobs;
    const lmb_progress *progress;
} lmb_weights_opts;

/// Rows of weights for vertices; `joint` of an influence is a joint of the skeleton. No row is
/// empty, each sums to 1.
typedef struct lmb_weights {
    uint32_t vertex_count;
    lmb_influences influences;
    lmb_allocator allocator;
} lmb_weights;

/// What happened on the way. Lengths are in the unit of the surface.
typedef struct lmb_weights_report {
    uint32_t vertex_count;     ///< of the welded surface
    uint32_t joint_count;      ///< joints that have bones
    uint32_t idle_joint_count; ///< of these, those that ended without any weight
    uint32_t component_count;  ///< connected pieces of the surface
    /// pieces hidden from their bones by other pieces (clothes), bound as if alone
    uint32_t layer_count;
    /// small hidden pieces (buttons, eyes) that follow the nearest piece as one
    uint32_t inherited_count;
    /// pieces that see no bone at all, bound to the nearest ones regardless
    uint32_t unseen_count;
    /// pieces that follow one joint for the most part, and so follow it alone: armour, props, eyes;
    /// balls in joints and sockets
    uint32_t rigid_count;
    /// vertices of a surface of crumbs (most of it in pieces of a few vertices), which was solved
    /// for with those welded that lie close; 0 for others
    uint32_t soup_count;
    /// vertices that see no bone near them and take their weights from around them
    uint32_t hidden_count;
    /// vertices of plates under the feet, which follow the first joint alone (lmb_rig)
    uint32_t base_count;
    /// weight that a vertex's joints lost because only `influences` of them are kept, and to
    /// `least`
    float lost_mean, lost_max;
    /// how far that moves a vertex when each of those joints turns by 45 degrees, at most
    float shift_mean, shift_max;
    float height;       ///< longest side of the bounds, to compare with
    size_t entry_count; ///< of the factor
} lmb_weights_report;

/// (L + A H) w_j = A H p_j for every joint j, p_j = 1 where j's bone is, of those in sight, the
/// nearest to the middle of the flesh under the vertex (the centre of the ball that touches the skin
/// there from inside; the vertex itself where the way in meets nothing), shared among equally near
/// ones (the last bone of a chain counts as nearer where its flesh is thicker than that of the bone
/// above); H = heat * ties / d^2 there, and 0 where none of the four
/// nearest bones is in sight, no triangle between (after Baran, Popovic 2007, section 4). Any
/// triangles, any bones, at any scale: what sees no bone is dealt with as the report's fields tell,
/// so that every vertex gets weights.
/// Errors: INVALID for no bones, for values that are not finite, and for a surface without
/// triangles when the method is one of the volume; MEMORY; CANCELLED. `opts`, `alloc`, `report` and
/// `error` may be NULL.
LMB_API lmb_result lmb_weights_create(const lmb_surface *surface, const lmb_bones *bones,
                                      const lmb_weights_opts *opts, const lmb_allocator *alloc,
                                      lmb_weights **out, lmb_weights_report *report,
                                      lmb_error *error);
LMB_API void lmb_weights_destroy(lmb_weights *weights);

// ------------------------------------------------------------------------ weights: of a character

/// All triangles of a character as they stand in the scene at rest, skinned where skins are, welded
/// into one surface. The surface's parts are the instances in their order: vertex_of runs through
/// the vertices of instance 0's mesh, then 1's. Errors: INVALID, MEMORY.
LMB_API lmb_result lmb_character_surface(const lmb_character *character, const lmb_allocator *alloc,
                                         lmb_surface **out, lmb_error *error);

typedef struct lmb_bind_opts {
    const lmb_skeleton *skeleton; ///< placed in the space of the scene
    const uint8_t *deforms;       ///< [skeleton joint_count], or NULL: all
    lmb_weights_opts weights;
} lmb_bind_opts;

/// Binds every mesh of the character, as one body, to a skeleton that somebody else made: replaces
/// its scene tree by the skeleton's joints (in their order, then a node a mesh), its skins and
/// weights by new ones, and drops its clips. Meshes that were skinned are frozen as they stood at
/// rest. Vertex order, seams, materials and morph targets stay; extensions that name nodes (VRM) are
/// dropped from the look. `character` is untouched on failure.
/// Errors: INVALID for a character without triangles and for a skeleton without joints that deform;
/// MEMORY; CANCELLED.
LMB_API lmb_result lmb_bind(lmb_character **character, const lmb_bind_opts *opts,
                            lmb_weights_report *report, const lmb_allocator *alloc,
                            lmb_error *error);

// ------------------------------------------------------------------------------- weights: editing

typedef enum lmb_weights_op {
    /// rows sum to 1; empty rows take the row of the nearest vertex that has one
    LMB_WEIGHTS_NORMALIZE = 0,
    /// weights below `least`, and below `share` of the row's largest, go; with `hops` those of
    /// joints that are farther from the row's strongest joint in the skeleton
    LMB_WEIGHTS_PRUNE,
    /// at most `influences` a vertex: those stay whose loss would move the vertex most; with
    /// `poses`, would move it most in those poses (the least needed one goes, and again)
    LMB_WEIGHTS_LIMIT,
    /// `rounds` times a share `amount` of the way to the mean of the neighbours, seams kept closed;
    /// with `spread`, `rounds` times W <- (1 + spread L)^-1 W, L the Laplacian by cotangents with
    /// rows scaled to a diagonal of 1: as far as many small steps
    LMB_WEIGHTS_SMOOTH,
} lmb_weights_op;

typedef struct lmb_weights_edit {
    lmb_weights_op op;
    float least;         ///< 0 counts as 0.01
    uint32_t influences; ///< 0 counts as 4
    uint32_t rounds;     ///< 0 counts as 3
    float amount;        ///< in (0, 1]; 0 counts as 0.5
    float spread;        ///< SMOOTH: 0: in steps; up to 1e6, 1 to 10 usually
    float share;         ///< PRUNE: in [0, 1); 0: none
    /// PRUNE: steps from joint to joint; 0: any number. Joints whose skins meet somewhere (each the
    /// strongest at one end of an edge) are never too far
    uint32_t hops;
    /// LIMIT: [pose_count][joint_count] model_from_joint of the whole skeleton, or NULL
    const lmb_mat4 *poses;
    uint32_t pose_count;
} lmb_weights_edit;

typedef struct lmb_weights_change {
    uint32_t vertex_count;            ///< of the skinned meshes
    uint32_t empty_count;             ///< rows that were empty, and are filled now
    uint32_t changed_count;           ///< vertices whose row is not what it was
    uint32_t most_before, most_after; ///< influences of a vertex
    float lost_mean, lost_max;        ///< weight that was dropped
    /// how far that moves a vertex when every dropped joint turns by 45 degrees, at most, in metres
    float shift_max;
    /// LIMIT with poses: how far vertices are off where they were, each at its worst pose
    float moved_mean, moved_max;
} lmb_weights_change;

/// Edits the weights of every skinned mesh; after any operation rows sum to 1 and none is empty.
/// `character` is untouched on failure.
/// Errors: INVALID when there is no skinned mesh, when a skin has no weights at all, or for a share
/// or a spread out of range; MEMORY. `out` may be NULL.
LMB_API lmb_result lmb_weights_apply(lmb_character **character, const lmb_weights_edit *edit,
                                     const lmb_allocator *alloc, lmb_weights_change *out,
                                     lmb_error *error);

typedef struct lmb_weights_audit {
    uint32_t vertex_count;
    uint32_t empty_count;  ///< rows without any weight
    uint32_t uneven_count; ///< rows whose sum is off 1 by more than 1e-5
    uint32_t most;         ///< influences of a vertex
    uint32_t joint_count;  ///< joints of the skins
    uint32_t idle_count;   ///< of these, joints that move no vertex
} lmb_weights_audit;

/// Counts what is wrong with the weights of all skinned meshes. Errors: MEMORY.
LMB_API lmb_result lmb_weights_check(const lmb_character *character, const lmb_allocator *alloc,
                                     lmb_weights_audit *out, lmb_error *error);

typedef enum lmb_mirror_side {
    LMB_MIRROR_FROM_LEFT = 0, ///< the right side becomes what the left one is
    LMB_MIRROR_FROM_RIGHT,
} lmb_mirror_side;

typedef struct lmb_mirror_opts {
    lmb_mirror_side side;
    /// [joint_count] for a joint on the left its partner on the right, else LMB_NONE; or NULL.
    /// Names and places add to it
    const int32_t *right_of;
    uint32_t influences; ///< most joints a row; 0: as many as the longest row has
} lmb_mirror_opts;

typedef struct lmb_mirror_report {
    /// of the plane of symmetry normal . p == offset, unit, pointing to the left; in the space of
    /// the scene
    lmb_vec3 normal;
    float offset;
    uint32_t vertex_count; ///< of the skinned meshes
    uint32_t copied_count; ///< of these, vertices that took the row of their mirror image
    uint32_t seam_count;   ///< vertices on the plane, whose two halves were averaged
    /// vertices without a surface at their mirror image, which keep their row
    uint32_t alone_count;
    uint32_t changed_count; ///< vertices whose row is not what it was
    uint32_t pair_count;    ///< joints that are one side of a pair, over 2
    uint32_t middle_count;  ///< joints that are their own mirror image
    /// joints with weight but no partner; their weight goes to the nearest joint above that has one
    uint32_t lone_joint_count;
    /// from the mirror images of the copied vertices to the surface
    float distance_mean, distance_max;
} lmb_mirror_report;

/// Makes the weights of all skinned meshes symmetric: vertices of the one side take, joints
/// exchanged, the weights at the point of the other side that is nearest to their mirror image
/// (within 5 % of the diagonal of the bounds). The plane is x = 0 where that fits as well as the
/// plane that joint pairs and surface agree on best. A second call changes nothing, but for
/// rounding. `character` is untouched on failure.
/// Rows with more than `influences` joints lose the largest weight that does not fit from all
/// others, so that they fade out before they end.
/// Errors: INVALID when there is no skinned mesh, no triangle of it on the side that is copied, no
/// surface at the mirror images of more than a quarter of the other side's vertices (the joint that
/// most of them follow is named), or a joint of `right_of` out of range; MEMORY.
LMB_API lmb_result lmb_weights_mirror(lmb_character **character, const lmb_mirror_opts *opts,
                                      const lmb_allocator *alloc, lmb_mirror_report *out,
                                      lmb_error *error);

typedef struct lmb_transfer_opts {
    /// [joint_count of `from`] the target's joint, or LMB_NONE: by name, else that of the nearest
    /// joint above; or NULL
    const int32_t *joints;
    /// how far a match may be, as a share of the diagonal of the target's bounds; 0 counts as 0.05
    float distance_share;
    float angle_rad; ///< how far the normals of a match may differ; 0 counts as pi / 6
    bool two_sided;  ///< normals that look the other way match too: cloth has two sides
    /// times that filled rows, and matched ones within the distance of them along the surface, go a
    /// fifth of the way to the mean of their neighbours; 0: none
    uint32_t rounds;
    uint32_t influences; ///< most joints a row; 0: as many as the longest row of `from` has
} lmb_transfer_opts;

typedef struct lmb_transfer_report {
    uint32_t vertex_count;  ///< that got rows
    uint32_t matched_count; ///< of these, from the closest point of the other character
    uint32_t filled_count;  ///< without a match, filled in from those around them
    uint32_t nearest_count; ///< in pieces without any match, from the nearest point however far
    uint32_t joint_count;   ///< joints of `from` that have a counterpart
    bool bound;             ///< the target had no skin and got the skeleton too
    float distance_mean, distance_max; ///< of the matches
} lmb_transfer_report;

/// Gives the skinned meshes of a character the weights of another that stands in the same place at
/// rest: at matches (closest point near, normals alike) the row there, in between for each joint
/// the function that bends and stretches least (Abdrashitov et al. 2023). A
/// character without skin is bound to the skeleton of `from`, as lmb_bind does. `character` is
/// untouched on failure.
/// Errors: INVALID when `from` has no skinned triangles, nothing matches, or a joint is out of
/// range; MEMORY.
LMB_API lmb_result lmb_weights_transfer(lmb_character **character, const lmb_character *from,
                                        const lmb_transfer_opts *opts, const lmb_allocator *alloc,
                                        lmb_transfer_report *out, lmb_error *error);

// ------------------------------------------------------------------------------ weights: painting

/// Paints the weights of a character's skinned meshes, as a person does with a brush. It works on
/// the welded surface, so seams stay closed, and remembers strokes, so that they can be undone.
typedef struct lmb_painter lmb_painter;

typedef struct lmb_painter_opts {
    /// most joints a vertex after a stroke, up to 16; 0: as many as the longest row has, and 4 at
    /// least
    uint32_t influences;
    /// the plane normal . p == offset that strokes are mirrored at; a zero normal: none
    lmb_vec3 normal;
    float offset;
    /// [joint_count] for a joint on the left its partner on the right, else LMB_NONE; or NULL.
    /// Names and places add to it
    const int32_t *right_of;
} lmb_painter_opts;

typedef enum lmb_brush_op {
    LMB_BRUSH_ADD = 0, ///< share * value more
    LMB_BRUSH_REPLACE, ///< share of the way to value
    LMB_BRUSH_SCALE,   ///< share of the way to value times as much
    LMB_BRUSH_SMOOTH,  ///< share of the way to the mean of the neighbours, all joints
    /// share of the way to the row at the mirror image, joints exchanged, all joints
    LMB_BRUSH_MIRROR,
    /// share of the way to what goes from value at `at` to to_value at `to`, in a straight line
    LMB_BRUSH_GRADIENT,
} lmb_brush_op;

/// The brush's share at t, the distance over the radius.
typedef enum lmb_brush_falloff {
    LMB_FALLOFF_SMOOTH = 0, ///< 1 - 3 t^2 + 2 t^3
    LMB_FALLOFF_LINEAR,     ///< 1 - t
    LMB_FALLOFF_CONSTANT,   ///< 1
    LMB_FALLOFF_GAUSSIAN,   ///< exp(-4.5 t^2)
} lmb_brush_falloff;

typedef struct lmb_brush {
    lmb_brush_op op;
    uint32_t joint; ///< of the skeleton; SMOOTH and MIRROR paint all
    lmb_vec3 at;    ///< in the space of the scene at rest; the nearest point of the skin counts
    float radius;   ///< in metres, along the edges of the skin
    float strength; ///< what the falloff is multiplied by, up to 1; 0 counts as 1
    float value;    ///< a weight, or a factor for SCALE
    lmb_vec3 to;    ///< GRADIENT: where it ends
    float to_value; ///< GRADIENT: what it has there
    lmb_brush_falloff falloff;
    /// the radius is straight, over skin that is connected and faces as it does at the point
    bool straight;
    bool both_sides; ///< and at the mirror image, with the joint's partner
} lmb_brush;

/// Errors: INVALID when there is no skinned mesh, or a joint of `right_of` is out of range; MEMORY.
LMB_API lmb_result lmb_painter_create(const lmb_character *character, const lmb_painter_opts *opts,
                                      const lmb_allocator *alloc, lmb_painter **out,
                                      lmb_error *error);
LMB_API void lmb_painter_destroy(lmb_painter *painter);
/// The surface that is painted, the painter's own; its parts are the character's instances.
LMB_API const lmb_surface *lmb_painter_surface(const lmb_painter *painter);
/// The row of a vertex of that surface, falling, joints of the skeleton; returns how many. It holds
/// until the next call.
LMB_API uint32_t lmb_painter_row(const lmb_painter *painter, uint32_t vertex,
                                 const lmb_influence **out);
/// Weights of locked joints do not change.
LMB_API void lmb_painter_lock(lmb_painter *painter, uint32_t joint, bool locked);
/// Puts the brush down once; the first time begins a stroke. What a joint gains the others that are
/// not locked lose in proportion, and the other way round; where there are none, the nearest joint
/// above that is not locked takes the rest. Rows sum to 1. Vertices without weights are left alone.
/// Errors: INVALID for a joint out of range, a radius or a strength that is none, no plane to
/// mirror at; MEMORY, with nothing changed, but for the first side of `both_sides`.
LMB_API lmb_result lmb_painter_dab(lmb_painter *painter, const lmb_brush *brush, lmb_error *error);
/// Ends the stroke: rows that have become too long lose their least weights. Returns how many
/// vertices it changed.
LMB_API uint32_t lmb_painter_end_stroke(lmb_painter *painter);
/// Takes the last stroke back; false when there is none.
LMB_API bool lmb_painter_undo(lmb_painter *painter);
/// Does what was last undone again; false when there is nothing, or something was painted since.
LMB_API bool lmb_painter_redo(lmb_painter *painter);
/// Gives the rows to the character that the painter was made from, or a copy of it.
/// Errors: INVALID for another character; MEMORY. `character` is untouched on failure.
LMB_API lmb_result lmb_painter_store(lmb_painter *painter, lmb_character **character,
                                     lmb_error *error);

// -------------------------------------------------------------------------------------- embedding

/// Body joints of a humanoid, in the order of the skeleton: VRM's names, spelt as VRM spells them
/// ("hips", "leftUpperArm", …).
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

/// What a body is built like.
typedef enum lmb_skeleton_kind {
    LMB_SKELETON_AUTO = 0, ///< find out
    LMB_SKELETON_HUMAN,
    LMB_SKELETON_QUADRUPED,
    LMB_SKELETON_BIRD,
    LMB_SKELETON_HAND,
    LMB_SKELETON_FISH,
    LMB_SKELETON_SNAKE,
    LMB_SKELETON_SPIDER, ///< six legs or more
    LMB_SKELETON_GENERIC, ///< a trunk along the longest way through the solid, branches as it has them
    LMB_SKELETON_KINDS,
} lmb_skeleton_kind;

/// "auto", "human", "quadruped", …: static strings.
LMB_API const char *lmb_skeleton_kind_name(lmb_skeleton_kind kind);

enum { LMB_EMBEDDING_JOINTS = 160, LMB_EMBEDDING_NAME = 32 };

/// A point that the user knows, in the mesh's space. `name` is that of a joint of the skeleton
/// that comes out (of VRM's for a humanoid), or of a humanoid "chin", "groin", "leftWrist",
/// "leftElbow", "leftHip", "leftKnee", "leftAnkle" and the same of the right.
typedef struct lmb_marker {
    const char *name;
    lmb_vec3 at;
} lmb_marker;

typedef struct lmb_embed_opts {
    lmb_skeleton_kind kind;
    lmb_vec3 up;      ///< unit, or zero: find out
    lmb_vec3 forward; ///< unit, where the character faces; or zero: find out
    /// Joints lie exactly at their markers. In a humanoid the others follow: limbs end where marked
    /// ones do, left and right, up and front are what the markers say, chin and groin set neck and
    /// hips; with elbow or wrist and knee or ankle of both sides nothing is refused.
    const lmb_marker *markers;
    uint32_t marker_count;
    const lmb_jobs *jobs;
} lmb_embed_opts;

/// A skeleton inside a mesh. Joints of a humanoid are in the order of lmb_humanoid_joint.
typedef struct lmb_embedding {
    lmb_skeleton_kind kind;     ///< never AUTO
    lmb_vec3 left, up, forward; ///< unit axes of the character in the mesh's space
    lmb_vec3 ground;            ///< between the feet, on the ground
    /// from the ground to the top of the mesh, in the mesh's unit
    float height;
    uint32_t joint_count;
    int32_t parents[LMB_EMBEDDING_JOINTS]; ///< LMB_NONE for the first; parents come first
    char names[LMB_EMBEDDING_JOINTS][LMB_EMBEDDING_NAME];
    lmb_vec3 joints[LMB_EMBEDDING_JOINTS]; ///< in the mesh's space
    /// where a leaf bone ends (head, toes, hand or last finger joint); elsewhere the joint itself
    lmb_vec3 tips[LMB_EMBEDDING_JOINTS];
    /// the axis about which a positive turn flexes a joint that is a hinge, else zero
    lmb_vec3 hinges[LMB_EMBEDDING_JOINTS];
    float confidence[LMB_EMBEDDING_JOINTS]; ///< 0 to 1
    /// what the place of the joint rests on, a static phrase
    const char *reason[LMB_EMBEDDING_JOINTS];
    float overall;     ///< 0 to 1
    char summary[160]; ///< why `overall` is what it is
} lmb_embedding;

/// Finds what kind of body the mesh is (unless told), which way it stands and faces, and the joints
/// of that kind inside it. The mesh need not be closed, connected, oriented or manifold. Turning,
/// scaling and remeshing the mesh turn and scale the result.
/// Limb ends are maxima of the geodesic distance inside the solid; shoulders and hips lie where the
/// cross-sections of limbs open into the trunk (after ideas of Baran, Popovic 2007 and of Tierny,
/// Vandeborre, Daoudi 2006); proportions of humans follow Drillis, Contini 1966. Feet of animals
/// are the minima of height in the solid that persist longest (Edelsbrunner, Letscher, Zomorodian
/// 2002), in pairs about the plane that halves the depths of the solid best.
/// Errors: INVALID for a mesh without triangles or extent, an index out of bounds, a marker that is
/// no joint or no place; UNSUPPORTED when the mesh does not read as what was asked for (`found`
/// says what it looks like, `expected` what it takes); MEMORY.
LMB_API lmb_result lmb_embed(const lmb_vec3 *positions, uint32_t position_count,
                             const uint32_t *triangles, uint32_t triangle_count,
                             const lmb_embed_opts *opts, const lmb_allocator *alloc,
                             lmb_embedding *out, lmb_error *error);

// --------------------------------------------------------------------------- a skeleton of one's own

/// Whether a skeleton already stands in a mesh, as one that was made for it does: 97% of its bones
/// run inside (or within a fiftieth of the mesh's longest side), and the box of its joints has a
/// diagonal of at least 0.42 of the mesh's and its middle within a quarter of it.
/// `deforms` as in lmb_bind_opts. Errors: INVALID for a mesh without triangles or extent; MEMORY.
LMB_API lmb_result lmb_skeleton_stands(const lmb_skeleton *skeleton, const uint8_t *deforms,
                                       const lmb_surface *surface, const lmb_allocator *alloc,
                                       bool *out, lmb_error *error);

typedef struct lmb_skeleton_fit_opts {
    const uint8_t *deforms; ///< [joint_count] 1 where a joint moves flesh; NULL: all do
    /// [LMB_HUMANOID_JOINTS] which joint is which of a human's, LMB_NONE where there is none; NULL:
    /// limbs are found by where they end
    const int32_t *humanoid;
} lmb_skeleton_fit_opts;

typedef struct lmb_skeleton_fit_report {
    uint32_t placed_count;  ///< joints that were put in their places
    uint32_t carried_count; ///< joints that went along with those
} lmb_skeleton_fit_report;

/// Fits a skeleton that somebody made into a mesh of other size, proportions and pose: the same
/// joints with the same names, parents and order, moved to where an embedding found them.
/// A human's joints go to the joints of the same meaning; spines and necks of other counts share
/// out the way as they did; in other bodies limbs are matched by where they end, joints along them
/// by their order or, where counts differ, by their share of the length. Each bone is turned by the
/// least rotation (its axes and hinges turn with it), and what hangs between and beside, such as
/// twist joints, fingers, ends and props, is turned and scaled with its bone. What lies above the
/// hips is scaled with the whole; what lay on the ground stays there.
/// Errors: UNSUPPORTED when too few joints have a place (`found` says how many); MEMORY.
LMB_API lmb_result lmb_skeleton_fit(const lmb_skeleton *skeleton, const lmb_skeleton_fit_opts *opts,
                                    const lmb_embedding *into, const lmb_allocator *alloc,
                                    lmb_skeleton **out, lmb_skeleton_fit_report *report,
                                    lmb_error *error);

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
