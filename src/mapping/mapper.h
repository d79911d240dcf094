/// State of the search for a humanoid in a skeleton.
#ifndef MAPPING_MAPPER_H
#define MAPPING_MAPPER_H

#include "base/arena.h"
#include "limber/mapping.h"
#include "mapping/names.h"

#define PATH_MAX 32

/// A path down the tree, from below the trunk to the end of a limb.
typedef struct lmbi_path {
    int32_t joints[PATH_MAX];
    int count;
} lmbi_path;

typedef struct lmbi_mapper {
    const lmb_skeleton *skeleton;
    uint32_t count;
    lmbi_name *names;      ///< [count]
    lmb_vec3 *positions;   ///< [count] rest pose in model space
    lmb_vec3 *tips;        ///< [count] ends of the joints' bones; NULL if the skeleton has none
    uint32_t *depth;       ///< [count]
    uint32_t *child_count; ///< [count]
    lmb_joint_map *map;
} lmbi_mapper;

/// Whether a joint can be a human bone: no control and no end.
static inline bool lmbi_usable(const lmbi_mapper *m, uint32_t joint)
{
    return !m->names[joint].control && !m->names[joint].end;
}

/// The nearest common ancestor (or self) of both, or LMB_NONE.
int32_t lmbi_common_ancestor(const lmb_skeleton *skeleton, int32_t a, int32_t b);
bool lmbi_is_under(const lmb_skeleton *skeleton, int32_t joint, int32_t ancestor);
/// The joints from below `above` (LMB_NONE: from the root) down to `joint`, at most the lowest
/// PATH_MAX.
lmbi_path lmbi_path_down(const lmb_skeleton *skeleton, int32_t above, int32_t joint);

void lmbi_map_set(lmbi_mapper *m, int bone, int32_t joint, lmb_map_reason reason, float confidence);
/// Maps limbs by joint names; bones that names do not give stay empty.
void lmbi_map_limbs_by_name(lmbi_mapper *m);
/// Maps limbs by the shape of the tree and the rest pose, if names gave none.
void lmbi_map_limbs_by_topology(lmbi_mapper *m);
/// Indices in a path: upper < lower < end.
typedef struct lmbi_limb_cut {
    int upper, lower, end;
} lmbi_limb_cut;

/// Finds shoulder, elbow and wrist, or hip, knee and ankle on the path to a limb's end. False for
/// fewer than three joints.
bool lmbi_limb_cut_find(const lmbi_mapper *m, const lmbi_path *path, bool arm, lmbi_limb_cut *out);
/// Maps hips, spine, neck, head, eyes and jaw, from the limbs and names.
void lmbi_map_trunk(lmbi_mapper *m);
void lmbi_map_fingers(lmbi_mapper *m);
/// Exchanges left and right if the feet of a standing body would point backward.
void lmbi_map_sides(lmbi_mapper *m);

/// The human bones that VRM requires, as lmb_human_bone, from the hips outward.
enum { LMBI_REQUIRED_COUNT = 15 };
extern const uint8_t lmbi_required_bones[LMBI_REQUIRED_COUNT];

#endif
