/// Weighs the figure that the search finds against the limbs that a network sees in the whole body.
#include "embed/human/human.h"
#include "embed/kinds.h"

#include <math.h>

/// Whether a direction is that of an axis of the file.
static bool is_along_axis(lmb_vec3 v)
{
    return fmaxf(fabsf(v.x), fmaxf(fabsf(v.y), fabsf(v.z))) > 0.999f;
}

/// Looks along the axes of a human, if any, whose mirror plane a stride may turn, and as the mesh stands in its file.
static lmb_result see_mesh(const lmbi_triangle_soup *soup, const lmb_embed_opts *opts,
                           const lmbi_reading *human, const lmb_allocator *alloc,
                           lmbi_seen_figure *out)
{
    const float likely = 0.5f;
    lmb_result result = LMB_OK;
    if (human) {
        const lmb_vec3 axes[3] = {human->left, human->up, human->forward};
        const bool both = !(lmb_vec3_dot(opts->forward, opts->forward) > 0);
        result = lmbi_see_figure(soup, axes, both, alloc, out, NULL);
    }
    if (result == LMB_OK && (!human || out->chance < likely || !is_along_axis(human->forward))) {
        lmbi_seen_figure standing;
        result = lmbi_see_standing(soup, opts, alloc, &standing, NULL);
        if (result == LMB_OK && (!human || standing.chance > out->chance)) {
            *out = standing;
        }
    }
    return result;
}

lmb_result lmbi_see_human(lmbi_embed_input *input, const lmb_embed_opts *opts,
                          const lmbi_readings *readings, lmbi_seen_figure *out)
{
    const lmbi_reading *human = lmbi_reading_best(readings, LMB_SKELETON_HUMAN);
    lmbi_voxel_cache *body;
    lmbi_seen_figure alone;
    lmb_result result = lmbi_embed_input_main_body(input, readings, &body, NULL);
    if (result == LMB_OK) {
        result = see_mesh(&input->soup, opts, human, input->alloc, out);
    }
    if (result == LMB_OK && body && input->holds) {
        result = see_mesh(body->mesh, opts, human, input->alloc, &alone);
        if (result == LMB_OK && alone.chance > out->chance) {
            *out = alone;
        }
    }
    return result;
}

/// A figure with limbs that are seen; its confidence is the caller's.
static void place_seen(lmbi_embed_input *input, const lmb_embed_opts *opts, lmbi_readings *readings,
                       const lmbi_seen_limbs *seen, lmbi_attempt *out)
{
    lmbi_landmarks landmarks = {.count = LMBI_LIMB_JOINTS, .seen = true};
    for (int k = 0; k < LMBI_LIMB_JOINTS; ++k) {
        landmarks.joint[lmbi_limb_joints[k]] = (lmbi_landmark_point){true, seen->at[k]};
    }
    out->mesh = &input->soup;
    out->result = lmbi_human_embed_readings(&input->whole, opts, &landmarks, readings, &out->made,
                                            &out->best, NULL);
    for (int k = 0; k < LMBI_LIMB_JOINTS && out->result == LMB_OK; ++k) {
        const int j = lmbi_limb_joints[k];
        out->made.joints[j] = seen->at[k];
        out->made.confidence[j] = seen->chance[k];
        out->made.reason[j] = "where a network that sees the whole body puts it";
    }
    if (out->result == LMB_OK) {
        lmbi_rate_seen_arms(&input->whole, &out->made);
    }
}

/// The chance that the front is the front, of that before and of how plausible the joints are that are placed from both sides.
static float facing_beside(float facing, const lmbi_attempt sides[2])
{
    const float least = 3e-4f;
    float odds[2];
    for (int k = 0; k < 2; ++k) {
        const float chance = sides[k].result == LMB_OK ? sides[k].best.chance : 0,
                    kept = fminf(fmaxf(chance, least), 1 - least);
        odds[k] = kept / (1 - kept);
    }
    const float front = facing * odds[0], back = (1 - facing) * odds[1];
    return front / (front + back);
}

/// Has the figure be what is seen, from the likelier side, if it can be placed. `limbs` is the chance of that. Errors: MEMORY.
static lmb_result take_seen(lmbi_embed_input *input, const lmb_embed_opts *opts,
                            lmbi_readings *readings, float limbs, float facing,
                            lmbi_attempt *figure)
{
    const float hopeless = 0.02f;
    lmbi_attempt sides[2] = {{.result = LMB_ERROR_UNSUPPORTED}, {.result = LMB_ERROR_UNSUPPORTED}};
    for (int k = 0; k < 2; ++k) {
        if ((k ? 1 - facing : facing) > hopeless) {
            place_seen(input, opts, readings, &readings->seen->limbs[k], &sides[k]);
        }
        if (sides[k].result == LMB_ERROR_MEMORY) {
            return LMB_ERROR_MEMORY;
        }
    }
    const float front = facing_beside(facing, sides);
    const bool back = front < 0.5f;
    if (sides[back].result == LMB_OK) {
        *figure = sides[back];
        figure->best.facing = back ? 1 - front : front;
        figure->made.overall = limbs * figure->best.facing;
    }
    return LMB_OK;
}

/// Limb joints lie in the middle between where they are placed and where they are seen: each may be off another way.
static void move_to_middle(const lmbi_seen_limbs *seen, lmb_embedding *e)
{
    for (int k = 0; k < LMBI_LIMB_JOINTS; ++k) {
        lmb_vec3 *at = &e->joints[lmbi_limb_joints[k]];
        *at = lmb_vec3_lerp(*at, seen->at[k], 0.5f);
    }
}

/// A figure that is the same as what is seen from one side: both confirm each other, and tell the facing together.
static lmb_result confirm(lmbi_embed_input *input, const lmb_embed_opts *opts,
                          lmbi_readings *readings, bool back, lmbi_attempt *figure)
{
    const lmbi_seen_figure *seen = readings->seen;
    const float own = figure->best.facing, other = back ? 1 - seen->facing : seen->facing,
                same = own * other, reverse = (1 - own) * (1 - other),
                facing = same / fmaxf(same + reverse, 1e-6f);
    const float alone = fminf(figure->made.overall / own, 1),
                limbs = 1 - (1 - alone) * (1 - seen->chance);
    readings->confirmed = true;
    figure->best.facing = facing;
    figure->made.overall = limbs * facing;
    move_to_middle(&seen->limbs[back], &figure->made);
    return facing >= 0.5f
               ? LMB_OK
               : take_seen(input, opts, readings, limbs, back ? 1 - facing : facing, figure);
}

/// Whether what is seen is likelier than another figure of that chance: of 53 known bodies of which they say different things
/// the network is right in 40, the search in 13.
static bool is_likelier(float seen, float own)
{
    const float least = 0.2f, trusted = 40.0f / 13;
    return seen > least && trusted * seen * (1 - own) > own * (1 - seen);
}

lmb_result lmbi_weigh_seen(lmbi_embed_input *input, const lmb_embed_opts *opts,
                           lmbi_readings *readings, lmbi_attempt *figure)
{
    const lmbi_seen_figure *seen = readings->seen;
    const bool found = figure->result == LMB_OK;
    for (int side = 0; side < 2 && found; ++side) {
        if (lmbi_seen_agrees(&seen->limbs[side], figure->made.joints, figure->made.height)) {
            return confirm(input, opts, readings, side == 1, figure);
        }
    }
    const float own = found ? fminf(figure->made.overall / figure->best.facing, 1) : 0;
    if (is_likelier(seen->chance, own)) {
        return take_seen(input, opts, readings, lmbi_chance_beside(seen->chance, own), seen->facing,
                         figure);
    }
    figure->made.overall = found ? lmbi_chance_beside(own, seen->chance) * figure->best.facing : 0;
    return LMB_OK;
}
