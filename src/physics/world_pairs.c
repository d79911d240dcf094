/// Broad phase: sweep and prune of shape bounds along x.
#include "physics/world.h"

static lmbi_v3 minimum(lmbi_v3 a, lmbi_v3 b)
{
    return lmbi_v3_make(lmbi_min(a.x, b.x), lmbi_min(a.y, b.y), lmbi_min(a.z, b.z));
}

static lmbi_v3 maximum(lmbi_v3 a, lmbi_v3 b)
{
    return lmbi_v3_make(lmbi_max(a.x, b.x), lmbi_max(a.y, b.y), lmbi_max(a.z, b.z));
}

static void update_shape(const lmb_world *world, lmbi_rigid_shape *s)
{
    const lmbi_rigid_body *b = &world->bodies[s->body];
    s->ends[0] = lmbi_body_point(b, s->local_ends[0]);
    s->ends[1] = s->kind == LMB_RIGID_CAPSULE ? lmbi_body_point(b, s->local_ends[1]) : s->ends[0];
    if (s->kind >= LMB_RIGID_BOX) {
        s->world_rotation = lmbi_q4_mul(b->q, s->rotation);
    }
}

void lmbi_world_update_shapes(lmb_world *world)
{
    for (uint32_t i = 0; i < world->shape_count; ++i) {
        if (!world->bodies[world->shapes[i].body].asleep) {
            update_shape(world, &world->shapes[i]);
        }
    }
}

/// Half extents of the axis-aligned box around a shape about one of its ends.
static lmbi_v3 half_extents(const lmbi_rigid_shape *s)
{
    if (s->kind != LMB_RIGID_BOX) {
        return lmbi_v3_make(s->radius, s->radius, s->radius);
    }
    return lmbi_rotated_half_extents(s->world_rotation, s->half);
}

/// Bounds of the shape, grown by twice its possible travel in the step.
static void update_bounds(const lmb_world *world, lmbi_rigid_shape *s, double dt_s)
{
    if (s->kind == LMB_RIGID_PLANE) {
        s->low = lmbi_v3_make(-HUGE_VAL, -HUGE_VAL, -HUGE_VAL);
        s->high = lmbi_v3_neg(s->low);
        return;
    }
    if (s->kind == LMB_RIGID_GROUND) {
        lmbi_ground_bound(s, &s->low, &s->high);
        return;
    }
    const lmbi_rigid_body *b = &world->bodies[s->body];
    const lmbi_v3 out = lmbi_v3_sub(s->ends[0], b->x);
    double travel = 0.0;
    if (!b->asleep) {
        travel = 2.0 * dt_s *
                 (lmbi_v3_length(b->v) + lmbi_v3_length(world->gravity) * dt_s +
                  lmbi_v3_length(b->w) * lmbi_max(lmbi_v3_length(out), lmbi_v3_length(s->half)));
    }
    const lmbi_v3 reach = lmbi_v3_add(half_extents(s), lmbi_v3_make(travel, travel, travel));
    s->low = lmbi_v3_sub(minimum(s->ends[0], s->ends[1]), reach);
    s->high = lmbi_v3_add(maximum(s->ends[0], s->ends[1]), reach);
}

/// Insertion sort, as the order is nearly sorted from the step before. Ties go by shape index.
static void sort_by_low_x(lmb_world *world)
{
    const lmbi_rigid_shape *shapes = world->shapes;
    for (uint32_t i = 1; i < world->shape_count; ++i) {
        const uint32_t moving = world->order[i];
        uint32_t k = i;
        for (; k > 0; --k) {
            const uint32_t other = world->order[k - 1];
            const double a = shapes[other].low.x, b = shapes[moving].low.x;
            if (a < b || (!(b < a) && other < moving)) {
                break;
            }
            world->order[k] = other;
        }
        world->order[k] = moving;
    }
}

static bool is_filtered(const lmb_world *world, uint32_t a, uint32_t b)
{
    const uint32_t first = a < b ? a : b, second = a < b ? b : a;
    uint32_t low = 0, high = world->filtered_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2, *pair = world->filtered[middle];
        if (pair[0] == first && pair[1] == second) {
            return true;
        }
        if (pair[0] < first || (pair[0] == first && pair[1] < second)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return false;
}

static bool overlap(const lmbi_rigid_shape *a, const lmbi_rigid_shape *b)
{
    return a->low.y <= b->high.y && b->low.y <= a->high.y && a->low.z <= b->high.z &&
           b->low.z <= a->high.z;
}

static bool reaches_below(const lmbi_rigid_shape *plane, const lmbi_rigid_shape *s)
{
    const lmbi_v3 up = lmbi_q4_rotate(plane->world_rotation, lmbi_v3_make(0, 1, 0));
    const lmbi_v3 corner = {up.x > 0 ? s->low.x : s->high.x, up.y > 0 ? s->low.y : s->high.y,
                            up.z > 0 ? s->low.z : s->high.z};
    return lmbi_v3_dot(lmbi_v3_sub(corner, plane->ends[0]), up) < 0.0;
}

static void add_pair(lmb_world *world, uint32_t i, uint32_t j)
{
    const uint32_t a = i < j ? i : j, b = i < j ? j : i;
    const lmbi_rigid_shape *s = &world->shapes[a], *t = &world->shapes[b];
    const lmbi_rigid_body *p = &world->bodies[s->body], *q = &world->bodies[t->body];
    if (s->body == t->body || !(p->inv_mass + q->inv_mass > 0.0) || !overlap(s, t) ||
        (s->kind == LMB_RIGID_PLANE && !reaches_below(s, t)) ||
        (t->kind == LMB_RIGID_PLANE && !reaches_below(t, s)) ||
        is_filtered(world, s->body, t->body)) {
        return;
    }
    if (world->pair_count == world->pair_capacity) {
        ++world->dropped;
        return;
    }
    lmbi_pair *pair = &world->pairs[world->pair_count++];
    *pair = (lmbi_pair){.a = a, .b = b};
    if (s->kind == LMB_RIGID_GROUND || t->kind == LMB_RIGID_GROUND) {
        lmbi_world_find_facets(world, pair);
    }
}

void lmbi_world_find_pairs(lmb_world *world, double dt_s)
{
    for (uint32_t i = 0; i < world->shape_count; ++i) {
        update_shape(world, &world->shapes[i]);
        update_bounds(world, &world->shapes[i], dt_s);
    }
    sort_by_low_x(world);
    world->pair_count = world->facet_count = 0;
    for (uint32_t i = 0; i < world->shape_count; ++i) {
        const uint32_t first = world->order[i];
        const double end = world->shapes[first].high.x;
        for (uint32_t k = i + 1; k < world->shape_count; ++k) {
            const uint32_t second = world->order[k];
            if (world->shapes[second].low.x > end) {
                break;
            }
            add_pair(world, first, second);
        }
    }
}
