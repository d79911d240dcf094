#include "rig/bind_pose.h"

#include <math.h>

#include "base/error.h"
#include "rig/bind.h"

/// Bind matrices of one joint agree if no entry differs by more than this fraction of the largest
/// one, and no translation by more than this fraction of the size of the skeleton.
static const float AGREEMENT = 1e-3f;

typedef struct finder {
    const lmb_character *character;
    lmb_mat4 *rest;   ///< [joint_count] model_from_joint at rest
    uint8_t *known;   ///< [joint_count] `out->model` of the joint is known
    uint8_t *aligned; ///< [instance_count] `out->model_from_mesh` of the instance is known
    float size;       ///< longest side of the bounds of the joints at rest
    lmbi_bind_pose *out;
} finder;

static bool agree(const finder *f, const lmb_mat4 *a, const lmb_mat4 *b)
{
    float largest = 0;
    for (int i = 0; i < 12; ++i) {
        largest = fmaxf(largest, fabsf(a->m[i]));
    }
    for (int i = 0; i < 16; ++i) {
        if (!(fabsf(a->m[i] - b->m[i]) <= AGREEMENT * (i < 12 ? largest : f->size))) {
            return false;
        }
    }
    return true;
}

static const lmb_skin *skin_of(const finder *f, uint32_t instance)
{
    const int32_t skin = f->character->instances[instance].skin;
    return skin == LMB_NONE || f->character->skins[skin]->joint_count == 0
               ? NULL
               : f->character->skins[skin];
}

/// Brings an instance into the common frame by joint k of its skin, whose bind matrix there is
/// `model`. False if its other joints are elsewhere than other skins have them.
static bool align(finder *f, uint32_t instance, uint32_t k, lmb_mat4 model)
{
    const lmb_skin *skin = skin_of(f, instance);
    const lmb_mat4 from = lmb_mat4_mul(model, skin->joint_from_bind[k]);
    for (uint32_t i = 0; i < skin->joint_count; ++i) {
        const uint32_t joint = skin->joints[i];
        lmb_mat4 bind;
        if (!lmb_mat4_inverse_affine(skin->joint_from_bind[i], &bind)) {
            return false;
        }
        bind = lmb_mat4_mul(from, bind);
        if (f->known[joint] && !agree(f, &f->out->model[joint], &bind)) {
            return false;
        }
        if (!f->known[joint]) {
            f->out->model[joint] = bind;
            f->known[joint] = 1;
        }
    }
    f->out->model_from_mesh[instance] = from;
    f->aligned[instance] = 1;
    return true;
}

/// The first joint of a skin whose bind matrix is known, or the count of its joints.
static uint32_t find_shared(const finder *f, const lmb_skin *skin)
{
    uint32_t k = 0;
    while (k < skin->joint_count && !f->known[skin->joints[k]]) {
        ++k;
    }
    return k;
}

/// The first skin stands where its first joint is at rest; the others join it by a common joint.
static bool align_all(finder *f)
{
    const uint32_t n = f->character->instance_count;
    bool any = false, moved = true;
    while (moved) {
        moved = false;
        for (uint32_t i = 0; i < n; ++i) {
            const lmb_skin *skin = skin_of(f, i);
            const uint32_t k = !skin || f->aligned[i] ? 0 : any ? find_shared(f, skin) : 0;
            if (!skin || f->aligned[i] || k == skin->joint_count) {
                continue;
            }
            const uint32_t joint = skin->joints[k];
            if (!align(f, i, k, any ? f->out->model[joint] : f->rest[joint])) {
                return false;
            }
            any = moved = true;
        }
    }
    for (uint32_t i = 0; i < n; ++i) {
        if (skin_of(f, i) && !f->aligned[i]) {
            return false;
        }
    }
    return any;
}

/// Joints of no skin keep their rest transform under their parents.
static void complete(finder *f)
{
    const lmb_character *c = f->character;
    for (uint32_t j = 0; j < c->skeleton->joint_count; ++j) {
        const int32_t parent = c->skeleton->parents[j];
        lmb_mat4 inverse;
        if (f->known[j]) {
            continue;
        }
        f->out->model[j] = f->rest[j];
        if (parent != LMB_NONE && lmb_mat4_inverse_affine(f->rest[parent], &inverse)) {
            f->out->model[j] =
                lmb_mat4_mul(f->out->model[parent], lmb_mat4_mul(inverse, f->rest[j]));
        }
    }
    for (uint32_t i = 0; i < c->instance_count; ++i) {
        if (!f->aligned[i]) {
            f->out->model_from_mesh[i] = f->out->model[c->instances[i].joint];
        }
    }
}

static bool allocate(finder *f, lmbi_arena *arena)
{
    const uint32_t joints = f->character->skeleton->joint_count,
                   instances = f->character->instance_count;
    f->rest = lmbi_arena_array(arena, joints, sizeof *f->rest);
    f->known = lmbi_arena_array(arena, joints, 1);
    f->aligned = lmbi_arena_array(arena, instances, 1);
    f->out->model = lmbi_arena_array(arena, joints, sizeof *f->out->model);
    f->out->model_from_mesh = lmbi_arena_array(arena, instances, sizeof(lmb_mat4));
    return f->rest && f->known && f->aligned && f->out->model && f->out->model_from_mesh;
}

lmb_result lmbi_find_bind_pose(const lmb_character *character, lmbi_arena *arena,
                               lmbi_bind_pose *out, bool *out_found, lmb_error *error)
{
    finder f = {.character = character, .out = out};
    if (!allocate(&f, arena)) {
        return lmbi_fail_memory(error);
    }
    lmb_pose_to_model(
        &(lmb_pose_to_model_job){.skeleton = character->skeleton, .model_from_joint = f.rest});
    lmb_box box = lmb_box_empty();
    for (uint32_t j = 0; j < character->skeleton->joint_count; ++j) {
        box = lmb_box_add(box, lmb_mat4_translation(f.rest[j]));
    }
    const lmb_vec3 sides = lmb_vec3_sub(box.high, box.low);
    f.size = fmaxf(sides.x, fmaxf(sides.y, sides.z));
    *out_found = align_all(&f);
    if (*out_found) {
        complete(&f);
    }
    return LMB_OK;
}
