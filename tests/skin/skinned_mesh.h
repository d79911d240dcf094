/// A mesh with every kind of row that a binding knows, and a palette that turns, shifts, mirrors
/// and scales unevenly.
#ifndef SKIN_SKINNED_MESH_H
#define SKIN_SKINNED_MESH_H

#include <stdlib.h>
#include <string.h>

#include "limber/skin.h"

enum { MESH_VERTICES = 20000, MESH_JOINTS = 50, MESH_WIDEST = 12 };

typedef struct skinned_mesh {
    lmb_mesh *mesh;
    lmb_mat4 palette[MESH_JOINTS];
} skinned_mesh;

static inline lmb_vec3 random_point(lmb_random *random)
{
    const float x = lmb_random_range(random, -1, 1), y = lmb_random_range(random, -1, 1);
    return lmb_vec3_make(x, y, lmb_random_range(random, -1, 1));
}

/// Runs of 3 to 60 vertices with equal joints, then one with joints of its own.
static inline uint32_t random_influences(lmb_random *random, uint32_t v, lmb_influence *row)
{
    const uint32_t patch = v / 61, lonely = v % 61 == 60;
    const uint32_t width =
        lonely ? lmb_random_u32(random) % (MESH_WIDEST + 1) : (patch % 7 == 6 ? 6 : patch % 7);
    const uint32_t length = 3 + patch % 58, start = lonely ? lmb_random_u32(random) : v / length;
    float sum = 0;
    for (uint32_t k = 0; k < width; ++k) {
        row[k].joint = (start + 3 * k) % MESH_JOINTS;
        row[k].weight = lmb_random_range(random, 0.5f, 1) / (float)(1 + k);
        sum += row[k].weight;
    }
    for (uint32_t k = 0; k < width; ++k) {
        row[k].weight /= sum;
    }
    // Some rows are not what the contract says; they are taken as they are.
    if (v % 997 == 5 && width > 0) {
        row[0].weight *= 0.5f;
    }
    return width;
}

static inline void skinned_palette(lmb_random *random, lmb_mat4 *palette)
{
    for (int j = 0; j < MESH_JOINTS; ++j) {
        lmb_transform t = {random_point(random), {0, 0, 0, 1}, {1, 1, 1}};
        t.rotation =
            lmb_quat_axis_angle(lmb_vec3_normalize_or(random_point(random), lmb_vec3_make(1, 0, 0)),
                                lmb_random_range(random, -3, 3));
        t.scale.y = lmb_random_range(random, 0.5f, 2.0f);
        t.scale.z = j % 11 == 3 ? -1.0f : 1.0f;
        palette[j] = lmb_mat4_from_transform(t);
    }
}

static inline skinned_mesh *skinned_mesh_create(void)
{
    skinned_mesh *s = calloc(1, sizeof(*s));
    lmb_vec3 *positions = calloc(MESH_VERTICES, sizeof(*positions)),
             *normals = calloc(MESH_VERTICES, sizeof(*normals));
    lmb_vec4 *tangents = calloc(MESH_VERTICES, sizeof(*tangents));
    uint32_t *first = calloc(MESH_VERTICES + 1, sizeof(*first));
    lmb_influence *items = calloc((size_t)MESH_VERTICES * MESH_WIDEST, sizeof(*items));
    if (!s || !positions || !normals || !tangents || !first || !items) {
        abort();
    }
    lmb_random random = lmb_random_seed(42);
    for (uint32_t v = 0; v < MESH_VERTICES; ++v) {
        positions[v] = random_point(&random);
        normals[v] = lmb_vec3_normalize_or(random_point(&random), lmb_vec3_make(0, 1, 0));
        const lmb_vec3 t = lmb_vec3_any_perpendicular(normals[v]);
        tangents[v] = (lmb_vec4){t.x, t.y, t.z, v % 2 ? 1.0f : -1.0f};
        first[v + 1] = first[v] + random_influences(&random, v, items + first[v]);
    }
    skinned_palette(&random, s->palette);
    const lmb_mesh def = {.vertex_count = MESH_VERTICES,
                          .positions = positions,
                          .normals = normals,
                          .tangents = tangents,
                          .influences = {first, items}};
    if (lmb_mesh_create(&def, NULL, &s->mesh, NULL) != LMB_OK) {
        abort();
    }
    free(positions);
    free(normals);
    free(tangents);
    free(first);
    free(items);
    return s;
}

static inline void skinned_mesh_destroy(skinned_mesh *s)
{
    lmb_mesh_destroy(s->mesh);
    free(s);
}

#endif
