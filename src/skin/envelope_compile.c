/// Lays out a mesh's coefficients of multi-weight enveloping for its kernels: vertices of a chunk
/// in blocks, those with the same joints together.
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "skin/envelope.h"

enum { LANES = LMBI_ENVELOPE_LANES, OTHERS = LMBI_ENVELOPE_OTHERS };

/// A vertex's joints: the first, and those of the others that have coefficients, ascending. `set`
/// says which of the mesh's four an entry is.
typedef struct row {
    uint32_t vertex;
    uint32_t others;
    uint16_t joints[LMB_ENVELOPE_INFLUENCES];
    uint8_t set[LMB_ENVELOPE_INFLUENCES];
} row;

typedef struct compiler {
    lmb_envelope_skin *skin;
    row *rows; ///< of a chunk, as many as fit
    lmbi_envelope_pair *pairs;
    uint32_t block_count, lane_pair_rows;
    size_t coefficient_rows;
} compiler;

// ------------------------------------------------------------------------------------------ rows

static bool has_coefficients(const lmb_mesh *mesh, size_t v, size_t set)
{
    bool any = false;
    for (size_t r = 0; r < 3; ++r) {
        const lmb_vec4 w = mesh->envelope[(1 + 3 * set + r) * mesh->vertex_count + v];
        any = any || w.x != 0 || w.y != 0 || w.z != 0 || w.w != 0;
    }
    return any;
}

static row row_of(const lmb_mesh *mesh, uint32_t v)
{
    const float *joints = &mesh->envelope[v].x;
    row r = {.vertex = v, .joints = {(uint16_t)joints[0]}};
    for (uint8_t set = 1; set < LMB_ENVELOPE_INFLUENCES; ++set) {
        if (!has_coefficients(mesh, v, set)) {
            continue;
        }
        uint32_t at = ++r.others;
        for (; at > 1 && r.joints[at - 1] > (uint16_t)joints[set]; --at) {
            r.joints[at] = r.joints[at - 1];
            r.set[at] = r.set[at - 1];
        }
        r.joints[at] = (uint16_t)joints[set];
        r.set[at] = set;
    }
    return r;
}

/// By joints, then by vertex: a total order.
static int compare_rows(const void *left, const void *right)
{
    const row *a = left, *b = right;
    for (uint32_t k = 0; k <= a->others && k <= b->others; ++k) {
        if (a->joints[k] != b->joints[k]) {
            return a->joints[k] < b->joints[k] ? -1 : 1;
        }
    }
    if (a->others != b->others) {
        return a->others < b->others ? -1 : 1;
    }
    return a->vertex < b->vertex ? -1 : a->vertex > b->vertex;
}

static int compare_vertices(const void *left, const void *right)
{
    const row *a = left, *b = right;
    return (a->vertex > b->vertex) - (a->vertex < b->vertex);
}

static uint32_t find_rows(compiler *c, uint32_t chunk)
{
    const lmb_mesh *mesh = c->skin->mesh;
    const uint32_t begin = chunk * LMBI_ENVELOPE_CHUNK, left = mesh->vertex_count - begin;
    const uint32_t count = left < LMBI_ENVELOPE_CHUNK ? left : LMBI_ENVELOPE_CHUNK;
    for (uint32_t i = 0; i < count; ++i) {
        c->rows[i] = row_of(mesh, begin + i);
    }
    qsort(c->rows, count, sizeof(*c->rows), compare_rows);
    return count;
}

// ----------------------------------------------------------------------------------------- pairs

static int compare_pairs(const void *left, const void *right)
{
    const lmbi_envelope_pair *a = left, *b = right;
    return a->reference != b->reference ? (a->reference < b->reference ? -1 : 1)
                                        : (a->joint > b->joint) - (a->joint < b->joint);
}

/// Distinct pairs of the chunk's rows, ascending. Returns their number.
static uint32_t find_pairs(compiler *c, uint32_t row_count)
{
    uint32_t count = 0, kept = 0;
    for (uint32_t i = 0; i < row_count; ++i) {
        for (uint32_t k = 1; k <= c->rows[i].others; ++k) {
            c->pairs[count++] = (lmbi_envelope_pair){c->rows[i].joints[0], c->rows[i].joints[k]};
        }
    }
    qsort(c->pairs, count, sizeof(*c->pairs), compare_pairs);
    for (uint32_t i = 0; i < count; ++i) {
        if (kept == 0 || compare_pairs(&c->pairs[kept - 1], &c->pairs[i]) != 0) {
            c->pairs[kept++] = c->pairs[i];
        }
    }
    return kept;
}

static uint16_t number_of_pair(const lmbi_envelope_pair *pairs, uint32_t count,
                               lmbi_envelope_pair pair)
{
    const lmbi_envelope_pair *found = bsearch(&pair, pairs, count, sizeof(*pairs), compare_pairs);
    return (uint16_t)(found - pairs);
}

// ---------------------------------------------------------------------------------------- blocks

static void store_coefficients(const compiler *c, const lmbi_envelope_block *block, const row *r,
                               uint32_t lane)
{
    const lmb_mesh *mesh = c->skin->mesh;
    float *to = c->skin->coefficients + block->coefficient_first * LANES + lane;
    for (size_t k = 0; k <= r->others; ++k) {
        for (size_t i = 0; i < 3; ++i) {
            const float *w =
                &mesh->envelope[(1 + 3 * (size_t)r->set[k] + i) * mesh->vertex_count + r->vertex].x;
            if (k == 0) {
                to[i * LANES] = w[i];
                continue;
            }
            float *other = to + (LMBI_ENVELOPE_FIRST + (k - 1) * LMBI_ENVELOPE_OTHER) * LANES;
            for (size_t e = 0; e < 4; ++e) {
                other[(4 * i + e) * LANES] = w[e];
            }
        }
    }
}

/// A lane without the joint takes the pair of one that has it: its coefficients are zero, and equal
/// pairs need no gather.
static void store_pairs(const compiler *c, uint32_t chunk, lmbi_envelope_block *block,
                        const row *rows)
{
    lmb_envelope_skin *e = c->skin;
    const lmbi_envelope_pair *pairs = e->pairs + e->pair_first[chunk];
    const uint32_t count = e->pair_first[chunk + 1] - e->pair_first[chunk];
    for (uint32_t k = 1; k <= block->others; ++k) {
        uint16_t *to = e->lane_pairs + ((size_t)block->pair_first + k - 1) * LANES;
        uint32_t having = 0;
        while (rows[having].others < k) {
            ++having;
        }
        for (uint32_t lane = 0; lane < LANES; ++lane) {
            const row *r = &rows[lane < block->count ? lane : block->count - 1];
            r = r->others < k ? &rows[having] : r;
            to[lane] =
                number_of_pair(pairs, count, (lmbi_envelope_pair){r->joints[0], r->joints[k]});
            block->mixed |= (uint32_t)(to[lane] != to[0]) << k;
        }
    }
}

/// Sorts the rows by vertex: lanes that ascend are stored together.
static void store_block(compiler *c, uint32_t chunk, uint32_t b, row *rows)
{
    lmb_envelope_skin *e = c->skin;
    lmbi_envelope_block *block = &e->blocks[b];
    qsort(rows, block->count, sizeof(*rows), compare_vertices);
    for (uint32_t lane = 0; lane < LANES; ++lane) {
        const row *r = &rows[lane < block->count ? lane : block->count - 1];
        const size_t at = (size_t)b * LANES + lane;
        e->index[at] = (uint16_t)(r->vertex - chunk * LMBI_ENVELOPE_CHUNK);
        e->references[at] = r->joints[0];
        block->mixed |= r->joints[0] != rows[0].joints[0];
        store_coefficients(c, block, r, lane);
    }
    store_pairs(c, chunk, block, rows);
}

/// Counts what the blocks of a chunk need.
static void plan_blocks(compiler *c, uint32_t chunk, uint32_t row_count)
{
    lmb_envelope_skin *e = c->skin;
    for (uint32_t i = 0; i < row_count; i += LANES) {
        lmbi_envelope_block block = {
            .count = row_count - i < LANES ? row_count - i : LANES,
            .pair_first = c->lane_pair_rows,
            .coefficient_first = c->coefficient_rows,
        };
        for (uint32_t lane = 0; lane < block.count; ++lane) {
            const uint32_t others = c->rows[i + lane].others;
            block.others = others > block.others ? others : block.others;
        }
        c->lane_pair_rows += block.others;
        c->coefficient_rows += LMBI_ENVELOPE_FIRST + block.others * LMBI_ENVELOPE_OTHER;
        e->blocks[c->block_count++] = block;
    }
    e->chunk_first[chunk + 1] = c->block_count;
}

// --------------------------------------------------------------------------------------- the mesh

static bool allocate_rows(compiler *c)
{
    lmb_envelope_skin *e = c->skin;
    const lmb_allocator *alloc = &e->allocator;
    const size_t n = e->mesh->vertex_count, joints = e->skin->joint_count;
    const size_t most = n < LMBI_ENVELOPE_CHUNK ? n : LMBI_ENVELOPE_CHUNK;
    e->chunk_count = (uint32_t)((n + LMBI_ENVELOPE_CHUNK - 1) / LMBI_ENVELOPE_CHUNK);
    // The last block of a chunk may be partly full.
    const size_t blocks = n / LANES + e->chunk_count;
    c->rows = lmbi_alloc_array(alloc, most, sizeof(*c->rows));
    c->pairs = lmbi_alloc_array(alloc, most, OTHERS * sizeof(*c->pairs));
    e->chunk_first = lmbi_alloc_array(alloc, e->chunk_count + 1u, sizeof(*e->chunk_first));
    e->pair_first = lmbi_alloc_array(alloc, e->chunk_count + 1u, sizeof(*e->pair_first));
    e->blocks = lmbi_alloc_array(alloc, blocks, sizeof(*e->blocks));
    e->index = lmbi_alloc_array(alloc, blocks, LANES * sizeof(*e->index));
    e->references = lmbi_alloc_array(alloc, blocks, LANES * sizeof(*e->references));
    e->bind_from_joint = lmbi_alloc_array(alloc, joints, sizeof(lmb_mat4));
    e->joint_from_bind = lmbi_alloc_array(alloc, joints, sizeof(lmbi_envelope_frame));
    e->model_from_joint = lmbi_alloc_array(alloc, joints, sizeof(lmbi_envelope_frame));
    e->joint_from_model = lmbi_alloc_array(alloc, joints, sizeof(lmb_mat4));
    return c->rows && c->pairs && e->chunk_first && e->pair_first && e->blocks && e->index &&
           e->references && e->bind_from_joint && e->joint_from_bind && e->model_from_joint &&
           e->joint_from_model;
}

static bool plan_chunks(compiler *c)
{
    lmb_envelope_skin *e = c->skin;
    void *pairs = NULL;
    size_t room = 0;
    bool made = true;
    e->chunk_first[0] = e->pair_first[0] = 0;
    for (uint32_t chunk = 0; made && chunk < e->chunk_count; ++chunk) {
        const uint32_t rows = find_rows(c, chunk), first = e->pair_first[chunk],
                       count = find_pairs(c, rows);
        plan_blocks(c, chunk, rows);
        made = lmbi_grow(&e->allocator, &pairs, &room, (size_t)first + count, sizeof(*e->pairs));
        e->pairs = pairs;
        e->pair_first[chunk + 1] = first + count;
        if (made && count > 0) {
            memcpy(e->pairs + first, c->pairs, count * sizeof(*c->pairs));
        }
    }
    return made;
}

static bool store_chunks(compiler *c)
{
    lmb_envelope_skin *e = c->skin;
    const lmb_allocator *alloc = &e->allocator;
    e->lane_pairs = lmbi_alloc_array(alloc, c->lane_pair_rows, LANES * sizeof(*e->lane_pairs));
    e->coefficients =
        lmbi_alloc_array(alloc, c->coefficient_rows, LANES * sizeof(*e->coefficients));
    e->relative = lmbi_alloc_array(alloc, e->pair_first[e->chunk_count], sizeof(*e->relative));
    if (!e->lane_pairs || !e->coefficients || !e->relative) {
        return false;
    }
    memset(e->coefficients, 0, c->coefficient_rows * LANES * sizeof(*e->coefficients));
    for (uint32_t chunk = 0; chunk < e->chunk_count; ++chunk) {
        find_rows(c, chunk);
        for (uint32_t b = e->chunk_first[chunk]; b < e->chunk_first[chunk + 1]; ++b) {
            store_block(c, chunk, b, c->rows + (size_t)(b - e->chunk_first[chunk]) * LANES);
        }
    }
    return true;
}

static lmb_result invert_binds(lmb_envelope_skin *e, lmb_error *error)
{
    for (uint32_t j = 0; j < e->skin->joint_count; ++j) {
        if (!lmb_mat4_inverse_affine(e->skin->joint_from_bind[j], &e->bind_from_joint[j])) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "bind transforms that can be inverted",
                             "joint %u of the skin", j);
        }
        e->joint_from_bind[j] = lmbi_envelope_frame_of(&e->skin->joint_from_bind[j]);
    }
    return LMB_OK;
}

lmb_result lmb_envelope_skin_create(const lmb_mesh *mesh, const lmb_skin *skin,
                                    const lmb_allocator *alloc, lmb_envelope_skin **out,
                                    lmb_error *error)
{
    lmb_envelope_skin *e = lmbi_alloc(alloc, sizeof *e);
    if (e == NULL) {
        return lmbi_fail_memory(error);
    }
    *e = (lmb_envelope_skin){
        .mesh = mesh, .skin = skin, .allocator = alloc ? *alloc : (lmb_allocator){0}};
    compiler c = {.skin = e};
    lmb_result result = allocate_rows(&c) ? invert_binds(e, error) : lmbi_fail_memory(error);
    if (result == LMB_OK && !(plan_chunks(&c) && store_chunks(&c))) {
        result = lmbi_fail_memory(error);
    }
    lmbi_free(alloc, c.rows);
    lmbi_free(alloc, c.pairs);
    if (result != LMB_OK) {
        lmb_envelope_skin_destroy(e);
        return result;
    }
    *out = e;
    return LMB_OK;
}

void lmb_envelope_skin_destroy(lmb_envelope_skin *e)
{
    if (e == NULL) {
        return;
    }
    const lmb_allocator alloc = e->allocator;
    void *const blocks[] = {
        e->chunk_first,     e->pair_first,      e->blocks,           e->pairs,
        e->index,           e->references,      e->lane_pairs,       e->coefficients,
        e->bind_from_joint, e->joint_from_bind, e->model_from_joint, e->joint_from_model,
        e->relative};
    for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); ++i) {
        lmbi_free(&alloc, blocks[i]);
    }
    lmbi_free(&alloc, e);
}
