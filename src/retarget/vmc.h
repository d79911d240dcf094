/// What reading and writing the Virtual Motion Capture protocol share.
#ifndef RETARGET_VMC_H
#define RETARGET_VMC_H

#include "limber/retarget.h"

/// Unity's name of a slot ("LeftThumbIntermediate") in out[32].
void lmbi_vmc_bone_name(int slot, char *out);
/// The slot of Unity's name, LMB_SLOT_COUNT for none.
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
