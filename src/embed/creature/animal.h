/// Animals: what a network sees of one in the whole body, and the skeletons of its kinds.
#ifndef EMBED_CREATURE_ANIMAL_H
#define EMBED_CREATURE_ANIMAL_H

#include "embed/shape/shape.h"
#include "embed/volume/volume.h"
#include "limber/embed.h"

/// The joints that are told, in the order of tools/made_animals.py: those of the trunk, then of pairs of limbs, of which
/// the left one comes first.
typedef enum lmbi_animal_joint {
    LMBI_ANIMAL_SNOUT,
    LMBI_ANIMAL_HEAD,
    LMBI_ANIMAL_NECK,
    LMBI_ANIMAL_CHEST,
    LMBI_ANIMAL_SPINE,
    LMBI_ANIMAL_HIPS,
    LMBI_ANIMAL_TAIL, ///< its root, and two joints in equal steps
    LMBI_ANIMAL_TAIL_END = LMBI_ANIMAL_TAIL + 3,
    LMBI_ANIMAL_BACK_FIN, ///< on a fish's back, and its end
    LMBI_ANIMAL_BACK_FIN_END,
    LMBI_ANIMAL_HIND,                         ///< upper and lower leg, foot, toes, and their end
    LMBI_ANIMAL_FORE = LMBI_ANIMAL_HIND + 10, ///< shoulder, upper and lower leg, foot, and its end
    LMBI_ANIMAL_WING = LMBI_ANIMAL_FORE + 10, ///< upper and lower arm, hand, and its end
    LMBI_ANIMAL_ARM = LMBI_ANIMAL_WING + 8,
    LMBI_ANIMAL_MIDDLE =
        LMBI_ANIMAL_ARM +
        8, ///< of three or four pairs of legs the second from the front: three joints and the end
    LMBI_ANIMAL_THIRD = LMBI_ANIMAL_MIDDLE + 8, ///< of four pairs
    LMBI_ANIMAL_FIN = LMBI_ANIMAL_THIRD + 8,    ///< a fish's breast fins, and their ends
    LMBI_ANIMAL_JOINTS = LMBI_ANIMAL_FIN + 4,
} lmbi_animal_joint;

/// The pairs of limbs: their first joint on the left, and how many joints and ends a side has.
typedef struct lmbi_animal_pair {
    int first, count;
} lmbi_animal_pair;
enum { LMBI_ANIMAL_PAIRS = 7 };
extern const lmbi_animal_pair lmbi_animal_pairs[LMBI_ANIMAL_PAIRS];
/// The same joint of the other side, which is itself in the middle.
int lmbi_animal_other_side(int joint);

/// Parts that kinds of animals are told apart by.
typedef enum lmbi_animal_part {
    LMBI_PART_BODY, ///< chest, spine and hips
    LMBI_PART_HEAD,
    LMBI_PART_TAIL,
    LMBI_PART_ENDS, ///< of head and tail
    LMBI_PART_BACK_FIN,
    LMBI_PART_HIND,
    LMBI_PART_FORE,
    LMBI_PART_WING,
    LMBI_PART_ARM,
    LMBI_PART_MIDDLE,
    LMBI_PART_THIRD,
    LMBI_PART_FIN,
    LMBI_PARTS,
} lmbi_animal_part;

/// An animal with less chance is none, whatever the user says.
#define LMBI_HOPELESS_ANIMAL 0.05f

/// An animal as it is seen along axes.
typedef struct lmbi_seen_animal {
    lmb_vec3 axes[3];                ///< left, up and forward
    lmb_vec3 at[LMBI_ANIMAL_JOINTS]; ///< in the mesh's space
    float sure[LMBI_ANIMAL_JOINTS];  ///< the chance that the joint is near
    float part[LMBI_PARTS];          ///< the mean of those of a part's joints
    lmb_skeleton_kind kind,
        next;     ///< next: the clearest other kind that is not hopeless, or GENERIC
    uint32_t has; ///< the parts that its kind has, as bits; others may be there
    float chance; ///< that it is of its kind; below 0 before one is seen
    float facing; ///< that the front is the front
    bool stands;  ///< it was seen along axes as files have them
} lmbi_seen_animal;

/// The likeliest animal of the wanted kind (any: AUTO) in the mesh of a cache: along the axes along which it may stand in its
/// file or, where none is likely, its mirror planes. Errors: INVALID for a mesh without an extent; MEMORY.
lmb_result lmbi_find_animal(lmbi_volume_network *network, lmbi_voxel_cache *body,
                            const lmb_embed_opts *opts, lmbi_seen_animal *out, lmb_error *error);

/// The skeleton of a seen animal but a snake in a mesh, with the tips of its coarse voxels.
void lmbi_seen_animal_place(const lmbi_seen_animal *a, const lmbi_body_shape *coarse,
                            const lmbi_triangle_soup *soup, lmb_embedding *out);

/// The skeleton of a seen snake in the body of a cache, which has its coarse voxels. Errors: MEMORY.
lmb_result lmbi_seen_snake_place(const lmbi_seen_animal *a, const lmbi_voxel_cache *cache,
                                 lmb_embedding *out, lmb_error *error);

#endif
