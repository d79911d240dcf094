#include <math.h>

#include "base/alloc.h"
#include "io/skinned/md5.h"

typedef struct vert {
    lmb_vec2 uv;
    uint32_t first, count; ///< of its weights
} vert;

/// A position in a joint's frame.
typedef struct weighted {
    lmb_influence influence;
    lmb_vec3 offset;
} weighted;

/// One parsed `mesh { }`.
typedef struct block {
    const char *shader;
    uint32_t vert_count, tri_count, weight_count;
    vert *verts;              ///< [vert_count]
    uint32_t (*triangles)[3]; ///< [tri_count]
    weighted *weights;        ///< [weight_count]
} block;

// ----------------------------------------------------------------------------------------- joints

static lmb_result read_joint(lmbi_md5 *m, lmbi_scan *scan, uint32_t j)
{
    int64_t parent = 0;
    float position[3], rotation[3];
    lmb_result result = lmbi_md5_text(m, scan, &m->model.names[j]);
    if (result == LMB_OK) {
        result = lmbi_md5_integer(m, scan, -1, (int64_t)j - 1, &parent);
    }
    if (result == LMB_OK) {
        result = lmbi_md5_numbers(m, scan, position, 3);
    }
    if (result == LMB_OK) {
        result = lmbi_md5_numbers(m, scan, rotation, 3);
    }
    if (result == LMB_OK) {
        m->model.parents[j] = (int32_t)parent;
        m->bind[j] = (lmb_transform){lmb_vec3_make(position[0], position[1], position[2]),
                                     lmbi_md5_rotation(rotation), lmb_vec3_make(1, 1, 1)};
    }
    return result;
}

/// parent_from_joint of every joint.
static void make_local(lmbi_md5 *m)
{
    for (uint32_t j = 0; j < m->model.joint_count; ++j) {
        const int32_t parent = m->model.parents[j];
        m->model.rest[j] = m->bind[j];
        if (parent >= 0) {
            const lmb_quat back = lmb_quat_conjugate(m->bind[parent].rotation);
            const lmb_vec3 away = lmb_vec3_sub(m->bind[j].translation, m->bind[parent].translation);
            m->model.rest[j].translation = lmb_quat_rotate(back, away);
            m->model.rest[j].rotation = lmb_quat_mul(back, m->bind[j].rotation);
        }
    }
}

static lmb_result read_joints(lmbi_md5 *m, lmbi_scan *scan)
{
    const uint32_t count = m->model.joint_count;
    m->model.names = lmbi_arena_array(&m->model.arena, count, sizeof(char *));
    m->model.parents = lmbi_arena_array(&m->model.arena, count, sizeof(int32_t));
    m->model.rest = lmbi_arena_array(&m->model.arena, count, sizeof(lmb_transform));
    m->bind = lmbi_arena_array(&m->model.arena, count, sizeof(lmb_transform));
    if (m->model.names == NULL || m->model.parents == NULL || m->model.rest == NULL ||
        m->bind == NULL) {
        return lmbi_fail_memory(m->error);
    }
    lmb_result result = lmbi_md5_keyword(m, scan, "joints");
    if (result == LMB_OK) {
        result = lmbi_md5_keyword(m, scan, "{");
    }
    for (uint32_t j = 0; j < count && result == LMB_OK; ++j) {
        result = read_joint(m, scan, j);
    }
    make_local(m);
    return result == LMB_OK ? lmbi_md5_keyword(m, scan, "}") : result;
}

// ----------------------------------------------------------------------------------------- blocks

static lmb_result read_vert(lmbi_md5 *m, lmbi_scan *scan, block *b)
{
    int64_t index = 0, first = 0, count = 0;
    float uv[2];
    lmb_result result = lmbi_md5_keyword(m, scan, "vert");
    if (result == LMB_OK) {
        result = lmbi_md5_integer(m, scan, 0, (int64_t)b->vert_count - 1, &index);
    }
    if (result == LMB_OK) {
        result = lmbi_md5_numbers(m, scan, uv, 2);
    }
    if (result == LMB_OK) {
        result = lmbi_md5_integer(m, scan, 0, INT32_MAX, &first);
    }
    if (result == LMB_OK) {
        result = lmbi_md5_integer(m, scan, 0, INT32_MAX, &count);
    }
    if (result == LMB_OK) {
        b->verts[index] = (vert){{uv[0], uv[1]}, (uint32_t)first, (uint32_t)count};
    }
    return result;
}

/// Reads a triangle; the file's are clockwise.
static lmb_result read_tri(lmbi_md5 *m, lmbi_scan *scan, block *b)
{
    int64_t index = 0, corner = 0;
    lmb_result result = lmbi_md5_keyword(m, scan, "tri");
    if (result == LMB_OK) {
        result = lmbi_md5_integer(m, scan, 0, (int64_t)b->tri_count - 1, &index);
    }
    for (int k = 2; k >= 0 && result == LMB_OK; --k) {
        result = lmbi_md5_integer(m, scan, 0, (int64_t)b->vert_count - 1, &corner);
        b->triangles[index][k] = (uint32_t)corner;
    }
    return result;
}

static lmb_result read_weight(lmbi_md5 *m, lmbi_scan *scan, block *b)
{
    int64_t index = 0, joint = 0;
    float bias = 0, offset[3] = {0};
    lmb_result result = lmbi_md5_keyword(m, scan, "weight");
    if (result == LMB_OK) {
        result = lmbi_md5_integer(m, scan, 0, (int64_t)b->weight_count - 1, &index);
    }
    if (result == LMB_OK) {
        result = lmbi_md5_integer(m, scan, 0, (int64_t)m->model.joint_count - 1, &joint);
    }
    if (result == LMB_OK) {
        result = lmbi_md5_number(m, scan, &bias);
    }
    if (result == LMB_OK) {
        result = lmbi_md5_numbers(m, scan, offset, 3);
    }
    b->weights[index] =
        (weighted){{(uint32_t)joint, bias}, lmb_vec3_make(offset[0], offset[1], offset[2])};
    return result;
}

typedef lmb_result (*read_item)(lmbi_md5 *m, lmbi_scan *scan, block *b);

static lmb_result read_list(lmbi_md5 *m, lmbi_scan *scan, block *b, uint32_t count, read_item read)
{
    lmb_result result = LMB_OK;
    for (uint32_t k = 0; k < count && result == LMB_OK; ++k) {
        result = read(m, scan, b);
    }
    return result;
}

/// Reads how many items a list has, and allocates them. NULL with the result when that fails.
static void *begin_list(lmbi_md5 *m, lmbi_scan *scan, const char *keyword, uint32_t bytes_each,
                        size_t size, uint32_t *count, lmb_result *result)
{
    *result = lmbi_md5_count(m, scan, keyword, bytes_each, count);
    void *items = *result == LMB_OK ? lmbi_arena_array(&m->model.arena, *count, size) : NULL;
    if (*result == LMB_OK && items == NULL) {
        *result = lmbi_fail_memory(m->error);
    }
    return items;
}

static lmb_result read_verts(lmbi_md5 *m, lmbi_scan *scan, block *b)
{
    lmb_result result;
    b->verts = begin_list(m, scan, "numverts", 16, sizeof *b->verts, &b->vert_count, &result);
    return result == LMB_OK ? read_list(m, scan, b, b->vert_count, read_vert) : result;
}

static lmb_result read_tris(lmbi_md5 *m, lmbi_scan *scan, block *b)
{
    lmb_result result;
    b->triangles = begin_list(m, scan, "numtris", 11, sizeof *b->triangles, &b->tri_count, &result);
    return result == LMB_OK ? read_list(m, scan, b, b->tri_count, read_tri) : result;
}

static lmb_result read_weights(lmbi_md5 *m, lmbi_scan *scan, block *b)
{
    lmb_result result;
    b->weights =
        begin_list(m, scan, "numweights", 20, sizeof *b->weights, &b->weight_count, &result);
    return result == LMB_OK ? read_list(m, scan, b, b->weight_count, read_weight) : result;
}

/// Checks that every vertex's weights exist.
static lmb_result check_rows(lmbi_md5 *m, lmbi_scan *scan, const block *b)
{
    for (uint32_t v = 0; v < b->vert_count; ++v) {
        const vert *at = &b->verts[v];
        if ((uint64_t)at->first + at->count > b->weight_count) {
            return lmbi_fail_text(m->error, LMB_ERROR_MALFORMED, scan->line, 1,
                                  "weights that the mesh has", "%u from %u on of %u for vertex %u",
                                  at->count, at->first, b->weight_count, v);
        }
    }
    return LMB_OK;
}

static lmb_result read_block(lmbi_md5 *m, lmbi_scan *scan, block *b)
{
    lmb_result result = lmbi_md5_keyword(m, scan, "mesh");
    if (result == LMB_OK) {
        result = lmbi_md5_keyword(m, scan, "{");
    }
    b->shader = "";
    if (result == LMB_OK && lmbi_md5_accept(scan, "shader")) {
        result = lmbi_md5_text(m, scan, &b->shader);
    }
    if (result == LMB_OK) {
        result = read_verts(m, scan, b);
    }
    if (result == LMB_OK) {
        result = read_tris(m, scan, b);
    }
    if (result == LMB_OK) {
        result = read_weights(m, scan, b);
    }
    if (result == LMB_OK) {
        result = check_rows(m, scan, b);
    }
    return result == LMB_OK ? lmbi_md5_keyword(m, scan, "}") : result;
}

// --------------------------------------------------------------------------------------- together

/// The position of a vertex at rest: the weighted mean of its weights' own positions. `*deviation`
/// grows to the largest weighted distance from the mean: linear blend skinning has only one rest
/// position.
static lmb_vec3 skinned_position(const lmbi_md5 *m, const block *b, uint32_t v, float *deviation)
{
    const weighted *first = b->weights + b->verts[v].first, *end = first + b->verts[v].count;
    lmb_vec3 sum = {0, 0, 0};
    float total = 0;
    for (const weighted *w = first; w < end; ++w) {
        const lmb_vec3 p = lmb_transform_point(m->bind[w->influence.joint], w->offset);
        sum = lmb_vec3_add(sum, lmb_vec3_scale(p, w->influence.weight));
        total += w->influence.weight;
    }
    sum = total > 0 ? lmb_vec3_scale(sum, 1 / total) : sum;
    for (const weighted *w = first; w < end; ++w) {
        const lmb_vec3 p = lmb_transform_point(m->bind[w->influence.joint], w->offset);
        *deviation = fmaxf(*deviation, lmb_vec3_length(lmb_vec3_sub(p, sum)) * w->influence.weight);
    }
    return sum;
}

/// Allocates arrays for all blocks together. The caller has checked the number of influences.
static bool make_pool(lmbi_md5 *m, const block *blocks, uint32_t count)
{
    lmb_mesh *mesh = &m->model.mesh;
    lmbi_arena *arena = &m->model.arena;
    size_t vertices = 0, indices = 0, rows = 0;
    for (uint32_t k = 0; k < count; ++k) {
        vertices += blocks[k].vert_count;
        indices += 3 * (size_t)blocks[k].tri_count;
        for (uint32_t v = 0; v < blocks[k].vert_count; ++v) {
            rows += blocks[k].verts[v].count;
        }
    }
    mesh->positions = lmbi_arena_array(arena, vertices, sizeof *mesh->positions);
    mesh->uvs[0] = lmbi_arena_array(arena, vertices, sizeof *mesh->uvs[0]);
    mesh->indices = lmbi_arena_array(arena, indices, sizeof *mesh->indices);
    mesh->primitives = lmbi_arena_array(arena, count, sizeof *mesh->primitives);
    mesh->influences.first = lmbi_arena_array(arena, vertices + 1, sizeof(uint32_t));
    mesh->influences.items = lmbi_arena_array(arena, rows, sizeof(lmb_influence));
    m->model.materials = lmbi_arena_array(arena, count, sizeof(char *));
    return !arena->failed;
}

static void add_block(lmbi_md5 *m, const block *b, float *deviation, uint32_t *unweighted)
{
    lmb_mesh *mesh = &m->model.mesh;
    lmb_influences *rows = &mesh->influences;
    const uint32_t base = mesh->vertex_count;
    m->model.materials[mesh->primitive_count] = b->shader;
    mesh->primitives[mesh->primitive_count++] = (lmb_primitive){
        .topology = LMB_TRIANGLES,
        .first_index = mesh->index_count,
        .index_count = 3 * b->tri_count,
        .first_vertex = base,
        .vertex_count = b->vert_count,
        .attributes = LMB_HAS_UV0 | LMB_HAS_INFLUENCES,
    };
    for (uint32_t v = 0; v < b->vert_count; ++v) {
        mesh->positions[base + v] = skinned_position(m, b, v, deviation);
        const vert *from = &b->verts[v];
        mesh->uvs[0][base + v] = from->uv;
        uint32_t at = rows->first[base + v];
        for (uint32_t k = 0; k < from->count; ++k) {
            rows->items[at++] = b->weights[from->first + k].influence;
        }
        rows->first[base + v + 1] = at;
        *unweighted += from->count == 0;
    }
    for (uint32_t k = 0; k < 3 * b->tri_count; ++k) {
        mesh->indices[mesh->index_count++] = base + b->triangles[k / 3][k % 3];
    }
    mesh->vertex_count += b->vert_count;
}

/// Whether the total number of influences is plausible: vertices may share weights, so that a small
/// file could ask for any number.
static bool rows_fit(const block *blocks, uint32_t count, size_t size)
{
    uint64_t rows = 0;
    for (uint32_t k = 0; k < count; ++k) {
        for (uint32_t v = 0; v < blocks[k].vert_count; ++v) {
            rows += blocks[k].verts[v].count;
        }
    }
    return rows <= size;
}

static lmb_result make_mesh(lmbi_md5 *m, const block *blocks, uint32_t count, size_t size)
{
    if (!rows_fit(blocks, count, size)) {
        return lmbi_fail_text(m->error, LMB_ERROR_MALFORMED, 1, 1,
                              "weights that belong to a vertex each", "far more uses than weights");
    }
    if (!make_pool(m, blocks, count)) {
        return lmbi_fail_memory(m->error);
    }
    float deviation = 0;
    uint32_t unweighted = 0;
    for (uint32_t k = 0; k < count; ++k) {
        add_block(m, &blocks[k], &deviation, &unweighted);
    }
    const lmb_box box = lmb_box_of(m->model.mesh.positions, m->model.mesh.vertex_count);
    if (deviation > 1e-3f * lmb_vec3_length(lmb_vec3_sub(box.high, box.low))) {
        lmbi_note(
            m->notes, 0,
            "weights give vertices rest positions that differ by up to %g: their mean was used",
            (double)deviation);
    }
    if (unweighted > 0) {
        lmbi_note(m->notes, 0, "%u vertices have no weight and stay at the origin", unweighted);
    }
    return LMB_OK;
}

/// Removes meshes without triangles and returns how many are left.
static uint32_t drop_empty_blocks(lmbi_md5 *m, block *blocks, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t k = 0; k < count; ++k) {
        if (blocks[k].tri_count > 0) {
            blocks[kept++] = blocks[k];
        } else {
            lmbi_note(m->notes, 0, "mesh %u (%.60s) has no triangles and was left out", k,
                      blocks[k].shader != NULL ? blocks[k].shader : "");
        }
    }
    return kept;
}

lmb_result lmbi_md5_read_mesh(lmbi_md5 *m, const void *bytes, size_t size)
{
    lmbi_scan scan;
    uint32_t mesh_count = 0;
    lmb_result result = lmbi_text_open(&scan, bytes, size, m->error);
    if (result == LMB_OK) {
        result = lmbi_md5_head(m, &scan);
    }
    if (result == LMB_OK) {
        result = lmbi_md5_count(m, &scan, "numJoints", 20, &m->model.joint_count);
    }
    if (result == LMB_OK) {
        result = lmbi_md5_count(m, &scan, "numMeshes", 30, &mesh_count);
    }
    if (result == LMB_OK) {
        result = read_joints(m, &scan);
    }
    block *blocks = lmbi_arena_array(&m->model.arena, mesh_count, sizeof *blocks);
    if (result == LMB_OK && blocks == NULL) {
        result = lmbi_fail_memory(m->error);
    }
    for (uint32_t k = 0; k < mesh_count && result == LMB_OK; ++k) {
        result = read_block(m, &scan, &blocks[k]);
    }
    return result == LMB_OK ? make_mesh(m, blocks, drop_empty_blocks(m, blocks, mesh_count), size)
                            : result;
}
