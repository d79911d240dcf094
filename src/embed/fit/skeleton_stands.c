/// Whether a skeleton already stands in a mesh, as one that was made for it does.
#include "base/alloc.h"
#include "base/error.h"
#include "embed/shape/shape.h"

#include "geometry/volume.h"
#include "limber/embed.h"

#include <math.h>

/// The least fraction of the bones that is inside; the least diagonal of the box of the joints, and
/// the largest distance of its middle from the mesh's, both in diagonals of the mesh.
static const float INSIDE = 0.97f, LARGE = 0.42f, APART = 0.25f;

static bool deforms_at(const uint8_t *deforms, uint32_t joint)
{
    return !deforms || deforms[joint];
}

/// Whether a voxel within two of p is solid.
static bool near_solid(const lmbi_voxel_body *body, lmb_vec3 p)
{
    const lmbi_grid *g = &body->grid;
    const int32_t i = (int32_t)floorf((p.x - g->low.x) / g->cell),
                  j = (int32_t)floorf((p.y - g->low.y) / g->cell),
                  k = (int32_t)floorf((p.z - g->low.z) / g->cell);
    for (int n = 0; n < 125; ++n) {
        const int32_t a = i + n % 5 - 2, b = j + n / 5 % 5 - 2, c = k + n / 25 - 2;
        if (a >= 0 && b >= 0 && c >= 0 && a < g->nx && b < g->ny && c < g->nz &&
            body->cells[lmbi_grid_index(g, a, b, c)]) {
            return true;
        }
    }
    return false;
}

static float fraction_inside(const lmbi_voxel_body *body, const lmb_skeleton *s,
                             const uint8_t *deforms, const lmb_mat4 *model)
{
    enum { STEPS = 6 };
    uint32_t count = 0, inside = 0;
    for (uint32_t j = 0; j < s->joint_count; ++j) {
        int32_t p = s->parents[j];
        while (p != LMB_NONE && !deforms_at(deforms, (uint32_t)p)) {
            p = s->parents[p];
        }
        if (!deforms_at(deforms, j)) {
            continue;
        }
        const lmb_vec3 to = lmb_mat4_translation(model[j]),
                       from = p == LMB_NONE ? to : lmb_mat4_translation(model[p]);
        for (int k = p == LMB_NONE ? STEPS : 1; k <= STEPS; ++k) {
            ++count;
            inside += near_solid(body, lmb_vec3_lerp(from, to, (float)k / STEPS));
        }
    }
    return count ? (float)inside / (float)count : 0;
}

/// Whether the joints are about as large as the mesh and in the same place.
static bool has_size_of_mesh(const lmb_box *mesh, const lmb_skeleton *s, const uint8_t *deforms,
                             const lmb_mat4 *model)
{
    lmb_box joints = lmb_box_empty();
    for (uint32_t j = 0; j < s->joint_count; ++j) {
        if (deforms_at(deforms, j)) {
            joints = lmb_box_add(joints, lmb_mat4_translation(model[j]));
        }
    }
    const float all = lmb_vec3_distance(mesh->low, mesh->high);
    const lmb_vec3 middle = lmb_vec3_lerp(mesh->low, mesh->high, 0.5f);
    return lmb_vec3_distance(joints.low, joints.high) >= LARGE * all &&
           lmb_vec3_distance(lmb_vec3_lerp(joints.low, joints.high, 0.5f), middle) <= APART * all;
}

static lmb_result stands_in(const lmb_skeleton *s, const uint8_t *deforms,
                            const lmb_surface *surface, const lmb_mat4 *model,
                            const lmb_allocator *alloc, bool *out, lmb_error *error)
{
    const lmbi_triangle_soup soup = {surface->positions, surface->vertex_count, surface->triangles,
                                     surface->triangle_count};
    const lmb_box box = lmb_box_of(surface->positions, surface->vertex_count);
    const lmb_vec3 size = lmb_vec3_sub(box.high, box.low);
    const float longest = fmaxf(size.x, fmaxf(size.y, size.z));
    if (surface->triangle_count == 0 || !(longest > 0) || !isfinite(longest)) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a mesh with an extent",
                         "%u triangles of extent %g", surface->triangle_count, (double)longest);
    }
    if (!has_size_of_mesh(&box, s, deforms, model)) {
        *out = false;
        return LMB_OK;
    }
    lmbi_voxel_body body;
    const lmb_result result =
        lmbi_body_create_in(&soup, box, longest / 100, 0, alloc, &body, error);
    if (result == LMB_OK) {
        *out = fraction_inside(&body, s, deforms, model) >= INSIDE;
        lmbi_body_destroy(&body);
    }
    return result;
}

lmb_result lmb_skeleton_fits_mesh(const lmb_skeleton *skeleton, const uint8_t *deforms,
                                  const lmb_surface *surface, const lmb_allocator *alloc, bool *out,
                                  lmb_error *error)
{
    lmb_mat4 *model = lmbi_alloc_array(alloc, skeleton->joint_count, sizeof *model);
    if (!model) {
        return lmbi_fail_memory(error);
    }
    lmb_pose_to_model(&(lmb_pose_to_model_job){.skeleton = skeleton, .model_from_joint = model});
    const lmb_result result = stands_in(skeleton, deforms, surface, model, alloc, out, error);
    lmbi_free(alloc, model);
    return result;
}
