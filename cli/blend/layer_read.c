/// Reads the values of --layer, --over and --add.
#include "cli/blend/layer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool read_ramp(const char *text, blend_ramp *out)
{
    out->count = 0;
    for (char *end = NULL; out->count < BLEND_RAMP; text = end + 1) {
        const int k = out->count++;
        out->values[k] = strtod(text, &end);
        out->times_s[k] = 0;
        bool good = end != text && isfinite(out->values[k]);
        if (good && *end == '@') {
            text = end + 1;
            out->times_s[k] = strtod(text, &end);
            good = end != text && out->times_s[k] >= (k > 0 ? out->times_s[k - 1] : 0);
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
                          blend_layer *out)
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
static cli_exit split(blend_stage *stage, const blend_options *opts, char *text, blend_layer *out)
{
    out->weight = (blend_ramp){.count = 1, .values = {1}};
    if (is_clip(stage, text) || strchr(text, ':') == NULL) {
        return CLI_DONE;
    }
    char *mask = NULL;
    for (char *colon = strrchr(text, ':'); colon != NULL; colon = strrchr(text, ':')) {
        *colon = 0;
        if (read_ramp(colon + 1, &out->weight)) {
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

static cli_exit prepare(blend_stage *stage, const blend_options *opts, blend_layer *l)
{
    const lmb_skeleton *skeleton = stage->character->skeleton;
    const lmb_root_opts root = {.joint = (uint32_t)stage->root, .even = l->kind == BLEND_MIX};
    lmb_error error = {0};
    lmb_result result = LMB_OK;
    l->pose = cli_resize(NULL, 2 * (size_t)skeleton->joint_count, sizeof(*l->pose));
    l->reference = l->pose + skeleton->joint_count;
    l->weights = cli_resize(NULL, 2 * (size_t)stage->weight_count + 1, sizeof(*l->weights));
    l->reference_weights = l->weights + stage->weight_count;
    if (stage->root != LMB_NONE) {
        result = lmb_root_track_create(l->clip, skeleton, &root, NULL, &l->track, &error);
    }
    if (result == LMB_OK && l->kind == BLEND_MIX && !opts->no_sync &&
        stage->left_foot != LMB_NONE && stage->right_foot != LMB_NONE) {
        result = lmb_stride_create(l->clip, skeleton, l->track, (uint32_t)stage->left_foot,
                                   (uint32_t)stage->right_foot, NULL, &l->stride, &error);
    }
    if (result == LMB_OK && l->kind == BLEND_MIX) {
        result = blend_steps_learn(stage, l->clip, &l->steps, &error);
    }
    return result == LMB_OK ? CLI_DONE : cli_fail_call(stage->cli, "the clip", result, &error);
}

cli_exit blend_layer_read(blend_stage *stage, const blend_options *opts, blend_kind kind,
                          const char *text, blend_layer *out)
{
    char *copy = cli_resize(NULL, strlen(text) + 1, 1);
    strcpy(copy, text);
    *out = (blend_layer){.kind = kind};
    cli_exit code = split(stage, opts, copy, out);
    if (code == CLI_DONE) {
        code = blend_stage_clip(stage, copy, &out->clip);
    }
    free(copy);
    for (int k = 0; k < out->weight.count && code == CLI_DONE; ++k) {
        const double low = kind == BLEND_ADD ? -1 : 0, high = kind == BLEND_MIX ? 1e6 : 1;
        if (!(out->weight.values[k] >= low && out->weight.values[k] <= high)) {
            code =
                cli_fail(stage->cli, CLI_USAGE, "%s: a weight from %g to %g belongs here, not %g",
                         text, low, high, out->weight.values[k]);
        }
    }
    return code == CLI_DONE ? prepare(stage, opts, out) : code;
}

void blend_layer_end(blend_layer *layer)
{
    free(layer->mask);
    free(layer->pose);
    free(layer->weights);
    blend_steps_end(&layer->steps);
    lmb_root_track_destroy(layer->track);
    lmb_stride_destroy(layer->stride);
}
