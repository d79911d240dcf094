/// A parsed Acclaim skeleton (ASF) and motion (AMC), in file units and axes.
#ifndef IO_MOCAP_ASF_H
#define IO_MOCAP_ASF_H

#include "io/common.h"

/// Degrees of freedom of a bone, in the order of the motion's values. Letters: X Y Z translations,
/// x y z rotations, l the bone's length.
#define LMBI_ASF_DOFS 7

typedef struct lmbi_asf_bone {
    lmb_vec3 direction; ///< unit, in the model's axes at rest
    float length;
    float axis[3];      ///< degrees or radians, like all angles of the file
    char axis_order[4]; ///< letters x y z in the order they are applied
    char dofs[LMBI_ASF_DOFS + 1];
    float limits[LMBI_ASF_DOFS][2];
    uint32_t limit_count;
    int32_t parent;       ///< index of a bone; 0 is the root; LMB_NONE until the hierarchy is read
    uint32_t first_value; ///< in a row of the motion
} lmbi_asf_bone;

typedef struct lmbi_asf {
    const lmb_allocator *alloc;
    lmb_notes *notes;
    lmbi_names names;     ///< of the bones, in their order; 0 is "root"
    lmbi_asf_bone *bones; ///< [bone_count], the root first
    size_t bone_count, bone_capacity;
    float length_unit; ///< from the :units section; 1 when not given
    bool radians;
    lmb_vec3 root_position;
    uint32_t value_count; ///< in a row of the motion
    float *values;        ///< [frame_count][value_count]
    size_t stored, capacity;
    uint32_t frame_count;
    bool motion_radians;
} lmbi_asf;

/// Set alloc and notes, zero the rest. Free on any result.
lmb_result lmbi_asf_parse(lmbi_asf *asf, const void *bytes, size_t size, lmb_error *error);
/// Reads the motion, after the skeleton.
lmb_result lmbi_amc_parse(lmbi_asf *asf, const void *bytes, size_t size, lmb_error *error);
void lmbi_asf_free(lmbi_asf *asf);

#endif
