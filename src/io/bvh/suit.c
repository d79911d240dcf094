/// The bones of a motion capture suit whose frames do not name them: Perception Neuron, as Axis
/// Neuron sends it.
#include <stdio.h>

#include "base/alloc.h"
#include "io/bvh/stream.h"

/// A bone and its position in the parent, in centimetres, on a body of 1.75 m with arms stretched
/// out. Arms are given for the right side; the left one mirrors them.
typedef struct suit_bone {
    const char *name;
    int parent;
    float x, y, z;
} suit_bone;

enum { TRUNK_BONES = 13, ARM_BONES = 23, CHEST = 10 };

static const suit_bone trunk[TRUNK_BONES] = {
    {"Hips", -1, 0, 0, 0},       {"RightUpLeg", 0, -9, -4, 0}, {"RightLeg", 1, 0, -43, 0},
    {"RightFoot", 2, 0, -43, 0}, {"LeftUpLeg", 0, 9, -4, 0},   {"LeftLeg", 4, 0, -43, 0},
    {"LeftFoot", 5, 0, -43, 0},  {"Spine", 0, 0, 12, 0},       {"Spine1", 7, 0, 11, 0},
    {"Spine2", 8, 0, 11, 0},     {"Spine3", 9, 0, 10, 0},      {"Neck", 10, 0, 11, 0},
    {"Head", 11, 0, 9, 1},
};

static const suit_bone arm[ARM_BONES] = {
    {"Shoulder", -1, -4, 7, 0},    {"Arm", 0, -13, 0, 0},         {"ForeArm", 1, -27, 0, 0},
    {"Hand", 2, -25, 0, 0},        {"HandThumb1", 3, -3, 0, 3},   {"HandThumb2", 4, -4, 0, 0},
    {"HandThumb3", 5, -3, 0, 0},   {"InHandIndex", 3, -4, 0, 2},  {"HandIndex1", 7, -5, 0, 1},
    {"HandIndex2", 8, -4, 0, 0},   {"HandIndex3", 9, -2, 0, 0},   {"InHandMiddle", 3, -4, 0, 1},
    {"HandMiddle1", 11, -5, 0, 0}, {"HandMiddle2", 12, -4, 0, 0}, {"HandMiddle3", 13, -3, 0, 0},
    {"InHandRing", 3, -4, 0, 0},   {"HandRing1", 15, -5, 0, -1},  {"HandRing2", 16, -4, 0, 0},
    {"HandRing3", 17, -2, 0, 0},   {"InHandPinky", 3, -3, 0, -1}, {"HandPinky1", 19, -4, 0, -1},
    {"HandPinky2", 20, -3, 0, 0},  {"HandPinky3", 21, -2, 0, 0},
};

static bool set_bone(lmbi_bvh *bvh, size_t j, const char *side, const suit_bone *bone,
                     int32_t parent)
{
    char name[32];
    const int size = snprintf(name, sizeof name, "%s%s", side, bone->name);
    const float mirror = side[0] == 'L' ? -1.0f : 1.0f;
    bvh->joints[j] = (lmbi_bvh_joint){
        .name = lmbi_arena_string(&bvh->arena, name, (size_t)size),
        .parent = parent,
        .offset = lmb_vec3_make(mirror * bone->x, bone->y, bone->z),
        .has_offset = true,
    };
    return bvh->joints[j].name != NULL;
}

lmb_result lmbi_suit_skeleton(lmbi_bvh *bvh, lmb_error *error)
{
    static const char *const sides[2] = {"Right", "Left"};
    bool made = true;
    bvh->joints = lmbi_alloc_array(bvh->alloc, LMBI_SUIT_BONES, sizeof *bvh->joints);
    if (bvh->joints == NULL) {
        return lmbi_fail_memory(error);
    }
    bvh->joint_capacity = LMBI_SUIT_BONES;
    for (size_t k = 0; k < TRUNK_BONES; ++k) {
        made = made && set_bone(bvh, k, "", &trunk[k], trunk[k].parent);
    }
    for (size_t side = 0; side < 2; ++side) {
        const int32_t first = (int32_t)(TRUNK_BONES + side * ARM_BONES);
        for (size_t k = 0; k < ARM_BONES; ++k) {
            const int32_t parent = arm[k].parent < 0 ? CHEST : first + arm[k].parent;
            made = made && set_bone(bvh, (size_t)first + k, sides[side], &arm[k], parent);
        }
    }
    bvh->joint_count = LMBI_SUIT_BONES;
    bvh->info.root_count = 1;
    return made ? LMB_OK : lmbi_fail_memory(error);
}
