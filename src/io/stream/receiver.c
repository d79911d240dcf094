/// One face for the streams that are received: VMC packets and BVH frames.
#include "base/alloc.h"
#include "base/error.h"
#include "io/bvh/stream.h"
#include "io/stream/vmc.h"

struct lmb_receiver {
    lmb_allocator alloc;
    lmbi_vmc *vmc; ///< or NULL
    lmbi_bvh_stream *bvh;
    uint64_t packets;
};

lmb_result lmb_receiver_create(const lmb_receiver_opts *opts, const lmb_allocator *alloc,
                               lmb_receiver **out, lmb_error *error)
{
    const lmb_receiver_opts given = opts != NULL ? *opts : (lmb_receiver_opts){0};
    lmb_receiver *receiver = lmbi_alloc(alloc, sizeof *receiver);
    if (receiver == NULL) {
        return lmbi_fail_memory(error);
    }
    receiver->alloc = alloc != NULL ? *alloc : (lmb_allocator){0};
    const lmb_result result = given.kind == LMB_RECEIVER_BVH
                                  ? lmbi_bvh_stream_create(&given, alloc, &receiver->bvh, error)
                                  : lmbi_vmc_create(given.delay_s, alloc, &receiver->vmc, error);
    if (result != LMB_OK) {
        lmbi_free(alloc, receiver);
        return result;
    }
    *out = receiver;
    return LMB_OK;
}

void lmb_receiver_destroy(lmb_receiver *receiver)
{
    if (receiver != NULL) {
        const lmb_allocator alloc = receiver->alloc;
        lmbi_vmc_destroy(receiver->vmc);
        lmbi_bvh_stream_destroy(receiver->bvh);
        lmbi_free(&alloc, receiver);
    }
}

uint32_t lmb_receiver_receive(lmb_receiver *receiver, const void *bytes, size_t size, double now_s,
                              bool datagram)
{
    ++receiver->packets;
    return receiver->vmc != NULL
               ? lmbi_vmc_receive(receiver->vmc, bytes, size, now_s)
               : lmbi_bvh_stream_receive(receiver->bvh, bytes, size, now_s, datagram);
}

uint32_t lmb_receiver_flush(lmb_receiver *receiver, double now_s)
{
    // A row of text is a frame once its line ends.
    return receiver->vmc != NULL ? lmbi_vmc_flush(receiver->vmc, now_s)
                                 : lmbi_bvh_stream_receive(receiver->bvh, "\n", 1, now_s, false);
}

bool lmb_receiver_next(lmb_receiver *receiver, lmb_vmc_frame *out)
{
    return receiver->vmc != NULL && lmbi_vmc_next(receiver->vmc, out);
}

bool lmb_receiver_pose(const lmb_receiver *receiver, double now_s, const lmb_skeleton *skeleton,
                       lmb_transform *local, lmb_vmc_frame *frame)
{
    if (receiver->bvh != NULL) {
        return lmbi_bvh_stream_pose(receiver->bvh, now_s, local);
    }
    lmb_vmc_frame shown;
    if (!lmbi_vmc_play(receiver->vmc, now_s, &shown)) {
        return false;
    }
    lmbi_vmc_pose(&shown, skeleton, local);
    if (frame != NULL) {
        *frame = shown;
    }
    return true;
}

lmb_receiver_report lmb_receiver_describe(const lmb_receiver *receiver)
{
    if (receiver->vmc != NULL) {
        const lmbi_vmc_report r = lmbi_vmc_state(receiver->vmc);
        return (lmb_receiver_report){r.packets, r.malformed, r.messages, r.ignored,
                                     r.frames,  r.late,      r.missed,   r.restarts};
    }
    const lmbi_bvh_stream_report r = lmbi_bvh_stream_state(receiver->bvh);
    return (lmb_receiver_report){.packets = receiver->packets,
                                 .malformed = r.malformed,
                                 .messages = r.frames + r.ignored + r.late,
                                 .ignored = r.ignored,
                                 .frames = r.frames,
                                 .late = r.late,
                                 .missed = r.missed,
                                 .restarts = r.restarts};
}

lmb_result lmb_receiver_character(lmb_receiver *receiver, const lmb_allocator *alloc,
                                  lmb_character **out, lmb_error *error)
{
    if (receiver->bvh == NULL) {
        return lmbi_fail(error, LMB_ERROR_INVALID, "a receiver of BVH", "one of VMC");
    }
    return lmbi_bvh_stream_character(receiver->bvh, alloc, out, error);
}
