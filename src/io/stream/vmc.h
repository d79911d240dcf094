/// Receives the Virtual Motion Capture protocol.
#ifndef IO_STREAM_VMC_H
#define IO_STREAM_VMC_H

#include "limber/io.h"

typedef struct lmbi_vmc_report {
    uint64_t packets, malformed; ///< malformed ones were dropped whole
    uint64_t messages, ignored;  ///< ignored: of other addresses, or invalid
    uint64_t frames, late;       ///< late: older than one received before
    uint64_t missed;             ///< frames never received, judged by the sender's usual interval
    uint64_t restarts;           ///< how often the sender's clock restarted
} lmbi_vmc_report;

/// Assembles packets to frames, and keeps the newest for smooth playback. Blend shapes (Blend/Val)
/// take effect when they are applied (Blend/Apply) or, for senders that never apply, at once, and
/// keep their values until sent again; those that follow the bones of a frame belong to the next
/// one. Names of blend shapes live as long as this object.
typedef struct lmbi_vmc lmbi_vmc;

/// `delay_s` as in lmb_receiver_opts.
lmb_result lmbi_vmc_create(double delay_s, const lmb_allocator *alloc, lmbi_vmc **out,
                           lmb_error *error);
void lmbi_vmc_destroy(lmbi_vmc *vmc);
/// Receives a packet. Returns how many frames it completed. A frame is complete at the end of a
/// bundle that brought as many bones as the previous frame had, when the sender's clock advances,
/// or when a bone is sent again.
uint32_t lmbi_vmc_receive(lmbi_vmc *vmc, const void *bytes, size_t size, double now_s);
/// Completes the frame in progress, at the end of a recording.
uint32_t lmbi_vmc_flush(lmbi_vmc *vmc, double now_s);
/// The oldest frame that was not yet returned; false when there is none. Up to 64 wait; beyond that
/// the oldest are lost (and counted as missed).
bool lmbi_vmc_next(lmbi_vmc *vmc, lmb_vmc_frame *out);
/// The frame to show at a time of the receiver's clock, interpolated between the frames of that
/// time minus the delay; after the newest frame, that one. False before the first.
bool lmbi_vmc_play(const lmbi_vmc *vmc, double now_s, lmb_vmc_frame *out);
lmbi_vmc_report lmbi_vmc_state(const lmbi_vmc *vmc);

/// The frame as a pose of such a character: bones that were not sent, and joints that are not
/// bones, keep their values in `local`. local[skeleton->joint_count].
void lmbi_vmc_pose(const lmb_vmc_frame *frame, const lmb_skeleton *skeleton, lmb_transform *local);

#endif
