/// From what a manifest says to an item that can be run: names filled in and held below the folder,
/// gaps known, ids and outputs each once.
#include "batch/manifest.h"

#include "base/alloc.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

/// Where the fault is, for messages.
typedef struct text_position {
    unsigned line, column;
    lmb_error *error;
} text_position;

#define REFUSE(where, expected, ...)                                                              \
    lmbi_fail_text((where)->error, LMB_ERROR_MALFORMED, (where)->line, (where)->column, expected, \
                   __VA_ARGS__)

// ------------------------------------------------------------------------------------------- paths

static bool is_step(const char *at, size_t size, const char *step)
{
    return strlen(step) == size && memcmp(at, step, size) == 0;
}

/// "a/./b//c/" to "a/b/c". False for what leads out: ".." and paths from the root.
static bool clean_path(char *path, bool *is_folder)
{
    char *out = path;
    *is_folder = false;
    if (*path == '/') {
        return false;
    }
    for (const char *at = path; *at != 0;) {
        const size_t size = strcspn(at, "/");
        const bool last = at[size] == 0;
        if (is_step(at, size, "..")) {
            return false;
        }
        if (size > 0 && !is_step(at, size, ".")) {
            if (out != path) {
                *out++ = '/';
            }
            memmove(out, at, size);
            out += size;
            *is_folder = !last;
        }
        at += size + !last;
    }
    *out = 0;
    return out != path;
}

/// The names that the batch itself writes.
static bool is_reserved(const char *path)
{
    const size_t size = strlen(path);
    return strncmp(path, "results", 7) == 0 && strchr(path, '/') == NULL && size > 6 &&
           strcmp(path + size - 6, ".jsonl") == 0;
}

/// `template` filled in as a path below the folder; *out stays NULL without one.
static lmb_result put_path(batch_manifest *m, const batch_item *item, const char *template,
                           const text_position *where, const char **out, bool *is_folder)
{
    if (template == NULL) {
        return LMB_OK;
    }
    batch_piece piece;
    for (const char *at = template; batch_piece_next(&at, &piece);) {
        const bool of_input = piece.gap >= BATCH_NAME && piece.gap <= BATCH_DIR;
        const bool known = piece.gap == BATCH_TEXT || piece.gap == BATCH_ID || of_input;
        if (!known) {
            return REFUSE(where, "{id}, {dir}, {name}, {stem} or {ext} in the name of an output",
                          "%.*s", (int)piece.size, piece.at);
        }
        if (of_input && item->inputs.count == 0) {
            return REFUSE(where, "an input", "none for %.*s", (int)piece.size, piece.at);
        }
    }
    char *path = batch_fill(&m->arena, template, item, "", "");
    if (path == NULL) {
        return lmbi_fail_memory(where->error);
    }
    char *clean = lmbi_arena_string(&m->arena, path, strlen(path));
    if (clean == NULL) {
        return lmbi_fail_memory(where->error);
    }
    if (!clean_path(clean, is_folder)) {
        return REFUSE(where, "an output below the folder of the batch", "\"%s\"", path);
    }
    if (is_reserved(clean)) {
        return REFUSE(where, "an output that is not one of the batch's own files", "\"%s\"", path);
    }
    *out = clean;
    return LMB_OK;
}

// ------------------------------------------------------------------------------------- the command

static lmb_result check_gap(const batch_item *item, const batch_piece *piece,
                            const text_position *where)
{
    const int size = (int)piece->size;
    switch (piece->gap) {
    case BATCH_UNKNOWN:
        return REFUSE(where,
                      "{input}, {inputs}, {input2} and so on, {output}, {id}, {dir}, {name}, "
                      "{stem} or {ext}",
                      "%.*s in the command", size, piece->at);
    case BATCH_OUTPUT:
        return item->output != NULL ? LMB_OK
                                    : REFUSE(where, "\"output\", which the command writes", "none");
    case BATCH_TEXT:
    case BATCH_FRAME:
    case BATCH_ID:
        return LMB_OK;
    default:
        break;
    }
    const unsigned wanted = piece->number > 0 ? piece->number : 1;
    return item->inputs.count >= wanted
               ? LMB_OK
               : REFUSE(where, "an input for each that the command names", "%zu for %.*s",
                        item->inputs.count, size, piece->at);
}

static lmb_result check_command(const batch_item *item, const text_position *where)
{
    bool writes = false;
    if (item->command.count == 0) {
        return REFUSE(where, "\"command\", here or in the defaults", "none");
    }
    for (size_t k = 0; k < item->command.count; ++k) {
        batch_piece piece;
        for (const char *at = item->command.at[k]; batch_piece_next(&at, &piece);) {
            const lmb_result result = check_gap(item, &piece, where);
            if (result != LMB_OK) {
                return result;
            }
            writes = writes || piece.gap == BATCH_OUTPUT;
        }
    }
    if (item->output != NULL && !writes) {
        return REFUSE(where, "{output} in the command (\"stdout\" keeps what a command prints)",
                      "an output that it does not name");
    }
    return LMB_OK;
}

// --------------------------------------------------------------------------------------- the items

static lmb_result copy_inputs(batch_manifest *m, const batch_words *inputs,
                              const text_position *where, batch_words *out)
{
    const char **copies = lmbi_arena_array(&m->arena, inputs->count + 1, sizeof(*copies));
    if (copies == NULL) {
        return lmbi_fail_memory(where->error);
    }
    for (size_t k = 0; k < inputs->count; ++k) {
        if (inputs->at[k][0] == 0) {
            return REFUSE(where, "the name of an input", "an empty text");
        }
        copies[k] = lmbi_arena_string(&m->arena, inputs->at[k], strlen(inputs->at[k]));
        if (copies[k] == NULL) {
            return lmbi_fail_memory(where->error);
        }
    }
    *out = (batch_words){copies, inputs->count};
    return LMB_OK;
}

/// Its own, or the first input, or the output.
static lmb_result put_id(batch_manifest *m, const batch_fields *fields, const text_position *where,
                         batch_item *item)
{
    const char *id = fields->id;
    if (id == NULL && item->inputs.count > 0) {
        item->id = item->inputs.at[0];
        return LMB_OK;
    }
    id = id == NULL ? fields->output : id;
    id = id == NULL ? fields->print : id;
    if (id == NULL || id[0] == 0) {
        return REFUSE(where, "\"id\", or an input or output to be called by", "neither");
    }
    item->id = lmbi_arena_string(&m->arena, id, strlen(id));
    return item->id != NULL ? LMB_OK : lmbi_fail_memory(where->error);
}

static lmb_result put_base(batch_manifest *m, const char *base, const text_position *where,
                           batch_item *item)
{
    item->base = "";
    if (base == NULL || base[0] == 0) {
        return LMB_OK;
    }
    const size_t size = strlen(base);
    char *copy = lmbi_arena_array(&m->arena, size + 2, 1);
    if (copy == NULL) {
        return lmbi_fail_memory(where->error);
    }
    memcpy(copy, base, size);
    copy[size] = base[size - 1] == '/' ? 0 : '/';
    item->base = copy;
    return LMB_OK;
}

static lmb_result append(batch_manifest *m, const batch_item *item, const text_position *where)
{
    void *items = m->items;
    if (!lmbi_grow(m->arena.alloc, &items, &m->capacity, m->count + 1, sizeof(*m->items))) {
        return lmbi_fail_memory(where->error);
    }
    m->items = items;
    m->items[m->count++] = *item;
    return LMB_OK;
}

lmb_result batch_manifest_put(batch_manifest *m, const batch_fields *fields, unsigned line,
                              unsigned column, lmb_error *error)
{
    const text_position where = {line, column, error};
    batch_item item = {.command = fields->command, .line = line};
    bool print_is_folder = false;
    lmb_result result = copy_inputs(m, &fields->inputs, &where, &item.inputs);
    if (result == LMB_OK) {
        result = put_base(m, fields->base, &where, &item);
    }
    if (result == LMB_OK) {
        result = put_id(m, fields, &where, &item);
    }
    if (result == LMB_OK) {
        result = put_path(m, &item, fields->output, &where, &item.output, &item.output_is_folder);
    }
    if (result == LMB_OK) {
        result = put_path(m, &item, fields->print, &where, &item.print, &print_is_folder);
    }
    if (result == LMB_OK && print_is_folder) {
        result =
            REFUSE(&where, "a file for what the command prints", "the folder \"%s\"", item.print);
    }
    if (result == LMB_OK) {
        result = check_command(&item, &where);
    }
    return result == LMB_OK ? append(m, &item, &where) : result;
}

void batch_manifest_free(batch_manifest *m)
{
    lmbi_free(m->arena.alloc, m->items);
    lmbi_arena_free(&m->arena);
    *m = (batch_manifest){.arena.alloc = m->arena.alloc};
}

// ---------------------------------------------------------------------------------------- each once

typedef struct named {
    const char *name;
    const batch_item *item;
} named;

static int compare_named(const void *a, const void *b)
{
    const named *x = a, *y = b;
    const int order = strcmp(x->name, y->name);
    return order != 0 ? order : (x->item > y->item) - (x->item < y->item);
}

/// The earliest line that has what another one had before.
static lmb_result check_once(named *all, size_t count, const char *expected, lmb_error *error)
{
    const named *first = NULL, *again = NULL;
    if (count > 1) {
        qsort(all, count, sizeof(*all), compare_named);
    }
    for (size_t k = 1; k < count; ++k) {
        if (strcmp(all[k - 1].name, all[k].name) == 0 &&
            (again == NULL || all[k].item < again->item)) {
            first = &all[k - 1];
            again = &all[k];
        }
    }
    if (again == NULL) {
        return LMB_OK;
    }
    if (again->item->line == 0) {
        return lmbi_fail(error, LMB_ERROR_MALFORMED, expected, "\"%s\" of both %s and %s",
                         again->name, first->item->id, again->item->id);
    }
    return lmbi_fail_text(error, LMB_ERROR_MALFORMED, again->item->line, 1, expected,
                          "\"%s\", as in line %u", again->name, first->item->line);
}

lmb_result batch_manifest_check(const batch_manifest *m, lmb_error *error)
{
    named *all = lmbi_alloc_array(m->arena.alloc, 2 * m->count, sizeof(*all));
    if (all == NULL) {
        return lmbi_fail_memory(error);
    }
    size_t count = 0;
    for (size_t k = 0; k < m->count; ++k) {
        all[count++] = (named){m->items[k].id, &m->items[k]};
    }
    lmb_result result = check_once(all, count, "an id of its own for each item", error);
    count = 0;
    for (size_t k = 0; result == LMB_OK && k < m->count; ++k) {
        const batch_item *item = &m->items[k];
        if (item->output != NULL) {
            all[count++] = (named){item->output, item};
        }
        if (item->print != NULL) {
            all[count++] = (named){item->print, item};
        }
    }
    if (result == LMB_OK) {
        result = check_once(all, count, "a file of its own for each output", error);
    }
    lmbi_free(m->arena.alloc, all);
    return result;
}
