/// Guesses the up axis from what common marker labels say about heights on the body.
#include <string.h>

#include "base/alloc.h"
#include "io/mocap/markers.h"

/// Height on a standing body, in tenths of its stature. Parts of arms are left out, since arms
/// move.
typedef struct height {
    const char *part; ///< upper case, anywhere in the label
    float tenths;
} height;

static const height heights[] = {
    {"HEAD", 10},   {"FHD", 10},   {"BHD", 10},    {"ARIEL", 10},  {"CLAV", 8},
    {"STRN", 7.5f}, {"STER", 8},   {"ACRO", 8.2f}, {"XIPH", 7},    {"SHOULDER", 8.2f},
    {"CHEST", 8},   {"ASI", 5.7f}, {"PSI", 5.8f},  {"SACR", 5.8f}, {"HIP", 5.5f},
    {"THI", 4},     {"KNE", 2.8f}, {"TIB", 1.8f},  {"CALF", 1.8f}, {"SHANK", 1.8f},
    {"ANK", 0.6f},  {"HEE", 0.3f}, {"TOE", 0.2f},  {"FOOT", 0.3f}, {"MT1", 0.2f},
    {"MT5", 0.2f},
};
/// Short labels, matched whole, since they would be found inside others.
static const height whole[] = {{"C7", 8.6f}, {"T1", 8.5f}, {"T8", 7.5f}, {"T10", 7}, {"T12", 6.8f}};

static char upper(char c)
{
    return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

static bool begins_with(const char *text, const char *part)
{
    for (; *part != 0; ++part, ++text) {
        if (upper(*text) != *part) {
            return false;
        }
    }
    return true;
}

/// Height in tenths of stature; negative when the label does not say. "Subject:LTOE" counts as
/// LTOE.
static float height_of(const char *label)
{
    const char *colon = strrchr(label, ':');
    label = colon != NULL ? colon + 1 : label;
    for (size_t k = 0; k < sizeof whole / sizeof *whole; ++k) {
        if (begins_with(label, whole[k].part) && label[strlen(whole[k].part)] == 0) {
            return whole[k].tenths;
        }
    }
    for (const char *at = label; *at != 0; ++at) {
        for (size_t k = 0; k < sizeof heights / sizeof *heights; ++k) {
            if (begins_with(at, heights[k].part)) {
                return heights[k].tenths;
            }
        }
    }
    return -1;
}

/// One frame's contribution: the covariance of height on the body and position.
static lmb_vec3 slope_of_frame(const lmb_markers *m, const float *tenths, size_t first)
{
    const lmb_vec3 *at = m->positions + first;
    float count = 0, mean = 0;
    lmb_vec3 centre = {0, 0, 0}, slope = {0, 0, 0};
    for (uint32_t k = 0; k < m->marker_count; ++k) {
        if (tenths[k] >= 0 && m->seen[first + k]) {
            count += 1;
            mean += tenths[k];
            centre = lmb_vec3_add(centre, at[k]);
        }
    }
    if (count < 3) {
        return slope;
    }
    mean /= count;
    centre = lmb_vec3_scale(centre, 1 / count);
    for (uint32_t k = 0; k < m->marker_count; ++k) {
        if (tenths[k] >= 0 && m->seen[first + k]) {
            const lmb_vec3 off = lmb_vec3_sub(at[k], centre);
            slope = lmb_vec3_add(slope, lmb_vec3_scale(off, tenths[k] - mean));
        }
    }
    return slope;
}

/// The axis within 37 degrees of a direction. Otherwise the person is lying, or this is not a body.
static lmb_axis axis_near(lmb_vec3 direction)
{
    const float length = lmb_vec3_length(direction);
    for (lmb_axis axis = LMB_AXIS_Y; length > 0 && axis <= LMB_AXIS_NEGATIVE_X; ++axis) {
        if (lmbi_axis_to_y(axis, direction).y > 0.8f * length) {
            return axis;
        }
    }
    return LMB_AXIS_AUTO;
}

bool lmbi_markers_guess_up(const lmb_markers *markers, const lmb_allocator *alloc, lmb_axis *up)
{
    float *tenths = lmbi_alloc_array(alloc, markers->marker_count, sizeof *tenths);
    if (tenths == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < markers->marker_count; ++k) {
        tenths[k] = height_of(markers->names[k]);
    }
    // A hundred frames are enough.
    const size_t step = markers->frame_count / 100 + 1;
    lmb_vec3 slope = {0, 0, 0};
    for (size_t f = 0; f < markers->frame_count; f += step) {
        slope = lmb_vec3_add(slope, slope_of_frame(markers, tenths, f * markers->marker_count));
    }
    *up = axis_near(slope);
    lmbi_free(alloc, tenths);
    return true;
}
