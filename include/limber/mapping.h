/// Assignment of joints: the bones of a humanoid by name, by file or by shape, and the chains
/// (spine, neck, tail, legs, arms) of any body.
#ifndef LIMBER_MAPPING_H
#define LIMBER_MAPPING_H

#include "limber/asset.h"
#include "limber/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// ------------------------------------------------------------------------------------- human bones

/// The bones of a humanoid, as VRM 1.0 names them.
typedef enum lmb_human_bone {
    LMB_HUMAN_HIPS = 0,
    LMB_HUMAN_SPINE,
    LMB_HUMAN_CHEST,
    LMB_HUMAN_UPPER_CHEST,
    LMB_HUMAN_NECK,
    LMB_HUMAN_HEAD,
    LMB_HUMAN_LEFT_EYE,
    LMB_HUMAN_RIGHT_EYE,
    LMB_HUMAN_JAW,
    LMB_HUMAN_LEFT_UPPER_LEG,
    LMB_HUMAN_LEFT_LOWER_LEG,
    LMB_HUMAN_LEFT_FOOT,
    LMB_HUMAN_LEFT_TOES,
    LMB_HUMAN_RIGHT_UPPER_LEG,
    LMB_HUMAN_RIGHT_LOWER_LEG,
    LMB_HUMAN_RIGHT_FOOT,
    LMB_HUMAN_RIGHT_TOES,
    LMB_HUMAN_LEFT_SHOULDER,
    LMB_HUMAN_LEFT_UPPER_ARM,
    LMB_HUMAN_LEFT_LOWER_ARM,
    LMB_HUMAN_LEFT_HAND,
    LMB_HUMAN_RIGHT_SHOULDER,
    LMB_HUMAN_RIGHT_UPPER_ARM,
    LMB_HUMAN_RIGHT_LOWER_ARM,
    LMB_HUMAN_RIGHT_HAND,
    /// then proximal, distal; index proximal, intermediate, distal; middle; ring; little
    LMB_HUMAN_LEFT_THUMB_METACARPAL,
    LMB_HUMAN_RIGHT_THUMB_METACARPAL = LMB_HUMAN_LEFT_THUMB_METACARPAL + 15,
    LMB_HUMAN_BONE_COUNT = LMB_HUMAN_RIGHT_THUMB_METACARPAL + 15,
} lmb_human_bone;

/// "leftUpperArm". A static string.
LMB_API const char *lmb_human_bone_name(lmb_human_bone bone);
/// LMB_HUMAN_BONE_COUNT for an unknown name (exact spelling).
LMB_API lmb_human_bone lmb_human_bone_find(const char *name);
/// The same bone on the other side; itself in the middle.
LMB_API lmb_human_bone lmb_human_bone_mirror(lmb_human_bone bone);

// ---------------------------------------------------------------------------------------- mapping

/// How a joint was assigned to a human bone.
typedef enum lmb_map_reason {
    LMB_MAP_MISSING = 0, ///< there is none
    LMB_MAP_NAME,        ///< by its name
    LMB_MAP_PLACE,       ///< by an ambiguous name and its position in the chain
    /// by the shape of the tree and of the rest pose; its name says nothing
    LMB_MAP_TOPOLOGY,
    LMB_MAP_GIVEN, ///< by a map that was read, or by the caller
} lmb_map_reason;

/// "name", "place", "topology", "given", "missing".
LMB_API const char *lmb_map_reason_name(lmb_map_reason reason);

#define LMB_SPINE_MAX 24

typedef struct lmb_bone_match {
    int32_t joint; ///< in the skeleton, or LMB_NONE
    lmb_map_reason reason;
    float confidence; ///< [0, 1]
} lmb_bone_match;

/// A skeleton's joints as those of a humanoid.
typedef struct lmb_joint_map {
    lmb_bone_match bones[LMB_HUMAN_BONE_COUNT];
    /// Every joint from above the hips to the top of the chest, and from there to below the head:
    /// more or fewer than the human bones.
    uint32_t spine_count, neck_count;
    int32_t spine[LMB_SPINE_MAX], neck[LMB_SPINE_MAX];
    /// mean over the 15 human bones that VRM requires, 0 for missing ones
    float confidence;
} lmb_joint_map;

/// Finds the humanoid in a skeleton: by the names of every known convention (Mixamo, CMU, LAFAN1,
/// Biped, Rigify, Unreal, VRM, Daz, Maya, SMPL, Acclaim, MMD and mixtures), ambiguous ones resolved
/// by their position in the chain, and without meaningful names by the shape of the tree and of the
/// rest pose. Missing bones are LMB_NONE: check the confidence. Errors: MEMORY.
LMB_API lmb_result lmb_joint_map_make(const lmb_skeleton *skeleton, const lmb_allocator *alloc,
                                      lmb_joint_map *out, lmb_error *error);

/// The humanoid that the file itself defines (VRM 1.0 and 0.x, VRM animations: in character->look),
/// with the reason GIVEN for all its bones and no others; otherwise lmb_joint_map_make. Errors:
/// MEMORY.
LMB_API lmb_result lmb_joint_map_of_character(const lmb_character *character,
                                              const lmb_allocator *alloc, lmb_joint_map *out,
                                              lmb_error *error);

/// The facing of a humanoid at rest, from the sides of its legs and arms: horizontal and unit.
/// Facings within 17 degrees of an axis snap to it; +Z if the sides do not tell.
LMB_API lmb_vec3 lmb_joint_map_facing(const lmb_joint_map *map, const lmb_skeleton *skeleton);

/// A required human bone that is missing, or that does not descend from its anatomical parent.
typedef struct lmb_map_gap {
    lmb_human_bone bone;
    /// The nearest required ancestor, if the joint does not descend from that one's (arms below IK
    /// controls); LMB_HUMAN_BONE_COUNT if there is no joint.
    lmb_human_bone apart_from;
    /// It lies beyond the only joint of its limb, as in toys of blocks on both sides: that joint stands
    /// for it where motions are carried over.
    bool beyond;
} lmb_map_gap;

/// The gaps of a map among the 15 human bones that VRM requires, from the hips outward. Returns
/// their number; `out` has room for LMB_HUMAN_BONE_COUNT.
LMB_API uint32_t lmb_joint_map_gaps(const lmb_joint_map *map, const lmb_skeleton *skeleton,
                                    lmb_map_gap *out);

// ----------------------------------------------------------------------------------------- chains

/// The role of a chain in any animal's body.
typedef enum lmb_body_chain_kind {
    LMB_CHAIN_SPINE = 0, ///< hips to chest; without limbs, the tail's end to the head
    LMB_CHAIN_NECK,      ///< above the chest to the head
    LMB_CHAIN_TAIL,      ///< from behind the hips to its end
    LMB_CHAIN_LEG,       ///< ends on the ground
    LMB_CHAIN_ARM,       ///< arms, wings, large fins: ends in the air
} lmb_body_chain_kind;

#define LMB_CHAIN_JOINTS 96
#define LMB_CHAIN_MAX 24

typedef struct lmb_body_chain {
    lmb_body_chain_kind kind;
    int side;      ///< +1 left, -1 right, 0 in the middle
    uint32_t pair; ///< of legs or arms: 0 is the rearmost pair
    uint32_t count;
    int32_t joints[LMB_CHAIN_JOINTS]; ///< from the trunk outwards
    /// of limbs: indices in `joints` of the three joints at the ends of the two long bones (hip,
    /// knee and ankle); a shoulder blade comes before them, feet and toes after
    uint32_t upper, lower, end;
} lmb_body_chain;

/// A skeleton's joints as chains.
typedef struct lmb_chain_map {
    uint32_t count;
    lmb_body_chain chains[LMB_CHAIN_MAX];
    int32_t root; ///< common ancestor of all chains
    /// direction from the tail to the head, or from the heels to the toes: one of +-X, +-Z
    lmb_vec3 front;
} lmb_chain_map;

/// Writes "spine", "neck", "tail", "leftLeg1", "rightArm1" and returns it: pairs count from 1 at
/// the rear.
LMB_API const char *lmb_body_chain_name(const lmb_body_chain *chain, char text[24]);

/// Finds the chains of any body by symmetry and shape: limbs are paired across the middle plane,
/// legs are limbs that end near the ground, and the rest is trunk, neck, head and tail. Names help
/// if they say left, head or tail. Fingers, ears and faces belong to no chain. Errors: UNSUPPORTED
/// for a skeleton without limbs or a spine of three joints; MEMORY.
LMB_API lmb_result lmb_chain_map_find(const lmb_skeleton *skeleton, const lmb_allocator *alloc,
                                      lmb_chain_map *out, lmb_error *error);

// -------------------------------------------------------------------------------------- map files

/// What a section of a joint map file is about: a skeleton, and what is said of it.
typedef struct lmb_map_section {
    const lmb_skeleton *skeleton;
    lmb_joint_map *joints; ///< NULL: left out
    lmb_chain_map *chains; ///< NULL: left out
} lmb_map_section;

/// Reads one section, "character" or "motion", of a JSON file over the maps that are there:
/// {"limber": "joint map", "character": {"hips": "Hips", …, "chains": {"spine": ["Hips", "Spine"],
/// "tail": null, …}}, "motion": {…}}. A name sets the bone and a list the chain, null empties either,
/// what is absent stays unchanged. `found` tells whether the section exists; where chains alone are
/// read, whether it has any. Errors, which leave the maps as they were: MALFORMED with line and
/// column, also for joints, bones or chains that do not exist and for a joint of a chain that is
/// neither below nor above the one before; MEMORY.
LMB_API lmb_result lmb_map_read(const void *bytes, size_t size, const char *section,
                                const lmb_map_section *into, const lmb_allocator *alloc,
                                bool *found, lmb_error *error);
/// Writes such a file; either section may be NULL.
LMB_API lmb_result lmb_map_write(const lmb_map_section *character, const lmb_map_section *motion,
                                 const lmb_allocator *alloc, lmb_buffer *out, lmb_error *error);

// ------------------------------------------------------------------------------------------ mirror

/// The mirror image of each joint by name (left and right, L and R apart from other letters, lThigh
/// and rThigh); itself if there is none. pairs[joint_count]. Uses a temporary table on the heap;
/// without memory for it, searches linearly.
LMB_API void lmb_mirror_pairs(const lmb_skeleton *skeleton, uint32_t *pairs);

#ifdef __cplusplus
}
#endif
#endif
