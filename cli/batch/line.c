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
