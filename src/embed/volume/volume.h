/// Networks that see a part of a mesh as a small volume, and tell for every joint which part of it holds the joint.
#ifndef EMBED_VOLUME_VOLUME_H
#define EMBED_VOLUME_VOLUME_H

#include "embed/shape/shape.h"
#include "limber/base.h"
#include "limber/math.h"

enum {
    LMBI_VOLUME_SIDE = 32,
    LMBI_VOLUME_VOXELS = LMBI_VOLUME_SIDE * LMBI_VOLUME_SIDE * LMBI_VOLUME_SIDE
};

/// A mesh in a cube of voxels, of which the longest side of what is seen takes 30.
typedef struct lmbi_volume {
    lmb_vec3 low;                      ///< the cube's corner, along the axes
    float cell;                        ///< side of a voxel
    uint8_t solid[LMBI_VOLUME_VOXELS]; ///< [z][y][x] how much of it is solid, 0 to 8
} lmbi_volume;

/// The part of the mesh in a box along three axes; what lies beyond is cut off. Errors: INVALID for a box without an
/// extent; MEMORY.
lmb_result lmbi_volume_of(const lmbi_triangle_soup *soup, const lmb_vec3 axes[3], lmb_box box,
                          const lmb_allocator *alloc, lmbi_volume *out, lmb_error *error);
/// The whole mesh of a cache, which keeps what the mesh is along its own axes: others of these, either way round, show the
/// same. Errors: as lmbi_volume_of.
lmb_result lmbi_volume_of_whole(lmbi_voxel_cache *body, const lmb_vec3 axes[3], lmbi_volume *out,
                                lmb_error *error);

/// What a network tells: for each joint the logarithms of the odds that it is in each voxel of twice the size, but for a
/// constant: [joint][z][y][x].
enum { LMBI_TOLD_SIDE = LMBI_VOLUME_SIDE / 2, LMBI_TOLD_JOINTS = 68 };
enum { LMBI_TOLD_VOXELS = LMBI_TOLD_SIDE * LMBI_TOLD_SIDE * LMBI_TOLD_SIDE };

typedef struct lmbi_told {
    float odds[LMBI_TOLD_JOINTS][LMBI_TOLD_VOXELS];
} lmbi_told;

/// Where a joint is, in voxels of what is told: where the chances are densest near the likeliest voxel. Returns the chance
/// that it is within a voxel of that.
float lmbi_told_joint(const float odds[LMBI_TOLD_VOXELS], lmb_vec3 *out);

/// What a network sees: the joints of a human in a whole body (human.h), those of a hand (hand.h), or those of an animal (animal.h).
typedef enum lmbi_volume_kind {
    LMBI_VOLUME_BODY,
    LMBI_VOLUME_HAND,
    LMBI_VOLUME_ANIMAL,
    LMBI_VOLUME_KINDS
} lmbi_volume_kind;

/// A network with room for what lies between its layers. Errors: MEMORY.
typedef struct lmbi_volume_network lmbi_volume_network;
lmb_result lmbi_volume_network_create(lmbi_volume_kind kind, const lmb_allocator *alloc,
                                      lmbi_volume_network **out, lmb_error *error);
void lmbi_volume_network_destroy(lmbi_volume_network *n);
/// Adds what it tells of a volume or, if `other` tells a joint's twin on the other side, of its mirror image, where that
/// lies in the volume itself. Joints are looked for near what is solid: in the air the odds are the least that are told
/// elsewhere.
void lmbi_volume_network_add(lmbi_volume_network *n, const lmbi_volume *seen,
                             int (*other)(int joint), lmbi_told *to);

#endif
