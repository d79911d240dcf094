/// A given skeleton on its way into a mesh: where its joints were, and where those go that have a
/// place.
#ifndef EMBED_FIT_FIT_H
#define EMBED_FIT_FIT_H

#include "base/arena.h"
#include "limber/embed.h"

/// A bone of the skeleton: from a placed joint to the next one, or to where a limb ends.
typedef struct lmbi_fit_bone {
    bool known;
    lmb_vec3 from_end, to_end; ///< where it ended, where it ends
} lmbi_fit_bone;

typedef struct lmbi_fit {
    const lmb_skeleton *from;
    const uint8_t *deforms; ///< or NULL
    const lmb_embedding *into;
    uint32_t count;
    lmb_mat4 *model;     ///< [count] model_from_joint of the skeleton as it stands
    lmb_vec3 *at;        ///< [count] joints of the skeleton as it stands
    lmb_quat *rotations; ///< [count] their rotations
    bool *placed;        ///< [count] `to` is known
    lmb_vec3 *to;
    lmbi_fit_bone *bones; ///< [count] of placed joints
    lmb_quat rotation;    ///< of the whole, skeleton to mesh
    float scale;
    int32_t root; ///< the placed joint above the others
} lmbi_fit;

static inline bool lmbi_fit_deforms(const lmbi_fit *f, uint32_t joint)
{
    return !f->deforms || f->deforms[joint];
}
static inline void lmbi_fit_set_position(lmbi_fit *f, int32_t joint, lmb_vec3 to)
{
    f->placed[joint] = true;
    f->to[joint] = to;
}
/// The bone of a placed joint.
static inline void lmbi_fit_set_bone(lmbi_fit *f, int32_t joint, lmb_vec3 from_end, lmb_vec3 to_end)
{
    f->bones[joint] = (lmbi_fit_bone){true, from_end, to_end};
}

/// Where the bone of a joint ends in the skeleton as it stands: at its tip, or in the joint itself.
static inline lmb_vec3 lmbi_fit_tip(const lmbi_fit *f, uint32_t joint)
{
    return f->from->tips ? lmb_mat4_point(f->model[joint], f->from->tips[joint]) : f->at[joint];
}

/// Joints, each below the one before; where `ends` is true their way goes on to from_end.
typedef struct lmbi_fit_chain {
    const int32_t *joints;
    uint32_t count;
    bool ends;
    lmb_vec3 from_end;
} lmbi_fit_chain;
/// Places a chain along a line of 2 points or more by shares of the length, and aims each bone at
/// the next joint.
void lmbi_fit_place_chain(lmbi_fit *fit, const lmbi_fit_chain *chain, const lmb_vec3 *line,
                          uint32_t line_count);

/// Joints of a human by what they are. Sets placed, bones, turn, scale, root. False: too few.
bool lmbi_fit_human(lmbi_fit *fit, const int32_t *humanoid);
/// Limbs by where they end. Errors: MEMORY. *out_found: enough of them.
lmb_result lmbi_fit_limbs(lmbi_fit *fit, lmbi_arena *arena, bool *out_found, lmb_error *error);

#endif
