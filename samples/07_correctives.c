// An elbow that keeps its volume: shapes sculpted on two poses become morph targets, and a pose
// space turns them on.
//     build/samples/07_correctives
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "limber/limber.h"

enum { RINGS = 41, SIDES = 24, COUNT = RINGS * SIDES, EXAMPLES = 3 };
static const float radius = 0.5f;
static lmb_vec3 rest[COUNT];

/// A tube along x from -2 to 2; the second bone takes over round the elbow, at 0.
static void make_tube(uint32_t *first, lmb_influence *items)
{
    for (uint32_t v = 0; v < COUNT; ++v) {
        const float x = (float)(v / SIDES) * 4 / (RINGS - 1) - 2,
                    turn = (float)(v % SIDES) * 2 * LMB_PI / SIDES;
        const float second = fminf(fmaxf(x + 0.5f, 0), 1);
        rest[v] = lmb_vec3_make(x, radius * lmb_cos(turn), radius * lmb_sin(turn));
        items[2 * v] = (lmb_influence){second > 0.5f, second > 0.5f ? second : 1 - second};
        items[2 * v + 1] = (lmb_influence){second <= 0.5f, second > 0.5f ? 1 - second : second};
        first[v + 1] = 2 * v + 2;
    }
}

static lmb_quat bend(float degrees)
{
    return lmb_quat_axis_angle(lmb_vec3_make(0, 0, 1), degrees * LMB_PI / 180);
}

static void pose_tube(const lmb_binding *binding, float degrees, const lmb_vec3 *positions,
                      lmb_vec3 *out, lmb_mat4 palette[2])
{
    lmb_transform forearm = lmb_transform_identity();
    forearm.rotation = bend(degrees);
    palette[0] = lmb_mat4_identity();
    palette[1] = lmb_mat4_from_transform(forearm);
    lmb_skin_linear(&(lmb_skin_job){.binding = binding,
                                    .model_from_bind = palette,
                                    .positions = positions,
                                    .out_positions = out});
}

/// The middle of a ring, and how far from it the ring is.
static float ring_thickness(const lmb_vec3 *ring, lmb_vec3 *center)
{
    float thickness = 0;
    *center = lmb_vec3_make(0, 0, 0);
    for (uint32_t s = 0; s < SIDES; ++s) {
        *center = lmb_vec3_mad(*center, ring[s], 1.0f / SIDES);
    }
    for (uint32_t s = 0; s < SIDES; ++s) {
        thickness += lmb_vec3_distance(ring[s], *center) / SIDES;
    }
    return thickness;
}

/// What an artist would do: push each ring out until it is as thick again as at rest.
static void sculpt(const lmb_vec3 *posed, lmb_vec3 *out)
{
    for (uint32_t v = 0; v < COUNT; v += SIDES) {
        lmb_vec3 center;
        const float grow = radius / ring_thickness(posed + v, &center);
        for (uint32_t s = 0; s < SIDES; ++s) {
            out[v + s] = lmb_vec3_lerp(center, posed[v + s], grow);
        }
    }
}

/// The thickness of the tube at its thinnest, as a share of what it is at rest.
static float thinnest(const lmb_vec3 *posed)
{
    float least = 1e9f;
    for (uint32_t v = 0; v < COUNT; v += SIDES) {
        lmb_vec3 center;
        least = fminf(least, ring_thickness(posed + v, &center) / radius);
    }
    return least;
}

/// Bends the elbow step by step, plain and with the targets that the pose space turns on.
static void bend_elbow(const lmb_binding *binding, const lmb_mesh *mesh,
                       const lmb_pose_space *space, const lmb_morph_set *set)
{
    static lmb_vec3 posed[COUNT], shaped[COUNT];
    lmb_mat4 palette[2];
    for (int degrees = 0; degrees <= 120; degrees += 15) {
        lmb_transform local[2] = {lmb_transform_identity(), lmb_transform_identity()};
        float weights[EXAMPLES];
        local[1].rotation = bend((float)degrees);
        lmb_pose_space_evaluate(&(lmb_pose_space_job){space, local, weights});
        lmb_morph(&(lmb_morph_job){
            .mesh = mesh, .set = set, .weights = weights, .out_positions = shaped});
        pose_tube(binding, (float)degrees, rest, posed, palette);
        const float plain = thinnest(posed);
        pose_tube(binding, (float)degrees, shaped, posed, palette);
        printf("%3d degrees: the elbow is %.3f as thick, with correctives %.3f\n", degrees,
               (double)plain, (double)thinnest(posed));
    }
}

int main(void)
{
    static lmb_vec3 posed[COUNT], sculpted[COUNT], deltas[EXAMPLES][COUNT];
    static uint32_t first[COUNT + 1];
    static lmb_influence items[2 * COUNT];
    make_tube(first, items);

    // Targets: nothing at rest, and what was sculpted at 60 and 120 degrees, taken back to before
    // skinning.
    const float angles[EXAMPLES] = {0, 60, 120};
    lmb_morph_target targets[EXAMPLES];
    lmb_quat examples[EXAMPLES];
    lmb_mat4 palette[2];
    lmb_binding *binding = NULL;
    lmb_mesh mesh = {.vertex_count = COUNT,
                     .positions = rest,
                     .influences = {first, items},
                     .target_count = EXAMPLES,
                     .targets = targets};
    if (lmb_binding_create(&mesh, 2, NULL, &binding, NULL) != LMB_OK) {
        return 1;
    }
    for (int k = 0; k < EXAMPLES; ++k) {
        pose_tube(binding, angles[k], rest, posed, palette);
        sculpt(posed, sculpted);
        lmb_corrective(&(lmb_corrective_job){.mesh = &mesh,
                                             .model_from_bind = palette,
                                             .sculpted = sculpted,
                                             .out_displacements = deltas[k]});
        targets[k] = (lmb_morph_target){.positions = deltas[k]};
        examples[k] = bend(angles[k]);
    }

    // One weight an example, as a function of the elbow's rotation; and the targets compiled to
    // what they move.
    const lmb_pose_driver elbow = {.joint = 1};
    const lmb_pose_space_def def = {.driver_count = 1,
                                    .example_count = EXAMPLES,
                                    .drivers = &elbow,
                                    .rotations = examples,
                                    .kernel = LMB_KERNEL_LINEAR};
    const lmb_morph_set_opts within = {.tolerance = 1e-4f};
    lmb_pose_space *space = NULL;
    lmb_morph_set *set = NULL;
    if (lmb_pose_space_create(&def, NULL, &space, NULL) != LMB_OK ||
        lmb_morph_set_create(&mesh, &within, NULL, &set, NULL) != LMB_OK) {
        return 1;
    }
    printf("%zu bytes of displacements, dense %zu\n", lmb_morph_set_bytes(set), sizeof deltas);
    bend_elbow(binding, &mesh, space, set);
    lmb_pose_space_destroy(space);
    lmb_morph_set_destroy(set);
    lmb_binding_destroy(binding);
    return 0;
}
