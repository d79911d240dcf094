/// Soft tissue of `limber simulate --flesh`: the mesh of each part and the frames baked from it.
#ifndef LIMBER_CLI_SIMULATE_FLESH_H
#define LIMBER_CLI_SIMULATE_FLESH_H

#include "cli/simulate/simulate.h"

/// Numbers of a frame, in the order of their tracks.
enum { FLESH_KINETIC, FLESH_OFFSET, FLESH_VOLUME, FLESH_STRETCH, FLESH_TRACKS };

/// One skinned mesh while it is simulated.
typedef struct soft_tissue_bake_part {
    uint32_t instance, mesh;
    const lmb_mesh *from;
    const lmb_skin *skin;
    lmb_soft_tissue *flesh;
    lmb_mat4 *palette;
    lmb_mat4 *blend;          ///< [vertex_count] of the last frame: bind to model
    lmb_vec3 *skinned;        ///< [vertex_count]
    lmb_vec3 *at;             ///< [vertex_count]
    lmb_vec3 *targets;        ///< [frame_count][vertex_count] in the bind pose
    lmb_vec3 *normals;        ///< [vertex_count] skinned; NULL for a mesh without
    lmb_vec3 *normal_targets; ///< [frame_count][vertex_count] as `targets`
} soft_tissue_bake_part;

typedef struct soft_tissue_bake {
    cli_run *cli;
    const cli_simulate_opts *opts;
    const lmb_character *character;
    const lmb_clip *clip;
    uint32_t frame_count, part_count;
    double fps;
    soft_tissue_bake_part *parts;
    lmb_transform *poses; ///< [frame_count][joint_count]
    lmb_mat4 *model;
    float *amount;          ///< [joint_count] how soft its skin is
    float *painted;         ///< of all parts' vertices one after another, in their order; or NULL
    simulate_tracks tracks; ///< FLESH_TRACKS of them
    float farthest_m;
} soft_tissue_bake;

/// How soft the skin of each joint is: a guess, and what --soft says.
cli_exit soft_tissue_bake_amounts(const cli_run *cli, soft_tissue_bake *b);
/// How soft each vertex is, where --soft-paint or --soft-file says so.
cli_exit soft_tissue_bake_painted(const cli_run *cli, soft_tissue_bake *b);
/// Soft body of a part whose `skinned` is at rest; `first` is its first vertex among all parts.
cli_exit soft_tissue_bake_make(const soft_tissue_bake *b, soft_tissue_bake_part *p, float height,
                               size_t first);
/// The character with its grown meshes and the new clip alone: other clips refer to the old targets.
cli_exit soft_tissue_bake_rebuild(soft_tissue_bake *b, lmb_character **character);

#endif
