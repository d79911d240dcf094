/// Bakes soft tissue to morph targets: simulates the skin over a clip, and stores each frame as the
/// offset in the bind pose that skinning maps to the simulated position.
#include "author/soft_tissue_bake.h"

#include "base/error.h"
#include "limber/anim.h"

#include <math.h>
#include <string.h>

#define LEAST_STEP_HZ 60.0
/// Bounds memory: vertices of all morph targets.
#define MOST_TARGET_VERTICES 2e7

// ---- the pose and the skin at a time

static void sample_pose(const lmbi_tissue_bake *b, double time_s, lmb_transform *pose)
{
    const lmb_skeleton *skeleton = b->character->skeleton;
    const lmb_clip *clip = b->opts->clip;
    memcpy(pose, skeleton->rest, skeleton->joint_count * sizeof *pose);
    if (clip != NULL) {
        const double duration = (double)lmb_clip_duration_s(clip);
        // The clip's own last frame may lie past its end by rounding: it is not wrapped.
        const bool wraps = time_s > duration + 1e-5 && duration > 0;
        lmb_sample(&(lmb_sample_job){.clip = clip,
                                     .time_s = wraps ? lmb_time_in(time_s, duration, LMB_PLAY_LOOP)
                                                     : time_s,
                                     .joint_count = skeleton->joint_count,
                                     .pose = pose});
    }
    lmb_pose_to_model(&(lmb_pose_to_model_job){
        .skeleton = skeleton, .local = pose, .model_from_joint = b->model});
}

/// Linear blend skinning that keeps the blended matrices.
static void skin_part(const lmbi_tissue_bake *b, lmbi_tissue_part *p)
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

// ---- parts

static uint32_t count_uses(const lmb_character *c, uint32_t mesh)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < c->instance_count; ++i) {
        count += c->instances[i].mesh == mesh;
    }
    return count;
}

static lmb_result find_parts(lmbi_tissue_bake *b, lmb_error *error)
{
    const lmb_character *c = b->character;
    double vertices = 0;
    b->parts = lmbi_arena_array(&b->arena, c->instance_count, sizeof *b->parts);
    if (b->parts == NULL) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t i = 0; i < c->instance_count; ++i) {
        const lmb_instance *instance = &c->instances[i];
        const lmb_mesh *mesh = c->meshes[instance->mesh];
        if (instance->skin < 0 || mesh->influences.first == NULL || mesh->vertex_count == 0) {
            continue;
        }
        const uint32_t uses = count_uses(c, instance->mesh);
        if (uses > 1) {
            return lmbi_fail(error, LMB_ERROR_UNSUPPORTED, "a mesh with one instance",
                             "soft tissue of mesh %u, which has %u instances",
                             (unsigned)instance->mesh, (unsigned)uses);
        }
        vertices += mesh->vertex_count;
        b->parts[b->part_count++] = (lmbi_tissue_part){
            .instance = i, .mesh = instance->mesh, .from = mesh, .skin = c->skins[instance->skin]};
    }
    if (b->part_count == 0) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a mesh with a skin", "none");
    }
    if (vertices * b->opts->frame_count > MOST_TARGET_VERTICES) {
        return lmbi_fail(error, LMB_ERROR_UNSUPPORTED, "fewer frames",
                         "%g vertices of morph targets, more than %g",
                         vertices * b->opts->frame_count, MOST_TARGET_VERTICES);
    }
    return LMB_OK;
}

static bool allocate_part(lmbi_tissue_bake *b, lmbi_tissue_part *p)
{
    const size_t n = p->from->vertex_count, frames = b->opts->frame_count;
    p->palette = lmbi_arena_array(&b->arena, p->skin->joint_count, sizeof *p->palette);
    p->blend = lmbi_arena_array(&b->arena, n, sizeof *p->blend);
    p->skinned = lmbi_arena_array(&b->arena, n, sizeof *p->skinned);
    p->simulated = lmbi_arena_array(&b->arena, n, sizeof *p->simulated);
    p->targets = lmbi_arena_array(&b->arena, n * frames, sizeof *p->targets);
    bool fine = p->palette && p->blend && p->skinned && p->simulated && p->targets;
    if (p->from->normals != NULL) {
        p->normals = lmbi_arena_array(&b->arena, n, sizeof *p->normals);
        p->normal_targets = lmbi_arena_array(&b->arena, n * frames, sizeof *p->normal_targets);
        fine = fine && p->normals && p->normal_targets;
    }
    return fine;
}

static lmb_result create_parts(lmbi_tissue_bake *b, const lmb_allocator *alloc, lmb_error *error)
{
    lmb_box box = lmb_box_empty();
    lmb_pose_to_model(
        &(lmb_pose_to_model_job){.skeleton = b->character->skeleton, .model_from_joint = b->model});
    for (uint32_t k = 0; k < b->part_count; ++k) {
        lmbi_tissue_part *p = &b->parts[k];
        if (!allocate_part(b, p)) {
            return lmbi_fail_memory(error);
        }
        skin_part(b, p);
        for (uint32_t v = 0; v < p->from->vertex_count; ++v) {
            box = lmb_box_add(box, p->skinned[v]);
        }
    }
    const float height = fmaxf(box.high.y - box.low.y, 1e-6f);
    size_t first_vertex = 0;
    for (uint32_t k = 0; k < b->part_count; ++k) {
        const lmb_result result =
            lmbi_tissue_part_create(b, &b->parts[k], height, first_vertex, alloc, error);
        if (result != LMB_OK) {
            return result;
        }
        first_vertex += b->parts[k].from->vertex_count;
    }
    return LMB_OK;
}

// ---- frames

static void store_targets(lmbi_tissue_bake *b, lmbi_tissue_part *p, uint32_t frame)
{
    lmb_vec3 *target = p->targets + (size_t)frame * p->from->vertex_count;
    for (uint32_t v = 0; v < p->from->vertex_count; ++v) {
        lmb_mat4 bind_from_model;
        const float moved = lmb_vec3_distance(p->simulated[v], p->skinned[v]);
        target[v] = lmb_vec3_make(0, 0, 0);
        if (moved > 0 && lmb_mat4_inverse_affine(p->blend[v], &bind_from_model)) {
            target[v] = lmb_vec3_sub(lmb_mat4_point(bind_from_model, p->simulated[v]),
                                     p->from->positions[v]);
            b->farthest_m = fmaxf(b->farthest_m, moved);
        }
    }
}

static lmb_vec3 map_direction(lmb_mat4 m, lmb_vec3 v)
{
    return lmb_vec3_sub(lmb_mat4_point(m, v), lmb_mat4_translation(m));
}

static void store_normals(const lmbi_tissue_part *p, uint32_t frame)
{
    lmb_vec3 *target = p->normal_targets + (size_t)frame * p->from->vertex_count;
    for (uint32_t v = 0; v < p->from->vertex_count; ++v) {
        const lmb_vec3 n = p->from->normals[v];
        p->normals[v] = lmb_vec3_normalize_or(map_direction(p->blend[v], n), n);
    }
    lmb_soft_tissue_normals(&(lmb_soft_tissue_normals_job){.tissue = p->tissue,
                                                           .targets = p->skinned,
                                                           .positions = p->simulated,
                                                           .normals = p->normals,
                                                           .out = target});
    for (uint32_t v = 0; v < p->from->vertex_count; ++v) {
        lmb_mat4 bind_from_model;
        const lmb_vec3 n = p->from->normals[v];
        const bool moved = lmb_vec3_distance(target[v], p->normals[v]) > 0;
        if (moved && lmb_mat4_inverse_affine(p->blend[v], &bind_from_model)) {
            const float length = lmb_vec3_length(map_direction(p->blend[v], n));
            target[v] =
                lmb_vec3_sub(map_direction(bind_from_model, lmb_vec3_scale(target[v], length)), n);
        } else {
            target[v] = lmb_vec3_make(0, 0, 0);
        }
    }
}

/// Counts of all parts, and the maxima of their measures.
static lmb_soft_tissue_report measure_parts(const lmbi_tissue_bake *b)
{
    lmb_soft_tissue_report all = {0};
    for (uint32_t k = 0; k < b->part_count; ++k) {
        lmb_soft_tissue_report part;
        lmb_soft_tissue_measure(b->parts[k].tissue, &part);
        all.particle_count += part.particle_count;
        all.edge_count += part.edge_count;
        all.region_count += part.region_count;
        all.kinetic = fmaxf(all.kinetic, part.kinetic);
        all.offset_m = fmaxf(all.offset_m, part.offset_m);
        all.volume = fmaxf(all.volume, part.volume);
        all.stretch = fmaxf(all.stretch, part.stretch);
    }
    return all;
}

static void step_parts(lmbi_tissue_bake *b, float dt_s)
{
    for (uint32_t k = 0; k < b->part_count; ++k) {
        lmbi_tissue_part *p = &b->parts[k];
        skin_part(b, p);
        lmb_soft_tissue_step(&(lmb_soft_tissue_step_job){
            .tissue = p->tissue, .targets = p->skinned, .dt_s = dt_s, .positions = p->simulated});
    }
}

static void step_frames(lmbi_tissue_bake *b, lmb_soft_tissue_report *frames)
{
    const uint32_t n = b->character->skeleton->joint_count;
    const double rate = b->opts->rate_hz;
    const uint32_t steps = (uint32_t)ceil(LEAST_STEP_HZ / rate - 1e-6);
    const double dt_s = 1 / (rate * steps);
    for (uint32_t f = 0; f < b->opts->frame_count; ++f) {
        lmb_transform *pose = b->poses + (size_t)f * n;
        for (uint32_t s = f > 0 ? 1 : steps; s <= steps; ++s) {
            sample_pose(b, f > 0 ? (f - 1) / rate + s * dt_s : 0, pose);
            step_parts(b, f > 0 ? (float)dt_s : 0);
        }
        if (frames != NULL) {
            frames[f] = measure_parts(b);
        }
        for (uint32_t k = 0; k < b->part_count; ++k) {
            store_targets(b, &b->parts[k], f);
            if (b->parts[k].normals != NULL) {
                store_normals(&b->parts[k], f);
            }
        }
    }
}

// ---- the character

/// `made` with the new meshes and clip; frees what it has no more of `old`, or, on failure, what was
/// made.
static lmb_result exchange(lmbi_tissue_bake *b, lmb_mesh **meshes, lmb_clip *clip,
                           const lmb_allocator *alloc, lmb_character **character, lmb_error *error)
{
    lmb_character *old = *character, def = *old;
    lmb_instance *instances = lmbi_arena_array(&b->arena, old->instance_count, sizeof *instances);
    if (instances == NULL) {
        return lmbi_fail_memory(error);
    }
    memcpy(instances, old->instances, old->instance_count * sizeof *instances);
    for (uint32_t k = 0; k < b->part_count; ++k) {
        instances[b->parts[k].instance].target_weights = NULL;
    }
    def.meshes = meshes;
    def.instances = instances;
    def.clips = &clip;
    def.clip_count = 1;
    const lmb_result result = lmb_character_create(&def, alloc, character, error);
    if (result != LMB_OK) {
        *character = old;
        return result;
    }
    for (uint32_t k = 0; k < b->part_count; ++k) {
        lmb_mesh_destroy(old->meshes[b->parts[k].mesh]);
    }
    for (uint32_t k = 0; k < old->clip_count; ++k) {
        lmb_clip_destroy(old->clips[k]);
    }
    lmb_character_release(old);
    return LMB_OK;
}

static lmb_result rebuild(lmbi_tissue_bake *b, const lmb_allocator *alloc,
                          lmb_character **character, lmb_error *error)
{
    const lmb_character *old = *character;
    lmb_clip *clip = NULL;
    lmb_mesh **meshes = lmbi_arena_array(&b->arena, old->mesh_count, sizeof *meshes);
    if (meshes == NULL) {
        return lmbi_fail_memory(error);
    }
    memcpy(meshes, old->meshes, old->mesh_count * sizeof *meshes);
    uint32_t made = 0;
    lmb_result result = lmbi_tissue_make_clip(b, alloc, &clip, error);
    for (; result == LMB_OK && made < b->part_count; made += result == LMB_OK) {
        const lmbi_tissue_part *p = &b->parts[made];
        result = lmbi_tissue_make_mesh(b, p, alloc, &meshes[p->mesh], error);
    }
    if (result == LMB_OK) {
        result = exchange(b, meshes, clip, alloc, character, error);
    }
    if (result != LMB_OK) {
        for (uint32_t k = 0; k < made; ++k) {
            lmb_mesh_destroy(meshes[b->parts[k].mesh]);
        }
        lmb_clip_destroy(clip);
    }
    return result;
}

static lmb_result bake(lmbi_tissue_bake *b, const lmb_allocator *alloc, lmb_character **character,
                       lmb_soft_tissue_bake_report *report, lmb_error *error)
{
    const uint32_t n = b->character->skeleton->joint_count;
    b->model = lmbi_arena_array(&b->arena, n, sizeof *b->model);
    b->joint_softness = lmbi_arena_array(&b->arena, n, sizeof *b->joint_softness);
    b->poses = lmbi_arena_array(&b->arena, (size_t)n * b->opts->frame_count, sizeof *b->poses);
    if (b->model == NULL || b->joint_softness == NULL || b->poses == NULL) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t j = 0; j < n; ++j) {
        b->joint_softness[j] = b->opts->joint_softness != NULL ? b->opts->joint_softness[j] : 1;
    }
    lmb_result result = LMB_OK;
    if (b->opts->joint_softness == NULL && b->opts->vertex_softness == NULL) {
        result =
            lmb_soft_tissue_joint_softness(b->character->skeleton, alloc, b->joint_softness, error);
    }
    if (result == LMB_OK) {
        result = create_parts(b, alloc, error);
    }
    if (result == LMB_OK) {
        step_frames(b, b->opts->frames);
        const lmb_soft_tissue_bake_report all = {.tissue = measure_parts(b),
                                                 .farthest_m = b->farthest_m};
        result = rebuild(b, alloc, character, error);
        if (result == LMB_OK && report != NULL) {
            *report = all;
        }
    }
    return result;
}

lmb_result lmb_soft_tissue_bake(lmb_character **character, const lmb_soft_tissue_bake_opts *opts,
                                lmb_soft_tissue_bake_report *report, const lmb_allocator *alloc,
                                lmb_error *error)
{
    lmbi_tissue_bake b = {.character = *character, .opts = opts};
    if (opts->frame_count == 0 || !(opts->rate_hz > 0)) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a frame at least, at a rate above 0",
                         "%u at %g", (unsigned)opts->frame_count, opts->rate_hz);
    }
    lmbi_arena_init(&b.arena, alloc);
    lmb_result result = find_parts(&b, error);
    if (result == LMB_OK) {
        result = bake(&b, alloc, character, report, error);
    }
    for (uint32_t k = 0; k < b.part_count; ++k) {
        lmb_soft_tissue_destroy(b.parts[k].tissue);
    }
    lmbi_arena_free(&b.arena);
    return result;
}
