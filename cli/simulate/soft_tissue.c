/// simulate --flesh: skin that swings and keeps its volume, baked to morph targets that play with
/// the clip.
#include "cli/simulate/soft_tissue.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEPS_HZ 60.0
#define MOST_TARGET_VERTICES 2e7

static void pose_at(const soft_tissue_bake *b, double time_s, lmb_transform *pose)
{
    const lmb_skeleton *skeleton = b->character->skeleton;
    memcpy(pose, skeleton->rest, skeleton->joint_count * sizeof *pose);
    if (b->clip != NULL) {
        lmb_sample(&(lmb_sample_job){.clip = b->clip,
                                     .time_s = cli_simulate_time(b->clip, time_s),
                                     .joint_count = skeleton->joint_count,
                                     .pose = pose});
    }
    lmb_pose_to_model(&(lmb_pose_to_model_job){
        .skeleton = skeleton, .local = pose, .model_from_joint = b->model});
}

/// Linear blending, and the matrices that it blends to.
static void skin_part(const soft_tissue_bake *b, soft_tissue_bake_part *p)
{
    const lmb_influences *rows = &p->from->influences;
    lmb_skin_palette(p->skin, b->model, p->palette);
    for (uint32_t v = 0; v < p->from->vertex_count; ++v) {
        lmb_mat4 sum = {{0}};
        for (uint32_t i = rows->first[v]; i < rows->first[v + 1]; ++i) {
            const float *m = p->palette[rows->items[i].joint].m;
            for (int k = 0; k < 16; ++k) {
                sum.m[k] += rows->items[i].weight * m[k];
            }
        }
        p->blend[v] = rows->first[v] < rows->first[v + 1]
                          ? sum
                          : b->model[b->character->instances[p->instance].joint];
        p->skinned[v] = lmb_mat4_point(p->blend[v], p->from->positions[v]);
    }
}

static cli_exit find_parts(soft_tissue_bake *b)
{
    const lmb_character *c = b->character;
    double vertices = 0;
    b->parts = cli_resize(NULL, (size_t)c->instance_count + 1, sizeof *b->parts);
    for (uint32_t i = 0; i < c->instance_count; ++i) {
        const lmb_instance *instance = &c->instances[i];
        const lmb_mesh *mesh = c->meshes[instance->mesh];
        if (instance->skin < 0 || mesh->influences.first == NULL || mesh->vertex_count == 0) {
            continue;
        }
        for (uint32_t k = 0; k < c->instance_count; ++k) {
            if (k != i && c->instances[k].mesh == instance->mesh) {
                return cli_fail(b->cli, CLI_UNSUPPORTED,
                                "not supported: --flesh on a mesh that is there several times");
            }
        }
        vertices += mesh->vertex_count;
        b->parts[b->part_count++] = (soft_tissue_bake_part){
            .instance = i, .mesh = instance->mesh, .from = mesh, .skin = c->skins[instance->skin]};
    }
    if (b->part_count == 0) {
        return cli_fail(b->cli, CLI_INPUT, "%s: expected a skin, found none", b->cli->inputs[0]);
    }
    if (vertices * b->frame_count > MOST_TARGET_VERTICES) {
        return cli_fail(
            b->cli, CLI_UNSUPPORTED,
            "not supported: %g vertices of morph targets; fewer --seconds or --fps make "
            "less than %g",
            vertices * b->frame_count, MOST_TARGET_VERTICES);
    }
    return CLI_DONE;
}

static cli_exit begin_parts(soft_tissue_bake *b)
{
    lmb_box box = lmb_box_empty();
    lmb_pose_to_model(
        &(lmb_pose_to_model_job){.skeleton = b->character->skeleton, .model_from_joint = b->model});
    for (uint32_t k = 0; k < b->part_count; ++k) {
        soft_tissue_bake_part *p = &b->parts[k];
        const size_t n = p->from->vertex_count;
        p->palette = cli_resize(NULL, p->skin->joint_count, sizeof *p->palette);
        p->blend = cli_resize(NULL, n, sizeof *p->blend);
        p->skinned = cli_resize(NULL, n, sizeof *p->skinned);
        p->at = cli_resize(NULL, n, sizeof *p->at);
        p->targets = cli_resize(NULL, n * b->frame_count, sizeof *p->targets);
        if (p->from->normals != NULL) {
            p->normals = cli_resize(NULL, n, sizeof *p->normals);
            p->normal_targets = cli_resize(NULL, n * b->frame_count, sizeof *p->normal_targets);
        }
        skin_part(b, p);
        for (size_t v = 0; v < n; ++v) {
            box = lmb_box_add(box, p->skinned[v]);
        }
    }
    const float height = fmaxf(box.high.y - box.low.y, 1e-6f);
    cli_exit code = CLI_DONE;
    size_t first = 0;
    for (uint32_t k = 0; k < b->part_count && code == CLI_DONE; ++k) {
        code = soft_tissue_bake_make(b, &b->parts[k], height, first);
        first += b->parts[k].from->vertex_count;
    }
    return code;
}

/// Morph offset in the bind pose that skinning maps to the simulated position.
static void keep_target(soft_tissue_bake *b, soft_tissue_bake_part *p, uint32_t frame)
{
    lmb_vec3 *target = p->targets + (size_t)frame * p->from->vertex_count;
    for (uint32_t v = 0; v < p->from->vertex_count; ++v) {
        lmb_mat4 back;
        const float moved = lmb_vec3_distance(p->at[v], p->skinned[v]);
        target[v] = lmb_vec3_make(0, 0, 0);
        if (moved > 0 && lmb_mat4_inverse_affine(p->blend[v], &back)) {
            target[v] = lmb_vec3_sub(lmb_mat4_point(back, p->at[v]), p->from->positions[v]);
            b->farthest_m = fmaxf(b->farthest_m, moved);
        }
    }
}

static lmb_vec3 direction(lmb_mat4 m, lmb_vec3 v)
{
    return lmb_vec3_sub(lmb_mat4_point(m, v), lmb_mat4_translation(m));
}

/// The same for normals.
static void keep_normals(const soft_tissue_bake_part *p, uint32_t frame)
{
    lmb_vec3 *normal_targets = p->normal_targets + (size_t)frame * p->from->vertex_count;
    for (uint32_t v = 0; v < p->from->vertex_count; ++v) {
        const lmb_vec3 n = p->from->normals[v];
        p->normals[v] = lmb_vec3_normalize_or(direction(p->blend[v], n), n);
    }
    lmb_soft_tissue_normals(&(lmb_soft_tissue_normals_job){.tissue = p->flesh,
                                                           .targets = p->skinned,
                                                           .positions = p->at,
                                                           .normals = p->normals,
                                                           .out = normal_targets});
    for (uint32_t v = 0; v < p->from->vertex_count; ++v) {
        lmb_mat4 back;
        const lmb_vec3 n = p->from->normals[v];
        const bool moved = lmb_vec3_distance(normal_targets[v], p->normals[v]) > 0;
        if (moved && lmb_mat4_inverse_affine(p->blend[v], &back)) {
            const float length = lmb_vec3_length(direction(p->blend[v], n));
            normal_targets[v] =
                lmb_vec3_sub(direction(back, lmb_vec3_scale(normal_targets[v], length)), n);
        } else {
            normal_targets[v] = lmb_vec3_make(0, 0, 0);
        }
    }
}

static void add_tracks(soft_tissue_bake *b)
{
    b->tracks = simulate_tracks_start(b->frame_count, b->fps);
    simulate_track_add(&b->tracks, "kinetic", "joules a kilogram of skin that moves", 1);
    simulate_track_add(&b->tracks, "offset_m", "farthest off the skin in mm", 1e3f);
    simulate_track_add(&b->tracks, "volume", "regions off their volumes in percent", 1e2f);
    simulate_track_add(&b->tracks, "stretch", "edges off the skin's lengths in percent", 1e2f);
}

/// Maxima over all parts.
static void note(const soft_tissue_bake *b, uint32_t frame)
{
    for (uint32_t k = 0; k < b->part_count; ++k) {
        lmb_soft_tissue_report r;
        lmb_soft_tissue_measure(b->parts[k].flesh, &r);
        const float values[FLESH_TRACKS] = {r.kinetic, r.offset_m, r.volume, r.stretch};
        for (int i = 0; i < FLESH_TRACKS; ++i) {
            float *out = &b->tracks.items[i].values[frame];
            *out = fmaxf(*out, values[i]);
        }
    }
}

static void step_frames(soft_tissue_bake *b)
{
    add_tracks(b);
    const uint32_t n = b->character->skeleton->joint_count;
    const uint32_t steps = (uint32_t)ceil(STEPS_HZ / b->fps - 1e-6);
    const double dt = 1 / (b->fps * steps);
    for (uint32_t f = 0; f < b->frame_count; ++f) {
        lmb_transform *pose = b->poses + (size_t)f * n;
        for (uint32_t s = f > 0 ? 1 : steps; s <= steps; ++s) {
            pose_at(b, f > 0 ? (f - 1) / b->fps + s * dt : 0, pose);
            for (uint32_t k = 0; k < b->part_count; ++k) {
                soft_tissue_bake_part *p = &b->parts[k];
                skin_part(b, p);
                lmb_soft_tissue_step(&(lmb_soft_tissue_step_job){.tissue = p->flesh,
                                                                 .targets = p->skinned,
                                                                 .dt_s = f > 0 ? (float)dt : 0,
                                                                 .positions = p->at});
            }
        }
        note(b, f);
        for (uint32_t k = 0; k < b->part_count; ++k) {
            keep_target(b, &b->parts[k], f);
            if (b->parts[k].normals != NULL) {
                keep_normals(&b->parts[k], f);
            }
        }
    }
}

static void report_tissue(const soft_tissue_bake *b)
{
    uint32_t total[3] = {0};
    for (uint32_t k = 0; k < b->part_count; ++k) {
        lmb_soft_tissue_report part;
        lmb_soft_tissue_measure(b->parts[k].flesh, &part);
        total[0] += part.particle_count;
        total[1] += part.edge_count;
        total[2] += part.region_count;
    }
    cli_say(b->cli, "flesh",
            "%u particles, %u edges, %u regions, %u frames as morph targets, at most %.1f mm off "
            "the skin",
            (unsigned)total[0], (unsigned)total[1], (unsigned)total[2], (unsigned)b->frame_count,
            (double)b->farthest_m * 1e3);
    if (b->cli->json) {
        cli_json json = {.file = stdout};
        cli_json_begin(&json, NULL, '{');
        cli_json_text(&json, "output", b->cli->output);
        cli_json_integer(&json, "particles", total[0]);
        cli_json_integer(&json, "edges", total[1]);
        cli_json_integer(&json, "regions", total[2]);
        cli_json_integer(&json, "frames", b->frame_count);
        cli_json_number(&json, "fps", (float)b->fps);
        cli_json_number(&json, "farthest_m", b->farthest_m);
        cli_json_number(&json, "most_volume", simulate_track_most(&b->tracks, FLESH_VOLUME));
        cli_json_number(&json, "most_stretch", simulate_track_most(&b->tracks, FLESH_STRETCH));
        simulate_tracks_write(&json, &b->tracks);
        cli_json_end(&json, '}');
    }
}

static void free_bake(soft_tissue_bake *b)
{
    for (uint32_t k = 0; k < b->part_count; ++k) {
        soft_tissue_bake_part *p = &b->parts[k];
        lmb_soft_tissue_destroy(p->flesh);
        free(p->palette);
        free(p->blend);
        free(p->skinned);
        free(p->at);
        free(p->targets);
        free(p->normals);
        free(p->normal_targets);
    }
    free(b->parts);
    free(b->poses);
    free(b->model);
    free(b->amount);
    free(b->painted);
    simulate_tracks_end(&b->tracks);
}

cli_exit cli_simulate_flesh(cli_run *cli, const cli_simulate_opts *opts, lmb_character **character)
{
    cli_simulate_opts rated = *opts;
    const uint32_t n = (*character)->skeleton->joint_count;
    // One morph target a frame: 20 a second by default.
    rated.fps = cli_given(cli, "fps") ? opts->fps : 20;
    soft_tissue_bake b = {.cli = cli, .opts = &rated, .character = *character, .fps = rated.fps};
    if (!(opts->frequency >= 0 && opts->frequency <= 1000 && opts->damping >= 0 &&
          opts->damping <= 100)) {
        return cli_fail(cli, CLI_USAGE,
                        "expected --frequency of 0 to 1000 and --damping of 0 to 100");
    }
    cli_exit code = cli_simulate_frames(cli, &rated, *character, &b.clip, &b.frame_count);
    if (code == CLI_DONE) {
        code = find_parts(&b);
    }
    b.amount = cli_resize(NULL, n, sizeof *b.amount);
    b.model = cli_resize(NULL, n, sizeof *b.model);
    if (code == CLI_DONE) {
        code = soft_tissue_bake_painted(cli, &b);
    }
    if (code == CLI_DONE) {
        code = soft_tissue_bake_amounts(cli, &b);
    }
    if (code == CLI_DONE) {
        code = begin_parts(&b);
    }
    if (code == CLI_DONE) {
        b.poses = cli_resize(NULL, (size_t)b.frame_count * n, sizeof *b.poses);
        step_frames(&b);
        code = soft_tissue_bake_rebuild(&b, character);
    }
    if (code == CLI_DONE) {
        code = cli_character_write(cli, cli->output, "glb", *character);
    }
    if (code == CLI_DONE && opts->plot != NULL) {
        code = simulate_tracks_plot(cli, opts->plot, &b.tracks);
    }
    if (code == CLI_DONE) {
        report_tissue(&b);
    }
    free_bake(&b);
    return code;
}
