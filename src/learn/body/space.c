/// The shape space: principal components of the persons' rest shapes.
#include <math.h>
#include <string.h>

#include "learn/body/population.h"
#include "linalg/linalg.h"

/// A component with less than this fraction of the first one's variance is rounding.
static const double LEAST_VARIANCE = 1e-9;

static void find_means(lmbi_population *p)
{
    const size_t n = 3 * (size_t)p->body.vertex_count, joints = 3 * (size_t)p->body.joint_count;
    memset(p->mean, 0, n * sizeof(double));
    memset(p->mean_joints, 0, joints * sizeof(double));
    for (uint32_t person = 0; person < p->person_count; ++person) {
        const double *rest = lmbi_population_rest(p, person);
        const double *at = lmbi_population_joints(p, person);
        for (size_t k = 0; k < n; ++k) {
            p->mean[k] += rest[k] / p->person_count;
        }
        for (size_t k = 0; k < joints; ++k) {
            p->mean_joints[k] += at[k] / p->person_count;
        }
    }
}

/// Products of the persons' departures from the mean.
static void fill_products(const lmbi_population *p, double *products)
{
    const size_t n = 3 * (size_t)p->body.vertex_count;
    for (uint32_t a = 0; a < p->person_count; ++a) {
        for (uint32_t b = 0; b <= a; ++b) {
            const double *x = lmbi_population_rest(p, a), *y = lmbi_population_rest(p, b);
            double sum = 0;
            for (size_t k = 0; k < n; ++k) {
                sum += (x[k] - p->mean[k]) * (y[k] - p->mean[k]);
            }
            products[(size_t)a * p->person_count + b] = sum;
        }
    }
}

/// The direction with which coefficients u sqrt(persons - 1) give the persons back.
static void fill_direction(const lmbi_population *p, const double *u, uint32_t count,
                           const double *persons, const double *mean, double *out)
{
    const double scale = 1 / sqrt((double)p->person_count - 1);
    memset(out, 0, 3 * (size_t)count * sizeof *out);
    for (uint32_t person = 0; person < p->person_count; ++person) {
        const double *at = persons + 3 * (size_t)person * count;
        for (size_t k = 0; k < 3 * (size_t)count; ++k) {
            out[k] += scale * u[person] * (at[k] - mean[k]);
        }
    }
}

bool lmbi_population_find_space(lmbi_population *p)
{
    const uint32_t persons = p->person_count, n = p->body.vertex_count,
                   joints = p->body.joint_count;
    lmbi_arena arena;
    lmbi_arena_init(&arena, p->arena.alloc);
    double *products = lmbi_arena_array(&arena, (size_t)persons * persons, sizeof(double));
    double *vectors = lmbi_arena_array(&arena, (size_t)persons * persons, sizeof(double));
    double *values = lmbi_arena_array(&arena, persons, sizeof(double));
    bool ok = products && vectors && values;
    find_means(p);
    if (ok) {
        fill_products(p, products);
        ok = lmbi_dense_eigen(products, persons, values, vectors, arena.alloc, NULL) == LMB_OK;
    }
    p->direction_count = 0;
    while (ok && p->direction_count < p->most_directions &&
           values[p->direction_count] > LEAST_VARIANCE * values[0]) {
        const uint32_t k = p->direction_count++;
        const double *u = vectors + (size_t)k * persons;
        fill_direction(p, u, n, p->rest, p->mean, p->directions + 3 * (size_t)k * n);
        fill_direction(p, u, joints, p->joints, p->mean_joints,
                       p->joint_directions + 3 * (size_t)k * joints);
        for (uint32_t person = 0; person < persons; ++person) {
            p->coefficients[(size_t)person * p->most_directions + k] =
                u[person] * sqrt((double)persons - 1);
        }
    }
    lmbi_arena_free(&arena);
    return ok;
}

void lmbi_population_in_space(const lmbi_population *p, uint32_t person, double *rest,
                              double *joints)
{
    const size_t n = 3 * (size_t)p->body.vertex_count, count = 3 * (size_t)p->body.joint_count;
    memcpy(rest, p->mean, n * sizeof *rest);
    memcpy(joints, p->mean_joints, count * sizeof *joints);
    for (uint32_t k = 0; k < p->direction_count; ++k) {
        const double by = p->coefficients[(size_t)person * p->most_directions + k];
        for (size_t i = 0; i < n; ++i) {
            rest[i] += by * p->directions[k * n + i];
        }
        for (size_t i = 0; i < count; ++i) {
            joints[i] += by * p->joint_directions[k * count + i];
        }
    }
}
