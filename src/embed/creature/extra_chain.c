#include "embed/kinds.h"

#include "base/error.h"
#include "embed/creature/creature.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/// In longest sides of the mesh: how far a point may lie from the mesh, how near a tip must be to be
/// meant by it, the length of a bone, and the shortest chain.
static const float NEAR_MESH = 0.06f, NEAR_TIP = 0.08f, BONE = 0.09f, SHORTEST = 0.03f;
/// A tail leaves the mirror plane by this much at most.
static const float BESIDE = 0.15f;
enum { LEAST_JOINTS = 2, MOST_JOINTS = 8 };

/// The bone of the embedding nearest to p, in the frame of the shape: the joint that it starts at,
/// and its distance.
static int32_t nearest_bone(const lmb_embedding *e, const lmbi_frame *frame, lmb_vec3 p,
                            float *out_distance)
{
    int32_t best = 0;
    *out_distance = 1e30f;
    for (int32_t j = 0; j < (int32_t)e->joint_count; ++j) {
        const int32_t starts[2] = {e->parents[j] == LMB_NONE ? j : e->parents[j], j};
        const lmb_vec3 ends[2] = {e->joints[j], e->tips[j]};
        for (int k = 0; k < 2; ++k) {
            const float far = lmbi_segment_distance(p, lmbi_frame_to(frame, e->joints[starts[k]]),
                                                    lmbi_frame_to(frame, ends[k]));
            best = far < *out_distance ? starts[k] : best;
            *out_distance = fminf(far, *out_distance);
        }
    }
    return best;
}

/// The arc at which the line from a tip reaches the flesh around the skeleton: the ball inside the
/// solid there contains a bone. A branch that opens into the body before that ends there.
static float root_of(const lmbi_body_shape *shape, const lmb_embedding *e,
                     const lmbi_limb_profile *line, const lmbi_tip *tip)
{
    const float opens = tip ? lmbi_limb_root(&shape->body, line, tip) : 1e30f;
    uint32_t k = 0;
    float bone;
    do {
        nearest_bone(e, &shape->frame, line->at[k], &bone);
    } while (bone > fmaxf(line->depth[k], shape->body.grid.cell) && ++k + 1 < line->count);
    return fminf((float)k * line->step, opens);
}

static lmb_result write_chain(const lmbi_body_shape *shape, const char *name,
                              const lmbi_limb_profile *line, float root, lmb_embedding *e,
                              lmb_error *error)
{
    const uint32_t bones = (uint32_t)(root / BONE + 0.5f);
    const uint32_t count = bones < LEAST_JOINTS  ? LEAST_JOINTS
                           : bones > MOST_JOINTS ? MOST_JOINTS
                                                 : bones;
    float far;
    int32_t parent = nearest_bone(e, &shape->frame, lmbi_limb_point(line, root), &far);
    lmbi_embedding_writer c = {&shape->frame, e};
    if (e->joint_count + count > LMB_EMBEDDING_JOINTS) {
        return lmbi_fail(error, LMB_ERROR_UNSUPPORTED, "fewer joints", "%u joints with chain %.24s",
                         e->joint_count + count, name);
    }
    for (uint32_t k = 0; k < count; ++k) {
        const lmb_vec3 p = lmbi_limb_point(line, root * (1 - (float)k / (float)count));
        char numbered[LMB_EMBEDDING_NAME];
        snprintf(numbered, sizeof numbered, "%.24s%u", name, k + 1);
        parent = lmbi_embedding_add_joint(&c, numbered, parent, p, 1, "a chain that was asked for");
    }
    lmbi_embedding_set_tip(&c, parent, line->at[0]);
    return LMB_OK;
}

/// Adds the chain from a voxel, which is that of `tip` unless that is NULL.
static lmb_result add_chain(const lmbi_body_shape *shape, const char *name, uint32_t voxel,
                            const lmbi_tip *tip, lmb_embedding *e, lmb_error *error)
{
    lmbi_limb_profile line;
    lmbi_limb_trace(&shape->body, shape->paths, voxel, &line);
    const float root = root_of(shape, e, &line, tip);
    return root < SHORTEST
               ? lmbi_fail(error, LMB_ERROR_UNSUPPORTED, "a branch that leaves the skeleton",
                           "a bone of the skeleton where chain %.24s would end", name)
               : write_chain(shape, name, &line, root, e, error);
}

static lmb_result add_chain_to_point(const lmbi_body_shape *shape, const lmb_joint_marker *chain,
                                     lmb_embedding *e, lmb_error *error)
{
    const lmb_vec3 p = lmbi_frame_to(&shape->frame, chain->at);
    const uint32_t voxel = lmbi_body_nearest_voxel(&shape->body, p);
    const float far = lmb_vec3_distance(lmbi_grid_center(&shape->body.grid, voxel), p);
    if (!(far < NEAR_MESH)) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "the end of a chain at the mesh",
                         "the point of chain %.24s, %.2f of the longest side away from it",
                         chain->name, (double)far);
    }
    const lmbi_tip *tip = lmbi_nearest_tip(shape, p);
    tip = tip && lmb_vec3_distance(tip->position, p) < NEAR_TIP ? tip : NULL;
    return add_chain(shape, chain->name, tip ? tip->voxel : voxel, tip, e, error);
}

/// The longest branch behind the first joint, near the mirror plane, whose end no bone reaches.
static lmb_result add_tail(const lmbi_body_shape *shape, lmb_embedding *e, lmb_error *error)
{
    const lmb_vec3 hips = lmbi_frame_to(&shape->frame, e->joints[0]);
    const lmbi_tip *tail = NULL;
    for (uint32_t t = 0; t < shape->tip_count; ++t) {
        const lmbi_tip *tip = &shape->tips[t];
        float bone;
        nearest_bone(e, &shape->frame, tip->position, &bone);
        if (tip->position.z < hips.z && fabsf(tip->position.x) < BESIDE && bone > SHORTEST &&
            tip->length > SHORTEST && (!tail || tip->length > tail->length)) {
            tail = tip;
        }
    }
    const lmb_result result =
        tail ? add_chain(shape, "tail", tail->voxel, tail, e, error) : LMB_ERROR_UNSUPPORTED;
    return result == LMB_ERROR_UNSUPPORTED
               ? lmbi_fail(error, LMB_ERROR_UNSUPPORTED, "a tail: a branch behind the hips",
                           "a body without one")
               : result;
}

static lmb_result check_name(const char *name, const lmb_embedding *e, lmb_error *error)
{
    const size_t longest = 24;
    char first[LMB_EMBEDDING_NAME];
    snprintf(first, sizeof first, "%.24s1", name);
    bool taken = false;
    for (uint32_t j = 0; j < e->joint_count; ++j) {
        taken = taken || strcmp(e->names[j], first) == 0;
    }
    return name[0] && strlen(name) <= longest && !taken
               ? LMB_OK
               : lmbi_fail(error, LMB_ERROR_INVALID,
                           "a name of at most 24 letters that is not taken", "chain \"%.40s\"%s",
                           name, taken ? ", which this skeleton has" : "");
}

static lmb_result add_all(const lmbi_body_shape *shape, const lmb_embed_opts *opts,
                          lmb_embedding *e, lmb_error *error)
{
    lmb_result result = opts->tail ? check_name("tail", e, error) : LMB_OK;
    if (result == LMB_OK && opts->tail) {
        result = add_tail(shape, e, error);
    }
    for (uint32_t k = 0; k < opts->chain_count && result == LMB_OK; ++k) {
        result = check_name(opts->chains[k].name, e, error);
        if (result == LMB_OK) {
            result = add_chain_to_point(shape, &opts->chains[k], e, error);
        }
    }
    return result;
}

lmb_result lmbi_extra_chains_add(lmbi_voxel_cache *cache, const lmb_embed_opts *opts,
                                 lmb_embedding *e, lmb_error *error)
{
    if (opts->chain_count == 0 && !opts->tail) {
        return LMB_OK;
    }
    lmbi_body_shape shape;
    const float offset = lmb_vec3_dot(lmbi_frame_to(&cache->frame, e->joints[0]), e->left);
    lmb_result result =
        lmbi_body_shape_create_rotated(cache, e->left, e->up, offset, &shape, error);
    if (result == LMB_OK) {
        result = add_all(&shape, opts, e, error);
        lmbi_body_shape_destroy(&shape);
    }
    return result;
}
