/// The bodies of `limber simulate --ragdoll`, and what they fall on.
#include "cli/simulate/ragdoll.h"

/// Whether the head is above the hips by a fifth of the height or more: animals have both bones too.
static bool stands(const simulate_fall *f)
{
    const simulate_take *t = &f->take;
    const int32_t hips = f->map.bones[LMB_HUMAN_HIPS].joint,
                  head = f->map.bones[LMB_HUMAN_HEAD].joint;
    if (hips == LMB_NONE || head == LMB_NONE) {
        return false;
    }
    lmb_pose_to_model(
        &(lmb_pose_to_model_job){.skeleton = t->skeleton, .model_from_joint = t->model});
    lmb_box box = lmb_box_empty();
    for (uint32_t j = 0; j < t->skeleton->joint_count; ++j) {
        box = lmb_box_add(box, lmb_mat4_translation(t->model[j]));
    }
    return t->model[head].m[13] - t->model[hips].m[13] > 0.2f * (box.high.y - box.low.y);
}

static cli_exit find_limits(const cli_run *cli, simulate_fall *f)
{
    const lmb_skeleton *skeleton = f->take.skeleton;
    lmb_error error = {0};
    lmb_result result = lmb_joint_map_make(skeleton, NULL, &f->map, &error);
    f->human = result == LMB_OK && f->map.confidence > 0.7f && stands(f);
    if (f->human && skeleton->limits == NULL) {
        f->limits = cli_resize(NULL, skeleton->joint_count, sizeof *f->limits);
        result = lmb_joint_map_limits(&f->map, skeleton, NULL, f->limits, &error);
    }
    return result == LMB_OK ? CLI_DONE : cli_fail_call(cli, "the joints", result, &error);
}

static cli_exit make_set(const cli_run *cli, simulate_fall *f)
{
    uint32_t joints[LMB_HUMAN_BONE_COUNT];
    const cli_simulate_opts *opts = f->take.opts;
    lmb_ragdoll_opts want = {.limits = f->limits, .mass = (float)opts->mass};
    if (f->human) {
        want.joint_count = lmb_ragdoll_human_joints(&f->map, joints);
        want.joints = joints;
    }
    lmb_error error = {0};
    lmb_result result = lmb_ragdoll_set_make(f->take.character, &want, NULL, &f->set, &error);
    if (result == LMB_OK && f->human && !cli_given(cli, "mass")) {
        const float height = (f->set->box.high.y - f->set->box.low.y) / 1.75f;
        want.mass = 70 * height * height * height;
        lmb_ragdoll_set_destroy(f->set);
        f->set = NULL;
        result = lmb_ragdoll_set_make(f->take.character, &want, NULL, &f->set, &error);
    }
    return result == LMB_OK ? CLI_DONE : cli_fail_call(cli, "the bodies", result, &error);
}

static cli_exit find_ground(cli_run *cli, simulate_fall *f)
{
    const simulate_take *t = &f->take;
    simulate_take_sample(t, t->opts->release_s, t->poses);
    const lmb_vec3 hips = lmb_mat4_translation(t->model[f->set->bones[0].joint]);
    return cli_ground_start(cli,
                            &(cli_ground_opts){.ground = t->opts->ground,
                                               .size = t->opts->ground_size,
                                               .floor = f->set->box.low.y - (float)t->opts->drop,
                                               .middle = hips},
                            &f->ground);
}

cli_exit simulate_fall_body(cli_run *cli, simulate_fall *f)
{
    cli_exit code = find_limits(cli, f);
    if (code == CLI_DONE) {
        code = make_set(cli, f);
    }
    if (code == CLI_DONE) {
        code = find_ground(cli, f);
    }
    if (code != CLI_DONE) {
        return code;
    }
    lmb_error error = {0};
    const lmb_ragdoll_scene scene = {.gravity = {0, -9.81f, 0},
                                     .shapes = &f->ground.shape,
                                     .shape_count = f->ground.is_there,
                                     .friction = 0.8f,
                                     .joint_friction = 0.15f};
    const lmb_result result =
        lmb_ragdoll_create(f->set, f->take.skeleton, &scene, NULL, &f->ragdoll, &error);
    return result == LMB_OK ? CLI_DONE : cli_fail_call(cli, "the bodies", result, &error);
}
