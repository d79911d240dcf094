/// Generated grounds for the feet of a clip: a ramp or stairs.
#include "cli/ik/ik.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// Hips that move no farther than this, metres, do not travel.
#define IN_PLACE 0.25f

static bool ground_at(void *user, lmb_vec3 p, float *height, lmb_vec3 *normal)
{
    const ik_planting *g = user;
    const lmb_vec3 up = {0, 1, 0};
    const float in = lmb_vec3_dot(lmb_vec3_sub(p, g->from), g->direction) - g->begin;
    *normal = up;
    if (g->run > 0) {
        *height = g->flat + (in < 0 ? 0.0f : g->rise * (floorf(in / g->run) + 1.0f));
        return true;
    }
    *height = g->flat + (in > 0 ? g->slope * in : 0.0f);
    if (in > 0) {
        *normal = lmb_vec3_normalize_or(lmb_vec3_mad(up, g->direction, -g->slope), up);
    }
    return true;
}

/// A direction of the ground, the zero vector for none.
static bool read_direction(const char *text, lmb_vec3 *direction)
{
    static const struct {
        const char *name;
        lmb_vec3 direction;
    } directions[] = {{"+x", {1, 0, 0}}, {"x", {1, 0, 0}}, {"-x", {-1, 0, 0}},
                      {"+z", {0, 0, 1}}, {"z", {0, 0, 1}}, {"-z", {0, 0, -1}}};
    for (size_t k = 0; k < sizeof directions / sizeof *directions; ++k) {
        if (strcmp(text, directions[k].name) == 0) {
            *direction = directions[k].direction;
            return true;
        }
    }
    char *end = NULL;
    const double degrees = strtod(text, &end);
    const float angle = (float)degrees * LMB_PI / 180.0f;
    *direction = lmb_vec3_make(lmb_sin(angle), 0, lmb_cos(angle));
    return end != text && *end == 0 && fabs(degrees) <= 360;
}

static bool read_ground(const char *text, ik_planting *out)
{
    char *end = NULL;
    bool fine = false;
    if (strncmp(text, "slope:", 6) == 0) {
        const double degrees = strtod(text + 6, &end);
        out->slope = lmb_tan((float)degrees * LMB_PI / 180.0f);
        fine = end != text + 6 && fabs(degrees) <= 45;
    } else if (strncmp(text, "stairs:", 7) == 0) {
        out->rise = (float)strtod(text + 7, &end);
        if (end == text + 7 || *end != ',') {
            return false;
        }
        const char *run = end + 1;
        out->run = (float)strtod(run, &end);
        fine = end != run && fabsf(out->rise) <= 1 && out->run >= 0.05f;
    }
    return fine && (*end == 0 || (*end == '@' && read_direction(end + 1, &out->direction)));
}

// ------------------------------------------------------------------------------------- the path

/// The hips at a time of the clip.
static lmb_transform hips_at(const lmb_character *character, const lmb_clip *clip, double time_s,
                             uint32_t hips)
{
    const lmb_skeleton *skeleton = character->skeleton;
    lmb_transform *pose = cli_resize(NULL, skeleton->joint_count, sizeof *pose), t;
    lmb_sample(&(lmb_sample_job){.clip = clip,
                                 .time_s = time_s,
                                 .joint_count = skeleton->joint_count,
                                 .rest = skeleton->rest,
                                 .pose = pose});
    t = pose[hips];
    for (int32_t j = skeleton->parents[hips]; j >= 0; j = skeleton->parents[j]) {
        t = lmb_transform_mul(pose[j], t);
    }
    free(pose);
    return t;
}

/// Horizontal direction from the hips' start to their farthest position; the initial facing for a
/// clip that does not travel.
static lmb_vec3 travel_direction(const lmb_character *character, const lmb_joint_map *map,
                                 const lmb_clip *clip, uint32_t hips)
{
    enum { LOOKED_AT = 64 };
    const double step_s = (double)lmb_clip_duration_s(clip) / LOOKED_AT;
    const lmb_transform first = hips_at(character, clip, 0, hips);
    lmb_vec3 best = {0, 0, 0};
    for (int k = 1; k <= LOOKED_AT; ++k) {
        lmb_vec3 direction =
            lmb_vec3_sub(hips_at(character, clip, k * step_s, hips).translation, first.translation);
        direction.y = 0;
        best = lmb_vec3_length(direction) > lmb_vec3_length(best) ? direction : best;
    }
    lmb_transform rest = character->skeleton->rest[hips];
    for (int32_t j = character->skeleton->parents[hips]; j >= 0;
         j = character->skeleton->parents[j]) {
        rest = lmb_transform_mul(character->skeleton->rest[j], rest);
    }
    const lmb_vec3 facing = lmb_joint_map_facing(map, character->skeleton);
    if (!(lmb_vec3_length(best) > IN_PLACE)) {
        const lmb_quat rotation = lmb_quat_mul(first.rotation, lmb_quat_conjugate(rest.rotation));
        best = lmb_quat_rotate(rotation, facing);
        best.y = 0;
    }
    return lmb_vec3_normalize_or(best, facing);
}

/// Lowest height of the rest pose, which is the ground.
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
                           const lmb_clip *clip, ik_planting *out)
{
    *out = (ik_planting){.on = true, .begin = 0.5f};
    lmb_joint_map map;
    lmb_error error = {0};
    if (!read_ground(ground, out)) {
        return cli_fail(
            cli, CLI_USAGE,
            "--ground: expected slope:DEGREES or stairs:RISE,RUN in metres, and @DIR as +x, -z or "
            "degrees, found \"%s\"",
            ground);
    }
    const lmb_result result = lmb_joint_map_make(character->skeleton, NULL, &map, &error);
    if (result != LMB_OK) {
        return cli_fail_call(cli, "the joint map", result, &error);
    }
    static const int legs[2] = {LMB_HUMAN_LEFT_UPPER_LEG, LMB_HUMAN_RIGHT_UPPER_LEG};
    bool there = map.bones[LMB_HUMAN_HIPS].joint >= 0;
    for (int k = 0; k < 6; ++k) {
        there = there && map.bones[legs[k / 3] + k % 3].joint >= 0;
    }
    if (!there) {
        return cli_fail(cli, CLI_UNSUPPORTED,
                        "not supported: --ground for %s, which has no hips and legs of a human",
                        cli->inputs[0]);
    }
    const cli_exit code = find_floor(cli, character, &out->flat);
    out->hips = (uint32_t)map.bones[LMB_HUMAN_HIPS].joint;
    out->from = hips_at(character, clip, 0, out->hips).translation;
    if (!(lmb_vec3_length(out->direction) > 0)) {
        out->direction = travel_direction(character, &map, clip, out->hips);
    }
    for (int k = 0; k < 2; ++k) {
        out->feet[k] =
            lmb_plant_foot_of_leg(character->skeleton, &map, (lmb_human_bone)legs[k], out->flat);
    }
    return code;
}

void ik_planting_step(ik_planting *planting, const lmb_skeleton *skeleton, float dt_s,
                      lmb_transform *pose)
{
    lmb_mat4 *model = cli_resize(NULL, skeleton->joint_count, sizeof *model);
    lmb_pose_to_model(
        &(lmb_pose_to_model_job){.skeleton = skeleton, .local = pose, .model_from_joint = model});
    for (int k = 0; k < 2; ++k) {
        const lmb_vec3 toe = lmb_mat4_point(model[planting->feet[k].foot], planting->feet[k].toe);
        planting->is_met = planting->is_met || lmb_vec3_dot(lmb_vec3_sub(toe, planting->from),
                                                            planting->direction) > planting->begin;
    }
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
