/// What the steps from free bones to a tree share.
#ifndef LEARN_TREE_H
#define LEARN_TREE_H

#include "learn/learn.h"

/// What two bones have in common.
typedef struct lmbi_learn_pair {
    double shared;        ///< sum of the products of weights
    double centroid[3];   ///< centroid of the shared skin; times `shared` while summing
    double spread;        ///< its variance per axis; sum of squares while summing
    double noise;         ///< mean square error per coordinate of that skin; summed alike
    double anchor_weight; ///< weight of the pull to the centroid, relative to one point's frames
    double joint[3];
    double disagreement; ///< mean squared distance between the two bones' positions of the joint
    double cost;         ///< of an edge of the tree
} lmbi_learn_pair;

typedef struct lmbi_learn_pairs {
    const lmbi_learn *p;
    lmbi_learn_pair *items; ///< [bone][bone], l < j
    double *masses;         ///< [bone] sums of weights
    double *centroids;      ///< [bone][3] centroids of the skin
    double noise;           ///< mean square error per coordinate
} lmbi_learn_pairs;

/// Room for the pairs of the present bones. False if there is no memory.
bool lmbi_learn_pairs_init(lmbi_learn_pairs *h, const lmbi_learn *p, lmbi_arena *arena);
/// Fits the joint of every two bones, at most as many as at init. Needs point_errors, of which
/// `mean_square` is the mean.
void lmbi_learn_fit_pairs(lmbi_learn_pairs *h, double mean_square);

static inline lmbi_learn_pair *lmbi_learn_pair_at(const lmbi_learn_pairs *h, uint32_t j, uint32_t l)
{
    return &h->items[j > l ? (size_t)j * h->p->bone_count + l : (size_t)l * h->p->bone_count + j];
}

/// Numbers the bones of `parents` depth-first, parents before children, with joints and anchors of
/// their pairs, and moves bones and rows to those numbers. Bones whose `merged_into` is another are
/// gone, and what followed them follows that one; NULL: all stay.
lmb_result lmbi_learn_number_tree(lmbi_learn *p, lmbi_learn_tree *tree,
                                  const lmbi_learn_pairs *pairs, const int32_t *parents,
                                  const uint32_t *merged_into, lmb_error *error);

/// The tree from the root that all skin is nearest to.
lmb_result lmbi_learn_reroot_tree(lmbi_learn *p, lmbi_learn_tree *tree, lmb_error *error);
/// Merges bones until at most so many are left. Needs the lists.
lmb_result lmbi_learn_prune_tree(lmbi_learn *p, lmbi_learn_tree *tree, uint32_t bone_count,
                                 lmb_error *error);
/// Splits the bones that miss their skin most, without the first `skip` of them, until there are
/// bone_count where that is possible. Needs the lists.
lmb_result lmbi_learn_split_tree(lmbi_learn *p, lmbi_learn_tree *tree, uint32_t bone_count,
                                 uint32_t skip, lmb_error *error);

/// gains[bone_count] receives by how much the mean square error would fall if the bone's joint could move in
/// its parent, to first order of what that changes; 0 of the root and of joints that do.
lmb_result lmbi_learn_score_joints(lmbi_learn *p, lmbi_learn_tree *tree, double *gains,
                                   lmb_error *error);

/// For each joint that slides: costs[bone_count] receives what holding it would cost, in an order that is that
/// of the errors, and joints[bone_count] where.
lmb_result lmbi_learn_score_holding(lmbi_learn *p, lmbi_learn_tree *tree, double *costs,
                                    double (*joints)[3], lmb_error *error);

/// Sums over the points of z z^T and v z^T, where z has four numbers of each bone: w u and s, the weight
/// of the bone and of all that hang on it.
typedef struct lmbi_tree_moments {
    double *products; ///< [4 bones][4 bones]
    double *targets;  ///< [4 bones][3][frame]
} lmbi_tree_moments;

/// False if there is no memory.
bool lmbi_tree_moments_init(lmbi_tree_moments *to, const lmbi_learn *p, lmbi_arena *arena);
void lmbi_tree_moments_sum(lmbi_tree_moments *to, const lmbi_learn *p, const lmbi_learn_tree *tree);

/// How many frames make one of at most so many groups.
static inline size_t lmbi_tree_group(uint32_t frame_count, uint32_t group_count)
{
    return (frame_count + group_count - 1) / group_count;
}

#endif
