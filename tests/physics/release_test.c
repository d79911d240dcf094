// Ragdolls let go at any moment of a clip: joints that are past a limit then, and bodies that are in
// each other or in the ground, come out without speed. What energy they have beyond that of the
// release is height that they were lifted by as they were put right, and work of motors; nothing
// flies higher than its own speed and that carry it, and a joint that is put right swings it; half a
// second later nothing is in anything.
//
// The clips are those of ../shared/data where it is there, else made ones. LIMBER_LONG=1 runs all
// releases and prints how they are distributed.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "asset/asset.h"
#include "bodies/bodies.h"
#include "math/math.h"
#include "rotated.h"

enum { RELEASES = 208, SHORT_RELEASES = 13 };
static const float frame_s = 1.0f / 60;
static const float fall_s = 2.5f;
static const float gravity = 9.81f;

// ------------------------------------------------------------------------------------- characters

static const char *const files[] = {
    "characters/g_boxman.glb",
    "characters/kk_Mage.glb",
    "rigged/gltf/robot_quaternius.glb",
    "rigged/gltf/CesiumMan.glb",
    "rigged/mesh2motion/human-skeleton.glb",
    "characters/q_Leela.glb",
    "rigged/gltf/kaykit_Knight.glb",
    "characters/q_Horse.glb",
    "rigged/gltf/Fox.glb",
    "characters/q_Velociraptor.glb",
    "characters/q_Triceratops.glb",
    "rigged/gltf/godot_enemy.glb",
    "rigged/mesh2motion/quad-creature-animations.glb",
};
enum { FILE_COUNT = sizeof files / sizeof *files };

static lmb_character *read_file(const char *name)
{
    char path[256];
    const char *source = getenv("LIMBER_SOURCE");
    snprintf(path, sizeof path, "%s/../shared/data/%s", source != NULL ? source : ".", name);
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return NULL;
    }
    lmb_character *character = NULL;
    fseek(file, 0, SEEK_END);
    const long size = ftell(file);
    rewind(file);
    void *bytes = malloc((size_t)size + 1);
    if (bytes != NULL && fread(bytes, 1, (size_t)size, file) == (size_t)size) {
        lmb_gltf_read(bytes, (size_t)size, NULL, NULL, &character, NULL);
    }
    free(bytes);
    fclose(file);
    return character;
}

/// A made body with a clip of its own: people run, others walk or do what their joints allow.
static lmb_character *make_one(int index)
{
    static const lmb_made_body_kind kinds[] = {LMB_MADE_HUMANOID, LMB_MADE_QUADRUPED,
                                               LMB_MADE_SPIDER};
    lmb_made_body *body = NULL;
    const lmb_made_body_kind kind = kinds[index % 3];
    const lmb_made_body_opts opts = {.kind = kind,
                                     .seed = (uint64_t)index,
                                     .whole = true,
                                     .rigged = true,
                                     .triangle_count = 2500,
                                     // Of a metre or more, as what is measured is in metres.
                                     .scale = kind == LMB_MADE_SPIDER ? 40.0f : 1.0f,
                                     .pose = LMB_MADE_POSE_T};
    assert_int_equal(lmb_made_body_create(&opts, NULL, &body, NULL), LMB_OK);
    lmb_character *character = body->character;
    body->character = NULL;
    lmb_made_body_destroy(body);
    lmb_gait_body legs;
    lmb_gait *gait = NULL;
    const lmb_gait_opts how = {.kind = kind == LMB_MADE_SPIDER ? LMB_GAIT_WALK : LMB_GAIT_RUN};
    assert_int_equal(lmb_gait_body_find(character, NULL, &legs, NULL), LMB_OK);
    assert_int_equal(lmb_gait_create(character->skeleton, &legs, &how, NULL, &gait, NULL), LMB_OK);
    const uint32_t n = character->skeleton->joint_count;
    enum { FRAMES = 60 };
    lmb_transform *poses = calloc((size_t)n * FRAMES, sizeof *poses);
    for (uint32_t f = 0; f < FRAMES; ++f) {
        lmb_gait_pose(gait, (double)f / 30, poses + (size_t)f * n);
    }
    lmb_clip *clip = NULL;
    assert_int_equal(
        lmb_clip_from_poses(character->skeleton, poses, FRAMES, 30, "gait", NULL, &clip, NULL),
        LMB_OK);
    lmb_character def = *character, *out = NULL;
    def.clip_count = 1;
    def.clips = &clip;
    assert_int_equal(lmb_character_create(&def, NULL, &out, NULL), LMB_OK);
    lmb_character_release(character);
    lmb_gait_destroy(gait);
    free(poses);
    return out;
}

// ----------------------------------------------------------------------------------------- bodies

/// A character with its bodies in a world.
typedef struct doll {
    lmb_character *character;
    const lmb_skeleton *skeleton;
    lmb_ragdoll_set *set;
    lmb_ground *stairs;
    lmb_ragdoll *ragdoll;
    lmb_transform *pose, *before;
    lmb_mat4 *model;
} doll;

/// As the command does it, all of the same mass: people by their joint map, others by their skin.
static bool make_set(doll *d)
{
    lmb_ragdoll_plan plan;
    const lmb_result result = lmb_ragdoll_plan_make(d->character, 70, NULL, &plan, NULL);
    d->set = plan.set;
    return result == LMB_OK;
}

static float height_of(const doll *d)
{
    return d->set->box.high.y - d->set->box.low.y;
}

/// Steps that go up along z, a tenth of the height each.
typedef struct steps {
    lmb_vec3 origin; ///< the near edge of step 0
    float rise, run, half;
} steps;
enum { STEPS = 40 };

/// Under the middle of a body.
static steps steps_under(lmb_vec3 middle, float low, float size)
{
    steps s = {.rise = 0.1f * size, .run = 0.17f * size, .half = 20 * size};
    s.origin =
        lmb_vec3_make(middle.x, low - 0.5f * STEPS * s.rise, middle.z - 0.5f * STEPS * s.run);
    return s;
}

static float tread_at(const steps *s, float z)
{
    const float k = floorf((z - s->origin.z) / s->run);
    return s->origin.y + fmaxf(0, fminf(k, STEPS - 1)) * s->rise;
}

/// A sheet: treads and risers, open below.
static lmb_ground *sheet_of(const steps *s)
{
    lmb_vec3 p[4 * STEPS];
    uint32_t indices[12 * STEPS], count = 0;
    for (uint32_t k = 0; k < STEPS; ++k) {
        const float z = s->origin.z + (float)k * s->run, y = s->origin.y + (float)k * s->rise;
        p[4 * k] = lmb_vec3_make(s->origin.x - s->half, y, z);
        p[4 * k + 1] = lmb_vec3_make(s->origin.x + s->half, y, z);
        p[4 * k + 2] = lmb_vec3_make(s->origin.x - s->half, y, z + s->run);
        p[4 * k + 3] = lmb_vec3_make(s->origin.x + s->half, y, z + s->run);
        const uint32_t tread[6] = {4 * k, 4 * k + 2, 4 * k + 1, 4 * k + 1, 4 * k + 2, 4 * k + 3};
        memcpy(indices + count, tread, sizeof tread);
        count += 6;
        if (k > 0) {
            const uint32_t b = 4 * (k - 1) + 2;
            const uint32_t riser[6] = {b, 4 * k, b + 1, b + 1, 4 * k, 4 * k + 1};
            memcpy(indices + count, riser, sizeof riser);
            count += 6;
        }
    }
    lmb_ground *ground = NULL;
    const lmb_ground_mesh mesh = {p, 4 * STEPS, indices, count};
    assert_int_equal(lmb_ground_create(&mesh, NULL, NULL, &ground, NULL), LMB_OK);
    return ground;
}

/// The same as a field of heights, below which all is solid; a riser is a steep slope as long as a
/// tenth of the tread. Its corner is at x - half, z.
static lmb_ground *solid_of(const steps *s)
{
    enum { CELLS = 10, ROWS = STEPS * CELLS + 1 };
    static float heights[2 * ROWS];
    for (uint32_t k = 0; k < ROWS; ++k) {
        heights[2 * k] = heights[2 * k + 1] =
            s->origin.y + (float)(k / CELLS < STEPS ? k / CELLS : STEPS - 1) * s->rise;
    }
    const lmb_height_field field = {
        .columns = 2, .rows = ROWS, .spacing = {2 * s->half, s->run / CELLS}, .heights = heights};
    lmb_ground *ground = NULL;
    assert_int_equal(lmb_ground_create(NULL, &field, NULL, &ground, NULL), LMB_OK);
    return ground;
}

static bool doll_start(doll *d, lmb_character *character)
{
    memset(d, 0, sizeof *d);
    d->character = character;
    d->skeleton = character->skeleton;
    const uint32_t n = d->skeleton->joint_count;
    d->pose = calloc(n, sizeof *d->pose);
    d->before = calloc(n, sizeof *d->before);
    d->model = calloc(n, sizeof *d->model);
    return make_set(d);
}

static void doll_drop(doll *d)
{
    lmb_ragdoll_destroy(d->ragdoll);
    lmb_ground_destroy(d->stairs);
    d->ragdoll = NULL;
    d->stairs = NULL;
}

static void doll_end(doll *d)
{
    doll_drop(d);
    lmb_ragdoll_set_destroy(d->set);
    free(d->pose);
    free(d->before);
    free(d->model);
}

// --------------------------------------------------------------------------------------- releases

typedef enum ground_kind {
    FLOOR,
    SHEET,  ///< stairs as a mesh, so low that no axis of a capsule is behind it by its radius
    BEHIND, ///< the same where they are: what is behind by more than its radius is on the other side
    SOLID,  ///< solid stairs, as deep in them as the pose is
} ground_kind;
static const char *const ground_names[] = {"", ", stairs", ", behind stairs", ", solid stairs"};

typedef struct release {
    uint32_t clip;
    double time_s;
    ground_kind ground;
    bool driven;
    test_yaw yaw;
} release;

typedef struct outcome {
    float kinetic; ///< at the release, joules
    float lift;    ///< the most that energy less work was above that at the release, joules
    float jump;    ///< the most that it grew by in a frame which left speed, joules
    float over;    ///< the highest that a body came above where the speeds carry it, metres
    float in;      ///< the deepest contact from half a second on, metres
    float deep;    ///< at the release, how far what was in the ground had to rise, metres
    float start_in, excess_rad; ///< the deepest contact and the farthest past a limit then
    float swing; ///< the farthest that a joint which is put right swings what hangs from it, metres
    float mass;
    float height; ///< of the character
} outcome;

static void sample(const doll *d, const release *r, double time_s, lmb_transform *pose)
{
    lmb_sample(&(lmb_sample_job){.clip = d->character->clips[r->clip],
                                 .time_s = time_s,
                                 .joint_count = d->skeleton->joint_count,
                                 .rest = d->skeleton->rest,
                                 .pose = pose});
    test_rotated_pose(r->yaw, d->skeleton, pose, pose);
}

/// The bodies in their world.
static void make_world(doll *d, const release *r, const steps *stairs)
{
    lmb_rigid_shape floor = {.kind = LMB_RIGID_PLANE,
                             .body = LMB_NONE,
                             .offset = {0, d->set->box.low.y, 0},
                             .static_friction = 0.8f,
                             .dynamic_friction = 0.65f};
    if (r->ground != FLOOR) {
        const bool is_solid = r->ground == SOLID;
        d->stairs = is_solid ? solid_of(stairs) : sheet_of(stairs);
        floor.kind = LMB_RIGID_GROUND;
        floor.offset = is_solid
                           ? lmb_vec3_make(stairs->origin.x - stairs->half, 0, stairs->origin.z)
                           : lmb_vec3_make(0, 0, 0);
        floor.ground = d->stairs;
    }
    const lmb_ragdoll_scene scene = {.gravity = {0, -gravity, 0},
                                     .shapes = &floor,
                                     .shape_count = 1,
                                     .friction = 0.8f,
                                     .joint_friction = 0.15f};
    assert_int_equal(lmb_ragdoll_create(d->set, d->skeleton, &scene, NULL, &d->ragdoll, NULL),
                     LMB_OK);
    lmb_ragdoll_set_pose(&(lmb_ragdoll_set_pose_job){
        .ragdoll = d->ragdoll, .local = d->pose, .before = d->before, .dt_s = frame_s});
    const lmb_ragdoll_drive drive = {.hz = 3};
    for (uint32_t i = 0; i < d->set->bone_count && r->driven; ++i) {
        lmb_ragdoll_set_drive(d->ragdoll, i, &drive);
    }
}

/// How far bodies must rise to be out of the ground; `over_radius`: the most of it in radii of a
/// capsule, as its axis is below.
static float depth_in_ground(const doll *d, const release *r, const steps *stairs,
                             float *over_radius)
{
    float deep = 0;
    *over_radius = -1;
    for (uint32_t i = 0; i < d->set->bone_count; ++i) {
        const lmb_ragdoll_bone *b = &d->set->bones[i];
        const lmb_rigid_state s = lmb_world_state(lmb_ragdoll_world(d->ragdoll), i);
        for (int k = -1; k <= 1; k += 2) {
            const lmb_vec3 along =
                lmb_quat_rotate(s.rotation, lmb_vec3_make(0, (float)k * b->half, 0));
            const lmb_vec3 end = lmb_vec3_add(s.position, along);
            const float under = r->ground != FLOOR ? tread_at(stairs, end.z) : d->set->box.low.y,
                        beside = r->ground != FLOOR ? tread_at(stairs, end.z + b->radius) : under;
            deep = fmaxf(deep, beside - end.y + b->radius);
            *over_radius = fmaxf(*over_radius, (under - end.y) / b->radius);
        }
    }
    return deep;
}

/// A clip made for a floor stands in stairs up to the hips. A mesh is a sheet: what lies behind it by
/// more than its radius is on the other side, and not in it. Stairs lie as high as leaves no axis
/// of a capsule so far behind.
static float let_go(doll *d, const release *r)
{
    sample(d, r, r->time_s, d->pose);
    sample(d, r, fmax(0, r->time_s - (double)frame_s), d->before);
    lmb_pose_to_model(&(lmb_pose_to_model_job){
        .skeleton = d->skeleton, .local = d->pose, .model_from_joint = d->model});
    const lmb_vec3 middle = lmb_mat4_translation(d->model[d->set->bones[0].joint]);
    steps stairs = steps_under(middle, d->set->box.low.y, height_of(d));
    make_world(d, r, &stairs);
    float behind, deep = depth_in_ground(d, r, &stairs, &behind);
    while (r->ground == SHEET && behind > 1) {
        stairs.origin.y -= 0.02f * height_of(d);
        deep = depth_in_ground(d, r, &stairs, &behind);
    }
    doll_drop(d);
    make_world(d, r, &stairs);
    return deep;
}

/// How deep bodies are in each other and the ground. (The world has then moved.)
static float depth_of(const doll *d)
{
    lmb_world_report now;
    lmb_world *world = lmb_ragdoll_world(d->ragdoll);
    lmb_world_step(world, 1e-5f); // finds what meets
    lmb_world_measure(world, &now);
    return now.penetration;
}

/// The highest of the bodies, with `speeds` as high as its speed carries it.
static float top_of(const doll *d, bool speeds)
{
    float top = -INFINITY;
    for (uint32_t i = 0; i < d->set->bone_count; ++i) {
        const lmb_rigid_state s = lmb_world_state(lmb_ragdoll_world(d->ragdoll), i);
        const float v2 = speeds ? lmb_vec3_dot(s.velocity, s.velocity) : 0;
        top = fmaxf(top, s.position.y + v2 / (2 * gravity));
    }
    return top;
}

static lmb_quat rotation_in(const lmb_skeleton *skeleton, const lmb_transform *pose, int32_t joint)
{
    lmb_quat q = lmb_quat_identity();
    for (; joint != LMB_NONE; joint = skeleton->parents[joint]) {
        q = lmb_quat_mul(pose[joint].rotation, q);
    }
    return q;
}

/// How far the pose has a bone past its limit, in radians.
static float excess_of(const doll *d, const lmb_ragdoll_bone *b)
{
    const uint32_t above = d->set->bones[b->parent].joint;
    const lmb_transform *rest = d->skeleton->rest;
    const lmb_quat moved =
        lmb_quat_mul(rotation_in(d->skeleton, d->pose, (int32_t)above),
                     lmb_quat_conjugate(rotation_in(d->skeleton, rest, (int32_t)above)));
    const lmb_quat base = lmb_quat_mul(moved, rotation_in(d->skeleton, rest, (int32_t)b->joint));
    lmb_transform local = rest[b->joint];
    local.rotation = lmb_quat_mul(
        local.rotation, lmb_quat_mul(lmb_quat_conjugate(base),
                                     rotation_in(d->skeleton, d->pose, (int32_t)b->joint)));
    return lmbi_joint_limit_excess(&b->limit, rest[b->joint], local, NULL);
}

/// How far what hangs from a bone reaches from its joint.
static float reach_of(const doll *d, uint32_t bone)
{
    lmb_mat4 *rest = calloc(d->skeleton->joint_count, sizeof *rest);
    lmb_pose_to_model(&(lmb_pose_to_model_job){.skeleton = d->skeleton, .model_from_joint = rest});
    const lmb_vec3 at = lmb_mat4_translation(rest[d->set->bones[bone].joint]);
    float most = 0;
    for (uint32_t k = bone; k < d->set->bone_count; ++k) {
        int32_t up = (int32_t)k;
        while (up > (int32_t)bone) {
            up = d->set->bones[up].parent;
        }
        const lmb_ragdoll_bone *b = &d->set->bones[k];
        most = up == (int32_t)bone
                   ? fmaxf(most, lmb_vec3_distance(at, b->model_from_body.translation) + b->half)
                   : most;
    }
    free(rest);
    return most;
}

static float swing_of(const doll *d)
{
    float most = 0;
    for (uint32_t i = 1; i < d->set->bone_count; ++i) {
        const float by = excess_of(d, &d->set->bones[i]);
        most = fmaxf(most, 2 * sinf(0.5f * fminf(by, LMB_PI)) * reach_of(d, i));
    }
    return most;
}

static outcome at_release(doll *d, const release *r)
{
    lmb_world_report now;
    outcome out = {.height = height_of(d)};
    let_go(d, r);
    out.start_in = depth_of(d);
    doll_drop(d);
    out.deep = let_go(d, r);
    out.swing = swing_of(d);
    lmb_world_measure(lmb_ragdoll_world(d->ragdoll), &now);
    out.kinetic = (float)now.kinetic;
    out.excess_rad = now.excess_rad;
    for (uint32_t i = 0; i < d->set->bone_count; ++i) {
        out.mass += d->set->bones[i].mass;
    }
    return out;
}

static void step(doll *d, const release *r, double time_s)
{
    if (!r->driven) {
        lmb_world_step(lmb_ragdoll_world(d->ragdoll), frame_s);
        return;
    }
    sample(d, r, time_s, d->pose); // after its end a clip stands

    lmb_ragdoll_step(&(lmb_ragdoll_step_job){.ragdoll = d->ragdoll,
                                             .local = d->pose,
                                             .model_from_joint = d->model,
                                             .dt_s = frame_s,
                                             .weight = 1});
}

static outcome fall(doll *d, const release *r)
{
    outcome out = at_release(d, r);
    lmb_world *world = lmb_ragdoll_world(d->ragdoll);
    lmb_world_report now;
    lmb_world_measure(world, &now);
    const double start = now.kinetic + now.potential;
    const float top = top_of(d, true);
    double before = start;
    for (int f = 1; f <= (int)(fall_s / frame_s); ++f) {
        step(d, r, r->time_s + f * (double)frame_s);
        lmb_world_measure(world, &now);
        assert_true(now.finite);
        const double energy = now.kinetic + now.potential - now.work,
                     rest = now.potential - now.work;
        out.lift = fmaxf(out.lift, (float)(energy - start));
        out.jump = fmaxf(out.jump, (float)(energy - fmax(before, rest)));
        out.over = fmaxf(out.over, top_of(d, false) - top);
        assert_true(now.separation < 3e-3f * out.height);
        out.in = f > 30 ? fmaxf(out.in, now.penetration) : out.in;
        before = energy;
    }
    doll_drop(d);
    return out;
}

static release draw(const doll *d, lmb_random *random, int index, bool driven)
{
    release r = {.driven = driven,
                 .clip = (uint32_t)(lmb_random_unit(random) * (float)d->character->clip_count),
                 .ground = index % 3 == 2 ? SHEET : FLOOR};
    r.clip = r.clip < d->character->clip_count ? r.clip : d->character->clip_count - 1;
    const float length = lmb_clip_duration_s(d->character->clips[r.clip]);
    r.time_s = (double)(length * lmb_random_unit(random));
    r.yaw = (test_yaw){TEST_YAW_NODE,
                       lmb_quat_axis_angle(lmb_vec3_make(0, 1, 0), index % 2 == 0 ? 0 : LMB_PI)};
    return r;
}

// ------------------------------------------------------------------------------------------ checks

static int by_size(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

typedef struct spread {
    float values[2 * RELEASES];
    int count;
} spread;

static void note(spread *s, float value)
{
    assert_true(s->count < 2 * RELEASES);
    s->values[s->count++] = value;
}

static void print_spread(const char *what, spread *s)
{
    qsort(s->values, (size_t)s->count, sizeof *s->values, by_size);
    print_message("%-36s median %-8.3g 90%% %-8.3g 98%% %-8.3g most %-8.3g\n", what,
                  (double)s->values[s->count / 2], (double)s->values[s->count * 9 / 10],
                  (double)s->values[s->count * 98 / 100], (double)s->values[s->count - 1]);
}

static bool is_long(void)
{
    const char *text = getenv("LIMBER_LONG");
    return text != NULL && *text != 0 && strcmp(text, "0") != 0;
}

/// Of the whole body, in joules.
static float weight_of(const outcome *o)
{
    return o->mass * gravity * o->height;
}

/// What is put right lifts the whole by no more than it is deep; joints that bend back where feet
/// stand lift the hips by a thousandth.
static float most_rise(const outcome *o)
{
    return fmaxf(fmaxf(o->deep, o->start_in), 0) + (o->excess_rad > 1e-3f ? 1e-3f * o->height : 0);
}

/// What was lifted falls for the rest of its frame.
static float most_jump(const outcome *o)
{
    const float speed = gravity * frame_s;
    return most_rise(o) > 0 ? 0.5f * o->mass * speed * speed : 0;
}

/// Sums of energy are off by rounding. Limbs on both sides of a sheet stay in it. Motors go on giving speed to what is put right, and lift it.
static bool is_sound(const outcome *o, const release *r)
{
    const float rounding = 1e-6f * (o->kinetic + weight_of(o));
    return o->lift <= o->mass * gravity * most_rise(o) + rounding &&
           (r->driven || (o->jump <= most_jump(o) + rounding &&
                          o->over <= most_rise(o) + o->swing + 1e-3f * o->height)) &&
           (r->ground == BEHIND || o->in <= 5e-3f * o->height / 1.75f);
}

static void tell(const char *file, const release *r, const outcome *o)
{
    print_message(
        "%s, clip %u at %.3f s%s%s: %.4g J + %.4g J (%.4g J may be lifted), %.4g J in a frame, "
        "%.3g m over its arc (%.3g m in the ground, %.3g m in all), %.4g m in others\n",
        file, (unsigned)r->clip, r->time_s, ground_names[r->ground], r->driven ? ", driven" : "",
        (double)o->kinetic, (double)o->lift, (double)(o->mass * gravity * most_rise(o)),
        (double)o->jump, (double)o->over, (double)o->deep, (double)o->start_in, (double)o->in);
}

/// `ground`: of all releases; FLOOR: as they are drawn.
static int check_releases(bool driven, ground_kind ground)
{
    static spread lifts, jumps, over, in;
    lifts.count = jumps.count = over.count = in.count = 0;
    const int each = (is_long() && ground == FLOOR ? RELEASES : SHORT_RELEASES) / FILE_COUNT;
    int bad = 0;
    for (int k = 0; k < FILE_COUNT; k += driven && !is_long() ? 3 : 1) {
        lmb_character *character = read_file(files[k]);
        character = character != NULL ? character : make_one(k);
        lmb_random random = lmb_random_seed((uint64_t)k + 1);
        doll d;
        assert_true(doll_start(&d, character));
        for (int i = 0; i < each; ++i) {
            release r = draw(&d, &random, is_long() ? i : k, driven);
            r.ground = ground != FLOOR ? ground : r.ground;
            const outcome o = fall(&d, &r);
            note(&lifts, fmaxf(0, o.lift - o.mass * gravity * most_rise(&o)) / weight_of(&o));
            note(&jumps, o.jump / weight_of(&o));
            note(&over, o.over / o.height);
            note(&in, 1.75e3f * o.in / o.height);
            if (!is_sound(&o, &r)) {
                ++bad;
                tell(files[k], &r, &o);
            }
        }
        doll_end(&d);
        lmb_character_destroy(character);
    }
    if (is_long()) {
        print_spread("energy beyond lift, of the weight", &lifts);
        print_spread("energy in a frame, of the weight", &jumps);
        print_spread("above its arc, of the height", &over);
        print_spread("in others, mm at 1.75 m", &in);
    }
    return bad;
}

static void limp_bodies_come_out_without_speed(void **state)
{
    (void)state;
    assert_int_equal(check_releases(false, FLOOR), 0);
}

static void driven_bodies_come_out_without_speed(void **state)
{
    (void)state;
    assert_int_equal(check_releases(true, FLOOR), 0);
}

static void bodies_come_out_of_solid_stairs_without_speed(void **state)
{
    (void)state;
    assert_int_equal(check_releases(false, SOLID), 0);
}

static void bodies_behind_a_sheet_gain_no_speed(void **state)
{
    (void)state;
    assert_int_equal(check_releases(false, BEHIND), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limp_bodies_come_out_without_speed),
        cmocka_unit_test(driven_bodies_come_out_without_speed),
        cmocka_unit_test(bodies_come_out_of_solid_stairs_without_speed),
        cmocka_unit_test(bodies_behind_a_sheet_gain_no_speed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
