/// Dual quaternion skinning with the options of lmb_skin_dual_job.
#ifndef SKIN_DUAL_OPTIONS_H
#define SKIN_DUAL_OPTIONS_H

#include "limber/skin.h"

void lmbi_dual_options(const lmb_skin_dual_job *job);

#endif
