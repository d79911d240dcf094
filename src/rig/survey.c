#include "rig/survey.h"

#include "base/alloc.h"
#include "base/error.h"

#include <math.h>
#include <string.h>

/// Branches shorter than this are no limbs, in units.
static const float SHORTEST = 0.02f;
/// Voxels of a turned survey, in units, and the most of them.
static const float CELL = 1.0f / 144, MOST_VOXELS = 1.2e6f;

void lmbi_survey_destroy(lmbi_survey *survey)
{
    if (!survey->borrowed) {
        lmbi_body_destroy(&survey->body);
    }
    lmbi_free(survey->alloc, survey->positions);
    lmbi_free(survey->alloc, survey->ways);
    *survey = (lmbi_survey){.alloc = survey->alloc};
}

static lmb_result find_ways(lmbi_survey *s, lmb_error *error)
{
    s->ways = lmbi_alloc_array(s->alloc, lmb_grid_count(&s->body.grid), sizeof(uint32_t));
    return s->ways ? lmbi_limb_ways(&s->body, s->ways, error) : lmbi_fail_memory(error);
}

static void box_solid(lmbi_survey *s)
{
    s->box = lmb_box_empty();
    for (uint32_t k = 0; k < s->body.solid_count; ++k) {
        s->box = lmb_box_add(s->box, s->body.at[k]);
    }
}

lmb_result lmbi_survey_create(lmbi_looks *looks, lmbi_survey *out, lmb_error *error)
{
    const lmbi_look *seen;
    const lmb_result result = lmbi_looks_take(looks, LMBI_SURVEYED, &seen, error);
    if (result != LMB_OK) {
        return result;
    }
    lmbi_survey s = {.frame = looks->frame,
                     .soup = looks->soup,
                     .body = seen->body,
                     .volume = looks->volume,
                     .borrowed = true,
                     .alloc = looks->alloc};
    s.tip_count = seen->tip_count;
    memcpy(s.tips, seen->tips, seen->tip_count * sizeof *s.tips);
    box_solid(&s);
    *out = s;
    return LMB_OK;
}

/// Voxels, tips and ways in the frame that is set. `extent` in units.
static lmb_result look(const lmbi_soup *soup, lmb_vec3 extent, lmbi_survey *s, lmb_error *error)
{
    s->positions = lmbi_alloc_array(s->alloc, soup->position_count, sizeof(lmb_vec3));
    if (!s->positions) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t p = 0; p < soup->position_count; ++p) {
        s->positions[p] = lmbi_frame_to(&s->frame, soup->positions[p]);
    }
    s->soup = *soup;
    s->soup.positions = s->positions;
    const float cell = lmbi_cell_for(extent, s->volume, CELL, MOST_VOXELS);
    const int open = lmbi_open_below(&s->soup);
    lmb_result result = lmbi_body_create(&s->soup, cell, open, s->alloc, &s->body, error);
    if (result != LMB_OK) {
        return result;
    }
    box_solid(s);
    result = find_ways(s, error);
    return result == LMB_OK ? lmbi_body_tips(&s->body, SHORTEST, s->tips, &s->tip_count, error)
                            : result;
}

static lmb_vec3 in_mesh(const lmbi_frame *f, lmb_vec3 v)
{
    return lmb_vec3_mad(lmb_vec3_mad(lmb_vec3_scale(f->axes[0], v.x), f->axes[1], v.y), f->axes[2],
                        v.z);
}

lmb_result lmbi_survey_turn(const lmbi_survey *from, const lmbi_soup *soup, lmb_vec3 left,
                            lmb_vec3 up, float offset, lmbi_survey *out, lmb_error *error)
{
    lmbi_survey s = {.alloc = from->alloc, .body.alloc = from->alloc, .volume = from->volume};
    s.frame.axes[0] = in_mesh(&from->frame, left);
    s.frame.axes[1] = in_mesh(&from->frame, up);
    s.frame.axes[2] = lmb_vec3_cross(s.frame.axes[0], s.frame.axes[1]);
    const lmb_box box = lmbi_soup_box(soup, s.frame.axes);
    const lmb_vec3 extent = lmb_vec3_sub(box.high, box.low);
    s.frame.size = from->frame.size;
    const float x = lmb_vec3_dot(from->frame.origin, s.frame.axes[0]) + from->frame.size * offset;
    s.frame.origin =
        lmb_vec3_mad(lmb_vec3_mad(lmb_vec3_scale(s.frame.axes[0], x), s.frame.axes[1], box.low.y),
                     s.frame.axes[2], 0.5f * (box.low.z + box.high.z));
    const lmb_result result = look(soup, lmb_vec3_scale(extent, 1 / s.frame.size), &s, error);
    if (result != LMB_OK) {
        lmbi_survey_destroy(&s);
        return result;
    }
    *out = s;
    return LMB_OK;
}

uint32_t lmbi_survey_voxel(const lmbi_survey *survey, lmb_vec3 p)
{
    const lmbi_body *body = &survey->body;
    uint32_t best = body->center;
    float nearest = 1e30f;
    for (uint32_t k = 0; k < body->solid_count; ++k) {
        const lmb_vec3 d = lmb_vec3_sub(body->at[k], p);
        const float far = lmb_vec3_dot(d, d);
        if (far < nearest) {
            nearest = far;
            best = body->solid[k];
        }
    }
    return best;
}

void lmbi_survey_trace(const lmbi_survey *survey, uint32_t voxel, lmbi_limb *out)
{
    lmbi_limb_trace(&survey->body, survey->ways, voxel, out);
}
