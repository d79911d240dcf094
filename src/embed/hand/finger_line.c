#include "embed/hand/fingers.h"
#include "geometry/volume.h"

#include <math.h>

/// Sections are taken between these fractions of the free part of a finger.
static const float FIRST = 0.15f, LAST = 0.9f;
/// A section this many times larger than the median is cut through a neighbour too.
static const float MERGED = 1.5f;
enum { SECTIONS = 24, LEAST = SECTIONS / 2 };

typedef struct sections {
    lmb_vec3 at[SECTIONS];
    float area[SECTIONS];
} sections;

static float median_area(const sections *s)
{
    float sorted[SECTIONS];
    for (int n = 0; n < SECTIONS; ++n) {
        sorted[n] = s->area[n];
    }
    lmbi_sort_floats(sorted, SECTIONS);
    return sorted[SECTIONS / 2];
}

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
static uint32_t keep_unmerged_sections(sections *s, float usual)
{
    uint32_t kept = 0;
    for (int n = 0; n < SECTIONS; ++n) {
        if (s->area[n] > 0 && s->area[n] < MERGED * usual) {
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

float lmbi_finger_center(const lmbi_voxel_body *body, float free, lmbi_limb_profile *line)
{
    lmb_vec3 through[1 + SECTIONS + LMBI_LIMB_SAMPLES];
    sections s;
    cut_sections(body, line, free, &s);
    const float usual = median_area(&s);
    const uint32_t kept = keep_unmerged_sections(&s, usual);
    if (kept < LEAST) {
        return 0;
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
    return lmb_sqrt(usual / LMB_PI);
}
