/// The humanoid template: names, parents, limits.
#ifndef EMBED_HUMAN_HUMANOID_H
#define EMBED_HUMAN_HUMANOID_H

#include "limber/embed.h"

/// The limit of a joint whose rest frame has the axes of the model.
lmb_joint_limit lmbi_humanoid_limit(const lmb_embedding *embedding, uint32_t joint);
/// Where the bone of a joint ends: at the child that continues it, or at its tip.
lmb_vec3 lmbi_bone_end(const lmb_embedding *embedding, uint32_t joint);

#endif
