#include "cli/info/report.h"

#include <stdlib.h>

static int64_t count_sets(const void *const *sets, int count)
{
    int64_t used = 0;
    for (int k = 0; k < count; ++k) {
        used += sets[k] != NULL;
    }
    return used;
}

static void json_mesh(cli_json *json, const lmb_mesh *mesh, const lmb_mesh_survey *survey)
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
    cli_json_integer(json, "roots", cli_info_roots(skeleton));
    cli_json_integer(json, "depth", cli_info_depth(skeleton));
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
        cli_json_integer(json, "keys_max", cli_info_keys(clip));
        cli_json_end(json, '}');
    }
    cli_json_end(json, ']');
}

static void json_body(cli_json *json, const info_report *r)
{
    if (!r->has_guess || !r->guess.humanoid) {
        cli_json_null(json, "body");
        return;
    }
    cli_json_begin(json, "body", '{');
    cli_json_bool(json, "humanoid", true);
    cli_json_text(json, "up", lmb_axis_name(r->guess.rest_up));
    if (cli_info_faces(&r->guess)) {
        cli_json_vec3(json, "facing", r->guess.facing);
    } else {
        cli_json_null(json, "facing");
    }
    cli_json_end(json, '}');
}

void cli_info_json(const info_report *r)
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
    const lmb_appearance *look = character->appearance;
    cli_json_integer(&json, "materials", look != NULL ? look->material_count : 0);
    cli_json_integer(&json, "textures", look != NULL ? look->texture_count : 0);
    cli_json_integer(&json, "images", look != NULL ? look->image_count : 0);
    cli_json_end(&json, '}');
}
