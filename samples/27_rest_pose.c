// A figure that stands with its arms down gets a skeleton and is brought to a T-pose by it: the mesh
// follows its new skin once, and skeleton and mesh are at rest there.
//     build/samples/27_rest_pose [DEGREES] [OUT.glb]     how far the arms of the made figure hang
#include <stdio.h>
#include <stdlib.h>

#include "bodies/bodies.h"
#include "character_file.h"

int main(int argc, char **argv)
{
    const float degrees = argc > 1 ? (float)atof(argv[1]) : 60;
    const lmb_made_body_opts figure = {.seed = 4,
                                       .pose = LMB_MADE_POSE_A,
                                       .arm_angle_rad = degrees / 180 * LMB_PI,
                                       .triangle_count = 8000,
                                       .whole = true};
    const lmb_rig_opts opts = {.rest = LMB_REST_T};
    lmb_error error = {0};
    lmb_rig_report report;
    lmb_made_body *body = NULL;
    lmb_result result = lmb_made_body_create(&figure, NULL, &body, &error);
    if (result == LMB_OK) {
        result = lmb_rig(&body->character, &opts, &report, NULL, &error);
    }
    if (result == LMB_OK) {
        const lmb_embedding *e = &report.embedding;
        const lmb_vec3 shoulder = e->joints[e->human[LMB_HUMAN_LEFT_UPPER_ARM]],
                       wrist = e->joints[e->human[LMB_HUMAN_LEFT_HAND]];
        printf(
            "%u bones turned, by %.0f degrees at most; the wrist lies %.3f m beside the shoulder "
            "and %.3f above it\n",
            report.rotated_count, 180 / (double)LMB_PI * (double)report.rotated_rad,
            (double)(wrist.x - shoulder.x), (double)(wrist.y - shoulder.y));
        if (argc > 2 && !write_character(body->character, argv[2])) {
            fprintf(stderr, "%s could not be written\n", argv[2]);
            result = LMB_ERROR_INVALID;
        }
    } else {
        fprintf(stderr, "expected %s, found %s\n", error.expected, error.found);
    }
    lmb_made_body_destroy(body);
    return result == LMB_OK ? 0 : 1;
}
