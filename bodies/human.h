/// One human as drawn from the seed, shared by the makers of its parts. Lengths in metres.
#ifndef BODIES_HUMAN_H
#define BODIES_HUMAN_H

#include "bodies/body.h"

enum { HIPS, SPINE, CHEST, UPPER_CHEST, NECK, HEAD, LEFT_SIDE };
/// Bones of a side; bone = LEFT_SIDE + side * SIDE_BONES + one of these.
enum {
    SHOULDER,
    UPPER_ARM,
    LOWER_ARM,
    HAND,
    FINGERS,
    UPPER_LEG = FINGERS + 15,
    LOWER_LEG,
    FOOT,
    TOES,
    SIDE_BONES
};

typedef enum lmbi_hand_kind { HAND_FINGERS, HAND_MITTEN, HAND_FIST, HAND_NONE } lmbi_hand_kind;
typedef enum lmbi_top_kind { TOP_BARE, TOP_SHORT, TOP_LONG, TOP_COAT } lmbi_top_kind;
typedef enum lmbi_bottom_kind {
    BOTTOM_TROUSERS,
    BOTTOM_SHORTS,
    BOTTOM_SKIRT,
    BOTTOM_BRIEFS,
    BOTTOM_BARE
} lmbi_bottom_kind;
typedef enum lmbi_shoe_kind { SHOES, BOOTS, BAREFOOT } lmbi_shoe_kind;
typedef enum lmbi_hair_kind {
    HAIR_SHORT,
    HAIR_LONG,
    HAIR_BUN,
    HAIR_SPIKES,
    HAIR_TAIL,
    HAIR_AFRO,
    HAIR_NONE,
    HAIR_HAT
} lmbi_hair_kind;

typedef struct lmbi_human {
    lmbi_plan *plan;
    float height, head, neck, torso,
        leg;             ///< parts of the height, from the crown down; hip joint to ground is leg
    float shoulder, hip; ///< half distances between the joints
    float upper_arm, lower_arm, hand, foot;
    float girth, belly, arm_girth, leg_girth, muscle, bust,
        hips_width; ///< factors, 1 is usual; bust and belly 0 to 1
    float nose, ears, jaw, eye_size;
    lmbi_hand_kind hands[2];
    lmbi_top_kind top;
    lmbi_bottom_kind bottom;
    lmbi_shoe_kind shoes;
    lmbi_hair_kind hair;
    bool beard, belt, own_hair, own_eyes, own_belt, own_shoes; ///< own: a shell of its own
    bool arm_missing[2];
    uint16_t skin, shirt, trousers, leather, sole, hairs, lips, strap, trim;
    lmbi_implicit *body, *hair_shell, *belt_shell, *shoe_shell;
} lmbi_human;

static inline int lmbi_side_bone(int side, int which)
{
    return LEFT_SIDE + side * SIDE_BONES + which;
}
static inline lmb_vec3 lmbi_human_at(const lmbi_human *h, int bone)
{
    return h->plan->bones[bone].at;
}
/// Position of a left bone, which the makers of both sides use with a mirrored brush.
static inline lmb_vec3 lmbi_human_left(const lmbi_human *h, int which)
{
    return h->plan->bones[LEFT_SIDE + which].at;
}

void lmbi_human_skeleton(lmbi_human *human);
void lmbi_human_pose(lmbi_human *human, const lmb_made_body_opts *opts, lmb_random *random);
void lmbi_human_head(lmbi_human *human);
void lmbi_human_hair(lmbi_human *human);
void lmbi_human_trunk(lmbi_human *human);
void lmbi_human_arm(lmbi_human *human, int side);
void lmbi_human_hand(lmbi_human *human, int side);
void lmbi_human_leg(lmbi_human *human, int side);
void lmbi_human_foot(lmbi_human *human, int side);

#endif
