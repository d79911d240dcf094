/// Writing an embedding joint by joint, from places in a survey's frame.
#ifndef EMBED_CREATURE_EMBEDDING_WRITER_H
#define EMBED_CREATURE_EMBEDDING_WRITER_H

#include "embed/creature/stand.h"
#include "limber/embed.h"

typedef struct lmbi_embedding_writer {
    const lmbi_frame *frame;
    lmb_embedding *out;
} lmbi_embedding_writer;

/// An embedding without joints. `height` in units of the frame.
void lmbi_embedding_begin(lmbi_embedding_writer *c, lmb_skeleton_kind kind, const lmbi_frame *frame,
                          float height, lmb_embedding *out);
/// Index of the new joint, its tip at itself. `reason` is a static phrase. Joints beyond
/// LMB_EMBEDDING_JOINTS are left out; the index is then that of the last one.
int32_t lmbi_embedding_add_joint(lmbi_embedding_writer *c, const char *name, int32_t parent,
                                 lmb_vec3 at, float confidence, const char *reason);
/// The same with a number or a side in the name: printf of one %s and one %u.
int32_t lmbi_embedding_add_numbered(lmbi_embedding_writer *c, const char *stem, uint32_t number,
                                    int32_t parent, lmb_vec3 at, float confidence,
                                    const char *reason);
void lmbi_embedding_set_tip(lmbi_embedding_writer *c, int32_t joint, lmb_vec3 at);
/// `axis` in the frame.
void lmbi_embedding_set_hinge(lmbi_embedding_writer *c, int32_t joint, lmb_vec3 axis);
/// Sets `overall` and the summary: `sure` 0 to 1, `what` a phrase. A joint with less confidence than
/// 0.1 makes the whole doubtful.
void lmbi_embedding_rate(lmbi_embedding_writer *c, float sure, const char *what);

/// The limit of a joint whose frame is that of the model.
lmb_joint_limit lmbi_creature_limit(const lmb_embedding *embedding, uint32_t joint);

/// What a kind makes of a mesh. Lower cost: more like it; above 1: not of that kind.
typedef struct lmbi_kind_hypothesis {
    float cost;
    lmbi_stand_hypothesis stand; ///< in the frame of the survey that was read
} lmbi_kind_hypothesis;

#endif
