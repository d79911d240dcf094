#include <math.h>

#include "base/alloc.h"
#include "base/block.h"
#include "base/error.h"
#include "limber/asset.h"

static void *copy_skin(lmbi_block *block, const void *definition)
{
    const lmb_skin *def = definition;
    lmb_skin copy = *def;
    lmb_skin *skin = lmbi_block_array(block, def, 1, sizeof *def);
    copy.name = lmbi_block_string(block, def->name);
    copy.carried = lmbi_block_string(block, def->carried);
    copy.joints = lmbi_block_array(block, def->joints, def->joint_count, sizeof(uint32_t));
    copy.joint_from_bind =
        lmbi_block_array(block, def->joint_from_bind, def->joint_count, sizeof(lmb_mat4));
    if (skin) {
        *skin = copy;
    }
    return skin;
}

static lmb_result check_skin(const lmb_skin *def, lmb_error *error)
{
    if (def->joint_count == 0 || def->joints == NULL || def->joint_from_bind == NULL) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "at least one joint", "a skin without joints");
    }
    for (uint32_t k = 0; k < def->joint_count; ++k) {
        for (int i = 0; i < 16; ++i) {
            if (!isfinite(def->joint_from_bind[k].m[i])) {
                return lmbi_fail(error, LMB_ERROR_INVALID, "finite inverse bind matrices",
                                 "%g in matrix %u", (double)def->joint_from_bind[k].m[i], k);
            }
        }
    }
    return LMB_OK;
}

lmb_result lmb_skin_create(const lmb_skin *def, const lmb_allocator *alloc, lmb_skin **out,
                           lmb_error *error)
{
    const lmb_result result = check_skin(def, error);
    if (result != LMB_OK) {
        return result;
    }
    lmb_skin *skin = lmbi_block_build(copy_skin, def, alloc);
    if (skin == NULL) {
        return lmbi_fail_memory(error);
    }
    skin->allocator = alloc ? *alloc : (lmb_allocator){0};
    *out = skin;
    return LMB_OK;
}

void lmb_skin_destroy(lmb_skin *skin)
{
    if (skin) {
        lmbi_free_own(&skin->allocator, skin);
    }
}

void lmb_skin_palette(const lmb_skin *skin, const lmb_mat4 *model_from_joint,
                      lmb_mat4 *model_from_bind)
{
    for (uint32_t k = 0; k < skin->joint_count; ++k) {
        model_from_bind[k] =
            lmb_mat4_mul(model_from_joint[skin->joints[k]], skin->joint_from_bind[k]);
    }
}
