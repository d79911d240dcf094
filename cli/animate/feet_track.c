/// Where a clip puts the feet and the hips, moment by moment, and how still they stand.
#include "cli/animate/feet_compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LOW_M 0.025f ///< on a body of 1.75 m

/// A foot as a point of a joint.
typedef struct foot {
    int32_t joint;
    lmb_vec3 at; ///< in the joint's frame
    bool right;
} foot;

typedef struct stance {
    int count;
    foot feet[CLI_FEET];
    int32_t hips;
    bool human;
} stance;

static void human_feet(const lmb_joint_map *map, stance *out)
{
    for (int k = 0; k < 2; ++k) {
        const int toes = k == 0 ? LMB_SLOT_LEFT_TOES : LMB_SLOT_RIGHT_TOES;
        const int32_t joint =
            map->slots[toes].joint >= 0 ? map->slots[toes].joint : map->slots[toes - 1].joint;
        out->feet[k] = (foot){joint, {0, 0, 0}, k == 1};
    }
    out->hips = map->slots[LMB_SLOT_HIPS].joint;
    out->human = true;
    out->count = out->feet[0].joint >= 0 && out->feet[1].joint >= 0 && out->hips >= 0 ? 2 : 0;
}

static void chain_feet(const lmb_chain_map *map, const lmb_skeleton *skeleton, stance *out)
{
    const lmb_vec3 zero = {0, 0, 0};
    out->count = 0;
    out->human = false;
    out->hips = map->count > 0 ? map->root : LMB_NONE;
    for (uint32_t i = 0; i < map->count && out->count < CLI_FEET; ++i) {
        const lmb_chain *chain = &map->chains[i];
        const int32_t last = chain->joints[chain->count - 1];
        if (chain->kind == LMB_CHAIN_LEG) {
            out->feet[out->count++] =
                (foot){last, skeleton->tips != NULL ? skeleton->tips[last] : zero, chain->side < 0};
        }
    }
}

static cli_exit find_feet(const cli_run *cli, const cli_feet_side *side, stance *out)
{
    const lmb_skeleton *skeleton = side->character->skeleton;
    lmb_error error = {0};
    lmb_joint_map map;
    lmb_chain_map chains;
    memset(out, 0, sizeof *out);
    if (side->map != NULL || side->chains != NULL) {
        if (side->map != NULL) {
            human_feet(side->map, out);
        } else {
            chain_feet(side->chains, skeleton, out);
        }
        return CLI_DONE;
    }
    lmb_result result = lmb_joint_map_make(skeleton, NULL, &map, &error);
    if (result == LMB_OK) {
        human_feet(&map, out);
    }
    if (result == LMB_OK && out->count == 0) {
        result = lmb_chain_map_find(skeleton, NULL, &chains, &error);
        if (result == LMB_OK) {
            chain_feet(&chains, skeleton, out);
        }
    }
    return result == LMB_OK || result == LMB_ERROR_UNSUPPORTED
               ? CLI_DONE
               : cli_fail_call(cli, cli->inputs[0], result, &error);
}

static int by_size(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/// The height that a foot is hardly ever under: of 50 frames one.
static float floor_of(const lmb_vec3 *path, uint32_t count)
{
    float *heights = cli_resize(NULL, count, sizeof *heights);
    for (uint32_t f = 0; f < count; ++f) {
        heights[f] = path[f].y;
    }
    qsort(heights, count, sizeof *heights, by_size);
    const float low = heights[count / 50];
    free(heights);
    return low;
}

/// How many metres of a body of 1.75 m a unit is: by the heights of what hangs from the hips.
static float size_of_human(const lmb_skeleton *skeleton, const lmb_mat4 *model, int32_t hips)
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

/// By the length of the legs: from the joint that the hips carry to the foot.
static float size_of_beast(const lmb_skeleton *skeleton, const lmb_mat4 *model, const stance *s)
{
    float length = 0;
    for (int k = 0; k < s->count; ++k) {
        for (int32_t j = s->feet[k].joint; j >= 0 && skeleton->parents[j] >= s->hips;
             j = skeleton->parents[j]) {
            length += lmb_vec3_distance(lmb_mat4_translation(model[j]),
                                        lmb_mat4_translation(model[skeleton->parents[j]]));
        }
    }
    return length > 0 ? 0.85f * (float)s->count / length : 1;
}

static void take_frame(const cli_feet_side *side, double time_s, lmb_transform *pose,
                       lmb_mat4 *model)
{
    const lmb_skeleton *skeleton = side->character->skeleton;
    lmb_sample(&(lmb_sample_job){.clip = side->clip,
                                 .time_s = time_s,
                                 .joint_count = skeleton->joint_count,
                                 .rest = skeleton->rest,
                                 .pose = pose});
    lmb_pose_to_model(
        &(lmb_pose_to_model_job){.skeleton = skeleton, .local = pose, .model_from_joint = model});
}

cli_exit cli_feet_track_make(const cli_run *cli, const cli_feet_side *side, cli_feet_track *out)
{
    stance s;
    const cli_exit code = find_feet(cli, side, &s);
    memset(out, 0, sizeof *out);
    if (code != CLI_DONE || s.count == 0) {
        return code;
    }
    const lmb_skeleton *skeleton = side->character->skeleton;
    lmb_transform *pose = cli_resize(NULL, skeleton->joint_count, sizeof *pose);
    lmb_mat4 *model = cli_resize(NULL, skeleton->joint_count, sizeof *model);
    const double frames = ((double)lmb_clip_duration_s(side->clip) - side->begin_s) * 60 + 1;
    float size = 1;
    out->feet = s.count;
    out->count = frames < 1e7 ? (frames > 1 ? (uint32_t)frames : 1) : 10000000;
    out->hips = cli_resize(NULL, out->count, sizeof *out->hips);
    for (int k = 0; k < s.count; ++k) {
        out->paths[k] = cli_resize(NULL, out->count, sizeof *out->hips);
        out->right[k] = s.feet[k].right;
    }
    for (uint32_t f = 0; f < out->count; ++f) {
        take_frame(side, side->begin_s + f / 60.0, pose, model);
        if (f == 0) {
            size = s.human ? size_of_human(skeleton, model, s.hips)
                           : size_of_beast(skeleton, model, &s);
        }
        out->hips[f] = lmb_vec3_scale(lmb_mat4_translation(model[s.hips]), size);
        for (int k = 0; k < s.count; ++k) {
            out->paths[k][f] =
                lmb_vec3_scale(lmb_mat4_point(model[s.feet[k].joint], s.feet[k].at), size);
        }
    }
    for (int k = 0; k < s.count; ++k) {
        out->floor[k] = floor_of(out->paths[k], out->count);
    }
    free(pose);
    free(model);
    return CLI_DONE;
}

void cli_feet_track_free(cli_feet_track *track)
{
    free(track->hips);
    for (int k = 0; k < CLI_FEET; ++k) {
        free(track->paths[k]);
    }
}

float cli_feet_speed(const lmb_vec3 *path, uint32_t f)
{
    const float x = path[f].x - path[f - 1].x, z = path[f].z - path[f - 1].z;
    return 60 * sqrtf(x * x + z * z);
}

cli_feet_measure cli_feet_measure_of(const cli_feet_track *t)
{
    cli_feet_measure m = {.feet = t->feet};
    float low = 0, planted = 0, sliding = 0, all = 0;
    for (uint32_t f = 1; f < t->count; ++f) {
        m.hips_path_m += cli_feet_speed(t->hips, f) / 60;
        for (int k = 0; k < t->feet; ++k) {
            const float over = t->paths[k][f].y - t->floor[k],
                        speed = cli_feet_speed(t->paths[k], f),
                        rise = 60 * fabsf(t->paths[k][f].y - t->paths[k][f - 1].y);
            all += 1;
            m.dip_m = fmaxf(m.dip_m, -over);
            m.slide_m_s += over < LOW_M ? speed : 0;
            low += over < LOW_M ? 1 : 0;
            planted += over < LOW_M && rise < 0.05f ? 1 : 0;
            sliding += over < LOW_M && rise < 0.05f && speed > 0.025f ? 1 : 0;
        }
    }
    m.slide_m_s = low > 0 ? m.slide_m_s / low : 0;
    m.planted_share = all > 0 ? planted / all : 0;
    m.planted_slide = planted > 0 ? sliding / planted : 0;
    return m;
}
