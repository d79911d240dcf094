/// Models of FBX files for tests: their text, what comes of it, and transforms in double to compare
/// with.
#ifndef TESTS_IO_FBX_MODELS_H
#define TESTS_IO_FBX_MODELS_H

#include <math.h>

#include "io/fbx/fbx.h"
#include "io/fbx_text.h"
#include "posed.h"

// ------------------------------------------------------------------------------- double reference

typedef struct mat {
    double m[4][4]; ///< rows
} mat;

static inline mat one(void)
{
    return (mat){{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}};
}

static inline mat times(mat a, mat b)
{
    mat c = {0};
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) {
            for (int k = 0; k < 4; ++k) {
                c.m[i][j] += a.m[i][k] * b.m[k][j];
            }
        }
    }
    return c;
}

static inline mat moved(const double v[3], double sign)
{
    mat a = one();
    for (int i = 0; i < 3; ++i) {
        a.m[i][3] = sign * v[i];
    }
    return a;
}

static inline mat scaled(const double v[3])
{
    mat a = one();
    for (int i = 0; i < 3; ++i) {
        a.m[i][i] = v[i];
    }
    return a;
}

static inline mat rotated(int axis, double degrees)
{
    const double c = cos(degrees * 0.017453292519943295), s = sin(degrees * 0.017453292519943295);
    const int i = (axis + 1) % 3, j = (axis + 2) % 3;
    mat a = one();
    a.m[i][i] = a.m[j][j] = c;
    a.m[i][j] = -s;
    a.m[j][i] = s;
    return a;
}

/// The axis named first turns first.
static inline mat euler(const char *first_to_last, const double v[3])
{
    mat a = one();
    for (int i = 0; i < 3; ++i) {
        a = times(rotated(first_to_last[i] - 'X', v[first_to_last[i] - 'X']), a);
    }
    return a;
}

static inline mat transposed(mat a)
{
    mat b = a;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            b.m[i][j] = a.m[j][i];
        }
    }
    return b;
}

static inline void assert_near_at(double got, double want, double within, int line)
{
    if (!(fabs(got - want) <= within)) {
        print_error("line %d: %.9g, expected %.9g\n", line, got, want);
    }
    assert_true(fabs(got - want) <= within);
}
#define assert_near(got, want, within) \
    assert_near_at((double)(got), (double)(want), within, __LINE__)

static inline void assert_matrix(lmb_mat4 got, mat want, double within)
{
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 4; ++j) {
            const double off = fabs((double)got.m[4 * j + i] - want.m[i][j]);
            if (off > within) {
                print_error("row %d column %d: %.9g, expected %.9g\n", i, j,
                            (double)got.m[4 * j + i], want.m[i][j]);
            }
            assert_true(off <= within);
        }
    }
}

// ---------------------------------------------------------------------------------------- reading

static inline lmb_character *read_bytes(const void *data, size_t size)
{
    lmb_character *c = NULL;
    lmb_error error = {0};
    const lmb_result result = lmbi_fbx_read(data, size, NULL, NULL, &c, &error);
    if (result != LMB_OK) {
        print_error("%u byte %zu: expected %s, found %s\n", error.line, error.offset,
                    error.expected, error.found);
    }
    assert_int_equal(result, LMB_OK);
    return c;
}

static inline lmb_character *read_text(const fbx_text *text)
{
    return read_bytes(text->data, text->size);
}

static inline void pose(const lmb_character *c, double time_s, lmb_mat4 *model)
{
    lmb_transform *local = malloc(c->skeleton->joint_count * sizeof *local);
    test_model_at(c, time_s, local, model);
    free(local);
}

static inline void add_vec(fbx_text *text, const char *name, const double v[3])
{
    fbx_add(text, "\t\t\tP: \"%s\", \"Vector3D\", \"Vector\", \"\",%.9g,%.9g,%.9g\n", name, v[0],
            v[1], v[2]);
}

static inline void begin_model(fbx_text *text, int id, const char *name, const char *kind)
{
    fbx_add(text, "\tModel: %d, \"Model::%s\", \"%s\" {\n\t\tVersion: 232\n\t\tProperties70:  {\n",
            id, name, kind);
}

static inline void end_model(fbx_text *text)
{
    fbx_add(text, "\t\t}\n\t\tShading: Y\n\t\tCulling: \"CullingOff\"\n\t}\n");
}

static inline void begin_file(fbx_text *text)
{
    fbx_add(text, FBX_HEAD("7500") FBX_SETTINGS "Objects:  {\n");
}

#endif
