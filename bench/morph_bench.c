// Morph targets on one core: dense and sparse, floats and 16-bit, a face's targets and all of a
// body model's, beside a copy of the bytes that must be read and written. JSON on stdout.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "asset/asset.h"
#include "limber/os.h"
#include "limber/skin.h"

enum { ROUNDS = 9 };

static void *allocate(size_t count, size_t size)
{
    void *block = calloc(count, size);
    if (block == NULL) {
        fputs("morph_bench: out of memory\n", stderr);
        exit(1);
    }
    return block;
}

/// The best of several rounds of a call, in seconds.
static double best_of(void (*call)(void *context), void *context, double quick_s)
{
    double best = 1e9;
    for (int round = 0; round < ROUNDS; ++round) {
        const int calls = (int)(0.01 / (best < 1 ? best : quick_s)) + 1;
        const double begun = lmb_clock_s();
        for (int i = 0; i < calls; ++i) {
            call(context);
        }
        const double took = (lmb_clock_s() - begun) / calls;
        best = took < best ? took : best;
    }
    return best;
}

typedef struct copying {
    uint8_t *from, *to;
    size_t bytes;
} copying;

static void copy(void *context)
{
    copying *c = context;
    memcpy(c->to, c->from, c->bytes);
    __asm__ volatile("" : : "r"(c->to) : "memory");
}

static double time_copy(size_t bytes)
{
    copying c = {allocate(bytes, 1), allocate(bytes, 1), bytes};
    memset(c.from, 1, bytes);
    const double best = best_of(copy, &c, 1e-3);
    free(c.from);
    free(c.to);
    return best;
}

// ---------------------------------------------------------------------------------------- targets

/// Every target moves one run of vertices, `moved` long.
static lmb_mesh make_mesh(uint32_t count, uint32_t targets, uint32_t moved)
{
    lmb_random random = lmb_random_seed(1);
    lmb_mesh mesh = {.vertex_count = count, .target_count = targets};
    mesh.positions = allocate(count, sizeof *mesh.positions);
    mesh.targets = allocate(targets, sizeof *mesh.targets);
    for (uint32_t t = 0; t < targets; ++t) {
        lmb_vec3 *d = allocate(count, sizeof *d);
        const uint32_t first = count > moved ? lmb_random_u32(&random) % (count - moved + 1) : 0;
        for (uint32_t v = first; v < first + moved; ++v) {
            d[v] = lmb_vec3_make(lmb_random_unit(&random), 0.1f, lmb_random_unit(&random));
        }
        mesh.targets[t].positions = d;
    }
    return mesh;
}

static void free_mesh(lmb_mesh *mesh)
{
    for (uint32_t t = 0; t < mesh->target_count; ++t) {
        free(mesh->targets[t].positions);
    }
    free(mesh->targets);
    free(mesh->positions);
}

static void morph(void *context)
{
    lmb_morph(context);
}

static void measure_targets(const char *name, uint32_t count, uint32_t targets, uint32_t moved)
{
    lmb_mesh mesh = make_mesh(count, targets, moved);
    float *weights = allocate(targets, sizeof *weights);
    lmb_vec3 *out = allocate(count, sizeof *out);
    for (uint32_t t = 0; t < targets; ++t) {
        weights[t] = 0.5f;
    }
    static const char *const ways[] = {"dense", "sparse", "sparse, 16-bit"};
    for (int way = 0; way < 3; ++way) {
        lmb_morph_set *set = NULL;
        const lmb_morph_set_opts opts = {.shorts = way == 2};
        if (way > 0 && lmb_morph_set_create(&mesh, &opts, NULL, &set, NULL) != LMB_OK) {
            exit(1);
        }
        lmb_morph_job job = {.mesh = &mesh, .weights = weights, .out_positions = out, .set = set};
        const double took = best_of(morph, &job, 1e-3);
        // Displacements are read, the mesh is read and written; a copy reads half its bytes and
        // writes half.
        const size_t stored = set != NULL ? lmb_morph_set_bytes(set) : (size_t)count * targets * 12;
        const double copied = time_copy((stored + (size_t)count * 24) / 2);
        printf("    {\"case\": \"%s\", \"vertices\": %u, \"targets\": %u, \"moved\": %u, "
               "\"storage\": \"%s\", \"bytes\": %zu, "
               "\"us\": %.2f, \"ns_a_displacement\": %.3f, \"share_of_copy\": %.3f},\n",
               name, count, targets, moved, ways[way], stored, took * 1e6,
               took / targets / moved * 1e9, copied / took);
        lmb_morph_set_destroy(set);
    }
    free(weights);
    free(out);
    free_mesh(&mesh);
}

// ------------------------------------------------------------------------------------ body models

enum { VERTICES = 6890, JOINTS = 24 };

static void evaluate(void *context)
{
    lmb_body_evaluate(context);
}

/// As large as SMPL (207 dense features) or STAR (93, each on a fifth of the body), numbers at
/// random.
static lmb_body_model *make_body(bool star)
{
    static const int32_t parents[JOINTS] = {-1, 0, 0, 0,  1,  2,  3,  4,  5,  6,  7,  8,
                                            9,  9, 9, 12, 13, 14, 16, 17, 18, 19, 20, 21};
    static int32_t tree[JOINTS];
    static const char *names[JOINTS];
    static uint32_t regressor_first[JOINTS + 1], regressor_vertices[JOINTS];
    static float regressor_weights[JOINTS];
    const uint32_t features = star ? 93 : 207;
    lmb_random random = lmb_random_seed(2);
    lmb_body_model def = {.vertex_count = VERTICES,
                          .joint_count = JOINTS,
                          .feature_count = features,
                          .shape_count = 10,
                          .features = star ? LMB_FEATURES_QUATERNION : LMB_FEATURES_MATRIX,
                          .feature_of_shape = star,
                          .parents = tree,
                          .names = names,
                          .regressor_first = regressor_first,
                          .regressor_vertices = regressor_vertices,
                          .regressor_weights = regressor_weights};
    def.positions = allocate(VERTICES, sizeof(lmb_vec3));
    def.shape_directions = allocate((size_t)VERTICES * 10, sizeof(lmb_vec3));
    def.pose_directions = allocate((size_t)VERTICES * features, sizeof(lmb_vec3));
    def.influences.first = allocate(VERTICES + 1, sizeof(uint32_t));
    def.influences.items = allocate((size_t)VERTICES * 4, sizeof(lmb_influence));
    for (uint32_t k = 0; k < features; ++k) {
        const uint32_t first = star ? (k / 4 * 59) % (VERTICES * 4 / 5) : 0,
                       moved = star ? VERTICES / 5 : VERTICES;
        for (uint32_t v = first; v < first + moved; ++v) {
            def.pose_directions[(size_t)k * VERTICES + v] =
                lmb_vec3_make(lmb_random_unit(&random), 0.1f, lmb_random_unit(&random));
        }
    }
    for (uint32_t v = 0; v < VERTICES; ++v) {
        def.influences.first[v + 1] = 4 * v + 4;
        for (uint32_t k = 0; k < 4; ++k) {
            def.influences.items[4 * v + k] = (lmb_influence){(v / 300 + k) % JOINTS, 0.25f};
        }
    }
    for (uint32_t j = 0; j < JOINTS; ++j) {
        tree[j] = parents[j];
        names[j] = "joint";
        regressor_first[j + 1] = j + 1;
        regressor_vertices[j] = j;
        regressor_weights[j] = 1;
    }
    lmb_body_model *model = NULL;
    if (lmbi_body_model_create(&def, NULL, &model, NULL) != LMB_OK) {
        exit(1);
    }
    void *const owned[] = {def.positions, def.shape_directions, def.pose_directions,
                           def.influences.first, def.influences.items};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; ++k) {
        free(owned[k]);
    }
    return model;
}

static void measure_body(bool star, bool shorts, const char *end)
{
    lmb_body_model *model = make_body(star);
    const uint32_t features = model->feature_count;
    lmb_body_skin *skin = NULL;
    if (lmb_body_skin_create(model, &(lmb_body_skin_opts){.shorts = shorts}, NULL, &skin, NULL) !=
        LMB_OK) {
        exit(1);
    }
    lmb_quat rotations[JOINTS];
    lmb_vec3 *out = allocate(VERTICES, sizeof *out);
    for (uint32_t j = 0; j < JOINTS; ++j) {
        rotations[j] = lmb_quat_axis_angle(lmb_vec3_make(0, 0, 1), 0.3f + 0.01f * (float)j);
    }
    lmb_body_job job = {.skin = skin, .rotations = rotations, .out_positions = out};
    const double took = best_of(evaluate, &job, 1e-3);
    // The directions are read, the shaped body is read, the vertices are written, then read and
    // written by the skin.
    const size_t stored = (size_t)features * VERTICES * (star ? 1 : 5) / 5 * (shorts ? 6 : 12);
    const double copied = time_copy((stored + (size_t)VERTICES * (48 + 24)) / 2);
    printf("    {\"case\": \"%s\", \"vertices\": %u, \"features\": %u, \"storage\": \"%s\", "
           "\"us\": %.1f, "
           "\"share_of_copy\": %.3f}%s\n",
           star ? "STAR" : "SMPL", VERTICES, features, shorts ? "16-bit" : "floats", took * 1e6,
           copied / took, end);
    lmb_body_skin_destroy(skin);
    lmb_body_model_destroy(model);
    free(out);
}

int main(void)
{
    printf("{\n  \"bench\": \"morph\", \"build\": \"%s\", \"simd\": \"%s\", \"cores_used\": 1,\n  "
           "\"runs\": [\n",
           __VERSION__, lmb_simd_name(lmb_simd_best()));
    measure_targets("face", 5000, 52, 400);
    measure_targets("body sculpt", 20000, 8, 20000);
    measure_targets("large", 200000, 8, 200000);
    measure_body(false, false, ",");
    measure_body(false, true, ",");
    measure_body(true, false, ",");
    measure_body(true, true, "");
    puts("  ]\n}");
    return 0;
}
