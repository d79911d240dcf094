/// Weights of a surface for bones, and what tells them from a character.
#ifndef RIG_RIG_H
#define RIG_RIG_H

#include "geometry/tree.h"
#include "limber/rig.h"

// ---- bones

/// A bone segment: vertices near it follow `joint`. head == tail is a point.
typedef struct lmbi_bone_segment {
    lmb_vec3 head, tail;
    uint32_t joint; ///< in the skeleton
} lmbi_bone_segment;

typedef struct lmbi_bones {
    uint32_t count;
    lmbi_bone_segment *items;
    /// [joint_count] parents of the skeleton's joints, LMB_NONE at the root, and their positions.
    /// Weights use them to tell parts that touch from parts that are connected; NULL: no
    /// distinction
    uint32_t joint_count;
    int32_t *parents;
    lmb_vec3 *positions;
    lmb_allocator allocator;
} lmbi_bones;

typedef struct lmbi_bones_def {
    const lmb_skeleton *skeleton;
    /// [joint_count] joint transforms at binding; NULL: the rest pose
    const lmb_mat4 *model_from_joint;
    const uint8_t *deforms;     ///< [joint_count] 1 where a joint deforms the mesh; NULL: all do
    const lmb_surface *surface; ///< the mesh, or NULL
    const lmbi_tree *tree;      ///< of the mesh, or NULL
} lmbi_bones_def;

/// Makes a bone from each deforming joint to each nearest deforming descendant, so a joint with
/// several children has several bones. All but the one to the straightest child end at three
/// quarters of the distance, where artists let the child take over.
/// The tail of a leaf's bone is the joint's tip; else a non-deforming child straight ahead; else
/// the root of another chain straight ahead (a foot parented to its IK target); else, with a mesh,
/// a point 1.5 times as far as the mean of the nearest surface; else the bone is a point. In a
/// skeleton without hierarchy, bones run along the local axis on which most joints find a next one.
/// Zero-length bones are dropped if the joint has others, or a child at its position. With a tree,
/// root joints whose one bone runs outside the mesh (a root on the floor) get none.
/// Errors: INVALID when no joint deforms; MEMORY.
lmb_result lmbi_bones_create(const lmbi_bones_def *def, const lmb_allocator *alloc,
                             lmbi_bones **out, lmb_error *error);
void lmbi_bones_destroy(lmbi_bones *bones);

// ---- weights

/// Those that were fitted on characters of many makers.
void lmbi_ownership_default(float coefficients[LMB_OWNERSHIP_COEFFICIENTS]);

/// Bone heat solves (L + A H) w_j = A H p_j for every joint j (after Baran, Popovic 2007, section
/// 4). p_j is 1 where j's bone is the nearest visible one, shared among equally near ones.
/// Distances d are from the vertex's medial point: the centre of the ball that touches the skin
/// there from inside, or the vertex itself for open sheets. The last bone of a chain counts as
/// nearer if its part of the body is thicker than that of the bone above. H = heat * ties / d^2,
/// and 0 where triangles hide all of the four nearest bones.
/// Any triangles, any bones and any scale are accepted: every vertex gets weights, if need be from
/// bones that are not visible, as the report's fields tell.
/// Errors: INVALID for no bones, for values that are not finite, for a surface without triangles
/// with a volume method, and for LEARNED without a model; MEMORY; CANCELLED. `opts`, `alloc`, `report` and `error` may be
/// NULL.
lmb_result lmbi_weights_create(const lmb_surface *surface, const lmbi_bones *bones,
                               const lmb_weights_opts *opts, const lmb_allocator *alloc,
                               lmb_weights **out, lmb_weights_report *report, lmb_error *error);

/// Marks the joints that a character's meshes follow with some weight. `deforms`: [joint_count].
void lmbi_character_deforming(const lmb_character *character, uint8_t *deforms);

#endif
