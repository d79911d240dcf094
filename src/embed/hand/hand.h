/// The steps that find the joints of a hand: its fingers among the tips of a solid, voxels in its own
/// frame, lines and bends of fingers, the wrist.
#ifndef EMBED_HAND_HAND_H
#define EMBED_HAND_HAND_H

#include "embed/shape/shape.h"
#include "limber/math.h"

// ---- which tips are fingers

enum { LMBI_FINGERS = 5, LMBI_THUMB = 0, LMBI_INDEX, LMBI_MIDDLE, LMBI_RING, LMBI_LITTLE };

/// Reference point and cell size for measuring tips.
typedef struct lmbi_finger_view {
    lmb_vec3 from;
    float cell;
    float shortest; ///< shorter branches are no fingers
} lmbi_finger_view;

enum { LMBI_FINGER_TIPS = 9 }; ///< only this many of the longest tips are candidates

/// Chooses the five tips most like fingers: of similar direction and size, side by side. Returns
/// their cost; above 2 there are none. `out_chosen`: a bit for each tip.
float lmbi_fingers_choose(const lmbi_tip *tips, uint32_t count, const lmbi_finger_view *view,
                          lmbi_tip out[LMBI_FINGERS], uint32_t *out_chosen);

/// Orders the tips across the hand, the thumb first. `along`: unit, from the wrist to the finger
/// tips. Returns how much more that tip is like a thumb than the other end of the row, 0 to about
/// 5.
float lmbi_fingers_order(lmb_vec3 along, lmbi_tip tips[LMBI_FINGERS]);

/// The finger, other than the thumb, that reaches farthest. Its branch is not limited by a web.
uint32_t lmbi_fingers_longest(const lmbi_tip tips[LMBI_FINGERS]);

typedef struct lmbi_palm {
    lmb_vec3 wrist;
    lmb_vec3 along;  ///< unit, from the wrist to the knuckles
    lmb_vec3 across; ///< unit, orthogonal to it, in the plane of the palm
    float length;    ///< from the wrist to the end of the longest finger
} lmbi_palm;

// ---- where fingers bend

enum { LMBI_BENDING_FINGERS = 4, LMBI_FINGER_STEPS = 24 };

/// A finger's medial line at equal steps, from its end to the knuckle.
typedef struct lmbi_finger_path {
    lmb_vec3 at[LMBI_FINGER_STEPS];
    float length;
} lmbi_finger_path;

/// Positions of the two joints, as fractions of the path from its end to the knuckle.
typedef struct lmbi_bends {
    float middle, outer;
} lmbi_bends;

/// Modellers place edge loops closer together where a finger bends, so this moves the usual
/// positions toward the highest density of vertices. `bends` comes with the usual positions, and
/// keeps them if the density is even. `soup`: in the space of the paths.
void lmbi_finger_bends(const lmbi_triangle_soup *soup,
                       const lmbi_finger_path paths[LMBI_BENDING_FINGERS],
                       lmbi_bends bends[LMBI_BENDING_FINGERS]);

// ---- joints

typedef struct lmbi_hand {
    bool found;    ///< a thumb and four fingers were found
    bool separate; ///< the fingers are separate down to their webs
    float thumb;   ///< confidence of which end of the row is the thumb: lmbi_fingers_order
    /// thumb, index, middle, ring, little; from the palm outward; in the space of the soup
    lmb_vec3 joint[LMBI_FINGERS][3];
    lmb_vec3 tip[LMBI_FINGERS];
    lmb_vec3 wrist;
    bool wrist_seen; ///< from the narrowing of the hand
} lmbi_hand;

/// Finds the hand around the palm, in voxels of which `cells` lie along it. Fingers that reach farther than 1.3 times
/// palm->length are not found. Errors: MEMORY.
lmb_result lmbi_hand_find(const lmbi_triangle_soup *soup, const lmbi_palm *palm, float cells,
                          const lmb_allocator *alloc, lmbi_hand *out, lmb_error *error);

/// The hand between a wrist and its farthest end, which differ. Errors: MEMORY.
lmb_result lmbi_find_fingers(const lmbi_triangle_soup *soup, lmb_vec3 wrist, lmb_vec3 tip,
                             const lmb_allocator *alloc, lmbi_hand *out, lmb_error *error);

/// Moves a line traced from the tip of a finger to the centers of its cross-sections, up to the arc
/// `free`, where the finger joins the hand, and extends it to the surface at the tip. The line stays
/// as it is if few sections are usable.
void lmbi_finger_center(const lmbi_voxel_body *body, float free, lmbi_limb_profile *line);

typedef struct lmbi_wrist {
    lmb_vec3 at;
    bool seen; ///< from the narrowing of the hand, not the usual fraction of its width
} lmbi_wrist;

/// The wrist in the space of a voxelised hand, where y runs along the palm. `knuckles`: middle of
/// the four; `width`: from the first to the last of them; `finger`: length of the middle finger.
lmbi_wrist lmbi_wrist_find(const lmbi_voxel_body *body, lmb_vec3 knuckles, float width,
                           float finger);

#endif
