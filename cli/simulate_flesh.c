/// simulate --flesh: skin that swings and keeps its volume, baked to morph targets that play with
/// the clip.
#include "simulate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEPS_HZ 60.0
#define MOST_TARGET_VERTICES 2e7

/// One skinned mesh while it is simulated.
typedef struct part {
    uint32_t instance, mesh;
    const lmb_mesh *from;
    const lmb_skin *skin;
    lmb_flesh *flesh;
    lmb_mat4 *palette;
    lmb_mat4 *blend;   ///< [vertex_count] of the last frame: bind to model
    lmb_vec3 *skinned; ///< [vertex_count]
    lmb_vec3 *at;      ///< [vertex_count]
    lmb_vec3 *targets; ///< [frame_count][vertex_count] in the bind pose
    lmb_vec3 *normals; ///< [vertex_count] skinned; NULL for a mesh without
    lmb_vec3 *turned;  ///< [frame_count][vertex_count] as `targets`
} part;

typedef struct bake {
    cli_run *cli;
    const cli_simulate_opts *opts;
    const lmb_character *character;
    const lmb_clip *clip;
    uint32_t frame_count, part_count;
    double fps;
    part *parts;
    lmb_transform *poses; ///< [frame_count][joint_count]
    lmb_mat4 *model;
    float *amount; ///< [joint_count] how soft its skin is
    float farthest_m;
} bake;

// --------------------------------------------------------------------------------------- the skin

static void pose_at(const bake *b, double time_s, lmb_transform *pose)
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
static void skin_part(const bake *b, part *p)
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

// ---------------------------------------------------------------------------------- how soft it is

/// What is near its bone, and hands, feet and head of a human, do not swing.
static void guess_amounts(const bake *b)
{
    static const lmb_slot firm[] = {LMB_SLOT_HEAD, LMB_SLOT_LEFT_HAND, LMB_SLOT_RIGHT_HAND,
                                    LMB_SLOT_LEFT_FOOT, LMB_SLOT_RIGHT_FOOT};
    const lmb_skeleton *skeleton = b->character->skeleton;
    lmb_joint_map map;
    const bool human =
        lmb_joint_map_make(skeleton, NULL, &map, NULL) == LMB_OK && map.confidence > 0.8f;
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        const int32_t parent = skeleton->parents[j];
        b->amount[j] = parent >= 0 ? fminf(b->amount[parent], 1.0f) : 1.0f;
        for (size_t k = 0; human && k < sizeof firm / sizeof firm[0]; ++k) {
            b->amount[j] = map.slots[firm[k]].joint == (int32_t)j ? 0.0f : b->amount[j];
        }
    }
}

static cli_exit read_soft(const cli_run *cli, const char *setting, const bake *b)
{
    const char *equals = strrchr(setting, '=');
    char name[200], *end = NULL;
    const double value = equals != NULL ? strtod(equals + 1, &end) : 0;
    if (equals == NULL || end == equals + 1 || *end != 0 || !(value >= 0 && value <= 1) ||
        equals - setting >= (long)sizeof name) {
        return cli_fail(cli, CLI_USAGE, "--soft takes JOINT=AMOUNT, an amount of 0 to 1, not %s",
                        setting);
    }
    memcpy(name, setting, (size_t)(equals - setting));
    name[equals - setting] = 0;
    const int32_t joint = lmb_skeleton_find(b->character->skeleton, name);
    if (joint == LMB_NONE) {
        return cli_fail(cli, CLI_USAGE, "--soft: the character has no joint \"%s\"", name);
    }
    b->amount[joint] = (float)value;
    return CLI_DONE;
}

static float distance_to_bone(const bake *b, uint32_t joint, lmb_vec3 p)
{
    const lmb_skeleton *skeleton = b->character->skeleton;
    const lmb_vec3 from = lmb_mat4_translation(b->model[joint]);
    float nearest = lmb_vec3_distance(p, from);
    for (uint32_t j = joint + 1; j < skeleton->joint_count; ++j) {
        if (skeleton->parents[j] == (int32_t)joint) {
            const lmb_vec3 bone = lmb_vec3_sub(lmb_mat4_translation(b->model[j]), from);
            const float length2 = lmb_vec3_dot(bone, bone);
            const float u = length2 > 0 ? lmb_vec3_dot(lmb_vec3_sub(p, from), bone) / length2 : 0;
            const lmb_vec3 on = lmb_vec3_mad(from, bone, fminf(fmaxf(u, 0), 1));
            nearest = fminf(nearest, lmb_vec3_distance(p, on));
        }
    }
    return nearest;
}

/// Softness grows with the flesh over the bone; joints where two bones pull give way for volume.
static void set_vertices(const bake *b, const part *p, float height, float *soft, float *give,
                         uint32_t *region)
{
    const lmb_influences *rows = &p->from->influences;
    for (uint32_t v = 0; v < p->from->vertex_count; ++v) {
        soft[v] = give[v] = 0;
        region[v] = 0;
        if (rows->first[v] == rows->first[v + 1]) {
            continue;
        }
        const lmb_influence strongest = rows->items[rows->first[v]];
        const uint32_t joint = p->skin->joints[strongest.joint];
        const float deep = distance_to_bone(b, joint, p->skinned[v]) / height;
        const float u = fminf(fmaxf((deep - 0.025f) / 0.07f, 0), 1);
        for (uint32_t i = rows->first[v]; i < rows->first[v + 1]; ++i) {
            soft[v] += rows->items[i].weight * b->amount[p->skin->joints[rows->items[i].joint]];
        }
        soft[v] = fminf(soft[v] * u * u * (3 - 2 * u), 1);
        give[v] = fminf(0.05f + 2 * (1 - strongest.weight), 1);
        region[v] = strongest.joint;
    }
}

static cli_exit make_flesh(const bake *b, part *p, float height)
{
    const uint32_t n = p->from->vertex_count;
    float *soft = cli_resize(NULL, n, sizeof *soft), *give = cli_resize(NULL, n, sizeof *give);
    uint32_t *region = cli_resize(NULL, n, sizeof *region), count = 0;
    uint32_t *indices = cli_resize(NULL, (size_t)p->from->index_count + 1, sizeof *indices);
    lmb_error error = {0};
    set_vertices(b, p, height, soft, give, region);
    for (uint32_t k = 0; k < p->from->primitive_count; ++k) {
        const lmb_primitive *primitive = &p->from->primitives[k];
        if (primitive->topology == LMB_TRIANGLES) {
            memcpy(indices + count, p->from->indices + primitive->first_index,
                   primitive->index_count * sizeof *indices);
            count += primitive->index_count;
        }
    }
    const lmb_flesh_def def = {.vertex_count = n,
                               .index_count = count,
                               .rest = p->skinned,
                               .indices = indices,
                               .soft = soft,
                               .give = give,
                               .region = region,
                               .region_count = p->skin->joint_count,
                               .frequency_hz = (float)b->opts->frequency,
                               .damping = (float)b->opts->damping};
    const lmb_result result = lmb_flesh_create(&def, NULL, &p->flesh, &error);
    free(soft);
    free(give);
    free(region);
    free(indices);
    return result == LMB_OK ? CLI_DONE : cli_fail_call(b->cli, "the flesh", result, &error);
}

// ------------------------------------------------------------------------------------- simulating

static cli_exit find_parts(bake *b)
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
        b->parts[b->part_count++] = (part){
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

static cli_exit begin_parts(bake *b)
{
    lmb_box box = lmb_box_empty();
    lmb_pose_to_model(
        &(lmb_pose_to_model_job){.skeleton = b->character->skeleton, .model_from_joint = b->model});
    for (uint32_t k = 0; k < b->part_count; ++k) {
        part *p = &b->parts[k];
        const size_t n = p->from->vertex_count;
        p->palette = cli_resize(NULL, p->skin->joint_count, sizeof *p->palette);
        p->blend = cli_resize(NULL, n, sizeof *p->blend);
        p->skinned = cli_resize(NULL, n, sizeof *p->skinned);
        p->at = cli_resize(NULL, n, sizeof *p->at);
        p->targets = cli_resize(NULL, n * b->frame_count, sizeof *p->targets);
        if (p->from->normals != NULL) {
            p->normals = cli_resize(NULL, n, sizeof *p->normals);
            p->turned = cli_resize(NULL, n * b->frame_count, sizeof *p->turned);
        }
        skin_part(b, p);
        for (size_t v = 0; v < n; ++v) {
            box = lmb_box_add(box, p->skinned[v]);
        }
    }
    const float height = fmaxf(box.high.y - box.low.y, 1e-6f);
    cli_exit code = CLI_DONE;
    for (uint32_t k = 0; k < b->part_count && code == CLI_DONE; ++k) {
        code = make_flesh(b, &b->parts[k], height);
    }
    return code;
}

/// What must be added to the bind pose so that skinning makes it what the flesh is.
static void keep_target(bake *b, part *p, uint32_t frame)
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
static void keep_normals(const part *p, uint32_t frame)
{
    lmb_vec3 *turned = p->turned + (size_t)frame * p->from->vertex_count;
    for (uint32_t v = 0; v < p->from->vertex_count; ++v) {
        const lmb_vec3 n = p->from->normals[v];
        p->normals[v] = lmb_vec3_normalize_or(direction(p->blend[v], n), n);
    }
    lmb_flesh_normals(&(lmb_flesh_normals_job){.flesh = p->flesh,
                                               .targets = p->skinned,
                                               .positions = p->at,
                                               .normals = p->normals,
                                               .out = turned});
    for (uint32_t v = 0; v < p->from->vertex_count; ++v) {
        lmb_mat4 back;
        const lmb_vec3 n = p->from->normals[v];
        const bool moved = lmb_vec3_distance(turned[v], p->normals[v]) > 0;
        if (moved && lmb_mat4_inverse_affine(p->blend[v], &back)) {
            const float length = lmb_vec3_length(direction(p->blend[v], n));
            turned[v] = lmb_vec3_sub(direction(back, lmb_vec3_scale(turned[v], length)), n);
        } else {
            turned[v] = lmb_vec3_make(0, 0, 0);
        }
    }
}

static void run(bake *b)
{
    const uint32_t n = b->character->skeleton->joint_count;
    const uint32_t steps = (uint32_t)ceil(STEPS_HZ / b->fps - 1e-6);
    const double dt = 1 / (b->fps * steps);
    for (uint32_t f = 0; f < b->frame_count; ++f) {
        lmb_transform *pose = b->poses + (size_t)f * n;
        for (uint32_t s = f > 0 ? 1 : steps; s <= steps; ++s) {
            pose_at(b, f > 0 ? (f - 1) / b->fps + s * dt : 0, pose);
            for (uint32_t k = 0; k < b->part_count; ++k) {
                part *p = &b->parts[k];
                skin_part(b, p);
                lmb_flesh_step(&(lmb_flesh_step_job){.flesh = p->flesh,
                                                     .targets = p->skinned,
                                                     .dt_s = f > 0 ? (float)dt : 0,
                                                     .positions = p->at});
            }
        }
        for (uint32_t k = 0; k < b->part_count; ++k) {
            keep_target(b, &b->parts[k], f);
            if (b->parts[k].normals != NULL) {
                keep_normals(&b->parts[k], f);
            }
        }
    }
}

// ---------------------------------------------------------------------------------------- writing

/// The mesh with one more target a frame.
static lmb_result grow_mesh(const bake *b, const part *p, lmb_mesh **out, lmb_error *error)
{
    lmb_mesh def = *p->from;
    const uint32_t old = def.target_count, count = old + b->frame_count;
    lmb_morph_target *targets = cli_resize(NULL, count, sizeof *targets);
    float *weights = cli_resize(NULL, count, sizeof *weights);
    char(*names)[24] = cli_resize(NULL, b->frame_count, sizeof *names);
    memset(targets, 0, count * sizeof *targets);
    for (uint32_t k = 0; k < count; ++k) {
        weights[k] = k < old && def.target_weights != NULL ? def.target_weights[k] : 0;
    }
    if (old > 0) {
        memcpy(targets, def.targets, old * sizeof *targets);
    }
    for (uint32_t f = 0; f < b->frame_count; ++f) {
        snprintf(names[f], sizeof names[f], "flesh %u", (unsigned)f);
        targets[old + f] = (lmb_morph_target){
            .name = names[f], .positions = p->targets + (size_t)f * def.vertex_count};
        if (p->turned != NULL) {
            targets[old + f].normals = p->turned + (size_t)f * def.vertex_count;
        }
    }
    def.target_count = count;
    def.targets = targets;
    def.target_weights = weights;
    const lmb_result result = lmb_mesh_create(&def, NULL, out, error);
    free(targets);
    free(weights);
    free(names);
    return result;
}

/// Frame f is target f alone; in between two fade into each other.
static void fill_weights(const bake *b, const part *p, float *ticks, lmb_channel *channel)
{
    const lmb_instance *instance = &b->character->instances[p->instance];
    const float *rest =
        instance->target_weights != NULL ? instance->target_weights : p->from->target_weights;
    const uint32_t old = p->from->target_count, width = old + b->frame_count;
    float *values = cli_resize(NULL, (size_t)b->frame_count * width, sizeof *values);
    for (uint32_t f = 0; f < b->frame_count; ++f) {
        float *row = values + (size_t)f * width;
        for (uint32_t k = 0; k < width; ++k) {
            row[k] = k < old ? (rest != NULL ? rest[k] : 0) : (k == old + f ? 1.0f : 0.0f);
        }
    }
    *channel = (lmb_channel){.joint = instance->joint,
                             .path = LMB_PATH_WEIGHTS,
                             .width = width,
                             .key_count = b->frame_count,
                             .ticks = ticks,
                             .values = values};
}

static cli_exit make_clip(const bake *b, lmb_clip **out)
{
    lmb_clip *joints = NULL;
    lmb_error error = {0};
    lmb_result result = lmb_clip_from_poses(b->character->skeleton, b->poses, b->frame_count,
                                            (float)b->fps, b->opts->name, NULL, &joints, &error);
    if (result != LMB_OK) {
        return cli_fail_call(b->cli, "the result", result, &error);
    }
    lmb_clip def = *joints;
    float *ticks = cli_resize(NULL, b->frame_count, sizeof *ticks);
    lmb_channel *channels =
        cli_resize(NULL, joints->channel_count + b->part_count, sizeof *channels);
    memcpy(channels, joints->channels, joints->channel_count * sizeof *channels);
    for (uint32_t f = 0; f < b->frame_count; ++f) {
        ticks[f] = (float)f;
    }
    for (uint32_t k = 0; k < b->part_count; ++k) {
        fill_weights(b, &b->parts[k], ticks, &channels[def.channel_count++]);
    }
    def.channels = channels;
    result = lmb_clip_create(&def, NULL, out, &error);
    for (uint32_t k = joints->channel_count; k < def.channel_count; ++k) {
        free(channels[k].values);
    }
    free(channels);
    free(ticks);
    lmb_clip_destroy(joints);
    return result == LMB_OK ? CLI_DONE : cli_fail_call(b->cli, "the result", result, &error);
}

/// The character with its grown meshes and the new clip alone: other clips know the old targets.
static cli_exit rebuild(bake *b, lmb_character **character)
{
    lmb_character *old = *character, *made = NULL, def = *old;
    lmb_mesh **meshes = cli_resize(NULL, def.mesh_count, sizeof *meshes);
    lmb_instance *instances = cli_resize(NULL, def.instance_count, sizeof *instances);
    lmb_clip *clip = NULL;
    lmb_error error = {0};
    lmb_result result = LMB_OK;
    uint32_t grown = 0;
    memcpy(meshes, def.meshes, def.mesh_count * sizeof *meshes);
    memcpy(instances, def.instances, def.instance_count * sizeof *instances);
    cli_exit code = make_clip(b, &clip);
    for (; code == CLI_DONE && grown < b->part_count && result == LMB_OK; ++grown) {
        result = grow_mesh(b, &b->parts[grown], &meshes[b->parts[grown].mesh], &error);
        instances[b->parts[grown].instance].target_weights = NULL;
    }
    def.meshes = meshes;
    def.instances = instances;
    def.clips = &clip;
    def.clip_count = 1;
    if (code == CLI_DONE && result == LMB_OK) {
        result = lmb_character_create(&def, NULL, &made, &error);
    }
    if (code == CLI_DONE && result != LMB_OK) {
        code = cli_fail_call(b->cli, "the result", result, &error);
    }
    if (code == CLI_DONE) {
        for (uint32_t k = 0; k < b->part_count; ++k) {
            lmb_mesh_destroy(old->meshes[b->parts[k].mesh]);
        }
        for (uint32_t k = 0; k < old->clip_count; ++k) {
            lmb_clip_destroy(old->clips[k]);
        }
        b->clip = NULL;
        lmb_character_release(old);
        *character = made;
    } else {
        for (uint32_t k = 0; k < b->part_count; ++k) {
            lmb_mesh *mesh = meshes[b->parts[k].mesh];
            if (mesh != old->meshes[b->parts[k].mesh]) {
                lmb_mesh_destroy(mesh);
            }
        }
        lmb_clip_destroy(clip);
    }
    free(meshes);
    free(instances);
    return code;
}

static void report(const bake *b)
{
    uint32_t total[3] = {0};
    for (uint32_t k = 0; k < b->part_count; ++k) {
        uint32_t counts[3];
        lmb_flesh_counts(b->parts[k].flesh, counts);
        for (int i = 0; i < 3; ++i) {
            total[i] += counts[i];
        }
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
        cli_json_end(&json, '}');
    }
}

static void end(bake *b)
{
    for (uint32_t k = 0; k < b->part_count; ++k) {
        part *p = &b->parts[k];
        lmb_flesh_destroy(p->flesh);
        free(p->palette);
        free(p->blend);
        free(p->skinned);
        free(p->at);
        free(p->targets);
        free(p->normals);
        free(p->turned);
    }
    free(b->parts);
    free(b->poses);
    free(b->model);
    free(b->amount);
}

cli_exit cli_simulate_flesh(cli_run *cli, const cli_simulate_opts *opts, lmb_character **character)
{
    cli_simulate_opts rated = *opts;
    const uint32_t n = (*character)->skeleton->joint_count;
    // A target a frame: 20 a second are enough unless more are asked for.
    rated.fps = cli_given(cli, "fps") ? opts->fps : 20;
    bake b = {.cli = cli, .opts = &rated, .character = *character, .fps = rated.fps};
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
    guess_amounts(&b);
    for (int k = 0; code == CLI_DONE && k < opts->soft.count; ++k) {
        code = read_soft(cli, opts->soft.items[k], &b);
    }
    if (code == CLI_DONE) {
        code = begin_parts(&b);
    }
    if (code == CLI_DONE) {
        b.poses = cli_resize(NULL, (size_t)b.frame_count * n, sizeof *b.poses);
        run(&b);
        code = rebuild(&b, character);
    }
    if (code == CLI_DONE) {
        code = cli_character_write(cli, cli->output, "glb", *character);
    }
    if (code == CLI_DONE) {
        report(&b);
    }
    end(&b);
    return code;
}
