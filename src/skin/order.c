// The order of a mesh's vertices in which its binding stores whole blocks.
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "skin/cluster.h"

/// Sort keys: the kind of the vertex's run, in the binding's order, then its joints, then its
/// index.
typedef struct keys {
    uint32_t *kinds; ///< [vertex_count]
    size_t *first;   ///< [vertex_count + 1] in `joints`
    uint16_t *joints;
    uint32_t *order, *spare;
} keys;

/// Kinds of rows as read, then of the runs of one width; the latter are offset by the width.
enum { WHOLE, NOT_WHOLE };
enum { LONG_RUN, SHORT_RUN, KINDS_A_WIDTH, LOOSE = 1 << 24 };

// ------------------------------------------------------------------------------------------- rows

static bool allocate(keys *k, const lmb_mesh *mesh, const lmb_allocator *alloc, lmbi_skin_row *row)
{
    const size_t n = mesh->vertex_count;
    uint32_t widest = 1;
    for (size_t v = 0; v < n; ++v) {
        const uint32_t size = mesh->influences.first[v + 1] - mesh->influences.first[v];
        widest = size > widest ? size : widest;
    }
    row->joints = lmbi_alloc_array(alloc, widest, sizeof(*row->joints));
    row->weights = lmbi_alloc_array(alloc, widest, sizeof(*row->weights));
    k->kinds = lmbi_alloc_array(alloc, n, sizeof(*k->kinds));
    k->first = lmbi_alloc_array(alloc, n + 1, sizeof(*k->first));
    // Room for empty rows, which follow joint 0.
    k->joints = lmbi_alloc_array(alloc, mesh->influences.first[n] + n, sizeof(*k->joints));
    k->spare = lmbi_alloc_array(alloc, n, sizeof(*k->spare));
    return row->joints && row->weights && k->kinds && k->first && k->joints && k->spare;
}

static void read_rows(keys *k, const lmb_mesh *mesh, lmbi_skin_row *row)
{
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        lmbi_skin_row_read(mesh, v, row);
        memcpy(k->joints + k->first[v], row->joints, row->width * sizeof(*row->joints));
        k->first[v + 1] = k->first[v] + row->width;
        k->kinds[v] = row->is_whole ? WHOLE : NOT_WHOLE;
        k->order[v] = v;
    }
}

/// Negative, zero or positive as the joints of a sort before, with or after those of b.
static int compare_joints(const keys *k, uint32_t a, uint32_t b)
{
    const size_t width_a = k->first[a + 1] - k->first[a], width_b = k->first[b + 1] - k->first[b];
    if (width_a != width_b) {
        return width_a < width_b ? -1 : 1;
    }
    const uint16_t *of_a = k->joints + k->first[a], *of_b = k->joints + k->first[b];
    for (size_t i = 0; i < width_a; ++i) {
        if (of_a[i] != of_b[i]) {
            return of_a[i] < of_b[i] ? -1 : 1;
        }
    }
    return 0;
}

static bool goes_before(const keys *k, uint32_t a, uint32_t b)
{
    if (k->kinds[a] != k->kinds[b]) {
        return k->kinds[a] < k->kinds[b];
    }
    const int by_joints = compare_joints(k, a, b);
    return by_joints != 0 ? by_joints < 0 : a < b;
}

// ---------------------------------------------------------------------------------------- sorting

static void merge(const keys *k, const uint32_t *from, uint32_t *to, uint32_t middle, uint32_t end)
{
    uint32_t left = 0, right = middle;
    for (uint32_t at = 0; at < end; ++at) {
        const bool take_right =
            left == middle || (right < end && goes_before(k, from[right], from[left]));
        to[at] = from[take_right ? right++ : left++];
    }
}

/// Bottom-up merge sort of the vertices [begin, end) of the order.
static void sort(keys *k, uint32_t begin, uint32_t end)
{
    const uint32_t count = end - begin;
    uint32_t *from = k->order + begin, *to = k->spare + begin;
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t at = 0; at < count; at += 2 * width) {
            const size_t left = count - at;
            merge(k, from + at, to + at, (uint32_t)(left < width ? left : width),
                  (uint32_t)(left < 2 * width ? left : 2 * width));
        }
        uint32_t *swap = from;
        from = to;
        to = swap;
    }
    if (count > 0 && from != k->order + begin) {
        memcpy(k->order + begin, from, count * sizeof(*from));
    }
}

/// Sets the kinds of the sorted vertices [begin, end) in the binding's order: runs by ascending
/// width, long before short ones, then loose vertices.
static void find_kinds(keys *k, uint32_t begin, uint32_t end)
{
    for (uint32_t at = begin, next; at < end; at = next) {
        const uint32_t v = k->order[at], width = (uint32_t)(k->first[v + 1] - k->first[v]);
        const bool is_whole = k->kinds[v] == WHOLE;
        next = at + 1;
        while (next < end && k->kinds[k->order[next]] == k->kinds[v] &&
               compare_joints(k, v, k->order[next]) == 0) {
            ++next;
        }
        const uint32_t count = next - at;
        const bool is_loose =
            !is_whole || count < LMBI_SKIN_LEAST_RUN || width > LMBI_SKIN_WIDEST_RUN;
        const uint32_t kind = is_loose                       ? LOOSE + is_whole
                              : count <= LMBI_SKIN_BLOCK / 2 ? SHORT_RUN
                                                             : LONG_RUN;
        for (uint32_t i = at; i < next; ++i) {
            k->spare[i] = kind + KINDS_A_WIDTH * width;
        }
    }
    for (uint32_t i = begin; i < end; ++i) {
        k->kinds[k->order[i]] = k->spare[i];
    }
}

// --------------------------------------------------------------------------------------- segments

/// End of the vertices from `begin` on that belong to the same primitives.
static uint32_t segment_end(const lmb_mesh *mesh, uint32_t begin)
{
    uint32_t end = mesh->vertex_count;
    for (uint32_t p = 0; p < mesh->primitive_count; ++p) {
        const uint32_t edges[2] = {mesh->primitives[p].first_vertex,
                                   mesh->primitives[p].first_vertex +
                                       mesh->primitives[p].vertex_count};
        for (int i = 0; i < 2; ++i) {
            end = edges[i] > begin && edges[i] < end ? edges[i] : end;
        }
    }
    return end;
}

static lmb_result check(const lmb_mesh *mesh, lmb_error *error)
{
    if (mesh->influences.first == NULL) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a mesh with skin weights", "none");
    }
    const uint32_t count = mesh->influences.first[mesh->vertex_count];
    for (uint32_t i = 0; i < count; ++i) {
        if (mesh->influences.items[i].joint > UINT16_MAX) {
            return lmbi_fail(error, LMB_ERROR_UNSUPPORTED, "up to 65536 joints", "joint %u",
                             mesh->influences.items[i].joint);
        }
    }
    return LMB_OK;
}

lmb_result lmb_skin_order(const lmb_mesh *mesh, const lmb_allocator *alloc, uint32_t *out,
                          lmb_error *error)
{
    const lmb_result result = check(mesh, error);
    if (result != LMB_OK) {
        return result;
    }
    keys k = {.order = out};
    lmbi_skin_row row = {0};
    const bool has_room = allocate(&k, mesh, alloc, &row);
    if (has_room) {
        read_rows(&k, mesh, &row);
        for (uint32_t begin = 0, end; begin < mesh->vertex_count; begin = end) {
            end = segment_end(mesh, begin);
            sort(&k, begin, end);
            find_kinds(&k, begin, end);
            sort(&k, begin, end);
        }
    }
    void *const blocks[] = {row.joints, row.weights, k.kinds, k.first, k.joints, k.spare};
    for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); ++i) {
        lmbi_free(alloc, blocks[i]);
    }
    return has_room ? LMB_OK : lmbi_fail_memory(error);
}
