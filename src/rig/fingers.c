#include "rig/fingers.h"

#include "base/alloc.h"
#include "base/error.h"

#include <math.h>
#include <string.h>

enum { FINGERS = 5 };

/// The triangles that reach into the box, as a soup that shares the positions.
static lmb_result cut_out(const lmbi_soup *all, lmb_box box, const lmb_allocator *alloc,
                          lmbi_soup *out, uint32_t **out_triangles, lmb_error *error)
{
    uint32_t count = 0;
    uint32_t *triangles = NULL;
    for (int fill = 0; fill < 2; ++fill) {
        count = 0;
        for (uint32_t t = 0; t < all->triangle_count; ++t) {
            const uint32_t *corner = all->triangles + 3 * (size_t)t;
            const lmb_vec3 p[3] = {all->positions[corner[0]], all->positions[corner[1]],
                                   all->positions[corner[2]]};
            const lmb_box b = lmb_box_of(p, 3);
            if (b.high.x < box.low.x || b.low.x > box.high.x || b.high.y < box.low.y ||
                b.low.y > box.high.y || b.high.z < box.low.z || b.low.z > box.high.z) {
                continue;
            }
            if (triangles) {
                memcpy(triangles + 3 * (size_t)count, corner, 3 * sizeof *corner);
            }
            ++count;
        }
        if (!triangles) {
            triangles = lmbi_alloc_array(alloc, (size_t)count * 3, sizeof *triangles);
            if (!triangles) {
                return lmbi_fail_memory(error);
            }
        }
    }
    *out = (lmbi_soup){all->positions, all->position_count, triangles, count};
    *out_triangles = triangles;
    return LMB_OK;
}

/// The part of the box that the triangles reach into: a hand is flat, and most of its box empty.
static lmb_box filled_part(const lmbi_soup *soup, lmb_box box)
{
    lmb_box b = lmb_box_empty();
    for (size_t i = 0; i < 3 * (size_t)soup->triangle_count; ++i) {
        b = lmb_box_add(b, soup->positions[soup->triangles[i]]);
    }
    return (lmb_box){lmb_vec3_make(fmaxf(b.low.x, box.low.x), fmaxf(b.low.y, box.low.y),
                                   fmaxf(b.low.z, box.low.z)),
                     lmb_vec3_make(fminf(b.high.x, box.high.x), fminf(b.high.y, box.high.y),
                                   fminf(b.high.z, box.high.z))};
}

/// Which of the tips are fingers: beyond the palm, and apart for a good part of the hand.
static uint32_t finger_tips(const lmbi_palm *p, lmbi_tip *tips, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t t = 0; t < count; ++t) {
        const float far = lmb_vec3_dot(lmb_vec3_sub(tips[t].position, p->wrist), p->along);
        // A thumb held out sideways reaches less far, but is long itself.
        const bool thumb = far > 0.1f * p->length && tips[t].length > 0.35f * p->length;
        if (far > 0.3f * p->length || thumb) {
            tips[kept++] = tips[t];
        }
    }
    return kept;
}

void lmbi_fingers_order(const lmbi_palm *p, lmbi_tip tips[FINGERS])
{
    uint32_t thumb = 0;
    float least = 1e9f;
    for (uint32_t t = 0; t < FINGERS; ++t) {
        const float far = lmb_vec3_dot(lmb_vec3_sub(tips[t].position, p->wrist), p->along);
        if (far < least) {
            least = far;
            thumb = t;
        }
    }
    const lmbi_tip first = tips[thumb];
    tips[thumb] = tips[0];
    tips[0] = first;
    lmb_vec3 mean = {0, 0, 0};
    for (uint32_t t = 1; t < FINGERS; ++t) {
        mean = lmb_vec3_mad(mean, tips[t].position, 0.25f);
    }
    lmb_vec3 across = lmb_vec3_sub(tips[0].position, mean);
    across = lmb_vec3_mad(across, p->along, -lmb_vec3_dot(across, p->along));
    for (uint32_t t = 2; t < FINGERS; ++t) {
        const lmbi_tip moved = tips[t];
        uint32_t at = t;
        while (at > 1 &&
               lmb_vec3_dot(tips[at - 1].position, across) < lmb_vec3_dot(moved.position, across)) {
            tips[at] = tips[at - 1];
            --at;
        }
        tips[at] = moved;
    }
}

/// How far each finger is free of the others. The one that reaches farthest has no branch point of
/// its own: it takes the others' mean.
static void free_lengths(const lmbi_tip tips[FINGERS], float out[FINGERS])
{
    float web = 0;
    uint32_t longest = 1, count = 0;
    for (uint32_t t = 2; t < FINGERS; ++t) {
        longest = tips[t].length > tips[longest].length ? t : longest;
    }
    for (uint32_t t = 1; t < FINGERS; ++t) {
        if (t != longest) {
            web += tips[t].reach - tips[t].length;
            ++count;
        }
    }
    web /= (float)count;
    for (uint32_t t = 0; t < FINGERS; ++t) {
        out[t] = t == longest ? tips[t].reach - web : tips[t].length;
    }
}

void lmbi_fingers_place(const lmbi_body *body, const uint32_t *ways, const lmbi_tip tips[FINGERS],
                        lmbi_hand *out)
{
    // From the finger's end, in lengths of its free part: the knuckle lies under the web, and
    // phalanges shorten outward.
    const float at[3] = {1.22f, 0.66f, 0.33f}, thumb_at[3] = {1.75f, 0.95f, 0.45f};
    float length[FINGERS];
    free_lengths(tips, length);
    for (uint32_t t = 0; t < FINGERS; ++t) {
        lmbi_limb line;
        lmbi_limb_trace(body, ways, tips[t].voxel, &line);
        for (int k = 0; k < 3; ++k) {
            out->joint[t][k] = lmbi_limb_point(&line, length[t] * (t == 0 ? thumb_at[k] : at[k]));
        }
        out->tip[t] = line.at[0];
    }
}

/// Distances from the wrist instead of from the middle.
static lmb_result measure_from(lmbi_body *body, lmb_vec3 wrist, lmb_error *error)
{
    float nearest = 1e9f;
    for (uint32_t s = 0; s < body->solid_count; ++s) {
        const float d = lmb_vec3_distance(body->at[s], wrist) -
                        0.5f * body->depth[body->solid[s]] * body->grid.cell;
        if (d < nearest) {
            nearest = d;
            body->center = body->solid[s];
        }
    }
    return lmbi_body_measure(body, error);
}

/// `cells` to the length of the hand.
static lmb_result look_at_hand(const lmbi_soup *soup, lmb_box box, const lmbi_palm *p, float cells,
                               const lmb_allocator *alloc, lmbi_hand *out, lmb_error *error)
{
    lmbi_body body;
    lmb_result result = lmbi_body_create_in(soup, box, p->length / cells, 0, alloc, &body, error);
    if (result != LMB_OK) {
        // A hand of no voxels has no fingers.
        return result == LMB_ERROR_INVALID ? LMB_OK : result;
    }
    uint32_t *ways = lmbi_alloc_array(alloc, lmb_grid_count(&body.grid), sizeof *ways);
    lmbi_tip tips[LMBI_MAX_TIPS];
    uint32_t count = 0;
    result = ways ? measure_from(&body, p->wrist, error) : lmbi_fail_memory(error);
    if (result == LMB_OK) {
        result = lmbi_body_tips(&body, 0.16f * p->length, tips, &count, error);
    }
    if (result == LMB_OK) {
        count = finger_tips(p, tips, count);
        out->found = count == FINGERS;
    }
    if (result == LMB_OK && out->found) {
        lmbi_fingers_order(p, tips);
        result = lmbi_limb_ways(&body, ways, error);
        if (result == LMB_OK) {
            lmbi_fingers_place(&body, ways, tips, out);
        }
    }
    lmbi_free(alloc, ways);
    lmbi_body_destroy(&body);
    return result;
}

lmb_result lmbi_find_fingers(const lmbi_figure *figure, const lmbi_placed *placed, int side,
                             float cells, lmbi_hand *out, lmb_error *error)
{
    memset(out, 0, sizeof *out);
    const lmb_vec3 wrist = placed->at[LMB_LEFT_HAND + side * LMBI_ARM_JOINTS],
                   tip = placed->hand_tip[side];
    lmbi_palm p = {.wrist = wrist, .length = lmb_vec3_distance(wrist, tip)};
    if (p.length < 0.03f) {
        return LMB_OK;
    }
    p.along = lmb_vec3_scale(lmb_vec3_sub(tip, wrist), 1 / p.length);
    const lmb_vec3 middle = lmb_vec3_mad(wrist, p.along, 0.55f * p.length);
    const float half = 0.75f * p.length;
    const lmb_box box = {lmb_vec3_sub(middle, lmb_vec3_make(half, half, half)),
                         lmb_vec3_add(middle, lmb_vec3_make(half, half, half))};
    lmbi_soup soup;
    uint32_t *triangles = NULL;
    lmb_result result = cut_out(&figure->soup, box, figure->alloc, &soup, &triangles, error);
    if (result == LMB_OK && soup.triangle_count > 0) {
        result = look_at_hand(&soup, filled_part(&soup, box), &p, cells, figure->alloc, out, error);
    }
    lmbi_free(figure->alloc, triangles);
    return result;
}
