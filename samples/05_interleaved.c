// Plays a skinned character into a vertex buffer as a renderer wants it: position, normal, colour
// and UV of a vertex side by side, the skin writing only what moves. The mesh at rest is in the
// binding, so a frame has no other input than the pose.
//     build/samples/05_interleaved person.glb
#include <stdio.h>
#include <stdlib.h>

#include "limber/limber.h"
#include "limber/os.h"

// What a glBufferData or a mapped buffer would take. The skin writes position and normal of each;
// the rest stays.
typedef struct vertex {
    lmb_vec3 position;
    lmb_vec3 normal;
    lmb_vec2 uv;
    uint8_t color[4];
} vertex;

typedef struct stage {
    const lmb_character *character;
    const lmb_mesh *mesh;
    const lmb_skin *skin;
    lmb_binding *binding;
    lmb_transform *pose;
    lmb_mat4 *model_from_joint, *model_from_bind;
    vertex *buffer;
} stage;

static void find_skinned_mesh(stage *s)
{
    for (uint32_t i = 0; i < s->character->instance_count && s->skin == NULL; ++i) {
        const lmb_instance *instance = &s->character->instances[i];
        if (instance->skin != LMB_NONE &&
            s->character->meshes[instance->mesh]->influences.first != NULL) {
            s->mesh = s->character->meshes[instance->mesh];
            s->skin = s->character->skins[instance->skin];
        }
    }
}

static bool stage_start(stage *s)
{
    find_skinned_mesh(s);
    if (s->skin == NULL || s->character->clip_count == 0) {
        fprintf(stderr, "the file has no skinned mesh or no clip\n");
        return false;
    }
    s->pose = calloc(s->character->skeleton->joint_count, sizeof(*s->pose));
    s->model_from_joint = calloc(s->character->skeleton->joint_count, sizeof(*s->model_from_joint));
    s->model_from_bind = calloc(s->skin->joint_count, sizeof(*s->model_from_bind));
    s->buffer = calloc(s->mesh->vertex_count, sizeof(*s->buffer));
    if (!s->pose || !s->model_from_joint || !s->model_from_bind || !s->buffer ||
        lmb_binding_create(s->mesh, s->skin->joint_count, NULL, &s->binding, NULL) != LMB_OK) {
        fprintf(stderr, "out of memory\n");
        return false;
    }
    // Once: what does not move.
    for (uint32_t v = 0; v < s->mesh->vertex_count; ++v) {
        s->buffer[v].uv = s->mesh->uvs[0] != NULL ? s->mesh->uvs[0][v] : (lmb_vec2){0, 0};
        s->buffer[v].color[3] = 255;
    }
    return true;
}

static void stage_end(stage *s)
{
    lmb_binding_destroy(s->binding);
    free(s->pose);
    free(s->model_from_joint);
    free(s->model_from_bind);
    free(s->buffer);
}

static void play_frame(stage *s, double time_s, const lmb_jobs *jobs)
{
    const lmb_skeleton *skeleton = s->character->skeleton;
    lmb_sample(&(lmb_sample_job){.clip = s->character->clips[0],
                                 .time_s = time_s,
                                 .mode = LMB_PLAY_LOOP,
                                 .joint_count = skeleton->joint_count,
                                 .rest = skeleton->rest,
                                 .pose = s->pose});
    lmb_pose_to_model(&(lmb_pose_to_model_job){
        .skeleton = skeleton, .local = s->pose, .model_from_joint = s->model_from_joint});
    lmb_skin_palette(s->skin, s->model_from_joint, s->model_from_bind);
    lmb_skin_linear(&(lmb_skin_job){.binding = s->binding,
                                    .model_from_bind = s->model_from_bind,
                                    .out_positions = &s->buffer[0].position,
                                    .position_stride = sizeof(vertex),
                                    .out_normals = &s->buffer[0].normal,
                                    .normal_stride = sizeof(vertex),
                                    .jobs = jobs});
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s CHARACTER.glb\n", argv[0]);
        return 2;
    }
    lmb_file file;
    lmb_error error;
    lmb_character *character = NULL;
    if (lmb_file_read(argv[1], 0, &file, &error) != LMB_OK) {
        fprintf(stderr, "%s: %s\n", argv[1], error.found);
        return 1;
    }
    if (lmb_gltf_read(file.data, file.size, NULL, NULL, &character, &error) != LMB_OK) {
        fprintf(stderr, "%s: expected %s, found %s\n", argv[1], error.expected, error.found);
        lmb_file_free(&file);
        return 1;
    }
    stage s = {.character = character};
    const bool ready = stage_start(&s);
    for (int frame = 0; ready && frame < 10; ++frame) {
        play_frame(&s, frame / 10.0, NULL);
        const vertex *last = &s.buffer[s.mesh->vertex_count - 1];
        printf("%.1f s: %u vertices of %zu bytes with %s, the last at %.4f %.4f %.4f\n",
               frame / 10.0, s.mesh->vertex_count, sizeof(vertex), lmb_simd_name(lmb_simd_best()),
               (double)last->position.x, (double)last->position.y, (double)last->position.z);
    }
    stage_end(&s);
    lmb_character_destroy(character);
    lmb_file_free(&file);
    return ready ? 0 : 1;
}
