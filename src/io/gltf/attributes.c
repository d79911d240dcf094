// Vertex attributes: names to accessors, accessors to the mesh's arrays.
#include <math.h>
#include <string.h>

#include "io/gltf/mesh.h"

// ------------------------------------------------------------------------------------------- names

/// Whether the name is `prefix` followed by a number without leading zeros, which goes to *set.
static bool is_set(const lmbi_json *member, const char *prefix, uint32_t *set)
{
    const size_t length = strlen(prefix);
    if (member->key_size <= length || member->key_size > length + 4 ||
        memcmp(member->key, prefix, length) != 0) {
        return false;
    }
    *set = 0;
    for (uint32_t k = (uint32_t)length; k < member->key_size; ++k) {
        if (member->key[k] < '0' || member->key[k] > '9') {
            return false;
        }
        *set = *set * 10 + (uint32_t)(member->key[k] - '0');
    }
    return true;
}

/// The member that stores the accessor of this attribute; NULL for attributes that are not read.
static const lmbi_gltf_accessor **member_for_attribute(lmbi_gltf_vertices *out,
                                                       const lmbi_json *member, uint32_t *low,
                                                       uint32_t *high)
{
    uint32_t set = 0;
    *low = *high = 4;
    if (is_set(member, "JOINTS_", &set)) {
        return set < LMBI_GLTF_JOINT_SETS ? &out->joints[set] : NULL;
    }
    if (is_set(member, "WEIGHTS_", &set)) {
        return set < LMBI_GLTF_JOINT_SETS ? &out->weights[set] : NULL;
    }
    if (is_set(member, "_LIMBER_ENVELOPE_", &set)) {
        return set < LMB_ENVELOPE_SETS ? &out->envelope[set] : NULL;
    }
    if (lmbi_json_key_is(member, "TANGENT")) {
        return &out->tangent;
    }
    *low = 3;
    if (is_set(member, "COLOR_", &set)) {
        return set < LMB_COLOR_SETS ? &out->colors[set] : NULL;
    }
    *high = 3;
    if (lmbi_json_key_is(member, "POSITION")) {
        return &out->position;
    }
    if (lmbi_json_key_is(member, "NORMAL")) {
        return &out->normal;
    }
    *low = *high = 2;
    if (is_set(member, "TEXCOORD_", &set)) {
        return set < LMB_UV_SETS ? &out->uvs[set] : NULL;
    }
    return NULL;
}

static bool read_attribute(lmbi_gltf *g, const lmbi_json *member, lmbi_gltf_vertices *out)
{
    uint32_t index = 0, low = 0, high = 0;
    if (!lmbi_gltf_index_value(g, member, g->accessors.count, &index)) {
        return false;
    }
    const lmbi_gltf_accessor *a = &g->accessor_items[index];
    const lmbi_gltf_accessor **slot = member_for_attribute(out, member, &low, &high);
    if (slot == NULL) {
        lmbi_gltf_note(g, member, "a vertex attribute was dropped");
        return true;
    }
    if (a->is_matrix || a->components < low || a->components > high ||
        a->component_type == LMBI_GLTF_U32) {
        return lmbi_gltf_fail_accessor(g, member, "an accessor of the attribute's type", a);
    }
    *slot = a;
    return true;
}

static bool check_sets(lmbi_gltf *g, const lmbi_json *attributes, lmbi_gltf_vertices *out)
{
    for (uint32_t k = 0; k < LMBI_GLTF_JOINT_SETS; ++k) {
        const lmbi_gltf_accessor *joints = out->joints[k];
        if ((joints == NULL) != (out->weights[k] == NULL) || (joints && out->joint_sets != k)) {
            return lmbi_gltf_fail_found(g, attributes, "JOINTS_n and WEIGHTS_n together, from 0 on",
                                        joints && out->weights[k]
                                            ? "set %u without the set before it"
                                        : joints ? "JOINTS_%u without weights"
                                                 : "WEIGHTS_%u without joints",
                                        k);
        }
        if (joints && joints->component_type != LMBI_GLTF_U8 &&
            joints->component_type != LMBI_GLTF_U16) {
            return lmbi_gltf_fail_accessor(g, attributes,
                                           "joints as unsigned 8- or 16-bit integers", joints);
        }
        out->joint_sets += joints != NULL;
    }
    return true;
}

static bool check_count(lmbi_gltf *g, const lmbi_gltf_vertices *v, const lmbi_gltf_accessor *a)
{
    return a == NULL || a->count == v->count ||
           lmbi_gltf_fail_found(g, v->attributes, "as many of every attribute as positions",
                                "%u for %u positions", a->count, v->count);
}

/// An envelope counts where all of its sets are there.
static bool has_envelope(const lmbi_gltf_vertices *v)
{
    uint32_t sets = 0;
    for (uint32_t k = 0; k < LMB_ENVELOPE_SETS; ++k) {
        sets += v->envelope[k] != NULL;
    }
    return sets == LMB_ENVELOPE_SETS;
}

static uint32_t bit_if(bool present, uint32_t bit)
{
    return present ? bit : 0;
}

static bool check_counts(lmbi_gltf *g, lmbi_gltf_vertices *v)
{
    bool fine = check_count(g, v, v->normal) && check_count(g, v, v->tangent);
    v->bits = bit_if(v->normal, LMB_HAS_NORMALS) | bit_if(v->tangent, LMB_HAS_TANGENTS) |
              bit_if(v->joint_sets, LMB_HAS_INFLUENCES) | bit_if(has_envelope(v), LMB_HAS_ENVELOPE);
    for (uint32_t k = 0; fine && k < LMB_ENVELOPE_SETS; ++k) {
        fine = check_count(g, v, v->envelope[k]);
    }
    for (uint32_t k = 0; fine && k < LMB_UV_SETS; ++k) {
        fine = check_count(g, v, v->uvs[k]);
        v->bits |= bit_if(v->uvs[k], (uint32_t)LMB_HAS_UV0 << k);
    }
    for (uint32_t k = 0; fine && k < LMB_COLOR_SETS; ++k) {
        fine = check_count(g, v, v->colors[k]);
        v->bits |= bit_if(v->colors[k], (uint32_t)LMB_HAS_COLOR0 << k);
    }
    for (uint32_t k = 0; fine && k < v->joint_sets; ++k) {
        fine = check_count(g, v, v->joints[k]) && check_count(g, v, v->weights[k]);
    }
    return fine;
}

bool lmbi_gltf_attributes_read(lmbi_gltf *g, const lmbi_json *attributes, lmbi_gltf_vertices *out)
{
    out->attributes = attributes;
    for (const lmbi_json *member = attributes->child; member; member = member->next) {
        if (!read_attribute(g, member, out)) {
            return false;
        }
    }
    if (out->position == NULL) {
        return lmbi_gltf_fail(g, attributes, "a POSITION", "none");
    }
    out->count = out->position->count;
    return check_sets(g, attributes, out) && check_counts(g, out);
}

// ---------------------------------------------------------------------------------------- vertices

/// Quantised unit vectors are off by up to half a percent; larger errors are normalised.
static bool is_unit(float x, float y, float z)
{
    return fabsf(x * x + y * y + z * z - 1.0f) < 0.01f;
}

static bool fix_normals(lmb_vec3 *normals, uint32_t count)
{
    bool fixed = false;
    for (uint32_t k = 0; k < count; ++k) {
        if (!is_unit(normals[k].x, normals[k].y, normals[k].z)) {
            normals[k] = lmb_vec3_normalize_or(normals[k], lmb_vec3_make(0, 0, 1));
            fixed = true;
        }
    }
    return fixed;
}

static bool fix_tangents(lmb_vec4 *tangents, uint32_t count)
{
    bool fixed = false;
    for (uint32_t k = 0; k < count; ++k) {
        lmb_vec4 *t = &tangents[k];
        if (!is_unit(t->x, t->y, t->z)) {
            const lmb_vec3 unit =
                lmb_vec3_normalize_or(lmb_vec3_make(t->x, t->y, t->z), lmb_vec3_make(1, 0, 0));
            t->x = unit.x;
            t->y = unit.y;
            t->z = unit.z;
            fixed = true;
        }
        t->w = t->w < 0 ? -1.0f : 1.0f;
    }
    return fixed;
}

static float clamp_unit(float x)
{
    return x < 0 ? 0 : x > 1 ? 1 : x;
}

static bool decode_colors(lmbi_gltf *g, const lmbi_gltf_accessor *a, lmb_vec4 *colors)
{
    if (!lmbi_gltf_decode_floats(g, a, &colors->x, 4)) {
        return false;
    }
    for (uint32_t k = 0; k < a->count; ++k) {
        lmb_vec4 *c = &colors[k];
        c->x = clamp_unit(c->x);
        c->y = clamp_unit(c->y);
        c->z = clamp_unit(c->z);
        c->w = a->components == 3 ? 1.0f : clamp_unit(c->w);
    }
    return true;
}

bool lmbi_gltf_vertices_decode(lmbi_gltf *g, const lmbi_gltf_vertices *v, lmb_mesh *mesh)
{
    bool fine = lmbi_gltf_decode_floats(g, v->position, &mesh->positions[v->first].x, 3);
    if (fine) {
        lmbi_gltf_doubt_bounds(g, v->position, &mesh->positions[v->first].x,
                               "positions without bounds", "positions with other bounds");
    }
    if (fine && v->normal) {
        fine = lmbi_gltf_decode_floats(g, v->normal, &mesh->normals[v->first].x, 3);
        if (fine && fix_normals(mesh->normals + v->first, v->count)) {
            lmbi_gltf_note(g, v->normal->json, "normals were scaled to unit length");
        }
    }
    if (fine && v->tangent) {
        fine = lmbi_gltf_decode_floats(g, v->tangent, &mesh->tangents[v->first].x, 4);
        if (fine && fix_tangents(mesh->tangents + v->first, v->count)) {
            lmbi_gltf_note(g, v->tangent->json, "tangents were scaled to unit length");
        }
    }
    for (uint32_t k = 0; fine && k < LMB_UV_SETS; ++k) {
        fine = v->uvs[k] == NULL ||
               lmbi_gltf_decode_floats(g, v->uvs[k], &mesh->uvs[k][v->first].x, 2);
    }
    for (uint32_t k = 0; fine && k < LMB_COLOR_SETS; ++k) {
        fine = v->colors[k] == NULL || decode_colors(g, v->colors[k], mesh->colors[k] + v->first);
    }
    for (size_t k = 0; fine && mesh->envelope && k < LMB_ENVELOPE_SETS; ++k) {
        lmb_vec4 *out = mesh->envelope + k * mesh->vertex_count + v->first;
        fine = lmbi_gltf_decode_floats(g, v->envelope[k], &out->x, 4);
    }
    return fine;
}

// ----------------------------------------------------------------------------------- morph targets

bool lmbi_gltf_target_accessor(lmbi_gltf *g, const lmbi_gltf_vertices *v, const lmbi_json *target,
                               const char *name, const lmbi_gltf_accessor **out)
{
    int32_t index = 0;
    *out = NULL;
    if (!lmbi_gltf_index(g, target, name, g->accessors.count, &index)) {
        return false;
    }
    if (index == LMB_NONE) {
        return true;
    }
    const lmbi_gltf_accessor *a = &g->accessor_items[index];
    if (a->components != 3 || a->component_type == LMBI_GLTF_U32 || a->count != v->count) {
        return lmbi_gltf_fail_accessor(g, target, "VEC3 displacements, one a vertex", a);
    }
    *out = a;
    return true;
}

static bool decode_displacements(lmbi_gltf *g, const lmbi_gltf_vertices *v, const lmbi_json *target,
                                 const char *name, lmb_vec3 *array)
{
    const lmbi_gltf_accessor *a = NULL;
    if (!lmbi_gltf_target_accessor(g, v, target, name, &a)) {
        return false;
    }
    return a == NULL || array == NULL || lmbi_gltf_decode_floats(g, a, &array[v->first].x, 3);
}

bool lmbi_gltf_targets_decode(lmbi_gltf *g, const lmbi_gltf_vertices *v, lmb_mesh *mesh)
{
    const lmbi_json *target = v->targets ? v->targets->child : NULL;
    for (uint32_t t = 0; target; target = target->next, ++t) {
        lmb_morph_target *out = &mesh->targets[t];
        if (!decode_displacements(g, v, target, "POSITION", out->positions) ||
            !decode_displacements(g, v, target, "NORMAL", out->normals) ||
            !decode_displacements(g, v, target, "TANGENT", out->tangents)) {
            return false;
        }
    }
    return true;
}
