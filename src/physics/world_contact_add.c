/// Common to the collision tests of all shape pairs: closest points of segments, and adding a
/// contact.
#include "physics/world_collide.h"

bool lmbi_segments_closest(lmbi_v3 p0, lmbi_v3 p1, lmbi_v3 q0, lmbi_v3 q1, double *s, double *t)
{
    const lmbi_v3 d = lmbi_v3_sub(p1, p0), e = lmbi_v3_sub(q1, q0), r = lmbi_v3_sub(p0, q0);
    const double dd = lmbi_v3_dot(d, d), ee = lmbi_v3_dot(e, e), er = lmbi_v3_dot(e, r),
                 dr = lmbi_v3_dot(d, r), de = lmbi_v3_dot(d, e);
    const double least = 1e-12;
    if (dd <= least || ee <= least) {
        *s = dd <= least ? 0.0 : lmbi_saturate(-dr / dd);
        *t = ee <= least ? 0.0 : lmbi_saturate(er / ee);
        return false;
    }
    const double across = dd * ee - de * de;
    *s = across > 1e-9 * dd * ee ? lmbi_saturate((de * er - dr * ee) / across) : 0.0;
    *t = (de * *s + er) / ee;
    if (*t < 0.0 || *t > 1.0) {
        *t = lmbi_saturate(*t);
        *s = lmbi_saturate((*t * de - dr) / dd);
    }
    return across < 1e-3 * dd * ee;
}

// --------------------------------------------------------------------------------------- contacts

void lmbi_contact_add(lmbi_collision *m, lmbi_v3 on_a, lmbi_v3 on_b, lmbi_v3 normal)
{
    if (m->count == m->most) {
        return;
    }
    const lmbi_rigid_shape *a = m->a, *b = m->b;
    const lmbi_rigid_body *p = &m->world->bodies[a->body], *q = &m->world->bodies[b->body];
    m->out[m->count++] =
        (lmbi_contact){.a = a->body,
                       .b = b->body,
                       .local_a = lmbi_q4_unrotate(p->q, lmbi_v3_sub(on_a, p->x)),
                       .local_b = lmbi_q4_unrotate(q->q, lmbi_v3_sub(on_b, q->x)),
                       .normal = normal,
                       .size = m->size,
                       .static_friction = sqrt(a->static_friction * b->static_friction),
                       .dynamic_friction = sqrt(a->dynamic_friction * b->dynamic_friction),
                       .restitution = lmbi_max(a->restitution, b->restitution)};
}
