/// Soles over the ground: toes whose skin reaches behind their joint, on one side, bend straight.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "made_bodies.h"
#include "one_mesh.h"

enum { JOINTS = 4, CORNERS = 5, POINTS = JOINTS * CORNERS };
static const char *const names[JOINTS] = {"leftFoot", "leftToes", "rightFoot", "rightToes"};

/// From a joint, ahead and outwards, on the ground: heels; toes with a flap behind, on the outer side.
static const struct {
    float ahead, out;
} heel[CORNERS] = {{-0.05f, 0.03f}, {-0.05f, -0.03f}, {0.05f, 0.03f}, {0.05f, -0.03f}, {0, 0}},
  toe[CORNERS] = {{0.08f, 0.04f}, {0.08f, -0.04f}, {0, 0.06f}, {-0.08f, 0.06f}, {-0.04f, 0.06f}};

/// What a body's soles are made of.
typedef struct soles {
    uint32_t joints[JOINTS];
    lmb_vec3 points[POINTS]; ///< at rest
    lmb_vec3 local[POINTS];  ///< in their joint
    lmb_mat4 joint_from_bind[JOINTS];
} soles;

static void make_soles(const lmb_character *body, soles *out)
{
    for (int j = 0; j < JOINTS; ++j) {
        out->joints[j] = (uint32_t)lmb_skeleton_find(body->skeleton, names[j]);
        lmb_vec3 at = {0, 0, 0};
        for (int32_t k = (int32_t)out->joints[j]; k >= 0; k = body->skeleton->parents[k]) {
            at = lmb_transform_point(body->skeleton->rest[k], at);
        }
        const float outwards = j < 2 ? 1 : -1;
        for (int k = 0; k < CORNERS; ++k) {
            const float ahead = j % 2 == 0 ? heel[k].ahead : toe[k].ahead,
                        aside = outwards * (j % 2 == 0 ? heel[k].out : toe[k].out);
            out->points[j * CORNERS + k] = lmb_vec3_make(at.x + aside, 0, at.z + ahead);
            out->local[j * CORNERS + k] = lmb_vec3_sub(out->points[j * CORNERS + k], at);
        }
        out->joint_from_bind[j] = lmb_mat4_identity();
        out->joint_from_bind[j].m[12] = -at.x;
        out->joint_from_bind[j].m[13] = -at.y;
        out->joint_from_bind[j].m[14] = -at.z;
    }
}

static lmb_character *shod(const lmb_character *body, soles *made)
{
    uint32_t triangles[3 * (POINTS - 2)], first[POINTS + 1] = {0};
    lmb_influence items[POINTS];
    for (uint32_t v = 0; v < POINTS; ++v) {
        first[v + 1] = v + 1;
        items[v] = (lmb_influence){.joint = (uint16_t)(v / CORNERS), .weight = 1};
    }
    for (uint32_t t = 0; t < POINTS - 2; ++t) {
        for (uint32_t k = 0; k < 3; ++k) {
            triangles[3 * t + k] = t + k;
        }
    }
    const lmb_mesh mesh = {.vertex_count = POINTS,
                           .positions = made->points,
                           .index_count = 3 * (POINTS - 2),
                           .indices = triangles,
                           .influences = {first, items}};
    const lmb_skin skin = {.joint_count = JOINTS,
                           .joints = made->joints,
                           .joint_from_bind = made->joint_from_bind,
                           .root = LMB_NONE};
    return one_mesh_create(body->skeleton, &mesh, &skin, (lmb_instance){0});
}

static float lowest(const lmb_character *c, const lmb_clip *clip, const soles *made)
{
    float low = 1;
    for (double t = 0; t < (double)lmb_clip_duration_s(clip); t += 0.01) {
        lmb_transform *pose = test_pose(c, clip, t);
        for (int v = 0; v < POINTS; ++v) {
            low =
                fminf(low, lmb_transform_point(pose[made->joints[v / CORNERS]], made->local[v]).y);
        }
        free(pose);
    }
    return low;
}

static void toes_bend_straight(void **state)
{
    (void)state;
    // As high as long, such as toys have them, and flat.
    static const float ankles_up[] = {0, 0.05f};
    lmb_character *source = test_motion(LMB_MOTION_WALK);
    for (int k = 0; k < 2; ++k) {
        lmb_character *bare = test_skeleton(&(test_shape){.ankles_up = ankles_up[k]});
        soles made;
        make_soles(bare, &made);
        lmb_character *target = shod(bare, &made);
        lmb_clip *clip = NULL;
        assert_int_equal(lmb_retarget(target, source, 0, NULL, NULL, &clip, NULL, NULL), LMB_OK);
        assert_true(lowest(target, clip, &made) > -0.002f);
        lmb_clip_destroy(clip);
        lmb_character_destroy(target);
        lmb_character_destroy(bare);
    }
    lmb_character_destroy(source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(toes_bend_straight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
