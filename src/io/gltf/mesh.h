/// Reading meshes: shared by meshes.c, attributes.c, influences.c, runs.c and topology.c. A run is
/// a range of vertices in the mesh's pool.
#ifndef IO_GLTF_MESH_H
#define IO_GLTF_MESH_H

#include "io/gltf/gltf.h"

enum { LMBI_GLTF_JOINT_SETS = 64 };

/// The vertex data of a primitive. Primitives with the same accessors share one.
typedef struct lmbi_gltf_vertices {
    const lmbi_json *attributes; ///< the JSON object
    const lmbi_json *targets;    ///< the JSON array, or NULL
    uint32_t first, count;       ///< in the mesh's pool
    uint32_t bits;               ///< LMB_HAS_…
    const lmbi_gltf_accessor *position, *normal, *tangent;
    const lmbi_gltf_accessor *uvs[LMB_UV_SETS];
    const lmbi_gltf_accessor *colors[LMB_COLOR_SETS];
    const lmbi_gltf_accessor *joints[LMBI_GLTF_JOINT_SETS], *weights[LMBI_GLTF_JOINT_SETS];
    uint32_t joint_sets;
    const lmbi_gltf_accessor *envelope[LMB_ENVELOPE_SETS];
} lmbi_gltf_vertices;

/// Finds the accessors of an attributes object and checks their types and counts.
bool lmbi_gltf_attributes_read(lmbi_gltf *g, const lmbi_json *attributes, lmbi_gltf_vertices *out);
/// Decodes into the mesh's arrays, which must exist for every attribute of the run.
bool lmbi_gltf_vertices_decode(lmbi_gltf *g, const lmbi_gltf_vertices *v, lmb_mesh *mesh);
/// Decodes the morph targets of one run of vertices.
bool lmbi_gltf_targets_decode(lmbi_gltf *g, const lmbi_gltf_vertices *v, lmb_mesh *mesh);
/// A morph target's accessor by name; NULL when absent.
bool lmbi_gltf_target_accessor(lmbi_gltf *g, const lmbi_gltf_vertices *v, const lmbi_json *target,
                               const char *name, const lmbi_gltf_accessor **out);

/// Appends the rows of one run of vertices, except the first `skip`. `out->items` needs room for 4
/// entries a vertex and joint set from *used on.
bool lmbi_gltf_influences_decode(lmbi_gltf *g, const lmbi_gltf_vertices *v, uint32_t skip,
                                 lmb_influences *out, uint32_t *used);

/// Sets each run's `first` in the mesh's pool and *vertex_count, the size of the pool. Runs that
/// overlap in the file's bytes overlap in the pool too.
bool lmbi_gltf_runs_layout(lmbi_gltf *g, lmbi_gltf_vertices **runs, uint32_t count,
                           uint64_t *vertex_count);
/// Sorts by first vertex, then longest first. Runs equal in both have the same data, so their order
/// does not matter.
void lmbi_gltf_runs_sort(lmbi_gltf_vertices **runs, uint32_t count);

/// The fewest corners with which a primitive of the mode draws anything.
uint32_t lmbi_gltf_topology_least(uint32_t mode);
/// Topology and index count of the list that a primitive of this mode and corner count becomes.
bool lmbi_gltf_topology_count(lmbi_gltf *g, const lmbi_json *primitive, uint32_t mode,
                              uint32_t corners, lmb_topology *topology, uint32_t *count);
/// Unrolls corners[] (strips, fans, loops) into the list at `out`.
void lmbi_gltf_topology_unroll(uint32_t mode, const uint32_t *corners, uint32_t corner_count,
                               uint32_t *out, uint32_t count);

#endif
