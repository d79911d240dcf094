#include "skin/cluster.h"

#include <string.h>

#include "base/alloc.h"

enum { SLOTS = 2 * LMBI_SKIN_CHUNK };

// ------------------------------------------------------------------------------------------- rows

/// Inserts one influence in joint order; a repeated joint gets the sum.
static void insert(lmbi_skin_row *row, uint16_t joint, float weight)
{
    uint32_t at = row->width;
    while (at > 0 && row->joints[at - 1] > joint) {
        --at;
    }
    if (at > 0 && row->joints[at - 1] == joint) {
        row->weights[at - 1] += weight;
        return;
    }
    for (uint32_t k = row->width; k > at; --k) {
        row->joints[k] = row->joints[k - 1];
        row->weights[k] = row->weights[k - 1];
    }
    row->joints[at] = joint;
    row->weights[at] = weight;
    ++row->width;
}

void lmbi_skin_row_read(const lmb_mesh *mesh, uint32_t v, lmbi_skin_row *row)
{
    const uint32_t first = mesh->influences.first[v], end = mesh->influences.first[v + 1];
    row->width = 0;
    for (uint32_t i = first; i < end; ++i) {
        const lmb_influence item = mesh->influences.items[i];
        // Smaller weights move nothing, and their products with a matrix are slow denormals.
        if (item.weight > 0x1p-60f) {
            insert(row, (uint16_t)item.joint, item.weight);
        }
    }
    if (row->width == 0) {
        insert(row, first < end ? (uint16_t)mesh->influences.items[first].joint : 0,
               first < end ? 0.0f : 1.0f);
    }
    float sum = 0;
    row->strongest = 0;
    for (uint32_t k = 0; k < row->width; ++k) {
        sum += row->weights[k];
        row->strongest = row->weights[k] > row->weights[row->strongest] ? k : row->strongest;
    }
    row->is_whole = fabsf(sum - 1) <= 4e-6f;
}

// ----------------------------------------------------------------------------------------- groups

static uint32_t widest_row(const lmb_mesh *mesh)
{
    uint32_t widest = 1;
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        const uint32_t size = mesh->influences.first[v + 1] - mesh->influences.first[v];
        widest = size > widest ? size : widest;
    }
    return widest;
}

bool lmbi_skin_clusters_start(lmbi_skin_clusters *c, const lmb_mesh *mesh,
                              const lmb_allocator *alloc)
{
    const uint32_t widest = widest_row(mesh);
    *c = (lmbi_skin_clusters){.alloc = alloc};
    c->group_of = lmbi_alloc_array(alloc, mesh->vertex_count, sizeof(*c->group_of));
    c->slots = lmbi_alloc_array(alloc, SLOTS, sizeof(*c->slots));
    c->row.joints = lmbi_alloc_array(alloc, widest, sizeof(*c->row.joints));
    c->row.weights = lmbi_alloc_array(alloc, widest, sizeof(*c->row.weights));
    return c->group_of != NULL && c->slots != NULL && c->row.joints != NULL &&
           c->row.weights != NULL;
}

void lmbi_skin_clusters_end(lmbi_skin_clusters *c)
{
    lmbi_free(c->alloc, c->groups);
    lmbi_free(c->alloc, c->joints);
    lmbi_free(c->alloc, c->group_of);
    lmbi_free(c->alloc, c->slots);
    lmbi_free(c->alloc, c->row.joints);
    lmbi_free(c->alloc, c->row.weights);
}

static uint32_t hash(const lmbi_skin_row *row)
{
    uint32_t h = row->width;
    for (uint32_t k = 0; k < row->width; ++k) {
        h = (h ^ row->joints[k]) * 0x9e3779b1u;
        h ^= h >> 15;
    }
    return h;
}

static bool is_group(const lmbi_skin_clusters *c, const lmbi_skin_group *group)
{
    return group->width == c->row.width && memcmp(c->joints + group->joint_first, c->row.joints,
                                                  group->width * sizeof(*c->joints)) == 0;
}

static bool add_group(lmbi_skin_clusters *c)
{
    void *groups = c->groups, *joints = c->joints;
    const bool grown =
        lmbi_grow(c->alloc, &groups, &c->group_room, c->group_count + 1, sizeof(*c->groups)) &&
        lmbi_grow(c->alloc, &joints, &c->joint_room, c->joint_count + c->row.width,
                  sizeof(*c->joints));
    c->groups = groups;
    c->joints = joints;
    if (!grown || c->group_count >= UINT32_MAX - 1) {
        return false;
    }
    c->groups[c->group_count++] =
        (lmbi_skin_group){c->joint_count, c->row.width, 0, LMBI_SKIN_LOOSE};
    memcpy(c->joints + c->joint_count, c->row.joints, c->row.width * sizeof(*c->joints));
    c->joint_count += c->row.width;
    return true;
}

/// The group of the row that was read last, added if new; SIZE_MAX if out of memory.
static size_t find_group(lmbi_skin_clusters *c)
{
    uint32_t slot = hash(&c->row) % SLOTS;
    while (c->slots[slot] != 0 && !is_group(c, &c->groups[c->slots[slot] - 1])) {
        slot = (slot + 1) % SLOTS;
    }
    if (c->slots[slot] == 0) {
        if (!add_group(c)) {
            return SIZE_MAX;
        }
        c->slots[slot] = (uint32_t)c->group_count;
    }
    return c->slots[slot] - 1;
}

bool lmbi_skin_clusters_chunk(lmbi_skin_clusters *c, const lmb_mesh *mesh, uint32_t begin,
                              uint32_t end)
{
    memset(c->slots, 0, SLOTS * sizeof(*c->slots));
    for (uint32_t v = begin; v < end; ++v) {
        lmbi_skin_row_read(mesh, v, &c->row);
        const size_t group = find_group(c);
        if (group == SIZE_MAX) {
            return false;
        }
        // Rows that do not sum to 1 store all their weights, which only loose vertices do. They are
        // not counted in their group.
        c->group_of[v] = c->row.is_whole ? (uint32_t)group : LMBI_SKIN_LOOSE;
        c->groups[group].count += c->row.is_whole;
    }
    return true;
}
