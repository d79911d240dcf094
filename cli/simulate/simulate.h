/// Declarations of all kinds of simulation: options, a clip sampled frame by frame, and a function
/// per kind.
#ifndef LIMBER_CLI_SIMULATE_H
#define LIMBER_CLI_SIMULATE_H

#include "cli/cli.h"

typedef struct cli_simulate_opts {
    cli_in_opts in;
    cli_list chains, sets, style, soft, strengths, only, pushes, hits;
    const char *clip, *name, *drivers, *gait, *ground, *ground_size, *plot, *get_up, *motion_up,
        *gaze, *spring_length, *soft_paint, *soft_file;
    double seconds, fps, speed, slope, turn, frequency, damping;
    double release_s, recover_s, strength_hz, balance, mass, breath, breath_hz, shift, drop;
    bool in_place, flesh, springs, ragdoll, keep_ground, idle;
} cli_simulate_opts;

/// The clip that --clip names, or NULL, and how many frames --seconds at --fps are.
cli_exit cli_simulate_frames(cli_run *cli, const cli_simulate_opts *opts,
                             const lmb_character *character, const lmb_clip **clip,
                             uint32_t *frame_count);

/// Time of the clip at a time of the simulation: clips repeat, and their end is not wrapped to 0.
double cli_simulate_time(const lmb_clip *clip, double time_s);

// Each kind makes a clip, puts it in front of the character's own, writes it, says what happened
// and, with --json, reports.

/// Runs the program of --drivers.
cli_exit cli_simulate_drivers(cli_run *cli, const cli_simulate_opts *opts,
                              lmb_character **character);
/// Makes the clip of --gait on the character's own skeleton.
cli_exit cli_simulate_gait(cli_run *cli, const cli_simulate_opts *opts, lmb_character **character);
/// One cycle of the gait as the character's first clip; nothing is written. `period_s` receives its
/// length.
cli_exit cli_simulate_gait_clip(cli_run *cli, const cli_simulate_opts *opts,
                                lmb_character **character, float *period_s);
/// Breath, weight and gaze over the clip.
cli_exit cli_simulate_idle(cli_run *cli, const cli_simulate_opts *opts, lmb_character **character);
/// Which joints are legs, trunk and neck: a human's by its joint map, any other by its shape.
cli_exit simulate_find_legs(const cli_run *cli, const lmb_character *character,
                            lmb_gait_body *body);
/// Bakes soft tissue to morph targets. The new clip replaces all others.
cli_exit cli_simulate_flesh(cli_run *cli, const cli_simulate_opts *opts, lmb_character **character);
cli_exit cli_simulate_springs(cli_run *cli, const cli_simulate_opts *opts,
                              lmb_character **character);
cli_exit cli_simulate_ragdoll(cli_run *cli, const cli_simulate_opts *opts,
                              lmb_character **character);

// ------------------------------------------------------------------------------------------- takes

/// A character's clip played from its first frame, and the frames that are made of it.
typedef struct simulate_take {
    const cli_simulate_opts *opts;
    const lmb_character *character;
    const lmb_skeleton *skeleton;
    const lmb_clip *clip; ///< NULL: the rest pose
    lmb_vec3 loop_way;    ///< horizontal travel of the clip's first moving joint per loop
    uint32_t frame_count;
    lmb_transform *poses;          ///< [frame_count][joint_count]
    lmb_mat4 *model;               ///< [joint_count] of the last pose sampled
    const struct cli_ground *kept; ///< a ground to write beside the character; or NULL
    /// bodies that carry what moves skin but hangs from none of them; or NULL
    const struct lmb_ragdoll_set *bodies;
} simulate_take;

cli_exit simulate_take_start(cli_run *cli, const cli_simulate_opts *opts,
                             const lmb_character *character, simulate_take *out);
/// The clip's pose and its model matrices. A repeated clip continues from
/// its end position: a jump back would accelerate whatever is simulated.
void simulate_take_sample(const simulate_take *take, double time_s, lmb_transform *pose);
/// Makes the clip and writes the character with it. Afterwards
/// `skeleton` of the take may be freed.
cli_exit simulate_take_write(cli_run *cli, const simulate_take *take, lmb_character **character);
void simulate_take_end(simulate_take *take);

// ------------------------------------------------------------------------------------------- back

enum { SIMULATE_MOST_CLIPS = 16 };

/// Transition from a ragdoll to a clip.
typedef struct simulate_return {
    const simulate_take *take;
    const lmb_clip *clips[SIMULATE_MOST_CLIPS]; ///< candidates
    lmb_clip *own[SIMULATE_MOST_CLIPS];         ///< those that are not the character's; else NULL
    uint32_t clip_count;
    const lmb_clip *clip; ///< the chosen
    lmb_get_up way;
    bool loops;
    double begin_s; ///< clip time at which the transition begins
    uint32_t hips;
    lmb_vec3 facing; ///< at rest
    const struct cli_ground *ground;
    float floor; ///< of the clips
    lmb_transition *transition;
} simulate_return;

/// The clips of a list of names, indices and files.
cli_exit simulate_return_clips(cli_run *cli, const char *list, simulate_return *back);
void simulate_return_end(simulate_return *back);
/// From the two frames before `frame`.
cli_exit simulate_return_start(const cli_run *cli, simulate_return *back, uint32_t frame);
/// The pose of a frame so much later.
void simulate_return_step(const simulate_return *back, double since_s, lmb_transform *pose);

// ------------------------------------------------------------------------------------------ tracks

enum { SIMULATE_TRACKS = 8, SIMULATE_CURVES = 4 };

/// A number of every frame, for --json and --plot.
typedef struct simulate_track {
    const char *name;  ///< in --json
    const char *label; ///< of its curve; NULL: none
    float scale;       ///< the label's unit per the value's
    float *values;     ///< [frame_count] of the tracks, 0 until they are set
} simulate_track;

typedef struct simulate_tracks {
    simulate_track items[SIMULATE_TRACKS];
    uint32_t count, frame_count;
    double fps;
} simulate_tracks;

simulate_tracks simulate_tracks_start(uint32_t frame_count, double fps);
/// Returns its values.
float *simulate_track_add(simulate_tracks *tracks, const char *name, const char *label,
                          float scale);
float simulate_track_most(const simulate_tracks *tracks, uint32_t index);
/// As "moments": an array a track, and one of times.
void simulate_tracks_write(cli_json *json, const simulate_tracks *tracks);
/// The first SIMULATE_CURVES with a label, in green, red, blue and violet, all logarithmic; says
/// which is which.
cli_exit simulate_tracks_plot(const cli_run *cli, const char *path, const simulate_tracks *tracks);
void simulate_tracks_end(simulate_tracks *tracks);

#endif
