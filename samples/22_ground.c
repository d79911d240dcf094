// Hills as a field of heights, and as the mesh of the same cells: a crate, a log and a ball fall on
// either and come to rest in the same valley.
//     build/samples/22_ground
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "limber/limber.h"

enum { SIDE = 41, CELLS = SIDE - 1, THINGS = 3 };

static const float spacing = 0.25f;

static float height_at(uint32_t i, uint32_t k)
{
    const float x = (float)i * spacing - 5, z = (float)k * spacing - 5;
    return 0.08f * (x * x + z * z) + 0.15f * lmb_sin(3 * x) * lmb_cos(2 * z);
}

/// Both kinds of ground. One ground serves any number of worlds.
static bool make_grounds(lmb_ground *out[2])
{
    static float heights[SIDE * SIDE];
    static lmb_vec3 positions[SIDE * SIDE];
    static uint32_t indices[6 * CELLS * CELLS];
    uint32_t count = 0;
    for (uint32_t v = 0; v < SIDE * SIDE; ++v) {
        const uint32_t i = v % SIDE, k = v / SIDE;
        heights[v] = height_at(i, k);
        positions[v] = lmb_vec3_make((float)i * spacing, heights[v], (float)k * spacing);
        if (i < CELLS && k < CELLS) { // two triangles that share the diagonal, as in a field
            const uint32_t cell[6] = {v, v + SIDE, v + SIDE + 1, v, v + SIDE + 1, v + 1};
            memcpy(indices + count, cell, sizeof cell);
            count += 6;
        }
    }
    const lmb_height_field field = {
        .columns = SIDE, .rows = SIDE, .spacing = {spacing, spacing}, .heights = heights};
    const lmb_ground_mesh mesh = {positions, SIDE * SIDE, indices, count};
    return lmb_ground_create(NULL, &field, NULL, &out[0], NULL) == LMB_OK &&
           lmb_ground_create(&mesh, NULL, NULL, &out[1], NULL) == LMB_OK;
}

static lmb_world *make_world(const lmb_ground *ground)
{
    lmb_rigid_shape shapes[THINGS + 1] = {
        {.kind = LMB_RIGID_BOX, .half = {0.3f, 0.2f, 0.25f}},
        {.kind = LMB_RIGID_CAPSULE, .radius = 0.12f, .half = {0, 0.5f, 0}},
        {.kind = LMB_RIGID_SPHERE, .radius = 0.2f},
        {.kind = LMB_RIGID_GROUND, .body = LMB_NONE, .ground = ground},
    };
    lmb_rigid_body bodies[THINGS];
    for (int k = 0; k <= THINGS; ++k) {
        shapes[k].static_friction = 0.7f;
        shapes[k].dynamic_friction = 0.6f;
        shapes[k].restitution = 0.2f;
    }
    for (int k = 0; k < THINGS; ++k) {
        shapes[k].body = k;
        bodies[k] = (lmb_rigid_body){.position = {3 + 2 * (float)k, 3, 4.5f},
                                     .rotation = lmb_quat_axis_angle(lmb_vec3_make(0, 0, 1), 1),
                                     .spin_damping = 0.3f};
        lmb_rigid_shape_mass(&shapes[k], 600, &bodies[k].mass, &bodies[k].inertia);
    }
    lmb_world *world = NULL;
    const lmb_world_def def = {.body_count = THINGS,
                               .bodies = bodies,
                               .shape_count = THINGS + 1,
                               .shapes = shapes,
                               .gravity = {0, -9.81f, 0}};
    return lmb_world_create(&def, NULL, &world, NULL) == LMB_OK ? world : NULL;
}

static void show(const char *name, lmb_world *world, const lmb_ground *ground)
{
    static const char *const things[] = {"crate", "log", "ball"};
    lmb_world_report r;
    lmb_world_measure(world, &r);
    printf("%s: %.2f mm deep, %u of %d asleep\n", name, 1e3 * (double)r.penetration,
           (unsigned)r.asleep_count, THINGS);
    for (uint32_t k = 0; k < THINGS; ++k) {
        const lmb_vec3 at = lmb_world_state(world, k).position;
        lmb_vec3 below, normal;
        if (lmb_ground_below(ground, at, &below, &normal)) {
            printf("  %-5s at %.2f, %.2f, %.2f m, %.2f m over the ground\n", things[k],
                   (double)at.x, (double)at.y, (double)at.z, (double)(at.y - below.y));
        }
    }
}

int main(void)
{
    static const char *const names[] = {"field", "mesh"};
    lmb_ground *grounds[2] = {NULL, NULL};
    bool fine = make_grounds(grounds);
    for (int k = 0; fine && k < 2; ++k) {
        lmb_world *world = make_world(grounds[k]);
        fine = world != NULL;
        for (int frame = 0; fine && frame < 1500; ++frame) {
            lmb_world_step(world, 1.0f / 60);
        }
        if (fine) {
            show(names[k], world, grounds[k]);
        }
        lmb_world_destroy(world);
    }
    lmb_ground_destroy(grounds[0]);
    lmb_ground_destroy(grounds[1]);
    return fine ? 0 : 1;
}
