/// The batched jobs: choose the kernel for the instruction set.
#include "ik/limb_kernels.h"

void lmb_two_bone_batch(const lmb_two_bone_batch_job *job)
{
    lmbi_limb_pick(job->simd)->two_bone(job);
}

void lmb_aim_batch(const lmb_aim_batch_job *job)
{
    lmbi_limb_pick(job->simd)->aim(job);
}
