/// Reads the values of --layer, --over and --add.
#include "cli/blend/blend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KEYS = 16 };

/// A layer as its option has it.
typedef struct layer {
    lmb_blend_clip clip;
    lmb_blend_key keys[KEYS];
    float *mask; ///< NULL: every joint
} layer;

/// W, or W@S,W@S,….
static bool read_keys(const char *text, layer *out)
{
    out->clip.key_count = 0;
    for (char *end = NULL; out->clip.key_count < KEYS; text = end + 1) {
        lmb_blend_key *key = &out->keys[out->clip.key_count++];
        *key = (lmb_blend_key){.weight = strtod(text, &end)};
        bool good = end != text && isfinite(key->weight);
        if (good && *end == '@') {
            text = end + 1;
            key->time_s = strtod(text, &end);
            good = end != text && key->time_s >= (key > out->keys ? key[-1].time_s : 0);
        }
        if (!good || (*end != 0 && *end != ',')) {
            return false;
        }
        if (*end == 0) {
            return true;
        }
    }
    return false;
}

static cli_exit read_mask(const blend_stage *stage, const blend_options *opts, const char *text,
                          layer *out)
{
    const lmb_skeleton *skeleton = stage->character->skeleton;
    const int32_t joint = cli_joint_named(skeleton, text);
    if (joint == LMB_NONE) {
        return cli_fail(stage->cli, CLI_USAGE,
                        "%s: no joint of that name to mask by, and no part of a humanoid", text);
    }
    out->mask = cli_resize(NULL, skeleton->joint_count, sizeof(float));
    memset(out->mask, 0, skeleton->joint_count * sizeof(float));
    lmb_mask_branch(skeleton, (uint32_t)joint, 1, (uint32_t)opts->feather, out->mask);
    return CLI_DONE;
}

static bool is_clip(blend_stage *stage, const char *text)
{
    for (uint32_t i = 0; i < stage->character->clip_count; ++i) {
        const char *name = stage->character->clips[i]->name;
        if (name != NULL && strcmp(name, text) == 0) {
            return true;
        }
    }
    return false;
}

/// Splits ":WEIGHT:MASK" off the end. Names of clips and of joints may have colons too ("mixamorig:Spine"):
/// the weight is the last part that reads as one, the mask all behind it.
static cli_exit split(blend_stage *stage, const blend_options *opts, char *text, layer *out)
{
    if (is_clip(stage, text) || strchr(text, ':') == NULL) {
        return CLI_DONE;
    }
    char *mask = NULL;
    for (char *colon = strrchr(text, ':'); colon != NULL; colon = strrchr(text, ':')) {
        *colon = 0;
        if (read_keys(colon + 1, out)) {
            return mask != NULL ? read_mask(stage, opts, mask, out) : CLI_DONE;
        }
        if (mask != NULL) {
            mask[-1] = ':';
        }
        mask = colon + 1;
    }
    return cli_fail(stage->cli, CLI_USAGE,
                    "%s: expected CLIP, CLIP:WEIGHT or CLIP:WEIGHT:MASK, WEIGHT a number or "
                    "W@S,W@S,…",
                    mask);
}

static cli_exit read_layer(blend_stage *stage, const blend_options *opts, lmb_blend_kind kind,
                           const char *text, layer *out)
{
    char *copy = cli_resize(NULL, strlen(text) + 1, 1);
    strcpy(copy, text);
    *out = (layer){.clip.kind = kind};
    cli_exit code = split(stage, opts, copy, out);
    if (code == CLI_DONE) {
        code = blend_stage_clip(stage, copy, &out->clip.clip);
    }
    free(copy);
    const double low = kind == LMB_BLEND_ADD ? -1 : 0, high = kind == LMB_BLEND_MIX ? 1e6 : 1;
    for (uint32_t k = 0; k < out->clip.key_count && code == CLI_DONE; ++k) {
        if (!(out->keys[k].weight >= low && out->keys[k].weight <= high)) {
            code =
                cli_fail(stage->cli, CLI_USAGE, "%s: a weight from %g to %g belongs here, not %g",
                         text, low, high, out->keys[k].weight);
        }
    }
    return code;
}

cli_exit blend_layers_run(blend_stage *stage, const blend_options *opts, lmb_clip **out)
{
    const cli_list *lists[] = {&opts->layers, &opts->over, &opts->add};
    const int total = opts->layers.count + opts->over.count + opts->add.count;
    layer *layers = cli_resize(NULL, (size_t)total, sizeof *layers);
    lmb_blend_clip *clips = cli_resize(NULL, (size_t)total, sizeof *clips);
    int count = 0;
    cli_exit code = CLI_DONE;
    for (int kind = LMB_BLEND_MIX; kind <= LMB_BLEND_ADD; ++kind) {
        for (int k = 0; k < lists[kind]->count && code == CLI_DONE; ++k) {
            code = read_layer(stage, opts, (lmb_blend_kind)kind, lists[kind]->items[k],
                              &layers[count++]);
        }
    }
    for (int k = 0; k < count; ++k) {
        clips[k] = layers[k].clip;
        clips[k].keys = layers[k].keys;
        clips[k].mask = layers[k].mask;
    }
    if (code == CLI_DONE) {
        const lmb_blend_bake_opts bake = {.layers = clips, .layer_count = (uint32_t)count};
        code = blend_bake(stage, opts, bake, out);
    }
    for (int k = 0; k < count; ++k) {
        free(layers[k].mask);
    }
    free(layers);
    free(clips);
    return code;
}
