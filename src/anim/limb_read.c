/// Reads a .limb file. Every count is checked against the bytes that are left.
#include <math.h>
#include <string.h>

#include "anim/anim.h"
#include "anim/limb.h"
#include "base/alloc.h"
#include "base/arena.h"
#include "base/error.h"
#include "math/scalar.h"

/// Reads forward. A read past the end returns zeros and sets `bad`.
typedef struct cursor {
    const uint8_t *bytes;
    size_t at, end;
    uint32_t last;        ///< the last word read, for errors
    const char *bad_flag; ///< what the first flag that is neither 0 nor 1 stands for, or NULL
    size_t bad_flag_at;
    uint32_t bad_flag_word;
    bool bad;
} cursor;

typedef struct reader {
    lmbi_arena arena;
    const lmb_allocator *alloc;
    lmb_error *error;
    lmb_skeleton *skeleton;
    lmb_clip **clips;
    lmb_packed_clip **packed;
    uint32_t clip_count, packed_count;
} reader;

static const uint8_t *read_bytes(cursor *c, size_t size)
{
    static const uint8_t none[4];
    if (c->bad || size > c->end - c->at) {
        c->bad = true;
        return none;
    }
    const uint8_t *at = c->bytes + c->at;
    c->at += size;
    return at;
}

static uint32_t read_u32(cursor *c)
{
    const uint8_t *b = read_bytes(c, 4);
    c->last = (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
    return c->last;
}

static float read_f32(cursor *c)
{
    const float value = lmbi_float_of_bits(read_u32(c));
    c->bad |= !isfinite(value);
    return value;
}

/// A word that is 0 or 1. `expected` names it in the error for any other value.
static bool read_flag(cursor *c, const char *expected)
{
    const uint32_t word = read_u32(c);
    if (word > 1 && !c->bad) {
        c->bad_flag = expected;
        c->bad_flag_at = c->at - 4;
        c->bad_flag_word = word;
        c->bad = true;
    }
    return word == 1;
}

/// A count of items of at least `size` bytes each, checked against the bytes that are left.
static uint32_t read_count(cursor *c, size_t size)
{
    const uint32_t count = read_u32(c);
    c->bad |= count > (c->end - c->at) / size;
    return c->bad ? 0 : count;
}

static void skip_padding(cursor *c)
{
    read_bytes(c, (4 - (c->at & 3u)) & 3u);
}

static const char *read_text(reader *r, cursor *c)
{
    const uint32_t length = read_count(c, 1);
    const uint8_t *bytes = read_bytes(c, length);
    skip_padding(c);
    c->bad |= memchr(bytes, 0, c->bad ? 0 : length) != NULL;
    return c->bad ? "" : lmbi_arena_string(&r->arena, bytes, length);
}

static void *alloc_array(reader *r, size_t count, size_t size)
{
    return lmbi_arena_array(&r->arena, count, size);
}

static lmb_result malformed(reader *r, const cursor *c, const char *expected)
{
    if (c->bad_flag != NULL) {
        return lmbi_fail_byte(r->error, LMB_ERROR_MALFORMED, c->bad_flag_at, c->bad_flag, "0x%08x",
                              c->bad_flag_word);
    }
    if (c->at == c->end) {
        return lmbi_fail_byte(r->error, LMB_ERROR_MALFORMED, c->at, expected, "the end");
    }
    return lmbi_fail_byte(r->error, LMB_ERROR_MALFORMED, c->at, expected, "0x%08x", c->last);
}

// --------------------------------------------------------------------------------------- skeleton

static lmb_joint_limit read_limit(cursor *c)
{
    float f[LIMB_LIMIT_FLOATS + 7];
    const uint32_t kind = read_u32(c);
    for (uint32_t i = 0; i < LIMB_LIMIT_FLOATS; ++i) {
        f[i] = read_f32(c);
    }
    const bool has_box = read_flag(c, "0 or 1 for whether a joint limit has a box");
    for (uint32_t i = LIMB_LIMIT_FLOATS; i < LIMB_LIMIT_FLOATS + 7; ++i) {
        f[i] = read_f32(c);
    }
    c->bad |= kind > LMB_JOINT_BALL;
    return (lmb_joint_limit){.kind = (lmb_joint_kind)kind,
                             .axis = {f[0], f[1], f[2]},
                             .swing_rad = f[3],
                             .twist_min_rad = f[4],
                             .twist_max_rad = f[5],
                             .side = {f[6], f[7], f[8]},
                             .swing_side_rad = {f[9], f[10]},
                             .swing_across_rad = {f[11], f[12]},
                             .has_box = has_box,
                             .box = {{f[13], f[14], f[15]}, {f[16], f[17], f[18]}}};
}

static void read_optional(reader *r, cursor *c, lmb_skeleton *s, bool *has_memory)
{
    if (read_flag(c, "0 or 1 for whether bone tips follow")) {
        s->tips = alloc_array(r, s->joint_count, sizeof(lmb_vec3));
        *has_memory &= s->tips != NULL;
        for (uint32_t j = 0; *has_memory && !c->bad && j < s->joint_count; ++j) {
            const float x = read_f32(c), y = read_f32(c), z = read_f32(c);
            s->tips[j] = lmb_vec3_make(x, y, z);
        }
    }
    if (read_flag(c, "0 or 1 for whether joint limits follow")) {
        s->limits = alloc_array(r, s->joint_count, sizeof(lmb_joint_limit));
        *has_memory &= s->limits != NULL;
        for (uint32_t j = 0; *has_memory && !c->bad && j < s->joint_count; ++j) {
            s->limits[j] = read_limit(c);
        }
    }
}

static lmb_result read_skeleton(reader *r, cursor *c)
{
    if (r->skeleton != NULL) {
        return malformed(r, c, "one skeleton");
    }
    lmb_skeleton s = {.name = read_text(r, c)};
    s.joint_count = read_count(c, 48);
    s.parents = alloc_array(r, s.joint_count, sizeof(int32_t));
    s.rest = alloc_array(r, s.joint_count, sizeof(lmb_transform));
    s.names = alloc_array(r, s.joint_count, sizeof(char *));
    bool has_memory = s.name != NULL && s.parents != NULL && s.rest != NULL && s.names != NULL;
    for (uint32_t j = 0; has_memory && j < s.joint_count; ++j) {
        s.parents[j] = (int32_t)read_u32(c);
    }
    for (uint32_t j = 0; has_memory && j < s.joint_count; ++j) {
        float fields[10];
        for (uint32_t i = 0; i < 10; ++i) {
            fields[i] = read_f32(c);
        }
        memcpy(&s.rest[j], fields, sizeof(fields));
    }
    for (uint32_t j = 0; has_memory && j < s.joint_count; ++j) {
        s.names[j] = read_text(r, c);
        has_memory &= s.names[j] != NULL;
    }
    if (has_memory) {
        read_optional(r, c, &s, &has_memory);
    }
    if (!has_memory) {
        return lmbi_fail_memory(r->error);
    }
    if (c->bad) {
        return malformed(r, c, "a skeleton");
    }
    const lmb_result result = lmb_skeleton_create(&s, r->alloc, &r->skeleton, r->error);
    return result == LMB_ERROR_INVALID ? LMB_ERROR_MALFORMED : result;
}

// ------------------------------------------------------------------------------------------ clips

static bool read_channel(reader *r, cursor *c, lmb_channel *channel)
{
    channel->joint = read_u32(c);
    const uint32_t path = read_u32(c), interpolation = read_u32(c);
    channel->width = read_u32(c);
    channel->key_count = read_count(c, 4);
    channel->path = (lmb_path)path;
    channel->interpolation = (lmb_interpolation)interpolation;
    const size_t per_key = interpolation == LMB_CUBIC ? 3 : 1;
    const size_t values = lmbi_size_mul(lmbi_size_mul(channel->key_count, channel->width), per_key);
    c->bad |= path > LMB_PATH_WEIGHTS || interpolation > LMB_CUBIC ||
              channel->joint >= r->skeleton->joint_count || values > (c->end - c->at) / 4;
    if (c->bad) {
        return true;
    }
    channel->ticks = alloc_array(r, channel->key_count, sizeof(float));
    channel->values = alloc_array(r, values, sizeof(float));
    if (channel->ticks == NULL || channel->values == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < channel->key_count; ++k) {
        channel->ticks[k] = read_f32(c);
    }
    for (size_t k = 0; k < values; ++k) {
        channel->values[k] = read_f32(c);
    }
    return true;
}

/// Reads a clip into the arena.
static lmb_result read_draft(reader *r, cursor *c, lmb_clip *draft)
{
    *draft = (lmb_clip){.name = read_text(r, c)};
    draft->ticks_per_s = read_f32(c);
    draft->duration = read_f32(c);
    draft->frame_rate = read_f32(c);
    draft->channel_count = read_count(c, 20);
    draft->channels = alloc_array(r, draft->channel_count, sizeof(lmb_channel));
    bool has_memory = draft->name != NULL && draft->channels != NULL;
    for (uint32_t k = 0; has_memory && !c->bad && k < draft->channel_count; ++k) {
        has_memory = read_channel(r, c, &draft->channels[k]);
    }
    c->bad |= draft->duration < 0 || draft->ticks_per_s < 0;
    if (!has_memory) {
        return lmbi_fail_memory(r->error);
    }
    return c->bad ? malformed(r, c, "a clip") : LMB_OK;
}

/// Appends a pointer to an allocated array.
static bool append_pointer(reader *r, void **items, uint32_t count, void *item)
{
    void **more = lmbi_resize(r->alloc, *items, ((size_t)count + 1) * sizeof(void *));
    if (more == NULL) {
        lmbi_fail_memory(r->error);
        return false;
    }
    more[count] = item;
    *items = more;
    return true;
}

static lmb_result read_clip(reader *r, cursor *c)
{
    lmb_clip draft, *clip = NULL;
    lmb_result result = read_draft(r, c, &draft);
    if (result == LMB_OK) {
        result = lmb_clip_create(&draft, r->alloc, &clip, r->error);
    }
    if (result != LMB_OK) {
        return result == LMB_ERROR_INVALID ? LMB_ERROR_MALFORMED : result;
    }
    void *clips = r->clips;
    if (!append_pointer(r, &clips, r->clip_count, clip)) {
        lmb_clip_destroy(clip);
        return LMB_ERROR_MEMORY;
    }
    r->clips = clips;
    ++r->clip_count;
    return LMB_OK;
}

static lmb_result read_packed(reader *r, cursor *c)
{
    const char *name = read_text(r, c);
    const uint32_t count = read_count(c, 4);
    uint32_t *words = alloc_array(r, count, sizeof(uint32_t));
    if (name == NULL || words == NULL) {
        return lmbi_fail_memory(r->error);
    }
    const size_t first = c->at;
    for (uint32_t w = 0; w < count; ++w) {
        words[w] = read_u32(c);
    }
    lmb_clip exact;
    const bool has_exact = read_flag(c, "0 or 1 for whether an exact clip follows");
    if (has_exact) {
        const lmb_result result = read_draft(r, c, &exact);
        if (result != LMB_OK) {
            return result;
        }
    }
    if (c->bad) {
        return malformed(r, c, "a compressed clip");
    }
    lmb_packed_clip *packed = NULL;
    const lmb_result result = lmbi_packed_clip_open(
        r->skeleton, name, words, count, has_exact ? &exact : NULL, r->alloc, &packed, r->error);
    if (result != LMB_OK) {
        if (r->error != NULL && result == LMB_ERROR_MALFORMED) {
            r->error->offset += first;
        }
        return result == LMB_ERROR_INVALID ? LMB_ERROR_MALFORMED : result;
    }
    void *all = r->packed;
    if (!append_pointer(r, &all, r->packed_count, packed)) {
        lmb_packed_clip_destroy(packed);
        return LMB_ERROR_MEMORY;
    }
    r->packed = all;
    ++r->packed_count;
    return LMB_OK;
}

// --------------------------------------------------------------------------------------- the file

static lmb_result read_section(reader *r, cursor *c)
{
    const size_t begin = c->at;
    const uint32_t tag = read_u32(c), needed = read_u32(c);
    const uint64_t low = read_u32(c), size = low | (uint64_t)read_u32(c) << 32;
    if (c->bad || size > c->end - c->at) {
        return malformed(r, c, "a section that ends in the file");
    }
    if (needed > LIMB_VERSION) {
        return lmbi_fail_byte(r->error, LMB_ERROR_UNSUPPORTED, begin, "sections of version 1",
                              "one that needs version %u", needed);
    }
    cursor section = {.bytes = c->bytes, .at = c->at, .end = c->at + (size_t)size};
    read_bytes(c, (size_t)size);
    if (c->at < c->end) {
        skip_padding(c);
    }
    if (tag == LIMB_SKELETON) {
        return read_skeleton(r, &section);
    }
    if (tag != LIMB_CLIP && tag != LIMB_PACKED) {
        return LMB_OK;
    }
    if (r->skeleton == NULL) {
        return malformed(r, &section, "the skeleton before its clips");
    }
    return tag == LIMB_CLIP ? read_clip(r, &section) : read_packed(r, &section);
}

static lmb_result read_file(reader *r, const void *bytes, size_t size)
{
    cursor c = {.bytes = bytes, .end = size};
    if (read_u32(&c) != LIMB_MAGIC || c.bad) {
        return lmbi_fail_byte(r->error, LMB_ERROR_MALFORMED, 0, "LIMB",
                              "%zu bytes that begin 0x%08x", size, c.last);
    }
    const uint32_t version = read_u32(&c);
    if (c.bad || version == 0) {
        return malformed(r, &c, "a version");
    }
    while (c.at < c.end) {
        const lmb_result result = read_section(r, &c);
        if (result != LMB_OK) {
            return result;
        }
    }
    return r->skeleton != NULL ? LMB_OK : malformed(r, &c, "a skeleton");
}

static void destroy_parts(const lmb_allocator *alloc, lmb_skeleton *skeleton, lmb_clip **clips,
                          uint32_t clip_count, lmb_packed_clip **packed, uint32_t packed_count)
{
    for (uint32_t k = 0; k < clip_count; ++k) {
        lmb_clip_destroy(clips[k]);
    }
    for (uint32_t k = 0; k < packed_count; ++k) {
        lmb_packed_clip_destroy(packed[k]);
    }
    lmbi_free(alloc, clips);
    lmbi_free(alloc, packed);
    lmb_skeleton_destroy(skeleton);
}

lmb_result lmb_limb_file_read(const void *bytes, size_t size, const lmb_allocator *alloc,
                              lmb_limb_file **out, lmb_error *error)
{
    reader r = {.alloc = alloc, .error = error};
    lmbi_arena_init(&r.arena, alloc);
    lmb_result result = read_file(&r, bytes, size);
    lmb_limb_file *limb = result == LMB_OK ? lmbi_alloc(alloc, sizeof(*limb)) : NULL;
    if (result == LMB_OK && limb == NULL) {
        result = lmbi_fail_memory(error);
    }
    lmbi_arena_free(&r.arena);
    if (result != LMB_OK) {
        destroy_parts(alloc, r.skeleton, r.clips, r.clip_count, r.packed, r.packed_count);
        return result;
    }
    *limb = (lmb_limb_file){.skeleton = r.skeleton,
                            .clip_count = r.clip_count,
                            .packed_count = r.packed_count,
                            .clips = r.clips,
                            .packed = r.packed,
                            .allocator = alloc != NULL ? *alloc : (lmb_allocator){0}};
    *out = limb;
    return LMB_OK;
}

void lmb_limb_file_destroy(lmb_limb_file *limb)
{
    if (limb != NULL) {
        const lmb_allocator allocator = limb->allocator;
        destroy_parts(&allocator, limb->skeleton, limb->clips, limb->clip_count, limb->packed,
                      limb->packed_count);
        lmbi_free(&allocator, limb);
    }
}
