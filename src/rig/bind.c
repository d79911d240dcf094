/// Binds a character to another skeleton.
#include <string.h>

#include "base/error.h"
#include "geometry/tree.h"
#include "rig/bind.h"
#include "rig/bind_keep.h"
#include "rig/bind_pose.h"
#include "rig/rig.h"
#include "rig/weights_rows.h"

typedef struct binding {
    const lmb_character *in;
    const lmb_bind_opts *opts;
    const lmb_allocator *alloc;
    lmbi_arena arena;
    lmbi_rest_matrices *matrices; ///< [instance_count]
    lmb_mat4 *model;              ///< [skeleton joint_count] model_from_joint
    uint32_t *skin_joints;        ///< joints that deform
    uint32_t *slot_of;            ///< [skeleton joint_count] index in skin_joints
    uint32_t *node_of; ///< [skeleton joint_count] in the new skeleton; those dropped share it
    uint32_t kept_count;
    uint32_t skin_joint_count;
    lmb_influences rows; ///< of all instances' vertices, joints as in the skin
    lmb_mesh **meshes;   ///< [instance_count], owned until the character is made
    lmb_skin **skins;    ///< [instance_count]
    lmb_skeleton *skeleton;
} binding;

// ---- weights

/// Numbers the joints that the character gets.
static void list_kept(binding *b)
{
    const lmb_skeleton *s = b->opts->skeleton;
    for (uint32_t j = 0; j < s->joint_count; ++j) {
        b->node_of[j] =
            !b->opts->dropped || !b->opts->dropped[j] || !b->opts->deforms || b->opts->deforms[j];
    }
    for (uint32_t j = 0; j < s->joint_count; ++j) {
        if (s->parents[j] != LMB_NONE) {
            b->node_of[s->parents[j]] = 1;
        }
    }
    for (uint32_t j = 0; j < s->joint_count; ++j) {
        const bool kept = b->node_of[j] != 0;
        b->node_of[j] = b->kept_count;
        b->kept_count += kept;
    }
}

static bool is_kept(const binding *b, uint32_t joint)
{
    const uint32_t n = b->opts->skeleton->joint_count;
    return b->node_of[joint] != (joint + 1 < n ? b->node_of[joint + 1] : b->kept_count);
}

static lmb_result list_joints(binding *b, lmb_error *error)
{
    uint32_t n = b->opts->skeleton->joint_count;
    b->node_of = lmbi_arena_array(&b->arena, n, sizeof *b->node_of);
    b->model = lmbi_arena_array(&b->arena, n, sizeof *b->model);
    b->skin_joints = lmbi_arena_array(&b->arena, n, sizeof *b->skin_joints);
    b->slot_of = lmbi_arena_array(&b->arena, n, sizeof *b->slot_of);
    if (!b->model || !b->skin_joints || !b->slot_of || !b->node_of) {
        return lmbi_fail_memory(error);
    }
    lmb_pose_to_model(
        &(lmb_pose_to_model_job){.skeleton = b->opts->skeleton, .model_from_joint = b->model});
    for (uint32_t j = 0; j < n; ++j) {
        if (!b->opts->deforms || b->opts->deforms[j]) {
            b->slot_of[j] = b->skin_joint_count;
            b->skin_joints[b->skin_joint_count++] = j;
        }
    }
    list_kept(b);
    return LMB_OK;
}

/// Whether the skeleton to bind to is the character's own.
static bool is_own(const binding *b)
{
    const lmb_skeleton *own = b->in->skeleton, *to = b->opts->skeleton;
    bool same = own->joint_count == to->joint_count &&
                memcmp(own->rest, to->rest, own->joint_count * sizeof *own->rest) == 0;
    for (uint32_t j = 0; same && j < own->joint_count; ++j) {
        same = own->parents[j] == to->parents[j] && strcmp(own->names[j], to->names[j]) == 0;
    }
    return same;
}

/// Joints and meshes of a character that gets its own skeleton anew stay where they were bound.
static lmb_result keep_bind_pose(binding *b, lmb_error *error)
{
    lmbi_bind_pose pose;
    bool found = false;
    if (!is_own(b) || !lmbi_is_posed(b->in, b->matrices)) {
        return LMB_OK;
    }
    const lmb_result result = lmbi_find_bind_pose(b->in, &b->arena, &pose, &found, error);
    b->model = found ? pose.model : b->model;
    for (uint32_t i = 0; found && i < b->in->instance_count; ++i) {
        b->matrices[i] = (lmbi_rest_matrices){.model_from_mesh = pose.model_from_mesh[i]};
    }
    return result;
}

/// Bones of another skeleton where the meshes stand at rest.
static lmb_result build_bones(const binding *b, lmb_surface **surface, lmbi_bones **out,
                              lmb_error *error)
{
    lmbi_tree *tree = NULL;
    lmb_result result = lmb_character_surface(b->in, b->alloc, surface, error);
    result = result == LMB_OK ? lmbi_require_triangles(*surface, error) : result;
    if (result == LMB_OK) {
        result = lmbi_tree_create(*surface, b->alloc, &tree, error);
    }
    if (result == LMB_OK) {
        const lmbi_bones_def def = {.skeleton = b->opts->skeleton,
                                    .model_from_joint = b->model,
                                    .deforms = b->opts->deforms,
                                    .surface = *surface,
                                    .tree = tree};
        result = lmbi_bones_create(&def, b->alloc, out, error);
    }
    // lmbi_weights_create builds its own: two trees at once would set the peak of memory
    lmbi_tree_destroy(tree);
    return result;
}

static lmb_result solve(binding *b, const lmb_surface *surface, const lmbi_bones *bones,
                        lmb_weights_report *report, lmb_error *error)
{
    lmb_weights *weights = NULL;
    lmb_result result =
        lmbi_weights_create(surface, bones, &b->opts->weights, b->alloc, &weights, report, error);
    if (result == LMB_OK) {
        result = lmbi_rows_unweld(weights, surface->vertex_of, surface->part_vertex_count,
                                  &b->arena, &b->rows, error);
    }
    lmb_weights_destroy(weights);
    return result;
}

/// Rows whose joints are those of the skeleton.
static lmb_result weigh(binding *b, lmb_weights_report *report, lmb_error *error)
{
    lmb_surface *surface = NULL;
    lmbi_bones *bones = NULL;
    lmb_result result =
        is_own(b) ? lmbi_own_bones(b->in, b->opts->deforms, b->alloc, &surface, &bones, error)
                  : build_bones(b, &surface, &bones, error);
    if (result == LMB_OK) {
        result = solve(b, surface, bones, report, error);
    }
    lmbi_bones_destroy(bones);
    lmb_surface_destroy(surface);
    return result;
}

/// Puts the character's own rows in place of those that were solved for, which share out what new joints get.
static lmb_result keep(binding *b, lmb_weights_report *report, lmb_error *error)
{
    const uint32_t given = b->opts->weights.influences;
    lmbi_kept_joints joints = {0};
    lmb_result result = lmbi_kept_joints_find(b->in, b->opts->skeleton, b->opts->deforms, &b->arena,
                                              &joints, error);
    const bool grows = joints.new_count > 0;
    if (result == LMB_OK && grows) {
        result = weigh(b, report, error);
    }
    if (result == LMB_OK) {
        const lmb_influences solved = b->rows;
        result = lmbi_kept_rows(b->in, &joints, grows ? &solved : NULL, given ? given : 4,
                                &b->arena, &b->rows, error);
    }
    report->joint_count = b->skin_joint_count;
    report->kept_joint_count = joints.kept_count;
    report->new_joint_count = joints.new_count;
    report->gone_joint_count = joints.gone_count;
    return result;
}

// ---- building

static lmb_result build_skeleton(binding *b, lmb_error *error)
{
    const lmb_skeleton *from = b->opts->skeleton;
    const uint32_t n = b->kept_count, count = n + b->in->instance_count;
    lmb_skeleton def = {.name = from->name,
                        .joint_count = count,
                        .parents = lmbi_arena_array(&b->arena, count, sizeof(int32_t)),
                        .rest = lmbi_arena_array(&b->arena, count, sizeof(lmb_transform)),
                        .names = lmbi_arena_array(&b->arena, count, sizeof(char *)),
                        .limits = lmbi_arena_array(&b->arena, count, sizeof(lmb_joint_limit)),
                        .tips = lmbi_arena_array(&b->arena, count, sizeof(lmb_vec3))};
    if (!def.parents || !def.rest || !def.names || !def.limits || !def.tips) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t j = 0; j < from->joint_count; ++j) {
        const uint32_t to = b->node_of[j];
        const int32_t parent = from->parents[j];
        if (!is_kept(b, j)) {
            continue;
        }
        def.parents[to] = parent == LMB_NONE ? LMB_NONE : (int32_t)b->node_of[parent];
        def.rest[to] = from->rest[j];
        def.names[to] = from->names[j];
        def.limits[to] = from->limits ? from->limits[j] : (lmb_joint_limit){.kind = LMB_JOINT_FREE};
        def.tips[to] = from->tips ? from->tips[j] : lmb_vec3_make(0, 0, 0);
    }
    for (uint32_t i = 0; i < b->in->instance_count; ++i) {
        const lmb_mesh *mesh = b->in->meshes[b->in->instances[i].mesh];
        def.parents[n + i] = LMB_NONE;
        def.rest[n + i] = lmb_transform_identity();
        def.names[n + i] = mesh->name && mesh->name[0] ? mesh->name : "mesh";
    }
    return lmb_skeleton_create(&def, b->alloc, &b->skeleton, error);
}

static lmb_result build_skin(binding *b, uint32_t instance, lmb_error *error)
{
    lmb_skin def = {.name = b->opts->skeleton->name,
                    .joint_count = b->skin_joint_count,
                    .joints = lmbi_arena_array(&b->arena, b->skin_joint_count, sizeof(uint32_t)),
                    .root = LMB_NONE};
    def.joint_from_bind = lmbi_arena_array(&b->arena, b->skin_joint_count, sizeof(lmb_mat4));
    if (!def.joints || !def.joint_from_bind) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t k = 0; k < b->skin_joint_count; ++k) {
        def.joints[k] = b->node_of[b->skin_joints[k]];
    }
    lmb_mat4 model_from_bind =
        b->matrices[instance].blended ? lmb_mat4_identity() : b->matrices[instance].model_from_mesh;
    for (uint32_t k = 0; k < b->skin_joint_count; ++k) {
        lmb_mat4 joint_from_model;
        if (!lmb_mat4_inverse_affine(b->model[b->skin_joints[k]], &joint_from_model)) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "joints with a size at rest",
                             "%s is scaled to nothing",
                             b->opts->skeleton->names[b->skin_joints[k]]);
        }
        def.joint_from_bind[k] = lmb_mat4_mul(joint_from_model, model_from_bind);
    }
    return lmb_skin_create(&def, b->alloc, &b->skins[instance], error);
}

static lmb_result build_mesh(binding *b, uint32_t instance, uint32_t first_vertex, lmb_error *error)
{
    lmb_mesh def = *b->in->meshes[b->in->instances[instance].mesh];
    lmb_primitive *primitives =
        lmbi_arena_array(&b->arena, def.primitive_count, sizeof *primitives);
    uint32_t *first = lmbi_arena_array(&b->arena, (size_t)def.vertex_count + 1, sizeof *first);
    if (!primitives || !first ||
        (b->matrices[instance].blended &&
         !lmbi_rest_bake(&b->matrices[instance], &b->arena, &def))) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t p = 0; p < def.primitive_count; ++p) {
        primitives[p] = def.primitives[p];
        primitives[p].attributes |= LMB_HAS_INFLUENCES;
    }
    const uint32_t *rows = b->rows.first + first_vertex;
    for (uint32_t v = 0; v <= def.vertex_count; ++v) {
        first[v] = rows[v] - rows[0];
    }
    def.primitives = primitives;
    def.influences = (lmb_influences){first, b->rows.items + rows[0]};
    def.envelope = NULL; // of joints that were
    return lmb_mesh_create(&def, b->alloc, &b->meshes[instance], error);
}

static lmb_result build(binding *b, lmb_error *error)
{
    uint32_t count = b->in->instance_count, first_vertex = 0;
    b->meshes = lmbi_arena_array(&b->arena, count, sizeof(lmb_mesh *));
    b->skins = lmbi_arena_array(&b->arena, count, sizeof(lmb_skin *));
    if (!b->meshes || !b->skins) {
        return lmbi_fail_memory(error);
    }
    lmb_result result = build_skeleton(b, error);
    for (uint32_t i = 0; i < count && result == LMB_OK; ++i) {
        result = build_skin(b, i, error);
        if (result == LMB_OK) {
            result = build_mesh(b, i, first_vertex, error);
        }
        first_vertex += b->in->meshes[b->in->instances[i].mesh]->vertex_count;
    }
    return result;
}

static void discard(binding *b)
{
    for (uint32_t i = 0; b->meshes && b->skins && i < b->in->instance_count; ++i) {
        lmb_mesh_destroy(b->meshes[i]);
        lmb_skin_destroy(b->skins[i]);
    }
    lmb_skeleton_destroy(b->skeleton);
}

/// Moves the old character's look to the new one, without the extensions that name nodes, and
/// destroys the old one.
static lmb_result replace_character(binding *b, lmb_character **character, lmb_error *error)
{
    lmb_character *old = *character;
    uint32_t count = old->instance_count;
    lmb_instance *instances = lmbi_arena_array(&b->arena, count, sizeof *instances);
    if (!instances) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t i = 0; i < count; ++i) {
        instances[i] = (lmb_instance){.joint = b->kept_count + i,
                                      .mesh = i,
                                      .skin = (int32_t)i,
                                      .target_weights = old->instances[i].target_weights};
    }
    const lmb_character parts = {.skeleton = b->skeleton,
                                 .mesh_count = count,
                                 .skin_count = count,
                                 .instance_count = count,
                                 .meshes = b->meshes,
                                 .skins = b->skins,
                                 .instances = instances};
    return lmbi_character_replace(character, &parts, b->alloc, error);
}

static lmb_result finish(binding *b, lmb_character **character, lmb_error *error)
{
    lmb_result result = build(b, error);
    if (result == LMB_OK) {
        result = replace_character(b, character, error);
    }
    if (result != LMB_OK) {
        discard(b);
    }
    return result;
}

/// Takes rows whose joints are those of the skeleton.
static lmb_result copy_rows(binding *b, const lmb_influences *rows, lmb_error *error)
{
    size_t count = 0;
    for (uint32_t i = 0; i < b->in->instance_count; ++i) {
        count += b->in->meshes[b->in->instances[i].mesh]->vertex_count;
    }
    lmb_influence *items = lmbi_arena_array(&b->arena, rows->first[count], sizeof *items);
    if (!items) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t k = 0; k < rows->first[count]; ++k) {
        items[k] = (lmb_influence){b->slot_of[rows->items[k].joint], rows->items[k].weight};
    }
    b->rows = (lmb_influences){rows->first, items};
    return LMB_OK;
}

lmb_result lmbi_bind_rows(lmb_character **character, const lmb_skeleton *skeleton,
                          const uint8_t *deforms, const lmb_influences *rows,
                          const lmb_allocator *alloc, lmb_error *error)
{
    const lmb_bind_opts opts = {.skeleton = skeleton, .deforms = deforms};
    binding b = {.in = *character, .opts = &opts, .alloc = alloc};
    lmbi_arena_init(&b.arena, alloc);
    lmb_result result = lmbi_find_rest_matrices(*character, &b.arena, &b.matrices, error);
    if (result == LMB_OK) {
        result = list_joints(&b, error);
    }
    if (result == LMB_OK) {
        result = copy_rows(&b, rows, error);
    }
    if (result == LMB_OK) {
        result = finish(&b, character, error);
    }
    lmbi_arena_free(&b.arena);
    return result;
}

lmb_result lmb_bind(lmb_character **character, const lmb_bind_opts *opts,
                    lmb_weights_report *report, const lmb_allocator *alloc, lmb_error *error)
{
    binding b = {.in = *character, .opts = opts, .alloc = alloc};
    lmbi_arena_init(&b.arena, alloc);
    lmb_weights_report made = {0};
    lmb_result result = lmbi_find_rest_matrices(*character, &b.arena, &b.matrices, error);
    if (result == LMB_OK) {
        result = list_joints(&b, error);
    }
    if (result == LMB_OK) {
        result = keep_bind_pose(&b, error);
    }
    if (result == LMB_OK) {
        result = opts->keep_weights ? keep(&b, &made, error) : weigh(&b, &made, error);
    }
    if (result == LMB_OK) {
        const lmb_influences rows = b.rows;
        result = copy_rows(&b, &rows, error);
    }
    if (result == LMB_OK) {
        result = finish(&b, character, error);
    }
    lmbi_arena_free(&b.arena);
    if (result == LMB_OK && report) {
        *report = made;
    }
    return result;
}
