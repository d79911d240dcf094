/// OpenGL of the system, through GLFW.
#include <GLFW/glfw3.h>
