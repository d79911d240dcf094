/// Vertices of rigged characters with the features of their candidates and the painted weights.
#ifndef AUTHOR_STYLE_SAMPLES_H
#define AUTHOR_STYLE_SAMPLES_H

#include "author/style.h"

typedef struct lmbi_style_samples {
    lmbi_arena arena;
    uint32_t group_count, pair_count;
    uint32_t *first; ///< [group_count + 1]
    float *features, *terms, *priors, *targets;
    uint32_t *kinds;
} lmbi_style_samples;

/// Samples about `most` vertices of a character that is bound anew to its own skeleton. Free with
/// lmbi_style_samples_free, also after a failure. Errors: as lmb_weights_again.
lmb_result lmbi_style_sample(const lmb_style *style, const lmb_character *character, uint32_t most,
                             const lmb_allocator *alloc, lmbi_style_samples *out, lmb_error *error);
void lmbi_style_samples_free(lmbi_style_samples *samples);

/// The samples of all characters but those whose number leaves the remainder `without` by `parts`
/// (UINT32_MAX: of all), in the arena. Errors: MEMORY.
lmb_result lmbi_style_join(const lmbi_style_samples *samples, uint32_t count, uint32_t parts,
                           uint32_t without, lmbi_arena *arena, lmbi_ranker_data *out,
                           lmb_error *error);

#endif
