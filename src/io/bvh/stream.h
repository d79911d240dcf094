/// A motion received frame by frame: its state.
#ifndef IO_BVH_STREAM_H
#define IO_BVH_STREAM_H

#include "io/bvh/build.h"

/// Number of recent frames whose arrival times are kept for playback.
#define LMBI_STREAM_RECENT 64

struct lmb_bvh_stream {
    lmb_allocator alloc;
    lmb_bvh_stream_opts opts;
    char order[4];
    lmbi_bvh bvh;      ///< the skeleton, once it is known, and all rows
    bool has_skeleton; ///< given in advance or received
    bool is_suit;
    uint32_t width; ///< numbers a frame, once the first has arrived
    uint32_t
        reference; ///< how many of them precede the first bone's (0, or the 6 of a reference bone)
    uint32_t *numbers; ///< the sender's frame number, from 0
    size_t number_capacity;
    double arrived_s[LMBI_STREAM_RECENT]; ///< arrival times of the last frames, a ring by row
    double first_s;
    uint32_t count_now; ///< the sender's last frame count
    uint8_t *pending;   ///< received bytes that are not yet a whole frame
    size_t pending_size, pending_capacity;
    float *scratch; ///< numbers of the frame being parsed
    size_t scratch_capacity;
    bool has_avatar, in_junk;
    uint32_t avatar;
    lmb_bvh_stream_report report;
    // of the character made last:
    bool *adds;
    lmb_bvh_info info;
};

/// The header of a frame.
typedef struct lmbi_stream_head {
    bool has_count, has_avatar;
    uint32_t count, avatar;
} lmbi_stream_head;

/// Parses as many whole frames as the bytes hold; returns how many bytes were consumed. `last`:
/// nothing follows, so that a text row needs no line end.
size_t lmbi_stream_parse(lmb_bvh_stream *stream, const uint8_t *bytes, size_t size, double now_s,
                         bool last);
/// Stores a frame of `count` numbers. False when that is not the skeleton's number of channels.
bool lmbi_stream_frame(lmb_bvh_stream *stream, const lmbi_stream_head *head, const float *values,
                       size_t count, double now_s);

/// The bones of a Noitom suit, in the order in which they are sent. Errors: MEMORY.
lmb_result lmbi_suit_skeleton(lmbi_bvh *bvh, lmb_error *error);
#define LMBI_SUIT_BONES 59

/// Frames a second: as given by the options or the stream, else as measured so far.
double lmbi_bvh_stream_rate(const lmb_bvh_stream *stream);

#endif
