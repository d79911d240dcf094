#include "base/error.h"
#include "geometry/voxel_queue.h"

static bool relax(const lmb_geodesic_job *job, const lmbi_neighbours *around, lmbi_voxel_entry e,
                  lmbi_voxel_queue *queue)
{
    int32_t at[3];
    lmbi_voxel_coordinates(job->grid, e.voxel, at);
    for (int n = 0; n < 26; ++n) {
        const uint32_t v = lmbi_neighbour(job->grid, around, n, e.voxel, at[0], at[1], at[2]);
        if (v == UINT32_MAX || !job->cells[v]) {
            continue;
        }
        const float cost =
            job->slowness ? 0.5f * (job->slowness[e.voxel] + job->slowness[v]) : 1.0f;
        const float d = e.distance + around->length[n] * cost;
        if (job->out_distance[v] < 0 || d < job->out_distance[v]) {
            job->out_distance[v] = d;
            if (job->out_previous) {
                job->out_previous[v] = e.voxel;
            }
            if (!lmbi_voxel_push(queue, d, v)) {
                return false;
            }
        }
    }
    return true;
}

lmb_result lmb_geodesic(const lmb_geodesic_job *job, const lmb_allocator *alloc, lmb_error *error)
{
    lmbi_neighbours around;
    lmbi_neighbours_of(job->grid, &around);
    lmbi_voxel_queue queue = {.alloc = alloc};
    const size_t count = lmb_grid_count(job->grid);
    for (size_t v = 0; v < count; ++v) {
        job->out_distance[v] = -1;
    }
    bool room = true;
    for (uint32_t s = 0; s < job->seed_count; ++s) {
        job->out_distance[job->seeds[s]] = 0;
        if (job->out_previous) {
            job->out_previous[job->seeds[s]] = job->seeds[s];
        }
        room = room && lmbi_voxel_push(&queue, 0, job->seeds[s]);
    }
    while (room && queue.count > 0) {
        const lmbi_voxel_entry e = lmbi_voxel_pop(&queue);
        if (!(e.distance > job->out_distance[e.voxel])) {
            room = relax(job, &around, e, &queue);
        }
    }
    lmbi_free(alloc, queue.items);
    return room ? LMB_OK : lmbi_fail_memory(error);
}
