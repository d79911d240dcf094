/// What the steps of a skinning decomposition share.
#ifndef LEARN_LEARN_H
#define LEARN_LEARN_H

#include "base/arena.h"
#include "limber/learn.h"

/// The problem in its own measure: points (vertices that coincide in all shapes) about the middle
/// of the rest shape, in units of their root mean square distance from it; every frame about its
/// own middle.
typedef struct lmbi_learn {
    const lmb_learn_def *def;
    lmb_learn_opts opts;
    lmbi_arena arena;
    uint32_t point_count, frame_count;
    uint32_t *point_of;                     ///< [vertex_count]
    double *rest;                           ///< [point_count][3]
    float *at;                              ///< [point_count][3][frame_count]
    double center[3], size, *frame_centers; ///< [frame_count][3] in units of the mesh
    /// neighbours over the edges of the surface, and how much each counts: a row sums to 1
    uint32_t *near_first, *near;
    double *near_share;

    uint32_t bone_count, influences;
    double *bones; ///< [bone capacity][3][4][frame_count] rows of [R | t]
    /// [point_count][influences] falling weights, those from the first 0 on unused
    uint32_t *row_bones;
    double *row_weights;
    uint32_t *next_bones; ///< rows in the making
    double *next_weights;
    /// [point_count][bone capacity] weights diffused along the surface, where that is asked for, and
    /// as much room to make them in
    double *smoothed, *smoothing;
    double *point_errors; ///< [point_count] mean square over the frames
    /// the same rows by bone: bone j has the points list_points[list_first[j] .. [j + 1])
    uint32_t *list_first, *list_points;
    double *list_weights;
} lmbi_learn;

/// Checks `def` and fills all but the bones and rows, for which it makes room.
lmb_result lmbi_learn_prepare(lmbi_learn *p, lmb_error *error);

static inline double *lmbi_learn_bone(const lmbi_learn *p, uint32_t bone, uint32_t element)
{
    return p->bones + ((size_t)bone * 12 + element) * p->frame_count;
}
/// Mean over the frames of the squared distance of a point moved with one bone from where it is.
double lmbi_learn_bone_error(const lmbi_learn *p, uint32_t point, uint32_t bone);
/// Fills point_errors, and returns their mean.
double lmbi_learn_errors(lmbi_learn *p);
/// Fills the lists from the rows.
void lmbi_learn_list(lmbi_learn *p);

/// Rigid clusters: every point with one bone, at most opts.bone_count bones, these fitted.
lmb_result lmbi_learn_cluster(lmbi_learn *p, lmb_error *error);
/// Every frame's bones, one after another, `sweeps` times, the rows held. The lists are filled.
lmb_result lmbi_learn_transforms(lmbi_learn *p, uint32_t sweeps, lmb_error *error);
/// Every point's row, the bones held. No row gets worse where nothing is smoothed.
void lmbi_learn_weights(lmbi_learn *p);
/// Fills `smoothed` from the rows.
void lmbi_learn_smooth(lmbi_learn *p);

/// Bones that hang on each other.
typedef struct lmbi_learn_tree {
    int32_t *parents; ///< [bone_count] parents precede children
    double *joints;   ///< [bone_count][3] in the problem's measure
    double *anchors;  ///< [bone_count][3] the middle of the skin that a bone shares with its parent
    double *holds;    ///< [bone_count] how strongly it draws the joint, against one point's frames
} lmbi_learn_tree;
/// Finds joints and hierarchy from the free bones, and renumbers the bones.
lmb_result lmbi_learn_hang(lmbi_learn *p, lmbi_learn_tree *tree, lmb_error *error);
/// Rotations and joints, the rows held; leaves the bones as the tree has them.
lmb_result lmbi_learn_tree_transforms(lmbi_learn *p, lmbi_learn_tree *tree, uint32_t sweeps,
                                      lmb_error *error);

#endif
