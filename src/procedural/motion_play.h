/// Common to motions on the humanoid and on other bodies.
#ifndef PROCEDURAL_MOTION_PLAY_H
#define PROCEDURAL_MOTION_PLAY_H

#include "procedural/motion_text.h"

#define LMBI_RUNNING_CURL 0.7f

/// A slider's factor: 0 counts as 1.
float lmbi_slider(float value);
lmb_result lmbi_sliders_check(const lmb_motion *motion, const lmb_motion_sliders *sliders,
                              lmb_error *error);

/// Seconds of a human's gait at its own speed.
float lmbi_motion_gait_s(const lmb_motion *motion);

/// Standing on planted feet while the weight shifts from leg to leg and the chest breathes twice
/// a period.
lmbi_figure_state lmbi_figure_breathe(float time_s, float period_s);
/// The right hand waves, and a jump; u from 0 to 1.
lmbi_figure_state lmbi_figure_wave(float u);
lmbi_figure_state lmbi_figure_jump(float u);

#endif
