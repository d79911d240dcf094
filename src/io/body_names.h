/// Which part of a body a joint's name means, in the spellings of common tools.
#ifndef IO_BODY_NAMES_H
#define IO_BODY_NAMES_H

#include "limber/math.h"

typedef enum lmbi_smpl_part {
    LMBI_PART_OTHER = 0,
    LMBI_PART_HIPS,
    LMBI_PART_THIGH,
    LMBI_PART_SHIN,
    LMBI_PART_FOOT,
    LMBI_PART_TOE,
    LMBI_PART_SHOULDER,
    LMBI_PART_NECK,
    LMBI_PART_HEAD,
} lmbi_smpl_part;

typedef enum lmbi_side { LMBI_SIDE_NONE = 0, LMBI_SIDE_LEFT, LMBI_SIDE_RIGHT } lmbi_side;

typedef struct lmbi_body_name {
    lmbi_smpl_part part;
    lmbi_side side;
} lmbi_body_name;

lmbi_body_name lmbi_body_name_of(const char *name);

/// Position of the average body's pelvis in a motion's own space at zero translation and rotation:
/// a model's origin is not its pelvis.
lmb_vec3 lmbi_body_motion_pelvis(void);

#endif
