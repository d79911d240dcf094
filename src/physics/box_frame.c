#include "physics/box_frame.h"

#include <string.h>

lmbi_box_frame lmbi_box_frame_of(const lmbi_rigid_shape *s)
{
    return (lmbi_box_frame){s->ends[0],
                            {lmbi_q4_rotate(s->world_rotation, lmbi_v3_make(1, 0, 0)),
                             lmbi_q4_rotate(s->world_rotation, lmbi_v3_make(0, 1, 0)),
                             lmbi_q4_rotate(s->world_rotation, lmbi_v3_make(0, 0, 1))},
                            {s->half.x, s->half.y, s->half.z}};
}

double lmbi_box_extent(const lmbi_box_frame *b, lmbi_v3 n)
{
    double sum = 0.0;
    for (int k = 0; k < 3; ++k) {
        sum += b->half[k] * fabs(lmbi_v3_dot(b->axes[k], n));
    }
    return sum;
}

void lmbi_box_face(const lmbi_box_frame *b, lmbi_v3 n, lmbi_v3 corners[4])
{
    int axis = 0;
    for (int k = 1; k < 3; ++k) {
        axis = fabs(lmbi_v3_dot(b->axes[k], n)) > fabs(lmbi_v3_dot(b->axes[axis], n)) ? k : axis;
    }
    const double sign = lmbi_v3_dot(b->axes[axis], n) > 0.0 ? -1.0 : 1.0;
    const lmbi_v3 middle = lmbi_v3_mad(b->center, b->axes[axis], sign * b->half[axis]);
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    static const double around[4][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
    for (int k = 0; k < 4; ++k) {
        corners[k] = lmbi_v3_mad(lmbi_v3_mad(middle, b->axes[u], around[k][0] * b->half[u]),
                                 b->axes[v], around[k][1] * b->half[v]);
    }
}

int lmbi_polygon_clip(lmbi_v3 *polygon, int count, lmbi_v3 n, double most)
{
    lmbi_v3 out[LMBI_POLYGON];
    int kept = 0;
    for (int k = 0; k < count; ++k) {
        const lmbi_v3 p = polygon[k], q = polygon[(k + 1) % count];
        const double dp = lmbi_v3_dot(n, p) - most, dq = lmbi_v3_dot(n, q) - most;
        if (dp <= 0.0) {
            out[kept++] = p;
        }
        if ((dp < 0.0 && dq > 0.0) || (dp > 0.0 && dq < 0.0)) {
            out[kept++] = lmbi_v3_lerp(p, q, dp / (dp - dq));
        }
    }
    memcpy(polygon, out, (size_t)kept * sizeof *out);
    return kept;
}
