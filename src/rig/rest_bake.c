/// Meshes as their skins deform them at rest.
#include "math/normal_matrix.h"
#include "rig/bind.h"

/// A mesh before, and where its matrices take it.
typedef struct baking {
    const lmbi_rest_matrices *by;
    lmbi_arena *arena;
    lmb_mesh from;
} baking;

static const lmb_mat4 *matrix_of(const baking *b, uint32_t vertex)
{
    return b->by->blended ? &b->by->blended[vertex] : &b->by->model_from_mesh;
}

static lmb_vec3 tangent_of(const baking *b, uint32_t vertex)
{
    const lmb_vec4 t = b->from.tangents[vertex];
    return lmb_vec3_make(t.x, t.y, t.z);
}

static lmb_vec3 *bake_positions(const baking *b)
{
    lmb_vec3 *out = lmbi_arena_array(b->arena, b->from.vertex_count, sizeof *out);
    for (uint32_t v = 0; out && v < b->from.vertex_count; ++v) {
        out[v] = lmb_mat4_point(*matrix_of(b, v), b->from.positions[v]);
    }
    return out;
}

static lmb_vec3 *bake_normals(const baking *b)
{
    lmb_vec3 *out = lmbi_arena_array(b->arena, b->from.vertex_count, sizeof *out);
    for (uint32_t v = 0; out && v < b->from.vertex_count; ++v) {
        const lmbi_normal_matrix cofactors = lmbi_normal_matrix_of(matrix_of(b, v));
        out[v] = lmbi_normal(&cofactors, b->from.normals[v]);
    }
    return out;
}

static lmb_vec4 *bake_tangents(const baking *b)
{
    lmb_vec4 *out = lmbi_arena_array(b->arena, b->from.vertex_count, sizeof *out);
    for (uint32_t v = 0; out && v < b->from.vertex_count; ++v) {
        const lmbi_normal_matrix cofactors = lmbi_normal_matrix_of(matrix_of(b, v));
        const lmb_vec3 normal =
            b->from.normals ? lmbi_normal(&cofactors, b->from.normals[v]) : lmb_vec3_make(0, 0, 0);
        out[v] = lmbi_tangent(matrix_of(b, v), cofactors.sign, normal, b->from.tangents[v]);
    }
    return out;
}

static lmb_vec3 *bake_moves(const baking *b, const lmb_vec3 *moves)
{
    lmb_vec3 *out = lmbi_arena_array(b->arena, b->from.vertex_count, sizeof *out);
    for (uint32_t v = 0; out && v < b->from.vertex_count; ++v) {
        out[v] = lmb_mat4_vector(*matrix_of(b, v), moves[v]);
    }
    return out;
}

/// What is added to a unit vector is the difference of two that are unit.
static lmb_vec3 *bake_normal_moves(const baking *b, const lmb_vec3 *moves)
{
    lmb_vec3 *out = lmbi_arena_array(b->arena, b->from.vertex_count, sizeof *out);
    for (uint32_t v = 0; out && v < b->from.vertex_count; ++v) {
        const lmbi_normal_matrix cofactors = lmbi_normal_matrix_of(matrix_of(b, v));
        const lmb_vec3 at = b->from.normals ? b->from.normals[v] : lmb_vec3_make(0, 0, 0);
        out[v] = lmb_vec3_sub(lmbi_normal(&cofactors, lmb_vec3_add(at, moves[v])),
                              lmbi_normal(&cofactors, at));
    }
    return out;
}

static lmb_vec3 *bake_tangent_moves(const baking *b, const lmb_vec3 *moves)
{
    lmb_vec3 *out = lmbi_arena_array(b->arena, b->from.vertex_count, sizeof *out);
    for (uint32_t v = 0; out && v < b->from.vertex_count; ++v) {
        const lmb_mat4 *m = matrix_of(b, v);
        const lmb_vec3 at = b->from.tangents ? tangent_of(b, v) : lmb_vec3_make(0, 0, 0);
        out[v] = lmb_vec3_sub(lmbi_unit(lmb_mat4_vector(*m, lmb_vec3_add(at, moves[v]))),
                              lmbi_unit(lmb_mat4_vector(*m, at)));
    }
    return out;
}

static bool bake_target(const baking *b, const lmb_morph_target *from, lmb_morph_target *to)
{
    *to = (lmb_morph_target){
        .name = from->name,
        .positions = from->positions ? bake_moves(b, from->positions) : NULL,
        .normals = from->normals ? bake_normal_moves(b, from->normals) : NULL,
        .tangents = from->tangents ? bake_tangent_moves(b, from->tangents) : NULL,
    };
    return (to->positions || !from->positions) && (to->normals || !from->normals) &&
           (to->tangents || !from->tangents);
}

bool lmbi_rest_bake(const lmbi_rest_matrices *matrices, lmbi_arena *arena, lmb_mesh *copy)
{
    const baking b = {matrices, arena, *copy};
    copy->positions = bake_positions(&b);
    copy->normals = b.from.normals ? bake_normals(&b) : NULL;
    copy->tangents = b.from.tangents ? bake_tangents(&b) : NULL;
    copy->targets = lmbi_arena_array(arena, b.from.target_count, sizeof *copy->targets);
    bool good = copy->positions && (copy->normals || !b.from.normals) &&
                (copy->tangents || !b.from.tangents) && copy->targets;
    for (uint32_t t = 0; good && t < b.from.target_count; ++t) {
        good = bake_target(&b, &b.from.targets[t], &copy->targets[t]);
    }
    return good;
}
