// One program for two machines: natively it writes a case's bytes to stdout, in WebAssembly it
// leaves them in memory.
// parity_test.mjs compares the two, byte for byte.
#include "asset/asset.h"
#include "limber/anim.h"
#include "limber/asset.h"
#include "limber/math.h"
#include "limber/skin.h"
#include "linalg/linalg.h"
#include "math/math.h"
#include "output.h"

enum { JOINTS = 2000, ANGLES = 20000, KEYS = 9, VERTICES = 5000, INFLUENCES = 6, GRID = 40 };

static lmb_vec3 random_vec3(lmb_random *random, float size)
{
    float x = lmb_random_range(random, -size, size);
    float y = lmb_random_range(random, -size, size);
    float z = lmb_random_range(random, -size, size);
    return lmb_vec3_make(x, y, z);
}

static lmb_quat random_quat(lmb_random *random)
{
    lmb_vec3 axis = lmb_vec3_normalize_or(random_vec3(random, 1), lmb_vec3_make(0, 1, 0));
    return lmb_quat_axis_angle(axis, lmb_random_range(random, -LMB_PI, LMB_PI));
}

static lmb_transform random_transform(lmb_random *random)
{
    lmb_transform t;
    t.translation = random_vec3(random, 0.5f);
    t.rotation = random_quat(random);
    float scale = lmb_random_range(random, 0.9f, 1.1f);
    t.scale = lmb_vec3_make(scale, scale, scale);
    return t;
}

static void trigonometry(lmb_random *random)
{
    for (int k = 0; k < ANGLES; k++) {
        float a = lmb_random_range(random, -20, 20);
        float u = lmb_random_range(random, -1, 1);
        put_float(lmb_sin(a));
        put_float(lmb_cos(a));
        put_float(lmb_tan(a));
        put_float(lmbi_asin(u));
        put_float(lmbi_acos(u));
        put_float(lmb_atan2(a, u));
        put_float(lmb_exp(a));
        put_float(lmb_log(a * a));
        put_float(lmb_sqrt(a * a + u));
    }
}

static void rotations(lmb_random *random)
{
    for (int k = 0; k < JOINTS; k++) {
        lmb_quat a = random_quat(random), b = random_quat(random), swing, twist;
        float t = lmb_random_unit(random), angles[3];
        lmb_quat mixed[3] = {lmb_quat_slerp(a, b, t), lmbi_quat_nlerp(a, b, t), lmb_quat_mul(a, b)};
        put(mixed, sizeof(mixed));
        lmbi_quat_swing_twist(a, lmb_quat_rotate(b, lmb_vec3_make(0, 0, 1)), &swing, &twist);
        put(&swing, sizeof(swing));
        put(&twist, sizeof(twist));
        lmbi_quat_to_euler(a, "zxy", angles);
        put(angles, sizeof(angles));
        lmb_transform decomposed;
        lmb_mat4 matrix = lmb_mat4_from_transform(random_transform(random)), inverse;
        put_float(lmb_mat4_decompose(matrix, &decomposed));
        put(&decomposed, sizeof(decomposed));
        lmb_mat4_inverse_affine(matrix, &inverse);
        put(&inverse, sizeof(inverse));
    }
}

/// A random tree; parents precede children.
static lmb_skeleton *random_skeleton(lmb_random *random)
{
    static int32_t parents[JOINTS];
    static lmb_transform rest[JOINTS];
    static const char *names[JOINTS];
    for (int k = 0; k < JOINTS; k++) {
        parents[k] = k == 0 ? LMB_NONE : (int32_t)(lmb_random_u32(random) % (uint32_t)k);
        rest[k] = random_transform(random);
        names[k] = "joint";
    }
    lmb_skeleton def = {.joint_count = JOINTS, .parents = parents, .rest = rest, .names = names};
    lmb_skeleton *skeleton = NULL;
    if (lmb_skeleton_create(&def, NULL, &skeleton, NULL) != LMB_OK) {
        abort();
    }
    return skeleton;
}

static void kinematics(lmb_random *random)
{
    static lmb_mat4 model[JOINTS];
    static lmb_transform local[JOINTS];
    lmb_skeleton *skeleton = random_skeleton(random);
    for (int k = 0; k < JOINTS; k++) {
        lmb_joint_limit limit = {.kind = k % 2 ? LMB_JOINT_BALL : LMB_JOINT_HINGE,
                                 .axis = {0, 1, 0},
                                 .swing_rad = 0.7f,
                                 .twist_min_rad = -0.3f,
                                 .twist_max_rad = 0.4f};
        local[k] = lmbi_joint_limit_apply(&limit, skeleton->rest[k], random_transform(random));
    }
    lmb_pose_to_model(
        &(lmb_pose_to_model_job){.skeleton = skeleton, .local = local, .model_from_joint = model});
    put(local, sizeof(local));
    put(model, sizeof(model));
    lmb_skeleton_destroy(skeleton);
}

/// Every path and every interpolation, on as many joints as there are combinations.
static lmb_clip *random_clip(lmb_random *random)
{
    static float ticks[KEYS], values[9][KEYS * 3 * 4];
    lmb_channel channels[9];
    for (int k = 0; k < KEYS; k++) {
        ticks[k] = (k ? ticks[k - 1] : 0) + lmb_random_range(random, 0.01f, 0.3f);
    }
    for (uint32_t c = 0; c < 9; c++) {
        lmb_path path = (lmb_path)(c % 3);
        uint32_t width = path == LMB_PATH_ROTATION ? 4 : 3;
        for (size_t k = 0; k < sizeof(values[c]) / sizeof(values[c][0]); k++) {
            values[c][k] = lmb_random_range(random, 0.5f, 1.5f);
        }
        channels[c] = (lmb_channel){.joint = c,
                                    .path = path,
                                    .interpolation = (lmb_interpolation)(c / 3),
                                    .width = width,
                                    .key_count = KEYS,
                                    .ticks = ticks,
                                    .values = values[c]};
    }
    lmb_clip def = {
        .name = "clip", .duration = ticks[KEYS - 1], .channel_count = 9, .channels = channels};
    lmb_clip *clip = NULL;
    if (lmb_clip_create(&def, NULL, &clip, NULL) != LMB_OK) {
        abort();
    }
    return clip;
}

static void sampling(lmb_random *random)
{
    lmb_clip *clip = random_clip(random);
    lmb_transform pose[9];
    for (int k = 0; k < 9; k++) {
        pose[k] = lmb_transform_identity();
    }
    for (int k = 0; k < 1000; k++) {
        lmb_sample(&(lmb_sample_job){.clip = clip,
                                     .time_s = (double)lmb_random_range(random, -3, 3),
                                     .mode = (lmb_play_mode)(k % 3),
                                     .joint_count = 9,
                                     .pose = pose});
        put(pose, sizeof(pose));
    }
    lmb_clip_destroy(clip);
}

/// A cloud of points, one primitive, each pulled by six joints.
static lmb_mesh *random_mesh(lmb_random *random)
{
    static lmb_vec3 positions[VERTICES], normals[VERTICES];
    static uint32_t indices[VERTICES], first[VERTICES + 1];
    static lmb_influence items[VERTICES * INFLUENCES];
    for (uint32_t v = 0; v < VERTICES; v++) {
        float weight = 0.4f;
        positions[v] = random_vec3(random, 1);
        normals[v] = lmb_vec3_normalize_or(random_vec3(random, 1), lmb_vec3_make(0, 1, 0));
        indices[v] = v;
        first[v + 1] = first[v] + INFLUENCES;
        for (uint32_t k = 0; k < INFLUENCES; k++) {
            items[first[v] + k] = (lmb_influence){.joint = (v + 37 * k) % JOINTS, .weight = weight};
            weight = k == 0 ? 0.2f : 0.1f;
        }
    }
    lmb_primitive primitive = {.topology = LMB_POINTS,
                               .index_count = VERTICES,
                               .vertex_count = VERTICES,
                               .attributes = LMB_HAS_NORMALS | LMB_HAS_INFLUENCES,
                               .material = LMB_NONE};
    lmb_mesh def = {.vertex_count = VERTICES,
                    .positions = positions,
                    .normals = normals,
                    .index_count = VERTICES,
                    .indices = indices,
                    .primitive_count = 1,
                    .primitives = &primitive,
                    .influences = {.first = first, .items = items}};
    lmb_mesh *mesh = NULL;
    if (lmb_mesh_create(&def, NULL, &mesh, NULL) != LMB_OK) {
        abort();
    }
    return mesh;
}

static void skinning(lmb_random *random)
{
    static lmb_mat4 palette[JOINTS];
    static lmb_vec3 positions[VERTICES], normals[VERTICES];
    lmb_mesh *mesh = random_mesh(random);
    lmb_binding *binding = NULL;
    if (lmb_binding_create(mesh, JOINTS, NULL, &binding, NULL) != LMB_OK) {
        abort();
    }
    for (int k = 0; k < JOINTS; k++) {
        palette[k] = lmb_mat4_from_transform(random_transform(random));
    }
    lmb_skin_job job = {.binding = binding,
                        .model_from_bind = palette,
                        .positions = mesh->positions,
                        .normals = mesh->normals,
                        .out_positions = positions,
                        .out_normals = normals};
    lmb_skin_linear(&job);
    put(positions, sizeof(positions));
    put(normals, sizeof(normals));
    lmb_skin_rigid(&job);
    put(positions, sizeof(positions));
    put(normals, sizeof(normals));
    lmb_binding_destroy(binding);
    lmb_mesh_destroy(mesh);
}

/// Enveloping of 50 joints: some blocks of vertices share theirs, most do not.
static void enveloping(lmb_random *random)
{
    enum { ENVELOPE_JOINTS = 50 };
    static lmb_vec4 envelope[LMB_ENVELOPE_SETS * VERTICES];
    static lmb_mat4 palette[ENVELOPE_JOINTS], joint_from_bind[ENVELOPE_JOINTS];
    static lmb_vec3 positions[VERTICES], normals[VERTICES];
    lmb_mesh *mesh = random_mesh(random), enveloped = *mesh;
    for (int v = 0; v < VERTICES; v++) {
        for (int k = 0; k < LMB_ENVELOPE_INFLUENCES; k++) {
            const uint32_t joint = v % 7 == 0 ? lmb_random_u32(random) : (uint32_t)(v / 60 + 3 * k);
            (&envelope[v].x)[k] = (float)(joint % ENVELOPE_JOINTS);
        }
        for (int set = 1; set < LMB_ENVELOPE_SETS - 3 * (v % 3); set++) {
            envelope[set * VERTICES + v] =
                (lmb_vec4){lmb_random_unit(random), lmb_random_unit(random),
                           lmb_random_unit(random), lmb_random_unit(random)};
        }
    }
    for (int k = 0; k < ENVELOPE_JOINTS; k++) {
        palette[k] = lmb_mat4_from_transform(random_transform(random));
        joint_from_bind[k] = lmb_mat4_from_transform(random_transform(random));
    }
    enveloped.envelope = envelope;
    const lmb_skin skin = {.joint_count = ENVELOPE_JOINTS, .joint_from_bind = joint_from_bind};
    lmb_envelope_skin *compiled = NULL;
    if (lmb_envelope_skin_create(&enveloped, &skin, NULL, &compiled, NULL) != LMB_OK) {
        abort();
    }
    lmb_skin_envelope(&(lmb_skin_envelope_job){.envelope = compiled,
                                               .model_from_bind = palette,
                                               .out_positions = positions,
                                               .out_normals = normals});
    put(positions, sizeof(positions));
    put(normals, sizeof(normals));
    lmb_envelope_skin_destroy(compiled);
    lmb_mesh_destroy(mesh);
}

/// The Laplacian of a grid, shifted to be positive definite, factored and solved.
static void solving(lmb_random *random)
{
    enum { SIZE = GRID * GRID };
    static uint32_t first[SIZE + 1], rows[3 * SIZE];
    static double values[3 * SIZE], x[2 * SIZE];
    uint32_t count = 0;
    for (uint32_t j = 0; j < SIZE; j++) {
        rows[count] = j;
        values[count++] = 4.01;
        if (j % GRID + 1 < GRID) {
            rows[count] = j + 1;
            values[count++] = -1;
        }
        if (j + GRID < SIZE) {
            rows[count] = j + GRID;
            values[count++] = -1;
        }
        first[j + 1] = count;
    }
    for (int k = 0; k < 2 * SIZE; k++) {
        x[k] = (double)lmb_random_range(random, -1, 1);
    }
    lmbi_sparse matrix = {.size = SIZE, .first = first, .rows = rows, .values = values};
    lmbi_factor *factor = NULL;
    if (lmbi_factor_create(&matrix, NULL, NULL, &factor, NULL) != LMB_OK ||
        lmbi_factor_solve(factor, x, 2, NULL, NULL) != LMB_OK) {
        abort();
    }
    lmbi_factor_destroy(factor);
    put(x, sizeof(x));
}

static const struct {
    const char *name;
    void (*run)(lmb_random *random);
} cases[] = {
    {"trigonometry", trigonometry}, {"rotations", rotations}, {"kinematics", kinematics},
    {"sampling", sampling},         {"skinning", skinning},   {"solving", solving},
    {"enveloping", enveloping},
};
enum { CASE_COUNT = sizeof(cases) / sizeof(cases[0]) };

static void run_case(unsigned index)
{
    lmb_random random = lmb_random_seed(2026 + index);
    output_size = 0;
    cases[index].run(&random);
}

#ifdef __wasm__
#define EXPORT(name) __attribute__((export_name(#name)))
unsigned parity_case_count(void);
const char *parity_case_name(unsigned index);
size_t parity_run(unsigned index);
const uint8_t *parity_output(void);

EXPORT(parity_case_count) unsigned parity_case_count(void)
{
    return CASE_COUNT;
}
EXPORT(parity_case_name) const char *parity_case_name(unsigned index)
{
    return cases[index].name;
}
EXPORT(parity_run) size_t parity_run(unsigned index)
{
    run_case(index);
    return output_size;
}
EXPORT(parity_output) const uint8_t *parity_output(void)
{
    return output;
}
#else
int main(int argc, char **argv)
{
    if (argc != 2 || atoi(argv[1]) < 0 || atoi(argv[1]) >= CASE_COUNT) {
        fprintf(stderr, "usage: parity CASE, below %d\n", CASE_COUNT);
        return 2;
    }
    run_case((unsigned)atoi(argv[1]));
    return output_print();
}
#endif
