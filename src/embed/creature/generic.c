/// Bodies without a template: any with limbs, by the tree of medial paths from its tips to its center;
/// and busts (head and shoulders, cut off below), by the middles of horizontal layers.
#include "base/alloc.h"
#include "base/error.h"
#include "embed/kinds.h"
#include "embed/shape/shape.h"
#include "geometry/volume.h"

#include <math.h>
#include <stdio.h>

enum { MOST_LIMBS = 16, MOST_BENDS = 6 };

typedef struct branch {
    const lmbi_tip *tip;
    lmbi_limb_profile line;
    float root;     ///< arc where it joins the branches before it
    int32_t twin;   ///< the mirrored branch, or -1
    int32_t parent; ///< joint that it is attached to
} branch;

/// Whether a tip is that of a limb. A branch about as long as it is thick is only a bump.
static bool is_limb(const lmbi_tip *tip)
{
    return tip->length > 0.06f && tip->length > 1.3f * tip->radius;
}

uint32_t lmbi_generic_limbs(const lmbi_body_shape *shape)
{
    uint32_t count = 0;
    for (uint32_t t = 0; t < shape->tip_count && count < MOST_LIMBS; ++t) {
        count += is_limb(&shape->tips[t]);
    }
    return count;
}

static void find_twins(branch *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) {
        b[i].twin = -1;
        const lmb_vec3 p = b[i].tip->position;
        const lmb_vec3 image = lmbi_mirrored(p);
        for (uint32_t k = 0; k < count && fabsf(p.x) > 0.03f; ++k) {
            if (k != i && lmb_vec3_distance(b[k].tip->position, image) < 0.05f) {
                b[i].twin = (int32_t)k;
            }
        }
    }
}

/// The nearest joint to p of those added so far.
static int32_t nearest_joint(const lmbi_embedding_writer *c, lmb_vec3 p)
{
    const lmb_vec3 at = lmbi_frame_from(c->frame, p);
    int32_t best = 0;
    for (uint32_t j = 1; j < c->out->joint_count; ++j) {
        if (lmb_vec3_distance(c->out->joints[j], at) <
            lmb_vec3_distance(c->out->joints[best], at)) {
            best = (int32_t)j;
        }
    }
    return best;
}

static void write_limb(lmbi_embedding_writer *c, const branch *b, uint32_t number)
{
    const char *name = b->twin < 0 ? "limb" : b->tip->position.x > 0 ? "leftLimb" : "rightLimb";
    uint32_t bends = (uint32_t)(b->root / 0.13f);
    bends = bends < 1 ? 1 : bends > MOST_BENDS ? MOST_BENDS : bends;
    float arcs[MOST_BENDS];
    lmbi_limb_bends(&b->line, 0, b->root, bends, arcs);
    const lmb_vec3 root = lmbi_limb_point(&b->line, b->root);
    int32_t parent = nearest_joint(c, root);
    for (uint32_t k = 0; k <= bends; ++k) {
        const lmb_vec3 p = k == 0 ? root : lmbi_limb_point(&b->line, arcs[k - 1]);
        char own[LMB_EMBEDDING_NAME];
        snprintf(own, sizeof own, "%s%u_%u", name, number, k + 1);
        parent = lmbi_embedding_add_joint(c, own, parent, p, 0.6f,
                                          k == 0 ? "where the limb leaves the body"
                                                 : "where the limb bends, or a fraction of it");
    }
    lmbi_embedding_set_tip(c, parent, b->line.at[0]);
}

lmb_result lmbi_generic_place(const lmbi_body_shape *shape, lmb_embedding *out, lmb_error *error)
{
    branch *b = lmbi_alloc_array(shape->alloc, MOST_LIMBS, sizeof *b);
    if (!b) {
        return lmbi_fail_memory(error);
    }
    uint32_t count = 0, number = 0;
    for (uint32_t t = 0; t < shape->tip_count && count < MOST_LIMBS; ++t) {
        branch *own = &b[count];
        own->tip = &shape->tips[t];
        if (is_limb(own->tip)) {
            lmbi_limb_trace(&shape->body, shape->paths, own->tip->voxel, &own->line);
            own->root = lmbi_limb_root(&shape->body, &own->line, own->tip);
            ++count;
        }
    }
    find_twins(b, count);
    lmbi_embedding_writer c;
    lmbi_embedding_begin(&c, LMB_SKELETON_GENERIC, &shape->frame, shape->box.high.y, out);
    lmbi_embedding_add_joint(&c, "root", LMB_NONE,
                             lmbi_grid_center(&shape->body.grid, shape->body.center), 0.7f,
                             "the deepest point near the middle");
    for (uint32_t k = 0; k < count; ++k) {
        const bool paired = b[k].twin >= 0;
        if (!paired || (uint32_t)b[k].twin >= k) {
            write_limb(&c, &b[k], ++number);
        }
        if (paired && (uint32_t)b[k].twin >= k) {
            write_limb(&c, &b[b[k].twin], number);
        }
    }
    lmbi_free(shape->alloc, b);
    return LMB_OK;
}

// ---- busts

enum { MAX_LAYERS = 256 };

typedef struct layer_stack {
    float low, step; ///< along the axis; layer k lies between low + k * step and the next
    uint32_t count;
    float area[MAX_LAYERS];
    lmb_vec3 middle[MAX_LAYERS]; ///< of the solid in the layer
} layer_stack;

/// A head on a neck on shoulders that are cut off.
typedef struct bust_layers {
    uint32_t chest, neck, head,
        top; ///< layers: middle of the shoulders, narrowest, middle of the head, crown
} bust_layers;

static layer_stack measure_layers(const lmbi_voxel_body *body, lmb_vec3 up)
{
    const lmbi_grid *g = &body->grid;
    layer_stack l = {.step = g->cell, .low = 1e30f};
    for (uint32_t s = 0; s < body->solid_count; ++s) {
        l.low = fminf(l.low, lmb_vec3_dot(body->at[s], up));
    }
    l.low -= 0.5f * g->cell;
    for (uint32_t s = 0; s < body->solid_count; ++s) {
        const lmb_vec3 p = body->at[s];
        const uint32_t k = (uint32_t)((lmb_vec3_dot(p, up) - l.low) / l.step);
        if (k < MAX_LAYERS) {
            l.count = k >= l.count ? k + 1 : l.count;
            l.area[k] += 1;
            l.middle[k] = lmb_vec3_add(l.middle[k], p);
        }
    }
    for (uint32_t k = 0; k < l.count; ++k) {
        l.middle[k] = lmb_vec3_scale(l.middle[k], 1 / fmaxf(l.area[k], 1));
        l.area[k] *= g->cell * g->cell;
    }
    return l;
}

static float largest_area(const layer_stack *l, uint32_t from, uint32_t to)
{
    float most = 0;
    for (uint32_t k = from; k < to; ++k) {
        most = fmaxf(most, l->area[k]);
    }
    return most;
}

static bool find_bust(const layer_stack *l, bust_layers *out)
{
    const float much = 1.3f, cut_off = 0.3f;
    if (l->count < 20) {
        return false;
    }
    uint32_t neck = 0;
    float clearest = 0;
    for (uint32_t k = l->count * 3 / 10; k < l->count * 3 / 4; ++k) {
        const float clear =
            fminf(largest_area(l, 0, k), largest_area(l, k, l->count)) / fmaxf(l->area[k], 1e-6f);
        neck = clear > clearest ? k : neck;
        clearest = fmaxf(clearest, clear);
    }
    const float bottom = largest_area(l, 0, l->count / 25 + 1);
    if (clearest < much || bottom < cut_off * largest_area(l, 0, neck)) {
        return false;
    }
    *out = (bust_layers){neck / 2, neck, neck + (l->count - neck) / 3, l->count - 1};
    return true;
}

static void write_joints(const layer_stack *l, const bust_layers *b, lmb_vec3 up,
                         const lmbi_frame *frame, lmb_embedding *out)
{
    lmbi_embedding_writer c;
    lmbi_embedding_begin(&c, LMB_SKELETON_GENERIC, frame, l->step * (float)l->count, out);
    const int32_t chest = lmbi_embedding_add_joint(&c, "chest", LMB_NONE, l->middle[b->chest], 0.7f,
                                                   "the middle of what lies below the neck"),
                  neck = lmbi_embedding_add_joint(&c, "neck", chest, l->middle[b->neck], 0.8f,
                                                  "the narrowest place under the head"),
                  head = lmbi_embedding_add_joint(
                      &c, "head", neck, lmb_vec3_lerp(l->middle[b->neck], l->middle[b->head], 0.5f),
                      0.7f, "a fraction of the head");
    lmbi_embedding_set_tip(&c, head, l->middle[b->top]);
    out->up = up;
    out->forward = lmb_vec3_cross(out->left, up);
    out->ground = lmbi_frame_from(frame, l->middle[0]);
    out->overall = 0.45f;
    snprintf(out->summary, sizeof out->summary,
             "a bust: head, neck and shoulders that are cut off; its facing is guessed");
}

/// Whether more ends protrude than the crown and the corners of the cut.
static bool has_limbs(const lmbi_body_shape *coarse)
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

lmb_result lmbi_embed_bust(lmbi_voxel_cache *cache, const lmb_embed_opts *opts, lmb_embedding *out)
{
    const lmb_vec3 ups[2] = {{0, 1, 0}, {0, 0, 1}};
    const bool given = lmb_vec3_dot(opts->up, opts->up) > 0;
    const lmbi_body_shape *coarse;
    const lmb_result result = lmbi_voxel_cache_get(cache, LMBI_VOXELS_COARSE, &coarse, NULL);
    if (result != LMB_OK) {
        return result;
    }
    const bool stout = lmbi_body_slimness(&coarse->body) < 4 && !has_limbs(coarse);
    for (int k = 0; k < 2 && stout; ++k) {
        const layer_stack layers = measure_layers(&coarse->body, ups[k]);
        bust_layers bust;
        if ((!given || lmb_vec3_dot(opts->up, ups[k]) > 0.9f) && find_bust(&layers, &bust)) {
            write_joints(&layers, &bust, ups[k], &cache->frame, out);
            return LMB_OK;
        }
    }
    return LMB_ERROR_UNSUPPORTED;
}
