#include <string.h>

#include "base/alloc.h"
#include "io/common.h"
#include "io/fbx/assets.h"
#include "io/fbx/fbx.h"

/// Definitions in the arena, from which the assets are created.
typedef struct maker {
    lmbi_fbx *fbx;
    lmbi_fbx_scene scene;
    lmbi_fbx_models models;
    lmbi_fbx_meshes meshes;
    lmbi_fbx_takes takes;
    lmb_appearance look;
    lmb_skeleton skeleton;
    lmb_clip *clips;
    uint32_t clip_count;
    lmb_instance *instances;
    lmb_character def; ///< of created assets
} maker;

static const char *split_name(maker *m, const char *name)
{
    lmbi_text text;
    lmbi_text_init(&text, m->fbx->alloc);
    lmbi_text_add(&text, name);
    lmbi_text_add(&text, " scale");
    const char *copy = text.failed ? NULL : lmbi_arena_string(&m->fbx->arena, text.data, text.size);
    lmbi_text_free(&text);
    return copy;
}

static lmb_result make_skeleton(maker *m)
{
    const lmbi_fbx_models *models = &m->models;
    lmbi_arena *arena = &m->fbx->arena;
    lmb_skeleton *s = &m->skeleton;
    s->joint_count = models->joint_count;
    s->parents = lmbi_arena_array(arena, s->joint_count, sizeof *s->parents);
    s->rest = lmbi_arena_array(arena, s->joint_count, sizeof *s->rest);
    s->names = lmbi_arena_array(arena, s->joint_count, sizeof *s->names);
    lmbi_fbx_scale *scales = lmbi_arena_array(arena, models->count, sizeof *scales);
    if (!s->parents || !s->rest || !s->names || !scales) {
        return lmbi_fail_memory(m->fbx->error);
    }
    for (uint32_t i = 0; i < models->count; ++i) {
        const lmbi_fbx_model *model = &models->items[i];
        const lmbi_fbx_model *parent =
            model->parent == LMB_NONE ? NULL : &models->items[model->parent];
        lmb_transform split;
        s->rest[model->joint] = lmbi_fbx_model_local(models, i, &model->rest, scales, &split);
        s->names[model->joint] = m->scene.objects[model->object].name;
        s->parents[model->joint] =
            parent == NULL
                ? LMB_NONE
                : (int32_t)(model->inherit == LMBI_FBX_INHERIT_NORMAL ? parent->scale_joint
                                                                      : parent->joint);
        if (model->split) {
            s->rest[model->scale_joint] = split;
            s->parents[model->scale_joint] = (int32_t)model->joint;
            s->names[model->scale_joint] = split_name(m, m->scene.objects[model->object].name);
            if (s->names[model->scale_joint] == NULL) {
                return lmbi_fail_memory(m->fbx->error);
            }
        }
    }
    return LMB_OK;
}

static lmb_result parse_tree(lmbi_fbx *fbx)
{
    if (lmbi_fbx_is_binary(fbx->bytes, fbx->size)) {
        return lmbi_fbx_parse_binary(fbx);
    }
    fbx->ascii = true;
    const lmb_result result = lmbi_text_check(fbx->bytes, fbx->size, fbx->error);
    return result == LMB_OK ? lmbi_fbx_parse_ascii(fbx) : result;
}

/// Reads the file's objects and makes the definitions from them.
static lmb_result make_definitions(maker *m, const lmbi_fbx_read_opts *opts)
{
    int32_t *look_of = NULL;
    lmb_result result = parse_tree(m->fbx);
    if (result == LMB_OK) {
        result = lmbi_fbx_scene_make(m->fbx, &m->scene);
    }
    if (result == LMB_OK) {
        result = lmbi_fbx_models_make(&m->scene, opts->unit_m, &m->models);
    }
    if (result == LMB_OK) {
        result = lmbi_fbx_takes_read(&m->scene, &m->takes);
    }
    if (result != LMB_OK) {
        return result;
    }
    lmbi_fbx_clips_prepare(&m->takes, &m->models);
    result = lmbi_fbx_look_make(&m->scene, opts->loader, &m->look, &look_of);
    if (result == LMB_OK) {
        result = lmbi_fbx_meshes_make(&m->scene, &m->models, look_of, &m->meshes);
    }
    if (result == LMB_OK) {
        result = make_skeleton(m);
    }
    return result == LMB_OK ? lmbi_fbx_clips_make(&m->scene, &m->takes, &m->models, &m->meshes,
                                                  &m->clips, &m->clip_count)
                            : result;
}

// ----------------------------------------------------------------------------------------- assets

static lmb_result create_meshes(maker *m, const lmb_allocator *alloc)
{
    lmb_character *def = &m->def;
    lmb_error *error = m->fbx->error;
    for (uint32_t i = 0; i < m->meshes.count; ++i) {
        const lmbi_fbx_mesh *mesh = &m->meshes.items[i];
        lmb_result result = lmb_mesh_create(&mesh->def, alloc, &def->meshes[i], error);
        def->mesh_count = i + 1;
        if (result == LMB_OK && mesh->skin != LMB_NONE) {
            result = lmb_skin_create(&mesh->skin_def, alloc, &def->skins[def->skin_count], error);
            def->skin_count += result == LMB_OK;
        }
        if (result != LMB_OK) {
            return result;
        }
    }
    return LMB_OK;
}

static void fill_instances(maker *m)
{
    int32_t skin = 0;
    for (uint32_t i = 0; i < m->meshes.count; ++i) {
        lmbi_fbx_mesh *mesh = &m->meshes.items[i];
        mesh->skin_index = mesh->skin == LMB_NONE ? LMB_NONE : skin++;
    }
    for (uint32_t i = 0; i < m->meshes.use_count; ++i) {
        const lmbi_fbx_use *use = &m->meshes.uses[i];
        m->instances[i] = (lmb_instance){.joint = m->models.items[use->model].scale_joint,
                                         .mesh = use->mesh,
                                         .skin = m->meshes.items[use->mesh].skin_index};
    }
}

static lmb_result create_assets(maker *m, const lmb_allocator *alloc)
{
    lmb_character *def = &m->def;
    lmbi_arena *arena = &m->fbx->arena;
    def->meshes = lmbi_arena_array(arena, m->meshes.count, sizeof *def->meshes);
    def->skins = lmbi_arena_array(arena, m->meshes.count, sizeof *def->skins);
    def->clips = lmbi_arena_array(arena, m->clip_count, sizeof *def->clips);
    m->instances = lmbi_arena_array(arena, m->meshes.use_count, sizeof *m->instances);
    if (!def->meshes || !def->skins || !def->clips || !m->instances) {
        return lmbi_fail_memory(m->fbx->error);
    }
    fill_instances(m);
    def->instances = m->instances;
    def->instance_count = m->meshes.use_count;
    lmb_result result = lmb_skeleton_create(&m->skeleton, alloc, &def->skeleton, m->fbx->error);
    if (result == LMB_OK && m->look.material_count > 0) {
        result = lmb_appearance_create(&m->look, alloc, &def->appearance, m->fbx->error);
    }
    if (result == LMB_OK) {
        result = create_meshes(m, alloc);
    }
    for (uint32_t i = 0; i < m->clip_count && result == LMB_OK; ++i) {
        result = lmb_clip_create(&m->clips[i], alloc, &def->clips[i], m->fbx->error);
        def->clip_count += result == LMB_OK;
    }
    return result;
}

static void fill_info(const maker *m, lmb_fbx_info *info)
{
    *info = (lmb_fbx_info){.version = m->fbx->version,
                           .ascii = m->fbx->ascii,
                           .unit_m = m->models.unit_m,
                           .frame_rate = (float)m->models.frame_rate,
                           .model_count = m->models.count};
}

lmb_result lmbi_fbx_read(const void *bytes, size_t size, const lmbi_fbx_read_opts *opts,
                         const lmb_allocator *alloc, lmb_character **out, lmb_error *error)
{
    const lmbi_fbx_read_opts defaults = {0};
    opts = opts ? opts : &defaults;
    lmbi_fbx fbx = {
        .alloc = alloc, .bytes = bytes, .size = size, .notes = opts->notes, .error = error};
    maker m = {.fbx = &fbx, .scene.fbx = &fbx};
    lmbi_arena_init(&fbx.arena, alloc);
    lmb_result result = make_definitions(&m, opts);
    if (result == LMB_OK) {
        result = create_assets(&m, alloc);
    }
    if (result == LMB_OK) {
        result = lmb_character_create(&m.def, alloc, out, error);
    }
    if (result != LMB_OK) {
        lmbi_character_parts_destroy(&m.def);
    } else if (opts->info) {
        fill_info(&m, opts->info);
    }
    lmbi_fbx_takes_free(&m.scene, &m.takes);
    lmbi_fbx_scene_free(&m.scene);
    lmbi_arena_free(&fbx.arena);
    return result;
}
