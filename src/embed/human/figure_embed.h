/// Embeds a humanoid, given voxelisations of a mesh.
#ifndef EMBED_HUMAN_FIGURE_EMBED_H
#define EMBED_HUMAN_FIGURE_EMBED_H

#include "embed/human/human_joints.h"
#include "embed/human/landmarks.h"
#include "embed/human/plausibility.h"
#include "embed/shape/voxel_cache.h"
#include "limber/embed.h"

/// The readings of the coarse voxels of a cache, the best first.
typedef struct lmbi_readings {
    uint32_t count;
    lmbi_reading list[LMBI_READINGS];
    float figure; ///< the best score as a human, in other voxels too
    /// a human that does not stand along +Y says nothing against other readings
    bool upright;
    bool through; ///< a body of the user's template is one slender line
    /// LMBI_READING_SPARE of usual readings as the template that was given
    float given_spare;
} lmbi_readings;

/// One way to see the body as a human: its figure and its joints.
typedef struct lmbi_human_candidate {
    lmbi_figure figure;
    lmbi_human_joints placed;
    float clues[LMBI_CLUES];
    float chance; ///< that all limb joints are right
    float rank; ///< the logarithm of its odds and of how usual its axes are: the highest is chosen
    bool given; ///< the facing was given
    lmbi_voxel_variant variant;
} lmbi_human_candidate;

enum { LMBI_HUMAN_CANDIDATES = 12 };

typedef enum lmbi_human_effort {
    LMBI_EFFORT_USUAL, ///< stops at a candidate that is surely right
    LMBI_EFFORT_FEW,   ///< the two best readings alone
    LMBI_EFFORT_ALL,   ///< for fitting: every candidate
} lmbi_human_effort;

/// The best readings of a human, and where none of these is likely the readings of voxels without
/// props, and of parted ones. With `landmarks` (NULL: none) limbs
/// end where these say. Their voxels are the cache's. Raises readings->figure. Errors: MEMORY.
lmb_result lmbi_human_candidates(lmbi_voxel_cache *cache, const lmb_embed_opts *opts,
                                 const lmbi_landmarks *landmarks, lmbi_readings *readings,
                                 lmbi_human_effort effort,
                                 lmbi_human_candidate list[LMBI_HUMAN_CANDIDATES], uint32_t *count,
                                 lmb_error *error);
/// The candidate of the highest rank of one at least.
uint32_t lmbi_human_best(const lmbi_human_candidate *list, uint32_t count);

/// The most likely candidate, without fingers; where landmarks are on all limbs, however unlikely. The
/// cache must outlive *out_best. Errors: UNSUPPORTED for no figure; MEMORY.
lmb_result lmbi_human_embed_readings(lmbi_voxel_cache *cache, const lmb_embed_opts *opts,
                                     const lmbi_landmarks *landmarks, lmbi_readings *readings,
                                     lmbi_human_effort effort, lmb_embedding *out,
                                     lmbi_human_candidate *out_best, lmb_error *error);
/// Adds fingers to the embedding of a candidate if both hands have five. Errors: MEMORY.
lmb_result lmbi_human_add_fingers(const lmbi_human_candidate *candidate, lmb_embedding *out,
                                  lmb_error *error);

#endif
