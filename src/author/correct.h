/// Shared by the steps of correctives: from sculpts, and from frames.
#ifndef AUTHOR_CORRECT_H
#define AUTHOR_CORRECT_H

#include "base/arena.h"
#include "limber/author.h"

/// A morph target. From a sculpt it has a pose of its own; from frames it is one of a basis.
typedef struct lmbi_corrective {
    const char *name; ///< of the target
    const lmb_sculpt *sculpt;
    lmb_transform *local;    ///< [joint_count] the pose
    lmb_vec3 *displacements; ///< [vertex_count of all instances] before skinning
    bool *drives;            ///< [joint_count]
    uint32_t group;          ///< sculpts of one group have the same drivers
    lmb_corrective_report report;
} lmbi_corrective;

/// A time at which a clip gets a key of weights.
typedef struct lmbi_correct_key {
    uint32_t clip;
    double time_s;
} lmbi_correct_key;

typedef struct lmbi_correction {
    const lmb_character *character;
    lmbi_arena arena;
    float frame_rate;                     ///< Hz of the weights of clips; 0: as recorded, or 30
    uint32_t vertex_count, *first_vertex; ///< [instance_count + 1]
    uint32_t count;
    lmbi_corrective *correctives; ///< [count]
    uint32_t key_count;
    lmbi_correct_key *keys; ///< [key_count]
    uint32_t group_count;
    lmb_pose_space **spaces;  ///< [group_count] values: one per target of the group, in order
    lmb_pose_space_def *defs; ///< [group_count] what they were made of
} lmbi_correction;

static inline const lmb_mesh *lmbi_correct_mesh(const lmbi_correction *c, uint32_t instance)
{
    return c->character->meshes[c->character->instances[instance].mesh];
}

static inline bool lmbi_correct_is_skinned(const lmbi_correction *c, uint32_t instance)
{
    return c->character->instances[instance].skin != LMB_NONE &&
           lmbi_correct_mesh(c, instance)->influences.first;
}

/// Starts the arena and counts vertices. End with lmbi_correct_end, also on failure.
lmb_result lmbi_correct_begin(lmbi_correction *c, const lmb_character *character,
                              const lmb_allocator *alloc, lmb_error *error);
void lmbi_correct_end(lmbi_correction *c);

/// local[joint_count] of a clip at a time.
void lmbi_correct_sample(const lmbi_correction *c, uint32_t clip, double time_s,
                         lmb_transform *local);

typedef struct lmbi_correct_scratch {
    lmb_mat4 *model, *palette; ///< [joint_count]
    lmb_vec3 *base;            ///< [vertex_count]
} lmbi_correct_scratch;

/// False if there is no memory.
bool lmbi_correct_scratch_make(lmbi_correction *c, lmbi_correct_scratch *scratch);
/// displacements[vertex_count] before skinning that give the sculpted shape in a pose; those of
/// instances without a skin stay.
void lmbi_correct_displace(const lmbi_correction *c, const lmb_transform *local,
                           const lmb_vec3 *sculpted, const lmbi_correct_scratch *scratch,
                           lmb_vec3 *displacements);

/// `given`, or "corrective" (or `prefix`) and the number, in the arena. NULL if there is no memory.
const char *lmbi_correct_name(lmbi_correction *c, const char *given, const char *prefix,
                              uint32_t number);
/// Adds to bend[joint_count] the sum over the vertices of the squared displacement, times how evenly
/// the joint's subtree and the rest of the body share the vertex: a joint that moves all of a region
/// or nothing of it does not bend it. `moved` is scratch of joint_count.
void lmbi_correct_bending(const lmbi_correction *c, const lmb_vec3 *displacements, double *moved,
                          double *bend);
/// Fills `drives` and `group` of all sculpts. Errors: INVALID for a pose that does not bend what was
/// sculpted; MEMORY.
lmb_result lmbi_correct_drivers(lmbi_correction *c, lmb_error *error);
/// Makes the pose spaces of the groups. Errors: those of lmb_pose_space_create.
lmb_result lmbi_correct_spaces(lmbi_correction *c, lmb_error *error);
/// weights[count] of the sculpts at a pose. `weights` has room for 2 count.
void lmbi_correct_weights(const lmbi_correction *c, const lmb_transform *local, float *weights);

/// A character whose meshes have the targets and whose clips have their weights. It shares all
/// other parts with c->character: drop one of the two, and destroy the other.
lmb_result lmbi_correct_make(lmbi_correction *c, const lmb_allocator *alloc, lmb_character **out,
                             lmb_error *error);
/// Hz of the keys that a clip gets.
float lmbi_correct_rate(const lmbi_correction *c, uint32_t clip);
/// Most keys that a clip gets, and one.
uint32_t lmbi_correct_time_room(const lmbi_correction *c);
/// Times of a clip's keys in seconds: its frames, and `keys`. Sorted, none twice; returns how many.
uint32_t lmbi_correct_times(const lmbi_correction *c, uint32_t clip, float *times, uint32_t room);
/// Frees skeleton, meshes, skins and clips of `made` that `other` does not have at the same index.
void lmbi_correct_drop_parts(const lmb_character *made, const lmb_character *other);
/// Frees a character but for the parts that it shares with `kept`.
void lmbi_correct_drop(lmb_character *dropped, const lmb_character *kept);

#endif
