/// Motions on the spot.
#ifndef PROCEDURAL_GESTURE_H
#define PROCEDURAL_GESTURE_H

#include "procedural/figure.h"

/// Loop durations, seconds.
#define IDLE_S 8.0f
#define WAVE_S 3.6f
#define JUMP_S 2.4f

/// The figure at a time in [0, duration).
lmbi_figure_state lmbi_idle_at(float time_s);
lmbi_figure_state lmbi_wave_at(float time_s);
lmbi_figure_state lmbi_jump_at(float time_s);

#endif
