#include "cli/blend/blend.h"

#include <stdlib.h>
#include <string.h>

void blend_stage_end(blend_stage *stage)
{
    for (uint32_t k = 0; k < stage->clip_count; ++k) {
        if (stage->clips[k].made) {
            lmb_clip_destroy(stage->clips[k].clip);
        }
        free(stage->clips[k].asked);
    }
    for (uint32_t k = 0; k < stage->limb_count; ++k) {
        lmb_limb_file_destroy(stage->limbs[k]);
    }
    free(stage->limbs);
    free(stage->clips);
}

// ------------------------------------------------------------------------------------------ clips

static lmb_clip *own_clip(const lmb_character *character, const char *text)
{
    for (uint32_t i = 0; i < character->clip_count; ++i) {
        const char *name = character->clips[i]->name;
        if (name != NULL && strcmp(name, text) == 0) {
            return character->clips[i];
        }
    }
    char *end = NULL;
    const unsigned long index = strtoul(text, &end, 10);
    const bool is_index =
        text[0] >= '0' && text[0] <= '9' && *end == 0 && index < character->clip_count;
    return is_index ? character->clips[index] : NULL;
}

static bool same_skeleton(const lmb_skeleton *a, const lmb_skeleton *b)
{
    if (a->joint_count != b->joint_count) {
        return false;
    }
    for (uint32_t j = 0; j < a->joint_count; ++j) {
        const float distance = lmb_vec3_distance(a->rest[j].translation, b->rest[j].translation);
        if (a->parents[j] != b->parents[j] || strcmp(a->names[j], b->names[j]) != 0 ||
            distance > 1e-4f) {
            return false;
        }
    }
    return true;
}

/// Takes over a clip of `source`, put on the character's skeleton.
static cli_exit adopt(blend_stage *stage, const char *text, lmb_character *source, uint32_t index,
                      lmb_clip **out)
{
    lmb_error error = {0};
    lmb_result result;
    if (same_skeleton(stage->character->skeleton, source->skeleton)) {
        result = lmb_clip_create(source->clips[index], NULL, out, &error);
    } else {
        lmb_retarget_report report;
        result = lmb_retarget(stage->character, source, index, NULL, NULL, out, &report, &error);
        if (result == LMB_OK) {
            cli_say(stage->cli, text,
                    "put on the character: %u joints matched, %u contacts of the feet held",
                    report.bone_count, report.contact_count);
        }
    }
    return result == LMB_OK ? CLI_DONE : cli_fail_call(stage->cli, text, result, &error);
}

static cli_exit made_clip(blend_stage *stage, const char *text, lmb_clip **out)
{
    lmb_character *source = NULL;
    lmb_error error = {0};
    const lmb_result result =
        lmb_motion_create(&(lmb_motion_opts){.kind = lmb_motion_find(text)}, NULL, &source, &error);
    if (result != LMB_OK) {
        return cli_fail_call(stage->cli, text, result, &error);
    }
    const cli_exit code = adopt(stage, text, source, 0, out);
    lmb_character_destroy(source);
    return code;
}

static cli_exit file_clip(blend_stage *stage, const char *text, lmb_clip **out)
{
    char path[4096];
    const char *hash = strrchr(text, '#');
    const int length = hash != NULL ? (int)(hash - text) : (int)strlen(text);
    lmb_character *source = NULL;
    uint32_t index = 0;
    snprintf(path, sizeof(path), "%.*s", length, text);
    cli_exit code = cli_character_read(stage->cli, path, NULL, NULL, &source);
    if (code == CLI_DONE && source->clip_count == 0) {
        code = cli_fail(stage->cli, CLI_INPUT, "%s: expected a motion, found a file without clips",
                        path);
    }
    if (code == CLI_DONE && hash != NULL) {
        code = cli_clip_find(stage->cli, source, hash + 1, &index);
    }
    if (code == CLI_DONE) {
        code = adopt(stage, text, source, index, out);
    }
    lmb_character_destroy(source);
    return code;
}

static cli_exit unknown(const blend_stage *stage, const char *text)
{
    char list[400] = "";
    for (uint32_t i = 0; i < stage->character->clip_count; ++i) {
        const size_t length = strlen(list);
        const char *name = stage->character->clips[i]->name;
        snprintf(list + length, sizeof(list) - length, "%s%u \"%s\"", i > 0 ? ", " : "", i,
                 name != NULL ? name : "");
    }
    return cli_fail(stage->cli, CLI_USAGE,
                    "%s: neither a clip of the character (%s), nor a made motion (walk, run, idle, "
                    "wave, jump), nor a file",
                    text, list[0] ? list : "it has none");
}

cli_exit blend_stage_clip(blend_stage *stage, const char *text, const lmb_clip **out)
{
    for (uint32_t k = 0; k < stage->clip_count; ++k) {
        if (strcmp(stage->clips[k].asked, text) == 0) {
            *out = stage->clips[k].clip;
            return CLI_DONE;
        }
    }
    lmb_clip *clip = own_clip(stage->character, text);
    const bool own = clip != NULL;
    cli_exit code = CLI_DONE;
    if (!own && lmb_motion_find(text) < LMB_MOTION_COUNT) {
        code = made_clip(stage, text, &clip);
    } else if (!own) {
        code = strpbrk(text, "./") != NULL ? file_clip(stage, text, &clip) : unknown(stage, text);
    }
    if (code != CLI_DONE) {
        return code;
    }
    stage->clips = cli_resize(stage->clips, (size_t)stage->clip_count + 1, sizeof(*stage->clips));
    blend_clip *kept = &stage->clips[stage->clip_count++];
    *kept =
        (blend_clip){.asked = cli_resize(NULL, strlen(text) + 1, 1), .clip = clip, .made = !own};
    strcpy(kept->asked, text);
    *out = clip;
    return CLI_DONE;
}

// ------------------------------------------------------------------------------------- compressed

static const lmb_packed_clip *find_packed(const lmb_limb_file *limb, const char *name)
{
    for (uint32_t k = 0; k < limb->packed_count; ++k) {
        const char *own = limb->packed[k]->name;
        if (name == NULL ? limb->clip_count == 0 : own != NULL && strcmp(own, name) == 0) {
            return limb->packed[k];
        }
    }
    return NULL;
}

cli_exit blend_stage_packed(blend_stage *stage, const char *text, const lmb_packed_clip **out)
{
    char path[4096];
    const char *hash = strrchr(text, '#');
    cli_bytes bytes;
    lmb_limb_file *limb = NULL;
    lmb_error error = {0};
    snprintf(path, sizeof(path), "%.*s", hash != NULL ? (int)(hash - text) : (int)strlen(text),
             text);
    const size_t length = strlen(path);
    *out = NULL;
    if (own_clip(stage->character, text) != NULL || length < 5 ||
        strcmp(path + length - 5, ".limb") != 0) {
        return CLI_DONE;
    }
    const cli_exit code = cli_bytes_read(path, &bytes);
    if (code != CLI_DONE) {
        return code;
    }
    const lmb_result result = lmb_limb_file_read(bytes.data, bytes.size, NULL, &limb, &error);
    free(bytes.data);
    if (result != LMB_OK) {
        return cli_fail_file(path, &error);
    }
    stage->limbs = cli_resize(stage->limbs, (size_t)stage->limb_count + 1, sizeof(*stage->limbs));
    stage->limbs[stage->limb_count++] = limb;
    *out = same_skeleton(stage->character->skeleton, limb->skeleton)
               ? find_packed(limb, hash != NULL ? hash + 1 : NULL)
               : NULL;
    return CLI_DONE;
}
