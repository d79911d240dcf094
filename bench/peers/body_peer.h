/// Another engine of rigid bodies behind C calls, for ragdoll_bench to load and run in the same
/// process: a shared object with body_peer_get. The files beside this one are such, each with the
/// line that builds it.
#ifndef BENCH_PEERS_BODY_PEER_H
#define BENCH_PEERS_BODY_PEER_H

#include "limber/physics.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { BODY_SCENE_MOST = 32 };

/// A capsule along y of its own frame, at rest in the world.
typedef struct body_scene_body {
    lmb_vec3 position;
    lmb_quat rotation;
    float radius, half, mass;
    lmb_vec3 inertia;
} body_scene_body;

/// Joint k carries body k + 1. Everything is in the world at rest.
typedef struct body_scene_joint {
    uint32_t parent;
    lmb_vec3 anchor;
    lmb_vec3 axis; ///< unit: of the hinge, or along the bone
    lmb_vec3 side; ///< unit, square to it
    bool is_hinge;
    float low, high; ///< of the hinge, or of the twist, radians
    float swing;     ///< half-angle of the cone
} body_scene_joint;

/// A figure above the ground y = 0, on which nothing else is.
typedef struct body_scene {
    uint32_t body_count;
    body_scene_body bodies[BODY_SCENE_MOST];
    body_scene_joint joints[BODY_SCENE_MOST];
    uint32_t filtered_count;
    uint32_t filtered[BODY_SCENE_MOST * BODY_SCENE_MOST]
                     [2]; ///< that never meet, beside those joined
    float gravity, friction;
} body_scene;

typedef struct body_peer {
    const char *name;
    const char *const *settings; ///< names of the ways to run it, NULL at the end
    /// Starts again. False where it cannot.
    bool (*make)(const body_scene *scene, int setting, const lmb_vec3 *velocities,
                 const lmb_vec3 *spins);
    void (*step)(float dt_s); ///< a frame
    void (*read)(uint32_t body, lmb_vec3 *position, lmb_quat *rotation);
} body_peer;

const body_peer *body_peer_get(void);

#ifdef __cplusplus
}
#endif
#endif
