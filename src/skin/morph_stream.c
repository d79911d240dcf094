#include "skin/morph_set.h"

#include <math.h>

#include "base/alloc.h"
#include "base/error.h"

enum {
    /// Longest gap of unmoved vertices that a run spans: a run costs about as much as three
    /// vertices.
    GAP = 2,
};

typedef struct builder {
    lmbi_morph_stream *stream;
    const lmb_vec3 *const *deltas;
    float tolerance_squared;
} builder;

static bool is_moved(const builder *b, uint32_t target, uint32_t v)
{
    const lmb_vec3 d = b->deltas[target][v];
    // Written so that NaN counts as moved.
    return !(lmb_vec3_dot(d, d) <= b->tolerance_squared) ||
           (b->tolerance_squared <= 0 && (d.x != 0 || d.y != 0 || d.z != 0));
}

static void store_deltas(const builder *b, uint32_t target, uint32_t begin, uint32_t end, size_t at)
{
    const lmbi_morph_stream *s = b->stream;
    for (uint32_t v = begin; v < end; ++v, at += 3) {
        const lmb_vec3 none = {0, 0, 0};
        const lmb_vec3 d = is_moved(b, target, v) ? b->deltas[target][v] : none;
        const float items[3] = {d.x, d.y, d.z};
        for (int k = 0; k < 3; ++k) {
            if (s->floats != NULL) {
                s->floats[at + (size_t)k] = items[k];
            } else {
                s->shorts[at + (size_t)k] = (int16_t)lrintf(items[k] / s->scales[target]);
            }
        }
    }
}

/// Counts the runs of one target in one chunk; also stores them if the arrays are allocated.
static lmbi_morph_piece build_piece(builder *b, uint32_t chunk, uint32_t target)
{
    lmbi_morph_stream *s = b->stream;
    lmbi_morph_piece piece = {s->delta_count, (uint32_t)s->run_count, 0};
    const uint32_t begin = chunk * LMBI_MORPH_CHUNK;
    const uint32_t end =
        s->vertex_count - begin < LMBI_MORPH_CHUNK ? s->vertex_count : begin + LMBI_MORPH_CHUNK;
    for (uint32_t v = begin; b->deltas[target] != NULL && v < end;) {
        if (!is_moved(b, target, v)) {
            ++v;
            continue;
        }
        uint32_t stop = v + 1;
        for (uint32_t next = stop; next < end && next - stop <= GAP; ++next) {
            stop = is_moved(b, target, next) ? next + 1 : stop;
        }
        if (s->runs != NULL) {
            s->runs[s->run_count] = (lmbi_morph_run){(uint16_t)(v - begin), (uint16_t)(stop - v)};
            store_deltas(b, target, v, stop, s->delta_count);
        }
        ++s->run_count;
        s->delta_count += (size_t)3 * (stop - v);
        ++piece.run_count;
        v = stop;
    }
    return piece;
}

static void build_pieces(builder *b)
{
    lmbi_morph_stream *s = b->stream;
    s->run_count = s->delta_count = 0;
    for (uint32_t chunk = 0; (size_t)chunk * LMBI_MORPH_CHUNK < s->vertex_count; ++chunk) {
        for (uint32_t t = 0; t < s->target_count; ++t) {
            s->pieces[(size_t)chunk * s->target_count + t] = build_piece(b, chunk, t);
        }
    }
}

/// Scale of each target: its greatest component becomes 32767.
static void find_scales(const builder *b)
{
    const lmbi_morph_stream *s = b->stream;
    for (uint32_t t = 0; t < s->target_count; ++t) {
        float most = 0;
        for (uint32_t v = 0; b->deltas[t] != NULL && v < s->vertex_count; ++v) {
            const lmb_vec3 d = b->deltas[t][v];
            most = fmaxf(most, fmaxf(fabsf(d.x), fmaxf(fabsf(d.y), fabsf(d.z))));
        }
        s->scales[t] = most > 0 ? most / 32767.0f : 1.0f;
    }
}

lmb_result lmbi_morph_stream_build(lmbi_morph_stream *s, uint32_t vertex_count,
                                   uint32_t target_count, const lmb_vec3 *const *deltas,
                                   float tolerance, bool shorts, const lmb_allocator *alloc)
{
    const size_t chunks = ((size_t)vertex_count + LMBI_MORPH_CHUNK - 1) / LMBI_MORPH_CHUNK;
    builder b = {s, deltas, tolerance * tolerance};
    *s = (lmbi_morph_stream){.vertex_count = vertex_count, .target_count = target_count};
    s->pieces = lmbi_alloc_array(alloc, lmbi_size_mul(chunks, target_count), sizeof *s->pieces);
    s->scales = lmbi_alloc_array(alloc, target_count, sizeof *s->scales);
    if (s->pieces == NULL || s->scales == NULL) {
        return LMB_ERROR_MEMORY;
    }
    find_scales(&b);
    build_pieces(&b);
    // A piece stores its first run in 32 bits.
    lmbi_morph_run *runs =
        s->run_count > UINT32_MAX ? NULL : lmbi_alloc_array(alloc, s->run_count, sizeof *runs);
    if (shorts) {
        s->shorts = lmbi_alloc_array(alloc, s->delta_count, sizeof *s->shorts);
    } else {
        s->floats = lmbi_alloc_array(alloc, s->delta_count, sizeof *s->floats);
    }
    s->runs = runs;
    if (runs == NULL || (s->shorts == NULL && s->floats == NULL)) {
        return LMB_ERROR_MEMORY;
    }
    build_pieces(&b);
    return LMB_OK;
}

void lmbi_morph_stream_free(lmbi_morph_stream *s, const lmb_allocator *alloc)
{
    lmbi_free(alloc, s->pieces);
    lmbi_free(alloc, s->runs);
    lmbi_free(alloc, s->floats);
    lmbi_free(alloc, s->shorts);
    lmbi_free(alloc, s->scales);
    *s = (lmbi_morph_stream){0};
}

size_t lmbi_morph_stream_bytes(const lmbi_morph_stream *s)
{
    const size_t chunks = ((size_t)s->vertex_count + LMBI_MORPH_CHUNK - 1) / LMBI_MORPH_CHUNK;
    return s->pieces == NULL
               ? 0
               : chunks * s->target_count * sizeof *s->pieces + s->run_count * sizeof *s->runs +
                     s->delta_count * (s->shorts ? sizeof *s->shorts : sizeof *s->floats);
}

void lmbi_morph_stream_add(const lmbi_morph_stream *s, uint32_t chunk, const float *weights,
                           lmb_simd simd, lmb_vec3 *out)
{
    const lmbi_morph_kernels *kernels = lmbi_morph_pick(simd);
    if (s->pieces == NULL) {
        return;
    }
    const lmbi_morph_piece *pieces = s->pieces + (size_t)chunk * s->target_count;
    for (uint32_t t = 0; t < s->target_count; ++t) {
        const lmbi_morph_piece *p = &pieces[t];
        if (p->run_count == 0 || !(weights[t] < 0 || weights[t] > 0)) {
            continue;
        }
        if (s->shorts != NULL) {
            kernels->add_shorts(&out->x, s->runs + p->run, p->run_count, s->shorts + p->delta,
                                weights[t] * s->scales[t]);
        } else {
            kernels->add_floats(&out->x, s->runs + p->run, p->run_count, s->floats + p->delta,
                                weights[t]);
        }
    }
}
