/// Reduction of the candidate contacts between a shape and a ground.
#include "physics/world_ground.h"

bool lmbi_facet_allows(const lmbi_facet *f, int k, lmbi_v3 up)
{
    const double along = lmbi_v3_dot(up, f->n), over = lmbi_v3_dot(up, f->out[k]);
    return f->cos[k] < -0.999 || over * f->cos[k] - along * f->sin[k] <= 0.02;
}

/// Candidates less different than this are duplicates: a tenth of the shape's radius, or 8 degrees.
#define MIN_DIFFERENCE 0.01

/// Squared distance relative to the shape's radius, plus the normals' difference.
static double candidate_difference(const lmbi_ground_collision *t, const lmbi_candidate *a,
                                   const lmbi_candidate *b)
{
    const lmbi_v3 d = lmbi_v3_sub(a->on_shape, b->on_shape);
    return lmbi_v3_dot(d, d) / (t->reach * t->reach) + 1.0 - lmbi_v3_dot(a->up, b->up);
}

static void swap_candidates(lmbi_candidate *a, lmbi_candidate *b)
{
    const lmbi_candidate kept = *a;
    *a = *b;
    *b = kept;
}

/// The candidate most different from those kept, touching ones before near ones; t->count if all
/// the rest are duplicates.
static uint32_t most_different(const lmbi_ground_collision *t, uint32_t kept)
{
    uint32_t best = t->count;
    double best_score = 0.0;
    for (uint32_t i = kept; i < t->count; ++i) {
        double least = HUGE_VAL;
        for (uint32_t k = 0; k < kept; ++k) {
            least = lmbi_min(least, candidate_difference(t, &t->candidates[i], &t->candidates[k]));
        }
        const double score = least + (t->candidates[i].depth > 0.0 ? 100.0 : 0.0);
        if (least >= MIN_DIFFERENCE && score > best_score) {
            best_score = score;
            best = i;
        }
    }
    return best;
}

static uint32_t deepest(const lmbi_ground_collision *t)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < t->count; ++i) {
        best = t->candidates[i].depth > t->candidates[best].depth ? i : best;
    }
    return best;
}

void lmbi_candidates_reduce(lmbi_ground_collision *t)
{
    uint32_t kept = 0;
    while (kept < t->count && kept < LMBI_GROUND_CONTACTS) {
        uint32_t best = kept == 0 ? deepest(t) : most_different(t, kept);
        if (best == t->count) {
            break;
        }
        const lmbi_candidate *about = &t->candidates[best];
        for (uint32_t i = kept; i < t->count; ++i) {
            if (t->candidates[i].depth > t->candidates[best].depth &&
                candidate_difference(t, &t->candidates[i], about) < MIN_DIFFERENCE) {
                best = i;
            }
        }
        swap_candidates(&t->candidates[kept++], &t->candidates[best]);
    }
    t->count = kept;
}

void lmbi_candidate_add(lmbi_ground_collision *t, lmbi_v3 on_shape, lmbi_v3 on_ground, lmbi_v3 up)
{
    if (t->count == LMBI_CANDIDATES) {
        lmbi_candidates_reduce(t);
    }
    const double depth = lmbi_v3_dot(lmbi_v3_sub(on_ground, on_shape), up);
    t->candidates[t->count++] = (lmbi_candidate){on_shape, on_ground, up, depth};
}
