/// The spring of transitions and feet.
#ifndef ANIM_SPRING_H
#define ANIM_SPRING_H

#include "limber/anim.h"

/// Steps a critically damped spring towards 0 exactly: with y = 2 ln 2 / half_life and j = v + x y,
/// x = e^(-y dt) (x + j dt), v = e^(-y dt) (v - j y dt) (Holden 2020). After one
/// half-life from rest 0.5966 of x is left.
void lmbi_spring_step(double *x, double *v, double half_life_s, double dt_s);

#endif
