/// The table of channels that motions as text can set.
#include "procedural/motion_text.h"

#define ANGLE(bone, field, low, high, rest, paired, human, other)      \
    {                                                                  \
        bone, field, low, high, rest, UNIT_ANGLE, paired, human, other \
    }
#define LENGTH(bone, field, reach, paired, human, other)                   \
    {                                                                      \
        bone, field, -(reach), reach, 0, UNIT_LENGTH, paired, human, other \
    }
#define FRACTION(bone, field, rest, paired, human, other)            \
    {                                                                \
        bone, field, 0, 1, rest, UNIT_FRACTION, paired, human, other \
    }

/// Rest values are those of lmbi_figure_stand. The ranges bound what a file may say, a little wider
/// than the joints of people and animals.
const lmbi_motion_channel lmbi_motion_channels[ROW_COUNT] = {
    [ROW_HIPS_X] = LENGTH("hips", "x", 20, false, true, true),
    [ROW_HIPS_Y] = LENGTH("hips", "y", 20, false, true, true),
    [ROW_HIPS_Z] = LENGTH("hips", "z", 20, false, true, true),
    [ROW_PELVIS_BEND] = ANGLE("pelvis", "bend", -720, 720, 0, false, true, true),
    [ROW_PELVIS_TURN] = ANGLE("pelvis", "turn", -720, 720, 0, false, true, true),
    [ROW_PELVIS_SIDE] = ANGLE("pelvis", "side", -720, 720, 0, false, true, true),
    [ROW_CHEST_BEND] = ANGLE("chest", "bend", -60, 100, 0, false, true, true),
    [ROW_CHEST_TURN] = ANGLE("chest", "turn", -90, 90, 0, false, true, true),
    [ROW_CHEST_SIDE] = ANGLE("chest", "side", -60, 60, 0, false, true, true),
    [ROW_HEAD_BEND] = ANGLE("head", "bend", -80, 80, 0, false, true, true),
    [ROW_HEAD_TURN] = ANGLE("head", "turn", -90, 90, 0, false, true, true),
    [ROW_HEAD_SIDE] = ANGLE("head", "side", -60, 60, 0, false, true, true),
    [ROW_SHOULDER_RAISE] = ANGLE("shoulder", "raise", -15, 40, 0, true, true, false),
    [ROW_SHOULDER_FORWARD] = ANGLE("shoulder", "forward", -30, 40, 0, true, true, false),
    [ROW_UPPER_ARM_SWING] = ANGLE("upper_arm", "swing", -70, 190, 2, true, true, false),
    [ROW_UPPER_ARM_SPREAD] = ANGLE("upper_arm", "spread", -60, 180, 14, true, true, false),
    [ROW_UPPER_ARM_TWIST] = ANGLE("upper_arm", "twist", -110, 110, 4, true, true, false),
    [ROW_FOREARM_BEND] = ANGLE("forearm", "bend", 0, 155, 14, true, true, false),
    [ROW_FOREARM_TWIST] = ANGLE("forearm", "twist", -100, 100, 0, true, true, false),
    [ROW_HAND_BEND] = ANGLE("hand", "bend", -80, 90, 0, true, true, false),
    [ROW_HAND_SIDE] = ANGLE("hand", "side", -40, 30, 0, true, true, false),
    [ROW_HAND_CURL] = FRACTION("hand", "curl", FIGURE_CURL_AT_EASE, true, true, false),
    [ROW_ARM_WEIGHT] = FRACTION("arm", "weight", 1, true, true, false),
    [ROW_REACH_X] = LENGTH("reach", "x", 20, true, true, false),
    [ROW_REACH_Y] = LENGTH("reach", "y", 20, true, true, false),
    [ROW_REACH_Z] = LENGTH("reach", "z", 20, true, true, false),
    [ROW_REACH_WEIGHT] = FRACTION("reach", "weight", 1, true, true, false),
    [ROW_THIGH_SWING] = ANGLE("thigh", "swing", -60, 150, 0, true, true, true),
    [ROW_THIGH_SPREAD] = ANGLE("thigh", "spread", -40, 90, 2, true, true, true),
    [ROW_THIGH_TWIST] = ANGLE("thigh", "twist", -60, 60, 0, true, true, true),
    [ROW_SHIN_BEND] = ANGLE("shin", "bend", -90, 160, 0, true, true, true),
    [ROW_ANKLE_BEND] = ANGLE("ankle", "bend", -70, 40, 0, true, true, true),
    [ROW_FOOT_X] = LENGTH("foot", "x", 20, true, true, true),
    [ROW_FOOT_Y] = LENGTH("foot", "y", 20, true, true, true),
    [ROW_FOOT_Z] = LENGTH("foot", "z", 20, true, true, true),
    [ROW_FOOT_PITCH] = ANGLE("foot", "pitch", -90, 60, 0, true, true, false),
    [ROW_FOOT_TURN] = ANGLE("foot", "turn", -360, 360, 9, true, true, false),
    [ROW_FOOT_PLANT] = FRACTION("foot", "plant", 1, true, true, true),
    [ROW_KNEE_OUT] = ANGLE("knee", "out", -60, 90, 0, true, true, false),
    [ROW_NECK_BEND] = ANGLE("neck", "bend", -120, 120, 0, false, false, true),
    [ROW_NECK_TURN] = ANGLE("neck", "turn", -120, 120, 0, false, false, true),
    [ROW_NECK_SIDE] = ANGLE("neck", "side", -90, 90, 0, false, false, true),
    [ROW_TAIL_BEND] = ANGLE("tail", "bend", -120, 120, 0, false, false, true),
    [ROW_TAIL_TURN] = ANGLE("tail", "turn", -120, 120, 0, false, false, true),
    [ROW_TAIL_SIDE] = ANGLE("tail", "side", -120, 120, 0, false, false, true),
    [ROW_SPINE_BEND] = ANGLE("spine", "bend", -120, 120, 0, false, false, true),
    [ROW_SPINE_TURN] = ANGLE("spine", "turn", -120, 120, 0, false, false, true),
    [ROW_SPINE_SIDE] = ANGLE("spine", "side", -120, 120, 0, false, false, true),
    [ROW_JAW_OPEN] = ANGLE("jaw", "open", 0, 60, 0, false, false, true),
    [ROW_WING_RAISE] = ANGLE("wing", "raise", -90, 90, 0, true, false, true),
    [ROW_WING_SWEEP] = ANGLE("wing", "sweep", -90, 90, 0, true, false, true),
    [ROW_WING_TWIST] = ANGLE("wing", "twist", -90, 90, 0, true, false, true),
    [ROW_WINGTIP_RAISE] = ANGLE("wingtip", "raise", -120, 120, 0, true, false, true),
    [ROW_WINGTIP_SWEEP] = ANGLE("wingtip", "sweep", -120, 120, 0, true, false, true),
    [ROW_FOREFOOT_X] = LENGTH("forefoot", "x", 20, true, false, true),
    [ROW_FOREFOOT_Y] = LENGTH("forefoot", "y", 20, true, false, true),
    [ROW_FOREFOOT_Z] = LENGTH("forefoot", "z", 20, true, false, true),
    [ROW_FOREFOOT_PLANT] = FRACTION("forefoot", "plant", 1, true, false, true),
    [ROW_FORELEG_SWING] = ANGLE("foreleg", "swing", -90, 90, 0, true, false, true),
    [ROW_FORELEG_BEND] = ANGLE("foreleg", "bend", -150, 150, 0, true, false, true),
};
