/// Results of earlier runs, read line by line.
#include "batch/records.h"

#include "base/alloc.h"
#include "base/hex.h"
#include "base/json.h"

#include <stdlib.h>
#include <string.h>

static const char *const status_names[BATCH_STATUS_COUNT] = {"left",    "done",    "failed",
                                                             "timeout", "crashed", "skipped"};

const char *batch_status_name(batch_status status)
{
    return status_names[status];
}

bool batch_status_is_failure(batch_status status)
{
    return status == BATCH_FAILED || status == BATCH_TIMEOUT || status == BATCH_CRASHED;
}

// ----------------------------------------------------------------------------------------- a line

static bool read_digest(const lmbi_json *value, uint8_t out[BATCH_DIGEST])
{
    if (value == NULL || value->type != LMBI_JSON_STRING || value->size != 2 * BATCH_DIGEST + 2) {
        return false;
    }
    for (int k = 0; k < BATCH_DIGEST; ++k) {
        const int high = lmbi_hex_value(value->at[1 + 2 * k]);
        const int low = lmbi_hex_value(value->at[2 + 2 * k]);
        if (high < 0 || low < 0) {
            return false;
        }
        out[k] = (uint8_t)(high << 4 | low);
    }
    return true;
}

static batch_status read_status(const lmbi_json *value)
{
    int status = BATCH_DONE;
    while (status < BATCH_STATUS_COUNT && !lmbi_json_string_is(value, status_names[status])) {
        ++status;
    }
    return (batch_status)status;
}

static void read_written(const lmbi_json *line, const char *digest, const char *bytes,
                         batch_written *out)
{
    double size = 0;
    out->there = read_digest(lmbi_json_find(line, digest), out->digest);
    lmbi_json_number(lmbi_json_find(line, bytes), &size);
    out->size = size >= 0 && size < 1e18 ? (uint64_t)size : 0;
}

static float read_float(const lmbi_json *value)
{
    double number = 0;
    lmbi_json_number(value, &number);
    return (float)number;
}

static batch_words read_codes(lmbi_arena *arena, const lmbi_json *list)
{
    if (list == NULL || list->type != LMBI_JSON_ARRAY || list->count == 0) {
        return (batch_words){0};
    }
    const char **words = lmbi_arena_array(arena, list->count, sizeof(*words));
    size_t count = 0;
    for (const lmbi_json *word = list->child; words != NULL && word != NULL; word = word->next) {
        words[count] = lmbi_json_string(arena, word);
        count += words[count] != NULL;
    }
    return (batch_words){words, count};
}

static bool read_record(lmbi_arena *arena, const lmbi_json *line, batch_record *out)
{
    double code = -1;
    *out = (batch_record){.id = lmbi_json_string(arena, lmbi_json_find(line, "id")),
                          .at = lmbi_json_string(arena, lmbi_json_find(line, "at")),
                          .output = lmbi_json_string(arena, lmbi_json_find(line, "output")),
                          .print = lmbi_json_string(arena, lmbi_json_find(line, "stdout")),
                          .error = lmbi_json_string(arena, lmbi_json_find(line, "error")),
                          .codes = read_codes(arena, lmbi_json_find(line, "codes")),
                          .status = read_status(lmbi_json_find(line, "status")),
                          .wall_s = read_float(lmbi_json_find(line, "wall_s")),
                          .peak_mb = read_float(lmbi_json_find(line, "peak_mb"))};
    lmbi_json_number(lmbi_json_find(line, "exit_code"), &code);
    out->exit_code = code >= 0 && code < 256 ? (int)code : -1;
    read_written(line, "output_sha256", "output_bytes", &out->wrote);
    read_written(line, "stdout_sha256", "stdout_bytes", &out->printed);
    out->at = out->at != NULL ? out->at : "";
    return out->id != NULL && out->status != BATCH_STATUS_COUNT &&
           read_digest(lmbi_json_find(line, "key"), out->key);
}

// ------------------------------------------------------------------------------------------- files

static bool add_line(batch_records *all, const char *at, size_t size, bool own)
{
    lmbi_arena scratch;
    lmbi_json *root = NULL;
    batch_record record;
    lmbi_arena_init(&scratch, NULL);
    const lmb_result result = lmbi_json_read(&scratch, at, size, &root, NULL);
    bool fine = result != LMB_ERROR_MEMORY;
    if (result == LMB_OK && read_record(&all->arena, root, &record)) {
        void *items = all->items;
        fine = lmbi_grow(NULL, &items, &all->capacity, all->count + 1, sizeof *all->items);
        all->items = items;
        if (fine) {
            record.own = own;
            record.order = all->count;
            all->items[all->count++] = record;
        }
    } else {
        ++all->unreadable;
    }
    lmbi_arena_free(&scratch);
    return fine;
}

bool batch_records_add(batch_records *all, const void *bytes, size_t size, bool own)
{
    const char *at = bytes, *end = at + size;
    for (const char *stop; at < end && (stop = memchr(at, '\n', (size_t)(end - at))) != NULL;
         at = stop + 1) {
        if (stop > at && !add_line(all, at, (size_t)(stop - at), own)) {
            return false;
        }
    }
    return true;
}

bool batch_records_is_file(const char *name)
{
    const size_t size = strlen(name);
    return strncmp(name, "results", 7) == 0 && size > 12 && strcmp(name + size - 6, ".jsonl") == 0;
}

static int compare_records(const void *a, const void *b)
{
    const batch_record *x = a, *y = b;
    const int id = strcmp(x->id, y->id), at = strcmp(x->at, y->at);
    if (id != 0 || at != 0) {
        return id != 0 ? id : at;
    }
    return (x->order > y->order) - (x->order < y->order);
}

void batch_records_keep_last(batch_records *all)
{
    size_t kept = 0;
    if (all->count > 0) {
        qsort(all->items, all->count, sizeof(*all->items), compare_records);
    }
    for (size_t k = 0; k < all->count; ++k) {
        const bool same = kept > 0 && strcmp(all->items[kept - 1].id, all->items[k].id) == 0;
        const bool own = same && all->items[kept - 1].own;
        kept += !same;
        all->items[kept - 1] = all->items[k];
        all->items[kept - 1].own |= own;
    }
    all->count = kept;
}

const batch_record *batch_records_find(const batch_records *records, const char *id)
{
    size_t low = 0, high = records->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = strcmp(records->items[middle].id, id);
        if (order == 0) {
            return &records->items[middle];
        }
        low = order < 0 ? middle + 1 : low;
        high = order < 0 ? high : middle;
    }
    return NULL;
}

void batch_records_free(batch_records *records)
{
    lmbi_free(NULL, records->items);
    lmbi_arena_free(&records->arena);
    *records = (batch_records){0};
}
