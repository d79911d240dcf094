/// Ground truth of the mesh: joints and skin weights.
#ifndef BODIES_TRUTH_H
#define BODIES_TRUTH_H

#include "bodies/mesh.h"

enum { LMBI_TRUTH_INFLUENCES = 4 };

typedef struct lmbi_truth {
    uint32_t joint_count;
    int joint_of[LMBI_BONES]; ///< bone to joint; absent bones to their nearest present ancestor's
    int bone_of[LMBI_BONES];  ///< joint to bone
    uint32_t *first;          ///< [vertex_count + 1]
    lmb_influence *items;
} lmbi_truth;

lmb_result lmbi_truth_make(const lmbi_plan *plan, const lmbi_body_mesh *mesh, lmbi_truth *truth,
                           lmb_error *error);
void lmbi_truth_free(const lmbi_plan *plan, lmbi_truth *truth);

#endif
