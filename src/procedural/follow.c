/// Damped spring that follows a target, exact for any time step.
///
/// x'' + 2 z w x' + w^2 (x - g) = 0. With a target g(t) = g0 + v t the difference
/// y = x - g + 2 z v / w obeys the homogeneous equation, which has a closed solution:
/// y(t) = e^(-z w t) (y0 C + (y0' + z w y0) S). C is the cosine of the damped frequency
/// times t and S its sine over the frequency; their limits at critical damping; hyperbolic beyond.
#include "limber/procedural.h"

#include <math.h>

#include "math/real.h"

/// Transition matrix M: [y, y'] after a step is M [y, y'] before it.
typedef struct transition {
    double m[4];
} transition;

static transition make_transition(double w, double z, double dt)
{
    const double k = w * w * (1 - z * z), a = z * w;
    double c, s; // e^(-a dt) times C and S
    if (fabs(k) * dt * dt < 1e-8) {
        const double decay = lmbi_exp(-a * dt);
        c = decay * (1 - 0.5 * k * dt * dt);
        s = decay * dt * (1 - k * dt * dt / 6);
    } else if (k > 0) {
        const double decay = lmbi_exp(-a * dt), d = sqrt(k);
        c = decay * lmbi_cos(d * dt);
        s = decay * lmbi_sin(d * dt) / d;
    } else {
        const double r = sqrt(-k), slow = lmbi_exp((r - a) * dt), fast = lmbi_exp((-r - a) * dt);
        c = 0.5 * (slow + fast);
        s = 0.5 * (slow - fast) / r;
    }
    const transition out = {{c + a * s, s, -w * w * s, c - a * s}};
    return out;
}

static void advance(lmb_follower *f, double target, double w, double z, double dt,
                    const transition *m)
{
    const double v = (target - f->target) / dt, lag = 2 * z * v / w;
    const double y = f->value - f->target + lag, dy = f->speed - v;
    f->value = target - lag + m->m[0] * y + m->m[1] * dy;
    f->speed = v + m->m[2] * y + m->m[3] * dy;
    f->target = target;
}

static void start(lmb_follower *f, double target)
{
    const lmb_follower at = {.value = target, .target = target, .started = true};
    *f = at;
}

double lmb_follow(lmb_follower *follower, double target, double frequency_hz, double damping,
                  double dt_s)
{
    const double w = 2 * 3.14159265358979323846 * frequency_hz;
    if (!follower->started || !(w > 0)) {
        start(follower, target);
    } else if (dt_s > 0) {
        const double z = damping > 0 ? damping : 0;
        const transition m = make_transition(w, z, dt_s);
        advance(follower, target, w, z, dt_s, &m);
    }
    return follower->value;
}

lmb_vec3 lmb_follow3(lmb_follower follower[3], lmb_vec3 target, double frequency_hz, double damping,
                     double dt_s)
{
    return lmb_vec3_make(
        (float)lmb_follow(&follower[0], (double)target.x, frequency_hz, damping, dt_s),
        (float)lmb_follow(&follower[1], (double)target.y, frequency_hz, damping, dt_s),
        (float)lmb_follow(&follower[2], (double)target.z, frequency_hz, damping, dt_s));
}

lmb_quat lmb_follow_rotation(lmb_follower follower[4], lmb_quat target, double frequency_hz,
                             double damping, double dt_s)
{
    // Follows each component. q and -q are the same rotation, so the nearer one is the target.
    const lmb_quat before = lmb_quat_make((float)follower[0].target, (float)follower[1].target,
                                          (float)follower[2].target, (float)follower[3].target);
    const float s = follower[0].started && lmb_quat_dot(before, target) < 0 ? -1.0f : 1.0f;
    const float part[4] = {s * target.x, s * target.y, s * target.z, s * target.w};
    float out[4];
    for (int k = 0; k < 4; ++k) {
        out[k] = (float)lmb_follow(&follower[k], (double)part[k], frequency_hz, damping, dt_s);
    }
    return lmb_quat_normalize(lmb_quat_make(out[0], out[1], out[2], out[3]));
}
