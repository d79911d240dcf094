/// Clips made from a clip, by what an edit asks for.
#include "anim/anim.h"

lmb_result lmb_clip_apply(const lmb_clip *clip, const lmb_clip_edit *edit,
                          const lmb_allocator *alloc, lmb_clip **out, lmb_error *error)
{
    switch (edit->op) {
    case LMB_CLIP_RESAMPLE:
        return lmbi_clip_resample(clip, edit->rate_hz, alloc, out, error);
    case LMB_CLIP_TRIM:
        return lmbi_clip_trim(clip, edit->begin_s, edit->end_s, alloc, out, error);
    case LMB_CLIP_REVERSE:
        return lmbi_clip_reverse(clip, alloc, out, error);
    case LMB_CLIP_MIRROR:
        return lmbi_clip_mirror(clip, edit->skeleton, edit->pairs, edit->rate_hz, alloc, out,
                                error);
    case LMB_CLIP_CLOSE:
        return lmbi_clip_close(clip, edit->skeleton, edit->root, edit->blend_s, edit->rate_hz,
                               alloc, out, error);
    case LMB_CLIP_SMOOTH:
        return lmbi_clip_smooth(clip, &edit->tangents, alloc, out, error);
    case LMB_CLIP_REDUCE:
        break;
    }
    return lmbi_clip_reduce(edit->skeleton, clip, edit->precision_m, edit->reach_m, alloc, out,
                            error);
}
