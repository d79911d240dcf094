// Reads a character, plays its first clip at 30 frames a second and says where the highest vertex
// goes.
//     build/samples/01_read_and_pose tests/cli/arm.gltf
// What a game does every frame is in play_frame: no allocation, no hidden state.
#include <stdio.h>
#include <stdlib.h>

#include "limber/limber.h"
#include "limber/os.h"

/// Memory for one character on the stage. The library's jobs own nothing: these arrays are ours.
typedef struct actor {
    const lmb_character *character;
    const lmb_mesh *mesh;
    const lmb_skin *skin;
    lmb_binding *binding;       // the mesh's skin weights, compiled once
    lmb_transform *pose;        // parent_from_joint, one a joint
    lmb_mat4 *model_from_joint; // one a joint
    lmb_mat4 *model_from_bind;  // the skinning matrices, one a joint of the skin
    lmb_vec3 *vertices;         // the deformed mesh
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
                                    .positions = a->mesh->positions,
                                    .out_positions = a->vertices});
}

static bool actor_start(actor *a, const lmb_character *character)
{
    for (uint32_t i = 0; i < character->instance_count && a->skin == NULL; ++i) {
        if (character->instances[i].skin != LMB_NONE) {
            a->mesh = character->meshes[character->instances[i].mesh];
            a->skin = character->skins[character->instances[i].skin];
        }
    }
    if (a->skin == NULL || character->clip_count == 0) {
        fprintf(stderr, "the file has no skinned mesh or no clip\n");
        return false;
    }
    a->character = character;
    a->pose = calloc(character->skeleton->joint_count, sizeof(*a->pose));
    a->model_from_joint = calloc(character->skeleton->joint_count, sizeof(*a->model_from_joint));
    a->model_from_bind = calloc(a->skin->joint_count, sizeof(*a->model_from_bind));
    a->vertices = calloc(a->mesh->vertex_count, sizeof(*a->vertices));
    return a->pose && a->model_from_joint && a->model_from_bind && a->vertices &&
           lmb_binding_create(a->mesh, a->skin->joint_count, NULL, &a->binding, NULL) == LMB_OK;
}

static void actor_end(actor *a)
{
    lmb_binding_destroy(a->binding);
    free(a->pose);
    free(a->model_from_joint);
    free(a->model_from_bind);
    free(a->vertices);
}

static void play(actor *a)
{
    const double duration_s = (double)lmb_clip_duration_s(a->character->clips[0]);
    for (int frame = 0; frame < 30 * duration_s; ++frame) {
        play_frame(a, frame / 30.0);
        const lmb_box box = lmb_box_of(a->vertices, a->mesh->vertex_count);
        printf("%.3f s: y from %.4f to %.4f\n", frame / 30.0, (double)box.low.y,
               (double)box.high.y);
    }
}

int main(int argc, char **argv)
{
    lmb_file file;
    lmb_error error;
    lmb_character *character = NULL;
    if (argc != 2) {
        fprintf(stderr, "usage: 01_read_and_pose CHARACTER.glb\n");
        return 2;
    }
    if (lmb_file_read(argv[1], 0, &file, &error) != LMB_OK) {
        fprintf(stderr, "%s: %s\n", argv[1], error.found);
        return 1;
    }
    const lmb_result read = lmb_gltf_read(file.data, file.size, NULL, NULL, &character, &error);
    lmb_file_free(&file);
    if (read != LMB_OK) {
        fprintf(stderr, "%s: expected %s, found %s\n", argv[1], error.expected, error.found);
        return 1;
    }
    actor a = {0};
    const bool started = actor_start(&a, character);
    if (started) {
        play(&a);
    }
    actor_end(&a);
    lmb_character_destroy(character);
    return started ? 0 : 1;
}
