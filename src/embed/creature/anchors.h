/// Points of a body that was read as an animal, which the joints of all kinds are placed by: along
/// the lines of its chains, and of the trunk on the mirror plane.
#ifndef EMBED_CREATURE_ANCHORS_H
#define EMBED_CREATURE_ANCHORS_H

#include "embed/creature/body_shape.h"
#include "embed/match/search.h"

/// Points along the medial line of a chain.
typedef enum lmbi_line_anchor {
    LMBI_ANCHOR_TIP,
    LMBI_ANCHOR_SIXTH, ///< of the way from the tip to the root; four more in equal steps
    LMBI_ANCHOR_ROOT = LMBI_ANCHOR_SIXTH + 5, ///< where the limb becomes thick
    LMBI_ANCHOR_BEYOND,                       ///< 1.3 times as far as the root
    LMBI_ANCHOR_BEND,   ///< farthest from the straight line between tip and root
    LMBI_ANCHOR_OUTER,  ///< the same between tip and bend
    LMBI_ANCHOR_INNER,  ///< between bend and root
    LMBI_ANCHOR_NARROW, ///< where the line is least deep between its outer sixth and its root
    LMBI_ANCHOR_LOW,    ///< on the mirror plane, where the trunk ends below the root, and above it
    LMBI_ANCHOR_HIGH,
    LMBI_LINE_ANCHORS,
} lmbi_line_anchor;

/// Points of the trunk. Hind and fore are the z of the roots of legs; where there are none, of
/// other chains of these names, or shares of the length.
typedef enum lmbi_trunk_anchor {
    LMBI_TRUNK_CENTROID,
    LMBI_TRUNK_CENTER, ///< the deepest place near the middle
    LMBI_TRUNK_HIND_LOW,
    LMBI_TRUNK_HIND_HIGH,
    LMBI_TRUNK_MIDDLE_LOW,
    LMBI_TRUNK_MIDDLE_HIGH,
    LMBI_TRUNK_FORE_LOW,
    LMBI_TRUNK_FORE_HIGH,
    LMBI_TRUNK_BACK, ///< ends of the solid along z, at the height of the centroid
    LMBI_TRUNK_FRONT,
    LMBI_TRUNK_TAIL_TIP,
    LMBI_TRUNK_TAIL_ROOT,
    LMBI_TRUNK_HEAD_TIP,
    LMBI_TRUNK_HEAD_ROOT,
    LMBI_TRUNK_ANCHORS,
} lmbi_trunk_anchor;

/// Equal steps of the medial line of a chain, from its tip to its root.
enum { LMBI_PATH_STEPS = 96 };

typedef struct lmbi_chain_line {
    lmb_vec3 anchors[LMBI_LINE_ANCHORS];
    lmb_vec3 path[LMBI_PATH_STEPS + 1];
    /// how far LMBI_ANCHOR_BEND and LMBI_ANCHOR_NARROW lie from the root, as fractions of the line;
    /// negative where it is straight, or nowhere narrower than at its ends
    float bend, narrow;
} lmbi_chain_line;

typedef struct lmbi_anchors {
    /// of a single chain [0] counts; where one of a pair is seen the other is its mirror image
    bool seen[LMBI_CHAINS];
    lmbi_chain_line line[LMBI_CHAINS][2];
    lmb_vec3 trunk[LMBI_TRUNK_ANCHORS];
} lmbi_anchors;

/// What of a kind of body its lines depend on.
typedef struct lmbi_line_plan {
    bool through;  ///< the line of the head goes on to the tip of the tail: one slender body
    bool back_fin; ///< LMBI_CHAIN_UPPER is the longest branch over the back that is no other chain
} lmbi_line_plan;

/// Finds them in a shape that lmbi_body_shape_create_rotated made of the axes of a reading. `coarse`
/// has the tips of the reading, in `frame`. Head and tail have a line also where they are not seen:
/// from the ends of the solid near the plane.
void lmbi_anchors_find(const lmbi_body_shape *shape, const lmbi_reading *reading,
                       const lmbi_line_plan *plan, const lmbi_voxelisation *coarse,
                       const lmbi_frame *frame, lmbi_anchors *out);

enum { LMBI_LOOK = LMBI_LINE_ANCHORS + LMBI_TRUNK_ANCHORS };
/// The points that a joint on a chain is placed by, relative to the tip of its line. Those of a
/// right limb are mirrored to the left.
void lmbi_anchors_look(const lmbi_anchors *anchors, lmbi_chain chain, int side,
                       lmb_vec3 out[LMBI_LOOK]);

#endif
