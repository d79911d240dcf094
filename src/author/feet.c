/// Paths of a clip's feet and hips, and how much standing feet slide.
#include "limber/author.h"

#include "author/author.h"
#include "base/alloc.h"
#include "base/error.h"
#include "limber/anim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// Height over its floor below which a foot may stand; on a body of 1.75 m.
#define LOW_M 0.025f
/// Vertical speed below which a low foot counts as standing.
#define STANDING_RISE_M_S 0.05f
/// Horizontal speed from which a standing foot counts as sliding.
#define SLIDING_M_S 0.025f

static const uint32_t MOST_FRAMES = 10000000;

/// A foot as a point of a joint.
typedef struct foot {
    int32_t joint;
    lmb_vec3 offset; ///< in the joint's frame
    bool is_right;
} foot;

typedef struct body_feet {
    uint32_t count;
    foot feet[LMB_FEET_MOST];
    int32_t hips;
    bool is_human;
} body_feet;

static void find_human_feet(const lmb_joint_map *map, body_feet *out)
{
    for (int k = 0; k < 2; ++k) {
        const int toes = k == 0 ? LMB_HUMAN_LEFT_TOES : LMB_HUMAN_RIGHT_TOES;
        const int32_t joint =
            map->bones[toes].joint >= 0 ? map->bones[toes].joint : map->bones[toes - 1].joint;
        out->feet[k] = (foot){joint, {0, 0, 0}, k == 1};
    }
    out->hips = map->bones[LMB_HUMAN_HIPS].joint;
    out->is_human = true;
    out->count = out->feet[0].joint >= 0 && out->feet[1].joint >= 0 && out->hips >= 0 ? 2 : 0;
}

static void find_chain_feet(const lmb_chain_map *map, const lmb_skeleton *skeleton, body_feet *out)
{
    const lmb_vec3 zero = {0, 0, 0};
    out->count = 0;
    out->is_human = false;
    out->hips = map->count > 0 ? map->root : LMB_NONE;
    for (uint32_t i = 0; i < map->count && out->count < LMB_FEET_MOST; ++i) {
        const lmb_body_chain *chain = &map->chains[i];
        const int32_t last = chain->joints[chain->count - 1];
        if (chain->kind == LMB_CHAIN_LEG) {
            out->feet[out->count++] =
                (foot){last, skeleton->tips != NULL ? skeleton->tips[last] : zero, chain->side < 0};
        }
    }
}

static lmb_result find_feet(const lmb_feet_source *source, const lmb_allocator *alloc,
                            body_feet *out, lmb_error *error)
{
    const lmb_skeleton *skeleton = source->character->skeleton;
    lmb_joint_map map;
    lmb_chain_map chains;
    memset(out, 0, sizeof *out);
    if (source->map != NULL) {
        find_human_feet(source->map, out);
        return LMB_OK;
    }
    if (source->chains != NULL) {
        find_chain_feet(source->chains, skeleton, out);
        return LMB_OK;
    }
    lmb_result result = lmb_joint_map_make(skeleton, alloc, &map, error);
    if (result == LMB_OK) {
        find_human_feet(&map, out);
    }
    if (result == LMB_OK && out->count == 0) {
        result = lmb_chain_map_find(skeleton, alloc, &chains, error);
        if (result == LMB_OK) {
            find_chain_feet(&chains, skeleton, out);
        }
    }
    return result == LMB_ERROR_UNSUPPORTED ? LMB_OK : result;
}

static int compare_floats(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/// The 2nd percentile of a foot's heights: single frames below the floor do not lower it.
static float floor_height(const lmb_vec3 *path, uint32_t count, float *scratch)
{
    for (uint32_t f = 0; f < count; ++f) {
        scratch[f] = path[f].y;
    }
    qsort(scratch, count, sizeof *scratch, compare_floats);
    return scratch[count / 50];
}

/// Metres per unit of a human of 1.75 m, by the height of the joints below the hips' joint and the
/// hips themselves.
static float human_scale(const lmb_skeleton *skeleton, const lmb_mat4 *model, int32_t hips)
{
    float low = INFINITY, high = -INFINITY;
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        int32_t above = (int32_t)j;
        while (above > hips) {
            above = skeleton->parents[above];
        }
        if (above == hips) {
            low = fminf(low, lmb_mat4_translation(model[j]).y);
            high = fmaxf(high, lmb_mat4_translation(model[j]).y);
        }
    }
    return high > low ? 1.75f / (high - low) : 1;
}

/// Metres per unit of another body, with legs of 0.85 m from the hips' child to the foot.
static float creature_scale(const lmb_skeleton *skeleton, const lmb_mat4 *model,
                            const body_feet *feet)
{
    float length = 0;
    for (uint32_t k = 0; k < feet->count; ++k) {
        for (int32_t j = feet->feet[k].joint; j >= 0 && skeleton->parents[j] >= feet->hips;
             j = skeleton->parents[j]) {
            length += lmb_vec3_distance(lmb_mat4_translation(model[j]),
                                        lmb_mat4_translation(model[skeleton->parents[j]]));
        }
    }
    return length > 0 ? 0.85f * (float)feet->count / length : 1;
}

/// Returns metres per unit.
static float sample_paths(const lmb_feet_source *source, const body_feet *feet, lmb_transform *pose,
                          lmb_mat4 *model, lmb_feet_track *out)
{
    const lmb_skeleton *skeleton = source->character->skeleton;
    float scale = 1;
    for (uint32_t f = 0; f < out->frame_count; ++f) {
        lmb_clip_to_model(source->clip, source->character->skeleton, source->begin_s + f / 60.0,
                          pose, model);
        if (f == 0) {
            scale = feet->is_human ? human_scale(skeleton, model, feet->hips)
                                   : creature_scale(skeleton, model, feet);
        }
        out->hips[f] = lmb_vec3_scale(lmb_mat4_translation(model[feet->hips]), scale);
        for (uint32_t k = 0; k < feet->count; ++k) {
            out->paths[k][f] = lmb_vec3_scale(
                lmb_mat4_point(model[feet->feet[k].joint], feet->feet[k].offset), scale);
        }
    }
    return scale;
}

/// From the frame before to this one, along the ground.
static lmb_vec3 step_at(const lmb_vec3 *path, uint32_t frame)
{
    return lmb_vec3_make(path[frame].x - path[frame - 1].x, 0, path[frame].z - path[frame - 1].z);
}

static bool is_low(const lmb_feet_track *t, uint32_t index, uint32_t frame)
{
    return t->paths[index][frame].y - t->floor_m[index] < LOW_M;
}

/// What the ground moves by in a frame: as low feet do in the mean, at the belt's speed in metres a
/// second.
static lmb_vec3 find_belt(const lmb_feet_track *t, float speed)
{
    const lmb_vec3 none = {0, 0, 0};
    lmb_vec3 sum = none;
    for (uint32_t f = 1; f < t->frame_count; ++f) {
        for (uint32_t k = 0; k < t->foot_count; ++k) {
            sum = is_low(t, k, f) ? lmb_vec3_add(sum, step_at(t->paths[k], f)) : sum;
        }
    }
    return lmb_vec3_scale(lmb_vec3_normalize_or(sum, none), speed / 60);
}

static lmb_feet_measure measure_track(const lmb_feet_track *t, float belt_m_s)
{
    lmb_feet_measure m = {.foot_count = t->foot_count};
    const lmb_vec3 belt = find_belt(t, belt_m_s);
    float low = 0, standing = 0, sliding = 0, all = 0;
    for (uint32_t f = 1; f < t->frame_count; ++f) {
        m.hips_path_m += lmb_vec3_length(step_at(t->hips, f));
        for (uint32_t k = 0; k < t->foot_count; ++k) {
            const float over = t->paths[k][f].y - t->floor_m[k],
                        speed = 60 * lmb_vec3_distance(step_at(t->paths[k], f), belt),
                        rise = 60 * fabsf(t->paths[k][f].y - t->paths[k][f - 1].y);
            const bool stands = is_low(t, k, f) && rise < STANDING_RISE_M_S;
            all += 1;
            m.dip_m = -over > m.dip_m ? -over : m.dip_m; // fmaxf(0, -0) may be either
            m.slide_m_s += is_low(t, k, f) ? speed : 0;
            low += is_low(t, k, f) ? 1 : 0;
            standing += stands ? 1 : 0;
            sliding += stands && speed > SLIDING_M_S ? 1 : 0;
        }
    }
    m.slide_m_s = low > 0 ? m.slide_m_s / low : 0;
    m.planted_fraction = all > 0 ? standing / all : 0;
    m.sliding_fraction = standing > 0 ? sliding / standing : 0;
    return m;
}

lmb_result lmb_feet_track_make(const lmb_feet_source *source, const lmb_allocator *alloc,
                               lmb_feet_track *out, lmb_error *error)
{
    body_feet feet;
    *out = (lmb_feet_track){.allocator = alloc ? *alloc : (lmb_allocator){0}};
    const lmb_result result = find_feet(source, alloc, &feet, error);
    if (result != LMB_OK || feet.count == 0) {
        return result;
    }
    const double frames = ((double)lmb_clip_duration_s(source->clip) - source->begin_s) * 60 + 1;
    const uint32_t joint_count = source->character->skeleton->joint_count;
    out->foot_count = feet.count;
    out->frame_count = !(frames < MOST_FRAMES) ? MOST_FRAMES : frames > 1 ? (uint32_t)frames : 1;
    lmb_transform *pose = lmbi_alloc_array(alloc, joint_count, sizeof *pose);
    lmb_mat4 *model = lmbi_alloc_array(alloc, joint_count, sizeof *model);
    float *scratch = lmbi_alloc_array(alloc, out->frame_count, sizeof *scratch);
    out->hips = lmbi_alloc_array(alloc, out->frame_count, sizeof *out->hips);
    bool has_memory = pose && model && scratch && out->hips;
    for (uint32_t k = 0; k < feet.count; ++k) {
        out->paths[k] = lmbi_alloc_array(alloc, out->frame_count, sizeof *out->hips);
        out->is_right[k] = feet.feet[k].is_right;
        has_memory = has_memory && out->paths[k];
    }
    if (has_memory) {
        const float scale = sample_paths(source, &feet, pose, model, out);
        for (uint32_t k = 0; k < feet.count; ++k) {
            out->floor_m[k] = floor_height(out->paths[k], out->frame_count, scratch);
        }
        out->measure = measure_track(out, scale * source->belt_speed);
    } else {
        lmb_feet_track_free(out);
    }
    lmbi_free(alloc, pose);
    lmbi_free(alloc, model);
    lmbi_free(alloc, scratch);
    return has_memory ? LMB_OK : lmbi_fail_memory(error);
}

void lmb_feet_track_free(lmb_feet_track *track)
{
    lmbi_free(&track->allocator, track->hips);
    for (int k = 0; k < LMB_FEET_MOST; ++k) {
        lmbi_free(&track->allocator, track->paths[k]);
    }
    *track = (lmb_feet_track){0};
}
