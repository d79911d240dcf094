/// Multi-weight enveloping as a problem: a vertex in the frame of its first joint.
#ifndef LEARN_ENVELOPE_H
#define LEARN_ENVELOPE_H

#include "learn/given.h"

enum { LMBI_RIDGES = 8, LMBI_ENVELOPE_TERMS = 4 * LMB_ENVELOPE_INFLUENCES };

/// Affine transforms are three rows of four.
typedef struct lmbi_enveloping {
    lmbi_given g;
    double *motions;     ///< [all frames][bone][12] scene_from_bind
    double *inverses;    ///< [all frames][bone][12] joint_from_scene
    double *binds;       ///< [bone][12] bind_from_joint
    uint32_t *bones;     ///< [vertex][LMB_ENVELOPE_INFLUENCES] the first is the frame of reference
    uint8_t *counts;     ///< [vertex] of bones
    double *linear;      ///< [vertex][LMB_ENVELOPE_INFLUENCES] weights
    double *left_out;    ///< [vertex][LMBI_RIDGES] squared errors of frames that are left out
    uint32_t ridge;      ///< that is used
    float *coefficients; ///< [vertex][3][LMBI_ENVELOPE_TERMS] by row, joint and column
} lmbi_enveloping;

extern const double lmbi_envelope_ridges[LMBI_RIDGES];

/// Joints and transforms, from the rows of lmbi_given_prepare.
lmb_result lmbi_envelope_prepare(lmbi_enveloping *e, lmb_error *error);
/// Chooses the ridge and solves for the coefficients.
void lmbi_envelope_solve(lmbi_enveloping *e);
/// terms[row][joint and column]: what a vertex' coefficients are multiplied with in a frame; and
/// where the frame has it, both in its first joint's frame.
void lmbi_envelope_terms(const lmbi_enveloping *e, uint32_t vertex, uint32_t frame,
                         double terms[3][LMBI_ENVELOPE_TERMS], double goal[3]);

#endif
