#include "skin/morph_set.h"

#include "base/alloc.h"
#include "base/error.h"

enum { POSITIONS, NORMALS, TANGENTS };

static const lmb_vec3 *displacements(const lmb_morph_target *target, int which)
{
    return which == POSITIONS ? target->positions
           : which == NORMALS ? target->normals
                              : target->tangents;
}

/// Compiles one attribute of the targets; leaves the stream empty if no target has it.
static lmb_result build_stream(lmb_morph_set *set, lmbi_morph_stream *stream, const lmb_mesh *mesh,
                               int which, const lmb_morph_set_opts *opts)
{
    const lmb_allocator *alloc = &set->allocator;
    const lmb_vec3 **deltas = lmbi_alloc_array(alloc, mesh->target_count, sizeof(lmb_vec3 *));
    bool any = false;
    if (deltas == NULL) {
        return LMB_ERROR_MEMORY;
    }
    for (uint32_t t = 0; t < mesh->target_count; ++t) {
        deltas[t] = displacements(&mesh->targets[t], which);
        any = any || deltas[t] != NULL;
    }
    const lmb_result result =
        !any ? LMB_OK
             : lmbi_morph_stream_build(stream, mesh->vertex_count, mesh->target_count, deltas,
                                       which == POSITIONS ? opts->tolerance : 0, opts->shorts,
                                       alloc);
    lmbi_free(alloc, deltas);
    return result;
}

static lmb_result build(lmb_morph_set *set, const lmb_mesh *mesh, const lmb_morph_set_opts *opts,
                        lmb_error *error)
{
    lmbi_morph_stream *const streams[] = {&set->positions, &set->normals, &set->tangents};
    set->vertex_count = mesh->vertex_count;
    set->target_count = mesh->target_count;
    for (int which = POSITIONS; which <= TANGENTS; ++which) {
        if (build_stream(set, streams[which], mesh, which, opts) != LMB_OK) {
            return lmbi_fail_memory(error);
        }
    }
    set->has_surface = opts->surface;
    return opts->surface ? lmbi_morph_surface_build(&set->surface, mesh, &set->allocator, error)
                         : LMB_OK;
}

lmb_result lmb_morph_set_create(const lmb_mesh *mesh, const lmb_morph_set_opts *opts,
                                const lmb_allocator *alloc, lmb_morph_set **out, lmb_error *error)
{
    const lmb_morph_set_opts none = {0};
    lmb_morph_set *set = lmbi_alloc(alloc, sizeof *set);
    if (set == NULL) {
        return lmbi_fail_memory(error);
    }
    set->allocator = alloc ? *alloc : (lmb_allocator){0};
    const lmb_result result = build(set, mesh, opts ? opts : &none, error);
    if (result != LMB_OK) {
        lmb_morph_set_destroy(set);
        return result;
    }
    *out = set;
    return LMB_OK;
}

void lmb_morph_set_destroy(lmb_morph_set *set)
{
    if (set != NULL) {
        const lmb_allocator alloc = set->allocator;
        lmbi_morph_stream_free(&set->positions, &alloc);
        lmbi_morph_stream_free(&set->normals, &alloc);
        lmbi_morph_stream_free(&set->tangents, &alloc);
        lmbi_morph_surface_free(&set->surface, &alloc);
        lmbi_free(&alloc, set);
    }
}

size_t lmb_morph_set_bytes(const lmb_morph_set *set)
{
    return lmbi_morph_stream_bytes(&set->positions) + lmbi_morph_stream_bytes(&set->normals) +
           lmbi_morph_stream_bytes(&set->tangents);
}
