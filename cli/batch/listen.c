/// Parses the output of a command: warnings, first error, finding codes.
#include "cli/batch/batch.h"

#include <stdlib.h>
#include <string.h>

enum { KEPT_MOST = 32, LINE_MOST = 400 };

static char *copy_line(const char *at, size_t size)
{
    size = size < LINE_MOST ? size : LINE_MOST;
    char *out = cli_resize(NULL, size + 1, 1);
    memcpy(out, at, size);
    out[size] = 0;
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

static void add_once(char ***list, size_t *count, const char *at, size_t size)
{
    char *text = copy_line(at, size);
    for (size_t k = 0; k < *count; ++k) {
        if (strcmp((*list)[k], text) == 0) {
            free(text);
            return;
        }
    }
    if (*count == KEPT_MOST) {
        free(text);
        return;
    }
    *list = cli_resize(*list, *count + 1, sizeof(**list));
    (*list)[(*count)++] = text;
}

/// "limber rig: warning: …" gives what is behind the word.
static void listen_line(batch_outcome *outcome, const char *at, size_t size)
{
    static const char word[] = ": warning: ";
    const char *warning = starts(at, size, "limber ") ? find_text(at, size, word) : NULL;
    if (warning != NULL) {
        const char *text = warning + sizeof(word) - 1;
        add_once(&outcome->warnings, &outcome->warning_count, text, (size_t)(at + size - text));
    } else if (outcome->error == NULL && !starts(at, size, "progress ")) {
        outcome->error = copy_line(at, size);
    }
}

void batch_outcome_listen(batch_outcome *outcome, const char *messages, size_t size)
{
    const char *end = messages + size;
    for (const char *at = messages, *stop; at < end; at = stop + 1) {
        stop = memchr(at, '\n', (size_t)(end - at));
        stop = stop != NULL ? stop : end;
        if (stop > at) {
            listen_line(outcome, at, (size_t)(stop - at));
        }
    }
    batch_outcome_look(outcome, messages, size);
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

void batch_outcome_look(batch_outcome *outcome, const char *text, size_t size)
{
    const char *end = text + size;
    for (const char *at = find_text(text, size, "LMB-"); at != NULL;
         at = find_text(at, (size_t)(end - at), "LMB-")) {
        const size_t length = code_at(at, end);
        if (length > 0) {
            add_once(&outcome->codes, &outcome->code_count, at, length);
        }
        at += length > 0 ? length : 4;
    }
}

void batch_outcome_free(batch_outcome *outcome)
{
    free(outcome->error);
    for (size_t k = 0; k < outcome->warning_count; ++k) {
        free(outcome->warnings[k]);
    }
    for (size_t k = 0; k < outcome->code_count; ++k) {
        free(outcome->codes[k]);
    }
    free(outcome->warnings);
    free(outcome->codes);
    *outcome = (batch_outcome){0};
}
