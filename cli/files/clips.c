/// A character's clips: found by the name that was typed, and put in front.
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

static cli_exit unknown_clip(const cli_run *cli, const lmb_character *character, const char *clip)
{
    char list[400] = "";
    for (uint32_t i = 0; i < character->clip_count; ++i) {
        const size_t length = strlen(list);
        const char *name = character->clips[i]->name;
        snprintf(list + length, sizeof(list) - length, "%s%u \"%s\"", i > 0 ? ", " : "", i,
                 name != NULL ? name : "");
    }
    if (character->clip_count == 0) {
        return cli_fail(cli, CLI_USAGE, "--clip %s: the file has no clips", clip);
    }
    return cli_fail(cli, CLI_USAGE, "--clip %s: there is no such clip; there are %s", clip, list);
}

cli_exit cli_clip_find(const cli_run *cli, const lmb_character *character, const char *clip,
                       uint32_t *out)
{
    for (uint32_t i = 0; i < character->clip_count; ++i) {
        const char *name = character->clips[i]->name;
        if (name != NULL && strcmp(name, clip) == 0) {
            *out = i;
            return CLI_DONE;
        }
    }
    char *end = NULL;
    const long index = strtol(clip, &end, 10);
    if (end != clip && *end == 0 && index >= 0 && (unsigned long)index < character->clip_count) {
        *out = (uint32_t)index;
        return CLI_DONE;
    }
    return unknown_clip(cli, character, clip);
}

cli_exit cli_clip_rename(const cli_run *cli, lmb_clip **clip, const char *name)
{
    lmb_clip def = **clip, *renamed = NULL;
    lmb_error error = {0};
    def.name = name;
    const lmb_result result = lmb_clip_create(&def, NULL, &renamed, &error);
    if (result != LMB_OK) {
        return cli_fail_call(cli, "the clip", result, &error);
    }
    lmb_clip_destroy(*clip);
    *clip = renamed;
    return CLI_DONE;
}

void cli_carried_say(const cli_run *cli, uint32_t count)
{
    if (count > 0) {
        cli_say(cli, "carried", "%u joint%s that hang%s beside the body", (unsigned)count,
                count == 1 ? "" : "s", count == 1 ? "s" : "");
    }
}

cli_exit cli_clip_carry(const cli_run *cli, const lmb_character *character, lmb_clip **clip)
{
    lmb_chain_map chains;
    int32_t joints[LMB_BODY_JOINTS];
    uint32_t count = 0;
    lmb_error error = {0};
    lmb_result result = lmb_chain_map_find(character->skeleton, NULL, &chains, &error);
    if (result == LMB_OK) {
        result = lmb_clip_carry(character, joints, lmb_body_joints(NULL, &chains, joints), NULL,
                                clip, &count, &error);
    }
    if (result != LMB_OK && result != LMB_ERROR_UNSUPPORTED) {
        return cli_fail_call(cli, "the clip", result, &error);
    }
    cli_carried_say(cli, count);
    return CLI_DONE;
}

cli_exit cli_clip_put_first(cli_run *cli, lmb_character **character, lmb_clip *clip, bool alone)
{
    lmb_character *old = *character, def = *old;
    def.clip_count = alone ? 1 : old->clip_count + 1;
    def.clips = cli_resize(NULL, def.clip_count, sizeof(lmb_clip *));
    def.clips[0] = clip;
    for (uint32_t i = 1; i < def.clip_count; ++i) {
        def.clips[i] = old->clips[i - 1];
    }
    lmb_error error = {0};
    const lmb_result result = lmb_character_create(&def, NULL, character, &error);
    free(def.clips);
    if (result != LMB_OK) {
        lmb_clip_destroy(clip);
        return cli_fail_call(cli, "the result", result, &error);
    }
    for (uint32_t i = 0; alone && i < old->clip_count; ++i) {
        lmb_clip_destroy(old->clips[i]);
    }
    lmb_character_release(old);
    return CLI_DONE;
}
