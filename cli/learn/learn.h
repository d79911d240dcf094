/// `limber learn`: one mesh in many shapes, read from files, and what is learned of them.
#ifndef LIMBER_CLI_LEARN_H
#define LIMBER_CLI_LEARN_H

#include "cli/posed.h"

typedef struct cli_shapes_opts {
    cli_read_opts read;
    const char *clip; ///< of files that have clips; NULL: the first
    double fps;       ///< at which clips are sampled; 0: as recorded, or 30
    bool bound;       ///< REST is the shape that its skins were bound in, not that at rest
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
/// clip, or else its morph targets, when it is alone: a file with a clip gives the clip's frames, a file
/// without its one shape.
/// Vertices are those of the files' own positions: what normals and texture coordinates split is
/// joined again. Says what is wrong on stderr. Free with cli_shapes_end, also after an error.
cli_exit cli_shapes_read(cli_run *cli, const cli_shapes_opts *opts, cli_shapes *out);
void cli_shapes_end(cli_shapes *shapes);
/// Whether a file's name is that of a point cache: PC2, MDD or NumPy.
bool cli_shapes_is_cache(const char *path);

// ---- --fit weights|bind|correctives|helpers|mwe: what is learned under the bones of a rig

/// What is learned, in the order of --fit: a rig, or what a rig lacks. The last three are for what new
/// weights miss.
typedef enum cli_fit {
    CLI_FIT_RIG = 0,
    CLI_FIT_WEIGHTS,
    CLI_FIT_BIND,
    CLI_FIT_CORRECTIVES,
    CLI_FIT_HELPERS,
    CLI_FIT_MWE,
} cli_fit;

typedef struct cli_given_opts {
    cli_shapes_opts shapes; ///< `fps` 0: frames are spread evenly over the clip
    cli_fit fit;
    uint32_t influences, hold_out;
    uint32_t bones; ///< helpers; 0: as many as pay
    float smooth;
    bool smooth_to_error; ///< where nobody says how much
} cli_given_opts;

/// Learns from shapes that were read, and writes the rig with its new weights.
cli_exit cli_learn_weights(cli_run *cli, const cli_given_opts *opts, const cli_shapes *shapes);

// ---- --body: a body model from registered scans

typedef enum cli_persons {
    CLI_PERSONS_AUTO = 0, ///< by folder where the scans lie in several, else by file
    CLI_PERSONS_FILE,
    CLI_PERSONS_FOLDER,
} cli_persons;

typedef struct cli_learn_body_opts {
    cli_shapes_opts shapes;
    cli_persons persons;
    uint32_t shape_count, hold_out, iterations;
    lmb_pose_features features;
    bool keep_weights;
} cli_learn_body_opts;

/// Learns from shapes that were read, and writes the model.
cli_exit cli_learn_body(cli_run *cli, const cli_learn_body_opts *opts, const cli_shapes *shapes);

#endif
