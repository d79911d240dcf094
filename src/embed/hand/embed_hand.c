/// A separate hand, with or without part of its forearm.
#include "base/error.h"
#include "embed/hand/hand.h"
#include "embed/kinds.h"
#include "linalg/linalg.h"
#include "mapping/body_joint.h"

#include <math.h>
#include <string.h>

// ---- where it may lie

/// The bounds of the vertices of triangles beyond a height along axes.
static lmb_box bounds_above(const lmbi_triangle_soup *soup, const lmb_vec3 axes[3], float low)
{
    lmb_box box = lmb_box_empty();
    for (uint32_t c = 0; c < 3 * soup->triangle_count; ++c) {
        const lmb_vec3 p = lmbi_along_axes(soup->positions[soup->triangles[c]], axes);
        box = p.y >= low ? lmb_box_add(box, p) : box;
    }
    return box;
}

/// The frame of a left hand that takes the `share` of the mesh which is uppermost along the second axis.
static lmbi_hand_view view_at_end(const lmbi_triangle_soup *soup, const lmb_vec3 axes[3],
                                  float share)
{
    const lmb_box whole = lmbi_soup_bounds_along(soup, axes);
    const float length = share * (whole.high.y - whole.low.y);
    const lmb_box end = bounds_above(soup, axes, whole.high.y - length);
    lmb_vec3 wrist = lmb_vec3_lerp(end.low, end.high, 0.5f);
    wrist.y = whole.high.y - length;
    lmbi_hand_view v = {.wrist = lmbi_from_axes(wrist, axes), .length = length};
    memcpy(v.axes, axes, sizeof v.axes);
    return v;
}

/// Hands are longest along one of the two longer principal axes of their surface, and wide along the other.
enum { FRAMES = 8 };

static void list_frames(const lmbi_triangle_soup *soup, lmbi_hand_view out[FRAMES])
{
    const float share = 0.77f; // between a hand without a forearm and one with half of it
    double moments[3][3] = {{0}}, values[3], vectors[3][3];
    lmbi_soup_moments(soup, moments);
    lmbi_eigen3((const double(*)[3])moments, values, vectors);
    for (int k = 0; k < FRAMES; ++k) {
        const int along = k & 1;
        lmb_vec3 axes[3];
        for (int a = 0; a < 2; ++a) {
            const double *v = vectors[a == 1 ? along : 1 - along];
            const float sign = k >> (1 + a) & 1 ? -1.0f : 1.0f;
            axes[a] = lmb_vec3_make(sign * (float)v[0], sign * (float)v[1], sign * (float)v[2]);
        }
        axes[2] = lmb_vec3_cross(axes[0], axes[1]);
        out[k] = view_at_end(soup, axes, share);
    }
}

/// Sees a mesh as a hand of one side: where one look at each frame is surest, again in the frames that it shows itself.
static lmb_result see_side(lmbi_volume_network *network, const lmbi_triangle_soup *soup,
                           const lmbi_hand_view frames[FRAMES], bool right,
                           const lmb_allocator *alloc, lmbi_hand *out, lmb_error *error)
{
    lmb_result result = LMB_OK;
    lmbi_hand seen;
    lmbi_hand_view view;
    out->sure = -1;
    for (int k = 0; k < FRAMES && result == LMB_OK; ++k) {
        view = frames[k];
        view.axes[2] = right ? lmb_vec3_neg(view.axes[2]) : view.axes[2];
        result = lmbi_see_hand(network, soup, &view, 1, alloc, &seen, error);
        *out = result == LMB_OK && seen.sure > out->sure ? seen : *out;
    }
    return result == LMB_OK && lmbi_view_of_hand(out, right, &view)
               ? lmbi_see_hand(network, soup, &view, LMBI_HAND_LOOKS, alloc, out, error)
               : result;
}

/// How sure the same is in a mirror, as a hand of the other side.
static lmb_result see_as_other(lmbi_volume_network *network, const lmbi_triangle_soup *soup,
                               lmbi_lone_hand *h, const lmb_allocator *alloc, lmb_error *error)
{
    lmbi_hand seen = {.sure = h->hand.sure};
    lmbi_hand_view view;
    lmb_result result = LMB_OK;
    if (lmbi_view_of_hand(&h->hand, !h->right, &view)) {
        result = lmbi_see_hand(network, soup, &view, 1, alloc, &seen, error);
    }
    h->other = seen.sure;
    return result;
}

lmb_result lmbi_see_lone_hand(const lmbi_triangle_soup *soup, const lmb_allocator *alloc,
                              lmbi_lone_hand *out, lmb_error *error)
{
    lmbi_hand_view frames[FRAMES];
    lmbi_volume_network *network;
    lmbi_hand side[2];
    lmb_result result = lmbi_volume_network_create(LMBI_VOLUME_HAND, alloc, &network, error);
    list_frames(soup, frames);
    side[1].sure = -1;
    // A right hand looks like a left one from the other side, less surely.
    for (int right = 0;
         right < 2 && result == LMB_OK && !(right && side[0].sure < LMBI_HAND_HOPELESS); ++right) {
        result = see_side(network, soup, frames, right, alloc, &side[right], error);
    }
    if (result == LMB_OK) {
        out->right = side[1].sure > side[0].sure;
        out->hand = side[out->right];
        result = see_as_other(network, soup, out, alloc, error);
    }
    lmbi_volume_network_destroy(network);
    return result;
}

// ---- its skeleton

/// Gives the embedding the mesh's own orientation, not that in which the hand was measured.
static void set_axes_of_mesh(const lmbi_body_shape *mesh, const lmbi_mirror *plane, lmb_vec3 up,
                             lmb_embedding *out)
{
    const lmb_vec3 v[3] = {plane->normal, up, lmb_vec3_cross(plane->normal, up)}, zero = {0, 0, 0};
    lmb_vec3 *const axes[3] = {&out->left, &out->up, &out->forward};
    for (int k = 0; k < 3; ++k) {
        // -0 + 0 is 0, so no negative zeros are written
        *axes[k] = lmb_vec3_add(lmbi_from_axes(v[k], mesh->frame.axes), zero);
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

/// The forearm where there is one that is longer than half a finger: where it is cut.
static int32_t add_forearm(const lmbi_lone_hand *h, const lmbi_triangle_soup *soup,
                           lmbi_embedding_writer *c)
{
    const float cut = 0.88f;
    lmbi_hand_view v;
    if (!lmbi_view_of_hand(&h->hand, h->right, &v)) {
        return LMB_NONE;
    }
    const lmb_vec3 down[3] = {v.axes[0], lmb_vec3_neg(v.axes[1]), v.axes[2]},
                   wrist = lmbi_along_axes(v.wrist, down);
    const float behind = lmbi_soup_bounds_along(soup, down).high.y - wrist.y;
    if (behind < 0.25f * v.length) {
        return LMB_NONE;
    }
    const lmb_box end = bounds_above(soup, down, wrist.y + cut * behind);
    lmb_vec3 at = lmb_vec3_lerp(end.low, end.high, 0.5f);
    at.y = wrist.y + cut * behind;
    return lmbi_embedding_add_joint(c, h->right ? "rightLowerArm" : "leftLowerArm", LMB_NONE,
                                    lmbi_from_axes(at, down), 0.7f, "where the forearm is cut");
}

void lmbi_hand_place(const lmbi_lone_hand *h, const lmbi_triangle_soup *soup,
                     const lmbi_body_shape *mesh, const lmbi_mirror *plane, lmb_vec3 up,
                     lmb_embedding *out)
{
    static const lmbi_frame own = {.axes = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .size = 1};
    lmbi_embedding_writer c;
    lmbi_embedding_begin(&c, LMB_SKELETON_HAND, &own, 0, out);
    set_axes_of_mesh(mesh, plane, up, out);
    const int32_t arm = add_forearm(h, soup, &c);
    const int32_t wrist =
        lmbi_embedding_add_joint(&c, h->right ? "rightHand" : "leftHand", arm,
                                 h->hand.at[LMBI_WRIST], 0.8f, "seen in the whole hand");
    for (int k = 0; k < 3 * LMBI_FINGERS; ++k) {
        const uint32_t named =
            LMBI_BODY_JOINTS + (uint32_t)(h->right ? 3 * LMBI_FINGERS : 0) + (uint32_t)k;
        const int32_t parent = k % 3 == 0 ? wrist : (int32_t)c.out->joint_count - 1;
        const int32_t j =
            lmbi_embedding_add_joint(&c, lmbi_body_joint_name(named), parent, h->hand.at[1 + k],
                                     0.8f, "seen in the whole hand");
        if (k % 3 == 2) {
            lmbi_embedding_set_tip(&c, j, h->hand.at[lmbi_finger_joint(k / 3, 3)]);
        }
    }
}
