/// Packets of the Virtual Motion Capture protocol to frames, and smooth playback of the frames.
#include "io/stream/vmc.h"
#include "io/stream/osc.h"
#include "math/math.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"

#define DELAY 0.05
#define RESTART 1.0 ///< seconds: when the clock goes back by more, the sender has restarted
#define SHORTEST_INTERVAL 1e-4 ///< seconds: least interval of frames that is believed
#define OFFSET_FOLLOW 0.0005   ///< fraction by which the clock offset follows a slower packet

enum { WAITING = 64, SHAPE_NAME_SIZE = 64 };

/// Blend shapes by name: each comes in a message of its own, and all take effect together when the
/// sender says so.
typedef struct shape_values {
    uint32_t count;
    char names[LMB_VMC_SHAPES][SHAPE_NAME_SIZE];
    const char *list[LMB_VMC_SHAPES]; ///< the names as pointers
    float received[LMB_VMC_SHAPES], applied[LMB_VMC_SHAPES];
    bool applies; ///< the sender has sent "apply" once: `applied` counts, not `received`
} shape_values;

struct lmbi_vmc {
    lmb_allocator alloc;
    double delay_s, now_s;
    lmbi_vmc_report report;
    lmb_vmc_frame open; ///< the frame being received
    shape_values shapes;
    bool has_time; ///< the sender's time of `open` is known
    double time_s; ///< the sender's time as last received
    bool clock_known;
    uint32_t bones_before;      ///< number of bones in the previous frame
    double clock_offset_s;      ///< receiver's clock minus sender's, of the fastest packets
    double frame_interval_s;    ///< usual interval of frames; 0 at first
    uint64_t newest, delivered; ///< frames completed, and handed to the caller, since the start
    lmb_vmc_frame ring[WAITING];
};

lmb_result lmbi_vmc_create(double delay_s, const lmb_allocator *alloc, lmbi_vmc **out,
                           lmb_error *error)
{
    lmbi_vmc *vmc = lmbi_alloc(alloc, sizeof *vmc);
    if (vmc == NULL) {
        return lmbi_fail_memory(error);
    }
    vmc->alloc = alloc ? *alloc : (lmb_allocator){0};
    vmc->delay_s = delay_s > 0 ? delay_s : DELAY;
    vmc->open.root = lmb_transform_identity();
    *out = vmc;
    return LMB_OK;
}

void lmbi_vmc_destroy(lmbi_vmc *vmc)
{
    if (vmc != NULL) {
        const lmb_allocator alloc = vmc->alloc;
        lmbi_free(&alloc, vmc);
    }
}

lmbi_vmc_report lmbi_vmc_state(const lmbi_vmc *vmc)
{
    return vmc->report;
}

// ------------------------------------------------------------------------------------ blend shapes

/// The shape's index; a new name gets the next one. LMB_VMC_SHAPES when there are too many.
static uint32_t find_or_add_shape(shape_values *shapes, const char *name)
{
    uint32_t k = 0;
    while (k < shapes->count && strcmp(shapes->names[k], name) != 0) {
        ++k;
    }
    if (k == shapes->count && k < LMB_VMC_SHAPES) {
        strcpy(shapes->names[k], name);
        shapes->list[k] = shapes->names[k];
        shapes->count += 1;
    }
    return k;
}

static bool receive_shape(shape_values *shapes, const lmbi_osc_message *message)
{
    const lmbi_osc_argument *name = &message->arguments[0], *value = &message->arguments[1];
    if (message->argument_count < 2 || name->type != 's' || name->size == 0 ||
        name->size >= SHAPE_NAME_SIZE || (value->type != 'f' && value->type != 'd') ||
        !(fabs(value->real) < 1e3)) {
        return false;
    }
    const uint32_t shape = find_or_add_shape(shapes, name->text);
    if (shape == LMB_VMC_SHAPES) {
        return false;
    }
    shapes->received[shape] = (float)value->real;
    return true;
}

static void apply_shapes(shape_values *shapes)
{
    shapes->applies = true;
    memcpy(shapes->applied, shapes->received, sizeof shapes->applied);
}

static void store_shapes(const shape_values *shapes, lmb_vmc_frame *frame)
{
    const float *values = shapes->applies ? shapes->applied : shapes->received;
    frame->shape_count = shapes->count;
    frame->shape_names = shapes->list;
    memcpy(frame->shapes, values, shapes->count * sizeof *values);
}

// ----------------------------------------------------------------------------------- receiving

static uint32_t count_bits(uint64_t bits)
{
    uint32_t count = 0;
    for (; bits != 0; bits &= bits - 1) {
        ++count;
    }
    return count;
}

/// Tracks the offset of the clocks. The fastest packet has the least network delay, so the least
/// offset counts; a larger one is followed slowly, in case the sender's clock runs slow.
static void track_clock(lmbi_vmc *vmc, const lmb_vmc_frame *frame)
{
    const double offset = frame->arrived_s - frame->time_s;
    const bool first = vmc->newest == 0;
    if (first || offset < vmc->clock_offset_s) {
        vmc->clock_offset_s = offset;
    } else {
        vmc->clock_offset_s += OFFSET_FOLLOW * (offset - vmc->clock_offset_s);
    }
}

static void track_interval(lmbi_vmc *vmc, double step_s)
{
    if (vmc->frame_interval_s > 0 && step_s > 1.5 * vmc->frame_interval_s && step_s < RESTART) {
        const double frame_interval_s =
            vmc->frame_interval_s > SHORTEST_INTERVAL ? vmc->frame_interval_s : SHORTEST_INTERVAL;
        vmc->report.missed +=
            (uint64_t)(step_s / frame_interval_s > 1 ? step_s / frame_interval_s - 0.5 : 0);
        return;
    }
    vmc->frame_interval_s = vmc->frame_interval_s > 0
                                ? vmc->frame_interval_s + 0.1 * (step_s - vmc->frame_interval_s)
                                : step_s;
}

/// Completes the open frame. The root's transform is kept for the next one.
static uint32_t complete_frame(lmbi_vmc *vmc)
{
    lmb_vmc_frame *open = &vmc->open;
    if (open->bones == 0) {
        return 0;
    }
    open->time_s = vmc->has_time ? open->time_s : vmc->now_s;
    open->arrived_s = vmc->now_s;
    store_shapes(&vmc->shapes, open);
    const lmb_vmc_frame *last = &vmc->ring[(vmc->newest + WAITING - 1) % WAITING];
    const double step = open->time_s - last->time_s;
    bool late = false;
    if (vmc->newest > 0 && step < -RESTART) {
        vmc->report.restarts += 1;
        vmc->clock_offset_s = (double)INFINITY;
    } else if (vmc->newest > 0 && step <= 0) {
        vmc->report.late += 1;
        late = true;
    } else if (vmc->newest > 0) {
        track_interval(vmc, step);
    }
    vmc->bones_before = count_bits(open->bones);
    if (!late) {
        track_clock(vmc, open);
        if (vmc->newest - vmc->delivered == WAITING) {
            vmc->delivered += 1;
            vmc->report.missed += 1;
        }
        vmc->ring[vmc->newest % WAITING] = *open;
        vmc->newest += 1;
        vmc->report.frames += 1;
    }
    open->bones = 0;
    vmc->has_time = false;
    return !late;
}

typedef struct receipt {
    lmbi_vmc *vmc;
    uint32_t frames;
} receipt;

/// Reads "s f f f f f f f", all finite; further arguments are ignored.
static bool read_transform(const lmbi_osc_message *m, lmb_transform *out)
{
    float v[7];
    if (m->argument_count < 8 || m->arguments[0].type != 's') {
        return false;
    }
    for (int k = 0; k < 7; ++k) {
        const lmbi_osc_argument *a = &m->arguments[k + 1];
        // No position is larger than this, and its square is finite.
        if ((a->type != 'f' && a->type != 'd') || !(fabs(a->real) < 1e6)) {
            return false;
        }
        v[k] = (float)a->real;
    }
    const lmb_quat q = {v[3], v[4], v[5], v[6]};
    if (!(lmb_quat_dot(q, q) > 1e-6f)) {
        return false;
    }
    *out = lmbi_vmc_mirror((lmb_transform){
        .translation = {v[0], v[1], v[2]}, .rotation = lmb_quat_normalize(q), .scale = {1, 1, 1}});
    return true;
}

static bool read_bone(receipt *r, const lmbi_osc_message *m)
{
    lmb_transform local;
    if (!read_transform(m, &local)) {
        return false;
    }
    const int bone = lmbi_vmc_bone_find(m->arguments[0].text);
    if (bone == LMB_HUMAN_BONE_COUNT) {
        return false;
    }
    if (r->vmc->open.bones >> bone & 1) {
        r->frames += complete_frame(r->vmc);
    }
    r->vmc->open.bones |= UINT64_C(1) << bone;
    r->vmc->open.local[bone] = local;
    if (!r->vmc->has_time && r->vmc->clock_known) {
        r->vmc->open.time_s = r->vmc->time_s;
        r->vmc->has_time = true;
    }
    return true;
}

/// Reads the sender's time. A time that precedes the bones is theirs; one that follows bones
/// without a time is theirs too, and completes the frame.
static bool read_time(receipt *r, const lmbi_osc_message *m)
{
    lmbi_vmc *vmc = r->vmc;
    const bool given = m->argument_count > 0 &&
                       (m->arguments[0].type == 'f' || m->arguments[0].type == 'd') &&
                       fabs(m->arguments[0].real) < 1e9;
    if (!given) {
        return false;
    }
    const double time = m->arguments[0].real;
    const bool moved = !vmc->clock_known || time < vmc->time_s || time > vmc->time_s;
    if (vmc->open.bones != 0 && !vmc->has_time) {
        vmc->open.time_s = time;
        vmc->has_time = true;
        r->frames += complete_frame(vmc);
    } else if (vmc->open.bones != 0 && moved) {
        r->frames += complete_frame(vmc);
    }
    vmc->time_s = time;
    vmc->clock_known = true;
    return true;
}

static void read_message(void *user, const lmbi_osc_message *m)
{
    receipt *r = user;
    bool ok = false;
    r->vmc->report.messages += 1;
    if (strcmp(m->address, "/VMC/Ext/Bone/Pos") == 0) {
        ok = read_bone(r, m);
    } else if (strcmp(m->address, "/VMC/Ext/Root/Pos") == 0) {
        ok = read_transform(m, &r->vmc->open.root);
    } else if (strcmp(m->address, "/VMC/Ext/T") == 0) {
        ok = read_time(r, m);
    } else if (strcmp(m->address, "/VMC/Ext/Blend/Val") == 0) {
        ok = receive_shape(&r->vmc->shapes, m);
    } else if (strcmp(m->address, "/VMC/Ext/Blend/Apply") == 0) {
        apply_shapes(&r->vmc->shapes);
        ok = true;
    } else {
        ok = strcmp(m->address, "/VMC/Ext/OK") == 0;
    }
    r->vmc->report.ignored += !ok;
}

uint32_t lmbi_vmc_receive(lmbi_vmc *vmc, const void *bytes, size_t size, double now_s)
{
    receipt r = {.vmc = vmc};
    vmc->now_s = now_s;
    vmc->report.packets += 1;
    if (lmbi_osc_read(bytes, size, read_message, &r, NULL) != LMB_OK) {
        vmc->report.malformed += 1;
        return 0;
    }
    const bool bundle = size >= 8 && memcmp(bytes, "#bundle", 8) == 0;
    if (bundle && vmc->bones_before > 0 && count_bits(vmc->open.bones) >= vmc->bones_before) {
        r.frames += complete_frame(vmc);
    }
    return r.frames;
}

uint32_t lmbi_vmc_flush(lmbi_vmc *vmc, double now_s)
{
    vmc->now_s = now_s;
    return complete_frame(vmc);
}

// ------------------------------------------------------------------------------------- playback

bool lmbi_vmc_next(lmbi_vmc *vmc, lmb_vmc_frame *out)
{
    if (vmc->delivered == vmc->newest) {
        return false;
    }
    *out = vmc->ring[vmc->delivered % WAITING];
    vmc->delivered += 1;
    return true;
}

static void blend_frames(const lmb_vmc_frame *a, const lmb_vmc_frame *b, float s,
                         lmb_vmc_frame *out)
{
    *out = *b;
    out->root.translation = lmb_vec3_lerp(a->root.translation, b->root.translation, s);
    out->root.rotation = lmbi_quat_nlerp(a->root.rotation, b->root.rotation, s);
    for (int bone = 0; bone < LMB_HUMAN_BONE_COUNT; ++bone) {
        if (a->bones >> bone & b->bones >> bone & 1) {
            const lmb_transform *from = &a->local[bone], *to = &b->local[bone];
            out->local[bone].translation = lmb_vec3_lerp(from->translation, to->translation, s);
            out->local[bone].rotation = lmbi_quat_nlerp(from->rotation, to->rotation, s);
        }
    }
    for (uint32_t k = 0; k < a->shape_count && k < b->shape_count; ++k) {
        out->shapes[k] = a->shapes[k] + s * (b->shapes[k] - a->shapes[k]);
    }
}

bool lmbi_vmc_play(const lmbi_vmc *vmc, double now_s, lmb_vmc_frame *out)
{
    if (vmc->newest == 0) {
        return false;
    }
    const double time = now_s - vmc->clock_offset_s - vmc->delay_s;
    const uint64_t waiting = vmc->newest < WAITING ? vmc->newest : WAITING;
    const lmb_vmc_frame *after = &vmc->ring[(vmc->newest - 1) % WAITING];
    *out = *after;
    for (uint64_t k = 1; k < waiting; ++k) {
        const lmb_vmc_frame *before = &vmc->ring[(vmc->newest - 1 - k) % WAITING];
        const double span = after->time_s - before->time_s;
        if (!(span > 0) || time >= after->time_s) {
            break; // the sender restarted there, or the newest frame is due
        }
        if (time >= before->time_s) {
            blend_frames(before, after, (float)((time - before->time_s) / span), out);
            out->time_s = time;
            break;
        }
        *out = *before;
        after = before;
    }
    return true;
}
