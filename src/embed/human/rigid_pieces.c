/// The joints of machines, dolls and toys: where the rigid pieces of one bone meet those of the next.
#include "base/arena.h"
#include "base/error.h"
#include "embed/human/human.h"
#include "geometry/tree.h"

#include <math.h>
#include <string.h>

/// The trunk, and a bone from each joint of the limbs on. The trunk is four segments, a bone of a limb is one.
enum { TRUNK, BONES = 1 + LMBI_LIMB_JOINTS, TRUNK_SEGMENTS = 4 };

/// A bone has pieces of its own if so much of their surface is nearest to it, and so much of what is nearest to it is
/// theirs. Clothes do not: trousers lie along two bones of each leg.
static const float OWN = 2.0f / 3;
/// In heights: how far apart points of the surface lie, up to where pieces touch, and how far from its middle a place
/// where they meet reaches in the mean.
static const float STEP = 0.01f, TOUCHES = 0.012f, WIDE = 0.05f;
/// Joints in a mesh of more samples stay where they are seen.
enum { MOST_STEPS = 16, MOST_SAMPLES = 1 << 20 };

const char lmbi_pieces_meet[] = "where the rigid pieces of two bones meet";

typedef struct bone {
    lmb_vec3 from, to;
} bone;

/// A point for a part of a triangle.
typedef struct sample {
    lmb_vec3 at;
    float area;
    uint32_t piece, nearest; ///< nearest: bone
} sample;

typedef struct figure {
    const lmb_vec3 *at; ///< [LMBI_BODY_JOINTS]
    lmb_surface *surface;
    uint32_t *piece_of; ///< [vertex_count]
    uint32_t *owner;    ///< [pieces] the bone that most of a piece is nearest to
    uint32_t piece_count;
    sample *samples;
    uint32_t sample_count;
    float own[BONES]; ///< what OWN is compared with
} figure;

// ---- bones

static lmb_vec3 limb_joint(const figure *f, int k)
{
    return f->at[lmbi_limb_joints[k]];
}

static lmb_vec3 middle_of(lmb_vec3 a, lmb_vec3 b)
{
    return lmb_vec3_lerp(a, b, 0.5f);
}

/// Where the bone from a joint ends. A hand goes on straight for half a forearm, a foot forward for half a shin.
static lmb_vec3 end_of_bone(const figure *f, int k)
{
    if (k % 3 < 2) {
        return limb_joint(f, k + 1);
    }
    const lmb_vec3 along = lmb_vec3_sub(limb_joint(f, k), limb_joint(f, k - 1));
    const lmb_vec3 forward = lmb_vec3_make(0, 0, lmb_vec3_length(along));
    return lmb_vec3_mad(limb_joint(f, k), k < 6 ? along : forward, 0.5f);
}

/// The trunk's segments and then the bones of limbs.
static void set_bones(const figure *f, bone out[TRUNK_SEGMENTS + LMBI_LIMB_JOINTS])
{
    const lmb_vec3 left = limb_joint(f, 0), right = limb_joint(f, 3), left_hip = limb_joint(f, 6),
                   right_hip = limb_joint(f, 9), shoulders = middle_of(left, right),
                   hips = middle_of(left_hip, right_hip);
    const float head = 0.6f; // of the trunk
    out[0] = (bone){hips, shoulders};
    out[1] = (bone){left, right};
    out[2] = (bone){left_hip, right_hip};
    out[3] = (bone){shoulders, lmb_vec3_mad(shoulders, lmb_vec3_sub(shoulders, hips), head)};
    for (int k = 0; k < LMBI_LIMB_JOINTS; ++k) {
        out[TRUNK_SEGMENTS + k] = (bone){limb_joint(f, k), end_of_bone(f, k)};
    }
}

static uint32_t nearest_bone(const bone bones[TRUNK_SEGMENTS + LMBI_LIMB_JOINTS], lmb_vec3 p)
{
    uint32_t nearest = 0;
    float least = INFINITY;
    for (uint32_t k = 0; k < TRUNK_SEGMENTS + LMBI_LIMB_JOINTS; ++k) {
        const float d = lmbi_segment_distance(p, bones[k].from, bones[k].to);
        nearest = d < least ? k : nearest;
        least = fminf(d, least);
    }
    return nearest < TRUNK_SEGMENTS ? TRUNK : nearest - TRUNK_SEGMENTS + 1;
}

// ---- the surface as points

static lmb_vec3 corner(const figure *f, uint32_t triangle, uint32_t k)
{
    return f->surface->positions[f->surface->triangles[3 * (size_t)triangle + k]];
}

/// Into how many parts each side of a triangle is cut.
static uint32_t steps_of(const figure *f, uint32_t t)
{
    const float longest = fmaxf(lmb_vec3_distance(corner(f, t, 0), corner(f, t, 1)),
                                fmaxf(lmb_vec3_distance(corner(f, t, 1), corner(f, t, 2)),
                                      lmb_vec3_distance(corner(f, t, 2), corner(f, t, 0))));
    return (uint32_t)fminf(fmaxf(ceilf(longest / STEP), 1), MOST_STEPS);
}

/// Adds the middles of the parts of a triangle.
static void add_samples(figure *f, uint32_t t)
{
    const lmb_vec3 a = corner(f, t, 0), ab = lmb_vec3_sub(corner(f, t, 1), a),
                   ac = lmb_vec3_sub(corner(f, t, 2), a);
    const uint32_t steps = steps_of(f, t),
                   piece = f->piece_of[f->surface->triangles[3 * (size_t)t]];
    const float part = 1 / (float)steps,
                area = 0.5f * lmb_vec3_length(lmb_vec3_cross(ab, ac)) * part * part;
    for (uint32_t n = 0; n < 2 * steps * steps; ++n) {
        const uint32_t i = n / 2 % steps, j = n / 2 / steps, turned = n % 2;
        if (i + j + turned < steps) {
            const float third = turned ? 2.0f / 3 : 1.0f / 3;
            const lmb_vec3 along = lmb_vec3_mad(a, ab, part * ((float)i + third));
            f->samples[f->sample_count++] =
                (sample){.at = lmb_vec3_mad(along, ac, part * ((float)j + third)),
                         .area = area,
                         .piece = piece};
        }
    }
}

static lmb_result find_samples(figure *f, lmbi_arena *arena, lmb_error *error)
{
    bone bones[TRUNK_SEGMENTS + LMBI_LIMB_JOINTS];
    size_t count = 0;
    for (uint32_t t = 0; t < f->surface->triangle_count; ++t) {
        count += (size_t)steps_of(f, t) * steps_of(f, t);
    }
    if (count > MOST_SAMPLES) {
        return LMB_OK; // no piece has an owner then
    }
    f->samples = lmbi_arena_array(arena, count, sizeof *f->samples);
    if (!f->samples) {
        return lmbi_fail_memory(error);
    }
    set_bones(f, bones);
    for (uint32_t t = 0; t < f->surface->triangle_count; ++t) {
        add_samples(f, t);
    }
    for (uint32_t s = 0; s < f->sample_count; ++s) {
        f->samples[s].nearest = nearest_bone(bones, f->samples[s].at);
    }
    return LMB_OK;
}

// ---- whose the pieces are

static lmb_result find_owners(figure *f, lmbi_arena *arena, lmb_error *error)
{
    float *areas = lmbi_arena_array(arena, f->piece_count, BONES * sizeof *areas);
    f->owner = lmbi_arena_array(arena, f->piece_count, sizeof *f->owner);
    if (arena->failed) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t s = 0; s < f->sample_count; ++s) {
        areas[(size_t)f->samples[s].piece * BONES + f->samples[s].nearest] += f->samples[s].area;
    }
    for (uint32_t p = 0; p < f->piece_count; ++p) {
        const float *of_piece = areas + (size_t)p * BONES;
        for (uint32_t b = 1; b < BONES; ++b) {
            f->owner[p] = of_piece[b] > of_piece[f->owner[p]] ? b : f->owner[p];
        }
    }
    return LMB_OK;
}

static void measure_bones(figure *f)
{
    float near[BONES] = {0}, owned[BONES] = {0}, both[BONES] = {0};
    for (uint32_t s = 0; s < f->sample_count; ++s) {
        const sample *p = &f->samples[s];
        const uint32_t owner = f->owner[p->piece];
        near[p->nearest] += p->area;
        owned[owner] += p->area;
        both[owner] += owner == p->nearest ? p->area : 0;
    }
    for (int b = 0; b < BONES; ++b) {
        f->own[b] = both[b] > 0 ? both[b] / fmaxf(near[b], owned[b]) : 0;
    }
}

// ---- where they meet

/// A triangle tree over the pieces of a bone.
static lmb_result tree_of(const figure *f, uint32_t owner, uint32_t *scratch,
                          const lmb_allocator *alloc, lmbi_tree **out, lmb_error *error)
{
    lmb_surface part = *f->surface;
    part.triangles = scratch;
    part.triangle_count = 0;
    for (uint32_t t = 0; t < f->surface->triangle_count; ++t) {
        const uint32_t *corners = &f->surface->triangles[3 * (size_t)t];
        if (f->owner[f->piece_of[corners[0]]] == owner) {
            memcpy(&scratch[3 * (size_t)part.triangle_count++], corners, 3 * sizeof *corners);
        }
    }
    return lmbi_tree_create(&part, alloc, out, error);
}

/// The middle between the pieces of a bone and the tree of other ones where they touch; false if they do not, or far
/// apart.
static bool find_meeting(const figure *f, uint32_t owner, const lmbi_tree *tree, lmb_vec3 *out)
{
    float area = 0, square = 0;
    lmb_vec3 sum = {0, 0, 0};
    for (uint32_t s = 0; s < f->sample_count; ++s) {
        const sample *p = &f->samples[s];
        const bool is_owned = f->owner[p->piece] == owner;
        const lmbi_closest other = is_owned ? lmbi_tree_closest(tree, p->at, TOUCHES)
                                            : (lmbi_closest){.triangle = UINT32_MAX};
        if (other.triangle != UINT32_MAX) {
            const lmb_vec3 at = middle_of(p->at, other.point);
            area += p->area;
            sum = lmb_vec3_mad(sum, at, p->area);
            square += p->area * lmb_vec3_dot(at, at);
        }
    }
    *out = lmb_vec3_scale(sum, area > 0 ? 1 / area : 0);
    return area > 0 && square / area - lmb_vec3_dot(*out, *out) < WIDE * WIDE;
}

/// The bones before and from a joint of a limb.
static uint32_t bone_before(int k)
{
    return k % 3 == 0 ? TRUNK : (uint32_t)k;
}

/// Whether the bones that a joint moves have pieces of their own, up to the root of its limb: boots end at no ankle.
static bool has_own_pieces(const figure *f, int k)
{
    bool own = f->own[bone_before(k)] >= OWN;
    for (int j = k - k % 3; j <= k; ++j) {
        own = own && f->own[j + 1] >= OWN;
    }
    return own;
}

static lmb_result find_joint(const figure *f, int k, uint32_t *scratch, const lmb_allocator *alloc,
                             lmb_vec3 *out, bool *out_met, lmb_error *error)
{
    lmbi_tree *tree = NULL;
    const lmb_result result = tree_of(f, bone_before(k), scratch, alloc, &tree, error);
    *out_met = result == LMB_OK && find_meeting(f, (uint32_t)k + 1, tree, out);
    lmbi_tree_destroy(tree);
    return result;
}

/// Moves joints whose bones on both sides have pieces of their own that meet.
static lmb_result move_joints(const figure *f, lmbi_arena *arena, const lmb_allocator *alloc,
                              lmb_vec3 at[LMBI_BODY_JOINTS], bool met[LMBI_LIMB_JOINTS],
                              lmb_error *error)
{
    lmb_vec3 meeting[LMBI_LIMB_JOINTS];
    bool meets[LMBI_LIMB_JOINTS] = {false};
    uint32_t *scratch = lmbi_arena_array(arena, f->surface->triangle_count, 3 * sizeof *scratch);
    lmb_result result = scratch ? LMB_OK : lmbi_fail_memory(error);
    for (int k = 0; k < LMBI_LIMB_JOINTS && result == LMB_OK; ++k) {
        if (has_own_pieces(f, k) && has_own_pieces(f, lmbi_other_seen_joint(k))) {
            result = find_joint(f, k, scratch, alloc, &meeting[k], &meets[k], error);
        }
    }
    for (int k = 0; k < LMBI_LIMB_JOINTS && result == LMB_OK; ++k) {
        met[k] = meets[k] && meets[lmbi_other_seen_joint(k)];
        at[lmbi_limb_joints[k]] = met[k] ? meeting[k] : at[lmbi_limb_joints[k]];
    }
    return result;
}

static lmb_result find_pieces(figure *f, const lmb_allocator *alloc, lmbi_arena *arena,
                              lmb_error *error)
{
    f->piece_of = lmbi_arena_array(arena, f->surface->vertex_count, sizeof *f->piece_of);
    return f->piece_of
               ? lmb_surface_components(f->surface, alloc, f->piece_of, &f->piece_count, error)
               : lmbi_fail_memory(error);
}

lmb_result lmbi_joints_to_pieces(const lmbi_triangle_soup *soup, const lmb_allocator *alloc,
                                 lmb_vec3 at[LMBI_BODY_JOINTS], bool met[LMBI_LIMB_JOINTS],
                                 lmb_error *error)
{
    figure f = {.at = at};
    lmbi_arena arena;
    lmbi_arena_init(&arena, alloc);
    memset(met, 0, LMBI_LIMB_JOINTS * sizeof *met);
    lmb_result result = lmbi_soup_surface(soup, false, alloc, &f.surface, error);
    if (result == LMB_OK) {
        result = find_pieces(&f, alloc, &arena, error);
    }
    if (result == LMB_OK && f.piece_count > 1) {
        result = find_samples(&f, &arena, error);
        result = result == LMB_OK ? find_owners(&f, &arena, error) : result;
        if (result == LMB_OK) {
            measure_bones(&f);
            result = move_joints(&f, &arena, alloc, at, met, error);
        }
    }
    lmbi_arena_free(&arena);
    lmb_surface_destroy(f.surface);
    return result;
}
