// Reading FBX, in megabytes of the file a second, beside a copy of the same bytes, by processor
// time. One JSON object a line.
// With file names, those are measured; else a made text file of one long curve and one mesh.
#define _DEFAULT_SOURCE
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "io/fbx/fbx.h"
#include "limber/limber.h"

enum { ROUNDS = 9, GRID = 150 };

typedef struct bytes {
    char *data;
    size_t size, capacity;
} bytes;

static void add(bytes *b, const char *format, ...)
{
    if (b->size + 256 > b->capacity) {
        b->capacity = 2 * b->capacity + 4096;
        b->data = realloc(b->data, b->capacity);
    }
    if (b->data == NULL) {
        exit(1);
    }
    va_list args;
    va_start(args, format);
    b->size += (size_t)vsnprintf(b->data + b->size, 256, format, args);
    va_end(args);
}

static bytes make_text(void)
{
    bytes b = {0};
    add(&b,
        "; FBX 7.5.0 project file\nFBXHeaderExtension:  {\n\tFBXVersion: 7500\n}\nObjects:  {\n");
    add(&b, "\tGeometry: 1, \"Geometry::a\", \"Mesh\" {\n\t\tVertices: *%d {\n\t\t\ta: 0",
        3 * GRID * GRID);
    for (int i = 1; i < 3 * GRID * GRID; ++i) {
        add(&b, ",%.9g", sin(0.01 * i));
    }
    add(&b, "\n\t\t}\n\t\tPolygonVertexIndex: *%d {\n\t\t\ta: 0,1,%d,%d",
        4 * (GRID - 1) * (GRID - 1), GRID + 1, -GRID - 1);
    for (int i = 1; i < GRID * (GRID - 1); ++i) {
        if (i % GRID < GRID - 1) {
            add(&b, ",%d,%d,%d,%d", i, i + 1, i + GRID + 1, -i - GRID - 1);
        }
    }
    add(&b, "\n\t\t}\n\t}\n\tModel: 2, \"Model::a\", \"Mesh\" {\n\t}\n}\nConnections:  {\n\tC: "
            "\"OO\",2,0\n\tC: \"OO\",1,2\n}\n");
    return b;
}

static bytes read_file(const char *path)
{
    bytes b = {0};
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        perror(path);
        exit(1);
    }
    fseek(file, 0, SEEK_END);
    b.size = (size_t)ftell(file);
    fseek(file, 0, SEEK_SET);
    b.data = malloc(b.size + 1);
    if (b.data == NULL || fread(b.data, 1, b.size, file) != b.size) {
        exit(1);
    }
    fclose(file);
    return b;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double read_s(const bytes *b)
{
    lmb_character *character = NULL;
    const double begun = now();
    if (lmbi_fbx_read(b->data, b->size, NULL, NULL, &character, NULL) != LMB_OK) {
        fprintf(stderr, "it does not read\n");
        exit(1);
    }
    const double end = now();
    lmb_character_destroy(character);
    return end - begun;
}

static double copy_s(const bytes *b)
{
    char *copy = malloc(b->size);
    if (copy == NULL) {
        exit(1);
    }
    const double begun = now();
    memcpy(copy, b->data, b->size);
    const double end = now();
    volatile char keep = copy[b->size / 2];
    (void)keep;
    free(copy);
    return end - begun;
}

static void measure(const char *name, const bytes *b)
{
    double best_read = 1e9, best_copy = 1e9;
    for (int i = 0; i < ROUNDS; ++i) {
        const double r = read_s(b), c = copy_s(b);
        best_read = r < best_read ? r : best_read;
        best_copy = c < best_copy ? c : best_copy;
    }
    printf("{\"bench\":\"fbx_read\",\"file\":\"%s\",\"bytes\":%zu,\"ms\":%.3f,\"MB_per_s\":%.1f,"
           "\"copy_MB_per_s\":%.0f}\n",
           name, b->size, best_read * 1e3, (double)b->size / best_read / 1e6,
           (double)b->size / best_copy / 1e6);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        bytes made = make_text();
        measure("made text", &made);
        free(made.data);
    }
    for (int i = 1; i < argc; ++i) {
        bytes file = read_file(argv[i]);
        const char *slash = strrchr(argv[i], '/');
        measure(slash ? slash + 1 : argv[i], &file);
        free(file.data);
    }
    return 0;
}
