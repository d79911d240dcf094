/// Rigid body fitted to a surface: mass properties from its volume, shapes around its points.
///
/// Volume integrals are sums over the tetrahedra from the centre to each triangle.
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "linalg/linalg.h"
#include "physics/rigid_pieces.h"

#define WATER_DENSITY 985.0

/// Volume moments about the centre of the box.
typedef struct moments {
    double volume, first[3], second[3][3];
} moments;

static void add_tetrahedron(moments *m, double p[3][3])
{
    const double *a = p[0], *b = p[1], *c = p[2];
    const double det = a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) +
                       a[2] * (b[0] * c[1] - b[1] * c[0]);
    m->volume += det / 6;
    for (int i = 0; i < 3; ++i) {
        const double si = a[i] + b[i] + c[i];
        m->first[i] += det / 24 * si;
        for (int k = 0; k < 3; ++k) {
            const double sk = a[k] + b[k] + c[k];
            m->second[i][k] += det / 120 * (a[i] * a[k] + b[i] * b[k] + c[i] * c[k] + si * sk);
        }
    }
}

static void corners_relative_to(const lmb_ground_mesh *mesh, uint32_t triangle, lmb_vec3 middle,
                                double p[3][3])
{
    for (int k = 0; k < 3; ++k) {
        const lmb_vec3 at = mesh->positions[mesh->indices[3 * (size_t)triangle + (size_t)k]];
        p[k][0] = (double)at.x - (double)middle.x;
        p[k][1] = (double)at.y - (double)middle.y;
        p[k][2] = (double)at.z - (double)middle.z;
    }
}

/// Sums the moments, sign-flipped if the triangles face inward. Returns whether the surface is
/// closed: its area vectors add up to zero.
static bool sum_volume(const lmb_ground_mesh *mesh, lmb_vec3 middle, double box_volume, moments *m)
{
    lmb_vec3 areas = {0, 0, 0};
    double area = 0;
    memset(m, 0, sizeof *m);
    for (uint32_t t = 0; t < mesh->index_count / 3; ++t) {
        double p[3][3];
        corners_relative_to(mesh, t, middle, p);
        add_tetrahedron(m, p);
        const lmb_vec3 normal = lmbi_mesh_area(mesh, t);
        areas = lmb_vec3_add(areas, normal);
        area += (double)lmb_vec3_length(normal);
    }
    if (m->volume < 0) {
        m->volume = -m->volume;
        for (int i = 0; i < 3; ++i) {
            m->first[i] = -m->first[i];
            for (int k = 0; k < 3; ++k) {
                m->second[i][k] = -m->second[i][k];
            }
        }
    }
    return (double)lmb_vec3_length(areas) < 1e-3 * area && m->volume > 1e-3 * box_volume;
}

static void add_box(moments *m, const lmbi_piece *piece, lmb_vec3 middle)
{
    const double h[3] = {(double)piece->half.x, (double)piece->half.y, (double)piece->half.z};
    const lmb_vec3 from = lmb_vec3_sub(piece->center, middle);
    const double c[3] = {(double)from.x, (double)from.y, (double)from.z};
    const double volume = 8 * h[0] * h[1] * h[2];
    m->volume += volume;
    for (int i = 0; i < 3; ++i) {
        m->first[i] += volume * c[i];
        for (int k = 0; k < 3; ++k) {
            double own = 0;
            for (int a = 0; a < 3; ++a) {
                const double axis[3] = {(double)piece->axes[a].x, (double)piece->axes[a].y,
                                        (double)piece->axes[a].z};
                own += h[a] * h[a] / 3 * axis[i] * axis[k];
            }
            m->second[i][k] += volume * (own + c[i] * c[k]);
        }
    }
}

/// Centre of mass, principal axes and moments of inertia.
static void set_mass_properties(const moments *m, lmb_vec3 middle, double mass, lmb_rigid_body *out)
{
    const double density = mass / m->volume;
    double c[3], covariance[3][3], values[3], axes[3][3];
    for (int i = 0; i < 3; ++i) {
        c[i] = m->first[i] / m->volume;
    }
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 3; ++k) {
            covariance[i][k] = density * (m->second[i][k] - m->volume * c[i] * c[k]);
        }
    }
    lmbi_eigen3((const double(*)[3])covariance, values, axes);
    const lmb_vec3 x = {(float)axes[0][0], (float)axes[0][1], (float)axes[0][2]},
                   y = {(float)axes[1][0], (float)axes[1][1], (float)axes[1][2]};
    for (int i = 0; i < 3; ++i) {
        values[i] = values[i] > 0 ? values[i] : 0;
    }
    const float least = (float)(1e-3 * (values[0] + values[1] + values[2]));
    *out = (lmb_rigid_body){
        .position = lmb_vec3_add(middle, lmb_vec3_make((float)c[0], (float)c[1], (float)c[2])),
        .rotation = lmb_quat_from_axes(x, y, lmb_vec3_cross(x, y)),
        .mass = (float)mass,
        .inertia = {fmaxf((float)(values[1] + values[2]), least),
                    fmaxf((float)(values[0] + values[2]), least),
                    fmaxf((float)(values[0] + values[1]), least)}};
}

/// Shape of a piece in the body's frame.
static lmb_rigid_shape shape_in_body(const lmbi_piece *piece, const lmb_rigid_body *body)
{
    const lmb_quat back = lmb_quat_conjugate(body->rotation);
    const bool is_box = piece->kind == LMB_RIGID_BOX;
    // A capsule's axis is y.
    const int y = is_box ? 1 : piece->axis;
    const lmb_quat rotation =
        lmb_quat_from_axes(piece->axes[(y + 2) % 3], piece->axes[y], piece->axes[(y + 1) % 3]);
    return (lmb_rigid_shape){
        .kind = piece->kind,
        .offset = lmb_quat_rotate(back, lmb_vec3_sub(piece->center, body->position)),
        .rotation = lmb_quat_normalize(lmb_quat_mul(back, rotation)),
        .radius = piece->radius,
        .half = is_box ? lmb_vec3_make(piece->half.x, piece->half.y, piece->half.z)
                       : lmb_vec3_make(0, piece->straight, 0)};
}

static lmb_result check_mesh(const lmb_ground_mesh *mesh, lmb_box *box, lmb_error *error)
{
    *box = lmb_box_empty();
    for (uint32_t i = 0; i < mesh->index_count; ++i) {
        if (mesh->indices[i] >= mesh->vertex_count ||
            !lmb_vec3_is_finite(mesh->positions[mesh->indices[i]])) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "indices of finite positions",
                             "index %u (vertex %u of %u)", (unsigned)i, (unsigned)mesh->indices[i],
                             (unsigned)mesh->vertex_count);
        }
        *box = lmb_box_add(*box, mesh->positions[mesh->indices[i]]);
    }
    const bool has_size = mesh->index_count >= 3 && mesh->index_count % 3 == 0 &&
                          lmb_vec3_length(lmb_vec3_sub(box->high, box->low)) > 1e-9f;
    return has_size ? LMB_OK
                    : lmbi_fail(error, LMB_ERROR_INVALID, "triangles of has_size size",
                                "%u corners", (unsigned)mesh->index_count);
}

lmb_result lmb_rigid_fit_mesh(const lmb_ground_mesh *mesh, const lmb_rigid_fit_opts *opts,
                              const lmb_allocator *alloc, lmb_rigid_fit *out, lmb_error *error)
{
    assert(mesh && out);
    static const lmb_rigid_fit_opts none = {0};
    opts = opts ? opts : &none;
    lmb_box box;
    lmb_result result = check_mesh(mesh, &box, error);
    if (result != LMB_OK) {
        return result;
    }
    const uint32_t wanted = opts->most_shapes > 0 ? opts->most_shapes : 8,
                   most = wanted < LMB_RIGID_SHAPES ? wanted : LMB_RIGID_SHAPES;
    lmbi_piece pieces[LMB_RIGID_SHAPES];
    uint32_t count = 0;
    lmbi_arena arena;
    lmbi_arena_init(&arena, alloc);
    const bool has_memory = lmbi_pieces_find(mesh, most, &arena, pieces, &count);
    lmbi_arena_free(&arena);
    if (!has_memory) {
        return lmbi_fail_memory(error);
    }
    const lmb_vec3 middle = lmb_vec3_scale(lmb_vec3_add(box.low, box.high), 0.5f),
                   size = lmb_vec3_sub(box.high, box.low);
    moments m, boxes = {0};
    double filled = 0;
    for (uint32_t k = 0; k < count; ++k) {
        add_box(&boxes, &pieces[k], middle);
        filled += lmbi_piece_volume(&pieces[k]);
    }
    const bool closed =
        sum_volume(mesh, middle, (double)size.x * (double)size.y * (double)size.z, &m);
    m = closed ? m : boxes;
    const double mass =
        opts->mass > 0 ? (double)opts->mass
                       : m.volume * (opts->density > 0 ? (double)opts->density : WATER_DENSITY);
    *out = (lmb_rigid_fit){.shape_count = count, .volume = (float)m.volume, .is_closed = closed};
    set_mass_properties(&m, middle, mass, &out->body);
    out->fill = closed && filled > 0 ? (float)(m.volume / filled) : 1.0f;
    for (uint32_t k = 0; k < count; ++k) {
        out->shapes[k] = shape_in_body(&pieces[k], &out->body);
    }
    return LMB_OK;
}
