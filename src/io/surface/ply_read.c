#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "io/surface/obj.h"
#include "io/surface/ply.h"
#include "io/surface/surface.h"

enum {
    FIELD_X,
    FIELD_NX = 3,
    FIELD_U = 6,
    FIELD_RED = 8,
    FIELD_ALPHA = 11,
    FIELD_COUNT = 12,
    FIELD_CORNERS = 12,
    FIELD_STRIP
};

static const struct {
    const char *name;
    int field;
} fields[] = {
    {"x", 0},
    {"y", 1},
    {"z", 2},
    {"nx", 3},
    {"ny", 4},
    {"nz", 5},
    {"s", 6},
    {"t", 7},
    {"u", 6},
    {"v", 7},
    {"texture_u", 6},
    {"texture_v", 7},
    {"red", 8},
    {"green", 9},
    {"blue", 10},
    {"alpha", 11},
    {"r", 8},
    {"g", 9},
    {"b", 10},
    {"a", 11},
    {"diffuse_red", 8},
    {"diffuse_green", 9},
    {"diffuse_blue", 10},
};

typedef struct ply_reader {
    lmbi_ply ply;
    lmbi_obj obj;
    bool seen[FIELD_COUNT];    ///< vertex properties that the file has
    double scale[FIELD_COUNT]; ///< factors of integer colours to [0, 1]
    bool has_normal, has_uv, has_color;
    uint64_t vertex_count;
    uint64_t long_rows; ///< rows with more values than the header names
    const lmbi_ply_element *vertices;
} ply_reader;

static bool is_vertex(const lmbi_ply_element *element)
{
    return lmbi_word_is(element->name, "vertex") || lmbi_word_is(element->name, "vertices");
}

static double color_scale(lmbi_ply_type type)
{
    return type == LMBI_PLY_U8 ? 1.0 / 255 : type == LMBI_PLY_U16 ? 1.0 / 65535 : 1;
}

static void map_vertex(ply_reader *r, lmbi_ply_element *element)
{
    for (lmbi_ply_property *p = element->properties; p; p = p->next) {
        for (size_t i = 0; i < sizeof fields / sizeof *fields && p->count_type == LMBI_PLY_NONE;
             ++i) {
            const int field = fields[i].field;
            if (lmbi_word_is(p->name, fields[i].name) && !r->seen[field]) {
                p->field = field;
                r->seen[field] = true;
                r->scale[field] = field >= FIELD_RED ? color_scale(p->type) : 1;
            }
        }
    }
}

static void map_face(lmbi_ply_element *element)
{
    const bool strips = lmbi_word_is(element->name, "tristrips");
    for (lmbi_ply_property *p = element->properties; p; p = p->next) {
        if (p->count_type &&
            (lmbi_word_is(p->name, "vertex_indices") || lmbi_word_is(p->name, "vertex_index"))) {
            p->field = strips ? FIELD_STRIP : FIELD_CORNERS;
        }
    }
}

static bool all_seen(const ply_reader *r, int field, int count)
{
    bool all = true;
    for (int i = 0; i < count; ++i) {
        all = all && r->seen[field + i];
    }
    return all;
}

static lmb_result map_elements(ply_reader *r)
{
    for (lmbi_ply_element *e = r->ply.elements; e; e = e->next) {
        if (is_vertex(e) && r->vertices == NULL) {
            map_vertex(r, e);
            r->vertices = e;
            r->vertex_count = e->count;
        } else if (lmbi_word_is(e->name, "face") || lmbi_word_is(e->name, "tristrips")) {
            map_face(e);
        }
    }
    r->has_normal = all_seen(r, FIELD_NX, 3);
    r->has_uv = all_seen(r, FIELD_U, 2);
    r->has_color = all_seen(r, FIELD_RED, 3);
    if (!all_seen(r, FIELD_X, 3) || r->vertex_count == 0 || r->vertex_count > INT32_MAX) {
        return lmbi_fail_text(
            r->ply.error, LMB_ERROR_MALFORMED, r->ply.scan.line > 1 ? r->ply.scan.line - 1 : 1, 1,
            "an element vertex with properties x, y and z before the end of the header",
            "end_header");
    }
    return LMB_OK;
}

static float finite_or(double value, float fallback)
{
    const float narrow = (float)value;
    return isfinite(narrow) ? narrow : fallback;
}

static void store_vertex(ply_reader *r, const double *v)
{
    lmbi_obj *obj = &r->obj;
    const size_t i = obj->position_count++;
    obj->positions[i] = lmb_vec3_make((float)v[0], (float)v[1], (float)v[2]);
    if (r->has_normal) {
        obj->normals[obj->normal_count++] = lmb_vec3_make((float)v[3], (float)v[4], (float)v[5]);
    }
    if (r->has_uv) {
        obj->uvs[obj->uv_count++] = (lmb_vec2){finite_or(v[6], 0), finite_or(v[7], 0)};
    }
    if (r->has_color) {
        obj->colors[i] = (lmb_vec4){finite_or(v[8], 1), finite_or(v[9], 1), finite_or(v[10], 1),
                                    r->seen[FIELD_ALPHA] ? finite_or(v[11], 1) : 1};
    }
}

static bool read_list_count(ply_reader *r, const lmbi_ply_property *p, uint64_t *count)
{
    double value = 0;
    if (!lmbi_ply_value(&r->ply, p->count_type, &value) || !(value >= 0) || value > 4294967295.0 ||
        value > floor(value)) {
        return false;
    }
    *count = (uint64_t)value;
    return true;
}

/// Skips a property's values. Each takes a byte of the file, so that a false count ends with the
/// file.
static lmb_result pass_over(ply_reader *r, const lmbi_ply_property *p)
{
    uint64_t count = 1;
    double ignored = 0;
    if (p->count_type && !read_list_count(r, p, &count)) {
        return lmbi_ply_fail(&r->ply, "the count of a list");
    }
    for (uint64_t i = 0; i < count; ++i) {
        if (!lmbi_ply_value(&r->ply, p->type, &ignored)) {
            return lmbi_ply_fail(&r->ply, "a value");
        }
    }
    return LMB_OK;
}

static lmb_result read_vertices(ply_reader *r, const lmbi_ply_element *element)
{
    for (uint64_t i = 0; i < element->count; ++i) {
        double v[FIELD_COUNT] = {0};
        for (const lmbi_ply_property *p = element->properties; p; p = p->next) {
            const lmbi_scan scan = r->ply.scan;
            const size_t at = r->ply.at;
            double value = 0;
            if (p->field < 0) {
                const lmb_result result = pass_over(r, p);
                if (result != LMB_OK) {
                    return result;
                }
                continue;
            }
            if (!lmbi_ply_value(&r->ply, p->type, &value)) {
                return lmbi_ply_fail(&r->ply, "a value of a vertex");
            }
            if (p->field < FIELD_NX && !isfinite((float)value)) {
                r->ply.scan = scan;
                r->ply.at = at;
                return lmbi_ply_fail(&r->ply, "a finite position");
            }
            v[p->field] = value * r->scale[p->field];
        }
        store_vertex(r, v);
        r->long_rows += lmbi_ply_end_row(&r->ply);
    }
    return LMB_OK;
}

static lmbi_obj_corner corner_of(const ply_reader *r, int32_t v)
{
    return (lmbi_obj_corner){v, r->has_uv ? v : -1, r->has_normal ? v : -1};
}

static bool end_face(ply_reader *r, size_t first)
{
    const lmbi_obj_run run = {LMB_TRIANGLES, -1, -1, r->has_uv, r->has_normal};
    return lmbi_obj_choose_run(&r->obj, run) && lmbi_obj_add_element(&r->obj, first, NULL);
}

static lmb_result read_corner(ply_reader *r, const lmbi_ply_property *p, bool may_restart,
                              int32_t *index)
{
    const lmbi_scan scan = r->ply.scan;
    const size_t at = r->ply.at;
    double value = 0;
    if (!lmbi_ply_value(&r->ply, p->type, &value)) {
        return lmbi_ply_fail(&r->ply, "an index of a vertex");
    }
    const bool restart = may_restart && value < 0;
    if (!restart && (!(value >= 0) || value > floor(value) || value >= (double)r->vertex_count)) {
        r->ply.scan = scan;
        r->ply.at = at;
        return lmbi_ply_fail(&r->ply, "an index of a vertex that the file has");
    }
    *index = restart ? -1 : (int32_t)value;
    return LMB_OK;
}

static lmb_result read_face(ply_reader *r, const lmbi_ply_property *p)
{
    uint64_t count = 0;
    const size_t first = r->obj.corner_count;
    if (!read_list_count(r, p, &count)) {
        return lmbi_ply_fail(&r->ply, "the count of a list");
    }
    for (uint64_t i = 0; i < count; ++i) {
        int32_t v = 0;
        const lmb_result result = read_corner(r, p, false, &v);
        if (result != LMB_OK) {
            return result;
        }
        if (!lmbi_obj_add_corner(&r->obj, corner_of(r, v))) {
            return lmbi_fail_memory(r->ply.error);
        }
    }
    if (count < 3) {
        lmbi_note(r->obj.notes, 0, "a face of %u corners was passed over", (unsigned)count);
        r->obj.corner_count = first;
        return LMB_OK;
    }
    return end_face(r, first) ? LMB_OK : lmbi_fail_memory(r->ply.error);
}

/// Reads triangle strips, separated by -1; every second triangle has the opposite winding.
static lmb_result read_strip(ply_reader *r, const lmbi_ply_property *p)
{
    uint64_t count = 0, run = 0;
    int32_t a = 0, b = 0, c = 0;
    if (!read_list_count(r, p, &count)) {
        return lmbi_ply_fail(&r->ply, "the count of a list");
    }
    for (uint64_t i = 0; i < count; ++i) {
        const lmb_result result = read_corner(r, p, true, &c);
        if (result != LMB_OK) {
            return result;
        }
        run = c < 0 ? 0 : run + 1;
        const bool flipped = run % 2 == 0;
        if (run >= 3 && a != b && b != c && a != c) {
            const size_t first = r->obj.corner_count;
            const bool ok = lmbi_obj_add_corner(&r->obj, corner_of(r, flipped ? b : a)) &&
                            lmbi_obj_add_corner(&r->obj, corner_of(r, flipped ? a : b)) &&
                            lmbi_obj_add_corner(&r->obj, corner_of(r, c)) && end_face(r, first);
            if (!ok) {
                return lmbi_fail_memory(r->ply.error);
            }
        }
        a = b;
        b = c;
    }
    return LMB_OK;
}

static lmb_result read_others(ply_reader *r, const lmbi_ply_element *element)
{
    lmb_result result = LMB_OK;
    for (uint64_t i = 0; i < element->count && element->properties; ++i) {
        for (const lmbi_ply_property *p = element->properties; p && result == LMB_OK; p = p->next) {
            result = p->field == FIELD_CORNERS ? read_face(r, p)
                     : p->field == FIELD_STRIP ? read_strip(r, p)
                                               : pass_over(r, p);
        }
        if (result != LMB_OK) {
            break;
        }
        r->long_rows += lmbi_ply_end_row(&r->ply);
    }
    return result;
}

static lmb_result read_data(ply_reader *r)
{
    lmb_result result = map_elements(r);
    if (result == LMB_OK && !lmbi_obj_reserve(&r->obj, (size_t)r->vertex_count, r->has_normal,
                                              r->has_uv, r->has_color)) {
        result = lmbi_fail_memory(r->ply.error);
    }
    for (const lmbi_ply_element *e = r->ply.elements; e && result == LMB_OK; e = e->next) {
        result = e == r->vertices ? read_vertices(r, e) : read_others(r, e);
    }
    if (r->long_rows) {
        lmbi_note(r->obj.notes, 0, "%.0f rows have more values than the header names",
                  (double)r->long_rows);
    }
    if (result == LMB_OK && r->obj.element_count == 0 && !lmbi_obj_add_points(&r->obj)) {
        result = lmbi_fail_memory(r->ply.error);
    }
    return result;
}

lmb_result lmbi_ply_read(const void *bytes, size_t size, const lmbi_mesh_read_opts *opts,
                         const lmb_allocator *alloc, lmb_character **out, lmb_error *error)
{
    lmbi_arena arena;
    lmbi_arena_init(&arena, alloc);
    ply_reader r = {.ply = {.arena = &arena, .error = error}};
    lmbi_obj_init(&r.obj, alloc, opts ? opts->notes : NULL);
    lmb_result result = lmbi_ply_header(&r.ply, bytes, size);
    if (result == LMB_OK) {
        result = read_data(&r);
    }
    result = lmbi_obj_finish(&r.obj, result, opts, alloc, out, error);
    lmbi_arena_free(&arena);
    return result;
}
