/// A figure of boxes, each of one joint, that lies, stands or climbs down: what is lifted, and how far.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "author/author.h"
#include "author/posed_skin.h"
#include "box_part.h"

enum {
    ARMATURE,
    HIPS,
    CHEST,
    HEAD,
    LEFT_THIGH,
    LEFT_SHIN,
    LEFT_FOOT,
    LEFT_ARM,
    JOINTS,
    BOXES = JOINTS - 1,
    FRAMES = 31
};

static const struct {
    const char *name;
    int parent, bone;
    lmb_vec3 at;        ///< of the joint, standing
    lmb_vec3 low, high; ///< of its box
} rows[JOINTS] = {
    [ARMATURE] = {"armature", LMB_NONE, LMB_NONE, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}},
    [HIPS] =
        {"hips", ARMATURE, LMB_HUMAN_HIPS, {0, 1, 0}, {-0.2f, 0.9f, -0.15f}, {0.2f, 1.1f, 0.15f}},
    [CHEST] =
        {"chest", HIPS, LMB_HUMAN_CHEST, {0, 1.2f, 0}, {-0.2f, 1.1f, -0.15f}, {0.2f, 1.6f, 0.15f}},
    [HEAD] = {"head", CHEST, LMB_HUMAN_HEAD, {0, 1.7f, 0}, {-0.1f, 1.6f, -0.1f}, {0.1f, 2, 0.1f}},
    [LEFT_THIGH] = {"thigh",
                    HIPS,
                    LMB_HUMAN_LEFT_UPPER_LEG,
                    {0, 0.9f, 0},
                    {-0.1f, 0.5f, -0.1f},
                    {0.1f, 0.9f, 0.1f}},
    [LEFT_SHIN] = {"shin",
                   LEFT_THIGH,
                   LMB_HUMAN_LEFT_LOWER_LEG,
                   {0, 0.5f, 0},
                   {-0.1f, 0.1f, -0.1f},
                   {0.1f, 0.5f, 0.1f}},
    [LEFT_FOOT] = {"foot",
                   LEFT_SHIN,
                   LMB_HUMAN_LEFT_FOOT,
                   {0, 0.1f, 0},
                   {-0.1f, 0, -0.1f},
                   {0.1f, 0.1f, 0.1f}},
    [LEFT_ARM] = {"arm",
                  CHEST,
                  LMB_HUMAN_LEFT_UPPER_ARM,
                  {0.2f, 1.5f, 0},
                  {0.2f, 1.4f, -0.5f},
                  {0.4f, 1.6f, 0.1f}},
};
static const float YIELD = 0.005f * 2; ///< of its height

/// The joints in an armature of that scale, turned by a quarter about x, as exporters leave it.
static lmb_skeleton *make_skeleton(float scale)
{
    int32_t parents[JOINTS];
    lmb_transform rest[JOINTS];
    const char *names[JOINTS];
    for (int j = 0; j < JOINTS; ++j) {
        const int parent = rows[j].parent;
        parents[j] = parent;
        names[j] = rows[j].name;
        rest[j] = lmb_transform_identity();
        if (parent != LMB_NONE) {
            rest[j].translation = lmb_vec3_sub(rows[j].at, rows[parent].at);
        }
    }
    const float half = sqrtf(0.5f);
    rest[ARMATURE].rotation = lmb_quat_make(-half, 0, 0, half);
    rest[ARMATURE].scale = lmb_vec3_make(scale, scale, scale);
    rest[HIPS].rotation = lmb_quat_make(half, 0, 0, half);
    rest[HIPS].scale = lmb_vec3_make(1 / scale, 1 / scale, 1 / scale);
    rest[HIPS].translation = lmb_vec3_make(0, 0, rows[HIPS].at.y / scale);
    const lmb_skeleton def = {
        .joint_count = JOINTS, .parents = parents, .rest = rest, .names = names};
    lmb_skeleton *out = NULL;
    assert_int_equal(lmb_skeleton_create(&def, NULL, &out, NULL), LMB_OK);
    return out;
}

static lmb_mesh *make_mesh(void)
{
    static lmb_vec3 points[BOXES * BOX_POINTS];
    static uint32_t indices[BOXES * BOX_INDICES], first[BOXES * BOX_POINTS + 1];
    static lmb_influence items[BOXES * BOX_POINTS];
    for (uint32_t b = 0; b < BOXES; ++b) {
        (void)box_part(rows[b + 1].low, rows[b + 1].high, points + b * BOX_POINTS,
                       indices + b * BOX_INDICES);
        for (uint32_t i = 0; i < BOX_INDICES; ++i) {
            indices[b * BOX_INDICES + i] += b * BOX_POINTS;
        }
        for (uint32_t v = b * BOX_POINTS; v < (b + 1) * BOX_POINTS; ++v) {
            first[v + 1] = v + 1;
            items[v] = (lmb_influence){.joint = (uint16_t)(b + 1), .weight = 1};
        }
    }
    lmb_primitive primitive = {.topology = LMB_TRIANGLES,
                               .index_count = BOXES * BOX_INDICES,
                               .vertex_count = BOXES * BOX_POINTS,
                               .material = LMB_NONE};
    const lmb_mesh def = {.primitive_count = 1,
                          .primitives = &primitive,
                          .vertex_count = BOXES * BOX_POINTS,
                          .positions = points,
                          .index_count = BOXES * BOX_INDICES,
                          .indices = indices,
                          .influences = {.first = first, .items = items}};
    lmb_mesh *out = NULL;
    assert_int_equal(lmb_mesh_create(&def, NULL, &out, NULL), LMB_OK);
    return out;
}

static lmb_skin *make_skin(const lmb_skeleton *skeleton)
{
    uint32_t joints[JOINTS];
    lmb_mat4 model[JOINTS], inverse[JOINTS];
    lmb_pose_to_model(&(lmb_pose_to_model_job){
        .skeleton = skeleton, .local = skeleton->rest, .model_from_joint = model});
    for (uint32_t j = 0; j < JOINTS; ++j) {
        joints[j] = j;
        assert_true(lmb_mat4_inverse_affine(model[j], &inverse[j]));
    }
    const lmb_skin def = {.joint_count = JOINTS, .joints = joints, .joint_from_bind = inverse};
    lmb_skin *out = NULL;
    assert_int_equal(lmb_skin_create(&def, NULL, &out, NULL), LMB_OK);
    return out;
}

static lmb_character *make_figure(float scale)
{
    lmb_mesh *mesh = make_mesh();
    lmb_instance instance = {.mesh = 0, .skin = 0};
    lmb_character def = {.skeleton = make_skeleton(scale),
                         .mesh_count = 1,
                         .meshes = &mesh,
                         .skin_count = 1,
                         .instance_count = 1,
                         .instances = &instance};
    lmb_skin *skin = make_skin(def.skeleton);
    def.skins = &skin;
    lmb_character *out = NULL;
    assert_int_equal(lmb_character_create(&def, NULL, &out, NULL), LMB_OK);
    return out;
}

static lmb_joint_map make_map(void)
{
    lmb_joint_map map = {0};
    for (int bone = 0; bone < LMB_HUMAN_BONE_COUNT; ++bone) {
        map.bones[bone].joint = LMB_NONE;
    }
    for (int j = 1; j < JOINTS; ++j) {
        map.bones[rows[j].bone].joint = j;
    }
    return map;
}

/// The hips at the heights of their keys, a second long; the body on its back if it lies.
static lmb_clip *make_clip(float scale, bool lies, const float heights[2])
{
    const float half = sqrtf(0.5f);
    float ticks[2] = {0, 1};
    float positions[6] = {0, 0, heights[0] / scale, 0, 0, heights[1] / scale};
    float turned[4] = {0, 0, 0, 1}, upright[4] = {half, 0, 0, half};
    lmb_channel channels[2] = {
        {.joint = HIPS,
         .path = LMB_PATH_TRANSLATION,
         .interpolation = LMB_LINEAR,
         .width = 3,
         .key_count = 2,
         .ticks = ticks,
         .values = positions},
        {.joint = HIPS,
         .path = LMB_PATH_ROTATION,
         .interpolation = LMB_LINEAR,
         .width = 4,
         .key_count = 1,
         .ticks = ticks,
         .values = lies ? turned : upright},
    };
    const lmb_clip def = {
        .name = "clip", .duration = 1, .frame_rate = 30, .channel_count = 2, .channels = channels};
    lmb_clip *out = NULL;
    assert_int_equal(lmb_clip_create(&def, NULL, &out, NULL), LMB_OK);
    return out;
}

/// The lowest vertex of the body but for the arm.
static float lowest(const lmb_character *c, const lmb_clip *clip, double time_s)
{
    lmbi_posed_skin skin;
    assert_int_equal(lmbi_posed_skin_create(c, NULL, &skin, NULL), LMB_OK);
    lmbi_posed_skin_pose(&skin, clip, time_s);
    lmbi_posed_skin_deform(&skin, NULL);
    const lmb_deformed d = lmb_deformer_instance(skin.deformer, 0);
    float low = INFINITY;
    for (uint32_t v = 0; v < (LEFT_ARM - 1) * BOX_POINTS; ++v) {
        low = fminf(low, d.positions[v].y);
    }
    lmbi_posed_skin_free(&skin);
    return low;
}

static float settle(const lmb_character *c, lmb_clip **clip)
{
    const lmb_joint_map map = make_map();
    lmbi_settled settled;
    assert_int_equal(lmbi_settle(c, &map, NULL, NULL, NULL, clip, &settled, NULL), LMB_OK);
    assert_float_equal(settled.lower_m, 0, 0);
    return settled.lift_m;
}

/// The trunk is 0.15 deep on either side: on its back at 0.05 it is 0.1 in the ground. Its arm, which
/// reaches 0.5 behind it, does not count.
static void who_lies_rests_on_the_skin(void **state)
{
    (void)state;
    static const float scales[] = {1, 0.01f};
    for (int k = 0; k < 2; ++k) {
        lmb_character *c = make_figure(scales[k]);
        lmb_clip *clip = make_clip(scales[k], true, (float[]){0.05f, 0.05f});
        assert_float_equal(lowest(c, clip, 0.5), -0.1f, 1e-5);
        assert_float_equal(settle(c, &clip), 0.1f - YIELD, 1e-5);
        for (int f = 0; f < FRAMES; ++f) {
            assert_float_equal(lowest(c, clip, f / 30.0), -YIELD, 1e-5);
        }
        lmb_clip_destroy(clip);
        lmb_character_destroy(c);
    }
}

/// Who gets up from 0.05 to 0.2 is lifted no longer than it takes, nowhere less than needed, and not at
/// the end.
static void the_lift_ends_where_the_body_rises(void **state)
{
    (void)state;
    lmb_character *c = make_figure(1);
    lmb_clip *clip = make_clip(1, true, (float[]){0.05f, 0.35f}),
             *own = make_clip(1, true, (float[]){0.05f, 0.35f});
    assert_float_equal(settle(c, &clip), 0.1f - YIELD, 1e-5);
    for (int f = 0; f < FRAMES; ++f) {
        assert_true(lowest(c, clip, f / 30.0) > -YIELD - 1e-5f);
    }
    assert_float_equal(lowest(c, clip, 1), lowest(c, own, 1), 1e-5);
    lmb_clip_destroy(clip);
    lmb_clip_destroy(own);
    lmb_character_destroy(c);
}

/// A minute and a half at 60 Hz has more frames than are looked at: where the hips go is kept in each.
static void a_long_clip_keeps_its_path(void **state)
{
    (void)state;
    enum { KEYS = 5401 };
    static float ticks[KEYS], positions[3 * KEYS];
    float lying[4] = {0, 0, 0, 1};
    for (int k = 0; k < KEYS; ++k) {
        ticks[k] = (float)k / 60;
        positions[3 * k] = k % 2 == 0 ? 0.1f : -0.1f;
        positions[3 * k + 2] = 0.05f;
    }
    lmb_channel channels[2] = {
        {.joint = HIPS,
         .path = LMB_PATH_TRANSLATION,
         .interpolation = LMB_LINEAR,
         .width = 3,
         .key_count = KEYS,
         .ticks = ticks,
         .values = positions},
        {.joint = HIPS,
         .path = LMB_PATH_ROTATION,
         .interpolation = LMB_LINEAR,
         .width = 4,
         .key_count = 1,
         .ticks = ticks,
         .values = lying},
    };
    const lmb_clip def = {
        .duration = 90, .frame_rate = 60, .channel_count = 2, .channels = channels};
    lmb_character *c = make_figure(1);
    lmb_clip *clip = NULL;
    assert_int_equal(lmb_clip_create(&def, NULL, &clip, NULL), LMB_OK);
    assert_float_equal(settle(c, &clip), 0.1f - YIELD, 1e-5);
    lmbi_posed_skin skin;
    assert_int_equal(lmbi_posed_skin_create(c, NULL, &skin, NULL), LMB_OK);
    for (int k = 0; k < KEYS; k += 7) {
        lmbi_posed_skin_pose(&skin, clip, k / 60.0);
        const lmb_vec3 hips = lmb_mat4_translation(skin.model[HIPS]);
        assert_float_equal(hips.x, positions[3 * k], 1e-3);
        assert_float_equal(hips.y, 0.05f + 0.1f - YIELD, 1e-5);
    }
    lmbi_posed_skin_free(&skin);
    lmb_clip_destroy(clip);
    lmb_character_destroy(c);
}

/// On its back at 0.2 only the head, made 0.3 deep behind, is in the ground: by 0.1, and it lifts by 0.06.
static void a_head_lifts_by_little(void **state)
{
    (void)state;
    lmb_character *c = make_figure(1);
    lmb_mesh *mesh = c->meshes[0];
    for (uint32_t v = (HEAD - 1) * BOX_POINTS; v < HEAD * BOX_POINTS; ++v) {
        mesh->positions[v].z *= 3;
    }
    lmb_clip *clip = make_clip(1, true, (float[]){0.2f, 0.2f});
    assert_float_equal(lowest(c, clip, 0.5), -0.1f, 1e-5);
    assert_float_equal(settle(c, &clip), 0.06f, 1e-5);
    assert_float_equal(lowest(c, clip, 0.5), -0.04f, 1e-5);
    lmb_clip_destroy(clip);
    lmb_character_destroy(c);
}

/// A body that stands a little below height 0 at rest has its ground there; one with its origin in the
/// middle, on height 0.
static void the_ground_is_where_the_body_stands(void **state)
{
    (void)state;
    static const struct {
        float down, hips, lift;
    } cases[] = {{0.1f, 0.05f, 0}, {0.1f, -0.05f, 0.1f - 0.01f}, {1, 0.05f, 0.1f - 0.01f}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        lmb_character *c = make_figure(1);
        c->skeleton->rest[ARMATURE].translation.y -= cases[k].down;
        // The hips' heights are in the armature, which went down.
        const float at = cases[k].hips + cases[k].down;
        lmb_clip *clip = make_clip(1, true, (float[]){at, at});
        assert_float_equal(settle(c, &clip), cases[k].lift, 1e-5);
        lmb_clip_destroy(clip);
        lmb_character_destroy(c);
    }
}

/// With a head so high that the knees are near the ground at rest, a shin that carries the sole goes in
/// by 0.1 with every step, and lifts nothing until the knee comes down.
static void knees_of_short_legs_lift_nothing(void **state)
{
    (void)state;
    static const struct {
        float hips, lift;
    } cases[] = {{0.9f, 0}, {0.8f, 0.2f - 0.0205f}};
    lmb_character *c = make_figure(1);
    lmb_mesh *mesh = c->meshes[0];
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        const uint32_t box = v / BOX_POINTS + 1;
        lmb_vec3 *p = &mesh->positions[v];
        p->y = box == HEAD && p->y > 1.9f ? 4 : box == LEFT_SHIN && p->y < 0.2f ? -0.1f : p->y;
    }
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        lmb_clip *clip = make_clip(1, false, (float[]){cases[k].hips, cases[k].hips});
        assert_float_equal(settle(c, &clip), cases[k].lift, 1e-5);
        lmb_clip_destroy(clip);
    }
    lmb_character_destroy(c);
}

/// On its back the trunk is 0.15 deep: at 0.35 it is 0.2 above the ground. It comes down where the
/// motion's body lies on its ground, as at 0.2 that of a thicker figure, and not where that one is in the
/// air or stands. The arm, which reaches 0.5 behind the trunk, is turned up with it.
static void who_lies_comes_down_to_the_ground(void **state)
{
    (void)state;
    static const struct {
        bool lies;
        float hips, lower;
    } cases[] = {{true, 0.15f, 0.2f}, {true, 0.2f, 0.2f}, {true, 0.45f, 0}, {false, 1, 0}};
    lmb_character *c = make_figure(1);
    lmb_mesh *mesh = c->meshes[0];
    for (uint32_t v = (LEFT_ARM - 1) * BOX_POINTS; v < LEFT_ARM * BOX_POINTS; ++v) {
        mesh->positions[v].z = fabsf(mesh->positions[v].z);
    }
    const lmb_joint_map map = make_map();
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        lmb_clip *moved = make_clip(1, cases[k].lies, (float[]){cases[k].hips, cases[k].hips}),
                 *clip = make_clip(1, true, (float[]){0.35f, 0.35f});
        const lmb_feet_source motion = {.character = c, .clip = moved, .map = &map};
        lmbi_settled settled;
        assert_int_equal(lmbi_settle(c, &map, &motion, NULL, NULL, &clip, &settled, NULL), LMB_OK);
        assert_float_equal(settled.lower_m, cases[k].lower, 1e-5);
        assert_float_equal(settled.lift_m, 0, 0);
        assert_float_equal(lowest(c, clip, 0.5), 0.2f - cases[k].lower, 1e-5);
        lmb_clip_destroy(moved);
        lmb_clip_destroy(clip);
    }
    lmb_character_destroy(c);
}

/// Standing and jumping, and a step down by a fifth of the height, after which the feet show the ground.
static void other_motions_stay_as_they_are(void **state)
{
    (void)state;
    static const struct {
        bool lies;
        float heights[2];
    } kept[] = {{false, {1, 1}},
                {false, {1, 1.5f}},
                {true, {0.15f, 0.3f}},
                {false, {1, 0.5f}},
                {true, {0.05f, -0.5f}}};
    lmb_character *c = make_figure(1);
    for (size_t k = 0; k < sizeof kept / sizeof *kept; ++k) {
        lmb_clip *clip = make_clip(1, kept[k].lies, kept[k].heights);
        const lmb_clip *before = clip;
        assert_float_equal(settle(c, &clip), 0, 0);
        assert_ptr_equal(clip, before);
        lmb_clip_destroy(clip);
    }
    lmb_character_destroy(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_lies_rests_on_the_skin),
        cmocka_unit_test(the_lift_ends_where_the_body_rises),
        cmocka_unit_test(a_long_clip_keeps_its_path),
        cmocka_unit_test(a_head_lifts_by_little),
        cmocka_unit_test(the_ground_is_where_the_body_stands),
        cmocka_unit_test(knees_of_short_legs_lift_nothing),
        cmocka_unit_test(who_lies_comes_down_to_the_ground),
        cmocka_unit_test(other_motions_stay_as_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
