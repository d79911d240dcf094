#include <string.h>

#include "io/common.h"
#include "io/gltf/gltf.h"

static bool read_all(lmbi_gltf *g, const void *bytes, size_t size)
{
    return lmbi_gltf_open(g, bytes, size) && lmbi_gltf_buffers_read(g) &&
           lmbi_gltf_accessors_read(g) && lmbi_gltf_nodes_read(g) && lmbi_gltf_look_read(g) &&
           lmbi_gltf_draco_read(g) && lmbi_gltf_meshes_read(g) && lmbi_gltf_skins_read(g) &&
           lmbi_gltf_instances_read(g) && lmbi_gltf_clips_read(g);
}

lmb_result lmb_gltf_read(const void *bytes, size_t size, const lmb_gltf_read_opts *opts,
                         const lmb_allocator *alloc, lmb_character **out, lmb_error *error)
{
    static const lmb_gltf_read_opts defaults = {0};
    lmbi_gltf g = {.alloc = alloc, .opts = opts ? opts : &defaults, .error = error};
    if (g.opts->notes) {
        memset(g.opts->notes, 0, sizeof *g.opts->notes);
    }
    lmbi_arena_init(&g.arena, alloc);
    lmbi_gltf_budget_add(&g, (size_t)1 << 20);
    if (read_all(&g, bytes, size)) {
        g.result = lmb_character_create(&g.def, alloc, out, error);
    }
    if (g.result != LMB_OK) {
        lmbi_character_parts_destroy(&g.def);
    }
    lmbi_gltf_buffers_release(&g);
    lmbi_arena_free(&g.arena);
    return g.result;
}
