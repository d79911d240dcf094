/// Decomposition of a surface: its sample points are divided by planes as long as the boxes of the
/// parts are much smaller than the box of the whole.
#include "physics/rigid_pieces.h"

#include <math.h>

#include "limber/base.h"
#include "linalg/linalg.h"

/// Sample points beside the vertices; cutting planes tried per axis.
enum { SAMPLES = 6000, CUTS = 15 };
/// Minimum fraction of the total volume that a cut must save.
#define MIN_SAVING 0.06

typedef struct cloud {
    lmb_vec3 *points;
    uint8_t *piece; ///< of each point
    uint32_t count;
    lmb_vec3 frames[2][3]; ///< candidate axes: the model's, and those of the largest faces
} cloud;

lmb_vec3 lmbi_mesh_area(const lmb_ground_mesh *mesh, uint32_t triangle)
{
    const uint32_t *t = mesh->indices + 3 * (size_t)triangle;
    const lmb_vec3 a = mesh->positions[t[0]];
    return lmb_vec3_scale(lmb_vec3_cross(lmb_vec3_sub(mesh->positions[t[1]], a),
                                         lmb_vec3_sub(mesh->positions[t[2]], a)),
                          0.5f);
}

double lmbi_piece_volume(const lmbi_piece *p)
{
    const double r = (double)p->radius;
    return p->kind == LMB_RIGID_BOX
               ? 8 * (double)p->half.x * (double)p->half.y * (double)p->half.z
               : 3.14159265358979 * r * r * (2 * (double)p->straight + 4.0 / 3.0 * r);
}

// ----------------------------------------------------------------------------------------- points

/// All vertices, and random points in proportion to triangle areas.
static bool sample_surface(cloud *c, const lmb_ground_mesh *mesh, lmbi_arena *arena)
{
    double area = 0, due = 0;
    lmb_random random = lmb_random_seed(1);
    c->points = lmbi_arena_array(arena, (size_t)mesh->index_count + SAMPLES + 1, sizeof *c->points);
    c->piece = lmbi_arena_array(arena, (size_t)mesh->index_count + SAMPLES + 1, sizeof *c->piece);
    if (!c->points || !c->piece) {
        return false;
    }
    for (uint32_t t = 0; t < mesh->index_count / 3; ++t) {
        area += (double)lmb_vec3_length(lmbi_mesh_area(mesh, t));
    }
    uint32_t sampled = 0;
    for (uint32_t t = 0; t < mesh->index_count / 3; ++t) {
        const uint32_t *at = mesh->indices + 3 * (size_t)t;
        const lmb_vec3 p = mesh->positions[at[0]], q = mesh->positions[at[1]],
                       r = mesh->positions[at[2]];
        c->points[c->count++] = p;
        c->points[c->count++] = q;
        c->points[c->count++] = r;
        due += area > 0 ? SAMPLES * (double)lmb_vec3_length(lmbi_mesh_area(mesh, t)) / area : 0;
        for (; due >= 1 && sampled < SAMPLES; due -= 1, ++sampled) {
            float u = lmb_random_range(&random, 0, 1), v = lmb_random_range(&random, 0, 1);
            const bool is_outside = u + v > 1;
            u = is_outside ? 1 - u : u;
            v = is_outside ? 1 - v : v;
            c->points[c->count++] =
                lmb_vec3_add(p, lmb_vec3_add(lmb_vec3_scale(lmb_vec3_sub(q, p), u),
                                             lmb_vec3_scale(lmb_vec3_sub(r, p), v)));
        }
    }
    return true;
}

/// The normal of the largest triangle, and of the largest one about perpendicular to it.
static void find_candidate_frames(cloud *c, const lmb_ground_mesh *mesh)
{
    lmb_vec3 x = {1, 0, 0}, y = {0, 1, 0};
    float most = 0;
    c->frames[0][0] = x;
    c->frames[0][1] = y;
    c->frames[0][2] = lmb_vec3_make(0, 0, 1);
    for (int pass = 0; pass < 2; ++pass) {
        most = 0;
        for (uint32_t t = 0; t < mesh->index_count / 3; ++t) {
            const lmb_vec3 area = lmbi_mesh_area(mesh, t);
            const float size = lmb_vec3_length(area);
            const bool fits = pass == 0 || fabsf(lmb_vec3_dot(area, x)) < 0.1f * size;
            if (fits && size > most) {
                most = size;
                *(pass == 0 ? &x : &y) = lmb_vec3_scale(area, 1 / size);
            }
        }
    }
    y = lmb_vec3_mad(y, x, -lmb_vec3_dot(x, y));
    y = lmb_vec3_normalize_or(y, lmb_vec3_any_perpendicular(x));
    c->frames[1][0] = x;
    c->frames[1][1] = y;
    c->frames[1][2] = lmb_vec3_cross(x, y);
}

// ----------------------------------------------------------------------------------------- pieces

/// Principal axes of the points of a piece.
static void principal_axes(const cloud *c, uint32_t piece, lmb_vec3 axes[3])
{
    double mean[3] = {0}, sums[3][3] = {{0}}, values[3], vectors[3][3];
    double n = 0;
    for (int pass = 0; pass < 2; ++pass) {
        for (uint32_t i = 0; i < c->count; ++i) {
            const double p[3] = {(double)c->points[i].x, (double)c->points[i].y,
                                 (double)c->points[i].z};
            if (c->piece[i] != piece) {
                continue;
            }
            n += pass == 0;
            for (int a = 0; a < 3; ++a) {
                mean[a] += pass == 0 ? p[a] : 0;
                for (int b = 0; pass == 1 && b < 3; ++b) {
                    sums[a][b] += (p[a] - mean[a]) * (p[b] - mean[b]);
                }
            }
        }
        for (int a = 0; pass == 0 && a < 3; ++a) {
            mean[a] /= n > 0 ? n : 1;
        }
    }
    lmbi_eigen3((const double(*)[3])sums, values, vectors);
    for (int k = 0; k < 3; ++k) {
        axes[k] = lmb_vec3_make((float)vectors[k][0], (float)vectors[k][1], (float)vectors[k][2]);
    }
}

static lmb_vec3 to_axes(const lmb_vec3 axes[3], lmb_vec3 p)
{
    return lmb_vec3_make(lmb_vec3_dot(p, axes[0]), lmb_vec3_dot(p, axes[1]),
                         lmb_vec3_dot(p, axes[2]));
}

static lmbi_piece box_in_axes(const cloud *c, uint32_t piece, const lmb_vec3 axes[3])
{
    lmb_box box = lmb_box_empty();
    for (uint32_t i = 0; i < c->count; ++i) {
        if (c->piece[i] == piece) {
            box = lmb_box_add(box, to_axes(axes, c->points[i]));
        }
    }
    const lmb_vec3 middle = lmb_vec3_scale(lmb_vec3_add(box.low, box.high), 0.5f);
    lmb_vec3 half = lmb_vec3_scale(lmb_vec3_sub(box.high, box.low), 0.5f);
    const float least =
        fmaxf(0.005f * lmb_vec3_length(half), 1e-6f); // gives flat sheets some thickness
    half = lmb_vec3_make(fmaxf(half.x, least), fmaxf(half.y, least), fmaxf(half.z, least));
    return (lmbi_piece){
        .kind = LMB_RIGID_BOX,
        .axes = {axes[0], axes[1], axes[2]},
        .center = lmb_vec3_mad(lmb_vec3_mad(lmb_vec3_scale(axes[0], middle.x), axes[1], middle.y),
                               axes[2], middle.z),
        .half = half};
}

/// Capsule around all points along an axis of the box; a sphere if it has no straight part.
static lmbi_piece capsule_along(const cloud *c, uint32_t piece, const lmbi_piece *box, int axis)
{
    lmbi_piece out = *box;
    float radius = 0, straight = 0;
    for (int pass = 0; pass < 2; ++pass) {
        for (uint32_t i = 0; i < c->count; ++i) {
            if (c->piece[i] != piece) {
                continue;
            }
            const lmb_vec3 d = lmb_vec3_sub(c->points[i], box->center);
            const float along = lmb_vec3_dot(d, box->axes[axis]),
                        away2 = fmaxf(lmb_vec3_dot(d, d) - along * along, 0);
            if (pass == 0) {
                radius = fmaxf(radius, lmb_sqrt(away2));
            } else {
                straight =
                    fmaxf(straight, fabsf(along) - lmb_sqrt(fmaxf(radius * radius - away2, 0)));
            }
        }
    }
    out.kind = straight > 0.02f * radius ? LMB_RIGID_CAPSULE : LMB_RIGID_SPHERE;
    out.axis = axis;
    out.straight = out.kind == LMB_RIGID_CAPSULE ? straight : 0;
    out.radius = out.kind == LMB_RIGID_CAPSULE ? radius : radius + straight;
    return out;
}

static lmbi_piece smallest_box(const cloud *c, uint32_t piece)
{
    lmb_vec3 principal[3];
    principal_axes(c, piece, principal);
    lmbi_piece best = box_in_axes(c, piece, c->frames[0]);
    const lmbi_piece others[2] = {box_in_axes(c, piece, c->frames[1]),
                                  box_in_axes(c, piece, principal)};
    for (int k = 0; k < 2; ++k) {
        // The simpler frame wins unless another is 2% smaller.
        best = lmbi_piece_volume(&others[k]) < 0.98 * lmbi_piece_volume(&best) ? others[k] : best;
    }
    return best;
}

static lmbi_piece smallest_shape(const cloud *c, uint32_t piece, const lmbi_piece *box)
{
    lmbi_piece best = *box;
    for (int axis = 0; axis < 3; ++axis) {
        const lmbi_piece other = capsule_along(c, piece, box, axis);
        best = lmbi_piece_volume(&other) < 0.98 * lmbi_piece_volume(&best) ? other : best;
    }
    return best;
}

// ------------------------------------------------------------------------------------------- cuts

/// A plane across an axis of a piece's box, and the volume it saves.
typedef struct cut {
    uint32_t piece;
    int axis;
    float at;
    double saved;
} cut;

static lmb_box merge_boxes(lmb_box a, lmb_box b)
{
    return (lmb_box){
        {fminf(a.low.x, b.low.x), fminf(a.low.y, b.low.y), fminf(a.low.z, b.low.z)},
        {fmaxf(a.high.x, b.high.x), fmaxf(a.high.y, b.high.y), fmaxf(a.high.z, b.high.z)}};
}

static double box_volume(lmb_box b, float least)
{
    const lmb_vec3 s = lmb_vec3_sub(b.high, b.low);
    return s.x < 0
               ? 0
               : (double)fmaxf(s.x, least) * (double)fmaxf(s.y, least) * (double)fmaxf(s.z, least);
}

/// Bins the points into slices, then merges the slices' boxes from both ends to get the boxes on
/// either side of each cut.
static void find_best_cut_in(const cloud *c, uint32_t piece, const lmbi_piece *box, int axis,
                             float low, float high, cut *best)
{
    lmb_box slices[CUTS + 1], below[CUTS + 1];
    const float least = 0.01f * lmb_vec3_length(box->half);
    for (int k = 0; k <= CUTS; ++k) {
        slices[k] = lmb_box_empty();
    }
    for (uint32_t i = 0; i < c->count; ++i) {
        if (c->piece[i] == piece) {
            const lmb_vec3 p = to_axes(box->axes, lmb_vec3_sub(c->points[i], box->center));
            const float x = axis == 0 ? p.x : (axis == 1 ? p.y : p.z);
            const int k = (int)floorf((x - low) / (high - low) * (CUTS + 1));
            lmb_box *slice = &slices[k < 0 ? 0 : (k > CUTS ? CUTS : k)];
            *slice = lmb_box_add(*slice, p);
        }
    }
    below[0] = slices[0];
    for (int k = 1; k <= CUTS; ++k) {
        below[k] = merge_boxes(below[k - 1], slices[k]);
    }
    lmb_box above = lmb_box_empty();
    for (int k = CUTS; k > 0; --k) {
        above = merge_boxes(above, slices[k]);
        const double saved =
            lmbi_piece_volume(box) - box_volume(above, least) - box_volume(below[k - 1], least);
        if (saved > best->saved) {
            *best = (cut){piece, axis, low + (high - low) * (float)k / (CUTS + 1), saved};
        }
    }
}

/// Searches coarsely, then refines twice about the best cut.
static void find_best_cut_along(const cloud *c, uint32_t piece, const lmbi_piece *box, int axis,
                                cut *best)
{
    const float half = axis == 0 ? box->half.x : (axis == 1 ? box->half.y : box->half.z);
    cut own = {0};
    float reach = half;
    find_best_cut_in(c, piece, box, axis, -half, half, &own);
    for (int finer = 0; finer < 2 && own.saved > 0; ++finer) {
        reach *= 2.0f / (CUTS + 1);
        find_best_cut_in(c, piece, box, axis, own.at - reach, own.at + reach, &own);
    }
    *best = own.saved > best->saved ? own : *best;
}

static void apply_cut(cloud *c, const lmbi_piece *box, const cut *by, uint32_t new_piece)
{
    for (uint32_t i = 0; i < c->count; ++i) {
        const lmb_vec3 d = lmb_vec3_sub(c->points[i], box->center);
        if (c->piece[i] == by->piece && lmb_vec3_dot(d, box->axes[by->axis]) >= by->at) {
            c->piece[i] = (uint8_t)new_piece;
        }
    }
}

bool lmbi_pieces_find(const lmb_ground_mesh *mesh, uint32_t most, lmbi_arena *arena,
                      lmbi_piece *out, uint32_t *count)
{
    cloud c = {0};
    if (!sample_surface(&c, mesh, arena)) {
        return false;
    }
    find_candidate_frames(&c, mesh);
    out[0] = smallest_box(&c, 0);
    *count = 1;
    while (*count < most) {
        cut best = {0};
        double whole = 0;
        for (uint32_t k = 0; k < *count; ++k) {
            const lmbi_piece shape = smallest_shape(&c, k, &out[k]);
            whole += lmbi_piece_volume(&shape);
            // Round pieces are not cut.
            for (int axis = 0; shape.kind == LMB_RIGID_BOX && axis < 3; ++axis) {
                find_best_cut_along(&c, k, &out[k], axis, &best);
            }
        }
        if (!(best.saved > MIN_SAVING * whole)) {
            break;
        }
        apply_cut(&c, &out[best.piece], &best, *count);
        out[best.piece] = smallest_box(&c, best.piece);
        out[*count] = smallest_box(&c, *count);
        ++*count;
    }
    for (uint32_t k = 0; k < *count; ++k) {
        out[k] = smallest_shape(&c, k, &out[k]);
    }
    return true;
}
