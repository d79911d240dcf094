/// Paints by a text of strokes: the settings of the brush and the points that it goes over, a line
/// each. docs/weights.md describes it.
#include "base/error.h"
#include "base/scan.h"
#include "limber/mapping.h"
#include "limber/rig.h"

#include <float.h>
#include <stddef.h>
#include <string.h>

enum { LONGEST_NAME = 256 };
/// Largest magnitude of a number: its square is a float too.
static const float FARTHEST = 1e9f;

typedef struct stroker {
    const lmb_character *character;
    const lmb_allocator *alloc;
    lmbi_scan scan;
    lmb_painter_opts opts;
    lmb_painter *painter; ///< from the first dab or lock on
    lmb_brush brush;
    bool has_joint;
    bool is_open; ///< there were dabs since the last stroke ended
    lmb_paint_report report;
} stroker;

// ------------------------------------------------------------------------------------------ words

static lmb_result read_number(stroker *s, float low, float high, const char *expected, float *out,
                              lmb_error *error)
{
    const lmbi_scan before = s->scan;
    double value = 0;
    if (!lmbi_scan_number(&s->scan, &value) || !(value >= (double)low && value <= (double)high)) {
        return lmbi_scan_fail(&before, error, expected);
    }
    *out = (float)value;
    return LMB_OK;
}

static lmb_result read_point(stroker *s, lmb_vec3 *out, lmb_error *error)
{
    float *const to[3] = {&out->x, &out->y, &out->z};
    lmb_result result = LMB_OK;
    for (int k = 0; k < 3 && result == LMB_OK; ++k) {
        result = read_number(s, -FARTHEST, FARTHEST, "three coordinates in metres", to[k], error);
    }
    return result;
}

/// The index of the next word in a list.
static lmb_result read_choice(stroker *s, const char *const *words, int count, const char *expected,
                              int *out, lmb_error *error)
{
    const lmbi_scan before = s->scan;
    *out = lmbi_word_choice(lmbi_scan_word(&s->scan), words, count);
    return *out >= 0 ? LMB_OK : lmbi_scan_fail(&before, error, expected);
}

/// The joint whose name, or failing that number, is the rest of the line, or a human bone of a
/// humanoid.
static lmb_result read_joint_name(stroker *s, uint32_t *out, lmb_error *error)
{
    const lmbi_scan before = s->scan;
    char name[LONGEST_NAME + 1] = {0};
    lmbi_scan_blanks(&s->scan);
    const lmbi_word word = lmbi_scan_rest(&s->scan);
    memcpy(name, word.at, word.size <= LONGEST_NAME ? word.size : 0);
    const lmb_skeleton *skeleton = s->character->skeleton;
    int32_t joint = lmb_skeleton_find(skeleton, name);
    joint = joint == LMB_NONE ? lmbi_word_index(word, skeleton->joint_count) : joint;
    const lmb_human_bone bone = lmb_human_bone_find(name);
    if (joint == LMB_NONE && bone < LMB_HUMAN_BONE_COUNT) {
        lmb_joint_map map;
        const lmb_result result = lmb_joint_map_of_character(s->character, s->alloc, &map, error);
        if (result != LMB_OK) {
            return result;
        }
        joint = map.bones[bone].joint;
    }
    *out = (uint32_t)joint;
    return joint != LMB_NONE
               ? LMB_OK
               : lmbi_scan_fail(&before, error, "a joint, or a human bone, of this character");
}

// ------------------------------------------------------------------------------------- statements

static lmb_result begin_painting(stroker *s, lmb_error *error)
{
    return s->painter ? LMB_OK
                      : lmb_painter_create(s->character, &s->opts, s->alloc, &s->painter, error);
}

static void end_stroke(stroker *s)
{
    if (s->is_open) {
        s->report.changed_count += lmb_painter_end_stroke(s->painter);
        ++s->report.stroke_count;
    }
    s->is_open = false;
}

static lmb_result read_stroke(stroker *s, lmb_error *error)
{
    (void)error;
    end_stroke(s);
    return LMB_OK;
}

/// A dab: a point, and the strength where it is not the brush's.
static lmb_result read_at(stroker *s, lmb_error *error)
{
    const lmbi_scan before = s->scan;
    lmb_brush brush = s->brush;
    lmb_result result = read_point(s, &brush.at, error);
    if (result == LMB_OK && !lmbi_scan_line_end(&s->scan)) {
        result =
            read_number(s, FLT_MIN, 1, "a strength above 0, at most 1", &brush.strength, error);
    }
    if (result != LMB_OK) {
        return result;
    }
    const bool any = brush.op == LMB_BRUSH_SMOOTH || brush.op == LMB_BRUSH_MIRROR;
    if (!any && !s->has_joint) {
        return lmbi_scan_fail(&before, error,
                              "a line with the joint of the brush before the first point");
    }
    if (!(brush.radius > 0)) {
        return lmbi_scan_fail(&before, error,
                              "a line with the radius of the brush before the first point");
    }
    result = begin_painting(s, error);
    if (result == LMB_OK) {
        result = lmb_painter_dab(s->painter, &brush, error);
    }
    s->is_open = s->is_open || result == LMB_OK;
    s->report.dab_count += result == LMB_OK;
    return result;
}

/// The brush on all chosen vertices.
static lmb_result read_fill(stroker *s, lmb_error *error)
{
    const bool any = s->brush.op == LMB_BRUSH_SMOOTH || s->brush.op == LMB_BRUSH_MIRROR;
    if ((!any && !s->has_joint) || !s->painter || !lmb_painter_chosen(s->painter)) {
        return lmbi_scan_fail(&s->scan, error, "lines with a joint and a loop before filling");
    }
    const lmb_result result = lmb_painter_fill(s->painter, &s->brush, error);
    s->is_open = s->is_open || result == LMB_OK;
    s->report.dab_count += result == LMB_OK;
    return result;
}

static lmb_result read_loop(stroker *s, lmb_error *error)
{
    lmb_vec3 at;
    lmb_result result = read_point(s, &at, error);
    if (result == LMB_OK) {
        result = begin_painting(s, error);
    }
    return result == LMB_OK ? lmb_painter_choose_loop(s->painter, at, error) : result;
}

/// So many rings more chosen, or fewer.
static lmb_result read_grow(stroker *s, lmb_error *error)
{
    float rings = 0;
    const lmb_result result =
        read_number(s, -1000, 1000, "how many rings, -1000 to 1000", &rings, error);
    if (result == LMB_OK && s->painter) {
        lmb_painter_choose_more(s->painter, (int32_t)rings);
    }
    return result;
}

static lmb_result read_none(stroker *s, lmb_error *error)
{
    (void)error;
    if (s->painter) {
        lmb_painter_choose_none(s->painter);
    }
    return LMB_OK;
}

static lmb_result read_joint(stroker *s, lmb_error *error)
{
    s->has_joint = true;
    return read_joint_name(s, &s->brush.joint, error);
}

static lmb_result set_lock(stroker *s, bool locked, lmb_error *error)
{
    uint32_t joint = 0;
    lmb_result result = read_joint_name(s, &joint, error);
    if (result == LMB_OK) {
        result = begin_painting(s, error);
    }
    if (result == LMB_OK) {
        end_stroke(s);
        lmb_painter_lock(s->painter, joint, locked);
    }
    return result;
}

static lmb_result read_lock(stroker *s, lmb_error *error)
{
    return set_lock(s, true, error);
}

static lmb_result read_unlock(stroker *s, lmb_error *error)
{
    return set_lock(s, false, error);
}

static lmb_result read_brush(stroker *s, lmb_error *error)
{
    static const char *const words[] = {
        [LMB_BRUSH_ADD] = "add",       [LMB_BRUSH_REPLACE] = "replace",
        [LMB_BRUSH_SCALE] = "scale",   [LMB_BRUSH_SMOOTH] = "smooth",
        [LMB_BRUSH_MIRROR] = "mirror", [LMB_BRUSH_GRADIENT] = "gradient"};
    int op = 0;
    const lmb_result result =
        read_choice(s, words, sizeof words / sizeof *words,
                    "add, replace, scale, smooth, mirror or gradient", &op, error);
    s->brush.op = (lmb_brush_op)op;
    return result;
}

static lmb_result read_falloff(stroker *s, lmb_error *error)
{
    static const char *const words[] = {[LMB_FALLOFF_SMOOTH] = "smooth",
                                        [LMB_FALLOFF_LINEAR] = "linear",
                                        [LMB_FALLOFF_CONSTANT] = "constant",
                                        [LMB_FALLOFF_GAUSSIAN] = "gaussian"};
    int falloff = 0;
    const lmb_result result = read_choice(s, words, sizeof words / sizeof *words,
                                          "smooth, linear, constant or gaussian", &falloff, error);
    s->brush.falloff = (lmb_brush_falloff)falloff;
    return result;
}

static lmb_result read_yes(stroker *s, bool *out, lmb_error *error)
{
    static const char *const words[] = {"no", "yes"};
    int yes = 0;
    const lmb_result result = read_choice(s, words, 2, "yes or no", &yes, error);
    *out = yes == 1;
    return result;
}

static lmb_result read_straight(stroker *s, lmb_error *error)
{
    return read_yes(s, &s->brush.straight, error);
}

static lmb_result read_both_sides(stroker *s, lmb_error *error)
{
    return read_yes(s, &s->brush.both_sides, error);
}

static lmb_result read_radius(stroker *s, lmb_error *error)
{
    return read_number(s, FLT_MIN, FARTHEST, "a radius in metres, above 0", &s->brush.radius,
                       error);
}

static lmb_result read_strength(stroker *s, lmb_error *error)
{
    return read_number(s, FLT_MIN, 1, "a strength above 0, at most 1", &s->brush.strength, error);
}

static lmb_result read_value(stroker *s, lmb_error *error)
{
    return read_number(s, -FARTHEST, FARTHEST, "a weight", &s->brush.value, error);
}

/// Where a gradient ends, and its weight there.
static lmb_result read_to(stroker *s, lmb_error *error)
{
    const lmb_result result = read_point(s, &s->brush.to, error);
    return result == LMB_OK
               ? read_number(s, -FARTHEST, FARTHEST, "a weight", &s->brush.to_value, error)
               : result;
}

/// The mirror plane, and how many joints a vertex may follow: both before anything is painted.
static lmb_result read_plane(stroker *s, lmb_error *error)
{
    const lmbi_scan before = s->scan;
    const lmb_result result = read_point(s, &s->opts.normal, error);
    if (result == LMB_OK && (s->painter || !(lmb_vec3_length(s->opts.normal) > 0))) {
        return lmbi_scan_fail(&before, error,
                              "a normal that is not zero, before anything is painted");
    }
    return result == LMB_OK
               ? read_number(s, -FARTHEST, FARTHEST, "an offset in metres", &s->opts.offset, error)
               : result;
}

static lmb_result read_influences(stroker *s, lmb_error *error)
{
    static const char expected[] = "1 to 16, before anything is painted";
    const lmbi_scan before = s->scan;
    float count = 0;
    const lmb_result result = read_number(s, 1, 16, expected, &count, error);
    s->opts.influences = (uint32_t)count;
    return result == LMB_OK && s->painter ? lmbi_scan_fail(&before, error, expected) : result;
}

typedef struct statement {
    const char *word;
    lmb_result (*read)(stroker *s, lmb_error *error);
} statement;

static const statement statements[] = {
    {"at", read_at},         {"stroke", read_stroke},     {"joint", read_joint},
    {"brush", read_brush},   {"radius", read_radius},     {"strength", read_strength},
    {"value", read_value},   {"falloff", read_falloff},   {"both-sides", read_both_sides},
    {"to", read_to},         {"straight", read_straight}, {"lock", read_lock},
    {"unlock", read_unlock}, {"plane", read_plane},       {"influences", read_influences},
    {"loop", read_loop},     {"grow", read_grow},         {"none", read_none},
    {"fill", read_fill},
};

static lmb_result read_statement(stroker *s, lmb_error *error)
{
    const lmbi_scan before = s->scan;
    const lmbi_word word = lmbi_scan_word(&s->scan);
    for (size_t k = 0; k < sizeof statements / sizeof *statements; ++k) {
        if (lmbi_word_is_exact(word, statements[k].word)) {
            const lmb_result result = statements[k].read(s, error);
            return result == LMB_OK && !lmbi_scan_line_end(&s->scan)
                       ? lmbi_scan_fail(&s->scan, error, "the end of the line")
                       : result;
        }
    }
    return lmbi_scan_fail(&before, error,
                          "at, stroke, joint, brush, radius or another setting of it");
}

static lmb_result read_all(stroker *s, lmb_error *error)
{
    const lmbi_scan before = s->scan;
    double version = 0;
    if (!lmbi_word_is_exact(lmbi_scan_word(&s->scan), "limber-strokes") ||
        !lmbi_scan_number(&s->scan, &version) || version != 1) {
        return lmbi_scan_fail(&before, error, "limber-strokes 1");
    }
    lmb_result result = LMB_OK;
    for (lmbi_scan_space(&s->scan); result == LMB_OK && !lmbi_scan_done(&s->scan);
         lmbi_scan_space(&s->scan)) {
        if (*s->scan.at == '#') {
            lmbi_scan_next_line(&s->scan);
        } else {
            result = read_statement(s, error);
        }
    }
    if (result == LMB_OK && s->report.dab_count == 0) {
        return lmbi_scan_fail(&s->scan, error, "a point to paint at: at X Y Z");
    }
    return result;
}

lmb_result lmb_weights_paint(lmb_character **character, const void *text, size_t size,
                             const lmb_allocator *alloc, lmb_paint_report *report, lmb_error *error)
{
    stroker s = {.character = *character,
                 .alloc = alloc,
                 .opts = {.normal = {1, 0, 0}},
                 .brush = {.strength = 1, .value = 1}};
    lmbi_scan_init(&s.scan, text, size);
    lmb_result result = read_all(&s, error);
    if (result == LMB_OK) {
        end_stroke(&s);
        result = lmb_painter_store(s.painter, character, error);
    }
    lmb_painter_destroy(s.painter);
    if (result == LMB_OK && report) {
        *report = s.report;
    }
    return result;
}
