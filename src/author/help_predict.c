/// Where helpers are, as a function of the pose of the joints that bend their skin.
#include <math.h>
#include <string.h>

#include "author/drivers.h"
#include "author/helping.h"
#include "author/pose_fit.h"
#include "base/error.h"
#include "math/math.h"

enum { WIDTH = 6 }; ///< a rotation vector and a translation

typedef struct prediction {
    lmbi_help *h;
    lmbi_correction view; ///< of the character with helpers
    lmbi_pose_examples examples;
    lmb_vec3 *shares; ///< [vertex_count] x: weight of the helper
    double *moved, *bend;
    double *values; ///< [frame_count][WIDTH]
} prediction;

static lmb_result prepare(prediction *p, lmb_error *error)
{
    lmbi_help *h = p->h;
    lmbi_arena *arena = &h->c.arena;
    const size_t joints = h->def.skeleton->joint_count, frames = h->helpers->frame_count;
    p->view = h->c;
    p->view.character = &h->def;
    p->shares = lmbi_arena_array(arena, h->c.vertex_count, sizeof *p->shares);
    p->moved = lmbi_arena_array(arena, joints, sizeof *p->moved);
    p->bend = lmbi_arena_array(arena, joints, sizeof *p->bend);
    p->values = lmbi_arena_array(arena, frames * WIDTH, sizeof *p->values);
    lmb_transform **local = lmbi_arena_array(arena, frames, sizeof *local);
    h->defs = lmbi_arena_array(arena, h->helpers->helper_count, sizeof *h->defs);
    h->spaces = lmbi_arena_array(arena, h->helpers->helper_count, sizeof(lmb_pose_space *));
    if (!p->shares || !p->moved || !p->bend || !p->values || !local || !h->defs || !h->spaces) {
        return lmbi_fail_memory(error);
    }
    for (size_t k = 0; k < frames; ++k) {
        local[k] = lmbi_arena_array(arena, joints, sizeof **local);
        if (!local[k]) {
            return lmbi_fail_memory(error);
        }
        lmbi_correct_sample(&p->view, h->frames->clip, h->frames->times_s[h->helpers->frames[k]],
                            local[k]);
    }
    p->examples = (lmbi_pose_examples){.skeleton = h->def.skeleton,
                                       .count = (uint32_t)frames,
                                       .local = local,
                                       .width = WIDTH,
                                       .values = p->values};
    return LMB_OK;
}

static void fill_shares(prediction *p, uint32_t helper)
{
    const lmb_influences *rows = &p->h->helpers->influences;
    memset(p->shares, 0, p->h->c.vertex_count * sizeof *p->shares);
    for (uint32_t v = 0; v < p->h->c.vertex_count; ++v) {
        for (uint32_t k = rows->first[v]; k < rows->first[v + 1]; ++k) {
            if (rows->items[k].joint == p->h->joint_count + helper) {
                p->shares[v].x += rows->items[k].weight;
            }
        }
    }
}

static void fill_values(prediction *p, uint32_t helper)
{
    const lmbi_learned_helpers *l = p->h->helpers;
    for (size_t k = 0; k < l->frame_count; ++k) {
        const lmb_transform t = l->motion[k * l->helper_count + helper];
        const lmb_vec3 turn = lmbi_rotation_vector_of(t.rotation);
        const lmb_vec3 shift = lmb_vec3_sub(t.translation, l->offsets[helper]);
        const float values[WIDTH] = {turn.x, turn.y, turn.z, shift.x, shift.y, shift.z};
        for (int e = 0; e < WIDTH; ++e) {
            p->values[k * WIDTH + (size_t)e] = (double)values[e];
        }
    }
}

static lmb_result predict(prediction *p, uint32_t helper, lmb_error *error)
{
    const lmbi_help *h = p->h;
    const double radius = (double)h->helpers->radii[helper];
    const double sizes[WIDTH] = {radius * radius, radius * radius, radius * radius, 1, 1, 1};
    fill_shares(p, helper);
    fill_values(p, helper);
    memset(p->bend, 0, h->def.skeleton->joint_count * sizeof *p->bend);
    lmbi_correct_bending(&p->view, p->shares, p->moved, p->bend);
    p->examples.sizes = sizes;
    lmb_result result = lmbi_pose_drivers(&p->examples, p->bend, &p->h->c.arena, error);
    if (result == LMB_OK) {
        p->h->driver_count += p->examples.driver_count;
        result = lmbi_pose_fit(&p->examples, &p->h->c.arena, &p->h->spaces[helper],
                               &p->h->defs[helper], error);
    }
    return result;
}

lmb_result lmbi_help_predict(lmbi_help *h, lmb_error *error)
{
    prediction p = {.h = h};
    lmb_result result = prepare(&p, error);
    for (uint32_t k = 0; result == LMB_OK && k < h->helpers->helper_count; ++k) {
        result = predict(&p, k, error);
    }
    return result;
}

void lmbi_help_pose(const lmbi_help *h, lmb_transform *local)
{
    float value[WIDTH];
    for (uint32_t k = 0; k < h->helpers->helper_count; ++k) {
        lmb_pose_space_evaluate(&(lmb_pose_space_job){h->spaces[k], local, value});
        local[h->joint_count + k] = lmbi_drivers_helper(h->helpers->offsets[k], value);
    }
}
