#include "retarget/transfer.h"

int32_t lmbi_driven_slot(const lmbi_transfer *t, int bone)
{
    const int32_t joint = lmbi_joint(t->target, bone);
    return joint >= 0 ? t->driven_of[joint] : LMB_NONE;
}
