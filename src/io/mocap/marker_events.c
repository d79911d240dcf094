#include "io/mocap/marker_events.h"

#include <math.h>
#include <string.h>

#include "base/json.h"

static void write_events(const lmb_markers *markers, lmbi_text *text)
{
    lmbi_json_out json = {.text = text, .first = true};
    lmbi_json_open(&json, NULL, '{');
    lmbi_json_open(&json, "extras", '{');
    lmbi_json_open(&json, "events", '[');
    for (uint32_t k = 0; k < markers->event_count; ++k) {
        lmbi_json_open(&json, NULL, '{');
        lmbi_json_put_string(&json, "name", markers->events[k].name);
        lmbi_json_put_string(&json, "context", markers->events[k].context);
        lmbi_json_put_float(&json, "time_s", markers->events[k].time_s);
        lmbi_json_close(&json, '}');
    }
    lmbi_json_close(&json, ']');
    lmbi_json_close(&json, '}');
    lmbi_json_close(&json, '}');
}

bool lmbi_events_carry(const lmb_markers *markers, lmbi_arena *arena, const char **carried)
{
    lmbi_text text;
    *carried = NULL;
    if (markers->event_count == 0) {
        return true;
    }
    lmbi_text_init(&text, arena->alloc);
    write_events(markers, &text);
    *carried = text.failed ? NULL : lmbi_arena_string(arena, text.data, text.size);
    lmbi_text_free(&text);
    return *carried != NULL;
}

static char *text_of(lmbi_arena *arena, const lmbi_json *value)
{
    const bool is = value != NULL && value->type == LMBI_JSON_STRING;
    return is ? lmbi_json_string(arena, value) : lmbi_arena_string(arena, "", 0);
}

bool lmbi_events_read(const char *carried, lmbi_arena *arena, lmb_markers *draft)
{
    lmbi_json *root = NULL;
    if (carried == NULL) {
        return true;
    }
    const lmb_result result = lmbi_json_read(arena, carried, strlen(carried), &root, NULL);
    if (result != LMB_OK) {
        return result != LMB_ERROR_MEMORY;
    }
    const lmbi_json *list = lmbi_json_find(lmbi_json_find(root, "extras"), "events");
    if (list == NULL || list->type != LMBI_JSON_ARRAY) {
        return true;
    }
    draft->events = lmbi_arena_array(arena, list->count, sizeof *draft->events);
    if (draft->events == NULL) {
        return false;
    }
    for (const lmbi_json *at = list->child; at != NULL; at = at->next) {
        double time_s = 0;
        if (!lmbi_json_number(lmbi_json_find(at, "time_s"), &time_s) || !(fabs(time_s) < 1e9)) {
            continue;
        }
        lmb_marker_event *event = &draft->events[draft->event_count++];
        event->name = text_of(arena, lmbi_json_find(at, "name"));
        event->context = text_of(arena, lmbi_json_find(at, "context"));
        event->time_s = (float)time_s;
        if (event->name == NULL || event->context == NULL) {
            return false;
        }
    }
    return true;
}
