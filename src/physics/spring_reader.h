/// Shared by the readers of springs: state, fields with defaults, growing lists.
#ifndef PHYSICS_SPRING_READER_H
#define PHYSICS_SPRING_READER_H

#include "base/arena.h"
#include "base/json.h"
#include "limber/physics.h"

/// A range of items, such as the colliders of one group.
typedef struct lmbi_spring_range {
    uint32_t first, count;
} lmbi_spring_range;

typedef struct lmbi_spring_reader {
    const lmb_skeleton *skeleton;
    const lmb_allocator *alloc;
    lmbi_arena arena;
    int32_t *joint_of_node;
    uint32_t node_count;
    uint8_t *taken; ///< [joint_count] the joint already has a spring
    lmb_spring_joint *joints;
    lmb_spring_collider *colliders;
    uint32_t *references;
    size_t joint_count, collider_count, reference_count;
    size_t joint_room, collider_room, reference_room;
    lmb_error *error;
    lmb_result result;
} lmbi_spring_reader;

bool lmbi_springs_fail(lmbi_spring_reader *r, const lmbi_json *at, const char *expected);
bool lmbi_springs_fail_memory(lmbi_spring_reader *r);
bool lmbi_springs_size(lmbi_spring_reader *r, const lmbi_json *object, const char *key, float *out);
/// [x, y, z], or {"x": , "y": , "z": } in VRM 0.x.
bool lmbi_springs_vec3(lmbi_spring_reader *r, const lmbi_json *object, const char *key,
                       lmb_vec3 *out);
bool lmbi_springs_bool(const lmbi_json *object, const char *key);
bool lmbi_springs_node(lmbi_spring_reader *r, const lmbi_json *value, const lmbi_json *owner,
                       uint32_t *out);
/// LMB_NONE if absent; VRM 0.x writes -1.
bool lmbi_springs_center(lmbi_spring_reader *r, const lmbi_json *spring, int32_t *out);
/// First element of an array member; NULL if absent or empty. Any other type is an error.
bool lmbi_springs_list(lmbi_spring_reader *r, const lmbi_json *object, const char *key,
                       const lmbi_json **first);
uint32_t lmbi_springs_count(const lmbi_json *item);
bool lmbi_springs_add_collider(lmbi_spring_reader *r, lmb_spring_collider collider);
bool lmbi_springs_add_joint(lmbi_spring_reader *r, const lmb_spring_joint *spring);
/// Appends the colliders of the spring's groups to the references. `groups` are ranges of
/// `members`.
bool lmbi_springs_gather(lmbi_spring_reader *r, const lmbi_json *spring,
                         const lmbi_spring_range *groups, uint32_t group_count,
                         const uint32_t *members, lmb_spring_joint *out);
bool lmbi_springs_numbers(lmbi_spring_reader *r, const lmbi_json *from, const char *stiffness,
                          lmb_spring_joint *out);
bool lmbi_springs_is_below(const lmb_skeleton *skeleton, uint32_t joint, uint32_t above);

#endif
