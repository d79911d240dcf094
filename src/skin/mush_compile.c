/// Lays out the rows of direct delta mush for its kernels.
#include <string.h>

#include "base/alloc.h"
#include "skin/mush.h"
#include "skin/skin.h"

typedef struct compiler {
    const lmbi_mush_rows *rows;
    const lmb_mesh *mesh;
    lmb_mush *mush;
    uint32_t *order, *spare; ///< [LMBI_MUSH_CHUNK] vertices of a chunk
    size_t joint_room;
} compiler;

// -------------------------------------------------------------------------------------- sorting

/// Lexicographic by the point's joints, strongest first; then by vertex.
static bool goes_before(const lmbi_mush_rows *rows, uint32_t a, uint32_t b)
{
    const uint32_t pa = rows->point_of[a], pb = rows->point_of[b];
    uint32_t i = rows->first[pa], k = rows->first[pb];
    for (; i < rows->first[pa + 1] && k < rows->first[pb + 1]; ++i, ++k) {
        if (rows->joints[i] != rows->joints[k]) {
            return rows->joints[i] < rows->joints[k];
        }
    }
    const bool a_ends = i == rows->first[pa + 1], b_ends = k == rows->first[pb + 1];
    return a_ends != b_ends ? a_ends : a < b;
}

/// Bottom-up merge sort.
static void sort_chunk(compiler *c, uint32_t count)
{
    for (uint32_t width = 1; width < count; width *= 2) {
        for (uint32_t begin = 0; begin < count; begin += 2 * width) {
            const uint32_t middle = begin + width < count ? begin + width : count;
            const uint32_t end = begin + 2 * width < count ? begin + 2 * width : count;
            uint32_t left = begin, right = middle;
            for (uint32_t at = begin; at < end; ++at) {
                const bool take_right =
                    left == middle ||
                    (right < end && goes_before(c->rows, c->order[right], c->order[left]));
                c->spare[at] = c->order[take_right ? right++ : left++];
            }
        }
        uint32_t *swap = c->order;
        c->order = c->spare;
        c->spare = swap;
    }
}

// ------------------------------------------------------------------------------------- the blocks

/// Index of `joint` in the block's ascending joints, inserted if new. UINT32_MAX if out of memory.
static uint32_t block_joint(compiler *c, lmbi_mush_block *block, uint16_t joint)
{
    lmb_mush *m = c->mush;
    uint16_t *joints = m->joints != NULL ? m->joints + block->joint_first : NULL;
    uint32_t at = 0;
    while (at < block->joint_count && joints[at] < joint) {
        ++at;
    }
    if (at < block->joint_count && joints[at] == joint) {
        return at;
    }
    void *grown = m->joints;
    if (!lmbi_grow(&m->allocator, &grown, &c->joint_room, m->joint_count + 1, sizeof(*m->joints))) {
        return UINT32_MAX;
    }
    m->joints = grown;
    joints = m->joints + block->joint_first;
    memmove(joints + at + 1, joints + at, (block->joint_count - at) * sizeof(*joints));
    joints[at] = joint;
    ++block->joint_count;
    ++m->joint_count;
    return at;
}

/// Moves the joint with the largest total weight to the front; the others keep their order.
static void move_strongest_first(compiler *c, const lmbi_mush_block *block,
                                 const uint32_t *vertices)
{
    uint16_t *joints = c->mush->joints + block->joint_first;
    double most = -1;
    uint32_t best = 0;
    for (uint32_t at = 0; at < block->joint_count; ++at) {
        double weight = 0;
        for (uint32_t i = 0; i < block->count; ++i) {
            const uint32_t point = c->rows->point_of[vertices[i]];
            for (uint32_t k = c->rows->first[point]; k < c->rows->first[point + 1]; ++k) {
                weight += c->rows->joints[k] == joints[at] ? (double)c->rows->items[k].weight : 0;
            }
        }
        if (weight > most) {
            most = weight;
            best = at;
        }
    }
    const uint16_t joint = joints[best];
    memmove(joints + 1, joints, best * sizeof(*joints));
    joints[0] = joint;
}

static bool add_block(compiler *c, const uint32_t *vertices, uint32_t count)
{
    lmb_mush *m = c->mush;
    const size_t b = m->block_count++;
    lmbi_mush_block *block = &m->blocks[b];
    *block = (lmbi_mush_block){.count = count, .joint_first = m->joint_count};
    for (uint32_t lane = 0; lane < LMBI_MUSH_LANES; ++lane) {
        const uint32_t v = vertices[lane < count ? lane : count - 1];
        const uint32_t point = c->rows->point_of[v];
        m->index[b * LMBI_MUSH_LANES + lane] = (uint16_t)(v % LMBI_MUSH_CHUNK);
        for (uint32_t k = c->rows->first[point]; k < c->rows->first[point + 1]; ++k) {
            if (block_joint(c, block, c->rows->joints[k]) == UINT32_MAX) {
                return false;
            }
        }
    }
    move_strongest_first(c, block, vertices);
    return true;
}

/// Sorts the vertices of a block: ascending vertices are stored together.
static void sort_block(uint32_t *vertices, uint32_t count)
{
    for (uint32_t i = 1; i < count; ++i) {
        const uint32_t v = vertices[i];
        uint32_t at = i;
        for (; at > 0 && vertices[at - 1] > v; --at) {
            vertices[at] = vertices[at - 1];
        }
        vertices[at] = v;
    }
}

static bool plan_blocks(compiler *c)
{
    lmb_mush *m = c->mush;
    for (uint32_t chunk = 0; chunk < m->chunk_count; ++chunk) {
        const uint32_t begin = chunk * LMBI_MUSH_CHUNK;
        const uint32_t left = m->vertex_count - begin;
        const uint32_t count = left < LMBI_MUSH_CHUNK ? left : LMBI_MUSH_CHUNK;
        for (uint32_t i = 0; i < count; ++i) {
            c->order[i] = begin + i;
        }
        sort_chunk(c, count);
        m->chunk_first[chunk] = m->block_count;
        for (uint32_t i = 0; i < count; i += LMBI_MUSH_LANES) {
            const uint32_t size = count - i < LMBI_MUSH_LANES ? count - i : LMBI_MUSH_LANES;
            sort_block(c->order + i, size);
            if (!add_block(c, c->order + i, size)) {
                return false;
            }
        }
    }
    m->chunk_first[m->chunk_count] = m->block_count;
    return true;
}

// ------------------------------------------------------------------------------------- the floats

static void store_lane(float *to, size_t lane, const float *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) {
        to[i * LMBI_MUSH_LANES + lane] = values[i];
    }
}

static void store_rest(const compiler *c, size_t b, size_t lane, uint32_t v)
{
    const lmb_mush *m = c->mush;
    const size_t three = b * 3 * LMBI_MUSH_LANES;
    const lmb_vec3 p = c->rows->smoothed[c->rows->point_of[v]], at = c->mesh->positions[v];
    store_lane(m->smoothed + three, lane, (float[3]){p.x, p.y, p.z}, 3);
    store_lane(m->positions + three, lane, (float[3]){at.x, at.y, at.z}, 3);
    if (m->normals != NULL) {
        const lmb_vec3 n = c->mesh->normals[v];
        store_lane(m->normals + three, lane, (float[3]){n.x, n.y, n.z}, 3);
    }
    if (m->tangents != NULL) {
        const lmb_vec4 t = c->mesh->tangents[v];
        store_lane(m->tangents + b * 4 * LMBI_MUSH_LANES, lane, (float[4]){t.x, t.y, t.z, t.w}, 4);
    }
}

static uint32_t index_of_joint(const lmb_mush *m, const lmbi_mush_block *block, uint16_t joint)
{
    uint32_t at = 0;
    while (m->joints[block->joint_first + at] != joint) {
        ++at;
    }
    return at;
}

/// Stores an item in the form of the variant.
static void store_item(const lmb_mush *m, float *to, size_t lane, const lmbi_mush_item *item,
                       lmb_vec3 smoothed_position)
{
    const float w = item->weight, *mean = item->mean;
    if (m->variant == LMB_MUSH_V0) {
        store_lane(to, lane, &w, 1);
        store_lane(to + LMBI_MUSH_LANES, lane, mean, 3);
        store_lane(to + (size_t)4 * LMBI_MUSH_LANES, lane, item->spread, 6);
    } else {
        store_lane(to, lane,
                   (float[4]){w, mean[0] + w * smoothed_position.x,
                              mean[1] + w * smoothed_position.y, mean[2] + w * smoothed_position.z},
                   4);
    }
}

static void store_items(const compiler *c, size_t b, size_t lane, uint32_t point)
{
    const lmbi_mush_rows *rows = c->rows;
    const lmb_mush *m = c->mush;
    float *to = m->items + lmbi_mush_item_offset(m, b);
    double sum[6] = {0};
    for (uint32_t k = rows->first[point]; k < rows->first[point + 1]; ++k) {
        const lmbi_mush_item *item = &rows->items[k];
        const uint32_t at = index_of_joint(m, &m->blocks[b], rows->joints[k]);
        if (at > 0) {
            store_item(m, to + (size_t)(at - 1) * m->item_floats * LMBI_MUSH_LANES, lane, item,
                       rows->smoothed[point]);
        }
        for (int i = 0; i < 6; ++i) {
            sum[i] += (double)item->spread[i];
        }
    }
    if (m->spreads != NULL) {
        const float spread[6] = {(float)sum[0], (float)sum[1], (float)sum[2],
                                 (float)sum[3], (float)sum[4], (float)sum[5]};
        store_lane(m->spreads + b * 6 * LMBI_MUSH_LANES, lane, spread, 6);
    }
}

static void store_blocks(const compiler *c)
{
    const lmb_mush *m = c->mush;
    for (uint32_t chunk = 0; chunk < m->chunk_count; ++chunk) {
        for (size_t b = m->chunk_first[chunk]; b < m->chunk_first[chunk + 1]; ++b) {
            for (size_t lane = 0; lane < LMBI_MUSH_LANES; ++lane) {
                const uint32_t v = chunk * LMBI_MUSH_CHUNK + m->index[b * LMBI_MUSH_LANES + lane];
                store_rest(c, b, lane, v);
                store_items(c, b, lane, c->rows->point_of[v]);
            }
        }
    }
}

static bool allocate_blocks(lmb_mush *m)
{
    const lmb_allocator *alloc = &m->allocator;
    // The last block of a chunk may be partly full.
    const size_t blocks = m->vertex_count / LMBI_MUSH_LANES + m->chunk_count;
    m->chunk_first = lmbi_alloc_array(alloc, (size_t)m->chunk_count + 1, sizeof(uint32_t));
    m->blocks = lmbi_alloc_array(alloc, blocks, sizeof(*m->blocks));
    m->index = lmbi_alloc_array(alloc, blocks, LMBI_MUSH_LANES * sizeof(*m->index));
    return m->chunk_first && m->blocks && m->index;
}

static bool allocate_floats(const lmb_mesh *mesh, lmb_mush *m)
{
    const lmb_allocator *alloc = &m->allocator;
    const size_t row = LMBI_MUSH_LANES * sizeof(float);
    const bool has_spreads = m->variant == LMB_MUSH_V0;
    m->items = lmbi_alloc_array(alloc, m->joint_count - m->block_count, m->item_floats * row);
    m->spreads = has_spreads ? lmbi_alloc_array(alloc, m->block_count, 6 * row) : NULL;
    m->smoothed = lmbi_alloc_array(alloc, m->block_count, 3 * row);
    m->positions = lmbi_alloc_array(alloc, m->block_count, 3 * row);
    m->normals = mesh->normals ? lmbi_alloc_array(alloc, m->block_count, 3 * row) : NULL;
    m->tangents = mesh->tangents ? lmbi_alloc_array(alloc, m->block_count, 4 * row) : NULL;
    return m->items && (m->spreads || !has_spreads) && m->smoothed && m->positions &&
           (m->normals || !mesh->normals) && (m->tangents || !mesh->tangents);
}

bool lmbi_mush_compile(const lmbi_mush_rows *rows, const lmb_mesh *mesh, lmb_mush *mush)
{
    const lmb_allocator *alloc = &mush->allocator;
    mush->item_floats = mush->variant == LMB_MUSH_V0 ? LMBI_MUSH_FLOATS : LMBI_MUSH_V2_FLOATS;
    mush->chunk_count =
        (uint32_t)(((size_t)rows->vertex_count + LMBI_MUSH_CHUNK - 1) / LMBI_MUSH_CHUNK);
    compiler c = {.rows = rows, .mesh = mesh, .mush = mush};
    c.order = lmbi_alloc_array(alloc, LMBI_MUSH_CHUNK, sizeof(*c.order));
    c.spare = lmbi_alloc_array(alloc, LMBI_MUSH_CHUNK, sizeof(*c.spare));
    const bool made = c.order && c.spare && allocate_blocks(mush) && plan_blocks(&c) &&
                      allocate_floats(mesh, mush);
    if (made) {
        store_blocks(&c);
    }
    lmbi_free(alloc, c.order);
    lmbi_free(alloc, c.spare);
    return made;
}

void lmb_mush_destroy(lmb_mush *mush)
{
    if (mush == NULL) {
        return;
    }
    const lmb_allocator alloc = mush->allocator;
    lmb_binding_destroy(mush->binding);
    void *const blocks[] = {mush->chunk_first, mush->blocks,  mush->joints,   mush->items,
                            mush->spreads,     mush->index,   mush->smoothed, mush->positions,
                            mush->normals,     mush->tangents};
    for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); ++i) {
        lmbi_free(&alloc, blocks[i]);
    }
    lmbi_free(&alloc, mush);
}

size_t lmbi_mush_influence_count(const lmb_mush *mush)
{
    return mush->influence_count;
}
