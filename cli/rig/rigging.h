/// Declarations of the commands that bind meshes.
#ifndef LIMBER_CLI_RIGGING_H
#define LIMBER_CLI_RIGGING_H

#include "cli/weights/select.h"

/// The line "weights   bone heat, 4 influences, pruning moves a vertex by at most 0.3% of the
/// height", and warnings.
void cli_say_weights(const cli_run *cli, const lmb_weights_opts *opts,
                     const lmb_weights_report *report);
/// The report as a member "weights".
void cli_json_weights(cli_json *json, const lmb_weights_report *report);
enum { CLI_STAGES = 8 };

/// Measures seconds by stage of reported progress, and forwards the reports.
typedef struct cli_stopwatch {
    lmb_progress progress; ///< hand this to the work
    const lmb_progress *next;
    struct {
        const char *name;
        double seconds;
    } stages[CLI_STAGES];
    int count;
    double since;
} cli_stopwatch;
void cli_stopwatch_start(cli_stopwatch *watch, const lmb_progress *next);
/// Ends the last stage.
void cli_stopwatch_stop(cli_stopwatch *watch);
/// A member "timings": stages in order, in seconds.
void cli_stopwatch_json(cli_json *json, const cli_stopwatch *watch);

/// How vertices follow joints: a member "rows" with how many follow one joint, two, ….
void cli_json_rows(cli_json *json, const lmb_character *character);
/// For every joint of the skeleton how many vertices follow it and the sum of their weights;
/// [joint_count] each.
void cli_count_pulled(const lmb_character *character, uint32_t *vertices, double *weights);
/// Adds the meshes' faults and their repairs as a member "findings".
void cli_json_findings(cli_json *json, const lmb_findings *findings);

/// A skeleton of another file: `limber rig MESH --skeleton FILE`.
typedef struct cli_template {
    const char *path;     ///< NULL: the style's own
    const char *style;    ///< path of a style, or NULL
    int fit;              ///< 0: unless it stands in the mesh already; 1: always; 2: never
    lmb_embed_opts embed; ///< of the mesh, where it is fitted
    bool keep_weights;
    lmb_weights_opts weights;
} cli_template;

typedef struct cli_template_report {
    bool fitted;
    lmb_embedding embedding; ///< if fitted
    lmb_skeleton_fit_report fit;
    lmb_weights_report weights;
} cli_template_report;

/// Binds the character to the skeleton, fitted or as it stands. Says what it did. A mesh that was
/// found not to stand along +Y is left alone, unbound (see `out->embedding.up`), when `upright`.
cli_exit cli_bind_to_file(cli_run *cli, lmb_character **character, const cli_template *opts,
                          bool upright, cli_template_report *out);

/// Options of every command that rigs a mesh; `rig` in the command's options.
typedef struct cli_rig_opts {
    const char *facing, *skeleton, *style, *body_template;
    int weights, names, fit, rest;
    int64_t influences;
    bool strict, soft, keep_weights;
    double crease_deg;
    cli_list markers, chains, keep, drop;
    bool tail;
} cli_rig_opts;

/// The words of --weights, in rigging.options and weights.options.
extern const char *const cli_weights_names[5];

/// Whether the skeleton is a file's or a style's: words name a kind, what has an extension names a
/// file.
bool cli_rig_from_file(const cli_rig_opts *given);
/// What the library takes; CLI_USAGE or CLI_UNSUPPORTED with a message for what makes no sense.
cli_exit cli_rig_read(const cli_run *cli, const cli_rig_opts *given, const cli_in_opts *in,
                      lmb_rig_opts *out);
/// Whether the confidence is 0.5 or less: half of such skeletons are wrong.
bool cli_rig_is_doubtful(const lmb_embedding *embedding);
/// Warns of a doubtful skeleton; CLI_GATE when `strict`.
cli_exit cli_rig_check(const cli_run *cli, const lmb_embedding *embedding, bool strict);
/// Binds the character to the skeleton of a file. A mesh that lies is read again, rotated upright.
cli_exit cli_rig_with_file(cli_run *cli, const cli_rig_opts *given, const cli_in_opts *in,
                           const lmb_rig_opts *rig, lmb_character **character,
                           cli_template_report *report);

/// What the user says of joints: --marker, --chain, --tail, --keep, --drop, --template.
typedef struct cli_rig_joints {
    lmb_joint_marker *markers, *chains;
    lmb_body_template *body_template;
} cli_rig_joints;

/// Reads them into `rig`, which refers to them. `out` is for cli_rig_joints_free, also after a
/// failure.
cli_exit cli_rig_joints_read(const cli_run *cli, const cli_rig_opts *given, lmb_rig_opts *rig,
                             cli_rig_joints *out);
void cli_rig_joints_free(cli_rig_joints *joints);

/// `limber weights mirror` on the character inputs[1], without reading and writing it; prints what
/// --json wants.
cli_exit cli_weights_mirror(cli_run *cli, lmb_mirror_side side, uint32_t influences,
                            lmb_character **character);

/// `limber weights paint`, likewise: by the strokes of a file.
cli_exit cli_weights_paint(cli_run *cli, const char *strokes, lmb_character **character);

/// What transfer takes.
typedef struct cli_weights_transfer_opts {
    const char *from; ///< the path of the other character
    double distance, angle_deg;
    bool two_sided;
    uint32_t influences, rounds;
} cli_weights_transfer_opts;

/// `limber weights transfer`, likewise.
cli_exit cli_weights_transfer(cli_run *cli, const cli_weights_transfer_opts *opts,
                              lmb_character **character);

/// What compare takes.
typedef struct cli_weights_compare_opts {
    const char *style; ///< path, or NULL
    lmb_weights_opts weights;
} cli_weights_compare_opts;

/// `limber weights compare`: reads the characters inputs[1] and after, binds each to its own
/// skeleton anew, and reports how far that is from their own weights.
cli_exit cli_weights_compare(cli_run *cli, const cli_weights_compare_opts *opts,
                             const cli_read_opts *in);

/// What normalize, prune, limit, smooth and assign take.
typedef struct cli_weights_edit {
    double least, share, amount, spread, value;
    int64_t hops, rounds, moments;
    const char *clip;
    int assign; ///< lmb_weights_assign
    cli_weights_where where;
} cli_weights_edit;

/// A static word, such as "prune".
const char *cli_weights_op_name(lmb_weights_op op);
/// CLI_USAGE for numbers out of range.
cli_exit cli_weights_edit_check(const cli_run *cli, const cli_weights_edit *edit);
/// Applies the operation, writes the character, and prints the report of --json.
cli_exit cli_weights_apply(cli_run *cli, const cli_weights_edit *edit, lmb_weights_op op,
                           uint32_t influences, lmb_character **character);

/// "z", "+y", "-x": the unit vector. False for anything else.
bool cli_axis_of(const char *text, lmb_vec3 *out);

#endif
