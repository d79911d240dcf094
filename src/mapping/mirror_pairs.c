/// Pairs of joints with mirrored names.
#include <string.h>

#include "asset/asset.h"
#include "limber/mapping.h"

enum { NAME = 128 };

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

/// Whether the letter at `at` denotes a side: next to no other letter (arm_L, L.arm), or lower case
/// before a capital (lThigh).
static bool is_side_letter(const char *name, size_t at)
{
    const char next = name[at + 1];
    const bool alone_before = at == 0 || !is_letter(name[at - 1]);
    return alone_before && (!is_letter(next) || (at == 0 && is_lower(name[0]) && !is_lower(next)));
}

static char other_letter(char c)
{
    switch (c) {
    case 'l':
        return 'r';
    case 'L':
        return 'R';
    case 'r':
        return 'l';
    case 'R':
        return 'L';
    default:
        return 0;
    }
}

/// Length of the word "left" or "right" at `at`, in any case, else 0.
static size_t side_word(const char *at, bool *is_left)
{
    static const char *const words[] = {"left", "right"};
    for (int w = 0; w < 2; ++w) {
        size_t k = 0;
        while (words[w][k] != 0 && (at[k] | 0x20) == words[w][k]) {
            ++k;
        }
        if (words[w][k] == 0) {
            *is_left = w == 0;
            return k;
        }
    }
    return 0;
}

/// The name with its side exchanged. False if it has none or is too long.
static bool mirror_name(const char *name, char out[NAME + 1])
{
    const size_t length = strlen(name);
    if (length >= NAME) {
        return false;
    }
    for (size_t at = 0; at < length; ++at) {
        bool is_left = false;
        const size_t word = side_word(name + at, &is_left);
        if (word > 0) {
            static const char *const spelt[2][3] = {{"left", "Left", "LEFT"},
                                                    {"right", "Right", "RIGHT"}};
            const int style = is_lower(name[at]) ? 0 : (is_lower(name[at + 1]) ? 1 : 2);
            const char *replacement = spelt[is_left ? 1 : 0][style];
            memcpy(out, name, at);
            strcpy(out + at, replacement);
            strcat(out, name + at + word);
            return true;
        }
    }
    for (size_t at = 0; at < length; ++at) {
        if (other_letter(name[at]) != 0 && is_side_letter(name, at)) {
            strcpy(out, name);
            out[at] = other_letter(name[at]);
            return true;
        }
    }
    return false;
}

void lmb_mirror_pairs(const lmb_skeleton *skeleton, uint32_t *pairs)
{
    lmbi_arena arena;
    lmbi_joint_names names;
    lmbi_arena_init(&arena, NULL);
    const bool quick = lmbi_joint_names_make(skeleton, &arena, &names);
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        pairs[j] = j;
    }
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        char name[NAME + 1];
        int32_t other = LMB_NONE;
        if (mirror_name(skeleton->names[j], name)) {
            other = quick ? lmbi_joint_names_find(&names, name) : lmb_skeleton_find(skeleton, name);
        }
        if (other != LMB_NONE && pairs[j] == j && pairs[other] == (uint32_t)other) {
            pairs[j] = (uint32_t)other;
            pairs[other] = j;
        }
    }
    lmbi_arena_free(&arena);
}
