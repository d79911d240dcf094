/// Which vertices of a mesh follow the same joints, chunk by chunk.
#ifndef SKIN_CLUSTER_H
#define SKIN_CLUSTER_H

#include "skin/binding.h"

/// A vertex's influences as the skin reads them: rising joints, each once, none without weight.
typedef struct lmbi_skin_row {
    uint32_t width;
    uint32_t strongest; ///< place in joints
    bool is_whole;      ///< sums to 1, so that the last weight need not be kept
    uint16_t *joints;   ///< room for the widest row of the mesh, at least 1
    float *weights;
} lmbi_skin_row;

void lmbi_skin_row_read(const lmb_mesh *mesh, uint32_t v, lmbi_skin_row *row);

typedef struct lmbi_skin_group {
    size_t joint_first;
    uint32_t width, count;
    uint32_t run; ///< where its vertices go, LMBI_SKIN_LOOSE for none
} lmbi_skin_group;
#define LMBI_SKIN_LOOSE UINT32_MAX

typedef struct lmbi_skin_clusters {
    lmbi_skin_group *groups;
    size_t group_count, group_room;
    uint16_t *joints;
    size_t joint_count, joint_room;
    uint32_t *group_of; ///< [vertex_count]
    lmbi_skin_row row;
    uint32_t *slots; ///< hash table of one chunk: a group plus 1, or 0
    const lmb_allocator *alloc;
} lmbi_skin_clusters;

/// False when memory runs out; lmbi_skin_clusters_end frees in either case.
bool lmbi_skin_clusters_start(lmbi_skin_clusters *c, const lmb_mesh *mesh,
                              const lmb_allocator *alloc);
void lmbi_skin_clusters_end(lmbi_skin_clusters *c);
/// Groups the vertices [begin, end) of a chunk; new groups come after those there are. False when
/// memory runs out.
bool lmbi_skin_clusters_chunk(lmbi_skin_clusters *c, const lmb_mesh *mesh, uint32_t begin,
                              uint32_t end);

#endif
