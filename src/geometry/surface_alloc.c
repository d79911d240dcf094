// Allocation of generated surfaces.
#include "geometry/surface_alloc.h"

#include "base/alloc.h"

lmb_surface *lmbi_surface_alloc(const lmb_allocator *alloc, uint32_t vertex_count,
                                uint32_t triangle_count)
{
    const size_t positions = lmbi_size_mul(vertex_count, sizeof(lmb_vec3));
    const size_t triangles = lmbi_size_mul(triangle_count, 3 * sizeof(uint32_t));
    if (positions > SIZE_MAX / 4 || triangles > SIZE_MAX / 4) {
        return NULL;
    }
    const size_t head = (sizeof(lmb_surface) + 15) / 16 * 16;
    uint8_t *block = lmbi_alloc(alloc, head + positions + triangles);
    if (block == NULL) {
        return NULL;
    }
    lmb_surface *s = (void *)block;
    s->vertex_count = vertex_count;
    s->triangle_count = triangle_count;
    s->positions = (void *)(block + head);
    s->triangles = (void *)(block + head + positions);
    if (alloc != NULL) {
        s->allocator = *alloc;
    }
    return s;
}
