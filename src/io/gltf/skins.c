#include <math.h>

#include "io/gltf/gltf.h"

/// Makes the last row exactly 0 0 0 1, where rounding left 0.99999994. Divides by another w, except
/// by 0, which exporters leave in a matrix that they did not fill in.
static bool make_affine(lmbi_gltf *g, const lmbi_gltf_accessor *a, lmb_mat4 *m)
{
    const float w = m->m[15];
    if (fabsf(m->m[3]) + fabsf(m->m[7]) + fabsf(m->m[11]) > 1e-4f * fmaxf(fabsf(w), 1.0f)) {
        return lmbi_gltf_fail_found(g, a->json, "inverse bind matrices whose last row is 0 0 0 1",
                                    "%g %g %g %g", (double)m->m[3], (double)m->m[7],
                                    (double)m->m[11], (double)w);
    }
    if (fabsf(w) > 1e-6f && fabsf(w - 1.0f) > 1e-5f) {
        for (int k = 0; k < 16; ++k) {
            m->m[k] /= w;
        }
    }
    m->m[3] = m->m[7] = m->m[11] = 0;
    m->m[15] = 1;
    return true;
}

static bool read_bind(lmbi_gltf *g, const lmbi_json *json, lmb_skin *def)
{
    int32_t index = 0;
    if (!lmbi_gltf_index(g, json, "inverseBindMatrices", g->accessors.count, &index)) {
        return false;
    }
    def->bind_was_missing = index == LMB_NONE;
    uint32_t count = def->joint_count;
    if (index == LMB_NONE) {
        def->joint_from_bind = lmbi_gltf_array(g, count, sizeof *def->joint_from_bind);
        for (uint32_t k = 0; def->joint_from_bind && k < count; ++k) {
            def->joint_from_bind[k] = lmb_mat4_identity();
        }
        return def->joint_from_bind != NULL;
    }
    const lmbi_gltf_accessor *a = &g->accessor_items[index];
    if (a->components != 16 || a->component_type != LMBI_GLTF_F32) {
        return lmbi_gltf_fail_accessor(g, a->json, "MAT4 of floats for inverse bind matrices", a);
    }
    if (a->count < count) {
        return lmbi_gltf_fail_found(g, a->json, "an inverse bind matrix for every joint",
                                    "%u for %u joints", a->count, count);
    }
    if (!lmbi_gltf_spend(g, json, a->count, sizeof(lmb_mat4))) {
        return false;
    }
    def->joint_from_bind = lmbi_gltf_array(g, a->count, sizeof *def->joint_from_bind);
    if (def->joint_from_bind == NULL ||
        !lmbi_gltf_decode_floats(g, a, def->joint_from_bind->m, 16)) {
        return false;
    }
    for (uint32_t k = 0; k < count; ++k) {
        if (!make_affine(g, a, &def->joint_from_bind[k])) {
            return false;
        }
    }
    return true;
}

static bool read_joints(lmbi_gltf *g, const lmbi_json *json, lmb_skin *def)
{
    const lmbi_json *joints = NULL;
    if (!lmbi_gltf_member(g, json, "joints", LMBI_JSON_ARRAY, &joints)) {
        return false;
    }
    if (joints == NULL || joints->count == 0) {
        return lmbi_gltf_fail(g, joints ? joints : json, "at least one joint", "none");
    }
    def->joints = lmbi_gltf_array(g, joints->count, sizeof *def->joints);
    bool *seen = lmbi_gltf_array(g, g->nodes.count, sizeof *seen);
    if (def->joints == NULL || seen == NULL) {
        return false;
    }
    for (const lmbi_json *item = joints->child; item; item = item->next) {
        uint32_t node = 0;
        if (!lmbi_gltf_index_value(g, item, g->nodes.count, &node)) {
            return false;
        }
        if (seen[node]) {
            return lmbi_gltf_fail(g, item, "every joint once", NULL);
        }
        seen[node] = true;
        def->joints[def->joint_count++] = g->joint_of_node[node];
    }
    return true;
}

static bool read_skin(lmbi_gltf *g, const lmbi_json *json, lmb_skin **out)
{
    static const char *const known[] = {"name", "joints", "inverseBindMatrices", "skeleton", NULL};
    lmb_skin def = {0};
    int32_t root = 0;
    if (!lmbi_gltf_string(g, json, "name", &def.name) || !read_joints(g, json, &def) ||
        !read_bind(g, json, &def) || !lmbi_gltf_index(g, json, "skeleton", g->nodes.count, &root) ||
        !lmbi_gltf_carry(g, json, known, &def.carried)) {
        return false;
    }
    def.root = root == LMB_NONE ? LMB_NONE : (int32_t)g->joint_of_node[root];
    lmbi_gltf_doubt_skin(g, json, &def);
    g->result = lmb_skin_create(&def, g->alloc, out, g->error);
    return g->result == LMB_OK;
}

bool lmbi_gltf_skins_read(lmbi_gltf *g)
{
    if (!lmbi_gltf_table_read(g, g->root, "skins", LMBI_JSON_OBJECT, &g->skins)) {
        return false;
    }
    // Each skin has a flag a node: skins times nodes is quadratic in the file's size.
    if (!lmbi_gltf_spend(g, g->root, g->skins.count, g->nodes.count)) {
        return false;
    }
    g->def.skins = lmbi_gltf_array(g, g->skins.count, sizeof *g->def.skins);
    for (uint32_t k = 0; g->def.skins && k < g->skins.count; ++k) {
        if (!read_skin(g, g->skins.items[k], &g->def.skins[k])) {
            return false;
        }
        ++g->def.skin_count;
    }
    return g->def.skins != NULL;
}
