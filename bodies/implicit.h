/// The field of a body: a smooth union of lumps, an implicit surface that is negative inside.
///
/// A lump is a primitive: a tube with an elliptic cross-section that changes along its axis, closed
/// by half ellipsoids; a ball is a tube of length 0. Lumps of one group blend into each other.
/// Groups blend near the point where they join and keep a crease elsewhere, so an arm joins the
/// shoulder without webbing to the ribs.
#ifndef BODIES_IMPLICIT_H
#define BODIES_IMPLICIT_H

#include "limber/math.h"

enum { LMBI_STATIONS = 7, LMBI_LUMP_BONES = 4 };

/// A cross-section of a tube: half axes and the centre's offset, in the tube's frame.
typedef struct lmbi_station {
    float t; ///< 0 at the tube's start, 1 at its end
    float side, front;
    float off_side, off_front;
} lmbi_station;

typedef struct lmbi_lump {
    lmb_vec3 origin;            ///< start of the axis
    lmb_vec3 side, axis, front; ///< orthonormal; side x axis = front
    float length;
    float cap_low, cap_high; ///< height of the closing half ellipsoids
    float square;            ///< 0: elliptic section, towards 1: boxy
    uint32_t station_count;
    lmbi_station stations[LMBI_STATIONS];
    /// derivatives of the four channels at each station by t; set by lmbi_implicit_add
    float slopes[LMBI_STATIONS][4];
    float blend;  ///< smoothing distance to the earlier lumps of its group
    bool carve;   ///< subtracted instead of added
    float detail; ///< relative edge length, 1 as elsewhere, less for fine parts
    uint16_t group;
    uint16_t material;
    uint16_t attach; ///< the bone that carries it when the body is posed
    /// Bones that move the skin here, each fully at its position along the tube: the true weights.
    uint16_t bone_count;
    uint16_t bones[LMBI_LUMP_BONES];
    float bone_at[LMBI_LUMP_BONES];
} lmbi_lump;

typedef struct lmbi_group {
    lmb_vec3 join; ///< point where it joins the earlier groups
    float reach;   ///< radius around `join`
    float near_blend, far_blend;
    uint16_t attach; ///< the bone that carries `join`
} lmbi_group;

/// One shell's field, with a grid of cells that list the lumps relevant to each.
typedef struct lmbi_implicit {
    const lmb_allocator *alloc;
    lmbi_lump *lumps;
    size_t lump_count, lump_capacity;
    lmbi_group *groups;
    size_t group_count, group_capacity;
    bool failed; ///< an allocation failed; adding then does nothing
    lmb_box box; ///< of the posed lumps
    uint32_t cells[3];
    float cell_size;
    uint32_t (*cell_lists)[2]; ///< first index in `list_lumps` and count, of each cell
    uint16_t *list_lumps;
    size_t list_used, list_capacity;
} lmbi_implicit;

void lmbi_implicit_init(lmbi_implicit *field, const lmb_allocator *alloc);
void lmbi_implicit_free(lmbi_implicit *field);
/// Starts a group; following lumps belong to it. The first group joins nothing.
void lmbi_implicit_group(lmbi_implicit *field, lmbi_group group);
/// Adds a copy of the lump to the current group, with `slopes` computed.
void lmbi_implicit_add(lmbi_implicit *field, const lmbi_lump *lump);
/// Moves every lump and joining point rigidly with its bone.
void lmbi_implicit_pose(lmbi_implicit *field, const lmb_transform *posed_from_rest);
/// Computes bounds and grid; call it after the last change and before evaluating. False when out of
/// memory.
bool lmbi_implicit_finish(lmbi_implicit *field);

/// Approximate signed distance, with a gradient below LMBI_FIELD_SLOPE. `field` is an
/// lmbi_implicit.
float lmbi_implicit_value(const void *field, lmb_vec3 p);
#define LMBI_FIELD_SLOPE 1.6f

/// Blends one more lump into the value of its group.
float lmbi_implicit_blend(const lmbi_lump *lump, float sum, float distance);
/// Approximate signed distance to one lump, whether it is added or carved.
float lmbi_lump_distance(const lmbi_lump *lump, lmb_vec3 p);
/// Indices of the lumps near p in ascending order, for materials and weights. Sets *count.
const uint16_t *lmbi_implicit_near(const lmbi_implicit *field, lmb_vec3 p, uint32_t *count);
/// Distance from `from` to the surface along the unit direction, at most `limit`; works before
/// lmbi_implicit_finish.
float lmbi_implicit_reach(const lmbi_implicit *field, lmb_vec3 from, lmb_vec3 direction,
                          float limit);

#endif
