#include <math.h>

#include "limber/anim.h"

/// Bollo, Inertialization: High-Performance Animation Transitions in Gears of War (2018).
lmb_quintic lmb_quintic_make(double x0, double v0, double end_s)
{
    // Solved for x0 >= 0; a negative offset is mirrored.
    const double sign = x0 < 0 ? -1 : 1, x = x0 * sign, v = fmin(v0 * sign, 0);
    double t1 = end_s;
    if (v < 0) {
        t1 = fmin(t1, -5 * x / v);
    }
    lmb_quintic q = {0};
    if (!(t1 > 0)) {
        return q;
    }
    const double t2 = t1 * t1, t3 = t2 * t1;
    const double a0 = fmax(0, (-8 * v * t1 - 20 * x) / t2);
    q.a = -sign * (a0 * t2 + 6 * v * t1 + 12 * x) / (2 * t3 * t2);
    q.b = sign * (3 * a0 * t2 + 16 * v * t1 + 30 * x) / (2 * t2 * t2);
    q.c = -sign * (3 * a0 * t2 + 12 * v * t1 + 20 * x) / (2 * t3);
    q.a0 = sign * a0;
    q.v0 = sign * v;
    q.x0 = x0;
    q.end_s = t1;
    return q;
}

double lmb_quintic_at(const lmb_quintic *q, double t)
{
    if (t >= q->end_s) {
        return 0;
    }
    return ((((q->a * t + q->b) * t + q->c) * t + 0.5 * q->a0) * t + q->v0) * t + q->x0;
}

void lmb_spring_decay(double *x, double *v, double half_life_s, double dt_s)
{
    const double y = 2 * 0.69314718055994531 / half_life_s;
    const double j = *v + *x * y, decay = (double)lmb_exp((float)(-y * dt_s));
    *x = decay * (*x + j * dt_s);
    *v = decay * (*v - j * y * dt_s);
}
