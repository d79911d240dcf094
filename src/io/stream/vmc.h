/// Bone names and axes of the Virtual Motion Capture protocol, for reading and writing.
#ifndef IO_STREAM_VMC_H
#define IO_STREAM_VMC_H

#include "limber/io.h"

/// Writes Unity's name of a bone ("LeftThumbIntermediate") to out[32].
void lmbi_vmc_bone_name(int bone, char *out);
/// The bone with that name in Unity, LMB_HUMAN_BONE_COUNT for none.
int lmbi_vmc_bone_find(const char *name);

/// Converts between Unity's left-handed axes and glTF's by mirroring x. Its own inverse.
static inline lmb_transform lmbi_vmc_mirror(lmb_transform t)
{
    t.translation.x = -t.translation.x;
    t.rotation.y = -t.rotation.y;
    t.rotation.z = -t.rotation.z;
    return t;
}

#endif
