/// A motion received frame by frame: its state.
#ifndef IO_BVH_STREAM_H
#define IO_BVH_STREAM_H

#include "io/bvh/build.h"

/// Number of recent frames whose arrival times are kept for playback.
#define LMBI_STREAM_RECENT 64

/// A motion received over a network while it is captured, frame by frame, in BVH's channels:
/// - Axis Neuron's binary frames (Noitom): a header of 64 bytes, then floats: for every bone its
///   position and angles, or its angles alone, after those of a reference bone or not;
/// - its text frames: the avatar's number and name, then the values, ended by "||";
/// - a BVH file as text: the hierarchy, MOTION, Frames: (not believed), Frame Time:, then a row a
///   line until the stream ends.
/// Invalid bytes are dropped up to where the next frame begins, and counted.
typedef struct lmbi_bvh_stream lmbi_bvh_stream;

typedef struct lmbi_bvh_stream_report {
    uint64_t frames;
    uint64_t malformed; ///< runs of bytes that were dropped
    uint64_t ignored;   ///< frames of other avatars than the first, and repeated hierarchies
    uint64_t late;      ///< older, by the sender's count, than one received before
    uint64_t missed;    ///< counted by the sender and never received
    uint64_t restarts;  ///< how often the sender's count restarted
} lmbi_bvh_stream_report;

/// Errors: MALFORMED for a skeleton that is not BVH; INVALID for an invalid order; MEMORY.
lmb_result lmbi_bvh_stream_create(const lmb_receiver_opts *opts, const lmb_allocator *alloc,
                                  lmbi_bvh_stream **out, lmb_error *error);
void lmbi_bvh_stream_destroy(lmbi_bvh_stream *stream);
/// Receives bytes at a time of the receiver's clock. `datagram`: no frame continues in the next
/// call; else frames may be cut anywhere. Returns how many frames were completed; all are kept.
/// Frames for which memory runs out count as missed.
uint32_t lmbi_bvh_stream_receive(lmbi_bvh_stream *stream, const void *bytes, size_t size,
                                 double now_s, bool datagram);
lmbi_bvh_stream_report lmbi_bvh_stream_state(const lmbi_bvh_stream *stream);
/// The skeleton and all frames received so far, as lmb_read gives them for a BVH: a key for every frame,
/// at its number in the sender's count. The clip is called "live". Errors: INVALID before the first
/// frame; MEMORY.
lmb_result lmbi_bvh_stream_character(lmbi_bvh_stream *stream, const lmb_allocator *alloc,
                                     lmb_character **out, lmb_error *error);
/// The pose to show at a time of the receiver's clock, for the last character that was made: it is
/// interpolated between the frames of that time minus the delay; after the newest frame, that one.
/// False before there is a character. `local` has an entry a joint; allocates nothing.
bool lmbi_bvh_stream_pose(const lmbi_bvh_stream *stream, double now_s, lmb_transform *local);

struct lmbi_bvh_stream {
    lmb_allocator alloc;
    lmb_receiver_opts opts;
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
    lmbi_bvh_stream_report report;
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
size_t lmbi_stream_parse(lmbi_bvh_stream *stream, const uint8_t *bytes, size_t size, double now_s,
                         bool last);
/// Stores a frame of `count` numbers. False when that is not the skeleton's number of channels.
bool lmbi_stream_frame(lmbi_bvh_stream *stream, const lmbi_stream_head *head, const float *values,
                       size_t count, double now_s);

/// The bones of a Noitom suit, in the order in which they are sent. Errors: MEMORY.
lmb_result lmbi_suit_skeleton(lmbi_bvh *bvh, lmb_error *error);
#define LMBI_SUIT_BONES 59

/// Frames a second: as given by the options or the stream, else as measured so far.
double lmbi_bvh_stream_rate(const lmbi_bvh_stream *stream);

#endif
