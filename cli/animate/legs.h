/// Legs of a humanoid as lmb_plant takes them.
#ifndef LIMBER_CLI_LEGS_H
#define LIMBER_CLI_LEGS_H

#include "cli/cli.h"

/// The leg whose thigh is `bone`; the joints below must be in the map. Ankle and ball heights
/// are those of the rest pose over a ground at height `flat`; without a toe joint the ball is
/// assumed ahead of and below the ankle.
lmb_plant_foot cli_plant_foot(const lmb_skeleton *skeleton, const lmb_joint_map *map, int bone,
                              float flat);

#endif
