#include "cli/info/report.h"

static const char *or_empty(const char *text)
{
    return text != NULL ? text : "";
}

/// stdout, because it is the result: a label in a column of its own, as on stderr.
static void print_label(const char *label)
{
    cli_print("%-14s ", label);
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static void print_mesh(const lmb_mesh *mesh, const lmb_mesh_survey *survey)
{
    char vertices[32], triangles[32];
    print_label("mesh");
    cli_print("\"%s\", %s vertices, %s triangle%s, %u primitive%s", or_empty(mesh->name),
              cli_grouped(mesh->vertex_count, vertices),
              cli_grouped(survey->triangle_count, triangles), plural(survey->triangle_count),
              mesh->primitive_count, plural(mesh->primitive_count));
    if (survey->has_surface) {
        cli_print(", %u component%s, %s", survey->component_count, plural(survey->component_count),
                  survey->crowded_edges > 0 ? "not manifold"
                                            : (survey->border_edges > 0 ? "open" : "closed"));
    }
    if (survey->line_count > 0 || survey->point_count > 0) {
        cli_print(", %u lines, %u points", survey->line_count, survey->point_count);
    }
    if (mesh->target_count > 0) {
        cli_print(", %u morph target%s", mesh->target_count, plural(mesh->target_count));
    }
    if (mesh->influences.first != NULL) {
        cli_print(", up to %u influences a vertex (%.2f on average)", survey->influences_max,
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

static void print_body(const info_report *r)
{
    char facing[48];
    if (r->has_guess && r->guess.humanoid) {
        print_label("body");
        cli_print("humanoid by its joint names, %s up", lmb_axis_name(r->guess.rest_up));
        if (cli_info_faces(&r->guess)) {
            cli_print(", faces %s", direction_name(r->guess.facing, facing));
        }
        putchar('\n');
    }
}

static void print_skeleton(const info_report *r)
{
    const lmb_skeleton *skeleton = r->character->skeleton;
    print_label("skeleton");
    cli_print("%u joint%s, %u root%s, %u deep\n", skeleton->joint_count,
              plural(skeleton->joint_count), cli_info_roots(skeleton),
              plural(cli_info_roots(skeleton)), cli_info_depth(skeleton));
    for (uint32_t j = 0; r->cli->verbose > 0 && j < skeleton->joint_count; ++j) {
        const int32_t parent = skeleton->parents[j];
        const lmb_vec3 t = skeleton->rest[j].translation;
        print_label("");
        cli_print("%4u %s, on %s, at %g %g %g\n", j, skeleton->names[j],
                  parent == LMB_NONE ? "nothing" : skeleton->names[parent], (double)t.x,
                  (double)t.y, (double)t.z);
    }
    for (uint32_t s = 0; s < r->character->skin_count; ++s) {
        const lmb_skin *skin = r->character->skins[s];
        print_label("skin");
        cli_print("\"%s\", %u joints%s\n", or_empty(skin->name), skin->joint_count,
                  skin->bind_was_missing ? ", without inverse bind matrices" : "");
    }
}

static void print_clip(const lmb_clip *clip, uint32_t index)
{
    char label[24];
    snprintf(label, sizeof(label), "clip %u", index);
    print_label(label);
    cli_print("\"%s\", %g s, %u channel%s, up to %u keys", or_empty(clip->name),
              (double)lmb_clip_duration_s(clip), clip->channel_count, plural(clip->channel_count),
              cli_info_keys(clip));
    if (clip->frame_rate > 0) {
        cli_print(", %g Hz", (double)clip->frame_rate);
    }
    putchar('\n');
}

void cli_info_text(const info_report *r)
{
    const lmb_character *character = r->character;
    char size[32];
    print_label("format");
    cli_print("%s, %s bytes\n", cli_format_name(r->source.format),
              cli_grouped(r->source.size, size));
    if (r->source.format == CLI_BVH) {
        print_label("conventions");
        cli_print("%g m a unit%s, %s up%s\n", (double)r->source.bvh.unit_m,
                  r->source.bvh.unit_guessed ? " (guessed)" : "", lmb_axis_name(r->source.bvh.up),
                  r->source.bvh.up_guessed ? " (guessed)" : "");
    }
    if (r->source.format == CLI_FBX) {
        const lmb_fbx_info *fbx = &r->source.fbx;
        print_label("conventions");
        cli_print("version %u %s, %g m a unit, %g Hz\n", (unsigned)fbx->version,
                  fbx->ascii ? "text" : "binary", (double)fbx->unit_m, (double)fbx->frame_rate);
    }
    if (r->has_box) {
        const lmb_vec3 low = r->box.low, high = r->box.high;
        print_label("bounds");
        cli_print("x %g to %g, y %g to %g, z %g to %g: %g tall\n", (double)low.x, (double)high.x,
                  (double)low.y, (double)high.y, (double)low.z, (double)high.z,
                  (double)(high.y - low.y));
    }
    for (uint32_t m = 0; m < character->mesh_count; ++m) {
        print_mesh(character->meshes[m], &r->surveys[m]);
    }
    if (character->instance_count != character->mesh_count) {
        print_label("instances");
        cli_print("%u\n", character->instance_count);
    }
    print_skeleton(r);
    print_body(r);
    for (uint32_t c = 0; c < character->clip_count; ++c) {
        print_clip(character->clips[c], c);
    }
    const lmb_appearance *look = character->appearance;
    if (look != NULL && look->material_count + look->image_count > 0) {
        print_label("look");
        cli_print("%u material%s, %u texture%s, %u picture%s\n", look->material_count,
                  plural(look->material_count), look->texture_count, plural(look->texture_count),
                  look->image_count, plural(look->image_count));
    }
}
