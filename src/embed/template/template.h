/// A kind of body that a user's text describes: chains of limbs with measurements, and joints that lie on the lines of chains
/// or between them. How such a template is made, read, written, found in a body and placed.
#ifndef EMBED_TEMPLATE_TEMPLATE_H
#define EMBED_TEMPLATE_TEMPLATE_H

#include "embed/shape/shape.h"
#include "limber/embed.h"

// ---- A body as it looks with an up axis, a mirror plane and a facing: measurements of the whole and
// of its limb tips.

/// Measurements of one limb tip. Lengths are in gyration radii of the solid, so that a raised staff
/// or a long tail hardly changes them.
typedef enum lmbi_tip_feature {
    LMBI_TIP_HEIGHT,    ///< of the tip over the ground, as a fraction of the body's height
    LMBI_TIP_BASE,      ///< the same of the base of its branch
    LMBI_TIP_LENGTH,    ///< logarithm of the branch length
    LMBI_TIP_SIDE,      ///< distance from the mirror plane
    LMBI_TIP_FORE,      ///< how far the tip lies before the centroid
    LMBI_TIP_BASE_FORE, ///< the same of the base
    LMBI_TIP_RADIUS,    ///< logarithm of the largest radius
    LMBI_TIP_POINTS,    ///< how far the outer end of the branch points forward, as toes do
    LMBI_TIP_FEATURES,
} lmbi_tip_feature;

/// Measurements of two tips as the ends of a pair of limbs.
typedef enum lmbi_pair_feature {
    LMBI_PAIR_MIRROR,   ///< distance of one tip from the mirror image of the other
    LMBI_PAIR_GEODESIC, ///< difference of their geodesic distances from the center
    LMBI_PAIR_FEATURES,
} lmbi_pair_feature;

/// Measurements of the whole body.
typedef enum lmbi_body_feature {
    LMBI_BODY_TALL,      ///< logarithm of the standard deviation along up, in gyration radii
    LMBI_BODY_WIDE,      ///< the same along left
    LMBI_BODY_LONG,      ///< the same along forward
    LMBI_BODY_MASS,      ///< height of the centroid as a fraction of the height
    LMBI_BODY_ASYMMETRY, ///< mean difference of depths across the mirror plane, in voxels
    LMBI_BODY_SKEW,      ///< skewness of the solid along forward
    LMBI_BODY_SUPPORT,   ///< how far what touches the ground lies before the centroid
    LMBI_BODY_RISE,      ///< how far what is thick rises forward, as necks do
    LMBI_BODY_WEIGHT,    ///< how far what is thick lies before the centroid
    LMBI_BODY_FEATURES,
} lmbi_body_feature;

enum { LMBI_VIEW_TIPS = 16 };

typedef struct lmbi_body_view {
    lmb_vec3 left, up, forward; ///< unit; left x up = forward
    float offset;               ///< of the mirror plane, along left
    float low, high;            ///< of the solid along up
    float radius;               ///< gyration radius of the solid
    float body[LMBI_BODY_FEATURES];
    uint32_t tip_count;
    float tips[LMBI_VIEW_TIPS][LMBI_TIP_FEATURES];
    lmb_vec3 at[LMBI_VIEW_TIPS]; ///< the tips in the axes of the view, the plane at x = 0
    float geodesic[LMBI_VIEW_TIPS];
    float side[LMBI_VIEW_TIPS]; ///< x of the middle of the path from the tip to the center
} lmbi_body_view;

/// Measures the body with a plane. Of `tips` the first LMBI_VIEW_TIPS count.
void lmbi_body_view_measure(const lmbi_voxel_body *body, const lmbi_tip *tips, uint32_t tip_count,
                            const lmbi_mirror *plane, lmb_vec3 up, lmbi_body_view *out);
/// The same view facing the other way.
void lmbi_body_view_reverse(const lmbi_body_view *view, lmbi_body_view *out);
/// Measures tips a and b as a pair.
void lmbi_body_view_pair(const lmbi_body_view *view, uint32_t a, uint32_t b,
                         float out[LMBI_PAIR_FEATURES]);

// ---- A template.

/// Mean and spread of a measurement; a spread of 0: it is not compared. Its logarithmic likelihood is that of Student's t with 4
/// degrees of freedom, so that an unusual body pays a bounded price.
typedef struct lmbi_spread {
    float mean, spread;
} lmbi_spread;

/// Logarithm of the density of a measurement.
float lmbi_spread_log(const lmbi_spread *row, float x);

enum {
    LMBI_TEMPLATE_CHAINS = 8,
    LMBI_TEMPLATE_JOINTS = 128,
    LMBI_TEMPLATE_NAME = 28,
    /// the centroid; the middle of the trunk between the roots of a pair; the tip of a single chain
    LMBI_TEMPLATE_ANCHORS = 1 + LMBI_TEMPLATE_CHAINS,
};

/// A limb, or a pair of them.
typedef struct lmbi_template_chain {
    char name[LMBI_TEMPLATE_NAME];
    bool paired;
    bool needed; ///< without an end of it a body is another
    int8_t
        end; ///< 1, -1: it is always there; without a tip it ends where the solid does before or behind
    bool through; ///< its line runs on to the other end of a slender body
    lmbi_spread tip[LMBI_TIP_FEATURES];
    lmbi_spread pair[LMBI_PAIR_FEATURES];
} lmbi_template_chain;

/// A joint on the line of a chain, or at a weighted mean of anchors.
typedef struct lmbi_template_joint {
    char name[LMBI_TEMPLATE_NAME]; ///< "Foot" of a pair becomes "leftFoot" and "rightFoot"
    int16_t parent;                ///< row, or LMB_NONE
    int8_t chain;                  ///< or LMB_NONE: `anchors` place it
    bool paired, hinge;            ///< hinge: it bends about the axis from side to side
    float confidence;
    float at;   ///< fraction of its line from the center (0) to the tip (1)
    float bend; ///< spread of `at` about a bend, which draws it; 0: none does
    float anchors[LMBI_TEMPLATE_ANCHORS]; ///< weights
    lmb_vec3
        aside; ///< from there to the left, up and forward, in gyration radii; of the left one of a pair
} lmbi_template_joint;

struct lmb_body_template {
    const lmb_allocator *alloc;
    char name[LMBI_TEMPLATE_NAME];
    lmb_skeleton_kind kind; ///< what the skeleton counts as
    lmbi_spread body[LMBI_BODY_FEATURES];
    uint32_t chain_count, joint_count;
    lmbi_template_chain chains[LMBI_TEMPLATE_CHAINS];
    lmbi_template_joint joints[LMBI_TEMPLATE_JOINTS]; ///< parents before children
};

/// Without chains and joints. NULL where there is no memory.
lmb_body_template *lmbi_template_create(lmb_skeleton_kind kind, const lmb_allocator *alloc);

/// How much bodies of one kind differ, fitted by bench/template_fit.c on made bodies.
typedef struct lmbi_template_standards {
    /// spreads of the measurements of a template that tells their means alone
    float tip[LMBI_TIP_FEATURES], pair[LMBI_PAIR_FEATURES], body[LMBI_BODY_FEATURES];
    /// tips that belong to no chain: fingers, ears, hair, props
    lmbi_spread other[LMBI_TIP_FEATURES];
    /// logarithms of the probabilities that no end of a chain is seen, one of a pair, or all
    float seen[3];
    /// log odds that a reading is right: a constant, and for a unit of its fit
    float at_none, per_fit;
    /// log odds that its facing is right, for a unit of score that it is better than others
    float per_score;
} lmbi_template_standards;

extern const lmbi_template_standards lmbi_template_standard;

// ---- Interprets a solid: which tips are the ends of which chains, which way is up, where the mirror
// plane lies and which way the body faces.

enum { LMBI_READINGS = 12 };

/// One interpretation of a solid.
typedef struct lmbi_reading {
    lmb_vec3 left, up, forward;
    float offset; ///< of the mirror plane, along left
    /// tip of each chain, LMB_NONE where none is seen; of a single chain [0] counts, of a pair [0]
    /// is the left one
    int32_t tips[LMBI_TEMPLATE_CHAINS][2];
    float score; ///< a logarithmic likelihood
    float
        fit; ///< mean over what was compared of the logarithm of the density beside that of the mean: 0 is perfect
} lmbi_reading;

typedef struct lmbi_search_opts {
    lmb_vec3 up, forward; ///< unit, or zero: find out
    bool y_up;            ///< +Y is up as far as the file's format says
    bool exhaustive;      ///< without bounds: the same readings, but slower
} lmbi_search_opts;

/// The best interpretations, the highest score first, at most three with the same axes. Returns their
/// number, at most LMBI_READINGS.
uint32_t lmbi_search_readings(const lmbi_voxel_body *body, const lmbi_tip *tips, uint32_t tip_count,
                              const lmb_body_template *body_template, const lmbi_search_opts *opts,
                              lmbi_reading out[LMBI_READINGS]);

// ---- The lines of a reading's chains, which joints are placed by.

/// Equal steps of the medial line of a chain, from its tip to the center of the body.
enum { LMBI_PATH_STEPS = 96 };

typedef struct lmbi_chain_line {
    lmb_vec3 path[LMBI_PATH_STEPS + 1];
    lmb_vec3 root; ///< where the limb becomes thick
    /// the fraction of the line from the center at which it is farthest from straight; negative where it is straight
    float bend;
} lmbi_chain_line;

typedef struct lmbi_template_lines {
    /// of a single chain [0] counts; where one of a pair is seen the other is its mirror image
    bool seen[LMBI_TEMPLATE_CHAINS];
    lmbi_chain_line line[LMBI_TEMPLATE_CHAINS][2];
    lmb_vec3 anchors[LMBI_TEMPLATE_ANCHORS];
    bool has_anchor[LMBI_TEMPLATE_ANCHORS];
    float radius; ///< gyration radius of the solid
} lmbi_template_lines;

/// Finds them in a shape that lmbi_body_shape_create_rotated made of the axes of a reading; it is changed if a line runs
/// through. `coarse` has the tips of the reading. Errors: MEMORY.
lmb_result lmbi_template_find_lines(lmbi_body_shape *shape, const lmb_body_template *body_template,
                                    const lmbi_reading *reading, const lmbi_body_shape *coarse,
                                    lmbi_template_lines *out, lmb_error *error);

/// A point of a line at a fraction from the center, and the fraction of the point of the line nearest to p.
lmb_vec3 lmbi_chain_point(const lmbi_chain_line *line, float at);
float lmbi_chain_fraction(const lmbi_chain_line *line, lmb_vec3 p);
/// The weighted mean of anchors; those that the body has not do not count.
lmb_vec3 lmbi_template_anchor_mean(const lmbi_template_lines *lines,
                                   const float weights[LMBI_TEMPLATE_ANCHORS]);

/// Places the joints.
void lmbi_template_place(const lmbi_body_shape *shape, const lmb_body_template *body_template,
                         const lmbi_template_lines *lines, lmb_embedding *out);

// ---- The limbs of a skeleton, which become the chains of its template.

typedef struct lmbi_joint_relations {
    int32_t twin[LMB_EMBEDDING_JOINTS]; ///< the same joint of the other side, or LMB_NONE
    bool is_right[LMB_EMBEDDING_JOINTS];
    uint32_t children[LMB_EMBEDDING_JOINTS];
} lmbi_joint_relations;

void lmbi_find_joint_relations(const lmb_embedding *e, lmbi_joint_relations *out);

/// A limb, or a pair.
typedef struct lmbi_limb {
    int32_t leaves[2]; ///< its last joint, and that of the right one or LMB_NONE
    int32_t tips[2];   ///< of the coarse voxels, or LMB_NONE
    int8_t end;        ///< 1 or -1: it ends where the solid does, before or behind
    float length;      ///< of its longer branch
} lmbi_limb;

/// Those that end at one of the first tips of the coarse voxels, or at an end of the body, the longest first. `shape` is in the
/// axes of the embedding. Returns their number.
uint32_t lmbi_find_limbs(const lmb_embedding *e, const lmbi_joint_relations *relations,
                         const lmbi_body_shape *coarse, uint32_t tip_count,
                         const lmbi_body_shape *shape, lmbi_limb out[LMBI_TEMPLATE_CHAINS]);

// ---- The text.

/// Ranges of its numbers. A smaller spread would count for more than any measurement can.
#define LMBI_LEAST_SPREAD 1e-3f
#define LMBI_MOST_NUMBER 1e3f

/// What measurements are of: a chain, one in pairs, the body.
typedef enum lmbi_measured {
    LMBI_OF_CHAIN,
    LMBI_OF_PAIR,
    LMBI_OF_BODY,
    LMBI_MEASURED,
} lmbi_measured;

/// Names of measurements, in the order of their enumeration. Some are written as ratios whose
/// logarithms are compared.
typedef struct lmbi_measures {
    int count;
    const char *names[LMBI_BODY_FEATURES];
    uint32_t ratios;       ///< as bits
    float more;            ///< what the measurement adds to a ratio before the logarithm
    const float *standard; ///< their spreads
} lmbi_measures;

extern const lmbi_measures lmbi_template_measures[LMBI_MEASURED];

/// Whether a name has but letters, digits, dots, dashes and underscores, and is not too long.
bool lmbi_template_is_name(const char *name, size_t size);

#endif
