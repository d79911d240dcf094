/// A separate hand, with or without part of its forearm.
#include "base/error.h"
#include "embed/body_joint.h"
#include "embed/hand/hand.h"
#include "embed/kinds.h"
#include "embed/shape/shape.h"
#include "geometry/volume.h"

#include <math.h>
#include <stdio.h>

enum { FINGERS = LMBI_FINGERS };

typedef struct hand {
    const lmbi_body_shape *v;
    lmbi_tip fingers[FINGERS];
    lmb_vec3 along; ///< unit, from the wrist to the finger tips
    float end;      ///< the arm's end: least coordinate along `along`
    lmbi_hand joints;
    float palm_side; ///< confidence of which side is the palm's
    int side;        ///< 0: left, 1: right
} hand;

/// Chooses the best five of the longest tips. Further tips that point the same way, and more than
/// one that does not, raise the cost.
static float choose_fingers(const lmbi_body_shape *v, hand *h)
{
    const lmb_vec3 middle = lmbi_grid_center(&v->body.grid, v->body.center);
    const lmbi_finger_view view = {.from = middle, .cell = v->body.grid.cell, .shortest = 0.05f};
    uint32_t chosen;
    float cost = lmbi_fingers_choose(v->tips, v->tip_count, &view, h->fingers, &chosen);
    if (chosen == 0) {
        return 3;
    }
    lmb_vec3 sum = {0, 0, 0};
    float least = 1e30f;
    for (int f = 0; f < FINGERS; ++f) {
        const lmb_vec3 d = lmb_vec3_sub(h->fingers[f].position, middle);
        sum = lmb_vec3_add(sum, lmb_vec3_normalize_or(d, lmb_vec3_make(0, 1, 0)));
        least = fminf(least, h->fingers[f].length);
    }
    h->along = lmb_vec3_normalize_or(sum, lmb_vec3_make(0, 1, 0));
    uint32_t arms = 0;
    for (uint32_t t = 0; t < v->tip_count; ++t) {
        const float far = lmb_vec3_dot(lmb_vec3_sub(v->tips[t].position, middle), h->along);
        const float longer = lmbi_excessf(v->tips[t].length / least, 0.5f);
        if ((t < LMBI_FINGER_TIPS && chosen >> t & 1) || !(longer > 0)) {
            continue;
        }
        arms += far <= 0;
        cost += far > 0 ? 3 * longer : arms > 1 ? 0.3f : 0;
    }
    return cost;
}

/// Finds the end of the arm.
static void find_arm(hand *h)
{
    h->end = 1e30f;
    for (uint32_t k = 0; k < h->v->body.solid_count; ++k) {
        h->end = fminf(h->end, lmb_vec3_dot(h->v->body.at[k], h->along));
    }
}

float lmbi_hand_cost(const lmbi_body_shape *shape)
{
    hand h = {.v = shape};
    return choose_fingers(shape, &h);
}

/// How far fingers curl along `normal`, as a fraction of their length: how far their ends lie
/// before the plane of wrist and knuckles.
static float finger_curl(const hand *h, lmb_vec3 normal)
{
    float sum = 0;
    for (int f = 1; f < FINGERS; ++f) {
        const lmb_vec3 knuckle = h->joints.joint[f][0],
                       base = lmb_vec3_sub(knuckle, h->joints.wrist);
        const lmb_vec3 straight = lmb_vec3_normalize_or(base, h->along);
        const lmb_vec3 out = lmb_vec3_sub(h->joints.tip[f], knuckle);
        sum += lmb_vec3_dot(lmb_vec3_mad(out, straight, -lmb_vec3_dot(out, straight)), normal) /
               fmaxf(lmb_vec3_length(out), 1e-5f);
    }
    return sum / 4;
}

/// Decides between left and right. Fingers curl toward the palm, and the thumb lies before it; the
/// stronger hint wins. The curl is clamped, since a misplaced wrist makes straight fingers seem to
/// curl.
static void find_side(hand *h)
{
    const float curl_counts = 0.3f, thumb_counts = 1.2f;
    lmb_vec3 thumbward = lmb_vec3_sub(h->joints.joint[1][0], h->joints.joint[4][0]);
    thumbward = lmb_vec3_mad(thumbward, h->along, -lmb_vec3_dot(thumbward, h->along));
    thumbward = lmb_vec3_normalize_or(thumbward, lmb_vec3_any_perpendicular(h->along));
    const lmb_vec3 normal = lmb_vec3_cross(thumbward, h->along),
                   plane = lmb_vec3_sub(h->joints.joint[0][2], h->joints.wrist);
    const float thumb = lmb_vec3_dot(plane, normal) / fmaxf(lmb_vec3_length(plane), 1e-5f);
    const float to_palm = fminf(fmaxf(finger_curl(h, normal), -curl_counts), curl_counts) +
                          thumb_counts * thumb; // above 0: the palm faces along normal
    // With the palm toward the viewer and fingers up, a left hand has its thumb on the left.
    h->side = to_palm > 0 ? 1 : 0;
    h->palm_side = fabsf(to_palm);
}

/// Confidence of the fingers' joints, and its reason. A hand that may be mirrored has low
/// confidence as a whole.
static float finger_confidence(const hand *h, const char **out_reason)
{
    const float flat = 0.1f, unclear = 1, doubtful = 0.05f;
    const char *why = "a fraction of a finger that stands apart";
    why = h->palm_side < flat ? "a flat hand: left and right are a guess" : why;
    why = h->joints.thumb < unclear ? "five fingers alike: which is the thumb is a guess" : why;
    why = !h->joints.separate ? "fingers that do not part" : why;
    *out_reason = why;
    return h->palm_side < flat || h->joints.thumb < unclear || !h->joints.separate ? doubtful
                                                                                   : 0.8f;
}

static int32_t write_arm(hand *h, lmbi_embedding_writer *c)
{
    const char *const arm[2] = {"leftLowerArm", "rightLowerArm"}, *const name[2] = {"leftHand",
                                                                                    "rightHand"};
    const float finger = lmb_vec3_distance(h->joints.joint[2][0], h->joints.tip[2]);
    const float behind = lmb_vec3_dot(h->joints.wrist, h->along) - h->end;
    const float sure = h->joints.wrist_seen ? 0.8f : 0.55f;
    int32_t root = LMB_NONE;
    if (behind > 0.5f * finger) {
        uint8_t scratch[LMBI_SECTION_CELLS * LMBI_SECTION_CELLS];
        const lmbi_voxel_body *body = &h->v->body;
        lmb_vec3 p = lmb_vec3_mad(h->joints.wrist, h->along, -0.88f * behind);
        // the voxel at the center of the section must be solid
        p = lmbi_grid_center(&body->grid, lmbi_body_nearest_voxel(body, p));
        lmbi_section_area(body, p, h->along, 0.8f * finger, scratch, &p);
        root = lmbi_embedding_add_joint(c, arm[h->side], LMB_NONE, p, 0.7f,
                                        "where the forearm is cut");
    }
    return lmbi_embedding_add_joint(
        c, name[h->side], root, h->joints.wrist, sure,
        sure > 0.7f ? "where the hand has narrowed to the forearm"
                    : "a usual fraction of the palm's width behind the knuckles");
}

/// Gives the embedding the mesh's own orientation, not that in which the hand was measured.
static void set_axes_of_mesh(const lmbi_body_shape *mesh, const lmbi_mirror *plane, lmb_vec3 up,
                             lmb_embedding *out)
{
    const lmb_vec3 v[3] = {plane->normal, up, lmb_vec3_cross(plane->normal, up)}, zero = {0, 0, 0};
    lmb_vec3 *const axes[3] = {&out->left, &out->up, &out->forward};
    for (int k = 0; k < 3; ++k) {
        const lmb_vec3 *a = mesh->frame.axes;
        const lmb_vec3 in_mesh =
            lmb_vec3_mad(lmb_vec3_mad(lmb_vec3_scale(a[0], v[k].x), a[1], v[k].y), a[2], v[k].z);
        *axes[k] = lmb_vec3_add(in_mesh, zero); // -0 + 0 is 0, so no negative zeros are written
    }
    float low = 1e30f, high = -1e30f;
    for (uint32_t k = 0; k < mesh->body.solid_count; ++k) {
        const float h = lmb_vec3_dot(mesh->body.at[k], up);
        low = fminf(low, h);
        high = fmaxf(high, h);
    }
    out->height = (high - low) * mesh->frame.size;
    out->ground = lmb_vec3_mad(mesh->frame.origin, out->up, low * mesh->frame.size);
}

/// A first estimate of the palm from the ends of the fingers and the webs between them.
static lmbi_palm rough_palm(const hand *h)
{
    const lmb_vec3 middle = lmbi_grid_center(&h->v->body.grid, h->v->body.center);
    const uint32_t longest = lmbi_fingers_longest(h->fingers);
    lmb_vec3 webs = {0, 0, 0};
    float length = 0;
    for (uint32_t t = 1; t < FINGERS; ++t) {
        if (t != longest) {
            webs = lmb_vec3_mad(webs, h->fingers[t].base, 1.0f / 3);
            length += h->fingers[t].length / 3;
        }
    }
    lmbi_palm p;
    p.along = lmb_vec3_normalize_or(lmb_vec3_sub(webs, middle), h->along);
    const lmb_vec3 wide = lmb_vec3_sub(h->fingers[1].position, h->fingers[4].position);
    p.across = lmb_vec3_normalize_or(lmb_vec3_mad(wide, p.along, -lmb_vec3_dot(wide, p.along)),
                                     lmb_vec3_any_perpendicular(p.along));
    // The wrist is 1.6 finger lengths behind the webs: a palm is as long as whole fingers, part of
    // which lies inside it.
    p.wrist = lmb_vec3_mad(webs, p.along, -1.6f * length);
    p.length = 2.8f * length;
    return p;
}

lmb_result lmbi_hand_place(const lmbi_body_shape *shape, const lmbi_body_shape *mesh,
                           const lmbi_mirror *plane, lmb_vec3 up, lmb_embedding *out,
                           lmb_error *error)
{
    hand h = {.v = shape};
    choose_fingers(shape, &h);
    find_arm(&h);
    lmbi_fingers_order(h.along, h.fingers);
    const lmbi_palm palm = rough_palm(&h);
    const float cells = 96;
    const lmb_result result =
        lmbi_hand_find(&shape->soup, &palm, cells, shape->alloc, &h.joints, error);
    if (result != LMB_OK) {
        return result;
    }
    if (!h.joints.found) {
        return lmbi_fail(error, LMB_ERROR_UNSUPPORTED, "a hand with five fingers apart",
                         "fingers that cannot be followed");
    }
    find_side(&h);
    lmbi_embedding_writer c;
    lmbi_embedding_begin(&c, LMB_SKELETON_HAND, &shape->frame, 0, out);
    set_axes_of_mesh(mesh, plane, up, out);
    const int32_t wrist = write_arm(&h, &c);
    const char *reason;
    const float sure = finger_confidence(&h, &reason);
    for (uint32_t k = 0; k < LMBI_FINGER_JOINTS / 2; ++k) {
        const uint32_t named = LMBI_BODY_JOINTS + (uint32_t)h.side * (LMBI_FINGER_JOINTS / 2) + k;
        const int32_t parent = k % 3 == 0 ? wrist : (int32_t)c.out->joint_count - 1;
        const int32_t j = lmbi_embedding_add_joint(&c, lmbi_body_joint_name(named), parent,
                                                   h.joints.joint[k / 3][k % 3], sure, reason);
        if (k % 3 == 2) {
            lmbi_embedding_set_tip(&c, j, h.joints.tip[k / 3]);
        }
    }
    return LMB_OK;
}
