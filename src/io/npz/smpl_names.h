/// The joints of SMPL, SMPL-H and SMPL-X: what the papers call them, in their order, and how they
/// hang.
#ifndef IO_NPZ_SMPL_NAMES_H
#define IO_NPZ_SMPL_NAMES_H

#include "limber/math.h"

/// Of the body; motions of it without hands have the first 22.
extern const char *const lmbi_smpl_names[24];

enum { LMBI_SMPL_BODY = 22, LMBI_SMPL = 24, LMBI_SMPL_H = 52, LMBI_SMPL_X = 55 };

/// Of the average body, over its soles, in metres.
#define LMBI_SMPL_PELVIS_HEIGHT 0.931f

/// The numbers of joints that are known: up to 24 (SMPL, cut short), 52 and 55.
bool lmbi_smpl_is_known(uint32_t joint_count);

typedef struct lmbi_smpl_joint {
    char name[24];
    int32_t parent;
    /// from the parent, in metres, on an average body in T-pose: not any model's own
    lmb_vec3 offset;
} lmbi_smpl_joint;

/// Joint j of a skeleton of that many joints, which are known.
void lmbi_smpl_joint_of(uint32_t joint_count, uint32_t j, lmbi_smpl_joint *out);

#endif
