// Reads what a state plays: one clip, or a blend space of clips.
#include "anim/anim.h"
#include "anim/graph_read.h"
#include "base/error.h"

static lmb_result read_single_clip(lmbi_graph_reader *r, const lmbi_json *clip, lmbi_state *state)
{
    const char *name = lmbi_json_string(&r->graph->arena, clip);
    state->clips = lmbi_arena_array(&r->graph->arena, 1, sizeof(uint32_t));
    if (clip->type != LMBI_JSON_STRING) {
        return lmbi_graph_fail(r, clip, "the name of a clip", NULL);
    }
    if (name == NULL || state->clips == NULL) {
        return lmbi_fail_memory(r->error);
    }
    state->motion_count = 1;
    return lmbi_graph_clip_index(r, name, &state->clips[0]);
}

/// A clip's position in the blend space: one number, or a list of two.
static bool read_point(const lmbi_json *value, uint32_t axis_count, lmb_vec2 *out)
{
    out->y = 0;
    if (axis_count == 1) {
        return lmbi_graph_float(value, &out->x);
    }
    return value->type == LMBI_JSON_ARRAY && value->count == 2 &&
           lmbi_graph_float(value->child, &out->x) && lmbi_graph_float(value->child->next, &out->y);
}

static lmb_result read_axes(lmbi_graph_reader *r, const lmbi_json *along, lmbi_state *state,
                            uint32_t *axis_count)
{
    *axis_count = 1;
    if (along->type != LMBI_JSON_ARRAY) {
        return lmbi_graph_parameter(r, along, &state->axes[0]);
    }
    if (along->count != 2) {
        return lmbi_graph_fail(r, along, "one parameter or two", NULL);
    }
    *axis_count = 2;
    const lmb_result result = lmbi_graph_parameter(r, along->child, &state->axes[0]);
    return result == LMB_OK ? lmbi_graph_parameter(r, along->child->next, &state->axes[1]) : result;
}

static lmb_result read_blend_space(lmbi_graph_reader *r, const lmbi_json *along,
                                   const lmbi_json *clips, lmbi_state *state)
{
    uint32_t axis_count = 0;
    lmb_vec2 points[LMBI_MAX_MOTIONS];
    if (clips == NULL || clips->type != LMBI_JSON_OBJECT || clips->count == 0 ||
        clips->count > LMBI_MAX_MOTIONS) {
        return lmbi_graph_fail(r, clips != NULL ? clips : along,
                               "\"clips\", an object of 1 to 32 positions by clip", NULL);
    }
    lmb_result result = read_axes(r, along, state, &axis_count);
    state->clips = lmbi_arena_array(&r->graph->arena, clips->count, sizeof(uint32_t));
    if (result == LMB_OK && state->clips == NULL) {
        result = lmbi_fail_memory(r->error);
    }
    for (const lmbi_json *m = clips->child; m != NULL && result == LMB_OK; m = m->next) {
        const char *name = lmbi_arena_string(&r->graph->arena, m->key, m->key_size);
        const uint32_t k = state->motion_count++;
        if (!read_point(m, axis_count, &points[k])) {
            return lmbi_graph_fail(r, m,
                                   axis_count == 1 ? "a number, the clip's position"
                                                   : "two numbers, the clip's position",
                                   NULL);
        }
        result = name != NULL ? lmbi_graph_clip_index(r, name, &state->clips[k])
                              : lmbi_fail_memory(r->error);
    }
    if (result != LMB_OK) {
        return result;
    }
    lmb_error inner = {0};
    result = lmbi_blend_space_create(points, state->motion_count, &r->graph->allocator,
                                     &state->space, &inner);
    return result == LMB_ERROR_INVALID ? lmbi_graph_fail(r, clips, inner.expected, inner.found)
                                       : (result == LMB_OK ? LMB_OK : lmbi_fail_memory(r->error));
}

lmb_result lmbi_graph_state(lmbi_graph_reader *r, const lmbi_json *member, lmbi_state *out)
{
    static const char *const known[] = {"clip", "along", "clips", "sync", "play", "speed", NULL};
    static const char *const modes[] = {"loop", "once", "ping-pong", NULL};
    static const lmb_play_mode values[] = {LMB_PLAY_LOOP, LMB_PLAY_CLAMP, LMB_PLAY_PING_PONG};
    uint32_t mode = 0;
    out->axes[0] = out->axes[1] = out->speed_parameter = LMB_NONE;
    out->speed = 1;
    lmb_result result = lmbi_graph_members(r, member, known);
    const lmbi_json *clip = lmbi_json_find(member, "clip"),
                    *along = lmbi_json_find(member, "along");
    if (result == LMB_OK && clip != NULL && along != NULL) {
        result = lmbi_graph_fail(r, member, "either \"clip\" or \"along\"", "both");
    }
    if (result == LMB_OK && clip != NULL) {
        result = read_single_clip(r, clip, out);
    } else if (result == LMB_OK && along != NULL) {
        out->sync = true;
        result = read_blend_space(r, along, lmbi_json_find(member, "clips"), out);
    }
    if (result == LMB_OK) {
        result = lmbi_graph_word(r, lmbi_json_find(member, "play"), modes, &mode);
    }
    if (result == LMB_OK) {
        result = lmbi_graph_bool(r, lmbi_json_find(member, "sync"), &out->sync);
    }
    if (result == LMB_OK) {
        result = lmbi_graph_factor(r, lmbi_json_find(member, "speed"), &out->speed,
                                   &out->speed_parameter);
    }
    out->mode = values[mode];
    out->sync = out->sync && out->mode == LMB_PLAY_LOOP;
    return result;
}
