/// Shared by the collision tests of a shape with the facets of a ground.
#ifndef PHYSICS_WORLD_GROUND_H
#define PHYSICS_WORLD_GROUND_H

#include "physics/world.h"

/// A candidate contact. `up` is unit and points from the ground to the shape.
typedef struct lmbi_candidate {
    lmbi_v3 on_shape, on_ground, up;
    double depth;
} lmbi_candidate;

/// Capacity before near duplicates are removed.
enum { LMBI_CANDIDATES = 48 };

/// A shape and a ground, and the candidate contacts found so far.
typedef struct lmbi_ground_collision {
    const lmb_world *world;
    const lmbi_rigid_shape *shape, *ground;
    double margin;         ///< contact distance, metres
    double reach;          ///< bounding radius of the shape
    lmbi_v3 start_ends[2]; ///< `ends` of the shape at the start of the sub-step
    bool solid;            ///< all below the ground is solid
    bool may_be_deep;      ///< was placed by the user, perhaps deep inside
    lmbi_candidate candidates[LMBI_CANDIDATES];
    uint32_t count;
} lmbi_ground_collision;

void lmbi_candidate_add(lmbi_ground_collision *t, lmbi_v3 on_shape, lmbi_v3 on_ground, lmbi_v3 up);
/// Reduces the candidates to at most LMBI_GROUND_CONTACTS: the deepest, then repeatedly the one
/// that differs most from those kept. Near duplicates are dropped.
void lmbi_candidates_reduce(lmbi_ground_collision *t);
/// Whether `up` is a valid contact normal at edge k: it leans out no farther than the neighbour's
/// normal. Beyond that the neighbour makes the contact; otherwise inner edges of a flat floor would
/// catch what slides over them.
bool lmbi_facet_allows(const lmbi_facet *f, int k, lmbi_v3 up);

/// Tells shape and ground of a pair apart.
void lmbi_ground_sides(const lmb_world *world, const lmbi_pair *pair,
                       const lmbi_rigid_shape **shape, const lmbi_rigid_shape **ground);
/// Visits the facets, in world space, that the pair's shape may touch.
void lmbi_ground_each_facet(const lmb_world *world, const lmbi_pair *pair, double near,
                            void (*visit)(void *user, const lmbi_facet *f), void *user);

/// Sphere or capsule against a facet.
void lmbi_ground_collide_round(lmbi_ground_collision *t, const lmbi_facet *f);
void lmbi_ground_collide_box(lmbi_ground_collision *t, const lmbi_facet *f);

#endif
