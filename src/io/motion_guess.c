#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "io/body_names.h"
#include "io/clip_pose.h"
#include "io/common.h"

#define SAMPLES 32
/// Height of the hip joint over the ankle as a fraction of stature: 0.245 + 0.246 (Drillis and
/// Contini 1966).
#define LEG_FRACTION 0.491f
#define STATURE_M 1.7f

typedef struct guesser {
    const lmb_skeleton *skeleton;
    const lmb_clip *clip;
    lmbi_body_name *names; ///< [joint_count]
    lmb_transform *local;
    lmb_mat4 *model;
    uint32_t *hints;
} guesser;

static lmb_vec3 joint_position(const guesser *g, uint32_t joint)
{
    return lmb_mat4_translation(g->model[joint]);
}

/// Mean position of the joints that are one of two parts, on one side (NONE: any). False when there
/// are none.
static bool mean_position(const guesser *g, lmbi_smpl_part a, lmbi_smpl_part b, lmbi_side side,
                          lmb_vec3 *out)
{
    lmb_vec3 sum = {0, 0, 0};
    uint32_t count = 0;
    for (uint32_t j = 0; j < g->skeleton->joint_count; ++j) {
        const lmbi_body_name n = g->names[j];
        if ((n.part == a || n.part == b) && (side == LMBI_SIDE_NONE || n.side == side)) {
            sum = lmb_vec3_add(sum, joint_position(g, j));
            ++count;
        }
    }
    *out = lmb_vec3_scale(sum, count ? 1.0f / (float)count : 0);
    return count > 0;
}

/// Sum of the unit vectors from feet to hips and from hips to head: the up direction of a standing
/// body, longer the better the two agree.
static lmb_vec3 standing_direction(const guesser *g)
{
    const lmb_vec3 none = {0, 0, 0};
    lmb_vec3 feet, hips, head;
    if (!mean_position(g, LMBI_PART_FOOT, LMBI_PART_TOE, LMBI_SIDE_NONE, &feet)) {
        return none;
    }
    if (!mean_position(g, LMBI_PART_HIPS, LMBI_PART_THIGH, LMBI_SIDE_NONE, &hips)) {
        hips = joint_position(g, 0);
    }
    lmb_vec3 up = lmb_vec3_normalize_or(lmb_vec3_sub(hips, feet), none);
    if (mean_position(g, LMBI_PART_HEAD, LMBI_PART_NECK, LMBI_SIDE_NONE, &head)) {
        up = lmb_vec3_add(up, lmb_vec3_normalize_or(lmb_vec3_sub(head, hips), none));
    }
    return up;
}

static lmb_axis nearest_axis(lmb_vec3 v, float *fraction)
{
    const float x = fabsf(v.x), y = fabsf(v.y), z = fabsf(v.z);
    const float length = lmb_vec3_length(v);
    const float most = x > y ? (x > z ? x : z) : (y > z ? y : z);
    *fraction = length > 0 ? most / length : 0;
    if (y >= x && y >= z) {
        return v.y < 0 ? LMB_AXIS_NEGATIVE_Y : LMB_AXIS_Y;
    }
    if (z >= x) {
        return v.z < 0 ? LMB_AXIS_NEGATIVE_Z : LMB_AXIS_Z;
    }
    return v.x < 0 ? LMB_AXIS_NEGATIVE_X : LMB_AXIS_X;
}

static void pose_rest(guesser *g)
{
    lmb_pose_to_model(
        &(lmb_pose_to_model_job){.skeleton = g->skeleton, .model_from_joint = g->model});
}

static void pose_tick(guesser *g, double tick)
{
    lmbi_clip_pose(g->skeleton, g->clip, tick, g->hints, g->local);
    lmb_pose_to_model(&(lmb_pose_to_model_job){
        .skeleton = g->skeleton, .local = g->local, .model_from_joint = g->model});
}

static float component(lmb_vec3 v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

/// How much the lowest joint moves along an axis over the samples, as a fraction of the joints'
/// extent along it. It is small for the vertical axis, since some joint is always on the ground.
typedef struct floor_stats {
    double sum, sum2, spread;
    int count;
} floor_stats;

static void floor_add(floor_stats *stats, const guesser *g, int axis)
{
    float low = INFINITY, high = -INFINITY;
    for (uint32_t j = 0; j < g->skeleton->joint_count; ++j) {
        const float v = component(joint_position(g, j), axis);
        low = v < low ? v : low;
        high = v > high ? v : high;
    }
    stats->sum += (double)low;
    stats->sum2 += (double)low * (double)low;
    stats->spread += (double)(high - low);
    ++stats->count;
}

static double floor_motion(const floor_stats *stats)
{
    const double mean = stats->sum / stats->count;
    const double variance = stats->sum2 / stats->count - mean * mean;
    return stats->spread > 0 ? sqrt(variance > 0 ? variance : 0) / (stats->spread / stats->count)
                             : 1e9;
}

/// Up axis of the motion: the direction in which the body stands over the whole clip; without feet,
/// Y or Z, whichever has the steadier lowest joint.
static lmb_axis motion_up(guesser *g, lmb_axis rest_up)
{
    lmb_vec3 sum = {0, 0, 0};
    floor_stats floors[2] = {{0}};
    memset(g->hints, 0, g->clip->channel_count * sizeof *g->hints);
    for (int i = 0; i < SAMPLES; ++i) {
        pose_tick(g, (double)g->clip->duration * i / (SAMPLES - 1));
        sum = lmb_vec3_add(sum, standing_direction(g));
        floor_add(&floors[0], g, 1);
        floor_add(&floors[1], g, 2);
    }
    float fraction = 0;
    const lmb_axis up = nearest_axis(sum, &fraction);
    if (lmb_vec3_length(sum) > 0.5f * SAMPLES && fraction > 0.8f) {
        return up;
    }
    if (rest_up != LMB_AXIS_AUTO) {
        return rest_up;
    }
    return floor_motion(&floors[1]) < 0.25 * floor_motion(&floors[0]) ? LMB_AXIS_Z : LMB_AXIS_Y;
}

/// Forward direction, left x up, with left taken from the thighs or else the shoulders. Zero
/// without them.
static lmb_vec3 find_facing(const guesser *g, lmb_axis up)
{
    const lmb_vec3 none = {0, 0, 0}, y = {0, 1, 0};
    lmb_vec3 left, right;
    const bool legs = mean_position(g, LMBI_PART_THIGH, LMBI_PART_THIGH, LMBI_SIDE_LEFT, &left) &&
                      mean_position(g, LMBI_PART_THIGH, LMBI_PART_THIGH, LMBI_SIDE_RIGHT, &right);
    if (!legs &&
        !(mean_position(g, LMBI_PART_SHOULDER, LMBI_PART_SHOULDER, LMBI_SIDE_LEFT, &left) &&
          mean_position(g, LMBI_PART_SHOULDER, LMBI_PART_SHOULDER, LMBI_SIDE_RIGHT, &right))) {
        return none;
    }
    return lmb_vec3_normalize_or(lmb_vec3_cross(lmb_vec3_sub(left, right), lmbi_axis_from_y(up, y)),
                                 none);
}

/// Length of the chain from the nearest thigh above the joint down to it; 0 without a thigh. Joints
/// of zero length in between do not matter.
static float leg_length(const guesser *g, uint32_t foot)
{
    float length = 0;
    for (int32_t j = (int32_t)foot; j >= 0; j = g->skeleton->parents[j]) {
        if (g->names[j].part == LMBI_PART_FOOT && j != (int32_t)foot) {
            return 0; // SMPL names an ankle and a foot: the leg ends at the ankle
        }
        if (g->names[j].part == LMBI_PART_THIGH && length > 0) {
            return length;
        }
        length += lmb_vec3_length(g->skeleton->rest[j].translation);
    }
    return 0;
}

static float rest_extent(const guesser *g)
{
    lmb_box box = lmb_box_empty();
    for (uint32_t j = 0; j < g->skeleton->joint_count; ++j) {
        box = lmb_box_add(box, joint_position(g, j));
        if (g->skeleton->tips) {
            box = lmb_box_add(box, lmb_mat4_point(g->model[j], g->skeleton->tips[j]));
        }
    }
    const lmb_vec3 size = lmb_vec3_sub(box.high, box.low);
    const float most = size.x > size.y ? size.x : size.y;
    return most > size.z ? most : size.z;
}

static void guess_height(const guesser *g, lmb_motion_guess *out)
{
    float sum = 0;
    int count = 0, roots = 0;
    for (uint32_t j = 0; j < g->skeleton->joint_count; ++j) {
        roots += g->skeleton->parents[j] < 0;
        const float length = g->names[j].part == LMBI_PART_FOOT ? leg_length(g, j) : 0;
        sum += length;
        count += length > 0;
    }
    out->humanoid = count >= 1 && count <= 2 * roots; // a file may hold several people
    out->body_height = out->humanoid ? sum / (float)count / LEG_FRACTION : rest_extent(g);
}

/// Chooses the unit that brings the body nearest to a person's stature. Rarer units need a clearer
/// fit.
static void guess_unit(lmb_motion_guess *out)
{
    static const struct {
        float unit_m, rarity;
    } units[] = {{1, 0},       {0.01f, 0},     {0.0254f / 0.45f, 0.1f}, {0.0254f, 0.15f},
                 {0.1f, 0.2f}, {0.001f, 0.1f}, {0.3048f, 0.25f}};
    const float height = out->body_height;
    out->unit_m = 1;
    out->unit_confidence = 0;
    if (!(height > 0) || !isfinite(height)) {
        return;
    }
    if (!out->humanoid) {
        out->unit_m = height <= 10 ? 1 : height <= 1000 ? 0.01f : 0.001f;
        out->unit_confidence = 0.3f;
        return;
    }
    float best = INFINITY;
    for (size_t i = 0; i < sizeof units / sizeof *units; ++i) {
        const float misfit = fabsf(lmb_log(height * units[i].unit_m / STATURE_M));
        if (misfit + units[i].rarity < best) {
            best = misfit + units[i].rarity;
            out->unit_m = units[i].unit_m;
            out->unit_confidence = misfit < 1 ? 1 - misfit : 0;
        }
    }
}

static bool allocate_guesser(guesser *g, lmbi_arena *arena)
{
    const uint32_t count = g->skeleton->joint_count;
    g->names = lmbi_arena_array(arena, count, sizeof *g->names);
    g->local = lmbi_arena_array(arena, count, sizeof *g->local);
    g->model = lmbi_arena_array(arena, count, sizeof *g->model);
    g->hints = lmbi_arena_array(arena, g->clip ? g->clip->channel_count : 0, sizeof *g->hints);
    for (uint32_t j = 0; g->names && j < count; ++j) {
        g->names[j] = lmbi_body_name_of(g->skeleton->names[j]);
    }
    return g->names && g->local && g->model && g->hints;
}

lmb_result lmb_motion_guess_make(const lmb_skeleton *skeleton, const lmb_clip *clip,
                                 const lmb_allocator *alloc, lmb_motion_guess *out,
                                 lmb_error *error)
{
    lmbi_arena arena;
    lmbi_arena_init(&arena, alloc);
    guesser g = {.skeleton = skeleton, .clip = clip && clip->channel_count ? clip : NULL};
    if (!allocate_guesser(&g, &arena)) {
        lmbi_arena_free(&arena);
        return lmbi_fail_memory(error);
    }
    lmb_motion_guess guess = {0};
    float fraction = 0;
    pose_rest(&g);
    const lmb_vec3 up = standing_direction(&g);
    guess.rest_up = nearest_axis(up, &fraction);
    // A rest pose whose legs and trunk point different ways, such as a lying one, has no up axis.
    const bool rest_stands = lmb_vec3_length(up) > 1 && fraction > 0.8f;
    guess_height(&g, &guess);
    guess.rest_up = rest_stands ? guess.rest_up : LMB_AXIS_AUTO;
    guess.up = guess.rest_up;
    if (g.clip) {
        guess.up = motion_up(&g, guess.rest_up);
        memset(g.hints, 0, g.clip->channel_count * sizeof *g.hints);
        pose_tick(&g, 0);
    }
    guess.up = guess.up == LMB_AXIS_AUTO ? LMB_AXIS_Y : guess.up;
    guess.rest_up = guess.rest_up == LMB_AXIS_AUTO ? guess.up : guess.rest_up;
    guess.facing = find_facing(&g, guess.up);
    guess_unit(&guess);
    *out = guess;
    lmbi_arena_free(&arena);
    return LMB_OK;
}
