// Paints: around a joint of a character the skin is made to follow it alone, both sides at once,
// and the rim is smoothed; then everything is taken back and done again, as an editor's buttons do.
//     build/samples/19_paint rigged.glb leftLowerArm painted.glb
#include <stdio.h>
#include <stdlib.h>

#include "character_file.h"

/// One stroke: the joint's own skin at its place, then the rim around it.
static uint32_t paint(lmb_painter *painter, uint32_t joint, lmb_vec3 at, lmb_error *error)
{
    lmb_brush brush = {.op = LMB_BRUSH_REPLACE,
                       .joint = joint,
                       .at = at,
                       .radius = 0.15f,
                       .value = 1,
                       .both_sides = true};
    lmb_result result = lmb_painter_dab(painter, &brush, error);
    brush.op = LMB_BRUSH_SMOOTH;
    brush.radius = 0.2f;
    brush.strength = 0.5f;
    for (int round = 0; result == LMB_OK && round < 3; ++round) {
        result = lmb_painter_dab(painter, &brush, error);
    }
    return result == LMB_OK ? lmb_painter_end_stroke(painter) : 0;
}

int main(int argc, char **argv)
{
    lmb_character *character = argc == 4 ? read_character(argv[1]) : NULL;
    if (!character) {
        fprintf(stderr, "19_paint RIGGED.glb JOINT OUT.glb\n");
        return 2;
    }
    const int32_t joint = lmb_skeleton_find(character->skeleton, argv[2]);
    const lmb_painter_opts opts = {.normal = {1, 0, 0}}; // the character is symmetric about x = 0
    lmb_mat4 *model = malloc(character->skeleton->joint_count * sizeof *model);
    lmb_painter *painter = NULL;
    lmb_error error = {0};
    int code = 1;
    if (joint == LMB_NONE || !model) {
        fprintf(stderr, "19_paint: there is no joint %s\n", argv[2]);
    } else if (lmb_painter_create(character, &opts, NULL, &painter, &error) != LMB_OK) {
        fprintf(stderr, "19_paint: expected %s, found %s\n", error.expected, error.found);
    } else {
        lmb_pose_to_model(
            &(lmb_pose_to_model_job){.skeleton = character->skeleton, .model_from_joint = model});
        const uint32_t changed =
            paint(painter, (uint32_t)joint, lmb_mat4_translation(model[joint]), &error);
        printf("%u of %u vertices changed\n", changed, lmb_painter_surface(painter)->vertex_count);
        const bool undone = lmb_painter_undo(painter), redone = undone && lmb_painter_redo(painter);
        printf("taken back: %s, done again: %s\n", undone ? "yes" : "no", redone ? "yes" : "no");
        const bool stored = lmb_painter_store(painter, &character, &error) == LMB_OK;
        code = changed > 0 && stored && write_character(character, argv[3]) ? 0 : 1;
    }
    lmb_painter_destroy(painter);
    lmb_character_destroy(character);
    free(model);
    return code;
}
