/// Trains a ranker: Adam over groups in a fixed order.
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "learn/ranker.h"
#include "limber/math.h"

enum { BATCH = 128, EPOCHS = 24, H = LMBI_RANKER_HIDDEN };
static const float RATE = 6e-3f, FIRST_DECAY = 0.9f, SECOND_DECAY = 0.999f, TINY = 1e-8f;
/// Pull of the weights to 0, as a fraction of the rate.
static const float WEIGHT_DECAY = 2e-2f, TABLE_DECAY = 2e-1f;

typedef struct training {
    const lmbi_ranker_shape *shape;
    const lmbi_ranker_data *data;
    float *network, *gradient, *first, *second; ///< [size]
    uint32_t *order;                            ///< [group_count]
    uint32_t size, steps;
    lmb_random random;
} training;

/// Means and inverse deviations of the features at the front of the network.
static void standardise(const training *t)
{
    const uint32_t n = t->shape->features, count = t->data->first[t->data->group_count];
    for (uint32_t f = 0; f < n; ++f) {
        double sum = 0, square = 0;
        for (uint32_t k = 0; k < count; ++k) {
            sum += (double)t->data->features[(size_t)k * n + f];
        }
        const double mean = count ? sum / count : 0;
        for (uint32_t k = 0; k < count; ++k) {
            const double off = (double)t->data->features[(size_t)k * n + f] - mean;
            square += off * off;
        }
        const double deviation = count ? sqrt(square / count) : 0;
        t->network[f] = (float)mean;
        t->network[n + f] = deviation > 1e-4 ? (float)(1 / deviation) : 0;
    }
}

/// Uniform first weights (Glorot, Bengio 2010); the last layer and the table begin at nothing, so
/// that the first guess is the prior.
static void initialise(training *t)
{
    const uint32_t n = t->shape->features;
    const size_t first = 2 * (size_t)n, second = first + (size_t)n * H + H;
    memset(t->network, 0, t->size * sizeof *t->network);
    standardise(t);
    const float a = lmb_sqrt(6.0f / (float)(n + H)), b = lmb_sqrt(6.0f / (float)(4 * H));
    for (size_t k = 0; k < (size_t)n * H; ++k) {
        t->network[first + k] = lmb_random_range(&t->random, -a, a);
    }
    for (size_t k = 0; k < 3 * (size_t)H * H; ++k) {
        t->network[second + k] = lmb_random_range(&t->random, -b, b);
    }
    const size_t last = second + 3 * (size_t)H * H + H;
    for (size_t h = 0; h < H; ++h) {
        t->network[last + h] = lmb_random_range(&t->random, -0.05f, 0.05f);
    }
    t->network[last + H] = 1; // of the prior
}

/// Fisher and Yates.
static void shuffle(training *t)
{
    for (uint32_t k = t->data->group_count; k > 1; --k) {
        const uint32_t at = lmb_random_u32(&t->random) % k, moved = t->order[k - 1];
        t->order[k - 1] = t->order[at];
        t->order[at] = moved;
    }
}

static void step(training *t, uint32_t count, float rate)
{
    const size_t scales = 2 * (size_t)t->shape->features;
    const size_t table = t->size - (size_t)t->shape->kinds * LMBI_RANKER_TERMS;
    float one = 1, two = 1;
    ++t->steps;
    for (uint32_t k = 0; k < t->steps && k < 4000; ++k) { // past that they are 0
        one *= FIRST_DECAY;
        two *= SECOND_DECAY;
    }
    for (size_t k = scales; k < t->size; ++k) {
        const float g = t->gradient[k] / (float)count;
        t->first[k] = FIRST_DECAY * t->first[k] + (1 - FIRST_DECAY) * g;
        t->second[k] = SECOND_DECAY * t->second[k] + (1 - SECOND_DECAY) * g * g;
        const float up = t->first[k] / (1 - one), spread = lmb_sqrt(t->second[k] / (1 - two));
        const float decay = k >= table ? TABLE_DECAY : WEIGHT_DECAY;
        t->network[k] -= rate * (up / (spread + TINY) + decay * t->network[k]);
    }
}

static void run_epoch(training *t, uint32_t epoch, uint32_t epochs)
{
    const lmbi_ranker_data *d = t->data;
    shuffle(t);
    for (uint32_t begin = 0; begin < d->group_count; begin += BATCH) {
        const uint32_t rest = d->group_count - begin, count = rest < BATCH ? rest : BATCH;
        memset(t->gradient, 0, t->size * sizeof *t->gradient);
        for (uint32_t k = 0; k < count; ++k) {
            const uint32_t g = t->order[begin + k], at = d->first[g];
            const lmbi_ranker_group group = {.count = d->first[g + 1] - at,
                                             .features =
                                                 d->features + (size_t)at * t->shape->features,
                                             .terms = d->terms + (size_t)at * LMBI_RANKER_TERMS,
                                             .priors = d->priors + at,
                                             .kinds = d->kinds + at};
            (void)lmbi_ranker_gradient(t->shape, t->network, &group, d->targets + at, t->gradient);
        }
        const float done = ((float)epoch + (float)begin / (float)d->group_count) / (float)epochs;
        const float warm = done < 0.05f ? done / 0.05f : 1;
        step(t, count, RATE * warm * 0.5f * (1 + lmb_cos(LMB_PI * done)));
    }
}

static bool report(const lmbi_ranker_opts *opts, float done)
{
    const lmb_progress *p = opts->progress;
    return !p || !p->report ||
           p->report(p->user, "learning", opts->begin + done * (opts->end - opts->begin));
}

static lmb_result check(const lmbi_ranker_shape *shape, const lmbi_ranker_data *data,
                        lmb_error *error)
{
    const size_t count = data->first[data->group_count];
    bool good = true;
    for (size_t k = 0; k < count * shape->features; ++k) {
        good = good && isfinite(data->features[k]);
    }
    for (size_t k = 0; k < count; ++k) {
        good = good && isfinite(data->priors[k]) && isfinite(data->targets[k]);
    }
    return good ? LMB_OK
                : lmbi_fail(error, LMB_ERROR_INVALID, "finite numbers to learn from",
                            "one that is not");
}

lmb_result lmbi_ranker_train(const lmbi_ranker_shape *shape, const lmbi_ranker_data *data,
                             const lmbi_ranker_opts *opts, const lmb_allocator *alloc,
                             float *network, lmb_error *error)
{
    const uint32_t epochs = opts->epochs ? opts->epochs : EPOCHS;
    training t = {.shape = shape,
                  .data = data,
                  .network = network,
                  .size = lmbi_ranker_size(shape),
                  .random = lmb_random_seed(opts->seed)};
    t.gradient = lmbi_alloc_array(alloc, 3 * (size_t)t.size, sizeof *t.gradient);
    t.order = lmbi_alloc_array(alloc, data->group_count, sizeof *t.order);
    lmb_result result = t.gradient && t.order ? check(shape, data, error) : lmbi_fail_memory(error);
    if (result == LMB_OK) {
        t.first = t.gradient + t.size;
        t.second = t.first + t.size;
        for (uint32_t g = 0; g < data->group_count; ++g) {
            t.order[g] = g;
        }
        initialise(&t);
    }
    for (uint32_t e = 0; e < epochs && result == LMB_OK; ++e) {
        run_epoch(&t, e, epochs);
        if (!report(opts, (float)(e + 1) / (float)epochs)) {
            result = lmbi_fail(error, LMB_ERROR_CANCELLED, "to go on", "cancelled by the caller");
        }
    }
    lmbi_free(alloc, t.order);
    lmbi_free(alloc, t.gradient);
    return result;
}
