/// Leaves joints out of a skeleton that was found.
#ifndef AUTHOR_KEEP_H
#define AUTHOR_KEEP_H

#include "base/arena.h"
#include "limber/author.h"

/// Which joints of the embedding stay, by opts->keep and opts->drop: out[j] is the index of joint j,
/// or of the nearest joint above it that stays, among those that stay. Errors: INVALID for a name
/// that no joint has.
lmb_result lmbi_keep_find(const lmb_rig_opts *opts, const lmb_embedding *e,
                          uint16_t out[LMB_EMBEDDING_JOINTS], lmb_error *error);
/// Removes the joints that another stands for.
void lmbi_keep_joints(const uint16_t joints[LMB_EMBEDDING_JOINTS], lmb_embedding *e);
/// Gives the weights of removed joints to those that stand for them; rows only become shorter.
void lmbi_keep_weights(const uint16_t joints[LMB_EMBEDDING_JOINTS], uint32_t vertex_count,
                       lmb_influences *weights);

#endif
