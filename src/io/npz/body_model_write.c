/// Body models as archives with SMPL's names and shapes.
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "io/npz/npz_write.h"
#include "limber/io.h"

enum { NAME_MOST = 64 }; ///< characters of a joint's name that are kept

typedef struct model_writer {
    lmbi_npz_writer archive;
    lmbi_arena arena;
    const lmb_body_model *model;
} model_writer;

/// An array of the arena; where there is no memory the archive fails.
static void *room(model_writer *w, size_t count, size_t size)
{
    void *out = lmbi_arena_array(&w->arena, count, size);
    w->archive.text.failed = w->archive.text.failed || out == NULL;
    return out;
}

/// Directions with the coefficient running fastest: (vertices, 3, count).
static void add_directions(model_writer *w, const char *name, const lmb_vec3 *from, uint32_t count)
{
    const size_t rows = 3 * (size_t)w->model->vertex_count;
    char shape[64];
    float *out = count > 0 ? room(w, lmbi_size_mul(rows, count), sizeof *out) : NULL;
    if (out == NULL) {
        return;
    }
    for (size_t k = 0; k < count; ++k) {
        const float *direction = &from[k * w->model->vertex_count].x;
        for (size_t row = 0; row < rows; ++row) {
            out[row * count + k] = direction[row];
        }
    }
    snprintf(shape, sizeof shape, "(%u, 3, %u)", w->model->vertex_count, count);
    lmbi_npz_write_words(&w->archive, name, "<f4", shape, out, rows * count);
}

static void add_tree(model_writer *w)
{
    const uint32_t joints = w->model->joint_count;
    char shape[32];
    uint32_t *out = room(w, joints, 2 * sizeof *out);
    for (uint32_t j = 0; out != NULL && j < joints; ++j) {
        out[j] = (uint32_t)w->model->parents[j]; // 2^32 - 1 for none, as SMPL has it
        out[joints + j] = j;
    }
    snprintf(shape, sizeof shape, "(2, %u)", joints);
    if (out != NULL) {
        lmbi_npz_write_words(&w->archive, "kintree_table", "<u4", shape, out, 2 * (size_t)joints);
    }
}

static void add_weights(model_writer *w)
{
    const lmb_body_model *m = w->model;
    char shape[48];
    float *out = room(w, lmbi_size_mul(m->vertex_count, m->joint_count), sizeof *out);
    for (uint32_t v = 0; out != NULL && v < m->vertex_count; ++v) {
        for (uint32_t k = m->influences.first[v]; k < m->influences.first[v + 1]; ++k) {
            const lmb_influence *item = &m->influences.items[k];
            out[(size_t)v * m->joint_count + item->joint] += item->weight;
        }
    }
    snprintf(shape, sizeof shape, "(%u, %u)", m->vertex_count, m->joint_count);
    if (out != NULL) {
        lmbi_npz_write_words(&w->archive, "weights", "<f4", shape, out,
                             (size_t)m->vertex_count * m->joint_count);
    }
}

static void add_regressor(model_writer *w)
{
    const lmb_body_model *m = w->model;
    char shape[48];
    float *out = room(w, lmbi_size_mul(m->vertex_count, m->joint_count), sizeof *out);
    for (uint32_t j = 0; out != NULL && j < m->joint_count; ++j) {
        for (uint32_t k = m->regressor_first[j]; k < m->regressor_first[j + 1]; ++k) {
            out[(size_t)j * m->vertex_count + m->regressor_vertices[k]] += m->regressor_weights[k];
        }
    }
    snprintf(shape, sizeof shape, "(%u, %u)", m->joint_count, m->vertex_count);
    if (out != NULL) {
        lmbi_npz_write_words(&w->archive, "J_regressor", "<f4", shape, out,
                             (size_t)m->vertex_count * m->joint_count);
    }
}

/// Names in 32 bits a character, of bytes that are ASCII: others become question marks.
static void add_names(model_writer *w)
{
    const uint32_t joints = w->model->joint_count;
    char shape[32], type[16];
    size_t longest = 1;
    for (uint32_t j = 0; j < joints; ++j) {
        const size_t length = strlen(w->model->names[j]);
        longest = length > longest ? length : longest;
    }
    longest = longest > NAME_MOST ? NAME_MOST : longest;
    uint32_t *out = room(w, joints * longest, sizeof *out);
    for (uint32_t j = 0; out != NULL && j < joints; ++j) {
        const char *name = w->model->names[j];
        for (size_t k = 0; k < longest && name[k] != 0; ++k) {
            out[j * longest + k] = name[k] > 0 ? (uint32_t)name[k] : '?';
        }
    }
    snprintf(type, sizeof type, "<U%zu", longest);
    snprintf(shape, sizeof shape, "(%u,)", joints);
    if (out != NULL) {
        lmbi_npz_write_words(&w->archive, "joint_names", type, shape, out, joints * longest);
    }
}

static void add_all(model_writer *w)
{
    const lmb_body_model *m = w->model;
    char shape[32];
    lmbi_npz_write_start(&w->archive, w->arena.alloc);
    snprintf(shape, sizeof shape, "(%u, 3)", m->vertex_count);
    lmbi_npz_write_words(&w->archive, "v_template", "<f4", shape, m->positions,
                         3 * (size_t)m->vertex_count);
    snprintf(shape, sizeof shape, "(%u, 3)", m->index_count / 3);
    lmbi_npz_write_words(&w->archive, "f", "<u4", shape, m->indices, m->index_count);
    add_tree(w);
    add_names(w);
    add_weights(w);
    add_regressor(w);
    add_directions(w, "shapedirs", m->shape_directions, m->shape_count);
    add_directions(w, "posedirs", m->pose_directions, m->feature_count);
    lmbi_npz_write_end(&w->archive);
}

lmb_result lmb_body_model_write(const lmb_body_model *model, const lmb_allocator *alloc,
                                lmb_buffer *out, lmb_error *error)
{
    const uint64_t numbers = (uint64_t)model->vertex_count *
                             (2 * (uint64_t)model->joint_count + 3 * (uint64_t)model->shape_count +
                              3 * (uint64_t)model->feature_count + 16);
    if (numbers > UINT32_C(1) << 29) {
        return lmbi_fail(error, LMB_ERROR_UNSUPPORTED, "archives of less than 2 GiB",
                         "one of %u vertices with %u directions", model->vertex_count,
                         model->shape_count + model->feature_count);
    }
    model_writer w = {.model = model};
    lmbi_arena_init(&w.arena, alloc);
    add_all(&w);
    lmbi_arena_free(&w.arena);
    return lmbi_buffer_take(&w.archive.text, out, error);
}
