/// Finds shoulder, elbow and wrist, or hip, knee and ankle, on a path down the tree.
///
/// A hand is where fingers branch, an ankle where the path bends forward. Otherwise, and for the
/// other two joints, the bones above and below the middle joint are of similar length and make up
/// most of the limb. This leaves out collars, joints within a bone, and toes.
#include "mapping/mapper.h"

#include <math.h>

#define EVEN 1.8f      ///< penalty of unequal bone lengths
#define EXTRA 0.06f    ///< penalty of each joint within a bone
#define FINGERS 3      ///< a joint with this many children is a hand
#define FAR 0.4f       ///< least position of hand or ankle, as a fraction of the path
#define BENT_COS 0.77f ///< 40 degrees

static lmb_vec3 position(const lmbi_mapper *m, const lmbi_path *path, int i)
{
    return m->positions[path->joints[i]];
}

/// Arc length of the path to each joint.
static float measure_arc_lengths(const lmbi_mapper *m, const lmbi_path *path, float along[PATH_MAX])
{
    along[0] = 0.0f;
    for (int i = 1; i < path->count; ++i) {
        along[i] = along[i - 1] + lmb_vec3_distance(position(m, path, i - 1), position(m, path, i));
    }
    return path->count > 0 ? along[path->count - 1] : 0.0f;
}

static bool branches_into_fingers(const lmbi_mapper *m, const lmbi_path *path, int i)
{
    return m->child_count[path->joints[i]] >= FINGERS;
}

static bool bends_forward(const lmbi_mapper *m, const lmbi_path *path, int i)
{
    const lmb_vec3 zero = {0, 0, 0};
    const lmb_vec3 leg =
        lmb_vec3_normalize_or(lmb_vec3_sub(position(m, path, i), position(m, path, i / 2)), zero);
    const lmb_vec3 foot =
        lmb_vec3_normalize_or(lmb_vec3_sub(position(m, path, i + 1), position(m, path, i)), zero);
    return lmb_vec3_dot(leg, foot) < BENT_COS;
}

/// The joint that ends the limb by shape alone, or -1.
static int find_end(const lmbi_mapper *m, const lmbi_path *path, bool arm, const float *along,
                    float total)
{
    for (int i = 2; i < path->count; ++i) {
        const bool far = along[i] >= FAR * total;
        if (far && arm && branches_into_fingers(m, path, i)) {
            return i;
        }
        if (far && !arm && i + 1 < path->count && bends_forward(m, path, i)) {
            return i;
        }
    }
    return -1;
}

bool lmbi_limb_cut_find(const lmbi_mapper *m, const lmbi_path *path, bool arm, lmbi_limb_cut *out)
{
    float along[PATH_MAX], best = -1e30f;
    const float total = measure_arc_lengths(m, path, along);
    if (path->count < 3 || !(total > 0.0f)) {
        return false;
    }
    const int known = find_end(m, path, arm, along, total), first = known >= 0 ? known : 2,
              last = known >= 0 ? known : path->count - 1;
    for (int end = first; end <= last; ++end) {
        for (int upper = 0; upper + 2 <= end; ++upper) {
            for (int lower = upper + 1; lower < end; ++lower) {
                const float a = along[lower] - along[upper], b = along[end] - along[lower];
                const float uneven = a + b > 0.0f ? fabsf(a - b) / (a + b) : 1.0f;
                const float score =
                    (a + b) / total - EVEN * uneven - EXTRA * (float)(end - upper - 2);
                if (score > best) {
                    best = score;
                    *out = (lmbi_limb_cut){upper, lower, end};
                }
            }
        }
    }
    return true;
}
