/// Bytes in, assets out, and back. Readers take (pointer, size), never a terminator, and convert at
/// once: assets are in metres, +Y up, UV origin top left. They never print and open no files: a
/// reader that needs another file asks the caller's loader.
#ifndef LIMBER_IO_H
#define LIMBER_IO_H

#include "limber/asset.h"
#include "limber/base.h"
#include "limber/mapping.h"
#include "limber/math.h"

#ifdef __cplusplus
extern "C" {
#endif

// ----------------------------------------------------------------------------- what formats share

/// The caller's access to files that a file names: an OBJ's .mtl, a glTF's .bin and pictures.
typedef struct lmb_loader {
    /// Gives the bytes of the file that is named `name` in the file being read. They must stay
    /// until release. False when there is no such file.
    ///
    /// `name` was judged by the reader, after its one decoding (%XX in glTF, nothing elsewhere): it
    /// is relative, its parts are divided by single slashes, and none is empty, "." or ".."; it has
    /// no colon and no control characters. It must not be decoded again. That no link leads out of
    /// the folder is for the loader to see to: lmb_file_read_below of limber/os.h does.
    bool (*load)(void *user, const char *name, lmb_bytes *out);
    void (*release)(void *user, lmb_bytes bytes); ///< may be NULL
    void *user;
} lmb_loader;

/// A direction of a file's axes.
typedef enum lmb_axis {
    LMB_AXIS_AUTO = 0, ///< guessed where there is something to guess from, else +Y
    LMB_AXIS_Y,
    LMB_AXIS_Z,
    LMB_AXIS_X,
    LMB_AXIS_NEGATIVE_Y,
    LMB_AXIS_NEGATIVE_Z,
    LMB_AXIS_NEGATIVE_X,
} lmb_axis;

/// "+Y", "-Z"; "auto" for LMB_AXIS_AUTO. A static string.
LMB_API const char *lmb_axis_name(lmb_axis axis);

#define LMB_NOTE_MAX 8

/// Something odd that a reader corrected or skipped. `text` is one sentence without a final stop.
typedef struct lmb_note {
    unsigned line; ///< from 1; 0 when it is about the whole file
    char text[124];
} lmb_note;

/// The first LMB_NOTE_MAX notes of a reading, and how many there were.
typedef struct lmb_notes {
    uint32_t count;
    lmb_note items[LMB_NOTE_MAX];
} lmb_notes;

// ----------------------------------------------------------------------------------------- formats

/// Formats of one file; docs/formats.md says what of each is read, guessed and refused. Those that
/// take two files have calls of their own below: lmb_asf_read, lmb_md5_read.
typedef enum lmb_format {
    LMB_FORMAT_GLTF = 0, ///< glTF 2.0: .glb or .vrm (by its magic), else .gltf text
    LMB_FORMAT_OBJ,      ///< Wavefront; mesh->source_position maps vertices back to `v` lines
    LMB_FORMAT_MTL,      ///< written: the materials beside an OBJ
    LMB_FORMAT_PLY,      ///< ascii or binary, any properties in any order
    LMB_FORMAT_OFF,      ///< OFF, COFF, NOFF and STOFF text; read
    LMB_FORMAT_STL,      ///< binary and ascii; equal positions are one vertex; read
    LMB_FORMAT_BVH,      ///< Biovision: a skeleton and one clip, "motion", without a mesh
    LMB_FORMAT_FBX,      ///< the skeletal part of 5000 to 7700, binary or ascii; read
    LMB_FORMAT_IQM,      ///< Inter-Quake Model of version 2; read
    LMB_FORMAT_C3D,      ///< markers: Intel, DEC or MIPS numbers, analog channels, events
    LMB_FORMAT_TRC,      ///< markers: text with tabs, commas or semicolons
    LMB_FORMAT_CSV,      ///< markers: a table with "NAME x", "NAME y", "NAME z" columns
    LMB_FORMAT_NPZ,      ///< markers: an .npz or .npy of frames x points x 3; read
    LMB_FORMAT_COUNT,
} lmb_format;

/// Zero is a good default for every format.
typedef struct lmb_read_opts {
    /// for files that a file names (OBJ: mtllib, glTF: buffers, all: pictures); NULL: they stay names
    const lmb_loader *loader;
    /// metres a unit of the file; 0: as the file says, else guessed (BVH), 0.01 (FBX) or 1. Not for
    /// glTF, which is in metres
    float unit_m;
    /// of the file; AUTO: guessed (BVH), +Z (IQM), else +Y. Not for glTF and FBX, which say
    lmb_axis up;
    lmb_notes *notes;   ///< filled when not NULL
    bool decimal_comma; ///< BVH: numbers are written 1,5
    /// BVH: a translation channel for every joint that has position channels, even where they repeat
    /// the offset in every frame; else only for joints that move
    bool keep_channels;
    struct lmb_bvh_info *bvh; ///< filled from a BVH when not NULL
    struct lmb_fbx_info *fbx; ///< filled from an FBX when not NULL
} lmb_read_opts;

/// Reads a character from the bytes of a file. `opts`, `alloc` and `error` may be NULL. Errors:
/// MALFORMED with line and column, or the byte; UNSUPPORTED for a variant that is not read, and for a
/// format that holds no character; MEMORY.
LMB_API lmb_result lmb_read(lmb_format format, const void *bytes, size_t size,
                            const lmb_read_opts *opts, const lmb_allocator *alloc,
                            lmb_character **out, lmb_error *error);

typedef struct lmb_write_opts {
    float unit_m; ///< metres a unit of the file; 0: what was read and 0.01 (BVH), else 1
    lmb_axis up;  ///< of the file; AUTO: what was read (BVH), else +Y
    bool text;    ///< glTF: .gltf instead of .glb; PLY: ascii instead of binary
    /// OBJ: name for the mtllib line; NULL: none is written, usemtl lines stay
    const char *material_library;
    uint32_t clip;     ///< BVH: which clip of the character
    float frame_rate;  ///< BVH, Hz; 0: the clip's own, or 30
    const char *order; ///< BVH: letters of "xyz" for joints that carry no order; NULL: "zxy"
} lmb_write_opts;

/// Writes a character: glTF the whole of it; BVH the skeleton and one clip; OBJ and PLY every
/// instance's mesh at its rest position in the scene, unskinned. What is read from the result equals
/// what was written, as far as the format holds it. `opts`, `alloc` and `error` may be NULL. Errors:
/// INVALID for a clip that does not exist or is longer than 100 million frames; UNSUPPORTED for a
/// format that is not written; MEMORY.
LMB_API lmb_result lmb_write(lmb_format format, const lmb_character *character,
                             const lmb_write_opts *opts, const lmb_allocator *alloc,
                             lmb_buffer *out, lmb_error *error);

/// What an archive of arrays may hold.
typedef enum lmb_content {
    LMB_CONTENT_BODY_MODEL = 0, ///< a .npz with the arrays of a body model
    /// a .npz or .npy with points over time: an array called positions, joints, keypoints,
    /// keypoints3d, markers or poses_3d, or a .npy, of frames x points x 3
    LMB_CONTENT_MARKERS,
    LMB_CONTENT_POINT_CACHE, ///< PC2 and NumPy by how they begin, MDD by its size
} lmb_content;
/// Whether the bytes look like that.
LMB_API bool lmb_content_is(lmb_content content, const void *bytes, size_t size);

// -------------------------------------------------------------------------------------------- glTF

/// The type of an array's numbers, by glTF's number.
typedef enum lmb_draco_type {
    LMB_DRACO_I8 = 5120,
    LMB_DRACO_U8 = 5121,
    LMB_DRACO_I16 = 5122,
    LMB_DRACO_U16 = 5123,
    LMB_DRACO_F32 = 5126,
} lmb_draco_type;

/// An attribute of a mesh that Draco compressed.
typedef struct lmb_draco_array {
    uint32_t id;         ///< its unique id in the compressed mesh
    uint32_t components; ///< 1..4
    lmb_draco_type type;
    void *out; ///< [vertex_count * components], tightly packed
} lmb_draco_array;

/// Decodes Draco meshes (KHR_draco_mesh_compression), for which the library needs one of the program.
typedef struct lmb_draco_decoder {
    void *user;
    /// Fills `indices` [index_count] with the corners of the triangles, and every array. NULL when it
    /// did; else what was found instead of such a mesh, as static text.
    const char *(*decode)(void *user, const void *bytes, size_t size, uint32_t vertex_count,
                          uint32_t *indices, uint32_t index_count, const lmb_draco_array *arrays,
                          uint32_t array_count);
} lmb_draco_decoder;

typedef struct lmb_gltf_read_opts {
    /// For buffers and pictures in other files: gets the URI percent-decoded. NULL: a buffer in
    /// another file is an error, a picture in another file keeps its URI. URIs with a scheme, an
    /// absolute path or ".." are never asked for.
    const lmb_loader *loader;
    lmb_notes *notes; ///< filled when not NULL
    /// NULL: a file that requires Draco is UNSUPPORTED.
    const lmb_draco_decoder *draco;
} lmb_gltf_read_opts;

/// Reads glTF 2.0: a .glb or .vrm (by its magic), else .gltf text.
///
/// Every node of the file becomes a joint of the one skeleton, in the order in which a viewer walks
/// the shown scene; skeleton->source_index gives the node's index. Matrices are taken apart into
/// translation, rotation and scale. What primitives share in the file's bytes they share in the
/// mesh's pool of vertices. Integers, normalised or not (KHR_mesh_quantization), become floats;
/// strips, fans and loops become lists; rows of weights are cleaned (no negative ones, no joint
/// twice) and made to sum to 1; a row of zeros belongs to its first joint, which an empty row says
/// of joint 0, and a weight that is no number counts as none. A primitive with nothing to draw, and
/// a channel with a number that is not finite, are left out with a note. What meshoptimizer packed
/// (EXT_meshopt_compression, KHR_meshopt_compression) is unpacked. Materials, textures, samplers,
/// cameras, scenes, extensions and extras are carried as JSON text and come back when written.
/// Errors: MALFORMED with line and column (text) or byte offset (GLB) and the path of the member;
/// UNSUPPORTED with the name of a required extension; MEMORY. `opts`, `alloc` and `error` may be
/// NULL.
LMB_API lmb_result lmb_gltf_read(const void *bytes, size_t size, const lmb_gltf_read_opts *opts,
                                 const lmb_allocator *alloc, lmb_character **out, lmb_error *error);

typedef struct lmb_gltf_write_opts {
    bool text;               ///< .gltf JSON with the buffer as a data URI instead of a binary .glb
    bool weights_u16;        ///< skin weights as normalised 16-bit integers; rows still sum to 1
    uint32_t max_influences; ///< strongest joints kept a vertex, then scaled to sum 1; 0: all
} lmb_gltf_write_opts;

/// Writes the character. Meshes, skins, clips, materials, textures and images keep their order;
/// nodes are in the file's order when skeleton->source_index is a permutation, so that extensions
/// that name nodes (VRM) stay true, else in skeleton order and without those extensions. Same
/// character, same bytes. What is read from the result equals what was written.
/// Primitives without corners, and meshes that have no others, are left out: the format has none.
/// Errors: UNSUPPORTED beyond 4 GiB; MEMORY.
LMB_API lmb_result lmb_gltf_write(const lmb_character *character, const lmb_gltf_write_opts *opts,
                                  const lmb_allocator *alloc, lmb_buffer *out, lmb_error *error);

/// What the author of a VRM permits beyond the strictest that VRM 1.0 knows: use by the author alone,
/// without profit, credited, unmodified, not given on. Bits.
typedef enum lmb_vrm_permit {
    LMB_VRM_EVERYONE = 1 << 0,              ///< anyone may appear as the character
    LMB_VRM_LICENSED = 1 << 1,              ///< those who have the author's permission
    LMB_VRM_PROFIT = 1 << 2,                ///< persons, with profit
    LMB_VRM_CORPORATION = 1 << 3,           ///< corporations too
    LMB_VRM_MODIFY = 1 << 4,                ///< modification
    LMB_VRM_REDISTRIBUTE_MODIFIED = 1 << 5, ///< and its redistribution
    LMB_VRM_REDISTRIBUTE = 1 << 6,          ///< redistribution as it is
    LMB_VRM_WITHOUT_CREDIT = 1 << 7,
    LMB_VRM_VIOLENCE = 1 << 8,
    LMB_VRM_SEXUAL = 1 << 9,
    LMB_VRM_POLITICAL = 1 << 10, ///< or religious use
    LMB_VRM_ANTISOCIAL = 1 << 11,
} lmb_vrm_permit;

/// Whose a VRM is: `meta` of VRMC_vrm 1.0.
typedef struct lmb_vrm_meta {
    const char *name, *author;
    const char *copyright;     ///< or NULL
    const char *other_licence; ///< URL of a further licence, or NULL
    uint32_t permits;          ///< LMB_VRM_… bits
} lmb_vrm_meta;

/// Writes a humanoid that came from no VRM as one (VRM 1.0, a GLB with VRMC_vrm), its bones found as
/// lmb_joint_map_of_character finds them. Expressions, gaze and springs are not made; one that came
/// from a VRM is written by lmb_gltf_write, with the licence that it has.
/// Errors: INVALID without a name or an author, or when the character has a licence already;
/// UNSUPPORTED when a bone that VRM requires is missing or hangs elsewhere, when the rest pose is no
/// T-pose or does not face +Z, with how far it is off; MEMORY.
LMB_API lmb_result lmb_vrm_write(const lmb_character *character, const lmb_vrm_meta *meta,
                                 const lmb_allocator *alloc, lmb_buffer *out, lmb_error *error);

// ------------------------------------------------------------------------------------ height fields

/// Reads an ESRI ASCII grid (ncols, nrows, cellsize or dx and dy, NODATA_value): rows from the
/// north, which is -z. Cells are in metres; the position of the grid on the map is ignored. Errors:
/// MALFORMED with line and column; MEMORY.
LMB_API lmb_result lmb_asc_read(const void *bytes, size_t size, const lmb_allocator *alloc,
                                lmb_height_field **out, lmb_error *error);

// -------------------------------------------------------------------------------------------- BVH

/// What was found in the file and what was guessed.
typedef struct lmb_bvh_info {
    uint32_t joint_count, root_count, end_site_count, channel_count;
    uint64_t declared_frames; ///< the `Frames:` line
    uint32_t frame_count;     ///< rows that were there
    double frame_time_s;
    float unit_m;
    lmb_axis up;      ///< up in the motion
    lmb_axis rest_up; ///< up in the offsets, which may differ
    bool unit_guessed, up_guessed;
    /// position channels were found to add to the offsets instead of replacing them
    bool positions_add;
    lmb_notes notes;
} lmb_bvh_info;

// -------------------------------------------------------------------------------------------- FBX

/// What was found in the file.
typedef struct lmb_fbx_info {
    uint32_t version; ///< 7400 for 7.4
    bool ascii;
    float unit_m;     ///< metres a unit of the file
    float frame_rate; ///< Hz, of the scene's time mode
    uint32_t model_count;
} lmb_fbx_info;

// ------------------------------------------------------------------------------------ ASF and AMC

typedef struct lmb_asf_read_opts {
    /// metres a unit of the file; 0: as the file's :units say (1/0.45 inch for the CMU database), or
    /// guessed where that does not give a person's height
    float unit_m;
    lmb_axis up;      ///< of the file; AUTO: guessed
    float frame_rate; ///< Hz, which the format does not store; 0: 120
    lmb_notes *notes; ///< filled when not NULL
} lmb_asf_read_opts;

/// Reads an Acclaim skeleton and, when `amc` is not NULL, a motion for it. A bone becomes the joint
/// at its start, under the bone's name; the joints' axes are the model's at rest. A bone's rotation
/// is C M C^-1, with C its axis and M the product of its degrees of freedom, the first listed
/// applied first. Bones with one limited degree of freedom become hinges, bones with none fixed
/// joints. The length degree of freedom is ignored. Ticks are frames. Errors: MALFORMED with line
/// and column (in the skeleton if it alone does not read either), INVALID for a cycle; MEMORY.
LMB_API lmb_result lmb_asf_read(const void *asf, size_t asf_size, const void *amc, size_t amc_size,
                                const lmb_asf_read_opts *opts, const lmb_allocator *alloc,
                                lmb_character **out, lmb_error *error);

// ------------------------------------------------------------------------------------ MD5 and IQM

typedef struct lmb_md5_read_opts {
    /// for pictures in other files: asked for by the shaders' names, also without their folders and
    /// with other extensions. NULL: materials stay without pictures
    const lmb_loader *loader;
    float unit_m;     ///< metres a unit of the file; 0: an inch, as in the games it was made for
    lmb_axis up;      ///< of the file; AUTO: +Z
    lmb_notes *notes; ///< filled when not NULL
} lmb_md5_read_opts;

typedef struct lmb_md5_anim {
    const char *name; ///< of the clip; NULL: "motion"
    lmb_bytes bytes;  ///< of a .md5anim
} lmb_md5_anim;

/// Reads a .md5mesh, .md5anim files for its joints, or (with `mesh` NULL) a .md5anim alone, whose
/// first frame becomes the rest pose. Meshes of the file are primitives of one mesh, their shaders
/// materials by name. The format gives every weight a position of its own; a vertex gets their mean
/// at rest, with a note where they differ, which linear blend skinning cannot represent. Errors:
/// MALFORMED with line and column, and INVALID for a motion of other joints. To know which file is
/// at fault, read the mesh alone first; MEMORY.
LMB_API lmb_result lmb_md5_read(const void *mesh, size_t mesh_size, const lmb_md5_anim *anims,
                                uint32_t anim_count, const lmb_md5_read_opts *opts,
                                const lmb_allocator *alloc, lmb_character **out, lmb_error *error);

// ----------------------------------------------------------------------------------- point caches

/// Positions of one mesh's vertices over time, in metres, +Y up.
typedef struct lmb_point_cache {
    uint32_t frame_count, point_count;
    float rate_hz;       ///< 0 where the file does not say
    lmb_vec3 *positions; ///< [frame_count][point_count], finite
    lmb_allocator allocator;
} lmb_point_cache;

typedef struct lmb_point_cache_opts {
    float unit_m; ///< metres a unit of the file; 0: 1
    lmb_axis up;  ///< of the file; AUTO: +Y
} lmb_point_cache_opts;

/// Reads PC2 (version 1), MDD, a .npy of frames x points x 3, or a .npz with such an array called
/// vertices, verts, positions, points, frames or poses. Destroy with lmb_point_cache_destroy.
/// Errors: MALFORMED with the byte for counts that the file's size does not bear out and for
/// positions that are not finite; those of NumPy archives; UNSUPPORTED for another version; MEMORY.
/// `opts`, `alloc` and `error` may be NULL.
LMB_API lmb_result lmb_point_cache_read(const void *bytes, size_t size,
                                        const lmb_point_cache_opts *opts,
                                        const lmb_allocator *alloc, lmb_point_cache **out,
                                        lmb_error *error);
LMB_API void lmb_point_cache_destroy(lmb_point_cache *cache);

// ------------------------------------------------------------------ body models and their motions

/// Reads a body model in the layout of SMPL, SMPL-H, SMPL-X or STAR as a .npz: v_template, f,
/// weights, kintree_table, J_regressor, and, where present, shapedirs and posedirs, whose number
/// gives the kind. Other arrays are skipped. Joints are called as an array joint_names says, or get
/// the published names where there are 24, 52 or 55. Errors: MALFORMED, with its name, for an
/// array that is missing or has a wrong shape; UNSUPPORTED for one that holds pickled objects, as
/// SMPL's J_regressor does before it is converted.
LMB_API lmb_result lmb_body_model_read(const void *bytes, size_t size, const lmb_allocator *alloc,
                                       lmb_body_model **out, lmb_error *error);
/// Writes the archive that lmb_body_model_read reads, in single precision, with joint_names (64 ASCII
/// characters each). Errors: UNSUPPORTED for more than 2 GiB; MEMORY.
LMB_API lmb_result lmb_body_model_write(const lmb_body_model *model, const lmb_allocator *alloc,
                                        lmb_buffer *out, lmb_error *error);

/// Reads `poses` (frames x 3 joints; AMASS, SMPL-H, SMPL-X), or `root_orient` with `pose_body`,
/// `pose_jaw`, `pose_eye` and `pose_hand`, or `global_orient` with `body_pose`, or `smpl_poses`;
/// `trans`, `transl` or `smpl_trans`; `betas`; and mocap_framerate, mocap_frame_rate or fps. A .npy
/// is read as `poses`. One row is a pose. Axes stay those of the file. Errors: MALFORMED, with its name, for an array of a wrong shape; INVALID for numbers that
/// are not finite.
LMB_API lmb_result lmb_body_motion_read(const void *bytes, size_t size, const lmb_allocator *alloc,
                                        lmb_body_motion **out, lmb_error *error);
/// The up axis of the motion: the mean up direction of the body, by the rotations of the root.
LMB_API lmb_axis lmb_body_motion_up(const lmb_body_motion *motion);

/// Writes the motion as an archive with AMASS's names: poses, trans, betas, mocap_framerate and
/// gender ("neutral"). Axes stay those of the motion. Errors: MEMORY.
LMB_API lmb_result lmb_body_motion_write(const lmb_body_motion *motion, const lmb_allocator *alloc,
                                         lmb_buffer *out, lmb_error *error);

typedef struct lmb_body_motion_character_opts {
    lmb_axis up;      ///< of the motion; AUTO: lmb_body_motion_up
    float frame_rate; ///< Hz; 0: the motion's, or 30
    lmb_notes *notes; ///< filled when not NULL
} lmb_body_motion_character_opts;

/// The motion without a model: a skeleton of SMPL's joints (the first of 24, 52 of SMPL-H, or 55 of
/// SMPL-X), named, in T-pose, with one clip. Its bones are those of an average body of 1.70 m, made
/// from published fractions of stature, whatever the shape coefficients: rotations are exact,
/// positions are not. A motion whose feet are never within 0.3 m of the ground is moved onto it,
/// with a note. With a model, lmb_body_character_create gives both exactly. Errors: UNSUPPORTED for
/// other numbers of joints; INVALID for no frames; MEMORY.
LMB_API lmb_result lmb_body_motion_character(const lmb_body_motion *motion,
                                             const lmb_body_motion_character_opts *opts,
                                             const lmb_allocator *alloc, lmb_character **out,
                                             lmb_error *error);

// ------------------------------------------------------------------------- markers: C3D, TRC, CSV

typedef struct lmb_markers_read_opts {
    float unit_m; ///< metres a unit of the file; 0: as the file says, else guessed from the extent
    lmb_axis up;  ///< of the file; AUTO: guessed
    struct lmb_markers_info *info; ///< filled when not NULL
} lmb_markers_read_opts;

/// What was found in the file and what was guessed.
typedef struct lmb_markers_info {
    char encoding[32]; ///< "Intel floats", "DEC integers", "tabs", "commas"
    float unit_m;
    lmb_axis up;
    bool unit_guessed, up_guessed;
    uint64_t declared_frames;
    uint32_t gap_count;   ///< missing positions
    uint32_t other_count; ///< points of a C3D that are not positions (angles, forces), left out
    lmb_notes notes;
} lmb_markers_info;

typedef struct lmb_markers_write_opts {
    float unit_m; ///< metres a unit of the file; 0: 0.001 for C3D and TRC, 1 for a table
    lmb_axis up;  ///< of the file; AUTO: +Z for C3D, else +Y
} lmb_markers_write_opts;

/// Reads markers: C3D, TRC, CSV or NPZ. A gap is a point that no camera saw: a negative residual, a
/// coordinate that is not finite, an empty cell. `opts`, `alloc` and `error` may be NULL. Errors:
/// MALFORMED with the byte, or with line and column; UNSUPPORTED for a format without markers and
/// for analog channels without points; MEMORY.
LMB_API lmb_result lmb_markers_read(lmb_format format, const void *bytes, size_t size,
                                    const lmb_markers_read_opts *opts, const lmb_allocator *alloc,
                                    lmb_markers **out, lmb_error *error);
/// Writes C3D (Intel floats), TRC (without residuals) or CSV. `opts`, `alloc` and `error` may be
/// NULL. Errors: UNSUPPORTED for another format, for more than 65535 markers, 255 analog channels or
/// 255 events, labels longer than 127 bytes in all, or a unit that has no name; MEMORY.
LMB_API lmb_result lmb_markers_write(lmb_format format, const lmb_markers *markers,
                                     const lmb_markers_write_opts *opts, const lmb_allocator *alloc,
                                     lmb_buffer *out, lmb_error *error);

/// Writes a clip as a table with commas: frame, time, and for every joint the Euler angles of its
/// rotation relative to rest, in degrees, as lmb_quat_from_euler takes them for `order` (three
/// different letters of "xyz"; NULL: "zxy"), continuous over revolutions; before them, for roots,
/// px, py, pz in metres. `rate` in Hz; 0: the clip's own, or 30. Errors: INVALID for a clip that
/// does not exist or is longer than 100 million frames; MEMORY.
LMB_API lmb_result lmb_angles_csv_write(const lmb_character *character, uint32_t clip,
                                        const char *order, float rate, const lmb_allocator *alloc,
                                        lmb_buffer *out, lmb_error *error);

/// The joints of a clip as markers: their positions in the model at `rate` Hz (0: the clip's own,
/// or 30), one marker a joint. Errors: INVALID for a clip that does not exist or is longer than
/// 2^31 positions; MEMORY.
LMB_API lmb_result lmb_markers_of_clip(const lmb_character *character, uint32_t clip, float rate,
                                       const lmb_allocator *alloc, lmb_markers **out,
                                       lmb_error *error);
/// A character whose joints are the markers: animated roots, without meshes, and one clip. Across
/// gaps a joint moves linearly; before the marker's first and after its last valid frame it does
/// not move. A marker that is never valid stays at the origin.
LMB_API lmb_result lmb_markers_character(const lmb_markers *markers, const lmb_allocator *alloc,
                                         lmb_character **out, lmb_error *error);

// ---------------------------------------------------------------------------------- motion traits

/// The conventions that a skeleton, and a motion of it, were probably made in. Lengths are in the
/// units of the given skeleton.
typedef struct lmb_motion_guess {
    lmb_axis rest_up; ///< up in the rest pose
    lmb_axis up;      ///< up in the motion; rest_up without one
    /// unit, horizontal, in the motion's first frame; zero when left and right are not known
    lmb_vec3 facing;
    float body_height;     ///< estimated stature of a humanoid, or the extent of the rest pose
    bool humanoid;         ///< legs were found by name
    float unit_m;          ///< metres a unit
    float unit_confidence; ///< [0, 1]; below 0.5 it is a rough guess
} lmb_motion_guess;

/// Guesses up axis, facing and unit. `clip` may be NULL. Feet, hips, head and sides are found by
/// common names; without them, the spread of the joints decides. Units tried: mm, cm, dm, m,
/// inches, feet and the CMU database's 1/0.45 inch, against a human stature of 1.7 m. Errors:
/// MEMORY.
LMB_API lmb_result lmb_motion_guess_make(const lmb_skeleton *skeleton, const lmb_clip *clip,
                                         const lmb_allocator *alloc, lmb_motion_guess *out,
                                         lmb_error *error);

// ----------------------------------------------------------------------------------- OSC and VMC

#define LMB_VMC_SHAPES 128
#define LMB_VMC_PACKET 20480 ///< bytes that hold every frame as a packet

/// One frame of a VMC performer (Virtual Motion Capture protocol): local rotations and positions of
/// a humanoid's bones, the identity being T-pose. In metres, +Y up, facing +Z: Unity's left-handed
/// axes are mirrored.
typedef struct lmb_vmc_frame {
    double time_s;      ///< the sender's clock; without one, the time of arrival
    double arrived_s;   ///< the receiver's clock
    uint64_t bones;     ///< bit of every bone that was sent
    lmb_transform root; ///< position and rotation of the model
    lmb_transform local[LMB_HUMAN_BONE_COUNT];
    uint32_t shape_count;           ///< blend shapes received so far, in order of first appearance
    const char *const *shape_names; ///< [shape_count] owned by the maker of the frame
    float shapes[LMB_VMC_SHAPES];   ///< usually 0 to 1
} lmb_vmc_frame;

/// A frame as a VMC packet, one bundle: OK, T, Root/Pos, Blend/Val, Blend/Apply, Bone/Pos. Returns
/// its size, 0 when it does not fit: LMB_VMC_PACKET bytes hold every frame whose blend shapes have
/// names of at most 63 bytes.
LMB_API size_t lmb_vmc_write(const lmb_vmc_frame *frame, void *bytes, size_t capacity);
/// A recording as a character: the bones that were sent, under their names, below "root", with one
/// clip that has every frame as a key at its own time, the first at 0. Frames whose time does not
/// increase are left out. Bones whose positions were not sent take those of a body of 1.75 m.
/// Errors: INVALID for no frames, or none with hips; MEMORY.
LMB_API lmb_result lmb_vmc_character(const lmb_vmc_frame *frames, uint32_t count,
                                     const lmb_allocator *alloc, lmb_character **out,
                                     lmb_error *error);

// ---------------------------------------------------------------------------------- live receivers

typedef enum lmb_receiver_kind {
    /// Packets of the Virtual Motion Capture protocol. Blend shapes (Blend/Val) take effect when they
    /// are applied (Blend/Apply) or, for senders that never apply, at once, and keep their values
    /// until sent again; those that follow the bones of a frame belong to the next one.
    LMB_RECEIVER_VMC = 0,
    /// A motion in BVH's channels, frame by frame:
    /// - Axis Neuron's binary frames (Noitom): a header of 64 bytes, then floats: for every bone its
    ///   position and angles, or its angles alone, after those of a reference bone or not;
    /// - its text frames: the avatar's number and name, then the values, ended by "||";
    /// - a BVH file as text: the hierarchy, MOTION, Frames: (not believed), Frame Time:, then a row a
    ///   line until the stream ends.
    /// Invalid bytes are dropped up to where the next frame begins, and counted.
    LMB_RECEIVER_BVH,
} lmb_receiver_kind;

/// A motion received over a network while it is captured: assembles bytes to frames, keeps them for
/// a recording, and interpolates the newest for smooth playback.
typedef struct lmb_receiver lmb_receiver;

typedef struct lmb_receiver_opts {
    lmb_receiver_kind kind;
    /// how long playback lags behind the fastest frames, so that slower ones still arrive in time;
    /// 0 counts as 0.05
    double delay_s;
    /// BVH: a file with the skeleton of the frames; only its header is read. NULL: the stream's own
    /// hierarchy, else the 59 bones of a Noitom suit, in centimetres, +Y up. The positions of the
    /// suit's bones come with the frames, or are those of a body of 1.75 m.
    const void *skeleton;
    size_t skeleton_size;
    /// BVH: the order of angles where frames have angles of every bone: three different letters of
    /// "xyz"; NULL: "yxz", the default of Axis Neuron
    const char *order;
    double frame_rate; ///< BVH, Hz; 0: as Frame Time says, else as measured
    float unit_m;      ///< BVH: metres a unit; 0: guessed
    lmb_axis up;       ///< BVH
} lmb_receiver_opts;

typedef struct lmb_receiver_report {
    uint64_t packets;   ///< calls of lmb_receiver_receive
    uint64_t malformed; ///< VMC: packets dropped whole; BVH: runs of bytes that were dropped
    uint64_t messages;  ///< VMC: messages; BVH: frames of any kind
    uint64_t ignored;   ///< messages of other addresses or invalid; frames of other avatars
    uint64_t frames;
    uint64_t late;     ///< older, by the sender's clock or count, than one received before
    uint64_t missed;   ///< never received, by the sender's count or its usual interval
    uint64_t restarts; ///< how often the sender's clock or count restarted
} lmb_receiver_report;

/// `opts` may be NULL. Errors: MALFORMED for a skeleton that is not BVH; INVALID for an invalid
/// order; MEMORY.
LMB_API lmb_result lmb_receiver_create(const lmb_receiver_opts *opts, const lmb_allocator *alloc,
                                       lmb_receiver **out, lmb_error *error);
LMB_API void lmb_receiver_destroy(lmb_receiver *receiver);
/// Receives bytes at a time of the receiver's clock. `datagram`: no frame continues in the next
/// call, as in VMC always; else frames may be cut anywhere. Returns how many frames were completed.
/// A VMC frame is complete at the end of a bundle that brought as many bones as the previous frame
/// had, when the sender's clock advances, or when a bone is sent again. Frames for which memory runs
/// out count as missed.
LMB_API uint32_t lmb_receiver_receive(lmb_receiver *receiver, const void *bytes, size_t size,
                                      double now_s, bool datagram);
/// Completes the frame in progress, at the end of a recording. Returns 1 or 0.
LMB_API uint32_t lmb_receiver_flush(lmb_receiver *receiver, double now_s);
/// VMC: the oldest frame that was not yet returned; false when there is none. Up to 64 wait; beyond
/// that the oldest are lost (and counted as missed). Names of blend shapes live as long as the
/// receiver.
LMB_API bool lmb_receiver_next(lmb_receiver *receiver, lmb_vmc_frame *out);
/// The pose to show at a time of the receiver's clock: interpolated between the frames of that time
/// minus the delay; after the newest frame, that one. False before the first frame, and for BVH
/// before there is a character. `local` [joint_count] is of a character of this receiver, or of
/// lmb_vmc_character; joints that were not sent keep their values. VMC: `frame`, which may be NULL,
/// gets the same with its blend shapes. Allocates nothing.
LMB_API bool lmb_receiver_pose(const lmb_receiver *receiver, double now_s,
                               const lmb_skeleton *skeleton, lmb_transform *local,
                               lmb_vmc_frame *frame);
LMB_API lmb_receiver_report lmb_receiver_describe(const lmb_receiver *receiver);
/// BVH: the skeleton and all frames received so far, as lmb_read gives them: a key for every frame,
/// at its number in the sender's count. The clip is called "live". Errors: INVALID before the first
/// frame, and for VMC, whose frames lmb_vmc_character takes; MEMORY.
LMB_API lmb_result lmb_receiver_character(lmb_receiver *receiver, const lmb_allocator *alloc,
                                          lmb_character **out, lmb_error *error);

#ifdef __cplusplus
}
#endif
#endif
