/// Feet on uneven ground. The animation was made on flat ground; every foot is carried over by what
/// the ground rises under it, tilted with the slope, held while it stands, and the hips come down
/// as far as the lower foot needs.
///
/// Smoothed values follow critically damped springs, which have no pops and do not depend on the
/// frame rate.
#include "ik/feet.h"

#include <math.h>

#define LOW 0.035f      ///< of the leg: a point this near to its planted height may stand
#define LOW_OFF 0.06f   ///< of the leg: and stands no more from here
#define SLOW 0.35f      ///< legs a second
#define SLOW_OFF 0.9f   ///< legs a second
#define UNLOCK 0.25f    ///< of the leg: a foot that is held so far from where it is wanted lets go
#define AHEAD_S 0.16f   ///< a swinging foot rises for what it will be over by then
#define RISE_S 0.045f   ///< half-life of the ground under a swinging foot
#define LAG_S 0.065f    ///< RISE_S / ln 2: what a spring of that half-life lags behind a slope
#define LET_GO_S 0.1f   ///< half-life of a correction after its contact
#define HIPS_S 0.1f     ///< half-life of the hips' height
#define TILT_S 0.06f    ///< half-life of the slope under a foot
#define STEEPEST 0.819f ///< cosine of 35 degrees: no foot tilts further
#define CLIMB 4.0f      ///< legs a second
#define FOLDED 0.65f    ///< of the leg: hips rise rather than fold a leg to less
#define REACH 0.995f    ///< of the leg: further legs are not stretched

static float clampf(float x, float low, float high)
{
    return x < low ? low : (x > high ? high : x);
}

static void follow3(lmb_plant_spring s[3], lmb_vec3 goal, float half_life_s, float dt_s)
{
    lmbi_spring_follow(&s[0], goal.x, half_life_s, dt_s);
    lmbi_spring_follow(&s[1], goal.y, half_life_s, dt_s);
    lmbi_spring_follow(&s[2], goal.z, half_life_s, dt_s);
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

static lmb_quat rotation_of(lmb_mat4 m)
{
    lmb_transform t;
    lmb_mat4_decompose(m, &t);
    return t.rotation;
}

/// A foot as the animation has it.
typedef struct sole {
    lmb_vec3 ankle, toe;
    lmb_quat turn;
    float leg, reach; ///< length; how far the ankle may be from the hip
} sole;

static sole sole_of(const lmb_ik_plant_job *job, const lmb_plant_foot *foot)
{
    const lmb_vec3 hip = lmb_mat4_translation(job->model_from_joint[foot->upper]),
                   knee = lmb_mat4_translation(job->model_from_joint[foot->lower]);
    sole s = {.ankle = lmb_mat4_translation(job->model_from_joint[foot->foot]),
              .turn = rotation_of(job->model_from_joint[foot->foot])};
    s.toe = lmb_mat4_point(job->model_from_joint[foot->foot], foot->toe);
    s.leg = lmb_vec3_distance(hip, knee) + lmb_vec3_distance(knee, s.ankle);
    // A leg that the animation stretches further may stay so.
    s.reach = fmaxf(REACH * s.leg, lmb_vec3_distance(hip, s.ankle));
    return s;
}

// ---------------------------------------------------------------------------------------- contact

/// Whether a point stands, with a wider gate for leaving than for coming.
static bool stands(bool before, float height, float speed, float leg)
{
    return height < (before ? LOW_OFF : LOW) * leg && speed < (before ? SLOW_OFF : SLOW) * leg;
}

static void find_contact(const lmb_ik_plant_job *job, const lmb_plant_foot *foot, const sole *s,
                         lmb_plant_foot_state *state)
{
    const float dt = job->dt_s > 0.0f ? job->dt_s : 1.0f / 60.0f;
    const bool first = !job->state->begun;
    const float ankle_speed = first ? 0.0f : lmb_vec3_distance(s->ankle, state->ankle) / dt,
                toe_speed = first ? 0.0f : lmb_vec3_distance(s->toe, state->toe) / dt;
    const bool toe =
        stands(state->on_toe, s->toe.y - job->flat - foot->toe_height, toe_speed, s->leg);
    const bool heel =
        stands(state->on_heel, s->ankle.y - job->flat - foot->ankle_height, ankle_speed, s->leg);
    state->velocity = first ? lmb_vec3_make(0, 0, 0)
                            : lmb_vec3_scale(lmb_vec3_sub(s->toe, state->toe), 1.0f / dt);
    state->landed = toe && !state->on_toe;
    state->on_toe = toe;
    state->on_heel = heel;
    state->ankle = s->ankle;
    state->toe = s->toe;
}

// ----------------------------------------------------------------------------------------- ground

/// The tilt of a slope, held to what an ankle can do.
static lmb_vec3 tilt_of(lmb_vec3 normal)
{
    if (normal.y >= STEEPEST) {
        return normal;
    }
    const lmb_vec3 flat =
        lmb_vec3_normalize_or(lmb_vec3_make(normal.x, 0, normal.z), lmb_vec3_make(1, 0, 0));
    const float sine = lmb_sqrt(1.0f - STEEPEST * STEEPEST);
    return lmb_vec3_make(sine * flat.x, STEEPEST, sine * flat.z);
}

/// How high heel and ball are over where they stand on flat ground.
typedef struct raise {
    float heel, ball;
} raise;

/// The lift of a foot of this tilt that leaves neither heel nor ball under the ground; what is
/// raised needs less.
static float support(const lmb_ik_plant_job *job, lmb_vec3 ankle, lmb_vec3 toe, lmb_vec3 normal,
                     raise up)
{
    const float rise =
        -(normal.x * (toe.x - ankle.x) + normal.z * (toe.z - ankle.z)) / fmaxf(normal.y, 0.2f);
    return fmaxf(ground_at(job, ankle).height - up.heel,
                 ground_at(job, toe).height - rise - up.ball) -
           job->flat;
}

/// What the ground is, for a foot, above the flat ground of the animation; smoothed in the swing,
/// exact where it stands.
static void find_lift(const lmb_ik_plant_job *job, const lmb_plant_foot *foot, const sole *s,
                      lmb_vec3 slide, lmb_plant_foot_state *state)
{
    if (state->locked && state->on_toe && !state->landed) {
        slide = lmb_vec3_make(state->lock.x - s->toe.x, 0, state->lock.z - s->toe.z);
    }
    const lmb_vec3 ankle = lmb_vec3_add(s->ankle, slide), toe = lmb_vec3_add(s->toe, slide);
    const bool contact = state->on_toe || state->on_heel;
    const lmb_vec3 slope = tilt_of(ground_at(job, state->on_toe ? toe : ankle).normal);
    if (!job->state->begun) {
        state->tilt[0].x = slope.x;
        state->tilt[2].x = slope.z;
    }
    follow3(state->tilt, lmb_vec3_make(slope.x, 0, slope.z), TILT_S, job->dt_s);
    const lmb_vec3 normal = lmb_vec3_normalize_or(
        lmb_vec3_make(state->tilt[0].x,
                      lmb_sqrt(fmaxf(0.1f, 1.0f - state->tilt[0].x * state->tilt[0].x -
                                               state->tilt[2].x * state->tilt[2].x)),
                      state->tilt[2].x),
        lmb_vec3_make(0, 1, 0));
    state->normal = normal;
    const raise up = {fmaxf(0.0f, s->ankle.y - job->flat - foot->ankle_height),
                      fmaxf(0.0f, s->toe.y - job->flat - foot->toe_height)},
                none = {0, 0}, rolled = {up.heel, 0};
    float wanted = contact ? support(job, ankle, toe, normal, rolled) : -INFINITY;
    const lmb_vec3 flat = lmb_vec3_make(state->velocity.x, 0, state->velocity.z);
    for (int k = 0; !contact && k < 4; ++k) {
        const lmb_vec3 ahead = lmb_vec3_scale(flat, LAG_S + (AHEAD_S - LAG_S) * (float)k / 3.0f);
        wanted = fmaxf(wanted, support(job, lmb_vec3_add(ankle, ahead), lmb_vec3_add(toe, ahead),
                                       normal, none));
    }
    if (!job->state->begun) {
        state->lift = (lmb_plant_spring){wanted, 0};
    }
    lmbi_spring_follow(&state->lift, wanted, contact ? 0.5f * RISE_S : RISE_S, job->dt_s);
    // Never under the ground, but a foot that swings into a riser is taken over it at a speed that
    // a leg has.
    const float under = support(job, ankle, toe, normal, up) - state->lift.x;
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

/// Where the ankle goes: the foot as it was over flat ground, carried with that ground to the
/// slope.
static lmb_vec3 ankle_goal(const lmb_ik_plant_job *job, const sole *s,
                           const lmb_plant_foot_state *state)
{
    const lmb_vec3 under = lmb_vec3_make(s->ankle.x, job->flat + state->lift.x, s->ankle.z);
    return lmb_vec3_add(
        under, lmb_quat_rotate(slope_of(state), lmb_vec3_make(0, s->ankle.y - job->flat, 0)));
}

/// How far the foot is moved along the ground, so that its ball stays where it came down. Before
/// that the foot rolls over its heel.
static lmb_vec3 hold(const lmb_ik_plant_job *job, const sole *s, lmb_vec3 ankle,
                     lmb_plant_foot_state *state)
{
    const lmb_vec3 at =
        lmb_vec3_add(ankle, lmb_quat_rotate(slope_of(state), lmb_vec3_sub(s->toe, s->ankle)));
    if (state->landed) {
        state->lock = lmb_vec3_add(at, lmb_vec3_make(state->slide[0].x, 0, state->slide[2].x));
        state->locked = true;
    }
    const lmb_vec3 off = lmb_vec3_make(state->lock.x - at.x, 0, state->lock.z - at.z);
    state->locked = state->locked && state->on_toe && lmb_vec3_length(off) < UNLOCK * s->leg;
    if (state->locked) {
        state->slide[0] = (lmb_plant_spring){off.x, 0};
        state->slide[2] = (lmb_plant_spring){off.z, 0};
    } else {
        follow3(state->slide, lmb_vec3_make(0, 0, 0), LET_GO_S, job->dt_s);
    }
    return lmb_vec3_make(state->slide[0].x, 0, state->slide[2].x);
}

static void refresh(const lmb_ik_plant_job *job)
{
    lmb_pose_to_model(&(lmb_pose_to_model_job){
        .skeleton = job->skeleton, .local = job->local, .model_from_joint = job->model_from_joint});
}

/// The least that the hips must come down so that the leg reaches; 0 when it does.
static float shortfall(const lmb_ik_plant_job *job, const lmb_plant_foot *foot, float reach,
                       lmb_vec3 goal, float hips)
{
    lmb_vec3 hip = lmb_mat4_translation(job->model_from_joint[foot->upper]);
    hip.y += hips;
    return lmbi_leg_shortfall(hip, goal, reach);
}

static void put_foot(const lmb_ik_plant_job *job, const lmb_plant_foot *foot,
                     const lmb_plant_foot_state *state, const sole *s, lmb_vec3 goal)
{
    (void)lmb_ik_two_bone(&(lmb_ik_two_bone_job){.skeleton = job->skeleton,
                                                 .local = job->local,
                                                 .model_from_joint = job->model_from_joint,
                                                 .chain = {foot->upper, foot->lower, foot->foot},
                                                 .target = goal,
                                                 .hinge = foot->hinge,
                                                 .soft = 0.004f,
                                                 .weight = 1.0f});
    refresh(job);
    const lmb_quat turn = lmb_quat_mul(slope_of(state), s->turn);
    const lmb_quat above = rotation_of(job->model_from_joint[job->skeleton->parents[foot->foot]]);
    job->local[foot->foot].rotation =
        lmb_quat_normalize(lmb_quat_mul(lmb_quat_conjugate(above), turn));
}

typedef struct plant {
    const lmb_ik_plant_job *job;
    uint32_t count;
    sole soles[LMB_PLANT_FEET];
    lmb_vec3 goals[LMB_PLANT_FEET];
} plant;

static float most_shortfall(const plant *p, float hips)
{
    float most = 0.0f;
    for (uint32_t k = 0; k < p->count; ++k) {
        most =
            fmaxf(most, shortfall(p->job, &p->job->feet[k], p->soles[k].reach, p->goals[k], hips));
    }
    return most;
}

/// Down with the lower foot; up from there when the higher foot's leg would fold, as far as the
/// other leg reaches.
static float hips_wanted(const plant *p)
{
    float lowest = INFINITY, rise = 0.0f;
    for (uint32_t k = 0; k < p->count; ++k) {
        lowest = fminf(lowest, p->job->state->feet[k].lift.x);
    }
    for (uint32_t k = 0; k < p->count; ++k) {
        const float hip =
            lmb_mat4_translation(p->job->model_from_joint[p->job->feet[k].upper]).y + lowest;
        const float own = lmb_mat4_translation(p->job->model_from_joint[p->job->feet[k].upper]).y -
                          p->soles[k].ankle.y;
        rise = fmaxf(rise, fminf(FOLDED * p->soles[k].leg, own) - (hip - p->goals[k].y));
    }
    return lowest + rise - most_shortfall(p, lowest + rise);
}

static float place_hips(const plant *p)
{
    lmb_plant_spring *hips = &p->job->state->hips;
    const float wanted = hips_wanted(p);
    if (!p->job->state->begun) {
        *hips = (lmb_plant_spring){wanted, 0};
    }
    lmbi_spring_follow(hips, wanted, HIPS_S, p->job->dt_s);
    // Down at once, so that what stands stays; up again by and by.
    lmb_plant_spring *drop = &p->job->state->drop;
    const float needed = clampf(most_shortfall(p, hips->x), 0.0f, 0.3f * p->soles[0].leg);
    lmbi_spring_follow(drop, needed, HIPS_S, p->job->dt_s);
    if (drop->x < needed) {
        *drop = (lmb_plant_spring){needed, fmaxf(drop->v, 0.0f)};
    }
    lmbi_move_up(p->job->skeleton, p->job->model_from_joint, p->job->hips, hips->x - drop->x,
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
        sole *s = &p.soles[k];
        *s = sole_of(job, &job->feet[k]);
        find_contact(job, &job->feet[k], s, state);
        find_lift(job, &job->feet[k], s, lmb_vec3_make(state->slide[0].x, 0, state->slide[2].x),
                  state);
        p.goals[k] = ankle_goal(job, s, state);
        p.goals[k] = lmb_vec3_add(p.goals[k], hold(job, s, p.goals[k], state));
    }
    const float by = place_hips(&p);
    job->state->begun = true;
    refresh(job);
    for (uint32_t k = 0; k < p.count; ++k) {
        put_foot(job, &job->feet[k], &job->state->feet[k], &p.soles[k], p.goals[k]);
    }
    refresh(job);
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
