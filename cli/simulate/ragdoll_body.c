/// The bodies of `limber simulate --ragdoll`, and what they fall on.
#include "cli/simulate/ragdoll.h"

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

cli_exit simulate_fall_body(cli_run *cli, simulate_fall *f)
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
