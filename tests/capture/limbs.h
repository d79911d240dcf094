/// The joints of the limbs that detectors of keypoints see too, left and right in turn.
#ifndef TESTS_CAPTURE_LIMBS_H
#define TESTS_CAPTURE_LIMBS_H

#include "limber/capture.h"

enum { LIMBS = 12 };
static const struct {
    lmb_keypoint keypoint;
    lmb_human_bone bone;
} limbs[LIMBS] = {{LMB_KEYPOINT_LEFT_SHOULDER, LMB_HUMAN_LEFT_UPPER_ARM},
                  {LMB_KEYPOINT_RIGHT_SHOULDER, LMB_HUMAN_RIGHT_UPPER_ARM},
                  {LMB_KEYPOINT_LEFT_ELBOW, LMB_HUMAN_LEFT_LOWER_ARM},
                  {LMB_KEYPOINT_RIGHT_ELBOW, LMB_HUMAN_RIGHT_LOWER_ARM},
                  {LMB_KEYPOINT_LEFT_WRIST, LMB_HUMAN_LEFT_HAND},
                  {LMB_KEYPOINT_RIGHT_WRIST, LMB_HUMAN_RIGHT_HAND},
                  {LMB_KEYPOINT_LEFT_HIP, LMB_HUMAN_LEFT_UPPER_LEG},
                  {LMB_KEYPOINT_RIGHT_HIP, LMB_HUMAN_RIGHT_UPPER_LEG},
                  {LMB_KEYPOINT_LEFT_KNEE, LMB_HUMAN_LEFT_LOWER_LEG},
                  {LMB_KEYPOINT_RIGHT_KNEE, LMB_HUMAN_RIGHT_LOWER_LEG},
                  {LMB_KEYPOINT_LEFT_ANKLE, LMB_HUMAN_LEFT_FOOT},
                  {LMB_KEYPOINT_RIGHT_ANKLE, LMB_HUMAN_RIGHT_FOOT}};

#endif
