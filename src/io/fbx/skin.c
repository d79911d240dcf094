/// A skin's clusters (the weights of one bone each) become rows of influences.
#include <string.h>

#include "io/fbx/mesh.h"

typedef struct cluster {
    const int64_t *points;
    const double *weights;
    size_t count;
} cluster;

typedef struct builder {
    lmbi_fbx_scene *scene;
    lmbi_fbx *fbx;
    const lmbi_fbx_models *models;
    lmbi_fbx_mesh *mesh;
    cluster *clusters; ///< [joint_count]
    uint32_t joint_count;
    uint32_t *first; ///< [position_count + 1] rows of control points
    lmb_influence *items;
} builder;

/// The bind matrix, mesh to bone: 16 numbers, translation in 12 to 14. Without one it is the
/// identity, as in other readers.
static lmb_result read_bind(const builder *b, const lmbi_fbx_node *node, lmb_mat4 *joint_from_bind)
{
    const double *m;
    size_t count;
    const lmb_result result = lmbi_fbx_reals(b->fbx, lmbi_fbx_child(node, "Transform"), &m, &count);
    *joint_from_bind = lmb_mat4_identity();
    if (result != LMB_OK || count < 16) {
        return result;
    }
    for (int i = 0; i < 16; ++i) {
        if (!(m[i] - m[i] >= 0)) {
            return lmbi_fbx_fail(b->fbx, node, "a finite Transform", "one that is not");
        }
        const float value = (float)m[i];
        joint_from_bind->m[i] = i % 4 == 3 ? (i == 15 ? 1.0f : 0)
                                : i > 11   ? value * b->models->unit_m
                                           : value;
    }
    return LMB_OK;
}

static lmb_result read_cluster(builder *b, uint32_t object)
{
    const lmbi_fbx_node *node = b->scene->objects[object].node;
    const int32_t bone = lmbi_fbx_scene_source(b->scene, object, LMBI_FBX_MODEL, 0);
    if (bone == LMB_NONE) {
        lmbi_note(b->fbx->notes, 0, "cluster %.40s names no bone and is left out",
                  b->scene->objects[object].name);
        return LMB_OK;
    }
    cluster *c = &b->clusters[b->joint_count];
    size_t weights;
    lmb_result result =
        lmbi_fbx_integers(b->fbx, lmbi_fbx_child(node, "Indexes"), &c->points, &c->count);
    if (result == LMB_OK) {
        result = lmbi_fbx_reals(b->fbx, lmbi_fbx_child(node, "Weights"), &c->weights, &weights);
    }
    if (result == LMB_OK && weights != c->count) {
        return lmbi_fbx_fail(b->fbx, node, "as many Weights as Indexes", "%zu weights, %zu indexes",
                             weights, (size_t)c->count);
    }
    lmb_skin *skin = &b->mesh->skin_def;
    if (result == LMB_OK) {
        result = read_bind(b, node, &skin->joint_from_bind[b->joint_count]);
    }
    skin->joints[b->joint_count++] = b->models->items[b->models->of_object[bone]].scale_joint;
    return result;
}

static bool is_used(const builder *b, const cluster *c, size_t i)
{
    return c->points[i] >= 0 && c->points[i] < b->mesh->position_count && c->weights[i] > 0 &&
           c->weights[i] < 1e30;
}

static lmb_result make_point_rows(builder *b)
{
    const uint32_t n = b->mesh->position_count;
    size_t total = 0;
    b->first = lmbi_arena_array(&b->fbx->arena, (size_t)n + 2, sizeof *b->first);
    for (uint32_t k = 0; b->first && k < b->joint_count; ++k) {
        for (size_t i = 0; i < b->clusters[k].count; ++i) {
            if (is_used(b, &b->clusters[k], i)) {
                ++b->first[b->clusters[k].points[i] + 2];
                ++total;
            }
        }
    }
    b->items = lmbi_arena_array(&b->fbx->arena, total, sizeof *b->items);
    if (!b->first || !b->items || total > UINT32_MAX) {
        return lmbi_fail_memory(b->fbx->error);
    }
    for (size_t i = 2; i < (size_t)n + 2; ++i) {
        b->first[i] += b->first[i - 1];
    }
    for (uint32_t k = 0; k < b->joint_count; ++k) {
        for (size_t i = 0; i < b->clusters[k].count; ++i) {
            if (is_used(b, &b->clusters[k], i)) {
                const lmb_influence item = {k, (float)b->clusters[k].weights[i]};
                b->items[b->first[b->clusters[k].points[i] + 1]++] = item;
            }
        }
    }
    return LMB_OK;
}

/// Sorts by descending weight and scales to sum 1. Insertion sort: rows are short, and equal weights
/// keep the clusters' order.
static void normalize_row(lmb_influence *row, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; ++i) {
        sum += (double)row[i].weight;
    }
    for (uint32_t i = 0; i < count; ++i) {
        row[i].weight = (float)((double)row[i].weight / sum);
    }
    for (uint32_t i = 1; i < count; ++i) {
        const lmb_influence item = row[i];
        uint32_t at = i;
        while (at > 0 && row[at - 1].weight < item.weight) {
            row[at] = row[at - 1];
            --at;
        }
        row[at] = item;
    }
}

/// Points without a cluster follow the mesh's own model, which becomes one more joint of the skin.
static bool add_own_joint(builder *b)
{
    bool needed = false;
    for (uint32_t p = 0; p < b->mesh->position_count && !needed; ++p) {
        needed = b->first[p] == b->first[p + 1];
    }
    if (needed) {
        lmb_skin *skin = &b->mesh->skin_def;
        skin->joints[b->joint_count] = b->models->items[b->mesh->model].scale_joint;
        skin->joint_from_bind[b->joint_count++] = lmb_mat4_identity();
    }
    return needed;
}

static lmb_result make_rows(builder *b)
{
    lmb_mesh *mesh = &b->mesh->def;
    const bool own = add_own_joint(b);
    uint64_t total = 0;
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        const uint32_t p = lmbi_fbx_mesh_point(b->mesh, v), count = b->first[p + 1] - b->first[p];
        total += count ? count : 1;
    }
    lmb_influences *rows = &mesh->influences;
    rows->first =
        lmbi_arena_array(&b->fbx->arena, (size_t)mesh->vertex_count + 1, sizeof *rows->first);
    rows->items = lmbi_arena_array(&b->fbx->arena, (size_t)total, sizeof *rows->items);
    if (!rows->first || !rows->items || total > UINT32_MAX) {
        return lmbi_fail_memory(b->fbx->error);
    }
    for (uint32_t p = 0; p < b->mesh->position_count; ++p) {
        normalize_row(b->items + b->first[p], b->first[p + 1] - b->first[p]);
    }
    uint32_t at = 0;
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        const uint32_t p = lmbi_fbx_mesh_point(b->mesh, v), count = b->first[p + 1] - b->first[p];
        if (count > 0) {
            memcpy(rows->items + at, b->items + b->first[p], count * sizeof *rows->items);
        } else if (own) {
            rows->items[at] = (lmb_influence){b->joint_count - 1, 1};
        }
        at += count ? count : 1;
        rows->first[v + 1] = at;
    }
    for (uint32_t i = 0; i < mesh->primitive_count; ++i) {
        mesh->primitives[i].attributes |= LMB_HAS_INFLUENCES;
    }
    return LMB_OK;
}

static void note_method(const builder *b, const lmbi_fbx_node *node)
{
    const lmbi_word method = lmbi_fbx_text(lmbi_fbx_child(node, "SkinningType"), 0);
    if (lmbi_word_is_exact(method, "DualQuaternion") || lmbi_word_is_exact(method, "Blend")) {
        lmbi_note(b->fbx->notes, 0, "skin of %.40s was made for %s", b->mesh->def.name,
                  method.at[0] == 'B' ? "linear and dual quaternion skinning mixed"
                                      : "dual quaternion skinning");
    }
}

lmb_result lmbi_fbx_skin_build(lmbi_fbx_scene *scene, const lmbi_fbx_models *models,
                               lmbi_fbx_mesh *mesh)
{
    builder b = {.scene = scene, .fbx = scene->fbx, .models = models, .mesh = mesh};
    const uint32_t from = scene->link_first[mesh->skin], to = scene->link_first[mesh->skin + 1];
    lmb_skin *skin = &mesh->skin_def;
    skin->root = LMB_NONE;
    skin->joints = lmbi_arena_array(&b.fbx->arena, (size_t)(to - from) + 1, sizeof *skin->joints);
    skin->joint_from_bind =
        lmbi_arena_array(&b.fbx->arena, (size_t)(to - from) + 1, sizeof *skin->joint_from_bind);
    b.clusters = lmbi_arena_array(&b.fbx->arena, to - from, sizeof *b.clusters);
    if (!skin->joints || !skin->joint_from_bind || !b.clusters) {
        return lmbi_fail_memory(b.fbx->error);
    }
    note_method(&b, scene->objects[mesh->skin].node);
    lmb_result result = LMB_OK;
    for (uint32_t i = from; i < to && result == LMB_OK; ++i) {
        if (scene->objects[scene->links[i].from].kind == LMBI_FBX_CLUSTER) {
            result = read_cluster(&b, scene->links[i].from);
        }
    }
    if (result == LMB_OK && b.joint_count == 0) {
        lmbi_note(b.fbx->notes, 0, "skin of %.40s has no bones and is left out", mesh->def.name);
        mesh->skin = LMB_NONE;
        return LMB_OK;
    }
    if (result == LMB_OK) {
        result = make_point_rows(&b);
    }
    if (result == LMB_OK) {
        result = make_rows(&b);
    }
    skin->joint_count = b.joint_count;
    return result;
}
