/// How a clip keeps a character's skin on its ground.
#include <math.h>

#include "author/author.h"
#include "author/posed_skin.h"

enum { MOST_FRAMES = 120 };

static lmb_box skin_bounds(const lmbi_posed_skin *p, const lmb_clip *clip, double time_s,
                           const lmb_jobs *jobs)
{
    lmbi_posed_skin_pose(p, clip, time_s);
    lmbi_posed_skin_deform(p, jobs);
    return lmb_deformer_box(p->deformer);
}

static void measure_frames(const lmbi_posed_skin *p, const lmb_clip *clip, const lmb_jobs *jobs,
                           lmb_clearance *out)
{
    const double duration_s = (double)lmb_clip_duration_s(clip);
    const int frames = (int)fmin(ceil(duration_s * 30) + 1, (double)MOST_FRAMES);
    const lmb_box at_rest = skin_bounds(p, NULL, 0, jobs);
    const float rest = at_rest.low.y;
    *out = (lmb_clearance){true, 1e30f, -1e30f, at_rest.high.y - rest};
    for (int f = 0; f < frames; ++f) {
        const double time_s = frames > 1 ? duration_s * f / (frames - 1) : 0;
        const float height = skin_bounds(p, clip, time_s, jobs).low.y;
        out->min_m = fminf(out->min_m, height);
        out->max_m = fmaxf(out->max_m, height);
    }
    // Motions stand on height 0, also those on a body whose origin is in its middle.
    const float ground = fabsf(out->min_m) < fabsf(out->min_m - rest) ? 0 : rest;
    out->min_m -= ground;
    out->max_m -= ground;
}

lmb_result lmbi_clearance_measure(const lmb_character *character, const lmb_clip *clip,
                                  const lmb_jobs *jobs, const lmb_allocator *alloc,
                                  lmb_clearance *out, lmb_error *error)
{
    *out = (lmb_clearance){0};
    if (character->instance_count == 0) {
        return LMB_OK;
    }
    lmbi_posed_skin p;
    const lmb_result result = lmbi_posed_skin_create(character, alloc, &p, error);
    if (result == LMB_OK) {
        measure_frames(&p, clip, jobs, out);
        lmbi_posed_skin_free(&p);
    }
    return result;
}
