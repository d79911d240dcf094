/// Where the joints of a hand lie: by where its fingers part, and by the proportions of its bones.
#include "rig/fingers.h"

#include <math.h>

/// Of four fingers, index to little, after the lengths of bones and of the flesh at their ends in
/// Buryanov and Kotiuk, Proportions of hand segments, 2010.
typedef struct proportions {
    float middle, outer; ///< where they bend, of the way from the end to the knuckle
    float length;        ///< from the end to the knuckle, of the middle finger's
    /// From the end to the knuckle, of the way to where fingers part: 1.11 to 1.19 by lengths of
    /// fingers from their crease (Pheasant), 1.19 to 1.28 by the 14 to 20 mm that X-rays show
    /// between crease and knuckle (Bugbee and Botte, Surface anatomy of the hand, 1993).
    float hidden;
} proportions;

static const proportions FINGER[4] = {{0.514f, 0.240f, 0.886f, 1.17f},
                                      {0.517f, 0.231f, 1, 1.17f},
                                      {0.531f, 0.241f, 0.956f, 1.20f},
                                      {0.537f, 0.280f, 0.763f, 1.22f}};

/// Between the knuckles of index and little finger, of the middle finger's length.
static const float PALM_WIDTH = 0.66f;
/// Fingers that part so far out for the width of their palm are still joined there.
static const float JOINED = 1.8f;
/// The thumb's joints, of the way from its end to where it meets the wrist.
static const float THUMB_MIDDLE = 0.58f, THUMB_OUTER = 0.262f;
/// Where the thumb meets the wrist (the saddle joint): toward the index, toward the knuckles, of
/// the way from wrist to knuckles; and toward the palm, of how far the thumb is there itself.
static const float SADDLE_ACROSS = 0.26f, SADDLE_ALONG = 0.3f, SADDLE_DEEP = 0.5f;

typedef struct lines {
    const lmbi_hand_look *look;
    const lmbi_tip *tips;
    lmbi_limb line[LMBI_FINGERS];
    float web[LMBI_FINGERS][2]; ///< arc where a finger parts from its neighbours; 0: not seen
    float length[LMBI_FINGERS]; ///< from the end to the knuckle
} lines;

/// Where tip `t` met another one that reaches farther: on the side of which neighbour, and where on
/// both fingers' lines.
static void note_web(lines *l, uint32_t t)
{
    float nearest = 1e30f;
    uint32_t other = t;
    const lmb_vec3 at = l->tips[t].base;
    for (uint32_t n = t > LMBI_INDEX ? t - 1 : t + 1; n <= t + 1 && n < LMBI_FINGERS; n += 2) {
        for (uint32_t k = 0; k < l->line[n].count; ++k) {
            const float d = lmb_vec3_distance(l->line[n].at[k], at);
            if (d < nearest) {
                nearest = d;
                other = n;
            }
        }
    }
    l->web[t][other > t] = lmbi_limb_arc(&l->line[t], at);
    l->web[other][other < t] = lmbi_limb_arc(&l->line[other], at);
}

static float mean_web(const float web[2])
{
    return web[0] > 0 && web[1] > 0 ? 0.5f * (web[0] + web[1]) : fmaxf(web[0], web[1]);
}

/// How long each finger is by where it parts from the others. Fingers that touch part too far out;
/// what the others say is longer then. Returns the middle finger's length as all of them say.
static float lengths_by_webs(lines *l)
{
    float middle = 0;
    uint32_t count = 0;
    for (uint32_t t = LMBI_INDEX; t < LMBI_FINGERS; ++t) {
        const proportions *p = &FINGER[t - 1];
        l->length[t] = p->hidden * mean_web(l->web[t]);
        middle += l->length[t] / p->length;
        count += l->length[t] > 0;
    }
    middle /= (float)(count > 0 ? count : 1);
    for (uint32_t t = LMBI_INDEX; t < LMBI_FINGERS; ++t) {
        l->length[t] = fmaxf(l->length[t], 0.85f * FINGER[t - 1].length * middle);
    }
    return middle;
}

/// A point of a finger's line; beyond where it parts from the others straight on, since the line
/// turns to the middle of the palm there.
static lmb_vec3 on_finger(const lines *l, uint32_t t, float arc)
{
    const float web = l->length[t] / FINGER[t - 1].hidden, leave = 0.9f * web;
    if (arc <= leave) {
        return lmbi_limb_point(&l->line[t], arc);
    }
    const lmb_vec3 from = lmbi_limb_point(&l->line[t], leave),
                   before = lmbi_limb_point(&l->line[t], 0.45f * web);
    const lmb_vec3 way = lmb_vec3_normalize_or(lmb_vec3_sub(from, before), lmb_vec3_make(0, -1, 0));
    return lmb_vec3_mad(from, way, arc - leave);
}

/// Webs lie deep in some hands and far out in others, and palms are broad or narrow: what both say
/// of the fingers' length is nearer than either.
static void find_lengths(lines *l, bool *out_parted)
{
    const float by_webs = lengths_by_webs(l);
    const float width = lmb_vec3_distance(on_finger(l, LMBI_INDEX, l->length[LMBI_INDEX]),
                                          on_finger(l, LMBI_LITTLE, l->length[LMBI_LITTLE]));
    const float ratio = width / PALM_WIDTH / fmaxf(by_webs, 1e-4f);
    const float change = lmb_sqrt(fminf(fmaxf(ratio, 0.6f), 1.6f));
    *out_parted = ratio < JOINED;
    for (uint32_t t = LMBI_INDEX; t < LMBI_FINGERS; ++t) {
        l->length[t] *= change;
    }
}

static lmb_vec3 mean_knuckle(const lmbi_hand *hand)
{
    lmb_vec3 sum = {0, 0, 0};
    for (uint32_t t = LMBI_INDEX; t < LMBI_FINGERS; ++t) {
        sum = lmb_vec3_mad(sum, hand->joint[t][0], 0.25f);
    }
    return sum;
}

/// The middle of the solid that the plane at right angles to the hand cuts about a point.
static lmb_vec3 section_center(const lmbi_body *body, lmb_vec3 p, float reach, float *out_area)
{
    uint8_t scratch[LMBI_SECTION * LMBI_SECTION];
    lmb_vec3 center = p;
    *out_area = lmbi_section_area(body, p, lmb_vec3_make(0, 1, 0), reach, scratch, &center);
    return center;
}

enum { SECTIONS = 36 };

/// Sections of the palm and what follows it, from `from` to `to` behind the knuckles; fewer where
/// the solid ends.
static int cut_palm(const lines *l, lmb_vec3 knuckles, float from, float step,
                    lmb_vec3 centers[SECTIONS], float areas[SECTIONS])
{
    float palm = 0;
    lmb_vec3 p = knuckles;
    int count = 0;
    for (; count < SECTIONS; ++count) {
        p.y = knuckles.y - from - step * (float)count;
        const float reach = 0.8f * l->length[LMBI_MIDDLE];
        const lmb_vec3 center = section_center(&l->look->body, p, reach, &areas[count]);
        if (!(areas[count] > 0.05f * palm)) {
            break;
        }
        centers[count] = p = center;
        palm = fmaxf(palm, areas[count]);
    }
    return count;
}

/// How many of the sections are whole: toward a cut they shrink.
static int whole_sections(const float *areas, int count)
{
    int whole = count;
    while (whole > 2 && areas[whole - 1] < 0.95f * areas[whole - 3]) {
        --whole;
    }
    return whole;
}

/// Where the palm has narrowed to what the forearm begins with; where the solid ends before it has
/// a forearm, its end.
static void find_wrist(const lines *l, lmbi_hand *out)
{
    const float finger = l->length[LMBI_MIDDLE], from = 0.45f, step = 0.025f;
    const lmb_vec3 knuckles = mean_knuckle(out);
    lmb_vec3 centers[SECTIONS];
    float areas[SECTIONS], palm = 0, least = 1e30f;
    out->wrist = lmb_vec3_mad(knuckles, lmb_vec3_make(0, 1, 0), -0.9f * finger);
    const int count = cut_palm(l, knuckles, from * finger, step * finger, centers, areas);
    const int whole = whole_sections(areas, count);
    if (whole == 0) {
        return;
    }
    for (int n = 0; n < whole && from + step * (float)n < 1.2f; ++n) {
        palm = fmaxf(palm, areas[n]);
        least = from + step * (float)n < 0.55f ? least : fminf(least, areas[n]);
    }
    out->wrist_narrow = 1 - least / palm;
    if (from + step * (float)whole < 1.0f) {
        // what is left of a slanting cut lies to one side
        const lmb_vec3 last = centers[whole - 1];
        out->wrist = lmb_vec3_make(last.x, centers[count - 1].y, last.z);
        return;
    }
    int n = 0;
    while (from + step * (float)n < 0.55f || areas[n] > 1.05f * least) {
        ++n;
    }
    out->wrist = centers[n];
}

static void place_fingers(const lines *l, lmbi_hand *out)
{
    for (uint32_t t = LMBI_INDEX; t < LMBI_FINGERS; ++t) {
        const float length = l->length[t];
        out->joint[t][0] = on_finger(l, t, length);
        out->joint[t][1] = on_finger(l, t, FINGER[t - 1].middle * length);
        out->joint[t][2] = on_finger(l, t, FINGER[t - 1].outer * length);
        out->tip[t] = l->line[t].at[0];
    }
}

/// From its end along the thumb to where it parts from the palm, and on to the saddle joint.
static lmb_vec3 on_thumb(const lmbi_limb *line, float leave, lmb_vec3 saddle, float arc)
{
    const lmb_vec3 from = lmbi_limb_point(line, leave);
    const float rest = lmb_vec3_distance(from, saddle);
    return arc <= leave ? lmbi_limb_point(line, arc)
                        : lmb_vec3_lerp(from, saddle, fminf(1, (arc - leave) / fmaxf(rest, 1e-5f)));
}

static void place_thumb(const lines *l, lmbi_hand *out)
{
    const lmbi_limb *line = &l->line[LMBI_THUMB];
    const lmb_vec3 up = lmb_vec3_sub(mean_knuckle(out), out->wrist);
    const float palm = lmb_vec3_length(up);
    const lmb_vec3 along = lmb_vec3_normalize_or(up, lmb_vec3_make(0, 1, 0));
    const lmb_vec3 wide = lmb_vec3_sub(out->joint[LMBI_INDEX][0], out->joint[LMBI_LITTLE][0]);
    const lmb_vec3 across = lmb_vec3_normalize_or(
        lmb_vec3_mad(wide, along, -lmb_vec3_dot(wide, along)), lmb_vec3_any_perpendicular(along));
    const lmb_vec3 out_of = lmb_vec3_cross(across, along);
    const float leave = 0.95f * l->tips[LMBI_THUMB].length;
    const float deep = lmb_vec3_dot(lmb_vec3_sub(lmbi_limb_point(line, leave), out->wrist), out_of);
    const float within = fminf(fmaxf(SADDLE_DEEP * deep, -0.2f * palm), 0.2f * palm);
    const lmb_vec3 saddle =
        lmb_vec3_mad(lmb_vec3_mad(lmb_vec3_mad(out->wrist, across, SADDLE_ACROSS * palm), along,
                                  SADDLE_ALONG * palm),
                     out_of, within);
    const float length = leave + lmb_vec3_distance(lmbi_limb_point(line, leave), saddle);
    out->joint[LMBI_THUMB][0] = saddle;
    out->joint[LMBI_THUMB][1] = on_thumb(line, leave, saddle, THUMB_MIDDLE * length);
    out->joint[LMBI_THUMB][2] = on_thumb(line, leave, saddle, THUMB_OUTER * length);
    out->tip[LMBI_THUMB] = line->at[0];
}

static void place(const lmbi_hand_look *look, const lmbi_tip tips[LMBI_FINGERS], lmbi_hand *out)
{
    lines l = {.look = look, .tips = tips};
    for (uint32_t t = 0; t < LMBI_FINGERS; ++t) {
        lmbi_limb_trace(&look->body, look->ways, tips[t].voxel, &l.line[t]);
    }
    const uint32_t longest = lmbi_fingers_longest(tips);
    for (uint32_t t = LMBI_INDEX; t < LMBI_FINGERS; ++t) {
        if (t != longest) {
            note_web(&l, t);
        }
    }
    find_lengths(&l, &out->parted);
    place_fingers(&l, out);
    find_wrist(&l, out);
    place_thumb(&l, out);
}

/// Which of the ends may be fingers: beyond the palm, and apart for a good part of the hand.
static uint32_t beyond_palm(const lmbi_hand_look *look, lmbi_tip *out)
{
    uint32_t kept = 0;
    for (uint32_t t = 0; t < look->tip_count; ++t) {
        const float far = look->tips[t].position.y;
        // A thumb held out sideways reaches less far, but is long itself.
        if (far > 0.3f || (far > -0.1f && look->tips[t].length > 0.25f)) {
            out[kept++] = look->tips[t];
        }
    }
    return kept;
}

lmb_result lmbi_hand_place_joints(lmbi_hand_look *look, lmbi_hand *out, lmb_error *error)
{
    const float unlikely = 1;
    const lmbi_finger_view view = {.cell = look->body.grid.cell, .shortest = 0.12f};
    lmbi_tip ends[LMBI_MAX_TIPS], tips[LMBI_FINGERS];
    uint32_t chosen;
    const uint32_t count = beyond_palm(look, ends);
    out->found = lmbi_fingers_choose(ends, count, &view, tips, &chosen) < unlikely;
    if (!out->found) {
        return LMB_OK;
    }
    const lmb_result result = lmbi_hand_look_ways(look, error);
    if (result != LMB_OK) {
        return result;
    }
    lmbi_fingers_order(lmb_vec3_make(0, 1, 0), tips);
    place(look, tips, out);
    for (uint32_t t = 0; t < LMBI_FINGERS; ++t) {
        for (int k = 0; k < 3; ++k) {
            out->joint[t][k] = lmbi_frame_from(&look->frame, out->joint[t][k]);
        }
        out->tip[t] = lmbi_frame_from(&look->frame, out->tip[t]);
    }
    out->wrist = lmbi_frame_from(&look->frame, out->wrist);
    return LMB_OK;
}
