#include "author/gather.h"
#include "asset/asset.h"

#include "base/error.h"

typedef struct gathering {
    const lmb_character *in;
    lmbi_arena *arena;
    lmbi_gathered *out;
} gathering;

static lmb_vec3 posed(const lmb_mesh *mesh, const lmb_mat4 *palette, uint32_t vertex)
{
    const lmb_influences *rows = &mesh->influences;
    lmb_vec3 sum = {0, 0, 0};
    float total = 0;
    for (uint32_t k = rows->first[vertex]; k < rows->first[vertex + 1]; ++k) {
        sum = lmb_vec3_mad(sum,
                           lmb_mat4_point(palette[rows->items[k].joint], mesh->positions[vertex]),
                           rows->items[k].weight);
        total += rows->items[k].weight;
    }
    return total > 0 ? lmb_vec3_scale(sum, 1 / total) : mesh->positions[vertex];
}

static lmb_result bake_skinned(gathering *r, uint32_t instance, const lmb_mat4 *model_from_joint,
                               lmb_error *error)
{
    const lmb_instance *i = &r->in->instances[instance];
    const lmb_mesh *mesh = r->in->meshes[i->mesh];
    const lmb_skin *skin = r->in->skins[i->skin];
    lmb_mat4 *palette = lmbi_arena_array(r->arena, skin->joint_count, sizeof *palette);
    lmb_vec3 *baked = lmbi_arena_array(r->arena, mesh->vertex_count, sizeof *baked);
    if (!palette || !baked) {
        return lmbi_fail_memory(error);
    }
    lmb_skin_palette(skin, model_from_joint, palette);
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        baked[v] = posed(mesh, palette, v);
    }
    r->out->baked[instance] = baked;
    r->out->model_from_mesh[instance] = lmb_mat4_identity();
    return LMB_OK;
}

static lmb_result place_instances(gathering *r, lmb_error *error)
{
    const lmb_character *in = r->in;
    r->out->model_from_mesh = lmbi_arena_array(r->arena, in->instance_count, sizeof(lmb_mat4));
    r->out->baked = lmbi_arena_array(r->arena, in->instance_count, sizeof(lmb_vec3 *));
    lmb_mat4 *model_from_joint =
        lmbi_arena_array(r->arena, in->skeleton->joint_count, sizeof(lmb_mat4));
    if (!r->out->model_from_mesh || !r->out->baked || !model_from_joint) {
        return lmbi_fail_memory(error);
    }
    lmb_pose_to_model(
        &(lmb_pose_to_model_job){.skeleton = in->skeleton, .model_from_joint = model_from_joint});
    for (uint32_t i = 0; i < in->instance_count; ++i) {
        const lmb_instance *instance = &in->instances[i];
        r->out->model_from_mesh[i] = model_from_joint[instance->joint];
        if (instance->skin != LMB_NONE && in->meshes[instance->mesh]->influences.first) {
            const lmb_result result = bake_skinned(r, i, model_from_joint, error);
            if (result != LMB_OK) {
                return result;
            }
        }
    }
    return LMB_OK;
}

static void gather_instance(gathering *r, uint32_t instance)
{
    const lmb_mesh *mesh = r->in->meshes[r->in->instances[instance].mesh];
    const uint32_t first = r->out->position_count;
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        const lmb_vec3 p =
            r->out->baked[instance] ? r->out->baked[instance][v] : mesh->positions[v];
        r->out->positions[r->out->position_count++] =
            lmb_mat4_point(r->out->model_from_mesh[instance], p);
    }
    for (uint32_t p = 0; p < mesh->primitive_count; ++p) {
        const lmb_primitive *primitive = &mesh->primitives[p];
        if (primitive->topology != LMB_TRIANGLES) {
            continue;
        }
        for (uint32_t k = 0; k < primitive->index_count / 3 * 3; ++k) {
            r->out->triangles[3 * (size_t)r->out->triangle_count + k] =
                first + mesh->indices[primitive->first_index + k];
        }
        r->out->triangle_count += primitive->index_count / 3;
    }
}

static lmb_result gather_all(gathering *r, lmb_error *error)
{
    const lmb_character *in = r->in;
    uint64_t positions = 0, triangles = 0;
    for (uint32_t i = 0; i < in->instance_count; ++i) {
        positions += in->meshes[in->instances[i].mesh]->vertex_count;
        triangles += lmbi_mesh_triangle_count(in->meshes[in->instances[i].mesh]);
    }
    if (triangles == 0) {
        return lmbi_fail(error, LMB_ERROR_UNSUPPORTED, "a mesh with triangles",
                         "a file without a surface");
    }
    if (positions > UINT32_MAX / 3 || triangles > UINT32_MAX / 3) {
        return lmbi_fail(error, LMB_ERROR_UNSUPPORTED, "at most 2^32 / 3 triangles", "%llu",
                         (unsigned long long)triangles);
    }
    r->out->positions = lmbi_arena_array(r->arena, (size_t)positions, sizeof(lmb_vec3));
    r->out->triangles = lmbi_arena_array(r->arena, (size_t)triangles * 3, sizeof(uint32_t));
    r->out->first_position =
        lmbi_arena_array(r->arena, (size_t)in->instance_count + 1, sizeof(uint32_t));
    if (!r->out->positions || !r->out->triangles || !r->out->first_position) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t i = 0; i < in->instance_count; ++i) {
        r->out->first_position[i] = r->out->position_count;
        gather_instance(r, i);
    }
    r->out->first_position[in->instance_count] = r->out->position_count;
    return LMB_OK;
}

lmb_result lmbi_gather(const lmb_character *in, lmbi_arena *arena, lmbi_gathered *out,
                       lmb_error *error)
{
    gathering r = {in, arena, out};
    const lmb_result result = place_instances(&r, error);
    return result == LMB_OK ? gather_all(&r, error) : result;
}
