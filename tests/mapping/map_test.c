// Joint maps: every skeleton of the shared data against what a person says it is, conventions that
// the data lacks, names taken away, presets.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "io/bvh/bvh.h"
#include "io/files.h"
#include "made_bodies.h"
#include "mapping/mapping.h"

/// Words that tell left from right; hips, spine, chest, upper chest, neck and head; upper leg, lower
/// leg, foot and toes; shoulder, upper arm, lower arm and hand, both of the left side: the right is the
/// left with its word replaced. `-`: there is none. Fingers are counted.
static const char cmu[] = "Left Right Hips LowerBack Spine Spine1 Neck Head "
                          "LeftUpLeg LeftLeg LeftFoot LeftToeBase "
                          "LeftShoulder LeftArm LeftForeArm LeftHand";
static const char four_spines[] = "Left Right Hips Spine Spine2 Spine3 Neck Head "
                                  "LeftUpLeg LeftLeg LeftFoot LeftToeBase "
                                  "LeftShoulder LeftArm LeftForeArm LeftHand";
static const char fore_foot[] = "Left Right Hips Spine Spine2 Spine3 Neck Head "
                                "LeftUpLeg LeftLeg LeftFoot LeftForeFoot "
                                "LeftShoulder LeftArm LeftForeArm LeftHand";
static const char two_spines[] = "Left Right Hips Spine Spine1 - Neck Head "
                                 "LeftUpLeg LeftLeg LeftFoot - "
                                 "LeftShoulder LeftArm LeftForeArm LeftHand";
static const char cgspeed[] = "Left Right Hips lowerback Chest Chest2 lowerneck Head "
                              "LeftHip LeftKnee LeftAnkle LeftToe "
                              "LeftCollar LeftShoulder LeftElbow LeftWrist";
static const char chests[] = "Left Right Hips Chest Chest3 Chest4 Neck Head "
                             "LeftHip LeftKnee LeftAnkle LeftToe "
                             "LeftCollar LeftShoulder LeftElbow LeftWrist";
static const char boxing[] = "Left Right Hips Ab Chest - Neck Head "
                             "LeftHip LeftKnee LeftAnkle LeftToes "
                             "LeftCollar LeftShoulder LeftElbow LeftWrist";
static const char cycle[] = "Left Right Hips Ab Chest - Neck Head "
                            "LeftHip LeftKnee LeftAnkle - "
                            "LeftCollar LeftShoulder LeftElbow LeftWrist";
static const char daz[] = "l r hip abdomen chest - neck head "
                          "lThigh lShin lFoot - "
                          "lCollar lShldr lForeArm lHand";
static const char acclaim[] = "l r root lowerback upperback thorax neck head "
                              "lfemur ltibia lfoot ltoes "
                              "lshoulderjoint lhumerus lradius lhand";
static const char makehuman[] = ".L .R root spine05 spine03 spine01 neck01 head "
                                "upperleg01.L lowerleg01.L foot.L toe3-1.L "
                                "clavicle.L upperarm01.L lowerarm01.L wrist.L";
static const char makehuman_toes[] = ".L .R root spine05 spine03 spine01 neck01 head "
                                     "upperleg01.L lowerleg01.L foot.L - "
                                     "clavicle.L upperarm01.L lowerarm01.L wrist.L";
static const char makehuman_old[] = "_L _R Hips Spine1 Spine2 Spine3 Neck Head "
                                    "UpLeg_L LoLeg_L Foot_L Toe_L "
                                    "Clavicle_L UpArm_L LoArm_L Hand_L";
static const char mixamo7[] =
    "Left Right mixamorig7:Hips mixamorig7:Spine mixamorig7:Spine1 mixamorig7:Spine2 "
    "mixamorig7:Neck mixamorig7:Head "
    "mixamorig7:LeftUpLeg mixamorig7:LeftLeg mixamorig7:LeftFoot mixamorig7:LeftToeBase "
    "mixamorig7:LeftShoulder mixamorig7:LeftArm mixamorig7:LeftForeArm mixamorig7:LeftHand";
static const char mixamorig[] =
    "Left Right mixamorig:Hips mixamorig:Spine mixamorig:Spine1 mixamorig:Spine2 mixamorig:Neck "
    "mixamorig:Head "
    "mixamorig:LeftUpLeg mixamorig:LeftLeg mixamorig:LeftFoot mixamorig:LeftToeBase "
    "mixamorig:LeftShoulder mixamorig:LeftArm mixamorig:LeftForeArm mixamorig:LeftHand";
static const char mixamo_glb[] =
    "Left Right mixamorig_Hips mixamorig_Spine mixamorig_Spine1 mixamorig_Spine2 mixamorig_Neck "
    "mixamorig_Head "
    "mixamorig_LeftUpLeg mixamorig_LeftLeg mixamorig_LeftFoot mixamorig_LeftToeBase "
    "mixamorig_LeftShoulder mixamorig_LeftArm mixamorig_LeftForeArm mixamorig_LeftHand";
static const char cesium[] = "_L _R Skeleton_torso_joint_1 Skeleton_torso_joint_2 torso_joint_3 - "
                             "Skeleton_neck_joint_1 Skeleton_neck_joint_2 "
                             "leg_joint_L_1 leg_joint_L_2 leg_joint_L_3 leg_joint_L_5 "
                             "- - - -";
static const char kaykit[] = ".l .r hips spine chest - - head "
                             "upperleg.l lowerleg.l foot.l toes.l "
                             "- upperarm.l lowerarm.l hand.l";
static const char quaternius[] = ".L .R Body - - Torso Neck Head "
                                 "UpperLeg.L LowerLeg.L Foot.L - "
                                 "Shoulder.L UpperArm.L LowerArm.L -";
static const char babylon[] =
    "046L 046R hips abdomen abdomen2 chest neck head "
    "thighFBXASC046L shinFBXASC046L footFBXASC046L toeFBXASC046L "
    "shoulderFBXASC046L upper_armFBXASC046L forearmFBXASC046L handFBXASC046L";
static const char rigify[] =
    ".L .R DEF-hips DEF-spine.001 DEF-spine.002 DEF-spine.003 DEF-neck DEF-head "
    "DEF-thigh.L DEF-shin.L DEF-foot.L DEF-toe.L "
    "DEF-shoulder.L DEF-upper_arm.L DEF-forearm.L DEF-hand.L";
static const char vrm[] = "left right hips spine chest - neck head "
                          "leftUpperLeg leftLowerLeg leftFoot leftToes "
                          "leftShoulder leftUpperArm leftLowerArm leftHand";

typedef struct convention {
    char text[512];
    const char *words[16]; ///< NULL: there is none
} convention;

enum { LEFT, RIGHT, MIDDLE, LEG = 8, ARM = 12 };

static convention *convention_of(const char *text, convention *out)
{
    int count = 0;
    snprintf(out->text, sizeof out->text, "%s", text);
    for (char *word = strtok(out->text, " "); word != NULL; word = strtok(NULL, " ")) {
        assert_true(count < 16);
        out->words[count++] = strcmp(word, "-") != 0 ? word : NULL;
    }
    assert_int_equal(count, 16);
    return out;
}

static const struct {
    const char *path;
    const char *names;
    int fingers; ///< bones of both hands
} files[] = {
    {"mocap/bvh/B_test_yxz.bvh", chests, 0},
    {"mocap/bvh/Boxing_Toes.bvh", boxing, 0},
    {"mocap/bvh/brekel_kinect_body1.bvh", two_spines, 30},
    {"mocap/bvh/bvhtoolbox_walk01.bvh", two_spines, 0},
    {"mocap/bvh/cmu_01_01.bvh", cmu, 2},
    {"mocap/bvh/cmu_05_20_daz.bvh", daz, 20},
    {"mocap/bvh/cmu_05_20_motionbuilder.bvh", cmu, 4},
    {"mocap/bvh/cmu_10_03_soccer_daz.bvh", daz, 20},
    {"mocap/bvh/cmu_12_01_walk.bvh", cmu, 4},
    {"mocap/bvh/cmu_jumping_jacks.bvh", cgspeed, 2},
    {"mocap/bvh/fair_jumping.bvh", four_spines, 2},
    {"mocap/bvh/fair_zombie.bvh", four_spines, 2},
    {"mocap/bvh/footskate_comp3d1_raw.bvh", cmu, 4},
    {"mocap/bvh/geno_bind.bvh", four_spines, 30},
    {"mocap/bvh/makehuman_face_poseunits.bvh", makehuman, 30},
    {"mocap/bvh/makehuman_tpose.bvh", makehuman_toes, 30},
    {"mocap/bvh/makehuman_walk1.bvh", makehuman_old, 30},
    {"mocap/bvh/mixamo_walk_in_circle.bvh", mixamo7, 30},
    {"mocap/bvh/mixamorig_55j_zyx.bvh", mixamorig, 30},
    {"mocap/bvh/pybvh_standard_skeleton.bvh", four_spines, 0},
    {"mocap/bvh/pybvh_xyz_60j_fingers.bvh", fore_foot, 30},
    {"mocap/bvh/pybvh_xzy_24j.bvh", four_spines, 0},
    {"mocap/bvh/swagger_asfnames.bvh", acclaim, 0},
    {"mocap/bvh/walk_cycle_6ch.bvh", cycle, 0},
    {"mocap/bvh/wspr_walk_cmu.bvh", cmu, 4},
    {"mocap/bvh/xia_angry_13.bvh", cmu, 4},
    {"rigged/gltf/CesiumMan.glb", cesium, 0},
    {"rigged/gltf/kaykit_Knight.glb", kaykit, 0},
    {"rigged/gltf/robot_quaternius.glb", quaternius, -1},
    {"rigged/gltf/babylon_riggedMesh.glb", babylon, 30},
    {"rigged/mesh2motion/animations-mixamo-default.glb", mixamo_glb, 30},
    {"rigged/mesh2motion/human-skeleton.glb", rigify, 30},
    {"rigged/vrm/cool_loops.vrm", mixamorig, 30},
    {"mocap/vrma/test.vrma", vrm, 30},
};

static void other_side(const convention *names, const char *name, char *out, size_t size)
{
    const char *at = strstr(name, names->words[LEFT]);
    if (at == NULL) {
        snprintf(out, size, "%s", name);
    } else {
        snprintf(out, size, "%.*s%s%s", (int)(at - name), name, names->words[RIGHT],
                 at + strlen(names->words[LEFT]));
    }
}

typedef struct score {
    int right, all;
} score;

static void check(const char *file, const lmb_skeleton *skeleton, const lmb_joint_map *map,
                  int bone, const char *wanted, score *s)
{
    if (wanted == NULL) {
        return;
    }
    const int32_t joint = map->bones[bone].joint;
    const char *found = joint >= 0 ? skeleton->names[joint] : "none";
    ++s->all;
    s->right += strcmp(found, wanted) == 0;
    if (strcmp(found, wanted) != 0 && file != NULL) {
        print_message("%s: %s is %s, expected %s\n", file,
                      lmb_human_bone_name((lmb_human_bone)bone), found, wanted);
    }
}

static void check_convention(const char *file, const lmb_skeleton *skeleton,
                             const lmb_joint_map *map, const convention *names, score *s)
{
    for (int i = 0; i < 6; ++i) {
        check(file, skeleton, map, LMB_HUMAN_HIPS + i, names->words[MIDDLE + i], s);
    }
    for (int i = 0; i < 4; ++i) {
        char name[64];
        const char *leg = names->words[LEG + i], *arm = names->words[ARM + i];
        check(file, skeleton, map, LMB_HUMAN_LEFT_UPPER_LEG + i, leg, s);
        check(file, skeleton, map, LMB_HUMAN_LEFT_SHOULDER + i, arm, s);
        if (leg != NULL) {
            other_side(names, leg, name, sizeof(name));
            check(file, skeleton, map, LMB_HUMAN_RIGHT_UPPER_LEG + i, name, s);
        }
        if (arm != NULL) {
            other_side(names, arm, name, sizeof(name));
            check(file, skeleton, map, LMB_HUMAN_RIGHT_SHOULDER + i, name, s);
        }
    }
}

static lmb_character *read_shared(const char *path)
{
    const test_file file = test_shared_read(path);
    lmb_character *character = NULL;
    if (file.data != NULL && strstr(path, ".bvh") != NULL) {
        assert_int_equal(lmbi_bvh_read(file.data, file.size, NULL, NULL, &character, NULL), LMB_OK);
    } else if (file.data != NULL) {
        assert_int_equal(lmb_gltf_read(file.data, file.size, NULL, NULL, &character, NULL), LMB_OK);
    }
    free(file.data);
    return character;
}

static int finger_count(const lmb_joint_map *map)
{
    int count = 0;
    for (int bone = LMB_HUMAN_LEFT_THUMB_METACARPAL; bone < LMB_HUMAN_BONE_COUNT; ++bone) {
        count += map->bones[bone].joint >= 0;
    }
    return count;
}

static void shared_skeletons(void **state)
{
    (void)state;
    score s = {0, 0};
    convention convention_words;
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); ++i) {
        lmb_character *character = read_shared(files[i].path);
        if (character == NULL) {
            skip();
        }
        lmb_joint_map map;
        assert_int_equal(lmb_joint_map_make(character->skeleton, NULL, &map, NULL), LMB_OK);
        check_convention(files[i].path, character->skeleton, &map,
                         convention_of(files[i].names, &convention_words), &s);
        if (files[i].fingers >= 0 && finger_count(&map) != files[i].fingers) {
            print_message("%s: %d finger joints, expected %d\n", files[i].path, finger_count(&map),
                          files[i].fingers);
            ++s.all;
        }
        assert_true(map.confidence > 0.85f);
        lmb_character_destroy(character);
    }
    print_message("%d of %d slots\n", s.right, s.all);
    assert_true((float)s.right >= 0.98f * (float)s.all);
}

/// The same files with every name taken away: shape alone. Their rest poses are symmetrical but for
/// one robot's, whose arms and legs cannot be told apart.
static void shared_skeletons_without_names(void **state)
{
    (void)state;
    score all = {0, 0};
    convention convention_words;
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); ++i) {
        lmb_character *character = read_shared(files[i].path);
        if (character == NULL) {
            skip();
        }
        lmb_skeleton def = *character->skeleton, *bare = NULL;
        const char **names = malloc(def.joint_count * sizeof(*names));
        for (uint32_t j = 0; j < def.joint_count; ++j) {
            names[j] = "joint";
        }
        def.names = names;
        assert_int_equal(lmb_skeleton_create(&def, NULL, &bare, NULL), LMB_OK);
        lmb_joint_map map;
        score s = {0, 0};
        assert_int_equal(lmb_joint_map_make(bare, NULL, &map, NULL), LMB_OK);
        check_convention(NULL, character->skeleton, &map,
                         convention_of(files[i].names, &convention_words), &s);
        print_message("%-50s %2d of %2d\n", files[i].path, s.right, s.all);
        all.right += s.right;
        all.all += s.all;
        lmb_skeleton_destroy(bare);
        free(names);
        lmb_character_destroy(character);
    }
    print_message("%d of %d slots by shape alone\n", all.right, all.all);
    assert_true((float)all.right >= 0.85f * (float)all.all);
}

// --------------------------------------------------------------------------------- made skeletons

/// The made body with other names, in the order of its joints (left before right); NULL keeps what
/// it has.
static lmb_character *renamed(const char *const *names)
{
    lmb_character *character = test_skeleton(&(test_shape){0});
    lmb_skeleton def = *character->skeleton;
    const char **copy = malloc(def.joint_count * sizeof(*copy));
    for (uint32_t j = 0; j < def.joint_count; ++j) {
        copy[j] = names != NULL ? names[j] : "joint";
    }
    def.names = copy;
    lmb_character out = *character, *made = NULL;
    assert_int_equal(lmb_skeleton_create(&def, NULL, &out.skeleton, NULL), LMB_OK);
    assert_int_equal(lmb_character_create(&out, NULL, &made, NULL), LMB_OK);
    lmb_skeleton_destroy(character->skeleton);
    lmb_character_release(character);
    free(copy);
    return made;
}

enum { BODY_JOINTS = 22 };

/// Splits a row of `conventions`, with text[1024] for the names.
static void split_names(const char *row, char *text, const char *names[BODY_JOINTS])
{
    assert_true(strlen(row) < 1024);
    strcpy(text, row);
    for (int k = 0; k < BODY_JOINTS; ++k) {
        names[k] = strtok(k == 0 ? text : NULL, "|");
        assert_non_null(names[k]);
    }
    assert_null(strtok(NULL, "|"));
}

/// The body's 22 joints are the bones without eyes and jaw, which lie behind the head.
static lmb_human_bone body_bone(int k)
{
    return (lmb_human_bone)(k <= LMB_HUMAN_HEAD ? k : k + 3);
}

/// Names of the body's joints in the order of body_bone, with | between them.
static const char *const conventions[] = {
    // Unreal
    "pelvis|spine_01|spine_02|spine_03|neck_01|head|thigh_l|calf_l|foot_l|ball_l|thigh_r|calf_r|"
    "foot_r|ball_r|clavicle_l|upperarm_l|lowerarm_l|hand_l|clavicle_r|upperarm_r|lowerarm_r|"
    "hand_r",
    // VRoid
    "J_Bip_C_Hips|J_Bip_C_Spine|J_Bip_C_Chest|J_Bip_C_UpperChest|J_Bip_C_Neck|J_Bip_C_Head|"
    "J_Bip_L_UpperLeg|J_Bip_L_LowerLeg|J_Bip_L_Foot|J_Bip_L_ToeBase|J_Bip_R_UpperLeg|"
    "J_Bip_R_LowerLeg|J_Bip_R_Foot|J_Bip_R_ToeBase|J_Bip_L_Shoulder|J_Bip_L_UpperArm|"
    "J_Bip_L_LowerArm|J_Bip_L_Hand|J_Bip_R_Shoulder|J_Bip_R_UpperArm|J_Bip_R_LowerArm|"
    "J_Bip_R_Hand",
    // SMPL
    "Pelvis|Spine1|Spine2|Spine3|Neck|Head|L_Hip|L_Knee|L_Ankle|L_Foot|R_Hip|R_Knee|R_Ankle|"
    "R_Foot|L_Collar|L_Shoulder|L_Elbow|L_Wrist|R_Collar|R_Shoulder|R_Elbow|R_Wrist",
    // Biped
    "Bip01 Pelvis|Bip01 Spine|Bip01 Spine1|Bip01 Spine2|Bip01 Neck|Bip01 Head|Bip01 L Thigh|"
    "Bip01 L Calf|Bip01 L Foot|Bip01 L Toe0|Bip01 R Thigh|Bip01 R Calf|Bip01 R Foot|Bip01 R Toe0|"
    "Bip01 L Clavicle|Bip01 L UpperArm|Bip01 L Forearm|Bip01 L Hand|Bip01 R Clavicle|"
    "Bip01 R UpperArm|Bip01 R Forearm|Bip01 R Hand",
    // Valve
    "ValveBiped.Bip01_Pelvis|ValveBiped.Bip01_Spine|ValveBiped.Bip01_Spine1|"
    "ValveBiped.Bip01_Spine2|ValveBiped.Bip01_Neck1|ValveBiped.Bip01_Head1|"
    "ValveBiped.Bip01_L_Thigh|ValveBiped.Bip01_L_Calf|ValveBiped.Bip01_L_Foot|"
    "ValveBiped.Bip01_L_Toe0|ValveBiped.Bip01_R_Thigh|ValveBiped.Bip01_R_Calf|"
    "ValveBiped.Bip01_R_Foot|ValveBiped.Bip01_R_Toe0|ValveBiped.Bip01_L_Clavicle|"
    "ValveBiped.Bip01_L_UpperArm|ValveBiped.Bip01_L_Forearm|ValveBiped.Bip01_L_Hand|"
    "ValveBiped.Bip01_R_Clavicle|ValveBiped.Bip01_R_UpperArm|ValveBiped.Bip01_R_Forearm|"
    "ValveBiped.Bip01_R_Hand",
    // Maya, every name ending in joint
    "c_hip_joint|c_spine1_joint|c_spine2_joint|c_chest_joint|c_neck_joint|c_head_joint|"
    "l_hip_joint|l_knee_joint|l_ankle_joint|l_ball_joint|r_hip_joint|r_knee_joint|r_ankle_joint|"
    "r_ball_joint|l_clavicle_joint|l_shoulder_joint|l_elbow_joint|l_wrist_joint|r_clavicle_joint|"
    "r_shoulder_joint|r_elbow_joint|r_wrist_joint",
    // Character Creator
    "CC_Base_Hip|CC_Base_Waist|CC_Base_Spine01|CC_Base_Spine02|CC_Base_NeckTwist01|CC_Base_Head|"
    "CC_Base_L_Thigh|CC_Base_L_Calf|CC_Base_L_Foot|CC_Base_L_ToeBase|CC_Base_R_Thigh|"
    "CC_Base_R_Calf|CC_Base_R_Foot|CC_Base_R_ToeBase|CC_Base_L_Clavicle|CC_Base_L_Upperarm|"
    "CC_Base_L_Forearm|CC_Base_L_Hand|CC_Base_R_Clavicle|CC_Base_R_Upperarm|CC_Base_R_Forearm|"
    "CC_Base_R_Hand",
    // Xsens (MVN)
    "Pelvis|L5|L3|T8|Neck|Head|LeftUpperLeg|LeftLowerLeg|LeftFoot|LeftToe|RightUpperLeg|"
    "RightLowerLeg|RightFoot|RightToe|LeftShoulder|LeftUpperArm|LeftForeArm|LeftHand|"
    "RightShoulder|RightUpperArm|RightForeArm|RightHand",
    // Rokoko
    "Hips|Spine1|Spine2|Spine3|Neck|Head|LeftThigh|LeftShin|LeftFoot|LeftToe|RightThigh|"
    "RightShin|RightFoot|RightToe|LeftShoulder|LeftArm|LeftForeArm|LeftHand|RightShoulder|"
    "RightArm|RightForeArm|RightHand",
    // SOMA
    "Hips|Spine1|Spine2|Chest|Neck1|Head|LeftLeg|LeftShin|LeftFoot|LeftToeBase|RightLeg|"
    "RightShin|RightFoot|RightToeBase|LeftShoulder|LeftArm|LeftForeArm|LeftHand|RightShoulder|"
    "RightArm|RightForeArm|RightHand",
    // Daz Genesis 8
    "hip|abdomenLower|abdomenUpper|chestUpper|neckLower|head|lThighBend|lShin|lFoot|lToe|"
    "rThighBend|rShin|rFoot|rToe|lCollar|lShldrBend|lForearmBend|lHand|rCollar|rShldrBend|"
    "rForearmBend|rHand",
    // Palms that are called after a finger, the ring finger's R beside the side
    "Hips|Abdomen|Torso|Chest|Neck|Head|UpperLeg.L|LowerLeg.L|Foot.L|Toes.L|UpperLeg.R|"
    "LowerLeg.R|Foot.R|Toes.R|Shoulder.L|UpperArm.L|LowerArm.L|PalmR.L|Shoulder.R|UpperArm.R|"
    "LowerArm.R|PalmR.R",
    // Quaternius, fists for hands
    "Hips|Abdomen|Torso|Chest|Neck|Head|UpperLeg.L|LowerLeg.L|Foot.L|Toes.L|UpperLeg.R|"
    "LowerLeg.R|Foot.R|Toes.R|Shoulder.L|UpperArm.L|LowerArm.L|Fist.L|Shoulder.R|UpperArm.R|"
    "LowerArm.R|Fist.R",
    // Doom 3, with rotating joints on either side
    "Hips|Waist|Chest|Upchest|Neck|Head|Lupleg|Lloleg|Lankle_r|Lball_r|Rupleg|Rloleg|Rankle_r|"
    "Rball_r|Lshldr|Luparm|Lloarm|Lhand|Rshldr|Ruparm|Rloarm|Rhand",
    // MotionBuilder
    "Character1_Hips|Character1_Spine|Character1_Spine1|Character1_Spine2|Character1_Neck|"
    "Character1_Head|Character1_LeftUpLeg|Character1_LeftLeg|Character1_LeftFoot|"
    "Character1_LeftToeBase|Character1_RightUpLeg|Character1_RightLeg|Character1_RightFoot|"
    "Character1_RightToeBase|Character1_LeftShoulder|Character1_LeftArm|Character1_LeftForeArm|"
    "Character1_LeftHand|Character1_RightShoulder|Character1_RightArm|Character1_RightForeArm|"
    "Character1_RightHand",
    // CMU as BVH
    "Hips|LowerBack|Spine|Spine1|Neck1|Head|LeftUpLeg|LeftLeg|LeftFoot|LeftToeBase|RightUpLeg|"
    "RightLeg|RightFoot|RightToeBase|LeftShoulder|LeftArm|LeftForeArm|LeftHand|RightShoulder|"
    "RightArm|RightForeArm|RightHand",
    // Mixamo
    "mixamorig:Hips|mixamorig:Spine|mixamorig:Spine1|mixamorig:Spine2|mixamorig:Neck|"
    "mixamorig:Head|mixamorig:LeftUpLeg|mixamorig:LeftLeg|mixamorig:LeftFoot|"
    "mixamorig:LeftToeBase|mixamorig:RightUpLeg|mixamorig:RightLeg|mixamorig:RightFoot|"
    "mixamorig:RightToeBase|mixamorig:LeftShoulder|mixamorig:LeftArm|mixamorig:LeftForeArm|"
    "mixamorig:LeftHand|mixamorig:RightShoulder|mixamorig:RightArm|mixamorig:RightForeArm|"
    "mixamorig:RightHand",
    // LAFAN1
    "Hips|Spine|Spine1|Spine2|Neck|Head|LeftUpLeg|LeftLeg|LeftFoot|LeftToe|RightUpLeg|RightLeg|"
    "RightFoot|RightToe|LeftShoulder|LeftArm|LeftForeArm|LeftHand|RightShoulder|RightArm|"
    "RightForeArm|RightHand",
    // Rigify
    "DEF-spine|DEF-spine.001|DEF-spine.002|DEF-spine.003|DEF-spine.004|DEF-spine.006|DEF-thigh.L|"
    "DEF-shin.L|DEF-foot.L|DEF-toe.L|DEF-thigh.R|DEF-shin.R|DEF-foot.R|DEF-toe.R|DEF-shoulder.L|"
    "DEF-upper_arm.L|DEF-forearm.L|DEF-hand.L|DEF-shoulder.R|DEF-upper_arm.R|DEF-forearm.R|"
    "DEF-hand.R",
    // MikuMikuDance
    "\xE4\xB8\x8B\xE5\x8D\x8A\xE8\xBA\xAB|\xE4\xB8\x8A\xE5\x8D\x8A\xE8\xBA\xAB|"
    "\xE4\xB8\x8A\xE5\x8D\x8A\xE8\xBA\xAB"
    "2|\xE4\xB8\x8A\xE5\x8D\x8A\xE8\xBA\xAB"
    "3|\xE9\xA6\x96|"
    "\xE9\xA0\xAD|\xE5\xB7\xA6\xE8\xB6\xB3|\xE5\xB7\xA6\xE3\x81\xB2\xE3\x81\x96|"
    "\xE5\xB7\xA6\xE8\xB6\xB3\xE9\xA6\x96|\xE5\xB7\xA6\xE3\x81\xA4\xE3\x81\xBE\xE5\x85\x88|"
    "\xE5\x8F\xB3\xE8\xB6\xB3|\xE5\x8F\xB3\xE3\x81\xB2\xE3\x81\x96|"
    "\xE5\x8F\xB3\xE8\xB6\xB3\xE9\xA6\x96|\xE5\x8F\xB3\xE3\x81\xA4\xE3\x81\xBE\xE5\x85\x88|"
    "\xE5\xB7\xA6\xE8\x82\xA9|\xE5\xB7\xA6\xE8\x85\x95|\xE5\xB7\xA6\xE3\x81\xB2\xE3\x81\x98|"
    "\xE5\xB7\xA6\xE6\x89\x8B\xE9\xA6\x96|\xE5\x8F\xB3\xE8\x82\xA9|\xE5\x8F\xB3\xE8\x85\x95|"
    "\xE5\x8F\xB3\xE3\x81\xB2\xE3\x81\x98|\xE5\x8F\xB3\xE6\x89\x8B\xE9\xA6\x96",
};

static void conventions_the_data_lacks(void **state)
{
    (void)state;
    score s = {0, 0};
    for (size_t i = 0; i < sizeof(conventions) / sizeof(conventions[0]); ++i) {
        char text[1024];
        const char *names[BODY_JOINTS];
        split_names(conventions[i], text, names);
        lmb_character *character = renamed(names);
        lmb_joint_map map;
        assert_int_equal(lmb_joint_map_make(character->skeleton, NULL, &map, NULL), LMB_OK);
        for (int j = 0; j < 22; ++j) {
            check(names[0], character->skeleton, &map, (int)body_bone(j), names[j], &s);
        }
        lmb_character_destroy(character);
    }
    assert_int_equal(s.right, s.all);
}

static void without_names_the_shape_decides(void **state)
{
    (void)state;
    lmb_character *character = renamed(NULL);
    lmb_joint_map map;
    assert_int_equal(lmb_joint_map_make(character->skeleton, NULL, &map, NULL), LMB_OK);
    lmb_character *named = test_skeleton(&(test_shape){0});
    for (int bone = 0; bone < LMB_HUMAN_LEFT_THUMB_METACARPAL; ++bone) {
        const int32_t wanted =
            lmb_skeleton_find(named->skeleton, lmb_human_bone_name((lmb_human_bone)bone));
        // A toe joint without anything below may be a tip as well.
        const bool toes = bone == LMB_HUMAN_LEFT_TOES || bone == LMB_HUMAN_RIGHT_TOES;
        if (map.bones[bone].joint != wanted && !toes) {
            fail_msg("%s is joint %d, expected %d", lmb_human_bone_name((lmb_human_bone)bone),
                     map.bones[bone].joint, wanted);
        }
        assert_true(map.bones[bone].joint < 0 || map.bones[bone].confidence < 0.9f);
    }
    lmb_character_destroy(named);
    lmb_character_destroy(character);
}

/// The made skeleton with left and right exchanged in its names.
static void sides_as_seen_from_in_front_are_the_bodys(void **state)
{
    (void)state;
    lmb_character *character = test_skeleton(&(test_shape){0});
    lmb_skeleton def = *character->skeleton, *viewed = NULL;
    const char *names[TEST_BODY_JOINTS];
    for (uint32_t j = 0; j < def.joint_count; ++j) {
        const lmb_human_bone bone = lmb_human_bone_find(def.names[j]);
        names[j] = bone < LMB_HUMAN_BONE_COUNT ? lmb_human_bone_name(lmb_human_bone_mirror(bone))
                                               : def.names[j];
    }
    def.names = names;
    assert_int_equal(lmb_skeleton_create(&def, NULL, &viewed, NULL), LMB_OK);
    lmb_joint_map map, wanted;
    assert_int_equal(lmb_joint_map_make(viewed, NULL, &map, NULL), LMB_OK);
    assert_int_equal(lmb_joint_map_make(character->skeleton, NULL, &wanted, NULL), LMB_OK);
    for (int bone = 0; bone < LMB_HUMAN_BONE_COUNT; ++bone) {
        assert_int_equal(map.bones[bone].joint, wanted.bones[bone].joint);
    }
    assert_int_equal(map.bones[LMB_HUMAN_LEFT_HAND].reason, LMB_MAP_PLACE);
    assert_int_equal(wanted.bones[LMB_HUMAN_LEFT_HAND].reason, LMB_MAP_NAME);
    lmb_skeleton_destroy(viewed);
    lmb_character_destroy(character);
}

static void bend(lmb_character *c, const char *bone, float radians)
{
    for (int k = 0; k < 2; ++k) {
        char name[32];
        snprintf(name, sizeof name, "%s%s", k == 0 ? "left" : "right", bone);
        const int32_t j = lmb_skeleton_find(c->skeleton, name);
        assert_true(j >= 0);
        lmb_quat *rotation = &c->skeleton->rest[j].rotation;
        *rotation = lmb_quat_mul(*rotation, lmb_quat_axis_angle(lmb_vec3_make(1, 0, 0), radians));
    }
}

/// A rest pose on tiptoe, with knees so far bent that the feet point backward.
static void folded_legs_keep_the_sides_of_their_names(void **state)
{
    (void)state;
    lmb_character *character = test_skeleton(&(test_shape){0});
    bend(character, "UpperLeg", -0.8f);
    bend(character, "LowerLeg", 1.5f);
    bend(character, "Foot", 1.0f);
    lmb_joint_map map;
    assert_int_equal(lmb_joint_map_make(character->skeleton, NULL, &map, NULL), LMB_OK);
    for (int bone = LMB_HUMAN_LEFT_UPPER_LEG; bone <= LMB_HUMAN_RIGHT_TOES; ++bone) {
        const int32_t wanted =
            lmb_skeleton_find(character->skeleton, lmb_human_bone_name((lmb_human_bone)bone));
        assert_int_equal(map.bones[bone].joint, wanted);
    }
    lmb_character_destroy(character);
}

/// A rig of a game's robot: legs and arms hang from a torso that the named hips hang from as well,
/// and feet, which are points, from controls under the root.
static void feet_under_controls_and_hips_beside_the_trunk(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int32_t parent;
        lmb_vec3 at; ///< in the model
    } rows[] = {
        {"root", -1, {0, 0, 0}},
        {"torso", 0, {0, 0.53f, 0}},
        {"hips", 1, {0, 0.53f, 0}},
        {"upperleg.L", 2, {0.13f, 0.49f, 0}},
        {"lowerleg.L", 3, {0.13f, 0.34f, 0.03f}},
        {"upperleg.R", 2, {-0.13f, 0.49f, 0}},
        {"lowerleg.R", 5, {-0.13f, 0.34f, 0.03f}},
        {"neck", 1, {0, 0.9f, 0}},
        {"head", 7, {0, 1, 0.02f}},
        {"upperarm.L", 1, {0.19f, 0.83f, 0}},
        {"lowerarm.L", 9, {0.4f, 0.83f, 0}},
        {"hand.L", 10, {0.54f, 0.83f, 0}},
        {"upperarm.R", 1, {-0.19f, 0.83f, 0}},
        {"lowerarm.R", 12, {-0.4f, 0.83f, 0}},
        {"hand.R", 13, {-0.54f, 0.83f, 0}},
        {"foot_IK.L.001", 0, {0.13f, 0.11f, -0.01f}},
        {"foot.L", 15, {0.13f, 0.11f, -0.0101f}},
        {"toe.L", 16, {0.13f, 0.11f, -0.0102f}},
        {"foot_IK.R.001", 0, {-0.13f, 0.11f, -0.01f}},
        {"foot.R", 18, {-0.13f, 0.11f, -0.0101f}},
        {"toe.R", 19, {-0.13f, 0.11f, -0.0102f}},
    };
    enum { COUNT = sizeof rows / sizeof *rows };
    const char *names[COUNT];
    int32_t parents[COUNT];
    lmb_transform rest[COUNT];
    for (int j = 0; j < COUNT; ++j) {
        names[j] = rows[j].name;
        parents[j] = rows[j].parent;
        rest[j] = lmb_transform_identity();
        rest[j].translation =
            rows[j].parent < 0 ? rows[j].at : lmb_vec3_sub(rows[j].at, rows[rows[j].parent].at);
    }
    const lmb_skeleton def = {
        .joint_count = COUNT, .parents = parents, .rest = rest, .names = names};
    lmb_joint_map map;
    assert_int_equal(lmb_joint_map_make(&def, NULL, &map, NULL), LMB_OK);
    static const struct {
        lmb_human_bone bone;
        const char *name;
    } wanted[] = {
        {LMB_HUMAN_HIPS, "torso"},       {LMB_HUMAN_LEFT_UPPER_LEG, "upperleg.L"},
        {LMB_HUMAN_LEFT_FOOT, "foot.L"}, {LMB_HUMAN_RIGHT_FOOT, "foot.R"},
        {LMB_HUMAN_LEFT_TOES, "toe.L"},  {LMB_HUMAN_LEFT_HAND, "hand.L"},
    };
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted; ++k) {
        const int32_t joint = map.bones[wanted[k].bone].joint;
        assert_true(joint >= 0);
        assert_string_equal(names[joint], wanted[k].name);
    }
}

// ---------------------------------------------------------------------------------------- presets

static void presets_come_back(void **state)
{
    (void)state;
    lmb_character *character = test_skeleton(&(test_shape){0});
    lmb_joint_map map, read;
    assert_int_equal(lmb_joint_map_make(character->skeleton, NULL, &map, NULL), LMB_OK);
    // The file has chains beside the bones, which are read on their own or with them.
    lmb_chain_map chains, read_chains;
    assert_int_equal(lmb_chain_map_find(character->skeleton, NULL, &chains, NULL), LMB_OK);
    const lmb_map_section written = {character->skeleton, &map, &chains},
                          into = {character->skeleton, &read, &read_chains},
                          bones = {character->skeleton, &read, NULL};
    lmb_buffer buffer = {0};
    assert_int_equal(lmb_map_write(&written, NULL, NULL, &buffer, NULL), LMB_OK);
    memset(&read, 0, sizeof(read));
    memset(&read_chains, 0, sizeof(read_chains));
    bool found = false;
    assert_int_equal(lmb_map_read(buffer.data, buffer.size, "character", &into, NULL, &found, NULL),
                     LMB_OK);
    assert_int_equal(read_chains.count, chains.count);
    assert_true(found);
    for (int bone = 0; bone < LMB_HUMAN_BONE_COUNT; ++bone) {
        assert_int_equal(read.bones[bone].joint, map.bones[bone].joint);
    }
    assert_int_equal(read.spine_count, map.spine_count);
    assert_int_equal(lmb_map_read(buffer.data, buffer.size, "motion", &bones, NULL, &found, NULL),
                     LMB_OK);
    assert_false(found);
    lmb_buffer_free(&buffer);
    lmb_character_destroy(character);
}

static void bad_presets_are_refused_in_place(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        unsigned line;
    } bad[] = {
        {"", 1},
        {"{}", 1},
        {"{\"limber\": \"joint map\", \"character\": []}", 1},
        {"{\"limber\": \"joint map\",\n \"character\": {\"hips\": \"nobody\"}}", 2},
        {"{\"limber\": \"joint map\",\n\n \"character\": {\"elbow\": \"hips\"}}", 3},
        {"{\"limber\": \"joint map\", \"character\": {\"hips\": 3}}", 1},
    };
    lmb_character *character = test_skeleton(&(test_shape){0});
    lmb_joint_map map, before;
    assert_int_equal(lmb_joint_map_make(character->skeleton, NULL, &map, NULL), LMB_OK);
    before = map;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); ++i) {
        bool found = false;
        lmb_error error = {0};
        const lmb_map_section into = {.skeleton = character->skeleton, .joints = &map};
        assert_int_equal(lmb_map_read(bad[i].text, strlen(bad[i].text), "character", &into, NULL,
                                      &found, &error),
                         LMB_ERROR_MALFORMED);
        assert_int_equal(error.line, bad[i].line);
        assert_memory_equal(map.bones, before.bones, sizeof(map.bones));
    }
    lmb_character_destroy(character);
}

static void bones_agree_with_themselves(void **state)
{
    (void)state;
    for (int bone = 0; bone < LMB_HUMAN_BONE_COUNT; ++bone) {
        assert_int_equal(lmb_human_bone_find(lmb_human_bone_name((lmb_human_bone)bone)), bone);
        assert_int_equal(lmb_human_bone_mirror(lmb_human_bone_mirror((lmb_human_bone)bone)), bone);
        const lmb_human_bone parent = lmbi_human_bone_parent((lmb_human_bone)bone);
        assert_true(parent == LMB_HUMAN_BONE_COUNT || (int)parent < bone);
        const bool left = strncmp(lmb_human_bone_name((lmb_human_bone)bone), "left", 4) == 0;
        assert_int_equal(left, (int)lmb_human_bone_mirror((lmb_human_bone)bone) > bone);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shared_skeletons),
        cmocka_unit_test(shared_skeletons_without_names),
        cmocka_unit_test(conventions_the_data_lacks),
        cmocka_unit_test(without_names_the_shape_decides),
        cmocka_unit_test(sides_as_seen_from_in_front_are_the_bodys),
        cmocka_unit_test(folded_legs_keep_the_sides_of_their_names),
        cmocka_unit_test(feet_under_controls_and_hips_beside_the_trunk),
        cmocka_unit_test(presets_come_back),
        cmocka_unit_test(bad_presets_are_refused_in_place),
        cmocka_unit_test(bones_agree_with_themselves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
