/// Which tips of a solid are the fingers of a hand, the middle lines of fingers, and where these bend.
#include "embed/hand/hand.h"
#include "embed/shape/shape.h"
#include "geometry/volume.h"

#include <math.h>
#include <string.h>

// ---- which tips

typedef struct tip_path {
    const lmbi_tip *tips;
    uint32_t order[LMBI_FINGERS], best[LMBI_FINGERS];
    float least;
} tip_path;

static float tip_step(const lmbi_tip *tips, const uint32_t *order, uint32_t to)
{
    return lmb_vec3_distance(tips[order[to - 1]].position, tips[order[to]].position);
}

/// Tries all ways on from a path of `count` tips.
static void extend_path(tip_path *p, uint32_t count, float length)
{
    if (count == LMBI_FINGERS) {
        p->least = length;
        memcpy(p->best, p->order, sizeof p->best);
    }
    for (uint32_t k = count; k < LMBI_FINGERS; ++k) {
        const uint32_t next = p->order[k];
        p->order[k] = p->order[count];
        p->order[count] = next;
        const float longer = length + (count > 0 ? tip_step(p->tips, p->order, count) : 0);
        if (longer < p->least) {
            extend_path(p, count + 1, longer);
        }
        p->order[count] = p->order[k];
        p->order[k] = next;
    }
}

/// The shortest Hamiltonian path through all tips. Fingers end side by side, so it visits them in
/// order, and the thumb next to the index.
static void find_tip_order(const lmbi_tip tips[LMBI_FINGERS], uint32_t out[LMBI_FINGERS])
{
    tip_path p = {.tips = tips, .order = {0, 1, 2, 3, 4}, .least = INFINITY};
    extend_path(&p, 0, 0);
    memcpy(out, p.best, sizeof p.best);
}

static float set_cost(const lmbi_tip tips[LMBI_FINGERS], const lmbi_finger_view *view)
{
    lmb_vec3 sum = {0, 0, 0};
    float least = 1e30f, most = 0, thin = 1e30f, thick = 0;
    for (int f = 0; f < LMBI_FINGERS; ++f) {
        const lmb_vec3 d = lmb_vec3_sub(tips[f].position, view->from);
        sum = lmb_vec3_add(sum, lmb_vec3_normalize_or(d, lmb_vec3_make(0, 1, 0)));
        // the tip that reaches farthest has no branch of its own
        const bool own = tips[f].length < 0.95f * tips[f].geodesic;
        least = fminf(least, tips[f].length);
        most = own ? fmaxf(most, tips[f].length) : most;
        thin = fminf(thin, tips[f].radius);
        thick = fmaxf(thick, tips[f].radius);
    }
    const float one_way = lmb_vec3_length(sum) / LMBI_FINGERS;
    uint32_t order[LMBI_FINGERS];
    float longest = 0, second = 0; // only the thumb ends farther from its neighbour
    find_tip_order(tips, order);
    for (uint32_t k = 1; k < LMBI_FINGERS; ++k) {
        const float step = tip_step(tips, order, k);
        second = fmaxf(second, fminf(step, longest));
        longest = fmaxf(longest, step);
    }
    return 3 * lmbi_excessf(0.75f, one_way) + lmbi_excessf(0.3f, least / fmaxf(most, 1e-4f)) +
           2 * lmbi_excessf(second / fmaxf(most, 1e-4f), 0.9f) +
           2 * lmbi_excessf(longest / fmaxf(most, 1e-4f), 1.6f) +
           0.15f * lmbi_excessf(thick / fmaxf(thin, 0.5f * view->cell), 2.5f);
}

/// Gathers the tips of a bit set; false unless they are five and long enough.
static bool gather_set(const lmbi_tip *tips, uint32_t count, uint32_t set, float shortest,
                       lmbi_tip out[LMBI_FINGERS])
{
    uint32_t n = 0;
    for (uint32_t t = 0; t < count; ++t) {
        if (set >> t & 1) {
            if (n == LMBI_FINGERS || !(tips[t].length > shortest)) {
                return false;
            }
            out[n++] = tips[t];
        }
    }
    return n == LMBI_FINGERS;
}

float lmbi_fingers_choose(const lmbi_tip *tips, uint32_t count, const lmbi_finger_view *view,
                          lmbi_tip out[LMBI_FINGERS], uint32_t *out_chosen)
{
    const uint32_t seen = count < LMBI_FINGER_TIPS ? count : LMBI_FINGER_TIPS;
    float best = 3;
    *out_chosen = 0;
    for (uint32_t set = 0; set < 1u << seen; ++set) {
        lmbi_tip five[LMBI_FINGERS];
        if (!gather_set(tips, seen, set, view->shortest, five)) {
            continue;
        }
        const float cost = set_cost(five, view);
        if (cost < best) {
            best = cost;
            *out_chosen = set;
            for (int f = 0; f < LMBI_FINGERS; ++f) {
                out[f] = five[f];
            }
        }
    }
    return best;
}

/// How much like a thumb the end `a` of the row is, with `b` next to it: it ends farther back and
/// farther from its neighbour than fingers do, and points away from `most`. `apart`: the distance
/// between fingers.
static float thumb_like(const lmbi_tip *a, const lmbi_tip *b, lmb_vec3 along, lmb_vec3 most,
                        float apart)
{
    const float back = lmb_vec3_dot(lmb_vec3_sub(b->position, a->position), along),
                gap = lmb_vec3_distance(a->position, b->position);
    const lmb_vec3 way = lmb_vec3_normalize_or(lmb_vec3_sub(a->position, a->base), along);
    return (back + gap) / fmaxf(apart, 1e-6f) - lmb_vec3_dot(way, most);
}

float lmbi_fingers_order(lmb_vec3 along, lmbi_tip tips[LMBI_FINGERS])
{
    uint32_t row[LMBI_FINGERS];
    lmbi_tip in_row[LMBI_FINGERS];
    lmb_vec3 most = {0, 0, 0};
    find_tip_order(tips, row);
    for (uint32_t k = 0; k < LMBI_FINGERS; ++k) {
        in_row[k] = tips[row[k]];
    }
    for (uint32_t k = 1; k + 1 < LMBI_FINGERS; ++k) {
        const lmb_vec3 way = lmb_vec3_sub(in_row[k].position, in_row[k].base);
        most = lmb_vec3_add(most, lmb_vec3_normalize_or(way, along));
    }
    most = lmb_vec3_normalize_or(most, along);
    const float apart = 0.5f * (lmb_vec3_distance(in_row[1].position, in_row[2].position) +
                                lmb_vec3_distance(in_row[2].position, in_row[3].position));
    const float first = thumb_like(&in_row[0], &in_row[1], along, most, apart),
                last = thumb_like(&in_row[4], &in_row[3], along, most, apart);
    for (uint32_t k = 0; k < LMBI_FINGERS; ++k) {
        tips[k] = in_row[first > last ? k : LMBI_FINGERS - 1 - k];
    }
    return fabsf(first - last);
}

uint32_t lmbi_fingers_longest(const lmbi_tip tips[LMBI_FINGERS])
{
    uint32_t longest = 1;
    for (uint32_t t = 2; t < LMBI_FINGERS; ++t) {
        longest = tips[t].length > tips[longest].length ? t : longest;
    }
    return longest;
}

// ---- middle lines

/// Sections are taken between these fractions of the free part of a finger.
static const float FIRST = 0.15f, LAST = 0.9f;
/// A section this many times larger than the median is cut through a neighbour too.
static const float MERGED = 1.5f;
enum { SECTIONS = 24, LEAST = SECTIONS / 2 };

typedef struct sections {
    lmb_vec3 at[SECTIONS];
    float area[SECTIONS];
} sections;

static void cut_sections(const lmbi_voxel_body *body, const lmbi_limb_profile *line, float free,
                         sections *s)
{
    uint8_t scratch[LMBI_SECTION_CELLS * LMBI_SECTION_CELLS];
    for (int n = 0; n < SECTIONS; ++n) {
        const float arc = free * (FIRST + (LAST - FIRST) * (float)n / (SECTIONS - 1));
        const uint32_t sample = (uint32_t)(arc / fmaxf(line->step, 1e-6f));
        s->area[n] =
            lmbi_section_area(body, lmbi_limb_point(line, arc), lmbi_limb_direction(line, sample),
                              0.5f * free, scratch, &s->at[n]);
    }
}

/// Keeps the sections that belong to the finger alone, in order; returns their number.
static uint32_t keep_unmerged_sections(sections *s)
{
    float sorted[SECTIONS];
    memcpy(sorted, s->area, sizeof sorted);
    lmbi_sort_floats(sorted, SECTIONS);
    uint32_t kept = 0;
    for (int n = 0; n < SECTIONS; ++n) {
        if (s->area[n] > 0 && s->area[n] < MERGED * sorted[SECTIONS / 2]) {
            s->at[kept++] = s->at[n];
        }
    }
    return kept;
}

static void smooth_line(lmb_vec3 *p, uint32_t count)
{
    lmb_vec3 before = p[0];
    for (uint32_t k = 1; k + 1 < count; ++k) {
        const lmb_vec3 here = p[k];
        p[k] = lmb_vec3_lerp(here, lmb_vec3_lerp(before, p[k + 1], 0.5f), 0.5f);
        before = here;
    }
}

/// Where the line through the outermost sections leaves the solid.
static lmb_vec3 find_tip(const lmbi_voxel_body *body, const lmb_vec3 *p, uint32_t count,
                         float farthest)
{
    const lmb_vec3 out =
        lmb_vec3_normalize_or(lmb_vec3_sub(p[0], p[count / 4]), lmb_vec3_make(0, 1, 0));
    const float step = 0.25f * body->grid.cell;
    float far = 0;
    while (far < farthest &&
           body->cells[lmbi_grid_voxel_at(&body->grid, lmb_vec3_mad(p[0], out, far + step))]) {
        far += step;
    }
    return lmb_vec3_mad(p[0], out, far);
}

void lmbi_finger_center(const lmbi_voxel_body *body, float free, lmbi_limb_profile *line)
{
    lmb_vec3 through[1 + SECTIONS + LMBI_LIMB_SAMPLES];
    sections s;
    cut_sections(body, line, free, &s);
    const uint32_t kept = keep_unmerged_sections(&s);
    if (kept < LEAST) {
        return;
    }
    smooth_line(s.at, kept);
    smooth_line(s.at, kept);
    uint32_t count = 0;
    through[count++] = find_tip(body, s.at, kept, 2 * FIRST * free);
    for (uint32_t k = 0; k < kept; ++k) {
        through[count++] = s.at[k];
    }
    for (uint32_t n = 0; n < line->count; ++n) {
        if ((float)n * line->step > free) {
            through[count++] = line->at[n];
        }
    }
    lmbi_limb_from_points(body, through, count, line);
}

// ---- bends

enum { BINS = 80 };

/// Fractions of a finger's length: a vertex farther than NEAR from the line belongs to another
/// finger; BUNCH is the width of a group of edge loops, AROUND that of the neighbourhood it is
/// compared with.
static const float NEAR = 0.17f, BUNCH = 0.025f, AROUND = 0.15f;
/// Standard deviations of the positions of joints in hands by artists.
static const float MIDDLE_SPREAD = 0.055f, OUTER_SPREAD = 0.06f;

/// The fraction of the path next to which a point lies; its distance from the path goes to
/// *out_far.
static float fraction_along(const lmbi_finger_path *path, lmb_vec3 p, float *out_far)
{
    int nearest = 0;
    float least = INFINITY;
    for (int k = 0; k < LMBI_FINGER_STEPS; ++k) {
        const lmb_vec3 to = lmb_vec3_sub(p, path->at[k]);
        const float d = lmb_vec3_dot(to, to);
        if (d < least) {
            least = d;
            nearest = k;
        }
    }
    const int before = nearest > 0 ? nearest - 1 : 0,
              after = nearest < LMBI_FINGER_STEPS - 1 ? nearest + 1 : nearest;
    const lmb_vec3 along = lmb_vec3_sub(path->at[after], path->at[before]);
    const float step = path->length / (LMBI_FINGER_STEPS - 1);
    const float past = lmb_vec3_dot(lmb_vec3_sub(p, path->at[nearest]), along) /
                       fmaxf(lmb_vec3_length(along), 1e-9f);
    *out_far = lmb_sqrt(least);
    return ((float)nearest + past / fmaxf(step, 1e-9f)) / (LMBI_FINGER_STEPS - 1);
}

static void count_corners(const lmbi_triangle_soup *soup,
                          const lmbi_finger_path paths[LMBI_BENDING_FINGERS],
                          float bins[LMBI_BENDING_FINGERS][BINS])
{
    for (size_t c = 0; c < 3 * (size_t)soup->triangle_count; ++c) {
        float least = INFINITY, fraction = -1;
        int finger = 0;
        for (int f = 0; f < LMBI_BENDING_FINGERS; ++f) {
            float far;
            const float at = fraction_along(&paths[f], soup->positions[soup->triangles[c]], &far);
            if (far < least && far < NEAR * paths[f].length) {
                least = far;
                fraction = at;
                finger = f;
            }
        }
        if (fraction >= 0 && fraction < 1) {
            bins[finger][(int)(fraction * BINS)] += 1;
        }
    }
}

static void blur(const float *x, float wide, float *out)
{
    const int reach = (int)(3 * wide * BINS) + 1;
    for (int n = 0; n < BINS; ++n) {
        float sum = 0, weights = 0;
        for (int k = n - reach < 0 ? 0 : n - reach; k <= n + reach && k < BINS; ++k) {
            const float d = (float)(k - n) / (wide * BINS), weight = lmb_exp(-0.5f * d * d);
            sum += weight * x[k];
            weights += weight;
        }
        out[n] = sum / weights;
    }
}

/// Density of vertices along the finger relative to its neighbourhood.
static void find_density(const float *counts, float *out)
{
    float bunch[BINS], around[BINS];
    blur(counts, BUNCH, bunch);
    blur(bunch, AROUND, around);
    for (int n = 0; n < BINS; ++n) {
        out[n] = around[n] > 0 ? bunch[n] / around[n] : 1;
    }
}

/// The mean of a Gaussian around the usual position, weighted by density.
static float weighted_mean(const float *density, float usual, float spread)
{
    float sum = 0, weights = 0;
    for (int n = 0; n < BINS; ++n) {
        const float at = ((float)n + 0.5f) / BINS, d = (at - usual) / spread;
        const float weight = lmb_exp(-0.5f * d * d) * density[n] * density[n];
        sum += weight * at;
        weights += weight;
    }
    return weights > 0 ? sum / weights : usual;
}

void lmbi_finger_bends(const lmbi_triangle_soup *soup,
                       const lmbi_finger_path paths[LMBI_BENDING_FINGERS],
                       lmbi_bends bends[LMBI_BENDING_FINGERS])
{
    float bins[LMBI_BENDING_FINGERS][BINS] = {{0}}, all[BINS] = {0};
    count_corners(soup, paths, bins);
    for (int f = 0; f < LMBI_BENDING_FINGERS; ++f) {
        float density[BINS];
        find_density(bins[f], density);
        for (int n = 0; n < BINS; ++n) {
            bins[f][n] = density[n];
            all[n] += density[n] / LMBI_BENDING_FINGERS;
        }
    }
    for (int f = 0; f < LMBI_BENDING_FINGERS; ++f) {
        // All four fingers share one density, since fingers of one hand are modelled alike.
        float density[BINS];
        for (int n = 0; n < BINS; ++n) {
            density[n] = bins[f][n] * all[n];
        }
        bends[f].middle = weighted_mean(density, bends[f].middle, MIDDLE_SPREAD);
        bends[f].outer = weighted_mean(density, bends[f].outer, OUTER_SPREAD);
    }
}
