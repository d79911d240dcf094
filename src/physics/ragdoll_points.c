/// Skin points of a character at rest, and the choice of joints that need a body.
#include <math.h>

#include "base/alloc.h"
#include "base/error.h"
#include "physics/ragdoll.h"

static uint64_t count_vertices(const lmb_character *character)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < character->instance_count; ++i) {
        count += character->meshes[character->instances[i].mesh]->vertex_count;
    }
    return count;
}

/// Linear blend skinning of one vertex at rest.
static lmbi_skin_point skin_point_at_rest(const lmb_mesh *mesh, const lmb_skin *skin,
                                          const lmb_mat4 *palette, uint32_t v)
{
    const uint32_t begin = mesh->influences.first[v];
    lmbi_skin_point point = {.row = mesh->influences.items + begin,
                             .count = mesh->influences.first[v + 1] - begin,
                             .joints = skin->joints};
    float best = -1.0f;
    for (uint32_t k = 0; k < point.count; ++k) {
        const lmb_influence one = point.row[k];
        const lmb_vec3 p = lmb_mat4_point(palette[one.joint], mesh->positions[v]);
        point.at = lmb_vec3_mad(point.at, p, one.weight);
        if (one.weight > best) {
            best = one.weight;
            point.joint = skin->joints[one.joint];
        }
    }
    return point;
}

static void gather_instance(const lmb_character *character, const lmb_instance *instance,
                            const lmb_mat4 *rest, lmb_mat4 *palette, lmbi_skin_points *out)
{
    const lmb_mesh *mesh = character->meshes[instance->mesh];
    const lmb_skin *skin = instance->skin == LMB_NONE ? NULL : character->skins[instance->skin];
    const bool is_skinned = skin && mesh->influences.first;
    if (is_skinned) {
        lmb_skin_palette(skin, rest, palette);
    }
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        lmbi_skin_point point = {.joint = instance->joint};
        if (is_skinned) {
            point = skin_point_at_rest(mesh, skin, palette, v);
            if (point.count == 0) {
                continue;
            }
        } else {
            point.at = lmb_mat4_point(rest[instance->joint], mesh->positions[v]);
        }
        if (lmb_vec3_is_finite(point.at)) {
            out->items[out->count++] = point;
        }
    }
}

lmb_result lmbi_skin_points_gather(const lmb_character *character, const lmb_mat4 *rest,
                                   const lmb_allocator *alloc, lmbi_skin_points *out,
                                   lmb_error *error)
{
    const uint64_t count = count_vertices(character);
    uint32_t most = 0;
    for (uint32_t i = 0; i < character->skin_count; ++i) {
        most = character->skins[i]->joint_count > most ? character->skins[i]->joint_count : most;
    }
    lmb_mat4 *palette = lmbi_alloc_array(alloc, most, sizeof *palette);
    *out = (lmbi_skin_points){0};
    if (palette && count < UINT32_MAX) {
        out->items = lmbi_alloc_array(alloc, (size_t)count, sizeof *out->items);
    }
    if (!palette || !out->items) {
        lmbi_free(alloc, palette);
        return lmbi_fail_memory(error);
    }
    for (uint32_t i = 0; i < character->instance_count; ++i) {
        gather_instance(character, &character->instances[i], rest, palette, out);
    }
    lmbi_free(alloc, palette);
    return LMB_OK;
}

void lmbi_skin_points_assign(lmbi_skin_points *points, const int32_t *bone_of)
{
    for (uint32_t i = 0; i < points->count; ++i) {
        lmbi_skin_point *p = &points->items[i];
        p->bone = bone_of[p->joint];
        if (!p->row) {
            continue;
        }
        float sum = 0.0f, own = 0.0f; // total weight, and weight of the point's bone
        for (uint32_t k = 0; k < p->count; ++k) {
            sum += p->row[k].weight;
            own += bone_of[p->joints[p->row[k].joint]] == p->bone ? p->row[k].weight : 0.0f;
        }
        p->bone = own > 0.5f * sum ? p->bone : LMB_NONE;
    }
}

// ------------------------------------------------------------------------------- choice of joints

static lmb_box merge_boxes(lmb_box a, lmb_box b)
{
    return b.low.x > b.high.x ? a : lmb_box_add(lmb_box_add(a, b.low), b.high);
}

/// A leaf joint on the line from its parent to a sibling is a twist joint, and gets no body.
static bool is_twist(const lmb_skeleton *skeleton, const lmb_mat4 *rest, uint32_t joint)
{
    const int32_t parent = skeleton->parents[joint];
    if (parent == LMB_NONE) {
        return false;
    }
    const lmb_vec3 from = lmb_mat4_translation(rest[parent]),
                   offset = lmb_vec3_sub(lmb_mat4_translation(rest[joint]), from);
    bool lies_between = false;
    for (uint32_t k = joint + 1; k < skeleton->joint_count; ++k) {
        if (skeleton->parents[k] == (int32_t)joint) {
            return false;
        }
    }
    for (uint32_t k = (uint32_t)parent + 1; k < skeleton->joint_count; ++k) {
        if (skeleton->parents[k] == parent && k != joint) {
            const lmb_vec3 d = lmb_vec3_sub(lmb_mat4_translation(rest[k]), from);
            const float length2 = lmb_vec3_dot(d, d), t = lmb_vec3_dot(offset, d);
            const lmb_vec3 off = lmb_vec3_mad(offset, d, length2 > 0 ? -t / length2 : 0);
            lies_between = lies_between || (length2 > 0 && t >= 0 && t <= length2 &&
                                            lmb_vec3_dot(off, off) < 0.01f * length2);
        }
    }
    return lies_between;
}

uint32_t lmbi_ragdoll_choose_joints(const lmb_skeleton *skeleton, const lmb_mat4 *rest,
                                    const lmbi_skin_points *points, float least, lmb_box *boxes,
                                    uint8_t *marks)
{
    uint32_t count = 0;
    for (uint32_t j = 0; j < skeleton->joint_count; ++j) {
        boxes[j] = lmb_box_empty();
    }
    for (uint32_t i = 0; i < points->count; ++i) {
        lmb_box *box = &boxes[points->items[i].joint];
        *box = lmb_box_add(*box, points->items[i].at);
    }
    for (uint32_t j = skeleton->joint_count; j-- > 0;) {
        const bool has_skin = boxes[j].low.x <= boxes[j].high.x;
        const float reach =
            has_skin ? lmb_vec3_length(lmb_vec3_sub(boxes[j].high, boxes[j].low)) : 0.0f;
        marks[j] = reach >= least && reach > 0.0f && !is_twist(skeleton, rest, j);
        count += marks[j];
        if (!marks[j] && skeleton->parents[j] != LMB_NONE) {
            lmb_box *above = &boxes[skeleton->parents[j]];
            *above = merge_boxes(*above, boxes[j]);
        }
    }
    return count;
}
