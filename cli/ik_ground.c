/// Made grounds for the feet of a clip: a ramp, or stairs.
#include "ik.h"
#include "legs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool ground_at(void *user, lmb_vec3 p, float *height, lmb_vec3 *normal)
{
    const ik_planting *g = user;
    const float in = p.z - g->begin;
    *normal = lmb_vec3_make(0, 1, 0);
    if (g->run > 0) {
        *height = g->flat + (in < 0 ? 0.0f : g->rise * (floorf(in / g->run) + 1.0f));
        return true;
    }
    *height = g->flat + (in > 0 ? g->slope * in : 0.0f);
    if (in > 0) {
        *normal = lmb_vec3_normalize_or(lmb_vec3_make(0, 1, -g->slope), *normal);
    }
    return true;
}

static bool read_ground(const char *text, ik_planting *out)
{
    char *end = NULL;
    if (strncmp(text, "slope:", 6) == 0) {
        const double degrees = strtod(text + 6, &end);
        out->slope = lmb_tan((float)degrees * LMB_PI / 180.0f);
        return end != text + 6 && *end == 0 && fabs(degrees) <= 45;
    }
    if (strncmp(text, "stairs:", 7) == 0) {
        out->rise = (float)strtod(text + 7, &end);
        if (end == text + 7 || *end != ',') {
            return false;
        }
        const char *run = end + 1;
        out->run = (float)strtod(run, &end);
        return end != run && *end == 0 && fabsf(out->rise) <= 1 && out->run >= 0.05f;
    }
    return false;
}

/// The lowest of the character as it rests: what it stands on.
static cli_exit find_floor(const cli_run *cli, const lmb_character *character, float *flat)
{
    cli_posed posed;
    const cli_exit code = cli_posed_start(&posed, cli, character);
    if (code == CLI_DONE) {
        cli_posed_at(&posed, cli, NULL, 0);
        *flat = posed.box.low.y;
        cli_posed_end(&posed);
    }
    return code;
}

cli_exit ik_planting_start(const cli_run *cli, const char *ground, const lmb_character *character,
                           ik_planting *out)
{
    *out = (ik_planting){.on = true, .begin = 0.5f};
    lmb_joint_map map;
    lmb_error error = {0};
    if (!read_ground(ground, out)) {
        return cli_fail(
            cli, CLI_USAGE,
            "--ground: expected slope:DEGREES or stairs:RISE,RUN in metres, found \"%s\"", ground);
    }
    const lmb_result result = lmb_joint_map_make(character->skeleton, NULL, &map, &error);
    if (result != LMB_OK) {
        return cli_fail_call(cli, "the joint map", result, &error);
    }
    static const int legs[2] = {LMB_SLOT_LEFT_UPPER_LEG, LMB_SLOT_RIGHT_UPPER_LEG};
    bool there = map.slots[LMB_SLOT_HIPS].joint >= 0;
    for (int k = 0; k < 6; ++k) {
        there = there && map.slots[legs[k / 3] + k % 3].joint >= 0;
    }
    if (!there) {
        return cli_fail(cli, CLI_UNSUPPORTED,
                        "not supported: --ground for %s, which has no hips and legs of a human",
                        cli->inputs[0]);
    }
    const cli_exit code = find_floor(cli, character, &out->flat);
    out->hips = (uint32_t)map.slots[LMB_SLOT_HIPS].joint;
    for (int k = 0; k < 2; ++k) {
        out->feet[k] = cli_plant_foot(character->skeleton, &map, legs[k], out->flat);
    }
    return code;
}

void ik_planting_step(ik_planting *planting, const lmb_skeleton *skeleton, float dt_s,
                      lmb_transform *pose)
{
    lmb_mat4 *model = cli_resize(NULL, skeleton->joint_count, sizeof *model);
    lmb_pose_to_model(
        &(lmb_pose_to_model_job){.skeleton = skeleton, .local = pose, .model_from_joint = model});
    lmb_ik_plant(&(lmb_ik_plant_job){.skeleton = skeleton,
                                     .local = pose,
                                     .model_from_joint = model,
                                     .hips = planting->hips,
                                     .foot_count = 2,
                                     .feet = planting->feet,
                                     .ground = {ground_at, planting},
                                     .flat = planting->flat,
                                     .dt_s = dt_s,
                                     .state = &planting->state});
    free(model);
}
