/// How an item is started, and the line that the results keep of it.
#include "cli/batch/batch.h"

#include "base/json.h"
#include "base/sha256.h"

#include <string.h>
#include <time.h>

// --------------------------------------------------------------------------------------- the command

/// Whether an option stands among the words: "--threads", "--threads=4", or a letter of its own.
static bool has_option(const batch_words *words, const char *name, char letter)
{
    const size_t size = strlen(name);
    for (size_t k = 1; k < words->count && strcmp(words->at[k], "--") != 0; ++k) {
        const char *word = words->at[k];
        if (word[0] == '-' && word[1] == '-' && strncmp(word + 2, name, size) == 0 &&
            (word[2 + size] == 0 || word[2 + size] == '=')) {
            return true;
        }
        if (letter != 0 && word[0] == '-' && word[1] == letter) {
            return true;
        }
    }
    return false;
}

batch_words batch_start_words(lmbi_arena *arena, const batch_run *run, const batch_item *item)
{
    enum { ADDED = 4 };
    const batch_words filled = batch_fill_command(arena, item, item->base, run->folder);
    const char **words = lmbi_arena_array(arena, filled.count + ADDED + 2, sizeof(*words));
    char threads[24];
    snprintf(threads, sizeof(threads), "%lld", (long long)run->limits.threads);
    char *number = lmbi_arena_string(arena, threads, strlen(threads));
    size_t count = 0;
    if (filled.at == NULL || words == NULL || number == NULL) {
        return (batch_words){0};
    }
    words[count++] = run->program;
    words[count++] = filled.at[0];
    if (!has_option(&filled, "threads", 0)) {
        words[count++] = "--threads";
        words[count++] = number;
    }
    if (!has_option(&filled, "quiet", 'q') && !has_option(&filled, "verbose", 'v')) {
        words[count++] = "-q";
    }
    for (size_t k = 1; k < filled.count; ++k) {
        words[count++] = filled.at[k];
    }
    words[count] = NULL;
    return (batch_words){words, count};
}

void batch_print_quoted(FILE *out, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-./=,:+@%^";
    if (word[0] != 0 && strspn(word, plain) == strlen(word)) {
        fputs(word, out);
        return;
    }
    fputc('\'', out);
    for (; *word != 0; ++word) {
        if (*word == '\'') {
            fputs("'\\''", out);
        } else {
            fputc(*word, out);
        }
    }
    fputc('\'', out);
}

static void print_path(const char *before, const char *folder, const char *path)
{
    lmbi_arena arena;
    lmbi_arena_init(&arena, NULL);
    const batch_item item = {.output = path};
    const char *full = batch_fill(&arena, "{output}", &item, "", folder);
    fputs(before, stdout);
    batch_print_quoted(stdout, full != NULL ? full : path);
    lmbi_arena_free(&arena);
}

/// "mkdir -p …" for the folder that a path lies in.
static void print_folder(const char *folder, const char *path, bool is_folder)
{
    const char *slash = strrchr(path, '/');
    lmbi_arena arena;
    lmbi_arena_init(&arena, NULL);
    const size_t size = is_folder ? strlen(path) : slash != NULL ? (size_t)(slash - path) : 0;
    const char *inside = lmbi_arena_string(&arena, path, size);
    print_path("mkdir -p ", folder, inside != NULL ? inside : "");
    fputs(" && ", stdout);
    lmbi_arena_free(&arena);
}

cli_exit batch_dry_run(const batch_run *run)
{
    for (size_t k = 0; k < run->mine_count; ++k) {
        const batch_item *item = &run->manifest->items[run->mine[k]];
        lmbi_arena arena;
        lmbi_arena_init(&arena, NULL);
        const batch_words words = batch_start_words(&arena, run, item);
        if (item->output != NULL) {
            print_folder(run->folder, item->output, item->output_is_folder);
        }
        if (item->print != NULL) {
            print_folder(run->folder, item->print, false);
        }
        for (size_t w = 0; w < words.count; ++w) {
            fputs(w > 0 ? " " : "", stdout);
            batch_print_quoted(stdout, words.at[w]);
        }
        if (item->print != NULL) {
            print_path(" > ", run->folder, item->print);
        }
        fputc('\n', stdout);
        lmbi_arena_free(&arena);
    }
    return CLI_DONE;
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

/// The moment as RFC 3339 has it: a later one is a greater text.
static void put_now(lmbi_json_out *json)
{
    struct timespec now;
    struct tm parts;
    char text[40], day[32];
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &parts);
    strftime(day, sizeof(day), "%Y-%m-%dT%H:%M:%S", &parts);
    snprintf(text, sizeof(text), "%s.%03dZ", day, (int)(now.tv_nsec / 1000000));
    lmbi_json_put_string(json, "at", text);
}

static void put_members(lmbi_json_out *json, const batch_run *run, const batch_item *item,
                        const batch_outcome *o)
{
    static const char *const output_keys[3] = {"output", "output_sha256", "output_bytes"};
    static const char *const print_keys[3] = {"stdout", "stdout_sha256", "stdout_bytes"};
    lmbi_arena arena;
    lmbi_arena_init(&arena, NULL);
    const batch_words words = batch_fill_command(&arena, item, item->base, run->folder);
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
    put_now(json);
    lmbi_arena_free(&arena);
}

lmb_buffer batch_line(const batch_run *run, const batch_item *item, const batch_outcome *outcome)
{
    lmbi_text text;
    lmb_buffer out = {0};
    lmbi_text_init(&text, NULL);
    lmbi_json_out json = {.text = &text, .first = true};
    lmbi_json_open(&json, NULL, '{');
    put_members(&json, run, item, outcome);
    lmbi_json_close(&json, '}');
    lmbi_buffer_take(&text, &out, NULL);
    return out;
}
