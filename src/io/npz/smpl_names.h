/// The joints of SMPL, SMPL-H and SMPL-X: their names in the papers, their order and their parents.
#ifndef IO_NPZ_SMPL_NAMES_H
#define IO_NPZ_SMPL_NAMES_H

#include "limber/math.h"

/// Joints of the body; motions without hands have the first 22.
extern const char *const lmbi_smpl_names[24];

enum { LMBI_SMPL_BODY = 22, LMBI_SMPL = 24, LMBI_SMPL_H = 52, LMBI_SMPL_X = 55 };

/// Height of the average body's pelvis over its soles, in metres.
#define LMBI_SMPL_PELVIS_HEIGHT 0.931f

/// Whether a skeleton of that many joints is known: up to 24 (SMPL, truncated), 52 and 55.
bool lmbi_smpl_is_known(uint32_t joint_count);

typedef struct lmbi_smpl_joint {
    char name[24];
    int32_t parent;
    /// from the parent, in metres, on an average body in T-pose: not any model's own
    lmb_vec3 offset;
} lmbi_smpl_joint;

/// Joint j of a skeleton of that many joints, which must be known.
void lmbi_smpl_joint_of(uint32_t joint_count, uint32_t j, lmbi_smpl_joint *out);

#endif
