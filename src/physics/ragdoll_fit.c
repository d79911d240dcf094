/// Fit of a capsule to the skin of a bone.
#include <math.h>
#include <string.h>

#include "physics/ragdoll.h"

enum { BINS = 512 };

/// Histogram, for quantiles without sorting.
typedef struct histogram {
    float low, high;
    uint32_t counts[BINS], total;
} histogram;

static void add_value(histogram *h, float x)
{
    const float t = h->high > h->low ? (x - h->low) / (h->high - h->low) : 0.0f;
    const int bin = (int)(t * (float)BINS);
    ++h->counts[bin < 0 ? 0 : (bin < BINS ? bin : BINS - 1)];
    ++h->total;
}

/// The quantile at `fraction`, to half a bin.
static float quantile(const histogram *h, float fraction)
{
    const float wanted = fraction * (float)h->total;
    uint32_t sum = 0;
    for (int k = 0; k < BINS; ++k) {
        sum += h->counts[k];
        if ((float)sum >= wanted) {
            return h->low + (h->high - h->low) * ((float)k + 0.5f) / (float)BINS;
        }
    }
    return h->high;
}

/// Capsule axis with its extents and the fraction of points near the capsule.
typedef struct fit {
    lmb_vec3 center, along;
    float radius, half, coverage;
    uint32_t count;
} fit;

static float axial_position(const fit *f, lmb_vec3 p)
{
    return lmb_vec3_dot(lmb_vec3_sub(p, f->center), f->along);
}

static float radial_distance(const fit *f, lmb_vec3 p)
{
    const lmb_vec3 d = lmb_vec3_sub(p, f->center);
    return lmb_vec3_length(lmb_vec3_mad(d, f->along, -lmb_vec3_dot(d, f->along)));
}

/// Quantile of `of` over the bone's points.
static float bone_quantile(const lmbi_capsule_job *job, const fit *f,
                           float (*of)(const fit *, lmb_vec3), float fraction, float low,
                           float high)
{
    histogram h = {.low = low, .high = high};
    for (uint32_t i = 0; i < job->points->count; ++i) {
        if (job->points->items[i].bone == job->bone) {
            add_value(&h, of(f, job->points->items[i].at));
        }
    }
    return quantile(&h, fraction);
}

static float distance_to_segment(const fit *f, lmb_vec3 p)
{
    const float t = axial_position(f, p),
                inside = t < -f->half ? -f->half : (t > f->half ? f->half : t);
    return lmb_vec3_distance(p, lmb_vec3_mad(f->center, f->along, inside));
}

static float coverage_of(const lmbi_capsule_job *job, const fit *f)
{
    uint32_t in = 0;
    for (uint32_t i = 0; i < job->points->count; ++i) {
        const lmbi_skin_point *p = &job->points->items[i];
        in += p->bone == job->bone && distance_to_segment(f, p->at) <= 1.15f * f->radius;
    }
    return f->count > 0 ? (float)in / (float)f->count : 0.0f;
}

/// Centres the axis on the box of the bone's points, in a frame that has `along` as an axis.
/// Returns the box's diagonal.
static float center_on_box(const lmbi_capsule_job *job, fit *f)
{
    const lmb_vec3 u = lmb_vec3_any_perpendicular(f->along), v = lmb_vec3_cross(f->along, u);
    lmb_box box = lmb_box_empty();
    f->count = 0;
    for (uint32_t i = 0; i < job->points->count; ++i) {
        const lmb_vec3 p = job->points->items[i].at;
        if (job->points->items[i].bone == job->bone) {
            box = lmb_box_add(box, lmb_vec3_make(lmb_vec3_dot(p, u), lmb_vec3_dot(p, v),
                                                 lmb_vec3_dot(p, f->along)));
            ++f->count;
        }
    }
    const lmb_vec3 middle = lmb_vec3_scale(lmb_vec3_add(box.low, box.high), 0.5f);
    f->center = lmb_vec3_add(lmb_vec3_scale(u, middle.x),
                             lmb_vec3_mad(lmb_vec3_scale(v, middle.y), f->along, middle.z));
    return f->count > 0 ? lmb_vec3_length(lmb_vec3_sub(box.high, box.low)) : 0.0f;
}

/// Centres the axis between the 10% and 90% quantiles across it, so that a thumb does not pull it
/// aside.
static void center_by_quantiles(const lmbi_capsule_job *job, fit *f, float reach)
{
    const lmb_vec3 along = f->along, u = lmb_vec3_any_perpendicular(along);
    const lmb_vec3 sides[2] = {u, lmb_vec3_cross(along, u)};
    for (int k = 0; k < 2; ++k) {
        fit across = *f;
        across.along = sides[k];
        const float low = bone_quantile(job, &across, axial_position, 0.1f, -reach, reach),
                    high = bone_quantile(job, &across, axial_position, 0.9f, -reach, reach);
        f->center = lmb_vec3_mad(f->center, sides[k], 0.5f * (low + high));
    }
}

/// Starts with 75% of the points within the radius and 96% along the axis, then grows radius and
/// length until 90% are near the capsule.
static fit fit_along(const lmbi_capsule_job *job, lmb_vec3 along)
{
    fit f = {.along = along};
    const float reach = center_on_box(job, &f);
    if (f.count == 0 || !(reach > 0.0f)) {
        return f;
    }
    center_by_quantiles(job, &f, reach);
    const float low = bone_quantile(job, &f, axial_position, 0.02f, -reach, reach),
                high = bone_quantile(job, &f, axial_position, 0.98f, -reach, reach);
    f.center = lmb_vec3_mad(f.center, along, 0.5f * (low + high));
    const float max_radius = bone_quantile(job, &f, radial_distance, 0.98f, 0, reach);
    f.radius = bone_quantile(job, &f, radial_distance, 0.75f, 0, reach);
    for (int k = 0; k < 8; ++k) {
        f.half = fmaxf(0.0f, 0.5f * (high - low) - f.radius);
        f.coverage = coverage_of(job, &f);
        if (f.coverage >= 0.9f || f.radius >= max_radius) {
            break;
        }
        f.radius = fminf(max_radius, 1.06f * f.radius);
    }
    const float step = 0.05f * (f.half + f.radius);
    for (int k = 0; k < 5 && f.coverage < 0.9f; ++k) { // blunt ends
        f.half += step;
        f.coverage = coverage_of(job, &f);
    }
    return f;
}

static float volume(const fit *f)
{
    return LMB_PI * f->radius * f->radius * (2.0f * f->half + 4.0f / 3.0f * f->radius);
}

static fit fit_thinnest(const lmbi_capsule_job *job, lmb_vec3 along)
{
    const lmb_vec3 directions[4] = {along, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    fit best = {0};
    float least = 0.0f;
    for (int k = 0; k < 4; ++k) {
        const fit f = fit_along(job, directions[k]);
        const float cost = volume(&f) * (2.0f - f.coverage);
        if (k == 0 || cost < 0.98f * least) {
            best = f;
            least = cost;
        }
    }
    return best;
}

void lmbi_capsule_fit(const lmbi_capsule_job *job, lmb_ragdoll_bone *bone)
{
    const lmb_vec3 bone_vector = lmb_vec3_sub(job->to, job->from),
                   along = lmb_vec3_normalize_or(bone_vector, lmb_vec3_make(0, 1, 0));
    const float length = lmb_vec3_length(bone_vector);
    fit f = job->any_direction ? fit_thinnest(job, along) : fit_along(job, along);
    if (f.count < 8 || !(f.radius > 0.0f)) { // too few points: a default capsule along the bone
        f = (fit){.along = along, .radius = fmaxf(0.125f * length, 1e-3f), .count = f.count};
        f.center = lmb_vec3_mad(job->from, bone_vector, 0.5f);
        f.half = fmaxf(0.0f, 0.5f * length - f.radius);
    }
    bone->model_from_body =
        (lmb_transform){.translation = f.center,
                        .rotation = lmb_quat_between(lmb_vec3_make(0, 1, 0), f.along),
                        .scale = {1, 1, 1}};
    bone->radius = f.radius;
    bone->half = f.half;
    bone->vertex_count = f.count;
    bone->coverage = f.coverage;
}
