#include <string.h>

#include "base/alloc.h"
#include "io/common.h"
#include "io/skinned/skinned.h"
#include "io/surface/shader_picture.h"

// ------------------------------------------------------------------------------------- converting

/// Converts transforms: C M C^-1 with the change of axes C; lengths in metres.
static void convert_transforms(lmb_transform *items, size_t count, float unit_m, lmb_axis up)
{
    const lmb_vec3 signs = lmbi_axis_to_y(up, lmb_vec3_make(1, 1, 1));
    for (size_t k = 0; k < count; ++k) {
        lmb_transform *t = &items[k];
        const lmb_vec3 scale = lmbi_axis_to_y(up, t->scale);
        t->translation = lmb_vec3_scale(lmbi_axis_to_y(up, t->translation), unit_m);
        t->rotation = lmbi_axis_quat_to_y(up, t->rotation);
        t->scale = lmb_vec3_make(scale.x * signs.x, scale.y * signs.y, scale.z * signs.z);
    }
}

static void convert_mesh(lmb_mesh *mesh, float unit_m, lmb_axis up)
{
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        mesh->positions[v] = lmb_vec3_scale(lmbi_axis_to_y(up, mesh->positions[v]), unit_m);
        if (mesh->normals != NULL) {
            mesh->normals[v] = lmbi_axis_to_y(up, mesh->normals[v]);
        }
        if (mesh->tangents != NULL) {
            lmb_vec4 *t = &mesh->tangents[v];
            const lmb_vec3 rotated = lmbi_axis_to_y(up, lmb_vec3_make(t->x, t->y, t->z));
            *t = (lmb_vec4){rotated.x, rotated.y, rotated.z, t->w};
        }
    }
}

// -------------------------------------------------------------------------------------- influences

/// Merges weights of the same joint and drops those of 0 or less. Returns how many are left.
static uint32_t merge_row(lmb_influence *row, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t k = 0; k < count; ++k) {
        uint32_t at = 0;
        while (at < kept && row[at].joint != row[k].joint) {
            ++at;
        }
        if (at < kept) {
            row[at].weight += row[k].weight;
        } else if (row[k].weight > 0) {
            row[kept++] = row[k];
        }
    }
    return kept;
}

/// Sorts the row and scales it to sum 1. The sum is taken in the file's order, before sorting.
static void finish_row(lmb_influence *row, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; ++i) {
        sum += (double)row[i].weight;
    }
    lmbi_influences_sort(row, count);
    for (uint32_t i = 0; i < count; ++i) {
        row[i].weight = (float)((double)row[i].weight / sum);
    }
}

static void clean_rows(lmb_influences *rows, uint32_t vertex_count)
{
    uint32_t filled = 0;
    for (uint32_t v = 0, begin = 0; v < vertex_count; ++v) {
        const uint32_t end = rows->first[v + 1];
        const uint32_t kept = merge_row(rows->items + begin, end - begin);
        for (uint32_t k = 0; k < kept; ++k) {
            rows->items[filled + k] = rows->items[begin + k];
        }
        finish_row(rows->items + filled, kept);
        filled += kept;
        begin = end;
        rows->first[v + 1] = filled;
    }
}

// ------------------------------------------------------------------------------------------ parts

typedef struct parts {
    lmb_skeleton *skeleton;
    lmb_mesh *mesh;
    lmb_skin *skin;
    lmb_appearance *appearance;
    lmb_clip **clips;
    uint32_t clip_count;
} parts;

/// Makes the skeleton: the file's joints, and one more root that carries the mesh.
static lmb_result make_skeleton(lmbi_skinned *s, const lmb_allocator *alloc, parts *p,
                                lmb_error *error)
{
    const uint32_t n = s->joint_count, extra = s->mesh.vertex_count > 0 || n == 0;
    lmb_skeleton def = {.joint_count = n + extra};
    def.parents = lmbi_arena_array(&s->arena, (size_t)n + 1, sizeof(int32_t));
    def.rest = lmbi_arena_array(&s->arena, (size_t)n + 1, sizeof(lmb_transform));
    def.names = lmbi_arena_array(&s->arena, (size_t)n + 1, sizeof(char *));
    if (def.parents == NULL || def.rest == NULL || def.names == NULL) {
        return lmbi_fail_memory(error);
    }
    if (n > 0) {
        memcpy(def.parents, s->parents, n * sizeof(int32_t));
        memcpy(def.rest, s->rest, n * sizeof(lmb_transform));
        memcpy(def.names, s->names, n * sizeof(char *));
    }
    def.parents[n] = LMB_NONE;
    def.rest[n] = lmb_transform_identity();
    def.names[n] = "mesh";
    return lmb_skeleton_create(&def, alloc, &p->skeleton, error);
}

/// Finds each material's picture, which becomes its base colour. Missing pictures give one note.
static bool find_pictures(lmbi_skinned *s, lmb_appearance *appearance)
{
    uint32_t missing = 0;
    const char *first = NULL, *other = NULL;
    appearance->images =
        lmbi_arena_array(&s->arena, appearance->material_count, sizeof *appearance->images);
    appearance->textures =
        lmbi_arena_array(&s->arena, appearance->material_count, sizeof *appearance->textures);
    if (appearance->images == NULL || appearance->textures == NULL) {
        return false;
    }
    for (uint32_t k = 0; k < appearance->material_count && s->loader != NULL; ++k) {
        lmb_material *material = &appearance->materials[k];
        lmb_image *image = &appearance->images[appearance->image_count];
        if (!lmbi_shader_picture(s->loader, material->name, &s->arena, image, &other)) {
            return false;
        }
        if (image->bytes != NULL) {
            appearance->textures[appearance->image_count].image = (int32_t)appearance->image_count;
            material->base_color_texture = (int32_t)appearance->image_count++;
        } else if (other != NULL) {
            lmbi_note(s->notes, 0, "%.60s is no PNG or JPEG and was left out", other);
        } else if (material->name[0] != 0) {
            first = missing++ == 0 ? material->name : first;
        }
    }
    appearance->texture_count = appearance->image_count;
    if (missing > 0) {
        lmbi_note(s->notes, 0, "no picture was found for %u of %u materials, the first is %.40s",
                  missing, appearance->material_count, first);
    }
    return true;
}

/// Makes one material for each name; primitives refer to them.
static lmb_result make_appearance(lmbi_skinned *s, const lmb_allocator *alloc, parts *p,
                                  lmb_error *error)
{
    const uint32_t count = s->mesh.primitive_count;
    lmb_material *materials = lmbi_arena_array(&s->arena, count, sizeof *materials);
    if (materials == NULL) {
        return lmbi_fail_memory(error);
    }
    lmbi_names names;
    lmbi_names_init(&names, alloc);
    lmb_result result = LMB_OK;
    for (uint32_t k = 0; k < count && result == LMB_OK; ++k) {
        const lmbi_word word = {s->materials[k], strlen(s->materials[k])};
        const int32_t index = lmbi_names_add(&names, word);
        if (index < 0) {
            result = lmbi_fail_memory(error);
            break;
        }
        s->mesh.primitives[k].material = index;
        materials[index] = (lmb_material){.name = s->materials[k],
                                          .base_color = {1, 1, 1, 1},
                                          .base_color_texture = LMB_NONE,
                                          .roughness = 1};
    }
    if (result == LMB_OK) {
        lmb_appearance def = {.material_count = (uint32_t)names.count, .materials = materials};
        result = find_pictures(s, &def) ? lmb_appearance_create(&def, alloc, &p->appearance, error)
                                        : lmbi_fail_memory(error);
    }
    lmbi_names_free(&names);
    return result;
}

static lmb_result make_skin(lmbi_skinned *s, const lmb_allocator *alloc, parts *p, lmb_error *error)
{
    lmb_skin def = {.joint_count = s->joint_count, .root = LMB_NONE};
    def.joints = lmbi_arena_array(&s->arena, s->joint_count, sizeof *def.joints);
    def.joint_from_bind = lmbi_arena_array(&s->arena, s->joint_count, sizeof(lmb_mat4));
    lmb_mat4 *model = lmbi_rest_matrices(p->skeleton, alloc);
    if (def.joints == NULL || def.joint_from_bind == NULL || model == NULL) {
        lmbi_free(alloc, model);
        return lmbi_fail_memory(error);
    }
    lmb_result result = LMB_OK;
    for (uint32_t j = 0; j < s->joint_count; ++j) {
        def.joints[j] = j;
        if (!lmb_mat4_inverse_affine(model[j], &def.joint_from_bind[j])) {
            result = lmbi_fail(error, LMB_ERROR_MALFORMED, "joints that do not flatten",
                               "joint %u, %.60s", j, s->names[j]);
        }
    }
    lmbi_free(alloc, model);
    return result == LMB_OK ? lmb_skin_create(&def, alloc, &p->skin, error) : result;
}

static lmb_result make_mesh(lmbi_skinned *s, const lmb_allocator *alloc, parts *p, lmb_error *error)
{
    lmb_result result = LMB_OK;
    if (s->mesh.influences.first != NULL) {
        clean_rows(&s->mesh.influences, s->mesh.vertex_count);
        result = make_skin(s, alloc, p, error);
    }
    for (uint32_t k = 0; k < s->mesh.primitive_count; ++k) {
        s->mesh.primitives[k].material = LMB_NONE;
    }
    if (result == LMB_OK && s->materials != NULL) {
        result = make_appearance(s, alloc, p, error);
    }
    return result == LMB_OK ? lmb_mesh_create(&s->mesh, alloc, &p->mesh, error) : result;
}

static lmb_result make_clips(lmbi_skinned *s, const lmb_allocator *alloc, parts *p,
                             lmb_error *error)
{
    p->clips = lmbi_arena_array(&s->arena, s->clip_count, sizeof *p->clips);
    if (p->clips == NULL) {
        return lmbi_fail_memory(error);
    }
    lmb_result result = LMB_OK;
    for (uint32_t c = 0; c < s->clip_count && result == LMB_OK; ++c) {
        lmb_clip def;
        result = lmbi_skinned_channels(s, &s->clips[c], &def)
                     ? lmb_clip_create(&def, alloc, &p->clips[p->clip_count], error)
                     : lmbi_fail_memory(error);
        p->clip_count += result == LMB_OK;
    }
    return result;
}

// --------------------------------------------------------------------------------------- together

static lmb_result assemble(const lmbi_skinned *s, parts *p, const lmb_allocator *alloc,
                           lmb_character **out, lmb_error *error)
{
    lmb_instance instance = {.joint = s->joint_count, .skin = p->skin != NULL ? 0 : LMB_NONE};
    const lmb_character def = {.skeleton = p->skeleton,
                               .appearance = p->appearance,
                               .mesh_count = p->mesh != NULL,
                               .meshes = &p->mesh,
                               .skin_count = p->skin != NULL,
                               .skins = &p->skin,
                               .clip_count = p->clip_count,
                               .clips = p->clips,
                               .instance_count = p->mesh != NULL,
                               .instances = &instance};
    return lmb_character_create(&def, alloc, out, error);
}

static void destroy_parts(parts *p)
{
    lmb_skeleton_destroy(p->skeleton);
    lmb_mesh_destroy(p->mesh);
    lmb_skin_destroy(p->skin);
    lmb_appearance_destroy(p->appearance);
    for (uint32_t c = 0; c < p->clip_count; ++c) {
        lmb_clip_destroy(p->clips[c]);
    }
}

lmb_result lmbi_skinned_build(lmbi_skinned *s, float unit_m, lmb_axis up,
                              const lmb_allocator *alloc, lmb_character **out, lmb_error *error)
{
    convert_transforms(s->rest, s->joint_count, unit_m, up);
    convert_mesh(&s->mesh, unit_m, up);
    for (uint32_t c = 0; c < s->clip_count; ++c) {
        lmbi_skinned_clip *clip = &s->clips[c];
        convert_transforms(clip->poses, (size_t)clip->frame_count * s->joint_count, unit_m, up);
    }
    parts p = {0};
    lmb_result result = make_skeleton(s, alloc, &p, error);
    if (result == LMB_OK && s->mesh.vertex_count > 0) {
        result = make_mesh(s, alloc, &p, error);
    }
    if (result == LMB_OK) {
        result = make_clips(s, alloc, &p, error);
    }
    if (result == LMB_OK) {
        result = assemble(s, &p, alloc, out, error);
    }
    if (result != LMB_OK) {
        destroy_parts(&p);
    }
    return result;
}
