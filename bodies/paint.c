// Assigns materials by lump, smooths the borders between materials, and adds eyeballs.
#include "bodies/mesh.h"

#include "base/alloc.h"
#include "base/error.h"
#include "geometry/adjacency.h"

// Material at a point: finds the group whose surface is here, and in it the last lump that
// protrudes from the earlier ones.
static uint16_t material_at(const lmbi_implicit *field, lmb_vec3 p)
{
    uint32_t count;
    const uint16_t *near = lmbi_implicit_near(field, p, &count);
    float best = 1e9f;
    uint16_t material = 0;
    for (uint32_t i = 0; i < count;) {
        const uint16_t group = field->lumps[near[i]].group;
        float sum = 1e9f;
        uint16_t own = 0;
        for (; i < count && field->lumps[near[i]].group == group; ++i) {
            const lmbi_lump *l = &field->lumps[near[i]];
            const float d = lmbi_lump_distance(l, p);
            if (!l->carve && d < sum) {
                own = l->material;
            }
            sum = lmbi_implicit_blend(l, sum, d);
        }
        if (sum < best) {
            best = sum;
            material = own;
        }
    }
    return material;
}

static lmb_vec3 centre_of(const lmb_surface *s, uint32_t t)
{
    const uint32_t *i = &s->triangles[3 * (size_t)t];
    return lmb_vec3_scale(
        lmb_vec3_add(lmb_vec3_add(s->positions[i[0]], s->positions[i[1]]), s->positions[i[2]]),
        1.0f / 3.0f);
}

static uint32_t neighbour_across(const lmbi_adjacency *a, uint32_t t, uint32_t k)
{
    const uint32_t *pair = &a->edge_triangles[a->edge_first[a->corner_edge[3 * (size_t)t + k]]];
    return pair[0] == t ? pair[1] : pair[0];
}

// Gives a triangle the material of two neighbours that agree.
static void remove_teeth(const lmb_surface *s, const lmbi_adjacency *a, uint16_t *materials)
{
    for (int round = 0; round < 4; ++round) {
        for (uint32_t t = 0; t < s->triangle_count; ++t) {
            const uint16_t m[3] = {materials[neighbour_across(a, t, 0)],
                                   materials[neighbour_across(a, t, 1)],
                                   materials[neighbour_across(a, t, 2)]};
            const uint16_t two = m[0] == m[1] || m[0] == m[2] ? m[0] : m[1];
            if ((m[0] == two) + (m[1] == two) + (m[2] == two) >= 2) {
                materials[t] = two;
            }
        }
    }
}

typedef struct {
    lmb_vec3 sum;
    uint32_t count;
} line_point;

// Moves vertices on a border between two materials towards the midpoint of their two neighbours on
// it.
static void smooth_borders(const lmb_surface *s, const lmbi_adjacency *a, const uint16_t *materials,
                           line_point *points)
{
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        points[v].sum = lmb_vec3_make(0, 0, 0);
        points[v].count = 0;
    }
    for (uint32_t e = 0; e < a->edge_count; ++e) {
        const uint32_t *pair = &a->edge_triangles[a->edge_first[e]];
        if (materials[pair[0]] == materials[pair[1]]) {
            continue;
        }
        for (int k = 0; k < 2; ++k) {
            line_point *p = &points[a->edges[2 * (size_t)e + (size_t)k]];
            p->sum = lmb_vec3_add(p->sum, s->positions[a->edges[2 * (size_t)e + (size_t)(1 - k)]]);
            ++p->count;
        }
    }
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        if (points[v].count == 2) {
            s->positions[v] =
                lmb_vec3_lerp(s->positions[v], lmb_vec3_scale(points[v].sum, 0.5f), 0.4f);
        }
    }
}

lmb_result lmbi_body_mesh_paint(const lmbi_plan *plan, lmbi_body_mesh *mesh, const lmb_jobs *jobs,
                                lmb_error *error)
{
    const lmb_surface *s = &mesh->surface;
    lmbi_adjacency *a = NULL;
    lmb_result result = lmbi_adjacency_create(s, plan->alloc, &a, error);
    if (result != LMB_OK) {
        return result;
    }
    line_point *points = lmbi_alloc_array(plan->alloc, s->vertex_count, sizeof *points);
    if (points == NULL) {
        lmbi_adjacency_destroy(a);
        return lmbi_fail_memory(error);
    }
    for (uint32_t t = 0; t < s->triangle_count; ++t) {
        mesh->materials[t] = material_at(
            &plan->shells[mesh->shell[s->triangles[3 * (size_t)t]]].field, centre_of(s, t));
    }
    remove_teeth(s, a, mesh->materials);
    const float step = 0.3f * lmbi_body_mesh_edge(s);
    for (int round = 0; round < 3; ++round) {
        smooth_borders(s, a, mesh->materials, points);
        lmbi_body_mesh_project(plan, mesh, step, jobs);
    }
    lmbi_free(plan->alloc, points);
    lmbi_adjacency_destroy(a);
    return LMB_OK;
}

// Angle of a ring about the gaze; rings are dense where iris and pupil end.
static float ring_angle(const lmbi_eye *e, uint32_t ring, uint32_t rings)
{
    const uint32_t in_pupil = rings / 5 + 1, in_iris = 2 * (rings / 5) + 2;
    if (ring <= in_pupil) {
        return e->pupil_rad * (float)ring / (float)in_pupil;
    }
    if (ring <= in_iris) {
        return e->pupil_rad + (e->iris_rad - e->pupil_rad) * (float)(ring - in_pupil) /
                                  (float)(in_iris - in_pupil);
    }
    return e->iris_rad +
           (LMB_PI - e->iris_rad) * (float)(ring - in_iris) / (float)(rings - in_iris);
}

static void add_eye_triangle(lmbi_body_mesh *mesh, uint32_t *t, uint32_t a, uint32_t b, uint32_t c,
                             uint16_t material)
{
    uint32_t *i = &mesh->surface.triangles[3 * (size_t)*t];
    i[0] = a;
    i[1] = b;
    i[2] = c;
    mesh->materials[(*t)++] = material;
}

static void add_eye(const lmbi_plan *plan, uint32_t index, lmbi_body_mesh *mesh, uint32_t first,
                    uint32_t t, uint32_t segments, uint32_t rings)
{
    const lmbi_eye *e = &plan->eyes[index];
    const lmb_vec3 x = lmb_vec3_any_perpendicular(e->gaze), y = lmb_vec3_cross(e->gaze, x);
    const uint32_t last = first + (rings - 1) * segments + 1; // the pole at the back
    for (uint32_t v = first; v <= last; ++v) {
        const uint32_t ring = v == first ? 0 : v == last ? rings : (v - first - 1) / segments + 1;
        const float polar = ring_angle(e, ring, rings),
                    around = 2.0f * LMB_PI * (float)((v - first - 1) % segments) / (float)segments;
        const lmb_vec3 out = lmb_vec3_mad(lmb_vec3_scale(x, lmb_cos(around)), y, lmb_sin(around));
        const lmb_vec3 n = lmb_vec3_mad(lmb_vec3_scale(e->gaze, lmb_cos(polar)), out,
                                        ring == 0 || ring == rings ? 0.0f : lmb_sin(polar));
        mesh->surface.positions[v] = lmb_vec3_mad(e->at, n, e->radius);
        mesh->shell[v] = (uint8_t)(LMBI_EYE_SHELL + index);
    }
    for (uint32_t r = 0; r < rings; ++r) {
        const float mid = 0.5f * (ring_angle(e, r, rings) + ring_angle(e, r + 1, rings));
        const uint16_t material = mid < e->pupil_rad  ? plan->pupil
                                  : mid < e->iris_rad ? plan->iris
                                                      : plan->eye_white;
        for (uint32_t k = 0; k < segments; ++k) {
            const uint32_t k1 = (k + 1) % segments, low = first + 1 + (r - 1) * segments,
                           high = low + segments;
            if (r == 0) {
                add_eye_triangle(mesh, &t, first, first + 1 + k, first + 1 + k1, material);
            } else if (r + 1 == rings) {
                add_eye_triangle(mesh, &t, low + k, last, low + k1, material);
            } else {
                add_eye_triangle(mesh, &t, low + k, high + k, high + k1, material);
                add_eye_triangle(mesh, &t, low + k, high + k1, low + k1, material);
            }
        }
    }
}

lmb_result lmbi_body_mesh_eyes(const lmbi_plan *plan, lmbi_body_mesh *mesh, uint32_t segments,
                               lmb_error *error)
{
    const uint32_t rings = segments / 2 + 3;
    const uint32_t vertices = (rings - 1) * segments + 2, triangles = 2 * (rings - 1) * segments;
    const uint32_t v0 = mesh->surface.vertex_count, t0 = mesh->surface.triangle_count;
    if (!lmbi_body_mesh_room(mesh, v0 + plan->eye_count * vertices,
                             t0 + plan->eye_count * triangles)) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t k = 0; k < plan->eye_count; ++k) {
        add_eye(plan, k, mesh, v0 + k * vertices, t0 + k * triangles, segments, rings);
    }
    return LMB_OK;
}
