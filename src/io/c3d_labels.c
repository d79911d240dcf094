#include <stdio.h>
#include <string.h>

#include "io/c3d.h"
#include "io/names.h"

enum { LABEL_LISTS_MAX = 260 };

/// LABELS holds 255 at most; LABELS2, LABELS3 and so on go on. Words stay empty where they end.
static void list_labels(const lmbi_c3d *c3d, lmbi_word *labels, uint32_t point_count)
{
    uint32_t filled = 0;
    for (int list = 1; list <= LABEL_LISTS_MAX && filled < point_count; ++list) {
        char name[24] = "LABELS";
        if (list > 1) {
            snprintf(name, sizeof name, "LABELS%d", list);
        }
        const lmbi_c3d_param *param = lmbi_c3d_find(c3d, "POINT", name);
        if (param == NULL) {
            return;
        }
        const uint32_t count = lmbi_c3d_text_count(param);
        for (uint32_t k = 0; k < count && filled < point_count; ++k) {
            labels[filled++] = lmbi_c3d_text(param, k);
        }
    }
}

/// Model outputs that share the points' place but are angles, forces and the like.
static bool list_others(const lmbi_c3d *c3d, lmbi_names *others)
{
    static const char *const lists[] = {"ANGLES", "FORCES", "MOMENTS", "POWERS", "SCALARS"};
    for (size_t l = 0; l < sizeof lists / sizeof *lists; ++l) {
        const lmbi_c3d_param *param = lmbi_c3d_find(c3d, "POINT", lists[l]);
        const uint32_t count = lmbi_c3d_text_count(param);
        for (uint32_t k = 0; k < count; ++k) {
            const lmbi_word word = lmbi_c3d_text(param, k);
            if (word.size > 0 && lmbi_names_add(others, word) < 0) {
                return false;
            }
        }
    }
    return true;
}

static const char *name_of(lmbi_arena *arena, lmbi_word label, uint32_t point)
{
    char number[24];
    if (label.size > 0) {
        return lmbi_arena_string(arena, label.at, label.size);
    }
    const int length = snprintf(number, sizeof number, "marker %u", point + 1);
    return lmbi_arena_string(arena, number, (size_t)length);
}

static bool keep_positions(lmbi_arena *arena, const lmbi_word *labels, uint32_t point_count,
                           const lmbi_names *others, lmbi_c3d_labels *out)
{
    for (uint32_t p = 0; p < point_count; ++p) {
        if (labels[p].size > 0 && lmbi_names_find(others, labels[p]) >= 0) {
            continue;
        }
        const char *name = name_of(arena, labels[p], p);
        if (name == NULL) {
            return false;
        }
        out->kept[out->count] = p;
        out->names[out->count++] = name;
    }
    return true;
}

bool lmbi_c3d_labels_read(const lmbi_c3d *c3d, lmbi_arena *arena, uint32_t point_count,
                          lmbi_c3d_labels *out)
{
    lmbi_word *labels = lmbi_arena_array(arena, point_count, sizeof *labels);
    out->kept = lmbi_arena_array(arena, point_count, sizeof *out->kept);
    out->names = lmbi_arena_array(arena, point_count, sizeof *out->names);
    if (labels == NULL || out->kept == NULL || out->names == NULL) {
        return false;
    }
    list_labels(c3d, labels, point_count);
    lmbi_names others;
    lmbi_names_init(&others, arena->alloc);
    const bool done =
        list_others(c3d, &others) && keep_positions(arena, labels, point_count, &others, out);
    lmbi_names_free(&others);
    return done;
}
