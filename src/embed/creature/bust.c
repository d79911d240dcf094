/// Head and shoulders, cut off below: chest, neck and head on the middle of the layers.
#include "embed/kinds.h"
#include "embed/shape/layers.h"

#include "base/error.h"

#include <math.h>
#include <stdio.h>

static void write_joints(const lmbi_layers *l, const lmbi_bust *b, lmb_vec3 up,
                         const lmbi_frame *frame, lmb_embedding *out)
{
    const lmb_vec3 left = lmb_vec3_make(1, 0, 0);
    lmbi_embedding_writer c;
    lmbi_embedding_begin(&c, LMB_SKELETON_GENERIC, frame, l->step * (float)l->count, out);
    const int32_t chest = lmbi_embedding_add_joint(&c, "chest", LMB_NONE, l->middle[b->chest], 0.7f,
                                                   "amid what lies below the neck"),
                  neck = lmbi_embedding_add_joint(&c, "neck", chest, l->middle[b->neck], 0.8f,
                                                  "the narrowest place under the head"),
                  head = lmbi_embedding_add_joint(
                      &c, "head", neck, lmb_vec3_lerp(l->middle[b->neck], l->middle[b->head], 0.5f),
                      0.7f, "a share of the head");
    lmbi_embedding_set_tip(&c, head, l->middle[b->top]);
    out->left = left;
    out->up = up;
    out->forward = lmb_vec3_cross(left, up);
    out->ground = lmbi_frame_from(frame, l->middle[0]);
    out->overall = 0.45f;
    snprintf(out->summary, sizeof out->summary,
             "a bust: a head on a neck on shoulders that are cut off; where it looks is guessed");
}

/// More ends that stick out than the crown and the corners of the cut.
static bool has_limbs(const lmbi_voxelisation *coarse)
{
    const lmbi_voxel_body *body = &coarse->body;
    float far = 0;
    for (uint32_t k = 0; k < body->solid_count; ++k) {
        far = fmaxf(far, body->geodesic[body->solid[k]]);
    }
    uint32_t count = 0;
    for (uint32_t t = 0; t < coarse->tip_count; ++t) {
        count += coarse->tips[t].length > 0.45f * far * body->grid.cell;
    }
    return count > 3;
}

lmb_result lmbi_embed_bust(lmbi_voxel_cache *cache, const lmb_embed_opts *opts, lmb_embedding *out,
                           lmb_error *error)
{
    const lmb_vec3 ups[2] = {{0, 1, 0}, {0, 0, 1}};
    const bool given = lmb_vec3_dot(opts->up, opts->up) > 0;
    const lmbi_voxelisation *coarse;
    const lmb_result result = lmbi_voxel_cache_get(cache, LMBI_VOXELS_COARSE, &coarse, error);
    if (result != LMB_OK) {
        return result;
    }
    const bool stout = lmbi_body_slimness(&coarse->body) < 4 && !has_limbs(coarse);
    for (int k = 0; k < 2 && stout; ++k) {
        const lmbi_layers layers = lmbi_layers_measure(&coarse->body, k + 1);
        lmbi_bust bust;
        if ((!given || lmb_vec3_dot(opts->up, ups[k]) > 0.9f) && lmbi_layers_bust(&layers, &bust)) {
            write_joints(&layers, &bust, ups[k], &cache->frame, out);
            return LMB_OK;
        }
    }
    return lmbi_fail(error, LMB_ERROR_UNSUPPORTED, "a bust", "another body");
}
