/// Largest balls inside a surface.
#include "geometry/tree.h"
#include "geometry/tree_nodes.h"

/// A piece that reaches within this fraction of a ball's radius lies inside the surface, rather
/// than against it.
static const float WELL_WITHIN = 0.8f;
/// Most nodes visited in search of another piece: most nodes of a large ball are its own piece's.
enum { MOST_NODES = 512 };

/// Shrinks the ball to pass through the triangle's point nearest to its centre, if that is inside.
/// The ball still touches the surface at job->point.
static void shrink(const lmbi_inner_ball_job *job, float within, const lmbi_tree_triangle *t,
                   float *radius)
{
    const lmb_vec3 middle = lmb_vec3_mad(job->point, job->inward, *radius);
    float w[3];
    lmbi_closest_barycentric(t, middle, w);
    const lmb_vec3 at =
        lmb_vec3_mad(lmb_vec3_mad(lmb_vec3_scale(t->a, w[0]), t->b, w[1]), t->c, w[2]);
    const lmb_vec3 to = lmb_vec3_sub(at, job->point), off = lmb_vec3_sub(at, middle);
    const float deep = lmb_vec3_dot(to, job->inward), square = lmb_vec3_dot(to, to);
    if (lmb_vec3_dot(off, off) < within * within * *radius * *radius && deep > 0 &&
        square > job->nothing * job->nothing && deep * deep >= job->flat * square &&
        square < 2 * deep * *radius) {
        *radius = square / (2 * deep);
    }
}

/// Whether a corner of another piece lies well inside the ball.
static bool holds_another(const lmbi_tree *tree, const lmbi_inner_ball_job *job)
{
    const lmb_vec3 middle = lmb_vec3_mad(job->point, job->inward, job->radius);
    const float reach = WELL_WITHIN * job->radius;
    uint32_t stack[LMBI_TREE_STACK];
    int height = 0, seen = 0;
    stack[height++] = 0;
    while (height && seen++ < MOST_NODES) {
        const lmbi_tree_node *node = &tree->nodes[stack[--height]];
        if (lmbi_box_distance_squared(node, middle) > reach * reach) {
            continue;
        }
        for (uint32_t i = 0; i < node->count; ++i) {
            const lmbi_tree_triangle *t = &tree->triangles[node->first + i];
            const lmb_vec3 off = lmb_vec3_sub(t->a, middle);
            if (job->groups[t->id] != job->group && lmb_vec3_dot(off, off) < reach * reach) {
                return true;
            }
        }
        if (!node->count) {
            stack[height++] = node->first + 1;
            stack[height++] = node->first;
        }
    }
    return false;
}

float lmbi_tree_inner_ball(const lmbi_tree *tree, const lmbi_inner_ball_job *job)
{
    const float within = 1 - job->slack;
    float radius = job->radius;
    uint32_t stack[LMBI_TREE_STACK];
    int height = 0;
    if (!tree->triangle_count || (job->groups && holds_another(tree, job))) {
        return radius;
    }
    stack[height++] = 0;
    while (height) {
        const lmbi_tree_node *node = &tree->nodes[stack[--height]];
        const lmb_vec3 middle = lmb_vec3_mad(job->point, job->inward, radius);
        if (lmbi_box_distance_squared(node, middle) > within * within * radius * radius) {
            continue;
        }
        for (uint32_t i = 0; i < node->count; ++i) {
            const lmbi_tree_triangle *t = &tree->triangles[node->first + i];
            if (!job->groups || job->groups[t->id] == job->group) {
                shrink(job, within, t, &radius);
            }
        }
        if (!node->count) { // the nearer child first: it shrinks the ball sooner
            const float left = lmbi_box_distance_squared(&tree->nodes[node->first], middle),
                        right = lmbi_box_distance_squared(&tree->nodes[node->first + 1], middle);
            const uint32_t nearer = left <= right ? 0 : 1;
            stack[height++] = node->first + 1 - nearer;
            stack[height++] = node->first + nearer;
        }
    }
    return radius;
}
