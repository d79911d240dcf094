/// Scans of many persons in many poses, and the body model that is being learned from them.
#ifndef LEARN_BODY_POPULATION_H
#define LEARN_BODY_POPULATION_H

#include "learn/body/scan_body.h"
#include "limber/learn.h"

enum {
    LMBI_POPULATION_SLOTS = 16,     ///< scans, or persons, that are solved at once
    LMBI_POPULATION_INFLUENCES = 8, ///< most weights of a vertex, where weights are solved for
    LMBI_POPULATION_GROUPS = 8,     ///< most groups of vertices for each joint
};
/// Cost of a squared change of a weight from the definition's, in squared heights: what the scans do not tell stays.
static const double LMBI_POPULATION_WEIGHT_PULL = 1e-5;

/// What correctives cost, by the numbers of a ridge, which is below 0 before it is chosen, and of how it rises with
/// distance in the tree.
typedef struct lmbi_corrective_price {
    int ridge, falloff;
} lmbi_corrective_price;

typedef struct lmbi_population {
    const lmb_learn_body_def *def;
    lmb_learn_body_opts opts;
    lmbi_arena arena;
    lmbi_scan_body body;
    uint32_t *row_joints; ///< those of `body`, each vertex with the same room, as the next
    double *row_weights;
    double *correctives; ///< those of `body`, which has them once they are solved
    lmbi_corrective_price price;
    double height; ///< greatest extent of the definition's rest shape

    uint32_t scan_count; ///< that are learned from
    uint32_t *scans;     ///< [scan_count] number in the definition, by person
    uint32_t *person_of; ///< [scan_count]
    uint8_t *held_out;   ///< [scan_count of the definition]
    uint32_t person_count;
    uint32_t *first_scan;  ///< [person_count + 1] in `scans`
    lmbi_scan_pose *poses; ///< [scan_count]
    double *rest;          ///< [person_count][vertex_count][3]
    double *joints;        ///< [person_count][joint_count][3]

    // the shape space: person = mean + sum of coefficients times directions
    uint32_t direction_count;
    double *mean, *directions;              ///< [vertex_count][3], [most][vertex_count][3]
    double *mean_joints, *joint_directions; ///< [joint_count][3], [most][joint_count][3]
    double *coefficients;                   ///< [person_count][most], variance 1
    uint32_t most_directions;

    lmbi_scan_fitter *fitters[LMBI_POPULATION_SLOTS];
    struct lmbi_person_solver *solvers[LMBI_POPULATION_SLOTS];
} lmbi_population;

static inline double *lmbi_population_rest(const lmbi_population *p, uint32_t person)
{
    return p->rest + 3 * (size_t)person * p->body.vertex_count;
}
static inline double *lmbi_population_joints(const lmbi_population *p, uint32_t person)
{
    return p->joints + 3 * (size_t)person * p->body.joint_count;
}
static inline const lmb_vec3 *lmbi_population_scan(const lmbi_population *p, uint32_t scan)
{
    return p->def->scans[p->scans[scan]];
}

/// Checks the definition and makes room: every person has the rest shape, every scan the rest pose.
lmb_result lmbi_population_prepare(lmbi_population *p, lmb_error *error);

struct lmbi_person_solver *lmbi_person_solver_create(const lmbi_scan_body *body, lmbi_arena *arena);
/// Rest shape and joints of a person in the poses of its scans, drawn to the shape space by `pull`, as if by so many
/// scans of that shape.
bool lmbi_person_solve(struct lmbi_person_solver *solver, lmbi_population *p, uint32_t person,
                       double pull);

/// Principal components of the persons' rest shapes, and the joints that go with them. False if there is no memory.
bool lmbi_population_find_space(lmbi_population *p);
/// A person as the shape space has it.
void lmbi_population_in_space(const lmbi_population *p, uint32_t person, double *rest,
                              double *joints);

/// Weights of the vertices: those with which the joints show the scans best.
void lmbi_population_solve_rows(lmbi_population *p);
/// Correctives: what is left over at rest, by ridge regression on the features of the poses. `chooses` the price anew.
lmb_result lmbi_population_solve_correctives(lmbi_population *p, bool chooses, lmb_error *error);

/// Vertices that follow the same joints, those that they follow most where there would be too many groups: what they have
/// in common are the costs of correctives.
typedef struct lmbi_corrective_groups {
    uint32_t count, most;
    uint32_t *of;     ///< [vertex_count] group of a vertex
    uint32_t *counts; ///< [group] of its joints
    uint32_t *joints; ///< [group][LMBI_POPULATION_INFLUENCES]
} lmbi_corrective_groups;

/// Room for the groups. False if there is no memory.
bool lmbi_corrective_groups_init(lmbi_corrective_groups *groups, const lmbi_population *p,
                                 lmbi_arena *arena);
void lmbi_corrective_groups_find(lmbi_corrective_groups *groups, const lmbi_population *p);

/// costs[groups->count], `stride` apart: for the vertices of a group, what squared correctives cost, by feature.
void lmbi_population_corrective_costs(const lmbi_population *p,
                                      const lmbi_corrective_groups *groups, size_t stride,
                                      double *costs);

/// The joints as sums of vertices, over the shape space: regressor_first[joint_count + 1] and so on as in lmb_body_model,
/// in the arena.
lmb_result lmbi_population_solve_regressor(lmbi_population *p, lmb_body_model *out,
                                           lmb_error *error);

#endif
