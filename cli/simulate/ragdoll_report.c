/// The report of `limber simulate --ragdoll`.
#include "cli/simulate/ragdoll.h"

#include <math.h>

static void write_bones(cli_json *json, const simulate_fall *f)
{
    cli_json_begin(json, "bones", '[');
    for (uint32_t i = 0; i < f->plan.set->bone_count; ++i) {
        const lmb_ragdoll_bone *b = &f->plan.set->bones[i];
        cli_json_begin(json, NULL, '{');
        cli_json_text(json, "joint", f->take.skeleton->names[b->joint]);
        cli_json_number(json, "radius", b->radius);
        cli_json_number(json, "length", 2 * (b->half + b->radius));
        cli_json_number(json, "mass", b->mass);
        cli_json_number(json, "coverage", b->coverage);
        cli_json_end(json, '}');
    }
    cli_json_end(json, ']');
}

static void write_return(cli_json *json, const simulate_fall *f)
{
    if (f->back.transition != NULL) {
        cli_json_begin(json, "get_up", '{');
        cli_json_text(json, "lying", f->back.way.lying_name);
        cli_json_integer(json, "chosen", f->back.way.chosen);
        cli_json_text(json, "clip", f->back.clip->name);
        cli_json_number(json, "difference", f->back.way.difference_m);
        cli_json_end(json, '}');
    }
}

/// The height of the lowest capsule's underside as it ended.
static float lowest_of(const simulate_fall *f)
{
    float low = INFINITY;
    for (uint32_t i = 0; i < f->plan.set->bone_count; ++i) {
        const lmb_ragdoll_bone *b = &f->plan.set->bones[i];
        const lmb_rigid_state s = lmb_world_state(lmb_ragdoll_world(f->ragdoll), i);
        const lmb_vec3 along = lmb_quat_rotate(s.rotation, lmb_vec3_make(0, b->half, 0));
        low = fminf(low, s.position.y - fabsf(along.y) - b->radius);
    }
    return low;
}

cli_json simulate_fall_json(const cli_run *cli, const simulate_fall *f)
{
    cli_json json = {.file = stdout};
    cli_json_begin(&json, NULL, '{');
    cli_json_text(&json, "output", cli->output);
    cli_json_integer(&json, "frames", f->take.frame_count);
    cli_json_number(&json, "fps", (float)f->take.opts->fps);
    return json;
}

void simulate_fall_report(const cli_run *cli, const simulate_fall *f)
{
    const simulate_track *tracks = f->tracks.items;
    const float separation = simulate_track_most(&f->tracks, FALL_SEPARATION),
                penetration = simulate_track_most(&f->tracks, FALL_PENETRATION),
                excess = simulate_track_most(&f->tracks, FALL_EXCESS);
    const float height = f->plan.set->box.high.y - f->plan.set->box.low.y;
    float mass = 0;
    for (uint32_t i = 0; i < f->plan.set->bone_count; ++i) {
        mass += f->plan.set->bones[i].mass;
    }
    cli_say(cli, "ragdoll",
            "%u bodies, %.1f kg; joints at most %.2f mm apart, %.2f mm deep, %.1f degrees past a "
            "limit",
            (unsigned)f->plan.set->bone_count, (double)mass, 1e3 * (double)separation,
            1e3 * (double)penetration, (double)excess * 57.29577951308232);
    if (!cli->json) {
        return;
    }
    cli_json json = simulate_fall_json(cli, f);
    cli_json_bool(&json, "human", f->plan.is_human);
    cli_json_number(&json, "height", height);
    cli_json_number(&json, "mass", mass);
    cli_json_number(&json, "separation", separation);
    cli_json_number(&json, "separation_share", height > 0 ? separation / height : 0);
    cli_json_number(&json, "penetration", penetration);
    cli_json_number(&json, "excess_rad", excess);
    cli_json_number(&json, "most_kinetic", simulate_track_most(&f->tracks, FALL_KINETIC));
    cli_json_number(&json, "energy_end", tracks[FALL_ENERGY].values[f->take.frame_count - 1]);
    cli_json_number(&json, "lowest", lowest_of(f));
    if (f->rest_s < 0) {
        cli_json_null(&json, "rest_s");
    } else {
        cli_json_number(&json, "rest_s", (float)f->rest_s);
    }
    write_return(&json, f);
    write_bones(&json, f);
    simulate_tracks_write(&json, &f->tracks);
    cli_json_end(&json, '}');
}
