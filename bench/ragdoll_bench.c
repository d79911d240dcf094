// A figure of 16 capsules and 15 joints with limits, thrown on the ground in many ways: frames of
// 1/60 s a second of processor time, how far its joints come apart, how deep it goes; and other
// engines with the same figure and throws in the same run. JSON on stdout.
//     ragdoll_bench [--quick] [--endure] [peer.so …]
// --endure: instead, 1000 throws to rest, and ten minutes with a throw every 0.6 s.
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/peers/body_peer.h"
#include "bodies/bodies.h"
#include "limber/limber.h"
#include "limber/os.h"

enum { BODIES = 16, PEERS = 4 };

static body_scene scene;

// -------------------------------------------------------------------------------------- the figure

/// Round cones and hinges, which every engine has.
static void lay_joint(const lmb_ragdoll_set *set, const lmb_mat4 *model, uint32_t i)
{
    const lmb_ragdoll_bone *b = &set->bones[i];
    const lmb_joint_limit *l = &b->limit;
    lmb_transform at;
    lmb_mat4_decompose(model[b->joint], &at);
    body_scene_joint *j = &scene.joints[i - 1];
    *j = (body_scene_joint){.parent = (uint32_t)b->parent,
                            .anchor = at.translation,
                            .axis = lmb_quat_rotate(at.rotation, l->axis),
                            .is_hinge = l->kind == LMB_JOINT_HINGE,
                            .low = l->kind == LMB_JOINT_HINGE ? l->twist_min_rad : -0.4f,
                            .high = l->kind == LMB_JOINT_HINGE ? l->twist_max_rad : 0.4f,
                            .swing = 0.8f};
    j->side = lmb_vec3_any_perpendicular(j->axis);
}

static bool lay_scene(void)
{
    lmb_made_body *body = NULL;
    lmb_ragdoll_plan plan;
    const lmb_made_body_opts opts = {
        .whole = true, .rigged = true, .triangle_count = 6000, .pose = LMB_MADE_POSE_A};
    if (lmb_made_body_create(&opts, NULL, &body, NULL) != LMB_OK ||
        lmb_ragdoll_plan_make(body->character, 70, NULL, &plan, NULL) != LMB_OK) {
        return false;
    }
    const lmb_skeleton *skeleton = body->character->skeleton;
    const lmb_ragdoll_set *set = plan.set;
    const bool fine = set->bone_count == BODIES;
    lmb_mat4 *model = calloc(skeleton->joint_count, sizeof *model);
    lmb_pose_to_model(&(lmb_pose_to_model_job){.skeleton = skeleton, .model_from_joint = model});
    for (uint32_t i = 0; fine && i < BODIES; ++i) {
        const lmb_ragdoll_bone *b = &set->bones[i];
        scene.bodies[i] = (body_scene_body){b->model_from_body.translation,
                                            b->model_from_body.rotation,
                                            b->radius,
                                            b->half,
                                            b->mass,
                                            b->inertia};
        if (i > 0) {
            lay_joint(set, model, i);
        }
    }
    if (fine) {
        scene.body_count = BODIES;
        scene.filtered_count = set->filtered_count;
        memcpy(scene.filtered, set->filtered, set->filtered_count * sizeof *set->filtered);
        scene.gravity = 9.81f;
        scene.friction = 0.7f;
        for (uint32_t i = 0; i < BODIES; ++i) { // 3 m up
            scene.bodies[i].position.y += 3 - set->box.low.y;
            scene.joints[i].anchor.y += 3 - set->box.low.y;
        }
    }
    free(model);
    lmb_ragdoll_set_destroy(plan.set);
    lmb_made_body_destroy(body);
    return fine;
}

static void throw_how(uint64_t seed, lmb_vec3 *velocities, lmb_vec3 *spins)
{
    lmb_random random = lmb_random_seed(seed);
    const lmb_vec3 all = {lmb_random_range(&random, -5, 5), lmb_random_range(&random, -3, 3),
                          lmb_random_range(&random, -5, 5)};
    for (int i = 0; i < BODIES; ++i) {
        velocities[i] = lmb_vec3_add(all, lmb_vec3_make(lmb_random_range(&random, -2, 2),
                                                        lmb_random_range(&random, -2, 2),
                                                        lmb_random_range(&random, -2, 2)));
        spins[i] = lmb_vec3_make(lmb_random_range(&random, -6, 6), lmb_random_range(&random, -6, 6),
                                 lmb_random_range(&random, -6, 6));
    }
}

// --------------------------------------------------------------------------------------------- ours

static lmb_world *world;

static lmb_quat undo(lmb_quat q)
{
    return lmb_quat_conjugate(q);
}

/// Dry friction of a limp body, as ragdolls have it: 0.15 of the torque that gravity has at most
/// on what hangs on the joint.
static lmb_rigid_motor limp(uint32_t joint)
{
    float weight = 0, inertia = 0;
    for (uint32_t i = 1; i < BODIES; ++i) {
        uint32_t k = i;
        while (k > joint + 1) {
            k = scene.joints[k - 1].parent;
        }
        if (k == joint + 1) {
            const body_scene_body *b = &scene.bodies[i];
            const float d = lmb_vec3_distance(b->position, scene.joints[joint].anchor);
            weight += 9.81f * b->mass * d;
            inertia += b->inertia.x + b->mass * d * d;
        }
    }
    return (lmb_rigid_motor){.damping = 200 * inertia, .most_torque = 0.15f * weight};
}

static lmb_world *make_world(uint32_t substeps, bool never_sleeps)
{
    lmb_rigid_body bodies[BODIES] = {0};
    lmb_rigid_shape shapes[BODIES + 1] = {0};
    lmb_rigid_joint joints[BODIES] = {0};
    for (uint32_t i = 0; i < BODIES; ++i) {
        const body_scene_body *b = &scene.bodies[i];
        bodies[i] = (lmb_rigid_body){.position = b->position,
                                     .rotation = b->rotation,
                                     .mass = b->mass,
                                     .inertia = b->inertia};
        shapes[i] = (lmb_rigid_shape){.kind = LMB_RIGID_CAPSULE,
                                      .body = (int32_t)i,
                                      .radius = b->radius,
                                      .half = {0, b->half, 0},
                                      .static_friction = scene.friction,
                                      .dynamic_friction = scene.friction};
    }
    shapes[BODIES] = (lmb_rigid_shape){.kind = LMB_RIGID_PLANE,
                                       .body = LMB_NONE,
                                       .static_friction = scene.friction,
                                       .dynamic_friction = scene.friction};
    for (uint32_t i = 1; i < BODIES; ++i) {
        const body_scene_joint *j = &scene.joints[i - 1];
        const body_scene_body *pair[2] = {&scene.bodies[j->parent], &scene.bodies[i]};
        const lmb_quat frame =
            lmb_quat_from_axes(j->axis, j->side, lmb_vec3_cross(j->axis, j->side));
        lmb_rigid_joint *out = &joints[i - 1];
        *out = (lmb_rigid_joint){.bodies = {(int32_t)j->parent, (int32_t)i},
                                 .limit = {.kind = j->is_hinge ? LMB_JOINT_HINGE : LMB_JOINT_BALL,
                                           .axis = {1, 0, 0},
                                           .swing_rad = j->swing,
                                           .twist_min_rad = j->low,
                                           .twist_max_rad = j->high}};
        if (!never_sleeps) {
            out->motor = limp(i - 1);
        }
        for (int k = 0; k < 2; ++k) {
            out->anchors[k] = lmb_quat_rotate(undo(pair[k]->rotation),
                                              lmb_vec3_sub(j->anchor, pair[k]->position));
            out->frames[k] = lmb_quat_normalize(lmb_quat_mul(undo(pair[k]->rotation), frame));
        }
    }
    const lmb_world_def def = {.body_count = BODIES,
                               .bodies = bodies,
                               .shape_count = BODIES + 1,
                               .shapes = shapes,
                               .joint_count = BODIES - 1,
                               .joints = joints,
                               .filtered_count = scene.filtered_count,
                               .filtered = (const uint32_t(*)[2])scene.filtered,
                               .gravity = {0, -scene.gravity, 0},
                               .substeps = substeps,
                               .never_sleeps = never_sleeps};
    lmb_world *out = NULL;
    return lmb_world_create(&def, NULL, &out, NULL) == LMB_OK ? out : NULL;
}

static void launch(lmb_world *w, const lmb_vec3 *velocities, const lmb_vec3 *spins)
{
    for (uint32_t i = 0; i < BODIES; ++i) {
        lmb_world_set_state(w, i,
                            &(lmb_rigid_state){.position = scene.bodies[i].position,
                                               .rotation = scene.bodies[i].rotation,
                                               .velocity = velocities[i],
                                               .spin = spins[i]});
    }
}

static const char *const our_settings[] = {"4 sub-steps", "10 sub-steps", "20 sub-steps",
                                           "40 sub-steps", NULL};

static bool our_make(const body_scene *s, int setting, const lmb_vec3 *velocities,
                     const lmb_vec3 *spins)
{
    static const uint32_t substeps[] = {4, 10, 20, 40};
    (void)s;
    lmb_world_destroy(world);
    // Awake all the time, as the others are.
    world = make_world(substeps[setting], true);
    if (world) {
        launch(world, velocities, spins);
    }
    return world != NULL;
}

static void our_step(float dt_s)
{
    lmb_world_step(world, dt_s);
}

static void our_read(uint32_t body, lmb_vec3 *position, lmb_quat *rotation)
{
    const lmb_rigid_state s = lmb_world_state(world, body);
    *position = s.position;
    *rotation = s.rotation;
}

static const body_peer ours = {"limber", our_settings, our_make, our_step, our_read};

// ---------------------------------------------------------------------------------------- measuring

typedef struct score {
    double frames_a_second, worst, sum2, deepest;
    uint64_t samples;
    bool finite;
} score;

/// Joints and the ground, from what the engine says of its bodies alone.
static void look(const body_peer *peer, score *s)
{
    lmb_vec3 at[BODIES];
    lmb_quat turn[BODIES];
    for (uint32_t i = 0; i < BODIES; ++i) {
        peer->read(i, &at[i], &turn[i]);
        s->finite = s->finite && lmb_vec3_is_finite(at[i]) && lmb_vec3_length(at[i]) < 1e3f;
        const lmb_vec3 half = lmb_quat_rotate(turn[i], lmb_vec3_make(0, scene.bodies[i].half, 0));
        const float low = at[i].y - fabsf(half.y) - scene.bodies[i].radius;
        s->deepest = fmax(s->deepest, (double)-low);
    }
    for (uint32_t i = 1; i < BODIES; ++i) {
        const body_scene_joint *j = &scene.joints[i - 1];
        const uint32_t pair[2] = {j->parent, i};
        lmb_vec3 ends[2];
        for (int k = 0; k < 2; ++k) {
            const body_scene_body *b = &scene.bodies[pair[k]];
            const lmb_vec3 local =
                lmb_quat_rotate(undo(b->rotation), lmb_vec3_sub(j->anchor, b->position));
            ends[k] = lmb_vec3_add(at[pair[k]], lmb_quat_rotate(turn[pair[k]], local));
        }
        const double gap = (double)lmb_vec3_distance(ends[0], ends[1]);
        s->worst = fmax(s->worst, gap);
        s->sum2 += gap * gap;
        ++s->samples;
    }
}

static score measure(const body_peer *peer, int setting, int throws, int frames)
{
    score s = {.finite = true};
    double seconds = 0;
    for (int t = 0; t < throws; ++t) {
        lmb_vec3 velocities[BODIES], spins[BODIES];
        throw_how((uint64_t)t, velocities, spins);
        if (!peer->make(&scene, setting, velocities, spins)) {
            s.finite = false;
            return s;
        }
        for (int f = 0; f < frames; ++f) {
            const clock_t start = clock();
            peer->step(1.0f / 60);
            seconds += (double)(clock() - start) / CLOCKS_PER_SEC;
            look(peer, &s);
        }
    }
    s.frames_a_second = (double)throws * frames / seconds;
    return s;
}

static void print_score(const body_peer *peer, int setting, const score *s, bool first)
{
    printf("%s    {\"engine\": \"%s\", \"setting\": \"%s\", \"frames_per_second\": %.0f, "
           "\"worst_gap_mm\": %.4f, \"rms_gap_mm\": %.5f, \"deepest_mm\": %.3f, \"finite\": %s}",
           first ? "" : ",\n", peer->name, peer->settings[setting], s->frames_a_second,
           1e3 * s->worst, 1e3 * sqrt(s->sum2 / (double)(s->samples ? s->samples : 1)),
           1e3 * s->deepest, s->finite ? "true" : "false");
    fflush(stdout);
}

static void compare(const body_peer *const *peers, int count, int throws, int frames)
{
    printf("{\n  \"bench\": \"ragdoll\",\n  \"bodies\": %d,\n  \"throws\": %d,\n  \"frames\": %d,\n"
           "  \"results\": [\n",
           BODIES, throws, frames);
    bool first = true;
    for (int p = 0; p < count; ++p) {
        for (int k = 0; peers[p]->settings[k]; ++k) {
            const score s = measure(peers[p], k, throws, frames);
            print_score(peers[p], k, &s, first);
            first = false;
        }
    }
    printf("\n  ]\n}\n");
}

// ----------------------------------------------------------------------------------------- enduring

typedef struct endurance {
    float separation, penetration, excess, latest_rest_s;
    int restless, late; ///< never at rest; later than 5 s after the first touch
    bool finite;
} endurance;

static void note(lmb_world *w, endurance *e, lmb_world_report *r)
{
    lmb_world_measure(w, r);
    e->finite = e->finite && r->finite;
    e->separation = fmaxf(e->separation, r->separation);
    e->penetration = fmaxf(e->penetration, r->penetration);
    e->excess = fmaxf(e->excess, r->excess_rad);
}

static void print_endurance(const char *name, const endurance *e, double seconds)
{
    printf("  \"%s\": {\"finite\": %s, \"worst_gap_mm\": %.3f, \"deepest_mm\": %.3f, "
           "\"excess_deg\": %.2f, \"restless\": %d, \"later_than_5_s\": %d, \"latest_rest_s\": "
           "%.2f, \"wall_s\": %.1f}",
           name, e->finite ? "true" : "false", 1e3 * (double)e->separation,
           1e3 * (double)e->penetration, (double)e->excess * 57.29577951308232, e->restless,
           e->late, (double)e->latest_rest_s, seconds);
}

/// From 3 m, until all is asleep, or for 12 s.
static void throw_to_rest(lmb_world *w, int throws, endurance *e)
{
    enum { MOST = 720 };
    lmb_world_report r;
    for (int t = 0; t < throws; ++t) {
        lmb_vec3 velocities[BODIES], spins[BODIES];
        throw_how((uint64_t)t, velocities, spins);
        launch(w, velocities, spins);
        int f = 0, landed = -1;
        for (r.asleep_count = 0; f < MOST && r.asleep_count < BODIES; ++f) {
            lmb_world_step(w, 1.0f / 60);
            note(w, e, &r);
            landed = landed < 0 && r.contact_count > 0 ? f : landed;
        }
        e->restless += r.asleep_count < BODIES;
        e->late += f - landed > 300;
        e->latest_rest_s = fmaxf(e->latest_rest_s, (float)(f - landed) / 60);
    }
}

static void throw_on(lmb_world *w, int throws, endurance *e)
{
    lmb_world_report r;
    for (int t = 0; t < throws; ++t) {
        lmb_vec3 velocities[BODIES], spins[BODIES];
        throw_how((uint64_t)t + 5000, velocities, spins);
        for (uint32_t i = 0; i < BODIES; ++i) {
            lmb_rigid_state s = lmb_world_state(w, i);
            s.velocity = velocities[i];
            s.velocity.y += 2;
            s.spin = spins[i];
            lmb_world_set_state(w, i, &s);
        }
        for (int f = 0; f < 36; ++f) {
            lmb_world_step(w, 1.0f / 60);
            note(w, e, &r);
        }
    }
}

static int endure(int throws)
{
    endurance a = {.finite = true}, b = {.finite = true};
    lmb_world *w = make_world(20, false);
    if (!w) {
        return 1;
    }
    printf("{\n  \"bench\": \"ragdoll endurance\",\n  \"throws\": %d,\n", throws);
    double start = lmb_clock_s();
    throw_to_rest(w, throws, &a);
    print_endurance("to_rest", &a, lmb_clock_s() - start);
    printf(",\n");
    start = lmb_clock_s();
    throw_on(w, throws, &b);
    print_endurance("on_and_on", &b, lmb_clock_s() - start);
    printf("\n}\n");
    lmb_world_destroy(w);
    return a.finite && b.finite ? 0 : 1;
}

int main(int argc, char **argv)
{
    const body_peer *peers[PEERS + 1] = {&ours};
    int count = 1;
    bool quick = false, enduring = false;
    if (!lay_scene()) {
        return 1;
    }
    for (int k = 1; k < argc; ++k) {
        if (strcmp(argv[k], "--quick") == 0) {
            quick = true;
        } else if (strcmp(argv[k], "--endure") == 0) {
            enduring = true;
        } else if (count <= PEERS) {
            void *library = dlopen(argv[k], RTLD_NOW);
            const body_peer *(*get)(void) = NULL;
            if (library) {
                *(void **)&get = dlsym(library, "body_peer_get");
            }
            if (!get) {
                fprintf(stderr, "%s: %s\n", argv[k], dlerror());
                return 1;
            }
            peers[count++] = get();
        }
    }
    if (enduring) {
        return endure(quick ? 20 : 1000);
    }
    compare(peers, count, quick ? 2 : 12, quick ? 60 : 240);
    lmb_world_destroy(world);
    return 0;
}
