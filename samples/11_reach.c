// An arm of a made humanoid follows a ball with its hand, within a human's limits; the head looks
// at it. Every frame begins from the last: two or three steps are enough.
//     build/samples/11_reach
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "limber/limber.h"

enum { JOINTS = 32 };

typedef struct actor {
    const lmb_skeleton *skeleton;
    lmb_transform pose[JOINTS];
    lmb_mat4 model_from_joint[JOINTS];
    lmb_joint_limit limits[JOINTS];
    uint32_t shoulder, hand, chest, neck, head;
    void *scratch;
    size_t scratch_size;
} actor;

/// What each joint is of a body, by its name.
static lmb_body_part part_of(const char *name)
{
    static const struct {
        const char *word;
        lmb_body_part part;
    } parts[] = {
        {"hips", LMB_PART_HIPS},          {"spine", LMB_PART_SPINE},
        {"chest", LMB_PART_SPINE},        {"Chest", LMB_PART_SPINE},
        {"neck", LMB_PART_NECK},          {"head", LMB_PART_NECK},
        {"Shoulder", LMB_PART_SHOULDER},  {"UpperArm", LMB_PART_UPPER_ARM},
        {"LowerArm", LMB_PART_LOWER_ARM}, {"Hand", LMB_PART_HAND},
        {"UpperLeg", LMB_PART_UPPER_LEG}, {"LowerLeg", LMB_PART_LOWER_LEG},
        {"Foot", LMB_PART_FOOT},          {"Toes", LMB_PART_TOES},
    };
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); ++i) {
        if (strstr(name, parts[i].word)) {
            return parts[i].part;
        }
    }
    return LMB_PART_OTHER;
}

static void update(actor *a)
{
    lmb_pose_to_model(&(lmb_pose_to_model_job){
        .skeleton = a->skeleton, .local = a->pose, .model_from_joint = a->model_from_joint});
}

/// No allocation: the scratch was asked for once.
static lmb_ik_chain_report follow(actor *a, lmb_vec3 ball)
{
    const lmb_ik_end end = {.joint = a->hand, .target = ball};
    const lmb_ik_chain_report report =
        lmb_ik_chain(&(lmb_ik_chain_job){.skeleton = a->skeleton,
                                         .local = a->pose,
                                         .model_from_joint = a->model_from_joint,
                                         .root = a->shoulder,
                                         .end_count = 1,
                                         .ends = &end,
                                         .limits = a->limits,
                                         .tolerance = 1e-3f,
                                         .scratch = a->scratch,
                                         .scratch_size = a->scratch_size});
    update(a);
    const lmb_ik_look_link gaze[3] = {{a->chest, 0.2f, 0}, {a->neck, 0.3f, 0}, {a->head, 0.5f, 0}};
    lmb_ik_look(&(lmb_ik_look_job){.skeleton = a->skeleton,
                                   .local = a->pose,
                                   .model_from_joint = a->model_from_joint,
                                   .link_count = 3,
                                   .links = gaze,
                                   .target = ball,
                                   .limits = a->limits,
                                   .weight = 1});
    update(a);
    return report;
}

static bool actor_start(actor *a, const lmb_character *body)
{
    lmb_body_part parts[JOINTS];
    a->skeleton = body->skeleton;
    if (a->skeleton->joint_count > JOINTS) {
        return false;
    }
    for (uint32_t j = 0; j < a->skeleton->joint_count; ++j) {
        parts[j] = part_of(a->skeleton->names[j]);
        a->pose[j] = a->skeleton->rest[j];
    }
    lmb_human_limits(a->skeleton, parts, lmb_vec3_make(0, 0, 1), a->limits);
    a->shoulder = (uint32_t)lmb_skeleton_find(a->skeleton, "leftShoulder");
    a->hand = (uint32_t)lmb_skeleton_find(a->skeleton, "leftHand");
    a->chest = (uint32_t)lmb_skeleton_find(a->skeleton, "chest");
    a->neck = (uint32_t)lmb_skeleton_find(a->skeleton, "neck");
    a->head = (uint32_t)lmb_skeleton_find(a->skeleton, "head");
    update(a);
    const lmb_ik_end end = {.joint = a->hand};
    a->scratch_size = lmb_ik_chain_scratch(&(lmb_ik_chain_job){
        .skeleton = a->skeleton, .root = a->shoulder, .end_count = 1, .ends = &end});
    a->scratch = malloc(a->scratch_size);
    return a->scratch != NULL;
}

int main(void)
{
    lmb_character *body = NULL;
    lmb_error error;
    actor a = {0};
    if (lmb_motion_create(&(lmb_motion_opts){.kind = LMB_MOTION_IDLE}, NULL, &body, &error) !=
            LMB_OK ||
        !actor_start(&a, body)) {
        fputs("11_reach: no body\n", stderr);
        return 1;
    }
    for (int frame = 0; frame <= 60; ++frame) {
        const float t = (float)frame / 30;
        const lmb_vec3 ball = {0.35f + 0.15f * lmb_cos(3 * t), 1.3f + 0.2f * lmb_sin(3 * t), 0.3f};
        const lmb_ik_chain_report report = follow(&a, ball);
        if (frame % 10 == 0) {
            printf("%.2f s: %.4f m from the ball, %u steps, %u joints at their limits\n", (double)t,
                   (double)report.distance, (unsigned)report.iterations,
                   (unsigned)report.limits_hit);
        }
    }
    free(a.scratch);
    lmb_character_destroy(body);
    return 0;
}
