/// The program that draws the crowd: Limber's text, and a main() of our own behind it.
#ifndef SAMPLES_CROWD_SHADERS_H
#define SAMPLES_CROWD_SHADERS_H

#include "gl.h"
#include "limber/render.h"

/// 0 when it does not compile; the log goes to stderr.
GLuint shaders_link(const lmb_gpu_skin *layout);

#endif
