#include "rig/figure.h"

#include "base/alloc.h"
#include "base/error.h"
#include "rig/hidden_arms.h"
#include "rig/likeness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void lmbi_figure_destroy(lmbi_figure *figure)
{
    lmbi_body_destroy(&figure->body);
    lmbi_free(figure->alloc, figure->positions);
    *figure = (lmbi_figure){.alloc = figure->alloc};
}

static lmb_box used_box(const lmbi_soup *soup)
{
    lmb_box box = lmb_box_empty();
    for (uint32_t c = 0; c < 3 * soup->triangle_count; ++c) {
        box = lmb_box_add(box, soup->positions[soup->triangles[c]]);
    }
    return box;
}

static float longest_side(lmb_box box)
{
    const lmb_vec3 size = lmb_vec3_sub(box.high, box.low);
    return fmaxf(size.x, fmaxf(size.y, size.z));
}

static void place(const lmbi_figure *f, const lmbi_soup *soup)
{
    for (uint32_t p = 0; p < soup->position_count; ++p) {
        f->positions[p] = lmbi_frame_to(&f->frame, soup->positions[p]);
    }
}

/// `wanted`, or larger so that the box has no more than `limit` voxels.
static float cell_for(lmb_box box, float size, float wanted, float limit)
{
    const lmb_vec3 d = lmb_vec3_scale(lmb_vec3_sub(box.high, box.low), 1 / size);
    const float volume = fmaxf(d.x, 0.05f) * fmaxf(d.y, 0.05f) * fmaxf(d.z, 0.05f);
    float cell = wanted;
    while (volume > limit * cell * cell * cell) {
        cell *= 1.25f;
    }
    return cell;
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

/// Voxels at one resolution, and the best reading of them. `found` is false
/// where nothing reads as a figure.
static lmb_result look(lmbi_figure *f, float cell, int open_axis, float shortest,
                       const lmbi_stance_opts *opts, bool *found, lmb_error *error)
{
    lmb_result result = lmbi_body_create(&f->soup, cell, open_axis, f->alloc, &f->body, error);
    if (result == LMB_OK) {
        result = lmbi_body_tips(&f->body, shortest, f->tips, &f->tip_count, error);
    }
    *found = result == LMB_OK && find_stance(f, opts);
    return result;
}

/// Readings that cost more are looked at again.
static const float DOUBTFUL = 0.6f;

/// Ways to look: coarse voxels; fine ones, in which feet and hands part that
/// nearly touch; fine ones with limbs cut loose that do touch, where little
/// flesh joins them and where more does.
enum { COARSE, FINE, PARTED, PARTED_MORE, WAYS };

typedef struct looks {
    lmbi_figure way[WAYS];
    bool found[WAYS];
    int best; ///< or -1
} looks;

static bool doubtful(const looks *l)
{
    return l->best < 0 || l->way[l->best].stance.cost >= DOUBTFUL;
}

/// A later way has to be clearly better: each sees less of the body than the
/// one before.
static void weigh(looks *l, int way)
{
    const float clearly = 0.05f;
    const float cost = l->way[way].stance.cost;
    if (l->found[way] && (l->best < 0 || cost < l->way[l->best].stance.cost - clearly)) {
        l->best = way;
    }
}

static lmb_result look_parted(looks *l, int way, float shortest, const lmbi_stance_opts *opts,
                              lmb_error *error)
{
    lmbi_figure *f = &l->way[way];
    lmb_result result =
        lmbi_body_part(&l->way[FINE].body, way == PARTED ? 0.06f : 0.12f, &f->body, error);
    if (result == LMB_OK) {
        result = lmbi_body_tips(&f->body, shortest, f->tips, &f->tip_count, error);
    }
    l->found[way] = result == LMB_OK && find_stance(f, opts);
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

/// The first way that is not doubtful, or the best of all.
static lmb_result look_closer(lmbi_figure *f, const float cells[2], int open_axis,
                              const lmbi_stance_opts *opts, lmb_error *error)
{
    const float shortest[2] = {0.02f, 0.014f};
    looks l = {.best = -1};
    lmb_result result = LMB_OK;
    for (int way = 0; way < WAYS && result == LMB_OK && doubtful(&l); ++way) {
        if (way == PARTED && !may_touch(&l.way[FINE])) {
            break;
        }
        l.way[way] = *f;
        result = way < PARTED ? look(&l.way[way], cells[way], open_axis, shortest[way], opts,
                                     &l.found[way], error)
                              : look_parted(&l, way, shortest[FINE], opts, error);
        weigh(&l, way);
    }
    if (result == LMB_OK && l.best < 0) {
        result = lmbi_refuse(&l.way[COARSE], error);
    }
    for (int way = 0; way < WAYS; ++way) {
        if (result == LMB_OK && way == l.best) {
            *f = l.way[way];
        } else {
            lmbi_body_destroy(&l.way[way].body);
        }
    }
    return result;
}

/// A first look in the mesh's own axes, at a size of 1, finds the stance.
static lmb_result first_look(const lmbi_soup *soup, const lmbi_stance_opts *opts,
                             const lmbi_marks *marks, lmbi_figure *f, lmb_error *error)
{
    const lmb_box box = used_box(soup);
    f->frame.size = longest_side(box);
    if (soup->triangle_count == 0 || !(f->frame.size > 0) || !isfinite(f->frame.size)) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a mesh with an extent", "%u triangles",
                         soup->triangle_count);
    }
    f->frame.axes[0] = lmb_vec3_make(1, 0, 0);
    f->frame.axes[1] = lmb_vec3_make(0, 1, 0);
    f->frame.axes[2] = lmb_vec3_make(0, 0, 1);
    f->frame.origin = lmb_vec3_scale(lmb_vec3_add(box.low, box.high), 0.5f);
    place(f, soup);
    f->marks = marks ? lmbi_marks_in(marks, &f->frame) : (lmbi_marks){0};
    return look_closer(f, (float[2]){1.0f / 96, cell_for(box, f->frame.size, 1.0f / 160, 2e6f)}, 0,
                       opts, error);
}

/// Extents of the used positions in the axes that were found.
static lmb_box box_in_axes(const lmbi_figure *f, const lmbi_soup *soup)
{
    lmb_box box = lmb_box_empty();
    for (uint32_t c = 0; c < 3 * soup->triangle_count; ++c) {
        const lmb_vec3 p = soup->positions[soup->triangles[c]];
        box = lmb_box_add(box, lmb_vec3_make(lmb_vec3_dot(p, f->frame.axes[0]),
                                             lmb_vec3_dot(p, f->frame.axes[1]),
                                             lmb_vec3_dot(p, f->frame.axes[2])));
    }
    return box;
}

lmb_result lmbi_figure_create(const lmbi_soup *soup, const lmbi_figure_opts *opts,
                              const lmb_allocator *alloc, lmbi_figure *out, lmb_error *error)
{
    lmbi_figure f = {.alloc = alloc, .body.alloc = alloc};
    f.positions = lmbi_alloc_array(alloc, soup->position_count, sizeof(lmb_vec3));
    if (!f.positions) {
        return lmbi_fail_memory(error);
    }
    f.soup = *soup;
    f.soup.positions = f.positions;
    lmb_result result = first_look(soup, &opts->stance, opts->marks, &f, error);
    if (result == LMB_OK) {
        const lmbi_stance first = f.stance;
        const float unit = f.frame.size, middle = first.middle;
        const lmb_vec3 look_origin = f.frame.origin;
        f.frame.axes[0] = first.left;
        f.frame.axes[1] = first.up;
        f.frame.axes[2] = first.forward;
        const lmb_box box = box_in_axes(&f, soup);
        f.frame.size = fmaxf(box.high.y - box.low.y, 1e-3f * unit);
        const float x = lmb_vec3_dot(look_origin, f.frame.axes[0]) + unit * middle, y = box.low.y,
                    z = 0.5f * (box.low.z + box.high.z);
        f.frame.origin =
            lmb_vec3_mad(lmb_vec3_mad(lmb_vec3_scale(f.frame.axes[0], x), f.frame.axes[1], y),
                         f.frame.axes[2], z);
        place(&f, soup);
        f.marks = opts->marks ? lmbi_marks_in(opts->marks, &f.frame) : f.marks;
        lmbi_body_destroy(&f.body);
        const float cell =
            cell_for(box, f.frame.size, opts->cell > 0 ? opts->cell : 1.0f / 128, 2e6f);
        const float fine = cell_for(box, f.frame.size, 0.67f * cell, 3e6f);
        const lmbi_stance_opts fixed = {.up = {0, 1, 0}, .forward = {0, 0, 1}, .mirrored = true};
        result = look_closer(&f, (float[2]){cell, fine}, -2, &fixed, error);
        const bool armless = result == LMB_OK && f.stance.armless;
        if (armless) {
            lmbi_hidden_arms(&f);
        }
        f.stance.cost = armless ? f.stance.cost : fmaxf(f.stance.cost, first.cost);
    }
    if (result != LMB_OK) {
        lmbi_figure_destroy(&f);
        return result;
    }
    *out = f;
    return LMB_OK;
}
