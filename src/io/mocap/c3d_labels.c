#include <stdio.h>
#include <string.h>

#include "io/common.h"
#include "io/mocap/c3d.h"

enum { LABEL_LISTS_MAX = 260 };

/// Collects the labels. LABELS holds at most 255; LABELS2, LABELS3 and so on continue it. Points
/// without a label get an empty word.
static void list_labels(const lmbi_c3d *c3d, lmbi_word *labels, uint32_t point_count)
{
    uint32_t filled = 0;
    for (int list = 1; list <= LABEL_LISTS_MAX && filled < point_count; ++list) {
        char name[24] = "LABELS";
        if (list > 1) {
            snprintf(name, sizeof name, "LABELS%d", list);
        }
        const lmbi_c3d_param *param = lmbi_c3d_find(c3d, "POINT", name);
        if (param == NULL) {
            return;
        }
        const uint32_t count = lmbi_c3d_text_count(param);
        for (uint32_t k = 0; k < count && filled < point_count; ++k) {
            labels[filled++] = lmbi_c3d_text(param, k);
        }
    }
}

// -------------------------------------------------------------------- points that are not markers

/// Lists of POINT that name model outputs, which are stored among the points: angles and the like,
/// and computed positions.
static const char *const output_lists[] = {"ANGLES",  "FORCES",  "MOMENTS",        "POWERS",
                                           "SCALARS", "TORQUES", "MODELED_MARKERS"};

/// Endings of labels of model outputs, in any case, for files that do not list them (Plug-in Gait
/// and similar models).
static const char *const output_endings[] = {"Angles",
                                             "Angle",
                                             "Force",
                                             "Forces",
                                             "Moment",
                                             "Moments",
                                             "Power",
                                             "Powers",
                                             "Torque",
                                             "CentreOfMass",
                                             "CenterOfMass",
                                             "CentreOfMassFloor",
                                             "CenterOfMassFloor",
                                             "GRF"};

/// Whether the list has its own units, as lists of outputs have and lists of markers have not:
/// ANGLES with ANGLE_UNITS or ANGLES_UNITS.
static bool has_units(const lmbi_c3d *c3d, lmbi_word list)
{
    char name[80];
    for (int drop = 0; drop < 2; ++drop) {
        snprintf(name, sizeof name, "%.*s_UNITS",
                 (int)(list.size > 60 ? 60 : list.size - (size_t)drop), list.at);
        if (list.size > 1 && lmbi_c3d_find(c3d, "POINT", name) != NULL) {
            return true;
        }
    }
    return false;
}

static bool is_output_list(const lmbi_c3d *c3d, const lmbi_c3d_param *param)
{
    bool is = false;
    if (param->name.size >= 6 && lmbi_word_is((lmbi_word){param->name.at, 6}, "LABELS")) {
        return false; // these list all points, even where they have units
    }
    for (size_t l = 0; l < sizeof output_lists / sizeof *output_lists; ++l) {
        is = is || lmbi_word_is(param->name, output_lists[l]);
    }
    return is || has_units(c3d, param->name);
}

/// The label without the subject's name: "LHipAngles" of "Ann:LHipAngles".
static lmbi_word strip_subject(lmbi_word label)
{
    for (size_t k = label.size; k > 0; --k) {
        if (label.at[k - 1] == ':') {
            return (lmbi_word){label.at + k, label.size - k};
        }
    }
    return label;
}

/// Collects the labels of all lists of outputs, without subjects.
static bool list_outputs(const lmbi_c3d *c3d, lmbi_names *outputs)
{
    for (uint32_t p = 0; p < c3d->param_count; ++p) {
        const lmbi_c3d_param *param = &c3d->params[p];
        if (param->type >= 0 || !lmbi_word_is(param->group, "POINT") ||
            !is_output_list(c3d, param)) {
            continue;
        }
        const uint32_t count = lmbi_c3d_text_count(param);
        for (uint32_t k = 0; k < count; ++k) {
            const lmbi_word word = strip_subject(lmbi_c3d_text(param, k));
            if (word.size > 0 && lmbi_names_add(outputs, word) < 0) {
                return false;
            }
        }
    }
    return true;
}

static bool ends_as_output(lmbi_word label)
{
    bool ends = false;
    for (size_t k = 0; k < sizeof output_endings / sizeof *output_endings; ++k) {
        const size_t size = strlen(output_endings[k]);
        ends = ends ||
               (label.size >= size &&
                lmbi_word_is((lmbi_word){label.at + label.size - size, size}, output_endings[k]));
    }
    return ends;
}

/// Whether the label belongs to a segment's frame, all four points of which have labels: its origin
/// (LFEO) and the ends of its anterior, lateral and proximal axes (LFEA, LFEL, LFEP).
static bool is_of_frame(const lmbi_names *labels, lmbi_word label)
{
    static const char ends[] = "OALP";
    char name[64];
    if (label.size < 4 || label.size >= sizeof name ||
        memchr(ends, label.at[label.size - 1], 4) == NULL) {
        return false;
    }
    memcpy(name, label.at, label.size);
    for (int k = 0; k < 4; ++k) {
        name[label.size - 1] = ends[k];
        if (lmbi_names_find(labels, (lmbi_word){name, label.size}) < 0) {
            return false;
        }
    }
    return true;
}

static bool is_output(const lmbi_names *outputs, const lmbi_names *labels, lmbi_word label)
{
    const lmbi_word bare = strip_subject(label);
    return bare.size > 0 && (lmbi_names_find(outputs, bare) >= 0 || ends_as_output(bare) ||
                             is_of_frame(labels, label));
}

/// Whether this is an unlabelled trajectory, which the reconstruction numbers: "*12".
static bool is_unlabelled(lmbi_word label)
{
    const lmbi_word bare = strip_subject(label);
    return bare.size > 0 && bare.at[0] == '*';
}

/// Marks the points that are left out: outputs, and unlabelled trajectories unless there is nothing
/// else.
static bool mark_omitted(const lmbi_c3d *c3d, lmbi_arena *arena, const lmbi_word *labels,
                         uint32_t point_count, bool *left_out)
{
    lmbi_names outputs, all;
    uint32_t kept = 0;
    lmbi_names_init(&outputs, arena->alloc);
    lmbi_names_init(&all, arena->alloc);
    bool ok = list_outputs(c3d, &outputs);
    for (uint32_t p = 0; p < point_count && ok; ++p) {
        ok = labels[p].size == 0 || lmbi_names_add(&all, labels[p]) >= 0;
    }
    for (uint32_t p = 0; p < point_count && ok; ++p) {
        left_out[p] = is_output(&outputs, &all, labels[p]);
        kept += !left_out[p] && !is_unlabelled(labels[p]);
    }
    for (uint32_t p = 0; p < point_count && ok && kept > 0; ++p) {
        left_out[p] = left_out[p] || is_unlabelled(labels[p]);
    }
    lmbi_names_free(&outputs);
    lmbi_names_free(&all);
    return ok;
}

// ---------------------------------------------------------------------------------------- names

static const char *name_of(lmbi_arena *arena, lmbi_word label, uint32_t point)
{
    char number[24];
    if (label.size > 0) {
        return lmbi_arena_string(arena, label.at, label.size);
    }
    const int length = snprintf(number, sizeof number, "marker %u", point + 1);
    return lmbi_arena_string(arena, number, (size_t)length);
}

static bool keep_positions(lmbi_arena *arena, const lmbi_word *labels, uint32_t point_count,
                           const bool *left_out, lmbi_c3d_labels *out)
{
    for (uint32_t p = 0; p < point_count; ++p) {
        if (left_out[p]) {
            out->other = out->other != NULL ? out->other : name_of(arena, labels[p], p);
            continue;
        }
        const char *name = name_of(arena, labels[p], p);
        if (name == NULL) {
            return false;
        }
        out->kept[out->count] = p;
        out->names[out->count++] = name;
    }
    return true;
}

bool lmbi_c3d_labels_read(const lmbi_c3d *c3d, lmbi_arena *arena, uint32_t point_count,
                          lmbi_c3d_labels *out)
{
    lmbi_word *labels = lmbi_arena_array(arena, point_count, sizeof *labels);
    out->kept = lmbi_arena_array(arena, point_count, sizeof *out->kept);
    out->names = lmbi_arena_array(arena, point_count, sizeof *out->names);
    if (labels == NULL || out->kept == NULL || out->names == NULL) {
        return false;
    }
    bool *left_out = lmbi_arena_array(arena, point_count, sizeof *left_out);
    if (left_out == NULL) {
        return false;
    }
    list_labels(c3d, labels, point_count);
    return mark_omitted(c3d, arena, labels, point_count, left_out) &&
           keep_positions(arena, labels, point_count, left_out, out);
}
