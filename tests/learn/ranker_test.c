#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "learn/ranker.h"

enum { FEATURES = 5, KINDS = 3, GROUPS = 240, MOST = 4 };
static const lmbi_ranker_shape shape = {FEATURES, KINDS};

/// Groups of 2 to 4 candidates. The shares go with features 0 and 1, which the prior does not know,
/// and kind 2 gets twice as much.
typedef struct made {
    uint32_t first[GROUPS + 1], kinds[GROUPS * MOST];
    float features[GROUPS * MOST * FEATURES], terms[GROUPS * MOST * LMBI_RANKER_TERMS];
    float priors[GROUPS * MOST], targets[GROUPS * MOST];
    lmbi_ranker_data data;
} made;

static void make(made *m)
{
    lmb_random random = lmb_random_seed(4);
    memset(m, 0, sizeof *m);
    for (uint32_t g = 0; g < GROUPS; ++g) {
        const uint32_t begin = m->first[g], count = 2 + g % 3;
        float sum = 0;
        for (uint32_t k = begin; k < begin + count; ++k) {
            float *x = m->features + (size_t)k * FEATURES;
            for (int f = 0; f < FEATURES; ++f) {
                x[f] = lmb_random_range(&random, -1, 1);
            }
            m->kinds[k] = k % 4 < KINDS ? k % 4 : UINT32_MAX;
            m->terms[(size_t)k * LMBI_RANKER_TERMS] = 1;
            m->priors[k] = x[2];
            m->targets[k] = expf(x[2] + 2 * x[0] * x[1] + (m->kinds[k] == 2 ? logf(2) : 0));
            sum += m->targets[k];
        }
        for (uint32_t k = begin; k < begin + count; ++k) {
            m->targets[k] /= sum;
        }
        m->first[g + 1] = begin + count;
    }
    m->data = (lmbi_ranker_data){GROUPS,    m->first,   m->features, m->terms,
                                 m->priors, m->targets, m->kinds};
}

static lmbi_ranker_group group_of(const made *m, uint32_t g)
{
    const uint32_t at = m->first[g];
    return (lmbi_ranker_group){.count = m->first[g + 1] - at,
                               .features = m->features + (size_t)at * FEATURES,
                               .terms = m->terms + (size_t)at * LMBI_RANKER_TERMS,
                               .priors = m->priors + at,
                               .kinds = m->kinds + at};
}

static double mean_l1(const made *m, const float *network)
{
    double sum = 0;
    for (uint32_t g = 0; g < GROUPS; ++g) {
        const lmbi_ranker_group group = group_of(m, g);
        float fractions[MOST];
        lmbi_ranker_apply(&shape, network, &group, fractions);
        for (uint32_t k = 0; k < group.count; ++k) {
            sum += fabs((double)fractions[k] - (double)m->targets[m->first[g] + k]);
        }
    }
    return sum / GROUPS;
}

/// The gradient is what small steps of each number do to the loss.
static void the_gradient_is_that_of_the_loss(void **state)
{
    (void)state;
    static made m;
    make(&m);
    const uint32_t size = lmbi_ranker_size(&shape);
    float *network = malloc(size * sizeof *network), *gradient = malloc(size * sizeof *gradient);
    float *waste = malloc(size * sizeof *waste);
    const lmbi_ranker_opts opts = {.epochs = 1, .seed = 3};
    assert_int_equal(lmbi_ranker_train(&shape, &m.data, &opts, NULL, network, NULL), LMB_OK);
    uint32_t checked = 0;
    for (uint32_t g = 0; g < 12; ++g) {
        const lmbi_ranker_group group = group_of(&m, g);
        const float *targets = m.targets + m.first[g];
        memset(gradient, 0, size * sizeof *gradient);
        (void)lmbi_ranker_gradient(&shape, network, &group, targets, gradient);
        for (uint32_t k = 2 * FEATURES; k < size; k += 7) {
            const float kept = network[k], h = 2e-3f;
            network[k] = kept + h;
            const float more = lmbi_ranker_gradient(&shape, network, &group, targets, waste);
            network[k] = kept - h;
            const float less = lmbi_ranker_gradient(&shape, network, &group, targets, waste);
            network[k] = kept;
            const float slope = (more - less) / (2 * h);
            // at a corner of the loss the two sides differ: few may
            checked += fabsf(slope - gradient[k]) < 4e-3f + 0.03f * fabsf(slope) ? 0 : 1;
        }
    }
    assert_true(checked <= 12);
    free(waste);
    free(gradient);
    free(network);
}

static void training_learns_what_the_prior_does_not_know(void **state)
{
    (void)state;
    static made m;
    make(&m);
    const uint32_t size = lmbi_ranker_size(&shape);
    float *network = malloc(size * sizeof *network), *again = malloc(size * sizeof *again);
    const lmbi_ranker_opts little = {.epochs = 1, .seed = 3}, much = {.epochs = 150, .seed = 3};
    assert_int_equal(lmbi_ranker_train(&shape, &m.data, &little, NULL, network, NULL), LMB_OK);
    const double before = mean_l1(&m, network);
    assert_int_equal(lmbi_ranker_train(&shape, &m.data, &much, NULL, network, NULL), LMB_OK);
    const double after = mean_l1(&m, network);
    assert_true(before > 0.3);
    assert_true(after < 0.3 * before);
    assert_int_equal(lmbi_ranker_train(&shape, &m.data, &much, NULL, again, NULL), LMB_OK);
    assert_memory_equal(network, again, size * sizeof *network);
    free(again);
    free(network);
}

/// The order of candidates permutes the shares and nothing else.
static void candidates_have_no_order(void **state)
{
    (void)state;
    static made m;
    make(&m);
    float *network = malloc(lmbi_ranker_size(&shape) * sizeof *network);
    const lmbi_ranker_opts opts = {.epochs = 3, .seed = 3};
    assert_int_equal(lmbi_ranker_train(&shape, &m.data, &opts, NULL, network, NULL), LMB_OK);
    const lmbi_ranker_group group = group_of(&m, 2); // of four
    float fractions[MOST], rotated[MOST], features[MOST * FEATURES], priors[MOST];
    float terms[MOST * LMBI_RANKER_TERMS];
    uint32_t kinds[MOST];
    assert_int_equal(group.count, 4);
    for (uint32_t k = 0; k < 4; ++k) {
        memcpy(features + (3 - k) * FEATURES, group.features + k * FEATURES, FEATURES * 4);
        memcpy(terms + (3 - k) * LMBI_RANKER_TERMS, group.terms + k * LMBI_RANKER_TERMS,
               LMBI_RANKER_TERMS * 4);
        priors[3 - k] = group.priors[k];
        kinds[3 - k] = group.kinds[k];
    }
    const lmbi_ranker_group other = {4, features, terms, priors, kinds};
    lmbi_ranker_apply(&shape, network, &group, fractions);
    lmbi_ranker_apply(&shape, network, &other, rotated);
    float sum = 0;
    for (uint32_t k = 0; k < 4; ++k) {
        assert_float_equal(fractions[k], rotated[3 - k], 1e-5f);
        sum += fractions[k];
    }
    assert_float_equal(sum, 1, 1e-5f);
    free(network);
}

static bool stop(void *user, const char *stage, float fraction)
{
    (void)user;
    (void)stage;
    return fraction < 0.5f;
}

static void training_can_be_stopped_and_refuses_what_is_not_finite(void **state)
{
    (void)state;
    static made m;
    make(&m);
    float *network = malloc(lmbi_ranker_size(&shape) * sizeof *network);
    const lmb_progress progress = {stop, NULL};
    const lmbi_ranker_opts opts = {.epochs = 8, .seed = 3, .progress = &progress, .end = 1};
    assert_int_equal(lmbi_ranker_train(&shape, &m.data, &opts, NULL, network, NULL),
                     LMB_ERROR_CANCELLED);
    m.features[7] = NAN;
    assert_int_equal(lmbi_ranker_train(&shape, &m.data, &opts, NULL, network, NULL),
                     LMB_ERROR_INVALID);
    free(network);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    static made m;
    make(&m);
    float *network = malloc(lmbi_ranker_size(&shape) * sizeof *network);
    const lmbi_ranker_opts opts = {.epochs = 1, .seed = 3};
    lmb_result result = LMB_ERROR_MEMORY;
    for (int calls = 0; result != LMB_OK; ++calls) {
        failing_allocator memory = {calls, 0};
        lmb_allocator alloc = {failing_allocator_resize, &memory};
        result = lmbi_ranker_train(&shape, &m.data, &opts, &alloc, network, NULL);
        assert_true(result == LMB_OK || result == LMB_ERROR_MEMORY);
        assert_int_equal(memory.held, 0);
        assert_true(calls < 10);
    }
    free(network);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_gradient_is_that_of_the_loss),
        cmocka_unit_test(training_learns_what_the_prior_does_not_know),
        cmocka_unit_test(candidates_have_no_order),
        cmocka_unit_test(training_can_be_stopped_and_refuses_what_is_not_finite),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
