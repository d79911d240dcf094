/// Measurements of a body and of its limb tips in one view.
#include "embed/template/template.h"

#include <math.h>

/// Length of the outer end of a branch whose direction counts, in gyration radii.
static const float END = 0.25f;
/// Height of what touches the ground, as a fraction of the body's height.
static const float GROUND = 0.05f;

static lmb_vec3 in_view(const lmbi_body_view *v, lmb_vec3 p)
{
    return lmb_vec3_make(lmb_vec3_dot(p, v->left) - v->offset, lmb_vec3_dot(p, v->up) - v->low,
                         lmb_vec3_dot(p, v->forward));
}

/// Sums over the solid of the powers of its coordinates.
typedef struct moments {
    double square[3], cube[3];
    double support, support_count;
    double deep, deep_fore, deep_up, deep_rise; ///< weighted by squared depth
} moments;

static void measure_extent(const lmbi_voxel_body *body, lmbi_body_view *v)
{
    float low = 1e30f, high = -1e30f;
    for (uint32_t k = 0; k < body->solid_count; ++k) {
        const float h = lmb_vec3_dot(body->at[k], v->up);
        low = fminf(low, h);
        high = fmaxf(high, h);
    }
    v->low = low - 0.5f * body->grid.cell;
    v->high = high + 0.5f * body->grid.cell;
}

static moments sum_moments(const lmbi_voxel_body *body, const lmbi_body_view *v)
{
    moments m = {0};
    const float ground = v->low + GROUND * (v->high - v->low);
    for (uint32_t k = 0; k < body->solid_count; ++k) {
        const lmb_vec3 d = lmb_vec3_sub(body->at[k], body->centroid);
        const double along[3] = {(double)lmb_vec3_dot(d, v->left), (double)lmb_vec3_dot(d, v->up),
                                 (double)lmb_vec3_dot(d, v->forward)};
        for (int a = 0; a < 3; ++a) {
            const double square = along[a] * along[a];
            m.square[a] += square;
            m.cube[a] += square * along[a];
        }
        const double depth = (double)body->depth[body->solid[k]], weight = depth * depth;
        m.deep += weight;
        m.deep_fore += weight * along[2];
        m.deep_up += weight * along[1];
        m.deep_rise += weight * along[1] * along[2];
        if (lmb_vec3_dot(body->at[k], v->up) < ground) {
            m.support += along[2];
            m.support_count += 1;
        }
    }
    return m;
}

static float skewness(const moments *m, int axis, double count)
{
    const float deviation = lmb_sqrt((float)(m->square[axis] / count));
    return (float)(m->cube[axis] / count) / fmaxf(deviation * deviation * deviation, 1e-9f);
}

static float log_of(float x)
{
    return lmb_log(fmaxf(x, 1e-3f));
}

static void measure_body(const lmbi_voxel_body *body, float asymmetry, lmbi_body_view *v)
{
    measure_extent(body, v);
    const moments m = sum_moments(body, v);
    const double n = body->solid_count;
    v->radius = lmb_sqrt((float)((m.square[0] + m.square[1] + m.square[2]) / n));
    const float r = fmaxf(v->radius, 1e-6f);
    const double feet = m.support_count > 0 ? m.support_count : 1;
    const float mean = (float)(m.support / feet);
    v->body[LMBI_BODY_WIDE] = log_of(lmb_sqrt((float)(m.square[0] / n)) / r);
    v->body[LMBI_BODY_TALL] = log_of(lmb_sqrt((float)(m.square[1] / n)) / r);
    v->body[LMBI_BODY_LONG] = log_of(lmb_sqrt((float)(m.square[2] / n)) / r);
    v->body[LMBI_BODY_MASS] =
        (lmb_vec3_dot(body->centroid, v->up) - v->low) / fmaxf(v->high - v->low, 1e-6f);
    v->body[LMBI_BODY_ASYMMETRY] = asymmetry;
    v->body[LMBI_BODY_SKEW] = skewness(&m, 2, n);
    v->body[LMBI_BODY_SUPPORT] = mean / r;
    const double deep = m.deep > 0 ? m.deep : 1, fore = m.deep_fore / deep;
    v->body[LMBI_BODY_RISE] = (float)(m.deep_rise / deep - fore * (m.deep_up / deep)) / (r * r);
    v->body[LMBI_BODY_WEIGHT] = (float)fore / r;
}

/// The point on the path of a tip to the center at an arc of `along`.
static lmb_vec3 point_inward(const lmbi_voxel_body *body, const lmbi_tip *tip, float along)
{
    const float stop = body->geodesic[tip->voxel] - along / body->grid.cell;
    uint32_t v = tip->voxel;
    while (body->geodesic[v] > stop && body->previous[v] != v) {
        v = body->previous[v];
    }
    return lmbi_grid_center(&body->grid, v);
}

/// The side of a limb: the mean x of the middle of its path to the center. A hand or a foot may lie
/// across the plane, and a plane may be askew.
static float side_of(const lmbi_voxel_body *body, const lmbi_tip *tip, const lmbi_body_view *v)
{
    static const float fractions[3] = {0.35f, 0.5f, 0.65f};
    float sum = 0;
    for (int k = 0; k < 3; ++k) {
        sum += in_view(v, point_inward(body, tip, fractions[k] * tip->geodesic)).x;
    }
    return sum / 3;
}

static void measure_tip(const lmbi_voxel_body *body, const lmbi_tip *tip, lmbi_body_view *v,
                        uint32_t n)
{
    const float r = fmaxf(v->radius, 1e-6f), height = fmaxf(v->high - v->low, 1e-6f);
    const float middle = lmb_vec3_dot(body->centroid, v->forward);
    const lmb_vec3 at = in_view(v, tip->position), base = in_view(v, tip->base);
    const lmb_vec3 inward = in_view(v, point_inward(body, tip, END * r));
    float *f = v->tips[n];
    v->at[n] = at;
    v->geodesic[n] = tip->geodesic;
    v->side[n] = side_of(body, tip, v);
    f[LMBI_TIP_HEIGHT] = at.y / height;
    f[LMBI_TIP_BASE] = base.y / height;
    f[LMBI_TIP_LENGTH] = lmb_log((tip->length + 0.02f * r) / r);
    f[LMBI_TIP_SIDE] = fabsf(at.x) / r;
    f[LMBI_TIP_FORE] = (at.z - middle) / r;
    f[LMBI_TIP_BASE_FORE] = (base.z - middle) / r;
    f[LMBI_TIP_RADIUS] = lmb_log((tip->radius + 0.02f * r) / r);
    f[LMBI_TIP_POINTS] = (at.z - inward.z) / (END * r);
}

void lmbi_body_view_measure(const lmbi_voxel_body *body, const lmbi_tip *tips, uint32_t tip_count,
                            const lmbi_mirror *plane, lmb_vec3 up, lmbi_body_view *out)
{
    *out = (lmbi_body_view){.left = plane->normal,
                            .up = up,
                            .forward = lmb_vec3_cross(plane->normal, up),
                            .offset = plane->offset};
    measure_body(body, plane->miss, out);
    out->tip_count = tip_count < LMBI_VIEW_TIPS ? tip_count : LMBI_VIEW_TIPS;
    for (uint32_t n = 0; n < out->tip_count; ++n) {
        measure_tip(body, &tips[n], out, n);
    }
}

void lmbi_body_view_reverse(const lmbi_body_view *view, lmbi_body_view *out)
{
    *out = *view;
    out->left = lmb_vec3_neg(view->left);
    out->forward = lmb_vec3_neg(view->forward);
    out->offset = -view->offset;
    out->body[LMBI_BODY_SKEW] = -view->body[LMBI_BODY_SKEW];
    out->body[LMBI_BODY_SUPPORT] = -view->body[LMBI_BODY_SUPPORT];
    out->body[LMBI_BODY_RISE] = -view->body[LMBI_BODY_RISE];
    out->body[LMBI_BODY_WEIGHT] = -view->body[LMBI_BODY_WEIGHT];
    for (uint32_t n = 0; n < out->tip_count; ++n) {
        float *f = out->tips[n];
        f[LMBI_TIP_FORE] = -f[LMBI_TIP_FORE];
        f[LMBI_TIP_BASE_FORE] = -f[LMBI_TIP_BASE_FORE];
        f[LMBI_TIP_POINTS] = -f[LMBI_TIP_POINTS];
        out->side[n] = -view->side[n];
        out->at[n] = lmb_vec3_make(-view->at[n].x, view->at[n].y, -view->at[n].z);
    }
}

void lmbi_body_view_pair(const lmbi_body_view *view, uint32_t a, uint32_t b,
                         float out[LMBI_PAIR_FEATURES])
{
    const float r = fmaxf(view->radius, 1e-6f);
    const lmb_vec3 p = view->at[a], q = view->at[b];
    out[LMBI_PAIR_MIRROR] = lmb_vec3_distance(lmbi_mirrored(p), q) / r;
    out[LMBI_PAIR_GEODESIC] = fabsf(view->geodesic[a] - view->geodesic[b]) / r;
}
