/// Hands: their joints as a network sees them.
#ifndef EMBED_HAND_HAND_H
#define EMBED_HAND_HAND_H

#include "embed/shape/shape.h"
#include "embed/volume/volume.h"
#include "limber/math.h"

enum { LMBI_FINGERS = 5, LMBI_THUMB = 0, LMBI_INDEX, LMBI_MIDDLE, LMBI_RING, LMBI_LITTLE };

/// The wrist, three joints of each finger from the palm outward, and the fingers' ends.
enum { LMBI_WRIST = 0, LMBI_HAND_JOINTS = 1 + 4 * LMBI_FINGERS };

/// The index of a finger's joint, 0 to 2, or of its end, 3.
static inline int lmbi_finger_joint(int finger, int joint)
{
    return joint < 3 ? 1 + 3 * finger + joint : 1 + 3 * LMBI_FINGERS + finger;
}

typedef struct lmbi_hand {
    lmb_vec3 at[LMBI_HAND_JOINTS]; ///< in the mesh's space
    float sure;                    ///< the mean chance that a joint is near, 0 to 1
} lmbi_hand;

/// A frame in which every hand lies like a left one: x to the thumb's side, y from the wrist to the knuckles, z to the back
/// of the hand. Of a right hand these axes are left-handed.
typedef struct lmbi_hand_view {
    lmb_vec3 axes[3], wrist;
    float
        length; ///< from the wrist to the end of the longest finger: twice as far as to the knuckles
} lmbi_hand_view;

/// The frame that joints of a hand show; false where they lie in one place or on one line.
bool lmbi_view_of_hand(const lmbi_hand *hand, bool right, lmbi_hand_view *out);
/// The frame at the end of an arm, as it hangs on a body: turned from the body's axes as little as can be; `end` is how far
/// the solid goes on. Elbow and wrist differ.
lmbi_hand_view lmbi_view_of_arm(lmb_vec3 elbow, lmb_vec3 wrist, lmb_vec3 end, lmb_vec3 left,
                                lmb_vec3 forward, bool right);
/// What is seen in a frame. Errors: INVALID for one without an extent; MEMORY.
lmb_result lmbi_hand_volume(const lmbi_triangle_soup *soup, const lmbi_hand_view *view,
                            const lmb_allocator *alloc, lmbi_volume *out, lmb_error *error);

/// Sees a hand about where a frame lies, then, for further looks, in the frames that it shows itself. Errors: MEMORY.
enum { LMBI_HAND_LOOKS = 3 };
/// What is less sure is not looked at again: it has five fingers with a chance of a hundredth by the line of see_hand.c.
static const float LMBI_HAND_HOPELESS = 0.05f;
lmb_result lmbi_see_hand(lmbi_volume_network *network, const lmbi_triangle_soup *soup,
                         const lmbi_hand_view *from, int looks, const lmb_allocator *alloc,
                         lmbi_hand *out, lmb_error *error);

/// A hand without a body.
typedef struct lmbi_lone_hand {
    lmbi_hand hand;
    bool right;
    float other; ///< how sure its mirror image is, as a hand of the other side
} lmbi_lone_hand;

/// Sees a mesh along its principal axes as a hand of either side. Errors: MEMORY.
lmb_result lmbi_see_lone_hand(const lmbi_triangle_soup *soup, const lmb_allocator *alloc,
                              lmbi_lone_hand *out, lmb_error *error);

/// Chance that what was seen so surely is a hand with five fingers, and that it is of this side.
float lmbi_hand_chance(float sure);
float lmbi_hand_side_chance(const lmbi_lone_hand *hand);

#endif
