/// Shapes that enter a ground mesh from behind pass through it, until they are out in front.
#include "physics/box_frame.h"
#include "physics/world_ground.h"

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
