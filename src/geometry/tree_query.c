/// Queries of the triangle tree: rays and closest points.
#include <math.h>

#include "geometry/tree.h"
#include "geometry/tree_nodes.h"

// ------------------------------------------------------------------------------------------- rays

/// A ray prepared for many tests: the axis kz of its largest direction component, and the shear
/// that aligns the ray with it (Woop et al. 2013, eq. 1-3).
typedef struct prepared {
    lmb_vec3 origin, inverse;
    int kx, ky, kz;
    float shear_x, shear_y, scale_z;
    float t_min, t_max;
    const uint32_t *groups;
    uint32_t group;
    lmb_vec3 direction;
    float least_sine;
} prepared;

static float axis_of(lmb_vec3 v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

/// 1 / x, but finite for 0: times are then 0 or huge with the right sign, never NaN.
static float safe_inverse(float x)
{
    return fabsf(x) > 1e-30f ? 1.0f / x : (signbit(x) ? -1e30f : 1e30f);
}

static prepared prepare(const lmbi_ray *ray)
{
    lmb_vec3 d = ray->direction;
    float ax = fabsf(d.x), ay = fabsf(d.y), az = fabsf(d.z);
    prepared p = {.origin = ray->origin,
                  .t_min = ray->t_min,
                  .t_max = ray->t_max,
                  .groups = ray->groups,
                  .group = ray->group,
                  .direction = d,
                  .least_sine = ray->least_sine};
    p.kz = ax >= ay && ax >= az ? 0 : ay >= az ? 1 : 2;
    p.kx = (p.kz + 1) % 3;
    p.ky = (p.kz + 2) % 3;
    if (axis_of(d, p.kz) < 0) { // keeps the winding
        int swap = p.kx;
        p.kx = p.ky;
        p.ky = swap;
    }
    float dz = axis_of(d, p.kz);
    p.shear_x = axis_of(d, p.kx) / dz;
    p.shear_y = axis_of(d, p.ky) / dz;
    p.scale_z = 1.0f / dz;
    p.inverse = lmb_vec3_make(safe_inverse(d.x), safe_inverse(d.y), safe_inverse(d.z));
    return p;
}

/// Enlarges boxes by less than float resolution at any usual scale, so that a ray in the plane of a
/// box's side meets the box along its full length.
static const float IN_PLANE = 1e-20f;

/// Slab test. Widening the far side by the rounding of three operations (Ize 2013) ensures that no
/// box is missed.
static bool meets_box(const prepared *p, const lmbi_tree_node *n, float t_max)
{
    float near = p->t_min, far = t_max;
    float x0 = (n->low.x - p->origin.x - IN_PLANE) * p->inverse.x,
          x1 = (n->high.x - p->origin.x + IN_PLANE) * p->inverse.x;
    float y0 = (n->low.y - p->origin.y - IN_PLANE) * p->inverse.y,
          y1 = (n->high.y - p->origin.y + IN_PLANE) * p->inverse.y;
    float z0 = (n->low.z - p->origin.z - IN_PLANE) * p->inverse.z,
          z1 = (n->high.z - p->origin.z + IN_PLANE) * p->inverse.z;
    float low_x = x0 < x1 ? x0 : x1, high_x = x0 < x1 ? x1 : x0;
    float low_y = y0 < y1 ? y0 : y1, high_y = y0 < y1 ? y1 : y0;
    float low_z = z0 < z1 ? z0 : z1, high_z = z0 < z1 ? z1 : z0;
    near = near > low_x ? near : low_x;
    near = near > low_y ? near : low_y;
    near = near > low_z ? near : low_z;
    far = far < high_x ? far : high_x;
    far = far < high_y ? far : high_y;
    far = far < high_z ? far : high_z;
    // Widens both ends by a rounding error relative to their magnitude.
    return near - fabsf(near) * 4e-7f <= far + fabsf(far) * 4e-7f;
}

typedef struct sheared {
    float x, y, z;
} sheared;

static sheared shear(const prepared *p, lmb_vec3 v)
{
    lmb_vec3 d = lmb_vec3_sub(v, p->origin);
    float z = axis_of(d, p->kz);
    return (sheared){axis_of(d, p->kx) - p->shear_x * z, axis_of(d, p->ky) - p->shear_y * z,
                     p->scale_z * z};
}

/// Twice the signed area of (0, a, b). Products of floats are exact in double, so the sign is
/// exact, and swapping a and b negates it exactly.
static double edge_function(sheared a, sheared b)
{
    return (double)a.x * (double)b.y - (double)a.y * (double)b.x;
}

/// Tie rule: whether the origin, lying exactly on the edge a -> b of a counter-clockwise triangle,
/// counts as inside. True for one of the two directions.
static bool owns_edge(sheared a, sheared b)
{
    return a.y != b.y ? a.y > b.y : a.x > b.x;
}

static bool inside_edge(double value, sheared a, sheared b, bool flipped)
{
    if (value == 0) {
        return flipped ? owns_edge(b, a) : owns_edge(a, b);
    }
    return flipped ? value < 0 : value > 0;
}

static bool is_edge_on(const prepared *p, const lmbi_tree_triangle *t)
{
    lmb_vec3 normal = lmb_vec3_cross(lmb_vec3_sub(t->b, t->a), lmb_vec3_sub(t->c, t->a));
    return fabsf(lmb_vec3_dot(normal, p->direction)) <
           p->least_sine * lmb_vec3_length(normal) * lmb_vec3_length(p->direction);
}

static bool meets_triangle(const prepared *p, const lmbi_tree_triangle *t, float t_max,
                           lmbi_hit *hit)
{
    if (p->groups && p->groups[t->id] != p->group) {
        return false;
    }
    sheared a = shear(p, t->a), b = shear(p, t->b), c = shear(p, t->c);
    double u = edge_function(b, c), v = edge_function(c, a), w = edge_function(a, b);
    double sum = u + v + w;
    bool flipped = sum < 0;
    if (sum == 0 || !inside_edge(u, b, c, flipped) || !inside_edge(v, c, a, flipped) ||
        !inside_edge(w, a, b, flipped)) {
        return false;
    }
    double inverse = 1.0 / sum;
    float at = (float)((u * (double)a.z + v * (double)b.z + w * (double)c.z) * inverse);
    if (!(at >= p->t_min && at <= t_max) || (p->least_sine > 0 && is_edge_on(p, t))) {
        return false;
    }
    hit->triangle = t->id;
    hit->t = at;
    hit->barycentric[0] = (float)(u * inverse);
    hit->barycentric[1] = (float)(v * inverse);
    hit->barycentric[2] = (float)(w * inverse);
    hit->back = !flipped; // counter-clockwise around the direction: the face points along the ray
    return true;
}

/// Calls visit for every triangle hit within the current t_max, which visit may lower. visit
/// returns false to stop.
typedef bool (*visit_fn)(void *context, const lmbi_hit *hit, float *t_max);

static void walk(const lmbi_tree *tree, const lmbi_ray *ray, visit_fn visit, void *context)
{
    prepared p = prepare(ray);
    float t_max = p.t_max;
    uint32_t stack[LMBI_TREE_STACK];
    int height = 0;
    if (!tree->triangle_count || !meets_box(&p, &tree->nodes[0], t_max)) {
        return;
    }
    stack[height++] = 0;
    while (height) {
        const lmbi_tree_node *node = &tree->nodes[stack[--height]];
        for (uint32_t i = 0; i < node->count; ++i) {
            lmbi_hit hit;
            if (meets_triangle(&p, &tree->triangles[node->first + i], t_max, &hit) &&
                !visit(context, &hit, &t_max)) {
                return;
            }
        }
        if (node->count) {
            continue;
        }
        const lmbi_tree_node *left = &tree->nodes[node->first], *right = left + 1;
        bool meets_left = meets_box(&p, left, t_max), meets_right = meets_box(&p, right, t_max);
        float toward = axis_of(lmb_vec3_sub(right->low, left->low), p.kz) * p.scale_z;
        uint32_t nearer = toward >= 0 ? 0 : 1;
        if (nearer == 0 ? meets_right : meets_left) {
            stack[height++] = node->first + 1 - nearer;
        }
        if (nearer == 0 ? meets_left : meets_right) {
            stack[height++] = node->first + nearer;
        }
    }
}

static bool visit_any(void *context, const lmbi_hit *hit, float *t_max)
{
    (void)hit, (void)t_max;
    *(bool *)context = true;
    return false;
}

bool lmbi_tree_hit_any(const lmbi_tree *tree, const lmbi_ray *ray)
{
    bool found = false;
    walk(tree, ray, visit_any, &found);
    return found;
}

static bool visit_first(void *context, const lmbi_hit *hit, float *t_max)
{
    lmbi_hit *best = context;
    if (hit->t < best->t || (hit->t == best->t && hit->triangle < best->triangle)) {
        *best = *hit;
        *t_max = hit->t;
    }
    return true;
}

lmbi_hit lmbi_tree_hit_first(const lmbi_tree *tree, const lmbi_ray *ray)
{
    lmbi_hit best = {.triangle = UINT32_MAX, .t = INFINITY};
    walk(tree, ray, visit_first, &best);
    return best;
}

typedef struct tally {
    uint32_t count;
    int32_t balance;
} tally;

static bool visit_count(void *context, const lmbi_hit *hit, float *t_max)
{
    (void)t_max;
    tally *sum = context;
    ++sum->count;
    sum->balance += hit->back ? 1 : -1;
    return true;
}

uint32_t lmbi_tree_hit_count(const lmbi_tree *tree, const lmbi_ray *ray, int32_t *out_balance)
{
    tally sum = {0, 0};
    walk(tree, ray, visit_count, &sum);
    if (out_balance) {
        *out_balance = sum.balance;
    }
    return sum.count;
}

// ---------------------------------------------------------------------------------- closest point

/// Barycentric coordinates on the segment from corner i to corner j, from the point's projections
/// from each end.
static void on_edge(float out[3], int i, int j, float from_i, float from_j)
{
    float length = from_i + from_j;
    float fraction = length > 0 ? from_i / length : 0.0f;
    out[0] = out[1] = out[2] = 0;
    out[i] = 1.0f - fraction;
    out[j] = fraction;
}

/// The nearest point of a triangle, by the Voronoi regions of its features (Ericson 2005, 5.1.5).
void lmbi_closest_barycentric(const lmbi_tree_triangle *t, lmb_vec3 p, float out[3])
{
    lmb_vec3 ab = lmb_vec3_sub(t->b, t->a), ac = lmb_vec3_sub(t->c, t->a);
    lmb_vec3 ap = lmb_vec3_sub(p, t->a), bp = lmb_vec3_sub(p, t->b), cp = lmb_vec3_sub(p, t->c);
    float d1 = lmb_vec3_dot(ab, ap), d2 = lmb_vec3_dot(ac, ap);
    float d3 = lmb_vec3_dot(ab, bp), d4 = lmb_vec3_dot(ac, bp);
    float d5 = lmb_vec3_dot(ab, cp), d6 = lmb_vec3_dot(ac, cp);
    out[0] = out[1] = out[2] = 0;
    if (d1 <= 0 && d2 <= 0) {
        out[0] = 1;
        return;
    }
    if (d3 >= 0 && d4 <= d3) {
        out[1] = 1;
        return;
    }
    if (d6 >= 0 && d5 <= d6) {
        out[2] = 1;
        return;
    }
    float va = d3 * d6 - d5 * d4, vb = d5 * d2 - d1 * d6, vc = d1 * d4 - d3 * d2;
    if (vc <= 0 && d1 >= 0 && d3 <= 0) {
        on_edge(out, 0, 1, d1, -d3);
    } else if (vb <= 0 && d2 >= 0 && d6 <= 0) {
        on_edge(out, 0, 2, d2, -d6);
    } else if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
        on_edge(out, 1, 2, d4 - d3, d5 - d6);
    } else {
        float inverse = 1.0f / (va + vb + vc);
        out[1] = vb * inverse;
        out[2] = vc * inverse;
        out[0] = 1.0f - out[1] - out[2];
    }
}

static void try_triangle(const lmbi_tree_triangle *t, lmb_vec3 p, lmbi_closest *best,
                         float *best_squared)
{
    float w[3];
    lmbi_closest_barycentric(t, p, w);
    lmb_vec3 at = lmb_vec3_mad(lmb_vec3_mad(lmb_vec3_scale(t->a, w[0]), t->b, w[1]), t->c, w[2]);
    lmb_vec3 d = lmb_vec3_sub(at, p);
    float squared = lmb_vec3_dot(d, d);
    if (squared < *best_squared || (squared == *best_squared && t->id < best->triangle)) {
        *best_squared = squared;
        *best = (lmbi_closest){.triangle = t->id, .point = at, .barycentric = {w[0], w[1], w[2]}};
    }
}

lmbi_closest lmbi_tree_closest(const lmbi_tree *tree, lmb_vec3 point, float max_distance)
{
    lmbi_closest best = {.triangle = UINT32_MAX, .distance = INFINITY};
    float best_squared = max_distance < INFINITY ? max_distance * max_distance : INFINITY;
    uint32_t stack[LMBI_TREE_STACK];
    int height = lmbi_tree_start(tree, stack);
    while (height) {
        const lmbi_tree_node *node = &tree->nodes[stack[--height]];
        if (lmbi_box_distance_squared(node, point) > best_squared) {
            continue;
        }
        for (uint32_t i = 0; i < node->count; ++i) {
            try_triangle(&tree->triangles[node->first + i], point, &best, &best_squared);
        }
        if (node->count) {
            continue;
        }
        float left = lmbi_box_distance_squared(&tree->nodes[node->first], point);
        float right = lmbi_box_distance_squared(&tree->nodes[node->first + 1], point);
        uint32_t nearer = left <= right ? 0 : 1;
        if ((nearer ? left : right) <= best_squared) {
            stack[height++] = node->first + 1 - nearer;
        }
        if ((nearer ? right : left) <= best_squared) {
            stack[height++] = node->first + nearer;
        }
    }
    if (best.triangle != UINT32_MAX) {
        best.distance = lmb_sqrt(best_squared);
    }
    return best;
}
