/// Drivers read back from a look's extras, and evaluated.
#include <string.h>

#include "author/drivers.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/json.h"
#include "math/math.h"

static const struct {
    const char *name;
    lmb_kernel kernel;
} kernels[] = {{"gaussian", LMB_KERNEL_GAUSSIAN},
               {"linear", LMB_KERNEL_LINEAR},
               {"cubic", LMB_KERNEL_CUBIC},
               {"thin plate", LMB_KERNEL_THIN_PLATE},
               {"inverse multiquadric", LMB_KERNEL_INVERSE_MULTIQUADRIC}};
enum { KERNELS = sizeof kernels / sizeof *kernels, HELPER_WIDTH = 6, MOST_NUMBERS = 1 << 24 };

/// Where a value goes: a morph weight in the layout of lmb_character_weights.
typedef struct output {
    uint32_t value, weight, joint;
} output;

typedef struct driver {
    lmb_pose_space *space;
    int32_t helper; ///< the joint that is moved; LMB_NONE: weights are set
    uint32_t output_count;
    output *outputs;
} driver;

struct lmb_pose_drivers {
    const lmb_character *character;
    lmbi_arena arena;
    lmb_allocator allocator;
    uint32_t count;
    driver *drivers;
    float *values;   ///< scratch, as many as the widest driver has
    uint32_t *first; ///< of lmb_character_weights
};

typedef struct reading {
    lmb_pose_drivers *out;
    uint32_t widest;
    lmb_error *error;
} reading;

// ---- reading

static lmb_result refuse(const reading *r, const lmbi_json *value, const char *expected)
{
    char path[96] = "a driver";
    if (value) {
        lmbi_json_path(value, path, sizeof path);
    }
    return lmbi_fail(r->error, LMB_ERROR_INVALID, expected, "%s", path);
}

/// The numbers of an array. Errors: INVALID unless there are `count`.
static lmb_result read_floats(reading *r, const lmbi_json *json, const char *key, size_t count,
                              float **out)
{
    const lmbi_json *array = lmbi_json_find(json, key);
    if (!array || array->type != LMBI_JSON_ARRAY || array->count != count) {
        return refuse(r, array ? array : json, "drivers with as many numbers as examples have");
    }
    *out = lmbi_arena_array(&r->out->arena, count, sizeof **out);
    if (!*out) {
        return lmbi_fail_memory(r->error);
    }
    size_t at = 0;
    for (const lmbi_json *item = array->child; item; item = item->next) {
        double value;
        if (!lmbi_json_number(item, &value)) {
            return refuse(r, item, "numbers of a driver");
        }
        (*out)[at++] = (float)value;
    }
    return LMB_OK;
}

static float number_or(const lmbi_json *json, const char *key, float otherwise)
{
    double value;
    return lmbi_json_number(lmbi_json_find(json, key), &value) ? (float)value : otherwise;
}

/// Finds a joint by the name in a JSON string. False if there is none, or no memory.
static bool find_joint(reading *r, const lmbi_json *name, uint32_t *out)
{
    const char *text = name ? lmbi_json_string(&r->out->arena, name) : NULL;
    const int32_t joint = text ? lmb_skeleton_find(r->out->character->skeleton, text) : LMB_NONE;
    *out = joint == LMB_NONE ? 0 : (uint32_t)joint;
    return joint != LMB_NONE;
}

/// The joints that drive; `*all` is false where the character lacks one.
static lmb_result read_joints(reading *r, const lmbi_json *json, lmb_pose_space_def *def, bool *all)
{
    const lmbi_json *joints = lmbi_json_find(json, "joints");
    if (!joints || joints->type != LMBI_JSON_ARRAY || joints->count == 0) {
        return refuse(r, json, "drivers with joints");
    }
    lmb_pose_driver *drivers = lmbi_arena_array(&r->out->arena, joints->count, sizeof *drivers);
    float *fractions = NULL;
    if (!drivers) {
        return lmbi_fail_memory(r->error);
    }
    const lmb_result result = read_floats(r, json, "shares", joints->count, &fractions);
    if (result != LMB_OK) {
        return result;
    }
    *all = true;
    for (const lmbi_json *name = joints->child; name; name = name->next) {
        const uint32_t d = def->driver_count++;
        *all = find_joint(r, name, &drivers[d].joint) && *all;
        drivers[d].weight = fractions[d];
    }
    def->drivers = drivers;
    return LMB_OK;
}

static lmb_result read_kernel(const reading *r, const lmbi_json *json, lmb_kernel *out)
{
    const lmbi_json *name = lmbi_json_find(json, "kernel");
    for (int k = 0; name && k < KERNELS; ++k) {
        if (lmbi_json_string_is(name, kernels[k].name)) {
            *out = kernels[k].kernel;
            return LMB_OK;
        }
    }
    return refuse(r, name ? name : json, "a driver with a kernel that is known");
}

static lmb_result read_space(reading *r, const lmbi_json *json, lmb_pose_space_def *def)
{
    const lmbi_json *values = lmbi_json_find(json, "values");
    const uint32_t count = values ? values->count : 0;
    if (count == 0 || count % def->width != 0 ||
        (uint64_t)count / def->width * def->driver_count * 4 > MOST_NUMBERS) {
        return refuse(r, json, "drivers with values");
    }
    float *numbers = NULL, *rotations = NULL;
    def->example_count = count / def->width;
    lmb_result result = read_floats(r, json, "values", count, &numbers);
    if (result == LMB_OK) {
        result = read_floats(r, json, "rotations",
                             (size_t)4 * def->driver_count * def->example_count, &rotations);
    }
    if (result == LMB_OK) {
        result = read_kernel(r, json, &def->kernel);
    }
    def->values = numbers;
    def->rotations = (const lmb_quat *)(const void *)rotations;
    def->radius_rad = number_or(json, "radius", 0);
    def->regularization = number_or(json, "ridge", 0);
    return result;
}

/// Adds a target's index in all instances that have it.
static void add_outputs(const reading *r, const char *name, uint32_t value, driver *d)
{
    const lmb_character *c = r->out->character;
    for (uint32_t i = 0; i < c->instance_count; ++i) {
        const lmb_mesh *mesh = c->meshes[c->instances[i].mesh];
        for (uint32_t t = 0; t < mesh->target_count; ++t) {
            if (mesh->targets[t].name && strcmp(mesh->targets[t].name, name) == 0) {
                const uint32_t joint = c->instances[i].joint;
                d->outputs[d->output_count++] = (output){value, r->out->first[joint] + t, joint};
            }
        }
    }
}

static lmb_result read_outputs(reading *r, const lmbi_json *json, driver *d, uint32_t *width)
{
    const lmbi_json *targets = lmbi_json_find(json, "targets"),
                    *helper = lmbi_json_find(json, "helper");
    uint32_t joint = 0;
    d->helper = LMB_NONE;
    if (helper) {
        *width = HELPER_WIDTH;
        d->helper = find_joint(r, helper, &joint) ? (int32_t)joint : LMB_NONE;
        return LMB_OK;
    }
    if (!targets || targets->type != LMBI_JSON_ARRAY || targets->count == 0) {
        return refuse(r, json, "drivers of targets or of a helper");
    }
    *width = targets->count;
    size_t most = 0;
    for (uint32_t i = 0; i < r->out->character->instance_count; ++i) {
        most += r->out->character->meshes[r->out->character->instances[i].mesh]->target_count;
    }
    d->outputs = lmbi_arena_array(&r->out->arena, most + 1, targets->count * sizeof *d->outputs);
    if (!d->outputs) {
        return lmbi_fail_memory(r->error);
    }
    uint32_t value = 0;
    for (const lmbi_json *target = targets->child; target; target = target->next) {
        const char *name = lmbi_json_string(&r->out->arena, target);
        if (name) {
            add_outputs(r, name, value, d);
        }
        ++value;
    }
    return LMB_OK;
}

static lmb_result read_driver(reading *r, const lmbi_json *json)
{
    driver *d = &r->out->drivers[r->out->count];
    lmb_pose_space_def def = {0};
    bool all = false;
    if (json->type != LMBI_JSON_OBJECT) {
        return refuse(r, json, "drivers that are objects");
    }
    lmb_result result = read_outputs(r, json, d, &def.width);
    if (result == LMB_OK) {
        result = read_joints(r, json, &def, &all);
    }
    if (result == LMB_OK) {
        result = read_space(r, json, &def);
    }
    if (result != LMB_OK || !all || (d->helper == LMB_NONE && d->output_count == 0)) {
        return result; // of joints or targets that are no more
    }
    result = lmb_pose_space_create(&def, r->out->arena.alloc, &d->space, r->error);
    r->out->count += result == LMB_OK;
    r->widest = def.width > r->widest ? def.width : r->widest;
    return result;
}

static lmb_result read_all(reading *r, const lmbi_json *array)
{
    const lmb_character *c = r->out->character;
    lmbi_arena *arena = &r->out->arena;
    r->out->drivers = lmbi_arena_array(arena, array->count, sizeof *r->out->drivers);
    r->out->first =
        lmbi_arena_array(arena, (size_t)c->skeleton->joint_count + 1, sizeof *r->out->first);
    if (!r->out->drivers || !r->out->first) {
        return lmbi_fail_memory(r->error);
    }
    lmb_character_weights(c, r->out->first, NULL);
    for (const lmbi_json *json = array->child; json; json = json->next) {
        const lmb_result result = read_driver(r, json);
        if (result != LMB_OK) {
            return result;
        }
    }
    r->out->values = lmbi_arena_array(arena, (size_t)r->widest + 1, sizeof *r->out->values);
    return r->out->values ? LMB_OK : lmbi_fail_memory(r->error);
}

lmb_result lmb_pose_drivers_create(const lmb_character *character, const lmb_allocator *alloc,
                                   lmb_pose_drivers **out, lmb_error *error)
{
    const char *text = character->appearance ? character->appearance->carried : NULL;
    *out = NULL;
    if (!text) {
        return LMB_OK;
    }
    lmb_pose_drivers *made = lmbi_alloc(alloc, sizeof *made);
    if (!made) {
        return lmbi_fail_memory(error);
    }
    *made = (lmb_pose_drivers){.character = character,
                               .allocator = alloc ? *alloc : (lmb_allocator){0}};
    lmbi_arena_init(&made->arena, &made->allocator);
    reading r = {.out = made, .error = error};
    lmbi_json *root = NULL;
    lmb_result result = lmbi_json_read(&made->arena, text, strlen(text), &root, error);
    const lmbi_json *array =
        lmbi_json_find(lmbi_json_find(lmbi_json_find(root, "extras"), "limber"), "drivers");
    if (result == LMB_OK && array && array->type == LMBI_JSON_ARRAY) {
        result = read_all(&r, array);
    }
    if (result != LMB_OK || made->count == 0) {
        lmb_pose_drivers_destroy(made);
        return result;
    }
    *out = made;
    return LMB_OK;
}

void lmb_pose_drivers_destroy(lmb_pose_drivers *drivers)
{
    if (!drivers) {
        return;
    }
    const lmb_allocator alloc = drivers->allocator;
    for (uint32_t k = 0; k < drivers->count; ++k) {
        lmb_pose_space_destroy(drivers->drivers[k].space);
    }
    lmbi_arena_free(&drivers->arena);
    lmbi_free(&alloc, drivers);
}

// ---- evaluating

lmb_transform lmbi_drivers_helper(lmb_vec3 offset, const float value[HELPER_WIDTH])
{
    lmb_transform t = lmb_transform_identity();
    t.rotation =
        lmb_quat_normalize(lmbi_rotation_vector(lmb_vec3_make(value[0], value[1], value[2])));
    t.translation = lmb_vec3_add(offset, lmb_vec3_make(value[3], value[4], value[5]));
    return t;
}

bool lmbi_drivers_keyed(const lmb_clip *clip, uint32_t joint, bool weights)
{
    for (uint32_t n = 0; clip && n < clip->channel_count; ++n) {
        const lmb_channel *channel = &clip->channels[n];
        if (channel->joint == joint && (channel->path == LMB_PATH_WEIGHTS) == weights) {
            return true;
        }
    }
    return false;
}

void lmb_pose_drivers_evaluate(const lmb_pose_drivers_job *job)
{
    const lmb_pose_drivers *all = job->drivers;
    for (uint32_t k = 0; k < all->count; ++k) {
        const driver *d = &all->drivers[k];
        if (d->helper == LMB_NONE ? !job->weights
                                  : lmbi_drivers_keyed(job->clip, (uint32_t)d->helper, false)) {
            continue;
        }
        lmb_pose_space_evaluate(&(lmb_pose_space_job){d->space, job->local, all->values});
        if (d->helper != LMB_NONE) {
            job->local[d->helper] = lmbi_drivers_helper(
                all->character->skeleton->rest[d->helper].translation, all->values);
        }
        for (uint32_t n = 0; n < d->output_count; ++n) {
            if (!lmbi_drivers_keyed(job->clip, d->outputs[n].joint, true)) {
                job->weights[d->outputs[n].weight] = all->values[d->outputs[n].value];
            }
        }
    }
}

// ---- what is driven, for keys

const lmb_character *lmbi_drivers_character(const lmb_pose_drivers *drivers)
{
    return drivers->character;
}

void lmbi_drivers_mark(const lmb_pose_drivers *drivers, bool *moves, bool *weighs)
{
    for (uint32_t k = 0; k < drivers->count; ++k) {
        const driver *d = &drivers->drivers[k];
        if (d->helper != LMB_NONE) {
            moves[d->helper] = true;
        }
        for (uint32_t n = 0; n < d->output_count; ++n) {
            weighs[d->outputs[n].joint] = true;
        }
    }
}
