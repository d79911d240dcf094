/// Groups the vertices of each chunk by their set of joints.
#ifndef SKIN_CLUSTER_H
#define SKIN_CLUSTER_H

#include "skin/binding.h"

/// A vertex's influences in canonical form: joints ascending and unique, none with zero weight.
typedef struct lmbi_skin_row {
    uint32_t width;
    uint32_t strongest; ///< index into `joints`
    bool is_whole;      ///< weights sum to 1, so that the last one need not be stored
    uint16_t *joints;   ///< capacity: the widest row of the mesh, at least 1
    float *weights;
} lmbi_skin_row;

void lmbi_skin_row_read(const lmb_mesh *mesh, uint32_t v, lmbi_skin_row *row);

typedef struct lmbi_skin_group {
    size_t joint_first;
    uint32_t width, count;
    uint32_t run; ///< run of its vertices, or LMBI_SKIN_LOOSE
} lmbi_skin_group;
#define LMBI_SKIN_LOOSE UINT32_MAX

typedef struct lmbi_skin_clusters {
    lmbi_skin_group *groups;
    size_t group_count, group_room;
    uint16_t *joints;
    size_t joint_count, joint_room;
    uint32_t *group_of; ///< [vertex_count]
    lmbi_skin_row row;
    uint32_t *slots; ///< hash table of the current chunk: group index plus 1, or 0
    const lmb_allocator *alloc;
} lmbi_skin_clusters;

/// False if out of memory; call lmbi_skin_clusters_end in either case.
bool lmbi_skin_clusters_start(lmbi_skin_clusters *c, const lmb_mesh *mesh,
                              const lmb_allocator *alloc);
void lmbi_skin_clusters_end(lmbi_skin_clusters *c);
/// Groups the vertices [begin, end) of a chunk, appending new groups. False if out of memory.
bool lmbi_skin_clusters_chunk(lmbi_skin_clusters *c, const lmb_mesh *mesh, uint32_t begin,
                              uint32_t end);

#endif
