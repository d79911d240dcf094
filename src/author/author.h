/// What files of the room call of each other.
#ifndef AUTHOR_AUTHOR_H
#define AUTHOR_AUTHOR_H

#include "base/arena.h"
#include "limber/author.h"
#include "limber/retarget.h"

/// Deforms the character in up to 120 frames, 30 a second at most, evenly spaced over the clip.
/// `jobs` may be NULL. Errors: as lmb_deformer_create.
lmb_result lmbi_clearance_measure(const lmb_character *character, const lmb_clip *clip,
                                  const lmb_jobs *jobs, const lmb_allocator *alloc,
                                  lmb_clearance *out, lmb_error *error);

/// How far a body was moved, m, both 0 or more.
typedef struct lmbi_settled {
    float lift_m, lower_m;
} lmbi_settled;

/// Where trunk, head or legs go into level ground, replaces *clip by one that lifts the whole body as
/// far as its skin needs, spread over 0.15 s to both sides; arms and what hangs beside the body do not
/// carry it. Where the body of `motion` lies on its ground and this one does not touch its own, it is
/// lowered: a human's motion, with its joint map, whose moment begin_s + t is the clip's t. `out` says the most of both; where both are 0 the clip stays. `motion` and `jobs` may be
/// NULL. Errors: as lmb_deformer_create, with the clip unchanged.
lmb_result lmbi_settle(const lmb_character *character, const lmb_joint_map *map,
                       const lmb_feet_source *motion, const lmb_jobs *jobs,
                       const lmb_allocator *alloc, lmb_clip **clip, lmbi_settled *out,
                       lmb_error *error);

// ---- Leaves joints out of a skeleton that was found.

/// Which joints of the embedding stay, by opts->keep and opts->drop: out[j] is the index of joint j,
/// or of the nearest joint above it that stays, among those that stay. Human bones are also known by
/// VRM's names. Errors: INVALID for a name that no joint has; but one may drop what a human has and
/// this figure lacks, such as fingers.
lmb_result lmbi_keep_find(const lmb_rig_opts *opts, const lmb_embedding *e,
                          uint16_t out[LMB_EMBEDDING_JOINTS], lmb_error *error);
/// Removes the joints that another stands for.
void lmbi_keep_joints(const uint16_t joints[LMB_EMBEDDING_JOINTS], lmb_embedding *e);
/// Gives the weights of removed joints to those that stand for them; rows only become shorter.
void lmbi_keep_weights(const uint16_t joints[LMB_EMBEDDING_JOINTS], uint32_t vertex_count,
                       lmb_influences *weights);

// ---- Weights of an embedding's joints.

/// Rows for each vertex of the part, allocated from the arena; joints are those of the embedding. Errors:
/// MEMORY, CANCELLED.
lmb_result lmbi_weigh(const lmb_embedding *embedding, const lmb_surface_part *parts,
                      uint32_t part_count, const lmb_weights_opts *opts, lmbi_arena *arena,
                      lmb_influences *out, lmb_weights_report *report, lmb_error *error);

// ---- Humanoid joint names of other programs.

/// What a bone is called; false for one that no skeleton found here has, such as the jaw.
bool lmbi_humanoid_name(lmb_joint_names scheme, lmb_human_bone bone, char out[LMB_EMBEDDING_NAME]);
/// Renames the human bones of a humanoid; chains keep their names.
void lmbi_name_humanoid(lmb_joint_names scheme, lmb_embedding *embedding);

// ---- Fingers of a character that a motion does not move.

/// Where the character has fingers that the motion lacks, replaces *clip by one that holds them half
/// open: most characters spread them at rest. *out_count is the number of such joints; with 0 the
/// clip stays. Errors: MEMORY, with the clip unchanged.
lmb_result lmbi_relax_fingers(const lmb_character *character, const lmb_retarget_report *report,
                              const lmb_allocator *alloc, lmb_clip **clip, uint32_t *out_count,
                              lmb_error *error);

/// The bones of a human that get a body of their own in a ragdoll, parents first.
enum { LMBI_RAGDOLL_BONES = 16 };
extern const lmb_human_bone lmbi_ragdoll_bones[LMBI_RAGDOLL_BONES];

#endif
