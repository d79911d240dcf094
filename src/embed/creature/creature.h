/// The embedding of bodies as it is written, joint by joint.
#ifndef EMBED_CREATURE_CREATURE_H
#define EMBED_CREATURE_CREATURE_H

#include "embed/shape/shape.h"
#include "limber/embed.h"

// Positions are in the frame of a shape.

typedef struct lmbi_embedding_writer {
    const lmbi_frame *frame;
    lmb_embedding *out;
} lmbi_embedding_writer;

/// Starts an embedding without joints. `height` in units of the frame.
void lmbi_embedding_begin(lmbi_embedding_writer *c, lmb_skeleton_kind kind, const lmbi_frame *frame,
                          float height, lmb_embedding *out);
/// Adds a joint whose tip is the joint itself, and returns its index. `reason` is a static phrase.
/// Beyond LMB_EMBEDDING_JOINTS nothing is added, and the index is that of the last joint.
int32_t lmbi_embedding_add_joint(lmbi_embedding_writer *c, const char *name, int32_t parent,
                                 lmb_vec3 at, float confidence, const char *reason);
void lmbi_embedding_set_tip(lmbi_embedding_writer *c, int32_t joint, lmb_vec3 at);
/// Sets `overall` and the summary from `sure` (0 to 1) and a phrase. A joint with a confidence
/// below 0.1 lowers the confidence of the whole.
void lmbi_embedding_rate(lmb_embedding *e, float sure, const char *what);

/// The limit of a joint of any kind of body. Its rest frame has the axes of the model.
lmb_joint_limit lmbi_embedded_limit(const lmb_embedding *embedding, uint32_t joint);

#endif
