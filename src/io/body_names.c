#include "io/body_names.h"

#include <string.h>

/// A name split into words: runs of letters, cut also where a lower-case letter meets a capital.
typedef struct name_words {
    char text[96]; ///< lower case, words separated by one space, a space at both ends
} name_words;

static bool is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

/// "mixamorig:LeftUpLeg" becomes " left up leg ": everything up to the last colon or bar is a
/// namespace.
static void split_words(const char *name, name_words *words)
{
    const char *last = strrchr(name, ':');
    const char *bar = strrchr(name, '|');
    last = bar > last ? bar : last;
    name = last && last[1] ? last + 1 : name;
    size_t size = 0;
    words->text[size++] = ' ';
    for (size_t i = 0; name[i] && size + 3 < sizeof words->text; ++i) {
        const char c = name[i];
        if (!is_lower(c) && !is_upper(c)) {
            if (words->text[size - 1] != ' ') {
                words->text[size++] = ' ';
            }
            continue;
        }
        if (is_upper(c) && i > 0 && words->text[size - 1] != ' ' &&
            (is_lower(name[i - 1]) || is_lower(name[i + 1]))) {
            words->text[size++] = ' ';
        }
        words->text[size++] = is_upper(c) ? (char)(c + 32) : c;
    }
    if (words->text[size - 1] != ' ') {
        words->text[size++] = ' ';
    }
    words->text[size] = 0;
}

static bool has_word(const name_words *words, const char *piece)
{
    return strstr(words->text, piece) != NULL;
}

static const struct {
    const char *piece;
    lmbi_smpl_part part;
} pieces[] = {
    // The first match decides, so longer spellings come first.
    {"up leg", LMBI_PART_THIGH},       {"upleg", LMBI_PART_THIGH},
    {"upper leg", LMBI_PART_THIGH},    {"upperleg", LMBI_PART_THIGH},
    {"thigh", LMBI_PART_THIGH},        {"femur", LMBI_PART_THIGH},
    {"fore foot", LMBI_PART_TOE},      {"toe", LMBI_PART_TOE},
    {"ball ", LMBI_PART_TOE},          {"foot", LMBI_PART_FOOT},
    {"ankle", LMBI_PART_FOOT},         {"shin", LMBI_PART_SHIN},
    {"calf", LMBI_PART_SHIN},          {"tibia", LMBI_PART_SHIN},
    {"knee", LMBI_PART_SHIN},          {"leg", LMBI_PART_SHIN},
    {"hips", LMBI_PART_HIPS},          {"pelvis", LMBI_PART_HIPS},
    {"upper arm", LMBI_PART_SHOULDER}, {"upperarm", LMBI_PART_SHOULDER},
    {"humerus", LMBI_PART_SHOULDER},   {"clavicle", LMBI_PART_SHOULDER},
    {"collar", LMBI_PART_SHOULDER},    {"shoulder", LMBI_PART_SHOULDER},
    {"shldr", LMBI_PART_SHOULDER},     {"head", LMBI_PART_HEAD},
    {"neck", LMBI_PART_NECK},
};

static lmbi_side side_of(const name_words *words)
{
    if (has_word(words, "left") || has_word(words, " l ")) {
        return LMBI_SIDE_LEFT;
    }
    return has_word(words, "right") || has_word(words, " r ") ? LMBI_SIDE_RIGHT : LMBI_SIDE_NONE;
}

lmbi_body_name lmbi_body_name_of(const char *name)
{
    name_words words;
    split_words(name, &words);
    lmbi_body_name out = {LMBI_PART_OTHER, side_of(&words)};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; ++i) {
        const char *at = strstr(words.text, pieces[i].piece);
        if (at == NULL) {
            continue;
        }
        out.part = pieces[i].part;
        // Acclaim puts one letter before the part: lfemur, rtibia.
        if (out.side == LMBI_SIDE_NONE && at >= words.text + 2 && at[-2] == ' ') {
            out.side = at[-1] == 'l'   ? LMBI_SIDE_LEFT
                       : at[-1] == 'r' ? LMBI_SIDE_RIGHT
                                       : LMBI_SIDE_NONE;
        }
        break;
    }
    // "hip" without a side is the pelvis; with a side it is the thigh's joint.
    if (out.part == LMBI_PART_OTHER && has_word(&words, " hip ")) {
        out.part = out.side == LMBI_SIDE_NONE ? LMBI_PART_HIPS : LMBI_PART_THIGH;
    }
    return out;
}
