/// Writes an embedding joint by joint, from positions in the frame of a shape.
#ifndef EMBED_CREATURE_EMBEDDING_WRITER_H
#define EMBED_CREATURE_EMBEDDING_WRITER_H

#include "embed/shape/frame.h"
#include "limber/embed.h"

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
/// The same with a numbered name: `stem` followed by `number`.
int32_t lmbi_embedding_add_numbered(lmbi_embedding_writer *c, const char *stem, uint32_t number,
                                    int32_t parent, lmb_vec3 at, float confidence,
                                    const char *reason);
void lmbi_embedding_set_tip(lmbi_embedding_writer *c, int32_t joint, lmb_vec3 at);
/// `axis` in the frame.
void lmbi_embedding_set_hinge(lmbi_embedding_writer *c, int32_t joint, lmb_vec3 axis);
/// Sets `overall` and the summary from `sure` (0 to 1) and a phrase. A joint with a confidence
/// below 0.1 lowers the confidence of the whole.
void lmbi_embedding_rate(lmbi_embedding_writer *c, float sure, const char *what);

/// The limit of a joint whose rest frame has the axes of the model.
lmb_joint_limit lmbi_creature_limit(const lmb_embedding *embedding, uint32_t joint);

#endif
