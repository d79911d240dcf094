/// Bodies other than humans: their shape, the points that their joints are placed by, and the embedding.
#ifndef EMBED_CREATURE_CREATURE_H
#define EMBED_CREATURE_CREATURE_H

#include "embed/match/match.h"
#include "embed/shape/shape.h"
#include "limber/embed.h"

// ---- Points of a body that was read as an animal, which the joints of all kinds are placed by: along
// the lines of its chains, and of the trunk on the mirror plane.

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
/// has the tips of the reading. Head and tail have a line also where they are not seen:
/// from the ends of the solid near the plane.
void lmbi_anchors_find(const lmbi_body_shape *shape, const lmbi_reading *reading,
                       const lmbi_line_plan *plan, const lmbi_body_shape *coarse,
                       lmbi_anchors *out);

enum { LMBI_LOOK = LMBI_LINE_ANCHORS + LMBI_TRUNK_ANCHORS };
/// The points that a joint on a chain is placed by, relative to the tip of its line. Those of a
/// right limb are mirrored to the left.
void lmbi_anchors_look(const lmbi_anchors *anchors, lmbi_chain chain, int side,
                       lmb_vec3 out[LMBI_LOOK]);

// ---- Places the joints of bodies of every kind by rows: each joint is a sum of weighted anchors, or
// lies at a fraction of a line.

/// A joint of a kind of body.
typedef struct lmbi_joint_row {
    const char *name; ///< "Foot" on a paired chain becomes "leftFoot" and "rightFoot"
    int8_t parent;    ///< row of the same plan, or LMB_NONE
    int8_t chain;     ///< lmbi_chain: its line and side
    int16_t weights;  ///< row of the weights of anchors, or LMB_NONE: `at` places it
    uint8_t flags;
    float confidence;
    const char *reason;
    /// fraction of its line from the root (0) to the tip (1), and the spread of the place that
    /// decides it: lmbi_joint_mark
    float at, spread;
    uint8_t mark;
} lmbi_joint_row;

enum {
    LMBI_JOINT_PAIRED = 1, ///< on both sides
    LMBI_JOINT_HINGE = 2,  ///< bends about the axis from side to side
    LMBI_JOINT_NUMBERED =
        4,                 ///< "Lower" is "leftLeg2Lower" on the second pair of legs from the front
    LMBI_JOINT_ALWAYS = 8, ///< also where the end of its chain is not seen
};

/// A place on a line that draws a joint to it.
typedef enum lmbi_joint_mark {
    LMBI_MARK_NONE,
    LMBI_MARK_BEND,
    LMBI_MARK_NARROW,
} lmbi_joint_mark;

/// A kind of body: the chains, as bits, that it cannot be without, those of which one has to be seen on both
/// sides, and its joints, parents before children.
typedef struct lmbi_joint_rows {
    lmb_skeleton_kind kind; ///< what the skeleton counts as; GENERIC: nothing else
    uint32_t needed, both;
    lmbi_line_plan lines;
    const lmbi_joint_row *rows;
    uint32_t count; ///< at most LMBI_MOST_ROWS
    const float (*weights)[3][LMBI_LOOK];
} lmbi_joint_rows;

enum { LMBI_MOST_ROWS = 48 };

/// Those of a built-in plan. A human has no joints here, LMBI_PLAN_GIVEN nothing at all.
const lmbi_joint_rows *lmbi_plan_rows(lmbi_body_plan plan);

/// The kind of the skeleton of a plan; GENERIC for a user's template.
lmb_skeleton_kind lmbi_plan_kind(lmbi_body_plan plan);
/// The first plan of a kind, or LMBI_PLANS.
lmbi_body_plan lmbi_kind_plan(lmb_skeleton_kind kind);

enum { LMBI_TEMPLATE_NAME = 24 };

/// A template of a kind of body that a user gives as text, or that a built-in kind is written as.
struct lmb_body_template {
    const lmb_allocator *alloc;
    char name[LMBI_TEMPLATE_NAME];
    lmbi_template plan;
    lmbi_spread own[LMBI_OWN_FEATURES];
    lmbi_joint_rows rows; ///< they point to `joints` and `weights`
    lmbi_joint_row joints[LMBI_MOST_ROWS];
    char names[LMBI_MOST_ROWS][LMBI_TEMPLATE_NAME]; ///< those of the joints
    float weights[LMBI_MOST_ROWS][3][LMBI_LOOK];
};

/// Writes the name of a joint on one side.
void lmbi_joint_name(const lmbi_anchors *anchors, const lmbi_joint_row *row, int side, char *out,
                     size_t size);

/// Places the joints of a reading.
void lmbi_animal_place(const lmbi_body_shape *shape, const lmbi_joint_rows *plan,
                       const lmbi_anchors *anchors, lmb_embedding *out);

// ---- Writes an embedding joint by joint, from positions in the frame of a shape.

typedef struct lmbi_embedding_writer {
    const lmbi_frame *frame;
    lmb_embedding *out;
} lmbi_embedding_writer;

/// Starts an embedding without joints. `height` in units of the frame.
void lmbi_embedding_begin(lmbi_embedding_writer *c, lmb_skeleton_kind kind, const lmbi_frame *frame,
                          float height, lmb_embedding *out);
/// Adds a joint whose tip is the joint itself, and returns its index. `reason` is a static phrase.
/// Beyond LMB_EMBEDDING_JOINTS nothing is added, and the index is that of the last joint.
int32_t lmbi_embedding_add_joint(lmbi_embedding_writer *c, const char *name, int32_t parent,
                                 lmb_vec3 at, float confidence, const char *reason);
void lmbi_embedding_set_tip(lmbi_embedding_writer *c, int32_t joint, lmb_vec3 at);
/// Sets `overall` and the summary from `sure` (0 to 1) and a phrase. A joint with a confidence
/// below 0.1 lowers the confidence of the whole.
void lmbi_embedding_rate(lmb_embedding *e, float sure, const char *what);

/// The limit of a joint of any kind of body. Its rest frame has the axes of the model.
lmb_joint_limit lmbi_embedded_limit(const lmb_embedding *embedding, uint32_t joint);

#endif
