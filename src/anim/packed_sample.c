/// Plays a compressed clip.
#include <math.h>
#include <string.h>

#include "anim/channel.h"
#include "anim/unpack_kernels.h"

// (1 - u)^3 / 6, (3 u^3 - 6 u^2 + 4) / 6, (-3 u^3 + 3 u^2 + 3 u + 1) / 6, u^3 / 6
#define U(n) ((n) / 32.0f)
#define CUBIC(n)                                                                              \
    {                                                                                         \
        {                                                                                     \
            (1 - U(n)) * (1 - U(n)) * (1 - U(n)) / 6, ((3 * U(n) - 6) * U(n) * U(n) + 4) / 6, \
                (((3 - 3 * U(n)) * U(n) + 3) * U(n) + 1) / 6, U(n) * U(n) * U(n) / 6          \
        }                                                                                     \
    }
#define CUBICS(n) CUBIC(n), CUBIC((n) + 1), CUBIC((n) + 2), CUBIC((n) + 3)
const packed_cubic lmbi_packed_cubics[33] = {CUBICS(0),  CUBICS(4),  CUBICS(8),
                                             CUBICS(12), CUBICS(16), CUBICS(20),
                                             CUBICS(24), CUBICS(28), CUBIC(32)};

typedef struct packed_time {
    uint32_t segment;
    packed_position position; ///< 0 intervals when nothing moves
} packed_time;

/// The time in samples, with a fraction between samples.
static double sample_at(const lmb_packed_clip *clip, double time_s)
{
    const float *times = clip->tables->times;
    if (times == NULL) {
        return time_s * (double)clip->rate_hz;
    }
    uint32_t low = 0, high = clip->tables->sample_count; // times[low] <= time_s < times[high]
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        low = (double)times[middle] <= time_s ? middle : low;
        high = (double)times[middle] <= time_s ? high : middle;
    }
    if (low + 1 == clip->tables->sample_count) {
        return (double)low;
    }
    const double from = (double)times[low], span = (double)times[low + 1] - from;
    return (double)low + fmax(0, time_s - from) / span;
}

/// Locates a time in the clip.
static packed_time locate_time(const lmb_packed_clip *clip, double time_s, lmb_play_mode mode)
{
    const struct lmb_packed_tables *t = clip->tables;
    const double last = (double)(t->sample_count - 1);
    double at = sample_at(clip, lmb_time_in(time_s, (double)clip->duration_s, mode));
    at = at < last ? at : last;
    packed_time time = {0};
    if (t->segment_count > 0) {
        uint32_t sample = (uint32_t)at;
        sample = sample < t->sample_count - 1 ? sample : t->sample_count - 2;
        const uint32_t full = 1u << t->segment_log2;
        time.segment = sample >> t->segment_log2;
        time.position.first = sample & (full - 1);
        time.position.fraction = (float)(at - (double)sample);
        const uint32_t left = t->sample_count - 1 - (time.segment << t->segment_log2);
        time.position.intervals = left < full ? left : full;
    }
    return time;
}

/// Copies an octet's weights to the character's layout. A run may straddle octets.
static void write_octet_weights(const lmb_packed_sample_job *job, const packed_octet *octet,
                                const float *v)
{
    const lmb_packed_clip *clip = job->clip;
    uint32_t begin = 0;
    for (uint32_t r = 0; r < clip->weight_run_count; ++r) {
        const uint32_t joint = clip->weight_joints[r], width = clip->weight_widths[r];
        const uint32_t first = job->weight_first[joint];
        for (uint32_t i = 0; i < octet->count; ++i) {
            const uint32_t item = octet->items[0] + i;
            if (item >= begin && item - begin < width &&
                width == job->weight_first[joint + 1] - first) {
                job->weights[first + item - begin] = v[i];
            }
        }
        begin += width;
    }
}

static void copy_still_weights(const lmb_packed_sample_job *job)
{
    const lmb_packed_clip *clip = job->clip;
    const float *from = clip->tables->still_weights;
    for (uint32_t r = 0; r < clip->weight_run_count; ++r) {
        const uint32_t joint = clip->weight_joints[r], width = clip->weight_widths[r];
        const uint32_t first = job->weight_first[joint];
        if (width == job->weight_first[joint + 1] - first) {
            memcpy(job->weights + first, from, width * sizeof(float));
        }
        from += width;
    }
}

static void sample_exact(const lmb_packed_sample_job *job)
{
    lmb_sample(&(lmb_sample_job){.clip = job->clip->exact,
                                 .time_s = job->time_s,
                                 .mode = job->mode,
                                 .joint_count = job->clip->joint_count,
                                 .pose = job->pose,
                                 .weight_first = job->weight_first,
                                 .weights = job->weights});
}

void lmb_packed_sample(const lmb_packed_sample_job *job)
{
    const lmb_packed_clip *clip = job->clip;
    const struct lmb_packed_tables *tables = clip->tables;
    const lmbi_unpack_kernels *kernels = lmbi_unpack_pick(job->simd);
    const packed_time time = locate_time(clip, job->time_s, job->mode);
    const bool has_weights = job->weights != NULL && job->weight_first != NULL;
    memcpy(job->pose, tables->still, clip->joint_count * sizeof(lmb_transform));
    if (has_weights) {
        copy_still_weights(job);
    }
    for (uint32_t b = 0; time.position.intervals > 0 && b < tables->bank_count; ++b) {
        const packed_bank *bank = &tables->banks[b];
        packed_weights bank_weights;
        kernels->decode(bank, bank->words + bank->offsets[time.segment], &time.position, job->pose,
                        has_weights ? &bank_weights : NULL);
        for (uint32_t o = 0; has_weights && o < bank->octet_count; ++o) {
            if (bank->octets[o].kind == PACKED_WEIGHT) {
                write_octet_weights(job, &bank->octets[o], bank_weights.values[o]);
            }
        }
    }
    if (clip->exact != NULL) {
        sample_exact(job);
    }
}
