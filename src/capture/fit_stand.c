/// Initial estimates: size of the subject, and its position in a frame.
#include <math.h>

#include "capture/fit.h"
#include "linalg/linalg.h"

#define LIMB_WEIGHT 0.02 ///< weight of points off the trunk; those of the trunk have 1
#define SIZE_FRAMES 32u

/// Rigid motion from the rest pose to a frame's points (Kabsch 1976), with scale (Umeyama 1991).
typedef struct similarity {
    double rotation[3][3];
    double from[3], to[3];
    double scale;
} similarity;

static void to_double(lmb_vec3 v, double out[3])
{
    out[0] = (double)v.x;
    out[1] = (double)v.y;
    out[2] = (double)v.z;
}

static double weight_of(const lmbi_fitting *fit, uint32_t frame, uint32_t m)
{
    if (fit->attachments[m].joint < 0 || !fit->seen[(size_t)frame * fit->point_count + m]) {
        return 0;
    }
    return fit->attachments[m].trunk ? 1 : LIMB_WEIGHT;
}

static bool find_centroids(const lmbi_fitting *fit, uint32_t frame, similarity *p)
{
    double sum = 0;
    uint32_t trunk = 0;
    *p = (similarity){.scale = 1};
    for (uint32_t m = 0; m < fit->point_count; ++m) {
        const double w = weight_of(fit, frame, m);
        if (w > 0) {
            double a[3], b[3];
            to_double(lmbi_fit_point_at(fit, fit->model, m), a);
            to_double(fit->points[(size_t)frame * fit->point_count + m], b);
            for (int k = 0; k < 3; ++k) {
                p->from[k] += w * a[k];
                p->to[k] += w * b[k];
            }
            sum += w;
            trunk += fit->attachments[m].trunk;
        }
    }
    for (int k = 0; k < 3 && sum > 0; ++k) {
        p->from[k] /= sum;
        p->to[k] /= sum;
    }
    return trunk >= 3;
}

/// fit->model is the rest pose.
static bool fit_similarity(const lmbi_fitting *fit, uint32_t frame, similarity *p)
{
    double h[3][3] = {{0}}, size = 0, correlation = 0;
    if (!find_centroids(fit, frame, p)) {
        return false;
    }
    for (uint32_t m = 0; m < fit->point_count; ++m) {
        const double w = weight_of(fit, frame, m);
        if (w > 0) {
            double a[3], b[3];
            to_double(lmbi_fit_point_at(fit, fit->model, m), a);
            to_double(fit->points[(size_t)frame * fit->point_count + m], b);
            for (int r = 0; r < 3; ++r) {
                size += w * (a[r] - p->from[r]) * (a[r] - p->from[r]);
                for (int c = 0; c < 3; ++c) {
                    h[r][c] += w * (b[r] - p->to[r]) * (a[c] - p->from[c]);
                }
            }
        }
    }
    lmbi_polar3((const double(*)[3])h, p->rotation);
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            correlation += p->rotation[r][c] * h[r][c];
        }
    }
    p->scale = size > 0 ? correlation / size : 1;
    return size > 0;
}

static lmb_quat rotation_of(const similarity *p)
{
    lmb_vec3 axes[3];
    for (int c = 0; c < 3; ++c) {
        axes[c] = lmb_vec3_make((float)p->rotation[0][c], (float)p->rotation[1][c],
                                (float)p->rotation[2][c]);
    }
    return lmb_quat_from_axes(axes[0], axes[1], axes[2]);
}

bool lmbi_fit_align_root(const lmbi_fitting *fit, uint32_t frame, lmb_transform *local)
{
    const lmbi_fit_subject *s = &fit->subject;
    similarity p;
    lmbi_subject_model(s, s->rest, fit->model);
    if (!fit_similarity(fit, frame, &p)) {
        return false;
    }
    const lmb_transform rest = s->rest[s->root];
    const lmb_quat rotation = rotation_of(&p);
    const lmb_vec3 from = {(float)p.from[0], (float)p.from[1], (float)p.from[2]},
                   to = {(float)p.to[0], (float)p.to[1], (float)p.to[2]};
    local[s->root].rotation = lmb_quat_normalize(lmb_quat_mul(rotation, rest.rotation));
    local[s->root].translation =
        lmb_vec3_add(to, lmb_quat_rotate(rotation, lmb_vec3_sub(rest.translation, from)));
    return true;
}

static void scale_lengths(lmbi_fitting *fit, float scale)
{
    lmbi_fit_subject *s = &fit->subject;
    for (uint32_t j = s->root + 1; j < s->count; ++j) {
        s->rest[j].translation = lmb_vec3_scale(s->original[j].translation, scale);
    }
    for (uint32_t m = 0; m < fit->point_count; ++m) {
        fit->attachments[m].offset = lmb_vec3_scale(fit->attachments[m].offset, scale);
    }
    fit->scale = scale;
}

void lmbi_fit_estimate_size(lmbi_fitting *fit)
{
    float sizes[SIZE_FRAMES];
    uint32_t count = 0;
    fit->scale = 1;
    if (fit->opts->keep_size) {
        return;
    }
    lmbi_subject_model(&fit->subject, fit->subject.rest, fit->model);
    for (uint32_t k = 0; k < SIZE_FRAMES && k < fit->frame_count; ++k) {
        similarity p;
        const uint64_t frame = (uint64_t)k * fit->frame_count /
                               (fit->frame_count < SIZE_FRAMES ? fit->frame_count : SIZE_FRAMES);
        if (fit_similarity(fit, (uint32_t)frame, &p) && p.scale > 1e-6 && p.scale < 1e6) {
            float size = (float)p.scale;
            uint32_t at = count++;
            for (; at > 0 && sizes[at - 1] > size; --at) {
                sizes[at] = sizes[at - 1];
            }
            sizes[at] = size;
        }
    }
    if (count > 0) {
        scale_lengths(fit, sizes[count / 2]);
    }
}

lmb_ik_full_body_report lmbi_fit_solve(lmbi_fitting *fit, uint32_t frame, lmb_transform *local,
                                       const lmb_transform *previous, float pull,
                                       uint32_t iterations, uint32_t extra)
{
    const size_t row = (size_t)frame * fit->point_count;
    uint32_t count = extra;
    for (uint32_t m = 0; m < fit->point_count; ++m) {
        if (fit->attachments[m].joint >= 0 && fit->seen[row + m]) {
            fit->goals[count++] = (lmb_goal){.kind = LMB_GOAL_POSITION,
                                             .joint = (uint32_t)fit->attachments[m].joint,
                                             .offset = fit->attachments[m].offset,
                                             .target = fit->points[row + m]};
        }
    }
    return lmb_ik_full_body(&(lmb_ik_full_body_job){.skeleton = &fit->subject.skeleton,
                                                    .local = local,
                                                    .root = fit->subject.root,
                                                    .limits = fit->limits,
                                                    .free = fit->limits == NULL,
                                                    .goal_count = count,
                                                    .goals = fit->goals,
                                                    .rest_weight = 1e-6f,
                                                    .smooth_weight = previous ? pull : 0,
                                                    .previous = previous,
                                                    .max_iterations = iterations,
                                                    .tolerance = 1e-5f,
                                                    .scratch = fit->scratch,
                                                    .scratch_size = fit->scratch_size});
}
