/// The skeleton of a snake: vertebrae at equal steps along its solid, from the end that a network sees the snout at.
#include "embed/creature/animal.h"
#include "embed/creature/creature.h"

#include <stdio.h>

enum { VERTEBRAE = 12 };
/// As fractions of the line from the snout: the head, the first vertebra, and the step to the next.
static const float HEAD = 0.075f, FIRST = 0.1f, STEP = 0.075f;
static const float SURE = 0.85f;

static void write_joints(const lmbi_limb_profile *line, bool snout_first,
                         const lmbi_body_shape *shape, lmb_embedding *out)
{
    const float length = line->step * (float)(line->count - 1);
    lmbi_embedding_writer w;
    int32_t joint = LMB_NONE;
    lmbi_embedding_begin(&w, LMB_SKELETON_SNAKE, &shape->frame, shape->box.high.y, out);
    for (int k = 0; k < VERTEBRAE; ++k) {
        const float at = FIRST + STEP * (float)k;
        char name[LMB_EMBEDDING_NAME];
        snprintf(name, sizeof name, "spine%d", k + 1);
        joint = lmbi_embedding_add_joint(
            &w, name, joint, lmbi_limb_point(line, length * (snout_first ? at : 1 - at)), SURE,
            "at equal steps along the body");
    }
    lmbi_embedding_set_tip(&w, joint, lmbi_limb_point(line, snout_first ? length : 0));
    joint = lmbi_embedding_add_joint(
        &w, "head", 0, lmbi_limb_point(line, length * (snout_first ? HEAD : 1 - HEAD)), SURE,
        "a fraction of the body");
    lmbi_embedding_set_tip(&w, joint, lmbi_limb_point(line, snout_first ? 0 : length));
}

/// How far the ends of a line lie from the snout and the end of the tail.
static float miss(const lmbi_seen_animal *a, lmb_vec3 snout, lmb_vec3 tail)
{
    return lmb_vec3_distance(a->at[LMBI_ANIMAL_SNOUT], snout) +
           lmb_vec3_distance(a->at[LMBI_ANIMAL_TAIL_END], tail);
}

lmb_result lmbi_seen_snake_place(const lmbi_seen_animal *a, const lmbi_voxel_cache *cache,
                                 lmb_embedding *out, lmb_error *error)
{
    const lmbi_voxel_body *coarse = &cache->variant[LMBI_VOXELS_COARSE].body;
    lmbi_body_shape shape;
    lmb_result result = lmbi_body_shape_create_rotated(
        cache, a->axes[0], a->axes[1], lmb_vec3_dot(coarse->centroid, a->axes[0]), &shape, error);
    if (result != LMB_OK) {
        return result;
    }
    lmbi_limb_profile line;
    result = lmbi_body_line(&shape, &line, error);
    if (result == LMB_OK) {
        const lmb_vec3 first = lmbi_frame_from(&shape.frame, line.at[0]),
                       last = lmbi_frame_from(&shape.frame, line.at[line.count - 1]);
        write_joints(&line, miss(a, first, last) < miss(a, last, first), &shape, out);
    }
    lmbi_body_shape_destroy(&shape);
    return result;
}
