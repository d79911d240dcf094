#include "cli/cli.h"

#include "bodies/bodies.h"
#include "limber/procedural.h"

#include <stdlib.h>
#include <string.h>

typedef struct sample_options {
    const char *truth, *pose;
    int64_t triangles;
    int up;
    double yaw, scale;
    bool whole, bare, varied, rigged, together;
} sample_options;

#include "cli/sample.options.h"

enum { KINDS = 8 };

static const char *const kinds[KINDS] = {"humanoid", "quadruped", "bird",   "hand",
                                         "fish",     "snake",     "spider", "biped"};

static cli_exit read_kind(const cli_run *cli, lmb_made_body_opts *out)
{
    for (int k = 0; k < KINDS; ++k) {
        if (strcmp(cli->inputs[0], kinds[k]) == 0) {
            out->kind = (lmb_made_body_kind)k;
            return CLI_DONE;
        }
    }
    const char *nearest = cli_nearest(cli->inputs[0], kinds, KINDS);
    return cli_fail(cli, CLI_USAGE,
                    "cannot make \"%s\"; expected humanoid, quadruped, bird, hand, "
                    "fish, snake, spider or biped%s%s",
                    cli->inputs[0], nearest ? "; did you mean " : "", nearest ? nearest : "");
}

static cli_exit read_pose(const cli_run *cli, const char *pose, lmb_made_body_opts *out)
{
    static const char *const names[] = {"any", "t", "a", "down", "hips", "thighs"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; ++k) {
        if (pose == NULL || strcmp(pose, names[k]) == 0) {
            out->pose = (lmb_made_body_pose)k;
            return CLI_DONE;
        }
    }
    out->pose = LMB_MADE_POSE_A;
    char *end;
    const double degrees = strtod(pose, &end);
    if (end == pose || *end != 0 || !(degrees > 0.0 && degrees <= 85.0)) {
        return cli_fail(
            cli, CLI_USAGE,
            "--pose takes any, t, a, down, hips, thighs, or degrees below level up to 85, "
            "not \"%s\"",
            pose);
    }
    out->arm_angle_rad = (float)(degrees * 3.14159265358979 / 180.0);
    return CLI_DONE;
}

static cli_exit read_options(const cli_run *cli, const sample_options *given,
                             lmb_made_body_opts *out)
{
    cli_exit code = read_kind(cli, out);
    if (code == CLI_DONE) {
        code = read_pose(cli, given->pose, out);
    }
    if (code != CLI_DONE) {
        return code;
    }
    if (given->triangles != 0 && (given->triangles < 500 || given->triangles > 2000000)) {
        return cli_fail(cli, CLI_USAGE, "--triangles takes 500 to 2000000");
    }
    if (cli_given(cli, "scale") && !(given->scale > 0.0 && given->scale < 1e6)) {
        return cli_fail(cli, CLI_USAGE, "--scale takes a number above 0 and below 1e6");
    }
    out->seed = (uint64_t)cli->seed;
    out->triangle_count = (uint32_t)given->triangles;
    out->whole = given->whole;
    out->bare = given->bare;
    out->varied = given->varied;
    out->together = given->together;
    out->rigged = given->rigged;
    out->z_up = given->up == 1;
    out->yaw_rad = (float)(given->yaw * 3.14159265358979 / 180.0);
    out->scale = (float)given->scale;
    out->jobs = &cli->jobs;
    return CLI_DONE;
}

static void json_weights(cli_json *json, const lmb_made_body *body)
{
    cli_json_begin(json, "weights", '[');
    for (uint32_t v = 0; v < body->vertex_count; ++v) {
        cli_json_begin(json, NULL, '{');
        for (uint32_t i = body->weights.first[v]; i < body->weights.first[v + 1]; ++i) {
            char key[16];
            snprintf(key, sizeof key, "%u", body->weights.items[i].joint);
            cli_json_number(json, key, body->weights.items[i].weight);
        }
        cli_json_end(json, '}');
    }
    cli_json_end(json, ']');
}

static void json_joints(cli_json *json, const lmb_made_body *body)
{
    cli_json_begin(json, "joints", '[');
    for (uint32_t j = 0; j < body->joint_count; ++j) {
        cli_json_begin(json, NULL, '{');
        cli_json_text(json, "name", body->names[j]);
        if (body->parents[j] == LMB_NONE) {
            cli_json_null(json, "parent");
        } else {
            cli_json_text(json, "parent", body->names[body->parents[j]]);
        }
        cli_json_vec3(json, "position", body->positions[j]);
        cli_json_end(json, '}');
    }
    cli_json_end(json, ']');
}

static void json_truth(cli_json *json, const cli_run *cli, const lmb_made_body *body)
{
    cli_json_begin(json, NULL, '{');
    cli_json_text(json, "source", "limber sample");
    cli_json_text(json, "kind", cli->inputs[0]);
    cli_json_integer(json, "seed", cli->seed);
    cli_json_text(json, "pose", body->pose);
    cli_json_number(json, "arm_angle_degrees", body->arm_angle_rad * (180.0f / LMB_PI));
    cli_json_vec3(json, "up", body->up);
    cli_json_vec3(json, "facing", body->facing);
    cli_json_number(json, "unit_m", body->unit_m);
    cli_json_number(json, "height", body->height);
    cli_json_begin(json, "missing", '[');
    for (uint32_t k = 0; k < body->missing_count; ++k) {
        cli_json_text(json, NULL, body->missing[k]);
    }
    cli_json_end(json, ']');
    json_joints(json, body);
    json_weights(json, body);
    cli_json_end(json, '}');
}

static cli_exit write_truth(const cli_run *cli, const char *path, const lmb_made_body *body)
{
    char *text = NULL;
    size_t size = 0;
    cli_json json = {.file = open_memstream(&text, &size)};
    if (json.file == NULL) {
        return cli_fail(cli, CLI_FAILED, "out of memory");
    }
    json_truth(&json, cli, body);
    const bool failed = ferror(json.file) != 0;
    if (fclose(json.file) != 0 || failed) {
        free(text);
        return cli_fail(cli, CLI_FAILED, "out of memory");
    }
    const cli_exit code = cli_bytes_write(path, text, size);
    free(text);
    return code;
}

static void report_body(const cli_run *cli, const lmb_made_body *body)
{
    const lmb_mesh *mesh = body->character->meshes[0];
    cli_say(cli, kinds[0] == NULL ? "" : cli->inputs[0],
            "seed %lld, %s pose, %u vertices, %u triangles, %u joints, %.2f tall",
            (long long)cli->seed, body->pose, mesh->vertex_count, mesh->index_count / 3,
            body->joint_count, (double)body->height);
    if (body->missing_count > 0) {
        cli_say(cli, "missing", "%s%s", body->missing[0],
                body->missing_count > 1 ? " and what hangs on it or like it" : "");
    }
}

static cli_exit run_sample(cli_run *cli, const void *given)
{
    const sample_options *opts = given;
    lmb_made_body_opts body_opts = {0};
    cli_exit code = read_options(cli, opts, &body_opts);
    if (code != CLI_DONE) {
        return code;
    }
    lmb_made_body *body = NULL;
    lmb_error error = {0};
    const lmb_result result = lmb_made_body_create(&body_opts, NULL, &body, &error);
    if (result != LMB_OK) {
        return cli_fail_call(cli, "the body", result, &error);
    }
    code = cli_character_write(cli, cli->output, "obj", body->character);
    if (code == CLI_DONE && opts->truth != NULL) {
        code = write_truth(cli, opts->truth, body);
    }
    if (code == CLI_DONE) {
        report_body(cli, body);
        if (cli->json) {
            cli_json json = {.file = stdout};
            cli_json_begin(&json, NULL, '{');
            cli_json_text(&json, "kind", cli->inputs[0]);
            cli_json_text(&json, "pose", body->pose);
            cli_json_integer(&json, "vertices", body->character->meshes[0]->vertex_count);
            cli_json_integer(&json, "triangles", body->character->meshes[0]->index_count / 3);
            json_joints(&json, body);
            cli_json_end(&json, '}');
        }
    }
    lmb_made_body_destroy(body);
    return code;
}
