#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "io/npz.h"
#include "limber/io.h"

enum { PARTS = 5 };

/// Array names in the data sets: one array for all joints, or several that follow one another in
/// the order of joints.
static const char *const layouts[][PARTS] = {
    {"poses"},
    {"smpl_poses"},
    {"root_orient", "pose_body", "pose_jaw", "pose_eye", "pose_hand"},
    {"global_orient", "body_pose"},
    {"pose"},
    {""}, // a lone .npy
};
static const char *const translations[] = {"trans", "transl", "smpl_trans"};
static const char *const rates[] = {"mocap_framerate", "mocap_frame_rate", "fps", "frame_rate"};

static const lmbi_npz_array *find_numbers(const lmbi_npz *npz, const char *name)
{
    const lmbi_npz_array *array = name != NULL ? lmbi_npz_find(npz, name) : NULL;
    return array != NULL && lmbi_npz_is_numeric(array) ? array : NULL;
}

/// Numbers a frame; an array of one dimension is one frame.
static uint64_t row_size(const lmbi_npz_array *array)
{
    uint64_t size = 1;
    for (uint32_t d = array->dimension_count > 1 ? 1 : 0; d < array->dimension_count; ++d) {
        size *= array->shape[d];
    }
    return size;
}

static uint64_t row_count(const lmbi_npz_array *array)
{
    return array->dimension_count > 1 ? array->shape[0] : 1;
}

static const char *const *find_layout(const lmbi_npz *npz)
{
    for (size_t k = 0; k < sizeof layouts / sizeof *layouts; ++k) {
        if (find_numbers(npz, layouts[k][0]) != NULL) {
            return layouts[k];
        }
    }
    return NULL;
}

static lmb_result fail_rows(lmb_error *error, const char *name, const lmbi_npz_array *array)
{
    char expected[100];
    snprintf(expected, sizeof expected, "%s as frames of three numbers a joint", name);
    return lmbi_fail(error, LMB_ERROR_MALFORMED, expected, "%llu rows of %llu",
                     (unsigned long long)row_count(array), (unsigned long long)row_size(array));
}

/// Counts frames and joints, over all arrays of the layout.
static lmb_result count_frames_and_joints(const lmbi_npz *npz, const char *const *layout,
                                          lmb_body_motion *motion, lmb_error *error)
{
    for (int p = 0; p < PARTS && layout[p] != NULL; ++p) {
        const lmbi_npz_array *array = find_numbers(npz, layout[p]);
        if (array == NULL) {
            continue;
        }
        const uint64_t rows = row_count(array), size = row_size(array);
        if (size == 0 || size % 3 != 0 || size > 3 * 65536 || rows == 0 || rows > UINT32_MAX ||
            (p > 0 && rows != motion->frame_count)) {
            return fail_rows(error, layout[p], array);
        }
        motion->frame_count = (uint32_t)rows;
        motion->joint_count += (uint32_t)(size / 3);
    }
    return LMB_OK;
}

static void fill_rotations(const lmbi_npz *npz, const char *const *layout, lmb_body_motion *motion)
{
    size_t at = 0;
    for (int p = 0; p < PARTS && layout[p] != NULL; ++p) {
        const lmbi_npz_array *array = find_numbers(npz, layout[p]);
        const size_t size = array != NULL ? (size_t)row_size(array) : 0;
        for (size_t k = 0; array != NULL && k < array->count; ++k) {
            (&motion->rotations->x)[k / size * motion->joint_count * 3 + at + k % size] =
                (float)lmbi_npz_number(array, k);
        }
        at += size;
    }
}

static lmb_result fill_translations(const lmbi_npz *npz, lmb_body_motion *motion, lmb_error *error)
{
    for (size_t k = 0; k < sizeof translations / sizeof *translations; ++k) {
        const lmbi_npz_array *array = find_numbers(npz, translations[k]);
        if (array == NULL) {
            continue;
        }
        if (row_size(array) != 3 || row_count(array) != motion->frame_count) {
            return fail_rows(error, translations[k], array);
        }
        lmbi_npz_floats(array, &motion->translations->x);
        return LMB_OK;
    }
    return LMB_OK;
}

/// Reads shape coefficients. Some data sets repeat them in every frame: the first row is used.
static lmb_result fill_shape(const lmbi_npz_array *array, const lmb_allocator *alloc,
                             lmb_body_motion *motion, lmb_error *error)
{
    const uint64_t size = array != NULL && array->count > 0 ? row_size(array) : 0;
    motion->shape_count = (uint32_t)(size < 100000 ? size : 100000);
    motion->shape = lmbi_alloc_array(alloc, motion->shape_count, sizeof(float));
    if (motion->shape == NULL) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t k = 0; k < motion->shape_count; ++k) {
        motion->shape[k] = (float)lmbi_npz_number(array, k);
    }
    return LMB_OK;
}

static lmb_result check_finite(const lmb_body_motion *motion, lmb_error *error)
{
    const size_t count = (size_t)motion->frame_count * motion->joint_count;
    bool fine = true;
    for (size_t k = 0; k < count; ++k) {
        fine = fine && lmb_vec3_is_finite(motion->rotations[k]);
    }
    for (size_t k = 0; k < motion->frame_count; ++k) {
        fine = fine && lmb_vec3_is_finite(motion->translations[k]);
    }
    for (size_t k = 0; k < motion->shape_count; ++k) {
        fine = fine && isfinite(motion->shape[k]);
    }
    return fine ? LMB_OK
                : lmbi_fail(error, LMB_ERROR_INVALID, "finite rotations and translations",
                            "inf or nan");
}

static lmb_result fill_motion(const lmbi_npz *npz, const lmb_allocator *alloc,
                              lmb_body_motion *motion, lmb_error *error)
{
    const char *const *layout = find_layout(npz);
    if (layout == NULL) {
        return lmbi_fail(error, LMB_ERROR_MALFORMED, "an array poses of numbers", "none");
    }
    lmb_result result = count_frames_and_joints(npz, layout, motion, error);
    if (result != LMB_OK) {
        return result;
    }
    motion->rotations = lmbi_alloc_array(
        alloc, lmbi_size_mul(motion->frame_count, motion->joint_count), sizeof(lmb_vec3));
    motion->translations = lmbi_alloc_array(alloc, motion->frame_count, sizeof(lmb_vec3));
    if (motion->rotations == NULL || motion->translations == NULL) {
        return lmbi_fail_memory(error);
    }
    fill_rotations(npz, layout, motion);
    for (size_t k = 0; k < sizeof rates / sizeof *rates; ++k) {
        const lmbi_npz_array *rate = find_numbers(npz, rates[k]);
        const double value = rate != NULL && rate->count > 0 ? lmbi_npz_number(rate, 0) : 0;
        if (motion->frame_rate <= 0 && value > 1e-3 && value < 1e5) {
            motion->frame_rate = (float)value;
        }
    }
    result = fill_translations(npz, motion, error);
    if (result == LMB_OK) {
        result = fill_shape(find_numbers(npz, "betas"), alloc, motion, error);
    }
    return result == LMB_OK ? check_finite(motion, error) : result;
}

/// All array names that this reader uses.
enum { NAMES = sizeof layouts / sizeof *layouts * PARTS + 8 };

static size_t list_names(const char *names[NAMES])
{
    size_t count = 0;
    for (size_t k = 0; k < sizeof layouts / sizeof *layouts; ++k) {
        for (int p = 0; p < PARTS && layouts[k][p] != NULL; ++p) {
            names[count++] = layouts[k][p];
        }
    }
    for (size_t k = 0; k < sizeof translations / sizeof *translations; ++k) {
        names[count++] = translations[k];
    }
    for (size_t k = 0; k < sizeof rates / sizeof *rates; ++k) {
        names[count++] = rates[k];
    }
    names[count++] = "betas";
    return count;
}

lmb_result lmb_body_motion_read(const void *bytes, size_t size, const lmb_allocator *alloc,
                                lmb_body_motion **out, lmb_error *error)
{
    const char *names[NAMES];
    const size_t count = list_names(names);
    lmbi_npz *npz = NULL;
    lmb_result result = lmbi_npz_read_named(bytes, size, names, count, alloc, &npz, error);
    if (result != LMB_OK) {
        return result;
    }
    lmb_body_motion *motion = lmbi_alloc(alloc, sizeof *motion);
    if (motion == NULL) {
        lmbi_npz_destroy(npz);
        return lmbi_fail_memory(error);
    }
    motion->allocator = alloc ? *alloc : (lmb_allocator){0};
    result = fill_motion(npz, &motion->allocator, motion, error);
    lmbi_npz_destroy(npz);
    if (result != LMB_OK) {
        lmb_body_motion_destroy(motion);
        return result;
    }
    *out = motion;
    return LMB_OK;
}
