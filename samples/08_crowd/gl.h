/// OpenGL 3.3 with prototypes, from the system's headers.
#ifndef SAMPLES_CROWD_GL_H
#define SAMPLES_CROWD_GL_H

#define GL_GLEXT_PROTOTYPES
#include <GL/glcorearb.h>

#endif
