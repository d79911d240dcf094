/// Gaps in commands and in names of outputs: found, and filled in.
#include "batch/manifest.h"

#include "base/text.h"

#include <string.h>

static bool is_letter(char c)
{
    return c >= 'a' && c <= 'z';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static const struct {
    const char *word;
    batch_gap gap;
} gaps[] = {
    {"input", BATCH_INPUT}, {"inputs", BATCH_INPUTS}, {"output", BATCH_OUTPUT},
    {"id", BATCH_ID},       {"name", BATCH_NAME},     {"stem", BATCH_STEM},
    {"ext", BATCH_EXT},     {"dir", BATCH_DIR},       {"frame", BATCH_FRAME},
};

static batch_gap gap_of(const char *word, size_t size)
{
    for (size_t k = 0; k < sizeof(gaps) / sizeof(gaps[0]); ++k) {
        if (strlen(gaps[k].word) == size && memcmp(gaps[k].word, word, size) == 0) {
            return gaps[k].gap;
        }
    }
    return BATCH_UNKNOWN;
}

/// A gap at `at`, which is a brace; false when it is none.
static bool read_gap(const char *at, batch_piece *piece)
{
    const char *word = at + 1, *end = word;
    unsigned number = 0;
    while (is_letter(*end)) {
        ++end;
    }
    const size_t size = (size_t)(end - word);
    for (; is_digit(*end) && number < 10000; ++end) {
        number = 10 * number + (unsigned)(*end - '0');
    }
    if (size == 0 || *end != '}') {
        return false;
    }
    const bool numbered = is_digit(end[-1]);
    batch_gap gap = gap_of(word, size);
    if (numbered && (gap != BATCH_INPUT || number == 0)) {
        gap = BATCH_UNKNOWN;
    }
    *piece = (batch_piece){at, (size_t)(end - at) + 1, gap, number};
    return true;
}

bool batch_piece_next(const char **text, batch_piece *piece)
{
    const char *at = *text;
    if (*at == 0) {
        return false;
    }
    if (*at == '{' && read_gap(at, piece)) {
        *text = at + piece->size;
        return true;
    }
    size_t size = 1 + strcspn(at + 1, "{");
    *piece = (batch_piece){at, size, BATCH_TEXT, 0};
    *text = at + size;
    return true;
}

bool batch_has_gap(const char *text, batch_gap gap)
{
    batch_piece piece;
    while (batch_piece_next(&text, &piece)) {
        if (piece.gap == gap) {
            return true;
        }
    }
    return false;
}

// --------------------------------------------------------------------------------------- filling

/// The parts of a path: its folder with the slash, its name, the name's stem.
typedef struct parts {
    const char *path, *name;
    size_t folder, stem;
} parts;

static parts parts_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    const char *point = strrchr(name, '.');
    // ".hidden" is a stem.
    return (parts){path, name, (size_t)(name - path),
                   point != NULL && point != name ? (size_t)(point - name) : strlen(name)};
}

static void put_part(lmbi_text *out, const batch_item *item, batch_gap gap)
{
    if (item->inputs.count == 0) {
        return;
    }
    const parts part = parts_of(item->inputs.at[0]);
    switch (gap) {
    case BATCH_NAME:
        lmbi_text_add(out, part.name);
        break;
    case BATCH_STEM:
        lmbi_text_bytes(out, part.name, part.stem);
        break;
    case BATCH_EXT:
        lmbi_text_add(out, part.name[part.stem] != 0 ? part.name + part.stem + 1 : "");
        break;
    default:
        lmbi_text_bytes(out, part.path, part.folder);
        break;
    }
}

static void put_input(lmbi_text *out, const batch_item *item, size_t index, const char *base)
{
    if (index < item->inputs.count) {
        lmbi_text_add(out, item->inputs.at[index][0] != '/' ? base : "");
        lmbi_text_add(out, item->inputs.at[index]);
    }
}

static void put_piece(lmbi_text *out, const batch_piece *piece, const batch_item *item,
                      const char *base, const char *folder)
{
    switch (piece->gap) {
    case BATCH_TEXT:
    case BATCH_FRAME:
    case BATCH_UNKNOWN:
        lmbi_text_bytes(out, piece->at, piece->size);
        break;
    case BATCH_INPUT:
        put_input(out, item, piece->number > 0 ? piece->number - 1 : 0, base);
        break;
    case BATCH_INPUTS:
        for (size_t k = 0; k < item->inputs.count; ++k) {
            lmbi_text_add(out, k > 0 ? " " : "");
            put_input(out, item, k, base);
        }
        break;
    case BATCH_OUTPUT:
        if (item->output != NULL) {
            lmbi_text_add(out, folder);
            lmbi_text_add(out, item->output);
        }
        break;
    case BATCH_ID:
        lmbi_text_add(out, item->id != NULL ? item->id : "");
        break;
    case BATCH_NAME:
    case BATCH_STEM:
    case BATCH_EXT:
    case BATCH_DIR:
        put_part(out, item, piece->gap);
        break;
    }
}

char *batch_fill(lmbi_arena *arena, const char *text, const batch_item *item, const char *base,
                 const char *folder)
{
    lmbi_text out;
    batch_piece piece;
    lmbi_text_init(&out, arena->alloc);
    while (batch_piece_next(&text, &piece)) {
        put_piece(&out, &piece, item, base, folder);
    }
    char *filled =
        out.failed
            ? NULL
            : lmbi_arena_string(arena, out.size > 0 ? out.data : (const uint8_t *)"", out.size);
    lmbi_text_free(&out);
    return filled;
}

batch_words batch_fill_command(lmbi_arena *arena, const batch_item *item, const char *base,
                               const char *folder)
{
    const batch_words none = {0};
    size_t most = 1, count = 0;
    for (size_t k = 0; k < item->command.count; ++k) {
        most += strcmp(item->command.at[k], "{inputs}") == 0 ? item->inputs.count : 1;
    }
    const char **words = lmbi_arena_array(arena, most, sizeof(*words));
    if (words == NULL) {
        return none;
    }
    for (size_t k = 0; k < item->command.count; ++k) {
        const bool all = strcmp(item->command.at[k], "{inputs}") == 0;
        for (unsigned i = 0; i < (all ? item->inputs.count : 1); ++i) {
            const batch_item one = {.inputs = {item->inputs.at + i, 1}};
            char *word = all ? batch_fill(arena, "{input}", &one, base, folder)
                             : batch_fill(arena, item->command.at[k], item, base, folder);
            if (word == NULL) {
                return none;
            }
            words[count++] = word;
        }
    }
    return (batch_words){words, count};
}
