/// What reading and writing the Virtual Motion Capture protocol share.
#ifndef IO_STREAM_VMC_H
#define IO_STREAM_VMC_H

#include "limber/io.h"

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
