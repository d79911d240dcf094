/// Compresses one segment.
#include "anim/pack_work.h"

static bool compress_segment(pack_work *w)
{
    const pack *p = w->p;
    if (!lmbi_pack_alloc(w) || !lmbi_pack_load_source(w)) {
        return false;
    }
    for (uint32_t j = 0; j < p->skeleton->joint_count; ++j) {
        w->budgets[j] = 0.3f;
    }
    for (uint32_t c = 0; c < p->channel_count; ++c) {
        w->tracks[c].channel = &p->channels[c];
        w->order[c] = &w->tracks[c];
        lmbi_pack_load_track(w, &w->tracks[c]);
    }
    const uint32_t log2 = lmbi_pack_choose_spacing(w);
    for (uint32_t c = 0; c < p->channel_count; ++c) {
        lmbi_pack_fit_spline(&w->tracks[c], log2);
    }
    for (uint32_t b = 0; b < p->bank_count; ++b) {
        w->blocks[b] = (pack_blocks){.log2 = log2,
                                     .tracks = w->order + p->banks[b].first_channel,
                                     .track_count = p->banks[b].channel_count};
    }
    if (p->bank_count > 0) {
        lmbi_pack_search_budgets(w);
    }
    return lmbi_pack_write_verified(w);
}

void lmbi_pack_segment(const pack *p, uint32_t segment, pack_segment *out)
{
    const uint32_t left = p->sample_count - 1 - (segment << PACKED_SEGMENT_LOG2);
    pack_work w = {.p = p,
                   .segment = segment,
                   .intervals = left < PACK_SAMPLES - 1 ? left : PACK_SAMPLES - 1,
                   .out = out};
    lmbi_arena_init(&w.arena, p->alloc);
    out->failed = !compress_segment(&w);
    lmbi_arena_free(&w.arena);
}
