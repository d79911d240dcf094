/// A template of a kind of body that a user gives as text, or that a built-in kind is written as.
/// Its text names this room's own measurements and anchors, so it is read here, not in io.
#ifndef EMBED_TEMPLATE_BODY_TEMPLATE_H
#define EMBED_TEMPLATE_BODY_TEMPLATE_H

#include "embed/creature/creature.h"
#include "embed/match/match.h"
#include "limber/embed.h"

enum { LMBI_TEMPLATE_NAME = 24 };

struct lmb_body_template {
    const lmb_allocator *alloc;
    char name[LMBI_TEMPLATE_NAME];
    lmb_skeleton_kind kind; ///< what the skeleton counts as; GENERIC: nothing else
    lmbi_template plan;
    lmbi_spread own[LMBI_OWN_FEATURES];
    uint32_t needed, both; ///< bits of chains, as lmbi_joint_rows has them
    lmbi_line_plan lines;
    uint32_t joint_count;
    lmbi_joint_row joints[LMBI_MOST_ROWS]; ///< names point to `names`
    char names[LMBI_MOST_ROWS][LMBI_TEMPLATE_NAME];
    float weights[LMBI_MOST_ROWS][3][LMBI_LOOK];
};

/// The rows of the joints of a template, which must outlive them.
lmbi_joint_rows lmbi_template_rows(const lmb_body_template *given);

#endif
