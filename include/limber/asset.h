/// What every room meets on: mesh, skeleton, pose, clip, skin, markers, look, character. Plain
/// data.
///
/// Assets are visible structs of counts and pointers. `lmb_x_create(&def, …)` checks a definition
/// of the same type and copies it deeply into one block; `lmb_x_destroy` frees that block. Edit by
/// building a new one from a changed definition. Every array is counted in the asset's own units; a
/// NULL array with a count of 0 is "none".
/// Units: metres, seconds, radians; +Y up, characters face +Z.
#ifndef LIMBER_ASSET_H
#define LIMBER_ASSET_H

#include "limber/base.h"
#include "limber/math.h"
#include "limber/simd.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LMB_UV_SETS 8
#define LMB_COLOR_SETS 4
#define LMB_NONE (-1)

// ------------------------------------------------------------------------------------------- mesh

typedef enum lmb_topology {
    LMB_TRIANGLES = 0, ///< indices in threes, counter-clockwise front
    LMB_LINES,         ///< indices in twos
    LMB_POINTS,
} lmb_topology;

/// Which of the mesh's optional vertex arrays a primitive has.
enum {
    LMB_HAS_NORMALS = 1u << 0,
    LMB_HAS_TANGENTS = 1u << 1,
    LMB_HAS_INFLUENCES = 1u << 2,
    LMB_HAS_ENVELOPE = 1u << 3,
    LMB_HAS_UV0 = 1u << 8,     ///< shifted left by the set's index
    LMB_HAS_COLOR0 = 1u << 16, ///< shifted left by the set's index
};

/// A run of the mesh's indices drawn with one material. Indices are absolute in the mesh's vertex
/// arrays and lie in [first_vertex, first_vertex + vertex_count). Primitives may share vertices.
typedef struct lmb_primitive {
    const char *name; ///< group name (OBJ g), or NULL
    lmb_topology topology;
    uint32_t first_index, index_count;
    uint32_t first_vertex, vertex_count;
    uint32_t attributes; ///< LMB_HAS_… bits
    int32_t material;    ///< in lmb_appearance.materials, or LMB_NONE
    const char *carried; ///< JSON object text of unknown members, carried through, or NULL
} lmb_primitive;

/// A morph target: displacements added to the base, [vertex_count] each; normals and tangents may
/// be NULL.
typedef struct lmb_morph_target {
    const char *name;
    lmb_vec3 *positions;
    lmb_vec3 *normals;
    lmb_vec3 *tangents;
} lmb_morph_target;

/// One joint's pull on one vertex. `joint` indexes the skin's joint list.
typedef struct lmb_influence {
    uint32_t joint;
    float weight;
} lmb_influence;

/// Sparse rows, any number of influences a vertex: the row of vertex v is items[first[v] .. first[v
/// + 1]).
/// first has vertex_count + 1 entries. Rows are sorted by falling weight and sum to 1, or are
/// empty.
typedef struct lmb_influences {
    uint32_t *first;
    lmb_influence *items;
} lmb_influences;

enum {
    LMB_ENVELOPE_INFLUENCES = 4, ///< joints per vertex
    LMB_ENVELOPE_SETS = 1 + 3 * LMB_ENVELOPE_INFLUENCES,
};

/// One pool of vertices, drawn by one or more primitives. Vertices are in the order of the file.
typedef struct lmb_mesh {
    const char *name;
    uint32_t vertex_count;
    lmb_vec3 *positions;
    lmb_vec3 *normals;                ///< [vertex_count] or NULL
    lmb_vec4 *tangents;               ///< xyz and handedness w = +1 or -1; or NULL
    lmb_vec2 *uvs[LMB_UV_SETS];       ///< origin top left; or NULL
    lmb_vec4 *colors[LMB_COLOR_SETS]; ///< linear RGBA; or NULL
    uint32_t index_count;
    uint32_t *indices;
    uint32_t primitive_count;
    lmb_primitive *primitives;
    uint32_t target_count;
    lmb_morph_target *targets;
    float *target_weights;     ///< [target_count] at rest, or NULL for zeros
    lmb_influences influences; ///< first == NULL when unskinned
    /// [LMB_ENVELOPE_SETS][vertex_count] multi-weight enveloping (Wang and Phillips 2002), or NULL.
    /// Set 0: four joints of the skin, whole numbers, of which the first is the frame of reference.
    /// Set 1 + 3 k + r: the coefficients of row r of joint k's matrix. See lmb_envelope_skin.
    lmb_vec4 *envelope;
    /// The polygons as the file had them (OBJ): polygon k has the vertices
    /// polygons[polygon_first[k] ..
    /// polygon_first[k + 1]). polygon_count is 0 when the file had triangles only.
    uint32_t polygon_count;
    uint32_t *polygon_first;
    uint32_t *polygons;
    /// For each vertex, which position of the file it came from (OBJ splits at seams); NULL when
    /// one to one.
    uint32_t *source_position;
    const char *carried;
    lmb_allocator allocator; ///< set by create
} lmb_mesh;

/// Errors: INVALID for an index, count or primitive range out of bounds, a non-finite position, a
/// row that names no joint weight; MEMORY. `error` and `alloc` may be NULL.
LMB_API lmb_result lmb_mesh_create(const lmb_mesh *def, const lmb_allocator *alloc, lmb_mesh **out,
                                   lmb_error *error);
LMB_API void lmb_mesh_destroy(lmb_mesh *mesh);
/// The same mesh with its vertices in another order: vertex k of it is vertex order[k] of `mesh`,
/// with all that belongs to it. Triangles, polygons and primitives stay as they are, and in their
/// order. `order` has vertex_count entries. Errors: INVALID where it does not name every vertex
/// once, or takes one out of its primitive's vertices; as lmb_mesh_create. `error` and `alloc` may
/// be NULL.
LMB_API lmb_result lmb_mesh_reorder(const lmb_mesh *mesh, const uint32_t *order,
                                    const lmb_allocator *alloc, lmb_mesh **out, lmb_error *error);
// --------------------------------------------------------------------------------------- skeleton

/// How a joint may move, in the frame of its rest pose: q = rest.rotation * (swing * twist).
typedef enum lmb_joint_kind {
    LMB_JOINT_FREE = 0, ///< translates and rotates without limit
    LMB_JOINT_FIXED,
    LMB_JOINT_HINGE, ///< rotates about `axis`, between twist_min_rad and twist_max_rad
    LMB_JOINT_BALL,  ///< swings in a cone about `axis`, twists about it
} lmb_joint_kind;

typedef struct lmb_joint_limit {
    lmb_joint_kind kind;
    /// unit, in the joint's rest frame: hinge axis, or twist axis (along the bone) of a ball
    lmb_vec3 axis;
    float swing_rad;     ///< half-angle of the cone of a ball, where `side` is zero
    float twist_min_rad; ///< a range of a full revolution or more does not limit
    float twist_max_rad;
    /// An elliptic cone: unit, square to `axis`, in the rest frame. The swing's rotation vector
    /// (axis times angle) stays inside an ellipse in each quadrant of side and axis x side. Zero:
    /// the cone is round.
    lmb_vec3 side;
    float swing_side_rad[2]; ///< half-angles of the rotations about -side and about +side
    /// half-angles of the rotations about -(axis x side) and about +(axis x side)
    float swing_across_rad[2];
    bool has_box; ///< the translation is clamped too, whatever the kind
    /// of the translation less that of the rest pose, in the rest frame; metres
    lmb_box box;
} lmb_joint_limit;

/// A tree of named transforms. It is the whole scene graph: the nodes above, beside and below the
/// joints that skins use are joints of it too, so one pose drives everything. Parents precede
/// children; several roots are allowed.
typedef struct lmb_skeleton {
    const char *name;
    uint32_t joint_count;
    int32_t *parents;        ///< [joint_count], < own index, LMB_NONE for roots
    lmb_transform *rest;     ///< [joint_count] parent_from_joint at rest
    const char **names;      ///< [joint_count], never NULL entries; need not be unique
    lmb_joint_limit *limits; ///< [joint_count], or NULL when every joint is free
    /// [joint_count] end of a leaf bone in its joint's frame (BVH End Site); zero: none. Or NULL
    lmb_vec3 *tips;
    uint32_t *source_index; ///< [joint_count] index in the file's own order, or NULL when the same
    /// [joint_count] JSON object text of unknown members, entries may be NULL. Or NULL
    const char **carried;
    lmb_allocator allocator;
} lmb_skeleton;

/// Errors: INVALID for a parent at or after its child, a non-finite rest transform, a hinge or ball
/// whose axis is not unit, whose side is not square to it, or whose ranges are not finite or end
/// before they begin; MEMORY.
LMB_API lmb_result lmb_skeleton_create(const lmb_skeleton *def, const lmb_allocator *alloc,
                                       lmb_skeleton **out, lmb_error *error);
LMB_API void lmb_skeleton_destroy(lmb_skeleton *skeleton);
/// Index of the first joint of that name, or LMB_NONE.
LMB_API int32_t lmb_skeleton_find(const lmb_skeleton *skeleton, const char *name);

/// Whether a rotation since rest, inside its limit, is within `slack_rad` of the limit's end or
/// rim. A range no wider than the slack on both sides does not count.
LMB_API bool lmb_joint_limit_is_at(const lmb_joint_limit *limit, lmb_quat rest_from_joint,
                                   float slack_rad);

// ------------------------------------------------------------------------------------------- pose

/// Forward kinematics: model_from_joint = model_from_parent * parent_from_joint, parents first, no
/// recursion.
/// Many poses in one call take about half the time each: see pose_count. A pose has the same bits
/// in whatever company.
typedef struct lmb_pose_to_model_job {
    const lmb_skeleton *skeleton;
    /// [pose_count][joint_count] parent_from_joint; NULL: the rest pose
    const lmb_transform *local;
    lmb_mat4 root;              ///< applied above the roots; all zero counts as identity
    lmb_mat4 *model_from_joint; ///< [pose_count][joint_count] out
    uint32_t pose_count;        ///< 0 counts as 1
    const lmb_mat4 *roots;      ///< [pose_count] instead of `root`, or NULL
    /// [joint_count], affine, and [pose_count][joint_count] out: what skinning wants, made while
    /// the joints' matrices are still in registers; both or neither
    const lmb_mat4 *joint_from_bind;
    lmb_mat4 *model_from_bind;
    lmb_simd simd; ///< leave at zero
} lmb_pose_to_model_job;
LMB_API void lmb_pose_to_model(const lmb_pose_to_model_job *job);

// ------------------------------------------------------------------------------------------- clip

typedef enum lmb_path {
    LMB_PATH_TRANSLATION = 0, ///< 3 floats a key
    LMB_PATH_ROTATION,        ///< 4 floats a key, a quaternion x y z w
    LMB_PATH_SCALE,           ///< 3 floats a key
    LMB_PATH_WEIGHTS,         ///< morph weights: `width` floats a key, for the instance on `joint`
} lmb_path;

typedef enum lmb_interpolation {
    LMB_LINEAR = 0, ///< rotations: slerp
    LMB_STEP,
    LMB_CUBIC, ///< cubic Hermite: a key is in-tangent, value, out-tangent, tangents per tick
} lmb_interpolation;

/// One animated property of one joint. Before the first key and after the last the end values hold.
typedef struct lmb_channel {
    uint32_t joint; ///< in the character's skeleton
    lmb_path path;
    lmb_interpolation interpolation;
    uint32_t width;     ///< floats a value: 3, 4 or the number of morph targets
    uint32_t key_count; ///< at least 1
    float *ticks;       ///< [key_count], rising
    float *values;      ///< [key_count][width], or [key_count][3][width] for LMB_CUBIC
} lmb_channel;

typedef struct lmb_clip {
    const char *name;
    float ticks_per_s; ///< 0 counts as 1: ticks are seconds
    float duration;    ///< in ticks
    float frame_rate;  ///< of the recording, in Hz, 0 when unknown
    uint32_t channel_count;
    lmb_channel *channels;
    const char *carried;
    lmb_allocator allocator;
} lmb_clip;

/// Errors: INVALID for ticks that do not rise, a width that does not fit the path, non-finite
/// values; MEMORY.
LMB_API lmb_result lmb_clip_create(const lmb_clip *def, const lmb_allocator *alloc, lmb_clip **out,
                                   lmb_error *error);
LMB_API void lmb_clip_destroy(lmb_clip *clip);
LMB_API float lmb_clip_duration_s(const lmb_clip *clip);

// ------------------------------------------------------------------------------------------- skin

/// Which joints deform meshes, and from where. The skinning matrix of joint k is
/// model_from_bind[k] = model_from_joint[joints[k]] * joint_from_bind[k].
typedef struct lmb_skin {
    const char *name;
    uint32_t joint_count;
    uint32_t *joints;          ///< [joint_count] in the skeleton
    lmb_mat4 *joint_from_bind; ///< [joint_count] inverse bind matrices
    bool bind_was_missing;     ///< the file had none: all identity
    int32_t root;              ///< the file's stated common root in the skeleton, or LMB_NONE
    const char *carried;
    lmb_allocator allocator;
} lmb_skin;

LMB_API lmb_result lmb_skin_create(const lmb_skin *def, const lmb_allocator *alloc, lmb_skin **out,
                                   lmb_error *error);
LMB_API void lmb_skin_destroy(lmb_skin *skin);
/// model_from_bind[k] for every joint of the skin.
LMB_API void lmb_skin_palette(const lmb_skin *skin, const lmb_mat4 *model_from_joint,
                              lmb_mat4 *model_from_bind);

// ------------------------------------------------------------------------------------- body model

/// What the correctives of a body model listen to. Joint 0 has none.
typedef enum lmb_pose_features {
    LMB_FEATURES_NONE = 0,
    LMB_FEATURES_MATRIX,     ///< 9 a joint: R - I, row after row (SMPL, Loper et al. 2015)
    LMB_FEATURES_QUATERNION, ///< 4 a joint: x y z w-1 (STAR, Osman et al. 2020)
} lmb_pose_features;

/// A body learned from scans: a mesh that follows shape coefficients, with displacements that
/// follow the pose, on a skeleton whose joints are weighted means of vertices. +Y up, metres,
/// standing in its own rest pose.
typedef struct lmb_body_model {
    const char *name;
    uint32_t vertex_count, joint_count, index_count, shape_count, feature_count;
    lmb_vec3 *positions; ///< [vertex_count] of the mean shape
    /// [shape_count][vertex_count] displacements for a coefficient of 1
    lmb_vec3 *shape_directions;
    lmb_vec3 *pose_directions; ///< [feature_count][vertex_count]
    lmb_pose_features features;
    /// One more feature at the end: shape coefficient 1 (STAR). feature_count is 9 or 4 times
    /// (joint_count - 1), and this.
    bool feature_of_shape;
    int32_t *parents;   ///< [joint_count], < own index, LMB_NONE for the root, joint 0
    const char **names; ///< [joint_count]
    lmb_influences influences;
    /// Joint j is the sum of regressor_weights[k] times vertex regressor_vertices[k] of the shaped
    /// body, for k from regressor_first[j] to regressor_first[j + 1].
    uint32_t *regressor_first; ///< [joint_count + 1]
    uint32_t *regressor_vertices;
    float *regressor_weights;
    uint32_t *indices; ///< [index_count] triangles
    lmb_allocator allocator;
} lmb_body_model;

LMB_API void lmb_body_model_destroy(lmb_body_model *model);

/// A recorded motion of a body model, such as AMASS holds. lmb_body_motion_destroy frees the arrays
/// one by one.
typedef struct lmb_body_motion {
    uint32_t frame_count, joint_count, shape_count;
    float frame_rate;       ///< Hz; 0 when unknown
    lmb_vec3 *rotations;    ///< [frame_count][joint_count] axis times angle in radians
    lmb_vec3 *translations; ///< [frame_count] metres
    float *shape;           ///< [shape_count] coefficients
    lmb_allocator allocator;
} lmb_body_motion;
LMB_API void lmb_body_motion_destroy(lmb_body_motion *motion);

// ---------------------------------------------------------------------------------------- markers

/// Points that cameras measured on a body over time (C3D, TRC), or joints' positions over time.
/// What belongs to marker m in frame f is at [f * marker_count + m].
typedef struct lmb_markers {
    const char *name;
    uint32_t marker_count, frame_count;
    float frame_rate;    ///< Hz; 0 when unknown
    int32_t first_frame; ///< the number that the recording gives its first frame
    const char **names;  ///< [marker_count] labels; need not be unique
    lmb_vec3 *positions; ///< [frame_count * marker_count] metres, +Y up; zero in gaps
    /// [frame_count * marker_count] 1: the marker was measured; 0: it was not (a gap). A definition
    /// may leave it NULL, which says that all were; never NULL in what create gives.
    uint8_t *seen;
    /// [frame_count * marker_count] metres by which the cameras' rays missed each other, 0 in gaps;
    /// or NULL
    float *residuals;
    /// What other devices measured meanwhile (forces, muscles): channels, and samples of each a
    /// frame. Sample s of channel c in frame f is analog[(f * analog_per_frame + s) * analog_count
    /// + c], in the channel's own unit.
    uint32_t analog_count, analog_per_frame;
    const char **analog_names; ///< [analog_count]
    const char **analog_units; ///< [analog_count] "N", "V" and the like, "" where nobody says
    float *analog;
    uint32_t event_count;
    struct lmb_marker_event *events; ///< [event_count]
    lmb_allocator allocator;
} lmb_markers;

/// Something that happens at a moment of a recording: a foot that strikes, a trial that begins.
typedef struct lmb_marker_event {
    const char *name;    ///< "Foot Strike"
    const char *context; ///< whom it is about: "Left", "Right", "General"; "" where nobody says
    float time_s;        ///< since the first frame
} lmb_marker_event;

/// Copies; positions in gaps become zero, whatever they were. Errors: INVALID for a position that
/// was seen and is not finite, a frame rate or a residual that is negative or not finite, an analog
/// sample or the time of an event that is not finite, more than 2^31 positions or samples;
/// MEMORY.
LMB_API lmb_result lmb_markers_create(const lmb_markers *def, const lmb_allocator *alloc,
                                      lmb_markers **out, lmb_error *error);
LMB_API void lmb_markers_destroy(lmb_markers *markers);

// ------------------------------------------------------------------------------------ heights

/// A field of heights over the ground, as of terrain: vertex (i, k) is at x = i * spacing, z = k *
/// spacing and y = heights[k * columns + i]. Each cell is two triangles that share the diagonal
/// from (i, k) to (i + 1, k + 1). A height that is NaN is a hole: the cells about it are not there.
typedef struct lmb_height_field {
    uint32_t columns, rows; ///< vertices along x and z, at least 2
    float spacing[2];       ///< along x and z, metres, above 0
    float *heights;         ///< [rows * columns] metres
    lmb_allocator allocator;
} lmb_height_field;

/// Copies. Errors: INVALID for fewer than 2 x 2 or more than 2^28 heights, an infinite height, a
/// spacing that is not above 0; MEMORY.
LMB_API lmb_result lmb_height_field_create(const lmb_height_field *def, const lmb_allocator *alloc,
                                           lmb_height_field **out, lmb_error *error);
LMB_API void lmb_height_field_destroy(lmb_height_field *heights);

// ------------------------------------------------------------------------------------------- look

typedef struct lmb_image {
    const char *name;
    const char *mime; ///< "image/png", or NULL
    const char *uri;  ///< when the picture is a file beside; bytes then may be NULL
    uint8_t *bytes;
    size_t byte_count;
    const char *carried;
} lmb_image;

/// A glTF material. What Limber draws with is spelled out; `gltf` is the material's whole JSON text
/// and is what is written back when present. Texture indices in it refer to lmb_appearance.textures.
typedef struct lmb_material {
    const char *name;
    lmb_vec4 base_color;
    int32_t base_color_texture; ///< in lmb_appearance.textures, or LMB_NONE
    float metallic, roughness;
    bool double_sided;
    bool alpha_blend;
    const char *gltf;
} lmb_material;

typedef struct lmb_texture {
    int32_t image;    ///< LMB_NONE when an extension provides it
    const char *gltf; ///< the texture's whole JSON text, or NULL
} lmb_texture;

/// Everything about appearance, carried through untouched.
typedef struct lmb_appearance {
    uint32_t material_count, texture_count, image_count, sampler_count;
    lmb_material *materials;
    lmb_texture *textures;
    lmb_image *images;
    const char **samplers; ///< JSON object text each
    /// JSON object text of the file's other top-level members (cameras, extensions, extras …), or
    /// NULL
    const char *carried;
    const char *extensions_used, *extensions_required; ///< JSON array text, or NULL
    lmb_allocator allocator;
} lmb_appearance;

LMB_API lmb_result lmb_appearance_create(const lmb_appearance *def, const lmb_allocator *alloc,
                                         lmb_appearance **out, lmb_error *error);
LMB_API void lmb_appearance_destroy(lmb_appearance *look);

// -------------------------------------------------------------------------------------- character

/// A mesh placed in the scene. With a skin, the joint's own transform does not move it (glTF 2.0,
/// 3.7.3.3).
typedef struct lmb_instance {
    uint32_t joint; ///< the node that carries it
    uint32_t mesh;
    int32_t skin;          ///< or LMB_NONE
    float *target_weights; ///< [target_count of the mesh], overrides the mesh's; or NULL
} lmb_instance;

/// The whole: scene tree, meshes, skins, clips, appearance. Owns the assets it points to.
typedef struct lmb_character {
    const char *name;
    lmb_skeleton *skeleton;     ///< never NULL
    lmb_appearance *appearance; ///< or NULL
    uint32_t mesh_count, skin_count, clip_count, instance_count;
    lmb_mesh **meshes;
    lmb_skin **skins;
    lmb_clip **clips;
    lmb_instance *instances;
    lmb_allocator allocator;
} lmb_character;

/// Checks that every index holds (instances, skins, channels, influences against their skin,
/// materials), copies the arrays of pointers, and takes over the assets. On failure the assets stay
/// the caller's.
LMB_API lmb_result lmb_character_create(const lmb_character *def, const lmb_allocator *alloc,
                                        lmb_character **out, lmb_error *error);
/// Frees the character and every asset it owns.
LMB_API void lmb_character_destroy(lmb_character *character);
/// Frees the character alone and leaves its assets to the caller. How one is edited: copy the
/// struct, change pointers in the copy, create a new character from it, then release the old one.
LMB_API void lmb_character_release(lmb_character *character);
/// How the morph weights of a whole character lie in one array: those of joint j, where an instance
/// with morph targets sits, are weights[first[j]] to weights[first[j + 1]]. `first` has joint_count
/// + 1 entries. `rest`, when not NULL, gets the weights at rest: the instance's own, else its
/// mesh's, else 0. Returns first[joint_count].
LMB_API uint32_t lmb_character_weights(const lmb_character *character, uint32_t *first,
                                       float *rest);

#ifdef __cplusplus
}
#endif
#endif
