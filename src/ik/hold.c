/// Keeps standing feet in place whatever motions are blended above them.
#include "ik/feet.h"
#include "ik/ik.h"

#include <math.h>

#include "math/spring.h"

#define LOCK 0.6f     ///< a foot is locked when at least this weight of the blend stands
#define RELEASE 0.4f  ///< and released below this one
#define SLOW 1.2f     ///< leg lengths per second: a faster foot is not locked
#define UNLOCK 0.25f  ///< fraction of the leg: largest distance of a locked foot from the animation
#define EASE_S 0.04f  ///< half-life of a foot's remaining motion after it is locked
#define FREE_S 0.1f   ///< half-life of the correction after its release
#define REACH 0.995f  ///< fraction of the leg that may be extended
#define DROP 0.08f    ///< fraction of the leg: largest drop of the hips for locked feet
#define SOFT 0.03f    ///< fraction of the leg: largest range over which the hips start to drop
#define DOWN_S 0.02f  ///< half-life of the hips' descent
#define UP_S 0.1f     ///< half-life of their rise
#define GLIDE 0.6f    ///< leg lengths per second: a faster foot that should stand is lifted
#define LIFT_S 0.08f  ///< lift per excess speed
#define LIFT 0.12f    ///< fraction of the leg: largest lift
#define RISE_S 0.025f ///< half-life of both lifts

typedef struct leg {
    const lmb_foot_lock_leg *joints;
    lmb_vec3 hip, ankle, ball; ///< model space, from the animation
    lmb_vec3 wanted;           ///< of the ball, world space
    float length, reach;
} leg;

static lmb_vec3 to_world(const lmb_ik_foot_lock_job *job, lmb_vec3 point)
{
    const lmb_transform *t = &job->world_from_model;
    return lmb_quat_dot(t->rotation, t->rotation) > 0
               ? lmb_vec3_add(lmb_quat_rotate(t->rotation, point), t->translation)
               : point;
}

/// A world-space direction in model space.
static lmb_vec3 to_model(const lmb_ik_foot_lock_job *job, lmb_vec3 direction)
{
    const lmb_quat q = job->world_from_model.rotation;
    return lmb_quat_dot(q, q) > 0 ? lmb_quat_rotate(lmb_quat_conjugate(q), direction) : direction;
}

static leg read_leg(const lmb_ik_foot_lock_job *job, const lmb_foot_lock_leg *joints)
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

static lmb_vec3 horizontal(lmb_vec3 v)
{
    return lmb_vec3_make(v.x, 0, v.z);
}

/// Locks the foot where its speed decays to rest: starting at x = -u / y the spring does not
/// overshoot.
static void lock_foot(const leg *l, lmb_vec3 speed, lmb_foot_lock_foot_state *state)
{
    state->locked = true;
    state->returns = false;
    state->ease = lmb_vec3_scale(speed, -1.0f / lmbi_spring_rate(EASE_S));
    state->position = lmb_vec3_sub(lmb_vec3_add(horizontal(l->wanted), state->off), state->ease);
}

/// True when the foot is close enough to the animation and the leg long enough for it.
static bool may_lock(const lmb_ik_foot_lock_job *job, const leg *l, lmb_vec3 off)
{
    const lmb_vec3 goal = lmb_vec3_add(l->ankle, to_model(job, off));
    return lmb_vec3_length(off) < UNLOCK * l->length &&
           lmbi_leg_shortfall(l->hip, goal, l->reach) < DROP * l->length;
}

/// World-space horizontal correction of the ball.
static lmb_vec3 correct_foot(const lmb_ik_foot_lock_job *job, const leg *l, float planted,
                             lmb_foot_lock_foot_state *state)
{
    const float dt_s = job->dt_s;
    const lmb_vec3 before = state->off;
    if (state->locked) {
        state->ease = lmb_vec3_scale(state->ease, lmb_exp(-lmbi_spring_rate(EASE_S) * dt_s));
        state->off =
            lmb_vec3_sub(lmb_vec3_add(state->position, state->ease), horizontal(l->wanted));
        state->returns = planted > RELEASE && !may_lock(job, l, state->off);
        state->locked = planted > RELEASE && !state->returns;
        if (dt_s > 0 && state->locked) {
            state->speed = lmb_vec3_scale(lmb_vec3_sub(state->off, before), 1.0f / dt_s);
        }
    }
    if (!state->locked) {
        state->off = before;
        lmbi_spring_decay3(&state->off, &state->speed,
                           lmbi_spring_decay_make(lmbi_spring_rate(FREE_S), dt_s));
        const lmb_vec3 now = lmb_vec3_add(horizontal(l->wanted), state->off);
        const lmb_vec3 moved = state->begun ? lmb_vec3_sub(now, state->shown) : (lmb_vec3){0, 0, 0};
        const lmb_vec3 speed = dt_s > 0 ? lmb_vec3_scale(moved, 1.0f / dt_s) : (lmb_vec3){0, 0, 0};
        // A foot released for being too far off has to return first.
        if (planted >= LOCK && lmb_vec3_length(speed) < SLOW * l->length &&
            lmb_vec3_length(state->off) < 0.5f * UNLOCK * l->length) {
            lock_foot(l, speed, state);
        }
    }
    state->shown = lmb_vec3_add(horizontal(l->wanted), state->off);
    state->begun = true;
    return state->off;
}

/// A spring that stays exactly at 0 once it gets there.
static float follow_from_zero(lmb_plant_spring *s, float goal, float least, float dt_s)
{
    if (!(goal > 0) && s->x < least) {
        *s = (lmb_plant_spring){0, 0};
        return 0;
    }
    lmbi_spring_follow(&s->x, &s->v, goal, RISE_S, dt_s);
    return fmaxf(0.0f, s->x);
}

/// Lift of a foot: out of the ground (a blend's legs are straighter than those of its motions), and
/// higher while it should stand but still moves.
static float update_lift(const lmb_ik_foot_lock_job *job, uint32_t index, const leg *l,
                         lmb_vec3 moved)
{
    lmb_foot_lock_foot_state *state = &job->state->feet[index];
    if (job->floors == NULL) {
        return 0;
    }
    const float above = l->ball.y - job->floors[2 * index], least = 1e-5f * l->length;
    const float speed = job->dt_s > 0 ? lmb_vec3_length(moved) / job->dt_s : 0.0f;
    const float slow = state->returns ? 0.0f : GLIDE * l->length;
    const float glide = job->planted[index] >= LOCK ? speed - slow : 0.0f;
    const float high = fminf(LIFT_S * glide, LIFT * l->length) - fmaxf(0.0f, above);
    return follow_from_zero(&state->rise, fmaxf(0.0f, -above), least, job->dt_s) +
           follow_from_zero(&state->lift, glide > 0 ? fmaxf(0.0f, high) : 0.0f, least, job->dt_s);
}

/// The goal, or the nearest point to it that the ankle can reach at that height.
static lmb_vec3 within_reach(const leg *l, lmb_vec3 hip, lmb_vec3 goal)
{
    const lmb_vec3 to_goal = lmb_vec3_sub(goal, hip);
    const float across2 = to_goal.x * to_goal.x + to_goal.z * to_goal.z,
                most2 = fmaxf(0.0f, l->reach * l->reach - to_goal.y * to_goal.y);
    if (across2 <= most2) {
        return goal;
    }
    return lmb_vec3_mad(lmb_vec3_make(hip.x, goal.y, hip.z), horizontal(to_goal),
                        lmb_sqrt(most2 / across2));
}

/// Hip drop for a leg. The shortfall starts abruptly when the leg is straight, so the drop starts
/// earlier, smoothly, over a range proportional to the foot's correction, which is 0 for an
/// uncorrected foot.
static float drop_for(const leg *l, lmb_vec3 goal)
{
    const lmb_vec3 to_goal = lmb_vec3_sub(goal, l->hip);
    const float across2 = to_goal.x * to_goal.x + to_goal.z * to_goal.z,
                reach = lmb_sqrt(fmaxf(0.0f, l->reach * l->reach - across2)),
                soft = fminf(SOFT * l->length, 0.5f * lmb_vec3_distance(goal, l->ankle)),
                shortfall = -to_goal.y - reach;
    if (shortfall <= -soft || soft < 1e-6f * l->length) {
        return 0.0f;
    }
    return shortfall >= soft ? shortfall : (shortfall + soft) * (shortfall + soft) / (4.0f * soft);
}

/// The hips fall fast, so that locked feet stay, and rise slowly.
static float update_drop(const lmb_ik_foot_lock_job *job, const leg *legs, const lmb_vec3 *goals,
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
    lmbi_spring_follow(&drop->x, &drop->v, needed, needed > drop->x ? DOWN_S : UP_S, job->dt_s);
    if (needed <= 0 && drop->x < 1e-5f * legs[0].length) {
        *drop = (lmb_plant_spring){0, 0};
    }
    return drop->x;
}

static void update_model(const lmb_ik_foot_lock_job *job)
{
    lmb_pose_to_model(&(lmb_pose_to_model_job){
        .skeleton = job->skeleton, .local = job->local, .model_from_joint = job->model_from_joint});
}

static void solve_leg(const lmb_ik_foot_lock_job *job, const leg *l, lmb_vec3 goal)
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

/// Goal position of a leg's ankle.
static lmb_vec3 update_goal(const lmb_ik_foot_lock_job *job, uint32_t index, const leg *l)
{
    lmb_foot_lock_foot_state *state = &job->state->feet[index];
    const lmb_vec3 before = state->begun ? state->shown : horizontal(l->wanted);
    const lmb_vec3 off = correct_foot(job, l, job->planted[index], state);
    lmb_vec3 goal = lmb_vec3_add(l->ankle, to_model(job, off));
    goal.y += update_lift(job, index, l, lmb_vec3_sub(state->shown, before));
    return goal;
}

// ------------------------------------------------------------------------------------------- toes

/// Raises a vector to the height `to`, or as far as its length allows, keeping its length and
/// heading.
static lmb_vec3 raise_direction(lmb_vec3 direction, float to)
{
    const float length = lmb_vec3_length(direction), up = fminf(to, 0.99f * length);
    const float across = lmb_sqrt(direction.x * direction.x + direction.z * direction.z);
    const float wanted = lmb_sqrt(fmaxf(0.0f, length * length - up * up));
    if (!(across > 1e-6f * length)) {
        return direction; // straight down: no heading to keep
    }
    return lmb_vec3_make(direction.x * wanted / across, up, direction.z * wanted / across);
}

/// Rotates the toes of a leg up until their tip is at its floor. Returns whether the tip was below;
/// model_from_joint is unchanged.
static bool raise_toes(const lmb_ik_foot_lock_job *job, uint32_t index)
{
    const lmb_foot_lock_leg *l = &job->legs[index];
    const uint32_t joint = l->toes > 0 ? l->toes : l->foot;
    const float floor = job->floors[2 * index + 1];
    const lmb_mat4 *model = job->model_from_joint;
    const lmb_vec3 pivot = lmb_mat4_translation(model[joint]);
    const lmb_vec3 tip = lmb_mat4_point(model[joint], l->tip);
    const lmb_vec3 direction = lmb_vec3_sub(tip, pivot);
    const float length = lmb_vec3_length(direction);
    if (!(tip.y < floor - 1e-6f * length) || !(length > 0)) {
        return false;
    }
    const lmb_vec3 up = raise_direction(direction, floor - pivot.y);
    const lmbi_parent_frame frame = lmbi_frame_of(job->skeleton, model, joint);
    const float to_unit = lmb_sqrt(frame.inverse_square) / length;
    const lmb_quat swing =
        lmbi_quat_between(lmb_vec3_scale(lmbi_frame_vector(&frame, direction), to_unit),
                          lmb_vec3_scale(lmbi_frame_vector(&frame, up), to_unit));
    lmb_quat *rotation = &job->local[joint].rotation;
    *rotation = lmbi_quat_unit_or_identity(lmbi_quat_mul(swing, *rotation));
    return true;
}

uint32_t lmb_ik_foot_lock(const lmb_ik_foot_lock_job *job)
{
    const uint32_t count = job->leg_count < LMB_PLANT_FEET ? job->leg_count : LMB_PLANT_FEET;
    leg legs[LMB_PLANT_FEET];
    lmb_vec3 goals[LMB_PLANT_FEET];
    bool is_off[LMB_PLANT_FEET], any = false;
    uint32_t locked = 0;
    for (uint32_t k = 0; k < count; ++k) {
        legs[k] = read_leg(job, &job->legs[k]);
        goals[k] = update_goal(job, k, &legs[k]);
        is_off[k] = lmb_vec3_distance(goals[k], legs[k].ankle) > 1e-6f * legs[k].length;
        locked += job->state->feet[k].locked ? 1 : 0;
    }
    const float drop = update_drop(job, legs, goals, count);
    if (drop > 0) {
        lmbi_raise_joint(job->skeleton, job->model_from_joint, job->hips, -drop, job->local);
        update_model(job);
    }
    for (uint32_t k = 0; k < count; ++k) {
        if (is_off[k] || drop > 0) {
            solve_leg(job, &legs[k], goals[k]);
            any = true;
        }
    }
    if (any) {
        update_model(job);
    }
    bool raised = false;
    for (uint32_t k = 0; k < count && job->floors != NULL; ++k) {
        raised = raise_toes(job, k) || raised;
    }
    if (raised) {
        update_model(job);
    }
    return locked;
}
