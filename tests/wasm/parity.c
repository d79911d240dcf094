// One program for two machines: natively it writes a case's bytes to stdout, in WebAssembly it leaves them in memory.
// parity_test.mjs compares the two, byte for byte.
#include "limber/asset.h"
#include "limber/math.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { JOINTS = 2000, ANGLES = 20000 };

static uint8_t *output;
static size_t output_size, output_capacity;

static void put(const void *bytes, size_t size)
{
    if (output_capacity - output_size < size) {
        size_t capacity = 2 * output_capacity + size;
        uint8_t *grown = realloc(output, capacity);
        if (!grown) {
            abort();
        }
        output = grown;
        output_capacity = capacity;
    }
    memcpy(output + output_size, bytes, size);
    output_size += size;
}

static void put_float(float x)
{
    put(&x, sizeof(x));
}

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
        put_float(lmb_asin(u));
        put_float(lmb_acos(u));
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
        lmb_quat mixed[3] = {lmb_quat_slerp(a, b, t), lmb_quat_nlerp(a, b, t), lmb_quat_mul(a, b)};
        put(mixed, sizeof(mixed));
        lmb_quat_swing_twist(a, lmb_quat_rotate(b, lmb_vec3_make(0, 0, 1)), &swing, &twist);
        put(&swing, sizeof(swing));
        put(&twist, sizeof(twist));
        lmb_quat_to_euler(a, "zxy", angles);
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
        local[k] = lmb_joint_limit_apply(&limit, skeleton->rest[k], random_transform(random));
    }
    lmb_pose_to_model(&(lmb_pose_to_model_job){
        .skeleton = skeleton, .local = local, .model_from_joint = model});
    put(local, sizeof(local));
    put(model, sizeof(model));
    lmb_skeleton_destroy(skeleton);
}

static const struct {
    const char *name;
    void (*run)(lmb_random *random);
} cases[] = {
    {"trigonometry", trigonometry},
    {"rotations", rotations},
    {"kinematics", kinematics},
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
    bool written = fwrite(output, 1, output_size, stdout) == output_size;
    free(output);
    return written && fflush(stdout) == 0 ? 0 : 1;
}
#endif
