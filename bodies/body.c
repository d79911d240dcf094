// Makes the character of a body, with the ground truth.
#include "bodies/body.h"

#include "base/alloc.h"
#include "base/block.h"
#include "base/error.h"
#include "bodies/mesh.h"
#include "bodies/truth.h"

#include <math.h>
#include <string.h>

enum { DEFAULT_TRIANGLES = 20000, FEWEST_TRIANGLES = 500, MOST_TRIANGLES = 2000000 };

// Transform from the plan's space (+Y up, facing +Z, metres, any height) to the requested one
// (standing on the ground).
typedef struct {
    float drop;
    lmb_quat rotation;
    float scale;
} placement;

static placement make_placement(const lmb_made_body_opts *opts, const lmb_surface *surface)
{
    placement p = {lmb_box_of(surface->positions, surface->vertex_count).low.y,
                   lmb_quat_axis_angle(lmb_vec3_make(0, 1, 0), opts->yaw_rad),
                   opts->scale > 0.0f ? opts->scale : 1.0f};
    return p;
}

static lmb_vec3 transform_direction(const lmb_made_body_opts *opts, const placement *p, lmb_vec3 v)
{
    const lmb_vec3 t = opts->yaw_rad != 0.0f ? lmb_quat_rotate(p->rotation, v) : v;
    return opts->z_up ? lmb_vec3_make(t.x, 0.0f - t.z, t.y) : t;
}

static lmb_vec3 transform_point(const lmb_made_body_opts *opts, const placement *p, lmb_vec3 v)
{
    v.y -= p->drop;
    return lmb_vec3_scale(transform_direction(opts, p, v), p->scale);
}

// Sorts triangles by material; one primitive for each material that is used.
static uint32_t group_by_material(const lmbi_plan *plan, const lmbi_body_mesh *mesh,
                                  uint32_t *indices, lmb_primitive *primitives)
{
    uint32_t used = 0, count = 0;
    for (uint32_t m = 0; m < plan->material_count; ++m) {
        const uint32_t first = used;
        uint32_t low = UINT32_MAX, high = 0;
        for (uint32_t t = 0; t < mesh->surface.triangle_count; ++t) {
            for (uint32_t k = 0; k < 3 && mesh->materials[t] == m; ++k) {
                const uint32_t v = mesh->surface.triangles[3 * (size_t)t + k];
                indices[used++] = v;
                low = v < low ? v : low;
                high = v > high ? v : high;
            }
        }
        if (used > first) {
            const lmb_primitive p = {.name = plan->materials[m].name,
                                     .topology = LMB_TRIANGLES,
                                     .first_index = first,
                                     .index_count = used - first,
                                     .first_vertex = low,
                                     .vertex_count = high - low + 1,
                                     .attributes = LMB_HAS_NORMALS,
                                     .material = (int32_t)count};
            primitives[count++] = p;
        }
    }
    return count;
}

static lmb_result make_look(const lmbi_plan *plan, const lmb_primitive *primitives, uint32_t count,
                            lmb_appearance **out, lmb_error *error)
{
    lmb_material materials[LMBI_MATERIALS] = {0};
    for (uint32_t i = 0; i < count; ++i) {
        for (uint32_t m = 0; m < plan->material_count; ++m) {
            if (strcmp(plan->materials[m].name, primitives[i].name) == 0) {
                materials[i].name = plan->materials[m].name;
                materials[i].base_color = plan->materials[m].color;
                materials[i].roughness = plan->materials[m].roughness;
                materials[i].base_color_texture = LMB_NONE;
            }
        }
    }
    const lmb_appearance def = {.material_count = count, .materials = materials};
    return lmb_appearance_create(&def, plan->alloc, out, error);
}

static lmb_result make_mesh(const lmbi_plan *plan, const lmbi_body_mesh *made,
                            const lmbi_truth *truth, bool rigged, lmb_mesh **out_mesh,
                            lmb_appearance **out_look, lmb_error *error)
{
    const lmb_surface *s = &made->surface;
    lmb_primitive primitives[LMBI_MATERIALS];
    uint32_t *indices =
        lmbi_alloc_array(plan->alloc, 3 * (size_t)s->triangle_count, sizeof *indices);
    lmb_result result = LMB_ERROR_MEMORY;
    if (indices != NULL) {
        lmb_mesh def = {.name = plan->name,
                        .vertex_count = s->vertex_count,
                        .positions = s->positions,
                        .normals = made->normals,
                        .index_count = 3 * s->triangle_count,
                        .indices = indices,
                        .primitives = primitives};
        def.primitive_count = group_by_material(plan, made, indices, primitives);
        if (rigged) {
            def.influences.first = truth->first;
            def.influences.items = truth->items;
            for (uint32_t i = 0; i < def.primitive_count; ++i) {
                primitives[i].attributes |= LMB_HAS_INFLUENCES;
            }
        }
        result = lmb_mesh_create(&def, plan->alloc, out_mesh, error);
        if (result == LMB_OK) {
            result = make_look(plan, primitives, def.primitive_count, out_look, error);
            if (result != LMB_OK) {
                lmb_mesh_destroy(*out_mesh);
            }
        }
    } else {
        result = lmbi_fail_memory(error);
    }
    lmbi_free(plan->alloc, indices);
    return result;
}

// Joint 0 is the node that carries the mesh; a rigged character has the true joints below it.
static lmb_result make_skeleton(const lmbi_plan *plan, const lmbi_truth *truth, bool rigged,
                                lmb_skeleton **out, lmb_error *error)
{
    int32_t parents[LMBI_BONES + 1] = {LMB_NONE};
    lmb_transform rest[LMBI_BONES + 1];
    const char *names[LMBI_BONES + 1];
    rest[0] = lmb_transform_identity();
    names[0] = plan->name;
    for (uint32_t j = 0; j < truth->joint_count; ++j) {
        const lmbi_bone *bone = &plan->bones[truth->bone_of[j]];
        const bool root = bone->parent == LMB_NONE;
        const int parent = root ? LMB_NONE : truth->joint_of[bone->parent];
        parents[j + 1] = root ? 0 : parent + 1;
        names[j + 1] = bone->name;
        rest[j + 1] = lmb_transform_identity();
        rest[j + 1].translation =
            root ? bone->at : lmb_vec3_sub(bone->at, plan->bones[truth->bone_of[parent]].at);
    }
    const lmb_skeleton def = {.name = plan->name,
                              .joint_count = rigged ? truth->joint_count + 1 : 1,
                              .parents = parents,
                              .rest = rest,
                              .names = names};
    return lmb_skeleton_create(&def, plan->alloc, out, error);
}

static lmb_result make_skin(const lmbi_plan *plan, const lmbi_truth *truth, lmb_skin **out,
                            lmb_error *error)
{
    uint32_t joints[LMBI_BONES];
    lmb_mat4 inverse[LMBI_BONES];
    for (uint32_t j = 0; j < truth->joint_count; ++j) {
        const lmb_vec3 at = plan->bones[truth->bone_of[j]].at;
        joints[j] = j + 1;
        inverse[j] = lmb_mat4_identity();
        inverse[j].m[12] = -at.x;
        inverse[j].m[13] = -at.y;
        inverse[j].m[14] = -at.z;
    }
    const lmb_skin def = {.name = plan->name,
                          .joint_count = truth->joint_count,
                          .joints = joints,
                          .joint_from_bind = inverse,
                          .root = 1};
    return lmb_skin_create(&def, plan->alloc, out, error);
}

static lmb_result make_character(const lmbi_plan *plan, const lmbi_body_mesh *made,
                                 const lmbi_truth *truth, bool rigged, lmb_character **out,
                                 lmb_error *error)
{
    lmb_mesh *mesh = NULL;
    lmb_appearance *look = NULL;
    lmb_skeleton *skeleton = NULL;
    lmb_skin *skin = NULL;
    lmb_result result = make_mesh(plan, made, truth, rigged, &mesh, &look, error);
    if (result != LMB_OK) {
        return result;
    }
    result = make_skeleton(plan, truth, rigged, &skeleton, error);
    if (result == LMB_OK && rigged) {
        result = make_skin(plan, truth, &skin, error);
    }
    if (result == LMB_OK) {
        lmb_instance instance = {.joint = 0, .mesh = 0, .skin = rigged ? 0 : LMB_NONE};
        const lmb_character def = {.name = plan->name,
                                   .skeleton = skeleton,
                                   .appearance = look,
                                   .mesh_count = 1,
                                   .meshes = &mesh,
                                   .skin_count = rigged ? 1 : 0,
                                   .skins = &skin,
                                   .instance_count = 1,
                                   .instances = &instance};
        result = lmb_character_create(&def, plan->alloc, out, error);
    }
    if (result != LMB_OK) {
        lmb_mesh_destroy(mesh);
        lmb_appearance_destroy(look);
        lmb_skeleton_destroy(skeleton);
        lmb_skin_destroy(skin);
    }
    return result;
}

// Lays out the arrays of a body in one block; run twice, to measure and to fill.
static void lay_out_body(lmbi_block *block, lmb_made_body *body, const lmbi_plan *plan,
                         const lmbi_truth *truth, const lmbi_body_mesh *made)
{
    const char *names[LMBI_BONES], *missing[LMBI_BONES];
    int32_t parents[LMBI_BONES];
    lmb_vec3 positions[LMBI_BONES];
    uint32_t missing_count = 0;
    const uint32_t n = made->surface.vertex_count;
    lmb_made_body *copy_in_block = lmbi_block_array(block, body, 1, sizeof *body);
    for (uint32_t j = 0; j < truth->joint_count; ++j) {
        const lmbi_bone *bone = &plan->bones[truth->bone_of[j]];
        names[j] = lmbi_block_string(block, bone->name);
        parents[j] = bone->parent == LMB_NONE ? LMB_NONE : truth->joint_of[bone->parent];
        positions[j] = bone->at;
    }
    for (uint32_t b = 0; b < plan->bone_count; ++b) {
        if (!plan->bones[b].present && plan->bones[b].name != NULL) {
            missing[missing_count++] = lmbi_block_string(block, plan->bones[b].name);
        }
    }
    body->joint_count = truth->joint_count;
    body->vertex_count = n;
    body->missing_count = missing_count;
    body->names = lmbi_block_array(block, names, truth->joint_count, sizeof *names);
    body->parents = lmbi_block_array(block, parents, truth->joint_count, sizeof *parents);
    body->positions = lmbi_block_array(block, positions, truth->joint_count, sizeof *positions);
    body->missing = lmbi_block_array(block, missing, missing_count, sizeof *missing);
    body->weights.first =
        lmbi_block_array(block, truth->first, (size_t)n + 1, sizeof *truth->first);
    body->weights.items =
        lmbi_block_array(block, truth->items, truth->first[n], sizeof *truth->items);
    body->pose = lmbi_block_string(block, plan->pose);
    if (copy_in_block != NULL) {
        *copy_in_block = *body;
    }
}

static lmb_result make_body(const lmb_made_body_opts *opts, lmbi_plan *plan,
                            const lmbi_body_mesh *made, const lmbi_truth *truth,
                            lmb_made_body **out, lmb_error *error)
{
    const placement p = make_placement(opts, &made->surface);
    for (uint32_t v = 0; v < made->surface.vertex_count; ++v) {
        made->surface.positions[v] = transform_point(opts, &p, made->surface.positions[v]);
        made->normals[v] = transform_direction(opts, &p, made->normals[v]);
    }
    for (uint32_t b = 0; b < plan->bone_count; ++b) {
        plan->bones[b].at = transform_point(opts, &p, plan->bones[b].at);
    }
    lmb_made_body body = {.arm_angle_rad = plan->arm_angle_rad, .unit_m = 1.0f / p.scale};
    body.up = transform_direction(opts, &p, lmb_vec3_make(0, 1, 0));
    body.facing = transform_direction(opts, &p, lmb_vec3_make(0, 0, 1));
    const lmb_box box = lmb_box_of(made->surface.positions, made->surface.vertex_count);
    body.height = lmb_vec3_dot(body.up, lmb_vec3_sub(box.high, box.low));
    if (plan->alloc != NULL) {
        body.allocator = *plan->alloc;
    }
    lmb_result result = make_character(plan, made, truth, opts->rigged, &body.character, error);
    if (result != LMB_OK) {
        return result;
    }
    lmbi_block measure = {0};
    lmb_made_body copy = body;
    lay_out_body(&measure, &copy, plan, truth, made);
    lmbi_block fill = {.base = measure.overflow ? NULL : lmbi_alloc(plan->alloc, measure.used)};
    if (fill.base == NULL) {
        lmb_character_destroy(body.character);
        return lmbi_fail_memory(error);
    }
    lay_out_body(&fill, &body, plan, truth, made);
    *out = (void *)fill.base;
    return LMB_OK;
}

static lmb_result check_opts(const lmb_made_body_opts *opts, lmb_error *error)
{
    const uint32_t n = opts->triangle_count;
    if ((unsigned)opts->kind > LMB_MADE_BIPED) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a kind of body", "%d", (int)opts->kind);
    }
    if (n != 0 && (n < FEWEST_TRIANGLES || n > MOST_TRIANGLES)) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "500 to 2000000 triangles", "%u", n);
    }
    if (!(opts->scale >= 0.0f) || !(fabsf(opts->yaw_rad) < 100.0f) || !(opts->scale < 1e6f)) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a finite yaw and a scale from 0 to 1e6",
                         "%g, %g", (double)opts->yaw_rad, (double)opts->scale);
    }
    if (!(opts->arm_angle_rad >= 0.0f) || !(opts->arm_angle_rad <= 0.5f * LMB_PI)) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "an arm angle from 0 to a quarter turn", "%g",
                         (double)opts->arm_angle_rad);
    }
    return LMB_OK;
}

static void make_plan(lmbi_plan *plan, const lmb_made_body_opts *opts)
{
    switch (opts->kind) {
    case LMB_MADE_HUMANOID:
        lmbi_plan_humanoid(plan, opts);
        break;
    case LMB_MADE_QUADRUPED:
        lmbi_plan_quadruped(plan, opts);
        break;
    case LMB_MADE_BIRD:
        lmbi_plan_bird(plan, opts);
        break;
    case LMB_MADE_HAND:
        lmbi_plan_hand(plan, opts);
        break;
    case LMB_MADE_FISH:
        lmbi_plan_fish(plan, opts);
        break;
    case LMB_MADE_SNAKE:
        lmbi_plan_snake(plan, opts);
        break;
    case LMB_MADE_SPIDER:
        lmbi_plan_spider(plan, opts);
        break;
    case LMB_MADE_BIPED:
        lmbi_plan_biped(plan, opts);
        break;
    }
    lmbi_plan_pose(plan);
}

static uint32_t eye_segments(uint32_t triangle_count)
{
    const float n = sqrtf((float)triangle_count) / 10.0f;
    return n < 6.0f ? 6 : n > 48.0f ? 48 : (uint32_t)n;
}

static lmb_result create_from_plan(const lmb_made_body_opts *opts, lmbi_plan *plan,
                                   lmb_made_body **out, lmb_error *error)
{
    const uint32_t n = opts->triangle_count > 0 ? opts->triangle_count : DEFAULT_TRIANGLES,
                   segments = eye_segments(n);
    const uint32_t eyes = plan->eye_count * 2 * (segments / 2 + 2) * segments;
    lmbi_body_mesh mesh;
    lmbi_truth truth;
    lmb_result result =
        lmbi_body_mesh_make(plan, n > 2 * eyes ? n - eyes : n, opts->jobs, &mesh, error);
    if (result != LMB_OK) {
        return result;
    }
    result = lmbi_body_mesh_paint(plan, &mesh, opts->jobs, error);
    if (result == LMB_OK) {
        result = lmbi_body_mesh_eyes(plan, &mesh, segments, error);
    }
    if (result == LMB_OK) {
        result = lmbi_body_mesh_normals(plan, &mesh, opts->jobs, error);
    }
    if (result == LMB_OK) {
        result = lmbi_truth_make(plan, &mesh, &truth, error);
    }
    if (result == LMB_OK) {
        result = make_body(opts, plan, &mesh, &truth, out, error);
        lmbi_truth_free(plan, &truth);
    }
    lmbi_body_mesh_free(&mesh);
    return result;
}

lmb_result lmb_made_body_create(const lmb_made_body_opts *opts, const lmb_allocator *alloc,
                                lmb_made_body **out, lmb_error *error)
{
    lmb_result result = check_opts(opts, error);
    if (result != LMB_OK) {
        return result;
    }
    lmbi_plan *plan = lmbi_alloc(alloc, sizeof *plan);
    if (plan == NULL) {
        return lmbi_fail_memory(error);
    }
    lmbi_plan_init(plan, alloc);
    make_plan(plan, opts);
    result = create_from_plan(opts, plan, out, error);
    lmbi_plan_free(plan);
    lmbi_free(alloc, plan);
    return result;
}

void lmb_made_body_destroy(lmb_made_body *body)
{
    if (body != NULL) {
        const lmb_allocator alloc = body->allocator;
        lmb_character_destroy(body->character);
        lmbi_free(&alloc, body);
    }
}
