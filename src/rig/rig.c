/// From a character without a skeleton to one with: gathers its meshes, embeds, binds, and builds
/// the new scene.
#include "rig/creature.h"
#include "rig/humanoid.h"
#include "rig/names.h"
#include "rig/weigh.h"

#include "base/alloc.h"
#include "base/error.h"

#include <math.h>
#include <string.h>

typedef struct rigging {
    const lmb_character *in;
    const lmb_rig_opts *opts;
    lmbi_arena arena;
    const lmb_allocator *alloc;
    lmb_mat4 *model_from_mesh; ///< [instance_count]
    /// [instance_count] positions of a skinned mesh as it was posed, or NULL
    lmb_vec3 **baked;
    lmb_vec3 *positions; ///< of all instances, in the model's space
    uint32_t *triangles;
    uint32_t position_count, triangle_count;
    uint32_t *first_position; ///< [instance_count + 1]
    lmb_embedding embedding;
    lmb_mat4 model_from_input;
    lmb_mesh **meshes; ///< [instance_count], owned until the character is made
    lmb_skin **skins;  ///< [instance_count]
    lmb_skeleton *skeleton;
} rigging;

// ---- gathering

static lmb_vec3 posed(const lmb_mesh *mesh, const lmb_mat4 *palette, uint32_t vertex)
{
    const lmb_influences *rows = &mesh->influences;
    lmb_vec3 sum = {0, 0, 0};
    float total = 0;
    for (uint32_t k = rows->first[vertex]; k < rows->first[vertex + 1]; ++k) {
        sum = lmb_vec3_mad(sum,
                           lmb_mat4_point(palette[rows->items[k].joint], mesh->positions[vertex]),
                           rows->items[k].weight);
        total += rows->items[k].weight;
    }
    return total > 0 ? lmb_vec3_scale(sum, 1 / total) : mesh->positions[vertex];
}

static lmb_result bake_skinned(rigging *r, uint32_t instance, const lmb_mat4 *model_from_joint,
                               lmb_error *error)
{
    const lmb_instance *i = &r->in->instances[instance];
    const lmb_mesh *mesh = r->in->meshes[i->mesh];
    const lmb_skin *skin = r->in->skins[i->skin];
    lmb_mat4 *palette = lmbi_arena_array(&r->arena, skin->joint_count, sizeof *palette);
    lmb_vec3 *baked = lmbi_arena_array(&r->arena, mesh->vertex_count, sizeof *baked);
    if (!palette || !baked) {
        return lmbi_fail_memory(error);
    }
    lmb_skin_palette(skin, model_from_joint, palette);
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        baked[v] = posed(mesh, palette, v);
    }
    r->baked[instance] = baked;
    r->model_from_mesh[instance] = lmb_mat4_identity();
    return LMB_OK;
}

static lmb_result place_instances(rigging *r, lmb_error *error)
{
    const lmb_character *in = r->in;
    r->model_from_mesh = lmbi_arena_array(&r->arena, in->instance_count, sizeof(lmb_mat4));
    r->baked = lmbi_arena_array(&r->arena, in->instance_count, sizeof(lmb_vec3 *));
    lmb_mat4 *model_from_joint =
        lmbi_arena_array(&r->arena, in->skeleton->joint_count, sizeof(lmb_mat4));
    if (!r->model_from_mesh || !r->baked || !model_from_joint) {
        return lmbi_fail_memory(error);
    }
    lmb_pose_to_model(
        &(lmb_pose_to_model_job){.skeleton = in->skeleton, .model_from_joint = model_from_joint});
    for (uint32_t i = 0; i < in->instance_count; ++i) {
        const lmb_instance *instance = &in->instances[i];
        r->model_from_mesh[i] = model_from_joint[instance->joint];
        if (instance->skin != LMB_NONE && in->meshes[instance->mesh]->influences.first) {
            const lmb_result result = bake_skinned(r, i, model_from_joint, error);
            if (result != LMB_OK) {
                return result;
            }
        }
    }
    return LMB_OK;
}

static uint64_t triangles_of(const lmb_mesh *mesh)
{
    uint64_t count = 0;
    for (uint32_t p = 0; p < mesh->primitive_count; ++p) {
        count +=
            mesh->primitives[p].topology == LMB_TRIANGLES ? mesh->primitives[p].index_count / 3 : 0;
    }
    return count;
}

static void gather_instance(rigging *r, uint32_t instance)
{
    const lmb_mesh *mesh = r->in->meshes[r->in->instances[instance].mesh];
    const uint32_t first = r->position_count;
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        const lmb_vec3 p = r->baked[instance] ? r->baked[instance][v] : mesh->positions[v];
        r->positions[r->position_count++] = lmb_mat4_point(r->model_from_mesh[instance], p);
    }
    for (uint32_t p = 0; p < mesh->primitive_count; ++p) {
        const lmb_primitive *primitive = &mesh->primitives[p];
        if (primitive->topology != LMB_TRIANGLES) {
            continue;
        }
        for (uint32_t k = 0; k < primitive->index_count / 3 * 3; ++k) {
            r->triangles[3 * (size_t)r->triangle_count + k] =
                first + mesh->indices[primitive->first_index + k];
        }
        r->triangle_count += primitive->index_count / 3;
    }
}

static lmb_result gather(rigging *r, lmb_error *error)
{
    const lmb_character *in = r->in;
    uint64_t positions = 0, triangles = 0;
    for (uint32_t i = 0; i < in->instance_count; ++i) {
        positions += in->meshes[in->instances[i].mesh]->vertex_count;
        triangles += triangles_of(in->meshes[in->instances[i].mesh]);
    }
    if (triangles == 0) {
        return lmbi_fail(error, LMB_ERROR_UNSUPPORTED, "a mesh with triangles",
                         "a file without a surface");
    }
    if (positions > UINT32_MAX / 3 || triangles > UINT32_MAX / 3) {
        return lmbi_fail(error, LMB_ERROR_UNSUPPORTED, "at most 2^32 / 3 triangles", "%llu",
                         (unsigned long long)triangles);
    }
    r->positions = lmbi_arena_array(&r->arena, (size_t)positions, sizeof(lmb_vec3));
    r->triangles = lmbi_arena_array(&r->arena, (size_t)triangles * 3, sizeof(uint32_t));
    r->first_position =
        lmbi_arena_array(&r->arena, (size_t)in->instance_count + 1, sizeof(uint32_t));
    if (!r->positions || !r->triangles || !r->first_position) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t i = 0; i < in->instance_count; ++i) {
        r->first_position[i] = r->position_count;
        gather_instance(r, i);
    }
    r->first_position[in->instance_count] = r->position_count;
    return LMB_OK;
}

// ---- turning

static lmb_mat4 turn_and_scale(const lmb_embedding *e, const lmb_rig_opts *opts)
{
    const lmb_vec3 y = lmb_vec3_make(0, 1, 0);
    lmb_quat turn =
        lmb_vec3_dot(e->up, y) > 0.9999f ? lmb_quat_identity() : lmb_quat_between(e->up, y);
    if (opts->turn) {
        turn = lmb_quat_conjugate(lmb_quat_from_axes(e->left, e->up, e->forward));
    }
    const float scale = opts->height_m > 0 ? opts->height_m / e->height : 1;
    return lmb_mat4_from_transform((lmb_transform){{0, 0, 0}, turn, {scale, scale, scale}});
}

static void move_embedding(lmb_embedding *e, lmb_mat4 m)
{
    const float scale = lmb_vec3_length(lmb_mat4_vector(m, lmb_vec3_make(1, 0, 0)));
    for (uint32_t j = 0; j < e->joint_count; ++j) {
        e->joints[j] = lmb_mat4_point(m, e->joints[j]);
        e->tips[j] = lmb_mat4_point(m, e->tips[j]);
        e->hinges[j] = lmb_mat4_vector(m, e->hinges[j]);
    }
    e->left = lmb_vec3_scale(lmb_mat4_vector(m, e->left), 1 / scale);
    e->up = lmb_vec3_scale(lmb_mat4_vector(m, e->up), 1 / scale);
    e->forward = lmb_vec3_scale(lmb_mat4_vector(m, e->forward), 1 / scale);
    e->ground = lmb_mat4_point(m, e->ground);
    e->height *= scale;
}

// ---- building

static const char *skeleton_name(const lmb_embedding *e)
{
    return e->kind == LMB_SKELETON_HUMAN ? "humanoid" : lmb_skeleton_kind_name(e->kind);
}

/// The embedding's joints, then one node for each mesh.
static lmb_result build_skeleton(rigging *r, const lmb_embedding *e, lmb_error *error)
{
    const uint32_t count = e->joint_count + r->in->instance_count;
    lmb_skeleton def = {.name = skeleton_name(e),
                        .joint_count = count,
                        .parents = lmbi_arena_array(&r->arena, count, sizeof(int32_t)),
                        .rest = lmbi_arena_array(&r->arena, count, sizeof(lmb_transform)),
                        .names = lmbi_arena_array(&r->arena, count, sizeof(char *)),
                        .limits = lmbi_arena_array(&r->arena, count, sizeof(lmb_joint_limit)),
                        .tips = lmbi_arena_array(&r->arena, count, sizeof(lmb_vec3))};
    if (!def.parents || !def.rest || !def.names || !def.limits || !def.tips) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t j = 0; j < e->joint_count; ++j) {
        def.parents[j] = e->parents[j];
        def.rest[j] = lmb_transform_identity();
        def.rest[j].translation = def.parents[j] == LMB_NONE
                                      ? e->joints[j]
                                      : lmb_vec3_sub(e->joints[j], e->joints[def.parents[j]]);
        def.names[j] = e->names[j];
        def.limits[j] =
            e->kind == LMB_SKELETON_HUMAN ? lmbi_humanoid_limit(e, j) : lmbi_creature_limit(e, j);
        def.tips[j] = lmb_vec3_sub(e->tips[j], e->joints[j]);
    }
    for (uint32_t i = 0; i < r->in->instance_count; ++i) {
        const uint32_t node = e->joint_count + i;
        const lmb_mesh *mesh = r->in->meshes[r->in->instances[i].mesh];
        def.parents[node] = LMB_NONE;
        def.rest[node] = lmb_transform_identity();
        def.names[node] = mesh->name && mesh->name[0] ? mesh->name : "mesh";
    }
    return lmb_skeleton_create(&def, r->alloc, &r->skeleton, error);
}

static lmb_result build_skin(rigging *r, uint32_t instance, const lmb_embedding *e,
                             lmb_error *error)
{
    lmb_skin def = {.name = skeleton_name(e), .joint_count = e->joint_count, .root = 0};
    def.joints = lmbi_arena_array(&r->arena, e->joint_count, sizeof(uint32_t));
    def.joint_from_bind = lmbi_arena_array(&r->arena, e->joint_count, sizeof(lmb_mat4));
    if (!def.joints || !def.joint_from_bind) {
        return lmbi_fail_memory(error);
    }
    const lmb_mat4 model_from_bind =
        lmb_mat4_mul(r->model_from_input, r->model_from_mesh[instance]);
    for (uint32_t j = 0; j < e->joint_count; ++j) {
        def.joints[j] = j;
        lmb_mat4 joint_from_model = lmb_mat4_identity();
        joint_from_model.m[12] = -e->joints[j].x;
        joint_from_model.m[13] = -e->joints[j].y;
        joint_from_model.m[14] = -e->joints[j].z;
        def.joint_from_bind[j] = lmb_mat4_mul(joint_from_model, model_from_bind);
    }
    return lmb_skin_create(&def, r->alloc, &r->skins[instance], error);
}

static lmb_result build_mesh(rigging *r, uint32_t instance, const lmb_influences *all,
                             lmb_error *error)
{
    const lmb_mesh *mesh = r->in->meshes[r->in->instances[instance].mesh];
    lmb_mesh def = *mesh;
    def.positions = r->baked[instance] ? r->baked[instance] : mesh->positions;
    def.primitives = lmbi_arena_array(&r->arena, mesh->primitive_count, sizeof(lmb_primitive));
    def.influences.first =
        lmbi_arena_array(&r->arena, (size_t)mesh->vertex_count + 1, sizeof(uint32_t));
    if (!def.primitives || !def.influences.first) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t p = 0; p < mesh->primitive_count; ++p) {
        def.primitives[p] = mesh->primitives[p];
        def.primitives[p].attributes |= LMB_HAS_INFLUENCES;
    }
    const uint32_t *rows = all->first + r->first_position[instance];
    for (uint32_t v = 0; v <= mesh->vertex_count; ++v) {
        def.influences.first[v] = rows[v] - rows[0];
    }
    def.influences.items = all->items + rows[0];
    return lmb_mesh_create(&def, r->alloc, &r->meshes[instance], error);
}

static lmb_result build_parts(rigging *r, const lmb_embedding *e, const lmb_influences *all,
                              lmb_error *error)
{
    const uint32_t count = r->in->instance_count;
    r->meshes = lmbi_arena_array(&r->arena, count, sizeof(lmb_mesh *));
    r->skins = lmbi_arena_array(&r->arena, count, sizeof(lmb_skin *));
    if (!r->meshes || !r->skins) {
        return lmbi_fail_memory(error);
    }
    lmb_result result = build_skeleton(r, e, error);
    for (uint32_t i = 0; i < count && result == LMB_OK; ++i) {
        result = build_skin(r, i, e, error);
        if (result == LMB_OK) {
            result = build_mesh(r, i, all, error);
        }
    }
    return result;
}

static void discard_parts(rigging *r)
{
    for (uint32_t i = 0; r->meshes && r->skins && i < r->in->instance_count; ++i) {
        lmb_mesh_destroy(r->meshes[i]);
        lmb_skin_destroy(r->skins[i]);
    }
    lmb_skeleton_destroy(r->skeleton);
}

/// The new character takes the look of the old one over; the rest of the old one goes.
static lmb_result exchange(rigging *r, lmb_character **character, lmb_error *error)
{
    lmb_character *old = *character;
    lmb_instance *instances = lmbi_arena_array(&r->arena, old->instance_count, sizeof *instances);
    if (!instances) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t i = 0; i < old->instance_count; ++i) {
        instances[i] = old->instances[i];
        instances[i].joint = r->embedding.joint_count + i;
        instances[i].mesh = i;
        instances[i].skin = (int32_t)i;
    }
    const lmb_character def = {.name = old->name,
                               .skeleton = r->skeleton,
                               .look = old->look,
                               .mesh_count = old->instance_count,
                               .skin_count = old->instance_count,
                               .instance_count = old->instance_count,
                               .meshes = r->meshes,
                               .skins = r->skins,
                               .instances = instances};
    lmb_character *made = NULL;
    const lmb_result result = lmb_character_create(&def, r->alloc, &made, error);
    if (result != LMB_OK) {
        return result;
    }
    old->look = NULL; // the new character has it
    lmb_character_destroy(old);
    *character = made;
    return LMB_OK;
}

lmb_result lmb_rig(lmb_character **character, const lmb_rig_opts *opts, lmb_rig_report *out_report,
                   const lmb_allocator *alloc, lmb_error *error)
{
    static const lmb_rig_opts defaults;
    rigging r = {.in = *character, .opts = opts ? opts : &defaults, .alloc = alloc};
    lmbi_arena_init(&r.arena, alloc);
    lmb_influences weights = {0};
    lmb_result result = place_instances(&r, error);
    if (result == LMB_OK) {
        result = gather(&r, error);
    }
    if (result == LMB_OK) {
        result = lmb_embed(r.positions, r.position_count, r.triangles, r.triangle_count,
                           &r.opts->embed, alloc, &r.embedding, error);
    }
    lmb_rig_report report = {0};
    if (result == LMB_OK) {
        if (r.embedding.kind == LMB_SKELETON_HUMAN) {
            lmbi_name_humanoid(r.opts->names, &r.embedding);
        }
        report.embedding = r.embedding;
        report.vertex_count = r.position_count;
        report.triangle_count = r.triangle_count;
        const lmb_weights_opts weighing = {.method = r.opts->weights,
                                           .influences = r.opts->influences,
                                           .jobs = r.opts->embed.jobs,
                                           .progress = r.opts->progress};
        result =
            lmbi_weigh(&r.embedding, r.positions, r.position_count, r.triangles, r.triangle_count,
                       &weighing, &r.arena, &weights, &report.weights, error);
    }
    if (result == LMB_OK) {
        r.model_from_input = report.model_from_input = turn_and_scale(&r.embedding, r.opts);
        move_embedding(&r.embedding, r.model_from_input);
        result = build_parts(&r, &r.embedding, &weights, error);
        if (result == LMB_OK) {
            result = exchange(&r, character, error);
        }
        if (result != LMB_OK) {
            discard_parts(&r);
        }
    }
    if (result == LMB_OK && out_report) {
        *out_report = report;
    }
    lmbi_arena_free(&r.arena);
    return result;
}
