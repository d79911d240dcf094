/// Bodies of capsules whose axes are the true bones.
#ifndef TESTS_EMBED_CAPSULES_H
#define TESTS_EMBED_CAPSULES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "limber/author.h"

typedef struct capsules {
    lmb_vec3 points[40000];
    uint32_t triangles[3 * 80000];
    uint32_t point_count, triangle_count;
} capsules;

enum { AROUND = 16, CAP = 5 };

/// None yet; free() them.
static inline capsules *capsules_create(void)
{
    capsules *s = calloc(1, sizeof *s);
    assert_non_null(s);
    return s;
}

static inline void add_capsule(capsules *s, lmb_vec3 a, lmb_vec3 b, float radius_a, float radius_b)
{
    const lmb_vec3 along = lmb_vec3_normalize_or(lmb_vec3_sub(b, a), lmb_vec3_make(0, 1, 0));
    const lmb_vec3 u = lmb_vec3_any_perpendicular(along), v = lmb_vec3_cross(along, u);
    const uint32_t first = s->point_count, rings = 2 * CAP;
    for (uint32_t r = 0; r < rings; ++r) {
        const bool top = r >= CAP;
        const float slope =
            LMB_PI / 2 * (top ? (float)(r - CAP) / (CAP - 1) : (float)r / (CAP - 1) - 1);
        const lmb_vec3 center = top ? b : a;
        const float radius = top ? radius_b : radius_a;
        for (uint32_t k = 0; k < AROUND; ++k) {
            const float turn = 2 * LMB_PI * (float)k / AROUND, ring = radius * lmb_cos(slope);
            lmb_vec3 p = lmb_vec3_mad(center, along, radius * lmb_sin(slope));
            p = lmb_vec3_mad(lmb_vec3_mad(p, u, ring * lmb_cos(turn)), v, ring * lmb_sin(turn));
            s->points[s->point_count++] = p;
        }
    }
    for (uint32_t r = 0; r + 1 < rings; ++r) {
        for (uint32_t k = 0; k < AROUND; ++k) {
            const uint32_t i = first + r * AROUND + k, j = first + r * AROUND + (k + 1) % AROUND;
            const uint32_t quad[6] = {i, j, j + AROUND, i, j + AROUND, i + AROUND};
            memcpy(s->triangles + 3 * (size_t)s->triangle_count, quad, sizeof quad);
            s->triangle_count += 2;
        }
    }
}

static inline lmb_embedding embedded_mesh(const lmb_vec3 *points, uint32_t point_count,
                                          const uint32_t *triangles, uint32_t triangle_count)
{
    lmb_embedding e;
    lmb_error error = {0};
    if (lmb_embed(points, point_count, triangles, triangle_count, NULL, NULL, &e, &error) !=
        LMB_OK) {
        fail_msg("expected %s, found %s", error.expected, error.found);
    }
    return e;
}

static inline lmb_embedding embedded(const capsules *s)
{
    return embedded_mesh(s->points, s->point_count, s->triangles, s->triangle_count);
}

static inline lmb_embedding embedded_surface(const lmb_surface *s)
{
    return embedded_mesh(s->positions, s->vertex_count, s->triangles, s->triangle_count);
}

#endif
