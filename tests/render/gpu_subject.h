/// A mesh, poses and what skinning has to make of them: by the library's CPU for linear blends and
/// morphs, by a double-precision evaluation of its own for dual quaternions.
#ifndef TESTS_RENDER_GPU_SUBJECT_H
#define TESTS_RENDER_GPU_SUBJECT_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "asset/asset.h"
#include "limber/render.h"
#include "limber/skin.h"
#include "skin/skin.h"

/// Skinned vertices as the shaders write them: position, normal, tangent.
typedef struct skinned {
    float position[3], normal[3], tangent[4];
} skinned;

typedef struct subject {
    lmb_mesh *mesh;
    uint32_t joint_count, palette_count;
    lmb_mat4 *palettes;   ///< [palette_count][joint_count]
    float *morph_weights; ///< [palette_count][target_count]
    lmb_vec3 *origins;    ///< [joint_count]
    float diagonal;
} subject;

static void *subject_memory(size_t count, size_t size)
{
    void *block = calloc(count > 0 ? count : 1, size);
    if (block == NULL) {
        fputs("out of memory\n", stderr);
        exit(1);
    }
    return block;
}

static lmb_vec3 subject_vec3(lmb_random *random, float size)
{
    const float x = lmb_random_range(random, -size, size),
                y = lmb_random_range(random, -size, size);
    return lmb_vec3_make(x, y, lmb_random_range(random, -size, size));
}

/// 1 to `influences` joints a vertex, weights falling; every seventh vertex has none.
static uint32_t subject_row(lmb_random *random, uint32_t v, uint32_t influences, uint32_t joints,
                            lmb_influence *row)
{
    const uint32_t count = v % 7 == 3 ? 0 : 1 + v % influences;
    const uint32_t start = lmb_random_u32(random) % joints;
    float sum = 0;
    for (uint32_t k = 0; k < count; ++k) {
        const float weight = lmb_random_range(random, 0.6f, 1.0f) / (float)(1u << k);
        row[k] = (lmb_influence){(start + 3 * k) % joints, weight};
        sum += weight;
    }
    for (uint32_t k = 0; k < count; ++k) {
        row[k].weight /= sum;
    }
    for (uint32_t k = 1; k < count; ++k) {
        for (uint32_t i = k; i > 0 && row[i].weight > row[i - 1].weight; --i) {
            const lmb_influence swapped = row[i];
            row[i] = row[i - 1];
            row[i - 1] = swapped;
        }
    }
    return count;
}

static void subject_targets(lmb_random *random, uint32_t vertex_count, uint32_t target_count,
                            lmb_morph_target *targets)
{
    for (uint32_t t = 0; t < target_count; ++t) {
        lmb_vec3 *parts[3];
        for (int part = 0; part < 3; ++part) {
            parts[part] = subject_memory(vertex_count, sizeof(lmb_vec3));
            for (uint32_t v = 0; v < vertex_count; ++v) {
                parts[part][v] = subject_vec3(random, 0.2f);
            }
        }
        // A target without directions is what a sculpting program often writes.
        targets[t] =
            (lmb_morph_target){NULL, parts[0], t == 1 ? NULL : parts[1], t == 1 ? NULL : parts[2]};
        if (t == 1) {
            free(parts[1]);
            free(parts[2]);
        }
    }
}

static lmb_mesh *subject_mesh(lmb_random *random, uint32_t vertex_count, uint32_t influences,
                              uint32_t joints, uint32_t target_count)
{
    lmb_vec3 *positions = subject_memory(vertex_count, sizeof(*positions));
    lmb_vec3 *normals = subject_memory(vertex_count, sizeof(*normals));
    lmb_vec4 *tangents = subject_memory(vertex_count, sizeof(*tangents));
    uint32_t *first = subject_memory(vertex_count + 1, sizeof(*first));
    lmb_influence *items = subject_memory((size_t)vertex_count * influences, sizeof(*items));
    lmb_morph_target *targets = subject_memory(target_count, sizeof(*targets));
    for (uint32_t v = 0; v < vertex_count; ++v) {
        positions[v] = subject_vec3(random, 1);
        normals[v] = lmb_vec3_normalize_or(subject_vec3(random, 1), lmb_vec3_make(0, 1, 0));
        const lmb_vec3 t = lmb_vec3_any_perpendicular(normals[v]);
        tangents[v] = (lmb_vec4){t.x, t.y, t.z, v % 2 ? 1.0f : -1.0f};
        first[v + 1] = first[v] + subject_row(random, v, influences, joints, items + first[v]);
    }
    subject_targets(random, vertex_count, target_count, targets);
    const lmb_mesh def = {.vertex_count = vertex_count,
                          .positions = positions,
                          .normals = normals,
                          .tangents = tangents,
                          .target_count = target_count,
                          .targets = targets,
                          .influences = {first, items}};
    lmb_mesh *mesh = NULL;
    if (lmb_mesh_create(&def, NULL, &mesh, NULL) != LMB_OK) {
        fputs("the mesh was refused\n", stderr);
        exit(1);
    }
    for (uint32_t t = 0; t < target_count; ++t) {
        free(targets[t].positions);
        free(targets[t].normals);
        free(targets[t].tangents);
    }
    void *const blocks[] = {positions, normals, tangents, first, items, targets};
    for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); ++i) {
        free(blocks[i]);
    }
    return mesh;
}

/// What the joints may do beside turning and shifting.
typedef enum subject_motion { RIGID, STRETCHED, MIRRORED } subject_motion;

static inline subject subject_create(uint32_t vertex_count, uint32_t influences,
                                     uint32_t joint_count, uint32_t target_count,
                                     uint32_t palette_count, subject_motion motion)
{
    lmb_random random = lmb_random_seed(influences + 10 * joint_count + 1000 * (uint32_t)motion);
    subject s = {.joint_count = joint_count, .palette_count = palette_count};
    s.mesh = subject_mesh(&random, vertex_count, influences, joint_count, target_count);
    s.palettes = subject_memory((size_t)palette_count * joint_count, sizeof(*s.palettes));
    s.morph_weights = subject_memory((size_t)palette_count * target_count, sizeof(float));
    s.origins = subject_memory(joint_count, sizeof(*s.origins));
    for (uint32_t j = 0; j < joint_count; ++j) {
        s.origins[j] = subject_vec3(&random, 1);
    }
    for (uint32_t i = 0; i < palette_count * joint_count; ++i) {
        lmb_transform t = {subject_vec3(&random, 1), {0, 0, 0, 1}, {1, 1, 1}};
        // Turns up to 3 radians either way: neighbours lie in opposite hemispheres now and then.
        t.rotation = lmb_quat_axis_angle(
            lmb_vec3_normalize_or(subject_vec3(&random, 1), lmb_vec3_make(1, 0, 0)),
            lmb_random_range(&random, -3, 3));
        if (motion != RIGID) {
            t.scale = lmb_vec3_make(lmb_random_range(&random, 0.5f, 2),
                                    lmb_random_range(&random, 0.5f, 2), 1.25f);
        }
        if (motion == MIRRORED) {
            t.scale.x = -t.scale.x;
        }
        s.palettes[i] = lmb_mat4_from_transform(t);
    }
    for (uint32_t i = 0; i < palette_count * target_count; ++i) {
        s.morph_weights[i] = i % 3 == 2 ? 0 : lmb_random_range(&random, -0.5f, 1);
    }
    const lmb_box box = lmbi_mesh_box(s.mesh);
    s.diagonal = lmb_vec3_distance(box.low, box.high);
    return s;
}

static inline void subject_destroy(subject *s)
{
    lmb_mesh_destroy(s->mesh);
    free(s->palettes);
    free(s->morph_weights);
    free(s->origins);
}

// ------------------------------------------------------------------------------- the CPU's answer

/// Positions, normals and tangents of one palette after its morphs.
typedef struct morphed {
    lmb_vec3 *positions, *normals;
    lmb_vec4 *tangents;
} morphed;

static morphed subject_morph(const subject *s, uint32_t palette, bool morphs)
{
    const uint32_t n = s->mesh->vertex_count;
    morphed m = {subject_memory(n, sizeof(lmb_vec3)), subject_memory(n, sizeof(lmb_vec3)),
                 subject_memory(n, sizeof(lmb_vec4))};
    float *zeros = subject_memory(s->mesh->target_count, sizeof(float));
    lmb_morph(&(lmb_morph_job){
        .mesh = s->mesh,
        .weights = morphs ? s->morph_weights + (size_t)palette * s->mesh->target_count : zeros,
        .out_positions = m.positions,
        .out_normals = m.normals,
        .out_tangents = m.tangents});
    free(zeros);
    return m;
}

static void morphed_free(morphed *m)
{
    free(m->positions);
    free(m->normals);
    free(m->tangents);
}

static void subject_gather(const morphed *m, uint32_t count, skinned *out)
{
    for (uint32_t v = 0; v < count; ++v) {
        memcpy(out[v].position, &m->positions[v], sizeof(out[v].position));
        memcpy(out[v].normal, &m->normals[v], sizeof(out[v].normal));
        memcpy(out[v].tangent, &m->tangents[v], sizeof(out[v].tangent));
    }
}

static void subject_linear(const subject *s, uint32_t palette, bool morphs, skinned *out)
{
    morphed m = subject_morph(s, palette, morphs);
    lmb_binding *binding = NULL;
    if (lmb_binding_create(s->mesh, s->joint_count, NULL, &binding, NULL) != LMB_OK) {
        exit(1);
    }
    lmb_skin_linear(&(lmb_skin_job){
        .binding = binding,
        .model_from_bind = s->palettes + (size_t)palette * s->joint_count,
        .positions = m.positions,
        .normals = m.normals,
        .tangents = m.tangents,
        .out_positions = m.positions,
        .out_normals = m.normals,
        .out_tangents = m.tangents,
    });
    subject_gather(&m, s->mesh->vertex_count, out);
    lmb_binding_destroy(binding);
    morphed_free(&m);
}

// ------------------------------------------------------- dual quaternions, in double precision

typedef double matrix[3][3];

static double determinant(matrix a)
{
    return a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1]) -
           a[0][1] * (a[1][0] * a[2][2] - a[1][2] * a[2][0]) +
           a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0]);
}

/// cof(a) = det(a) a^-T
static void cofactors(matrix a, matrix out)
{
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            const int p = (i + 1) % 3, q = (i + 2) % 3, r = (j + 1) % 3, t = (j + 2) % 3;
            out[i][j] = a[p][r] * a[q][t] - a[p][t] * a[q][r];
        }
    }
}

/// The orthogonal factor of the polar decomposition, by Newton's iteration X <- (X + X^-T) / 2
/// (Higham 1986).
static void orthogonal_factor(matrix a, matrix x)
{
    memcpy(x, a, sizeof(matrix));
    for (int round = 0; round < 60; ++round) {
        matrix c;
        cofactors(x, c);
        const double d = determinant(x);
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) {
                x[i][j] = (x[i][j] + c[i][j] / d) / 2;
            }
        }
    }
}

/// One joint: a rotation as a quaternion w x y z, a translation, and the stretch that comes before.
typedef struct dual_joint {
    double q[4], t[3];
    matrix stretch;
    double shift[3];
} dual_joint;

/// The largest of the four squares first keeps the division harmless (Shepperd 1978).
static void quaternion_of(matrix r, double q[4])
{
    const double trace = r[0][0] + r[1][1] + r[2][2];
    int best = 0;
    double squares[4] = {trace, r[0][0], r[1][1], r[2][2]};
    for (int i = 1; i < 4; ++i) {
        best = squares[i] > squares[best] ? i : best;
    }
    if (best == 0) {
        const double w = sqrt(1 + trace) / 2;
        q[0] = w;
        q[1] = (r[2][1] - r[1][2]) / (4 * w);
        q[2] = (r[0][2] - r[2][0]) / (4 * w);
        q[3] = (r[1][0] - r[0][1]) / (4 * w);
        return;
    }
    const int i = best - 1, j = (i + 1) % 3, k = (i + 2) % 3;
    const double x = sqrt(1 + r[i][i] - r[j][j] - r[k][k]) / 2;
    q[0] = (r[k][j] - r[j][k]) / (4 * x);
    q[1 + i] = x;
    q[1 + j] = (r[j][i] + r[i][j]) / (4 * x);
    q[1 + k] = (r[k][i] + r[i][k]) / (4 * x);
}

static dual_joint dual_joint_of(const lmb_mat4 *t, lmb_vec3 origin)
{
    matrix a, r;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            a[i][j] = (double)t->m[4 * j + i];
        }
    }
    orthogonal_factor(a, r);
    const double sign = determinant(a) < 0 ? -1 : 1;
    dual_joint d = {0};
    // A mirror is the factor -1 before everything else.
    const double o[3] = {sign * (double)origin.x, sign * (double)origin.y, sign * (double)origin.z};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            r[i][j] *= sign;
        }
    }
    for (int i = 0; i < 3; ++i) {
        double moved = (double)t->m[12 + i], rotated = 0, stretched = 0;
        for (int j = 0; j < 3; ++j) {
            d.stretch[i][j] = r[0][i] * a[0][j] + r[1][i] * a[1][j] + r[2][i] * a[2][j];
            moved += a[i][j] * sign * o[j];
            rotated += r[i][j] * o[j];
            stretched += d.stretch[i][j] * sign * o[j];
        }
        d.t[i] = moved - rotated;
        d.shift[i] = o[i] - stretched;
    }
    quaternion_of(r, d.q);
    return d;
}

static void hamilton(const double a[4], const double b[4], double out[4])
{
    out[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    out[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    out[2] = a[0] * b[2] + a[2] * b[0] + a[3] * b[1] - a[1] * b[3];
    out[3] = a[0] * b[3] + a[3] * b[0] + a[1] * b[2] - a[2] * b[1];
}

/// q v q*
static void rotation(const double q[4], double v[3])
{
    const double p[4] = {0, v[0], v[1], v[2]}, back[4] = {q[0], -q[1], -q[2], -q[3]};
    double half[4], whole[4];
    hamilton(q, p, half);
    hamilton(half, back, whole);
    memcpy(v, whole + 1, 3 * sizeof(double));
}

static void make_unit(double v[3])
{
    const double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int i = 0; i < 3 && length > 0; ++i) {
        v[i] /= length;
    }
}

static void times(matrix m, double v[3])
{
    const double x = v[0], y = v[1], z = v[2];
    for (int i = 0; i < 3; ++i) {
        v[i] = m[i][0] * x + m[i][1] * y + m[i][2] * z;
    }
}

/// The linear blend of the stretches, on position, normal and tangent.
static void blend_stretch(const dual_joint *joints, const lmb_influence *row, uint32_t count,
                          double p[3], double n[3], double t[4])
{
    matrix f = {{0}}, c;
    double shift[3] = {0};
    for (uint32_t k = 0; k < count; ++k) {
        const dual_joint *d = &joints[row[k].joint];
        for (int i = 0; i < 3; ++i) {
            shift[i] += (double)row[k].weight * d->shift[i];
            for (int j = 0; j < 3; ++j) {
                f[i][j] += (double)row[k].weight * d->stretch[i][j];
            }
        }
    }
    cofactors(f, c);
    const double sign = determinant(f) < 0 ? -1 : 1;
    times(f, p);
    times(f, t);
    times(c, n);
    make_unit(n);
    const double along = (n[0] * t[0] + n[1] * t[1] + n[2] * t[2]);
    for (int i = 0; i < 3; ++i) {
        p[i] += shift[i];
        t[i] -= along * n[i];
        n[i] *= sign;
    }
    make_unit(t);
    t[3] *= sign;
}

/// The blended motion of one row: unit quaternion and translation.
static void blend_dual(const dual_joint *joints, const lmb_influence *row, uint32_t count,
                       double q[4], double translation[3])
{
    const double *pivot = joints[row[0].joint].q;
    double dual[4] = {0};
    for (uint32_t k = 0; k < count; ++k) {
        const dual_joint *d = &joints[row[k].joint];
        double dot = 0, e[4];
        const double t[4] = {0, d->t[0], d->t[1], d->t[2]};
        hamilton(t, d->q, e);
        for (int i = 0; i < 4; ++i) {
            dot += pivot[i] * d->q[i];
        }
        for (int i = 0; i < 4; ++i) {
            const double w = (dot < 0 ? -1 : 1) * (double)row[k].weight;
            q[i] += w * d->q[i];
            dual[i] += w * e[i] / 2;
        }
    }
    const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int i = 0; i < 4; ++i) {
        q[i] /= length;
        dual[i] *= 2 / length;
    }
    const double back[4] = {q[0], -q[1], -q[2], -q[3]};
    double product[4];
    hamilton(dual, back, product);
    memcpy(translation, product + 1, 3 * sizeof(double));
}

/// A palette without the scale that its joints have in common, which is returned. With `scale`
/// false as it is.
static double subject_unscaled(const subject *s, uint32_t palette, bool scale, lmb_mat4 *out)
{
    const lmb_mat4 *given = &s->palettes[(size_t)palette * s->joint_count];
    const float common = scale ? lmbi_skin_scale(given, s->joint_count) : 1;
    memcpy(out, given, s->joint_count * sizeof(*out));
    if (common != 1) {
        lmbi_skin_unscale(common, out, s->joint_count);
    }
    return (double)common;
}

static void subject_dual(const subject *s, uint32_t palette, bool morphs, bool scale, skinned *out)
{
    morphed m = subject_morph(s, palette, morphs);
    dual_joint *joints = subject_memory(s->joint_count, sizeof(*joints));
    lmb_mat4 *unscaled = subject_memory(s->joint_count, sizeof(*unscaled));
    const double common = subject_unscaled(s, palette, scale, unscaled);
    for (uint32_t j = 0; j < s->joint_count; ++j) {
        joints[j] = dual_joint_of(&unscaled[j], s->origins[j]);
    }
    const lmb_influence alone = {0, 1};
    for (uint32_t v = 0; v < s->mesh->vertex_count; ++v) {
        const uint32_t first = s->mesh->influences.first[v];
        const uint32_t size = s->mesh->influences.first[v + 1] - first;
        const lmb_influence *row = size > 0 ? s->mesh->influences.items + first : &alone;
        double p[3] = {(double)m.positions[v].x, (double)m.positions[v].y,
                       (double)m.positions[v].z};
        double n[3] = {(double)m.normals[v].x, (double)m.normals[v].y, (double)m.normals[v].z};
        double t[4] = {(double)m.tangents[v].x, (double)m.tangents[v].y, (double)m.tangents[v].z,
                       (double)m.tangents[v].w};
        double q[4] = {0}, translation[3];
        if (scale) {
            blend_stretch(joints, row, size > 0 ? size : 1, p, n, t);
        }
        blend_dual(joints, row, size > 0 ? size : 1, q, translation);
        rotation(q, p);
        rotation(q, n);
        rotation(q, t);
        for (int i = 0; i < 3; ++i) {
            out[v].position[i] = (float)(common * (p[i] + translation[i]));
            out[v].normal[i] = (float)n[i];
            out[v].tangent[i] = (float)t[i];
        }
        out[v].tangent[3] = (float)t[3];
    }
    free(joints);
    free(unscaled);
    morphed_free(&m);
}

/// The library's own way to the same: split, stretch, turn. [palette_count][vertex_count]
static inline skinned *subject_library_dual(const subject *s, bool morphs, bool scale)
{
    const uint32_t n = s->mesh->vertex_count;
    skinned *out = subject_memory((size_t)s->palette_count * n, sizeof(*out));
    lmb_mat4 *rigid = subject_memory(s->joint_count, sizeof(*rigid));
    lmb_mat4 *stretch = subject_memory(s->joint_count, sizeof(*stretch));
    lmb_mat4 *unscaled = subject_memory(s->joint_count, sizeof(*unscaled));
    lmb_quat *rotations = subject_memory(s->joint_count, sizeof(*rotations));
    lmb_binding *binding = NULL;
    if (lmb_binding_create(s->mesh, s->joint_count, NULL, &binding, NULL) != LMB_OK) {
        exit(1);
    }
    for (uint32_t p = 0; p < s->palette_count; ++p) {
        morphed m = subject_morph(s, p, morphs);
        const float common = (float)subject_unscaled(s, p, scale, unscaled);
        lmb_skin_split(&(lmb_skin_split_job){.joint_count = s->joint_count,
                                             .model_from_bind = unscaled,
                                             .origins = s->origins,
                                             .rigid = rigid,
                                             .rotations = rotations,
                                             .stretch = stretch});
        lmb_skin_job job = {.binding = binding,
                            .model_from_bind = stretch,
                            .positions = m.positions,
                            .normals = m.normals,
                            .tangents = m.tangents,
                            .out_positions = m.positions,
                            .out_normals = m.normals,
                            .out_tangents = m.tangents};
        if (scale) {
            lmb_skin_linear(&job);
        }
        job.model_from_bind = rigid;
        lmb_skin_dual(&(lmb_skin_dual_job){.skin = job, .rotations = rotations});
        for (uint32_t v = 0; v < n; ++v) {
            m.positions[v] = lmb_vec3_scale(m.positions[v], common);
        }
        subject_gather(&m, n, out + (size_t)p * n);
        morphed_free(&m);
    }
    lmb_binding_destroy(binding);
    free(rigid);
    free(stretch);
    free(unscaled);
    free(rotations);
    return out;
}

/// [palette_count][vertex_count]
static inline skinned *subject_answer(const subject *s, lmb_gpu_method method, bool morphs)
{
    const uint32_t n = s->mesh->vertex_count;
    skinned *out = subject_memory((size_t)s->palette_count * n, sizeof(*out));
    for (uint32_t p = 0; p < s->palette_count; ++p) {
        if (method == LMB_GPU_LINEAR) {
            subject_linear(s, p, morphs, out + (size_t)p * n);
        } else {
            subject_dual(s, p, morphs, method == LMB_GPU_DUAL_SCALE, out + (size_t)p * n);
        }
    }
    return out;
}

// ------------------------------------------------------------------------------ what the GPU gets

static lmb_gpu_skin subject_skin(const subject *s, lmb_gpu_skin choices)
{
    choices.joint_count = s->joint_count;
    choices.vertex_count = s->mesh->vertex_count;
    choices.target_count = choices.morphs ? s->mesh->target_count : 0;
    return choices;
}

static lmb_vec4 *subject_palettes(const subject *s, const lmb_gpu_skin *skin)
{
    int32_t counts[4];
    memcpy(counts, lmb_gpu_describe(skin, 1).counts, sizeof(int32_t[4]));
    const lmb_gpu_extent extent = lmb_gpu_describe(skin, s->palette_count).palettes;
    lmb_vec4 *texels = subject_memory(extent.allocated, sizeof(*texels));
    for (uint32_t p = 0; p < s->palette_count; ++p) {
        lmb_gpu_palette(&(lmb_gpu_palette_job){
            .skin = skin,
            .model_from_bind = s->palettes + (size_t)p * s->joint_count,
            .origins = s->origins,
            .morph_weights = s->morph_weights + (size_t)p * s->mesh->target_count,
            .out = texels + (size_t)p * (size_t)counts[0]});
    }
    return texels;
}

static char *subject_shader(const lmb_gpu_skin *skin)
{
    const size_t length = lmb_gpu_shader(skin, NULL, 0);
    char *text = subject_memory(length + 1, 1);
    lmb_gpu_shader(skin, text, length + 1);
    return text;
}

#endif
