/// Feet that stand stay where they are, whatever motions are mixed above them.
#include "ik/hold.h"

#include "ik/feet.h"

#include <math.h>

#define BEGIN 0.6f    ///< a foot is held from this share of the motion on
#define END 0.4f      ///< and let go below this one
#define SLOW 1.2f     ///< legs a second: a faster foot is not caught
#define UNLOCK 0.25f  ///< of the leg: how far from the animation a foot is held
#define EASE_S 0.04f  ///< half-life of what a foot still moves when it is caught
#define FREE_S 0.1f   ///< half-life of a correction after its contact
#define REACH 0.995f  ///< of the leg: further legs are not stretched
#define DROP 0.08f    ///< of the leg: hips come down so far for a foot that is held, at most
#define SOFT 0.03f    ///< of the leg: over how much of its length hips begin to come down, at most
#define DOWN_S 0.02f  ///< half-life of the hips' way down
#define UP_S 0.1f     ///< and up again
#define GLIDE 0.6f    ///< legs a second: a foot that is to stand and is faster is lifted
#define LIFT_S 0.08f  ///< by so many seconds of what it is faster
#define LIFT 0.12f    ///< of the leg, at most
#define RISE_S 0.025f ///< half-life of both ways up

typedef struct leg {
    const lmb_hold_leg *joints;
    lmb_vec3 hip, ankle, ball; ///< model space, as the animation has them
    lmb_vec3 wanted;           ///< of the ball, world
    float length, reach;
} leg;

static lmb_vec3 to_world(const lmb_ik_hold_job *job, lmb_vec3 point)
{
    const lmb_transform *t = &job->world_from_model;
    return lmb_quat_dot(t->rotation, t->rotation) > 0
               ? lmb_vec3_add(lmb_quat_rotate(t->rotation, point), t->translation)
               : point;
}

/// A direction of the world in model space.
static lmb_vec3 to_model(const lmb_ik_hold_job *job, lmb_vec3 way)
{
    const lmb_quat q = job->world_from_model.rotation;
    return lmb_quat_dot(q, q) > 0 ? lmb_quat_rotate(lmb_quat_conjugate(q), way) : way;
}

static leg leg_of(const lmb_ik_hold_job *job, const lmb_hold_leg *joints)
{
    const lmb_mat4 *m = job->model_from_joint;
    const lmb_vec3 knee = lmb_mat4_translation(m[joints->lower]);
    leg l = {.joints = joints,
             .hip = lmb_mat4_translation(m[joints->upper]),
             .ankle = lmb_mat4_translation(m[joints->foot]),
             .ball = lmb_mat4_point(m[joints->foot], joints->ball)};
    l.wanted = to_world(job, l.ball);
    l.length = lmb_vec3_distance(l.hip, knee) + lmb_vec3_distance(knee, l.ankle);
    // A leg that the animation stretches further may stay so.
    l.reach = fmaxf(REACH * l.length, lmb_vec3_distance(l.hip, l.ankle));
    return l;
}

static lmb_vec3 level(lmb_vec3 v)
{
    return lmb_vec3_make(v.x, 0, v.z);
}

/// What is left of a critically damped spring after a while: x = e^(-y t) (x + (v + x y) t).
static void settle(lmb_vec3 *x, lmb_vec3 *v, float half_life_s, float dt_s)
{
    const float y = 2.0f * 0.69314718f / half_life_s, decay = lmb_exp(-y * dt_s);
    const lmb_vec3 j = lmb_vec3_mad(*v, *x, y);
    *x = lmb_vec3_scale(lmb_vec3_mad(*x, j, dt_s), decay);
    *v = lmb_vec3_scale(lmb_vec3_mad(*v, j, -y * dt_s), decay);
}

/// The foot is caught where its speed would bring it to rest by itself: from there x = -u / y
/// decays without turning back.
static void catch_foot(const leg *l, lmb_vec3 speed, lmb_hold_foot_state *state)
{
    const float y = 2.0f * 0.69314718f / EASE_S;
    state->held = true;
    state->returns = false;
    state->ease = lmb_vec3_scale(speed, -1.0f / y);
    state->place = lmb_vec3_sub(lmb_vec3_add(level(l->wanted), state->off), state->ease);
}

/// Whether a foot may stay so far off, and the leg is long enough for it.
static bool may_hold(const lmb_ik_hold_job *job, const leg *l, lmb_vec3 off)
{
    const lmb_vec3 goal = lmb_vec3_add(l->ankle, to_model(job, off));
    return lmb_vec3_length(off) < UNLOCK * l->length &&
           lmbi_leg_shortfall(l->hip, goal, l->reach) < DROP * l->length;
}

/// How far the ball is moved along the ground, world.
static lmb_vec3 step(const lmb_ik_hold_job *job, const leg *l, float planted,
                     lmb_hold_foot_state *state)
{
    const float dt_s = job->dt_s;
    const lmb_vec3 before = state->off;
    if (state->held) {
        state->ease = lmb_vec3_scale(state->ease, lmb_exp(-2.0f * 0.69314718f / EASE_S * dt_s));
        state->off = lmb_vec3_sub(lmb_vec3_add(state->place, state->ease), level(l->wanted));
        state->returns = planted > END && !may_hold(job, l, state->off);
        state->held = planted > END && !state->returns;
        if (dt_s > 0 && state->held) {
            state->speed = lmb_vec3_scale(lmb_vec3_sub(state->off, before), 1.0f / dt_s);
        }
    }
    if (!state->held) {
        state->off = before;
        settle(&state->off, &state->speed, FREE_S, dt_s);
        const lmb_vec3 now = lmb_vec3_add(level(l->wanted), state->off);
        const lmb_vec3 moved = state->begun ? lmb_vec3_sub(now, state->shown) : (lmb_vec3){0, 0, 0};
        const lmb_vec3 speed = dt_s > 0 ? lmb_vec3_scale(moved, 1.0f / dt_s) : (lmb_vec3){0, 0, 0};
        // One that was let go for being too far off comes back first.
        if (planted >= BEGIN && lmb_vec3_length(speed) < SLOW * l->length &&
            lmb_vec3_length(state->off) < 0.5f * UNLOCK * l->length) {
            catch_foot(l, speed, state);
        }
    }
    state->shown = lmb_vec3_add(level(l->wanted), state->off);
    state->begun = true;
    return state->off;
}

/// A spring that is at rest at 0 and stays there.
static float follow(lmb_plant_spring *s, float goal, float least, float dt_s)
{
    if (!(goal > 0) && s->x < least) {
        *s = (lmb_plant_spring){0, 0};
        return 0;
    }
    lmbi_spring_follow(s, goal, RISE_S, dt_s);
    return fmaxf(0.0f, s->x);
}

/// How far a foot is raised: out of the ground (legs of a mixture are straighter than those of what
/// is mixed), and higher while it is said to stand but is still on its way.
static float raise_of(const lmb_ik_hold_job *job, uint32_t index, const leg *l, lmb_vec3 moved)
{
    lmb_hold_foot_state *state = &job->state->feet[index];
    if (job->floors == NULL) {
        return 0;
    }
    const float above = l->ball.y - job->floors[2 * index], least = 1e-5f * l->length;
    const float speed = job->dt_s > 0 ? lmb_vec3_length(moved) / job->dt_s : 0.0f;
    const float slow = state->returns ? 0.0f : GLIDE * l->length;
    const float glide = job->planted[index] >= BEGIN ? speed - slow : 0.0f;
    const float high = fminf(LIFT_S * glide, LIFT * l->length) - fmaxf(0.0f, above);
    return follow(&state->rise, fmaxf(0.0f, -above), least, job->dt_s) +
           follow(&state->lift, glide > 0 ? fmaxf(0.0f, high) : 0.0f, least, job->dt_s);
}

/// The goal, or as near to it as the ankle comes at that height.
static lmb_vec3 within_reach(const leg *l, lmb_vec3 hip, lmb_vec3 goal)
{
    const lmb_vec3 way = lmb_vec3_sub(goal, hip);
    const float across2 = way.x * way.x + way.z * way.z,
                most2 = fmaxf(0.0f, l->reach * l->reach - way.y * way.y);
    if (across2 <= most2) {
        return goal;
    }
    return lmb_vec3_mad(lmb_vec3_make(hip.x, goal.y, hip.z), level(way), lmb_sqrt(most2 / across2));
}

/// How far the hips come down for a leg. What it lacks begins of a sudden when the leg is straight,
/// so the hips begin before: smoothly over as much as the foot is off, which is nothing for a foot
/// that is where the animation has it.
static float drop_for(const leg *l, lmb_vec3 goal)
{
    const lmb_vec3 way = lmb_vec3_sub(goal, l->hip);
    const float across2 = way.x * way.x + way.z * way.z,
                reach = lmb_sqrt(fmaxf(0.0f, l->reach * l->reach - across2)),
                soft = fminf(SOFT * l->length, 0.5f * lmb_vec3_distance(goal, l->ankle)),
                lacks = -way.y - reach;
    if (lacks <= -soft || soft < 1e-6f * l->length) {
        return 0.0f;
    }
    return lacks >= soft ? lacks : (lacks + soft) * (lacks + soft) / (4.0f * soft);
}

/// Down soon, so that what stands stays; up again by and by.
static float drop_of(const lmb_ik_hold_job *job, const leg *legs, const lmb_vec3 *goals,
                     uint32_t count)
{
    lmb_plant_spring *drop = &job->state->drop;
    float needed = 0;
    if (count == 0) {
        return 0;
    }
    for (uint32_t k = 0; k < count; ++k) {
        needed = fmaxf(needed, fminf(drop_for(&legs[k], goals[k]), DROP * legs[k].length));
    }
    lmbi_spring_follow(drop, needed, needed > drop->x ? DOWN_S : UP_S, job->dt_s);
    if (needed <= 0 && drop->x < 1e-5f * legs[0].length) {
        *drop = (lmb_plant_spring){0, 0};
    }
    return drop->x;
}

static void refresh(const lmb_ik_hold_job *job)
{
    lmb_pose_to_model(&(lmb_pose_to_model_job){
        .skeleton = job->skeleton, .local = job->local, .model_from_joint = job->model_from_joint});
}

static void put_foot(const lmb_ik_hold_job *job, const leg *l, lmb_vec3 goal)
{
    const lmb_vec3 hip = lmb_mat4_translation(job->model_from_joint[l->joints->upper]);
    (void)lmb_ik_two_bone(
        &(lmb_ik_two_bone_job){.skeleton = job->skeleton,
                               .local = job->local,
                               .model_from_joint = job->model_from_joint,
                               .chain = {l->joints->upper, l->joints->lower, l->joints->foot},
                               .target = within_reach(l, hip, goal),
                               .hinge = l->joints->hinge,
                               .weight = 1.0f,
                               .keep_end = true});
}

/// Where the ankle of a leg is to be.
static lmb_vec3 goal_of(const lmb_ik_hold_job *job, uint32_t index, const leg *l)
{
    lmb_hold_foot_state *state = &job->state->feet[index];
    const lmb_vec3 before = state->begun ? state->shown : level(l->wanted);
    const lmb_vec3 off = step(job, l, job->planted[index], state);
    lmb_vec3 goal = lmb_vec3_add(l->ankle, to_model(job, off));
    goal.y += raise_of(job, index, l, lmb_vec3_sub(state->shown, before));
    return goal;
}

uint32_t lmb_ik_hold(const lmb_ik_hold_job *job)
{
    const uint32_t count = job->leg_count < LMB_PLANT_FEET ? job->leg_count : LMB_PLANT_FEET;
    leg legs[LMB_PLANT_FEET];
    lmb_vec3 goals[LMB_PLANT_FEET];
    bool is_off[LMB_PLANT_FEET], any = false;
    uint32_t held = 0;
    for (uint32_t k = 0; k < count; ++k) {
        legs[k] = leg_of(job, &job->legs[k]);
        goals[k] = goal_of(job, k, &legs[k]);
        is_off[k] = lmb_vec3_distance(goals[k], legs[k].ankle) > 1e-6f * legs[k].length;
        held += job->state->feet[k].held ? 1 : 0;
    }
    const float drop = drop_of(job, legs, goals, count);
    if (drop > 0) {
        lmbi_move_up(job->skeleton, job->model_from_joint, job->hips, -drop, job->local);
        refresh(job);
    }
    for (uint32_t k = 0; k < count; ++k) {
        if (is_off[k] || drop > 0) {
            put_foot(job, &legs[k], goals[k]);
            any = true;
        }
    }
    if (any) {
        refresh(job);
    }
    bool turned = false;
    for (uint32_t k = 0; k < count && job->floors != NULL; ++k) {
        turned = lmbi_hold_tip(job, k) || turned;
    }
    if (turned) {
        refresh(job);
    }
    return held;
}
