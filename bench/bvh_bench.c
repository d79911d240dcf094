// Reading and writing BVH and OBJ text, in megabytes of text a second, beside a copy of the same
// bytes, by processor time. One JSON object a line. With file names, those are measured; else a
// made clip and a made mesh.
#define _DEFAULT_SOURCE
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "io/bvh/bvh.h"
#include "io/surface/surface.h"
#include "limber/limber.h"

enum { ROUNDS = 7, JOINTS = 31, FRAMES = 3000, GRID = 200 };

typedef struct text {
    char *data;
    size_t size, capacity;
} text;

static void add(text *t, const char *piece)
{
    const size_t length = strlen(piece);
    if (t->size + length > t->capacity) {
        t->capacity = 2 * (t->size + length);
        t->data = realloc(t->data, t->capacity);
    }
    if (t->data == NULL) {
        exit(1);
    }
    memcpy(t->data + t->size, piece, length);
    t->size += length;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/// A chain with the digits of a usual motion capture file.
static text make_bvh(void)
{
    text t = {0};
    char line[128];
    add(&t, "HIERARCHY\n");
    for (int j = 0; j < JOINTS; ++j) {
        snprintf(line, sizeof line,
                 "%s j%d\n{\nOFFSET 0 %d.25 0\nCHANNELS %s Zrotation Yrotation Xrotation\n",
                 j ? "JOINT" : "ROOT", j, j, j ? "3" : "6 Xposition Yposition Zposition");
        add(&t, line);
    }
    for (int j = 0; j < JOINTS; ++j) {
        add(&t, "}\n");
    }
    snprintf(line, sizeof line, "MOTION\nFrames: %d\nFrame Time: .0083333\n", FRAMES);
    add(&t, line);
    for (int f = 0; f < FRAMES; ++f) {
        for (int c = 0; c < 3 + 3 * JOINTS; ++c) {
            snprintf(line, sizeof line, "%.4f ", 60 * sin(f * 0.013 * (1 + c % 7) + c));
            add(&t, line);
        }
        add(&t, "\n");
    }
    return t;
}

/// A square of quads with UVs and normals.
static text make_obj(void)
{
    text t = {0};
    char line[160];
    for (int i = 0; i < GRID * GRID; ++i) {
        const double x = i % GRID / (double)GRID, y = i / GRID / (double)GRID;
        snprintf(line, sizeof line, "v %.6f %.6f %.6f\nvt %.6f %.6f\nvn 0.0000 0.0000 1.0000\n", x,
                 y, 0.1 * sin(9 * x), x, y);
        add(&t, line);
    }
    for (int i = 0; i < GRID * (GRID - 1); ++i) {
        if (i % GRID < GRID - 1) {
            const int a = i + 1, b = i + 2, c = i + GRID + 2, d = i + GRID + 1;
            snprintf(line, sizeof line, "f %d/%d/%d %d/%d/%d %d/%d/%d %d/%d/%d\n", a, a, a, b, b, b,
                     c, c, c, d, d, d);
            add(&t, line);
        }
    }
    return t;
}

static double copy_s(const text *t)
{
    char *to = malloc(t->size + 1);
    double best = 1e9;
    volatile char seen = 0;
    for (int round = 0; to && round < ROUNDS; ++round) {
        const double begun = now();
        memcpy(to, t->data, t->size);
        seen = (char)(seen + to[(size_t)round * 1000 % t->size]);
        const double took = now() - begun;
        best = took < best ? took : best;
    }
    free(to);
    return best;
}

static int measure(const char *name, bool is_bvh, const text *t)
{
    double read_s = 1e9, write_s = 1e9;
    size_t written = 0;
    for (int round = 0; round < ROUNDS; ++round) {
        lmb_character *c = NULL;
        lmb_buffer out = {0};
        lmb_error error = {0};
        const double begun = now();
        const lmb_result result = is_bvh ? lmbi_bvh_read(t->data, t->size, NULL, NULL, &c, &error)
                                         : lmbi_obj_read(t->data, t->size, NULL, NULL, &c, &error);
        const double read_at = now();
        if (result != LMB_OK) {
            fprintf(stderr, "%s:%u:%u: expected %s, found %s\n", name, error.line, error.column,
                    error.expected, error.found);
            return 1;
        }
        const lmb_result wrote = is_bvh ? lmbi_bvh_write(c, NULL, NULL, &out, &error)
                                        : lmbi_obj_write(c, NULL, NULL, &out, &error);
        const double wrote_at = now();
        read_s = read_at - begun < read_s ? read_at - begun : read_s;
        write_s = wrote_at - read_at < write_s ? wrote_at - read_at : write_s;
        written = out.size;
        lmb_buffer_free(&out);
        lmb_character_destroy(c);
        if (wrote != LMB_OK) {
            return 1;
        }
    }
    printf("{\"bench\":\"bvh_bench\",\"build\":\"%s\",\"cores_used\":1,\"file\":\"%s\",\"bytes\":%"
           "zu,\"read_mb_per_s\":%.1f,"
           "\"write_mb_per_s\":%.1f,\"copy_mb_per_s\":%.1f}\n",
           LMBI_BUILD, name, t->size, (double)t->size / read_s * 1e-6,
           (double)written / write_s * 1e-6, (double)t->size / copy_s(t) * 1e-6);
    return 0;
}

static int measure_file(const char *path)
{
    text t = {0};
    FILE *file = fopen(path, "rb");
    char piece[4097];
    for (size_t got; file && (got = fread(piece, 1, sizeof piece - 1, file)) > 0;) {
        piece[got] = 0;
        add(&t, piece);
    }
    if (file == NULL) {
        perror(path);
        return 1;
    }
    fclose(file);
    const size_t length = strlen(path);
    const int failed = measure(path, length < 4 || strcmp(path + length - 4, ".obj") != 0, &t);
    free(t.data);
    return failed;
}

int main(int argc, char **argv)
{
    int failed = 0;
    for (int i = 1; i < argc; ++i) {
        failed = measure_file(argv[i]) || failed;
    }
    if (argc < 2) {
        text bvh = make_bvh(), obj = make_obj();
        failed = measure("made.bvh", true, &bvh) || measure("made.obj", false, &obj);
        free(bvh.data);
        free(obj.data);
    }
    return failed;
}
