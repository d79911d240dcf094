/// A motion that comes frame by frame: what is kept of it.
#ifndef IO_BVH_STREAM_H
#define IO_BVH_STREAM_H

#include "io/bvh/build.h"

/// As many frames as playing looks back.
#define LMBI_STREAM_RECENT 64

struct lmb_bvh_stream {
    lmb_allocator alloc;
    lmb_bvh_stream_opts opts;
    char order[4];
    lmbi_bvh bvh;      ///< the skeleton, once it is known, and all rows
    bool has_skeleton; ///< told in advance or by the stream
    bool is_suit;
    uint32_t width;     ///< numbers of a frame, once the first has come
    uint32_t reference; ///< how many of them come before the first bone's
    uint32_t *numbers;  ///< [bvh.frame_count] the sender's count, from 0
    size_t number_capacity;
    double arrived_s[LMBI_STREAM_RECENT]; ///< of the last frames, by their row
    double first_s;
    uint32_t count_now; ///< as the sender last told
    uint8_t *pending;   ///< what is not yet complete
    size_t pending_size, pending_capacity;
    float *scratch; ///< numbers of a text row
    size_t scratch_capacity;
    bool has_avatar, in_junk;
    uint32_t avatar;
    lmb_bvh_stream_report fill_info;
    // of the last character
    bool *adds;
    lmb_bvh_info info;
};

/// What the head of a frame says.
typedef struct lmbi_stream_head {
    bool has_count, has_avatar;
    uint32_t count, avatar;
} lmbi_stream_head;

/// Takes as many whole frames as there are off the front of the bytes; returns how many bytes were
/// done with. `last`: nothing follows.
size_t lmbi_stream_parse(lmb_bvh_stream *stream, const uint8_t *bytes, size_t size, double now_s,
                         bool last);
/// A frame of `count` numbers. False when the skeleton has no such frames.
bool lmbi_stream_frame(lmb_bvh_stream *stream, const lmbi_stream_head *head, const float *values,
                       size_t count, double now_s);

/// The bones of a Noitom suit, in the order in which they are sent. Errors: MEMORY.
lmb_result lmbi_suit_skeleton(lmbi_bvh *bvh, lmb_error *error);
#define LMBI_SUIT_BONES 59

#endif
