// Bodies of every kind as chains, and motion from one to another.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "bodies/bodies.h"
#include "failing_allocator.h"
#include "made_bodies.h"

enum { RATE = 60 };

/// The character with a skeleton of its own making, and a clip.
static lmb_character *rebuilt(const lmb_skeleton *skeleton, lmb_clip *clip)
{
    lmb_character def = {.name = "made", .clip_count = clip != NULL ? 1 : 0, .clips = &clip},
                  *out = NULL;
    assert_int_equal(lmb_skeleton_create(skeleton, NULL, &def.skeleton, NULL), LMB_OK);
    assert_int_equal(lmb_character_create(&def, NULL, &out, NULL), LMB_OK);
    return out;
}

/// Skeletons of made bodies, made once: their meshes take most of the time.
static struct {
    lmb_made_body_kind kind;
    uint64_t seed;
    lmb_character *character;
} made[16];
static uint32_t made_count;

/// A made body with its true skeleton, without a mesh.
static lmb_character *beast(lmb_made_body_kind kind, uint64_t seed)
{
    for (uint32_t k = 0; k < made_count; ++k) {
        if (made[k].kind == kind && made[k].seed == seed) {
            return rebuilt(made[k].character->skeleton, NULL);
        }
    }
    lmb_made_body *body = NULL;
    const lmb_made_body_opts opts = {
        .kind = kind, .seed = seed, .triangle_count = 500, .whole = true, .rigged = true};
    assert_true(made_count < sizeof made / sizeof made[0]);
    assert_int_equal(lmb_made_body_create(&opts, NULL, &body, NULL), LMB_OK);
    made[made_count].kind = kind;
    made[made_count].seed = seed;
    made[made_count++].character = rebuilt(body->character->skeleton, NULL);
    lmb_made_body_destroy(body);
    return beast(kind, seed);
}

static int forget_bodies(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < made_count; ++k) {
        lmb_character_destroy(made[k].character);
    }
    return 0;
}

/// Three cycles of its own walk.
static lmb_character *walking(lmb_made_body_kind kind, uint64_t seed)
{
    lmb_character *c = beast(kind, seed);
    lmb_gait_body legs;
    lmb_gait *gait = NULL;
    lmb_clip *clip = NULL;
    const uint32_t n = c->skeleton->joint_count;
    assert_int_equal(lmb_gait_body_find(c, NULL, &legs, NULL), LMB_OK);
    assert_int_equal(lmb_gait_create(c->skeleton, &legs, &(lmb_gait_opts){.kind = LMB_GAIT_WALK},
                                     NULL, &gait, NULL),
                     LMB_OK);
    const uint32_t frames = 3 * lmb_gait_describe(gait).frame_count;
    lmb_transform *poses = malloc((size_t)frames * n * sizeof *poses);
    for (uint32_t f = 0; f < frames; ++f) {
        lmb_gait_pose(gait, (double)f / RATE, poses + (size_t)f * n);
    }
    assert_int_equal(
        lmb_clip_from_poses(c->skeleton, poses, frames, RATE, "walk", NULL, &clip, NULL), LMB_OK);
    lmb_character *out = rebuilt(c->skeleton, clip);
    lmb_gait_destroy(gait);
    lmb_character_destroy(c);
    free(poses);
    return out;
}

static lmb_chain_map chains_of(const lmb_character *c)
{
    lmb_chain_map map;
    lmb_error error = {0};
    if (lmb_chain_map_find(c->skeleton, NULL, &map, &error) != LMB_OK) {
        fail_msg("expected %s, found %s", error.expected, error.found);
    }
    return map;
}

static uint32_t count_kind(const lmb_chain_map *map, lmb_body_chain_kind kind)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < map->count; ++i) {
        count += map->chains[i].kind == kind ? 1 : 0;
    }
    return count;
}

static const lmb_body_chain *chain_named(const lmb_chain_map *map, const char *name)
{
    for (uint32_t i = 0; i < map->count; ++i) {
        char text[24];
        if (strcmp(lmb_body_chain_name(&map->chains[i], text), name) == 0) {
            return &map->chains[i];
        }
    }
    return NULL;
}

/// The body with names that say nothing.
static lmb_character *nameless(const lmb_character *c)
{
    const uint32_t n = c->skeleton->joint_count;
    char(*text)[16] = malloc(n * sizeof *text);
    const char **names = malloc(n * sizeof *names);
    for (uint32_t j = 0; j < n; ++j) {
        (void)snprintf(text[j], sizeof *text, "j%u", (unsigned)j);
        names[j] = text[j];
    }
    lmb_skeleton def = *c->skeleton;
    def.names = names;
    lmb_character *out = rebuilt(&def, NULL);
    free(names);
    free(text);
    return out;
}

static void made_animals_have_their_chains(void **state)
{
    static const struct {
        lmb_made_body_kind kind;
        uint64_t seeds[2];
        uint32_t legs, arms; ///< chains
    } kinds[] = {{LMB_MADE_HUMANOID, {2, 2}, 2, 2},
                 {LMB_MADE_QUADRUPED, {2, 7}, 4, 0},
                 {LMB_MADE_BIRD, {3, 5}, 2, 2},
                 {LMB_MADE_SNAKE, {0, 1}, 0, 0},
                 {LMB_MADE_FISH, {0, 1}, 0, 0}};
    (void)state;
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; ++k) {
        for (int i = 0; i < 2; ++i) {
            lmb_character *c = beast(kinds[k].kind, kinds[k].seeds[i]), *bare = nameless(c);
            const lmb_chain_map map = chains_of(c), again = chains_of(bare);
            assert_int_equal(count_kind(&map, LMB_CHAIN_LEG), kinds[k].legs);
            assert_int_equal(count_kind(&map, LMB_CHAIN_ARM), kinds[k].arms);
            const lmb_body_chain *spine = chain_named(&map, "spine"),
                                 *neck = chain_named(&map, "neck");
            assert_non_null(spine);
            // The head is the end of the neck, or of a body without limbs.
            const lmb_body_chain *last = kinds[k].legs > 0 ? neck : spine;
            assert_non_null(last);
            assert_string_equal(c->skeleton->names[last->joints[last->count - 1]], "head");
            // Shape alone tells the legs as well.
            assert_int_equal(count_kind(&again, LMB_CHAIN_LEG), kinds[k].legs);
            for (uint32_t n = 0; n < map.count; ++n) {
                char text[24];
                const lmb_body_chain *same =
                    chain_named(&again, lmb_body_chain_name(&map.chains[n], text));
                if (map.chains[n].kind == LMB_CHAIN_LEG) {
                    assert_non_null(same);
                    assert_int_equal(same->joints[0], map.chains[n].joints[0]);
                }
            }
            lmb_character_destroy(bare);
            lmb_character_destroy(c);
        }
    }
}

static void a_body_without_limbs_is_one_chain_however_it_lies(void **state)
{
    // The head branches off the first joint of the spine, which goes off in any direction.
    enum { JOINTS = 8 };
    const char *names[JOINTS] = {"a", "head", "b", "c", "d", "e", "f", "g"};
    int32_t parents[JOINTS] = {LMB_NONE, 0, 0, 2, 3, 4, 5, 6};
    (void)state;
    for (int k = 0; k < 24; ++k) {
        lmb_transform rest[JOINTS];
        for (int j = 0; j < JOINTS; ++j) {
            // In curves, so that the body has no line in the middle.
            const float turn = (float)k * (LMB_PI / 12) + (j > 1 ? 0.9f * sinf((float)j) : 0.3f) +
                               (j == 1 ? LMB_PI : 0);
            rest[j] = lmb_transform_identity();
            rest[j].translation = lmb_vec3_make(0.1f * sinf(turn), 0, 0.1f * cosf(turn));
        }
        const lmb_skeleton def = {
            .joint_count = JOINTS, .names = names, .parents = parents, .rest = rest};
        lmb_character *c = rebuilt(&def, NULL);
        const lmb_chain_map map = chains_of(c);
        const lmb_body_chain *spine = chain_named(&map, "spine");
        assert_int_equal(map.count, 1);
        assert_non_null(spine);
        assert_int_equal(spine->count, JOINTS);
        assert_int_equal(spine->joints[0], JOINTS - 1);
        assert_int_equal(spine->joints[JOINTS - 1], 1);
        lmb_character_destroy(c);
    }
}

static void spiders_and_insects_have_all_their_legs(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 3; ++seed) {
        lmb_character *c = beast(LMB_MADE_SPIDER, seed);
        const lmb_chain_map map = chains_of(c);
        const uint32_t legs = count_kind(&map, LMB_CHAIN_LEG);
        assert_true(legs == 6 || legs == 8);
        lmb_character_destroy(c);
    }
}

// ----------------------------------------------------------------------------------- the transfer

static lmb_clip *carried(const lmb_character *to, const lmb_character *from,
                         const lmb_retarget_opts *opts, lmb_retarget_report *report)
{
    lmb_clip *clip = NULL;
    lmb_error error = {0};
    if (lmb_retarget(to, from, 0, opts, NULL, &clip, report, &error) != LMB_OK) {
        fail_msg("expected %s, found %s", error.expected, error.found);
    }
    return clip;
}

/// The farthest that a joint is from another clip's, over the frames.
static float worst_position(const lmb_character *a, const lmb_clip *ca, const lmb_character *b,
                            const lmb_clip *cb, float scale)
{
    float worst = 0.0f;
    for (double t = 0; t < (double)lmb_clip_duration_s(ca); t += 0.05) {
        lmb_transform *pa = test_pose(a, ca, t), *pb = test_pose(b, cb, t);
        for (uint32_t j = 0; j < a->skeleton->joint_count; ++j) {
            worst = fmaxf(worst, lmb_vec3_distance(lmb_vec3_scale(pa[j].translation, scale),
                                                   pb[j].translation));
        }
        free(pa);
        free(pb);
    }
    return worst;
}

/// The body with the joints whose names begin so moved by `scale` of their offsets.
static lmb_character *with_offsets(lmb_character *c, const char *prefix, lmb_vec3 scale)
{
    for (uint32_t j = 0; j < c->skeleton->joint_count; ++j) {
        if (strncmp(c->skeleton->names[j], prefix, strlen(prefix)) == 0) {
            lmb_vec3 *t = &c->skeleton->rest[j].translation;
            *t = lmb_vec3_make(t->x * scale.x, t->y * scale.y, t->z * scale.z);
        }
    }
    return c;
}

/// How high a tail rises says nothing of what stands below.
static void a_tail_above_the_back_leaves_four_legs(void **state)
{
    (void)state;
    lmb_character *c = beast(LMB_MADE_QUADRUPED, 3);
    for (uint32_t j = 0; j < c->skeleton->joint_count; ++j) {
        if (strncmp(c->skeleton->names[j], "tail", 4) == 0) {
            lmb_vec3 *t = &c->skeleton->rest[j].translation;
            *t = lmb_vec3_make(0, 3 * lmb_vec3_length(*t), 0);
        }
    }
    const lmb_chain_map map = chains_of(c);
    assert_int_equal(count_kind(&map, LMB_CHAIN_LEG), 4);
    assert_int_equal(count_kind(&map, LMB_CHAIN_ARM), 0);
    lmb_character_destroy(c);
}

/// Legs that are named in pairs walk in pairs, however unlike their sides are.
static void legs_of_unlike_sides_walk_in_pairs(void **state)
{
    (void)state;
    lmb_character *c =
        with_offsets(beast(LMB_MADE_SPIDER, 3), "rightLeg", (lmb_vec3){0.8f, 1, 0.7f});
    lmb_gait_body body;
    assert_int_equal(lmb_gait_body_find(c, NULL, &body, NULL), LMB_OK);
    uint32_t legs = 0;
    for (uint32_t j = 0; j < c->skeleton->joint_count; ++j) {
        legs += strstr(c->skeleton->names[j], "Middle") != NULL;
    }
    assert_int_equal(body.leg_count, legs);
    for (uint32_t k = 0; k < body.leg_count; k += 2) {
        const char *left = c->skeleton->names[body.legs[k].knee],
                   *right = c->skeleton->names[body.legs[k + 1].knee];
        assert_memory_equal(left, "left", 4);
        assert_string_equal(left + 4, right + 5);
    }
    lmb_character_destroy(c);
}

static const lmb_retarget_opts by_chains = {.method = LMB_RETARGET_CHAINS, .no_lock_feet = true};

static void onto_itself_nothing_changes(void **state)
{
    static const lmb_made_body_kind kinds[] = {LMB_MADE_QUADRUPED, LMB_MADE_BIRD, LMB_MADE_SPIDER};
    (void)state;
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; ++k) {
        lmb_character *c = walking(kinds[k], kinds[k] == LMB_MADE_BIRD ? 3 : 2);
        lmb_retarget_report report;
        lmb_clip *clip = carried(c, c, &by_chains, &report);
        assert_true(report.by_chains);
        assert_true(worst_position(c, c->clips[0], c, clip, 1.0f) < 1e-6f);
        lmb_clip_destroy(clip);
        lmb_character_destroy(c);
    }
}

/// Pose by pose the turns are those of the whole clip, and so is the way, but that the body heads
/// where it looks and not where it does in the mean of a stride.
static void live_is_what_retargeting_is(void **state)
{
    (void)state;
    lmb_character *from = walking(LMB_MADE_QUADRUPED, 2), *to = beast(LMB_MADE_QUADRUPED, 7);
    const lmb_chain_map map = chains_of(to);
    const lmb_body_chain *spine = chain_named(&map, "spine"), *tail = chain_named(&map, "tail");
    lmb_clip *clip = carried(to, from, &by_chains, NULL);
    lmb_live *live = NULL;
    assert_int_equal(lmb_live_create(to, from, NULL, NULL, &live, NULL), LMB_OK);
    lmb_transform *pose = malloc(from->skeleton->joint_count * sizeof *pose),
                  *got = malloc(to->skeleton->joint_count * sizeof *got);
    for (double t = 0; t < (double)lmb_clip_duration_s(clip); t += 0.1) {
        lmb_sample(&(lmb_sample_job){.clip = from->clips[0],
                                     .time_s = t,
                                     .joint_count = from->skeleton->joint_count,
                                     .rest = from->skeleton->rest,
                                     .pose = pose});
        lmb_live_step(live, pose, got);
        for (uint32_t j = 0; j < to->skeleton->joint_count; ++j) {
            const int32_t parent = to->skeleton->parents[j];
            got[j] = parent < 0 ? got[j] : lmb_transform_mul(got[parent], got[j]);
        }
        lmb_transform *want = test_pose(to, clip, t);
        for (int k = 0; k < 2; ++k) {
            const lmb_body_chain *c = k == 0 ? spine : tail;
            for (uint32_t i = 0; i < c->count; ++i) {
                const int32_t j = c->joints[i];
                assert_true(lmb_quat_angle(got[j].rotation, want[j].rotation) < 2e-3f);
                assert_true(lmb_vec3_distance(got[j].translation, want[j].translation) < 0.03f);
            }
        }
        free(want);
    }
    free(pose);
    free(got);
    lmb_live_destroy(live);
    // A human and an animal are no likes but when told so.
    lmb_character *person = test_motion(LMB_MOTION_WALK), *snake = beast(LMB_MADE_SNAKE, 2);
    assert_int_equal(lmb_live_create(snake, person, NULL, NULL, &live, NULL),
                     LMB_ERROR_UNSUPPORTED);
    assert_int_equal(lmb_live_create(snake, person, &by_chains, NULL, &live, NULL), LMB_OK);
    lmb_live_destroy(live);
    lmb_character_destroy(snake);
    lmb_character_destroy(person);
    lmb_clip_destroy(clip);
    lmb_character_destroy(from);
    lmb_character_destroy(to);
}

/// The skeleton with every joint's own axes rotated, places as they are, and all lengths scaled.
static lmb_character *rolled(const lmb_character *c, float scale, bool roll)
{
    const lmb_skeleton *s = c->skeleton;
    const uint32_t n = s->joint_count;
    lmb_transform *model = malloc(n * sizeof *model), *rest = malloc(n * sizeof *rest);
    lmb_quat *rotations = malloc(n * sizeof *rotations);
    for (uint32_t j = 0; j < n; ++j) {
        const int32_t parent = s->parents[j];
        model[j] = parent < 0 ? s->rest[j] : lmb_transform_mul(model[parent], s->rest[j]);
        rotations[j] =
            roll ? lmb_quat_axis_angle(
                       lmb_vec3_normalize_or(lmb_vec3_make((float)(j % 3) - 1.0f, 1.0f, 0.5f),
                                             lmb_vec3_make(1, 0, 0)),
                       0.5f * LMB_PI * (float)(1 + j % 3))
                 : lmb_quat_identity();
        rest[j] = s->rest[j];
        rest[j].translation = lmb_vec3_scale(rest[j].translation, scale);
        rest[j].rotation = lmb_quat_mul(rest[j].rotation, rotations[j]);
        if (parent >= 0) {
            const lmb_quat back = lmb_quat_conjugate(rotations[parent]);
            rest[j].rotation = lmb_quat_mul(back, rest[j].rotation);
            rest[j].translation = lmb_quat_rotate(back, rest[j].translation);
        }
    }
    lmb_skeleton def = *s;
    def.rest = rest;
    def.tips = NULL;
    lmb_character *out = rebuilt(&def, NULL);
    free(model);
    free(rest);
    free(rotations);
    return out;
}

static void rolled_and_larger_bodies_do_the_same(void **state)
{
    (void)state;
    lmb_character *c = walking(LMB_MADE_QUADRUPED, 7), *as_it_is = rolled(c, 1.0f, false),
                  *rotated = rolled(c, 1.0f, true), *twice = rolled(c, 2.0f, true);
    lmb_clip *plain = carried(as_it_is, c, &by_chains, NULL),
             *same = carried(rotated, c, &by_chains, NULL),
             *large = carried(twice, c, &by_chains, NULL);
    assert_true(worst_position(as_it_is, plain, rotated, same, 1.0f) < 2e-6f);
    assert_true(worst_position(rotated, same, twice, large, 2.0f) < 4e-6f);
    // And these stand where the source stands.
    assert_true(worst_position(rotated, same, c, c->clips[0], 1.0f) < 5e-3f);
    lmb_clip_destroy(plain);
    lmb_clip_destroy(same);
    lmb_clip_destroy(large);
    lmb_character_destroy(as_it_is);
    lmb_character_destroy(rotated);
    lmb_character_destroy(twice);
    lmb_character_destroy(c);
}

/// The fraction of the time that feet stand in which they go faster than 2.5 cm/s on legs of 0.85 m.
static float sliding_fraction(const lmb_character *c, const lmb_clip *clip)
{
    const lmb_chain_map map = chains_of(c);
    const lmb_skeleton *s = c->skeleton;
    float stands = 0.0f, slides = 0.0f;
    for (uint32_t i = 0; i < map.count; ++i) {
        const lmb_body_chain *leg = &map.chains[i];
        const int32_t last = leg->joints[leg->count - 1];
        float length = 0.0f, floor_height = INFINITY;
        if (leg->kind != LMB_CHAIN_LEG) {
            continue;
        }
        const uint32_t frames = (uint32_t)(lmb_clip_duration_s(clip) * RATE);
        lmb_vec3 *paw = malloc(frames * sizeof *paw);
        for (uint32_t f = 0; f < frames; ++f) {
            lmb_transform *pose = test_pose(c, clip, (double)f / RATE);
            length = 0.0f;
            for (uint32_t k = leg->upper; k + 1 < leg->count; ++k) {
                length += lmb_vec3_distance(pose[leg->joints[k]].translation,
                                            pose[leg->joints[k + 1]].translation);
            }
            paw[f] = s->tips != NULL ? lmb_transform_point(pose[last], s->tips[last])
                                     : pose[last].translation;
            floor_height = fminf(floor_height, paw[f].y);
            free(pose);
        }
        const float metre = length / 0.85f;
        for (uint32_t f = 1; f < frames; ++f) {
            const lmb_vec3 step = lmb_vec3_scale(lmb_vec3_sub(paw[f], paw[f - 1]), RATE / metre);
            const float speed = lmb_sqrt(step.x * step.x + step.z * step.z);
            const bool low =
                paw[f].y - floor_height < 0.02f * metre && fabsf(step.y) < 0.05f && speed < 0.5f;
            stands += low ? 1.0f : 0.0f;
            slides += low && speed > 0.025f ? 1.0f : 0.0f;
        }
        free(paw);
    }
    assert_true(stands > 20.0f);
    return slides / stands;
}

static void paws_stand_still_on_other_bodies(void **state)
{
    static const struct {
        lmb_made_body_kind from, to;
        uint64_t from_seed, to_seed;
    } pairs[] = {{LMB_MADE_QUADRUPED, LMB_MADE_QUADRUPED, 2, 7},
                 {LMB_MADE_QUADRUPED, LMB_MADE_QUADRUPED, 7, 2},
                 {LMB_MADE_QUADRUPED, LMB_MADE_BIRD, 2, 3},
                 {LMB_MADE_BIRD, LMB_MADE_BIRD, 3, 5},
                 {LMB_MADE_SPIDER, LMB_MADE_SPIDER, 2, 1}};
    (void)state;
    for (size_t k = 0; k < sizeof pairs / sizeof pairs[0]; ++k) {
        lmb_character *from = walking(pairs[k].from, pairs[k].from_seed),
                      *to = beast(pairs[k].to, pairs[k].to_seed);
        lmb_retarget_report report;
        lmb_clip *clip =
            carried(to, from, &(lmb_retarget_opts){.method = LMB_RETARGET_CHAINS}, &report);
        assert_true(report.contact_count >= 4);
        const float fraction = sliding_fraction(to, clip);
        if (fraction > 0.05f) {
            fail_msg("pair %u: paws slide in %g of the time", (unsigned)k, (double)fraction);
        }
        lmb_clip_destroy(clip);
        lmb_character_destroy(to);
        lmb_character_destroy(from);
    }
}

/// A chain of `count` joints along -Z, the head first, 1 m long.
static lmb_character *worm(uint32_t count)
{
    char text[32][8];
    const char *names[32];
    int32_t parents[32];
    lmb_transform rest[32];
    for (uint32_t j = 0; j < count; ++j) {
        (void)snprintf(text[j], sizeof text[j], j == 0 ? "head" : "b%u", (unsigned)j);
        names[j] = text[j];
        parents[j] = (int32_t)j - 1;
        rest[j] = lmb_transform_identity();
        rest[j].translation.z = j == 0 ? 0.0f : -1.0f / (float)(count - 1);
    }
    const lmb_skeleton def = {
        .joint_count = count, .names = names, .parents = parents, .rest = rest};
    return rebuilt(&def, NULL);
}

static void worms_of_other_counts_lie_in_the_same_curve(void **state)
{
    (void)state;
    lmb_character *many = worm(31), *few = worm(11);
    const uint32_t n = 31, frames = 60;
    lmb_transform *poses = malloc((size_t)frames * n * sizeof *poses);
    lmb_clip *clip = NULL;
    for (uint32_t f = 0; f < frames; ++f) {
        memcpy(poses + (size_t)f * n, many->skeleton->rest, n * sizeof *poses);
        poses[(size_t)f * n].translation.z = 0.01f * (float)f;
        for (uint32_t j = 0; j < n; ++j) {
            const float bend = 0.08f * lmb_sin(0.2f * (float)f - 0.3f * (float)j);
            poses[(size_t)f * n + j].rotation = lmb_quat_axis_angle(lmb_vec3_make(0, 1, 0), bend);
        }
    }
    assert_int_equal(
        lmb_clip_from_poses(many->skeleton, poses, frames, RATE, "creep", NULL, &clip, NULL),
        LMB_OK);
    lmb_character *creeping = rebuilt(many->skeleton, clip);
    lmb_retarget_report report;
    lmb_clip *out = carried(few, creeping, &(lmb_retarget_opts){0}, &report);
    assert_true(report.by_chains);
    assert_float_equal(report.scale, 1.0f, 1e-5f);
    for (double t = 0; t < 0.98; t += 0.05) {
        lmb_transform *a = test_pose(creeping, clip, t), *b = test_pose(few, out, t);
        // Every third joint of the many lies where one of the few does.
        for (uint32_t j = 0; j < 11; ++j) {
            assert_true(lmb_vec3_distance(a[3 * (size_t)j].translation, b[j].translation) < 5e-3f);
        }
        free(a);
        free(b);
    }
    lmb_clip_destroy(out);
    lmb_character_destroy(creeping);
    lmb_character_destroy(many);
    lmb_character_destroy(few);
    free(poses);
}

// -------------------------------------------------------------------------------------- clean-up

static void paws_that_slide_are_held(void **state)
{
    (void)state;
    lmb_character *c = walking(LMB_MADE_QUADRUPED, 2);
    const uint32_t n = c->skeleton->joint_count;
    const uint32_t frames = (uint32_t)(lmb_clip_duration_s(c->clips[0]) * RATE) + 1;
    const lmb_chain_map map = chains_of(c);
    lmb_transform *poses = malloc((size_t)frames * n * sizeof *poses);
    lmb_clip *spoilt = NULL, *clean = NULL;
    for (uint32_t f = 0; f < frames; ++f) {
        lmb_sample(&(lmb_sample_job){.clip = c->clips[0],
                                     .time_s = (double)f / RATE,
                                     .joint_count = n,
                                     .rest = c->skeleton->rest,
                                     .pose = poses + (size_t)f * n});
        // The whole body glides on by a tenth of a metre a second, and sways.
        lmb_vec3 *root = &poses[(size_t)f * n + (size_t)map.root].translation;
        root->x += 0.02f * lmb_sin(0.1f * (float)f);
        root->z += 0.10f * (float)f / RATE;
    }
    assert_int_equal(
        lmb_clip_from_poses(c->skeleton, poses, frames, RATE, "glide", NULL, &spoilt, NULL),
        LMB_OK);
    lmb_character *gliding = rebuilt(c->skeleton, spoilt);
    lmb_clean_report report;
    assert_true(sliding_fraction(gliding, spoilt) > 0.5f);
    assert_int_equal(lmb_clean_clip(gliding, 0, NULL, NULL, &clean, &report, NULL), LMB_OK);
    assert_true(report.by_chains);
    assert_true(report.feet_held);
    assert_true(report.contact_count >= 8);
    assert_true(sliding_fraction(gliding, clean) < 0.05f);
    // The head goes where it went.
    lmb_transform *a = test_pose(gliding, spoilt, 0.7), *b = test_pose(gliding, clean, 0.7);
    const int32_t head = lmb_skeleton_find(c->skeleton, "head");
    assert_true(lmb_vec3_distance(a[head].translation, b[head].translation) < 0.03f);
    assert_true(lmb_quat_angle(a[head].rotation, b[head].rotation) < 1e-3f);
    free(a);
    free(b);
    lmb_clip_destroy(clean);
    lmb_character_destroy(gliding);
    lmb_character_destroy(c);
    free(poses);
}

// ------------------------------------------------------------------------------------- map files

static void maps_are_written_and_read(void **state)
{
    (void)state;
    lmb_character *c = beast(LMB_MADE_QUADRUPED, 2);
    lmb_chain_map map = chains_of(c), read;
    lmb_buffer text = {0};
    const lmb_map_section written = {.skeleton = c->skeleton, .chains = &map},
                          into = {.skeleton = c->skeleton, .chains = &read};
    bool found = false;
    memset(&read, 0, sizeof read);
    assert_int_equal(lmb_map_write(&written, &written, NULL, &text, NULL), LMB_OK);
    assert_int_equal(lmb_map_read(text.data, text.size, "motion", &into, NULL, &found, NULL),
                     LMB_OK);
    assert_true(found);
    assert_int_equal(read.count, map.count);
    assert_int_equal(read.root, map.root);
    for (uint32_t i = 0; i < map.count; ++i) {
        assert_memory_equal(&read.chains[i], &map.chains[i], sizeof map.chains[i]);
    }
    lmb_buffer_free(&text);
    static const struct {
        const char *text, *expected;
    } bad[] = {
        {"{\"limber\": \"joint map\", \"motion\": {\"chains\": {\"trunk\": []}}}", "a chain such"},
        {"{\"limber\": \"joint map\", \"motion\": {\"chains\": {\"spine\": 3}}}", "a list of"},
        {"{\"limber\": \"joint map\", \"motion\": {\"chains\": {\"spine\": [\"x\"]}}}", "the name"},
        {"{\"limber\": \"joint map\", \"motion\": {\"chains\": {\"tail\": [\"head\", \"tail1\"]}}}",
         "a joint above or below"},
    };
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; ++k) {
        lmb_error error = {0};
        assert_int_equal(
            lmb_map_read(bad[k].text, strlen(bad[k].text), "motion", &into, NULL, &found, &error),
            LMB_ERROR_MALFORMED);
        assert_non_null(strstr(error.expected, bad[k].expected));
    }
    static const char edit[] =
        "{\"limber\": \"joint map\", \"motion\": {\"chains\": {\"tail\": null, \"spine\": "
        "[\"hips\", \"chest\"]}}}";
    read = map;
    assert_int_equal(lmb_map_read(edit, sizeof edit - 1, "motion", &into, NULL, &found, NULL),
                     LMB_OK);
    assert_null(chain_named(&read, "tail"));
    assert_int_equal(chain_named(&read, "spine")->count, 2);
    lmb_character_destroy(c);
}

static void nothing_in_common_is_refused(void **state)
{
    (void)state;
    lmb_character *c = walking(LMB_MADE_QUADRUPED, 2), *small = worm(2);
    lmb_clip *clip = NULL;
    lmb_error error = {0};
    assert_int_equal(lmb_retarget(small, c, 0, &(lmb_retarget_opts){.method = LMB_RETARGET_CHAINS},
                                  NULL, &clip, NULL, &error),
                     LMB_ERROR_UNSUPPORTED);
    assert_null(clip);
    lmb_character_destroy(small);
    lmb_character_destroy(c);
}

static void running_out_of_memory_leaves_nothing(void **state)
{
    (void)state;
    lmb_character *walk = walking(LMB_MADE_QUADRUPED, 2), *to = beast(LMB_MADE_QUADRUPED, 7);
    lmb_clip *brief = NULL;
    assert_int_equal(
        lmb_clip_apply(walk->clips[0],
                       &(lmb_clip_edit){.op = LMB_CLIP_TRIM, .begin_s = 0, .end_s = 0.1}, NULL,
                       &brief, NULL),
        LMB_OK);
    lmb_character *c = rebuilt(walk->skeleton, brief);
    for (failing_run f = {0}; failing_next(&f);) {
        lmb_clip *clip = NULL;
        f.result = lmb_retarget(to, c, 0, &(lmb_retarget_opts){0}, &f.alloc, &clip, NULL, NULL);
        assert_true((clip != NULL) == (f.result == LMB_OK));
        lmb_clip_destroy(clip);
    }
    lmb_character_destroy(to);
    lmb_character_destroy(c);
    lmb_character_destroy(walk);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(made_animals_have_their_chains),
        cmocka_unit_test(a_body_without_limbs_is_one_chain_however_it_lies),
        cmocka_unit_test(spiders_and_insects_have_all_their_legs),
        cmocka_unit_test(a_tail_above_the_back_leaves_four_legs),
        cmocka_unit_test(legs_of_unlike_sides_walk_in_pairs),
        cmocka_unit_test(onto_itself_nothing_changes),
        cmocka_unit_test(live_is_what_retargeting_is),
        cmocka_unit_test(rolled_and_larger_bodies_do_the_same),
        cmocka_unit_test(paws_stand_still_on_other_bodies),
        cmocka_unit_test(worms_of_other_counts_lie_in_the_same_curve),
        cmocka_unit_test(paws_that_slide_are_held),
        cmocka_unit_test(maps_are_written_and_read),
        cmocka_unit_test(nothing_in_common_is_refused),
        cmocka_unit_test(running_out_of_memory_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, forget_bodies);
}
