// Skinning on the GPU against the CPU, on every kind of OpenGL context that skinning shaders are
// written for. Runs headless, on Mesa's software renderer where there is no GPU; skipped where
// there is no OpenGL at all.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "asset/asset.h"
#include "bodies/bodies.h"
#include "limber/procedural.h"
#include "render/gpu_run.h"

#ifndef GL_IS_HERE

int main(void)
{
    puts("built without the headers of EGL and OpenGL ES");
    return 77;
}

#else

typedef struct context {
    gl_kind kind;
    lmb_gpu_language language;
    bool compute, storage;
} context;

/// The last two are one of vertex shaders and one of compute shaders, for the tests that do not
/// need all.
static const context contexts[] = {
    {{"OpenGL 3.3", false, 3, 3}, LMB_GPU_GLSL_330, false, false},
    {{"OpenGL 4.3", false, 4, 3}, LMB_GPU_GLSL_430, true, true},
    {{"OpenGL ES 3.0", true, 3, 0}, LMB_GPU_ESSL_300, false, false},
    {{"OpenGL ES 3.1", true, 3, 1}, LMB_GPU_ESSL_310, true, false},
};

static bool is_near(const float *got, const float *want, int count, float tolerance)
{
    for (int i = 0; i < count; ++i) {
        if (!(fabsf(got[i] - want[i]) <= tolerance)) {
            return false;
        }
    }
    return true;
}

static void say_choices(const char *name, const lmb_gpu_skin *skin)
{
    print_error("%s: stage %d method %d palettes %d influences %u weights %d wide %d normals %d "
                "tangents %d morphs %d\n",
                name, skin->stage, skin->method, skin->palettes, skin->influences, skin->weights,
                skin->wide_joints, skin->normals, skin->tangents, skin->morphs);
}

/// Positions within 1e-5 of the diagonal, ten times nearer than is promised; directions within
/// 1e-4.
static void compare(const char *name, const subject *s, const lmb_gpu_skin *skin,
                    const skinned *got, const skinned *want)
{
    const size_t count = (size_t)s->mesh->vertex_count * s->palette_count;
    for (size_t i = 0; i < count; ++i) {
        const bool same = is_near(got[i].position, want[i].position, 3, 1e-5f * s->diagonal) &&
                          (!skin->normals || is_near(got[i].normal, want[i].normal, 3, 1e-4f)) &&
                          (!skin->tangents || is_near(got[i].tangent, want[i].tangent, 4, 1e-4f));
        if (!same) {
            say_choices(name, skin);
            print_error("vertex %zu of palette %zu\n", i % s->mesh->vertex_count,
                        i / s->mesh->vertex_count);
            const float *a = got[i].position, *b = want[i].position;
            for (int k = 0; k < 10; ++k) {
                print_error("  %.7g for %.7g\n", (double)a[k], (double)b[k]);
            }
            fail();
        }
    }
}

static void check(const char *name, const subject *s, lmb_gpu_skin choices, const skinned *want)
{
    const lmb_gpu_skin skin = subject_skin(s, choices);
    lmb_error error = {0};
    if (lmb_gpu_check(&skin, &error) != LMB_OK) {
        fail_msg("expected %s, found %s", error.expected, error.found);
    }
    gpu_run run;
    if (!run_start(&run, s, choices)) {
        say_choices(name, &choices);
        fail();
    }
    run_once(&run);
    skinned *got = run_result(&run);
    assert_int_equal(glGetError(), GL_NO_ERROR);
    compare(name, s, &run.skin, got, want);
    free(got);
    run_end(&run);
}

static lmb_gpu_skin everything(lmb_gpu_language language, lmb_gpu_method method)
{
    return (lmb_gpu_skin){.language = language,
                          .method = method,
                          .weights = LMB_GPU_FLOAT32,
                          .normals = true,
                          .tangents = true};
}

/// Every kind of palette storage that the context has, for a crowd of four with morphs; in the vertex
/// shader too where the language is the oldest that has it.
static void methods_on(const context *c, const void *user)
{
    (void)user;
    static const subject_motion motions[] = {RIGID, RIGID, STRETCHED};
    for (int method = LMB_GPU_LINEAR; method <= LMB_GPU_DUAL_SCALE; ++method) {
        subject s = subject_create(300, 4, 40, 5, 4, motions[method]);
        skinned *want = subject_answer(&s, (lmb_gpu_method)method, true);
        lmb_gpu_skin choices = everything(c->language, (lmb_gpu_method)method);
        choices.morphs = true;
        for (int palettes = LMB_GPU_UNIFORM; palettes <= LMB_GPU_STORAGE; ++palettes) {
            choices.palettes = (lmb_gpu_palettes)palettes;
            choices.stage = LMB_GPU_VERTEX;
            if (palettes == LMB_GPU_STORAGE ? c->storage : !c->compute) {
                check(c->kind.name, &s, choices, want);
            }
            choices.stage = LMB_GPU_COMPUTE;
            if (c->compute) {
                check(c->kind.name, &s, choices, want);
            }
        }
        free(want);
        subject_destroy(&s);
    }
}

/// Rows of 1 to 8 influences, without morphs, with and without directions.
static void influences_on(const context *c, const void *user)
{
    (void)user;
    static const uint32_t all[] = {1, 2, 3, 5, 8};
    for (int i = 0; i < 5; ++i) {
        const uint32_t influences = all[i];
        subject s = subject_create(200, influences, 300, 0, 2, RIGID);
        const bool dual = influences == 2 || influences == 5;
        lmb_gpu_skin choices = {.language = c->language,
                                .method = dual ? LMB_GPU_DUAL : LMB_GPU_LINEAR,
                                .palettes = LMB_GPU_TEXTURE,
                                .stage = c->compute ? LMB_GPU_COMPUTE : LMB_GPU_VERTEX,
                                .influences = influences,
                                .weights = LMB_GPU_FLOAT32,
                                .wide_joints = true,
                                .normals = influences > 2,
                                .tangents = influences > 5,
                                .vertex_stride = influences == 3 ? 80 : 0,
                                .output_stride = influences == 3 ? 48 : 0};
        skinned *want = subject_answer(&s, choices.method, false);
        check(c->kind.name, &s, choices, want);
        free(want);
        subject_destroy(&s);
    }
}

/// The rows as the GPU has them: what rounding did to the weights is no matter of the shaders.
static void round_weights(subject *s, const lmb_gpu_skin *skin)
{
    const lmb_gpu_layout layout = lmb_gpu_describe(skin, 1).vertices;
    const uint32_t n = s->mesh->vertex_count;
    uint8_t *packed = subject_memory(n, layout.stride);
    lmb_gpu_vertices(skin, s->mesh, packed);
    const lmb_influences *rows = &s->mesh->influences;
    for (uint32_t v = 0; v < n; ++v) {
        const uint32_t size = rows->first[v + 1] - rows->first[v];
        for (uint32_t k = 0; k < size; ++k) {
            const uint32_t which = k < 4 ? 4 : 6, bytes = skin->weights == LMB_GPU_UNORM8 ? 1 : 2;
            uint32_t offset = 0;
            for (uint32_t a = 0; a < layout.attribute_count; ++a) {
                offset =
                    layout.attributes[a].location == which ? layout.attributes[a].offset : offset;
            }
            const uint8_t *at = packed + (size_t)v * layout.stride + offset + k % 4 * bytes;
            rows->items[rows->first[v] + k].weight =
                bytes == 1 ? (float)at[0] / 255.0f : (float)(at[0] + 256 * at[1]) / 65535.0f;
        }
    }
    free(packed);
}

static void weights_on(const context *c, const void *user)
{
    (void)user;
    for (int i = 0; i < 4; ++i) {
        subject s = subject_create(200, 6, 200, 0, 1, RIGID);
        const lmb_gpu_skin choices = {.language = c->language,
                                      .palettes = LMB_GPU_UNIFORM,
                                      .stage = c->compute ? LMB_GPU_COMPUTE : LMB_GPU_VERTEX,
                                      .influences = 6,
                                      .weights = i % 2 ? LMB_GPU_UNORM8 : LMB_GPU_UNORM16,
                                      .wide_joints = i > 1};
        const lmb_gpu_skin skin = subject_skin(&s, choices);
        round_weights(&s, &skin);
        skinned *want = subject_answer(&s, LMB_GPU_LINEAR, false);
        check(c->kind.name, &s, choices, want);
        free(want);
        subject_destroy(&s);
    }
}

/// A made body in two random poses; `scale` is each joint's, `mirror` the whole's.
static subject body_subject(const lmb_made_body *body, lmb_vec3 scale, bool mirror)
{
    const lmb_character *character = body->character;
    const lmb_skeleton *skeleton = character->skeleton;
    const lmb_skin *skin = character->skins[0];
    subject s = {.joint_count = skin->joint_count, .palette_count = 2};
    assert_int_equal(lmb_mesh_create(character->meshes[0], NULL, &s.mesh, NULL), LMB_OK);
    s.palettes = subject_memory(2 * skin->joint_count, sizeof(*s.palettes));
    s.origins = subject_memory(skin->joint_count, sizeof(*s.origins));
    s.morph_weights = subject_memory(1, sizeof(float));
    lmb_transform *local = subject_memory(skeleton->joint_count, sizeof(*local));
    lmb_mat4 *model = subject_memory(skeleton->joint_count, sizeof(*model));
    lmb_random random = lmb_random_seed(9);
    lmb_mat4 root = lmb_mat4_identity();
    root.m[0] = mirror ? -1.0f : 1.0f;
    for (uint32_t p = 0; p < 2; ++p) {
        for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
            local[j] = skeleton->rest[j];
            const lmb_quat rotated = lmb_quat_axis_angle(
                lmb_vec3_normalize_or(subject_vec3(&random, 1), lmb_vec3_make(1, 0, 0)),
                lmb_random_range(&random, -0.7f, 0.7f));
            local[j].rotation = lmb_quat_mul(local[j].rotation, rotated);
            local[j].scale = scale;
        }
        lmb_pose_to_model(&(lmb_pose_to_model_job){
            .skeleton = skeleton, .local = local, .root = root, .model_from_joint = model});
        lmb_skin_palette(skin, model, s.palettes + (size_t)p * skin->joint_count);
    }
    lmb_skin_origins(skin, s.origins);
    const lmb_box box = lmbi_mesh_box(s.mesh);
    s.diagonal = lmb_vec3_distance(box.low, box.high);
    free(local);
    free(model);
    return s;
}

static void characters_on(const context *c, const void *user)
{
    static const lmb_vec3 even = {1, 1, 1}, grown = {1.02f, 1.04f, 0.98f};
    for (int i = 0; i < 4; ++i) {
        subject s = body_subject(user, i % 2 ? grown : even, i >= 2);
        const lmb_gpu_skin choices = {.language = c->language,
                                      .method = i % 2 ? LMB_GPU_DUAL_SCALE : LMB_GPU_LINEAR,
                                      .palettes = LMB_GPU_TEXTURE,
                                      .stage = c->compute ? LMB_GPU_COMPUTE : LMB_GPU_VERTEX,
                                      .influences = 8,
                                      .weights = LMB_GPU_UNORM16,
                                      .normals = s.mesh->normals != NULL};
        const lmb_gpu_skin skin = subject_skin(&s, choices);
        void *packed =
            subject_memory(skin.vertex_count, lmb_gpu_describe(&skin, 1).vertices.stride);
        assert_true(lmb_gpu_vertices(&skin, s.mesh, packed) < 1e-3f);
        free(packed);
        skinned *want = subject_answer(&s, choices.method, false);
        check(c->kind.name, &s, choices, want);
        free(want);
        subject_destroy(&s);
    }
}

/// Runs the test on every context there is from `first` on; a machine may lack some.
static void on_contexts(size_t first, void (*test)(const context *c, const void *user),
                        const void *user)
{
    for (size_t i = first; i < sizeof(contexts) / sizeof(contexts[0]); ++i) {
        if (gl_open(contexts[i].kind)) {
            test(&contexts[i], user);
            gl_close();
        } else {
            print_message("no %s: %s\n", contexts[i].kind.name, gl_fault);
        }
    }
}

static void all_methods_and_palettes(void **state)
{
    (void)state;
    on_contexts(0, methods_on, NULL);
}

/// The yardstick of the duals is measured itself: lmb_skin_dual makes the same.
static void yardstick(void **state)
{
    (void)state;
    static const subject_motion motions[] = {RIGID, STRETCHED, MIRRORED};
    for (int i = 0; i < 3; ++i) {
        subject s = subject_create(300, 5, 40, 5, 4, motions[i]);
        const lmb_gpu_method method = i > 0 ? LMB_GPU_DUAL_SCALE : LMB_GPU_DUAL;
        const lmb_gpu_skin skin = everything(LMB_GPU_GLSL_330, method);
        skinned *want = subject_answer(&s, method, true);
        skinned *library = subject_library_dual(&s, true, i > 0);
        compare("lmb_skin_dual", &s, &skin, library, want);
        free(library);
        free(want);
        subject_destroy(&s);
    }
}

static void rows_of_one_to_eight(void **state)
{
    (void)state;
    on_contexts(2, influences_on, NULL);
}

static void weights_in_few_bytes(void **state)
{
    (void)state;
    on_contexts(2, weights_on, NULL);
}

static void made_characters(void **state)
{
    (void)state;
    static const lmb_made_body_kind kinds[] = {LMB_MADE_HUMANOID, LMB_MADE_BIRD};
    for (int i = 0; i < 2; ++i) {
        lmb_made_body *body = NULL;
        const lmb_made_body_opts opts = {
            .kind = kinds[i], .seed = 5, .triangle_count = 2000, .rigged = true};
        assert_int_equal(lmb_made_body_create(&opts, NULL, &body, NULL), LMB_OK);
        on_contexts(2, characters_on, body);
        lmb_made_body_destroy(body);
    }
}

static bool any_context(void)
{
    for (size_t i = 0; i < sizeof(contexts) / sizeof(contexts[0]); ++i) {
        if (gl_open(contexts[i].kind)) {
            printf("%s, %s\n", (const char *)glGetString(GL_RENDERER),
                   (const char *)glGetString(GL_VERSION));
            gl_close();
            return true;
        }
    }
    return false;
}

int main(void)
{
    // Mesa's software renderer takes longer to optimise a shader than to run it on so few vertices.
    setenv("GALLIVM_PERF", "nopt", 0);
    if (!any_context()) {
        printf("no OpenGL: %s\n", gl_fault);
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_methods_and_palettes), cmocka_unit_test(yardstick),
        cmocka_unit_test(rows_of_one_to_eight),     cmocka_unit_test(weights_in_few_bytes),
        cmocka_unit_test(made_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
