/// The triangles of a tree that may meet a box.
#include "geometry/tree.h"
#include "geometry/tree_nodes.h"

static bool meets(lmb_vec3 low, lmb_vec3 high, const lmb_box *box)
{
    return low.x <= box->high.x && high.x >= box->low.x && low.y <= box->high.y &&
           high.y >= box->low.y && low.z <= box->high.z && high.z >= box->low.z;
}

static lmb_box box_of(const lmbi_tree_triangle *t)
{
    return lmb_box_add(lmb_box_add(lmb_box_add(lmb_box_empty(), t->a), t->b), t->c);
}

static bool visit_leaf(const lmbi_tree *tree, const lmbi_tree_node *node,
                       const lmbi_tree_visit_job *job)
{
    for (uint32_t i = 0; i < node->count; ++i) {
        const lmbi_tree_triangle *t = &tree->triangles[node->first + i];
        const lmb_box around = box_of(t);
        if (meets(around.low, around.high, &job->box) && !job->visit(job->user, t->id)) {
            return false;
        }
    }
    return true;
}

bool lmbi_tree_visit(const lmbi_tree *tree, const lmbi_tree_visit_job *job)
{
    uint32_t stack[LMBI_TREE_STACK];
    int height = lmbi_tree_start(tree, stack);
    while (height) {
        const lmbi_tree_node *node = &tree->nodes[stack[--height]];
        if (!meets(node->low, node->high, &job->box)) {
            continue;
        }
        if (node->count) {
            if (!visit_leaf(tree, node, job)) {
                return false;
            }
            continue;
        }
        stack[height++] = node->first + 1;
        stack[height++] = node->first;
    }
    return true;
}
