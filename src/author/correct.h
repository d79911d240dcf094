/// Shared by the steps of correctives from sculpts.
#ifndef AUTHOR_CORRECT_H
#define AUTHOR_CORRECT_H

#include "base/arena.h"
#include "limber/author.h"

typedef struct lmbi_corrective {
    const lmb_sculpt *sculpt;
    lmb_transform *local;    ///< [joint_count] the pose
    lmb_vec3 *displacements; ///< [vertex_count of all instances] before skinning
    bool *drives;            ///< [joint_count]
    uint32_t group;          ///< sculpts of one group have the same drivers
    lmb_corrective_report report;
} lmbi_corrective;

typedef struct lmbi_correction {
    const lmb_character *character;
    const lmb_correct_opts *opts;
    lmbi_arena arena;
    uint32_t vertex_count, *first_vertex; ///< [instance_count + 1]
    uint32_t count;
    lmbi_corrective *correctives; ///< [count]
    uint32_t group_count;
    lmb_pose_space **spaces; ///< [group_count] values: one per sculpt of the group, in order
} lmbi_correction;

/// Fills `drives` and `group` of all sculpts. Errors: INVALID for a pose that does not bend what was
/// sculpted; MEMORY.
lmb_result lmbi_correct_drivers(lmbi_correction *c, lmb_error *error);
/// Makes the pose spaces of the groups. Errors: those of lmb_pose_space_create.
lmb_result lmbi_correct_spaces(lmbi_correction *c, lmb_error *error);
/// weights[count] of the sculpts at a pose. `weights` has room for 2 count.
void lmbi_correct_weights(const lmbi_correction *c, const lmb_transform *local, float *weights);

#endif
