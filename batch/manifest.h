/// What a batch is to do: jobs with an id, a command with gaps in it, inputs and outputs. Bytes in,
/// checked items out; nothing here opens a file or prints.
#ifndef LIMBER_BATCH_MANIFEST_H
#define LIMBER_BATCH_MANIFEST_H

#include "base/arena.h"
#include "limber/base.h"

typedef struct batch_words {
    const char *const *at;
    size_t count;
} batch_words;

/// One job. Strings live in the manifest's arena.
typedef struct batch_item {
    const char *id;
    batch_words command; ///< of limber's, without its name; gaps are not filled in yet
    const char *base;    ///< the folder that the inputs lie in, with a slash at its end; or ""
    batch_words inputs;  ///< relative to it, or from the root
    const char *output;  ///< below the batch's folder, without . and ..; NULL when it writes none
    const char *print;   ///< where its standard output goes, likewise
    bool output_is_folder;
    unsigned line; ///< of the manifest, from 1; 0 when it was not read from one
} batch_item;

/// What an item says, or what is said for all of them. NULL and 0 mean nothing.
typedef struct batch_fields {
    const char *id;
    batch_words command;
    const char *base;
    batch_words inputs;
    const char *output, *print; ///< with gaps
} batch_fields;

typedef struct batch_manifest {
    lmbi_arena arena;
    batch_item *items;
    size_t count, capacity;
} batch_manifest;

/// Puts JSON Lines behind the items that are there: an item a line; the first may be
/// {"defaults": {…}}, which counts before `defaults`. Errors: MALFORMED with line and column;
/// MEMORY.
lmb_result batch_manifest_read(batch_manifest *manifest, const void *bytes, size_t size,
                               const batch_fields *defaults, lmb_error *error);
/// Puts one item. Its strings are copied, but for the command, which must live as long. `line` and
/// `column` are for errors.
lmb_result batch_manifest_put(batch_manifest *manifest, const batch_fields *fields, unsigned line,
                              unsigned column, lmb_error *error);
/// Holds that no two items have one id, or one file to write.
lmb_result batch_manifest_check(const batch_manifest *manifest, lmb_error *error);
void batch_manifest_free(batch_manifest *manifest);

// ------------------------------------------------------------------------------------------- gaps

/// What stands in braces in a command or in the name of an output.
typedef enum batch_gap {
    BATCH_TEXT = 0, ///< no gap
    BATCH_INPUT,    ///< the first input, or with a number that one
    BATCH_INPUTS,   ///< all of them, each an argument
    BATCH_OUTPUT,
    BATCH_ID,
    BATCH_NAME,  ///< of the first input, without its folder
    BATCH_STEM,  ///< that without its extension
    BATCH_EXT,   ///< the extension without its point
    BATCH_DIR,   ///< its folder below the base, with a slash at its end; or ""
    BATCH_FRAME, ///< left to `bake`, which fills it in
    BATCH_UNKNOWN,
} batch_gap;

typedef struct batch_piece {
    const char *at;
    size_t size;
    batch_gap gap;
    unsigned number; ///< of {input2}; 0 without
} batch_piece;

/// The next run of text or gap. False at the end. What is not a word in braces is text.
bool batch_piece_next(const char **text, batch_piece *piece);
bool batch_has_gap(const char *text, batch_gap gap);

/// The text with its gaps filled: paths of inputs and of the output begin with the base and with
/// `folder` (with a slash at its end, or ""). NULL when out of memory.
char *batch_fill(lmbi_arena *arena, const char *text, const batch_item *item, const char *base,
                 const char *folder);
/// The same for a whole command. at is NULL when out of memory.
batch_words batch_fill_command(lmbi_arena *arena, const batch_item *item, const char *base,
                               const char *folder);

#endif
