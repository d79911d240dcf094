/// Reads a face: expressions of VRM 1.0 (VRMC_vrm) and 0.x (blendShapeMaster), morph targets by
/// name, and how eyes follow a gaze.
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "retarget/retarget.h"

#define RADIANS 0.017453292519943295

typedef struct face_reader {
    const lmb_character *character;
    lmb_face *face;
    lmbi_arena *arena; ///< of the face
    uint32_t capacity; ///< expressions there is room for
    bool failed;
} face_reader;

// ------------------------------------------------------------------------------------------- names

/// VRM 1.0's presets and their names in VRM 0.x.
static const struct {
    const char *name, *old;
} presets[] = {
    {"happy", "joy"},
    {"angry", "angry"},
    {"sad", "sorrow"},
    {"relaxed", "fun"},
    {"surprised", "surprised"},
    {"aa", "a"},
    {"ih", "i"},
    {"ou", "u"},
    {"ee", "e"},
    {"oh", "o"},
    {"blink", "blink"},
    {"blinkLeft", "blink_l"},
    {"blinkRight", "blink_r"},
    {"lookUp", "lookup"},
    {"lookDown", "lookdown"},
    {"lookLeft", "lookleft"},
    {"lookRight", "lookright"},
    {"neutral", "neutral"},
};

static bool equals_ignoring_case(const char *a, const char *b)
{
    for (; *a != 0 && *b != 0; ++a, ++b) {
        const char x = *a >= 'A' && *a <= 'Z' ? (char)(*a + 32) : *a;
        const char y = *b >= 'A' && *b <= 'Z' ? (char)(*b + 32) : *b;
        if (x != y) {
            return false;
        }
    }
    return *a == *b;
}

const char *lmbi_expression_name(const char *name)
{
    for (size_t k = 0; k < sizeof presets / sizeof *presets; ++k) {
        if (equals_ignoring_case(name, presets[k].name) ||
            equals_ignoring_case(name, presets[k].old)) {
            return presets[k].name;
        }
    }
    return name;
}

bool lmbi_expression_is_preset(const char *name)
{
    for (size_t k = 0; k < sizeof presets / sizeof *presets; ++k) {
        if (strcmp(name, presets[k].name) == 0) {
            return true;
        }
    }
    return false;
}

int32_t lmbi_face_find(const lmb_face *face, const char *name)
{
    const char *known = lmbi_expression_name(name);
    for (uint32_t k = 0; k < face->expression_count; ++k) {
        if (equals_ignoring_case(face->expressions[k].name, known)) {
            return (int32_t)k;
        }
    }
    return LMB_NONE;
}

// ------------------------------------------------------------------------------------ expressions

/// Adds an expression with room for `binds` binds; NULL if one of that name exists.
static lmb_expression *add_expression(face_reader *r, const char *name, size_t binds)
{
    lmb_face *face = r->face;
    if (r->failed || name == NULL || lmbi_face_find(face, name) >= 0) {
        r->failed = r->failed || name == NULL;
        return NULL;
    }
    if (face->expression_count == r->capacity) {
        const uint32_t capacity = r->capacity > 0 ? 2 * r->capacity : 32;
        lmb_expression *more = lmbi_arena_array(r->arena, capacity, sizeof *more);
        if (more == NULL) {
            r->failed = true;
            return NULL;
        }
        if (r->capacity > 0) {
            memcpy(more, face->expressions, face->expression_count * sizeof *more);
        }
        face->expressions = more;
        r->capacity = capacity;
    }
    lmb_expression *e = &face->expressions[face->expression_count];
    *e = (lmb_expression){.binds = lmbi_arena_array(r->arena, binds, sizeof *e->binds)};
    e->name = lmbi_expression_name(name);
    if (e->name == name) {
        e->name = lmbi_arena_string(r->arena, name, strlen(name));
    }
    r->failed = e->binds == NULL || e->name == NULL;
    face->expression_count += !r->failed;
    return r->failed ? NULL : e;
}

static void add_bind(face_reader *r, lmb_expression *e, const lmb_instance *instance,
                     uint32_t target, double weight)
{
    if (target < r->character->meshes[instance->mesh]->target_count && weight > -1e3 &&
        weight < 1e3) {
        e->binds[e->bind_count++] = (lmb_expression_bind){instance->joint, target, (float)weight};
    }
}

/// VRM 1.0 refers to a node; VRM 0.x to a mesh, with weights in percent.
static void read_bind(face_reader *r, lmb_expression *e, const lmbi_json *bind, bool old)
{
    uint32_t target = 0, which = 0;
    double weight = 0;
    if (!lmbi_json_u32(lmbi_json_find(bind, "index"), &target) ||
        !lmbi_json_u32(lmbi_json_find(bind, old ? "mesh" : "node"), &which) ||
        !lmbi_json_number(lmbi_json_find(bind, "weight"), &weight)) {
        return;
    }
    const int32_t joint = old ? LMB_NONE : lmbi_joint_of_node(r->character->skeleton, which);
    for (uint32_t k = 0; k < r->character->instance_count; ++k) {
        const lmb_instance *instance = &r->character->instances[k];
        if (old ? instance->mesh == which : (int32_t)instance->joint == joint) {
            add_bind(r, e, instance, target, old ? 0.01 * weight : weight);
            if (!old) {
                break;
            }
        }
    }
}

static lmb_expression_override read_override(const lmbi_json *expression, const char *key)
{
    const lmbi_json *value = lmbi_json_find(expression, key);
    if (value == NULL || value->type != LMBI_JSON_STRING) {
        return LMB_OVERRIDE_NONE;
    }
    return lmbi_json_string_is(value, "block")   ? LMB_OVERRIDE_BLOCK
           : lmbi_json_string_is(value, "blend") ? LMB_OVERRIDE_BLEND
                                                 : LMB_OVERRIDE_NONE;
}

static void read_expression(face_reader *r, const char *name, const lmbi_json *value, bool old)
{
    const lmbi_json *binds = lmbi_json_find(value, old ? "binds" : "morphTargetBinds");
    const lmbi_json *binary = lmbi_json_find(value, "isBinary");
    const bool is_list = binds != NULL && binds->type == LMBI_JSON_ARRAY;
    const size_t each = old ? r->character->instance_count : 1;
    lmb_expression *e = add_expression(r, name, is_list ? lmbi_size_mul(binds->count, each) : 0);
    if (e == NULL) {
        return;
    }
    e->is_preset = lmbi_expression_is_preset(e->name);
    e->is_binary = binary != NULL && binary->type == LMBI_JSON_TRUE;
    e->override_mouth = old ? LMB_OVERRIDE_NONE : read_override(value, "overrideMouth");
    e->override_blink = old ? LMB_OVERRIDE_NONE : read_override(value, "overrideBlink");
    e->override_look = old ? LMB_OVERRIDE_NONE : read_override(value, "overrideLookAt");
    for (const lmbi_json *bind = is_list ? binds->child : NULL; bind; bind = bind->next) {
        read_bind(r, e, bind, old);
    }
}

static char *key_of(lmbi_arena *arena, const lmbi_json *member)
{
    return lmbi_arena_string(arena, member->key, member->key_size);
}

static void read_vrm1(face_reader *r, const lmbi_json *expressions)
{
    static const char *const groups[2] = {"preset", "custom"};
    for (int g = 0; g < 2; ++g) {
        const lmbi_json *group = lmbi_json_find(expressions, groups[g]);
        const lmbi_json *e = group != NULL && group->type == LMBI_JSON_OBJECT ? group->child : NULL;
        for (; e != NULL && !r->failed; e = e->next) {
            read_expression(r, key_of(r->arena, e), e, false);
        }
    }
}

static void read_vrm0(face_reader *r, const lmbi_json *groups)
{
    const lmbi_json *e = groups != NULL && groups->type == LMBI_JSON_ARRAY ? groups->child : NULL;
    for (; e != NULL && !r->failed; e = e->next) {
        const lmbi_json *preset = lmbi_json_find(e, "presetName");
        const lmbi_json *name = lmbi_json_find(e, "name");
        const bool own = preset == NULL || preset->type != LMBI_JSON_STRING ||
                         lmbi_json_string_is(preset, "unknown") || lmbi_json_string_is(preset, "");
        const lmbi_json *chosen = own ? name : preset;
        if (chosen != NULL && chosen->type == LMBI_JSON_STRING) {
            read_expression(r, lmbi_json_string(r->arena, chosen), e, true);
        }
    }
}

/// Adds an expression for each morph target name that no expression has, over all instances.
static void add_targets(face_reader *r)
{
    const lmb_character *c = r->character;
    const uint32_t named = r->face->expression_count;
    for (uint32_t k = 0; k < c->instance_count && !r->failed; ++k) {
        const lmb_mesh *mesh = c->meshes[c->instances[k].mesh];
        for (uint32_t t = 0; t < mesh->target_count && !r->failed; ++t) {
            const char *name = mesh->targets[t].name;
            if (name == NULL || name[0] == 0) {
                continue;
            }
            const int32_t found = lmbi_face_find(r->face, name);
            lmb_expression *e = found >= (int32_t)named
                                    ? &r->face->expressions[found]
                                    : add_expression(r, name, c->instance_count);
            if (e != NULL && (e->bind_count == 0 ||
                              (e->bind_count < c->instance_count &&
                               e->binds[e->bind_count - 1].joint != c->instances[k].joint))) {
                e->is_target = true;
                add_bind(r, e, &c->instances[k], t, 1);
            }
        }
    }
}

// ------------------------------------------------------------------------------------------- gaze

static lmb_gaze_range read_range(const lmbi_json *range, const char *in, const char *out,
                                 bool by_expression)
{
    double most = 90, output = by_expression ? 1 : 10; // defaults of the specification
    (void)lmbi_json_number(lmbi_json_find(range, in), &most);
    (void)lmbi_json_number(lmbi_json_find(range, out), &output);
    most = most > 0.1 && most < 1e3 ? most : 90;
    output = output > -1e3 && output < 1e3 ? output : 0;
    return (lmb_gaze_range){(float)(most * RADIANS),
                            (float)(by_expression ? output : output * RADIANS)};
}

static void read_gaze(lmb_face *face, const lmbi_json *vrm, bool old)
{
    const lmbi_json *at = lmbi_json_find(vrm, old ? "firstPerson" : "lookAt");
    const lmbi_json *type = lmbi_json_find(at, old ? "lookAtTypeName" : "type");
    const char *in = old ? "xRange" : "inputMaxValue", *out = old ? "yRange" : "outputScale";
    const bool by = type != NULL && lmbi_json_string_is(type, old ? "BlendShape" : "expression");
    face->gaze_by_expression = by;
    face->gaze_in = read_range(
        lmbi_json_find(at, old ? "lookAtHorizontalInner" : "rangeMapHorizontalInner"), in, out, by);
    face->gaze_out = read_range(
        lmbi_json_find(at, old ? "lookAtHorizontalOuter" : "rangeMapHorizontalOuter"), in, out, by);
    face->gaze_down = read_range(
        lmbi_json_find(at, old ? "lookAtVerticalDown" : "rangeMapVerticalDown"), in, out, by);
    face->gaze_up = read_range(lmbi_json_find(at, old ? "lookAtVerticalUp" : "rangeMapVerticalUp"),
                               in, out, by);
}

// ------------------------------------------------------------------------------------------ create

static void read_face(face_reader *r, const lmbi_json *root)
{
    const lmbi_json *extensions = lmbi_json_find(root, "extensions");
    const lmbi_json *now = lmbi_json_find(extensions, "VRMC_vrm");
    const lmbi_json *old = now == NULL ? lmbi_json_find(extensions, "VRM") : NULL;
    r->face->facing = old != NULL ? -1.0f : 1.0f;
    read_gaze(r->face, old != NULL ? old : now, old != NULL);
    if (now != NULL) {
        read_vrm1(r, lmbi_json_find(now, "expressions"));
    } else if (old != NULL) {
        read_vrm0(r, lmbi_json_find(lmbi_json_find(old, "blendShapeMaster"), "blendShapeGroups"));
    }
    add_targets(r);
}

static void find_eyes(face_reader *r, const lmb_allocator *alloc)
{
    lmb_joint_map map;
    r->face->eyes[0] = r->face->eyes[1] = LMB_NONE;
    if (lmb_joint_map_of_character(r->character, alloc, &map, NULL) == LMB_OK) {
        r->face->eyes[0] = map.bones[LMB_HUMAN_LEFT_EYE].joint;
        r->face->eyes[1] = map.bones[LMB_HUMAN_RIGHT_EYE].joint;
    } else {
        r->failed = true;
    }
}

lmb_result lmb_face_create(const lmb_character *character, const lmb_allocator *alloc,
                           lmb_face **out, lmb_error *error)
{
    lmb_face *face = lmbi_owner_create(alloc, sizeof *face);
    if (face == NULL) {
        return lmbi_fail_memory(error);
    }
    face->allocator = alloc ? *alloc : (lmb_allocator){0};
    face_reader r = {.character = character, .face = face, .arena = lmbi_owner_arena(face)};
    lmbi_arena scratch;
    lmbi_json *root = NULL;
    lmbi_arena_init(&scratch, alloc);
    r.failed = !lmbi_carried_read(character, &scratch, &root);
    if (!r.failed) {
        read_face(&r, root);
    }
    if (!r.failed) {
        find_eyes(&r, alloc);
    }
    lmbi_arena_free(&scratch);
    if (r.failed) {
        lmb_face_destroy(face);
        return lmbi_fail_memory(error);
    }
    *out = face;
    return LMB_OK;
}

void lmb_face_destroy(lmb_face *face)
{
    lmbi_owner_free(face);
}
