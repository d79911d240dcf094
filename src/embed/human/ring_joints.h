/// Places the joints of limbs whose lines run through rings of the surface: small networks say how
/// far from the tip each joint lies, and how far from the line.
#ifndef EMBED_HUMAN_RING_JOINTS_H
#define EMBED_HUMAN_RING_JOINTS_H

#include "embed/human/human_joints.h"

/// Number of measurements that the network of a limb sees; of its outputs: for each of three joints
/// the arc, as a fraction of the line, and the place relative to the point there, in heights.
enum { LMBI_RING_LOOK = 80, LMBI_RING_OUT = 12 };

/// Measures what the network of a limb sees, of the side whose x is mirrored to be positive. `limb`
/// is 0 for an arm, 1 for a leg.
void lmbi_ring_look(const lmbi_figure *figure, int limb, int side, float out[LMBI_RING_LOOK]);
/// Places arms and legs of a traced figure, without toes. Fills out->strange: the root of the mean
/// square of what the networks see, in standard deviations, of the strangest limb.
void lmbi_place_ring_limbs(const lmbi_figure *figure, lmbi_human_joints *out);

#endif
