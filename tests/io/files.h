/// What the io tests share: whole files, mutations, and comparison of meshes.
#ifndef TESTS_IO_FILES_H
#define TESTS_IO_FILES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "limber/limber.h"

typedef struct test_file {
    char *data;
    size_t size;
} test_file;

/// An exact-size copy of the file, so that a sanitizer sees a read past the end; data NULL when it
/// is not there.
static inline test_file test_file_read(const char *path)
{
    test_file file = {NULL, 0};
    FILE *f = fopen(path, "rb");
    if (f == NULL) {
        return file;
    }
    fseek(f, 0, SEEK_END);
    const long size = ftell(f);
    fseek(f, 0, SEEK_SET);
    file.data = malloc(size > 0 ? (size_t)size : 1);
    file.size = fread(file.data, 1, (size_t)size, f);
    fclose(f);
    return file;
}

/// A file of the shared data, or NULL data when that is not on this machine.
static inline test_file test_shared_read(const char *path)
{
    const char *shared = getenv("LIMBER_SHARED");
    char whole[1024];
    if (shared == NULL) {
        return (test_file){NULL, 0};
    }
    snprintf(whole, sizeof whole, "%s/data/%s", shared, path);
    return test_file_read(whole);
}

static inline bool test_same(const void *a, const void *b, size_t size)
{
    return (a == NULL) == (b == NULL) && (a == NULL || size == 0 || memcmp(a, b, size) == 0);
}

/// Equal as numbers: 0 and -0 are.
static inline bool test_same_floats(const void *a, const void *b, size_t count)
{
    const float *x = a, *y = b;
    for (size_t i = 0; x && y && i < count; ++i) {
        if (x[i] < y[i] || x[i] > y[i]) {
            return false;
        }
    }
    return (x == NULL) == (y == NULL);
}

static inline bool test_same_text(const char *a, const char *b)
{
    return (a == NULL) == (b == NULL) && (a == NULL || strcmp(a, b) == 0);
}

static inline bool test_same_primitives(const lmb_mesh *a, const lmb_mesh *b)
{
    if (a->primitive_count != b->primitive_count) {
        return false;
    }
    for (uint32_t i = 0; i < a->primitive_count; ++i) {
        const lmb_primitive *p = &a->primitives[i], *q = &b->primitives[i];
        if (!test_same_text(p->name, q->name) || p->topology != q->topology ||
            p->first_index != q->first_index || p->index_count != q->index_count ||
            p->first_vertex != q->first_vertex || p->vertex_count != q->vertex_count ||
            p->attributes != q->attributes || p->material != q->material) {
            return false;
        }
    }
    return true;
}

/// NULL when the meshes are equal number for number (colours apart), else what differs.
static inline const char *test_mesh_difference(const lmb_mesh *a, const lmb_mesh *b)
{
    const size_t n = a->vertex_count;
    if (a->vertex_count != b->vertex_count) {
        return "vertex count";
    }
    if (a->index_count != b->index_count ||
        !test_same(a->indices, b->indices, a->index_count * sizeof(uint32_t))) {
        return "indices";
    }
    if (!test_same_floats(a->positions, b->positions, n * 3)) {
        return "positions";
    }
    if (!test_same_floats(a->normals, b->normals, n * 3)) {
        return "normals";
    }
    if (!test_same_floats(a->uvs[0], b->uvs[0], n * 2)) {
        return "uvs";
    }
    if (!test_same(a->source_position, b->source_position, n * sizeof(uint32_t))) {
        return "source positions";
    }
    if (a->polygon_count != b->polygon_count ||
        !test_same(a->polygon_first, b->polygon_first, (a->polygon_count + 1) * sizeof(uint32_t)) ||
        (a->polygon_count && !test_same(a->polygons, b->polygons,
                                        a->polygon_first[a->polygon_count] * sizeof(uint32_t)))) {
        return "polygons";
    }
    return test_same_primitives(a, b) ? NULL : "primitives";
}

/// Two writers' bytes are the same; frees both.
static inline void assert_same_bytes(lmb_buffer *first, lmb_buffer *second)
{
    assert_int_equal(first->size, second->size);
    assert_memory_equal(first->data, second->data, first->size);
    lmb_buffer_free(first);
    lmb_buffer_free(second);
}

#endif
