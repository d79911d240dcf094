/// A body model fitted to scans of one person: one shape, a pose a scan.
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "learn/body/matrix.h"
#include "learn/body/model_fit.h"

static lmb_result check(const lmb_body_model *model, const lmb_body_scan *scans, uint32_t count,
                        lmb_error *error)
{
    if (count == 0) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "scans", "none");
    }
    for (uint32_t k = 0; k < count; ++k) {
        if (scans[k].registered && scans[k].vertex_count != model->vertex_count) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "the model's vertices",
                             "%u instead of %u in scan %u", scans[k].vertex_count,
                             model->vertex_count, k);
        }
        for (uint32_t v = 0; v < scans[k].vertex_count; ++v) {
            const lmb_vec3 at = scans[k].positions[v];
            if (!isfinite(at.x) || !isfinite(at.y) || !isfinite(at.z)) {
                return lmbi_fail(error, LMB_ERROR_INVALID, "finite positions",
                                 "vertex %u of scan %u", v, k);
            }
        }
    }
    return LMB_OK;
}

static lmb_body_motion *create_motion(const lmbi_model_fit *f, uint32_t frames,
                                      const lmb_allocator *alloc)
{
    lmb_body_motion *m = lmbi_alloc(alloc, sizeof *m);
    if (m == NULL) {
        return NULL;
    }
    *m = (lmb_body_motion){.frame_count = frames,
                           .joint_count = f->body.joint_count,
                           .shape_count = f->shape_count,
                           .frame_rate = f->opts.frame_rate > 0 ? f->opts.frame_rate : 30,
                           .allocator = alloc ? *alloc : (lmb_allocator){0}};
    m->rotations =
        lmbi_alloc_array(alloc, lmbi_size_mul(frames, m->joint_count), sizeof *m->rotations);
    m->translations = lmbi_alloc_array(alloc, frames, sizeof *m->translations);
    m->shape = lmbi_alloc_array(alloc, f->shape_count, sizeof *m->shape);
    if (!m->rotations || !m->translations || !m->shape) {
        lmb_body_motion_destroy(m);
        return NULL;
    }
    return m;
}

typedef struct person {
    lmbi_model_fit f;
    const lmb_body_scan *scans;
    uint32_t scan_count;
    lmbi_scan_pose *poses;
    double *shape_sums;
    lmb_fit_body_report *report;
    double mean_square; ///< over the scans
} person;

static lmb_result fit_scan(person *p, uint32_t scan, bool with_shape, lmb_error *error)
{
    lmbi_model_fit *f = &p->f;
    lmbi_scan_pose *pose = &p->poses[scan];
    double mean = 0, worst = 0;
    lmb_result result = LMB_OK;
    if (p->scans[scan].registered) {
        const lmbi_scan_target target = {.positions = p->scans[scan].positions};
        lmbi_model_fit_registered(f, &p->scans[scan], with_shape, pose);
        mean = lmbi_scan_error(&f->body, &f->shape, pose, &target, &worst);
    } else {
        result = lmbi_model_fit_surface(f, &p->scans[scan], with_shape, with_shape, pose, &mean,
                                        &worst, error);
    }
    p->mean_square += mean / p->scan_count;
    p->report->max_m = fmaxf(p->report->max_m, (float)sqrt(worst));
    if ((float)sqrt(mean) > p->report->worst_scan_rms_m) {
        p->report->worst_scan_rms_m = (float)sqrt(mean);
        p->report->worst_scan = scan;
    }
    return result;
}

/// Each scan with a shape of its own; their mean is the person's, with which poses are fitted again.
static lmb_result fit_all(person *p, lmb_error *error)
{
    lmb_result result = LMB_OK;
    for (int last = 0; result == LMB_OK && last <= (p->scan_count > 1); ++last) {
        *p->report = (lmb_fit_body_report){0};
        p->mean_square = 0;
        for (uint32_t k = 0; result == LMB_OK && k < p->scan_count; ++k) {
            lmbi_model_fit_set_shape(&p->f, last ? p->shape_sums : NULL);
            result = fit_scan(p, k, !last, error);
            for (uint32_t s = 0; !last && s < p->f.shape_count; ++s) {
                p->shape_sums[s] += p->f.shape.coefficients[s] / p->scan_count;
            }
        }
    }
    p->report->rms_m = (float)sqrt(p->mean_square);
    return result;
}

static lmb_result fit_person(person *p, const lmb_allocator *alloc, lmb_body_motion **out,
                             lmb_error *error)
{
    lmbi_model_fit *f = &p->f;
    lmb_result result = lmbi_model_fit_prepare(f, error);
    if (result != LMB_OK) {
        return result;
    }
    p->poses = lmbi_arena_array(&f->arena, p->scan_count, sizeof *p->poses);
    p->shape_sums = lmbi_arena_array(&f->arena, f->shape_count, sizeof(double));
    bool ok = p->poses && p->shape_sums;
    for (uint32_t k = 0; ok && k < p->scan_count; ++k) {
        ok = lmbi_scan_pose_init(&f->body, &f->arena, &p->poses[k]);
    }
    result = ok ? fit_all(p, error) : lmbi_fail_memory(error);
    lmb_body_motion *m = result == LMB_OK ? create_motion(f, p->scan_count, alloc) : NULL;
    if (m == NULL) {
        return result == LMB_OK ? lmbi_fail_memory(error) : result;
    }
    for (uint32_t k = 0; k < p->scan_count; ++k) {
        const double *t = p->poses[k].translation;
        m->translations[k] = lmb_vec3_make((float)t[0], (float)t[1], (float)t[2]);
        for (uint32_t j = 0; j < m->joint_count; ++j) {
            double v[3];
            lmbi_m3_rotation_vector(p->poses[k].rotations + 9 * (size_t)j, v);
            m->rotations[(size_t)k * m->joint_count + j] =
                lmb_vec3_make((float)v[0], (float)v[1], (float)v[2]);
        }
    }
    for (uint32_t s = 0; s < f->shape_count; ++s) {
        m->shape[s] = (float)p->shape_sums[s];
    }
    *out = m;
    return LMB_OK;
}

lmb_result lmb_fit_body(const lmb_body_model *model, const lmb_body_scan *scans,
                        uint32_t scan_count, const lmb_fit_body_opts *opts,
                        const lmb_allocator *alloc, lmb_body_motion **out,
                        lmb_fit_body_report *report, lmb_error *error)
{
    lmb_fit_body_report unused;
    *out = NULL;
    lmb_result result = check(model, scans, scan_count, error);
    if (result != LMB_OK) {
        return result;
    }
    person p = {.f = {.model = model, .opts = opts ? *opts : (lmb_fit_body_opts){0}},
                .scans = scans,
                .scan_count = scan_count,
                .report = report ? report : &unused};
    lmbi_arena_init(&p.f.arena, alloc);
    result = fit_person(&p, alloc, out, error);
    lmbi_arena_free(&p.f.arena);
    return result;
}
