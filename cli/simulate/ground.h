/// The ground of --ground: a level, a mesh of any file that can be read, a grid or a picture of
/// heights.
#ifndef LIMBER_CLI_GROUND_H
#define LIMBER_CLI_GROUND_H

#include "cli/cli.h"

typedef struct cli_ground {
    bool is_there;
    lmb_rigid_shape shape; ///< a plane or a ground, of the world
    lmb_ground *ground;    ///< NULL for a plane
    lmb_mesh *mesh;        ///< the ground as it may be seen, in the world; NULL for a plane
} cli_ground;

typedef struct cli_ground_opts {
    const char *ground; ///< a height, "none" or a file; NULL: at `floor`
    const char *size;   ///< "WIDTH,DEPTH,HEIGHT" of a picture, metres
    float floor;        ///< the lowest of the character at rest
    lmb_vec3 middle;    ///< centre of height fields, whose surface there is at `floor`
} cli_ground_opts;

/// End with cli_ground_end, whatever it returns.
cli_exit cli_ground_start(cli_run *cli, const cli_ground_opts *opts, cli_ground *out);
void cli_ground_end(cli_ground *ground);
/// The height of the ground below a point of the world; false where there is none.
bool cli_ground_below(const cli_ground *ground, lmb_vec3 from, lmb_vec3 *at, lmb_vec3 *normal);
/// Adds the ground's meshes to the character, on a joint of their own.
cli_exit cli_ground_keep(const cli_run *cli, const cli_ground *ground, lmb_character **character);

#endif
