// Skinning on the GPU that EGL gives, beside a copy of as many bytes on the same GPU: positions and
// normals of one large mesh and of a crowd, by the vertex shader (transform feedback) and by the
// compute shader. JSON on stdout. On a machine without a GPU it measures Mesa's software renderer,
// and says so.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "limber/os.h"
#include "render/gpu_run.h"

#ifndef GL_IS_HERE

int main(void)
{
    puts("{\"bench\": \"gpu\", \"runs\": [], \"why\": \"built without the headers of EGL and "
         "OpenGL ES\"}");
    return 0;
}

#else

typedef struct setting {
    const char *shape;
    uint32_t vertices, palettes;
} setting;

typedef void (*work)(void *context);

static void skin_work(void *context)
{
    run_once(context);
}

/// A copy by a compute shader: drivers may leave glCopyBufferSubData to an engine that is far slower
/// than the memory.
static GLuint copy_program(lmb_gpu_language language)
{
    static const char text[] = "layout(local_size_x = 64) in;\n"
                               "layout(std430, binding = 0) readonly buffer a { uvec4 from[]; };\n"
                               "layout(std430, binding = 1) writeonly buffer b { uvec4 to[]; };\n"
                               "void main()\n"
                               "{\n"
                               "    to[gl_GlobalInvocationID.x] = from[gl_GlobalInvocationID.x];\n"
                               "}\n";
    const char *version =
        language == LMB_GPU_GLSL_430 ? "#version 430 core\n" : "#version 310 es\n";
    const GLuint shader = gl_shader(GL_COMPUTE_SHADER, version, text);
    return shader != 0 ? gl_link(glCreateProgram(), shader, 0) : 0;
}

enum { COPY_GROUP = 64 * 16 }; ///< bytes that a work group copies

static void copy_work(void *context)
{
    const GLuint *groups = context;
    glDispatchCompute(*groups, 1, 1);
    glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT);
}

/// Seconds a call: the least of at least three batches that last a twentieth of a second or more,
/// half a second in all.
static double time_work(work call, void *context)
{
    call(context);
    glFinish();
    double best = 1e9, spent = 0;
    int calls = 1;
    for (int batches = 0; batches < 3 || spent < 0.5;) {
        const double begun = lmb_clock_s();
        for (int i = 0; i < calls; ++i) {
            call(context);
        }
        glFinish();
        const double took = lmb_clock_s() - begun;
        if (took < 0.05 && calls < 1 << 16) {
            calls *= 4;
            continue;
        }
        best = fmin(best, took / calls);
        spent += took;
        ++batches;
    }
    return best;
}

static double time_copy(size_t size, lmb_gpu_language language)
{
    GLuint groups = (GLuint)((size + COPY_GROUP - 1) / COPY_GROUP), buffers[2];
    const GLuint program = copy_program(language);
    void *zeros = subject_memory(groups, COPY_GROUP);
    for (GLuint k = 0; k < 2; ++k) {
        buffers[k] = gl_buffer(GL_SHADER_STORAGE_BUFFER, (size_t)groups * COPY_GROUP, zeros);
        glBindBufferBase(GL_SHADER_STORAGE_BUFFER, k, buffers[k]);
    }
    free(zeros);
    glUseProgram(program);
    const double best = time_work(copy_work, &groups);
    glDeleteBuffers(2, buffers);
    glDeleteProgram(program);
    return best;
}

/// What has to be read and written at least: the mesh and the palettes once, every skinned vertex
/// once.
static size_t touched_bytes(const gpu_run *run)
{
    const size_t mesh =
        (size_t)run->skin.vertex_count * lmb_gpu_describe(&run->skin, 1).vertices.stride;
    return mesh + 16 * lmb_gpu_describe(&run->skin, run->palette_count).palettes.used +
           run->output_size;
}

static void measure(const subject *s, const setting *how, lmb_gpu_skin choices)
{
    static const char *const methods[] = {"linear", "dual", "dual_scale"};
    static const char *const places[] = {"uniform", "texture", "storage"};
    static bool is_later;
    gpu_run run;
    if (!run_start(&run, s, choices)) {
        exit(1);
    }
    const double skin_s = time_work(skin_work, &run), bytes = (double)touched_bytes(&run);
    const double copy_s = time_copy((size_t)(bytes / 2), choices.language);
    printf("%s    {\"shape\": \"%s\", \"vertices\": %u, \"instances\": %u, \"stage\": \"%s\", "
           "\"method\": \"%s\", \"palettes\": \"%s\", \"million_vertices_per_s\": %.1f, "
           "\"GB_per_s\": %.2f, \"share_of_copy\": %.3f}",
           is_later ? ",\n" : "", how->shape, how->vertices, how->palettes,
           choices.stage == LMB_GPU_COMPUTE ? "compute" : "vertex", methods[choices.method],
           places[choices.palettes], 1e-6 * how->vertices * how->palettes / skin_s,
           1e-9 * bytes / skin_s, copy_s / skin_s);
    is_later = true;
    run_end(&run);
}

static void measure_setting(const setting *how, lmb_gpu_language language)
{
    subject s = subject_create(how->vertices, 4, 64, 0, how->palettes, RIGID);
    for (int stage = 0; stage < 2; ++stage) {
        for (int method = 0; method < 2; ++method) {
            for (int place = 0; place < 3; ++place) {
                const lmb_gpu_skin choices = {.language = language,
                                              .stage = (lmb_gpu_stage)stage,
                                              .method = (lmb_gpu_method)method,
                                              .palettes = (lmb_gpu_palettes)place,
                                              .normals = true};
                const lmb_gpu_skin skin = subject_skin(&s, choices);
                const size_t block = lmb_gpu_describe(&skin, how->palettes).palettes.allocated;
                if (lmb_gpu_check(&skin, NULL) == LMB_OK &&
                    (place != LMB_GPU_UNIFORM || block <= 1024)) {
                    measure(&s, how, choices);
                }
            }
        }
    }
    subject_destroy(&s);
}

/// The first of EGL's devices that makes a context, Mesa's own display after them.
static bool open_any(gl_kind kind)
{
    for (int device = 0; device < 17; ++device) {
        if (gl_open_on(device < 16 ? device : -1, kind)) {
            return true;
        }
        gl_display = EGL_NO_DISPLAY;
    }
    return false;
}

int main(void)
{
    lmb_gpu_language language = LMB_GPU_GLSL_430;
    if (!open_any((gl_kind){"OpenGL 4.3", false, 4, 3})) {
        language = LMB_GPU_ESSL_310;
        if (!open_any((gl_kind){"OpenGL ES 3.1", true, 3, 1})) {
            printf("{\"bench\": \"gpu\", \"runs\": [], \"why\": \"%s\"}\n", gl_fault);
            return 0;
        }
    }
    printf("{\n  \"bench\": \"gpu\", \"build\": \"%s\",\n  \"renderer\": \"%s\", \"version\": "
           "\"%s\",\n"
           "  \"runs\": [\n",
           LMBI_BUILD, (const char *)glGetString(GL_RENDERER),
           (const char *)glGetString(GL_VERSION));
    static const setting settings[] = {{"mesh", 1000000, 1}, {"crowd", 10000, 100}};
    for (int i = 0; i < 2; ++i) {
        measure_setting(&settings[i], language);
    }
    puts("\n  ]\n}");
    return 0;
}

#endif
