// Morph targets: displacements that are mostly zero become sparse accessors.
#include "io/gltf/write.h"

static bool is_zero(lmb_vec3 v)
{
    return v.x == 0 && v.y == 0 && v.z == 0;
}

static void bounds_of(lmbi_gltf_accessor_def *def, const lmb_vec3 *values, uint32_t count)
{
    lmbi_gltf_out_bounds(def, &values->x, 3, count);
}

static void write_sparse(lmbi_gltf_out *o, const lmb_vec3 *values, uint32_t count, uint32_t moved,
                         lmbi_gltf_sparse *sparse)
{
    const bool shorts = count <= 65536;
    sparse->count = moved;
    sparse->index_type = shorts ? LMBI_GLTF_U16 : LMBI_GLTF_U32;
    size_t begin = lmbi_gltf_out_begin(o);
    for (uint32_t k = 0; k < count; ++k) {
        if (!is_zero(values[k])) {
            (shorts ? lmbi_gltf_out_u16 : lmbi_gltf_out_u32)(o, &k, 1);
        }
    }
    sparse->index_view = lmbi_gltf_out_view(o, begin, 0, 0);
    begin = lmbi_gltf_out_begin(o);
    for (uint32_t k = 0; k < count; ++k) {
        if (!is_zero(values[k])) {
            lmbi_gltf_out_floats(o, &values[k].x, 3);
        }
    }
    sparse->value_view = lmbi_gltf_out_view(o, begin, 0, 0);
}

static uint32_t write_displacements(lmbi_gltf_out *o, const lmb_vec3 *values, uint32_t count,
                                    bool bounds)
{
    lmbi_gltf_accessor_def def = {
        .view = LMB_NONE, .component_type = LMBI_GLTF_F32, .count = count, .type = "VEC3"};
    uint32_t moved = 0;
    for (uint32_t k = 0; k < count; ++k) {
        moved += !is_zero(values[k]);
    }
    if (bounds) {
        bounds_of(&def, values, count);
    }
    // Sparse entries cost an index each, and two more views: not worth it for dense or small data.
    if (moved > count / 2 || (moved > 0 && count < 64)) {
        const size_t begin = lmbi_gltf_out_begin(o);
        lmbi_gltf_out_floats(o, &values->x, (size_t)count * 3);
        def.view = (int32_t)lmbi_gltf_out_view(o, begin, 12, LMBI_GLTF_ARRAY_BUFFER);
    } else if (moved > 0) {
        write_sparse(o, values, count, moved, &def.sparse);
    }
    return lmbi_gltf_out_accessor(o, &def);
}

void lmbi_gltf_out_targets(lmbi_gltf_out *o, lmbi_json_out *json, const lmb_mesh *mesh,
                           const lmb_primitive *p)
{
    if (mesh->target_count == 0) {
        return;
    }
    lmbi_json_open(json, "targets", '[');
    for (uint32_t t = 0; t < mesh->target_count; ++t) {
        const lmb_morph_target *target = &mesh->targets[t];
        lmbi_json_open(json, NULL, '{');
        lmbi_json_put_int(
            json, "POSITION",
            write_displacements(o, target->positions + p->first_vertex, p->vertex_count, true));
        if (target->normals && mesh->normals && p->attributes & LMB_HAS_NORMALS) {
            lmbi_json_put_int(
                json, "NORMAL",
                write_displacements(o, target->normals + p->first_vertex, p->vertex_count, false));
        }
        if (target->tangents && mesh->tangents && p->attributes & LMB_HAS_TANGENTS) {
            lmbi_json_put_int(
                json, "TANGENT",
                write_displacements(o, target->tangents + p->first_vertex, p->vertex_count, false));
        }
        lmbi_json_close(json, '}');
    }
    lmbi_json_close(json, ']');
}
