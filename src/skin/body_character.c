#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "math/math.h"
#include "skin/body_correctives.h"
#include "skin/morph_set.h"
#include "skin/skin.h"

typedef struct character_builder {
    const lmb_body_model *model;
    const lmb_body_character_opts *opts;
    const lmb_body_motion *motion; ///< NULL: at rest
    const lmb_allocator *alloc;
    lmb_error *error;
    lmbi_arena arena;
    lmb_body_skin *skin;
    uint32_t driven_count; ///< number of joints driven by the motion: the model's first ones
    lmb_quat *rotations;   ///< [frame_count][joint_count]
    lmbi_correctives correctives;
    lmb_character def;
} character_builder;

static void *arena_array(character_builder *m, size_t count, size_t size)
{
    return lmbi_arena_array(&m->arena, count, size);
}

/// Number of leading joints that a model and a motion have in common. SMPL's last two joints are hands,
/// which SMPL-H and SMPL-X replace by fingers, so different kinds share the 22 joints of the body.
static uint32_t shared_joints(uint32_t model, uint32_t motion)
{
    enum { BODY = 22 };
    if (model == motion) {
        return model;
    }
    const uint32_t least = model < motion ? model : motion;
    return least > BODY && (model == 24 || model == 52 || model == 55) &&
                   (motion == 24 || motion == 52 || motion == 55)
               ? BODY
               : least;
}

// ----------------------------------------------------------------------------------------- motion

static lmb_result read_motion(character_builder *m)
{
    const lmb_body_motion *motion = m->motion;
    const uint32_t joints = m->model->joint_count;
    m->rotations = arena_array(m, lmbi_size_mul(motion->frame_count, joints), sizeof(lmb_quat));
    float *features =
        arena_array(m, lmbi_size_mul(motion->frame_count, m->model->feature_count), sizeof(float));
    if (m->rotations == NULL || features == NULL) {
        return lmbi_fail_memory(m->error);
    }
    m->driven_count = shared_joints(joints, motion->joint_count);
    for (uint32_t f = 0; f < motion->frame_count; ++f) {
        lmb_quat *row = m->rotations + (size_t)f * joints;
        const lmb_vec3 *rotation_vectors = motion->rotations + (size_t)f * motion->joint_count;
        for (uint32_t j = 0; j < joints; ++j) {
            row[j] = j < m->driven_count ? lmbi_rotation_vector(rotation_vectors[j])
                                         : lmb_quat_identity();
        }
        // The shape-dependent correctives are already in the mesh.
        lmbi_body_features(m->model, row, 0, features + (size_t)f * m->model->feature_count);
    }
    if (m->model->feature_count == 0) {
        return LMB_OK;
    }
    return lmbi_correctives_build(m->model, features, motion->frame_count, m->opts->tolerance,
                                  m->opts->jobs, &m->arena, &m->correctives, m->error);
}

/// Flips the quaternion into the hemisphere of the previous key: some players interpolate the four
/// numbers linearly.
static lmb_quat in_hemisphere_of(lmb_quat q, lmb_quat before)
{
    return lmb_quat_dot(q, before) < 0 ? lmb_quat_make(-q.x, -q.y, -q.z, -q.w) : q;
}

static lmb_quat axes_rotation(const character_builder *m)
{
    const lmb_quat q = m->opts->model_from_motion;
    return lmb_quat_dot(q, q) > 0 ? lmb_quat_normalize(q) : lmb_quat_identity();
}

static void rotation_keys(character_builder *m, uint32_t joint, float *values)
{
    lmb_quat before = lmb_quat_identity();
    for (uint32_t f = 0; f < m->motion->frame_count; ++f) {
        lmb_quat q = lmb_quat_normalize(m->rotations[(size_t)f * m->model->joint_count + joint]);
        q = joint == 0 ? lmb_quat_mul(axes_rotation(m), q) : q;
        before = in_hemisphere_of(q, before);
        memcpy(values + (size_t)4 * f, &before, sizeof before);
    }
}

/// The pelvis position in the shaped body plus the translation, both in the motion's axes.
static void translation_keys(character_builder *m, float *values)
{
    const lmb_vec3 pelvis = lmbi_body_skin_joints(m->skin)[0];
    for (uint32_t f = 0; f < m->motion->frame_count; ++f) {
        const lmb_vec3 p =
            lmb_quat_rotate(axes_rotation(m), lmb_vec3_add(pelvis, m->motion->translations[f]));
        memcpy(values + (size_t)3 * f, &p, sizeof p);
    }
}

static lmb_result build_clip(character_builder *m)
{
    const uint32_t frames = m->motion->frame_count, targets = m->correctives.count;
    const float given = m->opts->frame_rate > 0 ? m->opts->frame_rate : m->motion->frame_rate;
    const float rate = given > 0 ? given : 30.0f;
    const uint32_t count = m->driven_count + 1 + (targets > 0);
    lmb_channel *channels = arena_array(m, count, sizeof *channels);
    float *ticks = arena_array(m, frames, sizeof *ticks);
    if (channels == NULL || ticks == NULL) {
        return lmbi_fail_memory(m->error);
    }
    for (uint32_t f = 0; f < frames; ++f) {
        ticks[f] = (float)f;
    }
    for (uint32_t c = 0; c < count; ++c) {
        lmb_channel *channel = &channels[c];
        // Joint 0 of the skeleton carries the mesh; the model's joints follow.
        *channel = (lmb_channel){.key_count = frames, .ticks = ticks};
        channel->joint = c == 0 ? 1 : c <= m->driven_count ? c : 0;
        channel->path = c == 0                 ? LMB_PATH_TRANSLATION
                        : c <= m->driven_count ? LMB_PATH_ROTATION
                                               : LMB_PATH_WEIGHTS;
        channel->width = c == 0 ? 3 : c <= m->driven_count ? 4 : targets;
        channel->values = c <= m->driven_count
                              ? arena_array(m, (size_t)frames * channel->width, sizeof(float))
                              : m->correctives.weights;
        if (channel->values == NULL) {
            return lmbi_fail_memory(m->error);
        }
        if (c == 0) {
            translation_keys(m, channel->values);
        } else if (c <= m->driven_count) {
            rotation_keys(m, c - 1, channel->values);
        }
    }
    m->def.clips = arena_array(m, 1, sizeof(lmb_clip *));
    if (m->def.clips == NULL) {
        return lmbi_fail_memory(m->error);
    }
    const lmb_clip def = {.name = "motion",
                          .ticks_per_s = rate,
                          .duration = (float)(frames - 1),
                          .frame_rate = rate,
                          .channel_count = count,
                          .channels = channels};
    const lmb_result result = lmb_clip_create(&def, m->alloc, &m->def.clips[0], m->error);
    m->def.clip_count = result == LMB_OK;
    return result;
}

// ------------------------------------------------------------------------------------------- mesh

/// The rest mesh: the shaped body, plus STAR's shape-dependent corrective.
static lmb_vec3 *rest_positions(character_builder *m)
{
    const lmb_body_model *model = m->model;
    const size_t n = model->vertex_count;
    lmb_vec3 *positions = arena_array(m, n, sizeof *positions);
    if (positions == NULL) {
        return NULL;
    }
    memcpy(positions, lmbi_body_skin_vertices(m->skin), n * sizeof *positions);
    if (model->feature_of_shape) {
        const lmb_vec3 *direction = model->pose_directions + (size_t)(model->feature_count - 1) * n;
        for (size_t v = 0; v < n; ++v) {
            positions[v] = lmb_vec3_mad(positions[v], direction[v], m->skin->second_shape);
        }
    }
    return positions;
}

/// Normals of the mesh, and for each target their change at weight 1.
static lmb_result add_normals(character_builder *m, lmb_mesh *mesh)
{
    lmbi_morph_surface surface;
    const size_t n = mesh->vertex_count;
    lmb_result result = lmbi_morph_surface_build(&surface, mesh, m->alloc, m->error);
    lmb_vec3 *moved = arena_array(m, n, sizeof *moved);
    mesh->normals = arena_array(m, n, sizeof *mesh->normals);
    if (result == LMB_OK && (moved == NULL || mesh->normals == NULL)) {
        result = lmbi_fail_memory(m->error);
    }
    for (size_t v = 0; result == LMB_OK && v < n; ++v) {
        const lmb_vec3 up = {0, 1, 0}, normal = surface.normals[v];
        mesh->normals[v] = lmb_vec3_dot(normal, normal) > 0 ? normal : up;
    }
    for (uint32_t t = 0; result == LMB_OK && t < mesh->target_count; ++t) {
        lmb_morph_target *target = &mesh->targets[t];
        target->normals = arena_array(m, n, sizeof *target->normals);
        if (target->normals == NULL) {
            result = lmbi_fail_memory(m->error);
            break;
        }
        for (size_t v = 0; v < n; ++v) {
            moved[v] = lmb_vec3_add(mesh->positions[v], target->positions[v]);
        }
        for (uint32_t v = 0; v < n; ++v) {
            const lmb_vec3 normal = lmbi_morph_surface_normal(&surface, moved, v);
            target->normals[v] = lmb_vec3_dot(normal, normal) > 0
                                     ? lmb_vec3_sub(normal, mesh->normals[v])
                                     : lmb_vec3_make(0, 0, 0);
        }
    }
    lmbi_morph_surface_free(&surface, m->alloc);
    return result;
}

static lmb_result name_targets(character_builder *m, lmb_mesh *mesh)
{
    const size_t n = mesh->vertex_count;
    mesh->target_count = m->correctives.count;
    mesh->targets = arena_array(m, mesh->target_count, sizeof *mesh->targets);
    for (uint32_t t = 0; mesh->targets != NULL && t < mesh->target_count; ++t) {
        char name[32];
        const int length = snprintf(name, sizeof name, "corrective%u", t);
        mesh->targets[t] =
            (lmb_morph_target){.name = lmbi_arena_string(&m->arena, name, (size_t)length),
                               .positions = m->correctives.targets + t * n};
        if (mesh->targets[t].name == NULL) {
            return lmbi_fail_memory(m->error);
        }
    }
    return mesh->targets != NULL ? LMB_OK : lmbi_fail_memory(m->error);
}

static lmb_result build_mesh(character_builder *m)
{
    const lmb_body_model *model = m->model;
    lmb_primitive primitive = {.index_count = model->index_count,
                               .vertex_count = model->vertex_count,
                               .attributes = LMB_HAS_NORMALS | LMB_HAS_INFLUENCES,
                               .material = LMB_NONE};
    lmb_mesh def = {.name = model->name != NULL ? model->name : "body",
                    .vertex_count = model->vertex_count,
                    .positions = rest_positions(m),
                    .index_count = model->index_count,
                    .indices = model->indices,
                    .primitive_count = 1,
                    .primitives = &primitive,
                    .influences = model->influences};
    m->def.meshes = arena_array(m, 1, sizeof(lmb_mesh *));
    if (def.positions == NULL || m->def.meshes == NULL) {
        return lmbi_fail_memory(m->error);
    }
    lmb_result result = name_targets(m, &def);
    if (result == LMB_OK) {
        result = add_normals(m, &def);
    }
    if (result == LMB_OK) {
        result = lmb_mesh_create(&def, m->alloc, &m->def.meshes[0], m->error);
    }
    m->def.mesh_count = result == LMB_OK;
    return result;
}

// --------------------------------------------------------------------------------------- skeleton

static lmb_result build_skeleton(character_builder *m)
{
    const lmb_body_model *model = m->model;
    const uint32_t count = model->joint_count + 1;
    const lmb_vec3 *joints = lmbi_body_skin_joints(m->skin);
    int32_t *parents = arena_array(m, count, sizeof *parents);
    lmb_transform *rest = arena_array(m, count, sizeof *rest);
    const char **names = arena_array(m, count, sizeof *names);
    if (parents == NULL || rest == NULL || names == NULL) {
        return lmbi_fail_memory(m->error);
    }
    parents[0] = LMB_NONE;
    rest[0] = lmb_transform_identity();
    names[0] = model->name != NULL ? model->name : "body";
    for (uint32_t j = 0; j < model->joint_count; ++j) {
        const int32_t parent = model->parents[j];
        parents[j + 1] = parent + 1; // the root is a child of the mesh's node
        rest[j + 1] = lmb_transform_identity();
        rest[j + 1].translation =
            parent == LMB_NONE ? joints[j] : lmb_vec3_sub(joints[j], joints[parent]);
        names[j + 1] = model->names[j];
    }
    const lmb_skeleton def = {
        .joint_count = count, .parents = parents, .rest = rest, .names = names};
    return lmb_skeleton_create(&def, m->alloc, &m->def.skeleton, m->error);
}

static lmb_result build_skin(character_builder *m)
{
    const uint32_t count = m->model->joint_count;
    const lmb_vec3 *positions = lmbi_body_skin_joints(m->skin);
    uint32_t *joints = arena_array(m, count, sizeof *joints);
    lmb_mat4 *bind = arena_array(m, count, sizeof *bind);
    m->def.skins = arena_array(m, 1, sizeof(lmb_skin *));
    m->def.instances = arena_array(m, 1, sizeof *m->def.instances);
    if (joints == NULL || bind == NULL || m->def.skins == NULL || m->def.instances == NULL) {
        return lmbi_fail_memory(m->error);
    }
    for (uint32_t j = 0; j < count; ++j) {
        joints[j] = j + 1;
        bind[j] = lmb_mat4_identity();
        bind[j].m[12] = -positions[j].x;
        bind[j].m[13] = -positions[j].y;
        bind[j].m[14] = -positions[j].z;
    }
    const lmb_skin def = {
        .joint_count = count, .joints = joints, .joint_from_bind = bind, .root = 1};
    const lmb_result result = lmb_skin_create(&def, m->alloc, &m->def.skins[0], m->error);
    m->def.skin_count = result == LMB_OK;
    m->def.instances[0] = (lmb_instance){.joint = 0, .mesh = 0, .skin = 0};
    m->def.instance_count = 1;
    return result;
}

// -------------------------------------------------------------------------------------- character

static lmb_result create_body_skin(character_builder *m)
{
    const lmb_body_character_opts *opts = m->opts;
    if (m->motion != NULL && (m->motion->frame_count == 0 || m->motion->joint_count == 0)) {
        return lmbi_fail(m->error, LMB_ERROR_INVALID, "a motion with frames", "none");
    }
    const lmb_result result = lmb_body_skin_create(m->model, NULL, m->alloc, &m->skin, m->error);
    if (result == LMB_OK && opts->shape != NULL) {
        lmb_body_skin_shape(m->skin, opts->shape, opts->shape_count);
    } else if (result == LMB_OK && m->motion != NULL) {
        lmb_body_skin_shape(m->skin, m->motion->shape, m->motion->shape_count);
    }
    return result;
}

static lmb_result build_character(character_builder *m, lmb_character **out)
{
    static lmb_result (*const steps[])(character_builder *) = {
        create_body_skin, read_motion, build_mesh, build_skeleton, build_skin, build_clip};
    for (size_t k = 0; k < sizeof steps / sizeof *steps; ++k) {
        if (m->motion == NULL && (steps[k] == read_motion || steps[k] == build_clip)) {
            continue;
        }
        const lmb_result result = steps[k](m);
        if (result != LMB_OK) {
            return result;
        }
    }
    m->def.name = m->model->name;
    return lmb_character_create(&m->def, m->alloc, out, m->error);
}

static void destroy_parts(const lmb_character *def)
{
    lmb_skeleton_destroy(def->skeleton);
    if (def->mesh_count > 0) {
        lmb_mesh_destroy(def->meshes[0]);
    }
    if (def->skin_count > 0) {
        lmb_skin_destroy(def->skins[0]);
    }
    if (def->clip_count > 0) {
        lmb_clip_destroy(def->clips[0]);
    }
}

lmb_result lmb_body_character_create(const lmb_body_model *model,
                                     const lmb_body_character_opts *opts,
                                     const lmb_allocator *alloc, lmb_character **out,
                                     lmb_body_character_report *report, lmb_error *error)
{
    const lmb_body_character_opts none = {0};
    character_builder m = {
        .model = model, .opts = opts ? opts : &none, .alloc = alloc, .error = error};
    m.motion = m.opts->motion;
    lmbi_arena_init(&m.arena, alloc);
    const lmb_result result = build_character(&m, out);
    if (result != LMB_OK) {
        destroy_parts(&m.def);
    } else if (report != NULL) {
        const uint32_t given = m.motion != NULL ? m.motion->joint_count : 0;
        *report = (lmb_body_character_report){
            .target_count = m.correctives.count,
            .error = m.correctives.error,
            .joints_dropped = given > m.driven_count ? given - m.driven_count : 0};
    }
    lmb_body_skin_destroy(m.skin);
    lmbi_arena_free(&m.arena);
    return result;
}
