/// `limber info --clips`: how long, how large, how exact each clip is, what it moves and whether it
/// loops.
#include "cli/files/limb.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct clip_report {
    const char *name;
    float duration_s, rate_hz;
    uint64_t bytes;
    bool compressed;
    float precision_m, error_m; ///< compressed ones only
    uint32_t joints_moved;
    float loop_gap_m; ///< of the joints, the walk along the ground left out
} clip_report;

/// Keys as floats: what the clip takes as it is.
static uint64_t key_bytes(const lmb_clip *clip)
{
    uint64_t floats = 0;
    for (uint32_t c = 0; c < clip->channel_count; ++c) {
        const lmb_channel *channel = &clip->channels[c];
        const uint64_t per_key = channel->interpolation == LMB_CUBIC ? 3 : 1;
        floats += channel->key_count * (1 + channel->width * per_key);
    }
    return floats * sizeof(float);
}

static bool varies(const lmb_channel *channel)
{
    const size_t per_key = channel->interpolation == LMB_CUBIC ? 3 : 1;
    const size_t size = channel->width * per_key;
    for (uint32_t k = 1; k < channel->key_count; ++k) {
        if (memcmp(channel->values, channel->values + k * size, size * sizeof(float)) != 0) {
            return true;
        }
    }
    return false;
}

static uint32_t count_moved(const lmb_skeleton *skeleton, const lmb_clip *clip)
{
    bool *moved = cli_resize(NULL, skeleton->joint_count + 1, sizeof(*moved));
    uint32_t count = 0;
    memset(moved, 0, (skeleton->joint_count + 1) * sizeof(*moved));
    for (uint32_t c = 0; c < clip->channel_count; ++c) {
        const uint32_t joint = clip->channels[c].joint;
        if (!moved[joint] && varies(&clip->channels[c])) {
            moved[joint] = true;
            ++count;
        }
    }
    free(moved);
    return count;
}

/// The joint that carries the body: the last of the roots' chain that has one child only.
static uint32_t carrier(const lmb_skeleton *skeleton)
{
    uint32_t at = 0;
    for (uint32_t j = 1; j < skeleton->joint_count; ++j) {
        uint32_t children = 0;
        for (uint32_t k = 1; k < skeleton->joint_count; ++k) {
            children += skeleton->parents[k] == (int32_t)at;
        }
        if (children != 1 || skeleton->parents[j] != (int32_t)at) {
            break;
        }
        at = j;
    }
    return at;
}

static float loop_gap(const lmb_skeleton *skeleton, const lmb_clip *clip)
{
    const uint32_t joints = skeleton->joint_count;
    lmb_transform *pose = cli_resize(NULL, joints + 1, sizeof(*pose));
    lmb_mat4 *first = cli_resize(NULL, joints + 1, sizeof(*first));
    lmb_mat4 *last = cli_resize(NULL, joints + 1, sizeof(*last));
    lmb_clip_to_model(clip, skeleton, 0, pose, first);
    lmb_clip_to_model(clip, skeleton, (double)lmb_clip_duration_s(clip), pose, last);
    const uint32_t body = joints > 0 ? carrier(skeleton) : 0;
    lmb_vec3 walk = {0, 0, 0};
    if (joints > 0) {
        walk = lmb_vec3_sub(lmb_mat4_translation(last[body]), lmb_mat4_translation(first[body]));
        walk.y = 0;
    }
    float gap = 0;
    for (uint32_t j = 0; j < joints; ++j) {
        const lmb_vec3 offset = lmb_vec3_sub(lmb_mat4_translation(last[j]),
                                             lmb_vec3_add(lmb_mat4_translation(first[j]), walk));
        const float size = lmb_vec3_length(offset);
        gap = size > gap && skeleton->parents[j] != LMB_NONE ? size : gap;
    }
    free(pose);
    free(first);
    free(last);
    return gap;
}

static clip_report report_of(const lmb_skeleton *skeleton, const lmb_clip *clip,
                             const lmb_packed_clip *packed)
{
    clip_report r = {.name = clip->name != NULL ? clip->name : "",
                     .duration_s = lmb_clip_duration_s(clip),
                     .rate_hz = clip->frame_rate,
                     .bytes = key_bytes(clip),
                     .joints_moved = count_moved(skeleton, clip),
                     .loop_gap_m = loop_gap(skeleton, clip)};
    if (packed != NULL) {
        r.compressed = true;
        r.bytes = lmb_packed_clip_bytes(packed);
        r.precision_m = packed->precision_m;
        r.error_m = packed->error_m;
    }
    return r;
}

static void print_line(const clip_report *r, uint32_t index)
{
    char label[24], bytes[32];
    snprintf(label, sizeof(label), "clip %u", index);
    cli_print("%-14s \"%s\", %g s", label, r->name, (double)r->duration_s);
    if (r->rate_hz > 0) {
        cli_print(" at %g Hz", (double)r->rate_hz);
    }
    cli_print(", %s bytes", cli_grouped(r->bytes, bytes));
    if (r->compressed) {
        cli_print(" compressed, within %.4g mm", (double)r->error_m * 1000);
    }
    cli_print(", %u joint%s moved, loop gap %.3g m\n", r->joints_moved,
              r->joints_moved == 1 ? "" : "s", (double)r->loop_gap_m);
}

static void print_object(cli_json *json, const clip_report *r)
{
    cli_json_begin(json, NULL, '{');
    cli_json_text(json, "name", r->name);
    cli_json_number(json, "duration_s", r->duration_s);
    cli_json_number(json, "rate_hz", r->rate_hz);
    cli_json_integer(json, "bytes", (int64_t)r->bytes);
    cli_json_bool(json, "compressed", r->compressed);
    if (r->compressed) {
        cli_json_number(json, "precision_m", r->precision_m);
        cli_json_number(json, "error_m", r->error_m);
    }
    cli_json_integer(json, "joints_moved", r->joints_moved);
    cli_json_number(json, "loop_gap_m", r->loop_gap_m);
    cli_json_end(json, '}');
}

/// Sizes and errors of compressed clips are in the file, not in the character made from it.
static cli_exit read_limb(const char *path, lmb_limb_file **out)
{
    cli_bytes bytes;
    lmb_error error = {0};
    cli_exit code = cli_bytes_read(path, &bytes);
    if (code == CLI_DONE) {
        if (lmb_limb_file_read(bytes.data, bytes.size, NULL, out, &error) != LMB_OK) {
            code = cli_fail_file(path, &error);
        }
        free(bytes.data);
    }
    return code;
}

cli_exit cli_clips_print(cli_run *cli, const char *path, const lmb_character *character,
                         bool is_limb)
{
    lmb_limb_file *limb = NULL;
    if (is_limb && strcmp(path, "-") != 0) {
        const cli_exit code = read_limb(path, &limb);
        if (code != CLI_DONE) {
            return code;
        }
    }
    cli_json json = {.file = stdout};
    if (cli->json) {
        cli_json_begin(&json, NULL, '{');
        cli_json_text(&json, "file", path);
        cli_json_begin(&json, "clips", '[');
    }
    for (uint32_t c = 0; c < character->clip_count; ++c) {
        const bool packed = limb != NULL && c >= limb->clip_count;
        const clip_report r = report_of(character->skeleton, character->clips[c],
                                        packed ? limb->packed[c - limb->clip_count] : NULL);
        if (cli->json) {
            print_object(&json, &r);
        } else {
            print_line(&r, c);
        }
    }
    if (cli->json) {
        cli_json_end(&json, ']');
        cli_json_end(&json, '}');
    } else if (character->clip_count == 0) {
        puts("no clips");
    }
    lmb_limb_file_destroy(limb);
    return CLI_DONE;
}
