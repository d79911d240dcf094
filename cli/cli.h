/// Declarations that all commands of `limber` use. A command is two files, <name>.options and <name>.c
/// in cli/ or a folder of it. The first says what --help shows and where each option's value goes; the
/// build makes <name>.options.h of it, a table and one `const cli_command cli_command_<name>`. The second
/// includes that after its struct of options, and has run_<name>, which is called once they are read.
#ifndef LIMBER_CLI_H
#define LIMBER_CLI_H

#include "limber/io.h"
#include "limber/limber.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/// Exit codes, the same for every command.
typedef enum cli_exit {
    CLI_DONE = 0,
    CLI_FAILED = 1,      ///< something else went wrong: out of memory, cancelled
    CLI_USAGE = 2,       ///< the command line makes no sense
    CLI_INPUT = 3,       ///< an input cannot be read or is malformed
    CLI_UNSUPPORTED = 4, ///< a feature that Limber does not have, named
    CLI_OUTPUT = 5,      ///< an output cannot be written
    CLI_GATE = 6,        ///< a check found faults as severe as --fail-on
    CLI_PARTIAL = 7,     ///< some items of a batch failed
} cli_exit;

// ---------------------------------------------------------------------------------------- options

/// What an option's value is, and the type of the field that it is stored in.
typedef enum cli_option_kind {
    CLI_FLAG,    ///< bool, no value
    CLI_COUNT,   ///< int: how often it was given
    CLI_TEXT,    ///< const char *
    CLI_INTEGER, ///< int64_t
    CLI_NUMBER,  ///< double, finite
    CLI_CHOICE,  ///< int: index into the words of `value`, separated by '|'
    CLI_LIST,    ///< cli_list: the option may be given again and again
} cli_option_kind;

typedef struct cli_list {
    int count;
    const char **items;
} cli_list;

typedef struct cli_option {
    const char *name; ///< without dashes
    char letter;      ///< short form, or 0
    cli_option_kind kind;
    size_t field;      ///< offset in the command's options
    const char *value; ///< how --help names the value; the words of a choice
    const char *help;
} cli_option;

/// Ends a table of options.
#define CLI_END \
    {           \
        0       \
    }

struct cli_run;

typedef struct cli_command {
    const char *name;
    const char
        *arguments;      ///< what follows the name in the usage line, without options: "CHARACTER"
    const char *summary; ///< one line, no full stop
    const char *details; ///< further paragraphs for --help, or NULL
    int min_inputs, max_inputs;
    const char *output;   ///< what -o takes: "OUT.glb"; NULL when the command writes no file
    bool output_optional; ///< -o may be missing
    const cli_option *options;
    size_t options_size;  ///< of the struct that `field` refers to
    const void *defaults; ///< such a struct, or NULL for zeros
    /// `options` points to the filled struct. Returns an exit code.
    cli_exit (*run)(struct cli_run *cli, const void *options);
} cli_command;

/// One run of one command.
typedef struct cli_run {
    const cli_command *command;
    int input_count;
    const char **inputs;
    const char *output; ///< NULL when not given
    bool json, quiet;
    int verbose;       ///< how many -v
    int progress_mode; ///< a cli_progress_mode
    int64_t seed, thread_count;
    const char *simd;       ///< the instruction set that --simd asks for, or NULL
    const char *max_memory; ///< as given; NULL: by the size of the inputs
    uint64_t given;         ///< bit k: option k of the command was on the command line
    lmb_jobs jobs;          ///< the threads to hand to long work
    struct lmb_pool *pool;
    lmb_progress progress;
    lmb_progress *progress_or_null; ///< what to hand to long work
    const char *stage;              ///< of the last progress line
    int percent;
    bool losses_named; ///< losses are named once for a series of files
    bool
        made_limits; ///< joint limits come from rigging: writing a format without them loses nothing of the input
} cli_run;

/// Whether the option of that name was on the command line.
bool cli_given(const cli_run *cli, const char *option);

/// Reads the command line into `cli` and `options` (options_size bytes, defaults already there).
/// CLI_USAGE with a message for unknown options and bad values.
cli_exit cli_options_read(cli_run *cli, void *options, int argc, char **argv);
/// The whole help text of one command.
void cli_options_help(const cli_command *command, FILE *out);
/// Whether this build has a command of that name.
bool cli_is_command(const char *name);
/// The word nearest to `word`, or NULL when none is near enough to be worth suggesting.
const char *cli_nearest(const char *word, const char *const *words, size_t count);

// --------------------------------------------------------------------------------------- messages

/// A line of what a command is doing, `label` in a column of its own: "skeleton       humanoid, 22
/// joints". Not with -q.
void cli_say(const cli_run *cli, const char *label, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/// Like cli_say, with -v only.
void cli_detail(const cli_run *cli, const char *label, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/// "limber COMMAND: warning: …", also with -q.
void cli_warn(const cli_run *cli, const char *format, ...) __attribute__((format(printf, 2, 3)));
/// "limber COMMAND: …". Returns `code`, so that a command can end with it.
cli_exit cli_fail(const cli_run *cli, cli_exit code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/// The library's error about a file: "FILE:LINE:COL: expected X, found Y" or "FILE: byte N: …".
/// Returns the exit code that belongs to it: 3 malformed, 4 unsupported, 1 out of memory or
/// cancelled.
cli_exit cli_fail_file(const char *file, const lmb_error *error);
/// The same for a library call that failed on good input: it has no position in a file.
cli_exit cli_fail_call(const cli_run *cli, const char *what, lmb_result result,
                       const lmb_error *error);
/// Bytes of the letter that begins there in UTF-8; 0 where none does.
size_t cli_utf8_size(const char *text);
/// Text with control characters and bytes that are no UTF-8 as \x1b, but for those of `also`.
void cli_put_clean(FILE *out, const char *text, const char *also);
void cli_print_list(FILE *out, const char *also, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));
/// printf for what names of files may be in: cleaned but for line ends.
void cli_print(const char *format, ...) __attribute__((format(printf, 1, 2)));
/// The number with a space between groups of three digits; `text` needs 32 bytes.
const char *cli_grouped(uint64_t number, char text[32]);
/// Ends the line that progress was shown on.
void cli_progress_end(cli_run *cli);
/// Sets up cli->progress from the mode; called by main.
void cli_progress_start(cli_run *cli);

typedef enum cli_progress_mode {
    CLI_PROGRESS_AUTO = 0,
    CLI_PROGRESS_PLAIN,
    CLI_PROGRESS_NONE
} cli_progress_mode;

/// Ends the command with 1 and a message. A failed allocation is never
/// treated as missing data, which would change the output.
_Noreturn void cli_out_of_memory(void);
/// realloc that never returns NULL: without memory the command ends as above.
void *cli_resize(void *block, size_t count, size_t size);

// ---------------------------------------------------------------------------------------- threads

/// Keeps kernels to the instruction set of --simd or, without it, of LIMBER_SIMD in the environment.
/// Says what is wrong with an unknown one (2) or one that does not run here (4).
cli_exit cli_simd_choose(const cli_run *cli);
/// Starts cli->thread_count threads (0: one a core) behind cli->jobs.
cli_exit cli_threads_start(cli_run *cli);
void cli_threads_end(cli_run *cli);

// ----------------------------------------------------------------------------------------- memory

/// Caps what the command may allocate: --max-memory, or a budget by the size of the inputs.
cli_exit cli_memory_start(const cli_run *cli);
/// " (--max-memory is 2048M)", for messages about memory that ended; empty without a cap.
void cli_memory_hint(char out[64]);

// ------------------------------------------------------------------------------------------ files

typedef struct cli_bytes {
    uint8_t *data;
    size_t size;
} cli_bytes;

/// Reads a whole file, or stdin for "-". Says what is wrong on stderr and returns CLI_INPUT. Free
/// with free(data).
cli_exit cli_bytes_read(const char *path, cli_bytes *out);
/// The name of a file without its folder and extension; free it.
char *cli_stem(const char *path);
/// Writes a file through a temporary one beside it, renamed when complete; stdout for "-". Makes
/// its folder. Returns CLI_OUTPUT.
cli_exit cli_bytes_write(const char *path, const void *data, size_t size);
/// Opens files named in `path`'s own text, in its folder or below it, behind no symbolic link. The
/// loader is `*out`; it needs no end.
void cli_loader_start(const char *path, lmb_loader *out);

// ---------------------------------------------------------------------------------------- formats

typedef enum cli_format {
    CLI_UNKNOWN = 0,
    CLI_GLB,
    CLI_VRMA, ///< by its name alone: it is a GLB
    CLI_GLTF,
    CLI_OBJ,
    CLI_PLY,
    CLI_OFF,
    CLI_STL,
    CLI_BVH,
    CLI_FBX,
    CLI_MD5,
    CLI_IQM,
    CLI_COLLADA,
    CLI_USD,
    CLI_ASF,
    CLI_AMC,
    CLI_C3D,
    CLI_TRC,
    CLI_CSV,
    CLI_NPZ,
    CLI_LIMB,
    CLI_LFS_POINTER,
    CLI_FORMAT_COUNT,
} cli_format;

/// What the bytes are, or what the extension says when they do not tell.
cli_format cli_format_of(const char *path, cli_bytes bytes);
/// What the extension says, for outputs.
cli_format cli_format_of_name(const char *path);
/// Whether MD5 text is a .md5anim: by its head, not by its name.
bool cli_md5_is_anim(cli_bytes bytes);
/// "glTF binary".
const char *cli_format_name(cli_format format);

/// How to read where the file itself does not say; all zero guesses.
typedef struct cli_read_opts {
    float unit_m; ///< metres a unit of the file
    lmb_axis up;
    const char *skeleton;   ///< the .asf of an .amc; NULL: beside it
    bool silent_notes;      ///< the caller shows what the reader noted
    bool markers_as_joints; ///< markers become a character of loose joints; else they are refused
} cli_read_opts;

/// What in.options reads.
typedef struct cli_in_opts {
    const char *unit, *up;
    const char *skeleton; ///< NULL also in commands without the option
    const char *of;       ///< what the options' names begin with, "motion-"; NULL: nothing
} cli_in_opts;
cli_exit cli_crease_check(const cli_run *cli, double crease_deg);
/// Gives normals to the meshes that have none: smooth over each vertex, and over vertices of
/// equal position within the crease; with --crease given, vertices are split at edges.
cli_exit cli_normals_fill(const cli_run *cli, double crease_deg, lmb_character *character);

/// Reads the two; CLI_USAGE with a message when they make no sense.
cli_exit cli_in_read(const cli_run *cli, const cli_in_opts *in, cli_read_opts *out);

/// What a file holds beside the character.
typedef struct cli_source {
    cli_format format;
    size_t size;
    lmb_notes notes;
    lmb_bvh_info bvh;         ///< when format is CLI_BVH
    lmb_fbx_info fbx;         ///< when format is CLI_FBX
    lmb_markers_info markers; ///< when format is CLI_C3D, CLI_TRC or CLI_CSV
} cli_source;

/// Reads a character, mesh or motion of any format that can be read. `opts` and `source` may be
/// NULL. Notes go to stderr as warnings. Says what is wrong on stderr and returns 3 or 4. Destroy
/// with lmb_character_destroy.
cli_exit cli_character_read(cli_run *cli, const char *path, const cli_read_opts *opts,
                            cli_source *source, lmb_character **out);
/// The same of bytes that were read, of the format that cli_format_of gave.
cli_exit cli_character_parse(cli_run *cli, const char *path, cli_bytes bytes,
                             const cli_read_opts *opts, cli_source *source, lmb_character **out);
/// Notes of a reader, on stderr as warnings.
void cli_print_notes(const cli_run *cli, const char *path, const lmb_notes *notes);
/// Whether the path ends so, in letters of any case: ".png".
bool cli_has_extension(const char *path, const char *extension);
/// Refuses a name that the command cannot write. -o is asked about before the command runs, another
/// output by the command before it works for it. CLI_USAGE when the extension names no format of
/// the command's, CLI_UNSUPPORTED for one that is only read.
cli_exit cli_output_check(const cli_run *cli, const char *path);
/// The format of characters or markers that the path names, or that of `fallback` for pipes and
/// devices. Errors as above.
cli_exit cli_output_format(const cli_run *cli, const char *path, const char *fallback,
                           cli_format *out);
/// Writes a character in the format that the extension of `path` names; "-" takes `fallback`, such
/// as "glb".
/// What the format cannot hold is named on stderr.
cli_exit cli_character_write(cli_run *cli, const char *path, const char *fallback,
                             const lmb_character *character);

/// Names on stderr, once a run, what the character has and the format cannot hold.
void cli_name_losses(cli_run *cli, cli_format format, const lmb_character *character);

/// The humanoid in a skeleton, or what the file itself says of it; a map of confidence 0 where there
/// is none.
lmb_joint_map cli_joint_map(const lmb_skeleton *skeleton);
lmb_joint_map cli_joint_map_of(const lmb_character *character);
/// A joint by its name or, failing that, as a bone of the humanoid; LMB_NONE.
int32_t cli_joint_named(const lmb_skeleton *skeleton, const char *name);

/// The clip of that name or, failing that, index. On an unknown one says which there are and
/// returns CLI_USAGE.
cli_exit cli_clip_find(const cli_run *cli, const lmb_character *character, const char *clip,
                       uint32_t *out);

/// Replaces the clip by a copy with another name.
cli_exit cli_clip_rename(const cli_run *cli, lmb_clip **clip, const char *name);
/// Joints with skin beside the body's chains keep their place by it in a clip that moves it
/// (lmb_clip_carry); says how many.
void cli_carried_say(const cli_run *cli, uint32_t count);
cli_exit cli_clip_carry(const cli_run *cli, const lmb_character *character, lmb_clip **clip);
/// Makes the clip the character's first, before the others or, when `alone`, instead of them. Takes
/// the clip over: on a failure it is destroyed and the character stays as it was.
cli_exit cli_clip_put_first(cli_run *cli, lmb_character **character, lmb_clip *clip, bool alone);

// ------------------------------------------------------------------------------------------- JSON

/// Writes one JSON value, keys in the order of the calls, two spaces a level. `key` is NULL inside
/// arrays and at the top.
typedef struct cli_json {
    FILE *file;
    int depth;
    bool filled; ///< the innermost container has a member already
} cli_json;

void cli_json_begin(cli_json *json, const char *key, char bracket);
void cli_json_end(cli_json *json, char bracket);
void cli_json_text(cli_json *json, const char *key, const char *text);
void cli_json_integer(cli_json *json, const char *key, int64_t value);
/// The shortest decimal that reads back as the same float; null when it is not finite.
void cli_json_number(cli_json *json, const char *key, float value);
void cli_json_bool(cli_json *json, const char *key, bool value);
void cli_json_null(cli_json *json, const char *key);
void cli_json_vec3(cli_json *json, const char *key, lmb_vec3 value);

#endif
