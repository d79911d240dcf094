// Layouts of packed vertices.
#include <assert.h>

#include "render/gpu.h"

enum { GL_UNSIGNED_BYTE = 0x1401, GL_UNSIGNED_SHORT = 0x1403, GL_FLOAT = 0x1406 };

static void add(lmb_gpu_layout *layout, uint32_t location, uint32_t size, lmb_gpu_attribute kind)
{
    kind.location = location;
    kind.offset = layout->stride;
    layout->attributes[layout->attribute_count++] = kind;
    layout->stride += size;
}

static void add_floats(lmb_gpu_layout *layout, uint32_t location, uint32_t components)
{
    add(layout, location, 4 * components,
        (lmb_gpu_attribute){.components = components,
                            .type = GL_FLOAT,
                            .format = components == 3 ? "float32x3" : "float32x4"});
}

static void add_directions(lmb_gpu_layout *layout, const lmb_gpu_skin *skin)
{
    add_floats(layout, LMBI_GPU_POSITION, 3);
    if (skin->normals) {
        add_floats(layout, LMBI_GPU_NORMAL, 3);
    }
    if (skin->tangents) {
        add_floats(layout, LMBI_GPU_TANGENT, 4);
    }
}

static void add_influences(lmb_gpu_layout *layout, const lmb_gpu_skin *skin, uint32_t location)
{
    const lmb_gpu_attribute narrow = {
        .components = 4, .type = GL_UNSIGNED_BYTE, .is_integer = true, .format = "uint8x4"};
    const lmb_gpu_attribute wide = {
        .components = 4, .type = GL_UNSIGNED_SHORT, .is_integer = true, .format = "uint16x4"};
    add(layout, location, skin->wide_joints ? 8 : 4, skin->wide_joints ? wide : narrow);
    const lmb_gpu_attribute unorm8 = {
        .components = 4, .type = GL_UNSIGNED_BYTE, .is_normalized = true, .format = "unorm8x4"};
    const lmb_gpu_attribute unorm16 = {
        .components = 4, .type = GL_UNSIGNED_SHORT, .is_normalized = true, .format = "unorm16x4"};
    if (skin->weights == LMB_GPU_FLOAT32) {
        add_floats(layout, location + 1, 4);
    } else if (skin->weights == LMB_GPU_UNORM8) {
        add(layout, location + 1, 4, unorm8);
    } else {
        add(layout, location + 1, 8, unorm16);
    }
}

static uint32_t widened(uint32_t needed, uint32_t wanted)
{
    return wanted > needed ? wanted : needed;
}

lmb_gpu_layout lmbi_gpu_vertex_layout(const lmb_gpu_skin *skin)
{
    lmb_gpu_layout layout = {0};
    add_directions(&layout, skin);
    add_influences(&layout, skin, LMBI_GPU_JOINTS);
    if (lmbi_gpu_influences(skin) > 4) {
        add_influences(&layout, skin, LMBI_GPU_JOINTS2);
    }
    layout.stride = widened(layout.stride, skin->vertex_stride);
    return layout;
}

lmb_gpu_layout lmbi_gpu_output_layout(const lmb_gpu_skin *skin)
{
    lmb_gpu_layout layout = {0};
    add_directions(&layout, skin);
    layout.stride = widened(layout.stride, skin->output_stride);
    return layout;
}
