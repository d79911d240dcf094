/// What comes through a mesh from behind: it goes on its way until it is through.
#include "physics/box_frame.h"
#include "physics/world_ground.h"

/// A shape where the sub-step began, and what is found of it.
typedef struct passage {
    const lmbi_rigid_shape *shape, *ground; ///< as it is now
    lmbi_box_frame box;
    lmbi_v3 probes[2];
    int probe_count;
    bool any;
    lmbi_v3 way;
} passage;

static bool is_over(const lmbi_facet *f, lmbi_v3 p)
{
    for (int k = 0; k < 3; ++k) {
        if (lmbi_v3_dot(lmbi_v3_sub(p, f->p[k]), f->out[k]) > 1e-9) {
            return false;
        }
    }
    return true;
}

/// Whether the shape is in the facet and, its middle behind it or on its way, may go on.
static void look(void *user, const lmbi_facet *f)
{
    passage *p = user;
    const lmbi_rigid_shape *s = p->shape;
    for (int k = 0; k < p->probe_count && !p->any; ++k) {
        const double side = lmbi_v3_dot(lmbi_v3_sub(p->probes[k], f->p[0]), f->n),
                     reach = s->kind == LMB_RIGID_BOX ? lmbi_box_reach(&p->box, f->n) : s->radius;
        const bool on_its_way =
            s->passes == p->ground && lmbi_v3_dot(f->n, s->passing) > LMBI_PASSING;
        p->any =
            fabs(side) < reach && is_over(f, p->probes[k]) && (side < -0.1 * s->size || on_its_way);
        p->way = p->any ? f->n : p->way;
    }
}

void lmbi_ground_note_passing(lmb_world *world, const lmbi_pair *pair)
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
        then.at[k] = p.probes[k] = lmbi_v3_add(body->x0, lmbi_rotate(body->q0, s->local[k]));
    }
    then.turn = lmbi_mul(body->q0, s->rotation);
    p.box = s->kind == LMB_RIGID_BOX ? lmbi_box_frame_of(&then) : p.box;
    p.probe_count = s->kind == LMB_RIGID_CAPSULE ? 2 : 1;
    lmbi_ground_each(world, pair, LMBI_NEAR * s->size, look, &p);
    if (p.any) {
        s->passing = p.way;
    }
    if (p.any || s->passes == p.ground) {
        s->passes = p.any ? p.ground : NULL;
    }
}
