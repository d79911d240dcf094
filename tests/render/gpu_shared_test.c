// Skinned characters from many programs through the GPU, in a random pose, against the CPU. They
// are not part of the repository: skipped where LIMBER_SHARED does not lead to them.
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "limber/io.h"
#include "limber/os.h"
#include "render/gpu_run.h"

#ifndef GL_IS_HERE

int main(void)
{
    puts("built without the headers of EGL and OpenGL ES");
    return 77;
}

#else

static char folder[1024];
static int compared;

static lmb_character *read_character(const char *name)
{
    char path[1400];
    lmb_file file;
    lmb_character *character = NULL;
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    if (lmb_file_read(path, 0, &file, NULL) == LMB_OK) {
        lmb_gltf_read(file.data, file.size, NULL, NULL, &character, NULL);
        lmb_file_free(&file);
    }
    return character;
}

static void random_pose(const lmb_skeleton *skeleton, lmb_mat4 *model_from_joint)
{
    lmb_random random = lmb_random_seed(3);
    lmb_transform *local = subject_memory(skeleton->joint_count, sizeof(*local));
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        const lmb_vec3 axis =
            lmb_vec3_normalize_or(subject_vec3(&random, 1), lmb_vec3_make(1, 0, 0));
        const lmb_quat rotated = lmb_quat_axis_angle(axis, lmb_random_range(&random, -0.6f, 0.6f));
        local[j] = skeleton->rest[j];
        local[j].rotation = lmb_quat_mul(local[j].rotation, rotated);
    }
    lmb_pose_to_model(&(lmb_pose_to_model_job){
        .skeleton = skeleton, .local = local, .model_from_joint = model_from_joint});
    free(local);
}

/// The diagonal is the posed body's: bind space may have other units than the scene.
static float posed_diagonal(const skinned *vertices, uint32_t count)
{
    lmb_box box = lmb_box_empty();
    for (uint32_t v = 0; v < count; ++v) {
        const float *p = vertices[v].position;
        box = lmb_box_add(box, lmb_vec3_make(p[0], p[1], p[2]));
    }
    return lmb_vec3_distance(box.low, box.high);
}

static void compare(const char *name, const subject *s, lmb_gpu_method method)
{
    const lmb_gpu_skin choices = {.language = LMB_GPU_ESSL_300,
                                  .method = method,
                                  .palettes = LMB_GPU_TEXTURE,
                                  .influences = 8,
                                  .wide_joints = true,
                                  .normals = s->mesh->normals != NULL,
                                  .morphs = s->mesh->target_count > 0};
    const lmb_gpu_skin skin = subject_skin(s, choices);
    uint8_t *packed = subject_memory(skin.vertex_count, lmb_gpu_describe(&skin, 1).vertices.stride);
    const float lost = lmb_gpu_vertices(&skin, s->mesh, packed);
    free(packed);
    gpu_run run;
    if (lost > 1e-4f) { // more than eight influences, which shaders do not have
        return;
    }
    assert_true(run_start(&run, s, choices));
    run_once(&run);
    skinned *got = run_result(&run), *want = subject_answer(s, method, choices.morphs);
    const float allowed = 1e-4f * posed_diagonal(want, skin.vertex_count);
    for (uint32_t v = 0; v < skin.vertex_count; ++v) {
        for (int k = 0; k < 3; ++k) {
            const float off = got[v].position[k] - want[v].position[k];
            if (!(fabsf(off) <= allowed)) {
                fail_msg("%s: vertex %u is off by %g of %g", name, v, (double)off, (double)allowed);
            }
        }
    }
    assert_int_equal(glGetError(), GL_NO_ERROR);
    ++compared;
    free(got);
    free(want);
    run_end(&run);
}

static void compare_instance(const char *name, const lmb_character *character,
                             const lmb_instance *instance, const lmb_mat4 *model_from_joint)
{
    const lmb_skin *skin = character->skins[instance->skin];
    subject s = {.mesh = character->meshes[instance->mesh],
                 .joint_count = skin->joint_count,
                 .palette_count = 1};
    if (s.mesh->influences.first == NULL || s.mesh->vertex_count > 20000) {
        return;
    }
    s.palettes = subject_memory(skin->joint_count, sizeof(*s.palettes));
    s.origins = subject_memory(skin->joint_count, sizeof(*s.origins));
    s.morph_weights = subject_memory(s.mesh->target_count, sizeof(float));
    for (uint32_t t = 0; t < s.mesh->target_count; ++t) {
        s.morph_weights[t] = t % 3 == 0 ? 0.4f : 0;
    }
    lmb_skin_palette(skin, model_from_joint, s.palettes);
    lmb_skin_origins(skin, s.origins);
    compare(name, &s, LMB_GPU_LINEAR);
    compare(name, &s, LMB_GPU_DUAL_SCALE);
    free(s.palettes);
    free(s.origins);
    free(s.morph_weights);
}

static void compare_file(const char *name)
{
    lmb_character *character = read_character(name);
    if (character == NULL) {
        return;
    }
    lmb_mat4 *model = subject_memory(character->skeleton->joint_count, sizeof(*model));
    random_pose(character->skeleton, model);
    for (uint32_t i = 0; i < character->instance_count; ++i) {
        if (character->instances[i].skin != LMB_NONE) {
            compare_instance(name, character, &character->instances[i], model);
        }
    }
    free(model);
    lmb_character_destroy(character);
}

static void characters_of_others(void **state)
{
    (void)state;
    DIR *dir = opendir(folder);
    assert_non_null(dir);
    for (const struct dirent *entry = readdir(dir); entry != NULL; entry = readdir(dir)) {
        const size_t length = strlen(entry->d_name);
        if (length > 4 && strcmp(entry->d_name + length - 4, ".glb") == 0) {
            compare_file(entry->d_name);
        }
    }
    closedir(dir);
    assert_true(compared > 0);
}

int main(void)
{
    const char *shared = getenv("LIMBER_SHARED");
    snprintf(folder, sizeof(folder), "%s/data/rigged/gltf", shared != NULL ? shared : "");
    DIR *dir = opendir(folder);
    if (dir == NULL) {
        puts("no characters of others here");
        return 77;
    }
    closedir(dir);
    setenv("GALLIVM_PERF", "nopt", 0);
    if (!gl_open((gl_kind){"OpenGL ES 3.0", true, 3, 0})) {
        printf("no OpenGL: %s\n", gl_fault);
        return 77;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(characters_of_others)};
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    printf("%d comparisons\n", compared);
    return failed;
}

#endif
