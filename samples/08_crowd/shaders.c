#include "shaders.h"

#include <stdio.h>
#include <stdlib.h>

const float crowd_haze[3] = {0.42f, 0.5f, 0.6f};

/// place: x, z, cosine and sine of where it looks; phase: which frame it began at.
static const char crowd_main[] =
    "layout(location = 7) in vec4 in_place;\n"
    "layout(location = 8) in float in_phase;\n"
    "uniform mat4 clip_from_world;\n"
    "uniform int frame, frame_count;\n"
    "out vec3 normal, world;\n"
    "flat out float tint;\n"
    "vec3 turn(vec3 v)\n"
    "{\n"
    "    vec2 cs = in_place.zw;\n"
    "    return vec3(cs.x * v.x + cs.y * v.z, v.y, cs.x * v.z - cs.y * v.x);\n"
    "}\n"
    "void main()\n"
    "{\n"
    "    lmb_vertex v = lmb_skin_vertex((frame + int(in_phase)) % frame_count);\n"
    "    world = turn(v.position) + vec3(in_place.x, 0.0, in_place.y);\n"
    "    normal = turn(v.normal);\n"
    "    tint = fract(in_phase * 0.618);\n"
    "    gl_Position = clip_from_world * vec4(world, 1.0);\n"
    "}\n";

static const char crowd_fragment[] =
    "#version 330 core\n"
    "in vec3 normal, world;\n"
    "flat in float tint;\n"
    "uniform vec4 base_color;\n"
    "uniform vec3 eye, haze;\n"
    "out vec4 color;\n"
    "void main()\n"
    "{\n"
    "    vec3 n = normalize(normal) * (gl_FrontFacing ? 1.0 : -1.0);\n"
    "    float sun = max(dot(n, normalize(vec3(0.5, 0.8, 0.6))), 0.0);\n"
    "    vec3 sky = mix(vec3(0.20, 0.17, 0.15), vec3(0.45, 0.5, 0.58), 0.5 + 0.5 * n.y);\n"
    "    vec3 lit = base_color.rgb * (0.8 + 0.4 * tint) * (sky + sun * vec3(0.9, 0.82, 0.7));\n"
    "    float far = 1.0 - exp(-0.0006 * dot(world - eye, world - eye));\n"
    "    color = vec4(pow(mix(lit, haze, far), vec3(1.0 / 2.2)), 1.0);\n"
    "}\n";

static GLuint compile(GLenum stage, const char *text, const char *more)
{
    const char *const texts[] = {text, more};
    const GLuint shader = glCreateShader(stage);
    glShaderSource(shader, 2, texts, NULL);
    glCompileShader(shader);
    GLint ok = 0;
    glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
    if (!ok) {
        char log[2048] = "";
        glGetShaderInfoLog(shader, sizeof(log), NULL, log);
        fprintf(stderr, "%s\n", log);
    }
    return ok ? shader : 0;
}

GLuint shaders_link_texts(const char *vertex, const char *vertex_main, const char *fragment)
{
    const GLuint program = glCreateProgram();
    glAttachShader(program, compile(GL_VERTEX_SHADER, vertex, vertex_main));
    glAttachShader(program, compile(GL_FRAGMENT_SHADER, fragment, ""));
    glLinkProgram(program);
    GLint ok = 0;
    glGetProgramiv(program, GL_LINK_STATUS, &ok);
    return ok ? program : 0;
}

GLuint shaders_link(const lmb_gpu_skin *layout)
{
    const size_t length = lmb_gpu_shader(layout, NULL, 0);
    char *text = malloc(length + 1);
    if (text == NULL) {
        return 0;
    }
    lmb_gpu_shader(layout, text, length + 1);
    const GLuint program = shaders_link_texts(text, crowd_main, crowd_fragment);
    free(text);
    return program;
}
