/// Dijkstra's shortest paths with a bucket queue (Dial 1969): a bucket is as wide as the shortest
/// step, so all its voxels are final when it is processed, in any order.
#include "base/error.h"
#include "geometry/volume.h"
#include "geometry/voxel_queue.h"

#include <math.h>

static const uint32_t NONE = UINT32_MAX;

enum { BEGINS = 26 }; ///< pseudo step of seeds

typedef struct waiting {
    uint32_t voxel, next, step; ///< step: the neighbour offset by which the voxel was reached
    float distance;             ///< the voxel's distance at insertion; stale if it has changed
} waiting;

typedef struct search {
    const lmbi_geodesic_job *job;
    lmbi_neighbours around;
    bool walled; ///< no path reaches the border of the grid
    /// For each step that reaches a voxel: the steps to take from there, and their count.
    uint8_t ahead[BEGINS + 1][26], ahead_count[BEGINS + 1];
    float per_width; ///< buckets per unit of distance
    uint32_t *ring;  ///< [size] circular array of bucket list heads
    uint32_t size;   ///< a power of two
    waiting *items;
    uint32_t count, free;  ///< items ever used; list of free ones
    size_t capacity, held; ///< held: items in the buckets
    const lmb_allocator *alloc;
} search;

static uint64_t bucket_of(const search *s, float distance)
{
    return (uint64_t)(distance * s->per_width);
}

static bool push(search *s, uint32_t voxel, uint32_t step)
{
    uint32_t at = s->free;
    if (at != NONE) {
        s->free = s->items[at].next;
    } else {
        void *items = s->items;
        const bool room =
            lmbi_grow(s->alloc, &items, &s->capacity, (size_t)s->count + 1, sizeof(waiting));
        s->items = items;
        if (!room) {
            return false;
        }
        at = s->count++;
    }
    const float distance = s->job->out_distance[voxel];
    uint32_t *list = &s->ring[bucket_of(s, distance) & (s->size - 1)];
    s->items[at] = (waiting){voxel, *list, step, distance};
    *list = at;
    ++s->held;
    return true;
}

/// Of equally long paths the one over the nearer voxel wins, then the one over the lower index.
static bool is_better_path(const lmbi_geodesic_job *job, uint32_t voxel, uint32_t over)
{
    const uint32_t now = job->out_previous[voxel];
    const float a = job->out_distance[over], b = job->out_distance[now];
    return now != voxel && (a < b || (!(b < a) && over < now));
}

/// With uniform cost, voxels adjacent to the predecessor were reached from there by a shorter path
/// and are skipped: 9 to 19 of 26 steps remain.
static void list_ahead(search *s)
{
    for (int from = 0; from <= BEGINS; ++from) {
        s->ahead_count[from] = 0;
        for (int n = 0; n < 26; ++n) {
            bool near = from < BEGINS && !s->job->slowness;
            for (int a = 0; a < 3 && near; ++a) {
                const int apart = s->around.d[from][a] + s->around.d[n][a];
                near = apart >= -1 && apart <= 1;
            }
            if (!near) {
                s->ahead[from][s->ahead_count[from]++] = (uint8_t)n;
            }
        }
    }
}

static bool is_walled(const lmbi_geodesic_job *job)
{
    const lmbi_grid *g = job->grid;
    for (uint32_t k = 0; k < job->seed_count; ++k) {
        if (!job->cells[job->seeds[k]]) {
            return false;
        }
    }
    for (int32_t k = 0; k < g->nz; ++k) {
        for (int32_t j = 0; j < g->ny; ++j) {
            const bool whole = k == 0 || j == 0 || k == g->nz - 1 || j == g->ny - 1;
            const int32_t stride = whole || g->nx < 2 ? 1 : g->nx - 1;
            for (int32_t i = 0; i < g->nx; i += stride) {
                if (job->cells[lmbi_grid_index(g, i, j, k)]) {
                    return false;
                }
            }
        }
    }
    return true;
}

static uint32_t neighbour(const search *s, uint32_t from, int n)
{
    if (s->walled) {
        return (uint32_t)((ptrdiff_t)from + s->around.step[n]);
    }
    int32_t at[3];
    lmbi_voxel_coordinates(s->job->grid, from, at);
    return lmbi_neighbour(s->job->grid, &s->around, n, from, at[0], at[1], at[2]);
}

static bool relax(search *s, uint32_t from, uint32_t step)
{
    const lmbi_geodesic_job *job = s->job;
    const float distance = job->out_distance[from];
    for (int k = 0; k < s->ahead_count[step]; ++k) {
        const int n = s->ahead[step][k];
        const uint32_t v = neighbour(s, from, n);
        const float now = v == NONE ? -1 : job->out_distance[v];
        if (now < distance) { // final, or outside the cells, where the distance is negative
            continue;
        }
        const float cost = job->slowness ? 0.5f * (job->slowness[from] + job->slowness[v]) : 1.0f;
        const float d = distance + s->around.length[n] * cost;
        if (d < now) {
            job->out_distance[v] = d;
            if (job->out_previous) {
                job->out_previous[v] = from;
            }
            if (!push(s, v, (uint32_t)n)) {
                return false;
            }
        } else if (!(d > now) && job->out_previous && is_better_path(job, v, from)) {
            job->out_previous[v] = from;
        }
    }
    return true;
}

/// The shortest and the longest possible step.
static void step_range(const lmbi_geodesic_job *job, float *least, float *most)
{
    *least = 1;
    *most = 1;
    const size_t count = lmbi_grid_count(job->grid);
    bool any = false;
    for (size_t v = 0; job->slowness && v < count; ++v) {
        if (job->cells[v]) {
            *least = any ? fminf(*least, job->slowness[v]) : job->slowness[v];
            *most = any ? fmaxf(*most, job->slowness[v]) : job->slowness[v];
            any = true;
        }
    }
    *most *= 1.7320509f;
}

static bool begin(search *s)
{
    // If step lengths differ widely, short ones share a bucket, which is then processed repeatedly.
    const float finest = 1 << 16;
    float least, most;
    step_range(s->job, &least, &most);
    const float width = fmaxf(0.9999f * least, most / finest);
    s->per_width = width > 0 ? 1 / width : 1;
    const uint32_t reach = (uint32_t)(most * s->per_width) + 3;
    for (s->size = 4; s->size < reach;) {
        s->size *= 2;
    }
    s->ring = lmbi_alloc_array(s->alloc, s->size, sizeof *s->ring);
    s->free = NONE;
    for (uint32_t k = 0; s->ring && k < s->size; ++k) {
        s->ring[k] = NONE;
    }
    return s->ring != NULL;
}

static bool seed(search *s)
{
    const lmbi_geodesic_job *job = s->job;
    bool room = true;
    for (uint32_t k = 0; k < job->seed_count; ++k) {
        job->out_distance[job->seeds[k]] = 0;
        if (job->out_previous) {
            job->out_previous[job->seeds[k]] = job->seeds[k];
        }
        room = room && push(s, job->seeds[k], BEGINS);
    }
    return room;
}

/// Processes the buckets in order, skipping stale items.
static bool sweep(search *s)
{
    for (uint64_t bucket = 0; s->held > 0; ++bucket) {
        uint32_t *list = &s->ring[bucket & (s->size - 1)];
        while (*list != NONE) {
            const uint32_t at = *list;
            const waiting item = s->items[at];
            *list = item.next;
            s->items[at].next = s->free;
            s->free = at;
            --s->held;
            if (!(item.distance > s->job->out_distance[item.voxel]) &&
                !relax(s, item.voxel, item.step)) {
                return false;
            }
        }
    }
    return true;
}

lmb_result lmbi_geodesic(const lmbi_geodesic_job *job, const lmb_allocator *alloc, lmb_error *error)
{
    search s = {.job = job, .alloc = alloc};
    lmbi_neighbours_of(job->grid, &s.around);
    list_ahead(&s);
    s.walled = is_walled(job);
    const size_t count = lmbi_grid_count(job->grid);
    for (size_t v = 0; v < count; ++v) {
        job->out_distance[v] = job->cells[v] ? INFINITY : -1.0f;
    }
    const bool room = begin(&s) && seed(&s) && sweep(&s);
    for (size_t v = 0; v < count; ++v) {
        job->out_distance[v] = job->out_distance[v] < INFINITY ? job->out_distance[v] : -1.0f;
    }
    lmbi_free(alloc, s.ring);
    lmbi_free(alloc, s.items);
    return room ? LMB_OK : lmbi_fail_memory(error);
}
