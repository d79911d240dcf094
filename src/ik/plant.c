/// Feet on uneven ground, for an animation made on flat ground. Each foot is raised by the ground
/// below it, tilted with the slope and locked while it stands; the hips drop as far as the lower
/// foot needs.
///
/// Smoothed values follow critically damped springs, which have no pops and do not depend on the
/// frame rate.
#include "ik/feet.h"

#include <math.h>

#include "mapping/contact.h"
#include "math/quat_inline.h"
#include "math/scalar.h"
#include "math/spring.h"

#define RELEASE 0.25f   ///< fraction of the leg: a locked foot this far from its goal is released
#define AHEAD_S 0.16f   ///< look-ahead for the ground under a swinging foot
#define RISE_S 0.045f   ///< half-life of the ground under a swinging foot
#define LAG_S 0.065f    ///< RISE_S / ln 2: lag of a spring of that half-life behind a ramp
#define RELEASE_S 0.1f  ///< half-life of the correction after its release
#define HIPS_S 0.1f     ///< half-life of the hips' height
#define TILT_S 0.06f    ///< half-life of the slope under a foot
#define STEEPEST 0.819f ///< cosine of the largest foot tilt, 35 degrees
#define CLIMB 4.0f      ///< leg lengths per second: fastest rise of a swinging foot over a riser
#define FOLDED 0.65f ///< fraction of the leg: hips rise instead of folding a leg below this length
#define REACH 0.995f ///< fraction of the leg that may be extended

static void follow3(lmb_plant_spring s[3], lmb_vec3 goal, float half_life_s, float dt_s)
{
    lmbi_spring_follow(&s[0].x, &s[0].v, goal.x, half_life_s, dt_s);
    lmbi_spring_follow(&s[1].x, &s[1].v, goal.y, half_life_s, dt_s);
    lmbi_spring_follow(&s[2].x, &s[2].v, goal.z, half_life_s, dt_s);
}

typedef struct ground {
    float height;
    lmb_vec3 normal;
} ground;

static ground ground_at(const lmb_ik_plant_job *job, lmb_vec3 point)
{
    ground g = {job->flat, {0, 1, 0}};
    float height;
    lmb_vec3 normal = g.normal;
    if (job->ground.at(job->ground.user, point, &height, &normal) && isfinite(height)) {
        g.height = height;
        g.normal = lmb_vec3_normalize_or(normal, g.normal);
    }
    return g;
}

/// The animated pose of a foot and its leg.
typedef struct foot_pose {
    lmb_vec3 ankle, toe;
    lmb_quat rotation;
    float leg, reach; ///< leg length; largest distance of ankle and hip
} foot_pose;

static foot_pose read_foot_pose(const lmb_ik_plant_job *job, const lmb_plant_foot *foot)
{
    const lmb_vec3 hip = lmb_mat4_translation(job->model_from_joint[foot->upper]),
                   knee = lmb_mat4_translation(job->model_from_joint[foot->lower]);
    foot_pose s = {.ankle = lmb_mat4_translation(job->model_from_joint[foot->foot]),
                   .rotation = lmbi_mat4_rotation(job->model_from_joint[foot->foot])};
    s.toe = lmb_mat4_point(job->model_from_joint[foot->foot], foot->toe);
    s.leg = lmb_vec3_distance(hip, knee) + lmb_vec3_distance(knee, s.ankle);
    // A leg that the animation stretches further may stay so.
    s.reach = fmaxf(REACH * s.leg, lmb_vec3_distance(hip, s.ankle));
    return s;
}

// ---------------------------------------------------------------------------------------- contact

static void detect_contact(const lmb_ik_plant_job *job, const lmb_plant_foot *foot,
                           const foot_pose *s, lmb_plant_foot_state *state)
{
    const float dt = job->dt_s > 0.0f ? job->dt_s : 1.0f / 60.0f;
    const bool first = !job->state->begun;
    const float ankle_speed = first ? 0.0f : lmb_vec3_distance(s->ankle, state->ankle) / dt,
                toe_speed = first ? 0.0f : lmb_vec3_distance(s->toe, state->toe) / dt;
    const bool toe = lmbi_contact_holds(&lmbi_contact_of_frames, state->on_toe,
                                        s->toe.y - job->flat - foot->toe_height, toe_speed, s->leg);
    const bool heel =
        lmbi_contact_holds(&lmbi_contact_of_frames, state->on_heel,
                           s->ankle.y - job->flat - foot->ankle_height, ankle_speed, s->leg);
    state->velocity = first ? lmb_vec3_make(0, 0, 0)
                            : lmb_vec3_scale(lmb_vec3_sub(s->toe, state->toe), 1.0f / dt);
    state->landed = toe && !state->on_toe;
    state->on_toe = toe;
    state->on_heel = heel;
    state->ankle = s->ankle;
    state->toe = s->toe;
}

// ----------------------------------------------------------------------------------------- ground

/// The ground normal, clamped to the largest foot tilt.
static lmb_vec3 clamp_tilt(lmb_vec3 normal)
{
    if (normal.y >= STEEPEST) {
        return normal;
    }
    const lmb_vec3 flat =
        lmb_vec3_normalize_or(lmb_vec3_make(normal.x, 0, normal.z), lmb_vec3_make(1, 0, 0));
    const float sine = lmb_sqrt(1.0f - STEEPEST * STEEPEST);
    return lmb_vec3_make(sine * flat.x, STEEPEST, sine * flat.z);
}

/// Height of heel and ball over their standing height on flat ground.
typedef struct clearance {
    float heel, ball;
} clearance;

/// Lift that keeps heel and ball of a foot with this tilt above the ground, less their height in
/// the animation.
static float supporting_lift(const lmb_ik_plant_job *job, lmb_vec3 ankle, lmb_vec3 toe,
                             lmb_vec3 normal, clearance up)
{
    const float rise =
        -(normal.x * (toe.x - ankle.x) + normal.z * (toe.z - ankle.z)) / fmaxf(normal.y, 0.2f);
    return fmaxf(ground_at(job, ankle).height - up.heel,
                 ground_at(job, toe).height - rise - up.ball) -
           job->flat;
}

/// Follows the slope under the foot, up to the largest tilt.
static void update_tilt(const lmb_ik_plant_job *job, lmb_vec3 point, lmb_plant_foot_state *state)
{
    const lmb_vec3 slope = clamp_tilt(ground_at(job, point).normal);
    lmb_plant_spring *tilt = state->tilt;
    if (!job->state->begun) {
        tilt[0].x = slope.x;
        tilt[2].x = slope.z;
    }
    follow3(tilt, lmb_vec3_make(slope.x, 0, slope.z), TILT_S, job->dt_s);
    const float y2 = 1.0f - tilt[0].x * tilt[0].x - tilt[2].x * tilt[2].x;
    state->normal = lmb_vec3_normalize_or(
        lmb_vec3_make(tilt[0].x, lmb_sqrt(fmaxf(0.1f, y2)), tilt[2].x), lmb_vec3_make(0, 1, 0));
}

/// Lift for the highest ground that a swinging foot is over within AHEAD_S.
static float look_ahead(const lmb_ik_plant_job *job, lmb_vec3 ankle, lmb_vec3 toe,
                        const lmb_plant_foot_state *state)
{
    const lmb_vec3 velocity = lmb_vec3_make(state->velocity.x, 0, state->velocity.z);
    float lift = -INFINITY;
    for (int k = 0; k < 4; ++k) {
        const lmb_vec3 ahead =
            lmb_vec3_scale(velocity, LAG_S + (AHEAD_S - LAG_S) * (float)k / 3.0f);
        lift =
            fmaxf(lift, supporting_lift(job, lmb_vec3_add(ankle, ahead), lmb_vec3_add(toe, ahead),
                                        state->normal, (clearance){0, 0}));
    }
    return lift;
}

/// Updates the foot's tilt and its lift, the height of the real ground over the animation's flat
/// ground. The lift is smoothed in the swing and exact in contact.
static void update_lift(const lmb_ik_plant_job *job, const lmb_plant_foot *foot, const foot_pose *s,
                        lmb_vec3 slide, lmb_plant_foot_state *state)
{
    if (state->locked && state->on_toe && !state->landed) {
        slide = lmb_vec3_make(state->lock.x - s->toe.x, 0, state->lock.z - s->toe.z);
    }
    const lmb_vec3 ankle = lmb_vec3_add(s->ankle, slide), toe = lmb_vec3_add(s->toe, slide);
    const bool contact = state->on_toe || state->on_heel;
    update_tilt(job, state->on_toe ? toe : ankle, state);
    const clearance up = {fmaxf(0.0f, s->ankle.y - job->flat - foot->ankle_height),
                          fmaxf(0.0f, s->toe.y - job->flat - foot->toe_height)},
                    rolled = {up.heel, 0};
    const float wanted = contact ? supporting_lift(job, ankle, toe, state->normal, rolled)
                                 : look_ahead(job, ankle, toe, state);
    if (!job->state->begun) {
        state->lift = (lmb_plant_spring){wanted, 0};
    }
    lmbi_spring_follow(&state->lift.x, &state->lift.v, wanted, contact ? 0.5f * RISE_S : RISE_S,
                       job->dt_s);
    // A standing foot is never below the ground. A swinging one that meets a riser rises at a
    // plausible speed.
    const float under = supporting_lift(job, ankle, toe, state->normal, up) - state->lift.x;
    if (under > 0.0f) {
        state->lift.x += contact ? under : fminf(under, CLIMB * s->leg * job->dt_s);
        state->lift.v = fmaxf(state->lift.v, 0.0f);
    }
}

// ------------------------------------------------------------------------------------------- legs

static lmb_quat slope_of(const lmb_plant_foot_state *state)
{
    return lmb_quat_between(lmb_vec3_make(0, 1, 0), state->normal);
}

/// Ankle goal: the flat-ground pose, moved with the ground to the slope.
static lmb_vec3 ankle_goal(const lmb_ik_plant_job *job, const foot_pose *s,
                           const lmb_plant_foot_state *state)
{
    const lmb_vec3 under = lmb_vec3_make(s->ankle.x, job->flat + state->lift.x, s->ankle.z);
    return lmb_vec3_add(
        under, lmb_quat_rotate(slope_of(state), lmb_vec3_make(0, s->ankle.y - job->flat, 0)));
}

/// Horizontal correction that keeps the ball where it landed. Before that the foot rolls over its
/// heel.
static lmb_vec3 lock_foot(const lmb_ik_plant_job *job, const foot_pose *s, lmb_vec3 ankle,
                          lmb_plant_foot_state *state)
{
    const lmb_vec3 at =
        lmb_vec3_add(ankle, lmb_quat_rotate(slope_of(state), lmb_vec3_sub(s->toe, s->ankle)));
    if (state->landed) {
        state->lock = lmb_vec3_add(at, lmb_vec3_make(state->slide[0].x, 0, state->slide[2].x));
        state->locked = true;
    }
    const lmb_vec3 off = lmb_vec3_make(state->lock.x - at.x, 0, state->lock.z - at.z);
    state->locked = state->locked && state->on_toe && lmb_vec3_length(off) < RELEASE * s->leg;
    if (state->locked) {
        state->slide[0] = (lmb_plant_spring){off.x, 0};
        state->slide[2] = (lmb_plant_spring){off.z, 0};
    } else {
        follow3(state->slide, lmb_vec3_make(0, 0, 0), RELEASE_S, job->dt_s);
    }
    return lmb_vec3_make(state->slide[0].x, 0, state->slide[2].x);
}

static void update_model(const lmb_ik_plant_job *job)
{
    lmb_pose_to_model(&(lmb_pose_to_model_job){
        .skeleton = job->skeleton, .local = job->local, .model_from_joint = job->model_from_joint});
}

/// The least drop of the hips that lets the leg reach its goal; 0 when it can.
static float shortfall(const lmb_ik_plant_job *job, const lmb_plant_foot *foot, float reach,
                       lmb_vec3 goal, float hips)
{
    lmb_vec3 hip = lmb_mat4_translation(job->model_from_joint[foot->upper]);
    hip.y += hips;
    return lmbi_leg_shortfall(hip, goal, reach);
}

static void solve_leg(const lmb_ik_plant_job *job, const lmb_plant_foot *foot,
                      const lmb_plant_foot_state *state, const foot_pose *s, lmb_vec3 goal)
{
    (void)lmb_ik_two_bone(&(lmb_ik_two_bone_job){.skeleton = job->skeleton,
                                                 .local = job->local,
                                                 .model_from_joint = job->model_from_joint,
                                                 .chain = {foot->upper, foot->lower, foot->foot},
                                                 .target = goal,
                                                 .hinge = foot->hinge,
                                                 .soft = 0.004f,
                                                 .weight = 1.0f});
    update_model(job);
    const lmb_quat rotation = lmb_quat_mul(slope_of(state), s->rotation);
    const lmb_quat above =
        lmbi_mat4_rotation(job->model_from_joint[job->skeleton->parents[foot->foot]]);
    job->local[foot->foot].rotation =
        lmb_quat_normalize(lmb_quat_mul(lmb_quat_conjugate(above), rotation));
}

typedef struct plant {
    const lmb_ik_plant_job *job;
    uint32_t count;
    foot_pose poses[LMB_PLANT_FEET];
    lmb_vec3 goals[LMB_PLANT_FEET];
} plant;

static float max_shortfall(const plant *p, float hips)
{
    float most = 0.0f;
    for (uint32_t k = 0; k < p->count; ++k) {
        most =
            fmaxf(most, shortfall(p->job, &p->job->feet[k], p->poses[k].reach, p->goals[k], hips));
    }
    return most;
}

/// Hip offset: down to the lower foot, then up where the other leg would fold too far, as long as
/// all legs reach.
static float wanted_hip_offset(const plant *p)
{
    float lowest = INFINITY, rise = 0.0f;
    for (uint32_t k = 0; k < p->count; ++k) {
        lowest = fminf(lowest, p->job->state->feet[k].lift.x);
    }
    for (uint32_t k = 0; k < p->count; ++k) {
        const float hip =
            lmb_mat4_translation(p->job->model_from_joint[p->job->feet[k].upper]).y + lowest;
        const float own = lmb_mat4_translation(p->job->model_from_joint[p->job->feet[k].upper]).y -
                          p->poses[k].ankle.y;
        rise = fmaxf(rise, fminf(FOLDED * p->poses[k].leg, own) - (hip - p->goals[k].y));
    }
    return lowest + rise - max_shortfall(p, lowest + rise);
}

static float move_hips(const plant *p)
{
    lmb_plant_spring *hips = &p->job->state->hips;
    const float wanted = wanted_hip_offset(p);
    if (!p->job->state->begun) {
        *hips = (lmb_plant_spring){wanted, 0};
    }
    lmbi_spring_follow(&hips->x, &hips->v, wanted, HIPS_S, p->job->dt_s);
    // The hips fall at once, so that standing feet stay, and rise smoothly.
    lmb_plant_spring *drop = &p->job->state->drop;
    const float needed = lmbi_clampf(max_shortfall(p, hips->x), 0.0f, 0.3f * p->poses[0].leg);
    lmbi_spring_follow(&drop->x, &drop->v, needed, HIPS_S, p->job->dt_s);
    if (drop->x < needed) {
        *drop = (lmb_plant_spring){needed, fmaxf(drop->v, 0.0f)};
    }
    lmbi_raise_joint(p->job->skeleton, p->job->model_from_joint, p->job->hips, hips->x - drop->x,
                     p->job->local);
    return hips->x - drop->x;
}

float lmb_ik_plant(const lmb_ik_plant_job *job)
{
    plant p = {.job = job,
               .count = job->foot_count < LMB_PLANT_FEET ? job->foot_count : LMB_PLANT_FEET};
    if (p.count == 0) {
        return 0.0f;
    }
    for (uint32_t k = 0; k < p.count; ++k) {
        lmb_plant_foot_state *state = &job->state->feet[k];
        foot_pose *s = &p.poses[k];
        *s = read_foot_pose(job, &job->feet[k]);
        detect_contact(job, &job->feet[k], s, state);
        update_lift(job, &job->feet[k], s, lmb_vec3_make(state->slide[0].x, 0, state->slide[2].x),
                    state);
        p.goals[k] = ankle_goal(job, s, state);
        p.goals[k] = lmb_vec3_add(p.goals[k], lock_foot(job, s, p.goals[k], state));
    }
    const float by = move_hips(&p);
    job->state->begun = true;
    update_model(job);
    for (uint32_t k = 0; k < p.count; ++k) {
        solve_leg(job, &job->feet[k], &job->state->feet[k], &p.poses[k], p.goals[k]);
    }
    update_model(job);
    return by;
}

// ------------------------------------------------------------------------------------ height grids

static float cell_height(const lmb_ik_height_grid *f, int64_t column, int64_t row)
{
    const int64_t c = column < 0 ? 0 : (column >= f->columns ? (int64_t)f->columns - 1 : column),
                  r = row < 0 ? 0 : (row >= f->rows ? (int64_t)f->rows - 1 : row);
    return f->heights[(size_t)r * f->columns + (size_t)c];
}

static bool grid_at(void *grid, lmb_vec3 point, float *height, lmb_vec3 *normal)
{
    const lmb_ik_height_grid *f = grid;
    const float x = (point.x - f->x) / f->cell, z = (point.z - f->z) / f->cell;
    if (!(x >= 0.0f && z >= 0.0f && x <= (float)(f->columns - 1) && z <= (float)(f->rows - 1))) {
        return false;
    }
    const int64_t c = (int64_t)x, r = (int64_t)z;
    const float u = x - (float)c, v = z - (float)r;
    const float a = cell_height(f, c, r), b = cell_height(f, c + 1, r),
                d = cell_height(f, c, r + 1), e = cell_height(f, c + 1, r + 1);
    const float near = a + (b - a) * u, far = d + (e - d) * u;
    *height = near + (far - near) * v;
    const float dx = ((b - a) + ((e - d) - (b - a)) * v) / f->cell, dz = (far - near) / f->cell;
    *normal = lmb_vec3_normalize_or(lmb_vec3_make(-dx, 1, -dz), lmb_vec3_make(0, 1, 0));
    return true;
}

lmb_ik_ground lmb_ik_ground_of_grid(lmb_ik_height_grid *grid)
{
    return (lmb_ik_ground){grid_at, grid};
}
