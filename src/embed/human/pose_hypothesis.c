#include "embed/human/pose_hypothesis.h"

#include "embed/human/pose_cost.h"
#include "embed/human/tip_view.h"
#include "embed/human/whole_pose.h"
#include "embed/shape/mirror_plane.h"

#include <math.h>

static void set_hands(const lmbi_tip_view *v, const uint32_t hand[2], float cost,
                      lmbi_pose_hypothesis *s)
{
    s->hand[0] = hand[0];
    s->hand[1] = hand[1];
    s->cost += cost - s->hand_cost;
    s->hand_cost = cost;
    s->unused_length = lmbi_unused_tip_length(v, s);
}

/// Conditions for a pair of tips to replace the hands of a hypothesis.
typedef struct rivals {
    uint32_t not_these[4];
    float shortest, most; ///< shortest branch, largest cost
    lmb_vec3 forward;     ///< zero: any
    float highest;        ///< highest base of the branches
    float front;          ///< least offset along forward
} rivals;

/// The foremost pair that meets the conditions; false if there is none.
static bool find_rival(const lmbi_tip_view *v, const lmbi_pose_hypothesis *s, const rivals *r,
                       uint32_t out[2], float *out_cost)
{
    float front = r->front;
    bool found = false;
    for (uint32_t c = 0; c < v->count; ++c) {
        for (uint32_t d = c + 1; d < v->count; ++d) {
            const uint32_t hand[2] = {c, d};
            bool used = false;
            for (int k = 0; k < 4; ++k) {
                used = used || c == r->not_these[k] || d == r->not_these[k];
            }
            const float before = lmbi_pair_offset_along(v, c, d, r->forward);
            if (used || fminf(v->tips[c].length, v->tips[d].length) < r->shortest ||
                before < front || lmbi_higher_base(v, hand) > r->highest) {
                continue;
            }
            const lmbi_body_mirror m = lmbi_body_mirror_between(v, s->foot, hand);
            const float cost =
                lmbi_hands_cost(v, &m, s->foot, hand) + lmbi_plane_cost(v, &m, s->foot, hand);
            if (cost < r->most) {
                out[0] = c;
                out[1] = d;
                *out_cost = cost;
                front = before;
                found = true;
            }
        }
    }
    return found;
}

/// Of two pairs of limbs that could be arms, those that grow from the crown are horns or ears, and
/// those farther behind are wings or tails of hair.
static void choose_arms(const lmbi_tip_view *v, const lmbi_tip *tips, lmbi_pose_hypothesis *s)
{
    const float alike = 0.35f, limb = 0.15f, stub = 0.1f, behind = 0.03f, least_toes = 0.004f;
    const lmbi_body_mirror m = lmbi_body_mirror_between(v, s->foot, s->hand);
    const float top = lmbi_body_mirror_top(v, &m), head = 0.85f * top;
    uint32_t hand[2];
    float cost;
    rivals r = {.not_these = {s->foot[0], s->foot[1], s->hand[0], s->hand[1]},
                .shortest = stub,
                .most = s->hand_cost + alike,
                .highest = head};
    if (lmbi_higher_base(v, s->hand) > head && find_rival(v, s, &r, hand, &cost)) {
        set_hands(v, hand, cost, s);
    }
    r.forward = lmb_vec3_cross(s->left, s->up);
    const float toes = lmbi_toes_hint(v, s, tips, r.forward);
    if (fabsf(toes) > least_toes) {
        r.forward = toes < 0 ? lmb_vec3_neg(r.forward) : r.forward;
        r.shortest = limb;
        r.front = lmbi_pair_offset_along(v, s->hand[0], s->hand[1], r.forward) + behind;
        if (find_rival(v, s, &r, hand, &cost)) {
            set_hands(v, hand, cost, s);
        }
    }
}

static void set_mirror_plane(lmbi_tip_view *v, const lmbi_pose_opts *opts)
{
    v->mirrored = opts->mirrored;
    v->side = lmb_vec3_cross(v->up, opts->forward);
}

static void swap_u32(uint32_t pair[2])
{
    const uint32_t t = pair[0];
    pair[0] = pair[1];
    pair[1] = t;
}

/// Without a good tip for the head, the trunk itself may reach the top: uses the height of the
/// solid on the mirror plane.
static void reconsider_head(const lmbi_tip_view *v, lmbi_pose_hypothesis *s)
{
    if (s->head_cost < 0.15f) {
        return;
    }
    const lmbi_body_mirror m = lmbi_body_mirror_between(v, s->foot, s->hand);
    const float top = lmbi_body_mirror_top(v, &m);
    const float cost = 0.1f + 2 * lmbi_excess(0.97f, top);
    if (cost < s->head_cost) {
        s->cost += cost - s->head_cost;
        s->head_cost = cost;
        s->head = -1;
    }
}

/// Sets the axes of the figure: the refined mirror plane, snapped to axes of the file if they are
/// near.
static void find_axes(const lmbi_voxel_body *body, const lmbi_tip_view *v,
                      const lmbi_pose_opts *opts, lmbi_pose_hypothesis *s)
{
    if (opts->mirrored) {
        s->left = v->side;
        s->plane_offset = 0;
    } else {
        const lmbi_body_mirror m = lmbi_body_mirror_between(v, s->foot, s->hand);
        s->left = lmb_vec3_normalize_or(lmbi_horizontal_part(m.normal, s->up),
                                        lmb_vec3_any_perpendicular(s->up));
        s->plane_offset = lmb_vec3_dot(m.middle, s->left) * v->size;
        lmbi_mirror_refine(body, s->up, &s->left, &s->plane_offset);
        const lmb_vec3 axis = lmbi_snap_to_axis(s->left);
        if (lmb_vec3_dot(axis, s->left) < 1) {
            s->left = lmb_vec3_normalize_or(lmbi_horizontal_part(axis, s->up), s->left);
            float offset = s->plane_offset;
            lmb_vec3 normal = s->left;
            lmbi_mirror_refine(body, s->up, &normal, &offset);
            s->plane_offset = offset;
        }
    }
    s->forward = lmb_vec3_cross(s->left, s->up);
}

static void orient_sides(const lmbi_voxel_body *body, const lmbi_tip *tips, uint32_t tip_count,
                         const lmbi_pose_opts *opts, lmbi_pose_hypothesis *s)
{
    lmbi_tip_view v = lmbi_tip_view_make(body, tips, tip_count, s->up);
    set_mirror_plane(&v, opts);
    if (!opts->known && !s->armless && !s->footless) {
        choose_arms(&v, tips, s);
    }
    reconsider_head(&v, s);
    find_axes(body, &v, opts, s);
    const float hint = lmbi_facing_hint(&v, s, tips, s->forward);
    bool reversed = hint < 0;
    if (lmb_vec3_dot(opts->forward, opts->forward) > 0) {
        reversed = lmb_vec3_dot(opts->forward, s->forward) < 0;
    }
    s->toes_forward = reversed ? -hint : hint;
    if (reversed) {
        s->forward = lmb_vec3_neg(s->forward);
        s->left = lmb_vec3_neg(s->left);
        s->plane_offset = -s->plane_offset;
    }
    if (lmb_vec3_dot(lmb_vec3_sub(tips[s->foot[0]].position, tips[s->foot[1]].position), s->left) <
        0) {
        swap_u32(s->foot);
    }
    if (lmb_vec3_dot(lmb_vec3_sub(tips[s->hand[0]].position, tips[s->hand[1]].position), s->left) <
        0) {
        swap_u32(s->hand);
    }
}

bool lmbi_pose_hypothesis_find(const lmbi_voxel_body *body, const lmbi_tip *tips,
                               uint32_t tip_count, const lmbi_pose_opts *opts,
                               lmbi_pose_hypothesis *out)
{
    const struct {
        lmb_vec3 up;
        float prior;
    } ups[6] = {{{0, 1, 0}, 0},     {{0, 0, 1}, 0.02f}, {{1, 0, 0}, 0.2f},
                {{-1, 0, 0}, 0.2f}, {{0, -1, 0}, 0.3f}, {{0, 0, -1}, 0.3f}};
    const uint32_t considered = tip_count < 16 ? tip_count : 16;
    lmbi_pose_hypothesis best = {.cost = 1e30f};
    if (lmb_vec3_dot(opts->up, opts->up) > 0) {
        lmbi_tip_view v = lmbi_tip_view_make(body, tips, considered, opts->up);
        set_mirror_plane(&v, opts);
        lmbi_find_whole_pose(&v, 0, opts->known, &best);
    } else {
        for (int u = 0; u < 6; ++u) {
            const lmbi_tip_view v = lmbi_tip_view_make(body, tips, considered, ups[u].up);
            lmbi_find_whole_pose(&v, ups[u].prior, opts->known, &best);
        }
    }
    if (best.cost >= 1e30f) {
        return false;
    }
    orient_sides(body, tips, tip_count, opts, &best);
    *out = best;
    return true;
}
