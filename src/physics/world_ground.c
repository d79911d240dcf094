/// Contacts of shapes with a ground: facets near the shape, candidates on them, and their
/// reduction.
#include "physics/world_ground.h"

#include "physics/world_collide.h"

// ----------------------------------------------------------------------------------------- facets

void lmbi_ground_bound(const lmbi_rigid_shape *ground, lmbi_v3 *low, lmbi_v3 *high)
{
    const lmb_box box = lmbi_ground_box(ground->ground);
    const lmbi_v3 a = lmbi_v3_of(box.low), b = lmbi_v3_of(box.high);
    const lmbi_v3 half =
        lmbi_rotated_half_extents(ground->world_rotation, lmbi_v3_scale(lmbi_v3_sub(b, a), 0.5));
    const lmbi_v3 middle = lmbi_v3_add(
        ground->ends[0], lmbi_q4_rotate(ground->world_rotation, lmbi_v3_lerp(a, b, 0.5)));
    *low = lmbi_v3_sub(middle, half);
    *high = lmbi_v3_add(middle, half);
    if (lmbi_ground_is_solid(ground->ground)) { // all below a height field is solid
        const lmbi_v3 up = lmbi_q4_rotate(ground->world_rotation, lmbi_v3_make(0, 1, 0));
        *low = lmbi_v3_mad(*low, up, -2.0 * lmbi_v3_length(half));
    }
}

static lmb_box box_in_ground(const lmbi_rigid_shape *ground, lmbi_v3 low, lmbi_v3 high)
{
    const lmbi_q4 back = lmbi_q4_conjugate(ground->world_rotation);
    const lmbi_v3 middle =
        lmbi_q4_rotate(back, lmbi_v3_sub(lmbi_v3_lerp(low, high, 0.5), ground->ends[0]));
    const lmbi_v3 half =
        lmbi_rotated_half_extents(back, lmbi_v3_scale(lmbi_v3_sub(high, low), 0.5 + 1e-6));
    return (lmb_box){lmbi_v3_single(lmbi_v3_sub(middle, half)),
                     lmbi_v3_single(lmbi_v3_add(middle, half))};
}

static bool facet_in_world(const lmbi_rigid_shape *ground, uint32_t triangle, lmbi_facet *out)
{
    if (!lmbi_ground_facet(ground->ground, triangle, out)) {
        return false;
    }
    out->n = lmbi_q4_rotate(ground->world_rotation, out->n);
    for (int k = 0; k < 3; ++k) {
        out->p[k] = lmbi_v3_add(ground->ends[0], lmbi_q4_rotate(ground->world_rotation, out->p[k]));
        out->out[k] = lmbi_q4_rotate(ground->world_rotation, out->out[k]);
    }
    return true;
}

typedef struct facet_query {
    lmb_world *world;
    lmbi_pair *pair;
    const lmbi_rigid_shape *ground;
    lmbi_v3 middle, half; ///< of the shape's bounds
    bool solid;
} facet_query;

static bool add_facet(void *user, uint32_t triangle)
{
    facet_query *g = user;
    lmb_world *world = g->world;
    if (world->facet_count == world->facet_capacity) {
        g->pair->facet_count = LMBI_FACETS_OVERFLOW;
        return false;
    }
    lmbi_facet *f = &world->facets[world->facet_count];
    if (!facet_in_world(g->ground, triangle, f)) {
        return true;
    }
    const double height = lmbi_v3_dot(lmbi_v3_sub(g->middle, f->p[0]), f->n),
                 reach =
                     g->half.x * fabs(f->n.x) + g->half.y * fabs(f->n.y) + g->half.z * fabs(f->n.z);
    if (height <= reach && (height >= -reach || g->solid)) {
        ++world->facet_count;
        ++g->pair->facet_count;
    }
    return true;
}

void lmbi_ground_sides(const lmb_world *world, const lmbi_pair *pair,
                       const lmbi_rigid_shape **shape, const lmbi_rigid_shape **ground)
{
    const lmbi_rigid_shape *a = &world->shapes[pair->a], *b = &world->shapes[pair->b];
    *ground = a->kind == LMB_RIGID_GROUND ? a : b;
    *shape = a->kind == LMB_RIGID_GROUND ? b : a;
}

void lmbi_world_find_facets(lmb_world *world, lmbi_pair *pair)
{
    const lmbi_rigid_shape *shape, *ground;
    lmbi_ground_sides(world, pair, &shape, &ground);
    facet_query g = {.world = world,
                     .pair = pair,
                     .ground = ground,
                     .middle = lmbi_v3_lerp(shape->low, shape->high, 0.5),
                     .half = lmbi_v3_scale(lmbi_v3_sub(shape->high, shape->low), 0.5),
                     .solid = lmbi_ground_is_solid(ground->ground)};
    pair->first_facet = world->facet_count;
    pair->facet_count = 0;
    lmbi_ground_visit(ground->ground, box_in_ground(ground, shape->low, shape->high), add_facet,
                      &g);
    if (pair->facet_count == LMBI_FACETS_OVERFLOW) {
        world->facet_count = pair->first_facet;
    }
}

// ------------------------------------------------------------------------------------- candidates

static void collide_facet(void *user, const lmbi_facet *f)
{
    lmbi_ground_collision *t = user;
    if (t->shape->kind == LMB_RIGID_BOX) {
        lmbi_ground_collide_box(t, f);
    } else {
        lmbi_ground_collide_round(t, f);
    }
}

typedef struct facet_visit {
    const lmbi_rigid_shape *ground;
    void (*visit)(void *user, const lmbi_facet *f);
    void *user;
} facet_visit;

static bool visit_triangle(void *user, uint32_t triangle)
{
    const facet_visit *v = user;
    lmbi_facet f;
    if (facet_in_world(v->ground, triangle, &f)) {
        v->visit(v->user, &f);
    }
    return true;
}

/// Visits all facets near the shape's current position.
static void visit_near(const lmbi_rigid_shape *s, double near, facet_visit *v)
{
    const double more = s->radius + near;
    lmbi_v3 half = {more, more, more};
    if (s->kind == LMB_RIGID_BOX) {
        half = lmbi_v3_add(half, lmbi_rotated_half_extents(s->world_rotation, s->half));
    }
    const lmbi_v3 a = s->ends[0], b = s->ends[1];
    const lmbi_v3 low = {lmbi_min(a.x, b.x), lmbi_min(a.y, b.y), lmbi_min(a.z, b.z)},
                  high = {lmbi_max(a.x, b.x), lmbi_max(a.y, b.y), lmbi_max(a.z, b.z)};
    lmbi_ground_visit(v->ground->ground,
                      box_in_ground(v->ground, lmbi_v3_sub(low, half), lmbi_v3_add(high, half)),
                      visit_triangle, v);
}

void lmbi_ground_each_facet(const lmb_world *world, const lmbi_pair *pair, double near,
                            void (*visit)(void *user, const lmbi_facet *f), void *user)
{
    const lmbi_rigid_shape *shape;
    facet_visit v = {.visit = visit, .user = user};
    lmbi_ground_sides(world, pair, &shape, &v.ground);
    if (pair->facet_count == LMBI_FACETS_OVERFLOW) {
        visit_near(shape, near, &v);
    }
    for (uint32_t i = 0; pair->facet_count != LMBI_FACETS_OVERFLOW && i < pair->facet_count; ++i) {
        visit(user, &world->facets[pair->first_facet + i]);
    }
}

static double bounding_radius(const lmbi_rigid_shape *s)
{
    return s->kind == LMB_RIGID_BOX
               ? lmbi_v3_length(s->half)
               : s->radius + 0.5 * lmbi_v3_length(lmbi_v3_sub(s->local_ends[1], s->local_ends[0]));
}

/// Drops candidates that oppose a shape on its way out through the front of a mesh.
static void drop_passing_candidates(lmbi_ground_collision *t)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < t->count; ++i) {
        if (lmbi_v3_dot(t->candidates[i].up, t->shape->passing_direction) <= LMBI_PASSING_COS) {
            t->candidates[kept++] = t->candidates[i];
        }
    }
    t->count = kept;
}

uint32_t lmbi_ground_collide(const lmb_world *world, const lmbi_pair *pair, lmbi_contact *out,
                             uint32_t most)
{
    lmbi_ground_collision t = {.world = world};
    lmbi_ground_sides(world, pair, &t.shape, &t.ground);
    const lmbi_rigid_body *body = &world->bodies[t.shape->body];
    t.margin = LMBI_CONTACT_MARGIN * t.shape->size;
    t.reach = bounding_radius(t.shape);
    t.solid = lmbi_ground_is_solid(t.ground->ground);
    t.may_be_deep = body->was_placed || body->unresolved_depth > 0.0;
    for (int k = 0; k < 2; ++k) {
        t.start_ends[k] = lmbi_v3_add(body->x0, lmbi_q4_rotate(body->q0, t.shape->local_ends[k]));
    }
    lmbi_ground_each_facet(world, pair, t.margin, collide_facet, &t);
    if (t.shape->passing_ground == t.ground && !t.may_be_deep) {
        drop_passing_candidates(&t);
    }
    lmbi_candidates_reduce(&t);
    const bool first = t.shape == &world->shapes[pair->a];
    lmbi_collision m = {.world = world,
                        .a = &world->shapes[pair->a],
                        .b = &world->shapes[pair->b],
                        .size = t.shape->size,
                        .out = out,
                        .most = most};
    for (uint32_t i = 0; i < t.count; ++i) {
        const lmbi_candidate *s = &t.candidates[i];
        lmbi_contact_add(&m, first ? s->on_shape : s->on_ground, first ? s->on_ground : s->on_shape,
                         first ? s->up : lmbi_v3_neg(s->up));
    }
    return m.count;
}

// ------------------------------------------------------------------------ shapes that pass through
// Shapes that enter a ground mesh from behind pass through it, until they are out in front.

/// A shape at the start of the sub-step, and whether it is inside the mesh.
typedef struct passage {
    const lmbi_rigid_shape *shape, *ground; ///< at their current positions
    lmbi_box_frame box;
    lmbi_v3 probes[2];
    int probe_count;
    bool is_inside;
    lmbi_v3 direction;
} passage;

static bool projects_inside(const lmbi_facet *f, lmbi_v3 p)
{
    for (int k = 0; k < 3; ++k) {
        if (lmbi_v3_dot(lmbi_v3_sub(p, f->p[k]), f->out[k]) > 1e-9) {
            return false;
        }
    }
    return true;
}

/// Tests whether a facet cuts the shape while the shape's centre is behind it or already on its way
/// out.
static void test_facet(void *user, const lmbi_facet *f)
{
    passage *p = user;
    const lmbi_rigid_shape *s = p->shape;
    for (int k = 0; k < p->probe_count && !p->is_inside; ++k) {
        const double side = lmbi_v3_dot(lmbi_v3_sub(p->probes[k], f->p[0]), f->n),
                     reach = s->kind == LMB_RIGID_BOX ? lmbi_box_extent(&p->box, f->n) : s->radius;
        const bool is_passing = s->passing_ground == p->ground &&
                                lmbi_v3_dot(f->n, s->passing_direction) > LMBI_PASSING_COS;
        p->is_inside = fabs(side) < reach && projects_inside(f, p->probes[k]) &&
                       (side < -0.1 * s->size || is_passing);
        p->direction = p->is_inside ? f->n : p->direction;
    }
}

void lmbi_ground_update_passing(lmb_world *world, const lmbi_pair *pair)
{
    passage p = {0};
    lmbi_ground_sides(world, pair, &p.shape, &p.ground);
    lmbi_rigid_shape *s = &world->shapes[p.shape - world->shapes];
    const lmbi_rigid_body *body = &world->bodies[s->body];
    if (lmbi_ground_is_solid(p.ground->ground)) {
        return;
    }
    lmbi_rigid_shape then = *s;
    for (int k = 0; k < 2; ++k) {
        then.ends[k] = p.probes[k] =
            lmbi_v3_add(body->x0, lmbi_q4_rotate(body->q0, s->local_ends[k]));
    }
    then.world_rotation = lmbi_q4_mul(body->q0, s->rotation);
    p.box = s->kind == LMB_RIGID_BOX ? lmbi_box_frame_of(&then) : p.box;
    p.probe_count = s->kind == LMB_RIGID_CAPSULE ? 2 : 1;
    lmbi_ground_each_facet(world, pair, LMBI_CONTACT_MARGIN * s->size, test_facet, &p);
    if (p.is_inside) {
        s->passing_direction = p.direction;
    }
    if (p.is_inside || s->passing_ground == p.ground) {
        s->passing_ground = p.is_inside ? p.ground : NULL;
    }
}
