/// What the tests of a shape against the facets of a ground share.
#ifndef PHYSICS_WORLD_GROUND_H
#define PHYSICS_WORLD_GROUND_H

#include "physics/world.h"

/// A place where a shape is near the ground. `up` is unit and leads from the ground to the shape.
typedef struct lmbi_candidate {
    lmbi_v3 on_shape, on_ground, up;
    double depth;
} lmbi_candidate;

/// As many as are collected before the ones that say the same are left out.
enum { LMBI_CANDIDATES = 48 };

/// A shape on its way over the facets of a ground, and the spots found so far.
typedef struct lmbi_ground_collision {
    const lmb_world *world;
    const lmbi_rigid_shape *shape, *ground;
    double margin;         ///< as near as counts
    double reach;          ///< of the shape from its middle
    lmbi_v3 start_ends[2]; ///< `at` of the shape when the sub-step began
    bool solid;            ///< all below the ground is
    bool may_be_deep;      ///< was put there and may be deep
    lmbi_candidate candidates[LMBI_CANDIDATES];
    uint32_t count;
} lmbi_ground_collision;

void lmbi_candidate_add(lmbi_ground_collision *t, lmbi_v3 on_shape, lmbi_v3 on_ground, lmbi_v3 up);
/// Of the spots that say the same only the deepest stays: the deepest of all, then what is most
/// unlike those kept, LMBI_GROUND_CONTACTS at the most.
void lmbi_candidates_reduce(lmbi_ground_collision *t);
/// Whether `up` may be the way out over the edge k: no farther than to where the next triangle
/// takes over. Otherwise the next triangle has something better to say, or an edge inside a flat
/// floor would trip what slides over it.
bool lmbi_facet_allows(const lmbi_facet *f, int k, lmbi_v3 up);

/// Which of a pair is the ground.
void lmbi_ground_sides(const lmb_world *world, const lmbi_pair *pair,
                       const lmbi_rigid_shape **shape, const lmbi_rigid_shape **ground);
/// The facets, in the world, that the pair's shape may meet.
void lmbi_ground_each_facet(const lmb_world *world, const lmbi_pair *pair, double near,
                            void (*visit)(void *user, const lmbi_facet *f), void *user);

/// A sphere or capsule and a facet.
void lmbi_ground_collide_round(lmbi_ground_collision *t, const lmbi_facet *f);
void lmbi_ground_collide_box(lmbi_ground_collision *t, const lmbi_facet *f);

#endif
