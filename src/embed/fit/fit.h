/// Fitting a given skeleton into a mesh: joints before the fit, and new positions of those that the
/// embedding determines.
#ifndef EMBED_FIT_FIT_H
#define EMBED_FIT_FIT_H

#include "limber/embed.h"

/// The bone of a placed joint: to the next placed one, or to the end of a limb.
typedef struct lmbi_fit_bone {
    bool known;
    lmb_vec3 from_end, to_end; ///< its end before and after the fit
} lmbi_fit_bone;

typedef struct lmbi_fit {
    const lmb_skeleton *from;
    const lmb_embedding *into;
    uint32_t count;
    lmb_transform *model; ///< [count] model_from_joint of the skeleton at rest
    bool *placed;         ///< [count] whether the embedding determines `to`
    lmb_vec3 *to;         ///< [count]
    lmbi_fit_bone *bones; ///< [count] of placed joints
    lmb_quat rotation;    ///< of the whole, from skeleton to mesh
    int32_t root;         ///< the topmost placed joint
} lmbi_fit;

static inline lmb_vec3 lmbi_fit_at(const lmbi_fit *f, int32_t joint)
{
    return f->model[joint].translation;
}

/// Matches the joints of a human by their meaning. Sets placed, to, bones, rotation and root. False
/// if there are too few.
bool lmbi_fit_human(lmbi_fit *fit, const lmb_joint_map *map);
/// The same by the chains of any body. Errors: MEMORY. *out_found: enough chains match.
lmb_result lmbi_fit_chains(lmbi_fit *fit, const lmb_allocator *alloc, bool *out_found,
                           lmb_error *error);

#endif
