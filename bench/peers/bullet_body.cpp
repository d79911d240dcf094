// Bullet for ragdoll_bench. Debian: libbullet-dev.
//     c++ -O3 -shared -fPIC -Iinclude -I. bench/peers/bullet_body.cpp -o bullet_body.so $(pkg-config --cflags --libs bullet)
#include "bench/peers/body_peer.h"

#include <memory>
#include <vector>

#include <btBulletDynamicsCommon.h>

namespace
{

struct way {
    int iterations, substeps;
};

const char *const settings[] = {"10 iterations",           "50 iterations",
                                "500 iterations",          "10 iterations, 4 steps",
                                "10 iterations, 20 steps", "50 iterations, 20 steps",
                                "10 iterations, 80 steps", nullptr};
const way ways[] = {{10, 1}, {50, 1}, {500, 1}, {10, 4}, {10, 20}, {50, 20}, {10, 80}};

struct arena {
    btDefaultCollisionConfiguration config;
    btCollisionDispatcher dispatcher{&config};
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world{&dispatcher, &broadphase, &solver, &config};
    std::vector<std::unique_ptr<btCollisionShape>> shapes;
    std::vector<std::unique_ptr<btRigidBody>> bodies;
    std::vector<std::unique_ptr<btTypedConstraint>> joints;
    way how;

    ~arena()
    {
        for (auto &joint : joints) {
            world.removeConstraint(joint.get());
        }
        for (auto &body : bodies) {
            world.removeRigidBody(body.get());
        }
    }
};

std::unique_ptr<arena> now;

btVector3 vector(lmb_vec3 v)
{
    return btVector3(v.x, v.y, v.z);
}

btTransform transform(const body_scene_body &b)
{
    return btTransform(btQuaternion(b.rotation.x, b.rotation.y, b.rotation.z, b.rotation.w),
                       vector(b.position));
}

void add_body(const body_scene &scene, uint32_t i, lmb_vec3 velocity, lmb_vec3 spin)
{
    const body_scene_body &b = scene.bodies[i];
    now->shapes.emplace_back(new btCapsuleShape(b.radius, 2 * b.half));
    btRigidBody::btRigidBodyConstructionInfo info(b.mass, nullptr, now->shapes.back().get(),
                                                  vector(b.inertia));
    info.m_startWorldTransform = transform(b);
    info.m_friction = scene.friction;
    now->bodies.emplace_back(new btRigidBody(info));
    btRigidBody &body = *now->bodies.back();
    body.setLinearVelocity(vector(velocity));
    body.setAngularVelocity(vector(spin));
    body.setActivationState(DISABLE_DEACTIVATION);
    now->world.addRigidBody(&body);
}

/// A frame in the world in a body's own; x is the joint's axis, or z for a hinge.
btTransform local(const btTransform &body, const body_scene_joint &j)
{
    const btVector3 a = vector(j.axis), s = vector(j.side), t = a.cross(s);
    const btVector3 x = j.is_hinge ? s : a, y = j.is_hinge ? t : s, z = j.is_hinge ? a : t;
    const btMatrix3x3 basis(x.x(), y.x(), z.x(), x.y(), y.y(), z.y(), x.z(), y.z(), z.z());
    return body.inverse() * btTransform(basis, vector(j.anchor));
}

btTypedConstraint *hinge(const body_scene &scene, const body_scene_joint &j, uint32_t child)
{
    btRigidBody &a = *now->bodies[j.parent], &b = *now->bodies[child];
    const btTransform pa = transform(scene.bodies[j.parent]), pb = transform(scene.bodies[child]);
    auto *joint = new btHingeConstraint(a, b, local(pa, j), local(pb, j));
    // Which way its angle counts: looked up, by turning the child a little.
    const btTransform turned(btQuaternion(vector(j.axis), 0.1f) * pb.getRotation(), pb.getOrigin());
    const bool same = joint->getHingeAngle(pa, turned) > 0;
    joint->setLimit(same ? j.low : -j.high, same ? j.high : -j.low);
    return joint;
}

btTypedConstraint *cone(const body_scene &scene, const body_scene_joint &j, uint32_t child)
{
    auto *joint = new btConeTwistConstraint(*now->bodies[j.parent], *now->bodies[child],
                                            local(transform(scene.bodies[j.parent]), j),
                                            local(transform(scene.bodies[child]), j));
    joint->setLimit(j.swing, j.swing, j.high);
    return joint;
}

bool make(const body_scene *scene, int setting, const lmb_vec3 *velocities, const lmb_vec3 *spins)
{
    now.reset(new arena);
    now->how = ways[setting];
    now->world.setGravity(btVector3(0, -scene->gravity, 0));
    now->world.getSolverInfo().m_numIterations = now->how.iterations;
    now->world.getSolverInfo().m_erp = 0.8f;
    for (uint32_t i = 0; i < scene->body_count; ++i) {
        add_body(*scene, i, velocities[i], spins[i]);
    }
    now->shapes.emplace_back(new btStaticPlaneShape(btVector3(0, 1, 0), 0));
    btRigidBody::btRigidBodyConstructionInfo ground(0, nullptr, now->shapes.back().get());
    ground.m_friction = scene->friction;
    now->bodies.emplace_back(new btRigidBody(ground));
    now->world.addRigidBody(now->bodies.back().get());
    for (uint32_t i = 1; i < scene->body_count; ++i) {
        const body_scene_joint &j = scene->joints[i - 1];
        now->joints.emplace_back(j.is_hinge ? hinge(*scene, j, i) : cone(*scene, j, i));
        now->world.addConstraint(now->joints.back().get(), true);
    }
    for (uint32_t k = 0; k < scene->filtered_count; ++k) {
        btRigidBody &a = *now->bodies[scene->filtered[k][0]], &b = *now->bodies[scene->filtered[k][1]];
        a.setIgnoreCollisionCheck(&b, true);
        b.setIgnoreCollisionCheck(&a, true);
    }
    return true;
}

void step(float dt_s)
{
    // A hair more time, so that no sub-step is left over.
    now->world.stepSimulation(dt_s * 1.00001f, now->how.substeps, dt_s / (float)now->how.substeps);
}

void read(uint32_t body, lmb_vec3 *position, lmb_quat *rotation)
{
    const btTransform &t = now->bodies[body]->getWorldTransform();
    const btQuaternion q = t.getRotation();
    *position =
        lmb_vec3_make((float)t.getOrigin().x(), (float)t.getOrigin().y(), (float)t.getOrigin().z());
    *rotation = lmb_quat_make((float)q.x(), (float)q.y(), (float)q.z(), (float)q.w());
}

const body_peer peer = {"bullet", settings, make, step, read};

} // namespace

const body_peer *body_peer_get(void)
{
    return &peer;
}
