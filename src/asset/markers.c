#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/block.h"
#include "base/error.h"
#include "limber/asset.h"

static bool is_seen(const lmb_markers *def, size_t k)
{
    return def->seen == NULL || def->seen[k] != 0;
}

static lmb_result check_point(const lmb_markers *def, size_t k, lmb_error *error)
{
    const lmb_vec3 p = def->positions[k];
    const uint32_t marker = (uint32_t)(k % def->marker_count);
    const uint32_t frame = (uint32_t)(k / def->marker_count);
    if (!isfinite(p.x) || !isfinite(p.y) || !isfinite(p.z)) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "finite positions",
                         "marker %u in frame %u is not", marker, frame);
    }
    if (def->residuals != NULL && !(def->residuals[k] >= 0 && isfinite(def->residuals[k]))) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "finite residuals of 0 or more",
                         "that of marker %u in frame %u is not", marker, frame);
    }
    return LMB_OK;
}

static lmb_result check_analog(const lmb_markers *def, lmb_error *error)
{
    const uint64_t each = (uint64_t)def->analog_count * def->analog_per_frame;
    if (each > UINT32_C(1) << 31 || each * def->frame_count > UINT32_C(1) << 31) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "at most 2^31 analog samples",
                         "%u channels of %u a frame", def->analog_count, def->analog_per_frame);
    }
    for (uint64_t k = 0; k < each * def->frame_count; ++k) {
        if (!isfinite(def->analog[k])) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "finite analog samples", "%g in channel %u",
                             (double)def->analog[k], (unsigned)(k % def->analog_count));
        }
    }
    for (uint32_t k = 0; k < def->event_count; ++k) {
        if (!isfinite(def->events[k].time_s)) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "finite times of events",
                             "%g s for event %u", (double)def->events[k].time_s, k);
        }
    }
    return LMB_OK;
}

static lmb_result check_markers(const lmb_markers *def, lmb_error *error)
{
    const uint64_t count = (uint64_t)def->marker_count * def->frame_count;
    if (count > UINT32_C(1) << 31) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "at most 2^31 positions",
                         "%u markers in %u frames", def->marker_count, def->frame_count);
    }
    if (!(def->frame_rate >= 0) || !isfinite(def->frame_rate)) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a frame rate of 0 or more", "%g",
                         (double)def->frame_rate);
    }
    for (size_t k = 0; k < count; ++k) {
        const lmb_result result = is_seen(def, k) ? check_point(def, k, error) : LMB_OK;
        if (result != LMB_OK) {
            return result;
        }
    }
    return check_analog(def, error);
}

/// Sets `seen` to 0 or 1 for every position and zeroes positions that were not measured.
static void clear_gaps(lmb_markers *markers, const lmb_markers *def, size_t count)
{
    for (size_t k = 0; k < count; ++k) {
        markers->seen[k] = is_seen(def, k);
        if (!markers->seen[k]) {
            markers->positions[k] = (lmb_vec3){0, 0, 0};
            if (markers->residuals != NULL) {
                markers->residuals[k] = 0;
            }
        }
    }
}

static const char **copy_texts(lmbi_block *block, const char **texts, uint32_t count)
{
    const char **copy = lmbi_block_array(block, texts, count, sizeof(char *));
    for (uint32_t k = 0; k < count; ++k) {
        const char *text = lmbi_block_string(block, texts[k]);
        if (copy != NULL) {
            copy[k] = text;
        }
    }
    return copy;
}

static void copy_analog(lmbi_block *block, const lmb_markers *def, lmb_markers *copy)
{
    const size_t samples = (size_t)def->analog_count * def->analog_per_frame * def->frame_count;
    copy->analog = lmbi_block_array(block, def->analog, samples, sizeof *def->analog);
    copy->analog_names = copy_texts(block, def->analog_names, def->analog_count);
    copy->analog_units = copy_texts(block, def->analog_units, def->analog_count);
    copy->events = lmbi_block_array(block, def->events, def->event_count, sizeof *def->events);
    for (uint32_t k = 0; k < def->event_count; ++k) {
        const char *name = lmbi_block_string(block, def->events[k].name);
        const char *context = lmbi_block_string(block, def->events[k].context);
        if (copy->events != NULL) {
            copy->events[k].name = name;
            copy->events[k].context = context;
        }
    }
}

static void *copy_markers(lmbi_block *block, const void *definition)
{
    const lmb_markers *def = definition;
    const size_t count = (size_t)def->marker_count * def->frame_count;
    lmb_markers copy = *def;
    lmb_markers *markers = lmbi_block_array(block, def, 1, sizeof *def);
    copy.name = lmbi_block_string(block, def->name);
    copy.positions = lmbi_block_array(block, def->positions, count, sizeof(lmb_vec3));
    copy.residuals = lmbi_block_array(block, def->residuals, count, sizeof(float));
    // Only reserves `count` bytes, whatever they hold: clear_gaps fills them.
    copy.seen = lmbi_block_array(block, def->positions, count, sizeof(uint8_t));
    copy.names = copy_texts(block, def->names, def->marker_count);
    copy_analog(block, def, &copy);
    if (markers != NULL) {
        *markers = copy;
        clear_gaps(markers, def, count);
    }
    return markers;
}

lmb_result lmb_markers_create(const lmb_markers *def, const lmb_allocator *alloc, lmb_markers **out,
                              lmb_error *error)
{
    const lmb_result result = check_markers(def, error);
    if (result != LMB_OK) {
        return result;
    }
    lmb_markers *markers = lmbi_block_build(copy_markers, def, alloc);
    if (markers == NULL) {
        return lmbi_fail_memory(error);
    }
    markers->allocator = alloc ? *alloc : (lmb_allocator){0};
    *out = markers;
    return LMB_OK;
}

void lmb_markers_destroy(lmb_markers *markers)
{
    if (markers != NULL) {
        lmbi_free_own(&markers->allocator, markers);
    }
}
