/// Costs of tips as the feet, hands and head of a figure: 0 for a textbook one.
#ifndef EMBED_HUMAN_POSE_COST_H
#define EMBED_HUMAN_POSE_COST_H

#include "embed/human/tip_view.h"

float lmbi_feet_cost(const lmbi_tip_view *v, uint32_t a, uint32_t b);
float lmbi_hands_cost(const lmbi_tip_view *v, const lmbi_body_mirror *m, const uint32_t foot[2],
                      const uint32_t hand[2]);
/// Two tips as hands, by the lengths of their branches.
float lmbi_bumps_cost(const lmbi_viewed_tip *p, const lmbi_viewed_tip *q);
/// Feet, hands and the center of the body lie on one mirror plane.
float lmbi_plane_cost(const lmbi_tip_view *v, const lmbi_body_mirror *m, const uint32_t foot[2],
                      const uint32_t hand[2]);
/// *out_head is the cheapest tip for a head, or -1 if none is good enough.
float lmbi_head_cost(const lmbi_tip_view *v, const lmbi_body_mirror *m, const uint32_t foot[2],
                     const uint32_t hand[2], int32_t *out_head);

#endif
