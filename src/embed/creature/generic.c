/// Any body with limbs: the tree of medial paths from its tips to its center.
#include "embed/creature/chain.h"
#include "embed/kinds.h"
#include "geometry/volume.h"

#include "base/alloc.h"
#include "base/error.h"

#include <math.h>
#include <stdio.h>

enum { MOST_LIMBS = 16, MOST_BENDS = 6 };

typedef struct branch {
    uint32_t tip; ///< index among the tips
    lmbi_limb_profile line;
    float root;     ///< arc where it joins the branches before it
    int32_t twin;   ///< the mirrored branch, or -1
    int32_t parent; ///< joint that it is attached to
} branch;

/// The tips that are limbs, longest first. A branch about as long as it is thick is only a bump.
static uint32_t choose_limbs(const lmbi_body_shape *v, uint32_t out[MOST_LIMBS])
{
    uint32_t count = 0;
    for (uint32_t t = 0; t < v->tip_count && count < MOST_LIMBS; ++t) {
        const lmbi_tip *tip = &v->tips[t];
        if (tip->length > 0.06f && tip->length > 1.3f * tip->radius) {
            out[count++] = t;
        }
    }
    return count;
}

uint32_t lmbi_generic_limbs(const lmbi_body_shape *shape)
{
    uint32_t limbs[MOST_LIMBS];
    return choose_limbs(shape, limbs);
}

static void find_twins(const lmbi_body_shape *v, branch *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i) {
        b[i].twin = -1;
        const lmb_vec3 p = v->tips[b[i].tip].position;
        const lmb_vec3 image = lmb_vec3_make(-p.x, p.y, p.z);
        for (uint32_t k = 0; k < count && fabsf(p.x) > 0.03f; ++k) {
            if (k != i && lmb_vec3_distance(v->tips[b[k].tip].position, image) < 0.05f) {
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

static void name_limb(const branch *b, uint32_t number, float x, char *out, size_t size)
{
    const char *side = b->twin < 0 ? "" : x > 0 ? "left" : "right";
    snprintf(out, size, "%s%s%u_", side, b->twin < 0 ? "limb" : "Limb", number);
}

static void write_limb(const lmbi_body_shape *v, lmbi_embedding_writer *c, const branch *b,
                       uint32_t number)
{
    char stem[LMB_EMBEDDING_NAME];
    name_limb(b, number, v->tips[b->tip].position.x, stem, sizeof stem);
    uint32_t bends = (uint32_t)(b->root / 0.13f);
    bends = bends < 1 ? 1 : bends > MOST_BENDS ? MOST_BENDS : bends;
    float arcs[MOST_BENDS];
    lmbi_limb_bends(&b->line, 0, b->root, bends, arcs);
    const lmb_vec3 root = lmbi_limb_point(&b->line, b->root);
    int32_t parent = nearest_joint(c, root);
    for (uint32_t k = 0; k <= bends; ++k) {
        const lmb_vec3 p = k == 0 ? root : lmbi_limb_point(&b->line, arcs[k - 1]);
        parent = lmbi_embedding_add_numbered(c, stem, k + 1, parent, p, 0.6f,
                                             k == 0 ? "where the limb leaves the body"
                                                    : "where the limb bends, or a fraction of it");
    }
    lmbi_embedding_set_tip(c, parent, b->line.at[0]);
}

lmb_result lmbi_generic_place(const lmbi_body_shape *shape, lmb_embedding *out, lmb_error *error)
{
    uint32_t limbs[MOST_LIMBS];
    const uint32_t count = choose_limbs(shape, limbs);
    branch *b = lmbi_alloc_array(shape->alloc, MOST_LIMBS, sizeof *b);
    if (!b) {
        return lmbi_fail_memory(error);
    }
    for (uint32_t k = 0; k < count; ++k) {
        b[k].tip = limbs[k];
        lmbi_body_shape_trace_limb(shape, shape->tips[limbs[k]].voxel, &b[k].line);
        b[k].root = lmbi_limb_root(shape, &b[k].line, &shape->tips[limbs[k]]);
    }
    find_twins(shape, b, count);
    lmbi_embedding_writer c;
    lmbi_embedding_begin(&c, LMB_SKELETON_GENERIC, &shape->frame, shape->box.high.y, out);
    lmbi_embedding_add_joint(&c, "root", LMB_NONE,
                             lmbi_grid_center(&shape->body.grid, shape->body.center), 0.7f,
                             "the deepest point near the middle");
    uint32_t number = 0;
    for (uint32_t k = 0; k < count; ++k) {
        if (b[k].twin >= 0 && (uint32_t)b[k].twin < k) {
            continue;
        }
        ++number;
        write_limb(shape, &c, &b[k], number);
        if (b[k].twin >= 0) {
            write_limb(shape, &c, &b[b[k].twin], number);
        }
    }
    lmbi_free(shape->alloc, b);
    return LMB_OK;
}
