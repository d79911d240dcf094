/// What readers of game formats (MD5, IQM) hand over: one skinned mesh in pieces, and clips that
/// give every joint of every frame, in the file's units and axes.
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
    lmbi_arena arena; ///< of everything that is pointed to
    uint32_t joint_count;
    int32_t *parents;
    lmb_transform *rest; ///< parent_from_joint
    const char **names;
    lmb_mesh mesh;          ///< vertex_count 0: there is none
    const char **materials; ///< [mesh.primitive_count] or NULL; equal names are one material
    uint32_t clip_count;
    lmbi_skinned_clip *clips;
    const lmb_loader *loader; ///< for pictures; or NULL
    lmb_notes *notes;
} lmbi_skinned;

/// Converts in place and makes the character: the file's joints, one more that carries the mesh,
/// materials by name, with the pictures that lie beside the file. Rows of influences are cleaned (sorted, no joint twice, sum 1). Channels that
/// stay at rest are left out, those that stand still get one key.
lmb_result lmbi_skinned_build(lmbi_skinned *s, float unit_m, lmb_axis up,
                              const lmb_allocator *alloc, lmb_character **out, lmb_error *error);

/// A clip's channels of what moves, in the arena. False when memory runs out.
bool lmbi_skinned_channels(lmbi_skinned *s, const lmbi_skinned_clip *clip, lmb_clip *out);

#endif
