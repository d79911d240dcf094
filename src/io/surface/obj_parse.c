#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/number.h"
#include "io/surface/obj.h"

typedef struct obj_reader {
    lmbi_obj *obj;
    lmbi_scan start, scan;
    lmb_error *error;
    int32_t group, object, material;
} obj_reader;

bool lmbi_obj_reserve(lmbi_obj *obj, size_t count, bool normals, bool uvs, bool colors)
{
    obj->positions = lmbi_alloc_array(obj->alloc, count, sizeof *obj->positions);
    obj->normals = normals ? lmbi_alloc_array(obj->alloc, count, sizeof *obj->normals) : NULL;
    obj->uvs = uvs ? lmbi_alloc_array(obj->alloc, count, sizeof *obj->uvs) : NULL;
    obj->colors = colors ? lmbi_alloc_array(obj->alloc, count, sizeof *obj->colors) : NULL;
    return obj->positions && (obj->normals || !normals) && (obj->uvs || !uvs) &&
           (obj->colors || !colors);
}

void *lmbi_obj_append(lmbi_obj *obj, void *list, size_t *count, size_t *capacity, size_t size)
{
    void *items;
    memcpy(&items, list, sizeof items);
    if (*count >= INT32_MAX || !lmbi_grow(obj->alloc, &items, capacity, *count + 1, size)) {
        return NULL;
    }
    memcpy(list, &items, sizeof items);
    return (uint8_t *)items + size * (*count)++;
}

/// Skips blanks, and line ends after a backslash. True when the line goes on; a # after a blank
/// ends it.
static bool more(lmbi_scan *scan)
{
    while (!lmbi_scan_line_end(scan)) {
        const char *at = scan->at;
        if (*at == '#') {
            return false;
        }
        if (*at != '\\' || at + 1 >= scan->end || (at[1] != '\n' && at[1] != '\r')) {
            return true;
        }
        lmbi_scan_next_line(scan);
    }
    return false;
}

/// Whether a number or index may end here.
static bool at_word_end(const lmbi_scan *scan)
{
    return scan->at >= scan->end || (unsigned char)*scan->at <= ' ' || *scan->at == '\\';
}

/// Reads up to `limit` numbers to the end of the line. -1, with the cursor at the word, when a word
/// is not a number.
static int read_numbers(lmbi_scan *scan, double *values, int limit)
{
    int count = 0;
    while (more(scan)) {
        double value = 0;
        const char *word = scan->at;
        if (!lmbi_scan_number(scan, &value) || !at_word_end(scan)) {
            scan->at = word;
            return -1;
        }
        if (count < limit) {
            values[count] = value;
        }
        ++count;
    }
    return count;
}

static bool fits_float(double value)
{
    return isfinite((float)value);
}

/// Fails at the first of the line's numbers that is not finite.
static lmb_result fail_infinite(obj_reader *r, lmbi_scan line, const char *expected)
{
    double value = 0;
    lmbi_scan_word(&line);
    while (more(&line)) {
        const lmbi_scan before = line;
        lmbi_scan_number(&line, &value);
        if (!fits_float(value)) {
            line = before;
            break;
        }
    }
    return lmbi_scan_fail(&line, r->error, expected);
}

static lmb_result add_color(obj_reader *r, const double *rgba, bool given)
{
    lmbi_obj *obj = r->obj;
    if (obj->colors == NULL && !given) {
        return LMB_OK;
    }
    const size_t had = obj->colors ? obj->position_count - 1 : 0;
    void *colors = obj->colors;
    if (!lmbi_grow(obj->alloc, &colors, &obj->color_capacity, obj->position_count,
                   sizeof *obj->colors)) {
        return lmbi_fail_memory(r->error);
    }
    obj->colors = colors;
    for (size_t i = had; i < obj->position_count; ++i) {
        obj->colors[i] = (lmb_vec4){1, 1, 1, 1};
    }
    float c[4] = {1, 1, 1, 1};
    for (int i = 0; given && i < 4; ++i) {
        if (fits_float(rgba[i])) {
            c[i] = (float)rgba[i];
        }
    }
    obj->colors[obj->position_count - 1] = (lmb_vec4){c[0], c[1], c[2], c[3]};
    return LMB_OK;
}

/// v x y z [w] | v x y z r g b [a]
static lmb_result read_position(obj_reader *r, lmbi_scan line)
{
    double n[7] = {0};
    const int count = read_numbers(&r->scan, n, 7);
    if (count < 3) {
        return lmbi_scan_fail(&r->scan, r->error,
                              count < 0 ? "a number" : "three coordinates of a vertex");
    }
    if (!fits_float(n[0]) || !fits_float(n[1]) || !fits_float(n[2])) {
        return fail_infinite(r, line, "a finite position");
    }
    lmb_vec3 *position = lmbi_obj_append(r->obj, &r->obj->positions, &r->obj->position_count,
                                         &r->obj->position_capacity, sizeof *position);
    if (position == NULL) {
        return lmbi_fail_memory(r->error);
    }
    *position = lmb_vec3_make((float)n[0], (float)n[1], (float)n[2]);
    n[6] = count >= 7 ? n[6] : 1;
    return add_color(r, n + 3, count >= 6);
}

static lmb_result read_uv(obj_reader *r)
{
    double n[2] = {0};
    const int count = read_numbers(&r->scan, n, 2);
    if (count < 1) {
        return lmbi_scan_fail(&r->scan, r->error, "a texture coordinate");
    }
    lmb_vec2 *uv =
        lmbi_obj_append(r->obj, &r->obj->uvs, &r->obj->uv_count, &r->obj->uv_capacity, sizeof *uv);
    if (uv == NULL) {
        return lmbi_fail_memory(r->error);
    }
    if (!fits_float(n[0]) || !fits_float(n[1])) {
        lmbi_note(r->obj->notes, r->scan.line,
                  "a texture coordinate that is not finite was read as 0");
        n[0] = n[1] = 0;
    }
    *uv = (lmb_vec2){(float)n[0], (float)n[1]};
    return LMB_OK;
}

static lmb_result read_normal(obj_reader *r)
{
    double n[3] = {0};
    const int count = read_numbers(&r->scan, n, 3);
    if (count < 3) {
        return lmbi_scan_fail(&r->scan, r->error,
                              count < 0 ? "a number" : "three coordinates of a normal");
    }
    lmb_vec3 *normal = lmbi_obj_append(r->obj, &r->obj->normals, &r->obj->normal_count,
                                       &r->obj->normal_capacity, sizeof *normal);
    if (normal == NULL) {
        return lmbi_fail_memory(r->error);
    }
    *normal = lmb_vec3_make((float)n[0], (float)n[1], (float)n[2]);
    return LMB_OK;
}

typedef enum index_fault { INDEX_FINE, INDEX_MISSING, INDEX_ZERO, INDEX_RANGE } index_fault;

/// Reads one index of a corner: counted from 1, or from the end when negative.
static index_fault read_index(lmbi_scan *scan, size_t known, int32_t *index)
{
    const char *at = scan->at;
    const bool negative = at < scan->end && *at == '-';
    at += negative;
    const char *digits = at;
    int64_t value = 0;
    for (; at < scan->end && *at >= '0' && *at <= '9'; ++at) {
        value = value <= INT32_MAX ? value * 10 + (*at - '0') : value;
    }
    if (at == digits) {
        return INDEX_MISSING;
    }
    if (value == 0) {
        return INDEX_ZERO;
    }
    if (value > INT32_MAX || (negative && value > (int64_t)known)) {
        return INDEX_RANGE;
    }
    scan->at = at;
    *index = (int32_t)(negative ? (int64_t)known - value : value - 1);
    return INDEX_FINE;
}

/// Reads the index of a texture coordinate or normal, which a corner may lack. One before the first
/// becomes INT32_MAX: what the file lacks is left out when all of it is known.
static index_fault read_attribute(lmbi_scan *scan, size_t known, int32_t *index)
{
    index_fault fault = read_index(scan, known, index);
    if (fault == INDEX_RANGE) {
        *index = INT32_MAX;
        for (++scan->at; scan->at < scan->end && *scan->at >= '0' && *scan->at <= '9'; ++scan->at) {
        }
    }
    return fault == INDEX_RANGE || fault == INDEX_MISSING ? INDEX_FINE : fault;
}

/// Reads v, v/vt, v//vn or v/vt/vn; an empty index after a slash means none. On an error the cursor
/// stays at it.
static index_fault read_corner(const lmbi_obj *obj, lmbi_scan *scan, lmbi_obj_corner *corner)
{
    *corner = (lmbi_obj_corner){-1, -1, -1};
    index_fault fault = read_index(scan, obj->position_count, &corner->v);
    if (fault == INDEX_FINE && scan->at < scan->end && *scan->at == '/') {
        ++scan->at;
        fault = read_attribute(scan, obj->uv_count, &corner->vt);
        if (fault == INDEX_FINE && scan->at < scan->end && *scan->at == '/') {
            ++scan->at;
            fault = read_attribute(scan, obj->normal_count, &corner->vn);
        }
    }
    return fault == INDEX_FINE && !at_word_end(scan) ? INDEX_MISSING : fault;
}

static const char *fault_text(index_fault fault)
{
    switch (fault) {
    case INDEX_ZERO:
        return "an index from 1 up, or a negative one";
    case INDEX_RANGE:
        return "an index of a vertex that the file has";
    case INDEX_FINE:
    case INDEX_MISSING:
        break;
    }
    return "a corner: v, v/vt, v//vn or v/vt/vn";
}

bool lmbi_obj_choose_run(lmbi_obj *obj, lmbi_obj_run run)
{
    if (obj->run_count) {
        const lmbi_obj_run *last = &obj->runs[obj->run_count - 1];
        if (last->topology == run.topology && last->group == run.group &&
            last->material == run.material && last->has_uv == run.has_uv &&
            last->has_normal == run.has_normal) {
            return true;
        }
    }
    lmbi_obj_run *added =
        lmbi_obj_append(obj, &obj->runs, &obj->run_count, &obj->run_capacity, sizeof *added);
    if (added) {
        *added = run;
    }
    return added != NULL;
}

bool lmbi_obj_add_element(lmbi_obj *obj, size_t first_corner, const char *at)
{
    lmbi_obj_element *element = lmbi_obj_append(obj, &obj->elements, &obj->element_count,
                                                &obj->element_capacity, sizeof *element);
    if (element) {
        *element = (lmbi_obj_element){(uint32_t)first_corner, (uint32_t)obj->run_count - 1, at};
    }
    return element != NULL;
}

bool lmbi_obj_add_corner(lmbi_obj *obj, lmbi_obj_corner corner)
{
    lmbi_obj_corner *added = lmbi_obj_append(obj, &obj->corners, &obj->corner_count,
                                             &obj->corner_capacity, sizeof *added);
    if (added) {
        *added = corner;
    }
    return added != NULL;
}

bool lmbi_obj_add_points(lmbi_obj *obj)
{
    const lmbi_obj_run run = {LMB_POINTS, -1, -1, false, obj->normal_count == obj->position_count};
    bool ok = lmbi_obj_choose_run(obj, run);
    for (size_t i = 0; ok && i < obj->position_count; ++i) {
        const int32_t v = (int32_t)i;
        ok = lmbi_obj_add_corner(obj, (lmbi_obj_corner){v, -1, run.has_normal ? v : -1});
    }
    return ok && lmbi_obj_add_element(obj, 0, NULL);
}

/// Reads f, l or p. An element with too few corners is skipped.
static lmb_result read_element(obj_reader *r, const char *line, lmb_topology topology,
                               size_t corners_needed)
{
    lmbi_obj *obj = r->obj;
    const size_t first = obj->corner_count;
    const unsigned line_number = r->scan.line;
    bool has_uv = true, has_normal = true;
    while (more(&r->scan)) {
        lmbi_obj_corner *corner = lmbi_obj_append(obj, &obj->corners, &obj->corner_count,
                                                  &obj->corner_capacity, sizeof *corner);
        if (corner == NULL) {
            return lmbi_fail_memory(r->error);
        }
        const index_fault fault = read_corner(obj, &r->scan, corner);
        if (fault != INDEX_FINE) {
            return lmbi_scan_fail(&r->scan, r->error, fault_text(fault));
        }
        has_uv = has_uv && corner->vt >= 0;
        has_normal = has_normal && corner->vn >= 0;
    }
    if (obj->corner_count - first < corners_needed) {
        lmbi_note(obj->notes, line_number, "an element of %zu corners was passed over",
                  obj->corner_count - first);
        obj->corner_count = first;
        return LMB_OK;
    }
    for (size_t i = first; i < obj->corner_count; ++i) {
        // UVs or normals on only some corners of a face are dropped: a primitive has an attribute
        // on all corners or on none.
        obj->corners[i].vt = has_uv ? obj->corners[i].vt : -1;
        obj->corners[i].vn = has_normal ? obj->corners[i].vn : -1;
    }
    const int32_t group = r->group >= 0 ? r->group : r->object;
    const lmbi_obj_run run = {topology, group, r->material, has_uv, has_normal};
    if (!lmbi_obj_choose_run(obj, run) || !lmbi_obj_add_element(obj, first, line)) {
        return lmbi_fail_memory(r->error);
    }
    return LMB_OK;
}

static lmb_result read_name(obj_reader *r, lmbi_names *names, int32_t *index)
{
    const lmbi_word word = lmbi_scan_rest(&r->scan);
    *index = -1;
    if (word.size) {
        *index = lmbi_names_add(names, word);
        if (*index < 0) {
            return lmbi_fail_memory(r->error);
        }
    }
    return LMB_OK;
}

static lmb_result read_line(obj_reader *r)
{
    const lmbi_scan before = r->scan;
    const char *line = before.at;
    const lmbi_word word = lmbi_scan_word(&r->scan);
    int32_t ignored = -1;
    if (lmbi_word_is_exact(word, "v")) {
        return read_position(r, before);
    }
    if (lmbi_word_is_exact(word, "f") || lmbi_word_is_exact(word, "fo")) {
        return read_element(r, line, LMB_TRIANGLES, 3);
    }
    if (lmbi_word_is_exact(word, "vt")) {
        return read_uv(r);
    }
    if (lmbi_word_is_exact(word, "vn")) {
        return read_normal(r);
    }
    if (lmbi_word_is_exact(word, "l")) {
        return read_element(r, line, LMB_LINES, 2);
    }
    if (lmbi_word_is_exact(word, "p")) {
        return read_element(r, line, LMB_POINTS, 1);
    }
    if (lmbi_word_is_exact(word, "usemtl")) {
        return read_name(r, &r->obj->materials, &r->material);
    }
    if (lmbi_word_is_exact(word, "g")) {
        return read_name(r, &r->obj->groups, &r->group);
    }
    if (lmbi_word_is_exact(word, "o")) {
        r->group = -1;
        return read_name(r, &r->obj->groups, &r->object);
    }
    if (lmbi_word_is_exact(word, "mtllib")) {
        return read_name(r, &r->obj->libraries, &ignored);
    }
    return LMB_OK;
}

/// Scans again to an element, for the place of a fault in it.
static lmbi_scan element_start(const obj_reader *r, size_t element)
{
    const char *at = r->obj->elements[element].at;
    lmbi_scan scan = r->start;
    while (scan.at < at) {
        lmbi_scan next = scan;
        lmbi_scan_next_line(&next);
        if (next.at > at || next.at == scan.at) {
            scan.at = at;
        } else {
            scan = next;
        }
    }
    return scan;
}

/// The words before the corner are valid.
static lmb_result fail_at_corner(obj_reader *r, size_t element, size_t corner)
{
    lmbi_scan scan = element_start(r, element);
    lmbi_scan_word(&scan);
    for (size_t skip = r->obj->elements[element].first_corner; more(&scan) && skip < corner;
         ++skip) {
        lmbi_scan_word(&scan);
    }
    return lmbi_scan_fail(&scan, r->error, fault_text(INDEX_RANGE));
}

/// Whether a run keeps an attribute: not when a corner names one that the file lacks.
static bool keep_attribute(obj_reader *r, size_t element, bool has, bool fits, const char *name)
{
    if (has && !fits) {
        lmbi_note(r->obj->notes, element_start(r, element).line,
                  "a face names %s that the file lacks: those of its part were left out", name);
    }
    return has && fits;
}

static size_t corners_end(const lmbi_obj *obj, size_t element)
{
    return element + 1 < obj->element_count ? obj->elements[element + 1].first_corner
                                            : obj->corner_count;
}

static void leave_out_attributes(lmbi_obj *obj)
{
    for (size_t e = 0; e < obj->element_count; ++e) {
        const lmbi_obj_run *run = &obj->runs[obj->elements[e].run];
        for (size_t i = obj->elements[e].first_corner; i < corners_end(obj, e); ++i) {
            obj->corners[i].vt = run->has_uv ? obj->corners[i].vt : -1;
            obj->corners[i].vn = run->has_normal ? obj->corners[i].vn : -1;
        }
    }
}

/// Checks that indices are in range, at the end, since faces may name vertices that come later.
/// Texture coordinates and normals that are not there are left out.
static lmb_result check_ranges(obj_reader *r)
{
    lmbi_obj *obj = r->obj;
    for (size_t e = 0; e < obj->element_count; ++e) {
        lmbi_obj_run *run = &obj->runs[obj->elements[e].run];
        for (size_t i = obj->elements[e].first_corner; i < corners_end(obj, e); ++i) {
            const lmbi_obj_corner *c = &obj->corners[i];
            if (c->v >= (int64_t)obj->position_count) {
                return fail_at_corner(r, e, i);
            }
            run->has_uv = keep_attribute(r, e, run->has_uv, c->vt < (int64_t)obj->uv_count,
                                         "texture coordinates");
            run->has_normal = keep_attribute(r, e, run->has_normal,
                                             c->vn < (int64_t)obj->normal_count, "normals");
        }
    }
    leave_out_attributes(obj);
    return LMB_OK;
}

lmb_result lmbi_obj_parse(lmbi_obj *obj, const void *bytes, size_t size, lmb_error *error)
{
    lmb_result result = lmbi_text_check(bytes, size, error);
    obj_reader r = {.obj = obj, .error = error, .group = -1, .object = -1, .material = -1};
    lmbi_scan_init(&r.start, bytes, size);
    r.scan = r.start;
    while (result == LMB_OK && (lmbi_scan_space(&r.scan), !lmbi_scan_done(&r.scan))) {
        result = read_line(&r);
        lmbi_scan_next_line(&r.scan);
    }
    if (result == LMB_OK && obj->position_count == 0) {
        return lmbi_scan_fail(&r.scan, error, "a vertex: v x y z");
    }
    if (result == LMB_OK && obj->element_count == 0) {
        return lmbi_obj_add_points(obj) ? LMB_OK : lmbi_fail_memory(error);
    }
    return result == LMB_OK ? check_ranges(&r) : result;
}

void lmbi_obj_init(lmbi_obj *obj, const lmb_allocator *alloc, lmb_notes *notes)
{
    memset(obj, 0, sizeof *obj);
    obj->alloc = alloc;
    obj->notes = notes;
    if (notes) {
        memset(notes, 0, sizeof *notes);
    }
    lmbi_names_init(&obj->groups, alloc);
    lmbi_names_init(&obj->materials, alloc);
    lmbi_names_init(&obj->libraries, alloc);
}

void lmbi_obj_free(lmbi_obj *obj)
{
    lmbi_free(obj->alloc, obj->positions);
    lmbi_free(obj->alloc, obj->colors);
    lmbi_free(obj->alloc, obj->uvs);
    lmbi_free(obj->alloc, obj->normals);
    lmbi_free(obj->alloc, obj->corners);
    lmbi_free(obj->alloc, obj->elements);
    lmbi_free(obj->alloc, obj->runs);
    lmbi_names_free(&obj->groups);
    lmbi_names_free(&obj->materials);
    lmbi_names_free(&obj->libraries);
}
