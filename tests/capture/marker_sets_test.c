// The marker sets of laboratories, stuck to a made walk, written and read as C3D and TRC: joints are
// found by the names alone, with a subject and offsets that nobody told.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "capture/fit.h"
#include "capture/recordings.h"
#include "io/mocap/markers.h"
#include "marker_named.h"

/// Markers by the joint that they move with: "L*" and "R*" for both sides.
typedef struct marker_set {
    const char *name;
    const char *head, *chest, *hips, *sided; ///< names apart by spaces; `sided` as bone:name
} marker_set;

static const marker_set sets[] = {
    {"Plug-in Gait", "LFHD RFHD LBHD RBHD", "C7 T10 CLAV STRN RBAK", "LASI RASI LPSI RPSI",
     "c:*SHO a:*UPA a:*ELB f:*FRM f:*WRA f:*WRB h:*FIN t:*THI t:*KNE s:*TIB s:*ANK o:*HEE o:*TOE"},
    {"CMU 41", "LFHD RFHD LBHD RBHD", "C7 T10 CLAV STRN RBAC", "LFWT RFWT LBWT RBWT",
     "c:*SHO a:*UPA a:*ELB f:*FRM f:*WRA f:*WRB h:*FIN h:*THM t:*THI t:*KNE s:*SHN s:*ANK o:*HEE "
     "o:*TOE o:*MT5"},
    {"Helen Hayes (Cortex)", "Top.Head Front.Head Rear.Head", "R.Offset Sternum C7",
     "R.ASIS L.ASIS V.Sacral",
     "c:*.Shoulder a:*.Elbow f:*.Wrist t:*.Thigh t:*.Knee t:*.Knee.Medial s:*.Shank s:*.Ankle "
     "s:*.Ankle.Medial o:*.Heel o:*.Toe"},
    {"OpenSim gait", "Top.Head", "Sternum C7 T10", "R.ASIS L.ASIS V.Sacral",
     "c:*.Acromium a:*.Bicep a:*.Elbow f:*.Wrist.Med f:*.Wrist.Lat t:*.Thigh.Upper t:*.Thigh.Front "
     "t:*.Thigh.Rear t:*.Knee.Lat t:*.Knee.Med s:*.Shank.Upper s:*.Shank.Front s:*.Shank.Rear "
     "s:*.Ankle.Lat s:*.Ankle.Med o:*.Heel o:*.Toe.Tip o:*.Toe.Lat o:*.Toe.Med"},
    {"Qualisys animation", "HeadL HeadR HeadFront", "SpineTop Chest BackL BackR",
     "WaistLFront WaistRFront WaistL WaistR WaistBack",
     "c:*ShoulderTop c:*ShoulderBack a:*Arm a:*ElbowOut f:*WristOut f:*WristIn h:*HandOut t:*Thigh "
     "t:*KneeOut s:*Shin s:*AnkleOut o:*HeelBack o:*ForefootOut o:*ForefootIn o:*ToeTip"},
    {"Qualisys movement analysis", "L_HEAD R_HEAD", "CV7 TV2 TV7 SME SXS",
     "L_IAS R_IAS L_IPS R_IPS",
     "c:*_SAE a:*_HLE a:*_HME f:*_RSP f:*_USP h:*_HM2 t:*_FTC t:*_FLE t:*_FME s:*_FAX s:*_TTC "
     "s:*_FAL "
     "s:*_TAM o:*_FCC o:*_FM1 o:*_FM2 o:*_FM5"},
};

static lmb_human_bone bone_of_letter(char letter, bool left)
{
    static const struct {
        char letter;
        lmb_human_bone bone;
    } letters[] = {{'c', LMB_HUMAN_LEFT_SHOULDER},  {'a', LMB_HUMAN_LEFT_UPPER_ARM},
                   {'f', LMB_HUMAN_LEFT_LOWER_ARM}, {'h', LMB_HUMAN_LEFT_HAND},
                   {'t', LMB_HUMAN_LEFT_UPPER_LEG}, {'s', LMB_HUMAN_LEFT_LOWER_LEG},
                   {'o', LMB_HUMAN_LEFT_FOOT}};
    for (size_t k = 0; k < sizeof letters / sizeof letters[0]; ++k) {
        if (letters[k].letter == letter) {
            return left ? letters[k].bone : lmb_human_bone_mirror(letters[k].bone);
        }
    }
    return LMB_HUMAN_BONE_COUNT;
}

typedef struct recording {
    test_marker list[64];
    lmb_human_bone bones[64];
    char names[64][32];
    uint32_t count;
} recording;

/// A marker up to two centimetres off where its name says that it sits.
static void stick(const lmb_character *c, recording *r, const char *name, size_t size,
                  lmb_human_bone bone)
{
    lmbi_marker_guess guess;
    lmb_transform *rest = malloc(c->skeleton->joint_count * sizeof *rest);
    const uint32_t m = r->count++;
    memcpy(r->names[m], name, size);
    r->names[m][size] = 0;
    if (!lmbi_marker_name_read(r->names[m], &guess) || guess.segment != (int)bone) {
        fail_msg("%s is not known to move with %s", r->names[m], lmb_human_bone_name(bone));
    }
    for (uint32_t j = 0; j < c->skeleton->joint_count; ++j) {
        const int32_t parent = c->skeleton->parents[j];
        rest[j] = parent < 0 ? c->skeleton->rest[j]
                             : lmb_transform_mul(rest[parent], c->skeleton->rest[j]);
    }
    const int32_t joint = lmb_skeleton_find(c->skeleton, lmb_human_bone_name(bone)),
                  near = lmb_skeleton_find(c->skeleton,
                                           lmb_human_bone_name((lmb_human_bone)guess.near));
    lmb_random random = lmb_random_seed(100 + m);
    lmb_vec3 at = lmb_vec3_add(rest[near].translation, guess.offset);
    at.x += lmb_random_range(&random, -0.02f, 0.02f);
    at.y += lmb_random_range(&random, -0.02f, 0.02f);
    at.z += lmb_random_range(&random, -0.02f, 0.02f);
    // Joints of the made body have the model's axes at rest.
    r->list[m] = (test_marker){r->names[m], c->skeleton->names[joint],
                               lmb_vec3_sub(at, rest[joint].translation)};
    r->bones[m] = bone;
    free(rest);
}

static void stick_words(const lmb_character *c, recording *r, const char *words,
                        lmb_human_bone bone)
{
    while (*words != 0) {
        const size_t size = strcspn(words, " ");
        stick(c, r, words, size, bone);
        words += size + strspn(words + size, " ");
    }
}

/// "t:*KNE": LKNE and RKNE on the thighs.
static void stick_sided(const lmb_character *c, recording *r, const char *words)
{
    while (*words != 0) {
        const size_t size = strcspn(words, " ");
        for (int side = 0; side < 2; ++side) {
            char name[32];
            memcpy(name, words + 2, size - 2);
            name[0] = side == 0 ? 'L' : 'R';
            stick(c, r, name, size - 2, bone_of_letter(words[0], side == 0));
        }
        words += size + strspn(words + size, " ");
    }
}

static lmb_markers *stuck(const lmb_character *c, const marker_set *set, recording *r)
{
    r->count = 0;
    stick_words(c, r, set->head, LMB_HUMAN_HEAD);
    stick_words(c, r, set->chest, LMB_HUMAN_UPPER_CHEST);
    stick_words(c, r, set->hips, LMB_HUMAN_HIPS);
    stick_sided(c, r, set->sided);
    return test_record(c, r->list, r->count, 100, 0.5e-3f);
}

/// As a file, and back.
static lmb_markers *through_file(lmb_markers *points, bool c3d)
{
    lmb_buffer bytes = {0};
    lmb_markers *out = NULL;
    const lmb_markers_write_opts opts = {.unit_m = 0.001f};
    assert_int_equal(c3d ? lmbi_c3d_write(points, &opts, NULL, &bytes, NULL)
                         : lmbi_trc_write(points, &opts, NULL, &bytes, NULL),
                     LMB_OK);
    assert_int_equal(c3d ? lmbi_c3d_read(bytes.data, bytes.size, NULL, NULL, &out, NULL)
                         : lmbi_trc_read(bytes.data, bytes.size, NULL, NULL, &out, NULL),
                     LMB_OK);
    lmb_buffer_free(&bytes);
    lmb_markers_destroy(points);
    return out;
}

/// Mean distance of a joint of the fit from the truth's, metres.
static double joint_error(const lmb_fit *found, const lmb_character *truth, const char *name)
{
    const lmb_character shown = {.skeleton = found->subject};
    const int32_t j = lmb_skeleton_find(found->subject, name);
    double sum = 0;
    uint32_t count = 0;
    for (uint32_t f = 0; f < found->frame_count; f += 5, ++count) {
        lmb_transform *a = test_pose(&shown, found->clip, (double)f / 100),
                      *b = test_pose(truth, truth->clips[0], (double)f / 100);
        sum += (double)lmb_vec3_distance(a[j].translation, b[j].translation);
        free(a);
        free(b);
    }
    return sum / count;
}

/// A run: it bends knees further than a walk.
static void joints_are_found_by_names(void **state)
{
    (void)state;
    static const char *const joints[] = {"leftLowerLeg", "rightLowerLeg", "leftFoot",
                                         "rightFoot",    "leftUpperLeg",  "rightUpperLeg"};
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; ++i) {
        lmb_character *truth = test_motion(LMB_MOTION_RUN);
        recording r;
        lmb_markers *points = through_file(stuck(truth, &sets[i], &r), i % 2 == 0);
        lmb_fit *found = NULL;
        lmb_error error = {0};
        if (lmb_fit_points(truth, points, NULL, NULL, &found, &error) != LMB_OK) {
            fail_msg("%s: expected %s, found %s", sets[i].name, error.expected, error.found);
        }
        assert_int_equal(found->kind, LMB_FIT_MARKERS);
        assert_int_equal(found->used_count, r.count);
        for (uint32_t m = 0; m < r.count; ++m) {
            assert_string_equal(found->subject->names[found->points[m].joint], r.list[m].joint);
        }
        double worst = 0;
        for (size_t k = 0; k < sizeof joints / sizeof joints[0]; ++k) {
            worst = fmax(worst, joint_error(found, truth, joints[k]));
        }
        // Elbows that stay bent alike, as in a run, are told by the guesses alone.
        print_message("%-28s %2u markers, residual %.2f mm, legs within %.1f mm, elbow %.1f mm\n",
                      sets[i].name, (unsigned)r.count, 1e3 * (double)found->mean_m, 1e3 * worst,
                      1e3 * joint_error(found, truth, "leftLowerArm"));
        assert_true(found->mean_m < 3e-3f);
        assert_true(worst < 5e-3);
        lmb_fit_destroy(found);
        lmb_markers_destroy(points);
        lmb_character_destroy(truth);
    }
}

/// Hidden for a third of a second here and there, two labels exchanged: noticed, and no matter.
static void gaps_and_swaps_of_a_set(void **state)
{
    (void)state;
    lmb_character *truth = test_motion(LMB_MOTION_WALK);
    recording r;
    lmb_markers *points = stuck(truth, &sets[4], &r);
    const uint32_t n = points->marker_count;
    for (uint32_t m = 0; m < n; m += 3) {
        const uint32_t begin = 5 + 7 * (m % 5);
        for (uint32_t f = begin; f < begin + 30 && f < points->frame_count; ++f) {
            points->seen[f * n + m] = 0;
        }
    }
    const int32_t a = marker_named(points, "LWristOut"), b = marker_named(points, "LWristIn");
    for (uint32_t f = 70; f < 90 && f < points->frame_count; ++f) {
        const size_t row = (size_t)f * n;
        const lmb_vec3 p = points->positions[row + (uint32_t)a];
        const uint8_t s = points->seen[row + (uint32_t)a];
        points->positions[row + (uint32_t)a] = points->positions[row + (uint32_t)b];
        points->seen[row + (uint32_t)a] = points->seen[row + (uint32_t)b];
        points->positions[row + (uint32_t)b] = p;
        points->seen[row + (uint32_t)b] = s;
    }
    points = through_file(points, true);
    lmb_fit *found = NULL;
    assert_int_equal(lmb_fit_points(truth, points, NULL, NULL, &found, NULL), LMB_OK);
    assert_true(found->filled_frames > 30);
    assert_true(found->swap_count >= 2);
    assert_true(found->points[a].swapped_frames >= 15);
    assert_true(joint_error(found, truth, "leftLowerLeg") < 0.025);
    assert_true(joint_error(found, truth, "leftHand") < 0.03);
    lmb_fit_destroy(found);
    lmb_markers_destroy(points);
    lmb_character_destroy(truth);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joints_are_found_by_names),
        cmocka_unit_test(gaps_and_swaps_of_a_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
