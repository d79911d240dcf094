/// One mesh in many shapes, out of files: what `limber learn` learns from.
#ifndef LIMBER_CLI_SHAPES_H
#define LIMBER_CLI_SHAPES_H

#include "cli/posed.h"

typedef struct cli_shapes_opts {
    cli_read_opts read;
    const char *clip; ///< of files that have clips; NULL: the first
    double fps;       ///< at which clips are sampled; 0: as recorded, or 30
} cli_shapes_opts;

typedef struct cli_shapes {
    lmb_character *still; ///< the mesh at rest, without skins
    uint32_t vertex_count;
    uint32_t *vertex_of; ///< for each vertex of each instance of `still`, its vertex here
    uint32_t index_count;
    uint32_t *indices; ///< triangles
    lmb_vec3 *rest;    ///< [vertex_count]
    uint32_t frame_count;
    lmb_vec3 **frames; ///< [frame_count][vertex_count]
    int *files;        ///< [frame_count] input that a frame is from
    double rate;       ///< Hz, of the clip that was sampled; 0 when there was none
} cli_shapes;

/// Reads the rest shape from the first file and frames from the others, or from the first one's
/// clip when it is alone: a file with a clip gives the clip's frames, a file without its one shape.
/// Vertices are those of the files' own positions: what normals and texture coordinates split is
/// joined again. Says what is wrong on stderr. Free with cli_shapes_end, also after an error.
cli_exit cli_shapes_read(cli_run *cli, const cli_shapes_opts *opts, cli_shapes *out);
void cli_shapes_end(cli_shapes *shapes);
/// Whether a file's name is that of a point cache: PC2, MDD or NumPy.
bool cli_shapes_is_cache(const char *path);

#endif
