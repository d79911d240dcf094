// Triangulates the fields: extracts finely, drops hidden pieces, simplifies to the requested count
// and projects.
#include "bodies/mesh.h"
#include "geometry/geometry.h"
#include "geometry/iso.h"
#include "geometry/surface_math.h"

#include "base/alloc.h"
#include "base/error.h"

#include <math.h>
#include <string.h>

// Lattice steps that resolve a finger, in body heights.
static const float FINE_STEP = 0.0033f, PROBE_STEP = 0.02f;

static lmbi_iso_job shell_job(const lmbi_implicit *field, float step, unsigned rounds,
                              const lmb_jobs *jobs)
{
    const lmbi_iso_job job = {.value = lmbi_implicit_value,
                              .context = field,
                              .box = field->box,
                              .step = step,
                              .slope = LMBI_FIELD_SLOPE,
                              .rounds = rounds,
                              .jobs = jobs};
    return job;
}

static void free_surfaces(lmb_surface **surfaces, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) {
        lmb_surface_destroy(surfaces[i]);
        surfaces[i] = NULL;
    }
}

static lmb_result extract_shells(const lmbi_plan *plan, float step, unsigned rounds,
                                 const lmb_jobs *jobs, lmb_surface **out, lmb_error *error)
{
    for (uint32_t i = 0; i < plan->shell_count; ++i) {
        const lmbi_iso_job job = shell_job(&plan->shells[i].field, step, rounds, jobs);
        const lmb_result result = lmbi_iso_surface(&job, plan->alloc, &out[i], error);
        if (result != LMB_OK) {
            free_surfaces(out, i);
            return result;
        }
    }
    return LMB_OK;
}

// Six times the signed volume between a triangle and the origin.
static double triangle_volume(const lmb_surface *s, uint32_t t)
{
    const uint32_t *i = &s->triangles[3 * (size_t)t];
    return (double)lmb_vec3_dot(s->positions[i[0]],
                                lmb_vec3_cross(s->positions[i[1]], s->positions[i[2]]));
}

// Marks the pieces to keep: drops cavities, which are inside out, and tiny fragments.
static lmb_result mark_kept_pieces(const lmb_surface *s, const lmb_allocator *alloc,
                                   uint32_t *piece, bool **out_keep, lmb_error *error)
{
    uint32_t count = 0;
    lmb_result result = lmb_surface_components(s, alloc, piece, &count, error);
    if (result != LMB_OK) {
        return result;
    }
    double *volumes = lmbi_alloc_array(alloc, count, sizeof *volumes);
    bool *keep = lmbi_alloc_array(alloc, count, sizeof *keep);
    if (volumes == NULL || keep == NULL) {
        lmbi_free(alloc, volumes);
        lmbi_free(alloc, keep);
        return lmbi_fail_memory(error);
    }
    double largest = 0.0;
    for (uint32_t t = 0; t < s->triangle_count; ++t) {
        volumes[piece[s->triangles[3 * (size_t)t]]] += triangle_volume(s, t);
    }
    for (uint32_t k = 0; k < count; ++k) {
        largest = volumes[k] > largest ? volumes[k] : largest;
    }
    for (uint32_t k = 0; k < count; ++k) {
        keep[k] = volumes[k] > 0.1 * largest;
    }
    lmbi_free(alloc, volumes);
    *out_keep = keep;
    return LMB_OK;
}

// Appends the kept pieces of one shell to the mesh; only counts them while the mesh has no arrays.
static void append_pieces(lmbi_body_mesh *mesh, const lmb_surface *s, uint8_t shell,
                          const uint32_t *piece, const bool *keep, uint32_t *place,
                          uint32_t *vertices, uint32_t *triangles)
{
    for (uint32_t v = 0; v < s->vertex_count; ++v) {
        if (keep[piece[v]]) {
            if (mesh->shell != NULL) {
                mesh->surface.positions[*vertices] = s->positions[v];
                mesh->shell[*vertices] = shell;
            }
            place[v] = (*vertices)++;
        }
    }
    for (uint32_t t = 0; t < s->triangle_count; ++t) {
        const uint32_t *i = &s->triangles[3 * (size_t)t];
        if (keep[piece[i[0]]]) {
            for (int k = 0; k < 3 && mesh->shell != NULL; ++k) {
                mesh->surface.triangles[3 * (size_t)*triangles + (size_t)k] = place[i[k]];
            }
            ++*triangles;
        }
    }
}

bool lmbi_body_mesh_room(lmbi_body_mesh *mesh, uint32_t vertex_count, uint32_t triangle_count)
{
    lmb_surface *s = &mesh->surface;
    void *positions =
        lmbi_resize(mesh->alloc, s->positions, lmbi_size_mul(vertex_count, sizeof *s->positions));
    s->positions = positions != NULL ? positions : s->positions;
    void *triangles = lmbi_resize(mesh->alloc, s->triangles,
                                  lmbi_size_mul(triangle_count, 3 * sizeof *s->triangles));
    s->triangles = triangles != NULL ? triangles : s->triangles;
    void *shell = lmbi_resize(mesh->alloc, mesh->shell, vertex_count + 1u);
    mesh->shell = shell != NULL ? shell : mesh->shell;
    void *materials = lmbi_resize(mesh->alloc, mesh->materials,
                                  lmbi_size_mul(triangle_count, sizeof *mesh->materials));
    mesh->materials = materials != NULL ? materials : mesh->materials;
    if (positions == NULL || triangles == NULL || shell == NULL || materials == NULL) {
        return false;
    }
    s->vertex_count = vertex_count;
    s->triangle_count = triangle_count;
    return true;
}

static lmb_result join_shells(const lmbi_plan *plan, lmb_surface *const *shells,
                              lmbi_body_mesh *mesh, lmb_error *error)
{
    const lmb_allocator *alloc = plan->alloc;
    uint32_t *piece[LMBI_SHELLS] = {0}, *place[LMBI_SHELLS] = {0};
    bool *keep[LMBI_SHELLS] = {0};
    uint32_t vertices = 0, triangles = 0;
    lmb_result result = LMB_OK;
    for (uint32_t i = 0; i < plan->shell_count && result == LMB_OK; ++i) {
        piece[i] = lmbi_alloc_array(alloc, shells[i]->vertex_count, sizeof **piece);
        place[i] = lmbi_alloc_array(alloc, shells[i]->vertex_count, sizeof **place);
        result = piece[i] == NULL || place[i] == NULL
                     ? lmbi_fail_memory(error)
                     : mark_kept_pieces(shells[i], alloc, piece[i], &keep[i], error);
        if (result == LMB_OK) {
            append_pieces(mesh, shells[i], (uint8_t)i, piece[i], keep[i], place[i], &vertices,
                          &triangles);
        }
    }
    if (result == LMB_OK) {
        result = lmbi_body_mesh_room(mesh, vertices, triangles) ? LMB_OK : lmbi_fail_memory(error);
    }
    vertices = triangles = 0;
    for (uint32_t i = 0; i < plan->shell_count; ++i) {
        if (result == LMB_OK) {
            append_pieces(mesh, shells[i], (uint8_t)i, piece[i], keep[i], place[i], &vertices,
                          &triangles);
        }
        lmbi_free(alloc, piece[i]);
        lmbi_free(alloc, place[i]);
        lmbi_free(alloc, keep[i]);
    }
    return result;
}

static float detail_at(const lmbi_implicit *field, lmb_vec3 p)
{
    uint32_t count;
    const uint16_t *near = lmbi_implicit_near(field, p, &count);
    float best = 1e9f, detail = 1.0f;
    for (uint32_t i = 0; i < count; ++i) {
        const lmbi_lump *l = &field->lumps[near[i]];
        const float d = fabsf(lmbi_lump_distance(l, p));
        if (d < best) {
            best = d;
            detail = l->detail;
        }
    }
    return detail;
}

// Smooths the sizes, so that triangles grow gradually.
static void smooth_sizes(const lmb_surface *s, float *sizes)
{
    for (int round = 0; round < 6; ++round) {
        for (uint32_t t = 0; t < s->triangle_count; ++t) {
            const uint32_t *i = &s->triangles[3 * (size_t)t];
            const float low = fminf(sizes[i[0]], fminf(sizes[i[1]], sizes[i[2]]));
            for (int k = 0; k < 3; ++k) {
                sizes[i[k]] = fminf(sizes[i[k]], low * 1.02f);
            }
        }
    }
}

static lmb_result simplify(const lmbi_plan *plan, lmbi_body_mesh *mesh, uint32_t triangle_count,
                           lmb_error *error)
{
    const lmb_surface *s = &mesh->surface;
    float *sizes = lmbi_alloc_array(plan->alloc, s->vertex_count, sizeof *sizes);
    uint32_t *source = lmbi_alloc_array(plan->alloc, s->vertex_count, sizeof *source);
    lmb_surface *fewer = NULL;
    lmb_result result = LMB_ERROR_MEMORY;
    if (sizes != NULL && source != NULL) {
        for (uint32_t v = 0; v < s->vertex_count; ++v) {
            sizes[v] = detail_at(&plan->shells[mesh->shell[v]].field, s->positions[v]);
        }
        smooth_sizes(s, sizes);
        const lmbi_decimate_opts opts = {.triangle_count = triangle_count, .sizes = sizes};
        result = lmbi_surface_decimate(s, &opts, plan->alloc, &fewer, source, error);
    }
    if (result == LMB_OK) {
        for (uint32_t v = 0; v < fewer->vertex_count; ++v) {
            mesh->shell[v] = mesh->shell[source[v]]; // sources are ascending
        }
        memcpy(s->positions, fewer->positions, fewer->vertex_count * sizeof *s->positions);
        memcpy(s->triangles, fewer->triangles,
               3 * (size_t)fewer->triangle_count * sizeof *s->triangles);
        mesh->surface.vertex_count = fewer->vertex_count;
        mesh->surface.triangle_count = fewer->triangle_count;
        lmb_surface_destroy(fewer);
    }
    lmbi_free(plan->alloc, sizes);
    lmbi_free(plan->alloc, source);
    return result == LMB_ERROR_MEMORY ? lmbi_fail_memory(error) : result;
}

float lmbi_body_mesh_edge(const lmb_surface *s)
{
    double sum = 0.0;
    for (uint32_t t = 0; t < s->triangle_count; ++t) {
        const uint32_t *i = &s->triangles[3 * (size_t)t];
        sum += (double)lmb_vec3_distance(s->positions[i[0]], s->positions[i[1]]);
    }
    return s->triangle_count > 0 ? (float)(sum / (double)s->triangle_count) : 0.0f;
}

void lmbi_body_mesh_project(const lmbi_plan *plan, const lmbi_body_mesh *mesh, float step,
                            const lmb_jobs *jobs)
{
    const lmb_surface *s = &mesh->surface;
    for (uint32_t v = 0; v < s->vertex_count;) {
        uint32_t end = v; // shells are runs of vertices
        while (end < s->vertex_count && mesh->shell[end] == mesh->shell[v]) {
            ++end;
        }
        if (mesh->shell[v] < LMBI_EYE_SHELL) {
            const lmbi_iso_job job = shell_job(&plan->shells[mesh->shell[v]].field, step, 0, jobs);
            lmbi_iso_project(&job, s->positions + v, end - v);
        }
        v = end;
    }
}

// The field's normals do not depend on the triangles, but in a crease neighbouring vertices fall on
// different sides of it; there the mean of the face normals is more stable.
static void use_face_normals(const lmb_vec3 *faces, uint32_t begin, uint32_t end, lmb_vec3 *normals)
{
    for (uint32_t v = begin; v < end; ++v) {
        if (lmb_vec3_dot(faces[v], normals[v]) < 0.85f) {
            normals[v] = faces[v];
        }
    }
}

static void compute_shell_normals(const lmbi_plan *plan, const lmbi_body_mesh *mesh, uint32_t begin,
                                  uint32_t end, const lmb_vec3 *faces, const lmb_jobs *jobs)
{
    const unsigned shell = mesh->shell[begin];
    const lmb_vec3 *positions = mesh->surface.positions;
    if (shell >= LMBI_EYE_SHELL) {
        for (uint32_t v = begin; v < end; ++v) {
            mesh->normals[v] = lmb_vec3_normalize_or(
                lmb_vec3_sub(positions[v], plan->eyes[shell - LMBI_EYE_SHELL].at),
                lmb_vec3_make(0, 1, 0));
        }
        return;
    }
    const lmbi_iso_job job =
        shell_job(&plan->shells[shell].field, 6.0f * lmbi_body_mesh_edge(&mesh->surface), 0, jobs);
    lmbi_iso_normals(&job, positions + begin, end - begin, mesh->normals + begin);
    use_face_normals(faces, begin, end, mesh->normals);
}

lmb_result lmbi_body_mesh_normals(const lmbi_plan *plan, lmbi_body_mesh *mesh, const lmb_jobs *jobs,
                                  lmb_error *error)
{
    const uint32_t n = mesh->surface.vertex_count;
    mesh->normals = lmbi_alloc_array(plan->alloc, n, sizeof *mesh->normals);
    lmb_vec3 *faces = lmbi_alloc_array(plan->alloc, n, sizeof *faces);
    if (mesh->normals == NULL || faces == NULL) {
        lmbi_free(plan->alloc, faces);
        return lmbi_fail_memory(error);
    }
    lmbi_surface_vertex_normals(&mesh->surface, faces);
    for (uint32_t v = 0; v < n;) {
        uint32_t end = v; // shells are runs of vertices
        while (end < n && mesh->shell[end] == mesh->shell[v]) {
            ++end;
        }
        compute_shell_normals(plan, mesh, v, end, faces, jobs);
        v = end;
    }
    lmbi_free(plan->alloc, faces);
    return LMB_OK;
}

static lmb_result relax_and_project(const lmbi_plan *plan, lmbi_body_mesh *mesh, int rounds,
                                    const lmb_jobs *jobs, lmb_error *error)
{
    const lmb_surface *s = &mesh->surface;
    lmb_vec3 *sum = lmbi_alloc_array(plan->alloc, s->vertex_count, sizeof *sum);
    float *weight = lmbi_alloc_array(plan->alloc, s->vertex_count, sizeof *weight);
    const float step = 0.3f * lmbi_body_mesh_edge(s);
    const bool ok = sum != NULL && weight != NULL;
    for (int r = 0; ok && r < rounds; ++r) {
        memset(sum, 0, s->vertex_count * sizeof *sum);
        memset(weight, 0, s->vertex_count * sizeof *weight);
        for (uint32_t t = 0; t < s->triangle_count; ++t) {
            const uint32_t *i = &s->triangles[3 * (size_t)t];
            const lmb_vec3 centre =
                lmb_vec3_scale(lmb_vec3_add(lmb_vec3_add(s->positions[i[0]], s->positions[i[1]]),
                                            s->positions[i[2]]),
                               1.0f / 3.0f);
            for (int k = 0; k < 3; ++k) {
                sum[i[k]] = lmb_vec3_add(sum[i[k]], centre);
                weight[i[k]] += 1.0f;
            }
        }
        for (uint32_t v = 0; v < s->vertex_count; ++v) {
            s->positions[v] =
                lmb_vec3_lerp(s->positions[v], lmb_vec3_scale(sum[v], 1.0f / weight[v]), 0.5f);
        }
        lmbi_body_mesh_project(plan, mesh, step, jobs);
    }
    lmbi_free(plan->alloc, sum);
    lmbi_free(plan->alloc, weight);
    return ok ? LMB_OK : lmbi_fail_memory(error);
}

// Lattice step at which extraction alone gives about the requested count.
static lmb_result choose_step(const lmbi_plan *plan, uint32_t triangle_count, const lmb_jobs *jobs,
                              float *out, lmb_error *error)
{
    lmb_surface *shells[LMBI_SHELLS] = {0};
    const float probe = PROBE_STEP * plan->height;
    const lmb_result result = extract_shells(plan, probe, 0, jobs, shells, error);
    if (result != LMB_OK) {
        return result;
    }
    double count = 0.0;
    for (uint32_t i = 0; i < plan->shell_count; ++i) {
        count += (double)shells[i]->triangle_count;
    }
    free_surfaces(shells, plan->shell_count);
    *out = (float)((double)probe * sqrt(count / (double)triangle_count));
    return LMB_OK;
}

lmb_result lmbi_body_mesh_make(lmbi_plan *plan, uint32_t triangle_count, const lmb_jobs *jobs,
                               lmbi_body_mesh *mesh, lmb_error *error)
{
    memset(mesh, 0, sizeof *mesh);
    mesh->alloc = plan->alloc;
    for (uint32_t i = 0; i < plan->shell_count; ++i) {
        if (!lmbi_implicit_finish(&plan->shells[i].field)) {
            return lmbi_fail_memory(error);
        }
    }
    float step;
    lmb_result result = choose_step(plan, triangle_count, jobs, &step, error);
    if (result != LMB_OK) {
        return result;
    }
    const float fine = FINE_STEP * plan->height;
    const bool coarse = step > fine;
    lmb_surface *shells[LMBI_SHELLS] = {0};
    result =
        extract_shells(plan, coarse ? fine : step * 0.98f, coarse ? 0 : 2, jobs, shells, error);
    if (result != LMB_OK) {
        return result;
    }
    result = join_shells(plan, shells, mesh, error);
    free_surfaces(shells, plan->shell_count);
    if (result == LMB_OK && mesh->surface.triangle_count > triangle_count) {
        result = simplify(plan, mesh, triangle_count, error);
    }
    if (result == LMB_OK) {
        result = relax_and_project(plan, mesh, coarse ? 4 : 1, jobs, error);
    }
    if (result != LMB_OK) {
        lmbi_body_mesh_free(mesh);
    }
    return result;
}

void lmbi_body_mesh_free(lmbi_body_mesh *mesh)
{
    lmbi_free(mesh->alloc, mesh->surface.positions);
    lmbi_free(mesh->alloc, mesh->surface.triangles);
    lmbi_free(mesh->alloc, mesh->shell);
    lmbi_free(mesh->alloc, mesh->materials);
    lmbi_free(mesh->alloc, mesh->normals);
    memset(mesh, 0, sizeof *mesh);
}
