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

/// A step to take from a voxel.
typedef struct stride {
    int32_t by; ///< in voxel indices
    float length;
    uint32_t step;
} stride;

/// The steps to take from a voxel that was reached by one step.
typedef struct stride_list {
    stride items[26];
    int count;
} stride_list;

typedef struct search {
    const lmbi_geodesic_job *job;
    lmbi_neighbours around;
    bool walled;                   ///< no path reaches the border of the grid
    stride_list ahead[BEGINS + 1]; ///< for each step that reaches a voxel
    float per_width;               ///< buckets per unit of distance
    uint32_t *ring;                ///< [size] circular array of bucket list heads
    uint32_t size;                 ///< a power of two
    waiting *items;
    uint32_t count, free;        ///< items ever used; list of free ones
    size_t capacity, item_count; ///< item_count: items in the buckets
    const lmb_allocator *alloc;
} search;

static uint64_t bucket_of(const search *s, float distance)
{
    return (uint64_t)(distance * s->per_width);
}

static bool push(search *s, uint32_t voxel, uint32_t step, float distance)
{
    uint32_t at = s->free;
    if (at != NONE) {
        s->free = s->items[at].next;
    } else {
        void *items = s->items;
        const bool room =
            s->count < s->capacity ||
            lmbi_grow(s->alloc, &items, &s->capacity, (size_t)s->count + 1, sizeof(waiting));
        s->items = items;
        if (!room) {
            return false;
        }
        at = s->count++;
    }
    uint32_t *list = &s->ring[bucket_of(s, distance) & (s->size - 1)];
    s->items[at] = (waiting){voxel, *list, step, distance};
    *list = at;
    ++s->item_count;
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
        stride_list *list = &s->ahead[from];
        for (int n = 0; n < 26; ++n) {
            bool near = from < BEGINS && !s->job->slowness;
            for (int a = 0; a < 3 && near; ++a) {
                const int difference = s->around.d[from][a] + s->around.d[n][a];
                near = difference >= -1 && difference <= 1;
            }
            if (!near) {
                list->items[list->count++] =
                    (stride){(int32_t)s->around.step[n], s->around.length[n], (uint32_t)n};
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
            const int32_t every = whole || g->nx < 2 ? 1 : g->nx - 1;
            for (int32_t i = 0; i < g->nx; i += every) {
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
    int32_t at[3];
    lmbi_voxel_coordinates(s->job->grid, from, at);
    return lmbi_neighbour(s->job->grid, &s->around, n, from, at[0], at[1], at[2]);
}

/// Takes the steps ahead. `walled` and `slowness` are constants where it is called, as this is most
/// of the time of a search.
static inline bool relax(search *s, uint32_t from, const stride_list *ahead, bool walled,
                         const float *slowness)
{
    float *distances = s->job->out_distance;
    uint32_t *previous = s->job->out_previous;
    const float distance = distances[from], own = slowness ? slowness[from] : 1;
    const int count = ahead->count;
    for (int k = 0; k < count; ++k) {
        const stride *a = &ahead->items[k];
        const uint32_t v = walled ? from + (uint32_t)a->by : neighbour(s, from, (int)a->step);
        const float now = !walled && v == NONE ? -1 : distances[v];
        if (now < distance) { // final, or outside the cells, where the distance is negative
            continue;
        }
        const float cost = slowness ? 0.5f * (own + slowness[v]) : 1.0f;
        const float d = distance + a->length * cost;
        if (d < now) {
            distances[v] = d;
            if (previous) {
                previous[v] = from;
            }
            if (!push(s, v, a->step, d)) {
                return false;
            }
        } else if (!(d > now) && previous && is_better_path(s->job, v, from)) {
            previous[v] = from;
        }
    }
    return true;
}

static bool relax_item(search *s, const waiting *item)
{
    const stride_list *ahead = &s->ahead[item->step];
    const float *slowness = s->job->slowness;
    return !s->walled ? relax(s, item->voxel, ahead, false, slowness)
           : slowness ? relax(s, item->voxel, ahead, true, slowness)
                      : relax(s, item->voxel, ahead, true, NULL);
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
        room = room && push(s, job->seeds[k], BEGINS, 0);
    }
    return room;
}

/// Processes the buckets in order, skipping stale items.
static bool sweep(search *s)
{
    for (uint64_t bucket = 0; s->item_count > 0; ++bucket) {
        uint32_t *list = &s->ring[bucket & (s->size - 1)];
        while (*list != NONE) {
            const uint32_t at = *list;
            const waiting item = s->items[at];
            *list = item.next;
            s->items[at].next = s->free;
            s->free = at;
            --s->item_count;
            if (!(item.distance > s->job->out_distance[item.voxel]) && !relax_item(s, &item)) {
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
