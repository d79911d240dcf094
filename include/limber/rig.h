/// Weights that bind a mesh to its skeleton: computed, painted, edited, mirrored, transferred.
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

#ifdef __cplusplus
}
#endif
#endif
