#include "learn/stretch.h"

#include <math.h>

#include "linalg/linalg.h"

/// Proper signed permutations of three axes: column k of the rotation is sign[k] times axis[k].
typedef struct reordering {
    int axis[3];
    double sign[3];
} reordering;

/// Reordering number 0 to 23: six orders by four pairs of signs; the third sign makes it proper.
static reordering reordering_of(int number)
{
    static const int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                     {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    const int order = number / 4;
    const double parity = order < 3 ? 1 : -1;
    reordering r;
    for (int k = 0; k < 3; ++k) {
        r.axis[k] = orders[order][k];
    }
    r.sign[0] = number & 1 ? -1 : 1;
    r.sign[1] = number & 2 ? -1 : 1;
    r.sign[2] = parity * r.sign[0] * r.sign[1];
    return r;
}

static lmb_quat quat_of(const double m[3][3], const reordering *r)
{
    lmb_vec3 columns[3];
    for (int k = 0; k < 3; ++k) {
        columns[k] = lmb_vec3_make((float)(r->sign[k] * m[0][r->axis[k]]),
                                   (float)(r->sign[k] * m[1][r->axis[k]]),
                                   (float)(r->sign[k] * m[2][r->axis[k]]));
    }
    return lmb_quat_from_axes(columns[0], columns[1], columns[2]);
}

static float nearness(lmb_quat a, lmb_quat b)
{
    return fabsf(lmb_quat_dot(a, b));
}

lmbi_stretch lmbi_stretch_of(lmb_mat4 model_from_joint, const lmbi_stretch *before)
{
    double linear[3][3], u[3][3], s[3], v[3][3];
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            linear[r][c] = (double)model_from_joint.m[4 * c + r];
        }
    }
    lmbi_svd3((const double(*)[3])linear, u, s, v);
    lmbi_stretch best = {0};
    float best_score = -1;
    for (int number = 0; number < 24; ++number) {
        const reordering order = reordering_of(number);
        const lmb_quat outer = quat_of((const double(*)[3])u, &order);
        const lmb_quat inner = lmb_quat_conjugate(quat_of((const double(*)[3])v, &order));
        const float score =
            before ? nearness(outer, before->outer.rotation) + nearness(inner, before->inner)
                   : nearness(inner, lmb_quat_identity());
        if (score > best_score) {
            best_score = score;
            best.outer = (lmb_transform){
                lmb_mat4_translation(model_from_joint),
                outer,
                {(float)s[order.axis[0]], (float)s[order.axis[1]], (float)s[order.axis[2]]}};
            best.inner = inner;
        }
    }
    return best;
}
