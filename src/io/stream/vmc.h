/// What reading and writing the Virtual Motion Capture protocol share.
#ifndef IO_STREAM_VMC_H
#define IO_STREAM_VMC_H

#include "limber/io.h"

#define LMBI_SHAPE_NAME 64

/// Blend shapes as they were told so far.
typedef struct lmbi_vmc_shapes {
    uint32_t count;
    char names[LMB_VMC_SHAPES][LMBI_SHAPE_NAME];
    const char *list[LMB_VMC_SHAPES];
    float received[LMB_VMC_SHAPES], applied[LMB_VMC_SHAPES];
    bool applies; ///< the sender says when
} lmbi_vmc_shapes;

/// "s f"; false where it is not, or of one shape too many.
bool lmbi_vmc_shape_receive(lmbi_vmc_shapes *shapes, const lmb_osc_message *message);
void lmbi_vmc_shapes_apply(lmbi_vmc_shapes *shapes);
/// What counts now goes into the frame.
void lmbi_vmc_shapes_store(const lmbi_vmc_shapes *shapes, lmb_vmc_frame *frame);

/// Unity's name of a bone ("LeftThumbIntermediate") in out[32].
void lmbi_vmc_bone_name(int bone, char *out);
/// The bone of Unity's name, LMB_HUMAN_BONE_COUNT for none.
int lmbi_vmc_bone_find(const char *name);

/// Between Unity's left-handed axes and glTF's: mirrored in x. Its own inverse.
static inline lmb_transform lmbi_vmc_mirror(lmb_transform t)
{
    t.translation.x = -t.translation.x;
    t.rotation.y = -t.rotation.y;
    t.rotation.z = -t.rotation.z;
    return t;
}

#endif
