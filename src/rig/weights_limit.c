/// Limits influences per vertex, by lever arm or by the error over given poses.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "rig/weights_edit.h"

/// Least distance to a joint, as a fraction of the size: a joint at the vertex does not move it by
/// its own rotation, but by its parents'.
static const float LEVER_FRACTION = 0.05f;

void lmbi_edit_shorten(lmbi_editor *e, uint32_t v)
{
    const lmb_influence *row = lmbi_edit_row(e, v);
    lmb_influence ranked[LMBI_ROW_WIDTH] = {{0, 0}};
    bool keep[LMBI_ROW_WIDTH] = {false};
    uint32_t count = lmbi_row_count(row);
    for (uint32_t k = 0; k < count; ++k) {
        float pull =
            row[k].weight * (lmb_vec3_distance(lmbi_edit_place(e, v), e->joints[row[k].joint]) +
                             LEVER_FRACTION * e->size);
        lmbi_row_insert(ranked, LMBI_ROW_WIDTH, k, pull > 0 ? pull : 1e-30f);
    }
    for (uint32_t k = 0; k < count && k < e->edit.influences; ++k) {
        keep[ranked[k].joint] = true;
    }
    lmbi_edit_drop(e, v, keep);
}

// ---- by what poses need

/// One instance's vertices, and its palettes in each pose.
typedef struct moves {
    lmbi_editor *e;
    const lmb_mesh *mesh;
    uint32_t first_vertex; ///< first row of the instance in the table
    lmb_mat4 *palette;     ///< [pose_count][joint_count], by joint of the skeleton
    lmb_vec3 *positions;   ///< [pose_count][LMBI_ROW_WIDTH] positions of one vertex, by influence
    lmb_vec3 *whole;       ///< [pose_count] position of one vertex, by all influences
} moves;

static void set_instance(moves *m, uint32_t instance)
{
    const lmb_character *c = m->e->table.character;
    const lmb_skin *skin = c->skins[c->instances[instance].skin];
    const uint32_t joints = c->skeleton->joint_count;
    m->mesh = c->meshes[c->instances[instance].mesh];
    m->first_vertex = m->e->table.first_vertex[instance];
    // rows filled from another instance may have joints that this skin lacks
    for (size_t k = 0; k < (size_t)m->e->edit.pose_count * joints; ++k) {
        m->palette[k] = lmb_mat4_identity();
    }
    for (uint32_t k = 0; k < skin->joint_count; ++k) {
        const uint32_t j = skin->joints[k];
        for (uint32_t p = 0; p < m->e->edit.pose_count; ++p) {
            m->palette[(size_t)p * joints + j] =
                lmb_mat4_mul(m->e->edit.poses[(size_t)p * joints + j], skin->joint_from_bind[k]);
        }
    }
}

/// Positions of vertex v of the instance in each pose, for each influence alone and for all.
static void compute_positions(const moves *m, uint32_t v, const lmb_influence *row, uint32_t count)
{
    const uint32_t joints = m->e->table.character->skeleton->joint_count;
    for (uint32_t p = 0; p < m->e->edit.pose_count; ++p) {
        lmb_vec3 *at = m->positions + (size_t)p * LMBI_ROW_WIDTH;
        m->whole[p] = lmb_vec3_make(0, 0, 0);
        for (uint32_t k = 0; k < count; ++k) {
            at[k] = lmb_mat4_point(m->palette[(size_t)p * joints + row[k].joint],
                                   m->mesh->positions[v]);
            m->whole[p] = lmb_vec3_mad(m->whole[p], at[k], row[k].weight);
        }
    }
}

/// Sum of squared, and largest, distances between the vertex with the kept influences and with all.
static double measure_error(const moves *m, const lmb_influence *row, uint32_t count,
                            const bool *keep, float *out_most)
{
    float sum = 0;
    double squares = 0;
    for (uint32_t k = 0; k < count; ++k) {
        sum += keep[k] ? row[k].weight : 0;
    }
    *out_most = 0;
    for (uint32_t p = 0; p < m->e->edit.pose_count; ++p) {
        lmb_vec3 at = {0, 0, 0};
        for (uint32_t k = 0; k < count; ++k) {
            at = keep[k] ? lmb_vec3_mad(at, m->positions[(size_t)p * LMBI_ROW_WIDTH + k],
                                        row[k].weight / sum)
                         : at;
        }
        const float off = lmb_vec3_distance(at, m->whole[p]);
        squares += (double)off * (double)off;
        *out_most = fmaxf(*out_most, off);
    }
    return squares;
}

/// Greedily removes the influence whose loss changes the poses least, until few enough remain.
static void limit_vertex(moves *m, uint32_t v)
{
    lmbi_editor *e = m->e;
    lmb_influence *row = lmbi_edit_row(e, m->first_vertex + v);
    const uint32_t count = lmbi_row_count(row);
    bool keep[LMBI_ROW_WIDTH] = {false};
    float most = 0;
    for (uint32_t k = 0; k < count; ++k) {
        keep[k] = true;
    }
    if (count > e->edit.influences) {
        lmbi_edit_scale(row);
        compute_positions(m, v, row, count);
    }
    for (uint32_t left = count; left > e->edit.influences; --left) {
        double best = (double)INFINITY;
        uint32_t goes = 0;
        for (uint32_t k = count; k-- > 0;) { // of equal errors the smaller weight is removed
            if (!keep[k]) {
                continue;
            }
            keep[k] = false;
            const double off = measure_error(m, row, count, keep, &most);
            goes = off < best ? k : goes;
            best = off < best ? off : best;
            keep[k] = true;
        }
        keep[goes] = false;
    }
    if (count > e->edit.influences) {
        (void)measure_error(m, row, count, keep, &most);
        e->moved += (double)most;
        e->change.moved_max = fmaxf(e->change.moved_max, most);
    }
    lmbi_edit_drop(e, m->first_vertex + v, keep);
}

static lmb_result limit_by_poses(lmbi_editor *e, lmb_error *error)
{
    const lmb_character *c = e->table.character;
    const uint32_t joints = c->skeleton->joint_count;
    const size_t poses = e->edit.pose_count;
    moves m = {.e = e,
               .palette = lmbi_arena_array(&e->arena, poses * joints, sizeof *m.palette),
               .positions =
                   lmbi_arena_array(&e->arena, poses, LMBI_ROW_WIDTH * sizeof *m.positions),
               .whole = lmbi_arena_array(&e->arena, poses, sizeof *m.whole)};
    if (!m.palette || !m.positions || !m.whole) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t i = 0; i < c->instance_count; ++i) {
        if (!lmbi_is_skinned(c, i)) {
            continue;
        }
        set_instance(&m, i);
        for (uint32_t v = 0; v < m.mesh->vertex_count; ++v) {
            if (lmbi_edit_is_for(e, m.first_vertex + v)) {
                limit_vertex(&m, v);
            }
        }
    }
    return LMB_OK;
}

lmb_result lmbi_edit_limit(lmbi_editor *e, lmb_error *error)
{
    if (e->edit.pose_count > 0) {
        return limit_by_poses(e, error);
    }
    for (uint32_t v = 0; v < e->table.count; ++v) {
        if (lmbi_edit_is_for(e, v)) {
            lmbi_edit_shorten(e, v);
        }
    }
    return LMB_OK;
}
