/// Weights of a population's vertices (Le and Deng 2012, equations 4 to 6, with a rest position for each scan).
#include <string.h>

#include "learn/body/matrix.h"
#include "learn/body/population.h"
#include "learn/simplex.h"

enum { WIDTH = LMBI_SIMPLEX_WIDTH };

typedef struct candidates {
    uint32_t count, joints[WIDTH];
    double first[WIDTH]; ///< weight in the definition
} candidates;

static uint32_t add_candidate(candidates *c, uint32_t joint)
{
    for (uint32_t k = 0; k < c->count; ++k) {
        if (c->joints[k] == joint) {
            return k;
        }
    }
    if (c->count == WIDTH) {
        return WIDTH;
    }
    c->joints[c->count] = joint;
    c->first[c->count] = 0;
    return c->count++;
}

/// The vertex' own joints first, in order, then those beside them in the tree.
static candidates find_candidates(const lmbi_population *p, uint32_t vertex)
{
    const lmbi_scan_body *b = &p->body;
    candidates c = {0};
    for (uint32_t k = b->row_first[vertex]; k < b->row_first[vertex + 1]; ++k) {
        if (b->row_weights[k] > 0) {
            (void)add_candidate(&c, b->row_joints[k]);
        }
    }
    const lmb_influences *first = &p->def->influences;
    for (uint32_t k = first->first[vertex]; k < first->first[vertex + 1]; ++k) {
        const uint32_t at = add_candidate(&c, first->items[k].joint);
        if (at < WIDTH) {
            c.first[at] += (double)first->items[k].weight;
        }
    }
    for (uint32_t k = 0, own = c.count; k < own; ++k) {
        const int32_t parent = b->parents[c.joints[k]];
        if (parent != LMB_NONE) {
            (void)add_candidate(&c, (uint32_t)parent);
        }
        for (uint32_t j = c.joints[k] + 1; j < b->joint_count; ++j) {
            if (b->parents[j] == (int32_t)c.joints[k]) {
                (void)add_candidate(&c, j);
            }
        }
    }
    return c;
}

/// Adds the products of how far each joint alone misses the vertex in one scan.
static void add_scan(const lmbi_population *p, uint32_t vertex, uint32_t scan, const candidates *c,
                     lmbi_simplex *s)
{
    const lmbi_scan_pose *pose = &p->poses[scan];
    const uint32_t person = p->person_of[scan];
    const double *joints = lmbi_population_joints(p, person);
    const float *goal = &lmbi_population_scan(p, scan)[vertex].x;
    double rest[3], missed[WIDTH][3];
    lmbi_scan_vertex_rest(&p->body, lmbi_population_rest(p, person), pose, vertex, rest);
    for (uint32_t k = 0; k < c->count; ++k) {
        const size_t j = c->joints[k];
        const double from[3] = {rest[0] - joints[3 * j], rest[1] - joints[3 * j + 1],
                                rest[2] - joints[3 * j + 2]};
        lmbi_m3_point(pose->global + 9 * j, from, missed[k]);
        for (size_t a = 0; a < 3; ++a) {
            missed[k][a] += pose->origins[3 * j + a] - (double)goal[a];
        }
        for (uint32_t l = 0; l <= k; ++l) {
            s->h[k][l] += (missed[k][0] * missed[l][0] + missed[k][1] * missed[l][1] +
                           missed[k][2] * missed[l][2]) /
                          p->scan_count;
        }
    }
}

static void solve_vertex(lmbi_population *p, uint32_t vertex)
{
    const candidates c = find_candidates(p, vertex);
    const uint32_t begin = p->body.row_first[vertex];
    const uint32_t room = p->body.row_first[vertex + 1] - begin;
    const double pull = LMBI_POPULATION_WEIGHT_PULL * p->height * p->height;
    lmbi_simplex s;
    memset(&s, 0, sizeof s);
    s.count = c.count;
    for (uint32_t f = 0; f < p->scan_count; ++f) {
        add_scan(p, vertex, f, &c, &s);
    }
    for (uint32_t k = 0; k < c.count; ++k) {
        for (uint32_t l = 0; l < k; ++l) {
            s.h[l][k] = s.h[k][l];
        }
        s.h[k][k] += pull;
        s.g[k] = pull * c.first[k];
    }
    double w[WIDTH] = {0}, sum = 0;
    for (uint32_t k = 0, at = 0; k < room; ++k) {
        w[at] = p->row_weights[begin + k];
        at += w[at] > 0;
    }
    (void)lmbi_simplex_sparse(&s, room, w);
    uint32_t count = 0;
    for (uint32_t k = 0; k < c.count; ++k) {
        if (w[k] > 0 && count < room) {
            p->row_joints[begin + count] = c.joints[k];
            p->row_weights[begin + count++] = w[k];
            sum += w[k];
        }
    }
    for (uint32_t k = 0; k < room; ++k) {
        p->row_weights[begin + k] = k < count ? p->row_weights[begin + k] / sum : 0;
    }
}

static void solve_vertices(void *context, size_t begin, size_t end)
{
    for (size_t v = begin; v < end; ++v) {
        solve_vertex(context, (uint32_t)v);
    }
}

void lmbi_population_solve_rows(lmbi_population *p)
{
    lmb_parallel_for(p->opts.jobs, p->body.vertex_count, 16, solve_vertices, p);
}
