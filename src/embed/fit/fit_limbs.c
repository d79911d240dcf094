/// Fits any body's skeleton: matches limbs by their ends.
#include "embed/fit/fit.h"

#include "base/error.h"

#include <math.h>

/// Largest distance between matched ends, in longest sides.
static const float FARTHEST = 0.3f;

typedef struct end {
    int32_t joint; ///< the last joint of its limb
    lmb_vec3 at;   ///< its tip, relative to the box of all
    int32_t twin;  ///< index of the end it is matched with, or LMB_NONE
} end;

typedef struct ends {
    end *items;
    uint32_t count;
} ends;

typedef struct matching {
    lmbi_fit *f;
    lmbi_arena *arena;
    ends from, to;
    lmb_vec3 longest;             ///< sides of the mesh's box of joints over the longest side
    bool *used;                   ///< [embedding joint_count] already on a matched limb
    int32_t *path_from, *path_to; ///< scratch for the joints of a limb
    lmb_vec3 *line;
} matching;

// ---- ends

static lmb_vec3 along_axes(lmb_vec3 p, const lmb_vec3 axes[3])
{
    return lmb_vec3_make(lmb_vec3_dot(p, axes[0]), lmb_vec3_dot(p, axes[1]),
                         lmb_vec3_dot(p, axes[2]));
}

static lmb_vec3 relative_to_box(lmb_vec3 p, lmb_box box)
{
    const lmb_vec3 d = lmb_vec3_sub(p, box.low), size = lmb_vec3_sub(box.high, box.low);
    return lmb_vec3_make(d.x / fmaxf(size.x, 1e-9f), d.y / fmaxf(size.y, 1e-9f),
                         d.z / fmaxf(size.z, 1e-9f));
}

/// Marks joints that deform the mesh and have no descendant that does: [count] in the arena, or
/// NULL.
static const bool *find_leaves(const lmbi_fit *f, lmbi_arena *arena)
{
    bool *leaf = lmbi_arena_array(arena, f->count, sizeof *leaf);
    for (uint32_t j = 0; leaf && j < f->count; ++j) {
        leaf[j] = lmbi_fit_deforms(f, j);
        for (int32_t p = f->from->parents[j]; leaf[j] && p != LMB_NONE; p = f->from->parents[p]) {
            leaf[p] = false;
        }
    }
    return leaf;
}

static lmb_box box_of_embedding(const lmb_embedding *e, const lmb_vec3 axes[3])
{
    lmb_box box = lmb_box_empty();
    for (uint32_t j = 0; j < e->joint_count; ++j) {
        box = lmb_box_add(lmb_box_add(box, along_axes(e->joints[j], axes)),
                          along_axes(e->tips[j], axes));
    }
    return box;
}

static lmb_box box_of_skeleton(const lmbi_fit *f, const lmb_vec3 axes[3])
{
    lmb_box box = lmb_box_empty();
    for (uint32_t j = 0; j < f->count; ++j) {
        if (lmbi_fit_deforms(f, j)) {
            box = lmb_box_add(box, along_axes(f->at[j], axes));
            box = lmb_box_add(box, along_axes(lmbi_fit_tip(f, j), axes));
        }
    }
    return box;
}

static bool list_ends(matching *m)
{
    lmbi_fit *f = m->f;
    const lmb_embedding *e = f->into;
    const lmb_vec3 axes[3] = {e->left, e->up, e->forward};
    m->from.items = lmbi_arena_array(m->arena, f->count, sizeof(end));
    m->to.items = lmbi_arena_array(m->arena, e->joint_count, sizeof(end));
    const bool *leaves = find_leaves(f, m->arena);
    if (!m->from.items || !m->to.items || !leaves) {
        return false;
    }
    for (uint32_t j = 0; j < f->count; ++j) {
        if (leaves[j]) {
            m->from.items[m->from.count++] = (end){.joint = (int32_t)j};
        }
    }
    const lmb_box box = box_of_embedding(e, axes);
    const lmb_vec3 size = lmb_vec3_sub(box.high, box.low);
    m->longest = lmb_vec3_scale(size, 1 / fmaxf(fmaxf(size.x, size.y), fmaxf(size.z, 1e-9f)));
    for (uint32_t j = 0; j < e->joint_count; ++j) {
        bool leaf = true;
        for (uint32_t k = j + 1; k < e->joint_count; ++k) {
            leaf = leaf && e->parents[k] != (int32_t)j;
        }
        if (leaf) {
            m->to.items[m->to.count++] = (end){
                .joint = (int32_t)j, .at = relative_to_box(along_axes(e->tips[j], axes), box)};
        }
    }
    return true;
}

// ---- matching

/// Left, middle or right third of a box, so that a tail is not matched with a leg.
static int side_of(float x)
{
    return (x > 0.62f) - (x < 0.38f);
}

static float end_distance(const matching *m, uint32_t a, uint32_t b)
{
    const lmb_vec3 d = lmb_vec3_sub(m->from.items[a].at, m->to.items[b].at);
    const bool other_side = side_of(m->from.items[a].at.x) != side_of(m->to.items[b].at.x);
    return lmb_vec3_length(lmb_vec3_mul(d, m->longest)) + (other_side ? 0.12f : 0);
}

/// Matches greedily, nearest ends first. Returns the number of pairs; the mean distance goes to
/// *out_cost, where an unmatched end counts as the largest distance.
static uint32_t match_ends(matching *m, float *out_cost)
{
    uint32_t pairs = 0;
    float sum = 0;
    for (uint32_t k = 0; k < m->from.count; ++k) {
        m->from.items[k].twin = LMB_NONE;
    }
    for (uint32_t k = 0; k < m->to.count; ++k) {
        m->to.items[k].twin = LMB_NONE;
    }
    for (;;) {
        float least = FARTHEST;
        uint32_t best[2] = {0, 0};
        for (uint32_t a = 0; a < m->from.count; ++a) {
            for (uint32_t b = 0; b < m->to.count; ++b) {
                const bool free =
                    m->from.items[a].twin == LMB_NONE && m->to.items[b].twin == LMB_NONE;
                if (free && end_distance(m, a, b) < least) {
                    least = end_distance(m, a, b);
                    best[0] = a;
                    best[1] = b;
                }
            }
        }
        if (least >= FARTHEST) {
            break;
        }
        m->from.items[best[0]].twin = (int32_t)best[1];
        m->to.items[best[1]].twin = (int32_t)best[0];
        sum += least;
        ++pairs;
    }
    const float unmatched = (float)(m->to.count - pairs) * FARTHEST;
    *out_cost = m->to.count ? (sum + unmatched) / (float)m->to.count : FARTHEST;
    return pairs;
}

static float *component(lmb_vec3 *v, int axis)
{
    return axis == 0 ? &v->x : axis == 1 ? &v->y : &v->z;
}

/// Shifts and scales the skeleton's ends along each axis so that pairs coincide: a tail that only
/// one of them has shifts the whole box.
static void align_pairs(matching *m)
{
    for (int axis = 0; axis < 3; ++axis) {
        double n = 0, x = 0, y = 0, xx = 0, xy = 0;
        for (uint32_t k = 0; k < m->from.count; ++k) {
            end *a = &m->from.items[k];
            if (a->twin != LMB_NONE) {
                const double u = (double)*component(&a->at, axis),
                             v = (double)*component(&m->to.items[a->twin].at, axis);
                n += 1;
                x += u;
                y += v;
                xx += u * u;
                xy += u * v;
            }
        }
        const double bend = n * xx - x * x;
        if (n < 3 || !(bend > 0.01 * n * n)) {
            continue;
        }
        const double scale = fmin(2, fmax(0.5, (n * xy - x * y) / bend)),
                     move = (y - scale * x) / n;
        for (uint32_t k = 0; k < m->from.count; ++k) {
            float *at = component(&m->from.items[k].at, axis);
            *at = (float)(scale * (double)*at + move);
        }
    }
}

static uint32_t match_closely(matching *m, float *out_cost)
{
    uint32_t pairs = match_ends(m, out_cost);
    for (int round = 0; round < 4; ++round) {
        align_pairs(m);
        pairs = match_ends(m, out_cost);
    }
    return pairs;
}

/// Expresses the skeleton's ends relative to their box along `axes`; returns the size of the box.
static lmb_vec3 set_axes(matching *m, const lmb_vec3 axes[3])
{
    const lmb_box box = box_of_skeleton(m->f, axes);
    for (uint32_t k = 0; k < m->from.count; ++k) {
        const uint32_t j = (uint32_t)m->from.items[k].joint;
        m->from.items[k].at = relative_to_box(along_axes(lmbi_fit_tip(m->f, j), axes), box);
    }
    return lmb_vec3_sub(box.high, box.low);
}

/// How different the proportions of two boxes are.
static float proportion_difference(lmb_vec3 size, lmb_vec3 longest)
{
    const float all = fmaxf(size.x, fmaxf(size.y, fmaxf(size.z, 1e-9f)));
    const lmb_vec3 d = lmb_vec3_sub(lmb_vec3_scale(size, 1 / all), longest);
    return fabsf(d.x) + fabsf(d.y) + fabsf(d.z);
}

/// The axes of one of the orientations that a skeleton may have; the first is the usual one.
static void orientation_axes(int orientation, lmb_vec3 out[3])
{
    static const lmb_vec3 sides[6] = {{0, 1, 0},  {0, 0, 1},  {1, 0, 0},
                                      {0, -1, 0}, {0, 0, -1}, {-1, 0, 0}};
    const lmb_vec3 up = sides[orientation / 4];
    const lmb_vec3 ahead = sides[(orientation / 4 + 1) % 3], beside = lmb_vec3_cross(ahead, up);
    const lmb_vec3 forwards[4] = {ahead, lmb_vec3_neg(ahead), beside, lmb_vec3_neg(beside)};
    out[1] = up;
    out[2] = forwards[orientation % 4];
    out[0] = lmb_vec3_cross(up, out[2]);
}

/// Matches ends in the orientation whose proportions are most like the mesh's, and sets rotation
/// and scale. Returns the number of pairs.
static uint32_t match_best(matching *m, lmb_vec3 size_to)
{
    enum { VIEWS = 24 };
    const lmb_embedding *e = m->f->into;
    const float lies = 0.05f; // minimum advantage of an up axis other than +Y
    float least = 1e30f, cost_now;
    lmb_vec3 axes[3];
    int best = 0;
    for (int orientation = 0; orientation < VIEWS; ++orientation) {
        orientation_axes(orientation, axes);
        const lmb_vec3 size = set_axes(m, axes);
        match_closely(m, &cost_now);
        cost_now += 0.1f * proportion_difference(size, m->longest) + (orientation < 4 ? 0 : lies);
        if (cost_now < least - 0.005f) {
            least = cost_now;
            best = orientation;
        }
    }
    orientation_axes(best, axes);
    const lmb_vec3 size = set_axes(m, axes);
    m->f->rotation = lmb_quat_normalize(
        lmb_quat_mul(lmb_quat_from_axes(e->left, e->up, e->forward),
                     lmb_quat_conjugate(lmb_quat_from_axes(axes[0], axes[1], axes[2]))));
    m->f->scale = lmb_vec3_length(size_to) / fmaxf(lmb_vec3_length(size), 1e-9f);
    return match_closely(m, &cost_now);
}

// ---- limbs

static void place_limb(matching *m, uint32_t to_end)
{
    lmbi_fit *f = m->f;
    const lmb_embedding *e = f->into;
    const int32_t last = m->to.items[to_end].joint;
    const int32_t leaf = m->from.items[m->to.items[to_end].twin].joint;
    uint32_t steps = 0, points = 0;
    for (int32_t j = leaf; j >= f->root && !f->placed[j]; j = f->from->parents[j]) {
        if (lmbi_fit_deforms(f, (uint32_t)j)) {
            m->path_from[steps++] = j;
        }
    }
    for (int32_t j = last; j != LMB_NONE && !m->used[j]; j = e->parents[j]) {
        m->path_to[points++] = j;
        m->used[j] = true;
    }
    if (steps == 0 || points == 0) {
        return;
    }
    for (uint32_t k = 0; k < steps / 2; ++k) {
        const int32_t enough_placed = m->path_from[k];
        m->path_from[k] = m->path_from[steps - 1 - k];
        m->path_from[steps - 1 - k] = enough_placed;
    }
    for (uint32_t k = 0; k < points; ++k) {
        m->line[k] = e->joints[m->path_to[points - 1 - k]];
    }
    m->line[points] = e->tips[last];
    const lmb_vec3 tip = lmbi_fit_tip(f, (uint32_t)leaf);
    if (steps == points) { // joint by joint, if both limbs have the same number
        for (uint32_t k = 0; k < steps; ++k) {
            lmbi_fit_set_position(f, m->path_from[k], m->line[k]);
            if (k > 0) {
                lmbi_fit_set_bone(f, m->path_from[k - 1], f->at[m->path_from[k]], m->line[k]);
            }
        }
        lmbi_fit_set_bone(f, leaf, tip, m->line[points]);
    } else {
        const bool on = lmb_vec3_distance(tip, f->at[leaf]) > 0;
        lmbi_fit_place_chain(f, &(lmbi_fit_chain){m->path_from, steps, on, tip}, m->line,
                             on || points == 1 ? points + 1 : points);
    }
}

/// The end of the trunk's chain: the head, or else the end with the most joints before it.
static uint32_t trunk_end(const matching *m)
{
    const lmb_embedding *e = m->f->into;
    uint32_t best = 0, longest = 0;
    for (uint32_t k = 0; k < m->to.count; ++k) {
        uint32_t length = 0;
        for (int32_t j = m->to.items[k].joint; j != LMB_NONE; j = e->parents[j]) {
            length += 1 + (e->names[j][0] == 'h' && e->names[j][1] == 'e' ? 1000u : 0u);
        }
        if (m->to.items[k].twin != LMB_NONE && length > longest) {
            longest = length;
            best = k;
        }
    }
    return best;
}

/// The lowest common ancestor of all matched limbs.
static int32_t top_of(const matching *m)
{
    const int32_t *parents = m->f->from->parents;
    int32_t top = LMB_NONE;
    for (uint32_t k = 0; k < m->from.count; ++k) {
        int32_t j = m->from.items[k].joint;
        if (m->from.items[k].twin == LMB_NONE) {
            continue;
        }
        if (top == LMB_NONE) {
            top = j;
        }
        while (top != j &&
               top != LMB_NONE) { // parents come first, so the larger index is the lower joint
            if (top > j) {
                top = parents[top];
            } else {
                j = j == LMB_NONE ? j : parents[j];
                top = j == LMB_NONE ? j : top;
            }
        }
    }
    return top;
}

/// Whether most deforming joints are placed or descend from the root: a heap of joints without
/// parents has no limbs.
static bool enough_placed(const lmbi_fit *f)
{
    uint32_t moving = 0, count = 0;
    for (uint32_t j = 0; j < f->count; ++j) {
        int32_t p = (int32_t)j;
        while (p != LMB_NONE && !f->placed[p]) {
            p = f->from->parents[p];
        }
        moving += lmbi_fit_deforms(f, j);
        count += lmbi_fit_deforms(f, j) && p != LMB_NONE && (p != f->root || p == (int32_t)j);
    }
    return 5 * count >= 3 * moving;
}

lmb_result lmbi_fit_limbs(lmbi_fit *f, lmbi_arena *arena, bool *out_found, lmb_error *error)
{
    const lmb_embedding *e = f->into;
    matching m = {.f = f, .arena = arena};
    m.used = lmbi_arena_array(arena, e->joint_count, sizeof(bool));
    m.path_from = lmbi_arena_array(arena, f->count, sizeof(int32_t));
    m.path_to = lmbi_arena_array(arena, e->joint_count, sizeof(int32_t));
    m.line = lmbi_arena_array(arena, (size_t)e->joint_count + 1, sizeof(lmb_vec3));
    if (!m.used || !m.path_from || !m.path_to || !m.line || !list_ends(&m)) {
        return lmbi_fail_memory(error);
    }
    const lmb_vec3 axes[3] = {e->left, e->up, e->forward};
    const lmb_box box = box_of_embedding(e, axes);
    const uint32_t pairs = match_best(&m, lmb_vec3_sub(box.high, box.low));
    *out_found = pairs >= 2 && 4 * pairs >= 3 * m.to.count;
    if (!*out_found) {
        return LMB_OK;
    }
    f->root = top_of(&m);
    const uint32_t trunk = trunk_end(&m);
    place_limb(&m, trunk);
    for (uint32_t k = 0; k < m.to.count; ++k) {
        if (k != trunk && m.to.items[k].twin != LMB_NONE) {
            place_limb(&m, k);
        }
    }
    if (!f->placed[f->root]) {
        lmbi_fit_set_position(f, f->root, e->joints[0]);
    }
    // Several limbs hang from the root, so no single bone determines its rotation.
    f->bones[f->root].known = false;
    *out_found = enough_placed(f);
    return LMB_OK;
}
