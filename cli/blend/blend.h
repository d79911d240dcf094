/// Declarations of the files of `limber blend`.
#ifndef LIMBER_CLI_BLEND_H
#define LIMBER_CLI_BLEND_H

#include "cli/cli.h"

typedef struct blend_options {
    cli_in_opts in;
    cli_list layers, over, add, set;
    const char *sequence, *machine, *name;
    double crossfade, seconds, rate;
    int64_t feather;
    int how;
    bool in_place, no_root, no_sync, no_lock, model_space, replace;
} blend_options;

/// A clip of the command line, on the character's skeleton.
typedef struct blend_clip {
    char *asked;    ///< as on the command line
    lmb_clip *clip; ///< of the character, or made
    bool made;      ///< owned by the list
} blend_clip;

/// The character and the clips that were asked for.
typedef struct blend_stage {
    cli_run *cli;
    const lmb_character *character;
    uint32_t clip_count;
    blend_clip *clips;
    uint32_t limb_count;
    lmb_limb_file **limbs; ///< files whose clips are played compressed
} blend_stage;

void blend_stage_end(blend_stage *stage);
/// The clip that a text names: one of the character's by name or index, a made motion, or a file
/// (FILE#CLIP for one that is not its first), put on the character where its skeleton is another.
cli_exit blend_stage_clip(blend_stage *stage, const char *text, const lmb_clip **out);
/// What a text names where that is compressed and of this very skeleton: "FILE.limb" or
/// "FILE.limb#CLIP". NULL: something else.
cli_exit blend_stage_packed(blend_stage *stage, const char *text, const lmb_packed_clip **out);

/// Bakes what the options say, with the layers or the machine that are given here.
cli_exit blend_bake(blend_stage *stage, const blend_options *opts, lmb_blend_bake_opts bake,
                    lmb_clip **out);
/// CLIP, CLIP:WEIGHT or CLIP:WEIGHT:MASK of --layer, --over and --add.
cli_exit blend_layers_run(blend_stage *stage, const blend_options *opts, lmb_clip **out);
/// --machine and --sequence.
cli_exit blend_machine_run(blend_stage *stage, const blend_options *opts, lmb_clip **out);

#endif
