/// The legs of a character as inverse kinematics wants them.
#ifndef LIMBER_CLI_LEGS_H
#define LIMBER_CLI_LEGS_H

#include "cli/cli.h"

/// The leg whose thigh is `bone`; the joints below must be in the map. Ankle and ball of the foot
/// as they stand at rest over the ground at height `flat`; a foot without toes has its ball ahead
/// and down of the ankle.
lmb_plant_foot cli_plant_foot(const lmb_skeleton *skeleton, const lmb_joint_map *map, int bone,
                              float flat);

#endif
