/// Compresses a clip, and unpacks it again.
#include <math.h>
#include <string.h>

#include "anim/anim.h"
#include "anim/pack.h"
#include "anim/pack_work.h"
#include "base/alloc.h"
#include "base/error.h"

// ------------------------------------------------------------------------------------ compressing

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

static void compress_segment_alone(const pack *p, uint32_t segment, pack_segment *out)
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

/// Segments compressed between two progress reports.
enum { BATCH = 64 };

typedef struct segment_batch {
    const pack *p;
    pack_segment *segments;
    uint32_t first;
} segment_batch;

static void pack_piece(void *context, size_t begin, size_t end)
{
    const segment_batch *b = context;
    for (size_t s = begin; s < end; ++s) {
        compress_segment_alone(b->p, b->first + (uint32_t)s, &b->segments[b->first + s]);
    }
}

static lmb_result pack_segments(const pack *p, const lmb_pack_opts *opts, pack_segment *segments,
                                lmb_error *error)
{
    for (uint32_t first = 0; first < p->segment_count; first += BATCH) {
        const uint32_t left = p->segment_count - first;
        const lmb_progress *progress = opts->progress;
        if (progress != NULL && progress->report != NULL &&
            !progress->report(progress->user, "compress", (float)first / (float)p->segment_count)) {
            return lmbi_fail(error, LMB_ERROR_CANCELLED, "to go on", "a request to stop");
        }
        segment_batch b = {p, segments, first};
        lmb_parallel_for(opts->jobs, left < BATCH ? left : BATCH, 1, pack_piece, &b);
    }
    for (uint32_t s = 0; s < p->segment_count; ++s) {
        if (segments[s].failed) {
            return lmbi_fail_memory(error);
        }
    }
    return LMB_OK;
}

static void free_segments(const pack *p, pack_segment *segments)
{
    for (uint32_t s = 0; segments != NULL && s < p->segment_count; ++s) {
        for (uint32_t b = 0; segments[s].words != NULL && b < p->bank_count; ++b) {
            lmbi_free(p->alloc, segments[s].words[b]);
        }
        lmbi_free(p->alloc, segments[s].words);
        lmbi_free(p->alloc, segments[s].word_counts);
    }
}

static lmb_result open_words(const pack *p, const uint32_t *words, size_t count,
                             lmb_packed_clip **out, lmb_error *error)
{
    const lmb_clip exact = {.name = p->clip->name,
                            .ticks_per_s = p->clip->ticks_per_s,
                            .duration = p->clip->duration,
                            .frame_rate = p->clip->frame_rate,
                            .channel_count = p->exact_count,
                            .channels = p->exact};
    return lmbi_packed_clip_open(p->skeleton, p->clip->name, words, count,
                                 p->exact_count > 0 ? &exact : NULL, p->alloc, out, error);
}

static lmb_result compress_clip(pack *p, const lmb_pack_opts *opts, lmb_packed_clip **out,
                                lmb_error *error)
{
    if (!lmbi_pack_analyse(p, opts->rate_hz)) {
        return lmbi_fail_memory(error);
    }
    pack_segment *segments = lmbi_arena_array(&p->arena, p->segment_count, sizeof(pack_segment));
    if (segments == NULL) {
        return lmbi_fail_memory(error);
    }
    lmb_result result = pack_segments(p, opts, segments, error);
    float worst = 0;
    for (uint32_t s = 0; s < p->segment_count; ++s) {
        worst = fmaxf(worst, segments[s].error);
    }
    if (result == LMB_OK) {
        size_t count = 0;
        uint32_t *words = lmbi_pack_write_clip(p, segments, worst, &count);
        result = words != NULL ? open_words(p, words, count, out, error) : lmbi_fail_memory(error);
        lmbi_free(p->alloc, words);
    }
    free_segments(p, segments);
    return result;
}

static lmb_result check_input(const lmb_skeleton *skeleton, const lmb_clip *clip,
                              const lmb_pack_opts *opts, lmb_error *error)
{
    if (skeleton->joint_count >= PACKED_NO_JOINT) {
        return lmbi_fail(error, LMB_ERROR_UNSUPPORTED, "up to 65 534 joints", "%u",
                         skeleton->joint_count);
    }
    for (uint32_t c = 0; c < clip->channel_count; ++c) {
        if (clip->channels[c].joint >= skeleton->joint_count) {
            return lmbi_fail(error, LMB_ERROR_INVALID, "channels of the skeleton's joints",
                             "joint %u of %u", clip->channels[c].joint, skeleton->joint_count);
        }
    }
    if (!(opts->precision_m >= 1e-7f) || !(opts->precision_m <= 1)) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a precision of 0.0000001 to 1 m", "%g",
                         (double)opts->precision_m);
    }
    return LMB_OK;
}

lmb_result lmb_packed_clip_create(const lmb_skeleton *skeleton, const lmb_clip *clip,
                                  const lmb_pack_opts *given, const lmb_allocator *alloc,
                                  lmb_packed_clip **out, lmb_error *error)
{
    lmb_pack_opts opts = given != NULL ? *given : (lmb_pack_opts){0};
    opts.precision_m = opts.precision_m < 0 || opts.precision_m > 0 ? opts.precision_m : 1e-4f;
    opts.shell_m = opts.shell_m > 0 ? opts.shell_m : 0.03f;
    opts.weight_m = opts.weight_m > 0 ? opts.weight_m : 0.1f;
    lmb_result result = check_input(skeleton, clip, &opts, error);
    if (result != LMB_OK) {
        return result;
    }
    pack p = {.skeleton = skeleton,
              .clip = clip,
              .alloc = alloc,
              .precision = opts.precision_m,
              .weight_m = opts.weight_m,
              .reach = opts.reach_m};
    lmbi_arena_init(&p.arena, alloc);
    if (p.reach == NULL) {
        float *shell = lmbi_arena_array(&p.arena, skeleton->joint_count, sizeof(float));
        for (uint32_t j = 0; shell != NULL && j < skeleton->joint_count; ++j) {
            shell[j] = opts.shell_m;
        }
        p.reach = shell;
    }
    result = p.reach != NULL ? compress_clip(&p, &opts, out, error) : lmbi_fail_memory(error);
    lmbi_arena_free(&p.arena);
    return result;
}

// -------------------------------------------------------------------------------------- unpacking

typedef struct unpacked {
    lmbi_arena arena;
    lmb_clip draft;
    float *ticks;
    uint32_t samples;
} unpacked;

static lmb_channel *add_channel(unpacked *u, uint32_t joint, lmb_path path, uint32_t width)
{
    lmb_channel *channel = &u->draft.channels[u->draft.channel_count];
    *channel = (lmb_channel){
        .joint = joint,
        .path = path,
        .width = width,
        .key_count = u->samples,
        .ticks = u->ticks,
        .values = lmbi_arena_array(&u->arena, lmbi_size_mul(u->samples, width), sizeof(float))};
    if (channel->values == NULL) {
        return NULL;
    }
    ++u->draft.channel_count;
    return channel;
}

static bool has_exact_channel(const lmb_packed_clip *packed, uint32_t joint, lmb_path path)
{
    for (uint32_t c = 0; packed->exact != NULL && c < packed->exact->channel_count; ++c) {
        const lmb_channel *channel = &packed->exact->channels[c];
        if (channel->joint == joint && channel->path == path) {
            return true;
        }
    }
    return false;
}

static bool differs(const float *a, const float *b, uint32_t count)
{
    return memcmp(a, b, count * sizeof(float)) != 0;
}

static const uint32_t field_first[3] = {0, 3, 7}, field_count[3] = {3, 4, 3};

static bool is_moving(const lmb_packed_clip *packed, uint32_t joint, lmb_path path)
{
    static const packed_kind kinds[3] = {PACKED_TRANSLATION, PACKED_ROTATION, PACKED_SCALE};
    for (uint32_t b = 0; b < packed->tables->bank_count; ++b) {
        const packed_bank *bank = &packed->tables->banks[b];
        for (uint32_t o = 0; o < bank->octet_count; ++o) {
            const packed_octet *octet = &bank->octets[o];
            for (uint32_t i = 0; octet->kind == kinds[path] && i < octet->count; ++i) {
                if (octet->items[i] == joint) {
                    return true;
                }
            }
        }
    }
    return false;
}

static bool add_joint_channels(unpacked *u, const lmb_packed_clip *packed,
                               const lmb_skeleton *skeleton, uint32_t joint)
{
    float rest[10], still[10];
    memcpy(rest, &skeleton->rest[joint], sizeof(rest));
    memcpy(still, &packed->tables->still[joint], sizeof(still));
    for (uint32_t path = 0; path < 3; ++path) {
        const uint32_t first = field_first[path], width = field_count[path];
        if (has_exact_channel(packed, joint, (lmb_path)path)) {
            continue;
        }
        const bool moving = is_moving(packed, joint, (lmb_path)path);
        if (!moving && !differs(rest + first, still + first, width)) {
            continue;
        }
        lmb_channel *channel = add_channel(u, joint, (lmb_path)path, width);
        if (channel == NULL) {
            return false;
        }
        channel->key_count = moving ? u->samples : 1;
    }
    return true;
}

static bool fill_keys(unpacked *u, const lmb_packed_clip *packed)
{
    lmb_transform *pose = lmbi_arena_array(&u->arena, packed->joint_count, sizeof(lmb_transform));
    uint32_t *first =
        lmbi_arena_array(&u->arena, (size_t)packed->joint_count + 1, sizeof(uint32_t));
    uint32_t weight_count = 0;
    for (uint32_t j = 0, r = 0; first != NULL && j < packed->joint_count; ++j) {
        first[j] = weight_count;
        if (r < packed->weight_run_count && packed->weight_joints[r] == j) {
            weight_count += packed->weight_widths[r++];
        }
        first[j + 1] = weight_count;
    }
    float *weights = lmbi_arena_array(&u->arena, weight_count, sizeof(float));
    if (pose == NULL || first == NULL || weights == NULL) {
        return false;
    }
    for (uint32_t s = 0; s < u->samples; ++s) {
        lmb_packed_sample(&(lmb_packed_sample_job){
            .clip = packed,
            .time_s = packed->tables->times != NULL ? (double)packed->tables->times[s]
                                                    : (double)s / (double)packed->rate_hz,
            .pose = pose,
            .weight_first = first,
            .weights = weights});
        for (uint32_t c = 0; c < u->draft.channel_count; ++c) {
            lmb_channel *channel = &u->draft.channels[c];
            float fields[10];
            memcpy(fields, &pose[channel->joint], sizeof(fields));
            const float *from = channel->path == LMB_PATH_WEIGHTS
                                    ? weights + first[channel->joint]
                                    : fields + field_first[channel->path];
            if (s < channel->key_count) {
                memcpy(channel->values + (size_t)s * channel->width, from,
                       channel->width * sizeof(float));
            }
        }
    }
    return true;
}

static bool unpack_into(unpacked *u, const lmb_packed_clip *packed, const lmb_skeleton *skeleton)
{
    const uint32_t exact = packed->exact != NULL ? packed->exact->channel_count : 0;
    const size_t most = 3 * (size_t)packed->joint_count + packed->weight_run_count + exact;
    u->samples = packed->sample_count;
    u->ticks = lmbi_arena_array(&u->arena, u->samples, sizeof(float));
    u->draft.channels = lmbi_arena_array(&u->arena, most, sizeof(lmb_channel));
    if (u->ticks == NULL || u->draft.channels == NULL) {
        return false;
    }
    for (uint32_t s = 0; s < u->samples; ++s) {
        u->ticks[s] = packed->tables->times != NULL ? packed->tables->times[s] : (float)s;
    }
    for (uint32_t j = 0; j < packed->joint_count; ++j) {
        if (!add_joint_channels(u, packed, skeleton, j)) {
            return false;
        }
    }
    for (uint32_t r = 0; r < packed->weight_run_count; ++r) {
        if (!add_channel(u, packed->weight_joints[r], LMB_PATH_WEIGHTS, packed->weight_widths[r])) {
            return false;
        }
    }
    return fill_keys(u, packed);
}

/// Adds the keyed channels, with ticks converted to samples.
static bool add_exact(unpacked *u, const lmb_packed_clip *packed)
{
    const lmb_clip *exact = packed->exact;
    const float per_s = exact->ticks_per_s > 0 ? exact->ticks_per_s : 1;
    const float ticks = u->draft.ticks_per_s;
    for (uint32_t c = 0; c < exact->channel_count; ++c) {
        lmb_channel *to = &u->draft.channels[u->draft.channel_count++];
        *to = exact->channels[c];
        to->ticks = lmbi_arena_array(&u->arena, to->key_count, sizeof(float));
        if (to->ticks == NULL) {
            return false;
        }
        const size_t values =
            (size_t)to->key_count * to->width * (to->interpolation == LMB_CUBIC ? 3 : 1);
        to->values = lmbi_arena_array(&u->arena, values, sizeof(float));
        if (to->values == NULL) {
            return false;
        }
        memcpy(to->values, exact->channels[c].values, values * sizeof(float));
        for (uint32_t k = 0; k < to->key_count; ++k) {
            to->ticks[k] = exact->channels[c].ticks[k] * (ticks / per_s);
        }
        // Tangents are per tick.
        for (uint32_t k = 0; to->interpolation == LMB_CUBIC && k < to->key_count; ++k) {
            for (uint32_t i = 0; i < to->width; ++i) {
                float *key = to->values + (size_t)k * 3 * to->width;
                key[i] *= per_s / ticks;
                key[2 * to->width + i] *= per_s / ticks;
            }
        }
    }
    return true;
}

lmb_result lmb_packed_clip_unpack(const lmb_packed_clip *packed, const lmb_skeleton *skeleton,
                                  const lmb_allocator *alloc, lmb_clip **out, lmb_error *error)
{
    // At a uniform rate a sample is one tick; otherwise ticks are seconds.
    const float per_s = packed->tables->times != NULL ? 1 : packed->rate_hz;
    unpacked u = {.draft = {.name = packed->name,
                            .ticks_per_s = per_s,
                            .frame_rate = packed->rate_hz,
                            .duration = packed->duration_s * per_s}};
    lmbi_arena_init(&u.arena, alloc);
    const bool built =
        unpack_into(&u, packed, skeleton) && (packed->exact == NULL || add_exact(&u, packed));
    const lmb_result result =
        built ? lmb_clip_create(&u.draft, alloc, out, error) : lmbi_fail_memory(error);
    lmbi_arena_free(&u.arena);
    return result;
}
