#include "embed/hand/hand.h"

#include <math.h>

/// Distance from the knuckles to the wrist over the width of the knuckles: 1.34 to 1.68 in six
/// hands by artists, 1.44 to 1.62 in generated ones. A detected wrist is clamped to NEAREST and
/// FARTHEST.
static const float USUAL = 1.5f, NEAREST = 1.0f, FARTHEST = 1.85f;
/// The wrist lies this far behind the place where the hand stops narrowing, in widths of the
/// knuckles.
static const float BEHIND = 0.08f;
/// A mesh that is cut at its wrist ends in slivers without sections: this much of it is not
/// counted, in widths of the knuckles.
static const float LOST = 0.1f;
/// Sections begin this far behind the knuckles, where the fingers have merged, in lengths of the
/// finger.
static const float FROM = 0.45f;

enum { SECTIONS = 48, FEWEST = 8 };

/// Cross-sections of palm and forearm, at equal steps behind the knuckles.
typedef struct cuts {
    float from, step; ///< distance of the first one behind the knuckles
    lmb_vec3 center[SECTIONS];
    float area[SECTIONS];
    int count; ///< fewer than SECTIONS if the solid ends
    int whole; ///< those before the oblique end, where sections shrink at once
} cuts;

static float distance_at(const cuts *c, int n)
{
    return c->from + c->step * (float)n;
}

static void cut_sections(const lmbi_voxel_body *body, lmb_vec3 knuckles, float reach, cuts *c)
{
    const float air = 0.05f, torn = 0.8f;
    const int apart = SECTIONS / 12;
    uint8_t scratch[LMBI_SECTION_CELLS * LMBI_SECTION_CELLS];
    float most = 0;
    lmb_vec3 p = knuckles;
    for (c->count = 0; c->count < SECTIONS; ++c->count) {
        const int n = c->count;
        p.y = knuckles.y - distance_at(c, n);
        c->center[n] = p;
        c->area[n] =
            lmbi_section_area(body, p, lmb_vec3_make(0, 1, 0), reach, scratch, &c->center[n]);
        if (!(c->area[n] > air * most)) {
            break;
        }
        p = c->center[n];
        most = fmaxf(most, c->area[n]);
    }
    c->whole = c->count;
    while (c->whole > apart && c->area[c->whole - 1] < torn * c->area[c->whole - 1 - apart]) {
        --c->whole;
    }
}

/// Least-squares fit of areas from `first` to `last` by two straight lines that meet at `bend`.
typedef struct bent_line {
    float before, after; ///< slopes
    float level;         ///< the area at the bend
    float miss;          ///< residual sum of squares
} bent_line;

static bent_line fit_bent(const cuts *c, int first, int last, int bend)
{
    // Normal equations for level, before, after; no section depends on both slopes.
    double n = 0, u = 0, uu = 0, v = 0, vv = 0, y = 0, uy = 0, vy = 0, yy = 0;
    for (int k = first; k <= last; ++k) {
        const double x = (double)(k - bend), a = (double)c->area[k], l = x < 0 ? x : 0,
                     r = x > 0 ? x : 0;
        n += 1;
        u += l;
        uu += l * l;
        v += r;
        vv += r * r;
        y += a;
        uy += l * a;
        vy += r * a;
        yy += a * a;
    }
    const double level = (y - u * uy / uu - v * vy / vv) / (n - u * u / uu - v * v / vv),
                 before = (uy - level * u) / uu, after = (vy - level * v) / vv;
    return (bent_line){(float)before, (float)after, (float)level,
                       (float)(yy - level * y - before * uy - after * vy)};
}

/// How far behind the knuckles the hand stops narrowing. *out_clear is 0 if it does not, up to 1.
static float find_end_of_narrowing(const cuts *c, float farthest, float *out_clear)
{
    int first = 0, last = c->whole - 1;
    *out_clear = 0;
    while (last > 0 && distance_at(c, last) > farthest) {
        --last;
    }
    for (int n = 1; n <= last && n < SECTIONS / 3; ++n) {
        first = c->area[n] > c->area[first] ? n : first;
    }
    if (last - first < FEWEST) {
        return 0;
    }
    bent_line best = {.miss = INFINITY};
    int at = first;
    for (int bend = first + 2; bend <= last - 2; ++bend) {
        const bent_line b = fit_bent(c, first, last, bend);
        if (b.miss < best.miss) {
            best = b;
            at = bend;
        }
    }
    const float level_off =
                    best.before < 0 ? fmaxf(best.after, 0.0f - best.after) / -best.before : 1,
                narrower = 1 - best.level / c->area[first];
    *out_clear = fminf(1, fmaxf(0, (0.6f - level_off) / 0.25f)) *
                 fminf(1, fmaxf(0, (narrower - 0.1f) / 0.15f));
    return distance_at(c, at);
}

/// The middle of the arm at a distance behind the knuckles, from a line fitted to the whole
/// sections around it, because sections at an oblique end are one-sided.
static lmb_vec3 arm_center_at(const cuts *c, float far)
{
    const int about = 6, n = (int)fminf((far - c->from) / c->step, (float)(c->whole - 1));
    const int first = n > about ? n - about : 0,
              last = n + about < c->whole ? n + about : c->whole - 1;
    const float count = (float)(last - first + 1);
    float place_sum = 0, spread = 0;
    lmb_vec3 mean = {0, 0, 0}, slope = {0, 0, 0};
    for (int k = first; k <= last; ++k) {
        place_sum += distance_at(c, k);
        mean = lmb_vec3_mad(mean, c->center[k], 1 / count);
    }
    for (int k = first; k <= last; ++k) {
        const float x = distance_at(c, k) - place_sum / count;
        slope = lmb_vec3_mad(slope, c->center[k], x);
        spread += x * x;
    }
    return lmb_vec3_mad(mean, slope, spread > 0 ? (far - place_sum / count) / spread : 0);
}

lmbi_wrist lmbi_wrist_find(const lmbi_voxel_body *body, lmb_vec3 knuckles, float width,
                           float finger)
{
    cuts c = {.from = FROM * finger};
    c.step = (FARTHEST * width - c.from) / (SECTIONS - 1);
    lmbi_wrist w = {.at = lmb_vec3_make(knuckles.x, knuckles.y - USUAL * width, knuckles.z)};
    if (!(c.step > 0)) {
        return w;
    }
    cut_sections(body, knuckles, 0.8f * finger, &c);
    if (c.whole == 0) {
        return w;
    }
    float clear, far = USUAL * width;
    const float stops = find_end_of_narrowing(&c, FARTHEST * width, &clear) + BEHIND * width;
    far += clear * (fmaxf(stops, NEAREST * width) - far);
    far = fminf(far, distance_at(&c, c.count - 1) + LOST * width);
    w.at = arm_center_at(&c, far);
    w.seen = clear > 0.5f;
    return w;
}
