// What a face can do, and a clip in which it does one of it: an expression comes and goes.
//     build/samples/29_face hero.vrm happy smiling.glb
#include <stdio.h>
#include <stdlib.h>

#include "limber/limber.h"
#include "limber/os.h"

enum { KEYS = 3 };

static int fail(const char *what, const lmb_error *error)
{
    fprintf(stderr, "%s: expected %s, found %s\n", what, error->expected, error->found);
    return 1;
}

static void tell(const lmb_face *face)
{
    for (uint32_t k = 0; k < face->expression_count; ++k) {
        const lmb_expression *e = &face->expressions[k];
        printf("%-16s %s, pulls %u morph targets\n", e->name,
               e->is_preset   ? "preset"
               : e->is_target ? "morph target"
                              : "custom",
               (unsigned)e->bind_count);
    }
}

// An empty clip of a second, and what the face does in it.
static lmb_result make_clip(const lmb_character *hero, const lmb_face *face, const char *name,
                            lmb_clip **out, lmb_face_report *report, lmb_error *error)
{
    float times[KEYS] = {0, 0.5f, 1}, values[KEYS] = {0, 1, 0};
    const lmb_face_motion motion = {
        .track_count = 1, .key_count = KEYS, .names = &name, .times_s = times, .values = values};
    const lmb_clip nothing = {.name = name, .duration = 1};
    lmb_clip *still = NULL;
    lmb_result result = lmb_clip_create(&nothing, NULL, &still, error);
    if (result == LMB_OK) {
        result = lmb_face_apply(
            &(lmb_face_apply_job){
                .character = hero, .face = face, .motion = &motion, .clip = still},
            NULL, out, report, error);
    }
    lmb_clip_destroy(still);
    return result;
}

// The character with that clip instead of its own.
static lmb_result write_with(const lmb_character *hero, lmb_clip *clip, const char *path,
                             lmb_error *error)
{
    lmb_character with = *hero;
    lmb_buffer glb = {0};
    with.clip_count = 1;
    with.clips = &clip;
    lmb_result result = lmb_gltf_write(&with, NULL, NULL, &glb, error);
    if (result == LMB_OK) {
        result = lmb_file_write(path, glb.data, glb.size, error);
    }
    lmb_buffer_free(&glb);
    return result;
}

int main(int argc, char **argv)
{
    lmb_file file = {0};
    lmb_character *hero = NULL;
    lmb_face *face = NULL;
    lmb_clip *clip = NULL;
    lmb_face_report report = {0};
    lmb_error error = {0};
    if (argc != 4 || lmb_file_read(argv[1], 0, &file, &error) != LMB_OK ||
        lmb_gltf_read(file.data, file.size, NULL, NULL, &hero, &error) != LMB_OK ||
        lmb_face_create(hero, NULL, &face, &error) != LMB_OK) {
        return fail("hero.vrm", &error);
    }
    tell(face);
    if (make_clip(hero, face, argv[2], &clip, &report, &error) != LMB_OK) {
        return fail(argv[2], &error);
    }
    if (report.matched == 0) {
        fprintf(stderr, "the face has no %s\n", argv[2]);
        return 1;
    }
    if (write_with(hero, clip, argv[3], &error) != LMB_OK) {
        return fail(argv[3], &error);
    }
    lmb_clip_destroy(clip);
    lmb_face_destroy(face);
    lmb_character_destroy(hero);
    lmb_file_free(&file);
    return 0;
}
