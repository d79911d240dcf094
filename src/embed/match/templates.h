/// Templates of bodies as rows of numbers: which chains end in limb tips, and how each measurement
/// of a tip, of a pair and of the whole body is spread over bodies of the kind. The numbers are
/// fitted by bench/embed_fit.c.
#ifndef EMBED_MATCH_TEMPLATES_H
#define EMBED_MATCH_TEMPLATES_H

#include "embed/match/body_view.h"

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

#endif
