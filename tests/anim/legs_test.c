// Bodies of four and eight legs: what stands in a mixture of their gaits stays where it stands.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bodies/bodies.h"
#include "foot_walk.h"
#include "limber/limber.h"

enum { FRAMES = 360, LEGS = LMB_GAIT_LEGS };

typedef struct creature {
    lmb_made_body *body;
    const lmb_skeleton *skeleton;
    lmb_gait_body legs;
    lmb_clip *clips[2];
    lmb_foot_lock_leg hold[LEGS];
    lmb_machine_foot feet[LEGS];
    float height; ///< of the first hip, at rest
} creature;

static lmb_clip *gait_clip(const creature *c, lmb_gait_kind kind, const char *name)
{
    lmb_gait *gait = NULL;
    lmb_clip *clip = NULL;
    assert_int_equal(
        lmb_gait_create(c->skeleton, &c->legs, &(lmb_gait_opts){.kind = kind}, NULL, &gait, NULL),
        LMB_OK);
    const lmb_gait_info info = lmb_gait_describe(gait);
    const uint32_t joints = c->skeleton->joint_count, frames = info.frame_count + 1;
    lmb_transform *poses = calloc((size_t)frames * joints, sizeof(*poses));
    for (uint32_t f = 0; f < frames; ++f) {
        lmb_gait_pose(gait, f / 60.0, poses + (size_t)f * joints);
    }
    assert_int_equal(lmb_clip_from_poses(c->skeleton, poses, frames, 60, name, NULL, &clip, NULL),
                     LMB_OK);
    free(poses);
    lmb_gait_destroy(gait);
    return clip;
}

/// At rest for a second.
static lmb_clip *rest_clip(const creature *c, const char *name)
{
    const uint32_t joints = c->skeleton->joint_count;
    lmb_clip *clip = NULL;
    lmb_transform *poses = calloc(2 * (size_t)joints, sizeof(*poses));
    for (int f = 0; f < 2; ++f) {
        memcpy(poses + (size_t)f * joints, c->skeleton->rest, joints * sizeof(*poses));
    }
    assert_int_equal(lmb_clip_from_poses(c->skeleton, poses, 2, 1, name, NULL, &clip, NULL),
                     LMB_OK);
    free(poses);
    return clip;
}

static lmb_vec3 in_joint(const lmb_mat4 *model, uint32_t joint, lmb_vec3 point)
{
    lmb_mat4 inverse;
    assert_true(lmb_mat4_inverse_affine(model[joint], &inverse));
    return lmb_mat4_point(inverse, point);
}

/// LMB_GAIT_COUNT stands for standing.
static creature make_creature(lmb_made_body_kind kind, lmb_gait_kind first, lmb_gait_kind second)
{
    creature c = {0};
    const lmb_made_body_opts opts = {
        .kind = kind, .seed = 3, .whole = true, .rigged = true, .triangle_count = 4000};
    assert_int_equal(lmb_made_body_create(&opts, NULL, &c.body, NULL), LMB_OK);
    c.skeleton = c.body->character->skeleton;
    assert_int_equal(lmb_gait_body_find(c.body->character, NULL, &c.legs, NULL), LMB_OK);
    lmb_mat4 *model = calloc(c.skeleton->joint_count, sizeof(*model));
    lmb_pose_to_model(&(lmb_pose_to_model_job){.skeleton = c.skeleton, .model_from_joint = model});
    for (uint32_t k = 0; k < c.legs.leg_count; ++k) {
        const lmb_gait_leg *leg = &c.legs.legs[k];
        const lmb_vec3 ball = leg->toes > 0 ? lmb_mat4_translation(model[leg->toes]) : leg->tip;
        c.hold[k] = (lmb_foot_lock_leg){.upper = leg->hip,
                                        .lower = leg->knee,
                                        .foot = leg->ankle,
                                        .ball = in_joint(model, leg->ankle, ball)};
        c.feet[k] = (lmb_machine_foot){.joint = leg->ankle, .ball = c.hold[k].ball};
    }
    c.height = lmb_mat4_translation(model[c.legs.legs[0].hip]).y - c.legs.ground;
    free(model);
    c.clips[0] = first < LMB_GAIT_COUNT ? gait_clip(&c, first, "slow") : rest_clip(&c, "slow");
    c.clips[1] = gait_clip(&c, second, "fast");
    return c;
}

static void end_creature(creature *c)
{
    lmb_clip_destroy(c->clips[0]);
    lmb_clip_destroy(c->clips[1]);
    lmb_made_body_destroy(c->body);
}

static lmb_machine *make_machine(const creature *c, lmb_graph **graph)
{
    static const char text[] = "{\"limber\": \"state machine\", \"parameters\": {\"speed\": 0}, "
                               "\"states\": {\"go\": {\"along\": \"speed\", \"clips\": "
                               "{\"slow\": 0, \"fast\": 1}}}}";
    lmb_machine *machine = NULL;
    assert_int_equal(lmb_graph_read(text, sizeof(text) - 1, NULL, graph, NULL), LMB_OK);
    const lmb_machine_def def = {.graph = *graph,
                                 .skeleton = c->skeleton,
                                 .clips = (const lmb_clip *const *)c->clips,
                                 .clip_count = 2,
                                 .root = (int32_t)c->legs.hips,
                                 .left_foot = (int32_t)c->legs.legs[0].ankle,
                                 .right_foot = (int32_t)c->legs.legs[1].ankle,
                                 .foot_count = c->legs.leg_count,
                                 .feet = c->feet};
    assert_int_equal(lmb_machine_create(&def, NULL, &machine, NULL), LMB_OK);
    return machine;
}

/// The mean speed of feet that have stood for 5 frames and are on the ground, from slow to fast.
static double slide(const creature *c, bool holds, float *deepest)
{
    const uint32_t joints = c->skeleton->joint_count, legs = c->legs.leg_count;
    lmb_transform *pose = calloc(joints, sizeof(*pose));
    lmb_mat4 *model = calloc(joints, sizeof(*model));
    lmb_graph *graph = NULL;
    lmb_machine *machine = make_machine(c, &graph);
    lmb_foot_lock_state state = {0};
    lmb_root_placement position = {{0, 0, 0}, 0};
    lmb_vec3 before[LEGS] = {{0, 0, 0}};
    int stood[LEGS] = {0}, count = 0;
    double sum = 0;
    *deepest = 0;
    for (int f = 0; f < FRAMES; ++f) {
        lmb_machine_set(machine, 0, (float)f / FRAMES);
        const lmb_machine_info info =
            foot_walk_step(machine, f, holds,
                           (lmb_ik_foot_lock_job){.skeleton = c->skeleton,
                                                  .local = pose,
                                                  .model_from_joint = model,
                                                  .hips = c->legs.hips,
                                                  .leg_count = legs,
                                                  .legs = c->hold,
                                                  .state = &state},
                           &position);
        for (uint32_t k = 0; k < legs; ++k) {
            const lmb_vec3 ball = lmb_mat4_point(model[c->hold[k].foot], c->hold[k].ball),
                           now = lmb_transform_point(lmb_root_placement_transform(position), ball);
            stood[k] = info.planted[k] > 0.6f ? stood[k] + 1 : 0;
            if (stood[k] > 4 && ball.y < info.floors[2 * k] + 0.02f * c->height) {
                sum += 60 * hypot((double)(now.x - before[k].x), (double)(now.z - before[k].z));
                ++count;
            }
            *deepest = fmaxf(*deepest, info.floors[2 * k] - ball.y);
            before[k] = now;
        }
    }
    lmb_machine_destroy(machine);
    lmb_graph_destroy(graph);
    free(pose);
    free(model);
    assert_true(count > 50);
    return sum / count;
}

static void stands(lmb_made_body_kind kind, lmb_gait_kind first, lmb_gait_kind second,
                   uint32_t legs)
{
    creature c = make_creature(kind, first, second);
    float loose_deep, held_deep;
    assert_int_equal(c.legs.leg_count, legs);
    const double loose = slide(&c, false, &loose_deep), held = slide(&c, true, &held_deep);
    print_message("%u legs: %.2f cm/s, %.1f mm under; held %.2f cm/s, %.1f mm\n", legs, 100 * loose,
                  1000 * (double)loose_deep, 100 * held, 1000 * (double)held_deep);
    assert_true(held < 0.2 * loose);
    assert_true(held_deep < fmaxf(0.5f * loose_deep, 0.002f));
    end_creature(&c);
}

static void four_legs_stand(void **state)
{
    (void)state;
    stands(LMB_MADE_QUADRUPED, LMB_GAIT_WALK, LMB_GAIT_TROT, 4);
}

static void many_legs_stand(void **state)
{
    (void)state;
    stands(LMB_MADE_SPIDER, LMB_GAIT_COUNT, LMB_GAIT_WALK, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_legs_stand),
        cmocka_unit_test(many_legs_stand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
