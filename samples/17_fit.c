// Joint angles from joint positions: a made walk is recorded as points, then fitted with a body
// that is a quarter larger, whose bones come out as long as those that were recorded.
//     build/samples/17_fit
#include <stdio.h>
#include <stdlib.h>

#include "limber/limber.h"

enum { RATE = 60 };

/// Where every joint is, frame by frame.
static lmb_markers *record(const lmb_character *character)
{
    const lmb_skeleton *skeleton = character->skeleton;
    const lmb_clip *clip = character->clips[0];
    const uint32_t joints = skeleton->joint_count,
                   frames = (uint32_t)(lmb_clip_duration_s(clip) * RATE) + 1;
    lmb_transform *pose = malloc(joints * sizeof *pose);
    lmb_mat4 *model = malloc(joints * sizeof *model);
    lmb_vec3 *at = malloc((size_t)frames * joints * sizeof *at);
    for (uint32_t f = 0; f < frames; ++f) {
        lmb_clip_to_model(clip, skeleton, (double)f / RATE, pose, model);
        for (uint32_t j = 0; j < joints; ++j) {
            at[f * joints + j] = lmb_mat4_translation(model[j]);
        }
    }
    lmb_markers *out = NULL;
    const lmb_markers def = {.marker_count = joints,
                             .frame_count = frames,
                             .frame_rate = RATE,
                             .names = skeleton->names,
                             .positions = at};
    (void)lmb_markers_create(&def, NULL, &out, NULL);
    free(pose);
    free(model);
    free(at);
    return out;
}

/// The same body a quarter larger.
static lmb_character *enlarge(const lmb_character *from)
{
    lmb_skeleton def = *from->skeleton;
    lmb_character character = {0}, *out = NULL;
    def.rest = malloc(def.joint_count * sizeof *def.rest);
    for (uint32_t j = 0; j < def.joint_count; ++j) {
        def.rest[j] = from->skeleton->rest[j];
        def.rest[j].translation = lmb_vec3_scale(def.rest[j].translation, 1.25f);
    }
    if (lmb_skeleton_create(&def, NULL, &character.skeleton, NULL) == LMB_OK) {
        (void)lmb_character_create(&character, NULL, &out, NULL);
    }
    free(def.rest);
    return out;
}

int main(void)
{
    lmb_character *walker = NULL;
    lmb_error error;
    if (lmb_motion_create(&(lmb_motion_opts){.kind = LMB_MOTION_WALK}, NULL, &walker, &error) !=
        LMB_OK) {
        return 1;
    }
    lmb_markers *points = record(walker);
    lmb_character *giant = enlarge(walker);
    lmb_fit *fit = NULL;
    if (lmb_fit_points(giant, points, NULL, NULL, &fit, &error) != LMB_OK) {
        fprintf(stderr, "17_fit: %s, found %s\n", error.expected, error.found);
        return 1;
    }
    printf("%u points in %u frames, taken as %s\n", (unsigned)fit->used_count,
           (unsigned)fit->frame_count, fit->kind == LMB_FIT_MARKERS ? "markers" : "positions");
    printf("bones %.2f times the character's, %.2f mm from the points in the mean\n",
           (double)fit->scale, 1e3 * (double)fit->mean_m);
    const int32_t knee = lmb_skeleton_find(fit->subject, "leftLowerLeg");
    printf("left thigh: %.1f cm, recorded %.1f cm\n",
           100 * (double)lmb_vec3_length(fit->subject->rest[knee].translation),
           100 * (double)lmb_vec3_length(walker->skeleton->rest[knee].translation));
    lmb_fit_destroy(fit);
    lmb_markers_destroy(points);
    lmb_character_destroy(giant);
    lmb_character_destroy(walker);
    return 0;
}
