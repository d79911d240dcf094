/// The glTF writer's working state, shared by its files. Appending to a text never fails at once;
/// whether memory ran out is checked at the end. Steps that can fail otherwise return false with
/// the result set.
#ifndef IO_GLTF_WRITE_H
#define IO_GLTF_WRITE_H

#include "base/alloc.h"
#include "base/json.h"
#include "io/common.h"
#include "io/gltf/gltf.h"

enum { LMBI_GLTF_SETS_MAX = 64 };

typedef struct lmbi_gltf_out {
    const lmb_character *character;
    const lmb_gltf_write_opts *opts;
    const lmb_allocator *alloc;
    lmb_error *error;
    lmb_result result;
    lmbi_arena arena;

    lmbi_text text; ///< the JSON
    lmbi_json_out json;
    lmbi_text binary; ///< the buffer
    lmbi_text view_text, accessor_text;
    lmbi_json_out views, accessors; ///< elements of the arrays, without brackets
    uint32_t view_count, accessor_count;

    const lmbi_json *carried;  ///< look->carried, parsed; NULL when there is none
    bool keeps_order;          ///< nodes are in the order of the file they were read from
    uint32_t *node_of_joint;   ///< [joint_count]
    uint32_t *root_of_joint;   ///< [joint_count] the joint at the top of its tree
    uint32_t *extra_instances; ///< second and further instances of a joint: nodes of their own
    uint32_t extra_count;
    int32_t *mesh_number; ///< [mesh_count of the character] in the file; LMB_NONE: nothing to draw
    uint32_t mesh_count;  ///< in the file
    int32_t *instance_of_joint; ///< [joint_count] the first instance, or LMB_NONE
    bool *needs_root;           ///< [joint_count] roots to be children of `common_root`
    int32_t common_root;        ///< extra node above several trees that one skin spans, or LMB_NONE
    uint32_t node_count;

    struct lmbi_gltf_times **times; ///< key times written so far, by hash
} lmbi_gltf_out;

typedef struct lmbi_gltf_sparse {
    uint32_t count, index_type, index_view, value_view;
} lmbi_gltf_sparse;

typedef struct lmbi_gltf_accessor_def {
    int32_t view; ///< LMB_NONE: zeros, or sparse
    size_t offset;
    uint32_t component_type, count;
    const char *type;
    bool normalized;
    uint32_t bound_count; ///< components of low and high; 0: none are written
    float low[3], high[3];
    lmbi_gltf_sparse sparse; ///< count 0: dense
} lmbi_gltf_accessor_def;

bool lmbi_gltf_out_fail(lmbi_gltf_out *o, lmb_result code, const char *expected, const char *found);
void *lmbi_gltf_out_array(lmbi_gltf_out *o, size_t count, size_t size);

// ---- write_buffer.c

/// Pads the buffer to a multiple of 4 and returns its size: where the next view begins.
size_t lmbi_gltf_out_begin(lmbi_gltf_out *o);
/// Makes a view of the bytes appended since `begin`. stride and target of 0 are left out.
uint32_t lmbi_gltf_out_view(lmbi_gltf_out *o, size_t begin, uint32_t stride, uint32_t target);
uint32_t lmbi_gltf_out_accessor(lmbi_gltf_out *o, const lmbi_gltf_accessor_def *def);
void lmbi_gltf_out_floats(lmbi_gltf_out *o, const float *values, size_t count);
void lmbi_gltf_out_u16(lmbi_gltf_out *o, const uint32_t *values, size_t count);
void lmbi_gltf_out_u32(lmbi_gltf_out *o, const uint32_t *values, size_t count);
/// Least and greatest of each component, 1 to 3 of them.
void lmbi_gltf_out_bounds(lmbi_gltf_accessor_def *def, const float *values, uint32_t components,
                          size_t count);
/// GLB or text, into *out.
bool lmbi_gltf_out_finish(lmbi_gltf_out *o, lmb_buffer *out);

// ---- the parts of a file

bool lmbi_gltf_out_plan(lmbi_gltf_out *o);
/// Writes the look's carried top-level members, with scenes adapted to the nodes.
bool lmbi_gltf_out_carried(lmbi_gltf_out *o);
void lmbi_gltf_out_nodes(lmbi_gltf_out *o);
bool lmbi_gltf_out_number_meshes(lmbi_gltf_out *o);
bool lmbi_gltf_out_meshes(lmbi_gltf_out *o);
/// The morph targets of one run of vertices, as the JSON of a primitive's "targets".
void lmbi_gltf_out_targets(lmbi_gltf_out *o, lmbi_json_out *json, const lmb_mesh *mesh,
                           const lmb_primitive *primitive);
/// Views of JOINTS_k and WEIGHTS_k for all vertices of a mesh.
typedef struct lmbi_gltf_joint_views {
    uint32_t set_count;
    uint32_t joint_type, joint_size;
    uint32_t *joints, *weights; ///< [set_count] view indices
} lmbi_gltf_joint_views;
bool lmbi_gltf_out_joint_views(lmbi_gltf_out *o, const lmb_mesh *mesh, lmbi_gltf_joint_views *out);
/// Joint sets that the vertices of a primitive need.
uint32_t lmbi_gltf_out_joint_sets(const lmbi_gltf_out *o, const lmb_mesh *mesh,
                                  const lmb_primitive *primitive);
void lmbi_gltf_out_skins(lmbi_gltf_out *o);
bool lmbi_gltf_out_clips(lmbi_gltf_out *o);
void lmbi_gltf_out_look(lmbi_gltf_out *o);
/// Writes extensionsUsed and extensionsRequired.
bool lmbi_gltf_out_extensions(lmbi_gltf_out *o);

#endif
