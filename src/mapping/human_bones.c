/// The table of human bones: names, parents and mirror images.
#include "limber/mapping.h"
#include "mapping/mapping.h"

#include <string.h>

#define NO LMB_HUMAN_BONE_COUNT
#define LT LMB_HUMAN_LEFT_THUMB_METACARPAL
#define RT LMB_HUMAN_RIGHT_THUMB_METACARPAL
#define FINGERS(side, base, hand)                                                 \
    {side "ThumbMetacarpal", hand}, {side "ThumbProximal", (base) + 0},           \
        {side "ThumbDistal", (base) + 1}, {side "IndexProximal", hand},           \
        {side "IndexIntermediate", (base) + 3}, {side "IndexDistal", (base) + 4}, \
        {side "MiddleProximal", hand}, {side "MiddleIntermediate", (base) + 6},   \
        {side "MiddleDistal", (base) + 7}, {side "RingProximal", hand},           \
        {side "RingIntermediate", (base) + 9}, {side "RingDistal", (base) + 10},  \
        {side "LittleProximal", hand}, {side "LittleIntermediate", (base) + 12},  \
    {                                                                             \
        side "LittleDistal", (base) + 13                                          \
    }

static const struct {
    const char *name;
    int parent;
} bones[LMB_HUMAN_BONE_COUNT] = {
    {"hips", NO},
    {"spine", LMB_HUMAN_HIPS},
    {"chest", LMB_HUMAN_SPINE},
    {"upperChest", LMB_HUMAN_CHEST},
    {"neck", LMB_HUMAN_UPPER_CHEST},
    {"head", LMB_HUMAN_NECK},
    {"leftEye", LMB_HUMAN_HEAD},
    {"rightEye", LMB_HUMAN_HEAD},
    {"jaw", LMB_HUMAN_HEAD},
    {"leftUpperLeg", LMB_HUMAN_HIPS},
    {"leftLowerLeg", LMB_HUMAN_LEFT_UPPER_LEG},
    {"leftFoot", LMB_HUMAN_LEFT_LOWER_LEG},
    {"leftToes", LMB_HUMAN_LEFT_FOOT},
    {"rightUpperLeg", LMB_HUMAN_HIPS},
    {"rightLowerLeg", LMB_HUMAN_RIGHT_UPPER_LEG},
    {"rightFoot", LMB_HUMAN_RIGHT_LOWER_LEG},
    {"rightToes", LMB_HUMAN_RIGHT_FOOT},
    {"leftShoulder", LMB_HUMAN_UPPER_CHEST},
    {"leftUpperArm", LMB_HUMAN_LEFT_SHOULDER},
    {"leftLowerArm", LMB_HUMAN_LEFT_UPPER_ARM},
    {"leftHand", LMB_HUMAN_LEFT_LOWER_ARM},
    {"rightShoulder", LMB_HUMAN_UPPER_CHEST},
    {"rightUpperArm", LMB_HUMAN_RIGHT_SHOULDER},
    {"rightLowerArm", LMB_HUMAN_RIGHT_UPPER_ARM},
    {"rightHand", LMB_HUMAN_RIGHT_LOWER_ARM},
    FINGERS("left", LT, LMB_HUMAN_LEFT_HAND),
    FINGERS("right", RT, LMB_HUMAN_RIGHT_HAND),
};

const char *lmb_human_bone_name(lmb_human_bone bone)
{
    return (unsigned)bone < LMB_HUMAN_BONE_COUNT ? bones[bone].name : "";
}

lmb_human_bone lmb_human_bone_find(const char *name)
{
    int bone = 0;
    while (bone < LMB_HUMAN_BONE_COUNT && strcmp(bones[bone].name, name) != 0) {
        ++bone;
    }
    return (lmb_human_bone)bone;
}

lmb_human_bone lmbi_human_bone_parent(lmb_human_bone bone)
{
    return (unsigned)bone < LMB_HUMAN_BONE_COUNT ? (lmb_human_bone)bones[bone].parent
                                                 : LMB_HUMAN_BONE_COUNT;
}

const uint8_t lmbi_upper_bones[LMBI_UPPER_BONES] = {
    LMB_HUMAN_LEFT_UPPER_LEG, LMB_HUMAN_RIGHT_UPPER_LEG, LMB_HUMAN_LEFT_UPPER_ARM,
    LMB_HUMAN_RIGHT_UPPER_ARM};

bool lmbi_limb_is_single(const lmb_joint_map *map, lmb_human_bone upper)
{
    bool single = true;
    for (int k = 0; k < 3; ++k) {
        const lmb_human_bone bone = (lmb_human_bone)((int)upper + k);
        const bool found = map->bones[bone].joint >= 0,
                   mirrored = map->bones[lmb_human_bone_mirror(bone)].joint >= 0;
        single = single && found == (k == 0) && mirrored == (k == 0);
    }
    return single;
}

lmb_human_bone lmb_human_bone_mirror(lmb_human_bone bone)
{
    static const struct {
        int left, right, count;
    } runs[] = {
        {LMB_HUMAN_LEFT_EYE, LMB_HUMAN_RIGHT_EYE, 1},
        {LMB_HUMAN_LEFT_UPPER_LEG, LMB_HUMAN_RIGHT_UPPER_LEG, 4},
        {LMB_HUMAN_LEFT_SHOULDER, LMB_HUMAN_RIGHT_SHOULDER, 4},
        {LT, RT, 15},
    };
    for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); ++i) {
        if ((int)bone >= runs[i].left && (int)bone < runs[i].left + runs[i].count) {
            return (lmb_human_bone)((int)bone - runs[i].left + runs[i].right);
        }
        if ((int)bone >= runs[i].right && (int)bone < runs[i].right + runs[i].count) {
            return (lmb_human_bone)((int)bone - runs[i].right + runs[i].left);
        }
    }
    return bone;
}

const char *lmb_map_reason_name(lmb_map_reason reason)
{
    static const char *const names[] = {"missing", "name", "place", "topology", "given"};
    return (unsigned)reason < sizeof(names) / sizeof(names[0]) ? names[reason] : "";
}
