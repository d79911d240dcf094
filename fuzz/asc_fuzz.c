/// ESRI ASCII grids: whatever reads is a field of heights that a body can fall on.
#include <stdlib.h>

#include "limber/limber.h"
#include "target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lmb_height_field *heights = NULL;
    lmb_ground *ground = NULL;
    lmb_error error;
    if (lmb_asc_read(data, size, NULL, &heights, &error) != LMB_OK) {
        return 0;
    }
    if (lmb_ground_create(NULL, heights, NULL, &ground, &error) == LMB_OK) {
        lmb_vec3 at, normal;
        const float x = heights->spacing[0] * (float)(heights->columns - 1),
                    z = heights->spacing[1] * (float)(heights->rows - 1);
        for (int k = 0; k < 16; ++k) {
            const float share = (float)k / 15;
            lmb_ground_below(ground, lmb_vec3_make(share * x, 1e30f, (1 - share) * z), &at,
                             &normal);
        }
        const lmb_rigid_shape shapes[] = {
            {.kind = LMB_RIGID_BOX, .half = {1, 1, 1}},
            {.kind = LMB_RIGID_GROUND, .body = LMB_NONE, .ground = ground}};
        const lmb_rigid_body body = {
            .position = {0.5f * x, 1, 0.5f * z}, .mass = 1, .inertia = {1, 1, 1}};
        lmb_world *world = NULL;
        if (heights->columns * heights->rows < 1000 &&
            lmb_world_create(&(lmb_world_def){.body_count = 1,
                                              .bodies = &body,
                                              .shape_count = 2,
                                              .shapes = shapes,
                                              .gravity = {0, -10, 0}},
                             NULL, &world, &error) == LMB_OK) {
            lmb_world_step(world, 1.0f / 60);
        }
        lmb_world_destroy(world);
    }
    lmb_ground_destroy(ground);
    lmb_height_field_destroy(heights);
    return 0;
}
