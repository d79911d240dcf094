#include "limb.h"
#include "markers.h"
#include "posed.h"
#include "survey.h"

#include <stdlib.h>
#include <string.h>

typedef struct info_options {
    cli_in_opts in;
    bool clips;
} info_options;

static const cli_option options[] = {
    {"clips", 0, CLI_FLAG, offsetof(info_options, clips), NULL,
     "only the clips: duration, rate, size, error of compressed ones, joints moved, loop gap"},
    CLI_IN_OPTIONS(info_options),
    CLI_END,
};

typedef struct report {
    cli_run *cli;
    const char *path;
    const lmb_character *character;
    cli_source source;
    cli_mesh_survey *surveys; ///< [mesh_count]
    lmb_box box;              ///< at rest, in world space
    bool has_box;
    lmb_motion_guess guess; ///< of the skeleton at rest
    bool has_guess;
} report;

static const char *or_empty(const char *text)
{
    return text != NULL ? text : "";
}

static uint32_t root_count(const lmb_skeleton *skeleton)
{
    uint32_t count = 0;
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        count += skeleton->parents[j] == LMB_NONE;
    }
    return count;
}

/// Joints on the longest way from a root to a leaf.
static uint32_t depth_of(const lmb_skeleton *skeleton)
{
    uint32_t *depths = cli_resize(NULL, skeleton->joint_count, sizeof(*depths)), deepest = 0;
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        depths[j] = skeleton->parents[j] == LMB_NONE ? 1 : depths[skeleton->parents[j]] + 1;
        deepest = depths[j] > deepest ? depths[j] : deepest;
    }
    free(depths);
    return deepest;
}

static uint32_t most_keys(const lmb_clip *clip)
{
    uint32_t most = 0;
    for (uint32_t c = 0; c < clip->channel_count; ++c) {
        most = clip->channels[c].key_count > most ? clip->channels[c].key_count : most;
    }
    return most;
}

// ------------------------------------------------------------------------------------------- text

/// stdout, because it is the result: a label in a column of its own, as on stderr.
static void print_label(const char *label)
{
    printf("%-14s ", label);
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static void print_mesh(const lmb_mesh *mesh, const cli_mesh_survey *survey)
{
    char vertices[32], triangles[32];
    print_label("mesh");
    printf("\"%s\", %s vertices, %s triangle%s, %u primitive%s", or_empty(mesh->name),
           cli_grouped(mesh->vertex_count, vertices),
           cli_grouped(survey->triangle_count, triangles), plural(survey->triangle_count),
           mesh->primitive_count, plural(mesh->primitive_count));
    if (survey->has_surface) {
        printf(", %u component%s, %s", survey->component_count, plural(survey->component_count),
               survey->crowded_edges > 0 ? "not manifold"
                                         : (survey->border_edges > 0 ? "open" : "closed"));
    }
    if (survey->line_count > 0 || survey->point_count > 0) {
        printf(", %u lines, %u points", survey->line_count, survey->point_count);
    }
    if (mesh->target_count > 0) {
        printf(", %u morph target%s", mesh->target_count, plural(mesh->target_count));
    }
    if (mesh->influences.first != NULL) {
        printf(", up to %u influences a vertex (%.2f on average)", survey->influences_max,
               survey->influences_mean);
    }
    putchar('\n');
}

/// "+Z" for a direction along an axis, else its components.
static const char *direction_name(lmb_vec3 d, char text[48])
{
    const float parts[3] = {d.x, d.y, d.z};
    for (int i = 0; i < 3; ++i) {
        if (parts[i] > 0.9f || parts[i] < -0.9f) {
            snprintf(text, 48, "%c%c", parts[i] > 0 ? '+' : '-', "XYZ"[i]);
            return text;
        }
    }
    snprintf(text, 48, "%.2f %.2f %.2f", (double)d.x, (double)d.y, (double)d.z);
    return text;
}

static bool has_facing(const lmb_motion_guess *guess)
{
    return lmb_vec3_dot(guess->facing, guess->facing) > 0.5f;
}

static void print_body(const report *r)
{
    char facing[48];
    if (r->has_guess && r->guess.humanoid) {
        print_label("body");
        printf("humanoid by its joint names, %s up", lmb_axis_name(r->guess.rest_up));
        if (has_facing(&r->guess)) {
            printf(", faces %s", direction_name(r->guess.facing, facing));
        }
        putchar('\n');
    }
}

static void print_skeleton(const report *r)
{
    const lmb_skeleton *skeleton = r->character->skeleton;
    print_label("skeleton");
    printf("%u joint%s, %u root%s, %u deep\n", skeleton->joint_count, plural(skeleton->joint_count),
           root_count(skeleton), plural(root_count(skeleton)), depth_of(skeleton));
    for (uint32_t j = 0; r->cli->verbose > 0 && j < skeleton->joint_count; ++j) {
        const int32_t parent = skeleton->parents[j];
        const lmb_vec3 t = skeleton->rest[j].translation;
        print_label("");
        printf("%4u %s, on %s, at %g %g %g\n", j, skeleton->names[j],
               parent == LMB_NONE ? "nothing" : skeleton->names[parent], (double)t.x, (double)t.y,
               (double)t.z);
    }
    for (uint32_t s = 0; s < r->character->skin_count; ++s) {
        const lmb_skin *skin = r->character->skins[s];
        print_label("skin");
        printf("\"%s\", %u joints%s\n", or_empty(skin->name), skin->joint_count,
               skin->bind_was_missing ? ", without inverse bind matrices" : "");
    }
}

static void print_clip(const lmb_clip *clip, uint32_t index)
{
    char label[24];
    snprintf(label, sizeof(label), "clip %u", index);
    print_label(label);
    printf("\"%s\", %g s, %u channel%s, up to %u keys", or_empty(clip->name),
           (double)lmb_clip_duration_s(clip), clip->channel_count, plural(clip->channel_count),
           most_keys(clip));
    if (clip->frame_rate > 0) {
        printf(", %g Hz", (double)clip->frame_rate);
    }
    putchar('\n');
}

static void print_text(const report *r)
{
    const lmb_character *character = r->character;
    char size[32];
    print_label("format");
    printf("%s, %s bytes\n", cli_format_name(r->source.format), cli_grouped(r->source.size, size));
    if (r->source.format == CLI_BVH) {
        print_label("conventions");
        printf("%g m a unit%s, %s up%s\n", (double)r->source.bvh.unit_m,
               r->source.bvh.unit_guessed ? " (guessed)" : "", lmb_axis_name(r->source.bvh.up),
               r->source.bvh.up_guessed ? " (guessed)" : "");
    }
    if (r->source.format == CLI_FBX) {
        const lmb_fbx_info *fbx = &r->source.fbx;
        print_label("conventions");
        printf("version %u %s, %g m a unit, %g Hz\n", (unsigned)fbx->version,
               fbx->ascii ? "text" : "binary", (double)fbx->unit_m, (double)fbx->frame_rate);
    }
    if (r->has_box) {
        const lmb_vec3 low = r->box.low, high = r->box.high;
        print_label("bounds");
        printf("x %g to %g, y %g to %g, z %g to %g: %g tall\n", (double)low.x, (double)high.x,
               (double)low.y, (double)high.y, (double)low.z, (double)high.z,
               (double)(high.y - low.y));
    }
    for (uint32_t m = 0; m < character->mesh_count; ++m) {
        print_mesh(character->meshes[m], &r->surveys[m]);
    }
    if (character->instance_count != character->mesh_count) {
        print_label("instances");
        printf("%u\n", character->instance_count);
    }
    print_skeleton(r);
    print_body(r);
    for (uint32_t c = 0; c < character->clip_count; ++c) {
        print_clip(character->clips[c], c);
    }
    const lmb_look *look = character->look;
    if (look != NULL && look->material_count + look->image_count > 0) {
        print_label("look");
        printf("%u material%s, %u texture%s, %u picture%s\n", look->material_count,
               plural(look->material_count), look->texture_count, plural(look->texture_count),
               look->image_count, plural(look->image_count));
    }
}

// ------------------------------------------------------------------------------------------- JSON

static int64_t count_sets(const void *const *sets, int count)
{
    int64_t used = 0;
    for (int k = 0; k < count; ++k) {
        used += sets[k] != NULL;
    }
    return used;
}

static void json_mesh(cli_json *json, const lmb_mesh *mesh, const cli_mesh_survey *survey)
{
    const void *uvs[LMB_UV_SETS], *colors[LMB_COLOR_SETS];
    for (int k = 0; k < LMB_UV_SETS; ++k) {
        uvs[k] = mesh->uvs[k];
    }
    for (int k = 0; k < LMB_COLOR_SETS; ++k) {
        colors[k] = mesh->colors[k];
    }
    cli_json_begin(json, NULL, '{');
    cli_json_text(json, "name", mesh->name);
    cli_json_integer(json, "vertices", mesh->vertex_count);
    cli_json_integer(json, "triangles", survey->triangle_count);
    cli_json_integer(json, "lines", survey->line_count);
    cli_json_integer(json, "points", survey->point_count);
    cli_json_integer(json, "primitives", mesh->primitive_count);
    cli_json_integer(json, "polygons", mesh->polygon_count);
    if (survey->has_surface) {
        cli_json_integer(json, "positions", survey->position_count);
        cli_json_integer(json, "components", survey->component_count);
        cli_json_integer(json, "border_edges", survey->border_edges);
        cli_json_integer(json, "crowded_edges", survey->crowded_edges);
        cli_json_bool(json, "closed", survey->border_edges == 0 && survey->crowded_edges == 0);
    }
    cli_json_bool(json, "normals", mesh->normals != NULL);
    cli_json_bool(json, "tangents", mesh->tangents != NULL);
    cli_json_integer(json, "uv_sets", count_sets(uvs, LMB_UV_SETS));
    cli_json_integer(json, "color_sets", count_sets(colors, LMB_COLOR_SETS));
    cli_json_integer(json, "morph_targets", mesh->target_count);
    if (mesh->influences.first != NULL) {
        cli_json_integer(json, "influences_max", survey->influences_max);
        cli_json_number(json, "influences_mean", (float)survey->influences_mean);
        cli_json_integer(json, "vertices_without_weight", survey->unweighted_count);
    }
    cli_json_end(json, '}');
}

static void json_skeleton(cli_json *json, const lmb_skeleton *skeleton)
{
    lmb_mat4 *model = cli_resize(NULL, skeleton->joint_count, sizeof(*model));
    lmb_pose_to_model(&(lmb_pose_to_model_job){.skeleton = skeleton, .model_from_joint = model});
    cli_json_begin(json, "skeleton", '{');
    cli_json_integer(json, "roots", root_count(skeleton));
    cli_json_integer(json, "depth", depth_of(skeleton));
    cli_json_begin(json, "joints", '[');
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        cli_json_begin(json, NULL, '{');
        cli_json_text(json, "name", skeleton->names[j]);
        cli_json_integer(json, "parent", skeleton->parents[j]);
        cli_json_vec3(json, "position", lmb_mat4_translation(model[j]));
        cli_json_end(json, '}');
    }
    cli_json_end(json, ']');
    cli_json_end(json, '}');
    free(model);
}

static void json_skins(cli_json *json, const lmb_character *character)
{
    cli_json_begin(json, "skins", '[');
    for (uint32_t s = 0; s < character->skin_count; ++s) {
        cli_json_begin(json, NULL, '{');
        cli_json_text(json, "name", character->skins[s]->name);
        cli_json_integer(json, "joints", character->skins[s]->joint_count);
        cli_json_bool(json, "bind_matrices", !character->skins[s]->bind_was_missing);
        cli_json_end(json, '}');
    }
    cli_json_end(json, ']');
}

static void json_clips(cli_json *json, const lmb_character *character)
{
    cli_json_begin(json, "clips", '[');
    for (uint32_t c = 0; c < character->clip_count; ++c) {
        const lmb_clip *clip = character->clips[c];
        cli_json_begin(json, NULL, '{');
        cli_json_text(json, "name", clip->name);
        cli_json_number(json, "duration_s", lmb_clip_duration_s(clip));
        cli_json_number(json, "frame_rate", clip->frame_rate);
        cli_json_number(json, "ticks_per_s", clip->ticks_per_s);
        cli_json_integer(json, "channels", clip->channel_count);
        cli_json_integer(json, "keys_max", most_keys(clip));
        cli_json_end(json, '}');
    }
    cli_json_end(json, ']');
}

static void json_body(cli_json *json, const report *r)
{
    if (!r->has_guess || !r->guess.humanoid) {
        cli_json_null(json, "body");
        return;
    }
    cli_json_begin(json, "body", '{');
    cli_json_bool(json, "humanoid", true);
    cli_json_text(json, "up", lmb_axis_name(r->guess.rest_up));
    if (has_facing(&r->guess)) {
        cli_json_vec3(json, "facing", r->guess.facing);
    } else {
        cli_json_null(json, "facing");
    }
    cli_json_end(json, '}');
}

static void print_json(const report *r)
{
    const lmb_character *character = r->character;
    cli_json json = {.file = stdout};
    cli_json_begin(&json, NULL, '{');
    cli_json_text(&json, "file", r->path);
    cli_json_text(&json, "format", cli_format_name(r->source.format));
    cli_json_integer(&json, "bytes", (int64_t)r->source.size);
    if (r->source.format == CLI_BVH) {
        cli_json_number(&json, "unit_m", r->source.bvh.unit_m);
        cli_json_bool(&json, "unit_guessed", r->source.bvh.unit_guessed);
        cli_json_text(&json, "up", lmb_axis_name(r->source.bvh.up));
        cli_json_bool(&json, "up_guessed", r->source.bvh.up_guessed);
    }
    if (r->source.format == CLI_FBX) {
        cli_json_integer(&json, "version", r->source.fbx.version);
        cli_json_bool(&json, "text", r->source.fbx.ascii);
        cli_json_number(&json, "unit_m", r->source.fbx.unit_m);
    }
    if (r->has_box) {
        cli_json_begin(&json, "bounds", '{');
        cli_json_vec3(&json, "low", r->box.low);
        cli_json_vec3(&json, "high", r->box.high);
        cli_json_end(&json, '}');
    }
    cli_json_begin(&json, "meshes", '[');
    for (uint32_t m = 0; m < character->mesh_count; ++m) {
        json_mesh(&json, character->meshes[m], &r->surveys[m]);
    }
    cli_json_end(&json, ']');
    cli_json_integer(&json, "instances", character->instance_count);
    json_skeleton(&json, character->skeleton);
    json_body(&json, r);
    json_skins(&json, character);
    json_clips(&json, character);
    const lmb_look *look = character->look;
    cli_json_integer(&json, "materials", look != NULL ? look->material_count : 0);
    cli_json_integer(&json, "textures", look != NULL ? look->texture_count : 0);
    cli_json_integer(&json, "images", look != NULL ? look->image_count : 0);
    cli_json_end(&json, '}');
}

// ---------------------------------------------------------------------------------------- running

/// Bounds as a viewer shows the rest pose.
static cli_exit measure(report *r)
{
    cli_posed posed;
    const cli_exit code = cli_posed_start(&posed, r->cli, r->character);
    if (code == CLI_DONE) {
        cli_posed_at(&posed, r->cli, NULL, 0);
        r->box = posed.box;
        r->has_box = r->box.low.x <= r->box.high.x;
        cli_posed_end(&posed);
    }
    return code;
}

static cli_exit survey(report *r)
{
    cli_exit code = measure(r);
    lmb_error error = {0};
    if (r->character->skeleton->joint_count > 1) {
        const lmb_result result =
            lmb_motion_guess_make(r->character->skeleton, NULL, NULL, &r->guess, &error);
        r->has_guess = result == LMB_OK;
    }
    for (uint32_t m = 0; code == CLI_DONE && m < r->character->mesh_count; ++m) {
        code = cli_mesh_survey_make(r->cli, r->character->meshes[m], &r->surveys[m]);
    }
    return code;
}

static cli_exit report_character(report *r, const info_options *opts, lmb_character *character)
{
    if (opts->clips) {
        return cli_clips_print(r->cli, r->path, character, r->source.format == CLI_LIMB);
    }
    r->character = character;
    r->surveys = cli_resize(NULL, character->mesh_count, sizeof(*r->surveys));
    const cli_exit code = survey(r);
    if (code == CLI_DONE) {
        if (r->cli->json) {
            print_json(r);
        } else {
            print_text(r);
        }
    }
    free(r->surveys);
    return code;
}

static cli_exit run(cli_run *cli, const void *given)
{
    const info_options *opts = given;
    report r = {.cli = cli, .path = cli->inputs[0]};
    cli_read_opts in;
    cli_bytes bytes;
    cli_exit code = cli_in_read(cli, &opts->in, &in);
    if (code == CLI_DONE) {
        code = cli_bytes_read(r.path, &bytes);
    }
    if (code != CLI_DONE) {
        return code;
    }
    r.source.format = bytes.size > 0 ? cli_format_of(r.path, bytes) : CLI_UNKNOWN;
    r.source.size = bytes.size;
    if (cli_format_is_markers(r.source.format)) {
        lmb_markers *markers = NULL;
        code = cli_markers_parse(cli, r.path, bytes, &in, &r.source, &markers);
        if (code == CLI_DONE) {
            cli_markers_print(cli, r.path, markers, &r.source);
        }
        lmb_markers_destroy(markers);
    } else {
        lmb_character *character = NULL;
        code = cli_character_parse(cli, r.path, bytes, &in, &r.source, &character);
        if (code == CLI_DONE) {
            code = report_character(&r, opts, character);
        }
        lmb_character_destroy(character);
    }
    free(bytes.data);
    return code;
}

const cli_command cli_command_info = {
    .name = "info",
    .arguments = "FILE",
    .summary =
        "Says what is in a file: meshes, skeleton, skins, clips, bounds, markers. With -v, every "
        "joint and marker.",
    .min_inputs = 1,
    .max_inputs = 1,
    .options = options,
    .options_size = sizeof(info_options),
    .run = run,
};
