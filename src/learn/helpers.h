/// Helper joints learned from frames, for the room that puts them into a rig.
#ifndef LEARN_HELPERS_H
#define LEARN_HELPERS_H

#include "limber/learn.h"

typedef struct lmbi_learn_helpers_opts {
    /// Helpers that are added; 0: as many as pay, up to 32
    uint32_t helper_count;
    uint32_t influences; ///< most joints per vertex, up to LMB_LEARN_INFLUENCES; 0: 4
    float smooth;        ///< as in lmb_learn_opts
    uint32_t hold_out;   ///< as in lmb_learn_weights_opts
    const lmb_jobs *jobs;
    const lmb_progress *progress;
} lmbi_learn_helpers_opts;

/// Joints to be added to a rig. Helper h hangs on parents[h]; at rest it is at offsets[h] from it,
/// not rotated.
typedef struct lmbi_learned_helpers {
    uint32_t helper_count, frame_count, vertex_count;
    uint32_t *parents; ///< [helper_count] joint of the skeleton
    lmb_vec3 *offsets; ///< [helper_count] in the space of the parent
    /// [helper_count] root mean square distance of its skin from the helper, in the same unit
    float *radii;
    uint32_t *frames; ///< [frame_count] numbers of the frames that were learned from
    /// [frame_count][helper_count] parent_from_joint, without scale
    lmb_transform *motion;
    /// For each vertex of each instance its joints, of the skeleton or its joint_count + h; empty
    /// for instances without a skin
    lmb_influences influences;
    float rms_percent; ///< of the learned frames, as in lmb_learn_weights_report
    lmb_allocator allocator;
} lmbi_learned_helpers;

/// Helper joints where the joints of a rig cannot show the frames: rigid bones that are added to
/// those that are given (Mukai 2015, "Building helper bone rigs from examples"; Mukai and Kuriyama
/// 2016), each begun on a cluster of residual error over the surface, fitted as in lmb_learn_skin
/// while the rig's own joints stay, and hung on the joint that its skin follows most. The character
/// is not changed. `alloc` and `error` may be NULL.
/// Errors: those of lmb_learn_weights; INVALID for more than LMB_LEARN_BONES joints in all.
lmb_result lmbi_learn_helpers(const lmb_character *character, const lmb_learn_frames *frames,
                              const lmbi_learn_helpers_opts *opts, const lmb_allocator *alloc,
                              lmbi_learned_helpers **out, lmb_error *error);
void lmbi_learned_helpers_destroy(lmbi_learned_helpers *helpers);

#endif
