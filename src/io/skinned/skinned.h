/// The common result of readers of game formats (MD5, IQM): one skinned mesh in parts, and clips
/// with a transform for every joint in every frame, in the file's units and axes.
#ifndef IO_SKINNED_SKINNED_H
#define IO_SKINNED_SKINNED_H

#include "base/arena.h"
#include "io/common.h"

typedef struct lmbi_skinned_clip {
    const char *name;
    float frame_rate; ///< Hz
    uint32_t frame_count;
    lmb_transform *poses; ///< [frame_count][joint_count] parent_from_joint
} lmbi_skinned_clip;

typedef struct lmbi_skinned {
    lmbi_arena arena; ///< holds everything that is pointed to
    uint32_t joint_count;
    int32_t *parents;
    lmb_transform *rest; ///< parent_from_joint
    const char **names;
    lmb_mesh mesh;          ///< vertex_count 0: no mesh
    const char **materials; ///< [mesh.primitive_count] or NULL; equal names are one material
    uint32_t clip_count;
    lmbi_skinned_clip *clips;
    const lmb_loader *loader; ///< for pictures; or NULL
    lmb_notes *notes;
} lmbi_skinned;

/// Converts in place and makes the character: the file's joints, one more that carries the mesh,
/// materials by name, with the pictures that lie beside the file. Influences are cleaned (sorted,
/// no joint twice, sum 1). Channels that equal the rest pose are left out, constant ones get one
/// key.
lmb_result lmbi_skinned_build(lmbi_skinned *s, float unit_m, lmb_axis up,
                              const lmb_allocator *alloc, lmb_character **out, lmb_error *error);

/// Makes a clip's channels, in the arena; joints that do not move get none. False when memory runs
/// out.
bool lmbi_skinned_channels(lmbi_skinned *s, const lmbi_skinned_clip *clip, lmb_clip *out);

#endif
