#include "embed/human/figure.h"
#include "geometry/volume.h"

#include "base/alloc.h"
#include "base/error.h"
#include "embed/human/hidden_arms.h"
#include "embed/human/hidden_legs.h"
#include "embed/human/likeness.h"

#include <math.h>
#include <string.h>

void lmbi_figure_destroy(lmbi_figure *figure)
{
    lmbi_body_destroy(&figure->body);
    lmbi_free(figure->alloc, figure->positions);
    *figure = (lmbi_figure){.alloc = figure->alloc};
}

/// The best reading of the tips, as the marks have it.
static bool find_stance(lmbi_figure *f, const lmbi_stance_opts *opts)
{
    if (f->marks.count == 0) {
        return lmbi_stance_find(&f->body, f->tips, f->tip_count, opts, &f->stance);
    }
    const lmbi_marked_tips known =
        lmbi_marks_tips(&f->marks, &f->body, opts->up, f->tips, &f->tip_count);
    lmbi_stance_opts told = *opts;
    told.known = &known;
    if (!lmbi_stance_find(&f->body, f->tips, f->tip_count, &told, &f->stance)) {
        return false;
    }
    if (lmbi_marks_whole(&f->marks)) {
        f->stance.cost = f->stance.foot_cost = f->stance.hand_cost = f->stance.head_cost = 0;
    }
    return true;
}

/// Readings that cost more are looked at again; such are no figures, whatever a closer look adds.
static const float DOUBTFUL = 0.6f, REFUSED = 0.75f;
/// What is no textbook figure may hold something in one hand.
static const float ODD = 0.3f;
/// How much cheaper a later look has to be.
static const float CLEARLY = 0.05f;

/// The figure as one look shows it, with a body that is only borrowed. `found` is false where
/// nothing reads as a figure, and where there is nothing new to look at.
static lmb_result look(lmbi_looks *looks, lmbi_look_way way, const lmbi_stance_opts *opts,
                       lmbi_figure *f, bool *found, lmb_error *error)
{
    const lmbi_look *seen;
    const lmb_result result = lmbi_looks_take(looks, way, &seen, error);
    if (result == LMB_OK && seen) {
        f->body = seen->body;
        f->tip_count = seen->tip_count;
        memcpy(f->tips, seen->tips, seen->tip_count * sizeof *f->tips);
        *found = find_stance(f, opts);
    }
    return result;
}

/// A figure whose limbs touch shows few of them.
static bool may_touch(const lmbi_figure *f)
{
    uint32_t limbs = 0;
    for (uint32_t t = 0; t < f->tip_count; ++t) {
        limbs += f->tips[t].length > 0.12f;
    }
    return limbs <= 5;
}

/// Whether both ends of a pair lie where the body was made even: then its sides are in different
/// poses, and what was taken away is no prop.
static bool both_cut(const lmbi_voxel_body *whole, const lmbi_voxel_body *even,
                     const lmbi_tip *tips, const uint32_t pair[2])
{
    const float near = 0.04f;
    bool cut[2] = {false, false};
    for (uint32_t k = 0; k < whole->solid_count && !(cut[0] && cut[1]); ++k) {
        const uint32_t v = whole->solid[k];
        for (int side = 0; side < 2 && !even->cells[v]; ++side) {
            const lmb_vec3 p = lmb_grid_center(&whole->grid, v);
            cut[side] = cut[side] || lmb_vec3_distance(p, tips[pair[side]].position) < near;
        }
    }
    return cut[0] && cut[1];
}

/// Whether an even look shows a figure and not what two poses have in common.
static lmb_result is_unposed(lmbi_looks *looks, const lmbi_figure *even, bool *out,
                             lmb_error *error)
{
    const lmbi_look *fine;
    const lmb_result result = lmbi_looks_take(looks, LMBI_FINE, &fine, error);
    *out = result == LMB_OK && !both_cut(&fine->body, &even->body, even->tips, even->stance.hand) &&
           !both_cut(&fine->body, &even->body, even->tips, even->stance.foot);
    return result;
}

/// The first way that is not doubtful, or the best of all. A later way has to be clearly better:
/// each sees less of the body than the one before, up to the `last`. `f` comes with frame and marks,
/// and gets the rest as *best shows it.
static lmb_result look_closer(lmbi_looks *looks, const lmbi_stance_opts *opts, lmbi_look_way last,
                              lmbi_figure *f, lmbi_look_way *best, lmb_error *error)
{
    const lmbi_figure base = *f;
    lmbi_figure coarse = base;
    bool any = false, parts = true;
    for (int way = LMBI_COARSE; way <= (int)last; ++way) {
        const bool even = way == LMBI_EVEN;
        if ((any && f->stance.cost < (even ? ODD : DOUBTFUL)) || (!parts && !even)) {
            continue;
        }
        lmbi_figure now = base;
        bool found = false;
        const lmb_result result = look(looks, (lmbi_look_way)way, opts, &now, &found, error);
        if (result != LMB_OK) {
            return result;
        }
        coarse = way == LMBI_COARSE ? now : coarse;
        const bool limbs = any && !f->stance.armless && !f->stance.footless;
        if (found && even && !looks->upright && limbs && f->stance.cost < REFUSED) {
            const lmb_result told = is_unposed(looks, &now, &found, error);
            if (told != LMB_OK) {
                return told;
            }
        }
        if (found && (!any || now.stance.cost < f->stance.cost - CLEARLY)) {
            *f = now;
            *best = (lmbi_look_way)way;
            any = true;
        }
        parts = way == LMBI_FINE ? may_touch(&now) : parts;
    }
    return any ? LMB_OK : lmbi_refuse(&coarse, error);
}

/// A first look in the mesh's own axes finds the stance.
static lmb_result first_look(lmbi_looks *looks, const lmbi_figure_opts *opts, lmbi_stance *out,
                             lmbi_look_way *way, lmb_error *error)
{
    lmbi_figure f = {.frame = looks->frame, .alloc = looks->alloc};
    f.marks = opts->marks ? lmbi_marks_in(opts->marks, &f.frame) : (lmbi_marks){0};
    const lmb_result result = look_closer(looks, &opts->stance, LMBI_EVEN, &f, way, error);
    if (result != LMB_OK) {
        return result;
    }
    *out = f.stance;
    const bool hopeless = f.stance.cost > REFUSED && !f.stance.armless && !f.stance.footless;
    return hopeless && !lmbi_marks_whole(&f.marks) ? lmbi_refuse(&f, error) : LMB_OK;
}

/// The frame of a figure that stands as told, one unit tall; its extent in the mesh's units. A staff
/// beside an even body counts nothing in its height.
static lmbi_frame stand_up(const lmbi_looks *looks, const lmbi_stance *s, lmbi_look_way way,
                           lmb_vec3 *extent)
{
    lmbi_frame f = {.axes = {s->left, s->up, s->forward}};
    const float unit = looks->frame.size;
    lmb_box box = lmbi_soup_box(looks->mesh, f.axes);
    *extent = lmb_vec3_sub(box.high, box.low);
    if (way == LMBI_EVEN) {
        const float at = lmb_vec3_dot(looks->frame.origin, s->up);
        box.low.y = at + unit * s->low;
        box.high.y = at + unit * s->high;
    }
    f.size = fmaxf(box.high.y - box.low.y, 1e-3f * unit);
    const float x = lmb_vec3_dot(looks->frame.origin, f.axes[0]) + unit * s->middle, y = box.low.y,
                z = 0.5f * (box.low.z + box.high.z);
    f.origin = lmb_vec3_mad(lmb_vec3_mad(lmb_vec3_scale(f.axes[0], x), f.axes[1], y), f.axes[2], z);
    return f;
}

/// Takes what the best look shows out of the looks, which are freed.
static void take_over(lmbi_looks *looks, lmbi_look_way way, lmbi_figure *f)
{
    f->soup = looks->soup;
    f->positions = looks->positions;
    looks->positions = NULL;
    looks->way[way].body = (lmbi_voxel_body){.alloc = looks->alloc};
    lmbi_looks_destroy(looks);
}

static lmbi_stance_opts standing(bool posed)
{
    return (lmbi_stance_opts){
        .up = {0, 1, 0}, .forward = {0, 0, 1}, .mirrored = true, .posed = posed};
}

/// Looks at the mesh in the frame of `f`, and gives it what the best look shows.
static lmb_result look_upright(lmbi_looks *looks, lmb_vec3 extent, lmbi_look_way seen,
                               lmbi_figure *f, lmb_error *error)
{
    const float cell = 1.0f / 128;
    lmbi_looks turned;
    lmb_result result = lmbi_looks_turn(looks, &f->frame, extent, cell, &turned, error);
    if (result != LMB_OK) {
        return result;
    }
    lmbi_look_way best;
    const lmbi_look_way last = seen == LMBI_EVEN ? LMBI_EVEN : LMBI_PARTED_MORE;
    const lmbi_stance_opts opts = standing(f->stance.posed);
    result = look_closer(&turned, &opts, last, f, &best, error);
    if (result != LMB_OK) {
        lmbi_looks_destroy(&turned);
        return result;
    }
    take_over(&turned, best, f);
    return LMB_OK;
}

/// Whether two frames only look opposite ways.
static bool is_about(const lmbi_frame *a, const lmbi_frame *b)
{
    const float near = 1e-4f;
    return lmb_vec3_dot(a->axes[0], b->axes[0]) < near - 1 &&
           lmb_vec3_dot(a->axes[1], b->axes[1]) > 1 - near &&
           lmb_vec3_distance(a->origin, b->origin) < near * a->size &&
           fabsf(a->size - b->size) < near * a->size;
}

/// Gives `f`, whose frame is set, what `before` saw, turned about: all looks would show the same
/// again. *done is false where they would not.
static lmb_result turn_about(lmbi_figure *before, lmbi_figure *f, bool *done, lmb_error *error)
{
    const bool guessed = before->stance.armless || before->stance.footless;
    *done = false;
    if (guessed || before->marks.count > 0 || !is_about(&before->frame, &f->frame)) {
        return LMB_OK;
    }
    const lmb_result result = lmbi_body_turn_about(&before->body, error);
    if (result != LMB_OK) {
        return result;
    }
    f->tip_count = before->tip_count;
    for (uint32_t t = 0; t < f->tip_count; ++t) {
        f->tips[t] = before->tips[t];
        lmbi_tip_turn_about(&before->body.grid, &f->tips[t]);
    }
    f->body = before->body;
    const lmbi_stance_opts opts = standing(f->stance.posed);
    *done = find_stance(f, &opts);
    if (!*done) {
        f->body = (lmbi_voxel_body){.alloc = f->alloc};
        return LMB_OK;
    }
    for (uint32_t p = 0; p < before->soup.position_count; ++p) {
        const lmb_vec3 at = before->positions[p];
        before->positions[p] = lmb_vec3_make(-at.x, at.y, -at.z);
    }
    f->positions = before->positions;
    f->soup = before->soup;
    before->body = (lmbi_voxel_body){.alloc = before->alloc};
    before->positions = NULL;
    return LMB_OK;
}

/// The body that stands in the frame of `f`, as the first look showed it.
static lmb_result stand(lmbi_looks *looks, const lmbi_figure_opts *opts, lmb_vec3 extent,
                        lmbi_look_way seen, lmbi_figure *f, lmb_error *error)
{
    bool done = false;
    lmb_result result = opts->before ? turn_about(opts->before, f, &done, error) : LMB_OK;
    if (opts->before) {
        lmbi_figure_destroy(opts->before);
    }
    if (result == LMB_OK && !done) {
        result = look_upright(looks, extent, seen, f, error);
    }
    return result;
}

lmb_result lmbi_figure_create(lmbi_looks *looks, const lmbi_figure_opts *opts, lmbi_figure *out,
                              lmb_error *error)
{
    lmbi_stance first;
    lmbi_look_way seen;
    lmb_result result = first_look(looks, opts, &first, &seen, error);
    if (result != LMB_OK) {
        if (opts->before) {
            lmbi_figure_destroy(opts->before);
        }
        return result;
    }
    // the other axes count as told only where they are told
    looks->stood = first.up.y > 0.9f || first.up.z > 0.9f ? first.up : looks->stood;
    lmb_vec3 extent;
    lmbi_figure f = {.frame = stand_up(looks, &first, seen, &extent),
                     .stance.posed = first.posed,
                     .alloc = looks->alloc};
    f.marks = opts->marks ? lmbi_marks_in(opts->marks, &f.frame) : (lmbi_marks){0};
    result = stand(looks, opts, extent, seen, &f, error);
    if (result != LMB_OK) {
        return result;
    }
    if (f.stance.armless) {
        lmbi_hidden_arms(&f);
    } else if (f.stance.footless) {
        lmbi_hidden_legs(&f);
    } else {
        f.stance.cost = fmaxf(f.stance.cost, first.cost);
    }
    *out = f;
    return LMB_OK;
}
