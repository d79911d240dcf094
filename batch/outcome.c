/// What a command said: warnings, its first error, finding codes; and the line kept of an item.
#include "batch/outcome.h"

#include "base/alloc.h"
#include "base/json.h"
#include "base/sha256.h"

#include <stdlib.h>
#include <string.h>

enum { KEPT_MOST = 32, LINE_MOST = 400 };

/// NULL without memory.
static char *copy_line(const char *at, size_t size)
{
    size = size < LINE_MOST ? size : LINE_MOST;
    char *out = lmbi_alloc(NULL, size + 1);
    if (out != NULL) {
        memcpy(out, at, size);
    }
    return out;
}

static bool starts(const char *at, size_t size, const char *with)
{
    return size >= strlen(with) && memcmp(at, with, strlen(with)) == 0;
}

static const char *find_text(const char *at, size_t size, const char *what)
{
    const size_t length = strlen(what);
    for (size_t k = 0; k + length <= size; ++k) {
        if (memcmp(at + k, what, length) == 0) {
            return at + k;
        }
    }
    return NULL;
}

static bool add_once(char ***list, size_t *count, const char *at, size_t size)
{
    size = size < LINE_MOST ? size : LINE_MOST;
    for (size_t k = 0; k < *count; ++k) {
        if (strlen((*list)[k]) == size && memcmp((*list)[k], at, size) == 0) {
            return true;
        }
    }
    if (*count == KEPT_MOST) {
        return true;
    }
    if (*list == NULL) {
        *list = lmbi_alloc_array(NULL, KEPT_MOST, sizeof **list);
    }
    char *text = *list != NULL ? copy_line(at, size) : NULL;
    if (text != NULL) {
        (*list)[(*count)++] = text;
    }
    return text != NULL;
}

/// "limber rig: warning: …" gives what is behind the word.
static bool listen_line(batch_outcome *outcome, const char *at, size_t size)
{
    static const char word[] = ": warning: ";
    const char *warning = starts(at, size, "limber ") ? find_text(at, size, word) : NULL;
    if (warning != NULL) {
        const char *text = warning + sizeof(word) - 1;
        return add_once(&outcome->warnings, &outcome->warning_count, text,
                        (size_t)(at + size - text));
    }
    if (outcome->error == NULL && !starts(at, size, "progress ")) {
        outcome->error = copy_line(at, size);
        return outcome->error != NULL;
    }
    return true;
}

bool batch_outcome_listen(batch_outcome *outcome, const char *messages, size_t size)
{
    const char *end = messages + size;
    for (const char *at = messages, *stop; at < end; at = stop + 1) {
        stop = memchr(at, '\n', (size_t)(end - at));
        stop = stop != NULL ? stop : end;
        if (stop > at && !listen_line(outcome, at, (size_t)(stop - at))) {
            return false;
        }
    }
    return batch_outcome_look(outcome, messages, size);
}

/// "LMB-SKIN-004": the length at `at`, or 0.
static size_t code_at(const char *at, const char *end)
{
    const char *p = at + 4;
    while (p < end && *p >= 'A' && *p <= 'Z') {
        ++p;
    }
    if (p == at + 4 || end - p < 4 || p[0] != '-') {
        return 0;
    }
    for (int k = 1; k <= 3; ++k) {
        if (p[k] < '0' || p[k] > '9') {
            return 0;
        }
    }
    return (size_t)(p + 4 - at);
}

bool batch_outcome_look(batch_outcome *outcome, const char *text, size_t size)
{
    const char *end = text + size;
    for (const char *at = find_text(text, size, "LMB-"); at != NULL;
         at = find_text(at, (size_t)(end - at), "LMB-")) {
        const size_t length = code_at(at, end);
        if (length > 0 && !add_once(&outcome->codes, &outcome->code_count, at, length)) {
            return false;
        }
        at += length > 0 ? length : 4;
    }
    return true;
}

bool batch_outcome_set_error(batch_outcome *outcome, const char *text, const char *more)
{
    const size_t size = strlen(text), more_size = strlen(more);
    char *error = lmbi_alloc(NULL, size + more_size + 1);
    if (error != NULL) {
        memcpy(error, text, size);
        memcpy(error + size, more, more_size);
    }
    lmbi_free(NULL, outcome->error);
    outcome->error = error;
    return error != NULL;
}

void batch_outcome_clear_error(batch_outcome *outcome)
{
    lmbi_free(NULL, outcome->error);
    outcome->error = NULL;
}

static void free_list(char **list, size_t count)
{
    for (size_t k = 0; k < count; ++k) {
        lmbi_free(NULL, list[k]);
    }
    lmbi_free(NULL, list);
}

void batch_outcome_free(batch_outcome *outcome)
{
    lmbi_free(NULL, outcome->error);
    free_list(outcome->warnings, outcome->warning_count);
    free_list(outcome->codes, outcome->code_count);
    *outcome = (batch_outcome){0};
}

bool batch_outcome_make_key(batch_outcome *out, const batch_item *item)
{
    lmbi_arena arena;
    lmbi_sha256 hash;
    lmbi_arena_init(&arena, NULL);
    lmbi_sha256_start(&hash);
    lmbi_sha256_add(&hash, LMB_VERSION, sizeof(LMB_VERSION));
    const batch_words words = batch_fill_command(&arena, item, "", "");
    for (size_t k = 0; words.at != NULL && k < words.count; ++k) {
        lmbi_sha256_add(&hash, words.at[k], strlen(words.at[k]) + 1);
    }
    const char *print = item->print != NULL ? item->print : "";
    lmbi_sha256_add(&hash, print, strlen(print) + 1);
    lmbi_sha256_add(&hash, out->input, out->has_input ? BATCH_DIGEST : 0);
    lmbi_sha256_end(&hash, out->key);
    lmbi_arena_free(&arena);
    return words.at != NULL;
}

// ------------------------------------------------------------------------------------------ the line

static void put_text_or_null(lmbi_json_out *json, const char *key, const char *text)
{
    if (text != NULL) {
        lmbi_json_put_string(json, key, text);
    } else {
        lmbi_json_put_raw(json, key, "null", 4);
    }
}

static void put_digest(lmbi_json_out *json, const char *key, bool there,
                       const uint8_t digest[BATCH_DIGEST])
{
    char hex[LMBI_SHA256_HEX];
    lmbi_sha256_hex(digest, hex);
    put_text_or_null(json, key, there ? hex : NULL);
}

static void put_written(lmbi_json_out *json, const char *const keys[3], const char *path,
                        const batch_written *written)
{
    put_text_or_null(json, keys[0], path);
    put_digest(json, keys[1], written->there, written->digest);
    lmbi_json_put_int(json, keys[2], (int64_t)written->size);
}

static void put_list(lmbi_json_out *json, const char *key, const char *const *items, size_t count)
{
    lmbi_json_open(json, key, '[');
    for (size_t k = 0; k < count; ++k) {
        lmbi_json_put_string(json, NULL, items[k]);
    }
    lmbi_json_close(json, ']');
}

static bool put_members(lmbi_json_out *json, const batch_outcome *o, const batch_item *item,
                        const char *folder, const char *at)
{
    static const char *const output_keys[3] = {"output", "output_sha256", "output_bytes"};
    static const char *const print_keys[3] = {"stdout", "stdout_sha256", "stdout_bytes"};
    lmbi_arena arena;
    lmbi_arena_init(&arena, NULL);
    const batch_words words = batch_fill_command(&arena, item, item->base, folder);
    lmbi_json_put_string(json, "id", item->id);
    lmbi_json_put_string(json, "status", batch_status_name(o->status));
    if (o->exit_code >= 0) {
        lmbi_json_put_int(json, "exit_code", o->exit_code);
    } else {
        lmbi_json_put_raw(json, "exit_code", "null", 4);
    }
    lmbi_json_put_int(json, "signal", o->signal);
    put_list(json, "command", words.at, words.count);
    put_list(json, "inputs", item->inputs.at, item->inputs.count);
    put_digest(json, "input_sha256", o->has_input, o->input);
    put_written(json, output_keys, item->output, &o->wrote);
    if (item->print != NULL) {
        put_written(json, print_keys, item->print, &o->printed);
    }
    put_text_or_null(json, "error", o->error);
    put_list(json, "warnings", (const char *const *)o->warnings, o->warning_count);
    put_list(json, "codes", (const char *const *)o->codes, o->code_count);
    put_digest(json, "key", true, o->key);
    lmbi_json_put_string(json, "version", LMB_VERSION);
    lmbi_json_put_float(json, "wall_s", (float)o->wall_s);
    lmbi_json_put_float(json, "peak_mb", (float)((double)o->peak_bytes / 1048576.0));
    lmbi_json_put_string(json, "at", at);
    lmbi_arena_free(&arena);
    return words.at != NULL;
}

lmb_result batch_outcome_line(const batch_outcome *outcome, const batch_item *item,
                              const char *folder, const char *at, lmb_buffer *out, lmb_error *error)
{
    lmbi_text text;
    lmbi_text_init(&text, NULL);
    lmbi_json_out json = {.text = &text, .first = true};
    lmbi_json_open(&json, NULL, '{');
    text.failed = !put_members(&json, outcome, item, folder, at) || text.failed;
    lmbi_json_close(&json, '}');
    return lmbi_buffer_take(&text, out, error);
}
