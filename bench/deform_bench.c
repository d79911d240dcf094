// The deformers that turn beside linear blending, on one core, on made bodies bound by bone heat
// and on the characters named on the command line (GLB): million vertices a second, times the
// linear one takes, and what finding centres and smoothing for delta mush cost once. All inputs are
// the mesh as compiled, with equal bits on every machine and, as "fast", with products and sums
// fused; rounds go through the deformers in turn. Enveloping has as many joints a vertex as linear
// blending has, up to four ("mwe"), and four as learning writes them ("mwe4"); "mwe4_read" is how
// long a copy of what that reads takes, the limit of a mesh beyond the caches. JSON on stdout.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bodies/bodies.h"
#include "limber/limber.h"
#include "limber/os.h"
#include "skin/skin.h"

#ifndef LMBI_BUILD // set by the build
#define LMBI_BUILD ""
#endif

enum {
    ROUNDS = 15,
    MOST_JOINTS = 1024,
    ENVELOPE_FLOATS = 3 + 3 * 12, ///< coefficients of four joints, a vertex
};

typedef enum method {
    LINEAR,
    DUAL,
    CENTER,
    MUSH,
    MUSH_V2,
    MUSH_V4,
    MUSH_V5,
    DELTA,
    GRADIENT,
    FIXED,
    ENVELOPE,
    ENVELOPE_FOUR,
    ENVELOPE_READ,
    METHODS
} method;
static const char *const names[] = {"lbs",  "dqs",  "cor",      "ddm",          "ddm2",
                                    "ddm4", "ddm5", "dm",       "lbs_gradient", "dqs_fixed",
                                    "mwe",  "mwe4", "mwe4_read"};

typedef struct scene {
    const lmb_mesh *mesh;
    lmb_binding *binding;
    lmb_centers *centers;
    lmb_mush *mush[MUSH_V5 + 1];
    lmb_delta_mush *delta;
    lmb_gradients *gradients;
    lmb_vec3 *pivots;
    lmb_mesh enveloped[2]; ///< the mesh with an envelope of few joints, and of four
    lmb_envelope_skin *envelopes[2];
    float *envelope_copy; ///< as large as the coefficients of four joints, twice
    void *scratch;
    double bind_s, centers_s, mush_s;
    lmb_mat4 palette[MOST_JOINTS], stretch[MOST_JOINTS];
    lmb_quat rotations[MOST_JOINTS];
    lmb_vec3 *positions, *normals;
} scene;

static void check(lmb_result result, const lmb_error *error)
{
    if (result != LMB_OK) {
        fprintf(stderr, "deform_bench: expected %s, found %s\n", error->expected, error->found);
        exit(1);
    }
}

// ----------------------------------------------------------------------------------------- scenes

static lmb_character *make_body(uint32_t triangle_count)
{
    lmb_error error = {0};
    lmb_made_body *body = NULL;
    check(lmb_made_body_create(
              &(lmb_made_body_opts){.seed = 3, .triangle_count = triangle_count, .rigged = true},
              NULL, &body, &error),
          &error);
    lmb_character *character = body->character;
    body->character = NULL;
    lmb_made_body_destroy(body);
    const lmb_skin *skin = character->skins[0];
    lmb_skeleton *skeleton = NULL;
    uint8_t *deforms = calloc(character->skeleton->joint_count, 1);
    for (uint32_t k = 0; deforms != NULL && k < skin->joint_count; ++k) {
        deforms[skin->joints[k]] = 1;
    }
    check(lmb_skeleton_create(character->skeleton, NULL, &skeleton, &error), &error);
    const lmb_bind_opts opts = {.skeleton = skeleton, .deforms = deforms};
    check(lmb_bind(&character, &opts, NULL, NULL, &error), &error);
    lmb_skeleton_destroy(skeleton);
    free(deforms);
    return character;
}

static lmb_character *read_character(const char *path)
{
    lmb_error error = {0};
    lmb_file file;
    lmb_character *character = NULL;
    check(lmb_file_read(path, 0, &file, &error), &error);
    check(lmb_gltf_read(file.data, file.size, NULL, NULL, &character, &error), &error);
    lmb_file_free(&file);
    return character;
}

/// Every joint a third of a radian from rest, about axes of chance.
static void pose(scene *s, const lmb_character *character, const lmb_skin *skin)
{
    const lmb_skeleton *skeleton = character->skeleton;
    lmb_random random = lmb_random_seed(1);
    lmb_transform *local = calloc(skeleton->joint_count, sizeof(*local));
    lmb_mat4 *model = calloc(skeleton->joint_count, sizeof(*model));
    lmb_mat4 *palette = calloc(skin->joint_count, sizeof(*palette));
    lmb_vec3 *origins = calloc(skin->joint_count, sizeof(*origins));
    if (!local || !model || !palette || !origins || skin->joint_count > MOST_JOINTS) {
        exit(1);
    }
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        const float x = lmb_random_range(&random, -1, 1), y = lmb_random_range(&random, -1, 1);
        const lmb_vec3 axis =
            lmb_vec3_normalize_or(lmb_vec3_make(x, y, 0.5f), lmb_vec3_make(0, 1, 0));
        local[j] = skeleton->rest[j];
        local[j].rotation = lmb_quat_mul(local[j].rotation, lmb_quat_axis_angle(axis, 0.33f));
    }
    lmb_pose_to_model(
        &(lmb_pose_to_model_job){.skeleton = skeleton, .local = local, .model_from_joint = model});
    lmb_skin_palette(skin, model, palette);
    lmb_skin_origins(skin, origins);
    lmb_skin_split(&(lmb_skin_split_job){skin->joint_count, palette, origins, s->palette,
                                         s->rotations, s->stretch});
    free(local);
    free(model);
    free(palette);
    free(origins);
}

/// Coefficients of a vertex, near its weights. Beyond its joints, where `fills`, those of the first
/// ones again with small coefficients.
static void envelop_vertex(const lmb_mesh *mesh, uint32_t v, bool fills, lmb_random *random,
                           lmb_vec4 *envelope)
{
    const lmb_influence *items = mesh->influences.items + mesh->influences.first[v];
    const uint32_t count = mesh->influences.first[v + 1] - mesh->influences.first[v];
    for (uint32_t k = 0; k < LMB_ENVELOPE_INFLUENCES; ++k) {
        const uint32_t joint = k < count ? items[k].joint : (items[0].joint + k) % 8;
        const float weight = k < count ? items[k].weight : 0;
        (&envelope[v].x)[k] = (float)joint;
        for (uint32_t e = 0; e < 12; ++e) {
            (&envelope[(size_t)(1 + 3 * k + e / 4) * mesh->vertex_count + v].x)[e % 4] =
                k < count || fills ? weight + lmb_random_range(random, -0.01f, 0.01f) : 0;
        }
    }
}

static void start_envelopes(scene *s, const lmb_skin *skin)
{
    lmb_error error = {0};
    const size_t n = s->mesh->vertex_count;
    for (int k = 0; k < 2; ++k) {
        lmb_random random = lmb_random_seed(1);
        s->enveloped[k] = *s->mesh;
        s->enveloped[k].envelope = calloc(n * LMB_ENVELOPE_SETS, sizeof(lmb_vec4));
        for (uint32_t v = 0; s->enveloped[k].envelope != NULL && v < n; ++v) {
            envelop_vertex(s->mesh, v, k == 1, &random, s->enveloped[k].envelope);
        }
        check(s->enveloped[k].envelope
                  ? lmb_envelope_skin_create(&s->enveloped[k], skin, NULL, &s->envelopes[k], &error)
                  : LMB_ERROR_MEMORY,
              &error);
    }
    s->envelope_copy = calloc(2 * n, ENVELOPE_FLOATS * sizeof(float));
    if (s->envelope_copy == NULL) {
        exit(1);
    }
}

/// The largest skinned mesh.
static void scene_start(scene *s, const lmb_character *character)
{
    lmb_error error = {0};
    const lmb_skin *skin = NULL;
    for (uint32_t i = 0; i < character->instance_count; ++i) {
        const lmb_mesh *mesh = character->meshes[character->instances[i].mesh];
        if (character->instances[i].skin != LMB_NONE && mesh->influences.first != NULL &&
            (s->mesh == NULL || mesh->vertex_count > s->mesh->vertex_count)) {
            s->mesh = mesh;
            skin = character->skins[character->instances[i].skin];
        }
    }
    if (skin == NULL) {
        fputs("deform_bench: no skinned mesh\n", stderr);
        exit(1);
    }
    pose(s, character, skin);
    const double begun = lmb_clock_s();
    check(lmb_binding_create(s->mesh, skin->joint_count, NULL, &s->binding, &error), &error);
    const double bound = lmb_clock_s();
    check(lmb_centers_create(s->mesh, NULL, NULL, NULL, &s->centers, &error), &error);
    check(lmb_binding_keep_centers(s->binding, s->centers, &error), &error);
    const double centered = lmb_clock_s();
    check(lmb_mush_create(s->mesh, NULL, NULL, NULL, &s->mush[MUSH], &error), &error);
    s->mush_s = lmb_clock_s() - centered;
    static const lmb_mush_variant variants[] = {LMB_MUSH_V2, LMB_MUSH_V4, LMB_MUSH_V5};
    for (int k = 0; k < 3; ++k) {
        const lmb_mush_opts opts = {.variant = variants[k]};
        check(lmb_mush_create(s->mesh, &opts, NULL, NULL, &s->mush[MUSH_V2 + k], &error), &error);
    }
    s->centers_s = centered - bound;
    s->bind_s = bound - begun;
    check(lmb_delta_mush_create(s->mesh, NULL, NULL, &s->delta, &error), &error);
    check(lmb_gradients_create(s->mesh, NULL, &s->gradients, &error), &error);
    s->pivots = calloc(s->mesh->vertex_count, sizeof(lmb_vec3));
    if (s->pivots == NULL) {
        exit(1);
    }
    check(lmb_skin_pivots(skin, character->skeleton, s->mesh, NULL, s->pivots, &error), &error);
    start_envelopes(s, skin);
    s->scratch = malloc(lmb_delta_mush_scratch_size(s->delta));
    s->positions = calloc(s->mesh->vertex_count, sizeof(lmb_vec3));
    s->normals = calloc(s->mesh->vertex_count, sizeof(lmb_vec3));
    if (s->positions == NULL || s->normals == NULL || s->scratch == NULL) {
        exit(1);
    }
}

static void scene_end(scene *s)
{
    for (int m = MUSH; m <= MUSH_V5; ++m) {
        lmb_mush_destroy(s->mush[m]);
    }
    lmb_delta_mush_destroy(s->delta);
    lmb_gradients_destroy(s->gradients);
    for (int k = 0; k < 2; ++k) {
        lmb_envelope_skin_destroy(s->envelopes[k]);
        free(s->enveloped[k].envelope);
    }
    free(s->envelope_copy);
    free(s->pivots);
    free(s->scratch);
    lmb_centers_destroy(s->centers);
    lmb_binding_destroy(s->binding);
    free(s->positions);
    free(s->normals);
}

// -------------------------------------------------------------------------------------- measuring

/// Its inputs must be given.
static void deform_fixed(const scene *s, const lmb_skin_job *job)
{
    lmb_skin_dual_job dual = {
        .skin = *job, .rotations = s->rotations, .pivots = s->pivots, .bulge_fix = 1};
    dual.skin.positions = s->mesh->positions;
    dual.skin.normals = s->mesh->normals;
    lmb_skin_dual(&dual);
}

static void envelop(const scene *s, int k, const lmb_skin_job *job)
{
    lmb_skin_envelope(&(lmb_skin_envelope_job){.envelope = s->envelopes[k],
                                               .model_from_bind = job->model_from_bind,
                                               .out_positions = job->out_positions,
                                               .out_normals = job->out_normals,
                                               .simd = job->simd});
}

static void deform(const scene *s, method m, bool normals, lmb_simd simd)
{
    const lmb_skin_job job = {.binding = s->binding,
                              .model_from_bind = s->palette,
                              .out_positions = s->positions,
                              .out_normals = normals ? s->normals : NULL,
                              .simd = simd};
    switch (m) {
    case DUAL:
        lmb_skin_dual(&(lmb_skin_dual_job){.skin = job, .rotations = s->rotations});
        break;
    case CENTER:
        lmb_skin_center(&(lmb_skin_center_job){.skin = job, .rotations = s->rotations});
        break;
    case MUSH:
    case MUSH_V2:
    case MUSH_V4:
    case MUSH_V5:
        lmb_skin_mush(
            &(lmb_skin_mush_job){.skin = job, .mush = s->mush[m], .rotations = s->rotations});
        break;
    case DELTA:
        lmb_skin_linear(&(lmb_skin_job){.binding = s->binding,
                                        .model_from_bind = s->palette,
                                        .out_positions = s->positions,
                                        .simd = simd});
        lmb_skin_delta_mush(&(lmb_skin_delta_job){.mush = s->delta,
                                                  .positions = s->positions,
                                                  .out_normals = normals ? s->normals : NULL,
                                                  .scratch = s->scratch});
        break;
    case GRADIENT:
        lmb_skin_gradient(&(lmb_skin_gradient_job){.skin = job, .gradients = s->gradients});
        break;
    case FIXED:
        deform_fixed(s, &job);
        break;
    case ENVELOPE:
    case ENVELOPE_FOUR:
        envelop(s, m == ENVELOPE ? 0 : 1, &job);
        break;
    case ENVELOPE_READ:
        memcpy(s->envelope_copy, s->envelope_copy + (size_t)s->mesh->vertex_count * ENVELOPE_FLOATS,
               (size_t)s->mesh->vertex_count * ENVELOPE_FLOATS * sizeof(float));
        break;
    default:
        lmb_skin_linear(&job);
        break;
    }
}

static void measure(const scene *s, bool normals, lmb_simd simd, double best[METHODS])
{
    const int calls = (int)(300000 / s->mesh->vertex_count) + 1;
    for (int m = 0; m < METHODS; ++m) {
        best[m] = 1e9;
    }
    for (int round = 0; round < ROUNDS; ++round) {
        for (int m = 0; m < METHODS; ++m) {
            // What the one before left in the caches is not this one's matter: else the first would
            // fetch the mesh for those that come next.
            for (int i = 0; i < 3; ++i) {
                deform(s, (method)m, normals, simd);
            }
            const double begun = lmb_clock_s();
            for (int i = 0; i < calls; ++i) {
                deform(s, (method)m, normals, simd);
            }
            const double took = (lmb_clock_s() - begun) / calls;
            best[m] = took < best[m] ? took : best[m];
        }
    }
}

static void report(const char *name, const lmb_character *character, bool is_last)
{
    scene *s = calloc(1, sizeof(*s));
    if (s == NULL) {
        exit(1);
    }
    scene_start(s, character);
    const uint32_t count = s->mesh->vertex_count;
    printf("    {\"mesh\": \"%s\", \"vertices\": %u, \"influences\": %.2f, \"mush_influences\": "
           "%.2f,\n     \"bind_s\": %.4f, \"centers_s\": %.3f, \"mush_s\": %.3f",
           name, count, s->mesh->influences.first[count] / (double)count,
           (double)lmbi_mush_influence_count(s->mush[MUSH]) / count, s->bind_s, s->centers_s,
           s->mush_s);
    for (int k = 0; k < 4; ++k) {
        double best[METHODS];
        measure(s, k % 2 == 1, k < 2 ? LMB_SIMD_BEST : LMB_SIMD_FAST, best);
        printf(",\n     \"%s%s\": {", k < 2 ? "" : "fast_",
               k % 2 == 1 ? "positions_normals" : "positions");
        for (int m = 0; m < METHODS; ++m) {
            printf("%s\"%s_ns\": %.2f, \"%s_times_lbs\": %.2f", m > 0 ? ", " : "", names[m],
                   best[m] / count * 1e9, names[m], best[m] / best[LINEAR]);
        }
        printf("}");
    }
    printf("}%s\n", is_last ? "" : ",");
    scene_end(s);
    free(s);
}

int main(int argc, char **argv)
{
    static const uint32_t sizes[] = {20000, 200000};
    printf("{\n  \"bench\": \"deform\", \"build\": \"%s\", \"simd\": \"%s\", \"cores_used\": 1,\n  "
           "\"runs\": [\n",
           LMBI_BUILD, lmb_simd_name(lmb_simd_best()));
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); ++i) {
        lmb_character *character = make_body(sizes[i]);
        report("body", character, argc == 1 && i == 1);
        lmb_character_destroy(character);
    }
    for (int i = 1; i < argc; ++i) {
        lmb_character *character = read_character(argv[i]);
        report(argv[i], character, i + 1 == argc);
        lmb_character_destroy(character);
    }
    puts("  ]\n}");
    return 0;
}
