// Full-body IK: a walking body of 24 joints with human limits follows five ends, each frame from
// the last; microseconds a frame on one core. And bodies recovered from the places of all their
// joints. JSON on stdout.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ik/body.h"
#include "limber/limber.h"
#include "limber/os.h"

enum {
    BODY_JOINTS = 22,
    JOINTS = BODY_JOINTS + 2,
    ENDS = 5,
    FRAMES = 240,
    ROUNDS = 15,
    POSES = 200
};

typedef struct stage {
    const lmb_skeleton *skeleton;
    lmb_joint_limit limits[JOINTS];
    lmb_vec3 places[FRAMES][JOINTS];
    void *scratch;
    size_t scratch_size;
} stage;

static const char *const extra[2] = {"leftEye", "rightEye"};
static const char *const ends[ENDS] = {"leftHand", "rightHand", "leftFoot", "rightFoot", "head"};

/// The made motions' joints up to the fingers, and two eyes.
static lmb_skeleton *skeleton_of(const lmb_skeleton *from)
{
    int32_t parents[JOINTS];
    lmb_transform rest[JOINTS];
    const char *names[JOINTS];
    const int32_t head = lmb_skeleton_find(from, "head");
    for (uint32_t j = 0; j < JOINTS; ++j) {
        const bool own = j < BODY_JOINTS;
        parents[j] = own ? from->parents[j] : head;
        rest[j] = own ? from->rest[j] : lmb_transform_identity();
        names[j] = own ? from->names[j] : extra[j - BODY_JOINTS];
        if (!own) {
            rest[j].translation = lmb_vec3_make(j % 2 == 0 ? 0.03f : -0.03f, 0.08f, 0.08f);
        }
    }
    lmb_skeleton *out = NULL;
    const lmb_skeleton def = {
        .joint_count = JOINTS, .parents = parents, .rest = rest, .names = names};
    if (from->joint_count < BODY_JOINTS || lmb_skeleton_create(&def, NULL, &out, NULL) != LMB_OK) {
        exit(1);
    }
    return out;
}

/// What the ends have to follow: the walk, with arms that swing wider than its own.
static void record(stage *s, const lmb_character *walk)
{
    lmb_transform pose[JOINTS];
    lmb_mat4 model[JOINTS];
    for (int f = 0; f < FRAMES; ++f) {
        memcpy(pose, s->skeleton->rest, sizeof(pose));
        lmb_sample(&(lmb_sample_job){.clip = walk->clips[0],
                                     .time_s = f / 60.0,
                                     .mode = LMB_PLAY_LOOP,
                                     .joint_count = walk->skeleton->joint_count,
                                     .pose = pose});
        pose[0].translation.z = 1.35f * (float)f / 60.0f;
        lmb_pose_to_model(&(lmb_pose_to_model_job){
            .skeleton = s->skeleton, .local = pose, .model_from_joint = model});
        for (int j = 0; j < JOINTS; ++j) {
            s->places[f][j] = lmb_mat4_translation(model[j]);
        }
    }
}

static int rising(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static lmb_ik_full_body_report solve(const stage *s, lmb_transform *pose, const lmb_goal *goals,
                                     uint32_t count, float *left)
{
    return lmb_ik_full_body(&(lmb_ik_full_body_job){.skeleton = s->skeleton,
                                                    .local = pose,
                                                    .limits = s->limits,
                                                    .goal_count = count,
                                                    .goals = goals,
                                                    .scratch = s->scratch,
                                                    .scratch_size = s->scratch_size,
                                                    .residuals = left});
}

static void follow(const stage *s)
{
    static double times[ROUNDS * FRAMES];
    double iterations = 0.0, worst = 0.0, total = 0.0;
    uint32_t count = 0, freedoms = 0;
    lmb_transform pose[JOINTS];
    memcpy(pose, s->skeleton->rest, sizeof(pose));
    for (int f = 0; f < ROUNDS * FRAMES; ++f) {
        const int frame = f % FRAMES;
        lmb_goal goals[ENDS] = {{0}};
        float left[ENDS];
        for (int e = 0; e < ENDS; ++e) {
            goals[e].joint = (uint32_t)lmb_skeleton_find(s->skeleton, ends[e]);
            goals[e].target = s->places[frame][goals[e].joint];
        }
        const double begun = lmb_clock_s();
        const lmb_ik_full_body_report report = solve(s, pose, goals, ENDS, left);
        const double took = lmb_clock_s() - begun;
        if (frame > 0) {
            times[count++] = took;
            total += took;
            iterations += report.iterations;
            freedoms = report.freedoms;
            for (int e = 0; e < ENDS; ++e) {
                worst = (double)left[e] > worst ? (double)left[e] : worst;
            }
        }
    }
    qsort(times, count, sizeof(*times), rising);
    printf("  \"follow\": {\"joints\": %d, \"ends\": %d, \"freedoms\": %u, \"median_us\": %.2f, "
           "\"mean_us\": %.2f, \"p99_us\": %.2f, \"iterations\": %.2f, \"worst_mm\": %.3f},\n",
           JOINTS, ENDS, (unsigned)freedoms, 1e6 * times[count / 2], 1e6 * total / count,
           1e6 * times[count * 99 / 100], iterations / count, 1e3 * worst);
}

/// From the rest pose to the walk's poses, all joints given.
static void recover(const stage *s)
{
    double best = 1e30, iterations = 0.0;
    for (int round = 0; round < 5; ++round) {
        const double begun = lmb_clock_s();
        iterations = 0.0;
        for (int p = 0; p < POSES; ++p) {
            lmb_goal goals[JOINTS] = {{0}};
            lmb_transform pose[JOINTS];
            memcpy(pose, s->skeleton->rest, sizeof(pose));
            for (uint32_t j = 0; j < JOINTS; ++j) {
                goals[j] = (lmb_goal){.joint = j, .target = s->places[p][j]};
            }
            iterations += solve(s, pose, goals, JOINTS, NULL).iterations;
        }
        const double took = (lmb_clock_s() - begun) / POSES;
        best = took < best ? took : best;
    }
    printf("  \"recover\": {\"joints\": %d, \"goals\": %d, \"us\": %.2f, \"iterations\": %.2f}\n",
           JOINTS, JOINTS, 1e6 * best, iterations / POSES);
}

int main(void)
{
    static stage s;
    lmb_character *walk = NULL;
    if (lmb_motion_create(&(lmb_motion_opts){.kind = LMB_MOTION_WALK}, NULL, &walk, NULL) !=
        LMB_OK) {
        return 1;
    }
    lmb_skeleton *skeleton = skeleton_of(walk->skeleton);
    lmb_body_part parts[JOINTS];
    for (int j = 0; j < JOINTS; ++j) {
        parts[j] = test_part(skeleton->names[j]);
    }
    s.skeleton = skeleton;
    lmb_human_limits(skeleton, parts, lmb_vec3_make(0, 0, 1), s.limits);
    s.scratch_size = lmb_ik_full_body_scratch(JOINTS, JOINTS);
    s.scratch = malloc(s.scratch_size);
    record(&s, walk);
    printf("{\n  \"bench\": \"body_ik\",\n  \"build\": \"%s\",\n", LMBI_BUILD);
    follow(&s);
    recover(&s);
    printf("}\n");
    free(s.scratch);
    lmb_skeleton_destroy(skeleton);
    lmb_character_destroy(walk);
    return 0;
}
