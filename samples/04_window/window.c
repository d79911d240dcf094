// Opens a window in which the first skinned mesh of a file plays its first clip.
//     build/samples/04_window out/walking.glb [--frames N]
// play_frame is what a renderer of your own calls every frame; draw hands the vertices to OpenGL 1.1, the shortest there is.
// --frames ends after so many frames and says what the last one looks like.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gl.h"
#include "limber/limber.h"
#include "limber/os.h"

typedef struct actor {
    const lmb_character *character;
    const lmb_mesh *mesh;
    const lmb_skin *skin;
    lmb_binding *binding;
    lmb_transform *pose;
    lmb_mat4 *model_from_joint, *model_from_bind;
    lmb_vec3 *positions, *normals;
} actor;

static void play_frame(actor *a, double time_s)
{
    const lmb_skeleton *skeleton = a->character->skeleton;
    lmb_sample(&(lmb_sample_job){.clip = a->character->clips[0],
                                 .time_s = time_s,
                                 .mode = LMB_PLAY_LOOP,
                                 .joint_count = skeleton->joint_count,
                                 .rest = skeleton->rest,
                                 .pose = a->pose});
    lmb_pose_to_model(&(lmb_pose_to_model_job){
        .skeleton = skeleton, .local = a->pose, .model_from_joint = a->model_from_joint});
    lmb_skin_palette(a->skin, a->model_from_joint, a->model_from_bind);
    lmb_skin_linear(&(lmb_skin_job){.binding = a->binding,
                                    .model_from_bind = a->model_from_bind,
                                    .out_positions = a->positions,
                                    .out_normals = a->normals});
}

static bool actor_start(actor *a, const lmb_character *character)
{
    for (uint32_t i = 0; i < character->instance_count && a->skin == NULL; ++i) {
        if (character->instances[i].skin != LMB_NONE) {
            a->mesh = character->meshes[character->instances[i].mesh];
            a->skin = character->skins[character->instances[i].skin];
        }
    }
    if (a->skin == NULL || character->clip_count == 0 || a->mesh->normals == NULL) {
        fprintf(stderr, "expected a skinned mesh with normals, and a clip\n");
        return false;
    }
    a->character = character;
    a->pose = calloc(character->skeleton->joint_count, sizeof(*a->pose));
    a->model_from_joint = calloc(character->skeleton->joint_count, sizeof(*a->model_from_joint));
    a->model_from_bind = calloc(a->skin->joint_count, sizeof(*a->model_from_bind));
    a->positions = calloc(a->mesh->vertex_count, sizeof(*a->positions));
    a->normals = calloc(a->mesh->vertex_count, sizeof(*a->normals));
    return lmb_binding_create(a->mesh, a->skin->joint_count, NULL, &a->binding, NULL) == LMB_OK;
}

/// A camera 3.5 heights in front of the character, at the height of its middle.
static void place_camera(GLFWwindow *window, float height)
{
    int width = 0, rows = 0;
    glfwGetFramebufferSize(window, &width, &rows);
    glViewport(0, 0, width, rows);
    glMatrixMode(GL_PROJECTION);
    glLoadIdentity();
    const double half = 0.2 * (double)height,
                 aspect = (double)width / (double)(rows > 0 ? rows : 1);
    glFrustum(-half * aspect, half * aspect, -half, half, (double)height, 10.0 * (double)height);
    glMatrixMode(GL_MODELVIEW);
    glLoadIdentity();
    glLightfv(GL_LIGHT0, GL_POSITION, (const float[]){0.3f, 0.6f, 1, 0}); // from over the camera
    glTranslatef(0, -0.5f * height, -3.5f * height);
    glRotatef(30, 0, 1, 0);
}

static void draw(const actor *a)
{
    static const float color[] = {0.85f, 0.6f, 0.4f, 1};
    glClearColor(0.9f, 0.92f, 0.95f, 1);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    glEnable(GL_DEPTH_TEST);
    glEnable(GL_LIGHTING);
    glEnable(GL_LIGHT0);
    glEnable(GL_NORMALIZE);
    glMaterialfv(GL_FRONT_AND_BACK, GL_AMBIENT_AND_DIFFUSE, color);
    glEnableClientState(GL_VERTEX_ARRAY);
    glEnableClientState(GL_NORMAL_ARRAY);
    glVertexPointer(3, GL_FLOAT, sizeof(lmb_vec3), a->positions);
    glNormalPointer(GL_FLOAT, sizeof(lmb_vec3), a->normals);
    glDrawElements(GL_TRIANGLES, (int)a->mesh->index_count, GL_UNSIGNED_INT, a->mesh->indices);
}

static void run(actor *a, GLFWwindow *window, long frames)
{
    glfwMakeContextCurrent(window);
    glfwSwapInterval(1);
    play_frame(a, 0);
    const lmb_box rest = lmb_box_of(a->positions, a->mesh->vertex_count);
    for (long frame = 0; !glfwWindowShouldClose(window) && (frames == 0 || frame < frames);
         ++frame) {
        play_frame(a, frames == 0 ? glfwGetTime() : (double)frame / 60.0);
        place_camera(window, rest.high.y - rest.low.y);
        draw(a);
        if (frame + 1 == frames) {
            unsigned char pixel[4];
            int width = 0, rows = 0;
            glfwGetFramebufferSize(window, &width, &rows);
            glReadPixels(width / 2, rows / 2, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
            printf("middle pixel %u %u %u\n", pixel[0], pixel[1], pixel[2]);
        }
        glfwSwapBuffers(window);
        glfwPollEvents();
    }
}

int main(int argc, char **argv)
{
    lmb_file file;
    lmb_error error;
    lmb_character *character = NULL;
    if (argc < 2 || lmb_file_read(argv[1], 0, &file, &error) ||
        lmb_gltf_read(file.data, file.size, NULL, NULL, &character, &error)) {
        fprintf(stderr, "usage: 04_window CHARACTER.glb%s%s\n", argc < 2 ? "" : ": ",
                argc < 2 ? "" : error.found);
        return 1;
    }
    actor a = {0};
    GLFWwindow *window = NULL;
    if (!actor_start(&a, character) || !glfwInit() ||
        (window = glfwCreateWindow(640, 640, "Limber", NULL, NULL)) == NULL) {
        fprintf(stderr, "no character to play, or no window\n");
        return 1;
    }
    run(&a, window, argc > 3 && strcmp(argv[2], "--frames") == 0 ? strtol(argv[3], NULL, 10) : 0);
    glfwTerminate();
    return 0;
}
