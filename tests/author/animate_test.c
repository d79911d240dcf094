/// lmb_animate against its steps called one by one, and its measures against motions whose numbers
/// are known.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "author/author.h"
#include "bodies/bodies.h"
#include "limber/anim.h"
#include "limber/author.h"
#include "limber/procedural.h"

static lmb_made_body *make_body(lmb_made_body_kind kind)
{
    const lmb_made_body_opts opts = {
        .kind = kind, .seed = 3, .triangle_count = 4000, .whole = true, .bare = true};
    lmb_made_body *body = NULL;
    assert_int_equal(lmb_made_body_create(&opts, NULL, &body, NULL), LMB_OK);
    return body;
}

static lmb_made_body *make_dressed_body(uint64_t seed)
{
    const lmb_made_body_opts opts = {
        .kind = LMB_MADE_HUMANOID, .seed = seed, .triangle_count = 4000};
    lmb_made_body *body = NULL;
    assert_int_equal(lmb_made_body_create(&opts, NULL, &body, NULL), LMB_OK);
    return body;
}

static lmb_character *make_motion(lmb_motion_kind kind)
{
    lmb_character *motion = NULL;
    assert_int_equal(lmb_motion_create(&(lmb_motion_opts){.kind = kind}, NULL, &motion, NULL),
                     LMB_OK);
    return motion;
}

static void assert_same_clip(const lmb_clip *a, const lmb_clip *b)
{
    assert_int_equal(a->channel_count, b->channel_count);
    for (uint32_t c = 0; c < a->channel_count; ++c) {
        const lmb_channel *p = &a->channels[c], *q = &b->channels[c];
        assert_int_equal(p->joint, q->joint);
        assert_int_equal(p->key_count, q->key_count);
        assert_memory_equal(p->values, q->values, (size_t)p->key_count * p->width * sizeof(float));
    }
}

static void it_gives_what_its_steps_give(void **state)
{
    (void)state;
    lmb_made_body *whole = make_body(LMB_MADE_HUMANOID), *stepped = make_body(LMB_MADE_HUMANOID);
    lmb_character *walk = make_motion(LMB_MOTION_WALK);
    lmb_animate_report report;
    assert_int_equal(lmb_animate(&whole->character, walk, 0,
                                 &(lmb_animate_opts){.keep_fingers = true}, &report, NULL, NULL),
                     LMB_OK);
    assert_int_equal(lmb_rig(&stepped->character,
                             &(lmb_rig_opts){.face_z = true, .embed.kind = LMB_SKELETON_HUMAN},
                             NULL, NULL, NULL),
                     LMB_OK);
    lmb_clip *clip = NULL;
    assert_int_equal(lmb_retarget(stepped->character, walk, 0, NULL, NULL, &clip, NULL, NULL),
                     LMB_OK);
    assert_int_equal(whole->character->clip_count, 1);
    assert_same_clip(whole->character->clips[0], clip);
    assert_true(report.is_rigged && report.rig.embedding.overall > 0.8f);
    assert_true(report.retarget.contact_count > 0);
    assert_true(report.feet_after.foot_count == 2 && report.feet_after.slide_m_s < 0.1f);
    assert_true(report.clearance.is_measured && fabsf(report.clearance.min_m) < 0.01f &&
                report.clearance.max_m < 0.02f);
    assert_true(fabsf(report.duration_s - lmb_clip_duration_s(clip)) < 1e-6f);
    lmb_clip_destroy(clip);
    lmb_character_destroy(walk);
    lmb_made_body_destroy(whole);
    lmb_made_body_destroy(stepped);
}

static void a_second_motion_keeps_the_skeleton_and_comes_first(void **state)
{
    (void)state;
    lmb_made_body *body = make_body(LMB_MADE_HUMANOID);
    lmb_character *walk = make_motion(LMB_MOTION_WALK), *wave = make_motion(LMB_MOTION_WAVE);
    lmb_animate_report report;
    assert_int_equal(lmb_animate(&body->character, walk, 0, NULL, NULL, NULL, NULL), LMB_OK);
    const lmb_skeleton *skeleton = body->character->skeleton;
    const lmb_clip *first = body->character->clips[0];
    assert_int_equal(lmb_animate(&body->character, wave, 0, NULL, &report, NULL, NULL), LMB_OK);
    assert_false(report.is_rigged);
    assert_ptr_equal(body->character->skeleton, skeleton);
    assert_int_equal(body->character->clip_count, 2);
    assert_ptr_equal(body->character->clips[1], first);
    lmb_character_destroy(walk);
    lmb_character_destroy(wave);
    lmb_made_body_destroy(body);
}

static void an_animal_gets_its_own_skeleton_where_any_body_may_be(void **state)
{
    (void)state;
    lmb_made_body *body = make_body(LMB_MADE_QUADRUPED);
    lmb_rig_report report;
    lmb_error error = {0};
    assert_int_equal(lmb_rig_for_motion(&body->character, &(lmb_rig_opts){0}, LMB_SKELETON_HUMAN,
                                        &report, NULL, &error),
                     LMB_ERROR_UNSUPPORTED);
    assert_true(error.found[0] != 0);
    assert_int_equal(lmb_rig_for_motion(&body->character, &(lmb_rig_opts){0}, LMB_SKELETON_AUTO,
                                        &report, NULL, &error),
                     LMB_OK);
    assert_int_equal(report.embedding.kind, LMB_SKELETON_QUADRUPED);
    lmb_made_body_destroy(body);
}

/// A motion of birds tells what a doubtful body is; a surer one stays what it is.
static void a_doubtful_body_is_the_animal_that_its_motion_moves(void **state)
{
    (void)state;
    const uint64_t seeds[] = {1, 4, 13};
    uint32_t changed = 0;
    for (size_t k = 0; k < sizeof seeds / sizeof *seeds; ++k) {
        lmb_rig_report reports[2];
        for (int told = 0; told < 2; ++told) {
            const lmb_made_body_opts opts = {
                .kind = LMB_MADE_BIRD, .seed = seeds[k], .triangle_count = 4000, .varied = true};
            lmb_made_body *body = NULL;
            assert_int_equal(lmb_made_body_create(&opts, NULL, &body, NULL), LMB_OK);
            const lmb_skeleton_kind moved = told ? LMB_SKELETON_BIRD : LMB_SKELETON_AUTO;
            assert_int_equal(lmb_rig_for_motion(&body->character, &(lmb_rig_opts){0}, moved,
                                                &reports[told], NULL, NULL),
                             LMB_OK);
            lmb_made_body_destroy(body);
        }
        const lmb_embedding *any = &reports[0].embedding, *bird = &reports[1].embedding;
        assert_true(bird->kind == LMB_SKELETON_BIRD || bird->overall > 0.5f);
        changed += bird->kind != any->kind;
    }
    assert_true(changed > 0);
}

// ---- bodies of six joints

enum { HIPS, LEFT_FOOT, RIGHT_FOOT, HEAD, LEFT_HAND, RIGHT_HAND, JOINTS };

static const lmb_human_bone bones[JOINTS] = {LMB_HUMAN_HIPS,       LMB_HUMAN_LEFT_FOOT,
                                             LMB_HUMAN_RIGHT_FOOT, LMB_HUMAN_HEAD,
                                             LMB_HUMAN_LEFT_HAND,  LMB_HUMAN_RIGHT_HAND};

/// `at` are model positions; the hips are the parent of the others.
static lmb_skeleton *make_skeleton(const lmb_vec3 at[JOINTS], lmb_joint_map *map)
{
    int32_t parents[JOINTS];
    lmb_transform rest[JOINTS];
    const char *names[JOINTS];
    lmb_skeleton *skeleton = NULL;
    memset(map, 0, sizeof *map);
    for (int bone = 0; bone < LMB_HUMAN_BONE_COUNT; ++bone) {
        map->bones[bone].joint = LMB_NONE;
    }
    for (int k = 0; k < JOINTS; ++k) {
        parents[k] = k == HIPS ? LMB_NONE : HIPS;
        rest[k] = lmb_transform_identity();
        rest[k].translation = k == HIPS ? at[k] : lmb_vec3_sub(at[k], at[HIPS]);
        names[k] = "joint";
        map->bones[bones[k]].joint = k;
    }
    const lmb_skeleton def = {
        .joint_count = JOINTS, .parents = parents, .rest = rest, .names = names};
    assert_int_equal(lmb_skeleton_create(&def, NULL, &skeleton, NULL), LMB_OK);
    return skeleton;
}

static const lmb_vec3 upright[JOINTS] = {{0, 0.9f, 0},  {0.1f, 0, 0},    {-0.1f, 0, 0},
                                         {0, 1.75f, 0}, {0.6f, 1.4f, 0}, {-0.6f, 1.4f, 0}};

static void hands_on_the_ground_and_a_lying_trunk_are_four_legs(void **state)
{
    (void)state;
    const lmb_vec3 horse[JOINTS] = {{0, 1, -0.6f},   {0.1f, 0, -0.6f}, {-0.1f, 0, -0.6f},
                                    {0, 1.3f, 0.9f}, {0.1f, 0, 0.5f},  {-0.1f, 0, 0.5f}};
    lmb_joint_map map;
    lmb_skeleton *skeleton = make_skeleton(upright, &map);
    assert_false(lmb_joint_map_is_on_all_fours(&map, skeleton));
    lmb_skeleton_destroy(skeleton);
    skeleton = make_skeleton(horse, &map);
    assert_true(lmb_joint_map_is_on_all_fours(&map, skeleton));
    map.bones[LMB_HUMAN_HEAD].joint = LMB_NONE;
    assert_false(lmb_joint_map_is_on_all_fours(&map, skeleton));
    lmb_skeleton_destroy(skeleton);
}

static lmb_feet_track track_on_belt(lmb_skeleton *skeleton, const lmb_clip *clip,
                                    const lmb_joint_map *map, float belt_speed)
{
    const lmb_character character = {.skeleton = skeleton};
    const lmb_feet_source source = {
        .character = &character, .clip = clip, .map = map, .belt_speed = belt_speed};
    lmb_feet_track track;
    assert_int_equal(lmb_feet_track_make(&source, NULL, &track, NULL), LMB_OK);
    return track;
}

static lmb_feet_track track_of(lmb_skeleton *skeleton, const lmb_clip *clip,
                               const lmb_joint_map *map)
{
    return track_on_belt(skeleton, clip, map, 0);
}

static void a_body_pushed_along_slides_at_its_speed(void **state)
{
    (void)state;
    const float speed_m_s = 0.5f;
    lmb_joint_map map;
    lmb_skeleton *skeleton = make_skeleton(upright, &map);
    float ticks[2] = {0, 2}, values[6] = {0, 0.9f, 0, 2 * speed_m_s, 0.9f, 0};
    lmb_channel channel = {.joint = HIPS,
                           .path = LMB_PATH_TRANSLATION,
                           .width = 3,
                           .key_count = 2,
                           .ticks = ticks,
                           .values = values};
    const lmb_clip clip = {.duration = 2, .channel_count = 1, .channels = &channel};
    lmb_feet_track track = track_of(skeleton, &clip, &map);
    const lmb_feet_measure m = track.measure;
    assert_int_equal(track.frame_count, 121);
    assert_true(!track.is_right[0] && track.is_right[1]);
    assert_int_equal(m.foot_count, 2);
    assert_true(fabsf(m.slide_m_s - speed_m_s) < 1e-3f);
    assert_true(fabsf(m.hips_path_m - 2 * speed_m_s) < 1e-3f);
    assert_true(m.planted_fraction > 0.999f && m.sliding_fraction > 0.999f && m.dip_m < 1e-6f);
    lmb_feet_track_free(&track);
    // On ground that goes by at that speed, as on a treadmill, it stands; on faster, it slides back.
    track = track_on_belt(skeleton, &clip, &map, speed_m_s);
    assert_true(track.measure.slide_m_s < 1e-3f && track.measure.sliding_fraction < 1e-3f);
    lmb_feet_track_free(&track);
    track = track_on_belt(skeleton, &clip, &map, 1.5f * speed_m_s);
    assert_true(fabsf(track.measure.slide_m_s - 0.5f * speed_m_s) < 1e-3f);
    lmb_feet_track_free(&track);
    lmb_skeleton_destroy(skeleton);
}

/// The same track in centimetres: the body's height sets the scale.
static void tracks_are_in_metres_of_a_person(void **state)
{
    (void)state;
    lmb_vec3 large[JOINTS];
    for (int k = 0; k < JOINTS; ++k) {
        large[k] = lmb_vec3_scale(upright[k], 100);
    }
    lmb_joint_map map;
    lmb_skeleton *skeleton = make_skeleton(large, &map);
    const lmb_clip clip = {.duration = 1};
    lmb_feet_track track = track_of(skeleton, &clip, &map);
    assert_true(fabsf(track.hips[0].y - 0.9f) < 1e-4f);
    assert_true(track.measure.slide_m_s < 1e-6f);
    lmb_feet_track_free(&track);
    lmb_skeleton_destroy(skeleton);
}

/// Rotates the joints of a motion whose names end in `part`, in each key, or keeps them at rest.
static void change_joints(lmb_character *motion, const char *part, const lmb_quat *by)
{
    const lmb_clip *clip = motion->clips[0];
    for (uint32_t c = 0; c < clip->channel_count; ++c) {
        const lmb_channel *channel = &clip->channels[c];
        const char *name = motion->skeleton->names[channel->joint];
        for (uint32_t k = 0; channel->path == LMB_PATH_ROTATION && strstr(name, part) != NULL &&
                             k < channel->key_count;
             ++k) {
            lmb_quat q = motion->skeleton->rest[channel->joint].rotation;
            if (by != NULL) {
                memcpy(&q, channel->values + 4 * k, sizeof q);
                q = lmb_quat_mul(q, *by);
            }
            memcpy(channel->values + 4 * k, &q, sizeof q);
        }
    }
}

static float lowest_skin(lmb_motion_kind kind, const lmb_animate_opts *opts, bool stiff_toes)
{
    lmb_made_body *body = make_dressed_body(5);
    lmb_character *motion = make_motion(kind);
    lmb_animate_report report;
    if (stiff_toes) {
        change_joints(motion, "Toes", NULL);
    }
    assert_int_equal(lmb_animate(&body->character, motion, 0, opts, &report, NULL, NULL), LMB_OK);
    lmb_character_destroy(motion);
    lmb_made_body_destroy(body);
    return report.clearance.min_m;
}

/// Shoes of a piece of their own bend with the toes, also where the motion's do not; feet without
/// toes are raised while they pitch.
static void shoes_stay_above_the_ground(void **state)
{
    (void)state;
    static const char *const toes[] = {"leftToes", "rightToes"};
    const lmb_animate_opts whole = {0}, without = {.rig = {.drop = toes, .drop_count = 2}};
    assert_true(lowest_skin(LMB_MOTION_WALK, &whole, false) > -0.01f);
    assert_true(lowest_skin(LMB_MOTION_RUN, &whole, false) > -0.01f);
    assert_true(lowest_skin(LMB_MOTION_WALK, &whole, true) > -0.01f);
    assert_true(lowest_skin(LMB_MOTION_WALK, &without, false) > -0.01f);
}

/// Fraction of the frames in which a joint is level across.
static float level_fraction(const lmb_character *c, const char *name)
{
    enum { FRAMES = 60 };
    const lmb_skeleton *s = c->skeleton;
    const int32_t foot = lmb_skeleton_find(s, name);
    lmb_transform *pose = calloc(s->joint_count, sizeof *pose);
    uint32_t level = 0;
    assert_true(pose != NULL && foot != LMB_NONE);
    for (int f = 0; f < FRAMES; ++f) {
        lmb_sample(&(lmb_sample_job){.clip = c->clips[0],
                                     .time_s = (double)f / FRAMES,
                                     .joint_count = s->joint_count,
                                     .rest = s->rest,
                                     .pose = pose});
        lmb_quat model = lmb_quat_identity();
        for (int32_t j = foot; j != LMB_NONE; j = s->parents[j]) {
            model = lmb_quat_mul(pose[j].rotation, model);
        }
        level += fabsf(lmb_quat_rotate(model, lmb_vec3_make(1, 0, 0)).y) < 0.02f ? 1 : 0;
    }
    free(pose);
    return (float)level / FRAMES;
}

/// A recording whose feet are rolled stands on level soles all the same.
static void soles_stand_level(void **state)
{
    (void)state;
    const lmb_quat roll = lmb_quat_axis_angle(lmb_vec3_make(0, 0, 1), 0.25f);
    lmb_made_body *body = make_dressed_body(5);
    lmb_character *motion = make_motion(LMB_MOTION_WALK);
    change_joints(motion, "Foot", &roll);
    assert_int_equal(lmb_animate(&body->character, motion, 0, NULL, NULL, NULL, NULL), LMB_OK);
    assert_true(level_fraction(body->character, "leftFoot") > 0.2f);
    assert_true(level_fraction(body->character, "leftToes") > 0.2f);
    lmb_character_destroy(motion);
    lmb_made_body_destroy(body);
}

static void a_clip_that_lifts_the_body_has_that_clearance(void **state)
{
    (void)state;
    const lmb_made_body_opts opts = {.seed = 3, .triangle_count = 2000, .rigged = true};
    lmb_made_body *body = NULL;
    assert_int_equal(lmb_made_body_create(&opts, NULL, &body, NULL), LMB_OK);
    const lmb_vec3 at = body->character->skeleton->rest[0].translation;
    float ticks[2] = {0, 1}, values[6] = {at.x, at.y - 0.1f, at.z, at.x, at.y + 0.3f, at.z};
    lmb_channel channel = {
        .path = LMB_PATH_TRANSLATION, .width = 3, .key_count = 2, .ticks = ticks, .values = values};
    const lmb_clip clip = {.duration = 1, .channel_count = 1, .channels = &channel};
    // The clip stands on height 0, also where the body rests above it.
    for (int k = 0; k < 2; ++k) {
        lmb_clearance clearance;
        body->character->skeleton->rest[0].translation.y = at.y + 0.57f * (float)k;
        assert_int_equal(
            lmbi_clearance_measure(body->character, &clip, NULL, NULL, &clearance, NULL), LMB_OK);
        assert_true(clearance.is_measured);
        assert_true(fabsf(clearance.min_m + 0.1f) < 1e-4f && fabsf(clearance.max_m - 0.3f) < 1e-4f);
    }
    lmb_made_body_destroy(body);
}

static void rigged_takes_a_map_and_something_that_moves(void **state)
{
    (void)state;
    const lmb_joint_map sure = {.confidence = 1}, doubtful = {.confidence = 0.5f};
    lmb_instance parts[6] = {{0}};
    lmb_character character = {.instances = parts, .instance_count = 6};
    assert_false(lmb_character_is_rigged(&character, &sure));
    for (uint32_t k = 0; k < 6; ++k) {
        parts[k].joint = k;
    }
    assert_true(lmb_character_is_rigged(&character, &sure));
    assert_false(lmb_character_is_rigged(&character, &doubtful));
    character = (lmb_character){.skin_count = 1};
    assert_true(lmb_character_is_rigged(&character, &sure));
}

/// A figure's legs come from its names, a deer's from its shape.
static void a_gait_moves_the_legs_that_the_body_has(void **state)
{
    (void)state;
    static const struct {
        lmb_made_body_kind kind;
        uint32_t leg_count, arm_hands;
    } bodies[] = {{LMB_MADE_HUMANOID, 2, 2}, {LMB_MADE_QUADRUPED, 4, 0}};
    for (int k = 0; k < 2; ++k) {
        const lmb_made_body_opts opts = {.kind = bodies[k].kind,
                                         .seed = 3,
                                         .triangle_count = 2000,
                                         .whole = true,
                                         .rigged = true};
        lmb_made_body *body = NULL;
        lmb_gait_body gait;
        assert_int_equal(lmb_made_body_create(&opts, NULL, &body, NULL), LMB_OK);
        assert_int_equal(lmb_gait_body_of_character(body->character, NULL, &gait, NULL), LMB_OK);
        assert_int_equal(gait.leg_count, bodies[k].leg_count);
        for (uint32_t side = 0; side < bodies[k].arm_hands; ++side) {
            const int32_t hand = gait.arms[side].hand;
            assert_string_equal(body->character->skeleton->names[hand],
                                side == 0 ? "leftHand" : "rightHand");
        }
        lmb_made_body_destroy(body);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_gives_what_its_steps_give),
        cmocka_unit_test(a_second_motion_keeps_the_skeleton_and_comes_first),
        cmocka_unit_test(an_animal_gets_its_own_skeleton_where_any_body_may_be),
        cmocka_unit_test(a_doubtful_body_is_the_animal_that_its_motion_moves),
        cmocka_unit_test(hands_on_the_ground_and_a_lying_trunk_are_four_legs),
        cmocka_unit_test(a_body_pushed_along_slides_at_its_speed),
        cmocka_unit_test(tracks_are_in_metres_of_a_person),
        cmocka_unit_test(shoes_stay_above_the_ground),
        cmocka_unit_test(soles_stand_level),
        cmocka_unit_test(a_clip_that_lifts_the_body_has_that_clearance),
        cmocka_unit_test(a_gait_moves_the_legs_that_the_body_has),
        cmocka_unit_test(rigged_takes_a_map_and_something_that_moves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
