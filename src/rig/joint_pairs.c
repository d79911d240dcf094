#include "rig/symmetry.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

static const struct {
    const char *left, *right;
    bool alone; ///< only as a whole word
} words[] = {
    {"left", "right", false}, {"Left", "Right", false},
    {"LEFT", "RIGHT", false}, {"\xE5\xB7\xA6", "\xE5\x8F\xB3", false}, // Chinese characters
    {"l", "r", true},         {"L", "R", true},
};

static bool is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

/// Whether the letter at `at` is a word: "arm_l", "armL", "l_arm", "lArm".
static bool stands_alone(const char *name, size_t at)
{
    char before = at > 0 ? name[at - 1] : ' ', after = name[at + 1];
    bool after_word = !is_lower(before) && !is_upper(before);
    bool begins = after_word || (is_lower(before) && is_upper(name[at]));
    bool ends = !is_lower(after) && (!is_upper(after) || after_word);
    return begins && ends;
}

/// The joint whose name is `name` with the side word at `at` replaced by the other side's.
static int32_t find_other(const lmb_skeleton *skeleton, const char *name, size_t at, size_t word,
                          char *buffer)
{
    size_t cut = strlen(words[word].left), put = strlen(words[word].right);
    memcpy(buffer, name, at);
    memcpy(buffer + at, words[word].right, put);
    memcpy(buffer + at + put, name + at + cut, strlen(name + at + cut) + 1);
    return lmb_skeleton_find(skeleton, buffer);
}

static int32_t find_right(const lmb_skeleton *skeleton, const char *name, char *buffer)
{
    for (size_t w = 0; w < sizeof words / sizeof words[0]; ++w) {
        for (const char *p = name; (p = strstr(p, words[w].left)) != NULL; ++p) {
            size_t at = (size_t)(p - name);
            int32_t found = words[w].alone && !stands_alone(name, at)
                                ? LMB_NONE
                                : find_other(skeleton, name, at, w, buffer);
            if (found != LMB_NONE) {
                return found;
            }
        }
    }
    return LMB_NONE;
}

lmb_result lmbi_pair_by_name(const lmb_skeleton *skeleton, int32_t *right_of, lmbi_arena *arena,
                             lmb_error *error)
{
    uint32_t n = skeleton->joint_count;
    size_t longest = 0;
    for (uint32_t j = 0; j < n; ++j) {
        size_t size = strlen(skeleton->names[j]);
        longest = size > longest ? size : longest;
    }
    char *buffer = lmbi_arena_array(arena, longest + 8, 1);
    uint8_t *taken = lmbi_arena_array(arena, n, 1);
    if (!buffer || !taken) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t j = 0; j < n; ++j) {
        if (right_of[j] != LMB_NONE) {
            taken[j] = taken[right_of[j]] = 1;
        }
    }
    for (uint32_t j = 0; j < n; ++j) {
        int32_t other = taken[j] ? LMB_NONE : find_right(skeleton, skeleton->names[j], buffer);
        if (other != LMB_NONE && !taken[other] && (uint32_t)other != j) {
            right_of[j] = other;
            taken[j] = taken[other] = 1;
        }
    }
    return LMB_OK;
}

void lmbi_pair_both_ways(const int32_t *right_of, uint32_t joint_count, int32_t *partner)
{
    for (uint32_t j = 0; j < joint_count; ++j) {
        partner[j] = LMB_NONE;
    }
    for (uint32_t j = 0; j < joint_count; ++j) {
        if (right_of[j] != LMB_NONE) {
            partner[j] = right_of[j];
            partner[right_of[j]] = (int32_t)j;
        }
    }
}

static int32_t nearest_image(const lmb_vec3 *positions, uint32_t count, uint32_t joint,
                             lmb_vec3 normal, float offset, float reach, const int32_t *partner)
{
    lmb_vec3 p = positions[joint];
    lmb_vec3 image = lmb_vec3_mad(p, normal, -2 * (lmb_vec3_dot(p, normal) - offset));
    float best = lmb_vec3_distance(image, p); // the joint itself wins ties
    int32_t found = best <= reach ? (int32_t)joint : LMB_NONE;
    best = found == LMB_NONE ? reach : best;
    for (uint32_t k = 0; k < count; ++k) {
        float d = partner[k] == LMB_NONE ? lmb_vec3_distance(image, positions[k]) : INFINITY;
        if (d < best || (d <= best && found == LMB_NONE)) {
            best = d;
            found = (int32_t)k;
        }
    }
    return found;
}

void lmbi_pair_by_position(const lmb_vec3 *positions, uint32_t joint_count, lmb_vec3 normal,
                           float offset, float reach, int32_t *partner)
{
    for (uint32_t j = 0; j < joint_count; ++j) {
        if (partner[j] != LMB_NONE) {
            continue;
        }
        int32_t k = nearest_image(positions, joint_count, j, normal, offset, reach, partner);
        if (k != LMB_NONE && nearest_image(positions, joint_count, (uint32_t)k, normal, offset,
                                           reach, partner) == (int32_t)j) {
            partner[j] = k;
            partner[k] = (int32_t)j;
        }
    }
}
