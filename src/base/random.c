#include "limber/base.h"

static const uint64_t multiplier = 6364136223846793005u;
static const uint64_t increment = 1442695040888963407u;

uint32_t lmb_random_u32(lmb_random *random)
{
    const uint64_t old = random->state;
    random->state = old * multiplier + increment;
    const uint32_t mixed = (uint32_t)(((old >> 18) ^ old) >> 27);
    const uint32_t rotation = (uint32_t)(old >> 59);
    return (mixed >> rotation) | (mixed << ((32u - rotation) & 31u));
}

lmb_random lmb_random_seed(uint64_t seed)
{
    lmb_random random = {increment};
    lmb_random_u32(&random);
    random.state += seed;
    lmb_random_u32(&random);
    return random;
}

float lmb_random_unit(lmb_random *random)
{
    return (float)(lmb_random_u32(random) >> 8) * (1.0f / 16777216.0f);
}

float lmb_random_range(lmb_random *random, float low, float high)
{
    return low + (high - low) * lmb_random_unit(random);
}
