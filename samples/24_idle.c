// A person and a dog that stand: breath, weight from leg to leg over planted feet, eyes on somebody
// who walks by. Every frame after sampling, without allocation.
//     build/samples/24_idle
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bodies/bodies.h"
#include "limber/limber.h"

static bool stand(lmb_made_body_kind kind, const char *name)
{
    lmb_made_body *made = NULL;
    lmb_gait_body body;
    lmb_idle *idle = NULL;
    const lmb_made_body_opts opts = {
        .kind = kind, .rigged = true, .whole = true, .triangle_count = 2000};
    const lmb_idle_opts how = {
        .seed = 4, .breath = 1, .shift = 1, .look = LMB_IDLE_ABOUT, .eyes = {LMB_NONE, LMB_NONE}};
    bool fine =
        lmb_made_body_create(&opts, NULL, &made, NULL) == LMB_OK &&
        lmb_gait_body_find(made->character, NULL, &body, NULL) == LMB_OK &&
        lmb_idle_create(made->character->skeleton, &body, &how, NULL, &idle, NULL) == LMB_OK;
    const lmb_skeleton *skeleton = fine ? made->character->skeleton : NULL;
    lmb_transform *pose = fine ? calloc(skeleton->joint_count, sizeof *pose) : NULL;
    float missed = 0;
    fine = pose != NULL;
    for (int frame = 0; fine && frame <= 60 * 16; ++frame) {
        memcpy(pose, skeleton->rest, skeleton->joint_count * sizeof *pose); // or any clip's
        const lmb_idle_report r = lmb_idle_step(idle, pose, frame > 0 ? 1.0f / 60 : 0);
        missed = r.missed_m > missed ? r.missed_m : missed;
        if (frame % 240 == 0) {
            printf("%s at %4.1f s: weight %+.2f, head %+5.1f degrees aside\n", name, frame / 60.0,
                   (double)r.lean, (double)r.head_rad[0] * 180 / (double)LMB_PI);
        }
    }
    if (fine) {
        printf("%s: feet within %.3f mm\n", name, 1e3 * (double)missed);
    }
    free(pose);
    lmb_idle_destroy(idle);
    lmb_made_body_destroy(made);
    return fine;
}

int main(void)
{
    return stand(LMB_MADE_HUMANOID, "person") && stand(LMB_MADE_QUADRUPED, "dog") ? 0 : 1;
}
