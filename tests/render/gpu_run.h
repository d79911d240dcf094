/// One subject through one shader on the current OpenGL context: uploaded, skinned, read back.
#ifndef TESTS_RENDER_GPU_RUN_H
#define TESTS_RENDER_GPU_RUN_H

#include "render/gl.h"

#ifdef GL_IS_HERE

#include "render/gpu_subject.h"

#include <string.h>

/// Mesa keeps what it compiled until the process ends.
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libEGL\nleak:_dri.so\nleak:libgallium\nleak:libLLVM\nleak:libglapi\n";
}

/// What a program that draws puts behind the text of lmb_gpu_shader. Here vertices are captured and
/// not drawn.
static const char capture_main[] = "out vec3 out_position;\n"
                                   "out vec3 out_normal;\n"
                                   "out vec4 out_tangent;\n"
                                   "void main()\n"
                                   "{\n"
                                   "    lmb_vertex v = lmb_skin_vertex(gl_InstanceID);\n"
                                   "    out_position = v.position;\n"
                                   "    out_normal = v.normal;\n"
                                   "    out_tangent = v.tangent;\n"
                                   "    gl_Position = vec4(v.position, 1.0);\n"
                                   "}\n";

static GLuint capture_program(const lmb_gpu_skin *skin)
{
    static const char *const varyings[] = {"out_position", "out_normal", "out_tangent"};
    static const char *const fragments[] = {
        [LMB_GPU_GLSL_330] = "#version 330 core\nvoid main() {}\n",
        [LMB_GPU_GLSL_430] = "#version 430 core\nvoid main() {}\n",
        [LMB_GPU_ESSL_300] = "#version 300 es\nvoid main() {}\n",
        [LMB_GPU_ESSL_310] = "#version 310 es\nvoid main() {}\n",
    };
    char *text = subject_shader(skin);
    const GLuint vertex = gl_shader(GL_VERTEX_SHADER, text, capture_main);
    free(text);
    const GLuint fragment = gl_shader(GL_FRAGMENT_SHADER, fragments[skin->language], NULL);
    if (vertex == 0 || fragment == 0) {
        return 0;
    }
    const GLuint program = glCreateProgram();
    glTransformFeedbackVaryings(program, 3, varyings, GL_INTERLEAVED_ATTRIBS);
    return gl_link(program, vertex, fragment);
}

static GLuint compute_program(const lmb_gpu_skin *skin)
{
    char *text = subject_shader(skin);
    const GLuint compute = gl_shader(GL_COMPUTE_SHADER, text, NULL);
    free(text);
    return compute != 0 ? gl_link(glCreateProgram(), compute, 0) : 0;
}

typedef struct gpu_run {
    lmb_gpu_skin skin;
    uint32_t palette_count;
    GLuint program, vao, buffers[4], textures[2];
    size_t output_size;
} gpu_run;

enum { RUN_PALETTES, RUN_VERTICES, RUN_OUTPUT, RUN_MORPHS };

static void run_attributes(const lmb_gpu_skin *skin)
{
    const lmb_gpu_layout layout = lmb_gpu_describe(skin, 1).vertices;
    for (uint32_t i = 0; i < layout.attribute_count; ++i) {
        const lmb_gpu_attribute a = layout.attributes[i];
        const void *offset = (const void *)(uintptr_t)a.offset;
        glEnableVertexAttribArray(a.location);
        if (a.is_integer) {
            glVertexAttribIPointer(a.location, (GLint)a.components, a.type, (GLsizei)layout.stride,
                                   offset);
        } else {
            glVertexAttribPointer(a.location, (GLint)a.components, a.type, a.is_normalized,
                                  (GLsizei)layout.stride, offset);
        }
    }
}

static void run_palettes(gpu_run *run, const subject *s)
{
    lmb_vec4 *texels = subject_palettes(s, &run->skin);
    const lmb_gpu_extent extent = lmb_gpu_describe(&run->skin, s->palette_count).palettes;
    if (run->skin.palettes == LMB_GPU_TEXTURE) {
        run->textures[0] = gl_texture(GL_TEXTURE0, extent.width, extent.height, texels);
        glUniform1i(glGetUniformLocation(run->program, "lmb_palettes"), 0);
    } else {
        const bool uniform = run->skin.palettes == LMB_GPU_UNIFORM;
        const GLenum target = uniform ? GL_UNIFORM_BUFFER : GL_SHADER_STORAGE_BUFFER;
        run->buffers[RUN_PALETTES] = gl_buffer(target, extent.allocated * sizeof(*texels), texels);
        glBindBufferBase(target, 0, run->buffers[RUN_PALETTES]);
        if (uniform) {
            glUniformBlockBinding(run->program,
                                  glGetUniformBlockIndex(run->program, "lmb_palettes"), 0);
        }
    }
    free(texels);
}

static void run_morphs(gpu_run *run, const subject *s)
{
    const lmb_gpu_extent extent = lmb_gpu_describe(&run->skin, 1).morphs;
    lmb_vec4 *texels = subject_memory(extent.allocated, sizeof(*texels));
    lmb_gpu_morphs(&run->skin, s->mesh, texels);
    if (run->skin.stage == LMB_GPU_COMPUTE) {
        run->buffers[RUN_MORPHS] =
            gl_buffer(GL_SHADER_STORAGE_BUFFER, extent.allocated * sizeof(*texels), texels);
        glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 3, run->buffers[RUN_MORPHS]);
    } else {
        run->textures[1] = gl_texture(GL_TEXTURE1, extent.width, extent.height, texels);
        glUniform1i(glGetUniformLocation(run->program, "lmb_morphs"), 1);
    }
    free(texels);
}

/// False when the shader does not compile; the log went to stderr.
static bool run_start(gpu_run *run, const subject *s, lmb_gpu_skin choices)
{
    *run = (gpu_run){.skin = subject_skin(s, choices), .palette_count = s->palette_count};
    const lmb_gpu_skin *skin = &run->skin;
    const bool compute = skin->stage == LMB_GPU_COMPUTE;
    run->program = compute ? compute_program(skin) : capture_program(skin);
    if (run->program == 0) {
        return false;
    }
    glUseProgram(run->program);
    const size_t size = (size_t)s->mesh->vertex_count * lmb_gpu_describe(skin, 1).vertices.stride;
    void *vertices = subject_memory(size, 1);
    lmb_gpu_vertices(skin, s->mesh, vertices);
    glGenVertexArrays(1, &run->vao);
    glBindVertexArray(run->vao);
    run->buffers[RUN_VERTICES] = gl_buffer(GL_ARRAY_BUFFER, size, vertices);
    free(vertices);
    const size_t stride = compute ? lmb_gpu_describe(skin, 1).output.stride : sizeof(skinned);
    run->output_size = stride * s->mesh->vertex_count * s->palette_count;
    run->buffers[RUN_OUTPUT] = gl_buffer(GL_COPY_READ_BUFFER, run->output_size, NULL);
    if (compute) {
        glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 1, run->buffers[RUN_VERTICES]);
        glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 2, run->buffers[RUN_OUTPUT]);
    } else {
        run_attributes(skin);
        glBindBufferBase(GL_TRANSFORM_FEEDBACK_BUFFER, 0, run->buffers[RUN_OUTPUT]);
        glEnable(GL_RASTERIZER_DISCARD);
    }
    run_palettes(run, s);
    if (skin->morphs) {
        run_morphs(run, s);
    }
    int32_t counts[4];
    memcpy(counts, lmb_gpu_describe(skin, 1).counts, sizeof(int32_t[4]));
    glUniform4iv(glGetUniformLocation(run->program, "lmb_counts"), 1, counts);
    return true;
}

static void run_once(const gpu_run *run)
{
    const uint32_t n = run->skin.vertex_count;
    if (run->skin.stage == LMB_GPU_COMPUTE) {
        glDispatchCompute((n + 63) / 64, run->palette_count, 1);
        glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT | GL_SHADER_STORAGE_BARRIER_BIT);
    } else {
        glBeginTransformFeedback(GL_POINTS);
        glDrawArraysInstanced(GL_POINTS, 0, (GLsizei)n, (GLsizei)run->palette_count);
        glEndTransformFeedback();
    }
}

/// [palette_count][vertex_count]; parts that the shader was not asked for are zero, or what it made
/// of zeros.
static inline skinned *run_result(const gpu_run *run)
{
    const lmb_gpu_layout layout = lmb_gpu_describe(&run->skin, 1).output;
    const bool compute = run->skin.stage == LMB_GPU_COMPUTE;
    const size_t count = (size_t)run->skin.vertex_count * run->palette_count;
    skinned *out = subject_memory(count, sizeof(*out));
    glBindBuffer(GL_COPY_READ_BUFFER, run->buffers[RUN_OUTPUT]);
    const uint8_t *from =
        glMapBufferRange(GL_COPY_READ_BUFFER, 0, (GLsizeiptr)run->output_size, GL_MAP_READ_BIT);
    for (size_t i = 0; from != NULL && i < count; ++i) {
        if (!compute) {
            memcpy(&out[i], from + i * sizeof(skinned), sizeof(skinned));
            continue;
        }
        const uint8_t *vertex = from + i * layout.stride;
        memcpy(out[i].position, vertex, sizeof(out[i].position));
        if (run->skin.normals) {
            memcpy(out[i].normal, vertex + 12, sizeof(out[i].normal));
        }
        if (run->skin.tangents) {
            memcpy(out[i].tangent, vertex + 24, sizeof(out[i].tangent));
        }
    }
    glUnmapBuffer(GL_COPY_READ_BUFFER);
    return out;
}

static void run_end(gpu_run *run)
{
    glUseProgram(0);
    glDeleteProgram(run->program);
    glDeleteVertexArrays(1, &run->vao);
    glDeleteBuffers(4, run->buffers);
    glDeleteTextures(2, run->textures);
}

#endif
#endif
