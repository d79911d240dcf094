/// A pose hypothesis: which tips are hands, feet and head, which way is up, and which way the body
/// faces.
#ifndef EMBED_HUMAN_POSE_HYPOTHESIS_H
#define EMBED_HUMAN_POSE_HYPOTHESIS_H

#include "embed/human/landmarks.h"

typedef struct lmbi_pose_opts {
    lmb_vec3 up;      ///< unit, or zero: find out
    lmb_vec3 forward; ///< unit, or zero: find out
    bool mirrored;    ///< up and forward are given and the mirror plane runs through the origin
    const lmbi_landmark_tips *known; ///< tips that must be hands and feet, or NULL
} lmbi_pose_opts;

typedef struct lmbi_pose_hypothesis {
    float plane_offset;         ///< of the mirror plane, along left
    lmb_vec3 left, up, forward; ///< unit, right-handed: left x up = forward
    float low, high;            ///< of the solid along up
    uint32_t foot[2], hand[2];  ///< index in the tips; [0] is the left one
    int32_t head;               ///< index in the tips, or -1 if the top of the trunk is no tip
    /// no tips qualify as hands: `hand` repeats the feet
    bool armless;
    /// no tips qualify as feet: `foot` repeats the hands
    bool footless;
    /// left and right limbs are in different poses
    bool asymmetric;
    float cost; ///< 0 is a textbook figure; above about 1 no figure
    float foot_cost, hand_cost, head_cost;
    /// length of the longest tip that is no part of the figure, in heights
    float unused_length;
    /// how far toes and hands lie before the shins, in heights; negative: behind
    float toes_forward;
} lmbi_pose_hypothesis;

/// The cheapest hypothesis of the tips as a standing figure. False if there are fewer than four
/// tips.
bool lmbi_pose_hypothesis_find(const lmbi_voxel_body *body, const lmbi_tip *tips,
                               uint32_t tip_count, const lmbi_pose_opts *opts,
                               lmbi_pose_hypothesis *out);

#endif
