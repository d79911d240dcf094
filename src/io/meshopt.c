// Unpacking what meshoptimizer packed: bitstreams and filters of KHR_meshopt_compression (appendices
// A and B); version 0 of the attributes is that of EXT_meshopt_compression.
#include "io/meshopt.h"

#include <string.h>

#include "io/bytes.h"
#include "io/meshopt_filter.h"

bool lmbi_meshopt_is_valid(const lmbi_meshopt_array *a)
{
    if (a->mode != LMBI_MESHOPT_ATTRIBUTES) {
        return (a->stride == 2 || a->stride == 4) && a->filter == LMBI_MESHOPT_NONE &&
               (a->mode == LMBI_MESHOPT_INDICES || a->count % 3 == 0);
    }
    const bool small = a->stride == 4 || a->stride == 8;
    switch (a->filter) {
    case LMBI_MESHOPT_OCTAHEDRAL:
    case LMBI_MESHOPT_COLOR:
        return small;
    case LMBI_MESHOPT_QUATERNION:
        return a->stride == 8;
    default:
        return a->stride > 0 && a->stride <= 256 && a->stride % 4 == 0;
    }
}

typedef struct packed {
    const uint8_t *at, *end; ///< what is left, without the stream's tail
} packed;

static const uint8_t *take_bytes(packed *in, size_t count)
{
    if ((size_t)(in->end - in->at) < count) {
        return NULL;
    }
    in->at += count;
    return in->at - count;
}

// -------------------------------------------------------------------------------------- attributes

enum { GROUP = 16, MOST_ELEMENTS = 256, CHANNEL = 4 };

/// The bits a delta of a group can have, by the group's header: two sets for version 1, and that of
/// version 0.
static const uint8_t delta_bits[3][4] = {{0, 1, 2, 4}, {1, 2, 4, 8}, {0, 2, 4, 8}};
enum { ALL_ZERO = 2, VERBATIM = 3, VERSION_0 = 2 };

/// A group's deltas of `bits` bits: 1 from the lowest bit of a byte on, 2 and 4 from the highest. The
/// largest of them says that a whole byte follows behind the group.
static bool unpack_group(packed *in, uint32_t bits, uint8_t *out)
{
    if (bits == 0) {
        memset(out, 0, GROUP);
        return true;
    }
    const uint8_t *data = take_bytes(in, GROUP / 8 * bits);
    if (data == NULL) {
        return false;
    }
    if (bits == 8) {
        memcpy(out, data, GROUP);
        return true;
    }
    const uint32_t mask = (1u << bits) - 1;
    for (uint32_t k = 0; k < GROUP; ++k) {
        const uint32_t bit = k * bits % 8;
        const uint32_t value = data[k * bits / 8] >> (bits == 1 ? bit : 8 - bits - bit) & mask;
        out[k] = (uint8_t)value;
        if (value == mask) {
            const uint8_t *whole = take_bytes(in, 1);
            if (whole == NULL) {
                return false;
            }
            out[k] = *whole;
        }
    }
    return true;
}

/// One byte of each of a block's elements, as deltas.
static bool unpack_plane(packed *in, const uint8_t *bits, uint32_t groups, uint8_t *out)
{
    const uint8_t *headers = take_bytes(in, (groups + 3) / 4);
    bool fine = headers != NULL;
    for (uint32_t k = 0; fine && k < groups; ++k) {
        fine = unpack_group(in, bits[headers[k / 4] >> 2 * (k % 4) & 3], out + (size_t)GROUP * k);
    }
    return fine;
}

static bool unpack_controlled(packed *in, uint32_t control, uint32_t count, uint8_t *out)
{
    if (control == ALL_ZERO) {
        memset(out, 0, count);
        return true;
    }
    if (control == VERBATIM) {
        const uint8_t *data = take_bytes(in, count);
        if (data != NULL) {
            memcpy(out, data, count);
        }
        return data != NULL;
    }
    return unpack_plane(in, delta_bits[control], (count + GROUP - 1) / GROUP, out);
}

static uint32_t unzigzag(uint32_t value)
{
    return (value >> 1) ^ (0u - (value & 1));
}

/// Adds the deltas of four bytes to the element before, by the channel's mode.
static void add_deltas(uint32_t mode, const uint8_t delta[CHANNEL], uint8_t element[CHANNEL])
{
    if (mode == 0) {
        for (int k = 0; k < CHANNEL; ++k) {
            element[k] = (uint8_t)(element[k] + unzigzag(delta[k]));
        }
    } else if (mode == 1) {
        for (int k = 0; k < CHANNEL; k += 2) {
            const uint32_t sum = lmbi_load_u16(element + k) + unzigzag(lmbi_load_u16(delta + k));
            element[k] = (uint8_t)sum;
            element[k + 1] = (uint8_t)(sum >> 8);
        }
    } else {
        const uint32_t shift = mode >> 4, d = lmbi_load_u32(delta);
        const uint32_t value = lmbi_load_u32(element) ^ (d << shift | d >> ((32 - shift) & 31));
        for (int k = 0; k < CHANNEL; ++k) {
            element[k] = (uint8_t)(value >> 8 * k);
        }
    }
}

/// Bytes, 16-bit integers, or an exclusive or of 32 bits that are rotated by the upper half.
static bool is_channel_mode(uint32_t mode)
{
    return mode == 0 || mode == 1 || (mode & 15) == 2;
}

/// A block of elements; `last` is the element before and becomes the block's last one.
static bool unpack_block(packed *in, const lmbi_meshopt_array *a, bool first_version,
                         const uint8_t *modes, uint32_t count, uint8_t *last, uint8_t *out)
{
    uint8_t planes[CHANNEL][MOST_ELEMENTS];
    const uint8_t *controls = first_version ? NULL : take_bytes(in, a->stride / CHANNEL);
    if (!first_version && controls == NULL) {
        return false;
    }
    for (uint32_t at = 0; at < a->stride; at += CHANNEL) {
        for (uint32_t k = 0; k < CHANNEL; ++k) {
            const uint32_t groups = (count + GROUP - 1) / GROUP;
            const bool fine =
                first_version
                    ? unpack_plane(in, delta_bits[VERSION_0], groups, planes[k])
                    : unpack_controlled(in, controls[at / CHANNEL] >> 2 * k & 3, count, planes[k]);
            if (!fine) {
                return false;
            }
        }
        for (uint32_t i = 0; i < count; ++i) {
            const uint8_t delta[CHANNEL] = {planes[0][i], planes[1][i], planes[2][i], planes[3][i]};
            add_deltas(first_version ? 0 : modes[at / CHANNEL], delta, last + at);
            memcpy(out + (size_t)i * a->stride + at, last + at, CHANNEL);
        }
    }
    return true;
}

static bool unpack_attributes(const lmbi_meshopt_array *a, const uint8_t *data, size_t size,
                              uint8_t *out)
{
    if (size == 0 || (data[0] != 0xa0 && data[0] != 0xa1)) {
        return false;
    }
    const bool first_version = data[0] == 0xa0;
    const size_t mode_count = first_version ? 0 : a->stride / CHANNEL,
                 used = a->stride + mode_count;
    const size_t least = first_version ? 32 : 24, tail = used < least ? least : used;
    if (size < 1 + tail) {
        return false;
    }
    const uint8_t *modes = data + size - mode_count;
    for (size_t k = 0; k < mode_count; ++k) {
        if (!is_channel_mode(modes[k])) {
            return false;
        }
    }
    uint8_t last[MOST_ELEMENTS];
    memcpy(last, data + size - used, a->stride);
    packed in = {data + 1, data + size - tail};
    uint32_t most = 8192 / a->stride & ~15u;
    most = most < MOST_ELEMENTS ? most : MOST_ELEMENTS;
    for (uint32_t at = 0; at < a->count; at += most) {
        const uint32_t left = a->count - at;
        if (!unpack_block(&in, a, first_version, modes, left < most ? left : most, last,
                          out + (size_t)at * a->stride)) {
            return false;
        }
    }
    return in.at == in.end;
}

// ----------------------------------------------------------------------------------------- indices

/// Seven bits a byte, lowest first, as long as the eighth is set; at most five bytes.
static bool take_varint(packed *in, uint32_t *out)
{
    *out = 0;
    for (uint32_t shift = 0; shift < 35; shift += 7) {
        const uint8_t *byte = take_bytes(in, 1);
        if (byte == NULL) {
            return false;
        }
        *out |= (uint32_t)(*byte & 127) << shift;
        if (*byte < 128) {
            return true;
        }
    }
    return false;
}

static void put_index(uint32_t stride, uint32_t at, uint32_t index, uint8_t *out)
{
    for (uint32_t k = 0; k < stride; ++k) {
        out[(size_t)at * stride + k] = (uint8_t)(index >> 8 * k);
    }
}

static bool unpack_indices(const lmbi_meshopt_array *a, const uint8_t *data, size_t size,
                           uint8_t *out)
{
    if (size < 1 + 4 || data[0] != 0xd1) {
        return false;
    }
    packed in = {data + 1, data + size - 4};
    uint32_t last[2] = {0, 0}, value = 0;
    for (uint32_t k = 0; k < a->count; ++k) {
        if (!take_varint(&in, &value)) {
            return false;
        }
        last[value & 1] += unzigzag(value >> 1);
        put_index(a->stride, k, last[value & 1], out);
    }
    return in.at == in.end;
}

// --------------------------------------------------------------------------------------- triangles

/// The vertices or edges that were met last.
typedef struct recent {
    uint32_t items[16][2];
    uint32_t pushed;
} recent;

typedef struct triangle_reader {
    packed in;
    recent edges, vertices;
    uint32_t next; ///< the lowest index that was not met yet
    uint32_t last; ///< the last one that was stored
    bool failed;
} triangle_reader;

static void push(recent *r, uint32_t a, uint32_t b)
{
    uint32_t *item = r->items[r->pushed++ % 16];
    item[0] = a;
    item[1] = b;
}

/// The one that was pushed `age` pushes before the last.
static const uint32_t *look_back(triangle_reader *t, const recent *r, uint32_t age)
{
    t->failed = t->failed || age >= r->pushed;
    return r->items[(r->pushed - 1 - age) % 16];
}

static uint32_t take_index(triangle_reader *t)
{
    uint32_t value = 0;
    t->failed = t->failed || !take_varint(&t->in, &value);
    t->last += unzigzag(value);
    return t->last;
}

/// A corner by half a byte: 0 the next new vertex, 15 one that is stored, else one of the last.
static uint32_t take_corner(triangle_reader *t, uint32_t half)
{
    return half == 0    ? t->next++
           : half == 15 ? take_index(t)
                        : look_back(t, &t->vertices, half - 1)[0];
}

/// A triangle on an edge that was met: the third corner by the lower half of the code.
static void on_edge(triangle_reader *t, uint32_t code, uint32_t corners[3])
{
    const uint32_t *edge = look_back(t, &t->edges, code >> 4), how = code & 15;
    corners[0] = edge[0];
    corners[1] = edge[1];
    corners[2] = how == 0    ? t->next++
                 : how < 13  ? look_back(t, &t->vertices, how)[0]
                 : how == 13 ? --t->last
                 : how == 14 ? ++t->last
                             : take_index(t);
    push(&t->edges, corners[2], corners[1]);
    push(&t->edges, corners[0], corners[2]);
    if (how == 0 || how >= 13) {
        push(&t->vertices, corners[2], 0);
    }
}

/// A triangle on no edge: its corners by the halves of a byte, of the table or of the data.
static void on_no_edge(triangle_reader *t, uint32_t code, const uint8_t *table, uint32_t corners[3])
{
    uint32_t halves = table[code & 15], first = 0;
    if (code >= 0xfe) {
        const uint8_t *stored = take_bytes(&t->in, 1);
        t->failed = t->failed || stored == NULL;
        halves = stored ? *stored : 0;
        first = code == 0xfe ? 0 : 15;
        t->next = halves == 0 ? 0 : t->next;
    }
    const uint32_t second = halves >> 4, third = halves & 15;
    corners[0] = take_corner(t, first);
    corners[1] = take_corner(t, second);
    corners[2] = take_corner(t, third);
    push(&t->edges, corners[1], corners[0]);
    push(&t->edges, corners[2], corners[1]);
    push(&t->edges, corners[0], corners[2]);
    push(&t->vertices, corners[0], 0);
    if (second == 0 || second == 15) {
        push(&t->vertices, corners[1], 0);
    }
    if (third == 0 || third == 15) {
        push(&t->vertices, corners[2], 0);
    }
}

static bool is_corner_table(const uint8_t *table)
{
    bool fine = table[14] == 0 && table[15] == 0;
    for (int k = 0; k < 14; ++k) {
        fine = fine && table[k] >> 4 != 15 && (table[k] & 15) != 15;
    }
    return fine;
}

static bool unpack_triangles(const lmbi_meshopt_array *a, const uint8_t *data, size_t size,
                             uint8_t *out)
{
    const uint32_t count = a->count / 3;
    if (size < (size_t)count + 1 + 16 || data[0] != 0xe1 || !is_corner_table(data + size - 16)) {
        return false;
    }
    triangle_reader t = {.in = {data + 1 + count, data + size - 16}};
    for (uint32_t k = 0; k < count && !t.failed; ++k) {
        const uint32_t code = data[1 + k];
        uint32_t corners[3];
        if (code < 0xf0) {
            on_edge(&t, code, corners);
        } else {
            on_no_edge(&t, code, data + size - 16, corners);
        }
        for (uint32_t c = 0; c < 3; ++c) {
            put_index(a->stride, 3 * k + c, corners[c], out);
        }
    }
    return !t.failed && t.in.at == t.in.end;
}

bool lmbi_meshopt_unpack(const lmbi_meshopt_array *a, const uint8_t *data, size_t size,
                         uint8_t *out)
{
    switch (a->mode) {
    case LMBI_MESHOPT_TRIANGLES:
        return unpack_triangles(a, data, size, out);
    case LMBI_MESHOPT_INDICES:
        return unpack_indices(a, data, size, out);
    default:
        if (!unpack_attributes(a, data, size, out)) {
            return false;
        }
        lmbi_meshopt_unfilter(a, out);
        return true;
    }
}
