// Skins, and the joints and weights of vertices.
#include <math.h>
#include <string.h>

#include "asset/asset.h"
#include "base/error.h"
#include "io/gltf/write.h"

enum { SLOTS = 4, WEIGHT_ONE = 65535 };

// ----------------------------------------------------------------------------------------- weights

static uint32_t row_size(const lmbi_gltf_out *o, const lmb_mesh *mesh, uint32_t v)
{
    const uint32_t size = mesh->influences.first[v + 1] - mesh->influences.first[v];
    const uint32_t most = o->opts->max_influences;
    return most && size > most ? most : size;
}

/// Sets of the longest row; at least one with `bit`, the primitive's attribute flag.
static uint32_t sets_of_run(const lmbi_gltf_out *o, const lmb_mesh *mesh, uint32_t first,
                            uint32_t count, bool bit)
{
    uint32_t widest = bit ? 1 : 0;
    for (uint32_t v = first; mesh->influences.first && v < first + count; ++v) {
        const uint32_t size = row_size(o, mesh, v);
        widest = size > widest ? size : widest;
    }
    return mesh->influences.first ? (widest + SLOTS - 1) / SLOTS : 0;
}

uint32_t lmbi_gltf_out_joint_sets(const lmbi_gltf_out *o, const lmb_mesh *mesh,
                                  const lmb_primitive *p)
{
    return sets_of_run(o, mesh, p->first_vertex, p->vertex_count,
                       p->attributes & LMB_HAS_INFLUENCES);
}

/// The weights of a row that are written, scaled to sum 1 when some are dropped. An empty row gets
/// joint 0: glTF requires every vertex of a skin to have weight.
static uint32_t make_written_row(const lmbi_gltf_out *o, const lmb_mesh *mesh, uint32_t v,
                                 uint32_t *joints, float *weights, uint32_t room)
{
    const uint32_t first = mesh->influences.first[v], whole = mesh->influences.first[v + 1] - first;
    uint32_t size = row_size(o, mesh, v);
    size = size < room ? size : room; // rows of vertices that no primitive draws may be longer
    double sum = 0;
    memset(joints, 0, room * sizeof *joints);
    memset(weights, 0, room * sizeof *weights);
    for (uint32_t k = 0; k < size; ++k) {
        joints[k] = mesh->influences.items[first + k].joint;
        weights[k] = mesh->influences.items[first + k].weight;
        sum += (double)weights[k];
    }
    if (size == 0 || !(sum > 0)) {
        joints[0] = 0;
        weights[0] = 1;
        return 1;
    }
    for (uint32_t k = 0; k < size && (size < whole || fabs(sum - 1.0) > 2e-7 * size); ++k) {
        weights[k] = (float)((double)weights[k] / sum);
    }
    return size;
}

/// Restores the order in which rows are read, since rounding can make weights equal. Bits of
/// positive floats order as the floats do.
static void sort_row(uint32_t *joints, uint32_t *weights, uint32_t count)
{
    for (uint32_t i = 1; i < count; ++i) {
        const uint32_t joint = joints[i], weight = weights[i];
        uint32_t at = i;
        for (; at > 0 &&
               (weight > weights[at - 1] || (weight == weights[at - 1] && joint < joints[at - 1]));
             --at) {
            joints[at] = joints[at - 1];
            weights[at] = weights[at - 1];
        }
        joints[at] = joint;
        weights[at] = weight;
    }
}

/// A vertex' joints, and their weights as they are written: integers, or the bits of floats.
typedef struct written_row {
    uint32_t size;
    uint32_t joints[SLOTS * LMBI_GLTF_SETS_MAX], bits[SLOTS * LMBI_GLTF_SETS_MAX];
} written_row;

static void set_bits(const lmbi_gltf_out *o, const float *weights, written_row *row)
{
    if (o->opts->weights_u16) {
        lmbi_weights_quantize(weights, row->size, WEIGHT_ONE, row->bits);
    } else {
        memcpy(row->bits, weights, row->size * sizeof *row->bits);
    }
}

static void write_row(lmbi_gltf_out *o, const lmbi_gltf_joint_views *views, written_row *row,
                      uint8_t *joints_out, uint8_t *weights_out, size_t set_stride)
{
    const bool shorts = o->opts->weights_u16;
    uint32_t *joints = row->joints;
    const uint32_t *bits = row->bits, size = row->size;
    sort_row(joints, row->bits, size);
    for (uint32_t k = 0; k < size; ++k) {
        uint8_t *at = weights_out + (k / SLOTS) * set_stride * (shorts ? 8 : 16) +
                      (size_t)(k % SLOTS) * (shorts ? 2 : 4);
        joints[k] = bits[k] ? joints[k] : 0; // glTF: entries without weight name joint 0
        for (uint32_t b = 0; b < (shorts ? 2u : 4u); ++b) {
            at[b] = (uint8_t)(bits[k] >> 8 * b);
        }
        at = joints_out + (k / SLOTS) * set_stride * SLOTS * views->joint_size +
             (size_t)(k % SLOTS) * views->joint_size;
        at[0] = (uint8_t)joints[k];
        if (views->joint_size == 2) {
            at[1] = (uint8_t)(joints[k] >> 8);
        }
    }
}

static bool plan_joint_views(lmbi_gltf_out *o, const lmb_mesh *mesh, lmbi_gltf_joint_views *out)
{
    uint32_t most = 0;
    memset(out, 0, sizeof *out);
    for (uint32_t p = 0; p < mesh->primitive_count; ++p) {
        const uint32_t sets = lmbi_gltf_out_joint_sets(o, mesh, &mesh->primitives[p]);
        out->set_count = sets > out->set_count ? sets : out->set_count;
    }
    for (uint32_t v = 0; out->set_count && v < mesh->vertex_count; ++v) {
        const uint32_t first = mesh->influences.first[v], size = row_size(o, mesh, v);
        for (uint32_t k = first; k < first + size; ++k) {
            const uint32_t joint = mesh->influences.items[k].joint;
            most = joint > most ? joint : most;
        }
    }
    if (most > 65535 || out->set_count > LMBI_GLTF_SETS_MAX) {
        o->result = lmbi_fail(o->error, LMB_ERROR_UNSUPPORTED,
                              "at most 65536 joints in a skin and 256 influences a vertex",
                              "%u joints and %u influences", most + 1, out->set_count * SLOTS);
        return false;
    }
    out->joint_size = most > 255 ? 2 : 1;
    out->joint_type = most > 255 ? LMBI_GLTF_U16 : LMBI_GLTF_U8;
    return true;
}

bool lmbi_gltf_out_joint_views(lmbi_gltf_out *o, const lmb_mesh *mesh, lmbi_gltf_joint_views *out)
{
    if (!plan_joint_views(o, mesh, out)) {
        return false;
    }
    const uint32_t sets = out->set_count;
    const size_t n = mesh->vertex_count;
    const size_t joint_stride = (size_t)SLOTS * out->joint_size,
                 weight_stride = o->opts->weights_u16 ? 8 : 16;
    out->joints = lmbi_gltf_out_array(o, sets, sizeof *out->joints);
    out->weights = lmbi_gltf_out_array(o, sets, sizeof *out->weights);
    // Set k of vertex v is at [k][v]: the views follow each other and are filled row by row.
    uint8_t *joints = lmbi_alloc_array(o->alloc, sets * n, joint_stride);
    uint8_t *weights = lmbi_alloc_array(o->alloc, sets * n, weight_stride);
    if (!out->joints || !out->weights || !joints || !weights) {
        o->result = lmbi_fail_memory(o->error);
    }
    written_row row;
    float row_weights[SLOTS * LMBI_GLTF_SETS_MAX];
    for (uint32_t v = 0; o->result == LMB_OK && sets && v < n; ++v) {
        row.size = make_written_row(o, mesh, v, row.joints, row_weights, sets * SLOTS);
        set_bits(o, row_weights, &row);
        write_row(o, out, &row, joints + v * joint_stride, weights + v * weight_stride, n);
    }
    for (uint32_t k = 0; o->result == LMB_OK && k < sets; ++k) {
        size_t begin = lmbi_gltf_out_begin(o);
        lmbi_text_bytes(&o->binary, joints + k * n * joint_stride, n * joint_stride);
        out->joints[k] =
            lmbi_gltf_out_view(o, begin, (uint32_t)joint_stride, LMBI_GLTF_ARRAY_BUFFER);
        begin = lmbi_gltf_out_begin(o);
        lmbi_text_bytes(&o->binary, weights + k * n * weight_stride, n * weight_stride);
        out->weights[k] =
            lmbi_gltf_out_view(o, begin, (uint32_t)weight_stride, LMBI_GLTF_ARRAY_BUFFER);
    }
    lmbi_free(o->alloc, joints);
    lmbi_free(o->alloc, weights);
    return o->result == LMB_OK;
}

// ------------------------------------------------------------------------------------------- skins

/// Whether the skin's root is at or above all its joints, as glTF requires of "skeleton".
static bool is_root_above_joints(const lmbi_gltf_out *o, const lmb_skin *skin)
{
    const lmb_skeleton *skeleton = o->character->skeleton;
    for (uint32_t k = 0; k < skin->joint_count; ++k) {
        int32_t at = (int32_t)skin->joints[k];
        while (at != LMB_NONE && at != skin->root) {
            at = skeleton->parents[at];
        }
        if (at == LMB_NONE) {
            return false;
        }
    }
    return skin->root != LMB_NONE;
}

static bool needs_bind(const lmb_skin *skin)
{
    const lmb_mat4 identity = lmb_mat4_identity();
    for (uint32_t k = 0; skin->bind_was_missing && k < skin->joint_count; ++k) {
        if (memcmp(&skin->joint_from_bind[k], &identity, sizeof identity) != 0) {
            return true;
        }
    }
    return !skin->bind_was_missing;
}

static void write_bind(lmbi_gltf_out *o, const lmb_skin *skin)
{
    const size_t begin = lmbi_gltf_out_begin(o);
    for (uint32_t k = 0; k < skin->joint_count; ++k) {
        lmbi_gltf_out_floats(o, skin->joint_from_bind[k].m, 16);
    }
    lmbi_gltf_accessor_def def = {
        .component_type = LMBI_GLTF_F32, .count = skin->joint_count, .type = "MAT4"};
    def.view = (int32_t)lmbi_gltf_out_view(o, begin, 0, 0);
    lmbi_json_put_int(&o->json, "inverseBindMatrices", lmbi_gltf_out_accessor(o, &def));
}

void lmbi_gltf_out_skins(lmbi_gltf_out *o)
{
    const lmb_character *c = o->character;
    if (c->skin_count == 0) {
        return;
    }
    lmbi_json_open(&o->json, "skins", '[');
    for (uint32_t s = 0; s < c->skin_count; ++s) {
        const lmb_skin *skin = c->skins[s];
        lmbi_json_open(&o->json, NULL, '{');
        if (skin->name) {
            lmbi_json_put_string(&o->json, "name", skin->name);
        }
        if (needs_bind(skin)) {
            write_bind(o, skin);
        }
        if (is_root_above_joints(o, skin)) {
            lmbi_json_put_int(&o->json, "skeleton", o->node_of_joint[skin->root]);
        }
        lmbi_json_open(&o->json, "joints", '[');
        for (uint32_t k = 0; k < skin->joint_count; ++k) {
            lmbi_json_put_int(&o->json, NULL, o->node_of_joint[skin->joints[k]]);
        }
        lmbi_json_close(&o->json, ']');
        lmbi_json_put_members(&o->json, skin->carried);
        lmbi_json_close(&o->json, '}');
    }
    lmbi_json_close(&o->json, ']');
}
