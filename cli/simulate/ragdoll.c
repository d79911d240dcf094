/// `limber simulate --ragdoll`: a clip moves the body until it is released.
#include "cli/simulate/ragdoll.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static cli_exit find_ground(cli_run *cli, simulate_fall *f)
{
    const simulate_take *t = &f->take;
    simulate_take_sample(t, t->opts->release_s, t->poses);
    const lmb_vec3 hips = lmb_mat4_translation(t->model[f->plan.set->bones[0].joint]);
    return cli_ground_start(
        cli,
        &(cli_ground_opts){.ground = t->opts->ground,
                           .size = t->opts->ground_size,
                           .floor = f->plan.set->box.low.y - (float)t->opts->drop,
                           .middle = hips},
        &f->ground);
}

/// Bodies and ground from the character and the options.
static cli_exit make_bodies(cli_run *cli, simulate_fall *f)
{
    const simulate_take *t = &f->take;
    lmb_error error = {0};
    lmb_result result =
        lmb_ragdoll_plan_make(t->character, (float)t->opts->mass, NULL, &f->plan, &error);
    if (result != LMB_OK) {
        return cli_fail_call(cli, "the bodies", result, &error);
    }
    const cli_exit code = find_ground(cli, f);
    if (code != CLI_DONE) {
        return code;
    }
    f->plan.scene.shapes = &f->ground.shape;
    f->plan.scene.shape_count = f->ground.is_there;
    result =
        lmb_ragdoll_create(f->plan.set, t->skeleton, &f->plan.scene, NULL, &f->ragdoll, &error);
    return result == LMB_OK ? CLI_DONE : cli_fail_call(cli, "the bodies", result, &error);
}

static void release(simulate_fall *f, double time_s, const lmb_transform *pose)
{
    const simulate_take *t = &f->take;
    const double dt = 1 / t->opts->fps;
    lmb_transform *before = NULL;
    if (t->clip != NULL && time_s >= dt) {
        before = cli_resize(NULL, t->skeleton->joint_count, sizeof *before);
        simulate_take_sample(t, time_s - dt, before);
    }
    lmb_ragdoll_set_pose(&(lmb_ragdoll_set_pose_job){
        .ragdoll = f->ragdoll, .local = pose, .before = before, .dt_s = (float)dt});
    free(before);
    for (uint32_t i = 0; i < f->plan.set->bone_count; ++i) {
        lmb_ragdoll_set_drive(f->ragdoll, i, &f->drives[i]);
    }
    lmb_ragdoll_set_balance(f->ragdoll, (float)t->opts->balance, 3);
}

static void blow(simulate_fall *f, double from_s, double to_s)
{
    lmb_world *world = lmb_ragdoll_world(f->ragdoll);
    for (uint32_t k = 0; k < f->push_count; ++k) {
        if (f->pushes[k].time_s >= from_s && f->pushes[k].time_s < to_s) {
            lmb_world_push(world, f->pushes[k].bone, f->pushes[k].impulse,
                           lmb_world_state(world, f->pushes[k].bone).position);
        }
    }
}

static void note(simulate_fall *f, uint32_t frame)
{
    lmb_world_report r;
    lmb_world_measure(lmb_ragdoll_world(f->ragdoll), &r);
    const float time_s = (float)(frame / f->take.opts->fps);
    const float values[FALL_TRACKS] = {[FALL_KINETIC] = (float)r.kinetic,
                                       [FALL_SEPARATION] = r.separation,
                                       [FALL_PENETRATION] = r.penetration,
                                       [FALL_EXCESS] = r.excess_rad,
                                       [FALL_ENERGY] = (float)(r.kinetic + r.potential)};
    for (int k = 0; k < FALL_TRACKS; ++k) {
        f->tracks.items[k].values[frame] = values[k];
    }
    const bool rests = r.asleep_count == f->plan.set->bone_count;
    f->rest_s = !rests ? -1 : (f->rest_s < 0 ? (double)time_s : f->rest_s);
}

/// Chooses the clip to recover to, and the time in it.
static cli_exit find_return(cli_run *cli, simulate_fall *f)
{
    const simulate_take *t = &f->take;
    const cli_simulate_opts *opts = t->opts;
    f->returns = cli_given(cli, "recover") || opts->recover_s > 0;
    if (!f->returns) {
        return opts->get_up == NULL ? CLI_DONE
                                    : cli_fail(cli, CLI_USAGE, "--get-up is for --recover");
    }
    if (!(opts->recover_s > opts->release_s)) {
        return cli_fail(cli, CLI_USAGE, "expected --recover later than --release");
    }
    f->back = (simulate_return){.take = t,
                                .loops = opts->get_up == NULL,
                                .begin_s = opts->get_up == NULL ? opts->recover_s : 0,
                                .hips = f->plan.set->bones[0].joint,
                                .facing = f->plan.is_human
                                              ? lmb_joint_map_facing(&f->plan.map, t->skeleton)
                                              : lmb_vec3_make(0, 0, 1),
                                .ground = &f->ground,
                                .floor = f->plan.set->box.low.y};
    if (opts->get_up != NULL) {
        return simulate_return_clips(cli, opts->get_up, &f->back);
    }
    if (t->clip == NULL) {
        return cli_fail(cli, CLI_USAGE, "--recover: expected --clip or --get-up to go on with");
    }
    f->back.clips[f->back.clip_count++] = t->clip;
    return CLI_DONE;
}

/// Simulates one frame after the release and stores its pose.
static void fall_on(simulate_fall *f, uint32_t k, bool first, lmb_transform *pose)
{
    const simulate_take *t = &f->take;
    const double dt = 1 / t->opts->fps, time_s = k * dt;
    if (first) {
        release(f, time_s, pose);
    }
    lmb_ragdoll_step(&(lmb_ragdoll_step_job){.ragdoll = f->ragdoll,
                                             .local = pose,
                                             .model_from_joint = t->model,
                                             .dt_s = first ? 0.0f : (float)dt,
                                             .weight = 1});
    note(f, k);
    blow(f, first ? 0 : time_s - 1e-9, time_s + dt - 1e-9);
}

static cli_exit run_frames(const cli_run *cli, simulate_fall *f)
{
    const simulate_take *t = &f->take;
    const uint32_t n = t->skeleton->joint_count;
    const double dt = 1 / t->opts->fps;
    bool loose = false;
    for (uint32_t k = 0; k < t->frame_count; ++k) {
        lmb_transform *pose = t->poses + (size_t)k * n;
        const double time_s = k * dt;
        simulate_take_sample(t, time_s, pose);
        if (f->returns && loose && time_s >= t->opts->recover_s - 1e-9) {
            if (f->back.transition == NULL) {
                const cli_exit code = simulate_return_start(cli, &f->back, k);
                if (code != CLI_DONE) {
                    return code;
                }
            }
            simulate_return_step(&f->back, time_s - t->opts->recover_s, pose);
        } else if (time_s >= t->opts->release_s - 1e-9) {
            fall_on(f, k, !loose, pose);
            loose = true;
        }
    }
    return CLI_DONE;
}

static void add_tracks(simulate_fall *f)
{
    f->tracks = simulate_tracks_start(f->take.frame_count, f->take.opts->fps);
    simulate_track_add(&f->tracks, "kinetic", "joules that move", 1);
    simulate_track_add(&f->tracks, "separation", "joints apart in mm", 1e3f);
    simulate_track_add(&f->tracks, "penetration", "contacts deep in mm", 1e3f);
    simulate_track_add(&f->tracks, "excess_rad", "degrees past a limit", 57.29578f);
    simulate_track_add(&f->tracks, "energy", NULL, 1);
}

static cli_exit check_numbers(const cli_run *cli, const cli_simulate_opts *opts)
{
    const bool fine =
        opts->release_s >= 0 && opts->mass >= 0 && opts->balance >= 0 && opts->drop >= 0;
    return fine ? CLI_DONE
                : cli_fail(cli, CLI_USAGE,
                           "expected --release, --mass, --balance and --drop of 0 or more");
}

static cli_exit simulate_body(cli_run *cli, simulate_fall *f, const cli_simulate_opts *opts,
                              lmb_character **character)
{
    cli_exit code = simulate_fall_drives(cli, f);
    add_tracks(f);
    if (code == CLI_DONE && f->plan.set->bone_count == 1) {
        return simulate_fall_rigid(cli, f, character);
    }
    if (code == CLI_DONE) {
        code = find_return(cli, f);
    }
    if (code != CLI_DONE) {
        return code;
    }
    code = run_frames(cli, f);
    f->take.kept = opts->keep_ground ? &f->ground : NULL;
    f->take.bodies = f->plan.set;
    if (code == CLI_DONE) {
        code = simulate_take_write(cli, &f->take, character);
    }
    f->take.skeleton = (*character)->skeleton;
    if (code == CLI_DONE && opts->plot != NULL) {
        code = simulate_tracks_plot(cli, opts->plot, &f->tracks);
    }
    if (code == CLI_DONE) {
        simulate_fall_report(cli, f);
    }
    return code;
}

cli_exit cli_simulate_ragdoll(cli_run *cli, const cli_simulate_opts *given,
                              lmb_character **character)
{
    simulate_fall f = {.rest_s = -1};
    cli_simulate_opts opts = *given;
    const bool hit = opts.hits.count > 0;
    double last_hit_s = 0;
    cli_exit code = hit ? simulate_fall_hits(cli, &opts, &last_hit_s) : CLI_DONE;
    if (code == CLI_DONE) {
        code = simulate_take_start(cli, &opts, *character, &f.take);
    }
    if (code == CLI_DONE) {
        code = check_numbers(cli, &opts);
    }
    if (code == CLI_DONE) {
        code = make_bodies(cli, &f);
    }
    if (code == CLI_DONE) {
        if (hit) {
            simulate_fall_stagger(cli, &f.plan.stagger, last_hit_s, &opts);
        }
        code = simulate_body(cli, &f, &opts, character);
    }
    cli_ground_end(&f.ground);
    simulate_return_end(&f.back);
    lmb_ragdoll_destroy(f.ragdoll);
    lmb_ragdoll_set_destroy(f.plan.set);
    free(f.drives);
    free(f.pushes);
    simulate_tracks_end(&f.tracks);
    simulate_take_end(&f.take);
    if (hit && opts.pushes.items != given->pushes.items) {
        free(opts.pushes.items);
    }
    return code;
}
