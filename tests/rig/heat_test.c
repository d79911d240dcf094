#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "geometry/adjacency.h"
#include "geometry/shapes.h"
#include "geometry/tree.h"
#include "limber/rig.h"
#include "rig/heat_near.h"
#include "rig/rig.h"
#include "rig/weight_of.h"

/// No empty row, at most `most` influences, falling, no joint twice, the float sum exactly 1.
static void assert_rows(const lmb_weights *w, uint32_t most)
{
    for (uint32_t v = 0; v < w->vertex_count; ++v) {
        uint32_t begin = w->influences.first[v], end = w->influences.first[v + 1];
        assert_true(end > begin && end - begin <= most);
        float sum = 0;
        for (uint32_t k = begin; k < end; ++k) {
            sum += w->influences.items[k].weight;
            assert_true(w->influences.items[k].weight > 0);
            assert_true(k == begin ||
                        w->influences.items[k].weight <= w->influences.items[k - 1].weight);
            for (uint32_t j = begin; j < k; ++j) {
                assert_int_not_equal(w->influences.items[j].joint, w->influences.items[k].joint);
            }
        }
        assert_true(sum == 1.0f);
    }
}

/// On a tube of radius 1 round two bones that meet at x = 0, the weight of the left one at x > 0 is
/// exp(-sqrt(c) x) / 2.
static void tube_has_the_closed_form(void **state)
{
    (void)state;
    shape made = shape_tube(400, 48, 1, -8, 8);
    lmb_surface *s = shape_surface(&made);
    lmbi_bone_segment items[2] = {{{-20, 0, 0}, {0, 0, 0}, 0}, {{0, 0, 0}, {20, 0, 0}, 1}};
    lmbi_bones bones = {.count = 2, .items = items};
    for (int c = 1; c <= 3; c += 2) {
        lmb_weights *w;
        lmb_weights_report report;
        lmb_weights_opts opts = {.heat = (float)c, .least = 1e-6f};
        assert_int_equal(lmbi_weights_create(s, &bones, &opts, NULL, &w, &report, NULL), LMB_OK);
        assert_rows(w, 4);
        for (uint32_t v = 0; v < s->vertex_count; ++v) {
            double x = (double)s->positions[v].x, expected = 0.5 * exp(-sqrt((double)c) * fabs(x));
            double got = (double)weight_of(w, v, x > 0 ? 0 : 1);
            assert_true(fabs(x) > 4 || fabs(got - expected) < 1.5e-3);
        }
        assert_int_equal(report.hidden_count, 0);
        lmb_weights_destroy(w);
    }
    lmb_surface_destroy(s);
    shape_free(&made);
}

/// A vertex that leans where those around it do not is set half upright by them.
static void a_leaning_vertex_heeds_its_ring(void **state)
{
    (void)state;
    shape made = shape_tube(40, 24, 1, -4, 4);
    lmb_surface *s = shape_surface(&made);
    const lmbi_bone_segment item = {{-4, 0, 0}, {4, 0, 0}, 0};
    const lmbi_bones bones = {.count = 1, .items = (lmbi_bone_segment *)(uintptr_t)&item};
    lmbi_adjacency *around;
    lmbi_heat heat = {.surface = s, .bones = &bones, .size = 8};
    lmbi_arena_init(&heat.arena, NULL);
    assert_int_equal(lmbi_tree_create(s, NULL, &heat.tree, NULL), LMB_OK);
    assert_int_equal(lmbi_adjacency_create(s, NULL, &around, NULL), LMB_OK);
    assert_int_equal(lmbi_heat_pieces(&heat, NULL), LMB_OK);
    const uint32_t v = s->vertex_count / 2;
    const lmb_vec3 upright = heat.normals[v], along = {1, 0, 0};
    heat.normals[v] = // 60 degrees off
        lmb_vec3_add(lmb_vec3_scale(along, 0.8660254f), lmb_vec3_scale(upright, 0.5f));
    assert_int_equal(lmbi_heat_middles(&heat, around, NULL), LMB_OK);
    assert_true(fabsf(lmb_vec3_dot(heat.normals[v], upright) - 0.8660254f) < 0.01f);
    for (uint32_t k = 0; k < s->vertex_count; ++k) { // where nothing leans, nothing changes
        const bool far = lmb_vec3_distance(s->positions[k], s->positions[v]) > 0.6f;
        assert_true(!far || fabsf(s->positions[k].x) > 3 || fabsf(heat.depths[k] - 1) < 0.02f);
    }
    lmbi_adjacency_destroy(around);
    lmbi_tree_destroy(heat.tree);
    lmbi_arena_free(&heat.arena);
    lmb_surface_destroy(s);
    shape_free(&made);
}

/// Two limbs side by side that are fused along a crease for x > -1, and pass through each other's skin
/// below.
static lmb_vec3 on_fused_limbs(float u, float v, void *user)
{
    (void)user;
    const float angle = 6.2831853f * v, x = -4 + 8 * u, y = 2 * cosf(angle), across = fabsf(y),
                waist = x > -1 ? 0.15f : -0.15f, rise = sinf(1.5707963f * across);
    const float height =
        across < 1 ? waist + (1 - waist) * rise * rise : sqrtf(1 - (across - 1) * (across - 1));
    return (lmb_vec3){x, y, sinf(angle) < 0 ? -height : height};
}

/// Vertices in the crease that see no bone and are cut off from all around them are warmed by nothing
/// and coupled to nothing; the matrix can be factored all the same.
static void a_vertex_cut_off_on_all_sides_is_no_zero_pivot(void **state)
{
    (void)state;
    enum { LIMBS = 2, ALONG = 48, AROUND = 64, WIDTH = 8 };
    shape made = shape_sheet(ALONG, AROUND, on_fused_limbs, NULL);
    lmb_surface *s = shape_surface(&made);
    static const lmb_vec3 positions[] = {{-20, 0, 0}, {-12, 1, 0}, {-12, -1, 0}};
    static const int32_t parents[] = {LMB_NONE, 0, 0};
    static const lmbi_bone_segment items[LIMBS] = {{{-12, 1, 0}, {4, 1, 0}, 1},
                                                   {{-12, -1, 0}, {4, -1, 0}, 2}};
    const lmbi_bones bones = {.count = LIMBS,
                              .items = (lmbi_bone_segment *)(uintptr_t)items,
                              .joint_count = 3,
                              .parents = (int32_t *)(uintptr_t)parents,
                              .positions = (lmb_vec3 *)(uintptr_t)positions};
    uint32_t joint_of_slot[LIMBS] = {1, 2}, slot_of_bone[LIMBS] = {0, 1}, alone = 0;
    lmbi_heat heat = {.surface = s,
                      .bones = &bones,
                      .opts = {.heat = 3},
                      .size = 8,
                      .slot_count = LIMBS,
                      .joint_of_slot = joint_of_slot,
                      .slot_of_bone = slot_of_bone,
                      .row_width = WIDTH};
    lmbi_adjacency *around;
    lmbi_arena_init(&heat.arena, NULL);
    assert_int_equal(lmbi_tree_create(s, NULL, &heat.tree, NULL), LMB_OK);
    assert_int_equal(lmbi_adjacency_create(s, NULL, &around, NULL), LMB_OK);
    assert_int_equal(lmbi_heat_pieces(&heat, NULL), LMB_OK);
    heat.rows = calloc(s->vertex_count, WIDTH * sizeof *heat.rows);
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        const lmb_vec3 p = s->positions[v];
        const uint32_t column = (uint32_t)lroundf((p.x + 4) * ALONG / 8);
        const bool cut = column % 3 == 0 && p.x > 0 && p.x < 3.5f && fabsf(p.y) < 1e-3f;
        heat.sources[v] = (lmbi_heat_source){
            .distance = 1, .tie_count = 1, .seen = !cut, .joints = {cut ? 0 : 1}};
        alone += cut;
    }
    assert_true(alone > 8);
    assert_int_equal(lmbi_heat_solve(&heat, around, NULL), LMB_OK);
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        const bool warm = heat.sources[v].seen;
        assert_true(!warm ||
                    (heat.rows[v * WIDTH].joint == 1 && heat.rows[v * WIDTH].weight > 0.99f));
        assert_true(warm || !(heat.rows[v * WIDTH].weight > 0));
    }
    free(heat.rows);
    lmbi_adjacency_destroy(around);
    lmbi_tree_destroy(heat.tree);
    lmbi_arena_free(&heat.arena);
    lmb_surface_destroy(s);
    shape_free(&made);
}

/// Gaussian elimination with pivoting on the dense system, rays and areas replaced by what the
/// convex shape makes certain.
static void dense_solve(double *a, double *b, uint32_t n, uint32_t count)
{
    for (uint32_t k = 0; k < n; ++k) {
        uint32_t pivot = k;
        for (uint32_t i = k + 1; i < n; ++i) {
            pivot = fabs(a[i * n + k]) > fabs(a[pivot * n + k]) ? i : pivot;
        }
        for (uint32_t j = 0; j < n; ++j) {
            double t = a[k * n + j];
            a[k * n + j] = a[pivot * n + j];
            a[pivot * n + j] = t;
        }
        for (uint32_t c = 0; c < count; ++c) {
            double t = b[c * n + k];
            b[c * n + k] = b[c * n + pivot];
            b[c * n + pivot] = t;
        }
        for (uint32_t i = 0; i < n; ++i) {
            double f = i == k ? 0 : a[i * n + k] / a[k * n + k];
            for (uint32_t j = k; f != 0 && j < n; ++j) {
                a[i * n + j] -= f * a[k * n + j];
            }
            for (uint32_t c = 0; f != 0 && c < count; ++c) {
                b[c * n + i] -= f * b[c * n + k];
            }
        }
    }
    for (uint32_t k = 0; k < n; ++k) {
        for (uint32_t c = 0; c < count; ++c) {
            b[c * n + k] /= a[k * n + k];
        }
    }
}

static double cotangent(const lmb_vec3 a, const lmb_vec3 b, const lmb_vec3 c)
{
    lmb_vec3 u = lmb_vec3_sub(b, a), v = lmb_vec3_sub(c, a);
    return (double)lmb_vec3_dot(u, v) / (double)lmb_vec3_length(lmb_vec3_cross(u, v));
}

/// The triangles of a shape above a height.
static void cut_off(shape *s, float z)
{
    uint32_t kept = 0;
    for (uint32_t t = 0; t < s->triangle_count; ++t) {
        const uint32_t *c = s->triangles + 3 * (size_t)t;
        if (s->points[c[0]].z > z && s->points[c[1]].z > z && s->points[c[2]].z > z) {
            memmove(s->triangles + 3 * (size_t)kept++, c, 3 * sizeof *c);
        }
    }
    s->triangle_count = kept;
}

/// Three point bones in a dome, against the dense system assembled here from the paper. The path in
/// from its skin meets nothing, so that the bone nearest to the skin warms it.
static void dome_agrees_with_a_dense_solve(void **state)
{
    (void)state;
    shape made = shape_sphere(24, 12);
    cut_off(&made, 0.05f);
    lmb_surface *s = shape_surface(&made);
    uint32_t n = s->vertex_count;
    lmbi_bone_segment items[3] = {{{0.3f, 0, 0}, {0.3f, 0, 0}, 5},
                                  {{-0.4f, 0.1f, 0}, {-0.4f, 0.1f, 0}, 2},
                                  {{0, 0, 0.5f}, {0, 0.1f, 0.5f}, 9}};
    lmbi_bones bones = {.count = 3, .items = items};
    double *a = calloc((size_t)n * n, sizeof *a), *b = calloc(3 * (size_t)n, sizeof *b),
           *area = calloc(n, sizeof *area);
    for (uint32_t t = 0; t < s->triangle_count; ++t) {
        const uint32_t *corner = s->triangles + 3 * t;
        lmb_vec3 p[3] = {s->positions[corner[0]], s->positions[corner[1]], s->positions[corner[2]]};
        for (int k = 0; k < 3; ++k) {
            uint32_t i = corner[(k + 1) % 3], j = corner[(k + 2) % 3];
            double w = 0.5 * cotangent(p[k], p[(k + 1) % 3], p[(k + 2) % 3]);
            a[i * n + j] -= w, a[j * n + i] -= w, a[i * n + i] += w, a[j * n + j] += w;
            area[corner[k]] += (double)lmb_vec3_length(lmb_vec3_cross(lmb_vec3_sub(p[1], p[0]),
                                                                      lmb_vec3_sub(p[2], p[0]))) /
                               6;
        }
    }
    for (uint32_t v = 0; v < n; ++v) {
        area[v] = area[v] > 0 ? area[v] : 1; // what was cut off stands alone
        double best = 1e9;
        int which = 0;
        for (int k = 0; k < 3; ++k) {
            lmb_vec3 at = items[k].head;
            at.y = k == 2 ? fmaxf(0, fminf(0.1f, s->positions[v].y)) : at.y;
            double d = (double)lmb_vec3_distance(at, s->positions[v]);
            which = d < best ? k : which;
            best = fmin(best, d);
        }
        a[v * n + v] += area[v] / (best * best);
        b[(uint32_t)which * n + v] = area[v] / (best * best);
    }
    dense_solve(a, b, n, 3);
    lmb_weights *w;
    assert_int_equal(
        lmbi_weights_create(s, &bones, &(lmb_weights_opts){.heat = 1, .least = 1e-6f, .soft = true},
                            NULL, &w, NULL, NULL),
        LMB_OK);
    assert_rows(w, 4);
    for (uint32_t v = 0; v < n; ++v) {
        for (int k = 0; k < 3; ++k) {
            assert_true(fabs((double)weight_of(w, v, items[k].joint) - b[(uint32_t)k * n + v]) <
                        2e-5);
        }
    }
    lmb_weights_destroy(w);
    free(a);
    free(b);
    free(area);
    lmb_surface_destroy(s);
    shape_free(&made);
}

static void scale_does_not_matter(void **state)
{
    (void)state;
    shape made = shape_tube(60, 16, 1, -3, 3);
    const float scales[4] = {1, 0.01f, 100, 1e-6f};
    lmb_weights *first = NULL;
    for (int k = 0; k < 4; ++k) {
        lmbi_bone_segment items[3] = {
            {{-3, 0, 0}, {0, 0.2f, 0}, 0}, {{0, 0.2f, 0}, {1, 0, 0}, 1}, {{1, 0, 0}, {3, 0, 0}, 2}};
        shape scaled = made;
        scaled.points = malloc(made.point_count * sizeof *scaled.points);
        for (uint32_t i = 0; i < made.point_count; ++i) {
            scaled.points[i] = lmb_vec3_scale(made.points[i], scales[k]);
        }
        for (int b = 0; b < 3; ++b) {
            items[b].head = lmb_vec3_scale(items[b].head, scales[k]);
            items[b].tail = lmb_vec3_scale(items[b].tail, scales[k]);
        }
        lmb_surface *s = shape_surface(&scaled);
        lmbi_bones bones = {.count = 3, .items = items};
        lmb_weights *w;
        assert_int_equal(lmbi_weights_create(s, &bones, NULL, NULL, &w, NULL, NULL), LMB_OK);
        assert_rows(w, 4);
        for (uint32_t v = 0; first && v < s->vertex_count; ++v) {
            for (uint32_t j = 0; j < 3; ++j) {
                assert_true(fabsf(weight_of(first, v, j) - weight_of(w, v, j)) < 2e-3f);
            }
        }
        if (first) {
            lmb_weights_destroy(w);
        } else {
            first = w;
        }
        lmb_surface_destroy(s);
        free(scaled.points);
    }
    lmb_weights_destroy(first);
    shape_free(&made);
}

/// Joins shapes into one, the second moved and scaled.
static shape join(const shape *a, const shape *b, float scale, lmb_vec3 to)
{
    shape s = {.point_count = a->point_count + b->point_count,
               .triangle_count = a->triangle_count + b->triangle_count};
    s.points = malloc(s.point_count * sizeof *s.points);
    s.triangles = malloc(3 * (size_t)s.triangle_count * sizeof *s.triangles);
    memcpy(s.points, a->points, a->point_count * sizeof *s.points);
    memcpy(s.triangles, a->triangles, 3 * a->triangle_count * sizeof *s.triangles);
    for (uint32_t i = 0; i < b->point_count; ++i) {
        s.points[a->point_count + i] = lmb_vec3_mad(to, b->points[i], scale);
    }
    for (uint32_t i = 0; i < 3 * b->triangle_count; ++i) {
        s.triangles[3 * a->triangle_count + i] = a->point_count + b->triangles[i];
    }
    return s;
}

/// The far bone's weight on a tube of radius 1.1 that ends at x = 2.
static float cloth_weight(float x)
{
    return 0.5f * coshf((2 - fabsf(x)) / 1.1f) / coshf(2 / 1.1f);
}

static void layers_and_trinkets_get_weights(void **state)
{
    (void)state;
    shape body = shape_tube(80, 24, 1, -4, 4), cloth = shape_tube(40, 24, 1.1f, -2, 2),
          ball = shape_sphere(12, 6);
    shape dressed = join(&body, &cloth, 1, lmb_vec3_make(0, 0, 0));
    shape all = join(&dressed, &ball, 0.05f, lmb_vec3_make(1, 1.2f, 0));
    lmb_surface *s = shape_surface(&all);
    lmbi_bone_segment items[2] = {{{-4, 0, 0}, {0, 0, 0}, 0}, {{0, 0, 0}, {4, 0, 0}, 1}};
    lmbi_bones bones = {.count = 2, .items = items};
    lmb_weights *w;
    lmb_weights_report report;
    assert_int_equal(
        lmbi_weights_create(s, &bones, &(lmb_weights_opts){.heat = 1}, NULL, &w, &report, NULL),
        LMB_OK);
    assert_rows(w, 4);
    assert_int_equal(report.component_count, 3);
    assert_int_equal(report.layer_count, 1);
    assert_int_equal(report.inherited_count, 1);
    // Cloth follows the bone under it as the body does, and the ball is stiff.
    uint32_t *vertex_of = s->vertex_of, first_ball = dressed.point_count;
    for (uint32_t i = 0; i < body.point_count; ++i) {
        assert_true(weight_of(w, vertex_of[i], 0) + weight_of(w, vertex_of[i], 1) > 0.999f);
    }
    for (uint32_t i = body.point_count; i < dressed.point_count; ++i) {
        float x = all.points[i].x, expected = 1 - cloth_weight(x);
        assert_true(fabsf(weight_of(w, vertex_of[i], x > 0 ? 1 : 0) - expected) < 0.03f);
    }
    for (uint32_t i = first_ball; i < all.point_count; ++i) {
        assert_true(weight_of(w, vertex_of[i], 1) == weight_of(w, vertex_of[first_ball], 1));
        assert_true(fabsf(weight_of(w, vertex_of[i], 1) - (1 - cloth_weight(1))) < 0.03f);
    }
    lmb_weights_destroy(w);
    lmb_surface_destroy(s);
    shape_free(&body), shape_free(&cloth), shape_free(&ball), shape_free(&dressed),
        shape_free(&all);
}

/// A plate beside a limb, most of it over one bone, follows that bone alone; asked to be soft, it
/// bends.
static void a_plate_is_rigid(void **state)
{
    (void)state;
    shape body = shape_tube(80, 24, 1, -4, 4), plate = shape_tube(20, 24, 1.2f, -0.3f, 1.7f);
    shape all = join(&body, &plate, 1, lmb_vec3_make(0, 0, 0));
    lmb_surface *s = shape_surface(&all);
    lmbi_bone_segment items[2] = {{{-4, 0, 0}, {0, 0, 0}, 0}, {{0, 0, 0}, {4, 0, 0}, 1}};
    lmbi_bones bones = {.count = 2, .items = items};
    for (int soft = 0; soft < 2; ++soft) {
        lmb_weights *w;
        lmb_weights_report report;
        const lmb_weights_opts opts = {.soft = soft};
        assert_int_equal(lmbi_weights_create(s, &bones, &opts, NULL, &w, &report, NULL), LMB_OK);
        assert_int_equal(report.rigid_count, soft ? 0 : 1);
        uint32_t alone = 0;
        for (uint32_t i = body.point_count; i < all.point_count; ++i) {
            alone += weight_of(w, s->vertex_of[i], 1) == 1;
        }
        assert_true(soft ? alone < plate.point_count : alone == plate.point_count);
        assert_true(weight_of(w, s->vertex_of[0], 0) > 0.9f); // the body, a piece too, still bends
        lmb_weights_destroy(w);
    }
    lmb_surface_destroy(s);
    shape_free(&body), shape_free(&plate), shape_free(&all);
}

/// The flank of a trunk is nearer to the arm that hangs in front of it than to the spine, but lies
/// around the spine.
static void a_flank_is_the_trunks(void **state)
{
    (void)state;
    shape trunk = shape_tube(60, 32, 1, -3, 3);
    lmb_surface *s = shape_surface(&trunk);
    lmbi_bone_segment items[2] = {{{-3, 0, 0}, {3, 0, 0}, 0}, {{0, 0.7f, 0}, {0.5f, 0.7f, 0}, 1}};
    lmbi_bones bones = {.count = 2, .items = items};
    lmb_weights *w;
    assert_int_equal(lmbi_weights_create(s, &bones, NULL, NULL, &w, NULL, NULL), LMB_OK);
    for (uint32_t i = 0; i < trunk.point_count; ++i) {
        assert_true(weight_of(w, s->vertex_of[i], 0) > 0.99f);
    }
    lmb_weights_destroy(w);
    lmb_surface_destroy(s);
    shape_free(&trunk);
}

/// A bone in the air beside the skin, nearer than the one inside, is not visible: the segment to it
/// leaves the volume. Skin that it lies level with may see it a little.
static void a_bone_in_front_of_the_skin_is_not_seen(void **state)
{
    (void)state;
    shape made = shape_tube(80, 24, 1, -4, 4);
    lmb_surface *s = shape_surface(&made);
    lmbi_bone_segment items[2] = {{{-4, 0, 0}, {-1.5f, 0, 0}, 0},
                                  {{3, 3.5f, 0}, {3.5f, 3.5f, 0}, 1}};
    const lmbi_bones bones = {.count = 2, .items = items};
    lmb_weights *w;
    assert_int_equal(lmbi_weights_create(s, &bones, NULL, NULL, &w, NULL, NULL), LMB_OK);
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        assert_true(weight_of(w, v, 0) > 0.95f);
    }
    lmb_weights_destroy(w);
    lmb_surface_destroy(s);
    shape_free(&made);
}

/// A head is thicker than its neck: what hangs beside the neck, as a chin does, is the head's.
static void a_thick_end_reaches_farther(void **state)
{
    (void)state;
    shape body = shape_tube(80, 24, 0.4f, -4, 0), head = shape_sphere(32, 16);
    shape all = join(&body, &head, 2, lmb_vec3_make(1, 0, 0));
    lmb_surface *s = shape_surface(&all);
    lmbi_bone_segment items[2] = {{{-4, 0, 0}, {0, 0, 0}, 0}, {{0, 0, 0}, {2, 0, 0}, 1}};
    lmbi_bones bones = {.count = 2, .items = items};
    lmb_weights *w;
    const lmb_weights_opts opts = {.soft = true};
    assert_int_equal(lmbi_weights_create(s, &bones, &opts, NULL, &w, NULL, NULL), LMB_OK);
    for (uint32_t i = body.point_count; i < all.point_count; ++i) {
        const lmb_vec3 p = all.points[i];
        // beside the neck by more than its own skin is: nearer to the neck's bone all the same
        assert_true(p.x < -0.6f || p.x > -0.1f || weight_of(w, s->vertex_of[i], 1) > 0.5f);
    }
    lmb_weights_destroy(w);
    lmb_surface_destroy(s);
    shape_free(&body), shape_free(&head), shape_free(&all);
}

/// A bone that only touches the skin is thin, and the last bone of its chain is thick beside it. What
/// lies near a leg follows the leg, and not that far bone.
static void a_thick_end_does_not_reach_past_its_own_skin(void **state)
{
    (void)state;
    shape leg = shape_tube(80, 24, 0.3f, 0, 4), ball = shape_sphere(32, 16);
    shape limbs = join(&leg, &ball, 1, lmb_vec3_make(10, 0, 0));
    shape all = join(&limbs, &ball, 0.6f, lmb_vec3_make(2, 3.2f, 0));
    lmb_surface *s = shape_surface(&all);
    lmbi_bone_segment items[3] = {{{0, 0, 0}, {4, 0, 0}, 0},
                                  {{9.01f, 0, 0}, {9.02f, 0, 0}, 1},
                                  {{9.02f, 0, 0}, {10.5f, 0, 0}, 2}};
    const lmbi_bones bones = {.count = 3, .items = items};
    const lmb_weights_opts opts = {.method = LMB_WEIGHTS_VOXEL, .soft = true};
    lmbi_heat heat = {.surface = s, .bones = &bones, .opts = {.influences = 4}};
    lmb_weights *w;
    lmbi_arena_init(&heat.arena, NULL);
    assert_int_equal(lmbi_heat_prepare(&heat, NULL), LMB_OK);
    assert_int_equal(lmbi_weights_create(s, &bones, &opts, NULL, &w, NULL, NULL), LMB_OK);
    for (uint32_t i = limbs.point_count; i < all.point_count; ++i) {
        lmbi_near near[LMBI_NEAR_BONES];
        assert_int_equal(lmbi_nearest_bones(&heat, s->vertex_of[i], near), 3);
        assert_int_equal(near[0].bone, 0);
        assert_true(weight_of(w, s->vertex_of[i], 0) > 0.7f);
    }
    lmb_weights_destroy(w);
    lmbi_heat_end(&heat);
    lmb_surface_destroy(s);
    shape_free(&leg), shape_free(&ball), shape_free(&limbs), shape_free(&all);
}

/// In the volume too: a chin in front of the neck, whose middle is a little nearer to the neck's bone.
static void a_chin_is_the_heads_in_the_volume_too(void **state)
{
    (void)state;
    shape neck = shape_tube(80, 24, 0.4f, -4, 0), head = shape_sphere(32, 16),
          bud = shape_sphere(24, 12);
    for (uint32_t i = 0; i < bud.point_count; ++i) {
        bud.points[i] = lmb_vec3_mad((lmb_vec3){-0.15f, 0.8f, 0}, bud.points[i], 0.5f);
    }
    for (uint32_t i = 0; i < head.point_count; ++i) {
        head.points[i].x += 1;
    }
    const shape *const shapes[] = {&neck, &head, &bud};
    lmb_surface_part parts[3];
    for (int k = 0; k < 3; ++k) {
        parts[k] = (lmb_surface_part){.positions = shapes[k]->points,
                                      .vertex_count = shapes[k]->point_count,
                                      .indices = shapes[k]->triangles,
                                      .index_count = 3 * shapes[k]->triangle_count};
    }
    lmb_surface *s;
    lmb_weights *w;
    lmbi_bone_segment items[2] = {{{-4, 0, 0}, {0, 0, 0}, 0}, {{0, 0, 0}, {2, 0, 0}, 1}};
    const lmbi_bones bones = {.count = 2, .items = items};
    const lmb_weights_opts opts = {.method = LMB_WEIGHTS_VOXEL, .soft = true};
    assert_int_equal(lmb_surface_create(parts, 3, NULL, NULL, &s, NULL), LMB_OK);
    assert_int_equal(lmbi_weights_create(s, &bones, &opts, NULL, &w, NULL, NULL), LMB_OK);
    for (uint32_t i = 0; i < bud.point_count; ++i) {
        const uint32_t at = s->vertex_of[neck.point_count + head.point_count + i];
        assert_true(weight_of(w, at, 1) > 0.6f);
    }
    lmb_weights_destroy(w);
    lmb_surface_destroy(s);
    shape_free(&neck), shape_free(&head), shape_free(&bud);
}

/// What lies beyond a sharp bend is as near to both bones, and is the lower one's: a heel.
static void a_heel_is_the_foots(void **state)
{
    (void)state;
    shape leg = shape_tube(80, 24, 0.4f, -4, 1);
    lmb_surface *s = shape_surface(&leg);
    lmbi_bone_segment items[3] = {
        {{-4, 0, 0}, {0, 0, 0}, 0}, {{0, 0, 0}, {0, 1, 0}, 1}, {{0, 1, 0}, {0, 2, 0}, 2}};
    lmbi_bones bones = {.count = 3, .items = items};
    lmb_weights *w;
    assert_int_equal(lmbi_weights_create(s, &bones, NULL, NULL, &w, NULL, NULL), LMB_OK);
    for (uint32_t i = 0; i < leg.point_count; ++i) {
        assert_true(leg.points[i].x < 0.3f || weight_of(w, s->vertex_of[i], 1) > 0.6f);
        assert_true(leg.points[i].x > -1 || weight_of(w, s->vertex_of[i], 0) > 0.9f);
    }
    lmb_weights_destroy(w);
    lmb_surface_destroy(s);
    shape_free(&leg);
}

/// Whatever triangles, wherever the bones: every vertex gets a row.
static void nothing_is_left_without_weight(void **state)
{
    (void)state;
    lmb_random random = lmb_random_seed(8);
    for (int trial = 0; trial < 40; ++trial) {
        shape made = {.point_count = 1 + lmb_random_u32(&random) % 200,
                      .triangle_count = lmb_random_u32(&random) % 300};
        made.points = malloc(made.point_count * sizeof *made.points);
        made.triangles = malloc((3 * (size_t)made.triangle_count + 1) * sizeof *made.triangles);
        float flat = trial % 3 == 1 ? 0.0f : 1.0f, line = trial % 6 == 5 ? 0.0f : 1.0f,
              dot = trial == 12 ? 0.0f : 1.0f;
        for (uint32_t i = 0; i < made.point_count; ++i) {
            float x = lmb_random_unit(&random), y = lmb_random_unit(&random),
                  z = lmb_random_unit(&random);
            made.points[i] = lmb_vec3_make(dot * x, dot * line * y, dot * line * flat * z);
        }
        for (uint32_t i = 0; i < 3 * made.triangle_count; ++i) {
            made.triangles[i] = lmb_random_u32(&random) % made.point_count;
        }
        lmbi_bone_segment items[20];
        for (int b = 0; b < 20; ++b) {
            float far = trial % 4 == 3 ? 1000.0f : 1.0f;
            items[b].head = lmb_vec3_make(far * lmb_random_unit(&random), lmb_random_unit(&random),
                                          lmb_random_unit(&random));
            items[b].tail =
                b % 5 ? lmb_vec3_make(lmb_random_unit(&random), lmb_random_unit(&random), 0)
                      : items[b].head;
            items[b].joint = (uint32_t)b / 2;
        }
        lmbi_bones bones = {.count = 20, .items = items};
        lmb_surface *s = shape_surface(&made);
        lmb_weights *w;
        lmb_error error = {0};
        assert_int_equal(lmbi_weights_create(s, &bones, NULL, NULL, &w, NULL, &error), LMB_OK);
        assert_rows(w, 4);
        lmb_weights_destroy(w);
        lmb_surface_destroy(s);
        shape_free(&made);
    }
}

static void the_limit_is_kept_and_its_error_reported(void **state)
{
    (void)state;
    shape made = shape_sphere(24, 12);
    lmb_surface *s = shape_surface(&made);
    lmbi_bone_segment items[8];
    for (int b = 0; b < 8; ++b) { // at the corners of a cube: the poles are as near to four
        lmb_vec3 p =
            lmb_vec3_make(b & 1 ? 0.3f : -0.3f, b & 2 ? 0.3f : -0.3f, b & 4 ? 0.3f : -0.3f);
        items[b] = (lmbi_bone_segment){p, p, (uint32_t)b};
    }
    lmbi_bones bones = {.count = 8, .items = items};
    float lost = 0;
    for (uint32_t most = 1; most <= 8; ++most) {
        lmb_weights *w;
        lmb_weights_report report;
        assert_int_equal(
            lmbi_weights_create(s, &bones, &(lmb_weights_opts){.influences = most, .least = 1e-6f},
                                NULL, &w, &report, NULL),
            LMB_OK);
        assert_rows(w, most);
        assert_true(most == 1 || report.lost_mean < lost);
        assert_true(most == 8 ? report.lost_max < 1e-4f && report.shift_max < 1e-4f
                              : report.lost_max > 1e-3f && report.shift_max > 1e-4f);
        lost = report.lost_mean;
        lmb_weights_destroy(w);
    }
    lmb_surface_destroy(s);
    shape_free(&made);
}

/// Pieces of loops last to first.
static void run_backwards(void *user, size_t count, size_t grain, lmb_piece_fn piece, void *context)
{
    (void)user;
    for (size_t begin = count ? (count - 1) / grain * grain + grain : 0; begin > 0;
         begin -= grain) {
        piece(context, begin - grain, begin < count ? begin : count);
    }
}

static void workers_do_not_change_a_bit(void **state)
{
    (void)state;
    shape made = shape_tube(120, 24, 1, -4, 4);
    lmb_surface *s = shape_surface(&made);
    lmbi_bone_segment items[20];
    for (uint32_t b = 0; b < 20; ++b) {
        items[b] = (lmbi_bone_segment){
            {-4 + 0.4f * (float)b, 0.1f, 0}, {-3.6f + 0.4f * (float)b, 0, 0}, b};
    }
    lmbi_bones bones = {.count = 20, .items = items};
    lmb_jobs jobs = {.run = run_backwards, .worker_count = 5};
    lmb_weights *one, *many;
    assert_int_equal(lmbi_weights_create(s, &bones, NULL, NULL, &one, NULL, NULL), LMB_OK);
    assert_int_equal(
        lmbi_weights_create(s, &bones, &(lmb_weights_opts){.jobs = &jobs}, NULL, &many, NULL, NULL),
        LMB_OK);
    assert_memory_equal(one->influences.first, many->influences.first,
                        (s->vertex_count + 1) * sizeof(uint32_t));
    assert_memory_equal(one->influences.items, many->influences.items,
                        one->influences.first[s->vertex_count] * sizeof(lmb_influence));
    lmb_weights_destroy(one);
    lmb_weights_destroy(many);
    lmb_surface_destroy(s);
    shape_free(&made);
}

static bool cancel(void *user, const char *stage, float fraction)
{
    (void)stage, (void)fraction;
    ++*(int *)user;
    return false;
}

static void a_caller_can_cancel(void **state)
{
    (void)state;
    shape made = shape_sphere(8, 4);
    lmb_surface *s = shape_surface(&made);
    lmbi_bone_segment item = {{0, 0, 0}, {0, 0, 0.5f}, 0};
    lmbi_bones bones = {.count = 1, .items = &item};
    int calls = 0;
    lmb_progress progress = {cancel, &calls};
    lmb_weights *w = NULL;
    assert_int_equal(lmbi_weights_create(s, &bones, &(lmb_weights_opts){.progress = &progress},
                                         NULL, &w, NULL, NULL),
                     LMB_ERROR_CANCELLED);
    assert_int_equal(calls, 1);
    assert_null(w);
    lmb_surface_destroy(s);
    shape_free(&made);
}

static void wrong_calls_are_refused(void **state)
{
    (void)state;
    shape made = shape_sphere(8, 4);
    lmb_surface *s = shape_surface(&made);
    lmbi_bones none = {0};
    lmb_weights *w = NULL;
    assert_int_equal(lmbi_weights_create(s, &none, NULL, NULL, &w, NULL, NULL), LMB_ERROR_INVALID);
    lmbi_bone_segment bad = {{NAN, 0, 0}, {0, 0, 0}, 0};
    lmbi_bones one = {.count = 1, .items = &bad};
    assert_int_equal(lmbi_weights_create(s, &one, NULL, NULL, &w, NULL, NULL), LMB_ERROR_INVALID);
    assert_null(w);
    lmb_surface_destroy(s);
    shape_free(&made);
}

/// What is beyond the limit is taken from those that stay, so that weights fade in and out: with rows
/// by d^-4 of the nearest bones and two joints a vertex, (w1 - w3, w2 - w3) over their sum.
static void what_is_dropped_is_taken_from_what_stays(void **state)
{
    (void)state;
    const lmb_vec3 positions[3] = {{0, 0, 0}, {0.1f, 0, 0}, {0, 0.1f, 0}};
    const uint32_t indices[3] = {0, 1, 2};
    const lmbi_bone_segment items[3] = {{{0, 0, 1}, {0, 0, 1}, 0},
                                        {{0, 0, -1.2f}, {0, 0, -1.2f}, 1},
                                        {{0, -1.4f, 0}, {0, -1.4f, 0}, 2}};
    const lmbi_bones bones = {.count = 3, .items = (lmbi_bone_segment *)(uintptr_t)items};
    const lmb_surface_part part = {
        .positions = positions, .vertex_count = 3, .indices = indices, .index_count = 3};
    const lmb_weights_opts opts = {.method = LMB_WEIGHTS_NEAREST, .influences = 2, .soft = true};
    lmb_surface *surface = NULL;
    lmb_weights *w = NULL;
    assert_int_equal(lmb_surface_create(&part, 1, NULL, NULL, &surface, NULL), LMB_OK);
    assert_int_equal(lmbi_weights_create(surface, &bones, &opts, NULL, &w, NULL, NULL), LMB_OK);
    const double w1 = 1, w2 = pow(1.2, -4), w3 = pow(1.4, -4);
    const double want = (w1 - w3) / (w1 + w2 - 2 * w3);
    assert_int_equal(w->influences.first[1], 2);
    assert_int_equal(w->influences.items[0].joint, 0);
    assert_true(fabs((double)w->influences.items[0].weight - want) < 1e-4);
    assert_true(fabs((double)w->influences.items[1].weight - (1 - want)) < 1e-4);
    lmb_weights_destroy(w);
    lmb_surface_destroy(surface);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_dropped_is_taken_from_what_stays),
        cmocka_unit_test(tube_has_the_closed_form),
        cmocka_unit_test(a_leaning_vertex_heeds_its_ring),
        cmocka_unit_test(a_vertex_cut_off_on_all_sides_is_no_zero_pivot),
        cmocka_unit_test(dome_agrees_with_a_dense_solve),
        cmocka_unit_test(scale_does_not_matter),
        cmocka_unit_test(layers_and_trinkets_get_weights),
        cmocka_unit_test(a_plate_is_rigid),
        cmocka_unit_test(a_flank_is_the_trunks),
        cmocka_unit_test(a_bone_in_front_of_the_skin_is_not_seen),
        cmocka_unit_test(a_thick_end_reaches_farther),
        cmocka_unit_test(a_thick_end_does_not_reach_past_its_own_skin),
        cmocka_unit_test(a_chin_is_the_heads_in_the_volume_too),
        cmocka_unit_test(a_heel_is_the_foots),
        cmocka_unit_test(nothing_is_left_without_weight),
        cmocka_unit_test(the_limit_is_kept_and_its_error_reported),
        cmocka_unit_test(workers_do_not_change_a_bit),
        cmocka_unit_test(a_caller_can_cancel),
        cmocka_unit_test(wrong_calls_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
