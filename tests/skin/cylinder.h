/// A capped cylinder of radius 1 along x from -4 to 4: 81 rings of 48, every other one turned by
/// half a side. Joint 1 takes over from joint 0 between x = -1 and 1. The known answers of bending
/// and twisting it are those of an independent evaluation in double precision.
#ifndef TESTS_SKIN_CYLINDER_H
#define TESTS_SKIN_CYLINDER_H

#include <math.h>
#include <stdlib.h>

#include "limber/skin.h"

enum {
    CYLINDER_RINGS = 81,
    CYLINDER_SIDES = 48,
    CYLINDER_SIDE_VERTICES = CYLINDER_RINGS * CYLINDER_SIDES,
    CYLINDER_VERTICES = CYLINDER_SIDE_VERTICES + 2,
    CYLINDER_TRIANGLES = 2 * (CYLINDER_RINGS - 1) * CYLINDER_SIDES + 2 * CYLINDER_SIDES,
};

typedef struct cylinder_buffers {
    lmb_vec3 positions[CYLINDER_VERTICES], normals[CYLINDER_VERTICES];
    lmb_vec4 tangents[CYLINDER_VERTICES];
    uint32_t first[CYLINDER_VERTICES + 1];
    lmb_influence items[2 * CYLINDER_VERTICES];
    uint32_t indices[3 * CYLINDER_TRIANGLES];
} cylinder_buffers;

static inline void cylinder_place(cylinder_buffers *b)
{
    for (uint32_t v = 0; v < CYLINDER_VERTICES; ++v) {
        const uint32_t ring = v / CYLINDER_SIDES;
        const double turn =
            2 * 3.14159265358979323846 * (v % CYLINDER_SIDES + 0.5 * (ring % 2)) / CYLINDER_SIDES;
        double x = -4 + 8.0 * ring / (CYLINDER_RINGS - 1), radius = 1;
        if (v >= CYLINDER_SIDE_VERTICES) {
            x = v == CYLINDER_SIDE_VERTICES ? -4 : 4;
            radius = 0;
        }
        const float y = (float)cos(turn), z = (float)sin(turn);
        b->positions[v] = lmb_vec3_make((float)x, (float)radius * y, (float)radius * z);
        b->normals[v] =
            radius > 0 ? lmb_vec3_make(0, y, z) : lmb_vec3_make(x < 0 ? -1.0f : 1.0f, 0, 0);
        b->tangents[v] = radius > 0 ? (lmb_vec4){1, 0, 0, 1} : (lmb_vec4){0, 1, 0, 1};
    }
}

/// `hard`: one joint a vertex, the nearer.
static inline void cylinder_weigh(cylinder_buffers *b, bool hard)
{
    for (uint32_t v = 0; v < CYLINDER_VERTICES; ++v) {
        const float ramp = b->positions[v].x / 2 + 0.5f;
        float second = ramp < 0 ? 0 : (ramp > 1 ? 1 : ramp);
        second = hard ? (second > 0.5f ? 1.0f : 0.0f) : second;
        const uint32_t strong = second > 0.5f;
        uint32_t at = b->first[v];
        b->items[at++] = (lmb_influence){strong, strong ? second : 1 - second};
        if (second > 0 && second < 1) {
            b->items[at++] = (lmb_influence){1 - strong, strong ? 1 - second : second};
        }
        b->first[v + 1] = at;
    }
}

static inline uint32_t *cylinder_triangle(uint32_t *at, uint32_t a, uint32_t b, uint32_t c)
{
    at[0] = a;
    at[1] = b;
    at[2] = c;
    return at + 3;
}

static inline void cylinder_triangulate(cylinder_buffers *buffers)
{
    uint32_t *at = buffers->indices;
    const uint32_t sides = CYLINDER_SIDES;
    for (uint32_t ring = 0; ring + 1 < CYLINDER_RINGS; ++ring) {
        for (uint32_t k = 0; k < sides; ++k) {
            const uint32_t a = ring * sides + k, b = ring * sides + (k + 1) % sides;
            const uint32_t c = a + sides, d = b + sides;
            if (ring % 2 == 0) {
                at = cylinder_triangle(at, a, b, c);
                at = cylinder_triangle(at, b, d, c);
            } else {
                at = cylinder_triangle(at, a, b, d);
                at = cylinder_triangle(at, a, d, c);
            }
        }
    }
    for (uint32_t k = 0; k < sides; ++k) {
        const uint32_t next = (k + 1) % sides, last = (CYLINDER_RINGS - 1) * sides;
        at = cylinder_triangle(at, CYLINDER_SIDE_VERTICES, next, k);
        at = cylinder_triangle(at, CYLINDER_SIDE_VERTICES + 1, last + k, last + next);
    }
}

/// NULL when there is no memory.
static inline lmb_mesh *cylinder_create(bool hard)
{
    cylinder_buffers *b = calloc(1, sizeof(*b));
    lmb_mesh *mesh = NULL;
    if (b != NULL) {
        cylinder_place(b);
        cylinder_weigh(b, hard);
        cylinder_triangulate(b);
        lmb_primitive primitive = {.index_count = 3 * CYLINDER_TRIANGLES,
                                   .vertex_count = CYLINDER_VERTICES,
                                   .attributes =
                                       LMB_HAS_NORMALS | LMB_HAS_TANGENTS | LMB_HAS_INFLUENCES,
                                   .material = LMB_NONE};
        const lmb_mesh def = {.vertex_count = CYLINDER_VERTICES,
                              .positions = b->positions,
                              .normals = b->normals,
                              .tangents = b->tangents,
                              .index_count = 3 * CYLINDER_TRIANGLES,
                              .indices = b->indices,
                              .primitive_count = 1,
                              .primitives = &primitive,
                              .influences = {b->first, b->items}};
        if (lmb_mesh_create(&def, NULL, &mesh, NULL) != LMB_OK) {
            mesh = NULL;
        }
    }
    free(b);
    return mesh;
}

/// Of the closed surface through the given positions.
static inline double cylinder_volume(const lmb_mesh *mesh, const lmb_vec3 *p)
{
    double sum = 0;
    for (uint32_t t = 0; t < mesh->index_count; t += 3) {
        const lmb_vec3 a = p[mesh->indices[t]], b = p[mesh->indices[t + 1]],
                       c = p[mesh->indices[t + 2]];
        sum += (double)a.x * ((double)b.y * (double)c.z - (double)b.z * (double)c.y) +
               (double)a.y * ((double)b.z * (double)c.x - (double)b.x * (double)c.z) +
               (double)a.z * ((double)b.x * (double)c.y - (double)b.y * (double)c.x);
    }
    return sum / 6;
}

static inline double cylinder_least_radius(const lmb_vec3 *p)
{
    double least = 1e9;
    for (uint32_t v = 0; v < CYLINDER_SIDE_VERTICES; ++v) {
        least = fmin(least, hypot((double)p[v].y, (double)p[v].z));
    }
    return least;
}

/// Joint 0 at rest, joint 1 turned about `axis` through the origin.
static inline void cylinder_pose(lmb_vec3 axis, double degrees, lmb_mat4 palette[2])
{
    lmb_transform turn = lmb_transform_identity();
    turn.rotation = lmb_quat_axis_angle(axis, (float)(degrees * 3.14159265358979323846 / 180));
    palette[0] = lmb_mat4_identity();
    palette[1] = lmb_mat4_from_transform(turn);
}

#endif
