/// What a motion is: its names, whether it loops and travels, how long it takes.
#include <math.h>

#include "procedural/motion_play.h"

static float largest_travel(const lmb_motion *m)
{
    float most = 0;
    for (int axis = 0; axis < 3; ++axis) {
        most = fmaxf(most, fabsf(m->travel[axis]));
    }
    return most;
}

/// Whether the hips of a motion that plays once end elsewhere than they start.
static bool ends_elsewhere(const lmb_motion *m)
{
    bool found = false;
    for (uint32_t k = 0; k < m->track_count; ++k) {
        const lmbi_motion_track *t = &m->tracks[k];
        const bool is_place = t->row == ROW_HIPS_X || t->row == ROW_HIPS_Z;
        found = found || (is_place && !m->loops &&
                          fabsf(t->keys[t->count - 1].value - t->keys[0].value) > 1e-3f);
    }
    return found;
}

lmb_motion_info lmb_motion_describe(const lmb_motion *m)
{
    const bool is_gait = m->base == BASE_GAIT;
    return (lmb_motion_info){.name = m->name,
                             .title = m->title,
                             .tags = m->tags != NULL ? m->tags : "",
                             .body = m->body,
                             .is_loop = m->loops,
                             .is_gait = is_gait,
                             .travels = is_gait || largest_travel(m) > 0 || ends_elsewhere(m),
                             .length_s = !is_gait                      ? m->length
                                         : m->body == LMB_MOTION_HUMAN ? lmbi_motion_gait_s(m)
                                                                       : 0.0f};
}
