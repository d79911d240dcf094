/// Terms that costs and hints of hypotheses are added up from.
#ifndef EMBED_COST_H
#define EMBED_COST_H

/// How far x exceeds a limit; 0 below it.
static inline float lmbi_excess(float x, float limit)
{
    return x > limit ? x - limit : 0;
}

static inline float lmbi_clamp_signed(float x)
{
    return x < -1 ? -1 : x > 1 ? 1 : x;
}

static inline float lmbi_clamp_unit(float x)
{
    return x < 0 ? 0 : x > 1 ? 1 : x;
}

#endif
