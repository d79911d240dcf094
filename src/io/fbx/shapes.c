/// Blend shapes: a deformer with channels, each with one shape, or several for in-betweens.
#include <string.h>

#include "io/fbx/mesh.h"

double lmbi_fbx_ramp_at(const lmbi_fbx_ramp *ramp, double percent)
{
    if (percent <= ramp->full || ramp->last) {
        const double rise = ramp->full - ramp->from;
        const double weight = rise > 0 || rise < 0 ? (percent - ramp->from) / rise : 0;
        return weight > 0 || ramp->first ? weight : 0;
    }
    return percent < ramp->to ? (ramp->to - percent) / (ramp->to - ramp->full) : 0;
}

/// The percentages at which a channel's shapes have full weight; 100 for a single one. Values that
/// do not rise are replaced by an even spacing.
static lmb_result read_full_weights(lmbi_fbx *fbx, const lmbi_fbx_node *channel, double *full,
                                    uint32_t count)
{
    const double *weights;
    size_t weight_count;
    const lmb_result result =
        lmbi_fbx_reals(fbx, lmbi_fbx_child(channel, "FullWeights"), &weights, &weight_count);
    bool rise = weight_count == count; // more of them are a vertex group
    for (uint32_t i = 0; i < count && rise; ++i) {
        full[i] = weights[i];
        rise = full[i] > (i > 0 ? full[i - 1] : 0) && full[i] < 1e30;
    }
    for (uint32_t i = 0; i < count && !rise; ++i) {
        full[i] = 100.0 * (i + 1) / count;
    }
    return result;
}

typedef struct builder {
    lmbi_fbx_scene *scene;
    lmbi_fbx *fbx;
    const lmbi_fbx_models *models;
    lmbi_fbx_mesh *mesh;
    uint32_t capacity;
} builder;

/// A shape's displacements of control points, copied to all their vertices and transformed by the
/// linear part of the geometric transform.
static lmb_result read_displacements(builder *b, const lmbi_fbx_node *channel,
                                     const lmbi_fbx_node *shape, const char *values_name,
                                     float unit_m, bool normals, lmb_vec3 **out)
{
    lmbi_fbx *fbx = b->fbx;
    const int64_t *points;
    const double *values;
    size_t point_count, value_count;
    lmb_result result =
        lmbi_fbx_integers(fbx, lmbi_fbx_child(shape, "Indexes"), &points, &point_count);
    if (result == LMB_OK) {
        result = lmbi_fbx_reals(fbx, lmbi_fbx_child(shape, values_name), &values, &value_count);
    }
    if (result != LMB_OK || (normals && (value_count == 0 || value_count != 3 * point_count))) {
        return result;
    }
    if (value_count / 3 < point_count) {
        return lmbi_fbx_fail(fbx, shape, "three values for each of the shape's Indexes",
                             "%zu for %zu indexes", value_count, point_count);
    }
    const uint32_t n = b->mesh->position_count;
    lmb_vec3 *moved = lmbi_arena_array(&fbx->arena, n, sizeof *moved);
    *out = lmbi_arena_array(&fbx->arena, b->mesh->def.vertex_count, sizeof **out);
    if (!moved || !*out) {
        return lmbi_fail_memory(fbx->error);
    }
    const double *vertex_weights; // Blender puts a shape's vertex group here, in per cent
    size_t vertex_weight_count;
    result = lmbi_fbx_reals(fbx, lmbi_fbx_child(channel, "FullWeights"), &vertex_weights,
                            &vertex_weight_count);
    if (result != LMB_OK) {
        return result;
    }
    const bool weighted = vertex_weight_count == point_count && vertex_weight_count > 1;
    const lmb_mat4 mesh_from_geometry = b->models->items[b->mesh->model].mesh_from_geometry;
    for (size_t i = 0; i < point_count; ++i) {
        const double *v = values + 3 * i;
        if (points[i] < 0 || points[i] >= n) {
            return lmbi_fbx_fail(fbx, shape, "a shape's Indexes within the vertices",
                                 "%lld of %u vertices", (long long)points[i], n);
        }
        const float scale = weighted ? (float)(vertex_weights[i] / 100) * unit_m : unit_m;
        const lmb_vec3 step =
            lmb_vec3_scale(lmb_vec3_make((float)v[0], (float)v[1], (float)v[2]), scale);
        if (lmb_vec3_is_finite(step)) {
            moved[points[i]] = lmb_mat4_vector(mesh_from_geometry, step);
        }
    }
    for (uint32_t v = 0; v < b->mesh->def.vertex_count; ++v) {
        (*out)[v] = moved[lmbi_fbx_mesh_point(b->mesh, v)];
    }
    return LMB_OK;
}

static const char *target_name(builder *b, const lmbi_fbx_object *channel, double full, bool whole)
{
    char text[96];
    const char *name = channel->name;
    size_t length = strlen(name);
    if (whole) {
        return name;
    }
    length = length < 80 ? length : 80;
    memcpy(text, name, length);
    text[length++] = ' ';
    const int percent = full < 1e6 ? (int)full : 1000000;
    for (int unit = 1000000; unit > 0; unit /= 10) {
        if (percent >= unit || unit == 1) {
            text[length++] = (char)('0' + percent / unit % 10);
        }
    }
    return lmbi_arena_string(&b->fbx->arena, text, length);
}

static lmb_result add_target(builder *b, uint32_t channel, uint32_t shape, lmbi_fbx_ramp ramp)
{
    lmb_mesh *mesh = &b->mesh->def;
    const lmbi_fbx_node *node = b->scene->objects[shape].node;
    lmb_morph_target *target = &mesh->targets[mesh->target_count];
    target->name = target_name(b, &b->scene->objects[channel], ramp.full, ramp.last);
    const lmbi_fbx_node *of = b->scene->objects[channel].node;
    lmb_result result =
        read_displacements(b, of, node, "Vertices", b->models->unit_m, false, &target->positions);
    // A shape's normals are displacements of control points' normals. Older exporters wrote zeros
    // or nothing.
    if (result == LMB_OK && mesh->normals) {
        result = read_displacements(b, of, node, "Normals", 1, true, &target->normals);
    }
    if (result == LMB_OK && target->name == NULL) {
        return lmbi_fail_memory(b->fbx->error);
    }
    b->mesh->target_channels[mesh->target_count] = (int32_t)channel;
    b->mesh->ramps[mesh->target_count++] = ramp;
    return result;
}

static double percent_of(const lmbi_fbx_object *channel)
{
    const double child = lmbi_fbx_number(lmbi_fbx_child(channel->node, "DeformPercent"), 0, 0);
    return lmbi_fbx_property_number(channel, "DeformPercent", child);
}

static lmb_result add_channel(builder *b, uint32_t channel)
{
    const lmbi_fbx_scene *scene = b->scene;
    const uint32_t from = scene->link_first[channel], to = scene->link_first[channel + 1];
    uint32_t count = 0;
    for (uint32_t i = from; i < to; ++i) {
        count += scene->objects[scene->links[i].from].kind == LMBI_FBX_SHAPE;
    }
    double *full = lmbi_arena_array(&b->fbx->arena, count, sizeof *full);
    if (full == NULL) {
        return lmbi_fail_memory(b->fbx->error);
    }
    lmb_result result = read_full_weights(b->fbx, scene->objects[channel].node, full, count);
    uint32_t k = 0;
    for (uint32_t i = from; i < to && result == LMB_OK; ++i) {
        if (scene->objects[scene->links[i].from].kind != LMBI_FBX_SHAPE) {
            continue;
        }
        const lmbi_fbx_ramp ramp = {.from = k > 0 ? full[k - 1] : 0,
                                    .full = full[k],
                                    .to = k + 1 < count ? full[k + 1] : 0,
                                    .first = k == 0,
                                    .last = k + 1 == count};
        const uint32_t target = b->mesh->def.target_count;
        result = add_target(b, channel, scene->links[i].from, ramp);
        if (result == LMB_OK) {
            b->mesh->def.target_weights[target] =
                (float)lmbi_fbx_ramp_at(&ramp, percent_of(&scene->objects[channel]));
        }
        ++k;
    }
    return result;
}

typedef lmb_result (*channel_step)(builder *b, uint32_t channel);

/// Channels belong to a deformer of the geometry, or, before 7000, to the geometry.
static lmb_result each_channel(builder *b, uint32_t object, channel_step step)
{
    const lmbi_fbx_scene *scene = b->scene;
    lmb_result result = LMB_OK;
    for (uint32_t i = scene->link_first[object];
         i < scene->link_first[object + 1] && result == LMB_OK; ++i) {
        const uint32_t from = scene->links[i].from;
        if (scene->objects[from].kind == LMBI_FBX_BLEND_CHANNEL) {
            result = step(b, from);
        }
    }
    return result;
}

static lmb_result all_channels(builder *b, channel_step step)
{
    const lmbi_fbx_scene *scene = b->scene;
    const uint32_t geometry = b->mesh->geometry;
    lmb_result result = each_channel(b, geometry, step);
    for (uint32_t i = scene->link_first[geometry];
         i < scene->link_first[geometry + 1] && result == LMB_OK; ++i) {
        if (scene->objects[scene->links[i].from].kind == LMBI_FBX_BLEND) {
            result = each_channel(b, scene->links[i].from, step);
        }
    }
    return result;
}

static lmb_result count_channel(builder *b, uint32_t channel)
{
    for (uint32_t i = b->scene->link_first[channel]; i < b->scene->link_first[channel + 1]; ++i) {
        b->capacity += b->scene->objects[b->scene->links[i].from].kind == LMBI_FBX_SHAPE;
    }
    return LMB_OK;
}

lmb_result lmbi_fbx_shapes_build(lmbi_fbx_scene *scene, const lmbi_fbx_models *models,
                                 lmbi_fbx_mesh *mesh)
{
    builder b = {.scene = scene, .fbx = scene->fbx, .models = models, .mesh = mesh};
    lmbi_arena *arena = &scene->fbx->arena;
    all_channels(&b, count_channel);
    if (b.capacity == 0) {
        return LMB_OK;
    }
    mesh->def.targets = lmbi_arena_array(arena, b.capacity, sizeof *mesh->def.targets);
    mesh->def.target_weights =
        lmbi_arena_array(arena, b.capacity, sizeof *mesh->def.target_weights);
    mesh->target_channels = lmbi_arena_array(arena, b.capacity, sizeof *mesh->target_channels);
    mesh->ramps = lmbi_arena_array(arena, b.capacity, sizeof *mesh->ramps);
    if (!mesh->def.targets || !mesh->def.target_weights || !mesh->target_channels || !mesh->ramps) {
        return lmbi_fail_memory(scene->fbx->error);
    }
    return all_channels(&b, add_channel);
}
