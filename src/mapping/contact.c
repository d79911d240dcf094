/// Foot contacts: frames in which a foot is slow and low, with thresholds from the clip.
#include "mapping/contact.h"

#include <math.h>
#include <string.h>

#include "math/scalar.h"

#define FLOOR_QUANTILE 0.04f
#define STEP_S 0.6f   ///< longest time between contacts of a walking foot
#define DRIFT_M 0.08f ///< greatest drift of a recorded floor
/// Contacts that move farther are dragged feet, except where they are slow.
#define DRAG_M 0.12f
#define SKID_M 0.035f ///< greatest height of a skidding foot
#define SKID_LEAST_S 0.06f
#define TREMBLE_S 0.1f ///< least duration of a trembling toe's contact
#define SPOT_M 0.04f   ///< a toe within this radius is at rest
#define SKID_MOST_S 0.8f
#define SKID_SPEED 0.4f ///< slower than this fraction of the swing speed is standing
#define BINS 48

/// Otsu's threshold (1979) on the logarithm of the speeds: the best cut between standing and
/// moving.
static float speed_valley(const float *speeds, const bool *low, uint32_t count, float slow,
                          float fast)
{
    float bins[BINS] = {0}, total = 0.0f, sum = 0.0f;
    const float from = lmb_log(slow), span = lmb_log(fast) - from;
    for (uint32_t i = 0; i < count; ++i) {
        if (low[i]) {
            const float x = (lmb_log(fmaxf(speeds[i], slow)) - from) / span;
            const int bin = x >= 1.0f ? BINS - 1 : (int)(x * (float)BINS);
            bins[bin] += 1.0f;
            total += 1.0f;
            sum += (float)bin;
        }
    }
    float below = 0.0f, below_sum = 0.0f, best = -1.0f;
    int cut = BINS / 2;
    for (int b = 0; b + 1 < BINS && total > 0.0f; ++b) {
        below += bins[b];
        below_sum += (float)b * bins[b];
        if (below > 0.0f && below < total) {
            const float difference = below_sum / below - (sum - below_sum) / (total - below);
            const float between = below * (total - below) * difference * difference;
            if (between > best) {
                best = between;
                cut = b;
            }
        }
    }
    return lmb_exp(from + span * (float)(cut + 1) / (float)BINS);
}

typedef struct track {
    const lmb_vec3 *points;
    float *speeds;  ///< [count] metres per second on a body of common size
    float *heights; ///< [count] metres above this point's floor
    bool *low;
    uint32_t count;
} track;

float lmbi_contact_speed(const lmbi_contact_bounds *bounds, const lmb_vec3 *points,
                         uint32_t frame_count, uint32_t frame, float rate, float metre)
{
    const float hz = bounds->speed_hz;
    const uint32_t half = rate > 3.0f * hz ? (uint32_t)(rate / (2.0f * hz) + 0.5f) : 1;
    const uint32_t a = frame > half ? frame - half : 0,
                   b = frame + half < frame_count ? frame + half : frame_count - 1;
    const float time_s = (float)(b - a) / rate;
    return b > a ? lmb_vec3_distance(points[a], points[b]) / (time_s * metre) : 0.0f;
}

/// Heights above the lowest position within a step's time, because recordings drift by centimetres.
/// That floor is limited, so that a foot kept in the air makes none of its own.
static void measure_height(track *t, float rate, float body_m)
{
    const uint32_t reach = (uint32_t)(STEP_S * rate + 1.0f);
    for (uint32_t f = 0; f < t->count; ++f) {
        t->heights[f] = t->points[f].y;
    }
    const float floor_height = lmbi_quantile(t->heights, t->count, FLOOR_QUANTILE);
    for (uint32_t f = 0; f < t->count; ++f) {
        const uint32_t a = f > reach ? f - reach : 0,
                       b = f + reach < t->count ? f + reach : t->count - 1;
        float low = t->points[f].y;
        for (uint32_t i = a; i <= b; ++i) {
            low = fminf(low, t->points[i].y);
        }
        low = fmaxf(floor_height, fminf(low, floor_height + DRIFT_M * body_m));
        t->heights[f] = (t->points[f].y - low) / body_m;
        t->low[f] = t->heights[f] < 0.05f;
    }
}

typedef struct gate {
    lmbi_contact_bounds bounds; ///< metres and m/s on a body of common size
    uint32_t least;             ///< frames within the narrow bounds
} gate;

/// Finds runs inside the wide gate that have at least `least` frames in the narrow one
/// (hysteresis).
static uint32_t find_runs(const track *t, gate g, bool ground, lmbi_foot_contact *out)
{
    uint32_t count = 0, begin = 0, core = 0;
    for (uint32_t f = 0; f <= t->count; ++f) {
        if (f < t->count &&
            lmbi_contact_holds(&g.bounds, true, t->heights[f], t->speeds[f], 1.0f)) {
            core += lmbi_contact_holds(&g.bounds, false, t->heights[f], t->speeds[f], 1.0f);
            continue;
        }
        if (core >= g.least) {
            out[count++] = (lmbi_foot_contact){.begin = begin, .end = f, .ground = ground};
        }
        begin = f + 1;
        core = 0;
    }
    return count;
}

/// Removes dragged feet: of runs that move far, only the slow parts are kept. Returns the new
/// count.
static uint32_t drop_drags(const track *t, gate slow, float far, lmbi_foot_contact *runs,
                           uint32_t count, lmbi_foot_contact *scratch)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; ++i) {
        const lmbi_foot_contact c = runs[i];
        if (lmb_vec3_distance(t->points[c.begin], t->points[c.end - 1]) <= far) {
            scratch[kept++] = c;
            continue;
        }
        const track part = {t->points + c.begin, t->speeds + c.begin, t->heights + c.begin,
                            t->low + c.begin, c.end - c.begin};
        const uint32_t found = find_runs(&part, slow, c.ground, scratch + kept);
        for (uint32_t k = 0; k < found; ++k) {
            scratch[kept + k].begin += c.begin;
            scratch[kept + k].end += c.begin;
        }
        kept += found;
    }
    memcpy(runs, scratch, kept * sizeof(*runs));
    return kept;
}

static bool overlaps(const lmbi_foot_contacts *contacts, lmbi_foot_contact c)
{
    for (uint32_t i = 0; i < contacts->count; ++i) {
        if (c.begin < contacts->items[i].end && contacts->items[i].begin < c.end) {
            return true;
        }
    }
    return false;
}

/// Adds contacts of feet that land, slide and lift again, as recordings from networks and bad
/// solvers have: where a foot is low and much slower than in its swings. Long low motion is a
/// deliberate glide.
static void add_skids(const track *t, float rate, float *scratch, lmbi_foot_contacts *contacts)
{
    for (uint32_t f = 0; f < t->count; ++f) {
        scratch[f] = t->speeds[f];
    }
    const float swing = lmbi_quantile(scratch, t->count, 0.95f);
    const uint32_t known = contacts->count;
    for (uint32_t begin = 0, f = 0; f <= t->count; ++f) {
        if (f < t->count && t->heights[f] < SKID_M) {
            continue;
        }
        const lmbi_foot_contact low = {.begin = begin, .end = f, .ground = true};
        const float seconds = (float)(f - begin) / rate;
        const lmbi_foot_contacts found = {contacts->items, known};
        begin = f + 1;
        if (seconds < SKID_LEAST_S || seconds > SKID_MOST_S || overlaps(&found, low)) {
            continue;
        }
        uint32_t slowest = low.begin;
        for (uint32_t i = low.begin; i < low.end; ++i) {
            slowest = t->speeds[i] < t->speeds[slowest] ? i : slowest;
        }
        if (t->speeds[slowest] < 0.75f * SKID_SPEED * swing) {
            lmbi_foot_contact c = {.begin = slowest, .end = slowest + 1, .ground = true};
            while (c.begin > low.begin && t->speeds[c.begin - 1] < SKID_SPEED * swing) {
                --c.begin;
            }
            while (c.end < low.end && t->speeds[c.end] < SKID_SPEED * swing) {
                ++c.end;
            }
            contacts->items[contacts->count++] = c;
        }
    }
}

static void sort_contacts(lmbi_foot_contacts *contacts)
{
    for (uint32_t i = 1; i < contacts->count; ++i) {
        const lmbi_foot_contact c = contacts->items[i];
        uint32_t k = i;
        while (k > 0 && contacts->items[k - 1].begin > c.begin) {
            contacts->items[k] = contacts->items[k - 1];
            --k;
        }
        contacts->items[k] = c;
    }
}

/// Merges two runs with a short gap in which the point hardly moved.
static void merge_gaps(const track *t, lmbi_foot_contacts *contacts, float rate, float body_m)
{
    const uint32_t gap = (uint32_t)(0.05f * rate + 1.0f);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < contacts->count; ++i) {
        const lmbi_foot_contact c = contacts->items[i];
        lmbi_foot_contact *last = kept > 0 ? &contacts->items[kept - 1] : NULL;
        if (last != NULL && c.begin - last->end <= gap && c.ground == last->ground &&
            lmb_vec3_distance(t->points[last->end - 1], t->points[c.begin]) < 0.02f * body_m) {
            last->end = c.end;
        } else {
            contacts->items[kept++] = c;
        }
    }
    contacts->count = kept;
}

bool lmbi_contacts_find(const lmb_vec3 *points, uint32_t frame_count, float rate, float body_m,
                        lmbi_arena *arena, lmbi_foot_contacts *out)
{
    track t = {.points = points, .count = frame_count};
    t.speeds = lmbi_arena_array(arena, frame_count, sizeof(*t.speeds));
    t.heights = lmbi_arena_array(arena, frame_count, sizeof(*t.heights));
    t.low = lmbi_arena_array(arena, frame_count, sizeof(*t.low));
    lmbi_foot_contacts contacts = {
        .items = lmbi_arena_array(arena, (size_t)frame_count + 1, sizeof(*contacts.items))};
    float *scratch = lmbi_arena_array(arena, frame_count, sizeof(*scratch));
    lmbi_foot_contact *resting = lmbi_arena_array(arena, (size_t)frame_count + 1, sizeof(*resting));
    if (t.speeds == NULL || t.heights == NULL || t.low == NULL || contacts.items == NULL ||
        resting == NULL || scratch == NULL) {
        return false;
    }
    for (uint32_t f = 0; f < frame_count; ++f) {
        t.speeds[f] =
            lmbi_contact_speed(&lmbi_contact_of_recordings, points, frame_count, f, rate, body_m);
    }
    measure_height(&t, rate, body_m);
    const float valley = speed_valley(t.speeds, t.low, frame_count, 0.01f, 4.0f);
    gate ground = {lmbi_contact_of_recordings, (uint32_t)(0.03f * rate + 1.0f)};
    ground.bounds.speed_on =
        fminf(fmaxf(valley, lmbi_contact_of_drags.speed_on), ground.bounds.speed_on);
    contacts.count = find_runs(&t, ground, true, contacts.items);
    const gate slow = {lmbi_contact_of_drags, ground.least};
    contacts.count = drop_drags(&t, slow, DRAG_M * body_m, contacts.items, contacts.count, resting);
    add_skids(&t, rate, scratch, &contacts);
    sort_contacts(&contacts);
    // A foot that rests on a chair or hangs still: locked where it is, not on the floor.
    const gate still = {lmbi_contact_at_rest, (uint32_t)(0.3f * rate + 1.0f)};
    const uint32_t resting_count = find_runs(&t, still, false, resting);
    for (uint32_t i = 0; i < resting_count; ++i) {
        if (!overlaps(&contacts, resting[i])) {
            contacts.items[contacts.count++] = resting[i];
        }
    }
    sort_contacts(&contacts);
    merge_gaps(&t, &contacts, rate, body_m);
    *out = contacts;
    return true;
}

/// Whether a point is still above the position at which it lands or lifts off.
static bool is_above(lmb_vec3 p, lmb_vec3 at, float height, float aside)
{
    const float x = p.x - at.x, z = p.z - at.z;
    return p.y < at.y + height && x * x + z * z < aside * aside;
}

void lmbi_contacts_widen(const lmb_vec3 *points, uint32_t frame_count, uint32_t reach, float height,
                         lmbi_foot_contacts *contacts)
{
    for (uint32_t i = 0; i < contacts->count; ++i) {
        lmbi_foot_contact *c = &contacts->items[i];
        const lmb_vec3 begin = points[c->begin], end = points[c->end - 1];
        const uint32_t before = i > 0 ? contacts->items[i - 1].end : 0,
                       after = i + 1 < contacts->count ? contacts->items[i + 1].begin : frame_count;
        for (uint32_t k = 0; k < reach && c->begin > before &&
                             is_above(points[c->begin - 1], begin, height, height);
             ++k) {
            --c->begin;
        }
        for (uint32_t k = 0;
             k < reach && c->end < after && is_above(points[c->end], end, height, height); ++k) {
            ++c->end;
        }
    }
}

/// Cuts off the ends of a run that are more than `height` above its lowest point.
static lmbi_foot_contact lower_part(const lmb_vec3 *points, lmbi_foot_contact c, float height)
{
    float low = points[c.begin].y;
    for (uint32_t f = c.begin; f < c.end; ++f) {
        low = fminf(low, points[f].y);
    }
    while (points[c.begin].y > low + height) {
        ++c.begin;
    }
    while (points[c.end - 1].y > low + height) {
        --c.end;
    }
    return c;
}

/// Whether a point stays within a radius of its mean position.
static bool on_a_spot(const lmb_vec3 *points, lmbi_foot_contact c, float around)
{
    lmb_vec3 mean = {0, 0, 0};
    for (uint32_t f = c.begin; f < c.end; ++f) {
        mean = lmb_vec3_mad(mean, points[f], 1.0f / (float)(c.end - c.begin));
    }
    for (uint32_t f = c.begin; f < c.end; ++f) {
        if (lmb_vec3_distance(points[f], mean) > around) {
            return false;
        }
    }
    return true;
}

void lmbi_contacts_join(const lmb_vec3 *toes, const lmbi_foot_contacts *ankles, float rate,
                        float body_m, lmbi_foot_contacts *contacts)
{
    const uint32_t least = (uint32_t)(TREMBLE_S * rate + 1.0f);
    const lmbi_foot_contacts known = {contacts->items, contacts->count};
    for (uint32_t i = 0; i < ankles->count; ++i) {
        const lmbi_foot_contact a = ankles->items[i];
        for (uint32_t begin = a.begin, f = a.begin; a.ground && f <= a.end; ++f) {
            const lmbi_foot_contact now = {.begin = f, .end = f + 1, .ground = true};
            if (f < a.end && !overlaps(&known, now)) {
                continue;
            }
            lmbi_foot_contact c = {.begin = begin, .end = f, .ground = true};
            begin = f + 1;
            if (c.end - c.begin < least) {
                continue;
            }
            c = lower_part(toes, c, SKID_M * body_m);
            if (c.end - c.begin >= least && on_a_spot(toes, c, SPOT_M * body_m)) {
                contacts->items[contacts->count++] = c;
            }
        }
    }
    sort_contacts(contacts);
}
