#include "base/alloc.h"
#include "base/block.h"
#include "base/error.h"
#include "limber/asset.h"

static void copy_materials(lmbi_block *block, const lmb_appearance *def, lmb_appearance *look)
{
    look->materials =
        lmbi_block_array(block, def->materials, def->material_count, sizeof(lmb_material));
    for (uint32_t m = 0; m < def->material_count; ++m) {
        const char *name = lmbi_block_string(block, def->materials[m].name);
        const char *gltf = lmbi_block_string(block, def->materials[m].gltf);
        if (look->materials) {
            look->materials[m].name = name;
            look->materials[m].gltf = gltf;
        }
    }
    look->textures =
        lmbi_block_array(block, def->textures, def->texture_count, sizeof(lmb_texture));
    for (uint32_t t = 0; t < def->texture_count; ++t) {
        const char *gltf = lmbi_block_string(block, def->textures[t].gltf);
        if (look->textures) {
            look->textures[t].gltf = gltf;
        }
    }
}

static void copy_images(lmbi_block *block, const lmb_appearance *def, lmb_appearance *look)
{
    look->images = lmbi_block_array(block, def->images, def->image_count, sizeof(lmb_image));
    for (uint32_t i = 0; i < def->image_count; ++i) {
        lmb_image image = def->images[i];
        image.name = lmbi_block_string(block, image.name);
        image.mime = lmbi_block_string(block, image.mime);
        image.uri = lmbi_block_string(block, image.uri);
        image.carried = lmbi_block_string(block, image.carried);
        image.bytes = lmbi_block_array(block, image.bytes, image.byte_count, 1);
        if (look->images) {
            look->images[i] = image;
        }
    }
    look->samplers =
        lmbi_block_array(block, def->samplers, def->sampler_count, sizeof *def->samplers);
    for (uint32_t s = 0; s < def->sampler_count; ++s) {
        const char *sampler = lmbi_block_string(block, def->samplers[s]);
        if (look->samplers) {
            look->samplers[s] = sampler;
        }
    }
}

static void *copy_appearance(lmbi_block *block, const void *definition)
{
    const lmb_appearance *def = definition;
    lmb_appearance copy = *def;
    lmb_appearance *look = lmbi_block_array(block, def, 1, sizeof *def);
    copy_materials(block, def, &copy);
    copy_images(block, def, &copy);
    copy.carried = lmbi_block_string(block, def->carried);
    copy.extensions_used = lmbi_block_string(block, def->extensions_used);
    copy.extensions_required = lmbi_block_string(block, def->extensions_required);
    if (look) {
        *look = copy;
    }
    return look;
}

static lmb_result check_appearance(const lmb_appearance *def, lmb_error *error)
{
    for (uint32_t t = 0; t < def->texture_count; ++t) {
        if (def->textures[t].image < LMB_NONE ||
            def->textures[t].image >= (int32_t)def->image_count) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "textures of images that exist",
                             "texture %u has image %d", t, def->textures[t].image);
        }
    }
    for (uint32_t m = 0; m < def->material_count; ++m) {
        const int32_t texture = def->materials[m].base_color_texture;
        if (texture < LMB_NONE || texture >= (int32_t)def->texture_count) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "materials with textures that exist",
                             "material %u has texture %d", m, texture);
        }
    }
    return LMB_OK;
}

lmb_result lmb_appearance_create(const lmb_appearance *def, const lmb_allocator *alloc,
                                 lmb_appearance **out, lmb_error *error)
{
    const lmb_result result = check_appearance(def, error);
    if (result != LMB_OK) {
        return result;
    }
    lmb_appearance *look = lmbi_block_build(copy_appearance, def, alloc);
    if (look == NULL) {
        return lmbi_fail_memory(error);
    }
    look->allocator = alloc ? *alloc : (lmb_allocator){0};
    *out = look;
    return LMB_OK;
}

void lmb_appearance_destroy(lmb_appearance *look)
{
    if (look) {
        lmbi_free_own(&look->allocator, look);
    }
}
