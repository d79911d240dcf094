#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "io/bytes.h"
#include "io/surface/obj.h"
#include "io/surface/surface.h"

typedef struct stl_reader {
    lmbi_obj *obj;
    lmb_error *error;
    uint32_t *slots; ///< hash table: position index + 1; 0 is empty
    size_t slot_count;
} stl_reader;

static size_t find_slot(const stl_reader *r, lmb_vec3 p)
{
    size_t slot = (size_t)lmbi_hash(LMBI_HASH_SEED, &p, sizeof p) & (r->slot_count - 1);
    while (r->slots[slot] && memcmp(&r->obj->positions[r->slots[slot] - 1], &p, sizeof p) != 0) {
        slot = (slot + 1) & (r->slot_count - 1);
    }
    return slot;
}

static bool rehash(stl_reader *r)
{
    const size_t count = r->slot_count ? r->slot_count * 2 : 1024;
    uint32_t *slots = lmbi_alloc_array(r->obj->alloc, count, sizeof *slots);
    if (slots == NULL) {
        return false;
    }
    lmbi_free(r->obj->alloc, r->slots);
    r->slots = slots;
    r->slot_count = count;
    for (size_t i = 0; i < r->obj->position_count; ++i) {
        slots[find_slot(r, r->obj->positions[i])] = (uint32_t)i + 1;
    }
    return true;
}

/// Adds a corner. The format has no indices: equal positions become one vertex.
static bool add_corner(stl_reader *r, lmb_vec3 p)
{
    lmbi_obj *obj = r->obj;
    p = lmb_vec3_make(p.x + 0.0f, p.y + 0.0f, p.z + 0.0f); // -0 is 0
    if (obj->position_count * 2 >= r->slot_count && !rehash(r)) {
        return false;
    }
    const size_t slot = find_slot(r, p);
    if (r->slots[slot] == 0) {
        lmb_vec3 *added = lmbi_obj_append(obj, &obj->positions, &obj->position_count,
                                          &obj->position_capacity, sizeof *added);
        if (added == NULL) {
            return false;
        }
        *added = p;
        r->slots[slot] = (uint32_t)obj->position_count;
    }
    return lmbi_obj_add_corner(obj, (lmbi_obj_corner){(int32_t)r->slots[slot] - 1, -1, -1});
}

static bool end_facet(stl_reader *r, size_t corners, int32_t group)
{
    const lmbi_obj_run run = {LMB_TRIANGLES, group, -1, false, false};
    return lmbi_obj_choose_run(r->obj, run) &&
           lmbi_obj_add_element(r->obj, r->obj->corner_count - corners, NULL);
}

/// Reads binary STL: 80 bytes of header, a count, and 50 bytes a triangle: normal, three corners,
/// an attribute.
static lmb_result read_binary(stl_reader *r, const uint8_t *bytes, size_t size)
{
    if (size < 84) {
        return lmbi_fail_byte(r->error, LMB_ERROR_MALFORMED, size,
                              "a binary STL of 84 bytes or more, or one that begins with solid",
                              "%zu bytes", size);
    }
    const uint32_t count = lmbi_load_u32(bytes + 80);
    if (count == 0 || count > (size - 84) / 50) {
        return lmbi_fail_byte(r->error, LMB_ERROR_MALFORMED, 80,
                              "a count of triangles that the file holds", "%u", count);
    }
    for (uint32_t i = 0; i < count; ++i) {
        for (int corner = 0; corner < 3; ++corner) {
            const size_t at = 84 + 50 * (size_t)i + 12 + 12 * (size_t)corner;
            const lmb_vec3 p = {lmbi_load_f32(bytes + at), lmbi_load_f32(bytes + at + 4),
                                lmbi_load_f32(bytes + at + 8)};
            if (!lmb_vec3_is_finite(p)) {
                return lmbi_fail_byte(r->error, LMB_ERROR_MALFORMED, at, "a finite position",
                                      "%g %g %g", (double)p.x, (double)p.y, (double)p.z);
            }
            if (!add_corner(r, p)) {
                return lmbi_fail_memory(r->error);
            }
        }
        if (!end_facet(r, 3, -1)) {
            return lmbi_fail_memory(r->error);
        }
    }
    return LMB_OK;
}

static lmb_result read_vertex(stl_reader *r, lmbi_scan *scan)
{
    float v[3];
    for (int i = 0; i < 3; ++i) {
        double value = 0;
        lmbi_scan_space(scan);
        lmbi_scan before = *scan;
        if (!lmbi_scan_number(scan, &value) || !isfinite((float)value)) {
            return lmbi_scan_fail(&before, r->error, "three finite numbers of a vertex");
        }
        v[i] = (float)value;
    }
    return add_corner(r, lmb_vec3_make(v[0], v[1], v[2])) ? LMB_OK : lmbi_fail_memory(r->error);
}

/// Reads text STL: solid NAME, then facets of three corners or more. Only "vertex" and the closing
/// words matter.
static lmb_result read_text(stl_reader *r, lmbi_scan scan)
{
    lmb_result result = LMB_OK;
    size_t corners = 0;
    int32_t group = -1;
    while (result == LMB_OK && (lmbi_scan_space(&scan), !lmbi_scan_done(&scan))) {
        lmbi_scan before = scan;
        const lmbi_word word = lmbi_scan_word(&scan);
        if (lmbi_word_is(word, "vertex")) {
            result = read_vertex(r, &scan);
            ++corners;
        } else if (lmbi_word_is(word, "endloop") && corners >= 3) {
            result = end_facet(r, corners, group) ? LMB_OK : lmbi_fail_memory(r->error);
            corners = 0;
        } else if (lmbi_word_is(word, "solid") && corners == 0) {
            const lmbi_word name = lmbi_scan_rest(&scan);
            group = name.size ? lmbi_names_add(&r->obj->groups, name) : -1;
        } else if (lmbi_word_is(word, "facet") && corners == 0) {
            lmbi_scan_next_line(&scan); // normals are computed from the corners
        } else if (lmbi_word_is(word, "endsolid") && corners == 0) {
            lmbi_scan_next_line(&scan);
        } else if (!lmbi_word_is(word, "outer") && !lmbi_word_is(word, "loop") &&
                   !lmbi_word_is(word, "endfacet")) {
            return lmbi_scan_fail(&before, r->error,
                                  corners < 3 ? "a facet of three vertices" : "vertex or endloop");
        }
    }
    if (result == LMB_OK && (corners || r->obj->element_count == 0)) {
        return lmbi_scan_fail(&scan, r->error, "a facet of three vertices");
    }
    return result;
}

/// Goes to the line that begins with "solid": other words may stand before it. False in binary data,
/// whose zero bytes end the search.
static bool find_solid(stl_reader *r, lmbi_scan *scan)
{
    lmbi_scan line = *scan;
    bool passed = false;
    const char *zero = memchr(scan->at, 0, (size_t)(scan->end - scan->at));
    line.end = zero ? zero : scan->end;
    while (lmbi_scan_space(&line), !lmbi_scan_done(&line)) {
        lmbi_scan word = line;
        if (lmbi_word_is(lmbi_scan_word(&word), "solid")) {
            if (passed) {
                lmbi_note(r->obj->notes, line.line, "words before solid were passed over");
            }
            line.end = scan->end;
            *scan = line;
            return true;
        }
        passed = true;
        lmbi_scan_next_line(&line);
    }
    return false;
}

static lmb_result read_either(stl_reader *r, const void *bytes, size_t size)
{
    const uint8_t *b = bytes;
    lmbi_scan scan;
    lmb_result result = lmbi_text_open(&scan, bytes, size, r->error);
    if (result != LMB_OK) {
        return result;
    }
    // Some binary files begin with "solid" too: the count decides.
    const bool sizes_fit =
        size >= 84 && (size - 84) % 50 == 0 && (size - 84) / 50 == lmbi_load_u32(b + 80);
    return !sizes_fit && find_solid(r, &scan) ? read_text(r, scan) : read_binary(r, b, size);
}

lmb_result lmbi_stl_read(const void *bytes, size_t size, const lmbi_mesh_read_opts *opts,
                         const lmb_allocator *alloc, lmb_character **out, lmb_error *error)
{
    lmbi_obj obj;
    lmbi_obj_init(&obj, alloc, opts ? opts->notes : NULL);
    stl_reader r = {.obj = &obj, .error = error};
    lmb_result result = read_either(&r, bytes, size);
    lmbi_free(alloc, r.slots);
    return lmbi_obj_finish(&obj, result, opts, alloc, out, error);
}
