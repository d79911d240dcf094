#include <math.h>
#include <string.h>

#include "io/bytes.h"
#include "io/mocap/c3d.h"

// ---------------------------------------------------------------------------------------- numbers

uint32_t lmbi_c3d_u16(const lmbi_c3d *c3d, const uint8_t *at)
{
    return (uint32_t)lmbi_load_bytes(at, 2, c3d->machine == LMBI_C3D_MIPS);
}

int32_t lmbi_c3d_i16(const lmbi_c3d *c3d, const uint8_t *at)
{
    return (int16_t)lmbi_c3d_u16(c3d, at);
}

/// The IEEE bits of a VAX F float: its 16-bit words are swapped, and its exponent is biased by 129
/// instead of 127. Subnormal results become 0.
static uint32_t bits_of_vax(const uint8_t *at)
{
    const uint32_t bits =
        (uint32_t)at[1] << 24 | (uint32_t)at[0] << 16 | (uint32_t)at[3] << 8 | at[2];
    return (bits >> 23 & 255) > 2 ? bits - (UINT32_C(2) << 23) : 0;
}

float lmbi_c3d_float(const lmbi_c3d *c3d, const uint8_t *at)
{
    return lmbi_float_of_bits(c3d->machine == LMBI_C3D_DEC    ? bits_of_vax(at)
                              : c3d->machine == LMBI_C3D_MIPS ? lmbi_load_u32_big(at)
                                                              : lmbi_load_u32(at));
}

// ------------------------------------------------------------------------------------- parameters

/// The record of a group or parameter: its header, and the bytes after its name.
typedef struct record {
    lmbi_word name;
    int group;           ///< negative: this defines the group
    const uint8_t *body; ///< after the offset to the next record
    const uint8_t *next; ///< NULL after the last one
    bool astray;         ///< its offset leads beyond the parameters
} record;

/// The end of the parameters: the block of the first frame, where that comes after them.
static const uint8_t *params_end(const lmbi_c3d *c3d)
{
    const size_t frames_at = (size_t)lmbi_c3d_u16(c3d, c3d->bytes + 16) * LMBI_C3D_BLOCK;
    return frames_at > (size_t)c3d->bytes[0] * LMBI_C3D_BLOCK &&
                   frames_at - LMBI_C3D_BLOCK < c3d->size
               ? c3d->bytes + frames_at - LMBI_C3D_BLOCK
               : c3d->bytes + c3d->size;
}

/// Reads the record at the cursor. False at the end of the list. Some writers leave an offset in
/// the last record that leads beyond the parameters.
static bool read_record(const lmbi_c3d *c3d, const uint8_t **at, record *out, lmb_error *error,
                        lmb_result *result)
{
    const uint8_t *end = c3d->bytes + c3d->size, *p = *at;
    *result = LMB_OK;
    if (end - p < 2 || p[0] == 0 || p[1] == 0) {
        return false;
    }
    const int length = (int8_t)p[0] < 0 ? -(int8_t)p[0] : p[0]; // negative: locked
    if (end - p < 2 + length + 2) {
        *result = lmbi_fail_byte(error, LMB_ERROR_MALFORMED, (size_t)(p - c3d->bytes),
                                 "a parameter inside the file", "one that goes beyond its end");
        return false;
    }
    const uint8_t *offset_at = p + 2 + length;
    const uint32_t offset = lmbi_c3d_u16(c3d, offset_at);
    *out = (record){.name = {(const char *)p + 2, (size_t)length},
                    .group = (int8_t)p[1],
                    .body = offset_at + 2};
    if (offset != 0) {
        if (offset < 2) {
            *result = lmbi_fail_byte(error, LMB_ERROR_MALFORMED, (size_t)(offset_at - c3d->bytes),
                                     "the offset of the next parameter", "%u", offset);
            return false;
        }
        out->astray = (ptrdiff_t)offset >= params_end(c3d) - offset_at;
        out->next = out->astray ? NULL : offset_at + offset;
    }
    return true;
}

static lmb_result read_param(const lmbi_c3d *c3d, const record *r, lmbi_c3d_param *out,
                             lmb_error *error)
{
    const uint8_t *end = c3d->bytes + c3d->size, *p = r->body;
    const size_t offset_in_file = (size_t)(p - c3d->bytes);
    if (end - p < 2 || end - p < 2 + p[1]) {
        return lmbi_fail_byte(error, LMB_ERROR_MALFORMED, offset_in_file,
                              "a parameter inside the file", "one that goes beyond its end");
    }
    const int type = (int8_t)p[0], dimensions = p[1];
    if (type != -1 && type != 1 && type != 2 && type != 4) {
        return lmbi_fail_byte(error, LMB_ERROR_MALFORMED, offset_in_file,
                              "a parameter of type -1, 1, 2 or 4", "%d", type);
    }
    uint64_t count = 1;
    for (int d = 0; d < dimensions && count <= c3d->size; ++d) {
        count *= p[2 + d];
    }
    p += 2 + dimensions;
    if (count * (uint64_t)(type < 0 ? 1 : type) > (uint64_t)(end - p)) {
        return lmbi_fail_byte(error, LMB_ERROR_MALFORMED, offset_in_file, "values inside the file",
                              "%llu of them", (unsigned long long)count);
    }
    out->name = r->name;
    out->type = type;
    out->count = (uint32_t)count;
    out->first = dimensions > 0 ? r->body[2] : 1;
    out->data = p;
    return LMB_OK;
}

static const uint8_t *params_begin(const lmbi_c3d *c3d)
{
    return c3d->bytes + ((size_t)c3d->bytes[0] - 1) * LMBI_C3D_BLOCK + 4;
}

/// Lists the parameters with the numbers of their groups. With `params` NULL it only counts them.
static lmb_result list_params(const lmbi_c3d *c3d, lmbi_c3d_param *params, int *groups,
                              uint32_t *count, lmb_notes *notes, lmb_error *error)
{
    const uint8_t *at = params_begin(c3d);
    record r;
    lmb_result result = LMB_OK;
    *count = 0;
    while (at != NULL && read_record(c3d, &at, &r, error, &result)) {
        lmbi_c3d_param param = {0};
        result = r.group > 0 ? read_param(c3d, &r, &param, error) : LMB_OK;
        if (result != LMB_OK) {
            return result;
        }
        if (r.group > 0 && params != NULL) {
            params[*count] = param;
            groups[*count] = r.group;
        }
        *count += r.group > 0;
        if (r.astray && notes != NULL) {
            lmbi_note(notes, 0, "parameter %.*s leads beyond the others: it was taken as the last",
                      (int)r.name.size, r.name.at);
        }
        at = r.next;
    }
    return result;
}

/// Resolves group numbers to names. Groups may be defined after their parameters.
static void name_groups(const lmbi_c3d *c3d, lmbi_c3d_param *params, const int *groups,
                        uint32_t count)
{
    lmbi_word names[129] = {0};
    const uint8_t *at = params_begin(c3d);
    record r;
    lmb_result result;
    while (at != NULL && read_record(c3d, &at, &r, NULL, &result)) {
        if (r.group < 0 && names[-r.group].at == NULL) {
            names[-r.group] = r.name;
        }
        at = r.next;
    }
    for (uint32_t k = 0; k < count; ++k) {
        params[k].group = names[groups[k]];
    }
}

/// Checks the key, and finds where the parameters begin and their number format.
static lmb_result read_head(lmbi_c3d *c3d, lmb_notes *notes, lmb_error *error)
{
    if (c3d->size < LMBI_C3D_BLOCK || c3d->bytes[1] != 0x50) {
        return lmbi_fail_byte(error, LMB_ERROR_MALFORMED, c3d->size < 2 ? c3d->size : 1,
                              "a C3D file: a header of 512 bytes with the key 80",
                              "%zu bytes with the key %u", c3d->size,
                              c3d->size > 1 ? c3d->bytes[1] : 0u);
    }
    const size_t at = ((size_t)c3d->bytes[0] - 1) * LMBI_C3D_BLOCK;
    if (c3d->bytes[0] < 2 || at + LMBI_C3D_BLOCK > c3d->size) {
        return lmbi_fail_byte(error, LMB_ERROR_MALFORMED, 0,
                              "the block of the parameters, inside the file", "block %u",
                              c3d->bytes[0]);
    }
    const uint8_t machine = c3d->bytes[at + 3];
    c3d->machine = LMBI_C3D_INTEL;
    if (machine >= LMBI_C3D_INTEL && machine <= LMBI_C3D_MIPS) {
        c3d->machine = (lmbi_c3d_machine)machine;
    } else {
        lmbi_note(notes, 0, "the file names no kind of machine it knows (%u): Intel is taken",
                  machine);
    }
    return LMB_OK;
}

lmb_result lmbi_c3d_open(lmbi_c3d *c3d, lmbi_arena *arena, const void *bytes, size_t size,
                         lmb_notes *notes, lmb_error *error)
{
    *c3d = (lmbi_c3d){.bytes = bytes, .size = size};
    lmb_result result = read_head(c3d, notes, error);
    uint32_t count = 0;
    if (result == LMB_OK) {
        result = list_params(c3d, NULL, NULL, &count, notes, error);
    }
    if (result != LMB_OK) {
        return result;
    }
    c3d->params = lmbi_arena_array(arena, count, sizeof *c3d->params);
    int *groups = lmbi_arena_array(arena, count, sizeof *groups);
    if (c3d->params == NULL || groups == NULL) {
        return lmbi_fail_memory(error);
    }
    list_params(c3d, c3d->params, groups, &c3d->param_count, NULL, NULL);
    name_groups(c3d, c3d->params, groups, count);
    return LMB_OK;
}

// ----------------------------------------------------------------------------------------- asking

const lmbi_c3d_param *lmbi_c3d_find(const lmbi_c3d *c3d, const char *group, const char *name)
{
    for (uint32_t k = 0; k < c3d->param_count; ++k) {
        const lmbi_c3d_param *param = &c3d->params[k];
        if (lmbi_word_is(param->group, group) && lmbi_word_is(param->name, name)) {
            return param;
        }
    }
    return NULL;
}

double lmbi_c3d_number(const lmbi_c3d *c3d, const lmbi_c3d_param *param, uint32_t k, bool positive,
                       double otherwise)
{
    if (param == NULL || k >= param->count || param->type < 0) {
        return otherwise;
    }
    const uint8_t *at = param->data + (size_t)k * (size_t)param->type;
    if (param->type == 1) {
        return at[0];
    }
    if (param->type == 2) {
        return positive ? (double)lmbi_c3d_u16(c3d, at) : (double)lmbi_c3d_i16(c3d, at);
    }
    const double value = (double)lmbi_c3d_float(c3d, at);
    return isfinite(value) ? value : otherwise;
}

uint32_t lmbi_c3d_text_count(const lmbi_c3d_param *param)
{
    return param == NULL || param->type != -1 || param->first == 0 ? 0
                                                                   : param->count / param->first;
}

lmbi_word lmbi_c3d_text(const lmbi_c3d_param *param, uint32_t k)
{
    if (k >= lmbi_c3d_text_count(param)) {
        return (lmbi_word){"", 0};
    }
    lmbi_word word = {(const char *)param->data + (size_t)k * param->first, param->first};
    while (word.size > 0 && (uint8_t)word.at[0] <= ' ') {
        ++word.at;
        --word.size;
    }
    const char *end = memchr(word.at, '\0', word.size); // what follows is left from an older text
    word.size = end ? (size_t)(end - word.at) : word.size;
    while (word.size > 0 && ((uint8_t)word.at[word.size - 1] <= ' ')) {
        --word.size;
    }
    return word;
}
