/// The table of human bones: names, parents and mirror images.
#include "limber/mapping.h"

#include <string.h>

#define NO LMB_SLOT_COUNT
#define LT LMB_SLOT_LEFT_THUMB_METACARPAL
#define RT LMB_SLOT_RIGHT_THUMB_METACARPAL
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
} bones[LMB_SLOT_COUNT] = {
    {"hips", NO},
    {"spine", LMB_SLOT_HIPS},
    {"chest", LMB_SLOT_SPINE},
    {"upperChest", LMB_SLOT_CHEST},
    {"neck", LMB_SLOT_UPPER_CHEST},
    {"head", LMB_SLOT_NECK},
    {"leftEye", LMB_SLOT_HEAD},
    {"rightEye", LMB_SLOT_HEAD},
    {"jaw", LMB_SLOT_HEAD},
    {"leftUpperLeg", LMB_SLOT_HIPS},
    {"leftLowerLeg", LMB_SLOT_LEFT_UPPER_LEG},
    {"leftFoot", LMB_SLOT_LEFT_LOWER_LEG},
    {"leftToes", LMB_SLOT_LEFT_FOOT},
    {"rightUpperLeg", LMB_SLOT_HIPS},
    {"rightLowerLeg", LMB_SLOT_RIGHT_UPPER_LEG},
    {"rightFoot", LMB_SLOT_RIGHT_LOWER_LEG},
    {"rightToes", LMB_SLOT_RIGHT_FOOT},
    {"leftShoulder", LMB_SLOT_UPPER_CHEST},
    {"leftUpperArm", LMB_SLOT_LEFT_SHOULDER},
    {"leftLowerArm", LMB_SLOT_LEFT_UPPER_ARM},
    {"leftHand", LMB_SLOT_LEFT_LOWER_ARM},
    {"rightShoulder", LMB_SLOT_UPPER_CHEST},
    {"rightUpperArm", LMB_SLOT_RIGHT_SHOULDER},
    {"rightLowerArm", LMB_SLOT_RIGHT_UPPER_ARM},
    {"rightHand", LMB_SLOT_RIGHT_LOWER_ARM},
    FINGERS("left", LT, LMB_SLOT_LEFT_HAND),
    FINGERS("right", RT, LMB_SLOT_RIGHT_HAND),
};

const char *lmb_slot_name(lmb_slot bone)
{
    return (unsigned)bone < LMB_SLOT_COUNT ? bones[bone].name : "";
}

lmb_slot lmb_slot_find(const char *name)
{
    int bone = 0;
    while (bone < LMB_SLOT_COUNT && strcmp(bones[bone].name, name) != 0) {
        ++bone;
    }
    return (lmb_slot)bone;
}

lmb_slot lmb_slot_parent(lmb_slot bone)
{
    return (unsigned)bone < LMB_SLOT_COUNT ? (lmb_slot)bones[bone].parent : LMB_SLOT_COUNT;
}

lmb_slot lmb_slot_mirror(lmb_slot bone)
{
    static const struct {
        int left, right, count;
    } runs[] = {
        {LMB_SLOT_LEFT_EYE, LMB_SLOT_RIGHT_EYE, 1},
        {LMB_SLOT_LEFT_UPPER_LEG, LMB_SLOT_RIGHT_UPPER_LEG, 4},
        {LMB_SLOT_LEFT_SHOULDER, LMB_SLOT_RIGHT_SHOULDER, 4},
        {LT, RT, 15},
    };
    for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); ++i) {
        if ((int)bone >= runs[i].left && (int)bone < runs[i].left + runs[i].count) {
            return (lmb_slot)((int)bone - runs[i].left + runs[i].right);
        }
        if ((int)bone >= runs[i].right && (int)bone < runs[i].right + runs[i].count) {
            return (lmb_slot)((int)bone - runs[i].right + runs[i].left);
        }
    }
    return bone;
}

const char *lmb_map_reason_name(lmb_map_reason reason)
{
    static const char *const names[] = {"missing", "name", "place", "topology", "given"};
    return (unsigned)reason < sizeof(names) / sizeof(names[0]) ? names[reason] : "";
}
