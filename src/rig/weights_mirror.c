/// Copies the weights of one side to the other.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "geometry/tree.h"
#include "rig/heat.h"
#include "rig/row_sum.h"
#include "rig/symmetry.h"

/// Largest distance from a mirror image to the surface, and from a joint's image to its partner, as
/// fractions of the diagonal.
static const float REACH_FRACTION = 0.05f, JOINT_FRACTION = 0.02f;
/// Largest fraction of a side's vertices without a mirror image.
static const float MOST_ALONE = 0.25f;
/// Vertices within this fraction of the diagonal are on the plane.
static const float SEAM_FRACTION = 1e-4f;
/// Barycentric coordinates below this are rounding error.
static const float CORNER_SLACK = 1e-4f;

typedef enum side { SEAM = 0, SOURCE = 1, TARGET = 2, NO_ROW = 3 } side;

typedef struct mirror {
    const lmb_character *character;
    const lmb_mirror_opts *opts;
    const lmb_allocator *alloc;
    lmbi_arena arena;
    lmbi_table table;
    lmb_surface *surface;
    float diagonal;
    lmb_vec3 *joints;  ///< [joint_count] in the space of the surface
    int32_t *right_of; ///< [joint_count]
    int32_t *partner;  ///< [joint_count] joint that receives the weight
    lmbi_mirror_plane plane;
    uint8_t *sides;      ///< [surface vertex_count]
    lmb_influence *rows; ///< [surface vertex_count][LMBI_ROW_WIDTH]
    uint32_t *triangles; ///< of the source side
    lmbi_tree *tree;     ///< of these
    uint32_t influences;
    lmbi_row_sum sum;
    lmb_mirror_report report;
    double distance_sum;
    uint32_t image_count;
    uint32_t *far_of; ///< [joint_count] vertices without an image, by their strongest joint
    uint32_t far_count;
} mirror;

static lmb_influence *row_at(const mirror *m, uint32_t v)
{
    return m->rows + (size_t)v * LMBI_ROW_WIDTH;
}

// ---- joints and plane

static lmb_result place_joints(mirror *m, lmb_error *error)
{
    uint32_t n = m->character->skeleton->joint_count;
    lmb_mat4 *model = lmbi_arena_array(&m->arena, n, sizeof *model);
    m->joints = lmbi_arena_array(&m->arena, n, sizeof *m->joints);
    m->right_of = lmbi_arena_array(&m->arena, n, sizeof *m->right_of);
    m->partner = lmbi_arena_array(&m->arena, n, sizeof *m->partner);
    if (!model || !m->joints || !m->right_of || !m->partner) {
        return lmbi_fail_memory(error);
    }
    lmb_pose_to_model(
        &(lmb_pose_to_model_job){.skeleton = m->character->skeleton, .model_from_joint = model});
    for (uint32_t j = 0; j < n; ++j) {
        m->joints[j] = lmb_mat4_translation(model[j]);
        int32_t right = m->opts->right_of ? m->opts->right_of[j] : LMB_NONE;
        if (right != LMB_NONE && (right < 0 || (uint32_t)right >= n || (uint32_t)right == j)) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "another joint of the skeleton",
                             "partner %d of joint %u", right, j);
        }
        m->right_of[j] = right;
    }
    return lmbi_pair_by_name(m->character->skeleton, m->right_of, &m->arena, error);
}

/// The plane halfway between paired joints. False without pairs.
static bool guess_by_joints(const mirror *m, lmbi_mirror_plane *out)
{
    lmb_vec3 across = {0, 0, 0}, middle = {0, 0, 0};
    float count = 0;
    for (uint32_t j = 0; j < m->character->skeleton->joint_count; ++j) {
        if (m->right_of[j] != LMB_NONE) {
            lmb_vec3 l = m->joints[j], r = m->joints[m->right_of[j]];
            across = lmb_vec3_add(across, lmb_vec3_sub(l, r));
            middle = lmb_vec3_mad(middle, lmb_vec3_add(l, r), 0.5f);
            count += 1;
        }
    }
    if (!(lmb_vec3_length(across) > 1e-3f * m->diagonal)) {
        return false;
    }
    out->normal = lmb_vec3_normalize_or(across, (lmb_vec3){1, 0, 0});
    out->offset = lmb_vec3_dot(out->normal, middle) / count;
    return true;
}

static void find_plane(mirror *m, const lmbi_tree *tree)
{
    lmbi_mirror_plane guesses[2];
    uint32_t count = 1;
    if (!guess_by_joints(m, &guesses[0])) {
        lmb_box box = lmb_box_of(m->surface->positions, m->surface->vertex_count);
        guesses[0] = (lmbi_mirror_plane){{1, 0, 0}, 0.5f * (box.low.x + box.high.x)};
        guesses[1] = (lmbi_mirror_plane){
            {0, 0, -1}, -0.5f * (box.low.z + box.high.z)}; // for characters facing +X
        count = 2;
    }
    m->plane = lmbi_symmetry_find(m->surface, tree, m->diagonal, guesses, count);
    m->report.normal = m->plane.normal;
    m->report.offset = m->plane.offset;
}

/// Pairs the joints. A joint without a partner uses that of its nearest ancestor with one.
static void pair_joints(mirror *m)
{
    const lmb_skeleton *skeleton = m->character->skeleton;
    uint32_t n = skeleton->joint_count;
    lmbi_pair_both_ways(m->right_of, n, m->partner);
    lmbi_pair_by_position(m->joints, n, m->plane.normal, m->plane.offset,
                          JOINT_FRACTION * m->diagonal, m->partner);
    uint32_t two = 0;
    for (uint32_t j = 0; j < n; ++j) {
        two += m->partner[j] != LMB_NONE && m->partner[j] != (int32_t)j ? 1 : 0;
        m->report.middle_count += m->partner[j] == (int32_t)j ? 1 : 0;
    }
    m->report.pair_count = two / 2;
}

static lmb_result assign_lone_joints(mirror *m, lmb_error *error)
{
    const lmb_skeleton *skeleton = m->character->skeleton;
    uint8_t *used = lmbi_arena_array(&m->arena, skeleton->joint_count, 1);
    if (!used) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t v = 0; v < m->surface->vertex_count; ++v) {
        const lmb_influence *row = row_at(m, v);
        for (uint32_t k = 0; k < lmbi_row_count(row); ++k) {
            used[row[k].joint] = 1;
        }
    }
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) { // parents first
        if (m->partner[j] == LMB_NONE) {
            m->report.lone_joint_count += used[j];
            m->partner[j] =
                skeleton->parents[j] == LMB_NONE ? (int32_t)j : m->partner[skeleton->parents[j]];
        }
    }
    return LMB_OK;
}

// ---- vertices

static lmb_result gather_rows(mirror *m, lmb_error *error)
{
    uint32_t n = m->surface->vertex_count;
    m->rows = lmbi_table_gather(&m->table, m->surface->vertex_of, n, &m->arena, &m->influences);
    m->sides = lmbi_arena_array(&m->arena, n, 1);
    if (!m->rows || !m->sides ||
        !lmbi_row_sum_init(&m->sum, m->character->skeleton->joint_count, &m->arena)) {
        return lmbi_fail_memory(error);
    }
    m->influences = m->opts->influences ? m->opts->influences : m->influences;
    return LMB_OK;
}

static void find_sides(mirror *m)
{
    float sign = m->opts->side == LMB_MIRROR_FROM_LEFT ? 1.0f : -1.0f;
    float seam = SEAM_FRACTION * m->diagonal;
    for (uint32_t v = 0; v < m->surface->vertex_count; ++v) {
        float d =
            sign * (lmb_vec3_dot(m->surface->positions[v], m->plane.normal) - m->plane.offset);
        side s = d > seam ? SOURCE : d < -seam ? TARGET : SEAM;
        m->sides[v] = row_at(m, v)[0].weight > 0 ? (uint8_t)s : (uint8_t)NO_ROW;
    }
}

static bool has_source_row(const mirror *m, uint32_t v)
{
    return m->sides[v] == SOURCE || m->sides[v] == SEAM;
}

/// Tree of the triangles with a corner on the source side.
static lmb_result build_source_tree(mirror *m, lmb_error *error)
{
    const lmb_surface *s = m->surface;
    m->triangles = lmbi_arena_array(&m->arena, s->triangle_count, 3 * sizeof *m->triangles);
    if (!m->triangles) {
        return lmbi_fail_memory(error);
    }
    lmb_surface half = {
        .vertex_count = s->vertex_count, .positions = s->positions, .triangles = m->triangles};
    for (uint32_t t = 0; t < s->triangle_count; ++t) {
        const uint32_t *corner = s->triangles + 3 * (size_t)t;
        if (has_source_row(m, corner[0]) || has_source_row(m, corner[1]) ||
            has_source_row(m, corner[2])) {
            memcpy(m->triangles + 3 * (size_t)half.triangle_count++, corner, 3 * sizeof *corner);
        }
    }
    if (half.triangle_count == 0) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "skin on the side that is copied", "none");
    }
    return lmbi_tree_create(&half, m->alloc, &m->tree, error);
}

static void average_seam(mirror *m, uint32_t v)
{
    lmb_influence *row = row_at(m, v);
    for (uint32_t k = 0; k < lmbi_row_count(row); ++k) {
        lmbi_row_sum_add(&m->sum, row[k].joint, 0.5f * row[k].weight);
        lmbi_row_sum_add(&m->sum, (uint32_t)m->partner[row[k].joint], 0.5f * row[k].weight);
    }
    lmbi_row_sum_store(&m->sum, m->influences, row);
}

/// Barycentric weights of the corners with rows; equal ones if the point is at the other corners.
static void find_corner_weights(const mirror *m, const lmbi_closest *c, float corner_weights[3])
{
    const uint32_t *corner = m->triangles + 3 * (size_t)c->triangle;
    float sum = 0;
    for (int k = 0; k < 3; ++k) {
        corner_weights[k] = has_source_row(m, corner[k]) && c->barycentric[k] > CORNER_SLACK
                                ? c->barycentric[k]
                                : 0;
        sum += corner_weights[k];
    }
    for (int k = 0; k < 3; ++k) {
        corner_weights[k] = sum > 0                        ? corner_weights[k] / sum
                            : has_source_row(m, corner[k]) ? 1.0f
                                                           : 0.0f;
    }
}

static void copy_across(mirror *m, uint32_t v)
{
    lmb_vec3 image = lmbi_plane_image(m->plane, m->surface->positions[v]);
    lmbi_closest c = lmbi_tree_closest(m->tree, image, REACH_FRACTION * m->diagonal);
    if (c.triangle == UINT32_MAX) {
        m->sides[v] = NO_ROW;
        ++m->far_of[row_at(m, v)[0].joint];
        ++m->far_count;
        return;
    }
    float corner_weights[3];
    find_corner_weights(m, &c, corner_weights);
    for (int k = 0; k < 3; ++k) {
        const lmb_influence *row = row_at(m, m->triangles[3 * (size_t)c.triangle + (size_t)k]);
        for (uint32_t i = 0; corner_weights[k] > 0 && i < lmbi_row_count(row); ++i) {
            lmbi_row_sum_add(&m->sum, (uint32_t)m->partner[row[i].joint],
                             corner_weights[k] * row[i].weight);
        }
    }
    lmbi_row_sum_store(&m->sum, m->influences, row_at(m, v));
    m->distance_sum += (double)c.distance;
    ++m->image_count;
    m->report.distance_max = fmaxf(m->report.distance_max, c.distance);
}

static lmb_result fail_asymmetric(const mirror *m, lmb_error *error)
{
    uint32_t worst = 0;
    for (uint32_t j = 0; j < m->character->skeleton->joint_count; ++j) {
        worst = m->far_of[j] > m->far_of[worst] ? j : worst;
    }
    return lmbi_fail(error, LMB_ERROR_INVALID, "a character that is the same on both sides",
                     "no skin at the mirror images of %u of %u vertices, %u of them at %s",
                     m->far_count, m->far_count + m->image_count, m->far_of[worst],
                     m->character->skeleton->names[worst]);
}

static lmb_result copy_all(mirror *m, lmb_error *error)
{
    m->far_of = lmbi_arena_array(&m->arena, m->character->skeleton->joint_count, sizeof *m->far_of);
    if (!m->far_of) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t v = 0; v < m->surface->vertex_count; ++v) {
        if (m->sides[v] == SEAM) {
            average_seam(m, v);
        }
    }
    for (uint32_t v = 0; v < m->surface->vertex_count; ++v) {
        if (m->sides[v] == TARGET) {
            copy_across(m, v);
        }
    }
    m->report.distance_mean = m->image_count ? (float)(m->distance_sum / m->image_count) : 0.0f;
    const float all = (float)(m->far_count + m->image_count);
    return (float)m->far_count > MOST_ALONE * all ? fail_asymmetric(m, error) : LMB_OK;
}

// ---- back to the vertices of the meshes

/// Drops the joints that the skin lacks. False if none remains.
static bool keep_known(const uint8_t *known, lmb_influence row[LMBI_ROW_WIDTH])
{
    uint32_t kept = 0, count = lmbi_row_count(row);
    for (uint32_t k = 0; k < count; ++k) {
        if (known[row[k].joint]) {
            row[kept++] = row[k];
        }
    }
    memset(row + kept, 0, (LMBI_ROW_WIDTH - kept) * sizeof *row);
    if (kept > 0 && kept < count) {
        lmbi_row_normalize(row, kept);
    }
    return kept > 0;
}

static void store_vertex(mirror *m, uint32_t v, const uint8_t *known)
{
    lmb_influence *old = m->table.rows + (size_t)v * LMBI_ROW_WIDTH, row[LMBI_ROW_WIDTH];
    uint32_t at = m->surface->vertex_of[v];
    uint8_t s = m->sides[at];
    ++m->report.vertex_count;
    memcpy(row, row_at(m, at), sizeof row);
    if (s == SOURCE) {
        return;
    }
    if (s == NO_ROW || !keep_known(known, row)) {
        ++m->report.alone_count;
        return;
    }
    m->report.copied_count += s == TARGET ? 1 : 0;
    m->report.seam_count += s == SEAM ? 1 : 0;
    m->report.changed_count += memcmp(old, row, sizeof row) != 0 ? 1 : 0;
    memcpy(old, row, sizeof row);
}

static lmb_result store_all(mirror *m, lmb_error *error)
{
    const lmb_character *c = m->character;
    uint8_t *known = lmbi_arena_array(&m->arena, c->skeleton->joint_count, 1);
    if (!known) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t i = 0; i < c->instance_count; ++i) {
        if (!lmbi_is_skinned(c, i)) {
            continue;
        }
        const lmb_skin *skin = c->skins[c->instances[i].skin];
        memset(known, 0, c->skeleton->joint_count);
        for (uint32_t k = 0; k < skin->joint_count; ++k) {
            known[skin->joints[k]] = 1;
        }
        for (uint32_t v = m->table.first_vertex[i]; v < m->table.first_vertex[i + 1]; ++v) {
            store_vertex(m, v, known);
        }
    }
    return LMB_OK;
}

// ---- the whole

static lmb_result prepare(mirror *m, lmb_error *error)
{
    lmb_result result = lmbi_table_create(m->character, &m->arena, &m->table, error);
    if (result == LMB_OK) {
        result = lmb_character_surface(m->character, m->alloc, &m->surface, error);
    }
    if (result == LMB_OK) {
        lmb_box box = lmb_box_of(m->surface->positions, m->surface->vertex_count);
        m->diagonal = lmb_vec3_distance(box.low, box.high);
        result = place_joints(m, error);
    }
    return result == LMB_OK ? gather_rows(m, error) : result;
}

static lmb_result mirror_rows(mirror *m, lmb_error *error)
{
    lmbi_tree *whole = NULL;
    lmb_result result = lmbi_tree_create(m->surface, m->alloc, &whole, error);
    if (result != LMB_OK) {
        return result;
    }
    find_plane(m, whole);
    lmbi_tree_destroy(whole);
    pair_joints(m);
    result = assign_lone_joints(m, error);
    if (result == LMB_OK) {
        find_sides(m);
        result = build_source_tree(m, error);
    }
    if (result == LMB_OK) {
        result = copy_all(m, error);
    }
    if (result == LMB_OK) {
        result = store_all(m, error);
    }
    return result;
}

lmb_result lmb_weights_mirror(lmb_character **character, const lmb_mirror_opts *opts,
                              const lmb_allocator *alloc, lmb_mirror_report *out, lmb_error *error)
{
    static const lmb_mirror_opts defaults;
    mirror m = {.character = *character, .opts = opts ? opts : &defaults, .alloc = alloc};
    lmbi_arena_init(&m.arena, alloc);
    lmb_result result = prepare(&m, error);
    if (result == LMB_OK) {
        result = mirror_rows(&m, error);
    }
    if (result == LMB_OK) {
        result = lmbi_table_store(&m.table, character, alloc, error);
    }
    lmbi_tree_destroy(m.tree);
    lmb_surface_destroy(m.surface);
    lmbi_arena_free(&m.arena);
    if (result == LMB_OK && out) {
        *out = m.report;
    }
    return result;
}
