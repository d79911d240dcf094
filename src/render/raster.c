#include "render/scene.h"

#include <math.h>

/// Rows per parallel task. Tasks write disjoint rows.
enum { BAND_ROWS = 64, SUBPIXEL = 16 };

typedef struct raster {
    const lmbi_view *view;
    const lmb_vec3 *screen;
    const uint32_t *indices;
    uint32_t triangle_count;
} raster;

typedef struct point {
    int64_t x, y;
} point;

/// Twice the area of a b p in sub-samples. Integers, so that shared edges have neither gaps nor
/// overlaps.
static int64_t edge(point a, point b, point p)
{
    return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
}

/// Top-left rule: a sample exactly on a shared edge belongs to one of its two triangles.
static int64_t edge_bias(point a, point b)
{
    const bool top_left = (b.y == a.y && b.x > a.x) || b.y < a.y;
    return top_left ? 0 : -1;
}

static point snap(lmb_vec3 s)
{
    const point p = {(int64_t)floorf(s.x * SUBPIXEL + 0.5f),
                     (int64_t)floorf(s.y * SUBPIXEL + 0.5f)};
    return p;
}

static int32_t clamp_to(float x, int32_t low, int32_t high)
{
    return x <= (float)low ? low : (x >= (float)high ? high : (int32_t)x);
}

typedef struct corners {
    lmb_vec3 s[3]; ///< counter-clockwise: positive area
    point p[3];
    int64_t area;
} corners;

static bool set_up_triangle(const raster *r, uint32_t t, corners *out)
{
    for (int k = 0; k < 3; ++k) {
        out->s[k] = r->screen[r->indices[3 * t + (uint32_t)k]];
        const bool seen =
            out->s[k].z > -INFINITY && fabsf(out->s[k].x) < 1e6f && fabsf(out->s[k].y) < 1e6f;
        if (!seen) {
            return false;
        }
        out->p[k] = snap(out->s[k]);
    }
    out->area = edge(out->p[0], out->p[1], out->p[2]);
    if (out->area < 0) {
        const lmb_vec3 s = out->s[1];
        const point p = out->p[1];
        out->s[1] = out->s[2];
        out->p[1] = out->p[2];
        out->s[2] = s;
        out->p[2] = p;
        out->area = -out->area;
    }
    return out->area != 0;
}

static void fill_triangle(const raster *r, uint32_t t, const corners *c, int32_t x0, int32_t x1,
                          int32_t y0, int32_t y1)
{
    const lmbi_view *view = r->view;
    const int64_t bias0 = edge_bias(c->p[1], c->p[2]), bias1 = edge_bias(c->p[2], c->p[0]),
                  bias2 = edge_bias(c->p[0], c->p[1]);
    const int64_t step0 = -(c->p[2].y - c->p[1].y) * SUBPIXEL,
                  step1 = -(c->p[0].y - c->p[2].y) * SUBPIXEL,
                  step2 = -(c->p[1].y - c->p[0].y) * SUBPIXEL;
    const float scale = 1.0f / (float)c->area;
    for (int32_t y = y0; y < y1; ++y) {
        const point start = {(int64_t)x0 * SUBPIXEL + SUBPIXEL / 2,
                             (int64_t)y * SUBPIXEL + SUBPIXEL / 2};
        int64_t e0 = edge(c->p[1], c->p[2], start), e1 = edge(c->p[2], c->p[0], start),
                e2 = edge(c->p[0], c->p[1], start);
        for (int32_t x = x0; x < x1; ++x, e0 += step0, e1 += step1, e2 += step2) {
            if (((e0 + bias0) | (e1 + bias1) | (e2 + bias2)) < 0) {
                continue;
            }
            const float depth =
                ((float)e0 * c->s[0].z + (float)e1 * c->s[1].z + (float)e2 * c->s[2].z) * scale;
            const size_t at = (size_t)y * view->width + (size_t)x;
            if (depth > view->depth[at]) {
                view->depth[at] = depth;
                if (view->triangle) {
                    view->triangle[at] = t;
                }
            }
        }
    }
}

static void raster_rows(void *context, size_t begin, size_t end)
{
    const raster *r = context;
    const lmbi_view *view = r->view;
    for (size_t i = begin * view->width; i < end * view->width; ++i) {
        view->depth[i] = -INFINITY;
        if (view->triangle) {
            view->triangle[i] = LMBI_NO_TRIANGLE;
        }
    }
    for (uint32_t t = 0; t < r->triangle_count; ++t) {
        corners c;
        if (!set_up_triangle(r, t, &c)) {
            continue;
        }
        const float low_y = fminf(c.s[0].y, fminf(c.s[1].y, c.s[2].y)),
                    high_y = fmaxf(c.s[0].y, fmaxf(c.s[1].y, c.s[2].y));
        const float low_x = fminf(c.s[0].x, fminf(c.s[1].x, c.s[2].x)),
                    high_x = fmaxf(c.s[0].x, fmaxf(c.s[1].x, c.s[2].x));
        const int32_t y0 = clamp_to(low_y - 1, (int32_t)begin, (int32_t)end),
                      y1 = clamp_to(high_y + 2, (int32_t)begin, (int32_t)end);
        if (y0 < y1) {
            fill_triangle(r, t, &c, clamp_to(low_x - 1, 0, (int32_t)view->width),
                          clamp_to(high_x + 2, 0, (int32_t)view->width), y0, y1);
        }
    }
}

void lmbi_raster(const lmbi_view *view, const lmb_vec3 *screen, const uint32_t *indices,
                 uint32_t triangle_count, const lmb_jobs *jobs)
{
    raster r = {view, screen, indices, triangle_count};
    lmb_parallel_for(jobs, view->height, BAND_ROWS, raster_rows, &r);
}
