#include <string.h>

#include "author/drivers.h"
#include "base/error.h"
#include "base/json.h"

static const char *const kernels[] = {[LMB_KERNEL_GAUSSIAN] = "gaussian",
                                      [LMB_KERNEL_LINEAR] = "linear",
                                      [LMB_KERNEL_CUBIC] = "cubic",
                                      [LMB_KERNEL_THIN_PLATE] = "thin plate",
                                      [LMB_KERNEL_INVERSE_MULTIQUADRIC] = "inverse multiquadric"};

/// The members of a driver that say how its values follow the pose.
static void put_space(lmbi_json_out *json, const lmb_skeleton *skeleton,
                      const lmb_pose_space_def *def)
{
    lmbi_json_open(json, "joints", '[');
    for (uint32_t d = 0; d < def->driver_count; ++d) {
        lmbi_json_put_string(json, NULL, skeleton->names[def->drivers[d].joint]);
    }
    lmbi_json_close(json, ']');
    lmbi_json_open(json, "shares", '[');
    for (uint32_t d = 0; d < def->driver_count; ++d) {
        lmbi_json_put_float(json, NULL, def->drivers[d].weight > 0 ? def->drivers[d].weight : 1);
    }
    lmbi_json_close(json, ']');
    lmbi_json_put_string(json, "kernel", kernels[def->kernel]);
    lmbi_json_put_float(json, "radius", def->radius_rad);
    lmbi_json_put_float(json, "ridge", def->regularization);
    lmbi_json_put_floats(json, "rotations", &def->rotations->x,
                         (size_t)4 * def->driver_count * def->example_count);
    lmbi_json_put_floats(json, "values", def->values, (size_t)def->width * def->example_count);
}

/// Members of an object but one.
static void put_others(lmbi_json_out *json, const lmbi_json *object, const char *but)
{
    const bool has = object && object->type == LMBI_JSON_OBJECT;
    for (const lmbi_json *m = has ? object->child : NULL; m; m = m->next) {
        if (!lmbi_json_key_is(m, but)) {
            lmbi_json_put_member(json, m);
        }
    }
}

/// A look like `*look`, with `drivers` (values of an array, without brackets) after those in its
/// extras.
static lmb_result keep(const char *drivers, size_t size, const lmb_allocator *alloc,
                       lmb_appearance **look, lmb_error *error)
{
    lmb_appearance def = *look ? **look : (lmb_appearance){0};
    lmbi_arena arena;
    lmbi_text text;
    lmbi_json *root = NULL;
    lmbi_arena_init(&arena, alloc);
    lmbi_text_init(&text, alloc);
    lmb_result result = def.carried
                            ? lmbi_json_read(&arena, def.carried, strlen(def.carried), &root, error)
                            : LMB_OK;
    if (result == LMB_OK) {
        const lmbi_json *extras = lmbi_json_find(root, "extras");
        const lmbi_json *ours = lmbi_json_find(extras, "limber");
        const lmbi_json *old = lmbi_json_find(ours, "drivers");
        lmbi_json_out json = {.text = &text, .first = true};
        lmbi_json_open(&json, NULL, '{');
        put_others(&json, root, "extras");
        lmbi_json_open(&json, "extras", '{');
        put_others(&json, extras, "limber");
        lmbi_json_open(&json, "limber", '{');
        put_others(&json, ours, "drivers");
        lmbi_json_open(&json, "drivers", '[');
        for (const lmbi_json *d = old && old->type == LMBI_JSON_ARRAY ? old->child : NULL; d;
             d = d->next) {
            lmbi_json_put_raw(&json, NULL, d->at, d->size);
        }
        lmbi_json_put_raw(&json, NULL, drivers, size);
        lmbi_json_close(&json, ']');
        lmbi_json_close(&json, '}');
        lmbi_json_close(&json, '}');
        lmbi_json_close(&json, '}');
        lmbi_text_bytes(&text, "", 1);
        def.carried = (const char *)text.data;
        result =
            text.failed ? lmbi_fail_memory(error) : lmb_appearance_create(&def, alloc, look, error);
    }
    lmbi_text_free(&text);
    lmbi_arena_free(&arena);
    return result;
}

/// Frees the text; an empty one changes nothing.
static lmb_result keep_text(lmbi_text *text, const lmb_allocator *alloc, lmb_appearance **look,
                            lmb_error *error)
{
    lmb_result result = text->failed ? lmbi_fail_memory(error) : LMB_OK;
    if (result == LMB_OK && text->size > 0) {
        result = keep((const char *)text->data, text->size, alloc, look, error);
    }
    lmbi_text_free(text);
    return result;
}

lmb_result lmbi_drivers_keep_targets(const lmbi_correction *c, const lmb_allocator *alloc,
                                     lmb_appearance **look, lmb_error *error)
{
    lmbi_text text;
    lmbi_text_init(&text, alloc);
    lmbi_json_out json = {.text = &text, .first = true};
    for (uint32_t g = 0; g < c->group_count; ++g) {
        lmbi_json_open(&json, NULL, '{');
        lmbi_json_open(&json, "targets", '[');
        for (uint32_t k = 0; k < c->count; ++k) {
            if (c->correctives[k].group == g) {
                lmbi_json_put_string(&json, NULL, c->correctives[k].name);
            }
        }
        lmbi_json_close(&json, ']');
        put_space(&json, c->character->skeleton, &c->defs[g]);
        lmbi_json_close(&json, '}');
    }
    return keep_text(&text, alloc, look, error);
}

lmb_result lmbi_drivers_keep_helpers(const lmbi_help *h, const lmb_allocator *alloc,
                                     lmb_appearance **look, lmb_error *error)
{
    lmbi_text text;
    lmbi_text_init(&text, alloc);
    lmbi_json_out json = {.text = &text, .first = true};
    for (uint32_t k = 0; k < h->helpers->helper_count; ++k) {
        lmbi_json_open(&json, NULL, '{');
        lmbi_json_put_string(&json, "helper", h->def.skeleton->names[h->joint_count + k]);
        put_space(&json, h->def.skeleton, &h->defs[k]);
        lmbi_json_close(&json, '}');
    }
    return keep_text(&text, alloc, look, error);
}
