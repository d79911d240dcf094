/// Flesh: a body as a smooth union of lumps, an implicit surface that is negative inside.
///
/// A lump is a tube with an elliptic cross-section that changes along its axis, closed by half
/// ellipsoids; a ball is a tube of length 0. Lumps of one group melt into each other; groups melt
/// near the place where they join and keep a crease elsewhere, so an arm grows out of a shoulder
/// without webbing to the ribs.
#ifndef BODIES_IMPLICIT_H
#define BODIES_IMPLICIT_H

#include "limber/math.h"

enum { LMBI_STATIONS = 7, LMBI_LUMP_BONES = 4 };

/// The cross-section at a place along a tube: half axes and the centre's offset, in the tube's
/// frame.
typedef struct lmbi_station {
    float t; ///< 0 at the tube's start, 1 at its end
    float side, front;
    float off_side, off_front;
} lmbi_station;

typedef struct lmbi_lump {
    lmb_vec3 origin;            ///< where the axis starts
    lmb_vec3 side, axis, front; ///< orthonormal; side x axis = front
    float length;
    float cap_low, cap_high; ///< height of the closing half ellipsoids
    float square;            ///< 0: elliptic section, towards 1: boxy
    uint32_t station_count;
    lmbi_station stations[LMBI_STATIONS];
    float slopes
        [LMBI_STATIONS]
        [4];      ///< of the four channels at each station, per unit of t; set by lmbi_implicit_add
    float blend;  ///< over which length it melts into the lumps before it in its group
    bool carve;   ///< taken away instead of added
    float detail; ///< how long edges may be here, 1 as elsewhere, less for fine parts
    uint16_t group;
    uint16_t material;
    uint16_t attach; ///< the bone that carries it when the body is posed
    /// Bones that move the skin here, each fully at its place along the tube: its truth weights.
    uint16_t bone_count;
    uint16_t bones[LMBI_LUMP_BONES];
    float bone_at[LMBI_LUMP_BONES];
} lmbi_lump;

typedef struct lmbi_group {
    lmb_vec3 join; ///< where it grows out of the groups before it
    float reach;   ///< radius of the place
    float near_blend, far_blend;
    uint16_t attach; ///< the bone that carries `join`
} lmbi_group;

/// One shell's field. The cells are a grid with the lumps that matter in each.
typedef struct lmbi_implicit {
    const lmb_allocator *alloc;
    lmbi_lump *lumps;
    size_t lump_count, lump_capacity;
    lmbi_group *groups;
    size_t group_count, group_capacity;
    bool failed; ///< an allocation failed; adding is then without effect
    lmb_box box; ///< of the posed lumps
    uint32_t cells[3];
    float cell_size;
    uint32_t (
        *cell_lists)[2]; ///< where in `list_lumps` a cell's lumps begin, and how many they are
    uint16_t *list_lumps;
    size_t list_used, list_capacity;
} lmbi_implicit;

void lmbi_implicit_init(lmbi_implicit *flesh, const lmb_allocator *alloc);
void lmbi_implicit_free(lmbi_implicit *flesh);
/// Starts a group; lumps added from now on belong to it. The first of a flesh has nothing to join.
void lmbi_implicit_group(lmbi_implicit *flesh, lmbi_group group);
/// A copy of the lump, in the current group. Fills `slopes`.
void lmbi_implicit_add(lmbi_implicit *flesh, const lmbi_lump *lump);
/// Moves every lump and join rigidly by its bone.
void lmbi_implicit_pose(lmbi_implicit *flesh, const lmb_transform *posed_from_rest);
/// Bounds and the coarse grid; call after the last change and before asking values. False when out
/// of memory.
bool lmbi_implicit_finish(lmbi_implicit *flesh);

/// About the signed distance; |gradient| is below LMBI_FLESH_SLOPE. `flesh` is an lmbi_implicit.
float lmbi_implicit_value(const void *flesh, lmb_vec3 p);
#define LMBI_FLESH_SLOPE 1.6f

/// Puts one more lump to the value so far of its group.
float lmbi_implicit_melt(const lmbi_lump *lump, float sum, float distance);
/// About the signed distance to one lump, whether it is added or carved.
float lmbi_lump_distance(const lmbi_lump *lump, lmb_vec3 p);
/// The lumps near p, for looking up materials and weights: their indices, in order. Sets *count.
const uint16_t *lmbi_implicit_near(const lmbi_implicit *flesh, lmb_vec3 p, uint32_t *count);
/// How far the surface is from `from` along the unit direction, at most `limit`; works before
/// lmbi_implicit_finish.
float lmbi_implicit_reach(const lmbi_implicit *flesh, lmb_vec3 from, lmb_vec3 direction,
                          float limit);

#endif
