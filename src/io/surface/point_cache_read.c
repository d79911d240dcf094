/// Point caches: the positions of one mesh's vertices over time, without faces. PC2 (3ds Max,
/// Blender), MDD (LightWave) and NumPy arrays of frames x points x 3.
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "io/bytes.h"
#include "io/common.h"
#include "io/npz.h"

static const char PC2_MAGIC[12] = "POINTCACHE2";
enum { PC2_HEADER = 32, MDD_HEADER = 8, POINT_SIZE = 12 };
/// Names of an array of frames in a .npz, the first that is there; "" is the array of a .npy.
static const char *const arrays[] = {"vertices", "verts", "positions", "points",
                                     "frames",   "poses", ""};
enum { ARRAYS = sizeof arrays / sizeof *arrays };

static lmb_result check_counts(uint64_t frames, uint64_t points, size_t offset, lmb_error *error)
{
    if (frames == 0 || points == 0 || frames > UINT32_MAX || points > UINT32_MAX) {
        return lmbi_fail_byte(error, LMB_ERROR_MALFORMED, offset, "frames of points",
                              "%llu frames of %llu points", (unsigned long long)frames,
                              (unsigned long long)points);
    }
    return LMB_OK;
}

/// Fails unless `left` bytes hold exactly the frames. `record` is the size of a frame.
static lmb_result check_size(uint64_t frames, uint64_t record, size_t offset, size_t left,
                             lmb_error *error)
{
    if (frames > left / record || frames * record != left) {
        return lmbi_fail_byte(
            error, LMB_ERROR_MALFORMED, offset, "as many bytes as the header says",
            "%llu frames of %llu bytes where %llu bytes are", (unsigned long long)frames,
            (unsigned long long)record, (unsigned long long)left);
    }
    return LMB_OK;
}

static lmb_point_cache *allocate(uint32_t frames, uint32_t points, const lmb_allocator *alloc,
                                 lmb_error *error)
{
    lmb_point_cache *cache = lmbi_alloc(alloc, sizeof *cache);
    lmb_vec3 *positions = lmbi_alloc_array(alloc, lmbi_size_mul(frames, points), sizeof *positions);
    if (!cache || !positions) {
        lmbi_free(alloc, cache);
        lmbi_free(alloc, positions);
        lmbi_fail_memory(error);
        return NULL;
    }
    *cache = (lmb_point_cache){.frame_count = frames,
                               .point_count = points,
                               .positions = positions,
                               .allocator = alloc ? *alloc : (lmb_allocator){0}};
    return cache;
}

void lmb_point_cache_destroy(lmb_point_cache *cache)
{
    if (cache) {
        const lmb_allocator alloc = cache->allocator;
        lmbi_free(&alloc, cache->positions);
        lmbi_free(&alloc, cache);
    }
}

static float load_float(const uint8_t *at, bool big_endian)
{
    return lmbi_float_of_bits(big_endian ? lmbi_load_u32_big(at) : lmbi_load_u32(at));
}

/// All positions, stored one after another from `offset`.
static lmb_result read_positions(const uint8_t *bytes, size_t offset, bool big_endian,
                                 lmb_point_cache *cache, lmb_error *error)
{
    const size_t count = (size_t)cache->frame_count * cache->point_count;
    for (size_t k = 0; k < count; ++k) {
        const size_t byte = offset + k * POINT_SIZE;
        const uint8_t *at = bytes + byte;
        const lmb_vec3 p = {load_float(at, big_endian), load_float(at + 4, big_endian),
                            load_float(at + 8, big_endian)};
        if (!lmb_vec3_is_finite(p)) {
            return lmbi_fail_byte(error, LMB_ERROR_MALFORMED, byte, "finite positions",
                                  "point %zu of frame %zu at (%g, %g, %g)", k % cache->point_count,
                                  k / cache->point_count, (double)p.x, (double)p.y, (double)p.z);
        }
        cache->positions[k] = p;
    }
    return LMB_OK;
}

/// Where a file's positions are.
typedef struct stored_positions {
    const uint8_t *bytes;
    size_t offset;
    bool big_endian;
    uint32_t frames, points;
    float rate_hz; ///< 0 where the file does not say
} stored_positions;

/// Reads the positions into a new cache.
static lmb_result create(const stored_positions *in, const lmb_allocator *alloc,
                         lmb_point_cache **out, lmb_error *error)
{
    lmb_point_cache *cache = allocate(in->frames, in->points, alloc, error);
    if (!cache) {
        return LMB_ERROR_MEMORY;
    }
    cache->rate_hz = in->rate_hz;
    const lmb_result result = read_positions(in->bytes, in->offset, in->big_endian, cache, error);
    if (result != LMB_OK) {
        lmb_point_cache_destroy(cache);
        return result;
    }
    *out = cache;
    return LMB_OK;
}

// ---- PC2: magic, version, points, first frame, frames a sample, samples; little-endian

static lmb_result read_pc2(const uint8_t *bytes, size_t size, const lmb_allocator *alloc,
                           lmb_point_cache **out, lmb_error *error)
{
    if (size < PC2_HEADER) {
        return lmbi_fail_byte(error, LMB_ERROR_MALFORMED, size, "a header of 32 bytes", "%zu",
                              size);
    }
    const uint32_t version = lmbi_load_u32(bytes + 12), points = lmbi_load_u32(bytes + 16);
    const uint32_t frames = lmbi_load_u32(bytes + 28);
    if (version != 1) {
        return lmbi_fail_byte(error, LMB_ERROR_UNSUPPORTED, 12, "version 1 of PC2", "%u", version);
    }
    lmb_result result = check_counts(frames, points, 16, error);
    if (result == LMB_OK) {
        result =
            check_size(frames, (uint64_t)points * POINT_SIZE, PC2_HEADER, size - PC2_HEADER, error);
    }
    const stored_positions in = {
        .bytes = bytes, .offset = PC2_HEADER, .frames = frames, .points = points};
    return result == LMB_OK ? create(&in, alloc, out, error) : result;
}

// ---- MDD: frames, points, times in seconds, positions; big-endian, without a magic number

/// MDD has no magic number: its size is compared with its counts.
static bool is_mdd(const uint8_t *bytes, size_t size)
{
    if (size < MDD_HEADER) {
        return false;
    }
    const uint64_t frames = lmbi_load_u32_big(bytes), points = lmbi_load_u32_big(bytes + 4);
    const uint64_t record = 4 + POINT_SIZE * points, left = size - MDD_HEADER;
    return frames > 0 && points > 0 && frames <= left / record && frames * record == left;
}

/// The size has been compared by is_mdd.
static lmb_result read_mdd(const uint8_t *bytes, const lmb_allocator *alloc, lmb_point_cache **out,
                           lmb_error *error)
{
    const uint32_t frames = lmbi_load_u32_big(bytes), points = lmbi_load_u32_big(bytes + 4);
    const float first = load_float(bytes + MDD_HEADER, true);
    const float last = load_float(bytes + MDD_HEADER + 4 * ((size_t)frames - 1), true);
    const float rate = (float)(frames - 1) / (last - first);
    const bool has_rate = frames > 1 && isfinite(rate) && rate > 0;
    const stored_positions in = {.bytes = bytes,
                                 .offset = MDD_HEADER + 4 * (size_t)frames,
                                 .big_endian = true,
                                 .frames = frames,
                                 .points = points,
                                 .rate_hz = has_rate ? rate : 0};
    return create(&in, alloc, out, error);
}

// ---- NumPy

static bool is_frames(const lmbi_npz_array *array)
{
    return array && lmbi_npz_is_numeric(array) && array->dimension_count == 3 &&
           array->shape[2] == 3 && array->shape[0] > 0 && array->shape[1] > 0;
}

static const lmbi_npz_array *find_frames(const lmbi_npz *npz)
{
    for (int k = 0; k < ARRAYS; ++k) {
        const lmbi_npz_array *array = lmbi_npz_find(npz, arrays[k]);
        if (is_frames(array)) {
            return array;
        }
    }
    return NULL;
}

static lmb_result copy_frames(const lmbi_npz_array *array, const lmb_allocator *alloc,
                              lmb_point_cache **out, lmb_error *error)
{
    lmb_result result = check_counts(array->shape[0], array->shape[1], 0, error);
    if (result != LMB_OK) {
        return result;
    }
    lmb_point_cache *cache =
        allocate((uint32_t)array->shape[0], (uint32_t)array->shape[1], alloc, error);
    if (!cache) {
        return LMB_ERROR_MEMORY;
    }
    lmbi_npz_floats(array, &cache->positions[0].x);
    for (size_t k = 0; k < (size_t)cache->frame_count * cache->point_count; ++k) {
        if (!lmb_vec3_is_finite(cache->positions[k])) {
            result = lmbi_fail(error, LMB_ERROR_MALFORMED, "finite positions",
                               "a number that is not, of point %zu of frame %zu in \"%s\"",
                               k % cache->point_count, k / cache->point_count, array->name);
            lmb_point_cache_destroy(cache);
            return result;
        }
    }
    *out = cache;
    return LMB_OK;
}

static lmb_result read_numpy(const uint8_t *bytes, size_t size, const lmb_allocator *alloc,
                             lmb_point_cache **out, lmb_error *error)
{
    lmbi_npz *npz = NULL;
    lmb_result result = lmbi_npz_read_named(bytes, size, arrays, ARRAYS, alloc, &npz, error);
    if (result != LMB_OK) {
        return result;
    }
    const lmbi_npz_array *array = find_frames(npz);
    result = array ? copy_frames(array, alloc, out, error)
                   : lmbi_fail(error, LMB_ERROR_MALFORMED,
                               "an array \"vertices\", \"verts\", \"positions\", \"points\", "
                               "\"frames\" or \"poses\" of frames x points x 3",
                               "none among %u arrays of these names", npz->array_count);
    lmbi_npz_destroy(npz);
    return result;
}

// ---- any

static bool starts(const uint8_t *bytes, size_t size, const void *text, size_t length)
{
    return size >= length && memcmp(bytes, text, length) == 0;
}

static bool is_numpy(const uint8_t *bytes, size_t size)
{
    return starts(bytes, size, "\x93NUMPY", 6) || starts(bytes, size, "PK\x03\x04", 4);
}

bool lmbi_point_cache_is(const void *bytes, size_t size)
{
    return starts(bytes, size, PC2_MAGIC, sizeof PC2_MAGIC) || is_numpy(bytes, size) ||
           is_mdd(bytes, size);
}

static lmb_result read_any(const uint8_t *bytes, size_t size, const lmb_allocator *alloc,
                           lmb_point_cache **out, lmb_error *error)
{
    if (starts(bytes, size, PC2_MAGIC, sizeof PC2_MAGIC)) {
        return read_pc2(bytes, size, alloc, out, error);
    }
    if (is_numpy(bytes, size)) {
        return read_numpy(bytes, size, alloc, out, error);
    }
    if (is_mdd(bytes, size)) {
        return read_mdd(bytes, alloc, out, error);
    }
    if (size < MDD_HEADER) {
        return lmbi_fail_byte(error, LMB_ERROR_MALFORMED, 0, "a PC2, MDD or NumPy point cache",
                              "%zu bytes", size);
    }
    return lmbi_fail_byte(error, LMB_ERROR_MALFORMED, 0, "a PC2, MDD or NumPy point cache",
                          "%zu bytes that are none; as MDD they would hold %u frames of %u points",
                          size, lmbi_load_u32_big(bytes), lmbi_load_u32_big(bytes + 4));
}

lmb_result lmb_point_cache_read(const void *bytes, size_t size, const lmb_point_cache_opts *opts,
                                const lmb_allocator *alloc, lmb_point_cache **out, lmb_error *error)
{
    lmb_point_cache *cache = NULL;
    const lmb_result result = read_any(bytes, size, alloc, &cache, error);
    if (result != LMB_OK) {
        return result;
    }
    const float unit = opts && opts->unit_m > 0 ? opts->unit_m : 1;
    const lmb_axis up = opts ? opts->up : LMB_AXIS_Y;
    const size_t count = (size_t)cache->frame_count * cache->point_count;
    for (size_t k = 0; k < count; ++k) {
        cache->positions[k] = lmb_vec3_scale(lmbi_axis_to_y(up, cache->positions[k]), unit);
    }
    *out = cache;
    return LMB_OK;
}
