/// OpenGL without a window, for tests and benches: EGL opened at run time, any of its kinds of
/// context, functions by name.
/// Where the headers or the libraries are missing gl_open() says why.
#ifndef TESTS_RENDER_GL_H
#define TESTS_RENDER_GL_H

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__has_include)
#if __has_include(<EGL/egl.h>) && __has_include(<EGL/eglext.h>) && __has_include(<GLES3/gl31.h>)
#define GL_IS_HERE 1
#endif
#endif

#ifdef GL_IS_HERE

#define EGL_NO_PLATFORM_SPECIFIC_TYPES
#include <EGL/egl.h>
#include <EGL/eglext.h>
#define GL_GLES_PROTOTYPES 0
#include <GLES3/gl31.h>

/// The functions that are used, with the types of their pointers.
#define GL_FUNCTIONS(F)                                                \
    F(PFNGLACTIVETEXTUREPROC, glActiveTexture)                         \
    F(PFNGLATTACHSHADERPROC, glAttachShader)                           \
    F(PFNGLBEGINTRANSFORMFEEDBACKPROC, glBeginTransformFeedback)       \
    F(PFNGLBINDBUFFERBASEPROC, glBindBufferBase)                       \
    F(PFNGLBINDBUFFERPROC, glBindBuffer)                               \
    F(PFNGLBINDFRAMEBUFFERPROC, glBindFramebuffer)                     \
    F(PFNGLBINDTEXTUREPROC, glBindTexture)                             \
    F(PFNGLBINDVERTEXARRAYPROC, glBindVertexArray)                     \
    F(PFNGLBUFFERDATAPROC, glBufferData)                               \
    F(PFNGLCOMPILESHADERPROC, glCompileShader)                         \
    F(PFNGLCOPYBUFFERSUBDATAPROC, glCopyBufferSubData)                 \
    F(PFNGLCREATEPROGRAMPROC, glCreateProgram)                         \
    F(PFNGLCREATESHADERPROC, glCreateShader)                           \
    F(PFNGLDELETEBUFFERSPROC, glDeleteBuffers)                         \
    F(PFNGLDELETEPROGRAMPROC, glDeleteProgram)                         \
    F(PFNGLDELETESHADERPROC, glDeleteShader)                           \
    F(PFNGLDELETETEXTURESPROC, glDeleteTextures)                       \
    F(PFNGLDELETEVERTEXARRAYSPROC, glDeleteVertexArrays)               \
    F(PFNGLDISPATCHCOMPUTEPROC, glDispatchCompute)                     \
    F(PFNGLDRAWARRAYSINSTANCEDPROC, glDrawArraysInstanced)             \
    F(PFNGLENABLEPROC, glEnable)                                       \
    F(PFNGLENABLEVERTEXATTRIBARRAYPROC, glEnableVertexAttribArray)     \
    F(PFNGLENDTRANSFORMFEEDBACKPROC, glEndTransformFeedback)           \
    F(PFNGLFINISHPROC, glFinish)                                       \
    F(PFNGLFRAMEBUFFERTEXTURE2DPROC, glFramebufferTexture2D)           \
    F(PFNGLGENBUFFERSPROC, glGenBuffers)                               \
    F(PFNGLGENFRAMEBUFFERSPROC, glGenFramebuffers)                     \
    F(PFNGLGENTEXTURESPROC, glGenTextures)                             \
    F(PFNGLGENVERTEXARRAYSPROC, glGenVertexArrays)                     \
    F(PFNGLGETERRORPROC, glGetError)                                   \
    F(PFNGLGETPROGRAMINFOLOGPROC, glGetProgramInfoLog)                 \
    F(PFNGLGETPROGRAMIVPROC, glGetProgramiv)                           \
    F(PFNGLGETSHADERINFOLOGPROC, glGetShaderInfoLog)                   \
    F(PFNGLGETSHADERIVPROC, glGetShaderiv)                             \
    F(PFNGLGETSTRINGPROC, glGetString)                                 \
    F(PFNGLGETUNIFORMBLOCKINDEXPROC, glGetUniformBlockIndex)           \
    F(PFNGLGETUNIFORMLOCATIONPROC, glGetUniformLocation)               \
    F(PFNGLLINKPROGRAMPROC, glLinkProgram)                             \
    F(PFNGLMAPBUFFERRANGEPROC, glMapBufferRange)                       \
    F(PFNGLMEMORYBARRIERPROC, glMemoryBarrier)                         \
    F(PFNGLSHADERSOURCEPROC, glShaderSource)                           \
    F(PFNGLTEXIMAGE2DPROC, glTexImage2D)                               \
    F(PFNGLTEXPARAMETERIPROC, glTexParameteri)                         \
    F(PFNGLTRANSFORMFEEDBACKVARYINGSPROC, glTransformFeedbackVaryings) \
    F(PFNGLUNIFORM1IPROC, glUniform1i)                                 \
    F(PFNGLUNIFORM4IVPROC, glUniform4iv)                               \
    F(PFNGLUNIFORMBLOCKBINDINGPROC, glUniformBlockBinding)             \
    F(PFNGLUNMAPBUFFERPROC, glUnmapBuffer)                             \
    F(PFNGLUSEPROGRAMPROC, glUseProgram)                               \
    F(PFNGLVERTEXATTRIBIPOINTERPROC, glVertexAttribIPointer)           \
    F(PFNGLVERTEXATTRIBPOINTERPROC, glVertexAttribPointer)

#define GL_DECLARE(type, name) static type name;
GL_FUNCTIONS(GL_DECLARE)

typedef struct gl_kind {
    const char *name;
    bool es;
    int major, minor;
} gl_kind;

static EGLDisplay gl_display = EGL_NO_DISPLAY;
static EGLContext gl_context = EGL_NO_CONTEXT;
static PFNEGLGETPROCADDRESSPROC gl_symbol;
static const char *gl_fault = "";

#define EGL_SYMBOL(type, name) const type name = (type)gl_symbol(#name)

/// Displays that need no window system: the devices in turn, then Mesa's own; -1 is the latter.
static EGLDisplay gl_display_of(int device)
{
    EGL_SYMBOL(PFNEGLGETPLATFORMDISPLAYEXTPROC, eglGetPlatformDisplayEXT);
    EGL_SYMBOL(PFNEGLQUERYDEVICESEXTPROC, eglQueryDevicesEXT);
    if (eglGetPlatformDisplayEXT == NULL) {
        return EGL_NO_DISPLAY;
    }
    if (device < 0) {
        return eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    }
    EGLDeviceEXT devices[16];
    EGLint count = 0;
    if (eglQueryDevicesEXT == NULL || !eglQueryDevicesEXT(16, devices, &count) || device >= count) {
        return EGL_NO_DISPLAY;
    }
    return eglGetPlatformDisplayEXT(EGL_PLATFORM_DEVICE_EXT, devices[device], NULL);
}

static bool gl_start(int device)
{
    void *library = dlopen("libEGL.so.1", RTLD_NOW | RTLD_GLOBAL);
    if (library == NULL) {
        gl_fault = "there is no libEGL.so.1";
        return false;
    }
    void *symbol = dlsym(library, "eglGetProcAddress");
    memcpy(&gl_symbol, &symbol, sizeof(symbol));
    EGL_SYMBOL(PFNEGLINITIALIZEPROC, eglInitialize);
    gl_display = gl_display_of(device);
    if (gl_display == EGL_NO_DISPLAY || !eglInitialize(gl_display, NULL, NULL)) {
        gl_fault = "EGL has no display without a window";
        return false;
    }
    return true;
}

/// Without a window there is no framebuffer, and drawing without one is an error even where nothing
/// is rasterised.
static void gl_make_framebuffer(void)
{
    GLuint color = 0, framebuffer = 0;
    glGenTextures(1, &color);
    glBindTexture(GL_TEXTURE_2D, color);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, 8, 8, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
    glGenFramebuffers(1, &framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, color, 0);
}

static inline void gl_close(void)
{
    EGL_SYMBOL(PFNEGLDESTROYCONTEXTPROC, eglDestroyContext);
    EGL_SYMBOL(PFNEGLMAKECURRENTPROC, eglMakeCurrent);
    eglMakeCurrent(gl_display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    eglDestroyContext(gl_display, gl_context);
}

/// Makes a context of that kind current, until gl_close. `device`: which of EGL's, or -1 for Mesa's
/// surfaceless platform.
static bool gl_open_on(int device, gl_kind kind)
{
    if (gl_display == EGL_NO_DISPLAY && !gl_start(device)) {
        return false;
    }
    EGL_SYMBOL(PFNEGLBINDAPIPROC, eglBindAPI);
    EGL_SYMBOL(PFNEGLCHOOSECONFIGPROC, eglChooseConfig);
    EGL_SYMBOL(PFNEGLCREATECONTEXTPROC, eglCreateContext);
    EGL_SYMBOL(PFNEGLMAKECURRENTPROC, eglMakeCurrent);
    const EGLint config_wanted[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE,
                                    kind.es ? EGL_OPENGL_ES3_BIT : EGL_OPENGL_BIT, EGL_NONE};
    const EGLint wanted[] = {EGL_CONTEXT_MAJOR_VERSION,
                             kind.major,
                             EGL_CONTEXT_MINOR_VERSION,
                             kind.minor,
                             kind.es ? EGL_NONE : EGL_CONTEXT_OPENGL_PROFILE_MASK,
                             EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                             EGL_NONE};
    EGLConfig config = NULL;
    EGLint count = 0;
    eglBindAPI(kind.es ? EGL_OPENGL_ES_API : EGL_OPENGL_API);
    eglChooseConfig(gl_display, config_wanted, &config, 1, &count);
    gl_context = eglCreateContext(gl_display, count > 0 ? config : NULL, EGL_NO_CONTEXT, wanted);
    if (gl_context == EGL_NO_CONTEXT ||
        !eglMakeCurrent(gl_display, EGL_NO_SURFACE, EGL_NO_SURFACE, gl_context)) {
        gl_fault = "EGL makes no such context";
        return false;
    }
#define GL_LOAD(type, name) name = (type)gl_symbol(#name);
    GL_FUNCTIONS(GL_LOAD)
    if (glGetString == NULL) {
        gl_fault = "EGL does not find OpenGL's functions";
        return false;
    }
    gl_make_framebuffer();
    return true;
}

static inline bool gl_open(gl_kind kind)
{
    return gl_open_on(-1, kind);
}

/// Prints what the driver says of a shader or a program.
static void gl_print_log(GLuint object, bool is_program)
{
    char log[4096] = "";
    if (is_program) {
        glGetProgramInfoLog(object, sizeof(log), NULL, log);
    } else {
        glGetShaderInfoLog(object, sizeof(log), NULL, log);
    }
    fprintf(stderr, "%s\n", log);
}

/// A compiled shader of up to two pieces of text; on failure the log goes to stderr and 0 is
/// returned.
static GLuint gl_shader(GLenum stage, const char *text, const char *more)
{
    const char *const texts[] = {text, more};
    const GLuint shader = glCreateShader(stage);
    glShaderSource(shader, more != NULL ? 2 : 1, texts, NULL);
    glCompileShader(shader);
    GLint ok = 0;
    glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
    if (!ok) {
        fprintf(stderr, "%s%s\n", text, more != NULL ? more : "");
        gl_print_log(shader, false);
        glDeleteShader(shader);
        return 0;
    }
    return shader;
}

/// Links and lets go of the shaders; 0 on failure.
static GLuint gl_link(GLuint program, GLuint first, GLuint second)
{
    glAttachShader(program, first);
    if (second != 0) {
        glAttachShader(program, second);
    }
    glLinkProgram(program);
    glDeleteShader(first);
    if (second != 0) {
        glDeleteShader(second);
    }
    GLint ok = 0;
    glGetProgramiv(program, GL_LINK_STATUS, &ok);
    if (!ok) {
        gl_print_log(program, true);
        glDeleteProgram(program);
        return 0;
    }
    return program;
}

static GLuint gl_buffer(GLenum target, size_t size, const void *bytes)
{
    GLuint name = 0;
    glGenBuffers(1, &name);
    glBindBuffer(target, name);
    glBufferData(target, (GLsizeiptr)size, bytes, bytes != NULL ? GL_STATIC_DRAW : GL_STREAM_READ);
    return name;
}

/// A texture of four floats a texel that is only fetched from.
static GLuint gl_texture(GLenum unit, uint32_t width, uint32_t height, const void *texels)
{
    GLuint name = 0;
    glActiveTexture(unit);
    glGenTextures(1, &name);
    glBindTexture(GL_TEXTURE_2D, name);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA32F, (GLsizei)width, (GLsizei)height, 0, GL_RGBA,
                 GL_FLOAT, texels);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    return name;
}

#endif
#endif
