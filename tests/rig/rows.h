/// Small skinned sheets with painted rows, and the nearest point of a mesh by brute force.
#ifndef TESTS_RIG_ROWS_H
#define TESTS_RIG_ROWS_H

#include <math.h>

#include "limber/rig.h"

enum { SHEET_VERTICES = 4096, SHEET_JOINTS = 8 };

typedef struct sheet_joint {
    const char *name;
    lmb_vec3 position;
} sheet_joint;

typedef struct sheet {
    uint32_t vertex_count, index_count, joint_count;
    lmb_vec3 positions[SHEET_VERTICES];
    uint32_t indices[6 * SHEET_VERTICES];
    float weights[SHEET_VERTICES][SHEET_JOINTS];
    const sheet_joint *joints; ///< children of the first
    float shift;               ///< of all joints along x
    bool bare;                 ///< no skin
} sheet;

static inline void sheet_triangles(sheet *s, uint32_t columns, uint32_t rows)
{
    s->index_count = 0;
    for (uint32_t r = 0; r + 1 < rows; ++r) {
        for (uint32_t c = 0; c + 1 < columns; ++c) {
            uint32_t v = r * columns + c;
            const uint32_t corners[6] = {v,     v + 1,           v + columns,
                                         v + 1, v + columns + 1, v + columns};
            for (int k = 0; k < 6; ++k) {
                s->indices[s->index_count++] = corners[k];
            }
        }
    }
}

/// A sheet of columns by rows whose positions and weights are still to be set.
static inline sheet *sheet_begin(uint32_t columns, uint32_t rows, const sheet_joint *joints,
                                 uint32_t joint_count)
{
    static sheet s;
    memset(&s, 0, sizeof s);
    s.vertex_count = columns * rows;
    s.joint_count = joint_count;
    s.joints = joints;
    sheet_triangles(&s, columns, rows);
    return &s;
}

static inline lmb_mesh *sheet_mesh(sheet *s, const lmb_allocator *alloc)
{
    static uint32_t first[SHEET_VERTICES + 1];
    static lmb_influence items[SHEET_VERTICES * SHEET_JOINTS];
    uint32_t at = 0;
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        first[v] = at;
        for (uint32_t j = 0; j < s->joint_count; ++j) { // falling
            if (!(s->weights[v][j] > 0)) {
                continue;
            }
            uint32_t k = at++;
            for (; k > first[v] && items[k - 1].weight < s->weights[v][j]; --k) {
                items[k] = items[k - 1];
            }
            items[k] = (lmb_influence){j, s->weights[v][j]};
        }
    }
    first[s->vertex_count] = at;
    lmb_primitive primitive = {.index_count = s->index_count,
                               .vertex_count = s->vertex_count,
                               .attributes = s->bare ? 0 : LMB_HAS_INFLUENCES,
                               .material = LMB_NONE};
    lmb_mesh def = {.vertex_count = s->vertex_count,
                    .positions = s->positions,
                    .index_count = s->index_count,
                    .indices = s->indices,
                    .primitive_count = 1,
                    .primitives = &primitive};
    if (!s->bare) {
        def.influences = (lmb_influences){first, items};
    }
    lmb_mesh *mesh;
    assert_int_equal(lmb_mesh_create(&def, alloc, &mesh, NULL), LMB_OK);
    return mesh;
}

/// Joints as given and, as the last one, the node that holds the mesh.
static inline lmb_character *sheet_character(sheet *s, const lmb_allocator *alloc)
{
    int32_t parents[SHEET_JOINTS + 1];
    lmb_transform rest[SHEET_JOINTS + 1];
    const char *names[SHEET_JOINTS + 1];
    lmb_mat4 inverse[SHEET_JOINTS];
    uint32_t order[SHEET_JOINTS], n = s->bare ? 0 : s->joint_count;
    for (uint32_t j = 0; j <= n; ++j) {
        parents[j] = j == 0 || j == n ? LMB_NONE : 0;
        rest[j] = lmb_transform_identity();
        names[j] = j < n ? s->joints[j].name : "sheet";
        if (j == n) {
            continue;
        }
        lmb_vec3 position = lmb_vec3_add(s->joints[j].position, (lmb_vec3){s->shift, 0, 0});
        rest[j].translation =
            j == 0 ? position : lmb_vec3_sub(s->joints[j].position, s->joints[0].position);
        order[j] = j;
        inverse[j] = lmb_mat4_identity();
        inverse[j].m[12] = -position.x;
        inverse[j].m[13] = -position.y;
        inverse[j].m[14] = -position.z;
    }
    lmb_skeleton skeleton = {
        .joint_count = n + 1, .parents = parents, .rest = rest, .names = names};
    lmb_skin skin = {
        .joint_count = n, .joints = order, .joint_from_bind = inverse, .root = LMB_NONE};
    lmb_instance instance = {.joint = n, .mesh = 0, .skin = s->bare ? LMB_NONE : 0};
    lmb_mesh *mesh = sheet_mesh(s, alloc);
    lmb_skeleton *made_skeleton;
    lmb_skin *made_skin = NULL;
    assert_int_equal(lmb_skeleton_create(&skeleton, alloc, &made_skeleton, NULL), LMB_OK);
    if (!s->bare) {
        assert_int_equal(lmb_skin_create(&skin, alloc, &made_skin, NULL), LMB_OK);
    }
    lmb_character def = {.skeleton = made_skeleton,
                         .mesh_count = 1,
                         .skin_count = s->bare ? 0 : 1,
                         .instance_count = 1,
                         .meshes = &mesh,
                         .skins = &made_skin,
                         .instances = &instance};
    lmb_character *character;
    assert_int_equal(lmb_character_create(&def, alloc, &character, NULL), LMB_OK);
    return character;
}

/// The weight of a joint of the skeleton on a vertex of mesh 0.
static inline float row_weight(const lmb_character *c, uint32_t vertex, uint32_t joint)
{
    const lmb_influences *rows = &c->meshes[0]->influences;
    float sum = 0;
    for (uint32_t k = rows->first[vertex]; k < rows->first[vertex + 1]; ++k) {
        if (c->skins[0]->joints[rows->items[k].joint] == joint) {
            sum += rows->items[k].weight;
        }
    }
    return sum;
}

static inline float row_sum(const lmb_character *c, uint32_t vertex)
{
    const lmb_influences *rows = &c->meshes[0]->influences;
    float sum = 0;
    for (uint32_t k = rows->first[vertex]; k < rows->first[vertex + 1]; ++k) {
        assert_true(rows->items[k].weight > 0);
        sum += rows->items[k].weight;
    }
    return sum;
}

typedef struct nearest_point {
    double distance;
    uint32_t corners[3];
    double fractions[3];
} nearest_point;

typedef struct double3 {
    double x, y, z;
} double3;

static double3 minus(lmb_vec3 a, lmb_vec3 b)
{
    return (double3){(double)a.x - (double)b.x, (double)a.y - (double)b.y,
                     (double)a.z - (double)b.z};
}

static double dot3(double3 a, double3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

/// The point a + s u + t v with s and t given, if it is nearer than what was found.
static void offer(nearest_point *best, const lmb_mesh *mesh, const uint32_t *corners, lmb_vec3 p,
                  double s, double t)
{
    double3 u = minus(mesh->positions[corners[1]], mesh->positions[corners[0]]);
    double3 v = minus(mesh->positions[corners[2]], mesh->positions[corners[0]]);
    double3 d = minus(p, mesh->positions[corners[0]]);
    d = (double3){d.x - s * u.x - t * v.x, d.y - s * u.y - t * v.y, d.z - s * u.z - t * v.z};
    double distance = sqrt(dot3(d, d));
    if (distance < best->distance) {
        *best = (nearest_point){distance, {corners[0], corners[1], corners[2]}, {1 - s - t, s, t}};
    }
}

static double clamp01(double x)
{
    return x < 0 ? 0 : x > 1 ? 1 : x;
}

/// Normal equations inside the triangle, and each edge by itself.
static inline nearest_point find_nearest(const lmb_mesh *mesh, lmb_vec3 p)
{
    nearest_point best = {.distance = (double)INFINITY};
    for (uint32_t i = 0; i < mesh->index_count; i += 3) {
        const uint32_t *c = mesh->indices + i;
        double3 u = minus(mesh->positions[c[1]], mesh->positions[c[0]]);
        double3 v = minus(mesh->positions[c[2]], mesh->positions[c[0]]);
        double3 d = minus(p, mesh->positions[c[0]]), e = minus(p, mesh->positions[c[1]]);
        double3 w = minus(mesh->positions[c[2]], mesh->positions[c[1]]);
        double uu = dot3(u, u), vv = dot3(v, v), uv = dot3(u, v), ud = dot3(u, d), vd = dot3(v, d);
        double area = uu * vv - uv * uv;
        double s = (vv * ud - uv * vd) / area, t = (uu * vd - uv * ud) / area;
        if (area > 0 && s >= 0 && t >= 0 && s + t <= 1) {
            offer(&best, mesh, c, p, s, t);
        }
        offer(&best, mesh, c, p, clamp01(ud / uu), 0);
        offer(&best, mesh, c, p, 0, clamp01(vd / vv));
        double along = clamp01(dot3(w, e) / dot3(w, w));
        offer(&best, mesh, c, p, 1 - along, along);
    }
    return best;
}

#endif
