/// Computes centres of rotation (Le and Hodgins 2016, section 4).
#include <string.h>

#include "base/alloc.h"
#include "base/block.h"
#include "base/error.h"
#include "simd/four.h"
#include "skin/center_cells.h"
#include "skin/points.h"

typedef struct search {
    const lmb_mesh *mesh;
    lmbi_center_cells cells;
    float minus_inverse_square; ///< -1 / sigma^2
    lmb_vec3 *positions;
    uint8_t *found;
} search;

/// e^x for x <= 0 with relative error 2e-7, 0 below -80: 2^n e^r with |r| <= ln 2 / 2 and a Taylor
/// polynomial of degree 6.
static inline lmbi_four exp_lanes(lmbi_four x)
{
    const lmbi_four log2_e = {1.44269504f, 1.44269504f, 1.44269504f, 1.44269504f};
    const lmbi_four_bits below = x < -80.0f;
    const lmbi_four_bits n = __builtin_convertvector(x * log2_e - 0.5f, lmbi_four_bits);
    const lmbi_four whole = __builtin_convertvector(n, lmbi_four);
    const lmbi_four r = x - whole * 0.693359375f + whole * 2.12194440e-4f; // ln 2 in two parts
    lmbi_four p = 1.0f + r * (1.0f / 6);
    p = 1.0f + p * r * (1.0f / 5);
    p = 1.0f + p * r * (1.0f / 4);
    p = 1.0f + p * r * (1.0f / 3);
    p = 1.0f + p * r * 0.5f;
    p = 1.0f + p * r;
    // Lanes below the range hold arbitrary bits until masked here.
    const lmbi_four_bits scale = ((n + 127) << 23) & ~below;
    lmbi_four power;
    memcpy(&power, &scale, sizeof(power));
    return p * power;
}

static const lmbi_center_pair *find_pair(const lmbi_center_cells *cells, uint32_t low,
                                         uint32_t high)
{
    uint32_t begin = 0, end = cells->pair_count;
    while (begin < end) {
        const uint32_t middle = begin + (end - begin) / 2;
        const lmbi_center_pair *pair = &cells->pairs[middle];
        if (pair->low == low && pair->high == high) {
            return pair;
        }
        if (pair->low < low || (pair->low == low && pair->high < high)) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    return NULL;
}

/// Adds one pair's contribution to both integrals: area, x, y, z.
static void add_pair(const search *s, const lmbi_center_pair *pair, float low, float high,
                     double sums[4])
{
    const lmbi_center_group *group = s->cells.groups + pair->first;
    double here[4] = {0};
    for (uint32_t g = 0; g < pair->count; ++g, ++group) {
        const lmbi_four difference =
            low * lmbi_four_load(group->high) - high * lmbi_four_load(group->low);
        const lmbi_four similarity = exp_lanes(difference * difference * s->minus_inverse_square);
        const lmbi_four terms[4] = {
            similarity * lmbi_four_load(group->area), similarity * lmbi_four_load(group->x),
            similarity * lmbi_four_load(group->y), similarity * lmbi_four_load(group->z)};
        for (int i = 0; i < 4; ++i) {
            here[i] += (double)((terms[i][0] + terms[i][1]) + (terms[i][2] + terms[i][3]));
        }
    }
    for (int i = 0; i < 4; ++i) {
        sums[i] += (double)low * (double)high * here[i];
    }
}

static void find_centers(void *context, size_t begin, size_t end)
{
    const search *s = context;
    for (size_t v = begin; v < end; ++v) {
        const uint32_t first = s->mesh->influences.first[v];
        const uint32_t size = s->mesh->influences.first[v + 1] - first;
        const lmb_influence *row = s->mesh->influences.items + first;
        double sums[4] = {0};
        for (uint32_t a = 1; a < size; ++a) {
            for (uint32_t b = 0; b < a; ++b) {
                const int low = row[a].joint < row[b].joint;
                const lmb_influence l = low ? row[a] : row[b], h = low ? row[b] : row[a];
                const lmbi_center_pair *pair =
                    l.weight * h.weight >= 1e-4f ? find_pair(&s->cells, l.joint, h.joint) : NULL;
                if (pair != NULL) {
                    add_pair(s, pair, l.weight, h.weight, sums);
                }
            }
        }
        s->found[v] = sums[0] > 0;
        s->positions[v] = s->mesh->positions[v];
        if (s->found[v]) {
            s->positions[v] = lmb_vec3_make((float)(sums[1] / sums[0]), (float)(sums[2] / sums[0]),
                                            (float)(sums[3] / sums[0]));
        }
    }
}

static void *copy_centers(lmbi_block *block, const void *definition)
{
    const lmb_centers *made = definition;
    lmb_centers *to = lmbi_block_array(block, made, 1, sizeof(*made));
    lmb_vec3 *positions =
        lmbi_block_array(block, made->positions, made->vertex_count, sizeof(*made->positions));
    if (to != NULL) {
        to->positions = positions;
    }
    return to;
}

static lmb_centers *search_centers(search *s, const lmb_jobs *jobs, const lmb_allocator *alloc)
{
    enum { GRAIN = 256 };
    const uint32_t count = s->mesh->vertex_count;
    lmb_centers made = {.vertex_count = count, .positions = s->positions};
    made.allocator = alloc != NULL ? *alloc : (lmb_allocator){0};
    lmb_parallel_for(jobs, count, GRAIN, find_centers, s);
    for (uint32_t v = 0; v < count; ++v) {
        made.found_count += s->found[v];
    }
    return lmbi_block_build(copy_centers, &made, alloc);
}

lmb_result lmb_centers_create(const lmb_mesh *mesh, const lmb_centers_opts *opts,
                              const lmb_jobs *jobs, const lmb_allocator *alloc, lmb_centers **out,
                              lmb_error *error)
{
    const lmb_result result = lmbi_check_deformable(mesh, error);
    if (result != LMB_OK) {
        return result;
    }
    const float asked = opts != NULL && opts->sigma > 0 ? opts->sigma : 0.1f;
    const float sigma = asked > 0.01f ? asked : 0.01f;
    search s = {.mesh = mesh, .minus_inverse_square = -1 / (sigma * sigma)};
    s.positions = lmbi_alloc_array(alloc, mesh->vertex_count, sizeof(*s.positions));
    s.found = lmbi_alloc_array(alloc, mesh->vertex_count, sizeof(*s.found));
    lmb_centers *made = NULL;
    if (s.positions != NULL && s.found != NULL && lmbi_center_cells_gather(mesh, alloc, &s.cells)) {
        made = search_centers(&s, jobs, alloc);
    }
    lmbi_center_cells_free(&s.cells, alloc);
    lmbi_free(alloc, s.positions);
    lmbi_free(alloc, s.found);
    if (made == NULL) {
        return lmbi_fail_memory(error);
    }
    *out = made;
    return LMB_OK;
}

void lmb_centers_destroy(lmb_centers *centers)
{
    if (centers != NULL) {
        const lmb_allocator alloc = centers->allocator;
        lmbi_free(&alloc, centers);
    }
}
