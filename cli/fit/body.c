/// `limber fit --body`: shape and poses of a body model in scans of one person.
#include "cli/bake/body_model.h"
#include "cli/fit/fit.h"
#include "cli/posed.h"

#include <stdlib.h>
#include <string.h>

/// The surfaces of the scans, and what is known of their joints.
typedef struct body_session {
    const fit_options *opts;
    lmb_body_model *model;
    uint32_t scan_count;
    lmb_body_scan *scans;
    lmb_surface **surfaces;
    lmb_vec3 **positions; ///< of those that are registered
    lmb_vec3 **joints;    ///< of the others
    uint8_t **has_joint;
    lmb_body_motion *motion;
    lmb_fit_body_report report;
} body_session;

static void session_end(body_session *s)
{
    for (uint32_t k = 0; k < s->scan_count; ++k) {
        lmb_surface_destroy(s->surfaces[k]);
        free(s->positions[k]);
        free(s->joints[k]);
        free(s->has_joint[k]);
    }
    free(s->scans);
    free(s->surfaces);
    free(s->positions);
    free(s->joints);
    free(s->has_joint);
    lmb_body_motion_destroy(s->motion);
    lmb_body_model_destroy(s->model);
}

/// The file's own positions, where they are as many as the model's and so are its triangles.
static bool take_registered(body_session *s, const lmb_character *character,
                            const lmb_deformed *first)
{
    const lmb_mesh *mesh = character->meshes[character->instances[0].mesh];
    const uint32_t n = s->model->vertex_count;
    uint32_t count = 0;
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        const uint32_t to = mesh->source_position ? mesh->source_position[v] : v;
        count = to >= count ? to + 1 : count;
    }
    if (character->instance_count != 1 || count != n ||
        mesh->index_count != s->model->index_count) {
        return false;
    }
    for (uint32_t k = 0; k < mesh->index_count; ++k) {
        const uint32_t v = mesh->indices[k];
        if ((mesh->source_position ? mesh->source_position[v] : v) != s->model->indices[k]) {
            return false;
        }
    }
    lmb_vec3 *positions = cli_resize(NULL, n, sizeof *positions);
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        positions[mesh->source_position ? mesh->source_position[v] : v] = first->positions[v];
    }
    s->positions[s->scan_count] = positions;
    s->scans[s->scan_count] =
        (lmb_body_scan){.vertex_count = n, .positions = positions, .registered = true};
    return true;
}

static cli_exit find_joints(cli_run *cli, body_session *s, const char *path)
{
    lmb_body_scan *scan = &s->scans[s->scan_count];
    lmb_vec3 *joints = cli_resize(NULL, s->model->joint_count, sizeof *joints);
    uint8_t *has = cli_resize(NULL, s->model->joint_count, 1);
    uint32_t count = 0;
    lmb_error error = {0};
    const lmb_result result =
        lmb_body_scan_joints(s->model, scan, &cli->jobs, NULL, joints, has, &count, &error);
    scan->joints = s->joints[s->scan_count] = joints;
    scan->has_joint = s->has_joint[s->scan_count] = has;
    if (result != LMB_OK) {
        return cli_fail_call(cli, path, result, &error);
    }
    cli_say(cli, path, "%u vertices, %u triangles; %u of %u joints found in it", scan->vertex_count,
            scan->index_count / 3, count, s->model->joint_count);
    return CLI_DONE;
}

/// All meshes of the scan as one surface.
static cli_exit take_surface(cli_run *cli, body_session *s, const cli_posed *posed,
                             const char *path)
{
    const lmb_character *c = posed->character;
    lmb_surface_part *parts = cli_resize(NULL, c->instance_count, sizeof *parts);
    for (uint32_t i = 0; i < c->instance_count; ++i) {
        const lmb_mesh *mesh = c->meshes[c->instances[i].mesh];
        parts[i] =
            (lmb_surface_part){.positions = lmb_deformer_instance(posed->deformer, i).positions,
                               .vertex_count = mesh->vertex_count,
                               .indices = mesh->indices,
                               .index_count = mesh->index_count};
    }
    lmb_error error = {0};
    lmb_surface *surface = NULL;
    const lmb_result result =
        lmb_surface_create(parts, c->instance_count, NULL, NULL, &surface, &error);
    free(parts);
    if (result != LMB_OK) {
        return cli_fail_call(cli, path, result, &error);
    }
    s->surfaces[s->scan_count] = surface;
    s->scans[s->scan_count] = (lmb_body_scan){.vertex_count = surface->vertex_count,
                                              .index_count = 3 * surface->triangle_count,
                                              .positions = surface->positions,
                                              .indices = surface->triangles};
    return find_joints(cli, s, path);
}

static cli_exit read_scan(cli_run *cli, body_session *s, const cli_read_opts *in, const char *path)
{
    lmb_character *character = NULL;
    cli_posed posed = {0};
    cli_exit code = cli_character_read(cli, path, in, NULL, &character);
    if (code == CLI_DONE && character->instance_count == 0) {
        code = cli_fail(cli, CLI_INPUT, "%s: expected a mesh, found none", path);
    }
    if (code == CLI_DONE) {
        code = cli_posed_start(&posed, cli, character);
    }
    if (code == CLI_DONE) {
        cli_posed_at(&posed, cli, NULL, 0);
        const lmb_deformed first = lmb_deformer_instance(posed.deformer, 0);
        if (take_registered(s, character, &first)) {
            cli_say(cli, path, "the model's own vertices");
        } else {
            code = take_surface(cli, s, &posed, path);
        }
        ++s->scan_count;
        cli_posed_end(&posed);
    }
    lmb_character_destroy(character);
    return code;
}

static cli_exit write_motion(const cli_run *cli, const body_session *s)
{
    lmb_buffer bytes = {0};
    lmb_error error = {0};
    const lmb_result result = lmb_body_motion_write(s->motion, NULL, &bytes, &error);
    if (result != LMB_OK) {
        return cli_fail_call(cli, cli->output, result, &error);
    }
    const cli_exit code = cli_bytes_write(cli->output, bytes.data, bytes.size);
    lmb_buffer_free(&bytes);
    return code;
}

static cli_exit write_character(cli_run *cli, const body_session *s)
{
    const lmb_body_character_opts opts = {
        .motion = s->motion, .model_from_motion = lmb_quat_identity(), .jobs = &cli->jobs};
    lmb_character *character = NULL;
    lmb_error error = {0};
    const lmb_result result =
        lmb_body_character_create(s->model, &opts, NULL, &character, NULL, &error);
    if (result != LMB_OK) {
        return cli_fail_call(cli, cli->output, result, &error);
    }
    const cli_exit code = cli_character_write(cli, cli->output, "glb", character);
    lmb_character_destroy(character);
    return code;
}

static void print(const cli_run *cli, const body_session *s)
{
    cli_json json = {.file = stdout};
    cli_json_begin(&json, NULL, '{');
    cli_json_text(&json, "output", cli->output);
    cli_json_integer(&json, "scans", s->scan_count);
    cli_json_number(&json, "rms_m", s->report.rms_m);
    cli_json_number(&json, "max_m", s->report.max_m);
    cli_json_text(&json, "worst_scan", cli->inputs[s->report.worst_scan]);
    cli_json_number(&json, "worst_scan_rms_m", s->report.worst_scan_rms_m);
    cli_json_begin(&json, "betas", '[');
    for (uint32_t k = 0; k < s->motion->shape_count; ++k) {
        cli_json_number(&json, NULL, s->motion->shape[k]);
    }
    cli_json_end(&json, ']');
    cli_json_end(&json, '}');
}

static cli_exit solve(cli_run *cli, body_session *s)
{
    const lmb_fit_body_opts how = {.shape_count = (uint32_t)s->opts->shapes,
                                   .frame_rate = (float)s->opts->rate,
                                   .jobs = &cli->jobs,
                                   .progress = cli->progress_or_null};
    lmb_error error = {0};
    const lmb_result result =
        lmb_fit_body(s->model, s->scans, s->scan_count, &how, NULL, &s->motion, &s->report, &error);
    cli_progress_end(cli);
    if (result != LMB_OK) {
        return cli_fail_call(cli, cli->inputs[0], result, &error);
    }
    cli_say(cli, "fit", "%.2f mm rms, %.2f mm at most", 1000 * (double)s->report.rms_m,
            1000 * (double)s->report.max_m);
    if (s->scan_count > 1) {
        cli_detail(cli, cli->inputs[s->report.worst_scan], "the worst, %.2f mm rms",
                   1000 * (double)s->report.worst_scan_rms_m);
    }
    return CLI_DONE;
}

cli_exit fit_body(cli_run *cli, const fit_options *opts, const cli_read_opts *in)
{
    const size_t count = (size_t)cli->input_count;
    body_session s = {.opts = opts};
    if (opts->shapes < 0 || opts->shapes > 1000) {
        return cli_fail(cli, CLI_USAGE, "--shapes: expected 0 to 1000, found %lld",
                        (long long)opts->shapes);
    }
    s.scans = cli_resize(NULL, count, sizeof *s.scans);
    s.surfaces = cli_resize(NULL, count, sizeof(lmb_surface *));
    s.positions = cli_resize(NULL, count, sizeof(lmb_vec3 *));
    s.joints = cli_resize(NULL, count, sizeof(lmb_vec3 *));
    s.has_joint = cli_resize(NULL, count, sizeof(uint8_t *));
    for (size_t k = 0; k < count; ++k) {
        s.surfaces[k] = NULL;
        s.positions[k] = s.joints[k] = NULL;
        s.has_joint[k] = NULL;
        s.scans[k] = (lmb_body_scan){0};
    }
    cli_exit code = cli_body_model_read(opts->body, NULL, &s.model);
    for (size_t k = 0; code == CLI_DONE && k < count; ++k) {
        code = read_scan(cli, &s, in, cli->inputs[k]);
    }
    code = code == CLI_DONE ? solve(cli, &s) : code;
    if (code == CLI_DONE) {
        code = cli_has_extension(cli->output, ".npz") ? write_motion(cli, &s)
                                                      : write_character(cli, &s);
    }
    if (code == CLI_DONE && cli->json) {
        print(cli, &s);
    }
    session_end(&s);
    return code;
}
