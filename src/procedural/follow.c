/// Following a target as a spring with a damper does, exactly for any step of time.
///
/// x'' + 2 z w x' + w^2 (x - g) = 0. While g moves evenly, g(t) = g0 + v t, the difference
/// y = x - g + 2 z v / w obeys the equation without a target, and its solution is closed:
/// y(t) = e^(-z w t) (y0 C + (y0' + z w y0) S) with C and S the cosine and sine of the damped
/// frequency, their limits, or hyperbolic.
#include "limber/procedural.h"

#include <math.h>

#include "math/real.h"

/// [y, y'] after a step is M [y, y'] before it.
typedef struct step {
    double m[4];
} step;

static step step_of(double w, double z, double dt)
{
    const double k = w * w * (1 - z * z), a = z * w;
    double c, s; // e^(-a dt) times C and S
    if (fabs(k) * dt * dt < 1e-8) {
        const double keep = lmbi_exp(-a * dt);
        c = keep * (1 - 0.5 * k * dt * dt);
        s = keep * dt * (1 - k * dt * dt / 6);
    } else if (k > 0) {
        const double keep = lmbi_exp(-a * dt), d = sqrt(k);
        c = keep * lmbi_cos(d * dt);
        s = keep * lmbi_sin(d * dt) / d;
    } else {
        const double r = sqrt(-k), slow = lmbi_exp((r - a) * dt), fast = lmbi_exp((-r - a) * dt);
        c = 0.5 * (slow + fast);
        s = 0.5 * (slow - fast) / r;
    }
    const step out = {{c + a * s, s, -w * w * s, c - a * s}};
    return out;
}

static void advance(lmb_follower *f, double target, double w, double z, double dt, const step *m)
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
        const step m = step_of(w, z, dt_s);
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

lmb_quat lmb_follow_turn(lmb_follower follower[4], lmb_quat target, double frequency_hz,
                         double damping, double dt_s)
{
    // The four numbers each follow; q and -q are the same turn, so the nearer one is followed.
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
