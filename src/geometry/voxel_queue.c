#include "geometry/voxel_queue.h"
#include "geometry/volume.h"

/// A total order, so that ties break the same way everywhere.
static bool before(lmbi_voxel_entry a, lmbi_voxel_entry b)
{
    return a.distance < b.distance || (!(b.distance < a.distance) && a.voxel < b.voxel);
}

bool lmbi_voxel_push(lmbi_voxel_queue *queue, float distance, uint32_t voxel)
{
    void *items = queue->items;
    const bool room = lmbi_grow(queue->alloc, &items, &queue->capacity, queue->count + 1,
                                sizeof(lmbi_voxel_entry));
    queue->items = items;
    if (!room) {
        return false;
    }
    const lmbi_voxel_entry e = {distance, voxel};
    size_t at = queue->count++;
    while (at > 0 && before(e, queue->items[(at - 1) / 2])) {
        queue->items[at] = queue->items[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    queue->items[at] = e;
    return true;
}

lmbi_voxel_entry lmbi_voxel_pop(lmbi_voxel_queue *queue)
{
    const lmbi_voxel_entry top = queue->items[0], last = queue->items[--queue->count];
    size_t at = 0;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= queue->count) {
            break;
        }
        if (child + 1 < queue->count && before(queue->items[child + 1], queue->items[child])) {
            ++child;
        }
        if (!before(queue->items[child], last)) {
            break;
        }
        queue->items[at] = queue->items[child];
        at = child;
    }
    queue->items[at] = last;
    return top;
}

void lmbi_neighbours_of(const lmbi_grid *grid, lmbi_neighbours *out)
{
    int n = 0;
    for (int dk = -1; dk <= 1; ++dk) {
        for (int dj = -1; dj <= 1; ++dj) {
            for (int di = -1; di <= 1; ++di) {
                const int square = di * di + dj * dj + dk * dk;
                if (square == 0) {
                    continue;
                }
                out->step[n] = ((ptrdiff_t)dk * grid->ny + dj) * grid->nx + di;
                out->d[n][0] = (int8_t)di;
                out->d[n][1] = (int8_t)dj;
                out->d[n][2] = (int8_t)dk;
                out->length[n] = lmb_sqrt((float)square);
                ++n;
            }
        }
    }
}
