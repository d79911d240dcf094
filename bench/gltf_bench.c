// Reading and writing glTF: a skinned sheet of about a million triangles, as GLB and as text,
// beside a copy of the same bytes. By processor time, the best of some rounds. One JSON object a
// line. With file names, reading those is measured instead; bench/peers/cgltf_read.c does the same.
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "limber/limber.h"

#ifndef LMBI_BUILD
#define LMBI_BUILD ""
#endif

enum { ROUNDS = 5, SIDE = 708, JOINTS = 20, INFLUENCES = 4 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *room(size_t size)
{
    void *block = calloc(size, 1);
    if (block == NULL) {
        exit(1);
    }
    return block;
}

static void check(lmb_result result)
{
    if (result != LMB_OK) {
        fprintf(stderr, "%s\n", lmb_result_name(result));
        exit(1);
    }
}

static lmb_mesh *make_mesh(void)
{
    const uint32_t n = SIDE * SIDE;
    lmb_primitive primitive = {.vertex_count = n,
                               .attributes = LMB_HAS_NORMALS | LMB_HAS_UV0 | LMB_HAS_INFLUENCES,
                               .material = LMB_NONE};
    lmb_mesh def = {.vertex_count = n, .primitive_count = 1, .primitives = &primitive},
             *mesh = NULL;
    def.positions = room(n * sizeof *def.positions);
    def.normals = room(n * sizeof *def.normals);
    def.uvs[0] = room(n * sizeof *def.uvs[0]);
    def.influences.first = room((n + 1) * sizeof *def.influences.first);
    def.influences.items = room(n * INFLUENCES * sizeof *def.influences.items);
    def.indices = room((size_t)6 * n * sizeof *def.indices);
    for (uint32_t v = 0; v < n; ++v) {
        const float x = (float)(v % SIDE) / SIDE, y = (float)(v / SIDE) / SIDE;
        def.positions[v] = lmb_vec3_make(x, y, lmb_sin(20 * x) * 0.01f);
        def.normals[v] = lmb_vec3_make(0, 0, 1);
        def.uvs[0][v].x = x;
        def.uvs[0][v].y = 1 - y;
        def.influences.first[v + 1] = INFLUENCES * (v + 1);
        for (uint32_t k = 0; k < INFLUENCES; ++k) {
            def.influences.items[INFLUENCES * v + k].joint = (v / 1000 + k) % JOINTS;
            def.influences.items[INFLUENCES * v + k].weight = 0.4f - 0.1f * (float)k;
        }
    }
    for (uint32_t v = 0; v + SIDE + 1 < n; ++v) {
        const uint32_t quad[6] = {v, v + 1, v + SIDE, v + 1, v + SIDE + 1, v + SIDE};
        if (v % SIDE + 1 < SIDE) {
            memcpy(def.indices + def.index_count, quad, sizeof quad);
            def.index_count += 6;
        }
    }
    primitive.index_count = def.index_count;
    check(lmb_mesh_create(&def, NULL, &mesh, NULL));
    free(def.positions);
    free(def.normals);
    free(def.uvs[0]);
    free(def.influences.first);
    free(def.influences.items);
    free(def.indices);
    return mesh;
}

static lmb_character *make_character(void)
{
    int32_t parents[JOINTS];
    lmb_transform rest[JOINTS];
    const char *names[JOINTS];
    uint32_t joints[JOINTS];
    lmb_mat4 binds[JOINTS];
    for (int j = 0; j < JOINTS; ++j) {
        parents[j] = j - 1;
        rest[j] = lmb_transform_identity();
        names[j] = "joint";
        joints[j] = (uint32_t)j;
        binds[j] = lmb_mat4_identity();
    }
    const lmb_skeleton skeleton = {
        .joint_count = JOINTS, .parents = parents, .rest = rest, .names = names};
    const lmb_skin skin = {
        .joint_count = JOINTS, .joints = joints, .joint_from_bind = binds, .root = LMB_NONE};
    lmb_instance instance = {0};
    lmb_mesh *meshes[1] = {make_mesh()};
    lmb_skin *skins[1];
    lmb_character def = {.mesh_count = 1,
                         .meshes = meshes,
                         .skin_count = 1,
                         .skins = skins,
                         .instance_count = 1,
                         .instances = &instance};
    lmb_character *character = NULL;
    check(lmb_skeleton_create(&skeleton, NULL, &def.skeleton, NULL));
    check(lmb_skin_create(&skin, NULL, &skins[0], NULL));
    check(lmb_character_create(&def, NULL, &character, NULL));
    return character;
}

static double least(double a, double b)
{
    return b < a ? b : a;
}

/// Writes and reads the character in one of the two forms.
static void measure(const char *name, const lmb_character *character, bool text)
{
    const lmb_gltf_write_opts opts = {.text = text};
    double write_s = 1e9, read_s = 1e9, copy_s = 1e9;
    size_t size = 0;
    uint64_t triangles = 0;
    for (int round = 0; round < ROUNDS; ++round) {
        lmb_buffer file = {0};
        lmb_character *again = NULL;
        const double t0 = now();
        check(lmb_gltf_write(character, &opts, NULL, &file, NULL));
        const double t1 = now();
        check(lmb_gltf_read(file.data, file.size, NULL, NULL, &again, NULL));
        const double t2 = now();
        void *copy = room(file.size);
        const double t3 = now();
        memcpy(copy, file.data, file.size);
        copy_s = least(copy_s, now() - t3);
        if (memcmp(copy, file.data, file.size) !=
            0) { // looked at, so that it is not optimised away
            exit(1);
        }
        write_s = least(write_s, t1 - t0);
        read_s = least(read_s, t2 - t1);
        size = file.size;
        triangles = 0;
        for (uint32_t m = 0; m < again->mesh_count; ++m) {
            triangles += again->meshes[m]->index_count / 3;
        }
        free(copy);
        lmb_buffer_free(&file);
        lmb_character_destroy(again);
    }
    printf("{\"bench\":\"gltf\",\"input\":\"%s\",\"form\":\"%s\",\"triangles\":%llu,\"bytes\":%zu,"
           "\"write_ms\":%.1f,\"read_ms\":%.1f,\"copy_ms\":%.1f,\"build\":\"%s\"}\n",
           name, text ? "text" : "glb", (unsigned long long)triangles, size, 1e3 * write_s,
           1e3 * read_s, 1e3 * copy_s, LMBI_BUILD);
}

static void *read_bytes(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        fprintf(stderr, "%s: cannot be opened\n", path);
        exit(1);
    }
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    void *bytes = room(*size + 1);
    if (fread(bytes, 1, *size, file) != *size) {
        exit(1);
    }
    fclose(file);
    return bytes;
}

/// Files beside the one that is read, opened again every time, as the peer does.
static bool load_beside(void *user, const char *name, lmb_bytes *out)
{
    char path[1024];
    const char *of = user, *slash = strrchr(of, '/');
    snprintf(path, sizeof path, "%.*s%s", slash != NULL ? (int)(slash - of) + 1 : 0, of, name);
    size_t size = 0;
    out->data = read_bytes(path, &size);
    out->size = size;
    return true;
}

static void release(void *user, lmb_bytes bytes)
{
    (void)user;
    free((void *)(uintptr_t)bytes.data);
}

/// Reads a file as it is for half a second.
static void measure_file(char *path)
{
    size_t size = 0;
    void *bytes = read_bytes(path, &size);
    const lmb_loader loader = {.load = load_beside, .release = release, .user = path};
    const lmb_gltf_read_opts opts = {.loader = &loader};
    double best = 1e9;
    for (const double begun = now(); now() - begun < 0.5;) {
        lmb_character *character = NULL;
        const double before = now();
        check(lmb_gltf_read(bytes, size, &opts, NULL, &character, NULL));
        lmb_character_destroy(character);
        best = least(best, now() - before);
    }
    printf("{\"bench\":\"gltf\",\"input\":\"%s\",\"bytes\":%zu,\"limber_ms\":%.4f}\n", path, size,
           1e3 * best);
    free(bytes);
}

int main(int argc, char **argv)
{
    for (int k = 1; k < argc; ++k) {
        measure_file(argv[k]);
    }
    if (argc == 1) {
        lmb_character *character = make_character();
        measure("made", character, false);
        measure("made", character, true);
        lmb_character_destroy(character);
    }
    return 0;
}
