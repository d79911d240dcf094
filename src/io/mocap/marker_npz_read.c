/// Points over time from NumPy arrays.
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "io/common.h"
#include "io/mocap/markers.h"
#include "io/npz.h"
#include "io/npz/smpl_names.h"

static const char *const arrays[] = {"positions", "joints",  "keypoints3d", "keypoints",
                                     "joints3d",  "markers", "poses_3d",    "joint_positions",
                                     "joints_3d", ""};
static const char *const name_arrays[] = {"names", "joint_names", "labels", "marker_names"};
static const char *const rates[] = {"mocap_framerate", "mocap_frame_rate", "fps", "frame_rate"};

static bool is_points(const lmbi_npz_array *array)
{
    return array != NULL && lmbi_npz_is_numeric(array) && array->dimension_count == 3 &&
           array->shape[2] == 3 && array->shape[0] > 0 && array->shape[1] > 0;
}

static const lmbi_npz_array *find_points(const lmbi_npz *npz)
{
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; ++k) {
        const lmbi_npz_array *array = lmbi_npz_find(npz, arrays[k]);
        if (is_points(array)) {
            return array;
        }
    }
    return NULL;
}

static lmb_result read_known(const void *bytes, size_t size, const lmb_allocator *alloc,
                             lmbi_npz **out, lmb_error *error)
{
    enum { POINTS = sizeof arrays / sizeof *arrays, LABELS = sizeof name_arrays / sizeof *arrays };
    const char *names[POINTS + LABELS + sizeof rates / sizeof *rates];
    memcpy(names, arrays, sizeof arrays);
    memcpy(names + POINTS, name_arrays, sizeof name_arrays);
    memcpy(names + POINTS + LABELS, rates, sizeof rates);
    return lmbi_npz_read_named(bytes, size, names, sizeof names / sizeof *names, alloc, out, error);
}

bool lmbi_marker_npz_is(const void *bytes, size_t size)
{
    lmbi_npz *npz = NULL;
    if (read_known(bytes, size, NULL, &npz, NULL) != LMB_OK) {
        return false;
    }
    const bool found = find_points(npz) != NULL;
    lmbi_npz_destroy(npz);
    return found;
}

/// Item k of an array of texts as UTF-8. NumPy stores letters in 32 bits ("U") or 8 bits ("S").
static const char *text_at(const lmbi_npz_array *array, size_t k, lmbi_arena *arena)
{
    char text[256];
    size_t n = 0;
    const bool wide = array->type == LMBI_NUMBER_TEXT;
    const size_t step = wide ? 4 : 1;
    const uint8_t *at = array->data + k * array->item_size;
    for (size_t i = 0; i + step <= array->item_size && n + 2 < sizeof text; i += step) {
        const size_t low = wide && array->big_endian ? 3 : 0;
        const uint8_t c = at[i + low];
        // Names of joints are ASCII; any other letter becomes a question mark.
        const bool plain = c < 128 && (!wide || (at[i + (low ^ 1)] | at[i + 2 - low % 2]) == 0);
        if (c == 0 && plain) {
            break;
        }
        text[n++] = plain ? (char)c : '?';
    }
    return lmbi_arena_string(arena, text, n);
}

static const lmbi_npz_array *find_names(const lmbi_npz *npz, size_t count)
{
    for (size_t k = 0; k < sizeof name_arrays / sizeof *name_arrays; ++k) {
        const lmbi_npz_array *array = lmbi_npz_find(npz, name_arrays[k]);
        if (array != NULL && array->count == count && array->data != NULL &&
            (array->type == LMBI_NUMBER_TEXT || array->type == LMBI_NUMBER_BYTES)) {
            return array;
        }
    }
    return NULL;
}

static const char *number_name(uint32_t number, lmbi_arena *arena)
{
    char text[24] = "point ";
    size_t n = 6;
    uint32_t power = 1;
    while (number / power >= 10) {
        power *= 10;
    }
    for (; power > 0; power /= 10) {
        text[n++] = (char)('0' + number / power % 10);
    }
    return lmbi_arena_string(arena, text, n);
}

static bool name_markers(const lmbi_npz *npz, lmb_markers *draft, lmbi_arena *arena)
{
    const uint32_t count = draft->marker_count;
    const lmbi_npz_array *names = find_names(npz, count);
    draft->names = lmbi_arena_array(arena, count, sizeof *draft->names);
    for (uint32_t m = 0; draft->names != NULL && m < count; ++m) {
        draft->names[m] = names != NULL                ? text_at(names, m, arena)
                          : count == 22 || count == 24 ? lmbi_smpl_names[m]
                                                       : number_name(m + 1, arena);
        if (draft->names[m] == NULL) {
            return false;
        }
    }
    return draft->names != NULL;
}

static float read_rate(const lmbi_npz *npz)
{
    for (size_t k = 0; k < sizeof rates / sizeof *rates; ++k) {
        const lmbi_npz_array *array = lmbi_npz_find(npz, rates[k]);
        if (array != NULL && lmbi_npz_is_numeric(array) && array->count == 1) {
            const double rate = lmbi_npz_number(array, 0);
            return rate > 0 && rate < 1e6 ? (float)rate : 0;
        }
    }
    return 0;
}

static lmb_result build_markers(const lmbi_npz *npz, const lmb_markers_read_opts *opts,
                                const lmb_allocator *alloc, lmbi_arena *arena, lmb_markers **out,
                                lmb_error *error)
{
    const lmbi_npz_array *array = find_points(npz);
    if (array == NULL) {
        return lmbi_fail(error, LMB_ERROR_MALFORMED, "an array of frames x points x 3",
                         "%u arrays, none of them such", (unsigned)npz->array_count);
    }
    if (array->count > UINT32_C(3) << 30) {
        return lmbi_fail(error, LMB_ERROR_MALFORMED, "at most 2^30 positions", "%llu",
                         (unsigned long long)(array->count / 3));
    }
    lmb_markers draft = {.marker_count = (uint32_t)array->shape[1],
                         .frame_count = (uint32_t)array->shape[0],
                         .frame_rate = read_rate(npz)};
    const size_t count = array->count / 3;
    draft.positions = lmbi_arena_array(arena, count, sizeof *draft.positions);
    draft.seen = lmbi_arena_array(arena, count, 1);
    if (draft.positions == NULL || draft.seen == NULL || !name_markers(npz, &draft, arena)) {
        return lmbi_fail_memory(error);
    }
    lmbi_npz_floats(array, &draft.positions[0].x);
    for (size_t k = 0; k < count; ++k) {
        draft.seen[k] = lmb_vec3_is_finite(draft.positions[k]);
    }
    lmb_markers_info info = {0};
    const lmbi_marker_facts facts = {.usual_up = LMB_AXIS_Y};
    return lmbi_markers_finish(&draft, &facts, opts, &info, alloc, out, error);
}

lmb_result lmbi_marker_npz_read(const void *bytes, size_t size, const lmb_markers_read_opts *opts,
                                const lmb_allocator *alloc, lmb_markers **out, lmb_error *error)
{
    static const lmb_markers_read_opts none = {0};
    lmbi_npz *npz = NULL;
    lmb_result result = read_known(bytes, size, alloc, &npz, error);
    if (result != LMB_OK) {
        return result;
    }
    lmbi_arena arena;
    lmbi_arena_init(&arena, alloc);
    result = build_markers(npz, opts != NULL ? opts : &none, alloc, &arena, out, error);
    lmbi_arena_free(&arena);
    lmbi_npz_destroy(npz);
    return result;
}
