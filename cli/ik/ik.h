/// Declarations of `limber ik`: goals of the command line, the character they are for, solvers with
/// one interface.
#ifndef LIMBER_CLI_IK_H
#define LIMBER_CLI_IK_H

#include "cli/posed.h"

typedef enum ik_solver {
    IK_FULL_BODY,
    IK_TWO_BONE,
    IK_CCD,
    IK_FABRIK,
    IK_JACOBIAN,
    IK_SOLVER_COUNT,
} ik_solver;

typedef struct ik_options {
    cli_in_opts in;
    cli_list targets, looks, keeps, turns;
    const char *clip, *root, *name, *ground;
    double time_s;
    int solver;
    bool no_limits, pinned, loose, compare;
    int64_t iterations;
} ik_options;

/// A character, what its joints are of a body, and its limits.
typedef struct ik_figure {
    const lmb_character *character;
    lmb_joint_map map;
    const lmb_joint_limit *limits; ///< NULL: none
    lmb_joint_limit *own_limits;
} ik_figure;

/// One goal, and its text for messages.
typedef struct ik_goal {
    lmb_goal goal;
    const char *text;
    bool kept; ///< added by the command: a foot kept while the hips move
} ik_goal;

typedef struct ik_task {
    ik_figure figure;
    uint32_t goal_count;
    ik_goal *goals;
    uint32_t root;
    bool pinned;
    ik_solver solver;
    uint32_t most; ///< iterations; 0: the solver's own
    void *scratch;
    size_t scratch_size;
} ik_task;

typedef struct ik_outcome {
    uint32_t iterations, limits_hit;
    float *left;      ///< [goal_count] model units or radians
    uint8_t *limited; ///< [joint_count]
} ik_outcome;

cli_exit ik_figure_start(const cli_run *cli, const lmb_character *character, bool no_limits,
                         ik_figure *out);
void ik_figure_end(ik_figure *figure);
/// The joint of that name or human bone; LMB_NONE.
int32_t ik_figure_joint(const ik_figure *figure, const char *name);

/// Reads the goals and chooses the root. `pose` is the one that kept goals keep.
cli_exit ik_task_start(const cli_run *cli, const ik_options *opts, const lmb_character *character,
                       const lmb_transform *pose, ik_task *out);
void ik_task_end(ik_task *task);
/// The goals alone, [goal_count], for the caller to free.
lmb_goal *ik_task_goals(const ik_task *task);
/// Sets the targets of --keep goals to their positions in this pose.
void ik_task_keep(ik_task *task, const lmb_transform *pose);
/// Rewrites the pose.
ik_outcome ik_task_solve(const ik_task *task, lmb_transform *pose);
void ik_outcome_free(ik_outcome *outcome);
/// What the task's solver lacks for its goals; NULL: nothing.
const char *ik_solver_lacks(const ik_task *task);
const char *ik_solver_name(ik_solver solver);

/// Feet of a human on made ground: "slope:DEGREES" or "stairs:RISE,RUN", in front of where it
/// begins, along its walking direction or "@DIR".
typedef struct ik_planting {
    bool on;
    float slope, rise, run, begin; ///< tangent; metres; metres; along the path
    lmb_vec3 from, direction;      ///< where the clip begins; level and unit
    bool is_met;                   ///< some foot has come to where it begins
    uint32_t hips;
    lmb_plant_foot feet[2];
    lmb_plant_state state;
    float flat;
} ik_planting;

cli_exit ik_planting_start(const cli_run *cli, const char *ground, const lmb_character *character,
                           const lmb_clip *clip, ik_planting *out);
/// The next frame, dt_s after the last.
void ik_planting_step(ik_planting *planting, const lmb_skeleton *skeleton, float dt_s,
                      lmb_transform *pose);

/// Every solver from the same pose, iteration by iteration: a table on stdout, a plot when there is
/// an output.
cli_exit ik_compare(cli_run *cli, ik_task *task, const lmb_transform *pose);

#endif
