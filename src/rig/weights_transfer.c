/// Transfers weights between characters: matches at closest points, interpolation between them
/// (after Abdrashitov, Raichstat, Monsen, Hill 2023).
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "geometry/surface_math.h"
#include "geometry/tree.h"
#include "rig/bind.h"
#include "rig/heat.h"
#include "rig/weights_fill.h"

static const float DISTANCE_FRACTION = 0.05f;
static const float ANGLE_RAD = 0.52359878f;

typedef struct transfer {
    const lmb_character *to, *from;
    const lmb_transfer_opts *opts;
    const lmb_allocator *alloc;
    lmbi_arena arena;
    lmbi_table to_table, from_table;
    lmb_surface *surface, *source;
    lmb_vec3 *normals, *source_normals;
    lmb_influence *source_rows;   ///< [source vertex_count][LMBI_ROW_WIDTH]
    uint32_t *triangles;          ///< source triangles whose corners all have rows
    lmbi_tree *tree;              ///< of these
    const lmb_skeleton *skeleton; ///< that the rows are for
    int32_t *joint_of;            ///< [from joint_count] in `skeleton`, or LMB_NONE
    bool bare;                    ///< the target has no skin: it gets the source's skeleton
    lmb_influence *rows;          ///< [surface vertex_count][LMBI_ROW_WIDTH]
    uint8_t *known;               ///< [surface vertex_count]
    uint32_t influences;
    lmbi_row_sum sum;
    lmb_transfer_report report;
    double distance_sum;
    uint32_t match_count; ///< welded vertices
} transfer;

static lmb_influence *row_at(const transfer *t, uint32_t v)
{
    return t->rows + (size_t)v * LMBI_ROW_WIDTH;
}

// ---- joints

static int32_t same_joint(const transfer *t, uint32_t j)
{
    uint32_t n = t->skeleton->joint_count;
    const char *name = t->from->skeleton->names[j];
    if (t->opts->joints && t->opts->joints[j] != LMB_NONE) {
        return t->opts->joints[j];
    }
    if (t->bare || (j < n && strcmp(name, t->skeleton->names[j]) == 0)) {
        return (int32_t)j;
    }
    return lmb_skeleton_find(t->skeleton, name);
}

/// Maps joints; one that the target lacks maps to its nearest ancestor that it has.
static lmb_result map_joints(transfer *t, lmb_error *error)
{
    const lmb_skeleton *from = t->from->skeleton;
    t->skeleton = t->bare ? from : t->to->skeleton;
    t->joint_of = lmbi_arena_array(&t->arena, from->joint_count, sizeof *t->joint_of);
    if (!t->joint_of || !lmbi_row_sum_init(&t->sum, t->skeleton->joint_count, &t->arena)) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t j = 0; j < from->joint_count; ++j) {
        int32_t k = same_joint(t, j);
        if (k != LMB_NONE && (k < 0 || (uint32_t)k >= t->skeleton->joint_count)) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "a joint of the target's skeleton",
                             "joint %d for joint %u", k, j);
        }
        t->report.joint_count += k != LMB_NONE ? 1 : 0;
        if (k == LMB_NONE && from->parents[j] != LMB_NONE) {
            k = t->joint_of[from->parents[j]];
        }
        t->joint_of[j] = k;
    }
    return LMB_OK;
}

// ---- matching

static lmb_result build_source_tree(transfer *t, lmb_error *error)
{
    const lmb_surface *s = t->source;
    t->triangles = lmbi_arena_array(&t->arena, s->triangle_count, 3 * sizeof *t->triangles);
    t->source_normals = lmbi_arena_array(&t->arena, s->vertex_count, sizeof *t->source_normals);
    t->source_rows =
        lmbi_table_gather(&t->from_table, s->vertex_of, s->vertex_count, &t->arena, &t->influences);
    if (!t->triangles || !t->source_normals || !t->source_rows) {
        return lmbi_fail_memory(error);
    }
    lmbi_surface_vertex_normals(s, t->source_normals);
    lmb_surface part = {
        .vertex_count = s->vertex_count, .positions = s->positions, .triangles = t->triangles};
    for (uint32_t i = 0; i < s->triangle_count; ++i) {
        const uint32_t *corner = s->triangles + 3 * (size_t)i;
        bool full = true;
        for (int k = 0; k < 3; ++k) {
            full = full && t->source_rows[(size_t)corner[k] * LMBI_ROW_WIDTH].weight > 0;
        }
        if (full) {
            memcpy(t->triangles + 3 * (size_t)part.triangle_count++, corner, 3 * sizeof *corner);
        }
    }
    if (part.triangle_count == 0) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "triangles with skin weights in the source",
                         "none");
    }
    return lmbi_tree_create(&part, t->alloc, &t->tree, error);
}

/// Interpolates the source's row at a point. False if none of its joints has a counterpart.
static bool interpolate_row(transfer *t, const lmbi_closest *c, uint32_t v)
{
    const uint32_t *corner = t->triangles + 3 * (size_t)c->triangle;
    for (int k = 0; k < 3; ++k) {
        const lmb_influence *row = t->source_rows + (size_t)corner[k] * LMBI_ROW_WIDTH;
        for (uint32_t i = 0; i < lmbi_row_count(row); ++i) {
            int32_t joint = t->joint_of[row[i].joint];
            if (joint != LMB_NONE) {
                lmbi_row_sum_add(&t->sum, (uint32_t)joint, c->barycentric[k] * row[i].weight);
            }
        }
    }
    lmbi_row_sum_store(&t->sum, t->influences, row_at(t, v));
    return row_at(t, v)[0].weight > 0;
}

/// Whether the normals of both surfaces agree there. True where one has none.
static bool normals_agree(const transfer *t, const lmbi_closest *c, uint32_t v, float least_cosine)
{
    const uint32_t *corner = t->triangles + 3 * (size_t)c->triangle;
    lmb_vec3 n = {0, 0, 0}, own = t->normals[v];
    for (int k = 0; k < 3; ++k) {
        n = lmb_vec3_mad(n, t->source_normals[corner[k]], c->barycentric[k]);
    }
    const float size = lmb_vec3_length(n) * lmb_vec3_length(own), dot = lmb_vec3_dot(n, own);
    return !(size > 0) || (t->opts->two_sided ? fabsf(dot) : dot) >= least_cosine * size;
}

/// Largest distance of a match.
static float reach_of(const transfer *t)
{
    const lmb_box box = lmb_box_of(t->surface->positions, t->surface->vertex_count);
    const float fraction =
        t->opts->distance_fraction > 0 ? t->opts->distance_fraction : DISTANCE_FRACTION;
    return fraction * lmb_vec3_distance(box.low, box.high);
}

static void match_all(transfer *t)
{
    const float reach = reach_of(t);
    float cosine = lmb_cos(t->opts->angle_rad > 0 ? t->opts->angle_rad : ANGLE_RAD);
    for (uint32_t v = 0; v < t->surface->vertex_count; ++v) {
        lmbi_closest c = lmbi_tree_closest(t->tree, t->surface->positions[v], reach);
        if (c.triangle == UINT32_MAX || !normals_agree(t, &c, v, cosine) ||
            !interpolate_row(t, &c, v)) {
            continue;
        }
        t->known[v] = 1;
        t->distance_sum += (double)c.distance;
        ++t->match_count;
        t->report.distance_max = fmaxf(t->report.distance_max, c.distance);
    }
    t->report.distance_mean = t->match_count ? (float)(t->distance_sum / t->match_count) : 0.0f;
}

/// Gives pieces without any match the nearest rows, however far.
static lmb_result match_lone_pieces(transfer *t, lmb_error *error)
{
    uint32_t n = t->surface->vertex_count, count = 0;
    uint32_t *piece = lmbi_arena_array(&t->arena, n, sizeof *piece);
    uint8_t *any = lmbi_arena_array(&t->arena, n, 1);
    if (!piece || !any) {
        return lmbi_fail_memory(error);
    }
    lmb_result result = lmb_surface_components(t->surface, t->alloc, piece, &count, error);
    for (uint32_t v = 0; result == LMB_OK && v < n; ++v) {
        any[piece[v]] |= t->known[v];
    }
    for (uint32_t v = 0; result == LMB_OK && v < n; ++v) {
        if (!any[piece[v]]) {
            lmbi_closest c = lmbi_tree_closest(t->tree, t->surface->positions[v], INFINITY);
            if (!interpolate_row(t, &c, v)) {
                return lmbi_fail(error, LMB_ERROR_INVALID, "joints that both characters have",
                                 "weights of joints that the target lacks");
            }
            t->known[v] = 2;
        }
    }
    return result;
}

// ---- back to the vertices of the meshes

static void count_vertex(transfer *t, uint32_t at)
{
    ++t->report.vertex_count;
    t->report.matched_count += t->known[at] == 1 ? 1 : 0;
    t->report.nearest_count += t->known[at] == 2 ? 1 : 0;
    t->report.filled_count += t->known[at] == 0 ? 1 : 0;
}

/// Stores a vertex's row. Joints that the skin lacks pass their weight to their nearest ancestor in
/// it.
static void store_vertex(transfer *t, uint32_t v, const uint8_t *in_skin)
{
    const lmb_influence *row = row_at(t, t->surface->vertex_of[v]);
    for (uint32_t k = 0; k < lmbi_row_count(row); ++k) {
        int32_t joint = (int32_t)row[k].joint;
        while (joint != LMB_NONE && !in_skin[joint]) {
            joint = t->skeleton->parents[joint];
        }
        if (joint != LMB_NONE) {
            lmbi_row_sum_add(&t->sum, (uint32_t)joint, row[k].weight);
        }
    }
    lmb_influence made[LMBI_ROW_WIDTH];
    lmbi_row_sum_store(&t->sum, LMBI_ROW_WIDTH, made);
    if (made[0].weight > 0) { // else it keeps its own row
        memcpy(t->to_table.rows + (size_t)v * LMBI_ROW_WIDTH, made, sizeof made);
    }
    count_vertex(t, t->surface->vertex_of[v]);
}

static lmb_result store_rows(transfer *t, lmb_character **character, lmb_error *error)
{
    const lmb_character *c = t->to;
    uint8_t *in_skin = lmbi_arena_array(&t->arena, c->skeleton->joint_count, 1);
    if (!in_skin) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t i = 0; i < c->instance_count; ++i) {
        if (!lmbi_is_skinned(c, i)) {
            continue;
        }
        const lmb_skin *skin = c->skins[c->instances[i].skin];
        memset(in_skin, 0, c->skeleton->joint_count);
        for (uint32_t k = 0; k < skin->joint_count; ++k) {
            in_skin[skin->joints[k]] = 1;
        }
        for (uint32_t v = t->to_table.first_vertex[i]; v < t->to_table.first_vertex[i + 1]; ++v) {
            store_vertex(t, v, in_skin);
        }
    }
    return lmbi_table_store(&t->to_table, character, t->alloc, error);
}

static lmb_result bind_rows(transfer *t, lmb_character **character, lmb_error *error)
{
    uint32_t n = t->surface->part_vertex_count;
    uint32_t *first = lmbi_arena_array(&t->arena, (size_t)n + 1, sizeof *first);
    uint8_t *deforms = lmbi_arena_array(&t->arena, t->skeleton->joint_count, 1);
    lmb_influence *items = lmbi_arena_array(&t->arena, n, LMBI_ROW_WIDTH * sizeof *items);
    if (!first || !deforms || !items) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t v = 0; v < n; ++v) {
        const lmb_influence *row = row_at(t, t->surface->vertex_of[v]);
        first[v + 1] = first[v];
        for (uint32_t k = 0; k < lmbi_row_count(row); ++k) {
            items[first[v + 1]++] = row[k];
            deforms[row[k].joint] = 1;
        }
        count_vertex(t, t->surface->vertex_of[v]);
    }
    const lmb_influences rows = {first, items};
    return lmbi_bind_rows(character, t->skeleton, deforms, &rows, t->alloc, error);
}

// ---- the whole

static lmb_result prepare(transfer *t, lmb_error *error)
{
    t->bare = true;
    for (uint32_t i = 0; i < t->to->instance_count; ++i) {
        t->bare = t->bare && !lmbi_is_skinned(t->to, i);
    }
    lmb_result result = lmbi_table_create(t->from, &t->arena, &t->from_table, error);
    if (result == LMB_OK && !t->bare) {
        result = lmbi_table_create(t->to, &t->arena, &t->to_table, error);
    }
    if (result == LMB_OK) {
        result = lmb_character_surface(t->from, t->alloc, &t->source, error);
    }
    if (result == LMB_OK) {
        result = lmb_character_surface(t->to, t->alloc, &t->surface, error);
    }
    if (result == LMB_OK) {
        result = map_joints(t, error);
    }
    return result == LMB_OK ? build_source_tree(t, error) : result;
}

static lmb_result transfer_rows(transfer *t, lmb_error *error)
{
    uint32_t n = t->surface->vertex_count;
    t->influences = t->opts->influences ? t->opts->influences : t->influences;
    t->normals = lmbi_arena_array(&t->arena, n, sizeof *t->normals);
    t->rows = lmbi_arena_array(&t->arena, n, LMBI_ROW_WIDTH * sizeof *t->rows);
    t->known = lmbi_arena_array(&t->arena, n, 1);
    if (!t->normals || !t->rows || !t->known) {
        return lmbi_fail_memory(error);
    }
    lmbi_surface_vertex_normals(t->surface, t->normals);
    match_all(t);
    if (t->match_count == 0) {
        return lmbi_fail(error, LMB_ERROR_INVALID,
                         "bodies at the same position, with joints that both have",
                         "no vertex that matches");
    }
    lmb_result result = match_lone_pieces(t, error);
    if (result != LMB_OK) {
        return result;
    }
    const lmbi_fill fill = {.surface = t->surface,
                            .known = t->known,
                            .rows = t->rows,
                            .joint_count = t->skeleton->joint_count,
                            .influences = t->influences};
    result = lmbi_fill_rows(&fill, t->alloc, error);
    if (result != LMB_OK || t->opts->rounds == 0) {
        return result;
    }
    const lmbi_soften soften = {.fill = &fill, .reach = reach_of(t), .rounds = t->opts->rounds};
    return lmbi_soften_rows(&soften, &t->sum, &t->arena, error);
}

lmb_result lmb_weights_transfer(lmb_character **character, const lmb_character *from,
                                const lmb_transfer_opts *opts, const lmb_allocator *alloc,
                                lmb_transfer_report *out, lmb_error *error)
{
    static const lmb_transfer_opts defaults;
    transfer t = {.to = *character, .from = from, .opts = opts ? opts : &defaults, .alloc = alloc};
    lmbi_arena_init(&t.arena, alloc);
    lmb_result result = prepare(&t, error);
    if (result == LMB_OK) {
        result = transfer_rows(&t, error);
    }
    if (result == LMB_OK) {
        result = t.bare ? bind_rows(&t, character, error) : store_rows(&t, character, error);
    }
    t.report.bound = t.bare;
    lmbi_tree_destroy(t.tree);
    lmb_surface_destroy(t.surface);
    lmb_surface_destroy(t.source);
    lmbi_arena_free(&t.arena);
    if (result == LMB_OK && out) {
        *out = t.report;
    }
    return result;
}
