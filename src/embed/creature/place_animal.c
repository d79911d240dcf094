/// The skeletons of animals out of the joints that are seen: rows of joints for each kind.
#include "embed/creature/animal.h"
#include "embed/creature/creature.h"
#include "embed/kinds.h"

#include <math.h>
#include <stdio.h>

/// A joint of a kind: where it lies between two that are seen, on the left of pairs.
typedef struct animal_row {
    const char *name; ///< "Foot" of a pair becomes "leftFoot" and "rightFoot"
    int8_t parent;    ///< row, or LMB_NONE
    uint8_t part;     ///< it has to be seen, but for the body
    uint8_t flags;
    uint8_t at, beside;
    int8_t end; ///< where its bone ends if none hangs on it, or LMB_NONE
} animal_row;

enum { PAIRED = 1, HINGE = 3, NUMBERED = 4, LEG = PAIRED | NUMBERED };

#define AT(joint) LMBI_ANIMAL_##joint, LMBI_ANIMAL_##joint
#define OF(pair, k) LMBI_ANIMAL_##pair + (k), LMBI_ANIMAL_##pair + (k)
#define END(joint) LMBI_ANIMAL_##joint
#define PART(part) LMBI_PART_##part

/// Trunk, head and tail of what stands on legs.
#define ON_LEGS                                               \
    {"hips", LMB_NONE, PART(BODY), 0, AT(HIPS), LMB_NONE},    \
        {"spine", 0, PART(BODY), 0, AT(SPINE), LMB_NONE},     \
        {"chest", 1, PART(BODY), 0, AT(CHEST), LMB_NONE},     \
        {"neck", 2, PART(BODY), 0, AT(NECK), LMB_NONE},       \
        {"head", 3, PART(BODY), 0, AT(HEAD), END(SNOUT)},     \
        {"tail1", 0, PART(TAIL), 0, AT(TAIL), LMB_NONE},      \
        {"tail2", 5, PART(TAIL), 0, OF(TAIL, 1), LMB_NONE},   \
    {                                                         \
        "tail3", 6, PART(TAIL), 0, OF(TAIL, 2), END(TAIL_END) \
    }
/// Three joints of a wing or an arm, the first of which is a row's.
#define WING(parent, row, part, pair)                                     \
    {"UpperArm", parent, PART(part), PAIRED, OF(pair, 0), LMB_NONE},      \
        {"LowerArm", row, PART(part), PAIRED, OF(pair, 1), LMB_NONE},     \
    {                                                                     \
        "Hand", (row) + 1, PART(part), PAIRED, OF(pair, 2), END(pair) + 3 \
    }
/// Joints of a hind leg.
#define HIND(prefix, row)                                                       \
    {prefix "UpperLeg", 0, PART(HIND), PAIRED, OF(HIND, 0), LMB_NONE},          \
        {prefix "LowerLeg", row, PART(HIND), HINGE, OF(HIND, 1), LMB_NONE},     \
        {prefix "Foot", (row) + 1, PART(HIND), HINGE, OF(HIND, 2), LMB_NONE},   \
    {                                                                           \
        prefix "Toes", (row) + 2, PART(HIND), HINGE, OF(HIND, 3), END(HIND) + 4 \
    }
/// A leg of an insect.
#define INSECT_LEG(row, part, pair, first, end)                                       \
    {"Upper", 0, PART(part), LEG, OF(pair, first), LMB_NONE},                         \
        {"Middle", row, PART(part), LEG, OF(pair, (first) + 1), LMB_NONE},            \
    {                                                                                 \
        "Lower", (row) + 1, PART(part), LEG, OF(pair, (first) + 2), END(pair) + (end) \
    }

static const animal_row QUADRUPED[] = {
    ON_LEGS,
    {"FrontShoulder", 2, PART(FORE), PAIRED, OF(FORE, 0), LMB_NONE},
    {"FrontUpperLeg", 8, PART(FORE), PAIRED, OF(FORE, 1), LMB_NONE},
    {"FrontLowerLeg", 9, PART(FORE), HINGE, OF(FORE, 2), LMB_NONE},
    {"FrontFoot", 10, PART(FORE), HINGE, OF(FORE, 3), END(FORE) + 4},
    HIND("Back", 12),
    WING(2, 16, WING, WING),
    WING(2, 19, ARM, ARM),
};
static const animal_row BIPED[] = {ON_LEGS, HIND("", 8), WING(2, 12, ARM, ARM)};
static const animal_row BIRD[] = {
    {"hips", LMB_NONE, PART(BODY), 0, AT(HIPS), LMB_NONE},
    {"spine", 0, PART(BODY), 0, AT(SPINE), LMB_NONE},
    {"chest", 1, PART(BODY), 0, AT(CHEST), LMB_NONE},
    {"neck", 2, PART(BODY), 0, AT(NECK), LMB_NONE},
    {"head", 3, PART(BODY), 0, AT(HEAD), END(SNOUT)},
    {"tail", 0, PART(TAIL), 0, AT(TAIL), END(TAIL_END)},
    WING(2, 6, WING, WING),
    HIND("", 9),
};
static const animal_row FISH[] = {
    {"spine1", LMB_NONE, PART(BODY), 0, AT(CHEST), LMB_NONE},
    {"spine2", 0, PART(BODY), 0, LMBI_ANIMAL_CHEST, LMBI_ANIMAL_SPINE, LMB_NONE},
    {"spine3", 1, PART(BODY), 0, AT(SPINE), LMB_NONE},
    {"spine4", 2, PART(BODY), 0, LMBI_ANIMAL_SPINE, LMBI_ANIMAL_HIPS, LMB_NONE},
    {"spine5", 3, PART(BODY), 0, AT(HIPS), LMB_NONE},
    {"head", 0, PART(BODY), 0, AT(HEAD), END(SNOUT)},
    {"tailFin", 4, PART(BODY), 0, AT(TAIL), END(TAIL_END)},
    {"dorsalFin", 1, PART(BACK_FIN), 0, AT(BACK_FIN), END(BACK_FIN_END)},
    {"Fin", 0, PART(FIN), PAIRED, OF(FIN, 0), END(FIN) + 1},
};
static const animal_row SPIDER[] = {
    {"body", LMB_NONE, PART(BODY), 0, AT(CHEST), LMB_NONE},
    {"abdomen", 0, PART(TAIL), 0, AT(TAIL), END(TAIL_END)},
    {"head", 0, PART(HEAD), 0, AT(HEAD), END(SNOUT)},
    INSECT_LEG(3, FORE, FORE, 1, 4),
    INSECT_LEG(6, MIDDLE, MIDDLE, 0, 3),
    INSECT_LEG(9, THIRD, THIRD, 0, 3),
    INSECT_LEG(12, HIND, HIND, 0, 4),
};

static const struct {
    const animal_row *rows;
    uint32_t count;
} ROWS[LMB_SKELETON_KINDS] = {
#define KIND(kind) [LMB_SKELETON_##kind] = {kind, sizeof kind / sizeof *kind}
    KIND(QUADRUPED), KIND(BIPED), KIND(BIRD), KIND(FISH), KIND(SPIDER),
};

/// Sureness from which on a part that a kind may have is there.
static const float SEEN = 0.4f;

/// Joints in the frame of the animal.
typedef struct upright {
    const lmbi_seen_animal *seen;
    lmbi_frame frame;
    lmb_vec3 at[LMBI_ANIMAL_JOINTS];
} upright;

/// Limbs of the left lie on the left of those of the right.
static void order_sides(upright *u)
{
    for (int p = 0; p < LMBI_ANIMAL_PAIRS; ++p) {
        lmb_vec3 *left = u->at + lmbi_animal_pairs[p].first,
                 *right = left + lmbi_animal_pairs[p].count;
        float apart = 0;
        for (int k = 0; k < lmbi_animal_pairs[p].count; ++k) {
            apart += left[k].x - right[k].x;
        }
        for (int k = 0; k < lmbi_animal_pairs[p].count && apart < 0; ++k) {
            const lmb_vec3 own = left[k];
            left[k] = right[k];
            right[k] = own;
        }
    }
}

/// Limbs end at the tips of the solid that are near.
static void move_ends_to_tips(upright *u, const lmbi_body_shape *coarse)
{
    const float near = 0.09f;
    for (int p = 0; p < LMBI_ANIMAL_PAIRS; ++p) {
        for (int side = 1; side < 3; ++side) {
            lmb_vec3 *end =
                &u->at[lmbi_animal_pairs[p].first + side * lmbi_animal_pairs[p].count - 1];
            const lmb_vec3 there = lmbi_frame_to(&coarse->frame, lmbi_frame_from(&u->frame, *end));
            const lmbi_tip *tip = lmbi_nearest_tip(coarse, there);
            if (tip && lmb_vec3_distance(tip->position, there) < near) {
                *end = lmbi_frame_to(&u->frame, lmbi_frame_from(&coarse->frame, tip->position));
            }
        }
    }
}

static void symmetrise_all(upright *u)
{
    lmbi_symmetrise(u->at, 0, 0, LMBI_ANIMAL_TAIL);
    lmbi_symmetrise(u->at, LMBI_ANIMAL_TAIL, LMBI_ANIMAL_TAIL, 4);
    lmbi_symmetrise(u->at, LMBI_ANIMAL_BACK_FIN, LMBI_ANIMAL_BACK_FIN, 2);
    for (int p = 0; p < LMBI_ANIMAL_PAIRS; ++p) {
        lmbi_symmetrise(u->at, lmbi_animal_pairs[p].first,
                        lmbi_animal_pairs[p].first + lmbi_animal_pairs[p].count,
                        lmbi_animal_pairs[p].count);
    }
}

/// Number from the front of a pair of legs, among those that are seen.
static uint32_t leg_number(const lmbi_seen_animal *a, int part)
{
    const uint32_t after = part == LMBI_PART_FORE ? 0 : part == LMBI_PART_MIDDLE ? 1 : 2;
    return 1 + after + (part == LMBI_PART_HIND && a->part[LMBI_PART_THIRD] > SEEN);
}

static void name_joint(const lmbi_seen_animal *a, const animal_row *row, int side, char *out,
                       size_t size)
{
    const char *of = !(row->flags & PAIRED) ? "" : side == 0 ? "left" : "right";
    if (row->flags & NUMBERED) {
        snprintf(out, size, "%sLeg%u%s", of, leg_number(a, row->part), row->name);
    } else {
        snprintf(out, size, "%s%s", of, row->name);
    }
}

/// Whether a part is seen, or one that the kind cannot be without. Any has a body.
static bool is_there(const lmbi_seen_animal *a, int part)
{
    return part == LMBI_PART_BODY || a->has >> part & 1 || a->part[part] > SEEN;
}

/// Whether some row of those that are there hangs on a row.
static bool has_child(const animal_row *rows, uint32_t count, uint32_t row)
{
    bool found = false;
    for (uint32_t k = row + 1; k < count; ++k) {
        found = found || rows[k].parent == (int8_t)row;
    }
    return found;
}

static void write_side(const upright *u, int side, lmbi_embedding_writer *w, int32_t made[][2])
{
    const lmbi_seen_animal *a = u->seen;
    const lmb_skeleton_kind kind = a->kind;
    for (uint32_t r = 0; r < ROWS[kind].count; ++r) {
        const animal_row *row = &ROWS[kind].rows[r];
        const bool paired = row->flags & PAIRED;
        if (paired != (side >= 0) || !is_there(a, row->part)) {
            continue;
        }
        const int own = paired ? side : 0;
        const int at = own ? lmbi_animal_other_side(row->at) : row->at,
                  beside = own ? lmbi_animal_other_side(row->beside) : row->beside;
        char name[LMB_EMBEDDING_NAME];
        name_joint(a, row, own, name, sizeof name);
        const int32_t joint = lmbi_embedding_add_joint(
            w, name, row->parent == LMB_NONE ? LMB_NONE : made[row->parent][own],
            lmb_vec3_lerp(u->at[at], u->at[beside], 0.5f), fminf(a->sure[at], a->sure[beside]),
            "where a network that sees the whole body puts it");
        made[r][own] = joint;
        made[r][1] = paired ? made[r][1] : joint;
        if ((row->flags & HINGE) == HINGE) {
            w->out->hinges[joint] = w->out->left;
        }
        if (row->end != LMB_NONE && !has_child(ROWS[kind].rows, ROWS[kind].count, r)) {
            lmbi_embedding_set_tip(w, joint,
                                   u->at[own ? lmbi_animal_other_side(row->end) : row->end]);
        }
    }
}

void lmbi_seen_animal_place(const lmbi_seen_animal *a, const lmbi_body_shape *coarse,
                            const lmbi_triangle_soup *soup, lmb_embedding *out)
{
    enum { MOST_ROWS = 24 };
    upright u = {.seen = a, .frame.axes = {a->axes[0], a->axes[1], a->axes[2]}};
    const lmb_box box = lmbi_soup_bounds_along(soup, a->axes);
    const lmb_vec3 size = lmb_vec3_sub(box.high, box.low);
    float middle = 0;
    for (int k = LMBI_ANIMAL_CHEST; k <= LMBI_ANIMAL_HIPS; ++k) {
        middle += lmb_vec3_dot(a->at[k], a->axes[0]) / 3;
    }
    u.frame.size = lmbi_longest_side(size);
    u.frame.origin =
        lmbi_from_axes(lmb_vec3_make(middle, box.low.y, 0.5f * (box.low.z + box.high.z)), a->axes);
    for (int k = 0; k < LMBI_ANIMAL_JOINTS; ++k) {
        u.at[k] = lmbi_frame_to(&u.frame, a->at[k]);
    }
    order_sides(&u);
    move_ends_to_tips(&u, coarse);
    symmetrise_all(&u);
    lmbi_embedding_writer w;
    int32_t made[MOST_ROWS][2];
    lmbi_embedding_begin(&w, a->kind, &u.frame, size.y / u.frame.size, out);
    for (int side = -1; side < 2; ++side) {
        write_side(&u, side, &w, made);
    }
}
