// Characters below folders, by family, with the files apart that numbers were
// set on.
#ifndef BENCH_FAMILIES_H
#define BENCH_FAMILIES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "os/paths.h"

typedef struct bench_row {
    char path[1024], family[64];
    const char *name; // in path
    bool tuned, measured;
    double l1, share;
} bench_row;

typedef struct bench_set {
    uint32_t count;
    bench_row *rows;
} bench_set;

/// Copies a text, cut off where the room ends.
static inline void bench_copy(char *to, size_t room, const char *text)
{
    const size_t length = strlen(text), kept = length < room ? length : room - 1;
    memcpy(to, text, kept);
    to[kept] = 0;
}

/// "folder/name".
static inline void bench_join(char *to, size_t room, const char *folder, const char *name)
{
    bench_copy(to, room, folder);
    const size_t at = strlen(to);
    if (at + 1 < room) {
        to[at] = '/';
        bench_copy(to + at + 1, room - at - 1, name);
    }
}

static inline void bench_set_push(bench_set *set, const char *path, const char *family)
{
    set->rows = realloc(set->rows, (set->count + 1) * sizeof *set->rows);
    if (!set->rows) {
        abort();
    }
    bench_row *row = &set->rows[set->count++];
    memset(row, 0, sizeof *row);
    bench_copy(row->path, sizeof row->path, path);
    bench_copy(row->family, sizeof row->family, family);
    for (uint32_t k = 0; k < set->count; ++k) { // rows may have moved
        const char *slash = strrchr(set->rows[k].path, '/');
        set->rows[k].name = slash ? slash + 1 : set->rows[k].path;
    }
}

/// Adds the listed files that are there: "KIND PATH NOTE", the note "family: NAME" or anything.
static inline bool bench_set_add_list(bench_set *set, const char *dir, const char *list)
{
    FILE *in = fopen(list, "r");
    char line[1024], path[1024], joined[2048], note[256];
    while (in && fgets(line, sizeof line, in)) {
        note[0] = 0;
        if (line[0] == '#' || sscanf(line, "%*s %1023s %255[^\n]", path, note) < 1) {
            continue;
        }
        bench_join(joined, sizeof joined, dir, path);
        const char *family = strncmp(note, "family: ", 8) == 0 ? note + 8 : "single files";
        if (lmbi_path_kind_of(joined) == LMB_PATH_FILE) {
            bench_set_push(set, joined, family);
        }
    }
    if (in) {
        fclose(in);
    }
    return in != NULL;
}

static inline bool bench_is_character(const char *name)
{
    static const char *const ends[] = {".glb", ".gltf", ".vrm", ".fbx"};
    const char *dot = strrchr(name, '.');
    for (size_t k = 0; dot && k < sizeof ends / sizeof *ends; ++k) {
        if (strcmp(dot, ends[k]) == 0) {
            return true;
        }
    }
    return false;
}

/// Adds every character below the folder; its family is the folder that it lies in.
static inline void bench_set_add_folder(bench_set *set, const char *dir)
{
    lmbi_folder folder = {0};
    if (lmbi_folder_list(dir, &folder, NULL) != LMB_OK) {
        return;
    }
    for (size_t k = 0; k < folder.count; ++k) {
        char path[1024];
        bench_join(path, sizeof path, dir, folder.names[k]);
        const char *slash = strrchr(dir, '/');
        if (lmbi_path_kind_of(path) == LMB_PATH_FOLDER) {
            bench_set_add_folder(set, path);
        } else if (bench_is_character(path)) {
            bench_set_push(set, path, slash ? slash + 1 : dir);
        }
    }
    lmbi_folder_free(&folder);
}

static inline void bench_set_add(bench_set *set, const char *dir, const char *families)
{
    char list[1024];
    if (lmbi_path_kind_of(dir) == LMB_PATH_FILE) {
        bench_set_push(set, dir, "single files");
        return;
    }
    bench_join(list, sizeof list, dir, "../tools/artist-rigs.txt");
    if (!bench_set_add_list(set, dir, families ? families : list)) {
        bench_set_add_folder(set, dir);
    }
}

/// Marks the files that the list names, and adds those of them that the folder has.
static inline void bench_set_tuned(bench_set *set, const char *dir, const char *list)
{
    FILE *in = list ? fopen(list, "r") : NULL;
    char line[256], name[256], path[1300];
    while (in && fgets(line, sizeof line, in)) {
        if (line[0] == '#' || sscanf(line, "%255s", name) != 1) {
            continue;
        }
        bench_join(path, sizeof path, dir, name);
        bool found = false;
        for (uint32_t k = 0; k < set->count; ++k) {
            const bool same = strcmp(set->rows[k].path, path) == 0;
            set->rows[k].tuned = set->rows[k].tuned || same;
            found = found || same;
        }
        if (!found && lmbi_path_kind_of(path) == LMB_PATH_FILE) {
            bench_set_push(set, path, "single files");
            set->rows[set->count - 1].tuned = true;
        }
    }
    if (in) {
        fclose(in);
    }
}

static inline int bench_by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/// One line over the measured rows of a family (NULL: of all), tuned ones or others.
static inline bool bench_print_group(const bench_set *set, const char *family, bool tuned,
                                     const char *name)
{
    double *values = malloc((set->count + 1) * sizeof *values), mean = 0, share = 0;
    uint32_t count = 0;
    for (uint32_t k = 0; values && k < set->count; ++k) {
        const bench_row *row = &set->rows[k];
        if (row->measured && row->tuned == tuned && (!family || !strcmp(row->family, family))) {
            values[count++] = row->l1;
            mean += row->l1;
            share += row->share;
        }
    }
    if (count > 0) {
        qsort(values, count, sizeof *values, bench_by_value);
        printf("{\"family\": \"%s\", \"tuned\": %s, \"files\": %u, \"l1_mean\": %.3f, "
               "\"l1_median\": %.3f, \"first_joint_share\": %.3f}",
               name, tuned ? "true" : "false", count, mean / count,
               (values[count / 2] + values[(count - 1) / 2]) / 2, share / count);
    }
    free(values);
    return count > 0;
}

static inline void bench_set_print(const bench_set *set)
{
    printf("  \"families\": [");
    bool first = true;
    for (uint32_t k = 0; k < set->count; ++k) {
        bool seen = set->rows[k].tuned || !set->rows[k].measured;
        for (uint32_t i = 0; i < k && !seen; ++i) {
            seen = !set->rows[i].tuned && set->rows[i].measured &&
                   strcmp(set->rows[i].family, set->rows[k].family) == 0;
        }
        if (!seen) {
            printf("%s\n    ", first ? "" : ",");
            bench_print_group(set, set->rows[k].family, false, set->rows[k].family);
            first = false;
        }
    }
    printf("\n  ],\n  \"all\": [\n    ");
    if (bench_print_group(set, NULL, true, "tuned")) {
        printf(",\n    ");
    }
    bench_print_group(set, NULL, false, "others");
    printf("\n  ]\n");
}

static inline void bench_set_free(bench_set *set)
{
    free(set->rows);
}

#endif
