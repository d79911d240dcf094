#include <assert.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "skin/binding.h"
#include "skin/morph_set.h"

// ------------------------------------------------------------------------------------- blending

enum { POSITIONS, NORMALS, TANGENTS };

static const lmb_vec3 *displacements(const lmb_morph_target *target, int which)
{
    return which == POSITIONS ? target->positions
           : which == NORMALS ? target->normals
                              : target->tangents;
}

/// Adds weights * displacements to the vertices [begin, end), in the order of the targets; out[0]
/// is vertex `begin`.
static void add_dense(const lmb_morph_job *job, int which, size_t begin, size_t end, lmb_vec3 *out)
{
    for (uint32_t t = 0; t < job->mesh->target_count; ++t) {
        const lmb_morph_target *target = &job->mesh->targets[t];
        const lmb_vec3 *deltas = displacements(target, which);
        const float weight = job->weights[t];
        if (deltas == NULL || !(weight < 0 || weight > 0)) {
            continue;
        }
        for (size_t v = begin; v < end; ++v) {
            out[v - begin] = lmb_vec3_mad(out[v - begin], deltas[v], weight);
        }
    }
}

/// add_dense, or the compiled set if there is one. `begin` is the first vertex of a chunk.
static void add_targets(const lmb_morph_job *job, int which, size_t begin, size_t end,
                        lmb_vec3 *out)
{
    if (job->weights == NULL) {
        return;
    }
    if (job->set == NULL) {
        add_dense(job, which, begin, end, out);
        return;
    }
    const lmbi_morph_stream *streams[] = {&job->set->positions, &job->set->normals,
                                          &job->set->tangents};
    lmbi_morph_stream_add(streams[which], (uint32_t)(begin / LMBI_MORPH_CHUNK), job->weights,
                          job->simd, out);
}

static void morph_tangents(const lmb_morph_job *job, size_t begin, size_t end)
{
    lmb_vec3 sums[LMBI_MORPH_CHUNK];
    for (size_t v = begin; v < end; ++v) {
        const lmb_vec4 t = job->mesh->tangents[v];
        sums[v - begin] = lmb_vec3_make(t.x, t.y, t.z);
    }
    add_targets(job, TANGENTS, begin, end, sums);
    for (size_t v = begin; v < end; ++v) {
        const lmb_vec3 t = lmbi_unit(sums[v - begin]);
        job->out_tangents[v] = (lmb_vec4){t.x, t.y, t.z, job->mesh->tangents[v].w};
    }
}

static void morph_vertices(void *context, size_t begin, size_t end)
{
    const lmb_morph_job *job = context;
    const lmb_mesh *mesh = job->mesh;
    memmove(job->out_positions + begin, mesh->positions + begin, (end - begin) * sizeof(lmb_vec3));
    add_targets(job, POSITIONS, begin, end, job->out_positions + begin);
    if (job->recompute_normals) {
        return;
    }
    if (job->out_normals != NULL && mesh->normals != NULL) {
        memmove(job->out_normals + begin, mesh->normals + begin, (end - begin) * sizeof(lmb_vec3));
        add_targets(job, NORMALS, begin, end, job->out_normals + begin);
        for (size_t v = begin; v < end; ++v) {
            job->out_normals[v] = lmbi_unit(job->out_normals[v]);
        }
    }
    if (job->out_tangents != NULL && mesh->tangents != NULL) {
        morph_tangents(job, begin, end);
    }
}

// ---------------------------------------------------------------------------- recomputed normals

/// Applies the shortest rotation from unit `from` to unit `to` to v: v c + a x v + a (a.v) / (1 +
/// c), with c their cosine and a their cross product.
static lmb_vec3 rotate_between(lmb_vec3 from, lmb_vec3 to, lmb_vec3 v)
{
    const float c = lmb_vec3_dot(from, to);
    const lmb_vec3 a = lmb_vec3_cross(from, to);
    if (c < -0.999f) {
        return lmb_quat_rotate(lmb_quat_between(from, to), v);
    }
    const lmb_vec3 sum = lmb_vec3_mad(lmb_vec3_cross(a, v), v, c);
    return lmb_vec3_mad(sum, a, lmb_vec3_dot(a, v) / (1 + c));
}

static bool is_zero(lmb_vec3 v)
{
    return lmb_vec3_dot(v, v) <= 0;
}

static void rotate_normals(void *context, size_t begin, size_t end)
{
    const lmb_morph_job *job = context;
    const lmb_mesh *mesh = job->mesh;
    for (size_t v = begin; v < end; ++v) {
        const lmb_vec3 rest = job->set->surface.normals[v];
        lmb_vec3 now =
            lmbi_morph_surface_normal(&job->set->surface, job->out_positions, (uint32_t)v);
        // Where the surface has no normal, at rest or morphed, nothing is rotated.
        now = is_zero(now) ? rest : now;
        if (job->out_normals != NULL && mesh->normals != NULL) {
            const lmb_vec3 n = mesh->normals[v];
            job->out_normals[v] = lmbi_unit(is_zero(rest) ? n : rotate_between(rest, now, n));
        }
        if (job->out_tangents != NULL && mesh->tangents != NULL) {
            const lmb_vec4 t = mesh->tangents[v];
            const lmb_vec3 along = lmb_vec3_make(t.x, t.y, t.z);
            const lmb_vec3 u = lmbi_unit(is_zero(rest) ? along : rotate_between(rest, now, along));
            job->out_tangents[v] = (lmb_vec4){u.x, u.y, u.z, t.w};
        }
    }
}

void lmb_morph(const lmb_morph_job *job)
{
    lmb_morph_job copy = *job;
    assert(job->set == NULL || (job->set->vertex_count == job->mesh->vertex_count &&
                                job->set->target_count == job->mesh->target_count));
    assert(!job->recompute_normals || (job->set != NULL && job->set->has_surface));
    if (copy.weights == NULL) {
        copy.weights = job->mesh->target_weights;
    }
    lmb_parallel_for(job->jobs, job->mesh->vertex_count, LMBI_MORPH_CHUNK, morph_vertices, &copy);
    if (job->recompute_normals) {
        lmb_parallel_for(job->jobs, job->mesh->vertex_count, LMBI_MORPH_CHUNK, rotate_normals,
                         &copy);
    }
}

// ---------------------------------------------------------------------------------------- targets

void lmb_morph_difference(const lmb_morph_difference_job *job)
{
    const lmb_mesh *mesh = job->mesh;
    for (uint32_t v = 0; v < mesh->vertex_count; ++v) {
        if (job->positions != NULL && job->out_positions != NULL) {
            job->out_positions[v] = lmb_vec3_sub(job->positions[v], mesh->positions[v]);
        }
        if (job->normals != NULL && mesh->normals != NULL && job->out_normals != NULL) {
            job->out_normals[v] = lmb_vec3_sub(job->normals[v], mesh->normals[v]);
        }
        if (job->tangents != NULL && mesh->tangents != NULL && job->out_tangents != NULL) {
            const lmb_vec4 a = job->tangents[v], b = mesh->tangents[v];
            job->out_tangents[v] = lmb_vec3_make(a.x - b.x, a.y - b.y, a.z - b.z);
        }
    }
}

// -------------------------------------------------------------------------------------------- sets

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
