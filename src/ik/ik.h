/// Parts of the solvers.
#ifndef IK_IK_H
#define IK_IK_H

#include "limber/ik.h"

/// "auto", "ccd", "fabrik", "transpose", "pseudo-inverse", "damped", "selective"; "unknown".
const char *lmbi_ik_solver_name(lmb_ik_solver solver);
#endif
