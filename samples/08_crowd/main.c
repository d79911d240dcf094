// A crowd that is skinned on the GPU, in a window.
//     build/limber animate out/person.glb walk --in-place -o out/walking.glb
//     build/samples/08_crowd out/walking.glb --count 900
// With --out it draws --frames frames in a hidden window, writes the last as a PNG and ends.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// GLFW would include an older OpenGL of its own.
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <png.h>

#include "bake.h"
#include "crowd.h"
#include "limber/os.h"

enum { WIDTH = 1280, HEIGHT = 720 };

typedef struct options {
    const char *character, *out;
    uint32_t count, frames;
    bool dual;
} options;

static bool read_options(int argc, char **argv, options *o)
{
    *o = (options){.count = 400, .frames = 60};
    for (int i = 1; i < argc; ++i) {
        const bool more = i + 1 < argc;
        if (strcmp(argv[i], "--dual") == 0) {
            o->dual = true;
        } else if (more && strcmp(argv[i], "--count") == 0) {
            o->count = (uint32_t)strtoul(argv[++i], NULL, 10);
        } else if (more && strcmp(argv[i], "--frames") == 0) {
            o->frames = (uint32_t)strtoul(argv[++i], NULL, 10);
        } else if (more && strcmp(argv[i], "--out") == 0) {
            o->out = argv[++i];
        } else if (argv[i][0] != '-' && o->character == NULL) {
            o->character = argv[i];
        } else {
            return false;
        }
    }
    return o->character != NULL && o->count > 0 && o->count <= 1000000 && o->frames > 0;
}

static lmb_character *read_character(const char *path)
{
    lmb_file file;
    lmb_error error;
    lmb_character *character = NULL;
    if (lmb_file_read(path, 0, &file, &error) != LMB_OK) {
        fprintf(stderr, "%s: %s\n", path, error.found);
        return NULL;
    }
    if (lmb_gltf_read(file.data, file.size, NULL, NULL, &character, &error) != LMB_OK) {
        fprintf(stderr, "%s: expected %s, found %s\n", path, error.expected, error.found);
    }
    lmb_file_free(&file);
    return character;
}

/// Looks from the eye down by `pitch` along -Z.
static lmb_mat4 camera(lmb_vec3 eye, float pitch_rad, float aspect)
{
    const float near = 0.1f, far = 300, height = 1 / lmb_tan(0.35f);
    const lmb_mat4 projection = {{height / aspect, 0, 0, 0, 0, height, 0, 0, 0, 0,
                                  (far + near) / (near - far), -1, 0, 0,
                                  2 * far * near / (near - far), 0}};
    lmb_transform world_from_eye = {eye, {0, 0, 0, 1}, {1, 1, 1}};
    world_from_eye.rotation = lmb_quat_axis_angle(lmb_vec3_make(1, 0, 0), -pitch_rad);
    lmb_mat4 eye_from_world;
    lmb_mat4_inverse_affine(lmb_mat4_from_transform(world_from_eye), &eye_from_world);
    return lmb_mat4_mul(projection, eye_from_world);
}

static bool write_picture(const char *path, int width, int height)
{
    uint8_t *pixels = calloc((size_t)width * (size_t)height, 3);
    png_image image = {.version = PNG_IMAGE_VERSION, .format = PNG_FORMAT_RGB};
    image.width = (png_uint_32)width;
    image.height = (png_uint_32)height;
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, width, height, GL_RGB, GL_UNSIGNED_BYTE, pixels);
    // OpenGL's first row is the lowest: the rows are given from the last on.
    const bool written =
        pixels != NULL && png_image_write_to_file(&image, path, 0, pixels, -3 * width, NULL);
    free(pixels);
    return written;
}

static int run(GLFWwindow *window, const options *o, const lmb_character *character)
{
    crowd c;
    const lmb_vec3 eye = {0, 4.5f, 6};
    if (!crowd_start(&c, character, o->count, o->dual)) {
        return 1;
    }
    const double begun = glfwGetTime();
    for (uint32_t drawn = 1; !glfwWindowShouldClose(window); ++drawn) {
        int width, height;
        glfwGetFramebufferSize(window, &width, &height);
        glViewport(0, 0, width, height);
        const uint32_t frame = o->out ? drawn : (uint32_t)((glfwGetTime() - begun) * BAKE_RATE_HZ);
        const float aspect = (float)width / (float)(height > 0 ? height : 1);
        crowd_draw(&c, camera(eye, 0.35f, aspect), eye, frame);
        if (o->out != NULL && drawn == o->frames) {
            printf("%u frames, %.1f ms each\n", drawn, 1e3 * (glfwGetTime() - begun) / drawn);
            return write_picture(o->out, width, height) ? 0 : 1;
        }
        glfwSwapBuffers(window);
        glfwPollEvents();
    }
    return 0;
}

int main(int argc, char **argv)
{
    options o;
    if (!read_options(argc, argv, &o)) {
        fprintf(stderr, "usage: 08_crowd CHARACTER.glb [--count N] [--dual] [--frames N] [--out "
                        "PICTURE.png]\n");
        return 2;
    }
    lmb_character *character = read_character(o.character);
    if (character == NULL || !glfwInit()) {
        fprintf(stderr, "%s\n", character ? "no display" : "no character");
        return 1;
    }
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_SAMPLES, 4);
    glfwWindowHint(GLFW_VISIBLE, o.out == NULL);
    GLFWwindow *window = glfwCreateWindow(WIDTH, HEIGHT, "Limber: a crowd", NULL, NULL);
    if (window != NULL) {
        glfwMakeContextCurrent(window);
    }
    const int code = window != NULL ? run(window, &o, character) : 1;
    glfwTerminate();
    lmb_character_destroy(character);
    return code;
}
