/// Reach factors of bones: leaf bones, and bones above a sharp bend.
#include "rig/heat_near.h"

#include <math.h>

#include "base/alloc.h"
#include "base/error.h"
#include "rig/rig.h"

/// Vertices sampled to measure a bone's thickness, and the least number per bone.
enum { SAMPLES = 8192, FEWEST = 4 };
/// Ratios of thickness below this count as equal.
static const double THICKER = 1.15;
/// Cosine of a sharp bend, 70 degrees, and the factor of the upper bone's distance past its tail.
/// There both bones are equally near.
static const float SHARP = 0.35f, BEYOND = 1.02f;

/// Mean distance from each bone to the vertices nearest to it.
static void measure_thickness(const lmbi_heat *heat, double *sums, double *counts)
{
    const uint32_t n = heat->surface->vertex_count, stride = 1 + n / SAMPLES;
    for (uint32_t v = 0; v < n; v += stride) {
        uint32_t nearest = 0;
        float best = INFINITY;
        lmb_vec3 at;
        for (uint32_t b = 0; b < heat->bones->count; ++b) {
            const float d =
                lmbi_bone_distance(&heat->bones->items[b], heat->surface->positions[v], &at);
            nearest = d < best ? b : nearest;
            best = d < best ? d : best;
        }
        sums[nearest] += (double)best;
        counts[nearest] += 1;
    }
}

/// The bone that ends where a leaf's begins. The leaf itself if it continues or has no bone above.
static uint32_t find_bone_above(const lmbi_heat *heat, uint32_t leaf)
{
    const lmbi_bone_segment *bones = heat->bones->items, *own = &bones[leaf];
    const float same = 1e-4f * heat->size;
    uint32_t above = leaf;
    for (uint32_t b = 0; b < heat->bones->count; ++b) {
        if (b != leaf && lmb_vec3_distance(bones[b].head, own->tail) <= same) {
            return leaf;
        }
        if (bones[b].joint != own->joint && lmb_vec3_distance(bones[b].tail, own->head) <= same) {
            above = b;
        }
    }
    return above;
}

static lmb_vec3 direction_of(const lmbi_bone_segment *bone)
{
    return lmb_vec3_normalize_or(lmb_vec3_sub(bone->tail, bone->head), (lmb_vec3){0, 0, 0});
}

/// Whether a bone is its joint's only one and ends at another joint's bones, all of which bend by
/// more than SHARP: a shin above a foot.
static bool ends_in_a_sharp_bend(const lmbi_heat *heat, uint32_t upper)
{
    const lmbi_bone_segment *bones = heat->bones->items, *own = &bones[upper];
    const float same = 1e-4f * heat->size;
    bool bends = false;
    for (uint32_t b = 0; b < heat->bones->count; ++b) {
        if (b != upper && bones[b].joint == own->joint) {
            return false;
        }
        if (b != upper && lmb_vec3_distance(bones[b].head, own->tail) <= same) {
            bends = true;
            if (!(lmb_vec3_dot(direction_of(own), direction_of(&bones[b])) < SHARP)) {
                return false;
            }
        }
    }
    return bends;
}

/// Gives the outside of a sharp bend, such as a heel, to the lower bone.
static bool find_bends(lmbi_heat *heat)
{
    const uint32_t count = heat->bones->count;
    heat->beyond = lmbi_arena_array(&heat->arena, count, sizeof *heat->beyond);
    for (uint32_t b = 0; heat->beyond && b < count; ++b) {
        heat->beyond[b] = ends_in_a_sharp_bend(heat, b) ? BEYOND : 1;
    }
    return heat->beyond != NULL;
}

/// Scales distances to a leaf bone by its thickness relative to the bone above, to the power 3/4: a
/// chin is nearer to the neck, but belongs to the head.
lmb_result lmbi_heat_reach(lmbi_heat *heat, lmb_error *error)
{
    const uint32_t count = heat->bones->count;
    double *sums = lmbi_alloc_array(heat->alloc, count, 2 * sizeof *sums);
    heat->reach = lmbi_arena_array(&heat->arena, count, sizeof *heat->reach);
    heat->thickness = lmbi_arena_array(&heat->arena, count, sizeof *heat->thickness);
    if (!sums || !heat->reach || !heat->thickness || !find_bends(heat)) {
        lmbi_free(heat->alloc, sums);
        return lmbi_fail_memory(error);
    }
    for (uint32_t b = 0; b < count; ++b) {
        heat->reach[b] = 1;
    }
    double *counts = sums + count;
    measure_thickness(heat, sums, counts);
    for (uint32_t b = 0; b < count; ++b) {
        const uint32_t above = find_bone_above(heat, b);
        heat->thickness[b] = counts[b] > 0 ? (float)(sums[b] / counts[b]) : 0;
        if (above != b && counts[b] >= FEWEST && counts[above] > 0) {
            const double mine = sums[b] / counts[b], other = THICKER * sums[above] / counts[above];
            const double root = mine > other ? sqrt(other / mine) : 1;
            heat->reach[b] = root > 0 ? (float)(root * sqrt(root)) : 1.0f;
        }
    }
    lmbi_free(heat->alloc, sums);
    return LMB_OK;
}
