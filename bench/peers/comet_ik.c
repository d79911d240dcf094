// TheComet/ik's FABRIK. COMET is its checkout, BUILD where it was built.
//     cc -O3 -shared -fPIC -Iinclude -I. -I$COMET/ik/include/public -I$BUILD/ik/include/public
//     bench/peers/comet_ik.c -o comet_ik.so $BUILD/ik/ik.a -lm
#include "bench/peers/ik_peer.h"

#include "ik/ik.h"

static struct ik_solver_t *solver;
static struct ik_node_t *nodes[128];
static struct ik_effector_t *effector;
static uint32_t count;

static void chain_make(uint32_t links)
{
    static bool is_up;
    if (!is_up) {
        ik.init();
        is_up = true;
    }
    solver = ik.solver.create(IK_FABRIK);
    solver->flags = 0; // places alone, as measured
    count = links;
    nodes[0] = solver->node->create(0);
    for (uint32_t i = 1; i <= links; ++i) {
        nodes[i] = solver->node->create_child(nodes[i - 1], i);
        nodes[i]->position = ik.vec3.vec3(1, 0, 0);
    }
    effector = solver->effector->create();
    solver->effector->attach(effector, nodes[links]);
    ik.solver.set_tree(solver, nodes[0]);
    ik.solver.rebuild(solver);
    solver->max_iterations = 20;
    solver->tolerance = 1e-3;
}

static void chain_solve(lmb_vec3 target, lmb_vec3 *out_tip)
{
    for (uint32_t i = 0; i <= count; ++i) {
        nodes[i]->position = ik.vec3.vec3(i > 0 ? 1 : 0, 0, 0);
    }
    effector->target_position = ik.vec3.vec3((double)target.x, (double)target.y, (double)target.z);
    ik.solver.solve(solver);
    // Without its joint rotations the local places add up along the chain.
    *out_tip = lmb_vec3_make(0, 0, 0);
    for (uint32_t i = 0; i <= count; ++i) {
        out_tip->x += (float)nodes[i]->position.x;
        out_tip->y += (float)nodes[i]->position.y;
        out_tip->z += (float)nodes[i]->position.z;
    }
}

static const ik_peer peer = {"TheComet/ik FABRIK", NULL, NULL, NULL, NULL, chain_make, chain_solve};

__attribute__((visibility("default"))) const ik_peer *ik_peer_get(void)
{
    return &peer;
}
