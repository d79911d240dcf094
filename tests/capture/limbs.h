/// The joints of the limbs that detectors of keypoints see too, left and right in turn.
#ifndef TESTS_CAPTURE_LIMBS_H
#define TESTS_CAPTURE_LIMBS_H

#include "limber/capture.h"

enum { LIMBS = 12 };
static const struct {
    lmb_keypoint keypoint;
    lmb_slot slot;
} limbs[LIMBS] = {{LMB_KEYPOINT_LEFT_SHOULDER, LMB_SLOT_LEFT_UPPER_ARM},
                  {LMB_KEYPOINT_RIGHT_SHOULDER, LMB_SLOT_RIGHT_UPPER_ARM},
                  {LMB_KEYPOINT_LEFT_ELBOW, LMB_SLOT_LEFT_LOWER_ARM},
                  {LMB_KEYPOINT_RIGHT_ELBOW, LMB_SLOT_RIGHT_LOWER_ARM},
                  {LMB_KEYPOINT_LEFT_WRIST, LMB_SLOT_LEFT_HAND},
                  {LMB_KEYPOINT_RIGHT_WRIST, LMB_SLOT_RIGHT_HAND},
                  {LMB_KEYPOINT_LEFT_HIP, LMB_SLOT_LEFT_UPPER_LEG},
                  {LMB_KEYPOINT_RIGHT_HIP, LMB_SLOT_RIGHT_UPPER_LEG},
                  {LMB_KEYPOINT_LEFT_KNEE, LMB_SLOT_LEFT_LOWER_LEG},
                  {LMB_KEYPOINT_RIGHT_KNEE, LMB_SLOT_RIGHT_LOWER_LEG},
                  {LMB_KEYPOINT_LEFT_ANKLE, LMB_SLOT_LEFT_FOOT},
                  {LMB_KEYPOINT_RIGHT_ANKLE, LMB_SLOT_RIGHT_FOOT}};

#endif
