/// Girth of body parts: distance of the skin from a part's axis, binned along the axis and around
/// it. A bin holds the mean over its vertices; empty bins are filled from their neighbours.
#include "retarget/hands_figure.h"

#include <math.h>
#include <string.h>

#define ENDS \
    0.1f ///< vertices farther beyond the line's ends, in its lengths, belong to other parts
#define ENOUGH 24u ///< least vertices for a girth

/// Where the points of a body go.
typedef struct gathering {
    const lmbi_humanoid *body;
    int32_t *owner;  ///< [joint_count] the nearest joint at or above that is a human's, or LMB_NONE
    uint8_t *fleshy; ///< [joint_count] owns skin
    lmb_vec3 *points;
    int32_t *joints;
    uint32_t count;
} gathering;

static bool has_bind(const lmb_character *c, const lmb_instance *instance)
{
    return instance->skin >= 0 && !c->skins[instance->skin]->bind_was_missing;
}

/// False when out of memory.
static bool begin_gathering(gathering *g, lmbi_arena *arena)
{
    const lmb_character *c = g->body->character;
    const uint32_t n = g->body->count;
    size_t most = 0;
    for (uint32_t i = 0; i < c->instance_count; ++i) {
        most += c->meshes[c->instances[i].mesh]->vertex_count;
    }
    g->points = lmbi_arena_array(arena, most, sizeof *g->points);
    g->joints = lmbi_arena_array(arena, most, sizeof *g->joints);
    g->owner = lmbi_arena_array(arena, n, sizeof *g->owner);
    g->fleshy = lmbi_arena_array(arena, n, sizeof *g->fleshy);
    if (g->points == NULL || g->joints == NULL || g->owner == NULL || g->fleshy == NULL) {
        return false;
    }
    for (uint32_t j = 0; j < n; ++j) {
        const int32_t parent = g->body->skeleton->parents[j];
        g->owner[j] = parent >= 0 ? g->owner[parent] : LMB_NONE;
        for (int bone = 0; bone < LMB_HUMAN_BONE_COUNT; ++bone) {
            g->owner[j] = g->body->map.bones[bone].joint == (int32_t)j ? (int32_t)j : g->owner[j];
        }
    }
    return true;
}

static void add_skinned(gathering *g, const lmb_mesh *mesh, const lmb_skin *skin)
{
    const lmb_influences *rows = &mesh->influences;
    for (uint32_t v = 0; v < mesh->vertex_count && rows->first != NULL; ++v) {
        if (rows->first[v + 1] == rows->first[v]) {
            continue;
        }
        const uint32_t k = rows->items[rows->first[v]].joint;
        const uint32_t joint = skin->joints[k];
        const lmb_vec3 in_joint = lmb_mat4_point(skin->joint_from_bind[k], mesh->positions[v]);
        g->joints[g->count] = (int32_t)joint;
        g->points[g->count++] = lmb_transform_point(g->body->reference[joint], in_joint);
        if (g->owner[joint] != LMB_NONE) {
            g->fleshy[g->owner[joint]] = 1;
        }
    }
}

/// A mesh that hangs from a joint is a robot's limb where the limb has no skin, else it is held.
static void add_rigid(gathering *g, const lmb_mesh *mesh, uint32_t joint)
{
    const int32_t owner = g->owner[joint];
    for (uint32_t v = 0; v < mesh->vertex_count && owner != LMB_NONE && !g->fleshy[owner]; ++v) {
        g->joints[g->count] = (int32_t)joint;
        g->points[g->count++] = lmb_transform_point(g->body->reference[joint], mesh->positions[v]);
    }
}

bool lmbi_girth_skin(const lmbi_humanoid *body, lmbi_arena *arena, lmb_vec3 **points,
                     int32_t **joints, uint32_t *count)
{
    const lmb_character *c = body->character;
    gathering g = {.body = body};
    if (!begin_gathering(&g, arena)) {
        return false;
    }
    for (uint32_t i = 0; i < c->instance_count; ++i) {
        if (has_bind(c, &c->instances[i])) {
            add_skinned(&g, c->meshes[c->instances[i].mesh], c->skins[c->instances[i].skin]);
        }
    }
    for (uint32_t i = 0; i < c->instance_count; ++i) {
        if (c->instances[i].skin < 0) {
            add_rigid(&g, c->meshes[c->instances[i].mesh], c->instances[i].joint);
        }
    }
    *points = g.points;
    *joints = g.joints;
    *count = g.count;
    return true;
}

static bool is_on_line(const lmbi_girth_line *line, int32_t joint)
{
    for (uint32_t k = 0; k < line->joint_count; ++k) {
        if (line->joints[k] == joint) {
            return true;
        }
    }
    return false;
}

/// Angle around the line in [0, 1), counted from the front.
static float angle_around(lmb_vec3 axis, lmb_vec3 front, lmb_vec3 aside)
{
    const float angle =
        lmb_atan2(lmb_vec3_dot(aside, lmb_vec3_cross(axis, front)), lmb_vec3_dot(aside, front)) /
        (2.0f * LMB_PI);
    const float positive = angle < 0.0f ? angle + 1.0f : angle;
    return positive < 1.0f ? positive : 0.0f;
}

/// Fills empty bins with the mean of their neighbours, repeatedly.
static void fill_empty_bins(float sum[LMBI_GIRTH_ALONG][LMBI_GIRTH_ROUND],
                            float weight[LMBI_GIRTH_ALONG][LMBI_GIRTH_ROUND], lmbi_girth *out)
{
    for (int i = 0; i < LMBI_GIRTH_ALONG * LMBI_GIRTH_ROUND; ++i) {
        for (int a = 0; a < LMBI_GIRTH_ALONG; ++a) {
            for (int r = 0; r < LMBI_GIRTH_ROUND; ++r) {
                const int before = (r + LMBI_GIRTH_ROUND - 1) % LMBI_GIRTH_ROUND,
                          after = (r + 1) % LMBI_GIRTH_ROUND;
                if (weight[a][r] > 0.0f) {
                    out->radius[a][r] = sum[a][r] / weight[a][r];
                    continue;
                }
                float near_sum =
                          weight[a][before] > 0.0f ? sum[a][before] / weight[a][before] : 0.0f,
                      near_count = weight[a][before] > 0.0f ? 1.0f : 0.0f;
                near_sum += weight[a][after] > 0.0f ? sum[a][after] / weight[a][after] : 0.0f;
                near_count += weight[a][after] > 0.0f ? 1.0f : 0.0f;
                const int down = a > 0 ? a - 1 : a, up = a + 1 < LMBI_GIRTH_ALONG ? a + 1 : a;
                near_sum += weight[down][r] > 0.0f ? sum[down][r] / weight[down][r] : 0.0f;
                near_count += weight[down][r] > 0.0f ? 1.0f : 0.0f;
                near_sum += weight[up][r] > 0.0f ? sum[up][r] / weight[up][r] : 0.0f;
                near_count += weight[up][r] > 0.0f ? 1.0f : 0.0f;
                if (near_count > 0.0f) {
                    sum[a][r] = near_sum / near_count;
                    weight[a][r] = 1.0f;
                }
            }
        }
    }
}

void lmbi_girth_measure(const lmbi_girth_line *line, const lmb_vec3 *points, const int32_t *joints,
                        uint32_t count, lmbi_girth *out)
{
    float sum[LMBI_GIRTH_ALONG][LMBI_GIRTH_ROUND] = {{0}},
          weight[LMBI_GIRTH_ALONG][LMBI_GIRTH_ROUND] = {{0}};
    const lmb_vec3 segment = lmb_vec3_sub(line->to, line->from);
    const float length2 = lmb_vec3_dot(segment, segment);
    uint32_t found = 0;
    memset(out, 0, sizeof *out);
    if (!(length2 > 0.0f)) {
        return;
    }
    const lmb_vec3 axis = lmb_vec3_scale(segment, 1.0f / lmb_sqrt(length2));
    for (uint32_t v = 0; v < count; ++v) {
        if (!is_on_line(line, joints[v])) {
            continue;
        }
        const lmb_vec3 p = lmb_vec3_sub(points[v], line->from);
        const float along = lmb_vec3_dot(p, segment) / length2;
        const lmb_vec3 aside = lmb_vec3_mad(p, segment, -along);
        if (along < -ENDS || along > 1.0f + ENDS) {
            continue;
        }
        const float a = fminf(fmaxf(along, 0.0f), 0.999f) * (float)LMBI_GIRTH_ALONG,
                    r = angle_around(axis, line->front, aside) * (float)LMBI_GIRTH_ROUND;
        sum[(int)a][(int)r] += lmb_vec3_length(aside);
        weight[(int)a][(int)r] += 1.0f;
        ++found;
    }
    out->known = found >= ENOUGH;
    if (out->known) {
        fill_empty_bins(sum, weight, out);
    }
}

float lmbi_girth_at(const lmbi_girth *g, lmb_vec3 axis, lmb_vec3 front, lmb_vec3 aside, float along)
{
    const float a = fminf(fmaxf(along * (float)LMBI_GIRTH_ALONG - 0.5f, 0.0f),
                          (float)(LMBI_GIRTH_ALONG - 1)),
                r = angle_around(axis, front, aside) * (float)LMBI_GIRTH_ROUND - 0.5f +
                    (float)LMBI_GIRTH_ROUND;
    const int a0 = (int)a, a1 = a0 + 1 < LMBI_GIRTH_ALONG ? a0 + 1 : a0,
              r0 = (int)r % LMBI_GIRTH_ROUND, r1 = (r0 + 1) % LMBI_GIRTH_ROUND;
    const float x = a - (float)a0, y = r - floorf(r);
    const float low = g->radius[a0][r0] + y * (g->radius[a0][r1] - g->radius[a0][r0]),
                high = g->radius[a1][r0] + y * (g->radius[a1][r1] - g->radius[a1][r0]);
    return low + x * (high - low);
}
