// Rotations of an object in two layers, for every rotation order and every mode of combining, beside
// matrices in double precision.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "io/fbx/fbx.h"
#include "io/fbx_text.h"

#define DEGREE 0.017453292519943295

typedef struct rotation {
    double m[3][3]; ///< rows
} rotation;

static rotation times(rotation a, rotation b)
{
    rotation c = {0};
    for (int i = 0; i < 9; ++i) {
        for (int k = 0; k < 3; ++k) {
            c.m[i / 3][i % 3] += a.m[i / 3][k] * b.m[k][i % 3];
        }
    }
    return c;
}

static rotation transposed(rotation a)
{
    rotation b;
    for (int i = 0; i < 9; ++i) {
        b.m[i / 3][i % 3] = a.m[i % 3][i / 3];
    }
    return b;
}

/// About a unit axis (Rodrigues).
static rotation about(const double axis[3], double angle)
{
    const double c = cos(angle), s = sin(angle), x = axis[0], y = axis[1], z = axis[2];
    return (rotation){{{c + x * x * (1 - c), x * y * (1 - c) - z * s, x * z * (1 - c) + y * s},
                       {y * x * (1 - c) + z * s, c + y * y * (1 - c), y * z * (1 - c) - x * s},
                       {z * x * (1 - c) - y * s, z * y * (1 - c) + x * s, c + z * z * (1 - c)}}};
}

/// The axis named first turns first.
static rotation euler(const char *first_to_last, const double degrees[3])
{
    rotation all = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    for (int i = 0; i < 3; ++i) {
        const int letter = first_to_last[i] - 'X';
        const double axis[3] = {letter == 0, letter == 1, letter == 2};
        all = times(about(axis, degrees[letter] * DEGREE), all);
    }
    return all;
}

/// A fraction of a rotation by less than half a turn: the same axis, a fraction of the angle.
static rotation fraction_of(rotation r, double fraction)
{
    const double out[3] = {r.m[2][1] - r.m[1][2], r.m[0][2] - r.m[2][0], r.m[1][0] - r.m[0][1]};
    const double twice = sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2]);
    const double axis[3] = {out[0] / twice, out[1] / twice, out[2] / twice};
    return about(axis, fraction * atan2(twice, r.m[0][0] + r.m[1][1] + r.m[2][2] - 1));
}

/// The angles about x, y and z that give the rotation in the order XYZ.
static void angles_of(rotation r, double degrees[3])
{
    degrees[0] = atan2(r.m[2][1], r.m[2][2]) / DEGREE;
    degrees[1] = asin(-r.m[2][0]) / DEGREE;
    degrees[2] = atan2(r.m[1][0], r.m[0][0]) / DEGREE;
}

enum { ADDITIVE, OVERRIDE, PASS_THROUGH };
enum { BY_LAYER, BY_CHANNEL };

static rotation expected(const char *order, const double low[3], const double high[3], int mode,
                         int accumulation, double weight)
{
    double degrees[3];
    if (mode == OVERRIDE) {
        return euler(order, high);
    }
    if (accumulation == BY_LAYER) {
        const rotation a = euler("XYZ", low), b = euler("XYZ", high);
        angles_of(times(a, mode == ADDITIVE ? fraction_of(b, weight)
                                            : fraction_of(times(transposed(a), b), weight)),
                  degrees);
        return euler(order, degrees);
    }
    for (int i = 0; i < 3; ++i) {
        degrees[i] = low[i] * (mode == ADDITIVE ? 1 : 1 - weight) + high[i] * weight;
    }
    return euler(order, degrees);
}

/// A layer whose curves hold three angles, still, through three frames.
static void add_layer(fbx_text *text, int id, const double degrees[3], const char *properties)
{
    fbx_add(text,
            "\tAnimationLayer: %d, \"AnimLayer::l%d\", \"\" {\n\t\tProperties70: {\n%s\t\t}\n\t}\n",
            id, id, properties);
    fbx_add(text, "\tAnimationCurveNode: %d, \"AnimCurveNode::R\", \"\" {\n\t\tProperties70: {\n",
            id + 1);
    for (int i = 0; i < 3; ++i) {
        fbx_add(text, "\t\t\tP: \"d|%c\", \"Number\", \"\", \"A\",%.9g\n", 'X' + i, degrees[i]);
    }
    fbx_add(text, "\t\t}\n\t}\n");
    for (int i = 0; i < 3; ++i) {
        fbx_add(text,
                "\tAnimationCurve: %d, \"AnimCurve::\", \"\" {\n\t\tKeyTime: *2 { a: 0,%lld }\n"
                "\t\tKeyValueFloat: *2 { a: %.9g,%.9g }\n\t\tKeyAttrFlags: *1 { a: 4 }\n"
                "\t\tKeyAttrDataFloat: *4 { a: 0,0,218434821,0 }\n"
                "\t\tKeyAttrRefCount: *1 { a: 2 }\n\t}\n",
                id + 2 + i, (long long)(3 * FBX_FRAME), degrees[i], degrees[i]);
    }
}

static void link_layer(fbx_text *text, int id)
{
    fbx_add(text, "\tC: \"OO\",%d,20\n\tC: \"OO\",%d,%d\n\tC: \"OP\",%d,10, \"Lcl Rotation\"\n", id,
            id + 1, id, id + 1);
    for (int i = 0; i < 3; ++i) {
        fbx_add(text, "\tC: \"OP\",%d,%d, \"d|%c\"\n", id + 2 + i, id + 1, 'X' + i);
    }
}

static lmb_character *read_layered(int order, const double low[3], const double high[3],
                                   const char *properties)
{
    fbx_text text = {0};
    lmb_character *c = NULL;
    lmb_error error = {0};
    fbx_add(&text, FBX_HEAD("7500") FBX_SETTINGS "Objects:  {\n");
    fbx_add(&text,
            "\tModel: 10, \"Model::a\", \"Null\" {\n\t\tVersion: 232\n\t\tProperties70:  {\n"
            "\t\t\tP: \"RotationOrder\", \"enum\", \"\", \"\",%d\n"
            "\t\t\tP: \"RotationActive\", \"bool\", \"\", \"\",1\n\t\t}\n\t}\n"
            "\tAnimationStack: 20, \"AnimStack::move\", \"\" {\n\t\tProperties70:  {\n"
            "\t\t\tP: \"LocalStart\", \"KTime\", \"Time\", \"\",0\n"
            "\t\t\tP: \"LocalStop\", \"KTime\", \"Time\", \"\",%lld\n\t\t}\n\t}\n",
            order, (long long)(3 * FBX_FRAME));
    add_layer(&text, 30, low, "");
    add_layer(&text, 40, high, properties);
    fbx_add(&text, "}\nConnections:  {\n\tC: \"OO\",10,0\n");
    link_layer(&text, 30);
    link_layer(&text, 40);
    fbx_add(&text, "}\n");
    if (lmbi_fbx_read(text.data, text.size, NULL, NULL, &c, &error) != LMB_OK) {
        fail_msg("%u: expected %s, found %s", error.line, error.expected, error.found);
    }
    free(text.data);
    return c;
}

static const char *const orders[] = {"XYZ", "XZY", "YZX", "YXZ", "ZXY", "ZYX"};

static lmb_mat4 read_rotation(int order, int mode, int accumulation, double weight,
                              const double low[3], const double high[3])
{
    char properties[512];
    snprintf(properties, sizeof properties,
             "\t\t\tP: \"BlendMode\", \"enum\", \"\", \"\",%d\n"
             "\t\t\tP: \"RotationAccumulationMode\", \"enum\", \"\", \"\",%d\n"
             "\t\t\tP: \"Weight\", \"Number\", \"\", \"A\",%.9g\n",
             mode, accumulation, 100 * weight);
    lmb_character *c = read_layered(order, low, high, properties);
    lmb_transform local = c->skeleton->rest[0];
    lmb_sample(&(lmb_sample_job){.clip = c->clips[0],
                                 .time_s = 0.05,
                                 .joint_count = c->skeleton->joint_count,
                                 .rest = c->skeleton->rest,
                                 .pose = &local});
    lmb_character_destroy(c);
    return lmb_mat4_from_transform(local);
}

/// What Maya made of a box whose layer passes through to the one below it, for every order: two of
/// its edges, of a frame that Maya also wrote as an OBJ.
static void mayas_snapshots_agree(void **state)
{
    (void)state;
    static const double low[3] = {87.218253390, 0, 43.609126695}, high[3] = {-45, 87.218253390, 0};
    static const struct {
        int order;
        double edges[2][3];
    } boxes[] = {
        {0, {{0.049294, 0.010318, -1.009598}, {-3.401243, 3.454914, -0.130757}}},
        {2, {{0.049294, -0.537658, -0.854587}, {-0.993661, 3.991957, -2.568832}}},
        {4, {{-0.062639, 0.174161, -0.993765}, {-2.615148, 3.991957, 0.864443}}},
        {1, {{0.049294, 0.207105, -0.988181}, {-2.662877, 3.991957, 0.703806}}},
        {3, {{0.161228, -0.524428, -0.849004}, {-0.835601, 3.991956, -2.624506}}},
        {5, {{0.049294, -0.360585, -0.943066}, {-0.049506, 4.529000, -1.734269}}},
    };
    for (size_t k = 0; k < sizeof boxes / sizeof *boxes; ++k) {
        const lmb_mat4 got =
            read_rotation(boxes[k].order, PASS_THROUGH, BY_LAYER, 0.993903043, low, high);
        for (int e = 0; e < 2; ++e) {
            const double *edge = boxes[k].edges[e];
            const double size = sqrt(edge[0] * edge[0] + edge[1] * edge[1] + edge[2] * edge[2]);
            for (int i = 0; i < 3; ++i) {
                const double off = fabs((double)got.m[4 * e + i] - edge[i] / size);
                if (off > 1e-4) {
                    fail_msg("%s: off by %g", orders[boxes[k].order], off);
                }
            }
        }
    }
}

static void check(int order, int mode, int accumulation, double weight, const double low[3],
                  const double high[3])
{
    const rotation want = expected(orders[order], low, high, mode, accumulation, weight);
    const lmb_mat4 got = read_rotation(order, mode, accumulation, weight, low, high);
    for (int i = 0; i < 9; ++i) {
        const double off = fabs((double)got.m[4 * (i % 3) + i / 3] - want.m[i / 3][i % 3]);
        if (off > 1e-5) {
            fail_msg("%s, mode %d, accumulation %d, weight %g: off by %g", orders[order], mode,
                     accumulation, weight, off);
        }
    }
}

static void layers_rotate_alike_in_every_order(void **state)
{
    (void)state;
    static const double angles[][2][3] = {
        {{20, -35, 50}, {40, 25, -60}},
        {{-70, 10, 85}, {15, -80, 120}}, // past a right angle between them
        {{0, 0, 0}, {30, 89, -10}},
        {{100, 60, -140}, {10, 20, 30}},
    };
    for (size_t k = 0; k < sizeof angles / sizeof *angles; ++k) {
        for (int mode = 0; mode < 6 * 3 * 2; ++mode) {
            check(mode % 6, mode / 6 % 3, mode / 18, 0.3, angles[k][0], angles[k][1]);
            check(mode % 6, mode / 6 % 3, mode / 18, 1, angles[k][0], angles[k][1]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layers_rotate_alike_in_every_order),
        cmocka_unit_test(mayas_snapshots_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
