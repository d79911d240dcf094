#include "base/format.h"
#include "embed/kinds.h"

#include <math.h>
#include <stdio.h>

/// As a fraction of the longest side: bodies are thinner than this around their bones, except the
/// stoutest animals.
static const float REACH = 0.2f;
/// At most about this many triangles are tested.
enum { SAMPLES = 20000 };

static bool near_segment(lmb_vec3 p, lmb_vec3 a, lmb_vec3 b, float reach)
{
    const lmb_vec3 along = lmb_vec3_sub(b, a), to = lmb_vec3_sub(p, a);
    const float square = lmb_vec3_dot(along, along);
    const float t = square > 0 ? lmb_vec3_dot(to, along) / square : 0;
    const lmb_vec3 nearest = lmb_vec3_mad(a, along, fminf(1, fmaxf(0, t)));
    return lmb_vec3_distance(p, nearest) <= reach;
}

static bool is_reached(const lmb_embedding *e, lmb_vec3 p, float reach)
{
    for (uint32_t j = 0; j < e->joint_count; ++j) {
        const lmb_vec3 from = e->joints[e->parents[j] == LMB_NONE ? (int32_t)j : e->parents[j]];
        if (near_segment(p, from, e->joints[j], reach) ||
            near_segment(p, e->joints[j], e->tips[j], reach)) {
            return true;
        }
    }
    return false;
}

static float longest_side(const lmbi_triangle_soup *soup)
{
    const lmb_box box = lmbi_soup_bounds(soup);
    const lmb_vec3 size = lmb_vec3_sub(box.high, box.low);
    return fmaxf(size.x, fmaxf(size.y, size.z));
}

float lmbi_uncovered_fraction(const lmbi_triangle_soup *soup, const lmb_embedding *e)
{
    const float size = longest_side(soup);
    const uint32_t stride = 1 + soup->triangle_count / SAMPLES;
    double all = 0, beyond = 0;
    for (uint32_t t = 0; t < soup->triangle_count; t += stride) {
        const uint32_t *corner = &soup->triangles[3 * t];
        const lmb_vec3 a = soup->positions[corner[0]], b = soup->positions[corner[1]],
                       c = soup->positions[corner[2]];
        const lmb_vec3 middle = lmb_vec3_scale(lmb_vec3_add(a, lmb_vec3_add(b, c)), 1.0f / 3);
        const lmb_vec3 ab = lmb_vec3_scale(lmb_vec3_sub(b, a), 1 / size);
        const lmb_vec3 ac = lmb_vec3_scale(lmb_vec3_sub(c, a), 1 / size);
        const double area = (double)lmb_vec3_length(lmb_vec3_cross(ab, ac));
        all += area;
        beyond += is_reached(e, middle, REACH * size) ? 0 : area;
    }
    return all > 0 ? (float)(beyond / all) : 0;
}

void lmbi_doubt_uncovered(const lmbi_triangle_soup *soup, lmb_embedding *e)
{
    // Uncovered fractions that occur in correct embeddings: wide tails of birds, bellies and horns
    // of cattle. Some stout figures have as much as wrong embeddings, and keep a medium confidence.
    static const struct {
        float usual, too_much, least;
    } fractions[LMB_SKELETON_KINDS] = {
        [LMB_SKELETON_HUMAN] = {0.015f, 0.04f, 0.5f},
        [LMB_SKELETON_QUADRUPED] = {0.16f, 0.3f, 0.5f},
        [LMB_SKELETON_BIRD] = {0.11f, 0.19f, 0.45f},
        [LMB_SKELETON_HAND] = {0.05f, 0.15f, 0.45f},
        [LMB_SKELETON_FISH] = {0.02f, 0.04f, 0.45f},
        [LMB_SKELETON_SNAKE] = {0.02f, 0.1f, 0.4f},
        [LMB_SKELETON_SPIDER] = {0.05f, 0.15f, 0.45f},
        [LMB_SKELETON_BIPED] = {0.16f, 0.3f, 0.5f},
        [LMB_SKELETON_GENERIC] = {0.16f, 0.3f, 0.5f},
    };
    const float usual = fractions[e->kind].usual, too_much = fractions[e->kind].too_much;
    const float fraction = lmbi_uncovered_fraction(soup, e);
    const float doubt = fminf(1, fmaxf(0, (fraction - usual) / (too_much - usual)));
    const float most = 1 - (1 - fractions[e->kind].least) * doubt;
    if (e->overall > most) {
        e->overall = most;
        lmbi_format(
            e->summary, sizeof e->summary,
            "%.0f%% of the surface is far from every bone, as a limb without joints or a body "
            "beside this one is",
            100 * (double)fraction);
    }
}
