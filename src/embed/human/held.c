/// What a hand holds out, a blade or a stick, is no part of its arm: together they are longer than
/// arms are, it is as thin all along, and the hand behind it is thicker at once.
#include "embed/human/human_joints.h"

#include <stdlib.h>
#include <string.h>

/// In heights of the shoulder (Drillis, Contini 1966): an arm has 0.51 of it, an upper arm 0.23. No
/// arm is so long, and what is left has to be clearly more than an upper arm.
static const float TOO_LONG = 0.8f, LEAST_LEFT = 0.3f;
/// In heights: no fingers are so long.
static const float LONGER_THAN_FINGERS = 0.1f;
/// Of areas: a hand has so many times the median before it, and most of what is before it is alike.
static const float STEP = 1.8f, ALIKE = 1.6f, MOSTLY = 0.7f;

static int compare_floats(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return x < y ? -1 : x > y;
}

static float median_before(const lmbi_limb_profile *line, uint32_t n)
{
    float sorted[LMBI_LIMB_SAMPLES];
    memcpy(sorted, line->area, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, compare_floats);
    return sorted[n / 2];
}

/// Whether the line is thin and even before a sample, and thick from there on.
static bool hand_begins(const lmbi_limb_profile *line, uint32_t n)
{
    enum { LASTS = 5 };
    const float median = median_before(line, n);
    uint32_t even = 0;
    for (uint32_t k = 0; k < n; ++k) {
        even += line->area[k] < ALIKE * median && ALIKE * line->area[k] > median;
    }
    bool thick = n + LASTS < line->count && (float)even > MOSTLY * (float)n;
    for (uint32_t k = n; thick && k < n + LASTS; ++k) {
        thick = line->area[k] > STEP * median;
    }
    return thick;
}

static void shorten(lmbi_arm *a, uint32_t by)
{
    lmbi_limb_profile *line = &a->line;
    const size_t left = line->count - by;
    memmove(line->at, line->at + by, left * sizeof *line->at);
    memmove(line->depth, line->depth + by, left * sizeof *line->depth);
    memmove(line->area, line->area + by, left * sizeof *line->area);
    line->count = (uint32_t)left;
    a->root_arc -= (float)by * line->step;
}

void lmbi_drop_held_object(lmbi_arm *a)
{
    const float shoulder = a->root.y, step = a->line.step;
    if (!(step > 0) || a->root_arc < TOO_LONG * shoulder) {
        return;
    }
    for (uint32_t n = 1 + (uint32_t)(LONGER_THAN_FINGERS / step);
         a->root_arc - (float)n * step > LEAST_LEFT * shoulder; ++n) {
        if (hand_begins(&a->line, n)) {
            shorten(a, n);
            return;
        }
    }
}
