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

// -------------------------------------------------------------------------- weights: of a surface

typedef enum lmb_rig_weights {
    LMB_WEIGHTS_HEAT = 0, ///< heat diffusion from the bones over the surface (Baran, Popovic 2007)
    LMB_WEIGHTS_NEAREST,  ///< by distance to the bones alone: d^-4
    /// by distance to the bones through the volume (geodesic voxel binding, Dionne, de Lasa 2013)
    LMB_WEIGHTS_VOXEL,
    /// bounded biharmonic: for each joint the smoothest function in the volume that is 1 on its
    /// bones, 0 on other bones, and within [0, 1] (Jacobson et al. 2011)
    LMB_WEIGHTS_BBW,
    LMB_WEIGHTS_LEARNED, ///< by a model of a style (lmb_style_model) that corrects heat
} lmb_rig_weights;

enum {
    LMB_WEIGHT_CANDIDATES = 10, ///< joints that a model chooses from, at most
    LMB_WEIGHT_FEATURES = 35,   ///< what is known of a vertex and a candidate
};

/// The features that have a name: log of heat's weight; where along the candidate's bone the vertex
/// lies, how far off its axis, and how far outward from the root, in lengths of the bone.
enum {
    LMB_WEIGHT_FEATURE_HEAT = 0,
    LMB_WEIGHT_FEATURE_ALONG,
    LMB_WEIGHT_FEATURE_RADIUS,
    LMB_WEIGHT_FEATURE_OUTWARD,
};

/// A learned model of weights.
typedef struct lmb_weights_model {
    /// Weights that sum to 1 of `count` candidates of a vertex of the surface; `joints` are those of the skeleton,
    /// `features`: [count][LMB_WEIGHT_FEATURES]. Called by several threads at once.
    void (*weigh)(const void *user, uint32_t vertex, const uint32_t *joints, const float *features,
                  uint32_t count, float *weights);
    const void *user;
} lmb_weights_model;

/// Numbers that say from measures of a joint and its surroundings how strongly it claims flesh.
enum { LMB_OWNERSHIP_COEFFICIENTS = 14 };
typedef struct lmb_weights_opts {
    lmb_rig_weights method;
    /// c of the paper's H = c / d^2; 0 means 2.5, closest to painted weights. Higher values give
    /// sharper borders between bones
    float heat;
    /// alpha of Dionne and de Lasa's (1 / ((1 - alpha) d + alpha d^2))^2 for VOXEL, at most 1: from
    /// d^-2 to d^-4; 0 means 1, closest to painted weights
    float falloff;
    uint32_t influences; ///< most joints kept per vertex; 0 means 4
    /// subtracted from every weight, so that weights fade to 0; 0 means 0.04
    float least;
    /// do not bind pieces that mostly follow one joint to that joint alone
    bool soft;
    /// how joints claim flesh: LMB_OWNERSHIP_COEFFICIENTS numbers, as a style has them; NULL: those
    /// that were fitted on characters of many makers
    const float *ownership;
    const lmb_weights_model *model; ///< for LEARNED
    const lmb_jobs *jobs;
    const lmb_progress *progress;
} lmb_weights_opts;

/// Rows of weights per vertex; `joint` of an influence is a joint of the skeleton. No row is empty;
/// each sums to 1.
typedef struct lmb_weights {
    uint32_t vertex_count;
    lmb_influences influences;
    lmb_allocator allocator;
} lmb_weights;

/// Statistics of the solve. Lengths are in the unit of the surface.
typedef struct lmb_weights_report {
    uint32_t vertex_count;     ///< of the welded surface
    uint32_t joint_count;      ///< joints that have bones
    uint32_t idle_joint_count; ///< of these, joints without any weight
    uint32_t component_count;  ///< connected pieces of the surface
    /// pieces hidden from their bones by other pieces (clothes), solved as if alone
    uint32_t layer_count;
    /// small hidden pieces (buttons, eyes) that follow the nearest piece rigidly
    uint32_t inherited_count;
    /// pieces from which no bone is visible, bound to the nearest bones
    uint32_t unseen_count;
    /// pieces that mostly follow one joint, and were bound to it alone: armour, props, eyes, ball
    /// joints and sockets
    uint32_t rigid_count;
    /// vertices of a triangle soup (most vertices in pieces of a few), solved with close vertices
    /// welded; 0 for other surfaces
    uint32_t triangle_soup_count;
    /// vertices from which no near bone is visible, whose weights diffuse from their neighbours
    uint32_t hidden_count;
    /// vertices of plates under the feet, which follow the first joint alone (lmb_rig)
    uint32_t base_count;
    /// weight removed per vertex by `influences` and `least`
    float lost_mean, lost_max;
    /// upper bound of a vertex's displacement by that when each of those joints rotates by 45
    /// degrees
    float shift_mean, shift_max;
    float height;       ///< longest side of the bounds, for comparison
    size_t entry_count; ///< of the factor
    /// of lmb_bind_opts.keep_weights: joints that kept their weights, that are new, and of those with weight that are gone
    uint32_t kept_joint_count, new_joint_count, gone_joint_count;
} lmb_weights_report;

LMB_API void lmb_weights_destroy(lmb_weights *weights);

// ------------------------------------------------------------------------ weights: of a character

/// All triangles of a character in the rest pose, skinned where skins are, welded into one surface
/// in scene space. The surface's parts are the instances in order: vertex_of covers the vertices of
/// instance 0's mesh, then 1's. Errors: INVALID, MEMORY.
LMB_API lmb_result lmb_character_surface(const lmb_character *character, const lmb_allocator *alloc,
                                         lmb_surface **out, lmb_error *error);

/// model_from_joint[joint_count] where the character's meshes were bound to it: with these every skinned mesh is as it is
/// before it is skinned. As at rest where that is so at rest too, or where skins disagree. Errors: MEMORY.
LMB_API lmb_result lmb_bind_pose(const lmb_character *character, const lmb_allocator *alloc,
                                 lmb_mat4 *model_from_joint, lmb_error *error);

typedef struct lmb_bind_opts {
    const lmb_skeleton *skeleton; ///< in scene space
    const uint8_t *deforms;       ///< [skeleton joint_count], or NULL: all
    /// [skeleton joint_count], or NULL: joints that the character does not get, such as the nodes of
    /// the meshes that came with the skeleton. One that deforms, or has children, is kept.
    const uint8_t *dropped;
    /// The weights that the character has stay, joint by joint, known by their names. What a joint had that is gone goes
    /// to the nearest one above it that is left (the first joint where there is none); a new one shares the weight of the
    /// nearest one above it that was there, as `weights` solves for both; nothing else changes.
    bool keep_weights;
    lmb_weights_opts weights;
} lmb_bind_opts;

/// Binds every mesh of the character, as one body, to a given skeleton: replaces its scene tree by
/// the skeleton's joints (in their order but for `dropped`, followed by a node per mesh), its skins
/// and weights by new ones, and drops its clips. Skinned meshes are baked in their rest pose, or, where the skeleton
/// is the character's own, in the pose that they were bound in. Vertex order, seams,
/// materials and morph targets stay; extensions that name nodes (VRM) are dropped from the look.
/// `character` is unchanged on failure.
/// Errors: INVALID for a character without triangles and for a skeleton without deforming joints;
/// MEMORY; CANCELLED.
LMB_API lmb_result lmb_bind(lmb_character **character, const lmb_bind_opts *opts,
                            lmb_weights_report *report, const lmb_allocator *alloc,
                            lmb_error *error);

// ------------------------------------------------------------------------------ weights: comparing

/// Binds a character anew to its own skeleton, in the pose that its skins were bound in where they
/// agree on one, else at rest: weights of its welded surface there (*out_surface) for the joints
/// that its meshes follow. Errors: INVALID for a character
/// without triangles or without skins; MEMORY; CANCELLED.
LMB_API lmb_result lmb_weights_again(const lmb_character *character, const lmb_weights_opts *opts,
                                     const lmb_allocator *alloc, lmb_surface **out_surface,
                                     lmb_weights **out, lmb_error *error);

enum { LMB_WEIGHTS_MOVED = 12 };

/// Weight that was painted to one joint and given to another.
typedef struct lmb_weights_moved {
    uint32_t painted, given; ///< joints of the skeleton
    float l1;                ///< how much of l1_mean that is
} lmb_weights_moved;

/// How far rows are from painted ones: L1 is the sum of the differences of a row, from 0 to 2.
typedef struct lmb_weights_score {
    uint32_t vertex_count; ///< vertices that have painted rows
    float l1_mean, l1_median;
    /// fraction of the vertices whose largest weight belongs to the same joint
    float first_joint_share;
    uint32_t moved_count;
    lmb_weights_moved moved[LMB_WEIGHTS_MOVED]; ///< largest first
} lmb_weights_score;

/// Compares weights of the character's surface (lmb_weights_again) with the rows of its skinned
/// meshes. `errors`: NULL, or L1 of every vertex of all instances in order ([part_vertex_count] of
/// the surface), -1 where nothing is painted. Errors: INVALID when nothing is painted; MEMORY.
LMB_API lmb_result lmb_weights_compare(const lmb_character *character, const lmb_surface *surface,
                                       const lmb_weights *given, const lmb_allocator *alloc,
                                       lmb_weights_score *out, float *errors, lmb_error *error);

// ------------------------------------------------------------------------------- weights: editing

typedef enum lmb_weights_op {
    /// rows sum to 1; empty rows get the row of the nearest vertex that has one
    LMB_WEIGHTS_NORMALIZE = 0,
    /// removes weights below `least`, and below `fraction` of the row's largest; with `hops`, also
    /// those of joints farther than that from the row's strongest joint in the skeleton
    LMB_WEIGHTS_PRUNE,
    /// at most `influences` per vertex: removes those whose loss moves the vertex least, by lever
    /// arm; with `poses`, greedily by the error in those poses
    LMB_WEIGHTS_LIMIT,
    /// moves each row by the fraction `amount` toward the mean of its neighbours, `rounds` times,
    /// seams kept closed; with `spread`, `rounds` times W <- (1 + spread L)^-1 W, L the cotangent
    /// Laplacian with rows scaled to a diagonal of 1: as far as many small steps
    LMB_WEIGHTS_SMOOTH,
    /// gives `joint` the weight that `assign` and `value` say; the other joints of a row share the
    /// rest in proportion, without others the nearest ancestor in the skin takes it. Rows longer
    /// than `influences` lose their smallest other weights
    LMB_WEIGHTS_ASSIGN,
    /// gives `joint` the fraction `value` of the weight of the joint `from`
    LMB_WEIGHTS_MOVE,
} lmb_weights_op;

typedef enum lmb_weights_assign {
    LMB_ASSIGN_SET = 0, ///< the weight becomes `value`
    LMB_ASSIGN_ADD,     ///< `value` more, which may be negative
    LMB_ASSIGN_SCALE,   ///< `value` times as much
} lmb_weights_assign;

/// The vertices that an edit is for: those for which all hold that is given. Zero: every vertex.
typedef struct lmb_weights_selection {
    const uint32_t *joints; ///< [joint_count] follows one of these with more than `above`
    uint32_t joint_count;
    float above;               ///< in [0, 1)
    const uint32_t *instances; ///< [instance_count] belongs to one of these
    uint32_t instance_count;
    /// [piece_count] belongs to one of these connected pieces: lmb_surface_components of the
    /// character's surface (lmb_character_surface without options)
    const uint32_t *pieces;
    uint32_t piece_count;
    const lmb_box *box; ///< lies in it at rest, in metres; or NULL
    lmb_vec3 center;    ///< lies within `radius` of it at rest, where that is above 0
    float radius;
} lmb_weights_selection;

typedef struct lmb_weights_edit {
    lmb_weights_op op;
    lmb_weights_selection where;
    float least;         ///< 0 means 0.01
    uint32_t influences; ///< 0 means 4
    uint32_t rounds;     ///< 0 means 3
    float amount;        ///< in (0, 1]; 0 means 0.5
    float spread;        ///< SMOOTH: 0: explicit steps; at most 1e6, usually 1 to 10
    float fraction;      ///< PRUNE: fraction in [0, 1); 0: none
    /// PRUNE: bones between two joints; 0: any number. Joints whose regions are adjacent somewhere
    /// (each the strongest at one end of an edge) are never too far
    uint32_t hops;
    /// LIMIT: [pose_count][joint_count] model_from_joint of the whole skeleton, or NULL
    const lmb_mat4 *poses;
    uint32_t pose_count;
    uint32_t joint; ///< ASSIGN, MOVE: of the skeleton
    uint32_t from;  ///< MOVE: another joint of the skeleton
    lmb_weights_assign assign;
    float value; ///< ASSIGN; weights are clamped to 0 to 1. MOVE: 0 to 1
} lmb_weights_edit;

typedef struct lmb_weights_change {
    uint32_t vertex_count;            ///< of the skinned meshes
    uint32_t selected_count;          ///< of these, the ones that the edit was for
    uint32_t empty_count;             ///< empty rows that were filled
    uint32_t changed_count;           ///< vertices whose row changed
    uint32_t most_before, most_after; ///< most influences per vertex
    float lost_mean, lost_max;        ///< weight removed per vertex
    /// upper bound of a vertex's displacement by that when every removed joint rotates by 45
    /// degrees, in metres
    float shift_max;
    /// LIMIT with poses: displacement of a vertex in its worst pose
    float moved_mean, moved_max;
} lmb_weights_change;

/// Edits the weights of the skinned meshes, where the edit's selection holds; other vertices keep
/// their rows. After any operation the rows sum to 1 and none is empty. `character` is unchanged on
/// failure.
/// Errors: INVALID when there is no skinned mesh, when a skin has no weights at all, for a fraction,
/// a spread, a value, a joint, an instance or a piece out of range, for a selection that holds for
/// no vertex, for a joint to assign or to move to that the skin of a selected vertex lacks, for a
/// move from a joint to itself; MEMORY. `out` may be
/// NULL.
LMB_API lmb_result lmb_weights_apply(lmb_character **character, const lmb_weights_edit *edit,
                                     const lmb_allocator *alloc, lmb_weights_change *out,
                                     lmb_error *error);

typedef struct lmb_weights_audit {
    uint32_t vertex_count;
    uint32_t empty_count;  ///< rows without any weight
    uint32_t uneven_count; ///< rows whose sum differs from 1 by more than 1e-5
    uint32_t most;         ///< most influences per vertex
    uint32_t joint_count;  ///< joints of the skins
    uint32_t idle_count;   ///< of these, joints without any weight
} lmb_weights_audit;

/// Counts defects in the weights of all skinned meshes. Errors: MEMORY.
LMB_API lmb_result lmb_weights_check(const lmb_character *character, const lmb_allocator *alloc,
                                     lmb_weights_audit *out, lmb_error *error);

typedef enum lmb_mirror_side {
    LMB_MIRROR_FROM_LEFT = 0, ///< copies the left side to the right
    LMB_MIRROR_FROM_RIGHT,
} lmb_mirror_side;

typedef struct lmb_mirror_opts {
    lmb_mirror_side side;
    /// [joint_count] for a joint on the left its partner on the right, else LMB_NONE; or NULL.
    /// Names and positions add pairs
    const int32_t *right_of;
    uint32_t influences; ///< most joints per row; 0: as many as the longest row has
} lmb_mirror_opts;

typedef struct lmb_mirror_report {
    /// the mirror plane normal . p == offset; unit, pointing to the left, in scene space
    lmb_vec3 normal;
    float offset;
    uint32_t vertex_count; ///< of the skinned meshes
    uint32_t copied_count; ///< of these, vertices that got the row of their mirror image
    uint32_t
        seam_count; ///< vertices on the plane, whose row is the mean of itself and its mirror image
    /// vertices without surface at their mirror image, which keep their row
    uint32_t alone_count;
    uint32_t changed_count; ///< vertices whose row changed
    uint32_t pair_count;    ///< pairs of left and right joints
    uint32_t middle_count;  ///< joints that are their own mirror image
    /// joints with weight but no partner; their weight goes to the nearest ancestor with one
    uint32_t lone_joint_count;
    /// distance from the mirror images of copied vertices to the surface
    float distance_mean, distance_max;
} lmb_mirror_report;

/// Makes the weights of all skinned meshes symmetric: each vertex of the target side gets the
/// weights, with left and right joints swapped, of the surface point nearest to its mirror image,
/// within 5 % of the diagonal of the bounds. The plane is x = 0 unless the plane fitted to joint
/// pairs and surface is better. A second call changes nothing but rounding. `character` is
/// unchanged on failure.
/// In rows with more than `influences` joints, the largest weight that does not fit is subtracted
/// from all others, so that weights fade to 0.
/// Errors: INVALID when there is no skinned mesh, no triangle on the source side, no surface at the
/// mirror images of more than a quarter of the target side's vertices (the message names the joint
/// that most of them follow), or a joint of `right_of` out of range; MEMORY.
LMB_API lmb_result lmb_weights_mirror(lmb_character **character, const lmb_mirror_opts *opts,
                                      const lmb_allocator *alloc, lmb_mirror_report *out,
                                      lmb_error *error);

typedef struct lmb_transfer_opts {
    /// [joint_count of `from`] the target's joint, or LMB_NONE: by name, else that of the nearest
    /// ancestor; or NULL
    const int32_t *joints;
    /// largest distance of a match, as a fraction of the diagonal of the target's bounds; 0 means
    /// 0.05
    float distance_fraction;
    float angle_rad; ///< largest angle between the normals of a match; 0 means pi / 6
    bool two_sided;  ///< opposite normals match too, for cloth
    /// smoothing rounds of filled rows, and of matched ones within the match distance of them along
    /// the surface: each moves a row a fifth toward the mean of its neighbours; 0: none
    uint32_t rounds;
    uint32_t influences; ///< most joints per row; 0: as many as the longest row of `from` has
} lmb_transfer_opts;

typedef struct lmb_transfer_report {
    uint32_t vertex_count;  ///< that got rows
    uint32_t matched_count; ///< of these, matched to the closest point of the other character
    uint32_t filled_count;  ///< without a match, interpolated from others
    uint32_t nearest_count; ///< in pieces without any match, from the nearest point at any distance
    uint32_t joint_count;   ///< joints of `from` that have a counterpart
    bool bound;             ///< the target had no skin and got the skeleton too
    float distance_mean, distance_max; ///< of the matches
} lmb_transfer_report;

/// Transfers weights to the skinned meshes of a character from another one at the same position in
/// the rest pose. Matches (near closest point, similar normals) copy the row there; the other
/// vertices are interpolated with least bending and stretching per joint (Abdrashitov et al. 2023).
/// A character without skin is bound to the skeleton of `from`, as lmb_bind does. `character` is
/// unchanged on failure.
/// Errors: INVALID when `from` has no skinned triangles, nothing matches, or a joint is out of
/// range; MEMORY.
LMB_API lmb_result lmb_weights_transfer(lmb_character **character, const lmb_character *from,
                                        const lmb_transfer_opts *opts, const lmb_allocator *alloc,
                                        lmb_transfer_report *out, lmb_error *error);

// ------------------------------------------------------------------------------ weights: painting

/// Paints the weights of a character's skinned meshes with a brush. It works on the welded surface,
/// so seams stay closed, and records strokes for undo.
typedef struct lmb_painter lmb_painter;

typedef struct lmb_painter_opts {
    /// most joints per vertex after a stroke, at most 16; 0: as many as the longest row has, and at
    /// least 4
    uint32_t influences;
    /// the mirror plane normal . p == offset of strokes; a zero normal: none
    lmb_vec3 normal;
    float offset;
    /// [joint_count] for a joint on the left its partner on the right, else LMB_NONE; or NULL.
    /// Names and positions add pairs
    const int32_t *right_of;
} lmb_painter_opts;

typedef enum lmb_brush_op {
    LMB_BRUSH_ADD = 0, ///< adds falloff * value
    LMB_BRUSH_REPLACE, ///< moves the weight by the falloff toward `value`
    LMB_BRUSH_SCALE,   ///< moves by the falloff toward the weight times `value`
    LMB_BRUSH_SMOOTH,  ///< moves the row by the falloff toward the mean of the neighbours
    /// moves the row by the falloff toward the one at the mirror image, left and right swapped
    LMB_BRUSH_MIRROR,
    /// moves the weight by the falloff toward a linear gradient, `value` at `at` to `to_value` at `to`
    LMB_BRUSH_GRADIENT,
} lmb_brush_op;

/// The brush's weight at t, the distance over the radius.
typedef enum lmb_brush_falloff {
    LMB_FALLOFF_SMOOTH = 0, ///< 1 - 3 t^2 + 2 t^3
    LMB_FALLOFF_LINEAR,     ///< 1 - t
    LMB_FALLOFF_CONSTANT,   ///< 1
    LMB_FALLOFF_GAUSSIAN,   ///< exp(-4.5 t^2)
} lmb_brush_falloff;

typedef struct lmb_brush {
    lmb_brush_op op;
    uint32_t joint; ///< of the skeleton; SMOOTH and MIRROR affect all
    lmb_vec3 at;    ///< in scene space, in the rest pose; snaps to the nearest point of the skin
    float radius;   ///< in metres, along the edges of the skin
    float strength; ///< factor of the falloff, at most 1; 0 means 1
    float value;    ///< a weight, or a factor for SCALE
    lmb_vec3 to;    ///< GRADIENT: where it ends
    float to_value; ///< GRADIENT: value at `to`
    lmb_brush_falloff falloff;
    /// the radius is Euclidean, on connected skin whose normals agree with the one at the point
    bool straight;
    bool both_sides; ///< also at the mirror image, with the joint's partner
} lmb_brush;

/// Errors: INVALID when there is no skinned mesh, or a joint of `right_of` is out of range; MEMORY.
LMB_API lmb_result lmb_painter_create(const lmb_character *character, const lmb_painter_opts *opts,
                                      const lmb_allocator *alloc, lmb_painter **out,
                                      lmb_error *error);
LMB_API void lmb_painter_destroy(lmb_painter *painter);
/// The painted surface, owned by the painter; its parts are the character's instances.
LMB_API const lmb_surface *lmb_painter_surface(const lmb_painter *painter);
/// The row of a vertex of that surface, descending, with joints of the skeleton. Returns its
/// length. Valid until the next call.
LMB_API uint32_t lmb_painter_row(const lmb_painter *painter, uint32_t vertex,
                                 const lmb_influence **out);
/// Weights of locked joints do not change.
LMB_API void lmb_painter_lock(lmb_painter *painter, uint32_t joint, bool locked);
/// Applies the brush once; the first dab begins a stroke. What a joint gains, the other unlocked
/// joints lose in proportion, and vice versa; without any, the nearest unlocked ancestor takes the
/// rest. Rows sum to 1. Vertices without weights do not change.
/// Errors: INVALID for a joint out of range, a radius or strength that is not positive, no plane to
/// mirror at; MEMORY, with nothing changed except the first side of `both_sides`.
LMB_API lmb_result lmb_painter_dab(lmb_painter *painter, const lmb_brush *brush, lmb_error *error);
/// Also chooses the vertices of a loop of edges: the one along the edge nearest to a point of the skin. Two triangles that
/// meet at the longest edge of both and lie nearly in a plane count as a quad, whose diagonal is no edge. A loop goes
/// straight on where four edges meet, follows a border, and ends elsewhere. Errors: INVALID for a point
/// that is not finite; MEMORY.
LMB_API lmb_result lmb_painter_choose_loop(lmb_painter *painter, lmb_vec3 at, lmb_error *error);
/// So often takes in the neighbours of chosen vertices, or, below 0, leaves out those with neighbours
/// that are not chosen.
LMB_API void lmb_painter_choose_more(lmb_painter *painter, int32_t rings);
LMB_API void lmb_painter_choose_none(lmb_painter *painter);
/// [vertex_count] of the painter's surface: 1 where chosen; NULL before anything was.
LMB_API const uint8_t *lmb_painter_chosen(const lmb_painter *painter);
/// As lmb_painter_dab, on every chosen vertex alike: the brush has no place, radius or falloff. With `both_sides` also on
/// the vertices whose mirror images lie next to chosen ones.
LMB_API lmb_result lmb_painter_fill(lmb_painter *painter, const lmb_brush *brush, lmb_error *error);
/// Ends the stroke and limits its rows to `influences` weights. Returns how many vertices it
/// changed.
LMB_API uint32_t lmb_painter_end_stroke(lmb_painter *painter);
/// Undoes the last stroke; false when there is none.
LMB_API bool lmb_painter_undo(lmb_painter *painter);
/// Redoes the last undone stroke; false when there is none, or something was painted since.
LMB_API bool lmb_painter_redo(lmb_painter *painter);
/// Stores the rows in the character that the painter was made from, or a copy of it.
/// Errors: INVALID for another character; MEMORY. `character` is unchanged on failure.
LMB_API lmb_result lmb_painter_store(lmb_painter *painter, lmb_character **character,
                                     lmb_error *error);

typedef struct lmb_paint_report {
    uint32_t stroke_count, dab_count;
    uint32_t changed_count; ///< vertices, again for each stroke that changed them
} lmb_paint_report;

/// Paints a character's weights by a text of strokes, which docs/weights.md describes: the settings
/// of an lmb_brush and the points that it goes over, a line each. Joints are named, or are human
/// bones of a humanoid; the mirror plane is x = 0 unless the text has another. `character` is
/// unchanged on failure. Errors: MALFORMED with line and column, also for a joint that is not there
/// and for a text that paints nothing; INVALID as lmb_painter_create; MEMORY.
LMB_API lmb_result lmb_weights_paint(lmb_character **character, const void *text, size_t size,
                                     const lmb_allocator *alloc, lmb_paint_report *report,
                                     lmb_error *error);

#ifdef __cplusplus
}
#endif
#endif
