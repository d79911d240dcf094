// A body of your own program that reaches: one solve a frame, started from the last frame's pose,
// without an allocation.
//     build/samples/12_full_body_ik
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "limber/limber.h"

enum { FRAMES = 90, MOST_JOINTS = 64, GOALS = 4 };

static uint32_t joint(const lmb_skeleton *skeleton, const char *name)
{
    const int32_t found = lmb_skeleton_find(skeleton, name);
    return found < 0 ? 0 : (uint32_t)found;
}

/// What a joint is of a human body, for its limits.
static lmb_body_part part_of(const char *name)
{
    static const struct {
        const char *word;
        lmb_body_part part;
    } parts[] = {{"spine", LMB_PART_SPINE},        {"hest", LMB_PART_SPINE},
                 {"neck", LMB_PART_NECK},          {"head", LMB_PART_NECK},
                 {"Shoulder", LMB_PART_SHOULDER},  {"UpperArm", LMB_PART_UPPER_ARM},
                 {"LowerArm", LMB_PART_LOWER_ARM}, {"Hand", LMB_PART_HAND},
                 {"UpperLeg", LMB_PART_UPPER_LEG}, {"LowerLeg", LMB_PART_LOWER_LEG},
                 {"Foot", LMB_PART_FOOT},          {"Toes", LMB_PART_TOES}};
    for (size_t k = 0; k < sizeof(parts) / sizeof(*parts); ++k) {
        if (strstr(name, parts[k].word) != NULL) {
            return parts[k].part;
        }
    }
    return LMB_PART_HIPS;
}

/// The right hand follows a ball on a circle, the head looks at it, the feet stay.
static void set_goals(const lmb_skeleton *skeleton, const lmb_vec3 *rest, float time_s,
                      lmb_goal goals[GOALS])
{
    static const char *const still[2] = {"leftFoot", "rightFoot"};
    const lmb_vec3 ball = {-0.3f + 0.3f * lmb_cos(2.0f * time_s),
                           1.1f + 0.3f * lmb_sin(2.0f * time_s), 0.45f};
    goals[0] = (lmb_goal){.joint = joint(skeleton, "rightHand"), .target = ball};
    goals[1] = (lmb_goal){
        .kind = LMB_GOAL_LOOK_AT, .joint = joint(skeleton, "head"), .target = ball, .weight = 0.2f};
    for (int k = 0; k < 2; ++k) {
        const uint32_t j = joint(skeleton, still[k]);
        goals[2 + k] = (lmb_goal){.joint = j, .target = rest[j]};
    }
}

int main(void)
{
    lmb_character *body = NULL;
    if (lmb_motion_create(&(lmb_motion_opts){.kind = LMB_MOTION_IDLE}, NULL, &body, NULL) !=
        LMB_OK) {
        return 1;
    }
    const lmb_skeleton *skeleton = body->skeleton;
    lmb_transform pose[MOST_JOINTS], before[MOST_JOINTS];
    lmb_body_part parts[MOST_JOINTS];
    lmb_joint_limit limits[MOST_JOINTS];
    lmb_mat4 model[MOST_JOINTS];
    lmb_vec3 rest[MOST_JOINTS];
    lmb_pose_to_model(&(lmb_pose_to_model_job){.skeleton = skeleton, .model_from_joint = model});
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        pose[j] = skeleton->rest[j];
        rest[j] = lmb_mat4_translation(model[j]);
        parts[j] = part_of(skeleton->names[j]);
    }
    lmb_human_limits(skeleton, parts, lmb_vec3_make(0, 0, 1), limits);
    lmb_goal goals[GOALS];
    float left[GOALS], worst = 0;
    lmb_ik_full_body_job job = {.skeleton = skeleton,
                                .local = pose,
                                .limits = limits,
                                .goal_count = GOALS,
                                .goals = goals,
                                .residuals = left,
                                .previous = before,
                                .smooth_weight = 1e-6f,
                                .max_iterations = 6};
    job.scratch_size = lmb_ik_full_body_scratch(skeleton->joint_count, GOALS);
    job.scratch = malloc(job.scratch_size);
    for (int f = 0; f < FRAMES; ++f) {
        memcpy(before, pose, sizeof(pose));
        set_goals(skeleton, rest, (float)f / 60.0f, goals);
        const lmb_ik_full_body_report report = lmb_ik_full_body(&job);
        worst = f > 10 && left[0] > worst ? left[0] : worst;
        if (f % 15 == 0) {
            printf("frame %2d: %u iterations, hand %.3f mm off, %u joints at their limits\n", f,
                   (unsigned)report.iterations, 1e3 * (double)left[0], (unsigned)report.limits_hit);
        }
    }
    printf("the hand is never more than %.2f mm off\n", 1e3 * (double)worst);
    free(job.scratch);
    lmb_character_destroy(body);
    return worst < 0.002f ? 0 : 1;
}
