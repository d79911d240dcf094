/// A tree that is changed step by step, each of which may be taken back.
#ifndef LEARN_TREE_CONNECT_H
#define LEARN_TREE_CONNECT_H

#include "learn/tree.h"

/// What a change is taken back to.
typedef struct lmbi_tree_snapshot {
    uint32_t bone_count;
    double *bones, *row_weights;
    uint32_t *row_bones;
    lmbi_learn_tree tree;
} lmbi_tree_snapshot;

typedef struct lmbi_tree_connector {
    lmbi_learn *p;
    lmbi_learn_tree *tree;
    lmb_learn_report *report;
    double error_now; ///< mean square error
    lmbi_tree_snapshot kept;
} lmbi_tree_connector;

/// Room for one snapshot in the problem's arena.
lmb_result lmbi_tree_connect_begin(lmbi_tree_connector *c, lmb_error *error);
void lmbi_tree_keep(lmbi_tree_connector *c);
void lmbi_tree_take_back(lmbi_tree_connector *c);
/// Bones first, since the tree has changed, then weights and bones in turn, `most` times (0: until it pays no
/// more).
lmb_result lmbi_tree_settle(lmbi_tree_connector *c, uint32_t most, lmb_error *error);

/// Whether the tree is as near to its frames as its options ask, with joints that may slide.
bool lmbi_tree_is_near(const lmbi_learn *p);
/// Lets one joint after another move in its parent, those first that cost most, until the tree is near
/// or half of them do.
lmb_result lmbi_tree_free_joints(lmbi_tree_connector *c, lmb_error *error);
/// Of joints that all slide holds one after another, those first that cost least, while the tree is near
/// or more than half slide.
lmb_result lmbi_tree_hold_joints(lmbi_tree_connector *c, lmb_error *error);

#endif
