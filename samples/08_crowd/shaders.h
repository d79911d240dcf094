/// Programs: the crowd's is Limber's text with a main() of our own behind it.
#ifndef SAMPLES_CROWD_SHADERS_H
#define SAMPLES_CROWD_SHADERS_H

#include "gl.h"
#include "limber/render.h"

/// Linear; what everything fades into.
extern const float crowd_haze[3];

/// All give 0 when something does not compile; the log goes to stderr.
GLuint shaders_link(const lmb_gpu_skin *layout);
GLuint shaders_link_texts(const char *vertex, const char *vertex_main, const char *fragment);

#endif
