/// Delta mush (Mancewicz et al. 2014, section 3): evaluation of one frame.
#include <assert.h>

#include "skin/delta_mush.h"

enum { GRAIN = 1024 };

// ---------------------------------------------------------------------------------- smoothing

typedef struct smoothing {
    const lmb_delta_mush *mush;
    const lmb_vec3 *positions;
    const lmbi_four *from;
    lmbi_four *to;
} smoothing;

/// Averages the vertices of each point, which closes seams that skinning opened.
static void average_members(void *context, size_t begin, size_t end)
{
    const smoothing *s = context;
    const lmb_delta_mush *m = s->mush;
    for (size_t i = begin; i < end; ++i) {
        lmbi_four sum = {0};
        for (uint32_t k = m->member_first[i]; k < m->member_first[i + 1]; ++k) {
            sum += lmbi_four_of(s->positions[m->members[k]]);
        }
        s->to[i] = sum / (float)(m->member_first[i + 1] - m->member_first[i]);
    }
}

static void smooth_points(void *context, size_t begin, size_t end)
{
    const smoothing *s = context;
    const lmb_delta_mush *m = s->mush;
    for (size_t i = begin; i < end; ++i) {
        const uint32_t first = m->first[i], last = m->first[i + 1];
        lmbi_four sum = {0};
        for (uint32_t k = first; k < last; ++k) {
            sum += s->from[m->neighbors[k]];
        }
        const lmbi_four here = s->from[i];
        s->to[i] = first < last ? here + m->fraction * (sum / (float)(last - first) - here) : here;
    }
}

lmbi_four *lmbi_delta_smooth(const lmb_delta_mush *mush, const lmb_vec3 *positions, lmbi_four *one,
                             lmbi_four *other, const lmb_jobs *jobs)
{
    smoothing s = {mush, positions, NULL, one};
    lmb_parallel_for(jobs, mush->point_count, GRAIN, average_members, &s);
    for (uint32_t pass = 0; pass < mush->passes; ++pass) {
        s.from = s.to;
        s.to = s.to == one ? other : one;
        lmb_parallel_for(jobs, mush->point_count, GRAIN, smooth_points, &s);
    }
    return s.to;
}

// ------------------------------------------------------------------------------------- frames

typedef struct frame {
    lmbi_four tangent, bitangent, normal;
} frame;

/// The local frame of the smoothed surface at a point: normal by the area-weighted mean of its
/// triangles' normals, tangent toward its tangent neighbour. Identity if either is undefined.
static frame frame_at(const lmb_delta_mush *m, const lmbi_four *smoothed, size_t i)
{
    static const frame none = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}};
    lmbi_four normal = {0};
    for (uint32_t k = m->corner_first[i]; k < m->corner_first[i + 1]; ++k) {
        normal += lmbi_four_cross(smoothed[m->corners[k].next] - smoothed[i],
                                  smoothed[m->corners[k].last] - smoothed[i]);
    }
    const float area = lmbi_four_dot3(normal, normal);
    if (!(area > 0)) {
        return none;
    }
    normal /= lmb_sqrt(area);
    lmbi_four tangent = smoothed[m->tangent_neighbor[i]] - smoothed[i];
    tangent -= normal * lmbi_four_dot3(normal, tangent);
    const float length = lmbi_four_dot3(tangent, tangent);
    if (!(length > 0)) {
        return none;
    }
    tangent /= lmb_sqrt(length);
    return (frame){tangent, lmbi_four_cross(normal, tangent), normal};
}

typedef struct detailing {
    const lmb_delta_mush *mush;
    const lmb_vec3 *positions;
    const lmbi_four *smoothed;
    lmbi_delta_detail *out;
} detailing;

static void compute_details(void *context, size_t begin, size_t end)
{
    const detailing *d = context;
    const lmb_delta_mush *m = d->mush;
    for (size_t i = begin; i < end; ++i) {
        const frame f = frame_at(m, d->smoothed, i);
        lmbi_four at = {0};
        for (uint32_t k = m->member_first[i]; k < m->member_first[i + 1]; ++k) {
            at += lmbi_four_of(d->positions[m->members[k]]);
        }
        at /= (float)(m->member_first[i + 1] - m->member_first[i]);
        const lmbi_four off = at - d->smoothed[i];
        d->out[i] =
            (lmbi_delta_detail){{lmbi_four_dot3(f.tangent, off), lmbi_four_dot3(f.bitangent, off),
                                 lmbi_four_dot3(f.normal, off), 0},
                                f.tangent,
                                f.normal};
    }
}

void lmbi_delta_details(const lmb_delta_mush *mush, const lmb_vec3 *positions,
                        const lmbi_four *smoothed, lmbi_delta_detail *out, const lmb_jobs *jobs)
{
    detailing d = {mush, positions, smoothed, out};
    lmb_parallel_for(jobs, mush->point_count, GRAIN, compute_details, &d);
}

// -------------------------------------------------------------------------------------- a job

typedef struct posing {
    const lmb_skin_delta_job *job;
    const lmbi_four *smoothed;
    const lmbi_delta_detail *details;
} posing;

/// Rotates v from the rest frame to the posed frame.
static lmbi_four rotate_to_pose(const lmbi_delta_detail *rest, const frame *now, lmbi_four v)
{
    const lmbi_four bitangent = lmbi_four_cross(rest->normal, rest->tangent);
    return lmbi_four_dot3(rest->tangent, v) * now->tangent +
           lmbi_four_dot3(bitangent, v) * now->bitangent +
           lmbi_four_dot3(rest->normal, v) * now->normal;
}

static void store_directions(const lmb_skin_delta_job *job, const lmbi_delta_detail *rest,
                             const frame *now, uint32_t vertex)
{
    const lmb_delta_mush *m = job->mush;
    const lmb_vec3 *normals = job->rest_normals != NULL ? job->rest_normals : m->normals;
    const lmb_vec4 *tangents = job->rest_tangents != NULL ? job->rest_tangents : m->tangents;
    if (job->out_normals != NULL && normals != NULL) {
        const lmbi_four n = rotate_to_pose(rest, now, lmbi_four_of(normals[vertex]));
        job->out_normals[vertex] = lmbi_four_vec3(n);
    }
    if (job->out_tangents != NULL && tangents != NULL) {
        const lmb_vec4 t = tangents[vertex];
        const lmbi_four rotated = rotate_to_pose(rest, now, (lmbi_four){t.x, t.y, t.z, 0});
        job->out_tangents[vertex] = (lmb_vec4){rotated[0], rotated[1], rotated[2], t.w};
    }
}

static void pose_points(void *context, size_t begin, size_t end)
{
    const posing *p = context;
    const lmb_delta_mush *m = p->job->mush;
    for (size_t i = begin; i < end; ++i) {
        const frame f = frame_at(m, p->smoothed, i);
        const lmbi_delta_detail *detail = &p->details[i];
        const lmbi_four at = p->smoothed[i] + detail->delta[0] * f.tangent +
                             detail->delta[1] * f.bitangent + detail->delta[2] * f.normal;
        for (uint32_t k = m->member_first[i]; k < m->member_first[i + 1]; ++k) {
            p->job->positions[m->members[k]] = lmbi_four_vec3(at);
            store_directions(p->job, detail, &f, m->members[k]);
        }
    }
}

size_t lmb_delta_mush_scratch_size(const lmb_delta_mush *mush)
{
    return mush->point_count * (2 * sizeof(lmbi_four) + sizeof(lmbi_delta_detail));
}

void lmb_skin_delta_mush(const lmb_skin_delta_job *job)
{
    const lmb_delta_mush *m = job->mush;
    assert((uintptr_t)job->scratch % 16 == 0);
    lmbi_four *one = job->scratch, *other = one + m->point_count;
    posing p = {job, NULL, m->details};
    if (job->rest != NULL) {
        lmbi_delta_detail *details = (lmbi_delta_detail *)(void *)(other + m->point_count);
        const lmbi_four *smoothed = lmbi_delta_smooth(m, job->rest, one, other, job->jobs);
        lmbi_delta_details(m, job->rest, smoothed, details, job->jobs);
        p.details = details;
    }
    p.smoothed = lmbi_delta_smooth(m, job->positions, one, other, job->jobs);
    lmb_parallel_for(job->jobs, m->point_count, GRAIN, pose_points, &p);
}
