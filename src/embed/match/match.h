/// Which tips of a solid are the ends of which chains of which template: measurements, templates, and the search.
#ifndef EMBED_MATCH_MATCH_H
#define EMBED_MATCH_MATCH_H

#include "embed/shape/shape.h"

// ---- A body as it looks with an up axis, a mirror plane and a facing: measurements of the whole and
// of its limb tips that templates compare.

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
    LMBI_BODY_SKEW_FORE, ///< skewness of the solid along forward
    LMBI_BODY_SKEW_UP,   ///< the same along up
    LMBI_BODY_SUPPORT,   ///< how far what touches the ground lies before the centroid
    LMBI_BODY_STANCE,    ///< standard deviation of what touches the ground, along forward
    LMBI_BODY_FEATURES,
} lmbi_body_feature;

/// Measurements of the whole body that only some templates compare. Voxels count by the square of
/// their depth, so that thin tails and ears hardly do.
typedef enum lmbi_own_feature {
    LMBI_OWN_SLIM,   ///< logarithm of the slimness of the solid
    LMBI_OWN_RISE,   ///< how far what is thick rises forward, as necks do
    LMBI_OWN_WEIGHT, ///< how far what is thick lies before the centroid
    LMBI_OWN_FEATURES,
} lmbi_own_feature;

enum { LMBI_VIEW_TIPS = 16 };

typedef struct lmbi_body_view {
    lmb_vec3 left, up, forward; ///< unit; left x up = forward
    float offset;               ///< of the mirror plane, along left
    float low, high;            ///< of the solid along up
    float radius;               ///< gyration radius of the solid
    float body[LMBI_BODY_FEATURES];
    float own[LMBI_OWN_FEATURES];
    uint32_t tip_count;
    float tips[LMBI_VIEW_TIPS][LMBI_TIP_FEATURES];
    lmb_vec3 at[LMBI_VIEW_TIPS]; ///< the tips in the axes of the view, the plane at x = 0
    float geodesic[LMBI_VIEW_TIPS];
    float side[LMBI_VIEW_TIPS]; ///< x of the middle of the path from the tip to the center
} lmbi_body_view;

/// Measures the body with a plane orthogonal to `left` at `offset`. `asymmetry` is the plane's
/// disagreement of depths. Of `tips` the first LMBI_VIEW_TIPS count.
void lmbi_body_view_measure(const lmbi_voxel_body *body, const lmbi_tip *tips, uint32_t tip_count,
                            lmb_vec3 left, lmb_vec3 up, float offset, float asymmetry,
                            lmbi_body_view *out);
/// The same view facing the other way.
void lmbi_body_view_reverse(const lmbi_body_view *view, lmbi_body_view *out);
/// Measures tips a and b as a pair.
void lmbi_body_view_pair(const lmbi_body_view *view, uint32_t a, uint32_t b,
                         float out[LMBI_PAIR_FEATURES]);

// ---- Templates of bodies as rows of numbers: which chains end in limb tips, and how each measurement
// of a tip, of a pair and of the whole body is spread over bodies of the kind. The numbers are
// fitted by bench/embed_fit.c.

/// Mean and spread of a measurement; a spread of 0: it is not compared. Its logarithmic likelihood is that of Student's t with 4
/// degrees of freedom, so that an unusual body pays a bounded price.
typedef struct lmbi_spread {
    float mean, spread;
} lmbi_spread;

typedef enum lmbi_body_plan {
    LMBI_PLAN_HUMAN,
    LMBI_PLAN_QUADRUPED,
    LMBI_PLAN_BIRD,
    LMBI_PLAN_BIPED, ///< two legs and a tail: reptiles, dinosaurs
    LMBI_PLAN_FISH,
    LMBI_PLAN_SNAKE,
    LMBI_PLAN_SPIDER, ///< three or four pairs of legs: spiders, insects, crabs
    LMBI_PLAN_SIX,    ///< four legs and a pair of wings or arms: dragons, centaurs
    LMBI_PLANS,
    LMBI_PLAN_GIVEN = LMBI_PLANS, ///< a user's template, behind the built-in ones
} lmbi_body_plan;

typedef enum lmbi_chain {
    LMBI_CHAIN_LEGS, ///< the only legs, or the hind ones
    LMBI_CHAIN_FORE, ///< arms, wings, breast fins or front legs
    LMBI_CHAIN_HEAD,
    LMBI_CHAIN_TAIL,
    LMBI_CHAIN_MIDDLE, ///< of three or four pairs of legs the second from the front
    LMBI_CHAIN_THIRD,  ///< of four pairs of legs the third from the front
    LMBI_CHAIN_UPPER,  ///< wings or arms above legs
    LMBI_CHAINS,
} lmbi_chain;

/// One chain of a template.
typedef struct lmbi_chain_row {
    bool exists, paired;
    /// logarithms of the probabilities that no tip, or only one of a pair, is seen
    float none, one, all;
    lmbi_spread tip[LMBI_TIP_FEATURES];
    lmbi_spread pair[LMBI_PAIR_FEATURES];
    /// of a pair whose limbs are in different poses, and the logarithm of how much rarer that is; a
    /// spread of 0: there are none
    lmbi_spread uneven[LMBI_PAIR_FEATURES];
    float rarer;
} lmbi_chain_row;

typedef struct lmbi_template {
    lmbi_chain_row chains[LMBI_CHAINS];
    lmbi_spread body[LMBI_BODY_FEATURES];
    float prior; ///< logarithm of how common such bodies are
} lmbi_template;

/// The named terms of the score of an interpretation: sums of logarithmic likelihoods.
typedef enum lmbi_term {
    LMBI_TERM_HEIGHT,  ///< heights of tips
    LMBI_TERM_BASE,    ///< heights of the bases of branches
    LMBI_TERM_LENGTH,  ///< lengths of branches
    LMBI_TERM_SIDE,    ///< distances from the mirror plane
    LMBI_TERM_FORE,    ///< places along forward, of tips and bases
    LMBI_TERM_RADIUS,  ///< thickness
    LMBI_TERM_POINTS,  ///< directions of the ends: toes
    LMBI_TERM_PAIR,    ///< pairs are mirror images, and equally long
    LMBI_TERM_PRESENT, ///< chains without tips
    LMBI_TERM_BODY,    ///< the extents and the mass of the whole
    LMBI_TERM_MIRROR,  ///< the mirror plane
    LMBI_TERM_STAND,   ///< what touches the ground lies below the mass
    LMBI_TERM_UP,      ///< which axis is up
    LMBI_TERM_OWN,     ///< features of single plans, against those of all bodies
    LMBI_TERM_PRIOR,   ///< how common the plan is
    LMBI_TERMS,
} lmbi_term;

/// What tells whether a reading as an animal is right.
typedef enum lmbi_reading_clue {
    LMBI_READING_SCORE,  ///< its score
    LMBI_READING_KIND,   ///< its score less that of the best one of another kind
    LMBI_READING_FACING, ///< less that of the best one of its plan with another up or facing
    /// how short the second longest branch is that belongs to no chain, against bodies of the plan:
    /// fish have fins, and antlers and ears are no limbs either
    LMBI_READING_SPARE,
    LMBI_READING_CLUES,
} lmbi_reading_clue;

/// All templates, and what they are compared by.
typedef struct lmbi_template_set {
    lmbi_template plans[LMBI_PLANS + 1];
    /// tips that belong to no chain: fingers, ears, hair, props
    lmbi_spread other[LMBI_TIP_FEATURES];
    /// features that only some plans tell of, and their spreads over all bodies; a spread of 0: it
    /// does not count
    lmbi_spread own[LMBI_PLANS + 1][LMBI_OWN_FEATURES], any[LMBI_OWN_FEATURES];
    float weights[LMBI_TERMS];
    /// what LMBI_READING_SPARE is without it in right readings of each plan
    float usual_spare[LMBI_PLANS + 1];
    /// weights of the clues of a reading as an animal, and a constant: the logit of its chance
    float chance[LMBI_READING_CLUES + 1];
} lmbi_template_set;

extern const lmbi_template_set lmbi_fitted_templates;

/// Logarithm of the density of a measurement.
float lmbi_spread_log(const lmbi_spread *row, float x);

// ---- Interprets a solid: which tips are the ends of which chains of which template, which way is up,
// where the mirror plane lies and which way the body faces.

enum { LMBI_READINGS = 24 };

/// How much higher the score of a reading must be to count as evidence against another.
#define LMBI_EVIDENCE 4.0f

/// One interpretation of a solid.
typedef struct lmbi_reading {
    lmbi_body_plan plan;
    lmb_vec3 left, up, forward;
    float offset; ///< of the mirror plane, along left
    /// tip of each chain, LMB_NONE where none is seen; of a single chain [0] counts, of a pair [0]
    /// is the left one
    int32_t tips[LMBI_CHAINS][2];
    float spare; ///< LMBI_TIP_LENGTH of the second longest branch that belongs to no chain
    float terms[LMBI_TERMS];
    float score; ///< weighted sum of the terms: a logarithmic likelihood
} lmbi_reading;

typedef struct lmbi_search_opts {
    lmb_vec3 up, forward;               ///< unit, or zero: find out
    bool y_up;                          ///< +Y is up as far as the file's format says
    uint32_t plans;                     ///< bit p: try plan p; 0: all but LMBI_PLAN_GIVEN
    bool exhaustive;                    ///< without bounds: the same readings, but slower
    const lmbi_template_set *templates; ///< NULL: the fitted ones
} lmbi_search_opts;

/// The best interpretations, the highest score first, at most six of a plan with the same axes.
/// Returns their number, at most LMBI_READINGS.
uint32_t lmbi_search_readings(const lmbi_voxel_body *body, const lmbi_tip *tips, uint32_t tip_count,
                              const lmbi_search_opts *opts, lmbi_reading out[LMBI_READINGS]);

#endif
