// Puts one walk on bodies of other proportions, a child's and a giant's, and tells how still feet
// stand.
//     build/samples/21_proportions
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "limber/limber.h"

/// The body of a made motion with every bone as long as `scale`, and legs `legs` times that.
static lmb_character *make_body(const lmb_character *of, float scale, float legs)
{
    lmb_skeleton def = *of->skeleton;
    lmb_character body = {.name = "body"}, *out = NULL;
    lmb_transform *rest = calloc(def.joint_count, sizeof(*rest));
    for (uint32_t j = 0; rest != NULL && j < def.joint_count; ++j) {
        rest[j] = of->skeleton->rest[j];
        rest[j].translation = lmb_vec3_scale(rest[j].translation, scale);
    }
    lmb_joint_map map;
    if (rest == NULL || lmb_joint_map_make(of->skeleton, NULL, &map, NULL) != LMB_OK) {
        exit(1);
    }
    static const lmb_human_bone shins_and_feet[] = {LMB_HUMAN_LEFT_LOWER_LEG, LMB_HUMAN_LEFT_FOOT,
                                                    LMB_HUMAN_RIGHT_LOWER_LEG,
                                                    LMB_HUMAN_RIGHT_FOOT};
    float lower = 0.0f; // how much the legs are shorter: the hips are lower by that
    for (int k = 0; k < 4; ++k) {
        lmb_vec3 *bone = &rest[map.bones[shins_and_feet[k]].joint].translation;
        lower += 0.5f * (1.0f - legs) * lmb_vec3_length(*bone);
        *bone = lmb_vec3_scale(*bone, legs);
    }
    rest[map.bones[LMB_HUMAN_HIPS].joint].translation.y -= lower;
    def.rest = rest;
    if (lmb_skeleton_create(&def, NULL, &body.skeleton, NULL) != LMB_OK ||
        lmb_character_create(&body, NULL, &out, NULL) != LMB_OK) {
        exit(1);
    }
    free(rest);
    return out;
}

static lmb_vec3 toe_at(const lmb_character *body, const lmb_clip *clip, int32_t toe, double time_s)
{
    static lmb_transform pose[128];
    static lmb_mat4 model[128];
    lmb_clip_to_model(clip, body->skeleton, time_s, pose, model);
    return lmb_mat4_translation(model[toe]);
}

/// The longest time in which the toe hardly moves: less than a thousandth of the legs a frame.
static double longest_stance(const lmb_character *body, const lmb_clip *clip, int32_t toe,
                             float still)
{
    double longest = 0.0, now = 0.0;
    const double step = 1.0 / 60.0;
    for (double t = step; t < (double)lmb_clip_duration_s(clip); t += step) {
        const lmb_vec3 a = toe_at(body, clip, toe, t - step), b = toe_at(body, clip, toe, t);
        now = lmb_vec3_distance(a, b) < still ? now + step : 0.0;
        longest = now > longest ? now : longest;
    }
    return longest;
}

int main(void)
{
    static const struct {
        const char *name;
        float scale, legs;
    } bodies[] = {{"grown-up", 1.0f, 1.0f}, {"child", 0.6f, 0.8f}, {"giant", 3.0f, 1.15f}};
    lmb_character *walk = NULL;
    if (lmb_motion_create(&(lmb_motion_opts){.kind = LMB_MOTION_WALK}, NULL, &walk, NULL) !=
        LMB_OK) {
        return 1;
    }
    for (int k = 0; k < 3; ++k) {
        lmb_character *body = make_body(walk, bodies[k].scale, bodies[k].legs);
        lmb_clip *clip = NULL;
        lmb_retarget_report report;
        if (lmb_retarget(body, walk, 0, NULL, NULL, &clip, &report, NULL) != LMB_OK) {
            return 1;
        }
        const int32_t toe = report.target_map.bones[LMB_HUMAN_LEFT_TOES].joint;
        printf("%-8s legs %.2f times as long, the left toe stands still for %.2f s of %.2f\n",
               bodies[k].name, (double)report.scale,
               longest_stance(body, clip, toe, 0.001f * report.scale),
               (double)lmb_clip_duration_s(clip));
        lmb_clip_destroy(clip);
        lmb_character_destroy(body);
    }
    lmb_character_destroy(walk);
    return 0;
}
