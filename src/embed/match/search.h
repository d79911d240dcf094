/// Interprets a solid: which tips are the ends of which chains of which template, which way is up,
/// where the mirror plane lies and which way the body faces.
#ifndef EMBED_MATCH_SEARCH_H
#define EMBED_MATCH_SEARCH_H

#include "embed/match/templates.h"

enum { LMBI_READINGS = 24 };

/// How much higher the score of a reading must be to count as evidence against another.
#define LMBI_EVIDENCE 4.0f

/// One interpretation of a solid.
typedef struct lmbi_reading {
    lmbi_body_plan plan;
    lmb_vec3 left, up, forward;
    float offset;   ///< of the mirror plane, along left
    float up_prior; ///< logarithm of how often files use this up axis, against Y; 0 if it was given
    /// tip of each chain, LMB_NONE where none is seen; of a single chain [0] counts, of a pair [0]
    /// is the left one
    int32_t tips[LMBI_CHAINS][2];
    float spare; ///< LMBI_TIP_LENGTH of the second longest branch that belongs to no chain
    float terms[LMBI_TERMS];
    float score; ///< weighted sum of the terms: a logarithmic likelihood
} lmbi_reading;

typedef struct lmbi_search_opts {
    lmb_vec3 up, forward; ///< unit, or zero: find out
    bool y_up;            ///< +Y is up as far as the file's format says
    uint32_t plans;       ///< bit p: try plan p; 0: all but LMBI_PLAN_GIVEN
    /// [LMBI_CHAINS] tips that chains must end in, LMB_NONE: any; NULL: all any
    const int32_t (*ends)[2];
    bool exhaustive;                    ///< without bounds: the same readings, but slower
    const lmbi_template_set *templates; ///< NULL: the fitted ones
} lmbi_search_opts;

/// The best interpretations, the highest score first, at most six of a plan with the same axes.
/// Returns their number, at most LMBI_READINGS.
uint32_t lmbi_search_readings(const lmbi_voxel_body *body, const lmbi_tip *tips, uint32_t tip_count,
                              const lmbi_search_opts *opts, lmbi_reading out[LMBI_READINGS]);

#endif
