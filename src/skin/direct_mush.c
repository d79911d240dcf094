/// Skinning by direct delta mush (Le and Lewis 2019, section 4, variant v0).
#include "skin/binding.h"
#include "skin/mush.h"

/// A rotation, rows by columns, and where it takes the point's smoothed place.
typedef struct turn {
    float r[3][3];
    lmb_vec3 place;
} turn;

/// A = sum of R_j S_ij + y_j m_ij^T and q = sum of R_j m_ij + w_ij y_j, y_j = T_j p_i: the covariance of the surface around,
/// posed against at rest, and where its middle goes.
static void blend(const lmb_mush *mush, const lmb_mat4 *palette, uint32_t point, float a[3][3],
                  lmb_vec3 *place)
{
    float q[3] = {0};
    for (int r = 0; r < 3; ++r) {
        a[r][0] = a[r][1] = a[r][2] = 0;
    }
    for (uint32_t k = mush->first[point]; k < mush->first[point + 1]; ++k) {
        const float *m = palette[mush->joints[k]].m;
        const lmbi_mush_item *item = &mush->items[k];
        const float *s = item->spread, *mean = item->mean;
        const lmb_vec3 moved = lmbi_point(&palette[mush->joints[k]], mush->places[point]);
        const float y[3] = {moved.x, moved.y, moved.z};
        for (int r = 0; r < 3; ++r) {
            const float x0 = m[r], x1 = m[4 + r], x2 = m[8 + r];
            a[r][0] += x0 * s[0] + x1 * s[3] + x2 * s[5] + y[r] * mean[0];
            a[r][1] += x0 * s[3] + x1 * s[1] + x2 * s[4] + y[r] * mean[1];
            a[r][2] += x0 * s[5] + x1 * s[4] + x2 * s[2] + y[r] * mean[2];
            q[r] += x0 * mean[0] + x1 * mean[1] + x2 * mean[2] + y[r] * item->weight;
        }
    }
    *place = lmb_vec3_make(q[0], q[1], q[2]);
}

static void cofactors(float b[3][3], float c[3][3])
{
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        c[i][0] = b[j][1] * b[k][2] - b[j][2] * b[k][1];
        c[i][1] = b[j][2] * b[k][0] - b[j][0] * b[k][2];
        c[i][2] = b[j][0] * b[k][1] - b[j][1] * b[k][0];
    }
}

static float square_sum(float b[3][3])
{
    float rows[3];
    for (int i = 0; i < 3; ++i) {
        rows[i] = b[i][0] * b[i][0] + b[i][1] * b[i][1] + b[i][2] * b[i][2];
    }
    return rows[0] + rows[1] + rows[2];
}

/// The sum of the singular values of B, |B| = 1, from the square of its cofactors C and d = |det B|: the largest root of
/// (x^2 - 1)^2 = 4 (C + 2 d x). Read as x = sqrt(1 + 2 sqrt(C + 2 d x)), which shrinks errors to a ninth or less, also where
/// two roots nearly meet; then Newton's method from above.
static float singular_sum(float d, float cofactor_square)
{
    float x = 1.7320509f; // the sum is at most sqrt 3
    for (int i = 0; i < 2; ++i) {
        x = sqrtf(1 + 2 * sqrtf(cofactor_square + 2 * d * x));
    }
    for (int i = 0; i < 2; ++i) {
        const float u = x * x - 1;
        const float slope = 4 * x * u - 8 * d;
        x -= slope > 1e-12f ? (u * u - 8 * d * x - 4 * cofactor_square) / slope : 0;
    }
    return x;
}

/// The smallest singular value: the least root of z^3 - sum z^2 + (sum^2 - 1) / 2 z - d, by Laguerre's method from 0. All
/// three are real, so it rises to the root without passing it.
static float least_singular(float sum, float d)
{
    const float pairs = 0.5f * (sum * sum - 1);
    float z = 0;
    for (int i = 0; i < 4; ++i) {
        const float p = ((z - sum) * z + pairs) * z - d;
        const float slope = (3 * z - 2 * sum) * z + pairs;
        const float bend = 4 * slope * slope - 6 * p * (6 * z - 2 * sum);
        const float divisor = slope + sqrtf(bend > 0 ? bend : 0);
        z -= divisor > 1e-12f ? 3 * p / divisor : 0;
    }
    return z;
}

static lmb_vec3 unit_or(float x, float y, float z, lmb_vec3 fallback)
{
    const float square = x * x + y * y + z * z;
    const float inverse = 1 / sqrtf(square);
    return square > 1e-12f ? lmb_vec3_make(x * inverse, y * inverse, z * inverse) : fallback;
}

/// Gram-Schmidt over the columns: where the answer is open, and only rounding is left of it, a rotation all the same.
static void make_orthonormal(float r[3][3])
{
    const lmb_vec3 x = unit_or(r[0][0], r[1][0], r[2][0], lmb_vec3_make(1, 0, 0));
    const float along = r[0][1] * x.x + r[1][1] * x.y + r[2][1] * x.z;
    const lmb_vec3 y = unit_or(r[0][1] - along * x.x, r[1][1] - along * x.y, r[2][1] - along * x.z,
                               fabsf(x.y) < 0.5f ? lmb_vec3_make(0, 1, 0) : lmb_vec3_make(0, 0, 1));
    const lmb_vec3 z = lmb_vec3_cross(x, y);
    r[0][0] = x.x, r[0][1] = y.x, r[0][2] = z.x;
    r[1][0] = x.y, r[1][1] = y.y, r[1][2] = z.y;
    r[2][0] = x.z, r[2][1] = y.z, r[2][2] = z.z;
}

/// The rotation nearest to `a`, by FOAM (Markley 1993, eq. 24 to 28): ((k + |B|^2) B + x cof B - B B^T B) / (k x - det B),
/// k = (x^2 - |B|^2) / 2, with a scaled to |B| = 1. x is the sum of the singular values, the last with the sign of det B. Only
/// products, sums, divisions and roots: the same bits everywhere.
static void nearest_rotation(float a[3][3], float r[3][3])
{
    const float size = square_sum(a);
    const float inverse = size > 0 ? 1 / sqrtf(size) : 0;
    float b[3][3], c[3][3], g[3][3];
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            b[i][j] = a[i][j] * inverse;
        }
    }
    cofactors(b, c);
    const float determinant = b[0][0] * c[0][0] + b[0][1] * c[0][1] + b[0][2] * c[0][2];
    const float absolute = fabsf(determinant);
    float x = singular_sum(absolute, square_sum(c));
    x -= determinant < 0 ? 2 * least_singular(x, absolute) : 0;
    const float k = 0.5f * (x * x - 1), scale = k * x - determinant;
    const float share = scale > 1e-12f ? 1 / scale : 0;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            g[i][j] = b[i][0] * b[j][0] + b[i][1] * b[j][1] + b[i][2] * b[j][2];
        }
    }
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            const float cube = g[i][0] * b[0][j] + g[i][1] * b[1][j] + g[i][2] * b[2][j];
            r[i][j] = ((k + 1) * b[i][j] + x * c[i][j] - cube) * share;
        }
    }
    make_orthonormal(r);
}

static lmb_vec3 rotated(const turn *t, lmb_vec3 v)
{
    return lmb_vec3_make(t->r[0][0] * v.x + t->r[0][1] * v.y + t->r[0][2] * v.z,
                         t->r[1][0] * v.x + t->r[1][1] * v.y + t->r[1][2] * v.z,
                         t->r[2][0] * v.x + t->r[2][1] * v.y + t->r[2][2] * v.z);
}

static void turn_directions(const lmb_skin_job *skin, const turn *t, size_t v)
{
    if (skin->normals != NULL && skin->out_normals != NULL) {
        skin->out_normals[v] = lmbi_unit(rotated(t, skin->normals[v]));
    }
    if (skin->tangents != NULL && skin->out_tangents != NULL) {
        const lmb_vec4 given = skin->tangents[v];
        const lmb_vec3 turned = lmbi_unit(rotated(t, lmb_vec3_make(given.x, given.y, given.z)));
        skin->out_tangents[v] = (lmb_vec4){turned.x, turned.y, turned.z, given.w};
    }
}

static void mush_piece(void *context, size_t begin, size_t end)
{
    const lmb_skin_mush_job *job = context;
    const lmb_skin_job *skin = &job->skin;
    const lmb_mush *mush = job->mush;
    for (size_t v = begin; v < end; ++v) {
        const uint32_t point = mush->point_of[v];
        float covariance[3][3];
        turn t;
        blend(mush, skin->model_from_bind, point, covariance, &t.place);
        nearest_rotation(covariance, t.r);
        if (skin->positions != NULL && skin->out_positions != NULL) {
            const lmb_vec3 arm = lmb_vec3_sub(skin->positions[v], mush->places[point]);
            skin->out_positions[v] = lmb_vec3_add(rotated(&t, arm), t.place);
        }
        turn_directions(skin, &t, v);
    }
}

void lmb_skin_mush(const lmb_skin_mush_job *job)
{
    lmb_skin_mush_job copy = *job;
    lmb_parallel_for(job->skin.jobs, job->mush->vertex_count, LMBI_SKIN_GRAIN, mush_piece, &copy);
}
