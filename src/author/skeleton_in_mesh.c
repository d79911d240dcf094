/// Whether a skeleton already stands in a mesh, as one that was made for it does.
#include "asset/tree.h"
#include "base/arena.h"
#include "base/error.h"
#include "limber/author.h"
#include "rig/solid.h"

#include <math.h>

/// The least fraction of the bones that is inside; the least diagonal of the box of the joints, and
/// the largest distance of its middle from the mesh's, both in diagonals of the mesh.
static const float INSIDE = 0.97f, LARGE = 0.42f, APART = 0.25f;

/// Whether a voxel no more than two from that at p is solid.
static bool is_near(const lmbi_solid *solid, lmb_vec3 p)
{
    enum { REACH = 2, SIDE = 2 * REACH + 1 };
    bool found = false;
    for (int n = 0; n < SIDE * SIDE * SIDE && !found; ++n) {
        const lmb_vec3 step = {(float)(n % SIDE - REACH), (float)(n / SIDE % SIDE - REACH),
                               (float)(n / SIDE / SIDE - REACH)};
        const lmb_vec3 at = lmb_vec3_mad(p, step, solid->grid.cell);
        found = solid->number[lmbi_grid_voxel_at(&solid->grid, at)] != UINT32_MAX;
    }
    return found;
}

static float fraction_inside(const lmbi_solid *solid, const lmb_skeleton *s, const uint8_t *deforms,
                             const lmb_transform *model)
{
    enum { STEPS = 6 };
    uint32_t count = 0, inside = 0;
    for (uint32_t j = 0; j < s->joint_count; ++j) {
        int32_t p = s->parents[j];
        while (p != LMB_NONE && deforms && !deforms[p]) {
            p = s->parents[p];
        }
        const lmb_vec3 to = model[j].translation, from = p == LMB_NONE ? to : model[p].translation;
        const int first = p == LMB_NONE ? STEPS : 1;
        for (int k = first; k <= STEPS && (!deforms || deforms[j]); ++k) {
            ++count;
            inside += is_near(solid, lmb_vec3_lerp(from, to, (float)k / STEPS));
        }
    }
    return count ? (float)inside / (float)count : 0;
}

/// Whether the joints are about as large as the mesh and in the same place.
static bool has_size_of_mesh(const lmb_box *mesh, const lmb_skeleton *s, const uint8_t *deforms,
                             const lmb_transform *model)
{
    lmb_box joints = lmb_box_empty();
    for (uint32_t j = 0; j < s->joint_count; ++j) {
        joints = deforms && !deforms[j] ? joints : lmb_box_add(joints, model[j].translation);
    }
    const float all = lmb_vec3_distance(mesh->low, mesh->high);
    const lmb_vec3 middle = lmb_vec3_lerp(mesh->low, mesh->high, 0.5f);
    return lmb_vec3_distance(joints.low, joints.high) >= LARGE * all &&
           lmb_vec3_distance(lmb_vec3_lerp(joints.low, joints.high, 0.5f), middle) <= APART * all;
}

lmb_result lmb_skeleton_fits_mesh(const lmb_skeleton *skeleton, const uint8_t *deforms,
                                  const lmb_surface *surface, const lmb_allocator *alloc, bool *out,
                                  lmb_error *error)
{
    enum { ACROSS = 100 };
    const lmb_box box = lmb_box_of(surface->positions, surface->vertex_count);
    lmbi_arena arena;
    lmbi_solid solid;
    lmbi_arena_init(&arena, alloc);
    lmb_transform *model = lmbi_arena_array(&arena, skeleton->joint_count, sizeof *model);
    const lmb_result result =
        model ? lmbi_solid_create(surface, ACROSS, UINT32_MAX, &arena, &solid, error)
              : lmbi_fail_memory(error);
    if (result == LMB_OK) {
        lmbi_rest_model(skeleton, model);
        *out = has_size_of_mesh(&box, skeleton, deforms, model) &&
               fraction_inside(&solid, skeleton, deforms, model) >= INSIDE;
    }
    lmbi_arena_free(&arena);
    return result;
}
