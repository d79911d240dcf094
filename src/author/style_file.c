/// Styles as bytes: "LMBS", a version, the size, a CRC-32 of what follows, and in little endian
/// the report, the ownership, the offsets, the skeleton, the kinds and the network.
#include <math.h>
#include <string.h>

#include "author/style.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/inflate.h"

enum { VERSION = 2, HEAD = 16, QUARTERS = 4 };

// ---------------------------------------------------------------------------------------- writing

/// Writes into `bytes`, or only counts while that is NULL.
typedef struct sink {
    uint8_t *bytes;
    size_t at;
} sink;

static void put_u32(sink *s, uint32_t x)
{
    for (int k = 0; k < 4; ++k) {
        if (s->bytes) {
            s->bytes[s->at] = (uint8_t)(x >> (8 * k));
        }
        ++s->at;
    }
}

static void put_float(sink *s, float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    put_u32(s, bits);
}

static void put_vec3(sink *s, lmb_vec3 v)
{
    put_float(s, v.x);
    put_float(s, v.y);
    put_float(s, v.z);
}

/// A length byte and the letters.
static void put_name(sink *s, const char *name)
{
    const size_t length = strlen(name), kept = length < 255 ? length : 255;
    if (s->bytes) {
        s->bytes[s->at] = (uint8_t)kept;
        memcpy(s->bytes + s->at + 1, name, kept);
    }
    s->at += 1 + kept;
}

static void put_byte(sink *s, uint8_t x)
{
    if (s->bytes) {
        s->bytes[s->at] = x;
    }
    ++s->at;
}

static void put_report(sink *s, const lmb_style_report *r)
{
    put_u32(s, r->character_count);
    put_u32(s, r->better_count);
    put_u32(s, r->worse_count);
    put_u32(s, r->placed_count);
    put_u32(s, (uint32_t)((1 - r->trust) * QUARTERS + 0.5f));
    put_float(s, r->l1_before);
    put_float(s, r->l1_after);
    put_float(s, r->joints_before);
    put_float(s, r->joints_after);
}

static void put_skeleton(sink *s, const lmb_style *style)
{
    const lmb_skeleton *k = style->skeleton;
    put_u32(s, k->joint_count);
    for (uint32_t j = 0; j < k->joint_count; ++j) {
        const lmb_transform *t = &k->rest[j];
        put_u32(s, (uint32_t)k->parents[j]);
        put_vec3(s, t->translation);
        put_float(s, t->rotation.x);
        put_float(s, t->rotation.y);
        put_float(s, t->rotation.z);
        put_float(s, t->rotation.w);
        put_vec3(s, t->scale);
        put_byte(s, style->deforms[j]);
        put_name(s, k->names[j]);
    }
}

static void put_style(sink *s, const lmb_style *style)
{
    put_report(s, &style->report);
    for (int k = 0; k < LMB_OWNERSHIP_COEFFICIENTS; ++k) {
        put_float(s, style->ownership[k]);
    }
    for (int b = 0; b < LMB_HUMAN_BONE_COUNT; ++b) {
        put_vec3(s, style->offsets[b]);
    }
    put_skeleton(s, style);
    put_u32(s, style->shape.features);
    put_u32(s, style->member_count);
    put_u32(s, style->shape.kinds);
    for (uint32_t k = 0; k < style->shape.kinds; ++k) {
        put_u32(s, (uint32_t)style->bones[k]);
        put_name(s, style->kinds[k]);
    }
    for (uint32_t k = 0; k < style->member_count * style->network_size; ++k) {
        put_float(s, style->network[k]);
    }
}

lmb_result lmb_style_write(const lmb_style *style, const lmb_allocator *alloc, lmb_buffer *out,
                           lmb_error *error)
{
    sink s = {NULL, HEAD};
    put_style(&s, style);
    const size_t size = s.at;
    if (size > LMBI_STYLE_BYTES) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a style of at most 65536 bytes",
                         "one of %zu: names or joints are too many", size);
    }
    lmb_buffer made = {.data = lmbi_alloc(alloc, size), .size = size};
    if (!made.data) {
        return lmbi_fail_memory(error);
    }
    if (alloc) {
        made.allocator = *alloc;
    }
    s = (sink){made.data, HEAD};
    put_style(&s, style);
    s.at = 0;
    memcpy(made.data, "LMBS", 4);
    s.at = 4;
    put_u32(&s, VERSION);
    put_u32(&s, (uint32_t)size);
    put_u32(&s, lmbi_crc32(0, made.data + HEAD, size - HEAD));
    *out = made;
    return LMB_OK;
}

// ---------------------------------------------------------------------------------------- reading

/// Reads until it fails; then the byte is kept and zeros come.
typedef struct source {
    const uint8_t *bytes;
    size_t size, at;
    bool failed;
} source;

static bool has(source *s, size_t count)
{
    s->failed = s->failed || s->size - s->at < count;
    return !s->failed;
}

static uint32_t take_u32(source *s)
{
    uint32_t x = 0;
    for (int k = 0; has(s, 4 - (size_t)k) && k < 4; ++k) {
        x |= (uint32_t)s->bytes[s->at++] << (8 * k);
    }
    return x;
}

static uint8_t take_byte(source *s)
{
    return has(s, 1) ? s->bytes[s->at++] : 0;
}

/// A finite number.
static float take_float(source *s)
{
    const size_t at = s->at;
    const uint32_t bits = take_u32(s);
    float x;
    memcpy(&x, &bits, sizeof x);
    if (!isfinite(x)) {
        s->at = at;
        s->failed = true;
        return 0;
    }
    return x;
}

static lmb_vec3 take_vec3(source *s)
{
    const float x = take_float(s), y = take_float(s), z = take_float(s);
    return lmb_vec3_make(x, y, z);
}

static void take_name(source *s, char *out, size_t room)
{
    const size_t length = take_byte(s);
    s->failed = s->failed || length >= room;
    if (has(s, length)) {
        memcpy(out, s->bytes + s->at, length);
        s->failed = memchr(out, 0, length) != NULL;
        s->at += length;
        out[length] = 0;
    }
}

/// A number no larger than `most`.
static uint32_t take_count(source *s, uint32_t most)
{
    const uint32_t x = take_u32(s);
    s->failed = s->failed || x > most;
    return s->failed ? 0 : x;
}

/// In version 1 weights are all the model's, 0, or all heat's, 1.
static void take_report(source *s, uint32_t version, lmb_style_report *r)
{
    const uint32_t most = version == 1 ? 1 : QUARTERS;
    r->character_count = take_u32(s);
    r->better_count = take_u32(s);
    r->worse_count = take_u32(s);
    r->placed_count = take_u32(s);
    r->trust = 1 - (float)take_count(s, most) / (float)most;
    r->l1_before = take_float(s);
    r->l1_after = take_float(s);
    r->joints_before = take_float(s);
    r->joints_after = take_float(s);
}

/// A skeleton as it is read.
typedef struct read_joints {
    int32_t parents[LMBI_STYLE_JOINTS];
    lmb_transform rest[LMBI_STYLE_JOINTS];
    char names[LMBI_STYLE_JOINTS][256];
    const char *name_of[LMBI_STYLE_JOINTS];
} read_joints;

static void take_joint(source *s, read_joints *r, uint32_t j)
{
    const uint32_t up = take_u32(s);
    lmb_transform *t = &r->rest[j];
    s->failed = s->failed || (up != (uint32_t)LMB_NONE && up >= j);
    r->parents[j] = (int32_t)up;
    t->translation = take_vec3(s);
    t->rotation.x = take_float(s);
    t->rotation.y = take_float(s);
    t->rotation.z = take_float(s);
    t->rotation.w = take_float(s);
    t->scale = take_vec3(s);
    const float norm = t->rotation.x * t->rotation.x + t->rotation.y * t->rotation.y +
                       t->rotation.z * t->rotation.z + t->rotation.w * t->rotation.w;
    s->failed = s->failed || !(norm > 0.9f && norm < 1.1f);
}

static lmb_result take_skeleton(source *s, lmb_style *style, lmb_error *error)
{
    const uint32_t count = take_count(s, LMBI_STYLE_JOINTS);
    read_joints *r = lmbi_arena_array(&style->arena, 1, sizeof *r);
    style->deforms = lmbi_arena_array(&style->arena, LMBI_STYLE_JOINTS, 1);
    if (!r || !style->deforms) {
        return lmbi_fail_memory(error);
    }
    s->failed = s->failed || count == 0;
    for (uint32_t j = 0; j < count && !s->failed; ++j) {
        take_joint(s, r, j);
        style->deforms[j] = take_byte(s);
        s->failed = s->failed || style->deforms[j] > 1;
        take_name(s, r->names[j], sizeof r->names[j]);
        r->name_of[j] = r->names[j];
    }
    if (s->failed) {
        return LMB_OK;
    }
    style->report.joint_count = count;
    const lmb_skeleton def = {
        .joint_count = count, .parents = r->parents, .rest = r->rest, .names = r->name_of};
    return lmb_skeleton_create(&def, &style->allocator, &style->skeleton, error);
}

static lmb_result take_network(source *s, lmb_style *style, lmb_error *error)
{
    const uint32_t features = take_u32(s);
    style->member_count = take_count(s, LMBI_STYLE_MEMBERS);
    style->shape.kinds = take_count(s, LMBI_STYLE_JOINTS);
    s->failed = s->failed || features != LMB_WEIGHT_FEATURES || style->member_count == 0;
    style->shape.features = LMB_WEIGHT_FEATURES;
    style->kinds = lmbi_arena_array(&style->arena, LMBI_STYLE_JOINTS, sizeof *style->kinds);
    style->bones = lmbi_arena_array(&style->arena, LMBI_STYLE_JOINTS, sizeof *style->bones);
    style->network_size = lmbi_ranker_size(&style->shape);
    const size_t numbers = (size_t)style->member_count * style->network_size;
    style->network = lmbi_arena_array(&style->arena, numbers, sizeof(float));
    if (!style->kinds || !style->bones || !style->network) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t k = 0; k < style->shape.kinds && !s->failed; ++k) {
        const uint32_t bone = take_u32(s);
        s->failed =
            s->failed || (bone != (uint32_t)LMB_NONE && bone >= (uint32_t)LMB_HUMAN_BONE_COUNT);
        style->bones[k] = (int32_t)bone;
        take_name(s, style->kinds[k], sizeof style->kinds[k]);
    }
    for (size_t k = 0; k < numbers && !s->failed; ++k) {
        style->network[k] = take_float(s);
    }
    return LMB_OK;
}

static lmb_result take_style(source *s, uint32_t version, lmb_style *style, lmb_error *error)
{
    take_report(s, version, &style->report);
    for (int k = 0; k < LMB_OWNERSHIP_COEFFICIENTS; ++k) {
        style->ownership[k] = take_float(s);
    }
    for (int b = 0; b < LMB_HUMAN_BONE_COUNT; ++b) {
        style->offsets[b] = take_vec3(s);
    }
    lmb_result result = take_skeleton(s, style, error);
    if (result == LMB_OK && !s->failed) {
        result = take_network(s, style, error);
    }
    if (result == LMB_OK && (s->failed || s->at != s->size)) {
        result = lmbi_fail_byte(error, LMB_ERROR_MALFORMED, s->at, "a style", "%zu bytes", s->size);
    }
    return result;
}

/// The head of a style: what it says of the bytes that follow.
static lmb_result check_head(source *s, uint32_t *out_version, lmb_error *error)
{
    if (s->size < HEAD || memcmp(s->bytes, "LMBS", 4) != 0) {
        return lmbi_fail_byte(error, LMB_ERROR_MALFORMED, 0, "a style (LMBS)", "%.4s",
                              s->size < 4 ? "" : (const char *)s->bytes);
    }
    s->at = 4;
    const uint32_t version = take_u32(s), size = take_u32(s), crc = take_u32(s);
    if (version == 0 || version > VERSION) {
        return lmbi_fail_byte(error, LMB_ERROR_UNSUPPORTED, 4, "a style of version 1 or 2",
                              "version %u", version);
    }
    *out_version = version;
    if (size != s->size || size > LMBI_STYLE_BYTES) {
        return lmbi_fail_byte(error, LMB_ERROR_MALFORMED, 8, "as many bytes as the head says",
                              "%zu, the head says %u", s->size, size);
    }
    if (crc != lmbi_crc32(0, s->bytes + HEAD, s->size - HEAD)) {
        return lmbi_fail_byte(error, LMB_ERROR_MALFORMED, 12, "the bytes that were written",
                              "others, by their checksum");
    }
    return LMB_OK;
}

lmb_result lmb_style_read(const void *bytes, size_t size, const lmb_allocator *alloc,
                          lmb_style **out, lmb_error *error)
{
    source s = {.bytes = bytes, .size = size};
    lmb_style *style = NULL;
    uint32_t version = VERSION;
    lmb_result result = check_head(&s, &version, error);
    if (result == LMB_OK) {
        result = lmbi_style_new(alloc, &style, error);
    }
    if (result == LMB_OK) {
        result = take_style(&s, version, style, error);
    }
    if (result == LMB_OK) {
        *out = style;
    } else {
        lmb_style_destroy(style);
    }
    return result;
}
