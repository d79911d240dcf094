// Packs vertices for the GPU, with quantised joints and weights.
#include <assert.h>
#include <string.h>

#include "asset/asset.h"
#include "render/gpu.h"

// ---------------------------------------------------------------------------------------- packing

/// A vertex's weight row on the GPU: eight entries, weights sum to 1.
typedef struct row {
    uint32_t joints[8];
    float weights[8];
    float lost;
} row;

static row strongest_row(const lmb_mesh *mesh, uint32_t v, uint32_t influences)
{
    row r = {{0}, {1}, 0};
    const lmb_influences *all = &mesh->influences;
    const uint32_t first = all->first != NULL ? all->first[v] : 0;
    const uint32_t count = all->first != NULL ? all->first[v + 1] - first : 0;
    if (count == 0) {
        return r;
    }
    float sum = 0;
    for (uint32_t k = 0; k < count; ++k) {
        const lmb_influence item = all->items[first + k];
        if (k < influences) {
            r.joints[k] = item.joint;
            r.weights[k] = item.weight;
            sum += item.weight;
        } else {
            r.lost += item.weight;
        }
    }
    for (uint32_t k = 0; k < 8; ++k) {
        // Unused entries repeat the first joint, whose matrix is already in cache.
        r.joints[k] = k < count && k < influences ? r.joints[k] : r.joints[0];
        r.weights[k] = sum > 0 ? r.weights[k] / sum : (k == 0 ? 1.0f : 0.0f);
    }
    return r;
}

static void write_integer(uint8_t *to, uint32_t value, bool two_bytes)
{
    const uint16_t wide = (uint16_t)value;
    if (two_bytes) {
        memcpy(to, &wide, sizeof(wide));
    } else {
        *to = (uint8_t)value;
    }
}

static void write_weights(const lmb_gpu_skin *skin, const row *r, uint32_t first, uint8_t *to)
{
    if (skin->weights == LMB_GPU_FLOAT32) {
        memcpy(to, r->weights + first, 4 * sizeof(float));
        return;
    }
    const bool is_16_bit = skin->weights == LMB_GPU_UNORM16;
    uint32_t quantized[8];
    lmbi_weights_quantize(r->weights, 8, is_16_bit ? 65535 : 255, quantized);
    for (uint32_t k = 0; k < 4; ++k) {
        write_integer(to + (is_16_bit ? 2 : 1) * k, quantized[first + k], is_16_bit);
    }
}

static void write_vertex(const lmb_gpu_skin *skin, const lmb_gpu_layout *layout,
                         const lmb_mesh *mesh, uint32_t v, const row *r, uint8_t *out)
{
    for (uint32_t a = 0; a < layout->attribute_count; ++a) {
        uint8_t *to = out + layout->attributes[a].offset;
        const uint32_t location = layout->attributes[a].location;
        const uint32_t first = location >= LMBI_GPU_JOINTS2 ? 4 : 0;
        if (location == LMBI_GPU_POSITION) {
            memcpy(to, &mesh->positions[v], sizeof(lmb_vec3));
        } else if (location == LMBI_GPU_NORMAL) {
            memcpy(to, &mesh->normals[v], sizeof(lmb_vec3));
        } else if (location == LMBI_GPU_TANGENT) {
            memcpy(to, &mesh->tangents[v], sizeof(lmb_vec4));
        } else if (location == LMBI_GPU_JOINTS || location == LMBI_GPU_JOINTS2) {
            for (uint32_t k = 0; k < 4; ++k) {
                write_integer(to + (skin->wide_joints ? 2 : 1) * k, r->joints[first + k],
                              skin->wide_joints);
            }
        } else {
            write_weights(skin, r, first, to);
        }
    }
}

float lmb_gpu_vertices(const lmb_gpu_skin *skin, const lmb_mesh *mesh, void *out)
{
    assert(lmb_gpu_check(skin, NULL) == LMB_OK && mesh->vertex_count == skin->vertex_count);
    assert(!skin->normals || mesh->normals != NULL);
    assert(!skin->tangents || mesh->tangents != NULL);
    const lmb_gpu_layout layout = lmbi_gpu_vertex_layout(skin);
    float lost = 0;
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        const row r = strongest_row(mesh, v, lmbi_gpu_influences(skin));
        write_vertex(skin, &layout, mesh, v, &r, (uint8_t *)out + (size_t)v * layout.stride);
        lost = r.lost > lost ? r.lost : lost;
    }
    return lost;
}

// ----------------------------------------------------------------------------------------- morphs

static lmb_vec4 texel(const lmb_vec3 *deltas, uint32_t v)
{
    lmb_vec4 t = {0, 0, 0, 0};
    if (deltas != NULL) {
        t.x = deltas[v].x;
        t.y = deltas[v].y;
        t.z = deltas[v].z;
    }
    return t;
}

void lmb_gpu_morphs(const lmb_gpu_skin *skin, const lmb_mesh *mesh, lmb_vec4 *out)
{
    assert(lmb_gpu_check(skin, NULL) == LMB_OK && skin->morphs);
    assert(mesh->vertex_count == skin->vertex_count && mesh->target_count == skin->target_count);
    for (uint32_t t = 0; t < mesh->target_count; ++t) {
        const lmb_morph_target *target = &mesh->targets[t];
        for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
            *out++ = texel(target->positions, v);
            if (skin->normals) {
                *out++ = texel(target->normals, v);
            }
            if (skin->tangents) {
                *out++ = texel(target->tangents, v);
            }
        }
    }
}
