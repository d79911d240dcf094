/// Rigid pieces: armour, props, eyes. A connected piece that mostly follows one joint is bound to
/// it alone.
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "rig/rig.h"
#include "rig/rigid.h"

/// Least fraction of a piece's weight that one joint has.
static const double RIGID_FRACTION = 0.7;
/// The same for machines, where nearly all pieces are rigid.
static const double MACHINE_FRACTION = 0.5;
/// Not if joints more than NEAR bones away have this fraction: a one-piece body with a large,
/// finely meshed head is not a helmet.
static const double FAR_FRACTION = 0.1;
enum { NEAR = 2 };
/// Nor if the child of that joint lies in the piece and has this fraction: a shoe bends with its
/// toes.
static const double PAST_FRACTION = 0.15;
/// Nor if the joint above has this fraction, and the piece goes on past the dominant one by as much of its girth: a shin
/// that ends under shorts bends at the knee, a helmet does not at the neck.
static const float PAST_GIRTH = 0.5f;

/// Fractions within this factor tie, and the first joint wins, whatever the rounding.
static const double TIE_RATIO = 1.001;
/// For joints of different limbs with fractions within this factor, the joint nearer to the centre
/// of the piece wins.
static const double NEAR_TIE_RATIO = 1.15;

/// Weights each vertex by a third of its triangles' areas, so that mesh density does not matter.
static void add_rows(const lmbi_heat *heat, double *sums, double *totals)
{
    const lmb_surface *s = heat->surface;
    for (uint32_t c = 0; c < 3 * s->triangle_count; ++c) {
        const uint32_t *t = s->triangles + (size_t)c / 3 * 3, v = s->triangles[c];
        const lmb_vec3 across =
            lmb_vec3_cross(lmb_vec3_sub(s->positions[t[1]], s->positions[t[0]]),
                           lmb_vec3_sub(s->positions[t[2]], s->positions[t[0]]));
        const double area = (double)lmb_vec3_length(across) / 6;
        const uint32_t piece = heat->piece_of_vertex[v];
        const lmb_influence *row = heat->rows + (size_t)v * heat->row_width;
        double *sum = sums + (size_t)piece * heat->slot_count;
        for (uint32_t k = 0; k < heat->row_width && row[k].weight > 0; ++k) {
            sum[row[k].joint] += (double)row[k].weight * area;
            totals[piece] += (double)row[k].weight * area;
        }
    }
}

/// Whether the piece is attached to another and follows it.
static bool is_carried(const lmbi_rigid *r, uint32_t piece)
{
    return r->heat->piece_kinds[piece] == LMBI_PIECE_SMALL;
}

/// Whether the piece must bend: one of its joints is at its centre.
static bool bends(const lmbi_rigid *r, uint32_t piece)
{
    const double *sums = r->sums + (size_t)piece * r->heat->slot_count;
    for (uint32_t s = 0; s < r->heat->slot_count; ++s) {
        if (sums[s] > 0 && lmbi_joint_in_middle(r, piece, s)) {
            return true;
        }
    }
    return false;
}

/// Whether the joints of two slots are more than NEAR bones apart. Parents come before children.
static bool are_far(const lmbi_heat *heat, uint32_t slot, uint32_t other)
{
    const int32_t *parents = heat->bones->parents;
    int32_t a = (int32_t)heat->joint_of_slot[slot], b = (int32_t)heat->joint_of_slot[other];
    int steps = 0;
    while (parents != NULL && a != b && steps <= NEAR) {
        if (a > b) {
            a = parents[a];
        } else {
            b = parents[b];
        }
        ++steps;
    }
    return steps > NEAR;
}

/// Sums the weights of joints far from the dominant one: of those inside of the piece, and of those
/// that only pass beside it.
static double sum_distant_joints(const lmbi_rigid *r, uint32_t piece, uint32_t best, double *beside)
{
    const double *sums = r->sums + (size_t)piece * r->heat->slot_count;
    double inside = 0;
    *beside = 0;
    for (uint32_t s = 0; s < r->heat->slot_count; ++s) {
        if (sums[s] > 0 && are_far(r->heat, best, s)) {
            *(lmbi_has_bone_in_piece(r, piece, s) ? &inside : beside) += sums[s];
        }
    }
    return inside;
}

/// Whether joints far from the dominant one have much of the piece's weight.
static bool has_distant_joints(const lmbi_rigid *r, uint32_t piece, uint32_t best)
{
    double beside;
    const double inside = sum_distant_joints(r, piece, best, &beside);
    return inside + beside > FAR_FRACTION * r->totals[piece];
}

/// The same of those that have a bone in it.
static bool contains_distant_joints(const lmbi_rigid *r, uint32_t piece, uint32_t best)
{
    double beside;
    return sum_distant_joints(r, piece, best, &beside) > FAR_FRACTION * r->totals[piece];
}

/// Whether the dominant joint has nearly all of what joints beside the piece leave.
static bool is_of_one_joint(const lmbi_rigid *r, uint32_t piece, uint32_t best)
{
    double beside;
    sum_distant_joints(r, piece, best, &beside);
    const double sum = r->sums[(size_t)piece * r->heat->slot_count + best];
    return sum >= RIGID_FRACTION * (r->totals[piece] - beside) &&
           !contains_distant_joints(r, piece, best);
}

static bool is_in_box(const lmb_box *box, lmb_vec3 p)
{
    return p.x > box->low.x && p.x < box->high.x && p.y > box->low.y && p.y < box->high.y &&
           p.z > box->low.z && p.z < box->high.z;
}

/// Whether the piece goes on past a joint below the dominant one.
static bool spans_next_joint(const lmbi_rigid *r, uint32_t piece, uint32_t best)
{
    const lmbi_heat *heat = r->heat;
    const lmbi_bones *bones = heat->bones;
    const double *sums = r->sums + (size_t)piece * heat->slot_count;
    const int32_t joint = (int32_t)heat->joint_of_slot[best];
    bool spans = false;
    for (uint32_t s = 0; bones->parents && bones->positions && s < heat->slot_count; ++s) {
        const uint32_t child = heat->joint_of_slot[s];
        spans = spans ||
                (bones->parents[child] == joint && sums[s] > PAST_FRACTION * r->totals[piece] &&
                 is_in_box(&r->boxes[piece], bones->positions[child]));
    }
    return spans;
}

/// The middle one of three sides.
static float girth_of(const lmb_box *box)
{
    const lmb_vec3 d = lmb_vec3_sub(box->high, box->low);
    return fmaxf(fminf(d.x, d.y), fminf(fmaxf(d.x, d.y), d.z));
}

/// Whether the piece goes on past the dominant joint along the bone above.
static bool spans_own_joint(const lmbi_rigid *r, uint32_t piece, uint32_t best)
{
    const lmbi_heat *heat = r->heat;
    const lmbi_bones *bones = heat->bones;
    const lmb_box *box = &r->boxes[piece];
    const uint32_t joint = heat->joint_of_slot[best];
    const int32_t above = bones->parents && bones->positions ? bones->parents[joint] : LMB_NONE;
    if (above == LMB_NONE || !is_in_box(box, bones->positions[joint])) {
        return false;
    }
    double share = 0;
    for (uint32_t s = 0; s < heat->slot_count; ++s) {
        share += (int32_t)heat->joint_of_slot[s] == above
                     ? r->sums[(size_t)piece * heat->slot_count + s]
                     : 0;
    }
    const lmb_vec3 at = bones->positions[joint],
                   d = lmb_vec3_normalize_or(lmb_vec3_sub(bones->positions[above], at),
                                             lmb_vec3_make(0, 0, 0));
    const lmb_vec3 end =
        lmb_vec3_make(d.x > 0 ? box->high.x : box->low.x, d.y > 0 ? box->high.y : box->low.y,
                      d.z > 0 ? box->high.z : box->low.z);
    return share > PAST_FRACTION * r->totals[piece] &&
           lmb_vec3_dot(lmb_vec3_sub(end, at), d) > PAST_GIRTH * girth_of(box);
}

static float from_middle(const lmbi_rigid *r, uint32_t piece, uint32_t slot)
{
    const lmb_box *box = &r->boxes[piece];
    return lmb_vec3_distance(r->heat->bones->positions[r->heat->joint_of_slot[slot]],
                             lmb_vec3_lerp(box->low, box->high, 0.5f));
}

/// The joint with the most weight in a piece, or one with nearly as much that is nearest to the
/// centre. `most_sum`: the largest weight.
static uint32_t find_dominant_joint(const lmbi_rigid *r, uint32_t piece, double *most_sum)
{
    const double *sums = r->sums + (size_t)piece * r->heat->slot_count;
    uint32_t best = 0;
    for (uint32_t s = 1; s < r->heat->slot_count; ++s) {
        best = sums[s] > TIE_RATIO * sums[best] ? s : best;
    }
    const uint32_t most = best;
    *most_sum = sums[most];
    for (uint32_t s = 0; r->heat->bones->positions != NULL && s < r->heat->slot_count; ++s) {
        const bool is_near = NEAR_TIE_RATIO * sums[s] > sums[most] && are_far(r->heat, most, s);
        best = is_near && from_middle(r, piece, s) < from_middle(r, piece, best) ? s : best;
    }
    return best;
}

/// Finds the dominant joint of each piece. Attached pieces have none: they follow what they are
/// attached to.
static void find_dominant_joints(const lmbi_rigid *r)
{
    for (uint32_t p = 0; p < r->piece_count; ++p) {
        const double *sums = r->sums + (size_t)p * r->heat->slot_count;
        double most = 0;
        const uint32_t best = find_dominant_joint(r, p, &most);
        const bool enough = r->totals[p] > 0 && most >= MACHINE_FRACTION * r->totals[p];
        r->most[p] = enough && !is_carried(r, p) ? best : UINT32_MAX;
        const bool all =
            sums[best] >= RIGID_FRACTION * r->totals[p] && !has_distant_joints(r, p, best);
        r->slots[p] = enough && !is_carried(r, p) && all ? best : UINT32_MAX;
    }
}

/// Whether most vertices are in pieces that follow one joint. Attached pieces do not count.
static bool is_machine(const lmbi_rigid *r)
{
    double stiff = 0, all = 0;
    for (uint32_t p = 0; p < r->piece_count; ++p) {
        stiff += r->slots[p] != UINT32_MAX ? r->totals[p] : 0;
        all += is_carried(r, p) ? 0 : r->totals[p];
    }
    return stiff > 0.5 * all;
}

static void box_pieces(const lmbi_rigid *r)
{
    for (uint32_t p = 0; p < r->piece_count; ++p) {
        r->boxes[p] = lmb_box_empty();
    }
    for (uint32_t v = 0; v < r->heat->surface->vertex_count; ++v) {
        lmb_box *box = &r->boxes[r->piece_of[v]];
        *box = lmb_box_add(*box, r->heat->surface->positions[v]);
    }
}

static void make_rigid(const lmbi_rigid *r)
{
    lmbi_heat *heat = r->heat;
    for (uint32_t p = 0; p < r->piece_count; ++p) {
        const bool stiff = r->slots[p] != UINT32_MAX;
        heat->report.rigid_count += stiff ? 1 : 0;
        heat->piece_stiff[p] = stiff || is_carried(r, p);
        if (stiff && is_carried(r, p)) { // rigid by its own joint, no longer attached
            heat->piece_kinds[p] = LMBI_PIECE_LAYER;
            --heat->report.inherited_count;
        }
    }
    for (uint32_t v = 0; v < heat->surface->vertex_count; ++v) {
        lmb_influence *row = heat->rows + (size_t)v * heat->row_width;
        if (r->slots[r->piece_of[v]] != UINT32_MAX) {
            memset(row, 0, heat->row_width * sizeof *row);
            row[0] = (lmb_influence){r->slots[r->piece_of[v]], 1.0f};
        }
    }
}

/// Parts of a machine follow their dominant joints unless they must bend.
static void stiffen_parts(const lmbi_rigid *r)
{
    for (uint32_t p = 0; p < r->piece_count; ++p) {
        r->slots[p] = bends(r, p) ? r->slots[p] : r->most[p];
    }
}

/// Of what is no machine, pieces beside joints of other limbs follow one joint too, and pieces bend
/// where they reach past joints.
static void soften_pieces(const lmbi_rigid *r)
{
    for (uint32_t p = 0; p < r->piece_count; ++p) {
        const uint32_t most = r->most[p];
        if (most == UINT32_MAX) {
            continue;
        }
        r->slots[p] = is_of_one_joint(r, p, most) ? most : r->slots[p];
        if (contains_distant_joints(r, p, most) ||
            (r->slots[p] != UINT32_MAX &&
             (spans_next_joint(r, p, most) || spans_own_joint(r, p, most)))) {
            r->most[p] = r->slots[p] = UINT32_MAX;
        }
    }
}

static lmb_result bind_piece_rows(lmbi_heat *heat, lmb_error *error)
{
    const uint32_t pieces = heat->piece_count;
    double *sums = lmbi_alloc_array(heat->alloc, (size_t)pieces * heat->slot_count, sizeof *sums);
    double *totals = lmbi_alloc_array(heat->alloc, pieces, sizeof *totals);
    lmbi_rigid r = {.heat = heat,
                    .piece_count = pieces,
                    .piece_of = heat->piece_of_vertex,
                    .sums = sums,
                    .totals = totals,
                    .boxes = lmbi_alloc_array(heat->alloc, pieces, sizeof *r.boxes),
                    .most = lmbi_alloc_array(heat->alloc, pieces, sizeof *r.most),
                    .slots = lmbi_alloc_array(heat->alloc, pieces, sizeof *r.slots)};
    lmb_result result =
        sums && totals && r.boxes && r.most && r.slots ? LMB_OK : lmbi_fail_memory(error);
    if (result == LMB_OK) {
        add_rows(heat, sums, totals);
        box_pieces(&r);
        find_dominant_joints(&r);
        heat->machine = heat->bones->parents && is_machine(&r);
        if (heat->machine) {
            stiffen_parts(&r);
        } else {
            soften_pieces(&r);
        }
        result = lmbi_rigid_sockets(&r, error);
    }
    if (result == LMB_OK) {
        result = lmbi_rigid_contacts(&r, totals, error);
    }
    if (result == LMB_OK) {
        result = lmbi_rigid_blocks(&r, error);
    }
    if (result == LMB_OK) {
        make_rigid(&r);
    }
    lmbi_free(heat->alloc, r.slots);
    lmbi_free(heat->alloc, r.most);
    lmbi_free(heat->alloc, r.boxes);
    lmbi_free(heat->alloc, totals);
    lmbi_free(heat->alloc, sums);
    return result;
}

lmb_result lmbi_rigid_pieces(lmbi_heat *heat, lmb_error *error)
{
    return heat->piece_count > 1 && heat->slot_count > 1 ? bind_piece_rows(heat, error) : LMB_OK;
}
