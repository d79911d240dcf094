#include "cli/files/limb.h"

#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------------------------------- reading

static lmb_result unpack_clips(const lmb_limb_file *limb, lmb_clip **clips, lmb_error *error)
{
    for (uint32_t k = 0; k < limb->packed_count; ++k) {
        const lmb_result result =
            lmb_packed_clip_unpack(limb->packed[k], limb->skeleton, NULL, &clips[k], error);
        if (result != LMB_OK) {
            return result;
        }
    }
    return LMB_OK;
}

lmb_result cli_limb_read(cli_bytes bytes, lmb_character **out, lmb_error *error)
{
    lmb_limb_file *limb = NULL;
    lmb_result result = lmb_limb_file_read(bytes.data, bytes.size, NULL, &limb, error);
    if (result != LMB_OK) {
        return result;
    }
    const uint32_t count = limb->clip_count + limb->packed_count;
    lmb_clip **clips = cli_resize(NULL, count + 1, sizeof(*clips));
    memset(clips, 0, (count + 1) * sizeof(*clips));
    result = unpack_clips(limb, clips + limb->clip_count, error);
    if (result == LMB_OK) {
        for (uint32_t k = 0; k < limb->clip_count; ++k) {
            clips[k] = limb->clips[k];
        }
        const lmb_character def = {.skeleton = limb->skeleton, .clip_count = count, .clips = clips};
        result = lmb_character_create(&def, NULL, out, error);
    }
    if (result == LMB_OK) {
        limb->skeleton = NULL; // the character's now
        limb->clip_count = 0;
    } else {
        for (uint32_t k = limb->clip_count; k < count; ++k) {
            lmb_clip_destroy(clips[k]);
        }
    }
    free(clips);
    lmb_limb_file_destroy(limb);
    return result;
}

// ---------------------------------------------------------------------------------------- writing

lmb_result cli_limb_write(const lmb_character *character, lmb_buffer *out, lmb_error *error)
{
    const lmb_limb_file limb = {.skeleton = character->skeleton,
                                .clip_count = character->clip_count,
                                .clips = character->clips};
    return lmb_limb_file_write(&limb, NULL, out, error);
}

static void say_packed(const cli_run *cli, const lmb_packed_clip *packed)
{
    char bytes[32];
    const double raw = 40.0 * packed->joint_count * packed->sample_count;
    const uint64_t size = lmb_packed_clip_bytes(packed);
    cli_say(cli, packed->name != NULL && packed->name[0] != 0 ? packed->name : "clip",
            "%s bytes, 1/%.1f of its poses, within %.4g mm", cli_grouped(size, bytes),
            raw / (double)size, (double)packed->error_m * 1000);
    if (packed->error_m > packed->precision_m) {
        cli_warn(cli, "%s: keys between samples keep it from the %g m asked for",
                 packed->name != NULL ? packed->name : "clip", (double)packed->precision_m);
    }
}

static bool has_skin(const lmb_character *character)
{
    return character->instance_count > 0;
}

cli_exit cli_limb_compress(cli_run *cli, const lmb_character *character, float precision_m,
                           lmb_buffer *out)
{
    float *reach = cli_resize(NULL, character->skeleton->joint_count + 1, sizeof(*reach));
    lmb_character_reach(character, reach);
    const lmb_pack_opts opts = {.precision_m = precision_m,
                                .reach_m = has_skin(character) ? reach : NULL,
                                .jobs = &cli->jobs,
                                .progress = cli->progress_or_null};
    lmb_limb_file limb = {.skeleton = character->skeleton};
    limb.packed = cli_resize(NULL, character->clip_count + 1, sizeof(*limb.packed));
    lmb_error error = {0};
    lmb_result result = LMB_OK;
    while (result == LMB_OK && limb.packed_count < character->clip_count) {
        lmb_packed_clip *packed = NULL;
        result = lmb_packed_clip_create(character->skeleton, character->clips[limb.packed_count],
                                        &opts, NULL, &packed, &error);
        if (result == LMB_OK) {
            limb.packed[limb.packed_count++] = packed;
        }
    }
    cli_progress_end(cli);
    for (uint32_t k = 0; result == LMB_OK && k < limb.packed_count; ++k) {
        say_packed(cli, limb.packed[k]);
    }
    if (result == LMB_OK) {
        result = lmb_limb_file_write(&limb, NULL, out, &error);
    }
    for (uint32_t k = 0; k < limb.packed_count; ++k) {
        lmb_packed_clip_destroy(limb.packed[k]);
    }
    free(limb.packed);
    free(reach);
    return result == LMB_OK ? CLI_DONE : cli_fail_call(cli, "compressing", result, &error);
}
