/// Edits weights (normalise, prune, limit, smooth) and counts their defects.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "geometry/tree.h"
#include "rig/weights_edit.h"

// ---- empty rows

/// Tree of the vertices that have rows, each a degenerate triangle.
static lmb_result build_filled_tree(lmbi_editor *e, lmbi_tree **out, uint32_t **out_vertices,
                                    lmb_error *error)
{
    uint32_t *vertices = lmbi_arena_array(&e->arena, e->table.count, sizeof *vertices);
    uint32_t *triangles = lmbi_arena_array(&e->arena, e->table.count, 3 * sizeof *triangles);
    if (!vertices || !triangles) {
        return lmbi_fail_memory(error);
    }
    lmb_surface points = {.vertex_count = e->surface->vertex_count,
                          .positions = e->surface->positions,
                          .triangles = triangles};
    for (uint32_t v = 0; v < e->table.count; ++v) {
        if (lmbi_edit_row(e, v)[0].weight > 0) {
            vertices[points.triangle_count] = v;
            uint32_t *t = triangles + 3 * (size_t)points.triangle_count++;
            t[0] = t[1] = t[2] = e->surface->vertex_of[v];
        }
    }
    if (points.triangle_count == 0) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a vertex with weights",
                         "none in the whole file");
    }
    *out_vertices = vertices;
    return lmbi_tree_create(&points, e->alloc, out, error);
}

static lmb_result fill_empty(lmbi_editor *e, lmb_error *error)
{
    const lmb_character *c = e->table.character;
    lmbi_tree *tree = NULL; // built once, so that filled rows are not sources for others
    uint32_t *vertices = NULL;
    lmb_result result = LMB_OK;
    for (uint32_t i = 0; i < c->instance_count; ++i) {
        for (uint32_t v = e->table.first_vertex[i];
             lmbi_is_skinned(c, i) && v < e->table.first_vertex[i + 1]; ++v) {
            if (!e->selected[v] || lmbi_edit_row(e, v)[0].weight > 0) {
                continue;
            }
            if (!tree && (result = build_filled_tree(e, &tree, &vertices, error)) != LMB_OK) {
                return result;
            }
            uint32_t nearest =
                vertices[lmbi_tree_closest(tree, lmbi_edit_place(e, v), INFINITY).triangle];
            memcpy(lmbi_edit_row(e, v), lmbi_edit_row(e, nearest),
                   LMBI_ROW_WIDTH * sizeof(lmb_influence));
            ++e->change.empty_count;
        }
    }
    lmbi_tree_destroy(tree);
    return LMB_OK;
}

// ---- the whole

static lmb_result prepare(lmbi_editor *e, const lmb_character *c, lmb_error *error)
{
    lmb_result result = lmbi_table_create(c, &e->arena, &e->table, error);
    if (result == LMB_OK) {
        result = lmb_character_surface(c, e->alloc, &e->surface, error);
    }
    if (result != LMB_OK) {
        return result;
    }
    uint32_t n = c->skeleton->joint_count;
    lmb_mat4 *model = lmbi_arena_array(&e->arena, n, sizeof *model);
    e->joints = lmbi_arena_array(&e->arena, n, sizeof *e->joints);
    if (!model || !e->joints) {
        return lmbi_fail_memory(error);
    }
    lmb_pose_to_model(&(lmb_pose_to_model_job){.skeleton = c->skeleton, .model_from_joint = model});
    for (uint32_t j = 0; j < n; ++j) {
        e->joints[j] = lmb_mat4_translation(model[j]);
    }
    lmb_box box = lmb_box_of(e->surface->positions, e->surface->vertex_count);
    e->size = e->surface->vertex_count ? lmb_vec3_distance(box.low, box.high) : 0.0f;
    return LMB_OK;
}

static lmb_result apply_edit(lmbi_editor *e, lmb_error *error)
{
    lmb_result result = lmbi_edit_select(e, error);
    if (result == LMB_OK) {
        result = fill_empty(e, error);
    }
    if (result != LMB_OK) {
        return result;
    }
    switch (e->edit.op) {
    case LMB_WEIGHTS_PRUNE:
        return lmbi_edit_prune(e, error);
    case LMB_WEIGHTS_LIMIT:
        return lmbi_edit_limit(e, error);
    case LMB_WEIGHTS_SMOOTH:
        return lmbi_edit_smooth(e, error);
    case LMB_WEIGHTS_ASSIGN:
    case LMB_WEIGHTS_MOVE:
        return lmbi_edit_assign(e, error);
    default:
        for (uint32_t v = 0; v < e->table.count; ++v) {
            if (lmbi_edit_is_for(e, v)) {
                lmbi_edit_scale(lmbi_edit_row(e, v));
            }
        }
        return LMB_OK;
    }
}

static void compare(lmbi_editor *e, const lmb_influence *before)
{
    for (uint32_t v = 0; v < e->table.count; ++v) {
        const lmb_influence *old = before + (size_t)v * LMBI_ROW_WIDTH, *now = lmbi_edit_row(e, v);
        uint32_t old_count = lmbi_row_count(old), count = lmbi_row_count(now);
        e->change.vertex_count += count ? 1 : 0;
        e->change.changed_count += memcmp(old, now, LMBI_ROW_WIDTH * sizeof *now) != 0 ? 1 : 0;
        e->change.most_before =
            old_count > e->change.most_before ? old_count : e->change.most_before;
        e->change.most_after = count > e->change.most_after ? count : e->change.most_after;
    }
    const uint32_t n = e->change.vertex_count;
    e->change.moved_mean = n ? (float)(e->moved / n) : 0.0f;
    e->change.lost_mean = e->change.vertex_count ? (float)(e->lost / e->change.vertex_count) : 0.0f;
}

static lmb_weights_edit with_defaults(const lmb_weights_edit *edit)
{
    lmb_weights_edit d = *edit;
    d.least = d.least > 0 ? d.least : 0.01f;
    d.influences = d.influences ? d.influences : 4;
    d.influences = d.influences < LMBI_ROW_WIDTH ? d.influences : LMBI_ROW_WIDTH;
    d.rounds = d.rounds ? d.rounds : 3;
    d.amount = d.amount > 0 && d.amount <= 1 ? d.amount : 0.5f;
    return d;
}

lmb_result lmb_weights_apply(lmb_character **character, const lmb_weights_edit *edit,
                             const lmb_allocator *alloc, lmb_weights_change *out, lmb_error *error)
{
    lmbi_editor e = {.edit = with_defaults(edit), .alloc = alloc};
    if (!(edit->fraction >= 0 && edit->fraction < 1) ||
        !(edit->spread >= 0 && edit->spread <= 1e6f)) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a fraction below 1 and a spread up to 1e6",
                         "%g, %g", (double)edit->fraction, (double)edit->spread);
    }
    if (!isfinite(edit->value)) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a finite value", "%g", (double)edit->value);
    }
    lmbi_arena_init(&e.arena, alloc);
    lmb_result result = prepare(&e, *character, error);
    lmb_influence *before = NULL;
    if (result == LMB_OK) {
        before = lmbi_arena_array(&e.arena, e.table.count, LMBI_ROW_WIDTH * sizeof *before);
        result = before ? LMB_OK : lmbi_fail_memory(error);
    }
    if (result == LMB_OK) {
        memcpy(before, e.table.rows, e.table.count * (LMBI_ROW_WIDTH * sizeof *before));
        result = apply_edit(&e, error);
    }
    if (result == LMB_OK) {
        compare(&e, before);
        result = lmbi_table_store(&e.table, character, alloc, error);
    }
    lmb_surface_destroy(e.surface);
    lmbi_arena_free(&e.arena);
    if (result == LMB_OK && out) {
        *out = e.change;
    }
    return result;
}

// ---- counting

static void audit_mesh(const lmb_mesh *mesh, const lmb_skin *skin, uint8_t *moved,
                       lmb_weights_audit *audit)
{
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        uint32_t begin = mesh->influences.first[v], end = mesh->influences.first[v + 1];
        double sum = 0;
        for (uint32_t k = begin; k < end; ++k) {
            sum += (double)mesh->influences.items[k].weight;
            moved[skin->joints[mesh->influences.items[k].joint]] |= 2;
        }
        ++audit->vertex_count;
        audit->empty_count += sum > 0 ? 0 : 1;
        audit->uneven_count += sum > 0 && fabs(sum - 1) > 1e-5 ? 1 : 0;
        audit->most = end - begin > audit->most ? end - begin : audit->most;
    }
}

lmb_result lmb_weights_check(const lmb_character *character, const lmb_allocator *alloc,
                             lmb_weights_audit *out, lmb_error *error)
{
    lmbi_arena arena;
    lmbi_arena_init(&arena, alloc);
    uint32_t n = character->skeleton->joint_count;
    uint8_t *moved = lmbi_arena_array(&arena, n, 1); // 1: in a skin, 2: with weight
    if (!moved) {
        return lmbi_fail_memory(error);
    }
    lmb_weights_audit audit = {0};
    for (uint32_t i = 0; i < character->instance_count; ++i) {
        if (!lmbi_is_skinned(character, i)) {
            continue;
        }
        const lmb_skin *skin = character->skins[character->instances[i].skin];
        for (uint32_t k = 0; k < skin->joint_count; ++k) {
            moved[skin->joints[k]] |= 1;
        }
        audit_mesh(character->meshes[character->instances[i].mesh], skin, moved, &audit);
    }
    for (uint32_t j = 0; j < n; ++j) {
        audit.joint_count += moved[j] & 1u;
        audit.idle_count += moved[j] == 1 ? 1 : 0;
    }
    lmbi_arena_free(&arena);
    *out = audit;
    return LMB_OK;
}
