/// Readers and writers by format.
#include "base/error.h"
#include "io/bvh/bvh.h"
#include "io/fbx/fbx.h"
#include "io/mocap/markers.h"
#include "io/skinned/iqm.h"
#include "io/surface/surface.h"

static const char *const format_names[LMB_FORMAT_COUNT] = {
    [LMB_FORMAT_GLTF] = "glTF", [LMB_FORMAT_OBJ] = "OBJ", [LMB_FORMAT_MTL] = "MTL",
    [LMB_FORMAT_PLY] = "PLY",   [LMB_FORMAT_OFF] = "OFF", [LMB_FORMAT_STL] = "STL",
    [LMB_FORMAT_BVH] = "BVH",   [LMB_FORMAT_FBX] = "FBX", [LMB_FORMAT_IQM] = "IQM",
    [LMB_FORMAT_C3D] = "C3D",   [LMB_FORMAT_TRC] = "TRC", [LMB_FORMAT_CSV] = "CSV",
    [LMB_FORMAT_NPZ] = "NPZ",
};

static lmb_result refuse(lmb_format format, const char *expected, lmb_error *error)
{
    return lmbi_fail(error, LMB_ERROR_UNSUPPORTED, expected, "%s",
                     format < LMB_FORMAT_COUNT ? format_names[format] : "no format of the list");
}

lmb_result lmb_read(lmb_format format, const void *bytes, size_t size, const lmb_read_opts *opts,
                    const lmb_allocator *alloc, lmb_character **out, lmb_error *error)
{
    static const lmb_read_opts defaults;
    const lmb_read_opts *o = opts != NULL ? opts : &defaults;
    const lmbi_mesh_read_opts mesh = {.unit_m = o->unit_m, .up = o->up, .notes = o->notes};
    switch (format) {
    case LMB_FORMAT_GLTF:
        return lmb_gltf_read(bytes, size,
                             &(lmb_gltf_read_opts){.loader = o->loader, .notes = o->notes}, alloc,
                             out, error);
    case LMB_FORMAT_OBJ:
        return lmbi_obj_read(bytes, size,
                             &(lmbi_obj_read_opts){o->loader, o->unit_m, o->up, o->notes}, alloc,
                             out, error);
    case LMB_FORMAT_PLY:
        return lmbi_ply_read(bytes, size, &mesh, alloc, out, error);
    case LMB_FORMAT_OFF:
        return lmbi_off_read(bytes, size, &mesh, alloc, out, error);
    case LMB_FORMAT_STL:
        return lmbi_stl_read(bytes, size, &mesh, alloc, out, error);
    case LMB_FORMAT_BVH: {
        lmb_bvh_info info = {0};
        const lmbi_bvh_read_opts bvh = {.unit_m = o->unit_m,
                                        .up = o->up,
                                        .decimal_comma = o->decimal_comma,
                                        .keep_channels = o->keep_channels,
                                        .info = o->bvh != NULL ? o->bvh : &info};
        const lmb_result result = lmbi_bvh_read(bytes, size, &bvh, alloc, out, error);
        if (o->notes != NULL) {
            *o->notes = bvh.info->notes;
        }
        return result;
    }
    case LMB_FORMAT_FBX:
        return lmbi_fbx_read(bytes, size,
                             &(lmbi_fbx_read_opts){o->loader, o->unit_m, o->notes, o->fbx}, alloc,
                             out, error);
    case LMB_FORMAT_IQM:
        return lmbi_iqm_read(bytes, size,
                             &(lmbi_iqm_read_opts){o->loader, o->unit_m, o->up, o->notes}, alloc,
                             out, error);
    default:
        return refuse(format, "a format of characters that is read", error);
    }
}

lmb_result lmb_write(lmb_format format, const lmb_character *character, const lmb_write_opts *opts,
                     const lmb_allocator *alloc, lmb_buffer *out, lmb_error *error)
{
    static const lmb_write_opts defaults;
    static const lmb_appearance nothing;
    const lmb_write_opts *o = opts != NULL ? opts : &defaults;
    switch (format) {
    case LMB_FORMAT_GLTF:
        return lmb_gltf_write(character, &(lmb_gltf_write_opts){.text = o->text}, alloc, out,
                              error);
    case LMB_FORMAT_OBJ:
        return lmbi_obj_write(character,
                              &(lmbi_obj_write_opts){o->material_library, o->unit_m, o->up}, alloc,
                              out, error);
    case LMB_FORMAT_MTL:
        return lmbi_mtl_write(character->appearance != NULL ? character->appearance : &nothing,
                              alloc, out, error);
    case LMB_FORMAT_PLY:
        return lmbi_ply_write(character, &(lmbi_mesh_write_opts){o->unit_m, o->up, o->text}, alloc,
                              out, error);
    case LMB_FORMAT_BVH:
        return lmbi_bvh_write(
            character, &(lmbi_bvh_write_opts){o->clip, o->frame_rate, o->unit_m, o->up, o->order},
            alloc, out, error);
    default:
        return refuse(format, "a format that characters are written in", error);
    }
}

lmb_result lmb_markers_read(lmb_format format, const void *bytes, size_t size,
                            const lmb_markers_read_opts *opts, const lmb_allocator *alloc,
                            lmb_markers **out, lmb_error *error)
{
    switch (format) {
    case LMB_FORMAT_C3D:
        return lmbi_c3d_read(bytes, size, opts, alloc, out, error);
    case LMB_FORMAT_TRC:
        return lmbi_trc_read(bytes, size, opts, alloc, out, error);
    case LMB_FORMAT_CSV:
        return lmbi_marker_csv_read(bytes, size, opts, alloc, out, error);
    case LMB_FORMAT_NPZ:
        return lmbi_marker_npz_read(bytes, size, opts, alloc, out, error);
    default:
        return refuse(format, "a format of markers: C3D, TRC, CSV or NPZ", error);
    }
}

lmb_result lmb_markers_write(lmb_format format, const lmb_markers *markers,
                             const lmb_markers_write_opts *opts, const lmb_allocator *alloc,
                             lmb_buffer *out, lmb_error *error)
{
    switch (format) {
    case LMB_FORMAT_C3D:
        return lmbi_c3d_write(markers, opts, alloc, out, error);
    case LMB_FORMAT_TRC:
        return lmbi_trc_write(markers, opts, alloc, out, error);
    case LMB_FORMAT_CSV:
        return lmbi_marker_csv_write(markers, opts, alloc, out, error);
    default:
        return refuse(format, "a format that markers are written in: C3D, TRC or CSV", error);
    }
}
