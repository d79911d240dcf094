/// The source clip at the half samples of the packer, and measures of rotations and steps.
#include <math.h>
#include <string.h>

#include "anim/mix.h"
#include "anim/pack.h"
#include "base/alloc.h"

static double half_sample_time(const pack *p, uint32_t half)
{
    if (p->times == NULL) {
        return (double)half / (2 * p->rate_hz);
    }
    const double at = (double)p->times[half / 2];
    return (half & 1u) == 0 ? at : at + ((double)p->times[half / 2 + 1] - at) * 0.5;
}

void lmbi_pack_sample_source(const pack *p, uint32_t half, uint32_t *cursors, lmb_transform *pose,
                             float *weights)
{
    lmb_sample(&(lmb_sample_job){.clip = p->clip,
                                 .time_s = fmin(half_sample_time(p, half), p->duration_s),
                                 .joint_count = p->skeleton->joint_count,
                                 .rest = p->skeleton->rest,
                                 .pose = pose,
                                 .weight_first = weights != NULL ? p->weight_first : NULL,
                                 .weights = weights,
                                 .cursors = cursors});
    // The decoder returns unit rotations, so compare with normalised ones.
    for (uint32_t j = 0; j < p->skeleton->joint_count; ++j) {
        pose[j].rotation = lmbi_quat_unit(pose[j].rotation, lmb_quat_identity());
    }
}

bool lmbi_pack_is_stepped(const lmb_channel *channel)
{
    const uint32_t last = channel->key_count - 1;
    const float step_gap =
        last > 0 ? 0.01f * (channel->ticks[last] - channel->ticks[0]) / (float)last : 0.0f;
    for (uint32_t k = 1; k < channel->key_count; ++k) {
        if (!(channel->ticks[k] - channel->ticks[k - 1] > step_gap)) {
            return true;
        }
    }
    return channel->interpolation == LMB_STEP && channel->key_count > 1;
}

float lmbi_pack_rotation_distance(lmb_quat a, lmb_quat b)
{
    const float sign = lmb_quat_dot(a, b) < 0 ? -1.0f : 1.0f;
    const float x = a.x - sign * b.x, y = a.y - sign * b.y, z = a.z - sign * b.z,
                w = a.w - sign * b.w;
    return 2 * sqrtf(x * x + y * y + z * z + w * w);
}
