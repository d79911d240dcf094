/// Weights by a learned model.
#ifndef RIG_LEARNED_WEIGHTS_H
#define RIG_LEARNED_WEIGHTS_H

#include "rig/heat.h"

/// Replaces heat's rows by those of opts.model. Needs the rows of heat. Errors: MEMORY, CANCELLED.
lmb_result lmbi_learned_weights(lmbi_heat *heat, lmb_error *error);

#endif
