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

/// The character, its clips and its legs.
typedef struct blend_stage {
    cli_run *cli;
    const lmb_character *character;
    uint32_t clip_count;
    blend_clip *clips;
    int32_t root, left_foot, right_foot;     ///< LMB_NONE where they are not known
    uint32_t leg_count;                      ///< 0 where they are not known
    uint32_t hips;                           ///< where there are legs
    lmb_foot_lock_leg legs[LMB_PLANT_FEET];  ///< left, right, from behind to the front
    lmb_machine_foot feet[LMB_MACHINE_FEET]; ///< of those
    uint32_t weight_count;                   ///< morph weights of the character
    uint32_t *weight_first;                  ///< as lmb_character_weights has it
    float *rest_weights;
    uint32_t limb_count;
    lmb_limb_file **limbs; ///< files whose clips are played compressed
} blend_stage;

void blend_stage_start(cli_run *cli, const lmb_character *character, blend_stage *out);
void blend_stage_end(blend_stage *stage);
/// The clip that a text names: one of the character's by name or index, a made motion, or a file
/// (FILE#CLIP for one that is not its first), put on the character where its skeleton is another.
cli_exit blend_stage_clip(blend_stage *stage, const char *text, const lmb_clip **out);

/// What a text names where that is compressed and of this very skeleton: "FILE.limb" or
/// "FILE.limb#CLIP". NULL: something else.
cli_exit blend_stage_packed(blend_stage *stage, const char *text, const lmb_packed_clip **out);

// ------------------------------------------------------------------------------------------- feet

/// Foot contacts of one blended frame: the summed weight of clips in which each foot is planted, and
/// the lowest heights of its ball and tip.
typedef struct blend_foot_contacts {
    float planted[LMB_PLANT_FEET];
    float floors[LMB_PLANT_FEET][2];
} blend_foot_contacts;

/// Foot contacts and floor heights of one clip.
typedef struct blend_steps {
    lmb_contacts *contacts[LMB_PLANT_FEET], *tips[LMB_PLANT_FEET];
} blend_steps;

/// Finds the legs that the character stands on; for bodies other than humans also the feet whose
/// phase is synchronised and the joint that carries the body.
void blend_legs_find(blend_stage *stage);
lmb_result blend_steps_learn(const blend_stage *stage, const lmb_clip *clip, blend_steps *out,
                             lmb_error *error);
void blend_steps_end(blend_steps *steps);
/// Adds the foot contacts of a clip at a time, times `fraction`.
void blend_steps_add(const blend_stage *stage, const blend_steps *steps, double time_s,
                     float fraction, blend_foot_contacts *contacts_now);

// ----------------------------------------------------------------------------------------- frames

/// Frames of a result.
typedef struct blend_frames {
    uint32_t count;
    lmb_transform *poses;         ///< [count][joint_count]
    float *weights;               ///< [count][weight_count]
    blend_foot_contacts *stances; ///< [count]
    bool as_recorded;             ///< one clip alone, whose feet are not corrected
} blend_frames;

/// Allocates frames for `seconds` at the rate of --rate.
void blend_frames_start(const blend_stage *stage, const blend_options *opts, double seconds,
                        blend_frames *out);
void blend_frames_end(blend_frames *frames);
/// The clip of these frames, morph weights with it.
cli_exit blend_frames_clip(const blend_stage *stage, const blend_options *opts,
                           const blend_frames *frames, lmb_clip **out);
/// Pins planted feet by IK. Returns the number of frames with a pinned foot.
uint32_t blend_frames_hold(const blend_stage *stage, const blend_options *opts,
                           blend_frames *frames);

/// CLIP, CLIP:WEIGHT or CLIP:WEIGHT:MASK of --layer, --over and --add.
cli_exit blend_layers_run(blend_stage *stage, const blend_options *opts, blend_frames *out);
/// --machine and --sequence.
cli_exit blend_machine_run(blend_stage *stage, const blend_options *opts, blend_frames *out);

#endif
