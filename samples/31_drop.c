// A mesh without a skeleton that falls as what it is: mass and moments from what its surface
// encloses, boxes around its parts; a stool comes to stand on its legs or on its head.
//     build/samples/31_drop
#include <stdio.h>

#include "limber/limber.h"

enum { BOXES = 4, CORNERS = 8 * BOXES, INDICES = 36 * BOXES };

static lmb_vec3 positions[CORNERS];
static uint32_t indices[INDICES];

static void add_box(uint32_t number, lmb_vec3 at, lmb_vec3 half)
{
    static const uint32_t faces[36] = {0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                       2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
    for (uint32_t k = 0; k < 8; ++k) {
        positions[8 * number + k] =
            lmb_vec3_make(at.x + (k & 1 ? half.x : -half.x), at.y + (k & 2 ? half.y : -half.y),
                          at.z + (k & 4 ? half.z : -half.z));
    }
    for (uint32_t k = 0; k < 36; ++k) {
        indices[36 * number + k] = 8 * number + faces[k];
    }
}

static void make_stool(void)
{
    add_box(0, lmb_vec3_make(0, 0.47f, 0), lmb_vec3_make(0.2f, 0.03f, 0.2f));
    for (uint32_t k = 0; k < 3; ++k) {
        const float turn = 2 * LMB_PI * (float)k / 3;
        add_box(k + 1, lmb_vec3_make(0.15f * lmb_sin(turn), 0.22f, 0.15f * lmb_cos(turn)),
                lmb_vec3_make(0.025f, 0.22f, 0.025f));
    }
}

/// Falls on a floor, turned by `tilt` about z. Prints how it comes to lie.
static void drop(const lmb_rigid_fit *fit, float tilt)
{
    lmb_rigid_shape shapes[LMB_RIGID_SHAPES + 1];
    for (uint32_t k = 0; k < fit->shape_count; ++k) {
        shapes[k] = fit->shapes[k];
    }
    shapes[fit->shape_count] = (lmb_rigid_shape){.kind = LMB_RIGID_PLANE, .body = LMB_NONE};
    for (uint32_t k = 0; k <= fit->shape_count; ++k) {
        shapes[k].static_friction = shapes[k].dynamic_friction = 0.6f;
        shapes[k].restitution = 0.2f;
    }
    lmb_rigid_body body = fit->body;
    const lmb_quat turn = lmb_quat_axis_angle(lmb_vec3_make(0, 0, 1), tilt);
    body.position.y = 1;
    body.rotation = lmb_quat_mul(turn, body.rotation);
    const lmb_world_def def = {.body_count = 1,
                               .bodies = &body,
                               .shape_count = fit->shape_count + 1,
                               .shapes = shapes,
                               .gravity = {0, -9.81f, 0}};
    lmb_world *world = NULL;
    if (lmb_world_create(&def, NULL, &world, NULL) != LMB_OK) {
        return;
    }
    int frame = 0;
    for (; frame < 600 && !lmb_world_state(world, 0).asleep; ++frame) {
        lmb_world_step(world, 1.0f / 60);
    }
    const lmb_quat now = lmb_world_state(world, 0).rotation;
    const lmb_vec3 up = lmb_quat_rotate(lmb_quat_mul(now, lmb_quat_conjugate(fit->body.rotation)),
                                        lmb_vec3_make(0, 1, 0));
    printf("turned by %3.0f degrees: at rest after %.1f s, on its %s\n",
           (double)(tilt * 180 / LMB_PI), frame / 60.0,
           up.y > 0.9f ? "legs" : (up.y < -0.9f ? "head" : "side"));
    lmb_world_destroy(world);
}

int main(void)
{
    make_stool();
    const lmb_ground_mesh mesh = {positions, CORNERS, indices, INDICES};
    lmb_rigid_fit fit;
    lmb_error error = {0};
    if (lmb_rigid_fit_mesh(&mesh, &(lmb_rigid_fit_opts){.density = 650}, NULL, &fit, &error) !=
        LMB_OK) {
        fprintf(stderr, "expected %s, found %s\n", error.expected, error.found);
        return 1;
    }
    printf("%.2f kg in %u pieces, of which it fills %.0f%%\n", (double)fit.body.mass,
           (unsigned)fit.shape_count, 100 * (double)fit.fill);
    for (int k = 0; k < 4; ++k) {
        drop(&fit, (float)k * LMB_PI / 3);
    }
    return 0;
}
