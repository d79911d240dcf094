// The Open Dynamics Engine for ragdoll_bench. Debian: libode-dev.
//     cc -O3 -shared -fPIC -Iinclude -I. bench/peers/ode_body.c -o ode_body.so $(pkg-config --cflags --libs ode)
#include "bench/peers/body_peer.h"

#include <stdlib.h>

#include <ode/ode.h>

typedef struct way {
    int iterations; ///< 0: the exact solver
    int substeps;
} way;

static const char *const settings[] = {"quick, 20 iterations",
                                       "quick, 100 iterations",
                                       "quick, 20 iterations, 4 steps",
                                       "quick, 20 iterations, 20 steps",
                                       "exact",
                                       "exact, 4 steps",
                                       "exact, 10 steps",
                                       "exact, 20 steps",
                                       NULL};
static const way ways[] = {{20, 1}, {100, 1}, {20, 4}, {20, 20}, {0, 1}, {0, 4}, {0, 10}, {0, 20}};

static dWorldID world;
static dSpaceID space;
static dJointGroupID touches;
static dBodyID bodies[BODY_SCENE_MOST];
static const body_scene *scene;
static way how;

static void set_turn(dBodyID body, lmb_quat q)
{
    const dQuaternion turn = {(dReal)q.w, (dReal)q.x, (dReal)q.y, (dReal)q.z};
    dBodySetQuaternion(body, turn);
}

static void add_body(uint32_t i, lmb_vec3 velocity, lmb_vec3 spin)
{
    const body_scene_body *b = &scene->bodies[i];
    dMass mass;
    bodies[i] = dBodyCreate(world);
    dBodySetPosition(bodies[i], (dReal)b->position.x, (dReal)b->position.y, (dReal)b->position.z);
    set_turn(bodies[i], b->rotation);
    dMassSetParameters(&mass, (dReal)b->mass, 0, 0, 0, (dReal)b->inertia.x, (dReal)b->inertia.y,
                       (dReal)b->inertia.z, 0, 0, 0);
    dBodySetMass(bodies[i], &mass);
    dBodySetLinearVel(bodies[i], (dReal)velocity.x, (dReal)velocity.y, (dReal)velocity.z);
    dBodySetAngularVel(bodies[i], (dReal)spin.x, (dReal)spin.y, (dReal)spin.z);
    dBodySetData(bodies[i], (void *)(uintptr_t)i);
    const dGeomID geom = dCreateCapsule(space, (dReal)b->radius, (dReal)(2 * b->half));
    dGeomSetBody(geom, bodies[i]);
    const dQuaternion along_y = {0.70710678118654752, -0.70710678118654752, 0, 0};
    dGeomSetOffsetQuaternion(geom, along_y);
}

/// q turned by about 0.1 about the axis.
static lmb_quat turned(lmb_quat q, lmb_vec3 axis)
{
    const lmb_vec3 v = {0.05f * axis.x, 0.05f * axis.y, 0.05f * axis.z};
    return lmb_quat_make(
        q.x + v.x * q.w + v.y * q.z - v.z * q.y, q.y - v.x * q.z + v.y * q.w + v.z * q.x,
        q.z + v.x * q.y - v.y * q.x + v.z * q.w, q.w - v.x * q.x - v.y * q.y - v.z * q.z);
}

/// Which way its angle counts: looked up, by turning the child a little.
static int sign_of(dJointID hinge, const body_scene_joint *j, uint32_t child)
{
    const lmb_quat rest = scene->bodies[child].rotation;
    set_turn(bodies[child], turned(rest, j->axis));
    const int sign = dJointGetHingeAngle(hinge) > 0 ? 1 : -1;
    set_turn(bodies[child], rest);
    return sign;
}

static void add_hinge(const body_scene_joint *j, uint32_t child)
{
    const dJointID hinge = dJointCreateHinge(world, 0);
    dJointAttach(hinge, bodies[child], bodies[j->parent]);
    dJointSetHingeAnchor(hinge, (dReal)j->anchor.x, (dReal)j->anchor.y, (dReal)j->anchor.z);
    dJointSetHingeAxis(hinge, (dReal)j->axis.x, (dReal)j->axis.y, (dReal)j->axis.z);
    const int sign = sign_of(hinge, j, child);
    const dReal low = (dReal)(sign > 0 ? j->low : -j->high),
                high = (dReal)(sign > 0 ? j->high : -j->low);
    dJointSetHingeParam(hinge, dParamHiStop, high); // so that low is never above it
    dJointSetHingeParam(hinge, dParamLoStop, low);
    dJointSetHingeParam(hinge, dParamHiStop, high);
}

/// No cone in this engine: three angles, each in its range.
static void add_ball(const body_scene_joint *j, uint32_t child)
{
    const dJointID ball = dJointCreateBall(world, 0), motor = dJointCreateAMotor(world, 0);
    dJointAttach(ball, bodies[j->parent], bodies[child]);
    dJointSetBallAnchor(ball, (dReal)j->anchor.x, (dReal)j->anchor.y, (dReal)j->anchor.z);
    dJointAttach(motor, bodies[j->parent], bodies[child]);
    dJointSetAMotorMode(motor, dAMotorEuler);
    dJointSetAMotorAxis(motor, 0, 1, (dReal)j->axis.x, (dReal)j->axis.y, (dReal)j->axis.z);
    dJointSetAMotorAxis(motor, 2, 2, (dReal)j->side.x, (dReal)j->side.y, (dReal)j->side.z);
    const dReal ranges[3] = {(dReal)j->high, (dReal)j->swing, (dReal)j->swing};
    static const int low[3] = {dParamLoStop1, dParamLoStop2, dParamLoStop3},
                     high[3] = {dParamHiStop1, dParamHiStop2, dParamHiStop3};
    for (int k = 0; k < 3; ++k) {
        dJointSetAMotorParam(motor, low[k], -ranges[k]);
        dJointSetAMotorParam(motor, high[k], ranges[k]);
    }
}

static bool is_filtered(uint32_t a, uint32_t b)
{
    for (uint32_t k = 0; k < scene->filtered_count; ++k) {
        if ((scene->filtered[k][0] == a && scene->filtered[k][1] == b) ||
            (scene->filtered[k][0] == b && scene->filtered[k][1] == a)) {
            return true;
        }
    }
    return false;
}

static void meet(void *data, dGeomID p, dGeomID q)
{
    (void)data;
    const dBodyID a = dGeomGetBody(p), b = dGeomGetBody(q);
    if (a && b &&
        (dAreConnected(a, b) ||
         is_filtered((uint32_t)(uintptr_t)dBodyGetData(a), (uint32_t)(uintptr_t)dBodyGetData(b)))) {
        return;
    }
    dContact contacts[4];
    const int count = dCollide(p, q, 4, &contacts[0].geom, sizeof *contacts);
    for (int k = 0; k < count; ++k) {
        contacts[k].surface =
            (dSurfaceParameters){.mode = dContactApprox1, .mu = (dReal)scene->friction};
        dJointAttach(dJointCreateContact(world, touches, &contacts[k]), a, b);
    }
}

static bool make(const body_scene *given, int setting, const lmb_vec3 *velocities,
                 const lmb_vec3 *spins)
{
    if (world) {
        dJointGroupDestroy(touches);
        dSpaceDestroy(space);
        dWorldDestroy(world);
    } else {
        dInitODE2(0);
    }
    scene = given;
    how = ways[setting];
    world = dWorldCreate();
    space = dHashSpaceCreate(0);
    touches = dJointGroupCreate(0);
    dWorldSetGravity(world, 0, (dReal)-scene->gravity, 0);
    dWorldSetERP(world, 0.8);
    dWorldSetQuickStepNumIterations(world, how.iterations);
    dCreatePlane(space, 0, 1, 0, 0);
    for (uint32_t i = 0; i < scene->body_count; ++i) {
        add_body(i, velocities[i], spins[i]);
    }
    for (uint32_t i = 1; i < scene->body_count; ++i) {
        (scene->joints[i - 1].is_hinge ? add_hinge : add_ball)(&scene->joints[i - 1], i);
    }
    return true;
}

static void step(float dt_s)
{
    for (int k = 0; k < how.substeps; ++k) {
        dSpaceCollide(space, NULL, meet);
        if (how.iterations > 0) {
            dWorldQuickStep(world, (dReal)dt_s / how.substeps);
        } else {
            dWorldStep(world, (dReal)dt_s / how.substeps);
        }
        dJointGroupEmpty(touches);
    }
}

static void read(uint32_t body, lmb_vec3 *position, lmb_quat *rotation)
{
    const dReal *p = dBodyGetPosition(bodies[body]), *q = dBodyGetQuaternion(bodies[body]);
    *position = lmb_vec3_make((float)p[0], (float)p[1], (float)p[2]);
    *rotation = lmb_quat_make((float)q[1], (float)q[2], (float)q[3], (float)q[0]);
}

static const body_peer peer = {"ode", settings, make, step, read};

const body_peer *body_peer_get(void)
{
    return &peer;
}
