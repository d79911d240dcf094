#include <string.h>

#include "io/gltf/gltf.h"

static bool read_all(lmbi_gltf *g, const void *bytes, size_t size)
{
    return lmbi_gltf_open(g, bytes, size) && lmbi_gltf_buffers_read(g) &&
           lmbi_gltf_accessors_read(g) && lmbi_gltf_nodes_read(g) && lmbi_gltf_look_read(g) &&
           lmbi_gltf_meshes_read(g) && lmbi_gltf_skins_read(g) && lmbi_gltf_instances_read(g) &&
           lmbi_gltf_clips_read(g);
}

static void destroy_parts(const lmb_character *def)
{
    lmb_skeleton_destroy(def->skeleton);
    lmb_appearance_destroy(def->appearance);
    for (uint32_t k = 0; k < def->mesh_count; ++k) {
        lmb_mesh_destroy(def->meshes[k]);
    }
    for (uint32_t k = 0; k < def->skin_count; ++k) {
        lmb_skin_destroy(def->skins[k]);
    }
    for (uint32_t k = 0; k < def->clip_count; ++k) {
        lmb_clip_destroy(def->clips[k]);
    }
}

lmb_result lmb_gltf_read(const void *bytes, size_t size, const lmb_gltf_read_opts *opts,
                         const lmb_allocator *alloc, lmb_character **out, lmb_error *error)
{
    static const lmb_gltf_read_opts defaults = {0};
    lmbi_gltf g;
    memset(&g, 0, sizeof g);
    g.alloc = alloc;
    g.opts = opts ? opts : &defaults;
    g.error = error;
    if (g.opts->notes) {
        memset(g.opts->notes, 0, sizeof *g.opts->notes);
    }
    lmbi_arena_init(&g.arena, alloc);
    lmbi_gltf_budget_add(&g, (size_t)1 << 20);
    if (read_all(&g, bytes, size)) {
        g.result = lmb_character_create(&g.def, alloc, out, error);
    }
    if (g.result != LMB_OK) {
        destroy_parts(&g.def);
    }
    lmbi_gltf_buffers_release(&g);
    lmbi_arena_free(&g.arena);
    return g.result;
}
