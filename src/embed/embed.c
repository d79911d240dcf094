/// lmb_embed: checks the mesh, removes the slab it stands on, and embeds the skeleton of the kind
/// that fits best, in the whole mesh or in its main body.
#include "base/alloc.h"
#include "base/error.h"
#include "embed/human/human.h"
#include "embed/kinds.h"
#include "embed/shape/shape.h"

#include <math.h>

static bool has_area(const lmbi_triangle_soup *soup, uint32_t triangle)
{
    const uint32_t *c = &soup->triangles[3 * triangle];
    const lmb_vec3 a = soup->positions[c[0]], b = soup->positions[c[1]], d = soup->positions[c[2]];
    const lmb_vec3 normal = lmb_vec3_cross(lmb_vec3_sub(b, a), lmb_vec3_sub(d, a));
    return normal.x != 0 || normal.y != 0 || normal.z != 0;
}

static lmb_result check_mesh(const lmbi_triangle_soup *soup, lmb_error *error)
{
    if (soup->triangle_count == 0 || soup->triangle_count > UINT32_MAX / 3) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a mesh with triangles", "%u triangles",
                         soup->triangle_count);
    }
    for (uint32_t c = 0; c < 3 * soup->triangle_count; ++c) {
        if (soup->triangles[c] >= soup->position_count) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "indices of positions", "index %u of %u",
                             soup->triangles[c], soup->position_count);
        }
        if (!lmb_vec3_is_finite(soup->positions[soup->triangles[c]])) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "finite positions", "position %u",
                             soup->triangles[c]);
        }
    }
    for (uint32_t t = 0; t < soup->triangle_count; ++t) {
        if (has_area(soup, t)) {
            return LMB_OK;
        }
    }
    return lmbi_fail(error, LMB_ERROR_INVALID, "triangles with an area", "%u without",
                     soup->triangle_count);
}

static lmb_result check_markers(const lmb_embed_opts *opts, lmb_error *error)
{
    for (uint32_t k = 0; k < opts->marker_count; ++k) {
        if (!lmb_vec3_is_finite(opts->markers[k].at)) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "markers at finite positions",
                             "marker %.40s", opts->markers[k].name);
        }
    }
    return LMB_OK;
}

// ---- the skeleton

/// A generic skeleton with more joints than this has limbs, so it is not replaced by a bust.
enum { MAX_BUST_JOINTS = 16 };

/// The skeleton of the best kind, or of the user's template. A bust replaces a generic skeleton, or none, where it fits.
static lmb_result embed_body(lmbi_embed_input *input, const lmb_embed_opts *opts,
                             lmb_embedding *out, lmb_error *error)
{
    if (opts->body_template) {
        return lmbi_embed_given(input, opts, out, error);
    }
    const lmb_result whole = lmbi_embed_kind(input, opts, out, error);
    const bool vague =
        whole == LMB_OK && out->kind == LMB_SKELETON_GENERIC && out->joint_count <= MAX_BUST_JOINTS;
    if ((whole != LMB_ERROR_UNSUPPORTED && !vague) || opts->kind != LMB_SKELETON_AUTO) {
        return whole;
    }
    lmb_embedding bust;
    const lmb_result result = lmbi_embed_bust(&input->whole, opts, &bust);
    if (result == LMB_ERROR_MEMORY) {
        return lmbi_fail_memory(error);
    }
    if (result == LMB_OK) {
        *out = bust;
    }
    return result == LMB_OK ? LMB_OK : whole;
}

/// Finds the bones of a human, whose joints bear VRM's names.
static void find_human_bones(lmb_embedding *e)
{
    for (uint32_t k = 0; k < LMB_HUMAN_BONE_COUNT; ++k) {
        e->human[k] = LMB_NONE;
    }
    for (uint32_t j = 0; e->kind == LMB_SKELETON_HUMAN && j < e->joint_count; ++j) {
        const lmb_human_bone bone = lmb_human_bone_find(e->names[j]);
        if (bone < LMB_HUMAN_BONE_COUNT) {
            e->human[bone] = (int32_t)j;
        }
    }
}

/// The skeleton with the chains that are asked for, its joints at their markers.
static lmb_result embed_all(lmbi_embed_input *input, const lmb_embed_opts *opts, lmb_embedding *out,
                            lmb_error *error)
{
    lmb_result result = embed_body(input, opts, out, error);
    if (result == LMB_OK) {
        // A human was doubted where it was found, which may be without what it holds.
        if (opts->kind == LMB_SKELETON_AUTO && opts->marker_count == 0 &&
            out->kind != LMB_SKELETON_HUMAN) {
            lmbi_doubt_uncovered(&input->soup, out);
        }
        result = lmbi_extra_chains_add(&input->whole, opts, out, error);
    }
    if (result == LMB_OK) {
        result = lmbi_markers_apply(opts->markers, opts->marker_count, out, error);
    }
    return result;
}

lmb_result lmb_embed(const lmb_vec3 *positions, uint32_t position_count, const uint32_t *triangles,
                     uint32_t triangle_count, const lmb_embed_opts *opts,
                     const lmb_allocator *alloc, lmb_embedding *out, lmb_error *error)
{
    static const lmb_embed_opts defaults;
    const lmbi_triangle_soup soup = {positions, position_count, triangles, triangle_count};
    opts = opts ? opts : &defaults;
    lmb_result result = check_mesh(&soup, error);
    if (result == LMB_OK) {
        result = check_markers(opts, error);
    }
    if (result != LMB_OK) {
        return result;
    }
    lmbi_embed_input input;
    lmb_embedding made;
    result = lmbi_embed_input_create(&soup, alloc, &input, error);
    if (result == LMB_OK) {
        result = embed_all(&input, opts, &made, error);
    }
    if (result == LMB_OK) {
        *out = made;
        find_human_bones(out);
    }
    lmbi_embed_input_destroy(&input);
    return result;
}
