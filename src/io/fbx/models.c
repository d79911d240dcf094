#include "io/fbx/models.h"
#include "asset/asset.h"

#include <string.h>

/// Letters of R = R(order[0]) R(order[1]) R(order[2]) for RotationOrder 0 to 6: XYZ rotates about x
/// first, so x comes last. Spheric (6) is undocumented and read as XYZ, as other readers do.
static const char *const rotation_orders[] = {"zyx", "yzx", "xzy", "zxy", "yxz", "xyz", "zyx"};

static float degrees_to_rad(double degrees)
{
    const double revolutions = degrees / 360;
    // Reduced in double, since there may be many revolutions.
    const double whole =
        revolutions > -1e9 && revolutions < 1e9 ? (double)(int64_t)revolutions : revolutions;
    return (float)((revolutions - whole) * 6.283185307179586477);
}

static lmb_quat rotation_of(const double degrees[3], const char *order)
{
    float angles[3];
    for (int i = 0; i < 3; ++i) {
        angles[i] = degrees_to_rad(degrees[order[i] - 'x']);
    }
    return lmb_quat_from_euler(order, angles);
}

static lmb_vec3 vec3_of(const double v[3])
{
    return lmb_vec3_make((float)v[0], (float)v[1], (float)v[2]);
}

static lmb_vec3 length_property(const lmbi_fbx_object *object, const char *name, float unit_m)
{
    double v[3] = {0, 0, 0};
    lmbi_fbx_property(object, name, v, 3);
    return lmb_vec3_scale(vec3_of(v), unit_m);
}

static lmb_quat rotation_property(const lmbi_fbx_object *object, const char *name)
{
    double v[3] = {0, 0, 0};
    lmbi_fbx_property(object, name, v, 3);
    return rotation_of(v, rotation_orders[0]);
}

static lmb_mat4 geometric_transform(const lmbi_fbx_object *object, float unit_m)
{
    double scale[3] = {1, 1, 1};
    lmbi_fbx_property(object, "GeometricScaling", scale, 3);
    return lmb_mat4_from_transform(
        (lmb_transform){length_property(object, "GeometricTranslation", unit_m),
                        rotation_property(object, "GeometricRotation"), vec3_of(scale)});
}

/// Version 5000 has no properties: the rest pose is the default of the model's channels.
static void read_channel_defaults(const lmbi_fbx_node *node, lmbi_fbx_trs *trs)
{
    for (const lmbi_fbx_node *top = node->child; top; top = top->next) {
        if (!lmbi_fbx_is(top, "Channel") ||
            !lmbi_word_is_exact(lmbi_fbx_text(top, 0), "Transform")) {
            continue;
        }
        for (const lmbi_fbx_node *part = top->child; part; part = part->next) {
            const lmbi_word name = lmbi_fbx_text(part, 0);
            double *out = lmbi_word_is_exact(name, "T")   ? trs->translation
                          : lmbi_word_is_exact(name, "R") ? trs->rotation_deg
                          : lmbi_word_is_exact(name, "S") ? trs->scale
                                                          : NULL;
            for (const lmbi_fbx_node *axis = out ? part->child : NULL; axis; axis = axis->next) {
                const lmbi_word letter = lmbi_fbx_text(axis, 0);
                if (letter.size == 1 && letter.at[0] >= 'X' && letter.at[0] <= 'Z') {
                    double *value = &out[letter.at[0] - 'X'];
                    *value = lmbi_fbx_number(lmbi_fbx_child(axis, "Default"), 0, *value);
                }
            }
        }
    }
}

static void read_rotation_space(const lmbi_fbx_object *object, lmbi_fbx_model *model)
{
    model->before = model->after = lmb_quat_identity();
    model->order = rotation_orders[0];
    // Pre- and post-rotation and the order apply only with RotationActive.
    const bool active = lmbi_fbx_property_number(object, "RotationActive", 1) > 0;
    const bool limits_only = lmbi_fbx_property_number(object, "RotationSpaceForLimitOnly", 0) > 0;
    if (!active || limits_only) {
        return;
    }
    const double order = lmbi_fbx_property_number(object, "RotationOrder", 0);
    model->order = rotation_orders[order >= 0 && order < 7 ? (int)order : 0];
    model->before = rotation_property(object, "PreRotation");
    model->after = lmb_quat_conjugate(rotation_property(object, "PostRotation"));
}

static void read_model(const lmbi_fbx_scene *scene, uint32_t object_index, float unit_m,
                       lmbi_fbx_model *model)
{
    const lmbi_fbx_object *object = &scene->objects[object_index];
    *model = (lmbi_fbx_model){.object = object_index, .parent = LMB_NONE, .rest.scale = {1, 1, 1}};
    if (scene->fbx->version < 6000) {
        read_channel_defaults(object->node, &model->rest);
    }
    lmbi_fbx_property(object, "Lcl Translation", model->rest.translation, 3);
    lmbi_fbx_property(object, "Lcl Rotation", model->rest.rotation_deg, 3);
    lmbi_fbx_property(object, "Lcl Scaling", model->rest.scale, 3);
    model->rotation_offset = length_property(object, "RotationOffset", unit_m);
    model->rotation_pivot = length_property(object, "RotationPivot", unit_m);
    model->scaling_offset = length_property(object, "ScalingOffset", unit_m);
    model->scaling_pivot = length_property(object, "ScalingPivot", unit_m);
    model->mesh_from_geometry = geometric_transform(object, unit_m);
    read_rotation_space(object, model);
    const double inherit = lmbi_fbx_property_number(object, "InheritType", 1);
    model->inherit = inherit < 0.5   ? LMBI_FBX_INHERIT_AXES
                     : inherit > 1.5 ? LMBI_FBX_INHERIT_NONE
                                     : LMBI_FBX_INHERIT_NORMAL;
}

// ------------------------------------------------------------------------------------- unit, axes

static lmb_vec3 axis_property(const lmbi_fbx_node *settings, const char *axis, const char *sign,
                              lmb_vec3 missing)
{
    double which = -1, positive = 1;
    lmbi_fbx_list_property(settings, axis, &which, 1);
    lmbi_fbx_list_property(settings, sign, &positive, 1);
    if (!(which >= 0 && which < 3)) {
        return missing;
    }
    const float s = positive < 0 ? -1.0f : 1.0f;
    const int i = (int)which;
    return lmb_vec3_make(i == 0 ? s : 0, i == 1 ? s : 0, i == 2 ? s : 0);
}

/// The rows of the rotation are the file's right, up and front axes. For left-handed or degenerate
/// axes, only the up axis is used.
static lmb_quat axes_of(lmbi_fbx *fbx, const lmbi_fbx_node *settings)
{
    const lmb_vec3 up = axis_property(settings, "UpAxis", "UpAxisSign", lmb_vec3_make(0, 1, 0));
    const lmb_vec3 right =
        axis_property(settings, "CoordAxis", "CoordAxisSign", lmb_vec3_make(1, 0, 0));
    const lmb_vec3 front =
        axis_property(settings, "FrontAxis", "FrontAxisSign", lmb_vec3_cross(right, up));
    if (lmb_vec3_dot(lmb_vec3_cross(right, up), front) > 0.5f) {
        return lmb_quat_conjugate(lmb_quat_from_axes(right, up, front));
    }
    lmbi_note(fbx->notes, 0,
              "the axes in GlobalSettings are no right-handed set: only the up axis is used");
    return lmb_quat_between(up, lmb_vec3_make(0, 1, 0));
}

/// Frames a second of TimeMode 0 to 17.
static double frame_rate_of(const lmbi_fbx_node *settings)
{
    static const double rates[] = {30,
                                   120,
                                   100,
                                   60,
                                   50,
                                   48,
                                   30,
                                   30,
                                   30000.0 / 1001,
                                   30000.0 / 1001,
                                   25,
                                   24,
                                   1000,
                                   24000.0 / 1001,
                                   0,
                                   96,
                                   72,
                                   60000.0 / 1001};
    double mode = 11, custom = 24;
    lmbi_fbx_list_property(settings, "TimeMode", &mode, 1);
    lmbi_fbx_list_property(settings, "CustomFrameRate", &custom, 1);
    const double rate = mode >= 0 && mode < 18 ? rates[(int)mode] : 24;
    // TimeMode 14 means the custom rate; 1000 frames a second is an editing grid, not a recording.
    const double chosen = rate > 0 ? rate : custom;
    return chosen >= 1 && chosen <= 240 ? chosen : 30;
}

static float unit_of(const lmbi_fbx_node *settings, float asked_m)
{
    double centimetres = 1;
    lmbi_fbx_list_property(settings, "UnitScaleFactor", &centimetres, 1);
    if (asked_m > 0) {
        return asked_m;
    }
    return centimetres > 1e-6 && centimetres < 1e9 ? (float)(centimetres * 0.01) : 0.01f;
}

// ------------------------------------------------------------------------------------------- tree

/// Sorts parents before children; a cycle is malformed.
static lmb_result sort_models(lmbi_fbx_scene *scene, lmbi_fbx_models *models)
{
    lmbi_fbx *fbx = scene->fbx;
    const uint32_t n = models->count;
    int32_t *parents = lmbi_arena_array(&fbx->arena, n, sizeof *parents);
    uint32_t *order = lmbi_arena_array(&fbx->arena, n, sizeof *order);
    lmbi_fbx_model *sorted = lmbi_arena_array(&fbx->arena, n, sizeof *sorted);
    if (!parents || !order || !sorted) {
        return lmbi_fail_memory(fbx->error);
    }
    for (uint32_t i = 0; i < n; ++i) {
        const int32_t above = lmbi_fbx_scene_target(scene, models->items[i].object, LMBI_FBX_MODEL);
        parents[i] = above > (int32_t)LMBI_FBX_ROOT ? models->of_object[above] : LMB_NONE;
    }
    const lmb_result result = lmbi_joints_sort(parents, n, order, fbx->alloc, NULL);
    if (result == LMB_ERROR_INVALID) {
        return lmbi_fbx_fail(fbx, scene->objects[models->items[0].object].node, "a tree of models",
                             "a cycle");
    }
    if (result != LMB_OK) {
        return lmbi_fail_memory(fbx->error);
    }
    for (uint32_t k = 0; k < n; ++k) {
        sorted[k] = models->items[order[k]];
        models->of_object[sorted[k].object] = (int32_t)k;
    }
    for (uint32_t k = 0; k < n; ++k) {
        const int32_t above = parents[order[k]];
        sorted[k].parent =
            above == LMB_NONE ? LMB_NONE : models->of_object[models->items[above].object];
    }
    models->items = sorted;
    return LMB_OK;
}

lmb_result lmbi_fbx_models_make(lmbi_fbx_scene *scene, float unit_m, lmbi_fbx_models *models)
{
    lmbi_fbx *fbx = scene->fbx;
    *models = (lmbi_fbx_models){.unit_m = unit_of(scene->settings, unit_m),
                                .up = axes_of(fbx, scene->settings),
                                .frame_rate = frame_rate_of(scene->settings)};
    uint32_t count = 0;
    for (size_t i = 1; i < scene->count; ++i) {
        count += scene->objects[i].kind == LMBI_FBX_MODEL;
    }
    models->items = lmbi_arena_array(&fbx->arena, count, sizeof *models->items);
    models->of_object = lmbi_arena_array(&fbx->arena, scene->count, sizeof *models->of_object);
    if (!models->items || !models->of_object) {
        return lmbi_fail_memory(fbx->error);
    }
    for (size_t i = 0; i < scene->count; ++i) {
        models->of_object[i] = LMB_NONE;
        if (i > LMBI_FBX_ROOT && scene->objects[i].kind == LMBI_FBX_MODEL) {
            models->of_object[i] = (int32_t)models->count;
            read_model(scene, (uint32_t)i, models->unit_m, &models->items[models->count++]);
        }
    }
    if (count == 0) {
        return lmbi_fbx_fail(fbx, &fbx->root, "at least one model", "none");
    }
    return sort_models(scene, models);
}

static bool is_uniform(const double s[3])
{
    const double size = s[0] < 0 ? -s[0] : s[0];
    const double slack = 1e-6 * size, dy = s[1] - s[0], dz = s[2] - s[0];
    return size > 0 && dy <= slack && dy >= -slack && dz <= slack && dz >= -slack;
}

/// A child that does not inherit its parent's non-uniform scale by matrix would need shear. Such a
/// parent is split: its scale is on a separate joint, which those children are not below.
void lmbi_fbx_models_number(lmbi_fbx_models *models)
{
    uint32_t joint = 0;
    for (uint32_t i = 0; i < models->count; ++i) {
        const lmbi_fbx_model *model = &models->items[i];
        // Scale passes down through children that inherit it by axes, so all ancestors count.
        bool uneven = false;
        for (int32_t p = model->parent;
             model->inherit != LMBI_FBX_INHERIT_NORMAL && p != LMB_NONE && !uneven;
             p = models->items[p].inherit == LMBI_FBX_INHERIT_NORMAL ? LMB_NONE
                                                                     : models->items[p].parent) {
            uneven = models->items[p].scales || !is_uniform(models->items[p].rest.scale);
        }
        if (uneven) {
            models->items[model->parent].split = true;
        }
    }
    for (uint32_t i = 0; i < models->count; ++i) {
        lmbi_fbx_model *model = &models->items[i];
        model->joint = joint++;
        model->scale_joint = model->split ? joint++ : model->joint;
    }
    models->joint_count = joint;
}

// -------------------------------------------------------------------------------------- transform

static lmb_vec3 divide_components(lmb_vec3 a, lmb_vec3 b)
{
    return lmb_vec3_make(b.x > 0 || b.x < 0 ? a.x / b.x : a.x, b.y > 0 || b.y < 0 ? a.y / b.y : a.y,
                         b.z > 0 || b.z < 0 ? a.z / b.z : a.z);
}

static lmbi_fbx_scale scale_of(const lmbi_fbx_model *model, lmb_vec3 own,
                               const lmbi_fbx_scale *parent)
{
    const lmb_vec3 one = {1, 1, 1};
    const bool normal = model->inherit == LMBI_FBX_INHERIT_NORMAL || parent == NULL;
    const lmb_vec3 inherited = normal                                    ? one
                               : model->inherit == LMBI_FBX_INHERIT_AXES ? parent->whole
                                                                         : parent->inherited;
    const lmb_vec3 whole = lmb_vec3_mul(inherited, own);
    return (lmbi_fbx_scale){inherited, whole,
                            !model->split ? whole
                            : normal      ? one
                                          : parent->carried};
}

/// The FBX SDK's T Roff Rp Rpre R Rpost^-1 Rp^-1 Soff Sp S Sp^-1. It is a translation, a rotation
/// and a scale, since S is the rightmost factor that is not a translation.
lmb_transform lmbi_fbx_model_local(const lmbi_fbx_models *models, uint32_t index,
                                   const lmbi_fbx_trs *trs, lmbi_fbx_scale *scales,
                                   lmb_transform *split)
{
    const lmbi_fbx_model *m = &models->items[index];
    const lmb_vec3 own = vec3_of(trs->scale);
    const lmb_quat rotation =
        lmb_quat_mul(lmb_quat_mul(m->before, rotation_of(trs->rotation_deg, m->order)), m->after);
    lmb_vec3 arm =
        lmb_vec3_sub(lmb_vec3_add(m->scaling_offset, m->scaling_pivot), m->rotation_pivot);
    arm = lmb_vec3_sub(arm, lmb_vec3_mul(own, m->scaling_pivot));
    lmb_transform local = {
        .translation =
            lmb_vec3_add(lmb_vec3_add(lmb_vec3_scale(vec3_of(trs->translation), models->unit_m),
                                      lmb_vec3_add(m->rotation_offset, m->rotation_pivot)),
                         lmb_quat_rotate(rotation, arm)),
        .rotation = lmb_quat_normalize(rotation),
    };
    const lmbi_fbx_model *parent = m->parent == LMB_NONE ? NULL : &models->items[m->parent];
    scales[index] = scale_of(m, own, parent ? &scales[m->parent] : NULL);
    local.scale = scales[index].whole;
    if (parent && m->inherit != LMBI_FBX_INHERIT_NORMAL) {
        const lmbi_fbx_scale *above = &scales[m->parent];
        local.translation =
            lmb_vec3_mul(divide_components(above->whole, above->carried), local.translation);
        local.scale = divide_components(local.scale, above->carried);
    }
    if (m->split) {
        *split = lmb_transform_identity();
        split->scale = local.scale;
        local.scale = lmb_vec3_make(1, 1, 1);
    }
    if (parent == NULL) {
        local.rotation = lmb_quat_normalize(lmb_quat_mul(models->up, local.rotation));
        local.translation = lmb_quat_rotate(models->up, local.translation);
    }
    return local;
}
