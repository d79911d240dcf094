#include "tube.h"

void tube_shape(tube *t)
{
    for (uint32_t v = 0; v < VERTICES; ++v) {
        const bool end = v >= SIDE;
        const float y =
            end ? (v == SIDE ? -2.0f : 2.0f) : -2 + 4 * (float)(v / SIDES) / (RINGS - 1);
        const float turn = 2 * LMB_PI * (float)(v % SIDES) / SIDES, x = lmb_sin(turn),
                    z = lmb_cos(turn);
        const float upper = y <= -0.5f ? 0 : (y >= 0.5f ? 1 : y + 0.5f);
        const uint32_t strong = upper > 0.5f; // rows are sorted by falling weight
        t->positions[v] = end ? lmb_vec3_make(0, y, 0) : lmb_vec3_make(0.5f * x, y, 0.5f * z);
        t->normals[v] = end ? lmb_vec3_make(0, y / 2, 0) : lmb_vec3_make(x, 0, z);
        t->items[2 * v] = (lmb_influence){strong, strong ? upper : 1 - upper};
        t->items[2 * v + 1] = (lmb_influence){1 - strong, strong ? 1 - upper : upper};
        t->first[v + 1] = 2 * v + 2;
    }
    for (uint32_t ring = 0, at = 0; ring <= RINGS; ++ring) {
        // below the first ring and above the last there are the ends
        for (uint32_t k = 0; k < SIDES; ++k) {
            const uint32_t next = (k + 1) % SIDES;
            const uint32_t a = ring > 0 ? (ring - 1) * SIDES + k : SIDE,
                           b = ring > 0 ? (ring - 1) * SIDES + next : SIDE;
            const uint32_t c = ring < RINGS ? ring * SIDES + next : SIDE + 1,
                           d = ring < RINGS ? ring * SIDES + k : SIDE + 1;
            const uint32_t corners[] = {a, b, c, a, c, d};
            for (int i = ring == 0 ? 3 : 0; i < (ring == RINGS ? 3 : 6); ++i) {
                t->indices[at++] = corners[i];
            }
        }
    }
}

lmb_result tube_mesh(tube *t, bool skinned, lmb_mesh **out)
{
    lmb_primitive primitive = {.index_count = 3 * TRIANGLES,
                               .vertex_count = VERTICES,
                               .attributes = LMB_HAS_NORMALS,
                               .material = LMB_NONE};
    lmb_mesh def = {.name = "tube",
                    .vertex_count = VERTICES,
                    .positions = t->positions,
                    .normals = t->normals,
                    .index_count = 3 * TRIANGLES,
                    .indices = t->indices,
                    .primitive_count = 1,
                    .primitives = &primitive};
    if (skinned) {
        primitive.attributes |= LMB_HAS_INFLUENCES;
        def.influences = (lmb_influences){t->first, t->items};
    }
    return lmb_mesh_create(&def, NULL, out, NULL);
}

double tube_volume(const tube *t)
{
    double sum = 0;
    for (uint32_t i = 0; i < 3 * TRIANGLES; i += 3) {
        const lmb_vec3 *p = t->positions;
        const uint32_t *c = t->indices + i;
        sum += (double)lmb_vec3_dot(p[c[0]], lmb_vec3_cross(p[c[1]], p[c[2]])) / 6;
    }
    return sum;
}
