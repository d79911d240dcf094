#include "learn/bound.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

/// Largest difference of two bind transforms that count as one, relative to their size.
static const float SAME = 1e-3f;

static const lmb_mesh *mesh_of(const lmb_character *c, uint32_t instance)
{
    return c->meshes[c->instances[instance].mesh];
}

static bool is_skinned(const lmb_character *c, uint32_t instance)
{
    return c->instances[instance].skin != LMB_NONE && mesh_of(c, instance)->influences.first;
}

// ---- bones: the joints of all skins

static bool is_same(lmb_mat4 a, lmb_mat4 b)
{
    float size = 0, difference = 0;
    for (int e = 0; e < 16; ++e) {
        size = fmaxf(size, fabsf(a.m[e]));
        difference = fmaxf(difference, fabsf(a.m[e] - b.m[e]));
    }
    return difference <= SAME * size;
}

/// The transform from a skin's space to the first one's, from a joint that both bind.
static lmb_result find_space(lmbi_bound *b, uint32_t skin, lmb_error *error)
{
    const lmb_skin *s = b->character->skins[skin];
    bool found = false;
    b->bind_from_mesh[skin] = lmb_mat4_identity();
    for (uint32_t k = 0; k < s->joint_count; ++k) {
        const int32_t bone = b->bone_of[s->joints[k]];
        lmb_mat4 back;
        if (bone == LMB_NONE || !lmb_mat4_inverse_affine(b->joint_from_bind[bone], &back)) {
            continue;
        }
        const lmb_mat4 space = lmb_mat4_mul(back, s->joint_from_bind[k]);
        if (found && !is_same(space, b->bind_from_mesh[skin])) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "skins that bind their joints in one pose",
                             "skin %u, which binds \"%s\" otherwise than another joint", skin,
                             b->character->skeleton->names[s->joints[k]]);
        }
        b->bind_from_mesh[skin] = found ? b->bind_from_mesh[skin] : space;
        found = true;
    }
    return LMB_OK;
}

/// Adds the joints that no skin before has bound.
static bool add_bones(lmbi_bound *b, uint32_t skin)
{
    const lmb_skin *s = b->character->skins[skin];
    lmb_mat4 mesh_from_bind;
    if (!lmb_mat4_inverse_affine(b->bind_from_mesh[skin], &mesh_from_bind)) {
        return false;
    }
    for (uint32_t k = 0; k < s->joint_count; ++k) {
        if (b->bone_of[s->joints[k]] == LMB_NONE) {
            b->bone_of[s->joints[k]] = (int32_t)b->bone_count;
            b->joints[b->bone_count] = s->joints[k];
            b->joint_from_bind[b->bone_count++] =
                lmb_mat4_mul(s->joint_from_bind[k], mesh_from_bind);
        }
    }
    return true;
}

static lmb_result find_bones(lmbi_bound *b, lmb_error *error)
{
    const uint32_t joints = b->character->skeleton->joint_count;
    b->joints = lmbi_arena_array(&b->arena, joints, sizeof *b->joints);
    b->bone_of = lmbi_arena_array(&b->arena, joints, sizeof *b->bone_of);
    b->joint_from_bind = lmbi_arena_array(&b->arena, joints, sizeof *b->joint_from_bind);
    b->bind_from_mesh =
        lmbi_arena_array(&b->arena, b->character->skin_count, sizeof *b->bind_from_mesh);
    if (!b->joints || !b->bone_of || !b->joint_from_bind || !b->bind_from_mesh) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t j = 0; j < joints; ++j) {
        b->bone_of[j] = LMB_NONE;
    }
    for (uint32_t s = 0; s < b->character->skin_count; ++s) {
        const lmb_result result = find_space(b, s, error);
        if (result != LMB_OK) {
            return result;
        }
        if (!add_bones(b, s)) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "bind transforms that can be inverted",
                             "skin %u", s);
        }
    }
    return LMB_OK;
}

// ---- vertices

static lmb_result check_vertex(const lmbi_bound *b, uint32_t at, lmb_error *error)
{
    return at < b->frames->vertex_count
               ? LMB_OK
               : lmbi_fail(error, LMB_ERROR_INVALID, "vertices that the frames have",
                           "vertex %u of %u", at, b->frames->vertex_count);
}

/// Takes an instance's vertices; `first` counts those of the instances before.
static lmb_result add_vertices(lmbi_bound *b, uint32_t instance, uint32_t first, uint32_t *number,
                               lmb_error *error)
{
    const lmb_mesh *mesh = mesh_of(b->character, instance);
    const int32_t skin = b->character->instances[instance].skin;
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        const uint32_t at = b->frames->vertex_of ? b->frames->vertex_of[first + v] : first + v;
        const lmb_result result = check_vertex(b, at, error);
        if (result != LMB_OK) {
            return result;
        }
        b->vertex_of[first + v] = UINT32_MAX;
        if (!is_skinned(b->character, instance)) {
            continue;
        }
        if (number[at] == 0) {
            const uint32_t made = b->vertex_count++;
            number[at] = made + 1;
            b->frame_vertex[made] = at;
            b->rest[made] = lmb_mat4_point(b->bind_from_mesh[skin], mesh->positions[v]);
            b->row_first[made] = v;
            b->row_mesh[made] = mesh;
            b->row_joints[made] = b->character->skins[skin]->joints;
        }
        b->vertex_of[first + v] = number[at] - 1;
    }
    return LMB_OK;
}

static void add_triangles(lmbi_bound *b, uint32_t instance, uint32_t first)
{
    const lmb_mesh *mesh = mesh_of(b->character, instance);
    for (uint32_t p = 0; p < mesh->primitive_count && is_skinned(b->character, instance); ++p) {
        const lmb_primitive *part = &mesh->primitives[p];
        for (uint32_t k = 0; part->topology == LMB_TRIANGLES && k < part->index_count; ++k) {
            b->indices[b->index_count++] =
                b->vertex_of[first + mesh->indices[part->first_index + k]];
        }
    }
}

static lmb_result find_vertices(lmbi_bound *b, lmb_error *error)
{
    const lmb_character *c = b->character;
    size_t vertices = 0, indices = 0;
    for (uint32_t i = 0; i < c->instance_count; ++i) {
        vertices += mesh_of(c, i)->vertex_count;
        indices += mesh_of(c, i)->index_count;
    }
    uint32_t *number = lmbi_arena_array(&b->arena, b->frames->vertex_count, sizeof *number);
    b->vertex_of = lmbi_arena_array(&b->arena, vertices, sizeof *b->vertex_of);
    b->frame_vertex = lmbi_arena_array(&b->arena, vertices, sizeof *b->frame_vertex);
    b->rest = lmbi_arena_array(&b->arena, vertices, sizeof *b->rest);
    b->row_first = lmbi_arena_array(&b->arena, vertices, sizeof *b->row_first);
    b->row_mesh = lmbi_arena_array(&b->arena, vertices, sizeof *b->row_mesh);
    b->row_joints = lmbi_arena_array(&b->arena, vertices, sizeof *b->row_joints);
    b->indices = lmbi_arena_array(&b->arena, indices, sizeof *b->indices);
    if (!number || !b->vertex_of || !b->frame_vertex || !b->rest || !b->row_first || !b->row_mesh ||
        !b->row_joints || !b->indices) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t i = 0, first = 0; i < c->instance_count; ++i) {
        const lmb_result result = add_vertices(b, i, first, number, error);
        if (result != LMB_OK) {
            return result;
        }
        add_triangles(b, i, first);
        first += mesh_of(c, i)->vertex_count;
    }
    return b->index_count > 0
               ? LMB_OK
               : lmbi_fail(error, LMB_ERROR_INVALID, "triangles with a skin", "none");
}

/// Brings the bind space to the scene's unit: armatures scaled by 0.01 bind in centimetres.
static void scale_to_scene(lmbi_bound *b)
{
    const lmb_mat4 m = lmbi_bound_motion(b, 0, 0);
    const float scale = lmb_vec3_length(lmb_mat4_vector(m, lmb_vec3_make(1, 0, 0)));
    if (!(scale > 0) || !isfinite(scale)) {
        return;
    }
    for (uint32_t v = 0; v < b->vertex_count; ++v) {
        b->rest[v] = lmb_vec3_scale(b->rest[v], scale);
    }
    for (uint32_t j = 0; j < b->bone_count; ++j) {
        for (int e = 0; e < 12; ++e) {
            b->joint_from_bind[j].m[e] /= scale;
        }
    }
}

lmb_result lmbi_bound_make(const lmb_character *character, const lmb_learn_frames *frames,
                           const lmb_allocator *alloc, lmbi_bound *out, lmb_error *error)
{
    *out = (lmbi_bound){.character = character, .frames = frames};
    lmbi_arena_init(&out->arena, alloc);
    lmb_result result = find_bones(out, error);
    if (result == LMB_OK) {
        result = find_vertices(out, error);
    }
    if (result == LMB_OK) {
        scale_to_scene(out);
    }
    return result;
}

void lmbi_bound_free(lmbi_bound *bound)
{
    lmbi_arena_free(&bound->arena);
}

lmb_mat4 lmbi_bound_motion(const lmbi_bound *bound, uint32_t frame, uint32_t bone)
{
    return lmb_mat4_mul(bound->frames->model_from_joint[frame][bound->joints[bone]],
                        bound->joint_from_bind[bone]);
}
