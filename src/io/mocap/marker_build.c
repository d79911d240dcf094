#include "io/mocap/markers.h"

#include <math.h>

float lmbi_unit_of(lmbi_word word)
{
    static const struct {
        const char *name;
        float metres;
    } units[] = {
        {"mm", 0.001f},    {"millimeters", 0.001f}, {"millimetres", 0.001f},
        {"cm", 0.01f},     {"centimeters", 0.01f},  {"dm", 0.1f},
        {"m", 1.0f},       {"meters", 1.0f},        {"metres", 1.0f},
        {"in", 0.0254f},   {"inches", 0.0254f},     {"ft", 0.3048f},
        {"feet", 0.3048f},
    };
    for (size_t k = 0; k < sizeof units / sizeof *units; ++k) {
        if (lmbi_word_is(word, units[k].name)) {
            return units[k].metres;
        }
    }
    return 0;
}

// ------------------------------------------------------------------------------------------- gaps

static bool is_zero(lmb_vec3 p)
{
    return p.x == 0 && p.y == 0 && p.z == 0;
}

/// The marker's first valid position at or after frame f; NULL when there is none.
static const lmb_vec3 *next_seen(const lmb_markers *m, size_t marker, size_t f)
{
    for (; f < m->frame_count; ++f) {
        const size_t k = f * m->marker_count + marker;
        if (m->seen[k]) {
            return &m->positions[k];
        }
    }
    return NULL;
}

/// Whether a run of zeros is a gap. It is where the position before or after it is far from the
/// origin, since no marker moves there and back between two frames, and where the marker has no
/// other position.
static bool is_gap(const lmb_vec3 *before, const lmb_vec3 *after, float far_away)
{
    return (before == NULL && after == NULL) ||
           (before != NULL && lmb_vec3_length(*before) > far_away) ||
           (after != NULL && lmb_vec3_length(*after) > far_away);
}

/// Marks gaps that are written as 0 0 0, as some programs do.
static void find_zero_gaps(lmb_markers *m, size_t marker, float far_away)
{
    const size_t n = m->marker_count;
    const lmb_vec3 *before = NULL;
    for (size_t f = 0; f < m->frame_count;) {
        const size_t first = f;
        while (f < m->frame_count && m->seen[f * n + marker] &&
               is_zero(m->positions[f * n + marker])) {
            ++f;
        }
        if (f == first) {
            before = m->seen[f * n + marker] ? &m->positions[f * n + marker] : before;
            ++f;
        } else if (is_gap(before, next_seen(m, marker, f), far_away)) {
            for (size_t k = first; k < f; ++k) {
                m->seen[k * n + marker] = 0;
            }
        } else {
            before = &m->positions[first * n + marker];
        }
    }
}

static uint32_t count_gaps(const lmb_markers *m)
{
    const size_t count = (size_t)m->marker_count * m->frame_count;
    uint32_t gaps = 0;
    for (size_t k = 0; k < count; ++k) {
        gaps += m->seen[k] == 0;
    }
    return gaps;
}

// ------------------------------------------------------------------------------------------- unit

/// The longest side of a frame's bounding box, in the frame where it is longest.
static float extent_of(const lmb_markers *m)
{
    float longest = 0;
    for (size_t f = 0; f < m->frame_count; ++f) {
        lmb_box box = lmb_box_empty();
        for (size_t k = f * m->marker_count; k < (f + 1) * m->marker_count; ++k) {
            if (m->seen[k]) {
                box = lmb_box_add(box, m->positions[k]);
            }
        }
        const lmb_vec3 size = lmb_vec3_sub(box.high, box.low);
        longest = fmaxf(longest, fmaxf(size.x, fmaxf(size.y, size.z)));
    }
    return longest;
}

static float guess_unit(const lmb_markers *m)
{
    const float extent = extent_of(m);
    return extent > 500 ? 0.001f : extent > 15 ? 0.01f : 1.0f;
}

// --------------------------------------------------------------------------------------- together

/// Drops residuals when all are 0.
static void drop_zero_residuals(lmb_markers *m)
{
    const size_t count = (size_t)m->marker_count * m->frame_count;
    float most = 0;
    for (size_t k = 0; m->residuals != NULL && k < count; ++k) {
        most = fmaxf(most, m->residuals[k]);
    }
    m->residuals = most > 0 ? m->residuals : NULL;
}

static void convert_markers(lmb_markers *m, float unit_m, lmb_axis up)
{
    const size_t count = (size_t)m->marker_count * m->frame_count;
    for (size_t k = 0; k < count; ++k) {
        m->positions[k] = lmb_vec3_scale(lmbi_axis_to_y(up, m->positions[k]), unit_m);
        if (m->residuals != NULL) {
            m->residuals[k] *= unit_m;
        }
    }
}

lmb_result lmbi_markers_finish(lmb_markers *draft, const lmbi_marker_facts *facts,
                               const lmb_markers_read_opts *opts, lmb_markers_info *info,
                               const lmb_allocator *alloc, lmb_markers **out, lmb_error *error)
{
    const lmb_markers_read_opts defaults = {0};
    opts = opts ? opts : &defaults;
    const bool unit_given = opts->unit_m > 0 || facts->unit_m > 0;
    const float stated = opts->unit_m > 0 ? opts->unit_m : facts->unit_m;
    const float unit_m = unit_given ? stated : guess_unit(draft);
    for (uint32_t marker = 0; marker < draft->marker_count; ++marker) {
        find_zero_gaps(draft, marker, 0.05f / unit_m);
    }
    lmb_axis up = opts->up;
    if (up == LMB_AXIS_AUTO) {
        if (!lmbi_markers_guess_up(draft, alloc, &up)) {
            return lmbi_fail_memory(error);
        }
        if (up != LMB_AXIS_AUTO && facts->up != LMB_AXIS_AUTO && up != facts->up) {
            lmbi_note(&info->notes, 0, "the file says %s up, its labelled markers stand %s up",
                      lmb_axis_name(facts->up), lmb_axis_name(up));
        }
        up = up != LMB_AXIS_AUTO ? up : facts->up != LMB_AXIS_AUTO ? facts->up : facts->usual_up;
    }
    info->unit_m = unit_m;
    info->unit_guessed = !unit_given;
    info->up = up;
    info->up_guessed = opts->up == LMB_AXIS_AUTO && up != facts->up;
    info->gap_count = count_gaps(draft);
    drop_zero_residuals(draft);
    convert_markers(draft, unit_m, up);
    const lmb_result result = lmb_markers_create(draft, alloc, out, error);
    if (result == LMB_OK && opts->info != NULL) {
        *opts->info = *info;
    }
    return result;
}

// ---------------------------------------------------------------------------------------- writing

/// The largest coordinate and residual, metres. A gap's position is written too.
static float largest_number(const lmb_markers *markers)
{
    const size_t count = (size_t)markers->frame_count * markers->marker_count;
    float most = 0;
    for (size_t k = 0; k < count; ++k) {
        const lmb_vec3 p = markers->positions[k];
        most = fmaxf(most, fmaxf(fabsf(p.x), fmaxf(fabsf(p.y), fabsf(p.z))));
        most = markers->residuals != NULL ? fmaxf(most, markers->residuals[k]) : most;
    }
    return most;
}

lmb_result lmbi_marker_frame_of(const lmb_markers *markers, const lmb_markers_write_opts *opts,
                                float unit_m, lmb_axis up, lmbi_marker_frame *out, lmb_error *error)
{
    static const struct {
        float metres;
        const char *name;
    } units[] = {{0.001f, "mm"}, {0.01f, "cm"},   {0.1f, "dm"},
                 {1, "m"},       {0.0254f, "in"}, {0.3048f, "ft"}};
    unit_m = opts != NULL && opts->unit_m > 0 ? opts->unit_m : unit_m;
    up = opts != NULL && opts->up != LMB_AXIS_AUTO ? opts->up : up;
    const float most = largest_number(markers);
    if (!isfinite(most / unit_m)) {
        return lmbi_fail(error, LMB_ERROR_UNSUPPORTED,
                         "numbers that a float holds in the file's unit", "%g m in units of %g m",
                         (double)most, (double)unit_m);
    }
    for (size_t k = 0; k < sizeof units / sizeof *units; ++k) {
        if (fabsf(units[k].metres - unit_m) < 1e-6f * unit_m) {
            *out = (lmbi_marker_frame){units[k].metres, units[k].name, up};
            return LMB_OK;
        }
    }
    return lmbi_fail(error, LMB_ERROR_UNSUPPORTED, "mm, cm, dm, m, inches or feet",
                     "writing markers in units of %g m", (double)unit_m);
}

lmb_vec3 lmbi_marker_file_position(const lmbi_marker_frame *to, lmb_vec3 position)
{
    const lmb_vec3 rotated = lmbi_axis_from_y(to->up, position);
    return lmb_vec3_make(rotated.x / to->unit_m, rotated.y / to->unit_m, rotated.z / to->unit_m);
}
