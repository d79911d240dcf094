/// Binds to a skeleton from a file, and reports it.
#include "cli/rig/rigging.h"
#include "cli/train/style.h"

#include <stdlib.h>
#include <string.h>

const char *const cli_weights_names[5] = {"heat", "nearest", "voxel", "bbw", "learned"};

static const char *const method_names[] = {"bone heat", "nearest bones", "voxel distances",
                                           "bounded biharmonic", "learned"};

/// What a mesh is bound to.
typedef struct source {
    lmb_character *file; ///< or NULL: a style's
    lmb_style *style;    ///< or NULL
    const lmb_skeleton *skeleton;
    uint8_t *deforms;  ///< owned
    uint8_t *holders;  ///< owned: nodes of the file's own meshes
    lmb_joint_map map; ///< of the skeleton
} source;

void cli_say_weights(const cli_run *cli, const lmb_weights_opts *opts,
                     const lmb_weights_report *report)
{
    if (report->kept_joint_count > 0) {
        cli_say(
            cli, "weights",
            "those of %u joints stay; %u new ones share with the joint above, by %s; those of %u "
            "that are gone went to the joint above",
            report->kept_joint_count, report->new_joint_count, method_names[opts->method],
            report->gone_joint_count);
        return;
    }
    const float height = report->height > 0 ? report->height : 1;
    cli_say(cli, "weights",
            "%s, %u influences, dropped weight %.2f%% on average, at most %.1f%%; moves %.2f%% of "
            "the height at most",
            method_names[opts->method], opts->influences ? opts->influences : 4u,
            100 * (double)report->lost_mean, 100 * (double)report->lost_max,
            100 * (double)(report->shift_max / height));
    if (report->triangle_soup_count > 0) {
        cli_say(cli, "", "%u vertices in crumbs: solved for with those welded that lie close",
                report->triangle_soup_count);
    }
    if (report->component_count > 1) {
        cli_say(cli, "",
                "%u pieces: %u rigid, %u bound under others, %u carried along, %u that see no bone",
                report->component_count, report->rigid_count, report->layer_count,
                report->inherited_count, report->unseen_count);
    }
    if (report->idle_joint_count > 0) {
        cli_say(cli, "", "%u of %u joints move nothing", report->idle_joint_count,
                report->joint_count);
    }
}

void cli_json_weights(cli_json *json, const lmb_weights_report *report)
{
    cli_json_begin(json, "weights", '{');
    cli_json_integer(json, "vertices", report->vertex_count);
    cli_json_integer(json, "joints", report->joint_count);
    if (report->kept_joint_count > 0) {
        cli_json_integer(json, "kept_joints", report->kept_joint_count);
        cli_json_integer(json, "new_joints", report->new_joint_count);
        cli_json_integer(json, "gone_joints", report->gone_joint_count);
    }
    cli_json_integer(json, "idle_joints", report->idle_joint_count);
    cli_json_integer(json, "pieces", report->component_count);
    cli_json_integer(json, "rigid", report->rigid_count);
    cli_json_integer(json, "layers", report->layer_count);
    cli_json_integer(json, "carried", report->inherited_count);
    cli_json_integer(json, "unseen", report->unseen_count);
    cli_json_integer(json, "soup_vertices", report->triangle_soup_count);
    cli_json_integer(json, "hidden_vertices", report->hidden_count);
    cli_json_integer(json, "base_vertices", report->base_count);
    cli_json_number(json, "dropped_mean", report->lost_mean);
    cli_json_number(json, "dropped_max", report->lost_max);
    cli_json_number(json, "shift_mean", report->shift_mean);
    cli_json_number(json, "shift_max", report->shift_max);
    cli_json_end(json, '}');
}

/// Joints that carry weight in the file's own meshes; without meshes those of its skins; without
/// skins all but the nodes that hold meshes, unless nearly all of them do.
static void find_deforming(const lmb_character *from, uint8_t *deforms)
{
    const uint32_t n = from->skeleton->joint_count;
    bool any = false;
    for (uint32_t i = 0; i < from->instance_count; ++i) {
        const lmb_instance *instance = &from->instances[i];
        const lmb_mesh *mesh = from->meshes[instance->mesh];
        const uint32_t count = instance->skin != LMB_NONE && mesh->influences.first
                                   ? mesh->influences.first[mesh->vertex_count]
                                   : 0;
        for (uint32_t k = 0; k < count; ++k) {
            deforms[from->skins[instance->skin]->joints[mesh->influences.items[k].joint]] = 1;
            any = true;
        }
    }
    for (uint32_t s = 0; !any && s < from->skin_count; ++s) {
        for (uint32_t k = 0; k < from->skins[s]->joint_count; ++k) {
            deforms[from->skins[s]->joints[k]] = 1;
        }
    }
    if (!any && from->skin_count == 0) {
        for (uint32_t j = 0; j < n; ++j) {
            deforms[j] = 1;
        }
        // A body of rigid parts has no joints but the nodes of the parts.
        const bool parts = n < 2 * from->instance_count + 2;
        for (uint32_t i = 0; i < from->instance_count && !parts; ++i) {
            deforms[from->instances[i].joint] = 0;
        }
    }
}

static uint32_t count_deforming(const uint8_t *deforms, uint32_t count)
{
    uint32_t sum = 0;
    for (uint32_t j = 0; j < count; ++j) {
        sum += deforms[j];
    }
    return sum;
}

static lmb_result embed(const lmb_surface *surface, const lmb_embed_opts *opts, bool human,
                        lmb_embedding *out, lmb_error *error)
{
    lmb_embed_opts adjusted = *opts;
    const bool any = adjusted.kind == LMB_SKELETON_AUTO;
    adjusted.kind = any && human ? LMB_SKELETON_HUMAN : adjusted.kind;
    lmb_result result = lmb_embed(surface->positions, surface->vertex_count, surface->triangles,
                                  surface->triangle_count, &adjusted, NULL, out, error);
    if (result == LMB_ERROR_UNSUPPORTED && any && human) {
        result = lmb_embed(surface->positions, surface->vertex_count, surface->triangles,
                           surface->triangle_count, opts, NULL, out, error);
    }
    return result;
}

/// Fits the skeleton into the mesh. *out stays NULL if the mesh must be rotated upright first.
static lmb_result fit_skeleton(const source *from, const cli_template *opts,
                               const lmb_surface *surface, bool upright,
                               cli_template_report *report, lmb_skeleton **out, lmb_error *error)
{
    const float enough = 0.5f;
    const bool human = from->map.confidence >= enough;
    lmb_embedding *e = &report->embedding;
    lmb_result result = embed(surface, &opts->embed, human, e, error);
    if (result != LMB_OK || (upright && e->up.y < 0.9999f)) {
        return result;
    }
    if (from->style) {
        lmb_style_place(from->style, e);
    }
    const lmb_skeleton_fit_opts fitting = {
        .map = human && e->kind == LMB_SKELETON_HUMAN ? &from->map : NULL};
    report->fitted = true;
    return lmb_skeleton_fit(from->skeleton, &fitting, e, NULL, out, &report->fit, error);
}

static void say_template(const cli_run *cli, const cli_template *opts, const source *from,
                         const cli_template_report *report)
{
    const uint32_t n = from->skeleton->joint_count, moving = count_deforming(from->deforms, n);
    const char *path = opts->path ? opts->path : opts->style;
    if (report->fitted) {
        const lmb_embedding *e = &report->embedding;
        cli_say(
            cli, "skeleton",
            "%s, fitted: %u joints placed, %u carried along, %u deform the mesh; %s, confidence "
            "%.2f: %s",
            path, report->fit.placed_count, report->fit.carried_count, moving,
            e->kind == LMB_SKELETON_HUMAN ? "humanoid" : lmb_skeleton_kind_name(e->kind),
            (double)e->overall, e->summary);
    } else {
        cli_say(cli, "skeleton",
                "%s, as it stands in the mesh: %u joints, %u of them deform the mesh", opts->path,
                n, moving);
    }
    cli_say_weights(cli, &opts->weights, &report->weights);
}

/// Binds with the style's model where one is wanted.
static lmb_result bind(lmb_character **character, const source *from, const lmb_skeleton *skeleton,
                       const cli_template *opts, cli_template_report *out, lmb_error *error)
{
    lmb_weights_model *model = NULL;
    lmb_bind_opts binding = {.skeleton = skeleton,
                             .deforms = from->deforms,
                             .dropped = from->holders,
                             .keep_weights = opts->keep_weights,
                             .weights = opts->weights};
    lmb_result result =
        from->style ? lmb_style_model_create(from->style, skeleton, NULL, &model, error) : LMB_OK;
    if (result == LMB_OK) {
        binding.weights.model = model;
        result = lmb_bind(character, &binding, &out->weights, NULL, error);
    }
    lmb_style_model_destroy(model);
    return result;
}

/// Fits where that is wanted, and binds.
static lmb_result place_and_bind(const cli_run *cli, lmb_character **character, const source *from,
                                 const cli_template *opts, bool upright, cli_template_report *out,
                                 lmb_error *error)
{
    lmb_surface *surface = NULL;
    lmb_skeleton *fitted = NULL;
    const bool own = opts->fit == 0 && opts->path && strcmp(opts->path, cli->inputs[0]) == 0;
    bool stands = opts->fit == 2 || own;
    lmb_result result = lmb_character_surface(*character, NULL, &surface, error);
    if (result == LMB_OK && opts->fit == 0 && from->file && !own) {
        result =
            lmb_skeleton_fits_mesh(from->skeleton, from->deforms, surface, NULL, &stands, error);
    }
    if (result == LMB_OK && !stands) {
        result = fit_skeleton(from, opts, surface, upright, out, &fitted, error);
    }
    lmb_surface_destroy(surface);
    if (result == LMB_OK && (stands || fitted)) {
        result = bind(character, from, fitted ? fitted : from->skeleton, opts, out, error);
        if (result == LMB_OK) {
            say_template(cli, opts, from, out);
        }
    }
    lmb_skeleton_destroy(fitted);
    return result;
}

/// Reads the file and the style that the options name.
static cli_exit read_source(cli_run *cli, const cli_template *opts, source *out)
{
    *out = (source){0};
    cli_exit code = opts->style ? cli_style_read(opts->style, &out->style) : CLI_DONE;
    if (code == CLI_DONE && opts->path) {
        code = cli_character_read(cli, opts->path, NULL, NULL, &out->file);
    }
    if (code != CLI_DONE) {
        return code;
    }
    out->skeleton = out->file ? out->file->skeleton : lmb_style_describe(out->style).skeleton;
    const uint32_t n = out->skeleton->joint_count;
    out->deforms = cli_resize(NULL, n, 1);
    memset(out->deforms, 0, n);
    out->holders = cli_resize(NULL, n, 1);
    memset(out->holders, 0, n);
    for (uint32_t i = 0; out->file && i < out->file->instance_count; ++i) {
        out->holders[out->file->instances[i].joint] = 1;
    }
    if (out->file) {
        find_deforming(out->file, out->deforms);
        out->map = cli_joint_map_of(out->file);
    } else {
        memcpy(out->deforms, lmb_style_describe(out->style).deforms, n);
        out->map = cli_joint_map(out->skeleton);
    }
    return CLI_DONE;
}

cli_exit cli_bind_to_file(cli_run *cli, lmb_character **character, const cli_template *opts,
                          bool upright, cli_template_report *out)
{
    source from;
    lmb_error error = {0};
    lmb_result result = LMB_OK;
    cli_exit code = read_source(cli, opts, &from);
    *out = (cli_template_report){0};
    if (code == CLI_DONE) {
        result = place_and_bind(cli, character, &from, opts, upright, out, &error);
    }
    if (result == LMB_ERROR_UNSUPPORTED) {
        code = cli_fail(
            cli, CLI_UNSUPPORTED, "%s with --skeleton %s: this is %s. It takes %s, or --fit never",
            cli->inputs[0], opts->path ? opts->path : opts->style, error.found, error.expected);
    } else if (result != LMB_OK) {
        code = cli_fail_call(cli, cli->inputs[0], result, &error);
    }
    free(from.deforms);
    free(from.holders);
    lmb_style_destroy(from.style);
    lmb_character_destroy(from.file);
    return code;
}
