/// Places the joints of a hand from the webs between its fingers and the proportions of its bones, in
/// voxels around a palm.
#include "base/alloc.h"
#include "base/error.h"
#include "embed/body_joint.h"
#include "embed/hand/hand.h"
#include "embed/shape/shape.h"
#include "geometry/volume.h"

#include <math.h>
#include <string.h>

// ---- voxels around a palm

/// The part of the hand's frame that is voxelised: spread or curled fingers and part of the forearm
/// fit in.
static const lmb_box ROOM = {{-0.62f, -0.3f, -0.62f}, {0.62f, 1.3f, 0.62f}};
/// Shorter branches are no fingers: one that touches its neighbour parts from it near its end alone.
static const float SHORTEST = 0.03f;

/// The surroundings of a palm as voxels. x is across, y along; the wrist is the origin, and one
/// unit the length of the hand.
typedef struct hand_voxels {
    lmbi_triangle_soup soup; ///< in the hand's frame
    lmbi_voxel_body body;    ///< its center is at the wrist
    uint32_t *paths;         ///< as lmbi_medial_paths finds them
    lmbi_tip tips[LMBI_MAX_TIPS];
    uint32_t tip_count;
} hand_voxels;

/// The box of the triangles that reach into ROOM, as far as that: a hand is flat.
static lmb_box box_in_room(const lmbi_triangle_soup *soup)
{
    lmb_box box = lmb_box_empty();
    for (uint32_t t = 0; t < soup->triangle_count; ++t) {
        lmb_box own = lmb_box_empty();
        for (size_t k = 0; k < 3; ++k) {
            own = lmb_box_add(own, soup->positions[soup->triangles[3 * (size_t)t + k]]);
        }
        if (own.high.x >= ROOM.low.x && own.low.x <= ROOM.high.x && own.high.y >= ROOM.low.y &&
            own.low.y <= ROOM.high.y && own.high.z >= ROOM.low.z && own.low.z <= ROOM.high.z) {
            box = lmb_box_add(lmb_box_add(box, own.low), own.high);
        }
    }
    return (lmb_box){
        {fmaxf(box.low.x, ROOM.low.x), fmaxf(box.low.y, ROOM.low.y), fmaxf(box.low.z, ROOM.low.z)},
        {fminf(box.high.x, ROOM.high.x), fminf(box.high.y, ROOM.high.y),
         fminf(box.high.z, ROOM.high.z)}};
}

/// Makes the wrist the center from which distances are measured.
static lmb_result measure_from_wrist(lmbi_voxel_body *body, lmb_error *error)
{
    float nearest = 1e9f;
    for (uint32_t s = 0; s < body->solid_count; ++s) {
        const float d =
            lmb_vec3_length(body->at[s]) - 0.5f * body->depth[body->solid[s]] * body->grid.cell;
        if (d < nearest) {
            nearest = d;
            body->center = body->solid[s];
        }
    }
    return lmbi_body_find_distances(body, error);
}

/// Errors: INVALID where nothing is solid; MEMORY.
static lmb_result voxelise(hand_voxels *v, float cell, const lmb_allocator *alloc, lmb_error *error)
{
    lmb_result result =
        lmbi_body_create_trimmed(&v->soup, box_in_room(&v->soup), cell, 0, alloc, &v->body, error);
    if (result == LMB_OK) {
        result = measure_from_wrist(&v->body, error);
    }
    return result == LMB_OK ? lmbi_body_find_tips(&v->body, SHORTEST, v->tips, &v->tip_count, error)
                            : result;
}

// ---- joints

/// Proportions of the four fingers, index to little, from lengths of bones and of the soft tissue
/// at their ends in Buryanov and Kotiuk, Proportions of hand segments, 2010. Hands by artists are
/// close: in six of them index and little finger are 0.88 and 0.74 of the middle one.
typedef struct proportions {
    lmbi_bends bends;
    float length; ///< from its end to the knuckle, over the middle finger's
    /// Length from the end to the knuckle over that from the end to the web: 1.11 to 1.19 by
    /// lengths of fingers from their crease (Pheasant), 1.19 to 1.28 by the 14 to 20 mm that X-rays
    /// show between crease and knuckle (Bugbee and Botte, Surface anatomy of the hand, 1993), 1.10
    /// to 1.25 in hands by artists.
    float hidden;
} proportions;

/// Bends are the means of those of bones, 0.514 to 0.537 and 0.231 to 0.280, and those of artists,
/// 0.55 to 0.57 and 0.26 to 0.29.
static const proportions FINGER[4] = {{{0.540f, 0.260f}, 0.88f, 1.17f},
                                      {{0.535f, 0.250f}, 1, 1.12f},
                                      {{0.550f, 0.265f}, 0.956f, 1.15f},
                                      {{0.545f, 0.273f}, 0.74f, 1.20f}};
/// The length from a finger's own webs is clamped to these multiples of the length from all webs.
static const float SHORTER = 0.93f, LONGER = 1.03f;
/// Touching fingers seem to join too far out, never too deep. So the deepest web has this weight,
/// and the second deepest the rest.
static const float DEEPEST = 0.7f;

/// Distance between the knuckles of index and little finger over the middle finger's length.
static const float PALM_WIDTH = 0.66f;
/// If fingers join farther out than this multiple of what the width of the palm predicts, they are
/// fused there.
static const float JOINED = 1.8f;
/// Positions of the thumb's joints as fractions of the path from its end to the saddle joint.
static const float THUMB_MIDDLE = 0.62f, THUMB_OUTER = 0.262f;
/// The saddle joint, where the thumb meets the wrist: toward the index and toward the knuckles, as
/// fractions of the distance from wrist to knuckles (artists: 0.20 to 0.40), and toward the palm,
/// as a fraction of the thumb's own offset.
static const float SADDLE_ACROSS = 0.26f, SADDLE_ALONG = 0.275f, SADDLE_DEEP = 0.5f;

typedef struct lines {
    const hand_voxels *voxels;
    const lmbi_tip *tips;
    lmbi_limb_profile line[LMBI_FINGERS];
    float web[LMBI_FINGERS][2]; ///< arc where a finger joins its neighbours; 0: unknown
    float length[LMBI_FINGERS]; ///< from the end to the knuckle
} lines;

/// Records the web where tip `t` joined a neighbour that reaches farther: which neighbour, and the
/// arcs on both fingers' lines.
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

static void note_webs(lines *l, uint32_t longest)
{
    memset(l->web, 0, sizeof l->web);
    for (uint32_t t = LMBI_INDEX; t < LMBI_FINGERS; ++t) {
        if (t != longest) {
            note_web(l, t);
        }
    }
}

static float mean_web(const float web[2])
{
    return web[0] > 0 && web[1] > 0 ? 0.5f * (web[0] + web[1]) : fmaxf(web[0], web[1]);
}

static void center_lines(lines *l)
{
    for (uint32_t t = 0; t < LMBI_FINGERS; ++t) {
        const float free = t == LMBI_THUMB ? l->tips[t].length : mean_web(l->web[t]);
        lmbi_finger_center(&l->voxels->body, free, &l->line[t]);
    }
}

/// The middle finger's length from the web between finger `t` and the next; 0 if it is unknown.
static float middle_length_by_web(const lines *l, uint32_t t)
{
    const float web[2] = {l->web[t][1], l->web[t + 1][0]};
    float sum = 0, count = 0;
    for (int k = 0; k < 2; ++k) {
        const proportions *p = &FINGER[t + (uint32_t)k - 1];
        sum += p->hidden * web[k] / p->length;
        count += web[k] > 0 ? 1.0f : 0.0f;
    }
    return count > 0 ? sum / count : 0;
}

/// Sets each finger's length from its webs. Returns the middle finger's length from all of them.
static float set_lengths_by_webs(lines *l)
{
    float deepest = 0, second = 0;
    for (uint32_t t = LMBI_INDEX; t < LMBI_LITTLE; ++t) {
        const float m = middle_length_by_web(l, t);
        second = fmaxf(second, fminf(m, deepest));
        deepest = fmaxf(deepest, m);
    }
    const float middle = DEEPEST * deepest + (1 - DEEPEST) * (second > 0 ? second : deepest);
    for (uint32_t t = LMBI_INDEX; t < LMBI_FINGERS; ++t) {
        const proportions *p = &FINGER[t - 1];
        const float own = p->hidden * mean_web(l->web[t]), usual = p->length * middle;
        l->length[t] = fminf(fmaxf(own, SHORTER * usual), LONGER * usual);
    }
    return middle;
}

/// A point of a finger's line. Beyond the web it continues straight on, since the medial line turns
/// to the middle of the palm there.
static lmb_vec3 point_on_finger(const lines *l, uint32_t t, float arc)
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

/// Combines the length from webs with that from the palm's width. Webs are deep or shallow and
/// palms broad or narrow, so the mean is closer than either.
static void find_lengths(lines *l, bool *out_parted)
{
    const float by_webs = set_lengths_by_webs(l);
    const float width = lmb_vec3_distance(point_on_finger(l, LMBI_INDEX, l->length[LMBI_INDEX]),
                                          point_on_finger(l, LMBI_LITTLE, l->length[LMBI_LITTLE]));
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

static void find_wrist(const lines *l, lmbi_hand *out)
{
    const float width = lmb_vec3_distance(out->joint[LMBI_INDEX][0], out->joint[LMBI_LITTLE][0]);
    const lmbi_wrist wrist =
        lmbi_wrist_find(&l->voxels->body, mean_knuckle(out), width, l->length[LMBI_MIDDLE]);
    out->wrist = wrist.at;
    out->wrist_seen = wrist.seen;
}

static void find_bends(const lines *l, lmbi_bends out[LMBI_BENDING_FINGERS])
{
    lmbi_finger_path paths[LMBI_BENDING_FINGERS];
    for (uint32_t f = 0; f < LMBI_BENDING_FINGERS; ++f) {
        const float length = l->length[LMBI_INDEX + f];
        paths[f].length = length;
        for (int k = 0; k < LMBI_FINGER_STEPS; ++k) {
            paths[f].at[k] =
                point_on_finger(l, LMBI_INDEX + f, length * (float)k / (LMBI_FINGER_STEPS - 1));
        }
        out[f] = FINGER[f].bends;
    }
    lmbi_finger_bends(&l->voxels->soup, paths, out);
}

static void place_fingers(const lines *l, lmbi_hand *out)
{
    lmbi_bends bends[LMBI_BENDING_FINGERS];
    find_bends(l, bends);
    for (uint32_t t = LMBI_INDEX; t < LMBI_FINGERS; ++t) {
        const lmbi_bends *b = &bends[t - LMBI_INDEX];
        const float length = l->length[t];
        out->joint[t][0] = point_on_finger(l, t, length);
        out->joint[t][1] = point_on_finger(l, t, b->middle * length);
        out->joint[t][2] = point_on_finger(l, t, b->outer * length);
        out->tip[t] = l->line[t].at[0];
    }
}

/// A point of the thumb's path: along the medial line to where the thumb leaves the palm, then
/// straight to the saddle joint.
static lmb_vec3 point_on_thumb(const lmbi_limb_profile *line, float leave, lmb_vec3 saddle,
                               float arc)
{
    const lmb_vec3 from = lmbi_limb_point(line, leave);
    const float rest = lmb_vec3_distance(from, saddle);
    return arc <= leave ? lmbi_limb_point(line, arc)
                        : lmb_vec3_lerp(from, saddle, fminf(1, (arc - leave) / fmaxf(rest, 1e-5f)));
}

static void place_thumb(const lines *l, lmbi_hand *out)
{
    const lmbi_limb_profile *line = &l->line[LMBI_THUMB];
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
    out->joint[LMBI_THUMB][1] = point_on_thumb(line, leave, saddle, THUMB_MIDDLE * length);
    out->joint[LMBI_THUMB][2] = point_on_thumb(line, leave, saddle, THUMB_OUTER * length);
    out->tip[LMBI_THUMB] = line->at[0];
}

static void place_joints(const hand_voxels *voxels, const lmbi_tip tips[LMBI_FINGERS],
                         lmbi_hand *out)
{
    lines l = {.voxels = voxels, .tips = tips};
    for (uint32_t t = 0; t < LMBI_FINGERS; ++t) {
        lmbi_limb_trace(&voxels->body, voxels->paths, tips[t].voxel, &l.line[t]);
    }
    const uint32_t longest = lmbi_fingers_longest(tips);
    note_webs(&l, longest);
    center_lines(&l);
    note_webs(&l, longest);
    find_lengths(&l, &out->separate);
    place_fingers(&l, out);
    find_wrist(&l, out);
    place_thumb(&l, out);
}

/// The tips that may be fingers: they lie beyond the palm and are free for much of the hand's
/// length.
static uint32_t find_finger_tips(const hand_voxels *voxels, lmbi_tip *out)
{
    uint32_t kept = 0;
    for (uint32_t t = 0; t < voxels->tip_count; ++t) {
        const float far = voxels->tips[t].position.y;
        // A thumb held out sideways reaches less far, but it is long.
        if (far > 0.3f || (far > -0.1f && voxels->tips[t].length > 0.25f)) {
            out[kept++] = voxels->tips[t];
        }
    }
    return kept;
}

/// Whether a finger ends where ROOM does, so that its own end was not seen.
static bool are_cut(const lmbi_tip tips[LMBI_FINGERS], float cell)
{
    bool cut = false;
    for (uint32_t t = 0; t < LMBI_FINGERS; ++t) {
        const lmb_vec3 p = tips[t].position;
        cut = cut || p.x < ROOM.low.x + cell || p.x > ROOM.high.x - cell ||
              p.y > ROOM.high.y - cell || p.z < ROOM.low.z + cell || p.z > ROOM.high.z - cell;
    }
    return cut;
}

/// Places joints, in the hand's frame. Paths cost as much as everything else, and most that is
/// voxelised has no fingers: out->found tells. Errors: MEMORY.
static lmb_result place_hand(hand_voxels *v, const lmb_allocator *alloc, lmbi_hand *out,
                             lmb_error *error)
{
    const float unlikely = 1;
    const lmbi_finger_view view = {.cell = v->body.grid.cell, .shortest = SHORTEST};
    lmbi_tip ends[LMBI_MAX_TIPS], tips[LMBI_FINGERS];
    uint32_t chosen;
    const uint32_t count = find_finger_tips(v, ends);
    const bool likely = lmbi_fingers_choose(ends, count, &view, tips, &chosen) < unlikely;
    out->found = likely && !are_cut(tips, view.cell);
    if (!out->found) {
        return LMB_OK;
    }
    v->paths = lmbi_alloc_array(alloc, lmbi_grid_count(&v->body.grid), sizeof *v->paths);
    const lmb_result result =
        v->paths ? lmbi_medial_paths(&v->body, v->paths, error) : lmbi_fail_memory(error);
    if (result == LMB_OK) {
        out->thumb = lmbi_fingers_order(lmb_vec3_make(0, 1, 0), tips);
        place_joints(v, tips, out);
    }
    return result;
}

// ---- the hand around a palm

static void leave_frame(const lmbi_frame *frame, lmbi_hand *hand)
{
    for (uint32_t t = 0; t < LMBI_FINGERS; ++t) {
        for (int k = 0; k < 3; ++k) {
            hand->joint[t][k] = lmbi_frame_from(frame, hand->joint[t][k]);
        }
        hand->tip[t] = lmbi_frame_from(frame, hand->tip[t]);
    }
    hand->wrist = lmbi_frame_from(frame, hand->wrist);
}

lmb_result lmbi_hand_find(const lmbi_triangle_soup *soup, const lmbi_palm *palm, float cells,
                          const lmb_allocator *alloc, lmbi_hand *out, lmb_error *error)
{
    const lmbi_frame frame = {
        .axes = {palm->across, palm->along, lmb_vec3_cross(palm->across, palm->along)},
        .origin = palm->wrist,
        .size = palm->length};
    memset(out, 0, sizeof *out);
    lmb_vec3 *positions = lmbi_alloc_unset(alloc, soup->position_count, sizeof *positions);
    if (!positions) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t p = 0; p < soup->position_count; ++p) {
        positions[p] = lmbi_frame_to(&frame, soup->positions[p]);
    }
    hand_voxels v = {.soup = *soup, .body.alloc = alloc};
    v.soup.positions = positions;
    lmb_result result = voxelise(&v, 1 / cells, alloc, error);
    if (result == LMB_OK) {
        result = place_hand(&v, alloc, out, error);
    } else if (result == LMB_ERROR_INVALID) {
        result = LMB_OK; // nothing was solid
    }
    leave_frame(&frame, out);
    lmbi_body_destroy(&v.body);
    lmbi_free(alloc, v.paths);
    lmbi_free(alloc, positions);
    return result;
}

lmb_result lmbi_find_fingers(const lmbi_triangle_soup *soup, lmb_vec3 wrist, lmb_vec3 tip,
                             const lmb_allocator *alloc, lmbi_hand *out, lmb_error *error)
{
    const lmb_vec3 line = lmb_vec3_sub(tip, wrist);
    lmbi_palm palm = {.wrist = wrist, .length = lmb_vec3_length(line)};
    palm.along = lmb_vec3_scale(line, 1 / palm.length);
    palm.across = lmb_vec3_any_perpendicular(palm.along);
    // Half the time of a hand alone: arms beside a trunk have many voxels.
    const float cells = 72;
    return lmbi_hand_find(soup, &palm, cells, alloc, out, error);
}
