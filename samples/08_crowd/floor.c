#include "floor.h"

#include "shaders.h"

/// Corners by number; half is how far they lie from the place.
static const char vertex_text[] =
    "#version 330 core\n"
    "layout(location = 0) in vec2 in_place;\n"
    "uniform mat4 clip_from_world;\n"
    "uniform float half_size;\n"
    "out vec3 world;\n"
    "out vec2 corner;\n"
    "void main()\n"
    "{\n"
    "    corner = vec2(float(gl_VertexID & 1), float(gl_VertexID >> 1)) * 2.0 - 1.0;\n"
    "    vec2 place = half_size > 2.0 ? vec2(0.0) : in_place;\n"
    "    world = vec3(place.x + corner.x * half_size, 0.0, place.y + corner.y * half_size);\n"
    "    gl_Position = clip_from_world * vec4(world, 1.0);\n"
    "}\n";

static const char fragment_text[] =
    "#version 330 core\n"
    "in vec3 world;\n"
    "in vec2 corner;\n"
    "uniform float half_size;\n"
    "uniform vec3 eye, haze;\n"
    "out vec4 color;\n"
    "void main()\n"
    "{\n"
    "    float far = 1.0 - exp(-0.0006 * dot(world - eye, world - eye));\n"
    "    vec3 ground = mix(vec3(0.30, 0.29, 0.27), haze, far);\n"
    "    float shadow = 0.55 * (1.0 - far) * pow(max(1.0 - dot(corner, corner), 0.0), 1.5);\n"
    "    color = half_size > 2.0 ? vec4(pow(ground, vec3(1.0 / 2.2)), 1.0)\n"
    "                            : vec4(0.05, 0.05, 0.06, shadow);\n"
    "}\n";

bool floor_start(crowd_floor *f, GLuint places)
{
    f->program = shaders_link_texts(vertex_text, "", fragment_text);
    glGenVertexArrays(1, &f->vertices);
    glBindVertexArray(f->vertices);
    glBindBuffer(GL_ARRAY_BUFFER, places);
    glEnableVertexAttribArray(0);
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 20, NULL);
    glVertexAttribDivisor(0, 1);
    return f->program != 0;
}

static void draw_squares(const crowd_floor *f, float half_size, uint32_t count)
{
    glUniform1f(glGetUniformLocation(f->program, "half_size"), half_size);
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, (GLsizei)count);
}

void floor_draw(const crowd_floor *f, lmb_mat4 clip_from_world, lmb_vec3 eye,
                uint32_t instance_count)
{
    glUseProgram(f->program);
    glBindVertexArray(f->vertices);
    glUniformMatrix4fv(glGetUniformLocation(f->program, "clip_from_world"), 1, GL_FALSE,
                       clip_from_world.m);
    glUniform3f(glGetUniformLocation(f->program, "eye"), eye.x, eye.y, eye.z);
    glUniform3fv(glGetUniformLocation(f->program, "haze"), 1, crowd_haze);
    draw_squares(f, 250, 1);
    // Shadows lie in the floor's own plane: the same depth passes, and they leave it alone.
    glDepthFunc(GL_LEQUAL);
    glDepthMask(GL_FALSE);
    glEnable(GL_BLEND);
    glEnable(GL_POLYGON_OFFSET_FILL);
    glPolygonOffset(-1, -1);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    draw_squares(f, 0.5f, instance_count);
    glDisable(GL_POLYGON_OFFSET_FILL);
    glDisable(GL_BLEND);
    glDepthMask(GL_TRUE);
    glDepthFunc(GL_LESS);
}
