/// Linear blend skinning with normals that account for the gradients of the weights.
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/block.h"
#include "base/error.h"
#include "geometry/adjacency.h"
#include "skin/binding.h"
#include "skin/points.h"
#include "skin/skin.h"

typedef struct lmbi_gradient_item {
    uint32_t joint;
    float weight;
    lmb_vec3 gradient; ///< of the weight along the surface; gradients of a row sum to zero
} lmbi_gradient_item;

struct lmb_gradients {
    uint32_t vertex_count;
    uint32_t *first; ///< [vertex_count] first item of the vertex's point
    uint32_t *last;
    lmbi_gradient_item *items;
    lmb_vec3 *positions, *normals; ///< the rest mesh; NULL if it has none
    lmb_vec4 *tangents;
    lmb_allocator allocator;
};

// ----------------------------------------------------------------------------------- gradients

typedef struct finder {
    const lmb_mesh *mesh;
    lmbi_points points;
    lmbi_adjacency *adjacency;
    lmbi_arena arena;
    // Scratch of the current point, [joint_count]:
    double (*sums)[3];
    float *weights;
    uint8_t *is_listed;
    uint32_t *listed; ///< joints of the point, in order of discovery
    uint32_t listed_count;
    lmbi_gradient_item *items;
    size_t item_count, item_room;
    uint32_t *point_first; ///< [point_count + 1]
} finder;

static void list_joint(finder *f, uint32_t joint)
{
    if (!f->is_listed[joint]) {
        f->is_listed[joint] = 1;
        f->listed[f->listed_count++] = joint;
        f->weights[joint] = 0;
        memset(f->sums[joint], 0, sizeof(f->sums[joint]));
    }
}

/// Adds area times the gradient in a triangle: the sum over its corners of weight times n x
/// (opposite edge) / 2. Adds to the normal and returns the area.
static double add_triangle(finder *f, uint32_t triangle, double normal[3])
{
    const uint32_t *c = f->points.surface->triangles + 3 * (size_t)triangle;
    const lmb_vec3 *p = f->points.surface->positions;
    const lmb_vec3 cross =
        lmb_vec3_cross(lmb_vec3_sub(p[c[1]], p[c[0]]), lmb_vec3_sub(p[c[2]], p[c[0]]));
    const float size = lmb_vec3_length(cross);
    if (!(size > 0)) {
        return 0;
    }
    const lmb_vec3 n = lmb_vec3_scale(cross, 1 / size);
    for (int k = 0; k < 3; ++k) {
        const lmb_vec3 edge = lmb_vec3_sub(p[c[(k + 2) % 3]], p[c[(k + 1) % 3]]);
        const lmb_vec3 height_direction = lmb_vec3_cross(n, edge);
        for (uint32_t i = f->points.first[c[k]]; i < f->points.first[c[k] + 1]; ++i) {
            const lmb_influence item = f->points.rows[i];
            list_joint(f, item.joint);
            double *sum = f->sums[item.joint];
            sum[0] += 0.5 * (double)item.weight * (double)height_direction.x;
            sum[1] += 0.5 * (double)item.weight * (double)height_direction.y;
            sum[2] += 0.5 * (double)item.weight * (double)height_direction.z;
        }
    }
    normal[0] += (double)cross.x;
    normal[1] += (double)cross.y;
    normal[2] += (double)cross.z;
    return 0.5 * (double)size;
}

/// Appends the point's row: the area-weighted mean gradient of its triangles, projected on the
/// plane of the mean normal.
static bool append_row(finder *f, double area, const double normal[3])
{
    const double square = normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2];
    for (uint32_t k = 0; k < f->listed_count; ++k) {
        const uint32_t joint = f->listed[k];
        void *grown = f->items;
        if (!lmbi_grow(f->arena.alloc, &grown, &f->item_room, f->item_count + 1,
                       sizeof(*f->items))) {
            return false;
        }
        f->items = grown;
        double *g = f->sums[joint];
        const double along =
            square > 0 ? (g[0] * normal[0] + g[1] * normal[1] + g[2] * normal[2]) / square : 0;
        const double inverse_area = area > 0 ? 1 / area : 0;
        f->items[f->item_count++] =
            (lmbi_gradient_item){joint, f->weights[joint],
                                 lmb_vec3_make((float)((g[0] - along * normal[0]) * inverse_area),
                                               (float)((g[1] - along * normal[1]) * inverse_area),
                                               (float)((g[2] - along * normal[2]) * inverse_area))};
        f->is_listed[joint] = 0;
    }
    f->listed_count = 0;
    return true;
}

static bool compute_point_gradients(finder *f, uint32_t point)
{
    double area = 0, normal[3] = {0};
    for (uint32_t i = f->points.first[point]; i < f->points.first[point + 1]; ++i) {
        list_joint(f, f->points.rows[i].joint);
        f->weights[f->points.rows[i].joint] = f->points.rows[i].weight;
    }
    for (uint32_t t = f->adjacency->vertex_first[point]; t < f->adjacency->vertex_first[point + 1];
         ++t) {
        area += add_triangle(f, f->adjacency->vertex_triangles[t], normal);
    }
    return append_row(f, area, normal);
}

static bool compute_gradients(finder *f)
{
    const uint32_t points = f->points.surface->vertex_count, joints = f->points.joint_count;
    f->sums = lmbi_arena_array(&f->arena, joints, sizeof(*f->sums));
    f->weights = lmbi_arena_array(&f->arena, joints, sizeof(*f->weights));
    f->is_listed = lmbi_arena_array(&f->arena, joints, sizeof(*f->is_listed));
    f->listed = lmbi_arena_array(&f->arena, joints, sizeof(*f->listed));
    f->point_first = lmbi_arena_array(&f->arena, (size_t)points + 1, sizeof(*f->point_first));
    if (!f->sums || !f->weights || !f->is_listed || !f->listed || !f->point_first) {
        return false;
    }
    for (uint32_t p = 0; p < points; ++p) {
        if (!compute_point_gradients(f, p) || f->item_count > UINT32_MAX) {
            return false;
        }
        f->point_first[p + 1] = (uint32_t)f->item_count;
    }
    return true;
}

static void *copy_gradients(lmbi_block *block, const void *definition)
{
    const lmb_gradients *made = definition;
    const uint32_t count = made->vertex_count;
    lmb_gradients parts = *made;
    lmb_gradients *to = lmbi_block_array(block, made, 1, sizeof(*made));
    size_t items = 0;
    for (uint32_t v = 0; v < count; ++v) {
        items = made->last[v] > items ? made->last[v] : items;
    }
    parts.first = lmbi_block_array(block, made->first, count, sizeof(*made->first));
    parts.last = lmbi_block_array(block, made->last, count, sizeof(*made->last));
    parts.items = lmbi_block_array(block, made->items, items, sizeof(*made->items));
    parts.positions = lmbi_block_array(block, made->positions, count, sizeof(lmb_vec3));
    parts.normals = lmbi_block_array(block, made->normals, count, sizeof(lmb_vec3));
    parts.tangents = lmbi_block_array(block, made->tangents, count, sizeof(lmb_vec4));
    if (to != NULL) {
        *to = parts;
    }
    return to;
}

static lmb_gradients *create_gradients(finder *f)
{
    const lmb_mesh *mesh = f->mesh;
    lmb_gradients made = {.vertex_count = mesh->vertex_count,
                          .items = f->items,
                          .positions = mesh->positions,
                          .normals = mesh->normals,
                          .tangents = mesh->tangents};
    made.first = lmbi_arena_array(&f->arena, mesh->vertex_count, sizeof(uint32_t));
    made.last = lmbi_arena_array(&f->arena, mesh->vertex_count, sizeof(uint32_t));
    if (!made.first || !made.last) {
        return NULL;
    }
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        const uint32_t point = f->points.surface->vertex_of[v];
        made.first[v] = f->point_first[point];
        made.last[v] = f->point_first[point + 1];
    }
    made.allocator = f->arena.alloc != NULL ? *f->arena.alloc : (lmb_allocator){0};
    return lmbi_block_build(copy_gradients, &made, f->arena.alloc);
}

lmb_result lmb_gradients_create(const lmb_mesh *mesh, const lmb_allocator *alloc,
                                lmb_gradients **out, lmb_error *error)
{
    finder f = {.mesh = mesh};
    lmb_gradients *made = NULL;
    lmbi_arena_init(&f.arena, alloc);
    lmb_result result = lmbi_check_deformable(mesh, error);
    if (result == LMB_OK) {
        result = lmbi_points_create(mesh, alloc, &f.points, error);
    }
    if (result == LMB_OK) {
        result = lmbi_adjacency_create(f.points.surface, alloc, &f.adjacency, error);
    }
    if (result == LMB_OK) {
        made = compute_gradients(&f) ? create_gradients(&f) : NULL;
        result = made != NULL ? LMB_OK : lmbi_fail_memory(error);
    }
    lmbi_adjacency_destroy(f.adjacency);
    lmbi_points_free(&f.points, alloc);
    lmbi_free(alloc, f.items);
    lmbi_arena_free(&f.arena);
    if (made != NULL) {
        *out = made;
    }
    return result;
}

void lmb_gradients_destroy(lmb_gradients *gradients)
{
    if (gradients != NULL) {
        const lmb_allocator alloc = gradients->allocator;
        lmbi_free(&alloc, gradients);
    }
}

// --------------------------------------------------------------------------------------- skinning

/// F = sum of w_j M_j + (T_j v) grad w_j^T: the deformation gradient of v' = sum of w_j(v) T_j v
/// along the surface.
static lmb_mat4 deformation(const lmb_gradients *g, const lmb_mat4 *palette, uint32_t vertex,
                            lmb_vec3 v)
{
    lmb_mat4 f = {{0}};
    for (uint32_t k = g->first[vertex]; k < g->last[vertex]; ++k) {
        const lmbi_gradient_item *item = &g->items[k];
        const lmb_mat4 *t = &palette[item->joint];
        const lmb_vec3 at = lmbi_point(t, v);
        const float slopes[3] = {item->gradient.x, item->gradient.y, item->gradient.z};
        for (int c = 0; c < 3; ++c) {
            f.m[4 * c] += item->weight * t->m[4 * c] + at.x * slopes[c];
            f.m[4 * c + 1] += item->weight * t->m[4 * c + 1] + at.y * slopes[c];
            f.m[4 * c + 2] += item->weight * t->m[4 * c + 2] + at.z * slopes[c];
        }
    }
    return f;
}

/// Normals by the cofactors of F. Where F inverts the surface, the sign of its determinant keeps
/// the normal's side.
static void store_directions(const lmb_skin_gradient_job *job, uint32_t v)
{
    const lmb_skin_job *skin = &job->skin;
    const lmb_gradients *g = job->gradients;
    const lmb_vec3 *positions = skin->positions != NULL ? skin->positions : g->positions;
    const lmb_vec3 *normals = skin->normals != NULL ? skin->normals : g->normals;
    const lmb_vec4 *tangents = skin->tangents != NULL ? skin->tangents : g->tangents;
    const lmb_mat4 f = deformation(g, skin->model_from_bind, v, positions[v]);
    const lmbi_normal_matrix cofactors = lmbi_normal_matrix_of(&f);
    lmb_vec3 normal = {0, 0, 0};
    if (normals != NULL) {
        normal = lmbi_normal(&cofactors, normals[v]);
    }
    if (tangents != NULL && skin->out_tangents != NULL) {
        const lmb_vec4 t = lmbi_tangent(&f, cofactors.sign, normal, tangents[v]);
        memcpy((uint8_t *)skin->out_tangents +
                   v * lmbi_stride_or(skin->tangent_stride, sizeof(lmb_vec4)),
               &t, sizeof(t));
    }
    if (normals != NULL && skin->out_normals != NULL) {
        memcpy((uint8_t *)skin->out_normals +
                   v * lmbi_stride_or(skin->normal_stride, sizeof(lmb_vec3)),
               &normal, sizeof(normal));
    }
}

static void skin_directions(void *context, size_t begin, size_t end)
{
    const lmb_skin_gradient_job *job = context;
    for (size_t v = begin; v < end; ++v) {
        store_directions(job, (uint32_t)v);
    }
}

void lmb_skin_gradient(const lmb_skin_gradient_job *job)
{
    lmb_skin_gradient_job copied = *job;
    if (job->skin.out_normals != NULL || job->skin.out_tangents != NULL) {
        lmb_parallel_for(job->skin.jobs, job->gradients->vertex_count, LMBI_SKIN_GRAIN,
                         skin_directions, &copied);
    }
    copied.skin.out_normals = NULL;
    copied.skin.out_tangents = NULL;
    lmb_skin_linear(&copied.skin);
}
