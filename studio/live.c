#include "live.h"
#include "console.h"
#include "live_exports.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static live_character *open_characters;
static int last_handle;
static char error_text[512];

// ----------------------------------------------------------------------------------------- errors

int live_fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error_text, sizeof error_text, format, arguments);
    va_end(arguments);
    return 0;
}

int live_fail_call(const char *what, const lmb_error *error)
{
    if (error->expected[0] == 0) {
        return live_fail("%s: %s", what,
                         error->found[0] != 0 ? error->found : lmb_result_name(error->code));
    }
    return live_fail("%s: expected %s, found %s", what, error->expected, error->found);
}

EXPORT(limber_error) const char *limber_error(void)
{
    return error_text;
}

void *live_room(size_t count, size_t size)
{
    void *room = count < SIZE_MAX / size ? malloc((count + (count == 0)) * size) : NULL;
    if (room == NULL) {
        (void)live_fail("out of memory");
    }
    return room;
}

// ---------------------------------------------------------------------------------------- handles

live_character *live_find(int handle)
{
    live_character *live = open_characters;
    while (live != NULL && live->handle != handle) {
        live = live->next;
    }
    if (live == NULL) {
        (void)live_fail("no character %d is open", handle);
    }
    return live;
}

live_character *live_find_joint(int handle, uint32_t joint)
{
    live_character *live = live_find(handle);
    const uint32_t count = live != NULL ? live->character->skeleton->joint_count : 0;
    if (live != NULL && joint >= count) {
        (void)live_fail("there is no joint %u, there are %u", (unsigned)joint, (unsigned)count);
        return NULL;
    }
    return live;
}

// ---------------------------------------------------------------------------------------- opening

static void destroy(live_character *live)
{
    live_lesson_heat_free(live->handle);
    live_lesson_motion_free(live->handle);
    live_lesson_body_free(live->handle);
    live_paint_free(live);
    live_springs_free(live);
    live_play_free(live);
    live_drag_free(live);
    lmb_deformer_destroy(live->deformer);
    live_drivers_free(live);
    lmb_character_destroy(live->character);
    free(live->pose);
    free(live->shown);
    free(live->model);
    free(live->weight_first);
    free(live->rest_weights);
    free(live->weights);
    free(live->keys_text);
    free(live);
}

/// Whether the file's indices name every joint once: the writer of glTF then keeps them.
static bool keeps_file_order(const lmb_skeleton *skeleton, uint32_t *seen)
{
    const uint32_t n = skeleton->joint_count;
    memset(seen, 0, n * sizeof *seen);
    for (uint32_t j = 0; skeleton->source_index != NULL && j < n; ++j) {
        const uint32_t index = skeleton->source_index[j];
        if (index >= n || seen[index]++ != 0) {
            return false;
        }
    }
    return skeleton->source_index != NULL;
}

static bool make_room(live_character *live)
{
    const uint32_t joints = live->character->skeleton->joint_count;
    live->pose = live_room(joints, sizeof *live->pose);
    live->shown = live_room(joints, sizeof *live->shown);
    live->model = live_room(joints, sizeof *live->model);
    live->weight_first = live_room((size_t)joints + 1, sizeof *live->weight_first);
    if (!live->pose || !live->shown || !live->model || !live->weight_first) {
        return false;
    }
    live->in_file_order = keeps_file_order(live->character->skeleton, live->weight_first);
    const uint32_t weights = lmb_character_weights(live->character, live->weight_first, NULL);
    live->rest_weights = live_room(weights, sizeof(float));
    live->weights = live_room(weights, sizeof(float));
    if (!live->rest_weights || !live->weights) {
        return false;
    }
    lmb_character_weights(live->character, live->weight_first, live->rest_weights);
    return true;
}

/// What the command says of a file that it cannot read, without the end of the line.
static void fail_as_said(const char *path)
{
    size_t size = 0;
    const char *said = console_text_of(CONSOLE_MESSAGES, &size);
    while (size > 0 && said[size - 1] == '\n') {
        --size;
    }
    if (size == 0) {
        (void)live_fail("%s cannot be read", path);
    } else {
        (void)live_fail("%.*s", (int)(size < sizeof error_text ? size : sizeof error_text), said);
    }
}

EXPORT(limber_character_open) int limber_character_open(const char *path)
{
    static const cli_read_opts opts = {.silent_notes = true, .markers_as_joints = true};
    cli_run run = {0};
    cli_source source;
    live_character *live = live_room(1, sizeof *live);
    if (live == NULL) {
        return 0;
    }
    *live = (live_character){.drag.joint = LMB_NONE};
    console_clear();
    if (cli_character_read(&run, path, &opts, &source, &live->character) != CLI_DONE) {
        fail_as_said(path);
        free(live);
        return 0;
    }
    if (!make_room(live)) {
        destroy(live);
        return 0;
    }
    live->handle = ++last_handle;
    live->next = open_characters;
    open_characters = live;
    return limber_pose_rest(live->handle) ? live->handle : 0;
}

EXPORT(limber_character_close) void limber_character_close(int handle)
{
    for (live_character **at = &open_characters; *at != NULL; at = &(*at)->next) {
        if ((*at)->handle == handle) {
            live_character *live = *at;
            *at = live->next;
            destroy(live);
            return;
        }
    }
}

EXPORT(limber_character_save) int limber_character_save(int handle, const char *path)
{
    live_character *live = live_find(handle);
    cli_run run = {0};
    if (live == NULL || !live_paint_store(live)) {
        return 0;
    }
    console_clear();
    if (cli_character_write(&run, path, "glb", live->character) != CLI_DONE) {
        fail_as_said(path);
        return 0;
    }
    return 1;
}
