/// Editing weights: normalise, prune, limit, smooth; and counting what is wrong with them.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "rig/heat.h"
#include "rig/weights_rows.h"

/// 2 sin(45 degrees / 2)
static const float TURN_SHIFT = 0.76536686f;
/// What a joint right at the vertex counts for, as a share of the size: its own turning moves
/// nothing, its parents' does.
static const float LEVER_SHARE = 0.05f;

typedef struct editor {
    lmbi_table table;
    lmb_weights_edit edit; ///< zeros replaced
    const lmb_allocator *alloc;
    lmbi_arena arena;
    lmb_surface *surface; ///< where everything stands at rest
    lmb_vec3 *joints;     ///< [joint_count] in the space of the surface
    float size;
    lmb_weights_change change;
    double lost;
} editor;

static lmb_influence *row_of(const editor *e, uint32_t v)
{
    return e->table.rows + (size_t)v * LMBI_ROW_WIDTH;
}

static float sum_of(const lmb_influence *row)
{
    float sum = 0;
    for (uint32_t k = 0; k < LMBI_ROW_WIDTH && row[k].weight > 0; ++k) {
        sum += row[k].weight;
    }
    return sum;
}

static void scale_to_one(lmb_influence *row)
{
    float sum = sum_of(row);
    for (uint32_t k = 0; k < LMBI_ROW_WIDTH && row[k].weight > 0; ++k) {
        row[k].weight /= sum;
    }
}

static lmb_vec3 place_of(const editor *e, uint32_t v)
{
    return e->surface->positions[e->surface->vertex_of[v]];
}

static float lever(const editor *e, uint32_t v, uint32_t joint)
{
    return lmb_vec3_distance(place_of(e, v), e->joints[joint]);
}

// ---- empty rows

/// A tree of the vertices that have rows, each a triangle without extent.
static lmb_result plant_filled(editor *e, lmb_tree **out, uint32_t **out_vertices, lmb_error *error)
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
        if (row_of(e, v)[0].weight > 0) {
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
    return lmb_tree_create(&points, e->alloc, out, error);
}

static lmb_result fill_empty(editor *e, lmb_error *error)
{
    const lmb_character *c = e->table.character;
    lmb_tree *tree = NULL; // of the rows as they came: what is filled on the way is nobody's source
    uint32_t *vertices = NULL;
    lmb_result result = LMB_OK;
    for (uint32_t i = 0; i < c->instance_count; ++i) {
        for (uint32_t v = e->table.first_vertex[i];
             lmbi_is_skinned(c, i) && v < e->table.first_vertex[i + 1]; ++v) {
            if (row_of(e, v)[0].weight > 0) {
                continue;
            }
            if (!tree && (result = plant_filled(e, &tree, &vertices, error)) != LMB_OK) {
                return result;
            }
            uint32_t nearest = vertices[lmb_tree_closest(tree, place_of(e, v), INFINITY).triangle];
            memcpy(row_of(e, v), row_of(e, nearest), LMBI_ROW_WIDTH * sizeof(lmb_influence));
            ++e->change.empty_count;
        }
    }
    lmb_tree_destroy(tree);
    return LMB_OK;
}

// ---- dropping

/// Keeps the influences whose marks are set, counts the rest as lost.
static void drop(editor *e, uint32_t v, const bool keep[LMBI_ROW_WIDTH])
{
    lmb_influence *row = row_of(e, v);
    float lost = 0, shift = 0;
    uint32_t kept = 0;
    for (uint32_t k = 0; k < LMBI_ROW_WIDTH; ++k) {
        lmb_influence item = row[k];
        row[k] = (lmb_influence){0, 0};
        if (!(item.weight > 0)) {
            continue;
        }
        if (keep[k]) {
            row[kept++] = item;
        } else {
            lost += item.weight;
            shift += item.weight * TURN_SHIFT * lever(e, v, item.joint);
        }
    }
    scale_to_one(row);
    e->lost += (double)lost;
    e->change.lost_max = lost > e->change.lost_max ? lost : e->change.lost_max;
    e->change.shift_max = shift > e->change.shift_max ? shift : e->change.shift_max;
}

static void prune(editor *e, uint32_t v)
{
    const lmb_influence *row = row_of(e, v);
    bool keep[LMBI_ROW_WIDTH];
    for (uint32_t k = 0; k < LMBI_ROW_WIDTH; ++k) {
        keep[k] = k == 0 || row[k].weight >= e->edit.least;
    }
    drop(e, v, keep);
}

/// Stays what pulls hardest: weight times lever.
static void limit(editor *e, uint32_t v)
{
    const lmb_influence *row = row_of(e, v);
    lmb_influence ranked[LMBI_ROW_WIDTH] = {{0, 0}};
    bool keep[LMBI_ROW_WIDTH] = {false};
    uint32_t count = lmbi_row_count(row);
    for (uint32_t k = 0; k < count; ++k) {
        float pull = row[k].weight * (lever(e, v, row[k].joint) + LEVER_SHARE * e->size);
        lmbi_row_insert(ranked, LMBI_ROW_WIDTH, k, pull > 0 ? pull : 1e-30f);
    }
    for (uint32_t k = 0; k < count && k < e->edit.influences; ++k) {
        keep[ranked[k].joint] = true;
    }
    drop(e, v, keep);
}

// ---- smoothing, on the welded surface

typedef struct smoother {
    lmb_influence *now, *next;        ///< [surface vertex_count][LMBI_ROW_WIDTH]
    uint32_t *ring_first, *ring;      ///< neighbours
    float *sums;                      ///< [joint_count]
    uint32_t *touched, touched_count; ///< joints whose sum is not 0
} smoother;

static void add_row(smoother *s, const lmb_influence *row, float share)
{
    for (uint32_t k = 0; k < LMBI_ROW_WIDTH && row[k].weight > 0; ++k) {
        if (s->sums[row[k].joint] == 0) {
            s->touched[s->touched_count++] = row[k].joint;
        }
        s->sums[row[k].joint] += share * row[k].weight;
    }
}

static void take_row(smoother *s, lmb_influence *row)
{
    memset(row, 0, LMBI_ROW_WIDTH * sizeof *row);
    for (uint32_t k = 0; k < s->touched_count; ++k) {
        lmbi_row_insert(row, LMBI_ROW_WIDTH, s->touched[k], s->sums[s->touched[k]]);
        s->sums[s->touched[k]] = 0;
    }
    s->touched_count = 0;
}

static bool find_rings(editor *e, smoother *s, const lmb_adjacency *a)
{
    uint32_t n = e->surface->vertex_count;
    s->ring_first = lmbi_arena_array(&e->arena, (size_t)n + 2, sizeof *s->ring_first);
    s->ring = lmbi_arena_array(&e->arena, 2 * (size_t)a->edge_count, sizeof *s->ring);
    if (!s->ring_first || !s->ring) {
        return false;
    }
    for (uint32_t k = 0; k < 2 * a->edge_count; ++k) {
        ++s->ring_first[a->edges[k] + 2];
    }
    for (uint32_t v = 0; v < n; ++v) {
        s->ring_first[v + 2] += s->ring_first[v + 1];
    }
    for (uint32_t k = 0; k < 2 * a->edge_count; ++k) {
        s->ring[s->ring_first[a->edges[k] + 1]++] = a->edges[k ^ 1u];
    }
    return true;
}

static lmb_result start_smoother(editor *e, smoother *s, lmb_error *error)
{
    size_t n = e->surface->vertex_count, joints = e->table.character->skeleton->joint_count;
    lmb_adjacency *adjacency = NULL;
    lmb_result result = lmb_adjacency_create(e->surface, e->alloc, &adjacency, error);
    if (result != LMB_OK) {
        return result;
    }
    bool good = find_rings(e, s, adjacency);
    lmb_adjacency_destroy(adjacency);
    s->now = lmbi_arena_array(&e->arena, n, LMBI_ROW_WIDTH * sizeof *s->now);
    s->next = lmbi_arena_array(&e->arena, n, LMBI_ROW_WIDTH * sizeof *s->next);
    s->sums = lmbi_arena_array(&e->arena, joints, sizeof *s->sums);
    s->touched = lmbi_arena_array(&e->arena, joints, sizeof *s->touched);
    return good && s->now && s->next && s->sums && s->touched ? LMB_OK : lmbi_fail_memory(error);
}

/// The rows of render vertices that were welded are the same row, as a rule; the last one with
/// weights stands for them.
static void gather_rows(const editor *e, smoother *s)
{
    for (uint32_t v = 0; v < e->table.count; ++v) {
        if (row_of(e, v)[0].weight > 0) {
            memcpy(s->now + (size_t)e->surface->vertex_of[v] * LMBI_ROW_WIDTH, row_of(e, v),
                   LMBI_ROW_WIDTH * sizeof *s->now);
        }
    }
}

static void smooth_round(const editor *e, smoother *s)
{
    for (uint32_t v = 0; v < e->surface->vertex_count; ++v) {
        uint32_t begin = s->ring_first[v], end = s->ring_first[v + 1], filled = 0;
        for (uint32_t k = begin; k < end; ++k) { // what is not skinned has no say
            filled += s->now[(size_t)s->ring[k] * LMBI_ROW_WIDTH].weight > 0 ? 1 : 0;
        }
        add_row(s, s->now + (size_t)v * LMBI_ROW_WIDTH, filled ? 1 - e->edit.amount : 1.0f);
        for (uint32_t k = begin; k < end; ++k) {
            add_row(s, s->now + (size_t)s->ring[k] * LMBI_ROW_WIDTH,
                    e->edit.amount / (float)filled);
        }
        take_row(s, s->next + (size_t)v * LMBI_ROW_WIDTH);
    }
    lmb_influence *swap = s->now;
    s->now = s->next;
    s->next = swap;
}

static lmb_result smooth(editor *e, lmb_error *error)
{
    smoother s = {0};
    lmb_result result = start_smoother(e, &s, error);
    if (result != LMB_OK) {
        return result;
    }
    gather_rows(e, &s);
    for (uint32_t round = 0; round < e->edit.rounds; ++round) {
        smooth_round(e, &s);
    }
    for (uint32_t v = 0; v < e->table.count; ++v) {
        lmb_influence *row = row_of(e, v);
        if (row[0].weight > 0) {
            memcpy(row, s.now + (size_t)e->surface->vertex_of[v] * LMBI_ROW_WIDTH,
                   LMBI_ROW_WIDTH * sizeof *row);
            if (lmbi_row_count(row) > e->edit.influences) {
                limit(e, v);
            }
        }
    }
    return LMB_OK;
}

// ---- the whole

static lmb_result prepare(editor *e, const lmb_character *c, lmb_error *error)
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

static lmb_result run(editor *e, lmb_error *error)
{
    lmb_result result = fill_empty(e, error);
    if (result != LMB_OK || e->edit.op == LMB_WEIGHTS_SMOOTH) {
        return result == LMB_OK ? smooth(e, error) : result;
    }
    for (uint32_t v = 0; v < e->table.count; ++v) {
        if (!(row_of(e, v)[0].weight > 0)) {
            continue;
        }
        if (e->edit.op == LMB_WEIGHTS_PRUNE) {
            prune(e, v);
        } else if (e->edit.op == LMB_WEIGHTS_LIMIT) {
            limit(e, v);
        } else {
            scale_to_one(row_of(e, v));
        }
    }
    return LMB_OK;
}

static void compare(editor *e, const lmb_influence *before)
{
    for (uint32_t v = 0; v < e->table.count; ++v) {
        const lmb_influence *old = before + (size_t)v * LMBI_ROW_WIDTH, *now = row_of(e, v);
        uint32_t old_count = lmbi_row_count(old), count = lmbi_row_count(now);
        e->change.vertex_count += count ? 1 : 0;
        e->change.changed_count += memcmp(old, now, LMBI_ROW_WIDTH * sizeof *now) != 0 ? 1 : 0;
        e->change.most_before =
            old_count > e->change.most_before ? old_count : e->change.most_before;
        e->change.most_after = count > e->change.most_after ? count : e->change.most_after;
    }
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
    editor e = {.edit = with_defaults(edit), .alloc = alloc};
    lmbi_arena_init(&e.arena, alloc);
    lmb_result result = prepare(&e, *character, error);
    lmb_influence *before = NULL;
    if (result == LMB_OK) {
        before = lmbi_arena_array(&e.arena, e.table.count, LMBI_ROW_WIDTH * sizeof *before);
        result = before ? LMB_OK : lmbi_fail_memory(error);
    }
    if (result == LMB_OK) {
        memcpy(before, e.table.rows, e.table.count * (LMBI_ROW_WIDTH * sizeof *before));
        result = run(&e, error);
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
