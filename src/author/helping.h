/// Shared by the steps of helper joints from frames.
#ifndef AUTHOR_HELPING_H
#define AUTHOR_HELPING_H

#include "author/correct.h"
#include "learn/helpers.h"
#include "limber/learn.h"

typedef struct lmbi_help {
    lmbi_correction c; ///< `character` is the one as it was
    const lmb_corrected_frames *frames;
    lmb_help_opts opts;
    const lmbi_learned_helpers *helpers;
    uint32_t joint_count;     ///< before helpers were added
    lmb_character def;        ///< the character being made; parts that do not change are shared
    lmb_pose_space **spaces;  ///< [helper_count] rotation vector and translation since rest
    lmb_pose_space_def *defs; ///< [helper_count]
    uint32_t driver_count;
} lmbi_help;

/// Skeleton, skins and meshes with the helpers into `def`. What was made stays there on failure.
lmb_result lmbi_help_make(lmbi_help *h, const lmb_allocator *alloc, lmb_error *error);
/// The pose spaces. Needs lmbi_help_make. Errors: those of lmb_pose_space_create.
lmb_result lmbi_help_predict(lmbi_help *h, lmb_error *error);
/// Sets the helpers' transforms in a pose of the others.
void lmbi_help_pose(const lmbi_help *h, lmb_transform *local);
/// The clips with keys of the helpers into `def`.
lmb_result lmbi_help_bake(lmbi_help *h, const lmb_allocator *alloc, lmb_error *error);

#endif
