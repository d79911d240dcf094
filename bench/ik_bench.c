// Every chain solver on chains of 2 to 100 links, free and limited: microseconds a solve, iterations, success, what is left.
//     ik_bench [links…]
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "limber/ik.h"
#include "limber/os.h"

enum { MOST_LINKS = 100, JOINTS = MOST_LINKS + 1 };

/// Links of one metre along +X from the origin, one joint at each end of each.
typedef struct chain {
    lmb_skeleton skeleton;
    int32_t parents[JOINTS];
    lmb_transform rest[JOINTS], local[JOINTS], begin[JOINTS];
    const char *names[JOINTS];
    lmb_joint_limit limits[JOINTS];
    lmb_mat4 model[JOINTS];
    uint32_t links;
} chain;

typedef enum joints { FREE = 0, LIMITED, KIND_COUNT } joints;

static lmb_vec3 direction(lmb_random *random)
{
    lmb_vec3 v;
    do {
        v.x = lmb_random_range(random, -1, 1);
        v.y = lmb_random_range(random, -1, 1);
        v.z = lmb_random_range(random, -1, 1);
    } while (lmb_vec3_dot(v, v) > 1 || lmb_vec3_dot(v, v) < 0.01f);
    return lmb_vec3_normalize_or(v, lmb_vec3_make(1, 0, 0));
}

/// Limited: hinges about Z and Y that turn by 2 radians either way, and between them balls of 50 degrees and some twist.
static lmb_joint_limit limit_of(uint32_t joint)
{
    if (joint % 3 == 0) {
        return (lmb_joint_limit){.kind = LMB_JOINT_BALL, .axis = {1, 0, 0}, .swing_rad = 0.9f, .twist_min_rad = -0.5f, .twist_max_rad = 0.5f};
    }
    const lmb_vec3 axis = joint % 3 == 1 ? lmb_vec3_make(0, 0, 1) : lmb_vec3_make(0, 1, 0);
    return (lmb_joint_limit){.kind = LMB_JOINT_HINGE, .axis = axis, .twist_min_rad = joint % 2 ? 0.0f : -2.0f, .twist_max_rad = 2.0f};
}

static void make_chain(chain *c, uint32_t links, joints kind)
{
    *c = (chain){.links = links};
    for (uint32_t j = 0; j <= links; ++j) {
        c->parents[j] = (int32_t)j - 1;
        c->rest[j] = lmb_transform_identity();
        c->rest[j].translation.x = j > 0 ? 1.0f : 0.0f;
        c->names[j] = "link";
        c->limits[j] = limit_of(j);
        c->begin[j] = c->rest[j];
        c->begin[j].rotation = lmb_quat_axis_angle(lmb_vec3_make(0, 0, 1), kind == LIMITED ? 0.0f : 0.02f);
    }
    c->skeleton = (lmb_skeleton){.joint_count = links + 1, .parents = c->parents, .rest = c->rest, .names = c->names, .limits = kind == LIMITED ? c->limits : NULL};
    lmb_pose_to_model(&(lmb_pose_to_model_job){.skeleton = &c->skeleton, .local = c->begin, .model_from_joint = c->model});
}

/// Free: uniform in the ball of 0.95 of the length. Limited: where a random pose inside the limits puts the end.
static lmb_vec3 target_of(const chain *c, joints kind, lmb_random *random)
{
    if (kind == FREE) {
        const float r = 0.95f * (float)c->links * powf(lmb_random_unit(random), 1.0f / 3.0f);
        return lmb_vec3_scale(direction(random), r);
    }
    lmb_transform local[JOINTS];
    lmb_mat4 model[JOINTS];
    for (uint32_t j = 0; j <= c->links; ++j) {
        const lmb_joint_limit *limit = &c->limits[j];
        local[j] = c->rest[j];
        if (limit->kind == LMB_JOINT_HINGE) {
            local[j].rotation = lmb_quat_axis_angle(limit->axis, lmb_random_range(random, limit->twist_min_rad, limit->twist_max_rad));
        } else {
            local[j].rotation = lmb_quat_axis_angle(direction(random), lmb_random_range(random, 0, 3));
        }
        local[j] = lmb_joint_limit_apply(limit, c->rest[j], local[j]);
    }
    lmb_pose_to_model(&(lmb_pose_to_model_job){.skeleton = &c->skeleton, .local = local, .model_from_joint = model});
    return lmb_mat4_translation(model[c->links]);
}

typedef struct score {
    double us, iterations, starts, success, left, worst, hits;
} score;

static score measure(chain *c, joints kind, lmb_ik_solver solver, int count)
{
    static uint8_t scratch[1 << 20];
    lmb_random random = lmb_random_seed(7);
    score s = {0};
    lmb_ik_end end = {.joint = c->links};
    lmb_ik_chain_job job = {.skeleton = &c->skeleton, .local = c->local, .model_from_joint = c->model, .solver = solver, .end_count = 1, .ends = &end, .tolerance = 1e-3f, .scratch = scratch, .scratch_size = sizeof(scratch)};
    for (int i = 0; i < count; ++i) {
        end.target = target_of(c, kind, &random);
        memcpy(c->local, c->begin, (c->links + 1) * sizeof(lmb_transform));
        const double begun = lmb_clock_s();
        const lmb_ik_chain_report r = lmb_ik_chain(&job);
        s.us += (lmb_clock_s() - begun) * 1e6;
        s.iterations += r.iterations;
        s.starts += r.starts;
        s.hits += r.limits_hit;
        lmb_mat4 model[JOINTS];
        lmb_pose_to_model(&(lmb_pose_to_model_job){.skeleton = &c->skeleton, .local = c->local, .model_from_joint = model});
        const double left = (double)lmb_vec3_distance(lmb_mat4_translation(model[c->links]), end.target);
        s.success += left <= 1e-3 ? 1 : 0;
        s.left += left;
        s.worst = left > s.worst ? left : s.worst;
    }
    s.us /= count, s.iterations /= count, s.starts /= count, s.success /= count, s.left /= count, s.hits /= count;
    return s;
}

int main(int argc, char **argv)
{
    static const uint32_t lengths[] = {2, 3, 5, 10, 20, 50, 100};
    static chain c;
    const char *comma = "";
    printf("{\n  \"bench\": \"ik\", \"build\": \"%s\", \"cores_used\": 1,\n  \"chains\": [", LMBI_BUILD);
    for (int k = FREE; k < KIND_COUNT; ++k) {
        for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); ++i) {
            for (int solver = 0; solver < LMB_IK_SOLVER_COUNT; ++solver) {
                if (argc > 1 && strcmp(argv[1], lmb_ik_solver_name((lmb_ik_solver)solver)) != 0) {
                    continue;
                }
                make_chain(&c, lengths[i], (joints)k);
                const score s = measure(&c, (joints)k, (lmb_ik_solver)solver, solver == LMB_IK_AUTO ? 2000 : 200);
                printf("%s\n    {\"links\": %u, \"limits\": %s, \"solver\": \"%s\", \"us\": %.2f, \"iterations\": %.1f, \"starts\": %.2f, \"success\": %.4f, "
                       "\"left_mean\": %.2e, \"left_most\": %.2e, \"limits_hit\": %.2f}",
                       comma, lengths[i], k == LIMITED ? "true" : "false", lmb_ik_solver_name((lmb_ik_solver)solver), s.us, s.iterations, s.starts, s.success, s.left,
                       s.worst, s.hits);
                comma = ",";
            }
        }
    }
    puts("\n  ]\n}");
    return 0;
}
