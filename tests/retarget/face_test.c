// Faces: expressions of VRM 0.x and 1.0 and morph targets by name, from one character to another,
// from VRM animations and VMC, and eyes that follow a gaze.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "limber/limber.h"
#include "retarget/retarget.h"

enum { HEAD = 1, LEFT_EYE = 2, RIGHT_EYE = 3, FACE = 4, JOINTS = 5, TARGETS = 4 };

#define HUMAN                                                                                \
    "\"humanoid\":{\"humanBones\":{\"hips\":{\"node\":0},\"head\":{\"node\":1},\"leftEye\":" \
    "{\"node\":2},\"rightEye\":{\"node\":3}}}"

/// happy pulls two targets, aa one of them; a custom one is binary.
static const char vrm1[] =
    "{\"extensions\":{\"VRMC_vrm\":{" HUMAN ",\"lookAt\":{\"type\":\"bone\","
    "\"rangeMapHorizontalInner\":{\"inputMaxValue\":90,\"outputScale\":10},"
    "\"rangeMapHorizontalOuter\":{\"inputMaxValue\":45,\"outputScale\":20},"
    "\"rangeMapVerticalDown\":{\"inputMaxValue\":90,\"outputScale\":9},"
    "\"rangeMapVerticalUp\":{\"inputMaxValue\":30,\"outputScale\":12}},"
    "\"expressions\":{\"preset\":{"
    "\"happy\":{\"morphTargetBinds\":[{\"node\":4,\"index\":0,\"weight\":1},"
    "{\"node\":4,\"index\":1,\"weight\":0.5}]},"
    "\"aa\":{\"morphTargetBinds\":[{\"node\":4,\"index\":1,\"weight\":1}]},"
    "\"lookUp\":{\"morphTargetBinds\":[{\"node\":99,\"index\":1,\"weight\":1},"
    "{\"node\":4,\"index\":99,\"weight\":1},{\"node\":4}]}},"
    "\"custom\":{\"Tongue\":{\"isBinary\":true,\"morphTargetBinds\":"
    "[{\"node\":4,\"index\":2,\"weight\":0.8}]}}}}}}";

static const char vrm0[] =
    "{\"extensions\":{\"VRM\":{\"humanoid\":{\"humanBones\":[{\"bone\":\"leftEye\",\"node\":2},"
    "{\"bone\":\"rightEye\",\"node\":3}]},\"firstPerson\":{\"lookAtTypeName\":\"Bone\"},"
    "\"blendShapeMaster\":{\"blendShapeGroups\":["
    "{\"name\":\"JOY\",\"presetName\":\"joy\",\"binds\":[{\"mesh\":0,\"index\":3,\"weight\":100}]},"
    "{\"name\":\"A\",\"presetName\":\"a\",\"binds\":[{\"mesh\":0,\"index\":0,\"weight\":50}]},"
    "{\"name\":\"tongue\",\"presetName\":\"unknown\",\"binds\":"
    "[{\"mesh\":0,\"index\":1,\"weight\":100}]}]}}}}";

static void assert_near(double value, double wanted, double within)
{
    assert_true(fabs(value - wanted) <= within);
}

static const char *target_names[TARGETS] = {"smile", "open", "out", "jawOpen"};

/// Hips, a head, two eyes rotated about y in their rest pose, and a face with four targets.
static lmb_character *make(const char *carried, lmb_clip *clip)
{
    static const int32_t parents[JOINTS] = {-1, 0, HEAD, HEAD, HEAD};
    static const char *joint_names[JOINTS] = {"hips", "head", "leftEye", "rightEye", "face"};
    lmb_transform rest[JOINTS];
    lmb_vec3 positions[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    uint32_t indices[3] = {0, 1, 2};
    lmb_morph_target targets[TARGETS];
    for (int j = 0; j < JOINTS; ++j) {
        rest[j] = lmb_transform_identity();
        rest[j].translation.y = 0.5f;
    }
    rest[HEAD].rotation = lmb_quat_axis_angle(lmb_vec3_make(0, 0, 1), 0.7f);
    rest[LEFT_EYE].rotation = lmb_quat_axis_angle(lmb_vec3_make(1, 0, 0), 0.3f);
    for (int t = 0; t < TARGETS; ++t) {
        targets[t] = (lmb_morph_target){.name = target_names[t], .positions = positions};
    }
    lmb_primitive primitive = {.index_count = 3, .vertex_count = 3, .material = LMB_NONE};
    lmb_instance instance = {.joint = FACE, .skin = LMB_NONE};
    lmb_skeleton skeleton = {.joint_count = JOINTS, .rest = rest, .names = joint_names};
    lmb_mesh mesh = {.vertex_count = 3,
                     .positions = positions,
                     .index_count = 3,
                     .indices = indices,
                     .primitive_count = 1,
                     .primitives = &primitive,
                     .target_count = TARGETS,
                     .targets = targets};
    const lmb_appearance look = {.carried = carried};
    int32_t parent_copy[JOINTS];
    memcpy(parent_copy, parents, sizeof parents);
    skeleton.parents = parent_copy;
    lmb_mesh *meshes[1];
    lmb_clip *clips[1] = {clip};
    lmb_character def = {.mesh_count = 1,
                         .meshes = meshes,
                         .instance_count = 1,
                         .instances = &instance,
                         .clip_count = clip != NULL,
                         .clips = clips};
    lmb_character *out = NULL;
    assert_int_equal(lmb_skeleton_create(&skeleton, NULL, &def.skeleton, NULL), LMB_OK);
    assert_int_equal(lmb_mesh_create(&mesh, NULL, &meshes[0], NULL), LMB_OK);
    if (carried != NULL) {
        assert_int_equal(lmb_appearance_create(&look, NULL, &def.appearance, NULL), LMB_OK);
    }
    assert_int_equal(lmb_character_create(&def, NULL, &out, NULL), LMB_OK);
    return out;
}

static lmb_clip *make_clip(lmb_channel *channels, uint32_t count)
{
    lmb_clip *clip = NULL;
    const lmb_clip def = {.name = "c", .duration = 1, .channel_count = count, .channels = channels};
    assert_int_equal(lmb_clip_create(&def, NULL, &clip, NULL), LMB_OK);
    return clip;
}

static lmb_clip *weights_clip(float *values, uint32_t keys)
{
    static float ticks[3] = {0, 0.5f, 1};
    lmb_channel channel = {.joint = FACE,
                           .path = LMB_PATH_WEIGHTS,
                           .width = TARGETS,
                           .key_count = keys,
                           .ticks = ticks,
                           .values = values};
    return make_clip(&channel, 1);
}

static lmb_face *face_of(const lmb_character *c)
{
    lmb_face *face = NULL;
    assert_int_equal(lmb_face_create(c, NULL, &face, NULL), LMB_OK);
    return face;
}

static const lmb_expression *expression(const lmb_face *face, const char *name)
{
    const int32_t k = lmbi_face_find(face, name);
    assert_true(k >= 0);
    return &face->expressions[k];
}

static void expressions_are_read(void **state)
{
    (void)state;
    lmb_character *now = make(vrm1, NULL), *old = make(vrm0, NULL), *none = make(NULL, NULL);
    lmb_face *a = face_of(now), *b = face_of(old), *c = face_of(none);
    assert_int_equal(expression(a, "Joy")->bind_count, 2); // VRM 0.x's name of happy
    assert_int_equal(expression(a, "lookUp")->bind_count, 0);
    assert_true(expression(a, "tongue")->is_binary && !expression(a, "tongue")->is_preset);
    assert_true(expression(a, "JAWOPEN")->is_target);
    assert_int_equal(a->expression_count, 8);
    assert_int_equal(a->eyes[0], LEFT_EYE);
    assert_near((double)a->gaze_up.output, 12 * 0.0174532925, 1e-6);
    assert_true(expression(b, "happy")->is_preset);
    assert_int_equal(expression(b, "happy")->binds[0].target, 3);
    assert_near((double)expression(b, "aa")->binds[0].weight, 0.5, 1e-6);
    assert_near((double)b->facing, -1, 0);
    assert_int_equal(c->expression_count, TARGETS);
    assert_int_equal(lmbi_face_find(c, "happy"), LMB_NONE);
    lmb_face_destroy(a);
    lmb_face_destroy(b);
    lmb_face_destroy(c);
    lmb_character_destroy(now);
    lmb_character_destroy(old);
    lmb_character_destroy(none);
}

/// Weights made of expressions come back as them, and go over to another VRM's targets.
static void one_face_to_another(void **state)
{
    (void)state;
    // happy 0.6 and aa 0.3 overlap in the second target; the fourth moves alone.
    float values[2 * TARGETS] = {0, 0, 0, 0, 0.6f, 0.6f, 0.8f, 0.4f};
    lmb_character *source = make(vrm1, weights_clip(values, 2)), *target = make(vrm0, NULL);
    lmb_face_motion *motion = NULL;
    lmb_face *face = face_of(target);
    assert_int_equal(lmb_face_motion_of_clip(source, 0, NULL, &motion, NULL), LMB_OK);
    assert_int_equal(motion->track_count, 4);
    static const char *const names[4] = {"happy", "aa", "Tongue", "jawOpen"};
    static const float wanted[4] = {0.6f, 0.3f, 1, 0.4f};
    float at[4];
    lmb_face_motion_at(motion, 0.25, at);
    for (int k = 0; k < 4; ++k) {
        assert_string_equal(motion->names[k], names[k]);
        assert_near((double)motion->values[4 + k], (double)wanted[k], 1e-4);
        assert_near((double)at[k], 0.5 * (double)wanted[k], 1e-4);
    }
    lmb_clip *empty = make_clip(NULL, 0), *made = NULL;
    lmb_face_report report;
    assert_int_equal(lmb_face_apply(&(lmb_face_apply_job){.character = target,
                                                          .face = face,
                                                          .motion = motion,
                                                          .clip = empty,
                                                          .shift_s = 0.25},
                                    NULL, &made, &report, NULL),
                     LMB_OK);
    assert_int_equal(report.matched, 4);
    assert_int_equal(made->channel_count, 1);
    const lmb_channel *channel = &made->channels[0];
    assert_near((double)channel->ticks[1], 0.75, 1e-6);
    static const float put[TARGETS] = {0.15f, 1, 0, 1}; // jawOpen is happy's: 0.6 + 0.4
    for (int t = 0; t < TARGETS; ++t) {
        assert_near((double)channel->values[TARGETS + t], (double)put[t], 1e-4);
    }
    lmb_clip_destroy(made);
    lmb_clip_destroy(empty);
    lmb_face_destroy(face);
    lmb_face_motion_destroy(motion);
    lmb_character_destroy(source);
    lmb_character_destroy(target);
}

/// What of mouth and lids is left beside a smile, by VRMC_vrm 1.0: `smile` says how it overrides,
/// `aa` how it is itself.
static void assert_overridden(const char *smile, const char *aa, const float values[3],
                              const float left[3])
{
    char text[2048];
    snprintf(text, sizeof text,
             "{\"extensions\":{\"VRMC_vrm\":{" HUMAN ",\"expressions\":{\"preset\":{"
             "\"happy\":{%s\"morphTargetBinds\":[{\"node\":4,\"index\":0,\"weight\":1}]},"
             "\"aa\":{%s\"morphTargetBinds\":[{\"node\":4,\"index\":1,\"weight\":1}]},"
             "\"blinkLeft\":{\"overrideBlink\":\"block\",\"morphTargetBinds\":"
             "[{\"node\":4,\"index\":2,\"weight\":0.5}]}}}}}}",
             smile, aa);
    static const char *const names[3] = {"happy", "aa", "blinkLeft"};
    uint32_t first[JOINTS + 1];
    lmb_character *c = make(text, NULL);
    lmb_face *face = face_of(c);
    float weights[2 * TARGETS] = {0};
    (void)lmb_character_weights(c, first, NULL);
    lmbi_face_weights(face, names, values, 3, first, weights);
    for (int k = 0; k < 3; ++k) {
        assert_near((double)weights[k], (double)left[k], 1e-6);
    }
    // A clip of those weights tells the values again, of all of which something is left.
    memcpy(weights + TARGETS, weights, TARGETS * sizeof *weights);
    lmb_character *clipped = make(text, weights_clip(weights, 2));
    lmb_face_motion *motion = NULL;
    assert_int_equal(lmb_face_motion_of_clip(clipped, 0, NULL, &motion, NULL), LMB_OK);
    for (uint32_t t = 0; motion != NULL && t < motion->track_count; ++t) {
        for (int k = 0; k < 3; ++k) {
            const bool binary = k == 0 && strstr(smile, "isBinary") != NULL;
            if (strcmp(motion->names[t], names[k]) == 0) {
                assert_near((double)motion->values[t], binary ? 1 : (double)values[k], 1e-4);
            }
        }
    }
    lmb_face_motion_destroy(motion);
    lmb_face_destroy(face);
    lmb_character_destroy(c);
    lmb_character_destroy(clipped);
}

static void expressions_override_others(void **state)
{
    (void)state;
    const float half[3] = {0.25f, 0.8f, 1}, none[3] = {0, 0.8f, 1}, most[3] = {0.9f, 0.8f, 1};
    assert_overridden("", "", half, (float[3]){0.25f, 0.8f, 0.5f});
    assert_overridden("\"overrideMouth\":\"none\",", "", half, (float[3]){0.25f, 0.8f, 0.5f});
    assert_overridden("\"overrideMouth\":\"block\",", "", half, (float[3]){0.25f, 0, 0.5f});
    assert_overridden("\"overrideMouth\":\"block\",", "", none, (float[3]){0, 0.8f, 0.5f});
    assert_overridden("\"overrideMouth\":\"blend\",", "", half, (float[3]){0.25f, 0.6f, 0.5f});
    assert_overridden("\"overrideBlink\":\"blend\",", "", half, (float[3]){0.25f, 0.8f, 0.375f});
    // A binary one overrides by what it shows, and is overridden altogether.
    assert_overridden("\"isBinary\":true,\"overrideMouth\":\"blend\",", "", half,
                      (float[3]){0, 0.8f, 0.5f});
    assert_overridden("\"isBinary\":true,\"overrideMouth\":\"blend\",", "", most,
                      (float[3]){1, 0, 0.5f});
    assert_overridden("\"overrideMouth\":\"blend\",", "\"isBinary\":true,", half,
                      (float[3]){0.25f, 0, 0.5f});
    assert_overridden("", "\"overrideBlink\":\"blend\",", half,
                      (float[3]){0.25f, 0.8f, 0.5f * 0.2f});
}

static const char animation[] =
    "{\"extensions\":{\"VRMC_vrm_animation\":{\"expressions\":{\"preset\":{\"happy\":{\"node\":2}},"
    "\"custom\":{\"nowhere\":{\"node\":4}}},\"lookAt\":{\"node\":3}}}}";

/// A gaze of 22.5 degrees to the left and 15 up: the left eye goes outwards.
static lmb_character *make_animation(void)
{
    static float ticks[2] = {0, 1};
    static float happy[6] = {0, 0, 0, 1, 0, 0}, other[6] = {1, 0, 0, 1, 0, 0};
    lmb_quat gaze[2];
    const float left = 0.39269908f, up = 0.26179939f;
    gaze[0] = lmb_quat_identity();
    gaze[1] = lmb_quat_mul(lmb_quat_axis_angle(lmb_vec3_make(0, 1, 0), left),
                           lmb_quat_axis_angle(lmb_vec3_make(1, 0, 0), -up));
    lmb_channel channels[3] = {
        {.joint = 2, .path = LMB_PATH_TRANSLATION, .width = 3, .key_count = 2},
        {.joint = 4, .path = LMB_PATH_TRANSLATION, .width = 3, .key_count = 2},
        {.joint = 3, .path = LMB_PATH_ROTATION, .width = 4, .key_count = 2},
    };
    channels[0].values = happy;
    channels[1].values = other;
    channels[2].values = &gaze[0].x;
    for (int k = 0; k < 3; ++k) {
        channels[k].ticks = ticks;
    }
    return make(animation, make_clip(channels, 3));
}

/// An eye's rotation at the end, in the body's axes.
static lmb_vec3 eye_ahead(const lmb_character *c, const lmb_clip *clip, uint32_t eye, float z)
{
    lmb_transform pose[JOINTS];
    lmb_sample(&(lmb_sample_job){
        .clip = clip, .time_s = 1, .joint_count = JOINTS, .rest = c->skeleton->rest, .pose = pose});
    const lmb_quat head = c->skeleton->rest[HEAD].rotation;
    lmb_quat rotation =
        lmb_quat_mul(pose[eye].rotation, lmb_quat_conjugate(c->skeleton->rest[eye].rotation));
    rotation = lmb_quat_mul(head, lmb_quat_mul(rotation, lmb_quat_conjugate(head)));
    return lmb_quat_rotate(rotation, lmb_vec3_make(0, 0, z));
}

static void assert_ahead(lmb_vec3 v, double left_deg, double up_deg)
{
    const double degrees = 57.29577951308232;
    assert_near(atan2((double)v.x, fabs((double)v.z)) * degrees, left_deg, 1e-3);
    assert_near(asin((double)v.y) * degrees, up_deg, 1e-3);
}

static void an_animation_moves_face_and_eyes(void **state)
{
    (void)state;
    lmb_character *source = make_animation();
    const char *const kinds[2] = {vrm1, vrm0};
    lmb_face_motion *motion = NULL;
    assert_int_equal(lmb_face_motion_of_clip(source, 0, NULL, &motion, NULL), LMB_OK);
    assert_int_equal(motion->track_count, 2);
    assert_near((double)motion->gaze[1].x, 0.39269908, 1e-5);
    assert_near((double)motion->gaze[1].y, 0.26179939, 1e-5);
    for (int kind = 0; kind < 2; ++kind) {
        lmb_character *target = make(kinds[kind], NULL);
        lmb_face *face = face_of(target);
        lmb_clip *empty = make_clip(NULL, 0), *made = NULL;
        lmb_face_report report;
        assert_int_equal(lmb_face_apply(&(lmb_face_apply_job){.character = target,
                                                              .face = face,
                                                              .motion = motion,
                                                              .clip = empty},
                                        NULL, &made, &report, NULL),
                         LMB_OK);
        assert_int_equal(report.matched, 1);
        assert_int_equal(report.unmatched, 1);
        assert_true(report.has_gaze);
        // Half of 45 is half of 20 outwards; a quarter of 90 a quarter of 10 inwards. VRM 0.x looks
        // along -z, where left is -x.
        const float z = kind == 0 ? 1 : -1;
        const lmb_vec3 a = eye_ahead(target, made, LEFT_EYE, z);
        const lmb_vec3 b = eye_ahead(target, made, RIGHT_EYE, z);
        if (kind == 0) {
            assert_ahead(a, 10, 6);
            assert_ahead(b, 2.5, 6);
        } else {
            assert_ahead(a, -2.5, 10.0 / 6);
            assert_ahead(b, -2.5, 10.0 / 6);
        }
        lmb_clip_destroy(made);
        lmb_clip_destroy(empty);
        lmb_face_destroy(face);
        lmb_character_destroy(target);
    }
    lmb_face_motion_destroy(motion);
    lmb_character_destroy(source);
}

static void recordings_have_faces(void **state)
{
    (void)state;
    static const char *const names[2] = {"Joy", "nobody"};
    static lmb_vmc_frame frames[3];
    for (int f = 0; f < 3; ++f) {
        frames[f].time_s = 5 + 0.1 * (f == 2 ? 1 : f); // the third does not go forward
        frames[f].shape_count = f == 0 ? 1 : 2;
        frames[f].shape_names = names;
        frames[f].shapes[0] = 0.25f * (float)f;
    }
    lmb_face_motion *motion = NULL;
    assert_int_equal(lmb_face_motion_of_vmc(frames, 3, NULL, &motion, NULL), LMB_OK);
    assert_int_equal(motion->key_count, 2);
    assert_int_equal(motion->track_count, 2);
    assert_near((double)motion->times_s[1], 0.1, 1e-6);
    assert_near((double)motion->values[2], 0.25, 0);
    lmb_face_motion_destroy(motion);
    frames[2].shape_count = 0;
    assert_int_equal(lmb_face_motion_of_vmc(frames, 3, NULL, &motion, NULL), LMB_OK);
    assert_null(motion);
}

static void memory_runs_out(void **state)
{
    (void)state;
    float values[TARGETS] = {0.5f, 0.25f, 0, 0};
    lmb_character *source = make(vrm1, weights_clip(values, 1));
    for (failing_run f = {0}; failing_next(&f);) {
        lmb_face *face = NULL;
        lmb_face_motion *motion = NULL;
        lmb_clip *made = NULL;
        f.result = lmb_face_create(source, &f.alloc, &face, NULL);
        if (f.result == LMB_OK) {
            f.result = lmb_face_motion_of_clip(source, 0, &f.alloc, &motion, NULL);
        }
        if (f.result == LMB_OK) {
            f.result = lmb_face_apply(
                &(lmb_face_apply_job){
                    .character = source, .face = face, .motion = motion, .clip = source->clips[0]},
                &f.alloc, &made, NULL, NULL);
        }
        lmb_clip_destroy(made);
        lmb_face_motion_destroy(motion);
        lmb_face_destroy(face);
    }
    lmb_character_destroy(source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expressions_are_read),
        cmocka_unit_test(one_face_to_another),
        cmocka_unit_test(expressions_override_others),
        cmocka_unit_test(an_animation_moves_face_and_eyes),
        cmocka_unit_test(recordings_have_faces),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
