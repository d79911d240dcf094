/// The fall of `limber simulate --ragdoll`: bodies, ground, drives, and measures per frame.
#ifndef LIMBER_CLI_SIMULATE_RAGDOLL_H
#define LIMBER_CLI_SIMULATE_RAGDOLL_H

#include "cli/simulate/ground.h"
#include "cli/simulate/simulate.h"

typedef struct simulate_push {
    uint32_t bone;
    lmb_vec3 impulse;
    double time_s;
} simulate_push;

/// Numbers of a frame, in the order of their tracks.
enum { FALL_KINETIC, FALL_SEPARATION, FALL_PENETRATION, FALL_EXCESS, FALL_ENERGY, FALL_TRACKS };

typedef struct simulate_fall {
    simulate_take take;
    lmb_ragdoll_plan plan;
    lmb_ragdoll *ragdoll;
    lmb_ragdoll_drive *drives; ///< [bone_count] from the release on
    simulate_push *pushes;
    uint32_t push_count;
    cli_ground ground;
    simulate_tracks tracks; ///< FALL_TRACKS of them
    simulate_return back;
    bool returns;
    double rest_s; ///< time since which all bodies rest; negative while one moves
} simulate_fall;

/// What --only, --strength and --push say.
cli_exit simulate_fall_drives(const cli_run *cli, simulate_fall *f);
/// Adds the hits to the pushes, whose items the caller frees then, and releases at the first.
cli_exit simulate_fall_hits(const cli_run *cli, cli_simulate_opts *opts, double *last_s);
/// What --hit means where other options do not say it: active joints, recovery after the last hit.
void simulate_fall_stagger(const cli_run *cli, const lmb_ragdoll_stagger *stagger, double last_s,
                           cli_simulate_opts *opts);
/// Simulates a character of a single rigid body from its release to the end.
cli_exit simulate_fall_rigid(cli_run *cli, simulate_fall *f, lmb_character **character);
/// The object that --json prints, begun with what every fall has.
cli_json simulate_fall_json(const cli_run *cli, const simulate_fall *f);
void simulate_fall_report(const cli_run *cli, const simulate_fall *f);

#endif
