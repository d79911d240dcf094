/// Softness per vertex estimated from the distance to the bone.
#include "cli/simulate/soft_tissue.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// Vertices near their bone, and hands, feet and head of a human, stay rigid.
static void guess_amounts(const soft_tissue_bake *b)
{
    static const lmb_human_bone firm[] = {LMB_HUMAN_HEAD, LMB_HUMAN_LEFT_HAND, LMB_HUMAN_RIGHT_HAND,
                                          LMB_HUMAN_LEFT_FOOT, LMB_HUMAN_RIGHT_FOOT};
    const lmb_skeleton *skeleton = b->character->skeleton;
    const lmb_joint_map map = cli_joint_map(skeleton);
    const bool human = map.confidence > 0.8f;
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        const int32_t parent = skeleton->parents[j];
        b->amount[j] = parent >= 0 ? fminf(b->amount[parent], 1.0f) : 1.0f;
        for (size_t k = 0; human && k < sizeof firm / sizeof firm[0]; ++k) {
            b->amount[j] = map.bones[firm[k]].joint == (int32_t)j ? 0.0f : b->amount[j];
        }
    }
}

static cli_exit read_soft(const cli_run *cli, const char *setting, const soft_tissue_bake *b)
{
    const char *equals = strrchr(setting, '=');
    char name[200], *end = NULL;
    const double value = equals != NULL ? strtod(equals + 1, &end) : 0;
    if (equals == NULL || end == equals + 1 || *end != 0 || !(value >= 0 && value <= 1) ||
        equals - setting >= (long)sizeof name) {
        return cli_fail(cli, CLI_USAGE, "--soft takes JOINT=AMOUNT, an amount of 0 to 1, not %s",
                        setting);
    }
    memcpy(name, setting, (size_t)(equals - setting));
    name[equals - setting] = 0;
    const int32_t joint = lmb_skeleton_find(b->character->skeleton, name);
    if (joint == LMB_NONE) {
        return cli_fail(cli, CLI_USAGE, "--soft: the character has no joint \"%s\"", name);
    }
    b->amount[joint] = (float)value;
    return CLI_DONE;
}

cli_exit soft_tissue_bake_amounts(const cli_run *cli, soft_tissue_bake *b)
{
    cli_exit code = CLI_DONE;
    for (uint32_t j = 0; j < b->character->skeleton->joint_count; ++j) {
        b->amount[j] = 1;
    }
    if (b->painted == NULL) {
        guess_amounts(b);
    }
    for (int k = 0; code == CLI_DONE && k < b->opts->soft.count; ++k) {
        code = read_soft(cli, b->opts->soft.items[k], b);
    }
    return code;
}

static float distance_to_bone(const soft_tissue_bake *b, uint32_t joint, lmb_vec3 p)
{
    const lmb_skeleton *skeleton = b->character->skeleton;
    const lmb_vec3 from = lmb_mat4_translation(b->model[joint]);
    float nearest = lmb_vec3_distance(p, from);
    for (uint32_t j = joint + 1; j < skeleton->joint_count; ++j) {
        if (skeleton->parents[j] == (int32_t)joint) {
            const lmb_vec3 bone = lmb_vec3_sub(lmb_mat4_translation(b->model[j]), from);
            const float length2 = lmb_vec3_dot(bone, bone);
            const float u = length2 > 0 ? lmb_vec3_dot(lmb_vec3_sub(p, from), bone) / length2 : 0;
            const lmb_vec3 on = lmb_vec3_mad(from, bone, fminf(fmaxf(u, 0), 1));
            nearest = fminf(nearest, lmb_vec3_distance(p, on));
        }
    }
    return nearest;
}

/// Softness grows with the distance to the bone; vertices weighted to two bones yield to keep volume.
static void set_vertices(const soft_tissue_bake *b, const soft_tissue_bake_part *p, float height,
                         float *soft, float *give, uint32_t *region)
{
    const lmb_influences *rows = &p->from->influences;
    for (uint32_t v = 0; v < p->from->vertex_count; ++v) {
        soft[v] = give[v] = 0;
        region[v] = 0;
        if (rows->first[v] == rows->first[v + 1]) {
            continue;
        }
        const lmb_influence strongest = rows->items[rows->first[v]];
        const uint32_t joint = p->skin->joints[strongest.joint];
        const float deep = distance_to_bone(b, joint, p->skinned[v]) / height;
        const float u = fminf(fmaxf((deep - 0.025f) / 0.07f, 0), 1);
        for (uint32_t i = rows->first[v]; i < rows->first[v + 1]; ++i) {
            soft[v] += rows->items[i].weight * b->amount[p->skin->joints[rows->items[i].joint]];
        }
        soft[v] = fminf(soft[v] * u * u * (3 - 2 * u), 1);
        give[v] = fminf(0.05f + 2 * (1 - strongest.weight), 1);
        region[v] = strongest.joint;
    }
}

/// Painted values are the softness; --soft scales them per joint.
static void set_painted(const soft_tissue_bake *b, const soft_tissue_bake_part *p,
                        const float *painted, float *soft)
{
    const lmb_influences *rows = &p->from->influences;
    for (uint32_t v = 0; v < p->from->vertex_count; ++v) {
        float by = 0;
        for (uint32_t i = rows->first[v]; i < rows->first[v + 1]; ++i) {
            by += rows->items[i].weight * b->amount[p->skin->joints[rows->items[i].joint]];
        }
        soft[v] = fminf(by * painted[v], 1);
    }
}

cli_exit soft_tissue_bake_make(const soft_tissue_bake *b, soft_tissue_bake_part *p, float height,
                               size_t first)
{
    const uint32_t n = p->from->vertex_count;
    float *soft = cli_resize(NULL, n, sizeof *soft), *give = cli_resize(NULL, n, sizeof *give);
    uint32_t *region = cli_resize(NULL, n, sizeof *region), count = 0;
    uint32_t *indices = cli_resize(NULL, (size_t)p->from->index_count + 1, sizeof *indices);
    lmb_error error = {0};
    set_vertices(b, p, height, soft, give, region);
    if (b->painted != NULL) {
        set_painted(b, p, b->painted + first, soft);
    }
    for (uint32_t k = 0; k < p->from->primitive_count; ++k) {
        const lmb_primitive *primitive = &p->from->primitives[k];
        if (primitive->topology == LMB_TRIANGLES) {
            memcpy(indices + count, p->from->indices + primitive->first_index,
                   primitive->index_count * sizeof *indices);
            count += primitive->index_count;
        }
    }
    const lmb_soft_tissue_def def = {.vertex_count = n,
                                     .index_count = count,
                                     .rest = p->skinned,
                                     .indices = indices,
                                     .soft = soft,
                                     .give = give,
                                     .region = region,
                                     .region_count = p->skin->joint_count,
                                     .frequency_hz = (float)b->opts->frequency,
                                     .damping = (float)b->opts->damping};
    const lmb_result result = lmb_soft_tissue_create(&def, NULL, &p->flesh, &error);
    free(soft);
    free(give);
    free(region);
    free(indices);
    return result == LMB_OK ? CLI_DONE : cli_fail_call(b->cli, "the soft tissue", result, &error);
}
