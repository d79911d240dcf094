// A motion that comes frame by frame: put on a character while it comes, and kept whole.
//     build/samples/28_bvh_stream hero.glb < walk.bvh
#include <stdio.h>
#include <stdlib.h>

#include "limber/limber.h"
#include "limber/os.h"

static int fail(const char *what, const lmb_error *error)
{
    fprintf(stderr, "%s: expected %s, found %s\n", what, error->expected, error->found);
    return 1;
}

// As soon as one frame is there, it is known who moves.
static lmb_result begin(lmb_receiver *stream, const lmb_character *hero, lmb_live **live,
                        lmb_transform **from, lmb_transform **to, lmb_error *error)
{
    lmb_character *sender = NULL;
    lmb_result result = lmb_receiver_character(stream, NULL, &sender, error);
    if (result == LMB_OK) {
        *from = calloc(sender->skeleton->joint_count, sizeof **from);
        *to = calloc(hero->skeleton->joint_count, sizeof **to);
        result = lmb_live_create(hero, sender, NULL, NULL, live, error);
    }
    lmb_character_destroy(sender);
    return result;
}

static int finish(lmb_receiver *stream)
{
    lmb_character *take = NULL;
    lmb_error error = {0};
    if (lmb_receiver_character(stream, NULL, &take, &error) != LMB_OK) {
        return fail("the stream", &error);
    }
    const lmb_receiver_report report = lmb_receiver_describe(stream);
    printf("%llu frames of %u joints, %.2f s; %llu pieces were no frames\n",
           (unsigned long long)report.frames, (unsigned)take->skeleton->joint_count,
           (double)lmb_clip_duration_s(take->clips[0]), (unsigned long long)report.malformed);
    lmb_character_destroy(take);
    return 0;
}

int main(int argc, char **argv)
{
    lmb_file file = {0};
    lmb_character *hero = NULL;
    lmb_receiver *stream = NULL;
    lmb_live *live = NULL;
    lmb_transform *from = NULL, *to = NULL;
    lmb_error error = {0};
    const lmb_receiver_opts opts = {.kind = LMB_RECEIVER_BVH};
    if (argc != 2 || lmb_file_read(argv[1], 0, &file, &error) != LMB_OK ||
        lmb_gltf_read(file.data, file.size, NULL, NULL, &hero, &error) != LMB_OK ||
        lmb_receiver_create(&opts, NULL, &stream, &error) != LMB_OK) {
        return fail("hero.glb", &error);
    }
    // What comes over a network comes in pieces of any length.
    uint8_t bytes[1400];
    uint32_t shown = 0;
    for (size_t size; (size = fread(bytes, 1, sizeof bytes, stdin)) > 0;) {
        const double now = lmb_clock_s();
        if (lmb_receiver_receive(stream, bytes, size, now, false) == 0) {
            continue;
        }
        if (live == NULL && begin(stream, hero, &live, &from, &to, &error) != LMB_OK) {
            return fail("the stream", &error);
        }
        shown += lmb_receiver_pose(stream, now, NULL, from, NULL);
        lmb_live_step(live, from, to); // `to` is the hero's pose: skin it, draw it
    }
    printf("%u poses shown\n", (unsigned)shown);
    const int code = finish(stream);
    lmb_live_destroy(live);
    lmb_receiver_destroy(stream);
    lmb_character_destroy(hero);
    lmb_file_free(&file);
    free(from);
    free(to);
    return code;
}
