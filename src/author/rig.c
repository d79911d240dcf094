/// Rigs a character: embeds a skeleton, binds the meshes, and builds the new scene.
#include "author/author.h"
#include "author/bound.h"
#include "author/gather.h"
#include "author/rest.h"
#include "embed/creature/creature.h"
#include "mapping/body_joint.h"
#include "rig/bind.h"

#include "base/alloc.h"
#include "base/error.h"

#include <math.h>
#include <string.h>

typedef struct rigging {
    const lmb_character *in;
    const lmb_rig_opts *opts;
    bool for_motion;
    lmb_skeleton_kind moved; ///< the kind of body of the motions, if they have one
    lmbi_arena arena;
    const lmb_allocator *alloc;
    lmbi_gathered g;
    lmbi_bound_mesh as_bound;
    const lmb_vec3 *searched; ///< positions at rest, or as bound
    lmb_embedding bound;      ///< in these
    lmb_embedding embedding;  ///< in the new rest pose
    lmbi_rest *rest;          ///< or NULL
    uint32_t stretched_count;
    uint16_t joints[LMB_EMBEDDING_JOINTS];        ///< as lmbi_keep_find has them
    lmb_joint_limit limits[LMB_EMBEDDING_JOINTS]; ///< of the joints that stay
    lmb_mat4 model_from_input;
    lmb_mesh **meshes; ///< [instance_count], owned until the character is made
    lmb_skin **skins;  ///< [instance_count]
    lmb_skeleton *skeleton;
} rigging;

// ---- turning

static lmb_mat4 rotation_and_scale(const lmb_embedding *e, const lmb_rig_opts *opts)
{
    const lmb_vec3 y = lmb_vec3_make(0, 1, 0);
    lmb_quat rotation =
        lmb_vec3_dot(e->up, y) > 0.9999f ? lmb_quat_identity() : lmb_quat_between(e->up, y);
    if (opts->face_z) {
        rotation = lmb_quat_conjugate(lmb_quat_from_axes(e->left, e->up, e->forward));
    }
    const float scale = opts->height_m > 0 ? opts->height_m / e->height : 1;
    return lmb_mat4_from_transform((lmb_transform){{0, 0, 0}, rotation, {scale, scale, scale}});
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

/// Names the rest pose, if one was requested.
static const char *skeleton_name(const rigging *r)
{
    static const char *const humans[] = {"humanoid", "humanoid in T-pose", "humanoid in A-pose"};
    return r->embedding.kind == LMB_SKELETON_HUMAN ? humans[r->opts->rest]
                                                   : lmb_skeleton_kind_name(r->embedding.kind);
}

/// The embedding's joints, followed by one node per mesh.
static lmb_result build_skeleton(rigging *r, const lmb_embedding *e, lmb_error *error)
{
    const uint32_t count = e->joint_count + r->in->instance_count;
    lmb_skeleton def = {.name = skeleton_name(r),
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
        def.limits[j] = r->limits[j];
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
    lmb_skin def = {.name = skeleton_name(r), .joint_count = e->joint_count, .root = 0};
    def.joints = lmbi_arena_array(&r->arena, e->joint_count, sizeof(uint32_t));
    def.joint_from_bind = lmbi_arena_array(&r->arena, e->joint_count, sizeof(lmb_mat4));
    if (!def.joints || !def.joint_from_bind) {
        return lmbi_fail_memory(error);
    }
    const lmb_mat4 model_from_bind =
        lmb_mat4_mul(r->model_from_input, r->g.model_from_mesh[instance]);
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
    const lmb_mesh *mesh = &r->g.meshes[instance];
    lmb_mesh def = *mesh;
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
    const uint32_t *rows = all->first + r->g.first_position[instance];
    for (uint32_t v = 0; v <= mesh->vertex_count; ++v) {
        def.influences.first[v] = rows[v] - rows[0];
    }
    def.influences.items = all->items + rows[0];
    def.envelope = NULL; // of joints that were
    const lmb_result result = lmb_mesh_create(&def, r->alloc, &r->meshes[instance], error);
    if (result == LMB_OK && r->rest) {
        lmbi_rest_mesh(r->rest, &r->bound, r->g.model_from_mesh[instance], r->meshes[instance]);
        r->stretched_count += lmbi_rest_stretched(r->g.positions + r->g.first_position[instance],
                                                  r->g.model_from_mesh[instance],
                                                  r->meshes[instance], 0.005f * r->bound.height);
    }
    if (result == LMB_OK) {
        lmbi_keep_weights(r->joints, mesh->vertex_count, &r->meshes[instance]->influences);
    }
    return result;
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

/// Moves the old character's look to the new one, without the extensions that name nodes, and
/// destroys the old one.
static lmb_result replace_character(rigging *r, lmb_character **character, lmb_error *error)
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
    const lmb_character parts = {.skeleton = r->skeleton,
                                 .mesh_count = old->instance_count,
                                 .skin_count = old->instance_count,
                                 .instance_count = old->instance_count,
                                 .meshes = r->meshes,
                                 .skins = r->skins,
                                 .instances = instances};
    return lmbi_character_replace(character, &parts, r->alloc, error);
}

/// Reports the stage; fails if the caller cancels.
static lmb_result report_stage(const rigging *r, const char *stage, lmb_error *error)
{
    const lmb_progress *p = r->opts->progress;
    return !p || !p->report || p->report(p->user, stage, 0)
               ? LMB_OK
               : lmbi_fail(error, LMB_ERROR_CANCELLED, "to go on", "cancelled by the caller");
}

/// At this confidence and below it a skeleton is doubtful, as author.h says.
static const float DOUBTFUL = 0.5f;

static lmb_result embed_kind(const rigging *r, lmb_skeleton_kind kind, lmb_embedding *out,
                             lmb_error *error)
{
    lmb_embed_opts opts = r->opts->embed;
    opts.kind = kind;
    return lmb_embed(r->searched, r->g.position_count, r->g.triangles, r->g.triangle_count, &opts,
                     r->alloc, out, error);
}

/// Whether what was found second is taken for a motion: of the kind that the motion moves, or surer. A fish is no human
/// because its fins can be read as limbs.
static bool is_better(const rigging *r, const lmb_embedding *first, const lmb_embedding *second)
{
    return r->moved != LMB_SKELETON_AUTO || !first ||
           (second->kind != LMB_SKELETON_GENERIC && second->overall > first->overall);
}

/// For a motion of an animal what is sure, or that animal; for others a humanoid where it is sure, or what is surer. Where
/// no kind fits, the error is that of the first that was tried.
static lmb_result embed_for_motion(rigging *r, lmb_embedding *out, lmb_error *error)
{
    const bool human_only = r->moved == LMB_SKELETON_HUMAN,
               of_animal = !human_only && r->moved != LMB_SKELETON_AUTO;
    const lmb_result result =
        embed_kind(r, of_animal ? LMB_SKELETON_AUTO : LMB_SKELETON_HUMAN, out, error);
    const bool found = result == LMB_OK;
    if (human_only || (found && (out->overall > DOUBTFUL || out->kind == r->moved)) ||
        (!found && result != LMB_ERROR_UNSUPPORTED)) {
        return result;
    }
    lmb_embedding *second = lmbi_arena_array(&r->arena, 1, sizeof *second);
    lmb_error second_error = {0};
    if (!second) {
        return lmbi_fail_memory(error);
    }
    const lmb_result other = embed_kind(r, r->moved, second, &second_error);
    if (other == LMB_OK && is_better(r, found ? out : NULL, second)) {
        *out = *second;
        return LMB_OK;
    }
    if (other != LMB_OK && other != LMB_ERROR_UNSUPPORTED && error) {
        *error = second_error;
    }
    return other == LMB_OK || other == LMB_ERROR_UNSUPPORTED ? result : other;
}

static lmb_result search_in(rigging *r, const lmb_vec3 *positions, lmb_embedding *out,
                            lmb_error *error)
{
    r->searched = positions;
    return r->for_motion && r->opts->embed.kind == LMB_SKELETON_AUTO &&
                   !r->opts->embed.body_template
               ? embed_for_motion(r, out, error)
               : embed_kind(r, r->opts->embed.kind, out, error);
}

/// Searches where the meshes were bound, if that is another pose: limbs are apart there. What is
/// doubtful there is searched at rest too, and what the user marks is marked there.
static lmb_result search(rigging *r, lmb_error *error)
{
    const lmb_embed_opts *opts = &r->opts->embed;
    lmb_embedding *first = NULL;
    lmb_result result = LMB_ERROR_UNSUPPORTED;
    if (opts->marker_count == 0 && opts->chain_count == 0) {
        result = lmbi_bound_find(r->in, &r->g, &r->arena, &r->as_bound, error);
        if (result != LMB_OK) {
            return result;
        }
    }
    if (r->as_bound.positions) {
        first = lmbi_arena_array(&r->arena, 1, sizeof *first);
        result =
            first ? search_in(r, r->as_bound.positions, first, error) : lmbi_fail_memory(error);
        if (result == LMB_OK && first->overall > DOUBTFUL) {
            r->bound = *first;
            return result;
        }
    }
    const lmb_result second = search_in(r, r->g.positions, &r->bound, error);
    if (first && result == LMB_OK && (second != LMB_OK || first->overall > r->bound.overall)) {
        r->bound = *first;
        r->searched = r->as_bound.positions;
        return LMB_OK;
    }
    return second;
}

/// What was found where the meshes were bound is put back in the rest pose, or, if another one is
/// wanted, the meshes start from there.
static lmb_result leave_bind_pose(rigging *r, lmb_error *error)
{
    if (r->searched != r->as_bound.positions) {
        return LMB_OK;
    }
    if (r->opts->rest == LMB_REST_AS_IS) {
        return lmbi_bound_to_rest(&r->as_bound, r->in, &r->g, &r->arena, &r->embedding, error);
    }
    r->g.positions = r->as_bound.positions;
    r->g.model_from_mesh = r->as_bound.model_from_mesh;
    for (uint32_t i = 0; i < r->in->instance_count; ++i) {
        r->g.meshes[i] = *r->in->meshes[r->in->instances[i].mesh];
    }
    return LMB_OK;
}

/// Finds the skeleton and its rest pose.
static lmb_result find_skeleton(rigging *r, lmb_rig_report *report, lmb_error *error)
{
    lmb_result result = report_stage(r, "skeleton", error);
    if (result == LMB_OK) {
        result = search(r, error);
    }
    if (result == LMB_OK) {
        r->embedding = r->bound;
        result = leave_bind_pose(r, error);
    }
    if (result != LMB_OK) {
        return result;
    }
    if (r->opts->rest != LMB_REST_AS_IS) {
        r->rest = lmbi_arena_array(&r->arena, 1, sizeof *r->rest);
        result = r->rest ? lmbi_rest_find(&r->bound, r->opts->rest, r->rest, error)
                         : lmbi_fail_memory(error);
        if (result != LMB_OK) {
            return result;
        }
        lmbi_rest_move(r->rest, &r->embedding);
        report->rotated_count = r->rest->turned_count;
        report->rotated_rad = r->rest->largest_rad;
    }
    if (r->embedding.kind == LMB_SKELETON_HUMAN) {
        lmbi_name_humanoid(r->opts->names, &r->embedding);
    }
    result = lmbi_keep_find(r->opts, &r->embedding, r->joints, error);
    if (result == LMB_OK) {
        report->embedding = r->embedding;
        lmbi_keep_joints(r->joints, &report->embedding);
        report->vertex_count = r->g.position_count;
        report->triangle_count = r->g.triangle_count;
    }
    return result;
}

static lmb_result weigh(rigging *r, lmb_influences *weights, lmb_weights_report *report,
                        lmb_error *error)
{
    const lmb_weights_opts opts = {.method = r->opts->weights,
                                   .influences = r->opts->influences,
                                   .soft = r->opts->soft,
                                   .jobs = r->opts->embed.jobs,
                                   .progress = r->opts->progress};
    const lmb_result result = report_stage(r, "skin", error);
    if (result != LMB_OK) {
        return result;
    }
    const lmb_surface_part *parts = lmbi_gathered_parts(&r->g, r->searched, &r->arena);
    return parts ? lmbi_weigh(&r->bound, parts, r->g.instance_count, &opts, &r->arena, weights,
                              report, error)
                 : lmbi_fail_memory(error);
}

/// Finds the limits of all joints, since those of a human go by their order, and then leaves out the
/// joints that are not wanted. Their vertices follow what stands for them: build_mesh.
static void leave_joints_out(rigging *r)
{
    lmb_embedding *e = &r->embedding;
    for (uint32_t j = e->joint_count; j-- > 0;) { // the one that stays comes last
        r->limits[r->joints[j]] = lmbi_embedded_limit(e, j);
    }
    lmbi_keep_joints(r->joints, e);
}

/// Fails if too many triangles stretch: arms merged with the body cannot be lifted.
static lmb_result check_stretched(const rigging *r, lmb_error *error)
{
    const float most = 0.02f, fraction = (float)r->stretched_count / (float)r->g.triangle_count;
    return fraction <= most
               ? LMB_OK
               : lmbi_fail(error, LMB_ERROR_UNSUPPORTED,
                           "limbs that are apart from the body, for a T- or an A-pose",
                           "a figure with limbs that are one with its body: in that pose "
                           "%.0f%% of the surface would be torn",
                           (double)(100 * fraction));
}

static lmb_result build_character(rigging *r, const lmb_influences *weights,
                                  lmb_character **character, lmb_error *error)
{
    r->model_from_input = rotation_and_scale(&r->embedding, r->opts);
    move_embedding(&r->embedding, r->model_from_input);
    leave_joints_out(r);
    lmb_result result = report_stage(r, "character", error);
    if (result == LMB_OK) {
        result = build_parts(r, &r->embedding, weights, error);
    }
    if (result == LMB_OK) {
        result = check_stretched(r, error);
    }
    if (result == LMB_OK) {
        result = replace_character(r, character, error);
    }
    if (result != LMB_OK) {
        discard_parts(r);
    }
    return result;
}

static lmb_result rig_character(lmb_character **character, const lmb_rig_opts *opts,
                                bool for_motion, lmb_skeleton_kind moved,
                                lmb_rig_report *out_report, const lmb_allocator *alloc,
                                lmb_error *error)
{
    rigging r = {
        .in = *character, .opts = opts, .for_motion = for_motion, .moved = moved, .alloc = alloc};
    lmbi_arena_init(&r.arena, alloc);
    lmb_influences weights = {0};
    lmb_rig_report report = {0};
    lmb_body_template *made = NULL;
    lmb_result result = lmbi_gather(r.in, &r.arena, &r.g, error);
    if (result == LMB_OK) {
        result = find_skeleton(&r, &report, error);
    }
    if (result == LMB_OK && opts->out_template) {
        result = lmb_body_template_of_body(r.searched, r.g.position_count, r.g.triangles,
                                           r.g.triangle_count, &r.bound, alloc, &made, error);
    }
    if (result == LMB_OK) {
        result = weigh(&r, &weights, &report.weights, error);
    }
    if (result == LMB_OK) {
        result = build_character(&r, &weights, character, error);
    }
    if (result == LMB_OK && out_report) {
        report.model_from_input = r.model_from_input;
        report.stretched_count = r.stretched_count;
        *out_report = report;
    }
    if (result == LMB_OK && made) {
        *opts->out_template = made;
    } else {
        lmb_body_template_destroy(made);
    }
    lmbi_arena_free(&r.arena);
    return result;
}

lmb_result lmb_rig(lmb_character **character, const lmb_rig_opts *opts, lmb_rig_report *out_report,
                   const lmb_allocator *alloc, lmb_error *error)
{
    static const lmb_rig_opts defaults;
    return rig_character(character, opts ? opts : &defaults, false, LMB_SKELETON_AUTO, out_report,
                         alloc, error);
}

lmb_result lmb_rig_for_motion(lmb_character **character, const lmb_rig_opts *opts,
                              lmb_skeleton_kind moved, lmb_rig_report *report,
                              const lmb_allocator *alloc, lmb_error *error)
{
    lmb_rig_opts rig = *opts;
    rig.face_z = true;
    return rig_character(character, &rig, true, moved, report, alloc, error);
}
