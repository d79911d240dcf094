// Puts a made walk on a rigged humanoid of your own and writes the result.
//     build/samples/03_retarget hero.glb walking.glb
#include <stdio.h>

#include "limber/limber.h"
#include "limber/os.h"

static int fail(const char *what, const lmb_error *error)
{
    fprintf(stderr, "%s: expected %s, found %s\n", what, error->expected, error->found);
    return 1;
}

/// Which joint was taken for what, and how sure that is.
static void print_map(const lmb_character *hero, const lmb_joint_map *map)
{
    for (int bone = 0; bone < LMB_HUMAN_BONE_COUNT; ++bone) {
        const lmb_bone_match *match = &map->bones[bone];
        if (match->joint >= 0) {
            printf("%-16s %-24s by %s\n", lmb_human_bone_name((lmb_human_bone)bone),
                   hero->skeleton->names[match->joint], lmb_map_reason_name(match->reason));
        }
    }
}

/// The character with one more clip. An asset is edited by building a new one from a changed
/// definition.
static lmb_result add_clip(lmb_character **hero, lmb_clip *clip, lmb_error *error)
{
    enum { MOST = 256 };
    lmb_clip *clips[MOST] = {clip};
    lmb_character def = **hero, *old = *hero;
    def.clip_count = 1;
    for (uint32_t i = 0; i < old->clip_count && def.clip_count < MOST; ++i) {
        clips[def.clip_count++] = old->clips[i];
    }
    def.clips = clips;
    const lmb_result result = lmb_character_create(&def, NULL, hero, error);
    if (result == LMB_OK) {
        lmb_character_release(old);
    }
    return result;
}

int main(int argc, char **argv)
{
    lmb_error error = {0};
    lmb_file file;
    lmb_character *hero = NULL, *walk = NULL;
    lmb_clip *clip = NULL;
    lmb_retarget_report report;
    lmb_buffer out = {0};
    if (argc != 3) {
        fputs("usage: 03_retarget HERO.glb OUT.glb\n", stderr);
        return 2;
    }
    if (lmb_file_read(argv[1], 0, &file, &error) != LMB_OK ||
        lmb_gltf_read(file.data, file.size, NULL, NULL, &hero, &error) != LMB_OK) {
        return fail(argv[1], &error);
    }
    lmb_file_free(&file);
    if (lmb_motion_create(&(lmb_motion_opts){.kind = LMB_MOTION_WALK}, NULL, &walk, &error) !=
            LMB_OK ||
        lmb_retarget(hero, walk, 0, NULL, NULL, &clip, &report, &error) != LMB_OK ||
        add_clip(&hero, clip, &error) != LMB_OK) {
        return fail("walk", &error);
    }
    print_map(hero, &report.target_map);
    printf("%u frames, legs %.2f times as long, %u foot contacts held\n",
           (unsigned)report.frame_count, (double)report.scale, (unsigned)report.contact_count);
    if (lmb_gltf_write(hero, NULL, NULL, &out, &error) != LMB_OK ||
        lmb_file_write(argv[2], out.data, out.size, &error) != LMB_OK) {
        return fail(argv[2], &error);
    }
    lmb_buffer_free(&out);
    lmb_character_destroy(hero);
    lmb_character_destroy(walk);
    return 0;
}
