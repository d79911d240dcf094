#include "embed/creature/creature.h"

#include <stdio.h>

/// Weights of the anchors for each axis, fitted by tools/fit-creatures.mjs.
static const float WEIGHTS[][3][LMBI_LOOK] = {
#include "embed/creature/joint_weights.inl"
};

#define PAIRED LMBI_JOINT_PAIRED
#define HINGE (LMBI_JOINT_PAIRED | LMBI_JOINT_HINGE)
#define LEG (LMBI_JOINT_PAIRED | LMBI_JOINT_NUMBERED)
#define ALWAYS LMBI_JOINT_ALWAYS
static const char TRUNK[] = "from the roots of limbs, head and tail", LIMB[] = "along the limb",
                  ROOT[] = "where the limb leaves the body", TAIL[] = "along the tail",
                  SKULL[] = "along head and neck", FIN[] = "where the fin leaves the body";
#define C(chain) LMBI_CHAIN_##chain

/// Trunk, head, tail and hind legs; then front legs, or arms; rows of a reptile on two legs stop
/// before the front legs. The same weights serve both.
#define BODY_ON_LEGS                                                                           \
    {"hips", LMB_NONE, C(HEAD), 0, ALWAYS, 0.8f, TRUNK},                                       \
        {"spine", 0, C(HEAD), 1, ALWAYS, 0.8f, TRUNK},                                         \
        {"chest", 1, C(HEAD), 2, ALWAYS, 0.8f, TRUNK},                                         \
        {"neck", 2, C(HEAD), 3, ALWAYS, 0.8f, SKULL},                                          \
        {"head", 3, C(HEAD), 4, ALWAYS, 0.8f, SKULL}, {"tail1", 0, C(TAIL), 5, 0, 0.8f, TAIL}, \
        {"tail2", 5, C(TAIL), 6, 0, 0.8f, TAIL},                                               \
    {                                                                                          \
        "tail3", 6, C(TAIL), 7, 0, 0.8f, TAIL                                                  \
    }

static const lmbi_joint_row QUADRUPED[] = {
    BODY_ON_LEGS,
    {"FrontShoulder", 2, C(FORE), 8, PAIRED, 0.75f, ROOT},
    {"FrontUpperLeg", 8, C(FORE), 9, PAIRED, 0.75f, ROOT},
    {"FrontLowerLeg", 9, C(FORE), 10, HINGE, 0.75f, LIMB},
    {"FrontFoot", 10, C(FORE), 11, HINGE, 0.75f, LIMB},
    {"BackUpperLeg", 0, C(LEGS), 12, PAIRED, 0.75f, ROOT},
    {"BackLowerLeg", 12, C(LEGS), 13, HINGE, 0.75f, LIMB},
    {"BackFoot", 13, C(LEGS), 14, HINGE, 0.75f, LIMB},
    {"BackToes", 14, C(LEGS), 15, HINGE, 0.75f, LIMB},
    {"UpperArm", 2, C(UPPER), 16, PAIRED, 0.65f, ROOT},
    {"LowerArm", 16, C(UPPER), 17, PAIRED, 0.65f, LIMB},
    {"Hand", 17, C(UPPER), 18, PAIRED, 0.65f, LIMB},
};
static const lmbi_joint_row BIPED[] = {
    BODY_ON_LEGS,
    {"UpperLeg", 0, C(LEGS), 12, PAIRED, 0.75f, ROOT},
    {"LowerLeg", 8, C(LEGS), 13, HINGE, 0.75f, LIMB},
    {"Foot", 9, C(LEGS), 14, HINGE, 0.75f, LIMB},
    {"Toes", 10, C(LEGS), 15, HINGE, 0.75f, LIMB},
    {"UpperArm", 2, C(FORE), 16, PAIRED, 0.65f, ROOT},
    {"LowerArm", 12, C(FORE), 17, PAIRED, 0.65f, LIMB},
    {"Hand", 13, C(FORE), 18, PAIRED, 0.65f, LIMB},
};
static const lmbi_joint_row BIRD[] = {
    {"hips", LMB_NONE, C(HEAD), 19, ALWAYS, 0.8f, TRUNK},
    {"spine", 0, C(HEAD), 20, ALWAYS, 0.8f, TRUNK},
    {"chest", 1, C(HEAD), 21, ALWAYS, 0.8f, TRUNK},
    {"neck", 2, C(HEAD), 22, ALWAYS, 0.75f, SKULL},
    {"head", 3, C(HEAD), 23, ALWAYS, 0.75f, SKULL},
    {"tail", 0, C(TAIL), 24, ALWAYS, 0.75f, TAIL},
    {"UpperArm", 2, C(FORE), 25, PAIRED, 0.75f, ROOT},
    {"LowerArm", 6, C(FORE), 26, PAIRED, 0.75f, LIMB},
    {"Hand", 7, C(FORE), 27, PAIRED, 0.75f, LIMB},
    {"UpperLeg", 0, C(LEGS), 28, PAIRED, 0.7f, ROOT},
    {"LowerLeg", 9, C(LEGS), 29, HINGE, 0.7f, LIMB},
    {"Foot", 10, C(LEGS), 30, HINGE, 0.7f, LIMB},
    {"Toes", 11, C(LEGS), 31, HINGE, 0.7f, LIMB},
};
static const lmbi_joint_row FISH[] = {
    {"spine1", LMB_NONE, C(HEAD), 32, ALWAYS, 0.8f, TRUNK},
    {"spine2", 0, C(HEAD), 33, ALWAYS, 0.8f, TRUNK},
    {"spine3", 1, C(HEAD), 34, ALWAYS, 0.8f, TRUNK},
    {"spine4", 2, C(TAIL), 35, ALWAYS, 0.8f, TRUNK},
    {"spine5", 3, C(TAIL), 36, ALWAYS, 0.8f, TRUNK},
    {"head", 0, C(HEAD), 37, ALWAYS, 0.8f, SKULL},
    {"tailFin", 4, C(TAIL), 38, ALWAYS, 0.8f, "where the body is narrow before the fin"},
    {"dorsalFin", 1, C(UPPER), 39, 0, 0.7f, FIN},
    {"Fin", 0, C(FORE), 40, PAIRED, 0.7f, FIN},
};
/// A leg whose first row has this number.
#define LEG_ROWS(chain, row)                                                                     \
    {"Upper", 0, C(chain), 44, LEG, 0.8f, ROOT}, {"Middle", row, C(chain), 45, LEG, 0.8f, LIMB}, \
    {                                                                                            \
        "Lower", row + 1, C(chain), 46, LEG, 0.8f, LIMB                                          \
    }
static const lmbi_joint_row SPIDER[] = {
    {"body", LMB_NONE, C(HEAD), 41, ALWAYS, 0.85f, "between the roots of the legs"},
    {"abdomen", 0, C(TAIL), 42, ALWAYS, 0.75f, "behind the last legs"},
    {"head", 0, C(HEAD), 43, ALWAYS, 0.7f, "before the first legs"},
    LEG_ROWS(FORE, 3),
    LEG_ROWS(MIDDLE, 6),
    LEG_ROWS(THIRD, 9),
    LEG_ROWS(LEGS, 12),
};
/// A vertebra at `fraction` of the body from the snout.
#define VERTEBRA(number, parent, fraction)                         \
    {                                                              \
        "spine" #number, parent, C(HEAD), LMB_NONE, ALWAYS, 0.85f, \
            "at equal steps along the body", 1 - (fraction), 0, 0  \
    }
static const lmbi_joint_row SNAKE[] = {
    VERTEBRA(1, LMB_NONE, 0.100f),
    VERTEBRA(2, 0, 0.175f),
    VERTEBRA(3, 1, 0.250f),
    VERTEBRA(4, 2, 0.325f),
    VERTEBRA(5, 3, 0.400f),
    VERTEBRA(6, 4, 0.475f),
    VERTEBRA(7, 5, 0.550f),
    VERTEBRA(8, 6, 0.625f),
    VERTEBRA(9, 7, 0.700f),
    VERTEBRA(10, 8, 0.775f),
    VERTEBRA(11, 9, 0.850f),
    VERTEBRA(12, 10, 0.925f),
    {"head", 0, C(HEAD), LMB_NONE, ALWAYS, 0.85f, "a fraction of the body", 0.925f, 0, 0},
};
const lmbi_joint_rows *lmbi_plan_rows(lmbi_body_plan plan)
{
#define BIT(chain) (1u << LMBI_CHAIN_##chain)
#define ROWS(list) .rows = list, .count = sizeof list / sizeof *list, .weights = WEIGHTS
    static const lmbi_joint_rows plans[LMBI_PLANS + 1] = {
        [LMBI_PLAN_HUMAN] = {LMB_SKELETON_HUMAN, BIT(LEGS), 0},
        [LMBI_PLAN_QUADRUPED] = {LMB_SKELETON_QUADRUPED, BIT(LEGS) | BIT(FORE), 0, ROWS(QUADRUPED)},
        [LMBI_PLAN_SIX] = {LMB_SKELETON_QUADRUPED, BIT(LEGS) | BIT(FORE) | BIT(UPPER), 0,
                           ROWS(QUADRUPED)},
        [LMBI_PLAN_BIPED] = {LMB_SKELETON_BIPED, 0, BIT(LEGS), ROWS(BIPED)},
        [LMBI_PLAN_BIRD] = {LMB_SKELETON_BIRD, 0, BIT(LEGS) | BIT(FORE), ROWS(BIRD)},
        [LMBI_PLAN_FISH] = {LMB_SKELETON_FISH, ROWS(FISH), .lines.back_fin = true},
        [LMBI_PLAN_SNAKE] = {LMB_SKELETON_SNAKE, ROWS(SNAKE), .lines.through = true},
        [LMBI_PLAN_SPIDER] = {LMB_SKELETON_SPIDER, BIT(LEGS) | BIT(MIDDLE) | BIT(FORE), 0,
                              ROWS(SPIDER)},
        [LMBI_PLAN_GIVEN] = {LMB_SKELETON_GENERIC},
    };
    return &plans[plan];
}

lmb_skeleton_kind lmbi_plan_kind(lmbi_body_plan plan)
{
    return lmbi_plan_rows(plan)->kind;
}

lmbi_body_plan lmbi_kind_plan(lmb_skeleton_kind kind)
{
    int plan = 0;
    while (plan < LMBI_PLANS && lmbi_plan_kind((lmbi_body_plan)plan) != kind) {
        ++plan;
    }
    return (lmbi_body_plan)plan;
}

/// Sum of the weighted anchors.
static lmb_vec3 weigh(const lmbi_anchors *a, const lmbi_joint_row *row, const float w[3][LMBI_LOOK],
                      int side)
{
    lmb_vec3 look[LMBI_LOOK], sum = {0, 0, 0};
    lmbi_anchors_look(a, (lmbi_chain)row->chain, side, look);
    for (int k = 0; k < LMBI_LOOK; ++k) {
        sum.x += w[0][k] * look[k].x;
        sum.y += w[1][k] * look[k].y;
        sum.z += w[2][k] * look[k].z;
    }
    sum.x = side == 1 ? -sum.x : sum.x;
    return lmb_vec3_add(sum, a->line[row->chain][side].anchors[LMBI_ANCHOR_TIP]);
}

/// The fraction of a joint that a mark draws to it: the mark is the joint with a spread about `at`,
/// or it lies anywhere on the line. The mean of both, by their probabilities.
static float drawn(const lmbi_joint_row *row, float mark)
{
    if (mark < 0 || !(row->spread > 0)) {
        return row->at;
    }
    const float d = (mark - row->at) / row->spread,
                joint = lmb_exp(-0.5f * d * d) / (row->spread * lmb_sqrt(2 * LMB_PI));
    return row->at + joint / (joint + 1) * (mark - row->at);
}

/// The point at the fraction of the row.
static lmb_vec3 on_line(const lmbi_chain_line *line, const lmbi_joint_row *row)
{
    const float mark = row->mark == LMBI_MARK_BEND     ? line->bend
                       : row->mark == LMBI_MARK_NARROW ? line->narrow
                                                       : -1;
    const float at = (1 - drawn(row, mark)) * LMBI_PATH_STEPS;
    const int k = at > 0 ? at < LMBI_PATH_STEPS - 1 ? (int)at : LMBI_PATH_STEPS - 1 : 0;
    return lmb_vec3_lerp(line->path[k], line->path[k + 1], at - (float)k);
}

static lmb_vec3 place_one(const lmbi_anchors *a, const lmbi_joint_rows *plan,
                          const lmbi_joint_row *row, int side)
{
    return row->weights == LMB_NONE ? on_line(&a->line[row->chain][side], row)
                                    : weigh(a, row, plan->weights[row->weights], side);
}

/// A joint without a side that anchors place lies on the mirror plane. Two that nearly are mirror
/// images become such.
static lmb_vec3 place(const lmbi_anchors *a, const lmbi_joint_rows *plan, const lmbi_joint_row *row,
                      int side)
{
    const float alike = 0.03f;
    const lmb_vec3 own = place_one(a, plan, row, side);
    if (!(row->flags & LMBI_JOINT_PAIRED)) {
        return row->weights == LMB_NONE ? own : lmb_vec3_make(0, own.y, own.z);
    }
    const lmb_vec3 other = place_one(a, plan, row, 1 - side), image = lmbi_mirrored(other);
    return lmb_vec3_distance(own, image) < alike ? lmb_vec3_lerp(own, image, 0.5f) : own;
}

/// Number from the front of the pair of legs on a chain, among those that are seen.
static uint32_t leg_number(const lmbi_anchors *a, int chain)
{
    static const lmbi_chain order[4] = {LMBI_CHAIN_FORE, LMBI_CHAIN_MIDDLE, LMBI_CHAIN_THIRD,
                                        LMBI_CHAIN_LEGS};
    uint32_t number = 0;
    for (int k = 0; k < 4; ++k) {
        number += a->seen[order[k]];
        if ((int)order[k] == chain) {
            break;
        }
    }
    return number;
}

void lmbi_joint_name(const lmbi_anchors *a, const lmbi_joint_row *row, int side, char *out,
                     size_t size)
{
    const char *of = !(row->flags & LMBI_JOINT_PAIRED) ? "" : side == 0 ? "left" : "right";
    if (row->flags & LMBI_JOINT_NUMBERED) {
        snprintf(out, size, "%sLeg%u%s", of, leg_number(a, row->chain), row->name);
    } else {
        snprintf(out, size, "%s%s", of, row->name);
    }
}

/// The last joint of a chain ends at its tip, others at themselves.
static bool is_last(const lmbi_joint_rows *plan, uint32_t row)
{
    bool last = true;
    for (uint32_t k = row + 1; k < plan->count; ++k) {
        last = last && plan->rows[k].parent != (int8_t)row;
    }
    return last;
}

/// Where the last joint of a chain ends: at its tip, or at the nearer end of a body that is one
/// line.
static lmb_vec3 end_of(const lmbi_anchors *a, const lmbi_joint_rows *plan,
                       const lmbi_joint_row *row, int side)
{
    const bool far = plan->lines.through && row->chain == LMBI_CHAIN_HEAD && row->at < 0.5f;
    return a->line[row->chain][side].path[far ? LMBI_PATH_STEPS : 0];
}

void lmbi_animal_place(const lmbi_body_shape *shape, const lmbi_joint_rows *plan,
                       const lmbi_anchors *anchors, lmb_embedding *out)
{
    int32_t made[LMBI_MOST_ROWS][2];
    lmbi_embedding_writer c;
    lmbi_embedding_begin(&c, plan->kind, &shape->frame, shape->box.high.y, out);
    for (int side = -1; side < 2; ++side) {
        for (uint32_t r = 0; r < plan->count; ++r) {
            const lmbi_joint_row *row = &plan->rows[r];
            const bool paired = row->flags & LMBI_JOINT_PAIRED;
            if (paired != (side >= 0) ||
                !(anchors->seen[row->chain] || (row->flags & LMBI_JOINT_ALWAYS))) {
                continue;
            }
            const int own = paired ? side : 0;
            char name[LMB_EMBEDDING_NAME];
            lmbi_joint_name(anchors, row, own, name, sizeof name);
            const int32_t parent = row->parent == LMB_NONE ? LMB_NONE : made[row->parent][own],
                          joint = lmbi_embedding_add_joint(&c, name, parent,
                                                           place(anchors, plan, row, own),
                                                           row->confidence, row->reason);
            made[r][own] = joint;
            made[r][1] = paired ? made[r][1] : joint;
            if (row->flags & LMBI_JOINT_HINGE) {
                out->hinges[joint] = out->left;
            }
            if (is_last(plan, r)) {
                lmbi_embedding_set_tip(&c, joint, end_of(anchors, plan, row, own));
            }
        }
    }
}
