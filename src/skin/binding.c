#include "skin/binding.h"

#include "base/alloc.h"
#include "base/error.h"

static uint32_t row_size(const lmb_mesh *mesh, uint32_t v)
{
    return mesh->influences.first[v + 1] - mesh->influences.first[v];
}

/// The widest row of the block, at least 1.
static uint32_t block_width(const lmb_mesh *mesh, uint32_t begin, uint32_t end)
{
    uint32_t width = 1;
    for (uint32_t v = begin; v < end; ++v) {
        const uint32_t size = row_size(mesh, v);
        width = size > width ? size : width;
    }
    return width;
}

static uint32_t block_end(const lmb_mesh *mesh, uint32_t begin)
{
    return mesh->vertex_count - begin < LMBI_SKIN_BLOCK ? mesh->vertex_count
                                                        : begin + LMBI_SKIN_BLOCK;
}

static lmb_result check(const lmb_mesh *mesh, uint32_t joint_count, lmb_error *error)
{
    if (mesh->influences.first == NULL) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a mesh with skin weights", "none");
    }
    if (joint_count > 65536) {
        return lmbi_fail(error, LMB_ERROR_UNSUPPORTED, "up to 65536 joints", "a skin of %u joints",
                         joint_count);
    }
    const uint32_t count = mesh->influences.first[mesh->vertex_count];
    for (uint32_t i = 0; i < count; ++i) {
        if (mesh->influences.items[i].joint >= joint_count) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "influences of joints in the skin",
                             "joint %u of %u", mesh->influences.items[i].joint, joint_count);
        }
    }
    return LMB_OK;
}

/// Lays the blocks out; returns how many influences there are with the padding.
static size_t plan_blocks(const lmb_mesh *mesh, lmb_binding *binding)
{
    size_t total = 0;
    for (uint32_t v = 0, b = 0; v < mesh->vertex_count; v = block_end(mesh, v), ++b) {
        const uint32_t width = block_width(mesh, v, block_end(mesh, v));
        binding->blocks[b] = (lmbi_skin_block){(uint32_t)total, width};
        binding->influences = width > binding->influences ? width : binding->influences;
        total += (size_t)width * (block_end(mesh, v) - v);
    }
    return total;
}

static void fill_rows(const lmb_mesh *mesh, lmb_binding *binding)
{
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        const lmbi_skin_block *block = &binding->blocks[v / LMBI_SKIN_BLOCK];
        const size_t row = block->first + (size_t)(v % LMBI_SKIN_BLOCK) * block->width;
        const uint32_t first = mesh->influences.first[v];
        const uint32_t size = row_size(mesh, v);
        for (uint32_t k = 0; k < size; ++k) {
            const lmb_influence item = mesh->influences.items[first + k];
            binding->joints[row + k] = (uint16_t)item.joint;
            binding->weights[row + k] = item.weight;
        }
        if (size == 0) {
            binding->weights[row] = 1.0f;
        }
    }
}

lmb_result lmb_binding_create(const lmb_mesh *mesh, uint32_t joint_count,
                              const lmb_allocator *alloc, lmb_binding **out, lmb_error *error)
{
    const lmb_result result = check(mesh, joint_count, error);
    if (result != LMB_OK) {
        return result;
    }
    const size_t block_count = ((size_t)mesh->vertex_count + LMBI_SKIN_BLOCK - 1) / LMBI_SKIN_BLOCK;
    lmb_binding *binding = lmbi_alloc(alloc, sizeof(*binding));
    if (binding == NULL) {
        return lmbi_fail_memory(error);
    }
    binding->allocator = alloc ? *alloc : (lmb_allocator){0};
    binding->vertex_count = mesh->vertex_count;
    binding->joint_count = joint_count;
    binding->blocks = lmbi_alloc_array(alloc, block_count, sizeof(*binding->blocks));
    const size_t total = binding->blocks != NULL ? plan_blocks(mesh, binding) : 0;
    binding->joints = lmbi_alloc_array(alloc, total, sizeof(*binding->joints));
    binding->weights = lmbi_alloc_array(alloc, total, sizeof(*binding->weights));
    // `first` has 32 bits; more influences than that are over 24 GiB of them.
    if (binding->blocks == NULL || binding->joints == NULL || binding->weights == NULL ||
        total > UINT32_MAX) {
        lmb_binding_destroy(binding);
        return lmbi_fail_memory(error);
    }
    fill_rows(mesh, binding);
    *out = binding;
    return LMB_OK;
}

void lmb_binding_destroy(lmb_binding *binding)
{
    if (binding != NULL) {
        const lmb_allocator alloc = binding->allocator;
        lmbi_free(&alloc, binding->blocks);
        lmbi_free(&alloc, binding->joints);
        lmbi_free(&alloc, binding->weights);
        lmbi_free(&alloc, binding);
    }
}

uint32_t lmb_binding_vertex_count(const lmb_binding *binding)
{
    return binding->vertex_count;
}

uint32_t lmb_binding_influences(const lmb_binding *binding)
{
    return binding->influences;
}
