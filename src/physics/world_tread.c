/// The places where a shape is near a ground, and which of them are worth a contact.
#include "physics/world_ground.h"

bool lmbi_facet_leans(const lmbi_facet *f, int k, lmbi_v3 up)
{
    const double along = lmbi_v3_dot(up, f->n), over = lmbi_v3_dot(up, f->out[k]);
    return f->cos[k] < -0.999 || over * f->cos[k] - along * f->sin[k] <= 0.02;
}

/// Spots no more different than this say the same: a tenth of the shape, or 8 degrees.
#define SAME 0.01

/// How different two spots are: by place, of the shape's size, and by direction.
static double difference(const lmbi_tread *t, const lmbi_spot *a, const lmbi_spot *b)
{
    const lmbi_v3 d = lmbi_v3_sub(a->on_shape, b->on_shape);
    return lmbi_v3_dot(d, d) / (t->reach * t->reach) + 1.0 - lmbi_v3_dot(a->up, b->up);
}

static void swap(lmbi_spot *a, lmbi_spot *b)
{
    const lmbi_spot kept = *a;
    *a = *b;
    *b = kept;
}

/// The spot that is most unlike those kept, what touches before what is only near; t->count when
/// all that are left say the same as one of them.
static uint32_t most_unlike(const lmbi_tread *t, uint32_t kept)
{
    uint32_t best = t->count;
    double best_score = 0.0;
    for (uint32_t i = kept; i < t->count; ++i) {
        double least = HUGE_VAL;
        for (uint32_t k = 0; k < kept; ++k) {
            least = lmbi_min(least, difference(t, &t->spots[i], &t->spots[k]));
        }
        const double score = least + (t->spots[i].depth > 0.0 ? 100.0 : 0.0);
        if (least >= SAME && score > best_score) {
            best_score = score;
            best = i;
        }
    }
    return best;
}

static uint32_t deepest(const lmbi_tread *t)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < t->count; ++i) {
        best = t->spots[i].depth > t->spots[best].depth ? i : best;
    }
    return best;
}

void lmbi_tread_thin(lmbi_tread *t)
{
    uint32_t kept = 0;
    while (kept < t->count && kept < LMBI_GROUND_CONTACTS) {
        uint32_t best = kept == 0 ? deepest(t) : most_unlike(t, kept);
        if (best == t->count) {
            break;
        }
        const lmbi_spot *about = &t->spots[best];
        for (uint32_t i = kept; i < t->count; ++i) {
            if (t->spots[i].depth > t->spots[best].depth &&
                difference(t, &t->spots[i], about) < SAME) {
                best = i;
            }
        }
        swap(&t->spots[kept++], &t->spots[best]);
    }
    t->count = kept;
}

void lmbi_tread_add(lmbi_tread *t, lmbi_v3 on_shape, lmbi_v3 on_ground, lmbi_v3 up)
{
    if (t->count == LMBI_SPOTS) {
        lmbi_tread_thin(t);
    }
    const double depth = lmbi_v3_dot(lmbi_v3_sub(on_ground, on_shape), up);
    t->spots[t->count++] = (lmbi_spot){on_shape, on_ground, up, depth};
}
