/// What the parts of `limber simulate --flesh` share.
#ifndef LIMBER_CLI_SIMULATE_FLESH_H
#define LIMBER_CLI_SIMULATE_FLESH_H

#include "cli/simulate/simulate.h"

/// Numbers of a frame, in the order of their tracks.
enum { FLESH_KINETIC, FLESH_OFFSET, FLESH_VOLUME, FLESH_STRETCH, FLESH_TRACKS };

/// One skinned mesh while it is simulated.
typedef struct simulate_flesh_part {
    uint32_t instance, mesh;
    const lmb_mesh *from;
    const lmb_skin *skin;
    lmb_flesh *flesh;
    lmb_mat4 *palette;
    lmb_mat4 *blend;   ///< [vertex_count] of the last frame: bind to model
    lmb_vec3 *skinned; ///< [vertex_count]
    lmb_vec3 *at;      ///< [vertex_count]
    lmb_vec3 *targets; ///< [frame_count][vertex_count] in the bind pose
    lmb_vec3 *normals; ///< [vertex_count] skinned; NULL for a mesh without
    lmb_vec3 *turned;  ///< [frame_count][vertex_count] as `targets`
} simulate_flesh_part;

typedef struct simulate_flesh {
    cli_run *cli;
    const cli_simulate_opts *opts;
    const lmb_character *character;
    const lmb_clip *clip;
    uint32_t frame_count, part_count;
    double fps;
    simulate_flesh_part *parts;
    lmb_transform *poses; ///< [frame_count][joint_count]
    lmb_mat4 *model;
    float *amount;          ///< [joint_count] how soft its skin is
    float *painted;         ///< of all parts' vertices one after another, in their order; or NULL
    simulate_tracks tracks; ///< FLESH_TRACKS of them
    float farthest_m;
} simulate_flesh;

/// How soft the skin of each joint is: a guess, and what --soft says.
cli_exit simulate_flesh_amounts(const cli_run *cli, simulate_flesh *b);
/// How soft each vertex is, where --soft-paint or --soft-file says so.
cli_exit simulate_flesh_painted(const cli_run *cli, simulate_flesh *b);
/// The flesh of a part whose `skinned` is at rest; `first` is its first vertex of all parts'.
cli_exit simulate_flesh_make(const simulate_flesh *b, simulate_flesh_part *p, float height,
                             size_t first);
/// The character with its grown meshes and the new clip alone: other clips know the old targets.
cli_exit simulate_flesh_rebuild(simulate_flesh *b, lmb_character **character);

#endif
