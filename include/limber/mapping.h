/// Which joint is which: the bones of a humanoid by name, by file or by shape, and the chains (spine, neck, tail, legs,
/// arms) of any body.
#ifndef LIMBER_MAPPING_H
#define LIMBER_MAPPING_H

#include "limber/asset.h"
#include "limber/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// ------------------------------------------------------------------------------------------ slots

/// The joints of a humanoid, as VRM 1.0 names them.
typedef enum lmb_slot {
    LMB_SLOT_HIPS = 0,
    LMB_SLOT_SPINE,
    LMB_SLOT_CHEST,
    LMB_SLOT_UPPER_CHEST,
    LMB_SLOT_NECK,
    LMB_SLOT_HEAD,
    LMB_SLOT_LEFT_EYE,
    LMB_SLOT_RIGHT_EYE,
    LMB_SLOT_JAW,
    LMB_SLOT_LEFT_UPPER_LEG,
    LMB_SLOT_LEFT_LOWER_LEG,
    LMB_SLOT_LEFT_FOOT,
    LMB_SLOT_LEFT_TOES,
    LMB_SLOT_RIGHT_UPPER_LEG,
    LMB_SLOT_RIGHT_LOWER_LEG,
    LMB_SLOT_RIGHT_FOOT,
    LMB_SLOT_RIGHT_TOES,
    LMB_SLOT_LEFT_SHOULDER,
    LMB_SLOT_LEFT_UPPER_ARM,
    LMB_SLOT_LEFT_LOWER_ARM,
    LMB_SLOT_LEFT_HAND,
    LMB_SLOT_RIGHT_SHOULDER,
    LMB_SLOT_RIGHT_UPPER_ARM,
    LMB_SLOT_RIGHT_LOWER_ARM,
    LMB_SLOT_RIGHT_HAND,
    /// then proximal, distal; index proximal, intermediate, distal; middle; ring; little
    LMB_SLOT_LEFT_THUMB_METACARPAL,
    LMB_SLOT_RIGHT_THUMB_METACARPAL = LMB_SLOT_LEFT_THUMB_METACARPAL + 15,
    LMB_SLOT_COUNT = LMB_SLOT_RIGHT_THUMB_METACARPAL + 15,
} lmb_slot;

/// "leftUpperArm". A static string.
LMB_API const char *lmb_slot_name(lmb_slot slot);
/// LMB_SLOT_COUNT when there is none of that name (exact spelling).
LMB_API lmb_slot lmb_slot_find(const char *name);
/// The slot above, as VRM has them ("leftUpperArm" under "leftShoulder"); LMB_SLOT_COUNT for the
/// hips.
LMB_API lmb_slot lmb_slot_parent(lmb_slot slot);
/// The same slot on the other side; itself in the middle.
LMB_API lmb_slot lmb_slot_mirror(lmb_slot slot);

// ---------------------------------------------------------------------------------------- mapping

/// Why a joint was taken for a slot.
typedef enum lmb_map_reason {
    LMB_MAP_MISSING = 0, ///< there is none
    LMB_MAP_NAME,        ///< its name says so
    LMB_MAP_PLACE,       ///< its name could mean this or another; its place in the chain decided
    /// its name says nothing: the shape of the tree and of the rest pose decided
    LMB_MAP_TOPOLOGY,
    LMB_MAP_GIVEN, ///< a map that was read, or the caller, said so
} lmb_map_reason;

/// "name", "place", "topology", "given", "missing".
LMB_API const char *lmb_map_reason_name(lmb_map_reason reason);

#define LMB_SPINE_MAX 24

typedef struct lmb_slot_match {
    int32_t joint; ///< in the skeleton, or LMB_NONE
    lmb_map_reason reason;
    float confidence; ///< [0, 1]
} lmb_slot_match;

/// A skeleton's joints as a humanoid's.
typedef struct lmb_joint_map {
    lmb_slot_match slots[LMB_SLOT_COUNT];
    /// Every joint from above the hips to the top of the chest, and from there to below the head:
    /// more or fewer than the slots.
    uint32_t spine_count, neck_count;
    int32_t spine[LMB_SPINE_MAX], neck[LMB_SPINE_MAX];
    /// mean over the slots that a humanoid must have (VRM: 15), 0 for the missing ones
    float confidence;
} lmb_joint_map;

/// Finds the humanoid in a skeleton: by the names of every convention known (Mixamo, CMU, LAFAN1,
/// Biped, Rigify, Unreal, VRM, Daz, Maya, SMPL, Acclaim, MMD and mixtures), ambiguous ones resolved
/// by their place in the chain, and where names say nothing, by the shape of the tree and of the
/// rest pose. Slots that are not there are LMB_NONE: look at the confidence.
/// Errors: MEMORY.
LMB_API lmb_result lmb_joint_map_make(const lmb_skeleton *skeleton, const lmb_allocator *alloc,
                                      lmb_joint_map *out, lmb_error *error);

/// The humanoid that the file itself names (VRM 1.0 and 0.x, VRM animations: what is carried in
/// character->look), all slots given and no others; where it names none, lmb_joint_map_make.
/// Errors: MEMORY.
LMB_API lmb_result lmb_joint_map_of_character(const lmb_character *character,
                                              const lmb_allocator *alloc, lmb_joint_map *out,
                                              lmb_error *error);

/// Fills the spine and neck chains of a map whose slots were set by hand, and its confidence.
LMB_API void lmb_joint_map_complete(lmb_joint_map *map, const lmb_skeleton *skeleton);

/// Where a humanoid faces at rest, by which of its legs and arms are the left ones: level and unit.
/// What is within 17 degrees of an axis is the axis; +Z where nothing tells.
LMB_API lmb_vec3 lmb_joint_map_facing(const lmb_joint_map *map, const lmb_skeleton *skeleton);

/// A part of a humanoid with which a motion cannot be shown as it is.
typedef struct lmb_map_gap {
    lmb_slot slot;
    /// Above it in the body, where its joint does not descend from that one's (arms that hang from
    /// IK controls); LMB_SLOT_COUNT where the slot has no joint at all.
    lmb_slot apart_from;
} lmb_map_gap;

/// The gaps of a map among the 15 slots that VRM asks of every humanoid, from the hips down and out.
/// Returns how many there are; `out` has room for LMB_SLOT_COUNT.
LMB_API uint32_t lmb_joint_map_gaps(const lmb_joint_map *map, const lmb_skeleton *skeleton,
                                    lmb_map_gap *out);
/// Whether nothing but shape speaks for a humanoid (no name, no map), and for less than half of what
/// one must have: any tree with two like branches is that much.
LMB_API bool lmb_joint_map_is_guess(const lmb_joint_map *map);

/// Names of joints by slot, kept in a JSON file: {"limber": "joint map", "character": {"hips":
/// "Hips", …}, "motion": {…}}.
/// Reads one section ("character" or "motion") over `map`: a name sets the slot, null empties it, a
/// slot that is not there stays as it was. `found` tells whether the section was there. Errors:
/// MALFORMED with line and column, also for a joint or slot that does not exist; MEMORY.
LMB_API lmb_result lmb_joint_map_read(const void *bytes, size_t size, const char *section,
                                      const lmb_skeleton *skeleton, const lmb_allocator *alloc,
                                      lmb_joint_map *map, bool *found, lmb_error *error);
/// Writes both sections; either map may be NULL.
LMB_API lmb_result lmb_joint_map_write(const lmb_joint_map *character,
                                       const lmb_skeleton *character_skeleton,
                                       const lmb_joint_map *motion,
                                       const lmb_skeleton *motion_skeleton,
                                       const lmb_allocator *alloc, lmb_buffer *out,
                                       lmb_error *error);

// ----------------------------------------------------------------------------------------- chains

/// What a chain of joints is of a body, whatever the animal.
typedef enum lmb_chain_kind {
    LMB_CHAIN_SPINE = 0, ///< hips to chest; of what has no limbs, the tail's end to the head
    LMB_CHAIN_NECK,      ///< above the chest to the head
    LMB_CHAIN_TAIL,      ///< from behind the hips to its end
    LMB_CHAIN_LEG,       ///< ends on the ground
    LMB_CHAIN_ARM,       ///< arms, wings, large fins: ends in the air
} lmb_chain_kind;

#define LMB_CHAIN_JOINTS 96
#define LMB_CHAIN_MAX 24

typedef struct lmb_chain {
    lmb_chain_kind kind;
    int side;      ///< +1 left, -1 right, 0 in the middle
    uint32_t pair; ///< of legs and of arms: 0 is the pair at the back
    uint32_t count;
    int32_t joints[LMB_CHAIN_JOINTS]; ///< from the trunk outwards
    /// of limbs: places in `joints` of the three joints that the two long bones lie between (hip,
    /// knee and ankle); a shoulder blade is before them, feet and toes behind
    uint32_t upper, lower, end;
} lmb_chain;

/// A skeleton's joints as chains.
typedef struct lmb_chain_map {
    uint32_t count;
    lmb_chain chains[LMB_CHAIN_MAX];
    int32_t root; ///< the joint that all chains hang from
    /// the way from the tail to the head, or from the heels to the toes: one of +-X, +-Z
    lmb_vec3 front;
} lmb_chain_map;

/// Writes "spine", "neck", "tail", "leftLeg1", "rightArm1" and returns it: pairs count from 1, at
/// the back.
LMB_API const char *lmb_chain_name(const lmb_chain *chain, char text[24]);

/// Finds the chains of any body by symmetry and shape: what is paired across the middle plane is a
/// limb, a leg where it ends near the ground; what is not is trunk, neck, head and tail. Names help
/// where they say left, head or tail. Fingers, ears and faces are in no chain.
/// Errors: UNSUPPORTED for a skeleton without even a spine of three joints; MEMORY.
LMB_API lmb_result lmb_chain_map_find(const lmb_skeleton *skeleton, const lmb_allocator *alloc,
                                      lmb_chain_map *out, lmb_error *error);

/// Chains in a joint map file: a section may have "chains": {"spine": ["Hips", "Spine"], "tail":
/// null, …}. A list sets the chain, null leaves it out, a chain that is not there stays as it was.
/// Errors: MALFORMED with line and column, also for joints that do not exist, are named twice or do
/// not hang together; MEMORY.
LMB_API lmb_result lmb_chain_map_read(const void *bytes, size_t size, const char *section,
                                      const lmb_skeleton *skeleton, const lmb_allocator *alloc,
                                      lmb_chain_map *map, bool *found, lmb_error *error);
/// Writes both sections; either map may be NULL.
LMB_API lmb_result lmb_chain_map_write(const lmb_chain_map *character,
                                       const lmb_skeleton *character_skeleton,
                                       const lmb_chain_map *motion,
                                       const lmb_skeleton *motion_skeleton,
                                       const lmb_allocator *alloc, lmb_buffer *out,
                                       lmb_error *error);

/// Which joint is which one's mirror image, by their names (left and right, L and R apart from
/// other letters, lThigh and rThigh); itself where there is none. pairs[joint_count]. A table of the
/// names is on the heap meanwhile; where it cannot be had, every name is searched for by itself.
LMB_API void lmb_mirror_pairs(const lmb_skeleton *skeleton, uint32_t *pairs);

#ifdef __cplusplus
}
#endif
#endif
