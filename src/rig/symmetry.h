/// Mirror plane of a surface, and pairs of left and right joints.
#ifndef RIG_SYMMETRY_H
#define RIG_SYMMETRY_H

#include "base/arena.h"
#include "geometry/tree.h"
#include "limber/rig.h"

typedef struct lmbi_mirror_plane {
    lmb_vec3 normal; ///< unit
    float offset;    ///< normal . p == offset
} lmbi_mirror_plane;

static inline lmb_vec3 lmbi_plane_image(lmbi_mirror_plane plane, lmb_vec3 p)
{
    return lmb_vec3_mad(p, plane.normal, -2 * (lmb_vec3_dot(p, plane.normal) - plane.offset));
}

/// The best of x = 0 and the refined guesses; x = 0 wins ties. `tree` is of the surface. The normal
/// points to the side of its guess's normal; for x = 0, of the first guess's.
lmbi_mirror_plane lmbi_symmetry_find(const lmb_surface *surface, const lmbi_tree *tree,
                                     float diagonal, const lmbi_mirror_plane *guesses,
                                     uint32_t guess_count);

// ---- pairs of left and right joints

/// Pairs joints whose names differ only in left and right: "LeftArm", "arm.l", "L_arm", "lArm".
/// Existing pairs stay. right_of[joint_count]: the right joint of each left one, else LMB_NONE.
/// Errors: MEMORY.
lmb_result lmbi_pair_by_name(const lmb_skeleton *skeleton, int32_t *right_of, lmbi_arena *arena,
                             lmb_error *error);
/// partner[joint_count]: right_of in both directions; LMB_NONE for joints without a partner.
void lmbi_pair_both_ways(const int32_t *right_of, uint32_t joint_count, int32_t *partner);
/// Pairs joints without a partner that are each other's nearest mirror images within `reach`; a
/// joint nearest to its own image is its own partner. positions[joint_count].
void lmbi_pair_by_position(const lmb_vec3 *positions, uint32_t joint_count, lmb_vec3 normal,
                           float offset, float reach, int32_t *partner);

#endif
