#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "geometry/shapes.h"
#include "geometry/tree.h"
#include "geometry/tree_nodes.h"

static lmb_vec3 random_point(lmb_random *random, float reach)
{
    float x = lmb_random_range(random, -reach, reach), y = lmb_random_range(random, -reach, reach);
    return lmb_vec3_make(x, y, lmb_random_range(random, -reach, reach));
}

/// A soup of random triangles, some of them degenerate.
static lmb_surface *random_triangles(uint32_t count, lmb_random *random)
{
    shape s = {.point_count = 3 * count, .triangle_count = count};
    s.points = malloc(s.point_count * sizeof *s.points);
    s.triangles = malloc(s.point_count * sizeof *s.triangles);
    for (uint32_t t = 0; t < count; ++t) {
        lmb_vec3 centre = random_point(random, 1);
        for (uint32_t k = 0; k < 3; ++k) {
            s.points[3 * t + k] = lmb_vec3_add(centre, random_point(random, t % 7 ? 0.1f : 0.5f));
            s.triangles[3 * t + k] = 3 * t + k;
        }
        if (t % 11 == 0) { // a needle
            s.points[3 * t + 2] = lmb_vec3_lerp(s.points[3 * t], s.points[3 * t + 1], 0.5f);
        }
    }
    lmb_surface *surface = shape_surface(&s);
    shape_free(&s);
    return surface;
}

static double square(double x)
{
    return x * x;
}

/// Distance from a point to a segment, in double, by an other road than the library's.
static double segment_distance(lmb_vec3 p, lmb_vec3 a, lmb_vec3 b)
{
    double d[3] = {(double)b.x - (double)a.x, (double)b.y - (double)a.y, (double)b.z - (double)a.z};
    double q[3] = {(double)p.x - (double)a.x, (double)p.y - (double)a.y, (double)p.z - (double)a.z};
    double dd = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    double t = dd > 0 ? (d[0] * q[0] + d[1] * q[1] + d[2] * q[2]) / dd : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    return sqrt(square(q[0] - t * d[0]) + square(q[1] - t * d[1]) + square(q[2] - t * d[2]));
}

/// The nearest of the three edges, or the plane where the foot of the perpendicular is inside.
static double triangle_distance(lmb_vec3 p, lmb_vec3 a, lmb_vec3 b, lmb_vec3 c)
{
    double best =
        fmin(segment_distance(p, a, b), fmin(segment_distance(p, b, c), segment_distance(p, c, a)));
    double u[3] = {(double)b.x - (double)a.x, (double)b.y - (double)a.y, (double)b.z - (double)a.z};
    double v[3] = {(double)c.x - (double)a.x, (double)c.y - (double)a.y, (double)c.z - (double)a.z};
    double w[3] = {(double)p.x - (double)a.x, (double)p.y - (double)a.y, (double)p.z - (double)a.z};
    double uu = 0, uv = 0, vv = 0, wu = 0, wv = 0;
    for (int k = 0; k < 3; ++k) {
        uu += u[k] * u[k], uv += u[k] * v[k], vv += v[k] * v[k], wu += w[k] * u[k],
            wv += w[k] * v[k];
    }
    double det = uu * vv - uv * uv;
    if (det < 1e-9 * uu * vv) {
        return best;
    }
    double s = (wu * vv - wv * uv) / det, t = (wv * uu - wu * uv) / det;
    if (s < 0 || t < 0 || s + t > 1) {
        return best;
    }
    return sqrt(square(w[0] - s * u[0] - t * v[0]) + square(w[1] - s * u[1] - t * v[1]) +
                square(w[2] - s * u[2] - t * v[2]));
}

static void closest_agrees_with_brute_force(void **state)
{
    (void)state;
    lmb_random random = lmb_random_seed(2);
    lmb_surface *s = random_triangles(500, &random);
    lmbi_tree *tree;
    assert_int_equal(lmbi_tree_create(s, NULL, &tree, NULL), LMB_OK);
    for (int i = 0; i < 300; ++i) {
        lmb_vec3 p = random_point(&random, 2);
        double best = (double)INFINITY;
        for (uint32_t t = 0; t < s->triangle_count; ++t) {
            const uint32_t *corner = s->triangles + 3 * t;
            best = fmin(best, triangle_distance(p, s->positions[corner[0]], s->positions[corner[1]],
                                                s->positions[corner[2]]));
        }
        lmbi_closest c = lmbi_tree_closest(tree, p, INFINITY);
        assert_true(fabs((double)c.distance - best) < 2e-6);
        assert_true(fabsf(lmb_vec3_distance(c.point, p) - c.distance) < 1e-6f);
        assert_true(fabsf(c.barycentric[0] + c.barycentric[1] + c.barycentric[2] - 1) < 1e-6f);
        assert_int_equal(lmbi_tree_closest(tree, p, 0.99f * c.distance).triangle, UINT32_MAX);
    }
    lmbi_tree_destroy(tree);
    lmb_surface_destroy(s);
}

/// Moller-Trumbore in double: shares nothing with the library's test.
static double ray_triangle(const lmbi_ray *ray, lmb_vec3 a, lmb_vec3 b, lmb_vec3 c)
{
    double o[3] = {(double)ray->origin.x - (double)a.x, (double)ray->origin.y - (double)a.y,
                   (double)ray->origin.z - (double)a.z};
    double d[3] = {(double)ray->direction.x, (double)ray->direction.y, (double)ray->direction.z};
    double u[3] = {(double)b.x - (double)a.x, (double)b.y - (double)a.y, (double)b.z - (double)a.z};
    double v[3] = {(double)c.x - (double)a.x, (double)c.y - (double)a.y, (double)c.z - (double)a.z};
    double h[3] = {d[1] * v[2] - d[2] * v[1], d[2] * v[0] - d[0] * v[2], d[0] * v[1] - d[1] * v[0]};
    double q[3] = {o[1] * u[2] - o[2] * u[1], o[2] * u[0] - o[0] * u[2], o[0] * u[1] - o[1] * u[0]};
    double det = u[0] * h[0] + u[1] * h[1] + u[2] * h[2];
    double s = (o[0] * h[0] + o[1] * h[1] + o[2] * h[2]) / det,
           t = (d[0] * q[0] + d[1] * q[1] + d[2] * q[2]) / det;
    double at = (v[0] * q[0] + v[1] * q[1] + v[2] * q[2]) / det;
    bool inside = det != 0 && s > 1e-7 && t > 1e-7 && s + t < 1 - 1e-7;
    return inside && at > 1e-6 ? at : (double)INFINITY;
}

static void first_hit_agrees_with_brute_force(void **state)
{
    (void)state;
    lmb_random random = lmb_random_seed(3);
    lmb_surface *s = random_triangles(500, &random);
    lmbi_tree *tree;
    assert_int_equal(lmbi_tree_create(s, NULL, &tree, NULL), LMB_OK);
    int hits = 0;
    for (int i = 0; i < 1000; ++i) {
        lmbi_ray ray = {.origin = random_point(&random, 1.5f),
                        .direction = random_point(&random, 3),
                        .t_max = INFINITY};
        double best = (double)INFINITY;
        uint32_t which = UINT32_MAX;
        for (uint32_t t = 0; t < s->triangle_count; ++t) {
            const uint32_t *corner = s->triangles + 3 * t;
            double at = ray_triangle(&ray, s->positions[corner[0]], s->positions[corner[1]],
                                     s->positions[corner[2]]);
            if (at < best) {
                best = at;
                which = t;
            }
        }
        lmbi_hit hit = lmbi_tree_hit_first(tree, &ray);
        assert_int_equal(hit.triangle, which);
        assert_int_equal(lmbi_tree_hit_any(tree, &ray), which != UINT32_MAX);
        if (which != UINT32_MAX) {
            assert_true(fabs((double)hit.t - best) < 1e-4 * best + 1e-5);
            ++hits;
        }
    }
    assert_true(hits > 100);
    lmbi_tree_destroy(tree);
    lmb_surface_destroy(s);
}

/// Rays aimed at vertices and edge middles of a closed surface: every one crosses it, and inside
/// points give odd counts.
static void rays_through_edges_and_vertices_count_right(void **state)
{
    (void)state;
    shape made = shape_sphere(24, 12);
    lmb_surface *s = shape_surface(&made);
    lmbi_tree *tree;
    assert_int_equal(lmbi_tree_create(s, NULL, &tree, NULL), LMB_OK);
    lmb_random random = lmb_random_seed(4);
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        lmb_vec3 inside = random_point(&random, 0.4f),
                 outside = lmb_vec3_scale(random_point(&random, 1), 1);
        lmb_vec3 middle =
            lmb_vec3_lerp(s->positions[v], s->positions[(v + 1) % s->vertex_count], 0.5f);
        lmb_vec3 targets[2] = {s->positions[v], middle};
        for (int k = 0; k < 2; ++k) {
            int32_t balance;
            lmbi_ray ray = {
                .origin = inside, .direction = lmb_vec3_sub(targets[k], inside), .t_max = INFINITY};
            assert_int_equal(lmbi_tree_hit_count(tree, &ray, &balance), 1);
            assert_int_equal(balance, 1);
            ray.origin = lmb_vec3_add(outside, lmb_vec3_make(0, 0, 5));
            ray.direction = lmb_vec3_sub(targets[k], ray.origin);
            assert_int_equal(lmbi_tree_hit_count(tree, &ray, &balance) % 2, 0);
            assert_int_equal(balance, 0);
        }
    }
    lmbi_tree_destroy(tree);
    lmb_surface_destroy(s);
    shape_free(&made);
}

static void groups_hide_other_triangles(void **state)
{
    (void)state;
    lmb_vec3 points[6] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}};
    uint32_t indices[6] = {0, 1, 2, 3, 4, 5}, groups[2] = {4, 9};
    shape made = {points, indices, 6, 2};
    lmb_surface *s = shape_surface(&made);
    lmbi_tree *tree;
    assert_int_equal(lmbi_tree_create(s, NULL, &tree, NULL), LMB_OK);
    lmbi_ray ray = {.origin = {0.2f, 0.2f, 3}, .direction = {0, 0, -1}, .t_max = INFINITY};
    assert_int_equal(lmbi_tree_hit_first(tree, &ray).triangle, 1);
    ray.groups = groups;
    ray.group = 4;
    assert_int_equal(lmbi_tree_hit_first(tree, &ray).triangle, 0);
    assert_true(lmbi_tree_hit_first(tree, &ray).t == 3);
    lmbi_tree_destroy(tree);
    lmb_surface_destroy(s);
}

/// Straight across a tube, from each vertex through the axis: the rays run in the planes of rings,
/// where boxes of the tree end, and meet vertices.
static void rays_in_the_planes_of_boxes_hit(void **state)
{
    (void)state;
    shape tube = shape_tube(60, 32, 1, -3, 3);
    lmb_surface *s = shape_surface(&tube);
    lmbi_tree *tree;
    assert_int_equal(lmbi_tree_create(s, NULL, &tree, NULL), LMB_OK);
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        const lmb_vec3 p = s->positions[v];
        for (int sign = -1; sign <= 1; sign += 2) { // both zeros
            const lmbi_ray ray = {.origin = p,
                                  .direction = {sign < 0 ? -0.0f : 0.0f, -p.y, -p.z},
                                  .t_min = 1e-3f,
                                  .t_max = INFINITY};
            const bool end = fabsf(p.x) > 2.999f; // a rim's rays may pass outside
            assert_true(end || lmbi_tree_hit_any(tree, &ray));
        }
    }
    lmbi_tree_destroy(tree);
    lmb_surface_destroy(s);
    shape_free(&tube);
}

/// In a tube the ball that touches its skin has the tube's radius, however large it was to begin
/// with; a core inside, another piece, makes it small only where it counts.
static void a_ball_in_a_tube_has_its_radius(void **state)
{
    (void)state;
    shape tube = shape_tube(40, 48, 1, -4, 4);
    lmb_surface *s = shape_surface(&tube);
    lmbi_tree *tree;
    assert_int_equal(lmbi_tree_create(s, NULL, &tree, NULL), LMB_OK);
    uint32_t *groups = calloc(s->triangle_count, sizeof *groups);
    lmbi_inner_ball_job job = {.point = s->positions[20 * 48],
                               .radius = 3,
                               .nothing = 1e-3f,
                               .slack = 0.02f,
                               .flat = 0.1f};
    job.inward = lmb_vec3_normalize_or(lmb_vec3_make(0, -job.point.y, -job.point.z), job.point);
    assert_true(fabsf(lmbi_tree_inner_ball(tree, &job) - 1) < 0.02f);
    job.groups = groups; // all of one group
    assert_true(fabsf(lmbi_tree_inner_ball(tree, &job) - 1) < 0.02f);
    job.group = 1; // nothing makes it smaller, and others are inside
    assert_true(lmbi_tree_inner_ball(tree, &job) >= 3);
    free(groups);
    lmbi_tree_destroy(tree);
    lmb_surface_destroy(s);
    shape_free(&tube);
}

static void an_empty_surface_answers(void **state)
{
    (void)state;
    lmb_surface *s;
    assert_int_equal(lmb_surface_create(NULL, 0, NULL, NULL, &s, NULL), LMB_OK);
    lmbi_tree *tree;
    assert_int_equal(lmbi_tree_create(s, NULL, &tree, NULL), LMB_OK);
    lmbi_ray ray = {.direction = {0, 0, 1}, .t_max = INFINITY};
    assert_false(lmbi_tree_hit_any(tree, &ray));
    assert_int_equal(lmbi_tree_closest(tree, lmb_vec3_make(0, 0, 0), INFINITY).triangle,
                     UINT32_MAX);
    lmbi_tree_destroy(tree);
    lmb_surface_destroy(s);
}

/// Thousands of equal triangles: no wall separates them.
static void a_pile_of_equal_triangles_builds(void **state)
{
    (void)state;
    enum { COUNT = 5000 };
    lmb_vec3 points[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    uint32_t *indices = malloc(3 * COUNT * sizeof *indices);
    for (uint32_t i = 0; i < 3 * COUNT; ++i) {
        indices[i] = i % 3;
    }
    lmb_surface_part part = {
        .positions = points, .vertex_count = 3, .indices = indices, .index_count = 3 * COUNT};
    lmb_surface *s;
    assert_int_equal(
        lmb_surface_create(&part, 1, &(lmb_surface_opts){.keep_degenerate = true}, NULL, &s, NULL),
        LMB_OK);
    lmbi_tree *tree;
    assert_int_equal(lmbi_tree_create(s, NULL, &tree, NULL), LMB_OK);
    lmbi_ray ray = {.origin = {0.25f, 0.25f, 1}, .direction = {0, 0, -1}, .t_max = INFINITY};
    assert_int_equal(lmbi_tree_hit_count(tree, &ray, NULL), COUNT);
    assert_int_equal(lmbi_tree_hit_first(tree, &ray).triangle, 0);
    lmbi_tree_destroy(tree);
    lmb_surface_destroy(s);
    free(indices);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closest_agrees_with_brute_force),
        cmocka_unit_test(first_hit_agrees_with_brute_force),
        cmocka_unit_test(rays_through_edges_and_vertices_count_right),
        cmocka_unit_test(groups_hide_other_triangles),
        cmocka_unit_test(rays_in_the_planes_of_boxes_hit),
        cmocka_unit_test(a_ball_in_a_tube_has_its_radius),
        cmocka_unit_test(an_empty_surface_answers),
        cmocka_unit_test(a_pile_of_equal_triangles_builds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
