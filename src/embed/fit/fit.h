/// Fitting a given skeleton into a mesh: joints before the fit, and new positions of those that the
/// embedding determines.
#ifndef EMBED_FIT_FIT_H
#define EMBED_FIT_FIT_H

#include "base/arena.h"
#include "limber/embed.h"

/// The bone of a placed joint: to the next placed one, or to the end of a limb.
typedef struct lmbi_fit_bone {
    bool known;
    lmb_vec3 from_end, to_end; ///< its end before and after the fit
} lmbi_fit_bone;

typedef struct lmbi_fit {
    const lmb_skeleton *from;
    const uint8_t *deforms; ///< or NULL
    const lmb_embedding *into;
    uint32_t count;
    lmb_mat4 *model;     ///< [count] model_from_joint of the skeleton at rest
    lmb_vec3 *at;        ///< [count] joint positions at rest
    lmb_quat *rotations; ///< [count] joint rotations at rest
    bool *placed;        ///< [count] whether the embedding determines `to`
    lmb_vec3 *to;
    lmbi_fit_bone *bones; ///< [count] of placed joints
    lmb_quat rotation;    ///< of the whole, from skeleton to mesh
    float scale;
    int32_t root; ///< the topmost placed joint
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
/// Sets the bone of a placed joint.
static inline void lmbi_fit_set_bone(lmbi_fit *f, int32_t joint, lmb_vec3 from_end, lmb_vec3 to_end)
{
    f->bones[joint] = (lmbi_fit_bone){true, from_end, to_end};
}

/// Where the bone of a joint ends at rest: at its tip, or in the joint itself.
static inline lmb_vec3 lmbi_fit_tip(const lmbi_fit *f, uint32_t joint)
{
    return f->from->tips ? lmb_mat4_point(f->model[joint], f->from->tips[joint]) : f->at[joint];
}

/// Joints, each a descendant of the one before. If `ends` is true the chain continues to from_end.
typedef struct lmbi_fit_chain {
    const int32_t *joints;
    uint32_t count;
    bool ends;
    lmb_vec3 from_end;
} lmbi_fit_chain;
/// Places a chain along a polyline of 2 points or more, at the fractions of length that it has at
/// rest, and aims each bone at the next joint.
void lmbi_fit_place_chain(lmbi_fit *fit, const lmbi_fit_chain *chain, const lmb_vec3 *line,
                          uint32_t line_count);

/// Matches the joints of a human by their meaning. Sets placed, to, bones, rotation, scale and
/// root. False if there are too few.
bool lmbi_fit_human(lmbi_fit *fit, const int32_t *humanoid);
/// Matches limbs by their ends. Errors: MEMORY. *out_found: enough joints are placed.
lmb_result lmbi_fit_limbs(lmbi_fit *fit, lmbi_arena *arena, bool *out_found, lmb_error *error);

#endif
