/// Shared by the steps of a skinning decomposition.
#ifndef LEARN_LEARN_H
#define LEARN_LEARN_H

#include "base/arena.h"
#include "limber/learn.h"

/// The problem in normalised coordinates: points (vertices that coincide in all shapes) relative to
/// the centroid of the rest shape, in units of their root mean square distance from it; every frame
/// relative to its own centroid.
typedef struct lmbi_learn {
    const lmb_learn_def *def;
    lmb_learn_opts opts;
    lmbi_arena arena;
    uint32_t point_count, frame_count;
    uint32_t *point_of;                     ///< [vertex_count]
    double *rest;                           ///< [point_count][3]
    float *positions;                       ///< [point_count][3][frame_count]
    double center[3], size, *frame_centers; ///< [frame_count][3] in units of the mesh
    /// neighbours along the edges of the surface, with weights; those of a point sum to 1
    uint32_t *neighbour_first, *neighbours;
    double *neighbour_weights;

    bool fits_affine; ///< after the rigid clusters have been found
    bool
        seeks_everywhere; ///< bones far from a point are candidates of its row when it is solved for
    uint32_t bone_count, influences;
    uint32_t target_count; ///< bones that were asked for; opts.bone_count is the bone capacity
    double
        near_error; ///< in units of the mesh: joints of a tree slide until it is so near; 0: all hold
    uint32_t fixed_count; ///< of the first bones, which keep their transforms when bones are fitted
    double *bones;        ///< [bone capacity][3][4][frame_count] rows of [R | t]
    /// [point_count][influences] falling weights; those from the first 0 on are unused
    uint32_t *row_bones;
    double *row_weights;
    uint32_t *next_bones; ///< rows being computed
    double *next_weights;
    /// [point_count][bone capacity] weights diffused along the surface, with opts.smooth, and their
    /// double buffer
    double *smoothed, *smoothing;
    double *point_errors; ///< [point_count] mean square over the frames
    /// [point_count] how much a point counts when bones are fitted, 1 in the mean; NULL: all alike
    double *importance;
    /// the same rows by bone: bone j has list_points[list_first[j] .. list_first[j + 1])
    uint32_t *list_first, *list_points;
    double *list_weights;
} lmbi_learn;

/// Checks `def`, and fills all but the bones and rows.
lmb_result lmbi_learn_prepare(lmbi_learn *p, lmb_error *error);

/// Allocates bones and rows.
lmb_result lmbi_learn_allocate(lmbi_learn *p, lmb_error *error);

// Fewer points, from which the bones of all can be found.

/// Whether there are so many points that fewer tell as much.
bool lmbi_learn_is_fine(const lmbi_learn *p);
/// The problem with some of the points, in an arena of its own that the caller frees, after failure too.
/// seed_of[point_count] receives the coarse point that each point goes with.
lmb_result lmbi_learn_coarsen(const lmbi_learn *p, lmbi_learn *coarse, uint32_t *seed_of,
                              lmb_error *error);
/// Frees the coarse problem, then allocates bones and rows: its bones, and the row of its coarse point for
/// each point.
lmb_result lmbi_learn_take_coarse(lmbi_learn *p, lmbi_learn *coarse, const uint32_t *seed_of,
                                  lmb_error *error);

static inline double *lmbi_learn_bone(const lmbi_learn *p, uint32_t bone, uint32_t element)
{
    return p->bones + ((size_t)bone * 12 + element) * p->frame_count;
}
/// Mean squared distance over the frames of a point moved by one bone from its position.
double lmbi_learn_bone_error(const lmbi_learn *p, uint32_t point, uint32_t bone);
/// Fills point_errors and returns their mean.
double lmbi_learn_measure_errors(lmbi_learn *p);
/// Fills the lists from the rows.
void lmbi_learn_index_rows(lmbi_learn *p);

/// Rigid clusters: one bone per point, at most opts.bone_count bones, transforms fitted.
lmb_result lmbi_learn_cluster(lmbi_learn *p, lmb_error *error);
/// Fits the bones of every frame, one after another, `sweeps` times, with fixed rows. Needs the
/// lists.
lmb_result lmbi_learn_fit_transforms(lmbi_learn *p, uint32_t sweeps, lmb_error *error);
/// Sets a bone's rigid transforms to those nearest to some points' motions.
void lmbi_learn_fit_bone(lmbi_learn *p, uint32_t bone, const uint32_t *points, uint32_t count);
/// Solves every point's row with fixed bones. No point's cost rises.
void lmbi_learn_solve_weights(lmbi_learn *p);
/// Fills `smoothed` from the rows. With opts.smooth above 0 only.
void lmbi_learn_smooth_weights(lmbi_learn *p);
/// Stores as a point's next row the better of one with new bones and the old bones with new weights,
/// or the old row where neither is better.
void lmbi_learn_solve_point(const lmbi_learn *p, uint32_t point);
/// How much a point's cost rises without each bone of its row, when its weights are solved for again.
void lmbi_learn_cost_without(const lmbi_learn *p, uint32_t point, double *costs);
/// Solves every point's rest position with fixed rows and bones. No point's cost rises.
void lmbi_learn_solve_rest(lmbi_learn *p);

/// A hierarchy of bones.
typedef struct lmbi_learn_tree {
    int32_t *parents; ///< [bone_count] parents precede children
    double *joints;   ///< [bone_count][3] in normalised coordinates
    double *anchors;  ///< [bone_count][3] centroid of the skin shared with the parent
    /// [bone_count] weight of the pull of the joint to its anchor, relative to one point's frames
    double *anchor_weights;
    bool *
        slides; ///< [bone_count] joints that also move in their parents; none while the tree changes
} lmbi_learn_tree;
/// Finds joints and hierarchy of the free bones, and renumbers the bones.
lmb_result lmbi_learn_build_tree(lmbi_learn *p, lmbi_learn_tree *tree, lmb_error *error);
/// Brings the bones down to target_count, and solves for rotations, joints and weights with the bones
/// connected.
lmb_result lmbi_learn_connect(lmbi_learn *p, lmbi_learn_tree *tree, lmb_learn_report *report,
                              lmb_error *error);
/// Lets all joints slide, and holds as many as near_error allows.
lmb_result lmbi_learn_slide(lmbi_learn *p, lmbi_learn_tree *tree, lmb_learn_report *report,
                            lmb_error *error);
/// Solves for rotations and joints with fixed rows, in so many steps at most; sets the bones to those of
/// the tree.
lmb_result lmbi_learn_fit_tree(lmbi_learn *p, lmbi_learn_tree *tree, uint32_t steps,
                               lmb_error *error);

/// Brings free bones down to target_count: those go that are missed least, in rounds.
lmb_result lmbi_learn_prune(lmbi_learn *p, lmb_learn_report *report, double *error_now,
                            lmb_error *error);
/// Alternates weights and bones, `most` times (0: as the options say), until the error converges.
/// `error_now` receives the mean square error.
lmb_result lmbi_learn_alternate(lmbi_learn *p, lmbi_learn_tree *tree, uint32_t most,
                                lmb_learn_report *report, double *error_now, lmb_error *error);
lmb_result lmbi_learn_report_progress(const lmbi_learn *p, const char *stage, float fraction,
                                      lmb_error *error);

// The two halves of lmbi_learn_prepare.

/// Fills point_of, rest, at, center, size and frame_centers.
lmb_result lmbi_learn_points(lmbi_learn *p, lmb_error *error);
/// Fills neighbour_first, neighbours and neighbour_weights.
lmb_result lmbi_learn_neighbours(lmbi_learn *p, lmb_error *error);

// The learned rig in units of the mesh.

/// `tree` is NULL for a flat skeleton. Fills the errors of `report`, measured on the
/// single-precision result.
lmb_result lmbi_learn_result(const lmbi_learn *p, const lmbi_learn_tree *tree,
                             const lmb_allocator *alloc, lmb_learned **out,
                             lmb_learn_report *report, lmb_error *error);
/// The rows of all vertices in single precision, each with sum 1, in the arena. False if there is no
/// memory.
bool lmbi_learn_rows(const lmbi_learn *p, lmbi_arena *arena, lmb_influences *out);
/// Kavan's e_rms of a mean square error in normalised coordinates.
double lmbi_learn_e_rms(const lmbi_learn *p, double mean_square);

// Region growing of clusters over the surface.

/// State of growing: labels[point] is the bone of each point.
typedef struct lmbi_growing {
    lmbi_learn *p;
    uint32_t *labels;   ///< [point_count]
    uint32_t *previous; ///< [point_count]
    struct lmbi_grow_candidate *heap;
    size_t heap_count;
    uint32_t *members;   ///< [bone capacity] points of each cluster
    uint32_t *component; ///< [point_count] connected component of the surface
    uint32_t *seeds;     ///< [component] best seed while a bone is seeded
    double *seed_errors; ///< [component] its error
} lmbi_growing;

lmb_result lmbi_grow_init(lmbi_growing *g, lmbi_learn *p, lmb_error *error);
/// Relabels all points. Every bone starts from its best point in each connected component and grows
/// over neighbours, least error first; components without a seed take the best bone. Bones with
/// fewer than `least` points are removed and their points go to the best of the others. Returns how
/// many labels changed.
uint32_t lmbi_grow_labels(lmbi_growing *g, uint32_t least);

#endif
